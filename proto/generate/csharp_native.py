"""client/csharp/Carom/Native.cs: libcarom's public headers for P/Invoke."""

from . import headers

HEAD = """\
// Generated from client/include/carom by proto/generate/csharp_native.py: do not edit.
//
// The C interface of libcarom and libcarom-replica for P/Invoke. Names are those of C; the headers have the documentation.
// A pointer to an object of the library, and one to a function, is an IntPtr; bool is a byte, an enum an int.

using System;
using System.Runtime.InteropServices;

namespace Carom
{
#pragma warning disable 1591, 169, 649
    internal static class Constants
    {
"""

BASES = {
    "bool": "byte", "char": "byte", "double": "double", "int": "int", "unsigned": "uint", "size_t": "UIntPtr", "void": "void",
    "int32_t": "int", "int64_t": "long", "uint8_t": "byte", "uint16_t": "ushort", "uint32_t": "uint", "uint64_t": "ulong",
}
FIXED = {"byte", "double", "int", "uint", "long", "ulong", "ushort"}
KEYWORDS = {"event", "params", "ref", "out", "in", "object", "string", "lock", "base", "is", "as", "this", "new", "checked"}


def name_of(text):
    return "@" + text if text in KEYWORDS else text


def csharp(t, interface):
    """The type in C#, without an array's length."""
    if t.call or t.base in interface.calls:
        return "IntPtr"
    if t.base in interface.opaque or (t.base == "void" and t.pointers):
        return "IntPtr" + "*" * (t.pointers - 1)
    if t.base in interface.enums:
        base = "int"
    elif t.base in interface.structs:
        base = t.base
    elif t.base in BASES:
        base = BASES[t.base]
    else:
        raise headers.HeaderError(f"'{t.text}': csharp_native.py knows no type '{t.base}'")
    return base + "*" * t.pointers


def field(m, interface):
    kind = csharp(m.type, interface)
    if not m.type.array:
        return f"        public {kind} {name_of(m.name)};\n"
    if kind in FIXED:
        return f"        public fixed {kind} {name_of(m.name)}[{m.type.array}];\n"
    return f"        public {kind} {', '.join(f'{m.name}{i}' for i in range(m.type.array))};\n"


def struct(name, members, interface):
    fields = "".join(field(m, interface) for m in members)
    return (f"\n    [StructLayout(LayoutKind.Sequential)]\n    internal unsafe struct {name}\n    {{\n{fields}    }}\n")


def function(f, interface):
    args = ", ".join(f"{csharp(a.type, interface)} {name_of(a.name)}" for a in f.args)
    library = "Replica" if f.header in headers.REPLICA else "Client"
    return (f"        [DllImport({library}, CallingConvention = CallingConvention.Cdecl)]\n"
            f"        internal static extern {csharp(f.result, interface)} {f.name}({args});\n")


def write(schema):
    interface = schema.interface
    out = HEAD
    for name, value in interface.constants.items():
        out += f"        internal const {'int' if -2**31 <= value < 2**31 else 'long'} {name} = {value};\n"
    out += "    }\n" + "".join(struct(name, members, interface) for name, members in interface.structs.items())
    out += ("\n    internal static unsafe class Native\n    {\n        internal const string Client = \"carom\";\n"
            "        internal const string Replica = \"carom-replica\";\n\n")
    out += "".join(function(f, interface) for f in interface.functions) + "\n"
    names = ", ".join(f"typeof({name})" for name in interface.structs)
    return out + f"        internal static readonly Type[] Structs = {{ {names} }};\n    }}\n}}\n"
