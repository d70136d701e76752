// Prediction over libcarom-replica: the client's own commands act at once, however far the server is (carom/prediction.h).

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Carom
{
    /// <summary>Commands of one predicted tick.</summary>
    public sealed unsafe class PredictedTick
    {
        readonly IntPtr prediction;
        /// <summary>The tick in which the commands act.</summary>
        public readonly ulong Tick;
        /// <summary>False when the tick is predicted again: then commands are ignored, and act as the first time.</summary>
        public readonly bool FirstTime;

        internal PredictedTick(IntPtr prediction, ulong tick, bool firstTime)
        {
            this.prediction = prediction;
            Tick = tick;
            FirstTime = firstTime;
        }

        public void Add(Arguments command)
        {
            carom_error error;
            IntPtr tree = NativeValue.Make(command.ToMap());
            try
            {
                fixed (byte* name = NativeValue.Utf8(command.Method))
                    NativeValue.Check(Native.carom_prediction_command(prediction, name, tree, &error), ref error);
            }
            finally
            {
                Native.carom_value_free(tree);
            }
        }
    }

    /// <summary>A second world beside a replica, ahead of the server's, in which the client's own commands act at once.</summary>
    public sealed unsafe class Prediction : IDisposable
    {
        delegate void InputFn(IntPtr prediction, ulong tick, byte firstTime, IntPtr user);

        static readonly InputFn OnInput = TellInput;

        readonly Client client;
        readonly Replica replica;
        readonly Action<PredictedTick> input;
        IntPtr pointer;
        GCHandle self;
        Exception raised;

        /// <summary>
        /// `input` makes the commands of each tick; it is called again when a tick is predicted again. It must neither use the
        /// client nor dispose of anything here. Disposing of the client or the replica ends the prediction.
        /// </summary>
        public Prediction(Client client, Replica replica, Action<PredictedTick> input)
        {
            this.client = client;
            this.replica = replica;
            this.input = input;
            self = GCHandle.Alloc(this);
            carom_error error;
            IntPtr made;
            carom_prediction_options o = Native.carom_prediction_options_default();
            o.user = GCHandle.ToIntPtr(self);
            o.input = input != null ? Marshal.GetFunctionPointerForDelegate(OnInput) : IntPtr.Zero;
            int status = Native.carom_prediction_create(client.Pointer, replica.Pointer, &o, &made, &error);
            if (status != Constants.CAROM_OK) self.Free();
            NativeValue.Check(status, ref error);
            pointer = made;
            replica.Prediction = this;
            client.Disposing += Dispose;
        }

        IntPtr Pointer
        {
            get
            {
                if (pointer == IntPtr.Zero) throw new ObjectDisposedException("Carom.Prediction");
                return pointer;
            }
        }

        [MonoPInvokeCallback(typeof(InputFn))]
        static void TellInput(IntPtr prediction, ulong tick, byte firstTime, IntPtr user)
        {
            var p = (Prediction)GCHandle.FromIntPtr(user).Target;
            try
            {
                p.input(new PredictedTick(prediction, tick, firstTime != 0));
            }
            catch (Exception error) // no exception may pass through C
            {
                p.raised = p.raised ?? error;
            }
        }

        internal void Feed(IntPtr snapshot)
        {
            carom_error error;
            NativeValue.Check(Native.carom_prediction_feed(Pointer, (carom_snapshot*)snapshot, Native.carom_now(), &error), ref error);
        }

        /// <summary>Whether commands are predicted; else they are sent, and act a round trip later.</summary>
        public bool Active => Native.carom_prediction_active(Pointer, null) != 0;
        /// <summary>The tick that is predicted; 0: none yet.</summary>
        public ulong Tick => Native.carom_prediction_tick(Pointer);
        /// <summary>The share of ticks of the last 8 s that were predicted exactly.</summary>
        public double Right => Native.carom_prediction_figures_now(Pointer).right;
        /// <summary>Batches sent, and seen in the server's log.</summary>
        public ulong Sent => Native.carom_prediction_figures_now(Pointer).sent;
        public ulong Confirmed => Native.carom_prediction_figures_now(Pointer).confirmed;

        /// <summary>Advances to now: in every frame, after Poll.</summary>
        public void Frame()
        {
            carom_error error;
            IntPtr prediction = Pointer;
            if (client.Predicting) throw new InvalidOperationException("the input of a prediction must not make a frame");
            client.Predicting = true;
            int status = Native.carom_prediction_frame(prediction, Native.carom_now(), &error);
            client.Predicting = false;
            Exception old = raised;
            raised = null;
            if (old != null) throw new InvalidOperationException("the function of the input failed: " + old.Message, old);
            NativeValue.Check(status, ref error);
        }

        /// <summary>The bodies where to draw them; returns their number.</summary>
        public int Poses(ref Body[] bodies)
        {
            int count = (int)Native.carom_prediction_poses(Pointer, null, UIntPtr.Zero);
            var poses = new carom_prediction_pose[count + 1];
            fixed (carom_prediction_pose* p = poses) count = Math.Min(count, (int)Native.carom_prediction_poses(Pointer, p, (UIntPtr)count));
            if (bodies == null || bodies.Length < count) bodies = new Body[count + count / 2 + 16];
            for (int i = 0; i < count; i++)
            {
                carom_prediction_pose d = poses[i];
                bodies[i] = new Body { Id = d.id, X = d.x, Y = d.y, Angle = d.angle, Vx = d.vx, Vy = d.vy, W = d.w };
            }
            return count;
        }

        /// <summary>Ends the prediction. Batches that were sent still act on the server.</summary>
        public void Dispose()
        {
            IntPtr old = pointer;
            if (old == IntPtr.Zero) return;
            if (client.Predicting)
                throw new InvalidOperationException("the input of a prediction must not dispose of it, its replica or its client");
            pointer = IntPtr.Zero;
            client.Disposing -= Dispose;
            replica.Prediction = null;
            Native.carom_prediction_free(old);
            self.Free();
        }
    }
}
