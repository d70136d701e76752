// Frees memory that only a peak needed. Lists of a step's changes and the solver's lanes keep their
// largest size, so that a step allocates nothing. From time to time, lists many times larger than
// recently needed are freed: after a world was filled, when everything fell at once, when all
// bodies went to sleep. Each check reduces the recorded peak to a quarter. This concerns only
// memory: no result depends on it.
#include "common/physics/step/trim.h"

#include <stdlib.h>
#include <string.h>

#include "common/physics/state/world.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/integrate.h"
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/solver_scratch.h"
#include "common/physics/step/step_scratch.h"

enum {
    TRIM_TICKS = 16,    // ticks between checks
    FADING = 4,         // each check divides a peak by this
    LOOSE = 4,          // a list keeps this many times its largest recent need,
    SPARE_BYTES = 4096, // and this many bytes more
    GROUPS_SPARE = 128  // lanes keep twice their need and this many groups more
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// The longest of the lists of changes in `scratch`, or `longest`.
#define NOTE_CHANGES(name) longest = larger(longest, scratch->name.count);
#define NOTE_AWAKE(name)
#define NOTE_NEVER(name)
#define NOTE(type, name, when) NOTE_##when(name)

static uint32_t longest_of_step(const step_scratch *scratch, uint32_t longest)
{
    longest = larger(longest, scratch->turned.count);
    STEP_SCRATCH_ARRAYS(NOTE)
    return longest;
}

static uint32_t longest_of_solver(const solver_scratch *scratch, uint32_t longest)
{
    SOLVER_SCRATCH_ARRAYS(NOTE)
    return longest;
}

void trim_note(physics_world *world)
{
    trim_peaks *peaks = &world->scratch->peaks;
    peaks->changes = larger(peaks->changes, world->enlarged.count);
    peaks->changes = longest_of_step(world->scratch, peaks->changes);
    peaks->changes = longest_of_solver(world->solver, peaks->changes);
    peaks->events = larger(peaks->events, world->events.count);
    if (world->awake_bodies.count == 0) {
        return;
    }
    peaks->groups = larger(peaks->groups, world->solver->groups.first[COLOURS + 1]);
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        peaks->joints[sort] = larger(peaks->joints[sort], joint_lanes_count(world, sort));
    }
}

// Frees empty lists only: the others are still in use.
#define TRIM(list, need)                                                                           \
    do {                                                                                           \
        if ((list)->count == 0 &&                                                                  \
            (list)->capacity > (need) + SPARE_BYTES / (uint32_t)sizeof *(list)->data) {            \
            array_free(list);                                                                      \
        }                                                                                          \
    } while (0)

// Clears a list, whose contents are not needed any more.
#define CLEAR_AND_TRIM(list, need)                                                                 \
    do {                                                                                           \
        array_clear(list);                                                                         \
        TRIM(list, need);                                                                          \
    } while (0)

#define TRIM_CHANGES(name) CLEAR_AND_TRIM(&scratch->name, need);
#define TRIM_AWAKE(name)
#define TRIM_NEVER(name)
#define TRIM_ONE(type, name, when) TRIM_##when(name)

static void trim_step_lists(step_scratch *scratch, uint32_t need)
{
    STEP_SCRATCH_ARRAYS(TRIM_ONE)
}

static void trim_solver_lists(solver_scratch *scratch, uint32_t need)
{
    SOLVER_SCRATCH_ARRAYS(TRIM_ONE)
}

static void trim_lists(physics_world *world, uint32_t need)
{
    TRIM(&world->enlarged, need);
    trim_step_lists(world->scratch, need);
    trim_solver_lists(world->solver, need);
    for (uint32_t i = 0; i < world->parallel.partial_count; i++) {
        CLEAR_AND_TRIM(&world->scratch->found_in[i], need);
        for (int k = 0; k < PARTIAL_LISTS; k++) {
            CLEAR_AND_TRIM(&world->parallel.partials[i].lists[k], need);
        }
    }
}

static void trim_lanes(physics_world *world, const trim_peaks *peaks)
{
    if (world->solver->groups.capacity > 2 * peaks->groups + GROUPS_SPARE) {
        contact_lanes_free(world);
    }
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        joint_lanes_trim(world, sort, 2 * peaks->joints[sort] + GROUPS_SPARE);
    }
}

#undef TRIM_CHANGES
#undef TRIM_AWAKE
#define TRIM_CHANGES(name)
#define TRIM_AWAKE(name) CLEAR_AND_TRIM(&scratch->name, 0);

static void trim_awake_of_step(step_scratch *scratch)
{
    STEP_SCRATCH_ARRAYS(TRIM_ONE)
}

static void trim_awake_of_solver(solver_scratch *scratch)
{
    SOLVER_SCRATCH_ARRAYS(TRIM_ONE)
}

// While no body is awake: trims the lists of awake bodies, and those that find islands among them.
static void trim_awake(physics_world *world)
{
    TRIM(&world->awake_bodies, 0);
    TRIM(&world->awake_contacts, 0);
    TRIM(&world->awake_joints, 0);
    for (int i = 0; i <= COLOURS; i++) {
        TRIM(&world->graph[i].contacts, 0);
        for (int sort = 0; sort < JOINT_SORTS; sort++) {
            TRIM(&world->graph[i].joints[sort], 0);
        }
    }
    trim_awake_of_step(world->scratch);
    trim_awake_of_solver(world->solver);
}

void trim_world(physics_world *world)
{
    if (world->tick % TRIM_TICKS != 0) {
        return;
    }
    const trim_peaks *peaks = &world->scratch->peaks;
    trim_lists(world, LOOSE * peaks->changes);
    TRIM(&world->events, LOOSE * peaks->events); // if the last step's events were cleared
    trim_lanes(world, peaks);
    if (world->awake_bodies.count == 0) {
        trim_awake(world);
    }
    if (peaks->changes == 0) { // trees without moving items are not rebuilt
        for (int i = 0; i < BROAD_TREES; i++) {
            tree *t = &world->broad.trees[i];
            TRIM(&t->before, 0);
        }
    }
    trim_peaks faded = {
        .changes = peaks->changes / FADING,
        .events = peaks->events / FADING,
        .groups = peaks->groups / FADING,
    };
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        faded.joints[sort] = peaks->joints[sort] / FADING;
    }
    world->scratch->peaks = faded;
}
