// Envelopes of MessagePack-RPC as a client reads them. Any thread.
#include "client/lib/message.h"

#include <string.h>

#include "client/lib/value_wire.h"
#include "proto/wire/check.h"
#include "proto/wire/rpc.h"

enum { RESPONSE_SIZE = 4, NOTIFICATION_SIZE = 3 };

static carom_status malformed(carom_error *err, const char *what)
{
    return fault_set(err, CAROM_INTERNAL, "the server sent a malformed message: %s", what);
}

static bool is_snapshot(reader r)
{
    return reader_text_is(reader_get_text(&r), "snapshot");
}

// Checks for duplicate keys, and strings that are not UTF-8. Snapshots are checked by their
// decoder.
static carom_status check_contents(const uint8_t *bytes, size_t size, carom_error *err)
{
    struct error why;
    switch (message_check(bytes, size, &why)) {
    case STATUS_OK:
        return CAROM_OK;
    case STATUS_INTERNAL:
        return fault_memory(err);
    default:
        return malformed(err, why.text);
    }
}

static carom_status open_response(message *m, carom_error *err)
{
    reader_item id;
    reader_next(&m->at, &id);
    if (m->at.failed || id.kind != TAG_INTEGER || id.negative || id.integer > UINT32_MAX) {
        return malformed(err, "a response without an id");
    }
    m->kind = MESSAGE_RESPONSE;
    m->id = (uint32_t)id.integer;
    return CAROM_OK;
}

// The params must be an array of one map, or an empty array.
static carom_status open_notification(message *m, carom_error *err)
{
    reader_text name = reader_get_text(&m->at);
    uint32_t count = reader_array(&m->at);
    if (m->at.failed || name.size >= sizeof m->method || count > 1) {
        return malformed(err, "a notification without method or params");
    }
    memcpy(m->method, name.bytes, name.size);
    m->method[name.size] = '\0';
    m->has_params = count == 1;
    m->kind = !m->has_params                     ? MESSAGE_NOTIFICATION
              : reader_text_is(name, "snapshot") ? MESSAGE_SNAPSHOT
              : reader_text_is(name, "log")      ? MESSAGE_LOG
                                                 : MESSAGE_NOTIFICATION;
    return CAROM_OK;
}

carom_status message_open(const uint8_t *bytes, size_t size, message *out, carom_error *err)
{
    message m = {.at = reader_open(bytes, size)};
    uint32_t count = reader_array(&m.at);
    uint64_t kind = reader_unsigned(&m.at);
    bool response = kind == RPC_RESPONSE && count == RESPONSE_SIZE;
    bool notification = kind == RPC_NOTIFICATION && count == NOTIFICATION_SIZE;
    if (m.at.failed || (!response && !notification)) {
        return malformed(err, "neither a response nor a notification");
    }
    carom_status outcome = CAROM_OK;
    if (!(notification && is_snapshot(m.at))) {
        outcome = check_contents(bytes, size, err);
    }
    if (outcome == CAROM_OK) {
        outcome = response ? open_response(&m, err) : open_notification(&m, err);
    }
    if (outcome == CAROM_OK) {
        *out = m;
    }
    return outcome;
}

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

carom_status message_outcome(const message *m, carom_value **result, carom_error *answer,
                             carom_error *err)
{
    reader r = m->at;
    reader_item item;
    reader_next(&r, &item);
    *result = NULL;
    if (item.kind != TAG_NIL) {
        read_error(&item, answer);
        return CAROM_OK;
    }
    *result = value_unpack(&r);
    if (*result != NULL) {
        return CAROM_OK;
    }
    return r.starved ? fault_memory(err) : malformed(err, "a result that cannot be held");
}

carom_status message_params(const message *m, carom_value **params, carom_error *err)
{
    reader r = m->at;
    carom_value *map = m->has_params ? value_unpack(&r) : carom_map();
    if (map == NULL && (r.starved || !m->has_params)) {
        return fault_memory(err);
    }
    if (carom_value_type(map) != CAROM_MAP) {
        carom_value_free(map);
        return malformed(err, "a notification whose params are no map");
    }
    *params = map;
    return CAROM_OK;
}
