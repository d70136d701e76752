// Contacts as the solver takes them: eight at a time, each field a vector with a lane for each
// contact. The kernels are contact_kernels.c and contact_fill.c, once for every variant; see
// wide.h.
#ifndef CAROM_COMMON_PHYSICS_CONTACT_LANES_H
#define CAROM_COMMON_PHYSICS_CONTACT_LANES_H

#include "common/physics/wide.h"
#include "common/physics/world.h"

typedef struct point_lanes {
    wide anchor_ax, anchor_ay; // from A's centre; B's is c->way less
    wide normal_impulse, tangent_impulse;
    wide base_separation; // separation less the anchors' part of it
    wide normal_k;        // change of the normal velocity per unit of normal impulse [1/kg]
    wide normal_mass, tangent_mass; // effective masses [kg]
} point_lanes;

enum { // contact_lanes.features: what at least one lane has
    LANES_ROLLING = 1u,
    LANES_CONVEYING = 2u,
    LANES_ROUND = 4u
};

// Whether a group may have blows; a byte a group, world.lanes_blows.
typedef enum blows_state {
    BLOWS_NEVER, // no restitution
    BLOWS_LATER, // none now: when one of its bodies has been struck
    BLOWS_DUE    // something closes fast from the start
} blows_state;

enum {
    IMPACT_SWEEPS_ALL = 4,  // in which every blow counts
    IMPACT_SWEEPS_MAX = 32, // in the rest, what rebounds fast: an elastic blow runs through a row
                            // of as many balls at least in one step
};

// A sweep over blows, and what it needs to know to pass over what the last one left in peace.
typedef struct impact_pass {
    uint8_t *struck; // by body slot: 2 + the last sweep in which a blow changed its velocity
    uint8_t number;  // of the sweep, from 0
} impact_pass;

// A point that a contact does not have is FAR_AWAY. Lanes without a contact are on body slot 0,
// which does not move.
#define FAR_AWAY 1.0e9f
typedef struct contact_lanes {
    // what every sweep reads
    uint32_t body_a[LANES], body_b[LANES];
    wide inv_mass_a, inv_mass_b, inv_inertia_a, inv_inertia_b;
    wide normal_x, normal_y;
    wide way_x, way_y; // from A's centre to B's
    wide friction;
    wide coupling_k; // change of one point's normal velocity per unit of the other's impulse
    wide inverse_det,
        inverse_det_soft; // of the matrix of both normal_k and coupling_k; of the soft one
    point_lanes points[2];
    // what some do
    uint32_t features;
    uint32_t filled;                      // lanes with a contact, a bit each
    uint32_t touching, overlapping, near; // of those: what touched before; the nearest point is in
                                          // overlap, is no farther than LINEAR_SLOP
    wide total_impulse[2];                // of the points' normals, over the sub-steps so far
    wide restitution;
    wide tangent_speed;                                     // with LANES_CONVEYING
    wide rolling_resistance, rolling_impulse, rolling_mass; // with LANES_ROLLING
    wide approach_speed[2];  // normal velocity of the points before solving, < 0 when closing
    uint32_t contact[LANES]; // slots; NONE: an empty lane
    wide round_a, round_b;   // with LANES_ROUND: the shapes' rounding about their cores [m]
} contact_lanes;

// Lanes of a group, a bit each, whose contacts began or ceased to touch.
typedef struct touch_changes {
    uint32_t began, ended;
} touch_changes;

typedef struct contact_kernels {
    const char *name;
    // Up to LANES contacts into a group (contact_fill.c).
    blows_state (*fill)(const physics_world *world, contact_lanes *group, const uint32_t *slots,
                        uint32_t count);
    // Impulses back into the contacts.
    touch_changes (*store)(const contact_lanes *group, contact *contacts);
    void (*warm_start)(const contact_lanes *lanes, uint32_t count, body_state *states);
    // With bias: pushes overlap out. Without: relaxes, and applies friction.
    void (*solve)(contact_lanes *lanes, uint32_t count, body_state *states,
                  const step_context *step);
    void (*relax)(contact_lanes *lanes, uint32_t count, body_state *states,
                  const step_context *step);
    // Blows: what closes faster than step->restitution_threshold and will touch within the step
    // rebounds, with friction. `blows` are the groups' blows_state. Whether any did.
    bool (*impact)(contact_lanes *lanes, uint8_t *blows, uint32_t count, body_state *states,
                   const step_context *step, const impact_pass *pass);
} contact_kernels;

// The widest variant that this processor runs; CAROM_SIMD=base (or avx2) in the environment asks
// for another.
const contact_kernels *contact_kernels_choose(void);

// Which colour's contacts go into which groups (world.lanes_first), and memory for them. Comes
// first, on one thread.
void contact_lanes_layout(physics_world *world);
// Fills the groups [first, end); reads contacts and bodies, writes nothing but these groups.
// Different ranges may be filled on different threads.
void contact_lanes_prepare(physics_world *world, uint32_t first, uint32_t end);
// Impulses of these groups back into their contacts, of which each is in one group. Adds those that
// began or ceased to touch to the lists, which are then to be sorted. On different threads, with
// lists of each one's own.
void contact_lanes_store(physics_world *world, uint32_t first, uint32_t end, slot_list *began,
                         slot_list *ended);

// Normal velocities of a contact's points before the step's solving, < 0 when closing; of what was
// not solved 0. From the lanes, so only until the graph changes after the step.
void contact_approach(const physics_world *world, const contact *c, float approach[2]);

#endif
