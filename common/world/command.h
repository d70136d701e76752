// A decoded call: a plain struct that owns all that it points to.
//
// The network thread decodes, the thread that owns the world applies; a command travels from one to
// the other, so it has no reference into the received bytes and no msgpack. Nested and
// variable-size data lies in one chain of memory blocks that command_free frees.
//
// The structs of arguments are generated from proto/schema (method_args.h); the types of their
// fields are in command_types.h.
//
// Decoding is strict, so that a client's author learns of a mistake at once: unknown and doubled
// keys, wrong types, NaN, infinity, numbers out of range and missing arguments are errors, and the
// text names the path: "shapes[2].vertices[0]: expected [x, y], got str". Which arguments there
// are, with type and range, is in the table of methods.h alone. Ids and capacity, which only the
// world knows, are checked when the command is applied.
//
// A command belongs to one thread at a time.
#ifndef CAROM_COMMON_WORLD_COMMAND_H
#define CAROM_COMMON_WORLD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "common/physics/query.h"
#include "common/world/command_types.h"
#include "common/world/limits.h"
#include "common/world/method.h"
#include "common/world/method_args.h"

// An id in a batch may refer to the result of an earlier command of the batch: {"$": 3} is the
// body, shape or joint of commands[3]. Such an id has this bit set and the index below it; ids of a
// world are below 2^53, so the two cannot be taken for each other. Outside a batch it never occurs.
#define COMMAND_REFERENCE ((uint64_t)1 << 63)

static inline bool command_id_is_reference(uint64_t id)
{
    return (id & COMMAND_REFERENCE) != 0;
}
static inline uint32_t command_id_index(uint64_t id)
{
    return (uint32_t)id;
}

// The default margin of an area [m].
double view_margin(const area *a);

// Changes the subscription's view to `to` (world.view).
void subscribe_args_move(subscribe_args *s, const view_args *to);

typedef struct command_memory command_memory;

struct command {
    method method;
    char world[WORLD_NAME_BYTES_MAX + 1]; // "" for methods without one, and inside a batch
    // The epoch that the world must have; 0: any, and inside a batch
    uint64_t epoch;
    command_memory *memory; // NULL when it owns nothing
    union {
        COMMAND_ARGUMENTS
    };
};

// The least role that may send the command. For world.apply it is the highest of its commands'
// roles, so that a batch cannot bypass a method's role.
role command_rights(const command *c);

// STATUS_PERMISSION_DENIED unless a session of role `held` may send the command; of a batch, the
// text names the first command that needs a higher role.
status command_permit(const command *c, role held, error *err);

// Makes `owner` the owner of bodies that the command spawns without one, and the subject of
// messages that it sends without one; "" leaves them without.
void command_own(command *c, const char *owner);

// The id of the body, shape or joint that the command names, which may be a reference inside a
// batch; 0 if its method names none.
uint64_t command_subject(const command *c);

// Whether the command reads the world's past: *at is the tick that it names, or a moment between
// two.
bool command_past(const command *c, double *at);
// For worlds without a history. STATUS_UNAVAILABLE if the command reads the past.
status command_check_present(const command *c, error *err);

// Bytes of the blocks that the command owns.
size_t command_held_bytes(const command *c);
// Frees what the command owns and zeroes it; a zeroed command may be freed.
void command_free(command *c);

// The definition of the world to create. Settings that were not given come from `scene`, or the
// defaults if it is NULL.
world_def command_world_def(const world_create_args *args, const world_def *scene);

// Whether the name is 1 to 64 of A-Z a-z 0-9 _ . -
bool world_name_valid(const char *name, size_t size);

#endif
