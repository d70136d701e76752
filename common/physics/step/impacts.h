// Impacts of discs at their true moment; see impacts.c. On the world's thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_IMPACTS_H
#define CAROM_COMMON_PHYSICS_STEP_IMPACTS_H

#include "common/physics/state/broad_phase/tree.h"
#include "common/physics/state/slots.h"
#include "common/physics/step/impact_path.h"

// The most impacts of one body in one step. A body with more is wedged between others, or bounces
// ever lower: the solver brings it to rest.
enum { IMPACTS_OF_BODY_MAX = 64 };

// Two bodies that will meet.
typedef struct impact_event {
    double at; // [s] into the step
    uint32_t contact;
    uint32_t version_a, version_b; // versions of the paths when it was found
} impact_event;

// An impact that has happened, for the events that report it.
typedef struct impact_report {
    uint32_t contact;
    vec2d point;
    vec2 normal;   // unit vector from the contact's body A to B
    float speed;   // speed of approach, > 0 [m/s]
    float impulse; // along the normal [N s]
    float at;      // [s] into the step
} impact_report;

typedef ARRAY(impact_path) impact_path_list;
typedef ARRAY(impact_event) impact_event_list;
typedef ARRAY(impact_report) impact_report_list;

// Before the narrow phase: follows discs through the step from impact to impact, and sets their
// start so that the solver takes them to where they end.
void resolve_impacts(struct physics_world *world);
// Within the narrow phase: hides contacts of bodies that have rebounded or fly past.
void part_impacts(struct physics_world *world);
// Called when all bodies have moved.
void forget_impacts(struct physics_world *world);

// The report of this step's impact of a contact; false if there was none.
bool impact_told(const struct physics_world *world, uint32_t contact, impact_report *out);
// Whether the body had impacts in this step, and where its centre of mass was at the last one.
bool impact_find_place(const struct physics_world *world, uint32_t body, vec2d *place);
// The share of the step, in [0, 1], after which the body had no more impacts.
float impact_find_end(const struct physics_world *world, uint32_t body);
// Like impact_find_place(), but gives the body's place when the step began: the solver starts it
// elsewhere.
bool impact_find_begin(const struct physics_world *world, uint32_t body, vec2d *center);

#endif
