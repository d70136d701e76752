// Keeps a world from being crowded: the pairs that a command would make are counted before it is
// carried out (common/physics/overlaps.h), against limits.pairs_per_world.
//
// The sum is an estimate that commands alone raise: bodies that move together or apart by
// themselves are not followed. It is counted anew when a command meets the limit, once a second at
// most, so that a crowd that has gone apart hinders nobody. Every pair also has its price, in time
// of its session's turn: finding it, making its contact, solving that in the next step. And pairs
// that no step has met yet foretell what the next step will take.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_CROWDING_H
#define CAROM_SERVER_WORLD_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"

typedef struct crowding {
    uint64_t pairs; // estimate
    uint64_t fresh; // of these, made by commands since the last step
    bool counted;
    int64_t counted_ns; // when it was last counted
} crowding;

// The cost of a command beside the time that it takes itself.
typedef struct crowding_cost {
    uint64_t pairs;   // that it makes
    int64_t price_ns; // of its session's turn
    int64_t step_ns;  // that the next step will take longer
} crowding_cost;

// Pairs are counted up to `most`: to count half a million takes some 0.3 s.
crowding_cost crowding_foresee(const physics_world *world, const command *c, uint64_t most);

// The pairs that a step meets in that time, and one more.
uint64_t crowding_pairs_beyond(int64_t step_ns);

// Whether the command may make its pairs, which *cost tells in either case. `now` is the monotonic
// time. Error: limit_exceeded with the limit's name.
status crowding_admit(crowding *k, const physics_world *world, const command *c, uint64_t most,
                      int64_t now, crowding_cost *cost, error *err);
// It was carried out.
void crowding_note(crowding *k, const crowding_cost *cost);

// A step has met all pairs.
void crowding_note_step(crowding *k);
// The time that the next step will take for pairs that none has met yet.
int64_t crowding_foreseen_ns(const crowding *k);

// Whether a world that was never stepped here, as it was just made from an image or a scene, will
// take more than so long for its pairs. Takes time in proportion to its shapes.
bool crowding_foretold(const physics_world *world, int64_t most_ns);

#endif
