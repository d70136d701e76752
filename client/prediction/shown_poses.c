// Poses to draw; see shown_poses.h. The prediction's thread.
#include "client/prediction/shown_poses.h"

#include <math.h>

#include "common/geometry/math.h"

static uint32_t slot_of(body_id id)
{
    return (uint32_t)(id & 0xffffff);
}

void shown_poses_deinit(shown_poses *s)
{
    array_free(&s->bodies);
    array_free(&s->rows);
    array_free(&s->past);
}

void shown_poses_clear(shown_poses *s)
{
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        s->bodies.data[i] = (shown_body){0};
    }
    for (uint32_t i = 0; i < s->past.count; i++) {
        const body_id id = s->past.data[i].id;
        s->past.data[i] = (shown_past){.id = id};
    }
}

// The shorter of the two rotations.
static double turn(double from, double to)
{
    const double turns = (to - from) / (2.0 * PI_D);
    return (to - from) - 2.0 * PI_D * floor(turns + 0.5);
}

static shown_pose between(shown_pose a, shown_pose b, double part)
{
    return (shown_pose){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y),
                        a.angle + part * turn(a.angle, b.angle)};
}

static shown_pose plus(shown_pose a, shown_pose b)
{
    return (shown_pose){a.x + b.x, a.y + b.y, a.angle + b.angle};
}

// ---- ticks

static shown_body *body_at(shown_poses *s, body_id id)
{
    const uint32_t slot = slot_of(id);
    array_reserve(&s->bodies, slot + 1);
    s->bodies.count = s->bodies.count <= slot ? slot + 1 : s->bodies.count;
    return &s->bodies.data[slot];
}

static uint32_t take_rows(shown_poses *s, const physics_world *world)
{
    const uint32_t count = world_count(world).bodies;
    array_reserve(&s->rows, count + 1);
    s->rows.count = world_poses(world, s->rows.data, count);
    return s->rows.count;
}

void shown_poses_carry(shown_poses *s, const body_placing *rows, uint32_t count,
                       const physics_world *world)
{
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        s->bodies.data[i].approximate = false;
    }
    if (rows == NULL) {
        return;
    }
    (void)take_rows(s, world);
    for (uint32_t i = 0; i < count; i++) {
        shown_body *b = body_at(s, rows[i].id);
        if (!rows[i].awake || s->rows.data[i].awake || b->id != rows[i].id) {
            continue;
        }
        b->approximate = true;
        b->base = (shown_pose){rows[i].position.x, rows[i].position.y, rows[i].angle};
        b->base_vx = (double)rows[i].velocity.x;
        b->base_vy = (double)rows[i].velocity.y;
        b->base_w = (double)rows[i].angular_velocity;
    }
}

static shown_pose carried(shown_pose from, double vx, double vy, double w, double seconds)
{
    return (shown_pose){from.x + seconds * vx, from.y + seconds * vy, from.angle + seconds * w};
}

void shown_poses_take(shown_poses *s, const physics_world *world, double since)
{
    const uint32_t count = take_rows(s, world);
    for (uint32_t i = 0; i < count; i++) {
        const body_placing *row = &s->rows.data[i];
        shown_pose place = {row->position.x, row->position.y, row->angle};
        shown_body *b = body_at(s, row->id);
        if (b->id == row->id && b->approximate && !row->awake) {
            place = carried(b->base, b->base_vx, b->base_vy, b->base_w, since);
        }
        if (b->id != row->id) { // another body is in this slot now
            *b = (shown_body){.id = row->id, .now = place};
        }
        b->before = b->now;
        b->now = place;
        b->vx = (double)row->velocity.x;
        b->vy = (double)row->velocity.y;
        b->w = (double)row->angular_velocity;
        b->awake = row->awake;
    }
}

// ---- corrections

void shown_poses_keep(shown_poses *s, double part)
{
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        shown_body *b = &s->bodies.data[i];
        b->keeps = b->id != 0;
        b->kept = plus(between(b->before, b->now, part), b->error);
        b->was = b->now;
    }
}

static bool is_own(const body_id *own, uint32_t count, body_id id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (own[i] == id) {
            return true;
        }
    }
    return false;
}

shown_correction shown_poses_correct(shown_poses *s, double part, double ahead, const body_id *own,
                                     uint32_t own_count)
{
    shown_correction most = {0.0, 0.0};
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        shown_body *b = &s->bodies.data[i];
        if (!b->keeps) {
            continue; // the body is newer
        }
        b->keeps = false;
        const shown_pose now = carried(between(b->before, b->now, part), b->vx, b->vy, b->w, ahead);
        const shown_pose wrong = {b->kept.x - now.x, b->kept.y - now.y,
                                  turn(now.angle, b->kept.angle)};
        const double jump = fmax(SHOWN_JUMP_M, SHOWN_JUMP_S * hypot(b->vx, b->vy));
        b->error = hypot(wrong.x, wrong.y) <= jump ? wrong : (shown_pose){0.0, 0.0, 0.0};
        const double moved = hypot(b->now.x - b->was.x, b->now.y - b->was.y);
        double *largest = moved > 0.0 && is_own(own, own_count, b->id) ? &most.own : &most.others;
        *largest = fmax(*largest, moved);
    }
    return most;
}

void shown_poses_fade(shown_poses *s, double seconds, double half_life)
{
    const double left = half_life > 0.0 ? exp2(-fmax(seconds, 0.0) / half_life) : 0.0;
    for (uint32_t i = 0; i < s->bodies.count; i++) {
        shown_pose *e = &s->bodies.data[i].error;
        e->x *= left;
        e->y *= left;
        e->angle *= left;
    }
}

// ---- bodies of the past

status shown_poses_set_past(shown_poses *s, body_id body, bool past, error *err)
{
    uint32_t at = 0;
    while (at < s->past.count && s->past.data[at].id != body) {
        at++;
    }
    const bool there = at < s->past.count;
    if (there && !past) {
        array_swap_remove(&s->past, at);
    } else if (!there && past && s->past.count >= PREDICTION_PAST_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "predict: at most %d bodies stay in the past",
                         PREDICTION_PAST_MAX);
    } else if (!there && past) {
        const shown_past made = {.id = body};
        array_push(&s->past, made);
    }
    return STATUS_OK;
}

void shown_poses_note_past(shown_poses *s, const physics_world *confirmed)
{
    const uint64_t tick = world_tick(confirmed);
    for (uint32_t i = 0; i < s->past.count; i++) {
        body_info info;
        error unused;
        shown_past *p = &s->past.data[i];
        if (body_get(confirmed, p->id, &info, &unused) == STATUS_OK) {
            const uint32_t at = (uint32_t)(tick % SHOWN_PAST_TICKS);
            p->tick[at] = tick;
            p->at[at] = (shown_pose){info.position.x, info.position.y, info.angle};
        }
    }
}

// The kept pose of the latest tick up to `seen`; of the earliest tick if all are later.
static int nearest(const shown_past *p, double seen)
{
    int best = -1;
    for (int i = 0; i < SHOWN_PAST_TICKS; i++) {
        if (p->tick[i] == 0) {
            continue;
        }
        const bool fits = (double)p->tick[i] <= seen;
        const bool best_fits = best >= 0 && (double)p->tick[best] <= seen;
        if (best < 0 || (fits && (!best_fits || p->tick[i] > p->tick[best])) ||
            (!fits && !best_fits && p->tick[i] < p->tick[best])) {
            best = i;
        }
    }
    return best;
}

static bool past_pose(const shown_poses *s, body_id body, double seen, shown_pose *out)
{
    for (uint32_t i = 0; i < s->past.count; i++) {
        const shown_past *p = &s->past.data[i];
        const int at = p->id == body ? nearest(p, seen) : -1;
        if (at < 0) {
            continue;
        }
        const int next = (at + 1) % SHOWN_PAST_TICKS;
        const double part = fmin(fmax(seen - (double)p->tick[at], 0.0), 1.0);
        *out = p->tick[next] == p->tick[at] + 1 ? between(p->at[at], p->at[next], part) : p->at[at];
        return true;
    }
    return false;
}

uint32_t shown_poses_read(const shown_poses *s, double part, double seen, double ahead,
                          prediction_pose *out, uint32_t max)
{
    for (uint32_t i = 0; i < s->rows.count && i < max; i++) {
        const shown_body *b = &s->bodies.data[slot_of(s->rows.data[i].id)];
        shown_pose place = plus(between(b->before, b->now, part), b->error);
        place = carried(place, b->vx, b->vy, b->w, ahead);
        (void)(s->past.count > 0 && past_pose(s, b->id, seen, &place));
        out[i] = (prediction_pose){.id = b->id,
                                   .x = place.x,
                                   .y = place.y,
                                   .angle = place.angle,
                                   .vx = b->vx,
                                   .vy = b->vy,
                                   .w = b->w,
                                   .awake = b->awake,
                                   .approximate = b->approximate || (ahead > 0.0 && b->awake)};
    }
    return s->rows.count;
}
