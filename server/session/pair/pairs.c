// The primary's side; see pairs.h.
#include "server/session/pair/pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "common/base/utf8.h"
#include "server/session/pair/internal.h"
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

struct fleet *pairs_fleet(const pairs *p)
{
    return p->server->options->fleet;
}

pair *pairs_find_name(const pairs *p, const char *name)
{
    for (uint32_t i = 0; i < p->list.count; i++) {
        if (strcmp(p->list.data[i]->name, name) == 0 && !p->list.data[i]->released) {
            return p->list.data[i];
        }
    }
    return NULL;
}

static void remove_pair(pairs *p, pair *one)
{
    array_swap_remove_value(&p->list, one);
    world_feed_detach(one->feed);
    pair_queue_clear(one);
    array_free(&one->waiting);
    world_feed_unref(one->feed);
    free(one);
}

// ---- ticks that may be shown

static bool is_alone(const ownership *o)
{
    return o != NULL && o->state == OWNERSHIP_ALONE;
}

static void allow(const pairs *p, pair *one)
{
    const ownership *o = fleet_ownership(pairs_fleet(p), one->name);
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

uint32_t pairs_followed(const server *s)
{
    return s->pairs != NULL ? followers_count(s->pairs) : 0;
}

static void note_acknowledged(pairs *p, pair *one, uint64_t sequence, uint64_t term)
{
    struct fleet *f = pairs_fleet(p);
    pair_lag_forget(one, sequence);
    one->told_ms = 0;
    one->acknowledged = sequence > one->acknowledged ? sequence : one->acknowledged;
    ASSERT(one->acknowledged <= one->passed); // else clients are shown what only this server has
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
        if (!one->told && !pair_lag_close(p, one)) {
            return;
        }
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

// Handles that the standby or candidate is missed, or refuses: `why`.
static void miss(pairs *p, pair *one, const char *why)
{
    const ownership_event e = {.kind = EVENT_STANDBY_MISSED};
    if (one->to != NULL) {
        snprintf(one->but, sizeof one->but, "%s", peer_link_node(one->to->link));
    }
    one->to = NULL;
    one->offered = one->told = false;
    one->acknowledged = one->probe = 0;
    one->next_ms = uv_now(p->server->loop) + (one->refused ? PAIRS_RETRY_MS : PAIRS_PULSE_MS);
    one->refused = false;
    world_feed_detach(one->feed);
    pair_queue_clear(one);
    if (one->released) {
        world_feed_allow(one->feed, UINT64_MAX);
        remove_pair(p, one);
        return;
    }
    const uint64_t number = one->number;
    fleet_report(pairs_fleet(p), one->name, &e);
    if (pairs_find(p, number) == one) { // else it is lost
        moves_missed(p, one, why);
    }
}

static void take_refusal(pairs *p, pair *one, const peer_link *from, const char *text, size_t size)
{
    char why[ERROR_TEXT_MAX];
    const uint64_t now = uv_now(p->server->loop);
    utf8_plain(why, sizeof why, text, size);
    if (one->told_ms == 0 || now - one->told_ms >= PAIRS_TELL_MS) {
        one->told_ms = now;
        log_error("world '%s': server '%s' cannot be its standby: %s", one->name,
                  peer_link_node(from), why);
    }
    one->refused = true;
    miss(p, one, why);
}

void pairs_miss(pairs *p, pair *one)
{
    miss(p, one, NULL);
}

// ---- sending

static void lose_remote(pairs *p, remote *r, const char *why);

void pairs_drop_slow(pairs *p, remote *r)
{
    static const char WHY[] = "it reads its messages too slowly";
    peer_close(r->link, WHY);
    lose_remote(p, r, WHY);
}

static void pump_or_fail(pairs *p, pair *one)
{
    if (one->to != NULL && one->to->up && !pair_queue_send(p, one)) {
        pairs_drop_slow(p, one->to);
    }
}

// Clients wait for the standby no longer.
static void give_up(pairs *p, pair *one)
{
    log_warn("world '%s': its standby '%s' is too slow, and is given up", one->name,
             one->to != NULL ? peer_link_node(one->to->link) : "");
    one->again_ms = uv_now(p->server->loop) + PAIRS_AGAIN_MS;
    miss(p, one, NULL);
}

static void on_feeds(uv_async_t *wake)
{
    pairs *p = wake->data;
    for (uint32_t i = p->list.count; i > 0 && !p->closing; i--) {
        if (i > p->list.count) {
            continue;
        }
        pair *one = p->list.data[i - 1];
        if (!pair_queue_collect(p, one)) {
            give_up(p, one);
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

// Drops a remote whose link has ended.
static void lose_remote(pairs *p, remote *r, const char *why)
{
    array_swap_remove_value(&p->remotes, r);
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
    shipping_go_on(p);
}

void pairs_offer(const pairs *p, const remote *r)
{
    ASSERT(r->up && r->has_sessions);
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
    const bool acknowledges = kind == PAIR_ACKNOWLEDGE && size == PAIR_ACKNOWLEDGE_BYTES;
    if (acknowledges && get64(bytes + 8) > one->passed) {
        if (!one->doubted) {
            one->doubted = true;
            log_error("world '%s': server '%s' acknowledges record %" PRIu64
                      ", but was sent none beyond %" PRIu64 ": this is ignored",
                      one->name, peer_link_node(link), get64(bytes + 8), one->passed);
        }
    } else if (acknowledges) {
        note_acknowledged(p, one, get64(bytes + 8), get64(bytes + 16));
    } else if (kind == PAIR_RENEW && size == PAIR_RENEW_BYTES) {
        world_feed_renew(one->feed);
    } else if (kind == PAIR_REFUSE) {
        take_refusal(p, one, link, (const char *)bytes + 8, size - 8);
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
    shipping_go_on(p);
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
    pair *one = pairs_find_name(p, world);
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

// ---- search for standbys

static void look(pairs *p, pair *one, uint64_t now_ms)
{
    char node[RECORD_NAME_MAX + 1];
    char address[RECORD_ADDRESS_MAX + 1];
    struct fleet *f = pairs_fleet(p);
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
    } else if (now_ms < one->again_ms && strcmp(node, one->but) == 0) {
        return;
    }
    one->to = dial(p, node, address);
    if (one->to != NULL && one->to->has_sessions) {
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
        if (pair_lag_late(p, one)) {
            give_up(p, one);
            continue;
        }
        look(p, one, now_ms);
        moves_pulse(p, one, now_ms); // the pair may be gone then
    }
}

// ---- calls of the server

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

status pairs_open(server *s, error *err)
{
    const server_options *o = s->options;
    pairs *p = calloc(1, sizeof *p);
    ASSERT_MEMORY(p != NULL);
    const peer_handler links = {p, on_up, on_received, on_drained, on_ended};
    const fleet_pairs handler = {p, on_acted};
    const status opened = peers_begin(o->peers, &links, err);
    if (opened != STATUS_OK) {
        peers_close(o->peers, NULL, NULL);
        free(p);
        return opened;
    }
    p->peers = o->peers;
    p->server = s;
    p->handles = 3;
    int result = uv_async_init(s->loop, &p->wake, on_feeds);
    ASSERT(result == 0);
    (void)uv_timer_init(s->loop, &p->pulse);
    p->wake.data = p->pulse.data = p;
    (void)uv_timer_start(&p->pulse, on_pulse, PAIRS_PULSE_MS, PAIRS_PULSE_MS);
    fleet_on_pairs(o->fleet, &handler);
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
    work_remove(s, &p->shipping);
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
