// What to do with a message from the server. It has passed the scanner, so it is whole and within
// the limits; what it says is still not believed: what is no response or notification, or holds
// what cannot be, closes the connection.
#include "client/lib/connection.h"

#include <string.h>

#include "client/lib/reader.h"
#include "client/lib/value_wire.h"
#include "proto/wire/check.h"
#include "proto/limits.h"
#include "proto/wire/rpc.h"

static void malformed(carom_client *c, const char *what)
{
    connection_close(c, CAROM_INTERNAL, "the server sent a malformed message: %s", what);
}

// ---- responses

static void read_error(const reader_item *item, carom_error *out)
{
    msgpack_object object = {.type = MSGPACK_OBJECT_NIL};
    if (item->kind == TAG_STR || item->kind == TAG_BIN) {
        object.type = MSGPACK_OBJECT_STR;
        object.via.str.ptr = (const char *)item->bytes;
        object.via.str.size = item->count;
    }
    struct error parsed;
    rpc_parse_error(&object, &parsed);
    fault_take(out, &parsed);
    out->from_server = true;
}

static void dispatch_response(carom_client *c, reader *r)
{
    reader_item id;
    reader_next(r, &id);
    if (r->failed || id.kind != TAG_INTEGER || id.negative || id.integer > UINT32_MAX) {
        malformed(c, "a response without an id");
        return;
    }
    const pending_request *entry = requests_find(&c->requests, id.integer);
    if (entry == NULL || entry->done) {
        c->traffic.late++;
        return;
    }
    reader ahead = *r;
    reader_item error_item;
    reader_next(&ahead, &error_item);
    reader_skip(r);
    if (error_item.kind != TAG_NIL) {
        carom_error answer;
        read_error(&error_item, &answer);
        requests_complete(c, id.integer, NULL, &answer);
        return;
    }
    carom_value *result = value_unpack(r);
    if (result == NULL) {
        malformed(c, "a result that cannot be held");
        return;
    }
    requests_complete(c, id.integer, result, NULL);
}

// ---- notifications

static void call_events(carom_client *c, const carom_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->event_count && c->state != CAROM_CLOSED; i++) {
        if (c->handlers.event == NULL) {
            return;
        }
        c->in_callback++;
        c->handlers.event(c, snapshot, &snapshot->events[i], c->handlers.user);
        c->in_callback--;
    }
}

static void dispatch_snapshot(carom_client *c, const uint8_t *map, size_t size)
{
    carom_snapshot snapshot;
    carom_error why;
    if (snapshot_decode(&c->decoder, map, size, &snapshot, &why) != CAROM_OK) {
        malformed(c, why.text);
        return;
    }
    c->traffic.snapshots++;
    c->traffic.events += snapshot.event_count;
    watch_apply(c, &snapshot);
    if (c->handlers.snapshot != NULL && c->state != CAROM_CLOSED) {
        c->in_callback++;
        c->handlers.snapshot(c, &snapshot, c->handlers.user);
        c->in_callback--;
    }
    call_events(c, &snapshot);
}

// What the library itself heeds, before the caller's handler sees it too.
static void heed_notification(carom_client *c, const char *method, const carom_value *params)
{
    if (strcmp(method, "closing") == 0) {
        c->told = true;
        c->close_code = carom_status_from_name(carom_get_str(params, "code", "internal"));
        carom_error text;
        fault_set(&text, c->close_code, "%s",
                  carom_get_str(params, "reason", "the server closed the connection"));
        memcpy(c->close_text, text.text, sizeof c->close_text);
    } else if (strcmp(method, "world_closed") == 0) {
        watch_end(c, carom_get_uint(params, "subscription", 0));
    }
}

static void dispatch_other(carom_client *c, const char *method, carom_value *params)
{
    heed_notification(c, method, params);
    if (c->handlers.notification != NULL && c->state != CAROM_CLOSED) {
        c->in_callback++;
        c->handlers.notification(c, method, params, c->handlers.user);
        c->in_callback--;
    }
}

// The reader stands before the params: an array of one map, or of nothing.
static void dispatch_notification(carom_client *c, reader *r)
{
    char method[WIRE_METHOD_BYTES_MAX + 1];
    reader_text name = reader_get_text(r);
    uint32_t count = reader_array(r);
    if (r->failed || name.size >= sizeof method || count > 1) {
        malformed(c, "a notification without method or params");
        return;
    }
    memcpy(method, name.bytes, name.size);
    method[name.size] = '\0';
    if (count == 1 && reader_text_is(name, "snapshot")) {
        dispatch_snapshot(c, r->at, (size_t)(r->end - r->at));
        return;
    }
    carom_value *params = count == 1 ? value_unpack(r) : carom_map();
    if (carom_value_type(params) != CAROM_MAP) {
        malformed(c, "a notification whose params are no map");
    } else {
        dispatch_other(c, method, params);
    }
    carom_value_free(params);
}

// ---- the envelope

enum { RESPONSE_SIZE = 4, NOTIFICATION_SIZE = 3 };

static bool is_snapshot(reader r)
{
    return reader_text_is(reader_get_text(&r), "snapshot");
}

void dispatch_message(carom_client *c, const uint8_t *bytes, size_t size)
{
    reader r = reader_open(bytes, size);
    uint32_t count = reader_array(&r);
    uint64_t kind = reader_unsigned(&r);
    bool response = kind == RPC_RESPONSE && count == RESPONSE_SIZE;
    bool notification = kind == RPC_NOTIFICATION && count == NOTIFICATION_SIZE;
    if (r.failed || (!response && !notification)) {
        malformed(c, "neither a response nor a notification");
        return;
    }
    // Snapshots are checked by their decoder as it goes.
    struct error why;
    if (!(notification && is_snapshot(r)) && message_check(bytes, size, &why) != STATUS_OK) {
        malformed(c, why.text);
        return;
    }
    if (response) {
        dispatch_response(c, &r);
    } else {
        dispatch_notification(c, &r);
    }
}
