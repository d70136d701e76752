// Events of a predicted world: each is reported once as predicted, and once more when the server's
// world has decided it. An event that comes a little earlier or later than it was predicted is the
// same event, so that its sound is not played twice.
#ifndef CAROM_CLIENT_PREDICTION_FORESEEN_EVENTS_H
#define CAROM_CLIENT_PREDICTION_FORESEEN_EVENTS_H

#include "client/prediction/prediction.h"
#include "common/base/array.h"

typedef struct foreseen {
    physics_event event;
    uint32_t round; // the last prediction in which it happened
} foreseen;

typedef struct foreseen_events {
    ARRAY(foreseen) open; // events predicted and not decided yet
    ARRAY(prediction_event) told;
    uint32_t told_at; // index of the next event to report
    uint32_t round;   // counts predictions of the same ticks
    uint64_t window;  // ticks by which an event may be earlier or later
    uint64_t lost;
} foreseen_events;

void foreseen_events_deinit(foreseen_events *f);
// Begins a round: all ticks after the confirmed one are predicted again.
void foreseen_events_again(foreseen_events *f);
void foreseen_events_predicted(foreseen_events *f, const physics_world *world, uint32_t kinds);
// Compares the open events with the confirmed world's events; takes back those that should have
// happened by now.
void foreseen_events_confirmed(foreseen_events *f, const physics_world *world, uint32_t kinds);
// Takes back all open events.
void foreseen_events_drop(foreseen_events *f);
bool foreseen_events_next(foreseen_events *f, prediction_event *out);

#endif
