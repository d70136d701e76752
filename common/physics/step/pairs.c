// Finds pairs: shapes whose boxes overlap a new fat box. The trees are walked against each other,
// only where a box is new; found pairs are sorted by slots before contacts are made, so that the
// contacts' slots do not depend on the shape of a tree.
//
// Bodies may gather and make more pairs than memory has room for. Lists are cut during the walk to
// the pairs that there is room for as contacts (pair_room.h); the choice does not depend on the
// order. Neither does the result beyond PHYSICS_MEETINGS_MAX pairs: the walk then ends early, to
// bound the step's time, and all pairs of two dynamic bodies are dropped. Pairs with a static or
// kinematic body are dropped only if they alone are too many, so that a crowd stays within its
// walls.
#include <stdatomic.h>

#include "common/physics/parallel/sort.h"
#include "common/physics/step/pair_room.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

// Keeps the pairs that become contacts, each with the lower slot first.
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
    uint64_t cut; // total of pairs that were cut from the list
} finding;

static bool cut_pairs(void *context, item_pairs *found)
{
    finding *f = context;
    const uint32_t before = found->count;
    choose_pairs(f->world, found);
    keep_pairs_with_room(f->world, found);
    f->cut += before - found->count;
    return f->cut <= f->world->meetings_max;
}

static pair_list list_of(finding *f, item_pairs *found)
{
    return (pair_list){found, contact_pairs_max(f->world), cut_pairs, f};
}

// Ends a search in a list that had `before` pairs when it began: returns how many it found, if it
// ended in time.
static uint64_t end_finding(finding *f, item_pairs *found, uint32_t before)
{
    cut_pairs(f, found);
    return f->cut + found->count - before;
}

// Only one walk can find two dynamic bodies: that of their tree against itself. It comes last, and
// its pairs are counted separately.
enum { STANDING, MOVING, WALK_CLASSES };

static int class_of(int of)
{
    return of == BODY_DYNAMIC ? MOVING : STANDING;
}

// Walks all trees against each other, except the static one against itself. met[class]: how many
// pairs were found.
static void walk_trees(physics_world *world, uint64_t met[WALK_CLASSES])
{
    const tree *trees = world->broad.trees;
    for (int class = STANDING; class < WALK_CLASSES; class ++) {
        finding f = {world, 0};
        const pair_list found = list_of(&f, &world->scratch->found);
        const uint32_t before = found.pairs->count;
        for (int i = BODY_KINEMATIC; i < BROAD_TREES; i++) {
            for (int k = BODY_STATIC; k <= i; k++) {
                if (class_of(k) == class) {
                    tree_new_pairs(&trees[i], &trees[k], &found);
                }
            }
        }
        met[class] = end_finding(&f, found.pairs, before);
    }
}

// A part of the walk of one tree against another.
typedef struct walk_part {
    tree_task task;
    uint8_t a, b; // trees
} walk_part;

typedef struct walk_work {
    const walk_part *parts;
    _Atomic uint64_t *met; // total pairs of each class
} walk_work;

enum { WORTH_DIVIDING = 32 }; // least number of new boxes
enum { WALKS = 5, WALK_PARTS_MAX = WALKS * TREE_TASKS_MIN };

static void walk_range(physics_world *world, uint32_t first, uint32_t end, partial *found,
                       const void *context)
{
    const walk_work *work = context;
    const walk_part *parts = work->parts;
    const tree *trees = world->broad.trees;
    item_pairs *pairs = &world->scratch->found_in[found - world->parallel.partials];
    array_clear(pairs);
    for (uint32_t i = first; i < end;) {
        const int class = class_of(parts[i].b);
        finding f = {world, 0};
        const pair_list list = list_of(&f, pairs);
        const uint32_t before = pairs->count;
        for (; i < end && class_of(parts[i].b) == class; i++) {
            tree_do_task(&trees[parts[i].a], &trees[parts[i].b], parts[i].task, &list);
        }
        atomic_fetch_add_explicit(&work->met[class], end_finding(&f, pairs, before),
                                  memory_order_relaxed);
    }
}

// Splits the walks of a class into parts. Returns how many pairs it found on the way.
static uint64_t divide_walks(physics_world *world, int class, walk_part *parts, uint32_t *count)
{
    const tree *trees = world->broad.trees;
    finding f = {world, 0};
    const pair_list found = list_of(&f, &world->scratch->found);
    const uint32_t before = found.pairs->count;
    for (int i = BODY_KINEMATIC; i < BROAD_TREES; i++) {
        for (int k = BODY_STATIC; k <= i; k++) {
            tree_task tasks[TREE_TASKS_MIN];
            const uint32_t more = class_of(k) == class ? tree_divide(&trees[i], &trees[k], tasks,
                                                                     TREE_TASKS_MIN, &found)
                                                       : 0;
            for (uint32_t t = 0; t < more; t++) {
                parts[(*count)++] = (walk_part){tasks[t], (uint8_t)i, (uint8_t)k};
            }
        }
    }
    return end_finding(&f, found.pairs, before);
}

static void gather_found(physics_world *world, uint32_t partials)
{
    item_pairs *found = &world->scratch->found;
    for (uint32_t i = 0; i < partials; i++) {
        const item_pairs *from = &world->scratch->found_in[i];
        for (uint32_t k = 0; k < from->count; k++) {
            array_push(found, from->data[k]);
        }
        keep_pairs_with_room(world, found);
    }
}

// The same as walk_trees(), on several threads.
static void walk_in_parts(physics_world *world, uint64_t met[WALK_CLASSES])
{
    walk_part parts[WALK_PARTS_MAX];
    uint32_t count = 0;
    _Atomic uint64_t all[WALK_CLASSES];
    for (int class = STANDING; class < WALK_CLASSES; class ++) {
        atomic_init(&all[class], divide_walks(world, class, parts, &count));
    }
    const walk_work work = {parts, all};
    gather_found(world, run_ranges(&world->parallel, count, 1, walk_range, &work));
    for (int class = STANDING; class < WALK_CLASSES; class ++) {
        met[class] = atomic_load_explicit(&all[class], memory_order_relaxed);
    }
}

// A new pair of which neither body is awake (something was placed beside a sleeping body) wakes the
// sleeping body. A sensor wakes nobody: narrow_phase.c tests its pairs in their current poses.
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

// ---- after the walk: independent tasks

static void refresh_trees(physics_world *world)
{
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_refresh(&world->broad.trees[i]);
    }
    tree_refresh(&world->broad.sensors);
}

enum { AHEAD = 8 }; // shapes: in a large world, most are not in the caches

// Marks boxes as known. Their bodies keep a mark, since narrow_phase.c ends the contacts of pairs
// that no longer overlap.
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
    for (uint32_t i = 0; i < world->scratch->found.count; i++) {
        uint32_t slot =
            contact_create(world, world->scratch->found.data[i].a, world->scratch->found.data[i].b);
        wake_sleeper(world, slot);
    }
}

// If there are more pairs than a step handles, the pairs found depend on the order of the walk, so
// they are dropped.
static void drop_uncounted(physics_world *world, const uint64_t met[WALK_CLASSES])
{
    item_pairs *found = &world->scratch->found;
    const uint64_t most = world->meetings_max;
    if (met[STANDING] > most) {
        array_clear(found);
    } else if (met[STANDING] + met[MOVING] > most) {
        keep_standing_pairs(world, found);
    }
}

void find_pairs(physics_world *world)
{
    uint64_t met[WALK_CLASSES];
    const bool divided = world->parallel.runner.threads > 1 &&
                         (world->parallel.runner.eager || world->enlarged.count >= WORTH_DIVIDING);
    array_clear(&world->scratch->found);
    if (divided) {
        walk_in_parts(world, met);
    } else {
        walk_trees(world, met);
    }
    drop_uncounted(world, met);
    if (divided) {
        world->parallel.runner.run(world->parallel.runner.pool, do_after_walk, world,
                                   AFTER_WALK_COUNT);
    } else {
        for (uint32_t i = 0; i < AFTER_WALK_COUNT; i++) {
            AFTER_WALK[i](world);
        }
    }
    make_contacts(world);
}
