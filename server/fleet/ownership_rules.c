// The rules of ownership.h, each as one question.
#include <string.h>

#include "server/fleet/ownership.h"

int64_t ownership_shows_to(const ownership *o)
{
    switch (o->state) {
    case OWNERSHIP_ALONE:
        return INT64_MAX;
    case OWNERSHIP_PAIRING:
    case OWNERSHIP_PAIRED:
    case OWNERSHIP_YIELDING:
    case OWNERSHIP_UNPAIRING:
        // The record may name the standby, which may take over with what it acknowledged.
        return o->acknowledged > o->shown ? o->acknowledged : o->shown;
    case OWNERSHIP_NONE:
    case OWNERSHIP_CLAIMING:
    case OWNERSHIP_CATCHING_UP:
    case OWNERSHIP_FOLLOWING:
    case OWNERSHIP_TAKING_OVER:
    case OWNERSHIP_STATE_COUNT:
        break;
    }
    return -1;
}

bool ownership_counts(const ownership *o, const char *from, int64_t term)
{
    const bool primary = o->state == OWNERSHIP_ALONE || o->state == OWNERSHIP_PAIRING ||
                         o->state == OWNERSHIP_PAIRED || o->state == OWNERSHIP_YIELDING ||
                         o->state == OWNERSHIP_UNPAIRING;
    return primary && term == o->record.term && strcmp(from, o->follower) == 0;
}

bool ownership_acknowledges(const ownership *o, const char *from, int64_t term)
{
    const bool follows = o->state == OWNERSHIP_CATCHING_UP || o->state == OWNERSHIP_FOLLOWING;
    return follows && !o->primary_missed && term == o->record.term &&
           strcmp(from, o->record.primary) == 0;
}

bool ownership_admits(const ownership *o)
{
    return o->state == OWNERSHIP_ALONE && *o->follower != '\0' && o->acknowledged >= o->shown;
}

bool ownership_awaits_store(const ownership *o)
{
    (void)o;
    return true;
}
