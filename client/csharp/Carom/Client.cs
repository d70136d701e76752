// A connection to caromd over libcarom. One thread at a time; events are raised inside Poll and calls.

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Carom
{
    /// <summary>Ahead-of-time compilers (IL2CPP) know functions that C calls by an attribute of this name.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type type) { }
    }

    /// <summary>A body's motion at one tick, laid out as in C.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Body
    {
        public ulong Id;
        /// <summary>[m]</summary>
        public double X, Y;
        /// <summary>[rad]</summary>
        public double Angle;
        /// <summary>[m/s]</summary>
        public double Vx, Vy;
        /// <summary>[rad/s]</summary>
        public double W;
    }

    /// <summary>Something that happened in a world. Numbers that its kind does not have are 0.</summary>
    public sealed class WorldEvent
    {
        /// <summary>"begin", "end" …; see PROTOCOL.md.</summary>
        public string Kind;
        /// <summary>The tick whose state first shows it.</summary>
        public ulong Tick;
        public ulong A, B, ShapeA, ShapeB, Joint;
        public Vec2 Point, Normal;
        public double Depth, Speed, Impulse;
        /// <summary>A message's name, its data, and the session and subject that sent it.</summary>
        public string Name;
        public object Data;
        public ulong Session;
        public string Subject;
        /// <summary>The seat of a join or leave, from 1 on; Session and Subject are those that have it.</summary>
        public ulong Seat;

        internal static unsafe WorldEvent From(carom_event* e)
        {
            bool message = e->kind == Constants.CAROM_EVENT_MESSAGE;
            return new WorldEvent
            {
                Kind = NativeValue.Text(e->name), Tick = e->tick, A = e->a, B = e->b, ShapeA = e->shape_a, ShapeB = e->shape_b,
                Joint = e->joint, Point = new Vec2(e->point.x, e->point.y), Normal = new Vec2(e->normal.x, e->normal.y),
                Depth = e->depth, Speed = e->speed, Impulse = e->impulse,
                Name = message ? NativeValue.Text(e->message) : null,
                Data = e->data != IntPtr.Zero ? NativeValue.Take(Native.carom_event_data(e)) : null,
                Session = e->session, Subject = NativeValue.Text(e->subject), Seat = e->seat
            };
        }

        /// <summary>The event in a map of the wire.</summary>
        internal static WorldEvent From(object value)
        {
            var m = value as Dictionary<string, object>;
            return new WorldEvent
            {
                Kind = Tree.Text(m, "kind"), Tick = Tree.UInt(m, "tick"), A = Tree.UInt(m, "a"), B = Tree.UInt(m, "b"),
                ShapeA = Tree.UInt(m, "shape_a"), ShapeB = Tree.UInt(m, "shape_b"), Joint = Tree.UInt(m, "joint"),
                Point = Tree.Vector(m, "point"), Normal = Tree.Vector(m, "normal"), Depth = Tree.Real(m, "depth"),
                Speed = Tree.Real(m, "speed"), Impulse = Tree.Real(m, "impulse"), Name = Tree.Text(m, "name"),
                Data = Tree.Any(m, "data"), Session = Tree.UInt(m, "session"), Subject = Tree.Text(m, "subject"),
                Seat = Tree.UInt(m, "seat")
            };
        }

        /// <summary>The bits 1 &lt;&lt; kind of libcarom.</summary>
        internal static uint Bits(string[] kinds)
        {
            uint bits = 0;
            foreach (string kind in kinds)
            {
                int number = Array.IndexOf(EventKinds.All, kind);
                if (number < 0)
                    throw new CaromException(Codes.InvalidArgument,
                        "events: '" + kind + "' is none of " + string.Join(", ", EventKinds.All));
                bits |= 1u << number;
            }
            return bits;
        }
    }

    /// <summary>The state of a world as a subscription brings it: changed bodies, or all with Full.</summary>
    public sealed class Snapshot
    {
        public ulong Subscription, Epoch, Tick;
        public string World;
        /// <summary>Time of the world [s].</summary>
        public double Time;
        public bool Full;
        public Body[] Bodies;
        /// <summary>Ids that no longer exist, and that left the view.</summary>
        public ulong[] Removed, Left;
        public WorldEvent[] Events;
    }

    /// <summary>What a subscription is to bring; null: the server's default.</summary>
    public sealed class SubscribeOptions
    {
        /// <summary>Snapshots a second; null: the world's hz.</summary>
        public double? Rate;
        /// <summary>"packed" (default), "plain" or "log" (for replicas).</summary>
        public string Encoding = "packed";
        public bool Contacts, Describe;
        /// <summary>x0, y0, x1, y1 [m]; null: the whole world.</summary>
        public double[] Area;
        /// <summary>The body that the area moves with; 0: none.</summary>
        public ulong Follow;
        /// <summary>Kinds of events; null: begin and end.</summary>
        public string[] Events;
    }

    /// <summary>How to connect.</summary>
    public sealed class ConnectOptions
    {
        public string Name = "carom for C#";
        public string Token, Resume;
        /// <summary>Dial again after a lost connection, and resume the session.</summary>
        public bool Reconnect;
        /// <summary>Milliseconds that connecting and calls wait.</summary>
        public int TimeoutMs = 10000;
        /// <summary>For "caroms://": the certificates that are trusted, and the name in the server's.</summary>
        public string CaFile, TlsName;
    }

    /// <summary>A connection to caromd.</summary>
    public sealed unsafe class Client : Caller, IDisposable
    {
        delegate void SnapshotFn(IntPtr client, IntPtr snapshot, IntPtr user);
        delegate void NotificationFn(IntPtr client, IntPtr method, IntPtr args, IntPtr user);
        delegate void ClosedFn(IntPtr client, int status, IntPtr reason, IntPtr user);

        static readonly SnapshotFn OnSnapshot = TellSnapshot;
        static readonly NotificationFn OnNotification = TellNotification;
        static readonly ClosedFn OnClosed = TellClosed;

        IntPtr pointer;
        GCHandle self;
        Exception raised; // exception of an event's function

        /// <summary>Milliseconds that calls wait for their answer.</summary>
        public int TimeoutMs;
        /// <summary>A snapshot of any subscription; views have applied it already.</summary>
        public event Action<Snapshot> SnapshotCame;
        /// <summary>Any other notification: its method and arguments.</summary>
        public event Action<string, Dictionary<string, object>> Notified;
        /// <summary>The connection has ended; null: by Dispose.</summary>
        public event Action<CaromException> Closed;
        internal event Action<IntPtr> Encoded; // a carom_snapshot of encoding log
        internal event Action Disposing;
        internal bool Predicting; // within Prediction.Frame, whose input may not use the client

        Client() { }

        internal IntPtr Pointer
        {
            get
            {
                if (pointer == IntPtr.Zero) throw new ObjectDisposedException("Carom.Client");
                if (Predicting) throw new InvalidOperationException("the input of a prediction must not use the client");
                return pointer;
            }
        }

        /// <summary>Connects to "host:port", or with TLS "caroms://host:port", and says hello.</summary>
        public static Client Connect(string address, ConnectOptions options = null)
        {
            options = options ?? new ConnectOptions();
            carom_error error;
            byte* host = stackalloc byte[256];
            ushort port;
            byte tls;
            fixed (byte* text = NativeValue.Utf8(address))
                NativeValue.Check(Native.carom_url_parse(text, host, (UIntPtr)256, &port, &tls, &error), ref error);
            var client = new Client { TimeoutMs = options.TimeoutMs };
            client.self = GCHandle.Alloc(client);
            carom_options o = Native.carom_options_default();
            o.handlers.user = GCHandle.ToIntPtr(client.self);
            o.handlers.snapshot = Marshal.GetFunctionPointerForDelegate(OnSnapshot);
            o.handlers.notification = Marshal.GetFunctionPointerForDelegate(OnNotification);
            o.handlers.closed = Marshal.GetFunctionPointerForDelegate(OnClosed);
            o.reconnect.on = (byte)(options.Reconnect ? 1 : 0);
            o.tls.on = tls;
            fixed (byte* name = NativeValue.Utf8(options.Name), token = NativeValue.Utf8(options.Token),
                   resume = NativeValue.Utf8(options.Resume), ca = NativeValue.Utf8(options.CaFile), tlsName = NativeValue.Utf8(options.TlsName))
            {
                o.name = name;
                o.token = token;
                o.resume = resume;
                o.tls.ca_file = ca;
                o.tls.name = tlsName;
                IntPtr made;
                int status = Native.carom_connect(host, port, options.TimeoutMs, &o, &made, &error);
                if (status != Constants.CAROM_OK) client.self.Free();
                NativeValue.Check(status, ref error);
                client.pointer = made;
            }
            return client;
        }

        /// <summary>The server's answer to hello.</summary>
        public Dictionary<string, object> Hello => NativeValue.Read(Native.carom_hello(Pointer)) as Dictionary<string, object>;

        public override object Call(string method, Dictionary<string, object> args)
        {
            carom_error error;
            IntPtr tree = NativeValue.Make(args), result = IntPtr.Zero;
            try
            {
                int status;
                fixed (byte* name = NativeValue.Utf8(method))
                    status = Native.carom_call(Pointer, name, tree, TimeoutMs, &result, &error);
                Reraise();
                NativeValue.Check(status, ref error);
                return NativeValue.Read(result);
            }
            finally
            {
                Native.carom_value_free(tree);
                Native.carom_value_free(result);
            }
        }

        /// <summary>Sends a command of a world without waiting for an answer.</summary>
        public void Send(string world, Arguments args)
        {
            carom_error error;
            IntPtr tree = NativeValue.Make(OfWorld(world, args));
            try
            {
                fixed (byte* name = NativeValue.Utf8(args.Method))
                    NativeValue.Check(Native.carom_send(Pointer, name, tree, &error), ref error);
            }
            finally
            {
                Native.carom_value_free(tree);
            }
        }

        /// <summary>Sends and receives what is due and raises events; waits up to `timeoutMs` for something to happen. Once a
        /// frame with 0.</summary>
        public void Poll(int timeoutMs = 0)
        {
            carom_error error;
            int status = Native.carom_poll(Pointer, timeoutMs, &error);
            Reraise();
            NativeValue.Check(status, ref error);
        }

        /// <summary>Polls until `condition` is true; false after `timeoutMs`.</summary>
        public bool Wait(Func<bool> condition, int timeoutMs)
        {
            double end = Native.carom_now() + timeoutMs / 1000.0;
            while (!condition())
            {
                double left = end - Native.carom_now();
                if (left <= 0) return false;
                Poll((int)Math.Min(1000, Math.Ceiling(left * 1000)));
            }
            return true;
        }

        // ---- subscriptions

        delegate int Subscribing(byte* world, carom_subscribe_options* options, ulong* number, carom_error* error);

        ulong With(string world, SubscribeOptions options, Subscribing call)
        {
            options = options ?? new SubscribeOptions();
            carom_error error;
            ulong number;
            carom_subscribe_options o = Native.carom_subscribe_options_default();
            var words = new List<IntPtr>();
            o.rate = options.Rate ?? 0;
            o.contacts = (byte)(options.Contacts ? 1 : 0);
            o.describe = (byte)(options.Describe ? 1 : 0);
            o.follow = options.Follow;
            if (options.Encoding == "log") o.compact = Native.carom_compact(Pointer);
            if (options.Area != null)
            {
                if (options.Area.Length != 4) throw new CaromException(Codes.InvalidArgument, "Area: expected x0, y0, x1, y1");
                o.has_area = 1;
                for (int i = 0; i < 4; i++) o.area[i] = options.Area[i];
            }
            try
            {
                foreach (string kind in options.Events ?? new string[0])
                {
                    byte[] text = NativeValue.Utf8(kind);
                    IntPtr copy = Marshal.AllocHGlobal(text.Length);
                    Marshal.Copy(text, 0, copy, text.Length);
                    words.Add(copy);
                }
                IntPtr[] kinds = words.ToArray();
                int status;
                fixed (IntPtr* list = kinds.Length > 0 ? kinds : new IntPtr[1])
                fixed (byte* name = NativeValue.Utf8(world), encoding = NativeValue.Utf8(options.Encoding))
                {
                    o.encoding = encoding;
                    o.events = options.Events != null ? (byte**)list : null;
                    o.event_count = (UIntPtr)kinds.Length;
                    status = call(name, &o, &number, &error);
                }
                Reraise();
                NativeValue.Check(status, ref error);
                return number;
            }
            finally
            {
                foreach (IntPtr copy in words) Marshal.FreeHGlobal(copy);
            }
        }

        /// <summary>Subscribes to a world: snapshots raise SnapshotCame. Returns the subscription's number.</summary>
        public ulong Subscribe(string world, SubscribeOptions options = null)
        {
            return With(world, options, (name, o, number, error) => Native.carom_subscribe(Pointer, name, o, TimeoutMs, number, error));
        }

        /// <summary>Subscribes to a world, and returns a view that always shows its newest state.</summary>
        public View Watch(string world, SubscribeOptions options = null, Interpolation interpolation = Interpolation.None)
        {
            var view = new View(interpolation);
            try
            {
                With(world, options,
                     (name, o, number, error) => Native.carom_watch(Pointer, name, o, view.Pointer, TimeoutMs, number, error));
            }
            catch
            {
                view.Dispose();
                throw;
            }
            return view;
        }

        public void Unsubscribe(ulong subscription)
        {
            carom_error error;
            NativeValue.Check(Native.carom_unsubscribe(Pointer, subscription, TimeoutMs, &error), ref error);
        }

        // Ends a subscription, which may have ended already, as the connection may.
        internal void EndQuietly(ulong subscription)
        {
            if (pointer != IntPtr.Zero) Native.carom_unsubscribe(pointer, subscription, TimeoutMs, null);
        }

        /// <summary>Closes the connection, and its predictions. Views and replicas stay as they are.</summary>
        public void Dispose()
        {
            if (pointer == IntPtr.Zero) return;
            Disposing?.Invoke();
            IntPtr old = pointer;
            pointer = IntPtr.Zero;
            Native.carom_free(old);
            self.Free();
        }

        // ---- called by C: no exception may pass through it

        void Reraise()
        {
            Exception old = raised;
            raised = null;
            if (old != null) throw new InvalidOperationException("a function of an event failed: " + old.Message, old);
        }

        static void Guarded(IntPtr user, Action<Client> action)
        {
            var client = (Client)GCHandle.FromIntPtr(user).Target;
            try
            {
                action(client);
            }
            catch (Exception error)
            {
                client.raised = client.raised ?? error;
            }
        }

        [MonoPInvokeCallback(typeof(SnapshotFn))]
        static void TellSnapshot(IntPtr pointer, IntPtr snapshot, IntPtr user)
        {
            Guarded(user, client =>
            {
                var s = (carom_snapshot*)snapshot;
                if (s->log != 0)
                    client.Encoded?.Invoke(snapshot);
                else
                    client.SnapshotCame?.Invoke(Read(s));
            });
        }

        [MonoPInvokeCallback(typeof(NotificationFn))]
        static void TellNotification(IntPtr pointer, IntPtr method, IntPtr args, IntPtr user)
        {
            Guarded(user, client => client.Notified?.Invoke(NativeValue.Text((byte*)method),
                                                            NativeValue.Read(args) as Dictionary<string, object>));
        }

        [MonoPInvokeCallback(typeof(ClosedFn))]
        static void TellClosed(IntPtr pointer, int status, IntPtr reason, IntPtr user)
        {
            Guarded(user, client => client.Closed?.Invoke(
                status != Constants.CAROM_OK ? NativeValue.Error(status, NativeValue.Text((byte*)reason)) : null));
        }

        static ulong[] Ids(ulong* ids, UIntPtr count)
        {
            var made = new ulong[(int)count];
            for (int i = 0; i < made.Length; i++) made[i] = ids[i];
            return made;
        }

        static Snapshot Read(carom_snapshot* s)
        {
            var made = new Snapshot
            {
                Subscription = s->subscription, Epoch = s->epoch, Tick = s->tick, World = NativeValue.Text(s->world), Time = s->time,
                Full = s->full != 0, Bodies = new Body[(int)s->body_count], Removed = Ids(s->removed, s->removed_count),
                Left = Ids(s->leave, s->leave_count), Events = new WorldEvent[(int)s->event_count]
            };
            for (int i = 0; i < made.Bodies.Length; i++) made.Bodies[i] = ((Body*)s->bodies)[i];
            for (int i = 0; i < made.Events.Length; i++) made.Events[i] = WorldEvent.From(&s->events[i]);
            return made;
        }
    }
}
