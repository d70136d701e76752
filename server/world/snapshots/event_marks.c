// See event_marks.h. The world's thread.
#include "server/world/snapshots/event_marks.h"

#include <string.h>

#include "common/base/assert.h"
#include "server/world/snapshots/subscription.h"

void event_marks_begin(event_marks *m, uint64_t next)
{
    ASSERT(m->in_flight == 0);
    m->list[0].next = next;
}

void event_marks_deinit(event_marks *m)
{
    event_marks_rewind(m);
    view_set_unref(m->list[0].seen);
    m->list[0].seen = NULL;
}

void event_marks_send(event_marks *m, uint64_t end, view_set *seen, uint64_t version)
{
    ASSERT(m->in_flight < PACKED_IN_FLIGHT_MAX && end >= event_marks_sent(m)->next);
    m->list[++m->in_flight] = (event_mark){.next = end, .seen = seen, .version = version};
}

void event_marks_acknowledge(event_marks *m)
{
    ASSERT(m->in_flight <= PACKED_IN_FLIGHT_MAX);
    if (m->in_flight == 0) {
        return;
    }
    view_set_unref(m->list[0].seen);
    memmove(m->list, m->list + 1, m->in_flight * sizeof *m->list);
    m->in_flight--;
}

void event_marks_rewind(event_marks *m)
{
    for (; m->in_flight > 0; m->in_flight--) {
        view_set_unref(m->list[m->in_flight].seen);
    }
}

// Goes from the newest mark to the oldest, so that each event is checked once: events lost by one
// mark are lost by all earlier marks too.
void event_marks_trim(event_marks *m, uint64_t floor, event_wanted *wanted, const void *context)
{
    ASSERT(m->in_flight <= PACKED_IN_FLIGHT_MAX);
    uint64_t lost = 0;
    uint64_t counted = floor; // `lost` counts all wanted events from here on
    for (uint32_t i = m->in_flight + 1; i > 0; i--) {
        event_mark *mark = &m->list[i - 1];
        for (; counted > mark->next; counted--) {
            lost += wanted(context, counted - 1);
        }
        if (mark->next < floor) {
            mark->lost += lost;
            mark->next = floor;
        }
    }
}
