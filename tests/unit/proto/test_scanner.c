// The scanner: every width of every type at every split, every limit, every malformed frame.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "proto/wire/scanner.h"
#include "tests/unit/proto/values.h"

// The outcome of a stream: the verdict, after how many bytes, and the reason.
typedef struct outcome {
    scan_verdict verdict;
    size_t used;
    error err;
} outcome;

// Feeds `bytes` in pieces: `first` bytes, then pieces of `piece`.
static outcome feed_in_pieces(const scanner_limits *limits, const uint8_t *bytes, size_t size,
                              size_t first, size_t piece)
{
    scanner s;
    scanner_init(&s, limits);
    outcome out = {.verdict = SCAN_MORE};
    size_t next = first;
    while (out.verdict == SCAN_MORE && out.used < size) {
        size_t length = next < size - out.used ? next : size - out.used;
        size_t used;
        out.verdict = scanner_feed(&s, bytes + out.used, length, &used, &out.err);
        assert_true(used <= length);
        assert_true(out.verdict != SCAN_MORE || used == length);
        out.used += used;
        assert_int_equal(s.position, out.used);
        next = piece > 0 ? piece : size;
    }
    return out;
}

// Returns the outcome, which must be the same however the stream is split: in two at every place,
// and into pieces of 1, 2, 3 and 7 bytes.
static outcome feed_at_every_split(const scanner_limits *limits, const uint8_t *bytes, size_t size)
{
    outcome whole = feed_in_pieces(limits, bytes, size, size, 0);
    static const size_t PIECES[] = {1, 2, 3, 7};
    for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++) {
        outcome cut = feed_in_pieces(limits, bytes, size, PIECES[i], PIECES[i]);
        assert_int_equal(cut.verdict, whole.verdict);
        assert_int_equal(cut.used, whole.used);
        assert_string_equal(cut.err.text, whole.err.text);
    }
    // For long streams only the splits near either end: those in between behave alike.
    for (size_t at = 1; at < size; at += at == 400 && size > 1000 ? size - 600 : 1) {
        outcome cut = feed_in_pieces(limits, bytes, size, at, 0);
        assert_int_equal(cut.verdict, whole.verdict);
        assert_int_equal(cut.used, whole.used);
        assert_string_equal(cut.err.text, whole.err.text);
    }
    return whole;
}

static void assert_refused(const scanner_limits *limits, const uint8_t *bytes, size_t size,
                           size_t at, status why, const char *text)
{
    outcome out = feed_at_every_split(limits, bytes, size);
    assert_int_equal(out.verdict, SCAN_REFUSED);
    assert_int_equal(out.used, at);
    assert_int_equal(out.err.status, why);
    if (strstr(out.err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", out.err.text, text);
    }
}

static scanner_limits limits_of(uint32_t bytes, uint32_t depth, uint32_t values)
{
    return (scanner_limits){.bytes_max = bytes, .depth_max = depth, .values_max = values};
}

// ---- accepted messages

static void every_width_at_every_split_is_one_message(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    size_t count;
    const sample *all = samples(&count);
    for (size_t i = 0; i < count; i++) {
        outcome out = feed_at_every_split(&limits, all[i].bytes, all[i].size);
        if (out.verdict != SCAN_MESSAGE || out.used != all[i].size) {
            fail_msg("%s: verdict %d after %zu", all[i].name, out.verdict, out.used);
        }
    }
}

static void every_width_cut_short_wants_more(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    size_t count;
    const sample *all = samples(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t size = 0; size < all[i].size && size < 400; size++) {
            outcome out = feed_in_pieces(&limits, all[i].bytes, size, size, 0);
            assert_int_equal(out.verdict, SCAN_MORE);
            assert_int_equal(out.used, size);
        }
    }
}

static void every_width_in_every_place_of_a_container_ends_where_it_should(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    size_t count;
    const sample *all = samples(&count);
    uint8_t *bytes = malloc(1 << 20);
    for (size_t i = 0; i < count; i++) {
        // [v, {"k": v}, v] and a byte of the next message
        size_t size = 0;
        bytes[size++] = 0x93;
        for (int part = 0; part < 3; part++) {
            if (part == 1) {
                static const uint8_t KEY[] = {0x81, 0xA1, 'k'};
                memcpy(bytes + size, KEY, sizeof KEY);
                size += sizeof KEY;
            }
            memcpy(bytes + size, all[i].bytes, all[i].size);
            size += all[i].size;
        }
        bytes[size] = 0xC1;
        outcome out = feed_at_every_split(&limits, bytes, size + 1);
        assert_int_equal(out.verdict, SCAN_MESSAGE);
        assert_int_equal(out.used, size);
    }
    free(bytes);
}

static void messages_one_after_another_are_found_each(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    static const uint8_t STREAM[] = {0x92, 0x01, 0x02, 0xA2, 'h', 'i', 0x80, 0xCC, 0x07, 0x91};
    static const size_t SIZES[] = {3, 3, 1, 2};
    scanner s;
    scanner_init(&s, &limits);
    size_t at = 0;
    for (size_t i = 0; i < 4; i++) {
        size_t used;
        assert_int_equal(scanner_feed(&s, STREAM + at, sizeof STREAM - at, &used, NULL),
                         SCAN_MESSAGE);
        assert_int_equal(used, SIZES[i]);
        assert_int_equal(s.position, SIZES[i]);
        at += used;
    }
    size_t used;
    assert_int_equal(scanner_feed(&s, STREAM + at, sizeof STREAM - at, &used, NULL), SCAN_MORE);
    assert_int_equal(used, 1);
}

static void empty_feed_changes_nothing(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    scanner s;
    scanner_init(&s, &limits);
    size_t used;
    assert_int_equal(scanner_feed(&s, "", 0, &used, NULL), SCAN_MORE);
    assert_int_equal(scanner_feed(&s, "\x92\x01", 2, &used, NULL), SCAN_MORE);
    assert_int_equal(scanner_feed(&s, "", 0, &used, NULL), SCAN_MORE);
    assert_int_equal(used, 0);
    assert_int_equal(scanner_feed(&s, "\x01", 1, &used, NULL), SCAN_MESSAGE);
}

// Random bytes: msgpack-c, an independent parser, must find a message of the same size wherever the
// scanner finds one, and need more bytes wherever the scanner does.
static void random_bytes_agree_with_msgpack(void **state)
{
    (void)state;
    // Small limits, because msgpack-c trusts declared sizes and would allocate gigabytes.
    scanner_limits limits = limits_of(4096, WIRE_DEPTH_MAX, 4096);
    uint64_t seed = 22766;
    uint32_t verdicts[3] = {0, 0, 0};
    for (uint32_t round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            uint64_t r = random_next(&seed);
            // Every other byte a container or a string, so that things nest.
            bytes[i] = (uint8_t)(r & 0x100 ? 0x80 + (r & 0x7F) : r & 0xFF);
        }
        outcome out = feed_in_pieces(&limits, bytes, sizeof bytes, sizeof bytes, 0);
        outcome cut = feed_in_pieces(&limits, bytes, sizeof bytes, 1 + round % 7, 1 + round % 5);
        assert_int_equal(cut.verdict, out.verdict);
        assert_int_equal(cut.used, out.used);
        verdicts[out.verdict]++;
        if (out.verdict == SCAN_REFUSED) {
            continue;
        }
        msgpack_unpacked unpacked;
        msgpack_unpacked_init(&unpacked);
        size_t offset = 0;
        msgpack_unpack_return got =
            msgpack_unpack_next(&unpacked, (const char *)bytes, sizeof bytes, &offset);
        if (out.verdict == SCAN_MESSAGE) {
            assert_int_equal(got, MSGPACK_UNPACK_SUCCESS);
            assert_int_equal(offset, out.used);
        } else {
            assert_int_equal(got, MSGPACK_UNPACK_CONTINUE);
        }
        msgpack_unpacked_destroy(&unpacked);
    }
    assert_true(verdicts[0] > 100 && verdicts[1] > 100 && verdicts[2] > 100);
}

// ---- refused input

static void reserved_byte_is_invalid(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    assert_refused(&limits, (const uint8_t[]){0xC1}, 1, 1, STATUS_INVALID_ARGUMENT, "0xc1");
    assert_refused(&limits, (const uint8_t[]){0x93, 0x01, 0xC1, 0x02}, 4, 3,
                   STATUS_INVALID_ARGUMENT, "byte 2: 0xc1");
    assert_refused(&limits, (const uint8_t[]){0x81, 0xA1, 'a', 0xC1}, 4, 4, STATUS_INVALID_ARGUMENT,
                   "0xc1");
}

static void string_of_a_gibibyte_is_refused_at_its_header(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    static const uint8_t TAGS[] = {0xDB, 0xC6, 0xC9}; // str 32, bin 32, ext 32
    for (size_t i = 0; i < sizeof TAGS; i++) {
        uint8_t bytes[] = {0x92, TAGS[i], 0x40, 0x00, 0x00, 0x00, 'a', 'b'};
        assert_refused(&limits, bytes, sizeof bytes, 6, STATUS_LIMIT_EXCEEDED, "too large");
        memset(bytes + 2, 0xFF, 4); // the ext's 2^32 with its type byte included
        assert_refused(&limits, bytes, sizeof bytes, 6, STATUS_LIMIT_EXCEEDED, "too large");
    }
}

static void container_of_billions_is_refused_at_its_header(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    // The five bytes that make msgpack-c reserve 8 GB.
    static const uint8_t ARRAY[] = {0xDD, 0x0F, 0xFF, 0xFF, 0xFF};
    assert_refused(&limits, ARRAY, 5, 5, STATUS_LIMIT_EXCEEDED, "more values declared");
    static const uint8_t ALL[] = {0xDD, 0xFF, 0xFF, 0xFF, 0xFF};
    assert_refused(&limits, ALL, 5, 5, STATUS_LIMIT_EXCEEDED, "more values declared");
    static const uint8_t MAP[] = {0xDF, 0xFF, 0xFF, 0xFF, 0xFF};
    assert_refused(&limits, MAP, 5, 5, STATUS_LIMIT_EXCEEDED, "more values declared");
}

static void map_whose_doubled_count_would_wrap_is_refused(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    // 2 * 0x80000000 is 0 in 32 bits, 2 * 0x80000001 is 2.
    static const uint8_t ZERO[] = {0xDF, 0x80, 0x00, 0x00, 0x00};
    assert_refused(&limits, ZERO, 5, 5, STATUS_LIMIT_EXCEEDED, "more values declared");
    static const uint8_t TWO[] = {0xDF, 0x80, 0x00, 0x00, 0x01, 0x01, 0x01};
    assert_refused(&limits, TWO, 7, 5, STATUS_LIMIT_EXCEEDED, "more values declared");
}

static void containers_that_only_together_exceed_the_message_are_refused(void **state)
{
    (void)state;
    // Each string declares 60 of 100 bytes, so the second one cannot fit.
    scanner_limits limits = limits_of(100, WIRE_DEPTH_MAX, 1000);
    static const uint8_t BYTES[] = {0xDC, 0x00, 60, 0xDC, 0x00, 60, 0x01};
    assert_refused(&limits, BYTES, sizeof BYTES, 6, STATUS_LIMIT_EXCEEDED, "more values declared");
    // A string that leaves no room for the array's other elements.
    static const uint8_t STRING[] = {0xDC, 0x00, 60, 0xD9, 50, 'a'};
    assert_refused(&limits, STRING, sizeof STRING, 5, STATUS_LIMIT_EXCEEDED, "too large");
}

static void nesting_at_the_limit_passes_and_one_more_is_refused(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    uint8_t bytes[WIRE_DEPTH_MAX + 2];
    memset(bytes, 0x91, sizeof bytes);
    bytes[WIRE_DEPTH_MAX] = 0x01;
    outcome out = feed_at_every_split(&limits, bytes, WIRE_DEPTH_MAX + 1);
    assert_int_equal(out.verdict, SCAN_MESSAGE);
    bytes[WIRE_DEPTH_MAX] = 0x90; // refused even if the innermost one is empty
    assert_refused(&limits, bytes, sizeof bytes, WIRE_DEPTH_MAX + 1, STATUS_LIMIT_EXCEEDED,
                   "nested too deep; the limit is 32");
    bytes[WIRE_DEPTH_MAX] = 0x81;
    assert_refused(&limits, bytes, sizeof bytes, WIRE_DEPTH_MAX + 1, STATUS_LIMIT_EXCEEDED,
                   "nested too deep");
}

static void nesting_of_10000_is_refused_at_the_33rd(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    uint8_t bytes[10000];
    memset(bytes, 0x91, sizeof bytes);
    assert_refused(&limits, bytes, sizeof bytes, 33, STATUS_LIMIT_EXCEEDED, "nested too deep");
    for (size_t i = 0; i + 1 < sizeof bytes; i += 2) {
        bytes[i] = 0x81;
        bytes[i + 1] = 0x01;
    }
    assert_refused(&limits, bytes, sizeof bytes, 65, STATUS_LIMIT_EXCEEDED, "nested too deep");
}

static void nesting_depth_counts_open_containers_alone(void **state)
{
    (void)state;
    // [[[]], [[]], [[]]]: never deeper than 3.
    scanner_limits limits = limits_of(100, 3, 100);
    static const uint8_t BYTES[] = {0x93, 0x91, 0x90, 0x91, 0x90, 0x91, 0x90};
    assert_int_equal(feed_at_every_split(&limits, BYTES, sizeof BYTES).verdict, SCAN_MESSAGE);
}

static void message_of_the_largest_size_passes_and_one_byte_more_is_refused(void **state)
{
    (void)state;
    scanner_limits limits = limits_of(1000, WIRE_DEPTH_MAX, 1000);
    uint8_t bytes[1001] = {0xC5, 0x03, 0xE5}; // bin 16 of 997
    outcome out = feed_at_every_split(&limits, bytes, 1000);
    assert_int_equal(out.verdict, SCAN_MESSAGE);
    assert_int_equal(out.used, 1000);
    bytes[2]++;
    assert_refused(&limits, bytes, sizeof bytes, 3, STATUS_LIMIT_EXCEEDED,
                   "too large; the limit is 1000");
    limits.bytes_name = "message_bytes";
    assert_refused(&limits, bytes, sizeof bytes, 3, STATUS_LIMIT_EXCEEDED,
                   "message_bytes: byte 2: message too large; the limit is 1000");
}

static void message_that_grows_past_the_limit_value_by_value_is_refused(void **state)
{
    (void)state;
    scanner_limits limits = limits_of(20, WIRE_DEPTH_MAX, 1000);
    // An array of 6 integers of 5 bytes: the fourth cannot end within 20 bytes with two owed.
    uint8_t bytes[31] = {0x96};
    for (size_t i = 1; i < sizeof bytes; i += 5) {
        bytes[i] = 0xCE;
    }
    assert_refused(&limits, bytes, sizeof bytes, 17, STATUS_LIMIT_EXCEEDED, "too large");
}

static void header_that_crosses_the_limit_is_refused_at_its_tag(void **state)
{
    (void)state;
    scanner_limits limits = limits_of(4, WIRE_DEPTH_MAX, 1000);
    static const uint8_t BYTES[] = {0xDD, 0x00, 0x00, 0x00, 0x00};
    assert_refused(&limits, BYTES, sizeof BYTES, 1, STATUS_LIMIT_EXCEEDED, "too large");
    limits = limits_of(5, WIRE_DEPTH_MAX, 1000);
    assert_int_equal(feed_at_every_split(&limits, BYTES, sizeof BYTES).verdict, SCAN_MESSAGE);
}

static void values_up_to_the_limit_pass_and_one_more_is_refused(void **state)
{
    (void)state;
    // The array itself counts as a value.
    scanner_limits limits = limits_of(1000, WIRE_DEPTH_MAX, 11);
    uint8_t bytes[20] = {0xDC, 0x00, 10};
    assert_int_equal(feed_at_every_split(&limits, bytes, 13).verdict, SCAN_MESSAGE);
    bytes[2] = 11;
    assert_refused(&limits, bytes, sizeof bytes, 3, STATUS_LIMIT_EXCEEDED,
                   "too many values in a message; the limit is 11");
    // [[5 values], [5 values]] has 13 with its containers: the second array is one too many.
    uint8_t nested[] = {0x92, 0x95, 1, 2, 3, 4, 5, 0x95, 1, 2, 3, 4, 5};
    assert_refused(&limits, nested, sizeof nested, 8, STATUS_LIMIT_EXCEEDED, "too many values");
    limits = limits_of(1000, WIRE_DEPTH_MAX, 13);
    assert_int_equal(feed_at_every_split(&limits, nested, sizeof nested).verdict, SCAN_MESSAGE);
}

static void default_limits_hold_for_a_megabyte_of_small_values(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    static const uint8_t BYTES[] = {0xDD, 0x00, 0x0F, 0x00, 0x00}; // 983 040 values
    outcome out = feed_in_pieces(&limits, BYTES, sizeof BYTES, sizeof BYTES, 0);
    assert_int_equal(out.verdict, SCAN_REFUSED);
    assert_int_equal(out.err.status, STATUS_LIMIT_EXCEEDED);
}

static void refusal_stays_until_reset(void **state)
{
    (void)state;
    scanner_limits limits = scanner_limits_default();
    scanner s;
    scanner_init(&s, &limits);
    size_t used;
    error err;
    assert_int_equal(scanner_feed(&s, "\x92\xC1\x01", 3, &used, &err), SCAN_REFUSED);
    assert_int_equal(used, 2);
    assert_int_equal(scanner_feed(&s, "\x01", 1, &used, &err), SCAN_REFUSED);
    assert_int_equal(used, 0);
    assert_string_equal(err.text, "byte 1: 0xc1 is not MessagePack");
    scanner_reset(&s);
    assert_int_equal(scanner_feed(&s, "\x01", 1, &used, &err), SCAN_MESSAGE);
}

static void reply_limits_let_a_full_snapshot_of_the_largest_world_through(void **state)
{
    (void)state;
    // The head of its array of 2^20 rows.
    scanner_limits limits = scanner_limits_reply();
    static const uint8_t BYTES[] = {0x91, 0xDD, 0x00, 0x10, 0x00, 0x00, 0x97};
    assert_int_equal(feed_at_every_split(&limits, BYTES, sizeof BYTES).verdict, SCAN_MORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_at_every_split_is_one_message),
        cmocka_unit_test(every_width_cut_short_wants_more),
        cmocka_unit_test(every_width_in_every_place_of_a_container_ends_where_it_should),
        cmocka_unit_test(messages_one_after_another_are_found_each),
        cmocka_unit_test(empty_feed_changes_nothing),
        cmocka_unit_test(random_bytes_agree_with_msgpack),
        cmocka_unit_test(reserved_byte_is_invalid),
        cmocka_unit_test(string_of_a_gibibyte_is_refused_at_its_header),
        cmocka_unit_test(container_of_billions_is_refused_at_its_header),
        cmocka_unit_test(map_whose_doubled_count_would_wrap_is_refused),
        cmocka_unit_test(containers_that_only_together_exceed_the_message_are_refused),
        cmocka_unit_test(nesting_at_the_limit_passes_and_one_more_is_refused),
        cmocka_unit_test(nesting_of_10000_is_refused_at_the_33rd),
        cmocka_unit_test(nesting_depth_counts_open_containers_alone),
        cmocka_unit_test(message_of_the_largest_size_passes_and_one_byte_more_is_refused),
        cmocka_unit_test(message_that_grows_past_the_limit_value_by_value_is_refused),
        cmocka_unit_test(header_that_crosses_the_limit_is_refused_at_its_tag),
        cmocka_unit_test(values_up_to_the_limit_pass_and_one_more_is_refused),
        cmocka_unit_test(default_limits_hold_for_a_megabyte_of_small_values),
        cmocka_unit_test(refusal_stays_until_reset),
        cmocka_unit_test(reply_limits_let_a_full_snapshot_of_the_largest_world_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
