// Large messages are decoded by a thread of the loop's pool: one with 4 000 polygons takes 20 ms,
// during which all others would wait. Its session waits meanwhile, so its calls stay in order.
//
// One is decoded at a time; the next one is that whose subject has used least of the decoding
// thread (schedule/shares.h). The network thread uses the session before and after; the pool's
// thread sees only the bytes and its own results.
#ifndef CAROM_SERVER_SESSION_CALLS_DECODING_H
#define CAROM_SERVER_SESSION_CALLS_DECODING_H

#include <uv.h>

#include "common/base/array.h"
#include "common/world/command.h"
#include "proto/methods.h"
#include "proto/wire/rpc.h"
#include "server/schedule/shares.h"
#include "server/world/message/messages.h"

struct server;
struct session;

// A message that another thread decodes (aside).
typedef struct decoding {
    uv_work_t work; // first
    struct server *server;
    session_key from;
    share *of;
    role role;                       // role of the session
    char owner[OWNER_BYTES_MAX + 1]; // subject of the session, "" without one
    uint8_t *bytes;                  // owned
    size_t size, capacity;           // bytes of the message, and of its memory
    int64_t took_ns;
    // The result. The caller takes over `command` if `decoded` is STATUS_OK.
    rpc_verdict verdict;
    rpc_message message; // valid if the verdict is RPC_GOOD
    status decoded;
    command command;
    uint8_t *arguments; // owned: canonical, of a command that changes a world
    size_t arguments_size;
    error err; // error of `verdict` or of `decoded`
} decoding;

typedef struct decodings {
    ARRAY(decoding *) waiting; // at most one for each session
    bool busy;                 // a message is being decoded
    shares shares;
} decodings;

// Whether a message of that size and number of values is decoded aside.
bool decoding_wanted(size_t size, uint32_t values);
// Begins with the message, which the session's input has just given, and whose memory it takes if
// nothing else is in it; session_decoded is called with the result, unless the
// session has ended, or continues over another connection, by then.
void decoding_begin(struct session *s, const uint8_t *bytes, size_t size);
// The session continues without the message, if there is one: it is dropped, or its result is.
void decoding_forget(struct session *s);
// No decoding may be in progress.
void decodings_deinit(decodings *d);

#endif
