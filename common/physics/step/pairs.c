// Finding pairs: what overlaps with a fat box that is new. The trees are walked against each other,
// and only where something is new; what is found is sorted by slots before contacts are made, so
// that their slots do not depend on the shape of a tree.
//
// Bodies that come together by themselves may make more pairs than memory holds, wanted or not.
// Lists are cut while they are found, to the lowest pairs that there is room for as contacts: which
// those are does not depend on the order either. Nor does their number: where it is beyond
// PHYSICS_MEETINGS_MAX, the walk ends early and all of them are dropped, for a step has to end.
#include <stdatomic.h>

#include "common/physics/parallel/sort.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

// Keeps of the pairs those that become contacts, the lower slot first.
static void choose_pairs(const physics_world *world, item_pairs *found)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        item_pair p = found->data[i];
        if (contact_wanted(world, p.a, p.b) && !pair_set_has(&world->pairs, p.a, p.b)) {
            found->data[kept++] = p.a < p.b ? p : (item_pair){p.b, p.a};
        }
    }
    found->count = kept;
}

typedef struct finding {
    const physics_world *world;
    uint64_t cut; // pairs that are no longer in the list
} finding;

static bool cut_pairs(void *context, item_pairs *found)
{
    finding *f = context;
    const uint32_t before = found->count;
    choose_pairs(f->world, found);
    keep_lowest_pairs(found, contact_room(f->world));
    f->cut += before - found->count;
    return f->cut <= f->world->meetings_max;
}

static pair_list list_of(finding *f, item_pairs *found)
{
    return (pair_list){found, contact_pairs_max(f->world), cut_pairs, f};
}

// Ends a finding: how many pairs it came upon, if it ended in time.
static uint64_t choose_found(const finding *f, item_pairs *found)
{
    const uint64_t all = f->cut + found->count;
    choose_pairs(f->world, found);
    return all;
}

// Walks all trees against each other but the static one against itself. Returns how many pairs were
// found.
static uint64_t walk_trees(physics_world *world)
{
    const tree *trees = world->broad.trees;
    finding f = {world, 0};
    const pair_list found = list_of(&f, &world->scratch->found);
    for (int i = BODY_KINEMATIC; i < BROAD_TREES; i++) {
        for (int k = BODY_STATIC; k <= i; k++) {
            tree_new_pairs(&trees[i], &trees[k], &found);
        }
    }
    return choose_found(&f, found.pairs);
}

// A part of the walk of one tree against another.
typedef struct walk_part {
    tree_task task;
    uint8_t a, b; // trees
} walk_part;

typedef struct walk_work {
    const walk_part *parts;
    _Atomic uint64_t *found; // pairs, in all
} walk_work;

enum { WORTH_DIVIDING = 32 }; // new boxes
enum { WALKS = 5, WALK_PARTS_MAX = WALKS * TREE_TASKS_MIN };

static void walk_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                       const void *context)
{
    const walk_work *work = context;
    const walk_part *parts = work->parts;
    const tree *trees = world->broad.trees;
    finding f = {world, 0};
    item_pairs *pairs = &world->scratch->found_in[found - world->parallel.partials];
    const pair_list list = list_of(&f, pairs);
    array_clear(pairs);
    for (uint32_t i = first; i < end; i++) {
        tree_do_task(&trees[parts[i].a], &trees[parts[i].b], parts[i].task, &list);
    }
    atomic_fetch_add_explicit(work->found, choose_found(&f, pairs), memory_order_relaxed);
}

// The same as walk_trees(), on several threads.
static uint64_t walk_in_parts(physics_world *world)
{
    const tree *trees = world->broad.trees;
    finding f = {world, 0};
    const pair_list found = list_of(&f, &world->scratch->found);
    walk_part parts[WALK_PARTS_MAX];
    uint32_t count = 0;
    for (int i = BODY_KINEMATIC; i < BROAD_TREES; i++) {
        for (int k = BODY_STATIC; k <= i; k++) {
            tree_task tasks[TREE_TASKS_MIN];
            uint32_t more = tree_divide(&trees[i], &trees[k], tasks, TREE_TASKS_MIN, &found);
            for (uint32_t t = 0; t < more; t++) {
                parts[count++] = (walk_part){tasks[t], (uint8_t)i, (uint8_t)k};
            }
        }
    }
    _Atomic uint64_t all = choose_found(&f, found.pairs);
    const walk_work work = {parts, &all};
    uint32_t partials = run_ranges(&world->parallel, count, 1, walk_range, &work);
    for (uint32_t i = 0; i < partials; i++) {
        const item_pairs *from = &world->scratch->found_in[i];
        for (uint32_t k = 0; k < from->count; k++) {
            array_push(found.pairs, from->data[k]);
        }
        if (found.pairs->count >= found.most) {
            cut_pairs(&f, found.pairs);
        }
    }
    return all;
}

// A new pair of which neither body is awake (something was put beside a sleeper) wakes the sleeper.
// A sensor wakes nobody: narrow_phase.c looks at its pairs as the bodies lie.
static void wake_sleeper(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    uint32_t a = c->body_a;
    uint32_t b = c->body_b;
    if ((c->flags & CONTACT_SENSOR) != 0 || world->bodies.data[a].awake_index != 0 ||
        world->bodies.data[b].awake_index != 0 ||
        (world->bodies.data[a].sleep_set != 0 && world->bodies.data[b].sleep_set != 0)) {
        return;
    }
    body_wake(world, a);
    body_wake(world, b);
}

// ---- after the walk: what has nothing to do with each other

static void refresh_trees(physics_world *world)
{
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_refresh(&world->broad.trees[i]);
    }
    tree_refresh(&world->broad.sensors);
}

enum { AHEAD = 8 }; // shapes: of a large world, most lie beyond the caches

// Boxes are new no more. Their bodies note it, for narrow_phase.c ends what has parted.
static void take_enlarged(physics_world *world)
{
    const uint32_t count = world->enlarged.count;
    const uint32_t *slots = world->enlarged.data;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 2 * AHEAD < count) {
            __builtin_prefetch(&world->shapes.data[slots[i + 2 * AHEAD]], 1);
            __builtin_prefetch(&world->motions.data[world->shapes.data[slots[i + AHEAD]].body], 1);
        }
        shape *s = &world->shapes.data[slots[i]];
        s->flags &= (uint8_t)~SHAPE_ENLARGED;
        world->motions.data[s->body].box_renewed = true;
    }
}

static void sort_found(physics_world *world)
{
    sort_pairs(&world->scratch->found, &world->scratch->found_in[0]);
}

static void (*const AFTER_WALK[])(physics_world *) = {refresh_trees, take_enlarged, sort_found};
enum { AFTER_WALK_COUNT = sizeof AFTER_WALK / sizeof *AFTER_WALK };

static void do_after_walk(void *context, uint32_t index)
{
    AFTER_WALK[index](context);
}

static void make_contacts(physics_world *world)
{
    for (uint32_t i = 0; i < world->scratch->found.count && contact_room(world) > 0; i++) {
        uint32_t slot =
            contact_create(world, world->scratch->found.data[i].a, world->scratch->found.data[i].b);
        wake_sleeper(world, slot);
    }
}

void find_pairs(physics_world *world)
{
    uint64_t found = 0;
    array_clear(&world->scratch->found);
    if (world->parallel.runner.threads > 1 &&
        (world->parallel.runner.eager || world->enlarged.count >= WORTH_DIVIDING)) {
        found = walk_in_parts(world);
        world->parallel.runner.run(world->parallel.runner.pool, do_after_walk, world,
                                   AFTER_WALK_COUNT);
    } else {
        found = walk_trees(world);
        for (uint32_t i = 0; i < AFTER_WALK_COUNT; i++) {
            AFTER_WALK[i](world);
        }
    }
    if (found <= world->meetings_max) {
        make_contacts(world);
    }
}
