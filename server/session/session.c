// One connection's session: input in, answers and snapshots out, its times and its end.
// Network thread only.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/audit.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/session/calls/call.h"
#include "server/session/calls/rights.h"
#include "server/session/placement/departure.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/session/session.h"

enum {
    ANSWER_COPIED_MAX = 4096 // larger results are sent by reference
};

_Static_assert(sizeof(session_subscription) <= SUBSCRIPTION_RECORD_BYTES, "counted by publishers");

// ---- states

#define TO(state) (1u << (state))

static const uint32_t CHANGES[] = {
    [SESSION_OPENED] = TO(SESSION_SPEAKING) | TO(SESSION_HALF_CLOSED) | TO(SESSION_CLOSING),
    [SESSION_SPEAKING] = TO(SESSION_HALF_CLOSED) | TO(SESSION_CLOSING) | TO(SESSION_DETACHED),
    [SESSION_HALF_CLOSED] = TO(SESSION_CLOSING) | TO(SESSION_DETACHED),
    [SESSION_CLOSING] = TO(SESSION_DETACHED),
    [SESSION_DETACHED] = 0, // the session of another connection takes it over
};
_Static_assert(sizeof CHANGES / sizeof *CHANGES == SESSION_DETACHED + 1, "a row a state");

void session_change(session *s, session_state to)
{
    ASSERT((CHANGES[s->state] & TO(to)) != 0);
    ASSERT(to != SESSION_DETACHED || s->connection == NULL);
    s->state = to;
}

void session_decide(session *s, session_fate fate)
{
    ASSERT(fate != FATE_KEPT && (s->fate == FATE_KEPT || s->fate == fate));
    ASSERT(fate != FATE_REPLACED || s->resume.secret_state == SECRET_NONE); // moved
    s->fate = fate;
}

// ---- output

void session_send_scratch(session *s)
{
    buffer *out = &s->server->scratch;
    ASSERT(!out->overflow);
    if (s->connection == NULL) {
        return; // detached: a client that resumes learns which requests took effect
    }
    if (!connection_send(s->connection, out->data, out->size, NULL, 0)) {
        session_close(s, STATUS_LIMIT_EXCEEDED,
                      "output_bytes: too much output waits for this client", ENDING_CUT);
    }
}

void session_answer_error(session *s, uint32_t id, const error *err)
{
    buffer *out = &s->server->scratch;
    buffer_clear(out);
    msgpack_packer packer = buffer_packer(out);
    rpc_pack_error(&packer, id, err);
    metrics_add(METRIC_requests_failed, 1);
    session_send_scratch(s);
}

void session_warn(session *s, double seconds, const char *reason)
{
    buffer *out = &s->server->scratch;
    buffer_clear(out);
    encode_leaving(out, seconds, reason);
    session_send_scratch(s);
}

// The result itself exceeds the limit on output: answers with that error and keeps the connection.
static bool answer_too_large(session *s, uint32_t id, size_t size)
{
    if (size + ANSWER_COPIED_MAX <= s->server->limits->output_bytes) {
        return false;
    }
    error err;
    error_set(&err, STATUS_LIMIT_EXCEEDED, "the answer has %zu bytes, output_bytes is %llu", size,
              (unsigned long long)s->server->limits->output_bytes);
    session_answer_error(s, id, &err);
    return true;
}

void session_answer(session *s, uint32_t id, const uint8_t *result, size_t size, shared_bytes *big)
{
    if (s->connection == NULL || answer_too_large(s, id, size)) {
        bytes_unref(big);
        return;
    }
    buffer *out = &s->server->scratch;
    buffer_clear(out);
    msgpack_packer packer = buffer_packer(out);
    rpc_pack_response(&packer, id);
    if (big != NULL && size > ANSWER_COPIED_MAX) {
        if (!connection_send(s->connection, out->data, out->size, big, 0)) {
            session_close(s, STATUS_LIMIT_EXCEEDED,
                          "output_bytes: too much output waits for this client", ENDING_CUT);
        }
        return;
    }
    buffer_append(out, result, size);
    bytes_unref(big);
    session_send_scratch(s);
}

// ---- subscriptions

session_subscription *session_find_subscription(session *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->subscriptions.count; i++) {
        if (s->subscriptions.data[i].number == number) {
            return &s->subscriptions.data[i];
        }
    }
    return NULL;
}

void session_remove_subscription(session *s, session_subscription *found)
{
    free(found->data);
    array_swap_remove(&s->subscriptions, found - s->subscriptions.data);
}

void session_clear_subscriptions(session *s)
{
    while (s->subscriptions.count > 0) {
        session_remove_subscription(s, &s->subscriptions.data[s->subscriptions.count - 1]);
    }
}

void session_drop_subscription(session *s, uint64_t number)
{
    session_subscription *found = session_find_subscription(s, number);
    if (found != NULL) {
        session_store_drop_subscription(s, number);
        session_remove_subscription(s, found);
    }
}

void session_world_closed(session *s, uint64_t subscription, status why, const char *text)
{
    const session_subscription *found = session_find_subscription(s, subscription);
    ASSERT(why != STATUS_OK);
    if (found == NULL) {
        return;
    }
    if (session_store_keeps(s)) {
        return; // it continues when the session is resumed
    }
    if (s->connection == NULL || session_closes(s)) {
        session_drop_subscription(s, subscription); // a client that resumes finds it missing
        return;
    }
    error err;
    error_set(&err, why, "%s", text);
    if (why == STATUS_MOVED) {
        worlds_departure_error(s, found->world_name, text, &err);
    }
    buffer *out = &s->server->scratch;
    buffer_clear(out);
    encode_world_closed(out, subscription, found->world_name, err.status, err.text);
    session_drop_subscription(s, subscription);
    session_send_scratch(s);
}

bool session_subscribes_first(const session *s, uint32_t i)
{
    ASSERT(i < s->subscriptions.count);
    const uint64_t world = s->subscriptions.data[i].world;
    for (uint32_t j = 0; j < i; j++) {
        if (s->subscriptions.data[j].world == world) {
            return false;
        }
    }
    return true;
}

static void end_subscriptions(session *s)
{
    for (uint32_t i = 0; i < s->subscriptions.count; i++) {
        if (session_subscribes_first(s, i)) {
            worlds_forget(s->server, s->key, s->subscriptions.data[i].world);
        }
    }
    session_clear_subscriptions(s);
}

void session_written(void *peer, uint64_t token)
{
    session *s = peer;
    const session_subscription *subscription = session_find_subscription(s, token);
    if (subscription != NULL) {
        worlds_note_written(s->server, subscription->number, subscription->world);
    }
}

// ---- the end

void session_close(session *s, status why, const char *text, connection_ending ending)
{
    ASSERT(s->connection != NULL);
    if (s->fate == FATE_KEPT) {
        session_decide(s, FATE_OVER);
    }
    session_store_end(s);
    if (session_closes(s)) {
        return;
    }
    session_change(s, SESSION_CLOSING);
    metrics_add(METRIC_connections_overrun, ending == ENDING_CUT ? 1 : 0);
    if (why == STATUS_LIMIT_EXCEEDED) {
        metrics_count_limit(text);
    }
    log_debug("session %llu (%s) closed: %s: %s", (unsigned long long)s->key.number,
              connection_peer_name(s->connection), status_code(why), text);
    if (why != STATUS_UNAVAILABLE) { // `unavailable` is not the peer's fault
        char reason[2 * ERROR_TEXT_MAX];
        snprintf(reason, sizeof reason, "closed: %s", text);
        audit_refusal(s->key.number, rights_subject(s), connection_peer_name(s->connection), why,
                      reason);
    }
    end_subscriptions(s);
    buffer farewell;
    buffer_init(&farewell, 2 * ERROR_TEXT_MAX);
    encode_closing(&farewell, why, text);
    connection_close(s->connection, ending, why, text, farewell.data, farewell.size);
    buffer_deinit(&farewell);
}

static void finish(session *s)
{
    ASSERT(s->connection != NULL);
    session_change(s, SESSION_CLOSING);
    connection_close(s->connection, ENDING_LINGER, STATUS_OK, "", NULL, 0);
}

// Closes a session whose peer has ended cleanly as soon as it has its answers.
void session_finish_if_done(session *s)
{
    if (s->state == SESSION_HALF_CLOSED && !s->intake.work_running && !s->intake.input_blocked &&
        !turn_job_queued(&s->intake.job) && s->calls.in_flight == 0) {
        finish(s);
    }
}

void session_ended(void *peer)
{
    session *s = peer;
    ASSERT(s->connection != NULL);
    if (s->state < SESSION_HALF_CLOSED) {
        session_change(s, SESSION_HALF_CLOSED);
    }
    s->times.half_closed_ms = uv_now(s->server->loop);
    if (!session_resumable(s)) {
        end_subscriptions(s);
    }
    session_finish_if_done(s);
}

void session_destroy(session *s)
{
    server *of = s->server;
    ASSERT(s->connection == NULL && !s->intake.work_running);
    work_remove(of, &s->intake.job);
    if (s->fate != FATE_REPLACED) {
        end_subscriptions(s);
        if (!session_store_keeps(s)) {
            worlds_end_session(s);
        }
        session_store_end(s);
        ASSERT(of->sessions.data[s->key.slot] == s);
        of->sessions.data[s->key.slot] = NULL;
        session_numbers_remove(&of->numbers, s->key.number, s->key.slot);
        array_push(&of->free_slots, s->key.slot);
    }
    secret_wipe(&s->resume.secret);
    rights_end(s);
    quota_owners_release(s->identity.address);
    memory_holder_unref(s->identity.memory);
    input_deinit(&s->intake.input);
    request_log_deinit(&s->calls.requests);
    array_free(&s->subscriptions);
    array_free(&s->body_worlds);
    memory_note(MEMORY_sessions, NULL, -(int64_t)sizeof *s);
    free(s);
}

void session_closed(void *peer)
{
    session *s = peer;
    server *of = s->server;
    ASSERT(s->connection != NULL && of->session_count > 0);
    log_debug("session %llu (%s) has lost its connection", (unsigned long long)s->key.number,
              connection_peer_name(s->connection));
    of->session_count--;
    work_remove(of, &s->intake.job);
    decoding_forget(s); // like input that was not dealt with
    s->connection = NULL;
    quota_owners_release(s->identity.address);
    s->identity.address = NULL;
    if (session_resumable(s) && of->stage != SERVER_DRAINING) {
        resume_detach(s);
    } else {
        session_destroy(s);
    }
    server_check_left(of);
}

void session_deal(session *s)
{
    if (s->connection != NULL) {
        connection_deal(s->connection, session_turn_subject(s));
    }
}

void session_visit(session *s, uint64_t world)
{
    if (s->calls.world != world) {
        s->calls.world = world;
        session_deal(s);
    }
}

void session_settle(session *s)
{
    if (session_closes(s) || s->server->stage == SERVER_DRAINING || s->connection == NULL) {
        return;
    }
    if (s->resume.answer_awaited) {
        resume_check(s, false);
    } else if (s->intake.input_blocked) {
        session_work(s);
    }
    session_finish_if_done(s);
}

// ---- times

static void expire(session *s, const char *text)
{
    metrics_add(METRIC_connections_expired, 1);
    session_close(s, STATUS_LIMIT_EXCEEDED, text, ENDING_FLUSH);
}

void session_stalled(void *peer)
{
    const session *s = peer;
    audit_refusal(s->key.number, rights_subject(s), connection_peer_name(s->connection),
                  STATUS_LIMIT_EXCEEDED, CONNECTION_STALLED);
}

void session_swept(void *peer, uint64_t now_ms)
{
    session *s = peer;
    const limits *l = s->server->limits;
    uint64_t silent = now_ms - s->times.heard_ms;
    bool quiet =
        s->calls.in_flight == 0 && s->subscriptions.count == 0 && s->state != SESSION_HALF_CLOSED;
    if (session_closes(s)) {
        return;
    }
    if (s->meter.input_throttled) {
        session_charge_input(s);
    }
    if (s->state == SESSION_OPENED && silent >= l->first_message_ms) {
        expire(s, "no message within first_message_ms");
    } else if (rights_expired(s)) {
        rights_fall(s);
        session_close(s, STATUS_UNAUTHENTICATED, "the token has expired", ENDING_FLUSH);
    } else if (rights_awaits_token(s) && now_ms - s->times.opened_ms >= l->token_ms) {
        expire(s, "no token within token_ms");
    } else if (s->intake.begun_ms != 0 && now_ms - s->intake.begun_ms >= l->message_ms) {
        expire(s, "a message was not finished within message_ms");
    } else if (l->idle_ms > 0 && quiet && silent >= l->idle_ms) {
        expire(s, "silent for idle_ms");
    } else if (s->state == SESSION_HALF_CLOSED &&
               now_ms - s->times.half_closed_ms >= l->half_closed_ms) {
        finish(s);
    } else if (s->resume.answer_awaited && now_ms >= s->resume.deadline_ms) {
        resume_check(s, true);
    }
}

// ---- the beginning

uint32_t session_take_slot(server *s)
{
    if (s->free_slots.count > 0) {
        return s->free_slots.data[--s->free_slots.count];
    }
    array_push(&s->sessions, NULL);
    return s->sessions.count - 1;
}

static void turn_away(connection *c, const char *limit, const char *text)
{
    metrics_add(METRIC_connections_refused, 1);
    metrics_count_limit(limit);
    audit_refusal(AUDIT_NO_SESSION, "", connection_peer_name(c), STATUS_LIMIT_EXCEEDED, text);
    buffer farewell;
    buffer_init(&farewell, 2 * ERROR_TEXT_MAX);
    encode_closing(&farewell, STATUS_LIMIT_EXCEEDED, text);
    connection_close(c, ENDING_FLUSH, STATUS_LIMIT_EXCEEDED, text, farewell.data, farewell.size);
    buffer_deinit(&farewell);
}

static void reject(connection *c, const char *limit, uint64_t most)
{
    char text[ERROR_TEXT_MAX];
    snprintf(text, sizeof text, "%s: there %s %llu already", limit, most == 1 ? "is" : "are",
             (unsigned long long)most);
    turn_away(c, limit, text);
}

// NULL for an address that does not count.
static quota_owner *hold_address(server *s, const connection *c)
{
    char name[QUOTA_OWNER_NAME_MAX + 1];
    quota_owner_address(connection_peer_name(c), name);
    return *name != '\0'
               ? quota_owners_hold(&s->quota_owners, name, (double)s->limits->requests_per_second,
                                   (double)s->limits->request_burst, uv_now(s->loop))
               : NULL;
}

void *session_open(server *s, connection *c)
{
    if (s->session_count >= s->limits->connections) {
        reject(c, "connections", s->limits->connections);
        return NULL;
    }
    quota_owner *address = hold_address(s, c);
    if (address != NULL && address->holders > s->limits->connections_per_address) {
        quota_owners_release(address);
        reject(c, "connections_per_address", s->limits->connections_per_address);
        return NULL;
    }
    error err;
    if (memory_take(MEMORY_sessions, NULL, sizeof(session), &err) != STATUS_OK) {
        quota_owners_release(address);
        turn_away(c, "memory", err.text);
        return NULL;
    }
    session *opened = calloc(1, sizeof *opened);
    ASSERT_MEMORY(opened != NULL);
    opened->server = s;
    opened->connection = c;
    opened->key = (session_key){.slot = session_take_slot(s), .number = s->next_session++};
    opened->opened_late = s->stage == SERVER_LEAVING;
    opened->identity.since = clock_wall_s();
    opened->identity.address = address;
    rights_begin(opened);
    session_deal(opened);
    opened->times.heard_ms = opened->times.opened_ms = uv_now(s->loop);
    input_init(&opened->intake.input, (uint32_t)s->limits->message_bytes);
    rights_bound_input(opened);
    ASSERT(s->sessions.data[opened->key.slot] == NULL);
    s->sessions.data[opened->key.slot] = opened;
    session_numbers_set(&s->numbers, opened->key.number, opened->key.slot);
    s->session_count++;
    metrics_add(METRIC_connections_accepted, 1);
    log_debug("session %llu (%s) opened", (unsigned long long)opened->key.number,
              connection_peer_name(c));
    return opened;
}
