// Estimates by name; see owner_crowds.h. The world's thread.
#include "server/world/tick/owner_crowds.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/physics/overlaps.h"

static const int64_t COUNT_GAP_NS = 1000000000; // time between two counts of an owner's bodies

void owner_crowds_deinit(owner_crowds *k)
{
    array_free(&k->list);
}

static bool is_free(const actor *who)
{
    return who->role >= ROLE_REFEREE || *who->subject == '\0';
}

static owner_crowd *find(const owner_crowds *k, const char *owner)
{
    for (uint32_t i = 0; i < k->list.count; i++) {
        if (strcmp(k->list.data[i].owner, owner) == 0) {
            return &k->list.data[i];
        }
    }
    return NULL;
}

typedef struct census {
    const owners *owners;
    const char *owner;
} census;

static bool is_own(void *context, body_id body)
{
    const census *c = context;
    return strcmp(owners_of(c->owners, body), c->owner) == 0;
}

static void count(owner_crowds *k, owner_crowd *one, const physics_world *world, const owners *o,
                  uint64_t most, int64_t now)
{
    ASSERT((uint32_t)(one - k->list.data) < k->list.count);
    census c = {o, one->owner};
    one->pairs = world_count_overlaps_of(world, is_own, &c, most);
    one->counted = true;
    one->counted_ns = now;
    if (one->pairs == 0 && owners_bodies(o, one->owner) == 0) {
        array_swap_remove(&k->list, (uint32_t)(one - k->list.data));
    }
}

status owner_crowds_admit(owner_crowds *k, const physics_world *world, const owners *o,
                          const actor *who, uint64_t pairs, uint64_t most, int64_t now, error *err)
{
    ASSERT(o != NULL);
    if (pairs == 0 || is_free(who)) {
        return STATUS_OK;
    }
    owner_crowd *one = find(k, who->subject);
    if (one != NULL && one->pairs + pairs > most &&
        (!one->counted || now - one->counted_ns >= COUNT_GAP_NS)) {
        count(k, one, world, o, most, now);
        one = find(k, who->subject);
    }
    const uint64_t there = one != NULL ? one->pairs : 0;
    if (there + pairs <= most) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "pairs_per_owner: shapes of this subject make %llu %s that overlap, and "
                     "%s%llu would be added; at most %llu may be one player's: put them further "
                     "apart",
                     COUNTED(there, "pair", "pairs"), pairs > most ? "more than " : "",
                     (unsigned long long)(pairs > most ? most : pairs), (unsigned long long)most);
}

void owner_crowds_note(owner_crowds *k, const actor *who, uint64_t pairs)
{
    if (pairs == 0 || is_free(who)) {
        return;
    }
    owner_crowd *one = find(k, who->subject);
    if (one == NULL) {
        owner_crowd added = {.pairs = 0};
        memcpy(added.owner, who->subject, sizeof added.owner);
        array_push(&k->list, added);
        one = &k->list.data[k->list.count - 1];
    }
    one->pairs += pairs;
}
