// Tests of server/session/calls/input.h: messages cut out of a stream at every split, limits,
// memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/memory.h"
#include "server/session/calls/input.h"

// Three messages: [0, 1, "ping", []], nil, and an array of 300 zeros.
static size_t make_stream(uint8_t *out, size_t *ends)
{
    static const uint8_t PING[] = {0x94, 0x00, 0x01, 0xa4, 'p', 'i', 'n', 'g', 0x90};
    size_t size = 0;
    memcpy(out, PING, sizeof PING);
    size += sizeof PING;
    ends[0] = size;
    out[size++] = 0xc0;
    ends[1] = size;
    out[size++] = 0xdc;
    out[size++] = 0x01;
    out[size++] = 0x2c;
    memset(out + size, 0, 300);
    size += 300;
    ends[2] = size;
    return size;
}

static void input_cuts_messages_at_every_split(void **state)
{
    (void)state;
    uint8_t stream[400];
    size_t ends[3];
    size_t total = make_stream(stream, ends);
    for (size_t split = 0; split <= total; split++) {
        input in;
        input_init(&in, 100000);
        int found = 0;
        size_t begins = 0;
        for (int half = 0; half < 2; half++) {
            const uint8_t *part = half == 0 ? stream : stream + split;
            input_append(&in, part, half == 0 ? split : total - split);
            const uint8_t *message = NULL;
            size_t size = 0;
            while (found < 3 && input_next(&in, &message, &size, NULL) == SCAN_MESSAGE) {
                assert_int_equal(size, ends[found] - begins);
                assert_memory_equal(message, stream + begins, size);
                begins = ends[found++];
            }
            input_settle(&in);
        }
        assert_int_equal(found, 3);
        assert_int_equal(in.size, 0);
        assert_false(input_partial(&in));
        input_deinit(&in);
    }
}

static void input_partial_only_while_a_message_is_open(void **state)
{
    (void)state;
    input in;
    const uint8_t *message = NULL;
    size_t size = 0;
    input_init(&in, 100000);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MORE);
    assert_false(input_partial(&in));
    input_append(&in, (const uint8_t *)"\x92\x01", 2);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MORE);
    input_settle(&in);
    assert_true(input_partial(&in));
    input_append(&in, (const uint8_t *)"\x02", 1);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    assert_int_equal(size, 3);
    assert_false(input_partial(&in));
    input_deinit(&in);
}

static void input_over_the_limit_is_refused_at_its_header(void **state)
{
    (void)state;
    input in;
    error err;
    const uint8_t *message = NULL;
    size_t size = 0;
    input_init(&in, 5000);
    input_append(&in, (const uint8_t *)"\xc6\x40\x00\x00\x00", 5); // a bin of 1 GiB
    assert_int_equal(input_next(&in, &message, &size, &err), SCAN_REFUSED);
    assert_int_equal(err.status, STATUS_LIMIT_EXCEEDED);
    assert_int_equal(size, 5);
    assert_true(in.capacity <= 5000);
    input_deinit(&in);
}

static void input_gives_up_memory_after_a_large_message(void **state)
{
    (void)state;
    enum { BODY = 60000 };
    input in;
    const uint8_t *message = NULL;
    size_t size = 0;
    uint8_t *large = calloc(1, BODY + 3);
    large[0] = 0xc5; // a bin of 60000
    large[1] = 0xea;
    large[2] = 0x60;
    input_init(&in, 100000);
    input_append(&in, large, BODY + 3);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    assert_int_equal(size, BODY + 3);
    assert_int_equal(memory_of(MEMORY_input), in.capacity);
    assert_int_equal(input_growth(&in, in.capacity - in.size), 0);
    assert_int_equal(input_growth(&in, in.capacity - in.size + 1), in.capacity);
    input_settle(&in);
    assert_int_equal(memory_of(MEMORY_input), 0);
    assert_int_equal(input_growth(&in, 1), 0); // within the part that each connection may keep
    assert_int_equal(in.capacity, 0);
    input_append(&in, (const uint8_t *)"\xc0", 1);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    assert_true(memory_of(MEMORY_input) > 0);
    input_deinit(&in);
    assert_int_equal(memory_of(MEMORY_input), 0);
    free(large);
}

// Only a message that has the memory for itself is given away with it.
static void input_gives_a_message_away_that_is_alone(void **state)
{
    (void)state;
    enum { BODY = 60000 };
    input in;
    const uint8_t *message = NULL;
    size_t size = 0, capacity = 0;
    uint8_t *large = calloc(1, BODY + 4);
    large[0] = 0xc5; // a bin of 60000
    large[1] = 0xea;
    large[2] = 0x60;
    large[BODY + 3] = 0xc0; // nil behind it
    input_init(&in, 100000);
    input_append(&in, large, BODY + 4);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    assert_null(input_take(&in, message, &capacity));
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    assert_int_equal(size, 1);
    assert_null(input_take(&in, message, &capacity)); // the large one is before it
    input_settle(&in);
    input_append(&in, large, BODY + 3);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    uint8_t *taken = input_take(&in, message, &capacity);
    assert_ptr_equal(taken, message);
    assert_true(capacity >= BODY + 3);
    assert_int_equal(memory_of(MEMORY_input), 0);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MORE);
    assert_true(input_whole(&in) && !input_partial(&in) && !input_unscanned(&in));
    input_settle(&in);
    input_append(&in, large + BODY + 3, 1);
    assert_int_equal(input_next(&in, &message, &size, NULL), SCAN_MESSAGE);
    input_deinit(&in);
    free(taken);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_cuts_messages_at_every_split),
        cmocka_unit_test(input_partial_only_while_a_message_is_open),
        cmocka_unit_test(input_over_the_limit_is_refused_at_its_header),
        cmocka_unit_test(input_gives_up_memory_after_a_large_message),
        cmocka_unit_test(input_gives_a_message_away_that_is_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
