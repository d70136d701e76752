// The replay: a world's commands applied to its first image with the engine alone; see oracle.h.
#include <inttypes.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/data.h"
#include "common/physics/image.h"
#include "proto/encode/encode.h"
#include "proto/log/log_player.h"
#include "tests/simulation/oracle_internal.h"
#include "tests/simulation/sim.h"

enum { KINDS_WANTED = ((1 << EVENT_KIND_COUNT) - 1) & ~(1 << EVENT_STAY), BODIES_MAX = 4096 };

// The event of a message, a join or a leave, for all (`to` 0) or one session.
typedef struct command_event {
    told_event event;
    uint64_t to;
} command_event;

// The state of the replay, and the data compared with it.
typedef struct replay {
    oracle_world *world;
    physics_world *physics;
    log_player player;
    uint32_t told; // the first entry of world->told whose tick is still to come
    uint32_t row;  // index of the next row in world->index
    bool compares;
    ARRAY(told_event) events; // all events of the engine
    ARRAY(command_event) commands;
} replay;

static int by_tick(const void *a, const void *b)
{
    const oracle_told *x = a;
    const oracle_told *y = b;
    return x->tick != y->tick ? (x->tick < y->tick ? -1 : 1) : (int)x->kind - (int)y->kind;
}

static uint64_t picture_of(const physics_world *physics, told_kind kind)
{
    static body_row rows[BODIES_MAX];
    uint32_t count = world_rows(physics, rows, BODIES_MAX);
    ASSERT(count <= BODIES_MAX);
    uint64_t picture = 0;
    for (uint32_t i = 0; i < count; i++) {
        const body_row *b = &rows[i];
        if (kind == TOLD_ROUNDED) {
            picture += oracle_mix_rounded(b->id, b->position.x, b->position.y);
            continue;
        }
        uint64_t digest = oracle_mix(0, b->id);
        digest = oracle_mix_double(digest, b->position.x);
        digest = oracle_mix_double(digest, b->position.y);
        digest = oracle_mix_double(digest, (double)b->angle);
        digest = oracle_mix_double(digest, (double)b->velocity.x);
        digest = oracle_mix_double(digest, (double)b->velocity.y);
        picture += oracle_mix_double(digest, (double)b->angular_velocity);
    }
    return picture;
}

// The number that a value of the simulator's messages and data is.
static uint64_t number_of(const uint8_t *value, size_t size)
{
    msgpack_unpacked read;
    size_t at = 0;
    msgpack_unpacked_init(&read);
    const bool whole = value != NULL && msgpack_unpack_next(&read, (const char *)value, size,
                                                            &at) == MSGPACK_UNPACK_SUCCESS;
    const uint64_t number =
        whole && read.data.type == MSGPACK_OBJECT_POSITIVE_INTEGER ? read.data.via.u64 : 0;
    msgpack_unpacked_destroy(&read);
    return number;
}

static uint64_t data_of(const physics_world *physics)
{
    uint64_t digest = 0;
    const uint32_t count = world_data_count(physics).keys;
    for (uint32_t i = 0; i < count; i++) {
        const world_datum d = world_data_at(physics, i);
        digest += oracle_mix_datum(d.key, strlen(d.key), number_of(d.value, d.value_size));
    }
    return digest;
}

static const char *const KIND_NAMES[] = {"hash", "bodies", "rounded bodies", "hash", "data"};

// Compares what clients received of this tick with the state. `within`: between two commands of a
// tick, which only reads show.
static void look(replay *r, bool within)
{
    if (!r->compares) {
        return;
    }
    oracle_world *w = r->world;
    uint64_t tick = world_tick(r->physics);
    while (r->told < w->told.count && w->told.data[r->told].tick < tick) {
        const oracle_told *t = &w->told.data[r->told++];
        SIM_CHECK(t->matched,
                  "world %s of epoch %" PRIu64 " (durability %d): a client was told of a state of "
                  "tick %" PRIu64 " (%s) that never was",
                  w->name, w->epoch, (int)w->durability, t->tick, KIND_NAMES[t->kind]);
    }
    bool hashed = false;
    uint64_t hash = 0;
    for (uint32_t i = r->told; i < w->told.count && w->told.data[i].tick == tick; i++) {
        oracle_told *t = &w->told.data[i];
        if (t->matched || (within && t->kind != TOLD_READ)) {
            continue;
        }
        if (t->kind == TOLD_PICTURE || t->kind == TOLD_ROUNDED) {
            t->matched = t->value == picture_of(r->physics, t->kind);
        } else if (t->kind == TOLD_DATA) {
            t->matched = t->value == data_of(r->physics);
        } else {
            hash = hashed ? hash : world_hash(r->physics);
            hashed = true;
            t->matched = t->value == hash;
        }
    }
}

static uint64_t digest_of(const physics_event *e)
{
    uint64_t digest = oracle_mix(0, e->tick);
    for (const char *c = event_kind_name(e->kind); *c != '\0'; c++) {
        digest = oracle_mix(digest, (uint8_t)*c);
    }
    digest = oracle_mix(digest, e->a);
    digest = oracle_mix(digest, e->b);
    digest = oracle_mix(digest, e->shape_a);
    return oracle_mix(digest, e->shape_b);
}

static void on_stepped(void *context, physics_world *physics)
{
    replay *r = context;
    uint32_t count = 0;
    const physics_event *events = world_events(physics, &count);
    for (uint32_t i = 0; i < count && r->compares; i++) {
        told_event e = {.tick = events[i].tick, .digest = digest_of(&events[i])};
        array_push(&r->events, e);
        sim_trace("%s: %s of %" PRIu64 " and %" PRIu64 ", tick %" PRIu64 ": %016" PRIx64,
                  r->world->name, event_kind_name(events[i].kind), (uint64_t)events[i].a,
                  (uint64_t)events[i].b, e.tick, e.digest);
    }
    figures.replayed_ticks++;
    look(r, false);
}

// Keeps the event by which readers learn of a command.
static void note_command(replay *r, uint64_t session, uint64_t tick, const command *c)
{
    uint64_t to = 0;
    uint64_t digest = 0;
    switch (c->method) {
    case METHOD_WORLD_APPLY:
        for (uint32_t i = 0; i < c->apply.count; i++) {
            note_command(r, session, tick, &c->apply.commands[i]);
        }
        return;
    case METHOD_MESSAGE_SEND:
        to = c->message.recipient.session;
        digest = oracle_mix_command(tick, "message", session, 0,
                                    number_of(c->message.data, c->message.data_size));
        break;
    case METHOD_WORLD_JOIN:
        digest = oracle_mix_command(tick, "join", c->join.session, c->join.seat,
                                    number_of(c->join.data, c->join.data_size));
        break;
    case METHOD_WORLD_LEAVE:
        digest = oracle_mix_command(tick, "leave", c->leave.session, c->leave.seat, 0);
        break;
    default:
        return;
    }
    const command_event e = {{.tick = tick, .digest = digest}, to};
    array_push(&r->commands, e);
    sim_trace("%s: command of method %d to %" PRIu64 ", tick %" PRIu64 ": %016" PRIx64,
              r->world->name, (int)c->method, to, tick, digest);
}

static void on_applied(void *context, const log_command *row, const command *c,
                       const command_result *result)
{
    replay *r = context;
    uint64_t nonce = 0;
    uint32_t count = oracle_read_nonces(row->arguments, row->arguments_size, &nonce, 1);
    if (c->method == METHOD_BODY_SPAWN && count == 1) {
        const oracle_nonce *n = &oracle.nonces.data[nonce];
        SIM_CHECK(n->body == 0 || n->body == result->spawn.body,
                  "command %" PRIu64 " was told to have made body %" PRIu64 ", the replay makes "
                  "%" PRIu64,
                  nonce, n->body, (uint64_t)result->spawn.body);
    }
    if (r->compares) {
        note_command(r, row->session, row->tick, c);
    }
    look(r, !r->player.paused);
}

// Events that happened but were not received, since the last received one.
typedef struct missing {
    uint64_t sure, maybe; // `maybe`: of a tick of which only a part may be due
} missing;

// The number missing must equal what the server reported lost; it may be larger if the network lost
// some.
static void check_missing(const replay *r, const told_span *span, missing m, uint64_t lost,
                          bool gap)
{
    SIM_CHECK((gap || m.sure <= lost) && lost <= m.sure + m.maybe,
              "world %s of epoch %" PRIu64 ": %" PRIu64 " to %" PRIu64
              " events were not told, or out of order, to a subscription from %" PRIu64
              " to %" PRIu64 ", and %" PRIu64 " were said to be lost",
              r->world->name, r->world->epoch, m.sure, m.sure + m.maybe, span->from, span->to,
              lost);
}

// Checks that `told` are the events of the ticks after `from` up to `to`. Only a part of the first
// and last tick's may be due: other commands of that tick came before the subscription, or after
// its last snapshot.
static void check_segment(const replay *r, const oracle_segment *s)
{
    const told_span *span = &s->span;
    const uint32_t count = span->of_commands ? r->commands.count : r->events.count;
    for (uint32_t i = 0; i < s->events.count; i++) {
        sim_trace("told session %" PRIu64 " from %" PRIu64 " to %" PRIu64 ": tick %" PRIu64
                  " %016" PRIx64,
                  span->session, span->from, span->to, s->events.data[i].tick,
                  s->events.data[i].digest);
    }
    uint32_t told = 0;
    uint64_t part = span->from + 1; // a part of this tick's events may be due
    if (s->events.count > 0 && s->events.data[0].gap && s->events.data[0].tick > part) {
        part = s->events.data[0].tick;
    }
    missing m = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const command_event *c = span->of_commands ? &r->commands.data[i] : NULL;
        const told_event *e = c != NULL ? &c->event : &r->events.data[i];
        if (c != NULL && c->to != 0 && c->to != span->session) {
            continue;
        }
        const told_event *next = told < s->events.count ? &s->events.data[told] : NULL;
        if (next != NULL && next->digest == e->digest) {
            check_missing(r, span, m, next->lost, next->gap);
            m = (missing){0, 0};
            told++;
        } else {
            const bool partly = e->tick <= part || e->tick >= span->to;
            m.sure += !partly;
            m.maybe += partly;
        }
    }
    SIM_CHECK(told == s->events.count,
              "world %s of epoch %" PRIu64 ": an event of tick %" PRIu64
              " was told twice, or never happened",
              r->world->name, r->world->epoch, s->events.data[told].tick);
    check_missing(r, span, m, span->lost_at_end, span->gap_at_end);
}

static void compare(replay *r)
{
    oracle_world *w = r->world;
    if (w->told.count > 0) {
        r->told = 0;
        for (uint32_t i = 0; i < w->told.count; i++) {
            const oracle_told *t = &w->told.data[i];
            SIM_CHECK(t->matched,
                      "world %s of epoch %" PRIu64 " (durability %d): a client was told of a "
                      "state of tick %" PRIu64 " (%s) that never was",
                      w->name, w->epoch, (int)w->durability, t->tick, KIND_NAMES[t->kind]);
        }
    }
    for (uint32_t i = 0; i < w->segments.count; i++) {
        check_segment(r, &w->segments.data[i]);
    }
}

void oracle_replay(oracle_world *w, uint64_t end, const uint64_t *expect_hash)
{
    physics_world *physics = NULL;
    error err = {0};
    status s = world_restore(w->base.data, w->base.size, &physics, &err);
    SIM_CHECK(s == STATUS_OK, "world %s: its first image: %s", w->name, err.text);
    replay r = {.world = w, .physics = physics, .compares = expect_hash == NULL};
    r.player = (log_player){.world = physics,
                            .paused = w->base_paused,
                            .applied = on_applied,
                            .stepped = on_stepped,
                            .context = &r};
    world_want_events(physics, r.compares ? KINDS_WANTED : 0);
    if (r.compares && w->told.count > 0) {
        qsort(w->told.data, w->told.count, sizeof *w->told.data, by_tick);
    }
    look(&r, false);
    log_record played = {.from = world_tick(physics),
                         .tick = end,
                         .command_count = w->index.count,
                         .commands = w->rows.data,
                         .commands_size = w->rows.size};
    s = log_player_play(&r.player, &played, &err);
    SIM_CHECK(s == STATUS_OK, "world %s: its replay: %s", w->name, err.text);
    if (expect_hash != NULL) {
        uint64_t hash = world_hash(physics);
        SIM_CHECK(hash == *expect_hash,
                  "world %s of epoch %" PRIu64 " came back at tick %" PRIu64
                  " with another state than its plain replay has",
                  w->name, w->epoch, end);
    } else {
        compare(&r);
    }
    array_free(&r.events);
    array_free(&r.commands);
    world_free(physics);
}

void oracle_verify(void)
{
    for (oracle_world *w = oracle.worlds; w != NULL; w = w->next) {
        if (w->base.size == 0) {
            SIM_CHECK(w->told.count == 0, "world %s was shown and never written", w->name);
            continue;
        }
        uint64_t end = w->until > w->base_tick ? w->until : w->base_tick;
        if (w->index.count > 0 && w->index.data[w->index.count - 1].tick > end) {
            end = w->index.data[w->index.count - 1].tick;
        }
        for (uint32_t i = 0; i < w->told.count; i++) {
            end = w->told.data[i].tick > end ? w->told.data[i].tick : end;
        }
        // If a packed snapshot leaves bodies out, only events are compared.
        for (uint32_t i = 0; i < w->segments.count; i++) {
            end = w->segments.data[i].span.to > end ? w->segments.data[i].span.to : end;
        }
        oracle_replay(w, end, NULL);
    }
}
