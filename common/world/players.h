// The bounds of players: what the role player may do in a world, each a maximum.
//
// A game trusts its referee, not its players: without bounds a player may teleport its body, make
// it a hundred tonnes heavy, and drop a box of 200 m on the others. The bounds are the world's
// rules (common/physics/rules.h), so that its images, forks, logs, replicas and restarts have them;
// `players` of world.create and world.set changes them, and a token's claim lowers them.
//
// They hold when a command takes effect, for each command of a batch as the earlier ones leave the
// world, and say what a command may bring about, not what physics does afterwards: a body that
// fell is faster than `speed`, and that is nobody's fault. Each bound:
//
// - methods: commands, reads and queries (scopes command and read). Sessions, subscriptions and
//   world.info have no bound.
// - types, mass, size: of a body that is spawned or changed. A mass counts by `mass` or by the
//   densities; the size is the longer side of the box around its shapes in the body's own frame.
// - bodies: those of one subject, also of one that is given another's body.
// - speed: velocities of spawn and set, and the speed that an impulse leads to, unless it lowers
//   it. Turning counts as the speed of the corner of the body's box about its middle, and a
//   conveyor's surface by its tangent_speed.
// - impulse: the sum over a tick of what a subject gives to a body, by all of its commands; apart
//   from that sum, that of the angular impulses, the lever of `point` included.
// - force, torque: those that are set, the lever of `point` included; a gravity_scale by the force
//   that differs from the world's gravity.
// - force, torque and speed of joints: a motor needs a greatest force (torque) within the bounds; a
//   spring without one is refused where force or torque is bounded, and lengths, limits and angles
//   must fit the bodies as they are (players_joints.c).
// - area: bodies are spawned and set there with all of their shapes.
//
// A replica steps its log without this check: the log has what was applied.
//
// Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_PLAYERS_H
#define CAROM_COMMON_WORLD_PLAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/rules.h"
#include "common/world/command.h"
#include "common/world/owners.h"

// ---- bounds

// The bounds that are safe for a world that strangers join: a player pushes its own bodies, sets
// its own data, sends messages, looks, and nothing else.
players_bounds players_default(void);

// The lower of each maximum, and the common part of areas.
players_bounds players_lower(const players_bounds *a, const players_bounds *b);

// Bounds without a field end the world's bounds.
status players_set(physics_world *world, const players_bounds *bounds, error *err);
// The world's bounds; without a field if it has none. A world whose rules cannot be read
// (players_check()) allows nothing.
players_bounds players_of(const physics_world *world);
// Whether the world's rules can be read, for images of others: STATUS_INVALID_ARGUMENT if not.
status players_check(const physics_world *world, error *err);

// Bounds as bytes, which name methods as the wire does. Returns how many bytes, at most
// WORLD_RULES_BYTES_MAX.
size_t players_pack(const players_bounds *bounds, uint8_t out[WORLD_RULES_BYTES_MAX]);
// False for bytes that players_pack() does not write.
bool players_unpack(const uint8_t *bytes, size_t size, players_bounds *out);

// Whether `methods` of the bounds can name the method.
bool players_names(method m);
// Whether the bounds allow the method to players.
bool players_allow(const players_bounds *bounds, method m);

// The bounds of a world that is asked often: its rules are read again only when they have changed.
// A zeroed one is of a world without bounds.
typedef struct players_cache {
    players_bounds bounds;
    uint8_t rules[WORLD_RULES_BYTES_MAX];
    size_t size;
} players_cache;

const players_bounds *players_current(players_cache *cache, const physics_world *world);

// ---- pushes

// At most so many pairs of subject and body are pushed in a tick of a world with a bound for it.
enum { PLAYER_PUSHES_MAX = 1 << 16 };

typedef struct player_push {
    body_id body;     // may be a reference in `pending`
    uint64_t subject; // hash of the subject
    double linear;    // sum of sizes [N s]
    double angular;   // [N m s]
} player_push;

// The sums of a tick. A zeroed one is empty.
typedef struct player_pushes {
    ARRAY(player_push) sums;
    ARRAY(player_push) pending; // those of the command that players_permit() allowed last
    uint32_t *table;            // indices into `sums` plus 1 by hash; 0: free
    uint32_t table_size;        // a power of two, or 0
} player_pushes;

void player_pushes_deinit(player_pushes *p);
// The next tick begins.
void player_pushes_clear(player_pushes *p);
// The command that players_permit() allowed last was applied with this result.
void player_pushes_commit(player_pushes *p, const command_result *result);

// ---- the check

// Whether the bounds allow the command to its sender; roles other than player have none. Commands
// with other faults may pass: apply_command() and owners_permit() report them. Nothing is changed
// but `pushes->pending`. Errors: STATUS_PERMISSION_DENIED with the place, the value and the bound,
// for a batch with the command's index; STATUS_LIMIT_EXCEEDED for PLAYER_PUSHES_MAX.
status players_permit(const players_bounds *bounds, player_pushes *pushes, const owners *o,
                      const physics_world *world, const actor *who, const command *c, error *err);

#endif
