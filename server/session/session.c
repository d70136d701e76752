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
    ANSWER_COPIED_MAX = 4096, // larger results are sent by reference
    // Growth of an input that is counted, but not asked for: where memory is out, messages up to
    // twice this still come, so that they are refused one by one and their connection stays.
    INPUT_UNASKED_BYTES = 32 * 1024
};

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

static void end_subscriptions(session *s)
{
    for (uint32_t i = 0; i < s->subscriptions.count; i++) {
        uint64_t world = s->subscriptions.data[i].world;
        bool told = false;
        for (uint32_t j = 0; j < i && !told; j++) {
            told = s->subscriptions.data[j].world == world;
        }
        if (!told) {
            worlds_forget(s->server, s->key, world);
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
    if (why != STATUS_UNAVAILABLE) { // `unavailable` is no fault of the peer's
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

// The peer has ended cleanly: it is closed when it has its answers.
static void finish_if_done(session *s)
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
    finish_if_done(s);
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

// ---- input

// The message will never be complete: its sender gets an error, with its id if known, and the
// connection is closed.
static void refuse_input(session *s, const uint8_t *message, size_t size, const error *err)
{
    uint32_t id = 0;
    metrics_add(METRIC_messages_malformed, 1);
    error told = *err;
    if (err->status == STATUS_LIMIT_EXCEEDED && rights_awaits_token(s)) {
        error_prefix(&told, "stranger_bytes: before a token");
    }
    if (rpc_peek_id(message, size, &id)) {
        session_answer_error(s, id, &told);
    }
    session_close(s, told.status, told.text, ENDING_FLUSH);
}

static void refuse_message(session *s, const rpc_message *m, rpc_verdict verdict, const error *err)
{
    if (m->answerable) {
        session_answer_error(s, m->id, err);
    }
    if (verdict == RPC_BROKEN) {
        metrics_add(METRIC_messages_malformed, 1);
        session_close(s, err->status, err->text, ENDING_FLUSH);
    } else if (!m->answerable) {
        metrics_add(METRIC_notifications_failed, 1);
    }
}

// `aside` as of call_handle.
static void take_message(session *s, rpc_verdict verdict, const rpc_message *message,
                         const error *err, size_t size, decoding *aside)
{
    if (verdict != RPC_GOOD) {
        refuse_message(s, message, verdict, err);
    } else if (message->kind == RPC_RESPONSE) {
        metrics_add(METRIC_messages_malformed, 1);
        session_close(s, STATUS_INVALID_ARGUMENT, "a response, but nothing was asked",
                      ENDING_FLUSH);
    } else {
        call_handle(s, message, size, aside);
    }
}

// A large message above the rate is refused without unpacking it.
static bool pay_first(session *s, const uint8_t *bytes, size_t size)
{
    error err;
    uint32_t id = 0;
    bool exhausted = false;
    if (rights_pay(s, METHOD_PING, size, &exhausted, &err) == STATUS_OK) {
        return true;
    }
    metrics_count_limit(err.text);
    rights_audit(s, &err);
    if (rpc_peek_id(bytes, size, &id)) {
        session_answer_error(s, id, &err);
    } else {
        metrics_add(METRIC_notifications_failed, 1);
    }
    if (exhausted && !session_closes(s)) {
        session_close(s, STATUS_LIMIT_EXCEEDED, "requests_per_second: too many for too long",
                      ENDING_FLUSH);
    }
    return false;
}

static void handle_message(session *s, const uint8_t *bytes, size_t size)
{
    ASSERT(size > 0 && s->state < SESSION_CLOSING);
    metrics_add(METRIC_messages_received, 1);
    if (s->state == SESSION_OPENED) {
        session_change(s, SESSION_SPEAKING);
    }
    s->times.heard_ms = uv_now(s->server->loop);
    s->intake.begun_ms = 0;
    rpc_message message;
    error err;
    if (rights_pays_first(s) && !pay_first(s, bytes, size)) {
        return;
    }
    if (decoding_wanted(size, s->intake.input.scanner.values)) {
        decoding_begin(s, bytes, size);
        return;
    }
    rpc_verdict verdict = rpc_decode(bytes, size, &message, &err);
    take_message(s, verdict, &message, &err, size, NULL);
    if (verdict == RPC_GOOD) {
        rpc_message_deinit(&message);
    }
}

void session_decoded(session *s, decoding *d)
{
    if (session_closes(s) || s->connection == NULL || s->server->stage == SERVER_DRAINING) {
        return;
    }
    ASSERT(!s->intake.work_running && s->intake.decoding == NULL);
    s->intake.work_running = true;
    take_message(s, d->verdict, &d->message, &d->err, d->size, d);
    s->intake.work_running = false;
    session_work(s); // continues with the input after it
}

// Handles complete messages, as far as the limit of calls in flight allows, until the slice is
// over. True: there may be more.
static bool handle_messages(session *s, const turn *slice)
{
    scan_verdict verdict = SCAN_MESSAGE;
    s->intake.input_blocked = false;
    while (verdict == SCAN_MESSAGE && !session_closes(s)) {
        const uint8_t *message = NULL;
        size_t size = 0;
        error err;
        if (s->resume.answer_awaited || s->intake.decoding != NULL ||
            s->calls.in_flight >= s->identity.bounds.commands_per_connection) {
            s->intake.input_blocked = true;
            break;
        }
        verdict = input_next(&s->intake.input, &message, &size, &err);
        if (verdict == SCAN_MESSAGE) {
            handle_message(s, message, size);
        } else if (verdict == SCAN_REFUSED) {
            refuse_input(s, message, size, &err);
        }
        // While a message is decoded aside, the session waits, which the next round finds.
        if (verdict == SCAN_MESSAGE && s->intake.decoding == NULL && turn_over(slice)) {
            return !session_closes(s) && input_unscanned(&s->intake.input);
        }
    }
    return false;
}

// Charges received bytes; a connection in debt is not read until the debt is paid.
static void meter(session *s)
{
    uint64_t received = connection_traffic_now(s->connection).received_bytes;
    ASSERT(received >= s->meter.paid_bytes);
    uint64_t size = received - s->meter.paid_bytes;
    s->meter.paid_bytes = received;
    double rate = (double)s->identity.bounds.input_bytes_per_second;
    bool solvent =
        bucket_charge(&s->meter.received, (double)size, rate, rate, uv_now(s->server->loop));
    if (solvent == s->meter.input_throttled) {
        s->meter.input_throttled = !solvent;
        metrics_add(METRIC_input_limited, s->meter.input_throttled ? 1 : 0);
        if (!session_closes(s)) {
            connection_read(s->connection, !s->intake.input_blocked && !s->meter.input_throttled);
        }
    }
}

// True: it continues in another turn.
static bool work(session *s, const turn *slice)
{
    ASSERT(!s->intake.work_running && s->connection != NULL);
    s->intake.work_running = true;
    const bool more = handle_messages(s, slice);
    s->intake.work_running = false;
    input_settle(&s->intake.input);
    if (session_closes(s)) {
        return false;
    }
    connection_read(s->connection, !s->intake.input_blocked && !s->meter.input_throttled && !more);
    if (s->intake.input_blocked || more || !input_partial(&s->intake.input)) {
        s->intake.begun_ms = 0;
    } else if (s->intake.begun_ms == 0) {
        s->intake.begun_ms = uv_now(s->server->loop);
    }
    if (!more && !s->intake.input_blocked && s->intake.refused.text != NULL) {
        session_close(s, s->intake.refused.why, s->intake.refused.text, ENDING_FLUSH);
    }
    return more;
}

static job_progress do_work(turn_job *job, const turn *slice)
{
    session *s = (session *)((char *)job - offsetof(session, intake.job));
    if (session_closes(s) || s->connection == NULL || s->server->stage == SERVER_DRAINING) {
        return JOB_DONE;
    }
    const int64_t begin = clock_now_ns();
    const uint64_t subject = session_turn_subject(s);
    const bool goes_on = work(s, slice);
    s->intake.worked_ns += clock_now_ns() - begin;
    if (goes_on && session_turn_subject(s) == subject) {
        return JOB_GOES_ON;
    }
    if (goes_on) {
        work_add(s->server, job, do_work, session_turn_subject(s));
        return JOB_DONE;
    }
    finish_if_done(s);
    return JOB_DONE;
}

void session_received(void *peer, const uint8_t *data, size_t size)
{
    session *s = peer;
    ASSERT(s->connection != NULL && s->state != SESSION_HALF_CLOSED);
    if (session_closes(s) || s->server->stage == SERVER_DRAINING) {
        return;
    }
    error err;
    const size_t growth = input_growth(&s->intake.input, size);
    if (growth > INPUT_UNASKED_BYTES && memory_ask(NULL, growth, &err) != STATUS_OK) {
        // the message that began cannot be completed
        session_close(s, err.status, err.text, ENDING_FLUSH);
        return;
    }
    input_append(&s->intake.input, data, size);
    meter(s);
    session_work(s);
    if (s->intake.job_turn != s->server->turn.number) {
        connection_read(s->connection, false); // until the input of an earlier turn is handled
    }
}

// The peer broke a rule: reports it after the answers to its earlier messages.
static void refuse_connection(session *s, status why, const char *text)
{
    if (turn_job_queued(&s->intake.job) || s->intake.input_blocked) {
        s->intake.refused.why = why;
        s->intake.refused.text = text;
    } else {
        session_close(s, why, text, ENDING_FLUSH);
    }
}

void session_fenced(void *peer)
{
    session *s = peer;
    if (!session_closes(s) && s->server->stage != SERVER_DRAINING &&
        !input_whole(&s->intake.input)) {
        metrics_add(METRIC_messages_malformed, 1);
        refuse_connection(s, STATUS_INVALID_ARGUMENT,
                          "a WebSocket message has to be one or more whole messages");
    }
}

void session_refused(void *peer, status why, const char *text)
{
    refuse_connection(peer, why, text);
}

void session_work(session *s)
{
    if (!s->intake.work_running && !session_closes(s) && s->connection != NULL &&
        !turn_job_queued(&s->intake.job)) {
        s->intake.job_turn = s->server->turn.number;
        loop_turn_begin(&s->server->turn);
        work_add(s->server, &s->intake.job, do_work, session_turn_subject(s));
    }
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
    finish_if_done(s);
}

// ---- times

static void expire(session *s, const char *text)
{
    metrics_add(METRIC_connections_expired, 1);
    session_close(s, STATUS_LIMIT_EXCEEDED, text, ENDING_FLUSH);
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
        meter(s);
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

static uint32_t take_slot(server *s)
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
    opened->key = (session_key){.slot = take_slot(s), .number = s->next_session++};
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
    s->session_count++;
    metrics_add(METRIC_connections_accepted, 1);
    log_debug("session %llu (%s) opened", (unsigned long long)opened->key.number,
              connection_peer_name(c));
    return opened;
}
