// Contacts as the solver takes them: eight at a time, each field a vector with a lane for each
// contact. The kernels are contact_kernels.c and contact_fill.c, once for every variant; see
// wide.h.
//
// A large world's lanes do not fit the caches, and a step sweeps over them nine times, so the
// number of bytes decides the cost. Fields that few contacts need lie apart, and only in worlds
// with such contacts; values that follow from others by a few operations are computed again in each
// sweep.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_LANES_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_LANES_H

#include "common/physics/lanes/wide.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/solver.h"

typedef struct point_lanes {
    // warm starting reads these too
    EACH2(anchor_ax, anchor_ay); // arm from A's centre; B's is c->way less
    EACH2(normal_impulse, tangent_impulse);
    // the rest
    EACH(base_separation); // separation less the anchors' part of it; see contact_approach()
    EACH(normal_k);        // change of the normal velocity per unit of normal impulse [1/kg]
    EACH(tangent_mass);    // effective [kg]
    EACH(total_impulse);   // sum of the normal impulses over the sub-steps so far
} point_lanes;

#define PUSH_OUT_SPEED_MAX 3.0f // overlap is pushed out no faster than this [m/s]
#define DEEP_OVERLAP                                                                               \
    0.05f // deeper points are pushed out faster by DEEP_PUSH_RATE: impacts and heavy loads squeeze
          // so far [m]
#define DEEP_PUSH_RATE 60.0f    // [1/s]
#define OVERLAP_SLOP   0.00003f // overlap that is left alone, so that resting contacts stay [m]

enum { // lane_marks.features
    // at least one lane has the feature
    LANES_ROLLING = 1u,
    LANES_CONVEYING = 2u,
    LANES_ROUND = 4u,
    // no lane has a second point, which sweeps leave alone then; no lane has a contact
    LANES_SINGLE = 8u,
    LANES_NONE = 16u,
    // at least one lane has a body far heavier than the other (heavy_loads.c)
    LANES_UNEVEN = 32u,
    // at least one lane has restitution
    LANES_LIVELY = 64u,
    // at least one lane has a body with STATE_THIN
    LANES_THIN = 128u
};
enum { PARTS_MAX = 2 }; // a kernel takes a group in so many parts at most

// Marks of a group's impacts; a byte a group, contact_groups.impacts.
enum {
    IMPACTS_NEVER = 0,    // no restitution
    IMPACTS_POSSIBLE = 1, // a fast approach rebounds
    IMPACTS_DUE = 2       // shifted by the part: some contact of that part does
};

enum {
    IMPACT_ROUNDS_ALL = 4,  // rounds in which every impact counts
    IMPACT_ROUNDS_MAX = 64, // rounds in all, the later ones for fast rebounds alone: an elastic
                            // impact runs through a row of as many balls at least in one step
    IMPACT_ROUNDS_DULL = 4, // the most in a world that is not lively
    IMPACT_SWEEPS_OF_ROUND = 60, // over its impacts; mostly two are enough
    IMPACT_SWEEPS_BRACED = 200,  // the same where joints bear the impacts
    IMPACT_ROWS_BRACED = 8192,   // rows of joints in all of those: a tenth of a millisecond
    IMPACT_SWEEPS_MAX = 192,     // and no round begins after so many
    IMPACT_WORK_MAX =
        524288 // contacts with impacts that a sub-step's sweeps pass over; then no round begins
};

typedef enum impact_phase { IMPACT_FIND, IMPACT_SOLVE, IMPACT_END } impact_phase;

// A sweep over impacts, and what it needs to know to pass over what the last round left in peace.
typedef struct impact_pass {
    impact_phase phase;
    uint8_t
        *struck; // by body slot: 1 + the last round in which an impact changed the body's velocity
    uint8_t round; // the first round is 0
} impact_pass;

// A point that a contact does not have is FAR_AWAY. Lanes without a contact are on body slot 0,
// which does not move.
#define FAR_AWAY 1.0e9f
typedef struct contact_lanes {
    uint32_t body_a[LANES], body_b[LANES];
    EACH4(inv_mass_a, inv_mass_b, inv_inertia_a, inv_inertia_b);
    EACH2(normal_x, normal_y);
    EACH2(way_x, way_y); // vector from A's centre to B's
    EACH(friction);
    EACH(coupling_k); // change of one point's normal velocity per unit of the other's impulse
    point_lanes points[2];
} contact_lanes;
_Static_assert(sizeof(contact_lanes) == 28 * LANES * sizeof(float), "the same for every variant");

// Marks of a group: but for the features, a bit for each lane with a contact.
typedef struct lane_marks {
    uint8_t features[PARTS_MAX]; // features of each part
    uint8_t touching;            // touched before
    uint8_t overlapping, near;   // the nearest point is in overlap, is no farther than LINEAR_SLOP
    uint8_t approached;          // an event may want to tell its approach speeds
} lane_marks;

// An impact of a point.
typedef struct blow_lanes {
    EACH(parting); // the normal velocity after it at least; -FAR_AWAY of what has none [m/s]
    EACH(impulse); // along the normal [N s]
    EACH(later);   // time until they meet [s]
} blow_lanes;

// Of groups in which a contact does more than rub (CONTACT_SURFACE); those of others are not
// filled.
typedef struct surface_lanes {
    EACH(restitution);
    EACH(tangent_speed);
    EACH3(rolling_resistance, rolling_impulse, rolling_mass);
    EACH(unheld); // 1 where neither body has joints, else 0
    blow_lanes blows[2];
} surface_lanes;

// With LANES_ROUND: the shapes' rounding about their cores [m].
typedef struct rounding_lanes {
    EACH2(a, b);
} rounding_lanes;

// With LANES_THIN: the share of the usual softness that is left to each contact, 1 or less, so that
// it gives way in proportion to what the thinner body measures.
#define SETTLE_SHARE      0.5f  // contacts with less are swept over more often: see SETTLE_SWEEPS
#define SETTLE_SHARE_MORE 0.15f // contacts with less than this one still more often
typedef struct give_lanes {
    EACH(share);
} give_lanes;

// Lanes of a group, a bit each, whose contacts began or ceased to touch.
typedef struct touch_changes {
    uint32_t began, ended;
} touch_changes;

typedef struct contact_kernels {
    const char *name;
    // Up to LANES contacts into a group (contact_fill.c).
    void (*fill)(const physics_world *world, uint32_t group, const uint32_t *slots, uint32_t count);
    // Impulses back into the contacts.
    touch_changes (*store)(const physics_world *world, uint32_t group, const uint32_t *slots,
                           uint32_t count);
    // Sweeps over the groups [first, end).
    void (*warm_start)(const contact_groups *groups, uint32_t first, uint32_t end,
                       body_state *states);
    // With bias: pushes overlap out. Without: relaxes, and applies friction.
    void (*solve)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                  const step_context *step);
    void (*relax)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                  const step_context *step);
    // Relaxes contacts of thin bodies, before all are; of the thinnest alone, if `more`.
    void (*settle)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                   const step_context *step, bool more);
    // Impacts: what closes faster than step->restitution_threshold and will soon touch rebounds,
    // with friction; see contact_impacts.h.
    bool (*impact)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                   const step_context *step, const impact_pass *pass);
} contact_kernels;

// The widest variant that this processor runs; CAROM_SIMD=base (or avx2) in the environment asks
// for another.
const contact_kernels *contact_kernels_choose(void);

// Which colour's contacts go into which groups (contact_groups.first), and memory for them. Comes
// first, on one thread.
void contact_lanes_layout(physics_world *world);
void contact_lanes_free(physics_world *world); // there are no groups until the next layout
// The lanes of a group in which an impact is due, a bit each.
uint32_t contact_lanes_due(const contact_groups *groups, uint32_t group);
// Fills the groups [first, end); reads contacts and bodies, writes nothing but these groups, and
// what their contacts keep for contact_approach(). Different ranges may be filled on different
// threads.
void contact_lanes_prepare(physics_world *world, uint32_t first, uint32_t end);
// Impulses of these groups back into their contacts, of which each is in one group. Adds those that
// began or ceased to touch to the lists, which are then to be sorted. On different threads, with
// lists of each one's own.
void contact_lanes_store(physics_world *world, uint32_t first, uint32_t end, slot_list *began,
                         slot_list *ended);

// Normal velocities of a contact's points before the step's solving, < 0 when closing; of what was
// not solved 0. Only of what there may be an event to tell of: what began or ceased to touch in
// this step, or touched all along if that is told. From the lanes, so only until the graph changes
// after the step: while they are solved the contact keeps the two in place of the last step's
// impulses, and gives them up for this step's to the lanes' base_separation, which is done with.
void contact_approach(const physics_world *world, const contact *c, float approach[2]);

#endif
