// Values of the protocol: vectors, ids, maps of arguments, batches, and readers of answers.
//
// A value is null, bool, long, ulong, double, string, byte[], List<object> or Dictionary<string, object>; arguments may
// also be other numbers and arrays.

using System;
using System.Collections;
using System.Collections.Generic;

namespace Carom
{
    /// <summary>A point or a direction [m, m/s …].</summary>
    public struct Vec2 : IEquatable<Vec2>
    {
        public double X, Y;

        public Vec2(double x, double y)
        {
            X = x;
            Y = y;
        }

        public bool Equals(Vec2 other) => X == other.X && Y == other.Y;
        public override bool Equals(object other) => other is Vec2 && Equals((Vec2)other);
        public override int GetHashCode() => X.GetHashCode() * 31 ^ Y.GetHashCode();
        public override string ToString() => FormattableString.Invariant($"[{X}, {Y}]");
    }

    /// <summary>A body, shape or joint; in a batch also what an earlier command makes.</summary>
    public struct Id
    {
        public readonly ulong Number;
        /// <summary>Number is the index of a command of the same batch.</summary>
        public readonly bool IsReference;

        internal Id(ulong number, bool isReference)
        {
            Number = number;
            IsReference = isReference;
        }

        public static implicit operator Id(ulong number) => new Id(number, false);

        internal object Value =>
            IsReference ? new Dictionary<string, object> { { "$", Number } } : (object)Number;
    }

    /// <summary>An error of a call or a connection, with the protocol's code and a text that says what was wrong.</summary>
    public sealed class CaromException : Exception
    {
        /// <summary>The protocol's word, such as Codes.NotFound.</summary>
        public string Code { get; }
        public string Text { get; }
        /// <summary>The server sent it; false: found on this side.</summary>
        public bool FromServer { get; }
        /// <summary>For a request whose answer was lost with the connection: whether it took effect; null: not known.</summary>
        public bool? Applied { get; }

        public CaromException(string code, string text, bool fromServer = false, bool? applied = null) : base(code + ": " + text)
        {
            Code = code;
            Text = text;
            FromServer = fromServer;
            Applied = applied;
        }

        /// <summary>The exception for an error of the wire, "code: text for a person".</summary>
        internal static CaromException FromWire(object error)
        {
            var text = error as string ?? "internal: the server's error is no text";
            int colon = text.IndexOf(": ", StringComparison.Ordinal);
            bool known = colon > 0 && Array.IndexOf(Codes.All, text.Substring(0, colon)) > 0;
            return known ? new CaromException(text.Substring(0, colon), text.Substring(colon + 2), true)
                         : new CaromException(Codes.Internal, text, true);
        }
    }

    /// <summary>A map of named arguments; members that are null are left out.</summary>
    public abstract class ArgumentMap
    {
        internal abstract void Write(Dictionary<string, object> map);

        internal virtual Dictionary<string, object> ToMap()
        {
            var map = new Dictionary<string, object>();
            Write(map);
            return map;
        }

        internal static void Put(Dictionary<string, object> map, string name, Id? id)
        {
            if (id.HasValue) map[name] = id.Value.Value;
        }

        internal static void Put(Dictionary<string, object> map, string name, object value)
        {
            if (value != null) map[name] = value;
        }
    }

    /// <summary>A shape: Circle, Box, Polygon and others.</summary>
    public abstract class Shape : ArgumentMap
    {
        internal abstract string Kind { get; }

        internal override Dictionary<string, object> ToMap()
        {
            var map = base.ToMap();
            map["kind"] = Kind;
            return map;
        }
    }

    /// <summary>The arguments of a method.</summary>
    public abstract class Arguments : ArgumentMap
    {
        internal abstract string Method { get; }
        internal abstract bool OfWorld { get; }
        internal abstract bool InBatch { get; }
        internal abstract bool Local { get; }
    }

    /// <summary>The arguments of a method that answers T.</summary>
    public abstract class Arguments<T> : Arguments
    {
        internal abstract T Read(object answer);
    }

    /// <summary>Commands that take effect in one tick, all of them or none.</summary>
    public sealed class Batch
    {
        /// <summary>The most commands of a batch, by the protocol.</summary>
        public const int CommandsMax = 1000;

        readonly List<object> commands = new List<object>();

        internal List<object> Commands => commands;
        public int Count => commands.Count;

        /// <summary>Adds a command and returns a reference to what it makes, for later commands of this batch.</summary>
        public Id Add(Arguments command)
        {
            if (!command.InBatch)
                throw new CaromException(Codes.InvalidArgument, command.Method + " may not stand in a batch");
            if (commands.Count == CommandsMax)
                throw new CaromException(Codes.LimitExceeded, "a batch has at most " + CommandsMax + " commands");
            commands.Add(new List<object> { command.Method, command.ToMap() });
            return new Id((ulong)(commands.Count - 1), true);
        }

        /// <summary>The id that the command of `reference` made, from the answer of WorldApply; 0: none.</summary>
        public static ulong Made(BatchResult answer, Id reference)
        {
            var results = answer.Results as List<object>;
            var made = results != null && (int)reference.Number < results.Count
                ? results[(int)reference.Number] as Dictionary<string, object> : null;
            foreach (var key in new[] { "body", "shape", "joint" })
                if (made != null && made.ContainsKey(key)) return Tree.UInt(made, key);
            return 0;
        }
    }

    /// <summary>Something that calls methods: a client, a world of its own.</summary>
    public abstract class Caller
    {
        /// <summary>Calls any method by its name.</summary>
        public abstract object Call(string method, Dictionary<string, object> args);

        /// <summary>Calls a method that names no world.</summary>
        public T Call<T>(Arguments<T> args)
        {
            if (args.OfWorld) throw new CaromException(Codes.InvalidArgument, args.Method + " needs a world: Call(world, arguments)");
            return args.Read(Call(args.Method, args.ToMap()));
        }

        /// <summary>Calls a method of a world.</summary>
        public T Call<T>(string world, Arguments<T> args)
        {
            return args.Read(Call(args.Method, OfWorld(world, args)));
        }

        internal static Dictionary<string, object> OfWorld(string world, Arguments args)
        {
            if (!args.OfWorld) throw new CaromException(Codes.InvalidArgument, args.Method + " names no world");
            var map = args.ToMap();
            map["world"] = world;
            return map;
        }
    }

    /// <summary>Readers of answers. An absent or wrong value reads as 0, null or an empty array.</summary>
    public static class Tree
    {
        public static object Any(Dictionary<string, object> map, string key)
        {
            object value;
            return map != null && map.TryGetValue(key, out value) ? value : null;
        }

        static double ToReal(object value)
        {
            return value is double ? (double)value : value is long ? (long)value : value is ulong ? (ulong)value : 0.0;
        }

        /// <summary>An answer that is a list, or a map with it and more.</summary>
        internal static object Alone(object answer, string key)
        {
            return answer is List<object> ? answer : Any(answer as Dictionary<string, object>, key);
        }

        internal static ulong ToUInt(object value)
        {
            return value is ulong ? (ulong)value : value is long && (long)value >= 0 ? (ulong)(long)value : 0;
        }

        public static ulong UInt(Dictionary<string, object> map, string key) => ToUInt(Any(map, key));

        public static long Int(Dictionary<string, object> map, string key)
        {
            object value = Any(map, key);
            return value is long ? (long)value : value is ulong && (ulong)value <= long.MaxValue ? (long)(ulong)value : 0;
        }

        /// <summary>64 bits, which the server writes as a signed number.</summary>
        public static ulong Mask(Dictionary<string, object> map, string key)
        {
            object value = Any(map, key);
            return value is long ? unchecked((ulong)(long)value) : ToUInt(value);
        }

        public static double Real(Dictionary<string, object> map, string key) => ToReal(Any(map, key));
        public static bool Bool(Dictionary<string, object> map, string key) => Any(map, key) is bool && (bool)Any(map, key);
        public static string Text(Dictionary<string, object> map, string key) => Any(map, key) as string;
        public static byte[] Bytes(Dictionary<string, object> map, string key) => Any(map, key) as byte[];
        public static Dictionary<string, object> Map(Dictionary<string, object> map, string key) =>
            Any(map, key) as Dictionary<string, object>;

        static Vec2 ToVector(object value)
        {
            var list = value as List<object>;
            return list != null && list.Count == 2 ? new Vec2(ToReal(list[0]), ToReal(list[1])) : new Vec2();
        }

        public static Vec2 Vector(Dictionary<string, object> map, string key) => ToVector(Any(map, key));
        public static Vec2[] Vectors(Dictionary<string, object> map, string key) => List(Any(map, key), ToVector);
        public static double[] Reals(Dictionary<string, object> map, string key) => List(Any(map, key), ToReal);
        public static ulong[] UInts(Dictionary<string, object> map, string key) => List(Any(map, key), ToUInt);
        public static string[] Texts(Dictionary<string, object> map, string key) => List(Any(map, key), value => value as string);

        internal static T[] List<T>(object value, Func<object, T> read)
        {
            var list = value as List<object>;
            var made = new T[list != null ? list.Count : 0];
            for (int i = 0; i < made.Length; i++) made[i] = read(list[i]);
            return made;
        }

        internal static Dictionary<string, T> Table<T>(object value, Func<object, T> read)
        {
            var made = new Dictionary<string, T>();
            var map = value as Dictionary<string, object>;
            if (map != null)
                foreach (var pair in map) made[pair.Key] = read(pair.Value);
            return made;
        }

        /// <summary>Arguments as one of the types of a value.</summary>
        internal static object Plain(object value)
        {
            if (value is int || value is short || value is sbyte) return Convert.ToInt64(value);
            if (value is uint || value is ushort || value is byte) return Convert.ToUInt64(value);
            if (value is float) return (double)(float)value;
            if (value is Vec2) return new List<object> { ((Vec2)value).X, ((Vec2)value).Y };
            if (value is Id) return ((Id)value).Value;
            if (value is ArgumentMap) return ((ArgumentMap)value).ToMap();
            if (value is Batch) return ((Batch)value).Commands;
            if (value is Array && !(value is byte[]))
            {
                var list = new List<object>();
                foreach (object element in (IEnumerable)value) list.Add(element);
                return list;
            }
            return value;
        }
    }
}
