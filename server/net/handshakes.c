// TLS handshakes that wait for their time. A handshake costs a signature, more than all else that a
// read brings, so the loop's reads do not wait behind handshakes: a connection in its handshake
// that has input is set apart, and its socket is not polled. After the turn's other input is read,
// a few of those are read here, shared fairly among addresses (turn_queue.h): until the stage
// LOOP_HANDSHAKE is over, TURN_HANDSHAKES at most, and one in any case.
//
// A connection waits here once at most, so that the connections' own limits bound the queue.
// The loop's thread only.
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/net/internal.h"

void handshakes_init(network *n)
{
    turn_queue_init(&n->handshakes, UINT32_MAX, clock_processor_ns);
}

void handshakes_deinit(network *n)
{
    turn_queue_deinit(&n->handshakes);
}

// Reads once, as the loop would; then the loop polls the socket again.
static job_progress read_one(turn_job *job, const turn *slice)
{
    (void)slice; // a handshake's message is processed in one piece
    connection *c = (connection *)((char *)job - offsetof(connection, input.handshake));
    network *n = c->network;
    int descriptor = -1;
    const int result = uv_fileno((const uv_handle_t *)&c->socket, &descriptor);
    ASSERT(result == 0 && c->input.state == INPUT_SHAKING);
    connection_poll_input(c);
    if (c->state == CONNECTION_CLOSED) {
        return JOB_DONE;
    }
    const ssize_t size = recv(descriptor, n->input, sizeof n->input, 0);
    if (size > 0) {
        connection_take_input(c, size, n->input);
    } else if (size == 0) {
        connection_take_input(c, UV_EOF, NULL);
    } else if (errno != EAGAIN && errno != EINTR) {
        connection_take_input(c, -errno, NULL);
    }
    return JOB_DONE;
}

void handshakes_add(connection *c)
{
    turn_queue *waiting = &c->network->handshakes;
    const bool added = turn_queue_add(waiting, &c->input.handshake, read_one, c->subject);
    ASSERT(added);
}

void handshakes_remove(connection *c)
{
    turn_queue_remove(&c->network->handshakes, &c->input.handshake);
}

void handshakes_run(network *n)
{
    if (n->handshakes.count == 0) {
        return;
    }
    const turn left = loop_turn_stage(n->time, LOOP_HANDSHAKE);
    bool more = true;
    for (int i = 0; more && i < TURN_HANDSHAKES && (i == 0 || !turn_over(&left)); i++) {
        const turn one = turn_part(&left, 0);
        more = turn_queue_run(&n->handshakes, &one);
    }
    if (more) {
        network_go_on(n);
    }
}
