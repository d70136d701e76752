// Subscriptions over the wire: what a reader can count on, however slow.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/client.h"
#include "tests/support/process.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"

static const char *program;
static process server;
static client a, b;

static int start(void **state)
{
    (void)state;
    process_start(&server, program, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    assert_int_equal(process_stop(&server, SIGTERM, CLIENT_WAIT_MS), 0);
    return 0;
}

static int open_clients(void **state)
{
    (void)state;
    client_open(&a, server.port);
    client_open(&b, server.port);
    return 0;
}

static int close_clients(void **state)
{
    (void)state;
    client_close(&b);
    client_close(&a);
    client_open(&a, server.port);
    client_call(&a, "world.destroy", "{\"world\":\"w\"}");
    client_close(&a);
    return 0;
}

static uint32_t rows_in(const msgpack_object *snapshot)
{
    return obj_count(obj_get(snapshot, "bodies"));
}

// The server's own count of something.
static uint64_t counter(const char *name)
{
    return obj_get_uint(obj_get(client_call(&b, "server.stats", "{}"), "counters"), name);
}

// Snapshots until the one of this tick or a later one.
static const msgpack_object *snapshot_of_tick(client *c, uint64_t tick)
{
    const msgpack_object *s = client_snapshot(c);
    while (obj_get_uint(s, "tick") < tick) {
        s = client_snapshot(c);
    }
    return s;
}

static void subscriber_sees_what_another_does(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\",\"gravity\":[0,0]}");
    uint64_t number = obj_get_uint(
        client_call(&a, "world.subscribe", "{\"world\":\"w\",\"events\":[\"spawn\",\"remove\"]}"),
        "subscription");
    const msgpack_object *s = client_snapshot(&a);
    assert_true(obj_bool(obj_get(s, "full")));
    assert_int_equal(obj_get_uint(s, "subscription"), number);
    assert_int_equal(obj_get(s, "hash")->via.bin.size, 8);
    const msgpack_object *spawned =
        client_call(&b, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    unsigned long long body = obj_get_uint(spawned, "body");
    uint64_t tick = obj_get_uint(spawned, "tick");
    s = snapshot_of_tick(&a, tick);
    assert_int_equal(obj_get_uint(s, "tick"), tick); // at 60 Hz nothing is skipped here
    assert_int_equal(rows_in(s), 1);
    const msgpack_object *event = obj_at(obj_get(s, "events"), 0);
    assert_string_equal(obj_get_text(event, "kind"), "spawn");
    assert_int_equal(obj_get_uint(event, "tick"), tick);
    tick = obj_get_uint(client_call(&b, "body.remove", "{\"world\":\"w\",\"body\":%llu}", body),
                        "tick");
    s = snapshot_of_tick(&a, tick);
    assert_true(obj_has_uint(obj_get(s, "removed"), body));
    assert_string_equal(obj_get_text(obj_at(obj_get(s, "events"), 0), "kind"), "remove");
}

static void last_names_the_own_request(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    client_call(&a, "world.subscribe", "{\"world\":\"w\"}");
    assert_null(obj_find(client_snapshot(&a), "last"));
    client_call(&b, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    uint32_t id = client_request(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    uint64_t tick = obj_get_uint(client_result(&a, id), "tick");
    const msgpack_object *s = client_snapshot(&a);
    while (obj_get_uint(s, "tick") < tick) {
        assert_null(obj_find(s, "last"));
        s = client_snapshot(&a);
    }
    assert_int_equal(obj_get_uint(s, "last"), id);
}

static void two_clients_share_one_encoding(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true}");
    client_call(&a, "world.subscribe", "{\"world\":\"w\"}");
    client_call(&b, "world.subscribe", "{\"world\":\"w\"}");
    client_snapshot(&a);
    client_snapshot(&b);
    uint64_t sent = counter("snapshots_sent");
    uint64_t encoded = counter("snapshots_encoded");
    for (int i = 0; i < 20; i++) {
        client_call(&b, "world.step", "{\"world\":\"w\"}");
        assert_int_equal(obj_get_uint(client_snapshot(&a), "tick"), i + 1);
        assert_int_equal(obj_get_uint(client_snapshot(&b), "tick"), i + 1);
    }
    assert_int_equal(counter("snapshots_sent") - sent, 40);
    assert_int_equal(counter("snapshots_encoded") - encoded, 20);
}

static void paused_world_shows_each_change(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true}");
    client_call(&a, "world.subscribe", "{\"world\":\"w\",\"rate\":1}");
    assert_int_equal(rows_in(client_snapshot(&a)), 0);
    client_call(&b, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    const msgpack_object *s = client_snapshot(&a);
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(obj_get_uint(s, "tick"), 0);
    assert_null(client_notification(&a, "snapshot", 100)); // and nothing more
    client_call(&b, "world.step", "{\"world\":\"w\",\"ticks\":3}");
    s = snapshot_of_tick(&a, 3);
    assert_int_equal(rows_in(s), 1); // it fell
}

static void area_is_told_and_moved(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true,\"gravity\":[0,0]}");
    uint64_t near = obj_get_uint(
        client_call(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}"), "body");
    uint64_t far =
        obj_get_uint(client_call(&a, "body.spawn",
                                 "{\"world\":\"w\",\"position\":[50,0],\"shapes\":[" BALL "]}"),
                     "body");
    unsigned long long number =
        obj_get_uint(client_call(&a, "world.subscribe", "{\"world\":\"w\",\"area\":[-2,-2,2,2]}"),
                     "subscription");
    const msgpack_object *s = client_snapshot(&a);
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(obj_uint(obj_at(obj_at(obj_get(s, "bodies"), 0), 0)), near);
    client_call(&a, "world.view", "{\"subscription\":%llu,\"area\":[48,-2,52,2]}", number);
    s = client_snapshot(&a);
    assert_true(obj_has_uint(obj_get(s, "enter"), far));
    assert_true(obj_has_uint(obj_get(s, "leave"), near));
    assert_int_equal(rows_in(s), 1);
}

static void unsubscribed_means_nothing_more(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    unsigned long long number =
        obj_get_uint(client_call(&a, "world.subscribe", "{\"world\":\"w\"}"), "subscription");
    client_snapshot(&a);
    client_call(&a, "world.unsubscribe", "{\"subscription\":%llu}", number);
    while (client_notification(&a, "snapshot", 0) != NULL) {
        // those from before the answer
    }
    assert_null(client_notification(&a, "snapshot", 100));
    assert_non_null(
        strstr(client_call_error(&a, "world.unsubscribe", "{\"subscription\":%llu}", number),
               "not_found: "));
    const msgpack_object *info = client_call(&a, "world.info", "{\"world\":\"w\"}");
    assert_int_equal(obj_get_uint(info, "subscribers"), 0);
}

static void destroyed_world_tells_its_subscribers(void **state)
{
    (void)state;
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    uint64_t number =
        obj_get_uint(client_call(&a, "world.subscribe", "{\"world\":\"w\"}"), "subscription");
    client_call(&b, "world.destroy", "{\"world\":\"w\"}");
    const msgpack_object *closed = client_notification(&a, "world_closed", CLIENT_WAIT_MS);
    assert_non_null(closed);
    assert_int_equal(obj_get_uint(closed, "subscription"), number);
    assert_string_equal(obj_get_text(closed, "code"), "not_found");
    client_call(&a, "ping", "{}"); // the connection lives on
    client_call(&a, "world.create", "{\"world\":\"w\"}");
}

// A world with so much on the move that a reader who does not read fills every buffer on the way.
static void fill_world(uint32_t bodies)
{
    client_call(&b, "world.create", "{\"world\":\"w\",\"gravity\":[0,0],\"sleep\":false}");
    for (uint32_t i = 0; i < bodies; i++) {
        client_notify(
            &b, "body.spawn",
            "{\"world\":\"w\",\"position\":[%u,%u],\"velocity\":[0.001,0],"
            "\"angular_velocity\":0.01,\"shapes\":[{\"kind\":\"circle\",\"radius\":0.2}]}",
            i % 100, i / 100);
    }
    const msgpack_object *info = client_call(&b, "world.info", "{\"world\":\"w\"}");
    assert_int_equal(obj_get_uint(info, "bodies"), bodies);
}

// Waits until nothing more can be sent to `a`, who does not read.
static void wait_until_stuck(void)
{
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    uint64_t before = 0;
    uint64_t sent = counter("snapshots_sent");
    while (sent != before && test_now_ms() < until) {
        usleep(200000);
        before = sent;
        sent = counter("snapshots_sent");
    }
    assert_int_equal(sent, before);
}

static void slow_reader_gets_the_latest_state(void **state)
{
    (void)state;
    enum { BODIES = 2000 }; // about 90 KB a snapshot
    fill_world(BODIES);
    client_call(&a, "world.subscribe", "{\"world\":\"w\"}");
    client_snapshot(&a);
    uint64_t before = counter("snapshots_skipped");
    wait_until_stuck();
    assert_true(counter("snapshots_skipped") > before + 5);
    // The server holds no queue for it, and others are served.
    uint64_t now = obj_get_uint(client_call(&b, "world.info", "{\"world\":\"w\"}"), "tick");
    uint64_t previous = 0;
    const msgpack_object *s = NULL;
    bool skipped = false;
    do {
        s = client_snapshot(&a);
        assert_false(obj_bool(obj_get(s, "full")));
        assert_int_equal(rows_in(s), BODIES); // all of them move
        assert_true(obj_get_uint(s, "tick") > previous);
        previous = obj_get_uint(s, "tick");
        skipped = skipped || obj_find(s, "skipped") != NULL;
    } while (previous < now);
    assert_true(skipped);
    // Its rows are then the world's state.
    client_call(&b, "world.pause", "{\"world\":\"w\"}");
    const msgpack_object *all = client_call(&b, "world.state", "{\"world\":\"w\"}");
    s = snapshot_of_tick(&a, obj_get_uint(all, "tick"));
    assert_memory_equal(obj_get(s, "hash")->via.bin.ptr, obj_get(all, "hash")->via.bin.ptr, 8);
}

static void slow_reader_loses_no_event(void **state)
{
    (void)state;
    enum { BODIES = 2000, PUSHES = 50 };
    fill_world(BODIES);
    client_call(&a, "world.subscribe", "{\"world\":\"w\",\"events\":[\"spawn\"]}");
    client_snapshot(&a);
    wait_until_stuck();
    for (int i = 0; i < PUSHES; i++) {
        client_call(&b, "body.spawn",
                    "{\"world\":\"w\",\"position\":[%d,-50],\"shapes\":[" BALL "]}", 2 * i);
    }
    uint64_t now = obj_get_uint(client_call(&b, "world.info", "{\"world\":\"w\"}"), "tick");
    uint64_t seen = 0;
    uint64_t previous = 0;
    const msgpack_object *s = NULL;
    do {
        s = client_snapshot(&a);
        const msgpack_object *events = obj_get(s, "events");
        for (uint32_t i = 0; i < obj_count(events); i++) {
            uint64_t tick = obj_get_uint(obj_at(events, i), "tick");
            assert_true(tick > previous && tick <= obj_get_uint(s, "tick"));
        }
        seen += obj_count(events);
        previous = obj_get_uint(s, "tick");
    } while (previous < now);
    assert_int_equal(seen, PUSHES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_clients, close_clients)

int main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    program = argv[1];
    const struct CMUnitTest tests[] = {
        TEST(subscriber_sees_what_another_does),
        TEST(last_names_the_own_request),
        TEST(two_clients_share_one_encoding),
        TEST(paused_world_shows_each_change),
        TEST(area_is_told_and_moved),
        TEST(unsubscribed_means_nothing_more),
        TEST(destroyed_world_tells_its_subscribers),
        TEST(slow_reader_gets_the_latest_state),
        TEST(slow_reader_loses_no_event),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
