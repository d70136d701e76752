// The primary's side; see pairs.h.
#include "server/session/pair/pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/pair/internal.h"
#include "server/session/resume/session_store.h"
#include "server/session/service.h"

pair *pairs_find(const pairs *p, uint64_t number)
{
    for (uint32_t i = 0; i < p->list.count; i++) {
        if (p->list.data[i]->number == number) {
            return p->list.data[i];
        }
    }
    return NULL;
}

static pair *find_name(const pairs *p, const char *name)
{
    for (uint32_t i = 0; i < p->list.count; i++) {
        if (strcmp(p->list.data[i]->name, name) == 0 && !p->list.data[i]->released) {
            return p->list.data[i];
        }
    }
    return NULL;
}

static struct fleet *fleet_of(const pairs *p)
{
    return p->server->options->fleet;
}

static void drop_items(pair *one)
{
    while (one->first != NULL) {
        feed_item *item = one->first;
        one->first = item->next;
        feed_item_free(item);
    }
    one->last = &one->first;
    one->queued = one->sent = 0;
}

static void remove_pair(pairs *p, pair *one)
{
    for (uint32_t i = 0; i < p->list.count; i++) {
        if (p->list.data[i] == one) {
            array_swap_remove(&p->list, i);
            break;
        }
    }
    world_feed_detach(one->feed);
    drop_items(one);
    world_feed_unref(one->feed);
    free(one);
}

// ---- what may be shown

static bool is_alone(const ownership *o)
{
    return o != NULL && o->state == OWNERSHIP_ALONE;
}

static void allow(const pairs *p, pair *one)
{
    const ownership *o = fleet_ownership(fleet_of(p), one->name);
    if (o == NULL) { // taken away: nothing more is shown
        return;
    }
    if (!is_alone(o)) {
        one->opened = true;
        const int64_t most = ownership_shows_to(o);
        world_feed_allow(one->feed, most > 0 ? (uint64_t)most : 0);
    } else if (one->opened) {
        world_feed_allow(one->feed, UINT64_MAX);
    }
}

static void note_acknowledged(pairs *p, pair *one, uint64_t sequence, uint64_t term)
{
    struct fleet *f = fleet_of(p);
    one->acknowledged = sequence > one->acknowledged ? sequence : one->acknowledged;
    if (one->released) {
        if (one->end != 0 && one->acknowledged >= one->end) {
            world_feed_allow(one->feed, UINT64_MAX);
            remove_pair(p, one);
        }
        return;
    }
    ownership_event e = {.kind = EVENT_ACKNOWLEDGED,
                         .from = peer_link_node(one->to->link),
                         .term = (int64_t)term,
                         .tick = (int64_t)one->acknowledged};
    if (is_alone(fleet_ownership(f, one->name))) {
        // Rule 6: nothing beyond it is shown from before the question on.
        world_feed_allow(one->feed, one->acknowledged);
        fleet_note_shown(f, one->name, (int64_t)world_feed_shown(one->feed));
        e.kind = one->told ? EVENT_ACKNOWLEDGED : EVENT_CANDIDATE;
        one->told = true;
    }
    const uint64_t number = one->number;
    fleet_report(f, one->name, &e);
    if (pairs_find(p, number) == one) { // else it is lost
        allow(p, one);
        moves_acknowledged(p, one);
    }
}

// The standby or candidate is missed, or refuses: `why`.
static void miss(pairs *p, pair *one, const char *why)
{
    const ownership_event e = {.kind = EVENT_STANDBY_MISSED};
    if (one->to != NULL) {
        snprintf(one->but, sizeof one->but, "%s", peer_link_node(one->to->link));
    }
    one->to = NULL;
    one->offered = one->told = false;
    one->acknowledged = 0;
    one->next_ms = uv_now(p->server->loop) + (one->refused ? PAIRS_RETRY_MS : PAIRS_PULSE_MS);
    one->refused = false;
    world_feed_detach(one->feed);
    drop_items(one);
    if (one->released) {
        world_feed_allow(one->feed, UINT64_MAX);
        remove_pair(p, one);
        return;
    }
    const uint64_t number = one->number;
    fleet_report(fleet_of(p), one->name, &e);
    if (pairs_find(p, number) == one) { // else it is lost
        moves_missed(p, one, why);
    }
}

void pairs_miss(pairs *p, pair *one)
{
    miss(p, one, NULL);
}

// ---- sending

static void lose_remote(pairs *p, remote *r, const char *why);

static bool send_offer(pairs *p, pair *one, const feed_item *item)
{
    const ownership *o = fleet_ownership(fleet_of(p), one->name);
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

// Sends what the link takes. False: it failed.
static bool pump(pairs *p, pair *one)
{
    while (one->first != NULL && peer_unsent(one->to->link) < PAIRS_LINK_BYTES) {
        feed_item *item = one->first;
        bool done = true;
        if (!send_item(p, one, item, &done)) {
            return false;
        }
        if (done) {
            one->sent = 0;
            one->queued -= item->kind == FEED_ENTRY ? item->bytes->size : 0;
            one->first = item->next;
            one->last = one->first == NULL ? &one->first : one->last;
            feed_item_free(item);
        }
    }
    return true;
}

static void pump_or_fail(pairs *p, pair *one)
{
    if (one->to != NULL && one->to->up && !pump(p, one)) {
        remote *r = one->to;
        peer_close(r->link, "it does not take what it must");
        lose_remote(p, r, "it does not take what it must");
    }
}

// Moves a feed's items into the queue. False: there are too many.
static bool collect(pair *one)
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
        } else {
            feed_item_free(item);
        }
        item = next;
    }
    return !cut && one->queued <= PAIRS_QUEUE_BYTES_MAX;
}

static void on_feeds(uv_async_t *wake)
{
    pairs *p = wake->data;
    for (uint32_t i = p->list.count; i > 0 && !p->closing; i--) {
        if (i > p->list.count) {
            continue;
        }
        pair *one = p->list.data[i - 1];
        if (!collect(one)) {
            log_warn("world '%s': its standby '%s' is too slow, and is given up", one->name,
                     one->to != NULL ? peer_link_node(one->to->link) : "");
            miss(p, one, NULL);
            continue;
        }
        pump_or_fail(p, one);
    }
}

static void on_feed(void *context)
{
    uv_async_send(&((pairs *)context)->wake);
}

// ---- links

static remote *find_remote(const pairs *p, const char *node)
{
    for (uint32_t i = 0; i < p->remotes.count; i++) {
        if (strcmp(peer_link_node(p->remotes.data[i]->link), node) == 0) {
            return p->remotes.data[i];
        }
    }
    return NULL;
}

static remote *dial(pairs *p, const char *node, const char *address)
{
    remote *r = find_remote(p, node);
    if (r != NULL) {
        return r;
    }
    r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    r->link = peers_dial(p->peers, node, address, r);
    if (r->link == NULL) {
        free(r);
        return NULL;
    }
    array_push(&p->remotes, r);
    return r;
}

// The link has ended.
static void lose_remote(pairs *p, remote *r, const char *why)
{
    for (uint32_t i = 0; i < p->remotes.count; i++) {
        if (p->remotes.data[i] == r) {
            array_swap_remove(&p->remotes, i);
            break;
        }
    }
    for (uint32_t i = p->list.count; i > 0; i--) {
        if (i <= p->list.count && p->list.data[i - 1]->to == r) {
            p->list.data[i - 1]->refused = !r->up; // it is not tried again at once
            miss(p, p->list.data[i - 1], why);
        }
    }
    free(r);
}

static void offer(pair *one)
{
    one->offered = true;
    world_feed_attach(one->feed);
}

static void on_up(void *context, peer_link *link)
{
    pairs *p = context;
    if (!peer_link_dialled(link)) {
        followers_up(p, link);
        return;
    }
    remote *r = peer_link_owner(link);
    r->up = true;
    session_store_ship_all(p->server);
    for (uint32_t i = 0; i < p->list.count; i++) {
        if (p->list.data[i]->to == r) {
            offer(p->list.data[i]);
        }
    }
}

static void take_answer(pairs *p, peer_link *link, uint8_t kind, const uint8_t *bytes, size_t size)
{
    pair *one = size >= 8 ? pairs_find(p, get64(bytes)) : NULL;
    if (one == NULL || one->to == NULL || one->to->link != link) {
        return; // it is late
    }
    if (kind == PAIR_ACKNOWLEDGE && size == PAIR_ACKNOWLEDGE_BYTES) {
        note_acknowledged(p, one, get64(bytes + 8), get64(bytes + 16));
    } else if (kind == PAIR_REFUSE) {
        log_error("world '%s': server '%s' cannot be its standby: %.*s", one->name,
                  peer_link_node(link), (int)(size - 8), (const char *)bytes + 8);
        char why[ERROR_TEXT_MAX];
        snprintf(why, sizeof why, "%.*s", (int)(size - 8), (const char *)bytes + 8);
        one->refused = true;
        miss(p, one, why);
    }
}

static void on_received(void *context, peer_link *link, uint8_t kind, const uint8_t *bytes,
                        size_t size)
{
    pairs *p = context;
    if (peer_link_dialled(link)) {
        take_answer(p, link, kind, bytes, size);
    } else if (kind < PAIR_MESSAGE_COUNT) {
        followers_received(p, link, (pair_message)kind, bytes, size);
    }
}

static void on_drained(void *context, peer_link *link)
{
    pairs *p = context;
    if (!peer_link_dialled(link)) {
        return;
    }
    for (uint32_t i = p->list.count; i > 0; i--) {
        if (i <= p->list.count && p->list.data[i - 1]->to == peer_link_owner(link)) {
            pump_or_fail(p, p->list.data[i - 1]);
        }
    }
}

static void on_ended(void *context, peer_link *link, const char *why)
{
    pairs *p = context;
    log_warn("fleet: the connection %s server '%s' has ended: %s",
             peer_link_dialled(link) ? "to" : "from", peer_link_node(link), why);
    if (!peer_link_dialled(link)) {
        followers_ended(p, link, why);
    } else {
        lose_remote(p, peer_link_owner(link), why);
    }
}

// ---- the fleet's actions

static void send_name(pairs *p, const pair *one, const ownership *o)
{
    uint8_t head[PAIR_NAMED_HEAD_BYTES];
    char record[RECORD_SIZE_MAX];
    const size_t size = world_record_write(&o->record, record);
    put64(head, one->number);
    put64(head + 8, (uint64_t)o->revision);
    log_info("fleet: world '%s' has its standby at server '%s', term %" PRId64, one->name,
             o->record.standby, o->record.term);
    if (one->to != NULL) { // else it is missed already; a link that fails reports that itself
        (void)peer_send(one->to->link, PAIR_NAMED, head, sizeof head, record, size);
    }
    (void)p;
}

static void on_acted(void *context, const char *world, const ownership_action *action,
                     const ownership *o)
{
    pairs *p = context;
    pair *one = find_name(p, world);
    if (one == NULL || followers_have(p, world)) {
        followers_acted(p, world, action, o);
        return;
    }
    if (action->kind == ACTION_NAME) {
        send_name(p, one, o);
        allow(p, one);
        moves_named(p, one);
    } else if (action->kind == ACTION_SERVE) {
        log_warn("fleet: world '%s' goes on without a standby, term %" PRId64, world, action->term);
        one->opened = true;
        allow(p, one);
        moves_served(p, one);
    } else if (action->kind == ACTION_YIELD) {
        moves_yield(p, one, o);
    }
}

// ---- looking for standbys

static void look(pairs *p, pair *one, uint64_t now_ms)
{
    char node[RECORD_NAME_MAX + 1];
    char address[RECORD_ADDRESS_MAX + 1];
    struct fleet *f = fleet_of(p);
    if (!one->opened && now_ms - one->begun_ms >= PAIRS_FIRST_MS &&
        is_alone(fleet_ownership(f, one->name))) {
        log_warn("world '%s' begins without a standby: no other server could be it within %d ms",
                 one->name, PAIRS_FIRST_MS);
        one->opened = true;
        allow(p, one);
    }
    if (one->to != NULL || one->released || now_ms < one->next_ms ||
        !is_alone(fleet_ownership(f, one->name))) {
        return;
    }
    one->next_ms = now_ms + PAIRS_RETRY_MS;
    if (one->move.stage == MOVE_PAIRING) {
        memcpy(node, one->move.node, sizeof node);
        memcpy(address, one->move.peer, sizeof address);
    } else if (!one->replicated || p->server->stage != SERVER_SERVING) {
        return;
    } else if (!fleet_choose_standby(f, *one->but != '\0' ? one->but : NULL, node, address)) {
        return;
    }
    one->to = dial(p, node, address);
    if (one->to != NULL && one->to->up) {
        offer(one);
    }
}

static void on_pulse(uv_timer_t *pulse)
{
    pairs *p = pulse->data;
    const uint64_t now_ms = uv_now(p->server->loop);
    for (uint32_t i = p->list.count; i > 0 && p->server->stage != SERVER_DRAINING; i--) {
        if (i > p->list.count) {
            continue;
        }
        pair *one = p->list.data[i - 1];
        look(p, one, now_ms);
        moves_pulse(p, one, now_ms); // the pair may be gone then
    }
}

// ---- of the server

status pairs_check(const server *s, error *err)
{
    char node[RECORD_NAME_MAX + 1];
    char address[RECORD_ADDRESS_MAX + 1];
    if (s->storage == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "durability: a replicated world has a log, and the server keeps none "
                         "(caromd --data DIR)");
    }
    if (s->pairs == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "durability: a replicated world has a standby at another server "
                         "(caromd --fleet, --fleet-listen and --fleet-secret)");
    }
    if (!fleet_choose_standby(s->options->fleet, NULL, node, address)) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "durability: no other server of the fleet can be the world's standby: it "
                         "must have --fleet-listen, this server's engine and another host");
    }
    return STATUS_OK;
}

world_feed *pairs_begin(server *s, const char *name, uint64_t number, bool alone)
{
    pairs *p = s->pairs;
    pair *one = calloc(1, sizeof *one);
    ASSERT_MEMORY(one != NULL);
    ASSERT(pairs_find(p, number) == NULL);
    memcpy(one->name, name, strlen(name) + 1);
    one->number = number;
    one->feed = world_feed_create(on_feed, p);
    one->last = &one->first;
    one->opened = alone;
    one->replicated = true;
    one->durability = STORAGE_NORMAL;
    one->begun_ms = uv_now(s->loop);
    array_push(&p->list, one);
    world_feed_allow(one->feed, alone ? UINT64_MAX : 0);
    return world_feed_ref(one->feed);
}

void pairs_release(server *s, uint64_t number)
{
    pair *one = s->pairs != NULL ? pairs_find(s->pairs, number) : NULL;
    if (one == NULL) {
        return;
    }
    error err;
    (void)error_set(&err, STATUS_NOT_FOUND, "world '%s' was destroyed", one->name);
    one->released = true;
    moves_end(s->pairs, one, &err, 0);
    if (!one->offered) {
        world_feed_allow(one->feed, UINT64_MAX);
        remove_pair(s->pairs, one);
    }
}

void pairs_lose(server *s, uint64_t number, const world_record *winner)
{
    pair *one = s->pairs != NULL ? pairs_find(s->pairs, number) : NULL;
    if (one != NULL) {
        world_feed_allow(one->feed, 0);
        moves_lost(s->pairs, one, winner);
        remove_pair(s->pairs, one);
    }
}

void pairs_ship_session(server *s, const uint8_t *record, size_t size)
{
    pairs *p = s->pairs;
    for (uint32_t i = p != NULL ? p->remotes.count : 0; i > 0; i--) {
        remote *r = p->remotes.data[i - 1];
        if (r->up && !peer_send(r->link, PAIR_SESSION, record, size, NULL, 0)) {
            peer_close(r->link, "it does not take what it must");
            lose_remote(p, r, "it does not take what it must");
        }
    }
}

status pairs_open(server *s, error *err)
{
    const server_options *o = s->options;
    pairs *p = calloc(1, sizeof *p);
    ASSERT_MEMORY(p != NULL);
    const peer_options options = {.host = o->fleet_host,
                                  .port = o->fleet_port,
                                  .node = o->node,
                                  .fleet = o->fleet_prefix,
                                  .secret = o->fleet_secret,
                                  .secret_size = o->fleet_secret_size,
                                  .handler = {p, on_up, on_received, on_drained, on_ended}};
    const fleet_pairs handler = {p, on_acted};
    const status opened = peers_open(s->loop, &options, &p->peers, err);
    if (opened != STATUS_OK) {
        free(p);
        return opened;
    }
    p->server = s;
    p->handles = 3;
    int result = uv_async_init(s->loop, &p->wake, on_feeds);
    ASSERT(result == 0);
    (void)uv_timer_init(s->loop, &p->pulse);
    p->wake.data = p->pulse.data = p;
    (void)uv_timer_start(&p->pulse, on_pulse, PAIRS_PULSE_MS, PAIRS_PULSE_MS);
    fleet_on_pairs(o->fleet, &handler);
    fleet_set_peer(o->fleet, peers_address(p->peers));
    log_info("other servers reach this one at %s", peers_address(p->peers));
    s->pairs = p;
    return STATUS_OK;
}

void pairs_check_closed(pairs *p)
{
    if (!p->closing || p->handles > 0 || followers_busy(p) > 0) {
        return;
    }
    void (*closed)(void *context) = p->closed;
    void *context = p->context;
    followers_close(p);
    array_free(&p->list);
    array_free(&p->remotes);
    array_free(&p->followers);
    array_free(&p->sources);
    p->server->pairs = NULL;
    free(p);
    closed(context);
}

static void let_go(pairs *p)
{
    ASSERT(p->handles > 0);
    p->handles--;
    pairs_check_closed(p);
}

static void on_handle_closed(uv_handle_t *handle)
{
    let_go(handle->data);
}

static void on_peers_closed(void *context)
{
    let_go(context);
}

void pairs_close(server *s, void (*closed)(void *context), void *context)
{
    pairs *p = s->pairs;
    const fleet_pairs nobody = {0};
    p->closing = true;
    p->closed = closed;
    p->context = context;
    fleet_on_pairs(s->options->fleet, &nobody);
    while (p->list.count > 0) {
        remove_pair(p, p->list.data[0]);
    }
    for (uint32_t i = 0; i < p->remotes.count; i++) {
        free(p->remotes.data[i]);
    }
    array_clear(&p->remotes);
    peers_close(p->peers, on_peers_closed, p);
    uv_close((uv_handle_t *)&p->wake, on_handle_closed);
    uv_close((uv_handle_t *)&p->pulse, on_handle_closed);
}
