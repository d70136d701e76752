// Tests of server/net/outbox.h: order, sharing and life of blocks while they are being written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/net/outbox.h"

static uint64_t told[16];
static uint32_t told_count;

static void note(void *context, uint64_t token)
{
    (void)context;
    told[told_count++] = token;
}

static int reset(void **state)
{
    (void)state;
    told_count = 0;
    return 0;
}

static shared_bytes *block_of(const char *text)
{
    shared_bytes *b = bytes_create(strlen(text));
    memcpy(b->data, text, strlen(text));
    b->size = strlen(text);
    return b;
}

// The remaining bytes, as one text.
static const char *contents(const outbox *o)
{
    static char text[65536];
    outbox_span spans[64];
    size_t size = 0;
    uint32_t count = outbox_peek(o, spans, 64);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(text + size, spans[i].data, spans[i].size);
        size += spans[i].size;
    }
    assert_int_equal(size, o->size);
    text[size] = '\0';
    return text;
}

static void outbox_small_messages_share_a_block(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    for (int i = 0; i < 100; i++) {
        outbox_copy(&o, "message ", 8, false);
    }
    outbox_span spans[4];
    assert_int_equal(outbox_peek(&o, spans, 4), 1);
    assert_int_equal(spans[0].size, 800);
    outbox_deinit(&o);
}

static void outbox_keeps_the_order_of_copies_and_shares(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    outbox_copy(&o, "a", 1, false);
    outbox_share(&o, block_of("BB"), 1);
    outbox_copy(&o, "c", 1, false);
    outbox_copy(&o, "d", 1, true);
    outbox_share(&o, block_of("EE"), 2);
    assert_string_equal(contents(&o), "aBBcdEE");
    outbox_consume(&o, 2, note, NULL);
    assert_string_equal(contents(&o), "BcdEE");
    assert_int_equal(told_count, 0);
    outbox_consume(&o, 2, note, NULL);
    assert_int_equal(told_count, 1);
    assert_int_equal(told[0], 1);
    outbox_consume(&o, 3, note, NULL);
    assert_int_equal(told_count, 2);
    assert_int_equal(o.size, 0);
    outbox_deinit(&o);
}

static void outbox_spans_stay_while_more_is_added(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    outbox_copy(&o, "first", 5, false);
    outbox_span span;
    assert_int_equal(outbox_peek(&o, &span, 1), 1);
    for (int i = 0; i < 10000; i++) {
        outbox_copy(&o, "more", 4, false);
    }
    assert_memory_equal(span.data, "first", 5);
    outbox_consume(&o, 5, note, NULL);
    assert_memory_equal(contents(&o), "moremore", 8);
    outbox_deinit(&o);
}

static void outbox_shared_block_is_freed_by_its_last_reader(void **state)
{
    (void)state;
    outbox one;
    outbox two;
    outbox_init(&one);
    outbox_init(&two);
    shared_bytes *b = block_of("shared");
    outbox_share(&one, bytes_ref(b), 0);
    outbox_share(&two, bytes_ref(b), 0);
    bytes_unref(b);
    outbox_consume(&one, 6, note, NULL);
    assert_string_equal(contents(&two), "shared");
    assert_int_equal(told_count, 0); // no token
    outbox_deinit(&two);
    outbox_deinit(&one);
}

static void outbox_block_that_was_handed_over_does_not_grow(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    outbox_copy(&o, "small", 5, false);
    outbox_share(&o, block_of("shared"), 7);
    outbox_copy(&o, "later", 5, false);
    shared_bytes *blocks[2];
    size_t size = 0;
    assert_int_equal(outbox_hand_over(&o, blocks, 2, &size), 2);
    assert_int_equal(size, 11);
    outbox_copy(&o, "more", 4, false);
    assert_int_equal(blocks[0]->size, 5);
    outbox_consume(&o, size, note, NULL);
    assert_int_equal(told[0], 7);
    assert_memory_equal(blocks[1]->data, "shared", 6); // valid as long as its reference
    bytes_unref(blocks[0]);
    bytes_unref(blocks[1]);
    assert_int_equal(outbox_hand_over(&o, blocks, 2, &size), 1);
    outbox_copy(&o, "last", 4, false);
    assert_int_equal(blocks[0]->size, 9);
    bytes_unref(blocks[0]);
    assert_string_equal(contents(&o), "latermorelast");
    outbox_deinit(&o);
}

static void outbox_large_copy_has_a_block_of_its_own(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    static char large[40000];
    memset(large, 'x', sizeof large);
    outbox_copy(&o, "a", 1, false);
    outbox_copy(&o, large, sizeof large, false);
    outbox_copy(&o, "b", 1, false);
    const char *all = contents(&o);
    assert_int_equal(strlen(all), sizeof large + 2);
    assert_int_equal(all[0], 'a');
    assert_int_equal(all[sizeof large + 1], 'b');
    outbox_deinit(&o);
}

static void outbox_cut_keeps_what_is_on_its_way(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    outbox_copy(&o, "head1", 5, true);
    outbox_share(&o, block_of("TAIL1"), 1);
    outbox_copy(&o, "head2", 5, true);
    outbox_share(&o, block_of("TAIL2"), 2);
    // Part of the first message was sent, so its rest must follow, including its second block.
    outbox_consume(&o, 2, note, NULL);
    outbox_cut(&o, 0);
    assert_string_equal(contents(&o), "ad1TAIL1");
    outbox_copy(&o, "bye", 3, false);
    assert_string_equal(contents(&o), "ad1TAIL1bye");
    outbox_deinit(&o);
}

static void outbox_cut_keeps_what_is_being_written(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    outbox_share(&o, block_of("AAAA"), 1);
    outbox_share(&o, block_of("BBBB"), 2);
    outbox_share(&o, block_of("CCCC"), 3);
    outbox_cut(&o, 5);
    assert_string_equal(contents(&o), "AAAABBBB");
    outbox_consume(&o, 8, note, NULL);
    assert_int_equal(told_count, 2);
    outbox_deinit(&o);
}

static void outbox_cut_of_nothing_begun_drops_all(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    outbox_copy(&o, "head", 4, true);
    outbox_share(&o, block_of("TAIL"), 1);
    outbox_cut(&o, 0);
    assert_int_equal(o.size, 0);
    outbox_copy(&o, "bye", 3, false);
    assert_string_equal(contents(&o), "bye");
    assert_int_equal(told_count, 0);
    outbox_deinit(&o);
}

static void outbox_long_life_does_not_grow(void **state)
{
    (void)state;
    outbox o;
    outbox_init(&o);
    for (int i = 0; i < 100000; i++) {
        outbox_share(&o, block_of("abc"), 0);
        if (i >= 10) {
            outbox_consume(&o, 3, note, NULL);
        }
    }
    assert_int_equal(o.size, 30);
    assert_true(o.blocks.capacity <= 512);
    outbox_deinit(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(outbox_small_messages_share_a_block, reset),
        cmocka_unit_test_setup(outbox_keeps_the_order_of_copies_and_shares, reset),
        cmocka_unit_test_setup(outbox_spans_stay_while_more_is_added, reset),
        cmocka_unit_test_setup(outbox_shared_block_is_freed_by_its_last_reader, reset),
        cmocka_unit_test_setup(outbox_large_copy_has_a_block_of_its_own, reset),
        cmocka_unit_test_setup(outbox_block_that_was_handed_over_does_not_grow, reset),
        cmocka_unit_test_setup(outbox_cut_keeps_what_is_on_its_way, reset),
        cmocka_unit_test_setup(outbox_cut_keeps_what_is_being_written, reset),
        cmocka_unit_test_setup(outbox_cut_of_nothing_begun_drops_all, reset),
        cmocka_unit_test_setup(outbox_long_life_does_not_grow, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
