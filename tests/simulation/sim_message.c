// Writing and reading of messages; see sim_message.h.
#include "tests/simulation/sim_message.h"

#include <string.h>

#include "proto/wire/rpc.h"
#include "tests/simulation/sim.h"

void text(packer *k, const char *t)
{
    msgpack_pack_str(k, strlen(t));
    msgpack_pack_str_body(k, t, strlen(t));
}

void pair_number(packer *k, const char *key, double value)
{
    text(k, key);
    msgpack_pack_double(k, value);
}

void pair_vector(packer *k, const char *key, double x, double y)
{
    text(k, key);
    msgpack_pack_array(k, 2);
    msgpack_pack_double(k, x);
    msgpack_pack_double(k, y);
}

void pair_text(packer *k, const char *key, const char *value)
{
    text(k, key);
    text(k, value);
}

void pair_uint(packer *k, const char *key, uint64_t value)
{
    text(k, key);
    msgpack_pack_uint64(k, value);
}

void pair_bool(packer *k, const char *key, bool value)
{
    text(k, key);
    value ? msgpack_pack_true(k) : msgpack_pack_false(k);
}

uint64_t get_uint(const msgpack_object *map, const char *key)
{
    const msgpack_object *o = rpc_map_get(map, key);
    SIM_CHECK(o != NULL && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER, "an answer without %s", key);
    return o->via.u64;
}

double get_number(const msgpack_object *o)
{
    return o->type == MSGPACK_OBJECT_POSITIVE_INTEGER   ? (double)o->via.u64
           : o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ? (double)o->via.i64
                                                        : o->via.f64;
}

uint64_t get_hash(const msgpack_object *map)
{
    const msgpack_object *o = rpc_map_get(map, "hash");
    SIM_CHECK(o != NULL && o->type == MSGPACK_OBJECT_BIN && o->via.bin.size == 8,
              "an answer without its hash");
    uint64_t hash = 0;
    for (int i = 0; i < 8; i++) {
        hash = hash << 8 | (uint8_t)o->via.bin.ptr[i];
    }
    return hash;
}

bool get_bool(const msgpack_object *map, const char *key)
{
    const msgpack_object *o = rpc_map_get(map, key);
    return o != NULL && o->type == MSGPACK_OBJECT_BOOLEAN && o->via.boolean;
}

void sim_take_messages(buffer *in, sim_on_message *on, void *context)
{
    size_t at = 0;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    while (at < in->size) {
        size_t end = at;
        const msgpack_unpack_return got =
            msgpack_unpack_next(&unpacked, (const char *)in->data, in->size, &end);
        if (got == MSGPACK_UNPACK_CONTINUE) {
            break;
        }
        SIM_CHECK(got == MSGPACK_UNPACK_SUCCESS, "bytes that are no MessagePack");
        SIM_CHECK(unpacked.data.type == MSGPACK_OBJECT_ARRAY && unpacked.data.via.array.size >= 3,
                  "a message that is none");
        on(context, &unpacked.data, in->data + at, end - at);
        at = end;
    }
    msgpack_unpacked_destroy(&unpacked);
    if (at > 0) {
        memmove(in->data, in->data + at, in->size - at);
        buffer_truncate(in, in->size - at);
    }
}
