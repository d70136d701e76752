// A member of a fleet; see fleet.h. The watch's reports keep the view; a pulse drives joining,
// the record once a second, and the bounds of claims.
#include "server/fleet/fleet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/fleet/ownership.h"

enum {
    PULSE_MS = 100,
    TRY_AGAIN_MS = 500, // between two tries to join
    CLAIM_TRIES = 8,    // of a name that changes hands meanwhile
    WRITES_EACH = 1 << 20
};

typedef enum member_state {
    MEMBER_NEW,     // waits for the view
    MEMBER_LEASING, // asks for a lease
    MEMBER_WRITING, // asks for its name
    MEMBER_WAITING, // tries again at next_ms
    MEMBER_THERE,   // its record is written
    MEMBER_LEAVING, // fleet_close
    MEMBER_STATE_COUNT
} member_state;

typedef struct known_world {
    char name[RECORD_NAME_MAX + 1];
    world_record record;
    int64_t revision;
} known_world;

typedef struct known_node {
    char name[RECORD_NAME_MAX + 1];
    node_record record;
} known_node;

typedef struct owned_world {
    char name[RECORD_NAME_MAX + 1];
    ownership machine;
    fleet_claimed done; // NULL: answered
    void *context;
    uint64_t deadline_ms;
    int tries;
    int64_t winner_revision;
    bool kept;
    bool stalled;  // its transaction could not be sent
    bool unwanted; // is to be released as soon as its transaction is answered
    bool follows;  // this server follows another's, or asks to take over from it
} owned_world;

// A transaction under way, about a world. The store drops them unanswered when it closes.
typedef struct world_write {
    fleet *of;
    struct world_write *next, *previous;
    char name[RECORD_NAME_MAX + 1];
    uint64_t write;   // of the claim; 0: a removal
    int64_t revision; // of the record to be removed
    bool waits;       // a removal that was not answered: the pulse sends it again
} world_write;

struct fleet {
    uv_loop_t *loop;
    fleet_options options;
    store *store;
    store_watch *watch;
    uv_timer_t pulse;
    char run[RECORD_RUN_SIZE + 1];
    char worlds_at[RECORD_PREFIX_MAX + 9]; // prefix of worlds' keys
    char nodes_at[RECORD_PREFIX_MAX + 9];
    char node_key[RECORD_KEY_MAX];
    member_state state;
    bool has_view;
    bool told; // `joined` or `failed` was called
    bool draining;
    bool overfull_told;
    bool unanswered; // the store did not take this server's last record: `why`
    uint64_t begun_ms, next_ms, write_ms;
    int64_t lease;
    int64_t node_revision;  // of this server's record
    int64_t other_revision; // of the record that has its name; 0: none was met
    bool writing, keeping;  // a request is under way
    char why[ERROR_TEXT_MAX];
    ARRAY(known_world) worlds; // by name
    ARRAY(known_node) nodes;   // by name
    ARRAY(owned_world *) owned;
    world_write *writes;
    uint64_t next_write;
    uint32_t removals; // of the end, under way
    uint32_t handles;
    void (*closed)(void *context);
    void *context;
    fleet_pairs pairs;
    char peer[RECORD_ADDRESS_MAX + 1];
    uint64_t chance; // xorshift64
};

// ---- the view; a row's first member is its name

// The place of the name, or where it would be.
static uint32_t place_of(const void *rows, uint32_t count, size_t size, const char *name)
{
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp((const char *)rows + middle * size, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const void *rows, uint32_t count, size_t size, uint32_t at, const char *name)
{
    return at < count && strcmp((const char *)rows + at * size, name) == 0;
}

#define PLACE(array, name)     place_of((array)->data, (array)->count, sizeof *(array)->data, name)
#define IS_AT(array, at, name) is_at((array)->data, (array)->count, sizeof *(array)->data, at, name)
#define INSERT(array, at, row)                                                                     \
    do {                                                                                           \
        array_push(array, row);                                                                    \
        memmove(&(array)->data[(at) + 1], &(array)->data[at],                                      \
                ((array)->count - 1 - (at)) * sizeof *(array)->data);                              \
        (array)->data[at] = (row);                                                                 \
    } while (0)
#define REMOVE(array, at)                                                                          \
    do {                                                                                           \
        (array)->count--;                                                                          \
        memmove(&(array)->data[at], &(array)->data[(at) + 1],                                      \
                ((array)->count - (at)) * sizeof *(array)->data);                                  \
    } while (0)

// The name behind the prefix of a key; NULL: the key is none of that kind.
static const char *name_in(const store_entry *e, const char *prefix)
{
    const size_t size = strlen(prefix);
    const bool ours = e->key_size > size && memcmp(e->key, prefix, size) == 0 &&
                      record_name_valid(e->key + size, e->key_size - size);
    return ours ? e->key + size : NULL;
}

static void tell_overfull(fleet *f)
{
    if (!f->overfull_told) {
        f->overfull_told = true;
        log_error("fleet: more than %d worlds or %d servers: this server ignores the others",
                  FLEET_WORLDS_MAX, FLEET_NODES_MAX);
    }
}

static void set_world(fleet *f, const char *name, const world_record *r, int64_t revision)
{
    const uint32_t at = PLACE(&f->worlds, name);
    if (!IS_AT(&f->worlds, at, name)) {
        if (f->worlds.count == FLEET_WORLDS_MAX) {
            tell_overfull(f);
            return;
        }
        known_world row = {.revision = 0};
        snprintf(row.name, sizeof row.name, "%s", name);
        INSERT(&f->worlds, at, row);
    }
    f->worlds.data[at].record = *r;
    f->worlds.data[at].revision = revision;
}

static void set_node(fleet *f, const char *name, const node_record *r)
{
    const uint32_t at = PLACE(&f->nodes, name);
    if (!IS_AT(&f->nodes, at, name)) {
        if (f->nodes.count == FLEET_NODES_MAX) {
            tell_overfull(f);
            return;
        }
        known_node row = {.record = *r};
        snprintf(row.name, sizeof row.name, "%s", name);
        INSERT(&f->nodes, at, row);
        if (f->told && strcmp(name, f->options.node) != 0) {
            log_info("fleet: server '%s' at %s has joined", name, r->address);
        }
    }
    f->nodes.data[at].record = *r;
}

static void forget(fleet *f, const char *world, const char *node)
{
    uint32_t at = world != NULL ? PLACE(&f->worlds, world) : 0;
    if (world != NULL && IS_AT(&f->worlds, at, world)) {
        REMOVE(&f->worlds, at);
    }
    at = node != NULL ? PLACE(&f->nodes, node) : 0;
    if (node != NULL && IS_AT(&f->nodes, at, node)) {
        if (strcmp(node, f->options.node) != 0) {
            log_info("fleet: server '%s' has left", node);
        }
        REMOVE(&f->nodes, at);
    }
}

static void see_own(fleet *f, const char *world, const world_record *r, int64_t revision);

// A record that cannot be read is reported and left alone.
static void take_entry(fleet *f, const store_entry *e)
{
    const char *world = name_in(e, f->worlds_at);
    const char *node = name_in(e, f->nodes_at);
    world_record w;
    node_record n;
    error err;
    status s = STATUS_OK;
    if (world == NULL && node == NULL) {
        log_warn("fleet: '%.*s' is not a key of a fleet", (int)e->key_size, e->key);
    } else if (e->value == NULL) {
        forget(f, world, node);
        if (world != NULL) {
            see_own(f, world, NULL, e->modified);
        }
    } else if (world != NULL) {
        s = world_record_read(e->value, e->value_size, &w, &err);
        if (s == STATUS_OK) {
            set_world(f, world, &w, e->modified);
            see_own(f, world, &w, e->modified);
        }
    } else {
        s = node_record_read(e->value, e->value_size, &n, &err);
        if (s == STATUS_OK) {
            set_node(f, node, &n);
        }
    }
    if (s != STATUS_OK) {
        forget(f, world, node);
        log_warn("fleet: the record '%.*s' is ignored: %s", (int)e->key_size, e->key, err.text);
    }
}

static void on_all(void *context, store_entries *entries, int64_t revision)
{
    fleet *f = context;
    array_clear(&f->worlds);
    array_clear(&f->nodes);
    for (uint32_t i = 0; i < entries->count; i++) { // in order of their keys
        take_entry(f, &entries->data[i]);
    }
    for (uint32_t i = f->owned.count; i > 0; i--) {
        const char *name = f->owned.data[i - 1]->name;
        const uint32_t at = PLACE(&f->worlds, name);
        if (!IS_AT(&f->worlds, at, name)) {
            see_own(f, name, NULL, revision); // removed, unless it was written since
        }
    }
    f->has_view = true;
}

static void on_changed(void *context, const store_entry *e)
{
    take_entry(context, e);
}

static void on_interrupted(void *context, const char *why)
{
    fleet *f = context;
    snprintf(f->why, sizeof f->why, "%s", why);
    if (f->told) {
        log_warn("fleet: changes do not arrive at the moment: %s", why);
    }
}

const world_record *fleet_find(const fleet *f, const char *world)
{
    const uint32_t at = PLACE(&f->worlds, world);
    if (!IS_AT(&f->worlds, at, world)) {
        return NULL;
    }
    const world_record *r = &f->worlds.data[at].record;
    return strcmp(r->primary, f->options.node) != 0 ? r : NULL;
}

const node_record *fleet_find_node(const fleet *f, const char *name)
{
    const uint32_t at = PLACE(&f->nodes, name);
    return IS_AT(&f->nodes, at, name) ? &f->nodes.data[at].record : NULL;
}

const node_record *fleet_node(const fleet *f, uint32_t i, const char **name)
{
    if (i >= f->nodes.count) {
        return NULL;
    }
    *name = f->nodes.data[i].name;
    return &f->nodes.data[i].record;
}

const world_record *fleet_world(const fleet *f, uint32_t i, const char **name)
{
    if (i >= f->worlds.count) {
        return NULL;
    }
    *name = f->worlds.data[i].name;
    return &f->worlds.data[i].record;
}

uint32_t fleet_node_count(const fleet *f)
{
    return f->nodes.count;
}

uint32_t fleet_world_count(const fleet *f)
{
    return f->worlds.count;
}

uint32_t fleet_world_after(const fleet *f, const char *name)
{
    const uint32_t at = PLACE(&f->worlds, name);
    return at + (IS_AT(&f->worlds, at, name) ? 1 : 0);
}

const char *fleet_self(const fleet *f)
{
    return f->options.node;
}

const char *fleet_prefix(const fleet *f)
{
    return f->options.prefix;
}

const char *fleet_store_error(const fleet *f)
{
    return f->unanswered ? f->why : "";
}

// ---- this server's record

static void fail(fleet *f, status s, const char *text)
{
    error err;
    (void)error_set(&err, s, "fleet: %s", text);
    f->told = true;
    f->state = MEMBER_LEAVING;
    f->options.handler.failed(f->options.handler.context, &err);
}

static void wait_to_join(fleet *f, const char *why)
{
    snprintf(f->why, sizeof f->why, "%s", why);
    f->state = MEMBER_WAITING;
    f->next_ms = uv_now(f->loop) + TRY_AGAIN_MS;
}

static void lose(fleet *f, const char *text)
{
    log_error("fleet: %s", text);
    f->options.handler.lost(f->options.handler.context, text);
}

static size_t write_node(const fleet *f, char out[RECORD_SIZE_MAX])
{
    fleet_load load = {0};
    node_record r = {.engine = f->options.engine, .draining = f->draining};
    f->options.handler.load(f->options.handler.context, &load);
    snprintf(r.address, sizeof r.address, "%s", f->options.address);
    snprintf(r.http, sizeof r.http, "%s", f->options.http);
    memcpy(r.run, f->run, sizeof r.run);
    memcpy(r.peer, f->peer, sizeof r.peer);
    r.lateness_ms = load.lateness_ms;
    r.worlds = load.worlds;
    r.sessions = load.sessions;
    r.free_memory = load.free_memory;
    return node_record_write(&r, out);
}

// The name is another process's: a lease of this name's last process may still have to end, unless
// its record changes meanwhile.
static void meet_other(fleet *f, const store_entry *e)
{
    node_record other;
    char text[ERROR_TEXT_MAX];
    error err;
    if (node_record_read(e->value, e->value_size, &other, &err) != STATUS_OK) {
        snprintf(text, sizeof text, "the record of server '%s' cannot be read: %.100s",
                 f->options.node, err.text);
    } else {
        snprintf(text, sizeof text,
                 "another process is server '%s', at %s: each server needs a name of its own "
                 "(--node)",
                 f->options.node, other.address);
    }
    if (f->told) {
        lose(f, text);
    } else if (f->other_revision != 0 && e->modified != f->other_revision) {
        fail(f, STATUS_ALREADY_EXISTS, text);
    } else {
        f->other_revision = e->modified;
        wait_to_join(f, text);
    }
}

static void put_node(fleet *f, int64_t modified);

// Living servers that are known, without this one.
static uint32_t others(const fleet *f)
{
    const uint32_t at = PLACE(&f->nodes, f->options.node);
    return f->nodes.count - (IS_AT(&f->nodes, at, f->options.node) ? 1 : 0);
}

static bool is_own_record(const fleet *f, const store_entry *e)
{
    node_record r;
    return node_record_read(e->value, e->value_size, &r, NULL) == STATUS_OK &&
           strcmp(r.run, f->run) == 0;
}

static void on_node_written(void *context, const store_answer *answer)
{
    fleet *f = context;
    f->writing = false;
    if (f->state == MEMBER_LEAVING) {
        return;
    }
    if (f->told && f->unanswered != (answer->status != STATUS_OK)) {
        log_warn("fleet: etcd %s%s",
                 answer->status != STATUS_OK ? "does not answer: " : "answers again",
                 answer->status != STATUS_OK ? answer->text : "");
    }
    f->unanswered = answer->status != STATUS_OK;
    if (answer->status != STATUS_OK) {
        snprintf(f->why, sizeof f->why, "%s", answer->text);
        if (f->state != MEMBER_THERE) {
            wait_to_join(f, answer->text);
        }
        return;
    }
    if (!answer->written) {
        const store_entry *e = &answer->entries->data[0];
        if (e->value != NULL && is_own_record(f, e)) {
            put_node(f, e->modified); // an earlier write's answer was lost
        } else if (e->value != NULL) {
            meet_other(f, e);
        } else { // the lease has expired: this process was away for too long
            wait_to_join(f, "its lease has expired");
        }
        return;
    }
    f->node_revision = answer->revision;
    f->state = MEMBER_THERE;
    if (!f->told) {
        f->told = true;
        log_info("fleet: this is server '%s' of '%s'; others there: %u", f->options.node,
                 f->options.prefix, others(f));
        f->options.handler.joined(f->options.handler.context);
    }
}

static void put_node(fleet *f, int64_t modified)
{
    char text[RECORD_SIZE_MAX];
    error err;
    const store_op op = {.key = f->node_key,
                         .modified = modified,
                         .value = text,
                         .value_size = write_node(f, text),
                         .lease = f->lease};
    f->write_ms = uv_now(f->loop) + FLEET_WRITE_MS;
    if (store_transact(f->store, &op, 1, on_node_written, f, &err) == STATUS_OK) {
        f->writing = true;
    }
}

static void on_leased(void *context, const store_answer *answer)
{
    fleet *f = context;
    if (f->state != MEMBER_LEASING) {
        return;
    }
    if (answer->status != STATUS_OK) {
        wait_to_join(f, answer->text);
        return;
    }
    f->lease = answer->lease;
    f->state = MEMBER_WRITING;
    put_node(f, 0);
}

static void on_kept(void *context, const store_answer *answer)
{
    fleet *f = context;
    f->keeping = false;
    if (f->state == MEMBER_THERE && answer->status == STATUS_NOT_FOUND) {
        log_warn("fleet: the lease of server '%s' has expired: requesting a new one",
                 f->options.node);
        wait_to_join(f, answer->text);
    }
}

static void ask_lease(fleet *f)
{
    error err;
    f->state = MEMBER_LEASING;
    if (store_lease_grant(f->store, FLEET_LEASE_S, on_leased, f, &err) != STATUS_OK) {
        wait_to_join(f, err.text);
    }
}

static void refresh(fleet *f)
{
    error err;
    if (!f->writing) {
        put_node(f, f->node_revision);
    }
    if (!f->keeping && store_lease_keep(f->store, f->lease, on_kept, f, &err) == STATUS_OK) {
        f->keeping = true;
    }
}

// ---- worlds

static owned_world *find_owned(const fleet *f, const char *name, uint32_t *at)
{
    for (uint32_t i = 0; i < f->owned.count; i++) {
        if (strcmp(f->owned.data[i]->name, name) == 0) {
            if (at != NULL) {
                *at = i;
            }
            return f->owned.data[i];
        }
    }
    return NULL;
}

static void drop_owned(fleet *f, owned_world *w)
{
    uint32_t at = 0;
    (void)find_owned(f, w->name, &at);
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

static void remove_record(fleet *f, const char *name, int64_t revision);

// Rule 5.
static void lose_world(fleet *f, owned_world *w, const world_record *winner)
{
    const world_record record = winner != NULL ? *winner : (world_record){0};
    char name[RECORD_NAME_MAX + 1];
    memcpy(name, w->name, sizeof name);
    log_warn("fleet: world '%s' of this server is %s%s now", name,
             winner != NULL ? "server " : "nobody's", winner != NULL ? record.primary : "");
    if (winner != NULL) {
        set_world(f, name, winner, w->winner_revision);
    }
    drop_owned(f, w);
    f->options.handler.lost_world(f->options.handler.context, name,
                                  winner != NULL ? &record : NULL);
}

static void answer_claim(owned_world *w, const error *err, const world_record *winner)
{
    const fleet_claimed done = w->done;
    void *context = w->context;
    w->done = NULL;
    if (done != NULL) {
        done(context, err, winner);
    }
}

static void begin_claim(fleet *f, owned_world *w, bool has, const world_record *r, int64_t revision)
{
    ownership_actions actions;
    const ownership_event e = {
        .kind = has ? EVENT_CLAIM : EVENT_CREATE, .record = r, .revision = revision};
    w->tries++;
    ownership_handle(&w->machine, &e, &actions);
    ASSERT(actions.count == 1 && actions.list[0].kind == ACTION_WRITE);
    transact(f, w);
}

static void tell_pairs(const fleet *f, const char *world, const ownership_action *action,
                       const ownership *o)
{
    if (f->pairs.acted != NULL) {
        f->pairs.acted(f->pairs.context, world, action, o);
    }
}

static void drop_followed(fleet *f, owned_world *w)
{
    static const ownership_action DROP = {.kind = ACTION_DROP};
    char name[RECORD_NAME_MAX + 1];
    memcpy(name, w->name, sizeof name);
    drop_owned(f, w);
    tell_pairs(f, name, &DROP, NULL);
}

// The name was lost. A record of this server's last process, or of none, is asked for again.
static void dropped(fleet *f, owned_world *w)
{
    const world_record *winner = w->machine.has_winner ? &w->machine.winner : NULL;
    if (w->follows) {
        drop_followed(f, w);
        return;
    }
    if (w->done == NULL && !w->unwanted) {
        lose_world(f, w, winner);
        return;
    }
    if (w->done != NULL && w->tries < CLAIM_TRIES &&
        (winner == NULL || strcmp(winner->primary, f->options.node) == 0)) {
        const world_record record = winner != NULL ? *winner : (world_record){0};
        begin_claim(f, w, winner != NULL, &record, w->winner_revision);
        return;
    }
    error err;
    (void)error_set(&err, STATUS_ALREADY_EXISTS, "world '%s' exists: %s serves it", w->name,
                    winner != NULL ? winner->address : "nobody");
    const world_record record = winner != NULL ? *winner : (world_record){0};
    const fleet_claimed done = w->done;
    void *context = w->context;
    drop_owned(f, w);
    if (done != NULL) {
        done(context, &err, winner != NULL ? &record : NULL);
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
                remove_record(f, w->name, w->machine.revision);
                drop_owned(f, w);
                return;
            }
            if (w->done == NULL) {
                w->follows = false;
                tell_pairs(f, w->name, &actions->list[i], &w->machine);
            }
            answer_claim(w, NULL, NULL);
            return;
        case ACTION_DROP:
            dropped(f, w);
            return;
        case ACTION_NAME:
            if (w->unwanted) {
                remove_record(f, w->name, w->machine.revision);
                drop_owned(f, w);
                return;
            }
            tell_pairs(f, w->name, &actions->list[i], &w->machine);
            break;
        case ACTION_ACKNOWLEDGE:
        case ACTION_YIELD:
            tell_pairs(f, w->name, &actions->list[i], &w->machine);
            break;
        }
    }
}

// The record of the key cannot be read: it is somebody's.
static void refuse_unreadable(fleet *f, owned_world *w, const error *why)
{
    error err;
    (void)error_set(&err, STATUS_ALREADY_EXISTS,
                    "world '%s' has a record that this server cannot read: %s", w->name, why->text);
    const fleet_claimed done = w->done;
    void *context = w->context;
    if (done == NULL && !w->unwanted) {
        log_error("fleet: %s", err.text);
        lose_world(f, w, NULL);
        return;
    }
    drop_owned(f, w);
    if (done != NULL) {
        done(context, &err, NULL);
    }
}

static void on_world_written(void *context, const store_answer *answer)
{
    const world_write sent = *(world_write *)context;
    end_write(context);
    fleet *f = sent.of;
    owned_world *w = find_owned(f, sent.name, NULL);
    ownership_actions actions;
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
    ownership_handle(&w->machine, &e, &actions);
    carry_out(f, w, &actions);
}

// The watch reports a record: another process's of a world that is served here?
static void see_own(fleet *f, const char *world, const world_record *r, int64_t revision)
{
    owned_world *w = find_owned(f, world, NULL);
    ownership_actions actions;
    if (w == NULL || f->state == MEMBER_LEAVING) {
        return;
    }
    w->winner_revision = revision;
    const ownership_event e = {.kind = EVENT_RECORD, .record = r, .revision = revision};
    ownership_handle(&w->machine, &e, &actions);
    carry_out(f, w, &actions);
}

static uint64_t draw(fleet *f)
{
    f->chance = f->chance != 0 ? f->chance : f->options.run | 1;
    f->chance ^= f->chance << 13;
    f->chance ^= f->chance >> 7;
    f->chance ^= f->chance << 17;
    return f->chance;
}

static owned_world *add_owned(fleet *f, const char *world, double hz)
{
    world_record self = {.engine = f->options.engine, .hz = hz};
    snprintf(self.primary, sizeof self.primary, "%s", f->options.node);
    snprintf(self.address, sizeof self.address, "%s", f->options.address);
    snprintf(self.http, sizeof self.http, "%s", f->options.http);
    // A number of its own: the record of a claim that was given up, whose removal may be under way,
    // must not pass for this claim's.
    snprintf(self.run, sizeof self.run, "%016" PRIx64, draw(f));
    owned_world *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL);
    snprintf(w->name, sizeof w->name, "%s", world);
    ownership_init(&w->machine, &self);
    w->machine.write = f->next_write += WRITES_EACH;
    array_push(&f->owned, w);
    return w;
}

void fleet_claim(fleet *f, const char *world, double hz, fleet_claimed done, void *context)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w != NULL && w->follows) {
        drop_followed(f, w); // its claim decides
        w = NULL;
    }
    ASSERT(w == NULL || w->unwanted);
    if (w != NULL) { // the name of a claim that was given up: its transaction is under way
        w->unwanted = false;
    } else {
        w = add_owned(f, world, hz);
    }
    w->done = done;
    w->context = context;
    w->deadline_ms = uv_now(f->loop) + FLEET_CLAIM_MS;
    if (w->machine.state == OWNERSHIP_NONE) {
        const uint32_t at = PLACE(&f->worlds, world);
        const bool had = IS_AT(&f->worlds, at, world) &&
                         strcmp(f->worlds.data[at].record.primary, f->options.node) == 0;
        w->machine.self.replicated = had && f->worlds.data[at].record.replicated;
        begin_claim(f, w, had, had ? &f->worlds.data[at].record : NULL,
                    had ? f->worlds.data[at].revision : 0);
    }
}

uint32_t fleet_claims(const fleet *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->owned.count; i++) {
        count += f->owned.data[i]->done != NULL;
    }
    return count;
}

// Whether this server serves the world.
static bool serves(const owned_world *w)
{
    const ownership_state s = w->machine.state;
    return s == OWNERSHIP_ALONE || s == OWNERSHIP_PAIRING || s == OWNERSHIP_PAIRED ||
           s == OWNERSHIP_YIELDING || s == OWNERSHIP_UNPAIRING;
}

int64_t fleet_term(const fleet *f, const char *world)
{
    const owned_world *w = find_owned(f, world, NULL);
    return w != NULL && serves(w) ? w->machine.record.term : 0;
}

// ---- pairs

void fleet_on_pairs(fleet *f, const fleet_pairs *handler)
{
    f->pairs = *handler;
}

void fleet_set_peer(fleet *f, const char *address)
{
    snprintf(f->peer, sizeof f->peer, "%s", address);
}

void fleet_replicate(fleet *f, const char *world)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w != NULL) {
        w->machine.self.replicated = true;
    }
}

bool fleet_follow(fleet *f, const char *world, double hz, bool replicated)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w == NULL) {
        w = add_owned(f, world, hz);
        w->follows = true;
        w->kept = true; // it has a log as soon as it is served
    }
    if (w->follows) {
        w->machine.self.replicated = replicated;
    }
    return w->follows;
}

void fleet_forget(fleet *f, const char *world)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w != NULL && w->follows) {
        drop_owned(f, w);
    }
}

void fleet_report(fleet *f, const char *world, const ownership_event *event)
{
    owned_world *w = find_owned(f, world, NULL);
    ownership_actions actions;
    if (w == NULL || f->state == MEMBER_LEAVING) {
        return;
    }
    ownership_handle(&w->machine, event, &actions);
    carry_out(f, w, &actions);
}

void fleet_note_shown(fleet *f, const char *world, int64_t tick)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w != NULL) {
        (void)ownership_show(&w->machine, tick);
    }
}

const ownership *fleet_ownership(const fleet *f, const char *world)
{
    const owned_world *w = find_owned(f, world, NULL);
    return w != NULL ? &w->machine : NULL;
}

const world_record *fleet_record(const fleet *f, const char *world)
{
    const uint32_t at = PLACE(&f->worlds, world);
    return IS_AT(&f->worlds, at, world) ? &f->worlds.data[at].record : NULL;
}

// Whether both addresses have one host, which is not this machine's loopback.
static bool share_host(const char *a, const char *b)
{
    const size_t size = (size_t)(strrchr(a, ':') - a);
    const bool loopback = strncmp(a, "127.", 4) == 0 || strncmp(a, "[::1]", 5) == 0 ||
                          strncmp(a, "localhost:", 10) == 0;
    return !loopback && (size_t)(strrchr(b, ':') - b) == size && strncmp(a, b, size) == 0;
}

static bool may_stand_by(const fleet *f, const known_node *n, const char *but)
{
    const node_record *r = &n->record;
    return *r->peer != '\0' && !r->draining && r->engine == f->options.engine &&
           strcmp(n->name, f->options.node) != 0 && (but == NULL || strcmp(n->name, but) != 0) &&
           !share_host(f->peer, r->peer);
}

// The one of that number among those that may; NULL: there are not so many.
static const known_node *nth_standby(const fleet *f, const char *but, uint64_t n)
{
    for (uint32_t i = 0; i < f->nodes.count; i++) {
        if (may_stand_by(f, &f->nodes.data[i], but) && n-- == 0) {
            return &f->nodes.data[i];
        }
    }
    return NULL;
}

bool fleet_choose_standby(fleet *f, const char *but, char node[RECORD_NAME_MAX + 1],
                          char peer[RECORD_ADDRESS_MAX + 1])
{
    uint64_t count = 0;
    while (*f->peer != '\0' && nth_standby(f, but, count) != NULL) {
        count++;
    }
    if (count == 0 && but != NULL) {
        return fleet_choose_standby(f, NULL, node, peer);
    }
    if (count == 0) {
        return false;
    }
    const known_node *one = nth_standby(f, but, draw(f) % count);
    const known_node *other = nth_standby(f, but, draw(f) % count);
    const known_node *chosen = other->record.worlds < one->record.worlds ? other : one;
    memcpy(node, chosen->name, sizeof chosen->name);
    memcpy(peer, chosen->record.peer, sizeof chosen->record.peer);
    return true;
}

// The names of all servers but this one, as far as they fit.
static void list_others(const fleet *f, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "none");
    for (uint32_t i = 0; i < f->nodes.count && used < size; i++) {
        if (strcmp(f->nodes.data[i].name, f->options.node) != 0) {
            const int more = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "",
                                      f->nodes.data[i].name);
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

status fleet_check_target(const fleet *f, const char *node, char peer[RECORD_ADDRESS_MAX + 1],
                          error *err)
{
    enum { LIST_MAX = 128 };
    const node_record *r = fleet_find_node(f, node);
    char names[LIST_MAX];
    if (strcmp(node, f->options.node) == 0) {
        return error_set(err, STATUS_ALREADY_EXISTS, "to: server '%s' serves the world already",
                         node);
    }
    if (r == NULL) {
        list_others(f, names, sizeof names);
        return error_set(err, STATUS_NOT_FOUND,
                         "to: no server of the fleet has the name '%s'; others there: %s", node,
                         names);
    }
    if (r->draining) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "to: server '%s' is shutting down, and takes no worlds", node);
    }
    if (r->engine != f->options.engine) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "to: server '%s' has engine %" PRId64 ", and this one %" PRId64
                         ": a world moves between servers with the same engine",
                         node, r->engine, f->options.engine);
    }
    if (*r->peer == '\0') {
        return error_set(err, STATUS_UNAVAILABLE,
                         "to: server '%s' cannot be reached by other servers (caromd "
                         "--fleet-listen and --fleet-secret)",
                         node);
    }
    memcpy(peer, r->peer, sizeof r->peer);
    return STATUS_OK;
}

const world_record *fleet_own(const fleet *f, const char *world)
{
    const owned_world *w = find_owned(f, world, NULL);
    return fleet_term(f, world) > 0 ? &w->machine.record : NULL;
}

void fleet_keep(fleet *f, const char *world)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w != NULL) {
        w->kept = true;
    }
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

// Until the store has answered: a record that stayed would send clients to a server that does not
// serve the world.
static void remove_record(fleet *f, const char *name, int64_t revision)
{
    world_write *r = begin_write(f, name, 0);
    r->revision = revision;
    send_removal(r);
}

void fleet_release(fleet *f, const char *world)
{
    owned_world *w = find_owned(f, world, NULL);
    if (w == NULL) {
        return;
    }
    const ownership_state state = w->machine.state;
    if (state == OWNERSHIP_ALONE || state == OWNERSHIP_PAIRED || state == OWNERSHIP_YIELDING) {
        remove_record(f, w->name, w->machine.revision);
        drop_owned(f, w);
    } else {
        w->unwanted = true;
        w->done = NULL;
    }
}

// Claims past their time, or all: answered as unavailable; a late success is taken back.
static void end_claims(fleet *f, bool all, const char *why)
{
    const uint64_t now_ms = uv_now(f->loop);
    for (uint32_t i = f->owned.count; i > 0; i--) {
        owned_world *w = f->owned.data[i - 1];
        if (w->done == NULL || (!all && now_ms < w->deadline_ms)) {
            continue;
        }
        error err;
        (void)error_set(&err, STATUS_UNAVAILABLE, "world '%s' cannot be claimed: %s", w->name, why);
        w->unwanted = true;
        answer_claim(w, &err, NULL);
    }
}

// ---- from start to end

static void join(fleet *f, uint64_t now_ms)
{
    if (!f->told && now_ms - f->begun_ms >= FLEET_JOIN_MS) {
        char why[ERROR_TEXT_MAX];
        snprintf(why, sizeof why, "%s", *f->why != '\0' ? f->why : "etcd does not answer");
        fail(f, STATUS_UNAVAILABLE, why);
        return;
    }
    if (f->state == MEMBER_NEW && f->has_view) {
        ask_lease(f);
    } else if (f->state == MEMBER_WAITING && now_ms >= f->next_ms) {
        ask_lease(f);
    } else if (f->state == MEMBER_THERE && now_ms >= f->write_ms) {
        refresh(f);
    }
}

static void on_fleet_pulse(uv_timer_t *timer)
{
    fleet *f = timer->data;
    if (f->state != MEMBER_LEAVING) {
        join(f, uv_now(f->loop));
    }
    if (f->state != MEMBER_LEAVING) {
        end_claims(f, false, *f->why != '\0' ? f->why : "etcd does not answer");
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
}

status fleet_open(uv_loop_t *loop, const fleet_options *options, fleet **out, error *err)
{
    fleet *f = calloc(1, sizeof *f);
    ASSERT_MEMORY(f != NULL);
    ASSERT(record_prefix_valid(options->prefix) && record_address_valid(options->address));
    *f = (fleet){.loop = loop, .options = *options, .handles = 2};
    const store_options at = {
        .endpoints = options->endpoints, .tls = options->tls, .times = store_times_default()};
    status s = store_open(loop, &at, &f->store, err);
    if (s != STATUS_OK) {
        free(f);
        return s;
    }
    char prefix[RECORD_KEY_MAX];
    snprintf(f->run, sizeof f->run, "%016" PRIx64, options->run);
    snprintf(prefix, sizeof prefix, "%s/", options->prefix);
    snprintf(f->worlds_at, sizeof f->worlds_at, "%s/world/", options->prefix);
    snprintf(f->nodes_at, sizeof f->nodes_at, "%s/node/", options->prefix);
    snprintf(f->node_key, sizeof f->node_key, "%s/node/%s", options->prefix, options->node);
    const store_watcher watcher = {
        .context = f, .all = on_all, .changed = on_changed, .interrupted = on_interrupted};
    f->watch = store_watch_open(f->store, prefix, &watcher);
    f->begun_ms = uv_now(loop);
    (void)uv_timer_init(loop, &f->pulse);
    f->pulse.data = f;
    (void)uv_timer_start(&f->pulse, on_fleet_pulse, PULSE_MS, PULSE_MS);
    *out = f;
    return STATUS_OK;
}

void fleet_leave(fleet *f)
{
    f->draining = true;
    f->write_ms = 0; // the others are told at the next pulse
}

void fleet_drain(fleet *f)
{
    f->draining = true;
    end_claims(f, true, "the server is shutting down");
}

static void note_closed(fleet *f)
{
    ASSERT(f->handles > 0);
    if (--f->handles > 0) {
        return;
    }
    void (*closed)(void *context) = f->closed;
    void *context = f->context;
    for (uint32_t i = 0; i < f->owned.count; i++) {
        free(f->owned.data[i]);
    }
    while (f->writes != NULL) {
        if (f->writes->write == 0) {
            log_warn("fleet: the record of world '%s', which has ended, may stay: %s",
                     f->writes->name, *f->why != '\0' ? f->why : "etcd did not answer in time");
        }
        end_write(f->writes);
    }
    array_free(&f->owned);
    array_free(&f->worlds);
    array_free(&f->nodes);
    free(f);
    closed(context);
}

static void on_store_closed(void *context)
{
    note_closed(context);
}

static void on_pulse_closed(uv_handle_t *handle)
{
    note_closed(handle->data);
}

static void end_store(fleet *f)
{
    uv_close((uv_handle_t *)&f->pulse, on_pulse_closed);
    store_close(f->store, on_store_closed, f);
}

static void on_revoked(void *context, const store_answer *answer)
{
    (void)answer;
    ((fleet *)context)->lease = 0;
}

static void on_end_pulse(uv_timer_t *timer)
{
    fleet *f = timer->data;
    if ((f->removals == 0 && f->lease == 0) || uv_now(f->loop) >= f->next_ms) {
        end_store(f);
    }
}

void fleet_close(fleet *f, void (*closed)(void *context), void *context)
{
    error err;
    f->closed = closed;
    f->context = context;
    end_claims(f, true, "the server is shutting down");
    f->state = MEMBER_LEAVING;
    for (uint32_t i = 0; i < f->owned.count; i++) {
        const owned_world *w = f->owned.data[i];
        if (w->machine.state == OWNERSHIP_ALONE && !w->kept) {
            remove_record(f, w->name, w->machine.revision);
        }
    }
    if (f->lease != 0 && store_lease_revoke(f->store, f->lease, on_revoked, f, &err) != STATUS_OK) {
        f->lease = 0;
    }
    f->next_ms = uv_now(f->loop) + FLEET_CLOSE_MS;
    (void)uv_timer_start(&f->pulse, on_end_pulse, 0, PULSE_MS);
}
