// A bounding volume hierarchy of boxes: a binary tree whose leaves are items (numbers of the
// caller's).
//
// Insertion goes down where the growth of perimeters is least (surface area heuristic; Goldsmith
// and Salmon 1987). A moved leaf only enlarges the boxes above it; tree_refresh() then rebuilds the
// parts that were enlarged, top down by the median of the longer axis, keeping untouched subtrees
// whole.
#ifndef CAROM_COMMON_PHYSICS_TREE_H
#define CAROM_COMMON_PHYSICS_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/geometry/math.h"

typedef struct tree_node {
    aabb box;
    uint32_t parent;      // of a free node: the next free one
    uint32_t left, right; // children; of a leaf: left is 0 and right is the item
    uint16_t height;      // 0: leaf
    uint16_t enlarged;    // box grew since the last refresh
} tree_node;

typedef struct tree {
    ARRAY(tree_node) nodes; // node 0 is none
    uint32_t root, free_node, leaf_count;
    ARRAY(uint32_t) scratch;
} tree;

void tree_init(tree *t);
void tree_deinit(tree *t);

// The new leaf's node number: the handle of the item.
uint32_t tree_insert(tree *t, aabb box, uint32_t item);
void tree_remove(tree *t, uint32_t leaf);
// Gives the leaf a new box, wherever it is now.
void tree_move(tree *t, uint32_t leaf, aabb box);
// The leaf's box has grown, or moved a little: fast, quality comes back with tree_refresh().
void tree_enlarge(tree *t, uint32_t leaf, aabb box);
void tree_refresh(tree *t);

// Calls back with every item whose box overlaps, in no meaningful order, until it returns false.
typedef bool (*tree_visit)(void *context, uint32_t item);
void tree_query(const tree *t, aabb box, tree_visit visit, void *context);

// Calls back with every pair of items, one of each tree, whose boxes overlap and of which at least
// one is new since the last refresh (inserted, moved or enlarged); of a tree and itself, every such
// pair once. Both trees are walked together, so that what is far apart is cut off in large pieces.
typedef void (*tree_pair_visit)(void *context, uint32_t item_a, uint32_t item_b);
void tree_new_pairs(const tree *a, const tree *b, tree_pair_visit visit, void *context);

// Every item whose box the ray from `from` by `translation`, thickened by `extents` (half sizes),
// may meet before `fraction` of its length. The callback returns the new largest fraction: the same
// to go on, less to shorten, 0 or less to stop.
typedef float (*tree_ray_visit)(void *context, uint32_t item, float fraction);
void tree_ray(const tree *t, vec2d from, vec2d translation, vec2 extents, float fraction,
              tree_ray_visit visit, void *context);

// For tests: panics unless boxes hold their children and heights and links are right. Returns the
// height.
uint32_t tree_validate(const tree *t);

#endif
