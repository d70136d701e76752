// See tree.h. Invariants: a lane's box encloses all below it; a lane is fresh if any leaf below it
// is; the earlier box of a leaf that is not fresh is its box, and a node has earlier boxes exactly
// while one of its leaves is fresh. Leaves may differ in depth, but both halves of a split node
// have the same parent, so the tree grows only at the root, and a build makes it as shallow as
// possible: no path is more than a few levels longer than log8 of the items.
#include "common/physics/state/broad_phase/tree.h"

#include "common/base/assert.h"

// The total size of inner boxes, relative to that after the last build, at which the tree is
// rebuilt.
#define GROWTH_MAX 1.25f

static const aabb NOWHERE = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

// A lane's contents: the box, and the item or node.
typedef struct lane_entry {
    aabb box, before;
    uint32_t child;
    int32_t group;
    bool leaf, fresh;
} lane_entry;

extern const tree_kernels tree_kernels_base;
#ifdef CAROM_HAVE_AVX2
extern const tree_kernels tree_kernels_avx2;
#endif

void tree_init(tree *t)
{
    *t = (tree){.kernels = &tree_kernels_base};
#ifdef CAROM_HAVE_AVX2
    if (wide_avx2_chosen()) {
        t->kernels = &tree_kernels_avx2;
    }
#endif
    array_push(&t->nodes, ((tree_node){0}));
}

void tree_deinit(tree *t)
{
    array_free(&t->nodes);
    array_free(&t->places);
    array_free(&t->before);
    array_free(&t->groups);
}

uint32_t tree_node_take(tree *t)
{
    uint32_t n = t->free_node;
    if (n != 0) {
        t->free_node = t->nodes.data[n].parent;
    } else {
        n = t->nodes.count;
        array_reserve(&t->nodes, n + 1);
        t->nodes.count++;
    }
    wide most = WIDE_SPLAT(INFINITY);
    wide_box none = {most, most, -most, -most};
    t->nodes.data[n] = (tree_node){.box = none};
    return n;
}

static void node_release(tree *t, uint32_t n)
{
    t->nodes.data[n] = (tree_node){.parent = t->free_node};
    t->free_node = n;
}

// ---- nodes

static float least(const wide *a)
{
    return quad_smallest(quad_min(wide_half(a, 0), wide_half(a, 1)))[0];
}

static float most(const wide *a)
{
    return quad_largest(quad_max(wide_half(a, 0), wide_half(a, 1)))[0];
}

static aabb node_bounds(const tree_node *node)
{
    const wide_box *b = &node->box;
    return (aabb){{least(&b->lower_x), least(&b->lower_y)}, {most(&b->upper_x), most(&b->upper_y)}};
}

int32_t tree_node_group(const tree *t, const tree_node *node)
{
    int32_t group = tree_lane_group(t, node, lowest_lane(node->used));
    for (uint32_t lanes = node->used; lanes != 0 && group != 0; lanes &= lanes - 1) {
        if (tree_lane_group(t, node, lowest_lane(lanes)) != group) {
            return 0;
        }
    }
    return group;
}

void tree_set_group(tree *t, uint32_t item, int32_t group)
{
    if (item >= t->groups.count && group >= 0) {
        return;
    }
    while (t->groups.count <= item) {
        array_push(&t->groups, 0);
    }
    t->groups.data[item] = group < 0 ? group : 0;
}

// Records the earlier box of a lane that is a leaf.
static void set_before(tree *t, uint32_t n, uint32_t lane, aabb box)
{
    tree_node *node = &t->nodes.data[n];
    if (node->before == 0) {
        array_push(&t->before, node->box);
        node->before = t->before.count;
    }
    wide_box_set(&t->before.data[node->before - 1], lane, box);
}

// Frees the node's earlier boxes if no leaf of it is new. Must be called after lanes were removed.
static void drop_before(tree_node *node)
{
    if ((node->fresh & node->leaves) == 0) {
        node->before = 0;
    }
}

static lane_entry entry_get(const tree *t, uint32_t n, uint32_t lane)
{
    const tree_node *node = &t->nodes.data[n];
    return (lane_entry){
        .box = wide_box_get(&node->box, lane),
        .before = wide_box_get(tree_before(t, node), lane),
        .child = node->child[lane],
        .group = tree_lane_group(t, node, lane),
        .leaf = (node->leaves >> lane & 1) != 0,
        .fresh = (node->fresh >> lane & 1) != 0,
    };
}

static void entry_put(tree *t, uint32_t n, uint32_t lane, const lane_entry *entry)
{
    tree_node *node = &t->nodes.data[n];
    wide_box_set(&node->box, lane, entry->box);
    if (entry->leaf && (entry->fresh || node->before != 0)) {
        set_before(t, n, lane, entry->before);
    }
    node->child[lane] = entry->child;
    if (node->used == 0 || node->group != entry->group) {
        node->group = node->used == 0 ? entry->group : 0;
    }
    node->used |= (uint8_t)(1u << lane);
    node->leaves |= (uint8_t)((uint32_t)entry->leaf << lane);
    node->fresh |= (uint8_t)((uint32_t)entry->fresh << lane);
    if (entry->leaf) {
        t->places.data[entry->child] = n * LANES + lane;
    } else {
        t->nodes.data[entry->child].parent = n;
        t->nodes.data[entry->child].lane = (uint8_t)lane;
    }
}

static lane_entry entry_of_node(const tree *t, uint32_t n)
{
    const tree_node *node = &t->nodes.data[n];
    return (lane_entry){
        .box = node_bounds(node),
        .before = NOWHERE,
        .child = n,
        .group = node->group,
        .fresh = node->fresh != 0,
    };
}

static void clear_lane(tree_node *node, uint32_t lane)
{
    uint8_t others = (uint8_t) ~(1u << lane);
    wide_box_set(&node->box, lane, NOWHERE);
    node->child[lane] = 0;
    node->used &= others;
    node->leaves &= others;
    node->fresh &= others;
    drop_before(node);
}

// ---- insertion

// The lane whose box must grow least to enclose another; among equal ones the smallest.
static uint32_t choose_lane(const tree_node *node, aabb box)
{
    float before[LANES];
    float growth[LANES];
    for (int half = 0; half < 2; half++) {
        quad lower_x = wide_half(&node->box.lower_x, half);
        quad lower_y = wide_half(&node->box.lower_y, half);
        quad upper_x = wide_half(&node->box.upper_x, half);
        quad upper_y = wide_half(&node->box.upper_y, half);
        quad width = upper_x - lower_x;
        quad height = upper_y - lower_y;
        quad joined_width =
            quad_max(upper_x, quad_splat(box.upper.x)) - quad_min(lower_x, quad_splat(box.lower.x));
        quad joined_height =
            quad_max(upper_y, quad_splat(box.upper.y)) - quad_min(lower_y, quad_splat(box.lower.y));
        quad sum = width + height;
        quad more = joined_width + joined_height - sum;
        memcpy(&before[half * QUAD_LANES], &sum, sizeof sum);
        memcpy(&growth[half * QUAD_LANES], &more, sizeof more);
    }
    uint32_t best = lowest_lane(node->used);
    for (uint32_t lanes = node->used; lanes != 0; lanes &= lanes - 1) {
        uint32_t i = lowest_lane(lanes);
        if (growth[i] < growth[best] || (growth[i] == growth[best] && before[i] < before[best])) {
            best = i;
        }
    }
    return best;
}

static float center_of(const lane_entry *entry, bool along_x)
{
    const aabb *b = &entry->box;
    return along_x ? b->lower.x + b->upper.x : b->lower.y + b->upper.y;
}

// Sorts entries by their centres along the longer axis of their common box.
static void sort_entries(lane_entry *entries, int count)
{
    aabb centers = NOWHERE;
    for (int i = 0; i < count; i++) {
        vec2 c = {center_of(&entries[i], true), center_of(&entries[i], false)};
        centers = aabb_union(centers, (aabb){c, c});
    }
    bool along_x = centers.upper.x - centers.lower.x >= centers.upper.y - centers.lower.y;
    for (int i = 1; i < count; i++) {
        lane_entry entry = entries[i];
        int k = i;
        for (; k > 0 && center_of(&entries[k - 1], along_x) > center_of(&entry, along_x); k--) {
            entries[k] = entries[k - 1];
        }
        entries[k] = entry;
    }
}

// Splits a full node with one more entry into it and a new node, which is returned.
static uint32_t split_node(tree *t, uint32_t n, const lane_entry *more)
{
    enum { COUNT = LANES + 1 };
    lane_entry entries[COUNT];
    for (uint32_t i = 0; i < LANES; i++) {
        entries[i] = entry_get(t, n, i);
    }
    for (uint32_t i = 0; i < LANES; i++) {
        clear_lane(&t->nodes.data[n], i);
    }
    entries[LANES] = *more;
    sort_entries(entries, COUNT);
    uint32_t other = tree_node_take(t);
    for (uint32_t i = 0; i < COUNT; i++) {
        bool stays = i < COUNT / 2;
        entry_put(t, stays ? n : other, stays ? i : i - COUNT / 2, &entries[i]);
    }
    return other;
}

// Adds an entry to a node, and the new halves of split nodes to their parents.
static void add_entry(tree *t, uint32_t n, const lane_entry *entry)
{
    if (t->nodes.data[n].used != (1u << LANES) - 1) {
        entry_put(t, n, lowest_lane(~(uint32_t)t->nodes.data[n].used), entry);
        return;
    }
    uint32_t parent = t->nodes.data[n].parent;
    uint32_t lane = t->nodes.data[n].lane;
    lane_entry other = entry_of_node(t, split_node(t, n, entry));
    lane_entry rest = entry_of_node(t, n);
    if (parent == 0) {
        t->root = tree_node_take(t);
        entry_put(t, t->root, 0, &rest);
        entry_put(t, t->root, 1, &other);
        return;
    }
    clear_lane(&t->nodes.data[parent], lane);
    entry_put(t, parent, lane, &rest);
    add_entry(t, parent, &other);
}

// Enlarges the boxes above so that they enclose an entry added below the lane.
static void widen_lane(tree_node *node, uint32_t lane, const lane_entry *entry)
{
    wide_box_set(&node->box, lane, aabb_union(wide_box_get(&node->box, lane), entry->box));
    node->fresh |= (uint8_t)((uint32_t)entry->fresh << lane);
    if (node->group != entry->group) {
        node->group = 0;
    }
}

static void insert_leaf(tree *t, uint32_t item, aabb box, aabb before, int32_t group, bool known)
{
    array_reserve(&t->places, item + 1);
    if (t->places.count <= item) {
        t->places.count = item + 1;
    }
    ASSERT_SLOW(t->places.data[item] == 0);
    t->leaf_count++;
    t->changed++;
    tree_set_group(t, item, group);
    lane_entry entry = {.box = box,
                        .before = before,
                        .child = item,
                        .group = group < 0 ? group : 0,
                        .leaf = true,
                        .fresh = !known};
    if (t->root == 0) {
        t->root = tree_node_take(t);
        entry_put(t, t->root, 0, &entry);
        return;
    }
    uint32_t n = t->root;
    for (;;) {
        tree_node *node = &t->nodes.data[n];
        uint32_t lane = choose_lane(node, box);
        if ((node->leaves >> lane & 1) != 0) {
            break;
        }
        widen_lane(node, lane, &entry);
        n = node->child[lane];
    }
    add_entry(t, n, &entry);
}

void tree_insert(tree *t, uint32_t item, aabb box, int32_t group, bool known)
{
    insert_leaf(t, item, box, known ? box : NOWHERE, group, known);
}

void tree_insert_moved(tree *t, uint32_t item, aabb box, aabb before, int32_t group)
{
    insert_leaf(t, item, box, before, group, false);
}

aabb tree_before_of(const tree *t, uint32_t item)
{
    uint32_t place = t->places.data[item];
    ASSERT_SLOW(place != 0);
    return wide_box_get(tree_before(t, &t->nodes.data[place / LANES]), place % LANES);
}

// ---- changes

void tree_remove(tree *t, uint32_t item)
{
    uint32_t place = t->places.data[item];
    ASSERT_SLOW(place != 0);
    t->places.data[item] = 0;
    t->leaf_count--;
    t->changed++;
    uint32_t n = place / LANES;
    clear_lane(&t->nodes.data[n], place % LANES);
    while (t->nodes.data[n].used == 0) { // the node is empty
        uint32_t parent = t->nodes.data[n].parent;
        uint32_t lane = t->nodes.data[n].lane;
        node_release(t, n);
        if (parent == 0) {
            t->root = 0;
            return;
        }
        clear_lane(&t->nodes.data[parent], lane);
        n = parent;
    }
    while (t->nodes.data[n].parent != 0) {
        tree_node *parent = &t->nodes.data[t->nodes.data[n].parent];
        wide_box_set(&parent->box, t->nodes.data[n].lane, node_bounds(&t->nodes.data[n]));
        n = t->nodes.data[n].parent;
    }
}

void tree_enlarge(tree *t, uint32_t item, aabb box)
{
    uint32_t place = t->places.data[item];
    ASSERT_SLOW(place != 0);
    tree_node *node = &t->nodes.data[place / LANES];
    uint32_t lane = place % LANES;
    if (node->before == 0) {
        set_before(t, place / LANES, lane, wide_box_get(&node->box, lane));
    }
    wide_box_set(&node->box, lane, box);
    node->fresh |= (uint8_t)(1u << lane);
    t->moved++;
    while (node->parent != 0) {
        lane = node->lane;
        node = &t->nodes.data[node->parent];
        aabb around = wide_box_get(&node->box, lane);
        bool held = aabb_contains(around, box);
        if (held && (node->fresh >> lane & 1) != 0) {
            break;
        }
        if (!held) {
            wide_box_set(&node->box, lane, aabb_union(around, box));
        }
        node->fresh |= (uint8_t)(1u << lane);
    }
}

bool tree_find(const tree *t, uint32_t item, aabb *box)
{
    if (item >= t->places.count || t->places.data[item] == 0) {
        return false;
    }
    uint32_t place = t->places.data[item];
    *box = wide_box_get(&t->nodes.data[place / LANES].box, place % LANES);
    return true;
}

// ---- refresh

// Fits the boxes of fresh lanes below a node, and marks them as known.
static void settle_node(tree *t, uint32_t n)
{
    tree_node *node = &t->nodes.data[n];
    for (uint32_t lanes = node->fresh & ~(uint32_t)node->leaves; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = lowest_lane(lanes);
        settle_node(t, node->child[lane]);
        const tree_node *child = &t->nodes.data[node->child[lane]];
        wide_box_set(&node->box, lane, node_bounds(child));
    }
    node->group = tree_node_group(t, node);
    node->before = 0;
    node->fresh = 0;
}

// The sum of the half perimeters of all inner boxes: roughly the cost of walks and queries.
static float sum_of_boxes(const tree *t)
{
    float sum = 0.0f;
    for (uint32_t n = 1; n < t->nodes.count; n++) {
        const tree_node *node = &t->nodes.data[n];
        const wide_box *b = &node->box;
        for (uint32_t lanes = node->used & ~(uint32_t)node->leaves; lanes != 0;
             lanes &= lanes - 1) {
            uint32_t i = lowest_lane(lanes);
            sum += b->upper_x[i] - b->lower_x[i] + (b->upper_y[i] - b->lower_y[i]);
        }
    }
    return sum;
}

// Whether the tree is much worse than a new build would be.
static bool is_worn(tree *t)
{
    if (t->changed > t->leaf_count / 4 + LANES) {
        return true;
    }
    if (t->moved <= t->leaf_count / 4) {
        return false;
    }
    t->moved = 0;
    return sum_of_boxes(t) > GROWTH_MAX * t->built;
}

static void note_built(tree *t)
{
    t->changed = 0;
    t->moved = 0;
    t->built = sum_of_boxes(t);
}

void tree_refresh(tree *t)
{
    if (t->root == 0) {
        return;
    }
    if (t->nodes.data[t->root].fresh != 0) {
        settle_node(t, t->root);
        array_clear(&t->before);
    }
    if (is_worn(t)) {
        tree_build(t);
        note_built(t);
    }
}

void tree_fill(tree *t)
{
    ASSERT(t->root == 0);
    if (t->leaf_count > 0) {
        tree_build_parts(t);
        note_built(t);
    }
}

// ---- walks

static bool any_new(const tree *a, const tree *b)
{
    return a->root != 0 && b->root != 0 &&
           (a->nodes.data[a->root].fresh | b->nodes.data[b->root].fresh) != 0;
}

uint32_t tree_divide(const tree *a, const tree *b, tree_task *tasks, uint32_t max,
                     const pair_list *found)
{
    ASSERT(max >= TREE_TASKS_MIN);
    return any_new(a, b) ? a->kernels->divide(a, b, tasks, max, found) : 0;
}

void tree_do_task(const tree *a, const tree *b, tree_task task, const pair_list *found)
{
    a->kernels->do_task(a, b, task, found);
}

void tree_new_pairs(const tree *a, const tree *b, const pair_list *found)
{
    if (any_new(a, b)) {
        a->kernels->do_task(a, b, (tree_task){a->root, b->root, a->nodes.data[a->root].used, false},
                            found);
    }
}

// ---- tests

static uint32_t validate_node(const tree *t, uint32_t n, uint32_t *leaves)
{
    const tree_node *node = &t->nodes.data[n];
    uint32_t height = 0;
    ASSERT(node->used != 0 && (node->leaves & ~node->used) == 0 &&
           (node->fresh & ~node->used) == 0);
    ASSERT((node->before != 0) == ((node->fresh & node->leaves) != 0));
    ASSERT(node->before <= t->before.count);
    ASSERT(node->group == 0 || node->group == tree_node_group(t, node));
    for (uint32_t lane = 0; lane < LANES; lane++) {
        aabb box = wide_box_get(&node->box, lane);
        if ((node->used >> lane & 1) == 0) {
            ASSERT(box.lower.x == INFINITY && box.upper.x == -INFINITY);
            continue;
        }
        bool fresh = (node->fresh >> lane & 1) != 0;
        if ((node->leaves >> lane & 1) != 0) {
            aabb before = wide_box_get(tree_before(t, node), lane);
            ASSERT(t->places.data[node->child[lane]] == n * LANES + lane);
            ASSERT(fresh || (aabb_contains(before, box) && aabb_contains(box, before)));
            (*leaves)++;
            continue;
        }
        const tree_node *child = &t->nodes.data[node->child[lane]];
        ASSERT(child->parent == n && child->lane == lane);
        ASSERT(aabb_contains(box, node_bounds(child)) && (fresh || child->fresh == 0));
        uint32_t below = validate_node(t, node->child[lane], leaves);
        height = below > height ? below : height;
    }
    return height + 1;
}

uint32_t tree_validate(const tree *t)
{
    uint32_t leaves = 0;
    uint32_t height = t->root == 0 ? 0 : validate_node(t, t->root, &leaves);
    ASSERT(leaves == t->leaf_count);
    ASSERT(t->root == 0 || t->nodes.data[t->root].parent == 0);
    return height;
}
