// A server's limits on one world's bodies, shapes and joints, below those of the engine.
//
// A command's bodies, shapes and joints are counted before it is carried out, those of a batch in
// order: a removed body or joint makes room for later commands. Shapes that are removed from a
// body, and joints that go with one, make room only after the batch, since their body may be
// removed too. So a refusal changes nothing and allocates nothing. A count may be too low only for
// a batch that removes a thing twice, which apply_command refuses.
//
// Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_CAPACITY_H
#define CAROM_COMMON_WORLD_CAPACITY_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"

typedef struct capacity_limits {
    uint64_t bodies; // also bounds a world whose own bodies_max, from an image, is larger
    uint64_t shapes; // each piece of a chain counts one, and the chain itself one
    uint64_t joints;
} capacity_limits;

typedef struct capacity_counts {
    int64_t bodies, shapes, joints;
} capacity_counts;

// The world's counts now, and the difference that the command would make: negative for removals.
capacity_counts capacity_used(const physics_world *world);
capacity_counts capacity_added(const physics_world *world, const command *c);
// Shapes of a body, as the limit counts them.
int64_t capacity_of_body(const physics_world *world, body_id body);

// Whether the world has capacity for the command. Constant time, except for removals (in the
// removed body's shapes). Error: STATUS_LIMIT_EXCEEDED; the text names bodies_per_world,
// shapes_per_world or joints_per_world, the present count and the addition.
status capacity_admit(const physics_world *world, const capacity_limits *most, const command *c,
                      error *err);

// As capacity_check, for an existing world as a whole, before it is forked.
status capacity_check(const physics_world *world, const capacity_limits *most, error *err);

// As capacity_check, for an image (common/physics/image.h) before a world is made of it. Allocates
// nothing. Free slots count too, as they take memory. STATUS_INVALID_ARGUMENT if it is no image.
status capacity_check_image(const uint8_t *image, size_t size, const capacity_limits *most,
                            error *err);

#endif
