// Messages out, and what becomes of requests: carom_send, carom_request, carom_take, carom_call.
#include <stdlib.h>
#include <string.h>

#include "client/lib/connection.h"
#include "client/lib/value_wire.h"
#include "proto/limits.h"
#include "proto/wire/rpc.h"

// The message and its params are containers too.
enum { ARGUMENTS_DEPTH_MAX = WIRE_DEPTH_MAX - 2 };

static void pack_head(msgpack_packer *packer, uint32_t id, const char *name)
{
    if (id != 0) {
        rpc_pack_request(packer, id, name);
    } else {
        rpc_pack_notification(packer, name);
    }
}

static carom_status pack_args(msgpack_packer *packer, const outgoing *message, buffer *out,
                              carom_error *err)
{
    if (message->encoded != NULL) {
        buffer_append(out, message->encoded->data, message->encoded->size);
        return CAROM_OK;
    }
    if (message->args == NULL) {
        msgpack_pack_map(packer, 0);
        return CAROM_OK;
    }
    return value_pack(packer, message->args, ARGUMENTS_DEPTH_MAX, err);
}

static carom_status check_outgoing(const carom_client *c, const outgoing *message, carom_error *err)
{
    if (c->state == CAROM_CLOSED || c->write_failure != 0) {
        return fault_set(err, CAROM_UNAVAILABLE, "not connected%s%s",
                         c->close_text[0] == '\0' ? "" : ": ", c->close_text);
    }
    if (message->method == NULL || message->method[0] == '\0') {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "method: missing");
    }
    if (message->args != NULL && carom_value_type(message->args) != CAROM_MAP) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "args: expected a map of named arguments");
    }
    return CAROM_OK;
}

carom_status client_append(carom_client *c, uint32_t id, const outgoing *message, carom_error *err)
{
    size_t begin = c->out.size;
    c->out.size_max = c->out_sent + c->options.output_bytes_max;
    msgpack_packer packer = buffer_packer(&c->out);
    pack_head(&packer, id, message->method);
    carom_status outcome = pack_args(&packer, message, &c->out, err);
    if (outcome == CAROM_OK && c->out.overflow) {
        outcome = fault_set(err, CAROM_LIMIT_EXCEEDED,
                            "the output buffer has no room: %zu bytes wait, %zu are the limit",
                            begin - c->out_sent, c->options.output_bytes_max);
    }
    if (outcome != CAROM_OK) {
        buffer_truncate(&c->out, begin);
        return outcome;
    }
    c->traffic.messages_out++;
    if (!c->held) {
        connection_write(c);
    }
    return CAROM_OK;
}

carom_status carom_send(carom_client *client, const char *name, const carom_value *args,
                        carom_error *err)
{
    outgoing message = {.method = name, .args = args};
    carom_status outcome = check_outgoing(client, &message, err);
    return outcome == CAROM_OK ? client_append(client, 0, &message, err) : outcome;
}

static void note_method(pending_request *entry, const char *name)
{
    size_t size = strnlen(name, sizeof entry->method - 1);
    memcpy(entry->method, name, size);
    entry->method[size] = '\0';
}

carom_status client_request(carom_client *c, const outgoing *message, int timeout_ms,
                            carom_response_fn fn, void *user, uint64_t *request, carom_error *err)
{
    carom_status outcome = check_outgoing(c, message, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (timeout_ms <= 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "timeout_ms: must be above 0, is %d",
                         timeout_ms);
    }
    if (c->requests.entries.count >= c->options.requests_max) {
        return fault_set(err, CAROM_LIMIT_EXCEEDED, "%u requests are waiting, which is the limit",
                         c->options.requests_max);
    }
    pending_request *entry = requests_add(&c->requests, deadline_after_ms(timeout_ms), timeout_ms);
    entry->fn = fn;
    entry->user = user;
    note_method(entry, message->method);
    uint32_t id = entry->id;
    outcome = client_append(c, id, message, err);
    if (outcome != CAROM_OK) {
        requests_remove(&c->requests, id);
        return outcome;
    }
    if (request != NULL) {
        *request = id;
    }
    return CAROM_OK;
}

carom_status carom_request(carom_client *client, const char *name, const carom_value *args,
                           int timeout_ms, carom_response_fn fn, void *user, uint64_t *request,
                           carom_error *err)
{
    outgoing message = {.method = name, .args = args};
    return client_request(client, &message, timeout_ms, fn, user, request, err);
}

bool carom_take(carom_client *client, uint64_t request, carom_status *outcome, carom_value **result,
                carom_error *err)
{
    pending_request *entry = requests_find(&client->requests, request);
    if (entry == NULL || entry->fn != NULL) {
        *outcome =
            fault_set(err, CAROM_NOT_FOUND, "no request %llu is kept", (unsigned long long)request);
        return true;
    }
    if (!entry->done) {
        return false;
    }
    *outcome = entry->outcome;
    if (entry->outcome != CAROM_OK) {
        fault_copy(err, &entry->error);
    } else if (result != NULL) {
        *result = entry->result;
        entry->result = NULL;
    }
    requests_remove(&client->requests, request);
    return true;
}

void carom_cancel(carom_client *client, uint64_t request)
{
    if (request != client->hello_request) {
        requests_remove(&client->requests, request);
    }
}

// ---- waiting

carom_status client_may_wait(const carom_client *c, carom_error *err)
{
    if (c->in_callback > 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "waiting is not possible in a callback: use carom_request or carom_send");
    }
    return CAROM_OK;
}

carom_status client_call(carom_client *c, const outgoing *message, int timeout_ms,
                         carom_value **result, carom_error *err)
{
    carom_status outcome = client_may_wait(c, err);
    uint64_t request = 0;
    if (outcome == CAROM_OK) {
        outcome = client_request(c, message, timeout_ms, NULL, NULL, &request, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_enter(c);
    connection_write(c); // held or not: the answer is waited for
    while (!carom_take(c, request, &outcome, result, err)) {
        if (!connection_pump(c)) {
            connection_wait(c, INT64_MAX); // the request's own deadline ends it
        }
    }
    client_leave(c);
    return outcome;
}

carom_status carom_call(carom_client *client, const char *name, const carom_value *args,
                        int timeout_ms, carom_value **result, carom_error *err)
{
    outgoing message = {.method = name, .args = args};
    return client_call(client, &message, timeout_ms, result, err);
}
