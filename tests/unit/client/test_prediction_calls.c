// carom/prediction.h: the input function and what is sent, poses, events and figures, bad input,
// and operation without prediction, with an older server or another engine. A small server in this
// program answers: each batch acts two ticks after it was sent, which is in time.
#include <math.h>
#include <stdatomic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <carom/prediction.h>
#include <msgpack.h>
#include <time.h>

#include "client/lib/connection.h"

#include "client/scene/values.h"
#include "common/physics/image.h"
#include "common/world/apply.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_record.h"
#include "tests/unit/client/connected.h"

enum { HZ = 60, SESSION = 4, BATCHES = 64, DELAY_TICKS = 3 };

typedef struct lab {
    physics_world *server;
    carom_replica *replica;
    carom_prediction *prediction;
    body_id ball;
    carom_value *batches[BATCHES]; // batches that were sent and not applied
    uint64_t at[BATCHES];
    uint32_t count;
    buffer records[DELAY_TICKS]; // records in flight, by tick
    uint64_t first, again, sent, events[3];
    const char *method; // the method that the player calls; NULL: none
} lab;

static void steer(carom_prediction *p, uint64_t tick, bool first_time, void *user)
{
    lab *l = user;
    l->first += first_time;
    l->again += !first_time;
    if (l->method == NULL) {
        return;
    }
    carom_value *args = carom_map();
    if (strcmp(l->method, "body.spawn") == 0) {
        carom_set(args, "position", carom_vec(5.0 * (double)tick, 0.0));
        carom_set(args, "shapes", carom_array());
    } else {
        carom_set(args, "body", carom_uint(l->ball));
        carom_set(args, "force", carom_vec((double)(tick % 7), 20.0));
    }
    assert_int_equal(carom_prediction_command(p, l->method, args, NULL), CAROM_OK);
    carom_value_free(args);
}

static bool deliver(const carom_value *args, void *user)
{
    lab *l = user;
    assert_string_equal(carom_get_str(args, "late", ""), "next");
    assert_true(l->count < BATCHES);
    l->at[l->count] = carom_get_uint(args, "at", 0);
    carom_value *batch = carom_value_clone(args);
    carom_set(batch, "world", carom_str("lab")); // the records here do not name their world
    l->batches[l->count++] = batch;
    l->sent++;
    return true;
}

static void hear(const carom_event *event, carom_prediction_fate fate, bool was_predicted,
                 void *user)
{
    lab *l = user;
    assert_non_null(event->name);
    assert_true(fate == CAROM_FATE_CONFIRMED || was_predicted);
    l->events[fate]++;
}

// Applies the batch in the server's world and appends its row.
static void apply(lab *l, const carom_value *args, buffer *rows)
{
    buffer bytes;
    command c = {0};
    command_result result;
    error err;
    buffer_init(&bytes, 1 << 16);
    assert_int_equal(values_pack(args, &bytes), CAROM_OK);
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    (void)msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, NULL);
    assert_int_equal(command_decode(METHOD_WORLD_APPLY, &unpacked.data, &c, &err), STATUS_OK);
    msgpack_unpacked_destroy(&unpacked);
    assert_int_equal(apply_command(l->server, &c, &result, &err), STATUS_OK);
    const log_command row = {.tick = world_tick(l->server) + 1,
                             .session = SESSION,
                             .method = "world.apply",
                             .method_size = sizeof "world.apply" - 1,
                             .arguments = bytes.data,
                             .arguments_size = (uint32_t)bytes.size};
    log_command_encode(rows, &row);
    command_result_free(&result);
    command_free(&c);
    buffer_deinit(&bytes);
}

// Runs one tick of the server; returns its record.
static buffer serve(lab *l, bool image)
{
    buffer rows;
    buffer out;
    buffer_init(&rows, 1 << 16);
    buffer_init(&out, 1 << 20);
    log_record record = {.from = world_tick(l->server)};
    uint8_t *bytes = NULL;
    if (image) {
        world_save(l->server, &bytes, &record.image_size);
        record.image = bytes;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->at[i] <= record.from + 1) {
            apply(l, l->batches[i], &rows);
            carom_value_free(l->batches[i]);
            record.command_count++;
        } else {
            l->at[kept] = l->at[i];
            l->batches[kept++] = l->batches[i];
        }
    }
    l->count = kept;
    world_step(l->server);
    record.tick = world_tick(l->server);
    record.commands = rows.data;
    record.commands_size = rows.size;
    record.has_hash = true;
    record.hash = world_hash(l->server);
    log_record_encode(&out, &record);
    buffer_deinit(&rows);
    free(bytes);
    return out;
}

static carom_status feed(lab *l, buffer record, double now)
{
    carom_error err;
    const carom_snapshot snapshot = {
        .log = true, .encoded = record.data, .encoded_size = record.size};
    const carom_status s = carom_prediction_feed(l->prediction, &snapshot, now, &err);
    buffer_deinit(&record);
    return s;
}

static double now_of(const lab *l)
{
    return 5.0 + (double)world_tick(l->server) / HZ;
}

static void run(lab *l, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        buffer *slot = &l->records[world_tick(l->server) % DELAY_TICKS];
        const buffer due = *slot;
        *slot = serve(l, false);
        if (due.data != NULL) {
            assert_int_equal(feed(l, due, now_of(l)), CAROM_OK);
        }
        assert_int_equal(carom_prediction_frame(l->prediction, now_of(l), NULL), CAROM_OK);
    }
}

static carom_prediction_options options_of(lab *l)
{
    carom_prediction_options o = carom_prediction_options_default();
    o.input = steer;
    o.event = hear;
    o.send = deliver;
    o.user = l;
    o.session = SESSION;
    return o;
}

static int setup(void **state)
{
    lab *l = calloc(1, sizeof *l);
    world_def def = world_def_default();
    assert_int_equal(world_create(&def, &l->server, NULL), STATUS_OK);
    body_def ball = body_def_default();
    shape_def round = shape_def_default();
    round.geometry.kind = SHAPE_CIRCLE;
    round.geometry.circle.radius = 0.5f;
    assert_int_equal(body_spawn(l->server, &ball, &round, 1, &l->ball, NULL, NULL), STATUS_OK);
    l->replica = carom_replica_create();
    const carom_prediction_options o = options_of(l);
    assert_int_equal(carom_prediction_create(NULL, l->replica, &o, &l->prediction, NULL), CAROM_OK);
    carom_prediction_rtt(l->prediction, (double)DELAY_TICKS / HZ);
    assert_int_equal(feed(l, serve(l, true), now_of(l)), CAROM_OK);
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    lab *l = *state;
    carom_prediction_free(l->prediction);
    carom_replica_free(l->replica);
    world_free(l->server);
    for (uint32_t i = 0; i < l->count; i++) {
        carom_value_free(l->batches[i]);
    }
    for (int i = 0; i < DELAY_TICKS; i++) {
        buffer_deinit(&l->records[i]);
    }
    free(l);
    return 0;
}

static void own_commands_act_at_once_and_are_right(void **state)
{
    lab *l = *state;
    run(l, 60);
    assert_true(carom_prediction_active(l->prediction, NULL));
    carom_prediction_pose before;
    assert_int_equal(carom_prediction_poses(l->prediction, &before, 1), 1);
    assert_true(before.id == l->ball);
    l->method = "body.force";
    run(l, 2);
    carom_prediction_pose after;
    (void)carom_prediction_poses(l->prediction, &after, 1);
    assert_true(after.vy > before.vy); // 9.81 m/s² down, 20 N up on 0.79 kg
    run(l, 120);
    const carom_prediction_figures f = carom_prediction_figures_now(l->prediction);
    assert_true(f.right == 1.0 && f.rollback_count == 0 && f.ticks > 60);
    assert_true(f.lead >= DELAY_TICKS && f.late == 0 && f.confirmed > 100);
    assert_true(f.sent == l->sent && l->again == 0);
    assert_true(carom_prediction_tick(l->prediction) > carom_replica_now(l->replica).tick);
}

static void made_bodies_are_told_and_confirmed(void **state)
{
    lab *l = *state;
    run(l, 30);
    assert_int_equal(l->events[CAROM_FATE_PREDICTED], 0);
    assert_int_equal(l->events[CAROM_FATE_CONFIRMED], 1); // the ball's begin event, from the image
    l->events[CAROM_FATE_CONFIRMED] = 0;
    l->method = "body.spawn";
    run(l, 10);
    bool confirmed = true;
    const uint64_t tick = carom_prediction_tick(l->prediction);
    const uint64_t guess = carom_prediction_made(l->prediction, tick, 0, &confirmed);
    assert_true(guess != 0 && !confirmed);
    l->method = NULL;
    run(l, 30);
    assert_true(carom_prediction_made(l->prediction, tick, 0, &confirmed) == guess && confirmed);
    assert_true(l->events[CAROM_FATE_PREDICTED] >= 9);
    assert_true(l->events[CAROM_FATE_CONFIRMED] == l->events[CAROM_FATE_PREDICTED]);
    assert_int_equal(l->events[CAROM_FATE_TAKEN_BACK], 0);
}

static void predicted_world_answers_queries(void **state)
{
    lab *l = *state;
    run(l, 30);
    carom_value *result = NULL;
    carom_value *args = carom_map();
    carom_set(args, "body", carom_uint(l->ball));
    assert_int_equal(carom_prediction_call(l->prediction, "body.get", args, &result, NULL),
                     CAROM_OK);
    carom_prediction_pose drawn;
    (void)carom_prediction_poses(l->prediction, &drawn, 1);
    assert_true(carom_get_vec(result, "velocity", (carom_vec2){0.0, 0.0}).y == drawn.vy);
    carom_value_free(result);
    carom_error err;
    assert_int_equal(carom_prediction_call(l->prediction, "body.remove", args, &result, &err),
                     CAROM_PERMISSION_DENIED);
    carom_value_free(args);
}

static void wrong_commands_are_refused_with_the_place(void **state)
{
    lab *l = *state;
    run(l, 30);
    l->method = "body.pull";
    const uint64_t sent = l->sent;
    carom_error err;
    buffer_deinit(&l->records[0]);
    buffer record = serve(l, false);
    assert_int_equal(carom_prediction_frame(l->prediction, now_of(l), &err), CAROM_UNKNOWN_METHOD);
    assert_non_null(strstr(err.text, "commands[0]"));
    assert_int_equal(l->sent, sent);
    buffer_deinit(&record);
}

static void bad_options_are_refused(void **state)
{
    lab *l = *state;
    carom_error err;
    carom_prediction *other = NULL;
    carom_prediction_options o = options_of(l);
    assert_int_equal(carom_prediction_create(NULL, l->replica, &o, &other, &err),
                     CAROM_ALREADY_EXISTS);
    carom_replica *replica = carom_replica_create();
    o.input_delay = 4;
    assert_int_equal(carom_prediction_create(NULL, replica, &o, &other, &err),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "input_delay: 0 to 3 ticks, got 4"));
    o = options_of(l);
    o.budget_ms = -1.0;
    assert_int_equal(carom_prediction_create(NULL, replica, &o, &other, &err),
                     CAROM_INVALID_ARGUMENT);
    o = options_of(l);
    o.send = NULL;
    assert_int_equal(carom_prediction_create(NULL, replica, &o, &other, &err),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "options.send"));
    assert_int_equal(carom_prediction_create(NULL, NULL, &o, &other, &err), CAROM_INVALID_ARGUMENT);
    assert_null(other);
    assert_int_equal(carom_prediction_command(l->prediction, "body.force", NULL, &err),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_prediction_frame(l->prediction, (double)NAN, &err),
                     CAROM_INVALID_ARGUMENT);
    assert_false(carom_prediction_active(NULL, &err));
    carom_replica_free(replica);
}

// ---- servers that a prediction cannot use

// A server reached over a socket, which does not know `late`, or has another engine.
typedef struct stranger {
    int64_t engine;
    bool knows_late;
    atomic_uint timed, plain; // batches with a tick, and without, counted by the server's thread
} stranger;

static void answer(fake_server *server, const fake_message *m, void *user)
{
    stranger *s = user;
    carom_value *result = carom_map();
    if (strcmp(m->method, "hello") == 0) {
        carom_set(result, "session", carom_uint(SESSION));
        carom_set(result, "resume", carom_str("secret"));
        carom_set(result, "engine", carom_int(s->engine));
    }
    if (strcmp(m->method, "world.apply") == 0) {
        const bool timed = carom_value_get(m->args, "late") != NULL;
        assert_true(timed == (carom_value_get(m->args, "at") != NULL));
        s->timed += timed;
        s->plain += !timed;
        if (timed && !s->knows_late && m->request) {
            carom_value_free(result);
            fake_refuse(server, m->id, "invalid_argument: late: there is no such argument");
            return;
        }
    }
    if (m->request) {
        fake_reply(server, m->id, result);
    } else {
        carom_value_free(result);
    }
}

// Replaces the prediction of `l` by one that is connected to the other server.
static void connect_lab(lab *l, fake_server *server, carom_client **client)
{
    carom_prediction_free(l->prediction);
    *client = connect_to(server, NULL);
    carom_prediction_options o = options_of(l);
    o.send = NULL;
    o.session = 0;
    assert_int_equal(carom_prediction_create(*client, l->replica, &o, &l->prediction, NULL),
                     CAROM_OK);
    l->method = "body.force";
}

// Runs until commands are not predicted; returns the reason.
static carom_error run_until_unpredicted(lab *l, carom_client *client)
{
    carom_error why;
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    do {
        assert_true(monotonic_ns() < deadline);
        run(l, 1);
        assert_int_equal(carom_poll(client, 1, NULL), CAROM_OK);
    } while (carom_prediction_active(l->prediction, &why));
    return why;
}

// Returns when the server has handled everything that was sent before.
static void settle(carom_client *client)
{
    carom_value *answer = NULL;
    assert_int_equal(carom_call(client, "ping", NULL, PATIENCE_MS, &answer, NULL), CAROM_OK);
    carom_value_free(answer);
}

// Checks that the input function is called once a tick, that its commands are sent without a tick,
// and that bodies have the replica's poses.
static void assert_goes_on(lab *l, carom_client *client, const stranger *s)
{
    settle(client);
    const unsigned plain = s->plain;
    const unsigned timed = s->timed;
    const uint64_t first = l->first;
    const uint64_t again = l->again;
    run(l, 30);
    settle(client);
    assert_in_range(l->first - first, 29, 31);
    assert_int_equal(s->plain - plain, l->first - first);
    assert_int_equal(s->timed, timed);
    assert_int_equal(l->again, again);
    carom_prediction_pose drawn;
    carom_body confirmed;
    assert_int_equal(carom_prediction_poses(l->prediction, &drawn, 1), 1);
    assert_int_equal(carom_replica_bodies(l->replica, &confirmed, 1), 1);
    assert_true(drawn.id == l->ball && drawn.x == confirmed.x && drawn.y == confirmed.y);
    assert_true(drawn.vy == confirmed.vy && !drawn.approximate);
}

static void with_an_older_server_commands_go_on_without_prediction(void **state)
{
    lab *l = *state;
    stranger s = {.engine = ENGINE_BEHAVIOUR};
    fake_server *server = fake_start(&(fake_options){.handler = answer, .user = &s});
    carom_client *client;
    connect_lab(l, server, &client);
    const carom_error why = run_until_unpredicted(l, client);
    assert_int_equal(why.status, CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "older than `late`"));
    assert_true(s.timed > 0);
    assert_goes_on(l, client, &s);
    carom_prediction_free(l->prediction);
    l->prediction = NULL;
    carom_free(client);
    fake_stop(server);
}

static void with_another_engine_commands_go_on_without_prediction(void **state)
{
    lab *l = *state;
    stranger s = {.engine = ENGINE_BEHAVIOUR + 1, .knows_late = true};
    fake_server *server = fake_start(&(fake_options){.handler = answer, .user = &s});
    carom_client *client;
    connect_lab(l, server, &client);
    const carom_error why = run_until_unpredicted(l, client);
    assert_int_equal(why.status, CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "engine"));
    assert_goes_on(l, client, &s);
    assert_int_equal(s.timed, 0);
    carom_prediction_free(l->prediction);
    l->prediction = NULL;
    carom_free(client);
    fake_stop(server);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(own_commands_act_at_once_and_are_right),
        TEST(made_bodies_are_told_and_confirmed),
        TEST(predicted_world_answers_queries),
        TEST(wrong_commands_are_refused_with_the_place),
        TEST(bad_options_are_refused),
        TEST(with_an_older_server_commands_go_on_without_prediction),
        TEST(with_another_engine_commands_go_on_without_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
