// Plane vectors in lanes. Only for files that are compiled once per variant.
#ifndef CAROM_COMMON_PHYSICS_LANES_VECTOR_LANES_H
#define CAROM_COMMON_PHYSICS_LANES_VECTOR_LANES_H

#include "common/physics/lanes/lanes_kernel.h"

typedef struct vector_lanes {
    lanes x, y;
} vector_lanes;

INLINE vector_lanes rotate(vector_lanes v, lanes c, lanes s)
{
    return (vector_lanes){c * v.x - s * v.y, s * v.x + c * v.y};
}

INLINE vector_lanes rotate_back(vector_lanes v, lanes c, lanes s)
{
    return (vector_lanes){c * v.x + s * v.y, c * v.y - s * v.x};
}

// Rotates by a small angle [rad]; the relative error of the length is at most an eighth of the
// angle's fourth power.
INLINE vector_lanes rotate_slightly(vector_lanes v, lanes angle)
{
    return rotate(v, splat(1.0f) - splat(0.5f) * angle * angle, angle);
}

INLINE lanes dot(vector_lanes a, vector_lanes b)
{
    return a.x * b.x + a.y * b.y;
}

INLINE lanes cross(vector_lanes a, vector_lanes b)
{
    return a.x * b.y - a.y * b.x;
}

#endif
