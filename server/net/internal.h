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

typedef struct socket_kind socket_kind;

// A connection's life; connection_change() has the changes that are allowed.
typedef enum connection_state {
    CONNECTION_NEW,      // it has no peer yet: it waits for its PROXY header, if for anything
    CONNECTION_OPEN,     // its peer is told of all that comes
    CONNECTION_FLUSHING, // closing: the outbox is being written
    CONNECTION_ENDED,    // FIN sent: waits for the peer's
    CONNECTION_CLOSED    // uv_close was called, or will be in one of the next turns
} connection_state;

// Whether its socket is read; input_change() has the changes that are allowed.
typedef enum input_state {
    INPUT_STOPPED, // nobody wants it
    INPUT_POLLED,  // libuv tells of it; a relay hands it on
    INPUT_PARKED,  // there is some, and no time to read it: libuv is not asked for the socket
    INPUT_SHAKING, // likewise, and it is a handshake's (handshakes.c)
    INPUT_OVER     // the peer has sent its FIN
} input_state;

// A connection's socket goes to a relay, and libuv's handle of it is closed here.
typedef enum handover_state {
    HANDOVER_NONE,  // the socket is its own
    HANDOVER_BEGUN, // the handle is being closed
    HANDOVER_LOST,  // likewise, and the relay's end of the connection is gone already
    HANDOVER_FINISHED
} handover_state;

typedef enum tls_state {
    TLS_SILENT,  // no byte has come
    TLS_SHAKING, // the first byte was one of TLS
    TLS_SPOKEN,  // the handshake is over
    TLS_ENDED    // the end of our direction is sealed, or TLS has failed
} tls_state;

typedef struct connection_input {
    input_state state;
    bool read_wanted; // by the handler
    uint64_t turn;    // of the loop, in which it was last read
    uint64_t received_bytes;
    connection *parked_before, *parked_next; // of the network's list
    turn_job handshake;                      // while INPUT_SHAKING
} connection_input;

typedef struct connection_output {
    outbox queue;
    uv_write_t write;
    bool write_pending; // `write` is in use, for the first `busy` bytes of the queue
    size_t busy;        // bytes of the queue: handed to libuv, or sealed
    bool flush_queued;  // it is in the network's list of those to be flushed
    connection *next_dirty;
    uint64_t moved_ms;  // when output last moved, or began to wait
    size_t moved_left;  // what was left then
    uint64_t queued_ms; // when the queue was last empty and got something
    uint64_t sent_bytes;
} connection_output;

typedef struct connection_end {
    bool output_lingers;  // ENDING_LINGER or ENDING_CUT
    uint64_t deadline_ms; // of closing
    uv_shutdown_t shutdown;
    connection *next; // of those whose socket is closed in one of the next turns
} connection_end;

// Of a connection that is secured.
typedef struct connection_tls {
    tls_stream *stream; // NULL: bytes go as they are
    tls_state state;
    uint8_t *flying; // sealed bytes that `write` is writing, owned
    size_t flying_size;
    const void *plain_answer; // to a peer that speaks no TLS
    size_t plain_answer_size;
} connection_tls;

struct connection {
    uv_tcp_t socket; // first, so that a handle is its connection
    const socket_kind *kind;
    network *network;
    connection *previous, *next; // of the network's list
    void *peer;                  // NULL: rejected
    connection_state state;
    connection_input input;
    connection_output output;
    connection_end ending;
    connection_tls tls;
    relay *relay; // that has the socket instead; NULL: none
    handover_state handover;
    const connection_framing *framing; // NULL: messages go as they are
    void *framing_context;
    struct proxy_greeting *greeting; // its PROXY header, until that is whole
    uint64_t address;                // as a number
    uint64_t subject; // whom its pieces of a turn count for: its address, or what the handler says
    char name[CONNECTION_NAME_BYTES];
};

// ---- kinds of sockets
//
// A connection's bytes go through a socket as they are, through TLS, or through a relay to the
// thread that has the socket. The differences between
// them stand in these functions, and nowhere else.
struct socket_kind {
    // Input is asked for from here on, and no more.
    void (*read_start)(connection *c);
    void (*read_stop)(connection *c);
    // Bytes have come from the socket; NULL where it is another thread's.
    void (*received)(connection *c, const uint8_t *data, size_t size);
    // Whether what comes next costs a signature, so that it waits for its turn (handshakes.c).
    bool (*shakes_hands)(const connection *c);
    // Gives the handler input that came while it was not wanted.
    void (*deliver)(connection *c);
    // Whether there is something that can be written now.
    bool (*has_output)(const connection *c);
    // One attempt. False when the socket takes no more for now (connection_written is then called
    // later), or has failed.
    bool (*write)(connection *c);
    // The rest of a write has left; or it never will, as the connection is lost.
    void (*written)(connection *c, bool has_left);
    // One attempt to write a message before it is queued. Returns how many bytes the socket took;
    // negative: it has failed. NULL: everything is queued.
    int (*write_unqueued)(connection *c, const uint8_t *head, size_t head_size,
                          const shared_bytes *tail);
    // Bytes that have not left; for a relay 0, as its other end looks.
    size_t (*unsent)(const connection *c);
    // All output has left, and the connection is closing. True: now its end has to leave too.
    bool (*seal_end)(connection *c);
    // Sends the FIN behind all output.
    void (*finish)(connection *c);
    // The peer's FIN came behind ours.
    void (*both_ended)(connection *c);
    // Closes the socket at once, or when the turn has time.
    void (*close)(connection *c);
};

extern const socket_kind SOCKET_PLAIN, SOCKET_SECURED, SOCKET_RELAYED;

// Functions that plain and secured sockets share (plain.c).
void plain_read_start(connection *c);
void plain_read_stop(connection *c);
void plain_deliver(connection *c);
size_t plain_unsent(const connection *c);
void plain_finish(connection *c);
void plain_both_ended(connection *c);
void plain_close(connection *c);
// Goes on with a write that the socket does not take at once. False: the connection has ended.
bool plain_go_on_writing(connection *c, uv_buf_t buf);

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

// ---- handshakes.c: TLS handshakes, a few of them a turn

void handshakes_init(network *n);
void handshakes_deinit(network *n);
// The connection begins, or ends, to wait with input: input_change alone calls these.
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

// ---- connection.c

// Takes the connection that waits at the listener.
void connection_accept(listener *l);
// Names it by an address of IPv4 or IPv6 with its port.
void connection_name(connection *c, const struct sockaddr *address);
// It has its name, and its next byte is the peer's: tells the handler of it.
void connection_begin(connection *c);
// The far one of a relayed connection, with the socket that the relay brings.
void connection_adopt(network *n, relay *r);

// The one place where its state changes.
void connection_change(connection *c, connection_state to);
// It is closed without a word.
void connection_end_now(connection *c);
// Closes sockets of connections that have ended, so many as a turn may.
void connection_end_some(network *n);
// Its socket is closed, here or by its relay: it is freed.
void connection_gone(connection *c);
// Its times: a close that takes too long, output that does not move.
void connection_sweep(connection *c, uint64_t now_ms);

// ---- connection_reading.c

// The one place where its input's state changes.
void input_change(connection *c, input_state to);
// Whether somebody wants its input, which is polled or waits for its turn.
bool input_wanted(const connection *c);
// Polls the socket again, which was parked or has had its piece of a handshake.
void connection_poll_input(connection *c);
// So many bytes have come from the socket, or an error of libuv's: UV_EOF at the peer's end.
void connection_take_input(connection *c, ssize_t size, const uint8_t *data);
void connection_input_over(connection *c);
// Starts or stops reading: it reads if someone wants it, and, while closing, to see the peer's end.
void connection_update_reading(connection *c);
// Asks again for some of the sockets that turns had no time to read.
void connection_resume_some(network *n);
// libuv's calls for a socket that is read.
void connection_on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf);
void connection_on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);

// ---- connection_writing.c

// To be flushed before the loop waits.
void connection_mark_dirty(connection *c);
// It is flushed no more.
void connection_unmark_dirty(connection *c);
// Writes what is queued, as far as the socket takes it.
void connection_flush(connection *c);
// The rest of a write has left, or never will (an error of libuv's).
void connection_written(connection *c, int result);
// So many bytes of the outbox have left.
void connection_consume(connection *c, size_t size);
void connection_count_sent(connection *c, size_t size);

// ---- network.c

// While there are connections.
void network_start_sweep(network *n);

// Once the last connection is gone closes what is left of a closing network, then calls `finished`.
void network_check_finished(network *n);

#endif
