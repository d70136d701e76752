// A command applied to a physics world, and its result as a plain struct.
//
// This is the whole bridge between the protocol and the engine: a hosted world, a replay of a
// journal and a test all go through apply_command, so the same commands at the same ticks give the
// same bits everywhere. It knows neither msgpack nor sockets; encode.h turns the result into bytes,
// on any thread and whenever it suits.
//
// It applies the methods of SCOPE_WORLD_COMMAND and SCOPE_WORLD_READ (method.h). An error changes
// nothing, also within world.apply: the whole batch is checked first, each command against the
// world as the earlier ones would leave it, and only then applied.
//
// Thread: the one that owns the world. The result is the caller's and refers to nothing of the
// world.
#ifndef CAROM_COMMON_WORLD_APPLY_H
#define CAROM_COMMON_WORLD_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/data.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "common/world/method.h"

// The most memory of one result; a larger read  answers limit_exceeded (about 150 000 bodies with
// one shape each). A client that wants more subscribes, or asks by body.
#define APPLY_RESULT_BYTES_MAX ((size_t)64 << 20)

// All properties of a body; the pointers lie in the result's memory.
typedef struct body_record {
    body_info info;
    const char *owner;  // "" without an owner
    shape_info *shapes; // info.shape_count elements
} body_record;

// The structs of answers, and COMMAND_RESULTS.
typedef struct command_result command_result;
#include "common/world/method_results.h"

struct command_result {
    method method; // selects the member of the union; methods that only answer {tick} have none
    uint64_t tick; // change: the tick whose state first shows it; read: the tick that was read
    bool has_at;   // a read of a tick that it named, `at`, which the answer repeats
    double at;
    command_memory *memory; // owned; NULL inside a batch
    union {
        COMMAND_RESULTS
    };
};

// Whether apply_command applies the method.
bool apply_supports(method m);
// Whether the method may occur in a batch.
bool apply_batches(method m);

// Applies the command to the world between two steps; changes show in the state of world_tick() +
// 1. `apply.at` is ignored: the host keeps a batch until its tick. Errors: those of the engine,
// with the field or the command's place in the batch named; STATUS_UNAVAILABLE for a method that
// apply_supports() denies. A failure changes nothing, except STATUS_INTERNAL: the check of a batch
// was wrong, and the commands before the named one were applied. `out` owns nothing after a
// failure.
status apply_command(physics_world *world, const command *c, command_result *out, error *err);

// apply_command for a world whose bodies have owners (common/world/owners.h). Checks what `who` may
// change (NULL: everything, for the server itself and for replayed logs), reads owners from
// `table`, and records changes there. Errors: those of apply_command, and STATUS_PERMISSION_DENIED.
// After STATUS_INTERNAL `out` has the `batch.count` results of the commands that were applied, and
// the caller frees it.
typedef struct owners owners;
struct actor;
status apply_command_as(physics_world *world, owners *table, const struct actor *who,
                        const command *c, command_result *out, error *err);

// Frees what the result owns and zeroes it; a zeroed result may be freed.
void command_result_free(command_result *r);
// The id of the body, shape or joint that the command made; 0 if none.
uint64_t command_result_made(const command_result *r);

#endif
