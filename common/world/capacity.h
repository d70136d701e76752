// Limits of a server on what one world may hold, below those of the engine.
//
// A command's bodies, shapes and joints are counted before it is carried out, those of a batch in
// their order: a body or a joint that it removes makes room for what it makes after that. Shapes
// that are removed from a body, and joints that go with one, make room only after the batch, since
// their body may be removed too. So a refusal has changed nothing and taken no memory. A count may
// be too low only for a batch that removes a thing twice, which apply_command refuses.
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
    uint64_t bodies; // in effect where a world's own bodies_max allows more: it comes from an image
    uint64_t shapes; // each piece of a chain counted, and the chain itself
    uint64_t joints;
} capacity_limits;

typedef struct capacity_counts {
    int64_t bodies, shapes, joints;
} capacity_counts;

// That the world has; and that it has more after the command: less, where that removes some.
capacity_counts capacity_used(const physics_world *world);
capacity_counts capacity_added(const physics_world *world, const command *c);
// Shapes of a body, as the limit counts them.
int64_t capacity_of_body(const physics_world *world, body_id body);

// Whether the world has room for what the command makes. Constant time but for commands that remove
// (in the removed body's shapes). Error: STATUS_LIMIT_EXCEEDED; the text names bodies_per_world,
// shapes_per_world or joints_per_world, what there is and what would be added.
status capacity_admit(const physics_world *world, const capacity_limits *most, const command *c,
                      error *err);

// The same of a whole world that is there already, for a fork.
status capacity_check(const physics_world *world, const capacity_limits *most, error *err);

// The same of an image (common/physics/image.h), before a world is made of it: nothing is
// allocated. Places that are free again count too, as they take memory. STATUS_INVALID_ARGUMENT
// where it is no image.
status capacity_check_image(const uint8_t *image, size_t size, const capacity_limits *most,
                            error *err);

#endif
