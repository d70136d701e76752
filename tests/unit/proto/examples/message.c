// See message.h. One thread.
#include "tests/unit/proto/examples/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "proto/commands/command_decode.h"
#include "proto/wire/json.h"
#include "proto/wire/rpc.h"

static uint32_t next_id = 1;

void message_print(const char *name, const char *from, buffer *bytes)
{
    msgpack_unpacked unpacked;
    buffer text;
    size_t offset = 0;
    error err;
    msgpack_unpacked_init(&unpacked);
    buffer_init(&text, EXAMPLE_BYTES_MAX);
    msgpack_unpack_return got =
        msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset);
    ASSERT(got == MSGPACK_UNPACK_SUCCESS && offset == bytes->size);
    status s = json_text_from_msgpack(&unpacked.data, JSON_STYLE_COMPACT, &text, &err);
    ASSERT(s == STATUS_OK);
    printf("{\"name\": \"%s\", \"from\": \"%s\", \"value\": %.*s, \"hex\": \"", name, from,
           (int)text.size, (const char *)text.data);
    for (size_t i = 0; i < bytes->size; i++) {
        printf("%02x", bytes->data[i]);
    }
    printf("\"}\n");
    buffer_deinit(&text);
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(bytes);
}

void message_append(buffer *out, const char *json)
{
    error err = {0};
    status s = json_text_to_msgpack(json, strlen(json), out, &err);
    if (s != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", json, err.text);
        abort();
    }
}

status message_decode(const buffer *bytes, command *out, error *err)
{
    rpc_message m;
    rpc_verdict verdict = rpc_decode(bytes->data, bytes->size, &m, err);
    ASSERT(verdict == RPC_GOOD);
    const method_info *info = method_find(m.method, m.method_size);
    ASSERT(info != NULL);
    status s = command_decode(info->id, &m.params, out, err);
    rpc_message_deinit(&m);
    return s;
}

command message_request(const char *name, method m, const char *arguments)
{
    buffer bytes;
    command c;
    error err = {0};
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_request(&packer, next_id, method_name(m));
    message_append(&bytes, arguments);
    if (message_decode(&bytes, &c, &err) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        abort();
    }
    message_print(name, "client", &bytes);
    return c;
}

uint32_t message_request_id(void)
{
    return next_id;
}

uint32_t message_take_request_id(void)
{
    return next_id++;
}

void message_begin_response(buffer *bytes)
{
    buffer_init(bytes, EXAMPLE_BYTES_MAX);
    msgpack_packer packer = buffer_packer(bytes);
    rpc_pack_response(&packer, message_take_request_id());
}
