// Claims of worlds, from the call of fleet_claim to the release. Loop thread only.
#include "server/fleet/fleet_internal.h"

#include <string.h>

#include "common/base/assert.h"

void fleet_claim(fleet *f, const char *world, double hz, fleet_claimed done, void *context)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w != NULL && w->follows) {
        fleet_owned_unfollow(f, w); // its claim decides
        w = NULL;
    }
    ASSERT(w == NULL || w->unwanted);
    if (w != NULL) { // the name of a claim that was given up: its transaction is under way
        error err;
        (void)error_set(&err, STATUS_UNAVAILABLE, "world '%s' was destroyed before it was made",
                        w->name);
        w->again = w->machine.state != OWNERSHIP_NONE && w->machine.state != OWNERSHIP_CLAIMING;
        w->unwanted = w->again;
        w->machine.self.hz = w->again ? hz : w->machine.self.hz;
        fleet_owned_answer_claim(w, &err, NULL);
    } else {
        w = fleet_owned_add(f, world, hz);
    }
    w->done = done;
    w->context = context;
    w->deadline_ms = uv_now(f->loop) + FLEET_CLAIM_MS;
    if (w->machine.state == OWNERSHIP_NONE) {
        const known_world *known = fleet_view_world(f, world);
        const bool had = known != NULL && strcmp(known->record.primary, f->options.node) == 0;
        w->machine.self.replicated = had && known->record.replicated;
        fleet_owned_begin_claim(f, w, had ? &known->record : NULL, had ? known->revision : 0);
    }
}

uint32_t fleet_claims(const fleet *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->owned.count; i++) {
        count += f->owned.data[i]->done != NULL;
    }
    return count;
}

// Whether this server serves the world.
static bool serves(const owned_world *w)
{
    const ownership_state s = w->machine.state;
    return s == OWNERSHIP_ALONE || s == OWNERSHIP_PAIRING || s == OWNERSHIP_PAIRED ||
           s == OWNERSHIP_YIELDING || s == OWNERSHIP_UNPAIRING;
}

int64_t fleet_term(const fleet *f, const char *world)
{
    const owned_world *w = fleet_owned_find(f, world);
    return w != NULL && serves(w) ? w->machine.record.term : 0;
}

const world_record *fleet_own(const fleet *f, const char *world)
{
    const owned_world *w = fleet_owned_find(f, world);
    return fleet_term(f, world) > 0 ? &w->machine.record : NULL;
}

void fleet_keep(fleet *f, const char *world)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w != NULL) {
        w->kept = true;
    }
}

void fleet_release(fleet *f, const char *world)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w == NULL) {
        return;
    }
    const ownership_state state = w->machine.state;
    if (state == OWNERSHIP_ALONE || state == OWNERSHIP_PAIRED || state == OWNERSHIP_YIELDING) {
        fleet_write_removal(f, w->name, w->machine.revision);
        fleet_owned_drop(f, w);
    } else {
        w->unwanted = true; // a claim under way is answered all the same
        w->again = false;
    }
}

// Claims past their time, or all: answered as unavailable; a late success is taken back.
void fleet_claims_end(fleet *f, bool all, const char *why)
{
    const uint64_t now_ms = uv_now(f->loop);
    for (uint32_t i = f->owned.count; i > 0; i--) {
        owned_world *w = f->owned.data[i - 1];
        if (w->done == NULL || (!all && now_ms < w->deadline_ms)) {
            continue;
        }
        error err;
        (void)error_set(&err, STATUS_UNAVAILABLE, "world '%s' cannot be claimed: %s", w->name, why);
        w->unwanted = true;
        fleet_owned_answer_claim(w, &err, NULL);
    }
}
