// Fills the lanes of a step from the joints, and copies impulses, angles and reports back.
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/long_chains.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <string.h>

// The arm from the centre of mass to a point of the body's frame, in world directions.
static vec2d arm_to(const body_motion *m, vec2d anchor)
{
    double x = anchor.x - (double)m->local_center.x;
    double y = anchor.y - (double)m->local_center.y;
    double c = (double)m->rotation.c;
    double s = (double)m->rotation.s;
    return (vec2d){c * x - s * y, s * x + c * y};
}

static vec2 rounded(vec2d a)
{
    return (vec2){(float)a.x, (float)a.y};
}

// Fills the point's lanes. True if a truss begins with this joint.
static bool fill_point(const physics_world *world, joint_lanes *g, uint32_t lane, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    const body_motion *ma = &world->motions.data[j->body_a];
    const body_motion *mb = &world->motions.data[j->body_b];
    vec2d to_a = arm_to(ma, j->anchor_a);
    vec2d to_b = arm_to(mb, j->anchor_b);
    vec2 arm_a = rounded(to_a);
    vec2 arm_b = rounded(to_b);
    vec2d apart = vec2d_add(vec2d_sub(mb->center, ma->center), vec2d_sub(to_b, to_a));
    bool far = joint_arm_is_long(ma, arm_a) || joint_arm_is_long(mb, arm_b);
    softness soft = far ? joint_rigid_softness(world, ma, arm_a, mb, arm_b) : softness_rigid(world);
    rot relative = rot_inv_mul(ma->rotation, mb->rotation);
    g->body_a[lane] = j->body_a;
    g->body_b[lane] = j->body_b;
    wide_set(&g->inv_mass_a, lane, ma->inv_mass);
    wide_set(&g->inv_mass_b, lane, mb->inv_mass);
    wide_set(&g->inv_inertia_a, lane, ma->inv_inertia);
    wide_set(&g->inv_inertia_b, lane, mb->inv_inertia);
    wide_set(&g->impulse_x, lane, j->impulses.linear.x);
    wide_set(&g->impulse_y, lane, j->impulses.linear.y);
    wide_set(&g->soft_velocity, lane, soft.velocity);
    wide_set(&g->soft_impulse, lane, soft.impulse);
    wide_set(&g->soft_position, lane, soft.position);
    wide_set(&g->start_ax, lane, arm_a.x);
    wide_set(&g->start_ay, lane, arm_a.y);
    wide_set(&g->start_bx, lane, arm_b.x);
    wide_set(&g->start_by, lane, arm_b.y);
    wide_set(&g->separation_x, lane, (float)apart.x);
    wide_set(&g->separation_y, lane, (float)apart.y);
    wide_set(&g->turn_c, lane, relative.c); // stores the rotation until start_group()
    wide_set(&g->turn_s, lane, relative.s);
    // The flags are stored with the velocities, which sweeps read anyway: joints of a net, whose
    // bodies are no links, need no further test.
    const body_state *states = world->states.data;
    const uint32_t flags = states[j->body_a].flags | states[j->body_b].flags;
    return masses_are_uneven(ma->inv_mass, mb->inv_mass) ||
           ((flags & STATE_LINK) != 0 &&
            is_open_in_long_chain(world, slot, rounded(apart), arm_a, arm_b));
}

static void fill_drive(const physics_world *world, const joint_lanes *g, drive_lanes *d,
                       uint32_t lane, const joint *j)
{
    const joint_settings *set = joint_settings_of(world, j);
    bool springs = set->hertz > 0.0f;
    bool driven = (j->flags & JOINT_FLAG_MOTOR) != 0;
    bool from = set->lower > -INFINITY;
    bool to = set->upper < INFINITY;
    softness spring = softness_spring(set->hertz, set->damping_ratio, world->step.h);
    float k = g->inv_inertia_a[lane] + g->inv_inertia_b[lane];
    wide_set(&d->inverse_mass, lane, k);
    wide_set(&d->mass, lane, inverse_or_zero(k));
    wide_set(&d->spring_velocity, lane, springs ? spring.velocity : 0.0f);
    wide_set(&d->spring_position, lane, springs ? spring.position : 0.0f);
    wide_set(&d->spring_impulse, lane, springs ? spring.impulse : 0.0f);
    wide_set(&d->rest, lane, set->target_angle);
    wide_set(&d->motor_speed, lane, driven ? set->motor_speed : 0.0f);
    wide_set(&d->motor_max, lane, driven ? world->step.h * set->max_torque : 0.0f);
    wide_set(&d->lower, lane, set->lower);
    wide_set(&d->upper, lane, set->upper);
    // Clears the impulses of springs, motors and limits that the joint no longer has.
    wide_set(&d->impulse_spring, lane, springs ? j->impulses.spring : 0.0f);
    wide_set(&d->impulse_motor, lane, driven ? j->impulses.motor : 0.0f);
    wide_set(&d->impulse_lower, lane, from ? j->impulses.lower : 0.0f);
    wide_set(&d->impulse_upper, lane, to ? j->impulses.upper : 0.0f);
}

// After a group's lanes are filled: computes the angles from the rotations; only whole turns are
// carried over from the joints.
static void start_group(physics_world *world, joint_sort sort, joint_lanes *g, drive_lanes *d,
                        joint_slots of)
{
    const joint_kernels *kernels = world->solver->joint_solver->kernels;
    wide angle;
    kernels->angles(&g->turn_c, &g->turn_s, &angle);
    for (uint32_t lane = 0; lane < of.count; lane++) {
        joint *j = &world->joints.data[of.slots[lane]];
        j->angle = joint_unwrap((double)angle[lane] - j->reference_angle, j->angle);
        if (d != NULL) {
            wide_set(&d->start_angle, lane, (float)j->angle);
        }
    }
    kernels->sorts[sort].start(g, 1, world->states.data);
}

static void fill_group(physics_world *world, joint_sort sort, uint32_t group, joint_slots of,
                       slot_list *seeds)
{
    joint_solver *solver = world->solver->joint_solver;
    joint_lanes *g = group_at(solver, sort, group);
    drive_lanes *d = NULL;
    memset(g, 0, sizeof *g);
    if (sort == SORT_DRIVEN) {
        d = &solver->driven[group].drive;
        memset(d, 0, sizeof *d);
    }
    for (uint32_t lane = 0; lane < of.count; lane++) {
        const joint *j = &world->joints.data[of.slots[lane]];
        if (fill_point(world, g, lane, of.slots[lane])) {
            array_push(seeds, of.slots[lane]);
        }
        if (d != NULL) {
            fill_drive(world, g, d, lane, j);
        }
    }
    start_group(world, sort, g, d, of);
}

static void fill_single(physics_world *world, uint32_t group, uint32_t slot, slot_list *seeds)
{
    const joint *j = &world->joints.data[slot];
    joint_prepare_single(world, &world->solver->joint_solver->single[group], slot);
    if (masses_are_uneven(world->motions.data[j->body_a].inv_mass,
                          world->motions.data[j->body_b].inv_mass)) {
        array_push(seeds, slot);
    }
}

static bool breaks(const physics_world *world, const joint *j)
{
    const joint_settings *s = joint_settings_of(world, j);
    return s->break_force > 0.0f || s->break_torque > 0.0f;
}

static void list_breakable(const physics_world *world, joint_slots of, slot_list *breakable)
{
    for (uint32_t i = 0; i < of.count; i++) {
        const joint *j = &world->joints.data[of.slots[i]];
        if (!joint_is_usual(j) && breaks(world, j)) {
            array_push(breakable, of.slots[i]);
        }
    }
}

void joint_lanes_fill(physics_world *world, joint_sort sort, uint32_t first, uint32_t end,
                      slot_list *breakable, slot_list *seeds)
{
    uint32_t colour = 0;
    for (uint32_t group = first; group < end; group++) {
        joint_slots of = joint_group_slots(world, sort, group, &colour);
        if (sort == SORT_SINGLE) {
            fill_single(world, group, of.slots[0], seeds);
        } else {
            fill_group(world, sort, group, of, seeds);
        }
        list_breakable(world, of, breakable);
    }
}

// ---- storing

static void store_group(physics_world *world, const joint_lanes *g, const drive_lanes *d,
                        joint_slots of)
{
    wide turned;
    world->solver->joint_solver->kernels->angles(&g->turn_c, &g->turn_s, &turned);
    for (uint32_t lane = 0; lane < of.count; lane++) {
        joint *j = &world->joints.data[of.slots[lane]];
        float angle = turned[lane] + (float)(2.0 * PI_D) * (float)g->turns[lane];
        j->impulses = (joint_impulses){.linear = {g->impulse_x[lane], g->impulse_y[lane]}};
        j->total_force = (vec2){g->total_x[lane], g->total_y[lane]};
        j->total_torque = 0.0f;
        j->angle += (double)angle;
        if (d != NULL) {
            j->impulses.spring = d->impulse_spring[lane];
            j->impulses.motor = d->impulse_motor[lane];
            j->impulses.lower = d->impulse_lower[lane];
            j->impulses.upper = d->impulse_upper[lane];
            j->total_torque = d->total[lane];
        }
    }
}

// A product with zero is zero only for finite values.
static bool group_is_finite(const joint_lanes *g, const drive_lanes *d)
{
    const float none = 0.0f;
    wide sum = g->impulse_x * none + g->impulse_y * none + g->total_x * none + g->total_y * none;
    if (d != NULL) {
        sum += d->impulse_spring * none + d->impulse_motor * none + d->impulse_lower * none +
               d->impulse_upper * none + d->total * none;
    }
    float all = 0.0f;
    for (int lane = 0; lane < LANES; lane++) {
        all += sum[lane];
    }
    return all == 0.0f;
}

static bool is_finite(const joint *j)
{
    const joint_impulses *p = &j->impulses;
    return vec2_is_finite(p->linear) && isfinite(p->angular) && isfinite(p->lower) &&
           isfinite(p->upper) && isfinite(p->motor) && isfinite(p->spring) &&
           vec2_is_finite(j->total_force) && isfinite(j->total_torque);
}

// Drops impulses that are not finite: a world's state has no NaN, whose bits differ between
// processors.
static void forget_infinite(physics_world *world, joint_slots of)
{
    for (uint32_t i = 0; i < of.count; i++) {
        joint *j = &world->joints.data[of.slots[i]];
        if (!is_finite(j)) {
            j->impulses = (joint_impulses){0};
            j->total_force = (vec2){0.0f, 0.0f};
            j->total_torque = 0.0f;
        }
    }
}

void joint_lanes_store(physics_world *world, joint_sort sort, uint32_t first, uint32_t end)
{
    const joint_solver *solver = world->solver->joint_solver;
    uint32_t colour = 0;
    for (uint32_t group = first; group < end; group++) {
        const drive_lanes *d = sort == SORT_DRIVEN ? &solver->driven[group].drive : NULL;
        joint_slots of = joint_group_slots(world, sort, group, &colour);
        if (sort != SORT_SINGLE) {
            store_group(world, group_at(solver, sort, group), d, of);
        }
        if (sort == SORT_SINGLE || !group_is_finite(group_at(solver, sort, group), d)) {
            forget_infinite(world, of);
        }
    }
}
