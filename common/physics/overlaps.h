// Counts how crowded a world is, and would become. Part of the engine's public interface, like
// physics.h.
//
// The broad phase pairs shapes whose boxes overlap: thousands of bodies in one place make millions
// of pairs, in memory and in time. A server that takes commands from strangers counts the pairs of
// a change before it makes it. A count considers only boxes and ignores filters, as the broad phase
// does; two shapes that do not move make no pair.
#ifndef CAROM_COMMON_PHYSICS_OVERLAPS_H
#define CAROM_COMMON_PHYSICS_OVERLAPS_H

#include "common/physics/physics.h"

// The most boxes that a count visits without counting a pair, because they share a negative group
// or do not move: thousands of these in one place would take seconds.
enum { OVERLAP_LOOKS_MAX = 1 << 22 };

// The number of pairs found by the last step that still exist. Constant time.
uint32_t world_pair_count(const physics_world *world);

// The number of awake things, which the next step moves and solves. Constant time.
typedef struct step_load {
    uint32_t bodies, contacts, joints;
} step_load;

step_load world_step_load(const physics_world *world);

// The number of parts of a body, which a change of the body may have to visit. Constant time; zeros
// for a body that does not exist.
typedef struct body_load {
    uint32_t shapes, joints, contacts; // pieces of chains count as shapes
} body_load;

body_load world_body_load(const physics_world *world, body_id body);
// The load of the shape's body.
body_load world_shape_load(const physics_world *world, shape_id shape);
// The number of bodies that are not awake, those that stand included. Constant time.
uint32_t world_bodies_asleep(const physics_world *world);

// Whether the world has reached its maximum of contacts, so that further pairs do not touch.
// Constant time.
bool world_contacts_full(const physics_world *world);

// The number of pairs of shapes whose boxes overlap now, including those that the next step will
// find. Stops at `most` pairs, and returns the count so far after OVERLAP_LOOKS_MAX boxes. Takes
// time in proportion to shapes and pairs.
uint64_t world_count_overlaps(const physics_world *world, uint64_t most);

// The same for the shapes of some bodies: counts pairs among them, and half of the pairs of one of
// them with a shape of another body. Reaching OVERLAP_LOOKS_MAX counts as `most`.
uint64_t world_count_overlaps_of(const physics_world *world,
                                 bool (*counts)(void *context, body_id body), void *context,
                                 uint64_t most);

// The number of pairs that the next step may have to follow along their paths, at most `most`: of a
// shape that moves by more than half its width or turns as quickly, and one near its path that it
// could pass through (a bullet any, other bodies static ones, sensors, and fast kinematic ones).
// From the present velocities, weights and forces. Takes time in proportion to awake bodies, shapes
// of fast bodies and pairs.
uint64_t world_count_sweeps(const physics_world *world, uint64_t most);

// The number of pairs that several changes would make together. Only the world's thread uses it,
// and the world must not change meanwhile.
typedef struct overlap_count overlap_count;

overlap_count *overlap_count_begin(const physics_world *world, uint64_t most);
// Counts the pairs of a body of that definition with the world's shapes and with those counted
// before.
void overlap_count_spawn(overlap_count *c, const body_def *def, const shape_def *shapes,
                         uint32_t count);
// Counts the pairs of a further shape on a body; a body that does not exist adds nothing.
void overlap_count_shape(overlap_count *c, body_id body, const shape_def *def);
// Counts the pairs of body_set() with these fields: those at the new place beyond those at the
// current one.
void overlap_count_set(overlap_count *c, body_id body, uint32_t fields, const body_def *values);
// Frees the count and returns it: at most `most`, and `most` if more than OVERLAP_LOOKS_MAX boxes
// were visited.
uint64_t overlap_count_end(overlap_count *c);

#endif
