// Connections whose socket another thread has: what network.c and connection.c need of it, and how
// it works. Private to this room.
//
// Such a connection exists twice. The near one is the network thread's: sessions know it, and its
// outbox, its states and its times are those of any other. The far one is an I/O thread's: it has
// the socket and the TLS, and its peer is the relay. Between both go
//
//   to the far one     OPEN, WRITE (one at a time: up to RELAY_BLOCKS_MAX blocks), TAKEN (input was
//                      dealt with), FINISH (nothing follows), END (at once), FREE
//   to the near one    INPUT, INPUT_OVER, WRITTEN, GONE
//
// The near connection treats its relay as a socket that takes one write at a time. A peer can make
// the far one hold RELAY_INPUT_MAX bytes that the near one has not dealt with, and one read more;
// then it is not read. So each queue holds a fixed number of messages for each connection.
//
// A relay is the near connection's until that was told GONE; its FREE is then the last message, and
// the I/O thread frees it. Which fields are whose is said at each.
#ifndef CAROM_SERVER_NET_RELAY_H
#define CAROM_SERVER_NET_RELAY_H

#include <pthread.h>

#include "server/net/io_threads.h"
#include "server/net/network.h"
#include "server/base/queue.h"

enum {
    RELAY_BLOCKS_MAX = 16,
    RELAY_INPUT_MAX = 32 * 1024, // two full reads
    // Of one connection at most in each queue: OPEN, WRITE, FINISH, END and FREE; likewise
    // INPUT_OVER, WRITTEN and GONE. INPUT and TAKEN come in blocks, and many small ones can be
    // under way: reads are counted with RELAY_READ_LEAST bytes at least.
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
    RELAY_STOP, // to the thread: no connection is left, none will come
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

// INPUT, which comes back as TAKEN.
typedef struct relay_input {
    relay_message message;    // first
    struct relay_input *next; // of those that the near connection has not dealt with
    uint64_t received;        // by the socket, with these
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
    queue orders; // to the far connections
    relay_message stop;
    // The near side's.
    pthread_t thread;
    relay_batch ordered;
    uint32_t connections;
    // The I/O thread's.
    uv_loop_t loop;
    uv_async_t wake;
    network *network; // of the far connections, without a listener
    relay_batch reported;
    limits bounds;
} io_thread;

struct io_threads {
    uv_async_t wake; // of the network thread's loop: there are reports
    queue reports;   // to the near connections, from all threads
    void (*closed)(void *context);
    void *context;
    int count;
    io_thread threads[];
};

struct relay {
    io_thread *thread;
    // Messages that can be under way once each: they belong to the queue while they are.
    relay_message open, write, finish, end, free, input_over, written, gone;
    // Set by the near side before OPEN or WRITE, and read by the far one while that is under way.
    int descriptor;
    char name[CONNECTION_NAME_BYTES]; // of the connection
    uint64_t address;                 // likewise
    struct tls_stream *tls;
    const void *plain_answer;
    size_t plain_answer_size;
    bool linger;
    uint32_t block_count;
    shared_bytes *blocks[RELAY_BLOCKS_MAX];
    uint64_t sent; // by the far side before WRITTEN: bytes handed to the kernel so far
    // The near side's.
    connection *near;
    relay_input *first, **last; // input that waits for the connection to be read
    bool over;                  // and after it the peer's end
    bool ended, finished;       // END, FINISH were sent
    bool delivering;
    // The far side's.
    connection *far; // NULL: it is gone
    size_t unread;   // bytes that the near side has not dealt with
};

// ---- network thread

// Hands the connection's socket over, with its TLS if it has any. The descriptor is the relay's.
relay *relay_open(io_threads *t, connection *near, int descriptor);
// Hands over what the outbox has, as far as one write goes; `connection_written` is told when it is
// done.
void relay_write(relay *r);
// Gives the connection what waits, as far as it wants to be read.
void relay_deliver(relay *r);
bool relay_has_input(const relay *r);
// All was written: the far connection ends in good order.
void relay_finish(relay *r, bool linger);
// The far connection ends at once, after what was handed over was tried.
void relay_end(relay *r);
// Sends what the calls above have gathered; to be called before the loop waits.
void relay_flush(io_threads *t);

// Reports have come.
void relay_take_reports(io_threads *t);
void relay_stop(io_thread *t);

// ---- I/O thread

// Orders have come.
void relay_take_orders(io_thread *t);
// The calls of the network that has the far connections.
network_handler relay_handler(io_thread *t);

#endif
