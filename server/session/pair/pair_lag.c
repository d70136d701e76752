// How far the standby of a world is behind: entries that were sent and are not acknowledged; see
// pairs.h.
#include "server/session/pair/internal.h"
#include "server/session/service.h"

void pair_lag_await(const pairs *p, pair *one, const feed_item *item)
{
    const sent_entry e = {.sequence = item->sequence,
                          .tick = item->tick,
                          .bytes = item->bytes != NULL ? item->bytes->size : 0,
                          .since_ms = uv_now(p->server->loop)};
    array_push(&one->waiting, e);
}

void pair_lag_forget(pair *one, uint64_t sequence)
{
    while (one->waiting_from < one->waiting.count &&
           one->waiting.data[one->waiting_from].sequence <= sequence) {
        one->acknowledged_tick = one->waiting.data[one->waiting_from++].tick;
    }
    if (2 * one->waiting_from >= one->waiting.count) {
        array_remove_first(&one->waiting, one->waiting_from);
        one->waiting_from = 0;
    }
}

bool pair_lag_close(const pairs *p, const pair *one)
{
    return one->waiting_from == one->waiting.count ||
           uv_now(p->server->loop) - one->waiting.data[one->waiting_from].since_ms <=
               PAIRS_CLOSE_MS;
}

bool pair_lag_late(const pairs *p, pair *one)
{
    const ownership *o = fleet_ownership(pairs_fleet(p), one->name);
    if (o == NULL || o->state != OWNERSHIP_PAIRED || one->acknowledged >= one->passed) {
        one->probe = 0;
        return false;
    }
    if (one->probe == 0 || one->acknowledged >= one->probe) {
        one->probe = one->passed;
        one->probe_pulses = 0;
        return false;
    }
    return ++one->probe_pulses > PAIRS_LATE_PULSES_MAX;
}

static bool lag_of(const pairs *p, const pair *one, pair_lag *out)
{
    const ownership *o = fleet_ownership(pairs_fleet(p), one->name);
    *out = (pair_lag){.tick = one->acknowledged_tick, .worlds = 1};
    if (o == NULL || (o->state != OWNERSHIP_PAIRED && o->state != OWNERSHIP_YIELDING)) {
        return false;
    }
    for (uint32_t i = one->waiting_from; i < one->waiting.count; i++) {
        out->bytes += one->waiting.data[i].bytes;
    }
    if (one->waiting_from < one->waiting.count) {
        const uint64_t since_ms = one->waiting.data[one->waiting_from].since_ms;
        // Rounded up, as 0 says that it has all.
        out->seconds = 1e-3 * (double)(uv_now(p->server->loop) - since_ms + 1);
    }
    return true;
}

bool pairs_lag(const server *s, const char *world, pair_lag *out)
{
    const pair *one = s->pairs != NULL ? pairs_find_name(s->pairs, world) : NULL;
    return one != NULL && lag_of(s->pairs, one, out);
}

pair_lag pairs_lag_of_all(const server *s)
{
    pair_lag all = {0};
    for (uint32_t i = 0; s->pairs != NULL && i < s->pairs->list.count; i++) {
        pair_lag lag;
        if (lag_of(s->pairs, s->pairs->list.data[i], &lag)) {
            all.worlds++;
            all.seconds = lag.seconds > all.seconds ? lag.seconds : all.seconds;
            all.bytes += lag.bytes;
        }
    }
    return all;
}

const char *pairs_standby(const server *s)
{
    for (uint32_t i = 0; s->pairs != NULL && i < s->pairs->list.count; i++) {
        const ownership *o = fleet_ownership(pairs_fleet(s->pairs), s->pairs->list.data[i]->name);
        if (o != NULL && o->state == OWNERSHIP_PAIRED) {
            return o->record.standby;
        }
    }
    return NULL;
}
