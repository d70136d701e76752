// MessagePack-RPC envelopes: requests [0, id, method, params], responses [1, id, error, result],
// notifications [2, method, params].
//
// Reading takes one whole message from the scanner. There are three outcomes, because a peer that
// speaks MessagePack-RPC and sent a wrong argument deserves an answer, while the rest of another
// protocol's stream cannot be understood.
//
// Any thread.
#ifndef CAROM_PROTO_WIRE_RPC_H
#define CAROM_PROTO_WIRE_RPC_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"

typedef enum rpc_kind { RPC_REQUEST = 0, RPC_RESPONSE = 1, RPC_NOTIFICATION = 2 } rpc_kind;

typedef struct rpc_message {
    rpc_kind kind;
    bool answerable;    // a request whose id is known: a response with `id` can be sent
    uint32_t id;        // id of a request or response
    const char *method; // name in a request or notification; not zero-terminated, points into the
                        // bytes
    uint32_t method_size;
    msgpack_object params;     // arguments of a request or notification: always a map
    msgpack_object error;      // error of a response: nil, or the peer's value
    msgpack_object result;     // result of a response
    msgpack_unpacked unpacked; // owns the objects; their strings point into the bytes
} rpc_message;

typedef enum rpc_verdict {
    RPC_GOOD,    // a message; release it with rpc_message_deinit
    RPC_REFUSED, // MessagePack-RPC with wrong contents: answer if answerable, carry on
    RPC_BROKEN   // not MessagePack-RPC: answer if answerable, then close the connection
} rpc_verdict;

// Reads the whole message `bytes`, which a scanner has passed and which must outlive `out`. Strings
// that are not UTF-8, numbers that are not finite and duplicate keys are RPC_REFUSED (see check.h),
// and so are params that are not one map. An empty params array, or an empty array where the map
// should be (an empty Lua table is sent so), is the empty map. On RPC_REFUSED and RPC_BROKEN only
// kind, answerable and id of `out` are valid, and `err` has the answer.
rpc_verdict rpc_decode(const void *bytes, size_t size, rpc_message *out, error *err);

void rpc_message_deinit(rpc_message *message);

// The id of the request that begins with these bytes, even if they are only a part of it; for the
// answer to a message that the scanner refused midway. False if it is no request or the id is not
// complete.
bool rpc_peek_id(const void *bytes, size_t size, uint32_t *id);

// The value of a key, or NULL. `map` must be a map; keys may be str or bin.
const msgpack_object *rpc_map_get(const msgpack_object *map, const char *key);

// Whether a str or bin object equals this text.
bool rpc_text_equals(const msgpack_object *object, const char *text);

// ---- writing: all but rpc_pack_error() leave the packer where exactly one value must follow.

// [0, id, method, [    then the params map
void rpc_pack_request(msgpack_packer *packer, uint32_t id, const char *method);
// [2, method, [        then the params map
void rpc_pack_notification(msgpack_packer *packer, const char *method);
// [1, id, nil,         then the result
void rpc_pack_response(msgpack_packer *packer, uint32_t id);
// [1, id, "code: text", nil], complete
void rpc_pack_error(msgpack_packer *packer, uint32_t id, const error *err);

// A zero-terminated text as str.
void rpc_pack_text(msgpack_packer *packer, const char *text);

// ---- messages for a client

// Parses the error of a response: the status of its code, and the text after it. An error of
// another form becomes STATUS_INTERNAL with the text as sent.
void rpc_parse_error(const msgpack_object *object, error *out);

#endif
