// What goes between the network thread and a simulation thread: requests one way, reports the
// other.
//
// Each is a heap block that whoever takes it from the queue owns and frees. For every request
// exactly one answer comes back, also where the client wants none: it gives back the room that the
// request took in the world's and the connection's allowance. Reports of a world come in the order
// of what they tell: a subscription's first snapshot after the answer that names it, its last
// before the answer that ends it.
#ifndef CAROM_SERVER_WORLD_MAIL_H
#define CAROM_SERVER_WORLD_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "proto/commands/command.h"
#include "server/bytes.h"
#include "server/world/queue.h"

// A session as worlds know it: a place in the session table, and a number that is never used again.
typedef struct session_key {
    uint32_t slot;
    uint64_t number;
} session_key;

// Where an answer goes. Requests of the server's own have session number 0.
typedef struct reply_address {
    session_key session;
    uint64_t token; // the sender's own, as is `context`; they come back as they are
    void *context;
    uint32_t id;     // of the request on the wire
    bool answerable; // false: a notification
} reply_address;

typedef enum request_kind {
    REQUEST_COMMAND,     // `command`, to the world `world`
    REQUEST_ADOPT,       // take over `physics` as the new world `world`
    REQUEST_ACKNOWLEDGE, // the last snapshot of `subscription` was written out; no answer
    REQUEST_FORGET,      // the session's subscriptions in the world end; no answer
    REQUEST_STOP         // the thread ends; the last request it takes
} request_kind;

typedef struct request {
    queue_node node; // first
    request_kind kind;
    uint64_t world; // number of the world
    reply_address reply;
    int64_t received_ns;    // when it came in, on the monotonic clock
    uint64_t subscription;  // number for world.subscribe, or whose snapshot was written
    command command;        // owned
    physics_world *physics; // REQUEST_ADOPT: owned
} request;

typedef enum report_kind {
    REPORT_ANSWER,   // to `reply`: `status`, and `payload` or `text`
    REPORT_SNAPSHOT, // `payload` then `tail`, for `subscription`
    REPORT_CLOSED,   // `subscription` has ended because its world did
    REPORT_OVERRUN,  // `subscription` has ended because it was too far behind: close the session
    REPORT_STOPPED   // the thread's last
} report_kind;

enum {
    REPORT_INLINE_MAX = 96
}; // most results are {tick}, and a snapshot's head is some forty bytes

typedef struct report {
    queue_node node; // first
    report_kind kind;
    method method;
    status status;
    uint64_t world;
    reply_address reply;
    int64_t received_ns;
    uint64_t subscription;
    uint8_t small_size;
    uint8_t small[REPORT_INLINE_MAX]; // the result or the snapshot's head, where it fits
    shared_bytes *payload;            // owned; else, where it does not. NULL: it is in `small`
    shared_bytes *tail;               // owned; of a snapshot
    char *text;                       // owned; what an error says, or why a subscription ended
} report;

request *request_create(request_kind kind, uint64_t world);
void request_free(request *r); // with all that it still owns; NULL is allowed

report *report_create(report_kind kind, uint64_t world);
void report_free(report *r);

// The bytes of the result or head.
const uint8_t *report_payload(const report *r, size_t *size);

#endif
