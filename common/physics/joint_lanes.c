// The joints of a step: sorted by colour into lanes and into those that are solved one at a time,
// swept colour by colour, and stored back.
//
// Within a colour no two joints write to the same body, so neither the order there nor how the
// lanes are filled changes a bit. What found no colour is solved one by one in the order of slots:
// a group each.
#include "common/physics/joint_lanes.h"

#include "common/base/assert.h"

#include <stdlib.h>
#include <string.h>

extern const joint_kernels joint_kernels_base;
#ifdef CAROM_HAVE_AVX2
extern const joint_kernels joint_kernels_avx2;
#endif

#define GRAIN_STORED 32u // groups that make a range worth handing to another thread

typedef struct joint_solver {
    const joint_kernels *kernels;
    ARRAY(joint_lanes) plain;
    ARRAY(driven_lanes) driven;
    ARRAY(uint32_t) single;    // slots of those that are solved one at a time
    ARRAY(uint32_t) sorts;     // of the joints without a colour, in order: lane_sort
    ARRAY(uint32_t) breakable; // slots of those that break under a load
    // Where each colour's begin.
    uint32_t lanes_first[LANE_SORTS][COLOURS + 2];
    uint32_t single_first[COLOURS + 2];
} joint_solver;

static joint_solver *solver_of(physics_world *world)
{
    if (world->joint_solver == NULL) {
        joint_solver *solver = calloc(1, sizeof *solver);
        ASSERT(solver != NULL);
        solver->kernels = &joint_kernels_base;
#ifdef CAROM_HAVE_AVX2
        if (wide_avx2_chosen()) {
            solver->kernels = &joint_kernels_avx2;
        }
#endif
        world->joint_solver = solver;
    }
    return world->joint_solver;
}

void joint_solver_free(joint_solver *solver)
{
    if (solver != NULL) {
        array_free(&solver->plain);
        array_free(&solver->driven);
        array_free(&solver->single);
        array_free(&solver->sorts);
        array_free(&solver->breakable);
        free(solver);
    }
}

static lane_sort sort_of(const joint *j)
{
    const joint_settings *s = &j->settings;
    if (j->kind != JOINT_REVOLUTE) {
        return LANE_NONE;
    }
    bool driven = s->hertz > 0.0f || s->lower > -INFINITY || s->upper < INFINITY ||
                  (j->flags & JOINT_FLAG_MOTOR) != 0;
    return driven ? LANE_DRIVEN : LANE_PLAIN;
}

static uint32_t count_of(const joint_solver *solver, lane_sort sort)
{
    return sort == LANE_DRIVEN ? solver->driven.count : solver->plain.count;
}

static void *group_at(joint_solver *solver, lane_sort sort, uint32_t index)
{
    return sort == LANE_DRIVEN ? (void *)&solver->driven.data[index]
                               : (void *)&solver->plain.data[index];
}

static drive_lanes *drive_at(joint_solver *solver, lane_sort sort, uint32_t index)
{
    return sort == LANE_DRIVEN ? &solver->driven.data[index].drive : NULL;
}

// ---- filling

// Adds an empty group of a sort; returns its index.
static uint32_t open_group(joint_solver *solver, lane_sort sort)
{
    uint32_t index;
    if (sort == LANE_DRIVEN) {
        index = solver->driven.count;
        array_reserve(&solver->driven, index + 1);
        solver->driven.count++;
        memset(&solver->driven.data[index], 0, sizeof *solver->driven.data);
    } else {
        index = solver->plain.count;
        array_reserve(&solver->plain, index + 1);
        solver->plain.count++;
        memset(&solver->plain.data[index], 0, sizeof *solver->plain.data);
    }
    return index;
}

// From the centre of mass to a place of the body's frame, in directions of the world.
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

static void fill_point(const physics_world *world, joint_lanes *g, int lane, const joint *j,
                       uint32_t slot)
{
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
    g->joint[lane] = slot;
    g->body_a[lane] = j->body_a;
    g->body_b[lane] = j->body_b;
    g->inv_mass_a[lane] = ma->inv_mass;
    g->inv_mass_b[lane] = mb->inv_mass;
    g->inv_inertia_a[lane] = ma->inv_inertia;
    g->inv_inertia_b[lane] = mb->inv_inertia;
    g->impulse_x[lane] = j->impulses.linear.x;
    g->impulse_y[lane] = j->impulses.linear.y;
    g->soft_velocity[lane] = soft.velocity;
    g->soft_impulse[lane] = soft.impulse;
    g->soft_position[lane] = soft.position;
    g->start_ax[lane] = arm_a.x;
    g->start_ay[lane] = arm_a.y;
    g->start_bx[lane] = arm_b.x;
    g->start_by[lane] = arm_b.y;
    g->separation_x[lane] = (float)apart.x;
    g->separation_y[lane] = (float)apart.y;
    g->turn_c[lane] = relative.c; // until finish_group()
    g->turn_s[lane] = relative.s;
}

static void fill_drive(const physics_world *world, const joint_lanes *g, drive_lanes *d, int lane,
                       const joint *j)
{
    const joint_settings *set = &j->settings;
    bool springs = set->hertz > 0.0f;
    bool driven = (j->flags & JOINT_FLAG_MOTOR) != 0;
    bool from = set->lower > -INFINITY;
    bool to = set->upper < INFINITY;
    softness spring = softness_spring(set->hertz, set->damping_ratio, world->step.h);
    float k = g->inv_inertia_a[lane] + g->inv_inertia_b[lane];
    d->inverse_mass[lane] = k;
    d->mass[lane] = inverse_or_zero(k);
    d->spring_velocity[lane] = springs ? spring.velocity : 0.0f;
    d->spring_position[lane] = springs ? spring.position : 0.0f;
    d->spring_impulse[lane] = springs ? spring.impulse : 0.0f;
    d->rest[lane] = set->target_angle;
    d->motor_speed[lane] = driven ? set->motor_speed : 0.0f;
    d->motor_max[lane] = driven ? world->step.h * set->max_torque : 0.0f;
    d->lower[lane] = set->lower;
    d->upper[lane] = set->upper;
    // What is there no more presses no more.
    d->impulse_spring[lane] = springs ? j->impulses.spring : 0.0f;
    d->impulse_motor[lane] = driven ? j->impulses.motor : 0.0f;
    d->impulse_lower[lane] = from ? j->impulses.lower : 0.0f;
    d->impulse_upper[lane] = to ? j->impulses.upper : 0.0f;
}

// Once a group's lanes are filled: the angles, of which only the turns are carried over; where an
// angle is within them, the rotations say.
static void finish_group(physics_world *world, lane_sort sort, uint32_t index)
{
    joint_solver *solver = world->joint_solver;
    joint_lanes *g = group_at(solver, sort, index);
    drive_lanes *d = drive_at(solver, sort, index);
    wide angle;
    solver->kernels->angles(&g->turn_c, &g->turn_s, &angle);
    for (int lane = 0; lane < LANES && g->joint[lane] != NONE; lane++) {
        joint *j = &world->joints.data[g->joint[lane]];
        j->angle = joint_unwrap((double)angle[lane] - j->settings.reference_angle, j->angle);
        if (d != NULL) {
            d->start_angle[lane] = (float)j->angle;
        }
    }
    solver->kernels->sorts[sort].start(g, 1, world->states.data);
}

// The groups of a colour that are being filled.
typedef struct open_groups {
    uint32_t index[LANE_SORTS];
    int filled[LANE_SORTS]; // lanes; 0: none is open
} open_groups;

static void add_joint(physics_world *world, open_groups *open, lane_sort sort, uint32_t slot,
                      int lanes)
{
    joint_solver *solver = world->joint_solver;
    const joint *j = &world->joints.data[slot];
    int lane = open->filled[sort];
    if (lane == 0) {
        open->index[sort] = open_group(solver, sort);
    }
    uint32_t index = open->index[sort];
    joint_lanes *g = group_at(solver, sort, index);
    drive_lanes *d = drive_at(solver, sort, index);
    fill_point(world, g, lane, j, slot);
    if (d != NULL) {
        fill_drive(world, g, d, lane, j);
    }
    open->filled[sort] = lane + 1;
    if (lane + 1 == lanes) {
        finish_group(world, sort, index);
        open->filled[sort] = 0;
    }
}

static void prepare_colour(physics_world *world, uint32_t colour)
{
    joint_solver *solver = world->joint_solver;
    const graph_colour *joints = &world->graph[colour];
    int lanes = colour == COLOUR_OVERFLOW ? 1 : LANES;
    open_groups open = {.filled = {0}};
    for (uint32_t i = 0; i < joints->joints.count; i++) {
        uint32_t slot = joints->joints.data[i];
        const joint *j = &world->joints.data[slot];
        lane_sort sort = sort_of(j);
        if (j->settings.break_force > 0.0f || j->settings.break_torque > 0.0f) {
            array_push(&solver->breakable, slot);
        }
        if (colour == COLOUR_OVERFLOW) {
            array_push(&solver->sorts, (uint32_t)sort);
        }
        if (sort == LANE_NONE) {
            array_push(&solver->single, slot);
            joint_prepare_single(world, slot);
        } else {
            add_joint(world, &open, sort, slot, lanes);
        }
    }
    for (int sort = 0; sort < LANE_SORTS; sort++) {
        if (open.filled[sort] > 0) {
            finish_group(world, (lane_sort)sort, open.index[sort]);
        }
    }
}

// What found no colour is solved one by one, in the order of slots.
static void sort_overflow(physics_world *world)
{
    graph_colour *colour = &world->graph[COLOUR_OVERFLOW];
    colour->joints.count = sort_slots(colour->joints.data, colour->joints.count);
    for (uint32_t i = 0; i < colour->joints.count; i++) {
        world->joints.data[colour->joints.data[i]].colour_index = i;
    }
}

void joints_prepare(physics_world *world)
{
    joint_solver *solver = solver_of(world);
    array_clear(&solver->plain);
    array_clear(&solver->driven);
    array_clear(&solver->single);
    array_clear(&solver->sorts);
    array_clear(&solver->breakable);
    sort_overflow(world);
    for (uint32_t colour = 0; colour <= COLOURS + 1; colour++) {
        for (int sort = 0; sort < LANE_SORTS; sort++) {
            solver->lanes_first[sort][colour] = count_of(solver, (lane_sort)sort);
        }
        solver->single_first[colour] = solver->single.count;
        if (colour <= COLOURS) {
            prepare_colour(world, colour);
        }
    }
}

const uint32_t *joints_breakable(const physics_world *world, uint32_t *count)
{
    *count = world->joint_solver->breakable.count;
    return world->joint_solver->breakable.data;
}

// ---- sweeping

static void sweep_lanes(physics_world *world, lane_sort sort, uint32_t first, uint32_t count,
                        solver_pass pass)
{
    joint_solver *solver = world->joint_solver;
    const joint_sort_kernels *kernels = &solver->kernels->sorts[sort];
    if (count == 0) {
        return;
    }
    void *groups = group_at(solver, sort, first);
    body_state *states = world->states.data;
    switch (pass) {
    case PASS_WARM_START:
        kernels->warm_start(groups, count, states);
        break;
    case PASS_SOLVE:
        kernels->solve(groups, count, states, &world->step);
        break;
    case PASS_RELAX:
        kernels->relax(groups, count, states, &world->step);
        break;
    }
}

static void sweep_overflow(physics_world *world, solver_pass pass)
{
    const joint_solver *solver = world->joint_solver;
    uint32_t next[LANE_SORTS];
    uint32_t next_single = solver->single_first[COLOUR_OVERFLOW];
    for (int sort = 0; sort < LANE_SORTS; sort++) {
        next[sort] = solver->lanes_first[sort][COLOUR_OVERFLOW];
    }
    for (uint32_t i = 0; i < solver->sorts.count; i++) {
        lane_sort sort = (lane_sort)solver->sorts.data[i];
        if (sort == LANE_NONE) {
            joint_sweep_single(world, solver->single.data[next_single++], pass);
        } else {
            sweep_lanes(world, sort, next[sort]++, 1, pass);
        }
    }
}

uint32_t joints_groups(const physics_world *world, uint32_t colour)
{
    const joint_solver *solver = world->joint_solver;
    uint32_t count = solver->single_first[colour + 1] - solver->single_first[colour];
    for (int sort = 0; sort < LANE_SORTS; sort++) {
        count += solver->lanes_first[sort][colour + 1] - solver->lanes_first[sort][colour];
    }
    return count;
}

void joints_sweep(physics_world *world, uint32_t colour, solver_pass pass, uint32_t first,
                  uint32_t end)
{
    const joint_solver *solver = world->joint_solver;
    if (colour == COLOUR_OVERFLOW) {
        ASSERT_SLOW(first == 0 && end == joints_groups(world, colour));
        sweep_overflow(world, pass);
        return;
    }
    for (int sort = 0; sort < LANE_SORTS; sort++) {
        const uint32_t *of = &solver->lanes_first[sort][colour];
        uint32_t count = of[1] - of[0];
        uint32_t to = end < count ? end : count;
        if (first < to) {
            sweep_lanes(world, (lane_sort)sort, of[0] + first, to - first, pass);
        }
        first = first > count ? first - count : 0;
        end = end > count ? end - count : 0;
    }
    uint32_t singles = solver->single_first[colour];
    for (uint32_t i = first; i < end; i++) {
        joint_sweep_single(world, solver->single.data[singles + i], pass);
    }
}

// ---- storing

static void store_group(physics_world *world, const joint_lanes *g, const drive_lanes *d)
{
    wide turned;
    world->joint_solver->kernels->angles(&g->turn_c, &g->turn_s, &turned);
    turned += (float)(2.0 * PI_D) * g->turns;
    for (int lane = 0; lane < LANES && g->joint[lane] != NONE; lane++) {
        joint *j = &world->joints.data[g->joint[lane]];
        j->impulses = (joint_impulses){.linear = {g->impulse_x[lane], g->impulse_y[lane]}};
        j->total_force = (vec2){g->total_x[lane], g->total_y[lane]};
        j->total_torque = 0.0f;
        j->angle += (double)turned[lane];
        if (d != NULL) {
            j->impulses.spring = d->impulse_spring[lane];
            j->impulses.motor = d->impulse_motor[lane];
            j->impulses.lower = d->impulse_lower[lane];
            j->impulses.upper = d->impulse_upper[lane];
            j->total_torque = d->total[lane];
        }
    }
}

static void store_plain(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    for (uint32_t i = first; i < end; i++) {
        store_group(world, &world->joint_solver->plain.data[i], NULL);
    }
}

static void store_driven(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    for (uint32_t i = first; i < end; i++) {
        const driven_lanes *g = &world->joint_solver->driven.data[i];
        store_group(world, &g->point, &g->drive);
    }
}

void joints_store(physics_world *world)
{
    const joint_solver *solver = world->joint_solver;
    run_plain_ranges(world, solver->plain.count, GRAIN_STORED, store_plain, NULL);
    run_plain_ranges(world, solver->driven.count, GRAIN_STORED, store_driven, NULL);
}
