// Inside of a client: one struct, and one file for each concern that works on it.
//
//   connection.c  its life: connecting, bytes in and out, waiting, closing
//   requests.c    what awaits an answer
//   dispatch.c    what to do with a message
//   watch.c       views that are attached
//   send.c        messages out: notifications, requests, calls
//   client.c      the other public functions, which come down to these
//
// Invariants
//  - `fd` is open exactly while the state is not CAROM_CLOSED; closing happens once, in
//    connection_close, which calls every callback that is owed.
//  - Callbacks run only between client_enter and client_leave, with `in_callback` > 0, and may
//    close or free the client: after each one, `state` is looked at again. Memory goes in
//    client_leave.
//  - `out` holds bytes from `out_sent` on that are still to be written; `in` holds the bytes from
//    `in_begin` on of messages not dealt with, of which the scanner has seen those up to
//    `in_scanned`.
#ifndef CAROM_CLIENT_LIB_CONNECTION_H
#define CAROM_CLIENT_LIB_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/view.h>

#include "client/lib/address.h"
#include "client/lib/fault.h"
#include "client/lib/id_map.h"
#include "client/lib/snapshot_decode.h"
#include "common/base/array.h"
#include "proto/wire/buffer.h"
#include "proto/wire/scanner.h"

enum {
    METHOD_SHOWN_MAX = 32, // bytes of a method's name in an error text
    WHERE_MAX = 96         // bytes of "host:port" in one
};

typedef struct pending_request {
    uint32_t id;
    int timeout_ms;
    int64_t deadline_ns;
    carom_response_fn fn; // NULL: the answer is kept until it is taken
    void *user;
    bool done; // of a kept one: the answer is there
    carom_status outcome;
    carom_value *result;
    carom_error error;
    char method[METHOD_SHOWN_MAX];
} pending_request;

typedef struct request_table {
    ARRAY(pending_request) entries;
    id_map places;
    uint32_t last_id;
    uint32_t waiting;         // of the entries, those that are not done
    int64_t next_deadline_ns; // none is earlier; INT64_MAX when none waits
} request_table;

typedef struct attached_view {
    uint64_t subscription;
    carom_view *view;
    bool adopted; // made by the client, for a subscription whose answer is still to come
} attached_view;

struct carom_client {
    carom_state state;
    int fd;
    bool connected; // the socket is; the state is CAROM_OPEN once hello is answered, too
    carom_handlers handlers;
    carom_options options; // its texts are not kept

    // connecting
    char where[WHERE_MAX]; // for error texts
    address_list addresses;
    int address; // the one that is being tried
    int64_t connect_deadline_ns, address_deadline_ns;
    uint64_t hello_request; // 0: none awaited
    carom_value *hello;

    // bytes
    buffer out;
    size_t out_sent;
    bool held;
    int write_failure; // errno; what has arrived is still read
    uint8_t *in;
    size_t in_begin, in_scanned, in_end, in_capacity;
    scanner scan;

    request_table requests;
    snapshot_decoder decoder;
    ARRAY(attached_view) views;
    const carom_view *watching; // carom_watch waits for its answer: snapshots of unknown
                                // subscriptions are kept in adopted views

    int entered, in_callback;
    bool doomed; // to be freed when the outermost function leaves
    carom_traffic traffic;

    // the end
    bool told; // the server said why it is about to close: in close_code and close_text
    carom_status close_code;
    char close_text[CAROM_ERROR_TEXT_MAX];
};

int64_t monotonic_ns(void);
int64_t deadline_after_ms(int timeout_ms); // INT64_MAX for a negative one

// ---- connection.c

// Begins with the first address that can be tried; closes the connection when there is none.
void connection_begin(carom_client *c);

// Writes and reads what can be without waiting, and deals with it. True if something of interest
// to the caller happened: a message, an expired request, a change of state.
bool connection_pump(carom_client *c);

// Waits for the socket, the next deadline of a request, or `deadline_ns`.
void connection_wait(carom_client *c, int64_t deadline_ns);

void connection_write(carom_client *c);
void connection_opened(carom_client *c);
void connection_close(carom_client *c, carom_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The error that functions answer on a closed connection.
carom_status connection_fault(const carom_client *c, carom_error *err);

// ---- client.c and send.c

void client_enter(carom_client *c);
// True if the client is gone.
bool client_leave(carom_client *c);

// Puts a message into the output buffer: [0, id, method, [args]], or [2, method, [args]] with `id`
// 0. Instead of `args`, `encoded` may hold the arguments as MessagePack.
typedef struct outgoing {
    const char *method;
    const carom_value *args;
    const buffer *encoded;
} outgoing;

// Whether a function may wait now: not in a callback.
carom_status client_may_wait(const carom_client *c, carom_error *err);
carom_status client_append(carom_client *c, uint32_t id, const outgoing *message, carom_error *err);
carom_status client_request(carom_client *c, const outgoing *message, int timeout_ms,
                            carom_response_fn fn, void *user, uint64_t *request, carom_error *err);
carom_status client_call(carom_client *c, const outgoing *message, int timeout_ms,
                         carom_value **result, carom_error *err);

// ---- requests.c

void requests_deinit(request_table *t);
// A new entry with an id that is not in use. Valid until the table changes.
pending_request *requests_add(request_table *t, int64_t deadline_ns, int timeout_ms);
pending_request *requests_find(request_table *t, uint64_t id);
void requests_remove(request_table *t, uint64_t id);
// Gives the request its end: `result` (taken over) or, if that is NULL, `err`.
void requests_complete(carom_client *c, uint64_t id, carom_value *result, const carom_error *err);
// Ends what is past its deadline; true if there was any.
bool requests_expire(carom_client *c, int64_t now_ns);
// Ends all that wait.
void requests_fail_all(carom_client *c, const carom_error *err);

// ---- dispatch.c

// Deals with one whole message that the scanner has passed.
void dispatch_message(carom_client *c, const uint8_t *bytes, size_t size);

// ---- watch.c

void watch_apply(carom_client *c, const carom_snapshot *snapshot);
void watch_end(carom_client *c, uint64_t subscription); // the subscription is no more
void watch_end_all(carom_client *c);

#endif
