// The structs that listener (network.c) and connection (connection.c) share; private to this room.
// Network thread only.
#ifndef CAROM_SERVER_NET_INTERNAL_H
#define CAROM_SERVER_NET_INTERNAL_H

#include "server/net/loop_turn.h"
#include "server/net/network.h"
#include "server/net/outbox.h"
#include "server/net/relay.h"
#include "server/net/tls.h"
#include "server/schedule/turn_queue.h"

enum {
    READ_BYTES = 16 * 1024,   // of the one buffer that all connections are read into, once a turn
    WRITE_SPANS = 64,         // blocks in one write
    FLUSH_BYTES = 512 * 1024, // of one connection that are written in a row; a socket takes as many
    // Handshakes, new connections and ends are counted too: their time would show too late. A
    // handshake takes about 0.4 ms, a connection 0.05 ms, its end with its session 0.03 ms.
    TURN_HANDSHAKES = 8, // messages of handshakes that one turn reads
    // Sockets with input that a turn has no time for. libuv tells of them again and again, up to 48
    // times in a turn, where there are 1024; those beyond are not asked for until their turn comes:
    // whoever was read in this turn first.
    TURN_REFUSED = 256,
    TURN_REFUSED_ALL = 768,
    TURN_RESUMED = 16, // of these, in one turn
    TURN_ACCEPTS = 64, // connections that one turn takes from the listener
    TURN_ENDS = 32,    // connections that end in one turn
    SWEEP_PIECE = 64   // connections whose times are looked at in a row
};

typedef enum connection_state {
    CONNECTION_OPEN,
    CONNECTION_FLUSHING, // closing: the outbox is being written
    CONNECTION_ENDED,    // FIN sent: waits for the peer's
    CONNECTION_CLOSED    // uv_close was called
} connection_state;

struct connection {
    uv_tcp_t socket; // first, so that a handle is its connection
    relay *relay;    // that has the socket instead; NULL: none
    bool handing;    // and `socket` is being closed here
    bool gone;       // meanwhile connection_gone was called
    const void *plain_answer;
    size_t plain_answer_size;
    uv_write_t write;
    uv_shutdown_t shutdown;
    network *network;
    connection *previous, *next; // of the network's list
    void *peer;                  // NULL: rejected
    connection_state state;
    bool writing; // `write` is in use, for the first `busy` bytes of the outbox
    bool reading; // uv_read_start is in effect, or it is parked
    bool parked;  // its socket is not asked for: there is no time to read it
    connection *parked_before, *parked_next;
    bool read_wanted; // by the handler
    bool input_over;  // the peer has sent its FIN
    bool linger;      // ENDING_LINGER or ENDING_CUT
    bool dirty;       // in the network's list of those to be flushed
    connection *next_dirty;
    connection *next_ending;
    uint64_t address; // as a number
    uint64_t subject; // whom its pieces of a turn count for: its address, or what the handler says
    size_t busy;      // of the outbox: handed to libuv, or sealed
    tls_stream *tls;  // NULL: bytes go as they are
    uint8_t *flying;  // sealed bytes that `write` is writing, owned
    size_t flying_size;
    bool greeted;       // the first byte was one of TLS
    bool shaken;        // the handshake was counted
    turn_job handshake; // waits with input of its handshake (handshakes.c)
    bool sealed_end;    // the end of our direction was sealed
    outbox out;
    const connection_framing *framing; // NULL: messages go as they are
    void *framing_context;
    uint64_t deadline_ms; // of closing
    uint64_t moved_ms;    // when output last moved, or began to wait
    size_t moved_left;    // what was left then
    uint64_t queued_ms;   // when the outbox was last empty and got something
    uint64_t read_turn;   // of the loop, in which it was last read
    uint64_t received_bytes, sent_bytes;
    char name[CONNECTION_NAME_BYTES];
    struct proxy_greeting *greeting; // its PROXY header, until that is whole: it has no peer yet
};

typedef struct listener {
    uv_tcp_t socket; // first, so that a handle is its listener
    network *network;
    bool waits; // a connection waits there for the next turn
    char address[CONNECTION_NAME_BYTES];
} listener;

struct network {
    listener *listeners[NETWORK_LISTENERS_MAX];
    int listener_count;
    bool bare;      // without one: connections come by connection_adopt
    io_threads *io; // that have the sockets; NULL: this thread
    uv_timer_t sweep;
    uv_timer_t more;    // of no length, while something is left for the next turn
    bool goes_on;       // something is
    uv_prepare_t flush; // before the loop waits, what was queued in its round is written
    uv_loop_t *loop;
    const limits *limits;
    network_handler handler;
    connection *first;        // all connections
    connection *first_dirty;  // those with new output, in order
    connection **dirty_end;   // where the next one is hooked in
    connection *first_ending; // those whose socket is closed in one of the next turns, in order
    connection **ending_end;
    connection *swept; // the one at which a sweep goes on; NULL: none is under way
    loop_turn *time;   // of the loop's turn: `own_time`, or one that networks share
    loop_turn own_time;
    uint64_t turn;         // of the loop, from 1
    turn_queue handshakes; // connections with input of their handshakes
    uint32_t turn_refused;
    connection *first_parked, *last_parked; // in order
    uint32_t turn_accepts;
    uint32_t turn_ends;
    uint32_t rejected; // connections without a peer
    int own_handles;   // of listeners, sweep, more and flush, those not yet closed
    bool closing;
    uint64_t complained_ms;     // when it was last logged that accepting failed
    const proxy_peers *proxies; // whose connections begin with a PROXY header; NULL: none
    uint32_t greetings;         // connections that wait for theirs
    const tls_files *tls;       // NULL: connections are not secured
    const void *plain_answer;
    size_t plain_answer_size;
    uint8_t input[READ_BYTES];
    uint8_t opened[READ_BYTES]; // of the input of a secured connection
};

// ---- secured.c: connections whose bytes go through TLS

// Bytes have come from the socket.
void secured_received(connection *c, const uint8_t *data, size_t size);
// One attempt to write, as write_some in connection.c.
bool secured_write(connection *c);
// Whether there is something that can be written now.
bool secured_has_output(const connection *c);
// All output has left, and the connection is closing. True: now its end has to leave too.
bool secured_end(connection *c);
// The write that libuv has gone on with is done.
void secured_written(connection *c);

// ---- handshakes.c: TLS handshakes, a few of them a turn

void handshakes_init(network *n);
void handshakes_deinit(network *n);
// Whether what comes from the socket is part of a handshake.
bool handshakes_concern(const connection *c);
// There is input of such a connection: it waits for its turn.
void handshakes_add(connection *c);
void handshakes_remove(connection *c);
// Reads some of those that wait.
void handshakes_run(network *n);

// ---- proxied.c: connections that begin with a PROXY header

// Whether the connection is a proxy's, and so waits for its header from here on (or was closed).
bool proxied_begin(connection *c);
void proxied_sweep(connection *c, uint64_t now_ms);
// The connection is gone; it may have waited.
void proxied_gone(connection *c);

// ---- network.c and connection.c

// Names it by an address of IPv4 or IPv6 with its port.
void connection_name(connection *c, const struct sockaddr *address);
// It has its name, and its next byte is the peer's: tells the handler of it.
void connection_begin(connection *c);

// To be flushed before the loop waits.
void connection_mark_dirty(connection *c);
// So many bytes of the outbox have left.
void connection_consume(connection *c, size_t size);
void connection_count_sent(connection *c, size_t size);
void connection_end_now(connection *c);
// Closes sockets of connections that have ended, so many as a turn may.
void connection_end_some(network *n);
// Goes on with a write that the socket does not take at once; `connection_on_write` is told.
void connection_on_write(uv_write_t *write, int result);

// ---- connection_reading.c

// libuv tells of the socket's input from here on; a connection whose socket is broken ends.
void connection_poll_input(connection *c);
// So many bytes have come from the socket, or an error of libuv's: UV_EOF at the peer's end.
void connection_take_input(connection *c, ssize_t size, const uint8_t *data);
void connection_input_over(connection *c);
// Starts or stops reading: it reads if someone wants it, and, while closing, to see the peer's end.
void connection_update_reading(connection *c);
// It waits no more to be read.
void connection_unpark(connection *c);
// Asks again for some of the sockets that turns had no time to read.
void connection_resume_some(network *n);

// ---- beginning, in connection.c

// Takes the connection that waits at the listener.
void connection_accept(listener *l);

// ---- relayed connections (relay.h)

// The far one, with the socket that the relay brings.
void connection_adopt(network *n, relay *r);
// Of a near one: its write is done.
void connection_on_relayed(connection *c);
// Its far one is gone, and so is it.
void connection_gone(connection *c);

// Writes what is queued, as far as the socket takes it.
void connection_flush(connection *c);

// Its times: a close that takes too long, output that does not move.
void connection_sweep(connection *c, uint64_t now_ms);

// While there are connections.
void network_start_sweep(network *n);

// Once the last connection is gone closes what is left of a closing network, then calls `finished`.
void network_check_finished(network *n);

#endif
