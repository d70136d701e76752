// Orders and reports between near and far connections; see relay.h. Each section names the thread
// that it runs on.
#include "server/net/relay.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/net/internal.h"

static void gather(relay_batch *b, relay_message *m)
{
    ASSERT((b->first == NULL) == (b->count == 0));
    if (b->first == NULL) {
        b->last = &b->first;
    }
    m->node.next = NULL;
    *b->last = &m->node;
    b->last = &m->node.next;
    b->count++;
}

// Returns true when the receiving thread must be woken.
static bool push(relay_batch *b, queue *to)
{
    if (b->first == NULL) {
        return false;
    }
    queue_push_result result = queue_push_chain(to, b->first, b->count, false);
    ASSERT(result != QUEUE_FULL); // RELAY_MESSAGES_MAX for each connection
    *b = (relay_batch){0};
    return result == QUEUE_FIRST;
}

// ---- network thread

static void order(relay *r, relay_message *m, relay_kind kind)
{
    m->kind = kind;
    m->relay = r;
    gather(&r->thread->ordered, m);
}

static io_thread *least_used(io_threads *t)
{
    ASSERT(t->count > 0);
    io_thread *least = &t->threads[0];
    for (int i = 1; i < t->count; i++) {
        least = t->threads[i].connections < least->connections ? &t->threads[i] : least;
    }
    return least;
}

relay *relay_open(io_threads *t, connection *near, int descriptor)
{
    relay *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    r->thread = least_used(t);
    r->thread->connections++;
    r->near = near;
    r->last = &r->first;
    r->descriptor = descriptor;
    memcpy(r->name, near->name, sizeof r->name);
    r->address = near->address;
    r->tls = near->network->tls != NULL ? tls_stream_create(near->network->tls) : NULL;
    r->plain_answer = near->tls.plain_answer;
    r->plain_answer_size = near->tls.plain_answer_size;
    order(r, &r->open, RELAY_OPEN);
    return r;
}

void relay_write(relay *r)
{
    connection *near = r->near;
    size_t size = 0;
    ASSERT(!near->output.write_pending && !r->finished && !r->ended);
    r->block_count = outbox_hand_over(&near->output.queue, r->blocks, RELAY_BLOCKS_MAX, &size);
    ASSERT(r->block_count > 0 && size > 0 && size <= near->output.queue.size);
    near->output.busy = size;
    near->output.write_pending = true;
    order(r, &r->write, RELAY_WRITE);
}

void relay_finish(relay *r, bool linger)
{
    if (!r->finished && !r->ended) {
        r->finished = true;
        r->linger = linger;
        order(r, &r->finish, RELAY_FINISH);
    }
}

void relay_end(relay *r)
{
    if (!r->ended) {
        r->ended = true;
        order(r, &r->end, RELAY_END);
    }
}

// A connection that closes drops its input.
static void deliver_one(relay *r, const relay_input *input)
{
    connection *near = r->near;
    near->input.received_bytes = input->received;
    loop_turn_begin(near->network->time);
    if (near->state == CONNECTION_OPEN) {
        near->network->handler.received(near->peer, input->bytes, input->size);
    }
}

void relay_deliver(relay *r)
{
    connection *near = r->near;
    if (r->delivering) {
        return;
    }
    r->delivering = true;
    while (input_wanted(near) && r->first != NULL) {
        relay_input *input = r->first;
        r->first = input->next;
        r->last = r->first == NULL ? &r->first : r->last;
        deliver_one(r, input);
        order(r, &input->message, RELAY_TAKEN);
    }
    if (input_wanted(near) && r->over) {
        r->over = false;
        connection_input_over(near);
    }
    r->delivering = false;
}

bool relay_has_input(const relay *r)
{
    return r->first != NULL || r->over;
}

void relay_flush(io_threads *t)
{
    for (int i = 0; i < t->count; i++) {
        if (push(&t->threads[i].ordered, &t->threads[i].orders)) {
            uv_async_send(&t->threads[i].wake);
        }
    }
}

void relay_stop(io_thread *t)
{
    t->stop.kind = RELAY_STOP;
    gather(&t->ordered, &t->stop);
}

static void let_go(relay *r)
{
    while (r->first != NULL) {
        relay_input *input = r->first;
        r->first = input->next;
        free(input);
    }
    ASSERT(r->thread->connections > 0 && r->near != NULL && r->near->relay == r);
    r->thread->connections--;
    connection *near = r->near;
    r->near = NULL;
    near->relay = NULL;
    if (r->stalled && near->state == CONNECTION_OPEN) {
        near->network->handler.stalled(near->peer);
    }
    order(r, &r->free, RELAY_FREE);
    connection_gone(near);
}

static void take_report(relay_message *m)
{
    relay *r = m->relay;
    ASSERT(r->near != NULL); // RELAY_GONE is the last report to a near connection
    switch (m->kind) {
    case RELAY_INPUT: {
        relay_input *input = (relay_input *)m;
        input->next = NULL;
        *r->last = input;
        r->last = &input->next;
        relay_deliver(r);
        break;
    }
    case RELAY_INPUT_OVER:
        r->over = true;
        relay_deliver(r);
        break;
    case RELAY_WRITTEN:
        r->near->output.sent_bytes = r->sent;
        connection_written(r->near, 0);
        break;
    default:
        ASSERT(m->kind == RELAY_GONE);
        let_go(r);
        break;
    }
}

void relay_take_reports(io_threads *t)
{
    for (queue_node *node = queue_take(&t->reports); node != NULL;) {
        queue_node *next = node->next;
        take_report((relay_message *)node);
        node = next;
    }
}

// ---- I/O thread

static void report(relay *r, relay_message *m, relay_kind kind)
{
    m->kind = kind;
    m->relay = r;
    gather(&r->thread->reported, m);
}

static size_t cost(const relay_input *input)
{
    return input->size > RELAY_READ_LEAST ? input->size : RELAY_READ_LEAST;
}

static void on_received(void *peer, const uint8_t *data, size_t size)
{
    relay *r = peer;
    relay_input *input = malloc(sizeof *input + size);
    ASSERT_MEMORY(input != NULL);
    *input = (relay_input){.received = connection_traffic_now(r->far).received_bytes, .size = size};
    memcpy(input->bytes, data, size);
    r->unread += cost(input);
    connection_read(r->far, r->unread < RELAY_INPUT_MAX);
    report(r, &input->message, RELAY_INPUT);
}

static void on_taken(relay *r, relay_input *input)
{
    ASSERT(r->unread >= cost(input));
    r->unread -= cost(input);
    free(input);
    if (r->far != NULL) {
        connection_read(r->far, r->unread < RELAY_INPUT_MAX);
    }
}

static void on_ended(void *peer)
{
    relay *r = peer;
    report(r, &r->input_over, RELAY_INPUT_OVER);
}

static void on_written(void *peer, uint64_t token)
{
    relay *r = peer;
    (void)token;
    r->sent = connection_traffic_now(r->far).sent_bytes;
    report(r, &r->written, RELAY_WRITTEN);
}

static void on_flushed(void *context)
{
    io_thread *t = context;
    if (push(&t->reported, &t->all->reports)) {
        uv_async_send(&t->all->wake);
    }
}

static void on_swept(void *peer, uint64_t now_ms)
{
    (void)peer;
    (void)now_ms;
}

// The near side knows whose connection it is.
static void on_stalled(void *peer)
{
    relay *r = peer;
    r->stalled = true;
}

static void on_closed(void *peer)
{
    relay *r = peer;
    ASSERT(r->far != NULL);
    r->far = NULL;
    report(r, &r->gone, RELAY_GONE);
}

static void on_finished(void *context)
{
    io_thread *t = context;
    uv_close((uv_handle_t *)&t->wake, NULL);
}

network_handler relay_handler(io_thread *t)
{
    return (network_handler){
        .context = t,
        .received = on_received,
        .ended = on_ended,
        .written = on_written,
        .flushed = on_flushed,
        .swept = on_swept,
        .stalled = on_stalled,
        .closed = on_closed,
        .finished = on_finished,
    };
}

static void write_blocks(relay *r)
{
    for (uint32_t i = 0; i < r->block_count; i++) {
        bool last = i + 1 == r->block_count;
        if (r->far == NULL) {
            bytes_unref(r->blocks[i]);
        } else {
            bool sent = connection_send_raw(r->far, NULL, 0, r->blocks[i], last ? 1 : 0);
            ASSERT(sent); // a far connection has no limit of its own
        }
    }
}

static void end(relay *r)
{
    if (r->far == NULL) {
        return;
    }
    if (connection_is_open(r->far)) {
        connection_close(r->far, ENDING_NOW, STATUS_OK, "", NULL, 0);
    } else {
        connection_end_now(r->far);
    }
}

static void take_order(io_thread *t, relay_message *m)
{
    relay *r = m->relay;
    switch (m->kind) {
    case RELAY_OPEN:
        connection_adopt(t->network, r);
        break;
    case RELAY_WRITE:
        write_blocks(r);
        break;
    case RELAY_TAKEN:
        on_taken(r, (relay_input *)m);
        break;
    case RELAY_FINISH:
        if (r->far != NULL) {
            connection_close(r->far, r->linger ? ENDING_LINGER : ENDING_FLUSH, STATUS_OK, "", NULL,
                             0);
        }
        break;
    case RELAY_END:
        end(r);
        break;
    case RELAY_FREE:
        ASSERT(r->far == NULL);
        free(r);
        break;
    default:
        ASSERT(m->kind == RELAY_STOP);
        network_close(t->network);
        break;
    }
}

void relay_take_orders(io_thread *t)
{
    for (queue_node *node = queue_take(&t->orders); node != NULL;) {
        queue_node *next = node->next;
        take_order(t, (relay_message *)node);
        node = next;
    }
}
