// The constraint graph: the colour in which each contact and joint is solved; see graph.c.
#ifndef CAROM_COMMON_PHYSICS_STATE_GRAPH_H
#define CAROM_COMMON_PHYSICS_STATE_GRAPH_H

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/physics/state/slots.h"

enum {
    COLOURS = 24, // colours of the constraint graph; a body's used colours are the bits of a word
    // the first ones are for pairs of dynamic bodies, the others for contacts with static bodies
    COLOURS_DYNAMIC = 20,
    COLOUR_OVERFLOW =
        COLOURS, // constraints for which no colour is free: solved one by one, by slot
    COLOUR_NONE = 255
};

enum { JOINT_SORTS = 3 }; // ways in which joints are solved, joint_sort

// Contacts and joints that are solved in a given colour.
typedef struct graph_colour {
    ARRAY(uint32_t) contacts;
    uint32_t twins; // number of contacts with two points, which come first; see graph.c
    slot_list joints[JOINT_SORTS];
} graph_colour;

void graph_add_contact(physics_world *world, uint32_t slot);
void graph_remove_contact(physics_world *world, uint32_t slot);
// Call when the contact's number of points has changed; does nothing if the contact is not in the
// graph.
void graph_sort_contact(physics_world *world, uint32_t slot);
// Restores a colour from an image: false if it is taken on one of the bodies or not allowed for
// them.
bool graph_place_contact(physics_world *world, uint32_t slot, uint32_t colour);
bool graph_place_joint(physics_world *world, uint32_t slot, uint32_t colour);
uint32_t graph_joint_count(const physics_world *world, uint32_t colour);
void graph_add_joint(physics_world *world, uint32_t slot);
void graph_remove_joint(physics_world *world, uint32_t slot);
void graph_relist_joint(physics_world *world, uint32_t slot); // its sort may have changed

#endif
