// A crew: threads that help one other, the captain, with tasks of a few microseconds each. Between
// them the captain neither sleeps nor locks, so that a step of a world may hand out a hundred
// rounds of tasks.
//
// The captain takes tasks like everyone else and waits only for those that another has begun. A
// helper that gets no processor therefore costs nothing, and where there are more threads than
// processors the work is done by those that run. Who finds nothing to do looks on for some
// microseconds and then sleeps. A helper that wakes on the captain's processor leaves it, for one
// of the others on which the crew's maker was allowed to run.
#ifndef CAROM_SERVER_WORLD_CREW_H
#define CAROM_SERVER_WORLD_CREW_H

#include "common/base/status.h"
#include "common/physics/task_runner.h"

enum { CREW_THREADS_MAX = 64 };

typedef struct crew crew;

// `threads` work, the captain's included: 1 to CREW_THREADS_MAX. Errors: STATUS_INTERNAL when the
// system gives no thread. The caller owns the crew: crew_destroy().
status crew_create(int threads, crew **out, error *err);
void crew_destroy(crew *c); // NULL is fine

// To lend to worlds; valid while the crew is. Runs are begun by one thread at a time.
task_runner crew_runner(crew *c);

#endif
