// Bodies, events, contacts and descriptions of a view group, put together into one snapshot; see
// view_group.h. The world's thread.
#include "server/world/snapshots/view_group.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "server/base/metrics.h"
#include "server/world/snapshots/budget.h"
#include "server/world/snapshots/packed_view.h"
#include "server/world/snapshots/view_area.h"

// Whether the reader has the body in this slot.
static bool was_seen(const view_group *g, uint64_t created, uint32_t slot)
{
    const subscription *s = g->of;
    return !g->full && created <= s->version && (s->seen == NULL || view_set_has(s->seen, slot));
}

// Whether bodies that come, leave and vanish are reported: with rows or with descriptions.
static bool tells_bodies(const subscribe_args *view)
{
    return view->bodies || view->describe;
}

static void show_row(publisher *p, view_group *g, row_entry *entry)
{
    row_table_append(&p->rows, entry, &p->body_rows);
    g->row_count++;
}

static void show_body(publisher *p, const physics_world *world, view_group *g, row_entry *entry,
                      uint32_t slot)
{
    const subscribe_args *view = &g->of->view;
    bool in = g->seen == NULL || view_set_has(g->seen, slot);
    bool was = was_seen(g, entry->created, slot);
    if (in && view->describe) {
        bool known = was && entry->described <= g->of->version;
        descriptions_body(&p->descriptions, world, entry, slot, known);
    }
    if (!tells_bodies(view) || g->packed != NULL) {
        return;
    }
    const bool all = g->of->budget == NULL; // otherwise the budget has chosen the rows
    if (all && in && view->bodies && (!was || entry->changed > g->of->version)) {
        show_row(p, g, entry);
    }
    if (in && !was && !g->full) {
        array_push(&p->enter, entry->id);
    }
    if (was && !in) {
        array_push(&p->leave, entry->id);
    }
}

static void show_slot(publisher *p, const physics_world *world, view_group *g, uint32_t slot)
{
    row_entry *entry = &p->rows.entries.data[slot];
    if (entry->id != 0) {
        show_body(p, world, g, entry, slot);
    }
}

// With an area, checks only the bodies in view and those that were: the others have no changes to
// send. To a reader that has seen the whole world, all bodies outside its area are reported as
// having left.
static void show_bodies(publisher *p, const physics_world *world, view_group *g)
{
    if (g->seen == NULL || (g->of->seen == NULL && !g->full)) {
        for (uint32_t slot = 0; slot < p->rows.entries.count; slot++) {
            show_slot(p, world, g, slot);
        }
    } else {
        const view_set *was = g->of->seen;
        for (uint32_t slot = view_set_next(g->seen, was, 0); slot < g->seen->slots;
             slot = view_set_next(g->seen, was, slot + 1)) {
            show_slot(p, world, g, slot);
        }
    }
    const bool removals = tells_bodies(&g->of->view) && g->packed == NULL;
    for (uint32_t i = 0; i < p->rows.removals.count && removals; i++) {
        const row_removal *gone = &p->rows.removals.data[i];
        bool later = gone->removed > g->of->version;
        if (later && was_seen(g, gone->created, id_slot(gone->id))) {
            array_push(&p->removed, gone->id);
        }
    }
}

// Whether the body is in view, or was in the snapshot before.
static bool body_shown(const view_group *g, body_id id)
{
    if (id == 0) {
        return false;
    }
    const subscription *s = g->of;
    const uint32_t slot = id_slot(id);
    const view_set *sets[] = {g->seen, s->seen};
    bool shown = s->shown_all || (!g->full && s->seen == NULL) || // the reader had no area
                 subscription_has_shown(s, slot);
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !shown; i++) {
        shown = sets[i] != NULL && view_set_has(sets[i], slot);
    }
    return shown;
}

// ---- readers who see the areas of a token alone
//
// They are told of what they see, or saw: a body that is gone and was never in view stays hidden,
// as do bodies whose slot another one had, which they saw. Nothing outside of their areas has a
// part in their snapshots.

static const row_entry *present(const publisher *p, body_id id)
{
    const uint32_t slot = id_slot(id);
    const row_entry *entry =
        id != 0 && slot < p->rows.entries.count ? &p->rows.entries.data[slot] : NULL;
    return entry != NULL && entry->id == id ? entry : NULL;
}

// The removal of a removed body; NULL: no sent version had the body.
static const row_removal *removal_of(const publisher *p, body_id id)
{
    for (uint32_t i = p->rows.removals.count; i > 0; i--) {
        if (p->rows.removals.data[i - 1].id == id) {
            return &p->rows.removals.data[i - 1];
        }
    }
    return NULL;
}

// Whether a body that was there from `created` to before `removed` was in a snapshot before.
static bool was_told(const view_group *g, uint32_t slot, uint64_t created, uint64_t removed)
{
    const subscription *s = g->of;
    const bool last = !g->full && s->seen != NULL && view_set_has(s->seen, slot) &&
                      created <= s->version && s->version < removed;
    bool told = last;
    for (int i = 0; i < SHOWN_SETS && !told; i++) {
        const shown_set *before = &s->shown[i];
        told = before->slots != NULL && view_set_has(before->slots, slot) &&
               created <= before->version && before->version < removed;
    }
    return told;
}

// Whether the reader has the body in view, or had it.
static bool body_known(const publisher *p, const view_group *g, body_id id)
{
    const subscription *s = g->of;
    const uint32_t slot = id_slot(id);
    const row_entry *entry = present(p, id);
    if (entry != NULL) {
        return (g->seen != NULL && view_set_has(g->seen, slot)) ||
               was_told(g, slot, entry->created, UINT64_MAX);
    }
    const bool possible = id != 0 && ((s->seen != NULL && view_set_has(s->seen, slot)) ||
                                      subscription_has_shown(s, slot));
    const row_removal *gone = possible ? removal_of(p, id) : NULL;
    return gone != NULL && was_told(g, slot, gone->created, gone->removed);
}

// Whether a part of it is in an area of the token, even if it is out of view.
static bool body_visible(const publisher *p, const view_group *g, body_id id)
{
    const row_entry *entry = present(p, id);
    return id == 0 || body_known(p, g, id) ||
           (entry != NULL && view_area_meets(g->of->token_areas, &entry->row.box));
}

// Whether a pair of bodies, or one body and none, is shown: one of them must be in view, and with
// token areas the other may not be hidden. Otherwise a body sent into a hidden place would reveal
// the bodies that it hits there.
static bool pair_shown(const publisher *p, const view_group *g, body_id a, body_id b)
{
    if (g->of->token_areas == NULL) {
        return body_shown(g, a) || body_shown(g, b);
    }
    return (body_known(p, g, a) || body_known(p, g, b)) && body_visible(p, g, a) &&
           body_visible(p, g, b);
}

static bool event_shown(const publisher *p, const view_group *g, const event_entry *event)
{
    const subscribe_args *view = &g->of->view;
    if ((view->events >> event->kind & 1) == 0) {
        return false;
    }
    if (event_is_of_command(event->kind)) { // it has no place: areas do not matter
        return subscription_is_addressed(g->of, &event->to);
    }
    if (!view->has_area || pair_shown(p, g, event->a, event->b)) {
        return true;
    }
    const subscription *s = g->of;
    const view_area *place = s->packed != NULL ? &s->packed->place : &s->place;
    return event->has_point && view_area_has(place, s->token_areas, event->point) &&
           (s->token_areas == NULL ||
            (body_visible(p, g, event->a) && body_visible(p, g, event->b)));
}

bool view_group_forgotten(const publisher *p, const subscription *s)
{
    return s->version < p->rows.floor || (s->view.describe && s->version < p->joints.floor) ||
           (s->data != NULL && s->version < p->data.floor);
}

bool view_group_wants(const publisher *p, const subscription *s, const event_entry *event)
{
    const view_group latest = {.of = s, .full = s->version < p->rows.floor, .seen = s->seen};
    return event_shown(p, &latest, event);
}

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_events(const void *a, const void *b, void *log)
{
    const uint64_t one = *(const uint64_t *)a;
    const uint64_t other = *(const uint64_t *)b;
    const uint8_t *unused = NULL;
    const event_entry *x = event_log_get(log, one, &unused);
    const event_entry *y = event_log_get(log, other, &unused);
    int order = COMPARE(x->tick, y->tick);
    order = order != 0 ? order : COMPARE(x->a, y->a);
    order = order != 0 ? order : COMPARE(x->b, y->b);
    order = order != 0 ? order : COMPARE(x->shape_a, y->shape_a);
    order = order != 0 ? order : COMPARE(x->shape_b, y->shape_b);
    return order != 0 ? order : COMPARE(one, other);
}

// The engine orders events within a tick by indices that the whole world shares, which would reveal
// hidden ones: readers who see a part of the world get events in the order of their bodies.
static void show_events(publisher *p, view_group *g)
{
    uint64_t end = event_log_end(&p->log);
    array_clear(&p->events_shown);
    for (uint64_t number = event_marks_sent(&g->of->marks)->next; number < end; number++) {
        const uint8_t *encoded = NULL;
        if (event_shown(p, g, event_log_get(&p->log, number, &encoded))) {
            array_push(&p->events_shown, number);
        }
    }
    g->event_count = p->events_shown.count;
    if (g->of->token_areas != NULL && g->event_count > 1) {
        qsort_r(p->events_shown.data, g->event_count, sizeof *p->events_shown.data, compare_events,
                &p->log);
    }
    for (uint32_t i = 0; i < g->event_count; i++) {
        const uint8_t *encoded = NULL;
        const event_entry *event = event_log_get(&p->log, p->events_shown.data[i], &encoded);
        buffer_append(&p->events, encoded, event->size);
    }
}

static void show_contacts(publisher *p, view_group *g)
{
    for (uint32_t i = 0; i < p->contacts.count && g->of->view.contacts; i++) {
        const contact_info *contact = &p->contacts.data[i];
        if (g->seen == NULL || pair_shown(p, g, contact->body_a, contact->body_b)) {
            encode_contact(&p->contact_rows, contact);
            g->contact_count++;
        }
    }
}

// ---- budgets

// The bytes of a plain snapshot without its lists.
enum { FRAME_BYTES = 160 };

// Rows of the bodies whose turn it is, as far as the bytes left by events and contacts allow, and
// at least one row. Bodies unknown to the reader and not sent now stay out of `seen`.
static void show_chosen_rows(publisher *p, const physics_world *world, view_group *g)
{
    budget *b = g->of->budget;
    const double spent = FRAME_BYTES + (double)(p->events.size + p->contact_rows.size);
    const double part = g->of->view.describe ? 0.5 : 1.0; // descriptions get the other half
    const double most = part * (b->credit - spent);
    if (g->full) {
        budget_forget(b);
    }
    budget_begin(b, &p->rows, g->seen, &g->of->view, g->of->view.has_area ? &g->of->place : NULL);
    for (uint32_t i = 0; i < b->due.count; i++) {
        budget_choice *choice = &b->due.data[i];
        if (i > 0 && (double)p->body_rows.size + ENCODE_ROW_BYTES_MAX > most) {
            break;
        }
        show_row(p, g, &p->rows.entries.data[b->entries.data[choice->entry].slot]);
        choice->taken = true;
    }
    budget_end(b, &p->rows, g->seen, world_tick(world));
}

// ---- the whole

static encoded_list list_of(const buffer *b, uint32_t count)
{
    return (encoded_list){b->data, b->size, count};
}

static void add_descriptions(const publisher *p, const view_group *g, snapshot_view *view)
{
    const descriptions *d = &p->descriptions;
    view->describe = true;
    view->spawned = list_of(&d->bodies, d->body_count);
    view->joints = list_of(&d->joints, d->joint_count);
    view->joints_removed = d->joints_removed.data;
    view->joints_removed_count = d->joints_removed.count;
    view->describing = !description_complete(d->after);
    view->scene_view = g->full && p->has_scene_view ? &p->scene_view : NULL;
}

struct budget *view_group_budget(const subscription *s)
{
    return s->packed != NULL ? s->packed->budget : s->budget;
}

bool view_group_tells_lost(const view_group *g)
{
    const subscription *s = g->of;
    const view_area *place = s->packed != NULL ? &s->packed->place : &s->place;
    return place->lost && (g->full || !s->lost_told);
}

// The encoding of the group's snapshot, without its head; NULL if it does not fit a message.
static shared_bytes *encode_group(publisher *p, const physics_world *world, const view_group *g,
                                  uint64_t hash, uint32_t *pairs)
{
    const budget *paid = view_group_budget(g->of);
    snapshot_view view = {
        .world = p->world,
        .epoch = p->epoch,
        .tick = world_tick(world),
        .time = world_time(world),
        .full = g->full,
        .bodies = list_of(&p->body_rows, g->row_count),
        .removed = p->removed.data,
        .removed_count = p->removed.count,
        .has_area = g->of->view.has_area,
        .enter = p->enter.data,
        .enter_count = p->enter.count,
        .leave = p->leave.data,
        .leave_count = p->leave.count,
        .unfollowed = view_group_tells_lost(g) ? g->of->view.follow : 0,
        .left_out = paid == NULL ? 0 : paid->left_out,
        .oldest = paid == NULL ? 0 : paid->oldest,
        .events = list_of(&p->events, g->event_count),
        .has_contacts = g->of->view.contacts,
        .contacts = list_of(&p->contact_rows, g->contact_count),
        .has_data = g->of->data != NULL,
        .data = list_of(&p->data_rows, g->data_count),
        .confined = g->of->token_areas != NULL,
        .hash = hash,
        .packed = g->packed,
    };
    if (g->of->view.describe) {
        add_descriptions(p, g, &view);
    }
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    *pairs = encode_snapshot_tail(&out, &view);
    bool whole = !out.overflow && (g->packed == NULL || !g->packed->overflow) &&
                 !p->body_rows.overflow && !p->events.overflow && !p->contact_rows.overflow &&
                 !p->data_rows.overflow && !p->descriptions.bodies.overflow &&
                 !p->descriptions.joints.overflow;
    size_t size = 0;
    uint8_t *data = buffer_take(&out, &size);
    if (!whole) {
        free(data);
        return NULL;
    }
    metrics_add(METRIC_snapshots_encoded, 1);
    return bytes_take(data, size);
}

// The bodies in view.
static view_set *take_seen(publisher *p, const view_group *g)
{
    const subscription *s = g->of;
    if (s->packed != NULL) {
        return view_set_ref(s->packed->seen);
    }
    if (!s->view.has_area) {
        return s->budget != NULL ? row_table_all(&p->rows) : NULL;
    }
    view_set *seen = view_area_collect(&s->place, &s->view, s->token_areas, &p->areas, &p->rows,
                                       g->full ? NULL : s->seen, s->version);
    // without a budget the set does not change any more
    return s->budget != NULL ? seen : view_set_pool_share(&p->sets, seen);
}

static void clear_scratch(publisher *p)
{
    buffer_clear(&p->body_rows);
    buffer_clear(&p->events);
    buffer_clear(&p->contact_rows);
    buffer_clear(&p->data_rows);
    array_clear(&p->removed);
    array_clear(&p->enter);
    array_clear(&p->leave);
}

shared_bytes *view_group_build(publisher *p, const physics_world *world, view_group *g,
                               uint64_t hash, uint32_t *pairs)
{
    ASSERT(!p->stale && g->of != NULL && g->of->version <= p->rows.version);
    const subscription *s = g->of;
    const bool describe = s->view.describe;
    clear_scratch(p);
    g->full = view_group_forgotten(p, s);
    if (s->packed != NULL) {
        g->packed = packed_view_bytes(s, &g->full);
    }
    g->seen = take_seen(p, g);
    show_events(p, g);
    show_contacts(p, g);
    if (s->data != NULL) {
        g->data_count =
            data_feed_encode(&p->data, world, s->data, s->version, g->full, &p->data_rows);
    }
    if (s->budget != NULL) {
        show_chosen_rows(p, world, g);
    }
    const budget *paid = view_group_budget(s);
    descriptions_begin(&p->descriptions, s->described, g->full,
                       paid == NULL ? UINT64_MAX : (uint64_t)fmax(paid->credit, 0.0));
    if (g->packed == NULL || describe) {
        show_bodies(p, world, g);
    }
    if (describe) {
        descriptions_joints(&p->descriptions, world, &p->joints, s, g->seen, g->full);
    }
    return encode_group(p, world, g, hash, pairs);
}
