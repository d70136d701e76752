// The solver: velocities and changes of pose over a step, in sub-steps.
//
// Each sub-step: points that close fast rebound, by the law of impact; forces change velocities;
// the last impulses are applied again (warm starting, which after the first sub-step mostly happens
// together with the forces, see integrate.c); joints and contacts are solved as soft constraints;
// poses are updated; the same constraints are relaxed without their push. Within a sweep joints
// come before contacts, colour by colour; constraints without a colour come first. After each sweep
// joints under heavy loads are solved together (truss/truss.h).
#include "common/physics/state/joints/joints.h"
#include "common/physics/step/solver/joint_phases.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/integrate.h"
#include "common/physics/step/solver/truss/truss.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <string.h>

// Elements that make a range worth handing to another thread: some microseconds of work.
#define GRAIN_FILLED  8u
#define GRAIN_SWEPT   64u
#define GRAIN_IMPACTS 64u // cheap: most impacts are only tested, not solved

// With fewer groups, one thread solves all: half a millisecond's work. The same applies to the
// groups of a colour, since each colour is a separate round, in which threads wait for each other
// and read bodies that another thread has just written.
#define GROUPS_DIVIDED   1024u
#define GROUPS_OF_COLOUR 128u

// The colours in the order of solving: constraints without a colour first, contacts with static
// bodies last. Of the pairs of moving bodies, those solved later have more influence; if the order
// were always the same, a pile would lean their way (the top of the pyramid of 5050 boxes by half a
// metre while it settles, instead of 3 cm). So the order is reversed in the earlier sub-steps.
static uint32_t colour_at(uint32_t i, bool backward)
{
    if (i == 0) {
        return COLOUR_OVERFLOW;
    }
    return backward && i <= COLOURS_DYNAMIC ? COLOURS_DYNAMIC - i : i - 1;
}

static void sweep_contacts(physics_world *world, uint32_t first, uint32_t end, solver_pass pass)
{
    const contact_kernels *kernels = world->solver->kernels;
    body_state *states = world->states.data;
    switch (pass) {
    case PASS_WARM_START:
        kernels->warm_start(&world->solver->groups, first, end, states);
        break;
    case PASS_WARM_AGAIN: // already applied to the bodies, see integrate.c
        break;
    case PASS_SOLVE:
        kernels->solve(&world->solver->groups, first, end, states, &world->step);
        break;
    case PASS_SETTLE:
    case PASS_SETTLE_MORE:
        kernels->settle(&world->solver->groups, first, end, states, &world->step,
                        pass == PASS_SETTLE_MORE);
        break;
    case PASS_RELAX:
        kernels->relax(&world->solver->groups, first, end, states, &world->step);
        break;
    }
}

static uint32_t groups_of_contacts(const physics_world *world, uint32_t colour)
{
    return world->solver->groups.first[colour + 1] - world->solver->groups.first[colour];
}

// The part of a colour's groups that corresponds to a range of shares.
static span share_of_groups(const physics_world *world, uint32_t colour, uint32_t first,
                            uint32_t end)
{
    uint32_t begin = world->solver->groups.first[colour];
    span share = share_of(groups_of_contacts(world, colour), first, end);
    return (span){begin + share.first, begin + share.end};
}

typedef struct colour_pass {
    uint32_t colour;
    solver_pass pass;
} colour_pass;

// Sweeps shares of a colour's joints and contacts. No constraint writes to a body that another one
// of the same colour reads.
static void sweep_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    const colour_pass *s = context;
    if (s->pass != PASS_SETTLE && s->pass != PASS_SETTLE_MORE) {
        joints_sweep(world, s->colour, s->pass, first, end);
    }
    span part = share_of_groups(world, s->colour, first, end);
    sweep_contacts(world, part.first, part.end, s->pass);
}

static void run_pass(physics_world *world, solver_pass pass, bool backward)
{
    for (uint32_t i = 0; i <= COLOURS; i++) {
        colour_pass s = {colour_at(i, backward), pass};
        uint32_t count = pass == PASS_WARM_AGAIN
                             ? joints_alone(world, s.colour)
                             : joints_groups(world, s.colour) + groups_of_contacts(world, s.colour);
        if (s.colour == COLOUR_OVERFLOW) { // one by one, in order
            sweep_range(world, 0, SHARES, &s);
        } else if (count > 0) {
            run_plain_shares(&world->parallel, count, GRAIN_SWEPT, sweep_range, &s);
        }
    }
}

typedef struct colour_impacts {
    uint32_t colour;
    impact_pass pass;
} colour_impacts;

// Sweeps impacts of a share of a colour's groups. A non-empty list of the partial means that there
// was an impact.
static void impact_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                         const void *context)
{
    const colour_impacts *b = context;
    span part = share_of_groups(world, b->colour, first, end);
    if (world->solver->kernels->impact(&world->solver->groups, part.first, part.end,
                                       world->states.data, &world->step, &b->pass)) {
        array_push(&found->lists[0], first);
    }
}

static bool sweep_impacts_of_colour(physics_world *world, uint32_t colour, impact_pass pass)
{
    uint32_t count = groups_of_contacts(world, colour);
    if (count == 0) {
        return false;
    }
    const colour_impacts b = {colour, pass};
    uint32_t partials = 1;
    if (colour == COLOUR_OVERFLOW) { // one by one, in order
        array_clear(&world->parallel.partials[0].lists[0]);
        impact_range(world, 0, SHARES, &world->parallel.partials[0], &b);
    } else {
        partials = run_shares(&world->parallel, count, GRAIN_IMPACTS, impact_range, &b);
    }
    bool any = false;
    for (uint32_t i = 0; i < partials; i++) {
        any = any || world->parallel.partials[i].lists[0].count > 0;
    }
    return any;
}

static bool sweep_impacts(physics_world *world, impact_phase phase, impact_pass pass)
{
    pass.phase = phase;
    bool any = false;
    for (uint32_t k = 0; k <= COLOURS; k++) {
        any |= sweep_impacts_of_colour(world, colour_at(k, false), pass);
    }
    return any;
}

static bool any_may_rebound(const physics_world *world)
{
    const uint32_t total = world->solver->groups.first[COLOURS + 1];
    return world->solver->groups.surfaces != NULL &&
           memchr(world->solver->groups.impacts, IMPACTS_POSSIBLE, total) != NULL;
}

enum { IMPACT_WORK_OF_ROUND = 3 }; // sweeps of every round: to find, to solve and to end
enum { GROUPS_OF_ROW = 8 };        // groups that a sweep visits in the time of a joint's row

// Counts the contacts with a due impact. (Not their groups: which contacts share a group follows
// from the order of a list, and no result may depend on that.)
static uint32_t count_due(const physics_world *world)
{
    const contact_groups *groups = &world->solver->groups;
    uint32_t count = 0;
    for (uint32_t i = 0; i < groups->first[COLOURS + 1]; i++) {
        count += (uint32_t)__builtin_popcount(contact_lanes_due(groups, i));
    }
    return count;
}

// Sweeps over the impacts of a moment until nothing changes, once at least. Returns the number of
// sweeps. *left is the remaining work of the sub-step, in contacts: without that limit, a heap of
// thousands that all hit each other at once would keep every sweep of every round busy.
static int solve_moment(physics_world *world, impact_pass pass, int most, uint32_t due,
                        uint32_t *left)
{
    int sweeps = 0;
    while (sweeps++ < most && sweep_impacts(world, IMPACT_SOLVE, pass) && *left > due) {
        *left -= due;
    }
    return sweeps;
}

// The same if joints bear the impacts too, which takes more sweeps. *left is the remaining work of
// the sub-step, in rows: joints that contradict each other never converge. Counts as one sweep,
// however many it makes, so that an impact may travel on.
static int solve_braced(physics_world *world, impact_pass pass, uint32_t *left)
{
    const uint32_t groups = world->solver->groups.first[COLOURS + 1];
    const uint32_t cost = world->solver->rows.count + groups / GROUPS_OF_ROW;
    for (int i = 0; i < IMPACT_SWEEPS_BRACED; i++) {
        const bool changed = sweep_impacts(world, IMPACT_SOLVE, pass);
        if ((!impact_joints_sweep(world) && !changed) || *left < cost) {
            break;
        }
        *left -= cost;
    }
    impact_joints_end(world, pass.struck, (uint8_t)(pass.round + 1));
    return 1;
}

// Impacts come first and travel through all touching bodies. In a heap with little restitution this
// would take long and change little: after a few rounds only those count that rebound faster than
// the threshold, and the sub-step stops the others (compare Guendelman, Bridson, Fedkiw 2003, who
// order collisions before contacts too).
static void solve_impacts(physics_world *world, bool again)
{
    impact_pass pass = {0};
    if (!sweep_impacts(world, IMPACT_FIND, pass)) {
        return;
    }
    array_reserve(&world->solver->struck, world->bodies.count);
    memset(world->solver->struck.data, 0, world->bodies.count);
    pass.struck = world->solver->struck.data;
    if (again) {
        integrate_note_velocities(world);
    }
    const int rounds = world->step.lively ? IMPACT_ROUNDS_MAX : IMPACT_ROUNDS_DULL;
    const int most = world->step.lively ? IMPACT_SWEEPS_OF_ROUND : 1;
    uint32_t left_braced = IMPACT_ROWS_BRACED;
    uint32_t left = IMPACT_WORK_MAX;
    uint32_t work = 0;
    int sweeps = 0;
    do {
        const uint32_t due = count_due(world);
        const int swept = impact_joints_find(world) ? solve_braced(world, pass, &left_braced)
                                                    : solve_moment(world, pass, most, due, &left);
        sweep_impacts(world, IMPACT_END, pass);
        sweeps += swept;
        work += ((uint32_t)swept + IMPACT_WORK_OF_ROUND - 1) * due;
        left -= IMPACT_WORK_OF_ROUND * due < left ? IMPACT_WORK_OF_ROUND * due : left;
        pass.round++;
    } while (pass.round < rounds && sweeps < IMPACT_SWEEPS_MAX && left > 0 &&
             sweep_impacts(world, IMPACT_FIND, pass));
    if (work > world->solver->impact_work) {
        world->solver->impact_work = work;
    }
    if (again) {
        integrate_leave_out(world);
    }
}

uint32_t most_impact_work(const physics_world *world)
{
    return world->solver->impact_work;
}

// Filling and storing process patches of so many groups in all colours: neighbours in the lists are
// mostly neighbours in memory, so bodies and contacts are used again while they are in the caches.
#define GROUPS_PATCH 1024u

// The end of the patch of shares that begins at `from`.
static uint32_t patch_end(const physics_world *world, uint32_t from, uint32_t end)
{
    uint32_t patches = 1 + world->solver->groups.first[COLOURS + 1] / GROUPS_PATCH;
    uint32_t size = SHARES / patches + 1;
    return end - from > size ? from + size : end;
}

static void prepare_range(physics_world *world, uint32_t first, uint32_t end, const void *context)
{
    (void)context;
    for (uint32_t at = first; at < end; at = patch_end(world, at, end)) {
        for (uint32_t colour = 0; colour <= COLOURS; colour++) {
            span part = share_of_groups(world, colour, at, patch_end(world, at, end));
            contact_lanes_prepare(world, part.first, part.end);
        }
    }
}

enum { BEGAN, ENDED }; // lists of a partial

static void store_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                        const void *context)
{
    (void)context;
    for (uint32_t at = first; at < end; at = patch_end(world, at, end)) {
        for (uint32_t colour = 0; colour <= COLOURS; colour++) {
            span part = share_of_groups(world, colour, at, patch_end(world, at, end));
            contact_lanes_store(world, part.first, part.end, &found->lists[BEGAN],
                                &found->lists[ENDED]);
        }
    }
}

// Whether there is enough work in sweeps for several threads. If not, one thread does all of it,
// also filling lanes and moving bodies: moving data from another processor's cache costs more than
// that work.
static bool is_worth_dividing(const physics_world *world)
{
    uint32_t count = 0;
    uint32_t colours = 0;
    for (uint32_t colour = 0; colour < COLOUR_OVERFLOW; colour++) {
        uint32_t own = world->graph[colour].contacts.count + graph_joint_count(world, colour);
        count += own;
        colours += own > 0;
    }
    uint32_t groups = count / LANES;
    return groups >= GROUPS_DIVIDED && groups >= colours * GROUPS_OF_COLOUR;
}

// Additional sweeps over contacts of thin bodies, which hardly yield, so that a load travels
// through them more slowly: the first number lets stacks of them come to rest, the second lets
// houses of cards stand.
enum { SETTLE_SWEEPS = 2, SETTLE_SWEEPS_MORE = 4 };

static bool is_uneven(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    return masses_are_uneven(world->motions.data[c->body_a].inv_mass,
                             world->motions.data[c->body_b].inv_mass);
}

// Finds contacts in which one body is far heavier than the other, and not those that only share a
// group with one: which do follows from the order of a list. Returns the features of all groups.
static uint32_t find_uneven(physics_world *world)
{
    uint32_t all = 0;
    const contact_groups *groups = &world->solver->groups;
    array_clear(&world->solver->uneven);
    for (uint32_t colour = 0; colour <= COLOURS; colour++) {
        const graph_colour *of = &world->graph[colour];
        const uint32_t each = colour == COLOUR_OVERFLOW ? 1 : LANES;
        for (uint32_t g = groups->first[colour]; g < groups->first[colour + 1]; g++) {
            const uint8_t *features = groups->marks[g].features;
            all |= features[0] | features[1];
            if (((features[0] | features[1]) & LANES_UNEVEN) == 0) {
                continue;
            }
            const uint32_t from = (g - groups->first[colour]) * each;
            for (uint32_t i = from; i < from + each && i < of->contacts.count; i++) {
                if (is_uneven(world, of->contacts.data[i])) {
                    array_push(&world->solver->uneven, of->contacts.data[i]);
                }
            }
        }
    }
    return all;
}

static void settle_thin_bodies(physics_world *world, bool backward)
{
    for (int k = 0; k < SETTLE_SWEEPS + SETTLE_SWEEPS_MORE; k++) {
        run_pass(world, k < SETTLE_SWEEPS_MORE ? PASS_SETTLE_MORE : PASS_SETTLE,
                 (k & 1) == 0 ? backward : !backward);
    }
}

static void solve_held(physics_world *world)
{
    uint32_t groups = world->solver->groups.first[COLOURS + 1];
    run_plain_shares(&world->parallel, groups, GRAIN_FILLED, prepare_range, NULL);
    const bool thin = (find_uneven(world) & LANES_THIN) != 0;
    bool lent = lend_masses(world, world->solver->uneven.data, world->solver->uneven.count);
    if (trusses_find(world)) {
        joints_prepare(world);
        lent = true;
    }
    if (lent) {
        run_plain_shares(&world->parallel, groups, GRAIN_FILLED, prepare_range, NULL);
    }
    trusses_place(world);
    const bool rebounds = any_may_rebound(world);
    for (int i = 0; i < world->step.substeps; i++) {
        bool backward = i < world->step.substeps / 2;
        if (rebounds && (i == 0 || world->step.lively)) {
            solve_impacts(world, i > 0);
        }
        integrate_velocities(world, i > 0);
        trusses_begin(world);
        run_pass(world, i == 0 ? PASS_WARM_START : PASS_WARM_AGAIN, backward);
        run_pass(world, PASS_SOLVE, backward);
        trusses_solve(world, true);
        integrate_positions(world);
        if (thin) {
            settle_thin_bodies(world, backward);
        }
        run_pass(world, PASS_RELAX, backward);
        trusses_solve(world, false);
    }
    return_masses(world);
    joints_store(world);
    impact_joints_report(world);
    uint32_t partials = run_shares(&world->parallel, groups, GRAIN_FILLED, store_range, NULL);
    partials_gather(&world->parallel, partials, BEGAN, &world->solver->began);
    partials_gather(&world->parallel, partials, ENDED, &world->solver->ended);
}

void solve_constraints(physics_world *world)
{
    const bool moves = world->awake_bodies.count > 0; // a sleeping world costs almost nothing
    world->solver->impact_work = 0;
    if (moves) {
        integrate_free(world);
    }
    world->parallel.undivided = !is_worth_dividing(world);
    joints_prepare(world);
    contact_lanes_layout(world);
    if (moves) {
        solve_held(world);
    }
    world->parallel.undivided = false;
}
