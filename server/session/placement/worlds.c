// Sends requests to worlds: counts them, queues them, and ends the bodies and worlds of a session.
// Network thread.
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/commands/canonical.h"
#include "proto/log/log_record.h"
#include "server/base/audit.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/fleet/fleet.h"
#include "server/session/calls/rights.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/seating.h"
#include "server/session/placement/worlds.h"
#include "server/session/relay/upstreams.h"
#include "server/session/service.h"

status worlds_moved(const session *asker, const world_record *r, const char *name, error *err)
{
    const bool web =
        asker != NULL && asker->connection != NULL && connection_framed(asker->connection);
    if (web && r->http[0] == '\0') {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' is served at %s, over TCP alone: that server has no HTTP",
                         name, r->address);
    }
    return error_set(err, STATUS_MOVED, "%s world '%s' is served there", web ? r->http : r->address,
                     name);
}

status worlds_absent(const server *s, const session *asker, const char *name, error *err)
{
    const struct fleet *f = s->options->fleet;
    const world_record *r = f != NULL ? fleet_find(f, name) : NULL;
    if (r != NULL) {
        metrics_add(METRIC_fleet_moved, err != NULL); // without an error nobody is answered
        return worlds_moved(asker, r, name, err);
    }
    return error_set(err, STATUS_NOT_FOUND, "world '%s' does not exist", name);
}

status worlds_find(server *s, const session *asker, const char *name, world_entry **out, error *err)
{
    if (s->upstreams != NULL) {
        return upstreams_find(s, name, out, err);
    }
    *out = directory_find(&s->worlds, name);
    return *out != NULL ? STATUS_OK : worlds_absent(s, asker, name, err);
}

// ---- requests

// A command that changes a world is logged with the arguments as received.
static void note_arguments(request *r, const call *c)
{
    if (method_scope_of(r->command.method) != SCOPE_WORLD_COMMAND) {
        return;
    }
    if (c->aside != NULL) {
        r->arguments = c->aside->arguments;
        r->arguments_size = (uint32_t)c->aside->arguments_size;
        c->aside->arguments = NULL;
        return;
    }
    buffer out;
    buffer_init(&out, LOG_ARGUMENTS_BYTES_MAX);
    arguments_canonical_owned(&out, r->command.method, c->params,
                              *r->actor.subject != '\0' ? r->actor.subject : NULL);
    ASSERT(!out.overflow);
    size_t size = 0;
    uint8_t *taken = buffer_take(&out, &size);
    uint8_t *fitted = realloc(taken, size + (size == 0)); // the request may wait for a long time
    r->arguments = fitted != NULL ? fitted : taken;
    r->arguments_size = (uint32_t)size;
}

// Memory of a request that waits, the heap's own words included.
static uint64_t bytes_of(const request *r)
{
    enum { HEAP_BYTES = 48 };
    return sizeof *r + HEAP_BYTES + command_held_bytes(&r->command) + r->arguments_size;
}

request *worlds_request(const call *c, world_entry *entry, command *taken)
{
    request *r = request_create(REQUEST_COMMAND, entry->number);
    r->command = *taken;
    *taken = (command){.method = taken->method};
    if (c != NULL) {
        r->reply_to =
            (reply_address){.session = c->session->key, .id = c->id, .answerable = c->answerable};
        r->reply_to.payer = rights_quota_owner(c->session);
        r->received_ns = c->received_ns;
        rights_sign(c->session, r);
        note_arguments(r, c);
        r->reply_to.token = bytes_of(r);
    }
    return r;
}

// Commands of clients that wait: a restart's own first request takes no client's place.
static uint64_t commands_waiting(const world_entry *entry)
{
    ASSERT(entry->waiting > 0 || !entry->adopting);
    return entry->waiting - (entry->adopting ? 1 : 0);
}

// A quota owner may use at most as much as is left for all others: an owner that uses its full
// share has half of the total, and the next owner still finds space while the first one's requests
// wait.
static status check_share(const server *s, const world_entry *entry, const quota_owner *payer,
                          uint64_t size, error *err)
{
    if (payer == NULL) {
        return STATUS_OK;
    }
    if (payer->waiting >= s->limits->commands_per_world - commands_waiting(entry)) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "commands_per_world: %llu of this subject or address wait, as many as are "
                         "left of %llu in world '%s'",
                         (unsigned long long)payer->waiting,
                         (unsigned long long)s->limits->commands_per_world, entry->name);
    }
    if (payer->waiting_bytes + size > s->limits->command_bytes - s->command_bytes) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "command_bytes: %llu bytes of this subject or address wait, as many as "
                         "are left of %llu",
                         (unsigned long long)payer->waiting_bytes,
                         (unsigned long long)s->limits->command_bytes);
    }
    return STATUS_OK;
}

// Whether the world can accept the request.
status worlds_check_capacity(const server *s, const world_entry *entry, const request *r,
                             error *err)
{
    const quota_owner *payer = r->reply_to.payer;
    const uint64_t size = r->reply_to.token;
    if (s->stage == SERVER_DRAINING) {
        return error_set(err, STATUS_UNAVAILABLE, "%s", s->reason);
    }
    if (entry->broken != NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s' %s", entry->name,
                         directory_reason(entry, r->actor.confined));
    }
    if (commands_waiting(entry) >= s->limits->commands_per_world) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "commands_per_world: %llu wait for world '%s' already",
                         (unsigned long long)commands_waiting(entry), entry->name);
    }
    if (s->command_bytes + size > s->limits->command_bytes) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "command_bytes: %llu bytes of commands wait already",
                         (unsigned long long)s->command_bytes);
    }
    return check_share(s, entry, payer, size, err);
}

// Counts an accepted request: from here on it gets an answer.
void worlds_count_in(server *s, world_entry *entry, request *r)
{
    entry->waiting++;
    session *asker = server_find_session(s, r->reply_to.session);
    if (r->command.method != METHOD_WORLD_LIST && r->reply_to.session.number != 0) {
        s->command_bytes += r->reply_to.token;
        memory_note(MEMORY_commands, NULL, (int64_t)r->reply_to.token);
        if (r->reply_to.payer != NULL) {
            r->reply_to.payer->waiting++;
            r->reply_to.payer->waiting_bytes += r->reply_to.token;
        }
    }
    if (r->command.method != METHOD_WORLD_LIST && asker != NULL) {
        asker->calls.in_flight++;
        session_visit(asker, entry->number);
        r->reply_to.sequence =
            request_log_send(&asker->calls.requests, r->reply_to.id, r->reply_to.answerable);
    }
}

void worlds_deliver(world_entry *entry, request *r)
{
    ASSERT(r->world == entry->number);
    if (entry->thread == NULL) {
        r->node.next = NULL;
        *entry->held_last = r;
        entry->held_last = (request **)&r->node.next;
        return;
    }
    bool sent = sim_thread_send(entry->thread, r);
    ASSERT(sent); // the queue has space for all requests that may wait for worlds
}

void worlds_deliver_held(world_entry *entry)
{
    while (entry->held != NULL) {
        request *r = entry->held;
        entry->held = (request *)r->node.next;
        worlds_deliver(entry, r);
    }
    entry->held_last = &entry->held;
}

status worlds_send(server *s, world_entry *entry, request *r, error *err)
{
    status admitted = worlds_check_capacity(s, entry, r, err);
    if (admitted != STATUS_OK) {
        request_free(r);
        return admitted;
    }
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
    return STATUS_OK;
}

void worlds_send_uncounted(server *s, request_kind kind, uint64_t world, session_key key)
{
    world_entry *entry = directory_find_number(&s->worlds, world);
    if (entry == NULL || entry->broken != NULL) {
        return;
    }
    request *r = request_create(kind, world);
    r->reply_to.session = key;
    worlds_deliver(entry, r);
}

void worlds_forget(server *s, session_key key, uint64_t world)
{
    worlds_send_uncounted(s, REQUEST_FORGET, world, key);
}

// At most one for each session and world is on its way: the next resume waits for it. So the
// queues, which have space for a message from each subscription, have space for these.
void worlds_resume(session *s, uint64_t world)
{
    const world_entry *entry = directory_find_number(&s->server->worlds, world);
    if (entry != NULL && entry->broken == NULL) {
        s->resume.restarts++;
        worlds_send_uncounted(s->server, REQUEST_RESUME, world, s->key);
    }
}

void worlds_resumed(server *s, session_key key)
{
    session *resumed = server_find_session(s, key);
    if (resumed != NULL) {
        ASSERT(resumed->resume.restarts > 0);
        resumed->resume.restarts--;
        session_settle(resumed);
    }
}

void worlds_note_written(server *s, uint64_t subscription, uint64_t world)
{
    array_push(&s->written, ((written_snapshot){world, subscription}));
}

// Consecutive acknowledgements of one world are one request: usually all of a tick.
void worlds_acknowledge(server *s)
{
    const written_snapshot *all = s->written.data;
    for (uint32_t begin = 0, end = 0; begin < s->written.count; begin = end) {
        while (end < s->written.count && all[end].world == all[begin].world) {
            end++;
        }
        world_entry *entry = directory_find_number(&s->worlds, all[begin].world);
        if (entry == NULL) {
            continue;
        }
        request *r = request_create(REQUEST_ACKNOWLEDGE, all[begin].world);
        r->acknowledged_count = end - begin;
        r->acknowledged = malloc(r->acknowledged_count * sizeof *r->acknowledged);
        ASSERT_MEMORY(r->acknowledged != NULL);
        for (uint32_t i = begin; i < end; i++) {
            r->acknowledged[i - begin] = all[i].subscription;
        }
        worlds_deliver(entry, r);
    }
    array_clear(&s->written);
}

// ---- worlds that end with a session

void worlds_note_body(session *s, uint64_t world)
{
    uint32_t kept = 0;
    if (s->body_worlds.count > 0 && s->body_worlds.data[s->body_worlds.count - 1] == world) {
        return; // the most frequent case
    }
    for (uint32_t i = 0; i < s->body_worlds.count; i++) {
        uint64_t number = s->body_worlds.data[i];
        if (number != world && directory_find_number(&s->server->worlds, number) != NULL) {
            s->body_worlds.data[kept++] = number;
        }
    }
    s->body_worlds.count = kept;
    array_push(&s->body_worlds, world);
}

void worlds_note_gone(session *s, const world_entry *entry)
{
    if (request_log_bury(&s->calls.requests, entry->number, entry->name)) {
        session_store_note(s);
    }
}

static void unname(server *s, world_entry *entry)
{
    directory_unname(&s->worlds, entry);
    if (s->options->fleet != NULL) {
        fleet_release(s->options->fleet, entry->name);
        pairs_release(s, entry->number);
    }
}

void worlds_unname(server *s, world_entry *entry)
{
    unname(s, entry);
    burials_add(s, entry, NULL);
}

void worlds_end(server *s, world_entry *entry, request *last)
{
    worlds_count_in(s, entry, last);
    unname(s, entry);
    if (entry->thread != NULL) {
        burials_add(s, entry, last);
    } else { // it is not there yet, and may be refused: its requests wait together
        burials_add(s, entry, NULL);
        worlds_deliver(entry, last);
    }
}

void worlds_end_unasked(server *s, world_entry *entry, const char *why)
{
    command destroy = {.method = METHOD_WORLD_DESTROY};
    memcpy(destroy.world, entry->name, sizeof destroy.world);
    request *r = worlds_request(NULL, entry, &destroy);
    audit_event("world '%s' ends %s", entry->name, why);
    metrics_add(METRIC_worlds_destroyed, 1);
    worlds_end(s, entry, r);
}

void worlds_end_session(session *s)
{
    server *of = s->server;
    for (uint32_t i = 0; i < s->body_worlds.count; i++) {
        worlds_send_uncounted(of, REQUEST_SESSION_END, s->body_worlds.data[i], s->key);
    }
    array_clear(&s->body_worlds);
    seating_end_session(s);
    for (uint32_t i = of->worlds.by_name.count; i > 0 && of->stage != SERVER_DRAINING; i--) {
        world_entry *entry = of->worlds.by_name.data[i - 1];
        if (entry->session == s->key.number) {
            worlds_end_unasked(of, entry, "with its session");
        }
    }
}
