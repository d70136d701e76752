// Time of impact: the first moment at which two moving and turning shapes come close. Any thread.
//
// Conservative advancement with a bound of second order. Along a fixed normal, in the time dt from
// now a corner covers at least s + s' dt - K dt²/2, where K is the largest acceleration that its
// rotation can cause. The minimum over B's corners and over A's is concave in dt and bounds the gap
// from below. Chords of it therefore give times that are never too late, and a bound that is still
// above the target at the end proves that the shapes do not touch before, however fast they spin.
// Near the contact the bound is exact to second order, so a few normals suffice.
#include "common/geometry/distance.h"

#include "common/base/assert.h"
#include "common/geometry/gjk.h"

#define IMPACT_ITERATIONS_MAX 256
#define CHORDS_MAX            8

// The accepted deviation from the gap of LINEAR_SLOP between the surfaces [m].
#define IMPACT_TOLERANCE (0.125 * (double)LINEAR_SLOP)

typedef struct course {
    vec2d local_center;
    vec2d start, way;                    // start and path of the centre of mass
    double q_cosine, q_sine;             // rotation at the beginning
    double turn;                         // total rotation [rad]
    vec2d corners[POLYGON_VERTICES_MAX]; // relative to the centre, unrotated
    double reach;                        // distance of the farthest corner
    int count;
} course;

// The angle from q1 to q2, the short way round.
static double sweep_turn(const sweep *s)
{
    double c = (double)s->q1.c * (double)s->q2.c + (double)s->q1.s * (double)s->q2.s;
    double sine = (double)s->q1.c * (double)s->q2.s - (double)s->q1.s * (double)s->q2.c;
    return arc_tangent(sine, c);
}

transform sweep_at(const sweep *motion, float t)
{
    rot q = motion->q1;
    double turn = sweep_turn(motion);
    if (turn != 0.0) {
        q = rot_normalize(rot_mul(q, rot_from_angle((double)t * turn)));
    }
    vec2 center = vec2_lerp(motion->c1, motion->c2, t);
    return (transform){vec2_sub(center, rot_vec(q, motion->local_center)), q};
}

static course course_make(const proxy *p, const sweep *s)
{
    ASSERT(p->count >= 1 && p->count <= POLYGON_VERTICES_MAX);
    course m = {
        .local_center = vec2d_from(s->local_center),
        .start = vec2d_from(s->c1),
        .way = vec2d_sub(vec2d_from(s->c2), vec2d_from(s->c1)),
        .q_cosine = (double)s->q1.c,
        .q_sine = (double)s->q1.s,
        .turn = sweep_turn(s),
        .count = p->count,
    };
    for (int i = 0; i < p->count; i++) {
        m.corners[i] = vec2d_sub(vec2d_from(p->points[i]), m.local_center);
        double l = vec2d_length(m.corners[i]);
        m.reach = l > m.reach ? l : m.reach;
    }
    return m;
}

// Computes the corners at time t, relative to the centre and in place.
static void course_place(const course *m, double t, vec2d *arms, gjk_core *core)
{
    double sine;
    double cosine;
    sin_cos(t * m->turn, &sine, &cosine);
    double c = m->q_cosine * cosine - m->q_sine * sine;
    double s = m->q_sine * cosine + m->q_cosine * sine;
    vec2d center = vec2d_mul_add(m->start, t, m->way);
    core->count = m->count;
    for (int i = 0; i < m->count; i++) {
        vec2d p = m->corners[i];
        arms[i] = (vec2d){c * p.x - s * p.y, s * p.x + c * p.y};
        core->points[i] = vec2d_add(center, arms[i]);
    }
}

// One shape's side of the bound: how far and how fast each of its corners goes along the normal.
typedef struct bound_side {
    double place[POLYGON_VERTICES_MAX];
    double speed[POLYGON_VERTICES_MAX];
    double bend; // K/2
    int count;
} bound_side;

static void bound_side_make(bound_side *side, const course *m, const vec2d *arms,
                            const gjk_core *core, vec2d normal)
{
    ASSERT_SLOW(m->count >= 1);
    side->count = m->count;
    side->bend = 0.5 * m->turn * m->turn * m->reach;
    double way = vec2d_dot(m->way, normal);
    for (int i = 0; i < side->count; i++) {
        side->place[i] = vec2d_dot(core->points[i], normal);
        side->speed[i] = way + m->turn * vec2d_cross(arms[i], normal);
    }
}

static double bound_side_at(const bound_side *side, double dt)
{
    double least = side->place[0] + side->speed[0] * dt;
    for (int i = 1; i < side->count; i++) {
        double at = side->place[i] + side->speed[i] * dt;
        least = at < least ? at : least;
    }
    return least - side->bend * dt * dt;
}

// A lower bound of the gap between the cores after dt.
static double bound_at(const bound_side *b, const bound_side *minus_a, double dt)
{
    return bound_side_at(b, dt) + bound_side_at(minus_a, dt);
}

// The longest time up to `span` for which chords show that the bound stays at or above `target`;
// `span` if it does so throughout.
static double bound_safe_time(const bound_side *b, const bound_side *minus_a, double span,
                              double target)
{
    double late_gap = bound_at(b, minus_a, span);
    if (late_gap >= target) {
        return span;
    }
    double late = span;
    double safe = 0.0;
    double safe_gap = bound_at(b, minus_a, 0.0);
    for (int i = 0; i < CHORDS_MAX && safe_gap > target; i++) {
        double chord = safe + (late - safe) * (safe_gap - target) / (safe_gap - late_gap);
        if (!(chord > safe)) {
            break;
        }
        safe = chord;
        safe_gap = bound_at(b, minus_a, safe);
        // The far end moves in too, so that a strongly bent bound does not slow the chords down.
        double middle = 0.5 * (safe + late);
        double middle_gap = bound_at(b, minus_a, middle);
        if (middle_gap < target) {
            late = middle;
            late_gap = middle_gap;
        } else {
            safe = middle;
            safe_gap = middle_gap;
        }
    }
    return safe;
}

impact_result impact_time(const proxy *a, const sweep *motion_a, const proxy *b,
                          const sweep *motion_b, float t_max)
{
    course ma = course_make(a, motion_a);
    course mb = course_make(b, motion_b);
    double radii = (double)a->radius + (double)b->radius;
    double target = radii + (double)LINEAR_SLOP;
    double end = (double)t_max;
    double t = 0.0;
    distance_cache cache = {.count = 0};
    for (int i = 0; i < IMPACT_ITERATIONS_MAX; i++) {
        vec2d arms_a[POLYGON_VERTICES_MAX];
        vec2d arms_b[POLYGON_VERTICES_MAX];
        gjk_core core_a;
        gjk_core core_b;
        course_place(&ma, t, arms_a, &core_a);
        course_place(&mb, t, arms_b, &core_b);
        gjk_result g = gjk_distance(&core_a, &core_b, &cache);
        if (i == 0 && (g.overlap || g.distance <= radii)) {
            return (impact_result){IMPACT_OVERLAPPED, 0.0f};
        }
        if (g.distance <= target + IMPACT_TOLERANCE) {
            return (impact_result){IMPACT_HIT, (float)t};
        }
        bound_side side_b;
        bound_side side_a;
        bound_side_make(&side_b, &mb, arms_b, &core_b, g.normal);
        bound_side_make(&side_a, &ma, arms_a, &core_a, vec2d_scale(-1.0, g.normal));
        double span = end - t;
        double dt = bound_safe_time(&side_b, &side_a, span, target);
        if (dt >= span) {
            return (impact_result){IMPACT_NONE, t_max};
        }
        t += dt;
    }
    return (impact_result){IMPACT_FAILED, (float)t};
}
