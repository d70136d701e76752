// The events of its world that a subscription's reader has seen: one mark for the snapshots that
// it has received, and one for each snapshot on its way. When the event log forgets events that
// marks still need, every such mark is moved, here and nowhere else, to the first event that is
// left, and counts the wanted events lost by that. So no mark is ever below the log's first event,
// whichever of them a late acknowledgement or a resume returns to.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_EVENT_MARKS_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_EVENT_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct view_set;

// Snapshots on their way to one reader of packed ones: a quarter of a second at 60 Hz. A reader
// that is further behind leaves its group, and begins again with a full one when it has received
// them. Plain snapshots need only one on its way, since each may replace several; a packed one
// needs the one before.
enum { PACKED_IN_FLIGHT_MAX = 16 };

typedef struct event_mark {
    uint64_t next;         // number of the first event behind it
    uint64_t lost;         // wanted events before it that the log has forgotten
    struct view_set *seen; // owned: with an area, the bodies in view in its snapshot; else NULL
    uint64_t version;      // version of the rows in its snapshot
} event_mark;

typedef struct event_marks {
    // [0]: received; then one for each snapshot on its way
    event_mark list[1 + PACKED_IN_FLIGHT_MAX];
    uint32_t in_flight; // snapshots on their way, the oldest first
} event_marks;

// Begins at an event. `m` is zero.
void event_marks_begin(event_marks *m, uint64_t next);
void event_marks_deinit(event_marks *m);

// The event at which the next snapshot begins, and the number of events before it to report as
// lost.
static inline const event_mark *event_marks_sent(const event_marks *m)
{
    return &m->list[m->in_flight];
}

// Records that a snapshot was sent with all events before `end` and that version of the rows. Takes
// over the reference `seen`. There is always space: in_flight is below PACKED_IN_FLIGHT_MAX.
void event_marks_send(event_marks *m, uint64_t end, struct view_set *seen, uint64_t version);
// Records that the oldest snapshot in flight was written out. Does nothing if none is: the
// acknowledgement is of a connection that the session has left.
void event_marks_acknowledge(event_marks *m);
// The snapshots on their way will not arrive: the next one begins where the reader is.
void event_marks_rewind(event_marks *m);

// The events below `floor` are about to be forgotten. Each one behind a mark is asked for once.
typedef bool event_wanted(const void *context, uint64_t number);
void event_marks_trim(event_marks *m, uint64_t floor, event_wanted *wanted, const void *context);

#endif
