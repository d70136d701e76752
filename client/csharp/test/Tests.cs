// The tests of the assembly, by a plain runner: Tests.exe TCP_PORT HTTP_PORT LAYOUT [NAME].
//
// LAYOUT is the output of the program that proto/generate/headers.py writes: the structs as a C compiler lays them out. Each
// public method of Tests is a test; one whose name has NAME in it runs alone.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Carom;

class Failed : Exception
{
    public Failed(string text) : base(text) { }
}

static class Check
{
    public const int PatienceMs = 240000;

    public static void Equal<T>(T expected, T got, string what = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, got)) throw new Failed(what + ": expected " + expected + ", got " + got);
    }

    public static void True(bool condition, string what)
    {
        if (!condition) throw new Failed(what);
    }

    public static void Near(double expected, double got, double by, string what)
    {
        if (!(Math.Abs(expected - got) <= by)) throw new Failed(what + ": expected " + expected + ", got " + got);
    }

    public static CaromException Refused(string code, Action action, string text = "")
    {
        try
        {
            action();
        }
        catch (CaromException error)
        {
            Equal(code, error.Code, error.Text);
            True(error.Text.Contains(text), "'" + error.Text + "' does not contain '" + text + "'");
            return error;
        }
        throw new Failed("no error; expected " + code);
    }

    public static void Throws<T>(Action action) where T : Exception
    {
        try
        {
            action();
        }
        catch (T error)
        {
            Equal(typeof(T), error.GetType(), error.Message);
            return;
        }
        throw new Failed("no error; expected " + typeof(T).Name);
    }
}

class Tests
{
    public static int Port, HttpPort;
    public static string Layout;
    static int worlds;

    static Client Connect(bool reconnect = false)
    {
        return Client.Connect("127.0.0.1:" + Port, new ConnectOptions { TimeoutMs = Check.PatienceMs, Reconnect = reconnect });
    }

    static string NewWorld(Client client, bool paused = true, Vec2? gravity = null)
    {
        string world = "cs-" + ++worlds;
        client.Call(world, new WorldCreate { Paused = paused, Gravity = gravity ?? new Vec2(0, -10) });
        client.Call(world, new BodySpawn { Type = "static", Shapes = new Shape[] { new Box { Size = new Vec2(20, 1) } } });
        return world;
    }

    static BodySpawn Ball(double y)
    {
        return new BodySpawn { Position = new Vec2(0, y), Shapes = new Shape[] { new Circle { Radius = 0.5 } }, Tag = "ball" };
    }

    // ---- the interface to C

    public void StructsAreLaidOutAsInC()
    {
        int checks = 0;
        var constants = typeof(Constants).GetFields(BindingFlags.Static | BindingFlags.NonPublic).ToDictionary(f => f.Name);
        foreach (string line in Layout.Split('\n').Where(l => l.Length > 0))
        {
            string[] words = line.Split(' ');
            long value = long.Parse(words[2]);
            string[] names = words[1].Split('.');
            Type type = Native.Structs.FirstOrDefault(t => t.Name == names[0]);
            if (words[0] == "value") Check.Equal(value, Convert.ToInt64(constants[words[1]].GetRawConstantValue()), words[1]);
            else if (words[0] == "size") Check.Equal(value, (long)Marshal.SizeOf(type), words[1]);
            else
            {
                string field = type.GetField(names[1]) != null ? names[1] : names[1] + "0";
                int copies = field == names[1] ? 1 : type.GetFields().Count(f => Regex.IsMatch(f.Name, "^" + names[1] + "[0-9]+$"));
                Type kind = type.GetField(field).FieldType;
                long got = words[0] == "offset" ? (long)Marshal.OffsetOf(type, field)
                                                : copies * (kind.IsPointer ? IntPtr.Size : Marshal.SizeOf(kind));
                Check.Equal(value, got, words[0] + " of " + words[1]);
            }
            checks++;
        }
        Check.True(checks > 700, "only " + checks + " lines of layout");
    }

    public void WordsStandAtTheNumbersOfC()
    {
        var constants = typeof(Constants).GetFields(BindingFlags.Static | BindingFlags.NonPublic)
            .ToDictionary(f => f.Name, f => Convert.ToInt64(f.GetRawConstantValue()));
        for (int i = 0; i < Codes.All.Length; i++) Check.Equal(i, constants["CAROM_" + Codes.All[i].ToUpperInvariant()], Codes.All[i]);
        for (int i = 0; i < EventKinds.All.Length; i++)
            Check.Equal(i, constants["CAROM_EVENT_" + EventKinds.All[i].ToUpperInvariant()], EventKinds.All[i]);
    }

    // ---- MessagePack

    static string Show(object value)
    {
        if (value is byte[]) return "bin " + BitConverter.ToString((byte[])value);
        if (value is List<object>) return "[" + string.Join(", ", ((List<object>)value).Select(Show)) + "]";
        if (value is Dictionary<string, object>)
            return "{" + string.Join(", ", ((Dictionary<string, object>)value).Select(p => p.Key + ": " + Show(p.Value))) + "}";
        return value == null ? "nil" : value.GetType().Name + " " + Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture);
    }

    static readonly object[] Values =
    {
        null, true, false, 0UL, 127UL, 128UL, 255UL, 256UL, 65535UL, 65536UL, uint.MaxValue, 1UL << 32, ulong.MaxValue, -1L, -32L, -33L,
        -129L, -40000L, long.MinValue, 0.5, -1e300, double.PositiveInfinity, "", "ä", new string('x', 31), new string('x', 32),
        new string('x', 256), new string('x', 70000), new byte[0], new byte[255], new byte[256], new byte[70000],
    };

    static Dictionary<string, object> Everything()
    {
        var list = new List<object>(Values.Select(v => v is uint ? (object)(ulong)(uint)v : v));
        var longList = new List<object>();
        for (int i = 0; i < 70000; i++) longList.Add(null);
        var map = new Dictionary<string, object>();
        for (int i = 0; i < 20; i++) map["key " + i] = (ulong)i;
        return new Dictionary<string, object> { { "list", list }, { "long", longList }, { "map", map }, { "", new List<object>() } };
    }

    public void ValuesSurviveMessagePack()
    {
        Check.Equal(Show(Everything()), Show(MsgPack.Unpack(MsgPack.Pack(Everything()))));
        byte[] known = MsgPack.Pack(new Dictionary<string, object> { { "a", new[] { 1.5 } }, { "b", -2 } });
        Check.Equal("82-A1-61-91-CB-3F-F8-00-00-00-00-00-00-A1-62-FE", BitConverter.ToString(known));
        byte[] others = { 0x96, 0xd0, 0xfe, 0xd1, 0xff, 0x00, 0xd2, 0xff, 0xff, 0xff, 0xfe, 0xca, 0x3f, 0x00, 0x00, 0x00, 0xd0, 0x05, 0xd9, 0x01, 0x61 };
        Check.Equal("[Int64 -2, Int64 -256, Int64 -2, Double 0.5, UInt64 5, String a]", Show(MsgPack.Unpack(others)));
    }

    public void ValuesSurviveTheWayThroughC()
    {
        IntPtr tree = NativeValue.Make(Everything());
        Check.Equal(Show(Everything()), Show(NativeValue.Take(tree)));
        Check.Refused(Codes.InvalidArgument, () => NativeValue.Make(new Dictionary<string, object> { { "a", new object[] { DateTime.Now } } }),
                      "DateTime is no type");
    }

    public void BrokenBytesAreRefused()
    {
        byte[] whole = MsgPack.Pack(Everything());
        for (int size = 0; size < 600; size++) Check.Refused(Codes.Internal, () => MsgPack.Unpack(whole.Take(size).ToArray()), "MessagePack: ");
        foreach (string forged in new[] { "DDFFFFFFFF", "DFFFFFFFFF", "C6FFFFFFFF", "DBFFFFFFFF", "DD7FFFFFFF", "C1", "D40100", "8101C0", "C0C0" })
        {
            byte[] bytes = Enumerable.Range(0, forged.Length / 2).Select(i => Convert.ToByte(forged.Substring(2 * i, 2), 16)).ToArray();
            Check.Refused(Codes.Internal, () => MsgPack.Unpack(bytes), "MessagePack: ");
        }
        Check.Refused(Codes.Internal, () => MsgPack.Unpack(Enumerable.Repeat((byte)0x91, 100000).ToArray()), "nested deeper");
        object deep = null;
        for (int i = 0; i < 40; i++) deep = new List<object> { deep };
        Check.Refused(Codes.InvalidArgument, () => MsgPack.Pack(deep), "nested deeper");
        Check.Refused(Codes.InvalidArgument, () => NativeValue.Make(deep), "nested deeper");
    }

    // ---- libcarom

    public void MethodsAreTyped()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client);
            SpawnResult ball = client.Call(world, Ball(9));
            client.Call(world, new WorldStep { Ticks = 60 });
            BodyGetResult body = client.Call(world, new BodyGet { Body = ball.Body });
            Check.Near(-10, body.Velocity.Y, 1e-3, "velocity");
            Check.Equal("dynamic", body.Type);
            Check.Equal("ball", body.Tag);
            WorldInfoResult info = client.Call(world, new WorldInfo());
            Check.Equal(60UL, info.Tick);
            HitResult[] hits = client.Call(world, new QueryRay { From = new Vec2(5, -9), To = new Vec2(5, 9), All = true });
            Check.Equal(1UL, hits.Single().Body, "the floor is hit");
            hits = client.Call(world, new QueryRay { From = new Vec2(5, -9), To = new Vec2(5, 9), At = 60 });
            Check.Equal(1UL, hits.Single().Body, "in the past, too");
            ulong[] found = client.Call(world, new QueryOverlap { Area = new[] { -30.0, -30, 30, 30 } });
            Check.Equal(2, found.Length, "bodies in the area");
            Check.True(client.Call(new WorldList()).Any(w => w.World == world), "world.list has the world");
            Check.Equal("admin", client.Hello["role"] as string);
            Check.True(client.Call("ping", new Dictionary<string, object> { { "any", 5 } }) is Dictionary<string, object>, "ping by name");
        }
    }

    public void ErrorsHaveCodeAndText()
    {
        using (Client client = Connect())
        {
            CaromException error = Check.Refused(Codes.NotFound, () => client.Call("nowhere", new WorldInfo()), "nowhere");
            Check.True(error.FromServer, "from the server");
            string world = NewWorld(client);
            Check.Refused(Codes.InvalidArgument, () => client.Call(world, new BodySpawn { Shapes = new Shape[] { new Circle { Radius = -1 } } }),
                          "shapes[0].radius");
            Check.Refused(Codes.AlreadyExists, () => client.Call(world, new WorldCreate()));
            Check.Refused(Codes.UnknownMethod, () => client.Call("body.fly", new Dictionary<string, object>()));
            Check.Refused(Codes.InvalidArgument, () => client.Call(new BodyGet { Body = 1 }), "body.get needs a world");
            Check.Refused(Codes.InvalidArgument, () => client.Call(world, new ServerInfo()), "server.info names no world");
            Check.Refused(Codes.InvalidArgument, () => client.Watch(world, new SubscribeOptions { Area = new double[3] }), "x0, y0, x1, y1");
        }
        Check.Refused(Codes.Unavailable, () => Client.Connect("127.0.0.1:1"));
        Check.Refused(Codes.InvalidArgument, () => Client.Connect("127.0.0.1:port"));
    }

    public void BatchesAreAppliedAsAWhole()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client);
            var batch = new Batch();
            Id hook = batch.Add(new BodySpawn { Type = "static", Position = new Vec2(0, 5), Shapes = new Shape[0] });
            Id bob = batch.Add(Ball(3));
            Id rope = batch.Add(new JointCreate { Kind = "distance", A = hook, B = bob });
            BatchResult answer = client.Call(world, new WorldApply { Commands = batch });
            JointGetResult joint = client.Call(world, new JointGet { Joint = Batch.Made(answer, rope) });
            Check.Equal(Batch.Made(answer, bob), joint.B);
            Check.Refused(Codes.InvalidArgument, () => batch.Add(new WorldPause()), "world.pause may not stand in a batch");
            for (int i = batch.Count; i < Batch.CommandsMax; i++) batch.Add(new BodyRemove { Body = 1 });
            Check.Refused(Codes.LimitExceeded, () => batch.Add(new BodyRemove { Body = 1 }), "1000");
        }
    }

    public void SnapshotsAndEventsCome()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client);
            ulong ball = client.Call(world, Ball(1.5)).Body;
            var seen = new List<Snapshot>();
            client.SnapshotCame += seen.Add;
            ulong subscription = client.Subscribe(world, new SubscribeOptions { Encoding = "plain", Events = new[] { "begin", "message" } });
            client.Call(world, new WorldStep { Ticks = 60 });
            client.Call(world, new MessageSend { Name = "hi", Data = new Dictionary<string, object> { { "x", 1 } } });
            client.Call(world, new WorldStep { Ticks = 1 });
            Check.True(client.Wait(() => seen.Any(s => s.Events.Any(e => e.Kind == "message")), Check.PatienceMs), "a message");
            Check.True(seen[0].Full && seen[0].World == world && seen[0].Bodies.Any(b => b.Id == ball && b.Y == 1.5), "the first is full");
            WorldEvent[] events = seen.SelectMany(s => s.Events).ToArray();
            Check.True(events.Any(e => e.Kind == "begin" && (e.A == ball || e.B == ball)), "a contact");
            WorldEvent message = events.First(e => e.Kind == "message");
            Check.Equal("hi", message.Name);
            Check.Equal("{x: UInt64 1}", Show(message.Data));
            client.Unsubscribe(subscription);
            Check.Refused(Codes.NotFound, () => client.Unsubscribe(subscription));
            client.SnapshotCame += s => { throw new ApplicationException("planted"); };
            try
            {
                client.Subscribe(world);
                client.Wait(() => false, Check.PatienceMs);
                throw new Failed("no exception of the event's function");
            }
            catch (InvalidOperationException error)
            {
                Check.Equal("planted", error.InnerException.Message);
            }
        }
    }

    public void ViewShowsTheNewestState()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client, false);
            ulong ball = client.Call(world, Ball(2)).Body;
            Body body = default(Body);
            var options = new SubscribeOptions { Describe = true, Events = new[] { "begin" } };
            using (View view = client.Watch(world, options, Interpolation.Delayed))
            {
                WorldEvent landed = null;
                DrawnBody[] drawn = null;
                Check.True(client.Wait(() =>
                {
                    view.Advance();
                    if (landed == null) view.NextEvent(out landed);
                    return view.Ready && view.TryFind(ball, out body) && body.Y < 1.2 && view.Tag(ball) == "ball" && landed != null &&
                           view.Drawn(ref drawn) == 2;
                }, Check.PatienceMs), "the ball lands");
                Check.Equal("begin", landed.Kind);
                Check.Equal("circle", Tree.Text(view.Shapes(ball)[0] as Dictionary<string, object>, "kind"));
                Check.Equal(2, view.Count);
                Body[] all = null;
                Check.Equal(2, view.CopyTo(ref all));
                Check.Equal(all[1].Id, view[1].Id);
                Check.True(!view.TryFind(999, out body) && view.Tag(999) == null, "no other body");
                client.Call(world, new WorldDestroy());
                Check.True(client.Wait(() => view.Ended, Check.PatienceMs), "the view ends with the world");
            }
        }
    }

    public void LostConnectionIsToldOnce()
    {
        using (Client admin = Connect())
        using (Client client = Connect())
        {
            var reasons = new List<CaromException>();
            client.Closed += reasons.Add;
            admin.Call(new ServerKick { Session = Tree.UInt(client.Hello, "session") });
            try
            {
                client.Wait(() => false, Check.PatienceMs);
                throw new Failed("the connection lives on");
            }
            catch (CaromException)
            {
            }
            Check.Equal(1, reasons.Count);
            Check.Refused(Codes.Unavailable, () => client.Call(new ServerInfo()));
        }
    }

    // ---- libcarom-replica

    public void LocalWorldsAreThoseOfServers()
    {
        using (Client client = Connect())
        using (var local = new LocalWorld(new WorldCreate { Gravity = new Vec2(0, -10) }))
        {
            string world = NewWorld(client);
            local.Call(new BodySpawn { Type = "static", Shapes = new Shape[] { new Box { Size = new Vec2(20, 1) } } });
            client.Call(world, Ball(3));
            ulong ball = local.Call(Ball(3)).Body;
            client.Call(world, new WorldStep { Ticks = 100 });
            local.WantEvents("begin");
            local.Step(100);
            Check.Equal("begin", local.Events().Single().Kind);
            Check.Equal(local.Hash, Hash(client.Call(world, new WorldInfo()).Hash), "the server's hash");
            Body[] bodies = null;
            Check.Equal(2, local.CopyTo(ref bodies));
            Check.Equal(ball, bodies[1].Id);
            using (LocalWorld fork = local.Fork())
            using (LocalWorld restored = LocalWorld.FromImage(client.Call(world, new WorldImage()).Image))
            {
                local.Step(10);
                fork.Step(10);
                restored.Step(10);
                Check.Equal(local.Hash, fork.Hash, "fork");
                Check.Equal(local.Hash, restored.Hash, "image of the server");
            }
            Check.Refused(Codes.NotFound, () => local.Call(new BodyGet { Body = 99 }), "99");
            Check.Refused(Codes.UnknownMethod, () => local.Call(new ServerInfo()), "server.info is for servers");
            Check.Refused(Codes.InvalidArgument, () => local.Step(10000000), "ticks");
            Check.Refused(Codes.InvalidArgument, () => local.WantEvents("begins"), "'begins' is none of begin");
            Check.Refused(Codes.Unavailable, () => LocalWorld.FromImage(new byte[3]));
        }
    }

    static ulong Hash(byte[] bytes)
    {
        return bytes.Skip(bytes.Length - 8).Aggregate(0UL, (n, b) => n << 8 | b);
    }

    public void ReplicaIsExact()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client, false);
            ulong ball = client.Call(world, Ball(9)).Body;
            using (var replica = new Replica(client, world))
            {
                Check.True(client.Wait(() => replica.Ready && replica.Verified >= 2, Check.PatienceMs), "hashes are verified");
                ulong tick = client.Call(world, new WorldPause()).Tick;
                Check.True(client.Wait(() => replica.Tick >= tick, Check.PatienceMs), "the last tick");
                Check.Equal(Hash(client.Call(world, new WorldInfo()).Hash), replica.Hash);
                Check.Equal(ball, replica.Call(new BodyGet { Body = ball }).Body);
                Check.Refused(Codes.PermissionDenied, () => replica.Call(new BodyRemove { Body = ball }));
                Body[] bodies = null;
                Check.Equal(2, replica.CopyTo(ref bodies));
            }
        }
    }

    public void OwnCommandsArePredicted()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client, false, new Vec2(0, 0));
            ulong ball = client.Call(world, Ball(9)).Body;
            Body[] bodies = null;
            int asked = 0;
            using (var replica = new Replica(client, world))
            using (var prediction = new Prediction(client, replica, tick =>
                   {
                       asked += tick.FirstTime ? 1 : 0;
                       tick.Add(new BodyForce { Body = ball, Force = new Vec2(1, 0) });
                   }))
            {
                Check.True(client.Wait(() =>
                {
                    prediction.Frame();
                    return prediction.Active && prediction.Confirmed >= 20;
                }, Check.PatienceMs), "20 batches are confirmed");
                Check.True(prediction.Tick > replica.Tick, "ahead of the replica");
                Check.True(asked >= 20 && prediction.Sent >= 20, "each tick is asked for");
                Check.Equal(2, prediction.Poses(ref bodies));
                Check.True(bodies.First(b => b.Id == ball).Vx > 0, "the ball moves");
            }
            Check.True(client.Call(world, new BodyGet { Body = ball }).Velocity.X > 0, "on the server too");
        }
    }

    public void PredictionEndsWithItsReplicaAndItsClient()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client, false, new Vec2(0, 0));
            ulong ball = client.Call(world, Ball(9)).Body;
            var replica = new Replica(client, world);
            foreach (IDisposable end in new IDisposable[] { replica, client })
            {
                if (end == client) replica = new Replica(client, world);
                var prediction = new Prediction(client, replica, tick => tick.Add(new BodyForce { Body = ball, Force = new Vec2(1, 0) }));
                Check.True(client.Wait(() =>
                {
                    prediction.Frame();
                    return prediction.Sent > 0;
                }, Check.PatienceMs), "batches are sent");
                end.Dispose();
                Check.Throws<ObjectDisposedException>(() => prediction.Frame());
                Check.Throws<ObjectDisposedException>(() => Check.True(prediction.Tick == 0, "disposed"));
                prediction.Dispose();
            }
            replica.Dispose();
        }
    }

    public void InputMayNotUseWhatIsPredicting()
    {
        using (Client client = Connect())
        {
            string world = NewWorld(client, false, new Vec2(0, 0));
            int refused = 0;
            Prediction prediction = null;
            using (var replica = new Replica(client, world))
            {
                prediction = new Prediction(client, replica, tick =>
                {
                    foreach (Action use in new Action[] { () => client.Poll(), client.Dispose, replica.Dispose, () => prediction.Dispose(), () => prediction.Frame() })
                    {
                        Check.Throws<InvalidOperationException>(use);
                        refused++;
                    }
                });
                Check.True(client.Wait(() =>
                {
                    prediction.Frame();
                    return refused >= 5;
                }, Check.PatienceMs), "each is refused");
            }
            Check.Equal(0u, (uint)client.Call(world, new WorldInfo()).Subscribers, "the subscription has ended");
        }
    }

    public void SampleShipObeysItsStick()
    {
        string world = "cs-" + ++worlds;
        using (var ship = new Carom.Sample.Ship("127.0.0.1:" + Port, world))
        using (Client other = Connect())
        {
            Body own = default(Body);
            DateTime end = DateTime.UtcNow.AddMilliseconds(Check.PatienceMs);
            while (own.X < 1)
            {
                Check.True(DateTime.UtcNow < end, "the ship does not move");
                ship.Frame(1, 0, body => own = body.Id == ship.Id ? body : own);
                Thread.Sleep(5);
            }
            Check.True(own.Vx > 0 && Math.Abs(own.Y) < 1e-6, "along x");
            Check.True(other.Call(world, new BodyGet { Body = ship.Id }).Position.X > 0, "on the server too");
        }
    }

    // ---- WebSocket, in C# alone

    static void Run(WebSocketClient client, Task task)
    {
        DateTime end = DateTime.UtcNow.AddMilliseconds(Check.PatienceMs);
        while (!task.IsCompleted)
        {
            Check.True(DateTime.UtcNow < end, "timed out");
            client.Poll();
            Thread.Sleep(1);
        }
        task.GetAwaiter().GetResult();
    }

    static T Run<T>(WebSocketClient client, Task<T> task)
    {
        Run(client, (Task)task);
        return task.Result;
    }

    static bool Wait(WebSocketClient client, Func<bool> condition)
    {
        DateTime end = DateTime.UtcNow.AddMilliseconds(Check.PatienceMs);
        while (!condition())
        {
            if (DateTime.UtcNow > end) return false;
            client.Poll();
            Thread.Sleep(1);
        }
        return true;
    }

    static WebSocketClient ConnectWeb()
    {
        return WebSocketClient.ConnectAsync(new Uri("ws://127.0.0.1:" + HttpPort + "/rpc"), timeoutMs: Check.PatienceMs).GetAwaiter().GetResult();
    }

    public void WebSocketCallsAreTyped()
    {
        using (WebSocketClient client = ConnectWeb())
        {
            string world = "cs-web-" + ++worlds;
            Check.Equal("admin", Tree.Text(client.Hello, "role"));
            Run(client, client.CallAsync(world, new WorldCreate { Paused = true, Gravity = new Vec2(0, -10) }));
            ulong ball = Run(client, client.CallAsync(world, Ball(9))).Body;
            Run(client, client.CallAsync(world, new WorldStep { Ticks = 60 }));
            Check.Near(-10, Run(client, client.CallAsync(world, new BodyGet { Body = ball })).Velocity.Y, 1e-3, "velocity");
            CaromException error = Check.Refused(Codes.NotFound, () => Run(client, client.CallAsync(world, new BodyGet { Body = 99 })), "99");
            Check.True(error.FromServer, "from the server");
            Check.True(Run(client, client.CallAsync(new WorldList())).Any(w => w.World == world), "world.list");
        }
        Check.Refused(Codes.Unavailable, () => WebSocketClient.ConnectAsync(new Uri("ws://127.0.0.1:1/rpc")).GetAwaiter().GetResult());
    }

    public void WebSocketViewFollowsTheWorld()
    {
        using (Client other = Connect())
        using (WebSocketClient client = ConnectWeb())
        {
            string world = NewWorld(other, false);
            ulong ball = other.Call(world, Ball(2)).Body;
            PlainView view = Run(client, client.WatchAsync(world, events: new[] { "begin", "message" }));
            Body body = default(Body);
            WorldEvent e = null;
            Check.True(Wait(client, () => view.Ready && view.TryFind(ball, out body) && body.Y < 1.2), "the ball falls");
            Check.True(Wait(client, () => view.NextEvent(out e)), "it lands");
            Check.Equal("begin", e.Kind);
            Check.Equal(2, view.Count);
            client.Notify(world, new MessageSend { Name = "hi", Data = 7 });
            Check.True(Wait(client, () => view.NextEvent(out e) && e.Kind == "message"), "a message");
            Check.Equal("UInt64 7", Show(e.Data));
            // The view and libcarom's agree.
            other.Call(world, new WorldPause());
            using (View native = other.Watch(world, new SubscribeOptions { Encoding = "plain" }))
            {
                Check.True(other.Wait(() => native.Ready, Check.PatienceMs), "libcarom's view");
                Body expected;
                native.TryFind(ball, out expected);
                Check.True(Wait(client, () => view.TryFind(ball, out body) && body.Equals(expected)), "equal to the last bit");
            }
            other.Call(world, new BodyRemove { Body = ball });
            other.Call(world, new WorldStep { Ticks = 1 });
            Check.True(Wait(client, () => !view.TryFind(ball, out body)), "it is gone");
            other.Call(world, new WorldDestroy());
            Check.True(Wait(client, () => view.Ended), "the view ends with the world");
        }
    }

    public void WebSocketCallsAreBounded()
    {
        using (WebSocketClient client = ConnectWeb())
        {
            for (int i = 0; i < WebSocketClient.CallsMax; i++) client.CallAsync("ping", new Dictionary<string, object>());
            Check.Refused(Codes.LimitExceeded, () => client.CallAsync("ping", new Dictionary<string, object>()), "calls: 4096");
        }
    }

    public void WebSocketEndIsToldToAll()
    {
        using (Client admin = Connect())
        using (WebSocketClient client = ConnectWeb())
        {
            var reasons = new List<CaromException>();
            client.Closed += reasons.Add;
            PlainView view = null;
            string world = NewWorld(admin);
            view = Run(client, client.WatchAsync(world));
            admin.Call(new ServerKick { Session = Tree.UInt(client.Hello, "session") });
            Check.True(Wait(client, () => reasons.Count > 0), "the end is told");
            Check.True(!client.IsOpen && view.Ended, "closed");
            Check.Refused(Codes.Unavailable, () => client.CallAsync(new ServerInfo()).GetAwaiter().GetResult());
            client.Poll();
            Check.Equal(1, reasons.Count);
        }
    }

    public void ViewsKeepTheRulesOfSnapshots()
    {
        var view = new PlainView(1);
        Func<ulong, ulong, bool, object[], Dictionary<string, object>> make = (epoch, tick, full, rows) => new Dictionary<string, object>
        {
            { "epoch", epoch }, { "tick", tick }, { "full", full }, { "time", tick / 60.0 },
            { "bodies", rows.Select(r => (object)new List<object> { r, 1.0, 2UL, 0.0, 0.0, -3L, 0.0 }).ToList() }
        };
        Body body;
        view.Apply(make(1, 5, false, new object[] { 7UL }));
        Check.True(!view.Ready && view.Count == 0, "it waits for a full one");
        view.Apply(make(1, 5, true, new object[] { 7UL, 8UL }));
        Check.True(view.Ready && view.TryFind(7, out body) && body.Y == 2 && body.Vy == -3, "full");
        view.Apply(make(1, 4, false, new object[] { 9UL }));
        Check.Equal(2, view.Count, "an old one is ignored");
        var gone = make(1, 6, false, new object[] { 9UL });
        gone["removed"] = new List<object> { 7UL };
        gone["leave"] = new List<object> { 8UL, 77UL };
        view.Apply(gone);
        Check.True(view.Count == 1 && view.TryFind(9, out body), "removed and left");
        view.Apply(make(1, 3, true, new object[] { 1UL, 2UL }));
        Check.True(view.Count == 2 && view.Tick == 3, "a full one replaces all");
        view.Apply(make(2, 9, false, new object[] { 1UL }));
        Check.True(!view.Ready && view.Count == 0, "another epoch");
        var many = make(2, 9, true, new object[0]);
        many["events"] = Enumerable.Range(0, PlainView.EventsMax + 3).Select(i => (object)new Dictionary<string, object> { { "kind", "begin" } }).ToList();
        view.Apply(many);
        Check.Equal(3UL, view.EventsDropped);
    }

    // ---- the runner

    static int Main(string[] args)
    {
        Port = int.Parse(args[0]);
        HttpPort = int.Parse(args[1]);
        Layout = File.ReadAllText(args[2]);
        int failed = 0, ran = 0;
        foreach (MethodInfo test in typeof(Tests).GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly))
        {
            if (args.Length > 3 && !test.Name.Contains(args[3])) continue;
            ran++;
            try
            {
                test.Invoke(new Tests(), null);
                Console.WriteLine("ok " + test.Name);
            }
            catch (TargetInvocationException error)
            {
                failed++;
                Console.WriteLine("FAILED " + test.Name + ": " + error.InnerException);
            }
        }
        Console.WriteLine(ran + " tests, " + failed + " failed");
        return failed == 0 && ran > 0 ? 0 : 1;
    }
}
