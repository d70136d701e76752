// Generated from proto/schema by proto/generate/cpp.py: do not edit.
//
// Every method of the protocol as a struct of its arguments, for C++17:
//
//   namespace methods = carom::methods;
//   methods::body_impulse push;
//   push.body = ball;
//   push.impulse = {0.0, 2.0};
//   carom::call(client, "demo", push);
//
//   methods::body_spawn spawn;
//   spawn.shapes = {methods::circle{0.5}};
//   std::size_t made = carom::add(batch, spawn);
//   push.body = CAROM_RESULT(made); // what the batch makes
//   carom::add(batch, push);
//   client.apply("demo", batch);
//
// Members that are optional and empty are left out, and mean what PROTOCOL.md says; the others have
// to be set. Answers are values. A method that may not stand in a batch does not compile there.
#ifndef CAROM_METHODS_HPP
#define CAROM_METHODS_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <carom/carom.hpp>

namespace carom
{

namespace detail
{
// A body, shape, joint, session or subscription; CAROM_RESULT(i) inside a batch.
struct id_number {
    std::uint64_t number;
};

inline value to_value(bool b)
{
    return value::of(b);
}
inline value to_value(double x)
{
    return value::of(x);
}
inline value to_value(std::int64_t n)
{
    return value::of(n);
}
inline value to_value(std::uint64_t n)
{
    return value::of(n);
}
inline value to_value(id_number id)
{
    constexpr std::uint64_t reference = static_cast<std::uint64_t>(1) << 63;
    if ((id.number & reference) == 0) {
        return value::of(id.number);
    }
    value out = value::map();
    out.set("$", id.number & ~reference);
    return out;
}
inline value to_value(const std::string &text)
{
    return value::of(std::string_view(text));
}
inline value to_value(carom_vec2 v)
{
    return value::of(v);
}
inline value to_value(const value &any)
{
    return value(made(carom_value_clone(any.get())));
}
inline value to_value(const std::vector<std::uint8_t> &bytes)
{
    return value(made(carom_bin(bytes.data(), bytes.size())));
}
template <typename T> auto to_value(const T &map) -> decltype(map.args())
{
    return map.args();
}
template <typename... T> value to_value(const std::variant<T...> &one)
{
    return std::visit([](const auto &map) { return map.args(); }, one);
}
template <typename T> value to_value(const std::vector<T> &list)
{
    value out = value::array();
    for (const T &element : list) {
        out.push(to_value(element));
    }
    return out;
}
inline value to_value(const std::array<double, 4> &area)
{
    value out = value::array();
    for (double number : area) {
        out.push(value::of(number));
    }
    return out;
}

template <typename T> void put(value &out, const char *key, const T &member)
{
    out.set(key, to_value(member));
}
template <typename T> void put(value &out, const char *key, const std::optional<T> &member)
{
    if (member) {
        put(out, key, *member);
    }
}
inline void put_id(value &out, const char *key, std::uint64_t id)
{
    put(out, key, id_number{id});
}
inline void put_id(value &out, const char *key, const std::optional<std::uint64_t> &id)
{
    if (id) {
        put_id(out, key, *id);
    }
}
} // namespace detail

namespace methods
{

// clang-format off
struct filter_map {
    // The shape's own categories: bits. Default 1.
    std::optional<std::uint64_t> category{};
    // The categories it meets: each one's mask must have a bit of the other's category. Default
    // -1.
    std::optional<std::uint64_t> mask{};
    // Shapes of the same group never meet if it is negative, and always if it is positive; 0: no
    // group. Default 0.
    std::optional<std::int64_t> group{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "category", category);
        detail::put(out, "mask", mask);
        detail::put(out, "group", group);
        return out;
    }
};

struct precision_map {
    // Places are rounded to multiples of this. Default 0.001953125. [m]
    std::optional<double> position{};
    // Angles are rounded to this, or a little less: a whole number of steps makes a turn. Default
    // 0.006135923151542565. [rad]
    std::optional<double> angle{};
    // Velocities (and spin, in rad/s) are rounded to this; not sent, if left out. [m/s]
    std::optional<double> velocity{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "position", position);
        detail::put(out, "angle", angle);
        detail::put(out, "velocity", velocity);
        return out;
    }
};

struct players_map {
    // The commands, reads and queries that it may call. One of world.state, world.contacts,
    // world.apply, body.spawn, body.remove, body.get, body.set, body.impulse,
    // body.angular_impulse, body.force, body.torque, shape.add, shape.set, shape.remove,
    // joint.create, joint.set, joint.remove, joint.get, joint.list, query.ray, query.overlap,
    // query.cast, query.nearest, data.set, data.remove, data.get, message.send.
    std::optional<std::vector<std::string>> methods{};
    // Types of bodies that it may make. One of static, kinematic, dynamic.
    std::optional<std::vector<std::string>> types{};
    // Bodies that one subject may own.
    std::optional<std::int64_t> bodies{};
    // Mass of a body that it makes or changes, by `mass` or by density. [kg]
    std::optional<double> mass{};
    // Longer side of the box around a body's shapes, in the body's frame. [m]
    std::optional<double> size{};
    // Speed that a command may give to a body, and to its surface by turning or as a conveyor.
    // [m/s]
    std::optional<double> speed{};
    // Force of body.force, of gravity_scale, and of a joint's motor or spring. [N]
    std::optional<double> force{};
    // Sum of the impulses that a subject gives to a body in a tick; apart from it in N m s, that
    // of the angular ones. [N s]
    std::optional<double> impulse{};
    // Torque of body.torque, of a force about the centre of mass, and of a joint's motor or
    // spring. [N m]
    std::optional<double> torque{};
    // Place for bodies that it makes or moves by body.set, with all of their shapes. [m]
    std::optional<std::array<double, 4>> area{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "methods", methods);
        detail::put(out, "types", types);
        detail::put(out, "bodies", bodies);
        detail::put(out, "mass", mass);
        detail::put(out, "size", size);
        detail::put(out, "speed", speed);
        detail::put(out, "force", force);
        detail::put(out, "impulse", impulse);
        detail::put(out, "torque", torque);
        detail::put(out, "area", area);
        return out;
    }
};

struct circle {
    // Radius of the circle. [m]
    double radius{};
    // Place in the body's frame. Default [0, 0]. [m]
    std::optional<carom_vec2> center{};
    // Mass by area. Default 1. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product. Default 0.6.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one. Default 0.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    // Default 0.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding. Default false.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor. Default ["contact", "sensor"].
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides. Default [0, 0].
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        out.set("kind", "circle");
        detail::put(out, "radius", radius);
        detail::put(out, "center", center);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

struct box {
    // Full width and height. [m]
    carom_vec2 size{};
    // Place in the body's frame. Default [0, 0]. [m]
    std::optional<carom_vec2> center{};
    // Angle of the rectangle, about its centre. Default 0. [rad]
    std::optional<double> angle{};
    // Rounding around the polygon. Default 0. [m]
    std::optional<double> radius{};
    // Mass by area. Default 1. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product. Default 0.6.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one. Default 0.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    // Default 0.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding. Default false.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor. Default ["contact", "sensor"].
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides. Default [0, 0].
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        out.set("kind", "box");
        detail::put(out, "size", size);
        detail::put(out, "center", center);
        detail::put(out, "angle", angle);
        detail::put(out, "radius", radius);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

struct polygon {
    // Points in any order; their convex hull is taken. [m]
    std::vector<carom_vec2> vertices{};
    // Rounding around the polygon. Default 0. [m]
    std::optional<double> radius{};
    // Mass by area. Default 1. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product. Default 0.6.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one. Default 0.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    // Default 0.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding. Default false.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor. Default ["contact", "sensor"].
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides. Default [0, 0].
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        out.set("kind", "polygon");
        detail::put(out, "vertices", vertices);
        detail::put(out, "radius", radius);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

struct capsule {
    // One end of the middle line. [m]
    carom_vec2 a{};
    // The other end. [m]
    carom_vec2 b{};
    // Radius around the middle line. [m]
    double radius{};
    // Mass by area. Default 1. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product. Default 0.6.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one. Default 0.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    // Default 0.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding. Default false.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor. Default ["contact", "sensor"].
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides. Default [0, 0].
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        out.set("kind", "capsule");
        detail::put(out, "a", a);
        detail::put(out, "b", b);
        detail::put(out, "radius", radius);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

struct segment {
    // One end. [m]
    carom_vec2 a{};
    // The other end. [m]
    carom_vec2 b{};
    // Mass by area. Default 1. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product. Default 0.6.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one. Default 0.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    // Default 0.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding. Default false.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor. Default ["contact", "sensor"].
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides. Default [0, 0].
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        out.set("kind", "segment");
        detail::put(out, "a", a);
        detail::put(out, "b", b);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

struct chain {
    // Points in order; the chain collides on its right side, a counter-clockwise loop on its
    // outside. [m]
    std::vector<carom_vec2> vertices{};
    // The last point joins the first; 3 points or more. Default false.
    std::optional<bool> loop{};
    // Mass by area. Default 1. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product. Default 0.6.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one. Default 0.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    // Default 0.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding. Default false.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor. Default ["contact", "sensor"].
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides. Default [0, 0].
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        out.set("kind", "chain");
        detail::put(out, "vertices", vertices);
        detail::put(out, "loop", loop);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

using any_shape = std::variant<circle, box, polygon, capsule, segment, chain>;

// Introduces the client; the answer has the limits that the client must keep. Least role: none.
// Answers {protocol, server, version, session, resume, role, limits}.
struct hello {
    static constexpr const char *method_name = "hello";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // The version that the client speaks. Default 1.
    std::optional<std::int64_t> protocol{};
    // Name and version of the client, for logs. Default "".
    std::optional<std::string> client{};
    // A token that says who the client is, if the server asks for one.
    std::optional<std::string> token{};
    // The secret from an earlier hello's answer, to resume that session.
    std::optional<std::string> resume{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "protocol", protocol);
        detail::put(out, "client", client);
        detail::put(out, "token", token);
        detail::put(out, "resume", resume);
        return out;
    }
};

// Answers at once. Least role: none. Answers {time, any}: the server's monotonic seconds, and
// what was sent.
struct ping {
    static constexpr const char *method_name = "ping";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // Any value; the answer has it unchanged.
    std::optional<carom::value> any{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "any", any);
        return out;
    }
};

// Ends the session: nothing is kept for a resume. Least role: none. Answers {}.
struct goodbye {
    static constexpr const char *method_name = "goodbye";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// The server's version, uptime and limits. Least role: viewer. Answers {server, version,
// protocol, uptime, worlds, sessions, limits, templates}.
struct server_info {
    static constexpr const char *method_name = "server.info";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// The server's counters and latencies since it began. Least role: viewer. Answers {counters,
// latencies}.
struct server_stats {
    static constexpr const char *method_name = "server.stats";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // Whether the answer includes the bins of each latency. Default false.
    std::optional<bool> bins{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "bins", bins);
        return out;
    }
};

// The sessions, by their numbers. Least role: admin. Answers {sessions, total}.
struct server_sessions {
    static constexpr const char *method_name = "server.sessions";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // Only sessions with a number above this one. Default 0.
    std::optional<std::int64_t> after{};
    // The maximum of sessions in the answer. Default 1000.
    std::optional<std::int64_t> count{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "after", after);
        detail::put(out, "count", count);
        return out;
    }
};

// Ends a session and closes its connection. Least role: admin. Answers {}.
struct server_kick {
    static constexpr const char *method_name = "server.kick";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // The session's number.
    std::uint64_t session{};
    // Text for the session's client. Default "closed by an administrator".
    std::optional<std::string> reason{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "session", session);
        detail::put(out, "reason", reason);
        return out;
    }
};

// Makes a world, which begins to run unless it is paused. Least role: admin. Answers {world,
// epoch, tick, created}.
struct world_create {
    static constexpr const char *method_name = "world.create";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // Acceleration of every dynamic body. Default [0, -9.81]. [m/s²]
    std::optional<carom_vec2> gravity{};
    // Ticks in a second. Default 60. [1/s]
    std::optional<double> hz{};
    // Solver steps in a tick. Default 4.
    std::optional<std::int64_t> substeps{};
    // Whether the world begins paused. Default false.
    std::optional<bool> paused{};
    // Maximum of bodies; more are refused with limit_exceeded. Default 1048576.
    std::optional<std::int64_t> max_bodies{};
    // How much a restart restores; if left out: normal where the server keeps logs, else none.
    // One of none, normal, full, replicated.
    std::optional<std::string> durability{};
    // Bodies at rest may sleep. Default true.
    std::optional<bool> sleep{};
    // Whether fast bodies are swept against static and kinematic ones. Default true.
    std::optional<bool> continuous{};
    // Slower impacts do not bounce. Default 0.5. [m/s]
    std::optional<double> restitution_threshold{};
    // Slower impacts make no hit event. Default 1. [m/s]
    std::optional<double> hit_threshold{};
    // Bodies below this speed may sleep; 0: none sleeps. Default 0.05. [m/s]
    std::optional<double> sleep_speed{};
    // A scene that the server has; its settings apply where none are given here.
    std::optional<std::string> scene{};
    // Whether an existing world of that name is the answer instead of an error. Default false.
    std::optional<bool> if_absent{};
    // Whether the world ends with the server, or with the session that made it. One of server,
    // session. Default "server".
    std::optional<std::string> lifetime{};
    // An image that world.image answered: the world begins as that one, with its settings.
    std::optional<std::vector<std::uint8_t>> image{};
    // The bounds of the role player here: a map of maxima; {} ends them.
    std::optional<players_map> players{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "gravity", gravity);
        detail::put(out, "hz", hz);
        detail::put(out, "substeps", substeps);
        detail::put(out, "paused", paused);
        detail::put(out, "max_bodies", max_bodies);
        detail::put(out, "durability", durability);
        detail::put(out, "sleep", sleep);
        detail::put(out, "continuous", continuous);
        detail::put(out, "restitution_threshold", restitution_threshold);
        detail::put(out, "hit_threshold", hit_threshold);
        detail::put(out, "sleep_speed", sleep_speed);
        detail::put(out, "scene", scene);
        detail::put(out, "if_absent", if_absent);
        detail::put(out, "lifetime", lifetime);
        detail::put(out, "image", image);
        detail::put(out, "players", players);
        return out;
    }
};

// Ends a world and its subscriptions. Least role: admin. Answers {world, tick}: its last tick.
struct world_destroy {
    static constexpr const char *method_name = "world.destroy";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// All worlds. Least role: viewer. Answers [info]: each as world.info answers, by name.
struct world_list {
    static constexpr const char *method_name = "world.list";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// A world in numbers. Least role: viewer. Answers {world, epoch, tick, time, hz, …}.
struct world_info {
    static constexpr const char *method_name = "world.info";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// Pauses a world; no error if it is paused already. Least role: referee. Answers {world, tick}.
struct world_pause {
    static constexpr const char *method_name = "world.pause";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// Resumes a paused world; no error if it is running. Least role: referee. Answers {world, tick}.
struct world_resume {
    static constexpr const char *method_name = "world.resume";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// Runs some ticks of a paused world. Least role: referee. Answers {world, tick}: when they are
// done.
struct world_step {
    static constexpr const char *method_name = "world.step";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // Number of ticks. Default 1.
    std::optional<std::int64_t> ticks{};
    // The tick to go to, instead of `ticks`; a world that replays a recording can go back too.
    std::optional<std::int64_t> to{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "ticks", ticks);
        detail::put(out, "to", to);
        return out;
    }
};

// Changes a world's settings; at least one must be given. Least role: referee. Answers {tick}.
struct world_set {
    static constexpr const char *method_name = "world.set";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // Acceleration of every dynamic body. [m/s²]
    std::optional<carom_vec2> gravity{};
    // Bodies at rest may sleep.
    std::optional<bool> sleep{};
    // Slower impacts do not bounce. [m/s]
    std::optional<double> restitution_threshold{};
    // Bodies below this speed may sleep; 0: none sleeps. [m/s]
    std::optional<double> sleep_speed{};
    // The bounds of the role player here: a map of maxima; {} ends them.
    std::optional<players_map> players{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "gravity", gravity);
        detail::put(out, "sleep", sleep);
        detail::put(out, "restitution_threshold", restitution_threshold);
        detail::put(out, "sleep_speed", sleep_speed);
        detail::put(out, "players", players);
        return out;
    }
};

// The whole state of a world, to the bit, as bytes. Least role: admin. Answers {image, tick,
// hash}.
struct world_image {
    static constexpr const char *method_name = "world.image";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// Makes a second world with the same state, which then runs independently. Least role: admin.
// Answers {world, epoch, tick, created}.
struct world_fork {
    static constexpr const char *method_name = "world.fork";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // The second world's name.
    std::string as{};
    // How much a restart restores; if left out: normal where the server keeps logs, else none.
    // One of none, normal, full, replicated.
    std::optional<std::string> durability{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "as", as);
        detail::put(out, "durability", durability);
        return out;
    }
};

// All bodies and joints of a world. Least role: viewer. Answers {world, tick, hash, bodies,
// joints}: full body maps.
struct world_state {
    static constexpr const char *method_name = "world.state";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // A tick of the world's history whose state is read; the present one, if left out.
    std::optional<std::int64_t> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "at", at);
        return out;
    }
};

// The pairs of shapes that touch, of the world or of one body. Least role: viewer. Answers
// {world, tick, contacts}: each {a, b, shape_a, shape_b, normal, points}.
struct world_contacts {
    static constexpr const char *method_name = "world.contacts";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // Only contacts of this body.
    std::optional<std::uint64_t> body{};
    // A tick of the world's history whose state is read; the present one, if left out.
    std::optional<std::int64_t> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "at", at);
        return out;
    }
};

// Sends snapshots from now on. Least role: viewer. Answers {subscription, epoch, tick}.
struct world_subscribe {
    static constexpr const char *method_name = "world.subscribe";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // Snapshots a second at most; one a tick, if left out. [1/s]
    std::optional<double> rate{};
    // The encoding of bodies; log: the world's commands, for a replica. One of plain, packed,
    // log. Default "plain".
    std::optional<std::string> encoding{};
    // The values that encoding packed sends, and their steps; no other encoding takes it.
    std::optional<precision_map> precision{};
    // Only bodies whose box meets it; the whole world, if left out. [m]
    std::optional<std::array<double, 4>> area{};
    // A body that the area moves with; the area is then relative to its position.
    std::optional<std::uint64_t> follow{};
    // A body stays in view until it is farther than this from the area. A sixteenth of the area's
    // shorter side, if left out. [m]
    std::optional<double> margin{};
    // Bytes for snapshots; if not all changed bodies fit, they take turns. No bound, if left out.
    // [B/s]
    std::optional<double> budget{};
    // Whether rows of bodies are sent; false for events alone. Default true.
    std::optional<bool> bodies{};
    // The kinds of events that are sent. One of begin, stay, end, hit, sensor_begin, sensor_end,
    // sleep, wake, spawn, remove, joint_break, freeze, message, join, leave. Default ["begin",
    // "end"].
    std::optional<std::vector<std::string>> events{};
    // Whether the points of every touching pair are sent, for drawing. Default false.
    std::optional<bool> contacts{};
    // Whether full maps of bodies and joints are sent when they are new or were changed. Default
    // false.
    std::optional<bool> describe{};
    // `compact` of hello's answer, for encoding log, if the reader has the same number. Default
    // 0.
    std::optional<std::int64_t> compact{};
    // Whether changes of the world's data are sent: true for all keys, or the prefixes of the
    // wanted keys.
    std::optional<std::vector<std::string>> data{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "rate", rate);
        detail::put(out, "encoding", encoding);
        detail::put(out, "precision", precision);
        detail::put(out, "area", area);
        detail::put_id(out, "follow", follow);
        detail::put(out, "margin", margin);
        detail::put(out, "budget", budget);
        detail::put(out, "bodies", bodies);
        detail::put(out, "events", events);
        detail::put(out, "contacts", contacts);
        detail::put(out, "describe", describe);
        detail::put(out, "compact", compact);
        detail::put(out, "data", data);
        return out;
    }
};

// Ends a subscription. Least role: viewer. Answers {}.
struct world_unsubscribe {
    static constexpr const char *method_name = "world.unsubscribe";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // The number that world.subscribe gave.
    std::uint64_t subscription{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "subscription", subscription);
        return out;
    }
};

// Moves a subscription's area. Least role: viewer. Answers {}.
struct world_view {
    static constexpr const char *method_name = "world.view";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // The number that world.subscribe gave.
    std::uint64_t subscription{};
    // The new area; the whole world, if left out. [m]
    std::optional<std::array<double, 4>> area{};
    // A body that the area moves with; the area is then relative to its position.
    std::optional<std::uint64_t> follow{};
    // A body stays in view until it is farther than this from the area. Unchanged, if left out.
    // [m]
    std::optional<double> margin{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "subscription", subscription);
        detail::put(out, "area", area);
        detail::put_id(out, "follow", follow);
        detail::put(out, "margin", margin);
        return out;
    }
};

// Makes a body with its shapes. Least role: player. Answers {body, shapes, tick}: the ids, shapes
// in the order given.
struct body_spawn {
    static constexpr const char *method_name = "body.spawn";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. One of
    // static, kinematic, dynamic. Default "dynamic".
    std::optional<std::string> type{};
    // Place of the body's origin. Default [0, 0]. [m]
    std::optional<carom_vec2> position{};
    // Counter-clockwise. Default 0. [rad]
    std::optional<double> angle{};
    // Velocity of the centre of mass. Default [0, 0]. [m/s]
    std::optional<carom_vec2> velocity{};
    // Counter-clockwise. Default 0. [rad/s]
    std::optional<double> angular_velocity{};
    // Loss of velocity. Default 0. [1/s]
    std::optional<double> linear_damping{};
    // Loss of angular velocity. Default 0. [1/s]
    std::optional<double> angular_damping{};
    // Share of the world's gravity. Default 1.
    std::optional<double> gravity_scale{};
    // Never turns. Default false.
    std::optional<bool> fixed_rotation{};
    // A dynamic body that is swept against moving bodies too. Default false.
    std::optional<bool> bullet{};
    // May sleep when it is at rest. Default true.
    std::optional<bool> allow_sleep{};
    // Moves; false puts it to sleep. Default true.
    std::optional<bool> awake{};
    // A disabled body neither moves nor collides. Default true.
    std::optional<bool> enabled{};
    // Mass of the body; 0: the sum of its shapes'. Default 0. [kg]
    std::optional<double> mass{};
    // UTF-8 text that the server keeps for clients. Default "".
    std::optional<std::string> tag{};
    // The body's shapes; a body without any is a mass point of 1 kg.
    std::vector<any_shape> shapes{};
    // Whether the body ends with the world, or with the session that spawned it. One of world,
    // session. Default "world".
    std::optional<std::string> lifetime{};
    // The owner; the session's subject, if left out; "" for nobody. Only a referee or an admin
    // may name anyone else.
    std::optional<std::string> owner{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "type", type);
        detail::put(out, "position", position);
        detail::put(out, "angle", angle);
        detail::put(out, "velocity", velocity);
        detail::put(out, "angular_velocity", angular_velocity);
        detail::put(out, "linear_damping", linear_damping);
        detail::put(out, "angular_damping", angular_damping);
        detail::put(out, "gravity_scale", gravity_scale);
        detail::put(out, "fixed_rotation", fixed_rotation);
        detail::put(out, "bullet", bullet);
        detail::put(out, "allow_sleep", allow_sleep);
        detail::put(out, "awake", awake);
        detail::put(out, "enabled", enabled);
        detail::put(out, "mass", mass);
        detail::put(out, "tag", tag);
        detail::put(out, "shapes", shapes);
        detail::put(out, "lifetime", lifetime);
        detail::put(out, "owner", owner);
        return out;
    }
};

// Removes a body with its shapes and joints. Least role: player. Answers {tick}.
struct body_remove {
    static constexpr const char *method_name = "body.remove";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        return out;
    }
};

// All about a body. Least role: viewer. Answers the full body map.
struct body_get {
    static constexpr const char *method_name = "body.get";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // A tick of the world's history whose state is read; the present one, if left out.
    std::optional<std::int64_t> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "at", at);
        return out;
    }
};

// Changes the given properties, at least one; the others stay as they are. Least role: player.
// Answers {tick}.
struct body_set {
    static constexpr const char *method_name = "body.set";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. One of
    // static, kinematic, dynamic.
    std::optional<std::string> type{};
    // Place of the body's origin. [m]
    std::optional<carom_vec2> position{};
    // Counter-clockwise. [rad]
    std::optional<double> angle{};
    // Velocity of the centre of mass. [m/s]
    std::optional<carom_vec2> velocity{};
    // Counter-clockwise. [rad/s]
    std::optional<double> angular_velocity{};
    // Loss of velocity. [1/s]
    std::optional<double> linear_damping{};
    // Loss of angular velocity. [1/s]
    std::optional<double> angular_damping{};
    // Share of the world's gravity.
    std::optional<double> gravity_scale{};
    // Never turns.
    std::optional<bool> fixed_rotation{};
    // A dynamic body that is swept against moving bodies too.
    std::optional<bool> bullet{};
    // May sleep when it is at rest.
    std::optional<bool> allow_sleep{};
    // Moves; false puts it to sleep.
    std::optional<bool> awake{};
    // A disabled body neither moves nor collides.
    std::optional<bool> enabled{};
    // Mass of the body; 0: the sum of its shapes'. [kg]
    std::optional<double> mass{};
    // UTF-8 text that the server keeps for clients.
    std::optional<std::string> tag{};
    // The new owner; set by the present owner, or by a referee or an admin, who may also say ""
    // for nobody.
    std::optional<std::string> owner{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "type", type);
        detail::put(out, "position", position);
        detail::put(out, "angle", angle);
        detail::put(out, "velocity", velocity);
        detail::put(out, "angular_velocity", angular_velocity);
        detail::put(out, "linear_damping", linear_damping);
        detail::put(out, "angular_damping", angular_damping);
        detail::put(out, "gravity_scale", gravity_scale);
        detail::put(out, "fixed_rotation", fixed_rotation);
        detail::put(out, "bullet", bullet);
        detail::put(out, "allow_sleep", allow_sleep);
        detail::put(out, "awake", awake);
        detail::put(out, "enabled", enabled);
        detail::put(out, "mass", mass);
        detail::put(out, "tag", tag);
        detail::put(out, "owner", owner);
        return out;
    }
};

// A push; wakes the body. Least role: player. Answers {tick}.
struct body_impulse {
    static constexpr const char *method_name = "body.impulse";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // Changes the velocity at once. [N s]
    carom_vec2 impulse{};
    // Where it acts, in the world; the centre of mass, if left out. [m]
    std::optional<carom_vec2> point{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "impulse", impulse);
        detail::put(out, "point", point);
        return out;
    }
};

// A twist; wakes the body. Least role: player. Answers {tick}.
struct body_angular_impulse {
    static constexpr const char *method_name = "body.angular_impulse";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // Counter-clockwise. [N m s]
    double impulse{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "impulse", impulse);
        return out;
    }
};

// Sets the force that acts from now on; wakes the body. Least role: player. Answers {tick}.
struct body_force {
    static constexpr const char *method_name = "body.force";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // Acts on every tick until it is set again; zero ends it. [N]
    carom_vec2 force{};
    // Where it acts, in the world; the force stays at that point of the body. The centre of mass,
    // if left out. [m]
    std::optional<carom_vec2> point{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "force", force);
        detail::put(out, "point", point);
        return out;
    }
};

// Sets the torque that acts from now on; wakes the body. Least role: player. Answers {tick}.
struct body_torque {
    static constexpr const char *method_name = "body.torque";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // Acts on every tick until it is set again; zero ends it. [N m]
    double torque{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "torque", torque);
        return out;
    }
};

// Gives a body another shape. Least role: player. Answers {shape, tick}.
struct shape_add {
    static constexpr const char *method_name = "shape.add";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The body's id.
    std::uint64_t body{};
    // A shape as body.spawn takes it.
    any_shape shape{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "body", body);
        detail::put(out, "shape", shape);
        return out;
    }
};

// Changes the given properties of a shape; its form stays. Least role: player. Answers {tick}.
struct shape_set {
    static constexpr const char *method_name = "shape.set";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The shape's id.
    std::uint64_t shape{};
    // Mass by area. [kg/m²]
    std::optional<double> density{};
    // Friction; for a pair of shapes, the root of the product.
    std::optional<double> friction{};
    // Restitution; for a pair of shapes, the larger one.
    std::optional<double> restitution{};
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    std::optional<double> rolling_resistance{};
    // Conveyor: the surface's speed along the outward normal turned clockwise. [m/s]
    std::optional<double> tangent_speed{};
    // Whether the shape reports bodies that enter it instead of colliding.
    std::optional<bool> sensor{};
    // The shapes that it collides with; all, if left out.
    std::optional<filter_map> filter{};
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor.
    std::optional<std::vector<std::string>> events{};
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides.
    std::optional<carom_vec2> one_way{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "shape", shape);
        detail::put(out, "density", density);
        detail::put(out, "friction", friction);
        detail::put(out, "restitution", restitution);
        detail::put(out, "rolling_resistance", rolling_resistance);
        detail::put(out, "tangent_speed", tangent_speed);
        detail::put(out, "sensor", sensor);
        detail::put(out, "filter", filter);
        detail::put(out, "events", events);
        detail::put(out, "one_way", one_way);
        return out;
    }
};

// Removes a shape from its body. Least role: player. Answers {tick}.
struct shape_remove {
    static constexpr const char *method_name = "shape.remove";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The shape's id.
    std::uint64_t shape{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "shape", shape);
        return out;
    }
};

// Joins two bodies. Least role: player. Answers {joint, tick}.
struct joint_create {
    static constexpr const char *method_name = "joint.create";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The kind of joint. One of revolute, prismatic, distance, weld, wheel, motor, mouse, filter,
    // gear, pulley.
    std::string kind{};
    // The first body; a mouse has none, and a gear may name joints instead.
    std::optional<std::uint64_t> a{};
    // The second body.
    std::optional<std::uint64_t> b{};
    // The place in the world where it acts; or anchor_a and anchor_b instead. [m]
    std::optional<carom_vec2> anchor{};
    // A point of a, in its frame. [m]
    std::optional<carom_vec2> anchor_a{};
    // A point of b, in its frame. [m]
    std::optional<carom_vec2> anchor_b{};
    // A direction in the world, of any length.
    std::optional<carom_vec2> axis{};
    // The angle of b minus that of a at which the joint's angle is zero; the present one, if left
    // out. [rad]
    std::optional<double> reference_angle{};
    // A revolute or prismatic joint that the gear couples.
    std::optional<std::uint64_t> joint_a{};
    // The other joint that the gear couples; both are given, or neither.
    std::optional<std::uint64_t> joint_b{};
    // The place where a's rope turns, in the world. [m]
    std::optional<carom_vec2> ground_a{};
    // The place where b's rope turns, in the world. [m]
    std::optional<carom_vec2> ground_b{};
    // The weight of b's motion; at least 0.001 in size, > 0 for a pulley. Default 1.
    std::optional<double> ratio{};
    // Whether the two bodies collide with each other. Default false.
    std::optional<bool> collide_connected{};
    // Length of the rod, of the spring at rest, or of the rope; the present distance, if left
    // out. [m]
    std::optional<double> length{};
    // Lower limit. [rad or m]
    std::optional<double> lower{};
    // Upper limit. [rad or m]
    std::optional<double> upper{};
    // The speed that the motor aims at; 0: a brake. [rad/s or m/s]
    std::optional<double> motor_speed{};
    // Greatest force of the motor or mouse; 0: off. [N]
    std::optional<double> max_force{};
    // Greatest torque of the motor; 0: off. [N m]
    std::optional<double> max_torque{};
    // Frequency of the spring; 0: none. [1/s]
    std::optional<double> hertz{};
    // Damping of the spring; 1: critical.
    std::optional<double> damping_ratio{};
    // Frequency of the angle's spring; 0: none. [1/s]
    std::optional<double> angular_hertz{};
    // Damping of the angle's spring; 1: critical.
    std::optional<double> angular_damping_ratio{};
    // mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [m]
    std::optional<carom_vec2> target{};
    // The spring's position of rest. [rad]
    std::optional<double> target_angle{};
    // The spring's position of rest. [m]
    std::optional<double> target_translation{};
    // Velocity of b's anchor that the motor aims at, in a's frame. [m/s]
    std::optional<carom_vec2> velocity{};
    // The force above which the joint breaks; 0: none. [N]
    std::optional<double> break_force{};
    // The torque above which the joint breaks; 0: none. [N m]
    std::optional<double> break_torque{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "kind", kind);
        detail::put_id(out, "a", a);
        detail::put_id(out, "b", b);
        detail::put(out, "anchor", anchor);
        detail::put(out, "anchor_a", anchor_a);
        detail::put(out, "anchor_b", anchor_b);
        detail::put(out, "axis", axis);
        detail::put(out, "reference_angle", reference_angle);
        detail::put_id(out, "joint_a", joint_a);
        detail::put_id(out, "joint_b", joint_b);
        detail::put(out, "ground_a", ground_a);
        detail::put(out, "ground_b", ground_b);
        detail::put(out, "ratio", ratio);
        detail::put(out, "collide_connected", collide_connected);
        detail::put(out, "length", length);
        detail::put(out, "lower", lower);
        detail::put(out, "upper", upper);
        detail::put(out, "motor_speed", motor_speed);
        detail::put(out, "max_force", max_force);
        detail::put(out, "max_torque", max_torque);
        detail::put(out, "hertz", hertz);
        detail::put(out, "damping_ratio", damping_ratio);
        detail::put(out, "angular_hertz", angular_hertz);
        detail::put(out, "angular_damping_ratio", angular_damping_ratio);
        detail::put(out, "target", target);
        detail::put(out, "target_angle", target_angle);
        detail::put(out, "target_translation", target_translation);
        detail::put(out, "velocity", velocity);
        detail::put(out, "break_force", break_force);
        detail::put(out, "break_torque", break_torque);
        return out;
    }
};

// Changes the given settings, at least one; the others stay as they are. Least role: player.
// Answers {tick}.
struct joint_set {
    static constexpr const char *method_name = "joint.set";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The joint's id.
    std::uint64_t joint{};
    // Length of the rod, of the spring at rest, or of the rope; the present distance, if left
    // out. [m]
    std::optional<double> length{};
    // Lower limit. [rad or m]
    std::optional<double> lower{};
    // Upper limit. [rad or m]
    std::optional<double> upper{};
    // The speed that the motor aims at; 0: a brake. [rad/s or m/s]
    std::optional<double> motor_speed{};
    // Greatest force of the motor or mouse; 0: off. [N]
    std::optional<double> max_force{};
    // Greatest torque of the motor; 0: off. [N m]
    std::optional<double> max_torque{};
    // Frequency of the spring; 0: none. [1/s]
    std::optional<double> hertz{};
    // Damping of the spring; 1: critical.
    std::optional<double> damping_ratio{};
    // Frequency of the angle's spring; 0: none. [1/s]
    std::optional<double> angular_hertz{};
    // Damping of the angle's spring; 1: critical.
    std::optional<double> angular_damping_ratio{};
    // mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [m]
    std::optional<carom_vec2> target{};
    // The spring's position of rest. [rad]
    std::optional<double> target_angle{};
    // The spring's position of rest. [m]
    std::optional<double> target_translation{};
    // Velocity of b's anchor that the motor aims at, in a's frame. [m/s]
    std::optional<carom_vec2> velocity{};
    // The force above which the joint breaks; 0: none. [N]
    std::optional<double> break_force{};
    // The torque above which the joint breaks; 0: none. [N m]
    std::optional<double> break_torque{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "joint", joint);
        detail::put(out, "length", length);
        detail::put(out, "lower", lower);
        detail::put(out, "upper", upper);
        detail::put(out, "motor_speed", motor_speed);
        detail::put(out, "max_force", max_force);
        detail::put(out, "max_torque", max_torque);
        detail::put(out, "hertz", hertz);
        detail::put(out, "damping_ratio", damping_ratio);
        detail::put(out, "angular_hertz", angular_hertz);
        detail::put(out, "angular_damping_ratio", angular_damping_ratio);
        detail::put(out, "target", target);
        detail::put(out, "target_angle", target_angle);
        detail::put(out, "target_translation", target_translation);
        detail::put(out, "velocity", velocity);
        detail::put(out, "break_force", break_force);
        detail::put(out, "break_torque", break_torque);
        return out;
    }
};

// Removes a joint. Least role: player. Answers {tick}.
struct joint_remove {
    static constexpr const char *method_name = "joint.remove";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The joint's id.
    std::uint64_t joint{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "joint", joint);
        return out;
    }
};

// All about a joint. Least role: viewer. Answers the full joint map.
struct joint_get {
    static constexpr const char *method_name = "joint.get";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The joint's id.
    std::uint64_t joint{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "joint", joint);
        return out;
    }
};

// All joints of a world. Least role: viewer. Answers {world, tick, joints}: full joint maps.
struct joint_list {
    static constexpr const char *method_name = "joint.list";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;

    carom::value args() const
    {
        carom::value out = carom::value::map();
        return out;
    }
};

// The shapes that a ray meets. Least role: viewer. Answers [{body, shape, point, normal,
// fraction}], nearest first; with at {at, hits}.
struct query_ray {
    static constexpr const char *method_name = "query.ray";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // The beginning of the ray. [m]
    carom_vec2 from{};
    // The end of the ray. [m]
    carom_vec2 to{};
    // The shapes that the query sees; all, if left out.
    std::optional<filter_map> filter{};
    // A body that the query does not see.
    std::optional<std::uint64_t> ignore{};
    // Whether the query sees sensors too. Default false.
    std::optional<bool> sensors{};
    // Whether all hits are answered; only the nearest, if left out. Default false.
    std::optional<bool> all{};
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    std::optional<double> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "from", from);
        detail::put(out, "to", to);
        detail::put(out, "filter", filter);
        detail::put_id(out, "ignore", ignore);
        detail::put(out, "sensors", sensors);
        detail::put(out, "all", all);
        detail::put(out, "at", at);
        return out;
    }
};

// The bodies in a place; exactly one of area, shape and point. Least role: viewer. Answers [body
// …]; with at {at, bodies}.
struct query_overlap {
    static constexpr const char *method_name = "query.overlap";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // Bodies with a shape that meets it, or else: [m]
    std::optional<std::array<double, 4>> area{};
    // Bodies that overlap it (world coordinates), or else:
    std::optional<any_shape> shape{};
    // Bodies that this point lies in. [m]
    std::optional<carom_vec2> point{};
    // The shapes that the query sees; all, if left out.
    std::optional<filter_map> filter{};
    // A body that the query does not see.
    std::optional<std::uint64_t> ignore{};
    // Whether the query sees sensors too. Default false.
    std::optional<bool> sensors{};
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    std::optional<double> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "area", area);
        detail::put(out, "shape", shape);
        detail::put(out, "point", point);
        detail::put(out, "filter", filter);
        detail::put_id(out, "ignore", ignore);
        detail::put(out, "sensors", sensors);
        detail::put(out, "at", at);
        return out;
    }
};

// The shapes that a moving shape meets. Least role: viewer. Answers [{body, shape, point, normal,
// fraction}], nearest first; with at {at, hits}.
struct query_cast {
    static constexpr const char *method_name = "query.cast";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // The shape, relative to its origin.
    any_shape shape{};
    // Where the path of the shape's origin begins. [m]
    carom_vec2 from{};
    // Where the path of the shape's origin ends. [m]
    carom_vec2 to{};
    // The shapes that the query sees; all, if left out.
    std::optional<filter_map> filter{};
    // A body that the query does not see.
    std::optional<std::uint64_t> ignore{};
    // Whether the query sees sensors too. Default false.
    std::optional<bool> sensors{};
    // Whether all hits are answered; only the nearest, if left out. Default false.
    std::optional<bool> all{};
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    std::optional<double> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "shape", shape);
        detail::put(out, "from", from);
        detail::put(out, "to", to);
        detail::put(out, "filter", filter);
        detail::put_id(out, "ignore", ignore);
        detail::put(out, "sensors", sensors);
        detail::put(out, "all", all);
        detail::put(out, "at", at);
        return out;
    }
};

// The surface that is nearest to a place. Least role: viewer. Answers {body, shape, point,
// distance}; nil if there is none; with at a map that has it too, and body nil if there is none.
struct query_nearest {
    static constexpr const char *method_name = "query.nearest";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // A place in the world. [m]
    carom_vec2 point{};
    // How far to look. Default 1000000. [m]
    std::optional<double> radius{};
    // The shapes that the query sees; all, if left out.
    std::optional<filter_map> filter{};
    // A body that the query does not see.
    std::optional<std::uint64_t> ignore{};
    // Whether the query sees sensors too. Default false.
    std::optional<bool> sensors{};
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    std::optional<double> at{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "point", point);
        detail::put(out, "radius", radius);
        detail::put(out, "filter", filter);
        detail::put_id(out, "ignore", ignore);
        detail::put(out, "sensors", sensors);
        detail::put(out, "at", at);
        return out;
    }
};

// Sets the value of a key of the world's data. Least role: player. Answers {version, tick}.
struct data_set {
    static constexpr const char *method_name = "data.set";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // A text that is not empty.
    std::string key{};
    // Any value but nil, at most 16 containers deep.
    carom::value value{};
    // The version that the key must have, 0 for a key that is not there; already_exists names the
    // one that it has. Any, if left out.
    std::optional<std::int64_t> version{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "key", key);
        detail::put(out, "value", value);
        detail::put(out, "version", version);
        return out;
    }
};

// Removes a key of the world's data. Least role: player. Answers {tick}.
struct data_remove {
    static constexpr const char *method_name = "data.remove";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // A text that is not empty.
    std::string key{};
    // The version that the key must have, 0 for a key that is not there; already_exists names the
    // one that it has. Any, if left out.
    std::optional<std::int64_t> version{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "key", key);
        detail::put(out, "version", version);
        return out;
    }
};

// The world's data: one key, those with a prefix, or all. Least role: viewer. Answers {data,
// tick}: data is a map of the keys that are there, each {value, version}.
struct data_get {
    static constexpr const char *method_name = "data.get";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // A text that is not empty.
    std::optional<std::string> key{};
    // The beginning of the keys that are answered.
    std::optional<std::string> prefix{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "key", key);
        detail::put(out, "prefix", prefix);
        return out;
    }
};

// Sends a message to clients that subscribe to the world's events of kind message. Least role:
// player. Answers {tick}.
struct message_send {
    static constexpr const char *method_name = "message.send";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = true;
    // The kind of message, a word of the game's own.
    std::string name{};
    // Any value, at most 16 containers deep.
    std::optional<carom::value> data{};
    // Whom it is for: "all" (default), "referee" (sessions of role referee or admin), a subject,
    // or the number of a session.
    std::optional<carom::value> to{};
    // The sender's subject; the session's, if left out. Only a referee or an admin may name
    // another.
    std::optional<std::string> subject{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "name", name);
        detail::put(out, "data", data);
        detail::put(out, "to", to);
        detail::put(out, "subject", subject);
        return out;
    }
};

// Takes a seat in a world of a template: in the fullest world that has a free seat, or in a new
// world. Least role: player. Answers {world, seat, created, tick}.
struct world_join {
    static constexpr const char *method_name = "world.join";
    static constexpr bool of_world = true, needs_world = false;
    static constexpr bool in_batch = false;
    // The template's name.
    std::string template_name{};
    // Any value, at most 16 containers deep: the event `join` has it.
    std::optional<carom::value> data{};
    // Only in logs: the seat that the server chose. Default 0.
    std::optional<std::int64_t> seat{};
    // Only in logs: the number of the session.
    std::optional<std::uint64_t> session{};
    // Only in logs: the session's subject.
    std::optional<std::string> subject{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "template", template_name);
        detail::put(out, "data", data);
        detail::put(out, "seat", seat);
        detail::put_id(out, "session", session);
        detail::put(out, "subject", subject);
        return out;
    }
};

// Frees a seat. The server does so by itself when the session ends. Least role: player. Answers
// {tick}.
struct world_leave {
    static constexpr const char *method_name = "world.leave";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // The session whose seat it is; this one, if left out. Only a referee or an admin may name
    // another.
    std::optional<std::uint64_t> session{};
    // Only in logs: the seat. Default 0.
    std::optional<std::int64_t> seat{};
    // Only in logs: the session's subject.
    std::optional<std::string> subject{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put_id(out, "session", session);
        detail::put(out, "seat", seat);
        detail::put(out, "subject", subject);
        return out;
    }
};

// The servers of the fleet and its worlds, as this server knows them. Least role: admin. Answers
// {prefix, nodes, worlds, total}.
struct server_fleet {
    static constexpr const char *method_name = "server.fleet";
    static constexpr bool of_world = false, needs_world = false;
    static constexpr bool in_batch = false;
    // Only worlds with a name behind this one. Default "".
    std::optional<std::string> after{};
    // The maximum of worlds in the answer. Default 1000.
    std::optional<std::int64_t> count{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "after", after);
        detail::put(out, "count", count);
        return out;
    }
};

// Hands a world over to another server of the fleet, after a tick; nothing of it is lost, and its
// sessions can be resumed there. Least role: admin. Answers {world, node, term}.
struct world_move {
    static constexpr const char *method_name = "world.move";
    static constexpr bool of_world = true, needs_world = true;
    static constexpr bool in_batch = false;
    // The other server's name; left out, its standby, or else that with fewer worlds of two
    // chosen by chance. Default "".
    std::optional<std::string> to{};

    carom::value args() const
    {
        carom::value out = carom::value::map();
        detail::put(out, "to", to);
        return out;
    }
};

// clang-format on

} // namespace methods

// Calls a method: of a world, whose epoch is told if it is not 0, or of the server.
template <typename Method>
value call(client &c, const std::string &world, const Method &method, std::uint64_t epoch = 0,
           std::chrono::milliseconds timeout = default_timeout)
{
    static_assert(Method::of_world, "this method names no world");
    value args = method.args();
    args.set("world", value::of(std::string_view(world)));
    if (epoch != 0) {
        args.set("epoch", epoch);
    }
    return c.call(Method::method_name, args, timeout);
}
template <typename Method>
value call(client &c, const Method &method, std::chrono::milliseconds timeout = default_timeout)
{
    static_assert(!Method::needs_world, "this method wants a world");
    return c.call(Method::method_name, method.args(), timeout);
}

// Appends a command to a batch; returns its index, for CAROM_RESULT.
template <typename Method> std::size_t add(batch &commands, const Method &method)
{
    static_assert(Method::in_batch, "this method may not stand in a batch");
    return commands.add(Method::method_name, method.args());
}

} // namespace carom

#endif
