// A bounding volume hierarchy of boxes: a tree whose leaves are items. Items are the caller's
// numbers, preferably small: the tree keeps a word for each number up to the largest, and another
// if groups are used.
//
// A node has eight boxes, with a vector for each side, so that one comparison finds which of them
// overlap a box; a leaf is a lane, not a node. Insertion goes down where the growth of perimeters
// is least and splits what is full, as R-trees do (Guttman 1984). A moved leaf only enlarges the
// boxes above it; tree_refresh() fits them again, and rebuilds the whole tree, top down by medians,
// when the inner boxes have grown too large in total.
//
// The tree also records new leaves: each lane on the path to one has a bit, and each node with a
// new leaf keeps the boxes that its leaves had at the last refresh. So a walk of two trees against
// each other finds the pairs that came to overlap since then, visiting only new leaves and skipping
// pairs that overlapped before. Items of the same negative group never pair; subtrees of only one
// such group are not walked against each other.
#ifndef CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_TREE_H
#define CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/geometry/math.h"
#include "common/physics/lanes/wide.h"
#include "common/physics/parallel/lists.h"

// Eight boxes. The box of an unused lane is inverted, and overlaps nothing.
typedef struct wide_box {
    wide lower_x, lower_y, upper_x, upper_y;
} wide_box;

typedef struct tree_node {
    wide_box box;
    uint32_t child[LANES]; // a node; for a leaf, the item
    uint32_t parent;       // parent node; the root has 0; a free node has the next free one
    uint32_t before;       // place in tree.before + 1; 0: no leaf is new
    int32_t group;         // the negative group of all leaves below; 0: none, or several
    uint8_t lane;          // lane in the parent
    uint8_t used, leaves;  // bits of lanes; `leaves` is a subset of `used`
    uint8_t fresh;         // lanes that are new, or have a new leaf below
} tree_node;
_Static_assert(sizeof(tree_node) == 192, "three cache lines");

// The list to which a walk adds pairs: thousands of boxes in one place make more than memory has
// room for, so a list that has grown to `most` is cut.
typedef struct pair_list {
    item_pairs *pairs;
    uint32_t most;
    // Must leave fewer than `most`. False ends the walk.
    bool (*cut)(void *context, item_pairs *pairs);
    void *context;
} pair_list;

// A part of a walk: some lanes of a node of one tree against a node of the other.
typedef struct tree_task {
    uint32_t a, b;
    uint8_t lanes;  // lanes of node a
    bool exchanged; // a is a node of the second tree, b of the first
} tree_task;

struct tree_kernels;

// A leaf as tree_build.c sorts it.
typedef struct tree_part {
    aabb box;
    uint32_t item;
} tree_part;

typedef struct tree {
    ARRAY(tree_node) nodes; // node 0 is "none"
    ARRAY(uint32_t) places; // place by item: node * LANES + lane; 0: not in the tree
    // by node: boxes of its leaves at the last refresh, inverted for new ones. During a build no
    // leaf is new, and the memory has the tree_parts
    ARRAY(wide_box) before;
    ARRAY(int32_t) groups; // group by item, up to the last item with a negative one
    uint32_t root, free_node, leaf_count;
    uint32_t part_count; // tree_parts in the memory of `before`
    uint32_t changed;    // leaves inserted and removed since the last build
    uint32_t moved;      // leaves enlarged since the boxes were last summed up
    float built;         // the sum of boxes after the last build
    const struct tree_kernels *kernels;
} tree;

void tree_init(tree *t);
void tree_deinit(tree *t);

// `group` only matters if it is negative. A `known` item is not new: its pairs have been found.
void tree_insert(tree *t, uint32_t item, aabb box, int32_t group, bool known);
// Inserts an item that moved since the last refresh, at which its box was `before`: pairs that
// overlapped then are not new. `before` has the form of tree_before_of()'s result.
void tree_insert_moved(tree *t, uint32_t item, aabb box, aabb before, int32_t group);
// The box of an item at the last refresh; if the item was added since, lower is above upper.
aabb tree_before_of(const tree *t, uint32_t item);
// Adds many known items at once to an empty tree: put each, then fill the tree with them. Nothing
// else may be done with the tree in between.
void tree_put(tree *t, uint32_t item, aabb box, int32_t group); // tree_build.c
void tree_fill(tree *t);
void tree_remove(tree *t, uint32_t item);
// For an item whose box has grown or moved a little: fast; tree_refresh() restores the tree's
// quality.
void tree_enlarge(tree *t, uint32_t item, aabb box);
// After this no leaf is new.
void tree_refresh(tree *t);
// Whether the tree has the item, and its box.
bool tree_find(const tree *t, uint32_t item, aabb *box);

// Calls back with every item whose box overlaps, in no meaningful order, until the callback returns
// false (tree_query.c).
typedef bool (*tree_visit)(void *context, uint32_t item);
void tree_query(const tree *t, aabb box, tree_visit visit, void *context);

// Every item whose box the ray from `from` by `translation`, thickened by `extents` (half sizes),
// may meet before `fraction` of its length. The callback returns the new largest fraction: the same
// to continue, less to shorten the ray, 0 or less to stop.
typedef float (*tree_ray_visit)(void *context, uint32_t item, float fraction);
void tree_ray(const tree *t, vec2d from, vec2d translation, vec2 extents, float fraction,
              tree_ray_visit visit, void *context);

// Finds every pair of items, one of each tree, whose boxes overlap now and did not at the last
// refresh; for a tree and itself, every such pair once. The order has no meaning.
void tree_new_pairs(const tree *a, const tree *b, const pair_list *found);
// Splits the same search into tasks, which may run in any order and in parallel, each with its own
// list: fills in up to `max` tasks (at least TREE_TASKS_MIN) and returns their number. Pairs found
// while splitting are added to `found`.
enum { TREE_TASKS_MIN = 128 };
uint32_t tree_divide(const tree *a, const tree *b, tree_task *tasks, uint32_t max,
                     const pair_list *found);
void tree_do_task(const tree *a, const tree *b, tree_task task, const pair_list *found);

// For tests: panics unless boxes enclose their contents and links are right. Returns the height.
uint32_t tree_validate(const tree *t);

// ---- between the files of the tree

enum { TREE_STACK_MAX = 256 }; // nodes still to be visited: 7 a level

// The walks, compiled once for each width of vectors (tree_walk.c).
typedef struct tree_kernels {
    uint32_t (*divide)(const tree *a, const tree *b, tree_task *tasks, uint32_t max,
                       const pair_list *found);
    void (*do_task)(const tree *a, const tree *b, tree_task task, const pair_list *found);
    void (*query)(const tree *t, aabb box, tree_visit visit, void *context);
} tree_kernels;

// rebuilds the tree from its leaves, of which none may be new (tree_build.c)
void tree_build(tree *t);
void tree_build_parts(tree *t); // the same from its parts; there must be at least one
uint32_t tree_node_take(tree *t);
void tree_set_group(tree *t, uint32_t item, int32_t group);
int32_t tree_node_group(const tree *t,
                        const tree_node *node); // the group that all its lanes share, or 0

static inline aabb wide_box_get(const wide_box *boxes, uint32_t lane)
{
    return (aabb){{boxes->lower_x[lane], boxes->lower_y[lane]},
                  {boxes->upper_x[lane], boxes->upper_y[lane]}};
}
static inline void wide_box_set(wide_box *boxes, uint32_t lane, aabb box)
{
    wide_set(&boxes->lower_x, lane, box.lower.x);
    wide_set(&boxes->lower_y, lane, box.lower.y);
    wide_set(&boxes->upper_x, lane, box.upper.x);
    wide_set(&boxes->upper_y, lane, box.upper.y);
}
static inline uint32_t lowest_lane(uint32_t bits)
{
    return (uint32_t)__builtin_ctz(bits);
}

// The boxes of a node's leaves at the last refresh; undefined for lanes that are not leaves.
static inline const wide_box *tree_before(const tree *t, const tree_node *node)
{
    return node->before != 0 ? &t->before.data[node->before - 1] : &node->box;
}

// The negative group of all leaves below a lane, or 0.
static inline int32_t tree_lane_group(const tree *t, const tree_node *node, uint32_t lane)
{
    if (t->groups.count == 0) {
        return 0;
    }
    uint32_t child = node->child[lane];
    if ((node->leaves >> lane & 1) == 0) {
        return t->nodes.data[child].group;
    }
    return child < t->groups.count ? t->groups.data[child] : 0;
}

#endif
