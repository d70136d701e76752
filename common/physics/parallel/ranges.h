// Work over ranges: a phase of the step does the same to each of many bodies, contacts or groups,
// and may do it on several threads if the world was lent a task_runner. The thread that steps the
// world calls these functions; the work of a range runs on any thread.
//
// Results do not depend on the division into ranges: a range writes to its own elements only, and
// lists its findings for the rest of the step in its partial result; partial results are put
// together and sorted by slot afterwards.
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_RANGES_H
#define CAROM_COMMON_PHYSICS_PARALLEL_RANGES_H

#include "common/physics/parallel/lists.h"
#include "common/physics/parallel/task_runner.h"

struct physics_world;

enum { PARTIALS_MAX = 64 };

// The findings of one range: slots, in lists whose meaning the phase gives them.
enum { PARTIAL_LISTS = 6 };
typedef struct partial {
    _Alignas(
        64) slot_list lists[PARTIAL_LISTS]; // lines of their own: they are written side by side
} partial;

// A world's means for ranges.
typedef struct parallel_work {
    struct physics_world *world; // the one whose ranges these are: what their work is handed
    task_runner runner;          // run: NULL if the world has one thread
    bool undivided; // ranges are not cut: what the phase under way works on is better kept together
    partial *partials; // results of the phase under way
    uint32_t partial_count;
} parallel_work;

// Makes as many partials as the world's runner makes use of, and keeps those that exist.
void ranges_make_partials(parallel_work *parallel);
void ranges_free_partials(parallel_work *parallel);

typedef void range_function(struct physics_world *world, uint32_t first, uint32_t end,
                            partial *found, const void *context);

// Calls `work` for ranges that make up [0, count), none of much less than `grain` elements (one of
// all while parallel->undivided), and returns the number of partials that they found into:
// parallel->partials, from the first. Their lists are empty when the ranges begin.
uint32_t run_ranges(parallel_work *parallel, uint32_t count, uint32_t grain, range_function *work,
                    const void *context);

// For lists that are gone over many times in a step: ranges are over [0, SHARES), and share_of()
// tells what part of any list such a range is. So each list is cut at the same places whenever its
// turn comes, and a thread meets again what is in its caches. `count` elements of work in all, that
// `grain` is of.
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

// Adds what the partials' lists of one meaning hold to a list, in the order of the ranges.
void partials_gather(parallel_work *parallel, uint32_t partials, int list, slot_list *to);

// The same for work that finds nothing.
typedef void plain_range_function(struct physics_world *world, uint32_t first, uint32_t end,
                                  const void *context);
void run_plain_ranges(parallel_work *parallel, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context);
void run_plain_shares(parallel_work *parallel, uint32_t count, uint32_t grain,
                      plain_range_function *work, const void *context);

#endif
