// Vectors, rotations, poses and boxes of the plane. Pure functions, no state; any thread.
//
// Two precisions meet here. A world position is a `vec2d` (double: it resolves 15 picometres at 100
// km from the origin); values relative to a body, or small ones, are a `vec2` (float: eight floats
// fit a vector register). The step works only with differences, computed in double and rounded
// once, so a world far from the origin behaves like one at the origin.
//
// Results have the same bits everywhere: only + - * / and sqrt, which IEEE 754 rounds exactly, are
// used; math.c has its own sine, cosine and arctangent, and no multiply-add is fused
// (-ffp-contract=off). Units: metres, radians, counter-clockwise positive.
#ifndef CAROM_COMMON_GEOMETRY_MATH_H
#define CAROM_COMMON_GEOMETRY_MATH_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// 16 is fine too: the compiler supports 16-bit floats
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "floats are computed in more bits than they have; for x86 of 32 bits: -msse2 -mfpmath=sse"
#endif

#define PI_D 3.14159265358979323846

typedef struct vec2 {
    float x, y;
} vec2;

typedef struct vec2d {
    double x, y;
} vec2d;

// A rotation as the cosine and sine of its angle; c² + s² = 1 to rounding.
typedef struct rot {
    float c, s;
} rot;

// A frame relative to another: rotates by q, then translates by p.
typedef struct transform {
    vec2 p;
    rot q;
} transform;

// A frame in the world.
typedef struct pose {
    vec2d p;
    rot q;
} pose;

// An axis-aligned box, lower <= upper in each coordinate. World boxes are rounded outward, so a box
// of floats always encloses its contents.
typedef struct aabb {
    vec2 lower, upper;
} aabb;

static inline vec2 vec2_add(vec2 a, vec2 b)
{
    return (vec2){a.x + b.x, a.y + b.y};
}
static inline vec2 vec2_sub(vec2 a, vec2 b)
{
    return (vec2){a.x - b.x, a.y - b.y};
}
static inline vec2 vec2_neg(vec2 a)
{
    return (vec2){-a.x, -a.y};
}
static inline vec2 vec2_scale(float s, vec2 a)
{
    return (vec2){s * a.x, s * a.y};
}
// a + s b
static inline vec2 vec2_mul_add(vec2 a, float s, vec2 b)
{
    return (vec2){a.x + s * b.x, a.y + s * b.y};
}
// a - s b
static inline vec2 vec2_mul_sub(vec2 a, float s, vec2 b)
{
    return (vec2){a.x - s * b.x, a.y - s * b.y};
}
static inline float vec2_dot(vec2 a, vec2 b)
{
    return a.x * b.x + a.y * b.y;
}
// The z component of the cross product: positive when b is counter-clockwise of a.
static inline float vec2_cross(vec2 a, vec2 b)
{
    return a.x * b.y - a.y * b.x;
}
// w × a: the velocity of the point a that turns with angular velocity w about the origin.
static inline vec2 vec2_cross_sv(float w, vec2 a)
{
    return (vec2){-w * a.y, w * a.x};
}
static inline float vec2_length_squared(vec2 a)
{
    return a.x * a.x + a.y * a.y;
}
static inline float vec2_length(vec2 a)
{
    return sqrtf(vec2_length_squared(a));
}
static inline float vec2_distance(vec2 a, vec2 b)
{
    return vec2_length(vec2_sub(b, a));
}
// a turned a quarter counter-clockwise.
static inline vec2 vec2_left(vec2 a)
{
    return (vec2){-a.y, a.x};
}
// a turned a quarter clockwise: the outward normal of an edge a of a counter-clockwise polygon.
static inline vec2 vec2_right(vec2 a)
{
    return (vec2){a.y, -a.x};
}
static inline vec2 vec2_lerp(vec2 a, vec2 b, float t)
{
    return (vec2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}
static inline vec2 vec2_min(vec2 a, vec2 b)
{
    return (vec2){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y};
}
static inline vec2 vec2_max(vec2 a, vec2 b)
{
    return (vec2){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y};
}
static inline bool vec2_is_finite(vec2 a)
{
    return isfinite(a.x) && isfinite(a.y);
}
// The unit vector along a, and its length; {0, 0} and 0 if a is too short to have a direction.
static inline vec2 vec2_normalize(vec2 a, float *length)
{
    float l = vec2_length(a);
    *length = l;
    if (l < 1e-18f) {
        *length = 0.0f;
        return (vec2){0.0f, 0.0f};
    }
    float inverse = 1.0f / l;
    return (vec2){inverse * a.x, inverse * a.y};
}
static inline float float_min(float a, float b)
{
    return a < b ? a : b;
}
static inline float float_max(float a, float b)
{
    return a > b ? a : b;
}
static inline float float_clamp(float a, float lower, float upper)
{
    return a < lower ? lower : a > upper ? upper : a;
}
static inline float float_abs(float a)
{
    return a < 0.0f ? -a : a;
}

static inline vec2d vec2d_from(vec2 a)
{
    return (vec2d){(double)a.x, (double)a.y};
}
static inline vec2d vec2d_add(vec2d a, vec2d b)
{
    return (vec2d){a.x + b.x, a.y + b.y};
}
static inline vec2d vec2d_sub(vec2d a, vec2d b)
{
    return (vec2d){a.x - b.x, a.y - b.y};
}
// A world position moved by a small vector.
static inline vec2d vec2d_offset(vec2d a, vec2 b)
{
    return (vec2d){a.x + (double)b.x, a.y + (double)b.y};
}
// b - a of two positions, rounded to float once: the only way in which a position enters the step.
static inline vec2 vec2d_relative(vec2d a, vec2d b)
{
    return (vec2){(float)(b.x - a.x), (float)(b.y - a.y)};
}
static inline bool vec2d_is_finite(vec2d a)
{
    return isfinite(a.x) && isfinite(a.y);
}

static const rot ROT_IDENTITY = {1.0f, 0.0f};
static const transform TRANSFORM_IDENTITY = {{0.0f, 0.0f}, {1.0f, 0.0f}};

// Sine and cosine of `angle`, |angle| <= 2^40 rad, to within 1e-13; 0 and 1 for a larger one. Cody
// and Waite's range reduction to ±pi/4, then minimax polynomials.
void sin_cos(double angle, double *sine, double *cosine);

// The angle of (x, y) in [-pi, pi], to within 1e-13; 0 for (0, 0).
double arc_tangent(double y, double x);

// The rotation by `angle`.
rot rot_from_angle(double angle);

// The angle of q in [-pi, pi].
double rot_angle(rot q);

// Renormalises q so that c² + s² = 1 to rounding; returns the identity if both are zero.
static inline rot rot_normalize(rot q)
{
    float magnitude = sqrtf(q.c * q.c + q.s * q.s);
    if (!(magnitude > 0.0f)) {
        return ROT_IDENTITY;
    }
    float inverse = 1.0f / magnitude;
    return (rot){q.c * inverse, q.s * inverse};
}
// The rotation b followed by a.
static inline rot rot_mul(rot a, rot b)
{
    return (rot){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}
// The rotation b relative to a: a⁻¹ b.
static inline rot rot_inv_mul(rot a, rot b)
{
    return (rot){a.c * b.c + a.s * b.s, a.c * b.s - a.s * b.c};
}
static inline vec2 rot_vec(rot q, vec2 v)
{
    return (vec2){q.c * v.x - q.s * v.y, q.s * v.x + q.c * v.y};
}
static inline vec2 rot_inv_vec(rot q, vec2 v)
{
    return (vec2){q.c * v.x + q.s * v.y, q.c * v.y - q.s * v.x};
}

static inline vec2 transform_point(transform t, vec2 v)
{
    return vec2_add(rot_vec(t.q, v), t.p);
}
static inline vec2 transform_inv_point(transform t, vec2 v)
{
    return rot_inv_vec(t.q, vec2_sub(v, t.p));
}
// The transform b followed by a.
static inline transform transform_mul(transform a, transform b)
{
    return (transform){vec2_add(rot_vec(a.q, b.p), a.p), rot_mul(a.q, b.q)};
}
// The frame b relative to a.
static inline transform transform_inv_mul(transform a, transform b)
{
    return (transform){rot_inv_vec(a.q, vec2_sub(b.p, a.p)), rot_inv_mul(a.q, b.q)};
}

static inline vec2d pose_point(pose frame, vec2 v)
{
    return vec2d_offset(frame.p, rot_vec(frame.q, v));
}
static inline vec2 pose_inv_point(pose frame, vec2d place)
{
    return rot_inv_vec(frame.q, vec2d_relative(frame.p, place));
}
// The frame b relative to a; the positions are subtracted in double.
static inline transform pose_relative(pose a, pose b)
{
    return (transform){rot_inv_vec(a.q, vec2d_relative(a.p, b.p)), rot_inv_mul(a.q, b.q)};
}

static inline bool aabb_overlaps(aabb a, aabb b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y;
}
static inline bool aabb_contains(aabb outer, aabb inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y;
}
static inline aabb aabb_union(aabb a, aabb b)
{
    return (aabb){vec2_min(a.lower, b.lower), vec2_max(a.upper, b.upper)};
}
static inline float aabb_perimeter(aabb a)
{
    return 2.0f * (a.upper.x - a.lower.x + a.upper.y - a.lower.y);
}
static inline aabb aabb_expand(aabb a, float margin)
{
    return (aabb){{a.lower.x - margin, a.lower.y - margin},
                  {a.upper.x + margin, a.upper.y + margin}};
}
// The float `steps` (0, 1 or -1) above `a`; the two zeros count separately. As integers floats are
// ordered, except that negative ones run backward.
static inline float float_step(float a, int32_t steps)
{
    int32_t bits;
    memcpy(&bits, &a, sizeof bits);
    int32_t order = bits ^ ((bits >> 31) & INT32_MAX);
    order += steps;
    bits = order ^ ((order >> 31) & INT32_MAX);
    memcpy(&a, &bits, sizeof a);
    return a;
}
// The nearest float not above (not below) a double, for boxes that must enclose. They have no
// branch, since no processor predicts the direction of a rounding. (Values below 0 never round to a
// float above -0, so the two zeros do no harm.)
static inline float float_round_down(double a)
{
    float f = (float)a;
    return float_step(f, -(int32_t)((double)f > a));
}
static inline float float_round_up(double a)
{
    float f = (float)a;
    return float_step(f, (int32_t)((double)f < a));
}
// The box from lower to upper, moved by `origin` and rounded outward.
static inline aabb aabb_at(vec2d origin, aabb local)
{
    return (aabb){{float_round_down(origin.x + (double)local.lower.x),
                   float_round_down(origin.y + (double)local.lower.y)},
                  {float_round_up(origin.x + (double)local.upper.x),
                   float_round_up(origin.y + (double)local.upper.y)}};
}

#endif
