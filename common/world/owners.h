// Ownership of bodies: the world's table of owners, and the rights of callers who are no admins.
//
// An owner is a name, the subject of a token; it comes with body.spawn, changes with body.set, and
// goes with its body. The table stands beside the engine's world, which knows nothing of it: it has
// no part in the hash. Commands alone change it, so that whoever applies a world's log has the same
// table, and its bytes (owners_encode) belong to every image of the world.
//
// A player changes bodies that it owns, and joints between two such, or between such a one and a
// static body that nobody owns. One that sees a part of the world alone is answered the same for
// what is another's and for what does not exist, and fastens its bodies to its own and to static
// ones that it sees. An admin changes everything. In a batch each command is held to
// that as the commands before it have left things.
//
// Bounded: one entry for each slot of a body, one text of at most OWNER_BYTES_MAX bytes for each
// owner that an entry names. The thread that owns the world.
#ifndef CAROM_COMMON_WORLD_OWNERS_H
#define CAROM_COMMON_WORLD_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/world/apply.h"
#include "common/world/command.h"

// The sender of a command.
typedef struct actor {
    role role;
    char subject[OWNER_BYTES_MAX + 1]; // "": nobody, who owns nothing
    bool confined;                     // it sees the areas of its token alone:
    const area *areas;                 // area_count of them, in the command's memory
    uint32_t area_count;
} actor;

owners *owners_create(void);
void owners_free(owners *o); // NULL is allowed

// The body's owner; "" where it has none. Valid until the table changes.
const char *owners_of(const owners *o, body_id body);

// How many bodies it owns.
uint32_t owners_bodies(const owners *o, const char *owner);

// Whether the actor may carry the command out, as far as that depends on whose things are; what
// does not exist is left for apply_command to tell. Errors: STATUS_PERMISSION_DENIED, of a batch
// with the command's place.
status owners_permit(const owners *o, const physics_world *world, const actor *who,
                     const command *c, error *err);

// Notes what the command, carried out with this result, has changed.
void owners_note(owners *o, const command *c, const command_result *result);

// ---- bytes, for images. Little-endian:
//   u8 version (1), u32 owners, each u8 length and its bytes;
//   u32 bodies, each u64 id and u32 index of its owner, in ascending order of their slots.

// The size of that for the bodies that are in the world; entries of others are left out.
size_t owners_encoded_bytes(const owners *o, const physics_world *world);
// Writes so many bytes.
void owners_encode(const owners *o, const physics_world *world, uint8_t *out);
// *out is the caller's. Errors: STATUS_INVALID_ARGUMENT for bytes of another version, that end
// early or late, names no text or too long a one, a body that is not in the world, or out of order.
status owners_decode(const uint8_t *bytes, size_t size, const physics_world *world, owners **out,
                     error *err);

#endif
