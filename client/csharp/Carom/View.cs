// Views over libcarom: the newest state of a world, which a subscription keeps up to date.

using System;
using System.Collections.Generic;

namespace Carom
{
    /// <summary>How View.Drawn draws bodies; see carom/interpolation.h.</summary>
    public enum Interpolation
    {
        None,
        /// <summary>Between two snapshots of the past.</summary>
        Delayed,
        /// <summary>Ahead of the newest snapshot, by velocities.</summary>
        Predictive
    }

    /// <summary>A body where a game draws it.</summary>
    public struct DrawnBody
    {
        public Body Body;
        /// <summary>It was removed, which is not shown yet.</summary>
        public bool Gone;
    }

    /// <summary>The bodies of a world as they are now. Client.Watch makes one.</summary>
    public sealed unsafe class View : IDisposable
    {
        IntPtr pointer;

        public View(Interpolation interpolation = Interpolation.None)
        {
            carom_view_options o = Native.carom_view_options_default();
            o.interpolation = (int)interpolation;
            pointer = Native.carom_view_create(&o);
            if (pointer == IntPtr.Zero) throw new CaromException(Codes.OutOfMemory, "no memory for a view");
        }

        internal IntPtr Pointer
        {
            get
            {
                if (pointer == IntPtr.Zero) throw new ObjectDisposedException("Carom.View");
                return pointer;
            }
        }

        /// <summary>The whole state has arrived.</summary>
        public bool Ready => Native.carom_view_get_state(Pointer).ready != 0;
        /// <summary>No more snapshots will come.</summary>
        public bool Ended => Native.carom_view_get_state(Pointer).ended != 0;
        public ulong Tick => Native.carom_view_get_state(Pointer).tick;
        public int Count => (int)Native.carom_view_count(Pointer);

        /// <summary>Body `index`, in no order; indexes hold until the next poll.</summary>
        public Body this[int index]
        {
            get
            {
                carom_body* body = Native.carom_view_body(Pointer, (UIntPtr)(ulong)Math.Max(index, 0));
                if (index < 0 || body == null) throw new ArgumentOutOfRangeException("index");
                return *(Body*)body;
            }
        }

        /// <summary>Copies all bodies into `bodies`, which grows as needed; returns their number.</summary>
        public int CopyTo(ref Body[] bodies)
        {
            int count = Count;
            if (bodies == null || bodies.Length < count) bodies = new Body[count + count / 2 + 16];
            var first = (Body*)Native.carom_view_body(Pointer, UIntPtr.Zero);
            for (int i = 0; i < count; i++) bodies[i] = first[i];
            return count;
        }

        public bool TryFind(ulong id, out Body body)
        {
            carom_body* found = Native.carom_view_find(Pointer, id);
            body = found != null ? *(Body*)found : default(Body);
            return found != null;
        }

        /// <summary>The tag of a body, of subscriptions with Describe; null while it is not described.</summary>
        public string Tag(ulong id)
        {
            UIntPtr index;
            if (Native.carom_view_index(Pointer, id, &index) == 0) return null;
            carom_body_info* info = Native.carom_view_info(Pointer, index);
            return info != null ? NativeValue.Text(info->tag) : null;
        }

        /// <summary>The shapes of a body as maps of the protocol, of subscriptions with Describe; null while it is not described.</summary>
        public List<object> Shapes(ulong id)
        {
            UIntPtr index;
            if (Native.carom_view_index(Pointer, id, &index) == 0) return null;
            carom_body_info* info = Native.carom_view_info(Pointer, index);
            if (info == null) return null;
            var made = new List<object>();
            for (ulong i = 0; i < (ulong)info->shape_count; i++)
                made.Add(NativeValue.Take(Native.carom_shape_value(&info->shapes[i].shape)));
            return made;
        }

        /// <summary>Takes the oldest event; false if there is none.</summary>
        public bool NextEvent(out WorldEvent taken)
        {
            carom_event e;
            bool any = Native.carom_view_next_event(Pointer, &e) != 0;
            taken = any ? WorldEvent.From(&e) : null;
            return any;
        }

        /// <summary>Advances what is drawn to now, before each frame. Returns the world time that is drawn [s].</summary>
        public double Advance() => Native.carom_view_advance(Pointer, Native.carom_now());

        /// <summary>The bodies where to draw them at the time of the last Advance; returns their number.</summary>
        public int Drawn(ref DrawnBody[] bodies)
        {
            int most = Count + (int)Native.carom_view_get_playback(Pointer).gone;
            var buffer = new carom_drawn[most + 1];
            int count;
            fixed (carom_drawn* p = buffer) count = Math.Min((int)Native.carom_view_drawn(Pointer, p, (UIntPtr)most), most);
            if (bodies == null || bodies.Length < count) bodies = new DrawnBody[count + 16];
            for (int i = 0; i < count; i++)
            {
                carom_drawn d = buffer[i];
                bodies[i].Body = new Body { Id = d.id, X = d.x, Y = d.y, Angle = d.angle, Vx = d.vx, Vy = d.vy, W = d.w };
                bodies[i].Gone = d.gone != 0;
            }
            return count;
        }

        public void Dispose()
        {
            IntPtr old = pointer;
            pointer = IntPtr.Zero;
            if (old != IntPtr.Zero) Native.carom_view_free(old);
        }
    }
}
