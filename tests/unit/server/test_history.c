// The history of a served world: its answers about the past equal exactly the answers that it gave
// when that was the present.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/log/log_record.h"
#include "proto/wire/buffer.h"
#include "server/base/memory.h"
#include "tests/unit/server/mailbox.h"
#include "tests/unit/server/world_call.h"

static const int64_t TICK_NS = 10000000;

static int64_t now_ns;

static int64_t fake_clock(void)
{
    return now_ns;
}

typedef struct fixture {
    limits limits;
    served_world *world;
    mailbox box;
    uint32_t next_id;
} fixture;

static fixture the;

// With so many bodies that rest.
static void create_with_bodies(bool paused, uint32_t count)
{
    world_def def = world_def_default();
    adoption *from = adoption_create();
    from->paused = paused;
    def.hz = 100.0;
    block_account *before = block_charge(from->blocks);
    assert_int_equal(world_create(&def, &from->physics, NULL), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        body_def body = body_def_default();
        body_id made;
        body.type = BODY_STATIC;
        assert_int_equal(body_create(from->physics, &body, &made, NULL), STATUS_OK);
    }
    the.world = served_world_create(3, "w", from, &the.limits, mailbox_sink(&the.box),
                                    (served_world_clocks){fake_clock, fake_clock});
    block_charge(before);
}

static void create(bool paused)
{
    create_with_bodies(paused, 0);
}

static int set_up(void **state)
{
    (void)state;
    now_ns = 1000 * MS;
    the = (fixture){.limits = limits_default(), .next_id = 1};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    served_world_destroy(the.world, STATUS_NOT_FOUND, "the test is over");
    mailbox_deinit(&the.box);
    memory_end(); // every world of the past is freed
    return 0;
}

static void call(method m, const char *json)
{
    request *r = world_call(3, the.next_id++, m, json);
    r->received_ns = now_ns;
    block_account *before = block_charge(the.world->blocks);
    served_world_deliver(the.world, r);
    block_charge(before);
}

// Runs a tick of a running world at its time, or the pending work of a paused one.
static void advance(void)
{
    block_account *before = block_charge(the.world->blocks);
    now_ns += TICK_NS;
    served_world_run(the.world);
    const turn t = turn_begin(fake_clock, 5 * MS);
    if (served_world_steps(the.world)) {
        served_world_step(the.world, &t);
    }
    block_charge(before);
}

static void forget_replies(void)
{
    mailbox_deinit(&the.box);
    the.box = (mailbox){0};
    the.world->sink = mailbox_sink(&the.box);
}

static void expect_refusal(status expected, const char *text)
{
    const reply *r = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(r->status, expected);
    assert_string_equal(r->text, text);
}

// ---- questions, and their answers now and later

enum { QUESTIONS = 9, TICKS_MAX = 128 };

static const struct question {
    method method;
    const char *arguments; // without the end of the map
    const char *list;      // the key of the list in an answer with `at`; NULL: it is a map
} ASKED[QUESTIONS] = {
    {METHOD_QUERY_RAY, "{\"world\":\"w\",\"from\":[-20,0.5],\"to\":[20,1],\"all\":true", "hits"},
    {METHOD_QUERY_RAY, "{\"world\":\"w\",\"from\":[0,20],\"to\":[1,-20],\"sensors\":true", "hits"},
    {METHOD_QUERY_CAST,
     "{\"world\":\"w\",\"shape\":{\"kind\":\"circle\",\"radius\":0.7},\"from\":[-9,3],\"to\":[9,1],"
     "\"all\":true",
     "hits"},
    {METHOD_QUERY_OVERLAP, "{\"world\":\"w\",\"area\":[-6,-6,6,6]", "bodies"},
    {METHOD_QUERY_OVERLAP, "{\"world\":\"w\",\"point\":[0,0]", "bodies"},
    {METHOD_QUERY_NEAREST, "{\"world\":\"w\",\"point\":[1,2],\"radius\":3", NULL},
    {METHOD_WORLD_STATE, "{\"world\":\"w\"", NULL},
    {METHOD_WORLD_CONTACTS, "{\"world\":\"w\"", NULL},
    {METHOD_BODY_GET, "{\"world\":\"w\",\"body\":1", NULL},
};

// The answers at each tick, given when that tick was the present.
typedef struct live {
    reply *replies[QUESTIONS]; // owned by the recorder
    msgpack_unpacked unpacked[QUESTIONS];
} live;

static live known[TICKS_MAX];

static void ask(const char *at)
{
    char json[256];
    for (int i = 0; i < QUESTIONS; i++) {
        snprintf(json, sizeof json, "%s%s}", ASKED[i].arguments, at);
        call(ASKED[i].method, json);
    }
}

// Records the next answers as those of `tick`.
static void record(uint64_t tick)
{
    for (int i = 0; i < QUESTIONS; i++) {
        const reply *r = mailbox_take(&the.box, REPLY_RESULT);
        size_t size = 0;
        live *at = &known[tick];
        at->replies[i] = reply_create(REPLY_RESULT, 3);
        at->replies[i]->status = r->status;
        const uint8_t *bytes = reply_payload(r, &size);
        msgpack_unpacked_init(&at->unpacked[i]);
        if (r->status == STATUS_OK) {
            shared_bytes *copy = bytes_create(size);
            size_t offset = 0;
            memcpy(copy->data, bytes, size);
            at->replies[i]->payload = copy;
            msgpack_unpack_next(&at->unpacked[i], (const char *)copy->data, size, &offset);
        }
    }
}

static void forget_known(void)
{
    for (int tick = 0; tick < TICKS_MAX; tick++) {
        for (int i = 0; i < QUESTIONS; i++) {
            if (known[tick].replies[i] != NULL) {
                msgpack_unpacked_destroy(&known[tick].unpacked[i]);
                reply_free(known[tick].replies[i]);
            }
        }
    }
    memset(known, 0, sizeof known);
}

// Checks that the present answer has each key of the earlier one with the same value, and `at` in
// addition.
static void expect_same_map(const msgpack_object *then, const msgpack_object *now)
{
    assert_int_equal(now->via.map.size, then->via.map.size + 1);
    for (uint32_t i = 0; i < then->via.map.size; i++) {
        const msgpack_object_kv *pair = &then->via.map.ptr[i];
        char key[32];
        snprintf(key, sizeof key, "%.*s", (int)pair->key.via.str.size, pair->key.via.str.ptr);
        if (!msgpack_object_equal(pair->val, *obj_get(now, key))) {
            msgpack_object_print(stderr, pair->val);
            fprintf(stderr, "\n");
            msgpack_object_print(stderr, *obj_get(now, key));
            fail_msg("%s differs", key);
        }
    }
}

static void expect_answer(const struct question *q, const msgpack_object *then,
                          const msgpack_object *now, uint64_t tick)
{
    assert_int_equal(obj_get_uint(now, "at"), tick);
    if (q->list != NULL) {
        assert_true(msgpack_object_equal(*then, *obj_get(now, q->list)));
    } else if (then->type == MSGPACK_OBJECT_NIL) {
        assert_int_equal(obj_get(now, "body")->type, MSGPACK_OBJECT_NIL);
    } else {
        expect_same_map(then, now);
    }
}

// Checks that the next answers equal those of `tick`.
static void compare(uint64_t tick)
{
    for (int i = 0; i < QUESTIONS; i++) {
        const live *then = &known[tick];
        if (then->replies[i]->status != STATUS_OK) { // the body is not there
            assert_int_equal(mailbox_take(&the.box, REPLY_RESULT)->status,
                             then->replies[i]->status);
        } else {
            expect_answer(&ASKED[i], &then->unpacked[i].data, mailbox_result(&the.box), tick);
        }
    }
}

static void ask_at(uint64_t at)
{
    char text[48];
    snprintf(text, sizeof text, ",\"at\":%llu", (unsigned long long)at);
    ask(text);
}

// A query of a moment between two ticks.
static void ask_between(double at)
{
    char json[128];
    snprintf(json, sizeof json, "{\"world\":\"w\",\"area\":[-5,-5,5,5],\"at\":%.17g}", at);
    call(METHOD_QUERY_OVERLAP, json);
}

// ---- random commands

typedef uint64_t random_source;

// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
static uint32_t random_below(random_source *r, uint32_t end)
{
    *r ^= *r >> 12;
    *r ^= *r << 25;
    *r ^= *r >> 27;
    return (uint32_t)(*r * UINT64_C(2685821657736338717) >> 33) % end;
}

static double random_range(random_source *r, double low, double high)
{
    return low + (high - low) * (double)random_below(r, 1 << 20) / (double)(1 << 20);
}

static body_id random_body(random_source *r)
{
    uint32_t steps = random_below(r, 12);
    body_id id = world_next_body(the.world->physics, 0);
    for (body_id next = id; steps > 0 && next != 0; steps--) {
        id = next;
        next = world_next_body(the.world->physics, next);
    }
    return id;
}

static const char *random_shape(random_source *r)
{
    static const char *const SHAPES[] = {
        "{\"kind\":\"circle\",\"radius\":0.5}",
        "{\"kind\":\"box\",\"size\":[1,0.6],\"restitution\":0.5}",
        "{\"kind\":\"capsule\",\"a\":[-0.5,0],\"b\":[0.5,0],\"radius\":0.2}",
        "{\"kind\":\"polygon\",\"vertices\":[[0,0],[1,0],[0.5,1]],\"sensor\":true}",
        "{\"kind\":\"chain\",\"vertices\":[[-3,0],[0,-0.5],[3,0]]}",
    };
    return SHAPES[random_below(r, sizeof SHAPES / sizeof *SHAPES)];
}

static void command_body(random_source *r, body_id id)
{
    static const struct {
        method method;
        const char *rest;
    } CHANGES[] = {
        {METHOD_BODY_REMOVE, ""},
        {METHOD_BODY_SET, ",\"position\":[1,5]"},
        {METHOD_BODY_SET, ",\"type\":\"kinematic\",\"velocity\":[1,0]"},
        {METHOD_BODY_SET, ",\"type\":\"dynamic\",\"tag\":\"changed\""},
        {METHOD_BODY_SET, ",\"enabled\":false"},
        {METHOD_BODY_SET, ",\"enabled\":true,\"angle\":2,\"owner\":\"ada\""},
        {METHOD_BODY_IMPULSE, ",\"impulse\":[2,3]"},
        {METHOD_BODY_FORCE, ",\"force\":[0,20]"},
    };
    char json[160];
    const uint32_t which = random_below(r, sizeof CHANGES / sizeof *CHANGES);
    snprintf(json, sizeof json, "{\"world\":\"w\",\"body\":%llu%s}", (unsigned long long)id,
             CHANGES[which].rest);
    call(CHANGES[which].method, json);
}

static void command_shape(random_source *r, body_id id)
{
    char json[240];
    const shape_id shape = body_next_shape(the.world->physics, id, 0);
    if (shape == 0 || random_below(r, 3) == 0) {
        snprintf(json, sizeof json, "{\"world\":\"w\",\"body\":%llu,\"shape\":%s}",
                 (unsigned long long)id, random_shape(r));
        call(METHOD_SHAPE_ADD, json);
        return;
    }
    const bool set = random_below(r, 2) == 0;
    snprintf(json, sizeof json, "{\"world\":\"w\",\"shape\":%llu%s}", (unsigned long long)shape,
             set ? ",\"sensor\":true,\"filter\":{\"category\":2}" : "");
    call(set ? METHOD_SHAPE_SET : METHOD_SHAPE_REMOVE, json);
}

static void command_at_random(random_source *r)
{
    char json[400];
    const body_id id = random_body(r);
    const body_id other = random_body(r);
    const uint32_t which = id == 0 ? 0 : random_below(r, 8);
    if (which < 3) {
        snprintf(json, sizeof json,
                 "{\"world\":\"w\",\"position\":[%.3f,%.3f],\"type\":\"%s\",\"shapes\":[%s,%s]}",
                 random_range(r, -6.0, 6.0), random_range(r, -6.0, 6.0),
                 random_below(r, 4) == 0 ? "static" : "dynamic", random_shape(r), random_shape(r));
        call(METHOD_BODY_SPAWN, json);
    } else if (which < 6) {
        command_body(r, id);
    } else if (which == 6 || id == other) {
        command_shape(r, id);
    } else {
        snprintf(json, sizeof json, "{\"world\":\"w\",\"kind\":\"distance\",\"a\":%llu,\"b\":%llu}",
                 (unsigned long long)id, (unsigned long long)other);
        call(METHOD_JOINT_CREATE, json);
    }
}

// Runs a tick with queries of the present and of the past, and with commands.
static void live_tick(random_source *r, uint64_t span)
{
    const uint64_t tick = world_tick(the.world->physics);
    const uint64_t first = tick > span ? tick - span : 0;
    const uint32_t commands = random_below(r, 4);
    const uint64_t back = first + random_below(r, (uint32_t)(tick - first) + 1);
    ask("");
    ask_at(back);
    if (back < tick) {
        ask_between((double)back + random_range(r, 0.01, 0.99));
    }
    for (uint32_t i = 0; i < commands; i++) {
        command_at_random(r);
    }
    advance();
    record(tick);
    compare(back);
    if (back < tick) {
        mailbox_result(&the.box);
    }
    forget_replies();
}

static void past_is_answered_as_it_was(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        random_source r = seed * UINT64_C(0x9E3779B97F4A7C15);
        set_up(NULL);
        create(false);
        for (int i = 0; i < TICKS_MAX - 1; i++) {
            live_tick(&r, 100);
        }
        forget_known();
        if (seed < 12) {
            tear_down(NULL);
        }
    }
}

// In a paused world commands change the state of a tick that was queried before: the history has
// its last state.
static void paused_world_has_the_last_state_of_each_tick(void **state)
{
    (void)state;
    random_source r = 77;
    create(true);
    for (uint64_t tick = 0; tick < 40; tick++) {
        for (uint32_t i = random_below(&r, 5); i > 0; i--) {
            command_at_random(&r);
            advance();
            ask_between(tick > 0 ? (double)tick - 0.5
                                 : 0.0); // the commands change the later of its two ticks
            advance();
        }
        forget_replies();
        ask("");
        advance();
        record(tick);
        call(METHOD_WORLD_STEP, "{\"world\":\"w\"}");
        advance();
        advance();
        forget_replies();
    }
    for (uint64_t tick = 0; tick < 40; tick += 3) {
        ask_at(tick);
        advance();
        compare(tick);
        forget_replies();
    }
    forget_known();
}

// ---- between two ticks

static const char BALL_AT_ORIGIN[] =
    "{\"world\":\"w\",\"type\":\"kinematic\",\"velocity\":[100,0],\"angular_velocity\":50,"
    "\"shapes\":[{\"kind\":\"box\",\"size\":[4,0.1]}]}";

static double nearest_x(double at)
{
    char json[128];
    snprintf(json, sizeof json, "{\"world\":\"w\",\"from\":[-50,0],\"to\":[50,0],\"at\":%.17g}",
             at);
    call(METHOD_QUERY_RAY, json);
    advance();
    const msgpack_object *answer = mailbox_result(&the.box);
    assert_true(obj_get_number(answer, "at") == at);
    const msgpack_object *hit = obj_at(obj_get(answer, "hits"), 0);
    return obj_number(obj_at(obj_get(hit, "point"), 0));
}

static void bodies_between_two_ticks_are_on_a_line_and_turn_the_short_way(void **state)
{
    (void)state;
    create(true);
    call(METHOD_BODY_SPAWN, BALL_AT_ORIGIN);
    advance();
    // Each tick moves the box by 1 m and turns it by 0.5 rad.
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":8}");
    advance();
    advance();
    forget_replies();
    // a ray along the axis through the middle of the box, which is 4 m by 0.1 m
    for (double at = 6.0; at < 7.0; at += 0.125) {
        const double reach = fmin(0.05 / fabs(sin(0.5 * at)), 2.0 / fabs(cos(0.5 * at)));
        assert_true(fabs(nearest_x(at) - (at - reach)) < 1e-3);
    }
}

// ---- outcomes, bounds

static void outcomes_are_told_apart(void **state)
{
    (void)state;
    the.limits.history_ms = 500;
    create(false);
    for (int i = 0; i < 120; i++) {
        advance();
    }
    call(METHOD_QUERY_RAY, "{\"world\":\"w\",\"from\":[0,0],\"to\":[1,0],\"at\":100.5}");
    call(METHOD_QUERY_RAY, "{\"world\":\"w\",\"from\":[0,0],\"to\":[1,0],\"at\":69}");
    call(METHOD_WORLD_STATE, "{\"world\":\"w\",\"at\":69}");
    call(METHOD_QUERY_NEAREST, "{\"world\":\"w\",\"point\":[0,0],\"at\":69.5}");
    call(METHOD_QUERY_NEAREST, "{\"world\":\"w\",\"point\":[0,0],\"at\":70}");
    call(METHOD_QUERY_OVERLAP, "{\"world\":\"w\",\"point\":[0,0],\"at\":120.25}");
    call(METHOD_BODY_GET, "{\"world\":\"w\",\"body\":1,\"at\":121}");
    call(METHOD_BODY_GET, "{\"world\":\"w\",\"body\":1,\"at\":110}");
    advance();
    assert_int_equal(obj_count(obj_get(mailbox_result(&the.box), "hits")), 0);
    expect_refusal(STATUS_UNAVAILABLE, "tick 69 is outside of the history [70, 120]");
    expect_refusal(STATUS_UNAVAILABLE, "tick 69 is outside of the history [70, 120]");
    expect_refusal(STATUS_UNAVAILABLE, "tick 69.5 is outside of the history [70, 120]");
    assert_int_equal(obj_get(mailbox_result(&the.box), "body")->type, MSGPACK_OBJECT_NIL);
    expect_refusal(STATUS_INVALID_ARGUMENT,
                   "at: tick 120.25 is not over, the world is at 120; from 70 to that");
    expect_refusal(STATUS_INVALID_ARGUMENT,
                   "at: tick 121 is not over, the world is at 120; from 70 to that");
    expect_refusal(STATUS_NOT_FOUND, "body 1 does not exist");
}

static void history_shrinks_where_its_bytes_run_out(void **state)
{
    (void)state;
    the.limits.history_bytes = 8192;
    create(false);
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 200; i++) {
        call(METHOD_BODY_SPAWN, BALL_AT_ORIGIN);
        advance();
        const uint64_t tick = world_tick(the.world->physics);
        const uint64_t length = tick - history_first(&the.world->history, tick);
        assert_true(history_bytes(&the.world->history) <= 8192);
        assert_true(length <= 100);
        least = tick > 100 && length < least ? length : least;
        forget_replies();
    }
    assert_int_equal(least, 0); // in the end not even one image fits
    call(METHOD_WORLD_STATE, "{\"world\":\"w\",\"at\":199}");
    advance();
    expect_refusal(STATUS_UNAVAILABLE, "tick 199 is outside of the history [200, 200]");
    // queries the present
    call(METHOD_QUERY_NEAREST, "{\"world\":\"w\",\"point\":[0,0],\"at\":201}");
    advance();
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "at"), 201);
}

// A world of 400 bodies is estimated at 400 KB: one fits 8 * 64 KiB, three do not.
static void worlds_of_the_past_are_bounded_by_history_bytes(void **state)
{
    (void)state;
    the.limits.history_bytes = 64 * 1024;
    create_with_bodies(false, 400);
    for (int i = 0; i < 20; i++) {
        advance();
    }
    ask_between(10.5);
    call(METHOD_QUERY_NEAREST, "{\"world\":\"w\",\"point\":[0,0],\"at\":10}");
    ask_between(9.5);
    advance();
    const reply *refused = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(refused->status, STATUS_LIMIT_EXCEEDED);
    assert_memory_equal(refused->text, "history_bytes: with 3 worlds of the past", 40);
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "at"), 10);
    assert_int_equal(mailbox_take(&the.box, REPLY_RESULT)->status, STATUS_LIMIT_EXCEEDED);
    // Memory that a refused question cannot use is freed
    assert_null(the.world->history.lanes[0].world);
    assert_true(history_bytes(&the.world->history) <= 64 * 1024);
}

// The image of 20 000 bodies takes 8 ms: the tick that makes it waits for a thread of its own.
static void image_of_the_history_counts_for_its_tick(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        the.limits.history_ms = kept ? 1000 : 0;
        create_with_bodies(false, 20000);
        int ticks = 0;
        for (int i = 0; i < 12 && !served_world_crowds(the.world); i++) {
            call(METHOD_BODY_SET, "{\"world\":\"w\",\"body\":1,\"angle\":1}");
            served_world_bound_step(the.world, 5 * MS);
            advance();
            ticks = (int)world_tick(the.world->physics);
        }
        assert_int_equal(served_world_crowds(the.world), kept);
        assert_int_equal(ticks, kept ? HISTORY_INTERVAL_MIN - 1 : 12);
        if (!kept) {
            tear_down(NULL);
            set_up(NULL);
        }
    }
}

static void history_ms_of_0_keeps_nothing(void **state)
{
    (void)state;
    the.limits.history_ms = 0;
    create(false);
    advance();
    advance();
    call(METHOD_WORLD_STATE, "{\"world\":\"w\",\"at\":1}");
    advance();
    expect_refusal(STATUS_UNAVAILABLE, "tick 1 is outside of the history [2, 2]");
    assert_int_equal(history_bytes(&the.world->history), 0);
}

// Each delay of the queries gets a lane, up to the maximum; after a while without queries there is
// none.
static void lanes_are_bounded_and_end_with_the_questions(void **state)
{
    (void)state;
    create(false);
    call(METHOD_BODY_SPAWN, BALL_AT_ORIGIN);
    for (int i = 0; i < 90; i++) {
        advance();
    }
    forget_replies();
    for (int i = 0; i < 30; i++) {
        for (int delay = 5; delay <= 65; delay += 15) {
            ask_between((double)world_tick(the.world->physics) - delay - 0.25);
        }
        advance();
        forget_replies();
    }
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        assert_non_null(the.world->history.lanes[i].world);
    }
    for (int i = 0; i < 1100; i++) {
        advance();
    }
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        assert_null(the.world->history.lanes[i].world);
    }
    assert_null(the.world->history.blend);
}

// A resting world makes no images, and its past stays available.
static void resting_world_makes_no_images(void **state)
{
    (void)state;
    create(false);
    for (int i = 0; i < 150; i++) {
        advance();
    }
    assert_int_equal(the.world->history.images.count, 1);
    call(METHOD_WORLD_STATE, "{\"world\":\"w\",\"at\":60}");
    advance();
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "tick"), 60);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(past_is_answered_as_it_was),
        TEST(paused_world_has_the_last_state_of_each_tick),
        TEST(bodies_between_two_ticks_are_on_a_line_and_turn_the_short_way),
        TEST(outcomes_are_told_apart),
        TEST(history_shrinks_where_its_bytes_run_out),
        TEST(worlds_of_the_past_are_bounded_by_history_bytes),
        TEST(image_of_the_history_counts_for_its_tick),
        TEST(history_ms_of_0_keeps_nothing),
        TEST(lanes_are_bounded_and_end_with_the_questions),
        TEST(resting_world_makes_no_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
