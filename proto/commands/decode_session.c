// Decoders of the methods of session and server: hello, ping, server.sessions and their like; see
// decode.h. Any thread, one decoder each.
#include "proto/commands/decode.h"

#include <string.h>

#include "proto/wire/buffer.h"
#include "proto/limits.h"

void decode_hello(const arguments *a, hello_args *out)
{
    *out = (hello_args){.protocol = PROTOCOL_VERSION, .client = ""};
    arguments_uint32(a, "protocol", &out->protocol);
    arguments_text(a, "client", &out->client);
    arguments_text(a, "token", &out->token);
    arguments_text(a, "resume", &out->resume);
}

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

void decode_stats(const arguments *a, stats_args *out)
{
    *out = (stats_args){.bins = false};
    arguments_bool(a, "bins", &out->bins);
}

void decode_sessions(const arguments *a, sessions_args *out)
{
    *out = (sessions_args){.count = WIRE_SESSIONS_MAX};
    arguments_uint64(a, "after", &out->after);
    arguments_uint32(a, "count", &out->count);
}

void decode_kick(const arguments *a, kick_args *out)
{
    *out = (kick_args){.reason = "closed by an administrator"};
    arguments_uint64(a, "session", &out->session);
    arguments_text(a, "reason", &out->reason);
}
