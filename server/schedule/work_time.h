// How long a piece of work took its thread: processor time.
//
// By the wall clock a piece seems long when the system gave the processor to another thread in the
// middle of it. This happens often where it hurts: a small answer wakes its reader, who takes the
// processor from the writer. Charged for that, a quiet subject would wait until every other one had
// used as much.
//
// The system's clock of processor time takes half a microsecond to read, as long as a small piece.
// So a piece is measured by the wall clock, and processor time is read only after a long one.
//
// One thread.
#ifndef CAROM_SERVER_SCHEDULE_WORK_TIME_H
#define CAROM_SERVER_SCHEDULE_WORK_TIME_H

#include <stdint.h>

#include "server/schedule/turn.h"

// A piece no longer than this is charged whole. A thread that is interrupted waits for longer.
static const int64_t WORK_TIME_SHORT_NS = 100000;

typedef struct work_time {
    turn_clock
        *processor;     // the thread's processor time; NULL: pieces are charged by the wall clock
    int64_t read_ns;    // its value at the last reading
    int64_t counted_ns; // sum of the pieces since then
} work_time;

// The first piece begins now. NULL: pieces are charged by the wall clock.
work_time work_time_begin(turn_clock *processor);

// The processor time of a piece that has just ended, and took `wall_ns`; 0 to `wall_ns`.
int64_t work_time_of(work_time *w, int64_t wall_ns);

#endif
