// Requests of predicting clients; see predictor_requests.h. Each command has a unique number in its
// arguments, by which the oracle recognises it (oracle_number).
#include "tests/simulation/predictor_requests.h"

#include <string.h>

#include "common/base/assert.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_compact.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/sim.h"
#include "tests/simulation/sim_message.h"

enum { MESSAGE_BYTES_MAX = 1 << 16, BODIES_MAX = 24 };

// ---- messages

static predictor_request *begin_request(predictor *p, predictor_op op)
{
    const predictor_request r = {.id = p->next_id++, .op = op, .sent_ns = sim.now_ns};
    array_push(&p->requests, r);
    return &p->requests.data[p->requests.count - 1];
}

// `id` 0: a notification.
static void send_message(predictor *p, uint32_t id, const char *name, const buffer *args)
{
    buffer out;
    buffer_init(&out, MESSAGE_BYTES_MAX);
    packer k = buffer_packer(&out);
    msgpack_pack_array(&k, id != 0 ? 4 : 3);
    msgpack_pack_int(&k, id != 0 ? 0 : 2);
    if (id != 0) {
        msgpack_pack_uint32(&k, id);
    }
    text(&k, name);
    msgpack_pack_array(&k, 1);
    buffer_append(&out, args->data, args->size);
    ASSERT(!out.overflow && !args->overflow);
    distance_send(&p->way, &p->options.road, out.data, out.size);
    buffer_deinit(&out);
}

// Sends a request, and frees its arguments.
static predictor_request *ask(predictor *p, predictor_op op, const char *name, buffer *args)
{
    predictor_request *r = begin_request(p, op);
    send_message(p, r->id, name, args);
    buffer_deinit(args);
    return r;
}

static packer begin_args(buffer *args, uint32_t pairs)
{
    buffer_init(args, MESSAGE_BYTES_MAX);
    packer k = buffer_packer(args);
    msgpack_pack_map(&k, pairs);
    return k;
}

// ---- the session and its world

void predictor_ask_session(predictor *p)
{
    buffer args;
    packer k = begin_args(&args, *p->secret != '\0' ? 1 : 0);
    if (*p->secret != '\0') {
        pair_text(&k, "resume", p->secret);
    }
    (void)ask(p, ASKED_HELLO, "hello", &args);
}

static void pack_box(packer *k, double width, double height)
{
    text(k, "shapes");
    msgpack_pack_array(k, 1);
    msgpack_pack_map(k, 2);
    pair_text(k, "kind", "box");
    pair_vector(k, "size", width, height);
}

static void ask_floor(predictor *p)
{
    buffer args;
    packer k = begin_args(&args, 3);
    pair_text(&k, "world", PREDICTOR_WORLD);
    pair_text(&k, "type", "static");
    pack_box(&k, 60.0, 1.0);
    (void)ask(p, ASKED_OTHER, "body.spawn", &args);
}

void predictor_ask_world(predictor *p)
{
    buffer args;
    packer k = begin_args(&args, 6);
    pair_text(&k, "world", PREDICTOR_WORLD);
    pair_bool(&k, "if_absent", true);
    pair_text(&k, "durability", p->options.durability);
    pair_number(&k, "hz", p->options.hz);
    pair_uint(&k, "substeps", 1); // the runs test messages, not physics
    pair_uint(&k, "max_bodies", BODIES_MAX);
    (void)ask(p, ASKED_CREATE, "world.create", &args);
    if (p->options.hosts && !p->has_floor) {
        p->has_floor = true;
        ask_floor(p);
    }
}

void predictor_ask_log(predictor *p)
{
    buffer args;
    packer k = begin_args(&args, p->options.compact ? 3 : 2);
    pair_text(&k, "world", PREDICTOR_WORLD);
    pair_text(&k, "encoding", "log");
    if (p->options.compact) {
        pair_uint(&k, "compact", log_compact_tables());
    }
    (void)ask(p, ASKED_SUBSCRIBE, "world.subscribe", &args);
}

void predictor_ask_ping(predictor *p)
{
    buffer args;
    (void)begin_args(&args, 0);
    (void)ask(p, ASKED_PING, "ping", &args);
}

void predictor_command(predictor *p, const char *name)
{
    if (!p->follows) {
        return;
    }
    buffer args;
    packer k = begin_args(&args, 1);
    pair_text(&k, "world", PREDICTOR_WORLD);
    (void)ask(p, ASKED_OTHER, name, &args);
}

// ---- commands

static double within(double extent)
{
    return ((double)sim_random(2001) - 1000.0) * 0.001 * extent;
}

void predictor_ask_body(predictor *p)
{
    const uint64_t nonce = oracle_new_nonce();
    buffer args;
    packer k = begin_args(&args, 4);
    pair_text(&k, "world", PREDICTOR_WORLD);
    pair_vector(&k, "position", within(6.0), 2.0 + within(1.0));
    pair_vector(&k, "velocity", oracle_number(nonce), 0.0);
    pack_box(&k, 1.0, 1.0);
    ask(p, ASKED_BODY, "body.spawn", &args)->nonce = nonce;
    p->asks_body = true;
}

static void pack_ball(packer *k, uint64_t nonce)
{
    text(k, "body.spawn");
    msgpack_pack_map(k, 3);
    pair_vector(k, "position", within(6.0), 6.0);
    pair_vector(k, "velocity", oracle_number(nonce), 0.0);
    text(k, "shapes");
    msgpack_pack_array(k, 1);
    msgpack_pack_map(k, 2);
    pair_text(k, "kind", "circle");
    pair_number(k, "radius", 0.3);
}

static void pack_push(packer *k, body_id body, uint64_t nonce)
{
    text(k, "body.impulse");
    msgpack_pack_map(k, 2);
    pair_uint(k, "body", body);
    pair_vector(k, "impulse", oracle_number(nonce), sim_one_in(4) ? 3.0 + within(2.0) : 0.0);
}

static void pack_force(packer *k, body_id body)
{
    text(k, "body.force");
    msgpack_pack_map(k, 2);
    pair_uint(k, "body", body);
    pair_vector(k, "force", within(20.0), 0.0);
}

// The arguments of a batch for a tick; `spawns`: it makes a ball, for which there may be no room.
static buffer pack_batch(const predictor *p, uint64_t tick, uint64_t nonce, bool spawns)
{
    buffer args;
    packer k = begin_args(&args, 4);
    pair_text(&k, "world", PREDICTOR_WORLD);
    text(&k, "commands");
    const bool steers = !spawns && sim_one_in(2);
    msgpack_pack_array(&k, steers ? 2 : 1);
    msgpack_pack_array(&k, 2);
    spawns ? pack_ball(&k, nonce) : pack_push(&k, p->own, nonce);
    if (steers) {
        msgpack_pack_array(&k, 2);
        pack_force(&k, p->own);
    }
    pair_uint(&k, "at", tick);
    pair_text(&k, "late", p->options.late);
    return args;
}

static void give(predictor *p, const buffer *args)
{
    command batch = {0};
    error err = {0};
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    SIM_CHECK(msgpack_unpack_next(&unpacked, (const char *)args->data, args->size, NULL) ==
                      MSGPACK_UNPACK_SUCCESS &&
                  command_decode(METHOD_WORLD_APPLY, &unpacked.data, &batch, &err) == STATUS_OK,
              "a batch: %s", err.text);
    msgpack_unpacked_destroy(&unpacked);
    SIM_CHECK(prediction_give(p->prediction, &batch, &err) == STATUS_OK, "a batch: %s", err.text);
}

void predictor_act(predictor *p, uint64_t tick)
{
    if (p->idle || p->own == 0 || !p->follows || sim_one_in(2)) {
        return;
    }
    const uint64_t nonce = oracle_new_nonce();
    const bool spawns = sim_one_in(30);
    buffer args = pack_batch(p, tick, nonce, spawns);
    give(p, &args);
    foresight_given(&p->account, tick, nonce, !spawns && strcmp(p->options.late, "next") == 0);
    if (sim_one_in(2)) {
        send_message(p, 0, "world.apply", &args);
        buffer_deinit(&args);
    } else {
        predictor_request *r = ask(p, ASKED_BATCH, "world.apply", &args);
        r->at = tick;
        r->nonce = nonce;
    }
}

void predictor_push_untimed(predictor *p)
{
    if (p->idle || p->own == 0 || !p->follows) {
        return;
    }
    buffer args;
    packer k = begin_args(&args, 3);
    pair_text(&k, "world", PREDICTOR_WORLD);
    pair_uint(&k, "body", p->own);
    pair_vector(&k, "impulse", oracle_number(oracle_new_nonce()), within(3.0));
    send_message(p, 0, "body.impulse", &args);
    buffer_deinit(&args);
}
