// Requests that await an answer, and answers that await carom_take. The table makes no callbacks:
// it returns entries that have ended, and its owner calls the entry's function.
//
// Invariants: `waiting` counts the entries that are not done; none of them has a deadline before
// `next_deadline_ns`. An id is not used again while its entry is there. One thread at a time.
#ifndef CAROM_CLIENT_LIB_REQUESTS_H
#define CAROM_CLIENT_LIB_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/client.h>

#include "client/lib/id_map.h"
#include "common/base/vector.h"
#include "proto/limits.h"

enum { METHOD_SHOWN_MAX = 32 }; // bytes of a method's name in an error text

typedef struct pending_request {
    uint32_t id;
    int timeout_ms;
    int64_t deadline_ns;
    carom_response_fn fn; // NULL: the answer is kept until the caller fetches it
    void *user;
    bool done; // the answer is here and kept for the caller
    carom_status outcome;
    carom_value *result;
    carom_error error;
    char method[METHOD_SHOWN_MAX];
    // The fields below are for sending it again on another connection, if that is allowed.
    char world[WIRE_WORLD_NAME_MAX + 1]; // "" if it names none
    uint64_t epoch;    // the world's epoch when it was sent; 0: unknown, or named in the request
    bool names_epoch;  // the message names the epoch
    carom_value *args; // kept for methods whose arguments are needed later; owned
    size_t args_at;    // index of its arguments in the message
    bool waits;        // it waits until another server has answered earlier requests for the world
    uint8_t hops;      // servers that have answered it with `moved`
    uint32_t seen;     // bits of the servers that were asked
    int64_t due_ns;    // when it is to be sent; 0: it is not waiting
    bool sent;         // it was sent over the current or the last connection
    bool doubtful;     // it was sent again, as a server that resumed the session did not apply it
    uint8_t *bytes;    // the message; NULL: it is not kept
    size_t size;
} pending_request;

typedef struct request_table {
    VECTOR(pending_request) entries;
    id_map places;
    uint32_t last_id;
    uint32_t waiting;
    size_t kept_bytes;        // bytes of the kept messages of all entries
    int64_t next_deadline_ns; // INT64_MAX when none waits
} request_table;

void requests_init(request_table *t);
void requests_deinit(request_table *t);

// Adds an entry with a new id. The pointer is valid until the table changes; NULL when memory has
// run out.
pending_request *requests_add(request_table *t, int timeout_ms);
pending_request *requests_find(request_table *t, uint64_t id);
void requests_remove(request_table *t, uint64_t id);

// The numbers of all waiting requests, in the order in which they were made; the caller frees the
// list with vector_free. False when memory has run out.
typedef VECTOR(uint32_t) request_ids;
bool requests_list(const request_table *t, request_ids *out);

// Moves a request to another table, with its number. NULL when memory has run out.
pending_request *requests_move(request_table *from, request_table *to, uint32_t id);

// The bytes of all kept messages; and: records that `entry` keeps a message of `size` bytes.
size_t requests_bytes(const request_table *t);
void requests_note_bytes(request_table *t, pending_request *entry, size_t size);

// Ends a waiting request with `result` (taken over) or, if that is NULL, with `err`. True when the
// entry has a function to call: the entry is then removed, and `*ended` is a copy of it, with the
// result in ended->result. A request that is not waiting is ignored.
bool requests_end(request_table *t, uint64_t id, carom_value *result, const carom_error *err,
                  pending_request *ended);

// Walks over the requests that are past their deadline; callbacks may change the table at will in
// between: begin with *cursor 0 and call until it returns 0. Returns an id.
uint32_t requests_next_expired(request_table *t, int64_t now_ns, uint32_t *cursor);
// Walks over all waiting requests, while none is added: begin with *cursor UINT32_MAX.
uint32_t requests_next_waiting(const request_table *t, uint32_t *cursor);
// Ends a walk over expired requests: computes the next deadline.
void requests_note_deadline(request_table *t);

#endif
