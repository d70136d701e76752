// Connections between the servers of a fleet: to hand worlds over, and for pairs.
//
// TLS 1.3 with a key that all servers of the fleet share (--fleet-secret; RFC 8446, external PSK
// with a fresh Diffie-Hellman exchange): who does not have it gets no byte further. Then both say
// who they are, and exchange messages of a kind (chosen by the owner, from 1 on) and some bytes.
//
// A link is dialled by the server that needs it, and ends once: by either side, by an error, or by
// silence. Each side says something every PEER_BEAT_MS, and counts its own beats without a word
// from the other: a count instead of a clock, so that a process that did not run for a while first
// reads what came meanwhile. A link that has ended is not dialled again here: its owner decides.
//
// Bounded: the messages that wait for the socket (peer_send refuses more), a message, the links.
// Loop thread only. No handler is called from within a function here, except `ended`, from
// peer_send never.
#ifndef CAROM_SERVER_FLEET_PEER_H
#define CAROM_SERVER_FLEET_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/fleet/records.h"

enum {
    PEER_SECRET_BYTES_MIN = 32, // length of --fleet-secret: a key, not a word
    PEER_SECRET_BYTES_MAX = 4096,
    PEER_MESSAGE_BYTES_MAX = 17 << 20, // a record of a world's log (16 MiB) and what goes with it
    PEER_UNSENT_BYTES_MAX = 64 << 20,  // bytes that wait for the socket of a link
    PEER_UNSENT_BYTES_LOW = 1 << 20,   // below, `drained` is called
    PEER_LINKS_MAX = 8192,
    PEER_STRANGERS_MAX = 256, // accepted connections that have not greeted; beyond, the oldest ends
    PEER_BEAT_MS = 16,
    PEER_SILENT_BEATS_MAX = 15, // 250 ms
    PEER_GREETING_BEATS_MAX = 300
};

typedef struct peers peers;
typedef struct peer_link peer_link;

typedef struct peer_handler {
    void *context;
    // The other side has the secret, and says that it is the server `peer_link_node`.
    void (*up)(void *context, peer_link *link);
    void (*received)(void *context, peer_link *link, uint8_t kind, const uint8_t *bytes,
                     size_t size);
    // Fewer than PEER_UNSENT_BYTES_LOW wait again.
    void (*drained)(void *context, peer_link *link);
    // Once for each link that was up or was dialled, unless peer_close ended it: the link is not
    // to be used any more.
    void (*ended)(void *context, peer_link *link, const char *why);
} peer_handler;

typedef struct peer_options {
    const char *host;  // where it listens
    uint16_t port;     // 0: the system chooses
    const char *node;  // this server's name
    const char *fleet; // the fleet's prefix: servers of different fleets refuse each other
    const uint8_t *secret;
    size_t secret_size;
} peer_options;

// Reads a secret of a file: PEER_SECRET_BYTES_MIN to _MAX bytes, without the line end behind them.
// The caller frees `out`. Errors: STATUS_UNAVAILABLE or STATUS_INVALID_ARGUMENT; they name the
// path.
status peer_read_secret(const char *path, uint8_t **out, size_t *size, error *err);

// Takes the address, so that it is known; nobody is answered there until peers_begin(). The texts
// must outlive the peers. Errors: STATUS_UNAVAILABLE: the address cannot be listened on.
status peers_open(uv_loop_t *loop, const peer_options *options, peers **out, error *err);

// Begins to listen. Errors: as of peers_open; then only peers_close() may follow.
status peers_begin(peers *p, const peer_handler *handler, error *err);
// Whether peers_begin() was called.
bool peers_begun(const peers *p);

// HOST:PORT where it listens.
const char *peers_address(const peers *p);

// Ends all links, without `ended`; then `closed`, when the peers are freed.
void peers_close(peers *p, void (*closed)(void *context), void *context);

// Begins to connect to the server `node` at HOST:PORT. NULL: PEER_LINKS_MAX are there. Otherwise
// `up` or `ended` follows.
peer_link *peers_dial(peers *p, const char *node, const char *address, void *owner);

// Name of the server at the other side; of a dialled link from the beginning.
const char *peer_link_node(const peer_link *link);
bool peer_link_dialled(const peer_link *link);
// The owner's pointer; NULL at first for a link that the other side dialled.
void *peer_link_owner(const peer_link *link);
void peer_link_own(peer_link *link, void *owner);

// Sends a message of two parts, which are copied. False: the link is not up, or too much waits; a
// link whose queue is full must be closed. Sizes: PEER_MESSAGE_BYTES_MAX in all.
bool peer_send(peer_link *link, uint8_t kind, const void *head, size_t head_size, const void *body,
               size_t body_size);
size_t peer_unsent(const peer_link *link);

// Ends the link; `ended` is not called. `why` is logged at debug level.
void peer_close(peer_link *link, const char *why);

#endif
