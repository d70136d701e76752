// The end of a step for each awake body: its new pose, its timer for sleep, its boxes; and the list
// of bodies that moved so far that they may have passed through another.
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/paddles.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

#define GRAIN_BODIES 256u // bodies that make a range worth handing to another thread

static bool pose_is_sane(const body_motion *m, const body_state *s)
{
    return m->center.x >= -PHYSICS_EXTENT_MAX && m->center.x <= PHYSICS_EXTENT_MAX &&
           m->center.y >= -PHYSICS_EXTENT_MAX && m->center.y <= PHYSICS_EXTENT_MAX &&
           isfinite(m->rotation.c) && isfinite(m->rotation.s) && vec2_is_finite(s->velocity) &&
           isfinite(s->angular_velocity);
}

static bool is_slow(vec2 moves, float turns, float rate, float limit)
{
    return rate * (vec2_length(moves) + turns) < limit;
}

// Slowness is measured at the edge, so that a body rotating in place does not count as resting; and
// by the distance moved as well as by velocity, so that a body being pushed out of an overlap does
// not fall asleep in it.
static void update_sleep_time(const physics_world *world, body_extent *extent, const body_state *s)
{
    const float limit = world->step.sleep_speed;
    const float edge = extent->extent_max;
    if (is_slow(s->velocity, edge * float_abs(s->angular_velocity), 1.0f, limit) &&
        is_slow(s->delta_position, edge * float_abs(s->delta_rotation.s), world->step.inv_dt,
                limit)) {
        extent->sleep_time += world->step.dt;
        extent->drift = vec2_add(extent->drift, s->delta_position);
        extent->turned += s->delta_rotation.s;
    } else {
        body_restart_sleep_timer(extent);
    }
}

// An upper bound of the chord of a rotation at distance 1: 2 sin(θ/2), which below a quarter turn
// is at most √2 times the sine.
static float chord_of(rot turned)
{
    return turned.c > 0.0f ? 1.5f * float_abs(turned.s) : 2.0f;
}

// An upper bound of the distance that any point of the body moved in the step.
float distance_moved(const physics_world *world, uint32_t body_, vec2 moved, rot turned)
{
    return vec2_length(moved) + chord_of(turned) * world->extents.data[body_].extent_max;
}

// A change of rotation does not show whole turns.
static bool spins_fast(const physics_world *world, const body_state *s)
{
    return float_abs(s->angular_velocity) * world->step.dt > 1.5f;
}

static void rest_pose(body_state *s)
{
    s->delta_position = (vec2){0.0f, 0.0f};
    s->delta_rotation = ROT_IDENTITY;
}

// The outcome of a step for a body; all but the first are lists of a partial. continuous.c still
// needs the pose changes of FAST bodies; those of bodies that are fast but FREE only if there are
// bullets or paddles.
typedef enum outcome {
    OUTCOME_DONE = -1,
    OUTCOME_BOXES,
    OUTCOME_FAST,
    OUTCOME_FREE,
    OUTCOME_LOST,
    NOTED_WAY,   // additional to one of those: for sensor_sweep.c
    NOTED_PADDLE // additional too: for paddles.c
} outcome;
_Static_assert((int)NOTED_PADDLE < (int)PARTIAL_LISTS, "a list of each");

static outcome finalize_body(physics_world *world, uint32_t slot, partial *found)
{
    body_motion *m = &world->motions.data[slot];
    body_state *s = &world->states.data[slot];
    body_extent *extent = &world->extents.data[slot];
    const body_motion before = *m;
    bool dynamic = (s->flags & STATE_DYNAMIC) != 0;
    if (dynamic) {
        body_limit_speed(s); // the last changes of a step come from the relaxing pass
    }
    m->center = vec2d_offset(m->center, s->delta_position);
    m->rotation = rot_normalize(rot_mul(s->delta_rotation, m->rotation));
    body_set_pose_from_center(m);
    if (!pose_is_sane(m, s)) {
        *m = before;
        rest_pose(s);
        return OUTCOME_LOST;
    }
    if (dynamic) {
        update_sleep_time(world, extent, s);
    }
    vec2d struck;
    if (world->scratch->paths.count > 0 && impact_find_place(world, slot, &struck)) {
        // A struck body is swept from its last impact on.
        s->delta_position = vec2d_relative(struck, m->center);
    }
    float way = vec2_length(s->delta_position);
    float chord = chord_of(s->delta_rotation);
    float moved = way + chord * extent->extent_max;
    if (world->broad.sensors.root != 0 && sensors_note_way(world, slot, &before, way, chord)) {
        array_push(&found->lists[NOTED_WAY], slot);
    }
    if (dynamic && world->def.continuous &&
        (moved > 0.5f * extent->extent_min || spins_fast(world, s)) && extent->extent_min > 0.0f) {
        return way_may_be_barred(world, slot) ? OUTCOME_FAST : OUTCOME_FREE;
    }
    if (!dynamic && world->def.continuous && paddle_may_pass(world, slot)) {
        array_push(&found->lists[NOTED_PADDLE], slot);
    }
    rest_pose(s);
    m->room -= way + chord * extent->turn_reach;
    return body_has_room(world, slot) ? OUTCOME_DONE : OUTCOME_BOXES;
}

static void finalize_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                           const void *context)
{
    (void)context;
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = world->awake_bodies.data[i];
        outcome f = finalize_body(world, slot, found);
        if (f == OUTCOME_BOXES) {
            body_look_at_boxes(world, slot, &found->lists[OUTCOME_BOXES]);
        } else if (f != OUTCOME_DONE) {
            array_push(&found->lists[f], slot);
        }
    }
}

static bool any_bullet(const physics_world *world, const slot_list *bodies)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        if ((world->bodies.data[bodies->data[i]].flags & BODY_BULLET) != 0) {
            return true;
        }
    }
    return false;
}

// Examines the boxes of fast free bodies, when no bullet or paddle needs their paths.
static void end_free_flights(physics_world *world, uint32_t first, uint32_t end, partial *found,
                             const void *context)
{
    const slot_list *free = context;
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = free->data[i];
        body_motion *m = &world->motions.data[slot];
        body_state *s = &world->states.data[slot];
        m->room -= distance_moved(world, slot, s->delta_position, s->delta_rotation);
        rest_pose(s);
        if (!body_has_room(world, slot)) {
            body_look_at_boxes(world, slot, &found->lists[OUTCOME_BOXES]);
        }
    }
}

static void enter_boxes(physics_world *world, uint32_t partials)
{
    for (uint32_t i = 0; i < partials; i++) {
        const slot_list *slots = &world->parallel.partials[i].lists[OUTCOME_BOXES];
        for (uint32_t k = 0; k < slots->count; k++) {
            shape_enter_box(world, slots->data[k]);
        }
    }
}

void finalize_bodies(physics_world *world)
{
    sensors_begin_ways(world);
    uint32_t partials =
        run_ranges(&world->parallel, world->awake_bodies.count, GRAIN_BODIES, finalize_range, NULL);
    partials_gather(&world->parallel, partials, NOTED_WAY, &world->scratch->swept);
    array_clear(&world->scratch->fast);
    array_clear(&world->scratch->lost);
    array_clear(&world->scratch->paddles);
    partials_gather(&world->parallel, partials, NOTED_PADDLE, &world->scratch->paddles);
    partials_gather(&world->parallel, partials, OUTCOME_FAST, &world->scratch->fast);
    partials_gather(&world->parallel, partials, OUTCOME_LOST, &world->scratch->lost);
    enter_boxes(world, partials);
    if (world->scratch->paddles.count > 0 || any_bullet(world, &world->scratch->fast)) {
        partials_gather(&world->parallel, partials, OUTCOME_FREE, &world->scratch->fast);
    } else {
        array_clear(&world->scratch->listed);
        partials_gather(&world->parallel, partials, OUTCOME_FREE, &world->scratch->listed);
        partials = run_ranges(&world->parallel, world->scratch->listed.count, GRAIN_BODIES,
                              end_free_flights, &world->scratch->listed);
        enter_boxes(world, partials);
    }
    world->scratch->lost.count = sort_slots(world->scratch->lost.data, world->scratch->lost.count);
    for (uint32_t i = 0; i < world->scratch->lost.count; i++) {
        body_freeze(world, world->scratch->lost.data[i]);
    }
}
