// The boxes of bodies in the broad phase: how far ahead of a fast body they extend, and when they
// are examined again.
#include "common/physics/state/broad_phase/boxes.h"

// The share of the room in a box that a body may use up before the box is examined again; rounding
// takes a little.
#define ROOM_SHARE 0.99f

// In a pile, neighbours mostly move alike, and boxes that extend ahead would only add pairs: the
// box of a touched body does so only if the body moves farther than this in a step [m].
#define AHEAD_HELD 0.4f
// The farthest that a box extends ahead, so that very fast bodies do not pair with half the world
// [m].
#define AHEAD_MAX  2.0f

aabb box_with_way_ahead(const physics_world *world, const shape *s, aabb tight)
{
    const body_state *state = &world->states.data[s->body];
    if ((state->flags & STATE_DYNAMIC) == 0 || (s->flags & SHAPE_SENSOR) != 0) {
        return tight;
    }
    const bool lively = world->step.lively; // boxes then cover the whole path, for impacts
    if (!lively && s->traits->restitution > 0.0f) {
        return tight;
    }
    bool is_free = world->colours_used.data[s->body] == 0;
    float least = lively    ? world->step.quick_way
                  : is_free ? ahead_from(s->traits->extent_min)
                            : AHEAD_HELD;
    vec2 way = way_in_a_step(world, state);
    float length = vec2_length(way);
    if (length <= least) {
        return tight;
    }
    const bool whole = length <= (lively ? FOLLOWED_WAY_MAX : AHEAD_MAX);
    way = vec2_scale(whole ? 1.0f : AHEAD_MAX / length, way);
    const aabb box = {vec2_min(tight.lower, vec2_add(tight.lower, way)),
                      vec2_max(tight.upper, vec2_add(tight.upper, way))};
    return lively ? aabb_expand(box, world->step.quick_slack) : box;
}

// Boxes are examined when the body may have left one of them: after it has moved by the least room
// left in any. Adds shapes with new boxes to `renewed`.
void body_look_at_boxes(physics_world *world, uint32_t slot, slot_list *renewed)
{
    body_motion *m = &world->motions.data[slot];
    float room = INFINITY;
    for (uint32_t k = world->bodies.data[slot].shapes; k != NONE; k = world->shapes.data[k].next) {
        bool has_left = false;
        float left = shape_fit_box(world, k, &has_left);
        if (has_left) {
            array_push(renewed, k);
        }
        bool sensor = (world->shapes.data[k].flags & SHAPE_SENSOR) !=
                      0; // a sensor may extend beyond extent_max
        room = float_min(room, sensor ? 0.0f : left);
    }
    m->room = ROOM_SHARE * room;
}

void body_update_boxes(physics_world *world, uint32_t slot, float moved)
{
    body_motion *m = &world->motions.data[slot];
    m->room -= moved;
    if (!body_has_room(world, slot)) {
        slot_list renewed = {0};
        body_look_at_boxes(world, slot, &renewed);
        for (uint32_t i = 0; i < renewed.count; i++) {
            shape_enter_box(world, renewed.data[i]);
        }
        array_free(&renewed);
    }
}
