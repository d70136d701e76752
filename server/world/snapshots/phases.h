// The phases of a world's subscriptions: the tick on which the snapshots of each view fall.
//
// Equal views have one phase, so that they are due on the same ticks and share their bytes. Views
// of one rate are dealt out over the ticks in turn, whatever other rates there are; more phases
// than a rate has ticks between two snapshots do no harm. Both lists are sorted, so a world with
// ten thousand subscriptions finds a view's phase in some fourteen comparisons.
//
// Each subscription is charged the memory of an entry, though equal views share one: whoever came
// first may leave first.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_PHASES_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_PHASES_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/world/command.h"
#include "server/world/snapshots/token_areas.h"

// A rate that some view has.
typedef struct rate_phases {
    double rate;
    uint32_t next;  // the phase of its next new view
    uint32_t views; // at least 1
} rate_phases;

// A view that somebody has.
typedef struct view_phase {
    subscribe_args view;
    token_areas *token_areas; // a reference; NULL: everything
    uint32_t phase;
    uint32_t readers; // at least 1
} view_phase;

typedef struct phases {
    ARRAY(view_phase *) views; // in the order of subscription_compare_wanted
    ARRAY(rate_phases) rates;  // ascending; without 0, which is due on each tick
} phases;

void phases_deinit(phases *p);

// Adds a reader of the view, and returns its entry, which is valid until the reader leaves.
view_phase *phases_join(phases *p, const subscribe_args *view, token_areas *areas);
void phases_leave(phases *p, view_phase *entry);

#endif
