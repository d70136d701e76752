// The subscriptions of a world: how each begins, moves to another view, continues over another
// connection and ends. See publisher.h. The world's thread.
#include "server/world/snapshots/publisher_internal.h"

#include <string.h>

#include "common/base/assert.h"
#include "server/base/metrics.h"
#include "server/world/snapshots/view_area.h"

// Asks the world for the events, and keeps the joints, that the subscriptions want now.
static void follow(publisher *p, physics_world *world)
{
    const uint32_t engines = (1u << EVENT_KIND_COUNT) - 1; // the kinds that the engine makes
    world_want_events(world, subscriptions_events(&p->subscriptions) & engines);
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

// Places a view at its start.
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

// Memory of a subscription here, and of its session's record of it, which has the names, too.
static uint64_t bytes_of(uint32_t names)
{
    return sizeof(subscription) + sizeof(view_phase) + SUBSCRIPTION_RECORD_BYTES +
           2 * data_prefixes_bytes(names);
}

status publisher_can_afford(const publisher *p, const physics_world *world,
                            const subscribe_args *view, error *err)
{
    const bool packed = view->encoding == ENCODING_PACKED && view->bodies;
    const uint64_t bytes =
        packed ? packed_views_bytes_most(&view->precision, count_in_view(p, world, view)) : 0;
    return memory_ask(p->taker, bytes + bytes_of(view->data_count), err);
}

void publisher_subscribe(publisher *p, physics_world *world, uint64_t number, session_key session,
                         uint64_t subject, const subscribe_args *view)
{
    ASSERT(view->rate >= 0.0 && view->margin >= 0.0);
    ASSERT(number > 0 && session.number > 0); // the server itself has no subscriptions
    subscription *s = subscriptions_add(&p->subscriptions, number, session, view);
    s->dealt = shares_hold(&p->shares, subject);
    event_marks_begin(&s->marks, event_log_end(&p->log));
    memory_charge_begin(&s->charge, MEMORY_views, p->taker);
    memory_charge_note(&s->charge, bytes_of(s->data != NULL ? s->data->count : 0));
    place_view(s, world);
    if (view->encoding == ENCODING_PACKED && view->bodies) {
        packed_views_join(&p->packed, s, world_definition(world).hz);
    }
    p->stale = p->stale || (view->describe && !p->joints.following);
    follow(p, world);
}

void publisher_name_reader(publisher *p, uint64_t number, role held, const char *subject)
{
    subscription *s = subscriptions_find(&p->subscriptions, number);
    ASSERT(s != NULL && strlen(subject) < sizeof s->subject);
    s->role = held;
    strcpy(s->subject, subject);
}

// Charges a view's memory to another reader when the paying one leaves. (`view` NULL: does
// nothing.)
static void hand_on(publisher *p, packed_view *view)
{
    ASSERT(view == NULL || view->readers > 0);
    for (uint32_t i = 0; i < p->subscriptions.list.count && view != NULL; i++) {
        const subscription *s = p->subscriptions.list.data[i];
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

// Ends a subscription; every end is made here.
static void remove_subscription(publisher *p, subscription *s)
{
    ASSERT(s->dealt != NULL);
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
    subscriptions_move(&p->subscriptions, s, view);
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
    for (subscription *s = subscriptions_first_of(&p->subscriptions, session); s != NULL;) {
        subscription *next = subscriptions_next_of(s);
        remove_subscription(p, s);
        s = next;
    }
    follow(p, world);
}

void publisher_post_closed(publisher *p, const subscription *s, reply_kind kind, status why,
                           const char *text, reply_sink sink)
{
    ASSERT(kind == REPLY_CLOSED || kind == REPLY_OVERRUN);
    ASSERT(why != STATUS_OK && text != NULL);
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
        subscription *s = p->subscriptions.list.data[p->subscriptions.list.count - 1];
        publisher_post_closed(p, s, REPLY_CLOSED, why, text, sink);
        remove_subscription(p, s);
    }
}

void publisher_remove_refused(publisher *p, physics_world *world)
{
    const uint32_t before = p->subscriptions.list.count;
    for (uint32_t i = before; i > 0; i--) {
        if (p->subscriptions.list.data[i - 1]->refused) {
            remove_subscription(p, p->subscriptions.list.data[i - 1]);
        }
    }
    if (p->subscriptions.list.count < before) {
        follow(p, world);
    }
}

static void restart(subscription *s, session_key session)
{
    ASSERT(s->session.number == session.number);
    subscription_begin_anew(s);
    s->session = session;
    event_marks_rewind(&s->marks);
    s->skipped = 0;
    s->ended = false;
}

void publisher_resume(publisher *p, session_key session)
{
    for (subscription *s = subscriptions_first_of(&p->subscriptions, session); s != NULL;
         s = subscriptions_next_of(s)) {
        if (s->session.generation != session.generation) {
            restart(s, session); // otherwise it was restarted for this connection already
        }
    }
}

void publisher_begin_anew(publisher *p, physics_world *world)
{
    p->stale = true;
    joint_table_follow(&p->joints, false);
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = p->subscriptions.list.data[i];
        subscription_begin_anew(s);
    }
    follow(p, world);
}
