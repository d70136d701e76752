// Impacts of discs, each at the moment at which it happens.
//
// A solver that looks at a step as a whole has the normal of the step's beginning. Round bodies
// meet with another normal, which differs the more the faster they are. So a disc (a dynamic body
// of one circle about its centre of mass) that closes fast on another disc, or on anything static
// or kinematic, is followed through the step before anything is solved: where the two first meet
// (impact_path.c) they rebound by Newton's law of impact, with  Coulomb's friction, and continue
// from there. Impacts are taken in the order of time, each body with a clock of its own
// (event-driven simulation: B. Alder, T. Wainwright, "Studies in Molecular Dynamics", 1959; B.
// Lubachevsky, "How to Simulate Billiards and Similar Systems", 1991); those of one moment together
// (impact_blows.c). In a row of touching discs, momentum passes from pair to pair: a struck disc
// closes on the next one at the next moment, which has the same time.
//
// The solver knows nothing of impacts. A struck body begins the step with its last velocity, at a
// place from which this velocity takes it to the end of its path. Its contacts with bodies that it
// does not touch at the end are hidden from the solver, which would otherwise strike them twice,
// push out a body that rebounds, or hold back a body that flies past. Slow contacts (rolling,
// resting, lying in a heap) are left to the solver, as are all other shapes: a disc that touches a
// moving body of another shape is not followed further.
//
// A disc on which another moving body pressed in the last step is left to the solver too: in a
// heap, a struck body cannot get away, and impacts followed one by one would never come to an end,
// and never to rest.
//
// Boxes extend along new paths, so that every body on them is known: see impact_boxes.c.
//
// Serial. The order of events is by time and contact, so it does not depend on the order of any
// list; a world without a fast disc only pays for a check of its bodies.
#include "common/physics/step/impacts.h"

#include "common/physics/state/bodies/body_special.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/impact_boxes.h"
#include "common/physics/step/impact_meetings.h"
#include "common/physics/step/step.h"
#include "common/physics/step/step_scratch.h"
#include "common/physics/state/world.h"

#include <string.h>

// A static or kinematic body that moves less in a step does not search for discs: they find it [m].
#define STANDING_WAY 0.1f
#define MOMENT       1e-6 // impacts within this time of each other count as simultaneous [s]
#define GLIDES_OFF   1e-5 // surfaces farther apart at the end of a step do not touch [m]
#define SEAM_STEP    (0.5 * (double)LINEAR_SLOP) // surfaces that rise by less are not a step [m]

static double dot(vec2d a, vec2d b)
{
    return a.x * b.x + a.y * b.y;
}

// ---- fast bodies

// The speed of the fastest point of a static or kinematic body.
static float speed_of_standing(const physics_world *world, uint32_t slot)
{
    const body_state *s = &world->states.data[slot];
    return vec2_length(s->velocity) +
           float_abs(s->angular_velocity) * world->extents.data[slot].extent_max;
}

static void collect_quick(physics_world *world)
{
    step_scratch *s = world->scratch;
    const float speed = world->step.quick_speed;
    const float squared = speed * speed;
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        const uint32_t slot = world->awake_bodies.data[i];
        const body_state *state = &world->states.data[slot];
        const float own = vec2_length_squared(state->velocity);
        if ((state->flags & STATE_DYNAMIC) == 0) {
            if (world->step.dt * speed_of_standing(world, slot) > STANDING_WAY) {
                array_push(&s->quick, slot);
            }
        } else if (own > squared) {
            // The box of a body with room left extends ahead; see finalize.c.
            const bool alone = world->motions.data[slot].room > 0.0f &&
                               world->bodies.data[slot].contact_count == 0;
            if (!alone && body_may_be_disc(&world->extents.data[slot])) {
                array_push(&s->quick, slot);
            }
        }
    }
}

// Examines the contacts of fast bodies. Those of two fast ones are found twice and kept once.
static void look_at_quick(physics_world *world)
{
    step_scratch *s = world->scratch;
    for (uint32_t i = 0; i < s->quick.count; i++) {
        uint32_t slot = s->quick.data[i];
        for (uint32_t key = world->bodies.data[slot].contacts; key != NONE;) {
            if (meeting_look_for(world, key >> 1)) {
                array_push(&s->parted, key >> 1);
            }
            key = world->contacts.data[key >> 1].edges[key & 1].next;
        }
    }
}

// ---- an impact

// Whether the disc slides on another still shape above which this one does not rise: then it meets
// a seam of the floor, not a wall (ghost_collisions.c).
static bool is_seam(physics_world *world, const meeting *m, uint32_t slot, const path_gap *gap,
                    double at)
{
    const uint32_t body_ = m->pair.disc->body;
    for (uint32_t key = world->bodies.data[body_].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        meeting of;
        if (key >> 1 != slot && meeting_of(world, c, &of) && of.pair.other->kind == PATH_STANDING) {
            const path_gap on = path_gap_at(&of.pair, at);
            if (on.distance < SEAM_STEP && on.rate > -meeting_limit(world, c) &&
                on.rate < meeting_limit(world, c) &&
                dot(on.normal, vec2d_sub(gap->place, on.place)) < SEAM_STEP) {
                return true;
            }
        }
        key = world->contacts.data[key >> 1].edges[key & 1].next;
    }
    return false;
}

// A chain's piece is touched only from its right side, and not along normals that its neighbours
// exclude: the manifold decides.
static bool chain_is_met(const physics_world *world, const meeting *m, path_gap *gap, double at)
{
    if (m->pair.geometry == NULL || m->pair.geometry->kind != SHAPE_CHAIN_SEGMENT) {
        return true;
    }
    const body_motion *still = &world->motions.data[m->pair.other->body];
    const shape_geometry ball = {.kind = SHAPE_CIRCLE,
                                 .circle = {{0.0f, 0.0f}, (float)m->pair.disc->radius}};
    const vec2d moved = vec2d_sub(path_place(m->pair.other, at), still->center);
    const pose frame = {vec2d_add(still->position, moved), still->rotation};
    const transform relative =
        pose_relative(frame, (pose){path_place(m->pair.disc, at), ROT_IDENTITY});
    const manifold found = manifold_shapes(m->pair.geometry, &ball, relative);
    if (found.count == 0) {
        return false;
    }
    const vec2d normal = vec2d_from(rot_vec(frame.q, found.normal));
    gap->rate = gap->rate * dot(normal, gap->normal);
    gap->normal = normal;
    return true;
}

static void look_at_body(physics_world *world, uint32_t slot)
{
    for (uint32_t key = world->bodies.data[slot].contacts; key != NONE;) {
        meeting_look_for(world, key >> 1);
        key = world->contacts.data[key >> 1].edges[key & 1].next;
    }
}

// If one of two meeting bodies is left to the solver, so is the other.
static bool is_left(impact_path *disc, impact_path *other)
{
    if (other->kind == PATH_STANDING) {
        return disc->left;
    }
    const bool many = disc->impacts >= IMPACTS_OF_BODY_MAX || other->impacts >= IMPACTS_OF_BODY_MAX;
    if (disc->left || other->left || other->kind == PATH_OTHER || many) {
        disc->left = true;
        other->left = true;
    }
    return disc->left;
}

static bool is_current(const physics_world *world, const impact_event *event)
{
    const contact *c = &world->contacts.data[event->contact];
    return path_known(world, c->body_a)->version == event->version_a &&
           path_known(world, c->body_b)->version == event->version_b;
}

// Whether an event that has come up is an impact, which is then written to *out.
static bool is_impact(physics_world *world, const impact_event *event, impact_blow *out)
{
    step_scratch *s = world->scratch;
    const contact *c = &world->contacts.data[event->contact];
    meeting m;
    if (!meeting_of(world, c, &m) || !is_current(world, event)) {
        return false;
    }
    impact_path *disc = &s->paths.data[m.disc];
    impact_path *other = &s->paths.data[m.other];
    if (disc->impacts >= IMPACTS_OF_BODY_MAX) {
        disc->left = true;
    }
    path_gap gap = path_gap_at(&m.pair, event->at);
    if (is_left(disc, other) || !chain_is_met(world, &m, &gap, event->at) ||
        gap.rate >= -meeting_limit(world, c) ||
        (other->kind == PATH_STANDING && is_seam(world, &m, event->contact, &gap, event->at))) {
        return false;
    }
    disc = &s->paths.data[m.disc]; // is_seam() may have added paths
    other = &s->paths.data[m.other];
    *out = (impact_blow){
        .contact = event->contact,
        .disc = m.disc,
        .other = m.other,
        .turned = m.turned,
        .normal = gap.normal,
        .place = gap.place,
        .arm = {-disc->radius * gap.normal.x, -disc->radius * gap.normal.y},
        .other_arm = vec2d_sub(gap.place, path_place(other, event->at)),
    };
    return true;
}

// Collects the impacts of the next moment. (An event may have been found twice.)
static void collect_moment(physics_world *world)
{
    step_scratch *s = world->scratch;
    array_clear(&s->blows);
    const double until = s->meetings.data[0].at + MOMENT;
    double last = 0.0;
    uint32_t before = NONE;
    while (s->meetings.count > 0 && s->meetings.data[0].at <= until) {
        const impact_event event = meeting_pop(s);
        impact_blow blow;
        if (event.contact != before && is_impact(world, &event, &blow)) {
            array_push(&s->blows, blow);
            last = event.at;
        }
        before = event.contact;
    }
    for (uint32_t i = 0; i < s->blows.count; i++) {
        path_advance(&s->paths.data[s->blows.data[i].disc], last);
        impact_path *other = &s->paths.data[s->blows.data[i].other];
        if (other->kind == PATH_DISC) {
            path_advance(other, last);
        }
    }
}

// Lists the bodies that were struck, each once.
static void list_struck(step_scratch *s)
{
    array_clear(&s->listed);
    for (uint32_t i = 0; i < s->blows.count; i++) {
        const uint32_t paths[2] = {s->blows.data[i].disc, s->blows.data[i].other};
        for (int side = 0; side < 2; side++) {
            impact_path *p = &s->paths.data[paths[side]];
            if (p->kind == PATH_DISC && p->blows > 0) {
                array_push(&s->listed, p->body);
            }
            p->blows = 0;
        }
    }
}

static void go_through_moment(physics_world *world)
{
    step_scratch *s = world->scratch;
    collect_moment(world);
    if (s->blows.count == 0) {
        return;
    }
    strike_blows(world);
    list_struck(s);
    impact_boxes_follow_struck(world);
    for (uint32_t i = 0; i < s->listed.count; i++) {
        look_at_body(world, s->listed.data[i]);
    }
}

// ---- the end

// Sets the state from which the solver continues.
static void place_start(physics_world *world, const impact_path *p)
{
    body_motion *m = &world->motions.data[p->body];
    body_state *state = &world->states.data[p->body];
    const path_start start = path_start_of(world, p);
    m->center = start.place;
    if (p->turned != 0.0) {
        m->rotation = rot_normalize(rot_mul(rot_from_angle(-p->turned), m->rotation));
    }
    body_set_pose_from_center(m);
    m->room = 0.0f;
    state->velocity = start.velocity;
    state->angular_velocity = (float)p->spin;
}

// The outcome for a contact of a struck body.
typedef enum outlook { LOOK_SOLVED, LOOK_PARTED, LOOK_JOINED } outlook;

// Whether two bodies that touch when one of them is struck, and do not close then, do not press on
// each other in the rest of the step either. The solver, in which the struck body starts elsewhere,
// would press them. Two discs are excluded: a disc on which another presses is no longer a disc in
// the next step (is_piled()).
static bool glides_off(const physics_world *world, const path_pair *pair, const path_gap *begin)
{
    if (pair->other->kind == PATH_DISC && begin->rate > -SPEED_LEAST) {
        return true;
    }
    const path_gap end = path_gap_at(pair, (double)world->step.dt);
    return end.distance > GLIDES_OFF && end.rate > 0.0;
}

// LOOK_PARTED: the two do not touch in the rest of the step. A contact without an impact may still
// press, if a joint holds one of the bodies or the solver continues with it.
static outlook look_ahead_of(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    meeting m;
    if (!meeting_of(world, c, &m) || m.pair.other->kind == PATH_OTHER) {
        return LOOK_SOLVED;
    }
    impact_report told;
    const bool struck = impact_told(world, slot, &told);
    const bool left = m.pair.disc->left || m.pair.other->left;
    if (!struck && (left || m.pair.disc->jointed || m.pair.other->jointed)) {
        return LOOK_SOLVED;
    }
    double at;
    path_gap begin;
    const path_meeting met = path_first_meeting(&m.pair, meeting_clock(&m), (double)world->step.dt,
                                                meeting_limit(world, c), &at, &begin);
    if (met == PATH_APART || (!struck && glides_off(world, &m.pair, &begin))) {
        return LOOK_PARTED;
    }
    return struck && !left ? LOOK_JOINED : LOOK_SOLVED;
}

static void sort_reports(step_scratch *s)
{
    array_clear(&s->told);
    for (uint32_t i = 0; i < s->reports.count; i++) {
        array_push(&s->told, ((item_pair){s->reports.data[i].contact, i}));
    }
    sort_pairs(&s->told, &s->found_in[0]);
}

static bool is_changed(const physics_world *world, uint32_t body_)
{
    return path_known(world, body_)->changed;
}

// Keeps those contacts of unchanged bodies (no impact changed either) that fly past; adds those of
// the other bodies.
static void find_parted(physics_world *world)
{
    step_scratch *s = world->scratch;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->parted.count; i++) {
        const contact *c = &world->contacts.data[s->parted.data[i]];
        if (!is_changed(world, c->body_a) && !is_changed(world, c->body_b)) {
            s->parted.data[kept++] = s->parted.data[i];
        }
    }
    s->parted.count = kept;
    const uint32_t count = s->paths.count; // more paths may be added, but none of those has changed
    for (uint32_t i = 1; i < count; i++) {
        if (!s->paths.data[i].changed) {
            continue;
        }
        for (uint32_t key = world->bodies.data[s->paths.data[i].body].contacts; key != NONE;) {
            const outlook is = look_ahead_of(world, key >> 1);
            if (is != LOOK_SOLVED) {
                array_push(is == LOOK_PARTED ? &s->parted : &s->joined, key >> 1);
            }
            key = world->contacts.data[key >> 1].edges[key & 1].next;
        }
    }
    s->parted.count = sort_slots(s->parted.data, s->parted.count);
    s->joined.count = sort_slots(s->joined.data, s->joined.count);
}

void forget_impacts(physics_world *world)
{
    step_scratch *s = world->scratch;
    for (uint32_t i = 1; i < s->paths.count; i++) {
        s->path_of.data[s->paths.data[i].body] = 0;
    }
}

static void clear_impacts(step_scratch *s)
{
    array_clear(&s->paths);
    array_clear(&s->meetings);
    array_clear(&s->reports);
    array_clear(&s->told);
    array_clear(&s->met_pairs);
    s->met_standing = s->met_moving = 0;
    array_clear(&s->quick);
    array_clear(&s->parted);
    array_clear(&s->joined);
    array_clear(&s->grown);
}

void resolve_impacts(physics_world *world)
{
    step_scratch *s = world->scratch;
    clear_impacts(s);
    if (!world->step.lively) {
        return; // see LIVELY_LEAST
    }
    collect_quick(world);
    if (s->quick.count == 0) {
        return;
    }
    array_reserve(&s->path_of, world->bodies.count);
    array_push(&s->paths, ((impact_path){0}));
    impact_boxes_cover_quick(world);
    look_at_quick(world);
    while (s->meetings.count > 0) {
        go_through_moment(world);
    }
    sort_reports(s);
    find_parted(world);
    for (uint32_t i = 1; i < s->paths.count; i++) {
        if (s->paths.data[i].changed) {
            place_start(world, &s->paths.data[i]);
        }
    }
}

void part_impacts(physics_world *world)
{
    const slot_list *parted = &world->scratch->parted;
    for (uint32_t i = 0; i < parted->count; i++) {
        contact *c = &world->contacts.data[parted->data[i]];
        if (c->point_count == 0) {
            continue; // without points, or destroyed
        }
        c->point_count = 0;
        c->rolling_impulse = 0.0f;
        c->gap = 0.0f; // forces the next step to compute it again
        if ((c->flags & CONTACT_ACTIVE) != 0) {
            contact_leave(world, parted->data[i]);
        }
    }
}

// ---- questions of other files

bool impact_told(const physics_world *world, uint32_t slot, impact_report *out)
{
    const step_scratch *s = world->scratch;
    uint32_t low = 0;
    uint32_t high = s->told.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->told.data[middle].a < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == s->told.count || s->told.data[low].a != slot) {
        return false;
    }
    *out = s->reports.data[s->told.data[low].b];
    for (uint32_t i = low + 1; i < s->told.count && s->told.data[i].a == slot; i++) {
        const impact_report *more = &s->reports.data[s->told.data[i].b];
        const float impulse = out->impulse + more->impulse;
        *out = more->speed > out->speed ? *more : *out;
        out->impulse = impulse;
        out->at = more->at;
    }
    return true;
}

bool impact_find_place(const physics_world *world, uint32_t body_, vec2d *place)
{
    const step_scratch *s = world->scratch;
    if (body_ >= s->path_of.capacity || s->path_of.data[body_] == 0) {
        return false;
    }
    const impact_path *p = path_known(world, body_);
    *place = p->place;
    return p->changed;
}

float impact_find_end(const physics_world *world, uint32_t body_)
{
    vec2d place;
    const bool struck = world->scratch->paths.count > 0 && impact_find_place(world, body_, &place);
    const float at = struck ? (float)path_known(world, body_)->clock * world->step.inv_dt : 0.0f;
    return float_min(at, 1.0f);
}

bool impact_find_begin(const physics_world *world, uint32_t body_, vec2d *center)
{
    vec2d place;
    const bool struck = world->scratch->paths.count > 0 && impact_find_place(world, body_, &place);
    if (struck) {
        *center = path_known(world, body_)->began;
    }
    return struck;
}
