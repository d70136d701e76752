// A scene as plain data that any engine can be built from.
//
// The scenes themselves are written once, in tests/golden: a world is made there and read back here
// through the engine's public interface, so the peers get exactly carom's values, and no second
// description can differ from the first. C and C++ include this header, so it uses only numbers.
#ifndef CAROM_TESTS_BENCH_SCENE_DATA_H
#define CAROM_TESTS_BENCH_SCENE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_point {
    double x, y;
} scene_point;

typedef enum scene_form {
    SCENE_CIRCLE,  // one point and a radius
    SCENE_CAPSULE, // two points and a radius
    SCENE_POLYGON, // convex, counter-clockwise, 3 to 8 points, rounded by the radius
    SCENE_LOOP     // a closed chain that collides from the right side of its edges
} scene_form;

typedef struct scene_shape {
    scene_form form;
    uint32_t first_point, point_count; // in scene_data.points, in the frame of the body [m]
    double radius;
    double density, friction, restitution;
    int32_t group; // negative and equal: never collide; 0: none
} scene_shape;

typedef enum scene_motion { SCENE_STATIC, SCENE_KINEMATIC, SCENE_DYNAMIC } scene_motion;

typedef struct scene_body {
    scene_motion motion;
    scene_point position, velocity;
    double angle, spin;
    bool awake;
    uint32_t first_shape, shape_count;
} scene_body;

typedef struct scene_hinge { // a revolute joint; the two do not collide with each other
    uint32_t a, b;           // bodies
    scene_point anchor;      // in the world
    bool motor;
    double speed, torque; // motor speed of b relative to a [rad/s], and greatest torque [N m]
} scene_hinge;

// The box that encloses every body that is still in the scene's container.
typedef struct scene_bounds {
    scene_point lower, upper;
} scene_bounds;

typedef struct scene_data {
    const char *name;
    int scale; // scale, as in tests/golden/scenes.h
    scene_point gravity;
    bool sleep;
    int settle; // steps before the first measured one
    int steps;
    bool still; // nothing should move: the bodies' drift is meaningful
    scene_bounds bounds;
    uint32_t body_count, shape_count, hinge_count, point_count;
    scene_body *bodies;
    scene_shape *shapes;
    scene_hinge *hinges;
    scene_point *points;
} scene_data;

// The names of all scenes that engines are compared by.
const char *const *scene_data_names(int *count);
// Makes a scene; `fraction` in (0, 1] reduces its scale. NULL: there is no scene of that name. Free
// with scene_data_free().
scene_data *scene_data_create(const char *name, double fraction);
// Reads the bodies, shapes and joints of a world from which nothing was removed; other members stay
// zero.
struct physics_world;
scene_data *scene_data_read(const struct physics_world *world);
void scene_data_free(scene_data *scene);

#ifdef __cplusplus
}
#endif
#endif
