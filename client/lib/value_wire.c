// Values to MessagePack and back; the reader checks bounds, the depth bounds the recursion.
#include "client/lib/value_wire.h"

#include "client/lib/value_tree.h"
#include "common/base/assert.h"
#include "proto/limits.h"

_Static_assert(CAROM_VALUE_DEPTH_MAX == WIRE_DEPTH_MAX, "what arrives can be held");

// ---- writing

static carom_status pack_container(msgpack_packer *packer, const carom_value *value, int depth_max,
                                   carom_error *err)
{
    if (depth_max < 1) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "the value is nested too deeply");
    }
    carom_status outcome = CAROM_OK;
    if (value->type == CAROM_ARRAY) {
        msgpack_pack_array(packer, value->count);
        for (size_t i = 0; outcome == CAROM_OK && i < value->count; i++) {
            outcome = value_pack(packer, value->items[i], depth_max - 1, err);
        }
        return outcome;
    }
    msgpack_pack_map(packer, value->count);
    for (size_t i = 0; outcome == CAROM_OK && i < value->count; i++) {
        const value_pair *pair = &value->pairs[i];
        msgpack_pack_str_with_body(packer, pair->key, pair->key_size);
        outcome = value_pack(packer, pair->value, depth_max - 1, err);
    }
    return outcome;
}

carom_status value_pack(msgpack_packer *packer, const carom_value *value, int depth_max,
                        carom_error *err)
{
    if (value != NULL && value->broken == VALUE_STARVED) {
        return fault_memory(err);
    }
    if (value != NULL && value->broken == VALUE_MISUSED) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "a value was built wrongly: a child put into something that is no array "
                         "or map, or NULL as a key");
    }
    switch (carom_value_type(value)) {
    case CAROM_NIL:
        msgpack_pack_nil(packer);
        break;
    case CAROM_BOOL:
        if (value->boolean) {
            msgpack_pack_true(packer);
        } else {
            msgpack_pack_false(packer);
        }
        break;
    case CAROM_INT:
        msgpack_pack_int64(packer, value->integer);
        break;
    case CAROM_UINT:
        msgpack_pack_uint64(packer, value->natural);
        break;
    case CAROM_REAL:
        msgpack_pack_double(packer, value->real);
        break;
    case CAROM_STR:
        msgpack_pack_str_with_body(packer, value->bytes, value->count);
        break;
    case CAROM_BIN:
        msgpack_pack_bin_with_body(packer, value->bytes, value->count);
        break;
    case CAROM_ARRAY:
    case CAROM_MAP:
        return pack_container(packer, value, depth_max, err);
    }
    return CAROM_OK;
}

// ---- reading

static carom_value *unpack(reader *r, int depth_left);

static bool unpack_elements(reader *r, carom_value *array, uint32_t count, int depth_left)
{
    for (uint32_t i = 0; i < count; i++) {
        carom_value *child = unpack(r, depth_left);
        if (child == NULL) {
            return false;
        }
        carom_push(array, child); // there is space
    }
    return true;
}

static bool unpack_pairs(reader *r, carom_value *map, uint32_t count, int depth_left)
{
    for (uint32_t i = 0; i < count; i++) {
        reader_text key = reader_get_text(r);
        carom_value *child = r->failed ? NULL : unpack(r, depth_left);
        if (child == NULL) {
            return false;
        }
        if (!value_append_pair(map, key.bytes, key.size, child)) {
            r->starved = true;
            return false;
        }
    }
    return true;
}

// The reader has made sure that the bytes can contain so many elements, so allocating as many
// pointers is safe.
static carom_value *unpack_container(reader *r, const reader_item *item, int depth_left)
{
    bool is_map = item->kind == TAG_MAP;
    if (depth_left == 0) {
        return NULL;
    }
    carom_value *v = value_create(is_map ? CAROM_MAP : CAROM_ARRAY);
    if (v == NULL || !value_reserve(v, item->count)) {
        r->starved = true;
        carom_value_free(v);
        return NULL;
    }
    bool whole = (is_map ? unpack_pairs(r, v, item->count, depth_left - 1)
                         : unpack_elements(r, v, item->count, depth_left - 1));
    if (!whole) {
        carom_value_free(v);
        return NULL;
    }
    return v;
}

static carom_value *unpack_scalar(const reader_item *item)
{
    switch (item->kind) {
    case TAG_NIL:
        return carom_nil();
    case TAG_BOOL:
        return carom_bool(item->boolean);
    case TAG_INTEGER:
        return item->negative ? carom_int((int64_t)item->integer) : carom_uint(item->integer);
    case TAG_FLOAT:
        return carom_real(item->real);
    case TAG_STR:
        return carom_strn((const char *)item->bytes, item->count);
    case TAG_BIN:
        return carom_bin(item->bytes, item->count);
    default:
        return NULL;
    }
}

static carom_value *unpack_item(reader *r, const reader_item *item, int depth_left)
{
    if (item->kind == TAG_ARRAY || item->kind == TAG_MAP) {
        return unpack_container(r, item, depth_left);
    }
    if (item->kind == TAG_EXT || item->kind == TAG_RESERVED) {
        return NULL;
    }
    carom_value *v = unpack_scalar(item);
    r->starved = r->starved || v == NULL;
    return v;
}

static carom_value *unpack(reader *r, int depth_left)
{
    reader_item item;
    carom_value *v = reader_next(r, &item) ? unpack_item(r, &item, depth_left) : NULL;
    if (v == NULL) {
        r->failed = true;
    }
    return v;
}

carom_value *value_unpack(reader *r)
{
    return unpack(r, CAROM_VALUE_DEPTH_MAX);
}
