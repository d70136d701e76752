// See plant.h. Each fault changes one call between two files of the server; without a fault the
// call is passed on.
#include "tests/simulation/plant.h"

#include <string.h>

#include "client/prediction/internal.h"
#include "server/storage/internal.h"
#include "server/storage/turn.h"
#include "server/world/log/commit_gate.h"
#include "server/world/snapshots/publisher.h"
#include "server/world/tick/served_world_internal.h"
#include "tests/simulation/sim.h"

static bool is_planted(const char *name)
{
    return strcmp(sim.planted, name) == 0;
}

bool plant_known(const char *name)
{
    return strstr(plant_names(), name) != NULL;
}

const char *plant_names(void)
{
    return "early-answer, lost-record, doubled-event, unsynced-names, unclamped-mark, "
           "lost-message, doubled-seat, stale-data; with "
           "--predict: lost-late, missed-rollback, doubled-command, forgotten-event";
}

void plant_begin(fake_disk *d)
{
    d->skips_sync_names = is_planted("unsynced-names");
}

// ---- early-answer: answers are sent when the storage has their commands, before it has committed

void __wrap_commit_gate_stamp(commit_gate *g, uint64_t sequence);
void __real_commit_gate_stamp(commit_gate *g, uint64_t sequence);

void __wrap_commit_gate_stamp(commit_gate *g, uint64_t sequence)
{
    __real_commit_gate_stamp(g, sequence);
    if (is_planted("early-answer") && sequence > g->committed) {
        commit_gate_commit(g, sequence);
        g->committed = 0; // the storage's own report comes later
    }
}

// ---- lost-record: a group that could not be written counts as written

void __wrap_storage_finish_group(storage *s, const error *err);
void __real_storage_finish_group(storage *s, const error *err);

void __wrap_storage_finish_group(storage *s, const error *err)
{
    __real_storage_finish_group(s, is_planted("lost-record") ? NULL : err);
}

// ---- doubled-event: a written snapshot is not recorded as sent, so its events come again

void __wrap_publisher_acknowledge(publisher *p, uint64_t number);
void __real_publisher_acknowledge(publisher *p, uint64_t number);

void __wrap_publisher_acknowledge(publisher *p, uint64_t number)
{
    subscription *s =
        is_planted("doubled-event") ? subscriptions_find(&p->subscriptions, number) : NULL;
    const uint64_t taken = s != NULL ? s->marks.list[0].next : 0;
    __real_publisher_acknowledge(p, number);
    if (s != NULL && sim_one_in(4)) {
        s->marks.list[s->marks.in_flight].next = taken;
    }
}

// ---- unclamped-mark: when events are dropped, the marks of snapshots on their way are not moved

void __wrap_event_marks_trim(event_marks *m, uint64_t floor, event_wanted *wanted,
                             const void *context);
void __real_event_marks_trim(event_marks *m, uint64_t floor, event_wanted *wanted,
                             const void *context);

void __wrap_event_marks_trim(event_marks *m, uint64_t floor, event_wanted *wanted,
                             const void *context)
{
    const event_marks before = *m;
    __real_event_marks_trim(m, floor, wanted, context);
    for (uint32_t i = 1; is_planted("unclamped-mark") && i < m->in_flight; i++) {
        m->list[i].next = before.list[i].next;
    }
}

// ---- lost-message: messages reach nobody

void __wrap_event_log_note_message(event_log *log, uint64_t tick, uint64_t session,
                                   const message_args *message);
void __real_event_log_note_message(event_log *log, uint64_t tick, uint64_t session,
                                   const message_args *message);

void __wrap_event_log_note_message(event_log *log, uint64_t tick, uint64_t session,
                                   const message_args *message)
{
    if (!is_planted("lost-message")) {
        __real_event_log_note_message(log, tick, session, message);
    }
}

// ---- doubled-seat: a join or a leave is reported twice

void __wrap_event_log_note_seat(event_log *log, uint64_t tick, const command *c);
void __real_event_log_note_seat(event_log *log, uint64_t tick, const command *c);

void __wrap_event_log_note_seat(event_log *log, uint64_t tick, const command *c)
{
    __real_event_log_note_seat(log, tick, c);
    if (is_planted("doubled-seat") && sim_one_in(4)) {
        __real_event_log_note_seat(log, tick, c);
    }
}

// ---- stale-data: changes of data are forgotten before all readers have them

void __wrap_data_feed_trim(data_feed *f, uint64_t oldest);
void __real_data_feed_trim(data_feed *f, uint64_t oldest);

void __wrap_data_feed_trim(data_feed *f, uint64_t oldest)
{
    __real_data_feed_trim(f, is_planted("stale-data") ? UINT64_MAX : oldest);
}

// ---- lost-late: a late batch that was to act in the next tick is dropped

void __wrap_served_batch(served_world *h, request *q);
void __real_served_batch(served_world *h, request *q);

void __wrap_served_batch(served_world *h, request *q)
{
    if (is_planted("lost-late") && q->command.apply.late == LATE_NEXT) {
        q->command.apply.late = LATE_DROP;
    }
    __real_served_batch(h, q);
}

// ---- missed-rollback: a tick that differs from its prediction counts as right

void __wrap_prediction_note_step(prediction *p);
void __real_prediction_note_step(prediction *p);

void __wrap_prediction_note_step(prediction *p)
{
    __real_prediction_note_step(p);
    p->differs = p->differs && !is_planted("missed-rollback");
}

// ---- doubled-command: a batch that the log has shown is predicted once more

void __wrap_prediction_note_command(prediction *p, const log_command *row, const command *c,
                                    const command_result *result);
void __real_prediction_note_command(prediction *p, const log_command *row, const command *c,
                                    const command_result *result);

void __wrap_prediction_note_command(prediction *p, const log_command *row, const command *c,
                                    const command_result *result)
{
    if (!is_planted("doubled-command") || sim_one_in(2)) {
        __real_prediction_note_command(p, row, c, result);
    }
}

// ---- forgotten-event: a rollback forgets events that were reported as predicted

void __wrap_foreseen_events_again(foreseen_events *f);
void __real_foreseen_events_again(foreseen_events *f);

void __wrap_foreseen_events_again(foreseen_events *f)
{
    __real_foreseen_events_again(f);
    f->open.count = is_planted("forgotten-event") ? 0 : f->open.count;
}
