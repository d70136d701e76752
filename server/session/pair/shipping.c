// Sends the sessions of this server to others that may be standbys of its worlds; see pairs.h.
//
// A server that has connected gets each session as it is when its turn comes, one after another, by
// their slots, in a job over many turns of the network thread: there may be hundreds of thousands.
// A later record of a session is sent if the session was; otherwise the session will be sent with
// it. So an older copy never follows a newer record, whatever changes meanwhile. Worlds are offered
// to that server once it has all sessions: who takes a world over knows them. A link that is full
// is continued when it has drained.
#include <stddef.h>

#include "common/base/assert.h"
#include "server/session/pair/internal.h"
#include "server/session/resume/session_store.h"
#include "server/session/service.h"

static bool send_record(void *context, const uint8_t *record, size_t size)
{
    return peer_send(((const remote *)context)->link, PAIR_SESSION, record, size, NULL, 0);
}

static bool may_ship(const remote *r)
{
    return r->up && !r->has_sessions && peer_unsent(r->link) < PAIRS_LINK_BYTES;
}

static remote *find_next(const pairs *p)
{
    for (uint32_t i = 0; i < p->remotes.count; i++) {
        if (may_ship(p->remotes.data[i])) {
            return p->remotes.data[i];
        }
    }
    return NULL;
}

// The next session, or the end of them.
static void ship_next(pairs *p, remote *r)
{
    const server *s = p->server;
    if (r->next_session >= s->sessions.count) {
        r->has_sessions = true;
        pairs_offer(p, r);
        return;
    }
    const session *one = s->sessions.data[r->next_session++];
    if (one != NULL && !session_store_ship(one, send_record, r)) {
        pairs_drop_slow(p, r);
    }
}

static job_progress ship_some(turn_job *job, const turn *slice)
{
    pairs *p = (pairs *)((char *)job - offsetof(pairs, shipping));
    for (remote *r = find_next(p); r != NULL && p->server->stage != SERVER_DRAINING;
         r = find_next(p)) {
        ship_next(p, r);
        if (turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    return JOB_DONE;
}

void shipping_go_on(pairs *p)
{
    if (!turn_job_queued(&p->shipping) && find_next(p) != NULL && !p->closing) {
        work_add(p->server, &p->shipping, ship_some, SERVER_SUBJECT);
    }
}

void pairs_ship_session(server *s, uint32_t slot, const uint8_t *record, size_t size)
{
    pairs *p = s->pairs;
    for (uint32_t i = p != NULL ? p->remotes.count : 0; i > 0; i--) {
        remote *r = i <= p->remotes.count ? p->remotes.data[i - 1] : NULL;
        const bool follows = r != NULL && r->up && (r->has_sessions || slot < r->next_session);
        if (follows && !send_record(r, record, size)) {
            pairs_drop_slow(p, r);
        }
    }
}
