// Restoring: a restart brings back every world of the data directory, at the state that its log
// tells.
//
// Each world begins with its newest image; the records after it are played over it, each hash that
// they know is compared, and the world steps on to the last tick that may have been shown. A world
// whose log cannot be played is broken: it is told why, it is not served, and its log stays as it
// is; the others go on.
//
// Network thread, before the server listens.
#ifndef CAROM_SERVER_SESSION_RESTORE_H
#define CAROM_SERVER_SESSION_RESTORE_H

#include "common/base/array.h"
#include "common/base/status.h"
#include "common/world/command.h"
#include "server/session/aside.h"
#include "server/storage/storage.h"
#include "server/world/messages.h"

typedef struct restored_world {
    char name[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch;
    storage_world *stored; // NULL: it has no log
    storage_durability durability;
    adoption *adoption;        // NULL where it is broken
    char *broken;              // why: "was not restored: …", or "is set aside: …"
    uint64_t tick;             // of a broken one: its log's last
    uint64_t commands, hashes; // that were played, and compared
    uint64_t session;          // with which it ends; 0: none. Of worlds without a log
} restored_world;

typedef ARRAY(restored_world) restored_worlds;

// Brings back all worlds of a storage that was opened and not started yet, but for those that are
// set aside. Worlds whose making was never answered, and all but the newest of one name (their end
// was asked for), are destroyed.
// Errors: those of storage_recover; `out` is the caller's in any case.
status restore_worlds(storage *s, aside_list *aside, restored_worlds *out, error *err);

void restored_worlds_free(restored_worlds *list);

// The name under which a world is stored: its own, a dot and its epoch, as names may be taken anew
// while the end of the last one is still being written.
enum { STORED_NAME_BYTES_MAX = WORLD_NAME_BYTES_MAX + 1 + 20 };
void restore_stored_name(char out[STORED_NAME_BYTES_MAX + 1], const char *name, uint64_t epoch);

#endif
