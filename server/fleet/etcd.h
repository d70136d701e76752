// The messages of etcd's JSON gateway (etcd 3.4 and later, paths under /v3): requests as text,
// answers as structs. Keys and values are base64, 64-bit numbers are strings, fields that are zero
// are absent. https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/
//
// Readers are strict and take any bytes. Pure functions; any thread.
#ifndef CAROM_SERVER_FLEET_ETCD_H
#define CAROM_SERVER_FLEET_ETCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"

enum {
    ETCD_OPS_MAX = 128,           // in a transaction: etcd's --max-txn-ops
    ETCD_REQUEST_MAX = 1 << 20,   // bytes of keys and values in a transaction; etcd allows 1.5 MiB
    ETCD_ANSWER_MAX = 16 << 20,   // bytes of an answer, and of one line of a watch
    ETCD_PAGE = 1000,             // keys of a range that are read at once
    ETCD_ERROR_CODE_NOT_FOUND = 5 // gRPC's code NOT_FOUND: the lease has expired
};

// A key with its value, as it is at one revision.
typedef struct store_entry {
    char *key; // owned; zero-terminated, though a foreign program's key may contain zeros
    size_t key_size;
    uint8_t *value; // owned; NULL: the key does not exist
    size_t value_size;
    int64_t created;  // revision that made the key
    int64_t modified; // revision of the last change: what a transaction compares
    int64_t lease;    // 0: none
} store_entry;

typedef ARRAY(store_entry) store_entries;

// One operation of a transaction. All operations take effect, or none does.
typedef struct store_op {
    const char *key;
    int64_t modified;  // the key's `modified` that is expected; 0: the key must not exist
    bool any;          // nothing is expected
    const void *value; // NULL: the key is removed
    size_t value_size;
    int64_t lease; // the key ends with it; 0: none
} store_op;

// The content of an answer. Only the fields of its kind are set.
typedef struct etcd_answer {
    uint64_t cluster;  // number of the cluster that answered
    int64_t revision;  // revision of the whole store
    bool succeeded;    // a transaction's comparisons were true
    bool more;         // a range has more keys
    bool created;      // a watch has begun
    bool cancelled;    // a watch has ended
    int64_t compacted; // a watch began before this revision, which is the first one kept; 0: no
    int64_t lease;
    int64_t ttl_s; // time left for a lease; 0: it has expired
    // A range's keys; a failed transaction's keys in order of its operations, those that do not
    // exist with a NULL value; a watch's changes, removals with a NULL value.
    store_entries entries;
} etcd_answer;

void store_entry_free(store_entry *e);
void store_entries_free(store_entries *all);

// Each returns a text that the caller frees. `prefix` has at least one byte. A range begins at
// `from`, so that large ones are read in pages, all of one revision (0: the newest).
char *etcd_range(const char *from, size_t from_size, const char *prefix, int64_t revision);
char *etcd_transaction(const store_op *ops, uint32_t count);
char *etcd_watch(const char *prefix, int64_t start_revision);
char *etcd_lease_grant(int64_t ttl_s);
char *etcd_lease(int64_t lease); // keepalive and revoke

// Read an answer's whole body, or a line of a stream. `out` is released by the caller with
// etcd_answer_deinit after STATUS_OK alone. Errors: STATUS_UNAVAILABLE with a text; `out` is
// untouched.
status etcd_read_range(const char *text, size_t size, etcd_answer *out, error *err);
status etcd_read_transaction(const char *text, size_t size, const store_op *ops, uint32_t count,
                             etcd_answer *out, error *err);
status etcd_read_watch(const char *text, size_t size, etcd_answer *out, error *err);
status etcd_read_lease_grant(const char *text, size_t size, etcd_answer *out, error *err);
status etcd_read_keepalive(const char *text, size_t size, etcd_answer *out, error *err);
status etcd_read_revoke(const char *text, size_t size, etcd_answer *out, error *err);

// The text of an error's body, for people; its gRPC code, or -1 if the body is none of etcd's.
int etcd_read_error(const char *text, size_t size, error *err);

void etcd_answer_deinit(etcd_answer *a);

#endif
