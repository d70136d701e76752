// Worlds that leave; see departure.h. Network thread only.
#include "server/session/placement/departure.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "server/base/audit.h"
#include "server/base/metrics.h"
#include "server/session/placement/worlds.h"
#include "server/session/pair/pairs.h"
#include "server/session/service.h"

static error *refusal_for(const world_entry *entry, const world_record *winner)
{
    error *why = calloc(1, sizeof *why);
    ASSERT_MEMORY(why != NULL);
    if (winner != NULL) {
        (void)error_set(why, STATUS_MOVED, "%s world '%s' is served there", winner->address,
                        entry->name);
    } else {
        (void)error_set(why, STATUS_UNAVAILABLE,
                        "world '%s' is no server's: its record in the fleet was removed",
                        entry->name);
    }
    return why;
}

void worlds_depart(server *s, world_entry *entry, const world_record *winner)
{
    ASSERT(!entry->unnamed && entry->left == NULL);
    audit_event("world '%s' leaves for %s", entry->name,
                winner != NULL ? winner->address : "no server");
    metrics_add(METRIC_fleet_worlds_lost, 1);
    entry->left = calloc(1, sizeof *entry->left);
    ASSERT_MEMORY(entry->left != NULL);
    entry->left->winner = winner != NULL ? *winner : (world_record){0};
    directory_unname(&s->worlds, entry);
    entry->waiting++; // until REPLY_LEFT
    pairs_lose(s, entry->number, winner);
    burials_add(s, entry, NULL);
    if (entry->broken != NULL) { // no thread has it
        if (entry->stored != NULL) {
            storage_release(entry->stored);
            entry->stored = NULL;
        }
        entry->waiting--;
        directory_release(&s->worlds, entry);
        return;
    }
    request *r = request_create(REQUEST_LEAVE, entry->number);
    r->refusal = refusal_for(entry, winner);
    worlds_deliver(entry, r);
}

void worlds_departure_error(const session *of, const char *world, const char *text, error *err)
{
    const status s = worlds_absent(of->server, of, world, err);
    if (s != STATUS_MOVED && s != STATUS_UNAVAILABLE) {
        (void)error_set(err, STATUS_MOVED, "%s", text);
    }
}

static bool has_seat(const world_entry *entry, const session *of)
{
    for (uint32_t i = 0; i < entry->seating.taken.count; i++) {
        if (entry->seating.taken.data[i].session.number == of->key.number) {
            return true;
        }
    }
    return false;
}

static bool has_subscription(const world_entry *entry, const session *of)
{
    for (uint32_t i = 0; i < of->subscriptions.count; i++) {
        if (of->subscriptions.data[i].world == entry->number) {
            return true;
        }
    }
    return false;
}

static bool has_bodies(const world_entry *entry, const session *of)
{
    for (uint32_t i = 0; i < of->body_worlds.count; i++) {
        if (of->body_worlds.data[i] == entry->number) {
            return true;
        }
    }
    return false;
}

static void tell(const world_entry *entry, session *one, uint64_t tick)
{
    const world_record *to = &entry->left->winner;
    buffer *out = &one->server->scratch;
    buffer_clear(out);
    encode_moved(out, &(moved_notification){entry->name, to->address, to->http, to->term, tick});
    session_send_scratch(one);
}

void worlds_departed(server *s, const reply *r)
{
    world_entry *entry = directory_find_number(&s->worlds, r->world);
    ASSERT(entry != NULL && entry->left != NULL && entry->waiting > 0);
    for (uint32_t i = 0; entry->left->winner.term > 0 && i < s->sessions.count; i++) {
        session *one = s->sessions.data[i];
        if (one != NULL && one->connection != NULL && !session_closes(one) &&
            (has_subscription(entry, one) || has_seat(entry, one) || has_bodies(entry, one))) {
            tell(entry, one, r->end.tick);
        }
    }
    if (entry->broken != NULL && entry->stored != NULL) { // it could not be restored meanwhile
        storage_release(entry->stored);
        entry->stored = NULL;
    }
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

void server_lose_world(server *s, const char *world, const world_record *winner)
{
    world_entry *entry = directory_find(&s->worlds, world);
    if (entry != NULL && s->stage != SERVER_DRAINING) {
        worlds_depart(s, entry, winner);
    }
}
