// The joints of a world, with the versions at which each was created, changed or removed. Snapshots
// with descriptions take the joints from it, as they take the bodies from the row table, whose
// version numbers it shares.
//
// The table reads the world only when a command may have changed its joints, or their number has
// changed (a joint broke, or was removed with a body). It is updated only while a reader wants
// descriptions: see joint_table_follow.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_JOINT_TABLE_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_JOINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/joint.h"
#include "common/physics/physics.h"

// Slots of a joint's bodies, as in the row table; UINT32_MAX: none.
typedef struct joint_slots {
    uint32_t a, b; // the joint's own bodies
    // gear on two joints: the other body of each of these joints
    uint32_t other_a, other_b;
} joint_slots;

typedef struct joint_entry {
    joint_id id;      // 0: no joint in this slot
    uint64_t created; // first version with this joint
    uint64_t changed; // first version with its present settings
    joint_slots slots;
} joint_entry;

typedef struct joint_removal {
    joint_id id;
    // it existed from version `created` to before version `removed`
    uint64_t created, removed;
    joint_slots slots;
} joint_removal;

typedef struct joint_table {
    bool following;   // a reader wants descriptions
    bool dirty;       // a command may have made or removed joints since the last update
    uint32_t count;   // joints of the world at the last update
    uint64_t changed; // last version that differs from the one before
    uint64_t floor;   // a reader last sent a version below this cannot be sent all removals
    uint64_t removals_max;
    ARRAY(joint_entry) entries;    // indexed by slot
    ARRAY(joint_removal) removals; // in the order of their versions
} joint_table;

void joint_table_init(joint_table *t, uint64_t removals_max);
void joint_table_deinit(joint_table *t);

// Whether the table is kept. It is forgotten when it is not; the joints that there are when it is
// kept again count as new.
void joint_table_follow(joint_table *t, bool wanted);

// Records the world's joints as those of this version; versions ascend.
void joint_table_update(joint_table *t, const physics_world *world, uint64_t version);

// Records that the joint has changed in this version. Unknown ids are ignored.
void joint_table_mark(joint_table *t, joint_id id, uint64_t version);

// Forgets removals that no reader that was last sent `oldest` or later needs, and those above the
// limit.
void joint_table_trim(joint_table *t, uint64_t oldest);

#endif
