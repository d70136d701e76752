// The worlds that this server serves, claims or follows: each has a state machine (ownership.h),
// whose writes are transactions of the store. Loop thread only.
#include "server/fleet/fleet_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"

enum {
    CLAIM_TRIES = 8, // attempts to claim a name that changes hands meanwhile
    WRITES_EACH = 1 << 20
};

// The place of the world in `owned`; its count: it is not there.
static uint32_t find(const fleet *f, const char *name)
{
    uint32_t i = 0;
    while (i < f->owned.count && strcmp(f->owned.data[i]->name, name) != 0) {
        i++;
    }
    return i;
}

owned_world *fleet_owned_find(const fleet *f, const char *name)
{
    const uint32_t at = find(f, name);
    return at < f->owned.count ? f->owned.data[at] : NULL;
}

void fleet_owned_drop(fleet *f, owned_world *w)
{
    const uint32_t at = find(f, w->name);
    ASSERT(at < f->owned.count);
    array_swap_remove(&f->owned, at);
    free(w);
}

static void world_key(const fleet *f, const char *name, char out[RECORD_KEY_MAX])
{
    snprintf(out, RECORD_KEY_MAX, "%s%s", f->worlds_at, name);
}

static world_write *begin_write(fleet *f, const char *name, uint64_t write)
{
    world_write *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL);
    *w = (world_write){.of = f, .next = f->writes, .write = write};
    snprintf(w->name, sizeof w->name, "%s", name);
    if (f->writes != NULL) {
        f->writes->previous = w;
    }
    f->writes = w;
    return w;
}

static void end_write(world_write *w)
{
    *(w->previous != NULL ? &w->previous->next : &w->of->writes) = w->next;
    if (w->next != NULL) {
        w->next->previous = w->previous;
    }
    free(w);
}

static void on_removed(void *context, const store_answer *answer)
{
    world_write *r = context;
    fleet *f = r->of;
    ASSERT(f->removals > 0);
    f->removals--;
    if (answer->status == STATUS_OK) {
        end_write(r);
        return;
    }
    snprintf(f->why, sizeof f->why, "%s", answer->text);
    r->waits = true;
}

static void send_removal(world_write *r)
{
    fleet *f = r->of;
    char key[RECORD_KEY_MAX];
    error err;
    world_key(f, r->name, key);
    const store_op op = {.key = key, .modified = r->revision};
    r->waits = store_transact(f->store, &op, 1, on_removed, r, &err) != STATUS_OK;
    f->removals += r->waits ? 0 : 1;
}

// A record that stayed would send clients to a server that does not serve the world.
void fleet_write_removal(fleet *f, const char *name, int64_t revision)
{
    world_write *r = begin_write(f, name, 0);
    r->revision = revision;
    send_removal(r);
}

static void on_world_written(void *context, const store_answer *answer);

static void transact(fleet *f, owned_world *w)
{
    char key[RECORD_KEY_MAX];
    char text[RECORD_SIZE_MAX];
    error err;
    world_write *sent = begin_write(f, w->name, w->machine.write);
    world_key(f, w->name, key);
    const store_op op = {.key = key,
                         .modified = w->machine.wanted_at,
                         .value = text,
                         .value_size = world_record_write(&w->machine.wanted, text)};
    w->stalled = store_transact(f->store, &op, 1, on_world_written, sent, &err) != STATUS_OK;
    if (w->stalled) {
        end_write(sent); // the pulse tries again
    }
}

// Rule 5.
static void lose_world(fleet *f, owned_world *w, const world_record *winner)
{
    const world_record record = winner != NULL ? *winner : (world_record){0};
    char name[RECORD_NAME_MAX + 1];
    memcpy(name, w->name, sizeof name);
    log_warn("fleet: world '%s' of this server is %s%s now", name,
             winner != NULL ? "server " : "nobody's", winner != NULL ? record.primary : "");
    if (winner != NULL) {
        fleet_view_set_world(f, name, winner, w->winner_revision);
    }
    fleet_owned_drop(f, w);
    f->options.handler.lost_world(f->options.handler.context, name,
                                  winner != NULL ? &record : NULL);
}

void fleet_owned_answer_claim(owned_world *w, const error *err, const world_record *winner)
{
    const fleet_claimed done = w->done;
    void *context = w->context;
    w->done = NULL;
    if (done != NULL) {
        done(context, err, winner);
    }
}

void fleet_owned_begin_claim(fleet *f, owned_world *w, const world_record *r, int64_t revision)
{
    ownership_actions actions;
    const ownership_event e = {
        .kind = r != NULL ? EVENT_CLAIM : EVENT_CREATE, .record = r, .revision = revision};
    w->tries++;
    ownership_handle(&w->machine, &e, &actions);
    ASSERT(actions.count == 1 && actions.list[0].kind == ACTION_WRITE);
    transact(f, w);
}

static void call_pairs(const fleet *f, const char *world, const ownership_action *action,
                       const ownership *o)
{
    if (f->pairs.acted != NULL) {
        f->pairs.acted(f->pairs.context, world, action, o);
    }
}

void fleet_owned_unfollow(fleet *f, owned_world *w)
{
    static const ownership_action DROP = {.kind = ACTION_DROP};
    char name[RECORD_NAME_MAX + 1];
    memcpy(name, w->name, sizeof name);
    fleet_owned_drop(f, w);
    call_pairs(f, name, &DROP, NULL);
}

// Handles the loss of the name: claims it again if no other server has it, or only this server's
// last process.
static void dropped(fleet *f, owned_world *w)
{
    const world_record *winner = w->machine.has_winner ? &w->machine.winner : NULL;
    if (w->follows) {
        fleet_owned_unfollow(f, w);
        return;
    }
    if (w->done == NULL && !w->unwanted) {
        lose_world(f, w, winner);
        return;
    }
    if (w->done != NULL && w->tries < CLAIM_TRIES &&
        (winner == NULL || strcmp(winner->primary, f->options.node) == 0)) {
        const world_record record = winner != NULL ? *winner : (world_record){0};
        fleet_owned_begin_claim(f, w, winner != NULL ? &record : NULL, w->winner_revision);
        return;
    }
    error err;
    (void)error_set(&err, STATUS_ALREADY_EXISTS, "world '%s' exists: %s serves it", w->name,
                    winner != NULL ? winner->address : "nobody");
    const world_record record = winner != NULL ? *winner : (world_record){0};
    const fleet_claimed done = w->done;
    void *context = w->context;
    fleet_owned_drop(f, w);
    if (done != NULL) {
        done(context, &err, winner != NULL ? &record : NULL);
    }
}

// The world ended before its claim was answered: who claimed it makes it and ends it, in order. Or
// before its standby was named: its name may be claimed for another.
static void take_back(fleet *f, owned_world *w)
{
    const owned_world ended = *w;
    fleet_write_removal(f, w->name, w->machine.revision);
    fleet_owned_drop(f, w);
    if (ended.again && ended.done != NULL) {
        fleet_claim(f, ended.name, ended.machine.self.hz, ended.done, ended.context);
    } else if (ended.done != NULL) {
        ended.done(ended.context, NULL, NULL);
    }
}

static void carry_out(fleet *f, owned_world *w, const ownership_actions *actions)
{
    for (uint32_t i = 0; i < actions->count; i++) {
        switch (actions->list[i].kind) {
        case ACTION_WRITE:
            transact(f, w);
            break;
        case ACTION_SERVE:
            log_info("fleet: world '%s' is served here, term %" PRId64, w->name,
                     w->machine.record.term);
            if (w->unwanted) {
                take_back(f, w);
                return;
            }
            if (w->done == NULL) {
                w->follows = false;
                call_pairs(f, w->name, &actions->list[i], &w->machine);
            }
            fleet_owned_answer_claim(w, NULL, NULL);
            return;
        case ACTION_DROP:
            dropped(f, w);
            return;
        case ACTION_NAME:
            if (w->unwanted) {
                take_back(f, w);
                return;
            }
            call_pairs(f, w->name, &actions->list[i], &w->machine);
            break;
        case ACTION_ACKNOWLEDGE:
        case ACTION_YIELD:
            call_pairs(f, w->name, &actions->list[i], &w->machine);
            break;
        }
    }
}

void fleet_owned_handle(fleet *f, owned_world *w, const ownership_event *event)
{
    ownership_actions actions;
    ownership_handle(&w->machine, event, &actions);
    carry_out(f, w, &actions);
}

// The key's record cannot be read, so another server may serve the world.
static void refuse_unreadable(fleet *f, owned_world *w, const error *why)
{
    error err;
    (void)error_set(&err, STATUS_ALREADY_EXISTS,
                    "world '%s' has a record that this server cannot read (%s): a newer server or "
                    "another program wrote '%s/world/%s' in etcd",
                    w->name, why->text, f->options.prefix, w->name);
    const fleet_claimed done = w->done;
    void *context = w->context;
    if (done == NULL && !w->unwanted) {
        log_error("fleet: %s", err.text);
        lose_world(f, w, NULL);
        return;
    }
    fleet_owned_drop(f, w);
    if (done != NULL) {
        done(context, &err, NULL);
    }
}

static void on_world_written(void *context, const store_answer *answer)
{
    const world_write sent = *(world_write *)context;
    end_write(context);
    fleet *f = sent.of;
    owned_world *w = fleet_owned_find(f, sent.name);
    world_record winner;
    error err;
    if (w == NULL || f->state == MEMBER_LEAVING || w->machine.write != sent.write) {
        return;
    }
    ownership_event e = {.kind = EVENT_UNANSWERED, .write = sent.write};
    if (answer->status != STATUS_OK) {
        snprintf(f->why, sizeof f->why, "%s", answer->text);
    } else if (answer->written) {
        e.kind = EVENT_WRITTEN;
        e.revision = answer->revision;
    } else {
        const store_entry *found = &answer->entries->data[0];
        e.kind = EVENT_REFUSED;
        e.revision = w->winner_revision = found->modified;
        if (found->value != NULL &&
            world_record_read(found->value, found->value_size, &winner, &err) != STATUS_OK) {
            refuse_unreadable(f, w, &err);
            return;
        }
        e.record = found->value != NULL ? &winner : NULL;
    }
    fleet_owned_handle(f, w, &e);
}

// The watch reports a record: another process's of a world that is served here?
void fleet_owned_see(fleet *f, const char *world, const world_record *r, int64_t revision)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w == NULL || f->state == MEMBER_LEAVING) {
        return;
    }
    w->winner_revision = revision;
    const ownership_event e = {.kind = EVENT_RECORD, .record = r, .revision = revision};
    fleet_owned_handle(f, w, &e);
}

uint64_t fleet_draw(fleet *f)
{
    f->chance = f->chance != 0 ? f->chance : f->options.run | 1;
    f->chance ^= f->chance << 13;
    f->chance ^= f->chance >> 7;
    f->chance ^= f->chance << 17;
    return f->chance;
}

owned_world *fleet_owned_add(fleet *f, const char *world, double hz)
{
    world_record self = {.engine = f->options.engine, .hz = hz};
    snprintf(self.primary, sizeof self.primary, "%s", f->options.node);
    snprintf(self.address, sizeof self.address, "%s", f->options.address);
    snprintf(self.http, sizeof self.http, "%s", f->options.http);
    // A number of its own: the record of a claim that was given up, whose removal may be under way,
    // must not pass for the record of this claim.
    snprintf(self.run, sizeof self.run, "%016" PRIx64, fleet_draw(f));
    owned_world *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL);
    snprintf(w->name, sizeof w->name, "%s", world);
    ownership_init(&w->machine, &self);
    w->machine.write = f->next_write += WRITES_EACH;
    array_push(&f->owned, w);
    return w;
}

void fleet_writes_pulse(fleet *f)
{
    for (uint32_t i = 0; i < f->owned.count; i++) {
        if (f->owned.data[i]->stalled) {
            transact(f, f->owned.data[i]);
        }
    }
    for (world_write *r = f->writes; r != NULL; r = r->next) {
        if (r->waits) {
            send_removal(r);
        }
    }
}

void fleet_writes_free(fleet *f)
{
    while (f->writes != NULL) {
        if (f->writes->write == 0) {
            log_warn("fleet: the record of world '%s', which has ended, may stay: %s",
                     f->writes->name, *f->why != '\0' ? f->why : "etcd did not answer in time");
        }
        end_write(f->writes);
    }
}
