// Queries of a tree: the items that overlap a box, the items that a ray may hit.
#include "common/base/assert.h"
#include "common/physics/state/broad_phase/tree.h"

void tree_query(const tree *t, aabb box, tree_visit visit, void *context)
{
    if (t->root != 0) {
        t->kernels->query(t, box, visit, context);
    }
}

// Whether the ray meets the box, grown by `extents`, before `fraction`: the slabs of Kay and Kajiya
// 1986. It uses doubles because rays may be long and far from the origin.
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
    uint32_t stack[TREE_STACK_MAX]; // places: node * LANES + lane
    int top = 0;
    const uint32_t root = t->root;
    for (uint32_t lanes = root != 0 ? t->nodes.data[root].used : 0; lanes != 0;
         lanes &= lanes - 1) {
        stack[top++] = root * LANES + lowest_lane(lanes);
    }
    while (top > 0) {
        uint32_t place = stack[--top];
        const tree_node *node = &t->nodes.data[place / LANES];
        uint32_t lane = place % LANES;
        if (!ray_meets(wide_box_get(&node->box, lane), from, translation, extents, fraction)) {
            continue;
        }
        uint32_t child = node->child[lane];
        if ((node->leaves >> lane & 1) != 0) {
            fraction = visit(context, child, fraction);
            if (fraction <= 0.0f) {
                return;
            }
            continue;
        }
        ASSERT(top + LANES <= TREE_STACK_MAX);
        for (uint32_t lanes = t->nodes.data[child].used; lanes != 0; lanes &= lanes - 1) {
            stack[top++] = child * LANES + lowest_lane(lanes);
        }
    }
}
