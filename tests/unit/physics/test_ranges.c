// Work over ranges: however a list is divided, each element is processed once, and the shares are
// adjacent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/parallel/ranges.h"
#include "common/physics/state/world.h"

enum { ELEMENTS_MAX = 1000 };

static uint8_t worked[ELEMENTS_MAX]; // how often each element was processed
static uint32_t cut_into;            // number of ranges

static void run_tasks(void *pool, task_function *task, void *context, uint32_t count)
{
    (void)pool;
    for (uint32_t i = 0; i < count; i++) {
        task(context, i);
    }
}

static physics_world *world_of(int threads)
{
    world_def def = world_def_default();
    error err;
    physics_world *world = NULL;
    assert_int_equal(world_create(&def, &world, &err), STATUS_OK);
    world_set_runner(world, (task_runner){.run = run_tasks, .threads = threads});
    return world;
}

static void work(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)world;
    (void)context;
    cut_into++;
    for (uint32_t i = first; i < end; i++) {
        worked[i]++;
    }
}

// Processes a share of a list whose length is the context.
static void work_share(physics_world *world, uint32_t first, uint32_t end, partial *found,
                       const void *context)
{
    const uint32_t *count = context;
    span part = share_of(*count, first, end);
    work(world, part.first, part.end, NULL);
    array_push(&found->lists[0], part.first);
}

static void assert_all_worked_on_once(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(worked[i], 1);
    }
    memset(worked, 0, sizeof worked);
}

static void ranges_cover_everything_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 70; threads++) {
        physics_world *world = world_of(threads);
        for (uint32_t count = 0; count <= ELEMENTS_MAX; count += 37) {
            run_plain_ranges(&world->parallel, count, 3, work, NULL);
            assert_all_worked_on_once(count);
        }
        world_free(world);
    }
}

static void shares_of_any_list_cover_it_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 70; threads++) {
        physics_world *world = world_of(threads);
        for (uint32_t count = 0; count <= ELEMENTS_MAX; count += 37) {
            // divided by the amount of work, not by this list's length
            uint32_t partials = run_shares(&world->parallel, 500, 3, work_share, &count);
            assert_all_worked_on_once(count);
            slot_list firsts = {0};
            partials_gather(&world->parallel, partials, 0, &firsts);
            assert_int_equal(firsts.count, partials);
            for (uint32_t i = 1; i < partials; i++) { // found in the order of the ranges
                assert_true(firsts.data[i - 1] <= firsts.data[i]);
            }
            array_free(&firsts);
        }
        world_free(world);
    }
}

static void ranges_are_as_many_for_each_thread_or_few(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        physics_world *world = world_of(threads);
        for (uint32_t count = 1; count <= ELEMENTS_MAX; count += 13) {
            const uint32_t grain = 20;
            cut_into = 0;
            run_plain_ranges(&world->parallel, count, grain, work, NULL);
            assert_all_worked_on_once(count);
            assert_true(cut_into == 1 || (threads > 1 && count / cut_into >= grain));
            assert_true(cut_into <= (uint32_t)threads || cut_into % (uint32_t)threads == 0);
        }
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_cover_everything_once),
        cmocka_unit_test(shares_of_any_list_cover_it_once),
        cmocka_unit_test(ranges_are_as_many_for_each_thread_or_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
