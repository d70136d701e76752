// Shared by the files that check the bounds of players; internal to common/world.
#ifndef CAROM_COMMON_WORLD_PLAYERS_INTERNAL_H
#define CAROM_COMMON_WORLD_PLAYERS_INTERNAL_H

#include "common/world/players.h"

// ---- sums of a tick (player_pushes.c)

uint64_t player_pushes_subject(const char *subject); // hash
player_push player_pushes_find(const player_pushes *p, body_id body, uint64_t subject);

// ---- the world as a batch leaves it (players_plan.c)

typedef struct plan_shape {
    shape_id id; // a shape of the world, or a reference; 0: a shape of a spawn
    shape_def def;
} plan_shape;

typedef struct plan_body {
    body_id id; // a body of the world, or a reference
    bool removed;
    bool loaded; // `shapes` has its shapes; else `center`, `mass` and `inertia` are the world's
    body_type type;
    vec2d position, velocity;
    double angle, spin;
    double own_mass, gravity_scale;
    bool fixed_rotation;
    vec2d center; // in the world
    double mass, inertia;
    uint32_t push; // place of its sum in `pending`, plus 1; 0: it has none
    ARRAY(plan_shape) shapes;
} plan_body;

typedef struct players_plan {
    const players_bounds *bounds;
    player_pushes *pushes;
    const owners *owners;
    const physics_world *world;
    const actor *who;
    const apply_args *batch; // NULL outside a batch
    uint32_t at;             // index of the command in the batch
    uint64_t subject;        // hash
    int64_t more_bodies;     // added to the sender's count by the earlier commands
    ARRAY(plan_body) bodies;
    ARRAY(body_id) ids; // the ids of `bodies`, close together for the search
    error *err;
} players_plan;

void players_plan_deinit(players_plan *p);

// The body as the earlier commands leave it; NULL if there is none. Valid until another is asked
// for.
plan_body *plan_body_of(players_plan *p, body_id id);
// The same with its shapes.
plan_body *plan_body_with_shapes(players_plan *p, body_id id);
// The shape with its body; NULL if there is none.
plan_shape *plan_shape_of(players_plan *p, shape_id id, plan_body **body);
// A new body of the batch; `def` is copied, the shapes' points are not.
plan_body *plan_body_add(players_plan *p, const body_def *def, const shape_def *shapes,
                         uint32_t count);

typedef struct plan_matter {
    double mass, inertia; // as if it were dynamic
    vec2d center;         // in the world
} plan_matter;

plan_matter plan_matter_of(const plan_body *b);
// The box around a loaded body's shapes in its frame; false without shapes.
bool plan_box_of(const plan_body *b, aabb *out);
// The box of a shape in a frame that is turned by q.
aabb plan_shape_box(const shape_def *def, rot q);

// ---- the checks

// Whether a bound applies to one of the fields.
bool players_bounded(const players_plan *p, uint32_t fields);
// Whether the value, or its size, is over the bound, but for the rounding of floats.
bool players_over(double value, double bound);
status players_refuse(const players_plan *p, const char *place, double value, double bound,
                      const char *unit, const char *name);

// joint.create and joint.set (players_joints.c)
status players_joint_create(players_plan *p, const command *c);
status players_joint_set(players_plan *p, const command *c);

#endif
