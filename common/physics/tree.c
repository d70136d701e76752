// See tree.h. Invariants: a parent's box holds its children's; height is one more than the higher
// child's; rotations on the way up from an insertion keep the heights of siblings within one of
// each other except below a refresh, which splits evenly itself; so no path is longer than
// STACK_MAX.
#include "common/physics/tree.h"

#include "common/base/assert.h"

enum { STACK_MAX = 256 };

void tree_init(tree *t)
{
    *t = (tree){0};
    array_push(&t->nodes, ((tree_node){0}));
}

void tree_deinit(tree *t)
{
    array_free(&t->nodes);
    array_free(&t->scratch);
}

static uint32_t node_take(tree *t)
{
    uint32_t n = t->free_node;
    if (n != 0) {
        t->free_node = t->nodes.data[n].parent;
    } else {
        n = t->nodes.count;
        array_push(&t->nodes, ((tree_node){0}));
    }
    t->nodes.data[n] = (tree_node){0};
    return n;
}

static void node_release(tree *t, uint32_t n)
{
    t->nodes.data[n] = (tree_node){.parent = t->free_node};
    t->free_node = n;
}

static bool is_leaf(const tree_node *n)
{
    return n->left == 0;
}

// Renews box and height of an inner node from its children.
static void node_fit(tree *t, uint32_t n)
{
    tree_node *node = &t->nodes.data[n];
    const tree_node *left = &t->nodes.data[node->left];
    const tree_node *right = &t->nodes.data[node->right];
    node->box = aabb_union(left->box, right->box);
    node->height = (uint16_t)(1 + (left->height > right->height ? left->height : right->height));
    node->enlarged = left->enlarged | right->enlarged;
}

static void replace_child(tree *t, uint32_t parent, uint32_t old_child, uint32_t new_child)
{
    t->nodes.data[new_child].parent = parent;
    if (parent == 0) {
        t->root = new_child;
    } else if (t->nodes.data[parent].left == old_child) {
        t->nodes.data[parent].left = new_child;
    } else {
        t->nodes.data[parent].right = new_child;
    }
}

// Where the child `high` of `n` is more than one higher than its sibling, lifts it into n's place:
// n takes the lower of its children in exchange. Returns the node that now stands where n stood.
static uint32_t rotate_up(tree *t, uint32_t n, uint32_t high)
{
    tree_node *nodes = t->nodes.data;
    uint32_t first = nodes[high].left;
    uint32_t second = nodes[high].right;
    uint32_t keep = nodes[first].height >= nodes[second].height ? first : second;
    uint32_t give = keep == first ? second : first;
    replace_child(t, nodes[n].parent, n, high);
    replace_child(t, n, high, give);
    nodes[high].left = n;
    nodes[high].right = keep;
    nodes[n].parent = high;
    node_fit(t, n);
    node_fit(t, high);
    return high;
}

// Walks up from `n`, renewing boxes and heights and keeping siblings balanced.
static void fit_upward(tree *t, uint32_t n)
{
    while (n != 0) {
        node_fit(t, n);
        const tree_node *nodes = t->nodes.data;
        uint32_t left = nodes[n].left;
        uint32_t right = nodes[n].right;
        if (nodes[left].height > nodes[right].height + 1) {
            n = rotate_up(t, n, left);
        } else if (nodes[right].height > nodes[left].height + 1) {
            n = rotate_up(t, n, right);
        }
        n = t->nodes.data[n].parent;
    }
}

// The node beside which a leaf of this box costs least: going down, each step pays for the growth
// of the box that it enters, and pairing with a node pays for the union.
static uint32_t find_sibling(const tree *t, aabb box)
{
    const tree_node *nodes = t->nodes.data;
    uint32_t n = t->root;
    while (!is_leaf(&nodes[n])) {
        float here = aabb_perimeter(nodes[n].box);
        float grown = aabb_perimeter(aabb_union(nodes[n].box, box));
        float inherited = grown - here;
        float cost_here = grown;
        uint32_t children[2] = {nodes[n].left, nodes[n].right};
        float cost[2];
        for (int i = 0; i < 2; i++) {
            const tree_node *child = &nodes[children[i]];
            float joined = aabb_perimeter(aabb_union(child->box, box));
            cost[i] = inherited + (is_leaf(child) ? joined : joined - aabb_perimeter(child->box));
        }
        if (cost_here < cost[0] && cost_here < cost[1]) {
            break;
        }
        n = cost[0] <= cost[1] ? children[0] : children[1];
    }
    return n;
}

static void link_leaf(tree *t, uint32_t leaf)
{
    if (t->root == 0) {
        t->root = leaf;
        t->nodes.data[leaf].parent = 0;
        return;
    }
    uint32_t sibling = find_sibling(t, t->nodes.data[leaf].box);
    uint32_t parent = node_take(t);
    replace_child(t, t->nodes.data[sibling].parent, sibling, parent);
    t->nodes.data[parent].left = sibling;
    t->nodes.data[parent].right = leaf;
    t->nodes.data[sibling].parent = parent;
    t->nodes.data[leaf].parent = parent;
    fit_upward(t, parent);
}

static void unlink_leaf(tree *t, uint32_t leaf)
{
    uint32_t parent = t->nodes.data[leaf].parent;
    if (parent == 0) {
        t->root = 0;
        return;
    }
    const tree_node *p = &t->nodes.data[parent];
    uint32_t sibling = p->left == leaf ? p->right : p->left;
    uint32_t above = p->parent;
    replace_child(t, above, parent, sibling);
    node_release(t, parent);
    fit_upward(t, above);
}

// Marks a leaf and all above it as new.
static void mark_new(tree *t, uint32_t leaf)
{
    tree_node *nodes = t->nodes.data;
    for (uint32_t n = leaf; n != 0 && nodes[n].enlarged == 0; n = nodes[n].parent) {
        nodes[n].enlarged = 1;
    }
}

uint32_t tree_insert(tree *t, aabb box, uint32_t item)
{
    uint32_t leaf = node_take(t);
    t->nodes.data[leaf].box = box;
    t->nodes.data[leaf].right = item;
    link_leaf(t, leaf);
    mark_new(t, leaf);
    t->leaf_count++;
    return leaf;
}

void tree_remove(tree *t, uint32_t leaf)
{
    ASSERT_SLOW(is_leaf(&t->nodes.data[leaf]));
    unlink_leaf(t, leaf);
    node_release(t, leaf);
    t->leaf_count--;
}

void tree_move(tree *t, uint32_t leaf, aabb box)
{
    unlink_leaf(t, leaf);
    t->nodes.data[leaf].box = box;
    t->nodes.data[leaf].enlarged = 0;
    link_leaf(t, leaf);
    mark_new(t, leaf);
}

void tree_enlarge(tree *t, uint32_t leaf, aabb box)
{
    tree_node *nodes = t->nodes.data;
    nodes[leaf].box = box;
    mark_new(t, leaf);
    for (uint32_t n = nodes[leaf].parent; n != 0 && !aabb_contains(nodes[n].box, box);
         n = nodes[n].parent) {
        nodes[n].box = aabb_union(nodes[n].box, box);
    }
}

// ---- refresh

// Takes the enlarged nodes under `n` apart: inner ones are freed, the subtrees below are collected.
static void collect_parts(tree *t, uint32_t n)
{
    tree_node *node = &t->nodes.data[n];
    if (node->enlarged == 0 || is_leaf(node)) {
        node->enlarged = 0;
        array_push(&t->scratch, n);
        return;
    }
    uint32_t left = node->left;
    uint32_t right = node->right;
    collect_parts(t, left);
    collect_parts(t, right);
    node_release(t, n);
}

static float center_on(const tree_node *node, bool along_x)
{
    return along_x ? node->box.lower.x + node->box.upper.x : node->box.lower.y + node->box.upper.y;
}

// Puts the parts whose centres are below the middle of all centres first; returns how many.
// Where the middle does not divide (or very unevenly), half of them.
static uint32_t partition(const tree *t, uint32_t *parts, uint32_t count)
{
    vec2 lower = {INFINITY, INFINITY};
    vec2 upper = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++) {
        const tree_node *node = &t->nodes.data[parts[i]];
        vec2 c = {center_on(node, true), center_on(node, false)};
        lower = vec2_min(lower, c);
        upper = vec2_max(upper, c);
    }
    bool along_x = upper.x - lower.x >= upper.y - lower.y;
    float middle = along_x ? 0.5f * (lower.x + upper.x) : 0.5f * (lower.y + upper.y);
    uint32_t below = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (center_on(&t->nodes.data[parts[i]], along_x) < middle) {
            uint32_t part = parts[i];
            parts[i] = parts[below];
            parts[below++] = part;
        }
    }
    return below < count / 16 || below > count - count / 16 || below == 0 || below == count
               ? count / 2
               : below;
}

static uint32_t build(tree *t, uint32_t *parts, uint32_t count)
{
    if (count == 1) {
        return parts[0];
    }
    uint32_t below = partition(t, parts, count);
    uint32_t left = build(t, parts, below);
    uint32_t right = build(t, parts + below, count - below);
    uint32_t n = node_take(t);
    t->nodes.data[n].left = left;
    t->nodes.data[n].right = right;
    t->nodes.data[left].parent = n;
    t->nodes.data[right].parent = n;
    node_fit(t, n);
    return n;
}

void tree_refresh(tree *t)
{
    if (t->root == 0 || t->nodes.data[t->root].enlarged == 0) {
        return;
    }
    array_clear(&t->scratch);
    collect_parts(t, t->root);
    t->root = build(t, t->scratch.data, t->scratch.count);
    t->nodes.data[t->root].parent = 0;
}

// ---- questions

void tree_query(const tree *t, aabb box, tree_visit visit, void *context)
{
    uint32_t stack[STACK_MAX];
    int top = 0;
    if (t->root != 0) {
        stack[top++] = t->root;
    }
    while (top > 0) {
        const tree_node *node = &t->nodes.data[stack[--top]];
        if (!aabb_overlaps(node->box, box)) {
            continue;
        }
        if (is_leaf(node)) {
            if (!visit(context, node->right)) {
                return;
            }
            continue;
        }
        ASSERT(top + 2 <= STACK_MAX);
        stack[top++] = node->right;
        stack[top++] = node->left;
    }
}

// Two subtrees, of one tree or of two; the same one twice stands for the pairs within it.
typedef struct node_pair {
    uint32_t a, b;
} node_pair;

// What is left to do of a pair, pushed on the stack: the parts of the higher one against the other.
static int split_pair(const tree *a, const tree *b, node_pair pair, node_pair *parts)
{
    const tree_node *na = &a->nodes.data[pair.a];
    const tree_node *nb = &b->nodes.data[pair.b];
    if (a == b && pair.a == pair.b) {
        parts[0] = (node_pair){na->left, na->right};
        parts[1] = (node_pair){na->right, na->right};
        parts[2] = (node_pair){na->left, na->left};
        return 3;
    }
    if (na->height >= nb->height) {
        parts[0] = (node_pair){na->left, pair.b};
        parts[1] = (node_pair){na->right, pair.b};
    } else {
        parts[0] = (node_pair){pair.a, nb->left};
        parts[1] = (node_pair){pair.a, nb->right};
    }
    return 2;
}

void tree_new_pairs(const tree *a, const tree *b, tree_pair_visit visit, void *context)
{
    node_pair stack[2 * STACK_MAX];
    int top = 0;
    if (a->root != 0 && b->root != 0) {
        stack[top++] = (node_pair){a->root, b->root};
    }
    while (top > 0) {
        node_pair pair = stack[--top];
        const tree_node *na = &a->nodes.data[pair.a];
        const tree_node *nb = &b->nodes.data[pair.b];
        bool same = a == b && pair.a == pair.b;
        if ((na->enlarged | nb->enlarged) == 0 || (same && is_leaf(na)) ||
            (!same && !aabb_overlaps(na->box, nb->box))) {
            continue;
        }
        if (is_leaf(na) && is_leaf(nb)) {
            visit(context, na->right, nb->right);
            continue;
        }
        ASSERT(top + 3 <= 2 * STACK_MAX);
        top += split_pair(a, b, pair, &stack[top]);
    }
}

// Whether the ray meets the box, grown by `extents`, before `fraction`: the slabs of Kay and Kajiya
// 1986. Doubles, for rays may be long and far out.
static bool ray_meets(aabb box, vec2d from, vec2d by, vec2 extents, float fraction)
{
    double enter = 0.0;
    double leave = (double)fraction;
    const double lower[2] = {(double)box.lower.x - (double)extents.x,
                             (double)box.lower.y - (double)extents.y};
    const double upper[2] = {(double)box.upper.x + (double)extents.x,
                             (double)box.upper.y + (double)extents.y};
    const double start[2] = {from.x, from.y};
    const double step[2] = {by.x, by.y};
    for (int axis = 0; axis < 2; axis++) {
        if (step[axis] == 0.0) {
            if (start[axis] < lower[axis] || start[axis] > upper[axis]) {
                return false;
            }
            continue;
        }
        double first = (lower[axis] - start[axis]) / step[axis];
        double second = (upper[axis] - start[axis]) / step[axis];
        double near = first < second ? first : second;
        double far = first < second ? second : first;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
        if (enter > leave) {
            return false;
        }
    }
    return true;
}

void tree_ray(const tree *t, vec2d from, vec2d translation, vec2 extents, float fraction,
              tree_ray_visit visit, void *context)
{
    uint32_t stack[STACK_MAX];
    int top = 0;
    if (t->root != 0) {
        stack[top++] = t->root;
    }
    while (top > 0) {
        const tree_node *node = &t->nodes.data[stack[--top]];
        if (!ray_meets(node->box, from, translation, extents, fraction)) {
            continue;
        }
        if (is_leaf(node)) {
            fraction = visit(context, node->right, fraction);
            if (fraction <= 0.0f) {
                return;
            }
            continue;
        }
        ASSERT(top + 2 <= STACK_MAX);
        stack[top++] = node->right;
        stack[top++] = node->left;
    }
}

static uint32_t validate_node(const tree *t, uint32_t n, uint32_t parent, uint32_t *leaves)
{
    const tree_node *node = &t->nodes.data[n];
    ASSERT(node->parent == parent);
    if (is_leaf(node)) {
        ASSERT(node->height == 0);
        (*leaves)++;
        return 0;
    }
    uint32_t left = validate_node(t, node->left, n, leaves);
    uint32_t right = validate_node(t, node->right, n, leaves);
    uint32_t height = 1 + (left > right ? left : right);
    ASSERT(node->height == height);
    ASSERT(aabb_contains(node->box, t->nodes.data[node->left].box));
    ASSERT(aabb_contains(node->box, t->nodes.data[node->right].box));
    return height;
}

uint32_t tree_validate(const tree *t)
{
    uint32_t leaves = 0;
    uint32_t height = t->root == 0 ? 0 : validate_node(t, t->root, 0, &leaves);
    ASSERT(leaves == t->leaf_count);
    return height;
}
