// The path of messages that arrive: they are fetched from the connection, end requests, feed views,
// and go to the caller's handlers. One thread at a time.
#include "client/lib/client.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/lib/message.h"
#include "common/base/assert.h"

// ---- requests

void client_end_request(carom_client *c, uint64_t id, carom_value *result, const carom_error *err)
{
    pending_request ended;
    if (id == c->hello_request) {
        requests_remove(&c->requests, id);
        c->hello_request = 0;
        if (c->state == CAROM_RECONNECTING) {
            resume_take_hello(c, result, err);
        } else {
            client_take_hello(c, result, err);
        }
        carom_value_free(result);
        return;
    }
    if (requests_end(&c->requests, id, result, err, &ended)) {
        c->front->in_callback++;
        ended.fn(c->front, ended.id, ended.result, err, ended.user);
        c->front->in_callback--;
        carom_value_free(ended.result);
    }
}

static bool expire_requests(carom_client *c)
{
    int64_t now = monotonic_ns();
    if (now < c->requests.next_deadline_ns) {
        return false;
    }
    bool any = false;
    uint32_t cursor = 0;
    uint32_t id;
    while ((id = requests_next_expired(&c->requests, now, &cursor)) != 0) {
        const pending_request *entry = requests_find(&c->requests, id);
        carom_error late = {0};
        fault_set(&late, CAROM_UNAVAILABLE, "no answer to '%s' within %d ms", entry->method,
                  entry->timeout_ms);
        client_end_request(c, id, NULL, &late);
        any = true;
    }
    requests_note_deadline(&c->requests);
    return any;
}

// ---- the end

// Asks the server to end the session at once instead of keeping it for a resume. Sends only what
// the socket accepts.
static void say_goodbye(carom_client *c)
{
    // whether the server would keep the session
    bool kept = carom_get_str(c->hello, "resume", "")[0] != '\0';
    if (c->state == CAROM_OPEN && kept && !c->options.keep_session &&
        connection_unsent(&c->wire) == 0) {
        carom_send(c, "goodbye", NULL, NULL);
        connection_write(&c->wire);
    }
}

void client_close(carom_client *c, carom_status why, const char *format, ...)
{
    if (c->state == CAROM_CLOSED) {
        return;
    }
    char text[2 * CAROM_ERROR_TEXT_MAX]; // connection_shut cuts it
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (why == CAROM_OK) {
        say_goodbye(c);
    }
    connection_shut(&c->wire, why, "%s", text); // an earlier reason is kept
    c->state = CAROM_CLOSED;
    view_list_end_all(&c->views); // the front's views
    follow_close(c);
    carom_error lost = {0};
    bool starved = c->wire.why == CAROM_OUT_OF_MEMORY;
    fault_set(&lost, starved ? CAROM_OUT_OF_MEMORY : CAROM_UNAVAILABLE, "connection closed%s%s",
              c->wire.why_text[0] == '\0' ? "" : ": ", c->wire.why_text);
    c->hello_request = 0;
    uint32_t cursor = UINT32_MAX;
    uint32_t id;
    while ((id = requests_next_waiting(&c->requests, &cursor)) != 0) {
        bool sent = requests_find(&c->requests, id)->sent;
        lost.applied = sent ? CAROM_APPLIED_UNKNOWN : CAROM_APPLIED_NO;
        client_end_request(c, id, NULL, &lost);
    }
    if (c->handlers.closed != NULL) {
        c->in_callback++;
        c->handlers.closed(c, c->wire.why, c->wire.why_text, c->handlers.user);
        c->in_callback--;
    }
}

static void close_for(carom_client *c, const carom_error *why)
{
    client_close(c, why->status, "%s", why->text);
}

// ---- messages

static void take_response(carom_client *c, const message *m)
{
    pending_request *entry = requests_find(&c->requests, m->id);
    if (entry == NULL || entry->done) {
        c->traffic.late++;
        return;
    }
    carom_value *result = NULL;
    carom_error answer = {0};
    carom_error fault = {0};
    carom_status outcome = message_outcome(m, &result, &answer, &fault);
    if (outcome == CAROM_OUT_OF_MEMORY) {
        client_end_request(c, m->id, NULL, &fault); // the connection remains usable
    } else if (outcome != CAROM_OK) {
        close_for(c, &fault);
    } else {
        epochs_note_answer(&c->front->epochs, entry->world, result);
        if (result == NULL && follow_refused(c, m->id, &answer)) {
            return; // another server has it
        }
        if (!follow_answered(c, entry, result, &answer)) {
            fault_memory(&answer);
            carom_value_free(result);
            result = NULL;
        }
        client_end_request(c, m->id, result, result == NULL ? &answer : NULL);
    }
}

static void call_snapshot_handlers(carom_client *of, const carom_snapshot *snapshot)
{
    carom_client *c = of->front;
    if (c->handlers.snapshot != NULL && c->state != CAROM_CLOSED) {
        c->in_callback++;
        c->handlers.snapshot(c, snapshot, c->handlers.user);
        c->in_callback--;
    }
    for (size_t i = 0; i < snapshot->event_count && c->state != CAROM_CLOSED; i++) {
        if (c->handlers.event == NULL) {
            return;
        }
        c->in_callback++;
        c->handlers.event(c, snapshot, &snapshot->events[i], c->handlers.user);
        c->in_callback--;
    }
}

static void take_snapshot(carom_client *c, const message *m)
{
    carom_snapshot snapshot = {.subscription = 0};
    carom_error why = {0};
    size_t size = (size_t)(m->at.end - m->at.at);
    carom_status outcome =
        m->kind == MESSAGE_LOG
            ? snapshot_decode_compact(&c->decoder, m->at.at, size, &snapshot, &why)
            : snapshot_decode(&c->decoder, m->at.at, size, &snapshot, &why);
    if (outcome == CAROM_NOT_FOUND) {
        return; // the subscription has ended
    }
    if (outcome != CAROM_OK && follow_has_left(c, snapshot.subscription)) {
        return; // a change of a state that was forgotten when the world moved on
    }
    if (outcome == CAROM_OUT_OF_MEMORY || outcome == CAROM_LIMIT_EXCEEDED) {
        close_for(c, &why);
        return;
    }
    if (outcome != CAROM_OK) {
        client_close(c, outcome, "the server sent a malformed message: %s", why.text);
        return;
    }
    c->traffic.snapshots++;
    if (snapshot.full && snapshot.epoch != 0) {
        epochs_note(&c->front->epochs, snapshot.world, snapshot.epoch);
    }
    const uint64_t number = snapshot.subscription;
    snapshot.subscription = follow_shown(c, number, snapshot.world);
    if (snapshot.subscription == 0) {
        snapshot_decoder_forget(&c->decoder, number);
        return; // its world is served elsewhere
    }
    c->traffic.events += snapshot.event_count;
    c->front->in_callback++; // a view may call its owner
    outcome = view_list_apply(&c->front->views, &snapshot, &why);
    c->front->in_callback--;
    if (outcome != CAROM_OK) {
        close_for(c, &why);
        return;
    }
    call_snapshot_handlers(c, &snapshot);
}

// Handles notifications that concern the library itself, before the caller's handler sees them.
// True: the caller does not see it.
static bool heed_notification(carom_client *c, const char *method, carom_value *params)
{
    if (strcmp(method, "closing") == 0) {
        connection_announce_end(
            &c->wire, carom_status_from_name(carom_get_str(params, "code", "internal")),
            carom_get_str(params, "reason", "the server closed the connection"));
    } else if (strcmp(method, "world_closed") == 0) {
        const carom_status code = carom_status_from_name(carom_get_str(params, "code", ""));
        if (code != CAROM_UNAVAILABLE && code != CAROM_MOVED) { // else the world is elsewhere
            epochs_note(&c->front->epochs, carom_get_str(params, "world", ""), 0);
        }
    }
    return follow_notice(c, method, params);
}

static void take_notification(carom_client *c, const message *m)
{
    carom_value *params = NULL;
    carom_error why = {0};
    if (message_params(m, &params, &why) != CAROM_OK) {
        close_for(c, &why);
        return;
    }
    const bool hidden = heed_notification(c, m->method, params);
    carom_client *front = c->front;
    if (!hidden && front->handlers.notification != NULL && front->state != CAROM_CLOSED) {
        front->in_callback++;
        front->handlers.notification(front, m->method, params, front->handlers.user);
        front->in_callback--;
    }
    carom_value_free(params);
}

static void take_message(carom_client *c, const uint8_t *bytes, size_t size)
{
    message m;
    carom_error why = {0};
    c->traffic.messages_in++;
    if (message_open(bytes, size, &m, &why) != CAROM_OK) {
        close_for(c, &why);
        return;
    }
    switch (m.kind) {
    case MESSAGE_RESPONSE:
        take_response(c, &m);
        break;
    case MESSAGE_SNAPSHOT:
    case MESSAGE_LOG:
        take_snapshot(c, &m);
        break;
    case MESSAGE_NOTIFICATION:
        take_notification(c, &m);
        break;
    }
}

// One call reads CAROM_POLL_BYTES_MAX at most, so that a flood does not block the caller.
static bool receive(carom_client *c)
{
    bool any = false;
    size_t left = CAROM_POLL_BYTES_MAX;
    size_t got;
    while (left > 0 && (got = connection_receive(&c->wire, left)) > 0) {
        left -= got;
        const uint8_t *bytes;
        size_t size;
        while (connection_next(&c->wire, &bytes, &size)) {
            take_message(c, bytes, size);
            any = true;
        }
    }
    return any;
}

// ---- the whole

// A client that sends no hello is open as soon as its socket is.
static bool open_without_hello(carom_client *c)
{
    if (c->state != CAROM_CONNECTING || c->wire.phase != CONNECTION_UP || c->options.hello) {
        return false;
    }
    c->state = CAROM_OPEN;
    return true;
}

bool client_pump(carom_client *c)
{
    ASSERT(c->refs > 0 && c->in_callback == 0);
    ASSERT(!c->resume.waiting || c->state == CAROM_RECONNECTING || c->state == CAROM_CLOSED);
    bool any = resume_advance(c);
    any = connection_dial_on(&c->wire) || any;
    any = open_without_hello(c) || any;
    connection_write(&c->wire);
    any = receive(c) || any;
    silence_advance(c);
    if (c->state != CAROM_CLOSED) { // after handling input: an answer may have arrived in time
        any = expire_requests(c) || any;
    }
    if (c->state == CAROM_CLOSED) {
        return true;
    }
    if (c->wire.write_failure != 0) {
        connection_shut(&c->wire, CAROM_UNAVAILABLE, "connection lost: %s",
                        strerror(c->wire.write_failure));
    }
    connection_write(&c->wire); // output of the callbacks
    if (c->wire.phase == CONNECTION_DOWN && c->state != CAROM_CLOSED && !c->resume.waiting) {
        if (!resume_begin(c) && !follow_survives(c)) {
            client_close(c, c->wire.why, "%s", c->wire.why_text);
        }
        any = true;
    }
    return c == c->front ? follow_pump(c) || any : any;
}

int64_t client_deadline(const carom_client *c)
{
    int64_t deadline = earlier_of(c->requests.next_deadline_ns, silence_deadline(c));
    if (connection_has_input(&c->wire)) {
        return 0;
    }
    if (c->wire.phase == CONNECTION_DIALING) {
        return earlier_of(deadline, c->wire.address_deadline_ns);
    }
    if (c->resume.waiting) {
        return earlier_of(deadline, c->resume.next_ns);
    }
    return c->wire.phase == CONNECTION_DOWN ? 0 : deadline;
}

_Static_assert((int)FOLLOW_SERVERS_MAX == (int)CONNECTIONS_MAX, "all are waited for");

void client_wait(carom_client *c, int64_t deadline_ns)
{
    struct pollfd sockets[FOLLOW_SERVERS_MAX];
    uint32_t count = 0;
    if (c->resume.waiting) {
        deadline_ns = earlier_of(deadline_ns, c->resume.next_ns);
    }
    deadline_ns = earlier_of(deadline_ns, c->requests.next_deadline_ns);
    deadline_ns = earlier_of(deadline_ns, silence_deadline(c));
    deadline_ns = connection_poll(&c->wire, &sockets[count++], deadline_ns);
    for (uint32_t i = 0; i < c->follow.links.count; i++) {
        const carom_client *link = c->follow.links.data[i];
        deadline_ns = connection_poll(&link->wire, &sockets[count++], deadline_ns);
    }
    connection_wait(sockets, count, follow_deadline(c, deadline_ns));
}
