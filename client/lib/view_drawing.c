// Drawing of a view; the rules are in carom/interpolation.h. client/web/src/view.js does the same
// in the npm package. One thread at a time.
#include "client/lib/view_drawing.h"

#include <carom/interpolation.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/fault.h"
#include "client/lib/view_internal.h"
#include "common/base/assert.h"

#define ROUNDING_S 1e-9 // tolerance of world times: events at the drawn moment are shown
#define SWEEP_S    1.0  // time between two searches for bodies that can no longer be drawn

static void free_departed(view_drawing *d, uint32_t i)
{
    free(d->departed.data[i].info);
    free(d->departed.data[i].samples);
    vector_swap_remove(&d->departed, i);
}

static void begin(view_drawing *d)
{
    while (d->departed.count > 0) {
        free_departed(d, d->departed.count - 1);
    }
    playback_reset(&d->playback);
    d->shown = d->advanced = (double)NAN;
    d->swept = -(double)INFINITY;
}

view_drawing *drawing_create(const carom_view_options *options)
{
    view_drawing *d = calloc(1, sizeof *d);
    if (d != NULL) {
        d->predictive = options->interpolation == CAROM_INTERPOLATION_PREDICTIVE;
        playback_init(&d->playback, options->extra_delay_s);
        begin(d);
    }
    return d;
}

void drawing_free(view_drawing *d)
{
    if (d != NULL) {
        begin(d);
        vector_free(&d->since);
        vector_free(&d->chases);
        vector_free(&d->departed);
        free(d);
    }
}

// ---- bodies

bool drawing_reserve(carom_view *view, uint64_t bodies)
{
    view_drawing *d = view->drawing;
    return d == NULL || (vector_reserve(&d->since, bodies) &&
                         (!d->predictive || vector_reserve(&d->chases, bodies)));
}

void drawing_add(carom_view *view, uint32_t place)
{
    view_drawing *d = view->drawing;
    if (d == NULL) {
        return;
    }
    ASSERT(place < d->since.capacity);
    d->since.count = place + 1;
    d->since.data[place] = view->content.time;
    if (d->predictive) {
        d->chases.count = place + 1;
        chase_begin(&d->chases.data[place], &view->content.bodies.data[place]);
    }
}

void drawing_update(carom_view *view, uint32_t place)
{
    if (view->drawing != NULL && view->drawing->predictive) {
        view->drawing->chases.data[place].still = false;
    }
}

// A body that came and went within one snapshot is never drawn, and a view that draws the present
// has no gone bodies.
static bool depart(carom_view *view, uint32_t place)
{
    view_drawing *d = view->drawing;
    const size_t size = view->depth * sizeof(view_sample);
    departed_body gone = {.body = view->content.bodies.data[place],
                          .info = view->content.infos.data[place],
                          .ring = view->content.rings.data[place],
                          .since = d->since.data[place],
                          .until = view->content.time};
    if (d->predictive || !(gone.since < gone.until) || d->departed.count == CAROM_DEPARTED_MAX ||
        !vector_reserve(&d->departed, (uint64_t)d->departed.count + 1)) {
        return false;
    }
    gone.samples = malloc(size);
    if (gone.samples == NULL) { // it vanishes at once, which does not falsify the picture
        return false;
    }
    memcpy(gone.samples, view->content.samples.data + (size_t)place * view->depth, size);
    d->departed.data[d->departed.count++] = gone;
    return true;
}

bool drawing_remove(carom_view *view, uint32_t place, uint32_t last, bool departs)
{
    view_drawing *d = view->drawing;
    if (d == NULL) {
        return false;
    }
    const bool taken = departs && depart(view, place);
    d->since.data[place] = d->since.data[last];
    d->since.count = last;
    if (d->predictive) {
        d->chases.data[place] = d->chases.data[last];
        d->chases.count = last;
    }
    return taken;
}

void drawing_reset(carom_view *view)
{
    if (view->drawing != NULL) {
        begin(view->drawing);
        for (size_t i = 0; i < view->queue_count; i++) { // their times have no meaning any more
            view->queue[(view->queue_first + i) % view->queue_capacity].time = -(double)INFINITY;
        }
    }
}

static void release(view_drawing *d, double time)
{
    for (uint32_t i = d->departed.count; i > 0; i--) {
        if (d->departed.data[i - 1].until <= time) {
            free_departed(d, i - 1);
        }
    }
}

// ---- snapshots

void drawing_arrived(carom_view *view, double now, double since)
{
    if (view->drawing != NULL) {
        const view_content *v = &view->content;
        playback_add(&view->drawing->playback, now, v->time, v->cadence.interval, since);
    }
}

// While nothing is drawn, as in a minimised window: drops gone bodies whose last time has passed.
void drawing_settle(carom_view *view, double now)
{
    view_drawing *d = view->drawing;
    if (d != NULL && !(now - d->swept < SWEEP_S)) {
        d->swept = now;
        release(d, playback_earliest(&d->playback, now));
    }
}

carom_status carom_view_apply_at(carom_view *view, const carom_snapshot *snapshot, double now,
                                 carom_error *err)
{
    if (!isfinite(now)) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "now: must be a finite number of seconds");
    }
    return view_apply(view, snapshot, now, err);
}

// ---- frames

void carom_view_set_rtt(carom_view *view, double seconds)
{
    if (view != NULL && view->drawing != NULL && isfinite(seconds) && seconds >= 0.0) {
        view->drawing->rtt = seconds;
    }
}

static void advance_chases(carom_view *view, double time, double now)
{
    view_drawing *d = view->drawing;
    const view_content *v = &view->content;
    chase_frame f = {.dt = isnan(d->advanced) ? 0.0 : fmax(0.0, now - d->advanced), .rtt = d->rtt};
    for (uint32_t i = 0; i < v->bodies.count; i++) {
        if (!d->chases.data[i].still) {
            const double told = history_newest_time(view, i);
            f.age = time - told;
            // A body without a row in the newest snapshot has not moved, unless it was left out.
            f.rest = told < v->time && v->left_out == 0;
            chase_advance(&d->chases.data[i], &v->bodies.data[i], &f);
        }
    }
}

double carom_view_advance(carom_view *view, double now)
{
    if (view == NULL || view->drawing == NULL || !isfinite(now)) {
        return (double)NAN;
    }
    view_drawing *d = view->drawing;
    const double time =
        d->predictive ? playback_newest(&d->playback, now) : playback_show(&d->playback, now);
    if (isnan(time)) {
        return time;
    }
    if (d->predictive) {
        advance_chases(view, time, now);
    }
    release(d, time);
    d->advanced = now;
    d->shown = time;
    return time;
}

bool drawing_shows(const carom_view *view, double time)
{
    const view_drawing *d = view->drawing;
    return d == NULL || time == -(double)INFINITY || time <= d->shown + ROUNDING_S;
}

// ---- the drawn poses

bool carom_view_pose(const carom_view *view, size_t index, carom_body *out)
{
    if (view == NULL || out == NULL || view->drawing == NULL ||
        index >= view->content.bodies.count ||
        !(view->drawing->since.data[index] <= view->drawing->shown + ROUNDING_S)) {
        return false;
    }
    if (!view->drawing->predictive) {
        return carom_view_at_time(view, index, view->drawing->shown, out);
    }
    const chase *c = &view->drawing->chases.data[index];
    *out = view->content.bodies.data[index];
    out->x = c->x;
    out->y = c->y;
    out->angle = c->angle;
    return true;
}

static carom_drawn drawn_of(const carom_body *b)
{
    return (carom_drawn){
        .id = b->id, .x = b->x, .y = b->y, .angle = b->angle, .vx = b->vx, .vy = b->vy, .w = b->w};
}

static carom_drawn draw_departed(const carom_view *view, const departed_body *gone)
{
    carom_body body = gone->body;
    samples_at(gone->samples, gone->ring, view->depth, view->drawing->shown, &body);
    carom_drawn drawn = drawn_of(&body);
    drawn.info = gone->info;
    drawn.gone = true;
    return drawn;
}

size_t carom_view_drawn(const carom_view *view, carom_drawn *out, size_t max)
{
    size_t count = 0;
    if (view == NULL || view->drawing == NULL || (out == NULL && max > 0)) {
        return 0;
    }
    const view_drawing *d = view->drawing;
    for (uint32_t i = 0; i < d->departed.count; i++) {
        if (d->departed.data[i].since <= d->shown + ROUNDING_S && count++ < max) {
            out[count - 1] = draw_departed(view, &d->departed.data[i]);
        }
    }
    carom_body body;
    for (uint32_t i = 0; i < view->content.bodies.count; i++) {
        if (carom_view_pose(view, i, &body) && count++ < max) {
            out[count - 1] = drawn_of(&body);
            out[count - 1].info = view->content.infos.data[i];
            out[count - 1].data = view->content.data.data[i];
        }
    }
    return count;
}

carom_view_playback carom_view_get_playback(const carom_view *view)
{
    if (view == NULL || view->drawing == NULL) {
        return (carom_view_playback){.shown = (double)NAN};
    }
    const view_drawing *d = view->drawing;
    return (carom_view_playback){.shown = d->shown,
                                 .delay = d->predictive ? 0.0 : playback_delay(&d->playback),
                                 .gone = d->departed.count};
}
