// Work over ranges of elements, on the threads of the world's task_runner (ranges.h).
//
// Invariant: only one range writes each partial result, and the number of partial results depends
// on the runner, never on timing; final results do not depend on it. Called on the world's thread.
#include "common/physics/parallel/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// More ranges than threads, so that others can take work from a delayed thread.
#define RANGES_PER_THREAD 2u

typedef struct ranges {
    parallel_work *parallel;
    range_function *work;
    plain_range_function *plain;
    const void *context;
    uint32_t count, partials;
} ranges;

static void run_range(void *context, uint32_t index)
{
    const ranges *r = context;
    uint32_t first = (uint32_t)((uint64_t)r->count * index / r->partials);
    uint32_t end = (uint32_t)((uint64_t)r->count * (index + 1) / r->partials);
    if (r->plain != NULL) {
        r->plain(r->parallel->world, first, end, r->context);
    } else {
        r->work(r->parallel->world, first, end, &r->parallel->partials[index], r->context);
    }
}

static uint32_t most_partials(const parallel_work *parallel)
{
    uint32_t threads = (uint32_t)parallel->runner.threads;
    if (threads < 2) {
        return 1;
    }
    return threads < PARTIALS_MAX / RANGES_PER_THREAD ? RANGES_PER_THREAD * threads : PARTIALS_MAX;
}

void ranges_make_partials(parallel_work *parallel)
{
    const uint32_t count = most_partials(parallel);
    const uint32_t old = parallel->partial_count;
    if (count <= old) {
        return;
    }
    partial *partials = aligned_alloc(_Alignof(partial), count * sizeof *partials);
    ASSERT_MEMORY(partials != NULL);
    memset(partials, 0, count * sizeof *partials);
    if (old > 0) {
        memcpy(partials, parallel->partials, old * sizeof *partials);
    }
    free(parallel->partials);
    parallel->partials = partials;
    parallel->partial_count = count;
}

void ranges_free_partials(parallel_work *parallel)
{
    for (uint32_t i = 0; i < parallel->partial_count; i++) {
        for (int k = 0; k < PARTIAL_LISTS; k++) {
            array_free(&parallel->partials[i].lists[k]);
        }
    }
    free(parallel->partials);
}

static uint32_t partials_for(const parallel_work *parallel, uint32_t count, uint32_t grain)
{
    if (parallel->runner.eager) {
        grain = 1;
    }
    bool divided = !parallel->undivided || parallel->runner.eager;
    if (parallel->runner.threads < 2 || count < 2 * grain || !divided) {
        return 1;
    }
    uint32_t most = most_partials(parallel);
    uint32_t partials = count / grain < most ? count / grain : most;
    uint32_t threads = (uint32_t)parallel->runner.threads;
    return partials > threads ? partials / threads * threads
                              : partials; // every thread gets the same number
}

static void run(ranges *r)
{
    if (r->partials == 1) {
        run_range(r, 0);
    } else {
        r->parallel->runner.run(r->parallel->runner.pool, run_range, r, r->partials);
    }
}

static uint32_t run_finding(ranges *r)
{
    for (uint32_t i = 0; i < r->partials; i++) {
        for (int k = 0; k < PARTIAL_LISTS; k++) {
            array_clear(&r->parallel->partials[i].lists[k]);
        }
    }
    run(r);
    return r->partials;
}

uint32_t run_ranges(parallel_work *parallel, uint32_t count, uint32_t grain, range_function *work,
                    const void *context)
{
    return run_finding(
        &(ranges){parallel, work, NULL, context, count, partials_for(parallel, count, grain)});
}

uint32_t run_shares(parallel_work *parallel, uint32_t count, uint32_t grain, range_function *work,
                    const void *context)
{
    return run_finding(
        &(ranges){parallel, work, NULL, context, SHARES, partials_for(parallel, count, grain)});
}

void run_plain_ranges(parallel_work *parallel, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context)
{
    run(&(ranges){parallel, NULL, work, context, count, partials_for(parallel, count, grain)});
}

void run_plain_shares(parallel_work *parallel, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context)
{
    run(&(ranges){parallel, NULL, work, context, SHARES, partials_for(parallel, count, grain)});
}

void partials_gather(parallel_work *parallel, uint32_t partials, int list, slot_list *to)
{
    for (uint32_t i = 0; i < partials; i++) {
        const slot_list *from = &parallel->partials[i].lists[list];
        if (from->count > 0) {
            array_reserve(to, to->count + from->count);
            memcpy(to->data + to->count, from->data, from->count * sizeof *from->data);
            to->count += from->count;
        }
    }
}
