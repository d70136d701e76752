// A connection of this server to another one, as its client: bytes to whole messages, over TLS or
// plain.
//
// One uplink is one connection: it resolves the name, connects to one of its addresses after the
// other until one answers, and ends once, by either side or by an error; its owner then dials
// another one. Bounded: a message has WIRE_REPLY_BYTES_MAX, as for
// every client, and UPLINK_UNSENT_BYTES_MAX may wait for the socket.
//
// Network thread only.
#ifndef CAROM_SERVER_SESSION_RELAY_UPLINK_H
#define CAROM_SERVER_SESSION_RELAY_UPLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "proto/wire/buffer.h"
#include "server/net/tls_trust.h"

enum { UPLINK_UNSENT_BYTES_MAX = 4 << 20 }; // requests for worlds are some hundred bytes each

typedef struct uplink uplink;

typedef struct uplink_handler {
    void *context;
    void (*up)(void *context); // connected, and the server's certificate is taken
    void (*message)(void *context, const uint8_t *bytes, size_t size); // a whole one
    void (*ended)(void *context, const char *why); // once, unless uplink_end() ended it
    void (*freed)(void *context);                  // once, the last call
} uplink_handler;

// Begins to connect to HOST:PORT (or [HOST]:PORT), which was checked. `tls` NULL: plain; otherwise
// it must outlive the uplink. `first`: which of the name's addresses is tried first, modulo their
// number, so that one that does not answer is not the only one tried in time.
uplink *uplink_dial(uv_loop_t *loop, const char *address, const tls_trust *tls, uint32_t first,
                    const uplink_handler *handler);
// Sends the bytes of the buffer, which is then empty. A link that has ended ignores them.
void uplink_send(uplink *u, buffer *bytes);
// Whether a byte came, or the connection was made, since the last call.
bool uplink_was_heard(uplink *u);
// Ends it: no handler but `freed` is called from then on. May be called from `message`.
void uplink_end(uplink *u);

#endif
