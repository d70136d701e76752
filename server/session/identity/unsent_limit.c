// A limit on the unsent output of all connections. Network thread only.
//
// limits.output_bytes bounds each connection, but many connections that read nothing may each have
// that much. Beyond limits.unsent_bytes connections are closed of the subject, or else address,
// with most unsent output, the fullest connection first: so nobody gains by spreading over many
// connections, and a client that reads is not closed because of others that do not. The sum counts
// memory: a snapshot that a thousand connections wait for counts once.
#include <inttypes.h>
#include <stdio.h>

#include "server/net/outbox.h"
#include "server/session/calls/rights.h"
#include "server/session/identity/unsent_limit.h"
#include "server/session/service.h"

static uint64_t unsent(const session *s)
{
    return s->connection != NULL ? connection_traffic_now(s->connection).queued_bytes : 0;
}

// Closing connections still have unsent bytes, for at most limits.close_ms.
static uint64_t unsent_of_closing(const server *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *one = s->sessions.data[i];
        sum += one != NULL && session_closes(one) ? unsent(one) : 0;
    }
    return sum;
}

static void tally(const server *s)
{
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *one = s->sessions.data[i];
        if (one != NULL && rights_quota_owner(one) != NULL) {
            rights_quota_owner(one)->tally = 0;
        }
    }
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *one = s->sessions.data[i];
        if (one != NULL && !session_closes(one) && rights_quota_owner(one) != NULL) {
            rights_quota_owner(one)->tally += unsent(one);
        }
    }
}

// NULL: no connection has unsent output.
static session *find_fullest(const server *s)
{
    session *found = NULL;
    uint64_t most = 0;
    uint64_t most_own = 0;
    tally(s);
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        session *one = s->sessions.data[i];
        const uint64_t own = one != NULL && !session_closes(one) ? unsent(one) : 0;
        if (own == 0) {
            continue;
        }
        const quota_owner *with = rights_quota_owner(one);
        const uint64_t all = with != NULL ? with->tally : own;
        if (all > most || (all == most && own > most_own)) {
            most = all;
            most_own = own;
            found = one;
        }
    }
    return found;
}

void unsent_limit_hold(server *s)
{
    const uint64_t most = s->limits->unsent_bytes;
    while (s->stage != SERVER_DRAINING && outbox_held_bytes() > most &&
           outbox_held_bytes() > most + unsent_of_closing(s)) {
        session *fullest = find_fullest(s);
        if (fullest == NULL) {
            return;
        }
        char text[ERROR_TEXT_MAX];
        snprintf(text, sizeof text,
                 "unsent_bytes: %" PRIu64 " bytes wait for all connections, and most of them for "
                 "this one's subject or address",
                 outbox_held_bytes());
        session_close(fullest, STATUS_LIMIT_EXCEEDED, text, ENDING_CUT);
        const turn left = loop_turn_stage(&s->turn, LOOP_WRITE);
        if (turn_over(&left)) {
            work_go_on(s);
            return;
        }
    }
}
