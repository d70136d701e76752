// Finds the bodies and joints of the trusses of a step.
//
// A truss begins with a joint that ties a body to one MASS_RATIO_MAX times heavier, with a contact
// of a body so much heavier with one that has joints, or with an open joint of a long chain
// (long_chains.c). It extends over all rigid joints, and over such contacts. Bodies are numbered so
// that each comes after the bodies that were found from it: that keeps the matrix of a tree as
// sparse as the tree. Its ties are those joints, and all contacts of its bodies with each other and
// with static bodies.
//
// A taut rope of light links under a heavy load is a string of high pitch: swinging sideways, a
// link of mass m under a tension T with a length l has the angular frequency sqrt(T / (m l)) or
// more, and a rotation of more than a few tenths of a radian in a sub-step h cannot be simulated.
// So links and rods are lent rotational inertia for the step, LENT_SHARE h² T r on each arm r,
// where T is the weight of the lighter side. It has no weight, conserves momentum, and is small
// compared with the load: a chain of 5 m with ten links swings 0.1 % slower at 60 Hz with four
// sub-steps. (Compare the geometric stiffness of M. Tournier et al., "Stable Constrained Dynamics",
// 2015.)
#include "common/physics/step/solver/truss/truss.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/step/solver/heavy_loads.h"
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/solver_scratch.h"

#define LENT_SHARE    64.0
#define GRAVITY_LEAST 10.0f // least assumed load: not only gravity pulls at a joint [m/s²]
#define LENGTH_LEAST  1e-3  // shorter rods have no usable direction [m]

#define ENTERED UINT32_MAX // value of truss_solver.number: on the walk, not numbered yet

static truss_solver *solver_of(physics_world *world)
{
    if (world->solver->truss_solver == NULL) {
        world->solver->truss_solver = calloc(1, sizeof(truss_solver));
        ASSERT_MEMORY(world->solver->truss_solver != NULL);
    }
    return world->solver->truss_solver;
}

static bool is_dynamic(const physics_world *world, uint32_t slot)
{
    return (world->states.data[slot].flags & STATE_DYNAMIC) != 0 &&
           world->motions.data[slot].inv_mass > 0.0f;
}

// ---- bodies at which trusses begin

// Whether joints of the contact's lighter body have to bear a load.
static bool loads_joints(const physics_world *world, const contact *c)
{
    const float of_a = world->motions.data[c->body_a].inv_mass;
    const float of_b = world->motions.data[c->body_b].inv_mass;
    const uint32_t light = of_a > of_b ? c->body_a : c->body_b;
    return masses_are_uneven(of_a, of_b) && world->bodies.data[light].joints != NONE;
}

static bool is_solved(const contact *c)
{
    return (c->flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE &&
           c->colour != COLOUR_NONE;
}

static void find_seeds(physics_world *world, truss_solver *s)
{
    const slot_list *joints = &world->solver->joint_solver->seeds;
    for (uint32_t i = 0; i < joints->count; i++) {
        if (joint_may_tie(world, joints->data[i])) {
            const joint *j = &world->joints.data[joints->data[i]];
            array_push(&s->seeds, is_dynamic(world, j->body_b) ? j->body_b : j->body_a);
        }
    }
    const slot_list *contacts = &world->solver->uneven;
    for (uint32_t i = 0; i < contacts->count; i++) {
        const contact *c = &world->contacts.data[contacts->data[i]];
        if (loads_joints(world, c)) {
            array_push(&s->seeds, c->body_a);
        }
    }
    s->seeds.count = sort_slots(s->seeds.data, s->seeds.count);
}

// ---- the walk

static uint32_t other_of_joint(const joint *j, uint32_t key)
{
    return (key & 1) == 0 ? j->body_b : j->body_a;
}

// Lists the bodies to which a truss extends from this one, in ascending order.
static void list_ways(physics_world *world, truss_solver *s, truss_visit *visit)
{
    visit->first = visit->next = s->ways.count;
    const body *b = &world->bodies.data[visit->slot];
    for (uint32_t key = b->joints; key != NONE;) {
        const joint *j = &world->joints.data[key >> 1];
        const uint32_t other = other_of_joint(j, key);
        if (is_dynamic(world, other) && joint_may_tie(world, key >> 1)) {
            array_push(&s->ways, other);
        }
        key = j->edges[key & 1].next;
    }
    for (uint32_t key = b->contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        if (is_solved(c) && loads_joints(world, c)) {
            array_push(&s->ways, (key & 1) == 0 ? c->body_b : c->body_a);
        }
        key = c->edges[key & 1].next;
    }
    visit->end =
        visit->first + sort_slots(&s->ways.data[visit->first], s->ways.count - visit->first);
    s->ways.count = visit->end;
}

static void enter(physics_world *world, truss_solver *s, uint32_t slot)
{
    s->number.data[slot] = ENTERED;
    truss_visit visit = {.slot = slot};
    list_ways(world, s, &visit);
    array_push(&s->walk, visit);
}

// Numbers the body on top of the walk's stack, which has no more ways.
static void leave(truss_solver *s)
{
    const truss_visit *visit = &s->walk.data[--s->walk.count];
    s->ways.count = visit->first;
    s->number.data[visit->slot] = s->bodies.count + 1;
    const uint32_t parent = s->walk.count > 0 ? s->walk.data[s->walk.count - 1].slot : NONE;
    array_push(&s->bodies, ((truss_body){.slot = visit->slot, .parent = parent}));
}

static void walk_from(physics_world *world, truss_solver *s, uint32_t seed)
{
    uint32_t entered = 1;
    enter(world, s, seed);
    while (s->walk.count > 0) {
        truss_visit *top = &s->walk.data[s->walk.count - 1];
        if (top->next == top->end) {
            leave(s);
            continue;
        }
        const uint32_t way = s->ways.data[top->next++];
        if (s->number.data[way] == 0 && entered < TRUSS_BODIES_MAX) {
            entered++;
            enter(world, s, way);
        }
    }
}

// ---- ties

static uint32_t number_in(const truss_solver *s, const truss *of, uint32_t slot)
{
    const uint32_t number = s->number.data[slot];
    return number > of->first_body ? number - 1 : NO_BODY;
}

// Adds a tie to the list of its first body, or of the only one that moves. No tie leads out of the
// truss.
static void add_tie(const physics_world *world, truss_solver *s, const truss *of, truss_tie tie,
                    const uint32_t slots[2], uint32_t side)
{
    tie.a = number_in(s, of, slots[0]);
    tie.b = number_in(s, of, slots[1]);
    const uint32_t other = side == 0 ? tie.b : tie.a;
    if (other == NO_BODY ? !is_dynamic(world, slots[side ^ 1]) : side == 0) {
        array_push(&s->ties, tie);
    }
}

static void add_ties_of(physics_world *world, truss_solver *s, const truss *of, uint32_t slot)
{
    for (uint32_t key = world->bodies.data[slot].joints; key != NONE;) {
        const joint *j = &world->joints.data[key >> 1];
        if (joint_may_tie(world, key >> 1)) {
            add_tie(world, s, of, (truss_tie){.slot = key >> 1}, (uint32_t[]){j->body_a, j->body_b},
                    key & 1);
        }
        key = j->edges[key & 1].next;
    }
    array_clear(&s->ways);
    for (uint32_t key = world->bodies.data[slot].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        if (is_solved(c)) {
            array_push(&s->ways, key);
        }
        key = c->edges[key & 1].next;
    }
    s->ways.count = sort_slots(s->ways.data, s->ways.count);
    for (uint32_t i = 0; i < s->ways.count; i++) {
        const contact *c = &world->contacts.data[s->ways.data[i] >> 1];
        add_tie(world, s, of, (truss_tie){.slot = s->ways.data[i] >> 1, .touches = true},
                (uint32_t[]){c->body_a, c->body_b}, s->ways.data[i] & 1);
    }
    array_clear(&s->ways);
}

// ---- the matrix

static bool is_of_tree(const truss_solver *s, const truss_tie *tie)
{
    return tie->a == NO_BODY || tie->b == NO_BODY ||
           s->bodies.data[tie->a].parent == s->bodies.data[tie->b].slot ||
           s->bodies.data[tie->b].parent == s->bodies.data[tie->a].slot;
}

static bool lay_out_matrix(truss_solver *s, const truss *of, uint32_t work_max)
{
    array_clear(&s->pairs);
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        const uint32_t a = s->ties.data[i].a;
        const uint32_t b = s->ties.data[i].b;
        if (a != NO_BODY && b != NO_BODY) {
            array_push(&s->pairs, (a < b ? (item_pair){a, b} : (item_pair){b, a}));
        }
    }
    sort_pairs(&s->pairs, &s->sorted);
    return truss_matrix_lay_out(&s->matrix, of->end_body - of->first_body, &s->pairs, work_max);
}

// A truss with so many loops that solving it would take long is solved as a tree.
static void cut_loops(truss_solver *s, truss *of)
{
    uint32_t kept = of->first_tie;
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        if (is_of_tree(s, &s->ties.data[i])) {
            s->ties.data[kept++] = s->ties.data[i];
        }
    }
    s->ties.count = of->end_tie = kept;
}

static void find_cells(truss_solver *s, const truss *of)
{
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        truss_tie *tie = &s->ties.data[i];
        if (tie->a != NO_BODY && tie->b != NO_BODY) {
            tie->cell = tie->a < tie->b ? truss_matrix_cell(&s->matrix, tie->a, tie->b)
                                        : truss_matrix_cell(&s->matrix, tie->b, tie->a);
        }
    }
}

// ---- lent inertia

// Computes the masses on either side of each joint. A body comes after its children.
static void weigh(const physics_world *world, truss_solver *s, truss *of)
{
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        const truss_tie *tie = &s->ties.data[i];
        if (!tie->touches && (tie->a == NO_BODY || tie->b == NO_BODY)) {
            s->bodies.data[tie->a == NO_BODY ? tie->b : tie->a].anchored = true;
        }
    }
    of->mass = 0.0;
    of->anchors = 0;
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        truss_body *b = &s->bodies.data[i];
        const double mass = 1.0 / (double)world->motions.data[b->slot].inv_mass;
        of->mass += mass;
        of->anchors += b->anchored ? 1 : 0;
        b->branch_mass += mass;
        b->branch_anchors += b->anchored ? 1 : 0;
        if (b->parent != NONE) {
            truss_body *parent = &s->bodies.data[s->number.data[b->parent] - 1];
            parent->branch_mass += b->branch_mass;
            parent->branch_anchors += b->branch_anchors;
        }
    }
}

// The mass that a tie may carry: that of its lighter side; for a tie to a static body, the whole
// mass.
static double load_of(const truss_solver *s, const truss *of, const truss_tie *tie)
{
    if (tie->a == NO_BODY || tie->b == NO_BODY || !is_of_tree(s, tie)) {
        return of->mass;
    }
    const truss_body *branch = &s->bodies.data[tie->a < tie->b ? tie->a : tie->b];
    const double here = branch->branch_anchors > 0 ? of->mass : branch->branch_mass;
    const bool held = of->anchors > branch->branch_anchors;
    const double there = held ? of->mass : of->mass - branch->branch_mass;
    return here < there ? here : there;
}

static void ask_for(truss_solver *s, uint32_t number, double tension, vec2 arm, double length)
{
    if (number != NO_BODY) {
        const double reach = (double)vec2_length(arm);
        s->bodies.data[number].need +=
            tension * reach * (length > 0.0 ? 1.0 + reach / length : 1.0);
    }
}

static vec2 arm_to(const body_motion *m, vec2d anchor)
{
    const vec2 at = {(float)anchor.x, (float)anchor.y};
    return rot_vec(m->rotation, vec2_sub(at, m->local_center));
}

// Whether the joint is neither a spring nor a winch.
static bool is_stiff(const physics_world *world, const joint *j)
{
    const joint_settings *set = joint_settings_of(world, j);
    return !(set->hertz > 0.0f) && !(set->angular_hertz > 0.0f) &&
           (j->flags & JOINT_FLAG_MOTOR) == 0;
}

static void ask_by_tie(const physics_world *world, truss_solver *s, const truss *of, truss_tie *tie)
{
    const joint *j = &world->joints.data[tie->slot];
    if (tie->touches || (j->kind != JOINT_REVOLUTE && j->kind != JOINT_DISTANCE)) {
        tie->alone = !tie->touches && j->kind == JOINT_WELD && is_stiff(world, j);
        return;
    }
    const double h = (double)world->step.h;
    const double gravity = (double)float_max(vec2_length(world->step.gravity), GRAVITY_LEAST);
    const double tension = LENT_SHARE * h * h * gravity * load_of(s, of, tie);
    const vec2d apart = vec2d_sub(joint_anchor_b(world, j), joint_anchor_a(world, j));
    const double length =
        j->kind == JOINT_DISTANCE ? sqrt(apart.x * apart.x + apart.y * apart.y) : 0.0;
    tie->alone = length > LENGTH_LEAST && is_stiff(world, j);
    tie->inertia = tie->alone ? tension / length : 0.0;
    ask_for(s, tie->a, tension, arm_to(&world->motions.data[j->body_a], j->anchor_a), length);
    ask_for(s, tie->b, tension, arm_to(&world->motions.data[j->body_b], j->anchor_b), length);
}

static bool lend(physics_world *world, const truss_body *b)
{
    body_motion *m = &world->motions.data[b->slot];
    if ((world->bodies.data[b->slot].flags & BODY_MARKED) != 0 ||
        !(b->need * (double)m->inv_inertia > 1.0)) {
        return false;
    }
    array_push(&world->solver->lent, ((lent_mass){b->slot, m->inv_mass, m->inv_inertia}));
    m->inv_inertia = (float)(1.0 / b->need);
    return true;
}

static bool lend_to_bodies(physics_world *world, truss_solver *s, truss *of)
{
    weigh(world, s, of);
    for (uint32_t i = of->first_tie; i < of->end_tie; i++) {
        ask_by_tie(world, s, of, &s->ties.data[i]);
    }
    bool any = false;
    for (uint32_t i = of->first_body; i < of->end_body; i++) {
        any |= lend(world, &s->bodies.data[i]);
    }
    return any;
}

// ---- all

static bool add_truss(physics_world *world, truss_solver *s, uint32_t seed)
{
    truss of = {.first_body = s->bodies.count, .first_tie = s->ties.count};
    walk_from(world, s, seed);
    of.end_body = s->bodies.count;
    for (uint32_t i = of.first_body; i < of.end_body; i++) {
        add_ties_of(world, s, &of, s->bodies.data[i].slot);
    }
    of.end_tie = s->ties.count;
    if (!lay_out_matrix(s, &of, TRUSS_WORK_MAX)) {
        cut_loops(s, &of);
        (void)lay_out_matrix(s, &of, UINT32_MAX);
    }
    find_cells(s, &of);
    const bool lent = lend_to_bodies(world, s, &of);
    array_push(&s->trusses, of);
    return lent;
}

bool trusses_find(physics_world *world)
{
    const solver_scratch *scratch = world->solver;
    const bool any = scratch->joint_solver->seeds.count > 0 || scratch->uneven.count > 0;
    if (!any && scratch->truss_solver == NULL) {
        return false;
    }
    truss_solver *s = solver_of(world);
    array_clear(&s->trusses);
    array_clear(&s->seeds);
    find_seeds(world, s);
    if (s->seeds.count == 0) {
        return false;
    }
    array_clear(&s->bodies);
    array_clear(&s->ties);
    truss_matrix_clear(&s->matrix);
    array_reserve(&s->number, world->bodies.count);
    bool lent = false;
    for (uint32_t i = 0; i < s->seeds.count; i++) {
        const uint32_t seed = s->seeds.data[i];
        if (is_dynamic(world, seed) && s->number.data[seed] == 0) {
            lent |= add_truss(world, s, seed);
        }
    }
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        s->number.data[s->bodies.data[i].slot] = 0;
    }
    return lent;
}

void trusses_free(truss_solver *solver)
{
    if (solver != NULL) {
        array_free(&solver->trusses);
        array_free(&solver->bodies);
        array_free(&solver->ties);
        array_free(&solver->changes);
        array_free(&solver->rests);
        array_free(&solver->seeds);
        array_free(&solver->number);
        array_free(&solver->walk);
        array_free(&solver->ways);
        array_free(&solver->pairs);
        array_free(&solver->sorted);
        truss_matrix_free(&solver->matrix);
        free(solver);
    }
}
