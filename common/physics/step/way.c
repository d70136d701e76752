// The paths of bodies in a step; see way.h.
#include "common/physics/step/way.h"
#include "common/physics/step/step_scratch.h"

#define PIECE_TURN (0.5 * PI_D) // the largest rotation in one sweep [rad]
#define TURNS_MAX  16.0         // the most whole turns of a path in a step: each takes four sweeps

// The rotation reduced by the whole turns beyond that limit. Both ends stay the same.
static double swept_turn(double turn)
{
    const double most = TURNS_MAX * 2.0 * PI_D;
    const double beyond = turn > most ? turn - most : turn < -most ? turn + most : 0.0;
    return turn - 2.0 * PI_D * (double)(int)(beyond / (2.0 * PI_D));
}

// The angle of a delta rotation, with the whole turns that only the spin shows.
double way_whole_turn(const physics_world *world, const body_state *s)
{
    double turn = arc_tangent((double)s->delta_rotation.s, (double)s->delta_rotation.c);
    double expected = (double)world->step.dt * (double)s->angular_velocity;
    while (expected - turn > PI_D) {
        turn += 2.0 * PI_D;
    }
    while (turn - expected > PI_D) {
        turn -= 2.0 * PI_D;
    }
    return swept_turn(turn);
}

uint32_t fast_index(const physics_world *world, uint32_t slot)
{
    uint32_t low = 0;
    uint32_t high = world->scratch->fast.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (world->scratch->fast.data[middle] < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < world->scratch->fast.count && world->scratch->fast.data[low] == slot
               ? low
               : world->scratch->fast.count;
}

way way_of(const physics_world *world, uint32_t slot)
{
    const body_motion *m = &world->motions.data[slot];
    const body_state *s = &world->states.data[slot];
    way w = {.local_center = m->local_center, .before = m->rotation, .stop = 1.0f};
    if (world->bodies.data[slot].type == BODY_STATIC) {
        w.start = m->center;
        return w;
    }
    w.from = impact_find_end(world, slot);
    uint32_t fast = fast_index(world, slot);
    if (fast < world->scratch->fast.count) {
        w.stop = world->scratch->stops.data[fast];
        w.by = s->delta_position;
        w.turn = w.stop < 1.0f
                     ? arc_tangent((double)s->delta_rotation.s, (double)s->delta_rotation.c)
                     : way_whole_turn(world, s);
        w.before = rot_inv_mul(s->delta_rotation, m->rotation);
    } else if (world->bodies.data[slot].type == BODY_KINEMATIC) {
        w.by = vec2_scale(world->step.dt, s->velocity);
        w.turn = swept_turn((double)world->step.dt * (double)s->angular_velocity);
        w.before = w.turn == 0.0 ? m->rotation : rot_mul(rot_from_angle(-w.turn), m->rotation);
    }
    w.start = vec2d_offset(m->center, vec2_neg(w.by));
    return w;
}

float way_gone(const way *w, float at)
{
    if (at <= w->from) {
        return 0.0f;
    }
    return at < w->stop ? (at - w->from) / (w->stop - w->from) : 1.0f;
}

rot way_rotation(const way *w, float gone)
{
    return w->turn == 0.0
               ? w->before
               : rot_normalize(rot_mul(rot_from_angle((double)gone * w->turn), w->before));
}

sweep way_piece(const way *w, vec2d origin, float from, float to)
{
    vec2 start = vec2d_relative(origin, w->start);
    from = way_gone(w, from);
    to = way_gone(w, to);
    return (sweep){
        .local_center = w->local_center,
        .c1 = vec2_mul_add(start, from, w->by),
        .c2 = vec2_mul_add(start, to, w->by),
        .q1 = way_rotation(w, from),
        .q2 = way_rotation(w, to),
    };
}

int way_pieces(const way *w)
{
    double turn = w->turn < 0.0 ? -w->turn : w->turn;
    return 1 + (int)(turn / PIECE_TURN);
}

aabb way_box(const way *w, const sweep *whole, const shape_geometry *geometry, float extent_max)
{
    if (way_pieces(w) > 1) { // the shape may have been anywhere around the body's centre
        aabb line = {vec2_min(whole->c1, whole->c2), vec2_max(whole->c1, whole->c2)};
        return aabb_at(w->start, aabb_expand(line, extent_max));
    }
    aabb before = shape_aabb(geometry, sweep_at(whole, 0.0f));
    aabb after = shape_aabb(geometry, sweep_at(whole, 1.0f));
    // A point leaves the hull of the two ends by at most the sagitta of its arc, which is less than
    // the chord.
    float chord = vec2_length((vec2){whole->q1.c - whole->q2.c, whole->q1.s - whole->q2.s});
    return aabb_at(w->start, aabb_expand(aabb_union(before, after), extent_max * chord));
}
