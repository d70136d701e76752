// The decoder of ping, whose argument is any value; see decode.h. Any thread, one decoder each.
#include "proto/commands/decode.h"

#include <string.h>

#include "proto/wire/buffer.h"
#include "proto/limits.h"

void decode_ping(const arguments *a, ping_args *out)
{
    const msgpack_object *any = arguments_value(a, "any");
    decoder *d = a->decoder;
    *out = (ping_args){0};
    if (any == NULL || d->status != STATUS_OK) {
        return;
    }
    buffer bytes;
    buffer_init(&bytes, WIRE_ECHO_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    msgpack_pack_object(&packer, *any);
    if (bytes.overflow) {
        place where = arguments_place(a, "any");
        decoder_fail(d, STATUS_LIMIT_EXCEEDED, &where, "must have at most %d bytes of MessagePack",
                     WIRE_ECHO_BYTES_MAX);
    } else {
        uint8_t *copy = command_memory_take(d->memory, bytes.size, 1);
        memcpy(copy, bytes.data, bytes.size);
        out->any = copy;
        out->any_size = (uint32_t)bytes.size;
    }
    buffer_deinit(&bytes);
}
