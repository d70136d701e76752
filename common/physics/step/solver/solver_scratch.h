// Working memory of the solver: its constraints in lanes, what it lists of bodies and joints, and
// the kernels that it runs. A step allocates nothing: the lists stay. No result of a later step
// depends on it; neither hash nor image covers it.
//
// Only the files of step/ include this header; others know a world's solver as a pointer. The list
// below is the one place that names its arrays: they are freed and trimmed by it.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_SCRATCH_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_SCRATCH_H

#include "common/base/array.h"
#include "common/physics/state/slots.h"
#include "common/physics/step/solver/heavy_loads.h"
#include "common/physics/step/solver/impact_joints.h"
#include "common/physics/step/solver/solver.h"

struct velocity_lanes;    // integrate.h
struct contact_kernels;   // contact_lanes.h
struct integrate_kernels; // integrate.h
struct joint_solver;      // joint_lanes.h
struct truss_solver;      // truss/truss.h

typedef ARRAY(struct velocity_lanes) velocity_lanes_list;
typedef ARRAY(uint8_t) solver_bytes;

// X(type, name, when its memory is given back), as in step_scratch.h
#define SOLVER_SCRATCH_ARRAYS(X)                                                                   \
    X(slot_list, began, CHANGES) /* contacts that began to touch */                                \
    X(slot_list, ended, CHANGES) /* contacts that ceased to touch */                               \
    X(slot_list, held, AWAKE)    /* awake bodies that something may touch: integrate.c */          \
    X(velocity_lanes_list, unsolved, AWAKE) /* velocities of held bodies, LANES in each */         \
    X(velocity_lanes_list, unstruck, AWAKE) /* the same, before impacts between sub-steps */       \
    X(slot_list, uneven, CHANGES)           /* contacts of uneven masses: heavy_loads.c */         \
    X(lent_mass_list, lent, CHANGES)        /* bodies that count as heavier */                     \
    X(solver_bytes, struck, NEVER)          /* by body: see impact_pass */                         \
    X(solver_bytes, braced, NEVER)          /* a flag by body: impact_joints.c has listed it */    \
    X(solver_bytes, borne, NEVER)           /* by body: see find_borne() of heavy_loads.c */       \
    X(slot_list, borne_bodies, CHANGES)     /* bodies with an entry in borne */                    \
    X(slot_list, bracing, CHANGES)          /* joints that bear the impacts at one moment */       \
    X(impact_row_list, rows, CHANGES)       /* rigid directions of these joints */                 \
    X(impact_load_list, loads, CHANGES)     /* impulses that they bore in the step */              \
    X(slot_list, listed, NEVER)             /* scratch of one function at a time */

typedef struct solver_scratch {
#define DECLARE(type, name, when) type name;
    SOLVER_SCRATCH_ARRAYS(DECLARE)
#undef DECLARE
    uint32_t impact_work; // see most_impact_work()
    contact_groups groups;
    const struct contact_kernels *kernels;
    const struct integrate_kernels *integrators;
    struct joint_solver *joint_solver; // the joints of a step; NULL before the first
    struct truss_solver *truss_solver; // joints under heavy loads; NULL before the first
} solver_scratch;

// An empty scratch, with the kernels for this processor.
solver_scratch *solver_scratch_create(void);
// `world` must still refer to it.
void solver_scratch_free(physics_world *world);

#endif
