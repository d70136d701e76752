// Counting the pairs that the next step may have to follow along paths; see overlaps.h.
//
// The paths are those of the present velocities, longer by what weight and forces add in a step.
// Boxes are those of the broad phase, so that a count costs little beside the sweeps themselves.
#include "common/physics/overlaps.h"

#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/world.h"

// The path of a body's centre of mass in the next step.
typedef struct expected_path {
    vec2 by;
    float around; // how much farther any point of the body may come, in any direction
    float moves;  // the most that any point moves
    bool fast;
} expected_path;

// The longest paths of others, by type.
typedef struct reaches {
    float kinematic, dynamic;
} reaches;

typedef struct sweep_count {
    const physics_world *world;
    uint64_t found, most;
    reaches reach;
    float dt;
} sweep_count;

static float pull_on(const physics_world *world, uint32_t slot)
{
    const body_special *special = body_special_of(world, slot);
    const vec2 weight = {(float)world->def.gravity.x, (float)world->def.gravity.y};
    return float_abs(special->gravity_scale) * vec2_length(weight) +
           world->motions.data[slot].inv_mass * vec2_length(special->force);
}

static expected_path expect_path(const physics_world *world, uint32_t slot, float dt)
{
    const body_state *s = &world->states.data[slot];
    const body_extent *extent = &world->extents.data[slot];
    const bool dynamic = (s->flags & STATE_DYNAMIC) != 0;
    const float turn = dt * float_abs(s->angular_velocity);
    expected_path p = {.by = vec2_scale(dt, s->velocity)};
    p.around = float_min(turn, 2.0f) * extent->extent_max +
               (dynamic ? dt * dt * pull_on(world, slot) : 0.0f);
    p.moves = vec2_length(p.by) + p.around;
    p.fast = extent->extent_min > 0.0f && (p.moves > 0.5f * extent->extent_min || turn > 1.5f);
    return p;
}

static bool count_one(void *context, uint32_t item)
{
    sweep_count *c = context;
    (void)item;
    c->found++;
    return c->found < c->most;
}

static void count_in(sweep_count *c, const tree *t, aabb box)
{
    if (c->found < c->most && t->root != 0) {
        tree_query(t, box, count_one, c);
    }
}

// A sensor may pass, and be passed by, any body; a bullet is swept against all, other dynamic
// bodies against static ones, and dynamic ones against a fast kinematic body.
static void count_shape(sweep_count *c, const body *b, const shape *s, const expected_path *p)
{
    const broad_phase *broad = &c->world->broad;
    const aabb there = {vec2_add(s->fat.lower, p->by), vec2_add(s->fat.upper, p->by)};
    const aabb box = aabb_expand(aabb_union(s->fat, there), p->around);
    const bool all = (s->flags & SHAPE_SENSOR) != 0 || (b->flags & BODY_BULLET) != 0;
    const bool dynamic = b->type == BODY_DYNAMIC;
    c->found++;
    count_in(c, &broad->sensors, box);
    if (dynamic || all) {
        count_in(c, &broad->trees[BODY_STATIC], box);
    }
    if (all) {
        count_in(c, &broad->trees[BODY_KINEMATIC], aabb_expand(box, c->reach.kinematic));
    }
    if (!dynamic || all) {
        count_in(c, &broad->trees[BODY_DYNAMIC], aabb_expand(box, c->reach.dynamic));
    }
}

static bool find_reaches(sweep_count *c)
{
    const physics_world *world = c->world;
    bool any = false;
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        const uint32_t slot = world->awake_bodies.data[i];
        const expected_path p = expect_path(world, slot, c->dt);
        const bool dynamic = (world->states.data[slot].flags & STATE_DYNAMIC) != 0;
        float *reach = dynamic ? &c->reach.dynamic : &c->reach.kinematic;
        if (p.fast) {
            *reach = float_max(*reach, p.moves);
            any = true;
        }
    }
    return any;
}

uint64_t world_count_sweeps(const physics_world *world, uint64_t most)
{
    sweep_count c = {.world = world, .most = most, .dt = (float)(1.0 / world->def.hz)};
    if (!find_reaches(&c)) {
        return 0;
    }
    for (uint32_t i = 0; i < world->awake_bodies.count && c.found < most; i++) {
        const uint32_t slot = world->awake_bodies.data[i];
        const expected_path p = expect_path(world, slot, c.dt);
        for (uint32_t k = p.fast ? world->bodies.data[slot].shapes : NONE;
             k != NONE && c.found < most; k = world->shapes.data[k].next) {
            if (world->shapes.data[k].boxed) {
                count_shape(&c, &world->bodies.data[slot], &world->shapes.data[k], &p);
            }
        }
    }
    return c.found < most ? c.found : most;
}
