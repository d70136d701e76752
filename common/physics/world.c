// A world's life, its step, and reading it as a whole.
#include "common/base/assert.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/definition.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/step/solver/solver.h"
#include "common/physics/step/solver/solver_scratch.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/joint_phases.h"
#include "common/physics/step/sensor_sweep.h"
#include "common/physics/step/step_scratch.h"
#include "common/physics/step/trim.h"

#include <stdlib.h>
#include <string.h>

status world_create(const world_def *def, physics_world **out, error *err)
{
    status s = world_def_check(def, err);
    if (s != STATUS_OK) {
        return s;
    }
    physics_world *world = aligned_alloc(_Alignof(physics_world), sizeof *world);
    ASSERT_MEMORY(world != NULL);
    memset(world, 0, sizeof *world);
    world->scratch = step_scratch_create();
    world->solver = solver_scratch_create();
    world->parallel.world = world;
    world->parallel.runner.threads = 1;
    ranges_make_partials(&world->parallel);
    world->def = *def;
    world->event_mask = ((1u << EVENT_KIND_COUNT) - 1) & ~(1u << EVENT_STAY);
    slots_init(&world->body_slots);
    slots_init(&world->shape_slots);
    slots_init(&world->joint_slots);
    slots_init(&world->contact_slots);
    specials_init(world);
    // Slot 0 of the solver's states stands for static bodies.
    array_push(&world->bodies, ((body){0}));
    array_push(&world->motions, ((body_motion){.rotation = {1.0f, 0.0f}}));
    array_push(&world->states, ((body_state){.delta_rotation = {1.0f, 0.0f}}));
    array_push(&world->extents, ((body_extent){0}));
    array_push(&world->colours_used, 0);
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_init(&world->broad.trees[i]);
    }
    world->contacts_max = PHYSICS_CONTACTS_MAX;
    world->meetings_max = PHYSICS_MEETINGS_MAX;
    tree_init(&world->broad.sensors);
    world->step = step_context_of(def, false);
    *out = world;
    return STATUS_OK;
}

void world_free(physics_world *world)
{
    if (world == NULL) {
        return;
    }
    for (uint32_t i = 0; i < world->tags.count; i++) {
        free(world->tags.data[i]);
    }
    traits_table_deinit(&world->traits);
    data_table_deinit(&world->data);
    kept_deinit(&world->rules);
    kept_deinit(&world->seats);
    joints_free(world);
    slots_deinit(&world->body_slots);
    slots_deinit(&world->shape_slots);
    slots_deinit(&world->joint_slots);
    slots_deinit(&world->contact_slots);
    slots_deinit(&world->special_slots);
    for (uint32_t i = 0; i <= COLOURS; i++) {
        array_free(&world->graph[i].contacts);
        for (int sort = 0; sort < JOINT_SORTS; sort++) {
            array_free(&world->graph[i].joints[sort]);
        }
    }
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_deinit(&world->broad.trees[i]);
    }
    tree_deinit(&world->broad.sensors);
    pair_set_deinit(&world->pairs);
#define FREE(type, name) array_free(&world->name);
    WORLD_ARRAYS(FREE)
#undef FREE
    solver_scratch_free(world);
    step_scratch_free(world);
    ranges_free_partials(&world->parallel);
    free(world);
}

void world_set_runner(physics_world *world, task_runner runner)
{
    ASSERT(runner.threads >= 1 && (runner.threads == 1 || runner.run != NULL));
    world->parallel.runner = runner;
    ranges_make_partials(&world->parallel);
}

void world_set_clock(physics_world *world, double (*now_ms)(void))
{
    world->now_ms = now_ms;
}

world_profile world_last_profile(const physics_world *world)
{
    return world->profile;
}

// Runs a phase, and measures it if there is a clock.
static void run_phase(physics_world *world, void (*phase)(physics_world *), double *took)
{
    double start = world->now_ms != NULL ? world->now_ms() : 0.0;
    phase(world);
    *took = world->now_ms != NULL ? world->now_ms() - start : 0.0;
}

// The numbers of a step follow from the definition, and determine how far boxes extend ahead.
static void change_step(physics_world *world)
{
    world->step = step_context_of(&world->def, world->traits.lively > 0);
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        world->motions.data[slot].room = 0.0f;
    }
}

static void solve(physics_world *world)
{
    solve_constraints(world);
    forget_ghost_collisions(world);
}

static void end_ways(physics_world *world)
{
    solve_continuous(world);
    sweep_sensors(world);
}

void world_step(physics_world *world)
{
    world_profile *p = &world->profile;
    *p = (world_profile){0};
    events_begin(world);
    if (world->step.lively != (world->traits.lively > 0)) {
        change_step(world);
    }
    trim_world(world);
    run_phase(world, find_pairs, &p->find_pairs);
    run_phase(world, resolve_impacts, &p->impacts);
    run_phase(world, narrow_phase, &p->narrow_phase);
    const bool moves = world->awake_bodies.count > 0; // otherwise there is nothing to solve or move
    if (moves) {
        run_phase(world, solve, &p->solve);
    }
    run_phase(world, touch_events, &p->events);
    if (moves) {
        run_phase(world, finalize_bodies, &p->finalize);
        run_phase(world, end_ways, &p->continuous);
        joints_check_break(world);
        run_phase(world, update_sleep, &p->sleep);
    }
    forget_impacts(world);
    trim_note(world);
    world->tick++;
    world->events_finished = true;
}

uint64_t world_tick(const physics_world *world)
{
    return world->tick;
}

double world_time(const physics_world *world)
{
    return (double)world->tick / world->def.hz;
}

world_def world_definition(const physics_world *world)
{
    return world->def;
}

static void wake_all(physics_world *world)
{
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        body_wake(world, slot);
    }
}

status world_set_gravity(physics_world *world, vec2d gravity, error *err)
{
    status s = vector_check(gravity, PHYSICS_GRAVITY_MAX, "gravity", err);
    if (s == STATUS_OK) {
        events_begin(world);
        world->def.gravity = gravity;
        change_step(world);
        wake_all(world);
    }
    return s;
}

status world_set_restitution_threshold(physics_world *world, double threshold, error *err)
{
    status s = number_check(threshold, 0.0, PHYSICS_SPEED_MAX, "restitution_threshold", err);
    if (s == STATUS_OK) {
        events_begin(world);
        world->def.restitution_threshold = threshold;
        change_step(world);
    }
    return s;
}

status world_set_sleep_speed(physics_world *world, double speed, error *err)
{
    status s = number_check(speed, 0.0, PHYSICS_SPEED_MAX, "sleep_speed", err);
    if (s == STATUS_OK) {
        events_begin(world);
        world->def.sleep_speed = speed;
        change_step(world);
        wake_all(world);
    }
    return s;
}

status world_set_sleep(physics_world *world, bool sleep, error *err)
{
    (void)err;
    events_begin(world);
    world->def.sleep = sleep;
    if (!sleep) {
        wake_all(world);
    }
    return STATUS_OK;
}

world_counts world_count(const physics_world *world)
{
    uint32_t shapes = 0;
    for (uint32_t slot = slots_next(&world->shape_slots, 0); slot != 0;
         slot = slots_next(&world->shape_slots, slot)) {
        uint32_t chain = world->shapes.data[slot].traits->chain;
        shapes += chain == NONE || chain == slot;
    }
    return (world_counts){
        .bodies = world->body_slots.count,
        .awake = world->awake_bodies.count,
        .shapes = shapes,
        .joints = world->joint_slots.count,
        .contacts = world->touching_count,
        .pairs = world->contact_slots.count,
        .frozen = world->frozen_count,
    };
}

uint32_t world_awake(const physics_world *world)
{
    return world->awake_bodies.count;
}

world_room world_room_left(const physics_world *world)
{
    return (world_room){
        .bodies = world->def.bodies_max - world->body_slots.count,
        .shapes = PHYSICS_SHAPES_MAX - world->shape_slots.count,
        .joints = PHYSICS_JOINTS_MAX - world->joint_slots.count,
    };
}

// The box around the shapes at their current poses. Their boxes in the broad phase are larger: they
// have room to move and cover a fast body's path ahead, except those of static bodies, which have
// no margin.
static aabb box_of(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const pose frame = body_pose(&world->motions.data[slot]);
    aabb box = {{0.0f, 0.0f}, {0.0f, 0.0f}};
    bool any = false;
    for (uint32_t k = b->shapes; k != NONE; k = world->shapes.data[k].next) {
        const shape *s = &world->shapes.data[k];
        if (s->boxed) {
            const aabb one =
                b->type == BODY_STATIC ? s->fat : shape_aabb_at(&s->traits->geometry, frame);
            box = any ? aabb_union(box, one) : one;
            any = true;
        }
    }
    return any ? box : aabb_at(frame.p, box);
}

status body_box(const physics_world *world, body_id id, aabb *out, error *err)
{
    uint32_t slot;
    const status s = body_find(world, id, &slot, err);
    if (s == STATUS_OK) {
        *out = box_of(world, slot);
    }
    return s;
}

uint32_t world_rows(const physics_world *world, body_row *rows, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0 && count < max;
         slot = slots_next(&world->body_slots, slot)) {
        const body_motion *m = &world->motions.data[slot];
        const body_state *s = &world->states.data[slot];
        rows[count++] = (body_row){
            .id = body_id_of(world, slot),
            .position = m->position,
            .angle = (float)rot_angle(m->rotation),
            .velocity = s->velocity,
            .angular_velocity = s->angular_velocity,
            .awake = world->bodies.data[slot].awake_index != 0,
            .box = box_of(world, slot),
        };
    }
    return count;
}

uint32_t world_poses(const physics_world *world, body_placing *out, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0 && count < max;
         slot = slots_next(&world->body_slots, slot)) {
        const body_motion *m = &world->motions.data[slot];
        const body_state *s = &world->states.data[slot];
        out[count++] = (body_placing){
            .id = body_id_of(world, slot),
            .position = m->position,
            .angle = rot_angle(m->rotation),
            .velocity = s->velocity,
            .angular_velocity = s->angular_velocity,
            .awake = world->bodies.data[slot].awake_index != 0,
        };
    }
    return count;
}
