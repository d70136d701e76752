// A connection to caromd over WebSocket, in C# alone, for platforms without native libraries. It needs nothing but
// System.Net.WebSockets, and so works where that does (not in WebGL players, which have the browser's instead).
//
// Messages are received in the background and wait in a queue; Poll, once a frame, answers calls and raises events on the
// thread that calls it. Snapshots are of encoding plain, which needs no decoder.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;

namespace Carom
{
    /// <summary>A connection to ws://host:port/rpc or wss://host:port/rpc.</summary>
    public sealed class WebSocketClient : IDisposable
    {
        /// <summary>Bytes of one message of the server.</summary>
        public const int MessageBytesMax = 128 << 20;
        /// <summary>Messages that wait for Poll; the connection is closed beyond.</summary>
        public const int MessagesMax = 4096;
        /// <summary>Calls that wait for their answer.</summary>
        public const int CallsMax = 4096;

        readonly ClientWebSocket socket = new ClientWebSocket();
        readonly CancellationTokenSource ended = new CancellationTokenSource();
        readonly ConcurrentQueue<byte[]> received = new ConcurrentQueue<byte[]>();
        readonly SemaphoreSlim sending = new SemaphoreSlim(1);
        readonly Dictionary<ulong, TaskCompletionSource<object>> calls = new Dictionary<ulong, TaskCompletionSource<object>>();
        readonly Dictionary<ulong, PlainView> views = new Dictionary<ulong, PlainView>();
        // Snapshots of subscriptions whose answer has not been read yet.
        readonly List<Dictionary<string, object>> early = new List<Dictionary<string, object>>();
        int subscribing; // subscriptions that wait for their answer
        ulong lastCall;
        CaromException reason; // why the connection has ended; set before `over`
        volatile bool over;
        bool told;

        WebSocketClient() { }

        /// <summary>The server's answer to hello.</summary>
        public Dictionary<string, object> Hello { get; private set; }
        /// <summary>Any notification: its method and arguments.</summary>
        public event Action<string, Dictionary<string, object>> Notified;
        /// <summary>The connection has ended.</summary>
        public event Action<CaromException> Closed;
        public bool IsOpen => !over;

        /// <summary>Connects and says hello. The caller polls meanwhile only if it has other clients.</summary>
        public static async Task<WebSocketClient> ConnectAsync(Uri uri, string token = null, string name = "carom for C#",
                                                              int timeoutMs = 10000)
        {
            var client = new WebSocketClient();
            client.socket.Options.AddSubProtocol("carom.v1");
            try
            {
                using (var limit = new CancellationTokenSource(timeoutMs))
                    await client.socket.ConnectAsync(uri, limit.Token).ConfigureAwait(false);
                client.Receive();
                var hello = client.CallAsync("hello", new Hello { Client = name, Token = token }.ToMap());
                DateTime end = DateTime.UtcNow.AddMilliseconds(timeoutMs);
                while (!hello.IsCompleted && DateTime.UtcNow < end)
                {
                    client.Poll();
                    await Task.Delay(1).ConfigureAwait(false);
                }
                if (!hello.IsCompleted) throw new CaromException(Codes.Unavailable, "timed out: no answer to hello");
                client.Hello = await hello.ConfigureAwait(false) as Dictionary<string, object>;
                return client;
            }
            catch (CaromException)
            {
                client.Dispose();
                throw;
            }
            catch (Exception error) when (error is WebSocketException || error is OperationCanceledException || error is IOException ||
                                          error is System.Net.Sockets.SocketException || error is System.Net.WebException)
            {
                client.Dispose();
                throw new CaromException(Codes.Unavailable, uri + ": " + error.Message);
            }
        }

        // ---- calls

        /// <summary>Calls any method; the task ends inside a later Poll.</summary>
        public Task<object> CallAsync(string method, Dictionary<string, object> args)
        {
            var answer = new TaskCompletionSource<object>();
            if (over) throw reason;
            if (calls.Count == CallsMax) throw new CaromException(Codes.LimitExceeded, "calls: " + CallsMax + " wait for their answer");
            calls[++lastCall] = answer;
            Send(new List<object> { 0UL, lastCall, method, new List<object> { args } });
            return answer.Task;
        }

        public async Task<T> CallAsync<T>(Arguments<T> args)
        {
            return args.Read(await CallAsync(args.Method, args.ToMap()));
        }

        public async Task<T> CallAsync<T>(string world, Arguments<T> args)
        {
            return args.Read(await CallAsync(args.Method, Caller.OfWorld(world, args)));
        }

        /// <summary>Sends a command of a world without waiting for an answer.</summary>
        public void Notify(string world, Arguments args)
        {
            if (over) throw reason;
            Send(new List<object> { 2UL, args.Method, new List<object> { Caller.OfWorld(world, args) } });
        }

        /// <summary>Subscribes to a world, and returns a view that Poll keeps up to date.</summary>
        public async Task<PlainView> WatchAsync(string world, double? rate = null, double[] area = null, string[] events = null)
        {
            var args = new WorldSubscribe { Rate = rate, Area = area, Events = events, Encoding = "plain" };
            subscribing++;
            try
            {
                // The answer is read inside Poll, and what follows it at once, before the next message.
                ulong number = Tree.UInt((await CallAsync(args.Method, Caller.OfWorld(world, args))) as Dictionary<string, object>, "subscription");
                var view = new PlainView(number);
                views[number] = view;
                foreach (var snapshot in early)
                    if (Tree.UInt(snapshot, "subscription") == number) view.Apply(snapshot);
                return view;
            }
            finally
            {
                if (--subscribing == 0) early.Clear();
            }
        }

        async void Send(object message)
        {
            byte[] bytes = MsgPack.Pack(message);
            try
            {
                await sending.WaitAsync(ended.Token).ConfigureAwait(false);
                try
                {
                    await socket.SendAsync(new ArraySegment<byte>(bytes), WebSocketMessageType.Binary, true, ended.Token).ConfigureAwait(false);
                }
                finally
                {
                    sending.Release();
                }
            }
            catch (Exception error)
            {
                End(Codes.Unavailable, "connection lost: " + error.Message);
            }
        }

        // ---- receiving, in the background

        async void Receive()
        {
            var piece = new byte[1 << 16];
            var message = new MemoryStream();
            try
            {
                while (!over)
                {
                    var got = await socket.ReceiveAsync(new ArraySegment<byte>(piece), ended.Token).ConfigureAwait(false);
                    if (got.MessageType == WebSocketMessageType.Close)
                    {
                        End(Codes.Unavailable, "the server closed the connection: " + socket.CloseStatusDescription);
                        return;
                    }
                    message.Write(piece, 0, got.Count);
                    if (message.Length > MessageBytesMax || received.Count >= MessagesMax)
                    {
                        End(Codes.LimitExceeded, message.Length > MessageBytesMax ? "a message is longer than " + MessageBytesMax + " bytes"
                                                                                  : MessagesMax + " messages wait for Poll");
                        return;
                    }
                    if (!got.EndOfMessage) continue;
                    received.Enqueue(message.ToArray());
                    message.SetLength(0);
                }
            }
            catch (Exception error)
            {
                End(Codes.Unavailable, "connection lost: " + error.Message);
            }
        }

        void End(string code, string text)
        {
            lock (ended)
            {
                if (over) return;
                reason = new CaromException(code, text);
                over = true;
            }
            ended.Cancel();
        }

        // ---- processing, on the caller's thread

        /// <summary>Processes the messages that have arrived: answers calls, applies snapshots, raises events. To be called once a
        /// frame. An exception of an event's function, and of a continuation that runs at once, passes through.</summary>
        public void Poll()
        {
            byte[] bytes;
            while (received.TryDequeue(out bytes))
            {
                try
                {
                    for (int offset = 0; offset < bytes.Length;) Take(MsgPack.Unpack(bytes, ref offset) as List<object>);
                }
                catch (CaromException error) when (error.Code == Codes.Internal && !error.FromServer)
                {
                    End(error.Code, error.Text);
                    Abort();
                }
            }
            if (!over || told) return;
            told = true;
            foreach (var view in views.Values) view.Ended = true;
            var waiting = new List<TaskCompletionSource<object>>(calls.Values);
            calls.Clear();
            foreach (var call in waiting) call.TrySetException(reason);
            Closed?.Invoke(reason);
        }

        void Abort()
        {
            try
            {
                socket.Abort();
            }
            catch (ObjectDisposedException)
            {
            }
        }

        void Take(List<object> message)
        {
            ulong kind = message != null && message.Count >= 3 && message[0] is ulong ? (ulong)message[0] : ulong.MaxValue;
            if (kind == 1 && message.Count == 4 && message[1] is ulong) Answer((ulong)message[1], message[2], message[3]);
            else if (kind == 2 && message[1] is string) Notification((string)message[1], message[2] as List<object>);
            else throw new CaromException(Codes.Internal, "the server's message is no MessagePack-RPC");
        }

        void Answer(ulong number, object error, object result)
        {
            TaskCompletionSource<object> call;
            if (!calls.TryGetValue(number, out call)) return;
            calls.Remove(number);
            if (error != null) call.TrySetException(CaromException.FromWire(error));
            else call.TrySetResult(result);
        }

        void Notification(string method, List<object> list)
        {
            var args = list != null && list.Count == 1 ? list[0] as Dictionary<string, object> : null;
            if (args == null) throw new CaromException(Codes.Internal, "a notification of the server has no map of arguments");
            PlainView view;
            bool known = views.TryGetValue(Tree.UInt(args, "subscription"), out view);
            if (known && method == "snapshot") view.Apply(args);
            else if (method == "snapshot" && subscribing > 0)
            {
                if (early.Count == MessagesMax) throw new CaromException(Codes.Internal, MessagesMax + " snapshots came before their subscription");
                early.Add(args);
            }
            if (known && method == "world_closed") view.Ended = true;
            Notified?.Invoke(method, args);
        }

        /// <summary>Closes the connection; waiting calls end with unavailable in the next Poll.</summary>
        public void Dispose()
        {
            End(Codes.Unavailable, "the client is closed");
            Abort();
            socket.Dispose();
        }
    }

    /// <summary>The newest state of a world by plain snapshots, by the rules of carom/view.h.</summary>
    public sealed class PlainView
    {
        /// <summary>The most events that wait for NextEvent. One more drops the oldest, which is counted.</summary>
        public const int EventsMax = 4096;

        readonly Dictionary<ulong, Body> bodies = new Dictionary<ulong, Body>();
        readonly Queue<WorldEvent> events = new Queue<WorldEvent>();

        internal PlainView(ulong subscription) { Subscription = subscription; }

        public ulong Subscription { get; }
        /// <summary>The whole state has arrived.</summary>
        public bool Ready { get; private set; }
        /// <summary>No more snapshots will come.</summary>
        public bool Ended { get; internal set; }
        public ulong Epoch { get; private set; }
        public ulong Tick { get; private set; }
        /// <summary>Time of the world [s].</summary>
        public double Time { get; private set; }
        public ulong EventsDropped { get; private set; }
        public int Count => bodies.Count;
        public ICollection<Body> Bodies => bodies.Values;
        public bool TryFind(ulong id, out Body body) => bodies.TryGetValue(id, out body);

        /// <summary>Takes the oldest event; false if there is none.</summary>
        public bool NextEvent(out WorldEvent taken)
        {
            taken = events.Count > 0 ? events.Dequeue() : null;
            return taken != null;
        }

        internal void Apply(Dictionary<string, object> snapshot)
        {
            foreach (object e in Tree.Any(snapshot, "events") as List<object> ?? new List<object>())
            {
                if (events.Count == EventsMax)
                {
                    events.Dequeue();
                    EventsDropped++;
                }
                events.Enqueue(WorldEvent.From(e));
            }
            bool full = Tree.Bool(snapshot, "full");
            ulong epoch = Tree.UInt(snapshot, "epoch"), tick = Tree.UInt(snapshot, "tick");
            if (!full && epoch != Epoch)
            {
                bodies.Clear();
                Ready = false;
            }
            if (!full && (!Ready || tick < Tick)) return;
            if (full) bodies.Clear();
            foreach (object row in Tree.Any(snapshot, "bodies") as List<object> ?? new List<object>()) Put(row as List<object>);
            foreach (string key in new[] { "removed", "leave" })
                foreach (ulong id in Tree.UInts(snapshot, key)) bodies.Remove(id);
            Ready = true;
            Epoch = epoch;
            Tick = tick;
            Time = Tree.Real(snapshot, "time");
        }

        void Put(List<object> row)
        {
            if (row == null || row.Count < 7) return;
            var map = new Dictionary<string, object> { { "row", row.GetRange(1, 6) }, { "id", row[0] } };
            double[] n = Tree.Reals(map, "row");
            ulong id = Tree.UInt(map, "id");
            bodies[id] = new Body { Id = id, X = n[0], Y = n[1], Angle = n[2], Vx = n[3], Vy = n[4], W = n[5] };
        }
    }
}
