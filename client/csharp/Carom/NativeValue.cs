// Values to trees of libcarom (carom/value.h) and back; strings and errors of C.

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Carom
{
    internal static unsafe class NativeValue
    {
        internal static byte[] Utf8(string text)
        {
            return text != null ? Encoding.UTF8.GetBytes(text + "\0") : null;
        }

        internal static string Text(byte* text)
        {
            if (text == null) return "";
            int size = 0;
            while (text[size] != 0) size++;
            return Encoding.UTF8.GetString(Copy((IntPtr)text, size));
        }

        internal static byte[] Copy(IntPtr from, int size)
        {
            var bytes = new byte[size];
            if (size > 0) Marshal.Copy(from, bytes, 0, size);
            return bytes;
        }

        internal static CaromException Error(int status, string text, bool fromServer = false, int applied = 0)
        {
            string code = status > 0 && status < Codes.All.Length ? Codes.All[status] : Codes.Internal;
            return new CaromException(code, text, fromServer,
                applied == Constants.CAROM_APPLIED_YES ? true : applied == Constants.CAROM_APPLIED_NO ? false : (bool?)null);
        }

        internal static void Check(int status, ref carom_error error)
        {
            if (status == Constants.CAROM_OK) return;
            fixed (byte* text = error.text) throw Error(error.status, Text(text), error.from_server != 0, error.applied);
        }

        // ---- writing for C. The caller frees the tree.

        internal static IntPtr Make(object value)
        {
            IntPtr tree = Build(value, 0);
            if (Native.carom_value_ok(tree) != 0) return tree;
            Native.carom_value_free(tree);
            throw new CaromException(Codes.OutOfMemory, "no memory for the arguments");
        }

        static IntPtr Build(object value, int depth)
        {
            value = Tree.Plain(value);
            if (depth > MsgPack.DepthMax)
                throw new CaromException(Codes.InvalidArgument, "nested deeper than " + MsgPack.DepthMax + " containers");
            if (value == null) return Native.carom_nil();
            if (value is bool) return Native.carom_bool((byte)((bool)value ? 1 : 0));
            if (value is ulong) return Native.carom_uint((ulong)value);
            if (value is long) return Native.carom_int((long)value);
            if (value is double) return Native.carom_real((double)value);
            if (value is string)
            {
                byte[] text = Utf8((string)value);
                fixed (byte* p = text) return Native.carom_strn(p, (UIntPtr)(text.Length - 1));
            }
            if (value is byte[])
            {
                var bytes = (byte[])value;
                fixed (byte* p = bytes) return Native.carom_bin((IntPtr)p, (UIntPtr)bytes.Length);
            }
            if (value is List<object>) return BuildList((List<object>)value, depth);
            if (value is Dictionary<string, object>) return BuildMap((Dictionary<string, object>)value, depth);
            throw new CaromException(Codes.InvalidArgument, value.GetType().Name + " is no type of a value");
        }

        static IntPtr BuildList(List<object> list, int depth)
        {
            IntPtr tree = Native.carom_array();
            try
            {
                foreach (object element in list) Native.carom_push(tree, Build(element, depth + 1));
            }
            catch (CaromException)
            {
                Native.carom_value_free(tree);
                throw;
            }
            return tree;
        }

        static IntPtr BuildMap(Dictionary<string, object> map, int depth)
        {
            IntPtr tree = Native.carom_map();
            try
            {
                foreach (var pair in map)
                {
                    byte[] key = Utf8(pair.Key);
                    IntPtr child = Build(pair.Value, depth + 1);
                    fixed (byte* p = key) Native.carom_setn(tree, p, (UIntPtr)(key.Length - 1), child);
                }
            }
            catch (CaromException)
            {
                Native.carom_value_free(tree);
                throw;
            }
            return tree;
        }

        // ---- reading from C

        internal static object Take(IntPtr tree)
        {
            try
            {
                return Read(tree);
            }
            finally
            {
                Native.carom_value_free(tree);
            }
        }

        static byte[] Bytes(IntPtr tree)
        {
            UIntPtr size;
            IntPtr data = Native.carom_as_bytes(tree, &size);
            return Copy(data, (int)size);
        }

        internal static object Read(IntPtr tree)
        {
            switch (Native.carom_value_type(tree))
            {
                case Constants.CAROM_BOOL: return Native.carom_as_bool(tree, 0) != 0;
                case Constants.CAROM_INT: return Native.carom_as_int(tree, 0);
                case Constants.CAROM_UINT: return Native.carom_as_uint(tree, 0);
                case Constants.CAROM_REAL: return Native.carom_as_real(tree, 0);
                case Constants.CAROM_STR: return Encoding.UTF8.GetString(Bytes(tree));
                case Constants.CAROM_BIN: return Bytes(tree);
                case Constants.CAROM_ARRAY:
                {
                    int count = (int)Native.carom_value_count(tree);
                    var list = new List<object>(count);
                    for (int i = 0; i < count; i++) list.Add(Read(Native.carom_value_at(tree, (UIntPtr)i)));
                    return list;
                }
                case Constants.CAROM_MAP:
                {
                    int count = (int)Native.carom_value_count(tree);
                    var map = new Dictionary<string, object>(count);
                    for (int i = 0; i < count; i++)
                    {
                        UIntPtr size;
                        byte* key = Native.carom_value_key(tree, (UIntPtr)i, &size);
                        map[Encoding.UTF8.GetString(Copy((IntPtr)key, (int)size))] = Read(Native.carom_value_at(tree, (UIntPtr)i));
                    }
                    return map;
                }
                default: return null;
            }
        }
    }
}
