#include "common/physics/parallel/ranges.h"

#include "common/physics/state/world.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// More ranges than threads, so that who is held up leaves work to the others.
#define RANGES_PER_THREAD 2u

typedef struct ranges {
    physics_world *world;
    range_function *work;
    plain_range_function *plain;
    const void *context;
    uint32_t count, lots;
} ranges;

static void run_range(void *context, uint32_t index)
{
    const ranges *r = context;
    uint32_t first = (uint32_t)((uint64_t)r->count * index / r->lots);
    uint32_t end = (uint32_t)((uint64_t)r->count * (index + 1) / r->lots);
    if (r->plain != NULL) {
        r->plain(r->world, first, end, r->context);
    } else {
        r->work(r->world, first, end, &r->world->lots[index], r->context);
    }
}

static uint32_t most_lots(const physics_world *world)
{
    uint32_t threads = (uint32_t)world->runner.threads;
    if (threads < 2) {
        return 1;
    }
    return threads < LOTS_MAX / RANGES_PER_THREAD ? RANGES_PER_THREAD * threads : LOTS_MAX;
}

void ranges_make_lots(physics_world *world)
{
    const uint32_t count = most_lots(world);
    const uint32_t old = world->lot_count;
    if (count <= old) {
        return;
    }
    lot *lots = aligned_alloc(_Alignof(lot), count * sizeof *lots);
    item_pairs *found = calloc(count, sizeof *found);
    ASSERT(lots != NULL && found != NULL);
    memset(lots, 0, count * sizeof *lots);
    if (old > 0) {
        memcpy(lots, world->lots, old * sizeof *lots);
        memcpy(found, world->found_in, old * sizeof *found);
    }
    free(world->lots);
    free(world->found_in);
    world->lots = lots;
    world->found_in = found;
    world->lot_count = count;
}

void ranges_free_lots(physics_world *world)
{
    for (uint32_t i = 0; i < world->lot_count; i++) {
        for (int k = 0; k < LOT_LISTS; k++) {
            array_free(&world->lots[i].lists[k]);
        }
        array_free(&world->found_in[i]);
    }
    free(world->lots);
    free(world->found_in);
}

static uint32_t lots_for(const physics_world *world, uint32_t count, uint32_t grain)
{
    if (world->runner.eager) {
        grain = 1;
    }
    bool divided = !world->undivided || world->runner.eager;
    if (world->runner.threads < 2 || count < 2 * grain || !divided) {
        return 1;
    }
    uint32_t most = most_lots(world);
    uint32_t lots = count / grain < most ? count / grain : most;
    uint32_t threads = (uint32_t)world->runner.threads;
    return lots > threads ? lots / threads * threads : lots; // as many for each
}

static void run(ranges *r)
{
    if (r->lots == 1) {
        run_range(r, 0);
    } else {
        r->world->runner.run(r->world->runner.pool, run_range, r, r->lots);
    }
}

static uint32_t run_finding(ranges *r)
{
    for (uint32_t i = 0; i < r->lots; i++) {
        for (int k = 0; k < LOT_LISTS; k++) {
            array_clear(&r->world->lots[i].lists[k]);
        }
    }
    run(r);
    return r->lots;
}

uint32_t run_ranges(physics_world *world, uint32_t count, uint32_t grain, range_function *work,
                    const void *context)
{
    return run_finding(&(ranges){world, work, NULL, context, count, lots_for(world, count, grain)});
}

uint32_t run_shares(physics_world *world, uint32_t count, uint32_t grain, range_function *work,
                    const void *context)
{
    return run_finding(
        &(ranges){world, work, NULL, context, SHARES, lots_for(world, count, grain)});
}

void run_plain_ranges(physics_world *world, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context)
{
    run(&(ranges){world, NULL, work, context, count, lots_for(world, count, grain)});
}

void run_plain_shares(physics_world *world, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context)
{
    run(&(ranges){world, NULL, work, context, SHARES, lots_for(world, count, grain)});
}

void lots_gather(physics_world *world, uint32_t lots, int list, slot_list *to)
{
    for (uint32_t i = 0; i < lots; i++) {
        const slot_list *from = &world->lots[i].lists[list];
        if (from->count > 0) {
            array_reserve(to, to->count + from->count);
            memcpy(to->data + to->count, from->data, from->count * sizeof *from->data);
            to->count += from->count;
        }
    }
}
