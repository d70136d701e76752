// Worlds on their way to another server; see pairs.h. The stages follow each other by events: the
// standby's name in the record, REPLY_HALTED, an acknowledgement, the next record. Until the
// standby is asked to take over, a move can be taken back; from then on the fleet's record decides.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/pair/internal.h"
#include "server/session/placement/worlds.h"
#include "server/session/service.h"

enum { LEAVE_PAUSE_MS = 500 }; // until a world whose log cannot be written tries again to leave

static struct fleet *fleet_of(const pairs *p)
{
    return p->server->options->fleet;
}

static void tell_world(const pairs *p, const pair *one, request_kind kind, world_feed *feed)
{
    world_entry *entry = directory_find_number(&p->server->worlds, one->number);
    if (entry == NULL || entry->broken != NULL) {
        world_feed_unref(feed);
        return;
    }
    request *r = request_create(kind, one->number);
    r->subscription = one->move.number;
    r->feed = feed;
    worlds_deliver(entry, r);
}

static bool stands(const pair *one)
{
    return one->move.stage == MOVE_HALTING || one->move.stage == MOVE_SETTLING ||
           one->move.stage == MOVE_YIELDING;
}

void moves_end(pairs *p, pair *one, const error *err, int64_t term)
{
    const move ended = one->move;
    (void)p;
    if (ended.stage == MOVE_NONE) {
        return;
    }
    one->move = (move){.stage = MOVE_NONE};
    if (err != NULL) {
        log_warn("world '%s' is not moved to server '%s': %s", one->name, ended.node, err->text);
    }
    ended.done(ended.context, err, ended.node, term);
}

// Ends a move that failed: the world stays here.
static void fail(pairs *p, pair *one, const error *err)
{
    const uint64_t number = one->number;
    if (stands(one)) {
        tell_world(p, one, REQUEST_GO_ON, NULL);
    }
    moves_end(p, one, err, 0);
    if (pairs_find(p, number) == one && !one->replicated && one->to != NULL) {
        pairs_miss(p, one);
    }
}

static void begin_halt(pairs *p, pair *one)
{
    ASSERT(one->move.stage == MOVE_PAIRING);
    one->move.stage = MOVE_HALTING;
    one->move.number = ++p->next_move;
    one->move.halted_ms = uv_now(p->server->loop);
    tell_world(p, one, REQUEST_HALT, NULL);
}

void moves_named(pairs *p, pair *one)
{
    if (one->move.stage == MOVE_PAIRING && one->to != NULL &&
        strcmp(peer_link_node(one->to->link), one->move.node) == 0) {
        begin_halt(p, one);
    }
}

void moves_acknowledged(pairs *p, pair *one)
{
    const ownership_event e = {.kind = EVENT_YIELD};
    const ownership *o = fleet_ownership(fleet_of(p), one->name);
    if (one->move.stage == MOVE_SETTLING && one->acknowledged >= one->move.end && o != NULL &&
        o->state == OWNERSHIP_PAIRED) {
        one->move.stage = MOVE_YIELDING;
        fleet_report(fleet_of(p), one->name, &e);
    }
}

void pairs_halted(server *s, const reply *r)
{
    pair *one = s->pairs != NULL ? pairs_find(s->pairs, r->world) : NULL;
    if (one == NULL || one->move.stage != MOVE_HALTING || one->move.number != r->subscription) {
        return; // it was taken back
    }
    one->move.stage = MOVE_SETTLING;
    one->move.end = r->end.sequence;
    log_info("fleet: world '%s' is paused at tick %" PRIu64 " for server '%s'", one->name,
             r->end.tick, one->move.node);
    moves_acknowledged(s->pairs, one);
}

void moves_yield(pairs *p, pair *one, const ownership *o)
{
    uint8_t head[PAIR_YIELD_BYTES];
    (void)p;
    put64(head, one->number);
    put64(head + 8, (uint64_t)o->record.term);
    if (one->to != NULL) { // a link that fails reports that itself
        (void)peer_send(one->to->link, PAIR_YIELD, head, sizeof head, NULL, 0);
    }
}

void moves_missed(pairs *p, pair *one, const char *why)
{
    error err;
    switch (one->move.stage) {
    case MOVE_NONE:
        return;
    case MOVE_PAIRING:
        if (why != NULL) {
            (void)error_set(&err, STATUS_UNAVAILABLE, "server '%s' cannot take world '%s': %s",
                            one->move.node, one->name, why);
            fail(p, one, &err);
        } // else it was another one
        return;
    case MOVE_HALTING:
    case MOVE_SETTLING:
        (void)error_set(&err, STATUS_UNAVAILABLE, "server '%s' was lost before it had world '%s'",
                        one->move.node, one->name);
        fail(p, one, &err);
        return;
    case MOVE_YIELDING: // it may have taken over
        tell_world(p, one, REQUEST_GO_ON, NULL);
        return;
    }
}

void moves_served(pairs *p, pair *one)
{
    error err;
    if (one->move.stage == MOVE_YIELDING) {
        (void)error_set(&err, STATUS_UNAVAILABLE,
                        "server '%s' did not take world '%s', which goes on here", one->move.node,
                        one->name);
        fail(p, one, &err);
    }
}

void moves_lost(pairs *p, pair *one, const world_record *winner)
{
    error err;
    if (winner != NULL && strcmp(winner->primary, one->move.node) == 0) {
        log_info("fleet: world '%s' has moved to server '%s', term %" PRId64, one->name,
                 winner->primary, winner->term);
        moves_end(p, one, NULL, winner->term);
        return;
    }
    (void)error_set(&err, STATUS_UNAVAILABLE, "world '%s' is %s%s now", one->name,
                    winner != NULL ? "server " : "nobody's", winner != NULL ? winner->primary : "");
    moves_end(p, one, &err, 0);
}

// Names the step at which the move came to the end of its time.
static void set_overdue(const pair *one, error *err)
{
    switch (one->move.stage) {
    case MOVE_PAIRING:
        (void)error_set(err, STATUS_UNAVAILABLE,
                        "server '%s' could not get the state of world '%s' in time", one->move.node,
                        one->name);
        return;
    case MOVE_HALTING:
        (void)error_set(err, STATUS_UNAVAILABLE,
                        "world '%s' did not come to a stop within %d ms: a world.step, or its log",
                        one->name, PAIRS_HALT_MS);
        return;
    case MOVE_NONE:
    case MOVE_SETTLING:
    case MOVE_YIELDING:
        (void)error_set(err, STATUS_UNAVAILABLE,
                        "server '%s' did not take world '%s' over within %d ms", one->move.node,
                        one->name, PAIRS_HALT_MS);
        return;
    }
}

// ---- a world whose log cannot be written

static void on_left(void *context, const error *err, const char *node, int64_t term)
{
    (void)context, (void)err, (void)node, (void)term; // logged already; a failure is tried again
}

static void leave(const pairs *p, pair *one, uint64_t now_ms)
{
    error err;
    const world_entry *entry = directory_find_number(&p->server->worlds, one->number);
    one->leave_ms = now_ms + LEAVE_PAUSE_MS;
    if (entry != NULL && !entry->unnamed && entry->left == NULL) {
        (void)pairs_move(p->server, entry, peer_link_node(one->to->link), PAIRS_MOVE_MS, on_left,
                         NULL, &err);
    }
}

void pairs_note_log(server *s, const reply *r)
{
    pair *one = s->pairs != NULL ? pairs_find(s->pairs, r->world) : NULL;
    if (one == NULL) {
        return; // it has left already
    }
    one->leaving = r->kind == REPLY_LEAVING;
    if (one->leaving) {
        log_warn("world '%s' is to go to its standby, as its log cannot be written here: %s",
                 one->name, r->text);
        one->leave_ms = 0;
        moves_pulse(s->pairs, one, uv_now(s->loop));
    }
}

void moves_pulse(pairs *p, pair *one, uint64_t now_ms)
{
    error err;
    if (one->leaving && one->move.stage == MOVE_NONE && one->to != NULL &&
        now_ms >= one->leave_ms) {
        leave(p, one, now_ms);
        return;
    }
    const bool overdue = now_ms >= one->move.deadline_ms;
    const bool stood = stands(one) && now_ms - one->move.halted_ms >= PAIRS_HALT_MS;
    if (one->move.stage == MOVE_NONE || (!overdue && !stood)) {
        return;
    }
    if (one->move.stage == MOVE_YIELDING && one->to != NULL) {
        pairs_miss(p, one); // from now on the record decides
        return;
    }
    if (one->move.stage != MOVE_YIELDING || overdue) {
        set_overdue(one, &err);
        fail(p, one, &err);
    }
}

bool pairs_is_moving(const server *s, const world_entry *entry)
{
    const pair *one = s->pairs != NULL ? pairs_find(s->pairs, entry->number) : NULL;
    return one != NULL && one->move.stage != MOVE_NONE;
}

void pairs_end_moves(server *s, const char *why)
{
    error err;
    (void)error_set(&err, STATUS_UNAVAILABLE, "%s", why);
    for (uint32_t i = s->pairs != NULL ? s->pairs->list.count : 0; i > 0; i--) {
        if (i <= s->pairs->list.count) {
            moves_end(s->pairs, s->pairs->list.data[i - 1], &err, 0);
        }
    }
}

// ---- the beginning

static status check(const server *s, const world_entry *entry, const pair *one, error *err)
{
    if (s->pairs == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' cannot be moved: this server reaches no other one (caromd "
                         "--fleet, --fleet-listen and --fleet-secret)",
                         entry->name);
    }
    if (entry->broken != NULL || entry->thread == NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s' is not served at the moment",
                         entry->name);
    }
    if (!entry->logged) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' cannot be moved: it keeps no log (durability 'none')",
                         entry->name);
    }
    if (one != NULL && one->move.stage != MOVE_NONE) {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s' is moving to server '%s' already",
                         entry->name, one->move.node);
    }
    if (*fleet_store_error(s->options->fleet) != '\0') {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' cannot be moved while etcd does not answer: %s", entry->name,
                         fleet_store_error(s->options->fleet));
    }
    if (fleet_own(s->options->fleet, entry->name) == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' cannot be moved: its record is being written", entry->name);
    }
    return STATUS_OK;
}

// `but`: the server that failed last; "": none.
static status choose(struct fleet *f, const char *world, const char *node, const char *but,
                     move *out, error *err)
{
    const world_record *r = fleet_own(f, world);
    if (node != NULL) {
        snprintf(out->node, sizeof out->node, "%s", node);
        return fleet_check_target(f, node, out->peer, err);
    }
    if (*r->standby != '\0' && fleet_check_target(f, r->standby, out->peer, err) == STATUS_OK) {
        memcpy(out->node, r->standby, sizeof out->node);
        return STATUS_OK;
    }
    return fleet_choose_standby(f, *but != '\0' ? but : NULL, out->node, out->peer)
               ? STATUS_OK
               : error_set(err, STATUS_UNAVAILABLE,
                           "to: no other server of the fleet can take world '%s': it must have "
                           "--fleet-listen, this server's engine and another host, and not be "
                           "shutting down",
                           world);
}

// A world without a standby gets a feed for the time of the move.
static pair *begin_pair(server *s, const world_entry *entry)
{
    world_feed *feed = pairs_begin(s, entry->name, entry->number, true);
    pair *one = pairs_find(s->pairs, entry->number);
    ASSERT(one != NULL);
    one->replicated = false;
    one->durability = entry->durability;
    tell_world(s->pairs, one, REQUEST_REPLICATE, feed);
    return one;
}

status pairs_move(server *s, const world_entry *entry, const char *node, uint64_t bound_ms,
                  pairs_moved done, void *context, error *err)
{
    struct fleet *f = s->options->fleet;
    pairs *p = s->pairs;
    pair *one = p != NULL ? pairs_find(p, entry->number) : NULL;
    move m = {.stage = MOVE_PAIRING, .done = done, .context = context};
    status result = check(s, entry, one, err);
    if (result == STATUS_OK) {
        result = choose(f, entry->name, node, one != NULL ? one->but : "", &m, err);
    }
    if (result != STATUS_OK) {
        return result;
    }
    m.deadline_ms = uv_now(s->loop) + bound_ms;
    if (one == NULL) {
        one = begin_pair(s, entry);
    }
    one->move = m;
    const ownership *o = fleet_ownership(f, entry->name);
    const bool meets = one->to != NULL && strcmp(peer_link_node(one->to->link), m.node) == 0;
    if (meets && o->state == OWNERSHIP_PAIRED) {
        begin_halt(p, one);
    } else if (one->to != NULL && !meets) {
        pairs_miss(p, one);
    }
    one->next_ms = 0;
    return STATUS_OK;
}
