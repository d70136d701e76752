// Contacts in the solver's form: eight at a time, each field a vector with a lane for each contact.
// The kernels are contact_kernels.c and contact_fill.c, once for every variant; see wide.h.
//
// A large world's lanes do not fit the caches, and a step sweeps over them nine times, so the
// number of bytes decides the cost. Fields that few contacts need are separate, and exist only in
// worlds with such contacts; values that follow from others by a few operations are computed again
// in each sweep.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_LANES_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_LANES_H

#include "common/physics/lanes/wide.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/solver.h"

typedef struct point_lanes {
    // warm starting reads these fields too
    EACH2(anchor_ax, anchor_ay); // arm from A's centre; B's arm is this minus c->way
    EACH2(normal_impulse, tangent_impulse);
    // the other fields
    EACH(base_separation); // separation minus the anchors' part of it; see contact_approach()
    EACH(normal_k);        // change of the normal velocity per unit of normal impulse [1/kg]
    EACH(tangent_mass);    // effective mass [kg]
    EACH(total_impulse);   // sum of the normal impulses over the sub-steps so far
} point_lanes;

#define PUSH_OUT_SPEED_MAX 3.0f // the largest speed that pushes overlap out [m/s]
// At a larger overlap [m] the push-out speed grows by DEEP_PUSH_RATE [1/s]: only impacts and heavy
// loads press that deep.
#define DEEP_OVERLAP       0.05f
#define DEEP_PUSH_RATE     60.0f
// An overlap that is not corrected, so that resting contacts persist [m].
#define OVERLAP_SLOP       0.00003f

enum { // lane_marks.features
    // at least one lane has the feature
    LANES_ROLLING = 1u,
    LANES_CONVEYING = 2u,
    LANES_ROUND = 4u,
    // no lane has a second point, so sweeps skip them; no lane has a contact
    LANES_SINGLE = 8u,
    LANES_NONE = 16u,
    // at least one lane has a body far heavier than the other (heavy_loads.c)
    LANES_UNEVEN = 32u,
    // at least one lane has restitution
    LANES_LIVELY = 64u,
    // at least one lane has a body with STATE_THIN
    LANES_THIN = 128u
};
enum { PARTS_MAX = 2 }; // the most parts in which a kernel processes a group

// Marks of a group's impacts, a byte per group, in contact_groups.impacts.
enum {
    IMPACTS_NEVER = 0,    // no restitution
    IMPACTS_POSSIBLE = 1, // a fast approach rebounds
    IMPACTS_DUE = 2       // shifted by the part: some contact of that part rebounds now
};

enum {
    IMPACT_ROUNDS_ALL = 4, // rounds in which every impact counts
    // rounds in all; later ones only for fast rebounds: an elastic impact travels through a row of
    // at least this many balls in one step
    IMPACT_ROUNDS_MAX = 64,
    IMPACT_ROUNDS_DULL = 4,      // the most in a world that is not lively
    IMPACT_SWEEPS_OF_ROUND = 60, // sweeps over a round's impacts; usually two are enough
    IMPACT_SWEEPS_BRACED = 200,  // the same where joints bear the impacts
    IMPACT_ROWS_BRACED = 8192,   // joint rows in all those sweeps: a tenth of a millisecond
    IMPACT_SWEEPS_MAX = 192,     // after this many sweeps no further round begins
    // contacts with impacts that a sub-step's sweeps visit; beyond it no further round begins
    IMPACT_WORK_MAX = 524288
};

typedef enum impact_phase { IMPACT_FIND, IMPACT_SOLVE, IMPACT_END } impact_phase;

// A sweep over impacts, and the state it needs to skip contacts that the last round did not affect.
typedef struct impact_pass {
    impact_phase phase;
    uint8_t *struck; // indexed by body slot: 1 + the last round in which an impact changed the
                     // body's velocity
    uint8_t round;   // the first round is 0
} impact_pass;

// A missing point of a contact is FAR_AWAY. Lanes without a contact refer to body slot 0, which
// does not move.
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

// Marks of a group: except for the features, a bit for each lane with a contact.
typedef struct lane_marks {
    uint8_t features[PARTS_MAX]; // features of each part
    uint8_t touching;            // touched before
    uint8_t overlapping, near;   // the nearest point overlaps; it is within LINEAR_SLOP
    uint8_t approached;          // an event may report its approach speeds
} lane_marks;

// An impact of a point.
typedef struct blow_lanes {
    EACH(parting); // the least normal velocity after it; -FAR_AWAY if there is no impact [m/s]
    EACH(impulse); // along the normal [N s]
    EACH(later);   // time until they meet [s]
} blow_lanes;

// For groups in which a contact has more than friction (CONTACT_SURFACE); unset for other groups.
typedef struct surface_lanes {
    EACH(restitution);
    EACH(tangent_speed);
    EACH3(rolling_resistance, rolling_impulse, rolling_mass);
    EACH(unheld); // 1 if neither body has joints, else 0
    blow_lanes blows[2];
} surface_lanes;

// With LANES_ROUND: the shapes' rounding radii [m].
typedef struct rounding_lanes {
    EACH2(a, b);
} rounding_lanes;

// With LANES_THIN: the factor on the usual softness of each contact, at most 1, in proportion to
// the thinner body's size.
#define SETTLE_SHARE      0.5f  // contacts below it are swept more often: see SETTLE_SWEEPS
#define SETTLE_SHARE_MORE 0.15f // contacts below this share, even more often
typedef struct give_lanes {
    EACH(share);
} give_lanes;

// Lanes of a group, a bit each, whose contacts began or ceased to touch.
typedef struct touch_changes {
    uint32_t began, ended;
} touch_changes;

typedef struct contact_kernels {
    const char *name;
    // Copies up to LANES contacts into a group (contact_fill.c).
    void (*fill)(const physics_world *world, uint32_t group, const uint32_t *slots, uint32_t count);
    // Copies impulses back into the contacts.
    touch_changes (*store)(const physics_world *world, uint32_t group, const uint32_t *slots,
                           uint32_t count);
    // Sweeps over the groups [first, end).
    void (*warm_start)(const contact_groups *groups, uint32_t first, uint32_t end,
                       body_state *states);
    // With bias: pushes overlap out. Without bias: relaxes, and applies friction.
    void (*solve)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                  const step_context *step);
    void (*relax)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                  const step_context *step);
    // Relaxes contacts of thin bodies, before all are relaxed; only those of the thinnest if
    // `more`.
    void (*settle)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                   const step_context *step, bool more);
    // Impacts: points that close faster than step->restitution_threshold and will soon touch
    // rebound, with friction; see contact_impacts.h.
    bool (*impact)(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                   const step_context *step, const impact_pass *pass);
} contact_kernels;

// The widest variant that this processor supports; CAROM_SIMD=base (or avx2) in the environment
// selects another.
const contact_kernels *contact_kernels_choose(void);

// Assigns the contacts of each colour to groups (contact_groups.first), and allocates memory for
// them. Must come first, on one thread.
void contact_lanes_layout(physics_world *world);
void contact_lanes_free(physics_world *world); // there are no groups until the next layout
// The lanes of a group in which an impact is due, a bit each.
uint32_t contact_lanes_due(const contact_groups *groups, uint32_t group);
// Fills the groups [first, end); reads contacts and bodies, and writes only these groups and the
// values that their contacts keep for contact_approach(). Different threads may fill different
// ranges.
void contact_lanes_prepare(physics_world *world, uint32_t first, uint32_t end);
// Copies the impulses of these groups back into their contacts, each of which is in one group. Adds
// contacts that began or ceased to touch to the lists, which the caller must then sort. Different
// threads may do so with lists of their own.
void contact_lanes_store(physics_world *world, uint32_t first, uint32_t end, slot_list *began,
                         slot_list *ended);

// Normal velocities of a contact's points before solving, < 0 when closing; 0 for contacts that
// were not solved. Valid only for contacts that an event may report: those that began or ceased to
// touch in this step or, if such events are wanted, those that touched throughout. They come from
// the lanes, so they are valid only until the graph changes after the step. While the lanes are
// solved, the contact keeps the two values in place of the last step's impulses; when this step's
// impulses are stored, they move to the lanes' base_separation, which is not needed any more.
void contact_approach(const physics_world *world, const contact *c, float approach[2]);

#endif
