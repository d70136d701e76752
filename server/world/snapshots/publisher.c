// Making a world's snapshots: choose the subscriptions that are due, sort them into view groups,
// build each group's bytes once, post a reply for each subscription. See publisher.h. The world's
// thread.
#include "server/world/snapshots/publisher.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "server/base/metrics.h"
#include "server/world/snapshots/budget.h"
#include "server/world/snapshots/confined_view.h"
#include "server/world/snapshots/view_area.h"
#include "server/world/snapshots/view_group.h"

void publisher_init(publisher *p, const limits *bounds, const char *world, uint64_t epoch)
{
    *p = (publisher){.limits = bounds, .world = world, .epoch = epoch, .stale = true};
    row_table_init(&p->rows, bounds->removals_kept);
    joint_table_init(&p->joints, bounds->removals_kept);
    descriptions_init(&p->descriptions, bounds->describe_bytes);
    event_log_init(&p->log);
    buffer_init(&p->body_rows, WIRE_REPLY_BYTES_MAX);
    buffer_init(&p->events, WIRE_REPLY_BYTES_MAX);
    buffer_init(&p->contact_rows, WIRE_REPLY_BYTES_MAX);
}

void publisher_deinit(publisher *p)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        shares_release(&p->shares, p->subscriptions.list.data[i].dealt);
    }
    subscriptions_deinit(&p->subscriptions);
    packed_views_deinit(&p->packed);
    area_index_deinit(&p->areas);
    view_set_pool_deinit(&p->sets);
    row_table_deinit(&p->rows);
    joint_table_deinit(&p->joints);
    descriptions_deinit(&p->descriptions);
    event_log_deinit(&p->log);
    array_free(&p->last);
    array_free(&p->due);
    array_free(&p->pieces);
    shares_deinit(&p->shares);
    array_free(&p->contacts);
    buffer_deinit(&p->body_rows);
    buffer_deinit(&p->events);
    buffer_deinit(&p->contact_rows);
    array_free(&p->events_shown);
    array_free(&p->removed);
    array_free(&p->enter);
    array_free(&p->leave);
}

// ---- subscribing

// Asks the world for the events, and keeps the joints, that the subscriptions want now.
static void follow(publisher *p, physics_world *world)
{
    world_want_events(world, subscriptions_events(&p->subscriptions));
    joint_table_follow(&p->joints, subscriptions_describe(&p->subscriptions));
}

status publisher_may_follow(const physics_world *world, body_id body, const area *areas,
                            uint32_t count, error *err)
{
    body_info info;
    if (body == 0) {
        return STATUS_OK;
    }
    token_areas *seen_by = token_areas_create(areas, count);
    const bool there = body_get(world, body, &info, NULL) == STATUS_OK;
    const bool seen = there && token_areas_has(seen_by, info.position);
    token_areas_unref(seen_by);
    return seen
               ? STATUS_OK
               : error_set(err, STATUS_NOT_FOUND, "follow: body %llu does not exist%s",
                           (unsigned long long)body, count > 0 ? " in the areas of the token" : "");
}

// Puts a view where it is to begin.
static void place_view(subscription *s, const physics_world *world)
{
    body_info info;
    const bool there =
        s->view.follow != 0 && body_get(world, s->view.follow, &info, NULL) == STATUS_OK;
    view_area_begin(&s->place, &s->view, there ? &info.position : NULL);
    s->lost_told = false;
}

// About how many bodies the view will have. The rows may be of an earlier state, or there are none
// yet: a packed view asks again before each snapshot.
static uint32_t count_in_view(const publisher *p, const physics_world *world,
                              const subscribe_args *view)
{
    if (!view->has_area) {
        return world_definition(world).bodies_max - world_room_left(world).bodies;
    }
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < p->rows.entries.count && view->follow == 0; slot++) {
        const row_entry *row = &p->rows.entries.data[slot];
        count += row->id != 0 && view_area_covers(&view->area, &row->row.box);
    }
    return count;
}

status publisher_can_afford(const publisher *p, const physics_world *world,
                            const subscribe_args *view, error *err)
{
    const bool packed = view->encoding == ENCODING_PACKED && view->bodies;
    const uint64_t bytes =
        packed ? packed_views_bytes_most(&view->precision, count_in_view(p, world, view)) : 0;
    return memory_ask(p->taker, bytes + sizeof(subscription), err);
}

void publisher_subscribe(publisher *p, physics_world *world, uint64_t number, session_key session,
                         uint64_t subject, const subscribe_args *view)
{
    ASSERT(number > 0 && session.number > 0); // the server itself has no subscriptions
    subscription *s = subscriptions_add(&p->subscriptions, number, session, view);
    s->dealt = shares_hold(&p->shares, subject);
    event_marks_begin(&s->marks, event_log_end(&p->log));
    memory_charge_begin(&s->charge, MEMORY_views, p->taker);
    memory_charge_note(&s->charge, sizeof *s);
    place_view(s, world);
    if (view->encoding == ENCODING_PACKED && view->bodies) {
        packed_views_join(&p->packed, s, world_definition(world).hz);
    }
    p->stale = p->stale || (view->describe && !p->joints.following);
    follow(p, world);
}

// A view that one of its readers has left takes the memory of another one. (NULL: nothing.)
static void hand_on(publisher *p, packed_view *view)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count && view != NULL; i++) {
        const subscription *s = &p->subscriptions.list.data[i];
        if (s->packed == view) {
            memory_charge_move(&view->charge, s->charge.who);
            return;
        }
    }
}

static subscription *find_own(publisher *p, uint64_t number, session_key session)
{
    subscription *s = subscriptions_find(&p->subscriptions, number);
    return s != NULL && s->session.number == session.number ? s : NULL;
}

// Every subscription ends here.
static void remove_subscription(publisher *p, subscription *s)
{
    packed_view *shared = s->packed != NULL && s->packed->readers > 1 ? s->packed : NULL;
    packed_views_leave(&p->packed, s);
    shares_release(&p->shares, s->dealt);
    subscriptions_remove(&p->subscriptions, s->number);
    hand_on(p, shared);
}

bool publisher_unsubscribe(publisher *p, physics_world *world, uint64_t number, session_key session)
{
    subscription *s = find_own(p, number, session);
    if (s == NULL) {
        return false;
    }
    remove_subscription(p, s);
    follow(p, world);
    return true;
}

status publisher_move(publisher *p, const physics_world *world, uint64_t number,
                      session_key session, const view_args *view, error *err)
{
    subscription *s = find_own(p, number, session);
    if (s == NULL) {
        return error_set(err, STATUS_NOT_FOUND, "subscription: it has ended");
    }
    const area *areas = s->token_areas != NULL ? s->token_areas->areas : NULL;
    const status allowed = publisher_may_follow(
        world, view->follow, areas, s->token_areas != NULL ? s->token_areas->count : 0, err);
    if (allowed != STATUS_OK) {
        return allowed;
    }
    subscribe_args_move(&s->view, view);
    place_view(s, world);
    if (s->packed != NULL) {
        packed_view *shared = s->packed->readers > 1 ? s->packed : NULL;
        packed_views_move(&p->packed, s, world_definition(world).hz);
        hand_on(p, shared);
    }
    s->owed = true;
    return STATUS_OK;
}

void publisher_acknowledge(publisher *p, uint64_t number)
{
    subscription *s = subscriptions_find(&p->subscriptions, number);
    if (s != NULL) {
        event_marks_acknowledge(&s->marks);
    }
}

void publisher_forget(publisher *p, physics_world *world, session_key session)
{
    for (uint32_t i = p->subscriptions.list.count; i > 0; i--) {
        subscription *s = &p->subscriptions.list.data[i - 1];
        if (s->session.number == session.number) {
            remove_subscription(p, s);
        }
    }
    follow(p, world);
}

static void post_closed(publisher *p, const subscription *s, reply_kind kind, status why,
                        const char *text, reply_sink sink)
{
    reply *r = reply_create(kind, p->epoch);
    r->status = why;
    r->reply_to.session = s->session;
    r->subscription = s->number;
    r->text = strdup(text);
    ASSERT_MEMORY(r->text != NULL);
    sink.post(sink.context, r);
}

void publisher_close_all(publisher *p, status why, const char *text, reply_sink sink)
{
    while (p->subscriptions.list.count > 0) {
        subscription *s = &p->subscriptions.list.data[p->subscriptions.list.count - 1];
        post_closed(p, s, REPLY_CLOSED, why, text, sink);
        remove_subscription(p, s);
    }
}

// There is no memory for the view of these subscriptions.
static void refuse_group(publisher *p, const uint32_t *due, uint32_t count, reply_sink sink)
{
    for (uint32_t i = 0; i < count; i++) {
        subscription *s = &p->subscriptions.list.data[due[i]];
        post_closed(p, s, REPLY_CLOSED, s->packed->refusal.status, s->packed->refusal.text, sink);
        s->refused = s->ended = true;
        metrics_add(METRIC_subscriptions_refused, 1);
    }
}

static void remove_refused(publisher *p, physics_world *world)
{
    const uint32_t before = p->subscriptions.list.count;
    for (uint32_t i = before; i > 0; i--) {
        if (p->subscriptions.list.data[i - 1].refused) {
            remove_subscription(p, &p->subscriptions.list.data[i - 1]);
        }
    }
    if (p->subscriptions.list.count < before) {
        follow(p, world);
    }
}

static void restart(subscription *s, session_key session)
{
    subscription_begin_anew(s);
    s->session = session;
    event_marks_rewind(&s->marks);
    s->skipped = 0;
    s->ended = false;
}

void publisher_resume(publisher *p, session_key session)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = &p->subscriptions.list.data[i];
        if (s->session.number == session.number && s->session.generation != session.generation) {
            restart(s, session); // else another's, or begun anew for this connection before
        }
    }
}

void publisher_begin_anew(publisher *p, physics_world *world)
{
    p->stale = true;
    joint_table_follow(&p->joints, false);
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = &p->subscriptions.list.data[i];
        subscription_begin_anew(s);
    }
    follow(p, world);
}

void publisher_note_change(publisher *p, const physics_world *world, const command *c)
{
    descriptions_note_command(world, c, &p->rows, &p->joints);
    p->touched = p->rows.version + 1;
}

void publisher_note_command(publisher *p, session_key session, uint32_t id)
{
    if (session.slot >= p->last.count) {
        array_reserve(&p->last, session.slot + 1); // new elements are zero
        p->last.count = session.slot + 1;
    }
    session_last *last = &p->last.data[session.slot];
    if (last->session <= session.number) { // else the slot is another's: a batch for a later tick
        *last = (session_last){session.number, id};
    }
}

void publisher_note_step(publisher *p, physics_world *world)
{
    p->stale = true;
    uint32_t count = 0;
    const physics_event *events = world_events(world, &count);
    for (uint32_t i = 0; i < count && p->subscriptions.list.count > 0; i++) {
        event_log_note(&p->log, &events[i]);
    }
}
// ---- sending

// About what a receiver is sent before the part that all share, as budgets count it.
enum { HEAD_BYTES = DELIVERY_HEAD_BYTES_MAX / 2 };

static void add_receiver(const publisher *p, const subscription *s, reply *r)
{
    snapshot_delivery d = {.session = s->session,
                           .subscription = s->number,
                           .skipped = s->skipped,
                           .events_lost = event_marks_sent(&s->marks)->lost};
    if (s->session.slot < p->last.count &&
        p->last.data[s->session.slot].session == s->session.number) {
        d.has_last = true;
        d.last = p->last.data[s->session.slot].id;
    }
    r->deliveries[r->delivery_count++] = d;
}

static void settle(publisher *p, subscription *s, const view_group *g)
{
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

// The reader has this state already: nothing in it is worth a snapshot.
static void skip_idle(publisher *p, const uint32_t *due, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        subscription *s = &p->subscriptions.list.data[due[i]];
        s->version = p->rows.version;
        s->owed = false;
    }
}

// Sends to the `count` subscriptions at `due`, which form a view group.
static void send_group(publisher *p, const physics_world *world, const uint32_t *due,
                       uint32_t count, uint64_t hash, reply_sink sink)
{
    subscription first = p->subscriptions.list.data[due[0]]; // its baseline before this snapshot
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
        subscription *s = &p->subscriptions.list.data[due[i]];
        if (snapshot != NULL) {
            add_receiver(p, s, snapshot);
            settle(p, s, &g);
            if (view_group_budget(s) != NULL) {
                budget_pay(view_group_budget(s), HEAD_BYTES + tail->size);
            }
        } else {
            metrics_add(METRIC_subscriptions_overrun, 1);
            post_closed(p, s, REPLY_OVERRUN, STATUS_LIMIT_EXCEEDED,
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

static int compare_due(const void *a, const void *b, void *list)
{
    const subscription *all = list;
    return subscription_compare(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

// Brings equal ones together. Most often all are equal, and stand in order as they are.
static void sort_due(publisher *p)
{
    subscription *list = p->subscriptions.list.data;
    uint32_t *due = p->due.data;
    uint32_t ordered = 1;
    while (ordered < p->due.count && compare_due(&due[ordered - 1], &due[ordered], list) <= 0) {
        ordered++;
    }
    if (ordered < p->due.count) {
        qsort_r(due, p->due.count, sizeof *due, compare_due, list);
    }
}

// Whether it was not sent the present state.
static bool is_behind(const publisher *p, const subscription *s)
{
    const budget *b = view_group_budget(s);
    return p->stale || s->version < p->rows.version || !description_complete(s->described) ||
           (b != NULL && b->left_out > 0);
}

static void refresh(publisher *p, const physics_world *world)
{
    if (p->stale) {
        row_table_update(&p->rows, world);
        joint_table_update(&p->joints, world, p->rows.version);
        p->stale = false;
    }
}

// ---- choosing

// The present tick, as those see it who choose what is due in it.
typedef struct moment {
    uint64_t tick;
    double hz;
    bool all;
} moment;

static bool is_due(const publisher *p, const subscription *s, const moment *now)
{
    return now->all ? is_behind(p, s) : subscription_due(s, now->tick, now->hz);
}

// Whether its reader can be sent a snapshot now.
static bool can_send(const subscription *s)
{
    return !s->ended && (s->packed != NULL ? packed_view_can_send(s) : s->marks.in_flight == 0);
}

static bool is_crowded(const publisher *p, const subscription *s)
{
    return event_log_end(&p->log) - event_marks_sent(&s->marks)->next > p->limits->events_kept / 2;
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

// A packed view's snapshots are for all of its readers. One is due when it falls due for those in
// step, when its area was moved, or when there is none of these and somebody waits to begin.
static void choose_due_views(publisher *p, const moment *now)
{
    for (uint32_t i = 0; i < p->packed.list.count; i++) {
        packed_view *view = p->packed.list.data[i];
        view->in_step = 0;
        view->waiting = view->due = view->told = view->crowded = false;
    }
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = &p->subscriptions.list.data[i];
        if (s->packed == NULL) {
            continue;
        }
        const bool forgotten =
            s->version < p->rows.floor || (s->view.describe && s->version < p->joints.floor);
        if (s->packed_number != 0 && (!packed_view_in_step(s) || forgotten)) {
            subscription_begin_anew(s);
        }
        packed_view *view = s->packed;
        const bool in_step = packed_view_in_step(s);
        const bool sends = can_send(s);
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

// Whether its budget, if it has one, allows a snapshot now. Events that wait do not wait for bytes.
static bool can_pay(const publisher *p, const subscription *s)
{
    const budget *b = view_group_budget(s);
    return b == NULL || budget_can_send(b) || is_crowded(p, s);
}

static bool is_chosen(const publisher *p, const subscription *s, bool due)
{
    return s->packed != NULL ? s->packed->due && can_send(s)
                             : can_send(s) && (due || s->owed || is_crowded(p, s)) && can_pay(p, s);
}

// Each publishing is a tick's worth: of a world that stands too, which shows changes no oftener
// than one that runs.
static void refill_budgets(publisher *p, double hz)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        budget *b = view_group_budget(&p->subscriptions.list.data[i]);
        if (b != NULL) {
            budget_refill(b, hz);
        }
    }
}

// One that is due and cannot be sent now. Of a world that stands, one with the areas of a token is
// looked at again when it can be: that something has changed elsewhere must not show.
static void note_missed(subscription *s, const moment *now)
{
    if (!now->all || s->token_areas == NULL) {
        s->skipped++;
        s->owed = true;
    }
}

static void choose_due(publisher *p, const moment *now)
{
    array_clear(&p->due);
    refill_budgets(p, now->hz);
    choose_due_views(p, now);
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = &p->subscriptions.list.data[i];
        const bool due = s->packed != NULL ? s->packed->due : is_due(p, s, now);
        if (is_chosen(p, s, due)) {
            array_push(&p->due, i);
        } else if (due && s->packed == NULL && can_send(s) && !can_pay(p, s)) {
            s->owed = true; // for later, and nobody was slow
        } else if (due) {
            note_missed(s, now);
            metrics_add(METRIC_snapshots_skipped, 1);
        }
    }
}

static int compare_contacts(const void *a, const void *b)
{
    const contact_info *one = a;
    const contact_info *other = b;
    const int first = (one->shape_a > other->shape_a) - (one->shape_a < other->shape_a);
    return first != 0 ? first : (one->shape_b > other->shape_b) - (one->shape_b < other->shape_b);
}

// The engine's order goes by places that contacts of the whole world share: for readers who see a
// part of it they are put in the order of their shapes.
static void take_contacts(publisher *p, const physics_world *world)
{
    bool wanted = false;
    bool confined = false;
    for (uint32_t i = 0; i < p->due.count; i++) {
        const subscription *s = &p->subscriptions.list.data[p->due.data[i]];
        wanted = wanted || s->view.contacts;
        confined = confined || (s->view.contacts && s->token_areas != NULL);
    }
    array_clear(&p->contacts);
    if (wanted) {
        uint32_t count = world_count(world).contacts;
        array_reserve(&p->contacts, count);
        uint32_t touching = world_contacts(world, p->contacts.data, count);
        p->contacts.count = touching < count ? touching : count;
        if (confined && p->contacts.count > 1) {
            qsort(p->contacts.data, p->contacts.count, sizeof *p->contacts.data, compare_contacts);
        }
    }
}

// ---- events and removals that are kept for those who are behind

// Whether there are events of the kinds that the subscription wants that it was not sent, or it is
// not told yet that it lost some.
static bool has_events(const publisher *p, const subscription *s)
{
    const event_mark *sent = event_marks_sent(&s->marks);
    bool found = sent->lost > 0;
    for (uint64_t number = sent->next; number < event_log_end(&p->log) && !found; number++) {
        const uint8_t *encoded = NULL;
        const event_entry *event = event_log_get(&p->log, number, &encoded);
        found = (s->view.events >> event->kind & 1) != 0;
    }
    return found;
}

typedef struct loser {
    const publisher *publisher;
    const subscription *subscription;
} loser;

static bool loses(const void *context, uint64_t number)
{
    const loser *l = context;
    const uint8_t *encoded = NULL;
    const event_entry *event = event_log_get(&l->publisher->log, number, &encoded);
    return view_group_wants(l->publisher, l->subscription, event);
}

// Whether there is more to tell to a reader in step than where bodies are.
static bool has_more(const publisher *p, const subscription *s)
{
    const bool described =
        s->view.describe && (p->joints.changed > s->version || p->rows.changed > s->version ||
                             !description_complete(s->described));
    const bool lost = s->packed->place.lost && !s->lost_told;
    return p->touched > s->version || s->view.contacts || described || lost || has_events(p, s);
}

// Plain views that are due go along with their bodies; packed ones do when they are encoded.
static void follow_bodies(publisher *p)
{
    for (uint32_t i = 0; i < p->due.count; i++) {
        subscription *s = &p->subscriptions.list.data[p->due.data[i]];
        if (s->view.follow != 0 && s->packed == NULL) {
            view_area_update(&s->place, &s->view, s->token_areas, &p->rows);
        }
    }
}

static void trim(publisher *p)
{
    uint64_t end = event_log_end(&p->log);
    uint64_t floor = end > p->limits->events_kept ? end - p->limits->events_kept : 0;
    uint64_t oldest_event = end;
    uint64_t oldest_version = p->rows.version;
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = &p->subscriptions.list.data[i];
        event_marks_trim(&s->marks, floor, loses, &(loser){p, s});
        const uint64_t taken = s->marks.list[0].next;
        oldest_event = taken < oldest_event ? taken : oldest_event;
        bool older = s->version > 0 && s->version < oldest_version;
        oldest_version = older ? s->version : oldest_version;
    }
    event_log_trim(&p->log, oldest_event);
    row_table_trim(&p->rows, oldest_version);
    joint_table_trim(&p->joints, oldest_version);
}

// ---- pieces
//
// Snapshots are made and sent in pieces: a view group, or a packed view with all of its readers,
// whose snapshots are one stream. Pieces go by the time that their readers' subjects had (a piece
// of many counts for each of them in part), and then by age. When the turn is over the other
// readers wait for the next publishing: each is sent then what it lacks, with all events since its
// last snapshot, as a slow reader is.

// Brings pieces together, and in them those who are sent the same.
static void find_pieces(publisher *p)
{
    const subscription *list = p->subscriptions.list.data;
    const share *least = NULL;
    array_clear(&p->pieces);
    sort_due(p);
    for (uint32_t i = 0; i < p->due.count; i++) {
        const subscription *s = &list[p->due.data[i]];
        publish_piece *last = p->pieces.count > 0 ? &p->pieces.data[p->pieces.count - 1] : NULL;
        const subscription *before = i > 0 ? &list[p->due.data[i - 1]] : NULL;
        const bool same = before != NULL && before->packed == s->packed &&
                          (s->packed != NULL || subscription_compare(before, s) == 0);
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

// Of a world that stands: takes those out of the piece who have nothing to be told that they may
// see. They have the present state then.
static void drop_unchanged(publisher *p, publish_piece *piece)
{
    subscription *list = p->subscriptions.list.data;
    const subscription *first = &list[p->due.data[piece->start]];
    const packed_view *view = first->packed;
    bool all = view != NULL && (view->area_moved || view->waiting || view->crowded);
    for (uint32_t i = piece->start; i < piece->end && view != NULL && !all; i++) {
        const subscription *s = &list[p->due.data[i]];
        all = s->owed || confined_view_changed(p, s);
    }
    if (all || (view == NULL && confined_view_changed(p, first))) {
        return;
    }
    uint32_t kept = piece->start;
    for (uint32_t i = piece->start; i < piece->end; i++) {
        subscription *s = &list[p->due.data[i]];
        if (s->owed && view == NULL) { // its area was moved
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
    const uint64_t tick = world_tick(world);
    bool tells = all || view->area_moved || view->in_step == 0 || view->token_areas != NULL ||
                 (double)(tick - view->tick) >= world_definition(world).hz;
    for (uint32_t i = piece->start; i < piece->end && !tells; i++) {
        tells = has_more(p, &p->subscriptions.list.data[p->due.data[i]]);
    }
    packed_view_encode(&p->packed, view, &p->rows, tick, tells);
    view->postponed = false;
}

static void send_piece(publisher *p, const physics_world *world, publish_piece piece, bool all,
                       uint64_t hash, reply_sink sink)
{
    const subscription *list = p->subscriptions.list.data;
    packed_view *view = list[p->due.data[piece.start]].packed;
    if (all && list[p->due.data[piece.start]].token_areas != NULL) {
        drop_unchanged(p, &piece);
    }
    if (view != NULL && piece.end > piece.start) {
        encode_packed(p, world, &piece, view, all);
    }
    // The members of a group change as it is sent, those of later groups do not.
    for (uint32_t start = piece.start; start < piece.end;) {
        uint32_t end = start + 1;
        while (end < piece.end &&
               subscription_compare(&list[p->due.data[start]], &list[p->due.data[end]]) == 0) {
            end++;
        }
        send_group(p, world, p->due.data + start, end - start, hash, sink);
        start = end;
    }
}

static void charge_piece(publisher *p, const publish_piece *piece, int64_t ns)
{
    const int64_t part = ns / (int64_t)(piece->end - piece->start);
    for (uint32_t i = piece->start; i < piece->end; i++) {
        shares_charge(&p->shares, p->subscriptions.list.data[p->due.data[i]].dealt, part);
    }
}

static void postpone_piece(publisher *p, const publish_piece *piece, const moment *now)
{
    packed_view *view = p->subscriptions.list.data[p->due.data[piece->start]].packed;
    for (uint32_t i = piece->start; i < piece->end; i++) {
        note_missed(&p->subscriptions.list.data[p->due.data[i]], now);
    }
    if (view != NULL) {
        view->postponed = !now->all || view->token_areas == NULL;
    }
    metrics_add(METRIC_snapshots_postponed, piece->end - piece->start);
}

// Sends pieces until the turn (NULL: it has no end) is over, one in any case. Returns whether all
// were sent.
static bool send_pieces(publisher *p, const physics_world *world, const moment *now, const turn *t,
                        reply_sink sink)
{
    const uint64_t hash = world_hash(world);
    uint32_t i = 0;
    find_pieces(p);
    if (t != NULL && p->pieces.count > 1) {
        qsort(p->pieces.data, p->pieces.count, sizeof *p->pieces.data, compare_pieces);
    }
    for (bool over = false; i < p->pieces.count && !over; i++) {
        const int64_t begin = t != NULL ? t->clock() : 0;
        send_piece(p, world, p->pieces.data[i], now->all, hash, sink);
        if (t != NULL) {
            charge_piece(p, &p->pieces.data[i], t->clock() - begin);
            over = turn_over(t);
        }
    }
    const bool whole = i == p->pieces.count;
    for (; i < p->pieces.count; i++) {
        postpone_piece(p, &p->pieces.data[i], now);
    }
    if (whole) {
        shares_forgive(&p->shares); // nobody has waited for another one
    }
    view_set_pool_clear(&p->sets);
    return whole;
}

bool publisher_publish(publisher *p, physics_world *world, bool all, const turn *t, reply_sink sink)
{
    const moment now = {world_tick(world), world_definition(world).hz, all};
    bool whole = true;
    choose_due(p, &now);
    if (p->due.count > 0) {
        refresh(p, world);
        take_contacts(p, world);
        follow_bodies(p);
        p->packed.areas = &p->areas;
        whole = send_pieces(p, world, &now, t, sink);
        remove_refused(p, world);
    }
    trim(p);
    return whole;
}

bool publisher_owes(const publisher *p)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        const subscription *s = &p->subscriptions.list.data[i];
        if (can_send(s) && (s->owed || is_behind(p, s))) {
            return true;
        }
    }
    return false;
}
