// Bookkeeping of begun and ended touches, from events alone (ledger.h).
#include "tests/property/physics/ledger.h"

#include "common/base/assert.h"

#include <math.h>
#include <stdlib.h>

void ledger_init(ledger *l)
{
    *l = (ledger){0};
}

void ledger_deinit(ledger *l)
{
    array_free(&l->pairs);
    array_free(&l->bodies);
    array_free(&l->sleepers);
}

static uint32_t find_id(const body_id *ids, uint32_t count, body_id id)
{
    uint32_t i = 0;
    while (i < count && ids[i] != id) {
        i++;
    }
    return i;
}

static ledger_pair *find_pair(ledger *l, shape_id a, shape_id b, bool sensor)
{
    for (uint32_t i = 0; i < l->pairs.count; i++) {
        ledger_pair *p = &l->pairs.data[i];
        if (p->a == a && p->b == b && p->sensor == sensor) {
            return p;
        }
    }
    array_push(&l->pairs, ((ledger_pair){a, b, sensor, 0}));
    return &l->pairs.data[l->pairs.count - 1];
}

static void note_touch(ledger *l, const physics_event *e)
{
    bool sensor = e->kind == EVENT_SENSOR_BEGIN || e->kind == EVENT_SENSOR_END;
    bool begins = e->kind == EVENT_BEGIN || e->kind == EVENT_SENSOR_BEGIN;
    ledger_pair *p = find_pair(l, e->shape_a, e->shape_b, sensor);
    p->count += begins ? 1 : -1;
    ASSERT(p->count >= 0); // an end without a begin
    ASSERT(p->count <= 1); // a second begin of a touch: a chain is one shape
    l->begins += begins;
    l->ends += !begins;
}

static void note_sleep(ledger *l, const physics_event *e)
{
    uint32_t at = find_id(l->sleepers.data, l->sleepers.count, e->a);
    bool asleep = at < l->sleepers.count;
    if (e->kind == EVENT_SLEEP) {
        ASSERT(!asleep);
        array_push(&l->sleepers, e->a);
        l->sleeps++;
    } else {
        ASSERT(asleep);
        array_swap_remove(&l->sleepers, at);
        l->wakes++;
    }
}

static void note_life(ledger *l, const physics_event *e)
{
    uint32_t at = find_id(l->bodies.data, l->bodies.count, e->a);
    if (e->kind == EVENT_SPAWN) {
        ASSERT(at == l->bodies.count);
        array_push(&l->bodies, e->a);
    } else {
        ASSERT(at < l->bodies.count);
        array_swap_remove(&l->bodies, at);
        // A sleeping body is woken before it is removed.
        ASSERT(find_id(l->sleepers.data, l->sleepers.count, e->a) == l->sleepers.count);
    }
}

static void note_event(ledger *l, const physics_world *world, const physics_event *e)
{
    ASSERT(e->tick == world_tick(world));
    ASSERT(isfinite(e->depth) && isfinite(e->speed) && isfinite(e->impulse));
    ASSERT(vec2_is_finite(e->normal) && vec2d_is_finite(e->point));
    switch (e->kind) {
    case EVENT_BEGIN:
    case EVENT_END:
    case EVENT_SENSOR_BEGIN:
    case EVENT_SENSOR_END:
        note_touch(l, e);
        break;
    case EVENT_HIT:
        ASSERT(e->speed > (float)world_definition(world).hit_threshold);
        l->hits++;
        break;
    case EVENT_SLEEP:
    case EVENT_WAKE:
        note_sleep(l, e);
        break;
    case EVENT_SPAWN:
    case EVENT_REMOVE:
        note_life(l, e);
        break;
    case EVENT_JOINT_BREAK:
        l->breaks++;
        break;
    case EVENT_FREEZE:
        l->freezes++;
        break;
    default:
        ASSERT(e->kind == EVENT_STAY);
    }
}

static uint32_t events_of(const physics_world *world, shape_id id)
{
    shape_info info;
    error err;
    status s = shape_get(world, id, &info, &err);
    ASSERT(s == STATUS_OK);
    return info.def.events;
}

// Each touch of the world was reported, and each reported touch exists.
static void check_touches(ledger *l, const physics_world *world)
{
    uint32_t count = world_contacts(world, NULL, 0);
    contact_info *contacts = calloc(count + (size_t)1, sizeof *contacts);
    ASSERT(contacts != NULL && world_contacts(world, contacts, count) == count);
    for (uint32_t i = 0; i < count; i++) {
        const contact_info *c = &contacts[i];
        uint32_t events = events_of(world, c->shape_a) | events_of(world, c->shape_b);
        if ((events & SHAPE_EVENT_CONTACT) != 0) {
            ledger_pair *p = find_pair(l, c->shape_a, c->shape_b, false);
            p->count--;
            ASSERT(p->count >= 0); // a touch that was not reported
        }
    }
    for (uint32_t i = 0; i < l->pairs.count; i++) {
        // reported as touching, but does not touch
        ASSERT(l->pairs.data[i].sensor || l->pairs.data[i].count == 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const contact_info *c = &contacts[i];
        uint32_t events = events_of(world, c->shape_a) | events_of(world, c->shape_b);
        if ((events & SHAPE_EVENT_CONTACT) != 0) {
            find_pair(l, c->shape_a, c->shape_b, false)->count++;
        }
    }
    free(contacts);
}

static void forget_empty_pairs(ledger *l)
{
    for (uint32_t i = 0; i < l->pairs.count;) {
        if (l->pairs.data[i].count == 0) {
            array_swap_remove(&l->pairs, i);
        } else {
            i++;
        }
    }
}

static void check_bodies(const ledger *l, const physics_world *world)
{
    uint32_t asleep = 0;
    uint32_t count = 0;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        body_info info;
        error err;
        ASSERT(body_get(world, id, &info, &err) == STATUS_OK);
        ASSERT(find_id(l->bodies.data, l->bodies.count, id) < l->bodies.count);
        bool told = find_id(l->sleepers.data, l->sleepers.count, id) < l->sleepers.count;
        bool sleeps = info.type == BODY_DYNAMIC && info.enabled && !info.awake;
        ASSERT(told == sleeps);
        asleep += sleeps;
        count++;
    }
    ASSERT(count == l->bodies.count && asleep == l->sleepers.count);
    ASSERT(world_count(world).bodies == count);
}

void ledger_check(ledger *l, const physics_world *world)
{
    uint32_t count;
    const physics_event *events = world_events(world, &count);
    for (uint32_t i = 0; i < count; i++) {
        note_event(l, world, &events[i]);
    }
    check_touches(l, world);
    forget_empty_pairs(l);
    check_bodies(l, world);
}
