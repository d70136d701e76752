// Scenes: worlds that golden hashes, property tests and benchmarks share, each written once.
//
// Most are the usual ones by which engines are compared, to the metre as they are defined there;
// `scale` makes them smaller. The others have what those lack: every kind of joint, bullets, bodies
// that come and go. The course of a scene (scene_step) follows from the world alone, so that a
// world that was saved and restored in the middle of a scene continues as the scene does. All
// numbers are made with + - * / only: a scene is the same on every machine.
#ifndef CAROM_TESTS_GOLDEN_SCENES_H
#define CAROM_TESTS_GOLDEN_SCENES_H

#include "common/physics/physics.h"

typedef struct scene_kind {
    const char *name;
    // Fills an empty world of the scene's own definition. `scale` is the scene's size in its own
    // unit, `origin` is added to every place.
    void (*build)(physics_world *world, int scale, vec2d origin);
    // Called before each step; NULL: nothing.
    void (*act)(physics_world *world, int scale, vec2d origin);
    vec2d gravity;
    bool sleep;
    int full_scale;   // scale for benchmarks
    int golden_scale; // scale for golden hashes; 0: the scene has none
    int steps;        // number of steps in benchmarks
} scene_kind;

// All of them; `count` of them.
const scene_kind *scene_kinds(int *count);
const scene_kind *scene_find(const char *name); // NULL: there is none of that name

// The caller's to free with world_free().
physics_world *scene_create(const scene_kind *kind, int scale, vec2d origin);
// Makes one step, preceded by the scene's changes.
void scene_step(const scene_kind *kind, physics_world *world, int scale, vec2d origin);

// ---- builders of scenes: each ends the process if the engine refuses

// Half sizes, about `center`, turned by `angle`.
shape_def scene_box(double half_width, double half_height);
shape_def scene_box_at(double half_width, double half_height, vec2 center, double angle);
shape_def scene_circle(double radius);
shape_def scene_capsule(double half_length, double radius); // lying
shape_def scene_polygon(const vec2 *points, int count);
body_id scene_put(physics_world *world, const body_def *def, const shape_def *shapes, int count);
// Makes a body of one shape, at origin + (x, y).
body_id scene_put_at(physics_world *world, body_type type, vec2d origin, double x, double y,
                     const shape_def *shape);

// A number in [-1, 1) that follows from `seed` and `index` alone.
double scene_noise(uint64_t seed, uint64_t index);

// ---- the scenes (scenes_peers.c, scenes_life.c)
#define SCENE_BUILDER(name) void name(physics_world *world, int scale, vec2d origin)
SCENE_BUILDER(build_pyramid);   // boxes in the bottom row
SCENE_BUILDER(build_heap);      // squared: boxes and circles
SCENE_BUILDER(build_drum);      // squared: boxes
SCENE_BUILDER(build_free);      // squared: circles
SCENE_BUILDER(build_rest);      // floors, each of as many boxes
SCENE_BUILDER(build_joints);    // squared: circles
SCENE_BUILDER(build_washer);    // squared: boxes
SCENE_BUILDER(build_spinner);   // bodies
SCENE_BUILDER(build_smash);     // columns; rows are two thirds of it
SCENE_BUILDER(build_compounds); // rows of 20 bodies
SCENE_BUILDER(build_ragdolls);  // dolls
SCENE_BUILDER(build_machines);  // `scale` copies of one joint of each kind
SCENE_BUILDER(build_bullets);   // walls of five boxes
SCENE_BUILDER(act_bullets);
SCENE_BUILDER(build_rain); // bodies at a time, at most
SCENE_BUILDER(act_rain);
SCENE_BUILDER(build_ledges); // bodies at a time, at most
SCENE_BUILDER(act_ledges);

#endif
