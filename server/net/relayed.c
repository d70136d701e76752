// Near ends of connections whose socket an I/O thread has (relay.h): the relay acts as a socket
// that accepts one write at a time. The loop's thread only.
#include "common/base/assert.h"
#include "server/net/internal.h"

// Waiting input is delivered in the flush, not at once: the caller is in the middle of its work.
static void read_start(connection *c)
{
    if (relay_has_input(c->relay)) {
        connection_mark_dirty(c);
    }
}

static void read_stop(connection *c)
{
    (void)c; // the relay checks whether input is wanted before it delivers
}

static bool shakes_hands(const connection *c)
{
    (void)c;
    return false; // the far end does this
}

static void deliver(connection *c)
{
    relay_deliver(c->relay);
}

static bool has_output(const connection *c)
{
    return c->output.queue.size > 0;
}

static bool write_blocks(connection *c)
{
    relay_write(c->relay);
    return false;
}

// The far end counts the bytes sent.
static void written(connection *c, bool has_left)
{
    if (has_left) {
        const size_t busy = c->output.busy;
        c->output.busy = 0;
        connection_consume(c, busy);
    }
}

static size_t unsent(const connection *c)
{
    (void)c;
    return 0;
}

static bool seal_end(connection *c)
{
    (void)c;
    return false;
}

static void finish(connection *c)
{
    relay_finish(c->relay, c->ending.output_lingers);
}

static void both_ended(connection *c)
{
    (void)c; // the far end sees it too, and closes
}

static void end_at_once(connection *c)
{
    relay_end(c->relay);
}

const socket_kind SOCKET_RELAYED = {
    .read_start = read_start,
    .read_stop = read_stop,
    .shakes_hands = shakes_hands,
    .deliver = deliver,
    .has_output = has_output,
    .write = write_blocks,
    .written = written,
    .unsent = unsent,
    .seal_end = seal_end,
    .finish = finish,
    .both_ended = both_ended,
    .close = end_at_once,
};
