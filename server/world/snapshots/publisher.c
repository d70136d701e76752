// Making a world's snapshots; see publisher.h. This file has the publisher's creation and end, its
// tracking of the world's changes, and one publishing from beginning to end; publisher_subscribe.c
// has the subscriptions, publisher_choose.c those that are due, publisher_pieces.c what is built
// and sent. The world's thread.
#include "server/world/snapshots/publisher_internal.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "proto/limits.h"
#include "server/world/snapshots/view_area.h"
#include "server/world/snapshots/view_group.h"
#include "server/world/state/last_requests.h"

void publisher_init(publisher *p, const limits *bounds, const char *world, uint64_t epoch)
{
    ASSERT(bounds->events_kept > 0 && bounds->event_bytes_kept > 0 && bounds->removals_kept > 0);
    *p = (publisher){.limits = bounds, .world = world, .epoch = epoch, .stale = true};
    row_table_init(&p->rows, bounds->removals_kept);
    joint_table_init(&p->joints, bounds->removals_kept);
    descriptions_init(&p->descriptions, bounds->describe_bytes);
    event_log_init(&p->log);
    data_feed_init(&p->data, bounds->removals_kept);
    buffer_init(&p->body_rows, WIRE_REPLY_BYTES_MAX);
    buffer_init(&p->events, WIRE_REPLY_BYTES_MAX);
    buffer_init(&p->contact_rows, WIRE_REPLY_BYTES_MAX);
    buffer_init(&p->data_rows, WIRE_REPLY_BYTES_MAX);
}

void publisher_measure_by(publisher *p, turn_clock *processor)
{
    p->processor = processor;
}

void publisher_deinit(publisher *p)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        shares_release(&p->shares, p->subscriptions.list.data[i]->dealt);
    }
    subscriptions_deinit(&p->subscriptions);
    packed_views_deinit(&p->packed);
    area_index_deinit(&p->areas);
    view_set_pool_deinit(&p->sets);
    row_table_deinit(&p->rows);
    joint_table_deinit(&p->joints);
    descriptions_deinit(&p->descriptions);
    event_log_deinit(&p->log);
    data_feed_deinit(&p->data);
    array_free(&p->last);
    array_free(&p->due);
    array_free(&p->pieces);
    shares_deinit(&p->shares);
    array_free(&p->contacts);
    buffer_deinit(&p->body_rows);
    buffer_deinit(&p->events);
    buffer_deinit(&p->contact_rows);
    buffer_deinit(&p->data_rows);
    array_free(&p->events_shown);
    array_free(&p->removed);
    array_free(&p->enter);
    array_free(&p->leave);
}

void publisher_show_owners(publisher *p, owners *whose)
{
    p->descriptions.owners = whose;
}

void publisher_show_scene(publisher *p, const area *view)
{
    p->has_scene_view = view != NULL;
    p->scene_view = view != NULL ? *view : (area){0};
}

const area *publisher_scene_view(const publisher *p)
{
    return p->has_scene_view ? &p->scene_view : NULL;
}

uint32_t publisher_reader_count(const publisher *p)
{
    return p->subscriptions.list.count;
}

referee_presence publisher_referee(const publisher *p)
{
    const subscription *first = NULL;
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        const subscription *s = p->subscriptions.list.data[i];
        const bool gets =
            !s->ended && s->role >= ROLE_REFEREE && (s->view.events & 1u << EVENT_MESSAGE) != 0;
        first = gets && (first == NULL || s->number < first->number) ? s : first;
    }
    return first == NULL ? (referee_presence){.present = false}
                         : (referee_presence){.present = true, .session = first->session.number};
}

void publisher_charge_to(publisher *p, memory_holder *holder)
{
    p->taker = holder;
}

// ---- notes of the world

void publisher_show_margins(publisher *p, margins *of)
{
    p->margins = of;
}

void publisher_note_edit(publisher *p)
{
    p->stale = true;
}

void publisher_note_change(publisher *p, const physics_world *world, const command *c)
{
    descriptions_note_command(world, c, &p->rows, &p->joints);
    p->touched = p->rows.version + 1;
}

void publisher_note_data(publisher *p, const command *c)
{
    if (subscriptions_data(&p->subscriptions)) {
        data_feed_note(&p->data, c, p->rows.version + 1);
    }
}

static void trim_events(publisher *p);

// The kind of event that a command of this method makes; WORLD_EVENT_KIND_COUNT: none.
static uint32_t event_of(method m)
{
    switch (m) {
    case METHOD_MESSAGE_SEND:
        return EVENT_MESSAGE;
    case METHOD_WORLD_JOIN:
        return EVENT_JOIN;
    case METHOD_WORLD_LEAVE:
        return EVENT_LEAVE;
    default:
        return WORLD_EVENT_KIND_COUNT;
    }
}

void publisher_note_messages(publisher *p, const command *c, uint64_t session, uint64_t tick)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    const command *commands = batch ? c->apply.commands : c;
    const uint32_t count = batch ? c->apply.count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t kind = event_of(commands[i].method);
        const bool wanted = kind < WORLD_EVENT_KIND_COUNT &&
                            (subscriptions_events(&p->subscriptions) >> kind & 1) != 0;
        if (wanted && kind == EVENT_MESSAGE) {
            event_log_note_message(&p->log, tick, session, &commands[i].message);
        } else if (wanted) {
            event_log_note_seat(&p->log, tick, &commands[i]);
        }
    }
    // a paused world without a reader that takes anything publishes nothing, and trims nothing then
    if (event_log_bytes_from(&p->log, p->log.first) > p->limits->event_bytes_kept) {
        trim_events(p);
    }
}

void publisher_note_command(publisher *p, session_key session, uint32_t id)
{
    ASSERT(session.number > 0 && session.slot < SESSION_MARK_SLOTS_MAX);
    if (session.slot >= p->last.count) {
        array_reserve(&p->last, session.slot + 1); // new elements are zero
        p->last.count = session.slot + 1;
    }
    session_last *last = &p->last.data[session.slot];
    // otherwise a later session has the slot: this request was a batch for a later tick
    if (last->session <= session.number) {
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

// ---- one publishing

static void refresh(publisher *p, const physics_world *world)
{
    if (p->stale) {
        row_table_update(&p->rows, world);
        joint_table_update(&p->joints, world, p->rows.version);
        p->stale = false;
    }
}

static int compare_contacts(const void *a, const void *b)
{
    const contact_info *one = a;
    const contact_info *other = b;
    const int first = (one->shape_a > other->shape_a) - (one->shape_a < other->shape_a);
    return first != 0 ? first : (one->shape_b > other->shape_b) - (one->shape_b < other->shape_b);
}

// The engine orders contacts by indices that contacts of the whole world share, which would reveal
// hidden ones: for readers who see a part of the world they are sorted by their shapes.
static void take_contacts(publisher *p, const physics_world *world)
{
    bool wanted = false;
    bool confined = false;
    for (uint32_t i = 0; i < p->due.count; i++) {
        const subscription *s = p->subscriptions.list.data[p->due.data[i]];
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

// Moves the plain views that are due along with their followed bodies; packed ones are moved when
// they are encoded.
static void follow_bodies(publisher *p)
{
    for (uint32_t i = 0; i < p->due.count; i++) {
        subscription *s = p->subscriptions.list.data[p->due.data[i]];
        if (s->view.follow != 0 && s->packed == NULL) {
            view_area_update(&s->place, &s->view, s->token_areas, &p->rows);
        }
    }
}

// Forgets the events that all have been sent, and those beyond the limits.
static void trim_events(publisher *p)
{
    const uint64_t end = event_log_end(&p->log);
    const uint64_t within = event_log_first_within(&p->log, p->limits->event_bytes_kept);
    uint64_t floor = end > p->limits->events_kept ? end - p->limits->events_kept : 0;
    uint64_t oldest = end;
    floor = within > floor ? within : floor;
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        subscription *s = p->subscriptions.list.data[i];
        event_marks_trim(&s->marks, floor, loses, &(loser){p, s});
        const uint64_t taken = s->marks.list[0].next;
        oldest = taken < oldest ? taken : oldest;
    }
    event_log_trim(&p->log, oldest);
}

static void trim(publisher *p)
{
    uint64_t oldest_version = p->rows.version;
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        const subscription *s = p->subscriptions.list.data[i];
        bool older = s->version > 0 && s->version < oldest_version;
        oldest_version = older ? s->version : oldest_version;
    }
    trim_events(p);
    row_table_trim(&p->rows, oldest_version);
    joint_table_trim(&p->joints, oldest_version);
    data_feed_trim(&p->data, oldest_version);
}

bool publisher_publish(publisher *p, physics_world *world, bool all, const turn *t, reply_sink sink)
{
    ASSERT(sink.post != NULL);
    const publish_moment now = {world_tick(world), world_definition(world).hz, all};
    bool whole = true;
    if (p->stale) { // before the choice, since it makes readers below the feed's floor begin again
        data_feed_update(&p->data, world, p->rows.version + 1);
    }
    publisher_choose_due(p, &now);
    if (p->due.count > 0) {
        refresh(p, world);
        take_contacts(p, world);
        follow_bodies(p);
        p->packed.areas = &p->areas;
        whole = publisher_send_pieces(p, world, &now, t, sink);
        publisher_remove_refused(p, world);
    }
    trim(p);
    return whole;
}

bool publisher_was_busy(const publisher *p)
{
    return p->due.count > 0;
}

bool publisher_owes(const publisher *p)
{
    for (uint32_t i = 0; i < p->subscriptions.list.count; i++) {
        const subscription *s = p->subscriptions.list.data[i];
        if (publisher_can_send(s) && (s->owed || publisher_is_behind(p, s))) {
            return true;
        }
    }
    return false;
}
