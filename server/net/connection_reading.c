// Reading from connections' sockets: a bounded amount of each in a turn of the loop, and only from
// those whose input is wanted. Invariant: INPUT_PARKED means that the connection is in the
// network's list of parked ones, INPUT_SHAKING that its job is in the queue of handshakes. The
// loop's thread only.
#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/net/internal.h"

// ---- states

#define TO(state) (1u << (state))

static const uint32_t INPUT_CHANGES[] = {
    [INPUT_STOPPED] = TO(INPUT_POLLED) | TO(INPUT_OVER),
    [INPUT_POLLED] = TO(INPUT_STOPPED) | TO(INPUT_PARKED) | TO(INPUT_SHAKING) | TO(INPUT_OVER),
    [INPUT_PARKED] = TO(INPUT_STOPPED) | TO(INPUT_POLLED),
    [INPUT_SHAKING] = TO(INPUT_STOPPED) | TO(INPUT_POLLED),
    [INPUT_OVER] = 0,
};
_Static_assert(sizeof INPUT_CHANGES / sizeof *INPUT_CHANGES == INPUT_OVER + 1, "a row a state");

static void add_parked(connection *c)
{
    parked_list *list = &c->network->parked[c->input.parked];
    c->input.parked_before = list->last;
    c->input.parked_next = NULL;
    *(list->last != NULL ? &list->last->input.parked_next : &list->first) = c;
    list->last = c;
}

static void remove_parked(connection *c)
{
    parked_list *list = &c->network->parked[c->input.parked];
    connection *before = c->input.parked_before;
    connection *next = c->input.parked_next;
    ASSERT(before != NULL ? before->input.parked_next == c : list->first == c);
    *(before != NULL ? &before->input.parked_next : &list->first) = next;
    *(next != NULL ? &next->input.parked_before : &list->last) = before;
}

void input_change(connection *c, input_state to)
{
    const input_state from = c->input.state;
    ASSERT((INPUT_CHANGES[from] & TO(to)) != 0);
    if (from == INPUT_PARKED) {
        remove_parked(c);
    } else if (from == INPUT_SHAKING) {
        handshakes_remove(c);
    }
    c->input.state = to;
    if (to == INPUT_PARKED) {
        add_parked(c);
    } else if (to == INPUT_SHAKING) {
        handshakes_add(c);
    }
}

bool input_wanted(const connection *c)
{
    return c->input.state != INPUT_STOPPED && c->input.state != INPUT_OVER;
}

void connection_poll_input(connection *c)
{
    input_change(c, INPUT_POLLED);
    c->kind->read_start(c);
}

void connection_resume_some(network *n)
{
    for (int kind = 0; kind < PARKED_KINDS; kind++) {
        parked_list *list = &n->parked[kind];
        list->turn_refused = 0;
        for (int i = 0; i < TURN_RESUMED && list->first != NULL; i++) {
            connection *c = list->first;
            c->input.read_owed = true;
            connection_poll_input(c);
        }
        if (list->first != NULL) {
            network_go_on(n);
        }
    }
}

// ---- input

// Each connection is read once a turn of the loop, READ_BYTES at most: libuv would read up to 32
// times from a socket that fills the buffer, and one flood would make all others wait. Returning no
// buffer is no error here (connection_on_read): the socket is still ready in the next turn. One
// that was parked is read in any case: it is polled behind the others, and would be parked forever.
void connection_on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    connection *c = (connection *)handle;
    network *n = c->network;
    const bool later = c->kind->shakes_hands(c) || c->input.turn == n->turn ||
                       !(loop_turn_grants(n->time, LOOP_READ, c->subject) || c->input.read_owed);
    c->input.turn = n->turn;
    c->input.read_owed = c->input.read_owed && later;
    *buf = uv_buf_init(later ? NULL : (char *)n->input, later ? 0 : READ_BYTES);
}

// Leaves the connection's input unread: the turn has no time for it.
static void refuse_read(connection *c)
{
    static const uint32_t MOST[] = {
        [PARKED_UNSERVED] = TURN_REFUSED_UNSERVED, [PARKED_SERVED] = TURN_REFUSED_SERVED};
    network *n = c->network;
    if (c->input.state != INPUT_POLLED) {
        return;
    }
    const bool shakes = c->kind->shakes_hands(c);
    const bool served = loop_turn_served(n->time, LOOP_READ, c->subject);
    const parked_kind kind = served ? PARKED_SERVED : PARKED_UNSERVED;
    if (shakes || n->parked[kind].turn_refused++ >= MOST[kind]) {
        c->input.parked = kind;
        loop_turn_begin(n->time);
        c->kind->read_stop(c);
        input_change(c, shakes ? INPUT_SHAKING : INPUT_PARKED);
        network_go_on(n);
    }
}

void connection_input_over(connection *c)
{
    input_change(c, INPUT_OVER);
    c->kind->read_stop(c);
    if (c->state == CONNECTION_ENDED) {
        c->kind->both_ended(c);
    } else if (c->state == CONNECTION_OPEN) {
        c->network->handler.ended(c->peer);
    }
}

void connection_take_input(connection *c, ssize_t size, const uint8_t *data)
{
    if (size == UV_EOF) {
        connection_input_over(c);
    } else if (size < 0) {
        log_debug("connection %s: %s", c->name, uv_strerror((int)size));
        connection_end_now(c);
    } else if (size > 0) {
        c->kind->received(c, data, (size_t)size);
    }
}

void connection_on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    connection *c = (connection *)stream;
    ASSERT(c->state != CONNECTION_NEW && c->state != CONNECTION_CLOSED);
    if (size == UV_ENOBUFS) {
        refuse_read(c);
    } else {
        connection_take_input(c, size, (const uint8_t *)buf->base);
    }
}

// ---- whether it is read

void connection_update_reading(connection *c)
{
    const bool closing = c->state == CONNECTION_FLUSHING || c->state == CONNECTION_ENDED;
    const bool drained = c->output.queue.size <= c->network->limits->output_bytes / 2;
    const bool want = closing || (c->input.read_wanted && drained);
    if (c->state == CONNECTION_CLOSED || c->input.state == INPUT_OVER || want == input_wanted(c)) {
        return;
    }
    if (want) {
        connection_poll_input(c);
    } else {
        input_change(c, INPUT_STOPPED);
        c->kind->read_stop(c);
    }
}

void connection_read(connection *c, bool wanted)
{
    c->input.read_wanted = wanted;
    connection_update_reading(c);
}

bool connection_is_read(const connection *c)
{
    return c->input.read_wanted;
}
