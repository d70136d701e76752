// Application of snapshots; the rules are in carom/view.h. A view that runs out of memory in the
// middle of a snapshot is reset, so that it never shows a part of a state. One thread at a time.
#include "client/lib/view_internal.h"

#include <stdlib.h>
#include <string.h>

#include <carom/clock.h>

#include "client/lib/fault.h"
#include "common/base/assert.h"
#include "proto/wire/scanner.h"

enum { EVENTS_MAX_MAX = 1 << 20, QUEUE_CAPACITY_MIN = 16 };
#define EXTRA_DELAY_S_MAX 1.0

carom_view_options carom_view_options_default(void)
{
    return (carom_view_options){.exact = true, .events_max = CAROM_VIEW_EVENTS_MAX};
}

static carom_view_options complete(const carom_view_options *options)
{
    carom_view_options all = carom_view_options_default();
    if (options == NULL) {
        return all;
    }
    carom_view_options given = *options;
    if (!given.exact && given.events_max == 0) {
        given.events_max = all.events_max;
    }
    given.exact = true;
    return given;
}

// The number of past states that each body keeps.
static unsigned history_of(const carom_view_options *o)
{
    const unsigned least = o->interpolation == CAROM_INTERPOLATION_NONE ? 0
                           : o->interpolation == CAROM_INTERPOLATION_DELAYED
                               ? CAROM_VIEW_DELAYED_HISTORY
                               : 1;
    return o->history > least ? o->history : least;
}

static bool in_range(const carom_view_options *o)
{
    return o->history <= CAROM_VIEW_HISTORY_MAX && o->events_max <= EVENTS_MAX_MAX &&
           o->interpolation <= CAROM_INTERPOLATION_PREDICTIVE && o->extra_delay_s >= 0.0 &&
           o->extra_delay_s <= EXTRA_DELAY_S_MAX;
}

carom_view *carom_view_create(const carom_view_options *options)
{
    carom_view_options all = complete(options);
    carom_view *view = in_range(&all) ? calloc(1, sizeof *view) : NULL;
    if (view == NULL) {
        return NULL;
    }
    const unsigned history = history_of(&all);
    view->options = all;
    view->depth = history == 0 ? 0 : history + 1;
    cadence_reset(&view->content.cadence);
    if (all.interpolation != CAROM_INTERPOLATION_NONE) {
        view->drawing = drawing_create(&all);
        if (view->drawing == NULL) {
            free(view);
            return NULL;
        }
    }
    return view;
}

static void free_content(view_content *v)
{
    vector_free(&v->bodies);
    vector_free(&v->data);
    vector_free(&v->stamps);
    vector_free(&v->infos);
    vector_free(&v->awake);
    vector_free(&v->joints);
    vector_free(&v->world_data);
    id_map_deinit(&v->joint_places);
    vector_free(&v->rings);
    vector_free(&v->samples);
    vector_free(&v->contacts);
    id_map_deinit(&v->places);
}

void carom_view_free(carom_view *view)
{
    if (view == NULL) {
        return;
    }
    view_unlink(view);
    carom_view_reset(view);
    free_content(&view->content);
    drawing_free(view->drawing);
    snapshot_decoder_deinit(&view->decoder);
    for (size_t i = 0; i < view->queue_count; i++) {
        free(view->queue[(view->queue_first + i) % view->queue_capacity].message);
    }
    free(view->queue);
    free(view->popped);
    free(view);
}

// ---- bodies

static void call_added(carom_view *view, uint32_t place)
{
    view_content *v = &view->content;
    if (view->options.added != NULL) {
        void *data = view->options.added(view, &v->bodies.data[place], view->options.user);
        v->data.data[place] = data;
    }
}

static bool reserve_body(carom_view *view)
{
    view_content *v = &view->content;
    uint64_t bodies = (uint64_t)v->bodies.count + 1;
    return vector_reserve(&v->bodies, bodies) && vector_reserve(&v->data, bodies) &&
           vector_reserve(&v->stamps, bodies) && vector_reserve(&v->infos, bodies) &&
           vector_reserve(&v->awake, bodies) && id_map_reserve(&v->places, bodies) &&
           history_reserve(view, bodies) && drawing_reserve(view, bodies);
}

uint32_t view_place_body(carom_view *view, const carom_body *row, carom_body_info *info)
{
    view_content *v = &view->content;
    if (!reserve_body(view)) {
        return UINT32_MAX;
    }
    uint32_t place = v->bodies.count++;
    v->bodies.data[place] = *row;
    v->data.data[v->data.count++] = NULL;
    v->stamps.data[v->stamps.count++] = v->stamp;
    v->infos.data[v->infos.count++] = info;
    v->awake.data[v->awake.count++] = info == NULL || info->awake;
    id_map_put(&v->places, row->id, place);
    history_add(view, place);
    drawing_add(view, place);
    call_added(view, place);
    view_call_described(view, place);
    return place;
}

// `departs`: a view that draws shows the body until its end is drawn.
static void remove_body(carom_view *view, uint32_t place, carom_gone why, bool departs)
{
    view_content *v = &view->content;
    carom_body body = v->bodies.data[place];
    void *data = v->data.data[place];
    carom_body_info *info = v->infos.data[place];
    uint32_t last = v->bodies.count - 1;
    const bool draws_on = drawing_remove(view, place, last, departs);
    history_remove(view, place, last);
    vector_swap_remove(&v->bodies, place);
    vector_swap_remove(&v->data, place);
    vector_swap_remove(&v->stamps, place);
    vector_swap_remove(&v->infos, place);
    vector_swap_remove(&v->awake, place);
    id_map_remove(&v->places, body.id);
    if (place != last) {
        id_map_put(&v->places, v->bodies.data[place].id, place);
    }
    if (view->options.gone != NULL) {
        view->options.gone(view, &body, why, data, view->options.user);
    }
    if (!draws_on) {
        free(info);
    }
}

static void remove_ids(carom_view *view, const uint64_t *ids, size_t count, carom_gone why)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t place;
        if (id_map_find(&view->content.places, ids[i], &place)) {
            remove_body(view, place, why, true);
        }
    }
}

static void remove_all(carom_view *view)
{
    while (view->content.bodies.count > 0) {
        remove_body(view, view->content.bodies.count - 1, CAROM_GONE_UNSEEN, false);
    }
}

void carom_view_reset(carom_view *view)
{
    if (view == NULL) {
        return;
    }
    remove_all(view);
    drawing_reset(view);
    view_content *v = &view->content;
    vector_clear(&v->contacts);
    descriptions_reset(view);
    data_reset(view);
    v->ready = false;
    v->has_hash = false;
    v->time_count = 0;
    cadence_reset(&v->cadence);
}

// ---- events

// Makes space for `count` more events, or for as many as the queue may have. False when memory has
// run out.
static bool reserve_events(carom_view *view, size_t count)
{
    size_t most = view->options.events_max;
    size_t wanted = count < most - view->queue_count ? view->queue_count + count : most;
    if (wanted <= view->queue_capacity) {
        return true;
    }
    size_t capacity =
        view->queue_capacity < QUEUE_CAPACITY_MIN ? QUEUE_CAPACITY_MIN : view->queue_capacity * 2;
    capacity = capacity < wanted ? wanted : capacity;
    capacity = capacity > most ? most : capacity;
    queued_event *grown = malloc(capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    for (size_t i = 0; i < view->queue_count; i++) {
        grown[i] = view->queue[(view->queue_first + i) % view->queue_capacity];
    }
    free(view->queue);
    view->queue = grown;
    view->queue_capacity = capacity;
    view->queue_first = 0;
    return true;
}

// Copies the texts and data of a message, join or leave into one block; false when memory has run
// out.
static bool copy_message(queued_event *slot, const carom_event *event)
{
    slot->message = NULL;
    if (event->subject == NULL) {
        return true;
    }
    const size_t name = event->message != NULL ? strlen(event->message) + 1 : 0;
    const size_t subject = strlen(event->subject) + 1;
    char *block = malloc(name + subject + event->data_size);
    if (block == NULL) {
        return false;
    }
    if (name > 0) {
        memcpy(block, event->message, name);
        slot->event.message = block;
    }
    memcpy(block + name, event->subject, subject);
    slot->event.subject = block + name;
    if (event->data != NULL) {
        memcpy(block + name + subject, event->data, event->data_size);
        slot->event.data = block + name + subject;
    }
    slot->message = block;
    return true;
}

static void drop_oldest(carom_view *view)
{
    free(view->queue[view->queue_first].message);
    view->queue_first = (view->queue_first + 1) % view->queue_capacity;
    view->queue_count--;
    view->events_dropped++;
}

static void push_event(carom_view *view, const carom_event *event)
{
    if (view->options.events_max == 0) {
        return;
    }
    if (view->queue_count == view->options.events_max) {
        drop_oldest(view);
    }
    ASSERT(view->queue_count < view->queue_capacity); // reserve_events
    queued_event *slot =
        &view->queue[(view->queue_first + view->queue_count) % view->queue_capacity];
    slot->event = *event;
    if (!copy_message(slot, event)) {
        view->events_dropped++;
        return;
    }
    view->queue_count++;
    // A paused world's ticks advance with its time, so the tick gives the event's time.
    const view_content *v = &view->content;
    slot->time = v->tick > 0 ? v->time * ((double)event->tick / (double)v->tick) : v->time;
    if (event->kind == CAROM_EVENT_OTHER) {
        size_t size = event->name == NULL ? 0 : strnlen(event->name, sizeof slot->name.text - 1);
        memcpy(slot->name.text, event->name == NULL ? "" : event->name, size);
        slot->name.text[size] = '\0';
        slot->event.name = NULL; // the ring may move, so it is set when the event is fetched
    }
}

static carom_event pop_event(carom_view *view)
{
    const queued_event *slot = &view->queue[view->queue_first];
    carom_event event = slot->event;
    if (event.kind == CAROM_EVENT_OTHER) {
        event.name = slot->name.text;
    }
    free(view->popped);
    view->popped = slot->message;
    view->queue_first = (view->queue_first + 1) % view->queue_capacity;
    view->queue_count--;
    return event;
}

bool carom_view_next_event(carom_view *view, carom_event *event)
{
    if (view == NULL || event == NULL || view->queue_count == 0 ||
        !drawing_shows(view, view->queue[view->queue_first].time)) {
        return false;
    }
    *event = pop_event(view);
    return true;
}

// ---- applying

// False when memory has run out: then only some of the rows are applied. `all`: bodies without a
// row in the snapshot before had not moved until `since`.
static bool apply_rows(carom_view *view, const carom_snapshot *s, bool all, double since)
{
    view_content *v = &view->content;
    for (size_t i = 0; i < s->body_count; i++) {
        const carom_body *row = &s->bodies[i];
        uint32_t place;
        if (row->id == 0) {
            continue;
        }
        if (!id_map_find(&v->places, row->id, &place)) {
            if (view_place_body(view, row, NULL) == UINT32_MAX) {
                return false;
            }
            continue;
        }
        v->awake.data[place] = v->awake.data[place] || !s->full; // it has moved
        v->bodies.data[place] = *row;
        v->stamps.data[place] = v->stamp;
        history_update(view, place, all, since);
        drawing_update(view, place);
    }
    return true;
}

// Must be called after a full snapshot: removes bodies that it did not name.
static void remove_unseen(carom_view *view)
{
    view_content *v = &view->content;
    for (uint32_t place = v->bodies.count; place > 0; place--) {
        if (v->stamps.data[place - 1] != v->stamp) {
            remove_body(view, place - 1, CAROM_GONE_UNSEEN, true);
        }
    }
}

static void apply_head(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    size_t size = s->world == NULL ? 0 : strnlen(s->world, sizeof v->world - 1);
    memcpy(v->world, s->world == NULL ? "" : s->world, size);
    v->world[size] = '\0';
    v->epoch = s->epoch;
    v->tick = s->tick;
    v->time = s->time;
    v->has_hash = s->has_hash;
    memcpy(v->hash, s->hash, sizeof v->hash);
    v->last = s->last > 0 ? s->last : v->last;
    v->left_out = s->left_out;
    v->oldest = s->oldest;
    v->unfollowed = s->unfollowed > 0 || s->full ? s->unfollowed : v->unfollowed;
    history_note_time(view);
}

static void apply_contacts(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    v->contacts.count = (uint32_t)s->contact_count;
    if (s->contact_count > 0) {
        memcpy(v->contacts.data, s->contacts, s->contact_count * sizeof *s->contacts);
    }
}

// Makes room for the contacts and events of the snapshot; false when memory has run out.
static bool reserve(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    return vector_reserve(&v->contacts, s->contact_count) && reserve_events(view, s->event_count);
}

// Whether the snapshot fits the present state; makes space for it if it begins again.
static bool prepare(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    bool another_life = v->any && s->epoch != v->epoch;
    bool set_back = v->ready && s->full && s->tick < v->tick;
    if (another_life || set_back) {
        carom_view_reset(view); // ids and times have another meaning now
        v->epoch = s->epoch;
        v->tick = 0;
        v->last = 0;
        view->gaps += !s->full;
    }
    if (!s->full && (!v->ready || s->tick < v->tick)) {
        view->stale++;
        return false;
    }
    view->gaps += s->full && v->any;
    return true;
}

static carom_status check(const carom_view *view, const carom_snapshot *s, carom_error *err)
{
    if (view == NULL || s == NULL) {
        return fault_missing(err, view == NULL ? "view" : "snapshot");
    }
    if (s->log) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "the snapshot is of encoding \"log\": it is for a carom_replica");
    }
    return CAROM_OK;
}

carom_status view_apply(carom_view *view, const carom_snapshot *s, double now, carom_error *err)
{
    const carom_status checked = check(view, s, err);
    if (checked != CAROM_OK) {
        return checked;
    }
    if (!reserve(view, s)) {
        return fault_memory(err);
    }
    view_content *v = &view->content;
    view->skipped += s->skipped;
    view->events_lost += s->events_lost;
    if (prepare(view, s)) {
        const bool all = v->left_out == 0;
        apply_head(view, s);
        const double since = cadence_add(&v->cadence, s->time, s->skipped);
        drawing_arrived(view, now, since);
        v->stamp += s->full;
        if (!data_apply(view, s) || !descriptions_apply(view, s) ||
            !apply_rows(view, s, all, since)) {
            carom_view_reset(view); // a part of a snapshot is no state of the world
            return fault_memory(err);
        }
        remove_ids(view, s->leave, s->leave_count, CAROM_GONE_LEFT);
        remove_ids(view, s->removed, s->removed_count, CAROM_GONE_REMOVED);
        if (s->full) {
            remove_unseen(view);
        }
        descriptions_settle(view, s);
        apply_contacts(view, s);
        v->ready = true;
        v->any = true;
        view->snapshots++;
        drawing_settle(view, now);
    }
    for (size_t i = 0; i < s->event_count; i++) {
        push_event(view, &s->events[i]);
    }
    return CAROM_OK;
}

carom_status carom_view_apply(carom_view *view, const carom_snapshot *s, carom_error *err)
{
    return view_apply(view, s, carom_now(), err);
}

carom_status carom_view_feed(carom_view *view, const void *encoded, size_t size,
                             carom_snapshot *out, carom_error *err)
{
    if (view == NULL || encoded == NULL) {
        return fault_missing(err, view == NULL ? "view" : "encoded");
    }
    scanner scan;
    scanner_limits bounds = scanner_limits_reply();
    scanner_init(&scan, &bounds);
    size_t used = 0;
    struct error refused;
    scan_verdict verdict = scanner_feed(&scan, encoded, size, &used, &refused);
    if (verdict != SCAN_MESSAGE || used != size) {
        return fault_set(err, CAROM_INTERNAL, "these %zu bytes are no snapshot: %s", size,
                         verdict == SCAN_REFUSED ? refused.text : "not one whole value");
    }
    carom_snapshot read;
    carom_status outcome = snapshot_decode(&view->decoder, encoded, size, &read, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (out != NULL) {
        *out = read;
    }
    return carom_view_apply(view, &read, err);
}

// Swaps two queues with the same events_max.
static void swap_queues(carom_view *a, carom_view *b)
{
    queued_event *queue = a->queue;
    size_t capacity = a->queue_capacity, first = a->queue_first, count = a->queue_count;
    a->queue = b->queue;
    a->queue_capacity = b->queue_capacity;
    a->queue_first = b->queue_first;
    a->queue_count = b->queue_count;
    b->queue = queue;
    b->queue_capacity = capacity;
    b->queue_first = first;
    b->queue_count = count;
}

void view_take_over(carom_view *view, carom_view *from)
{
    ASSERT(view->depth == from->depth);
    carom_view_reset(view);
    view_content old = view->content;
    view_drawing *drawing = view->drawing;
    view->content = from->content;
    view->drawing = from->drawing;
    from->content = old;
    from->drawing = drawing;
    view->snapshots += from->snapshots;
    view->stale += from->stale;
    view->gaps += from->gaps;
    view->skipped += from->skipped;
    view->events_lost += from->events_lost;
    view->events_dropped += from->events_dropped;
    if (view->queue_count == 0) {
        swap_queues(view, from);
    }
    bool room = reserve_events(view, from->queue_count);
    while (from->queue_count > 0) {
        const carom_event event = pop_event(from);
        if (room) {
            push_event(view, &event);
        } else {
            view->events_dropped++;
        }
    }
    for (uint32_t place = 0; place < view->content.bodies.count; place++) {
        call_added(view, place);
        view_call_described(view, place);
    }
}

// ---- reading

carom_view_state carom_view_get_state(const carom_view *view)
{
    if (view == NULL) {
        return (carom_view_state){.world = ""};
    }
    const view_content *v = &view->content;
    carom_view_state state = {
        .ready = v->ready,
        .ended = view->ended,
        .world = v->world,
        .epoch = v->epoch,
        .tick = v->tick,
        .time = v->time,
        .time_oldest = history_oldest_time(view),
        .has_hash = v->has_hash,
        .last = v->last,
        .unfollowed = v->unfollowed,
        .left_out = v->left_out,
        .oldest = v->oldest,
        .snapshots = view->snapshots,
        .stale = view->stale,
        .gaps = view->gaps,
        .skipped = view->skipped,
        .events_lost = view->events_lost,
        .events_dropped = view->events_dropped,
        .bodies = v->bodies.count,
        .joints = v->joints.count,
        .describing = v->describing,
        .has_area = v->has_area,
        .events = view->queue_count,
    };
    memcpy(state.hash, v->hash, sizeof state.hash);
    memcpy(state.area, v->area, sizeof state.area);
    return state;
}

size_t carom_view_count(const carom_view *view)
{
    return view == NULL ? 0 : view->content.bodies.count;
}

const carom_body *carom_view_body(const carom_view *view, size_t index)
{
    return view != NULL && index < view->content.bodies.count ? &view->content.bodies.data[index]
                                                              : NULL;
}

bool carom_view_index(const carom_view *view, uint64_t id, size_t *index)
{
    uint32_t place;
    if (view == NULL || !id_map_find(&view->content.places, id, &place)) {
        return false;
    }
    if (index != NULL) {
        *index = place;
    }
    return true;
}

const carom_body *carom_view_find(const carom_view *view, uint64_t id)
{
    size_t index;
    return carom_view_index(view, id, &index) ? carom_view_body(view, index) : NULL;
}

void *carom_view_data(const carom_view *view, uint64_t id)
{
    size_t index;
    return carom_view_index(view, id, &index) ? view->content.data.data[index] : NULL;
}

bool carom_view_set_data(carom_view *view, uint64_t id, void *data)
{
    size_t index;
    if (!carom_view_index(view, id, &index)) {
        return false;
    }
    view->content.data.data[index] = data;
    return true;
}

const carom_contact *carom_view_contacts(const carom_view *view, size_t *count)
{
    if (count != NULL) {
        *count = view == NULL ? 0 : view->content.contacts.count;
    }
    return view == NULL ? NULL : view->content.contacts.data;
}
