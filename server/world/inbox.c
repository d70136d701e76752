// Lanes, and the heap of those that may go on; see inbox.h.
#include "server/world/inbox.h"

#include "common/base/assert.h"

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
    uint32_t at = b->ready.count;
    array_push(&b->ready, lane);
    while (at > 0 && arrival_of(b, (at - 1) / 2) > arrival_of(b, at)) {
        swap(b, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static uint32_t take_ready(inbox *b)
{
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
    put_ready(b, at);
}

static void wake_sated(inbox *b)
{
    for (uint32_t i = 0; i < b->sated.count; i++) {
        put_ready(b, b->sated.data[i]);
    }
    array_clear(&b->sated);
}

void inbox_begin(inbox *b, int64_t turn_ns)
{
    wake_sated(b);
    uint32_t waiting = b->ready.count > 0 ? b->ready.count : 1;
    b->share_ns = turn_ns / waiting;
    b->share_ns = b->share_ns > SHARE_LEAST_NS ? b->share_ns : SHARE_LEAST_NS;
    b->turn++;
}

request *inbox_take(inbox *b)
{
    if (b->ready.count == 0 && b->sated.count > 0) {
        wake_sated(b);
        b->share_ns *= 2;
    }
    if (b->ready.count == 0) {
        return NULL;
    }
    b->taken = take_ready(b);
    inbox_lane *lane = &b->lanes.data[b->taken];
    request *q = lane->first;
    lane->first = (request *)q->node.next;
    b->count--;
    return q;
}

void inbox_charge(inbox *b, int64_t ns)
{
    inbox_lane *lane = &b->lanes.data[b->taken];
    lane->used_ns = (lane->turn == b->turn ? lane->used_ns : 0) + ns;
    lane->turn = b->turn;
    if (lane->first == NULL) {
        return;
    }
    if (lane->used_ns < b->share_ns) {
        put_ready(b, b->taken);
    } else {
        array_push(&b->sated, b->taken);
    }
}
