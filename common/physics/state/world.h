// The state of a world: the values that its hash and image cover, and those derived from them. Only
// files of state/, step/, image/ and queries/ include it.
//
// Layout. Bodies, shapes, joints and contacts live in slots that never move; slot 0 is reserved as
// "none". Equal shapes share one record of their fixed properties; a contact does not store the
// values that follow from poses or shapes. Awake objects are listed by slot; sleeping ones are on
// no list and cost nothing.
//
// Canonical state. The future depends on slots, values and the colour of each contact and joint,
// never on the order of a list, the shape of a tree or an address: wherever an order matters, it is
// by slot. So hashes and images agree for any number of threads.
#ifndef CAROM_COMMON_PHYSICS_STATE_WORLD_H
#define CAROM_COMMON_PHYSICS_STATE_WORLD_H

#include "common/base/array.h"
#include "common/physics/parallel/ranges.h"
#include "common/physics/physics.h"
#include "common/physics/state/bodies/body.h"
#include "common/physics/state/broad_phase/broad_phase.h"
#include "common/physics/state/broad_phase/pair_set.h"
#include "common/physics/state/contacts/contact.h"
#include "common/physics/state/data_table.h"
#include "common/physics/state/graph.h"
#include "common/physics/state/kept_record.h"
#include "common/physics/state/shapes/shape.h"
#include "common/physics/state/slots.h"
#include "common/physics/state/step_context.h"

struct body_special;   // bodies/body_special.h
struct joint;          // joints/joint_record.h
struct joint_settings; // the same
struct step_scratch;   // step/step_scratch.h
struct solver_scratch; // step/solver/solver_scratch.h

typedef ARRAY(body) body_list;
typedef ARRAY(body_motion) body_motion_list;
typedef ARRAY(body_state) body_state_list;
typedef ARRAY(body_extent) body_extent_list;
typedef ARRAY(shape) shape_list;
typedef ARRAY(contact) contact_list;
typedef ARRAY(struct joint) joint_list;
typedef ARRAY(struct body_special) body_special_list;
typedef ARRAY(struct joint_settings) joint_settings_list;
typedef ARRAY(char *) tag_list;
typedef ARRAY(physics_event) event_list;

// The arrays of a world, the one place that names them: X(type, name).
#define WORLD_ARRAYS(X)                                                                            \
    /* Parallel arrays by slot. Their capacity is that of the slots. */                            \
    X(body_list, bodies)                                                                           \
    X(body_motion_list, motions)                                                                   \
    X(body_state_list, states)                                                                     \
    X(body_extent_list, extents)                                                                   \
    X(slot_list, colours_used) /* by body: a bit for each colour */                                \
    X(shape_list, shapes)                                                                          \
    X(contact_list, contacts)                                                                      \
    X(joint_list, joints)                                                                          \
    X(body_special_list, specials)         /* entry 0: the usual values */                         \
    X(joint_settings_list, joint_settings) /* empty before the first joint */                      \
    X(tag_list, tags)                      /* by body, owned; ends at the last body with a tag */  \
    /* Awake objects, by slot: bodies are dynamic or kinematic, enabled, not asleep. */            \
    X(slot_list, awake_bodies)                                                                     \
    X(slot_list, awake_contacts)                                                                   \
    X(slot_list, awake_joints)                                                                     \
    /* Between steps. */                                                                           \
    X(event_list, events)  /* events of this step, or of changes since the last step */            \
    X(slot_list, enlarged) /* shapes whose boxes were renewed since pairs were last looked for; */ \
                           /* then, to the end of the narrow phase, those of box_renewed */        \
    X(slot_list, collected) /* contacts that contact_collect() found last */

struct physics_world {
    // ---- covered by hash and image
    world_def def;
    uint64_t tick;
    uint32_t frozen_count;
    slot_pool body_slots, shape_slots, joint_slots, contact_slots;
    slot_pool special_slots;
    slot_pool settings_slots;
#define DECLARE(type, name) type name;
    WORLD_ARRAYS(DECLARE)
#undef DECLARE

    data_table data;
    kept_record rules, seats;

    // ---- derived state
    step_context step;
    uint32_t touching_count; // touching pairs of ids
    // contacts with CONTACT_SURFACE, and those with CONTACT_ROUND
    uint32_t surface_count, round_count;
    graph_colour graph[COLOURS + 1];
    traits_table traits;
    broad_phase broad;
    pair_set pairs; // pairs of shape slots that have a contact

    uint32_t contacts_max; // PHYSICS_CONTACTS_MAX, except in tests that reach it
    uint32_t meetings_max; // PHYSICS_MEETINGS_MAX, with the same exception

    // ---- settings of the caller and scratch memory of steps; no result depends on them
    uint32_t event_mask;
    bool events_finished; // a step ended: the next change or step starts a new list
    parallel_work parallel;
    struct step_scratch *scratch;
    struct solver_scratch *solver;
    double (*now_ms)(void); // NULL: steps are not measured
    world_profile profile;
};

#endif
