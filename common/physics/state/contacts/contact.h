// A contact: a pair of shapes whose boxes overlap, with its manifold and impulses.
#ifndef CAROM_COMMON_PHYSICS_STATE_CONTACTS_CONTACT_H
#define CAROM_COMMON_PHYSICS_STATE_CONTACTS_CONTACT_H

#include "common/geometry/distance.h"
#include "common/geometry/manifold.h"
#include "common/physics/physics.h"
#include "common/physics/state/shapes/shape.h"

#define RECYCLE_DISTANCE                                                                           \
    0.01f // a manifold is kept while its bodies' relative motion is less than this [m]

enum { // contact.flags
    // has points, so it is solved; they exist up to SPECULATIVE_DISTANCE before touching, or in the
    // step in which the shapes will touch (speculative.c)
    CONTACT_ACTIVE = 1u << 0,
    // touches: a begin event was reported and no end yet (contact_pair.c)
    CONTACT_TOUCHING = 1u << 1,
    CONTACT_SENSOR = 1u << 2,
    CONTACT_EVENTS = 1u << 3,
    CONTACT_HIT = 1u << 4,
    // has restitution, rolling resistance or surface speed: see contact_surface()
    CONTACT_SURFACE = 1u << 5,
    CONTACT_ROUND = 1u << 6, // one of the shapes has a rounding radius: see contact_rounding()
    CONTACT_DEEP = 1u << 7   // overlaps by more than DEEP_SHARE
};

typedef enum contact_one_way { // contact.one_way; 0 for sensors
    ONE_WAY_A = 1 << 0,        // shape A is one-way
    ONE_WAY_B = 1 << 1,
    ONE_WAY_PASSING = 1 << 2 // B passes through A, from another side, until they overlap no more
} contact_one_way;

// An edge of the body-contact graph is (contact << 1 | side): side 0 is in body_a's list, side 1 in
// body_b's.
typedef struct contact_edge {
    uint32_t previous, next;
} contact_edge;

// Two cache lines. The first has all that the narrow phase reads for a pair whose bodies hardly
// moved, the values that the solver's lanes write back, and nearly all state; the second has
// derived values and links. Lanes are filled from both. Points and normals in world coordinates are
// not stored: they follow from the bodies' poses, see contact_place_points(). Slots have 24 bits,
// see SLOT_BITS.
typedef struct contact {
    _Alignas(64) transform reference; // B's frame relative to A's when the manifold was computed
    uint32_t body_a : 24, flags : 8;
    uint32_t body_b : 24, colour : 8;
    uint32_t shape_a : 24; // the first shape for the manifold functions
    uint32_t point_count : 8;
    uint32_t shape_b : 24;
    uint32_t one_way : 8;    // bits of contact_one_way
    float normal_impulse[2]; // one for each point
    float tangent_impulse[2];
    // normal impulses summed over the sub-steps of the last step; while the contact is solved it
    // may have approach speeds, see contact_approach()
    float total_impulse[2];
    union {
        // contact without points: a lower bound of the shapes' distance then, along local_normal;
        // 0: unknown
        float gap;
        uint16_t ids[2]; // contact with points: their features
    };
    float reach; // shape_traits.reach of shape B

    _Alignas(64) vec2 local_normal; // normal in the frame of A; without points, the axis of the gap
    vec2 local_a[2];                // the points in the frame of A
    float found_separation[2]; // separation of each point when the bodies had the pose `reference`
    float friction;
    float rolling_impulse; // zero without CONTACT_SURFACE
    uint32_t awake_index;  // place in world.awake_contacts + 1; 0: both bodies sleep or do not move
    uint32_t colour_index;
    contact_edge edges[2];
} contact;
_Static_assert(sizeof(contact) == 128, "two cache lines");

// Surface properties beyond friction.
typedef struct surface {
    float restitution, rolling_resistance, tangent_speed;
} surface;

// Rounding radii of a contact's shapes [m].
typedef struct rounding {
    float a, b;
} rounding;

// The places of a contact's points.
typedef struct placed_points {
    vec2 normal;      // normal in the world, from A to B
    vec2 anchor_a[2]; // arms from A's centre of mass, in world directions
    float separation[2];
} placed_points;

// A contact's local_normal as it was computed.
typedef struct turned_normal {
    uint32_t contact;
    vec2 was;
} turned_normal;

bool contact_wanted(const physics_world *world, uint32_t shape_a, uint32_t shape_b);
// Numbers of contacts for which there is still room.
typedef struct contact_rooms {
    uint32_t standing; // contacts of a dynamic body with a static or kinematic one
    uint32_t moving;   // contacts of two dynamic bodies
} contact_rooms;
contact_rooms contact_room(const physics_world *world);
// The number of pairs at which the list of new ones is cut to those with room; cutting then frees
// half of it.
uint32_t contact_pairs_max(const physics_world *world);
uint32_t contact_create(physics_world *world, uint32_t shape_a, uint32_t shape_b);
// Places a contact in a slot that is already taken; it is not yet active. False if the pair is not
// in canonical order.
bool contact_place(physics_world *world, uint32_t slot, uint32_t shape_a, uint32_t shape_b);
// Updates friction, and the flags for events and surfaces, from the shapes' current values.
void contact_renew_surface(physics_world *world, uint32_t slot);
// returns zeros if the flag is not set
surface contact_surface(const physics_world *world, const contact *c);
// The factor on the usual softness of a contact of these bodies: 1 unless one of them is thin.
float contact_give(const physics_world *world, uint32_t body_a, uint32_t body_b);
rounding contact_rounding(const physics_world *world, const contact *c);
// The radii of shapes that roll and touch at one point: B is a circle or the end of a capsule, A is
// a circle too, or flat (0). 0 for other pairs.
rounding contact_curvature(const physics_world *world, const contact *c);
// Computes the points' current places. Since the manifold was computed, each point has moved with
// both bodies along different paths; it lies midway between them, and the difference along the
// normal has changed the separation. Lanes are filled with the same bits, except for points that
// move on within the step (contact_fill.c).
placed_points contact_place_points(const physics_world *world, const contact *c);
void contact_destroy(physics_world *world,
                     // Reports the pair's end event if this is its last touching contact
                     uint32_t slot);
void contact_activate(physics_world *world, uint32_t slot); // if one of its bodies is awake
// as contact_activate(), but does not add the contact to the graph
bool contact_list_awake(physics_world *world, uint32_t slot);
void contact_deactivate(physics_world *world, uint32_t slot);
void contact_free(physics_world *world, uint32_t slot); // reports nothing
// Ends all contacts of a body (with a shape other than NONE: of that shape), in order of slots.
void contact_destroy_all(physics_world *world, uint32_t body, uint32_t shape);
// Slots of all contacts of a body, ascending; valid until the next call for any body of the world.
typedef struct contact_slots {
    const uint32_t *slots;
    uint32_t count;
} contact_slots;

contact_slots contact_collect(physics_world *world, uint32_t body);

#endif
