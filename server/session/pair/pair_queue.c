// The queue of a world's image and entries to its standby, and sending from it as much as the link
// takes; see pairs.h.
#include <string.h>

#include "common/base/little_endian.h"
#include "server/session/pair/internal.h"

void pair_queue_clear(pair *one)
{
    while (one->first != NULL) {
        feed_item *item = one->first;
        one->first = item->next;
        feed_item_free(item);
    }
    one->last = &one->first;
    one->queued = one->sent = 0;
    array_clear(&one->waiting);
    one->waiting_from = 0;
    one->acknowledged_tick = 0;
}

static bool send_offer(pairs *p, pair *one, const feed_item *item)
{
    const ownership *o = fleet_ownership(pairs_fleet(p), one->name);
    uint8_t head[PAIR_OFFER_BYTES + 4 + WORLD_NAME_BYTES_MAX + 4 + RECORD_SIZE_MAX];
    char record[RECORD_SIZE_MAX];
    if (o == NULL) {
        return true; // it is being lost
    }
    world_record r = o->record;
    r.replicated = one->replicated; // a new world's record says so from its next write on
    const size_t size = world_record_write(&r, record);
    const size_t name = strlen(one->name);
    put64(head, one->number);
    put64(head + 8, item->sequence);
    put64(head + 16, item->tick);
    put64(head + 24, item->hash);
    put64(head + 32, item->bytes->size);
    put64(head + 40, (uint64_t)o->revision);
    put32(head + 48, (uint32_t)one->durability);
    uint8_t *at = head + PAIR_OFFER_BYTES;
    put32(at, (uint32_t)name);
    memcpy(at + 4, one->name, name);
    at += 4 + name;
    put32(at, (uint32_t)size);
    memcpy(at + 4, record, size);
    at += 4 + size;
    return peer_send(one->to->link, PAIR_OFFER, head, (size_t)(at - head), NULL, 0);
}

// Sends an image's next piece; *done: that was all.
static bool send_image(pairs *p, pair *one, const feed_item *item, bool *done)
{
    uint8_t head[PAIR_PIECE_HEAD_BYTES];
    if (one->sent == 0 && !send_offer(p, one, item)) {
        return false;
    }
    const uint64_t left = item->bytes->size - one->sent;
    const size_t size = left < PAIRS_PIECE_BYTES ? (size_t)left : PAIRS_PIECE_BYTES;
    put64(head, one->number);
    if (!peer_send(one->to->link, PAIR_PIECE, head, sizeof head, item->bytes->data + one->sent,
                   size)) {
        return false;
    }
    one->sent += size;
    *done = one->sent == item->bytes->size;
    return true;
}

static bool send_item(pairs *p, pair *one, const feed_item *item, bool *done)
{
    uint8_t head[PAIR_ENTRY_HEAD_BYTES];
    *done = true;
    put64(head, one->number);
    put64(head + 8, item->sequence);
    put64(head + 16, item->tick);
    switch (item->kind) {
    case FEED_IMAGE:
        return send_image(p, one, item, done);
    case FEED_ENTRY:
        return peer_send(one->to->link, PAIR_ENTRY, head, sizeof head, item->bytes->data,
                         item->bytes->size);
    case FEED_END:
        one->end = item->sequence;
        return peer_send(one->to->link, PAIR_END, head, PAIR_END_BYTES, NULL, 0);
    }
    return false;
}

bool pair_queue_send(pairs *p, pair *one)
{
    while (one->first != NULL && peer_unsent(one->to->link) < PAIRS_LINK_BYTES) {
        feed_item *item = one->first;
        bool done = true;
        if (!send_item(p, one, item, &done)) {
            return false;
        }
        if (done) {
            one->sent = 0;
            one->passed = item->sequence;
            one->queued -= item->kind == FEED_ENTRY ? item->bytes->size : 0;
            one->first = item->next;
            one->last = one->first == NULL ? &one->first : one->last;
            feed_item_free(item);
        }
    }
    return true;
}

bool pair_queue_collect(const pairs *p, pair *one)
{
    bool cut = false;
    feed_item *item = world_feed_take(one->feed, &cut);
    while (item != NULL) {
        feed_item *next = item->next;
        if (one->offered) {
            item->next = NULL;
            *one->last = item;
            one->last = &item->next;
            one->queued += item->kind == FEED_ENTRY ? item->bytes->size : 0;
            pair_lag_await(p, one, item);
        } else {
            feed_item_free(item);
        }
        item = next;
    }
    return !cut && world_feed_may_wait(one->queued, PAIRS_QUEUE_BYTES_MAX);
}
