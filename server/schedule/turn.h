// A turn: the time that a thread may work before it looks at what else waits for it.
//
// Work that may last is done in pieces. After each piece it asks whether the turn is over; what is
// left then is continued in the next turn. A turn bounds the time between two looks, not the work:
// one piece is done in any case, so that everything gets on. shares.h says who goes first,
// turn_queue.h keeps work that is done in pieces.
//
// Pure functions over the struct and a clock of the caller's; any thread.
#ifndef CAROM_SERVER_SCHEDULE_TURN_H
#define CAROM_SERVER_SCHEDULE_TURN_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t turn_clock(void); // monotonic [ns], as clock_now_ns() is

typedef struct turn {
    turn_clock *clock;
    int64_t begin_ns, end_ns;
} turn;

// A turn of `length_ns` from now on; 0: it has room for one piece.
turn turn_begin(turn_clock *clock, int64_t length_ns);

// A part of it, from now on: of that length, and no longer than the whole.
turn turn_part(const turn *whole, int64_t length_ns);

bool turn_over(const turn *t);
int64_t turn_used_ns(const turn *t);
int64_t turn_left_ns(const turn *t); // 0 when it is over

#endif
