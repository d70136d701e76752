// Light bodies under heavy ones.
//
// Sweeps over contacts transfer a load from body to body, and each sweep transfers it from a heavy
// body to a light one only in proportion to the light one's mass: at a thousand to one, a heavy
// body sinks into the light one beneath it faster than the sweeps of all sub-steps can stop it, is
// pushed out again, and never rests. But a body pressed between two others does not accelerate, so
// its own inertia does not matter: meanwhile its mass counts as a twentieth of the load, a ratio
// that sweeps handle well (compare shock propagation: E. Guendelman, R. Bridson, R. Fedkiw,
// "Nonconvex Rigid Bodies with Stacking", 2003, who treat it as infinite). It falls as before,
// since gravity accelerates all masses alike.
//
// Filling the lanes finds contacts of such uneven masses (LANES_UNEVEN); most worlds have none.
// This file runs serially.
#include "common/physics/step/solver/heavy_loads.h"

#include "common/physics/state/world.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <string.h>

enum { BEARERS_MAX = 3 }; // most contacts between a light body and a static one

static bool is_pressed(const contact *c)
{
    const uint32_t solved = c->flags & (CONTACT_ACTIVE | CONTACT_SENSOR);
    return solved == CONTACT_ACTIVE && c->normal_impulse[0] + c->normal_impulse[1] > 0.0f;
}

// Records, for the bodies that press on this one, how many contacts away from a static body they
// are.
static void spread(physics_world *world, uint32_t body_, uint8_t contacts)
{
    solver_scratch *s = world->solver;
    for (uint32_t key = world->bodies.data[body_].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        const uint32_t other = (key & 1) == 0 ? c->body_b : c->body_a;
        if (is_pressed(c) && world->motions.data[other].inv_mass > 0.0f &&
            s->borne.data[other] > contacts) {
            s->borne.data[other] = contacts;
            array_push(&s->borne_bodies, other);
        }
        key = c->edges[key & 1].next;
    }
}

// Finds the number of contacts between each body and a static one, if it is small enough.
static void find_borne(physics_world *world)
{
    solver_scratch *s = world->solver;
    array_clear(&s->borne_bodies);
    array_reserve(&s->borne, world->bodies.count);
    memset(s->borne.data, UINT8_MAX, world->bodies.count);
    for (uint32_t slot = 0; slot < world->bodies.count; slot++) {
        if (world->motions.data[slot].inv_mass == 0.0f) {
            spread(world, slot, 1);
        }
    }
    for (uint32_t i = 0; i < s->borne_bodies.count; i++) {
        const uint32_t slot = s->borne_bodies.data[i];
        if (s->borne.data[slot] < BEARERS_MAX) {
            spread(world, slot, (uint8_t)(s->borne.data[slot] + 1));
        }
    }
}

// Whether the body rests, through others that press on it, on a static one, ignoring that contact.
// A flying body keeps its mass: its momentum must not change. Paths longer than the remaining hops
// are not followed: a heap in which each body touches fifty others has millions.
static bool is_borne(const physics_world *world, uint32_t body_, uint32_t slot, int hops)
{
    for (uint32_t key = world->bodies.data[body_].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        const uint32_t other = (key & 1) == 0 ? c->body_b : c->body_a;
        if (key >> 1 != slot && is_pressed(c) &&
            (world->motions.data[other].inv_mass == 0.0f ||
             (world->solver->borne.data[other] <= hops &&
              is_borne(world, other, key >> 1, hops - 1)))) {
            return true;
        }
        key = c->edges[key & 1].next;
    }
    return false;
}

static void take_as_heavier(physics_world *world, uint32_t body_, float inv_mass)
{
    body *b = &world->bodies.data[body_];
    body_motion *m = &world->motions.data[body_];
    if ((b->flags & BODY_MARKED) == 0) {
        b->flags |= BODY_MARKED;
        array_push(&world->solver->lent, ((lent_mass){body_, m->inv_mass, m->inv_inertia}));
    }
    m->inv_mass = inv_mass;
    array_push(&world->solver->listed, body_);
}

// Lends mass to the lighter body of the contact if the heavy one presses it against another body. A
// body with joints keeps its mass: the joints' lanes are already filled.
static void lend_by_contact(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    const float of_a = world->motions.data[c->body_a].inv_mass;
    const float of_b = world->motions.data[c->body_b].inv_mass;
    const uint32_t light = of_a > of_b ? c->body_a : c->body_b;
    const float heavy = float_min(of_a, of_b);
    if (heavy > 0.0f && float_max(of_a, of_b) > MASS_RATIO_MAX * heavy && is_pressed(c) &&
        world->bodies.data[light].joints == NONE && is_borne(world, light, slot, BEARERS_MAX)) {
        take_as_heavier(world, light, MASS_RATIO_MAX * heavy);
    }
}

bool lend_masses(physics_world *world, const uint32_t *contacts, uint32_t count)
{
    solver_scratch *s = world->solver;
    array_clear(&s->listed);
    if (count > 0) {
        find_borne(world);
    }
    for (uint32_t i = 0; i < count; i++) {
        lend_by_contact(world, contacts[i]);
    }
    // Bodies with more mass now may press on others in turn. Masses only grow, to the least that
    // suits all contacts, so the order does not matter.
    for (uint32_t i = 0; i < s->listed.count; i++) {
        for (uint32_t key = world->bodies.data[s->listed.data[i]].contacts; key != NONE;) {
            lend_by_contact(world, key >> 1);
            key = world->contacts.data[key >> 1].edges[key & 1].next;
        }
    }
    for (uint32_t i = 0; i < s->lent.count; i++) {
        body_motion *m = &world->motions.data[s->lent.data[i].body];
        m->inv_inertia *= m->inv_mass / s->lent.data[i].inv_mass;
    }
    return s->lent.count > 0;
}

void return_masses(physics_world *world)
{
    lent_mass_list *lent = &world->solver->lent;
    for (uint32_t i = 0; i < lent->count; i++) {
        const lent_mass *l = &lent->data[i];
        world->motions.data[l->body].inv_mass = l->inv_mass;
        world->motions.data[l->body].inv_inertia = l->inv_inertia;
        world->bodies.data[l->body].flags &= (uint8_t)~BODY_MARKED;
    }
    array_clear(lent);
}
