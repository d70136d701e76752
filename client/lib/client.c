// The life of a client: connecting, waiting, closing; and the public functions that only look. One
// thread at a time.
#include "client/lib/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "proto/limits.h"
#include "proto/methods.h"

_Static_assert(CAROM_MESSAGE_BYTES_MAX == WIRE_REPLY_BYTES_MAX, "all that a server may say");

// ---- options

enum { REQUESTS_MAX_MAX = 1 << 24 };

carom_options carom_options_default(void)
{
    return (carom_options){
        .exact = true,
        .name = "libcarom",
        .hello = true,
        .output_bytes_max = CAROM_OUTPUT_BYTES_MAX,
        .message_bytes_max = CAROM_MESSAGE_BYTES_MAX,
        .requests_max = CAROM_REQUESTS_MAX,
    };
}

// The options with all defaults filled in, whether the caller began with the default function or
// with zeros.
static carom_options complete(const carom_options *options)
{
    carom_options all = carom_options_default();
    if (options == NULL) {
        return all;
    }
    if (options->exact) {
        return *options;
    }
    carom_options given = *options;
    given.exact = true;
    given.hello = true;
    given.name = given.name == NULL ? all.name : given.name;
    given.output_bytes_max =
        given.output_bytes_max == 0 ? all.output_bytes_max : given.output_bytes_max;
    given.message_bytes_max =
        given.message_bytes_max == 0 ? all.message_bytes_max : given.message_bytes_max;
    given.requests_max = given.requests_max == 0 ? all.requests_max : given.requests_max;
    return given;
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
    if (options->requests_max < 1 || options->requests_max > REQUESTS_MAX_MAX) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "requests_max: must be 1 to %d",
                         REQUESTS_MAX_MAX);
    }
    const carom_reconnect *r = &options->reconnect;
    if (r->first_ms < 0 || r->max_ms < 0 || r->give_up_ms < 0 || r->silence_ms < 0) {
        return fault_set(
            err, CAROM_INVALID_ARGUMENT,
            "reconnect: first_ms, max_ms, give_up_ms, silence_ms: must not be negative");
    }
    return CAROM_OK;
}

// ---- life

static carom_client *create_client(carom_client *front, const carom_options *options)
{
    carom_client *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->state = CAROM_CONNECTING;
    c->refs = 1;
    c->front = front != NULL ? front : c;
    c->server_bit = 1;
    c->options = *options;
    requests_init(&c->requests);
    connection_limits limits = {options->output_bytes_max, options->message_bytes_max};
    connection_init(&c->wire, &limits);
    if (!resume_init(c, options) || !follow_init(c, options)) {
        resume_deinit(c);
        follow_deinit(c);
        free(c);
        return NULL;
    }
    c->kin = ++c->front->follow.kins;
    return c;
}

static void destroy_client(carom_client *c)
{
    ASSERT(c->state == CAROM_CLOSED);
    ASSERT(c->views.first == NULL);
    follow_deinit(c);
    connection_deinit(&c->wire);
    requests_deinit(&c->requests);
    vector_free(&c->homes);
    snapshot_decoder_deinit(&c->decoder);
    carom_value_free(c->hello);
    resume_deinit(c);
    free(c);
}

void client_ref(carom_client *c)
{
    ASSERT(c->refs > 0);
    c->refs++;
}

bool client_unref(carom_client *c)
{
    ASSERT(c->refs > 0);
    if (--c->refs > 0) {
        return false;
    }
    client_close(c, CAROM_OK, "%s", "");
    destroy_client(c);
    return true;
}

carom_client *carom_ref(carom_client *client)
{
    if (client != NULL) {
        client_ref(client);
    }
    return client;
}

void carom_unref(carom_client *client)
{
    if (client != NULL) {
        client_unref(client);
    }
}

void carom_close(carom_client *client)
{
    if (client != NULL) {
        client_ref(client);
        client_close(client, CAROM_OK, "%s", "");
        client_unref(client);
    }
}

void carom_free(carom_client *client)
{
    if (client == NULL || client->freed) {
        return; // another callback closed it once more
    }
    client->freed = true;
    carom_close(client);
    client_unref(client);
}

carom_status client_closed_fault(const carom_client *c, carom_error *err)
{
    if (c->wire.why == CAROM_OK) {
        return fault_set(err, CAROM_UNAVAILABLE, "the connection is closed");
    }
    return fault_set(err, c->wire.why, "%s", c->wire.why_text);
}

// ---- hello

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

// Hello is the first in the output buffer, before there is a socket to write it to.
static carom_status append_hello(carom_client *c, const carom_options *options, int timeout_ms,
                                 carom_error *err)
{
    carom_value *args = hello_args(options);
    if (args == NULL) {
        return fault_memory(err);
    }
    carom_status outcome = client_hello(c, args, timeout_ms, err);
    carom_value_free(args);
    return outcome;
}

carom_status client_hello(carom_client *c, const carom_value *args, int timeout_ms,
                          carom_error *err)
{
    ASSERT(c->hello_request == 0 && connection_unsent(&c->wire) == 0);
    return client_request(c, "hello", args, timeout_ms, NULL, NULL, &c->hello_request, err);
}

void client_take_hello(carom_client *c, const carom_value *result, const carom_error *err)
{
    ASSERT((result != NULL) != (err != NULL));
    if (c->state == CAROM_CLOSED) {
        return;
    }
    if (err != NULL) {
        client_close(c, err->status, "%s", err->text);
        return;
    }
    c->hello = carom_value_clone(result);
    if (c->hello == NULL) {
        client_close(c, CAROM_OUT_OF_MEMORY, "memory has run out for the answer to hello");
        return;
    }
    c->state = CAROM_OPEN;
    c->resume.up_since_ns = monotonic_ns();
}

// ---- connecting

void client_note_where(char out[WHERE_MAX], const char *host, uint16_t port)
{
    bool v6 = strchr(host, ':') != NULL;
    snprintf(out, WHERE_MAX, v6 ? "[%.80s]:%u" : "%.80s:%u", host, (unsigned)port);
}

// Clears the options' texts: they belong to the caller and are not kept.
static void forget_texts(carom_options *options)
{
    options->name = options->token = options->resume = NULL;
    options->tls.ca_file = options->tls.name = NULL;
}

// Makes a client with its hello in the output buffer and no socket. The handlers are not set yet,
// since the caller does not have the client.
static carom_status prepare(carom_client *front, const carom_options *options, int timeout_ms,
                            carom_client **out, carom_error *err)
{
    carom_client *c = create_client(front, options);
    if (c == NULL) {
        return fault_memory(err);
    }
    carom_status outcome = CAROM_OK;
    if (options->hello) {
        outcome = append_hello(c, options, timeout_ms, err);
    }
    forget_texts(&c->options);
    if (outcome != CAROM_OK) {
        carom_free(c);
        return outcome;
    }
    *out = c;
    return CAROM_OK;
}

carom_status carom_connect_start(const char *host, uint16_t port, int timeout_ms,
                                 const carom_options *options, carom_client **out, carom_error *err)
{
    return client_start(NULL, host, port, timeout_ms, options, out, err);
}

carom_status client_start(carom_client *front, const char *host, uint16_t port, int timeout_ms,
                          const carom_options *options, carom_client **out, carom_error *err)
{
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    carom_options all = complete(options);
    carom_client *c = NULL;
    address_list addresses;
    host = host == NULL ? CAROM_HOST_DEFAULT : host;
    port = port == 0 ? CAROM_PORT_DEFAULT : port;
    carom_status outcome = check_options(&all, timeout_ms, err);
    if (outcome == CAROM_OK) {
        outcome = address_resolve(host, port, &addresses, err);
    }
    if (outcome == CAROM_OK) {
        outcome = prepare(front, &all, timeout_ms, &c, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_note_where(c->wire.where, host, port);
    if (all.tls.on) {
        outcome = tls_trust_create(&all.tls, host, &c->wire.trust, err);
        if (outcome != CAROM_OK) {
            carom_free(c);
            return outcome;
        }
    }
    c->wire.addresses = addresses;
    connection_dial(&c->wire, deadline_after_ms(timeout_ms));
    if (c->wire.phase == CONNECTION_DOWN) {
        outcome = client_closed_fault(c, err);
        carom_free(c);
        return outcome;
    }
    c->handlers = all.handlers;
    *out = c;
    return CAROM_OK;
}

carom_status carom_connect_fd(int fd, int timeout_ms, const carom_options *options,
                              carom_client **out, carom_error *err)
{
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    carom_options all = complete(options);
    carom_client *c = NULL;
    carom_status outcome = check_options(&all, timeout_ms, err);
    if (outcome == CAROM_OK && all.reconnect.on) {
        outcome = fault_set(err, CAROM_INVALID_ARGUMENT,
                            "reconnect: a socket of somebody else's cannot be dialed again");
    }
    if (outcome == CAROM_OK) {
        outcome = prepare(NULL, &all, timeout_ms, &c, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        outcome = fault_set(err, CAROM_INVALID_ARGUMENT, "fd: %s", strerror(errno));
        carom_free(c);
        return outcome;
    }
    if (all.tls.on) {
        outcome = tls_trust_create(&all.tls, NULL, &c->wire.trust, err);
        if (outcome != CAROM_OK) {
            carom_free(c);
            return outcome;
        }
    }
    connection_adopt(&c->wire, fd);
    c->state = all.hello ? CAROM_CONNECTING : CAROM_OPEN;
    c->handlers = all.handlers;
    *out = c;
    return CAROM_OK;
}

carom_status carom_connect(const char *host, uint16_t port, int timeout_ms,
                           const carom_options *options, carom_client **out, carom_error *err)
{
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    carom_client *c = NULL;
    carom_options quiet = complete(options);
    carom_handlers handlers = quiet.handlers;
    quiet.handlers = (carom_handlers){0}; // no callbacks until the caller has the client
    carom_status outcome = carom_connect_start(host, port, timeout_ms, &quiet, &c, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    int64_t deadline = c->wire.dial_deadline_ns;
    while (c->state == CAROM_CONNECTING) {
        if (!client_pump(c)) {
            client_wait(c, deadline);
        }
    }
    if (c->state == CAROM_CLOSED) {
        outcome = client_closed_fault(c, err);
        carom_free(c);
        return outcome;
    }
    c->handlers = handlers;
    *out = c;
    return CAROM_OK;
}

// ---- waiting

carom_status client_may_wait(const carom_client *c, carom_error *err)
{
    if (c == NULL) {
        return fault_missing(err, "client");
    }
    if (c->in_callback > 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "waiting is not possible in a callback: use carom_request or carom_send");
    }
    return CAROM_OK;
}

static carom_status leave_with(carom_client *c, carom_status outcome, carom_error *err)
{
    if (outcome == CAROM_OK && c->state == CAROM_CLOSED) {
        outcome = client_closed_fault(c, err);
    }
    if (client_unref(c) && outcome == CAROM_OK) {
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
    client_ref(client);
    int64_t deadline = deadline_after_ms(timeout_ms);
    bool any = client_pump(client);
    while (!any && client->state != CAROM_CLOSED && timeout_ms != 0 && monotonic_ns() < deadline) {
        client_wait(client, deadline);
        any = client_pump(client);
    }
    return leave_with(client, CAROM_OK, err);
}

carom_status carom_flush(carom_client *client, int timeout_ms, carom_error *err)
{
    carom_status outcome = client_may_wait(client, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_ref(client);
    int64_t deadline = deadline_after_ms(timeout_ms);
    client_pump(client);
    while (client->state != CAROM_CLOSED &&
           (connection_unsent(&client->wire) + follow_unsent(client) > 0 ||
            client->state == CAROM_RECONNECTING)) {
        if (monotonic_ns() >= deadline) {
            outcome = fault_set(err, CAROM_UNAVAILABLE, "%llu %s still waiting after %d ms",
                                COUNTED(connection_unsent(&client->wire), "byte is", "bytes are"),
                                timeout_ms);
            break;
        }
        client_wait(client, deadline);
        client_pump(client);
    }
    return leave_with(client, outcome, err);
}

void carom_hold(carom_client *client, bool hold)
{
    if (client == NULL) {
        return;
    }
    client->held = hold;
    if (!hold) {
        connection_write(&client->wire);
    }
    for (uint32_t i = 0; i < client->follow.links.count; i++) {
        carom_hold(client->follow.links.data[i], hold);
    }
}

// ---- a caller's own loop, and figures

int carom_fd(const carom_client *client)
{
    const int all = client == NULL ? -1 : follow_fd(client);
    return client == NULL ? -1 : all >= 0 ? all : client->wire.fd;
}

bool carom_wants_write(const carom_client *client)
{
    // With several connections the descriptor of all waits for writing, too.
    return client != NULL && follow_fd(client) < 0 && connection_wants_write(&client->wire);
}

int carom_timeout_ms(const carom_client *client)
{
    if (client == NULL || client->state == CAROM_CLOSED) {
        return -1;
    }
    int64_t deadline = follow_deadline(client, client_deadline(client));
    if (deadline == INT64_MAX) {
        return -1;
    }
    int64_t left = (deadline - monotonic_ns() + 999999) / 1000000;
    return left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

carom_state carom_client_state(const carom_client *client)
{
    return client == NULL ? CAROM_CLOSED : client->state;
}

carom_status carom_close_reason(const carom_client *client, const char **reason)
{
    bool closed = client != NULL && client->state == CAROM_CLOSED;
    if (reason != NULL) {
        *reason = closed ? client->wire.why_text : "";
    }
    return closed ? client->wire.why : CAROM_OK;
}

void carom_set_handlers(carom_client *client, const carom_handlers *handlers)
{
    if (client != NULL) {
        client->handlers = handlers == NULL ? (carom_handlers){0} : *handlers;
    }
}

void *carom_user(const carom_client *client)
{
    return client == NULL ? NULL : client->handlers.user;
}

const carom_value *carom_hello_of(const carom_client *client, const char *world)
{
    const carom_client *server = client;
    for (uint32_t i = 0; client != NULL && world != NULL && i < client->follow.worlds.count; i++) {
        const followed_world *w = &client->follow.worlds.data[i];
        server = strcmp(w->world, world) == 0 ? w->link : server;
    }
    return carom_hello(server);
}

const carom_value *carom_hello(const carom_client *client)
{
    return client == NULL ? NULL : client->hello;
}

carom_traffic carom_client_traffic(const carom_client *client)
{
    if (client == NULL) {
        return (carom_traffic){0};
    }
    carom_traffic traffic = client->traffic;
    traffic.bytes_in = client->wire.bytes_in;
    traffic.bytes_out = client->wire.bytes_out;
    traffic.output_bytes = connection_unsent(&client->wire);
    traffic.requests = client->requests.waiting;
    for (uint32_t i = 0; i < client->follow.links.count; i++) {
        carom_traffic one = carom_client_traffic(client->follow.links.data[i]);
        traffic.bytes_in += one.bytes_in;
        traffic.bytes_out += one.bytes_out;
        traffic.messages_in += one.messages_in;
        traffic.messages_out += one.messages_out;
        traffic.snapshots += one.snapshots;
        traffic.events += one.events;
        traffic.late += one.late;
        traffic.reconnects += one.reconnects;
        traffic.output_bytes += one.output_bytes;
        traffic.requests += one.requests;
    }
    return traffic;
}
