// See burials.h.
#include "server/session/placement/burials.h"

#include <stddef.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/session/placement/worlds.h"
#include "server/session/service.h"

static void settle(session *s, uint32_t count)
{
    const burial *all = s->server->burials.all.data;
    bool changed = false;
    for (uint32_t i = 0; i < count && s->calls.requests.applied.count > 0; i++) {
        changed = request_log_bury(&s->calls.requests, all[i].world, all[i].name) || changed;
    }
    if (changed) {
        session_store_note(s);
    }
}

void burials_settle(session *s)
{
    settle(s, s->server->burials.all.count);
}

static void end_round(server *s)
{
    burials *b = &s->burials;
    for (uint32_t i = 0; i < b->round; i++) {
        request *last = b->all.data[i].last;
        if (last != NULL) {
            world_entry *entry = directory_find_number(&s->worlds, last->world);
            ASSERT(entry != NULL && entry->waiting > 0); // it was counted
            worlds_deliver(entry, last);
        }
    }
    array_remove_first(&b->all, b->round);
    b->round = 0;
}

static job_progress tell_some(turn_job *job, const turn *slice)
{
    server *s = (server *)((char *)job - offsetof(server, burials.job));
    burials *b = &s->burials;
    while (b->all.count > 0) {
        if (b->round == 0) {
            b->round = b->all.count;
            b->next = 0;
        }
        while (b->next < s->sessions.count) {
            session *one = s->sessions.data[b->next++];
            if (one != NULL) {
                settle(one, b->round);
            }
            if (turn_over(slice)) {
                return JOB_GOES_ON;
            }
        }
        end_round(s);
    }
    array_free(&b->all);
    return JOB_DONE;
}

void burials_add(server *s, const world_entry *entry, request *last)
{
    burials *b = &s->burials;
    burial added = {.world = entry->number, .last = last};
    ASSERT(entry->unnamed && (last == NULL || last->world == entry->number));
    memcpy(added.name, entry->name, sizeof added.name);
    array_push(&b->all, added);
    if (s->stage == SERVER_DRAINING) { // the last turn of work may be over
        burials_finish(s);
    } else if (b->all.count == 1) {
        work_add(s, &b->job, tell_some, SERVER_SUBJECT);
    }
}

void burials_finish(server *s)
{
    const turn whole = turn_begin(clock_now_ns, INT64_MAX / 2);
    if (s->burials.all.count > 0) {
        work_remove(s, &s->burials.job);
        const job_progress done = tell_some(&s->burials.job, &whole);
        ASSERT(done == JOB_DONE);
    }
}
