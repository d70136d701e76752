// The store against etcd itself: transactions, ranges in pages, leases, watches over a restart, a
// pause and a compaction. Skipped, and said so, where etcd is not installed.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/fleet/store.h"
#include "tests/unit/fleet/real_etcd.h"
#include "tests/unit/fleet/timed_loop.h"
#include "tests/support/patience.h"

static real_etcd etcd; // one for all tests, which use prefixes of their own

typedef struct rig {
    timed_loop timed;
    store *store;
    bool closed;
    int answers;
    status status;
    bool written;
    int64_t revision, lease, ttl_s;
    uint32_t entries;
    char value[16]; // value of the answer's first entry
    int64_t modified;
    // Calls of the watcher so far.
    int alls, changes, removals, interruptions;
    uint32_t last_all;
    int64_t last_number; // value of the last change
    bool repeats;        // a change may come again: more than one try of it has arrived
} rig;

static rig *open_rig(const char *before)
{
    rig *r = calloc(1, sizeof *r);
    char endpoints[256];
    error err;
    timed_loop_init(&r->timed, PATIENCE_MS);
    snprintf(endpoints, sizeof endpoints, "%s%s", before, etcd.url);
    const store_options options = {.endpoints = endpoints, .times = store_times_default()};
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
    timed_loop_end(&r->timed);
    assert_true(r->closed);
    free(r);
}

static void on_answer(void *context, const store_answer *answer)
{
    rig *r = context;
    r->answers++;
    r->status = answer->status;
    r->written = answer->written;
    r->revision = answer->revision;
    r->lease = answer->lease;
    r->ttl_s = answer->ttl_s;
    r->entries = answer->entries->count;
    *r->value = '\0';
    if (r->entries > 0) {
        const store_entry *e = &answer->entries->data[0];
        snprintf(r->value, sizeof r->value, "%.*s", (int)e->value_size, (const char *)e->value);
        r->modified = e->modified;
    }
}

static void transact(rig *r, const store_op *ops, uint32_t count)
{
    const int before = r->answers;
    error err;
    assert_int_equal(store_transact(r->store, ops, count, on_answer, r, &err), STATUS_OK);
    AWAIT(r, r->answers > before);
}

static void put(rig *r, const char *key, int64_t modified, const char *value)
{
    const store_op op = {
        .key = key, .modified = modified, .value = value, .value_size = strlen(value)};
    transact(r, &op, 1);
}

static void get(rig *r, const char *prefix)
{
    const int before = r->answers;
    error err;
    assert_int_equal(store_get(r->store, prefix, on_answer, r, &err), STATUS_OK);
    AWAIT(r, r->answers > before);
    assert_int_equal(r->status, STATUS_OK);
}

static void one_of_two_creators_wins(void **state)
{
    (void)state;
    rig *r = open_rig("http://127.0.0.1:1,"); // a member that does not run
    put(r, "/one/w", 0, "first");
    assert_true(r->written);
    const int64_t revision = r->revision;
    put(r, "/one/w", 0, "second");
    assert_int_equal(r->status, STATUS_OK);
    assert_false(r->written);
    assert_string_equal(r->value, "first");
    assert_int_equal(r->modified, revision);
    put(r, "/one/w", revision, "third");
    assert_true(r->written);
    put(r, "/one/w", revision, "stale");
    assert_false(r->written);
    assert_string_equal(r->value, "third");
    close_rig(r);
}

static void transaction_is_all_or_nothing(void **state)
{
    (void)state;
    rig *r = open_rig("");
    put(r, "/all/a", 0, "a");
    const int64_t revision = r->revision;
    const store_op fails[] = {{.key = "/all/a", .modified = revision}, // is removed
                              {.key = "/all/b", .modified = 1, .value = "b", .value_size = 1}};
    transact(r, fails, 2);
    assert_false(r->written);
    assert_int_equal(r->entries, 2);
    get(r, "/all/");
    assert_int_equal(r->entries, 1);
    const store_op works[] = {{.key = "/all/a", .modified = revision},
                              {.key = "/all/b", .value = "b", .value_size = 1}};
    transact(r, works, 2);
    assert_true(r->written);
    get(r, "/all/");
    assert_int_equal(r->entries, 1);
    assert_string_equal(r->value, "b");
    close_rig(r);
}

static void large_range_is_read_in_pages(void **state)
{
    enum { KEYS = 2 * ETCD_PAGE + 10 };
    (void)state;
    rig *r = open_rig("");
    for (int i = 0; i < KEYS; i += ETCD_OPS_MAX) {
        static char keys[ETCD_OPS_MAX][32];
        store_op ops[ETCD_OPS_MAX];
        uint32_t count = 0;
        for (; count < ETCD_OPS_MAX && i + (int)count < KEYS; count++) {
            snprintf(keys[count], sizeof keys[count], "/pages/%d", i + (int)count);
            ops[count] = (store_op){.key = keys[count], .value = "v", .value_size = 1};
        }
        transact(r, ops, count);
        assert_true(r->written);
    }
    get(r, "/pages/");
    assert_int_equal(r->entries, KEYS);
    close_rig(r);
}

static void on_all(void *context, store_entries *entries, int64_t revision)
{
    rig *r = context;
    r->alls++;
    r->last_all = entries->count;
    assert_true(revision > 0);
}

static void on_changed(void *context, const store_entry *e)
{
    rig *r = context;
    if (e->value == NULL) {
        r->removals++;
        return;
    }
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)e->value_size, (const char *)e->value);
    // Each change once, and in order.
    if (!r->repeats || atoi(text) != r->last_number) {
        assert_int_equal(atoi(text), r->last_number + 1);
        r->last_number++;
    }
    r->changes++;
}

static void on_interrupted(void *context, const char *why)
{
    (void)why;
    ((rig *)context)->interruptions++;
}

static void watch(rig *r, const char *prefix)
{
    const store_watcher watcher = {
        .context = r, .all = on_all, .changed = on_changed, .interrupted = on_interrupted};
    (void)store_watch_open(r->store, prefix, &watcher);
    AWAIT(r, r->alls == 1);
}

static void put_number(rig *r, const char *key, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    const store_op op = {.key = key, .any = true, .value = text, .value_size = strlen(text)};
    transact(r, &op, 1);
    assert_true(r->written);
}

static void watch_goes_on_after_a_restart(void **state)
{
    (void)state;
    rig *r = open_rig("");
    watch(r, "/watch/");
    put_number(r, "/watch/a", 1);
    put_number(r, "/elsewhere", 7);
    put_number(r, "/watch/b", 2);
    AWAIT(r, r->changes == 2);
    real_etcd_kill(&etcd);
    AWAIT(r, r->interruptions == 1);
    real_etcd_restart(&etcd);
    put_number(r, "/watch/a", 3);
    const store_op removal = {.key = "/watch/b", .any = true};
    transact(r, &removal, 1);
    AWAIT(r, r->changes == 3 && r->removals == 1);
    assert_int_equal(r->alls, 1);
    close_rig(r);
}

static void note_post(void *context, const post_end *end)
{
    *(int *)context = end->outcome == POST_ANSWERED ? (int)end->code : -1;
}

static void compact(rig *r, int64_t revision)
{
    char url[128];
    char command[512];
    snprintf(url, sizeof url, "%s/v3/kv/compaction", etcd.url);
    snprintf(command, sizeof command, "{\"revision\":\"%lld\",\"physical\":true}",
             (long long)revision);
    int answered = 0;
    posts *p = NULL;
    error err;
    assert_int_equal(posts_open(&r->timed.loop, NULL, &p, &err), STATUS_OK);
    const post_options options = {.url = url,
                                  .body = command,
                                  .connect_ms = 1000,
                                  .answer_size_max = 4096,
                                  .handler = {.context = &answered, .done = note_post}};
    (void)post_begin(p, &options);
    AWAIT(r, answered != 0);
    assert_int_equal(answered, 200);
    r->closed = false;
    posts_close(p, on_closed, r);
    AWAIT(r, r->closed);
    r->closed = false;
}

// While etcd is not reachable for the watcher, what it missed is compacted away.
static void compacted_changes_are_read_as_a_range(void **state)
{
    (void)state;
    rig *r = open_rig("");
    rig *other = open_rig("");
    watch(r, "/compact/");
    put_number(other, "/compact/a", 1);
    AWAIT(r, r->changes == 1);
    real_etcd_kill(&etcd);
    AWAIT(r, r->interruptions == 1);
    real_etcd_restart(&etcd);
    // The watcher's loop stands still meanwhile.
    put_number(other, "/compact/b", 2);
    put_number(other, "/compact/c", 3);
    compact(other, other->revision);
    AWAIT(r, r->alls == 2);
    assert_int_equal(r->last_all, 3);
    assert_int_equal(r->changes, 1);
    r->last_number = 3;
    put_number(other, "/compact/a", 4);
    AWAIT(r, r->changes == 2);
    close_rig(other);
    close_rig(r);
}

static void pause_of_etcd_is_survived(void **state)
{
    (void)state;
    rig *r = open_rig("");
    watch(r, "/pause/");
    put_number(r, "/pause/a", 1);
    AWAIT(r, r->changes == 1);
    real_etcd_signal(&etcd, SIGSTOP);
    const store_op op = {.key = "/pause/a", .any = true, .value = "2", .value_size = 1};
    transact(r, &op, 1);
    assert_int_equal(r->status, STATUS_UNAVAILABLE);
    r->repeats = true; // the tries arrive late, and each of them writes
    real_etcd_signal(&etcd, SIGCONT);
    get(r, "/pause/");
    assert_int_equal(r->entries, 1);
    close_rig(r);
}

static void lease(rig *r, status (*verb)(store *, int64_t, store_done, void *, error *),
                  int64_t number)
{
    const int before = r->answers;
    error err;
    assert_int_equal(verb(r->store, number, on_answer, r, &err), STATUS_OK);
    AWAIT(r, r->answers > before);
}

static void keys_end_with_their_lease(void **state)
{
    (void)state;
    rig *r = open_rig("");
    watch(r, "/lease/");
    lease(r, store_lease_grant, 30);
    assert_int_equal(r->status, STATUS_OK);
    assert_int_equal(r->ttl_s, 30);
    const int64_t number = r->lease;
    const store_op op = {.key = "/lease/a", .value = "1", .value_size = 1, .lease = number};
    transact(r, &op, 1);
    assert_true(r->written);
    lease(r, store_lease_keep, number);
    assert_int_equal(r->status, STATUS_OK);
    assert_int_equal(r->ttl_s, 30);
    lease(r, store_lease_revoke, number);
    assert_int_equal(r->status, STATUS_OK);
    AWAIT(r, r->removals == 1);
    lease(r, store_lease_keep, number);
    assert_int_equal(r->status, STATUS_NOT_FOUND);
    lease(r, store_lease_revoke, number);
    assert_int_equal(r->status, STATUS_NOT_FOUND);
    close_rig(r);
}

static void key_of_a_lease_that_nobody_renews_ends(void **state)
{
    (void)state;
    rig *r = open_rig("");
    watch(r, "/expiry/");
    lease(r, store_lease_grant, 1); // etcd makes it at least an election's time
    const store_op op = {.key = "/expiry/a", .value = "1", .value_size = 1, .lease = r->lease};
    transact(r, &op, 1);
    assert_true(r->written);
    AWAIT(r, r->removals == 1);
    close_rig(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_creators_wins),
        cmocka_unit_test(transaction_is_all_or_nothing),
        cmocka_unit_test(large_range_is_read_in_pages),
        cmocka_unit_test(watch_goes_on_after_a_restart),
        cmocka_unit_test(compacted_changes_are_read_as_a_range),
        cmocka_unit_test(pause_of_etcd_is_survived),
        cmocka_unit_test(keys_end_with_their_lease),
        cmocka_unit_test(key_of_a_lease_that_nobody_renews_ends),
    };
    if (!real_etcd_there()) {
        printf("skipped: etcd is not installed (docker/install.sh test)\n");
        return 77;
    }
    real_etcd_start(&etcd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    real_etcd_end(&etcd);
    return failed;
}
