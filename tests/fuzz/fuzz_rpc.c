// A message as a connection reads it: scanned, decoded, and turned into JSON and back. An accepted
// message must come back unchanged, and an answer must have the right id.
#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/wire/buffer.h"
#include "proto/wire/check.h"
#include "proto/wire/json.h"
#include "proto/wire/rpc.h"
#include "proto/wire/scanner.h"
#include "tests/fuzz/fuzz.h"

static void pack_again(const msgpack_object *object, buffer *out)
{
    buffer_clear(out);
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_object(&packer, *object);
    ASSERT(!out->overflow);
}

// JSON loses only the widths of floats, so after one conversion nothing changes.
static void turn_through_json(const msgpack_object *object)
{
    buffer text[2];
    buffer bytes;
    error err;
    buffer_init(&bytes, 64 << 20);
    for (int turn = 0; turn < 2; turn++) {
        buffer_init(&text[turn], 64 << 20);
        msgpack_unpacked unpacked;
        msgpack_unpacked_init(&unpacked);
        if (turn == 0) {
            pack_again(object, &bytes);
        }
        size_t offset = 0;
        msgpack_unpack_return got =
            msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset);
        ASSERT(got == MSGPACK_UNPACK_SUCCESS);
        status s = json_text_from_msgpack(&unpacked.data, JSON_STYLE_COMPACT, &text[turn], &err);
        ASSERT(s == STATUS_OK);
        buffer_clear(&bytes);
        s = json_text_to_msgpack((const char *)text[turn].data, text[turn].size, &bytes, &err);
        ASSERT(s == STATUS_OK);
        msgpack_unpacked_destroy(&unpacked);
    }
    ASSERT(text[0].size == text[1].size && memcmp(text[0].data, text[1].data, text[0].size) == 0);
    buffer_deinit(&text[0]);
    buffer_deinit(&text[1]);
    buffer_deinit(&bytes);
}

static void decode(const uint8_t *bytes, size_t size)
{
    rpc_message m;
    error err = {STATUS_OK, ""};
    rpc_verdict verdict = rpc_decode(bytes, size, &m, &err);
    uint32_t id = 0;
    bool peeked = rpc_peek_id(bytes, size, &id);
    ASSERT(!m.answerable || (peeked && id == m.id));
    if (verdict != RPC_GOOD) {
        ASSERT(err.status != STATUS_OK && err.text[0] != '\0');
        return;
    }
    if (m.kind == RPC_RESPONSE) {
        rpc_parse_error(&m.error, &err);
        turn_through_json(&m.result);
    } else {
        ASSERT(m.params.type == MSGPACK_OBJECT_MAP);
        turn_through_json(&m.params);
    }
    rpc_message_deinit(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scanner_limits limits = scanner_limits_default();
    scanner s;
    scanner_init(&s, &limits);
    size_t at = 0;
    size_t used;
    while (at < size && scanner_feed(&s, data + at, size - at, &used, NULL) == SCAN_MESSAGE) {
        decode(data + at, used);
        at += used;
    }
    uint32_t id;
    rpc_peek_id(data + at, size - at, &id);
    return 0;
}
