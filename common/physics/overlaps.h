// How crowded a world is, and would become. Public face, as physics.h is.
//
// The broad phase pairs shapes whose boxes overlap: thousands of bodies in one place make millions
// of pairs, in memory and in time. A server that takes commands from strangers counts the pairs of
// a change before it makes it. A count looks at boxes alone, whatever filters say, because the
// broad phase does; two shapes that stand still make no pair.
#ifndef CAROM_COMMON_PHYSICS_OVERLAPS_H
#define CAROM_COMMON_PHYSICS_OVERLAPS_H

#include "common/physics/physics.h"

// Boxes that a count looks at and that make no pair, as they are of one negative group or stand
// still: thousands of these in one place would take seconds.
enum { OVERLAP_LOOKS_MAX = 1 << 22 };

// Pairs that the last step has found, and keeps. Constant time.
uint32_t world_pair_count(const physics_world *world);

// The number of awake things, which the next step moves and solves. Constant time.
typedef struct step_load {
    uint32_t bodies, contacts, joints;
} step_load;

step_load world_step_load(const physics_world *world);

// Whether the world has as many as it has room for, so that further pairs do not touch. Constant
// time.
bool world_contacts_full(const physics_world *world);

// Pairs of shapes whose boxes overlap now, those included that the next step will find. Stops
// counting at `most`, and at OVERLAP_LOOKS_MAX with what it has. Takes time in proportion to shapes
// and pairs.
uint64_t world_count_overlaps(const physics_world *world, uint64_t most);

// The same of shapes of some bodies: pairs of two such, and half of those of one such with another.
// OVERLAP_LOOKS_MAX counts as `most`.
uint64_t world_count_overlaps_of(const physics_world *world,
                                 bool (*counts)(void *context, body_id body), void *context,
                                 uint64_t most);

// The pairs that several changes would make in sum. One thread: the world's; the world does not
// change meanwhile.
typedef struct overlap_count overlap_count;

overlap_count *overlap_count_begin(const physics_world *world, uint64_t most);
// A body like that, with what is in the world and with what was counted before.
void overlap_count_spawn(overlap_count *c, const body_def *def, const shape_def *shapes,
                         uint32_t count);
// A further shape on a body; one that is not there counts for nothing.
void overlap_count_shape(overlap_count *c, body_id body, const shape_def *def);
// body_set() of these fields: pairs that there are at the new place beyond those at the present.
void overlap_count_set(overlap_count *c, body_id body, uint32_t fields, const body_def *values);
// Frees it. Up to `most`, which it is too where more than OVERLAP_LOOKS_MAX boxes were looked at.
uint64_t overlap_count_end(overlap_count *c);

#endif
