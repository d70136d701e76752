// server.sessions and server.kick: looking at the table of sessions. Network thread only.
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/metrics.h"
#include "server/session/service.h"

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
        .client = s->client,
        .address = "",
        .connected = s->connection != NULL,
        .since = s->since,
        .idle = (double)(now - s->heard_ms) * 1e-3,
        .role = s->role,
        .subject = rights_subject(s),
        .subscriptions = names,
        .subscription_count = s->subscriptions.count,
        .in_flight = s->in_flight,
        .memory_bytes = memory_holder_bytes(rights_holding(s)),
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

static int compare_numbers(const void *a, const void *b)
{
    const session *const *one = a;
    const session *const *other = b;
    return ((*one)->key.number > (*other)->key.number) -
           ((*one)->key.number < (*other)->key.number);
}

void sessions_list(const call *c, const sessions_args *args, buffer *out)
{
    const server *s = c->session->server;
    ARRAY(const session *) chosen = {0};
    uint32_t total = 0;
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *each = s->sessions.data[i];
        total += each != NULL;
        if (each != NULL && each->key.number > args->after) {
            array_push(&chosen, each);
        }
    }
    if (chosen.count > 1) {
        qsort(chosen.data, chosen.count, sizeof *chosen.data, compare_numbers);
    }
    buffer rows;
    buffer_init(&rows, WIRE_REPLY_BYTES_MAX / 2);
    encoded_list list = {0};
    for (uint32_t i = 0; i < chosen.count && i < args->count && !rows.overflow; i++) {
        size_t before = rows.size;
        describe(chosen.data[i], &rows);
        if (rows.overflow) {
            buffer_truncate(&rows, before); // thousands of subscriptions each; the rest on request
            break;
        }
        list.count++;
    }
    list.bytes = rows.data;
    list.size = rows.size;
    encode_sessions_result(out, &list, total);
    buffer_deinit(&rows);
    array_free(&chosen);
}

static session *find_number(const server *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        session *each = s->sessions.data[i];
        if (each != NULL && each->key.number == number) {
            return each;
        }
    }
    return NULL;
}

status sessions_kick(server *s, const kick_args *args, error *err)
{
    session *kicked = find_number(s, args->session);
    if (kicked == NULL || kicked->over) {
        return error_set(err, STATUS_NOT_FOUND, "session %llu does not exist",
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
