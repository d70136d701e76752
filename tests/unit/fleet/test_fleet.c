// Claims and removals of a server of a fleet, over a fake store that answers when the test says so.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "server/fleet/base64.h"
#include "server/fleet/fleet.h"
#include "tests/unit/fleet/fake_etcd.h"
#include "tests/unit/fleet/timed_loop.h"
#include "tests/support/patience.h"

enum { ROWS_MAX = 8, BODY_MAX = 8192, TEXT_MAX = 4096, KEY_MAX = 128 };

#define WORLD_KEY "/f/world/late"
#define NODE_KEY  "/f/node/a"

typedef struct row {
    char key[KEY_MAX];
    char value[TEXT_MAX]; // base64, as it came
    long long modified;
} row;

typedef struct held {
    fake_client *client;
    char body[BODY_MAX];
} held;

typedef struct rig {
    timed_loop timed;
    fake_etcd *fake;
    fleet *fleet;
    fake_client *watching;
    bool silent; // the watch reports nothing for now
    row rows[ROWS_MAX];
    int row_count;
    long long revision;
    bool holds_claims, holds_removals; // delays those of worlds: `waiting` has the last one
    bool refuses_removals;
    int refused;
    int kept, node_writes; // extensions of the lease; transactions on the server's record
    int64_t load;          // worlds that the server says it has
    held waiting;
    bool joined, closed;
    int lost;
    // The last claim's answer.
    int answers;
    status status;
} rig;

// ---- a store with keys and values

static row *find(rig *r, const char *key)
{
    for (int i = 0; i < r->row_count; i++) {
        if (strcmp(r->rows[i].key, key) == 0) {
            return &r->rows[i];
        }
    }
    return NULL;
}

static void decode(const json_t *in, const char *name, char *out)
{
    const char *encoded = json_string_value(json_object_get(in, name));
    size_t size = 0;
    assert_non_null(encoded);
    assert_true(base64_decode(encoded, strlen(encoded), (uint8_t *)out, &size));
    out[size] = '\0';
}

static json_t *header(const rig *r)
{
    char revision[24];
    snprintf(revision, sizeof revision, "%lld", r->revision);
    return json_pack("{s:s,s:s}", "cluster_id", "1", "revision", revision);
}

static json_t *entry(const char *key, const row *of, long long revision)
{
    char encoded[128];
    char modified[24];
    base64_encode(key, strlen(key), encoded);
    snprintf(modified, sizeof modified, "%lld", revision);
    return of != NULL ? json_pack("{s:s,s:s,s:s,s:s}", "key", encoded, "create_revision", modified,
                                  "mod_revision", modified, "value", of->value)
                      : json_pack("{s:s,s:s}", "key", encoded, "mod_revision", modified);
}

static void answer(fake_client *c, json_t *with)
{
    char *text = json_dumps(with, JSON_COMPACT);
    fake_answer(c, 200, text);
    free(text);
    json_decref(with);
}

static void report(rig *r, json_t *event)
{
    json_t *line = json_pack("{s:{s:o,s:[o]}}", "result", "header", header(r), "events", event);
    char *text = json_dumps(line, JSON_COMPACT);
    if (!r->silent) {
        fake_write(r->watching, text, strlen(text));
        fake_write(r->watching, "\n", 1);
    }
    free(text);
    json_decref(line);
}

static void put(rig *r, const char *key, const char *value)
{
    row *of = find(r, key);
    if (of == NULL) {
        assert_true(r->row_count < ROWS_MAX);
        of = &r->rows[r->row_count++];
        snprintf(of->key, sizeof of->key, "%s", key);
    }
    snprintf(of->value, sizeof of->value, "%s", value);
    of->modified = ++r->revision;
    report(r, json_pack("{s:o}", "kv", entry(key, of, of->modified)));
}

static void take_away(rig *r, row *of)
{
    char key[sizeof of->key];
    memcpy(key, of->key, sizeof key);
    *of = r->rows[--r->row_count];
    r->revision++;
    report(r, json_pack("{s:s,s:o}", "type", "DELETE", "kv", entry(key, NULL, r->revision)));
}

static const json_t *change_of(const json_t *all, bool *removes)
{
    const json_t *change = json_array_get(json_object_get(all, "success"), 0);
    const json_t *removal = json_object_get(change, "request_delete_range");
    *removes = removal != NULL;
    return removal != NULL ? removal : json_object_get(change, "request_put");
}

static void transact(rig *r, fake_client *c, const char *body)
{
    json_t *all = json_loads(body, 0, NULL);
    const json_t *compare = json_array_get(json_object_get(all, "compare"), 0);
    const json_t *at = json_object_get(compare, "mod_revision");
    char key[KEY_MAX];
    bool removes = false;
    const json_t *change = change_of(all, &removes);
    decode(change, "key", key);
    row *of = find(r, key);
    const bool good =
        at != NULL ? of != NULL && of->modified == atoll(json_string_value(at)) : of == NULL;
    if (good && removes) {
        take_away(r, of);
    } else if (good) {
        put(r, key, json_string_value(json_object_get(change, "value")));
    }
    json_t *found = json_array();
    if (of != NULL && !good) {
        json_array_append_new(found, entry(key, of, of->modified));
    }
    answer(c, good ? json_pack("{s:o,s:b,s:[{s:{}}]}", "header", header(r), "succeeded", true,
                               "responses", removes ? "response_delete_range" : "response_put")
                   : json_pack("{s:o,s:[{s:{s:o}}]}", "header", header(r), "responses",
                               "response_range", "kvs", found));
    if (good) {
        json_decref(found);
    }
    json_decref(all);
}

// Whether the test delays the answer to this request.
static bool holds(rig *r, fake_client *c, const char *body)
{
    json_t *all = json_loads(body, 0, NULL);
    char key[KEY_MAX];
    bool removes = false;
    decode(change_of(all, &removes), "key", key);
    json_decref(all);
    r->node_writes += strcmp(key, NODE_KEY) == 0;
    if (strcmp(key, WORLD_KEY) != 0) {
        return false;
    }
    if (removes && r->refuses_removals) {
        r->refused++;
        fake_answer(c, 400, "{\"error\":\"not now\",\"code\":3,\"message\":\"not now\"}");
        return true;
    }
    if (removes ? !r->holds_removals : !r->holds_claims) {
        return false;
    }
    r->waiting.client = c;
    snprintf(r->waiting.body, sizeof r->waiting.body, "%s", body);
    return true;
}

static void on_request(void *context, fake_client *c, const char *path, const char *body)
{
    rig *r = context;
    if (strcmp(path, "/v3/kv/range") == 0) {
        answer(c, json_pack("{s:o}", "header", header(r)));
    } else if (strcmp(path, "/v3/watch") == 0) {
        json_t *line = json_pack("{s:{s:o,s:b}}", "result", "header", header(r), "created", true);
        char *text = json_dumps(line, JSON_COMPACT);
        r->watching = c;
        fake_stream(c);
        fake_write(c, text, strlen(text));
        fake_write(c, "\n", 1);
        free(text);
        json_decref(line);
    } else if (strcmp(path, "/v3/lease/grant") == 0) {
        answer(c, json_pack("{s:o,s:s,s:s}", "header", header(r), "ID", "7", "TTL", "5"));
    } else if (strcmp(path, "/v3/lease/keepalive") == 0) {
        r->kept++;
        answer(c, json_pack("{s:{s:o,s:s,s:s}}", "result", "header", header(r), "ID", "7", "TTL",
                            "5"));
    } else if (strcmp(path, "/v3/kv/txn") == 0) {
        if (!holds(r, c, body)) {
            transact(r, c, body);
        }
    } else {
        answer(c, json_pack("{s:o}", "header", header(r)));
    }
}

// ---- a server

static void on_joined(void *context)
{
    ((rig *)context)->joined = true;
}

static void on_failed(void *context, const error *err)
{
    (void)context;
    fail_msg("the fleet was not joined: %s", err->text);
}

static void on_lost(void *context, const char *text)
{
    (void)context;
    fail_msg("the server's name was lost: %s", text);
}

static void on_lost_world(void *context, const char *world, const world_record *winner)
{
    (void)world, (void)winner;
    ((rig *)context)->lost++;
}

static void on_load(void *context, fleet_load *out)
{
    *out = (fleet_load){.worlds = ((const rig *)context)->load};
}

static void on_claimed(void *context, const error *err, const world_record *winner)
{
    rig *r = context;
    (void)winner;
    r->answers++;
    r->status = err != NULL ? err->status : STATUS_OK;
}

static rig *open_rig(void)
{
    rig *r = calloc(1, sizeof *r);
    error err;
    r->revision = 1;
    timed_loop_init(&r->timed, PATIENCE_MS);
    r->fake = fake_etcd_open(&r->timed.loop, on_request, r);
    const fleet_options options = {
        .endpoints = fake_etcd_url(r->fake),
        .prefix = "/f",
        .node = "a",
        .address = "a.example:1",
        .http = "",
        .peer = "",
        .engine = 1,
        .run = 5,
        .handler = {r, on_joined, on_failed, on_lost, on_lost_world, on_load}};
    assert_int_equal(fleet_open(&r->timed.loop, &options, &r->fleet, &err), STATUS_OK);
    AWAIT(r, r->joined);
    return r;
}

static void on_closed(void *context)
{
    ((rig *)context)->closed = true;
}

static void close_rig(rig *r)
{
    fleet_close(r->fleet, on_closed, r);
    AWAIT(r, r->closed);
    fake_etcd_close(r->fake);
    timed_loop_end(&r->timed);
    fake_etcd_free(r->fake);
    free(r);
}

static void claim(rig *r)
{
    const int before = r->answers;
    fleet_claim(r->fleet, "late", 60, on_claimed, r);
    AWAIT(r, r->answers > before);
    assert_int_equal(r->status, STATUS_OK);
}

// Answers the transaction that waits, and holds no others.
static void let_through(rig *r)
{
    const held h = r->waiting;
    r->waiting.client = NULL;
    r->holds_claims = r->holds_removals = false;
    transact(r, h.client, h.body);
}

static world_record stored(rig *r)
{
    const row *of = find(r, WORLD_KEY);
    char text[TEXT_MAX];
    size_t size = 0;
    world_record record = {0};
    error err;
    assert_non_null(of);
    assert_true(base64_decode(of->value, strlen(of->value), (uint8_t *)text, &size));
    assert_int_equal(world_record_read(text, size, &record, &err), STATUS_OK);
    return record;
}

// A claim is given up while its transaction is under way, so that its record is to be removed; the
// removal reaches the store behind the next claim of that name. The server does not know the record
// yet, as when its watch is late.
static void fleet_removal_of_a_given_up_claim_spares_the_next_claim(void **state)
{
    (void)state;
    rig *r = open_rig();
    r->silent = r->holds_claims = true;
    fleet_claim(r->fleet, "late", 60, on_claimed, r);
    AWAIT(r, r->waiting.client != NULL);
    fleet_release(r->fleet, "late"); // the claim is given up
    let_through(r);
    r->holds_removals = true;
    AWAIT(r, r->waiting.client != NULL);
    claim(r);
    let_through(r);
    const world_record record = stored(r);
    assert_string_equal(record.primary, "a");
    assert_int_equal(record.term, fleet_term(r->fleet, "late"));
    assert_int_equal(r->lost, 0);
    close_rig(r);
}

// The same, for a world that was served and has ended.
static void fleet_removal_of_an_ended_world_spares_the_next_of_its_name(void **state)
{
    (void)state;
    rig *r = open_rig();
    r->silent = true;
    claim(r);
    r->holds_removals = true;
    fleet_release(r->fleet, "late");
    AWAIT(r, r->waiting.client != NULL);
    claim(r);
    let_through(r);
    assert_int_equal(stored(r).term, fleet_term(r->fleet, "late"));
    assert_int_equal(r->lost, 0);
    close_rig(r);
}

static void fleet_removal_is_tried_until_the_store_answers(void **state)
{
    (void)state;
    rig *r = open_rig();
    claim(r);
    r->refuses_removals = true;
    fleet_release(r->fleet, "late");
    AWAIT(r, r->refused >= 2);
    assert_non_null(find(r, WORLD_KEY));
    r->refuses_removals = false;
    AWAIT(r, find(r, WORLD_KEY) == NULL);
    close_rig(r);
}

// Only the lease says that the server lives.
static void fleet_record_is_written_when_it_says_something_new(void **state)
{
    (void)state;
    rig *r = open_rig();
    const int kept = r->kept;
    AWAIT(r, r->kept >= kept + 3);
    assert_int_equal(r->node_writes, 1);
    r->load = 1;
    AWAIT(r, r->node_writes == 2);
    fleet_leave(r->fleet);
    AWAIT(r, r->node_writes == 3);
    const int64_t revision = find(r, NODE_KEY)->modified;
    take_away(r, find(r, NODE_KEY)); // by hand: the server writes it again
    AWAIT(r, find(r, NODE_KEY) != NULL && find(r, NODE_KEY)->modified > revision);
    close_rig(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fleet_removal_of_a_given_up_claim_spares_the_next_claim),
        cmocka_unit_test(fleet_removal_of_an_ended_world_spares_the_next_of_its_name),
        cmocka_unit_test(fleet_removal_is_tried_until_the_store_answers),
        cmocka_unit_test(fleet_record_is_written_when_it_says_something_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
