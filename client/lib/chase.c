// Draws a body ahead by its velocity; see chase.h. One thread at a time.
#include "client/lib/chase.h"

#include <math.h>

#define CORRECTION_S     0.1  // shortest time in which an offset is corrected
#define EXTRAPOLATION_S  0.75 // longest time over which a state is extrapolated
#define SNAP_HALF_LIFE_S 0.05 // half-life of the offset of a body that is snapped
#define SNAP_M           0.01 // smaller offsets are not watched
#define JUMP_M           2.5  // smallest offset that is corrected by a jump
#define JUMP_S           0.6  // a jump also needs an offset above this time at the body's speed
#define STILL            1e-4 // m and rad: too small to be seen
#define TURN             6.28318530717958647693

void chase_begin(chase *c, const carom_body *body)
{
    *c = (chase){.x = body->x, .y = body->y, .angle = body->angle};
}

static void watch(chase *c, double offset)
{
    c->watched_s = 0.0;
    c->watched = offset;
    c->snaps = false;
}

// The share of the offset that remains after a frame.
static double share_left(chase *c, double offset, double speed, const chase_frame *f)
{
    if (offset > fmax(JUMP_M, JUMP_S * speed)) {
        watch(c, 0.0);
        return 0.0;
    }
    const double correction = fmax(CORRECTION_S + f->dt, f->rtt);
    if (offset < SNAP_M) {
        watch(c, offset);
    }
    c->watched_s += f->dt;
    if (c->watched_s >= correction) {
        const bool snaps = offset > c->watched / 2.0 && c->watched > 0.0;
        watch(c, offset);
        c->snaps = snaps;
    }
    return (1.0 - f->dt / correction) * (c->snaps ? exp2(-f->dt / SNAP_HALF_LIFE_S) : 1.0);
}

void chase_advance(chase *c, const carom_body *b, const chase_frame *f)
{
    const double ahead =
        f->rest ? 0.0 : fmin(f->age, EXTRAPOLATION_S); // now, and at the last frame
    const double before = f->rest ? 0.0 : fmin(f->age - f->dt, EXTRAPOLATION_S);
    const double off_x = b->x + b->vx * before - c->x;
    const double off_y = b->y + b->vy * before - c->y;
    const double off_angle = remainder(b->angle + b->w * before - c->angle, TURN);
    const double left = share_left(c, hypot(off_x, off_y), hypot(b->vx, b->vy), f);
    c->x = b->x + b->vx * ahead - off_x * left;
    c->y = b->y + b->vy * ahead - off_y * left;
    c->angle = remainder(b->angle + b->w * ahead - off_angle * left, TURN);
    c->still = f->rest && fmax(fmax(fabs(off_x), fabs(off_y)), fabs(off_angle)) < STILL;
    if (c->still) {
        c->x = b->x;
        c->y = b->y;
        c->angle = b->angle;
    }
}
