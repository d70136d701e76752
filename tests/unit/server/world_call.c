// See world_call.h.
#include "tests/unit/server/world_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/commands/canonical.h"
#include "proto/commands/command_decode.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"

request *world_call(uint64_t epoch, uint32_t id, method m, const char *json)
{
    buffer bytes;
    error err;
    msgpack_unpacked unpacked;
    request *r = request_create(REQUEST_COMMAND, epoch);
    buffer_init(&bytes, 1 << 20);
    assert_int_equal(json_text_to_msgpack(json, strlen(json), &bytes, &err), STATUS_OK);
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset);
    if (command_decode(m, &unpacked.data, &r->command, &err) != STATUS_OK) {
        fail_msg("%s: %s", json, err.text);
    }
    if (method_scope_of(m) == SCOPE_WORLD_COMMAND) {
        buffer canonical;
        size_t size = 0;
        buffer_init(&canonical, 1 << 20);
        arguments_canonical(&canonical, m, &unpacked.data);
        r->arguments = buffer_take(&canonical, &size);
        r->arguments_size = (uint32_t)size;
    }
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&bytes);
    r->reply_to = (reply_address){.session = ME, .id = id, .answerable = true};
    return r;
}
