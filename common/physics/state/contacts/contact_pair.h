// Contacts of one pair of ids; see contact_pair.c.
#ifndef CAROM_COMMON_PHYSICS_STATE_CONTACTS_CONTACT_PAIR_H
#define CAROM_COMMON_PHYSICS_STATE_CONTACTS_CONTACT_PAIR_H

#include "common/physics/state/contacts/contact.h"

// Whether one of the shapes is a piece of a chain, so that its pair may have other contacts.
bool contact_has_pieces(const physics_world *world, const contact *c);

// A walk over the other contacts of a contact's pair, in no order.
typedef struct pair_walk {
    uint32_t contact;          // the contact whose pair it is
    uint32_t shape_a, shape_b; // slots of the shapes with the ids
    uint32_t body, key;        // the contact whose pair it is
} pair_walk;

pair_walk pair_walk_of(const physics_world *world, uint32_t contact);
uint32_t pair_walk_next(const physics_world *world, pair_walk *walk); // NONE at the end

// Whether another contact of the pair has CONTACT_TOUCHING. The second function considers only
// contacts of lower slots.
bool pair_touches_elsewhere(const physics_world *world, uint32_t contact);
bool pair_touches_below(const physics_world *world, uint32_t contact);
// Sets or clears CONTACT_TOUCHING and counts touching pairs. No other function does that.
void contact_set_touching(physics_world *world, uint32_t contact);
void contact_clear_touching(physics_world *world, uint32_t contact);

#endif
