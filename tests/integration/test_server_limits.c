// Each limit of server/base/limits.h is reached, and answered as it says. A server of its own for
// each test, with the limit set low.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/client.h"
#include "tests/support/process.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"

static const char *program;
static process server;
static client a, b;

static void start(const char *limit, const char *second)
{
    const char *options[] = {"--limit", limit, second != NULL ? "--limit" : NULL, second, NULL};
    process_start(&server, program, options);
    client_open(&a, server.port);
    client_open(&b, server.port);
}

static void stop(void)
{
    client_close(&a);
    client_close(&b);
    assert_int_equal(process_stop(&server, SIGTERM, CLIENT_WAIT_MS), 0);
}

static void assert_limit(const char *text, const char *name)
{
    if (strncmp(text, "limit_exceeded: ", 16) != 0 || strstr(text, name) == NULL) {
        fail_msg("'%s' does not tell of %s", text, name);
    }
}

static uint64_t counter(const char *name)
{
    return obj_get_uint(obj_get(client_call(&b, "server.stats", "{}"), "counters"), name);
}

static void connections_over_the_limit_are_turned_away_with_a_reason(void **state)
{
    (void)state;
    start("connections=2", NULL);
    client_call(&a, "ping", "{}");
    client_call(&b, "ping", "{}");
    client third;
    client_open(&third, server.port);
    assert_limit(client_closed(&third), "connections");
    client_close(&third);
    client_close(&a); // makes room
    client_open(&a, server.port);
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    while (test_now_ms() < until) {
        client_request(&a, "ping", "{}");
        if (client_receive(&a, 500) && a.first != NULL &&
            obj_uint(obj_at(&a.first->unpacked.data, 0)) == 1) {
            break;
        }
        client_close(&a); // the server has not noticed yet
        client_open(&a, server.port);
    }
    client_call(&a, "ping", "{}");
    stop();
}

static void message_bytes_are_refused_from_the_header_on(void **state)
{
    (void)state;
    start("message_bytes=4096", NULL);
    client_call(&a, "ping", "{\"any\":\"%0*d\"}", 4000, 0);
    uint32_t id = client_request(&a, "ping", "{\"any\":\"%0*d\"}", 4100, 0);
    assert_limit(client_error(&a, id), "4096");
    assert_limit(client_closed(&a), "4096");
    client_call(&b, "ping", "{}");
    stop();
}

static void commands_per_connection_wait_in_the_socket(void **state)
{
    (void)state;
    start("commands_per_connection=8", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    uint32_t first = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t id = client_request(&a, "world.info", "{\"world\":\"w\"}");
        first = i == 0 ? id : first;
    }
    uint64_t previous = 0;
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < 100; i++) {
        uint64_t tick = obj_get_uint(client_result(&a, first + i), "tick");
        assert_true(tick >= previous);
        ticks += tick > previous;
        previous = tick;
    }
    assert_true(ticks >= 12); // no more than 8 a tick
    stop();
}

static void commands_per_world_are_refused(void **state)
{
    (void)state;
    start("commands_per_world=5", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\",\"hz\":1}");
    uint32_t first = client_request(&a, "world.info", "{\"world\":\"w\"}");
    for (int i = 1; i < 20; i++) {
        client_request(&a, "world.info", "{\"world\":\"w\"}");
    }
    // The last ones are told at once, long before the world's next tick.
    assert_limit(client_error(&a, first + 19), "commands_per_world");
    assert_limit(client_call_error(&b, "world.info", "{\"world\":\"w\"}"), "commands_per_world");
    client_call(&b, "world.list", "{}"); // shows its latest figures instead
    client_result(&a, first);
    client_call(&b, "world.info", "{\"world\":\"w\"}"); // there is room again
    stop();
}

static void command_bytes_are_refused(void **state)
{
    (void)state;
    start("command_bytes=131072", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true}");
    static char list[40000];
    size_t size = 0;
    for (int i = 0; i < 60; i++) {
        size += (size_t)snprintf(list + size, sizeof list - size,
                                 "%s[\"body.spawn\",{\"shapes\":[" BALL "]}]", i > 0 ? "," : "");
    }
    // Waits for a tick that does not come, so its bytes wait too.
    uint32_t held =
        client_request(&a, "world.apply", "{\"world\":\"w\",\"at\":9,\"commands\":[%s]}", list);
    client_call(&a, "world.info", "{\"world\":\"w\"}");
    uint32_t more = 0;
    for (int i = 0; i < 3; i++) {
        more =
            client_request(&b, "world.apply", "{\"world\":\"w\",\"at\":9,\"commands\":[%s]}", list);
    }
    assert_limit(client_error(&b, more), "command_bytes");
    client_call(&a, "world.step", "{\"world\":\"w\",\"ticks\":9}");
    client_result(&a, held);
    client_call(&b, "world.apply", "{\"world\":\"w\",\"commands\":[%s]}", list);
    stop();
}

static void answer_over_output_bytes_is_refused(void **state)
{
    (void)state;
    start("output_bytes=65536", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true}");
    for (int i = 0; i < 400; i++) {
        client_notify(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    }
    assert_limit(client_call_error(&a, "world.state", "{\"world\":\"w\"}"), "output_bytes");
    client_call(&a, "ping", "{}");
    stop();
}

static void output_that_nobody_takes_closes_the_connection(void **state)
{
    (void)state;
    start("output_bytes=65536", "commands_per_connection=1000");
    client_call(&b, "world.create", "{\"world\":\"w\",\"paused\":true}");
    for (int i = 0; i < 100; i++) {
        client_notify(&b, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    }
    client_call(&b, "world.info", "{\"world\":\"w\"}");
    // Each answer has some 40 KB, and `a` takes none of them: the kernel's buffers fill, then ours.
    for (int i = 0; i < 600; i++) {
        client_request(&a, "world.state", "{\"world\":\"w\"}");
    }
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    while (counter("connections_overrun") == 0 && test_now_ms() < until) {
        usleep(10000);
    }
    assert_int_equal(counter("connections_overrun"), 1);
    stop();
}

static void subscriptions_per_connection_are_refused(void **state)
{
    (void)state;
    start("subscriptions_per_connection=2", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    unsigned long long number =
        obj_get_uint(client_call(&a, "world.subscribe", "{\"world\":\"w\"}"), "subscription");
    client_call(&a, "world.subscribe", "{\"world\":\"w\"}");
    assert_limit(client_call_error(&a, "world.subscribe", "{\"world\":\"w\"}"),
                 "subscriptions_per_connection");
    client_call(&b, "world.subscribe", "{\"world\":\"w\"}");
    client_call(&a, "world.unsubscribe", "{\"subscription\":%llu}", number);
    client_call(&a, "world.subscribe", "{\"world\":\"w\"}");
    stop();
}

static void worlds_are_refused(void **state)
{
    (void)state;
    start("worlds=2", NULL);
    client_call(&a, "world.create", "{\"world\":\"one\"}");
    client_call(&a, "world.create", "{\"world\":\"two\"}");
    assert_limit(client_call_error(&a, "world.create", "{\"world\":\"three\"}"), "worlds");
    client_call(&a, "world.destroy", "{\"world\":\"one\"}");
    client_call(&a, "world.create", "{\"world\":\"three\"}");
    stop();
}

// One simulation thread with much to do cannot take notice of worlds' ends; what is made and
// destroyed meanwhile has a bound, and the server outlives it.
// Makes and destroys a world many times over while its thread is at another one; whether it was
// refused at some time because those before have not ended.
static bool brief_worlds_are_refused(void)
{
    enum { ROUNDS = 40, COMMANDS = 98 };
    uint32_t creations[ROUNDS];
    bool refused = false;
    for (int round = 0; round < ROUNDS; round++) {
        creations[round] = client_request(&b, "world.create", "{\"world\":\"brief\"}");
        for (int i = 0; i < COMMANDS; i++) {
            client_notify(&b, "world.pause", "{\"world\":\"brief\"}");
        }
        client_notify(&b, "world.destroy", "{\"world\":\"brief\"}");
    }
    for (int round = 0; round < ROUNDS; round++) {
        const msgpack_object *failure = obj_at(client_response(&b, creations[round]), 2);
        if (failure->type != MSGPACK_OBJECT_NIL) {
            assert_limit(obj_text(failure), "have not ended");
            refused = true;
        }
    }
    return refused;
}

static void worlds_that_have_not_ended_are_counted(void **state)
{
    (void)state;
    const char *options[] = {"--threads", "1",
                             "--limit",   "worlds=2",
                             "--limit",   "commands_per_world=100",
                             "--limit",   "connections=2",
                             "--limit",   "subscriptions_per_connection=1",
                             NULL};
    process_start(&server, program, options);
    client_open(&a, server.port);
    client_open(&b, server.port);
    client_call(&a, "world.create", "{\"world\":\"slow\",\"scene\":\"heap\",\"paused\":true}");
    bool refused = false;
    for (int i = 0; i < 500 && !refused; i++) { // the thread may have been quick
        uint32_t slow = client_request(&a, "world.step", "{\"world\":\"slow\",\"ticks\":20}");
        refused = brief_worlds_are_refused();
        client_result(&a, slow);
    }
    assert_true(refused);
    bool made = false;
    for (int i = 0; i < 500 && !made; i++) { // as soon as those have ended
        uint32_t creation = client_request(&b, "world.create", "{\"world\":\"brief\"}");
        made = obj_at(client_response(&b, creation), 2)->type == MSGPACK_OBJECT_NIL;
        usleep(10000);
    }
    assert_true(made);
    stop();
}

static void bodies_per_world_are_refused(void **state)
{
    (void)state;
    start("bodies_per_world=3", NULL);
    assert_limit(client_call_error(&a, "world.create", "{\"world\":\"w\",\"max_bodies\":4}"),
                 "bodies_per_world");
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    for (int i = 0; i < 3; i++) {
        client_call(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}");
    }
    assert_limit(client_call_error(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}"),
                 "");
    stop();
}

static void shapes_and_joints_per_world_are_refused(void **state)
{
    (void)state;
    start("shapes_per_world=3", "joints_per_world=1");
    const msgpack_object *limits = obj_get(client_call(&a, "hello", "{\"protocol\":1}"), "limits");
    assert_int_equal(obj_get_uint(limits, "shapes_per_world"), 3);
    assert_int_equal(obj_get_uint(limits, "joints_per_world"), 1);
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true}");
    uint64_t one = obj_get_uint(
        client_call(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}"), "body");
    uint64_t two = obj_get_uint(
        client_call(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "]}"), "body");
    assert_limit(
        client_call_error(&a, "body.spawn", "{\"world\":\"w\",\"shapes\":[" BALL "," BALL "]}"),
        "shapes_per_world");
    assert_limit(
        client_call_error(&a, "world.apply",
                          "{\"world\":\"w\",\"commands\":[[\"body.spawn\",{\"shapes\":[" BALL
                          "]}],[\"body.spawn\",{\"shapes\":[" BALL "]}]]}"),
        "commands[1] (body.spawn): shapes_per_world");
    const char *weld = "{\"world\":\"w\",\"kind\":\"weld\",\"a\":%llu,\"b\":%llu}";
    client_call(&a, "joint.create", weld, (unsigned long long)one, (unsigned long long)two);
    assert_limit(client_call_error(&a, "joint.create", weld, (unsigned long long)one,
                                   (unsigned long long)two),
                 "joints_per_world");
    const msgpack_object *info = client_call(&a, "world.info", "{\"world\":\"w\"}");
    assert_int_equal(obj_get_uint(info, "bodies"), 2);
    // A scene's entry that is too much is named.
    assert_limit(client_call_error(&b, "world.create", "{\"world\":\"s\",\"scene\":\"demo\"}"),
                 "shapes_per_world");
    client_call(&b, "world.create", "{\"world\":\"s\"}"); // the name is free
    stop();
}

// Fills the way to a reader who does not read, then makes more events than are kept for it.
static void events_past_events_kept_are_told_as_lost(void **state)
{
    (void)state;
    start("events_kept=100", NULL);
    client_call(&b, "world.create", "{\"world\":\"w\",\"gravity\":[0,0]}");
    for (int i = 0; i < 2000; i++) {
        client_notify(&b, "body.spawn",
                      "{\"world\":\"w\",\"position\":[%d,%d],\"angular_velocity\":1,\"shapes\":["
                      "{\"kind\":\"circle\",\"radius\":0.2}]}",
                      i % 100, i / 100);
    }
    client_call(&b, "world.info", "{\"world\":\"w\"}");
    client_call(&a, "world.subscribe", "{\"world\":\"w\",\"events\":[\"spawn\"]}");
    client_snapshot(&a);
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    uint64_t before = 0;
    uint64_t sent = counter("snapshots_sent");
    while (sent != before && test_now_ms() < until) {
        usleep(200000);
        before = sent;
        sent = counter("snapshots_sent");
    }
    for (int i = 0; i < 150; i++) {
        client_notify(&b, "body.spawn",
                      "{\"world\":\"w\",\"position\":[%d,-9],\"shapes\":[" BALL "]}", 2 * i);
    }
    client_call(&b, "world.info", "{\"world\":\"w\"}"); // all of them are there
    uint64_t told = 0;
    uint64_t lost = 0;
    while (told + lost < 150 && test_now_ms() < until) {
        const msgpack_object *s = client_snapshot(&a);
        const msgpack_object *missed = obj_find(s, "events_lost");
        told += obj_count(obj_get(s, "events"));
        lost += missed != NULL ? missed->via.u64 : 0;
    }
    assert_int_equal(told + lost, 150);
    assert_true(lost >= 1);
    assert_int_equal(counter("events_lost"), lost);
    client_call(&a, "ping", "{}"); // it goes on
    client_call(&b, "ping", "{}");
    stop();
}

static void ahead_ticks_are_refused(void **state)
{
    (void)state;
    start("ahead_ticks=10", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\",\"paused\":true}");
    assert_limit(
        client_call_error(&a, "world.apply", "{\"world\":\"w\",\"at\":11,\"commands\":[]}"),
        "ahead_ticks");
    uint32_t kept =
        client_request(&a, "world.apply", "{\"world\":\"w\",\"at\":10,\"commands\":[]}");
    client_call(&a, "world.step", "{\"world\":\"w\",\"ticks\":10}");
    assert_int_equal(obj_get_uint(client_result(&a, kept), "tick"), 10);
    stop();
}

static void first_message_must_come_in_time(void **state)
{
    (void)state;
    start("first_message_ms=200", NULL);
    client_call(&b, "ping", "{}");
    client_send(&a, "\x94", 1); // not a whole one
    assert_limit(client_closed(&a), "first_message_ms");
    client_call(&b, "ping", "{}");
    stop();
}

static void message_must_be_finished_in_time(void **state)
{
    (void)state;
    start("message_ms=200", NULL);
    client_call(&a, "ping", "{}");
    client_send(&a, "\x94\x00", 2);
    assert_limit(client_closed(&a), "message_ms");
    client_call(&b, "ping", "{}");
    stop();
}

static void idle_connection_is_closed_and_subscriber_is_not(void **state)
{
    (void)state;
    start("idle_ms=300", NULL);
    client_call(&a, "world.create", "{\"world\":\"w\"}");
    client_call(&b, "world.subscribe", "{\"world\":\"w\"}");
    assert_limit(client_closed(&a), "idle_ms");
    usleep(200000);
    client_call(&b, "ping", "{}");
    stop();
}

static void stalled_output_closes_the_connection(void **state)
{
    (void)state;
    start("stall_ms=300", NULL);
    client_call(&b, "world.create", "{\"world\":\"w\",\"gravity\":[0,0]}");
    for (int i = 0; i < 2000; i++) {
        client_notify(&b, "body.spawn",
                      "{\"world\":\"w\",\"position\":[%d,%d],\"angular_velocity\":1,\"shapes\":["
                      "{\"kind\":\"circle\",\"radius\":0.2}]}",
                      i % 100, i / 100);
    }
    client_call(&b, "world.info", "{\"world\":\"w\"}");
    client_call(&a, "world.subscribe", "{\"world\":\"w\"}");
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    while (counter("connections_overrun") == 0 && test_now_ms() < until) {
        usleep(20000);
    }
    assert_int_equal(counter("connections_overrun"), 1);
    assert_int_equal(counter("sessions"), 1);
    stop();
}

// One reader is sent every tick, so that each removal has a version of its own; the other a
// snapshot every two seconds, with more removals in between than are kept.
static void removals_kept_bring_the_full_state(void **state)
{
    (void)state;
    enum { BODIES = 40, REMOVED = 36 };
    start("removals_kept=16", NULL);
    client_call(&b, "world.create", "{\"world\":\"w\",\"hz\":100}");
    unsigned long long ids[BODIES];
    for (int i = 0; i < BODIES; i++) {
        ids[i] = obj_get_uint(
            client_call(&b, "body.spawn",
                        "{\"world\":\"w\",\"position\":[%d,0],\"shapes\":[" BALL "]}", 2 * i),
            "body");
    }
    client_call(&b, "world.subscribe", "{\"world\":\"w\"}");
    client_call(&a, "world.subscribe", "{\"world\":\"w\",\"rate\":0.5}");
    assert_true(obj_bool(obj_get(client_snapshot(&a), "full")));
    for (int i = 0; i < REMOVED; i++) {
        client_call(&b, "body.remove", "{\"world\":\"w\",\"body\":%llu}", ids[i]);
    }
    bool full = false;
    for (int i = 0; i < 2 && !full; i++) { // a snapshot may have come between the removals
        const msgpack_object *s = client_snapshot(&a);
        full = obj_bool(obj_get(s, "full"));
        assert_true(!full || obj_count(obj_get(s, "removed")) == 0);
    }
    assert_true(full);
    stop();
}

int main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_over_the_limit_are_turned_away_with_a_reason),
        cmocka_unit_test(message_bytes_are_refused_from_the_header_on),
        cmocka_unit_test(commands_per_connection_wait_in_the_socket),
        cmocka_unit_test(commands_per_world_are_refused),
        cmocka_unit_test(command_bytes_are_refused),
        cmocka_unit_test(answer_over_output_bytes_is_refused),
        cmocka_unit_test(output_that_nobody_takes_closes_the_connection),
        cmocka_unit_test(subscriptions_per_connection_are_refused),
        cmocka_unit_test(worlds_are_refused),
        cmocka_unit_test(worlds_that_have_not_ended_are_counted),
        cmocka_unit_test(bodies_per_world_are_refused),
        cmocka_unit_test(shapes_and_joints_per_world_are_refused),
        cmocka_unit_test(events_past_events_kept_are_told_as_lost),
        cmocka_unit_test(ahead_ticks_are_refused),
        cmocka_unit_test(first_message_must_come_in_time),
        cmocka_unit_test(message_must_be_finished_in_time),
        cmocka_unit_test(idle_connection_is_closed_and_subscriber_is_not),
        cmocka_unit_test(stalled_output_closes_the_connection),
        cmocka_unit_test(removals_kept_bring_the_full_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
