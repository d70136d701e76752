// See frame.h.
#include "client/cli/picture/frame.h"

#include <math.h>
#include <stdlib.h>

#define FAR        1e5   // distance from the origin [m]; worlds end at 1e6, where bodies freeze
#define REST       2.0   // slower bodies have not fallen off [m/s]
#define ROOM_MAX   100.0 // margin around a frame within which bodies belong to it at any speed [m]
#define ROOM_MORE  10.0
#define TRIM       0.1  // share of many bodies cut off, at either end or both
#define AWAY_SIZES 50.0 // a frame so many times as large as most bodies take would look empty
#define NEAR       0.35 // grounds and walls are shown this many frame sizes beyond the frame
#define ROOM_SIZES 10.0 // multiple of the median body size: no frame is smaller

enum { TRIMMED_FROM = 20 };

typedef struct range {
    double low, high;
} range;

static box box_join(box a, box b)
{
    return (box){fmin(a.x0, b.x0), fmin(a.y0, b.y0), fmax(a.x1, b.x1), fmax(a.y1, b.y1)};
}

static box box_cut(box a, box b)
{
    return (box){fmax(a.x0, b.x0), fmax(a.y0, b.y0), fmin(a.x1, b.x1), fmin(a.y1, b.y1)};
}

static box box_grow(box b, double by)
{
    return (box){b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by};
}

static double box_size(box b)
{
    return fmax(b.x1 - b.x0, b.y1 - b.y0);
}

static bool holds(box b, point at)
{
    return at.x >= b.x0 && at.x <= b.x1 && at.y >= b.y0 && at.y <= b.y1;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

// Writes the sorted coordinates of `count` > 0 bodies on one axis to `numbers`.
static void sort_axis(const frame_body *bodies, size_t count, bool vertical, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = vertical ? bodies[i].at.y : bodies[i].at.x;
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
}

// Moves the bodies that pass the test to the front; returns how many there are.
static size_t keep(frame_body *bodies, size_t count,
                   bool (*passes)(const frame_body *, const box *), const box *in)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (passes(&bodies[i], in)) {
            frame_body one = bodies[i];
            bodies[i] = bodies[kept];
            bodies[kept++] = one;
        }
    }
    return kept;
}

static bool is_near_origin(const frame_body *b, const box *in)
{
    (void)in;
    return fabs(b->at.x) < FAR && fabs(b->at.y) < FAR;
}

static bool is_still(const frame_body *b, const box *in)
{
    (void)in;
    return b->speed < REST;
}

static bool is_fixed(const frame_body *b, const box *in)
{
    (void)in;
    return b->fixed;
}

static bool is_within(const frame_body *b, const box *in)
{
    return holds(*in, b->at);
}

// `in` are two boxes.
static bool is_within_two(const frame_body *b, const box *in)
{
    return holds(in[0], b->at) || holds(in[1], b->at);
}

static bool has_stayed(const frame_body *b, const box *room)
{
    return holds(*room, b->at) || b->speed < REST;
}

static box bounds_of(const frame_body *bodies, size_t count)
{
    box b = box_empty();
    for (size_t i = 0; i < count; i++) {
        b = box_join(b, bodies[i].bounds);
    }
    return b;
}

// The shortest range with `wanted` of the numbers, 1 to `count`.
static range shortest_range(const double *sorted, size_t count, size_t wanted)
{
    size_t best = 0;
    for (size_t i = 1; i + wanted <= count; i++) {
        if (sorted[i + wanted - 1] - sorted[i] < sorted[best + wanted - 1] - sorted[best]) {
            best = i;
        }
    }
    return (range){sorted[best], sorted[best + wanted - 1]};
}

// The box of the shortest ranges on both axes with the places of `wanted` of the bodies.
static box shortest_box(const frame_body *bodies, size_t count, size_t wanted, double *numbers)
{
    sort_axis(bodies, count, false, numbers);
    range x = shortest_range(numbers, count, wanted);
    sort_axis(bodies, count, true, numbers);
    range y = shortest_range(numbers, count, wanted);
    return (box){x.low, y.low, x.high, y.high};
}

// The places of more than half of the bodies at rest, or of all bodies if none rests. Moves those
// to the front, and writes their number to `still`.
static box find_core(frame_body *bodies, size_t count, size_t *still, double *numbers)
{
    size_t kept = keep(bodies, count, is_still, NULL);
    *still = kept > 0 ? kept : count;
    return shortest_box(bodies, *still, *still / 2 + 1, numbers);
}

// The home region of the bodies: that of the bodies that do not move, if there are any.
static box find_home(frame_body *bodies, size_t count, double *numbers)
{
    box half = find_core(bodies, count, &count, numbers);
    box usual = box_grow(half, 6.0 * box_size(half) + 5.0);
    return bounds_of(bodies, keep(bodies, count, is_within, &usual));
}

static double usual_size(const frame_body *bodies, size_t count, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = box_size(bodies[i].bounds);
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return numbers[count / 2];
}

// Moves a minority that is far from the others and outside of `room` to the end; returns the number
// of the others.
static size_t keep_together(frame_body *bodies, size_t count, const box *room, double *numbers)
{
    size_t still;
    double least = ROOM_SIZES * usual_size(bodies, count, numbers);
    box core = find_core(bodies, count, &still, numbers);
    box near[] = {box_grow(core, AWAY_SIZES * fmax(box_size(core), least)), *room};
    size_t near_still = keep(bodies, still, is_within_two, near);
    return 2 * near_still > still ? keep(bodies, count, is_within_two, near) : count;
}

// The bounds of the bodies within the shortest ranges with nine tenths of their places. A range is
// first extended, at both ends, by a little more than the other tenth would take if it were evenly
// spread.
static box find_middle(frame_body *bodies, size_t count, double *numbers)
{
    if (count >= TRIMMED_FROM) {
        size_t wanted = (size_t)ceil((1.0 - TRIM) * (double)count);
        box most = shortest_box(bodies, count, wanted, numbers);
        double share = TRIM / (1.0 - 2.0 * TRIM);
        double more_x = share * (most.x1 - most.x0);
        double more_y = share * (most.y1 - most.y0);
        box middle = {most.x0 - more_x, most.y0 - more_y, most.x1 + more_x, most.y1 + more_y};
        count = keep(bodies, count, is_within, &middle);
    }
    return bounds_of(bodies, count);
}

// The frame, enlarged so that at least that many of its `count` > 0 bodies fit beside each other.
static box make_room(box frame, const frame_body *bodies, size_t count, double *numbers)
{
    double least = ROOM_SIZES * usual_size(bodies, count, numbers);
    return box_grow(frame, fmax(0.0, least - box_size(frame)) / 2.0);
}

// The frame of `count` > 0 bodies, all of them within FAR.
static box find_frame(frame_body *bodies, size_t count, const box *home, double *numbers)
{
    box own = home != NULL ? *home : find_home(bodies, count, numbers);
    box room = box_grow(own, fmin(ROOM_MAX, box_size(own)) + ROOM_MORE);
    count = keep_together(bodies, count, &room, numbers);
    size_t fixed = keep(bodies, count, is_fixed, NULL);
    frame_body *moving = bodies + fixed;
    size_t stayed = keep(moving, count - fixed, has_stayed, &room);
    if (stayed == 0) {
        return home != NULL ? *home : find_middle(bodies, fixed > 0 ? fixed : count, numbers);
    }
    box frame = find_middle(moving, stayed, numbers);
    frame = make_room(frame, moving, stayed, numbers);
    box near = box_grow(frame, NEAR * box_size(frame) + 0.5);
    for (size_t i = 0; i < fixed; i++) {
        box seen = box_cut(bodies[i].bounds, near);
        frame = box_is_empty(seen) ? frame : box_join(frame, seen);
    }
    return frame;
}

bool frame_find(frame_body *bodies, size_t count, const box *home, box *out)
{
    size_t here = keep(bodies, count, is_near_origin, NULL);
    count = here > 0 ? here : count;
    if (count == 0) {
        *out = home != NULL ? *home : box_empty();
        return true;
    }
    double *numbers = malloc(count * sizeof *numbers);
    if (numbers == NULL) {
        return false;
    }
    *out = find_frame(bodies, count, home, numbers);
    free(numbers);
    return true;
}
