// The table from which snapshots are made: the last row of every body, and since which version it
// is unchanged.
//
// A version is one state from which snapshots were made; there may be several in one tick of a
// paused world, and none in a tick of which no snapshot was sent. A subscriber who was last sent
// version v needs the rows with changed > v and the ids that vanished after v, whatever others were
// sent in between. A row is encoded at most once per version, when the first view wants it.
//
// Bodies are found by the slot in their id (low 24 bits); `created` distinguishes bodies that had
// the same slot one after another. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_ROW_TABLE_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_ROW_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "proto/wire/buffer.h"
#include "proto/encode/encode.h"
#include "server/world/snapshots/subscription.h"
#include "server/world/state/id_slot.h"

typedef struct row_entry {
    body_id id;         // 0: no body in this slot
    uint64_t created;   // first version with this body
    uint64_t changed;   // last version whose row differs from that of the version before
    uint64_t described; // first version that has its present type, shapes, tag …
    uint64_t encoded;   // version of the bytes, 0 for none
    body_row row;
    uint8_t size;
    uint8_t bytes[ENCODE_ROW_BYTES_MAX];
} row_entry;

typedef struct row_removal {
    body_id id;
    // it existed from version `created` to before version `removed`
    uint64_t created, removed;
} row_removal;

typedef struct row_table {
    uint64_t version; // version of the table's state; 0: none yet
    uint64_t changed; // last version that differs from the one before
    uint64_t floor;   // a reader last sent a version below this cannot be sent all removals
    uint64_t removals_max;
    ARRAY(row_entry) entries;    // indexed by slot
    ARRAY(row_removal) removals; // in the order of their versions
    ARRAY(body_row) taken;       // scratch
    buffer scratch;
} row_table;

void row_table_init(row_table *t, uint64_t removals_max);
void row_table_deinit(row_table *t);

// Records the world's present state as the next version.
void row_table_update(row_table *t, const physics_world *world);

// A command changes the body's description: the next version is the first that has it. Unknown ids
// are ignored.
void row_table_mark(row_table *t, body_id id);

// Drops removals that no reader with version `oldest` or later needs, and those above the limit.
void row_table_trim(row_table *t, uint64_t oldest);

// Appends the row's encoding to `out`.
void row_table_append(row_table *t, row_entry *entry, buffer *out);

// The slots of all bodies. The caller owns the set.
view_set *row_table_all(const row_table *t);

#endif
