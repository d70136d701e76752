// Requests with random arguments; see sim_requests.h. Each command has a unique number in its
// arguments (oracle_number), by which the oracle recognises it.
#include "tests/simulation/sim_requests.h"

#include <inttypes.h>
#include <msgpack.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/joint.h"
#include "proto/log/log_compact.h"
#include "tests/simulation/sim.h"
#include "tests/simulation/sim_message.h"

enum { MESSAGE_BYTES_MAX = 1 << 16 };

const char *sim_world_name(int world)
{
    static const char *const NAMES[SIM_WORLDS] = {"a", "b", "c"};
    return NAMES[world];
}

// Begins writing a request: its method, then params with `pairs` entries.
static sim_request *begin(sim_client *c, sim_op op, int world, const char *name, uint32_t pairs)
{
    sim_request r = {.op = op, .world = world};
    array_push(&c->requests, r);
    sim_request *added = &c->requests.data[c->requests.count - 1];
    buffer_init(&added->tail, MESSAGE_BYTES_MAX);
    packer k = buffer_packer(&added->tail);
    text(&k, name);
    msgpack_pack_array(&k, 1);
    msgpack_pack_map(&k, pairs);
    return added;
}

static void send_as(sim_client *c, const sim_request *r, bool notification)
{
    buffer out;
    buffer_init(&out, MESSAGE_BYTES_MAX + 16);
    packer k = buffer_packer(&out);
    msgpack_pack_array(&k, notification ? 3 : 4);
    msgpack_pack_int(&k, notification ? 2 : 0);
    if (!notification) {
        msgpack_pack_uint32(&k, r->id);
    }
    buffer_append(&out, r->tail.data, r->tail.size);
    ASSERT(!out.overflow && !r->tail.overflow);
    sim_link_send(c->link, out.data, out.size);
    buffer_deinit(&out);
}

static void send_last(sim_client *c)
{
    sim_request *r = &c->requests.data[c->requests.count - 1];
    r->id = c->next_id++;
    sim_trace("client %p: request %u to %s, command %" PRIu64, (const void *)c, r->id,
              sim_world_name(r->world), r->nonce_count > 0 ? r->nonces[0] : 0);
    send_as(c, r, false);
}

// The request gets no answer: only the oracle keeps it.
static void notify_last(sim_client *c)
{
    sim_request *r = &c->requests.data[--c->requests.count];
    send_as(c, r, true);
    buffer_deinit(&r->tail);
}

static uint64_t add_nonce(sim_request *r)
{
    uint64_t nonce = oracle_new_nonce();
    ASSERT(r->nonce_count < SIM_NONCES_MAX);
    r->nonces[r->nonce_count++] = nonce;
    return nonce;
}

void sim_request_again(sim_client *c, const sim_request *r)
{
    sim_request copy = *r;
    buffer_init(&copy.tail, MESSAGE_BYTES_MAX);
    buffer_append(&copy.tail, r->tail.data, r->tail.size);
    array_push(&c->requests, copy);
    send_last(c);
}

void sim_request_hello(sim_client *c, bool resume)
{
    sim_request *r = begin(c, OP_HELLO, 0, "hello", resume ? 1 : 0);
    if (resume) {
        packer k = buffer_packer(&r->tail);
        pair_text(&k, "resume", c->secret);
    }
    send_last(c);
}

void sim_request_info(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_INFO, world, "world.info", 1);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    send_last(c);
}

// ---- commands

static double within(double extent)
{
    return ((double)sim_random(2001) - 1000.0) * 0.001 * extent;
}

// Pairs of a body.spawn without its world.
enum { SPAWN_PAIRS = 4 };
static void pack_spawn(packer *k, uint64_t nonce)
{
    pair_vector(k, "position", within(4.0), 1.0 + within(1.0));
    pair_vector(k, "velocity", oracle_number(nonce), within(8.0));
    pair_text(k, "lifetime", sim_one_in(4) ? "session" : "world");
    text(k, "shapes");
    msgpack_pack_array(k, 1);
    msgpack_pack_map(k, 2);
    pair_text(k, "kind", "circle");
    pair_number(k, "radius", 0.2 + (double)sim_random(4) * 0.1);
}

void sim_request_spawn(sim_client *c, int world, bool notification)
{
    sim_request *r = begin(c, OP_COMMAND, world, "body.spawn", SPAWN_PAIRS + 1);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pack_spawn(&k, add_nonce(r));
    notification ? notify_last(c) : send_last(c);
}

static void request_ground(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_COMMAND, world, "body.spawn", 4);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "type", "kinematic"); // a static body's velocity would be refused
    pair_vector(&k, "velocity", oracle_number(add_nonce(r)), 0.0);
    text(&k, "shapes");
    msgpack_pack_array(&k, 1);
    msgpack_pack_map(&k, 2);
    pair_text(&k, "kind", "box");
    pair_vector(&k, "size", 20.0, 1.0);
    send_last(c);
}

static uint64_t any_body(const sim_client *c, int world)
{
    for (int i = 0; i < 4; i++) {
        uint64_t at = sim_random(SIM_BODIES);
        if (c->bodies[at].id != 0 && c->bodies[at].world == world) {
            return c->bodies[at].id;
        }
    }
    return 1 + sim_random(4); // a random owner, or none
}

static void request_impulse(sim_client *c, int world, bool notification)
{
    sim_request *r = begin(c, OP_COMMAND, world, "body.impulse", 3);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_uint(&k, "body", any_body(c, world));
    pair_vector(&k, "impulse", oracle_number(add_nonce(r)), within(2.0));
    notification ? notify_last(c) : send_last(c);
}

static void request_set(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_COMMAND, world, "body.set", 4);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_uint(&k, "body", any_body(c, world));
    pair_vector(&k, "position", within(4.0), 1.0 + within(1.0));
    pair_vector(&k, "velocity", oracle_number(add_nonce(r)), 0.0);
    send_last(c);
}

// Bounds of players. Every session of the simulator is an admin, so they bound nobody; they are
// state that images, logs, forks and replicas must keep.
static void pack_players(packer *k)
{
    const bool none = sim_one_in(4);
    text(k, "players");
    msgpack_pack_map(k, none ? 0 : 3);
    if (!none) {
        text(k, "methods");
        msgpack_pack_array(k, 1);
        text(k, sim_one_in(2) ? "body.impulse" : "query.ray");
        pair_number(k, "impulse", 1.0 + within(1.0));
        pair_uint(k, "bodies", sim_random(9));
    }
}

// Sessions are numbered from 1 on, so that small numbers are often somebody's.
static void request_message(sim_client *c, int world)
{
    const uint64_t to = sim_one_in(2) ? 0 : 1 + sim_random((uint32_t)c->session + 4);
    sim_request *r = begin(c, OP_OTHER, world, "message.send", to != 0 ? 4 : 3);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "name", "say");
    pair_uint(&k, "data", to * SIM_MESSAGES + sim_random(SIM_MESSAGES));
    if (to != 0) {
        pair_uint(&k, "to", to);
    }
    send_last(c);
}

// Worlds of the template.
enum { ARENA_NAME_BYTES = 32 };
static const char *any_arena(char name[ARENA_NAME_BYTES])
{
    (void)snprintf(name, ARENA_NAME_BYTES, "arena-%d", 1 + (int)sim_random(3));
    return name;
}

static void request_data(sim_client *c, int world)
{
    const char key[] = {(char)('a' + sim_random(SIM_KEYS)), '\0'};
    const bool sets = !sim_one_in(3);
    sim_request *r = begin(c, OP_OTHER, world, sets ? "data.set" : "data.remove", sets ? 3 : 2);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "key", key);
    if (sets) {
        pair_uint(&k, "value", 1 + sim_random(1000));
    }
    send_last(c);
}

// A seat in a world of the template; now and then one world in particular.
static void request_seat(sim_client *c, int world)
{
    char name[ARENA_NAME_BYTES];
    (void)any_arena(name);
    const bool joins = !sim_one_in(3);
    const bool names = !joins || sim_one_in(4);
    sim_request *r = begin(c, joins ? OP_JOIN : OP_OTHER, world,
                           joins ? "world.join" : "world.leave", 2u * joins + names);
    packer k = buffer_packer(&r->tail);
    if (names) {
        pair_text(&k, "world", name);
    }
    if (joins) {
        pair_text(&k, "template", "arena");
        pair_uint(&k, "data", sim_random(1000));
    }
    send_last(c);
}

static void request_gravity(sim_client *c, int world)
{
    const bool players = sim_one_in(3);
    sim_request *r = begin(c, OP_COMMAND, world, "world.set", players ? 3 : 2);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_vector(&k, "gravity", oracle_number(add_nonce(r)), -9.0 + within(1.0));
    if (players) {
        pack_players(&k);
    }
    send_last(c);
}

static void request_remove(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_OTHER, world, "body.remove", 2);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_uint(&k, "body", any_body(c, world));
    send_last(c);
}

// ---- commands that strain the physics: springs of 1 000 Hz with far targets, extreme masses and
// spins. None of them has a nonce.

static double pick(const double *numbers, uint32_t count)
{
    return numbers[sim_random(count)];
}

#define PICK(...)                                                                                  \
    pick((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void pack_spring(packer *k)
{
    pair_number(k, "hertz", PICK(0.0, 5.0, JOINT_HERTZ_MAX));
    pair_number(k, "damping_ratio", PICK(0.0, 1.0, JOINT_DAMPING_RATIO_MAX));
}

static void request_mouse(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_OTHER, world, "joint.create", 6);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "kind", "mouse");
    pair_uint(&k, "b", any_body(c, world));
    pair_vector(&k, "target", PICK(0.0, 900000.0), within(900000.0));
    pack_spring(&k);
    send_last(c);
}

static void request_joint(sim_client *c, int world)
{
    static const struct {
        const char *kind, *target, *force;
        bool along;
    } KINDS[] = {{"revolute", "target_angle", "max_torque", false},
                 {"prismatic", "target_translation", "max_force", true},
                 {"wheel", "target_translation", "max_torque", true},
                 {"distance", "length", "max_force", false},
                 {"motor", "target_angle", "max_torque", false}};
    const uint64_t kind = sim_random(sizeof KINDS / sizeof *KINDS);
    const bool along = KINDS[kind].along;
    sim_request *r = begin(c, OP_OTHER, world, "joint.create", along ? 12 : 11);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "kind", KINDS[kind].kind);
    pair_uint(&k, "a", any_body(c, world));
    pair_uint(&k, "b", any_body(c, world));
    pair_vector(&k, "anchor_a", within(2.0), within(2.0));
    pair_vector(&k, "anchor_b", within(2.0), 0.0);
    pack_spring(&k);
    pair_number(&k, KINDS[kind].target, PICK(0.5, 3.0, JOINT_LIMIT_MAX));
    pair_number(&k, KINDS[kind].force, PICK(0.0, 100.0, PHYSICS_FORCE_MAX));
    pair_number(&k, "motor_speed", PICK(5.0, -PHYSICS_SPEED_MAX));
    if (along) {
        pair_vector(&k, "axis", 1.0, within(1.0));
    }
    send_last(c);
}

static void request_extreme(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_OTHER, world, "body.set", 4);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_uint(&k, "body", any_body(c, world));
    pair_number(&k, "mass", PICK(0.0, PHYSICS_MASS_MIN, 1e3, PHYSICS_MASS_MAX));
    pair_number(&k, "angular_velocity", PICK(0.0, -PHYSICS_SPIN_MAX, PHYSICS_SPIN_MAX));
    send_last(c);
}

static void request_wild(sim_client *c, int world)
{
    switch (sim_random(4)) {
    case 0:
        request_extreme(c, world);
        break;
    case 1:
        request_mouse(c, world);
        break;
    default:
        request_joint(c, world);
        break;
    }
}

static void request_batch(sim_client *c, int world)
{
    bool later = sim_one_in(3);
    sim_request *r = begin(c, OP_COMMAND, world, "world.apply", later ? 3 : 2);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    r->patient = later;
    if (later) {
        pair_uint(&k, "at", sim_random(200));
    }
    uint32_t count = 1 + (uint32_t)sim_random(SIM_NONCES_MAX);
    text(&k, "commands");
    msgpack_pack_array(&k, count);
    for (uint32_t i = 0; i < count; i++) {
        msgpack_pack_array(&k, 2);
        text(&k, "body.spawn");
        msgpack_pack_map(&k, SPAWN_PAIRS);
        pack_spawn(&k, add_nonce(r));
    }
    send_last(c);
}

// ---- worlds

static void request_create(sim_client *c, int world)
{
    static const char *const DURABILITIES[] = {"none", "normal", "full"};
    const bool players = sim_one_in(4);
    sim_request *r = begin(c, OP_CREATE, world, "world.create", players ? 8 : 7);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "durability", DURABILITIES[sim_one_in(6) ? 0 : 1 + sim_random(2)]);
    pair_bool(&k, "if_absent", sim_one_in(2));
    pair_bool(&k, "paused", sim_one_in(5));
    pair_number(&k, "hz", 5.0 + (double)sim_random(40));
    pair_uint(&k, "substeps", 1); // worlds are small: the runs test messages, not physics
    pair_uint(&k, "max_bodies", 3 + sim_random(12));
    if (players) {
        pack_players(&k);
    }
    send_last(c);
}

static void request_plain(sim_client *c, sim_op op, int world, const char *name)
{
    sim_request *r = begin(c, op, world, name, 1);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    send_last(c);
}

static void request_step(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_OTHER, world, "world.step", 2);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_uint(&k, "ticks", 1 + sim_random(20));
    send_last(c);
}

static void request_fork(sim_client *c, int world)
{
    sim_request *r = begin(c, OP_OTHER, world, "world.fork", 2);
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", sim_world_name(world));
    pair_text(&k, "as", sim_world_name((world + 1) % SIM_WORLDS));
    send_last(c);
}

static void request_subscribe(sim_client *c, int world)
{
    static const char *const KINDS[] = {"begin", "end",    "hit",         "sleep", "wake",
                                        "spawn", "remove", "joint_break", "freeze"};
    enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };
    bool log = sim_one_in(3);
    bool rated = sim_one_in(2);
    bool budgeted = !log && sim_one_in(3);
    bool packed = !log && sim_one_in(2);
    bool velocities = packed && sim_one_in(2);
    bool compact = log && sim_one_in(2);
    bool data = !log && sim_one_in(2);
    // With another version than the server's the plain form comes.
    uint32_t tables = log_compact_tables() + (compact && sim_one_in(8) ? 1u : 0u);
    sim_request *r =
        begin(c, log ? OP_SUBSCRIBE_LOG : OP_SUBSCRIBE, world, "world.subscribe",
              (log ? 2u : 3u) + (rated ? 1u : 0u) + (packed ? 1u : 0u) + (velocities ? 1u : 0u) +
                  (budgeted || compact ? 1u : 0u) + (data ? 1u : 0u));
    r->compact = compact && tables == log_compact_tables();
    r->messages = !log && sim_one_in(3);
    r->data = data;
    const bool arena = r->messages && sim_one_in(2);
    char name[ARENA_NAME_BYTES];
    packer k = buffer_packer(&r->tail);
    pair_text(&k, "world", arena ? any_arena(name) : sim_world_name(world));
    if (data) {
        pair_bool(&k, "data", true);
    }
    if (rated) {
        pair_number(&k, "rate", 1.0 + (double)sim_random(40));
    }
    if (budgeted) {
        pair_number(&k, "budget", 512.0 + (double)sim_random(30000));
    }
    if (log) {
        pair_text(&k, "encoding", "log");
        if (compact) {
            pair_uint(&k, "compact", tables);
        }
    } else {
        pair_bool(&k, "describe", sim_one_in(4));
        if (packed) {
            pair_text(&k, "encoding", "packed");
        }
        if (velocities) {
            text(&k, "precision");
            msgpack_pack_map(&k, 1);
            pair_number(&k, "velocity", PICK(1.0 / PACKED_STEPS_MAX, 1.0 / 256.0, 16.0));
        }
        text(&k, "events");
        msgpack_pack_array(&k, r->messages ? 3 : KIND_COUNT);
        for (int i = 0; i < KIND_COUNT && !r->messages; i++) {
            text(&k, KINDS[i]);
        }
        if (r->messages) {
            text(&k, "message");
            text(&k, "join");
            text(&k, "leave");
        }
    }
    send_last(c);
}

static void request_unsubscribe(sim_client *c)
{
    if (c->subscriptions.count == 0) {
        return;
    }
    uint64_t number = c->subscriptions.data[sim_random(c->subscriptions.count)].number;
    sim_request *r = begin(c, OP_UNSUBSCRIBE, 0, "world.unsubscribe", 1);
    r->subscription = number;
    packer k = buffer_packer(&r->tail);
    pair_uint(&k, "subscription", number);
    send_last(c);
}

// ---- a random request

static void request_rare(sim_client *c, int world)
{
    switch (sim_random(12)) {
    case 0:
        if (sim_destroying) {
            sim_destroys[world]++;
            request_plain(c, OP_DESTROY, world, "world.destroy");
        }
        break;
    case 1:
        request_plain(c, OP_OTHER, world, "world.pause");
        break;
    case 2:
    case 3:
        request_plain(c, OP_OTHER, world, "world.resume");
        break;
    case 4:
        request_step(c, world);
        break;
    case 5:
        request_fork(c, world);
        break;
    case 6:
        request_plain(c, OP_IMAGE, world, "world.image");
        break;
    case 7:
        request_plain(c, OP_OTHER, world, "world.state");
        break;
    case 8:
        request_unsubscribe(c);
        break;
    case 9:
        request_plain(c, OP_OTHER, world, "world.contacts");
        break;
    default:
        request_create(c, world);
        break;
    }
}

void sim_request_any(sim_client *c)
{
    int world = (int)sim_random(SIM_WORLDS);
    switch (sim_random(20)) {
    case 17:
        request_data(c, world);
        break;
    case 15:
        request_message(c, world);
        break;
    case 16:
        request_seat(c, world);
        break;
    case 0:
    case 1:
    case 2:
        sim_request_spawn(c, world, sim_one_in(5));
        break;
    case 3:
    case 4:
    case 5:
        request_impulse(c, world, sim_one_in(5));
        break;
    case 6:
        request_set(c, world);
        break;
    case 7:
        request_gravity(c, world);
        break;
    case 8:
        request_remove(c, world);
        break;
    case 9:
        request_batch(c, world);
        break;
    case 10:
        if (c->subscriptions.count < 4) {
            request_subscribe(c, world);
        }
        break;
    case 11:
        request_ground(c, world);
        break;
    case 12:
        sim_request_info(c, world);
        break;
    case 13:
        request_create(c, world);
        break;
    case 14:
        request_wild(c, world);
        break;
    default:
        request_rare(c, world);
        break;
    }
}
