// The walks of a tree against a box, of two trees against each other and of one against itself.
// This file is compiled once for each width of vectors (see wide.h).
//
// A task is some lanes of a node against a whole node: each lane's box is compared with the eight
// of the other at once. Where new lanes overlap, two leaves give a pair, and other combinations
// give further tasks.
#include "common/physics/lanes/lanes_kernel.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/physics/state/broad_phase/tree.h"

enum {
    WALK_PUSHES_MAX = LANES + LANES * LANES, // most pushes of one task
    // enough for the tasks that are left on each level of a descent
    WALK_TASKS_MAX = 24 * WALK_PUSHES_MAX
};

typedef struct walk {
    const tree *trees[2];
    tree_task *tasks;
    uint32_t count;
    const pair_list *found;
    bool ended; // ended early
} walk;

// A bit for each of eight boxes that overlaps one box, whose sides are spread over all lanes.
INLINE uint32_t overlapping_sides(const wide_box *boxes, lanes lower_x, lanes lower_y,
                                  lanes upper_x, lanes upper_y)
{
    uint32_t overlapping = 0;
    for (int part = 0; part < PARTS; part++) {
        const lanes *box_lower_x = const_part_of(&boxes->lower_x, part);
        const lanes *box_lower_y = const_part_of(&boxes->lower_y, part);
        const lanes *box_upper_x = const_part_of(&boxes->upper_x, part);
        const lanes *box_upper_y = const_part_of(&boxes->upper_y, part);
        uint32_t those = signs_of((*box_lower_x <= upper_x) & (lower_x <= *box_upper_x) &
                                  (*box_lower_y <= upper_y) & (lower_y <= *box_upper_y));
        overlapping |= those << part * PART_LANES;
    }
    return overlapping;
}

// The same for one lane of another eight boxes.
INLINE uint32_t overlapping(const wide_box *boxes, const wide_box *with, uint32_t lane)
{
    return overlapping_sides(boxes, splat(with->lower_x[lane]), splat(with->lower_y[lane]),
                             splat(with->upper_x[lane]), splat(with->upper_y[lane]));
}

// The lanes of `among` whose negative group is that one.
INLINE uint32_t kin_of(const tree *t, const tree_node *node, uint32_t among, int32_t group)
{
    uint32_t kin = 0;
    for (uint32_t left = group != 0 ? among : 0; left != 0; left &= left - 1) {
        uint32_t lane = lowest_lane(left);
        kin |= (uint32_t)(tree_lane_group(t, node, lane) == group) << lane;
    }
    return kin;
}

INLINE void push(walk *w, uint32_t a, uint32_t b, uint32_t lanes_of_a, bool exchanged)
{
    w->tasks[w->count++] = (tree_task){a, b, (uint8_t)lanes_of_a, exchanged};
}

// Tests a lane of node `a` against the lanes `among` of node `b`.
INLINE void meet(walk *w, const tree_task *task, const tree_node *a, const tree_node *b,
                 uint32_t lane, uint32_t among)
{
    uint32_t fresh = (a->fresh >> lane & 1) != 0 ? among : among & b->fresh;
    uint32_t hit = fresh & overlapping(&b->box, &a->box, lane);
    if (hit == 0) {
        return;
    }
    const tree *ta = w->trees[task->exchanged];
    const tree *tb = w->trees[!task->exchanged];
    hit &= ~kin_of(tb, b, hit, tree_lane_group(ta, a, lane));
    uint32_t child = a->child[lane];
    uint32_t leaves = hit & b->leaves;
    uint32_t nodes = hit & ~leaves;
    if ((a->leaves >> lane & 1) != 0) {
        if (leaves != 0) {
            leaves &= ~overlapping(tree_before(tb, b), tree_before(ta, a), lane);
        }
        for (; leaves != 0; leaves &= leaves - 1) {
            uint32_t other = b->child[lowest_lane(leaves)];
            item_pair pair =
                task->exchanged ? (item_pair){other, child} : (item_pair){child, other};
            array_push(w->found->pairs, pair);
        }
        for (; nodes != 0; nodes &= nodes - 1) {
            push(w, task->a, b->child[lowest_lane(nodes)], 1u << lane, task->exchanged);
        }
        return;
    }
    for (; leaves != 0; leaves &= leaves - 1) {
        push(w, task->b, child, leaves & -leaves, !task->exchanged);
    }
    for (; nodes != 0; nodes &= nodes - 1) {
        push(w, child, b->child[lowest_lane(nodes)], (1u << LANES) - 1, task->exchanged);
    }
}

static void within_node(walk *w, const tree_task *task, const tree_node *node)
{
    const tree *t = w->trees[0]; // both trees are the same
    const uint32_t inner = node->fresh & ~(uint32_t)node->leaves;
    for (uint32_t left = node->used; left != 0; left &= left - 1) {
        uint32_t lane = lowest_lane(left);
        meet(w, task, node, node, lane, left & (left - 1));
        if ((inner >> lane & 1) != 0 && tree_lane_group(t, node, lane) == 0) {
            push(w, node->child[lane], node->child[lane], (1u << LANES) - 1, false);
        }
    }
}

static void take_step(walk *w, tree_task task)
{
    const tree *ta = w->trees[task.exchanged];
    const tree *tb = w->trees[!task.exchanged];
    const tree_node *a = &ta->nodes.data[task.a];
    const tree_node *b = &tb->nodes.data[task.b];
    if (a == b) {
        within_node(w, &task, a);
        return;
    }
    uint32_t left = task.lanes & a->used;
    if ((left & (left - 1)) != 0 && b->parent != 0) {
        // Most of several lanes are not even near each other.
        left &= overlapping(&a->box, &tb->nodes.data[b->parent].box, b->lane);
    }
    if (b->fresh == 0) {
        left &= a->fresh;
    }
    for (; left != 0; left &= left - 1) {
        meet(w, &task, a, b, lowest_lane(left), b->used);
    }
}

// A step adds at most LANES * LANES pairs.
static void do_step(walk *w, tree_task task)
{
    take_step(w, task);
    if (w->found->pairs->count >= w->found->most) {
        w->ended = !w->found->cut(w->found->context, w->found->pairs);
    }
}

static void do_task(const tree *a, const tree *b, tree_task task, const pair_list *found)
{
    tree_task tasks[WALK_TASKS_MAX];
    walk w = {.trees = {a, b}, .tasks = tasks, .count = 1, .found = found};
    tasks[0] = task;
    while (w.count > 0 && !w.ended) {
        ASSERT(w.count + WALK_PUSHES_MAX <= WALK_TASKS_MAX);
        do_step(&w, tasks[--w.count]);
    }
}

// Splits breadth first until there may be no room for the tasks of another step.
static uint32_t divide(const tree *a, const tree *b, tree_task *tasks, uint32_t max,
                       const pair_list *found)
{
    walk w = {.trees = {a, b}, .tasks = tasks, .found = found};
    push(&w, a->root, b->root, (1u << LANES) - 1, false);
    uint32_t done = 0;
    while (done < w.count && !w.ended && w.count + WALK_PUSHES_MAX <= max) {
        do_step(&w, tasks[done++]);
    }
    if (w.ended) {
        return 0;
    }
    memmove(tasks, tasks + done, (w.count - done) * sizeof *tasks);
    return w.count - done;
}

static void query(const tree *t, aabb box, tree_visit visit, void *context)
{
    const lanes lower_x = splat(box.lower.x);
    const lanes lower_y = splat(box.lower.y);
    const lanes upper_x = splat(box.upper.x);
    const lanes upper_y = splat(box.upper.y);
    uint32_t stack[TREE_STACK_MAX];
    int top = 0;
    stack[top++] = t->root;
    while (top > 0) {
        const tree_node *node = &t->nodes.data[stack[--top]];
        uint32_t hit = overlapping_sides(&node->box, lower_x, lower_y, upper_x, upper_y);
        ASSERT(top + LANES <= TREE_STACK_MAX);
        for (; hit != 0; hit &= hit - 1) {
            uint32_t lane = lowest_lane(hit);
            if ((node->leaves >> lane & 1) == 0) {
                stack[top++] = node->child[lane];
            } else if (!visit(context, node->child[lane])) {
                return;
            }
        }
    }
}

extern const tree_kernels VARIANT_OF(tree_kernels_);
const tree_kernels VARIANT_OF(tree_kernels_) = {divide, do_task, query};
