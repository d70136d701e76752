#include <carom/client.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/connection.h"
#include "common/base/assert.h"
#include "proto/limits.h"
#include "proto/methods.h"

_Static_assert(CAROM_MESSAGE_BYTES_MAX == WIRE_REPLY_BYTES_MAX, "all that a server may say");

// ---- life

carom_options carom_options_default(void)
{
    return (carom_options){
        .name = "libcarom",
        .hello = true,
        .output_bytes_max = CAROM_OUTPUT_BYTES_MAX,
        .message_bytes_max = CAROM_MESSAGE_BYTES_MAX,
        .requests_max = CAROM_REQUESTS_MAX,
    };
}

static carom_status check_options(const carom_options *options, int timeout_ms, carom_error *err)
{
    if (timeout_ms <= 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "timeout_ms: must be above 0, is %d",
                         timeout_ms);
    }
    if (options->output_bytes_max < WIRE_MESSAGE_BYTES_MIN ||
        options->output_bytes_max > WIRE_REPLY_BYTES_MAX ||
        options->message_bytes_max < WIRE_MESSAGE_BYTES_MIN ||
        options->message_bytes_max > WIRE_REPLY_BYTES_MAX) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "output_bytes_max, message_bytes_max: must be %d to %d",
                         WIRE_MESSAGE_BYTES_MIN, WIRE_REPLY_BYTES_MAX);
    }
    if (options->requests_max < 1 || options->requests_max > 1U << 24) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "requests_max: must be 1 to %u", 1U << 24);
    }
    return CAROM_OK;
}

static carom_client *create_client(const carom_options *options, int timeout_ms)
{
    carom_client *c = calloc(1, sizeof *c);
    ASSERT(c != NULL);
    c->state = CAROM_CONNECTING;
    c->fd = -1;
    c->options = *options;
    c->connect_deadline_ns = deadline_after_ms(timeout_ms);
    c->requests.next_deadline_ns = INT64_MAX;
    buffer_init(&c->out, options->output_bytes_max);
    scanner_limits limits = scanner_limits_reply();
    limits.bytes_max = (uint32_t)options->message_bytes_max;
    scanner_init(&c->scan, &limits);
    return c;
}

static void destroy_client(carom_client *c)
{
    ASSERT(c->fd < 0);
    ASSERT(c->views.count == 0);
    requests_deinit(&c->requests);
    snapshot_decoder_deinit(&c->decoder);
    array_free(&c->views);
    buffer_deinit(&c->out);
    carom_value_free(c->hello);
    free(c->in);
    free(c);
}

void client_enter(carom_client *c)
{
    c->entered++;
}

bool client_leave(carom_client *c)
{
    ASSERT(c->entered > 0);
    if (--c->entered > 0 || !c->doomed) {
        return false;
    }
    destroy_client(c);
    return true;
}

void carom_close(carom_client *client)
{
    client_enter(client);
    connection_close(client, CAROM_OK, "%s", "");
    client_leave(client);
}

void carom_free(carom_client *client)
{
    if (client == NULL) {
        return;
    }
    client_enter(client);
    connection_close(client, CAROM_OK, "%s", "");
    client->doomed = true;
    client_leave(client);
}

// ---- connecting

static carom_value *hello_args(const carom_options *options)
{
    carom_value *args = carom_set(carom_map(), "protocol", carom_uint(PROTOCOL_VERSION));
    if (options->name != NULL) {
        carom_set(args, "client", carom_str(options->name));
    }
    if (options->token != NULL) {
        carom_set(args, "token", carom_str(options->token));
    }
    if (options->resume != NULL) {
        carom_set(args, "resume", carom_str(options->resume));
    }
    return args;
}

static void hello_answered(carom_client *c, uint64_t request, const carom_value *result,
                           const carom_error *err, void *user)
{
    (void)request;
    (void)user;
    c->hello_request = 0;
    if (c->state == CAROM_CLOSED) {
        return;
    }
    if (err != NULL) {
        connection_close(c, err->status, "%s", err->text);
        return;
    }
    c->hello = carom_value_clone(result);
    connection_opened(c);
}

// Hello is the first in the output buffer, before there is a socket to write it to.
static carom_status append_hello(carom_client *c, const carom_options *options, int timeout_ms,
                                 carom_error *err)
{
    carom_value *args = hello_args(options);
    outgoing message = {.method = "hello", .args = args};
    carom_status outcome =
        client_request(c, &message, timeout_ms, hello_answered, NULL, &c->hello_request, err);
    carom_value_free(args);
    return outcome;
}

static void note_where(carom_client *c, const char *host, uint16_t port)
{
    bool v6 = strchr(host, ':') != NULL;
    snprintf(c->where, sizeof c->where, v6 ? "[%.80s]:%u" : "%.80s:%u", host, (unsigned)port);
}

// Everything up to the socket being on its way. The handlers are not called in here: to the caller
// there is no client yet.
static carom_status begin_client(carom_client *c, const char *host, uint16_t port, int timeout_ms,
                                 const carom_options *options, carom_error *err)
{
    note_where(c, host, port);
    carom_status outcome = address_resolve(host, port, &c->addresses, err);
    if (outcome == CAROM_OK && options->hello) {
        outcome = append_hello(c, options, timeout_ms, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    connection_begin(c);
    return c->state == CAROM_CLOSED ? connection_fault(c, err) : CAROM_OK;
}

carom_status carom_connect_start(const char *host, uint16_t port, int timeout_ms,
                                 const carom_options *options, carom_client **out, carom_error *err)
{
    carom_options defaults = carom_options_default();
    options = options == NULL ? &defaults : options;
    carom_status outcome = check_options(options, timeout_ms, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    carom_client *c = create_client(options, timeout_ms);
    outcome = begin_client(c, host == NULL ? CAROM_HOST_DEFAULT : host,
                           port == 0 ? CAROM_PORT_DEFAULT : port, timeout_ms, options, err);
    if (outcome != CAROM_OK) {
        carom_free(c);
        return outcome;
    }
    c->handlers = options->handlers;
    *out = c;
    return CAROM_OK;
}

carom_status carom_connect_fd(int fd, int timeout_ms, const carom_options *options,
                              carom_client **out, carom_error *err)
{
    carom_options defaults = carom_options_default();
    options = options == NULL ? &defaults : options;
    carom_status outcome = check_options(options, timeout_ms, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "fd: %s", strerror(errno));
    }
    carom_client *c = create_client(options, timeout_ms);
    outcome = options->hello ? append_hello(c, options, timeout_ms, err) : CAROM_OK;
    if (outcome != CAROM_OK) {
        carom_free(c);
        return outcome;
    }
    c->fd = fd;
    c->connected = true;
    if (!options->hello) {
        connection_opened(c);
    }
    c->handlers = options->handlers;
    *out = c;
    return CAROM_OK;
}

carom_status carom_connect(const char *host, uint16_t port, int timeout_ms,
                           const carom_options *options, carom_client **out, carom_error *err)
{
    carom_client *c = NULL;
    carom_options quiet = options == NULL ? carom_options_default() : *options;
    carom_handlers handlers = quiet.handlers;
    quiet.handlers = (carom_handlers){0}; // until there is a client that the caller knows
    carom_status outcome = carom_connect_start(host, port, timeout_ms, &quiet, &c, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_enter(c);
    while (c->state == CAROM_CONNECTING) {
        if (!connection_pump(c)) {
            connection_wait(c, c->connect_deadline_ns);
        }
    }
    bool gone = client_leave(c);
    ASSERT(!gone); // no callback has seen it yet
    if (c->state == CAROM_CLOSED) {
        outcome = connection_fault(c, err);
        carom_free(c);
        return outcome;
    }
    c->handlers = handlers;
    *out = c;
    return CAROM_OK;
}

// ---- waiting

static carom_status leave_with(carom_client *c, carom_status outcome, carom_error *err)
{
    if (outcome == CAROM_OK && c->state == CAROM_CLOSED) {
        outcome = connection_fault(c, err);
    }
    if (client_leave(c) && outcome == CAROM_OK) {
        outcome = fault_set(err, CAROM_UNAVAILABLE, "the client was freed in a callback");
    }
    return outcome;
}

carom_status carom_poll(carom_client *client, int timeout_ms, carom_error *err)
{
    carom_status outcome = client_may_wait(client, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_enter(client);
    int64_t deadline = deadline_after_ms(timeout_ms);
    bool any = connection_pump(client);
    while (!any && client->state != CAROM_CLOSED && timeout_ms != 0 && monotonic_ns() < deadline) {
        connection_wait(client, deadline);
        any = connection_pump(client);
    }
    return leave_with(client, CAROM_OK, err);
}

carom_status carom_flush(carom_client *client, int timeout_ms, carom_error *err)
{
    carom_status outcome = client_may_wait(client, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_enter(client);
    int64_t deadline = deadline_after_ms(timeout_ms);
    connection_pump(client);
    while (client->state != CAROM_CLOSED && client->out_sent < client->out.size) {
        if (monotonic_ns() >= deadline) {
            outcome = fault_set(err, CAROM_UNAVAILABLE, "%zu bytes are still waiting after %d ms",
                                client->out.size - client->out_sent, timeout_ms);
            break;
        }
        connection_wait(client, deadline);
        connection_pump(client);
    }
    return leave_with(client, outcome, err);
}

void carom_hold(carom_client *client, bool hold)
{
    client->held = hold;
    if (!hold) {
        connection_write(client);
    }
}

// ---- for one's own loop, and to look at

int carom_fd(const carom_client *client)
{
    return client->fd;
}

bool carom_wants_write(const carom_client *client)
{
    if (client->state == CAROM_CLOSED) {
        return false;
    }
    return !client->connected || client->out_sent < client->out.size;
}

int carom_timeout_ms(const carom_client *client)
{
    if (client->state == CAROM_CLOSED) {
        return -1;
    }
    int64_t deadline = client->requests.next_deadline_ns;
    if (!client->connected && client->address_deadline_ns < deadline) {
        deadline = client->address_deadline_ns;
    }
    if (deadline == INT64_MAX) {
        return -1;
    }
    int64_t left = (deadline - monotonic_ns() + 999999) / 1000000;
    return left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

carom_state carom_client_state(const carom_client *client)
{
    return client->state;
}

carom_status carom_close_reason(const carom_client *client, const char **reason)
{
    bool closed = client->state == CAROM_CLOSED;
    if (reason != NULL) {
        *reason = closed ? client->close_text : "";
    }
    return closed ? client->close_code : CAROM_OK;
}

void carom_set_handlers(carom_client *client, const carom_handlers *handlers)
{
    client->handlers = handlers == NULL ? (carom_handlers){0} : *handlers;
}

void *carom_user(const carom_client *client)
{
    return client->handlers.user;
}

const carom_value *carom_hello(const carom_client *client)
{
    return client->hello;
}

carom_traffic carom_client_traffic(const carom_client *client)
{
    carom_traffic traffic = client->traffic;
    traffic.output_bytes = client->out.size - client->out_sent;
    traffic.requests = client->requests.waiting;
    return traffic;
}
