// See pace.h. The median is computed again each time the number of calls has grown by a quarter, so
// that its cost per call is negligible. Pure; any thread, one at a time.
#include "client/load/pace.h"

void load_pace_init(load_pace *pace, double pause)
{
    histogram_init(&pace->took);
    pace->next = LOAD_PACE_LEAST;
    pace->pause = pause;
    pace->seconds = 0.0;
}

void load_pace_note(load_pace *pace, double took)
{
    histogram_record(&pace->took, took > 0.0 ? (uint64_t)(took * 1e9) : 0);
    if (pace->took.total >= pace->next) {
        pace->seconds = pace->pause + (double)histogram_percentile(&pace->took, 50.0) * 1e-9;
        pace->next += pace->next / 4;
    }
}

load_missed load_pace_missed(const load_pace *pace, double took)
{
    load_missed missed = {0, pace->seconds, 0};
    if (!(pace->seconds > 0.0) || took < 2.0 * pace->seconds) {
        return missed;
    }
    missed.count = (uint64_t)(took / pace->seconds) - 1;
    missed.steps =
        missed.count < LOAD_MISSED_STEPS_MAX ? (unsigned)missed.count : LOAD_MISSED_STEPS_MAX;
    missed.seconds = pace->seconds * (double)missed.count / (double)missed.steps;
    return missed;
}

uint64_t load_missed_weight(const load_missed *missed, unsigned step)
{
    return missed->count * step / missed->steps - missed->count * (step - 1) / missed->steps;
}
