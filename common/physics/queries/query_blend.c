// A world between two of its ticks, for queries: see query_blend().
#include "common/physics/queries/query_internal.h"
#include "common/physics/state/broad_phase/boxes.h"

static const double TURN = 6.283185307179586; // [rad]

// Interpolates from one angle to the other the short way round.
static rot rotation_between(rot a, rot b, double share)
{
    const double from = rot_angle(a);
    double turn = rot_angle(b) - from;
    turn -= turn > 0.5 * TURN ? TURN : turn < -0.5 * TURN ? -TURN : 0.0;
    return rot_from_angle(from + share * turn);
}

static void blend_body(physics_world *world, uint32_t slot, const body_motion *next, double share)
{
    body_motion *m = &world->motions.data[slot];
    const bool turned = m->rotation.c != next->rotation.c || m->rotation.s != next->rotation.s;
    if (!turned && m->position.x == next->position.x && m->position.y == next->position.y) {
        return;
    }
    const vec2d way = vec2d_sub(next->position, m->position);
    m->position = (vec2d){m->position.x + share * way.x, m->position.y + share * way.y};
    if (turned) {
        m->rotation = rotation_between(m->rotation, next->rotation, share);
    }
    body_set_center_from_pose(m);
    body_update_boxes(world, slot, INFINITY);
}

void query_blend(physics_world *world, const physics_world *next, double share)
{
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        if (slots_find(&next->body_slots, slots_id(&world->body_slots, slot)) == slot) {
            blend_body(world, slot, &next->motions.data[slot], share);
        }
    }
}
