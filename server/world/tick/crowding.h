// Keeps a world from being crowded: the pairs that a command would make are counted before it is
// carried out (common/physics/overlaps.h), against limits.pairs_per_world.
//
// The sum is an estimate that commands alone raise: bodies that move together or apart by
// themselves are not followed. It is counted anew when a command meets the limit, once a second at
// most, so that a crowd that has gone apart hinders nobody. Every pair also has its price, in time
// of its session's turn: finding it, making its contact, solving that in the next step. And pairs
// that no step has met yet foretell what the next step will take, by what they are: those of a
// crowd cost more than those of a heap, and most where bodies rebound and are jointed as well.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_CROWDING_H
#define CAROM_SERVER_WORLD_TICK_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"

// Kinds of things that a world has had, ever: bits.
typedef enum crowding_kind { CROWDING_REBOUNDS = 1 << 0, CROWDING_JOINED = 1 << 1 } crowding_kind;

typedef struct crowding {
    uint64_t pairs;   // estimate
    uint64_t few;     // of these, made by commands since the last step: a few of each body,
    uint64_t crowded; // and those beyond
    uint32_t kinds;   // bits of crowding_kind
    bool counted;
    int64_t counted_ns; // when it was last counted
} crowding;

// The cost of a command beside the time that it takes itself.
typedef struct crowding_cost {
    uint64_t pairs;   // that it makes
    uint64_t crowded; // of these, beyond a few of each body
    uint64_t met;     // pairs that are there, and become dearer by it
    uint32_t kinds;   // that the world has after it
    int64_t price_ns; // of its session's turn
    int64_t step_ns;  // that the next step will take longer
} crowding_cost;

// Of a world as it begins, of whose shapes nothing is known.
crowding crowding_begin(const physics_world *world);

// Pairs are counted up to `most`: to count half a million takes some 0.3 s.
crowding_cost crowding_foresee(const crowding *k, const physics_world *world, const command *c,
                               uint64_t most);

// The most pairs that a step meets in that time, and one more.
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
