// Permits and their waiting list; see permits.h. Any thread.
//
// Invariants: `waits` is set exactly for the permits in `waiting`; while there are any, `left` is
// 0.
#include "server/schedule/permits.h"

#include "common/base/assert.h"

void permits_init(permits *all, uint32_t most)
{
    ASSERT(most > 0);
    *all = (permits){.left = most};
    pthread_mutex_init(&all->lock, NULL);
}

void permits_deinit(permits *all)
{
    ASSERT(all->waiting.count == 0);
    shares_deinit(&all->shares);
    array_free(&all->waiting);
    pthread_mutex_destroy(&all->lock);
}

void permit_begin(permits *all, permit *p, uint64_t subject, void (*given)(void *context),
                  void *context)
{
    *p = (permit){.given = given, .context = context};
    pthread_mutex_lock(&all->lock);
    p->of = shares_hold(&all->shares, subject);
    pthread_mutex_unlock(&all->lock);
}

// The index of the one with the least time used; the first among equals.
static uint32_t find_next(const permits *all)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < all->waiting.count; i++) {
        const int64_t used = shares_used(&all->shares, all->waiting.data[i]->of);
        const int64_t least = shares_used(&all->shares, all->waiting.data[found]->of);
        found = used < least ? i : found;
    }
    return found;
}

static void take_out(permits *all, uint32_t at)
{
    all->waiting.data[at]->waits = false;
    for (uint32_t i = at + 1; i < all->waiting.count; i++) {
        all->waiting.data[i - 1] = all->waiting.data[i];
    }
    all->waiting.count--;
}

static void pass_on(permits *all)
{
    if (all->waiting.count == 0) {
        all->left++;
        return;
    }
    const uint32_t at = find_next(all);
    permit *next = all->waiting.data[at];
    take_out(all, at);
    next->has = true;
    shares_serve(&all->shares, next->of);
    next->given(next->context);
}

void permit_end(permits *all, permit *p)
{
    pthread_mutex_lock(&all->lock);
    for (uint32_t i = all->waiting.count; i > 0; i--) {
        if (all->waiting.data[i - 1] == p) {
            take_out(all, i - 1);
        }
    }
    if (p->has) {
        p->has = false;
        pass_on(all);
    }
    shares_release(&all->shares, p->of);
    pthread_mutex_unlock(&all->lock);
}

bool permit_ask(permits *all, permit *p)
{
    pthread_mutex_lock(&all->lock);
    if (!p->has && !p->waits && all->left > 0) {
        all->left--;
        p->has = true;
        shares_serve(&all->shares, p->of);
    } else if (!p->has && !p->waits) {
        p->waits = true;
        array_push(&all->waiting, p);
    }
    const bool has = p->has;
    pthread_mutex_unlock(&all->lock);
    return has;
}

void permit_give_back(permits *all, permit *p, int64_t ns)
{
    pthread_mutex_lock(&all->lock);
    ASSERT(p->has);
    p->has = false;
    shares_charge(&all->shares, p->of, ns);
    pass_on(all);
    pthread_mutex_unlock(&all->lock);
}
