"""client/include/carom/methods.hpp: every method as a struct of its arguments, for C++17."""

from .text import c_comment, c_string

HEAD = """\
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
"""

TAIL = """\
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
"""

TYPES = {
    "bool": "bool", "number": "double", "integer": "std::int64_t", "mask": "std::uint64_t", "id": "std::uint64_t",
    "string": "std::string", "name": "std::string", "choice": "std::string", "choices": "std::vector<std::string>",
    "vector": "carom_vec2", "vectors": "std::vector<carom_vec2>", "area": "std::array<double, 4>", "filter": "filter_map",
    "precision": "precision_map", "shape": "any_shape", "form": "any_shape", "shapes": "std::vector<any_shape>",
    "bytes": "std::vector<std::uint8_t>", "prefixes": "std::vector<std::string>", "players": "players_map",
    "any": "carom::value",
}
LEFT_OUT = {"commands"}  # world.apply is client::apply


KEYWORDS = {"template"}  # such an argument has its name in C


def identifier(a):
    return a.field if a.name in KEYWORDS else a.name


def member(a):
    words = f" One of {', '.join(a.words)}." if a.words else ""
    default = f" Default {a.default}." if a.default is not None else ""
    unit = f" [{a.unit}]" if a.unit else ""
    lines = ["    " + line for line in c_comment(a.doc + words + default + unit, 94)]
    kind = TYPES[a.type]
    lines += [f"    {kind} {identifier(a)}{{}};" if a.required else f"    std::optional<{kind}> {identifier(a)}{{}};"]
    return "\n".join(lines) + "\n"


def put(a):
    return f'        detail::{"put_id" if a.type == "id" else "put"}(out, {c_string(a.name)}, {identifier(a)});\n'


def struct(name, args, before=""):
    members = "".join(member(a) for a in args)
    return (f"struct {name} {{\n{before}{members}\n    carom::value args() const\n    {{\n        carom::value out = carom::value::map();\n"
            f"{''.join(put(a) for a in args)}        return out;\n    }}\n}};\n\n")


def shape(s):
    """A kind of shape: `kind` is written, the rest are members."""
    text = struct(s.name, [a for a in s.args if a.name != "kind"])
    return text.replace("value out = carom::value::map();\n",
                        f'value out = carom::value::map();\n        out.set("kind", {c_string(s.name)});\n')


def method(m):
    of_world = m.names("world")
    args = [a for a in m.args if a.name != "world" and not a.routing]
    before = f"    static constexpr const char *method_name = {c_string(m.name)};\n"
    needs_world = any(a.name == "world" and a.required for a in m.args)
    before += f"    static constexpr bool of_world = {str(of_world).lower()}, needs_world = {str(needs_world).lower()};\n"
    before += f"    static constexpr bool in_batch = {str(m.batch).lower()};\n"
    comment = "\n".join(c_comment(f"{m.summary} Least role: {m.role}. Answers {m.result}."))
    return comment + "\n" + struct(m.id.lower(), args, before)


def write(schema):
    out = HEAD + struct("filter_map", schema.structs["filter"].args) + struct("precision_map", schema.structs["precision"].args) + struct("players_map", schema.structs["players"].args)
    out += "".join(shape(s) for s in schema.shapes)
    out += f"using any_shape = std::variant<{', '.join(s.name for s in schema.shapes)}>;\n\n"
    out += "".join(method(m) for m in schema.methods if not any(a.type in LEFT_OUT for a in m.args))
    return out + TAIL
