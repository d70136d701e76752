// Finds the next hit of each disc: contacts as impacts.c uses them, and the queue of coming
// impacts.
//
// The queue is a binary heap, earliest first and for equal times the lowest contact first, so that
// its order depends on no list. An event is outdated when one of its paths has changed since: each
// impact increments the path's version.
#include "common/physics/step/impact_meetings.h"

#include "common/physics/step/one_way.h"
#include "common/physics/step/step_scratch.h"

impact_path *path_at(physics_world *world, uint32_t body_)
{
    step_scratch *s = world->scratch;
    if (s->path_of.data[body_] == 0) {
        s->path_of.data[body_] = s->paths.count;
        array_push(&s->paths, path_of_body(world, body_));
    }
    return &s->paths.data[s->path_of.data[body_]];
}

const impact_path *path_known(const physics_world *world, uint32_t body_)
{
    const step_scratch *s = world->scratch;
    return &s->paths.data[s->path_of.data[body_]];
}

bool meeting_of(physics_world *world, const contact *c, meeting *out)
{
    if ((c->flags & CONTACT_SENSOR) != 0) {
        return false;
    }
    const step_scratch *s = world->scratch;
    path_at(world, c->body_a);
    path_at(world, c->body_b);
    uint32_t disc = s->path_of.data[c->body_b];
    uint32_t other = s->path_of.data[c->body_a];
    uint32_t shape_ = c->shape_a;
    out->turned = s->paths.data[disc].kind != PATH_DISC;
    if (out->turned) {
        uint32_t swapped = disc;
        disc = other;
        other = swapped;
        shape_ = c->shape_b;
        if (s->paths.data[disc].kind != PATH_DISC) {
            return false;
        }
    }
    out->disc = disc;
    out->other = other;
    const impact_path *second = &s->paths.data[other];
    const body_motion *m = &world->motions.data[second->body];
    out->pair = (path_pair){
        .disc = &s->paths.data[disc],
        .other = second,
        .geometry = second->kind == PATH_DISC ? NULL : &world->shapes.data[shape_].traits->geometry,
        .rotation = m->rotation,
        .center = m->local_center,
    };
    return true;
}

static double restitution_of(const physics_world *world, const contact *c)
{
    return (double)contact_surface(world, c).restitution;
}

double meeting_limit(const physics_world *world, const contact *c)
{
    const double threshold = (double)world->step.restitution_threshold;
    if (!(restitution_of(world, c) > 0.0) || threshold > SPEED_DULL) {
        return SPEED_DULL;
    }
    return threshold > SPEED_LEAST ? threshold : SPEED_LEAST;
}

// The joints of a body hold it on another path: only contacts with restitution count.
static bool counts(const physics_world *world, const contact *c, const meeting *m)
{
    bool jointed = m->pair.disc->jointed || m->pair.other->jointed;
    return !jointed || restitution_of(world, c) > 0.0;
}

double meeting_clock(const meeting *m)
{
    return m->pair.disc->clock > m->pair.other->clock ? m->pair.disc->clock : m->pair.other->clock;
}

// ---- the events, earliest first

static bool comes_before(const impact_event *a, const impact_event *b)
{
    return a->at != b->at ? a->at < b->at : a->contact < b->contact;
}

static void push(step_scratch *s, impact_event event)
{
    array_push(&s->meetings, event);
    impact_event *heap = s->meetings.data;
    uint32_t i = s->meetings.count - 1;
    while (i > 0 && comes_before(&event, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = event;
}

impact_event meeting_pop(step_scratch *s)
{
    impact_event *heap = s->meetings.data;
    const impact_event first = heap[0];
    const impact_event last = heap[--s->meetings.count];
    const uint32_t count = s->meetings.count;
    uint32_t i = 0;
    for (uint32_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && comes_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!comes_before(&heap[child], &last)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last; // an empty heap has nothing at 0
    return first;
}

// False if the two are too far apart to meet in this step, and neither has been struck yet.
static bool may_meet(const physics_world *world, const contact *c)
{
    if (path_known(world, c->body_a)->changed || path_known(world, c->body_b)->changed) {
        return true;
    }
    const vec2 between = vec2d_relative(world->motions.data[c->body_a].center,
                                        world->motions.data[c->body_b].center);
    const float reach =
        world->extents.data[c->body_a].extent_max + world->extents.data[c->body_b].extent_max;
    const vec2 way = vec2_sub(path_free_way(world, c->body_b), path_free_way(world, c->body_a));
    return vec2_length(between) <= reach + vec2_length(way) + SPECULATIVE_DISTANCE;
}

// Whether one-way shapes of the contact let the impact at that time be.
static bool lets_impact(const physics_world *world, const contact *c, const meeting *m, double at)
{
    if (c->one_way == 0) {
        return true;
    }
    const vec2d from_other = path_gap_at(&m->pair, at).normal;
    const float side = m->turned ? -1.0f : 1.0f;
    const vec2 normal = {side * (float)from_other.x, side * (float)from_other.y};
    return (c->one_way & ONE_WAY_PASSING) == 0 &&
           one_way_admits(&world->shapes.data[c->shape_a], world->motions.data[c->body_a].rotation,
                          &world->shapes.data[c->shape_b], world->motions.data[c->body_b].rotation,
                          normal);
}

bool meeting_look_for(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    meeting m;
    if (!may_meet(world, c) || !meeting_of(world, c, &m) ||
        (m.pair.disc->left && m.pair.other->left) || !counts(world, c, &m)) {
        return false;
    }
    double at;
    path_gap begin;
    path_meeting met = path_first_meeting(&m.pair, meeting_clock(&m), (double)world->step.dt,
                                          meeting_limit(world, c), &at, &begin);
    if (met != PATH_APART && !lets_impact(world, c, &m, at)) {
        return false;
    }
    if (met == PATH_IMPACT) {
        push(world->scratch, (impact_event){at, slot, path_known(world, c->body_a)->version,
                                            path_known(world, c->body_b)->version});
    }
    if (met != PATH_APART || m.pair.disc->jointed || m.pair.other->jointed ||
        m.pair.other->kind == PATH_OTHER) {
        return false;
    }
    // Contacts without restitution are made from the place where the two would meet
    // (speculative.c).
    return restitution_of(world, c) > 0.0 ? begin.distance < (double)SPECULATIVE_DISTANCE
                                          : begin.rate < -0.5 * SPEED_DULL;
}
