// See wording.h.
#include "tests/unit/proto/wording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "proto/commands/command_decode.h"
#include "proto/wire/json.h"

enum { BYTES_MAX = 1 << 24 };

status wording_decode(method m, const char *json, command *out, error *err)
{
    buffer bytes;
    msgpack_unpacked unpacked;
    error json_err = {0};
    buffer_init(&bytes, BYTES_MAX);
    if (json_text_to_msgpack(json, strlen(json), &bytes, &json_err) != STATUS_OK) {
        fail_msg("%s: %s", json, json_err.text);
    }
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    assert_int_equal(msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset),
                     MSGPACK_UNPACK_SUCCESS);
    status s = command_decode(m, &unpacked.data, out, err);
    // A command owns everything that it refers to: its source is overwritten before the test
    // examines it.
    memset(bytes.data, 0xEE, bytes.size);
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&bytes);
    return s;
}

const char *wording_of(const buffer *bytes)
{
    static buffer text;
    msgpack_unpacked unpacked;
    error err = {0};
    size_t offset = 0;
    assert_false(bytes->overflow);
    buffer_deinit(&text);
    buffer_init(&text, BYTES_MAX);
    msgpack_unpacked_init(&unpacked);
    assert_int_equal(
        msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset),
        MSGPACK_UNPACK_SUCCESS);
    assert_int_equal(offset, bytes->size);
    if (json_text_from_msgpack(&unpacked.data, JSON_STYLE_COMPACT, &text, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    buffer_append(&text, "", 1);
    msgpack_unpacked_destroy(&unpacked);
    return (const char *)text.data;
}
