// Work over ranges: a phase of the step handles many bodies, contacts or groups alike, on several
// threads if the world has a task_runner. The thread that steps the world calls these functions;
// the work of a range runs on any thread.
//
// Results do not depend on the division into ranges: a range writes only to its own elements and
// lists its findings in its partial result; partial results are merged and sorted by slot
// afterwards.
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_RANGES_H
#define CAROM_COMMON_PHYSICS_PARALLEL_RANGES_H

#include "common/physics/parallel/lists.h"
#include "common/physics/parallel/task_runner.h"

struct physics_world;

enum { PARTIALS_MAX = 64 };

// The findings of one range: lists of slots, whose meaning depends on the phase.
enum { PARTIAL_LISTS = 6 };
typedef struct partial {
    // cache lines of their own, since threads write them at the same time
    _Alignas(64) slot_list lists[PARTIAL_LISTS];
} partial;

// The state that a world needs to run ranges.
typedef struct parallel_work {
    struct physics_world *world; // the world whose ranges these are; passed to their functions
    task_runner runner;          // run: NULL if the world has one thread
    // ranges are not split: the data of the current phase is better processed together
    bool undivided;
    partial *partials; // results of the current phase
    uint32_t partial_count;
} parallel_work;

// Makes as many partials as the world's runner can use, and keeps existing ones.
void ranges_make_partials(parallel_work *parallel);
void ranges_free_partials(parallel_work *parallel);

typedef void range_function(struct physics_world *world, uint32_t first, uint32_t end,
                            partial *found, const void *context);

// Calls `work` for ranges that cover [0, count), each of about `grain` elements or more (one range
// while parallel->undivided). Returns the number of partials that they wrote, from the first of
// parallel->partials on. Their lists are empty when the ranges begin.
uint32_t run_ranges(parallel_work *parallel, uint32_t count, uint32_t grain, range_function *work,
                    const void *context);

// For lists that are processed many times in a step: ranges are over [0, SHARES), and share_of()
// maps such a range to a part of any list. So each list is always split at the same places, and a
// thread finds its elements in its caches again. `count` is the total number of elements of work,
// to which `grain` refers.
enum { SHARES = 20160 }; // divisible by every small number of ranges
uint32_t run_shares(parallel_work *parallel, uint32_t count, uint32_t grain, range_function *work,
                    const void *context);

typedef struct span {
    uint32_t first, end;
} span;

static inline span share_of(uint32_t count, uint32_t first, uint32_t end)
{
    return (span){(uint32_t)((uint64_t)count * first / SHARES),
                  (uint32_t)((uint64_t)count * end / SHARES)};
}

// Appends the partials' lists of one meaning to a list, in the order of the ranges.
void partials_gather(parallel_work *parallel, uint32_t partials, int list, slot_list *to);

// The same for work without findings.
typedef void plain_range_function(struct physics_world *world, uint32_t first, uint32_t end,
                                  const void *context);
void run_plain_ranges(parallel_work *parallel, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context);
void run_plain_shares(parallel_work *parallel, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context);

#endif
