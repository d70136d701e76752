// Writing to connections' sockets: messages are queued, and written before the loop waits. The
// loop's thread only.
#include <stddef.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"

enum { UNQUEUED_HEAD_MAX = 128 }; // longest head of a message that is written without being queued

static void on_block_written(void *context, uint64_t token)
{
    connection *c = context;
    // Messages to a closing connection count too: its session may be resumed, and must not get them
    // again.
    if (c->state <= CONNECTION_FLUSHING && c->peer != NULL) {
        c->network->handler.written(c->peer, token);
    }
}

// For a relayed connection, the far one counts.
void connection_count_sent(connection *c, size_t size)
{
    metrics_add(METRIC_bytes_sent, size);
    c->output.sent_bytes += size;
}

void connection_consume(connection *c, size_t size)
{
    c->output.moved_ms = uv_now(c->network->loop);
    outbox_consume(&c->output.queue, size, on_block_written, c);
}

// ---- flushing

// Called when all output is written: a closing connection then sends its FIN.
static void on_drained(connection *c)
{
    if (c->state != CONNECTION_FLUSHING) {
        return;
    }
    ASSERT(c->output.queue.size == 0 && !c->output.write_pending);
    if (c->kind->seal_end(c)) {
        connection_flush(c);
        return;
    }
    connection_change(c, CONNECTION_ENDED);
    if (c->ending.output_lingers) {
        c->ending.deadline_ms = network_awake_ms(c->network) + c->network->limits->close_ms;
    }
    c->kind->finish(c);
}

void connection_written(connection *c, int result)
{
    ASSERT(c->output.write_pending);
    c->output.write_pending = false;
    c->kind->written(c, result == 0 && c->state != CONNECTION_CLOSED);
    if (result != 0) {
        connection_end_now(c);
    } else if (c->state != CONNECTION_CLOSED) {
        connection_mark_dirty(c); // the rest is written in the part of the turn that belongs to
                                  // writing
    }
}

static bool can_write(const connection *c)
{
    return c->state <= CONNECTION_FLUSHING && !c->output.write_pending && c->kind->has_output(c);
}

static void flush_some(connection *c, size_t most)
{
    if (c->state == CONNECTION_CLOSED) {
        return;
    }
    c->output.write_most = most;
    c->kind->deliver(c);
    const uint64_t before = c->output.sent_bytes;
    bool more = true;
    while (more && can_write(c)) {
        if (c->output.sent_bytes - before >= most) {
            connection_mark_dirty(c); // other connections are written first
            network_go_on(c->network);
            break;
        }
        more = c->kind->write(c);
    }
    if (c->state <= CONNECTION_FLUSHING && c->output.queue.size == 0 && !c->output.write_pending &&
        !c->kind->has_output(c)) {
        on_drained(c);
    }
    connection_update_reading(c);
}

void connection_flush(connection *c)
{
    flush_some(c, FLUSH_BYTES_MOST);
}

// Writes a small piece if a thousand other connections wait, so that each of them gets a turn.
static job_progress flush_one(turn_job *job, const turn *slice)
{
    const int64_t left = turn_left_ns(slice);
    size_t most = left < FLUSH_BYTES_MOST ? (size_t)left : FLUSH_BYTES_MOST;
    most = most > FLUSH_BYTES_LEAST ? most : FLUSH_BYTES_LEAST;
    flush_some((connection *)((char *)job - offsetof(connection, output.flush)), most);
    return JOB_DONE;
}

void connection_mark_dirty(connection *c)
{
    if (!turn_job_queued(&c->output.flush)) {
        c->output.flushes = c->output.queue.size <= SHORT_BYTES ? &c->network->short_writes
                                                                : &c->network->long_writes;
        const bool added =
            turn_queue_add(c->output.flushes, &c->output.flush, flush_one, c->subject);
        ASSERT(added);
    }
}

void connection_unmark_dirty(connection *c)
{
    if (c->output.flushes != NULL) {
        turn_queue_remove(c->output.flushes, &c->output.flush);
    }
}

// ---- sending

void connection_frame(connection *c, const connection_framing *framing, void *context)
{
    c->framing = framing;
    c->framing_context = context;
}

bool connection_framed(const connection *c)
{
    return c->framing != NULL;
}

// Queues `frame_size` bytes of a frame's head, then the message.
static bool enqueue(connection *c, const uint8_t *frame, size_t frame_size, const void *head,
                    size_t head_size, shared_bytes *tail, uint64_t token)
{
    size_t size = frame_size + head_size + (tail != NULL ? tail->size : 0);
    bool fits = c->output.queue.size + size <= c->network->limits->output_bytes;
    if (c->state != CONNECTION_OPEN || !fits || size == 0) {
        bytes_unref(tail);
        return c->state != CONNECTION_OPEN || fits;
    }
    if (c->output.queue.size == 0) {
        c->output.moved_ms = c->output.queued_ms = uv_now(c->network->loop);
    }
    if (frame_size > 0) {
        outbox_copy(&c->output.queue, frame, frame_size, head_size > 0 || tail != NULL);
    }
    if (head_size > 0) {
        outbox_copy(&c->output.queue, head, head_size, tail != NULL);
    }
    if (tail != NULL) {
        outbox_share(&c->output.queue, tail, token);
    }
    connection_mark_dirty(c);
    return true;
}

bool connection_send(connection *c, const void *head, size_t head_size, shared_bytes *tail,
                     uint64_t token)
{
    uint8_t frame[FRAME_HEAD_MAX];
    size_t size = head_size + (tail != NULL ? tail->size : 0);
    size_t frame_size =
        c->framing != NULL && size > 0 ? c->framing->head(c->framing_context, size, frame) : 0;
    ASSERT(frame_size <= sizeof frame);
    return enqueue(c, frame, frame_size, head, head_size, tail, token);
}

bool connection_send_raw(connection *c, const void *bytes, size_t size, shared_bytes *tail,
                         uint64_t token)
{
    return enqueue(c, NULL, 0, bytes, size, tail, token);
}

// `before` has the heads of the frame and of the message, which were not queued.
static bool send_unqueued(connection *c, const uint8_t *before, size_t before_size,
                          shared_bytes *tail, uint64_t token)
{
    size_t size = before_size + tail->size;
    int written = c->kind->write_unqueued(c, before, before_size, tail);
    if (written < 0) {
        bytes_unref(tail);
        connection_end_now(c);
        return true;
    }
    ASSERT((size_t)written <= size);
    connection_count_sent(c, (size_t)written);
    c->output.moved_ms = uv_now(c->network->loop);
    if ((size_t)written == size) {
        bytes_unref(tail);
        c->network->handler.written(c->peer, token);
        return true;
    }
    bool queued = enqueue(c, NULL, 0, before, before_size, tail, token);
    ASSERT(queued); // the queue was empty, and the limit was checked before
    if (written > 0) {
        connection_consume(c, (size_t)written);
    }
    return true;
}

bool connection_send_now(connection *c, const void *head, size_t head_size, shared_bytes *tail,
                         uint64_t token)
{
    uint8_t before[FRAME_HEAD_MAX + UNQUEUED_HEAD_MAX];
    size_t size = head_size + tail->size;
    bool idle = c->state == CONNECTION_OPEN && c->kind->write_unqueued != NULL &&
                c->output.queue.size == 0 && !c->output.write_pending;
    if (!idle || head_size > UNQUEUED_HEAD_MAX || token == 0 ||
        size + FRAME_HEAD_MAX > c->network->limits->output_bytes) {
        return connection_send(c, head, head_size, tail, token);
    }
    size_t frame = c->framing != NULL ? c->framing->head(c->framing_context, size, before) : 0;
    ASSERT(frame <= FRAME_HEAD_MAX);
    memcpy(before + frame, head, head_size);
    return send_unqueued(c, before, frame + head_size, tail, token);
}
