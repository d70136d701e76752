// Streams of packed snapshots and their readers; see packed_view.h. The world's thread.
#include "server/world/snapshots/packed_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/limits.h"
#include "server/world/snapshots/budget.h"

// Readers of a slower rate have streams of their own: one that joins waits for the next snapshot,
// and that is to be a second at most.
static const double SHARED_RATE_MIN = 1.0;

// With a budget, a snapshot is sent once this many bytes are available: enough for its head and a
// few bodies.
static const double BYTES_LEAST = 96.0;
static const double FRAME_BYTES = 40.0;
static const double ENTRY_BYTES = 14.0; // estimated bytes of a body that enters

static const double TURN = 2.0 * 3.14159265358979323846; // [rad]

// An angle's steps make a whole turn. A number within rounding of a whole one counts as that.
static packed_precision precision_of(const snapshot_precision *p)
{
    const double steps = ceil(TURN / p->angle - 1e-6);
    const double most = PACKED_ANGLE_STEPS_MAX;
    const double least = PACKED_ANGLE_STEPS_MIN;
    return (packed_precision){
        .position_steps = 1.0 / p->position,
        .angle_steps = (uint32_t)(steps > most    ? most
                                  : steps < least ? least
                                                  : steps),
        .velocity_steps = p->velocity > 0.0 ? 1.0 / p->velocity : 0.0,
    };
}

// ---- memory

// size up to which a buffer is kept although it is needed only when a reader joins
enum { FULL_KEPT_BYTES = 1 << 16 };

static uint64_t bytes_of(const packed_view *view)
{
    return sizeof *view + packed_encoder_bytes(view->encoder) + view->change.capacity +
           view->full.capacity;
}

// A change and a full snapshot, in buffers that double, have some ENTRY_BYTES a body at most.
static uint64_t buffers_most(uint32_t bodies)
{
    return 2 * 2 * (uint64_t)ENTRY_BYTES * bodies;
}

// Whether there is memory for a snapshot of `bodies` bodies.
static bool can_encode(packed_view *view, uint32_t bodies)
{
    const uint64_t most = sizeof *view + packed_encoder_bytes_most(view->encoder, bodies) +
                          view->change.capacity + view->full.capacity + buffers_most(bodies);
    view->refused = memory_charge_set(&view->charge, most, &view->refusal) != STATUS_OK;
    return !view->refused;
}

static void settle_memory(packed_view *view)
{
    if (!view->waiting && view->full.capacity > FULL_KEPT_BYTES) {
        buffer_deinit(&view->full);
        buffer_init(&view->full, WIRE_REPLY_BYTES_MAX);
    }
    memory_charge_note(&view->charge, bytes_of(view));
}

static void free_view(packed_view *view)
{
    packed_encoder_destroy(view->encoder);
    view_set_unref(view->seen);
    token_areas_unref(view->token_areas);
    budget_destroy(view->budget);
    buffer_deinit(&view->change);
    buffer_deinit(&view->full);
    memory_charge_end(&view->charge);
    free(view);
}

void packed_views_deinit(packed_views *v)
{
    for (uint32_t i = 0; i < v->list.count; i++) {
        free_view(v->list.data[i]);
    }
    array_free(&v->list);
    array_free(&v->bodies);
    array_free(&v->held);
    array_free(&v->removed);
}

static packed_view *find_view(const packed_views *v, const subscription *s)
{
    const bool shared =
        (s->view.rate <= 0.0 || s->view.rate >= SHARED_RATE_MIN) && s->view.budget <= 0.0;
    for (uint32_t i = 0; i < v->list.count && shared; i++) {
        packed_view *view = v->list.data[i];
        if (subscription_same_view(&view->of, view->token_areas, &s->view, s->token_areas)) {
            return view;
        }
    }
    return NULL;
}

void packed_views_join(packed_views *v, subscription *s, double hz)
{
    ASSERT(s->packed == NULL && hz > 0.0);
    packed_view *view = find_view(v, s);
    if (view == NULL) {
        const packed_precision precision = precision_of(&s->view.precision);
        view = calloc(1, sizeof *view);
        ASSERT_MEMORY(view != NULL);
        view->of = s->view;
        view->token_areas = token_areas_ref(s->token_areas);
        view->place = s->place;
        if (s->view.budget > 0.0) {
            view->budget = budget_create(s->view.budget, BYTES_LEAST);
        }
        view->phase = s->phase;
        view->encoder = packed_encoder_create(&precision, hz);
        buffer_init(&view->change, WIRE_REPLY_BYTES_MAX);
        buffer_init(&view->full, WIRE_REPLY_BYTES_MAX);
        memory_charge_begin(&view->charge, MEMORY_views, s->charge.who);
        memory_charge_note(&view->charge, bytes_of(view));
        array_push(&v->list, view);
    }
    view->readers++;
    s->packed = view;
    s->phase = view->phase;
    subscription_begin_anew(s);
}

uint64_t packed_views_bytes_most(const snapshot_precision *precision, uint32_t bodies)
{
    return sizeof(packed_view) + buffers_most(bodies) +
           packed_encoder_bytes_of(precision->velocity > 0.0, bodies);
}

void packed_views_leave(packed_views *v, subscription *s)
{
    packed_view *view = s->packed;
    ASSERT(view == NULL || view->readers > 0);
    s->packed = NULL;
    if (view == NULL || --view->readers > 0) {
        return;
    }
    array_swap_remove_value(&v->list, view);
    free_view(view);
}

void packed_views_move(packed_views *v, subscription *s, double hz)
{
    ASSERT(s->packed != NULL && s->packed->readers > 0);
    if (s->packed->readers == 1) {
        s->packed->of = s->view;
        s->packed->place = s->place;
        s->packed->area_moved = true;
        return;
    }
    packed_views_leave(v, s);
    packed_views_join(v, s, hz);
}

// ---- encoding

static packed_body body_of(const body_row *row)
{
    return (packed_body){
        .id = row->id,
        .x = row->position.x,
        .y = row->position.y,
        .angle = (double)row->angle,
        .vx = (double)row->velocity.x,
        .vy = (double)row->velocity.y,
        .spin = (double)row->angular_velocity,
    };
}

static void take_body(packed_views *v, const row_table *rows, uint32_t slot, bool held)
{
    ASSERT(slot < rows->entries.count);
    const row_entry *entry = &rows->entries.data[slot];
    if (entry->id != 0) {
        array_push(&v->bodies, body_of(&entry->row));
        array_push(&v->held, held);
    }
}

// Finds the bodies in view and passes the set to the view.
static void find_seen(packed_views *v, packed_view *view, const row_table *rows)
{
    view_set *before = view->seen;
    if (view->of.has_area) {
        view_area_update(&view->place, &view->of, view->token_areas, rows);
        view->seen = view_area_collect(&view->place, &view->of, view->token_areas, v->areas, rows,
                                       before, view->version);
    } else {
        view->seen = view->budget != NULL ? row_table_all(rows) : NULL;
    }
    view_set_unref(before);
}

// Chooses the bodies that the budget allows, and removes from `seen` the bodies that do not enter
// yet. Returns how many enter, and in *told how many others are sent.
static uint32_t choose(packed_view *view, const row_table *rows, uint64_t tick, uint32_t *told)
{
    budget *b = view->budget;
    double left = b->credit - FRAME_BYTES;
    uint32_t entered = 0;
    *told = 0;
    budget_begin(b, rows, view->seen, &view->of, view->of.has_area ? &view->place : NULL);
    for (uint32_t i = 0; i < b->due.count && (i == 0 || left > 0.0); i++) {
        const bool enters = b->entries.data[b->due.data[i].entry].version == 0;
        left -= enters ? ENTRY_BYTES : b->row_bytes;
        b->due.data[i].taken = true;
        entered += enters;
        *told += !enters;
    }
    budget_end(b, rows, view->seen, tick);
    return entered;
}

// Whether the snapshot leaves out the changes of a body that the reader already has.
static bool is_held(const budget *b, const row_table *rows, uint32_t slot, uint32_t *next)
{
    while (b->entries.data[*next].slot < slot) {
        ++*next;
    }
    ASSERT(*next < b->entries.count);
    return rows->entries.data[slot].changed > b->entries.data[*next].version;
}

static void take_bodies(packed_views *v, const packed_view *view, const row_table *rows)
{
    array_clear(&v->bodies);
    array_clear(&v->held);
    if (view->seen == NULL) {
        for (uint32_t slot = 0; slot < rows->entries.count; slot++) {
            take_body(v, rows, slot, false);
        }
        return;
    }
    uint32_t next = 0;
    for (uint32_t slot = view_set_next(view->seen, NULL, 0); slot < view->seen->slots;
         slot = view_set_next(view->seen, NULL, slot + 1)) {
        take_body(v, rows, slot, view->budget != NULL && is_held(view->budget, rows, slot, &next));
    }
}

static void take_removed(packed_views *v, const packed_view *view, const row_table *rows)
{
    array_clear(&v->removed);
    for (uint32_t i = rows->removals.count; i > 0; i--) {
        const row_removal *gone = &rows->removals.data[i - 1];
        if (gone->removed <= view->version) {
            break; // they are sorted by version
        }
        array_push(&v->removed, gone->id);
    }
}

static void encode_change(packed_views *v, packed_view *view, const row_table *rows, uint64_t tick)
{
    ASSERT(v->held.count == v->bodies.count);
    take_removed(v, view, rows);
    buffer_clear(&view->change);
    packed_encode_part(view->encoder, tick, v->bodies.data, v->held.data, v->bodies.count,
                       v->removed.data, v->removed.count, &view->change);
    view->number++;
    view->tick = tick;
    view->told = true;
}

// Updates the estimated bytes of a body from the size of the encoded change.
static void note_cost(packed_view *view, uint32_t entered, uint32_t told)
{
    if (told > 0) {
        const double bytes = (double)view->change.size - ENTRY_BYTES * entered;
        const double mean = fmin(fmax(bytes / told, 0.25), ENTRY_BYTES);
        view->budget->row_bytes += (mean - view->budget->row_bytes) / 8.0;
    }
}

static void encode_for_budget(packed_views *v, packed_view *view, const row_table *rows,
                              uint64_t tick)
{
    uint32_t told = 0;
    find_seen(v, view, rows);
    const uint32_t entered = choose(view, rows, tick, &told);
    take_bodies(v, view, rows);
    if (can_encode(view, v->bodies.count)) {
        encode_change(v, view, rows, tick);
        note_cost(view, entered, told);
    }
}

static void begin_stream(packed_view *view)
{
    packed_encoder_restart(view->encoder);
    view_set_unref(view->seen);
    view->seen = NULL;
    if (view->budget != NULL) {
        budget_forget(view->budget);
    }
}

void packed_view_encode(packed_views *v, packed_view *view, const row_table *rows, uint64_t tick,
                        bool tells)
{
    ASSERT(rows->version >= view->version && v->areas != NULL);
    view->told = view->has_full = false;
    if (view->in_step == 0) {
        begin_stream(view);
    }
    const bool changed = view->area_moved || rows->changed > view->version || view->number == 0 ||
                         (view->budget != NULL && view->budget->left_out > 0);
    const bool looks = tells || view->waiting || changed || packed_encoder_moves(view->encoder);
    if (looks && view->budget != NULL) {
        encode_for_budget(v, view, rows, tick);
    } else if (looks) {
        find_seen(v, view, rows);
        take_bodies(v, view, rows);
        if ((tells || view->waiting ||
             packed_encoder_lacks(view->encoder, v->bodies.data, v->bodies.count)) &&
            can_encode(view, v->bodies.count)) {
            encode_change(v, view, rows, tick);
        }
    }
    view->version = rows->version;
    view->area_moved = false;
    if (view->waiting && !view->refused) {
        buffer_clear(&view->full);
        packed_encode_full(view->encoder, &view->full);
        view->has_full = true;
    }
    settle_memory(view);
}

const buffer *packed_view_bytes(const subscription *s, bool *full)
{
    const packed_view *view = s->packed;
    ASSERT(view->told);
    *full = s->packed_number == 0 || s->packed_number + 1 != view->number;
    ASSERT(!*full || view->has_full);
    return *full ? &view->full : &view->change;
}
