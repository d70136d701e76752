// Worlds of the server's engine in this process, and exact copies of a server's, over libcarom-replica.

using System;
using System.Collections.Generic;

namespace Carom
{
    /// <summary>A world without a server: the same methods, and the same bits for the same commands.</summary>
    public sealed unsafe class LocalWorld : Caller, IDisposable
    {
        IntPtr pointer;

        LocalWorld(IntPtr pointer) { this.pointer = pointer; }

        /// <summary>Makes a world. `settings` are those of world.create; only the physics settings are used.</summary>
        public LocalWorld(WorldCreate settings = null)
        {
            carom_error error;
            IntPtr tree = NativeValue.Make((settings ?? new WorldCreate()).ToMap()), made = IntPtr.Zero;
            try
            {
                NativeValue.Check(Native.carom_local_create(tree, &made, &error), ref error);
            }
            finally
            {
                Native.carom_value_free(tree);
            }
            pointer = made;
        }

        /// <summary>The world of an image, from Image() or world.image.</summary>
        public static LocalWorld FromImage(byte[] image)
        {
            carom_error error;
            IntPtr made;
            fixed (byte* bytes = image.Length > 0 ? image : new byte[1])
                NativeValue.Check(Native.carom_local_restore((IntPtr)bytes, (UIntPtr)image.Length, &made, &error), ref error);
            return new LocalWorld(made);
        }

        IntPtr Pointer
        {
            get
            {
                if (pointer == IntPtr.Zero) throw new ObjectDisposedException("Carom.LocalWorld");
                return pointer;
            }
        }

        public override object Call(string method, Dictionary<string, object> args)
        {
            carom_error error;
            IntPtr tree = NativeValue.Make(args), result = IntPtr.Zero;
            try
            {
                fixed (byte* name = NativeValue.Utf8(method))
                    NativeValue.Check(Native.carom_local_call(Pointer, name, tree, &result, &error), ref error);
                return NativeValue.Read(result);
            }
            finally
            {
                Native.carom_value_free(tree);
                Native.carom_value_free(result);
            }
        }

        /// <summary>Calls a method that changes or reads the world.</summary>
        public new T Call<T>(Arguments<T> args)
        {
            if (!args.Local) throw new CaromException(Codes.UnknownMethod, args.Method + " is for servers, not for local worlds");
            return args.Read(Call(args.Method, args.ToMap()));
        }

        /// <summary>Advances by `ticks`, 0 to 1 000 000.</summary>
        public void Step(ulong ticks = 1)
        {
            carom_error error;
            NativeValue.Check(Native.carom_local_step(Pointer, ticks, &error), ref error);
        }

        public ulong Tick => Native.carom_local_now(Pointer).tick;
        /// <summary>Equal worlds have equal hashes.</summary>
        public ulong Hash => Native.carom_local_now(Pointer).hash;

        /// <summary>Copies all bodies into `bodies`, which grows as needed; returns their number.</summary>
        public int CopyTo(ref Body[] bodies)
        {
            int count = (int)Native.carom_local_bodies(Pointer, null, UIntPtr.Zero);
            if (bodies == null || bodies.Length < count) bodies = new Body[count + count / 2 + 16];
            fixed (Body* p = bodies) Native.carom_local_bodies(Pointer, (carom_body*)p, (UIntPtr)bodies.Length);
            return count;
        }

        /// <summary>Keeps events of these kinds from now on; initially none.</summary>
        public void WantEvents(params string[] kinds) => Native.carom_local_want_events(Pointer, WorldEvent.Bits(kinds));

        /// <summary>Takes the events of the steps since the last call.</summary>
        public List<WorldEvent> Events()
        {
            var made = new List<WorldEvent>();
            carom_event e;
            while (Native.carom_local_events(Pointer, &e, (UIntPtr)1) == (UIntPtr)1) made.Add(WorldEvent.From(&e));
            return made;
        }

        /// <summary>The state as bytes.</summary>
        public byte[] Image()
        {
            carom_error error;
            IntPtr bytes;
            UIntPtr size;
            NativeValue.Check(Native.carom_local_save(Pointer, &bytes, &size, &error), ref error);
            byte[] made = NativeValue.Copy(bytes, (int)size);
            Native.carom_replica_free_bytes(bytes);
            return made;
        }

        /// <summary>Another world of the same state and future.</summary>
        public LocalWorld Fork()
        {
            carom_error error;
            IntPtr made;
            NativeValue.Check(Native.carom_local_fork(Pointer, &made, &error), ref error);
            return new LocalWorld(made);
        }

        public void Dispose()
        {
            IntPtr old = pointer;
            pointer = IntPtr.Zero;
            if (old != IntPtr.Zero) Native.carom_local_free(old);
        }
    }

    /// <summary>An exact copy of a server's world, which steps the same engine by the world's log. Prediction builds on it.</summary>
    public sealed unsafe class Replica : IDisposable
    {
        readonly Client client;
        readonly ulong subscription;
        IntPtr pointer;
        Prediction prediction;

        /// <summary>Subscribes to a world's log and follows it while the client polls.</summary>
        public Replica(Client client, string world)
        {
            this.client = client;
            pointer = Native.carom_replica_create();
            if (pointer == IntPtr.Zero) throw new CaromException(Codes.OutOfMemory, "no memory for a replica");
            var early = new List<KeyValuePair<ulong, byte[]>>(); // before the subscription's number is known
            Action<IntPtr> keep = s => early.Add(new KeyValuePair<ulong, byte[]>(((carom_snapshot*)s)->subscription,
                NativeValue.Copy(((carom_snapshot*)s)->encoded, (int)((carom_snapshot*)s)->encoded_size)));
            client.Encoded += keep;
            try
            {
                subscription = client.Subscribe(world, new SubscribeOptions { Encoding = "log" });
            }
            finally
            {
                client.Encoded -= keep;
            }
            foreach (var record in early)
                if (record.Key == subscription) Feed(record.Value);
            client.Encoded += Take;
        }

        internal IntPtr Pointer
        {
            get
            {
                if (pointer == IntPtr.Zero) throw new ObjectDisposedException("Carom.Replica");
                return pointer;
            }
        }

        internal Prediction Prediction { set { prediction = value; } }

        void Take(IntPtr snapshot)
        {
            var s = (carom_snapshot*)snapshot;
            if (s->subscription != subscription || pointer == IntPtr.Zero) return;
            if (prediction != null) prediction.Feed(snapshot);
            else Feed(NativeValue.Copy(s->encoded, (int)s->encoded_size));
        }

        void Feed(byte[] record)
        {
            carom_error error;
            fixed (byte* bytes = record)
                NativeValue.Check(Native.carom_replica_feed(Pointer, (IntPtr)bytes, (UIntPtr)record.Length, &error), ref error);
        }

        public bool Ready => Native.carom_replica_now(Pointer).ready != 0;
        public ulong Tick => Native.carom_replica_now(Pointer).tick;
        public ulong Hash => Native.carom_replica_now(Pointer).hash;
        /// <summary>Hashes compared so far; all equal the hashes of the server.</summary>
        public ulong Verified => Native.carom_replica_now(Pointer).verified;

        /// <summary>Calls a reading method on the copy, without a round trip.</summary>
        public T Call<T>(Arguments<T> args)
        {
            carom_error error;
            IntPtr tree = NativeValue.Make(args.ToMap()), result = IntPtr.Zero;
            try
            {
                fixed (byte* name = NativeValue.Utf8(args.Method))
                    NativeValue.Check(Native.carom_replica_call(Pointer, name, tree, &result, &error), ref error);
                return args.Read(NativeValue.Read(result));
            }
            finally
            {
                Native.carom_value_free(tree);
                Native.carom_value_free(result);
            }
        }

        /// <summary>Copies all bodies into `bodies`, which grows as needed; returns their number.</summary>
        public int CopyTo(ref Body[] bodies)
        {
            int count = (int)Native.carom_replica_bodies(Pointer, null, UIntPtr.Zero);
            if (bodies == null || bodies.Length < count) bodies = new Body[count + count / 2 + 16];
            fixed (Body* p = bodies) Native.carom_replica_bodies(Pointer, (carom_body*)p, (UIntPtr)bodies.Length);
            return count;
        }

        /// <summary>Frees the replica, and ends its prediction.</summary>
        public void Dispose()
        {
            prediction?.Dispose();
            client.Encoded -= Take;
            IntPtr old = pointer;
            pointer = IntPtr.Zero;
            if (old == IntPtr.Zero) return;
            Native.carom_replica_free(old);
            client.EndQuietly(subscription);
        }
    }
}
