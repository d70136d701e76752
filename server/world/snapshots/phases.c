// Sorted lists of views and of rates; see phases.h. The world's thread.
#include "server/world/snapshots/phases.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "server/world/snapshots/subscription.h"

void phases_deinit(phases *p)
{
    ASSERT(p->views.count == 0 && p->rates.count == 0);
    array_free(&p->views);
    array_free(&p->rates);
}

// The index of the first rate that is not below this one.
static uint32_t place_of_rate(const phases *p, double rate)
{
    uint32_t low = 0;
    uint32_t high = p->rates.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->rates.data[middle].rate < rate) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The index of the first view that is not before this one; `found`: whether it is this one.
static uint32_t place_of_view(const phases *p, const subscribe_args *view, const token_areas *areas,
                              bool *found)
{
    uint32_t low = 0;
    uint32_t high = p->views.count;
    *found = false;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const view_phase *at = p->views.data[middle];
        const int order = subscription_compare_wanted(&at->view, at->token_areas, view, areas);
        *found = *found || order == 0;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t take_phase(phases *p, double rate)
{
    if (rate == 0.0) {
        return 0; // every tick
    }
    const uint32_t at = place_of_rate(p, rate);
    if (at == p->rates.count || p->rates.data[at].rate != rate) {
        array_insert(&p->rates, at, (rate_phases){.rate = rate});
    }
    p->rates.data[at].views++;
    return p->rates.data[at].next++;
}

static void drop_phase(phases *p, double rate)
{
    if (rate == 0.0) {
        return;
    }
    const uint32_t at = place_of_rate(p, rate);
    ASSERT(at < p->rates.count && p->rates.data[at].rate == rate && p->rates.data[at].views > 0);
    if (--p->rates.data[at].views == 0) {
        array_remove(&p->rates, at);
    }
}

view_phase *phases_join(phases *p, const subscribe_args *view, token_areas *areas)
{
    bool found;
    const uint32_t at = place_of_view(p, view, areas, &found);
    if (found) {
        p->views.data[at]->readers++;
        return p->views.data[at];
    }
    view_phase *made = calloc(1, sizeof *made);
    ASSERT_MEMORY(made != NULL);
    *made = (view_phase){.view = *view,
                         .token_areas = token_areas_ref(areas),
                         .phase = take_phase(p, view->rate),
                         .readers = 1};
    array_insert(&p->views, at, made);
    return made;
}

void phases_leave(phases *p, view_phase *entry)
{
    ASSERT(entry->readers > 0);
    if (--entry->readers > 0) {
        return;
    }
    bool found;
    const uint32_t at = place_of_view(p, &entry->view, entry->token_areas, &found);
    ASSERT(found && p->views.data[at] == entry);
    array_remove(&p->views, at);
    drop_phase(p, entry->view.rate);
    token_areas_unref(entry->token_areas);
    free(entry);
}
