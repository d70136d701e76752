// The priority of the pool's threads; see worker.h.
#include "server/base/worker.h"

#include <stdbool.h>
#include <unistd.h>

static _Thread_local bool lowered;

void worker_begin(void)
{
    if (!lowered) {
        lowered = true;
        (void)!nice(WORKER_NICE);
    }
}
