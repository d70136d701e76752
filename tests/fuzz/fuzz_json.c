// JSON text from a file or a command line: to MessagePack, to text again, and back. After the first
// conversion nothing may change any more.
#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "proto/wire/scanner.h"
#include "tests/fuzz/fuzz.h"

// The bytes made from the text must be whole MessagePack within the limits of depth.
static void scan(const buffer *bytes)
{
    scanner_limits limits = {
        .bytes_max = 64 << 20, .depth_max = WIRE_DEPTH_MAX, .values_max = 64 << 20};
    scanner s;
    scanner_init(&s, &limits);
    size_t used;
    scan_verdict verdict = scanner_feed(&s, bytes->data, bytes->size, &used, NULL);
    ASSERT(verdict == SCAN_MESSAGE && used == bytes->size);
}

static void write_text(const buffer *bytes, json_style style, buffer *text)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    msgpack_unpack_return got =
        msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset);
    ASSERT(got == MSGPACK_UNPACK_SUCCESS);
    error err;
    status s = json_text_from_msgpack(&unpacked.data, style, text, &err);
    ASSERT(s == STATUS_OK);
    msgpack_unpacked_destroy(&unpacked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    buffer first;
    buffer second;
    buffer text;
    error err;
    buffer_init(&first, 16 << 20);
    buffer_init(&second, 16 << 20);
    buffer_init(&text, 64 << 20);
    if (json_text_to_msgpack((const char *)data, size, &first, &err) == STATUS_OK) {
        scan(&first);
        for (int style = JSON_STYLE_COMPACT; style <= JSON_STYLE_INDENTED; style++) {
            buffer_clear(&text);
            buffer_clear(&second);
            write_text(&first, (json_style)style, &text);
            status s = json_text_to_msgpack((const char *)text.data, text.size, &second, &err);
            ASSERT(s == STATUS_OK);
            ASSERT(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        }
    } else {
        ASSERT(first.size == 0 && err.text[0] != '\0');
    }
    buffer_deinit(&first);
    buffer_deinit(&second);
    buffer_deinit(&text);
    return 0;
}
