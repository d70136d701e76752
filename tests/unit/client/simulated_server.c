// The simulated server; see simulated_server.h.
#include "tests/unit/client/simulated_server.h"

#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "client/prediction/internal.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_record.h"

#define PILE_FORCE   80.0 // force of a pressed key [N]
#define PILE_DAMPING 8.0  // damping of a pusher: 9 m/s at most

enum { HZ = 60, BYTES_MAX = 1 << 20 };

double sim_random(sim *s) // splitmix64
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

// ---- the world

static body_id put_damped(physics_world *world, vec2d at, vec2 half, body_type type, double damping)
{
    body_def def = body_def_default();
    shape_def box = shape_def_default();
    box.geometry.kind = SHAPE_POLYGON;
    assert_int_equal(polygon_make_box((vec2){2.0f * half.x, 2.0f * half.y}, (vec2){0.0f, 0.0f}, 0.0,
                                      0.0f, &box.geometry.polygon, NULL),
                     STATUS_OK);
    def.type = type;
    def.position = at;
    def.linear_damping = damping;
    body_id id = 0;
    assert_int_equal(body_spawn(world, &def, &box, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static body_id put_box(physics_world *world, vec2d at, vec2 half, body_type type)
{
    return put_damped(world, at, half, type, 0.0);
}

// A pyramid in the middle, with the players on either side of it.
static void put_pile(sim *s, physics_world *world)
{
    const vec2 half = {0.5f, 0.5f};
    s->own = put_damped(world, (vec2d){-5.0, 0.5}, half, BODY_DYNAMIC, PILE_DAMPING);
    s->other = put_damped(world, (vec2d){5.0, 0.5}, half, BODY_DYNAMIC, PILE_DAMPING);
    put_box(world, (vec2d){-12.0, 10.0}, (vec2){0.5f, 10.0f}, BODY_STATIC);
    put_box(world, (vec2d){12.0, 10.0}, (vec2){0.5f, 10.0f}, BODY_STATIC);
    int columns = 1;
    while (columns * (columns + 1) / 2 < s->options.bodies) {
        columns++;
    }
    int row = 0;
    for (int i = 0, column = 0; i < s->options.bodies; i++, column++) {
        if (column == columns - row) {
            row++;
            column = 0;
        }
        const double x = 0.85 * (column - 0.5 * (columns - row - 1));
        put_box(world, (vec2d){x, 0.4 + 0.8 * row}, (vec2){0.4f, 0.4f}, BODY_DYNAMIC);
    }
}

static physics_world *make_world(sim *s)
{
    world_def def = world_def_default();
    def.hz = HZ;
    physics_world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    put_box(world, (vec2d){0.0, -1.0}, (vec2){60.0f, 1.0f}, BODY_STATIC);
    put_box(world, (vec2d){-20.0, 2.0}, (vec2){0.5f, 4.0f}, BODY_STATIC);
    put_box(world, (vec2d){20.0, 2.0}, (vec2){0.5f, 4.0f}, BODY_STATIC);
    if (s->options.pile) {
        put_pile(s, world);
        return world;
    }
    put_box(world, (vec2d){0.0, 2.0}, (vec2){0.5f, s->options.apart ? 4.0f : 0.1f}, BODY_STATIC);
    s->own = put_box(world, (vec2d){-8.0, 1.0}, (vec2){0.5f, 0.5f}, BODY_DYNAMIC);
    s->other = put_box(world, (vec2d){8.0, 1.0}, (vec2){0.5f, 0.5f}, BODY_DYNAMIC);
    for (int i = 0; i < s->options.bodies; i++) {
        const double x = -14.0 + 12.0 * sim_random(s) + (s->options.apart ? 0.0 : 8.0);
        put_box(world, (vec2d){x, 2.0 + 0.9 * i}, (vec2){0.4f, 0.4f}, BODY_DYNAMIC);
    }
    for (int i = 0; i < s->options.far_bodies; i++) {
        put_box(world, (vec2d){24.0 + 30.0 * sim_random(s), 3.0 + 0.3 * i}, (vec2){0.4f, 0.4f},
                BODY_DYNAMIC);
    }
    return world;
}

// ---- commands

static void text(msgpack_packer *k, const char *of)
{
    msgpack_pack_str_with_body(k, of, strlen(of));
}

static void pair(msgpack_packer *k, const char *key, double x, double y)
{
    text(k, key);
    msgpack_pack_array(k, 2);
    msgpack_pack_double(k, x);
    msgpack_pack_double(k, y);
}

// Presses a key toward the pile or away from it, or releases it; the force acts until the next
// call.
static void push_at_pile(sim *s, msgpack_packer *k, body_id body)
{
    static const double KEYS[] = {PILE_FORCE, PILE_FORCE, PILE_FORCE, -PILE_FORCE, 0.0};
    text(k, "body.force");
    msgpack_pack_map(k, 2);
    text(k, "body");
    msgpack_pack_uint64(k, body);
    const double force = KEYS[(int)(5.0 * sim_random(s))];
    pair(k, "force", body == s->own ? force : -force, 0.0);
}

static void push(sim *s, msgpack_packer *k, body_id body)
{
    msgpack_pack_array(k, 2);
    if (s->options.pile) {
        push_at_pile(s, k, body);
        return;
    }
    const bool impulse = sim_random(s) < 0.2;
    text(k, impulse ? "body.impulse" : "body.force");
    msgpack_pack_map(k, 2);
    text(k, "body");
    msgpack_pack_uint64(k, body);
    const double scale = impulse ? 3.0 : 30.0;
    pair(k, impulse ? "impulse" : "force", scale * (sim_random(s) - 0.5), scale * sim_random(s));
}

static void spawn(sim *s, msgpack_packer *k)
{
    msgpack_pack_array(k, 2);
    text(k, "body.spawn");
    msgpack_pack_map(k, 2);
    pair(k, "position", 10.0 * (sim_random(s) - 0.5), 8.0);
    text(k, "shapes");
    msgpack_pack_array(k, 1);
    msgpack_pack_map(k, 2);
    text(k, "kind");
    text(k, "circle");
    text(k, "radius");
    msgpack_pack_double(k, 0.3);
}

// world.apply {world, commands: [one], at}
static buffer make_batch(sim *s, body_id body, uint64_t at)
{
    buffer out;
    buffer_init(&out, BYTES_MAX);
    msgpack_packer k = buffer_packer(&out);
    msgpack_pack_map(&k, 3);
    text(&k, "world");
    text(&k, "w");
    text(&k, "commands");
    msgpack_pack_array(&k, 1);
    if (sim_random(s) < s->options.spawn_share) {
        spawn(s, &k);
    } else {
        push(s, &k, body);
    }
    text(&k, "at");
    msgpack_pack_uint64(&k, at);
    return out;
}

static command decode(const uint8_t *bytes, size_t size)
{
    command c = {0};
    error err = {0};
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    assert_int_equal(msgpack_unpack_next(&unpacked, (const char *)bytes, size, NULL),
                     MSGPACK_UNPACK_SUCCESS);
    if (command_decode(METHOD_WORLD_APPLY, &unpacked.data, &c, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    msgpack_unpacked_destroy(&unpacked);
    return c;
}

// ---- the way

static double arrival(sim *s, double *last)
{
    double at = s->now + s->options.delay_s + s->options.jitter_s * sim_random(s);
    if (sim_random(s) < s->options.stall_share) {
        at += s->options.stall_s;
    }
    *last = at > *last ? at : *last;
    return *last;
}

static void post(message_list *to, double arrives, uint64_t number, buffer bytes, double margin)
{
    message m = {.arrives = arrives, .number = number, .margin = margin};
    m.bytes = buffer_take(&bytes, &m.size);
    array_push(to, m);
}

static message take_first(message_list *from)
{
    const message first = from->data[0];
    array_remove_first(from, 1);
    return first;
}

static void drop_all(message_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->data[i].bytes);
    }
    array_free(list);
}

// ---- the server

typedef struct tick_log {
    buffer rows;
    uint32_t count;
} tick_log;

static void apply(sim *s, tick_log *log, uint64_t session, const uint8_t *bytes, size_t size)
{
    command c = decode(bytes, size);
    command_result result;
    error err = {0};
    if (apply_command(s->server, &c, &result, &err) == STATUS_OK) {
        const log_command row = {.tick = world_tick(s->server) + 1,
                                 .session = session,
                                 .method = "world.apply",
                                 .method_size = sizeof "world.apply" - 1,
                                 .arguments = bytes,
                                 .arguments_size = (uint32_t)size};
        log_command_encode(&log->rows, &row);
        log->count++;
        s->applied += session == OWN_SESSION;
        command_result_free(&result);
    } else {
        s->refused += session == OWN_SESSION;
    }
    command_free(&c);
}

static void serve_batches(sim *s, tick_log *log)
{
    const uint64_t next = world_tick(s->server) + 1;
    while (s->up.count > 0 && s->up.data[0].arrives <= s->now) {
        message m = take_first(&s->up);
        const double margin = (double)m.number / HZ - m.arrives;
        s->margin = margin < s->margin ? margin : s->margin;
        if (sim_random(s) < s->options.drop_share) {
            s->refused++;
            free(m.bytes);
        } else {
            s->late += m.number < next;
            array_push(&s->scheduled, m);
        }
    }
    for (uint32_t i = 0; i < s->scheduled.count;) {
        message *m = &s->scheduled.data[i];
        if (m->number > next) {
            i++;
            continue;
        }
        apply(s, log, OWN_SESSION, m->bytes, m->size);
        free(m->bytes);
        s->scheduled.count--;
        memmove(m, m + 1, (s->scheduled.count - i) * sizeof *m);
    }
}

static void note_events(sim *s)
{
    uint32_t count = 0;
    const physics_event *events = world_events(s->server, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((s->options.predict.events >> events[i].kind & 1) != 0) {
            array_push(&s->confirmed_events, events[i]);
        }
    }
}

static void serve_tick(sim *s)
{
    tick_log log = {.count = 0};
    buffer_init(&log.rows, BYTES_MAX);
    const uint64_t next = world_tick(s->server) + 1;
    serve_batches(s, &log);
    if (sim_random(s) < s->options.other_share) {
        buffer batch = make_batch(s, s->other, next);
        apply(s, &log, OTHER_SESSION, batch.data, batch.size);
        buffer_deinit(&batch);
    }
    world_step(s->server);
    note_events(s);
    const log_record record = {.from = next - 1,
                               .tick = next,
                               .command_count = log.count,
                               .commands = log.rows.data,
                               .commands_size = log.rows.size,
                               .has_hash = true,
                               .hash = world_hash(s->server)};
    buffer out;
    buffer_init(&out, BYTES_MAX);
    log_record_encode(&out, &record);
    buffer_deinit(&log.rows);
    post(&s->down, arrival(s, &s->last_down), next, out, s->margin);
    s->margin = (double)INFINITY;
}

void sim_pass(sim *s, double seconds)
{
    const double end = s->now + seconds;
    for (;;) {
        const double tick = (double)(world_tick(s->server) + 1) / HZ;
        if (tick > end) {
            break;
        }
        s->now = tick;
        serve_tick(s);
    }
    s->now = end;
}

// ---- the client

static double client_now(const sim *s)
{
    return 1000.0 + s->now * (1.0 + 1e-6 * s->options.clock_ppm);
}

static void on_step(void *context, physics_world *world)
{
    sim *s = context;
    (void)world;
    prediction_note_step(s->predicted);
}

static void on_command(void *context, const log_command *row, const command *c,
                       const command_result *result)
{
    sim *s = context;
    prediction_note_command(s->predicted, row, c, result);
}

static void receive(sim *s)
{
    while (s->down.count > 0 && s->down.data[0].arrives <= s->now) {
        message m = take_first(&s->down);
        log_record record;
        error err = {0};
        assert_int_equal(log_record_decode(m.bytes, m.size, &record, &err), STATUS_OK);
        if (log_player_play(&s->player, &record, &err) != STATUS_OK) {
            fail_msg("%s", err.text);
        }
        prediction_note_arrival(s->predicted, client_now(s));
        if (isfinite(m.margin)) {
            prediction_margin(s->predicted, client_now(s), m.margin);
        }
        free(m.bytes);
    }
}

static void act(sim *s, uint64_t tick)
{
    assert_true(s->last_first == 0 || tick > s->last_first); // each tick is asked for once
    s->last_first = tick;
    const double share = s->options.own_share > 0.0 ? s->options.own_share : 0.7;
    if (s->idle || sim_random(s) < 1.0 - share) {
        return;
    }
    buffer batch = make_batch(s, s->own, tick);
    command c = decode(batch.data, batch.size);
    error err = {0};
    assert_int_equal(prediction_give(s->predicted, &c, &err), STATUS_OK);
    s->sent++;
    post(&s->up, arrival(s, &s->last_up), tick, batch, 0.0);
}

static void hear(sim *s)
{
    prediction_event e;
    while (prediction_next_event(s->predicted, &e)) {
        s->told_predicted += e.fate == PREDICTION_EVENT_PREDICTED;
        s->told_taken_back += e.fate == PREDICTION_EVENT_TAKEN_BACK;
        if (e.fate != PREDICTION_EVENT_CONFIRMED) {
            continue;
        }
        s->told_unforeseen += !e.was_predicted;
        assert_true(s->told_confirmed < s->confirmed_events.count);
        const physics_event *due = &s->confirmed_events.data[s->told_confirmed++];
        assert_true(due->kind == e.event.kind && due->tick == e.event.tick && due->a == e.event.a &&
                    due->b == e.event.b);
    }
}

void sim_frame(sim *s)
{
    receive(s);
    prediction_rtt(s->predicted,
                   2.0 * s->options.delay_s + s->options.jitter_s + s->options.rtt_more_s);
    prediction_input input;
    uint64_t calls = 0;
    prediction_begin(s->predicted, client_now(s));
    while (prediction_next(s->predicted, &input)) {
        calls++;
        s->first_calls += input.first_time;
        s->redo_calls += !input.first_time;
        if (input.first_time) {
            act(s, input.tick);
        }
    }
    const double took = 0.05 + s->options.body_ms * s->predicted->work;
    s->frame_most = took > s->frame_most ? took : s->frame_most;
    prediction_end(s->predicted, took);
    s->steps_most = calls > s->steps_most ? calls : s->steps_most;
    hear(s);
}

void sim_run(sim *s, double seconds)
{
    const double end = s->now + seconds;
    while (s->now < end) {
        sim_pass(s, 1.0 / 60.0);
        sim_frame(s);
    }
}

sim *sim_create(const sim_options *options)
{
    sim *s = calloc(1, sizeof *s);
    s->options = *options;
    s->options.predict.session = OWN_SESSION;
    s->random = options->seed;
    s->margin = (double)INFINITY;
    s->server = make_world(s);
    world_want_events(s->server, options->predict.events);
    world_step(s->server);
    s->now = 1.0 / HZ;
    const world_def def = world_definition(s->server);
    assert_int_equal(world_create(&def, &s->player.world, NULL), STATUS_OK);
    world_want_events(s->player.world, options->predict.events);
    world_copy(s->player.world, s->server);
    s->predicted = prediction_create(&s->player, &s->options.predict);
    s->player.stepped = on_step;
    s->player.applied = on_command;
    s->player.context = s;
    return s;
}

void sim_free(sim *s)
{
    prediction_free(s->predicted);
    world_free(s->player.world);
    world_free(s->server);
    drop_all(&s->up);
    drop_all(&s->down);
    drop_all(&s->scheduled);
    array_free(&s->confirmed_events);
    free(s);
}
