// Computes the rows of a truss's ties, and stores the impulses found for them.
//
// A row has the equation of the tie's own kernel or function (joint_kernels.c, the files of
// joints/, contact_kernels.c), but rigid: its push is reached, not approached. Impulses are added
// to those of the sweeps so far, so warm starting, reports and breaking need not know about
// trusses.
#include "common/physics/step/solver/truss/truss.h"

#include "common/physics/step/solver/impact_joints.h"

#include "common/physics/step/joints/joint_single.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/solver_scratch.h"

static joint_solver *joints_of(const physics_world *world)
{
    return world->solver->joint_solver;
}

bool joint_may_tie(const physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    return j->colour != COLOUR_NONE && joint_is_rigid(world, j);
}

// ---- rows

static truss_row *add_row(truss_tie *tie, row_kind kind)
{
    truss_row *row = &tie->rows[tie->row_count++];
    *row = (truss_row){.kind = kind, .held = true};
    return row;
}

// The velocity along a unit vector of b's point at its arm relative to a's.
static truss_row *add_line(truss_tie *tie, row_kind kind, vec2 along, vec2 arm_a, vec2 arm_b)
{
    truss_row *row = add_row(tie, kind);
    row->a[0] = -(double)along.x;
    row->a[1] = -(double)along.y;
    row->a[2] = -(double)vec2_cross(arm_a, along);
    row->b[0] = (double)along.x;
    row->b[1] = (double)along.y;
    row->b[2] = (double)vec2_cross(arm_b, along);
    return row;
}

static truss_row *add_turn(truss_tie *tie, row_kind kind, double sign)
{
    truss_row *row = add_row(tie, kind);
    row->a[2] = -sign;
    row->b[2] = sign;
    return row;
}

static void add_point(truss_tie *tie, vec2 arm_a, vec2 arm_b, vec2 shift)
{
    add_line(tie, ROW_X, (vec2){1.0f, 0.0f}, arm_a, arm_b)->shift = (double)shift.x;
    add_line(tie, ROW_Y, (vec2){0.0f, 1.0f}, arm_a, arm_b)->shift = (double)shift.y;
}

static void make_one_sided(truss_row *row, float room, float push, float total)
{
    row->one_sided = true;
    row->apart = room > 0.0f;
    row->push = (double)push;
    row->total = (double)total;
    row->held = total > 0.0f;
}

// The remaining room may be used up within the sub-step; beyond the limit the coordinate is pushed
// back.
static void make_limit(const physics_world *world, truss_row *row, softness rigid, float room,
                       float total, bool use_bias)
{
    make_one_sided(row, room, room > 0.0f ? room * world->step.inv_h : 0.0f, total);
    row->shift = use_bias && !(room > 0.0f) ? (double)soft_push(rigid, room) : 0.0;
}

static void add_limits(const physics_world *world, truss_tie *tie, const single_joint *j,
                       vec2 along, vec2 arm_a, vec2 arm_b, float position, bool use_bias)
{
    const joint_settings *set = j->settings;
    const joint_impulses *so_far = &j->record->impulses;
    if (set->lower > -INFINITY) {
        make_limit(world, add_line(tie, ROW_LOWER, along, arm_a, arm_b), j->scratch.rigid,
                   position - set->lower, so_far->lower, use_bias);
    }
    if (set->upper < INFINITY) {
        make_limit(world, add_line(tie, ROW_UPPER, vec2_neg(along), arm_a, arm_b), j->scratch.rigid,
                   set->upper - position, so_far->upper, use_bias);
    }
}

static void write_revolute(const physics_world *world, truss_tie *tie, joint_sort sort,
                           bool use_bias)
{
    const joint_lanes *g = group_at(joints_of(world), sort, tie->group);
    const uint32_t lane = tie->lane;
    const vec2 shift = {g->push_x[lane], g->push_y[lane]};
    add_point(tie, (vec2){g->arm_ax[lane], g->arm_ay[lane]},
              (vec2){g->arm_bx[lane], g->arm_by[lane]}, use_bias ? shift : (vec2){0.0f, 0.0f});
    if (sort != SORT_DRIVEN) {
        return;
    }
    const drive_lanes *d = &joints_of(world)->driven[tie->group].drive;
    const softness rigid = {1.0f, g->soft_position[lane], 0.0f, JOINT_PUSH_MAX};
    if (d->lower[lane] > -INFINITY) {
        make_limit(world, add_turn(tie, ROW_LOWER, 1.0), rigid, d->angle[lane] - d->lower[lane],
                   d->impulse_lower[lane], use_bias);
    }
    if (d->upper[lane] < INFINITY) {
        make_limit(world, add_turn(tie, ROW_UPPER, -1.0), rigid, d->upper[lane] - d->angle[lane],
                   d->impulse_upper[lane], use_bias);
    }
}

// A tie that sweeps skip starts from zero in every sub-step.
static void begin_anew(truss_tie *tie, const single_joint *j)
{
    for (uint32_t i = 0; i < tie->row_count; i++) {
        tie->rows[i].total = 0.0;
    }
    j->record->impulses = (joint_impulses){0};
}

static void write_weld(const physics_world *world, truss_tie *tie, const single_joint *j,
                       bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    const joint_pair p = pair_read_midway(world, j);
    if (!(j->settings->hertz > 0.0f)) {
        const vec2 shift = soft_push_vec(s->rigid, p.separation);
        add_point(tie, p.arm_a, p.arm_b, use_bias ? shift : (vec2){0.0f, 0.0f});
    }
    if (!(j->settings->angular_hertz > 0.0f)) {
        add_turn(tie, ROW_ANGLE, 1.0)->shift =
            use_bias ? (double)soft_push(s->rigid, s->angle + s->turned) : 0.0;
    }
    if (tie->alone && use_bias) {
        begin_anew(tie, j);
    }
}

static void write_distance(const physics_world *world, truss_tie *tie, const single_joint *j,
                           bool use_bias)
{
    const joint_settings *set = j->settings;
    const joint_pair p = pair_read(world, j);
    float length;
    const vec2 along = vec2_normalize(p.separation, &length);
    if (!(length > 0.0f)) {
        return;
    }
    const bool limited = set->lower > -INFINITY || set->upper < INFINITY;
    const bool pulls = j->record->impulses.lower + j->record->impulses.upper > 0.0f;
    const bool slack = limited && length > set->lower && length < set->upper && !pulls;
    if (tie->inertia > 0.0 && !slack) {
        add_line(tie, ROW_INERTIA, vec2_left(along), p.arm_a, p.arm_b);
    }
    if (limited) {
        add_limits(world, tie, j, along, p.arm_a, p.arm_b, length, use_bias);
    } else {
        add_line(tie, ROW_ROD, along, p.arm_a, p.arm_b)->shift =
            use_bias ? (double)soft_push(j->scratch.rigid, length - j->record->length) : 0.0;
    }
    if (tie->alone && use_bias) {
        begin_anew(tie, j);
    }
}

static void write_slide(const physics_world *world, truss_tie *tie, const single_joint *j,
                        bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    const joint_pair p = pair_read(world, j);
    const vec2 axis = rot_vec(world->states.data[j->record->body_a].delta_rotation, s->axis);
    const vec2 across = vec2_left(axis);
    const vec2 arm_a = vec2_add(p.arm_a, p.separation);
    add_line(tie, ROW_ACROSS, across, arm_a, p.arm_b)->shift =
        use_bias ? (double)soft_push(s->rigid, vec2_dot(across, p.separation)) : 0.0;
    if (j->record->kind == JOINT_PRISMATIC) {
        add_turn(tie, ROW_ANGLE, 1.0)->shift =
            use_bias ? (double)soft_push(s->rigid, s->angle + s->turned) : 0.0;
    }
    add_limits(world, tie, j, axis, arm_a, p.arm_b, vec2_dot(axis, p.separation), use_bias);
}

// Like separation_now() and rolled() of contact_kernels.c.
static float separation_of(const physics_world *world, const truss_tie *tie, uint32_t point)
{
    const contact_groups *groups = &world->solver->groups;
    const contact_lanes *c = &groups->lanes[tie->group];
    const lane_marks *marks = &groups->marks[tie->group];
    const uint32_t lane = tie->lane;
    const body_state *a = &world->states.data[c->body_a[lane]];
    const body_state *b = &world->states.data[c->body_b[lane]];
    const point_lanes *p = &c->points[point];
    const vec2 normal = {c->normal_x[lane], c->normal_y[lane]};
    const vec2 arm_a = {p->anchor_ax[lane], p->anchor_ay[lane]};
    const vec2 arm_b = vec2_sub(arm_a, (vec2){c->way_x[lane], c->way_y[lane]});
    const vec2 moved =
        vec2_add(vec2_sub(b->delta_position, a->delta_position),
                 vec2_sub(rot_vec(b->delta_rotation, arm_b), rot_vec(a->delta_rotation, arm_a)));
    float separation = vec2_dot(moved, normal) + p->base_separation[lane];
    const uint32_t part = marks->features[1] == LANES_NONE ? 0 : lane / (LANES / PARTS_MAX);
    if ((marks->features[part] & LANES_ROUND) != 0) {
        const rounding_lanes *round = &groups->roundings[tie->group];
        separation += round->a[lane] * (a->delta_rotation.c - 1.0f) +
                      round->b[lane] * (b->delta_rotation.c - 1.0f);
    }
    return separation;
}

// Like push_bias() of contact_kernels.c.
static float push_back(const step_context *step, bool stands, float separation)
{
    const float rate = stands ? step->static_bias_rate : step->contact_bias_rate;
    const float overlap = float_min(separation + OVERLAP_SLOP, 0.0f);
    const float deep = float_min(separation + DEEP_OVERLAP, 0.0f);
    return float_max(rate * overlap + DEEP_PUSH_RATE * deep, -PUSH_OUT_SPEED_MAX);
}

static void write_contact(const physics_world *world, truss_tie *tie, bool use_bias)
{
    const contact_lanes *c = &world->solver->groups.lanes[tie->group];
    const uint32_t lane = tie->lane;
    const bool stands = c->inv_mass_a[lane] == 0.0f || c->inv_mass_b[lane] == 0.0f;
    const vec2 normal = {c->normal_x[lane], c->normal_y[lane]};
    for (uint32_t i = 0; i < 2; i++) {
        const point_lanes *p = &c->points[i];
        if (!(p->base_separation[lane] < FAR_AWAY)) {
            continue;
        }
        const float room = separation_of(world, tie, i);
        const vec2 arm_a = {p->anchor_ax[lane], p->anchor_ay[lane]};
        const vec2 arm_b = vec2_sub(arm_a, (vec2){c->way_x[lane], c->way_y[lane]});
        const float back = use_bias ? push_back(&world->step, stands, room) : 0.0f;
        make_one_sided(add_line(tie, i == 0 ? ROW_TOUCH0 : ROW_TOUCH1, normal, arm_a, arm_b), room,
                       room > 0.0f ? room * world->step.inv_h : back, p->normal_impulse[lane]);
    }
}

void tie_write_rows(const physics_world *world, truss_tie *tie, bool use_bias)
{
    tie->row_count = 0;
    if (tie->touches) {
        write_contact(world, tie, use_bias);
        return;
    }
    const joint *record = &world->joints.data[tie->slot];
    if (record->sort != SORT_SINGLE) {
        write_revolute(world, tie, (joint_sort)record->sort, use_bias);
        return;
    }
    const single_joint *j = &joints_of(world)->single[tie->group];
    switch ((joint_kind)record->kind) {
    case JOINT_WELD:
        write_weld(world, tie, j, use_bias);
        break;
    case JOINT_DISTANCE:
        write_distance(world, tie, j, use_bias);
        break;
    default:
        write_slide(world, tie, j, use_bias);
    }
}

// ---- impulses

static void add_to(wide *a, uint32_t lane, float value)
{
    wide_set(a, lane, (*a)[lane] + value);
}

static float one_sided_total(const truss_row *row)
{
    return float_max((float)(row->total + row->impulse), 0.0f);
}

static void give_contact(const physics_world *world, const truss_tie *tie, bool use_bias)
{
    contact_lanes *c = &world->solver->groups.lanes[tie->group];
    for (uint32_t i = 0; i < tie->row_count; i++) {
        const truss_row *row = &tie->rows[i];
        point_lanes *p = &c->points[row->kind == ROW_TOUCH0 ? 0 : 1];
        const float before = p->normal_impulse[tie->lane];
        const float now = one_sided_total(row);
        wide_set(&p->normal_impulse, tie->lane, now);
        if (!use_bias) { // this sub-step's impulse has been counted
            add_to(&p->total_impulse, tie->lane, now - before);
        }
    }
}

static void give_limit(wide *total, wide *sum, const truss_tie *tie, const truss_row *row,
                       float sign, bool use_bias)
{
    const float before = (*total)[tie->lane];
    const float now = one_sided_total(row);
    wide_set(total, tie->lane, now);
    if (!use_bias) {
        add_to(sum, tie->lane, sign * (now - before));
    }
}

static void give_revolute(const physics_world *world, const truss_tie *tie, joint_sort sort,
                          bool use_bias)
{
    joint_lanes *g = group_at(joints_of(world), sort, tie->group);
    drive_lanes *d = sort == SORT_DRIVEN ? &joints_of(world)->driven[tie->group].drive : NULL;
    for (uint32_t i = 0; i < tie->row_count; i++) {
        const truss_row *row = &tie->rows[i];
        if (row->kind == ROW_LOWER) {
            give_limit(&d->impulse_lower, &d->total, tie, row, 1.0f, use_bias);
        } else if (row->kind == ROW_UPPER) {
            give_limit(&d->impulse_upper, &d->total, tie, row, -1.0f, use_bias);
        } else {
            const bool x = row->kind == ROW_X;
            add_to(x ? &g->impulse_x : &g->impulse_y, tie->lane, (float)row->impulse);
            if (!use_bias) {
                add_to(x ? &g->total_x : &g->total_y, tie->lane, (float)row->impulse);
            }
        }
    }
}

static void give_row(joint_impulses *to, const truss_row *row)
{
    const float impulse = (float)row->impulse;
    switch (row->kind) {
    case ROW_Y:
        to->linear.y += impulse;
        break;
    case ROW_ANGLE:
        to->angular += impulse;
        break;
    case ROW_LOWER:
        to->lower = one_sided_total(row);
        break;
    case ROW_UPPER:
        to->upper = one_sided_total(row);
        break;
    default: // x, across, along the rod
        to->linear.x += impulse;
    }
}

// Records the change of velocities that a joint solved one at a time must revert.
static void note_change(single_joint *j, const truss_row *row)
{
    const joint_scratch *s = &j->scratch;
    const float impulse = (float)row->impulse;
    const vec2 a = {(float)row->a[0], (float)row->a[1]};
    const vec2 b = {(float)row->b[0], (float)row->b[1]};
    j->bodies[0].velocity = vec2_mul_add(j->bodies[0].velocity, s->inv_mass_a * impulse, a);
    j->bodies[0].spin += s->inv_inertia_a * impulse * (float)row->a[2];
    j->bodies[1].velocity = vec2_mul_add(j->bodies[1].velocity, s->inv_mass_b * impulse, b);
    j->bodies[1].spin += s->inv_inertia_b * impulse * (float)row->b[2];
}

static void give_single(const physics_world *world, const truss_tie *tie, bool use_bias)
{
    single_joint *j = &joints_of(world)->single[tie->group];
    for (uint32_t i = 0; i < tie->row_count; i++) {
        const truss_row *row = &tie->rows[i];
        const float impulse = (float)row->impulse;
        if (row->kind == ROW_INERTIA) {
            continue;
        }
        give_row(&j->record->impulses, row);
        note_change(j, row);
        if (!use_bias && row->kind == ROW_ANGLE) {
            j->record->total_torque += impulse;
        } else if (!use_bias) {
            const vec2 along = {(float)row->b[0], (float)row->b[1]};
            j->record->total_force = vec2_mul_add(j->record->total_force, impulse, along);
        }
    }
}

void tie_take_impulses(physics_world *world, const truss_tie *tie, bool use_bias)
{
    if (tie->touches) {
        give_contact(world, tie, use_bias);
        return;
    }
    const joint *record = &world->joints.data[tie->slot];
    if (record->sort != SORT_SINGLE) {
        give_revolute(world, tie, (joint_sort)record->sort, use_bias);
    } else {
        give_single(world, tie, use_bias);
    }
}
