// Counts how many messages a rate has made due by a tick; see pace.h. Any thread.
#include "server/world/state/pace.h"

#include <math.h>

#include "common/base/assert.h"

bool pace_due(double rate, uint32_t phase, uint64_t tick, double hz)
{
    ASSERT(hz > 0.0);
    if (rate <= 0.0 || rate >= hz || tick == 0) {
        return true;
    }
    const double now = (double)(tick + phase);
    return floor(now * rate / hz) > floor((now - 1.0) * rate / hz);
}
