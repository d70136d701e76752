// Values to MessagePack and back. Recursion is bounded by CAROM_VALUE_DEPTH_MAX. Any thread.
#include "client/scene/values.h"

#include <string.h>

#include "proto/limits.h"

// ---- packing

static carom_status pack(msgpack_packer *packer, const carom_value *value, int depth_left);

static carom_status pack_container(msgpack_packer *packer, const carom_value *value, int depth_left)
{
    bool map = carom_value_type(value) == CAROM_MAP;
    size_t count = carom_value_count(value);
    if (depth_left < 1) {
        return CAROM_INVALID_ARGUMENT;
    }
    if (map) {
        msgpack_pack_map(packer, count);
    } else {
        msgpack_pack_array(packer, count);
    }
    carom_status outcome = CAROM_OK;
    for (size_t i = 0; i < count && outcome == CAROM_OK; i++) {
        if (map) {
            size_t size;
            const char *key = carom_value_key(value, i, &size);
            msgpack_pack_str_with_body(packer, key, size);
        }
        outcome = pack(packer, carom_value_at(value, i), depth_left - 1);
    }
    return outcome;
}

static carom_status pack(msgpack_packer *packer, const carom_value *value, int depth_left)
{
    size_t size;
    const void *bytes = carom_as_bytes(value, &size);
    switch (carom_value_type(value)) {
    case CAROM_NIL:
        msgpack_pack_nil(packer);
        break;
    case CAROM_BOOL:
        if (carom_as_bool(value, false)) {
            msgpack_pack_true(packer);
        } else {
            msgpack_pack_false(packer);
        }
        break;
    case CAROM_INT:
        msgpack_pack_int64(packer, carom_as_int(value, 0));
        break;
    case CAROM_UINT:
        msgpack_pack_uint64(packer, carom_as_uint(value, 0));
        break;
    case CAROM_REAL:
        msgpack_pack_double(packer, carom_as_real(value, 0.0));
        break;
    case CAROM_STR:
        msgpack_pack_str_with_body(packer, bytes, size);
        break;
    case CAROM_BIN:
        msgpack_pack_bin_with_body(packer, bytes, size);
        break;
    case CAROM_ARRAY:
    case CAROM_MAP:
        return pack_container(packer, value, depth_left);
    }
    return CAROM_OK;
}

carom_status values_pack(const carom_value *value, buffer *out)
{
    if (value != NULL && !carom_value_ok(value)) {
        return CAROM_INVALID_ARGUMENT;
    }
    msgpack_packer packer = buffer_packer(out);
    carom_status outcome = pack(&packer, value, CAROM_VALUE_DEPTH_MAX);
    if (outcome == CAROM_OK && out->overflow) {
        outcome = out->starved ? CAROM_OUT_OF_MEMORY : CAROM_LIMIT_EXCEEDED;
    }
    return outcome;
}

// ---- unpacking

static bool holdable(const msgpack_object *object)
{
    if (object->type == MSGPACK_OBJECT_EXT) {
        return false;
    }
    if (object->type == MSGPACK_OBJECT_ARRAY) {
        for (uint32_t i = 0; i < object->via.array.size; i++) {
            if (!holdable(&object->via.array.ptr[i])) {
                return false;
            }
        }
    } else if (object->type == MSGPACK_OBJECT_MAP) {
        for (uint32_t i = 0; i < object->via.map.size; i++) {
            if (object->via.map.ptr[i].key.type != MSGPACK_OBJECT_STR ||
                !holdable(&object->via.map.ptr[i].val)) {
                return false;
            }
        }
    }
    return true;
}

// The value of the object. NULL, or a container that carom_value_ok rejects, when memory has run
// out.
static carom_value *value_of(const msgpack_object *object)
{
    carom_value *v;
    switch (object->type) {
    case MSGPACK_OBJECT_BOOLEAN:
        return carom_bool(object->via.boolean);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return carom_uint(object->via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return carom_int(object->via.i64);
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return carom_real(object->via.f64);
    case MSGPACK_OBJECT_STR:
        return carom_strn(object->via.str.ptr, object->via.str.size);
    case MSGPACK_OBJECT_BIN:
        return carom_bin(object->via.bin.ptr, object->via.bin.size);
    case MSGPACK_OBJECT_ARRAY:
        v = carom_array();
        for (uint32_t i = 0; i < object->via.array.size; i++) {
            carom_push(v, value_of(&object->via.array.ptr[i]));
        }
        return v;
    case MSGPACK_OBJECT_MAP:
        v = carom_map();
        for (uint32_t i = 0; i < object->via.map.size; i++) {
            const msgpack_object_kv *pair = &object->via.map.ptr[i];
            const char *key = pair->key.via.str.size > 0 ? pair->key.via.str.ptr : "";
            carom_setn(v, key, pair->key.via.str.size, value_of(&pair->val));
        }
        return v;
    case MSGPACK_OBJECT_NIL:
    case MSGPACK_OBJECT_EXT:
        break;
    }
    return carom_nil();
}

carom_value *values_unpack(const buffer *bytes, carom_status *outcome)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    carom_value *value = NULL;
    *outcome = CAROM_OUT_OF_MEMORY;
    if (msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset) ==
        MSGPACK_UNPACK_SUCCESS) {
        bool good = holdable(&unpacked.data);
        value = good ? value_of(&unpacked.data) : NULL;
        *outcome = !good ? CAROM_INVALID_ARGUMENT : carom_value_ok(value) ? CAROM_OK : *outcome;
    }
    msgpack_unpacked_destroy(&unpacked);
    if (*outcome != CAROM_OK) {
        carom_value_free(value);
        value = NULL;
    }
    return value;
}

carom_status values_fault(carom_error *err, const struct error *from)
{
    carom_status outcome =
        from->status == STATUS_INTERNAL ? CAROM_OUT_OF_MEMORY : (carom_status)from->status;
    if (err != NULL) {
        err->status = outcome;
        err->from_server = false;
        err->applied = CAROM_APPLIED_UNKNOWN;
        memcpy(err->text, from->text, sizeof err->text);
    }
    return outcome;
}
