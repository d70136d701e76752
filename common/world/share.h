// The share of a world's room that one owner may have, so that one player cannot fill a world.
//
// An owner who is no admin may have so many percent of the bodies, shapes and joints that others do
// not have: with 50, as many as are left for everybody else. The first one may take half of a
// world, the next one half of the rest; however many there are, whoever comes next finds room.
// Bodies that it hands over, to whomever, are others' from then on, so a world that is fuller than
// that share takes no more of those.
//
// An owner who sees a part of the world alone is measured as if nobody else were there, for an
// answer must not tell of what it does not see.
//
// Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_SHARE_H
#define CAROM_COMMON_WORLD_SHARE_H

#include <stdint.h>

#include "common/base/status.h"
#include "common/world/owners.h"
#include "common/world/capacity.h"

// Whether the sender may have what the command makes beside its own. Constant time while a world
// has room for several times as much, else in proportion to bodies and joints. Error:
// STATUS_LIMIT_EXCEEDED, which names owner_share, what the sender has and how many it may have.
status share_admit(const physics_world *world, const capacity_limits *most, uint64_t percent,
                   const owners *o, const actor *who, const command *c, error *err);

#endif
