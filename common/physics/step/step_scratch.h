// Working memory of a step: data that its phases pass to each other, and memory that is kept so
// that a step allocates nothing. No result of a later step depends on it; neither hash nor image
// covers it.
//
// Only the files of step/ include this header; others know a world's scratch as a pointer. The list
// below is the one place that names its arrays: they are freed and trimmed by it.
#ifndef CAROM_COMMON_PHYSICS_STEP_STEP_SCRATCH_H
#define CAROM_COMMON_PHYSICS_STEP_STEP_SCRATCH_H

#include "common/base/array.h"
#include "common/physics/parallel/ranges.h"
#include "common/physics/state/broad_phase/tree.h"
#include "common/physics/state/contacts/contact.h"
#include "common/physics/state/graph.h"
#include "common/physics/state/slots.h"
#include "common/physics/step/impact_blows.h"
#include "common/physics/step/impacts.h"
#include "common/physics/step/sensor_sweep.h"
#include "common/physics/step/trim.h"

typedef ARRAY(turned_normal) turned_normal_list;
typedef ARRAY(vec2d) place_list;
typedef ARRAY(float) float_list;
typedef ARRAY(uint8_t) byte_list;
typedef ARRAY(sensor_way) sensor_way_list;
typedef ARRAY(sensor_pass) sensor_pass_list;

// X(type, name, when its memory is given back)
//   CHANGES  lists changes of a step: when it is many times longer than recent lists
//   AWAKE    grows with the number of awake bodies: when none is awake
//   NEVER    when the world is freed
#define STEP_SCRATCH_ARRAYS(X)                                                                     \
    X(item_pairs, found, CHANGES)        /* boxes that came to overlap; to sort them, partial 0 */ \
    X(slot_list, activated, CHANGES)     /* contacts that got points in this step */               \
    X(slot_list, deactivated, CHANGES)   /* contacts that lost their points */                     \
    X(slot_list, on_tiles, CHANGES)      /* bodies for ghost_collisions.c */                       \
    X(turned_normal_list, turned, NEVER) /* contacts whose normal it turned, for this step */      \
    X(item_pairs, rests, NEVER)          /* shapes and contacts of ghost_collisions.c */           \
    X(item_pairs, rests_sorted, NEVER)   /* scratch to sort rests */                               \
    X(impact_path_list, paths, CHANGES)  /* impacts.c; entry 0 is unused */                        \
    X(slot_list, path_of, NEVER)         /* by body: index in paths; 0: none; count unused */      \
    X(impact_event_list, meetings, CHANGES) /* impacts to come, a binary heap */                   \
    X(impact_blow_list, blows, CHANGES)     /* impacts at the same moment */                       \
    X(place_list, rubs, CHANGES)            /* impulses of their friction */                       \
    X(impact_report_list, reports, CHANGES) /* past impacts, in order of time */                   \
    X(item_pairs, told, CHANGES)            /* contacts and their reports, sorted */               \
    X(item_pairs, met_pairs, CHANGES)       /* boxes that came to overlap along new ways */        \
    X(slot_list, quick, CHANGES)            /* bodies that may have impacts */                     \
    X(slot_list, parted, CHANGES)           /* contacts that are not to be solved in this step */  \
    X(slot_list, joined, CHANGES)           /* contacts that last after their impact */            \
    X(slot_list, grown, CHANGES)            /* shapes whose boxes reach along new ways */          \
    X(slot_list, fast, CHANGES)             /* bodies for continuous.c */                          \
    X(slot_list, paddles, CHANGES)          /* fast kinematic bodies, for continuous.c */          \
    X(slot_list, swept, CHANGES)            /* bodies for sensor_sweep.c */                        \
    X(sensor_way_list, sensor_ways, NEVER)  /* by swept body: its path; count unused */            \
    X(sensor_pass_list, passes, CHANGES)    /* sensors that swept bodies passed */                 \
    X(slot_list, lost, NEVER)               /* bodies outside of the world, or with a NaN */       \
    X(float_list, stops, NEVER)             /* by fast body: share of the step until it rests */   \
    X(slot_list, listed, NEVER)             /* scratch of one function at a time */                \
    X(slot_list, all, NEVER)                /* scratch of one function of touch.c at a time */     \
    X(slot_list, set_of, AWAKE)             /* union-find of sleep.c, by body */                   \
    X(slot_list, sleep_awake, AWAKE)        /* islands that fall asleep: see sleep.c */            \
    X(slot_list, sleep_members, AWAKE)                                                             \
    X(slot_list, sleep_contacts, AWAKE)                                                            \
    X(slot_list, sleep_next, AWAKE) /* by body: chains of members */

typedef struct step_scratch {
#define DECLARE(type, name, when) type name;
    STEP_SCRATCH_ARRAYS(DECLARE)
#undef DECLARE
    item_pairs found_in[PARTIALS_MAX]; // pairs found, by the range that found them
    uint64_t met_standing, met_moving; // boxes that impacts.c found in this step along new paths
    trim_peaks peaks;
} step_scratch;

step_scratch *step_scratch_create(void);
// `world` must still refer to it.
void step_scratch_free(physics_world *world);

#endif
