// server.sessions and server.kick: looking at the table of sessions. Network thread only.
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/metrics.h"
#include "server/session/calls/rights.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/session/sessions.h"

enum {
    LOOKS_AT_ONCE = 256, // sessions looked at between two checks of the clock
    ROWS_AT_ONCE = 16    // rows written between two checks
};

_Static_assert(LISTINGS_MAX < SESSION_LISTS_MAX, "one session cannot have all lists");

void sessions_name_subscriptions(const session *s, subscription_name *out)
{
    for (uint32_t i = 0; i < s->subscriptions.count; i++) {
        const session_subscription *of = &s->subscriptions.data[i];
        out[i] = (subscription_name){of->number, of->world_name};
    }
}

static void describe(const session *s, buffer *out)
{
    subscription_name *names = calloc(s->subscriptions.count + 1, sizeof *names);
    ASSERT_MEMORY(names != NULL);
    sessions_name_subscriptions(s, names);
    uint64_t now = uv_now(s->server->loop);
    session_info info = {
        .session = s->key.number,
        .client = s->identity.client,
        .address = "",
        .connected = s->connection != NULL,
        .since = s->identity.since,
        .idle = (double)(now - s->times.heard_ms) * 1e-3,
        .role = s->identity.role,
        .subject = rights_subject(s),
        .subscriptions = names,
        .subscription_count = s->subscriptions.count,
        .in_flight = s->calls.in_flight,
        .memory_bytes = memory_holder_bytes(rights_holding(s)),
        .work = (double)s->intake.worked_ns * 1e-9,
    };
    if (s->connection != NULL) {
        connection_traffic traffic = connection_traffic_now(s->connection);
        info.address = connection_peer_name(s->connection);
        info.received_bytes = traffic.received_bytes;
        info.sent_bytes = traffic.sent_bytes;
        info.queued_bytes = traffic.queued_bytes;
        info.lag = (double)traffic.queued_ms * 1e-3;
    }
    encode_session_info(out, &info);
    free(names);
}

// ---- server.sessions

// An answer that is being made, as a job of the session that asked.
typedef struct session_list {
    turn_job job; // first
    server *server;
    session_key asker;
    uint32_t id;
    bool answerable;
    sessions_args args;
    uint32_t looked_at;        // sessions of lower slots are counted, and chosen if they are wanted
    ARRAY(session_key) chosen; // those that wait for their rows: a heap, the lowest number first
    uint32_t total;
    encoded_list list;
    buffer rows;
} session_list;

static void swap(session_list *l, uint32_t x, uint32_t y)
{
    const session_key one = l->chosen.data[x];
    l->chosen.data[x] = l->chosen.data[y];
    l->chosen.data[y] = one;
}

static void put_chosen(session_list *l, session_key key)
{
    uint32_t at = l->chosen.count;
    array_push(&l->chosen, key);
    while (at > 0 && key.number < l->chosen.data[(at - 1) / 2].number) {
        swap(l, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static session_key take_chosen(session_list *l)
{
    const session_key top = l->chosen.data[0];
    l->chosen.data[0] = l->chosen.data[--l->chosen.count];
    uint32_t least = 0;
    for (uint32_t at = UINT32_MAX; at != least;) {
        at = least;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < l->chosen.count &&
                l->chosen.data[child].number < l->chosen.data[least].number) {
                least = child;
            }
        }
        swap(l, at, least);
    }
    return top;
}

// False: all sessions have been looked at.
static bool look_at_next(session_list *l)
{
    const server *s = l->server;
    if (l->looked_at >= s->sessions.count) {
        return false;
    }
    const session *each = s->sessions.data[l->looked_at++];
    l->total += each != NULL;
    if (each != NULL && each->key.number > l->args.after) {
        put_chosen(l, each->key);
    }
    return true;
}

// Adds one row. False: there is none, or no space for it; the rest comes on request.
static bool add_row(session_list *l)
{
    ASSERT(l->list.count <= l->args.count);
    if (l->chosen.count == 0 || l->list.count == l->args.count) {
        return false;
    }
    const session *each = server_find_session(l->server, take_chosen(l));
    const size_t before = l->rows.size;
    if (each != NULL) { // otherwise it has ended meanwhile
        describe(each, &l->rows);
        l->list.count++;
    }
    if (l->rows.overflow) {
        buffer_truncate(&l->rows, before); // a session may have thousands of subscriptions
        l->list.count--;
        return false;
    }
    return true;
}

static void answer_list(session_list *l)
{
    session *asker = server_find_session(l->server, l->asker);
    if (asker == NULL) {
        return;
    }
    ASSERT(asker->calls.in_flight > 0 && asker->calls.listings > 0);
    asker->calls.in_flight--;
    asker->calls.listings--;
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    l->list.bytes = l->rows.data;
    l->list.size = l->rows.size;
    encode_sessions_result(&out, &(sessions_result){l->list, l->total});
    ASSERT(!out.overflow);
    if (l->answerable) {
        session_answer(asker, l->id, out.data, out.size, NULL);
    }
    buffer_deinit(&out);
    session_settle(asker);
}

static job_progress list_some(turn_job *job, const turn *slice)
{
    session_list *l = (session_list *)job;
    uint32_t done = 0;
    while (server_find_session(l->server, l->asker) != NULL && look_at_next(l)) {
        if (++done % LOOKS_AT_ONCE == 0 && turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    while (server_find_session(l->server, l->asker) != NULL && add_row(l)) {
        if (++done % ROWS_AT_ONCE == 0 && turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    answer_list(l);
    ASSERT(l->server->session_lists > 0);
    l->server->session_lists--;
    buffer_deinit(&l->rows);
    array_free(&l->chosen);
    free(l);
    return JOB_DONE;
}

status sessions_list(const call *c, const sessions_args *args, error *err)
{
    session *asker = c->session;
    server *s = asker->server;
    const bool own = asker->calls.listings >= LISTINGS_MAX;
    if (own || s->session_lists >= SESSION_LISTS_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "server.sessions: %d%s are being answered; ask again when one is",
                         own ? (int)LISTINGS_MAX : (int)SESSION_LISTS_MAX,
                         own ? " of this session" : "");
    }
    session_list *l = calloc(1, sizeof *l);
    ASSERT_MEMORY(l != NULL);
    *l = (session_list){
        .server = s, .asker = asker->key, .id = c->id, .answerable = c->answerable, .args = *args};
    buffer_init(&l->rows, WIRE_REPLY_BYTES_MAX / 2);
    asker->calls.in_flight++;
    asker->calls.listings++;
    s->session_lists++;
    work_add(s, &l->job, list_some, session_subject(asker));
    return STATUS_OK;
}

uint32_t sessions_listed_max(const server *s)
{
    const uint32_t all = s->session_count + s->detached.count;
    return all < WIRE_SESSIONS_MAX ? all : WIRE_SESSIONS_MAX;
}

// ---- server.kick

status sessions_kick(server *s, const kick_args *args, error *err)
{
    session *kicked = server_find_number(s, args->session);
    const uint32_t fallen = standing_end_session(s, args->session); // it may have left batches
    if (kicked == NULL || session_is_over(kicked)) {
        return fallen > 0 ? STATUS_OK
                          : error_set(err, STATUS_NOT_FOUND, "session %llu does not exist",
                                      (unsigned long long)args->session);
    }
    metrics_add(METRIC_sessions_kicked, 1);
    rights_fall(kicked);
    if (kicked->connection == NULL) {
        resume_end(kicked);
    } else {
        session_close(kicked, STATUS_PERMISSION_DENIED, args->reason, ENDING_FLUSH);
    }
    return STATUS_OK;
}
