// Builds a tree from its leaves, top down: the leaves of a node are split into up to eight parts of
// nearly equal number by repeated halving, each time along the longer axis of the centres. The
// nodes are stored in the order of a depth-first walk.
#include "common/base/assert.h"
#include "common/physics/state/broad_phase/tree.h"

static tree_part *parts_of(const tree *t)
{
    return (tree_part *)(void *)t->before.data;
}

static void reserve_parts(tree *t, uint32_t count)
{
    size_t bytes = count * sizeof(tree_part);
    array_reserve(&t->before, (uint32_t)((bytes + sizeof(wide_box) - 1) / sizeof(wide_box)));
}

static void add_part(tree *t, aabb box, uint32_t item)
{
    reserve_parts(t, t->part_count + 1);
    parts_of(t)[t->part_count++] = (tree_part){box, item};
}

static void collect_parts(tree *t)
{
    t->part_count = 0;
    reserve_parts(t, t->leaf_count);
    for (uint32_t n = 1; n < t->nodes.count; n++) {
        const tree_node *node = &t->nodes.data[n]; // a free node uses no lane
        for (uint32_t lanes = node->leaves; lanes != 0; lanes &= lanes - 1) {
            uint32_t lane = lowest_lane(lanes);
            add_part(t, wide_box_get(&node->box, lane), node->child[lane]);
        }
    }
}

static float center_of(const tree_part *part, bool along_x)
{
    return along_x ? part->box.lower.x + part->box.upper.x : part->box.lower.y + part->box.upper.y;
}

// Moves the parts with centres below `limit` to the front; returns their number. Each part is
// exchanged with the first one that is not below, even if it is not below itself: the outcome is
// unpredictable, so the code has no branch on it (A. Alexandrescu, "Lomuto's comeback", 2020).
static uint32_t partition(tree_part *parts, uint32_t count, bool along_x, float limit)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_below = center_of(&parts[i], along_x) < limit;
        const tree_part other = parts[below];
        parts[below] = parts[i];
        parts[i] = other;
        below += is_below;
    }
    return below;
}

// Moves the `wanted` parts with the lowest centres to the front. It halves the range of the values,
// not the number of parts, so no arrangement makes it slow.
static void select_lowest(tree_part *parts, uint32_t count, uint32_t wanted, bool along_x,
                          float low, float high)
{
    uint32_t first = 0; // parts before `first` are among the lowest, those from `end` on are not
    uint32_t end = count;
    while (end - first > 1) {
        float middle = 0.5f * low + 0.5f * high;
        if (!(middle > low && middle < high)) {
            return; // all lie at the same place
        }
        uint32_t at = first + partition(parts + first, end - first, along_x, middle);
        if (at == wanted) {
            return;
        }
        if (at < wanted) {
            first = at;
            low = middle;
        } else {
            end = at;
            high = middle;
        }
    }
}

// Splits parts into `groups` of nearly equal number; writes the end of each to `ends`.
static void divide(tree_part *parts, uint32_t first, uint32_t count, uint32_t groups,
                   uint32_t *ends)
{
    if (groups == 1) {
        *ends = first + count;
        return;
    }
    vec2 lower = {INFINITY, INFINITY};
    vec2 upper = {-INFINITY, -INFINITY};
    for (uint32_t i = first; i < first + count; i++) {
        vec2 c = {center_of(&parts[i], true), center_of(&parts[i], false)};
        lower = vec2_min(lower, c);
        upper = vec2_max(upper, c);
    }
    bool along_x = upper.x - lower.x >= upper.y - lower.y;
    uint32_t half = groups / 2;
    uint32_t left = (uint32_t)((uint64_t)count * half / groups);
    select_lowest(parts + first, count, left, along_x, along_x ? lower.x : lower.y,
                  along_x ? upper.x : upper.y);
    divide(parts, first, left, half, ends);
    divide(parts, first + left, count - left, groups - half, ends + half);
}

static uint32_t build(tree *t, uint32_t first, uint32_t count);

static void put_leaf(tree *t, uint32_t n, uint32_t lane, const tree_part *part)
{
    tree_node *node = &t->nodes.data[n];
    wide_box_set(&node->box, lane, part->box);
    node->child[lane] = part->item;
    node->leaves |= (uint8_t)(1u << lane);
    t->places.data[part->item] = n * LANES + lane;
}

static void put_node(tree *t, uint32_t n, uint32_t lane, uint32_t child)
{
    tree_node *node = &t->nodes.data[n];
    tree_node *below = &t->nodes.data[child];
    aabb box = wide_box_get(&below->box, 0);
    for (uint32_t lanes = below->used & ~1u; lanes != 0; lanes &= lanes - 1) {
        box = aabb_union(box, wide_box_get(&below->box, lowest_lane(lanes)));
    }
    wide_box_set(&node->box, lane, box);
    node->child[lane] = child;
    below->parent = n;
    below->lane = (uint8_t)lane;
}

static uint32_t build(tree *t, uint32_t first, uint32_t count)
{
    uint32_t capacity = 1; // the most leaves below a lane
    while (capacity < (count + LANES - 1) / LANES) {
        capacity *= LANES;
    }
    uint32_t ends[LANES];
    uint32_t groups = (count + capacity - 1) / capacity;
    divide(parts_of(t), first, count, groups, ends);
    uint32_t n = tree_node_take(t);
    for (uint32_t lane = 0; lane < groups; lane++) {
        uint32_t size = ends[lane] - first;
        if (size == 1) {
            put_leaf(t, n, lane, &parts_of(t)[first]);
        } else {
            put_node(t, n, lane, build(t, first, size));
        }
        t->nodes.data[n].used |= (uint8_t)(1u << lane);
        first = ends[lane];
    }
    t->nodes.data[n].group = tree_node_group(t, &t->nodes.data[n]);
    return n;
}

// Insertion one by one needs twice as many nodes as a build, so a build leaves memory unused.
static void give_back(tree *t)
{
    const uint32_t most = t->nodes.count + t->nodes.count / 4 + 64;
    if (t->nodes.capacity > most) {
        array_fit(&t->nodes);
    }
    if (t->before.capacity > most) {
        array_free(&t->before);
    }
}

void tree_build_parts(tree *t)
{
    ASSERT(t->part_count == t->leaf_count && t->before.count == 0);
    t->nodes.count = 1;
    t->free_node = 0;
    t->root = build(t, 0, t->part_count);
    give_back(t);
}

void tree_build(tree *t)
{
    array_clear(&t->before);
    collect_parts(t);
    tree_build_parts(t);
}

void tree_put(tree *t, uint32_t item, aabb box, int32_t group)
{
    ASSERT_SLOW(t->root == 0);
    array_reserve(&t->places, item + 1);
    if (t->places.count <= item) {
        t->places.count = item + 1;
    }
    if (t->leaf_count++ == 0) {
        t->part_count = 0;
    }
    tree_set_group(t, item, group);
    add_part(t, box, item);
}
