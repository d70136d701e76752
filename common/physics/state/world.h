// The inside of a world: what all files of this folder share. Nobody else includes it.
//
// Layout. Bodies, shapes, joints and contacts live in slots that never move; slot 0 is reserved as
// "none". What a shape never changes lies in a record that all equal shapes share; what of a
// contact follows from poses or shapes is not kept. What is awake is listed by slot; what sleeps is
// on no list and costs nothing.
//
// Canonical state. The future depends on slots, values and the colour of each contact and joint,
// never on the order of a list, the shape of a tree or an address: wherever an order matters, it is
// by slot. That is what makes hashes, images and any number of threads agree.
#ifndef CAROM_COMMON_PHYSICS_STATE_WORLD_H
#define CAROM_COMMON_PHYSICS_STATE_WORLD_H

#include "common/base/array.h"
#include "common/physics/state/bodies/body.h"
#include "common/physics/state/broad_phase/broad_phase.h"
#include "common/physics/state/broad_phase/pair_set.h"
#include "common/physics/state/contacts/contact.h"
#include "common/physics/physics.h"
#include "common/physics/state/shapes/shape.h"
#include "common/physics/state/slots.h"
#include "common/physics/state/graph.h"
#include "common/physics/step/solver/solver.h"
#include "common/physics/parallel/ranges.h"
#include "common/physics/step/sleep.h"
#include "common/physics/step/trim.h"

struct body_special;      // bodies/body_special.h
struct joint;             // joints/joint_single.h
struct joint_settings;    // the same
struct joint_solver;      // solver/joint_lanes.c
struct contact_kernels;   // solver/contact_lanes.h
struct integrate_kernels; // solver/integrate.h

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
    ARRAY(struct body_special) specials; // at 0 what is usual
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
    const struct integrate_kernels *integrators;
    struct joint_solver *joint_solver; // the joints of a step; NULL before the first
    step_context step;
    double (*now_ms)(void); // NULL: steps are not measured
    world_profile profile;
};

#endif
