"""client/python/carom/_native.py: libcarom's public headers for ctypes."""

from . import headers

HEAD = '''\
"""The C interface of libcarom and libcarom-replica for ctypes.

Generated from client/include/carom by proto/generate/python_native.py: do not edit.
Names are those of C; the headers have the documentation. A pointer to an object of the library is an int, or None.
"""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

'''

BASES = {
    "bool": "c_bool", "char": "c_char", "double": "c_double", "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t",
    "int32_t": "c_int32", "int64_t": "c_int64", "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
}


def signature(call, interface):
    return ", ".join([ctype(call.result, interface)] + [ctype(a.type, interface) for a in call.args])


def ctype(t, interface):
    """The expression of ctypes for a type of C."""
    if t.call:
        return f"CFUNCTYPE({signature(t.call, interface)})"
    if t.base in interface.calls:
        return t.base
    pointers = t.pointers
    if t.base in ("void", *interface.opaque):
        text, pointers = ("None", 0) if pointers == 0 else ("c_void_p", pointers - 1)
    elif t.base == "char" and t.const and pointers:
        text, pointers = "c_char_p", pointers - 1
    elif t.base in interface.enums:
        text = "c_int"
    else:
        if t.base not in interface.structs and t.base not in BASES:
            raise headers.HeaderError(f"'{t.text}': python_native.py knows no type '{t.base}'")
        text = t.base if t.base in interface.structs else BASES[t.base]
    text = "POINTER(" * pointers + text + ")" * pointers
    return f"{text} * {t.array}" if t.array else text


def struct(name, members, interface):
    fields = "".join(f'        ("{m.name}", {ctype(m.type, interface)}),\n' for m in members)
    return f"\n\nclass {name}(Structure):\n    _fields_ = [\n{fields}    ]\n"


def functions(names, interface):
    out = ""
    for f in interface.functions:
        if (f.header in headers.REPLICA) == names:
            args = "".join(f"{ctype(a.type, interface)}, " for a in f.args)
            out += f'    "{f.name}": ({ctype(f.result, interface)}, ({args.rstrip() if len(f.args) == 1 else args.rstrip(", ")})),\n'
    return out


def write(schema):
    interface = schema.interface
    out = HEAD + "".join(f"{name} = {value}\n" for name, value in interface.constants.items())
    for name in interface.order:
        if name in interface.structs:
            out += struct(name, interface.structs[name], interface)
        else:
            out += f"\n\n{name} = CFUNCTYPE({signature(interface.calls[name], interface)})\n"
    out += f"\n\n# name: (type of the result, types of the arguments)\nCAROM = {{\n{functions(False, interface)}}}\n"
    return out + f"\nCAROM_REPLICA = {{\n{functions(True, interface)}}}\n"
