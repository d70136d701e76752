// The places that round shapes roll to within a step. Only for files that are compiled once per
// variant.
//
// A contact's normal and arms stay fixed while a step is solved. Under a rolling shape they should
// move: a body wedged between balls rocks on them like a pendulum, and a force that is updated with
// the body's place only once a step, always late, amplifies that motion. Rocking with angular
// frequency w, in steps of h with n sub-steps, would grow by (w h)² (n - 1) / (4 n) a step, until
// the body hits something else. So one-point contacts of round shapes are placed where they will
// have rolled to after (n - 1) / (2 n) of the step: then the determinant of a step's map of
// position and velocity is one, and rocking neither grows nor decays.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_ROLLING_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_ROLLING_H

#include "common/physics/step/solver/contact_fill.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/body_lanes.h"
#include "common/physics/lanes/vector_lanes.h"

// With a smaller rotation in a step, geometry changes less than the precision of a separation in
// float. With a larger one, round shapes are solved as round (LANES_ROUND) [rad].
#define RESTS_TURN  1e-5f
// With a larger rotation in a step, angles are not small, and no contact is placed ahead [rad].
#define ROLLS_TURN  0.05f
// A shape that moves across the normal by a larger share of the radii is not rolling: it slides or
// flies past.
#define ROLLS_SHARE 0.05f

// A point relative to its bodies: its place, and the separation there.
typedef struct placed_lanes {
    vector_lanes anchor_a, anchor_b;
    lanes separation;
} placed_lanes;

// The largest rotation of either body in the step.
INLINE lanes turn_in_step(const state_lanes *a, const state_lanes *b, const step_context *step)
{
    return lanes_max(lanes_max(a->w, -a->w), lanes_max(b->w, -b->w)) * splat(step->dt);
}

// Contacts of round shapes with one point.
typedef struct rolling_lanes {
    // 0: the surface of A or B is flat at the point
    float radius_a[PART_LANES], radius_b[PART_LANES];
    float ahead[PART_LANES]; // [s] into the step; 0: it does not roll
} rolling_lanes;

INLINE rolling_lanes find_rolling(const physics_world *world, const uint32_t *slots, uint32_t bits)
{
    rolling_lanes r = {0};
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        rounding of = contact_curvature(world, &world->contacts.data[slots[lane]]);
        r.radius_a[lane] = of.a;
        r.radius_b[lane] = of.b;
        r.ahead[lane] = of.b > 0.0f ? world->step.roll_ahead : 0.0f;
    }
    return r;
}

INLINE vector_lanes velocity_at(const state_lanes *of, vector_lanes arm)
{
    return (vector_lanes){of->vx - of->w * arm.y, of->vy + of->w * arm.x};
}

// Rotates normal, arms and the vector between the centres to where they will be. The centre of B's
// rounding moves past A by `past` across the normal. If A is flat there, the normal rotates with A
// and the point moves along A; if A is a circle, the normal rotates about both. Contacts that do
// not roll keep every bit, including the sign of a zero.
INLINE void roll_ahead(contact_lanes *group, placed_lanes *at, const rolling_lanes *r,
                       const state_lanes *a, const state_lanes *b)
{
    const lanes zero = splat(0.0f);
    const lanes ahead = lanes_load(r->ahead);
    const lanes radius_a = lanes_load(r->radius_a);
    const lanes radius_b = lanes_load(r->radius_b);
    const vector_lanes n = {group->normal_x, group->normal_y};
    const vector_lanes centre_b = {at->anchor_b.x + radius_b * n.x,
                                   at->anchor_b.y + radius_b * n.y};
    const vector_lanes centre_a = {at->anchor_a.x - radius_a * n.x,
                                   at->anchor_a.y - radius_a * n.y};
    const lanes_int curved = radius_a > zero;
    const lanes beyond = lanes_select(curved, zero, radius_b); // A's point below that centre
    const vector_lanes under = {centre_a.x + beyond * n.x, centre_a.y + beyond * n.y};
    const vector_lanes of_b = velocity_at(b, centre_b);
    const vector_lanes of_a = velocity_at(a, under);
    const vector_lanes velocity = {of_b.x - of_a.x, of_b.y - of_a.y};
    const lanes past = ahead * cross(n, velocity);
    const lanes radii = radius_a + radius_b;
    const lanes_int rolls =
        (past < splat(ROLLS_SHARE) * radii) & (past > splat(-ROLLS_SHARE) * radii);
    const lanes turn_a = ahead * a->w;
    const lanes turn = lanes_select(curved, past * inverse(radii), turn_a);
    const lanes shift = lanes_select(curved, zero, past);
    const vector_lanes normal = rotate_slightly(n, turn);
    const vector_lanes arm = rotate_slightly(centre_a, turn_a);
    const vector_lanes anchor = {arm.x + (radius_a * normal.x - shift * normal.y),
                                 arm.y + (radius_a * normal.y + shift * normal.x)};
    const vector_lanes way = {group->way_x + ahead * (b->vx - a->vx),
                              group->way_y + ahead * (b->vy - a->vy)};
    group->normal_x = lanes_select(rolls, normal.x, group->normal_x);
    group->normal_y = lanes_select(rolls, normal.y, group->normal_y);
    group->way_x = lanes_select(rolls, way.x, group->way_x);
    group->way_y = lanes_select(rolls, way.y, group->way_y);
    at->anchor_a.x = lanes_select(rolls, anchor.x, at->anchor_a.x);
    at->anchor_a.y = lanes_select(rolls, anchor.y, at->anchor_a.y);
    at->anchor_b = (vector_lanes){at->anchor_a.x - group->way_x, at->anchor_a.y - group->way_y};
}

#endif
