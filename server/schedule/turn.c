// Arithmetic of turns; see turn.h. Any thread.
#include "server/schedule/turn.h"

#include "common/base/assert.h"

turn turn_begin(turn_clock *clock, int64_t length_ns)
{
    ASSERT(length_ns >= 0);
    const int64_t now = clock();
    return (turn){.clock = clock, .begin_ns = now, .end_ns = now + length_ns};
}

turn turn_part(const turn *whole, int64_t length_ns)
{
    turn part = turn_begin(whole->clock, length_ns);
    part.end_ns = part.end_ns < whole->end_ns ? part.end_ns : whole->end_ns;
    return part;
}

bool turn_over(const turn *t)
{
    return t->clock() >= t->end_ns;
}

int64_t turn_used_ns(const turn *t)
{
    return t->clock() - t->begin_ns;
}

int64_t turn_left_ns(const turn *t)
{
    const int64_t left = t->end_ns - t->clock();
    return left > 0 ? left : 0;
}
