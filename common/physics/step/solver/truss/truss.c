// Trusses: bodies of very uneven masses and the joints between them, solved as one system of
// equations.
//
// Sweeps over joints transfer a load from body to body, and through a light body only in proportion
// to its mass: under 1000 times its own mass a rod stretches by metres. In a truss the impulses of
// all ties are found at once, so that no ratio of masses matters. The unknowns are the changes of
// velocities, dv: each row J v + push = 0 of a tie acts as a spring of a stiffness S far above
// every mass, and
//
//     (M + Σ S Jᵀ J) dv = - Σ S Jᵀ (J v + push),
//
// with the impulse -S (J v + push + J dv) for each. Springs, rather than the multipliers of
// constraints, keep the matrix positive definite, even with redundant rows, and as sparse as the
// ties; and their softness has no effect after a step, as the impulses add up from sub-step to
// sub-step (the augmented Lagrangian: M. Hestenes, M. Powell, 1969). Limits and contacts only push:
// a few rounds find those that do.
//
// Impulses that the sweeps found for the same rows have no influence: they are internal to the
// truss, and the solution is the nearest one in kinetic energy. So the sweeps still handle drives,
// springs, friction and all other contacts. Position errors are corrected by moving the bodies, not
// by velocities: otherwise a light chain would gain energy from its load.
#include "common/physics/step/solver/truss/truss.h"

#include "common/physics/step/joints/joint_single.h"
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/solver_scratch.h"

// The stiffness of a row, times the heaviest mass: if it were much larger, the links of a chain
// would vanish in rounding.
#define TRUSS_STIFFNESS 100.0
#define EXCESS_SLACK    1e-9 // a one-sided row that closes more slowly stays open [m/s]
enum { TRUSS_REFINED = 1 };  // refinements of the solution

// ---- ties: rigid joints and contacts of a truss

static void be_rigid(physics_world *world, const joint *j, const truss_tie *tie)
{
    joint_solver *solver = world->solver->joint_solver;
    if (j->sort == SORT_SINGLE) {
        joint_scratch *s = &solver->single[tie->group].scratch;
        s->rigid.velocity = 1.0f;
        s->rigid.impulse = 0.0f;
        if (tie->alone) {
            s->inv_mass_a = s->inv_mass_b = s->inv_inertia_a = s->inv_inertia_b = 0.0f;
        }
    } else {
        joint_lanes *g = group_at(solver, (joint_sort)j->sort, tie->group);
        wide_set(&g->soft_velocity, tie->lane, 1.0f);
        wide_set(&g->soft_impulse, tie->lane, 0.0f);
    }
}

static void place_tie(physics_world *world, truss_tie *tie)
{
    if (tie->touches) {
        const contact *c = &world->contacts.data[tie->slot];
        const uint32_t each = c->colour == COLOUR_OVERFLOW ? 1 : LANES;
        tie->group = world->solver->groups.first[c->colour] + c->colour_index / each;
        tie->lane = c->colour_index % each;
        return;
    }
    const joint *j = &world->joints.data[tie->slot];
    const bool alone = j->sort == SORT_SINGLE || j->colour == COLOUR_OVERFLOW;
    const uint32_t each = alone ? 1 : LANES;
    tie->group = world->solver->joint_solver->first[j->sort][j->colour] + j->colour_index / each;
    tie->lane = j->colour_index % each;
    be_rigid(world, j, tie);
}

// The stiffness of angles: that of points times the square of the longest arm.
static void find_stiffness(const physics_world *world, truss_solver *s, truss *of)
{
    double mass = 0.0;
    double inertia = 0.0;
    double reach = 0.0;
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        truss_body *b = &s->bodies.data[i];
        const body_motion *m = &world->motions.data[b->slot];
        const double extent = (double)world->extents.data[b->slot].extent_max;
        b->mass = 1.0 / (double)m->inv_mass;
        b->inertia = m->inv_inertia > 0.0f ? 1.0 / (double)m->inv_inertia : 0.0;
        mass = b->mass > mass ? b->mass : mass;
        inertia = b->inertia > inertia ? b->inertia : inertia;
        reach = extent > reach ? extent : reach;
    }
    const double on_arm = mass * reach * reach;
    of->stiffness = TRUSS_STIFFNESS * mass;
    of->angular_stiffness = TRUSS_STIFFNESS * (on_arm > inertia ? on_arm : inertia);
}

void trusses_place(physics_world *world)
{
    truss_solver *s = world->solver->truss_solver;
    if (s == NULL || s->trusses.count == 0) {
        return;
    }
    for (uint32_t i = 0; i < s->ties.count; i++) {
        place_tie(world, &s->ties.data[i]);
    }
    for (uint32_t i = 0; i < s->trusses.count; i++) {
        find_stiffness(world, s, &s->trusses.data[i]);
    }
    array_reserve(&s->changes, TRUSS_AXES * s->bodies.count);
    array_reserve(&s->rests, TRUSS_AXES * s->bodies.count);
}

// ---- the equations

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void read_velocity(const physics_world *world, uint32_t slot, double *v)
{
    const body_state *state = &world->states.data[slot];
    v[0] = (double)state->velocity.x;
    v[1] = (double)state->velocity.y;
    v[2] = (double)state->angular_velocity;
}

// Computes the violation of each row; rows do not rotate bodies that cannot rotate.
static void find_excess(const physics_world *world, const truss_solver *s, truss_tie *tie)
{
    double a[TRUSS_AXES];
    double b[TRUSS_AXES];
    uint32_t slot_a = tie->touches ? world->contacts.data[tie->slot].body_a
                                   : world->joints.data[tie->slot].body_a;
    uint32_t slot_b = tie->touches ? world->contacts.data[tie->slot].body_b
                                   : world->joints.data[tie->slot].body_b;
    read_velocity(world, slot_a, a);
    read_velocity(world, slot_b, b);
    for (uint32_t i = 0; i < tie->row_count; i++) {
        truss_row *row = &tie->rows[i];
        if (row->kind != ROW_INERTIA) {
            row->excess = dot(row->a, a) + dot(row->b, b) + row->push;
        }
        if (tie->a == NO_BODY || !(s->bodies.data[tie->a].inertia > 0.0)) {
            row->a[2] = 0.0;
        }
        if (tie->b == NO_BODY || !(s->bodies.data[tie->b].inertia > 0.0)) {
            row->b[2] = 0.0;
        }
    }
}

static void add_outer(truss_block *block, double scale, const double *a, const double *b)
{
    for (int i = 0; i < TRUSS_AXES; i++) {
        for (int k = 0; k < TRUSS_AXES; k++) {
            block->at[i][k] += scale * a[i] * b[k];
        }
    }
}

static void add_scaled(double *to, double scale, const double *a)
{
    for (int i = 0; i < TRUSS_AXES; i++) {
        to[i] += scale * a[i];
    }
}

static void push_bodies(double *right, const truss_tie *tie, const truss_row *row, double impulse)
{
    if (tie->a != NO_BODY) {
        add_scaled(&right[TRUSS_AXES * tie->a], impulse, row->a);
    }
    if (tie->b != NO_BODY) {
        add_scaled(&right[TRUSS_AXES * tie->b], impulse, row->b);
    }
}

// The violation that remains after these changes of velocities.
static double excess_after(const double *changes, const truss_tie *tie, const truss_row *row,
                           double excess)
{
    const double of_a = tie->a != NO_BODY ? dot(row->a, &changes[TRUSS_AXES * tie->a]) : 0.0;
    const double of_b = tie->b != NO_BODY ? dot(row->b, &changes[TRUSS_AXES * tie->b]) : 0.0;
    return excess + of_a + of_b;
}

static double stiffness_of(const truss *of, const truss_tie *tie, const truss_row *row)
{
    if (row->kind == ROW_INERTIA) {
        return tie->inertia;
    }
    const bool turns =
        row->kind == ROW_ANGLE || (!tie->touches && row->b[0] == 0.0 && row->b[1] == 0.0);
    return turns ? of->angular_stiffness : of->stiffness;
}

static void add_row_to(truss_solver *s, const truss *of, const truss_tie *tie, truss_row *row)
{
    const double stiffness = row->held ? stiffness_of(of, tie, row) : 0.0;
    // A released row loses its impulse.
    const double right = row->held ? -stiffness * row->excess : -row->total;
    row->impulse = row->held ? 0.0 : -row->total;
    push_bodies(s->changes.data, tie, row, right);
    if (tie->a != NO_BODY) {
        add_outer(&s->matrix.columns.data[tie->a].diagonal, stiffness, row->a, row->a);
    }
    if (tie->b != NO_BODY) {
        add_outer(&s->matrix.columns.data[tie->b].diagonal, stiffness, row->b, row->b);
    }
    if (tie->a != NO_BODY && tie->b != NO_BODY) {
        const bool a_first = tie->a < tie->b;
        add_outer(&s->matrix.cells.data[tie->cell].block, stiffness, a_first ? row->b : row->a,
                  a_first ? row->a : row->b);
    }
}

static void solve_rows(truss_solver *s, const truss *of)
{
    truss_matrix_zero(&s->matrix, of->first_body, of->end_body);
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        const truss_body *b = &s->bodies.data[i];
        double(*at)[TRUSS_AXES] = s->matrix.columns.data[i].diagonal.at;
        at[0][0] = at[1][1] = b->mass;
        at[2][2] = b->inertia > 0.0 ? b->inertia : 1.0;
        double *change = &s->changes.data[TRUSS_AXES * i];
        change[0] = change[1] = change[2] = 0.0;
    }
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        truss_tie *tie = &s->ties.data[i];
        for (uint32_t k = 0; k < tie->row_count; k++) {
            add_row_to(s, of, tie, &tie->rows[k]);
        }
    }
    truss_matrix_solve(&s->matrix, of->first_body, of->end_body,
                       &s->changes.data[TRUSS_AXES * of->first_body]);
}

// Computes the impulse from the changes. True if a one-sided row must be activated or released for
// the next round; late rounds only release, so that the rounds end.
static bool finish_row(const truss_solver *s, const truss *of, const truss_tie *tie, truss_row *row,
                       int round)
{
    const double excess = excess_after(s->changes.data, tie, row, row->excess);
    if (row->kind == ROW_INERTIA) {
        row->impulse = 0.0;
    } else if (row->held) {
        row->impulse = -stiffness_of(of, tie, row) * excess;
        if (row->one_sided && row->total + row->impulse < 0.0) {
            row->held = false;
            return true;
        }
    } else if ((!row->apart || !tie->touches) && excess < -EXCESS_SLACK &&
               round < TRUSS_ROUNDS_MAX / 2) {
        row->held = true;
        return true;
    }
    return false;
}

static bool finish_rows(truss_solver *s, const truss *of, int round)
{
    bool changed = false;
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        truss_tie *tie = &s->ties.data[i];
        for (uint32_t k = 0; k < tie->row_count; k++) {
            changed |= finish_row(s, of, tie, &tie->rows[k], round);
        }
    }
    return changed;
}

// ---- solving

// Solves again for the remainders of the equations M dv = Jᵀ P and J v + push = 0: removes the
// effect of the rows' softness and of rounding, which large mass ratios amplify.
static void refine(truss_solver *s, const truss *of)
{
    double *changes = s->changes.data;
    double *rest = s->rests.data;
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        const truss_body *b = &s->bodies.data[i];
        rest[TRUSS_AXES * i] = -b->mass * changes[TRUSS_AXES * i];
        rest[TRUSS_AXES * i + 1] = -b->mass * changes[TRUSS_AXES * i + 1];
        rest[TRUSS_AXES * i + 2] = -b->inertia * changes[TRUSS_AXES * i + 2];
    }
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        const truss_tie *tie = &s->ties.data[i];
        for (uint32_t k = 0; k < tie->row_count; k++) {
            const truss_row *row = &tie->rows[k];
            const double soft = row->held ? stiffness_of(of, tie, row) : 0.0;
            const double right =
                row->impulse - soft * excess_after(s->changes.data, tie, row, row->excess);
            push_bodies(rest, tie, row, right);
        }
    }
    truss_matrix_solve_again(&s->matrix, of->first_body, of->end_body,
                             &rest[TRUSS_AXES * of->first_body]);
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        truss_tie *tie = &s->ties.data[i];
        for (uint32_t k = 0; k < tie->row_count; k++) {
            truss_row *row = &tie->rows[k];
            if (row->held && row->kind != ROW_INERTIA) {
                const double left = excess_after(s->changes.data, tie, row, row->excess);
                row->impulse -= stiffness_of(of, tie, row) * excess_after(rest, tie, row, left);
            }
        }
    }
    for (uint32_t i = TRUSS_AXES * of->first_body; i < TRUSS_AXES * of->end_body; i++) {
        changes[i] += rest[i];
    }
}

// Solves the same rows for the position errors.
static void solve_shifts(truss_solver *s, const truss *of)
{
    double *changes = s->changes.data;
    for (uint32_t i = TRUSS_AXES * of->first_body; i < TRUSS_AXES * of->end_body; i++) {
        changes[i] = 0.0;
    }
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        const truss_tie *tie = &s->ties.data[i];
        for (uint32_t k = 0; k < tie->row_count; k++) {
            const truss_row *row = &tie->rows[k];
            const double right = row->held ? -stiffness_of(of, tie, row) * row->shift : 0.0;
            push_bodies(changes, tie, row, right);
        }
    }
    truss_matrix_solve_again(&s->matrix, of->first_body, of->end_body,
                             &changes[TRUSS_AXES * of->first_body]);
}

static void note_own(truss_solver *s, uint32_t number, const double *row, double impulse)
{
    if (number != NO_BODY) {
        truss_body *b = &s->bodies.data[number];
        b->own[0] += row[0] * impulse / b->mass;
        b->own[1] += row[1] * impulse / b->mass;
        b->own[2] += b->inertia > 0.0 ? row[2] * impulse / b->inertia : 0.0;
    }
}

// Ties that sweeps skip: rods and ropes, since sweeps do not know their lent inertia, and welds,
// since one by one they would make a light body spin beyond the limit. Their impulses must not act
// again along old directions (integrate.c): the next sub-step reverts their sum for each body,
// since the single impulses are far larger than the sum.
static void note_alone(truss_solver *s, const truss *of)
{
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        truss_tie *tie = &s->ties.data[i];
        for (uint32_t k = 0; k < tie->row_count && tie->alone; k++) {
            truss_row *row = &tie->rows[k];
            if (row->kind == ROW_INERTIA) {
                row->impulse = -tie->inertia * excess_after(s->changes.data, tie, row, 0.0);
            }
            note_own(s, tie->a, row->a, row->impulse);
            note_own(s, tie->b, row->b, row->impulse);
        }
    }
}

void trusses_begin(physics_world *world)
{
    truss_solver *s = world->solver->truss_solver;
    for (uint32_t i = 0; s != NULL && s->trusses.count > 0 && i < s->bodies.count; i++) {
        truss_body *b = &s->bodies.data[i];
        body_state *state = &world->states.data[b->slot];
        state->velocity.x -= (float)b->own[0];
        state->velocity.y -= (float)b->own[1];
        state->angular_velocity -= (float)b->own[2];
        b->own[0] = b->own[1] = b->own[2] = 0.0;
    }
}

static bool is_finite(const truss_solver *s, const truss *of)
{
    double sum = 0.0; // becomes NaN if any value is not finite
    for (uint32_t i = TRUSS_AXES * of->first_body; i < TRUSS_AXES * of->end_body; i++) {
        sum += 0.0 * s->changes.data[i];
    }
    return sum == 0.0;
}

static void change_velocities(physics_world *world, const truss_solver *s, const truss *of)
{
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        const double *change = &s->changes.data[TRUSS_AXES * i];
        body_state *state = &world->states.data[s->bodies.data[i].slot];
        state->velocity.x += (float)change[0];
        state->velocity.y += (float)change[1];
        state->angular_velocity += (float)change[2];
        body_limit_speed(state);
    }
}

static void change_places(physics_world *world, const truss_solver *s, const truss *of)
{
    const float h = world->step.h;
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        const double *change = &s->changes.data[TRUSS_AXES * i];
        body_state *state = &world->states.data[s->bodies.data[i].slot];
        const vec2 way = {h * (float)change[0], h * (float)change[1]};
        const float turn = h * (float)change[2];
        const rot q = state->delta_rotation;
        const vec2 turned = {q.c - turn * q.s, q.s + turn * q.c};
        const float inverse = 1.0f / vec2_length(turned);
        state->delta_position = vec2_add(state->delta_position, way);
        state->delta_rotation = (rot){turned.x * inverse, turned.y * inverse};
    }
}

static void solve_truss(physics_world *world, truss_solver *s, const truss *of, bool use_bias)
{
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        tie_write_rows(world, &s->ties.data[i], use_bias);
        find_excess(world, s, &s->ties.data[i]);
    }
    int round = 0;
    do {
        solve_rows(s, of);
    } while (finish_rows(s, of, round) && ++round < TRUSS_ROUNDS_MAX);
    for (int i = 0; i < TRUSS_REFINED; i++) {
        refine(s, of);
    }
    if (!is_finite(s, of)) { // the sweeps' solution remains
        return;
    }
    note_alone(s, of);
    change_velocities(world, s, of);
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        tie_take_impulses(world, &s->ties.data[i], use_bias);
    }
    if (use_bias) {
        solve_shifts(s, of);
        if (is_finite(s, of)) {
            change_places(world, s, of);
        }
    }
}

static void solve_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    truss_solver *s = world->solver->truss_solver;
    for (uint32_t i = first; i < end; i++) {
        solve_truss(world, s, &s->trusses.data[i], *(const bool *)context);
    }
}

void trusses_solve(physics_world *world, bool use_bias)
{
    const truss_solver *s = world->solver->truss_solver;
    if (s != NULL && s->trusses.count > 0) {
        run_plain_ranges(&world->parallel, s->trusses.count, 1, solve_range, &use_bias);
    }
}
