// What comes back from the simulation threads, in the order in which each of them sent it.
#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/metrics.h"
#include "server/session/service.h"
#include "server/world/pace.h"

// ---- answers

// What an answer changes in the list of subscriptions.
static void note_subscription(session *s, const report *r)
{
    bool failed = r->status != STATUS_OK && r->method == METHOD_WORLD_SUBSCRIBE;
    bool over = r->method == METHOD_WORLD_UNSUBSCRIBE &&
                (r->status == STATUS_OK || r->status == STATUS_NOT_FOUND);
    if (failed || over) {
        session_drop_subscription(s, r->subscription);
    }
}

static void answer_session(session *s, report *r)
{
    note_subscription(s, r);
    if (!r->reply.answerable) {
        metrics_add(METRIC_notifications_failed, r->status != STATUS_OK ? 1 : 0);
    } else if (r->status != STATUS_OK) {
        error err;
        error_set(&err, r->status, "%s", r->text);
        session_answer_error(s, r->reply.id, &err);
    } else {
        size_t size = 0;
        const uint8_t *result = report_payload(r, &size);
        shared_bytes *big = r->payload;
        r->payload = NULL;
        session_answer(s, r->reply.id, result, size, big);
    }
    metrics_time(TIMING_COMMAND, pace_clock_ns() - r->received_ns);
    s->in_flight--;
    session_settle(s);
}

// A world of the options; its name is in no message, so it is found by number.
static void answer_start(server *s, const report *r)
{
    if (r->status == STATUS_OK) {
        server_note_started(s, NULL);
        return;
    }
    const world_entry *entry = directory_find_number(&s->worlds, r->world);
    error err;
    error_set(&err, r->status, "world '%s': %s", entry->name, r->text);
    server_note_started(s, &err);
}

void reports_answer(server *s, report *r)
{
    world_entry *entry = directory_find_number(&s->worlds, r->world);
    ASSERT(entry != NULL && entry->waiting > 0);
    if (r->method == METHOD_WORLD_LIST) {
        worlds_listed(s, r);
    } else if (r->reply.session.number == 0) {
        answer_start(s, r);
    } else {
        ASSERT(s->command_bytes >= r->reply.token);
        s->command_bytes -= r->reply.token;
        session *asker = server_find_session(s, r->reply.session);
        if (asker != NULL) {
            answer_session(asker, r);
        }
    }
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

// ---- what subscribers are sent

static void send_snapshot(session *s, report *r)
{
    if (session_find_subscription(s, r->subscription) == NULL) {
        return;
    }
    size_t size = 0;
    const uint8_t *head = report_payload(r, &size);
    shared_bytes *tail = r->tail;
    r->tail = NULL;
    if (!connection_send(s->connection, head, size, tail, r->subscription)) {
        session_close(s, STATUS_LIMIT_EXCEEDED, "too much output was not taken", ENDING_CUT);
    }
}

static void take(server *s, report *r)
{
    session *of = server_find_session(s, r->reply.session);
    switch (r->kind) {
    case REPORT_ANSWER:
        reports_answer(s, r);
        break;
    case REPORT_SNAPSHOT:
        if (of != NULL && !of->closing) {
            send_snapshot(of, r);
        }
        break;
    case REPORT_CLOSED:
        if (of != NULL && !of->closing) {
            session_world_closed(of, r->subscription, r->status, r->text);
        }
        break;
    case REPORT_OVERRUN:
        if (of != NULL) {
            session_close(of, r->status, r->text, ENDING_CUT);
        }
        break;
    case REPORT_STOPPED:
        s->hosts_running--;
        server_check_drained(s);
        break;
    }
}

void reports_take(server *s)
{
    for (uint32_t i = 0; i < s->hosts.count; i++) {
        for (report *r = host_take(s->hosts.data[i]); r != NULL;) {
            report *next = (report *)r->node.next;
            take(s, r);
            report_free(r);
            r = next;
        }
    }
}
