// Past states of the bodies of a view, as rings of samples, and interpolation between two of them.
// One thread at a time.
#include "client/lib/view_internal.h"

#include <string.h>

#include "common/base/assert.h"

static const double PI = 3.14159265358979323846;

static view_sample sample_of(const carom_body *body, double time)
{
    return (view_sample){time, body->x, body->y, body->angle, body->vx, body->vy, body->w};
}

// ---- keeping

static view_sample *samples_of(const carom_view *view, uint32_t place)
{
    return view->content.samples.data + (size_t)place * view->depth;
}

static void push_sample(carom_view *view, uint32_t place, view_sample sample)
{
    sample_ring *ring = &view->content.rings.data[place];
    view_sample *samples = samples_of(view, place);
    if (ring->count > 0 && samples[ring->newest].time >= sample.time) {
        samples[ring->newest] = sample; // another sample of the same moment
        return;
    }
    ring->newest = (uint8_t)((ring->newest + 1U) % view->depth);
    samples[ring->newest] = sample;
    if (ring->count < view->depth) {
        ring->count++;
    }
}

bool history_reserve(carom_view *view, uint64_t bodies)
{
    ASSERT(view->depth <= CAROM_VIEW_HISTORY_MAX + 1);
    view_content *v = &view->content;
    return view->depth == 0 ||
           (vector_reserve(&v->rings, bodies) && vector_reserve(&v->samples, bodies * view->depth));
}

void history_add(carom_view *view, uint32_t place)
{
    if (view->depth == 0) {
        return;
    }
    view_content *v = &view->content;
    ASSERT(place < v->rings.capacity);
    v->rings.count = place + 1;
    v->samples.count = (place + 1) * view->depth;
    v->rings.data[place] = (sample_ring){0, 0};
    push_sample(view, place, sample_of(&v->bodies.data[place], v->time));
}

void history_remove(carom_view *view, uint32_t place, uint32_t last)
{
    if (view->depth == 0) {
        return;
    }
    view_content *v = &view->content;
    if (place != last) {
        memcpy(samples_of(view, place), samples_of(view, last), view->depth * sizeof(view_sample));
        v->rings.data[place] = v->rings.data[last];
    }
    v->rings.count = last;
    v->samples.count = last * view->depth;
}

void history_update(carom_view *view, uint32_t place, bool rested, double since)
{
    if (view->depth == 0) {
        return;
    }
    // A body at rest has no rows: without this sample its new motion would seem to have begun when
    // it came to rest.
    view_sample old = samples_of(view, place)[view->content.rings.data[place].newest];
    if (rested && old.time < since) {
        old.time = since;
        push_sample(view, place, old);
    }
    push_sample(view, place, sample_of(&view->content.bodies.data[place], view->content.time));
}

void history_note_time(carom_view *view)
{
    view_content *v = &view->content;
    if (view->depth == 0 || (v->time_count > 0 && v->times[v->time_newest] >= v->time)) {
        return;
    }
    v->time_newest = v->time_count == 0 ? 0 : (v->time_newest + 1) % view->depth;
    v->times[v->time_newest] = v->time;
    if (v->time_count < view->depth) {
        v->time_count++;
    }
}

double history_oldest_time(const carom_view *view)
{
    const view_content *v = &view->content;
    if (view->depth == 0 || v->time_count == 0) {
        return v->time;
    }
    uint32_t oldest = (v->time_newest + view->depth + 1 - v->time_count) % view->depth;
    return v->times[oldest];
}

double history_newest_time(const carom_view *view, uint32_t place)
{
    return samples_of(view, place)[view->content.rings.data[place].newest].time;
}

// ---- interpolation

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

// Angles are within a half turn of zero, so that they differ by less than one turn.
static double mix_angle(double a, double b, double t)
{
    double turn = b - a;
    if (turn > PI) {
        turn -= 2.0 * PI;
    } else if (turn < -PI) {
        turn += 2.0 * PI;
    }
    double angle = a + turn * t;
    return angle > PI ? angle - 2.0 * PI : angle < -PI ? angle + 2.0 * PI : angle;
}

static void write_mixed(const view_sample *a, const view_sample *b, double time, carom_body *out)
{
    double span = b->time - a->time;
    double t = span > 0.0 ? (time - a->time) / span : 1.0;
    out->x = mix(a->x, b->x, t);
    out->y = mix(a->y, b->y, t);
    out->angle = mix_angle(a->angle, b->angle, t);
    out->vx = mix(a->vx, b->vx, t);
    out->vy = mix(a->vy, b->vy, t);
    out->w = mix(a->w, b->w, t);
}

void samples_at(const view_sample *samples, sample_ring ring, uint32_t depth, double time,
                carom_body *out)
{
    uint32_t i = ring.newest;
    for (uint32_t older = 1; older < ring.count && samples[i].time > time; older++) {
        uint32_t before = (i + depth - 1) % depth;
        if (samples[before].time <= time) {
            write_mixed(&samples[before], &samples[i], time, out);
            return;
        }
        i = before;
    }
    write_mixed(&samples[i], &samples[i], time, out); // at or beyond an end of the history
}

bool carom_view_at_time(const carom_view *view, size_t index, double time, carom_body *out)
{
    if (view == NULL || out == NULL || index >= view->content.bodies.count) {
        return false;
    }
    const view_content *v = &view->content;
    *out = v->bodies.data[index];
    if (view->depth > 0) {
        samples_at(samples_of(view, (uint32_t)index), v->rings.data[index], view->depth, time, out);
    }
    return true;
}
