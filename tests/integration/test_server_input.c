// Wrong input of every kind, case by case: each gets the contract's error or a close
// with a reason, and a neighbour who is connected all the while notices nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/client.h"
#include "tests/support/process.h"

static const char *program;
static process server;
static client neighbour;

static int start(void **state)
{
    (void)state;
    process_start(&server, program, NULL);
    client_open(&neighbour, server.port);
    client_call(&neighbour, "world.create", "{\"world\":\"w\"}");
    client_call(&neighbour, "body.spawn",
                "{\"world\":\"w\",\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]}");
    client_call(&neighbour, "world.subscribe", "{\"world\":\"w\"}");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    client_close(&neighbour);
    assert_int_equal(process_stop(&server, SIGTERM, CLIENT_WAIT_MS), 0);
    return 0;
}

// The neighbour's snapshots go on from where they were, and calls are answered.
static int check_neighbour(void **state)
{
    (void)state;
    uint64_t tick = obj_get_uint(client_snapshot(&neighbour), "tick");
    client_call(&neighbour, "ping", "{}");
    assert_true(obj_get_uint(client_snapshot(&neighbour), "tick") > tick);
    const msgpack_object *info = client_call(&neighbour, "world.info", "{\"world\":\"w\"}");
    assert_int_equal(obj_get_uint(info, "bodies"), 1);
    return 0;
}

// ---- calls that are answered with an error, after which the connection lives on

static void assert_refused(const char *code, const char *part, const char *method, const char *args)
{
    client c;
    client_open(&c, server.port);
    const char *text = client_call_error(&c, method, "%s", args);
    size_t size = strlen(code);
    if (strncmp(text, code, size) != 0 || strncmp(text + size, ": ", 2) != 0 ||
        strstr(text, part) == NULL) {
        fail_msg("%s %s: '%s' is not %s with '%s'", method, args, text, code, part);
    }
    client_call(&c, "ping", "{}");
    client_close(&c);
}

static void method_unknown_is_told(void **state)
{
    (void)state;
    assert_refused("unknown_method", "world.dance", "world.dance", "{}");
    assert_refused("unknown_method", "", "", "{}");
    assert_refused("unknown_method", "Ping", "Ping", "{}");
}

static void argument_of_wrong_type_is_told(void **state)
{
    (void)state;
    assert_refused("invalid_argument", "gravity", "world.create",
                   "{\"world\":\"x\",\"gravity\":\"down\"}");
    assert_refused("invalid_argument", "world", "world.info", "{\"world\":5}");
    assert_refused("invalid_argument", "body", "body.get", "{\"world\":\"w\",\"body\":\"ball\"}");
    assert_refused("invalid_argument", "shapes", "body.spawn", "{\"world\":\"w\",\"shapes\":3}");
    assert_refused("invalid_argument", "ticks", "world.step", "{\"world\":\"w\",\"ticks\":1.5}");
}

static void argument_unknown_or_missing_is_told(void **state)
{
    (void)state;
    assert_refused("invalid_argument", "wrold", "world.info", "{\"world\":\"w\",\"wrold\":1}");
    assert_refused("invalid_argument", "world", "world.info", "{}");
}

static void number_that_is_not_finite_is_told(void **state)
{
    (void)state;
    assert_refused("invalid_argument", "finite", "body.spawn",
                   "{\"world\":\"w\",\"shapes\":[],\"position\":[{\"$float\":\"nan\"},0]}");
    assert_refused("invalid_argument", "finite", "body.impulse",
                   "{\"world\":\"w\",\"body\":1,\"impulse\":[0,{\"$float\":\"inf\"}]}");
    assert_refused("invalid_argument", "", "world.create",
                   "{\"world\":\"x\",\"hz\":{\"$float\":\"-inf\"}}");
}

static void number_out_of_range_is_told(void **state)
{
    (void)state;
    assert_refused("invalid_argument", "hz", "world.create", "{\"world\":\"x\",\"hz\":0}");
    assert_refused("invalid_argument", "position", "body.spawn",
                   "{\"world\":\"w\",\"shapes\":[],\"position\":[1e300,0]}");
    assert_refused("invalid_argument", "radius", "body.spawn",
                   "{\"world\":\"w\",\"shapes\":[{\"kind\":\"circle\",\"radius\":-1}]}");
}

static void world_unknown_is_told(void **state)
{
    (void)state;
    static const char *const METHODS[] = {"world.info",  "world.destroy", "world.pause",
                                          "world.state", "world.step",    "world.subscribe"};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        assert_refused("not_found", "nowhere", METHODS[i], "{\"world\":\"nowhere\"}");
    }
}

static void world_name_must_be_a_name(void **state)
{
    (void)state;
    assert_refused("invalid_argument", "world", "world.create", "{\"world\":\"a b\"}");
    assert_refused("invalid_argument", "world", "world.create", "{\"world\":\"\"}");
    assert_refused("invalid_argument", "world", "world.create", "{\"world\":\"a/b\"}");
    assert_refused("already_exists", "'w'", "world.create", "{\"world\":\"w\"}");
}

static void body_or_subscription_unknown_is_told(void **state)
{
    (void)state;
    assert_refused("not_found", "", "body.get", "{\"world\":\"w\",\"body\":99}");
    assert_refused("not_found", "", "body.remove", "{\"world\":\"w\",\"body\":99}");
    assert_refused("not_found", "", "world.unsubscribe", "{\"subscription\":99}");
    // Another connection's, which there is.
    assert_refused("not_found", "", "world.unsubscribe", "{\"subscription\":1}");
    assert_refused("not_found", "", "world.view", "{\"subscription\":1}");
}

static void polygon_without_area_is_told(void **state)
{
    (void)state;
    assert_refused("invalid_argument", "shapes[1]", "body.spawn",
                   "{\"world\":\"w\",\"shapes\":[{\"kind\":\"circle\",\"radius\":1},"
                   "{\"kind\":\"polygon\",\"vertices\":[[0,0],[1,1],[2,2]]}]}");
}

static void scene_unknown_is_told_and_frees_the_name(void **state)
{
    (void)state;
    assert_refused("not_found", "scene", "world.create", "{\"world\":\"x\",\"scene\":\"nosuch\"}");
    assert_refused("invalid_argument", "scene", "world.create",
                   "{\"world\":\"x\",\"scene\":\"../../etc/passwd\"}");
    assert_refused("not_found", "'x'", "world.info", "{\"world\":\"x\"}");
}

static void failed_notification_is_counted_and_not_answered(void **state)
{
    (void)state;
    client c;
    client_open(&c, server.port);
    const msgpack_object *counters = obj_get(client_call(&c, "server.stats", "{}"), "counters");
    uint64_t before = obj_get_uint(counters, "notifications_failed");
    client_notify(&c, "world.dance", "{}");
    client_notify(&c, "body.remove", "{\"world\":\"w\",\"body\":99}");
    client_notify(&c, "body.remove", "{\"world\":\"w\"}");
    client_call(&c, "world.info", "{\"world\":\"w\"}");
    counters = obj_get(client_call(&c, "server.stats", "{}"), "counters");
    assert_int_equal(obj_get_uint(counters, "notifications_failed") - before, 3);
    // Nothing but the three responses has come.
    uint32_t messages = 0;
    for (const client_message *m = c.first; m != NULL; m = m->next) {
        messages++;
    }
    assert_int_equal(messages, 3);
    client_close(&c);
}

static void params_that_are_no_map_are_told(void **state)
{
    (void)state;
    client c;
    client_open(&c, server.port);
    client_send_json(&c, "[0, 1, \"ping\", [1]]");
    assert_non_null(strstr(client_error(&c, 1), "invalid_argument: "));
    client_send_json(&c, "[0, 2, \"ping\", [{}, {}]]");
    assert_non_null(strstr(client_error(&c, 2), "invalid_argument: "));
    client_send_json(&c, "[0, 3, \"ping\", []]");
    client_result(&c, 3);
    client_close(&c);
}

// ---- bytes after which nothing can be understood: told where an id is known, then closed

static void assert_closed(const void *bytes, size_t size, const char *code)
{
    client c;
    client_open(&c, server.port);
    client_send(&c, bytes, size);
    const char *reason = client_closed(&c);
    if (strncmp(reason, code, strlen(code)) != 0) {
        fail_msg("closed with '%s', not %s", reason, code);
    }
    client_close(&c);
}

static void message_of_a_gigabyte_by_its_header_is_closed(void **state)
{
    (void)state;
    assert_closed("\xc6\x40\x00\x00\x00", 5, "limit_exceeded");     // bin
    assert_closed("\xdb\x40\x00\x00\x00", 5, "limit_exceeded");     // str
    assert_closed("\xdd\x40\x00\x00\x00", 5, "limit_exceeded");     // array
    assert_closed("\xdf\x40\x00\x00\x00", 5, "limit_exceeded");     // map
    assert_closed("\xc9\x40\x00\x00\x00\x01", 6, "limit_exceeded"); // ext
}

static void id_is_answered_before_the_close(void **state)
{
    (void)state;
    client c;
    client_open(&c, server.port);
    client_send(&c,
                "\x94\x00\x07\xa4ping\x91\x81\xa3"
                "any\xc6\x40\x00\x00\x00",
                19);
    assert_non_null(strstr(client_error(&c, 7), "limit_exceeded: "));
    assert_non_null(strstr(client_closed(&c), "limit_exceeded: "));
    client_close(&c);
}

static void nesting_of_ten_thousand_is_closed(void **state)
{
    (void)state;
    static char nested[10001];
    memset(nested, '\x91', 10000);
    nested[10000] = '\xc0';
    assert_closed(nested, sizeof nested, "limit_exceeded");
}

static void byte_that_is_never_used_is_closed(void **state)
{
    (void)state;
    assert_closed("\xc1", 1, "invalid_argument");
}

static void what_is_not_messagepack_rpc_is_closed(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } CASES[] = {
        {"GET / HTTP/1.1\r\n\r\n", 18}, {"\x80", 1},          {"\x90", 1},
        {"\x94\x03\x01\xa1x\x90", 6},   {"\x92\x02\xa1x", 4}, {"\x94\x00\xa1x\xa1y\x90", 7},
        {"\x94\x00\x01\x05\x90", 5},    {"\xc0", 1},          {"\x95\x00\x01\xa1x\x90\xc0", 7},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_closed(CASES[i].bytes, CASES[i].size, "invalid_argument");
    }
}

static void response_that_nobody_asked_for_is_closed(void **state)
{
    (void)state;
    assert_closed("\x94\x01\x01\xc0\xc0", 5, "invalid_argument");
}

static void answers_from_before_the_fault_still_come(void **state)
{
    (void)state;
    client c;
    client_open(&c, server.port);
    client_send(&c, "\x94\x00\x01\xa4ping\x90\x94\x00\x02\xa4ping\x90\xc1", 19);
    client_result(&c, 1);
    client_result(&c, 2);
    assert_non_null(strstr(client_closed(&c), "invalid_argument: "));
    client_close(&c);
}

static void random_bytes_harm_nobody(void **state)
{
    (void)state;
    enum { ROUNDS = 200, SIZE = 600 };
    uint32_t seed = 12345;
    for (int round = 0; round < ROUNDS; round++) {
        uint8_t bytes[SIZE];
        for (int i = 0; i < SIZE; i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i] = (uint8_t)(seed >> 24);
        }
        client c;
        client_open(&c, server.port);
        client_send(&c, bytes, sizeof bytes);
        client_close(&c);
    }
    assert_int_equal(process_wait(&server, 0), -1); // it lives
}

static void message_cut_off_anywhere_harms_nobody(void **state)
{
    (void)state;
    static const uint8_t CALL[] = "\x94\x00\x01\xaaworld.info\x91\x81\xa5world\xa1w";
    for (size_t size = 1; size < sizeof CALL - 1; size++) {
        client c;
        client_open(&c, server.port);
        client_send(&c, CALL, size);
        client_close(&c);
    }
}

static void call_byte_by_byte_is_understood(void **state)
{
    (void)state;
    static const uint8_t CALL[] = "\x94\x00\x01\xaaworld.info\x91\x81\xa5world\xa1w";
    client c;
    client_open(&c, server.port);
    for (size_t i = 0; i < sizeof CALL - 1; i++) {
        client_send(&c, CALL + i, 1);
    }
    assert_string_equal(obj_get_text(client_result(&c, 1), "world"), "w");
    client_close(&c);
}

#define TEST(name) cmocka_unit_test_teardown(name, check_neighbour)

int main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    program = argv[1];
    const struct CMUnitTest tests[] = {
        TEST(method_unknown_is_told),
        TEST(argument_of_wrong_type_is_told),
        TEST(argument_unknown_or_missing_is_told),
        TEST(number_that_is_not_finite_is_told),
        TEST(number_out_of_range_is_told),
        TEST(world_unknown_is_told),
        TEST(world_name_must_be_a_name),
        TEST(body_or_subscription_unknown_is_told),
        TEST(polygon_without_area_is_told),
        TEST(scene_unknown_is_told_and_frees_the_name),
        TEST(failed_notification_is_counted_and_not_answered),
        TEST(params_that_are_no_map_are_told),
        TEST(message_of_a_gigabyte_by_its_header_is_closed),
        TEST(id_is_answered_before_the_close),
        TEST(nesting_of_ten_thousand_is_closed),
        TEST(byte_that_is_never_used_is_closed),
        TEST(what_is_not_messagepack_rpc_is_closed),
        TEST(response_that_nobody_asked_for_is_closed),
        TEST(answers_from_before_the_fault_still_come),
        TEST(random_bytes_harm_nobody),
        TEST(message_cut_off_anywhere_harms_nobody),
        TEST(call_byte_by_byte_is_understood),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
