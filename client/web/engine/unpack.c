// Functions that decoding calls and that msgpack-c has in its library, not in its headers.
//
// A value becomes a tree of msgpack_object in one allocation: the scanner has counted its values,
// each of which takes one object, and rejected what exceeds the protocol's limits. So declared
// lengths are never trusted, and recursion is bounded by WIRE_DEPTH_MAX.
#include <msgpack.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/wire/scanner.h"
#include "common/base/tag.h"

_Static_assert(sizeof(msgpack_object_kv) == 2 * sizeof(msgpack_object), "a pair is two values");

typedef struct unpacker {
    const uint8_t *bytes;
    size_t at, size;
    msgpack_object *free; // objects not yet used
} unpacker;

static void unpack_value(unpacker *u, msgpack_object *out);

static void unpack_integer(const uint8_t *head, msgpack_object *out)
{
    bool negative;
    const uint64_t value = tag_integer(*head, head + 1, &negative);
    out->type = negative ? MSGPACK_OBJECT_NEGATIVE_INTEGER : MSGPACK_OBJECT_POSITIVE_INTEGER;
    out->via.u64 = value;
}

static void unpack_float(const uint8_t *body, size_t size, msgpack_object *out)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | body[i];
    }
    if (size == sizeof(float)) {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        out->type = MSGPACK_OBJECT_FLOAT32;
        out->via.f64 = (double)value;
    } else {
        out->type = MSGPACK_OBJECT_FLOAT64;
        memcpy(&out->via.f64, &bits, sizeof bits);
    }
}

static void unpack_array(unpacker *u, uint32_t count, msgpack_object *out)
{
    msgpack_object *elements = u->free;
    u->free += count;
    out->type = MSGPACK_OBJECT_ARRAY;
    out->via.array = (msgpack_object_array){.size = count, .ptr = elements};
    for (uint32_t i = 0; i < count; i++) {
        unpack_value(u, &elements[i]);
    }
}

static void unpack_map(unpacker *u, uint32_t count, msgpack_object *out)
{
    msgpack_object_kv *pairs = (msgpack_object_kv *)(void *)u->free;
    u->free += 2 * (size_t)count;
    out->type = MSGPACK_OBJECT_MAP;
    out->via.map = (msgpack_object_map){.size = count, .ptr = pairs};
    for (uint32_t i = 0; i < count; i++) {
        unpack_value(u, &pairs[i].key);
        unpack_value(u, &pairs[i].val);
    }
}

static void unpack_value(unpacker *u, msgpack_object *out)
{
    value_head head;
    const uint8_t *at = u->bytes + u->at;
    ASSERT(value_head_read(at, u->size - u->at, &head));
    const uint8_t *body = at + head.size;
    const uint32_t length = (uint32_t)head.length;
    u->at += head.size;
    if (head.kind == TAG_ARRAY) {
        unpack_array(u, length, out);
        return;
    }
    if (head.kind == TAG_MAP) {
        unpack_map(u, length, out);
        return;
    }
    u->at += length;
    switch (head.kind) {
    case TAG_BOOL:
        out->type = MSGPACK_OBJECT_BOOLEAN;
        out->via.boolean = *at == 0xc3;
        break;
    case TAG_INTEGER:
        unpack_integer(at, out);
        break;
    case TAG_FLOAT:
        unpack_float(body, length, out);
        break;
    case TAG_STR:
        out->type = MSGPACK_OBJECT_STR;
        out->via.str = (msgpack_object_str){.size = length, .ptr = (const char *)body};
        break;
    case TAG_BIN:
        out->type = MSGPACK_OBJECT_BIN;
        out->via.bin = (msgpack_object_bin){.size = length, .ptr = (const char *)body};
        break;
    case TAG_EXT: // only the type of an ext is used
        out->type = MSGPACK_OBJECT_EXT;
        break;
    default:
        out->type = MSGPACK_OBJECT_NIL;
    }
}

msgpack_unpack_return msgpack_unpack_next(msgpack_unpacked *result, const char *data, size_t len,
                                          size_t *off)
{
    const size_t from = off != NULL ? *off : 0;
    const scanner_limits limits = scanner_limits_reply();
    scanner s;
    size_t used = 0;
    scanner_init(&s, &limits);
    const scan_verdict verdict = scanner_feed(&s, data + from, len - from, &used, NULL);
    if (verdict != SCAN_MESSAGE) {
        return verdict == SCAN_MORE ? MSGPACK_UNPACK_CONTINUE : MSGPACK_UNPACK_PARSE_ERROR;
    }
    msgpack_object *objects = calloc(s.values, sizeof *objects);
    if (objects == NULL) {
        return MSGPACK_UNPACK_NOMEM_ERROR;
    }
    unpacker u = {.bytes = (const uint8_t *)data + from, .size = used, .free = objects};
    unpack_value(&u, &result->data);
    ASSERT(u.at == used && u.free <= objects + s.values);
    result->zone = (msgpack_zone *)(void *)objects;
    if (off != NULL) {
        *off = from + used;
    }
    return MSGPACK_UNPACK_SUCCESS;
}

void msgpack_zone_free(msgpack_zone *zone)
{
    free(zone);
}

// Commands contain values of the game's own: of data.set and message.send. Recursion is bounded as
// in unpack_value(), which made the tree.
static int pack_array(msgpack_packer *packer, const msgpack_object_array *array)
{
    int result = msgpack_pack_array(packer, array->size);
    for (uint32_t i = 0; i < array->size && result == 0; i++) {
        result = msgpack_pack_object(packer, array->ptr[i]);
    }
    return result;
}

static int pack_map(msgpack_packer *packer, const msgpack_object_map *map)
{
    int result = msgpack_pack_map(packer, map->size);
    for (uint32_t i = 0; i < map->size && result == 0; i++) {
        result = msgpack_pack_object(packer, map->ptr[i].key);
        result = result == 0 ? msgpack_pack_object(packer, map->ptr[i].val) : result;
    }
    return result;
}

int msgpack_pack_object(msgpack_packer *packer, msgpack_object object)
{
    switch (object.type) {
    case MSGPACK_OBJECT_NIL:
        return msgpack_pack_nil(packer);
    case MSGPACK_OBJECT_BOOLEAN:
        return object.via.boolean ? msgpack_pack_true(packer) : msgpack_pack_false(packer);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return msgpack_pack_uint64(packer, object.via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return msgpack_pack_int64(packer, object.via.i64);
    case MSGPACK_OBJECT_FLOAT32:
        return msgpack_pack_float(packer, (float)object.via.f64);
    case MSGPACK_OBJECT_FLOAT64:
        return msgpack_pack_double(packer, object.via.f64);
    case MSGPACK_OBJECT_STR:
        return msgpack_pack_str_with_body(packer, object.via.str.ptr, object.via.str.size);
    case MSGPACK_OBJECT_BIN:
        return msgpack_pack_bin_with_body(packer, object.via.bin.ptr, object.via.bin.size);
    case MSGPACK_OBJECT_EXT:
        return msgpack_pack_ext_with_body(packer, object.via.ext.ptr, object.via.ext.size,
                                          object.via.ext.type);
    case MSGPACK_OBJECT_ARRAY:
        return pack_array(packer, &object.via.array);
    case MSGPACK_OBJECT_MAP:
        return pack_map(packer, &object.via.map);
    }
    return -1;
}
