// A client for tests of the server: a socket, and messages as JSON text (see proto/wire/json.h).
//
// Anything that does not come as expected fails the test. Objects that are returned live until
// client_close.
#ifndef CAROM_TESTS_SUPPORT_CLIENT_H
#define CAROM_TESTS_SUPPORT_CLIENT_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/object.h"

enum { CLIENT_WAIT_MS = 20000 }; // for what has to come; sanitizers are slow on a busy machine

typedef struct client_message {
    msgpack_unpacked unpacked;
    void *bytes;
    bool taken;
    struct client_message *next;
} client_message;

typedef struct client {
    int fd;
    uint32_t next_id;
    bool ended;    // the server has closed, or reset
    uint8_t *data; // received and not yet whole
    size_t size, capacity;
    client_message *first, **last; // in the order in which they came
} client;

void client_open(client *c, uint16_t port);
void client_close(client *c);

// ---- bytes

// All of it; what cannot be sent because the server has closed is dropped.
void client_send(client *c, const void *bytes, size_t size);
// One MessagePack value, written as JSON; printf's formats are filled in.
void client_send_json(client *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Sends no more, but still reads.
void client_end_output(client *c);

// Reads what has come for up to so long; 0 takes only what is there. False when nothing came.
bool client_receive(client *c, int timeout_ms);

// ---- calls. `arguments` is a JSON map, with printf's formats.

// Sends a request and returns its id.
uint32_t client_request(client *c, const char *method, const char *arguments, ...)
    __attribute__((format(printf, 3, 4)));
void client_notify(client *c, const char *method, const char *arguments, ...)
    __attribute__((format(printf, 3, 4)));

// The response [1, id, error, result] to the request; waits for it.
const msgpack_object *client_response(client *c, uint32_t id);
// Its result, which must not be an error.
const msgpack_object *client_result(client *c, uint32_t id);
// Its error, which it must be.
const char *client_error(client *c, uint32_t id);

// Request and result, request and error.
const msgpack_object *client_call(client *c, const char *method, const char *arguments, ...)
    __attribute__((format(printf, 3, 4)));
const char *client_call_error(client *c, const char *method, const char *arguments, ...)
    __attribute__((format(printf, 3, 4)));

// ---- notifications

// The argument map of the next notification of this method; NULL if none comes within the time.
const msgpack_object *client_notification(client *c, const char *method, int timeout_ms);
// The next snapshot; it has to come.
const msgpack_object *client_snapshot(client *c);

// Reads until the server has closed; returns the reason of its `closing` notification, "" where
// there was none. Fails the test if it does not close.
const char *client_closed(client *c);

#endif
