// The list by number, and the order by which equal subscriptions become a view group; see
// subscription.h. The world's thread.
#include "server/world/snapshots/subscription.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/world/snapshots/budget.h"
#include "server/world/state/last_requests.h"
#include "server/world/state/pace.h"

static size_t set_bytes(uint32_t slots)
{
    return sizeof(view_set) + (slots + 63) / 64 * sizeof(uint64_t);
}

view_set *view_set_create(uint32_t slots)
{
    view_set *s = calloc(1, set_bytes(slots));
    ASSERT_MEMORY(s != NULL);
    memory_note(MEMORY_views, NULL, (int64_t)set_bytes(slots));
    s->references = 1;
    s->slots = slots;
    return s;
}

view_set *view_set_ref(view_set *s)
{
    if (s != NULL) {
        s->references++;
    }
    return s;
}

void view_set_unref(view_set *s)
{
    ASSERT(s == NULL || s->references > 0);
    if (s != NULL && --s->references == 0) {
        memory_note(MEMORY_views, NULL, -(int64_t)set_bytes(s->slots));
        free(s);
    }
}

uint32_t view_set_next(const view_set *a, const view_set *b, uint32_t slot)
{
    for (; slot < a->slots; slot = (slot / 64 + 1) * 64) {
        uint64_t bits = a->bits[slot / 64];
        bits |= b != NULL && slot < b->slots ? b->bits[slot / 64] : 0;
        bits &= UINT64_MAX << (slot % 64);
        if (bits != 0) {
            return slot / 64 * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return slot;
}

// ---- equal sets

enum { POOL_PLACES_MIN = 64 };

void view_set_pool_deinit(view_set_pool *p)
{
    view_set_pool_clear(p);
    array_free(&p->places);
}

void view_set_pool_clear(view_set_pool *p)
{
    for (uint32_t i = 0; i < p->places.count && p->count > 0; i++) {
        view_set_unref(p->places.data[i]);
        p->places.data[i] = NULL;
    }
    p->count = 0;
}

static uint64_t hash_set(const view_set *s)
{
    uint64_t h = s->slots;
    for (uint32_t i = 0; i < (s->slots + 63) / 64; i++) {
        h = (h ^ s->bits[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

// The place of the set, or of an equal one, or the free place for it.
static view_set **find_place(view_set_pool *p, const view_set *s)
{
    const uint32_t mask = p->places.count - 1;
    const size_t bytes = (s->slots + 63) / 64 * sizeof *s->bits;
    uint32_t at = (uint32_t)hash_set(s) & mask;
    for (;; at = (at + 1) & mask) {
        view_set **place = &p->places.data[at];
        if (*place == NULL ||
            ((*place)->slots == s->slots && memcmp((*place)->bits, s->bits, bytes) == 0)) {
            return place;
        }
    }
}

static void grow_pool(view_set_pool *p)
{
    view_set_pool old = *p;
    const uint32_t places =
        old.places.count < POOL_PLACES_MIN ? POOL_PLACES_MIN : old.places.count * 2;
    *p = (view_set_pool){.count = old.count};
    array_reserve(&p->places, places); // new elements are zero
    p->places.count = places;
    for (uint32_t i = 0; i < old.places.count; i++) {
        if (old.places.data[i] != NULL) {
            *find_place(p, old.places.data[i]) = old.places.data[i];
        }
    }
    array_free(&old.places);
}

view_set *view_set_pool_share(view_set_pool *p, view_set *s)
{
    ASSERT(s == NULL || s->references == 1);
    if (s == NULL) {
        return NULL;
    }
    if (2 * p->count >= p->places.count) {
        grow_pool(p);
    }
    view_set **place = find_place(p, s);
    if (*place == NULL) {
        *place = s;
        p->count++;
    } else if (*place != s) {
        view_set_unref(s);
    } else {
        return s;
    }
    return view_set_ref(*place);
}

// ---- the list

// A plain snapshot has about 130 bytes before its first row; with a budget it is sent when there is
// enough for a few more.
static const double PLAIN_BYTES_LEAST = 512.0;

void subscription_ref_shown(const subscription *s)
{
    for (int i = 0; i < SHOWN_SETS; i++) {
        view_set_ref(s->shown[i].slots);
    }
}

void subscription_unref_shown(const subscription *s)
{
    for (int i = 0; i < SHOWN_SETS; i++) {
        view_set_unref(s->shown[i].slots);
    }
}

bool subscription_has_shown(const subscription *s, uint32_t slot)
{
    bool has = false;
    for (int i = 0; i < SHOWN_SETS && !has; i++) {
        has = s->shown[i].slots != NULL && view_set_has(s->shown[i].slots, slot);
    }
    return has;
}

static void destroy(phases *p, subscription *s)
{
    phases_leave(p, s->timed);
    event_marks_deinit(&s->marks);
    view_set_unref(s->seen);
    subscription_unref_shown(s);
    token_areas_unref(s->token_areas);
    free(s->data);
    budget_destroy(s->budget);
    memory_charge_end(&s->charge);
    free(s);
}

void subscriptions_deinit(subscriptions *s)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        destroy(&s->phases, s->list.data[i]);
    }
    phases_deinit(&s->phases);
    array_free(&s->list);
    array_free(&s->by_slot);
}

// The index of the first whose number is not below `number`.
static uint32_t place_of(const subscriptions *s, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = s->list.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->list.data[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- the sum of what subscriptions want

static void count_wishes(subscriptions *s, const subscription *one, bool more)
{
    const uint32_t by = more ? 1 : UINT32_MAX; // modulo 2^32
    for (uint32_t kinds = one->view.events; kinds != 0; kinds &= kinds - 1) {
        s->events[__builtin_ctz(kinds)] += by;
    }
    s->data += one->data != NULL ? by : 0;
    s->describe += one->view.describe ? by : 0;
}

uint32_t subscriptions_events(const subscriptions *s)
{
    uint32_t kinds = 0;
    for (uint32_t kind = 0; kind < WORLD_EVENT_KIND_COUNT; kind++) {
        kinds |= s->events[kind] > 0 ? UINT32_C(1) << kind : 0;
    }
    return kinds;
}

bool subscriptions_data(const subscriptions *s)
{
    return s->data > 0;
}

bool subscriptions_describe(const subscriptions *s)
{
    return s->describe > 0;
}

// ---- those of a session

static void link_to_slot(subscriptions *s, subscription *one)
{
    const uint32_t slot = one->session.slot;
    ASSERT(slot < SESSION_MARK_SLOTS_MAX);
    if (slot >= s->by_slot.count) {
        array_reserve(&s->by_slot, slot + 1); // new elements are zero
        s->by_slot.count = slot + 1;
    }
    one->of_slot = s->by_slot.data[slot];
    s->by_slot.data[slot] = one;
}

static void unlink_from_slot(subscriptions *s, const subscription *one)
{
    subscription **link = &s->by_slot.data[one->session.slot];
    while (*link != one) {
        ASSERT(*link != NULL);
        link = &(*link)->of_slot;
    }
    *link = one->of_slot;
}

// Skips those of other sessions, which have had the slot earlier or have it now.
static subscription *skip_others(subscription *one, uint64_t session)
{
    while (one != NULL && one->session.number != session) {
        one = one->of_slot;
    }
    return one;
}

subscription *subscriptions_first_of(const subscriptions *s, session_key session)
{
    subscription *head = session.slot < s->by_slot.count ? s->by_slot.data[session.slot] : NULL;
    return skip_others(head, session.number);
}

subscription *subscriptions_next_of(const subscription *one)
{
    return skip_others(one->of_slot, one->session.number);
}

// ---- adding, finding and removing

subscription *subscriptions_add(subscriptions *s, uint64_t number, session_key session,
                                const subscribe_args *view)
{
    ASSERT(number > 0 && session.number > 0);
    const uint32_t at = place_of(s, number);
    ASSERT(at == s->list.count || s->list.data[at]->number != number);
    subscription *added = calloc(1, sizeof *added);
    ASSERT_MEMORY(added != NULL);
    added->number = number;
    added->session = session;
    added->view = *view;
    added->owed = true;
    added->token_areas = token_areas_create(view->token_areas, view->token_area_count);
    added->view.token_areas = NULL; // owned by the command
    added->view.token_area_count = 0;
    added->data = data_prefixes_create(view->data, view->data_count);
    added->view.data = NULL; // owned by the command
    added->view.data_count = 0;
    if (view->budget > 0.0 && view->encoding == ENCODING_PLAIN) {
        added->budget = budget_create(view->budget, PLAIN_BYTES_LEAST);
    }
    added->timed = phases_join(&s->phases, &added->view, added->token_areas);
    added->phase = added->timed->phase;
    array_insert(&s->list, at, added);
    link_to_slot(s, added);
    count_wishes(s, added, true);
    return added;
}

// Searches often follow the order of the list, so the one after the last is tried first.
subscription *subscriptions_find(subscriptions *s, uint64_t number)
{
    uint32_t at = s->found + 1;
    if (at >= s->list.count || s->list.data[at]->number != number) {
        at = place_of(s, number);
    }
    s->found = at;
    bool found = at < s->list.count && s->list.data[at]->number == number;
    return found ? s->list.data[at] : NULL;
}

void subscriptions_remove(subscriptions *s, uint64_t number)
{
    subscription *gone = subscriptions_find(s, number);
    if (gone == NULL) {
        return;
    }
    array_remove(&s->list, s->found);
    unlink_from_slot(s, gone);
    count_wishes(s, gone, false);
    destroy(&s->phases, gone);
}

void subscriptions_move(subscriptions *s, subscription *one, const view_args *view)
{
    phases_leave(&s->phases, one->timed);
    subscribe_args_move(&one->view, view);
    one->timed = phases_join(&s->phases, &one->view, one->token_areas);
    if (one->timed->readers == 1) {
        one->timed->phase = one->phase; // who wants the same later falls on its ticks
    }
}

bool subscription_is_addressed(const subscription *s, const message_recipient *to)
{
    switch (to->kind) {
    case MESSAGE_TO_ALL:
        return true;
    case MESSAGE_TO_REFEREE:
        return s->role >= ROLE_REFEREE;
    case MESSAGE_TO_SUBJECT:
        return strcmp(s->subject, to->subject) == 0;
    case MESSAGE_TO_SESSION:
        return s->session.number == to->session;
    }
    return false;
}

bool subscription_due(const subscription *s, uint64_t tick, double hz)
{
    return pace_due(s->view.rate, s->phase, tick, hz);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_areas(const area *a, const area *b)
{
    int order = compare_places(a->x0, b->x0);
    order = order != 0 ? order : compare_places(a->y0, b->y0);
    order = order != 0 ? order : compare_places(a->x1, b->x1);
    return order != 0 ? order : compare_places(a->y1, b->y1);
}

static int compare_views(const subscribe_args *a, const subscribe_args *b)
{
    int order = compare_numbers(a->events, b->events);
    order = order != 0 ? order : (int)a->encoding - (int)b->encoding;
    order = order != 0 ? order : a->bodies - b->bodies;
    order = order != 0 ? order : a->contacts - b->contacts;
    order = order != 0 ? order : a->describe - b->describe;
    order = order != 0 ? order : compare_places(a->budget, b->budget);
    order = order != 0 ? order : a->has_area - b->has_area;
    if (order != 0 || !a->has_area) {
        return order;
    }
    order = compare_numbers(a->follow, b->follow);
    order = order != 0 ? order : compare_places(a->margin, b->margin);
    return order != 0 ? order : compare_areas(&a->area, &b->area);
}

int subscription_compare_wanted(const subscribe_args *a, const token_areas *areas_a,
                                const subscribe_args *b, const token_areas *areas_b)
{
    int order = compare_views(a, b);
    order = order != 0 ? order : token_areas_compare(areas_a, areas_b);
    order = order != 0 ? order : compare_places(a->rate, b->rate);
    order = order != 0 ? order : compare_places(a->precision.position, b->precision.position);
    order = order != 0 ? order : compare_places(a->precision.angle, b->precision.angle);
    return order != 0 ? order : compare_places(a->precision.velocity, b->precision.velocity);
}

bool subscription_same_view(const subscribe_args *a, const token_areas *areas_a,
                            const subscribe_args *b, const token_areas *areas_b)
{
    return subscription_compare_wanted(a, areas_a, b, areas_b) == 0;
}

// Takes over the reference; does nothing if `slots` is NULL.
static void note_shown(shown_set *to, view_set *slots, uint64_t version)
{
    if (slots != NULL) {
        view_set_unref(to->slots);
        *to = (shown_set){slots, version};
    }
}

void subscription_begin_anew(subscription *s)
{
    if (s->view.has_area) {
        const event_mark *taken = &s->marks.list[0];
        note_shown(&s->shown[SHOWN_TAKEN], view_set_ref(taken->seen), taken->version);
        note_shown(&s->shown[SHOWN_SENT], view_set_ref(s->seen), s->version);
        s->shown_all = s->shown_all || (s->version > 0 && s->seen == NULL);
    }
    view_set_unref(s->seen);
    s->seen = NULL;
    s->version = 0; // below every floor
    s->described = (description_progress){0, 0};
    s->packed_number = 0;
    s->lost_told = false;
    s->owed = true;
}

static int compare_progress(description_progress a, description_progress b)
{
    int order = compare_numbers(a.bodies_from, b.bodies_from);
    return order != 0 ? order : compare_numbers(a.joints_from, b.joints_from);
}

static int compare_view_areas(const subscription *a, const subscription *b)
{
    if (!a->view.has_area) {
        return 0;
    }
    int order = compare_areas(&a->place.now, &b->place.now);
    order = order != 0 ? order : a->place.lost - b->place.lost;
    order = order != 0 ? order : a->lost_told - b->lost_told;
    return order != 0 ? order : token_areas_compare(a->token_areas, b->token_areas);
}

static int compare_shown(const subscription *a, const subscription *b)
{
    int order = 0;
    for (int i = 0; i < SHOWN_SETS && order == 0; i++) {
        const shown_set *x = &a->shown[i];
        const shown_set *y = &b->shown[i];
        order = compare_numbers((uintptr_t)x->slots, (uintptr_t)y->slots);
        order = order != 0 ? order : compare_numbers(x->version, y->version);
    }
    return order;
}

int subscription_compare(const subscription *a, const subscription *b)
{
    int order = compare_numbers((uintptr_t)a->packed, (uintptr_t)b->packed);
    order = order != 0 ? order : compare_numbers(a->version, b->version);
    order = order != 0 ? order : compare_numbers((uintptr_t)a->seen, (uintptr_t)b->seen);
    order = order != 0 ? order : compare_shown(a, b);
    order = order != 0 ? order : a->shown_all - b->shown_all;
    order = order != 0 ? order
                       : compare_numbers(event_marks_sent(&a->marks)->next,
                                         event_marks_sent(&b->marks)->next);
    order = order != 0 ? order : compare_progress(a->described, b->described);
    order = order != 0 ? order : compare_numbers(a->packed_number, b->packed_number);
    order = order != 0 ? order : compare_numbers((uintptr_t)a->budget, (uintptr_t)b->budget);
    order = order != 0 ? order : data_prefixes_compare(a->data, b->data);
    order = order != 0 ? order : compare_views(&a->view, &b->view);
    return order != 0 ? order : compare_view_areas(a, b);
}
