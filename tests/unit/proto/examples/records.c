// See records.h. Any thread.
#include "tests/unit/proto/examples/records.h"

#include "common/base/assert.h"
#include "proto/log/log_compact.h"
#include "tests/unit/proto/examples/message.h"

const uint8_t SHORT_IMAGE[SHORT_IMAGE_BYTES] = {0xca, 0x70, 0x3e};

static void add_force(buffer *rows, uint64_t tick, const uint8_t *arguments, size_t size)
{
    const log_command row = {.tick = tick,
                             .session = 5,
                             .method = "body.force",
                             .method_size = 10,
                             .arguments = arguments,
                             .arguments_size = (uint32_t)size};
    log_command_encode(rows, &row);
}

size_t record_append_compact(buffer *out)
{
    uint8_t arguments[] = {0x83, 0xa5, 'w',  'o',  'r',  'l', 'd',  0xa3, 'l', 'a', 'b',
                           0xa4, 'b',  'o',  'd',  'y',  7,   0xa5, 'f',  'o', 'r', 'c',
                           'e',  0x92, 0xcb, 0x40, 0x20, 0,   0,    0,    0,   0,   0,
                           0xcb, 0xbf, 0xe0, 0,    0,    0,   0,    0,    0};
    buffer rows;
    buffer_init(&rows, 256);
    add_force(&rows, 101, arguments, sizeof arguments);
    arguments[sizeof arguments - 7] = 0xd0;
    add_force(&rows, 102, arguments, sizeof arguments);
    const log_record record = {.from = 100,
                               .tick = 103,
                               .command_count = 2,
                               .commands = rows.data,
                               .commands_size = rows.size,
                               .has_hash = true,
                               .hash = EXAMPLE_HASH};
    const bool made = log_compact_encode(out, &record, "lab");
    ASSERT(made);
    buffer_deinit(&rows);
    return out->size;
}
