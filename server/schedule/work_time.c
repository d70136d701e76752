// Processor time of pieces; see work_time.h. One thread.
#include "server/schedule/work_time.h"

#include <stddef.h>

#include "common/base/assert.h"

work_time work_time_begin(turn_clock *processor)
{
    return (work_time){.processor = processor, .read_ns = processor != NULL ? processor() : 0};
}

int64_t work_time_of(work_time *w, int64_t wall_ns)
{
    ASSERT(wall_ns >= 0);
    if (wall_ns <= WORK_TIME_SHORT_NS || w->processor == NULL) {
        w->counted_ns += wall_ns;
        return wall_ns;
    }
    const int64_t now = w->processor();
    const int64_t used = now - w->read_ns - w->counted_ns;
    w->read_ns = now;
    w->counted_ns = 0;
    const int64_t least = used > 0 ? used : 0;
    return least < wall_ns ? least : wall_ns;
}
