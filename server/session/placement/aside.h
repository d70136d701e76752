// Worlds that are set aside: the process has crashed too often in the ticks of such a world
// (crash.h), so a start does not run it again. Its log stays unchanged, and the other worlds start.
//
// Network thread.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_ASIDE_H
#define CAROM_SERVER_SESSION_PLACEMENT_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/process/crash.h"

typedef struct aside_list {
    const char *directory;
    crash_lines lines;         // the lines read at the start
    crash_lines kept;          // crashes of worlds that exist and are not loaded again
    const char *const *loaded; // names of worlds that are started all the same
    uint32_t loaded_count;
} aside_list;

// Reads the crash records of earlier processes, and has this one watched from now on. A file that
// cannot be used sets no world aside, and is warned of. `directory` NULL: there is none.
void aside_begin(aside_list *a, const char *directory, const char *const *loaded,
                 uint32_t loaded_count);

// Whether the world is set aside: `why` says so, and how to load or drop it. To be asked once for
// each world of the data directory.
bool aside_has(aside_list *a, const char *name, uint64_t world, error *why);

// Call when all worlds were requested, and those that start have played their logs: removes worlds
// from the file that no longer exist or were loaded again. Frees the list.
void aside_finish(aside_list *a);
// Frees the list without writing: the file stays unchanged.
void aside_drop(aside_list *a);

#endif
