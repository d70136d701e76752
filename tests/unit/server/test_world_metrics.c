// Tests of server/world/tick/world_metrics.h: each name is reported once, by the last world that
// has it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/world/tick/world_metrics.h"

typedef struct visits {
    const world_metrics *seen[8];
    int count;
} visits;

static void note(const world_metrics *m, void *context)
{
    visits *v = context;
    v->seen[v->count++] = m;
}

static visits visit_all(void)
{
    visits v = {.count = 0};
    world_metrics_each(note, &v);
    return v;
}

static void worlds_are_visited_until_they_close(void **state)
{
    (void)state;
    assert_int_equal(visit_all().count, 0);
    world_metrics *a = world_metrics_open("a");
    world_metrics *b = world_metrics_open("b");
    assert_string_equal(a->name, "a");
    assert_int_equal(visit_all().count, 2);
    world_metrics_close(a);
    visits v = visit_all();
    assert_int_equal(v.count, 1);
    assert_ptr_equal(v.seen[0], b);
    world_metrics_close(b);
    world_metrics_close(NULL);
    assert_int_equal(visit_all().count, 0);
}

static void name_is_told_by_the_later_world(void **state)
{
    (void)state;
    world_metrics *first = world_metrics_open("demo"); // destroyed, and has not ended yet
    world_metrics *other = world_metrics_open("other");
    world_metrics *second = world_metrics_open("demo");
    visits v = visit_all();
    assert_int_equal(v.count, 2);
    assert_ptr_equal(v.seen[0], second);
    assert_ptr_equal(v.seen[1], other);
    world_metrics_close(first);
    assert_int_equal(visit_all().count, 2);
    world_metrics_close(second);
    world_metrics_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_visited_until_they_close),
        cmocka_unit_test(name_is_told_by_the_later_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
