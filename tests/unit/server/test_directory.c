// Tests of server/session/placement/directory.h: worlds by name and by number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/session/placement/directory.h"

static void directory_lists_by_name_and_finds_by_number(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"m", "a", "z", "b", "B", "aa"};
    directory d;
    directory_init(&d);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(directory_add(&d, NAMES[i])->number, i + 1);
    }
    for (uint32_t i = 1; i < d.by_name.count; i++) {
        assert_true(strcmp(d.by_name.data[i - 1]->name, d.by_name.data[i]->name) < 0);
    }
    for (uint64_t i = 0; i < 6; i++) {
        assert_string_equal(directory_find_number(&d, i + 1)->name, NAMES[i]);
        assert_int_equal(directory_find(&d, NAMES[i])->number, i + 1);
    }
    assert_null(directory_find(&d, "c"));
    assert_null(directory_find_number(&d, 7));
    directory_deinit(&d);
}

static void directory_unnamed_world_frees_its_name_at_once(void **state)
{
    (void)state;
    directory d;
    directory_init(&d);
    world_entry *first = directory_add(&d, "world");
    first->waiting = 1;
    directory_unname(&d, first);
    assert_null(directory_find(&d, "world"));
    world_entry *second = directory_add(&d, "world");
    assert_int_equal(second->number, 2);
    // The first world exists until its last answer, and no longer.
    directory_release(&d, first);
    assert_ptr_equal(directory_find_number(&d, 1), first);
    first->waiting = 0;
    directory_release(&d, first);
    assert_null(directory_find_number(&d, 1));
    assert_ptr_equal(directory_find(&d, "world"), second);
    directory_release(&d, second); // the second one has its name, so it stays
    assert_ptr_equal(directory_find_number(&d, 2), second);
    directory_deinit(&d);
}

static void reason_names_no_body_to_those_who_see_areas_alone(void **state)
{
    (void)state;
    directory d;
    directory_init(&d);
    world_entry *entry = directory_add(&d, "world");
    entry->broken = strdup("was not restored: the first body that differs is 7");
    assert_int_equal(directory_broken(&d), 1);
    assert_non_null(strstr(directory_reason(entry, false), "7"));
    assert_null(strstr(directory_reason(entry, true), "7"));
    directory_unname(&d, entry);
    directory_release(&d, entry);
    directory_deinit(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directory_lists_by_name_and_finds_by_number),
        cmocka_unit_test(directory_unnamed_world_frees_its_name_at_once),
        cmocka_unit_test(reason_names_no_body_to_those_who_see_areas_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
