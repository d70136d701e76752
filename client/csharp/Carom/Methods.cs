// Generated from proto/schema by proto/generate/csharp.py: do not edit.
//
// Every method of the protocol as a class of its arguments, with the type of its answer:
//
//     var made = lab.Call(new BodySpawn { Shapes = new Shape[] { new Circle { Radius = 0.5 } }, Position = new Vec2(0, 9) });
//     lab.Call(new BodyImpulse { Body = made.Body, Impulse = new Vec2(0, 2) });
//
// Members that are null are left out, and mean what their defaults say; the others have to be set.

using System.Collections.Generic;

namespace Carom
{
    /// <summary>The codes of errors, by the number that libcarom has for them.</summary>
    public static class Codes
    {
        internal static readonly string[] All =
        {
            "ok",
            "invalid_argument",
            "not_found",
            "already_exists",
            "permission_denied",
            "unauthenticated",
            "limit_exceeded",
            "unavailable",
            "unknown_method",
            "moved",
            "internal",
            "out_of_memory",
        };

        /// <summary>malformed, of the wrong type, out of range, not finite</summary>
        public const string InvalidArgument = "invalid_argument";
        /// <summary>a world, body, shape, joint or subscription that does not exist</summary>
        public const string NotFound = "not_found";
        /// <summary>the name is taken</summary>
        public const string AlreadyExists = "already_exists";
        /// <summary>the caller is known but lacks the right</summary>
        public const string PermissionDenied = "permission_denied";
        /// <summary>the caller is not known</summary>
        public const string Unauthenticated = "unauthenticated";
        /// <summary>a named maximum was reached</summary>
        public const string LimitExceeded = "limit_exceeded";
        /// <summary>not possible now: shutting down, overloaded, no connection, connection lost, timed out</summary>
        public const string Unavailable = "unavailable";
        /// <summary>no method has that name</summary>
        public const string UnknownMethod = "unknown_method";
        /// <summary>the world is on another server</summary>
        public const string Moved = "moved";
        /// <summary>a fault of the server, or out of memory</summary>
        public const string Internal = "internal";
        /// <summary>memory has run out on this side; never sent by a server</summary>
        public const string OutOfMemory = "out_of_memory";
    }

    /// <summary>The kinds of events, by the number that libcarom has for them.</summary>
    public static class EventKinds
    {
        internal static readonly string[] All =
        {
            "begin",
            "stay",
            "end",
            "hit",
            "sensor_begin",
            "sensor_end",
            "sleep",
            "wake",
            "spawn",
            "remove",
            "joint_break",
            "freeze",
            "message",
            "join",
            "leave",
        };
    }

    /// <summary>The arguments of a shape's filter.</summary>
    public sealed class Filter : ArgumentMap
    {
        /// <summary>The shape's own categories: bits. Default 1.</summary>
        public ulong? Category;
        /// <summary>The categories it meets: each one's mask must have a bit of the other's category. Default -1.</summary>
        public ulong? Mask;
        /// <summary>
        /// Shapes of the same group never meet if it is negative, and always if it is positive; 0: no group.
        /// [-2147483648 to 2147483647] Default 0.
        /// </summary>
        public long? Group;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "category", Category);
            Put(map, "mask", Mask);
            Put(map, "group", Group);
        }
    }

    /// <summary>The precision of packed snapshots.</summary>
    public sealed class Precision : ArgumentMap
    {
        /// <summary>Places are rounded to multiples of this. [1.52588e-05 to 16 m] Default 0.001953125.</summary>
        public double? Position;
        /// <summary>
        /// Angles are rounded to this, or a little less: a whole number of steps makes a turn. [6e-06 to 1.5708 rad]
        /// Default 0.006135923151542565.
        /// </summary>
        public double? Angle;
        /// <summary>Velocities (and spin, in rad/s) are rounded to this; not sent, if left out. [1.52588e-05 to 16 m/s]</summary>
        public double? Velocity;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "position", Position);
            Put(map, "angle", Angle);
            Put(map, "velocity", Velocity);
        }
    }

    /// <summary>The bounds of the role player in a world, each a maximum; a key that is left out bounds nothing.</summary>
    public sealed class Players : ArgumentMap
    {
        /// <summary>
        /// The commands, reads and queries that it may call. One of world.state, world.contacts, world.apply,
        /// body.spawn, body.remove, body.get, body.set, body.impulse, body.angular_impulse, body.force, body.torque,
        /// shape.add, shape.set, shape.remove, joint.create, joint.set, joint.remove, joint.get, joint.list, query.ray,
        /// query.overlap, query.cast, query.nearest, data.set, data.remove, data.get, message.send.
        /// </summary>
        public string[] Methods;
        /// <summary>Types of bodies that it may make. One of static, kinematic, dynamic.</summary>
        public string[] Types;
        /// <summary>Bodies that one subject may own. [0 to 1048576]</summary>
        public long? Bodies;
        /// <summary>Mass of a body that it makes or changes, by `mass` or by density. [0 to 1000000000000 kg]</summary>
        public double? Mass;
        /// <summary>Longer side of the box around a body's shapes, in the body's frame. [0 to 2000000 m]</summary>
        public double? Size;
        /// <summary>Speed that a command may give to a body, and to its surface by turning or as a conveyor. [0 to 4000 m/s]</summary>
        public double? Speed;
        /// <summary>Force of body.force, of gravity_scale, and of a joint's motor or spring. [0 to 1000000000000 N]</summary>
        public double? Force;
        /// <summary>
        /// Sum of the impulses that a subject gives to a body in a tick; apart from it in N m s, that of the angular
        /// ones. [0 to 1000000000000 N s]
        /// </summary>
        public double? Impulse;
        /// <summary>
        /// Torque of body.torque, of a force about the centre of mass, and of a joint's motor or spring. [0 to
        /// 1000000000000 N m]
        /// </summary>
        public double? Torque;
        /// <summary>Place for bodies that it makes or moves by body.set, with all of their shapes. [-1000000 to 1000000 m]</summary>
        public double[] Area;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "methods", Methods);
            Put(map, "types", Types);
            Put(map, "bodies", Bodies);
            Put(map, "mass", Mass);
            Put(map, "size", Size);
            Put(map, "speed", Speed);
            Put(map, "force", Force);
            Put(map, "impulse", Impulse);
            Put(map, "torque", Torque);
            Put(map, "area", Area);
        }
    }

    /// <summary>A shape of kind circle.</summary>
    public sealed class Circle : Shape
    {
        internal override string Kind => "circle";

        /// <summary>Radius of the circle. [0.0005 to 10000 m] Required.</summary>
        public double Radius;
        /// <summary>Place in the body's frame. [-10000 to 10000 m] Default [0, 0].</summary>
        public Vec2? Center;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²] Default 1.</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6.</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0.</summary>
        public double? Restitution;
        /// <summary>
        /// Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default
        /// 0.
        /// </summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0.</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding. Default false.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor. Default ["contact", "sensor"].
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000] Default [0, 0].
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "radius", Radius);
            Put(map, "center", Center);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }
    }

    /// <summary>A shape of kind box.</summary>
    public sealed class Box : Shape
    {
        internal override string Kind => "box";

        /// <summary>Full width and height. [0.001 to 20000 m] Required.</summary>
        public Vec2 Size;
        /// <summary>Place in the body's frame. [-10000 to 10000 m] Default [0, 0].</summary>
        public Vec2? Center;
        /// <summary>Angle of the rectangle, about its centre. [-1000000000 to 1000000000 rad] Default 0.</summary>
        public double? Angle;
        /// <summary>Rounding around the polygon. [0 to 10000 m] Default 0.</summary>
        public double? Radius;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²] Default 1.</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6.</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0.</summary>
        public double? Restitution;
        /// <summary>
        /// Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default
        /// 0.
        /// </summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0.</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding. Default false.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor. Default ["contact", "sensor"].
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000] Default [0, 0].
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "size", Size);
            Put(map, "center", Center);
            Put(map, "angle", Angle);
            Put(map, "radius", Radius);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }
    }

    /// <summary>A shape of kind polygon.</summary>
    public sealed class Polygon : Shape
    {
        internal override string Kind => "polygon";

        /// <summary>Points in any order; their convex hull is taken. [-10000 to 10000 m] Required.</summary>
        public Vec2[] Vertices;
        /// <summary>Rounding around the polygon. [0 to 10000 m] Default 0.</summary>
        public double? Radius;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²] Default 1.</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6.</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0.</summary>
        public double? Restitution;
        /// <summary>
        /// Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default
        /// 0.
        /// </summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0.</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding. Default false.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor. Default ["contact", "sensor"].
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000] Default [0, 0].
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "vertices", Vertices);
            Put(map, "radius", Radius);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }
    }

    /// <summary>A shape of kind capsule.</summary>
    public sealed class Capsule : Shape
    {
        internal override string Kind => "capsule";

        /// <summary>One end of the middle line. [-10000 to 10000 m] Required.</summary>
        public Vec2 A;
        /// <summary>The other end. [-10000 to 10000 m] Required.</summary>
        public Vec2 B;
        /// <summary>Radius around the middle line. [0.0005 to 10000 m] Required.</summary>
        public double Radius;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²] Default 1.</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6.</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0.</summary>
        public double? Restitution;
        /// <summary>
        /// Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default
        /// 0.
        /// </summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0.</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding. Default false.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor. Default ["contact", "sensor"].
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000] Default [0, 0].
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "a", A);
            Put(map, "b", B);
            Put(map, "radius", Radius);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }
    }

    /// <summary>A shape of kind segment.</summary>
    public sealed class Segment : Shape
    {
        internal override string Kind => "segment";

        /// <summary>One end. [-10000 to 10000 m] Required.</summary>
        public Vec2 A;
        /// <summary>The other end. [-10000 to 10000 m] Required.</summary>
        public Vec2 B;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²] Default 1.</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6.</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0.</summary>
        public double? Restitution;
        /// <summary>
        /// Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default
        /// 0.
        /// </summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0.</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding. Default false.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor. Default ["contact", "sensor"].
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000] Default [0, 0].
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "a", A);
            Put(map, "b", B);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }
    }

    /// <summary>A shape of kind chain.</summary>
    public sealed class Chain : Shape
    {
        internal override string Kind => "chain";

        /// <summary>
        /// Points in order; the chain collides on its right side, a counter-clockwise loop on its outside. [-10000 to
        /// 10000 m] Required.
        /// </summary>
        public Vec2[] Vertices;
        /// <summary>The last point joins the first; 3 points or more. Default false.</summary>
        public bool? Loop;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²] Default 1.</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6.</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0.</summary>
        public double? Restitution;
        /// <summary>
        /// Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default
        /// 0.
        /// </summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0.</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding. Default false.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor. Default ["contact", "sensor"].
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000] Default [0, 0].
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "vertices", Vertices);
            Put(map, "loop", Loop);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }
    }

    /// <summary>The answer of a command that creates nothing.</summary>
    public sealed class TickResult
    {
        /// <summary>The tick whose state shows it first.</summary>
        public ulong Tick;

        internal static TickResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new TickResult();
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>A subscription of a session.</summary>
    public sealed class SubscriptionResult
    {
        /// <summary>Its number.</summary>
        public ulong Subscription;
        /// <summary>The world that it shows.</summary>
        public string World;

        internal static SubscriptionResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new SubscriptionResult();
            made.Subscription = Tree.UInt(map, "subscription");
            made.World = Tree.Text(map, "world");
            return made;
        }
    }

    /// <summary>A session's last request that took effect in a world, which may have ended.</summary>
    public sealed class AppliedResult
    {
        /// <summary>The world's epoch.</summary>
        public ulong Epoch;
        /// <summary>The request's id.</summary>
        public ulong Last;

        internal static AppliedResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new AppliedResult();
            made.Epoch = Tree.UInt(map, "epoch");
            made.Last = Tree.UInt(map, "last");
            return made;
        }
    }

    /// <summary>How a resumed session goes on.</summary>
    public sealed class ResumedResult
    {
        /// <summary>By world: the last request of the session that took effect there.</summary>
        public Dictionary<string, AppliedResult> Applied;
        /// <summary>Ids of requests that are not answered yet.</summary>
        public ulong[] Pending;
        /// <summary>The subscriptions that go on.</summary>
        public SubscriptionResult[] Subscriptions;

        internal static ResumedResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ResumedResult();
            made.Applied = Tree.Table(Tree.Any(map, "applied"), AppliedResult.From);
            made.Pending = Tree.UInts(map, "pending");
            made.Subscriptions = Tree.List(Tree.Any(map, "subscriptions"), SubscriptionResult.From);
            return made;
        }
    }

    /// <summary>The answer of hello.</summary>
    public sealed class HelloResult
    {
        /// <summary>The version that both sides use from now on.</summary>
        public ulong Protocol;
        /// <summary>The server's name: caromd.</summary>
        public string Server;
        /// <summary>The server's version.</summary>
        public string Version;
        /// <summary>The engine's behaviour number.</summary>
        public ulong Engine;
        /// <summary>The number of the tables of compact logs.</summary>
        public ulong Compact;
        /// <summary>The session's number.</summary>
        public ulong Session;
        /// <summary>The session's secret; empty where it cannot be resumed.</summary>
        public string Resume;
        /// <summary>What the session may do.</summary>
        public string Role;
        /// <summary>The subject of its token; left out without one.</summary>
        public string Subject;
        /// <summary>When the token expires, since 1970; left out without one. [s]</summary>
        public double? Expires;
        /// <summary>The limits that hold for this session.</summary>
        public Dictionary<string, object> Limits;
        /// <summary>
        /// In a fleet: where to try if this server does not answer any more: the address of the server that stands by
        /// for a world of this session, or, while it has none, for a world of this server; left out if there is none.
        /// Over WebSocket that for HTTP.
        /// </summary>
        public string Standby;
        /// <summary>By world: the last request of the session that took effect there.</summary>
        public Dictionary<string, AppliedResult> Applied;
        /// <summary>Ids of requests that are not answered yet.</summary>
        public ulong[] Pending;
        /// <summary>The subscriptions that go on.</summary>
        public SubscriptionResult[] Subscriptions;

        internal static HelloResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new HelloResult();
            made.Protocol = Tree.UInt(map, "protocol");
            made.Server = Tree.Text(map, "server");
            made.Version = Tree.Text(map, "version");
            made.Engine = Tree.UInt(map, "engine");
            made.Compact = Tree.UInt(map, "compact");
            made.Session = Tree.UInt(map, "session");
            made.Resume = Tree.Text(map, "resume");
            made.Role = Tree.Text(map, "role");
            made.Subject = Tree.Text(map, "subject");
            made.Expires = map.ContainsKey("expires") ? Tree.Real(map, "expires") : (double?)null;
            made.Limits = Tree.Map(map, "limits");
            made.Standby = Tree.Text(map, "standby");
            made.Applied = Tree.Table(Tree.Any(map, "applied"), AppliedResult.From);
            made.Pending = Tree.UInts(map, "pending");
            made.Subscriptions = Tree.List(Tree.Any(map, "subscriptions"), SubscriptionResult.From);
            return made;
        }
    }

    /// <summary>The answer of ping.</summary>
    public sealed class PingResult
    {
        /// <summary>The server's monotonic clock. [s]</summary>
        public double Time;
        /// <summary>What was sent.</summary>
        public object Any;

        internal static PingResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new PingResult();
            made.Time = Tree.Real(map, "time");
            made.Any = Tree.Any(map, "any");
            return made;
        }
    }

    /// <summary>A template of worlds that joins make.</summary>
    public sealed class TemplateResult
    {
        /// <summary>Its name, as world.join takes it.</summary>
        public string Template;
        /// <summary>The seats of each of its worlds.</summary>
        public ulong Seats;

        internal static TemplateResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new TemplateResult();
            made.Template = Tree.Text(map, "template");
            made.Seats = Tree.UInt(map, "seats");
            return made;
        }
    }

    /// <summary>The answer of server.info.</summary>
    public sealed class ServerInfoResult
    {
        /// <summary>The server's name: caromd.</summary>
        public string Server;
        /// <summary>The server's version.</summary>
        public string Version;
        /// <summary>The newest version of the protocol that it speaks.</summary>
        public ulong Protocol;
        /// <summary>How long it has run. [s]</summary>
        public double Uptime;
        /// <summary>How many worlds it has.</summary>
        public ulong Worlds;
        /// <summary>How many sessions it has.</summary>
        public ulong Sessions;
        /// <summary>Its limits.</summary>
        public Dictionary<string, object> Limits;
        /// <summary>The templates that world.join makes worlds of.</summary>
        public TemplateResult[] Templates;

        internal static ServerInfoResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ServerInfoResult();
            made.Server = Tree.Text(map, "server");
            made.Version = Tree.Text(map, "version");
            made.Protocol = Tree.UInt(map, "protocol");
            made.Uptime = Tree.Real(map, "uptime");
            made.Worlds = Tree.UInt(map, "worlds");
            made.Sessions = Tree.UInt(map, "sessions");
            made.Limits = Tree.Map(map, "limits");
            made.Templates = Tree.List(Tree.Any(map, "templates"), TemplateResult.From);
            return made;
        }
    }

    /// <summary>The durations of one kind of work; all are zero when `count` is.</summary>
    public sealed class LatencyResult
    {
        /// <summary>How many there were.</summary>
        public ulong Count;
        /// <summary>The time that half of them did not exceed. [s]</summary>
        public double P50;
        /// <summary>The time that 90 % of them did not exceed. [s]</summary>
        public double P90;
        /// <summary>The time that 99 % of them did not exceed. [s]</summary>
        public double P99;
        /// <summary>The time that 99.9 % of them did not exceed. [s]</summary>
        public double P999;
        /// <summary>The longest. [s]</summary>
        public double Max;
        /// <summary>On request: [largest time in seconds, count], without empty ones.</summary>
        public object Bins;

        internal static LatencyResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new LatencyResult();
            made.Count = Tree.UInt(map, "count");
            made.P50 = Tree.Real(map, "p50");
            made.P90 = Tree.Real(map, "p90");
            made.P99 = Tree.Real(map, "p99");
            made.P999 = Tree.Real(map, "p999");
            made.Max = Tree.Real(map, "max");
            made.Bins = Tree.Any(map, "bins");
            return made;
        }
    }

    /// <summary>The answer of server.stats.</summary>
    public sealed class ServerStatsResult
    {
        /// <summary>Counters by name.</summary>
        public Dictionary<string, object> Counters;
        /// <summary>Durations by kind of work.</summary>
        public Dictionary<string, LatencyResult> Latencies;

        internal static ServerStatsResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ServerStatsResult();
            made.Counters = Tree.Map(map, "counters");
            made.Latencies = Tree.Table(Tree.Any(map, "latencies"), LatencyResult.From);
            return made;
        }
    }

    /// <summary>A session, as server.sessions lists it.</summary>
    public sealed class SessionInfoResult
    {
        /// <summary>Its number.</summary>
        public ulong Session;
        /// <summary>The client's name, as `hello` gave it; `""` without one.</summary>
        public string Client;
        /// <summary>The address of its connection; `""` while it has none.</summary>
        public string Address;
        /// <summary>`false`: it has lost its connection, and may be resumed.</summary>
        public bool Connected;
        /// <summary>When it began, since 1970 (UTC). [s]</summary>
        public double Since;
        /// <summary>Time since its last message, or since its connection was lost. [s]</summary>
        public double Idle;
        /// <summary>Its role.</summary>
        public string Role;
        /// <summary>The subject of its token; `""` without one.</summary>
        public string Subject;
        /// <summary>Its subscriptions, with their worlds.</summary>
        public SubscriptionResult[] Subscriptions;
        /// <summary>Requests that wait for their results.</summary>
        public ulong InFlight;
        /// <summary>Input of its present connection, from the operating system. [bytes]</summary>
        public ulong ReceivedBytes;
        /// <summary>Output of its present connection, to the operating system. [bytes]</summary>
        public ulong SentBytes;
        /// <summary>Output that its client has not taken yet. [bytes]</summary>
        public ulong QueuedBytes;
        /// <summary>How long there has been unsent output without a break. [s]</summary>
        public double Lag;
        /// <summary>
        /// Memory for the subscriptions of all sessions of its subject; without one, of its address or of itself.
        /// `holder_bytes` bounds it. [bytes]
        /// </summary>
        public ulong MemoryBytes;
        /// <summary>
        /// Time that its messages took on the network thread and on the thread that decodes large messages; the time of
        /// worlds is in `world.info`. [s]
        /// </summary>
        public double Work;

        internal static SessionInfoResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new SessionInfoResult();
            made.Session = Tree.UInt(map, "session");
            made.Client = Tree.Text(map, "client");
            made.Address = Tree.Text(map, "address");
            made.Connected = Tree.Bool(map, "connected");
            made.Since = Tree.Real(map, "since");
            made.Idle = Tree.Real(map, "idle");
            made.Role = Tree.Text(map, "role");
            made.Subject = Tree.Text(map, "subject");
            made.Subscriptions = Tree.List(Tree.Any(map, "subscriptions"), SubscriptionResult.From);
            made.InFlight = Tree.UInt(map, "in_flight");
            made.ReceivedBytes = Tree.UInt(map, "received_bytes");
            made.SentBytes = Tree.UInt(map, "sent_bytes");
            made.QueuedBytes = Tree.UInt(map, "queued_bytes");
            made.Lag = Tree.Real(map, "lag");
            made.MemoryBytes = Tree.UInt(map, "memory_bytes");
            made.Work = Tree.Real(map, "work");
            return made;
        }
    }

    /// <summary>The answer of server.sessions.</summary>
    public sealed class SessionsResult
    {
        /// <summary>Sessions by ascending numbers.</summary>
        public SessionInfoResult[] Sessions;
        /// <summary>How many sessions there are in all.</summary>
        public ulong Total;

        internal static SessionsResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new SessionsResult();
            made.Sessions = Tree.List(Tree.Any(map, "sessions"), SessionInfoResult.From);
            made.Total = Tree.UInt(map, "total");
            return made;
        }
    }

    /// <summary>The bounds of the role player in a world.</summary>
    public sealed class PlayersMap
    {
        /// <summary>The commands, reads and queries that it may call.</summary>
        public string[] Methods;
        /// <summary>Types of bodies that it may make.</summary>
        public string[] Types;
        /// <summary>Bodies that one subject may own.</summary>
        public ulong? Bodies;
        /// <summary>Mass of a body. [kg]</summary>
        public double? Mass;
        /// <summary>Longer side of the box around a body's shapes. [m]</summary>
        public double? Size;
        /// <summary>Speed that a command may give. [m/s]</summary>
        public double? Speed;
        /// <summary>Force of a command or a joint. [N]</summary>
        public double? Force;
        /// <summary>Sum of impulses on a body in a tick. [N s]</summary>
        public double? Impulse;
        /// <summary>Torque of a command or a joint. [N m]</summary>
        public double? Torque;
        /// <summary>Place for bodies: [x0, y0, x1, y1].</summary>
        public double[] Area;

        internal static PlayersMap From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new PlayersMap();
            made.Methods = Tree.Texts(map, "methods");
            made.Types = Tree.Texts(map, "types");
            made.Bodies = map.ContainsKey("bodies") ? Tree.UInt(map, "bodies") : (ulong?)null;
            made.Mass = map.ContainsKey("mass") ? Tree.Real(map, "mass") : (double?)null;
            made.Size = map.ContainsKey("size") ? Tree.Real(map, "size") : (double?)null;
            made.Speed = map.ContainsKey("speed") ? Tree.Real(map, "speed") : (double?)null;
            made.Force = map.ContainsKey("force") ? Tree.Real(map, "force") : (double?)null;
            made.Impulse = map.ContainsKey("impulse") ? Tree.Real(map, "impulse") : (double?)null;
            made.Torque = map.ContainsKey("torque") ? Tree.Real(map, "torque") : (double?)null;
            made.Area = Tree.Reals(map, "area");
            return made;
        }
    }

    /// <summary>Whether a world has a referee.</summary>
    public sealed class RefereePresenceResult
    {
        /// <summary>Whether a session of role referee or admin subscribes to the world's events of kind message.</summary>
        public bool Present;
        /// <summary>The number of that session; of several, of the one that subscribed first.</summary>
        public ulong? Session;

        internal static RefereePresenceResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new RefereePresenceResult();
            made.Present = Tree.Bool(map, "present");
            made.Session = map.ContainsKey("session") ? Tree.UInt(map, "session") : (ulong?)null;
            return made;
        }
    }

    /// <summary>A world, and the tick at which it stands.</summary>
    public sealed class WorldTickResult
    {
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>Its tick.</summary>
        public ulong Tick;

        internal static WorldTickResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldTickResult();
            made.World = Tree.Text(map, "world");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>The answer of world.create and world.fork.</summary>
    public sealed class WorldCreateResult
    {
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>Its epoch.</summary>
        public ulong Epoch;
        /// <summary>The tick at which it stands.</summary>
        public ulong Tick;
        /// <summary>False if the world existed already.</summary>
        public bool Created;

        internal static WorldCreateResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldCreateResult();
            made.World = Tree.Text(map, "world");
            made.Epoch = Tree.UInt(map, "epoch");
            made.Tick = Tree.UInt(map, "tick");
            made.Created = Tree.Bool(map, "created");
            return made;
        }
    }

    /// <summary>The answer of world.subscribe.</summary>
    public sealed class SubscribeResult
    {
        /// <summary>The subscription's number.</summary>
        public ulong Subscription;
        /// <summary>The world's epoch.</summary>
        public ulong Epoch;
        /// <summary>The tick at which the subscription begins.</summary>
        public ulong Tick;

        internal static SubscribeResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new SubscribeResult();
            made.Subscription = Tree.UInt(map, "subscription");
            made.Epoch = Tree.UInt(map, "epoch");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>The answer of world.image.</summary>
    public sealed class WorldImageResult
    {
        /// <summary>The image.</summary>
        public byte[] Image;
        /// <summary>The tick that it shows.</summary>
        public ulong Tick;
        /// <summary>The world's hash at that tick.</summary>
        public byte[] Hash;

        internal static WorldImageResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldImageResult();
            made.Image = Tree.Bytes(map, "image");
            made.Tick = Tree.UInt(map, "tick");
            made.Hash = Tree.Bytes(map, "hash");
            return made;
        }
    }

    /// <summary>The settings of a world.</summary>
    public sealed class WorldDefResult
    {
        /// <summary>Ticks in a second.</summary>
        public double Hz;
        /// <summary>Acceleration of every dynamic body. [m/s²]</summary>
        public Vec2 Gravity;
        /// <summary>Solver steps in a tick.</summary>
        public ulong Substeps;
        /// <summary>Whether bodies at rest may sleep.</summary>
        public bool Sleep;
        /// <summary>Whether fast bodies are swept against static and kinematic ones.</summary>
        public bool Continuous;
        /// <summary>Maximum of its bodies.</summary>
        public ulong MaxBodies;
        /// <summary>Slower impacts do not bounce. [m/s]</summary>
        public double RestitutionThreshold;
        /// <summary>Slower impacts make no hit event. [m/s]</summary>
        public double HitThreshold;
        /// <summary>Bodies below this speed may sleep. [m/s]</summary>
        public double SleepSpeed;

        internal static WorldDefResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldDefResult();
            made.Hz = Tree.Real(map, "hz");
            made.Gravity = Tree.Vector(map, "gravity");
            made.Substeps = Tree.UInt(map, "substeps");
            made.Sleep = Tree.Bool(map, "sleep");
            made.Continuous = Tree.Bool(map, "continuous");
            made.MaxBodies = Tree.UInt(map, "max_bodies");
            made.RestitutionThreshold = Tree.Real(map, "restitution_threshold");
            made.HitThreshold = Tree.Real(map, "hit_threshold");
            made.SleepSpeed = Tree.Real(map, "sleep_speed");
            return made;
        }
    }

    /// <summary>How many objects a world contains.</summary>
    public sealed class WorldCountsResult
    {
        /// <summary>Bodies.</summary>
        public ulong Bodies;
        /// <summary>Bodies that are awake.</summary>
        public ulong Awake;
        /// <summary>Shapes; a chain is one.</summary>
        public ulong Shapes;
        /// <summary>Joints.</summary>
        public ulong Joints;
        /// <summary>Pairs of shapes that touch.</summary>
        public ulong Contacts;
        /// <summary>Pairs of shapes whose boxes overlap.</summary>
        public ulong Pairs;
        /// <summary>Bodies that ever left the world's bounds and were disabled.</summary>
        public ulong Frozen;

        internal static WorldCountsResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldCountsResult();
            made.Bodies = Tree.UInt(map, "bodies");
            made.Awake = Tree.UInt(map, "awake");
            made.Shapes = Tree.UInt(map, "shapes");
            made.Joints = Tree.UInt(map, "joints");
            made.Contacts = Tree.UInt(map, "contacts");
            made.Pairs = Tree.UInt(map, "pairs");
            made.Frozen = Tree.UInt(map, "frozen");
            return made;
        }
    }

    /// <summary>The answer of world.info, and each element of world.list.</summary>
    public sealed class WorldInfoResult
    {
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>Changes when the world is created again, or is set back.</summary>
        public ulong Epoch;
        /// <summary>The tick at which it stands.</summary>
        public ulong Tick;
        /// <summary>Its time: tick / hz. [s]</summary>
        public double Time;
        /// <summary>Ticks in a second.</summary>
        public double Hz;
        /// <summary>Acceleration of every dynamic body. [m/s²]</summary>
        public Vec2 Gravity;
        /// <summary>Solver steps in a tick.</summary>
        public ulong Substeps;
        /// <summary>Whether bodies at rest may sleep.</summary>
        public bool Sleep;
        /// <summary>Whether fast bodies are swept against static and kinematic ones.</summary>
        public bool Continuous;
        /// <summary>Maximum of its bodies.</summary>
        public ulong MaxBodies;
        /// <summary>Slower impacts do not bounce. [m/s]</summary>
        public double RestitutionThreshold;
        /// <summary>Slower impacts make no hit event. [m/s]</summary>
        public double HitThreshold;
        /// <summary>Bodies below this speed may sleep. [m/s]</summary>
        public double SleepSpeed;
        /// <summary>Whether it is paused.</summary>
        public bool Paused;
        /// <summary>As of `world.create`.</summary>
        public string Durability;
        /// <summary>Bodies.</summary>
        public ulong Bodies;
        /// <summary>Bodies that are awake.</summary>
        public ulong Awake;
        /// <summary>Shapes; a chain is one.</summary>
        public ulong Shapes;
        /// <summary>Joints.</summary>
        public ulong Joints;
        /// <summary>Pairs of shapes that touch.</summary>
        public ulong Contacts;
        /// <summary>Pairs of shapes whose boxes overlap.</summary>
        public ulong Pairs;
        /// <summary>Bodies that ever left the world's bounds and were disabled.</summary>
        public ulong Frozen;
        /// <summary>Subscriptions.</summary>
        public ulong Subscribers;
        /// <summary>Whether anybody decides here: who gets messages to `referee`.</summary>
        public RefereePresenceResult Referee;
        /// <summary>Equal worlds have equal hashes.</summary>
        public byte[] Hash;
        /// <summary>Mean time of a tick in the last second. [ms]</summary>
        public double StepMs;
        /// <summary>
        /// Ticks a second, measured over the last second, or since it runs if that is shorter (then at most `hz`).
        /// Paused: those of `world.step`, where they went on for a second or more; otherwise 0. [1/s]
        /// </summary>
        public double Rate;
        /// <summary>Ticks that began later than a whole tick after their deadline.</summary>
        public ulong TicksLate;
        /// <summary>The bounds of the role player here; left out if the world has none.</summary>
        public PlayersMap Players;
        /// <summary>Keys of its data.</summary>
        public ulong DataKeys;
        /// <summary>Bytes of its data, as `data_bytes_per_world` counts them.</summary>
        public ulong DataBytes;
        /// <summary>The template that it was made from by `world.join`; left out, with the next three, if by another way.</summary>
        public string Template;
        /// <summary>Its seats.</summary>
        public ulong? Seats;
        /// <summary>How many of them are taken.</summary>
        public ulong? SeatsTaken;
        /// <summary>The holders of the seats, ascending by seat; left out in lists, and for tokens with areas.</summary>
        public SeatMap[] Seated;
        /// <summary>In a fleet: how many servers have had the world; not in lists, nor are the next two.</summary>
        public ulong? Term;
        /// <summary>In a fleet: the address of the server that serves it; over WebSocket that for HTTP.</summary>
        public string Primary;
        /// <summary>
        /// In a fleet: the address of the server that takes over if that one ends; left out if there is none. Over
        /// WebSocket that for HTTP.
        /// </summary>
        public string Standby;
        /// <summary>In a fleet: up to where the standby has the world's log; not in lists.</summary>
        public ulong? StandbyTick;
        /// <summary>Only at a relay (`caromd --relay`): the address of the server whose log the world plays.</summary>
        public string RelayOf;
        /// <summary>
        /// Only at a relay: how long ago the log's last record came; 0 while the world is paused and the log is
        /// connected. [s]
        /// </summary>
        public double? Lag;
        /// <summary>Only while the world's log cannot be written: why, and what to do.</summary>
        public string LogError;
        /// <summary>Only for a world that is not served (most numbers are 0 then): why, and what to do.</summary>
        public string Unavailable;

        internal static WorldInfoResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldInfoResult();
            made.World = Tree.Text(map, "world");
            made.Epoch = Tree.UInt(map, "epoch");
            made.Tick = Tree.UInt(map, "tick");
            made.Time = Tree.Real(map, "time");
            made.Hz = Tree.Real(map, "hz");
            made.Gravity = Tree.Vector(map, "gravity");
            made.Substeps = Tree.UInt(map, "substeps");
            made.Sleep = Tree.Bool(map, "sleep");
            made.Continuous = Tree.Bool(map, "continuous");
            made.MaxBodies = Tree.UInt(map, "max_bodies");
            made.RestitutionThreshold = Tree.Real(map, "restitution_threshold");
            made.HitThreshold = Tree.Real(map, "hit_threshold");
            made.SleepSpeed = Tree.Real(map, "sleep_speed");
            made.Paused = Tree.Bool(map, "paused");
            made.Durability = Tree.Text(map, "durability");
            made.Bodies = Tree.UInt(map, "bodies");
            made.Awake = Tree.UInt(map, "awake");
            made.Shapes = Tree.UInt(map, "shapes");
            made.Joints = Tree.UInt(map, "joints");
            made.Contacts = Tree.UInt(map, "contacts");
            made.Pairs = Tree.UInt(map, "pairs");
            made.Frozen = Tree.UInt(map, "frozen");
            made.Subscribers = Tree.UInt(map, "subscribers");
            made.Referee = RefereePresenceResult.From(Tree.Any(map, "referee"));
            made.Hash = Tree.Bytes(map, "hash");
            made.StepMs = Tree.Real(map, "step_ms");
            made.Rate = Tree.Real(map, "rate");
            made.TicksLate = Tree.UInt(map, "ticks_late");
            made.Players = PlayersMap.From(Tree.Any(map, "players"));
            made.DataKeys = Tree.UInt(map, "data_keys");
            made.DataBytes = Tree.UInt(map, "data_bytes");
            made.Template = Tree.Text(map, "template");
            made.Seats = map.ContainsKey("seats") ? Tree.UInt(map, "seats") : (ulong?)null;
            made.SeatsTaken = map.ContainsKey("seats_taken") ? Tree.UInt(map, "seats_taken") : (ulong?)null;
            made.Seated = Tree.List(Tree.Any(map, "seated"), SeatMap.From);
            made.Term = map.ContainsKey("term") ? Tree.UInt(map, "term") : (ulong?)null;
            made.Primary = Tree.Text(map, "primary");
            made.Standby = Tree.Text(map, "standby");
            made.StandbyTick = map.ContainsKey("standby_tick") ? Tree.UInt(map, "standby_tick") : (ulong?)null;
            made.RelayOf = Tree.Text(map, "relay_of");
            made.Lag = map.ContainsKey("lag") ? Tree.Real(map, "lag") : (double?)null;
            made.LogError = Tree.Text(map, "log_error");
            made.Unavailable = Tree.Text(map, "unavailable");
            return made;
        }
    }

    /// <summary>The answer of world.state.</summary>
    public sealed class StateResult
    {
        /// <summary>The tick, or moment between two, that the read named.</summary>
        public double? At;
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>The tick that was read.</summary>
        public ulong Tick;
        /// <summary>The world's hash.</summary>
        public byte[] Hash;
        /// <summary>Full body maps.</summary>
        public BodyMap[] Bodies;
        /// <summary>Full joint maps.</summary>
        public JointMap[] Joints;

        internal static StateResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new StateResult();
            made.At = map.ContainsKey("at") ? Tree.Real(map, "at") : (double?)null;
            made.World = Tree.Text(map, "world");
            made.Tick = Tree.UInt(map, "tick");
            made.Hash = Tree.Bytes(map, "hash");
            made.Bodies = Tree.List(Tree.Any(map, "bodies"), BodyMap.From);
            made.Joints = Tree.List(Tree.Any(map, "joints"), JointMap.From);
            return made;
        }
    }

    /// <summary>A point where two shapes touch.</summary>
    public sealed class ContactPointResult
    {
        /// <summary>Its place. [m]</summary>
        public Vec2 Point;
        /// <summary>Above 0: overlap. [m]</summary>
        public double Depth;
        /// <summary>Impulse along the normal in the last tick. [N s]</summary>
        public double Impulse;
        /// <summary>Impulse across the normal in the last tick. [N s]</summary>
        public double TangentImpulse;
        /// <summary>Its own normal, if that differs from the contact's.</summary>
        public Vec2? Normal;

        internal static ContactPointResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ContactPointResult();
            made.Point = Tree.Vector(map, "point");
            made.Depth = Tree.Real(map, "depth");
            made.Impulse = Tree.Real(map, "impulse");
            made.TangentImpulse = Tree.Real(map, "tangent_impulse");
            made.Normal = map.ContainsKey("normal") ? Tree.Vector(map, "normal") : (Vec2?)null;
            return made;
        }
    }

    /// <summary>A pair of shapes that touch.</summary>
    public sealed class ContactMap
    {
        /// <summary>A body.</summary>
        public ulong A;
        /// <summary>The other body.</summary>
        public ulong B;
        /// <summary>The shape of a.</summary>
        public ulong ShapeA;
        /// <summary>The shape of b.</summary>
        public ulong ShapeB;
        /// <summary>Unit vector from a to b, at the deepest point.</summary>
        public Vec2 Normal;
        /// <summary>Where they touch.</summary>
        public ContactPointResult[] Points;

        internal static ContactMap From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ContactMap();
            made.A = Tree.UInt(map, "a");
            made.B = Tree.UInt(map, "b");
            made.ShapeA = Tree.UInt(map, "shape_a");
            made.ShapeB = Tree.UInt(map, "shape_b");
            made.Normal = Tree.Vector(map, "normal");
            made.Points = Tree.List(Tree.Any(map, "points"), ContactPointResult.From);
            return made;
        }
    }

    /// <summary>The answer of world.contacts.</summary>
    public sealed class ContactsResult
    {
        /// <summary>The tick, or moment between two, that the read named.</summary>
        public double? At;
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>The tick that was read.</summary>
        public ulong Tick;
        /// <summary>Pairs of shapes that touch, in a fixed order.</summary>
        public ContactMap[] Contacts;

        internal static ContactsResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ContactsResult();
            made.At = map.ContainsKey("at") ? Tree.Real(map, "at") : (double?)null;
            made.World = Tree.Text(map, "world");
            made.Tick = Tree.UInt(map, "tick");
            made.Contacts = Tree.List(Tree.Any(map, "contacts"), ContactMap.From);
            return made;
        }
    }

    /// <summary>How a batch met the tick that it was meant for.</summary>
    public sealed class BatchTimingResult
    {
        /// <summary>How many ticks too late it came; 0: in time.</summary>
        public ulong Late;
        /// <summary>Time from its arrival to the start of its tick; negative if it was late. [s]</summary>
        public double Margin;

        internal static BatchTimingResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new BatchTimingResult();
            made.Late = Tree.UInt(map, "late");
            made.Margin = Tree.Real(map, "margin");
            return made;
        }
    }

    /// <summary>The answer of world.apply.</summary>
    public sealed class BatchResult
    {
        /// <summary>The tick whose state shows it first.</summary>
        public ulong Tick;
        /// <summary>How many ticks too late it came; 0: in time.</summary>
        public ulong? Late;
        /// <summary>Time from its arrival to the start of its tick; negative if it was late. [s]</summary>
        public double? Margin;
        /// <summary>The answer of each command, as if called alone.</summary>
        public object Results;
        /// <summary>It was not applied.</summary>
        public bool? Dropped;

        internal static BatchResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new BatchResult();
            made.Tick = Tree.UInt(map, "tick");
            made.Late = map.ContainsKey("late") ? Tree.UInt(map, "late") : (ulong?)null;
            made.Margin = map.ContainsKey("margin") ? Tree.Real(map, "margin") : (double?)null;
            made.Results = Tree.Any(map, "results");
            made.Dropped = map.ContainsKey("dropped") ? Tree.Bool(map, "dropped") : (bool?)null;
            return made;
        }
    }

    /// <summary>The answer of a world.apply that was not applied, because its tick was over.</summary>
    public sealed class DroppedResult
    {
        /// <summary>It was not applied.</summary>
        public bool Dropped;
        /// <summary>How many ticks too late it came; 0: in time.</summary>
        public ulong Late;
        /// <summary>Time from its arrival to the start of its tick; negative if it was late. [s]</summary>
        public double Margin;

        internal static DroppedResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new DroppedResult();
            made.Dropped = Tree.Bool(map, "dropped");
            made.Late = Tree.UInt(map, "late");
            made.Margin = Tree.Real(map, "margin");
            return made;
        }
    }

    /// <summary>A body in full: the names of body.spawn's arguments, and more.</summary>
    public sealed class BodyMap
    {
        /// <summary>Its id.</summary>
        public ulong Body;
        /// <summary>As in `body.spawn`.</summary>
        public string Type;
        /// <summary>Place of its origin. [m]</summary>
        public Vec2 Position;
        /// <summary>Counter-clockwise, within ±π. [rad]</summary>
        public double Angle;
        /// <summary>Velocity of `center`. [m/s]</summary>
        public Vec2 Velocity;
        /// <summary>Counter-clockwise. [rad/s]</summary>
        public double AngularVelocity;
        /// <summary>The centre of mass, in the world. [m]</summary>
        public Vec2 Center;
        /// <summary>0 if it is not dynamic. [kg]</summary>
        public double Mass;
        /// <summary>About the centre of mass; 0 if it is not dynamic. [kg m²]</summary>
        public double Inertia;
        /// <summary>As in `body.spawn`. [1/s]</summary>
        public double LinearDamping;
        /// <summary>As in `body.spawn`. [1/s]</summary>
        public double AngularDamping;
        /// <summary>As in `body.spawn`.</summary>
        public double GravityScale;
        /// <summary>Acts until it is set again. [N]</summary>
        public Vec2 Force;
        /// <summary>Acts until it is set again. [N m]</summary>
        public double Torque;
        /// <summary>As in `body.spawn`.</summary>
        public bool FixedRotation;
        /// <summary>As in `body.spawn`.</summary>
        public bool Bullet;
        /// <summary>As in `body.spawn`.</summary>
        public bool AllowSleep;
        /// <summary>Whether it is awake now.</summary>
        public bool Awake;
        /// <summary>Whether it moves and collides.</summary>
        public bool Enabled;
        /// <summary>It left the world's bounds and was disabled.</summary>
        public bool Frozen;
        /// <summary>As in `body.spawn`.</summary>
        public string Tag;
        /// <summary>The subject that owns it; left out if nobody does.</summary>
        public string Owner;
        /// <summary>Its shapes.</summary>
        public ShapeMap[] Shapes;

        internal static BodyMap From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new BodyMap();
            made.Body = Tree.UInt(map, "body");
            made.Type = Tree.Text(map, "type");
            made.Position = Tree.Vector(map, "position");
            made.Angle = Tree.Real(map, "angle");
            made.Velocity = Tree.Vector(map, "velocity");
            made.AngularVelocity = Tree.Real(map, "angular_velocity");
            made.Center = Tree.Vector(map, "center");
            made.Mass = Tree.Real(map, "mass");
            made.Inertia = Tree.Real(map, "inertia");
            made.LinearDamping = Tree.Real(map, "linear_damping");
            made.AngularDamping = Tree.Real(map, "angular_damping");
            made.GravityScale = Tree.Real(map, "gravity_scale");
            made.Force = Tree.Vector(map, "force");
            made.Torque = Tree.Real(map, "torque");
            made.FixedRotation = Tree.Bool(map, "fixed_rotation");
            made.Bullet = Tree.Bool(map, "bullet");
            made.AllowSleep = Tree.Bool(map, "allow_sleep");
            made.Awake = Tree.Bool(map, "awake");
            made.Enabled = Tree.Bool(map, "enabled");
            made.Frozen = Tree.Bool(map, "frozen");
            made.Tag = Tree.Text(map, "tag");
            made.Owner = Tree.Text(map, "owner");
            made.Shapes = Tree.List(Tree.Any(map, "shapes"), ShapeMap.From);
            return made;
        }
    }

    /// <summary>The answer of body.get.</summary>
    public sealed class BodyGetResult
    {
        /// <summary>Its id.</summary>
        public ulong Body;
        /// <summary>As in `body.spawn`.</summary>
        public string Type;
        /// <summary>Place of its origin. [m]</summary>
        public Vec2 Position;
        /// <summary>Counter-clockwise, within ±π. [rad]</summary>
        public double Angle;
        /// <summary>Velocity of `center`. [m/s]</summary>
        public Vec2 Velocity;
        /// <summary>Counter-clockwise. [rad/s]</summary>
        public double AngularVelocity;
        /// <summary>The centre of mass, in the world. [m]</summary>
        public Vec2 Center;
        /// <summary>0 if it is not dynamic. [kg]</summary>
        public double Mass;
        /// <summary>About the centre of mass; 0 if it is not dynamic. [kg m²]</summary>
        public double Inertia;
        /// <summary>As in `body.spawn`. [1/s]</summary>
        public double LinearDamping;
        /// <summary>As in `body.spawn`. [1/s]</summary>
        public double AngularDamping;
        /// <summary>As in `body.spawn`.</summary>
        public double GravityScale;
        /// <summary>Acts until it is set again. [N]</summary>
        public Vec2 Force;
        /// <summary>Acts until it is set again. [N m]</summary>
        public double Torque;
        /// <summary>As in `body.spawn`.</summary>
        public bool FixedRotation;
        /// <summary>As in `body.spawn`.</summary>
        public bool Bullet;
        /// <summary>As in `body.spawn`.</summary>
        public bool AllowSleep;
        /// <summary>Whether it is awake now.</summary>
        public bool Awake;
        /// <summary>Whether it moves and collides.</summary>
        public bool Enabled;
        /// <summary>It left the world's bounds and was disabled.</summary>
        public bool Frozen;
        /// <summary>As in `body.spawn`.</summary>
        public string Tag;
        /// <summary>The subject that owns it; left out if nobody does.</summary>
        public string Owner;
        /// <summary>Its shapes.</summary>
        public ShapeMap[] Shapes;
        /// <summary>The tick, or moment between two, that the read named.</summary>
        public double? At;
        /// <summary>The tick that was read.</summary>
        public ulong Tick;

        internal static BodyGetResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new BodyGetResult();
            made.Body = Tree.UInt(map, "body");
            made.Type = Tree.Text(map, "type");
            made.Position = Tree.Vector(map, "position");
            made.Angle = Tree.Real(map, "angle");
            made.Velocity = Tree.Vector(map, "velocity");
            made.AngularVelocity = Tree.Real(map, "angular_velocity");
            made.Center = Tree.Vector(map, "center");
            made.Mass = Tree.Real(map, "mass");
            made.Inertia = Tree.Real(map, "inertia");
            made.LinearDamping = Tree.Real(map, "linear_damping");
            made.AngularDamping = Tree.Real(map, "angular_damping");
            made.GravityScale = Tree.Real(map, "gravity_scale");
            made.Force = Tree.Vector(map, "force");
            made.Torque = Tree.Real(map, "torque");
            made.FixedRotation = Tree.Bool(map, "fixed_rotation");
            made.Bullet = Tree.Bool(map, "bullet");
            made.AllowSleep = Tree.Bool(map, "allow_sleep");
            made.Awake = Tree.Bool(map, "awake");
            made.Enabled = Tree.Bool(map, "enabled");
            made.Frozen = Tree.Bool(map, "frozen");
            made.Tag = Tree.Text(map, "tag");
            made.Owner = Tree.Text(map, "owner");
            made.Shapes = Tree.List(Tree.Any(map, "shapes"), ShapeMap.From);
            made.At = map.ContainsKey("at") ? Tree.Real(map, "at") : (double?)null;
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>The answer of body.spawn.</summary>
    public sealed class SpawnResult
    {
        /// <summary>The body's id.</summary>
        public ulong Body;
        /// <summary>The ids of its shapes, in the order given.</summary>
        public ulong[] Shapes;
        /// <summary>The tick whose state shows it first.</summary>
        public ulong Tick;

        internal static SpawnResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new SpawnResult();
            made.Body = Tree.UInt(map, "body");
            made.Shapes = Tree.UInts(map, "shapes");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>A shape as the server describes it; a box comes as a polygon.</summary>
    public sealed class ShapeMap
    {
        /// <summary>Its id.</summary>
        public ulong Shape;
        /// <summary>The kind of shape.</summary>
        public string Kind;
        public double? Radius;
        public Vec2? Center;
        public Vec2[] Vertices;
        public Vec2? A;
        public Vec2? B;
        public bool? Loop;
        /// <summary>Mass by area. [kg/m²]</summary>
        public double Density;
        /// <summary>Friction.</summary>
        public double Friction;
        /// <summary>Restitution.</summary>
        public double Restitution;
        /// <summary>Torque against rolling, divided by load and radius.</summary>
        public double RollingResistance;
        /// <summary>The surface's speed. [m/s]</summary>
        public double TangentSpeed;
        /// <summary>Whether it reports bodies instead of colliding.</summary>
        public bool Sensor;
        /// <summary>The shapes that it collides with.</summary>
        public object Filter;
        /// <summary>The events that it makes.</summary>
        public string[] Events;
        /// <summary>The side from which bodies collide with it; left out if that is every side.</summary>
        public Vec2? OneWay;

        internal static ShapeMap From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ShapeMap();
            made.Shape = Tree.UInt(map, "shape");
            made.Kind = Tree.Text(map, "kind");
            made.Radius = map.ContainsKey("radius") ? Tree.Real(map, "radius") : (double?)null;
            made.Center = map.ContainsKey("center") ? Tree.Vector(map, "center") : (Vec2?)null;
            made.Vertices = Tree.Vectors(map, "vertices");
            made.A = map.ContainsKey("a") ? Tree.Vector(map, "a") : (Vec2?)null;
            made.B = map.ContainsKey("b") ? Tree.Vector(map, "b") : (Vec2?)null;
            made.Loop = map.ContainsKey("loop") ? Tree.Bool(map, "loop") : (bool?)null;
            made.Density = Tree.Real(map, "density");
            made.Friction = Tree.Real(map, "friction");
            made.Restitution = Tree.Real(map, "restitution");
            made.RollingResistance = Tree.Real(map, "rolling_resistance");
            made.TangentSpeed = Tree.Real(map, "tangent_speed");
            made.Sensor = Tree.Bool(map, "sensor");
            made.Filter = Tree.Any(map, "filter");
            made.Events = Tree.Texts(map, "events");
            made.OneWay = map.ContainsKey("one_way") ? Tree.Vector(map, "one_way") : (Vec2?)null;
            return made;
        }
    }

    /// <summary>The answer of shape.add.</summary>
    public sealed class ShapeAddResult
    {
        /// <summary>The shape's id.</summary>
        public ulong Shape;
        /// <summary>The tick whose state shows it first.</summary>
        public ulong Tick;

        internal static ShapeAddResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new ShapeAddResult();
            made.Shape = Tree.UInt(map, "shape");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>How a joint is now. Forces are means of the last tick.</summary>
    public sealed class JointStateResult
    {
        /// <summary>Angle of b relative to a. [rad]</summary>
        public double Angle;
        /// <summary>Distance of b from a along the axis. [m]</summary>
        public double Translation;
        /// <summary>Distance between the anchors, or length of the rope. [m]</summary>
        public double Length;
        /// <summary>Speed of the motion that the motor drives. [rad/s or m/s]</summary>
        public double Speed;
        /// <summary>A gear's x_a, a pulley's l_a.</summary>
        public double SideA;
        /// <summary>A gear's x_b, a pulley's l_b.</summary>
        public double SideB;
        /// <summary>Force on b; 0 while one of the bodies is disabled. [N]</summary>
        public Vec2 Force;
        /// <summary>Torque on b; 0 while one of the bodies is disabled. [N m]</summary>
        public double Torque;

        internal static JointStateResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new JointStateResult();
            made.Angle = Tree.Real(map, "angle");
            made.Translation = Tree.Real(map, "translation");
            made.Length = Tree.Real(map, "length");
            made.Speed = Tree.Real(map, "speed");
            made.SideA = Tree.Real(map, "side_a");
            made.SideB = Tree.Real(map, "side_b");
            made.Force = Tree.Vector(map, "force");
            made.Torque = Tree.Real(map, "torque");
            return made;
        }
    }

    /// <summary>A joint: its kind, its bodies, and the arguments of its kind that are in effect.</summary>
    public sealed class JointMap
    {
        /// <summary>Its id.</summary>
        public ulong Joint;
        /// <summary>As in `joint.create`.</summary>
        public string Kind;
        /// <summary>The first body; 0: none.</summary>
        public ulong A;
        /// <summary>The second body; 0: none.</summary>
        public ulong B;
        /// <summary>As in `joint.create`.</summary>
        public bool CollideConnected;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? AnchorA;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? AnchorB;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? Axis;
        /// <summary>As in `joint.create`.</summary>
        public double? ReferenceAngle;
        /// <summary>As in `joint.create`.</summary>
        public double? Length;
        /// <summary>As in `joint.create`.</summary>
        public double? Lower;
        /// <summary>As in `joint.create`.</summary>
        public double? Upper;
        /// <summary>As in `joint.create`.</summary>
        public double? MotorSpeed;
        /// <summary>As in `joint.create`.</summary>
        public double? MaxForce;
        /// <summary>As in `joint.create`.</summary>
        public double? MaxTorque;
        /// <summary>As in `joint.create`.</summary>
        public double? Hertz;
        /// <summary>As in `joint.create`.</summary>
        public double? DampingRatio;
        /// <summary>As in `joint.create`.</summary>
        public double? AngularHertz;
        /// <summary>As in `joint.create`.</summary>
        public double? AngularDampingRatio;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? Target;
        /// <summary>As in `joint.create`.</summary>
        public double? TargetAngle;
        /// <summary>As in `joint.create`.</summary>
        public double? TargetTranslation;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? Velocity;
        /// <summary>As in `joint.create`.</summary>
        public double? Ratio;
        /// <summary>As in `joint.create`.</summary>
        public ulong? JointA;
        /// <summary>As in `joint.create`.</summary>
        public ulong? JointB;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? GroundA;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? GroundB;
        /// <summary>As in `joint.create`.</summary>
        public double? BreakForce;
        /// <summary>As in `joint.create`.</summary>
        public double? BreakTorque;
        /// <summary>Where the anchors are now, in the world. [m]</summary>
        public Vec2[] Points;
        /// <summary>How it is now.</summary>
        public JointStateResult State;

        internal static JointMap From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new JointMap();
            made.Joint = Tree.UInt(map, "joint");
            made.Kind = Tree.Text(map, "kind");
            made.A = Tree.UInt(map, "a");
            made.B = Tree.UInt(map, "b");
            made.CollideConnected = Tree.Bool(map, "collide_connected");
            made.AnchorA = map.ContainsKey("anchor_a") ? Tree.Vector(map, "anchor_a") : (Vec2?)null;
            made.AnchorB = map.ContainsKey("anchor_b") ? Tree.Vector(map, "anchor_b") : (Vec2?)null;
            made.Axis = map.ContainsKey("axis") ? Tree.Vector(map, "axis") : (Vec2?)null;
            made.ReferenceAngle = map.ContainsKey("reference_angle") ? Tree.Real(map, "reference_angle") : (double?)null;
            made.Length = map.ContainsKey("length") ? Tree.Real(map, "length") : (double?)null;
            made.Lower = map.ContainsKey("lower") ? Tree.Real(map, "lower") : (double?)null;
            made.Upper = map.ContainsKey("upper") ? Tree.Real(map, "upper") : (double?)null;
            made.MotorSpeed = map.ContainsKey("motor_speed") ? Tree.Real(map, "motor_speed") : (double?)null;
            made.MaxForce = map.ContainsKey("max_force") ? Tree.Real(map, "max_force") : (double?)null;
            made.MaxTorque = map.ContainsKey("max_torque") ? Tree.Real(map, "max_torque") : (double?)null;
            made.Hertz = map.ContainsKey("hertz") ? Tree.Real(map, "hertz") : (double?)null;
            made.DampingRatio = map.ContainsKey("damping_ratio") ? Tree.Real(map, "damping_ratio") : (double?)null;
            made.AngularHertz = map.ContainsKey("angular_hertz") ? Tree.Real(map, "angular_hertz") : (double?)null;
            made.AngularDampingRatio = map.ContainsKey("angular_damping_ratio") ? Tree.Real(map, "angular_damping_ratio") : (double?)null;
            made.Target = map.ContainsKey("target") ? Tree.Vector(map, "target") : (Vec2?)null;
            made.TargetAngle = map.ContainsKey("target_angle") ? Tree.Real(map, "target_angle") : (double?)null;
            made.TargetTranslation = map.ContainsKey("target_translation") ? Tree.Real(map, "target_translation") : (double?)null;
            made.Velocity = map.ContainsKey("velocity") ? Tree.Vector(map, "velocity") : (Vec2?)null;
            made.Ratio = map.ContainsKey("ratio") ? Tree.Real(map, "ratio") : (double?)null;
            made.JointA = map.ContainsKey("joint_a") ? Tree.UInt(map, "joint_a") : (ulong?)null;
            made.JointB = map.ContainsKey("joint_b") ? Tree.UInt(map, "joint_b") : (ulong?)null;
            made.GroundA = map.ContainsKey("ground_a") ? Tree.Vector(map, "ground_a") : (Vec2?)null;
            made.GroundB = map.ContainsKey("ground_b") ? Tree.Vector(map, "ground_b") : (Vec2?)null;
            made.BreakForce = map.ContainsKey("break_force") ? Tree.Real(map, "break_force") : (double?)null;
            made.BreakTorque = map.ContainsKey("break_torque") ? Tree.Real(map, "break_torque") : (double?)null;
            made.Points = Tree.Vectors(map, "points");
            made.State = JointStateResult.From(Tree.Any(map, "state"));
            return made;
        }
    }

    /// <summary>The answer of joint.get.</summary>
    public sealed class JointGetResult
    {
        /// <summary>Its id.</summary>
        public ulong Joint;
        /// <summary>As in `joint.create`.</summary>
        public string Kind;
        /// <summary>The first body; 0: none.</summary>
        public ulong A;
        /// <summary>The second body; 0: none.</summary>
        public ulong B;
        /// <summary>As in `joint.create`.</summary>
        public bool CollideConnected;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? AnchorA;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? AnchorB;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? Axis;
        /// <summary>As in `joint.create`.</summary>
        public double? ReferenceAngle;
        /// <summary>As in `joint.create`.</summary>
        public double? Length;
        /// <summary>As in `joint.create`.</summary>
        public double? Lower;
        /// <summary>As in `joint.create`.</summary>
        public double? Upper;
        /// <summary>As in `joint.create`.</summary>
        public double? MotorSpeed;
        /// <summary>As in `joint.create`.</summary>
        public double? MaxForce;
        /// <summary>As in `joint.create`.</summary>
        public double? MaxTorque;
        /// <summary>As in `joint.create`.</summary>
        public double? Hertz;
        /// <summary>As in `joint.create`.</summary>
        public double? DampingRatio;
        /// <summary>As in `joint.create`.</summary>
        public double? AngularHertz;
        /// <summary>As in `joint.create`.</summary>
        public double? AngularDampingRatio;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? Target;
        /// <summary>As in `joint.create`.</summary>
        public double? TargetAngle;
        /// <summary>As in `joint.create`.</summary>
        public double? TargetTranslation;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? Velocity;
        /// <summary>As in `joint.create`.</summary>
        public double? Ratio;
        /// <summary>As in `joint.create`.</summary>
        public ulong? JointA;
        /// <summary>As in `joint.create`.</summary>
        public ulong? JointB;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? GroundA;
        /// <summary>As in `joint.create`.</summary>
        public Vec2? GroundB;
        /// <summary>As in `joint.create`.</summary>
        public double? BreakForce;
        /// <summary>As in `joint.create`.</summary>
        public double? BreakTorque;
        /// <summary>Where the anchors are now, in the world. [m]</summary>
        public Vec2[] Points;
        /// <summary>How it is now.</summary>
        public JointStateResult State;

        internal static JointGetResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new JointGetResult();
            made.Joint = Tree.UInt(map, "joint");
            made.Kind = Tree.Text(map, "kind");
            made.A = Tree.UInt(map, "a");
            made.B = Tree.UInt(map, "b");
            made.CollideConnected = Tree.Bool(map, "collide_connected");
            made.AnchorA = map.ContainsKey("anchor_a") ? Tree.Vector(map, "anchor_a") : (Vec2?)null;
            made.AnchorB = map.ContainsKey("anchor_b") ? Tree.Vector(map, "anchor_b") : (Vec2?)null;
            made.Axis = map.ContainsKey("axis") ? Tree.Vector(map, "axis") : (Vec2?)null;
            made.ReferenceAngle = map.ContainsKey("reference_angle") ? Tree.Real(map, "reference_angle") : (double?)null;
            made.Length = map.ContainsKey("length") ? Tree.Real(map, "length") : (double?)null;
            made.Lower = map.ContainsKey("lower") ? Tree.Real(map, "lower") : (double?)null;
            made.Upper = map.ContainsKey("upper") ? Tree.Real(map, "upper") : (double?)null;
            made.MotorSpeed = map.ContainsKey("motor_speed") ? Tree.Real(map, "motor_speed") : (double?)null;
            made.MaxForce = map.ContainsKey("max_force") ? Tree.Real(map, "max_force") : (double?)null;
            made.MaxTorque = map.ContainsKey("max_torque") ? Tree.Real(map, "max_torque") : (double?)null;
            made.Hertz = map.ContainsKey("hertz") ? Tree.Real(map, "hertz") : (double?)null;
            made.DampingRatio = map.ContainsKey("damping_ratio") ? Tree.Real(map, "damping_ratio") : (double?)null;
            made.AngularHertz = map.ContainsKey("angular_hertz") ? Tree.Real(map, "angular_hertz") : (double?)null;
            made.AngularDampingRatio = map.ContainsKey("angular_damping_ratio") ? Tree.Real(map, "angular_damping_ratio") : (double?)null;
            made.Target = map.ContainsKey("target") ? Tree.Vector(map, "target") : (Vec2?)null;
            made.TargetAngle = map.ContainsKey("target_angle") ? Tree.Real(map, "target_angle") : (double?)null;
            made.TargetTranslation = map.ContainsKey("target_translation") ? Tree.Real(map, "target_translation") : (double?)null;
            made.Velocity = map.ContainsKey("velocity") ? Tree.Vector(map, "velocity") : (Vec2?)null;
            made.Ratio = map.ContainsKey("ratio") ? Tree.Real(map, "ratio") : (double?)null;
            made.JointA = map.ContainsKey("joint_a") ? Tree.UInt(map, "joint_a") : (ulong?)null;
            made.JointB = map.ContainsKey("joint_b") ? Tree.UInt(map, "joint_b") : (ulong?)null;
            made.GroundA = map.ContainsKey("ground_a") ? Tree.Vector(map, "ground_a") : (Vec2?)null;
            made.GroundB = map.ContainsKey("ground_b") ? Tree.Vector(map, "ground_b") : (Vec2?)null;
            made.BreakForce = map.ContainsKey("break_force") ? Tree.Real(map, "break_force") : (double?)null;
            made.BreakTorque = map.ContainsKey("break_torque") ? Tree.Real(map, "break_torque") : (double?)null;
            made.Points = Tree.Vectors(map, "points");
            made.State = JointStateResult.From(Tree.Any(map, "state"));
            return made;
        }
    }

    /// <summary>The answer of joint.create.</summary>
    public sealed class JointCreateResult
    {
        /// <summary>The joint's id.</summary>
        public ulong Joint;
        /// <summary>The tick whose state shows it first.</summary>
        public ulong Tick;

        internal static JointCreateResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new JointCreateResult();
            made.Joint = Tree.UInt(map, "joint");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>The answer of joint.list.</summary>
    public sealed class JointListResult
    {
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>The tick that was read.</summary>
        public ulong Tick;
        /// <summary>Full joint maps.</summary>
        public JointMap[] Joints;

        internal static JointListResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new JointListResult();
            made.World = Tree.Text(map, "world");
            made.Tick = Tree.UInt(map, "tick");
            made.Joints = Tree.List(Tree.Any(map, "joints"), JointMap.From);
            return made;
        }
    }

    /// <summary>A shape that a ray or a moving shape meets.</summary>
    public sealed class HitResult
    {
        /// <summary>The body.</summary>
        public ulong Body;
        /// <summary>Its shape.</summary>
        public ulong Shape;
        /// <summary>The place of the hit. [m]</summary>
        public Vec2 Point;
        /// <summary>Unit vector out of the shape; [0, 0] where the path begins in it.</summary>
        public Vec2 Normal;
        /// <summary>The share of the path up to the hit, 0 to 1.</summary>
        public double Fraction;

        internal static HitResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new HitResult();
            made.Body = Tree.UInt(map, "body");
            made.Shape = Tree.UInt(map, "shape");
            made.Point = Tree.Vector(map, "point");
            made.Normal = Tree.Vector(map, "normal");
            made.Fraction = Tree.Real(map, "fraction");
            return made;
        }
    }

    /// <summary>The answer of query.nearest; nil where there is nothing.</summary>
    public sealed class NearResult
    {
        /// <summary>The tick, or moment between two, that the read named.</summary>
        public double? At;
        /// <summary>The body.</summary>
        public ulong Body;
        /// <summary>Its shape.</summary>
        public ulong Shape;
        /// <summary>The nearest point of the shape; the given point if that is inside. [m]</summary>
        public Vec2 Point;
        /// <summary>0 inside. [m]</summary>
        public double Distance;

        internal static NearResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new NearResult();
            made.At = map.ContainsKey("at") ? Tree.Real(map, "at") : (double?)null;
            made.Body = Tree.UInt(map, "body");
            made.Shape = Tree.UInt(map, "shape");
            made.Point = Tree.Vector(map, "point");
            made.Distance = Tree.Real(map, "distance");
            return made;
        }
    }

    /// <summary>A key's value, by the key.</summary>
    public sealed class DatumResult
    {
        /// <summary>The value.</summary>
        public object Value;
        /// <summary>The number of its last change: above all earlier ones of the world.</summary>
        public ulong Version;

        internal static DatumResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new DatumResult();
            made.Value = Tree.Any(map, "value");
            made.Version = Tree.UInt(map, "version");
            return made;
        }
    }

    /// <summary>The answer of data.set.</summary>
    public sealed class DataSetResult
    {
        /// <summary>The key's version from now on.</summary>
        public ulong Version;
        /// <summary>The tick whose state shows it first.</summary>
        public ulong Tick;

        internal static DataSetResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new DataSetResult();
            made.Version = Tree.UInt(map, "version");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>The answer of data.get.</summary>
    public sealed class DataResult
    {
        /// <summary>The keys that are there, each with its value and version.</summary>
        public Dictionary<string, DatumResult> Data;
        /// <summary>The tick that was read.</summary>
        public ulong Tick;

        internal static DataResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new DataResult();
            made.Data = Tree.Table(Tree.Any(map, "data"), DatumResult.From);
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>The answer of world.join.</summary>
    public sealed class JoinResult
    {
        /// <summary>The name of the world in which the session has a seat.</summary>
        public string World;
        /// <summary>The seat, 1 to the world's number of seats.</summary>
        public ulong Seat;
        /// <summary>Whether this join made the world.</summary>
        public bool Created;
        /// <summary>The tick whose state has the seat.</summary>
        public ulong Tick;

        internal static JoinResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new JoinResult();
            made.World = Tree.Text(map, "world");
            made.Seat = Tree.UInt(map, "seat");
            made.Created = Tree.Bool(map, "created");
            made.Tick = Tree.UInt(map, "tick");
            return made;
        }
    }

    /// <summary>A taken seat.</summary>
    public sealed class SeatMap
    {
        /// <summary>Its number, from 1 on.</summary>
        public ulong Seat;
        /// <summary>The number of the session that has it.</summary>
        public ulong Session;
        /// <summary>That session's subject; left out if it has none.</summary>
        public string Subject;

        internal static SeatMap From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new SeatMap();
            made.Seat = Tree.UInt(map, "seat");
            made.Session = Tree.UInt(map, "session");
            made.Subject = Tree.Text(map, "subject");
            return made;
        }
    }

    /// <summary>A server of the fleet, as server.fleet lists it.</summary>
    public sealed class FleetNodeResult
    {
        /// <summary>Its name.</summary>
        public string Node;
        /// <summary>Whether it is the server that answers.</summary>
        public bool Self;
        /// <summary>Where clients reach it by TCP.</summary>
        public string Address;
        /// <summary>Where clients reach it by HTTP and WebSocket; left out if it has none.</summary>
        public string Http;
        /// <summary>The number of its engine's behaviour.</summary>
        public ulong Engine;
        /// <summary>Whether it takes no new worlds, as it is about to end.</summary>
        public bool Draining;
        /// <summary>Worlds that it serves.</summary>
        public ulong Worlds;
        /// <summary>Its sessions that have a connection.</summary>
        public ulong Sessions;
        /// <summary>By how much its ticks begin late: the 99th percentile since its start. [ms]</summary>
        public double LatenessMs;
        /// <summary>Memory that it may still take. [bytes]</summary>
        public ulong FreeMemory;

        internal static FleetNodeResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new FleetNodeResult();
            made.Node = Tree.Text(map, "node");
            made.Self = Tree.Bool(map, "self");
            made.Address = Tree.Text(map, "address");
            made.Http = Tree.Text(map, "http");
            made.Engine = Tree.UInt(map, "engine");
            made.Draining = Tree.Bool(map, "draining");
            made.Worlds = Tree.UInt(map, "worlds");
            made.Sessions = Tree.UInt(map, "sessions");
            made.LatenessMs = Tree.Real(map, "lateness_ms");
            made.FreeMemory = Tree.UInt(map, "free_memory");
            return made;
        }
    }

    /// <summary>A world of the fleet, as server.fleet lists it.</summary>
    public sealed class FleetWorldResult
    {
        /// <summary>Its name.</summary>
        public string World;
        /// <summary>How many servers have had it: it rises with each change.</summary>
        public ulong Term;
        /// <summary>The server that serves it; it lives if it is among `nodes`.</summary>
        public string Node;
        /// <summary>The server that takes over if that one ends; left out if there is none.</summary>
        public string Standby;
        /// <summary>
        /// Up to where the standby has its log; this and the next two only of worlds that the answering server serves,
        /// and that have a standby.
        /// </summary>
        public ulong? StandbyTick;
        /// <summary>For how long the oldest entry of the log that the standby does not have has waited; 0 if it has all. [s]</summary>
        public double? LagS;
        /// <summary>Bytes of the log that it does not have.</summary>
        public ulong? LagBytes;
        /// <summary>The number of its engine's behaviour.</summary>
        public ulong Engine;
        /// <summary>Its ticks a second. [1/s]</summary>
        public double Hz;
        /// <summary>Where clients reach its server by TCP.</summary>
        public string Address;
        /// <summary>Likewise by HTTP and WebSocket; left out if it has none.</summary>
        public string Http;

        internal static FleetWorldResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new FleetWorldResult();
            made.World = Tree.Text(map, "world");
            made.Term = Tree.UInt(map, "term");
            made.Node = Tree.Text(map, "node");
            made.Standby = Tree.Text(map, "standby");
            made.StandbyTick = map.ContainsKey("standby_tick") ? Tree.UInt(map, "standby_tick") : (ulong?)null;
            made.LagS = map.ContainsKey("lag_s") ? Tree.Real(map, "lag_s") : (double?)null;
            made.LagBytes = map.ContainsKey("lag_bytes") ? Tree.UInt(map, "lag_bytes") : (ulong?)null;
            made.Engine = Tree.UInt(map, "engine");
            made.Hz = Tree.Real(map, "hz");
            made.Address = Tree.Text(map, "address");
            made.Http = Tree.Text(map, "http");
            return made;
        }
    }

    /// <summary>The answer of server.fleet.</summary>
    public sealed class FleetResult
    {
        /// <summary>Where its records are in etcd.</summary>
        public string Prefix;
        /// <summary>Only while etcd does not answer this server: why. What it lists may then be old.</summary>
        public string StoreError;
        /// <summary>The servers that live, by their names.</summary>
        public FleetNodeResult[] Nodes;
        /// <summary>The worlds, by their names.</summary>
        public FleetWorldResult[] Worlds;
        /// <summary>How many worlds there are in all.</summary>
        public ulong Total;

        internal static FleetResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new FleetResult();
            made.Prefix = Tree.Text(map, "prefix");
            made.StoreError = Tree.Text(map, "store_error");
            made.Nodes = Tree.List(Tree.Any(map, "nodes"), FleetNodeResult.From);
            made.Worlds = Tree.List(Tree.Any(map, "worlds"), FleetWorldResult.From);
            made.Total = Tree.UInt(map, "total");
            return made;
        }
    }

    /// <summary>The answer of world.move.</summary>
    public sealed class WorldMoveResult
    {
        /// <summary>The world's name.</summary>
        public string World;
        /// <summary>The server that serves it now.</summary>
        public string Node;
        /// <summary>How many servers have had it.</summary>
        public ulong Term;

        internal static WorldMoveResult From(object value)
        {
            var map = value as Dictionary<string, object>;
            if (map == null) return null;
            var made = new WorldMoveResult();
            made.World = Tree.Text(map, "world");
            made.Node = Tree.Text(map, "node");
            made.Term = Tree.UInt(map, "term");
            return made;
        }
    }

    /// <summary>
    /// hello: Introduces the client; the answer has the limits that the client must keep. Least role: none. Answers
    /// {protocol, server, version, session, resume, role, limits}.
    /// </summary>
    public sealed class Hello : Arguments<HelloResult>
    {
        internal override string Method => "hello";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>The version that the client speaks. [1 to 4294967295] Default 1.</summary>
        public long? Protocol;
        /// <summary>Name and version of the client, for logs. Default "".</summary>
        public string Client;
        /// <summary>A token that says who the client is, if the server asks for one.</summary>
        public string Token;
        /// <summary>The secret from an earlier hello's answer, to resume that session.</summary>
        public string Resume;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "protocol", Protocol);
            Put(map, "client", Client);
            Put(map, "token", Token);
            Put(map, "resume", Resume);
        }

        internal override HelloResult Read(object answer)
        {
            return HelloResult.From(answer);
        }
    }

    /// <summary>ping: Answers at once. Least role: none. Answers {time, any}: the server's monotonic seconds, and what was sent.</summary>
    public sealed class Ping : Arguments<PingResult>
    {
        internal override string Method => "ping";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Any value; the answer has it unchanged.</summary>
        public object Any;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "any", Any);
        }

        internal override PingResult Read(object answer)
        {
            return PingResult.From(answer);
        }
    }

    /// <summary>goodbye: Ends the session: nothing is kept for a resume. Least role: none. Answers {}.</summary>
    public sealed class Goodbye : Arguments<object>
    {
        internal override string Method => "goodbye";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override object Read(object answer)
        {
            return answer;
        }
    }

    /// <summary>
    /// server.info: The server's version, uptime and limits. Least role: viewer. Answers {server, version, protocol,
    /// uptime, worlds, sessions, limits, templates}.
    /// </summary>
    public sealed class ServerInfo : Arguments<ServerInfoResult>
    {
        internal override string Method => "server.info";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override ServerInfoResult Read(object answer)
        {
            return ServerInfoResult.From(answer);
        }
    }

    /// <summary>
    /// server.stats: The server's counters and latencies since it began. Least role: viewer. Answers {counters,
    /// latencies}.
    /// </summary>
    public sealed class ServerStats : Arguments<ServerStatsResult>
    {
        internal override string Method => "server.stats";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Whether the answer includes the bins of each latency. Default false.</summary>
        public bool? Bins;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "bins", Bins);
        }

        internal override ServerStatsResult Read(object answer)
        {
            return ServerStatsResult.From(answer);
        }
    }

    /// <summary>server.sessions: The sessions, by their numbers. Least role: admin. Answers {sessions, total}.</summary>
    public sealed class ServerSessions : Arguments<SessionsResult>
    {
        internal override string Method => "server.sessions";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Only sessions with a number above this one. [0 to 9007199254740991] Default 0.</summary>
        public long? After;
        /// <summary>The maximum of sessions in the answer. [1 to 1000] Default 1000.</summary>
        public long? Count;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "after", After);
            Put(map, "count", Count);
        }

        internal override SessionsResult Read(object answer)
        {
            return SessionsResult.From(answer);
        }
    }

    /// <summary>server.kick: Ends a session and closes its connection. Least role: admin. Answers {}.</summary>
    public sealed class ServerKick : Arguments<object>
    {
        internal override string Method => "server.kick";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>The session's number. Required.</summary>
        public Id Session;
        /// <summary>Text for the session's client. Default "closed by an administrator".</summary>
        public string Reason;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "session", Session);
            Put(map, "reason", Reason);
        }

        internal override object Read(object answer)
        {
            return answer;
        }
    }

    /// <summary>
    /// world.create: Makes a world, which begins to run unless it is paused. Least role: admin. Answers {world, epoch,
    /// tick, created}.
    /// </summary>
    public sealed class WorldCreate : Arguments<WorldCreateResult>
    {
        internal override string Method => "world.create";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Acceleration of every dynamic body. [-10000 to 10000 m/s²] Default [0, -9.81].</summary>
        public Vec2? Gravity;
        /// <summary>Ticks in a second. [1 to 1000 1/s] Default 60.</summary>
        public double? Hz;
        /// <summary>Solver steps in a tick. [1 to 64] Default 4.</summary>
        public long? Substeps;
        /// <summary>Whether the world begins paused. Default false.</summary>
        public bool? Paused;
        /// <summary>Maximum of bodies; more are refused with limit_exceeded. [1 to 1048576] Default 1048576.</summary>
        public long? MaxBodies;
        /// <summary>
        /// How much a restart restores; if left out: normal where the server keeps logs, else none. One of none,
        /// normal, full, replicated.
        /// </summary>
        public string Durability;
        /// <summary>Bodies at rest may sleep. Default true.</summary>
        public bool? Sleep;
        /// <summary>Whether fast bodies are swept against static and kinematic ones. Default true.</summary>
        public bool? Continuous;
        /// <summary>Slower impacts do not bounce. [0 to 4000 m/s] Default 0.5.</summary>
        public double? RestitutionThreshold;
        /// <summary>Slower impacts make no hit event. [0 to 4000 m/s] Default 1.</summary>
        public double? HitThreshold;
        /// <summary>Bodies below this speed may sleep; 0: none sleeps. [0 to 4000 m/s] Default 0.05.</summary>
        public double? SleepSpeed;
        /// <summary>A scene that the server has; its settings apply where none are given here.</summary>
        public string Scene;
        /// <summary>Whether an existing world of that name is the answer instead of an error. Default false.</summary>
        public bool? IfAbsent;
        /// <summary>
        /// Whether the world ends with the server, or with the session that made it. One of server, session. Default
        /// "server".
        /// </summary>
        public string Lifetime;
        /// <summary>An image that world.image answered: the world begins as that one, with its settings.</summary>
        public byte[] Image;
        /// <summary>The bounds of the role player here: a map of maxima; {} ends them.</summary>
        public Players Players;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "gravity", Gravity);
            Put(map, "hz", Hz);
            Put(map, "substeps", Substeps);
            Put(map, "paused", Paused);
            Put(map, "max_bodies", MaxBodies);
            Put(map, "durability", Durability);
            Put(map, "sleep", Sleep);
            Put(map, "continuous", Continuous);
            Put(map, "restitution_threshold", RestitutionThreshold);
            Put(map, "hit_threshold", HitThreshold);
            Put(map, "sleep_speed", SleepSpeed);
            Put(map, "scene", Scene);
            Put(map, "if_absent", IfAbsent);
            Put(map, "lifetime", Lifetime);
            Put(map, "image", Image);
            Put(map, "players", Players);
        }

        internal override WorldCreateResult Read(object answer)
        {
            return WorldCreateResult.From(answer);
        }
    }

    /// <summary>world.destroy: Ends a world and its subscriptions. Least role: admin. Answers {world, tick}: its last tick.</summary>
    public sealed class WorldDestroy : Arguments<WorldTickResult>
    {
        internal override string Method => "world.destroy";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override WorldTickResult Read(object answer)
        {
            return WorldTickResult.From(answer);
        }
    }

    /// <summary>world.list: All worlds. Least role: viewer. Answers [info]: each as world.info answers, by name.</summary>
    public sealed class WorldList : Arguments<WorldInfoResult[]>
    {
        internal override string Method => "world.list";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override WorldInfoResult[] Read(object answer)
        {
            return Tree.List(answer, WorldInfoResult.From);
        }
    }

    /// <summary>world.info: A world in numbers. Least role: viewer. Answers {world, epoch, tick, time, hz, …}.</summary>
    public sealed class WorldInfo : Arguments<WorldInfoResult>
    {
        internal override string Method => "world.info";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override WorldInfoResult Read(object answer)
        {
            return WorldInfoResult.From(answer);
        }
    }

    /// <summary>world.pause: Pauses a world; no error if it is paused already. Least role: referee. Answers {world, tick}.</summary>
    public sealed class WorldPause : Arguments<WorldTickResult>
    {
        internal override string Method => "world.pause";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override WorldTickResult Read(object answer)
        {
            return WorldTickResult.From(answer);
        }
    }

    /// <summary>world.resume: Resumes a paused world; no error if it is running. Least role: referee. Answers {world, tick}.</summary>
    public sealed class WorldResume : Arguments<WorldTickResult>
    {
        internal override string Method => "world.resume";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override WorldTickResult Read(object answer)
        {
            return WorldTickResult.From(answer);
        }
    }

    /// <summary>world.step: Runs some ticks of a paused world. Least role: referee. Answers {world, tick}: when they are done.</summary>
    public sealed class WorldStep : Arguments<WorldTickResult>
    {
        internal override string Method => "world.step";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Number of ticks. [1 to 100000] Default 1.</summary>
        public long? Ticks;
        /// <summary>
        /// The tick to go to, instead of `ticks`; a world that replays a recording can go back too. [0 to
        /// 9007199254740991]
        /// </summary>
        public long? To;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "ticks", Ticks);
            Put(map, "to", To);
        }

        internal override WorldTickResult Read(object answer)
        {
            return WorldTickResult.From(answer);
        }
    }

    /// <summary>world.set: Changes a world's settings; at least one must be given. Least role: referee. Answers {tick}.</summary>
    public sealed class WorldSet : Arguments<TickResult>
    {
        internal override string Method => "world.set";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>Acceleration of every dynamic body. [-10000 to 10000 m/s²]</summary>
        public Vec2? Gravity;
        /// <summary>Bodies at rest may sleep.</summary>
        public bool? Sleep;
        /// <summary>Slower impacts do not bounce. [0 to 4000 m/s]</summary>
        public double? RestitutionThreshold;
        /// <summary>Bodies below this speed may sleep; 0: none sleeps. [0 to 4000 m/s]</summary>
        public double? SleepSpeed;
        /// <summary>The bounds of the role player here: a map of maxima; {} ends them.</summary>
        public Players Players;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "gravity", Gravity);
            Put(map, "sleep", Sleep);
            Put(map, "restitution_threshold", RestitutionThreshold);
            Put(map, "sleep_speed", SleepSpeed);
            Put(map, "players", Players);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>world.image: The whole state of a world, to the bit, as bytes. Least role: admin. Answers {image, tick, hash}.</summary>
    public sealed class WorldImage : Arguments<WorldImageResult>
    {
        internal override string Method => "world.image";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override WorldImageResult Read(object answer)
        {
            return WorldImageResult.From(answer);
        }
    }

    /// <summary>
    /// world.fork: Makes a second world with the same state, which then runs independently. Least role: admin. Answers
    /// {world, epoch, tick, created}.
    /// </summary>
    public sealed class WorldFork : Arguments<WorldCreateResult>
    {
        internal override string Method => "world.fork";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>The second world's name. Required.</summary>
        public string As;
        /// <summary>
        /// How much a restart restores; if left out: normal where the server keeps logs, else none. One of none,
        /// normal, full, replicated.
        /// </summary>
        public string Durability;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "as", As);
            Put(map, "durability", Durability);
        }

        internal override WorldCreateResult Read(object answer)
        {
            return WorldCreateResult.From(answer);
        }
    }

    /// <summary>
    /// world.state: All bodies and joints of a world. Least role: viewer. Answers {world, tick, hash, bodies, joints}:
    /// full body maps.
    /// </summary>
    public sealed class WorldState : Arguments<StateResult>
    {
        internal override string Method => "world.state";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]</summary>
        public long? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "at", At);
        }

        internal override StateResult Read(object answer)
        {
            return StateResult.From(answer);
        }
    }

    /// <summary>
    /// world.contacts: The pairs of shapes that touch, of the world or of one body. Least role: viewer. Answers {world,
    /// tick, contacts}: each {a, b, shape_a, shape_b, normal, points}.
    /// </summary>
    public sealed class WorldContacts : Arguments<ContactsResult>
    {
        internal override string Method => "world.contacts";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>Only contacts of this body.</summary>
        public Id? Body;
        /// <summary>A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]</summary>
        public long? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "at", At);
        }

        internal override ContactsResult Read(object answer)
        {
            return ContactsResult.From(answer);
        }
    }

    /// <summary>
    /// world.apply: Applies many commands in one tick, all of them or none. Least role: player. Answers {tick,
    /// results}: what each alone would have answered; with at also late and margin.
    /// </summary>
    public sealed class WorldApply : Arguments<BatchResult>
    {
        internal override string Method => "world.apply";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>Commands, each with its method's own arguments, without world. Required.</summary>
        public Batch Commands;
        /// <summary>The tick whose state shows them first; the next one, if left out. [0 to 9007199254740991]</summary>
        public long? At;
        /// <summary>
        /// The treatment of a batch whose tick is over: an error, applied with the next tick, or not applied. One of
        /// refuse, next, drop. Default "refuse".
        /// </summary>
        public string Late;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "commands", Commands);
            Put(map, "at", At);
            Put(map, "late", Late);
        }

        internal override BatchResult Read(object answer)
        {
            return BatchResult.From(answer);
        }
    }

    /// <summary>world.subscribe: Sends snapshots from now on. Least role: viewer. Answers {subscription, epoch, tick}.</summary>
    public sealed class WorldSubscribe : Arguments<SubscribeResult>
    {
        internal override string Method => "world.subscribe";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Snapshots a second at most; one a tick, if left out. [0.01 to 1000 1/s]</summary>
        public double? Rate;
        /// <summary>
        /// The encoding of bodies; log: the world's commands, for a replica. One of plain, packed, log. Default
        /// "plain".
        /// </summary>
        public string Encoding;
        /// <summary>The values that encoding packed sends, and their steps; no other encoding takes it.</summary>
        public Precision Precision;
        /// <summary>Only bodies whose box meets it; the whole world, if left out. [-1000000 to 1000000 m]</summary>
        public double[] Area;
        /// <summary>A body that the area moves with; the area is then relative to its position.</summary>
        public Id? Follow;
        /// <summary>
        /// A body stays in view until it is farther than this from the area. A sixteenth of the area's shorter side, if
        /// left out. [0 to 1000000 m]
        /// </summary>
        public double? Margin;
        /// <summary>
        /// Bytes for snapshots; if not all changed bodies fit, they take turns. No bound, if left out. [256 to
        /// 1000000000 B/s]
        /// </summary>
        public double? Budget;
        /// <summary>Whether rows of bodies are sent; false for events alone. Default true.</summary>
        public bool? Bodies;
        /// <summary>
        /// The kinds of events that are sent. One of begin, stay, end, hit, sensor_begin, sensor_end, sleep, wake,
        /// spawn, remove, joint_break, freeze, message, join, leave. Default ["begin", "end"].
        /// </summary>
        public string[] Events;
        /// <summary>Whether the points of every touching pair are sent, for drawing. Default false.</summary>
        public bool? Contacts;
        /// <summary>Whether full maps of bodies and joints are sent when they are new or were changed. Default false.</summary>
        public bool? Describe;
        /// <summary>
        /// `compact` of hello's answer, for encoding log, if the reader has the same number. [0 to 4294967295] Default
        /// 0.
        /// </summary>
        public long? Compact;
        /// <summary>Whether changes of the world's data are sent: true for all keys, or the prefixes of the wanted keys.</summary>
        public object Data;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "rate", Rate);
            Put(map, "encoding", Encoding);
            Put(map, "precision", Precision);
            Put(map, "area", Area);
            Put(map, "follow", Follow);
            Put(map, "margin", Margin);
            Put(map, "budget", Budget);
            Put(map, "bodies", Bodies);
            Put(map, "events", Events);
            Put(map, "contacts", Contacts);
            Put(map, "describe", Describe);
            Put(map, "compact", Compact);
            Put(map, "data", Data);
        }

        internal override SubscribeResult Read(object answer)
        {
            return SubscribeResult.From(answer);
        }
    }

    /// <summary>world.unsubscribe: Ends a subscription. Least role: viewer. Answers {}.</summary>
    public sealed class WorldUnsubscribe : Arguments<object>
    {
        internal override string Method => "world.unsubscribe";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>The number that world.subscribe gave. Required.</summary>
        public Id Subscription;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "subscription", Subscription);
        }

        internal override object Read(object answer)
        {
            return answer;
        }
    }

    /// <summary>world.view: Moves a subscription's area. Least role: viewer. Answers {}.</summary>
    public sealed class WorldView : Arguments<object>
    {
        internal override string Method => "world.view";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>The number that world.subscribe gave. Required.</summary>
        public Id Subscription;
        /// <summary>The new area; the whole world, if left out. [-1000000 to 1000000 m]</summary>
        public double[] Area;
        /// <summary>A body that the area moves with; the area is then relative to its position.</summary>
        public Id? Follow;
        /// <summary>A body stays in view until it is farther than this from the area. Unchanged, if left out. [0 to 1000000 m]</summary>
        public double? Margin;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "subscription", Subscription);
            Put(map, "area", Area);
            Put(map, "follow", Follow);
            Put(map, "margin", Margin);
        }

        internal override object Read(object answer)
        {
            return answer;
        }
    }

    /// <summary>
    /// body.spawn: Makes a body with its shapes. Least role: player. Answers {body, shapes, tick}: the ids, shapes in
    /// the order given.
    /// </summary>
    public sealed class BodySpawn : Arguments<SpawnResult>
    {
        internal override string Method => "body.spawn";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>
        /// static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. One of static, kinematic,
        /// dynamic. Default "dynamic".
        /// </summary>
        public string Type;
        /// <summary>Place of the body's origin. [-1000000 to 1000000 m] Default [0, 0].</summary>
        public Vec2? Position;
        /// <summary>Counter-clockwise. [-1000000000 to 1000000000 rad] Default 0.</summary>
        public double? Angle;
        /// <summary>Velocity of the centre of mass. [-4000 to 4000 m/s] Default [0, 0].</summary>
        public Vec2? Velocity;
        /// <summary>Counter-clockwise. [-4000 to 4000 rad/s] Default 0.</summary>
        public double? AngularVelocity;
        /// <summary>Loss of velocity. [0 to 1000000 1/s] Default 0.</summary>
        public double? LinearDamping;
        /// <summary>Loss of angular velocity. [0 to 1000000 1/s] Default 0.</summary>
        public double? AngularDamping;
        /// <summary>Share of the world's gravity. [-1000000 to 1000000] Default 1.</summary>
        public double? GravityScale;
        /// <summary>Never turns. Default false.</summary>
        public bool? FixedRotation;
        /// <summary>A dynamic body that is swept against moving bodies too. Default false.</summary>
        public bool? Bullet;
        /// <summary>May sleep when it is at rest. Default true.</summary>
        public bool? AllowSleep;
        /// <summary>Moves; false puts it to sleep. Default true.</summary>
        public bool? Awake;
        /// <summary>A disabled body neither moves nor collides. Default true.</summary>
        public bool? Enabled;
        /// <summary>Mass of the body; 0: the sum of its shapes'. [0 to 1000000000000 kg] Default 0.</summary>
        public double? Mass;
        /// <summary>UTF-8 text that the server keeps for clients. Default "".</summary>
        public string Tag;
        /// <summary>The body's shapes; a body without any is a mass point of 1 kg. Required.</summary>
        public Shape[] Shapes;
        /// <summary>
        /// Whether the body ends with the world, or with the session that spawned it. One of world, session. Default
        /// "world".
        /// </summary>
        public string Lifetime;
        /// <summary>
        /// The owner; the session's subject, if left out; "" for nobody. Only a referee or an admin may name anyone
        /// else.
        /// </summary>
        public string Owner;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "type", Type);
            Put(map, "position", Position);
            Put(map, "angle", Angle);
            Put(map, "velocity", Velocity);
            Put(map, "angular_velocity", AngularVelocity);
            Put(map, "linear_damping", LinearDamping);
            Put(map, "angular_damping", AngularDamping);
            Put(map, "gravity_scale", GravityScale);
            Put(map, "fixed_rotation", FixedRotation);
            Put(map, "bullet", Bullet);
            Put(map, "allow_sleep", AllowSleep);
            Put(map, "awake", Awake);
            Put(map, "enabled", Enabled);
            Put(map, "mass", Mass);
            Put(map, "tag", Tag);
            Put(map, "shapes", Shapes);
            Put(map, "lifetime", Lifetime);
            Put(map, "owner", Owner);
        }

        internal override SpawnResult Read(object answer)
        {
            return SpawnResult.From(answer);
        }
    }

    /// <summary>body.remove: Removes a body with its shapes and joints. Least role: player. Answers {tick}.</summary>
    public sealed class BodyRemove : Arguments<TickResult>
    {
        internal override string Method => "body.remove";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>body.get: All about a body. Least role: viewer. Answers the full body map.</summary>
    public sealed class BodyGet : Arguments<BodyGetResult>
    {
        internal override string Method => "body.get";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]</summary>
        public long? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "at", At);
        }

        internal override BodyGetResult Read(object answer)
        {
            return BodyGetResult.From(answer);
        }
    }

    /// <summary>
    /// body.set: Changes the given properties, at least one; the others stay as they are. Least role: player. Answers
    /// {tick}.
    /// </summary>
    public sealed class BodySet : Arguments<TickResult>
    {
        internal override string Method => "body.set";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>
        /// static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. One of static, kinematic,
        /// dynamic.
        /// </summary>
        public string Type;
        /// <summary>Place of the body's origin. [-1000000 to 1000000 m]</summary>
        public Vec2? Position;
        /// <summary>Counter-clockwise. [-1000000000 to 1000000000 rad]</summary>
        public double? Angle;
        /// <summary>Velocity of the centre of mass. [-4000 to 4000 m/s]</summary>
        public Vec2? Velocity;
        /// <summary>Counter-clockwise. [-4000 to 4000 rad/s]</summary>
        public double? AngularVelocity;
        /// <summary>Loss of velocity. [0 to 1000000 1/s]</summary>
        public double? LinearDamping;
        /// <summary>Loss of angular velocity. [0 to 1000000 1/s]</summary>
        public double? AngularDamping;
        /// <summary>Share of the world's gravity. [-1000000 to 1000000]</summary>
        public double? GravityScale;
        /// <summary>Never turns.</summary>
        public bool? FixedRotation;
        /// <summary>A dynamic body that is swept against moving bodies too.</summary>
        public bool? Bullet;
        /// <summary>May sleep when it is at rest.</summary>
        public bool? AllowSleep;
        /// <summary>Moves; false puts it to sleep.</summary>
        public bool? Awake;
        /// <summary>A disabled body neither moves nor collides.</summary>
        public bool? Enabled;
        /// <summary>Mass of the body; 0: the sum of its shapes'. [0 to 1000000000000 kg]</summary>
        public double? Mass;
        /// <summary>UTF-8 text that the server keeps for clients.</summary>
        public string Tag;
        /// <summary>The new owner; set by the present owner, or by a referee or an admin, who may also say "" for nobody.</summary>
        public string Owner;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "type", Type);
            Put(map, "position", Position);
            Put(map, "angle", Angle);
            Put(map, "velocity", Velocity);
            Put(map, "angular_velocity", AngularVelocity);
            Put(map, "linear_damping", LinearDamping);
            Put(map, "angular_damping", AngularDamping);
            Put(map, "gravity_scale", GravityScale);
            Put(map, "fixed_rotation", FixedRotation);
            Put(map, "bullet", Bullet);
            Put(map, "allow_sleep", AllowSleep);
            Put(map, "awake", Awake);
            Put(map, "enabled", Enabled);
            Put(map, "mass", Mass);
            Put(map, "tag", Tag);
            Put(map, "owner", Owner);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>body.impulse: A push; wakes the body. Least role: player. Answers {tick}.</summary>
    public sealed class BodyImpulse : Arguments<TickResult>
    {
        internal override string Method => "body.impulse";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>Changes the velocity at once. [-1000000000000 to 1000000000000 N s] Required.</summary>
        public Vec2 Impulse;
        /// <summary>Where it acts, in the world; the centre of mass, if left out. [-1000000 to 1000000 m]</summary>
        public Vec2? Point;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "impulse", Impulse);
            Put(map, "point", Point);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>body.angular_impulse: A twist; wakes the body. Least role: player. Answers {tick}.</summary>
    public sealed class BodyAngularImpulse : Arguments<TickResult>
    {
        internal override string Method => "body.angular_impulse";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>Counter-clockwise. [-1000000000000 to 1000000000000 N m s] Required.</summary>
        public double Impulse;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "impulse", Impulse);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>body.force: Sets the force that acts from now on; wakes the body. Least role: player. Answers {tick}.</summary>
    public sealed class BodyForce : Arguments<TickResult>
    {
        internal override string Method => "body.force";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>Acts on every tick until it is set again; zero ends it. [-1000000000000 to 1000000000000 N] Required.</summary>
        public Vec2 Force;
        /// <summary>
        /// Where it acts, in the world; the force stays at that point of the body. The centre of mass, if left out.
        /// [-1000000 to 1000000 m]
        /// </summary>
        public Vec2? Point;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "force", Force);
            Put(map, "point", Point);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>body.torque: Sets the torque that acts from now on; wakes the body. Least role: player. Answers {tick}.</summary>
    public sealed class BodyTorque : Arguments<TickResult>
    {
        internal override string Method => "body.torque";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>Acts on every tick until it is set again; zero ends it. [-1000000000000 to 1000000000000 N m] Required.</summary>
        public double Torque;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "torque", Torque);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>shape.add: Gives a body another shape. Least role: player. Answers {shape, tick}.</summary>
    public sealed class ShapeAdd : Arguments<ShapeAddResult>
    {
        internal override string Method => "shape.add";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The body's id. Required.</summary>
        public Id Body;
        /// <summary>A shape as body.spawn takes it. Required.</summary>
        public Shape Shape;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "body", Body);
            Put(map, "shape", Shape);
        }

        internal override ShapeAddResult Read(object answer)
        {
            return ShapeAddResult.From(answer);
        }
    }

    /// <summary>shape.set: Changes the given properties of a shape; its form stays. Least role: player. Answers {tick}.</summary>
    public sealed class ShapeSet : Arguments<TickResult>
    {
        internal override string Method => "shape.set";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The shape's id. Required.</summary>
        public Id Shape;
        /// <summary>Mass by area. [0 to 1000000000 kg/m²]</summary>
        public double? Density;
        /// <summary>Friction; for a pair of shapes, the root of the product. [0 to 1000]</summary>
        public double? Friction;
        /// <summary>Restitution; for a pair of shapes, the larger one. [0 to 1]</summary>
        public double? Restitution;
        /// <summary>Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1]</summary>
        public double? RollingResistance;
        /// <summary>Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s]</summary>
        public double? TangentSpeed;
        /// <summary>Whether the shape reports bodies that enter it instead of colliding.</summary>
        public bool? Sensor;
        /// <summary>The shapes that it collides with; all, if left out.</summary>
        public Filter Filter;
        /// <summary>
        /// Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of contact, hit,
        /// sensor.
        /// </summary>
        public string[] Events;
        /// <summary>
        /// One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from
        /// all sides. [-1000000 to 1000000]
        /// </summary>
        public Vec2? OneWay;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "shape", Shape);
            Put(map, "density", Density);
            Put(map, "friction", Friction);
            Put(map, "restitution", Restitution);
            Put(map, "rolling_resistance", RollingResistance);
            Put(map, "tangent_speed", TangentSpeed);
            Put(map, "sensor", Sensor);
            Put(map, "filter", Filter);
            Put(map, "events", Events);
            Put(map, "one_way", OneWay);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>shape.remove: Removes a shape from its body. Least role: player. Answers {tick}.</summary>
    public sealed class ShapeRemove : Arguments<TickResult>
    {
        internal override string Method => "shape.remove";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The shape's id. Required.</summary>
        public Id Shape;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "shape", Shape);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>joint.create: Joins two bodies. Least role: player. Answers {joint, tick}.</summary>
    public sealed class JointCreate : Arguments<JointCreateResult>
    {
        internal override string Method => "joint.create";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>
        /// The kind of joint. One of revolute, prismatic, distance, weld, wheel, motor, mouse, filter, gear, pulley.
        /// Required.
        /// </summary>
        public string Kind;
        /// <summary>The first body; a mouse has none, and a gear may name joints instead.</summary>
        public Id? A;
        /// <summary>The second body.</summary>
        public Id? B;
        /// <summary>The place in the world where it acts; or anchor_a and anchor_b instead. [-1000000 to 1000000 m]</summary>
        public Vec2? Anchor;
        /// <summary>A point of a, in its frame. [-2000000 to 2000000 m]</summary>
        public Vec2? AnchorA;
        /// <summary>A point of b, in its frame. [-2000000 to 2000000 m]</summary>
        public Vec2? AnchorB;
        /// <summary>A direction in the world, of any length. [-1000000000000 to 1000000000000]</summary>
        public Vec2? Axis;
        /// <summary>
        /// The angle of b minus that of a at which the joint's angle is zero; the present one, if left out. [-1000000
        /// to 1000000 rad]
        /// </summary>
        public double? ReferenceAngle;
        /// <summary>A revolute or prismatic joint that the gear couples.</summary>
        public Id? JointA;
        /// <summary>The other joint that the gear couples; both are given, or neither.</summary>
        public Id? JointB;
        /// <summary>The place where a's rope turns, in the world. [-1000000 to 1000000 m]</summary>
        public Vec2? GroundA;
        /// <summary>The place where b's rope turns, in the world. [-1000000 to 1000000 m]</summary>
        public Vec2? GroundB;
        /// <summary>The weight of b's motion; at least 0.001 in size, &gt; 0 for a pulley. [-1000 to 1000] Default 1.</summary>
        public double? Ratio;
        /// <summary>Whether the two bodies collide with each other. Default false.</summary>
        public bool? CollideConnected;
        /// <summary>
        /// Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [0 to
        /// 2000000000 m]
        /// </summary>
        public double? Length;
        /// <summary>Lower limit. [-1000000 to 1000000 rad or m]</summary>
        public double? Lower;
        /// <summary>Upper limit. [-1000000 to 1000000 rad or m]</summary>
        public double? Upper;
        /// <summary>The speed that the motor aims at; 0: a brake. [-4000 to 4000 rad/s or m/s]</summary>
        public double? MotorSpeed;
        /// <summary>Greatest force of the motor or mouse; 0: off. [0 to 1000000000000 N]</summary>
        public double? MaxForce;
        /// <summary>Greatest torque of the motor; 0: off. [0 to 1000000000000 N m]</summary>
        public double? MaxTorque;
        /// <summary>Frequency of the spring; 0: none. [0 to 1000 1/s]</summary>
        public double? Hertz;
        /// <summary>Damping of the spring; 1: critical. [0 to 100]</summary>
        public double? DampingRatio;
        /// <summary>Frequency of the angle's spring; 0: none. [0 to 1000 1/s]</summary>
        public double? AngularHertz;
        /// <summary>Damping of the angle's spring; 1: critical. [0 to 100]</summary>
        public double? AngularDampingRatio;
        /// <summary>mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [-1000000 to 1000000 m]</summary>
        public Vec2? Target;
        /// <summary>The spring's position of rest. [-1000000 to 1000000 rad]</summary>
        public double? TargetAngle;
        /// <summary>The spring's position of rest. [-1000000 to 1000000 m]</summary>
        public double? TargetTranslation;
        /// <summary>Velocity of b's anchor that the motor aims at, in a's frame. [-4000 to 4000 m/s]</summary>
        public Vec2? Velocity;
        /// <summary>The force above which the joint breaks; 0: none. [0 to 1000000000000 N]</summary>
        public double? BreakForce;
        /// <summary>The torque above which the joint breaks; 0: none. [0 to 1000000000000 N m]</summary>
        public double? BreakTorque;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "kind", Kind);
            Put(map, "a", A);
            Put(map, "b", B);
            Put(map, "anchor", Anchor);
            Put(map, "anchor_a", AnchorA);
            Put(map, "anchor_b", AnchorB);
            Put(map, "axis", Axis);
            Put(map, "reference_angle", ReferenceAngle);
            Put(map, "joint_a", JointA);
            Put(map, "joint_b", JointB);
            Put(map, "ground_a", GroundA);
            Put(map, "ground_b", GroundB);
            Put(map, "ratio", Ratio);
            Put(map, "collide_connected", CollideConnected);
            Put(map, "length", Length);
            Put(map, "lower", Lower);
            Put(map, "upper", Upper);
            Put(map, "motor_speed", MotorSpeed);
            Put(map, "max_force", MaxForce);
            Put(map, "max_torque", MaxTorque);
            Put(map, "hertz", Hertz);
            Put(map, "damping_ratio", DampingRatio);
            Put(map, "angular_hertz", AngularHertz);
            Put(map, "angular_damping_ratio", AngularDampingRatio);
            Put(map, "target", Target);
            Put(map, "target_angle", TargetAngle);
            Put(map, "target_translation", TargetTranslation);
            Put(map, "velocity", Velocity);
            Put(map, "break_force", BreakForce);
            Put(map, "break_torque", BreakTorque);
        }

        internal override JointCreateResult Read(object answer)
        {
            return JointCreateResult.From(answer);
        }
    }

    /// <summary>
    /// joint.set: Changes the given settings, at least one; the others stay as they are. Least role: player. Answers
    /// {tick}.
    /// </summary>
    public sealed class JointSet : Arguments<TickResult>
    {
        internal override string Method => "joint.set";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The joint's id. Required.</summary>
        public Id Joint;
        /// <summary>
        /// Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [0 to
        /// 2000000000 m]
        /// </summary>
        public double? Length;
        /// <summary>Lower limit. [-1000000 to 1000000 rad or m]</summary>
        public double? Lower;
        /// <summary>Upper limit. [-1000000 to 1000000 rad or m]</summary>
        public double? Upper;
        /// <summary>The speed that the motor aims at; 0: a brake. [-4000 to 4000 rad/s or m/s]</summary>
        public double? MotorSpeed;
        /// <summary>Greatest force of the motor or mouse; 0: off. [0 to 1000000000000 N]</summary>
        public double? MaxForce;
        /// <summary>Greatest torque of the motor; 0: off. [0 to 1000000000000 N m]</summary>
        public double? MaxTorque;
        /// <summary>Frequency of the spring; 0: none. [0 to 1000 1/s]</summary>
        public double? Hertz;
        /// <summary>Damping of the spring; 1: critical. [0 to 100]</summary>
        public double? DampingRatio;
        /// <summary>Frequency of the angle's spring; 0: none. [0 to 1000 1/s]</summary>
        public double? AngularHertz;
        /// <summary>Damping of the angle's spring; 1: critical. [0 to 100]</summary>
        public double? AngularDampingRatio;
        /// <summary>mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [-1000000 to 1000000 m]</summary>
        public Vec2? Target;
        /// <summary>The spring's position of rest. [-1000000 to 1000000 rad]</summary>
        public double? TargetAngle;
        /// <summary>The spring's position of rest. [-1000000 to 1000000 m]</summary>
        public double? TargetTranslation;
        /// <summary>Velocity of b's anchor that the motor aims at, in a's frame. [-4000 to 4000 m/s]</summary>
        public Vec2? Velocity;
        /// <summary>The force above which the joint breaks; 0: none. [0 to 1000000000000 N]</summary>
        public double? BreakForce;
        /// <summary>The torque above which the joint breaks; 0: none. [0 to 1000000000000 N m]</summary>
        public double? BreakTorque;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "joint", Joint);
            Put(map, "length", Length);
            Put(map, "lower", Lower);
            Put(map, "upper", Upper);
            Put(map, "motor_speed", MotorSpeed);
            Put(map, "max_force", MaxForce);
            Put(map, "max_torque", MaxTorque);
            Put(map, "hertz", Hertz);
            Put(map, "damping_ratio", DampingRatio);
            Put(map, "angular_hertz", AngularHertz);
            Put(map, "angular_damping_ratio", AngularDampingRatio);
            Put(map, "target", Target);
            Put(map, "target_angle", TargetAngle);
            Put(map, "target_translation", TargetTranslation);
            Put(map, "velocity", Velocity);
            Put(map, "break_force", BreakForce);
            Put(map, "break_torque", BreakTorque);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>joint.remove: Removes a joint. Least role: player. Answers {tick}.</summary>
    public sealed class JointRemove : Arguments<TickResult>
    {
        internal override string Method => "joint.remove";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The joint's id. Required.</summary>
        public Id Joint;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "joint", Joint);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>joint.get: All about a joint. Least role: viewer. Answers the full joint map.</summary>
    public sealed class JointGet : Arguments<JointGetResult>
    {
        internal override string Method => "joint.get";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The joint's id. Required.</summary>
        public Id Joint;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "joint", Joint);
        }

        internal override JointGetResult Read(object answer)
        {
            return JointGetResult.From(answer);
        }
    }

    /// <summary>joint.list: All joints of a world. Least role: viewer. Answers {world, tick, joints}: full joint maps.</summary>
    public sealed class JointList : Arguments<JointListResult>
    {
        internal override string Method => "joint.list";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;


        internal override void Write(Dictionary<string, object> map)
        {
        }

        internal override JointListResult Read(object answer)
        {
            return JointListResult.From(answer);
        }
    }

    /// <summary>
    /// query.ray: The shapes that a ray meets. Least role: viewer. Answers [{body, shape, point, normal, fraction}],
    /// nearest first; with at {at, hits}.
    /// </summary>
    public sealed class QueryRay : Arguments<HitResult[]>
    {
        internal override string Method => "query.ray";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>The beginning of the ray. [-1000000 to 1000000 m] Required.</summary>
        public Vec2 From;
        /// <summary>The end of the ray. [-1000000 to 1000000 m] Required.</summary>
        public Vec2 To;
        /// <summary>The shapes that the query sees; all, if left out.</summary>
        public Filter Filter;
        /// <summary>A body that the query does not see.</summary>
        public Id? Ignore;
        /// <summary>Whether the query sees sensors too. Default false.</summary>
        public bool? Sensors;
        /// <summary>Whether all hits are answered; only the nearest, if left out. Default false.</summary>
        public bool? All;
        /// <summary>
        /// A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
        /// out. [0 to 9007199254740991 ticks]
        /// </summary>
        public double? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "from", From);
            Put(map, "to", To);
            Put(map, "filter", Filter);
            Put(map, "ignore", Ignore);
            Put(map, "sensors", Sensors);
            Put(map, "all", All);
            Put(map, "at", At);
        }

        internal override HitResult[] Read(object answer)
        {
            return Tree.List(Tree.Alone(answer, "hits"), HitResult.From);
        }
    }

    /// <summary>
    /// query.overlap: The bodies in a place; exactly one of area, shape and point. Least role: viewer. Answers [body
    /// …]; with at {at, bodies}.
    /// </summary>
    public sealed class QueryOverlap : Arguments<ulong[]>
    {
        internal override string Method => "query.overlap";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>Bodies with a shape that meets it, or else: [-1000000 to 1000000 m]</summary>
        public double[] Area;
        /// <summary>Bodies that overlap it (world coordinates), or else:</summary>
        public Shape Shape;
        /// <summary>Bodies that this point lies in. [-1000000 to 1000000 m]</summary>
        public Vec2? Point;
        /// <summary>The shapes that the query sees; all, if left out.</summary>
        public Filter Filter;
        /// <summary>A body that the query does not see.</summary>
        public Id? Ignore;
        /// <summary>Whether the query sees sensors too. Default false.</summary>
        public bool? Sensors;
        /// <summary>
        /// A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
        /// out. [0 to 9007199254740991 ticks]
        /// </summary>
        public double? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "area", Area);
            Put(map, "shape", Shape);
            Put(map, "point", Point);
            Put(map, "filter", Filter);
            Put(map, "ignore", Ignore);
            Put(map, "sensors", Sensors);
            Put(map, "at", At);
        }

        internal override ulong[] Read(object answer)
        {
            return Tree.List(Tree.Alone(answer, "bodies"), Tree.ToUInt);
        }
    }

    /// <summary>
    /// query.cast: The shapes that a moving shape meets. Least role: viewer. Answers [{body, shape, point, normal,
    /// fraction}], nearest first; with at {at, hits}.
    /// </summary>
    public sealed class QueryCast : Arguments<HitResult[]>
    {
        internal override string Method => "query.cast";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>The shape, relative to its origin. Required.</summary>
        public Shape Shape;
        /// <summary>Where the path of the shape's origin begins. [-1000000 to 1000000 m] Required.</summary>
        public Vec2 From;
        /// <summary>Where the path of the shape's origin ends. [-1000000 to 1000000 m] Required.</summary>
        public Vec2 To;
        /// <summary>The shapes that the query sees; all, if left out.</summary>
        public Filter Filter;
        /// <summary>A body that the query does not see.</summary>
        public Id? Ignore;
        /// <summary>Whether the query sees sensors too. Default false.</summary>
        public bool? Sensors;
        /// <summary>Whether all hits are answered; only the nearest, if left out. Default false.</summary>
        public bool? All;
        /// <summary>
        /// A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
        /// out. [0 to 9007199254740991 ticks]
        /// </summary>
        public double? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "shape", Shape);
            Put(map, "from", From);
            Put(map, "to", To);
            Put(map, "filter", Filter);
            Put(map, "ignore", Ignore);
            Put(map, "sensors", Sensors);
            Put(map, "all", All);
            Put(map, "at", At);
        }

        internal override HitResult[] Read(object answer)
        {
            return Tree.List(Tree.Alone(answer, "hits"), HitResult.From);
        }
    }

    /// <summary>
    /// query.nearest: The surface that is nearest to a place. Least role: viewer. Answers {body, shape, point,
    /// distance}; nil if there is none; with at a map that has it too, and body nil if there is none.
    /// </summary>
    public sealed class QueryNearest : Arguments<NearResult>
    {
        internal override string Method => "query.nearest";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>A place in the world. [-1000000 to 1000000 m] Required.</summary>
        public Vec2 Point;
        /// <summary>How far to look. [0 to 1000000 m] Default 1000000.</summary>
        public double? Radius;
        /// <summary>The shapes that the query sees; all, if left out.</summary>
        public Filter Filter;
        /// <summary>A body that the query does not see.</summary>
        public Id? Ignore;
        /// <summary>Whether the query sees sensors too. Default false.</summary>
        public bool? Sensors;
        /// <summary>
        /// A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
        /// out. [0 to 9007199254740991 ticks]
        /// </summary>
        public double? At;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "point", Point);
            Put(map, "radius", Radius);
            Put(map, "filter", Filter);
            Put(map, "ignore", Ignore);
            Put(map, "sensors", Sensors);
            Put(map, "at", At);
        }

        internal override NearResult Read(object answer)
        {
            return NearResult.From(answer);
        }
    }

    /// <summary>data.set: Sets the value of a key of the world's data. Least role: player. Answers {version, tick}.</summary>
    public sealed class DataSet : Arguments<DataSetResult>
    {
        internal override string Method => "data.set";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>A text that is not empty. Required.</summary>
        public string Key;
        /// <summary>Any value but nil, at most 16 containers deep. Required.</summary>
        public object Value;
        /// <summary>
        /// The version that the key must have, 0 for a key that is not there; already_exists names the one that it has.
        /// Any, if left out. [0 to 9007199254740991]
        /// </summary>
        public long? Version;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "key", Key);
            Put(map, "value", Value);
            Put(map, "version", Version);
        }

        internal override DataSetResult Read(object answer)
        {
            return DataSetResult.From(answer);
        }
    }

    /// <summary>data.remove: Removes a key of the world's data. Least role: player. Answers {tick}.</summary>
    public sealed class DataRemove : Arguments<TickResult>
    {
        internal override string Method => "data.remove";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>A text that is not empty. Required.</summary>
        public string Key;
        /// <summary>
        /// The version that the key must have, 0 for a key that is not there; already_exists names the one that it has.
        /// Any, if left out. [0 to 9007199254740991]
        /// </summary>
        public long? Version;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "key", Key);
            Put(map, "version", Version);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>
    /// data.get: The world's data: one key, those with a prefix, or all. Least role: viewer. Answers {data, tick}: data
    /// is a map of the keys that are there, each {value, version}.
    /// </summary>
    public sealed class DataGet : Arguments<DataResult>
    {
        internal override string Method => "data.get";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>A text that is not empty.</summary>
        public string Key;
        /// <summary>The beginning of the keys that are answered.</summary>
        public string Prefix;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "key", Key);
            Put(map, "prefix", Prefix);
        }

        internal override DataResult Read(object answer)
        {
            return DataResult.From(answer);
        }
    }

    /// <summary>
    /// message.send: Sends a message to clients that subscribe to the world's events of kind message. Least role:
    /// player. Answers {tick}.
    /// </summary>
    public sealed class MessageSend : Arguments<TickResult>
    {
        internal override string Method => "message.send";
        internal override bool OfWorld => true;
        internal override bool InBatch => true;
        internal override bool Local => true;

        /// <summary>The kind of message, a word of the game's own. Required.</summary>
        public string Name;
        /// <summary>Any value, at most 16 containers deep.</summary>
        public object Data;
        /// <summary>
        /// Whom it is for: "all" (default), "referee" (sessions of role referee or admin), a subject, or the number of
        /// a session.
        /// </summary>
        public object To;
        /// <summary>The sender's subject; the session's, if left out. Only a referee or an admin may name another.</summary>
        public string Subject;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "name", Name);
            Put(map, "data", Data);
            Put(map, "to", To);
            Put(map, "subject", Subject);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>
    /// world.join: Takes a seat in a world of a template: in the fullest world that has a free seat, or in a new world.
    /// Least role: player. Answers {world, seat, created, tick}.
    /// </summary>
    public sealed class WorldJoin : Arguments<JoinResult>
    {
        internal override string Method => "world.join";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>The world to join, if it is to be this one; of the template.</summary>
        public string World;
        /// <summary>The template's name. Required.</summary>
        public string Template;
        /// <summary>Any value, at most 16 containers deep: the event `join` has it.</summary>
        public object Data;
        /// <summary>Only in logs: the seat that the server chose. [0 to 1024] Default 0.</summary>
        public long? Seat;
        /// <summary>Only in logs: the number of the session.</summary>
        public Id? Session;
        /// <summary>Only in logs: the session's subject.</summary>
        public string Subject;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "world", World);
            Put(map, "template", Template);
            Put(map, "data", Data);
            Put(map, "seat", Seat);
            Put(map, "session", Session);
            Put(map, "subject", Subject);
        }

        internal override JoinResult Read(object answer)
        {
            return JoinResult.From(answer);
        }
    }

    /// <summary>
    /// world.leave: Frees a seat. The server does so by itself when the session ends. Least role: player. Answers
    /// {tick}.
    /// </summary>
    public sealed class WorldLeave : Arguments<TickResult>
    {
        internal override string Method => "world.leave";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => true;

        /// <summary>The session whose seat it is; this one, if left out. Only a referee or an admin may name another.</summary>
        public Id? Session;
        /// <summary>Only in logs: the seat. [0 to 1024] Default 0.</summary>
        public long? Seat;
        /// <summary>Only in logs: the session's subject.</summary>
        public string Subject;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "session", Session);
            Put(map, "seat", Seat);
            Put(map, "subject", Subject);
        }

        internal override TickResult Read(object answer)
        {
            return TickResult.From(answer);
        }
    }

    /// <summary>
    /// server.fleet: The servers of the fleet and its worlds, as this server knows them. Least role: admin. Answers
    /// {prefix, nodes, worlds, total}.
    /// </summary>
    public sealed class ServerFleet : Arguments<FleetResult>
    {
        internal override string Method => "server.fleet";
        internal override bool OfWorld => false;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>Only worlds with a name behind this one. Default "".</summary>
        public string After;
        /// <summary>The maximum of worlds in the answer. [1 to 1000] Default 1000.</summary>
        public long? Count;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "after", After);
            Put(map, "count", Count);
        }

        internal override FleetResult Read(object answer)
        {
            return FleetResult.From(answer);
        }
    }

    /// <summary>
    /// world.move: Hands a world over to another server of the fleet, after a tick; nothing of it is lost, and its
    /// sessions can be resumed there. Least role: admin. Answers {world, node, term}.
    /// </summary>
    public sealed class WorldMove : Arguments<WorldMoveResult>
    {
        internal override string Method => "world.move";
        internal override bool OfWorld => true;
        internal override bool InBatch => false;
        internal override bool Local => false;

        /// <summary>
        /// The other server's name; left out, its standby, or else that with fewer worlds of two chosen by chance.
        /// Default "".
        /// </summary>
        public string To;

        internal override void Write(Dictionary<string, object> map)
        {
            Put(map, "to", To);
        }

        internal override WorldMoveResult Read(object answer)
        {
            return WorldMoveResult.From(answer);
        }
    }
}
