// The inside of a world: what the files of this folder share. Nobody else includes it.
//
// Layout. Bodies, shapes, joints and contacts live in slots that never move; slot 0 is reserved as
// "none". What the solver touches in its inner loop is apart from the rest: body_state (32 bytes,
// velocities and the change of pose within the step), then body_motion (what is read once a step),
// then body_rim and body (everything else). What is unusual about a body lies in a record that only
// such bodies have. What a shape never changes lies in a record that all equal
// shapes share; what of a contact follows from poses or shapes is not kept. What is awake is listed
// by slot; what sleeps is on no list and costs nothing.
//
// Canonical state. The future depends on slots, values and the colour of each contact and joint,
// never on the order of a list, the shape of a tree or an address: wherever an order matters, it is
// by slot. That is what makes hashes, images and any number of threads agree.
#ifndef CAROM_COMMON_PHYSICS_WORLD_H
#define CAROM_COMMON_PHYSICS_WORLD_H

#include "common/base/array.h"
#include "common/geometry/distance.h"
#include "common/geometry/manifold.h"
#include "common/physics/broad_phase.h"
#include "common/physics/pair_set.h"
#include "common/physics/physics.h"
#include "common/physics/ranges.h"
#include "common/physics/slots.h"
#include "common/physics/trim.h"

enum { NONE = 0 }; // no slot

#define AABB_MARGIN_MAX                                                                            \
    0.1f // boxes in the broad phase are up to this much larger, so that they change seldom [m]
#define AABB_MARGIN_SHARE 0.1f // and by no more than this share of their smaller side
#define RECYCLE_DISTANCE                                                                           \
    0.01f // a manifold is kept while its bodies move less than this against each other [m]
#define RECYCLE_SHARE       0.01f // and less than this share of the farthest point of B from its origin
#define RECYCLE_SHARE_ROUND 0.0001f // the same where something round touches at one point
#define DEEP_SHARE                                                                                 \
    0.5f // deeper in each other than this share of the thinner one's smallest half width, shapes do
         // not rub
#define SLEEP_SPEED 0.05f // slower than this, a body may fall asleep [m/s, at its rim too]
#define SLEEP_TIME  0.5f  // [s] for which it must be slow
#define CONTACT_HERTZ                                                                              \
    40.0f // stiffness of contacts, as the frequency of a spring; at most 1/6 of the sub-step rate
#define CONTACT_DAMPING                                                                            \
    20.0f // their damping ratio: far over critical, so that overlap creeps out and piles come to
          // rest
#define PUSH_OUT_SPEED_MAX 3.0f // overlap is pushed out no faster than this [m/s]
#define DEEP_OVERLAP                                                                               \
    0.05f // what is deeper is pushed out faster by DEEP_PUSH_RATE: blows and heavy loads
          // squeeze so far [m]
#define DEEP_PUSH_RATE 60.0f    // [1/s]
#define OVERLAP_SLOP   0.00003f // overlap that is left alone, so that resting contacts stay [m]
#define JOINT_HERTZ    60.0f // stiffness of what a joint holds rigid; at most 1/4 of the sub-step rate
#define JOINT_DAMPING  2.0f

enum {
    SLEEP_CHECK_TICKS =
        8, // islands are looked for only every so many steps: a few hundredths of a step's cost
    COLOURS = 24,         // of the constraint graph; a body's used colours are the bits of a word
    COLOURS_DYNAMIC = 20, // the first ones are for pairs of dynamic bodies, the rest for contacts
                          // with what does not move
    COLOUR_OVERFLOW =
        COLOURS, // where a body has more constraints than colours: solved one by one, by slot
    COLOUR_NONE = 255
};

// ---- bodies

enum {                         // body_state.flags
    STATE_DYNAMIC = 1u,        // has mass: constraints write to it
    STATE_FORCE_AT_POINT = 2u, // body_special.force_point counts
    STATE_SPECIAL = 4u         // follows: has a body_special of its own
};

// What the solver works on: one half of a cache line. For what does not move all is zero and dq the
// identity.
typedef struct body_state {
    vec2 velocity; // of the centre of mass
    float angular_velocity;
    uint32_t flags;
    vec2 delta_position; // of the centre of mass since the step began
    rot delta_rotation;
} body_state;
_Static_assert(sizeof(body_state) == 32, "two states to a cache line");

// What the narrow phase and integration read: one cache line.
typedef struct body_motion {
    _Alignas(64) vec2d center; // of mass, in the world; `position` follows from it
    vec2d position;
    rot rotation;
    vec2 local_center;
    float inv_mass, inv_inertia;
    float room; // it can move this far before its boxes are to be looked at [m]; no state: 0 is
                // always right
    uint32_t special : 24;    // place in world.specials; 0: nothing unusual about it
    uint32_t box_renewed : 8; // in this step, one of its shapes'
} body_motion;
_Static_assert(sizeof(body_motion) == 64, "one cache line");

// How far a body reaches about its centre of mass, and for how long it has been slow there.
typedef struct body_rim {
    float extent_min, extent_max; // smallest half width; largest distance from the centre of mass
    float turn_reach; // the same of what moves when the body turns: circles as their centres
    float sleep_time; // [s]
} body_rim;

// What few bodies have (body_special.c).
typedef struct body_special {
    float linear_damping, angular_damping, gravity_scale;
    float mass_override; // 0: from the shapes
    vec2 force;          // set by the user, acts every step
    vec2 force_point;    // where, in the body's frame, relative to its origin
    float torque;
} body_special;

enum { // body.flags
    BODY_ENABLED = 1u << 0,
    BODY_BULLET = 1u << 1,
    BODY_ALLOW_SLEEP = 1u << 2,
    BODY_FIXED_ROTATION = 1u << 3,
    BODY_FROZEN = 1u << 4,
    BODY_MARKED = 1u << 5 // scratch of one function at a time
};

typedef struct body {
    uint32_t shapes : 24, flags : 8;             // list through shape.next, ascending slots
    uint32_t contacts, contact_count;            // list of contact edges, see contact_edge
    uint32_t joints;                             // list of joint edges
    uint32_t joint_count : 21, shape_count : 11; // the pieces of chains are shapes too
    uint32_t awake_index : 24; // place in world.awake_bodies + 1; 0: not on the list
    uint32_t type : 8;         // body_type
    uint32_t sleep_set;        // the lowest slot of those that fell asleep together; 0: awake
    uint32_t sleep_next;       // of the same set, a ring
} body;
_Static_assert(sizeof(body) == 32, "two bodies to a cache line");
_Static_assert(PHYSICS_BODY_SHAPES_MAX < 1 << 11 && PHYSICS_JOINTS_MAX < 1 << 21, "counts fit");

// ---- shapes

enum { // shape.flags
    SHAPE_SENSOR = 1u << 0,
    SHAPE_IS_CHAIN = 1u << 1, // a chain as a whole: not in the broad phase, its pieces are
    SHAPE_ENLARGED = 1u << 2  // its box was renewed in this step: look for new pairs
};

// What a shape never changes. Most bodies bear the same shape as another, so those that are alike
// share one (shape_traits.c).
typedef struct shape_traits {
    uint64_t signature; // hash of what defines it
    uint32_t users;
    float extent_min; // smallest half width of the geometry
    uint32_t events;  // bits of shape_events
    shape_filter filter;
    float density, friction, restitution, rolling_resistance, tangent_speed;
    uint32_t chain;       // the slot of the chain that this is a piece of; of a chain: its own
    uint32_t point_count; // of a chain
    vec2 *points;         // of a chain, owned
    float reach;          // farthest point from the body's origin [m]
    bool loop;
    shape_geometry geometry; // no more of it is there than its kind needs
} shape_traits;

typedef struct traits_table {
    shape_traits **places; // open addressing, by signature
    uint32_t count, capacity;
} traits_table;

typedef struct shape {
    _Alignas(32) aabb fat; // the box in the broad phase
    shape_traits *traits;
    uint32_t body : 24, flags : 8; // shape.flags
    uint32_t next : 24;            // of the same body
    uint32_t boxed : 8;            // in the broad phase
} shape;
_Static_assert(sizeof(shape) == 32, "two shapes to a cache line");

// ---- contacts

enum {                          // contact.flags
    CONTACT_ACTIVE = 1u << 0,   // has points, so it is solved; up to SPECULATIVE_DISTANCE before
                                // touching, or in the step in which it is to (speculative.c)
    CONTACT_TOUCHING = 1u << 1, // touches: a begin is told and no end yet
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
    uint32_t shape_a : 24; // in the order in which the manifold functions take them
    uint32_t point_count : 8;
    uint32_t shape_b;
    float normal_impulse[2]; // of the points
    float tangent_impulse[2];
    float total_impulse[2]; // of the normal, over the sub-steps of the last step; while one is
                            // solved it may be approach speeds, see contact_approach()
    union {
        float gap;       // without points: the shapes were at least this far apart then, along
                         // local_normal; 0: not known
        uint16_t ids[2]; // of the points
    };
    float reach; // of shape B

    _Alignas(64) vec2 local_normal; // in the frame of A; without points the axis of the gap
    vec2 local_a[2];                // the points, there
    float found_separation[2];      // when the bodies stood in `reference`
    float friction;
    float rolling_impulse; // zero without CONTACT_SURFACE
    uint32_t awake_index;  // place in world.awake_contacts + 1; 0: both bodies sleep or do not move
    uint32_t colour_index;
    contact_edge edges[2];
} contact;
_Static_assert(sizeof(contact) == 128, "two cache lines");

// What a contact is that does not only rub.
typedef struct surface {
    float restitution, rolling_resistance, tangent_speed;
} surface;

// How far the shapes of a contact reach out about their cores [m].
typedef struct rounding {
    float a, b;
} rounding;

// Where a contact's points are.
typedef struct placed_points {
    vec2 normal;      // in the world, from A to B
    vec2 anchor_a[2]; // from A's centre of mass, in world directions
    float separation[2];
} placed_points;

// A contact's local_normal as it was found.
typedef struct turned_normal {
    uint32_t contact;
    vec2 was;
} turned_normal;

// ---- joints: see joint_internal.h

struct joint;
struct joint_settings;

enum { JOINT_SORTS = 3 }; // ways in which joints are solved, joint_sort

// ---- the world

// Contacts and joints that are solved in a given colour.
typedef struct graph_colour {
    ARRAY(uint32_t) contacts;
    uint32_t twins; // of those, so many have two points and come first; see graph.c
    slot_list joints[JOINT_SORTS];
} graph_colour;

// A step's fixed numbers.
typedef struct step_context {
    float dt, inv_dt; // of the whole step
    float h, inv_h;   // of a sub-step
    int substeps;
    float contact_bias_rate, contact_mass_scale, contact_yield; // two moving bodies
    float static_bias_rate, static_mass_scale, static_yield;    // one of them does not move
    float joint_bias_rate, joint_mass_scale, joint_impulse_scale;
    float roll_ahead; // what rolls is placed where it will be so far into the step [s]
    float restitution_threshold;
} step_context;

// What a sweep over the constraints does; see solver.c.
typedef enum solver_pass {
    PASS_WARM_START,
    PASS_WARM_AGAIN, // only what the bodies' change of velocity does not bring, see integrate.c
    PASS_SOLVE,
    PASS_RELAX
} solver_pass;

// What falls asleep or wakes; see sleep.c.
typedef struct sleep_scratch {
    slot_list awake, members, contacts;
    slot_list next; // by body: chains of members
} sleep_scratch;

// The contacts of a step, by colour, LANES at a time: arrays by group, see contact_lanes.h.
typedef struct contact_groups {
    struct contact_lanes *lanes;
    struct lane_marks *marks;
    uint8_t *blows;                   // blows_state
    struct surface_lanes *surfaces;   // NULL: no contact needs any
    struct rounding_lanes *roundings; // the same
    uint32_t capacity;
    uint32_t first[COLOURS + 2]; // where each colour's begin
} contact_groups;

struct joint_solver; // joint_lanes.c
struct contact_kernels;
typedef struct integrate_kernels integrate_kernels; // integrate.h

struct physics_world {
    world_def def;
    uint64_t tick;
    uint32_t frozen_count;
    uint32_t event_mask;
    uint32_t touching_count;
    uint32_t surface_count, round_count; // contacts with CONTACT_SURFACE, with CONTACT_ROUND

    slot_pool body_slots, shape_slots, joint_slots, contact_slots;
    // Parallel arrays by slot. Their capacity is that of the slots.
    ARRAY(body) bodies;
    ARRAY(body_motion) motions;
    ARRAY(body_state) states;
    ARRAY(body_rim) rims;
    ARRAY(uint32_t) colours_used; // of each body, a bit a colour
    ARRAY(shape) shapes;
    ARRAY(contact) contacts;
    ARRAY(struct joint) joints;
    slot_pool special_slots;
    ARRAY(body_special) specials; // at 0 what is usual
    slot_pool settings_slots;
    ARRAY(struct joint_settings) joint_settings; // empty before the first joint
    ARRAY(char *) tags;                          // of bodies, owned; up to the last that has one

    ARRAY(uint32_t) awake_bodies; // moving ones: dynamic and kinematic, enabled, not asleep
    ARRAY(uint32_t) awake_contacts;
    ARRAY(uint32_t) awake_joints;
    graph_colour graph[COLOURS + 1];

    traits_table traits;
    broad_phase broad;
    pair_set pairs; // of shape slots that have a contact

    ARRAY(physics_event) events; // of the step that is under way, or changes since the last one
    bool events_finished;        // a step ended: the next change or step starts a new list
    ARRAY(uint32_t)
    enlarged; // shapes whose boxes were renewed since pairs were last looked for;
              // then, to the end of the narrow phase, those of box_renewed

    task_runner runner; // run: NULL if the world has one thread
    bool undivided; // ranges are not cut: what the phase under way works on is better kept together
    lot *lots;      // of the phase under way
    // Scratch of a step, kept for its memory.
    item_pairs found;
    item_pairs *found_in; // by lot
    uint32_t lot_count;
    slot_list activated, deactivated;      // contacts that got or lost their points in this step
    item_pairs rests[2];                   // shapes and contacts of seams.c, and to sort them
    slot_list held;                        // awake bodies that something may touch, see integrate.c
    ARRAY(struct velocity_lanes) unsolved; // of the held, LANES in each
    slot_list on_seams;                    // bodies for seams.c
    ARRAY(turned_normal) turned;           // by seams.c, for this step
    slot_list began, ended;                // contacts that began or ceased to touch
    slot_list scratch;
    ARRAY(uint32_t) set_of; // union-find of sleep.c, by body
    sleep_scratch sleeping;
    slot_list fast;        // bodies for continuous.c
    slot_list lost;        // bodies that left the world, or are not numbers any more
    ARRAY(float) stops;    // the part of the step after which each of these rests
    ARRAY(uint8_t) struck; // of each body, see impact_pass
    contact_groups groups;
    trim_peaks peaks;
    const struct contact_kernels *kernels;
    const integrate_kernels *integrators;
    struct joint_solver *joint_solver; // the joints of a step; NULL before the first
    step_context step;
    double (*now_ms)(void); // NULL: steps are not measured
    world_profile profile;
};

// ---- who offers what to the other files of this folder

// slots and ids (ids.c): the slot of an id that exists, or NONE.
uint32_t body_slot(const physics_world *world, body_id id);
uint32_t shape_slot(const physics_world *world, shape_id id);
uint32_t joint_slot(const physics_world *world, joint_id id);
body_id body_id_of(const physics_world *world, uint32_t slot);
shape_id shape_id_of(const physics_world *world, uint32_t slot); // of a chain's piece: the chain's
joint_id joint_id_of(const physics_world *world, uint32_t slot);
status body_find(const physics_world *world, body_id id, uint32_t *slot, error *err);
status shape_find(const physics_world *world, shape_id id, uint32_t *slot, error *err);

// definitions (definition.c; those of whole definitions are public)
status number_check(double value, double lower, double upper, const char *name, error *err);
status vector_check(vec2d value, double limit, const char *name, error *err);
void body_set_pose_from_center(body_motion *motion);
void body_set_center_from_pose(body_motion *motion);
void body_set_tag(physics_world *world, uint32_t slot,
                  const char *tag);                              // a copy; NULL or "": none
const char *body_tag(const physics_world *world, uint32_t slot); // "": none
// A dynamic body of fixed rotation never turns, whatever it is told: stops it.
void body_hold_rotation(physics_world *world, uint32_t slot);
void body_freeze(physics_world *world, uint32_t slot);
void body_disable(physics_world *world, uint32_t slot);
void body_enable(physics_world *world, uint32_t slot);
// body_special.c
static inline const body_special *body_special_of(const physics_world *world, uint32_t slot)
{
    return &world->specials.data[world->motions.data[slot].special];
}
void body_set_special(physics_world *world, uint32_t slot, const body_special *special);
void specials_init(physics_world *world);
// body_mass.c
void body_update_mass(physics_world *world, uint32_t slot);
typedef struct body_mass {
    float mass, inertia; // about the centre of mass; 0 of what is not dynamic
} body_mass;
body_mass body_find_mass(const physics_world *world, uint32_t slot);
// From an image: whether body_update_mass() finds for a body what it found for its twin, given that
// their shapes are the same; and then all that it found, but for the pose.
bool body_has_mass_of(const physics_world *world, uint32_t slot, uint32_t twin);
void body_take_mass(physics_world *world, uint32_t slot, uint32_t twin);
// body_awake.c
bool body_is_moving(const body *b,
                    const body_state *state); // dynamic, or kinematic with a velocity
void body_list_awake(physics_world *world, uint32_t slot);
void body_unlist_awake(physics_world *world, uint32_t slot);
void body_refresh_awake(physics_world *world,
                        uint32_t slot);              // lists it as it belongs, with contacts
void body_wake(physics_world *world, uint32_t slot); // with all that fell asleep with it
void body_wake_touching(physics_world *world, uint32_t slot); // what touches it, or is joined to it
static inline pose body_pose(const body_motion *motion)
{
    return (pose){motion->position, motion->rotation};
}

// what shapes share (shape_traits.c)
// Equal ones of the table's, or new ones; one user more. `like` is to have no padding that is
// not zero; of a chain's the points are taken over, and it is shared with nobody.
shape_traits *shape_traits_take(traits_table *table, const shape_traits *like);
void shape_traits_drop(traits_table *table, shape_traits *traits);
shape_geometry shape_traits_geometry(const shape_traits *traits); // as a whole, the rest zero
void traits_table_deinit(traits_table *table);                    // with all that it holds

// shapes (shape.c)
// hash.c: the state hash is a sum of parts. Of a word of slots, 64 of them, what is in use:
uint64_t hash_bodies(const physics_world *world, uint32_t word);
uint64_t hash_contacts(const physics_world *world, uint32_t word);
uint64_t hash_rest(const physics_world *world); // all but bodies and contacts
uint64_t shape_signature(const shape_traits *s);
uint32_t shape_attach(physics_world *world, uint32_t body, const shape_def *def);
// Into a slot that is taken already: a shape (a chain without its pieces), the i-th piece of a
// chain, a box as it was; once all have theirs, shapes_finish_boxes() makes trees of them.
void shape_place(physics_world *world, uint32_t slot, uint32_t owner, const shape_def *def);
void shape_place_piece(physics_world *world, uint32_t slot, uint32_t chain, int i);
void shape_place_like(physics_world *world, uint32_t slot, uint32_t owner,
                      uint32_t like); // as another one that is no chain
void shape_restore_box(physics_world *world, uint32_t slot, aabb fat, bool enlarged);
void shapes_finish_boxes(physics_world *world);
void shape_detach(physics_world *world,
                  uint32_t slot); // a chain with its pieces; mass is not renewed
void shape_enter_broad_phase(physics_world *world, uint32_t slot);
void shape_leave_broad_phase(physics_world *world, uint32_t slot); // its contacts end
// Gives a moved shape another fat box if it has left its own; that one is still to be entered,
// which only one thread may do. Returns how far it can move before it is to be looked at again [m].
float shape_fit_box(physics_world *world, uint32_t slot, bool *renewed);
void shape_enter_box(physics_world *world, uint32_t slot);
void shape_reset_box(physics_world *world, uint32_t slot); // anew, and all of its pairs

// contacts (contact.c)
bool contact_wanted(const physics_world *world, uint32_t shape_a, uint32_t shape_b);
uint32_t contact_create(physics_world *world, uint32_t shape_a, uint32_t shape_b);
// Into a slot that is taken already; not yet active. False if the pair is not in the order that it
// would have.
bool contact_place(physics_world *world, uint32_t slot, uint32_t shape_a, uint32_t shape_b);
surface contact_surface(const physics_world *world, const contact *c); // zeros without the flag
rounding contact_rounding(const physics_world *world, const contact *c);
// The same of what rolls if it touches at one point: B a circle or the end of a capsule, A a circle
// too, or something flat (0). Of others 0.
rounding contact_curvature(const physics_world *world, const contact *c);
// Where the points are now: each has moved along with both bodies since it was found, by different
// ways; it is midway, and the difference along the normal has changed the separation. What contacts
// are filled into lanes with is the same to the bit, but for what will have moved on within the
// step (contact_fill.c).
placed_points contact_place_points(const physics_world *world, const contact *c);
void contact_destroy(physics_world *world, uint32_t slot);    // with its end event if it touched
void contact_activate(physics_world *world, uint32_t slot);   // if one of its bodies is awake
bool contact_list_awake(physics_world *world, uint32_t slot); // the same, but not into the graph
void contact_deactivate(physics_world *world, uint32_t slot);
// From an image: finds the manifold again that belongs to contact.reference; false if there is none
// (narrow_phase.c).
bool contact_restore(physics_world *world, uint32_t slot);
void contact_leave(physics_world *world, uint32_t slot); // has no points now (narrow_phase.c)
void contact_free(physics_world *world, uint32_t slot);  // without an event
// Ends all contacts of a body (of a shape, unless NONE), in order of slots.
void contact_destroy_all(physics_world *world, uint32_t body, uint32_t shape);
// Slots of all contacts of the body, ascending, into world->scratch.
void contact_collect(physics_world *world, uint32_t body);

// constraint graph (graph.c)
void graph_add_contact(physics_world *world, uint32_t slot);
void graph_remove_contact(physics_world *world, uint32_t slot);
// Its number of points has changed, if it is in the graph.
void graph_sort_contact(physics_world *world, uint32_t slot);
// A given colour again, from an image: false if it is taken on one of the bodies or not one for
// them.
bool graph_place_contact(physics_world *world, uint32_t slot, uint32_t colour);
bool graph_place_joint(physics_world *world, uint32_t slot, uint32_t colour);
uint32_t graph_joint_count(const physics_world *world, uint32_t colour);
void graph_add_joint(physics_world *world, uint32_t slot);
void graph_remove_joint(physics_world *world, uint32_t slot);
void graph_relist_joint(physics_world *world, uint32_t slot); // it may be of another sort now

// the phases of a step
void find_pairs(physics_world *world);        // pairs.c: boxes that came to overlap become contacts
void narrow_phase(physics_world *world);      // narrow_phase.c: manifolds, who is solved
void hide_seams(physics_world *world);        // seams.c: what lies between the tiles of a floor
void forget_seams(physics_world *world);      // seams.c: after solving, normals as they were found
void solve_constraints(physics_world *world); // solver.c: velocities and changes of pose
void touch_events(physics_world *world);      // touch.c: begin, stay, end, hit, after solving
float distance_moved(const physics_world *world, uint32_t body, vec2 moved,
                     rot turned); // finalize.c: of any point, at most
void body_update_boxes(physics_world *world, uint32_t slot, float moved);
void finalize_bodies(physics_world *world); // finalize.c: poses, boxes, who was fast, who is slow
// continuous.c: whether a fast body is a bullet, or something stands near the way that it has come.
// Reads only, on any thread of finalize_bodies().
bool way_may_be_barred(const physics_world *world, uint32_t slot);
void solve_continuous(physics_world *world); // continuous.c: what would have tunnelled is put back
void update_sleep(physics_world *world);     // sleep.c: islands that have come to rest

// sleep (sleep.c)
void sleep_wake_set(physics_world *world, uint32_t body); // all that fell asleep with it
void sleep_put_island(physics_world *world,
                      uint32_t body); // the body and all that touches or is joined, at once

// Slots in ascending order, each once (sort.c). Returns how many are left.
uint32_t sort_slots(uint32_t *slots, uint32_t count);
// Pairs by their first, then by their second, by merging through `other`, whose memory is kept (the
// library's qsort allocates).
void sort_pairs(item_pairs *pairs, item_pairs *other);

// joints (joint.c)
void joint_destroy_all(physics_world *world, uint32_t body);
bool joint_prevents_contact(const physics_world *world, uint32_t body_a, uint32_t body_b);
void joints_prepare(physics_world *world);
// Groups of a colour: of joints solved together, or one that is solved alone.
uint32_t joints_groups(const physics_world *world, uint32_t colour);
// Of these, the joints that are solved alone.
uint32_t joints_alone(const physics_world *world, uint32_t colour);
// Of those, the part that a range [first, end) of SHARES is. What has no colour is only swept
// whole.
void joints_sweep(physics_world *world, uint32_t colour, solver_pass pass, uint32_t first,
                  uint32_t end);
void joints_store(physics_world *world); // impulses, angles and reports back into the joints
void joints_check_break(physics_world *world);
void joint_activate(physics_world *world, uint32_t slot);
void joint_deactivate(physics_world *world, uint32_t slot);
// From an image: whether it is to be awake; if so it is listed, but not yet in the graph.
bool joint_restore_awake(physics_world *world, uint32_t slot);
void joint_refresh_all(physics_world *world, uint32_t body); // after it was enabled or disabled
void joints_free(physics_world *world);
// Calls back with the other body of each joint of `body`.
typedef void (*joint_visit)(physics_world *world, uint32_t joint, uint32_t other, void *context);
void joint_visit_all(physics_world *world, uint32_t body, joint_visit visit, void *context);

// events (events.c)
static inline bool event_wanted(const physics_world *world, event_kind kind)
{
    return (world->event_mask >> kind & 1) != 0;
}
void event_push(physics_world *world, const physics_event *event);
void event_push_body(physics_world *world, event_kind kind, uint32_t body);
void event_push_contact(physics_world *world, event_kind kind, uint32_t contact);
void events_begin(physics_world *world); // a change or a step starts: forget what was reported

#endif
