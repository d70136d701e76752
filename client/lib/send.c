// Messages out, and the end of requests: carom_send, carom_request, carom_take, carom_call. One
// thread at a time.
#include <stdlib.h>
#include <string.h>

#include "client/lib/client.h"
#include "client/lib/value_wire.h"
#include "common/base/assert.h"
#include "common/base/counted.h"
#include "proto/limits.h"
#include "proto/wire/rpc.h"

// The message and its params array are containers too.
enum { ARGUMENTS_DEPTH_MAX = WIRE_DEPTH_MAX - 2 };

static carom_status check_outgoing(const carom_client *c, const char *method,
                                   const carom_value *args, carom_error *err)
{
    if (c == NULL) {
        return fault_missing(err, "client");
    }
    bool lost = c->wire.write_failure != 0 && !c->options.reconnect.on;
    if (c->state == CAROM_CLOSED || lost) {
        return fault_set(err, CAROM_UNAVAILABLE, "not connected%s%s",
                         c->wire.why_text[0] == '\0' ? "" : ": ", c->wire.why_text);
    }
    if (method == NULL || method[0] == '\0') {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "method: missing");
    }
    if (args != NULL && carom_value_type(args) != CAROM_MAP) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "args: expected a map of named arguments");
    }
    return CAROM_OK;
}

static carom_status no_room(const carom_client *c, size_t waiting, carom_error *err)
{
    return fault_set(err, CAROM_LIMIT_EXCEEDED,
                     "the output buffer has no room: %zu bytes wait, %zu are the limit", waiting,
                     c->options.output_bytes_max);
}

// The pinned epoch that a message must name but does not yet; 0: none.
static uint64_t pinned_epoch(const carom_client *c, const char *method, const carom_value *args)
{
    const epoch_table *epochs = &c->front->epochs;
    bool free = epochs->count == 0 || strcmp(method, "world.create") == 0 ||
                carom_value_get(args, "epoch") != NULL;
    return free ? 0 : epochs_pinned(epochs, carom_get_str(args, "world", ""));
}

// Packs a message at the end of the output buffer: [0, id, method, [args]], or [2, method, [args]]
// with `id` 0. On failure the buffer is as it was. *args_at (may be NULL): where args begin in it.
static carom_status pack(carom_client *c, uint32_t id, const char *method, const carom_value *args,
                         size_t *args_at, carom_error *err)
{
    buffer *out = connection_out(&c->wire);
    size_t begin = out->size;
    msgpack_packer packer = buffer_packer(out);
    if (id != 0) {
        rpc_pack_request(&packer, id, method);
    } else {
        rpc_pack_notification(&packer, method);
    }
    carom_status outcome = CAROM_OK;
    const uint64_t epoch = pinned_epoch(c, method, args);
    const size_t at = out->size;
    if (args_at != NULL) {
        *args_at = at;
    }
    if (args == NULL) {
        msgpack_pack_map(&packer, 0);
    } else {
        outcome = value_pack(&packer, args, ARGUMENTS_DEPTH_MAX, err);
    }
    if (outcome == CAROM_OK && !out->overflow && epoch != 0) {
        epochs_add(out, at, epoch);
    }
    if (outcome == CAROM_OK && out->overflow) {
        outcome = out->starved ? fault_memory(err) : no_room(c, begin - c->wire.out_sent, err);
    }
    if (outcome != CAROM_OK) {
        buffer_truncate(out, begin);
    }
    return outcome;
}

// Writes a packed message, unless output is held back.
static void release(carom_client *c)
{
    c->traffic.messages_out++;
    if (!c->held) {
        connection_write(&c->wire);
    }
}

carom_status client_send_again(carom_client *c, const pending_request *entry, uint64_t epoch,
                               carom_error *err)
{
    buffer *out = connection_out(&c->wire);
    size_t begin = out->size;
    buffer_append(out, entry->bytes, entry->size);
    if (epoch != 0 && !out->overflow) {
        epochs_add(out, begin + entry->args_at, epoch);
    }
    if (out->overflow) {
        carom_status outcome =
            out->starved ? fault_memory(err) : no_room(c, begin - c->wire.out_sent, err);
        buffer_truncate(out, begin);
        return outcome;
    }
    release(c);
    return CAROM_OK;
}

carom_status client_send_here(carom_client *client, const char *method, const carom_value *args,
                              carom_error *err)
{
    carom_status outcome = check_outgoing(client, method, args, err);
    if (outcome == CAROM_OK && client->heir) {
        outcome = fault_set(err, CAROM_UNAVAILABLE,
                            "not connected: the session goes along with its world to %s; "
                            "requests wait for that, notifications do not",
                            client->wire.where);
    }
    if (outcome == CAROM_OK && client->state == CAROM_RECONNECTING) {
        outcome = fault_set(err, CAROM_UNAVAILABLE, "not connected: reconnecting");
    }
    if (outcome == CAROM_OK) {
        outcome = pack(client, 0, method, args, NULL, err);
    }
    if (outcome == CAROM_OK) {
        release(client);
    }
    return outcome;
}

// Sends to the server of the world that the arguments name.
carom_status carom_send(carom_client *client, const char *method, const carom_value *args,
                        carom_error *err)
{
    carom_value *made = NULL;
    if (client != NULL) {
        client = client == client->front ? follow_target(client, &args, &made) : client;
    }
    carom_status outcome = client_send_here(client, method, args, err);
    carom_value_free(made);
    return outcome;
}

// Copies the message at the end of the output buffer, for another connection.
static carom_status keep_message(carom_client *c, pending_request *entry, const carom_value *args,
                                 size_t begin, carom_error *err)
{
    const buffer *out = &c->wire.out;
    size_t size = out->size - begin;
    if (requests_bytes(&c->requests) + size > c->options.output_bytes_max) {
        if (!c->options.reconnect.on) {
            return CAROM_OK; // it cannot go to another server, whose address is then the answer
        }
        return fault_set(err, CAROM_LIMIT_EXCEEDED,
                         "requests of %zu bytes wait for answers, and are kept to be sent again; "
                         "%zu are the limit",
                         requests_bytes(&c->requests), c->options.output_bytes_max);
    }
    entry->bytes = malloc(size);
    if (entry->bytes == NULL) {
        return fault_memory(err);
    }
    memcpy(entry->bytes, out->data + begin, size);
    requests_note_bytes(&c->requests, entry, size);
    entry->names_epoch =
        carom_value_get(args, "epoch") != NULL || pinned_epoch(c, entry->method, args) != 0;
    return CAROM_OK;
}

// Packs a request, and keeps it if it may have to be sent again. While there is no connection it is
// only kept.
static carom_status dispatch(carom_client *c, pending_request *entry, const char *method,
                             const carom_value *args, carom_error *err)
{
    bool hello = strcmp(method, "hello") == 0;
    size_t begin = c->wire.out.size;
    size_t args_at = 0;
    carom_status outcome = pack(c, entry->id, method, args, &args_at, err);
    entry->args_at = args_at - begin;
    const bool follows = !c->front->options.follow.off && entry->world[0] != '\0';
    if (outcome == CAROM_OK && (c->options.reconnect.on || follows) && !hello) {
        outcome = keep_message(c, entry, args, begin, err);
    }
    entry->sent =
        outcome == CAROM_OK && (hello || (c->state != CAROM_RECONNECTING && !entry->waits));
    if (!entry->sent) {
        buffer_truncate(&c->wire.out, begin);
    } else {
        release(c);
    }
    return outcome;
}

// Whether the arguments are needed when the answer is here.
static bool keeps_args(const char *method)
{
    return strcmp(method, "world.subscribe") == 0 || strcmp(method, "world.view") == 0;
}

// False when memory has run out.
static bool note_call(const carom_client *c, pending_request *entry, const char *name,
                      const carom_value *args)
{
    size_t size = strnlen(name, sizeof entry->method - 1);
    memcpy(entry->method, name, size);
    entry->method[size] = '\0';
    const char *world = carom_get_str(args, "world", "");
    if (strlen(world) < sizeof entry->world) {
        memcpy(entry->world, world, strlen(world) + 1);
        entry->epoch = epochs_known(&c->front->epochs, world);
        entry->waits = c != c->front && follow_must_wait(c->front, world);
    }
    const bool keeps = keeps_args(name) && !c->front->options.follow.off;
    entry->args = keeps ? carom_value_clone(args) : NULL;
    return entry->args != NULL || !keeps || args == NULL;
}

carom_status client_request_here(carom_client *c, const char *method, const carom_value *args,
                                 int timeout_ms, carom_response_fn fn, void *user,
                                 uint64_t *request, carom_error *err)
{
    carom_status outcome = check_outgoing(c, method, args, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (timeout_ms <= 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "timeout_ms: must be above 0, is %d",
                         timeout_ms);
    }
    if (c->requests.entries.count >= c->options.requests_max) {
        return fault_set(err, CAROM_LIMIT_EXCEEDED, "%llu %s waiting, which is the limit",
                         COUNTED(c->options.requests_max, "request is", "requests are"));
    }
    c->requests.last_id = c->front->requests.last_id; // one series of numbers over all servers
    pending_request *entry = requests_add(&c->requests, timeout_ms);
    if (entry == NULL) {
        return fault_memory(err);
    }
    c->front->requests.last_id = c->requests.last_id;
    entry->fn = fn;
    entry->user = user;
    uint32_t id = entry->id;
    outcome = note_call(c, entry, method, args) ? dispatch(c, entry, method, args, err)
                                                : fault_memory(err);
    if (outcome != CAROM_OK) {
        requests_remove(&c->requests, id);
        return outcome;
    }
    if (request != NULL) {
        *request = id;
    }
    return CAROM_OK;
}

carom_status client_request(carom_client *c, const char *method, const carom_value *args,
                            int timeout_ms, carom_response_fn fn, void *user, uint64_t *request,
                            carom_error *err)
{
    carom_value *made = NULL;
    if (c != NULL && c == c->front) {
        c = follow_target(c, &args, &made);
    }
    carom_status outcome = client_request_here(c, method, args, timeout_ms, fn, user, request, err);
    carom_value_free(made);
    return outcome;
}

// The client whose connection has the request; the front if none has.
static carom_client *holder_of(carom_client *front, uint64_t request)
{
    for (uint32_t i = 0; i < front->follow.links.count; i++) {
        carom_client *link = front->follow.links.data[i];
        if (requests_find(&link->requests, request) != NULL) {
            return link;
        }
    }
    return front;
}

carom_status carom_request(carom_client *client, const char *method, const carom_value *args,
                           int timeout_ms, carom_response_fn fn, void *user, uint64_t *request,
                           carom_error *err)
{
    return client_request(client, method, args, timeout_ms, fn, user, request, err);
}

bool carom_take(carom_client *client, uint64_t request, carom_status *outcome, carom_value **result,
                carom_error *err)
{
    carom_status ignored;
    outcome = outcome == NULL ? &ignored : outcome;
    client = client == NULL ? NULL : holder_of(client, request);
    pending_request *entry = client == NULL ? NULL : requests_find(&client->requests, request);
    if (client == NULL) {
        *outcome = fault_missing(err, "client");
        return true;
    }
    if (entry == NULL || entry->fn != NULL || request == client->hello_request) {
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
    client = client == NULL ? NULL : holder_of(client, request);
    if (client != NULL && request != client->hello_request) {
        requests_remove(&client->requests, request);
    }
}

carom_status carom_call(carom_client *client, const char *method, const carom_value *args,
                        int timeout_ms, carom_value **result, carom_error *err)
{
    carom_status outcome = client_may_wait(client, err);
    uint64_t request = 0;
    if (outcome == CAROM_OK) {
        outcome = client_request(client, method, args, timeout_ms, NULL, NULL, &request, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_ref(client);
    connection_write(&holder_of(client, request)->wire); // also if output is held back
    while (!carom_take(client, request, &outcome, result, err)) {
        if (!client_pump(client)) {
            client_wait(client, INT64_MAX); // the request's own deadline ends it
        }
    }
    client_unref(client);
    return outcome;
}
