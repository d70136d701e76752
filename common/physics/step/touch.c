// Touch events: reports begin, stay, end and hit after the step has been solved, when impulses are
// known, and the shapes that entered or left a sensor. Events refer to pairs of ids: a chain's
// touch begins with the first touched piece and ends with the last, and lasts in between.
#include "common/physics/state/contacts/contact_pair.h"
#include "common/physics/state/events.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/solver/solver_scratch.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

// ---- pairs of ids (contact_pair.h), before and after the step: contacts on the `ended` list have
// lost CONTACT_TOUCHING, those on the `began` list do not have it yet

static bool touched_before(const physics_world *world, uint32_t slot)
{
    return (world->contacts.data[slot].flags & CONTACT_TOUCHING) != 0 ||
           slot_is_among(&world->solver->ended, slot);
}

static bool touches_after(const physics_world *world, uint32_t slot)
{
    const uint32_t flags = world->contacts.data[slot].flags;
    return (flags & CONTACT_TOUCHING) != 0 ||
           ((flags & CONTACT_ACTIVE) != 0 && slot_is_among(&world->solver->began, slot));
}

// A pair in this step, from the side of one of its contacts.
typedef struct pair_step {
    bool touched, touches; // before and after the step
    bool struck;           // one of its contacts is on the list of begun ones
    bool first, last; // the contact is the lowest, or the highest, of the pair's contacts on a list
} pair_step;

// `list` contains the contact, so that list is not searched again.
static pair_step pair_of(const physics_world *world, uint32_t slot, const slot_list *list)
{
    const slot_list *began = &world->solver->began;
    const uint32_t flags = world->contacts.data[slot].flags;
    const bool struck = list == began || slot_is_among(began, slot);
    pair_step pair = {
        .touched = list == &world->solver->ended || touched_before(world, slot),
        .touches = (flags & CONTACT_TOUCHING) != 0 || ((flags & CONTACT_ACTIVE) != 0 && struck),
        .struck = struck,
        .first = true,
        .last = true,
    };
    pair_walk walk = pair_walk_of(world, slot);
    for (uint32_t other; (other = pair_walk_next(world, &walk)) != NONE;) {
        pair.touched = pair.touched || touched_before(world, other);
        pair.touches = pair.touches || touches_after(world, other);
        pair.struck = pair.struck || slot_is_among(&world->solver->began, other);
        if (slot_is_among(list, other)) {
            pair.first = pair.first && slot < other;
            pair.last = pair.last && other < slot;
        }
    }
    return pair;
}

// ---- events

// The fastest approach speed of the step.
static float closing_speed(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    impact_report told;
    float speed = impact_told(world, slot, &told) ? told.speed : 0.0f;
    float approach[2];
    contact_approach(world, c, approach);
    for (int k = 0; k < c->point_count; k++) {
        speed = float_max(speed, -approach[k]);
    }
    return speed;
}

static physics_event event_of_impact(const physics_world *world, event_kind kind, uint32_t slot)
{
    float approach[2];
    contact_approach(world, &world->contacts.data[slot], approach);
    physics_event event = event_of_contact(world, kind, slot, approach);
    impact_report told;
    if (kind != EVENT_END && impact_told(world, slot, &told)) {
        event.point = told.point;
        event.normal = told.normal;
        event.depth = 0.0f;
        event.speed = closing_speed(world, slot);
        event.impulse += told.impulse;
    }
    return event;
}

// An event of a pair has its deepest point, and the impulses of all of its contacts. These are
// added up by slot, since the walk follows a body's list, whose order an image does not keep.
static physics_event event_of_pair(const physics_world *world, event_kind kind, uint32_t slot)
{
    physics_event event = event_of_impact(world, kind, slot);
    if (!contact_has_pieces(world, &world->contacts.data[slot])) {
        return event;
    }
    slot_list *others = &world->scratch->all;
    array_clear(others);
    pair_walk walk = pair_walk_of(world, slot);
    for (uint32_t other; (other = pair_walk_next(world, &walk)) != NONE;) {
        if (touches_after(world, other)) {
            array_push(others, other);
        }
    }
    others->count = sort_slots(others->data, others->count);
    for (uint32_t i = 0; i < others->count; i++) {
        const physics_event more = event_of_impact(world, kind, others->data[i]);
        const float impulse = event.impulse + more.impulse;
        event = more.depth > event.depth ? more : event;
        event.impulse = impulse;
    }
    return event;
}

static void tell_contact(physics_world *world, event_kind kind, uint32_t slot)
{
    if (event_wanted(world, kind)) {
        const bool whole = kind == EVENT_BEGIN || kind == EVENT_STAY;
        const physics_event event =
            whole ? event_of_pair(world, kind, slot) : event_of_impact(world, kind, slot);
        event_push(world, &event);
    }
}

// Whether a pair with these flags reports its begin and end. If not, the search for the pair's
// other contacts, which takes most of the time here, is skipped.
static bool is_reported(const physics_world *world, uint32_t flags)
{
    const bool sensor = (flags & CONTACT_SENSOR) != 0;
    return (sensor || (flags & CONTACT_EVENTS) != 0) &&
           (event_wanted(world, sensor ? EVENT_SENSOR_BEGIN : EVENT_BEGIN) ||
            event_wanted(world, sensor ? EVENT_SENSOR_END : EVENT_END));
}

static void tell_ends(physics_world *world)
{
    const slot_list *ended = &world->solver->ended;
    for (uint32_t i = 0; i < ended->count; i++) {
        contact_clear_touching(world, ended->data[i]);
    }
    for (uint32_t i = 0; i < ended->count; i++) {
        const uint32_t flags = world->contacts.data[ended->data[i]].flags;
        if (is_reported(world, flags)) {
            const bool sensor = (flags & CONTACT_SENSOR) != 0;
            const pair_step pair = pair_of(world, ended->data[i], ended);
            if (!pair.touches && !pair.struck && pair.first) {
                tell_contact(world, sensor ? EVENT_SENSOR_END : EVENT_END, ended->data[i]);
            }
        }
    }
}

// If several pieces of a chain are hit in one step, the fastest hit is reported.
static bool is_hit(const physics_world *world, uint32_t slot)
{
    if ((world->contacts.data[slot].flags & CONTACT_HIT) == 0) {
        return false;
    }
    const float speed = closing_speed(world, slot);
    bool fastest = speed > (float)world->def.hit_threshold;
    pair_walk walk = pair_walk_of(world, slot);
    for (uint32_t other; fastest && (other = pair_walk_next(world, &walk)) != NONE;) {
        if (slot_is_among(&world->solver->began, other)) {
            const float others = closing_speed(world, other);
            fastest = others < speed || (others == speed && slot < other);
        }
    }
    return fastest;
}

// Reports a contact that has begun to touch, or has rebounded within the step.
static void tell_begin(physics_world *world, uint32_t slot)
{
    const uint32_t flags = world->contacts.data[slot].flags;
    const bool sensor = (flags & CONTACT_SENSOR) != 0;
    const bool told = is_reported(world, flags);
    const pair_step pair =
        told ? pair_of(world, slot, &world->solver->began) : (pair_step){.touches = true};
    if (told && !pair.touched && pair.first) {
        tell_contact(world, sensor ? EVENT_SENSOR_BEGIN : EVENT_BEGIN, slot);
    }
    if (!sensor && is_hit(world, slot)) {
        tell_contact(world, EVENT_HIT, slot);
    }
    if (told && !pair.touches && pair.last) {
        tell_contact(world, EVENT_END, slot);
    }
}

// Sorts both lists, and adds contacts that impacts.c struck, unless they continue to touch.
static void list_changes(physics_world *world)
{
    const impact_report_list *reports = &world->scratch->reports;
    slot_list *began = &world->solver->began;
    slot_list *ended = &world->solver->ended;
    ended->count = sort_slots(ended->data, ended->count);
    for (uint32_t i = 0; i < reports->count; i++) {
        const uint32_t slot = reports->data[i].contact;
        if ((world->contacts.data[slot].flags & CONTACT_TOUCHING) == 0 ||
            slot_is_among(ended, slot)) {
            array_push(began, slot);
        }
    }
    began->count = sort_slots(began->data, began->count);
}

static void tell_begins(physics_world *world)
{
    const slot_list *began = &world->solver->began;
    for (uint32_t i = 0; i < began->count; i++) {
        tell_begin(world, began->data[i]);
    }
    for (uint32_t i = 0; i < began->count; i++) {
        if ((world->contacts.data[began->data[i]].flags & CONTACT_ACTIVE) != 0) {
            contact_set_touching(world, began->data[i]);
        }
    }
}

// Keeps only the lowest slot among contacts of one pair.
static void keep_firsts(const physics_world *world, slot_list *list)
{
    slot_list *all = &world->scratch->all;
    array_clear(all);
    for (uint32_t i = 0; i < list->count; i++) {
        array_push(all, list->data[i]);
    }
    list->count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t slot = all->data[i];
        if (!contact_has_pieces(world, &world->contacts.data[slot]) ||
            pair_of(world, slot, all).first) {
            list->data[list->count++] = slot;
        }
    }
}

static void tell_stays(physics_world *world)
{
    if (!event_wanted(world, EVENT_STAY)) {
        return;
    }
    slot_list *listed = &world->scratch->listed;
    array_clear(listed);
    for (uint32_t c = 0; c <= COLOURS; c++) {
        for (uint32_t i = 0; i < world->graph[c].contacts.count; i++) {
            uint32_t slot = world->graph[c].contacts.data[i];
            const uint32_t both = CONTACT_TOUCHING | CONTACT_EVENTS;
            if ((world->contacts.data[slot].flags & both) == both) {
                array_push(listed, slot);
            }
        }
    }
    // Finds pairs whose touch moves from one piece of a chain to another.
    for (uint32_t i = 0; i < world->solver->began.count; i++) {
        const uint32_t slot = world->solver->began.data[i];
        const uint32_t solid = CONTACT_EVENTS | CONTACT_ACTIVE;
        if ((world->contacts.data[slot].flags & (solid | CONTACT_SENSOR)) == solid &&
            pair_of(world, slot, &world->solver->began).touched) {
            array_push(listed, slot);
        }
    }
    listed->count = sort_slots(listed->data, listed->count);
    keep_firsts(world, listed);
    for (uint32_t i = 0; i < listed->count; i++) {
        tell_contact(world, EVENT_STAY, listed->data[i]);
    }
}

// Frees the ended contacts whose boxes do not overlap any more.
static void free_parted(physics_world *world)
{
    const slot_list *ended = &world->solver->ended;
    for (uint32_t i = 0; i < ended->count; i++) {
        const contact *c = &world->contacts.data[ended->data[i]];
        if (!aabb_overlaps(world->shapes.data[c->shape_a].fat,
                           world->shapes.data[c->shape_b].fat)) {
            contact_free(world, ended->data[i]);
        }
    }
}

void touch_events(physics_world *world)
{
    list_changes(world);
    tell_ends(world);
    // stays are those of pairs that touched before, so they come before begins are marked
    tell_stays(world);
    tell_begins(world);
    free_parted(world);
}
