// Sessions that survive their connection: kept for limits.resume_ms, and taken over by the session
// of the connection whose hello names their secret. Network thread only.
//
// Taking over means that the new session object becomes the old one: it gets the lists and the key,
// so that the worlds' records of the session stay valid. An old session that still has its
// connection (its loss may not have been noticed) keeps nothing else and is closed. The answer to
// hello waits until no request of the session is in flight, so that `applied` lists every request
// that took effect; requests that take longer are listed as `pending`, and their responses come
// over the new connection.
//
// Invariant: an attached session has a connection and is not in server.detached; a detached one has
// none and is there. Both are in server.sessions, by their slot.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/metrics.h"
#include "server/session/calls/call.h"
#include "server/session/calls/rights.h"
#include "server/session/pair/pairs.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/session/sessions.h"

// Time to wait for requests in flight [ms]. A world carries out requests within a tick; steps of a
// paused world, batches for a later tick, and worlds being made take longer.
enum { WAIT_MS = 1000 };

// ---- secrets

void resume_allow(session *s)
{
    if (s->resume.secret_state == SECRET_NONE && s->server->limits->resume_ms > 0 &&
        !rights_awaits_token(s)) {
        s->resume.secret = secret_create();
        s->resume.secret_state = SECRET_CLEAR;
    }
}

static bool is_secret_of(const session *s, const secret *given)
{
    secret digest = secret_digest(given);
    return secret_equal(&s->resume.secret,
                        s->resume.secret_state == SECRET_DIGESTED ? &digest : given);
}

// The session that a hello names; NULL, with the same error for every reason, unless the session is
// one of a server whose worlds this one follows.
static session *find(const server *s, const char *text, error *err)
{
    session_key key;
    secret given;
    bool parsed = secret_parse(text, &key, &given);
    session *found = parsed ? server_find_session(s, key) : NULL;
    // One that has come from another server has another slot here than its secret says. It may
    // have a connection here, whose loss was not noticed.
    found = parsed && found == NULL ? server_find_number(s, key.number) : found;
    found = found != NULL && rights_key_gone(found) ? NULL : found;
    bool known = found != NULL && session_resumable(found) && is_secret_of(found, &given);
    if (known) {
        found->resume.secret = given;
        found->resume.secret_state = SECRET_CLEAR;
    }
    const status elsewhere =
        parsed && !known ? pairs_check_session(s, key.number, &given, err) : STATUS_OK;
    secret_wipe(&given);
    if (elsewhere != STATUS_OK) {
        return NULL;
    }
    if (!known) {
        metrics_add(METRIC_resumes_refused, 1);
        error_set(err, STATUS_NOT_FOUND, "resume: there is no such session (any more)");
        return NULL;
    }
    return found;
}

// ---- losing the connection

static void on_expiry(uv_timer_t *timer);

// Sets the timer to the first session that expires.
static void await_expiry(server *s)
{
    uv_timer_stop(&s->expiry);
    if (s->detached.count > 0 && s->stage != SERVER_DRAINING) {
        const session *first = session_of_link(s->detached.first);
        ASSERT(first->connection == NULL);
        uint64_t due = first->times.heard_ms + s->limits->resume_ms;
        uint64_t now = uv_now(s->loop);
        uv_timer_start(&s->expiry, on_expiry, due > now ? due - now : 1, 0);
    }
}

static void on_expiry(uv_timer_t *timer)
{
    server *s = timer->data;
    uint64_t now = uv_now(s->loop);
    const turn left = work_left(s);
    while (s->detached.count > 0 &&
           now - session_of_link(s->detached.first)->times.heard_ms >= s->limits->resume_ms) {
        metrics_add(METRIC_sessions_expired, 1);
        log_debug("session %llu was not resumed within %llu ms",
                  (unsigned long long)session_of_link(s->detached.first)->key.number,
                  (unsigned long long)s->limits->resume_ms);
        resume_end(session_of_link(s->detached.first));
        if (turn_over(&left)) {
            break; // sessions that lost their connections at the same time end over several turns
        }
    }
    await_expiry(s);
}

void resume_init(server *s)
{
    uv_timer_init(s->loop, &s->expiry);
    s->expiry.data = s;
}

static void enlist(session *s)
{
    server *of = s->server;
    quota_owner *subject = s->identity.subject;
    detached_add(&of->detached, &s->detached, subject != NULL ? &subject->detached : NULL);
    await_expiry(of);
}

void resume_detach(session *s)
{
    server *of = s->server;
    ASSERT(session_resumable(s) && s->connection == NULL);
    log_debug("session %llu is kept for %llu ms", (unsigned long long)s->key.number,
              (unsigned long long)of->limits->resume_ms);
    input_deinit(&s->intake.input);
    session_change(s, SESSION_DETACHED);
    s->intake.input_blocked = s->resume.answer_awaited = false;
    s->times.heard_ms = uv_now(of->loop);
    if (of->detached.count >= of->limits->detached_sessions) {
        metrics_add(METRIC_sessions_expired, 1);
        resume_end(session_of_link(detached_superfluous(&of->detached)));
    }
    enlist(s);
}

void resume_renew(session *s)
{
    ASSERT(s->connection == NULL);
    detached_remove(&s->server->detached, &s->detached);
    s->times.heard_ms = uv_now(s->server->loop);
    enlist(s);
}

void resume_end(session *s)
{
    ASSERT(s->connection == NULL);
    detached_remove(&s->server->detached, &s->detached);
    log_debug("session %llu ends without a connection", (unsigned long long)s->key.number);
    server *of = s->server;
    session_destroy(s);
    server_check_left(of);
}

void resume_end_all(server *s)
{
    while (s->detached.count > 0) {
        resume_end(session_of_link(s->detached.last));
    }
    uv_timer_stop(&s->expiry);
}

// ---- getting another

// Moves the session's state, apart from its connection, from one object to the other.
static void take_over(session *to, session *from)
{
    server *of = to->server;
    ASSERT(to != from && of->sessions.data[to->key.slot] == to);
    ASSERT(of->sessions.data[from->key.slot] == from && from->fate == FATE_KEPT);
    of->sessions.data[to->key.slot] = NULL;
    session_numbers_remove(&of->numbers, to->key.number, to->key.slot);
    array_push(&of->free_slots, to->key.slot);
    of->sessions.data[from->key.slot] = to;
    to->key = from->key;
    to->key.generation++;
    rights_move(to, from);
    to->identity.since = from->identity.since;
    memory_holder_unref(to->identity.memory);
    to->identity.memory = from->identity.memory;
    from->identity.memory = NULL;
    ASSERT(to->calls.in_flight == 0 && to->subscriptions.data == NULL);
    to->calls.in_flight = from->calls.in_flight;
    to->calls.listings = from->calls.listings;
    to->resume.restarts = from->resume.restarts;
    to->calls.requests = from->calls.requests;
    to->subscriptions.data = from->subscriptions.data;
    to->subscriptions.count = from->subscriptions.count;
    to->subscriptions.capacity = from->subscriptions.capacity;
    to->coming = from->coming; // requests of an earlier generation: they are dropped
    to->body_worlds.data = from->body_worlds.data;
    to->body_worlds.count = from->body_worlds.count;
    to->body_worlds.capacity = from->body_worlds.capacity;
    to->resume.secret = from->resume.secret;
    to->resume.secret_state = from->resume.secret_state;
    to->resume.record_stored = from->resume.record_stored;
    to->opened_late = false;
    from->calls.requests = (request_log){0};
    from->subscriptions.data = NULL;
    from->subscriptions.count = from->subscriptions.capacity = 0;
    from->body_worlds.data = NULL;
    from->body_worlds.count = from->body_worlds.capacity = 0;
    from->calls.in_flight = from->calls.listings = from->resume.restarts = 0;
    from->resume.secret_state = SECRET_NONE;
    from->resume.record_stored = false;
    secret_wipe(&from->resume.secret);
    session_decide(from, FATE_REPLACED);
}

// Whether nothing was asked of the session but this hello.
static bool is_fresh(const session *s)
{
    return s->resume.secret_state == SECRET_NONE && s->calls.requests.next == 0 &&
           s->calls.in_flight == 0 && s->subscriptions.count == 0 && !s->resume.answer_awaited;
}

// A session is resumed without a new token until its own has expired, or with one of the same
// subject.
static status check_bearer(const session *old, const grant *granted, error *err)
{
    if (granted == NULL && rights_expired(old)) {
        return error_set(err, STATUS_UNAUTHENTICATED,
                         "resume: the session's token has expired: send a new one with it");
    }
    return rights_check_subject(old, granted, err);
}

status resume_session(const call *c, const hello_args *args, grant *granted, error *err)
{
    session *s = c->session;
    session *old = find(s->server, args->resume, err);
    if (old == NULL) {
        return err != NULL ? err->status : STATUS_NOT_FOUND;
    }
    if (!is_fresh(s)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "resume: must come with the connection's first hello, before any request "
                         "to a world");
    }
    status allowed = pairs_check_coming(s->server, old->key.number, err);
    if (allowed == STATUS_OK) {
        allowed = check_bearer(old, granted, err);
    }
    if (allowed != STATUS_OK) {
        return allowed;
    }
    if (old->connection == NULL) {
        detached_remove(&s->server->detached, &old->detached);
    }
    take_over(s, old);
    rights_take(s, granted);
    session_store_note(s);
    if (old->connection == NULL) {
        session_destroy(old);
    } else {
        session_close(old, STATUS_UNAVAILABLE, "another connection has resumed the session",
                      ENDING_FLUSH);
    }
    metrics_add(METRIC_sessions_resumed, 1);
    log_debug("session %llu resumed (%s)", (unsigned long long)s->key.number,
              connection_peer_name(s->connection));
    ASSERT(s->connection != NULL && !s->resume.answer_awaited);
    s->resume.answer_awaited = true;
    s->resume.answer_wanted = c->answerable;
    s->resume.id = c->id;
    s->resume.protocol = args->protocol;
    s->resume.deadline_ms = uv_now(s->server->loop) + WAIT_MS;
    resume_check(s, false);
    return STATUS_OK;
}

// ---- the answer

static void restart_subscriptions(session *s)
{
    for (uint32_t i = 0; i < s->subscriptions.count; i++) {
        if (session_subscribes_first(s, i)) {
            worlds_resume(s, s->subscriptions.data[i].world);
        }
    }
}

// Lists one request for each name: in the world that has the name now or, if none of the session
// took effect there, in the last one that had it.
static uint32_t list_applied(const session *s, applied_request *out)
{
    const request_log *log = &s->calls.requests;
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->applied.count; i++) {
        const world_applied *a = &log->applied.data[i];
        const world_entry *entry = directory_find_number(&s->server->worlds, a->world);
        if (entry != NULL && !entry->unnamed) {
            out[count++] = (applied_request){entry->name, a->world, a->id};
        }
    }
    for (uint32_t i = 0; i < log->gone.count; i++) {
        const gone_world *g = &log->gone.data[i];
        const world_entry *entry = directory_find(&s->server->worlds, g->name);
        if (request_log_last(log, entry != NULL ? entry->number : 0, g->name) == &g->last) {
            out[count++] = (applied_request){g->name, g->last.world, g->last.id};
        }
    }
    return count;
}

static void answer(session *s)
{
    ASSERT(s->connection != NULL && s->resume.restarts == 0);
    burials_settle(s);
    uint32_t waiting = request_log_waiting(&s->calls.requests, NULL);
    const uint32_t most = s->calls.requests.applied.count + s->calls.requests.gone.count;
    applied_request *applied = calloc(most + 1, sizeof *applied);
    subscription_name *names = calloc(s->subscriptions.count + 1, sizeof *names);
    uint32_t *pending = calloc(waiting + 1, sizeof *pending);
    ASSERT_MEMORY(applied != NULL && names != NULL && pending != NULL);
    sessions_name_subscriptions(s, names);
    resumed_result r = {.applied = applied,
                        .applied_count = list_applied(s, applied),
                        .pending = pending,
                        .pending_count = request_log_waiting(&s->calls.requests, pending),
                        .subscriptions = names,
                        .subscription_count = s->subscriptions.count};
    call_answer_hello(s, s->resume.answer_wanted, s->resume.id, s->resume.protocol, &r);
    free(applied);
    free(names);
    free(pending);
}

void resume_check(session *s, bool anyway)
{
    if (!s->resume.answer_awaited || s->resume.restarts > 0 ||
        (s->calls.in_flight > 0 && !anyway)) {
        return;
    }
    s->resume.answer_awaited = false;
    answer(s);
    restart_subscriptions(s); // after the answer, so that no snapshot comes before it
    session_work(s);
}
