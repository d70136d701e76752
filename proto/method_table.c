// The data of the table: see methods.h. Ranges are those of the engine (physics.h, shape.h), which
// checks them again; they stand here too so that an answer can name the path and a client can know
// beforehand.
#include "proto/methods.h"

#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "proto/limits.h"

// Texts that only people and generators read.
#ifdef CAROM_SMALL
#define WORDS(text) NULL
#else
#define WORDS(text) text
#endif

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

#define ID_MAX       9007199254740991.0 // 2^53 - 1
#define SHAPE_MIN    0.001              // SHAPE_EXTENT_MIN as a person writes it
#define RADIUS_MIN   0.0005             // half of it
#define SHAPE_MAX    10000.0            // SHAPE_EXTENT_MAX
#define MATTER_MAX   1.0e9              // the engine's DENSITY_MAX
#define ANGLE_MAX    1.0e9              // and so on, by name: definition.c
#define DAMPING_MAX  1.0e6
#define SCALE_MAX    1.0e6
#define FRICTION_MAX 1.0e3

// One row each: name, then what differs.
#define BOOL(n, otherwise, d)                                                                      \
    {                                                                                              \
        .name = n, .type = ARG_BOOL, .fallback = WORDS(otherwise), .doc = WORDS(d)                 \
    }
#define NUMBER(n, lo, hi, otherwise, u, d)                                                         \
    {                                                                                              \
        .name = n, .type = ARG_NUMBER, .min = lo, .max = hi, .fallback = WORDS(otherwise),         \
        .unit = WORDS(u), .doc = WORDS(d)                                                          \
    }
#define INTEGER(n, lo, hi, otherwise, d)                                                           \
    {                                                                                              \
        .name = n, .type = ARG_INTEGER, .min = lo, .max = hi, .fallback = WORDS(otherwise),        \
        .doc = WORDS(d)                                                                            \
    }
#define VECTOR(n, limit, otherwise, u, d)                                                          \
    {                                                                                              \
        .name = n, .type = ARG_VECTOR, .min = -(limit), .max = limit,                              \
        .fallback = WORDS(otherwise), .unit = WORDS(u), .doc = WORDS(d)                            \
    }
#define STRING(n, most, otherwise, d)                                                              \
    {                                                                                              \
        .name = n, .type = ARG_STRING, .max = most, .fallback = WORDS(otherwise), .doc = WORDS(d)  \
    }
#define CHOICE(n, words, otherwise, d)                                                             \
    {                                                                                              \
        .name = n, .type = ARG_CHOICE, .choices = words, .fallback = WORDS(otherwise),             \
        .doc = WORDS(d)                                                                            \
    }
#define CHOICES(n, words, otherwise, d)                                                            \
    {                                                                                              \
        .name = n, .type = ARG_CHOICES, .choices = words, .fallback = WORDS(otherwise),            \
        .count_max = 32, .doc = WORDS(d)                                                           \
    }
#define AREA(n, d)                                                                                 \
    {                                                                                              \
        .name = n, .type = ARG_AREA, .min = -PHYSICS_EXTENT_MAX, .max = PHYSICS_EXTENT_MAX,        \
        .unit = WORDS("m"), .doc = WORDS(d)                                                        \
    }
#define REQUIRED_ID(n, d)                                                                          \
    {                                                                                              \
        .name = n, .type = ARG_ID, .required = true, .min = 1, .max = ID_MAX, .doc = WORDS(d)      \
    }
#define REQUIRED_VECTOR(n, limit, u, d)                                                            \
    {                                                                                              \
        .name = n, .type = ARG_VECTOR, .required = true, .min = -(limit), .max = limit,            \
        .unit = WORDS(u), .doc = WORDS(d)                                                          \
    }
#define REQUIRED_NUMBER(n, lo, hi, u, d)                                                           \
    {                                                                                              \
        .name = n, .type = ARG_NUMBER, .required = true, .min = lo, .max = hi, .unit = WORDS(u),   \
        .doc = WORDS(d)                                                                            \
    }
// Forces, impulses and the like: the engine rounds it to single precision at once.
#define REQUIRED_PUSH(n, u, d)                                                                     \
    {                                                                                              \
        .name = n, .type = ARG_VECTOR, .required = true, .min = -PHYSICS_FORCE_MAX,                \
        .max = PHYSICS_FORCE_MAX, .unit = u, .doc = d, .single = true                              \
    }
#define REQUIRED_TURN(n, u, d)                                                                     \
    {                                                                                              \
        .name = n, .type = ARG_NUMBER, .required = true, .min = -PHYSICS_FORCE_MAX,                \
        .max = PHYSICS_FORCE_MAX, .unit = u, .doc = d, .single = true                              \
    }
#define WORLD                                                                                      \
    {                                                                                              \
        .name = "world", .type = ARG_NAME, .required = true, .doc = WORDS("The world's name.")     \
    }
// The last argument of every list that begins with WORLD. It stays out of logs (routing), so that
// their numbers of arguments do not depend on it.
#define EPOCH                                                                                      \
    {                                                                                              \
        .name = "epoch", .type = ARG_INTEGER, .min = 1.0, .max = ID_MAX, .routing = true,          \
        .doc = WORDS("The epoch that the world must have; not_found where it is another one's.")   \
    }

// ---- shapes

#define ALL_BITS "-1"
#define FILTER_REST                                                                                \
    {.name = "mask",                                                                               \
     .type = ARG_MASK,                                                                             \
     .fallback = WORDS(ALL_BITS),                                                                  \
     .doc = WORDS(                                                                                 \
         "The categories it meets: each one's mask must have a bit of the other's category.")},    \
        INTEGER(                                                                                   \
            "group", -2147483648.0, 2147483647.0, "0",                                             \
            "Two of one group other than 0: never meet if it is negative, always if positive.")

static const method_arg FILTER_ARGS[] = {
    {.name = "category",
     .type = ARG_MASK,
     .fallback = WORDS("1"),
     .doc = WORDS("The shape's own categories: bits.")},
    FILTER_REST,
};
static const method_arg QUERY_FILTER_ARGS[] = {
    {.name = "category",
     .type = ARG_MASK,
     .fallback = WORDS(ALL_BITS),
     .doc = WORDS("The query's own categories, as if it were a shape: bits.")},
    FILTER_REST,
};
const arg_list METHOD_FILTER = {"filter", FILTER_ARGS, COUNT(FILTER_ARGS), 0};
const arg_list METHOD_QUERY_FILTER = {"filter", QUERY_FILTER_ARGS, COUNT(QUERY_FILTER_ARGS), 0};

#define MATTER_OF(density_, friction_, restitution_, rolling_, speed_, sensor_, events_)           \
    NUMBER("density", 0, MATTER_MAX, density_, "kg/m²", "Mass by area."),                          \
        NUMBER("friction", 0, FRICTION_MAX, friction_, "", "A pair has the root of the product."), \
        NUMBER("restitution", 0, 1, restitution_, "", "Bounce; a pair has the larger."),           \
        NUMBER("rolling_resistance", 0, 1, rolling_, "",                                           \
               "Torque against rolling, by load and radius; a pair has the larger."),              \
        NUMBER("tangent_speed", -PHYSICS_SPEED_MAX, PHYSICS_SPEED_MAX, speed_, "m/s",              \
               "Conveyor: the surface's speed along the outward normal turned clockwise."),        \
        BOOL("sensor", sensor_, "Notes what comes into it and does not collide."),                 \
        {.name = "filter",                                                                         \
         .type = ARG_FILTER,                                                                       \
         .doc = WORDS("The shapes that it collides with; all, if left out.")},                     \
        CHOICES(                                                                                   \
            "events", "contact|hit|sensor", events_,                                               \
            "Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors).")
#define MATTER MATTER_OF("1", "0.6", "0", "0", "0", "false", "[\"contact\", \"sensor\"]")

#define SHAPE_KIND(word)                                                                           \
    {                                                                                              \
        .name = "kind", .type = ARG_CHOICE, .required = true, .choices = word,                     \
        .doc = WORDS("The form.")                                                                  \
    }
#define END(n, d) REQUIRED_VECTOR(n, SHAPE_MAX, "m", d)
#define ROUNDING  NUMBER("radius", 0, SHAPE_MAX, "0", "m", "Rounding around the polygon.")
#define CENTER    VECTOR("center", SHAPE_MAX, "[0, 0]", "m", "In the body's frame.")

static const method_arg CIRCLE_ARGS[] = {
    SHAPE_KIND("circle"),
    REQUIRED_NUMBER("radius", RADIUS_MIN, SHAPE_MAX, "m", "Of the circle."),
    CENTER,
    MATTER,
};
static const method_arg BOX_ARGS[] = {
    SHAPE_KIND("box"),
    {.name = "size",
     .type = ARG_VECTOR,
     .required = true,
     .min = SHAPE_MIN,
     .max = 2.0 * SHAPE_MAX,
     .unit = WORDS("m"),
     .doc = WORDS("Full width and height.")},
    CENTER,
    NUMBER("angle", -ANGLE_MAX, ANGLE_MAX, "0", "rad", "Turned about its centre."),
    ROUNDING,
    MATTER,
};
static const method_arg POLYGON_ARGS[] = {
    SHAPE_KIND("polygon"),
    {.name = "vertices",
     .type = ARG_VECTORS,
     .required = true,
     .min = -SHAPE_MAX,
     .max = SHAPE_MAX,
     .count_min = 3,
     .count_max = POLYGON_VERTICES_MAX,
     .unit = WORDS("m"),
     .doc = WORDS("In any order; the convex hull is taken.")},
    ROUNDING,
    MATTER,
};
static const method_arg CAPSULE_ARGS[] = {
    SHAPE_KIND("capsule"),
    END("a", "One end of the middle line."),
    END("b", "The other end."),
    REQUIRED_NUMBER("radius", RADIUS_MIN, SHAPE_MAX, "m", "Around the middle line."),
    MATTER,
};
static const method_arg SEGMENT_ARGS[] = {
    SHAPE_KIND("segment"),
    END("a", "One end."),
    END("b", "The other end."),
    MATTER,
};
static const method_arg CHAIN_ARGS[] = {
    SHAPE_KIND("chain"),
    {.name = "vertices",
     .type = ARG_VECTORS,
     .required = true,
     .min = -SHAPE_MAX,
     .max = SHAPE_MAX,
     .count_min = 2,
     .count_max = PHYSICS_CHAIN_POINTS_MAX,
     .unit = WORDS("m"),
     .doc = WORDS(
         "In order; it collides on its right side, a counter-clockwise loop on its outside.")},
    BOOL("loop", "false", "The last point joins the first; 3 points or more."),
    MATTER,
};

const arg_list METHOD_SHAPES[METHOD_SHAPE_COUNT] = {
    [METHOD_SHAPE_CIRCLE] = {"circle", CIRCLE_ARGS, COUNT(CIRCLE_ARGS), 3},
    [METHOD_SHAPE_BOX] = {"box", BOX_ARGS, COUNT(BOX_ARGS), 5},
    [METHOD_SHAPE_POLYGON] = {"polygon", POLYGON_ARGS, COUNT(POLYGON_ARGS), 3},
    [METHOD_SHAPE_CAPSULE] = {"capsule", CAPSULE_ARGS, COUNT(CAPSULE_ARGS), 4},
    [METHOD_SHAPE_SEGMENT] = {"segment", SEGMENT_ARGS, COUNT(SEGMENT_ARGS), 3},
    [METHOD_SHAPE_CHAIN] = {"chain", CHAIN_ARGS, COUNT(CHAIN_ARGS), 3},
};

// ---- session and server

static const method_arg HELLO_ARGS[] = {
    INTEGER("protocol", 1, UINT32_MAX, "1", "The version that the client speaks."),
    STRING("client", WIRE_CLIENT_NAME_MAX, "\"\"", "Name and version of the client, for logs."),
    STRING("token", WIRE_TOKEN_BYTES_MAX, NULL,
           "A token that says who the client is, if the server asks for one."),
    STRING("resume", WIRE_TOKEN_BYTES_MAX, NULL,
           "The secret that an earlier hello gave, to go on with that session."),
};
static const method_arg PING_ARGS[] = {
    {.name = "any", .type = ARG_ANY, .doc = WORDS("Comes back as it is.")},
};

static const method_arg SERVER_STATS_ARGS[] = {
    BOOL("bins", "false", "Also the bins of each latency."),
};
static const method_arg SERVER_SESSIONS_ARGS[] = {
    INTEGER("after", 0, ID_MAX, "0", "Only sessions with a number above this one."),
    INTEGER("count", 1, WIRE_SESSIONS_MAX, "1000", "So many at most."),
};
static const method_arg SERVER_KICK_ARGS[] = {
    REQUIRED_ID("session", "The session's number."),
    STRING("reason", WIRE_REASON_BYTES_MAX, "\"closed by an administrator\"", "For its client."),
};

// ---- worlds

#define GRAVITY(otherwise)                                                                         \
    VECTOR("gravity", PHYSICS_GRAVITY_MAX, otherwise, "m/s²", "Acceleration of every dynamic body.")

#define DURABILITY                                                                                 \
    {                                                                                              \
        .name = "durability", .type = ARG_CHOICE, .choices = "none|normal|full",                   \
        .doc = WORDS(                                                                              \
            WORDS("How much a restart brings back; left out: normal where the server keeps logs, " \
                  "else none."))                                                                   \
    }

static const method_arg WORLD_CREATE_ARGS[] = {
    WORLD,
    GRAVITY("[0, -9.81]"),
    NUMBER("hz", PHYSICS_HZ_MIN, PHYSICS_HZ_MAX, "60", "1/s", "Ticks in a second."),
    INTEGER("substeps", 1, PHYSICS_SUBSTEPS_MAX, "4", "Solver steps in a tick."),
    BOOL("paused", "false", "Begins paused."),
    INTEGER("max_bodies", 1, PHYSICS_BODIES_MAX, "1048576",
            "More are refused with limit_exceeded."),
    DURABILITY,
    BOOL("sleep", "true", "Bodies at rest may sleep."),
    BOOL("continuous", "true", "Fast bodies are swept against what does not move."),
    NUMBER("restitution_threshold", 0, PHYSICS_SPEED_MAX, "0.5", "m/s",
           "Slower impacts do not bounce."),
    NUMBER("hit_threshold", 0, PHYSICS_SPEED_MAX, "1", "m/s", "Slower impacts make no hit event."),
    NUMBER("sleep_speed", 0, PHYSICS_SPEED_MAX, "0.05", "m/s",
           "Slower bodies that nothing moves may sleep; 0: none."),
    {.name = "scene",
     .type = ARG_NAME,
     .doc = WORDS("A scene that the server knows; its settings hold where none are given here.")},
    BOOL("if_absent", "false", "A world of that name that is there already is the answer."),
    CHOICE("lifetime", "server|session", "\"server\"",
           "Ends with the server, or with the session that made it."),
    {.name = "image",
     .type = ARG_BYTES,
     .doc = WORDS("Begins as the world that world.image answered; its settings are the image's.")},
    EPOCH,
};
static const method_arg WORLD_ARGS[] = {WORLD, EPOCH};
static const method_arg WORLD_FORK_ARGS[] = {
    WORLD,
    {.name = "as", .type = ARG_NAME, .required = true, .doc = WORDS("The second world's name.")},
    DURABILITY,
    EPOCH,
};
static const method_arg WORLD_STEP_ARGS[] = {
    WORLD,
    INTEGER("ticks", 1, WIRE_STEP_TICKS_MAX, "1", "How many."),
    INTEGER("to", 0, ID_MAX, NULL,
            "Instead: the tick to go to; of a world that replays a recording earlier ones too."),
    EPOCH,
};
static const method_arg WORLD_SET_ARGS[] = {
    WORLD,
    GRAVITY(NULL),
    BOOL("sleep", NULL, "Bodies at rest may sleep."),
    NUMBER("restitution_threshold", 0, PHYSICS_SPEED_MAX, NULL, "m/s",
           "Slower impacts do not bounce."),
    NUMBER("sleep_speed", 0, PHYSICS_SPEED_MAX, NULL, "m/s",
           "Slower bodies that nothing moves may sleep; 0: none."),
    EPOCH,
};
static const method_arg WORLD_CONTACTS_ARGS[] = {
    WORLD,
    {.name = "body",
     .type = ARG_ID,
     .min = 1,
     .max = ID_MAX,
     .doc = WORDS("Those of this body alone.")},
    EPOCH,
};
static const method_arg WORLD_APPLY_ARGS[] = {
    WORLD,
    {.name = "commands",
     .type = ARG_COMMANDS,
     .required = true,
     .count_max = WIRE_APPLY_COMMANDS_MAX,
     .doc = WORDS("The arguments are those of each method alone, without world.")},
    INTEGER("at", 0, ID_MAX, NULL,
            "The tick whose state is to show them first; the next one, if left out."),
    EPOCH,
};

#define EVENT_WORDS                                                                                \
    "begin|stay|end|hit|sensor_begin|sensor_end|sleep|wake|spawn|remove|joint_break|freeze"

// 1/65536 m to 16 m, a 2^20th of a turn to a quarter: PACKED_STEPS_MIN and its like, the other way
// round.
#define PRECISION_MIN       (1.0 / 65536.0)
#define PRECISION_MAX       16.0
#define PRECISION_ANGLE_MIN 6.0e-6
#define PRECISION_ANGLE_MAX 1.5707963267948966

static const method_arg PRECISION_ARGS[] = {
    NUMBER("position", PRECISION_MIN, PRECISION_MAX, "0.001953125", "m",
           "Places are rounded to multiples of this."),
    NUMBER("angle", PRECISION_ANGLE_MIN, PRECISION_ANGLE_MAX, "0.006135923151542565", "rad",
           "Angles to this, or a little less: a whole number of them makes a turn."),
    NUMBER("velocity", PRECISION_MIN, PRECISION_MAX, NULL, "m/s",
           "Velocities (and in rad/s spin) to this; not sent, if left out."),
};
const arg_list METHOD_PRECISION = {"precision", PRECISION_ARGS, COUNT(PRECISION_ARGS), 0};

#define FOLLOW                                                                                     \
    {                                                                                              \
        .name = "follow", .type = ARG_ID, .min = 1, .max = ID_MAX,                                 \
        .doc = WORDS("The area goes along with this body, and is told from its position on.")      \
    }
#define MARGIN(otherwise)                                                                          \
    NUMBER("margin", 0, PHYSICS_EXTENT_MAX, NULL, "m",                                             \
           "A body that has left the area by no more stays in view. " otherwise)

static const method_arg WORLD_SUBSCRIBE_ARGS[] = {
    WORLD,
    NUMBER("rate", 0.01, PHYSICS_HZ_MAX, NULL, "1/s",
           "Snapshots a second at most; one a tick, if left out."),
    CHOICE("encoding", "plain|packed|log", "\"plain\"",
           "How bodies are written; log: what was commanded, for a replica."),
    {.name = "precision",
     .type = ARG_PRECISION,
     .doc = WORDS("Of encoding packed alone: what is told, and how finely.")},
    AREA("area", "Only bodies whose box meets it; the whole world, if left out."),
    FOLLOW,
    MARGIN("A sixteenth of the area's shorter side, if left out."),
    NUMBER("budget", WIRE_BUDGET_MIN, WIRE_BUDGET_MAX, NULL, "B/s",
           "Bytes for snapshots: bodies take turns in them; no bound, if left out."),
    BOOL("bodies", "true", "Rows of bodies; false for events alone."),
    CHOICES("events", EVENT_WORDS, "[\"begin\", \"end\"]", "Kinds of events to be told of."),
    BOOL("contacts", "false", "Every touching pair's points, for drawing."),
    BOOL("describe", "false", "Full maps of bodies and joints, when they are new or were changed."),
    INTEGER("compact", 0, UINT32_MAX, "0",
            "Of encoding log: `compact` of hello's answer, where the reader has the same number."),
    EPOCH,
};

#define SUBSCRIPTION REQUIRED_ID("subscription", "The number that world.subscribe gave.")

static const method_arg SUBSCRIPTION_ARGS[] = {SUBSCRIPTION};
static const method_arg WORLD_VIEW_ARGS[] = {
    SUBSCRIPTION,
    AREA("area", "The new area; the whole world, if left out."),
    FOLLOW,
    MARGIN("What it was, if left out."),
};

// ---- bodies

#define BODY REQUIRED_ID("body", "The body's id.")
#define BODY_TYPE(otherwise)                                                                       \
    CHOICE("type", "static|kinematic|dynamic", otherwise,                                          \
           "Never moves; moves as told; moves as forces have it.")
#define BODY_MOTION(zero, zeros)                                                                   \
    VECTOR("position", PHYSICS_EXTENT_MAX, zeros, "m", "Of the body's origin."),                   \
        NUMBER("angle", -ANGLE_MAX, ANGLE_MAX, zero, "rad", "Counter-clockwise."),                 \
        VECTOR("velocity", PHYSICS_SPEED_MAX, zeros, "m/s", "Of the centre of mass."),             \
        NUMBER("angular_velocity", -PHYSICS_SPIN_MAX, PHYSICS_SPIN_MAX, zero, "rad/s",             \
               "Counter-clockwise.")
#define BODY_NATURE(zero, one, no, yes, mass_otherwise, empty)                                     \
    NUMBER("linear_damping", 0, DAMPING_MAX, zero, "1/s", "Loss of velocity."),                    \
        NUMBER("angular_damping", 0, DAMPING_MAX, zero, "1/s", "Loss of angular velocity."),       \
        NUMBER("gravity_scale", -SCALE_MAX, SCALE_MAX, one, "", "Share of the world's gravity."),  \
        BOOL("fixed_rotation", no, "Never turns."),                                                \
        BOOL("bullet", no, "Of a dynamic body: swept against moving ones too."),                   \
        BOOL("allow_sleep", yes, "May sleep when it is at rest."),                                 \
        BOOL("awake", yes, "Moves; false puts it to sleep."),                                      \
        BOOL("enabled", yes, "A disabled body neither moves nor collides."),                       \
        NUMBER("mass", 0, PHYSICS_MASS_MAX, mass_otherwise, "kg", "0: from the shapes."),          \
        STRING("tag", PHYSICS_TAG_BYTES_MAX, empty, "Kept for the client; UTF-8.")

static const method_arg BODY_SPAWN_ARGS[] = {
    WORLD,
    BODY_TYPE("\"dynamic\""),
    BODY_MOTION("0", "[0, 0]"),
    BODY_NATURE("0", "1", "false", "true", "0", "\"\""),
    {.name = "shapes",
     .type = ARG_SHAPES,
     .required = true,
     .count_max = PHYSICS_BODY_SHAPES_MAX,
     .doc = WORDS("None makes a mass point of 1 kg.")},
    CHOICE("lifetime", "world|session", "\"world\"",
           "Ends with the world, or with the session that spawned it."),
    STRING(
        "owner", OWNER_BYTES_MAX, NULL,
        "Whose it is; the session's subject, if left out; \"\" for nobody's. Others than oneself: "
        "role admin."),
    EPOCH,
};
static const method_arg BODY_ARGS[] = {WORLD, BODY, EPOCH};
static const method_arg BODY_SET_ARGS[] = {
    WORLD,
    BODY,
    BODY_TYPE(NULL),
    BODY_MOTION(NULL, NULL),
    BODY_NATURE(NULL, NULL, NULL, NULL, NULL, NULL),
    STRING("owner", OWNER_BYTES_MAX, NULL,
           "Hands it over; by its owner, or an admin, who may say \"\" for nobody."),
    EPOCH,
};
static const method_arg BODY_IMPULSE_ARGS[] = {
    WORLD,
    BODY,
    REQUIRED_PUSH("impulse", "N s", "Changes the velocity at once."),
    VECTOR("point", PHYSICS_EXTENT_MAX, NULL, "m",
           "A place in the world; the centre of mass, if left out."),
    EPOCH,
};
static const method_arg BODY_ANGULAR_IMPULSE_ARGS[] = {
    WORLD,
    BODY,
    REQUIRED_TURN("impulse", "N m s", "Counter-clockwise."),
    EPOCH,
};
static const method_arg BODY_FORCE_ARGS[] = {
    WORLD,
    BODY,
    REQUIRED_PUSH("force", "N", "Acts on every tick until it is set again; zero ends it."),
    VECTOR("point", PHYSICS_EXTENT_MAX, NULL, "m",
           "A place in the world, kept as a point of the body; the centre of mass, if left out."),
    EPOCH,
};
static const method_arg BODY_TORQUE_ARGS[] = {
    WORLD,
    BODY,
    REQUIRED_TURN("torque", "N m", "Acts on every tick until it is set again; zero ends it."),
    EPOCH,
};
static const method_arg SHAPE_ADD_ARGS[] = {
    WORLD,
    BODY,
    {.name = "shape", .type = ARG_SHAPE, .required = true, .doc = WORDS("As in body.spawn.")},
    EPOCH,
};
static const method_arg SHAPE_SET_ARGS[] = {
    WORLD,
    REQUIRED_ID("shape", "The shape's id."),
    MATTER_OF(NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    EPOCH,
};
static const method_arg SHAPE_REMOVE_ARGS[] = {WORLD, REQUIRED_ID("shape", "The shape's id."),
                                               EPOCH};

// ---- joints. Which kind has which: joint_kind_fields() of the engine, and PROTOCOL.md.

#define JOINT       REQUIRED_ID("joint", "The joint's id.")
#define JOINT_WORDS "revolute|prismatic|distance|weld|wheel|motor|mouse|filter|gear|pulley"
#define OPTIONAL_ID(n, d)                                                                          \
    {                                                                                              \
        .name = n, .type = ARG_ID, .min = 1, .max = ID_MAX, .doc = WORDS(d)                        \
    }
// Given when a joint is made, for good.
#define JOINT_FIXED                                                                                \
    VECTOR("anchor", PHYSICS_EXTENT_MAX, NULL, "m",                                                \
           "The place in the world where it acts; or else:"),                                      \
        VECTOR("anchor_a", 2.0 * PHYSICS_EXTENT_MAX, NULL, "m", "A point of a, in its frame."),    \
        VECTOR("anchor_b", 2.0 * PHYSICS_EXTENT_MAX, NULL, "m", "A point of b, in its frame."),    \
        VECTOR("axis", 1.0e12, NULL, "", "A direction in the world, of any length."),              \
        NUMBER("reference_angle", -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX, NULL, "rad",                  \
               "Angle of b less that of a that counts as zero; as it is, if left out."),           \
        OPTIONAL_ID("joint_a", "A revolute or prismatic joint that the gear stands on."),          \
        OPTIONAL_ID("joint_b", "Another; both or neither."),                                       \
        VECTOR("ground_a", PHYSICS_EXTENT_MAX, NULL, "m",                                          \
               "The place where a's rope turns, in the world."),                                   \
        VECTOR("ground_b", PHYSICS_EXTENT_MAX, NULL, "m",                                          \
               "The place where b's rope turns, in the world."),                                   \
        NUMBER("ratio", -JOINT_RATIO_MAX, JOINT_RATIO_MAX, "1", "",                                \
               "The weight of b's motion; at least 0.001 in size, > 0 for a pulley."),             \
        BOOL("collide_connected", "false", "The two bodies collide all the same.")
#define JOINT_SETTABLE                                                                             \
    NUMBER("length", 0, 2.0 * PHYSICS_EXTENT_MAX * JOINT_RATIO_MAX, NULL, "m",                     \
           "Of the rod or spring at rest, or of the rope; as it is, if left out."),                \
        NUMBER("lower", -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX, NULL, "rad or m", "Lower limit."),      \
        NUMBER("upper", -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX, NULL, "rad or m", "Upper limit."),      \
        NUMBER("motor_speed", -PHYSICS_SPEED_MAX, PHYSICS_SPEED_MAX, NULL, "rad/s or m/s",         \
               "The speed that the motor aims at; 0: a brake."),                                   \
        NUMBER("max_force", 0, PHYSICS_FORCE_MAX, NULL, "N", "Of the motor or mouse; 0: off."),    \
        NUMBER("max_torque", 0, PHYSICS_FORCE_MAX, NULL, "N m", "Of the motor; 0: off."),          \
        NUMBER("hertz", 0, JOINT_HERTZ_MAX, NULL, "1/s", "Frequency of the spring; 0: none."),     \
        NUMBER("damping_ratio", 0, JOINT_DAMPING_RATIO_MAX, NULL, "", "Of it; 1: critical."),      \
        NUMBER("angular_hertz", 0, JOINT_HERTZ_MAX, NULL, "1/s", "Of the angle's spring."),        \
        NUMBER("angular_damping_ratio", 0, JOINT_DAMPING_RATIO_MAX, NULL, "", "Of it."),           \
        VECTOR("target", PHYSICS_EXTENT_MAX, NULL, "m",                                            \
               "mouse: the place to drag to; motor: of b's anchor from a's, in a's frame."),       \
        NUMBER("target_angle", -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX, NULL, "rad",                     \
               "The spring's position of rest."),                                                  \
        NUMBER("target_translation", -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX, NULL, "m",                 \
               "The spring's position of rest."),                                                  \
        VECTOR("velocity", PHYSICS_SPEED_MAX, NULL, "m/s", "Of b's anchor, in a's frame."),        \
        NUMBER("break_force", 0, PHYSICS_FORCE_MAX, NULL, "N", "Breaks above it; 0: never."),      \
        NUMBER("break_torque", 0, PHYSICS_FORCE_MAX, NULL, "N m", "Breaks above it; 0: never.")

static const method_arg JOINT_CREATE_ARGS[] = {
    WORLD,
    {.name = "kind",
     .type = ARG_CHOICE,
     .required = true,
     .choices = JOINT_WORDS,
     .doc = WORDS("The kind of joint.")},
    OPTIONAL_ID("a", "A body; a mouse has none, and a gear may do with joints."),
    OPTIONAL_ID("b", "Another body."),
    JOINT_FIXED,
    JOINT_SETTABLE,
    EPOCH,
};
static const method_arg JOINT_SET_ARGS[] = {WORLD, JOINT, JOINT_SETTABLE, EPOCH};
static const method_arg JOINT_ARGS[] = {WORLD, JOINT, EPOCH};

// ---- queries

#define QUERY_FILTER                                                                               \
    {.name = "filter",                                                                             \
     .type = ARG_FILTER,                                                                           \
     .doc = WORDS("Which shapes are seen; all, if left out.")},                                    \
        OPTIONAL_ID("ignore", "A body that is not seen."),                                         \
        BOOL("sensors", "false", "Sensors are seen too.")

static const method_arg QUERY_RAY_ARGS[] = {
    WORLD,
    REQUIRED_VECTOR("from", PHYSICS_EXTENT_MAX, "m", "The beginning of the ray."),
    REQUIRED_VECTOR("to", PHYSICS_EXTENT_MAX, "m", "The end of the ray."),
    QUERY_FILTER,
    BOOL("all", "false", "Every hit; the nearest alone, if left out."),
    EPOCH,
};
static const method_arg QUERY_OVERLAP_ARGS[] = {
    WORLD,
    AREA("area", "Bodies with a shape that meets it, or else:"),
    {.name = "shape",
     .type = ARG_FORM,
     .doc = WORDS("Bodies that overlap it (world coordinates), or else:")},
    VECTOR("point", PHYSICS_EXTENT_MAX, NULL, "m", "Bodies that it lies in."),
    QUERY_FILTER,
    EPOCH,
};
static const method_arg QUERY_CAST_ARGS[] = {
    WORLD,
    {.name = "shape",
     .type = ARG_FORM,
     .required = true,
     .doc = WORDS("Seen from where it is, as from a body.")},
    REQUIRED_VECTOR("from", PHYSICS_EXTENT_MAX, "m", "The beginning of its origin's path."),
    REQUIRED_VECTOR("to", PHYSICS_EXTENT_MAX, "m", "The end of its origin's path."),
    QUERY_FILTER,
    BOOL("all", "false", "Every hit; the nearest alone, if left out."),
    EPOCH,
};
static const method_arg QUERY_NEAREST_ARGS[] = {
    WORLD,
    REQUIRED_VECTOR("point", PHYSICS_EXTENT_MAX, "m", "A place in the world."),
    NUMBER("radius", 0, PHYSICS_EXTENT_MAX, "1000000", "m", "How far to look."),
    QUERY_FILTER,
    EPOCH,
};

// ---- the table

#define TAKES(args)   args, COUNT(args)
#define TAKES_NOTHING NULL, 0
#define BATCH         true
#define SINGLE        false
#define ROW(id_, name_, role_, scope_, batch_, args_, summary_, result_, ...)                      \
    [METHOD_##id_] = {.id = METHOD_##id_,                                                          \
                      .rights = ROLE_##role_,                                                      \
                      .scope = SCOPE_##scope_,                                                     \
                      .available = true,                                                           \
                      .batch = batch_,                                                             \
                      .summary = WORDS(summary_),                                                  \
                      .result = WORDS(result_),                                                    \
                      .list = {name_, args_, 0}},

const method_info METHODS[METHOD_COUNT] = {METHOD_LIST(ROW)};
