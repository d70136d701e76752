// The server's sockets: one listener, its connections, and the timer that finds silent ones.
//
// This layer moves bytes and does not know their meaning. It reports every event to the handler,
// with the value that the handler's `opened` returned. A connection's memory belongs to the network
// and lives until `closed` has returned: from the moment a connection begins to close, sending to
// it does nothing, so that the handler need not check. Network thread (that of the loop) only.
//
// How a connection ends. Closing it cleanly matters: a socket that is closed with unread input
// makes the kernel reset the connection, and the peer may never see the last bytes, which say why.
// So the queued output is written, then a FIN is sent, then input is read and discarded until the
// peer closes too; all of it within close_ms, without the time in which the loop was blocked. With
// ENDING_CUT and ENDING_LINGER only an output that has not moved for stall_ms ends the wait (a peer
// that reads slowly still gets it all), unless the network is being closed.
#ifndef CAROM_SERVER_NET_NETWORK_H
#define CAROM_SERVER_NET_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/base/limits.h"
#include "server/base/bytes.h"
#include "server/net/io_threads.h"
#include "server/net/loop_turn.h"
#include "server/net/proxy_peers.h"
#include "server/net/tls.h"

typedef struct network network;
typedef struct connection connection;

#define CONNECTION_STALLED "stall_ms: it takes no output, closed" // for the log

typedef struct network_handler {
    void *context;
    // Called when a peer has connected. The returned value is the `peer` of the other calls; NULL,
    // after connection_close, rejects the connection and there are no other calls.
    void *(*opened)(void *context, connection *c);
    void (*received)(void *peer, const uint8_t *data, size_t size);
    // The peer will send no more, but may still read.
    void (*ended)(void *peer);
    // Called when the block that was sent with this token has left. The handler must not send or
    // close here.
    void (*written)(void *peer, uint64_t token);
    // Called once a round of the loop, before queued output is written; may be NULL.
    void (*worked)(void *context);
    // Called once a round of the loop, after queued output was written as far as sockets accept it.
    void (*flushed)(void *context);
    // Called every NETWORK_SWEEP_MS for each connection.
    void (*swept)(void *peer, uint64_t now_ms);
    // An open connection took no output for stall_ms: it is counted, and ends now. The handler logs
    // it; it must not send or close here.
    void (*stalled)(void *peer);
    // Called when the connection has ended, for any reason.
    void (*closed)(void *peer);
    // Called after network_close, when the loop has no handle of the network any more.
    void (*finished)(void *context);
} network_handler;

enum { NETWORK_SWEEP_MS = 50 }; // half the shortest of the times that can be set

enum { NETWORK_LISTENERS_MAX = 8 }; // addresses of one name

// Descriptors of listening sockets.
typedef struct listen_sockets {
    int count;
    int fd[NETWORK_LISTENERS_MAX];
} listen_sockets;

// Binds and listens on each address of the host, as localhost has 127.0.0.1 and ::1, with the same
// port; or continues with `given`, which are the network's from now on (count 0: none), whatever
// host and port are. An address of a family that this machine does not have is passed over.
// `bounds` must outlive the network. Errors: STATUS_INVALID_ARGUMENT for a host that has no
// address, STATUS_UNAVAILABLE where an address cannot be listened on, with the reason. Nothing is
// left in the loop on failure, once it has been run.
status network_open(uv_loop_t *loop, const char *host, uint16_t port, const listen_sockets *given,
                    const limits *bounds, const network_handler *handler, network **out,
                    error *err);

// The descriptors that listen; the network closes them.
listen_sockets network_descriptors(const network *n);

// Secures all connections by TLS; to be called before the first comes. `answer` is sent
// unencrypted, as its last bytes, to a peer that sends plain bytes. Both must outlive the network.
void network_secure(network *n, const tls_files *files, const void *answer, size_t size);

// Lets these threads read and write the connections' sockets; to be called before the first comes.
// They must outlive the network.
void network_relay(network *n, io_threads *io);

// Connections from these peers begin with a PROXY header (proxy_header.h), which says where they
// come from; to be called before the first comes. They must outlive the network.
void network_trust(network *n, const proxy_peers *proxies);

// Makes the loop begin its next turn without waiting, because something is left to do.
void network_go_on(network *n);

// Makes the network use `shared` as its turn, with other networks of the loop; its owner ends each
// turn. It must outlive the network.
void network_share_turn(network *n, loop_turn *shared);

// Opens a network without a listener, for the connections of io_threads.h. I/O thread.
network *network_open_bare(uv_loop_t *loop, const limits *bounds, const network_handler *handler);

// "127.0.0.1:22766", with the port that the system chose; from 0 on, NULL past the last.
const char *network_address(const network *n, int index);

// Whether only this machine can reach those addresses.
bool network_is_local(const network *n);
// Whether a numeric address is a loopback address, with a port ("127.0.0.1:22766", "[::1]:22766")
// or without.
bool network_address_is_local(const char *address);

// Accepts no more connections; calls `finished` when the existing ones have ended (the caller
// closes them). The network may be freed within `finished`.
void network_close(network *n);
void network_free(network *n);

// ---- connections

enum {
    FRAME_HEAD_MAX = 16,
    FRAME_END_MAX = 160,
    CONNECTION_NAME_BYTES = 64,
    NETWORK_GREETINGS_MAX = 1024 // connections of proxies that wait for their header
};

// Marks where messages begin and end on a connection whose bytes alone do not show it (a
// WebSocket). The caller owns `context`, which must outlive the connection.
typedef struct connection_framing {
    // Writes the bytes that precede a message of `size` bytes; returns their number, at most
    // FRAME_HEAD_MAX.
    size_t (*head)(void *context, size_t size, uint8_t *out);
    // Writes the bytes that end the connection; returns their number, at most FRAME_END_MAX.
    size_t (*end)(void *context, status why, const char *text, uint8_t *out);
} connection_framing;

// From here on every message of connection_send, and the farewell, is framed. NULL: framing ends.
void connection_frame(connection *c, const connection_framing *framing, void *context);
bool connection_framed(const connection *c);

// Queues bytes without framing; otherwise like connection_send().
bool connection_send_raw(connection *c, const void *bytes, size_t size, shared_bytes *tail,
                         uint64_t token);

// Whether the connection still accepts messages: connection_close was not called, and the peer was
// not lost.
bool connection_is_open(const connection *c);

// The peer's address (of IPv6 the first 64 bits) as a number below 2^62, the same for all of its
// connections.
uint64_t connection_address(const connection *c);
// Sets the subject that the connection counts for when a turn is shared (loop_turn.h); at first it
// is the address.
void connection_deal(connection *c, uint64_t subject);

// "127.0.0.1:40404", "[2001:db8::1]:40404"; for a connection of a trusted proxy, the address in its
// header
const char *connection_peer_name(const connection *c);

// Queues a message: a copy of `head` (may be empty), then `tail` (may be NULL), whose reference is
// taken over in any case. `written` is called with `token` (0: not at all) once the tail is sent.
// False if this would exceed limits.output_bytes; then nothing was queued.
bool connection_send(connection *c, const void *head, size_t head_size, shared_bytes *tail,
                     uint64_t token);

// As connection_send, but writes at once if nothing waits before it: for one message to many
// connections, each of which is then visited only once. May call `written` before it returns.
bool connection_send_now(connection *c, const void *head, size_t head_size, shared_bytes *tail,
                         uint64_t token);

typedef struct connection_traffic {
    uint64_t received_bytes, sent_bytes; // read from, and passed to, the kernel
    uint64_t queued_bytes;               // not passed to the kernel yet
    uint64_t queued_ms;                  // since when bytes have been queued without a break
} connection_traffic;

connection_traffic connection_traffic_now(const connection *c);

// Whether the peer is to be read from; begins as true.
void connection_read(connection *c, bool wanted);
// Whether connection_read last wanted it.
bool connection_is_read(const connection *c);

typedef enum connection_ending {
    ENDING_FLUSH, // the queued output is still sent
    ENDING_CUT,   // for a peer that does not read its output: only the write in progress is
                  // finished, as long as it advances
    ENDING_NOW,   // sends only the bytes that the kernel accepts at once, and does not wait
    ENDING_LINGER // like FLUSH, as long as output advances: the peer has ended cleanly
} connection_ending;

// Sends `farewell` (may be empty) as the last and closes. No `received` comes after it. `why` and
// `text` (STATUS_OK and "" for an orderly end) are for framings that contain a reason too.
void connection_close(connection *c, connection_ending ending, status why, const char *text,
                      const void *farewell, size_t size);

#endif
