// Time and islands; see budget.h. The prediction's thread.
#include "client/prediction/budget.h"

#include <math.h>

#include "common/base/array.h"
#include "common/physics/standing.h"

#define FOLLOW 0.1 // weight of a new measurement
#define FALL   0.3 // its weight if it is smaller: code that has just begun to run becomes faster
#define WILD   4.0 // a measurement this many times the mean was disturbed: ignored

static void follow(double *average, double value)
{
    if (*average == 0.0) {
        *average = value;
    } else {
        const double weight = value < *average ? FALL : FOLLOW;
        *average += weight * (fmin(value, WILD * *average) - *average);
    }
}

void budget_note(budget *b, double took_ms, double work, bool copied)
{
    if (work > 0.0 && took_ms > 0.0 && !copied) {
        follow(&b->body_ms, took_ms / work);
    } else if (copied && took_ms > 0.0) {
        const double steps = work * b->body_ms;
        if (b->body_ms == 0.0 && work > 0.0) {
            b->body_ms = took_ms / work;
        } else if (took_ms > steps) {
            follow(&b->copy_ms, took_ms - steps);
        } else if (work > 0.0) {
            follow(&b->body_ms, took_ms / work);
        }
    }
}

void budget_note_growth(budget *b, double work, double planned, double steps)
{
    const double expected = steps * (planned + BUDGET_STEP_BODIES);
    if (expected > 0.0) {
        const double growth = fmax(work / expected, 1.0);
        b->growth = growth > b->growth ? growth : b->growth + FOLLOW * (growth - b->growth);
    }
}

double budget_bodies(const budget *b, double budget_ms, bool copied, uint64_t steps)
{
    if (b->body_ms <= 0.0 || budget_ms <= 0.0 || steps == 0) {
        return (double)INFINITY;
    }
    const double left = fmax(BUDGET_SHARE * budget_ms - (copied ? b->copy_ms : 0.0), 0.0);
    return left / ((double)steps * b->body_ms * fmax(b->growth, 1.0)) - BUDGET_STEP_BODIES;
}

double budget_fitting(const budget *b, double budget_ms, bool copied, uint32_t awake)
{
    if (b->body_ms <= 0.0 || budget_ms <= 0.0) {
        return (double)INFINITY;
    }
    const double left = BUDGET_MOST * budget_ms - (copied ? b->copy_ms : 0.0);
    return left / (b->body_ms * (double)(awake + BUDGET_STEP_BODIES));
}

uint32_t budget_steps(const budget *b, double budget_ms, bool copied, uint32_t awake)
{
    if (budget_ms <= 0.0) {
        return UINT32_MAX;
    }
    if (b->body_ms <= 0.0) {
        return 1; // a body is stepped, to measure the time
    }
    const double steps = budget_fitting(b, budget_ms, copied, awake);
    return steps < 1.0 ? 1 : steps > 1e6 ? UINT32_MAX : (uint32_t)steps;
}

// ---- islands

typedef struct centre {
    vec2d at[BUDGET_OWN];
    uint32_t count;
} centre;

static centre centre_of(const physics_world *world, const body_id *own, uint32_t count)
{
    centre c = {.count = 0};
    for (uint32_t i = 0; i < count && c.count < BUDGET_OWN; i++) {
        body_info info;
        error unused;
        if (body_get(world, own[i], &info, &unused) == STATUS_OK) {
            c.at[c.count++] = info.position;
        }
    }
    return c;
}

// The square of the distance to the nearest own body.
static double distance_of(const centre *c, vec2d at)
{
    double nearest = (double)INFINITY;
    for (uint32_t i = 0; i < c->count; i++) {
        const double x = at.x - c->at[i].x, y = at.y - c->at[i].y;
        nearest = fmin(nearest, x * x + y * y);
    }
    return nearest;
}

// The first of the distances 1 m, 2 m, 4 m … that is not less than the distance of the body.
static uint32_t ring_of(const centre *c, vec2d at)
{
    const double nearest = distance_of(c, at);
    uint32_t ring = 0;
    for (double reach = 1.0; ring < BUDGET_RINGS && reach < nearest; reach *= 4.0) {
        ring++;
    }
    return ring;
}

// Leaves awake the islands of the client's own bodies, and those that reach into the first rings.
static uint32_t keep_rings(physics_world *world, const centre *c, uint32_t rings,
                           const body_id *own, uint32_t own_count, const body_placing *rows,
                           uint32_t count)
{
    ARRAY(body_id) keep = {0};
    for (uint32_t i = 0; i < own_count; i++) {
        array_push(&keep, own[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].awake && ring_of(c, rows[i].position) < rings) {
            array_push(&keep, rows[i].id);
        }
    }
    const uint32_t awake = world_rest_others(world, keep.data, keep.count);
    array_free(&keep);
    return awake;
}

// The largest distance, squared, within which at most `most` of the bodies lie; tried distances
// grow by a tenth each.
static double reach_for(const centre *c, double most, const body_placing *rows, uint32_t count)
{
    uint32_t within[BUDGET_REACHES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].awake) {
            const double steps = log(distance_of(c, rows[i].position)) * (0.5 / log(1.1));
            within[(uint32_t)fmin(fmax(steps + 1.0, 0.0), BUDGET_REACHES - 1)]++;
        }
    }
    uint32_t reach = 0;
    double sum = 0.0;
    while (reach < BUDGET_REACHES - 1 && sum + within[reach] <= most) {
        sum += within[reach++];
    }
    return reach == 0 ? 0.0 : pow(1.1, 2.0 * (reach - 1));
}

uint32_t budget_rest_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                         const body_placing *rows, uint32_t count)
{
    const centre c = centre_of(world, own, own_count);
    double in_ring[BUDGET_RINGS + 1] = {0.0};
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].awake) {
            in_ring[ring_of(&c, rows[i].position)] += 1.0;
        }
    }
    uint32_t rings = 0; // number of rings that fit
    for (double sum = 0.0; rings <= BUDGET_RINGS && sum + in_ring[rings] <= most; rings++) {
        sum += in_ring[rings];
    }
    uint32_t awake = keep_rings(world, &c, rings, own, own_count, rows, count);
    while (rings > 0 && (double)awake > most) { // an island reaches farther than its ring
        awake = keep_rings(world, &c, --rings, own, own_count, rows, count);
    }
    return awake;
}

uint32_t budget_stand_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                          const body_placing *rows, uint32_t count)
{
    const centre c = centre_of(world, own, own_count);
    ARRAY(body_id) keep = {0};
    const double reach = reach_for(&c, most - own_count, rows, count);
    for (uint32_t i = 0; i < own_count; i++) {
        array_push(&keep, own[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].awake && distance_of(&c, rows[i].position) < reach) {
            array_push(&keep, rows[i].id);
        }
    }
    const uint32_t awake = world_stand_others(world, keep.data, keep.count);
    array_free(&keep);
    return awake;
}
