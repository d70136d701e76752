// Records of worlds and servers: as written, read back, and every other text refused by its fault.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/fleet/records.h"

static const world_record WORLD = {.term = 3,
                                   .primary = "a",
                                   .standby = "b",
                                   .engine = 7,
                                   .hz = 60,
                                   .address = "10.0.0.1:22766",
                                   .http = "[::1]:22767",
                                   .run = "0123456789abcdef",
                                   .replicated = true};
static const node_record NODE = {.address = "a.example:22766",
                                 .engine = 7,
                                 .run = "0123456789abcdef",
                                 .lateness_ms = 0.25,
                                 .worlds = 4,
                                 .sessions = 17,
                                 .free_memory = INT64_MAX,
                                 .draining = true,
                                 .peer = "10.0.0.1:22768"};

static void world_returns_as_written(void **state)
{
    char text[RECORD_SIZE_MAX];
    world_record r;
    world_record alone = WORLD;
    error err;
    (void)state;
    const size_t size = world_record_write(&WORLD, text);
    assert_string_equal(text, "{\"format\":1,\"term\":3,\"primary\":\"a\",\"standby\":\"b\","
                              "\"engine\":7,\"hz\":60.0,\"address\":\"10.0.0.1:22766\",\"http\":"
                              "\"[::1]:22767\",\"run\":\"0123456789abcdef\",\"replicated\":true}");
    assert_int_equal(world_record_read(text, size, &r, &err), STATUS_OK);
    assert_memory_equal(&r, &WORLD, sizeof r);
    alone.standby[0] = alone.http[0] = '\0';
    assert_int_equal(world_record_read(text, world_record_write(&alone, text), &r, &err),
                     STATUS_OK);
    assert_true(world_record_same(&r, &alone));
    assert_false(world_record_same(&r, &WORLD));
    assert_string_equal(r.http, "");
}

static void node_returns_as_written(void **state)
{
    char text[RECORD_SIZE_MAX];
    node_record r;
    error err;
    (void)state;
    assert_int_equal(node_record_read(text, node_record_write(&NODE, text), &r, &err), STATUS_OK);
    assert_string_equal(r.address, NODE.address);
    assert_string_equal(r.http, "");
    assert_string_equal(r.peer, NODE.peer);
    assert_true(r.draining && r.free_memory == INT64_MAX && r.sessions == 17);
}

// As of servers that knew no standbys.
static void records_of_earlier_versions_are_read(void **state)
{
    static const char WORLD_TEXT[] =
        "{\"format\":1,\"term\":3,\"primary\":\"a\",\"standby\":null,\"engine\":7,\"hz\":60,"
        "\"address\":\"a:1\",\"http\":null,\"run\":\"0123456789abcdef\"}";
    static const char NODE_TEXT[] =
        "{\"format\":1,\"address\":\"a:1\",\"http\":null,\"engine\":7,"
        "\"run\":\"0123456789abcdef\",\"lateness_ms\":0,\"worlds\":0,\"sessions\":0,"
        "\"free_memory\":0,\"draining\":false}";
    world_record w;
    node_record n;
    error err;
    (void)state;
    assert_int_equal(world_record_read(WORLD_TEXT, strlen(WORLD_TEXT), &w, &err), STATUS_OK);
    assert_false(w.replicated);
    assert_int_equal(node_record_read(NODE_TEXT, strlen(NODE_TEXT), &n, &err), STATUS_OK);
    assert_string_equal(n.peer, "");
}

static void longest_records_fit(void **state)
{
    char text[RECORD_SIZE_MAX];
    world_record longest = WORLD;
    world_record r;
    error err;
    (void)state;
    memset(longest.primary, 'p', RECORD_NAME_MAX);
    memset(longest.standby, 's', RECORD_NAME_MAX);
    memset(longest.address, 'h', RECORD_ADDRESS_MAX);
    memcpy(longest.address + RECORD_ADDRESS_MAX - 6, ":65535", 6);
    memcpy(longest.http, longest.address, sizeof longest.http);
    longest.term = longest.engine = INT64_MAX;
    const size_t size = world_record_write(&longest, text);
    assert_int_equal(world_record_read(text, size, &r, &err), STATUS_OK);
    assert_memory_equal(&r, &longest, sizeof r);
}

// `from` in the text of WORLD is replaced by `to`; the error has the words.
static void other_worlds_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *words;
    } CASES[] = {
        {"{", "", "'[' or '{' expected"},
        {"{", "[", ""},
        {"\"format\":1,", "", "format: must be there"},
        {"\"format\":1", "\"format\":2", "format: 2; this server knows 1"},
        {"\"format\":1", "\"format\":\"1\"", "format"},
        {"\"term\":3", "\"term\":0", "term: must be 1 or more"},
        {"\"term\":3", "\"term\":3.5", "Expected integer"},
        {"\"term\":3", "\"term\":3,\"term\":3", "duplicate"},
        {"\"term\":3,", "", "term"},
        {"\"term\":3", "\"term\":3,\"more\":1", "more"},
        {"\"primary\":\"a\"", "\"primary\":\"\"", "primary: must be a name"},
        {"\"primary\":\"a\"", "\"primary\":\"..\"", "primary: must be a name"},
        {"\"primary\":\"a\"", "\"primary\":\"a/b\"", "primary: must be a name"},
        {"\"standby\":\"b\"", "\"standby\":\"a\"", "standby: must not be the primary"},
        {"\"standby\":\"b\"", "\"standby\":\"\"", "standby: must be a name or null"},
        {"\"engine\":7", "\"engine\":-7", "engine: must not be negative"},
        {"\"hz\":60.0", "\"hz\":0", "hz: must be above 0"},
        {"10.0.0.1:22766", "10.0.0.1", "address: must be HOST:PORT"},
        {"10.0.0.1:22766", "10.0.0.1:0", "address: must be HOST:PORT"},
        {"10.0.0.1:22766", "10.0.0.1:65536", "address: must be HOST:PORT"},
        {"10.0.0.1:22766", "10.0.0.1 x:1", "address: must be HOST:PORT"},
        {"10.0.0.1:22766", "::1:22766", "address: must be HOST:PORT"},
        {"[::1]:22767", "x", "http: must be HOST:PORT or null"},
        {"\"[::1]:22767\"", "7", "standby, http: must be a string or null"},
        {"0123456789abcdef", "0123456789abcdeF", "run: must be 16 hexadecimal digits"},
        {"0123456789abcdef", "0123456789abcde", "run: must be 16 hexadecimal digits"},
        {"10.0.0.1:22766", "a\\u0000:1", ""},
    };
    char good[RECORD_SIZE_MAX];
    (void)state;
    world_record_write(&WORLD, good);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[2 * RECORD_SIZE_MAX];
        const char *at = strstr(good, CASES[i].from);
        world_record r = {.term = 99};
        error err = {.text = ""};
        assert_non_null(at);
        const int before = (int)(at - good);
        const int size = snprintf(text, sizeof text, "%.*s%s%s", before, good, CASES[i].to,
                                  at + strlen(CASES[i].from));
        if (world_record_read(text, (size_t)size, &r, &err) == STATUS_OK) {
            fail_msg("read: %s", text);
        }
        if (strstr(err.text, CASES[i].words) == NULL) {
            fail_msg("%s: '%s' is not '%s'", text, err.text, CASES[i].words);
        }
        assert_int_equal(r.term, 99); // untouched
    }
}

static void long_text_is_refused_by_its_size(void **state)
{
    char text[RECORD_SIZE_MAX];
    world_record r;
    node_record n;
    error err;
    (void)state;
    memset(text, ' ', sizeof text);
    assert_int_equal(world_record_read(text, sizeof text, &r, &err), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "it has 2048 bytes; at most 2047 are allowed");
    assert_int_equal(node_record_read(text, sizeof text, &n, &err), STATUS_INVALID_ARGUMENT);
}

static void other_nodes_are_refused(void **state)
{
    char text[RECORD_SIZE_MAX];
    (void)state;
    for (int i = 0; i < 6; i++) {
        node_record wrong = NODE;
        node_record r;
        error err;
        wrong.lateness_ms = i == 0 ? -1 : 0;
        wrong.worlds = i == 1 ? -1 : 0;
        wrong.sessions = i == 2 ? -1 : 0;
        wrong.free_memory = i == 3 ? -1 : 0;
        wrong.run[3] = i == 4 ? 'x' : '0';
        wrong.address[9] = i == 5 ? ' ' : ':';
        const size_t size = node_record_write(&wrong, text);
        assert_int_equal(node_record_read(text, size, &r, &err), STATUS_INVALID_ARGUMENT);
    }
}

// Each case differs from the record before in one respect.
static void record_is_new_if_it_says_what_others_need(void **state)
{
    const node_record was = {.address = "a:1",
                             .run = "0123456789abcdef",
                             .lateness_ms = 4,
                             .worlds = 80,
                             .sessions = 16,
                             .free_memory = INT64_C(8) << 30};
    node_record is = was;
    (void)state;
    assert_false(node_record_is_new(&was, &is));
    is.draining = true;
    assert_true(node_record_is_new(&was, &is));
    is = was;
    strcpy(is.peer, "a:3");
    assert_true(node_record_is_new(&was, &is));
    is = was;
    is.worlds = 89;
    assert_false(node_record_is_new(&was, &is));
    is.worlds = 90;
    assert_true(node_record_is_new(&was, &is));
    is.worlds = 70;
    assert_true(node_record_is_new(&was, &is));
    is = was;
    is.sessions = 18;
    assert_true(node_record_is_new(&was, &is));
    is = was;
    is.lateness_ms = 5.9;
    assert_false(node_record_is_new(&was, &is));
    is.lateness_ms = 6;
    assert_true(node_record_is_new(&was, &is));
    is = was;
    is.free_memory -= (INT64_C(1) << 30) - 1;
    assert_false(node_record_is_new(&was, &is));
    is.free_memory--;
    assert_true(node_record_is_new(&was, &is));
    const node_record idle = {.free_memory = 1};
    is = idle;
    is.lateness_ms = 0.9;
    is.free_memory = NODE_MEMORY_TRIFLE;
    assert_false(node_record_is_new(&idle, &is));
    is.worlds = 1;
    assert_true(node_record_is_new(&idle, &is));
}

static void prefixes_are_checked(void **state)
{
    static const char *const WRONG[] = {"", "/", "carom", "/carom/", "//a", "/a b", "/..", "/a//b"};
    (void)state;
    assert_true(record_prefix_valid("/carom"));
    assert_true(record_prefix_valid("/games/one"));
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_false(record_prefix_valid(WRONG[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_returns_as_written),
        cmocka_unit_test(node_returns_as_written),
        cmocka_unit_test(records_of_earlier_versions_are_read),
        cmocka_unit_test(longest_records_fit),
        cmocka_unit_test(other_worlds_are_refused),
        cmocka_unit_test(long_text_is_refused_by_its_size),
        cmocka_unit_test(other_nodes_are_refused),
        cmocka_unit_test(record_is_new_if_it_says_what_others_need),
        cmocka_unit_test(prefixes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
