// MessagePack for values of the protocol: https://github.com/msgpack/msgpack/blob/master/spec.md
//
// A codec of its own, because the assembly needs nothing but netstandard2.0: values here are the few types of
// Values.cs, and a server's bytes are read with bounds. Extension types are refused.

using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Carom
{
    /// <summary>Writes and reads MessagePack.</summary>
    public static class MsgPack
    {
        /// <summary>Containers within containers, the outermost counted.</summary>
        public const int DepthMax = 32;

        static readonly UTF8Encoding Utf8 = new UTF8Encoding(false);

        public static byte[] Pack(object value)
        {
            var stream = new MemoryStream();
            Write(stream, value, 0);
            return stream.ToArray();
        }

        static void Head(MemoryStream s, byte code, ulong number, int bytes)
        {
            s.WriteByte(code);
            for (int i = bytes - 1; i >= 0; i--) s.WriteByte((byte)(number >> 8 * i));
        }

        static void WriteUnsigned(MemoryStream s, ulong n)
        {
            if (n < 0x80) s.WriteByte((byte)n);
            else if (n <= 0xff) Head(s, 0xcc, n, 1);
            else if (n <= 0xffff) Head(s, 0xcd, n, 2);
            else if (n <= 0xffffffff) Head(s, 0xce, n, 4);
            else Head(s, 0xcf, n, 8);
        }

        static void WriteSigned(MemoryStream s, long n)
        {
            if (n >= 0) WriteUnsigned(s, (ulong)n);
            else if (n >= -32) s.WriteByte(unchecked((byte)n));
            else Head(s, 0xd3, unchecked((ulong)n), 8);
        }

        static void WriteSized(MemoryStream s, int count, int fix, int fixMax, byte code8, byte code16)
        {
            if (count <= fixMax) s.WriteByte((byte)(fix | count));
            else if (code8 != 0 && count <= 0xff) Head(s, code8, (ulong)count, 1);
            else if (count <= 0xffff) Head(s, code16, (ulong)count, 2);
            else Head(s, (byte)(code16 + 1), (ulong)count, 4);
        }

        static void WriteText(MemoryStream s, string text)
        {
            byte[] bytes = Utf8.GetBytes(text);
            WriteSized(s, bytes.Length, 0xa0, 31, 0xd9, 0xda);
            s.Write(bytes, 0, bytes.Length);
        }

        static void Write(MemoryStream s, object value, int depth)
        {
            value = Tree.Plain(value);
            if (depth > DepthMax) throw new CaromException(Codes.InvalidArgument, "nested deeper than " + DepthMax + " containers");
            if (value == null) s.WriteByte(0xc0);
            else if (value is bool) s.WriteByte((byte)((bool)value ? 0xc3 : 0xc2));
            else if (value is ulong) WriteUnsigned(s, (ulong)value);
            else if (value is long) WriteSigned(s, (long)value);
            else if (value is double) Head(s, 0xcb, unchecked((ulong)BitConverter.DoubleToInt64Bits((double)value)), 8);
            else if (value is string) WriteText(s, (string)value);
            else if (value is byte[])
            {
                var bytes = (byte[])value;
                WriteSized(s, bytes.Length, 0, -1, 0xc4, 0xc5);
                s.Write(bytes, 0, bytes.Length);
            }
            else if (value is List<object>)
            {
                var list = (List<object>)value;
                WriteSized(s, list.Count, 0x90, 15, 0, 0xdc);
                foreach (object element in list) Write(s, element, depth + 1);
            }
            else if (value is Dictionary<string, object>)
            {
                var map = (Dictionary<string, object>)value;
                WriteSized(s, map.Count, 0x80, 15, 0, 0xde);
                foreach (var pair in map)
                {
                    WriteText(s, pair.Key);
                    Write(s, pair.Value, depth + 1);
                }
            }
            else throw new CaromException(Codes.InvalidArgument, value.GetType().Name + " is no type of a value");
        }

        /// <summary>Reads the value at `offset`, which then is behind it. Throws CaromException (internal) for bytes that are
        /// no whole value.</summary>
        public static object Unpack(byte[] bytes, ref int offset)
        {
            return new Reader(bytes, bytes.Length).Read(ref offset, 0);
        }

        public static object Unpack(byte[] bytes)
        {
            int offset = 0;
            object value = Unpack(bytes, ref offset);
            if (offset != bytes.Length) throw Fault("bytes follow the value");
            return value;
        }

        static CaromException Fault(string what) => new CaromException(Codes.Internal, "MessagePack: " + what);

        struct Reader
        {
            readonly byte[] bytes;
            readonly int size;

            internal Reader(byte[] bytes, int size)
            {
                this.bytes = bytes;
                this.size = size;
            }

            ulong Number(ref int at, int count)
            {
                if (size - at < count) throw Fault("the value is cut off");
                ulong n = 0;
                for (int i = 0; i < count; i++) n = n << 8 | bytes[at++];
                return n;
            }

            int Count(ref int at, int width, int least)
            {
                ulong n = Number(ref at, width);
                // Each element takes `least` bytes or more, so that a forged count allocates nothing.
                if (n * (ulong)least > (ulong)(size - at)) throw Fault("the value is cut off");
                return (int)n;
            }

            string Text(ref int at, int count)
            {
                if (count > size - at) throw Fault("the value is cut off");
                at += count;
                return Utf8.GetString(bytes, at - count, count);
            }

            byte[] Binary(ref int at, int count)
            {
                var made = new byte[count];
                Buffer.BlockCopy(bytes, at, made, 0, count);
                at += count;
                return made;
            }

            object List(ref int at, int count, int depth)
            {
                if (count > size - at) throw Fault("the value is cut off");
                var list = new List<object>(count);
                for (int i = 0; i < count; i++) list.Add(Read(ref at, depth + 1));
                return list;
            }

            object Map(ref int at, int count, int depth)
            {
                if (count > (size - at) / 2) throw Fault("the value is cut off");
                var map = new Dictionary<string, object>(count);
                for (int i = 0; i < count; i++)
                {
                    var key = Read(ref at, depth + 1) as string;
                    if (key == null) throw Fault("a key of a map is no string");
                    map[key] = Read(ref at, depth + 1);
                }
                return map;
            }

            internal object Read(ref int at, int depth)
            {
                if (depth > DepthMax) throw Fault("nested deeper than " + DepthMax + " containers");
                int code = (int)Number(ref at, 1);
                if (code < 0x80) return (ulong)code;
                if (code < 0x90) return Map(ref at, code & 15, depth);
                if (code < 0xa0) return List(ref at, code & 15, depth);
                if (code < 0xc0) return Text(ref at, code & 31);
                if (code >= 0xe0) return (long)(sbyte)code;
                switch (code)
                {
                    case 0xc0: return null;
                    case 0xc2: return false;
                    case 0xc3: return true;
                    case 0xc4: case 0xc5: case 0xc6: return Binary(ref at, Count(ref at, 1 << code - 0xc4, 1));
                    case 0xca: return (double)BitConverter.ToSingle(BitConverter.GetBytes((uint)Number(ref at, 4)), 0);
                    case 0xcb: return BitConverter.Int64BitsToDouble(unchecked((long)Number(ref at, 8)));
                    case 0xcc: case 0xcd: case 0xce: case 0xcf: return Number(ref at, 1 << code - 0xcc);
                    case 0xd0: return Signed((sbyte)Number(ref at, 1));
                    case 0xd1: return Signed((short)Number(ref at, 2));
                    case 0xd2: return Signed((int)Number(ref at, 4));
                    case 0xd3: return Signed(unchecked((long)Number(ref at, 8)));
                    case 0xd9: case 0xda: case 0xdb: return Text(ref at, Count(ref at, 1 << code - 0xd9, 1));
                    case 0xdc: case 0xdd: return List(ref at, Count(ref at, 2 << code - 0xdc, 1), depth);
                    case 0xde: case 0xdf: return Map(ref at, Count(ref at, 2 << code - 0xde, 2), depth);
                    default: throw Fault("type " + code.ToString("x2") + " is not used by the protocol");
                }
            }

            static object Signed(long n) => n < 0 ? (object)n : (ulong)n;
        }
    }
}
