// The log of a world: records and streams to bytes and back, cut anywhere, altered anywhere, and
// with false lengths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "proto/log/log_record.h"
#include "proto/log/log_stream.h"

enum { BYTES_MAX = 1 << 20 };

static const uint8_t NO_ARGUMENTS[] = {0x80};
static const uint8_t BODY_7[] = {0x81, 0xa4, 'b', 'o', 'd', 'y', 7};
static const uint8_t IMAGE[] = {1, 2, 3, 4, 5};

static log_command command_of(uint64_t tick, const char *method, const uint8_t *arguments,
                              uint32_t size)
{
    return (log_command){.tick = tick,
                         .session = 3,
                         .method = method,
                         .method_size = (uint32_t)strlen(method),
                         .arguments = arguments,
                         .arguments_size = size};
}

// Two commands at ticks 101 and 103 of a record from 100 to 103.
static log_record two_commands(buffer *rows)
{
    log_command first = command_of(101, "body.remove", BODY_7, sizeof BODY_7);
    log_command second = command_of(103, "world.set", NO_ARGUMENTS, sizeof NO_ARGUMENTS);
    buffer_clear(rows);
    log_command_encode(rows, &first);
    log_command_encode(rows, &second);
    return (log_record){.from = 100,
                        .tick = 103,
                        .command_count = 2,
                        .commands = rows->data,
                        .commands_size = rows->size,
                        .has_hash = true,
                        .hash = 0x0123456789abcdefu};
}

static log_header header_of_arena(void)
{
    log_header header = {.engine = 7, .epoch = 2, .hz = 60.0, .begun = 1700000000};
    strcpy(header.world, "arena");
    return header;
}

// A whole stream: a record with an image, one with two commands, one without, the end.
static void make_stream(buffer *out)
{
    buffer rows;
    buffer_init(&rows, BYTES_MAX);
    log_header header = header_of_arena();
    log_record first = {.from = 100, .tick = 100, .image = IMAGE, .image_size = sizeof IMAGE};
    log_record second = two_commands(&rows);
    log_record third = {.from = 103, .tick = 163, .has_hash = true, .hash = 5};
    log_end end = {.tick = 163, .records = 3};
    buffer_init(out, BYTES_MAX);
    log_stream_begin(out, &header);
    log_stream_record(out, &first);
    log_stream_record(out, &second);
    log_stream_record(out, &third);
    log_stream_end(out, &end);
    assert_false(out->overflow);
    buffer_deinit(&rows);
}

// ---- records

static void record_round_trip_keeps_every_field(void **state)
{
    (void)state;
    buffer rows;
    buffer bytes;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&bytes, BYTES_MAX);
    log_record record = two_commands(&rows);
    record.image = IMAGE;
    record.image_size = sizeof IMAGE;
    log_record_encode(&bytes, &record);
    log_record got;
    error err;
    assert_int_equal(log_record_decode(bytes.data, bytes.size, &got, &err), STATUS_OK);
    assert_int_equal(got.from, 100);
    assert_int_equal(got.tick, 103);
    assert_true(got.has_hash);
    assert_true(got.hash == record.hash);
    assert_int_equal(got.image_size, sizeof IMAGE);
    assert_memory_equal(got.image, IMAGE, sizeof IMAGE);
    size_t offset = 0;
    log_command c;
    assert_true(log_record_next(&got, &offset, &c));
    assert_int_equal(c.tick, 101);
    assert_int_equal(c.session, 3);
    assert_int_equal(c.method_size, strlen("body.remove"));
    assert_memory_equal(c.method, "body.remove", c.method_size);
    assert_int_equal(c.arguments_size, sizeof BODY_7);
    assert_memory_equal(c.arguments, BODY_7, sizeof BODY_7);
    assert_true(log_record_next(&got, &offset, &c));
    assert_int_equal(c.tick, 103);
    assert_false(log_record_next(&got, &offset, &c));
    buffer_deinit(&rows);
    buffer_deinit(&bytes);
}

static void record_decoded_and_encoded_is_the_same_bytes(void **state)
{
    (void)state;
    buffer rows;
    buffer bytes;
    buffer again;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&bytes, BYTES_MAX);
    buffer_init(&again, BYTES_MAX);
    log_record record = two_commands(&rows);
    log_record_encode(&bytes, &record);
    log_record got;
    assert_int_equal(log_record_decode(bytes.data, bytes.size, &got, NULL), STATUS_OK);
    log_record_encode(&again, &got);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    buffer_deinit(&rows);
    buffer_deinit(&bytes);
    buffer_deinit(&again);
}

// Encodes {"commands": [0, 0 …]} of so many values in all, as a record of one command.
static void encode_command_of(uint32_t values, buffer *bytes)
{
    static const uint8_t HEAD[] = {0x81, 0xa8, 'c', 'o', 'm', 'm', 'a', 'n', 'd', 's', 0xdd};
    const uint32_t zeros = values - 3; // less the map, its key and the array
    buffer arguments;
    buffer rows;
    uint8_t count[4];
    buffer_init(&arguments, BYTES_MAX);
    buffer_init(&rows, BYTES_MAX);
    buffer_append(&arguments, HEAD, sizeof HEAD);
    for (uint32_t i = 0; i < 4; i++) {
        count[i] = (uint8_t)(zeros >> (24 - 8 * i));
    }
    buffer_append(&arguments, count, sizeof count);
    for (uint32_t i = 0; i < zeros; i++) {
        buffer_append(&arguments, "", 1);
    }
    const log_command command =
        command_of(101, "world.apply", arguments.data, (uint32_t)arguments.size);
    log_command_encode(&rows, &command);
    const log_record record = {.from = 100,
                               .tick = 101,
                               .command_count = 1,
                               .commands = rows.data,
                               .commands_size = rows.size};
    log_record_encode(bytes, &record);
    assert_false(arguments.overflow || rows.overflow || bytes->overflow);
    buffer_deinit(&arguments);
    buffer_deinit(&rows);
}

// The server adds an owner to each spawn of a batch, so the log of the largest batch has more
// values than the message had.
static void command_of_a_whole_message_with_its_owners_is_read(void **state)
{
    (void)state;
    static const uint32_t MOST = WIRE_VALUES_MAX + 2 * WIRE_APPLY_COMMANDS_MAX;
    buffer bytes;
    log_record got;
    error err;
    buffer_init(&bytes, BYTES_MAX);
    encode_command_of(MOST, &bytes);
    assert_int_equal(log_record_decode(bytes.data, bytes.size, &got, &err), STATUS_OK);
    buffer_clear(&bytes);
    encode_command_of(MOST + 1, &bytes);
    assert_int_equal(log_record_decode(bytes.data, bytes.size, &got, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "too many values"));
    buffer_deinit(&bytes);
}

// Each case has one fault in an otherwise valid record: {from: 1, tick: 2, commands: []}.
static void record_that_is_not_canonical_is_refused_with_its_place(void **state)
{
    (void)state;
#define FROM                                                                                       \
    "\xa4"                                                                                         \
    "from"
#define TICK                                                                                       \
    "\xa4"                                                                                         \
    "tick"
#define COMMANDS                                                                                   \
    "\xa8"                                                                                         \
    "commands"
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } FAULTS[] = {
#define FAULT(text, says) {text, sizeof(text) - 1, says}
        FAULT("\x93\x01\x02\x90", "a map"),
        FAULT("\xde\x00\x03" FROM "\x01" TICK "\x02" COMMANDS "\x90", "a map"),
        FAULT("\x83" TICK "\x02" FROM "\x01" COMMANDS "\x90", "the key 'from'"),
        FAULT("\x83" FROM "\xcc\x01" TICK "\x02" COMMANDS "\x90", "shortest form"),
        FAULT("\x83" FROM "\xff" TICK "\x02" COMMANDS "\x90", "unsigned integer"),
        FAULT("\x83" FROM "\xd0\x01" TICK "\x02" COMMANDS "\x90", "unsigned integer"),
        FAULT("\x83" FROM "\x03" TICK "\x02" COMMANDS "\x90", "lies before from"),
        FAULT("\x83" FROM "\x01" TICK "\xce\x00\x02\x00\x02" COMMANDS "\x90",
              "a record of 131073 ticks, at most 131072 are allowed"),
        FAULT("\x83" FROM "\x01" TICK "\xcf\x10\x00\x00\x00\x00\x00\x00\x01" COMMANDS "\x90",
              "a record of 1152921504606846976 ticks"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x80", "an array of commands"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\xdd\x7f\xff\xff\xff", "at most 1048576"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x91\x93\x02\x00\xa1m", "[tick, session"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x91\x94\x02\x00\xa0\x80", "method's name"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x91\x94\x02\x00\xa1m\x90", "a map of"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x91\x94\x02\x00\xa1m\x81\xa1",
              "end within"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x91\x94\x02\x00\xa1m\x82\xa1x\x01\xa1x\x01",
              "commands[0]"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x91\x94\x03\x00\xa1m\x80", "tick 3"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS
              "\x92\x94\x02\x00\xa1m\x80\x94\x01\x00\xa1m\x80",
              "commands[1]: tick 1, expected 2 to 2"),
        FAULT("\x84" FROM "\x01" TICK "\x02" COMMANDS "\x90\xa4hash\xc4\x07"
              "1234567",
              "8 bytes"),
        FAULT("\x84" FROM "\x01" TICK "\x02" COMMANDS "\x90\xa5image\xc4\x00", "an image"),
        FAULT("\x84" FROM "\x01" TICK "\x02" COMMANDS "\x90\xa5image\xc6\x7f\xff\xff\xff",
              "an image"),
        FAULT("\x84" FROM "\x01" TICK "\x02" COMMANDS "\x90\xa5other\x01", "the record's end"),
        FAULT("\x83" FROM "\x01" TICK "\x02" COMMANDS "\x90\x00", "the record's end"),
        FAULT("", "a map"),
    };
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        log_record record;
        error err = {STATUS_OK, ""};
        status s =
            log_record_decode((const uint8_t *)FAULTS[i].bytes, FAULTS[i].size, &record, &err);
        if (s == STATUS_OK || strstr(err.text, FAULTS[i].says) == NULL) {
            fail_msg("fault %zu: '%s' does not say '%s'", i, err.text, FAULTS[i].says);
        }
    }
}

static void record_of_the_most_ticks_is_read(void **state)
{
    (void)state;
    static const char MOST[] = "\x83" FROM "\x01" TICK "\xce\x00\x02\x00\x01" COMMANDS "\x90";
    log_record record;
    assert_int_equal(log_record_decode((const uint8_t *)MOST, sizeof MOST - 1, &record, NULL),
                     STATUS_OK);
    assert_int_equal(record.tick - record.from, LOG_TICKS_MAX);
}

static void record_cut_anywhere_is_refused(void **state)
{
    (void)state;
    buffer rows;
    buffer bytes;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&bytes, BYTES_MAX);
    log_record record = two_commands(&rows);
    record.image = IMAGE;
    record.image_size = sizeof IMAGE;
    log_record_encode(&bytes, &record);
    for (size_t size = 0; size < bytes.size; size++) {
        // of the exact size, so that a sanitizer sees a read past the end
        uint8_t *exact = malloc(size > 0 ? size : 1);
        memcpy(exact, bytes.data, size);
        log_record got;
        assert_int_not_equal(log_record_decode(exact, size, &got, NULL), STATUS_OK);
        free(exact);
    }
    buffer_deinit(&rows);
    buffer_deinit(&bytes);
}

// ---- streams

// Feeds `size` bytes in pieces of `piece`; returns the last event and counts the records.
static log_event feed(log_reader *r, const uint8_t *bytes, size_t size, size_t piece,
                      uint32_t *records, error *err)
{
    log_event event = LOG_MORE;
    size_t at = 0;
    while (at < size && event != LOG_BROKEN) {
        size_t part = size - at < piece ? size - at : piece;
        size_t used = 0;
        event = log_reader_feed(r, bytes + at, part, &used, err);
        *records += event == LOG_RECORD;
        at += used;
    }
    return event;
}

static void stream_in_pieces_of_any_size_is_read_whole(void **state)
{
    (void)state;
    buffer bytes;
    make_stream(&bytes);
    for (size_t piece = 1; piece <= bytes.size; piece++) {
        log_reader r;
        error err;
        uint32_t records = 0;
        log_reader_init(&r);
        assert_int_equal(feed(&r, bytes.data, bytes.size, piece, &records, &err), LOG_END);
        assert_int_equal(records, 3);
        assert_string_equal(r.header.world, "arena");
        assert_int_equal(r.header.engine, 7);
        assert_int_equal(r.header.epoch, 2);
        assert_true(r.header.hz == 60.0);
        assert_int_equal(r.end.tick, 163);
        assert_int_equal(r.offset, bytes.size);
        assert_int_equal(log_reader_finish(&r, &err), STATUS_OK);
        log_reader_deinit(&r);
    }
    buffer_deinit(&bytes);
}

static void stream_cut_anywhere_tells_how_far_it_is_whole(void **state)
{
    (void)state;
    buffer bytes;
    make_stream(&bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        log_reader r;
        error err;
        uint32_t records = 0;
        log_reader_init(&r);
        assert_int_not_equal(feed(&r, bytes.data, size, 7, &records, &err), LOG_BROKEN);
        assert_int_equal(log_reader_finish(&r, &err), STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "was cut off at byte"));
        log_reader_deinit(&r);
    }
    buffer_deinit(&bytes);
}

static void stream_with_any_bit_flipped_is_refused(void **state)
{
    (void)state;
    buffer bytes;
    make_stream(&bytes);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        log_reader r;
        error err;
        uint32_t records = 0;
        log_reader_init(&r);
        log_event event = feed(&r, bytes.data, bytes.size, bytes.size, &records, &err);
        // A size that grew leaves the reader waiting for bytes that do not come.
        assert_true(event == LOG_BROKEN || log_reader_finish(&r, &err) != STATUS_OK);
        log_reader_deinit(&r);
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    buffer_deinit(&bytes);
}

// A frame around `payload`, its checksum right.
static void append_frame(buffer *out, const void *payload, size_t size)
{
    uint8_t head[8];
    put32(head, (uint32_t)size);
    put32(head + 4, crc32c(crc32c(0, head, 4), payload, size));
    buffer_append(out, head, sizeof head);
    buffer_append(out, payload, size);
}

static void expect_broken(const buffer *bytes, status why, const char *says)
{
    log_reader r;
    error err = {STATUS_OK, ""};
    uint32_t records = 0;
    log_reader_init(&r);
    assert_int_equal(feed(&r, bytes->data, bytes->size, bytes->size, &records, &err), LOG_BROKEN);
    assert_int_equal(err.status, why);
    if (strstr(err.text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, says);
    }
    size_t used = 1; // the reader stays broken
    assert_int_equal(log_reader_feed(&r, bytes->data, 1, &used, &err), LOG_BROKEN);
    assert_int_equal(used, 0);
    assert_true(r.held.capacity <= 4 * bytes->size + 1024); // the declared length was not trusted
    log_reader_deinit(&r);
}

static void stream_that_claims_gigabytes_is_refused_without_memory(void **state)
{
    (void)state;
    buffer bytes;
    log_header header = header_of_arena();
    static const uint8_t HUGE_FRAME[8] = {0xff, 0xff, 0xff, 0xff};
    buffer_init(&bytes, BYTES_MAX);
    log_stream_begin(&bytes, &header);
    buffer_append(&bytes, HUGE_FRAME, sizeof HUGE_FRAME);
    expect_broken(&bytes, STATUS_LIMIT_EXCEEDED, "at most");
    buffer_clear(&bytes);
    buffer_append(&bytes, LOG_MAGIC, LOG_MAGIC_BYTES);
    static const uint8_t LARGE_HEADER[8] = {0x00, 0x00, 0x01, 0x00};
    buffer_append(&bytes, LARGE_HEADER, sizeof LARGE_HEADER);
    expect_broken(&bytes, STATUS_LIMIT_EXCEEDED, "at most 1024");
    buffer_deinit(&bytes);
}

static void stream_of_something_else_or_newer_is_told_apart(void **state)
{
    (void)state;
    buffer bytes;
    buffer_init(&bytes, BYTES_MAX);
    buffer_append(&bytes, "SQLite format 3", 16);
    expect_broken(&bytes, STATUS_INVALID_ARGUMENT, "no carom log");
    buffer_clear(&bytes);
    buffer_append(&bytes, LOG_MAGIC, LOG_MAGIC_BYTES);
    append_frame(&bytes,
                 "\x81\xa6"
                 "format\x02",
                 9);
    expect_broken(&bytes, STATUS_INVALID_ARGUMENT, "format 2");
    buffer_deinit(&bytes);
}

static void stream_with_a_frame_left_out_is_refused(void **state)
{
    (void)state;
    buffer bytes;
    log_header header = header_of_arena();
    log_record first = {.from = 0, .tick = 5, .image = IMAGE, .image_size = sizeof IMAGE};
    log_record later = {.from = 9, .tick = 12};
    log_end end = {.tick = 5, .records = 2};
    buffer_init(&bytes, BYTES_MAX);
    log_stream_begin(&bytes, &header);
    const size_t begun = bytes.size;
    log_stream_record(&bytes, &later);
    expect_broken(&bytes, STATUS_INVALID_ARGUMENT, "or an image");
    buffer_truncate(&bytes, begun);
    log_stream_record(&bytes, &first);
    const size_t first_done = bytes.size;
    log_stream_record(&bytes, &later);
    expect_broken(&bytes, STATUS_INVALID_ARGUMENT, "begins at tick 9; expected 5");
    buffer_truncate(&bytes, first_done);
    log_stream_end(&bytes, &end);
    expect_broken(&bytes, STATUS_INVALID_ARGUMENT, "frames are missing");
    buffer_truncate(&bytes, first_done);
    end.records = 1;
    log_stream_end(&bytes, &end);
    buffer_append(&bytes, "x", 1);
    expect_broken(&bytes, STATUS_INVALID_ARGUMENT, "follow the end mark");
    buffer_deinit(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_round_trip_keeps_every_field),
        cmocka_unit_test(record_decoded_and_encoded_is_the_same_bytes),
        cmocka_unit_test(command_of_a_whole_message_with_its_owners_is_read),
        cmocka_unit_test(record_that_is_not_canonical_is_refused_with_its_place),
        cmocka_unit_test(record_of_the_most_ticks_is_read),
        cmocka_unit_test(record_cut_anywhere_is_refused),
        cmocka_unit_test(stream_in_pieces_of_any_size_is_read_whole),
        cmocka_unit_test(stream_cut_anywhere_tells_how_far_it_is_whole),
        cmocka_unit_test(stream_with_any_bit_flipped_is_refused),
        cmocka_unit_test(stream_that_claims_gigabytes_is_refused_without_memory),
        cmocka_unit_test(stream_of_something_else_or_newer_is_told_apart),
        cmocka_unit_test(stream_with_a_frame_left_out_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
