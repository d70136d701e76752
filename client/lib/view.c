// Application of snapshots; the rules are in carom/view.h.
#include "client/lib/view_content.h"

#include <stdlib.h>
#include <string.h>

#include "client/lib/fault.h"
#include "common/base/assert.h"

enum { EVENTS_MAX_MAX = 1 << 20, QUEUE_CAPACITY_MIN = 16 };

carom_view_options carom_view_options_default(void)
{
    return (carom_view_options){.events_max = CAROM_VIEW_EVENTS_MAX};
}

carom_view *carom_view_create(const carom_view_options *options)
{
    carom_view_options defaults = carom_view_options_default();
    options = options == NULL ? &defaults : options;
    if (options->history > CAROM_VIEW_HISTORY_MAX || options->events_max > EVENTS_MAX_MAX) {
        return NULL;
    }
    carom_view *view = calloc(1, sizeof *view);
    ASSERT(view != NULL);
    view->options = *options;
    view->depth = options->history == 0 ? 0 : options->history + 1;
    return view;
}

static void free_content(view_content *v)
{
    array_free(&v->bodies);
    array_free(&v->data);
    array_free(&v->stamps);
    array_free(&v->rings);
    array_free(&v->samples);
    array_free(&v->contacts);
    id_map_deinit(&v->places);
}

void carom_view_free(carom_view *view)
{
    if (view == NULL) {
        return;
    }
    carom_view_detach(view);
    carom_view_reset(view);
    free_content(&view->content);
    free(view->queue);
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

static void add_body(carom_view *view, const carom_body *row)
{
    view_content *v = &view->content;
    uint32_t place = v->bodies.count;
    array_push(&v->bodies, *row);
    array_push(&v->data, NULL);
    array_push(&v->stamps, v->stamp);
    id_map_put(&v->places, row->id, place);
    history_add(view, place);
    call_added(view, place);
}

static void remove_body(carom_view *view, uint32_t place, carom_gone why)
{
    view_content *v = &view->content;
    carom_body body = v->bodies.data[place];
    void *data = v->data.data[place];
    uint32_t last = v->bodies.count - 1;
    history_remove(view, place, last);
    array_swap_remove(&v->bodies, place);
    array_swap_remove(&v->data, place);
    array_swap_remove(&v->stamps, place);
    id_map_remove(&v->places, body.id);
    if (place != last) {
        id_map_put(&v->places, v->bodies.data[place].id, place);
    }
    if (view->options.gone != NULL) {
        view->options.gone(view, &body, why, data, view->options.user);
    }
}

static void remove_ids(carom_view *view, const uint64_t *ids, size_t count, carom_gone why)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t place;
        if (id_map_find(&view->content.places, ids[i], &place)) {
            remove_body(view, place, why);
        }
    }
}

static void remove_all(carom_view *view)
{
    while (view->content.bodies.count > 0) {
        remove_body(view, view->content.bodies.count - 1, CAROM_GONE_UNSEEN);
    }
}

void carom_view_reset(carom_view *view)
{
    remove_all(view);
    view_content *v = &view->content;
    array_clear(&v->contacts);
    v->ready = false;
    v->has_hash = false;
    v->time_count = 0;
}

// ---- events

static void grow_queue(carom_view *view)
{
    size_t capacity =
        view->queue_capacity < QUEUE_CAPACITY_MIN ? QUEUE_CAPACITY_MIN : view->queue_capacity * 2;
    capacity = capacity > view->options.events_max ? view->options.events_max : capacity;
    queued_event *grown = malloc(capacity * sizeof *grown);
    ASSERT(grown != NULL); // bounded by events_max
    for (size_t i = 0; i < view->queue_count; i++) {
        grown[i] = view->queue[(view->queue_first + i) % view->queue_capacity];
    }
    free(view->queue);
    view->queue = grown;
    view->queue_capacity = capacity;
    view->queue_first = 0;
}

static void push_event(carom_view *view, const carom_event *event)
{
    if (view->options.events_max == 0) {
        return;
    }
    if (view->queue_count == view->options.events_max) {
        view->queue_first = (view->queue_first + 1) % view->queue_capacity;
        view->queue_count--;
        view->events_dropped++;
    }
    if (view->queue_count == view->queue_capacity) {
        grow_queue(view);
    }
    queued_event *slot =
        &view->queue[(view->queue_first + view->queue_count++) % view->queue_capacity];
    slot->event = *event;
    if (event->kind == CAROM_EVENT_OTHER) {
        size_t size = event->name == NULL ? 0 : strnlen(event->name, sizeof slot->name.text - 1);
        memcpy(slot->name.text, event->name == NULL ? "" : event->name, size);
        slot->name.text[size] = '\0';
        slot->event.name = NULL; // the ring may move: set when it is taken
    }
}

bool carom_view_next_event(carom_view *view, carom_event *event)
{
    if (view->queue_count == 0) {
        return false;
    }
    const queued_event *slot = &view->queue[view->queue_first];
    *event = slot->event;
    if (event->kind == CAROM_EVENT_OTHER) {
        event->name = slot->name.text;
    }
    view->queue_first = (view->queue_first + 1) % view->queue_capacity;
    view->queue_count--;
    return true;
}

// ---- applying

static void apply_rows(carom_view *view, const carom_snapshot *s, double previous_time)
{
    view_content *v = &view->content;
    for (size_t i = 0; i < s->body_count; i++) {
        const carom_body *row = &s->bodies[i];
        uint32_t place;
        if (row->id == 0) {
            continue;
        }
        if (!id_map_find(&v->places, row->id, &place)) {
            add_body(view, row);
            continue;
        }
        v->bodies.data[place] = *row;
        v->stamps.data[place] = v->stamp;
        history_update(view, place, !s->full, previous_time);
    }
}

// After a full snapshot: what it did not name is gone.
static void remove_unseen(carom_view *view)
{
    view_content *v = &view->content;
    for (uint32_t place = v->bodies.count; place > 0; place--) {
        if (v->stamps.data[place - 1] != v->stamp) {
            remove_body(view, place - 1, CAROM_GONE_UNSEEN);
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
    history_note_time(view);
}

static void apply_contacts(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    array_clear(&v->contacts);
    for (size_t i = 0; i < s->contact_count; i++) {
        array_push(&v->contacts, s->contacts[i]);
    }
}

// Whether the snapshot fits to what is there; makes room for it where it begins anew.
static bool prepare(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    bool another_life = v->any && s->epoch != v->epoch;
    bool set_back = v->ready && s->full && s->tick < v->tick;
    if (another_life || set_back) {
        carom_view_reset(view); // ids and times mean something else now
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

carom_status carom_view_apply(carom_view *view, const carom_snapshot *s, carom_error *err)
{
    if (s->packed) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "the snapshot's bodies are packed: subscribe with encoding \"plain\"");
    }
    view_content *v = &view->content;
    view->skipped += s->skipped;
    if (prepare(view, s)) {
        double previous_time = v->time;
        apply_head(view, s);
        v->stamp += s->full;
        apply_rows(view, s, previous_time);
        remove_ids(view, s->leave, s->leave_count, CAROM_GONE_LEFT);
        remove_ids(view, s->removed, s->removed_count, CAROM_GONE_REMOVED);
        if (s->full) {
            remove_unseen(view);
        }
        apply_contacts(view, s);
        v->ready = true;
        v->any = true;
        view->snapshots++;
    }
    for (size_t i = 0; i < s->event_count; i++) {
        push_event(view, &s->events[i]);
    }
    return CAROM_OK;
}

void view_take_over(carom_view *view, carom_view *from)
{
    ASSERT(view->depth == from->depth);
    carom_view_reset(view);
    view_content old = view->content;
    view->content = from->content;
    from->content = old;
    view->snapshots += from->snapshots;
    view->stale += from->stale;
    view->gaps += from->gaps;
    view->skipped += from->skipped;
    view->events_dropped += from->events_dropped;
    carom_event event;
    while (carom_view_next_event(from, &event)) {
        push_event(view, &event);
    }
    for (uint32_t place = 0; place < view->content.bodies.count; place++) {
        call_added(view, place);
    }
}

// ---- reading

carom_view_state carom_view_get_state(const carom_view *view)
{
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
        .snapshots = view->snapshots,
        .stale = view->stale,
        .gaps = view->gaps,
        .skipped = view->skipped,
        .events_dropped = view->events_dropped,
        .bodies = v->bodies.count,
        .events = view->queue_count,
    };
    memcpy(state.hash, v->hash, sizeof state.hash);
    return state;
}

size_t carom_view_count(const carom_view *view)
{
    return view->content.bodies.count;
}

const carom_body *carom_view_body(const carom_view *view, size_t index)
{
    return index < view->content.bodies.count ? &view->content.bodies.data[index] : NULL;
}

bool carom_view_index(const carom_view *view, uint64_t id, size_t *index)
{
    uint32_t place;
    if (!id_map_find(&view->content.places, id, &place)) {
        return false;
    }
    *index = place;
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
    *count = view->content.contacts.count;
    return view->content.contacts.data;
}
