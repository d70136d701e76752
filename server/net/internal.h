// The structs that listener (network.c) and connection (connection.c) share; private to this room.
// Network thread only.
#ifndef CAROM_SERVER_NET_INTERNAL_H
#define CAROM_SERVER_NET_INTERNAL_H

#include "server/net/acceptor.h"
#include "server/net/loop_turn.h"
#include "server/net/network.h"
#include "server/net/outbox.h"
#include "server/net/relay.h"
#include "server/net/tls.h"
#include "server/schedule/turn_queue.h"

enum {
    READ_BYTES = 16 * 1024, // size of the buffer that all connections share for reading; each is
                            // read once a turn
    WRITE_SPANS = 64,       // blocks in one write
    // Bytes that one connection writes in a row: as much as its slice of the turn permits, about a
    // byte a nanosecond, between these bounds.
    FLUSH_BYTES_LEAST = 16 * 1024,
    FLUSH_BYTES_MOST = 128 * 1024,
    SHORT_BYTES = 4 * 1024,   // output up to this goes ahead of larger output
    WAITING_BYTES = 4 * 1024, // most bytes passed to libuv when a socket accepts no more for now
    WRITE_LEAST_NS = 500000,  // time of a turn that is kept for writing
    // Handshakes, new connections and ends are limited by number too: measuring their time would
    // stop them too late. A handshake takes about 0.4 ms, a connection 0.05 ms, its end with its
    // session 0.03 ms.
    TURN_HANDSHAKES = 8, // messages of handshakes that one turn reads
    // Sockets with input that a turn has no time for. libuv reports each of them again, up to 48
    // times in a turn if there are 1024. Beyond these limits sockets are not polled until their
    // turn comes: the first is for those whose subject was already served in this turn, the second
    // for the others. Each kind is counted and resumed by itself, so that nobody waits behind the
    // connections of somebody else's flood.
    TURN_REFUSED_SERVED = 256,
    TURN_REFUSED_UNSERVED = 512,
    TURN_RESUMED = 16, // parked sockets of each kind that are polled again in one turn
    TURN_ACCEPTS = 64, // connections that one turn takes from the listener
    TURN_ENDS = 32,    // connections that end in one turn
    SWEEP_PIECE = 64,  // connections whose deadlines are checked in a row
    // Short output that a sweep may add in a turn: if the turn before has written all of it, and
    // if some is left. Thousands of deadlines that are over at once would put as many farewells
    // before everybody's answers.
    SWEEP_WRITES = 32,
    SWEEP_WRITES_BEHIND = 4
};

_Static_assert(READ_BYTES <= FLUSH_BYTES_LEAST, "a turn writes for one what it reads for one");

typedef struct socket_kind socket_kind;

// The states of a connection; connection_change() has the allowed changes.
typedef enum connection_state {
    CONNECTION_NEW,      // has no peer yet: it is being accepted, or waits for its PROXY header
    CONNECTION_OPEN,     // the handler gets its events
    CONNECTION_FLUSHING, // closing: the outbox is being written
    CONNECTION_ENDED,    // FIN sent: waits for the FIN of the peer
    CONNECTION_CLOSED    // uv_close was called, or will be in one of the next turns
} connection_state;

// The states of a connection's input; input_change() has the allowed changes.
typedef enum input_state {
    INPUT_STOPPED, // the handler does not want input
    INPUT_POLLED,  // libuv reports input; a relay passes it on
    INPUT_PARKED,  // the turn has no time for its input: libuv does not poll the socket
    INPUT_SHAKING, // like PARKED; the input belongs to a handshake (handshakes.c)
    INPUT_OVER     // the peer has sent its FIN
} input_state;

// Whether a parked connection's subject was served in the turn that refused its input.
typedef enum parked_kind {
    PARKED_UNSERVED, // nothing of its subject was read
    PARKED_SERVED,   // some input of its subject was read
    PARKED_KINDS
} parked_kind;

// Parked connections of one kind, in the order in which they were parked.
typedef struct parked_list {
    connection *first, *last;
    uint32_t turn_refused; // reads of that kind refused in this turn
} parked_list;

// The hand-over of a connection's socket to a relay, while libuv's handle of it is closed here.
typedef enum handover_state {
    HANDOVER_NONE,  // no relay has the socket
    HANDOVER_BEGUN, // the handle is being closed
    HANDOVER_LOST,  // like BEGUN; the relay's end of the connection is already gone
    HANDOVER_FINISHED
} handover_state;

typedef enum tls_state {
    TLS_SILENT,  // no byte has arrived
    TLS_SHAKING, // the first byte was one of TLS
    TLS_SPOKEN,  // the handshake is over
    TLS_ENDED    // the end of our direction is sealed, or TLS has failed
} tls_state;

typedef struct connection_input {
    input_state state;
    bool read_wanted; // set by the handler
    bool read_owed;   // it was parked: its next input must be read
    uint64_t turn;    // turn of the loop in which it was last read
    uint64_t received_bytes;
    // neighbours in the network's list of parked connections
    connection *parked_before, *parked_next;
    parked_kind parked; // the list while INPUT_PARKED
    turn_job handshake; // while INPUT_SHAKING
} connection_input;

typedef struct connection_output {
    outbox queue;
    uv_write_t write;
    bool write_pending;  // `write` is in use, for the first `busy` bytes of the queue
    size_t busy;         // bytes at the front of the queue: passed to libuv, or sealed
    size_t write_most;   // bytes of one write, FLUSH_BYTES_MOST at most
    turn_job flush;      // queued while it has new output
    turn_queue *flushes; // the queue that it is in, or was in last; NULL: none yet
    uint64_t moved_ms;   // when output last moved, or began to wait
    size_t moved_left;   // bytes that were left at that time
    uint64_t queued_ms;  // when the queue was last empty and got something
    uint64_t sent_bytes;
} connection_output;

typedef struct connection_end {
    bool output_lingers;  // ENDING_LINGER or ENDING_CUT
    uint64_t deadline_ms; // when the close must be complete, by network_awake_ms()
    uv_shutdown_t shutdown;
    connection *next; // list of those whose socket is closed in one of the next turns
} connection_end;

// The TLS state of a secured connection.
typedef struct connection_tls {
    tls_stream *stream; // NULL: bytes are sent plain
    tls_state state;
    uint8_t *flying; // sealed bytes that `write` is writing, owned
    size_t flying_size;
    const void *plain_answer; // plain bytes, sent as the last ones to a peer that does not speak
                              // TLS
    size_t plain_answer_size;
} connection_tls;

struct connection {
    uv_tcp_t socket; // first field, so that a handle is its connection
    const socket_kind *kind;
    network *network;
    connection *previous, *next; // neighbours in the network's list
    void *peer;                  // NULL: rejected
    connection_state state;
    connection_input input;
    connection_output output;
    connection_end ending;
    connection_tls tls;
    relay *relay; // the relay that has the socket; NULL: none
    handover_state handover;
    const connection_framing *framing; // NULL: messages are sent unframed
    void *framing_context;
    struct proxy_greeting *greeting; // its PROXY header until complete; else NULL
    uint64_t address;                // the peer's address as a number
    // the subject to which its share of a turn is charged: its address, or one that the handler has
    // set
    uint64_t subject;
    char name[CONNECTION_NAME_BYTES];
};

// ---- kinds of sockets
//
// A connection's bytes go through a socket as they are, through TLS, or through a relay to the
// thread that has the socket. The differences between them are in these functions, and nowhere
// else.
struct socket_kind {
    // Start and stop asking for input.
    void (*read_start)(connection *c);
    void (*read_stop)(connection *c);
    // Processes bytes from the socket; NULL if another thread has the socket.
    void (*received)(connection *c, const uint8_t *data, size_t size);
    // Whether the next input costs a signature, so that it waits for its turn (handshakes.c).
    bool (*shakes_hands)(const connection *c);
    // Gives the handler input that came while it was not wanted.
    void (*deliver)(connection *c);
    // Whether any output can be written now.
    bool (*has_output)(const connection *c);
    // Makes one attempt to write. False when the socket accepts no more for now (connection_written
    // is called later), or has failed.
    bool (*write)(connection *c);
    // Called when the rest of a write has left, or never will because the connection is lost.
    void (*written)(connection *c, bool has_left);
    // Tries to write a message before it is queued. Returns how many bytes the socket accepted;
    // negative: it has failed. NULL: this kind always queues.
    int (*write_unqueued)(connection *c, const uint8_t *head, size_t head_size,
                          const shared_bytes *tail);
    // Bytes that have not left; for a relay 0, as its other end looks.
    size_t (*unsent)(const connection *c);
    // Called when all output of a closing connection has left. True: its sealed end must leave too.
    bool (*seal_end)(connection *c);
    // Sends the FIN behind all output.
    void (*finish)(connection *c);
    // Called when the peer's FIN follows ours.
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
// Continues a write that the socket did not accept at once. False: the connection has ended.
bool plain_go_on_writing(connection *c, uv_buf_t buf);

typedef struct listener {
    acceptor acceptor;
    network *network;
    char address[CONNECTION_NAME_BYTES];
} listener;

struct network {
    listener *listeners[NETWORK_LISTENERS_MAX];
    int listener_count;
    bool bare;      // has no listener: connections are made by connection_adopt()
    io_threads *io; // threads that have the sockets; NULL: this thread
    uv_timer_t sweep;
    uv_timer_t more;    // a timer of length 0, active while work is left for the next turn
    bool goes_on;       // something is left for the next turn
    uv_prepare_t flush; // writes, before the loop waits, the output queued in its round
    uv_loop_t *loop;
    const limits *limits;
    network_handler handler;
    connection *first; // all connections
    // Connections with new output: those with up to SHORT_BYTES, and the others
    turn_queue short_writes, long_writes;
    // connections whose socket is closed in one of the next turns, in order
    connection *first_ending;
    connection **ending_end;
    connection *swept; // the connection at which the sweep continues; NULL: none is running
    uint64_t swept_ms; // when the last sweep began
    uint64_t awake_ms; // time of the loop until then, without the time in which it was blocked
    loop_turn *time;   // the loop's turn: `own_time`, or one that networks share
    loop_turn own_time;
    uint64_t turn;         // number of the loop's turn, from 1
    turn_queue handshakes; // connections with input of their handshakes
    parked_list parked[PARKED_KINDS];
    uint32_t turn_accepts;
    uint32_t turn_ends;
    uint32_t rejected; // connections without a peer
    int own_handles;   // listeners, sweep, more and flush that are still open
    bool closing;
    const proxy_peers *proxies; // proxies, whose connections begin with a PROXY header; NULL: none
    uint32_t greetings;         // number of connections that wait for their PROXY header
    const tls_files *tls;       // NULL: connections are not secured
    const void *plain_answer;
    size_t plain_answer_size;
    uint8_t input[READ_BYTES];
    uint8_t opened[READ_BYTES]; // decrypted input of a secured connection
};

// ---- network.c

// A clock for the ends of connections: it counts no more than NETWORK_SWEEP_MS of a time in which
// the loop was blocked (by a slow disk, or without a processor), since nothing could be written
// then.
uint64_t network_awake_ms(const network *n);

// ---- handshakes.c: TLS handshakes, a few of them a turn

void handshakes_init(network *n);
void handshakes_deinit(network *n);
// Adds or removes a connection that waits with handshake input; only input_change calls these.
void handshakes_add(connection *c);
void handshakes_remove(connection *c);
// Reads from some of the connections that wait.
void handshakes_run(network *n);

// ---- proxied.c: connections that begin with a PROXY header

// Whether the connection comes from a proxy, and so waits for its header from here on (or was
// closed).
bool proxied_begin(connection *c);
void proxied_sweep(connection *c, uint64_t now_ms);
// Forgets the connection, which is gone and may have waited.
void proxied_gone(connection *c);

// ---- connection.c

// Owns the descriptor, which was accepted.
void connection_accept(network *n, int descriptor);
// Names the connection by its IPv4 or IPv6 address and port.
void connection_name(connection *c, const struct sockaddr *address);
// Opens the connection at the handler: it has its name, and its next byte comes from the peer.
void connection_begin(connection *c);
// Makes the far end of a relayed connection, with the socket that the relay brings.
void connection_adopt(network *n, relay *r);

// The only function that changes a connection's state.
void connection_change(connection *c, connection_state to);
// Closes it without a message to the peer.
void connection_end_now(connection *c);
// Closes sockets of ended connections, at most as many as a turn may.
void connection_end_some(network *n);
// Frees the connection, whose socket is closed, here or by its relay.
void connection_gone(connection *c);
// Checks its deadlines: a close that takes too long, output that does not move.
void connection_sweep(connection *c, uint64_t now_ms);

// ---- connection_reading.c

// The only function that changes an input's state.
void input_change(connection *c, input_state to);
// Whether the handler wants its input, which is polled or waits for its turn.
bool input_wanted(const connection *c);
// Polls again a socket that was parked or has had its piece of a handshake.
void connection_poll_input(connection *c);
// Takes `size` bytes from the socket, or an error of libuv: UV_EOF after the peer's FIN.
void connection_take_input(connection *c, ssize_t size, const uint8_t *data);
void connection_input_over(connection *c);
// Starts or stops reading: it reads if someone wants it, and, while closing, to see the peer's end.
void connection_update_reading(connection *c);
// Polls again some of the sockets that turns had no time to read.
void connection_resume_some(network *n);
// libuv's callbacks for a socket that is read.
void connection_on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf);
void connection_on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);

// ---- connection_writing.c

// Marks it to be flushed before the loop waits.
void connection_mark_dirty(connection *c);
// Takes it off the list to be flushed.
void connection_unmark_dirty(connection *c);
// Writes queued output, as far as the socket accepts it, and no more in a row than a slice of
// FLUSH_BYTES_MOST.
void connection_flush(connection *c);
// Called when the rest of a write was sent, or never will be (after an error of libuv).
void connection_written(connection *c, int result);
// Called when the first `size` bytes of the outbox were sent.
void connection_consume(connection *c, size_t size);
void connection_count_sent(connection *c, size_t size);

// ---- network.c

// Starts the sweep, which runs while there are connections.
void network_start_sweep(network *n);

// Once the last connection is gone, closes the remaining handles of a closing network, then calls
// `finished`.
void network_check_finished(network *n);

#endif
