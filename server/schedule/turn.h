// A turn: how long a thread may work before it looks for other work.
//
// Long work is split into pieces. After each piece it asks whether the turn is over; the rest
// continues in the next turn. A turn limits the time between two looks, not the work: one piece is
// always done, so that everything makes progress. shares.h says who goes first, turn_queue.h keeps
// work that is done in pieces.
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

// Starts a turn of `length_ns`; 0 allows one piece.
turn turn_begin(turn_clock *clock, int64_t length_ns);

// Starts a turn of `length_ns` that ends with `whole` at the latest.
turn turn_part(const turn *whole, int64_t length_ns);

bool turn_over(const turn *t);
int64_t turn_used_ns(const turn *t);
int64_t turn_left_ns(const turn *t); // 0 when it is over

#endif
