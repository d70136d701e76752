// Reads and writes MessagePack-RPC envelopes; see rpc.h. Any thread.
#include "proto/wire/rpc.h"

#include <string.h>

#include "common/base/assert.h"
#include "proto/wire/check.h"
#include "common/base/tag.h"

static bool is_text(const msgpack_object *object)
{
    return object->type == MSGPACK_OBJECT_STR || object->type == MSGPACK_OBJECT_BIN;
}

// The bytes of a str or bin. msgpack-c uses NULL for an empty one, which C library functions do not
// allow.
static const char *text_of(const msgpack_object *object, uint32_t *size)
{
    bool str = object->type == MSGPACK_OBJECT_STR;
    *size = str ? object->via.str.size : object->via.bin.size;
    return *size == 0 ? "" : str ? object->via.str.ptr : object->via.bin.ptr;
}

bool rpc_text_equals(const msgpack_object *object, const char *text)
{
    if (!is_text(object)) {
        return false;
    }
    uint32_t size;
    const char *bytes = text_of(object, &size);
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

const msgpack_object *rpc_map_get(const msgpack_object *map, const char *key)
{
    ASSERT(map->type == MSGPACK_OBJECT_MAP);
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        if (rpc_text_equals(&map->via.map.ptr[i].key, key)) {
            return &map->via.map.ptr[i].val;
        }
    }
    return NULL;
}

// ---- reading

static rpc_verdict broken(error *err, const char *text)
{
    error_set(err, STATUS_INVALID_ARGUMENT, "not MessagePack-RPC: %s", text);
    return RPC_BROKEN;
}

static rpc_verdict read_id(const msgpack_object *object, rpc_message *out, error *err)
{
    if (object->type != MSGPACK_OBJECT_POSITIVE_INTEGER || object->via.u64 > UINT32_MAX) {
        return broken(err, "the id must be an integer from 0 to 4294967295");
    }
    out->id = (uint32_t)object->via.u64;
    out->answerable = out->kind == RPC_REQUEST;
    return RPC_GOOD;
}

// Reads the one map in the params array; an array without elements counts as an empty map.
static rpc_verdict read_params(const msgpack_object *object, rpc_message *out, error *err)
{
    static const msgpack_object EMPTY = {.type = MSGPACK_OBJECT_MAP};
    if (object->type != MSGPACK_OBJECT_ARRAY) {
        return broken(err, "the params must be an array");
    }
    out->params = EMPTY;
    if (object->via.array.size == 0) {
        return RPC_GOOD;
    }
    const msgpack_object *map = object->via.array.ptr;
    bool empty = map->type == MSGPACK_OBJECT_ARRAY && map->via.array.size == 0;
    if (object->via.array.size > 1 || (map->type != MSGPACK_OBJECT_MAP && !empty)) {
        error_set(err, STATUS_INVALID_ARGUMENT,
                  "params: expected one map of named arguments, as in [{\"world\": \"main\"}]");
        return RPC_REFUSED;
    }
    if (!empty) {
        out->params = *map;
    }
    return RPC_GOOD;
}

static rpc_verdict read_call(const msgpack_object *method, const msgpack_object *params,
                             rpc_message *out, error *err)
{
    if (!is_text(method)) {
        return broken(err, "the method must be a string");
    }
    out->method = text_of(method, &out->method_size);
    return read_params(params, out, err);
}

static rpc_verdict read_envelope(const msgpack_object *root, rpc_message *out, error *err)
{
    if (root->type != MSGPACK_OBJECT_ARRAY || root->via.array.size == 0) {
        return broken(err, "a message is an array of 3 or 4 elements");
    }
    const msgpack_object *part = root->via.array.ptr;
    uint32_t count = root->via.array.size;
    if (part[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER || part[0].via.u64 > RPC_NOTIFICATION) {
        return broken(err, "the first element must be 0, 1 or 2");
    }
    out->kind = (rpc_kind)part[0].via.u64;
    if (out->kind == RPC_NOTIFICATION) {
        return count == 3 ? read_call(&part[1], &part[2], out, err)
                          : broken(err, "a notification has 3 elements");
    }
    rpc_verdict verdict = count > 1 ? read_id(&part[1], out, err) : broken(err, "there is no id");
    if (verdict != RPC_GOOD) {
        return verdict;
    }
    if (count != 4) {
        return broken(err, "a request or response has 4 elements");
    }
    if (out->kind == RPC_REQUEST) {
        return read_call(&part[2], &part[3], out, err);
    }
    out->error = part[2];
    out->result = part[3];
    return RPC_GOOD;
}

rpc_verdict rpc_decode(const void *bytes, size_t size, rpc_message *out, error *err)
{
    *out = (rpc_message){.kind = RPC_NOTIFICATION};
    msgpack_unpacked_init(&out->unpacked);
    size_t offset = 0;
    msgpack_unpack_return unpacked = msgpack_unpack_next(&out->unpacked, bytes, size, &offset);
    if (unpacked != MSGPACK_UNPACK_SUCCESS || offset != size) {
        error_set(err, STATUS_INTERNAL, "a message that cannot be unpacked");
        return RPC_BROKEN;
    }
    rpc_verdict verdict = read_envelope(&out->unpacked.data, out, err);
    if (verdict == RPC_GOOD && message_check(bytes, size, err) != STATUS_OK) {
        verdict = RPC_REFUSED;
    }
    if (verdict != RPC_GOOD) {
        msgpack_unpacked_destroy(&out->unpacked);
        *out = (rpc_message){.kind = out->kind, .answerable = out->answerable, .id = out->id};
    }
    return verdict;
}

void rpc_message_deinit(rpc_message *message)
{
    msgpack_unpacked_destroy(&message->unpacked);
    *message = (rpc_message){.kind = RPC_NOTIFICATION};
}

// Reads an integer that is not negative and steps over it.
static bool peek_unsigned(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    value_head head;
    if (!value_head_read(*at, (size_t)(end - *at), &head) || head.kind != TAG_INTEGER ||
        (uint64_t)(end - *at) < head.size + head.length) {
        return false;
    }
    bool negative;
    *out = tag_integer((*at)[0], *at + head.size, &negative);
    *at += head.size + head.length;
    return !negative;
}

bool rpc_peek_id(const void *bytes, size_t size, uint32_t *id)
{
    const uint8_t *at = bytes;
    const uint8_t *end = at + size;
    value_head head;
    if (!value_head_read(at, size, &head) || head.kind != TAG_ARRAY || head.length < 2) {
        return false;
    }
    at += head.size;
    uint64_t kind;
    uint64_t value;
    if (!peek_unsigned(&at, end, &kind) || kind != RPC_REQUEST ||
        !peek_unsigned(&at, end, &value) || value > UINT32_MAX) {
        return false;
    }
    *id = (uint32_t)value;
    return true;
}

// ---- writing. The buffer behind the packer notes failures and is asked in the end.

void rpc_pack_text(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str_with_body(packer, text, strlen(text));
}

void rpc_pack_request(msgpack_packer *packer, uint32_t id, const char *method)
{
    msgpack_pack_array(packer, 4);
    msgpack_pack_int(packer, RPC_REQUEST);
    msgpack_pack_uint32(packer, id);
    rpc_pack_text(packer, method);
    msgpack_pack_array(packer, 1);
}

void rpc_pack_notification(msgpack_packer *packer, const char *method)
{
    msgpack_pack_array(packer, 3);
    msgpack_pack_int(packer, RPC_NOTIFICATION);
    rpc_pack_text(packer, method);
    msgpack_pack_array(packer, 1);
}

void rpc_pack_response(msgpack_packer *packer, uint32_t id)
{
    msgpack_pack_array(packer, 4);
    msgpack_pack_int(packer, RPC_RESPONSE);
    msgpack_pack_uint32(packer, id);
    msgpack_pack_nil(packer);
}

void rpc_pack_error(msgpack_packer *packer, uint32_t id, const error *err)
{
    static const char SEPARATOR[] = ": ";
    const char *code = status_code(err->status);
    size_t code_size = strlen(code);
    size_t text_size = strlen(err->text);
    msgpack_pack_array(packer, 4);
    msgpack_pack_int(packer, RPC_RESPONSE);
    msgpack_pack_uint32(packer, id);
    msgpack_pack_str(packer, code_size + sizeof SEPARATOR - 1 + text_size);
    msgpack_pack_str_body(packer, code, code_size);
    msgpack_pack_str_body(packer, SEPARATOR, sizeof SEPARATOR - 1);
    msgpack_pack_str_body(packer, err->text, text_size);
    msgpack_pack_nil(packer);
}

// ---- messages for a client

void rpc_parse_error(const msgpack_object *object, error *out)
{
    if (!is_text(object)) {
        error_set(out, STATUS_INTERNAL, "the server sent an error that is not a text");
        return;
    }
    uint32_t size;
    const char *text = text_of(object, &size);
    const char *colon = memchr(text, ':', size);
    size_t code_size = colon != NULL ? (size_t)(colon - text) : 0;
    status code = status_from_code(text, code_size);
    // An unknown code is decoded as `internal`, and so is `internal` itself.
    bool ours = code != STATUS_OK && strlen(status_code(code)) == code_size &&
                memcmp(status_code(code), text, code_size) == 0;
    size_t skip = ours ? code_size + 1 : 0;
    if (skip < size && ours && text[skip] == ' ') {
        skip++;
    }
    error_set(out, ours ? code : STATUS_INTERNAL, "%.*s", (int)(size - skip), text + skip);
}
