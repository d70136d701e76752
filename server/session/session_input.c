// Input of a session: from received bytes to messages that were handled, in turns that other
// sessions share. Network thread only.
#include <stddef.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/session/calls/call.h"
#include "server/session/calls/rights.h"
#include "server/session/service.h"
#include "server/session/session.h"

enum {
    // Growth of an input that is counted, but not asked for: where memory is out, messages up to
    // twice this still come, so that they are refused one by one and their connection stays.
    INPUT_UNASKED_BYTES = 32 * 1024
};

// ---- messages

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

// ---- turns

void session_charge_input(session *s)
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
    if (rights_key_gone(s)) {
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
    session_finish_if_done(s);
    return JOB_DONE;
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

// ---- reports of the connection

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
    session_charge_input(s);
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
