// The table of shares; see shares.h. One thread.
#include "server/schedule/shares.h"

#include <stdlib.h>

#include "common/base/assert.h"

enum { PURGE_LEAST = 64 };

void shares_deinit(shares *s)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        ASSERT(s->list.data[i]->holders == 0);
        free(s->list.data[i]);
    }
    array_free(&s->list);
}

// The index of the first share whose subject is not less.
static uint32_t place_of(const shares *s, uint64_t subject)
{
    uint32_t low = 0;
    uint32_t high = s->list.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->list.data[middle]->subject < subject) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Drops shares without holders that would restart at the floor anyway.
static void purge(shares *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->list.count; i++) {
        share *one = s->list.data[i];
        if (one->holders > 0 || one->used_ns > s->floor_ns) {
            s->list.data[kept++] = one;
        } else {
            free(one);
        }
    }
    s->list.count = kept;
    s->purge_at = 2 * kept > PURGE_LEAST ? 2 * kept : PURGE_LEAST;
}

static share *insert(shares *s, uint64_t subject)
{
    if (s->list.count >= s->purge_at) {
        purge(s);
    }
    share *added = calloc(1, sizeof *added);
    ASSERT(added != NULL);
    *added = (share){.subject = subject, .used_ns = s->floor_ns};
    const uint32_t at = place_of(s, subject);
    array_insert(&s->list, at, added);
    return added;
}

share *shares_hold(shares *s, uint64_t subject)
{
    const uint32_t at = place_of(s, subject);
    const bool found = at < s->list.count && s->list.data[at]->subject == subject;
    share *one = found ? s->list.data[at] : insert(s, subject);
    one->holders++;
    return one;
}

void shares_release(shares *s, share *one)
{
    ASSERT(one->holders > 0 && s->list.count > 0);
    one->holders--;
}

int64_t shares_used(const shares *s, const share *one)
{
    return one->used_ns > s->floor_ns ? one->used_ns : s->floor_ns;
}

void shares_charge(shares *s, share *one, int64_t ns)
{
    ASSERT(ns >= 0);
    one->used_ns = shares_used(s, one) + ns;
    s->most_ns = one->used_ns > s->most_ns ? one->used_ns : s->most_ns;
}

void shares_forgive(shares *s)
{
    s->floor_ns = s->most_ns > s->floor_ns ? s->most_ns : s->floor_ns;
}

void shares_serve(shares *s, const share *one)
{
    s->floor_ns = shares_used(s, one);
}
