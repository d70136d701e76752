// The log of a replicated world on its way to its standby: what is kept, what may be shown, bounds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/memory.h"
#include "server/world/message/world_feed.h"

static void count(void *context)
{
    ++*(int *)context;
}

static uint64_t put(world_feed *f, feed_kind kind, size_t size)
{
    shared_bytes *bytes = kind != FEED_END ? bytes_create(size) : NULL;
    if (bytes != NULL) {
        memset(bytes->data, 0, size);
        bytes->size = size;
    }
    const uint64_t sequence = world_feed_put(f, kind, 7, 9, bytes);
    if (bytes != NULL) {
        bytes_unref(bytes);
    }
    return sequence;
}

// Takes all items, and compares their sequences.
static void expect(world_feed *f, uint32_t items, const uint64_t *sequences, bool expect_cut)
{
    bool cut = !expect_cut;
    feed_item *item = world_feed_take(f, &cut);
    assert_int_equal(cut, expect_cut);
    for (uint32_t i = 0; i < items; i++) {
        assert_non_null(item);
        assert_int_equal(item->sequence, sequences[i]);
        feed_item *next = item->next;
        feed_item_free(item);
        item = next;
    }
    assert_null(item);
}

static void without_a_standby_nothing_is_kept_and_all_is_shown(void **state)
{
    int woken = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    assert_int_equal(put(f, FEED_ENTRY, 4), 1);
    assert_int_equal(put(f, FEED_ENTRY, 4), 2);
    assert_false(world_feed_wants_image(f));
    assert_int_equal(woken, 0);
    expect(f, 0, NULL, false);
    assert_true(world_feed_show(f, 2));
    assert_int_equal(world_feed_shown(f), 2);
    world_feed_unref(f);
}

static void standby_gets_an_image_and_what_follows_it(void **state)
{
    int woken = 0;
    int allowed = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_watch(f, count, &allowed);
    world_feed_attach(f);
    assert_int_equal(allowed, 1); // the world learns that an image is wanted
    assert_true(world_feed_wants_image(f));
    assert_int_equal(put(f, FEED_ENTRY, 4), 1);
    assert_int_equal(put(f, FEED_IMAGE, 4), 2);
    assert_false(world_feed_wants_image(f));
    assert_true(world_feed_follows(f));
    assert_int_equal(put(f, FEED_ENTRY, 4), 3);
    assert_int_equal(put(f, FEED_END, 0), 4);
    assert_int_equal(woken, 1); // once for all of them
    expect(f, 3, (uint64_t[]){2, 3, 4}, false);
    world_feed_detach(f);
    assert_int_equal(put(f, FEED_ENTRY, 4), 5);
    expect(f, 0, NULL, false);
    world_feed_unref(f);
}

static void another_standby_gets_nothing_from_before(void **state)
{
    int woken = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_attach(f);
    (void)put(f, FEED_IMAGE, 4);
    (void)put(f, FEED_ENTRY, 4);
    world_feed_attach(f);
    assert_true(world_feed_wants_image(f));
    (void)put(f, FEED_ENTRY, 4);
    expect(f, 0, NULL, false);
    world_feed_unref(f);
}

static void image_is_renewed_among_the_entries(void **state)
{
    int woken = 0;
    int words = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_watch(f, count, &words);
    world_feed_renew(f); // nobody is there
    assert_false(world_feed_wants_image(f));
    world_feed_attach(f);
    assert_int_equal(put(f, FEED_IMAGE, 4), 1);
    assert_int_equal(put(f, FEED_ENTRY, 4), 2);
    words = 0;
    world_feed_renew(f);
    assert_int_equal(words, 1); // a paused world polls nothing: it is notified
    assert_true(world_feed_wants_image(f));
    assert_true(world_feed_follows(f));
    assert_int_equal(put(f, FEED_ENTRY, 4), 3);
    assert_int_equal(put(f, FEED_IMAGE, 4), 4);
    assert_false(world_feed_wants_image(f));
    assert_int_equal(put(f, FEED_ENTRY, 4), 5);
    expect(f, 5, (const uint64_t[]){1, 2, 3, 4, 5}, false);
    world_feed_watch(f, NULL, NULL);
    world_feed_unref(f);
}

static void nothing_leaves_that_is_not_allowed(void **state)
{
    int woken = 0;
    int allowed = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_watch(f, count, &allowed);
    world_feed_allow(f, 0); // goes back
    assert_int_equal(allowed, 0);
    (void)put(f, FEED_ENTRY, 4);
    assert_false(world_feed_show(f, 1));
    assert_int_equal(world_feed_shown(f), 0);
    world_feed_allow(f, 1);
    assert_int_equal(allowed, 1);
    assert_true(world_feed_show(f, 1));
    assert_false(world_feed_show(f, 2));
    assert_int_equal(world_feed_shown(f), 1);
    world_feed_watch(f, NULL, NULL);
    world_feed_allow(f, UINT64_MAX);
    assert_int_equal(allowed, 1);
    assert_true(world_feed_show(f, 2));
    world_feed_unref(f);
}

static void too_many_entries_cut_the_feed(void **state)
{
    enum { PIECE = 8 << 20 };
    int woken = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_attach(f);
    (void)put(f, FEED_IMAGE, PIECE); // an image does not count
    for (int i = 0; i < WORLD_FEED_BYTES_MAX / PIECE; i++) {
        (void)put(f, FEED_ENTRY, PIECE);
    }
    assert_true(world_feed_follows(f));
    assert_int_equal(woken, 1);
    (void)put(f, FEED_ENTRY, PIECE);
    assert_false(world_feed_follows(f));
    assert_int_equal(woken, 2);
    expect(f, 0, NULL, true);
    expect(f, 0, NULL, false); // reported once
    world_feed_attach(f);
    assert_true(world_feed_wants_image(f));
    world_feed_unref(f);
}

static void what_waits_is_in_the_account_of_memory(void **state)
{
    int woken = 0;
    bool cut;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_attach(f);
    (void)put(f, FEED_IMAGE, 3000);
    (void)put(f, FEED_ENTRY, 500);
    (void)put(f, FEED_END, 0);
    assert_int_equal(memory_of(MEMORY_standbys), 3500);
    feed_item *item = world_feed_take(f, &cut);
    assert_int_equal(memory_of(MEMORY_standbys), 3500); // the taker has them
    while (item != NULL) {
        feed_item *next = item->next;
        feed_item_free(item);
        item = next;
    }
    assert_int_equal(memory_of(MEMORY_standbys), 0);
    (void)put(f, FEED_ENTRY, 500);
    world_feed_unref(f);
    assert_int_equal(memory_of(MEMORY_standbys), 0);
}

static void less_may_wait_while_memory_is_short(void **state)
{
    int woken = 0;
    (void)state;
    world_feed *f = world_feed_create(count, &woken);
    world_feed_attach(f);
    (void)put(f, FEED_IMAGE, 4);
    memory_begin(1, 0);
    (void)put(f, FEED_ENTRY, WORLD_FEED_BYTES_LOW);
    assert_true(world_feed_follows(f));
    (void)put(f, FEED_ENTRY, 1);
    assert_false(world_feed_follows(f));
    memory_begin(0, 0);
    expect(f, 0, NULL, true);
    world_feed_unref(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_standby_nothing_is_kept_and_all_is_shown),
        cmocka_unit_test(standby_gets_an_image_and_what_follows_it),
        cmocka_unit_test(another_standby_gets_nothing_from_before),
        cmocka_unit_test(image_is_renewed_among_the_entries),
        cmocka_unit_test(nothing_leaves_that_is_not_allowed),
        cmocka_unit_test(too_many_entries_cut_the_feed),
        cmocka_unit_test(what_waits_is_in_the_account_of_memory),
        cmocka_unit_test(less_may_wait_while_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
