// A contact: a pair of shapes whose boxes overlap, with its manifold and impulses.
#ifndef CAROM_COMMON_PHYSICS_STATE_CONTACTS_CONTACT_H
#define CAROM_COMMON_PHYSICS_STATE_CONTACTS_CONTACT_H

#include "common/geometry/distance.h"
#include "common/geometry/manifold.h"
#include "common/physics/physics.h"
#include "common/physics/state/shapes/shape.h"

#define RECYCLE_DISTANCE                                                                           \
    0.01f // a manifold is kept while its bodies move less than this against each other [m]

enum {                          // contact.flags
    CONTACT_ACTIVE = 1u << 0,   // has points, so it is solved; up to SPECULATIVE_DISTANCE before
                                // touching, or in the step in which it is to (speculative.c)
    CONTACT_TOUCHING = 1u << 1, // touches: a begin is told and no end yet (contact_pair.c)
    CONTACT_SENSOR = 1u << 2,
    CONTACT_EVENTS = 1u << 3,
    CONTACT_HIT = 1u << 4,
    CONTACT_SURFACE = 1u << 5, // rebounds, resists rolling or conveys: see contact_surface()
    CONTACT_ROUND = 1u << 6,   // one of the shapes is round about a core: see contact_rounding()
    CONTACT_DEEP = 1u << 7     // overlaps by more than DEEP_SHARE
};

// An edge of the body-contact graph is (contact << 1 | side): side 0 hangs on body_a, side 1 on
// body_b.
typedef struct contact_edge {
    uint32_t previous, next;
} contact_edge;

// Two cache lines. The first is all that the narrow phase reads of a pair whose bodies hardly
// moved, what the solver's lanes are stored to, and nearly all that is state; the second is what
// follows from it, and links. Lanes are filled from both. Places and normals in the world are not
// kept: they follow from where the bodies are, see contact_place_points(). Slots have 24 bits, see
// SLOT_BITS.
typedef struct contact {
    _Alignas(64) transform reference; // B's frame seen from A's when the manifold was found
    uint32_t body_a : 24, flags : 8;
    uint32_t body_b : 24, colour : 8;
    uint32_t shape_a : 24; // the first shape for the manifold functions
    uint32_t point_count : 8;
    uint32_t shape_b;
    float normal_impulse[2]; // one for each point
    float tangent_impulse[2];
    float total_impulse[2]; // normal impulses, summed over the sub-steps of the last step; while
                            // one is solved it may be approach speeds, see contact_approach()
    union {
        float gap; // contact without points: the shapes were at least this far apart then, along
                   // local_normal; 0: not known
        uint16_t ids[2]; // contact with points: their features
    };
    float reach; // shape_traits.reach of shape B

    _Alignas(64) vec2 local_normal; // normal in the frame of A; without points the axis of the gap
    vec2 local_a[2];                // the points, there
    float found_separation[2]; // separation of each point when the bodies had the pose `reference`
    float friction;
    float rolling_impulse; // zero without CONTACT_SURFACE
    uint32_t awake_index;  // place in world.awake_contacts + 1; 0: both bodies sleep or do not move
    uint32_t colour_index;
    contact_edge edges[2];
} contact;
_Static_assert(sizeof(contact) == 128, "two cache lines");

// The surface of a contact that has more than friction.
typedef struct surface {
    float restitution, rolling_resistance, tangent_speed;
} surface;

// Rounding radii of a contact's shapes about their cores [m].
typedef struct rounding {
    float a, b;
} rounding;

// The places of a contact's points.
typedef struct placed_points {
    vec2 normal;      // normal in the world, from A to B
    vec2 anchor_a[2]; // arms from A's centre of mass, in world directions
    float separation[2];
} placed_points;

// A contact's local_normal as it was found.
typedef struct turned_normal {
    uint32_t contact;
    vec2 was;
} turned_normal;

bool contact_wanted(const physics_world *world, uint32_t shape_a, uint32_t shape_b);
// How many more there is room for: with a static or kinematic body, and of two dynamic ones.
typedef struct contact_rooms {
    uint32_t standing, moving;
} contact_rooms;
contact_rooms contact_room(const physics_world *world);
// Pairs at which a list of those to come is cut to those that have room: half of it is free again
// then.
uint32_t contact_pairs_max(const physics_world *world);
uint32_t contact_create(physics_world *world, uint32_t shape_a, uint32_t shape_b);
// Into a slot that is taken already; not yet active. False if the pair is not in the order that it
// would have.
bool contact_place(physics_world *world, uint32_t slot, uint32_t shape_a, uint32_t shape_b);
// Friction, and what the flags tell of events and surfaces, as the shapes say now.
void contact_renew_surface(physics_world *world, uint32_t slot);
surface contact_surface(const physics_world *world, const contact *c); // zeros without the flag
// The share of the usual softness that a contact of these bodies has: 1 unless one of them is thin.
float contact_give(const physics_world *world, uint32_t body_a, uint32_t body_b);
rounding contact_rounding(const physics_world *world, const contact *c);
// The same of what rolls if it touches at one point: B a circle or the end of a capsule, A a circle
// too, or something flat (0). Of others 0.
rounding contact_curvature(const physics_world *world, const contact *c);
// Places the points as they are now. Each has moved along with both bodies since it was found, by
// different ways; it is midway, and the difference along the normal has changed the separation.
// Lanes are filled with the same bits, except for points that move on within the step
// (contact_fill.c).
placed_points contact_place_points(const physics_world *world, const contact *c);
void contact_destroy(physics_world *world,
                     uint32_t slot); // reports the pair's end event if it touched last
void contact_activate(physics_world *world, uint32_t slot);   // if one of its bodies is awake
bool contact_list_awake(physics_world *world, uint32_t slot); // the same, but not into the graph
void contact_deactivate(physics_world *world, uint32_t slot);
void contact_free(physics_world *world, uint32_t slot); // reports nothing
// Ends all contacts of a body (of a shape, unless NONE), in order of slots.
void contact_destroy_all(physics_world *world, uint32_t body, uint32_t shape);
// Slots of all contacts of a body, ascending; valid until the next call for any body of the world.
typedef struct contact_slots {
    const uint32_t *slots;
    uint32_t count;
} contact_slots;

contact_slots contact_collect(physics_world *world, uint32_t body);

#endif
