// Descriptions: the full maps of bodies and joints that a subscription with `describe` is told, so
// that its reader can draw without asking.
//
// A body is described when it comes into view (to this reader for the first time, or again) and
// when a command has changed its description; a joint is in view while one of its bodies is. A
// snapshot bears at most limits.describe_bytes of descriptions: the rest goes into the next ones.
// Invariant, for bodies and joints alike: a reader has the descriptions of everything that it was
// shown and whose slot is below its `from`, as they were at its version; it has been told nothing
// that counts of the slots from there on. So a snapshot that was skipped for a slow reader loses no
// description, and a limit that is reached only moves `from` back.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_DESCRIPTIONS_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_DESCRIPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/wire/buffer.h"
#include "server/world/snapshots/joint_table.h"
#include "server/world/snapshots/row_table.h"
#include "server/world/snapshots/subscription.h"

// A view group's descriptions in one snapshot.
typedef struct descriptions {
    uint64_t bytes_max;
    uint64_t bytes_most;   // of this snapshot
    owners *owners;        // of the bodies; NULL: nobody's
    buffer bodies, joints; // encoded maps one after another
    uint32_t body_count, joint_count;
    ARRAY(joint_id) joints_removed;
    description_progress before, after; // slots that the reader has, and will have
} descriptions;

void descriptions_init(descriptions *d, uint64_t bytes_max);
void descriptions_deinit(descriptions *d);

// Begins a group whose readers have `progress`; a full snapshot begins anew. `most` bytes are told,
// or as many as the limit allows, but one description of each kind at least.
void descriptions_begin(descriptions *d, description_progress progress, bool full, uint64_t most);

// A body in view, by ascending slot. `known`: it was in view at the reader's last snapshot and its
// description has not changed since.
void descriptions_body(descriptions *d, const physics_world *world, const row_entry *entry,
                       uint32_t slot, bool known);

// The joints of the view: `seen` as of this snapshot (NULL: everything), `reader` as it was before.
void descriptions_joints(descriptions *d, const physics_world *world, const joint_table *joints,
                         const subscription *reader, const view_set *seen, bool full);

// Marks the bodies and joints whose descriptions the command changes, as of the version that comes
// next. To be called before the command is carried out, while the world still has what it removes.
// If it then fails, a description may be told again that has not changed.
void descriptions_note_command(const physics_world *world, const command *c, row_table *rows,
                               joint_table *joints);

#endif
