// Descriptions: the full maps of bodies and joints that a subscription with `describe` is sent, so
// that its reader can draw without further requests.
//
// A body is described when it comes into view (to this reader for the first time, or again) and
// when a command has changed its description; a joint is in view while one of its bodies is. A
// snapshot contains at most limits.describe_bytes of descriptions: the rest goes into the next
// ones. Invariant, for bodies and joints alike: a reader has, as of its version, the descriptions
// of everything in its view whose slot is below its `from`, and is assumed to have none of the
// slots from there on. So skipping a snapshot for a slow reader loses no description, and reaching
// the limit only moves `from` back.
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
    uint64_t bytes_most;   // limit for this snapshot
    owners *owners;        // owners of the bodies; NULL: none
    buffer bodies, joints; // encoded maps one after another
    uint32_t body_count, joint_count;
    ARRAY(joint_id) joints_removed;
    description_progress before, after; // slots that the reader has, and will have
} descriptions;

void descriptions_init(descriptions *d, uint64_t bytes_max);
void descriptions_deinit(descriptions *d);

// Begins a group whose readers have `progress`; a full snapshot starts from nothing. At most `most`
// bytes are written, or fewer if the limit is lower, but at least one description of each kind.
void descriptions_begin(descriptions *d, description_progress progress, bool full, uint64_t most);

// A body in view, by ascending slot. `known`: it was in view at the reader's last snapshot and its
// description has not changed since.
void descriptions_body(descriptions *d, const physics_world *world, const row_entry *entry,
                       uint32_t slot, bool known);

// Describes the joints of the view: `seen` is this snapshot's (NULL: everything), `reader` the
// earlier one.
void descriptions_joints(descriptions *d, const physics_world *world, const joint_table *joints,
                         const subscription *reader, const view_set *seen, bool full);

// Marks the bodies and joints whose descriptions the command changes, as of the next version. To be
// called before the command is carried out, while the world still has the things that it removes.
// If the command then fails, an unchanged description may be sent again.
void descriptions_note_command(const physics_world *world, const command *c, row_table *rows,
                               joint_table *joints);

#endif
