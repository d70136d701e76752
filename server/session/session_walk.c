// See session_walk.h.
#include "server/session/session_walk.h"

#include "server/session/service.h"

static void visit_next(session_walk *w)
{
    session *one = w->server->sessions.data[w->next++];
    if (one != NULL) {
        w->visit(one, w->server);
    }
}

static job_progress visit_some(turn_job *job, const turn *slice)
{
    session_walk *w = (session_walk *)job; // its first member
    server *s = w->server;
    while (w->next < s->sessions.count && s->stage != SERVER_DRAINING) {
        visit_next(w);
        if (turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    if (w->done != NULL && s->stage != SERVER_DRAINING) {
        w->done(s);
    }
    return JOB_DONE;
}

void session_walk_begin(session_walk *w, server *s, session_visitor *visit, session_walk_done *done)
{
    w->server = s;
    w->visit = visit;
    w->done = done;
    w->next = 0;
    if (!turn_job_queued(&w->job)) {
        work_add(s, &w->job, visit_some, SERVER_SUBJECT);
    }
}

void session_walk_whole(server *s, session_visitor *visit, session_walk_done *done)
{
    session_walk whole = {.server = s, .visit = visit};
    while (whole.next < s->sessions.count) {
        visit_next(&whole);
    }
    if (done != NULL) {
        done(s);
    }
}
