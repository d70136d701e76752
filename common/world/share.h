// The share of a world's capacity that one owner may use, so that one player cannot fill a world.
//
// An owner without the admin role may use `owner_share` percent of the bodies, shapes and joints
// that others leave: with 50, as many as stay free for everybody else. The first one may take half
// of a world, the next one half of the rest; however many there are, whoever comes next finds room.
// A body given to another owner counts as the others' from then on, so such gifts are refused once
// the world is fuller than that share.
//
// An owner who sees only areas is measured as if the world were otherwise empty: an answer must not
// reveal what it does not see.
//
// Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_SHARE_H
#define CAROM_COMMON_WORLD_SHARE_H

#include <stdint.h>

#include "common/base/status.h"
#include "common/world/owners.h"
#include "common/world/capacity.h"

// Whether the sender's share allows the command's additions. Constant time while the world has
// capacity for several times as much, else proportional to its bodies and joints. Error:
// STATUS_LIMIT_EXCEEDED, with owner_share, the sender's count and its maximum in the text.
status share_admit(const physics_world *world, const capacity_limits *most, uint64_t percent,
                   const owners *o, const actor *who, const command *c, error *err);

#endif
