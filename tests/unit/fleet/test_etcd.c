// The texts of etcd's JSON gateway: requests to the letter, answers as etcd 3.4 writes them, and
// each of those damaged at every byte.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/fleet/etcd.h"

#define HEADER                                                                                     \
    "\"header\":{\"cluster_id\":\"14841639068965178418\",\"member_id\":\"10276657743932975437\","  \
    "\"revision\":\"9\",\"raft_term\":\"2\"}"
// Key "/k", value "v" at revision 7.
#define PAIR                                                                                       \
    "{\"key\":\"L2s=\",\"create_revision\":\"5\",\"mod_revision\":\"7\",\"version\":\"2\","        \
    "\"value\":\"dg==\"}"

static const store_op OP = {.key = "/k", .modified = 7, .value = "v", .value_size = 1};

typedef status (*reader)(const char *text, size_t size, etcd_answer *out, error *err);

static status read_transaction(const char *text, size_t size, etcd_answer *out, error *err)
{
    return etcd_read_transaction(text, size, &OP, 1, out, err);
}

static const struct {
    reader read;
    const char *text;
} ANSWERS[] = {
    {etcd_read_range, "{" HEADER ",\"kvs\":[" PAIR "],\"count\":\"1\"}"},
    {etcd_read_range, "{" HEADER "}"},
    {read_transaction,
     "{" HEADER ",\"succeeded\":true,\"responses\":[{\"response_put\":{\"header\":{}}}]}"},
    {read_transaction,
     "{" HEADER ",\"responses\":[{\"response_range\":{\"header\":{},\"kvs\":[" PAIR "]}}]}"},
    {read_transaction, "{" HEADER ",\"responses\":[{\"response_range\":{\"header\":{}}}]}"},
    {etcd_read_watch, "{\"result\":{" HEADER ",\"created\":true}}"},
    {etcd_read_watch, "{\"result\":{" HEADER ",\"events\":[{\"kv\":" PAIR "},{\"type\":\"DELETE\","
                      "\"kv\":{\"key\":\"L2s=\",\"mod_revision\":\"9\"}}]}}"},
    {etcd_read_watch, "{\"result\":{" HEADER ",\"canceled\":true,\"compact_revision\":\"6\"}}"},
    {etcd_read_lease_grant, "{" HEADER ",\"ID\":\"7587856863431245836\",\"TTL\":\"5\"}"},
    {etcd_read_keepalive, "{\"result\":{" HEADER ",\"ID\":\"7587856863431245836\",\"TTL\":\"5\"}}"},
    {etcd_read_revoke, "{" HEADER "}"},
};

enum { ANSWER_COUNT = sizeof ANSWERS / sizeof *ANSWERS };

static void check_request(char *made, const char *wanted)
{
    assert_string_equal(made, wanted);
    free(made);
}

static void requests_are_as_etcd_reads_them(void **state)
{
    (void)state;
    check_request(
        etcd_range("/k", 2, "/k", 0),
        "{\"key\":\"L2s=\",\"range_end\":\"L2w=\",\"limit\":\"1000\",\"revision\":\"0\"}");
    check_request(etcd_watch("/k", 8), "{\"create_request\":{\"key\":\"L2s=\",\"range_end\":"
                                       "\"L2w=\",\"start_revision\":\"8\"}}");
    const store_op ops[] = {{.key = "/k", .value = "v", .value_size = 1, .lease = 3},
                            {.key = "/l", .modified = 7},
                            {.key = "/m", .any = true, .value = "", .value_size = 0}};
    check_request(
        etcd_transaction(ops, 3),
        "{\"compare\":[{\"key\":\"L2s=\",\"target\":\"CREATE\",\"result\":\"EQUAL\","
        "\"create_revision\":\"0\"},{\"key\":\"L2w=\",\"target\":\"MOD\",\"result\":\"EQUAL\","
        "\"mod_revision\":\"7\"}],\"success\":[{\"request_put\":{\"key\":\"L2s=\",\"value\":"
        "\"dg==\",\"lease\":\"3\"}},{\"request_delete_range\":{\"key\":\"L2w=\"}},{\"request_put\":"
        "{\"key\":\"L20=\",\"value\":\"\",\"lease\":\"0\"}}],\"failure\":[{\"request_range\":"
        "{\"key\":\"L2s=\"}},{\"request_range\":{\"key\":\"L2w=\"}},{\"request_range\":{\"key\":"
        "\"L20=\"}}]}");
    check_request(etcd_lease_grant(5), "{\"TTL\":\"5\"}");
    check_request(etcd_lease(INT64_MAX), "{\"ID\":\"9223372036854775807\"}");
}

static etcd_answer read_good(int i)
{
    etcd_answer a = {0};
    error err;
    if (ANSWERS[i].read(ANSWERS[i].text, strlen(ANSWERS[i].text), &a, &err) != STATUS_OK) {
        fail_msg("answer %d: %s", i, err.text);
    }
    assert_true(a.cluster == 14841639068965178418u);
    assert_int_equal(a.revision, 9);
    return a;
}

static void check_pair(const store_entry *e)
{
    assert_string_equal(e->key, "/k");
    assert_int_equal(e->key_size, 2);
    assert_int_equal(e->value_size, 1);
    assert_int_equal(e->value[0], 'v');
    assert_int_equal(e->created, 5);
    assert_int_equal(e->modified, 7);
}

static void answers_are_read_in_full(void **state)
{
    static const uint32_t ENTRIES[ANSWER_COUNT] = {1, 0, 0, 1, 1, 0, 2, 0, 0, 0, 0};
    (void)state;
    for (int i = 0; i < ANSWER_COUNT; i++) {
        etcd_answer a = read_good(i);
        assert_int_equal(a.entries.count, ENTRIES[i]);
        assert_int_equal(a.succeeded, i == 2);
        assert_int_equal(a.created, i == 5);
        assert_int_equal(a.cancelled, i == 7);
        assert_int_equal(a.compacted, i == 7 ? 6 : 0);
        assert_true(a.lease == (i == 8 || i == 9 ? 7587856863431245836 : 0));
        if (i == 0 || i == 3 || i == 6) {
            check_pair(&a.entries.data[0]);
        }
        if (i == 4) { // the key does not exist
            assert_string_equal(a.entries.data[0].key, "/k");
            assert_null(a.entries.data[0].value);
        }
        if (i == 6) {
            assert_null(a.entries.data[1].value);
            assert_int_equal(a.entries.data[1].modified, 9);
        }
        etcd_answer_deinit(&a);
    }
}

static void try_text(int i, const char *text, size_t size)
{
    // The exact size, so that the address sanitizer sees a byte too many.
    char *copy = malloc(size + (size == 0));
    etcd_answer a = {0};
    error err = {.text = ""};
    memcpy(copy, text, size);
    if (ANSWERS[i].read(copy, size, &a, &err) == STATUS_OK) {
        etcd_answer_deinit(&a);
    } else {
        assert_int_not_equal(strlen(err.text), 0);
    }
    (void)etcd_read_error(copy, size, &err);
    free(copy);
}

static void damaged_answers_are_refused_or_read(void **state)
{
    static const char BYTES[] = {'\0', '"', '{', '}', '[', ':', '-', '9', '\xff', '='};
    (void)state;
    for (int i = 0; i < ANSWER_COUNT; i++) {
        const size_t size = strlen(ANSWERS[i].text);
        char text[1024];
        memcpy(text, ANSWERS[i].text, size);
        for (size_t at = 0; at < size; at++) {
            try_text(i, text, at); // cut
            for (size_t b = 0; b < sizeof BYTES; b++) {
                text[at] = BYTES[b];
                try_text(i, text, size);
            }
            text[at] = ANSWERS[i].text[at];
        }
    }
}

static void wrong_values_are_refused(void **state)
{
    static const struct {
        reader read;
        const char *text;
    } WRONG[] = {
        {etcd_read_range, ""},
        {etcd_read_range, "<html>hello</html>"},
        {etcd_read_range, "[]"},
        {etcd_read_range, "{}"},
        {etcd_read_range, "{\"header\":{\"cluster_id\":\"-1\",\"revision\":\"9\"}}"},
        {etcd_read_range, "{\"header\":{\"cluster_id\":\"1\",\"revision\":\"-9\"}}"},
        {etcd_read_range,
         "{\"header\":{\"cluster_id\":\"1\",\"revision\":\"9223372036854775808\"}}"},
        {etcd_read_range, "{" HEADER ",\"kvs\":{}}"},
        {etcd_read_range, "{" HEADER ",\"kvs\":[{\"key\":\"L2s\",\"mod_revision\":\"7\"}]}"},
        {etcd_read_range, "{" HEADER ",\"kvs\":[{\"key\":\"L2s=\",\"mod_revision\":\"0\"}]}"},
        {etcd_read_range, "{" HEADER ",\"kvs\":[{\"mod_revision\":\"7\"}]}"},
        {etcd_read_range, "{" HEADER ",\"more\":true}"}, // would be asked for without an end
        {etcd_read_range, "{" HEADER ",\"more\":1}"},
        {read_transaction, "{" HEADER ",\"succeeded\":true}"},
        {read_transaction, "{" HEADER ",\"succeeded\":\"true\",\"responses\":[{}]}"},
        {read_transaction, "{" HEADER ",\"responses\":[{}]}"},
        {read_transaction,
         "{" HEADER ",\"responses\":[{\"response_range\":{\"kvs\":[" PAIR "," PAIR "]}}]}"},
        {read_transaction, "{" HEADER ",\"responses\":[{\"response_range\":{\"kvs\":[{\"key\":"
                           "\"L2w=\",\"mod_revision\":\"7\"}]}}]}"}, // another key
        {etcd_read_watch, "{" HEADER "}"},
        {etcd_read_watch, "{\"error\":{\"grpc_code\":14,\"message\":\"no leader\"}}"},
        {etcd_read_watch,
         "{\"result\":{" HEADER ",\"events\":[{\"type\":\"NEW\",\"kv\":" PAIR "}]}}"},
        {etcd_read_watch, "{\"result\":{" HEADER ",\"events\":[{}]}}"},
        {etcd_read_lease_grant, "{" HEADER ",\"TTL\":\"5\"}"},
        {etcd_read_keepalive, "{\"result\":{" HEADER ",\"TTL\":\"5\"}}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        etcd_answer a = {0};
        error err = {.text = ""};
        if (WRONG[i].read(WRONG[i].text, strlen(WRONG[i].text), &a, &err) != STATUS_UNAVAILABLE) {
            fail_msg("%s was read", WRONG[i].text);
        }
        assert_int_not_equal(strlen(err.text), 0);
    }
}

static void errors_are_told(void **state)
{
    static const char PLAIN[] = "{\"error\":\"etcdserver: requested lease not found\",\"message\":"
                                "\"etcdserver: requested lease not found\",\"code\":5}";
    static const char STREAM[] =
        "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\"}}";
    error err;
    (void)state;
    assert_int_equal(etcd_read_error(PLAIN, strlen(PLAIN), &err), ETCD_ERROR_CODE_NOT_FOUND);
    assert_string_equal(err.text, "etcd: etcdserver: requested lease not found");
    assert_int_equal(etcd_read_error(STREAM, strlen(STREAM), &err), 14);
    assert_string_equal(err.text, "etcd: etcdserver: no leader");
    assert_int_equal(etcd_read_error("404 page not found", 18, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_as_etcd_reads_them),
        cmocka_unit_test(answers_are_read_in_full),
        cmocka_unit_test(damaged_answers_are_refused_or_read),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(errors_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
