// The changes of a world's data (common/physics/data.h) that subscribers are still to be sent: each
// key that changed since a reader's last snapshot, with the version of the rows that first shows
// it.
//
// The feed follows the commands that the world carries out. Where the data changed in another way
// (a recording was played on), or more keys changed than are kept, its floor rises: readers below
// it are sent all data in a full snapshot.
//
// Nothing is kept while nobody wants data. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_DATA_FEED_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_DATA_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/data.h"
#include "common/world/command.h"
#include "proto/wire/buffer.h"
#include "server/world/message/data_prefixes.h"

typedef struct data_mark {
    char *key;
    uint64_t changed; // first version of the rows that has its present value, or does not have it
} data_mark;

typedef struct data_feed {
    uint64_t kept_max;
    uint64_t changes;       // number of the world's changes that are marked
    uint64_t changed;       // first version with the last change
    uint64_t floor;         // a reader last sent a version below this has to be sent all
    ARRAY(data_mark) marks; // by key
} data_feed;

void data_feed_init(data_feed *f, uint64_t kept_max);
void data_feed_deinit(data_feed *f);

// Records that the command was carried out; `version` is the first version that will show it.
void data_feed_note(data_feed *f, const command *c, uint64_t version);
// Call before rows of `version` are read.
void data_feed_update(data_feed *f, const physics_world *world, uint64_t version);
// Forgets what no reader with version `oldest` or later needs.
void data_feed_trim(data_feed *f, uint64_t oldest);

// Appends key and value of each wanted key that changed after `version`, nil for a removed key;
// with `full`, of every existing wanted key. Returns their number.
uint32_t data_feed_encode(const data_feed *f, const physics_world *world,
                          const data_prefixes *wanted, uint64_t version, bool full, buffer *out);

#endif
