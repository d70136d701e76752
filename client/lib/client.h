// Inside of a client: the struct, and one file for each concern that works on it.
//
//   connection.c  bytes: a socket, messages that are whole message.c     parsing a message
//   requests.c    the requests that await an answer view_list.c   the views that are attached
//   epochs.c      which world of a name is meant follow.c follow_subscriptions.c   worlds that
//   other servers serve resume.c      coming back after the connection was lost pump.c        joins
//   these: fetches messages, ends requests, feeds views, calls the handlers send.c        messages
//   out: notifications, requests, calls client.c      life, and the public functions that only look
//   watch.c       subscriptions
//
// The parts do not know each other and call no callbacks: they return messages to pump.c.
//
// Invariants
//  - The state is CAROM_CLOSED exactly when client_close has run; it calls every callback that is
//    still due, once.
//  - Callbacks run only between client_ref and client_unref, with `in_callback` > 0, and may close
//    or free the client: after each one, `state` is checked again.
//
// One thread at a time.
#ifndef CAROM_CLIENT_LIB_CLIENT_H
#define CAROM_CLIENT_LIB_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>

#include "client/lib/connection.h"
#include "client/lib/epochs.h"
#include "client/lib/fault.h"
#include "client/lib/follow.h"
#include "client/lib/requests.h"
#include "client/lib/resume.h"
#include "client/lib/silence.h"
#include "client/lib/snapshot.h"
#include "client/lib/view_list.h"

struct carom_client {
    carom_client *front; // itself, or the client behind which this one is a link (follow.h)
    uint32_t server_bit; // its server's bit in the lists of servers that a request has been at
    uint32_t kin;        // connections of the same number have the same session
    bool heir;         // is to take its kin's session along, which its server has not answered yet
    world_names homes; // worlds here that the session has done something to
    follow_state follow; // used by the front alone
    seek_state seek;     // while this connection is lost
    standby_state standby;
    carom_state state;
    connection wire;
    request_table requests;
    snapshot_decoder decoder;
    view_list views;
    epoch_table epochs;
    resume_state resume;
    silence silence;
    carom_handlers handlers;
    carom_options options;  // its texts are not kept after the call
    uint64_t hello_request; // 0: none awaited
    carom_value *hello;
    bool held;
    // The caller's reference, and one for each function of the library that is running
    unsigned refs;
    bool freed; // the caller has given its reference back
    int in_callback;
    carom_traffic traffic;
};

// ---- client.c

void client_ref(carom_client *c);
// True if the client is gone.
bool client_unref(carom_client *c);

// The error of functions that are called on a closed connection.
carom_status client_closed_fault(const carom_client *c, carom_error *err);

// Whether a function may wait now: there is a client, and no callback is running.
carom_status client_may_wait(const carom_client *c, carom_error *err);

// Like carom_connect_start; `front`: the client behind which it becomes a link, NULL for none.
carom_status client_start(carom_client *front, const char *host, uint16_t port, int timeout_ms,
                          const carom_options *options, carom_client **out, carom_error *err);

// Writes "host:port" as connections are named.
void client_note_where(char out[WHERE_MAX], const char *host, uint16_t port);

// Sends a hello with these arguments, as the first message on its connection, and records that its
// answer is awaited.
carom_status client_hello(carom_client *c, const carom_value *args, int timeout_ms,
                          carom_error *err);

// Handles the answer to hello.
void client_take_hello(carom_client *c, const carom_value *result, const carom_error *err);

// ---- pump.c

// Writes and reads as much as is possible without waiting, and handles what it read. Returns true
// if something that concerns the caller happened: a message, an expired request, a change of state.
bool client_pump(carom_client *c);

// Waits for the socket, the next deadline of a request, or `deadline_ns`.
void client_wait(carom_client *c, int64_t deadline_ns);

// When the connection has something to do without its socket; INT64_MAX: never.
int64_t client_deadline(const carom_client *c);

// Ends a request with `result` (taken over) or `err`, and calls its callback.
void client_end_request(carom_client *c, uint64_t id, carom_value *result, const carom_error *err);

// Closes the connection with this reason and calls every callback that is owed.
void client_close(carom_client *c, carom_status why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// ---- send.c

// Begins a request without waiting; like carom_request, but also allowed before the connection is
// open.
carom_status client_request(carom_client *c, const char *method, const carom_value *args,
                            int timeout_ms, carom_response_fn fn, void *user, uint64_t *request,
                            carom_error *err);

// As client_request, over the client's own connection, whatever the arguments name.
carom_status client_request_here(carom_client *c, const char *method, const carom_value *args,
                                 int timeout_ms, carom_response_fn fn, void *user,
                                 uint64_t *request, carom_error *err);

// As carom_send, over the client's own connection.
carom_status client_send_here(carom_client *c, const char *method, const carom_value *args,
                              carom_error *err);

// Puts a message that an entry keeps into the output buffer; `epoch` (0: none) is the epoch of its
// world.
carom_status client_send_again(carom_client *c, const pending_request *entry, uint64_t epoch,
                               carom_error *err);

#endif
