// Integration: forces change velocities, velocities change poses, in each sub-step.
//
// A body without contacts and joints (a free body) is affected by nothing between its sub-steps:
// all of them are computed at once, while it is in the cache, and the sub-steps visit only the
// other bodies (held ones). In a large world of free bodies, this saves seven of eight memory
// accesses.
//
// Warm starting applies last impulses again before they are corrected. Within a step the arms and
// normals of contacts are constant, so the sum of a sub-step's impulses on a body equals the change
// of its velocity from here to the end of the relaxing pass. To apply it again in the next
// sub-step, the velocity before solving is enough: only the first sub-step needs a sweep over
// contacts. Joints whose directions rotate with the bodies add the difference (joint_kernels.c,
// joint_single.c).
#include "common/physics/step/solver/integrate.h"

#include "common/physics/lanes/wide.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <string.h>

#define GRAIN_BODIES 256u // bodies that make a range worth handing to another thread
#define GRAIN_EIGHTS (GRAIN_BODIES / LANES)

extern const integrate_kernels integrate_kernels_base;
#ifdef CAROM_HAVE_AVX2
extern const integrate_kernels integrate_kernels_avx2;
#endif

const integrate_kernels *integrate_kernels_choose(void)
{
#ifdef CAROM_HAVE_AVX2
    if (wide_avx2_chosen()) {
        return &integrate_kernels_avx2;
    }
#endif
    return &integrate_kernels_base;
}

// ---- free bodies

// Overflowing contacts and joints have no colour to record them; if there are any, every body
// counts as held.
static bool colours_tell(const physics_world *world)
{
    return world->graph[COLOUR_OVERFLOW].contacts.count == 0 &&
           graph_joint_count(world, COLOUR_OVERFLOW) == 0;
}

// Nothing changes a kinematic body, but bodies that touch it see it move.
static bool is_free(const physics_world *world, uint32_t slot)
{
    return world->colours_used.data[slot] == 0 &&
           (world->states.data[slot].flags & STATE_DYNAMIC) != 0;
}

// The held bodies that a range has listed in world->solver->held, from its own start on.
typedef struct held_part {
    uint32_t first, count;
} held_part;

typedef struct free_pass {
    bool told; // colours determine which bodies are free
    held_part *parts;
} free_pass;

static void integrate_free_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                                 const void *context)
{
    const free_pass *pass = context;
    held_part part = {.first = first};
    uint32_t free[LANES];
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = world->awake_bodies.data[i];
        if (!pass->told || !is_free(world, slot)) {
            world->solver->held.data[first + part.count++] = slot;
            continue;
        }
        free[count++] = slot;
        if (count == LANES) {
            world->solver->integrators->all(world, free, count);
            count = 0;
        }
    }
    world->solver->integrators->all(world, free, count);
    pass->parts[found - world->parallel.partials] = part;
}

void integrate_free(physics_world *world)
{
    held_part parts[PARTIALS_MAX];
    const free_pass pass = {colours_tell(world), parts};
    slot_list *held = &world->solver->held;
    array_reserve(held, world->awake_bodies.count);
    uint32_t partials = run_ranges(&world->parallel, world->awake_bodies.count, GRAIN_BODIES,
                                   integrate_free_range, &pass);
    held->count = 0;
    for (uint32_t i = 0; i < partials; i++) {
        memmove(held->data + held->count, held->data + parts[i].first,
                parts[i].count * sizeof *held->data);
        held->count += parts[i].count;
    }
}

// ---- held bodies

static uint32_t held_eights(const physics_world *world)
{
    return (world->solver->held.count + LANES - 1) / LANES;
}

static void velocities_range(physics_world *world, uint32_t first, uint32_t end,
                             const void *context)
{
    world->solver->integrators->velocities(world, first, end, *(const bool *)context);
}

static void positions_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    world->solver->integrators->positions(world, first, end);
}

void integrate_velocities(physics_world *world, bool again)
{
    array_reserve(&world->solver->unsolved, held_eights(world));
    run_plain_ranges(&world->parallel, held_eights(world), GRAIN_EIGHTS, velocities_range, &again);
}

void integrate_positions(physics_world *world)
{
    run_plain_ranges(&world->parallel, held_eights(world), GRAIN_EIGHTS, positions_range, NULL);
}

// ---- impacts between sub-steps

static void note_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    for (uint32_t i = first; i < end; i++) {
        const body_state *s = &world->states.data[world->solver->held.data[i]];
        velocity_lanes *noted = &world->solver->unstruck.data[i / LANES];
        noted->vx[i % LANES] = s->velocity.x;
        noted->vy[i % LANES] = s->velocity.y;
        noted->w[i % LANES] = s->angular_velocity;
    }
}

static void leave_out_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    for (uint32_t i = first; i < end; i++) {
        const body_state *s = &world->states.data[world->solver->held.data[i]];
        const velocity_lanes *noted = &world->solver->unstruck.data[i / LANES];
        velocity_lanes *unsolved = &world->solver->unsolved.data[i / LANES];
        unsolved->vx[i % LANES] += s->velocity.x - noted->vx[i % LANES];
        unsolved->vy[i % LANES] += s->velocity.y - noted->vy[i % LANES];
        unsolved->w[i % LANES] += s->angular_velocity - noted->w[i % LANES];
    }
}

void integrate_note_velocities(physics_world *world)
{
    array_reserve(&world->solver->unstruck, held_eights(world));
    run_plain_ranges(&world->parallel, world->solver->held.count, GRAIN_BODIES, note_range, NULL);
}

void integrate_leave_out(physics_world *world)
{
    run_plain_ranges(&world->parallel, world->solver->held.count, GRAIN_BODIES, leave_out_range,
                     NULL);
}
