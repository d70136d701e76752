// Ownership of bodies: the world's table of owners, and the rights of callers without the admin
// role.
//
// An owner is a name, the subject of a token; it comes with body.spawn, changes with body.set, and
// goes with its body. The table is kept beside the engine's world, which does not know of it: it is
// not part of the hash. Only commands change it, so every replay of a world's log has the same
// table, and its bytes (owners_encode) belong to every image of the world.
//
// A player changes bodies that it owns, and joints between two of them, or between one of them and
// a static body without an owner. A player who sees only areas gets the same answer for another's
// bodies as for bodies that do not exist, and joins its bodies only to its own and to static ones
// that it sees. An admin changes everything. Each command of a batch is checked against the owners
// that the earlier ones leave.
//
// Bounded: one entry for each slot of a body, one text of at most OWNER_BYTES_MAX bytes for each
// owner that an entry names. Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_OWNERS_H
#define CAROM_COMMON_WORLD_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/world/apply.h"
#include "common/world/command.h"

// The sender of a command.
typedef struct actor {
    role role;
    char subject[OWNER_BYTES_MAX + 1]; // "": anonymous, who owns nothing
    bool confined;                     // sees only the areas of its token:
    const area *areas;                 // area_count of them, in the command's memory
    uint32_t area_count;
    const players_bounds *players; // bounds of its token, in the command's memory; NULL: none
} actor;

owners *owners_create(void);
void owners_free(owners *o); // NULL is allowed

// The body's owner; "" without an owner. Valid until the table changes.
const char *owners_of(const owners *o, body_id body);

// The number of bodies that `owner` owns.
uint32_t owners_bodies(const owners *o, const char *owner);

// Whether the owners allow the actor the command; apply_command reports ids that do not exist.
// Errors: STATUS_PERMISSION_DENIED, for a batch with the command's index.
status owners_permit(const owners *o, const physics_world *world, const actor *who,
                     const command *c, error *err);

// Records the owners that the command, applied with this result, has changed.
void owners_note(owners *o, const command *c, const command_result *result);

// ---- bytes, for images. Little-endian:
//   u8 version (1), u32 owners, each u8 length and its bytes;
//   u32 bodies, each u64 id and u32 index of its owner, in ascending order of their slots.

// The encoded size, for the bodies in the world; entries of removed bodies are left out.
size_t owners_encoded_bytes(const owners *o, const physics_world *world);
// Writes owners_encoded_bytes() bytes.
void owners_encode(const owners *o, const physics_world *world, uint8_t *out);
// Reads the table into *out, which the caller frees. Errors: STATUS_INVALID_ARGUMENT for another
// version, too few or too many bytes, an owner that is empty, too long or not text, an entry whose
// body is not in the world or out of order.
status owners_decode(const uint8_t *bytes, size_t size, const physics_world *world, owners **out,
                     error *err);

#endif
