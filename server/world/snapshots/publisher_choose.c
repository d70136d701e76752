// Chooses the subscriptions that are sent a snapshot at this tick: those that are due by their
// rate, have no snapshot in flight, and have bytes left of their budget. See publisher.h. The
// world's thread.
#include "server/world/snapshots/publisher_internal.h"

#include "common/base/assert.h"
#include "server/base/metrics.h"
#include "server/world/snapshots/budget.h"
#include "server/world/snapshots/view_group.h"

// Whether the subscription lacks the present state.
bool publisher_is_behind(const publisher *p, const subscription *s)
{
    ASSERT(s->version <= p->rows.version);
    const budget *b = view_group_budget(s);
    return p->stale || s->version < p->rows.version || !description_complete(s->described) ||
           (b != NULL && b->left_out > 0);
}

static bool is_due(const publisher *p, const subscription *s, const publish_moment *now)
{
    return now->all ? publisher_is_behind(p, s) : subscription_due(s, now->tick, now->hz);
}

// Whether the subscription's reader can be sent a snapshot now.
bool publisher_can_send(const subscription *s)
{
    return !s->ended && (s->packed != NULL ? packed_view_can_send(s) : s->marks.in_flight == 0);
}

static bool is_crowded(const publisher *p, const subscription *s)
{
    ASSERT(event_marks_sent(&s->marks)->next <= event_log_end(&p->log));
    const uint64_t next = event_marks_sent(&s->marks)->next;
    return event_log_end(&p->log) - next > p->limits->events_kept / 2 ||
           event_log_bytes_from(&p->log, next) > p->limits->event_bytes_kept / 2;
}

// A packed view that is due and has no bytes left stays due.
static void wait_for_budget(packed_view *view)
{
    if (view->budget != NULL) {
        view->owed = view->owed || view->due;
        view->due = view->owed && (view->crowded || budget_can_send(view->budget));
        view->owed = view->owed && !view->due;
    }
}

// A packed view's snapshots are for all of its readers. One is due when it falls due for the
// readers in step, when its area was moved, or when no reader is in step and one waits to begin.
static void choose_due_views(publisher *p, const publish_moment *now)
{
    for (uint32_t i = 0; i < p->packed.list.count; i++) {
        packed_view *view = p->packed.list.data[i];
        view->in_step = 0;
        view->waiting = view->due = view->told = view->crowded = false;
    }
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = p->subscriptions.list.data[i];
        if (s->packed == NULL) {
            continue;
        }
        if (s->packed_number != 0 && (!packed_view_in_step(s) || view_group_forgotten(p, s))) {
            subscription_begin_anew(s);
        }
        packed_view *view = s->packed;
        const bool in_step = packed_view_in_step(s);
        const bool sends = publisher_can_send(s);
        view->due = view->due || (in_step && (is_due(p, s, now) || is_crowded(p, s)));
        view->crowded = view->crowded || is_crowded(p, s);
        view->in_step += in_step && sends;
        view->waiting = view->waiting || (!in_step && sends);
    }
    for (uint32_t i = 0; i < p->packed.list.count; i++) {
        packed_view *view = p->packed.list.data[i];
        const bool owed = view->area_moved || view->postponed || (now->all && view->waiting);
        view->due = view->in_step > 0 ? view->due || owed : view->waiting;
        wait_for_budget(view);
    }
}

// Whether the subscription's budget, if it has one, allows a snapshot now. Waiting events do not
// need bytes.
static bool can_pay(const publisher *p, const subscription *s)
{
    const budget *b = view_group_budget(s);
    return b == NULL || budget_can_send(b) || is_crowded(p, s);
}

static bool is_chosen(const publisher *p, const subscription *s, bool due)
{
    return s->packed != NULL
               ? s->packed->due && publisher_can_send(s)
               : publisher_can_send(s) && (due || s->owed || is_crowded(p, s)) && can_pay(p, s);
}

// Each publishing adds a tick's worth of bytes. This is right for a paused world too, which
// publishes no more often than a running one.
static void refill_budgets(publisher *p, double hz)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        budget *b = view_group_budget(p->subscriptions.list.data[i]);
        if (b != NULL) {
            budget_refill(b, hz);
        }
    }
}

// Records that a due snapshot cannot be sent now. In a paused world a subscription with token areas
// is not counted: it is checked again once it can be sent, since it must not show that something
// changed elsewhere.
void publisher_note_missed(subscription *s, const publish_moment *now)
{
    if (!now->all || s->token_areas == NULL) {
        s->skipped++;
        s->owed = true;
    }
}

void publisher_choose_due(publisher *p, const publish_moment *now)
{
    ASSERT(now->hz > 0.0);
    array_clear(&p->due);
    refill_budgets(p, now->hz);
    choose_due_views(p, now);
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = p->subscriptions.list.data[i];
        const bool due = s->packed != NULL ? s->packed->due : is_due(p, s, now);
        if (is_chosen(p, s, due)) {
            array_push(&p->due, i);
        } else if (due && s->packed == NULL && publisher_can_send(s) && !can_pay(p, s)) {
            s->owed = true; // sent later; does not count as skipped, since the reader was not slow
        } else if (due) {
            publisher_note_missed(s, now);
            metrics_add(METRIC_snapshots_skipped, 1);
        }
    }
}
