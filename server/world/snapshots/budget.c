// Scores, and the account of bytes; see budget.h. The world's thread.
#include "server/world/snapshots/budget.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/assert.h"

// The most that may be saved up, and that may be sent ahead [s].
static const double SAVED_MOST = 0.5;
static const double AHEAD_MOST = 1.0;

static const double NEAR_WEIGHT = 4.0;
static const double FAST_WEIGHT = 3.0;
_Static_assert(BUDGET_WEIGHT_MOST == 1 + 4 + 3, "the greatest weight is that of all");

static const double USUAL_SPEED = 10.0; // half as fast as can be, if there is no area [m/s]

budget *budget_create(double bytes_a_second, double least)
{
    budget *b = calloc(1, sizeof *b);
    ASSERT_MEMORY(b != NULL);
    ASSERT(bytes_a_second > 0.0);
    b->rate = bytes_a_second;
    b->least = least;
    b->row_bytes = 1.0;
    b->credit = SAVED_MOST * b->rate + least;
    return b;
}

void budget_destroy(budget *b)
{
    if (b != NULL) {
        array_free(&b->entries);
        array_free(&b->before);
        array_free(&b->due);
        free(b);
    }
}

void budget_refill(budget *b, double hz)
{
    ASSERT(hz > 0.0);
    b->credit = fmin(b->credit + b->rate / hz, SAVED_MOST * b->rate + b->least);
}

void budget_pay(budget *b, size_t bytes)
{
    ASSERT(bytes > 0);
    b->credit = fmax(b->credit - (double)bytes, -AHEAD_MOST * b->rate);
}

void budget_forget(budget *b)
{
    array_clear(&b->entries);
    b->left_out = 0;
}

// ---- scores

// The place that matters most, and how far things matter [m].
typedef struct focus {
    bool any;
    vec2d at;
    double reach;
} focus;

static focus focus_of(const subscribe_args *args, const view_area *place)
{
    if (place == NULL) {
        return (focus){.reach = USUAL_SPEED};
    }
    const area *a = &place->now;
    focus f = {.any = true, .at = {0.5 * (a->x0 + a->x1), 0.5 * (a->y0 + a->y1)}};
    f.reach = fmax(0.5 * hypot(a->x1 - a->x0, a->y1 - a->y0), 1e-3);
    if (args->follow != 0) {
        f.at = (vec2d){a->x0 - args->area.x0, a->y0 - args->area.y0};
    }
    return f;
}

static double weight_of(const focus *f, const body_row *row)
{
    ASSERT(f->reach > 0.0);
    const double speed = hypot((double)row->velocity.x, (double)row->velocity.y);
    const double distance = hypot(row->position.x - f->at.x, row->position.y - f->at.y);
    const double near = f->any ? fmax(0.0, 1.0 - distance / f->reach) : 0.0;
    return 1.0 + NEAR_WEIGHT * near + FAST_WEIGHT * speed / (speed + f->reach);
}

static int compare_choices(const void *a, const void *b)
{
    const budget_choice *x = a;
    const budget_choice *y = b;
    const int order = (x->score < y->score) - (x->score > y->score);
    return order != 0 ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

// ---- a snapshot

void budget_begin(budget *b, const row_table *rows, const view_set *in_view,
                  const subscribe_args *args, const view_area *place)
{
    ASSERT(in_view != NULL && in_view->slots <= rows->entries.count);
    const focus f = focus_of(args, place);
    array_clear(&b->before);
    for (uint32_t i = 0; i < b->entries.count; i++) {
        array_push(&b->before, b->entries.data[i]);
    }
    array_clear(&b->entries);
    array_clear(&b->due);
    uint32_t next = 0;
    for (uint32_t slot = view_set_next(in_view, NULL, 0); slot < in_view->slots;
         slot = view_set_next(in_view, NULL, slot + 1)) {
        const row_entry *row = &rows->entries.data[slot];
        budget_entry entry = {.slot = slot};
        while (next < b->before.count && b->before.data[next].slot < slot) {
            next++;
        }
        if (next < b->before.count && b->before.data[next].slot == slot) {
            entry = b->before.data[next];
            if (entry.version != 0 && row->created > entry.version) {
                entry = (budget_entry){.slot = slot}; // another body has its slot now
            }
        }
        if (row->changed > entry.version) {
            const double score = (entry.waited + 1.0) * weight_of(&f, &row->row);
            array_push(&b->due, ((budget_choice){b->entries.count, score, false}));
        }
        array_push(&b->entries, entry);
    }
    if (b->due.count > 1) {
        qsort(b->due.data, b->due.count, sizeof *b->due.data, compare_choices);
    }
}

void budget_end(budget *b, const row_table *rows, view_set *in_view, uint64_t tick)
{
    ASSERT(b->due.count <= b->entries.count);
    b->left_out = 0;
    b->oldest = tick;
    for (uint32_t i = 0; i < b->due.count; i++) {
        budget_entry *entry = &b->entries.data[b->due.data[i].entry];
        if (b->due.data[i].taken) {
            entry->version = rows->version;
            entry->waited = 0;
            continue;
        }
        entry->since = entry->waited == 0 ? b->tick : entry->since;
        entry->waited++;
        b->left_out++;
        if (entry->version == 0) {
            view_set_remove(in_view, entry->slot);
        } else if (entry->since < b->oldest) {
            b->oldest = entry->since;
        }
    }
    b->tick = tick;
}
