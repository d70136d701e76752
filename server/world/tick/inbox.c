// The lanes of an inbox, and the heap of those that may continue; see inbox.h.
#include "server/world/tick/inbox.h"

#include "common/base/assert.h"
#include "server/world/state/last_requests.h"

static const int64_t SHARE_LEAST_NS = 20000; // some requests, so that a turn gets on

void inbox_deinit(inbox *b)
{
    ASSERT(b->count == 0);
    array_free(&b->lanes);
    array_free(&b->ready);
    array_free(&b->sated);
}

// ---- the heap

static uint64_t arrival_of(const inbox *b, uint32_t at)
{
    ASSERT(at < b->ready.count);
    return b->lanes.data[b->ready.data[at]].first->arrival;
}

static void swap(inbox *b, uint32_t x, uint32_t y)
{
    uint32_t lane = b->ready.data[x];
    b->ready.data[x] = b->ready.data[y];
    b->ready.data[y] = lane;
}

static void put_ready(inbox *b, uint32_t lane)
{
    ASSERT(lane < b->lanes.count && b->lanes.data[lane].first != NULL);
    uint32_t at = b->ready.count;
    array_push(&b->ready, lane);
    while (at > 0 && arrival_of(b, (at - 1) / 2) > arrival_of(b, at)) {
        swap(b, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static uint32_t take_ready(inbox *b)
{
    ASSERT(b->ready.count > 0);
    uint32_t lane = b->ready.data[0];
    b->ready.data[0] = b->ready.data[--b->ready.count];
    uint32_t at = 0;
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < b->ready.count && arrival_of(b, child) < arrival_of(b, least)) {
                least = child;
            }
        }
        if (least == at) {
            ASSERT(b->ready.count == 0 ||
                   // Its request was the first
                   arrival_of(b, 0) > b->lanes.data[lane].first->arrival);
            return lane;
        }
        swap(b, at, least);
        at = least;
    }
}

// ---- requests

static uint32_t lane_of(const request *q)
{
    const session_key *key = &q->reply_to.session;
    return key->number != 0 ? key->slot + 1 : 0;
}

void inbox_push(inbox *b, request *q)
{
    uint32_t at = lane_of(q);
    ASSERT(at < SESSION_MARK_SLOTS_MAX + 1 && q->kind != REQUEST_STOP);
    if (at >= b->lanes.count) {
        array_reserve(&b->lanes, at + 1); // new elements are zero
        b->lanes.count = at + 1;
    }
    inbox_lane *lane = &b->lanes.data[at];
    q->node.next = NULL;
    q->arrival = b->arrivals++;
    b->count++;
    if (lane->first != NULL) {
        lane->last->node.next = &q->node;
        lane->last = q;
        return;
    }
    lane->first = lane->last = q;
    if (lane->used_ns > b->granted_ns) {
        array_push(&b->sated, at); // its debt comes from earlier turns
    } else {
        put_ready(b, at);
    }
}

// ---- shares

// Grants each lane `ns` more, and wakes lanes whose debt is then paid.
static void grant(inbox *b, int64_t ns)
{
    ASSERT(ns >= 0);
    uint32_t kept = 0;
    b->granted_ns += ns;
    for (uint32_t i = 0; i < b->sated.count; i++) {
        uint32_t lane = b->sated.data[i];
        if (b->lanes.data[lane].used_ns < b->granted_ns) {
            put_ready(b, lane);
        } else {
            b->sated.data[kept++] = lane;
        }
    }
    b->sated.count = kept;
}

// Only lanes in debt have requests: lets those with the least debt continue.
static void wake_least(inbox *b)
{
    ASSERT(b->ready.count == 0 && b->sated.count > 0);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < b->sated.count; i++) {
        int64_t used = b->lanes.data[b->sated.data[i]].used_ns;
        least = used < least ? used : least;
    }
    int64_t owed = least > b->granted_ns ? least - b->granted_ns : 0;
    b->share_ns = 2 * b->share_ns > SHARE_LEAST_NS ? 2 * b->share_ns : SHARE_LEAST_NS;
    grant(b, owed + b->share_ns);
}

void inbox_begin(inbox *b, int64_t turn_ns)
{
    ASSERT(turn_ns >= 0);
    uint32_t waiting = b->ready.count + b->sated.count;
    b->share_ns = turn_ns / (waiting > 0 ? waiting : 1);
    b->share_ns = b->share_ns > SHARE_LEAST_NS ? b->share_ns : SHARE_LEAST_NS;
    grant(b, b->share_ns);
}

// ---- taking

request *inbox_take(inbox *b)
{
    if (b->ready.count == 0 && b->sated.count > 0) {
        wake_least(b);
    }
    if (b->ready.count == 0) {
        return NULL;
    }
    b->taken = take_ready(b);
    inbox_lane *lane = &b->lanes.data[b->taken];
    request *q = lane->first;
    ASSERT(b->count > 0 && q != NULL);
    lane->first = (request *)q->node.next;
    b->count--;
    return q;
}

void inbox_return(inbox *b, request *q)
{
    ASSERT(b->taken < b->lanes.count && lane_of(q) == b->taken);
    inbox_lane *lane = &b->lanes.data[b->taken];
    q->node.next = lane->first != NULL ? &lane->first->node : NULL;
    lane->last = lane->first != NULL ? lane->last : q;
    lane->first = q;
    b->count++;
}

void inbox_charge(inbox *b, int64_t ns)
{
    ASSERT(ns >= 0 && b->taken < b->lanes.count);
    inbox_lane *lane = &b->lanes.data[b->taken];
    // shares that the lane did not use in earlier turns are lost
    int64_t before = b->granted_ns - b->share_ns;
    lane->used_ns = (lane->used_ns > before ? lane->used_ns : before) + ns;
    if (lane->first == NULL) {
        return;
    }
    if (lane->used_ns < b->granted_ns) {
        put_ready(b, b->taken);
    } else {
        array_push(&b->sated, b->taken);
    }
}
