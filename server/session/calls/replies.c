// Replies of the simulation threads. Those of a world take turns with those of other worlds
// (work.h): a world with a thousand watchers does not delay the answers of another. Its own answers
// go ahead of its snapshots to others (reply_line.h). Network thread only.
#include <stddef.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/audit.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/session/calls/replies.h"
#include "server/session/calls/rights.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/balance.h"
#include "server/session/placement/departure.h"
#include "server/session/placement/seating.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/resume/handover.h"
#include "server/session/service.h"

// ---- results

// Changes the session's list of subscriptions as the result says.
static void note_subscription(session *s, const reply *r)
{
    bool failed = r->status != STATUS_OK && r->method == METHOD_WORLD_SUBSCRIBE;
    bool over = r->method == METHOD_WORLD_UNSUBSCRIBE &&
                (r->status == STATUS_OK || r->status == STATUS_NOT_FOUND);
    if (failed || over) {
        session_drop_subscription(s, r->subscription);
    }
    session_subscription *moved = r->method == METHOD_WORLD_VIEW && r->status == STATUS_OK
                                      ? session_find_subscription(s, r->subscription)
                                      : NULL;
    if (moved != NULL) {
        subscribe_args_move(&moved->args, &r->view);
        session_store_note_subscription(s, moved);
    }
}

// Whether the method, carried out, has changed the world.
static bool has_effect(method m)
{
    return method_has(m, TRAIT_EFFECT);
}

// Keeps account for a client that resumes the session.
static void note_request(session *s, const reply *r)
{
    const reply_address *to = &r->reply_to;
    request_log_answer(&s->calls.requests, to->sequence);
    bool effective = r->status == STATUS_OK || r->took_effect;
    if (effective && to->answerable && has_effect(r->method)) {
        request_log_apply(&s->calls.requests, r->world, to->sequence, to->id,
                          limits_worlds_in_all(s->server->limits));
        const world_entry *entry = directory_find_number(&s->server->worlds, r->world);
        ASSERT(entry != NULL && entry->waiting > 0); // the entry is kept for its replies
        if (entry->unnamed) {
            worlds_note_gone(s, entry); // destroyed behind it
        }
    }
    bool outdated = to->session.generation != s->key.generation;
    if (outdated && r->method == METHOD_WORLD_SUBSCRIBE && r->status == STATUS_OK &&
        !s->resume.answer_awaited) {
        worlds_resume(s, r->world); // the subscription began while the session was resumed
    } // otherwise it restarts with the others, after the answer to hello
}

static void answer_session(session *s, reply *r)
{
    note_subscription(s, r);
    note_request(s, r);
    metrics_count_call(r->method, r->status);
    if (r->status == STATUS_LIMIT_EXCEEDED) {
        metrics_count_limit(r->text);
    }
    if (r->status == STATUS_PERMISSION_DENIED) {
        error refused;
        error_set(&refused, r->status, "%s", r->text);
        rights_audit(s, &refused);
    }
    if (!r->reply_to.answerable && r->status != STATUS_OK) {
        metrics_add(METRIC_notifications_failed, 1);
        audit_notification(s->key.number, r->status, r->text);
    } else if (!r->reply_to.answerable) {
        // no request waits for it
    } else if (r->status != STATUS_OK) {
        const world_entry *entry = directory_find_number(&s->server->worlds, r->world);
        error err;
        error_set(&err, r->status, "%s", r->text);
        if (r->status == STATUS_MOVED && entry != NULL) {
            worlds_departure_error(s, entry->name, r->text, &err);
        }
        session_answer_error(s, r->reply_to.id, &err);
    } else {
        size_t size = 0;
        const uint8_t *result = reply_payload(r, &size);
        shared_bytes *big = r->payload;
        r->payload = NULL;
        session_answer(s, r->reply_to.id, result, size, big);
    }
    metrics_time(TIMING_COMMAND, clock_now_ns() - r->received_ns);
    ASSERT(s->calls.in_flight > 0);
    s->calls.in_flight--;
    session_settle(s);
}

// A request of the server's own. Only the start of a world of the options is waited for; its name
// is in no message, so it is found by number.
static void answer_server(server *s, const reply *r)
{
    if (r->method != METHOD_WORLD_CREATE) {
        return;
    }
    world_entry *entry = directory_find_number(&s->worlds, r->world);
    ASSERT(entry != NULL);
    if (entry->relayed) {
        return; // a subscription of the relay made it
    }
    if (*entry->seating.template_name != '\0' && !entry->adopting) { // a join made it
        if (r->status != STATUS_OK) {
            log_error("world '%s' of template '%s': %s", entry->name, entry->seating.template_name,
                      r->text);
        }
        return;
    }
    entry->adopting = false;
    if (r->status == STATUS_OK) {
        server_note_started(s, NULL);
        return;
    }
    error err;
    error_set(&err, r->status, "world '%s': %s", entry->name, r->text);
    server_note_started(s, &err);
}

static void answer_seat(server *s, world_entry *entry, const reply *r)
{
    if (r->method == METHOD_WORLD_JOIN || r->method == METHOD_WORLD_LEAVE) {
        seating_answered(s, entry, r);
    }
}

void replies_answer(server *s, reply *r)
{
    world_entry *entry = directory_find_number(&s->worlds, r->world);
    ASSERT(entry != NULL && entry->waiting > 0);
    if (r->method == METHOD_WORLD_LIST) {
        worlds_listed(s, entry, r);
    } else if (r->method == METHOD_WORLD_FORK) {
        worlds_forked(s, r); // the second world answers
    } else if (r->reply_to.session.number == 0) {
        answer_seat(s, entry, r);
        answer_server(s, r);
    } else {
        answer_seat(s, entry, r);
        ASSERT(s->command_bytes >= r->reply_to.token);
        s->command_bytes -= r->reply_to.token;
        memory_note(MEMORY_commands, NULL, -(int64_t)r->reply_to.token);
        quota_owner *payer = r->reply_to.payer;
        if (payer != NULL) {
            ASSERT(payer->waiting > 0 && payer->waiting_bytes >= r->reply_to.token);
            payer->waiting--;
            payer->waiting_bytes -= r->reply_to.token;
        }
        session *asker = server_find_session(s, r->reply_to.session);
        if (asker != NULL) {
            answer_session(asker, r);
        }
    }
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

// ---- snapshots and ends of subscriptions

// A session's only subscription is sent at once; those of a session with several are sent together.
static void deliver(session *s, const snapshot_delivery *d, const reply *r)
{
    bool outdated = d->session.generation != s->key.generation;
    ASSERT(s->connection != NULL && d->session.number == s->key.number);
    if (outdated || session_find_subscription(s, d->subscription) == NULL) {
        return;
    }
    buffer *head = &s->server->scratch;
    buffer_clear(head);
    delivery_head(r, d, head);
    ASSERT(head->size <= DELIVERY_HEAD_BYTES_MAX && !head->overflow);
    bool sent = s->subscriptions.count == 1
                    ? connection_send_now(s->connection, head->data, head->size, bytes_ref(r->tail),
                                          d->subscription)
                    : connection_send(s->connection, head->data, head->size, bytes_ref(r->tail),
                                      d->subscription);
    if (!sent) {
        session_close(s, STATUS_LIMIT_EXCEEDED,
                      "output_bytes: too much output waits for this client", ENDING_CUT);
    }
}

// Sends it, unless its session has ended meanwhile. False: nothing was sent.
static bool deliver_one(server *s, const reply *r, snapshot_delivery *d)
{
    session *of = server_find_session(s, d->session);
    if (of != NULL) {
        delivery_list_remove(&of->coming, d);
    }
    if (of == NULL || of->connection == NULL || session_closes(of)) {
        return false;
    }
    deliver(of, d, r);
    return true;
}

// Delivers until the slice is over. True: every receiver has it.
static bool deliver_some(server *s, const reply *r, uint32_t *next, const turn *slice)
{
    ASSERT(*next <= r->delivery_count);
    bool over = false;
    while (*next < r->delivery_count && !over) {
        snapshot_delivery *d = &r->deliveries[(*next)++];
        over = !d->sent && deliver_one(s, r, d) && turn_over(slice);
    }
    return *next == r->delivery_count;
}

// Sends the snapshots of the reply's session that its world made before it. A younger one stays:
// the answer that names its subscription may be still in the line.
static void deliver_before(server *s, const reply *r)
{
    const session *to =
        r->reply_to.session.number != 0 ? server_find_session(s, r->reply_to.session) : NULL;
    snapshot_delivery *d = to != NULL ? to->coming.first : NULL;
    while (d != NULL) {
        snapshot_delivery *next = d->next;
        if (d->of->world == r->world && d->of->line_place < r->line_place) {
            d->sent = true;
            (void)deliver_one(s, d->of, d);
        }
        d = next;
    }
}

static void take(server *s, const sim_thread *from, reply *r)
{
    session *of = server_find_session(s, r->reply_to.session);
    switch (r->kind) {
    case REPLY_RESULT:
        replies_answer(s, r);
        break;
    case REPLY_RESUMED:
        worlds_resumed(s, r->reply_to.session);
        break;
    case REPLY_SNAPSHOT: // deliver_some sees to them
    case REPLY_FIGURES:  // take_some does, while there is an entry
        break;
    case REPLY_CLOSED:
        if (of != NULL) {
            session_world_closed(of, r->subscription, r->status, r->text);
        }
        break;
    case REPLY_OVERRUN:
        if (of != NULL && of->connection == NULL) {
            session_drop_subscription(of, r->subscription);
        } else if (of != NULL) {
            session_close(of, r->status, r->text, ENDING_CUT);
        }
        break;
    case REPLY_CROWDED:
        own_thread_begin(s, r->world);
        break;
    case REPLY_LOADS:
        balance_note(s, from, r);
        break;
    case REPLY_RELEASED:
        own_thread_finish(s, r->world, r->moved);
        r->moved = NULL;
        break;
    case REPLY_LEFT:
        worlds_departed(s, r);
        break;
    case REPLY_HALTED:
        pairs_halted(s, r);
        break;
    case REPLY_LEAVING:
    case REPLY_STAYING:
        pairs_note_log(s, r);
        break;
    case REPLY_IMAGE:
        handover_note(s, r);
        break;
    case REPLY_STOPPED:
        ASSERT(s->hosts_running > 0);
        s->hosts_running--;
        server_check_drained(s);
        break;
    }
}

// ---- a turn for each world

// True: the reply is handled.
static bool take_one(server *s, world_entry *entry, reply *r, const turn *slice)
{
    reply_line_serve(&entry->replies, r);
    if (r->kind == REPLY_SNAPSHOT) {
        const bool done = deliver_some(s, r, &entry->delivered, slice);
        entry->delivered = done ? 0 : entry->delivered;
        if (done) {
            worlds_outdate(entry);
        }
        return done;
    }
    if (r->kind == REPLY_FIGURES) {
        worlds_figured(entry, r);
        return true;
    }
    deliver_before(s, r);
    take(s, NULL, r);
    if (r->kind == REPLY_RESULT && r->method != METHOD_WORLD_LIST) {
        worlds_outdate(entry);
    }
    return true;
}

static job_progress take_some(turn_job *job, const turn *slice)
{
    world_entry *entry = (world_entry *)((char *)job - offsetof(world_entry, replying));
    server *s = entry->owner;
    reply *next = reply_line_next(&entry->replies);
    bool over = false;
    while (next != NULL && !over) {
        if (take_one(s, entry, next, slice)) {
            reply_line_drop(&entry->replies, next);
        }
        next = reply_line_next(&entry->replies);
        over = turn_over(slice);
    }
    if (next != NULL) {
        return JOB_GOES_ON;
    }
    directory_release(&s->worlds, entry);
    return JOB_DONE;
}

static void line_up(server *s, world_entry *entry, reply *r)
{
    const bool first = reply_line_empty(&entry->replies);
    ASSERT(r->world == entry->number);
    reply_line_add(&entry->replies, r);
    for (uint32_t i = 0; r->kind == REPLY_SNAPSHOT && i < r->delivery_count; i++) {
        session *to = server_find_session(s, r->deliveries[i].session);
        if (to != NULL) {
            delivery_list_add(&to->coming, &r->deliveries[i], r);
        }
    }
    if (first) {
        entry->owner = s;
        work_add_replies(s, &entry->replying, take_some, world_subject(entry->number));
    }
}

// Handles a reply of a world that has left the directory, or of none.
static void take_now(server *s, const sim_thread *from, reply *r)
{
    uint32_t next = 0;
    const turn whole = turn_begin(clock_now_ns, INT64_MAX / 2);
    if (r->kind == REPLY_STOPPED) {
        work_finish(s); // sends the replies that came before this one
    }
    if (r->kind == REPLY_SNAPSHOT) {
        (void)deliver_some(s, r, &next, &whole);
    } else {
        take(s, from, r);
    }
    reply_free(r);
}

void replies_take(server *s)
{
    loop_turn_begin(&s->turn);
    for (uint32_t i = 0; i < s->sim_threads.count; i++) {
        for (reply *r = sim_thread_take(s->sim_threads.data[i]); r != NULL;) {
            reply *next = (reply *)r->node.next;
            world_entry *entry = directory_find_number(&s->worlds, r->world);
            if (entry != NULL && r->kind != REPLY_LOADS && r->kind != REPLY_STOPPED) {
                line_up(s, entry, r);
            } else {
                take_now(s, s->sim_threads.data[i], r);
            }
            r = next;
        }
    }
    if (s->stage == SERVER_DRAINING) {
        work_finish(s);
    }
}
