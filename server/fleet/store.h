// The store of a fleet behind three verbs: get a range, transact (compare and put), watch a range;
// and leases, with which keys end that nobody renews. The store is etcd, by its JSON gateway.
//
// Several endpoints are members of one cluster: a request that fails at one is tried at the next.
// A transaction whose answer was lost is tried again, too. If it then fails because every key has
// the very bytes that it was to write, it counts as done: so values must name their writer, as
// records do (records.h). `written` therefore means that this transaction took effect. Without an
// answer in time nobody knows, and the status is STATUS_UNAVAILABLE.
//
// Requests are bounded in time and number, answers in bytes. Loop thread only. Callbacks are never
// called from within the functions here, and may call all of them.
#ifndef CAROM_SERVER_FLEET_STORE_H
#define CAROM_SERVER_FLEET_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/fleet/etcd.h"
#include "server/fleet/posts.h"

enum {
    STORE_ENDPOINTS_MAX = 16,
    STORE_ENDPOINT_SIZE_MAX = 300,    // bytes of one, like http://HOST:PORT
    STORE_REQUESTS_MAX = 1024,        // requests that are not answered yet
    STORE_RANGE_BYTES_MAX = 256 << 20 // keys and values of one range
};

typedef struct store_times {
    uint64_t connect_ms; // limit for a connection, above 0
    uint64_t try_ms;     // limit for one endpoint's answer
    uint64_t whole_ms;   // limit for an answer of any endpoint
    uint64_t pause_ms;   // between rounds of all endpoints
    uint64_t silence_ms; // a watch that did not report this server's own write is begun again
} store_times;

store_times store_times_default(void);

typedef struct store_options {
    const char *endpoints; // URLs http://HOST:PORT or https://…, separated by commas
    posts_tls tls;
    store_times times;
    uint64_t answer_size_max; // bytes of an answer, and of a watch's line; 0: ETCD_ANSWER_MAX
} store_options;

typedef struct store store;
typedef struct store_watch store_watch;

typedef struct store_answer {
    status status; // STATUS_OK, STATUS_UNAVAILABLE, STATUS_NOT_FOUND (a lease), …
    const char *text;
    bool sent;        // unless STATUS_OK: the request may have taken effect all the same
    bool written;     // the transaction took effect
    int64_t revision; // revision of the range, or the one that the transaction made
    int64_t lease;
    int64_t ttl_s; // time left for a lease
    // A range's keys; unless `written`, a transaction's keys as they are (without a value: absent).
    // The receiver may take them over by clearing the array.
    store_entries *entries;
} store_answer;

typedef void (*store_done)(void *context, const store_answer *answer);

typedef struct store_watcher {
    void *context;
    // All keys with the prefix, as they are at `revision`: keys known before and not among them are
    // gone. Called first, and again when changes were missed.
    void (*all)(void *context, store_entries *entries, int64_t revision);
    // A key changed; without a value: it was removed.
    void (*changed)(void *context, const store_entry *entry);
    // Changes do not arrive for now: once for each outage. NULL: nobody asks.
    void (*interrupted)(void *context, const char *why);
} store_watcher;

// Checks a list of endpoints. Errors: STATUS_INVALID_ARGUMENT names the endpoint.
status store_check_endpoints(const char *endpoints, error *err);

// The options' texts are copied, tls' must outlive the store. Does not connect yet. Errors: those
// of store_check_endpoints; STATUS_INTERNAL.
status store_open(uv_loop_t *loop, const store_options *options, store **out, error *err);

// Why the last try at an endpoint failed, long before the store gives a request up; "": it did not
// fail.
const char *store_trouble(const store *s);

// Drops all requests and watches without calling back; then `closed`, when the store is freed.
void store_close(store *s, void (*closed)(void *context), void *context);

// Errors of all: STATUS_LIMIT_EXCEEDED (STORE_REQUESTS_MAX); then `done` is not called.
status store_get(store *s, const char *prefix, store_done done, void *context, error *err);
// Keys and values are copied. STATUS_INVALID_ARGUMENT: more than ETCD_OPS_MAX operations or
// ETCD_REQUEST_MAX bytes.
status store_transact(store *s, const store_op *ops, uint32_t count, store_done done, void *context,
                      error *err);
status store_lease_grant(store *s, int64_t ttl_s, store_done done, void *context, error *err);
// STATUS_NOT_FOUND in the answer: the lease has expired, and its keys are gone.
status store_lease_keep(store *s, int64_t lease, store_done done, void *context, error *err);
status store_lease_revoke(store *s, int64_t lease, store_done done, void *context, error *err);

store_watch *store_watch_open(store *s, const char *prefix, const store_watcher *watcher);
void store_watch_close(store_watch *w);

#endif
