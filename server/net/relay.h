// Connections whose socket another thread has: how they work, and the functions for network.c and
// connection.c. Private to this folder.
//
// Such a connection exists twice. The near one is the network thread's: sessions know it, and its
// outbox, states and deadlines are those of any other. The far one is an I/O thread's: it has the
// socket and the TLS, and its peer is the relay. Messages between them:
//
//   to the far one     OPEN, WRITE (one at a time: up to RELAY_BLOCKS_MAX blocks), TAKEN (input was
//                      dealt with), FINISH (nothing follows), END (at once), FREE
//   to the near one    INPUT, INPUT_OVER, WRITTEN, GONE
//
// The near connection treats its relay as a socket that takes one write at a time. A peer can make
// the far one keep at most RELAY_INPUT_MAX bytes, and one read more, that the near one has not
// processed; then its socket is not read. So the number of messages of one connection in each queue
// is bounded.
//
// A relay belongs to the near connection until GONE reaches it; FREE is then its last message, and
// the I/O thread frees it. A comment at each field names the thread that owns it.
#ifndef CAROM_SERVER_NET_RELAY_H
#define CAROM_SERVER_NET_RELAY_H

#include <pthread.h>

#include "server/net/io_threads.h"
#include "server/net/network.h"
#include "server/base/queue.h"

enum {
    RELAY_BLOCKS_MAX = 16,
    RELAY_INPUT_MAX = 32 * 1024, // two full reads
    // One connection has at most one of each of these in a queue: OPEN, WRITE, FINISH, END and FREE
    // one way, INPUT_OVER, WRITTEN and GONE the other. INPUT and TAKEN come in blocks, and many
    // small ones can be under way: a read counts as RELAY_READ_LEAST bytes at least.
    RELAY_READ_LEAST = 4096,
    RELAY_MESSAGES_MAX = 8 + RELAY_INPUT_MAX / RELAY_READ_LEAST
};

typedef enum relay_kind {
    RELAY_OPEN,
    RELAY_WRITE,
    RELAY_TAKEN,
    RELAY_FINISH,
    RELAY_END,
    RELAY_FREE,
    RELAY_STOP, // to the thread: there are no connections left, and no more will be added
    RELAY_INPUT,
    RELAY_INPUT_OVER,
    RELAY_WRITTEN,
    RELAY_GONE
} relay_kind;

typedef struct relay relay;

typedef struct relay_message {
    queue_node node; // first
    relay_kind kind;
    relay *relay;
} relay_message;

// An INPUT message, which comes back as TAKEN.
typedef struct relay_input {
    relay_message message;    // must be the first field
    struct relay_input *next; // list of those that the near connection has not processed
    uint64_t received;        // bytes that the socket has received, including these
    size_t size;
    uint8_t bytes[];
} relay_input;

// Messages that are gathered before they are pushed together.
typedef struct relay_batch {
    queue_node *first, **last;
    uint64_t count;
} relay_batch;

typedef struct io_thread {
    io_threads *all;
    queue orders; // orders to the far connections
    relay_message stop;
    // The near side's fields.
    pthread_t thread;
    relay_batch ordered;
    uint32_t connections;
    // The I/O thread's fields.
    uv_loop_t loop;
    uv_async_t wake;
    network *network; // network of the far connections, without a listener
    relay_batch reported;
    limits bounds;
} io_thread;

struct io_threads {
    uv_async_t wake; // wakes the network thread's loop: there are reports
    queue reports;   // reports to the near connections, from all threads
    void (*closed)(void *context);
    void *context;
    int count;
    io_thread threads[];
};

struct relay {
    io_thread *thread;
    // Messages that can be under way once each: they belong to the queue while they are.
    relay_message open, write, finish, end, free, input_over, written, gone;
    // Set by the near side before OPEN or WRITE, and read by the far side until that is done.
    int descriptor;
    char name[CONNECTION_NAME_BYTES]; // the connection's name
    uint64_t address;                 // the connection's address
    struct tls_stream *tls;
    const void *plain_answer;
    size_t plain_answer_size;
    bool linger;
    uint32_t block_count;
    shared_bytes *blocks[RELAY_BLOCKS_MAX];
    uint64_t sent; // bytes that the far side has passed to the kernel before WRITTEN
    bool stalled;  // set by the far side before GONE: it ended since the peer took no output
    // The near side's fields.
    connection *near;
    relay_input *first, **last; // input that waits until the connection is read
    bool over;                  // the peer's end follows it
    bool ended, finished;       // END, FINISH were sent
    bool delivering;
    // The far side's fields.
    connection *far; // NULL: it is gone
    size_t unread;   // bytes that the near side has not processed
};

// ---- network thread

// Hands the connection's socket over, with its TLS if it has any. The relay then owns the
// descriptor.
relay *relay_open(io_threads *t, connection *near, int descriptor);
// Passes on as much of the outbox as one write takes; `connection_written` is called when that is
// done.
void relay_write(relay *r);
// Gives the connection waiting input, as much as it wants to read.
void relay_deliver(relay *r);
bool relay_has_input(const relay *r);
// Ends the far connection cleanly, after all output was written.
void relay_finish(relay *r, bool linger);
// Ends the far connection at once, after one attempt to write the output passed on so far.
void relay_end(relay *r);
// Sends the messages gathered by the calls above; to be called before the loop waits.
void relay_flush(io_threads *t);

// Processes the reports that have arrived.
void relay_take_reports(io_threads *t);
void relay_stop(io_thread *t);

// ---- I/O thread

// Processes the orders that have arrived.
void relay_take_orders(io_thread *t);
// The handler of the network that has the far connections.
network_handler relay_handler(io_thread *t);

#endif
