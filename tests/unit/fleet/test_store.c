// The store against a fake that answers nonsense, too much, too late, in pieces or not at all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/fleet/store.h"
#include "tests/unit/fleet/fake_etcd.h"
#include "tests/unit/fleet/timed_loop.h"
#include "tests/support/patience.h"

enum { ANSWER_MAX = 1 << 16 };

#define HEADER(revision)                                                                           \
    "\"header\":{\"cluster_id\":\"1\",\"revision\":\"" revision "\",\"raft_term\":\"2\"}"
// "/f/a" is "L2YvYQ==", "mine" is "bWluZQ==", "theirs" is "dGhlaXJz".
#define PAIR(value, revision)                                                                      \
    "{\"key\":\"L2YvYQ==\",\"create_revision\":\"1\",\"mod_revision\":\"" revision                 \
    "\",\"value\":\"" value "\"}"
#define RANGE(revision) "{" HEADER(revision) "}"
#define WRITTEN         "{" HEADER("9") ",\"succeeded\":true,\"responses\":[{\"response_put\":{}}]}"
#define NOT_WRITTEN(value)                                                                         \
    "{" HEADER("9") ",\"responses\":[{\"response_range\":{\"kvs\":[" PAIR(value, "8") "]}}]}"
#define CREATED(revision) "{\"result\":{" HEADER(revision) ",\"created\":true}}\n"
#define CHANGED(value, revision)                                                                   \
    "{\"result\":{" HEADER(revision) ",\"events\":[{\"kv\":" PAIR(value, revision) "}]}}\n"

typedef struct rig rig;
typedef void (*script)(rig *r, fake_client *c, const char *path);

struct rig {
    timed_loop timed;
    fake_etcd *fake;
    store *store;
    script script;
    int requests; // number of requests that the fake got
    int watches;  // number of watches
    fake_client *watching;
    bool closed;
    // The last answer.
    int answers;
    status status;
    bool written, sent;
    int64_t revision;
    uint32_t entries;
    char text[ERROR_TEXT_MAX];
    char value[16]; // value of the last change
    int alls, changes, interruptions;
    char body[512]; // body of the last request
};

static void on_request(void *context, fake_client *c, const char *path, const char *body)
{
    rig *r = context;
    r->requests++;
    r->watches += strcmp(path, "/v3/watch") == 0;
    snprintf(r->body, sizeof r->body, "%s", body);
    r->script(r, c, path);
}

static rig *open_rig(script answers, const char *more_endpoints)
{
    rig *r = calloc(1, sizeof *r);
    char endpoints[256];
    error err;
    r->script = answers;
    timed_loop_init(&r->timed, PATIENCE_MS);
    r->fake = fake_etcd_open(&r->timed.loop, on_request, r);
    snprintf(endpoints, sizeof endpoints, "%s%s", fake_etcd_url(r->fake), more_endpoints);
    const store_options options = {
        .endpoints = endpoints,
        .answer_size_max = ANSWER_MAX,
        .times = {
            .connect_ms = 500, .try_ms = 300, .whole_ms = 1200, .pause_ms = 20, .silence_ms = 200}};
    assert_int_equal(store_open(&r->timed.loop, &options, &r->store, &err), STATUS_OK);
    return r;
}

static void on_closed(void *context)
{
    ((rig *)context)->closed = true;
}

static void close_rig(rig *r)
{
    store_close(r->store, on_closed, r);
    fake_etcd_close(r->fake);
    timed_loop_end(&r->timed);
    assert_true(r->closed);
    fake_etcd_free(r->fake);
    free(r);
}

static void on_answer(void *context, const store_answer *answer)
{
    rig *r = context;
    r->answers++;
    r->status = answer->status;
    r->written = answer->written;
    r->sent = answer->sent;
    r->revision = answer->revision;
    r->entries = answer->entries->count;
    snprintf(r->text, sizeof r->text, "%s", answer->text);
}

static const store_op PUT = {.key = "/f/a", .modified = 3, .value = "mine", .value_size = 4};

static void transact(rig *r)
{
    const int before = r->answers;
    error err;
    assert_int_equal(store_transact(r->store, &PUT, 1, on_answer, r, &err), STATUS_OK);
    AWAIT(r, r->answers > before);
}

// ---- requests

static void answer_written(rig *r, fake_client *c, const char *path)
{
    (void)r;
    assert_string_equal(path, "/v3/kv/txn");
    fake_answer(c, 200, WRITTEN);
}

static void transaction_is_written(void **state)
{
    (void)state;
    rig *r = open_rig(answer_written, "");
    transact(r);
    assert_int_equal(r->status, STATUS_OK);
    assert_true(r->written);
    assert_int_equal(r->revision, 9);
    assert_int_equal(r->requests, 1);
    close_rig(r);
}

static const char *nonsense;
static int nonsense_code;

static void answer_nonsense(rig *r, fake_client *c, const char *path)
{
    (void)r, (void)path;
    nonsense_code != 0 ? fake_answer(c, nonsense_code, nonsense)
                       : fake_write(c, nonsense, strlen(nonsense));
    if (nonsense_code == 0) {
        fake_hang_up(c);
    }
}

static void nonsense_is_unavailable_and_says_so(void **state)
{
    static const struct {
        int code;
        const char *answer, *words;
    } CASES[] = {
        {200, "hello", "not an answer of etcd"},
        {200, "{\"a\":1}", "not an answer of etcd"},
        {200, "", "not an answer of etcd"},
        {404, "404 page not found", "answers HTTP 404, and not as etcd does"},
        {502, "<html>", "answers HTTP 502, and not as etcd does"},
        {302, "", "answers HTTP 302"},
        {503, "{\"error\":\"etcdserver: no leader\",\"code\":14}", "etcdserver: no leader"},
        {0, "SSH-2.0-OpenSSH_9\r\n", ""},
        {0, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", ""},
        {0, "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        rig *r = open_rig(answer_nonsense, "");
        nonsense_code = CASES[i].code;
        nonsense = CASES[i].answer;
        transact(r);
        assert_int_equal(r->status, STATUS_UNAVAILABLE);
        assert_non_null(strstr(r->text, CASES[i].words));
        assert_non_null(strstr(r->text, fake_etcd_url(r->fake)));
        assert_true(r->requests > 1); // it was tried again
        close_rig(r);
    }
}

static void answer_giant(rig *r, fake_client *c, const char *path)
{
    static const char HEAD[] = "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n";
    const size_t size = ANSWER_MAX + 1;
    char *giant = calloc(1, size);
    (void)r, (void)path;
    fake_write(c, HEAD, strlen(HEAD));
    fake_write(c, giant, size);
    free(giant);
}

static void giant_answer_is_cut(void **state)
{
    (void)state;
    rig *r = open_rig(answer_giant, "");
    transact(r);
    assert_int_equal(r->status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(r->text, "its answer has more than 65536 bytes"));
    close_rig(r);
}

static void answer_nothing(rig *r, fake_client *c, const char *path)
{
    (void)r, (void)c, (void)path;
}

static void silence_ends_in_time_and_may_have_been_written(void **state)
{
    (void)state;
    rig *r = open_rig(answer_nothing, "");
    const uint64_t begun_ms = uv_now(&r->timed.loop);
    transact(r);
    assert_int_equal(r->status, STATUS_UNAVAILABLE);
    assert_true(r->sent);
    assert_true(uv_now(&r->timed.loop) - begun_ms >= 1200);
    close_rig(r);
}

static void unreachable_was_not_sent(void **state)
{
    error err;
    (void)state;
    rig *r = open_rig(answer_nothing, "");
    store_close(r->store, on_closed, r);
    AWAIT(r, r->closed);
    r->closed = false;
    // Port 1 of this machine: nobody listens.
    const store_options options = {
        .endpoints = "http://127.0.0.1:1",
        .times = {.connect_ms = 500, .try_ms = 300, .whole_ms = 300, .pause_ms = 20}};
    assert_int_equal(store_open(&r->timed.loop, &options, &r->store, &err), STATUS_OK);
    transact(r);
    assert_int_equal(r->status, STATUS_UNAVAILABLE);
    assert_false(r->sent);
    assert_non_null(strstr(r->text, "http://127.0.0.1:1"));
    close_rig(r);
}

static void next_endpoint_answers(void **state)
{
    error err;
    char endpoints[128];
    (void)state;
    rig *r = open_rig(answer_written, "");
    store_close(r->store, on_closed, r);
    AWAIT(r, r->closed);
    r->closed = false;
    snprintf(endpoints, sizeof endpoints, "http://127.0.0.1:1,%s", fake_etcd_url(r->fake));
    const store_options options = {.endpoints = endpoints, .times = store_times_default()};
    assert_int_equal(store_open(&r->timed.loop, &options, &r->store, &err), STATUS_OK);
    transact(r);
    assert_true(r->written);
    transact(r); // begins at the one that answered
    assert_int_equal(r->requests, 2);
    close_rig(r);
}

// The first answer is lost, after which the transaction finds `theirs` or `mine`.
static const char *found;

static void lose_then_answer(rig *r, fake_client *c, const char *path)
{
    (void)path;
    r->requests == 1 ? fake_hang_up(c) : fake_answer(c, 200, found);
}

static void lost_answer_of_a_write_that_took_effect_is_found(void **state)
{
    (void)state;
    rig *r = open_rig(lose_then_answer, "");
    found = NOT_WRITTEN("bWluZQ==");
    transact(r);
    assert_int_equal(r->status, STATUS_OK);
    assert_true(r->written);
    assert_int_equal(r->revision, 8); // revision of the key
    close_rig(r);
}

static void lost_answer_of_a_write_that_lost_is_found(void **state)
{
    (void)state;
    rig *r = open_rig(lose_then_answer, "");
    found = NOT_WRITTEN("dGhlaXJz");
    transact(r);
    assert_int_equal(r->status, STATUS_OK);
    assert_false(r->written);
    assert_int_equal(r->entries, 1);
    close_rig(r);
}

static void answer_not_written(rig *r, fake_client *c, const char *path)
{
    (void)r, (void)path;
    fake_answer(c, 200, NOT_WRITTEN("bWluZQ=="));
}

// The same bytes prove nothing if no earlier try can have written them.
static void failure_at_the_first_try_is_a_failure(void **state)
{
    (void)state;
    rig *r = open_rig(answer_not_written, "");
    transact(r);
    assert_int_equal(r->status, STATUS_OK);
    assert_false(r->written);
    close_rig(r);
}

static void requests_are_bounded(void **state)
{
    error err;
    (void)state;
    rig *r = open_rig(answer_nothing, "");
    for (int i = 0; i < STORE_REQUESTS_MAX; i++) {
        assert_int_equal(store_lease_keep(r->store, 1, on_answer, r, &err), STATUS_OK);
    }
    assert_int_equal(store_lease_keep(r->store, 1, on_answer, r, &err), STATUS_LIMIT_EXCEEDED);
    assert_string_equal(err.text, "already 1024 requests wait for etcd");
    store_op ops[ETCD_OPS_MAX + 1];
    for (int i = 0; i <= ETCD_OPS_MAX; i++) {
        ops[i] = PUT;
    }
    assert_int_equal(store_transact(r->store, ops, ETCD_OPS_MAX + 1, on_answer, r, &err),
                     STATUS_INVALID_ARGUMENT);
    ops[0].value_size = ETCD_REQUEST_MAX;
    assert_int_equal(store_transact(r->store, ops, 1, on_answer, r, &err), STATUS_INVALID_ARGUMENT);
    assert_int_equal(r->answers, 0);
    close_rig(r);
}

static void lists_of_endpoints_are_checked(void **state)
{
    static const char *const GOOD[] = {"http://a:1", "https://10.0.0.1:2379,https://b.example:2379",
                                       "http://[::1]:65535"};
    static const char *const WRONG[] = {"",
                                        "a:2379",
                                        "ftp://a:1",
                                        "http://",
                                        "http://a",
                                        "http://:1",
                                        "http://a:0",
                                        "http://a:65536",
                                        "http://a:123456",
                                        "http://a:1/x",
                                        "http://u@a:1",
                                        "http://a:1,",
                                        "http://a:1,,http://b:1",
                                        "http://a b:1",
                                        "http://a:1 "};
    char many[512] = "http://a:1";
    error err;
    (void)state;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        assert_int_equal(store_check_endpoints(GOOD[i], &err), STATUS_OK);
    }
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        if (store_check_endpoints(WRONG[i], &err) != STATUS_INVALID_ARGUMENT) {
            fail_msg("'%s' was accepted", WRONG[i]);
        }
    }
    for (int i = 1; i < STORE_ENDPOINTS_MAX; i++) {
        strcat(many, ",http://a:1");
    }
    assert_int_equal(store_check_endpoints(many, &err), STATUS_OK);
    strcat(many, ",http://a:1");
    assert_int_equal(store_check_endpoints(many, &err), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "there are 16 endpoints at most");
}

// ---- watches

static void on_all(void *context, store_entries *entries, int64_t revision)
{
    rig *r = context;
    r->alls++;
    r->entries = entries->count;
    r->revision = revision;
}

static void on_changed(void *context, const store_entry *e)
{
    rig *r = context;
    r->changes++;
    assert_string_equal(e->key, "/f/a");
    snprintf(r->value, sizeof r->value, "%.*s", (int)e->value_size, (const char *)e->value);
}

static void on_interrupted(void *context, const char *why)
{
    rig *r = context;
    r->interruptions++;
    snprintf(r->text, sizeof r->text, "%s", why);
}

static void watch(rig *r)
{
    const store_watcher watcher = {
        .context = r, .all = on_all, .changed = on_changed, .interrupted = on_interrupted};
    (void)store_watch_open(r->store, "/f/", &watcher);
}

// Answers ranges at revision 5, transactions, and begins streams, which the test continues.
static void serve(rig *r, fake_client *c, const char *path)
{
    if (strcmp(path, "/v3/kv/range") == 0) {
        fake_answer(c, 200, RANGE("5"));
    } else if (strcmp(path, "/v3/kv/txn") == 0) {
        fake_answer(c, 200, WRITTEN);
    } else {
        fake_stream(c);
        r->watching = c;
    }
}

static rig *open_watching(void)
{
    rig *r = open_rig(serve, "");
    watch(r);
    AWAIT(r, r->watches == 1);
    assert_int_equal(r->alls, 1);
    assert_non_null(strstr(r->body, "\"start_revision\":\"6\""));
    return r;
}

static void say(rig *r, const char *text)
{
    fake_write(r->watching, text, strlen(text));
}

static void lines_in_pieces_are_joined(void **state)
{
    static const char LINES[] = CREATED("5") CHANGED("bWluZQ==", "6") CHANGED("dGhlaXJz", "7");
    (void)state;
    rig *r = open_watching();
    for (size_t i = 0; i < strlen(LINES); i++) {
        fake_write(r->watching, LINES + i, 1);
        for (int k = 0; k < 3; k++) {
            (void)uv_run(&r->timed.loop, UV_RUN_NOWAIT);
        }
    }
    AWAIT(r, r->changes == 2);
    assert_string_equal(r->value, "theirs");
    assert_int_equal(r->interruptions, 0);
    close_rig(r);
}

static void broken_stream_goes_on_where_it_was(void **state)
{
    (void)state;
    rig *r = open_watching();
    say(r, CREATED("5") CHANGED("bWluZQ==", "6") "{\"result\":{\"hea"); // half a line
    AWAIT(r, r->changes == 1);
    fake_hang_up(r->watching);
    AWAIT(r, r->watches == 2);
    assert_non_null(strstr(r->body, "\"start_revision\":\"7\""));
    say(r, CREATED("7") CHANGED("bWluZQ==", "6") CHANGED("dGhlaXJz", "7")); // 6 is known
    AWAIT(r, r->changes == 2);
    assert_int_equal(r->alls, 1);
    assert_int_equal(r->interruptions, 1);
    close_rig(r);
}

static void range_is_read_again(const char *line)
{
    rig *r = open_watching();
    say(r, CREATED("5"));
    say(r, line);
    AWAIT(r, r->alls == 2);
    AWAIT(r, r->watches == 2);
    assert_int_equal(r->interruptions, 1);
    assert_int_equal(r->changes, 0);
    close_rig(r);
}

static void missed_changes_are_read_again(void **state)
{
    (void)state;
    range_is_read_again(
        "{\"result\":{" HEADER("9") ",\"canceled\":true,\"compact_revision\":\"8\"}}\n");
    range_is_read_again("nonsense\n");
    range_is_read_again("{\"result\":{}}\n");
    range_is_read_again("{\"error\":{\"grpc_code\":14,\"message\":\"no\"}}\n");
    // Another cluster, and one whose data were set back.
    range_is_read_again("{\"result\":{\"header\":{\"cluster_id\":\"2\",\"revision\":\"6\"}}}\n");
    range_is_read_again(CREATED("4"));
}

static void line_without_an_end_is_cut(void **state)
{
    (void)state;
    rig *r = open_watching();
    const size_t size = ANSWER_MAX + 1;
    char *giant = calloc(1, size);
    memset(giant, 'x', size);
    say(r, CREATED("5"));
    fake_write(r->watching, giant, size);
    free(giant);
    AWAIT(r, r->alls == 2);
    AWAIT(r, r->watches == 2);
    assert_non_null(strstr(r->text, "more than 65536 bytes"));
    close_rig(r);
}

static void unconfirmed_watch_is_begun_again(void **state)
{
    (void)state;
    rig *r = open_watching(); // says nothing at all
    AWAIT(r, r->watches == 2);
    assert_string_equal(r->text, "etcd does not confirm a watch");
    close_rig(r);
}

// A watch that has silently died shows by a write of one's own.
static void watch_that_misses_an_own_write_is_begun_again(void **state)
{
    (void)state;
    rig *r = open_watching();
    say(r, CREATED("5"));
    say(r, CHANGED("dGhlaXJz", "6"));
    AWAIT(r, r->changes == 1);
    transact(r); // revision 9
    AWAIT(r, r->watches == 2);
    assert_string_equal(r->text, "a watch does not report this server's own change");
    say(r, CREATED("9") CHANGED("bWluZQ==", "9"));
    AWAIT(r, r->changes == 2);
    assert_int_equal(r->alls, 1);
    close_rig(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transaction_is_written),
        cmocka_unit_test(nonsense_is_unavailable_and_says_so),
        cmocka_unit_test(giant_answer_is_cut),
        cmocka_unit_test(silence_ends_in_time_and_may_have_been_written),
        cmocka_unit_test(unreachable_was_not_sent),
        cmocka_unit_test(next_endpoint_answers),
        cmocka_unit_test(lost_answer_of_a_write_that_took_effect_is_found),
        cmocka_unit_test(lost_answer_of_a_write_that_lost_is_found),
        cmocka_unit_test(failure_at_the_first_try_is_a_failure),
        cmocka_unit_test(requests_are_bounded),
        cmocka_unit_test(lists_of_endpoints_are_checked),
        cmocka_unit_test(lines_in_pieces_are_joined),
        cmocka_unit_test(broken_stream_goes_on_where_it_was),
        cmocka_unit_test(missed_changes_are_read_again),
        cmocka_unit_test(line_without_an_end_is_cut),
        cmocka_unit_test(unconfirmed_watch_is_begun_again),
        cmocka_unit_test(watch_that_misses_an_own_write_is_begun_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
