// Bodies that end with the session that spawned them (`lifetime: "session"`).
//
// A table by slot, as the row table: at most one body has a slot, so that it is bounded by the
// world's bodies however many come and go. An entry may outlive its body; ids never come back, so
// removing it then finds nothing.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_STATE_SESSION_BODIES_H
#define CAROM_SERVER_WORLD_STATE_SESSION_BODIES_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/world/apply.h"
#include "common/world/command.h"

typedef struct session_body {
    body_id id;       // 0: none in this slot
    uint64_t session; // number of the session
} session_body;

typedef struct session_bodies {
    ARRAY(session_body) by_slot;
} session_bodies;

void session_bodies_deinit(session_bodies *b);

// Records that the body `id` ends with the session. The slot of an id is below the engine's largest
// number of bodies.
void session_bodies_add(session_bodies *b, body_id id, uint64_t session);

// Whether carrying out the command makes such a body.
bool session_bodies_wanted(const command *c);

// Records the bodies that the session's command, carried out with this result, has made.
void session_bodies_note(session_bodies *b, uint64_t session, const command *c,
                         const command_result *result);

// Removes the session's next body from the table, in ascending order of slots from `*slot` on, and
// moves `*slot` past it; 0 when there is none left.
body_id session_bodies_take(session_bodies *b, uint64_t session, uint32_t *slot);

#endif
