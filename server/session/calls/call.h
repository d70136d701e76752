// A message becomes a call: it is looked up, checked, and carried out or sent to its world. Network
// thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_CALL_H
#define CAROM_SERVER_SESSION_CALLS_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proto/encode/encode.h"
#include "proto/wire/rpc.h"
#include "server/session/calls/decoding.h"
#include "server/session/session.h"

// One call of a client, while it is handled.
typedef struct call {
    session *session;
    bool answerable;
    uint32_t id;
    size_t size; // bytes of its message
    int64_t received_ns;
    const msgpack_object *params; // parameters in its message
    // The message with its arguments decoded by another thread; NULL: not decoded
    decoding *aside;
} call;

// Answers a hello; `resumed` is NULL for a new session.
void call_answer_hello(session *s, bool answerable, uint32_t id, uint32_t protocol,
                       const resumed_result *resumed);
// `aside`: the message decoded by another thread, whose content is taken over; NULL: not decoded
// yet.
void call_handle(session *s, const rpc_message *message, size_t size, decoding *aside);
void call_fail(const call *c, const error *err);

#endif
