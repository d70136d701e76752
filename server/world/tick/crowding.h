// Keeps a world from being crowded: before a command is carried out, the pairs that it would make
// are counted (common/physics/overlaps.h) and checked against limits.pairs_per_world.
//
// The sum is an estimate that only commands raise: bodies that move together or apart by themselves
// are not tracked. It is counted again when a command meets the limit, once a second at most, so
// that a crowd that has dispersed hinders nobody. Every pair also costs time of its session's turn:
// finding it, making its contact, solving that in the next step. Pairs that no step has solved yet
// predict the next step's time: pairs of a crowd cost more than those of a heap, and most if bodies
// rebound and are jointed as well. So do bodies, contacts and joints that are awake and were not in
// the last step: those of a world made from an image, or woken. The paths of fast bodies are
// counted in each tick, since any command, weight or impact may make bodies fast.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_CROWDING_H
#define CAROM_SERVER_WORLD_TICK_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/overlaps.h"
#include "common/physics/physics.h"
#include "common/world/command.h"

// Features that a world has used at any time: bits.
typedef enum crowding_kind { CROWDING_REBOUNDS = 1 << 0, CROWDING_JOINED = 1 << 1 } crowding_kind;

typedef struct crowding {
    uint64_t pairs; // estimate
    // The part of `pairs` that commands have made since the last step: the first few of each body
    uint64_t few;
    uint64_t crowded; // bodies beyond the first few
    uint32_t kinds;   // bits of crowding_kind
    step_load load;   // after the last step
    bool counted;
    int64_t counted_ns; // when it was last counted
} crowding;

// The cost of a command in addition to the time that it takes itself.
typedef struct crowding_cost {
    uint64_t pairs;   // pairs that the command makes
    uint64_t crowded; // the part of `pairs` beyond the first few of each body
    uint64_t met;     // existing pairs that the command makes dearer
    uint32_t kinds;   // kinds that the world has after the command
    int64_t price_ns; // charged to its session's turn
    int64_t step_ns;  // predicted increase of the next step's time
} crowding_cost;

// Begins with a world of whose shapes nothing is known.
crowding crowding_begin(const physics_world *world);

// Counts pairs up to `most`: counting half a million takes about 0.3 s.
crowding_cost crowding_foresee(const crowding *k, const physics_world *world, const command *c,
                               uint64_t most);

// The most pairs that a step meets in that time, and one more.
uint64_t crowding_pairs_beyond(int64_t step_ns);

// Whether the command may make its pairs; *cost is set in either case. `now` is the monotonic time.
// Error: limit_exceeded with the limit's name.
status crowding_admit(crowding *k, const physics_world *world, const command *c, uint64_t most,
                      int64_t now, crowding_cost *cost, error *err);
// Records a command that was carried out.
void crowding_note(crowding *k, const crowding_cost *cost);

// Records a step: it has solved all pairs that there are.
void crowding_note_step(crowding *k, const physics_world *world);
// The predicted time of the next step for pairs that no step has solved yet.
int64_t crowding_foreseen_ns(const crowding *k);
// The predicted time of the next step for objects that are awake and were not in the last one.
int64_t crowding_growth_ns(const crowding *k, const physics_world *world);
// As crowding_growth_ns, for all sleeping objects, in case they wake.
int64_t crowding_sleepers_ns(const physics_world *world);

// Whether the next step will take more than `most_ns` for the paths of its fast bodies.
bool crowding_sweeps_beyond(const physics_world *world, int64_t most_ns);

// Whether the first step of a world just made from an image or a scene will take more than
// `most_ns` for its pairs. Takes time in proportion to its shapes.
bool crowding_foretold(const physics_world *world, int64_t most_ns);

#endif
