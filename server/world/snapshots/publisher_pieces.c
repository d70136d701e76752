// Builds and sends the snapshots of the subscriptions that were chosen.
//
// Snapshots are made in pieces: a view group, or a packed view with all of its readers, whose
// snapshots are one stream. Pieces are sorted by the time that their readers' subjects have used
// (the time of a piece is divided among its readers), and then by age. When the turn is over the
// other readers wait for the next publishing: each of them is then sent all changes and events
// since its last snapshot, like a slow reader.
//
// The world's thread.
#include "server/world/snapshots/publisher_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/base/metrics.h"
#include "server/schedule/work_time.h"
#include "server/world/snapshots/budget.h"
#include "server/world/snapshots/confined_view.h"
#include "server/world/snapshots/view_group.h"

// Estimated bytes of the part of a message that is a receiver's own; budgets count them.
enum { HEAD_BYTES = 48 };

static void add_receiver(const publisher *p, const subscription *s, reply *r)
{
    ASSERT(r->kind == REPLY_SNAPSHOT && !s->ended);
    snapshot_delivery d = {.session = s->session,
                           .subscription = s->number,
                           .skipped = s->skipped,
                           .events_lost = event_marks_sent(&s->marks)->lost};
    if (s->session.slot < p->last.count &&
        p->last.data[s->session.slot].session == s->session.number) {
        d.has_last = true;
        d.last = p->last.data[s->session.slot].id;
    }
    d.has_margin = margins_take(p->margins, d.session.slot, d.session.number, &d.margin);
    r->deliveries[r->delivery_count++] = d;
}

static void settle(publisher *p, subscription *s, const view_group *g)
{
    ASSERT(s->version <= p->rows.version && !p->stale);
    view_set_unref(s->seen);
    subscription_unref_shown(s);
    memset(s->shown, 0, sizeof s->shown);
    s->seen = view_set_ref(g->seen);
    s->shown_all = false;
    s->version = p->rows.version;
    s->lost_told = s->lost_told || view_group_tells_lost(g);
    s->described = s->view.describe ? p->descriptions.after : DESCRIPTION_COMPLETE;
    s->skipped = 0;
    s->owed = false;
    s->packed_number = s->packed != NULL ? s->packed->number : 0;
    metrics_add(METRIC_events_lost, event_marks_sent(&s->marks)->lost);
    event_marks_send(&s->marks, event_log_end(&p->log),
                     s->view.has_area ? view_set_ref(s->seen) : NULL, s->version);
}

// Refuses these subscriptions: there is no memory for their view.
static void refuse_group(publisher *p, const uint32_t *due, uint32_t count, reply_sink sink)
{
    ASSERT(p->subscriptions.list.data[due[0]]->packed->refusal.status != STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        subscription *s = p->subscriptions.list.data[due[i]];
        publisher_post_closed(p, s, REPLY_CLOSED, s->packed->refusal.status,
                              s->packed->refusal.text, sink);
        s->refused = s->ended = true;
        metrics_add(METRIC_subscriptions_refused, 1);
    }
}

// Marks readers as up to date without a snapshot: nothing in the state is new to them.
static void skip_idle(publisher *p, const uint32_t *due, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        subscription *s = p->subscriptions.list.data[due[i]];
        s->version = p->rows.version;
        s->owed = false;
    }
}

// Sends to the `count` subscriptions at `due`, which form a view group.
static void send_group(publisher *p, const physics_world *world, const uint32_t *due,
                       uint32_t count, uint64_t hash, reply_sink sink)
{
    ASSERT(count > 0 && !p->stale);
    subscription first = *p->subscriptions.list.data[due[0]]; // its baseline before this snapshot
    if (first.packed != NULL && first.packed->refused) {
        refuse_group(p, due, count, sink);
        return;
    }
    if (first.packed != NULL && !first.packed->told) {
        skip_idle(p, due, count);
        return;
    }
    view_set_ref(first.seen);
    subscription_ref_shown(&first);
    view_group g = {.of = &first};
    uint32_t pairs = 0;
    shared_bytes *tail = view_group_build(p, world, &g, hash, &pairs);
    reply *snapshot = tail != NULL ? reply_create_snapshot(p->epoch, tail, pairs, count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        subscription *s = p->subscriptions.list.data[due[i]];
        if (snapshot != NULL) {
            add_receiver(p, s, snapshot);
            settle(p, s, &g);
            if (view_group_budget(s) != NULL) {
                budget_pay(view_group_budget(s), HEAD_BYTES + tail->size);
            }
        } else {
            metrics_add(METRIC_subscriptions_overrun, 1);
            publisher_post_closed(p, s, REPLY_OVERRUN, STATUS_LIMIT_EXCEEDED,
                                  "a snapshot of this view does not fit a message", sink);
            s->ended = true; // the session's end removes it
        }
    }
    if (snapshot != NULL) {
        metrics_add(METRIC_snapshots_sent, count);
        sink.post(sink.context, snapshot);
    }
    view_set_unref(g.seen);
    view_set_unref(first.seen);
    subscription_unref_shown(&first);
}

// The order of readers with the same next event by the waiting messages that are for one of them
// and not for the other.
static int compare_messages(const publisher *p, const subscription *a, const subscription *b)
{
    int order = 0;
    if (p->log.addressed.count == 0 || (a->view.events >> EVENT_MESSAGE & 1) == 0) {
        return 0;
    }
    uint32_t i = event_log_addressed_from(&p->log, event_marks_sent(&a->marks)->next);
    for (; i < p->log.addressed.count && order == 0; i++) {
        const uint8_t *unused = NULL;
        const event_entry *e = event_log_get(&p->log, p->log.addressed.data[i], &unused);
        order = subscription_is_addressed(a, &e->to) - subscription_is_addressed(b, &e->to);
    }
    return order;
}

// Orders by content: equal ones are sent the same bytes.
static int compare_readers(const publisher *p, const subscription *a, const subscription *b)
{
    const int order = subscription_compare(a, b);
    return order != 0 ? order : compare_messages(p, a, b);
}

static int compare_due(const void *a, const void *b, void *context)
{
    const publisher *p = context;
    subscription *const *all = p->subscriptions.list.data;
    return compare_readers(p, all[*(const uint32_t *)a], all[*(const uint32_t *)b]);
}

// Sorts equal subscriptions next to each other. Most often all are equal, and in order already.
static void sort_due(publisher *p)
{
    uint32_t *due = p->due.data;
    uint32_t ordered = 1;
    while (ordered < p->due.count && compare_due(&due[ordered - 1], &due[ordered], p) <= 0) {
        ordered++;
    }
    if (ordered < p->due.count) {
        qsort_r(due, p->due.count, sizeof *due, compare_due, p);
    }
}

// Whether the subscription has unsent events of the kinds that it wants, or lost events that were
// not reported yet.
static bool has_events(const publisher *p, const subscription *s)
{
    const event_mark *sent = event_marks_sent(&s->marks);
    ASSERT(sent->next >= p->log.first);
    bool found = sent->lost > 0;
    for (uint64_t number = sent->next; number < event_log_end(&p->log) && !found; number++) {
        const uint8_t *encoded = NULL;
        const event_entry *event = event_log_get(&p->log, number, &encoded);
        found = (s->view.events >> event->kind & 1) != 0 &&
                (!event_is_of_command(event->kind) || subscription_is_addressed(s, &event->to));
    }
    return found;
}

// Whether a reader in step must be sent more than the positions of bodies.
static bool has_more(const publisher *p, const subscription *s)
{
    const bool described =
        s->view.describe && (p->joints.changed > s->version || p->rows.changed > s->version ||
                             !description_complete(s->described));
    const bool lost = s->packed->place.lost && !s->lost_told;
    const bool data = s->data != NULL && p->data.changed > s->version;
    return p->touched > s->version || data || s->view.contacts || described || lost ||
           has_events(p, s);
}

// Sorts pieces together, and within them the readers of the same bytes.
static void find_pieces(publisher *p)
{
    subscription *const *list = p->subscriptions.list.data;
    const share *least = NULL;
    array_clear(&p->pieces);
    sort_due(p);
    for (uint32_t i = 0; i < p->due.count; i++) {
        const subscription *s = list[p->due.data[i]];
        publish_piece *last = p->pieces.count > 0 ? &p->pieces.data[p->pieces.count - 1] : NULL;
        const subscription *before = i > 0 ? list[p->due.data[i - 1]] : NULL;
        const bool same = before != NULL && before->packed == s->packed &&
                          (s->packed != NULL || compare_readers(p, before, s) == 0);
        const int64_t used = shares_used(&p->shares, s->dealt);
        least = least == NULL || used < shares_used(&p->shares, least) ? s->dealt : least;
        if (same) {
            last->end = i + 1;
            last->used_ns = used < last->used_ns ? used : last->used_ns;
            last->version = s->version < last->version ? s->version : last->version;
        } else {
            array_push(&p->pieces, ((publish_piece){i, i + 1, used, s->version}));
        }
    }
    shares_serve(&p->shares, least);
}

static int compare_pieces(const void *a, const void *b)
{
    const publish_piece *x = a;
    const publish_piece *y = b;
    int order = (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
    order = order != 0 ? order : (x->version > y->version) - (x->version < y->version);
    return order != 0 ? order : (x->start > y->start) - (x->start < y->start);
}

// In a paused world: removes from the piece the readers for whom nothing visible has changed. They
// have the present state then.
static void drop_unchanged(publisher *p, publish_piece *piece)
{
    ASSERT(piece->start < piece->end);
    subscription *const *list = p->subscriptions.list.data;
    const subscription *first = list[p->due.data[piece->start]];
    const packed_view *view = first->packed;
    bool all = view != NULL && (view->area_moved || view->waiting || view->crowded);
    for (uint32_t i = piece->start; i < piece->end && view != NULL && !all; i++) {
        const subscription *s = list[p->due.data[i]];
        all = s->owed || confined_view_changed(p, s);
    }
    if (all || (view == NULL && confined_view_changed(p, first))) {
        return;
    }
    uint32_t kept = piece->start;
    for (uint32_t i = piece->start; i < piece->end; i++) {
        subscription *s = list[p->due.data[i]];
        if (s->owed && view == NULL) { // its area has moved
            p->due.data[kept++] = p->due.data[i];
        } else {
            s->version = p->rows.version;
        }
    }
    piece->end = kept;
}

// Encodes the next snapshot of the piece's packed view.
static void encode_packed(publisher *p, const physics_world *world, const publish_piece *piece,
                          packed_view *view, bool all)
{
    ASSERT(view->readers >= piece->end - piece->start);
    const uint64_t tick = world_tick(world);
    bool tells = all || view->area_moved || view->in_step == 0 || view->token_areas != NULL ||
                 (double)(tick - view->tick) >= world_definition(world).hz;
    for (uint32_t i = piece->start; i < piece->end && !tells; i++) {
        tells = has_more(p, p->subscriptions.list.data[p->due.data[i]]);
    }
    packed_view_encode(&p->packed, view, &p->rows, tick, tells);
    view->postponed = false;
}

static void send_piece(publisher *p, const physics_world *world, publish_piece piece, bool all,
                       uint64_t hash, reply_sink sink)
{
    ASSERT(piece.start < piece.end && piece.end <= p->due.count);
    subscription *const *list = p->subscriptions.list.data;
    packed_view *view = list[p->due.data[piece.start]]->packed;
    if (all && list[p->due.data[piece.start]]->token_areas != NULL) {
        drop_unchanged(p, &piece);
    }
    if (view != NULL && piece.end > piece.start) {
        encode_packed(p, world, &piece, view, all);
    }
    // Sending changes the members of a group, but not those of later groups.
    for (uint32_t start = piece.start; start < piece.end;) {
        uint32_t end = start + 1;
        while (end < piece.end &&
               compare_readers(p, list[p->due.data[start]], list[p->due.data[end]]) == 0) {
            end++;
        }
        send_group(p, world, p->due.data + start, end - start, hash, sink);
        start = end;
    }
}

static void charge_piece(publisher *p, const publish_piece *piece, int64_t ns)
{
    ASSERT(ns >= 0 && piece->start < piece->end);
    const int64_t part = ns / (int64_t)(piece->end - piece->start);
    for (uint32_t i = piece->start; i < piece->end; i++) {
        shares_charge(&p->shares, p->subscriptions.list.data[p->due.data[i]]->dealt, part);
    }
}

static void postpone_piece(publisher *p, const publish_piece *piece, const publish_moment *now)
{
    ASSERT(piece->start < piece->end && piece->end <= p->due.count);
    packed_view *view = p->subscriptions.list.data[p->due.data[piece->start]]->packed;
    for (uint32_t i = piece->start; i < piece->end; i++) {
        publisher_note_missed(p->subscriptions.list.data[p->due.data[i]], now);
    }
    if (view != NULL) {
        view->postponed = !now->all || view->token_areas == NULL;
    }
    metrics_add(METRIC_snapshots_postponed, piece->end - piece->start);
}

// Sends pieces until the turn (NULL: it has no end) is over, one in any case. Returns whether all
// were sent.
bool publisher_send_pieces(publisher *p, const physics_world *world, const publish_moment *now,
                           const turn *t, reply_sink sink)
{
    const uint64_t hash = world_hash(world);
    uint32_t i = 0;
    find_pieces(p);
    if (t != NULL && p->pieces.count > 1) {
        qsort(p->pieces.data, p->pieces.count, sizeof *p->pieces.data, compare_pieces);
    }
    work_time time = work_time_begin(t != NULL ? p->processor : NULL);
    for (bool over = false; i < p->pieces.count && !over; i++) {
        const int64_t begin = t != NULL ? t->clock() : 0;
        send_piece(p, world, p->pieces.data[i], now->all, hash, sink);
        if (t != NULL) {
            charge_piece(p, &p->pieces.data[i], work_time_of(&time, t->clock() - begin));
            over = turn_over(t);
        }
    }
    const bool whole = i == p->pieces.count;
    for (; i < p->pieces.count; i++) {
        postpone_piece(p, &p->pieces.data[i], now);
    }
    if (whole) {
        shares_forgive(&p->shares); // no reader waited for another
    }
    view_set_pool_clear(&p->sets);
    return whole;
}
