// See log_bytes.h. One thread.
#include "tests/unit/proto/examples/log_bytes.h"

#include "common/base/assert.h"
#include "proto/log/log_stream.h"
#include "tests/unit/proto/examples/message.h"
#include "tests/unit/proto/examples/pieces.h"
#include "tests/unit/proto/examples/records.h"

// Prints the stream's growth since the last call: a frame, in its three parts.
static void print_frame(const buffer *stream, size_t *shown, const char *meaning)
{
    const uint8_t *frame = stream->data + *shown;
    piece_print("log stream", frame, 4, "size of the payload");
    piece_print("log stream", frame + 4, 4, "checksum");
    piece_print("log stream", frame + 8, stream->size - *shown - 8, meaning);
    *shown = stream->size;
}

// The notification of the compact form, in its parts.
static void print_compact(void)
{
    static const struct {
        size_t size;
        const char *meaning;
    } PARTS[] = {
        {1, "3 ticks, with a hash"},
        {8, "the hash"},
        {1, "a whole row, one tick on, of the stream's world"},
        {1, "session 5"},
        {1, "method: body.force"},
        {1, "arguments 1 and 2: body, force"},
        {1, "body 7"},
        {4, "8"},
        {4, "-0.5"},
        {1, "a row like the one before, one tick on"},
        {1, "force x: no difference"},
        {4, "force y: 8388608 places further"},
    };
    buffer out;
    size_t at = 0;
    buffer_init(&out, 256);
    record_append_compact(&out);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        piece_print("log compact", out.data + at, PARTS[i].size, PARTS[i].meaning);
        at += PARTS[i].size;
    }
    ASSERT(at == out.size);
    buffer_deinit(&out);
}

// A recording of a world with one command.
static void print_stream(void)
{
    static const uint8_t ARGUMENTS[] = {0x81, 0xa4, 'b', 'o', 'd', 'y', 7};
    const log_header header = {
        .engine = 1, .world = "lab", .epoch = 2, .hz = 60.0, .begun = 1700000000};
    const log_command removal = {.tick = 101,
                                 .session = 5,
                                 .method = "body.remove",
                                 .method_size = 11,
                                 .arguments = ARGUMENTS,
                                 .arguments_size = sizeof ARGUMENTS};
    buffer rows;
    buffer stream;
    buffer_init(&rows, EXAMPLE_BYTES_MAX);
    buffer_init(&stream, EXAMPLE_BYTES_MAX);
    log_command_encode(&rows, &removal);
    const log_record start = {
        .from = 100, .tick = 100, .image = SHORT_IMAGE, .image_size = sizeof SHORT_IMAGE};
    const log_record record = {.from = 100,
                               .tick = 103,
                               .command_count = 1,
                               .commands = rows.data,
                               .commands_size = rows.size,
                               .has_hash = true,
                               .hash = EXAMPLE_HASH};
    const log_end end = {.tick = 103, .records = 2};
    size_t shown = LOG_MAGIC_BYTES;
    log_stream_begin(&stream, &header);
    piece_print("log stream", stream.data, LOG_MAGIC_BYTES, "magic");
    print_frame(&stream, &shown, "the header");
    log_stream_record(&stream, &start);
    print_frame(&stream, &shown,
                "a record that a reader can begin with (its image is cut short here)");
    log_stream_record(&stream, &record);
    print_frame(&stream, &shown, "a record of three ticks and one command");
    log_stream_end(&stream, &end);
    print_frame(&stream, &shown, "the end mark");
    buffer_deinit(&rows);
    buffer_deinit(&stream);
}

void log_bytes_print(void)
{
    print_stream();
    print_compact();
}
