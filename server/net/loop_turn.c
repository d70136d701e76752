// Stages of a turn, and the subjects served in it; see loop_turn.h. The loop's thread only.
#include "server/net/loop_turn.h"

#include "common/base/assert.h"

// Ends of the stages [ns from the turn's beginning]. A last piece of work may take half a
// millisecond more, so that a turn stays below 5 ms.
static const int64_t STAGE_ENDS[LOOP_STAGE_COUNT] = {
    [LOOP_HANDSHAKE] = 1000000, [LOOP_READ] = 1250000,  [LOOP_WORK] = 2250000,
    [LOOP_ANSWER] = 3250000,    [LOOP_WRITE] = 4000000,
};
// The same while a later stage has work left over from the turn before.
static const int64_t ENDS_BEHIND[LOOP_STAGE_COUNT] = {
    [LOOP_HANDSHAKE] = 250000, [LOOP_READ] = 500000,   [LOOP_WORK] = 1500000,
    [LOOP_ANSWER] = 2750000,   [LOOP_WRITE] = 4000000,
};
static const int64_t TURN_NS = 3750000; // nothing is granted after this

void loop_turn_init(loop_turn *t, turn_clock *clock)
{
    *t = (loop_turn){.clock = clock, .number = 1};
}

void loop_turn_begin(loop_turn *t)
{
    if (!t->begun) {
        t->begun = true;
        t->begin_ns = t->clock();
    }
}

// The end of a stage in this turn.
static int64_t end_of(const loop_turn *t, loop_stage stage)
{
    return t->behind >> (stage + 1) != 0 ? ENDS_BEHIND[stage] : STAGE_ENDS[stage];
}

turn loop_turn_stage(loop_turn *t, loop_stage stage)
{
    ASSERT(stage < LOOP_STAGE_COUNT);
    loop_turn_begin(t);
    return (turn){
        .clock = t->clock, .begin_ns = t->begin_ns, .end_ns = t->begin_ns + end_of(t, stage)};
}

turn loop_turn_stage_least(loop_turn *t, loop_stage stage, int64_t least_ns)
{
    const turn left = loop_turn_stage(t, stage);
    return turn_left_ns(&left) < least_ns ? turn_begin(t->clock, least_ns) : left;
}

static uint32_t place_of(uint64_t subject)
{
    return (uint32_t)((subject ^ subject >> 32) % LOOP_SUBJECTS);
}

bool loop_turn_served(const loop_turn *t, loop_stage stage, uint64_t subject)
{
    ASSERT(stage < LOOP_STAGE_COUNT);
    return t->served[stage][place_of(subject)] == t->number;
}

bool loop_turn_grants(loop_turn *t, loop_stage stage, uint64_t subject)
{
    const turn left = loop_turn_stage(t, stage);
    uint64_t *served = &t->served[stage][place_of(subject)];
    const int64_t used = turn_used_ns(&left);
    const bool first = *served != t->number;
    const bool granted = used < end_of(t, stage) || (first && used < TURN_NS);
    *served = granted ? t->number : *served;
    return granted;
}

void loop_turn_behind(loop_turn *t, loop_stage stage)
{
    ASSERT(stage < LOOP_STAGE_COUNT);
    t->behind_next |= 1u << stage;
}

int64_t loop_turn_end(loop_turn *t)
{
    const int64_t took = t->begun ? t->clock() - t->begin_ns : -1;
    t->begun = false;
    ASSERT(t->behind_next >> LOOP_STAGE_COUNT == 0);
    t->behind = t->behind_next;
    t->behind_next = 0;
    t->number++;
    return took;
}
