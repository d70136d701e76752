// The joints of a step: assigned by colour to lanes, or to those solved one at a time, then filled,
// swept colour by colour, and stored back.
//
// Within a colour no two joints write to the same body, so neither their order nor their lanes
// change any bit of the result. Joints without a colour are solved one by one in the order of
// slots: a group each.
#include "common/physics/step/solver/joint_lanes.h"

#include "common/base/assert.h"
#include "common/base/block.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/step/solver/joint_phases.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <stdlib.h>
#include <string.h>

extern const joint_kernels joint_kernels_base;
#ifdef CAROM_HAVE_AVX2
extern const joint_kernels joint_kernels_avx2;
#endif

// Groups that make a range worth handing to another thread.
#define GRAIN_FILLED 16u
#define GRAIN_STORED 32u

static const size_t GROUP_BYTES[JOINT_SORTS] = {
    [SORT_PLAIN] = sizeof(joint_lanes),
    [SORT_DRIVEN] = sizeof(driven_lanes),
    [SORT_SINGLE] = sizeof(single_joint),
};

static joint_solver *solver_of(physics_world *world)
{
    if (world->solver->joint_solver == NULL) {
        joint_solver *solver = calloc(1, sizeof *solver);
        ASSERT_MEMORY(solver != NULL);
        solver->kernels = &joint_kernels_base;
#ifdef CAROM_HAVE_AVX2
        if (wide_avx2_chosen()) {
            solver->kernels = &joint_kernels_avx2;
        }
#endif
        world->solver->joint_solver = solver;
    }
    return world->solver->joint_solver;
}

// ---- memory

static void *groups_of(const joint_solver *solver, int sort)
{
    void *const groups[JOINT_SORTS] = {
        [SORT_PLAIN] = solver->plain,
        [SORT_DRIVEN] = solver->driven,
        [SORT_SINGLE] = solver->single,
    };
    return groups[sort];
}

// Makes room for `capacity` groups of a sort.
static void set_capacity(joint_solver *solver, int sort, uint32_t capacity)
{
    const size_t bytes = GROUP_BYTES[sort];
    void *memory =
        block_resize(groups_of(solver, sort), solver->capacity[sort] * bytes, capacity * bytes);
    solver->capacity[sort] = capacity;
    switch ((joint_sort)sort) {
    case SORT_PLAIN:
        solver->plain = memory;
        break;
    case SORT_DRIVEN:
        solver->driven = memory;
        break;
    case SORT_SINGLE:
        solver->single = memory;
        break;
    }
}

void joint_solver_free(joint_solver *solver)
{
    if (solver != NULL) {
        for (int sort = 0; sort < JOINT_SORTS; sort++) {
            set_capacity(solver, sort, 0);
        }
        array_free(&solver->breakable);
        array_free(&solver->seeds);
        free(solver);
    }
}

uint32_t joint_lanes_count(const physics_world *world, int sort)
{
    const joint_solver *solver = world->solver->joint_solver;
    return solver != NULL ? solver->first[sort][COLOURS + 1] : 0;
}

void joint_lanes_trim(physics_world *world, int sort, uint32_t most)
{
    joint_solver *solver = world->solver->joint_solver;
    if (solver != NULL && solver->capacity[sort] > most) {
        set_capacity(solver, sort, 0);
    }
}

// ---- layout

// Joints without a colour are solved one by one, in the order of slots.
static void sort_overflow(physics_world *world)
{
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        slot_list *list = &world->graph[COLOUR_OVERFLOW].joints[sort];
        list->count = sort_slots(list->data, list->count);
        for (uint32_t i = 0; i < list->count; i++) {
            world->joints.data[list->data[i]].colour_index = i;
        }
    }
}

static uint32_t joints_per_group(int sort, uint32_t colour)
{
    return sort == SORT_SINGLE || colour == COLOUR_OVERFLOW ? 1 : LANES;
}

// Assigns joints to groups, and allocates memory for these.
static void lay_out(physics_world *world)
{
    joint_solver *solver = solver_of(world);
    sort_overflow(world);
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        uint32_t *first = solver->first[sort];
        first[0] = 0;
        for (uint32_t colour = 0; colour <= COLOURS; colour++) {
            uint32_t per_group = joints_per_group(sort, colour);
            uint32_t count = world->graph[colour].joints[sort].count;
            first[colour + 1] = first[colour] + (count + per_group - 1) / per_group;
        }
        uint32_t count = first[COLOURS + 1];
        if (count > solver->capacity[sort]) {
            set_capacity(solver, sort, count + count / 16);
        }
    }
}

joint_slots joint_group_slots(const physics_world *world, joint_sort sort, uint32_t group,
                              uint32_t *colour)
{
    const uint32_t *first = world->solver->joint_solver->first[sort];
    while (group >= first[*colour + 1]) {
        ++*colour;
    }
    const slot_list *list = &world->graph[*colour].joints[sort];
    uint32_t per_group = joints_per_group((int)sort, *colour);
    uint32_t from = (group - first[*colour]) * per_group;
    uint32_t left = list->count - from;
    return (joint_slots){&list->data[from], left < per_group ? left : per_group};
}

// The groups of a sort in a colour.
static span groups_in(const physics_world *world, int sort, uint32_t colour)
{
    const uint32_t *first = world->solver->joint_solver->first[sort];
    return (span){first[colour], first[colour + 1]};
}

// The part of those groups that corresponds to a range of shares.
static span share_of_groups(const physics_world *world, int sort, uint32_t colour, uint32_t first,
                            uint32_t end)
{
    span of = groups_in(world, sort, colour);
    span share = share_of(of.end - of.first, first, end);
    return (span){of.first + share.first, of.first + share.end};
}

// ---- filling

enum { BREAKABLE, SEEDS }; // lists of a partial

static void fill_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                       const void *context)
{
    (void)context;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        for (uint32_t colour = 0; colour <= COLOURS; colour++) {
            span part = share_of_groups(world, sort, colour, first, end);
            joint_lanes_fill(world, (joint_sort)sort, part.first, part.end,
                             &found->lists[BREAKABLE], &found->lists[SEEDS]);
        }
    }
}

void joints_prepare(physics_world *world)
{
    lay_out(world);
    joint_solver *solver = world->solver->joint_solver;
    uint32_t groups = 0;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        groups += solver->first[sort][COLOURS + 1];
    }
    array_clear(&solver->breakable);
    array_clear(&solver->seeds);
    if (groups > 0) {
        uint32_t partials = run_shares(&world->parallel, groups, GRAIN_FILLED, fill_range, NULL);
        partials_gather(&world->parallel, partials, BREAKABLE, &solver->breakable);
        partials_gather(&world->parallel, partials, SEEDS, &solver->seeds);
    }
}

const uint32_t *joints_breakable(const physics_world *world, uint32_t *count)
{
    *count = world->solver->joint_solver->breakable.count;
    return world->solver->joint_solver->breakable.data;
}

// ---- sweeping

static void sweep_lanes(physics_world *world, joint_sort sort, uint32_t first, uint32_t end,
                        solver_pass pass)
{
    const joint_solver *solver = world->solver->joint_solver;
    const joint_sort_kernels *kernels = &solver->kernels->sorts[sort];
    joint_lanes *groups = group_at(solver, sort, first);
    uint32_t count = end - first;
    body_state *states = world->states.data;
    switch (pass) {
    case PASS_WARM_START:
        kernels->warm_start(groups, count, states);
        break;
    case PASS_WARM_AGAIN: // solving applies the difference
        break;
    case PASS_SOLVE:
        kernels->solve(groups, count, states, &world->step);
        break;
    case PASS_SETTLE: // these passes only sweep contacts
    case PASS_SETTLE_MORE:
        break;
    case PASS_RELAX:
        kernels->relax(groups, count, states, &world->step);
        break;
    }
}

static void sweep_groups(physics_world *world, joint_sort sort, uint32_t first, uint32_t end,
                         solver_pass pass)
{
    if (sort != SORT_SINGLE && first < end) {
        sweep_lanes(world, sort, first, end, pass);
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        joint_sweep_single(world, &world->solver->joint_solver->single[i], pass);
    }
}

// Sweeps joints without a colour one by one: the sort with the lowest next slot goes first.
static void sweep_overflow(physics_world *world, solver_pass pass)
{
    const joint_solver *solver = world->solver->joint_solver;
    const slot_list *lists = world->graph[COLOUR_OVERFLOW].joints;
    uint32_t next[JOINT_SORTS] = {0};
    for (;;) {
        int lowest = -1;
        for (int sort = 0; sort < JOINT_SORTS; sort++) {
            if (next[sort] < lists[sort].count &&
                (lowest < 0 || lists[sort].data[next[sort]] < lists[lowest].data[next[lowest]])) {
                lowest = sort;
            }
        }
        if (lowest < 0) {
            return;
        }
        uint32_t group = solver->first[lowest][COLOUR_OVERFLOW] + next[lowest]++;
        sweep_groups(world, (joint_sort)lowest, group, group + 1, pass);
    }
}

uint32_t joints_groups(const physics_world *world, uint32_t colour)
{
    uint32_t count = 0;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        span of = groups_in(world, sort, colour);
        count += of.end - of.first;
    }
    return count;
}

uint32_t joints_alone(const physics_world *world, uint32_t colour)
{
    span of = groups_in(world, SORT_SINGLE, colour);
    return of.end - of.first;
}

void joints_sweep(physics_world *world, uint32_t colour, solver_pass pass, uint32_t first,
                  uint32_t end)
{
    if (colour == COLOUR_OVERFLOW) {
        ASSERT_SLOW(first == 0 && end == SHARES);
        sweep_overflow(world, pass);
        return;
    }
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        span part = share_of_groups(world, sort, colour, first, end);
        sweep_groups(world, (joint_sort)sort, part.first, part.end, pass);
    }
}

// ---- storing

static void store_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        for (uint32_t colour = 0; colour <= COLOURS; colour++) {
            span part = share_of_groups(world, sort, colour, first, end);
            joint_lanes_store(world, (joint_sort)sort, part.first, part.end);
        }
    }
}

void joints_store(physics_world *world)
{
    uint32_t groups = 0;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        groups += world->solver->joint_solver->first[sort][COLOURS + 1];
    }
    run_plain_shares(&world->parallel, groups, GRAIN_STORED, store_range, NULL);
}
