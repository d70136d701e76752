// Bodies and shapes as a player's batch leaves them, for the bounds of players; see players.h. Only
// those that its commands name are kept. The world's thread.
#include <math.h>

#include "common/base/assert.h"
#include "common/world/players_internal.h"

void players_plan_deinit(players_plan *p)
{
    for (uint32_t i = 0; i < p->bodies.count; i++) {
        array_free(&p->bodies.data[i].shapes);
    }
    array_free(&p->bodies);
    array_free(&p->ids);
}

static plan_body *push(players_plan *p, const plan_body *body)
{
    array_push(&p->bodies, *body);
    array_push(&p->ids, body->id);
    return &p->bodies.data[p->bodies.count - 1];
}

plan_body *plan_body_of(players_plan *p, body_id id)
{
    for (uint32_t i = 0; i < p->ids.count; i++) {
        if (p->ids.data[i] == id) {
            return p->bodies.data[i].removed ? NULL : &p->bodies.data[i];
        }
    }
    body_info info;
    if (command_id_is_reference(id) || body_get(p->world, id, &info, NULL) != STATUS_OK) {
        return NULL;
    }
    const plan_body body = {.id = id,
                            .type = info.type,
                            .position = info.position,
                            .velocity = info.velocity,
                            .angle = info.angle,
                            .spin = info.angular_velocity,
                            .own_mass = info.own_mass,
                            .gravity_scale = info.gravity_scale,
                            .fixed_rotation = info.fixed_rotation,
                            .center = info.center,
                            .mass = info.mass,
                            .inertia = info.inertia};
    return push(p, &body);
}

plan_body *plan_body_with_shapes(players_plan *p, body_id id)
{
    plan_body *b = plan_body_of(p, id);
    if (b == NULL || b->loaded) {
        return b;
    }
    b->loaded = true;
    for (shape_id shape = 0; (shape = body_next_shape(p->world, b->id, shape)) != 0;) {
        shape_info info;
        if (shape_get(p->world, shape, &info, NULL) == STATUS_OK) {
            const plan_shape kept = {shape, info.def};
            array_push(&b->shapes, kept);
        }
    }
    return b;
}

plan_body *plan_body_add(players_plan *p, const body_def *def, const shape_def *shapes,
                         uint32_t count)
{
    plan_body body = {.id = COMMAND_REFERENCE | p->at,
                      .loaded = true,
                      .type = def->type,
                      .position = def->position,
                      .velocity = def->velocity,
                      .angle = def->angle,
                      .spin = def->angular_velocity,
                      .own_mass = def->mass,
                      .gravity_scale = def->gravity_scale,
                      .fixed_rotation = def->fixed_rotation};
    for (uint32_t i = 0; i < count; i++) {
        const plan_shape kept = {0, shapes[i]};
        array_push(&body.shapes, kept);
    }
    return push(p, &body);
}

// The body of a shape, or of a reference to one that the batch adds; 0 if there is none.
static body_id body_of_shape(const players_plan *p, shape_id id)
{
    if (!command_id_is_reference(id)) {
        shape_info info;
        return shape_get(p->world, id, &info, NULL) == STATUS_OK ? info.body : 0;
    }
    const uint32_t index = command_id_index(id);
    return p->batch != NULL && index < p->at && p->batch->commands[index].method == METHOD_SHAPE_ADD
               ? p->batch->commands[index].shape_add.body
               : 0;
}

plan_shape *plan_shape_of(players_plan *p, shape_id id, plan_body **body)
{
    const body_id owner = body_of_shape(p, id);
    *body = owner != 0 ? plan_body_with_shapes(p, owner) : NULL;
    for (uint32_t i = 0; *body != NULL && i < (*body)->shapes.count; i++) {
        if ((*body)->shapes.data[i].id == id) {
            return &(*body)->shapes.data[i];
        }
    }
    return NULL;
}

// ---- mass and extent, as the engine computes them (body_mass.c)

static bool has_mass(const shape_def *def)
{
    return def->form == FORM_CONVEX && !def->sensor;
}

plan_matter plan_matter_of(const plan_body *b)
{
    if (!b->loaded) {
        return (plan_matter){b->mass, b->inertia, b->center};
    }
    bool weighted = false;
    double scale = 0.0;
    vec2d center = {0.0, 0.0};
    for (uint32_t i = 0; i < b->shapes.count; i++) {
        const shape_def *def = &b->shapes.data[i].def;
        weighted = weighted || (has_mass(def) && def->density > 0.0);
    }
    for (uint32_t i = 0; i < b->shapes.count; i++) {
        const shape_def *def = &b->shapes.data[i].def;
        if (has_mass(def)) {
            const mass_properties m =
                shape_mass(&def->geometry, weighted ? (float)def->density : 1.0f);
            scale += (double)m.mass;
            center.x += (double)m.mass * (double)m.center.x;
            center.y += (double)m.mass * (double)m.center.y;
        }
    }
    center = scale > 0.0 ? (vec2d){center.x / scale, center.y / scale} : (vec2d){0.0, 0.0};
    double inertia = 0.0;
    for (uint32_t i = 0; i < b->shapes.count; i++) {
        const shape_def *def = &b->shapes.data[i].def;
        if (has_mass(def)) {
            const mass_properties m =
                shape_mass(&def->geometry, weighted ? (float)def->density : 1.0f);
            const double x = (double)m.center.x - center.x;
            const double y = (double)m.center.y - center.y;
            inertia += (double)m.inertia + (double)m.mass * (x * x + y * y);
        }
    }
    double mass = b->own_mass > 0.0 ? b->own_mass : weighted && scale > 0.0 ? scale : 1.0;
    mass = fmin(fmax(mass, PHYSICS_MASS_MIN), PHYSICS_MASS_MAX);
    double sine = 0.0;
    double cosine = 1.0;
    sin_cos(b->angle, &sine, &cosine);
    return (plan_matter){.mass = mass,
                         .inertia = scale > 0.0 ? inertia * (mass / scale) : 0.0,
                         .center = {b->position.x + cosine * center.x - sine * center.y,
                                    b->position.y + sine * center.x + cosine * center.y}};
}

aabb plan_shape_box(const shape_def *def, rot q)
{
    const transform turned = {{0.0f, 0.0f}, q};
    if (def->form == FORM_CONVEX) {
        return shape_aabb(&def->geometry, turned);
    }
    ASSERT(def->point_count > 0);
    const vec2 first = rot_vec(q, def->points[0]);
    aabb box = {first, first};
    for (int i = 1; i < def->point_count; i++) {
        const vec2 point = rot_vec(q, def->points[i]);
        box = aabb_union(box, (aabb){point, point});
    }
    return box;
}

bool plan_box_of(const plan_body *b, aabb *out)
{
    ASSERT(b->loaded);
    for (uint32_t i = 0; i < b->shapes.count; i++) {
        const aabb box = plan_shape_box(&b->shapes.data[i].def, TRANSFORM_IDENTITY.q);
        *out = i == 0 ? box : aabb_union(*out, box);
    }
    return b->shapes.count > 0;
}
