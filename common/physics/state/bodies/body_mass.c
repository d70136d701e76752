// Mass, inertia, centre and extents of a body, from its shapes and what the user set.
#include "common/physics/state/standing_body.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/world.h"

typedef struct mass_sum {
    double mass;    // 0 if no shape has a density
    double scale;   // the mass for which `inertia` was computed; 0: none
    double inertia; // about the centre
    vec2d center;
} mass_sum;

static bool has_mass(const shape *s)
{
    return (s->flags & (SHAPE_IS_CHAIN | SHAPE_SENSOR)) == 0;
}

// If no shape has a density, all count with density 1, so that there is a centre.
static mass_sum sum_shapes(const physics_world *world, const body *b)
{
    mass_sum sum = {0};
    bool weighted = false;
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        weighted = weighted || (has_mass(s) && s->traits->density > 0.0f);
    }
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        if (has_mass(s)) {
            mass_properties p =
                shape_mass(&s->traits->geometry, weighted ? s->traits->density : 1.0f);
            double m = (double)p.mass;
            sum.scale += m;
            sum.center.x += m * (double)p.center.x;
            sum.center.y += m * (double)p.center.y;
        }
    }
    if (!(sum.scale > 0.0)) {
        return (mass_sum){0};
    }
    sum.center = (vec2d){sum.center.x / sum.scale, sum.center.y / sum.scale};
    sum.mass = weighted ? sum.scale : 0.0;
    // Uses Steiner's theorem from the common centre, not from the origin: shapes may be small and
    // far from the origin.
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        if (has_mass(s)) {
            mass_properties p =
                shape_mass(&s->traits->geometry, weighted ? s->traits->density : 1.0f);
            double x = (double)p.center.x - sum.center.x;
            double y = (double)p.center.y - sum.center.y;
            sum.inertia += (double)p.inertia + (double)p.mass * (x * x + y * y);
        }
    }
    return sum;
}

static body_mass mass_of(const physics_world *world, uint32_t slot, const mass_sum *sum)
{
    if (world->bodies.data[slot].type != BODY_DYNAMIC) {
        return (body_mass){0.0f, 0.0f};
    }
    // A body without density still has a mass: 1, or the one that the user set.
    float own = body_special_of(world, slot)->mass_override;
    double mass = own > 0.0f ? (double)own : sum->mass > 0.0 ? sum->mass : 1.0;
    mass = mass < PHYSICS_MASS_MIN ? PHYSICS_MASS_MIN : mass;
    mass = mass > PHYSICS_MASS_MAX ? PHYSICS_MASS_MAX : mass;
    double inertia = sum->scale > 0.0 ? sum->inertia * (mass / sum->scale) : 0.0;
    return (body_mass){(float)mass, (float)inertia};
}

body_mass body_find_mass(const physics_world *world, uint32_t slot)
{
    mass_sum sum = sum_shapes(world, &world->bodies.data[slot]);
    return mass_of(world, slot, &sum);
}

// body_take_mass() must copy every field that this sets.
void body_update_mass(physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    body_motion *motion = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    vec2d old_center = motion->center;

    mass_sum sum = sum_shapes(world, b);
    motion->local_center = (vec2){(float)sum.center.x, (float)sum.center.y};
    bool dynamic = b->type == BODY_DYNAMIC && (b->flags & BODY_STANDING) == 0;
    body_mass m = mass_of(world, slot, &sum);
    motion->inv_mass = dynamic ? 1.0f / m.mass : 0.0f;
    bool turns = dynamic && (b->flags & BODY_FIXED_ROTATION) == 0 && m.inertia > 0.0f;
    motion->inv_inertia = turns ? 1.0f / m.inertia : 0.0f;
    state->flags = (state->flags & ~(uint32_t)STATE_DYNAMIC) | (dynamic ? STATE_DYNAMIC : 0u);

    body_extent *extent = &world->extents.data[slot];
    extent->extent_min = 0.0f;
    extent->extent_max = 0.0f;
    extent->turn_reach = 0.0f;
    state->flags &= ~(uint32_t)(STATE_SENSES | STATE_THIN);
    bool first = true;
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        if ((s->flags & (SHAPE_IS_CHAIN | SHAPE_SENSOR)) != 0) {
            state->flags |= (s->flags & SHAPE_SENSOR) != 0 ? STATE_SENSES : 0u;
            continue;
        }
        float least = s->traits->extent_min;
        float most = shape_extent_max(&s->traits->geometry, motion->local_center);
        bool round = s->traits->geometry.kind == SHAPE_CIRCLE;
        extent->turn_reach =
            float_max(extent->turn_reach, round ? most - s->traits->geometry.circle.radius : most);
        extent->extent_min = first ? least : float_min(extent->extent_min, least);
        extent->extent_max = float_max(extent->extent_max, most);
        first = false;
    }
    const bool thin = extent->extent_min > 0.0f && extent->extent_min < THIN_EXTENT;
    state->flags |= dynamic && thin ? STATE_THIN : 0u;
    body_set_center_from_pose(motion);
    // The velocity is that of the centre of mass: if the centre moves within a rotating body, its
    // velocity changes.
    vec2 shift = vec2d_relative(old_center, motion->center);
    if (dynamic && b->awake_index != 0) {
        state->velocity = vec2_add(state->velocity, vec2_cross_sv(state->angular_velocity, shift));
    }
}

bool body_has_mass_of(const physics_world *world, uint32_t slot, uint32_t twin)
{
    const body *b = &world->bodies.data[slot];
    const body *t = &world->bodies.data[twin];
    return b->type == t->type &&
           (b->flags & BODY_FIXED_ROTATION) == (t->flags & BODY_FIXED_ROTATION) &&
           body_special_of(world, slot)->mass_override ==
               body_special_of(world, twin)->mass_override;
}

void body_take_mass(physics_world *world, uint32_t slot, uint32_t twin)
{
    const body_motion *from = &world->motions.data[twin];
    body_motion *to = &world->motions.data[slot];
    to->local_center = from->local_center;
    to->inv_mass = from->inv_mass;
    to->inv_inertia = from->inv_inertia;
    const body_extent *extent = &world->extents.data[twin];
    world->extents.data[slot].extent_min = extent->extent_min;
    world->extents.data[slot].extent_max = extent->extent_max;
    world->extents.data[slot].turn_reach = extent->turn_reach;
    world->states.data[slot].flags |=
        world->states.data[twin].flags & (STATE_DYNAMIC | STATE_SENSES | STATE_THIN);
}
