// Chipmunk 7 behind the bench's interface. Chipmunk uses the product of two frictions, other
// engines the root of the product: so shapes here get the root of their friction.
#include "tests/bench/physics/engine.h"

#include "common/base/array.h"

#include <chipmunk/chipmunk.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const cpFloat SLEEP_AFTER = 0.5; // seconds at rest: the default of the other engines

typedef struct chipmunk_world {
    cpSpace *space;
    ARRAY(cpBody *) bodies;
    ARRAY(cpShape *) shapes;
    ARRAY(cpConstraint *) constraints;
} chipmunk_world;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "Chipmunk %s", cpVersionString);
}

static cpVect vec(scene_point p)
{
    return cpv((cpFloat)p.x, (cpFloat)p.y);
}

static void add_shape(chipmunk_world *self, cpShape *shape, const scene_shape *data)
{
    cpShapeSetFriction(shape, sqrt(data->friction));
    cpShapeSetElasticity(shape, sqrt(data->restitution));
    if (cpBodyGetType(cpShapeGetBody(shape)) == CP_BODY_TYPE_DYNAMIC) {
        cpShapeSetDensity(shape, data->density);
    }
    if (data->group != 0) {
        cpShapeSetFilter(
            shape, cpShapeFilterNew((cpGroup)-data->group, CP_ALL_CATEGORIES, CP_ALL_CATEGORIES));
    }
    cpSpaceAddShape(self->space, shape);
    array_push(&self->shapes, shape);
}

static void add_loop(chipmunk_world *self, cpBody *body, const scene_shape *data,
                     const scene_point *points)
{
    uint32_t n = data->point_count;
    for (uint32_t i = 0; i < n; i++) {
        cpShape *piece = cpSegmentShapeNew(body, vec(points[i]), vec(points[(i + 1) % n]), 0.0);
        cpSegmentShapeSetNeighbors(piece, vec(points[(i + n - 1) % n]), vec(points[(i + 2) % n]));
        add_shape(self, piece, data);
    }
}

static void add_form(chipmunk_world *self, cpBody *body, const scene_data *scene,
                     const scene_shape *data)
{
    const scene_point *points = &scene->points[data->first_point];
    cpVect corners[8];
    switch (data->form) {
    case SCENE_CIRCLE:
        add_shape(self, cpCircleShapeNew(body, data->radius, vec(points[0])), data);
        return;
    case SCENE_CAPSULE:
        add_shape(self, cpSegmentShapeNew(body, vec(points[0]), vec(points[1]), data->radius),
                  data);
        return;
    case SCENE_POLYGON:
        for (uint32_t i = 0; i < data->point_count; i++) {
            corners[i] = vec(points[i]);
        }
        add_shape(self, cpPolyShapeNewRaw(body, (int)data->point_count, corners, data->radius),
                  data);
        return;
    case SCENE_LOOP:
        add_loop(self, body, data, points);
        return;
    }
}

static void add_body(chipmunk_world *self, const scene_data *scene, const scene_body *data)
{
    cpBody *body = data->motion == SCENE_STATIC      ? cpBodyNewStatic()
                   : data->motion == SCENE_KINEMATIC ? cpBodyNewKinematic()
                                                     : cpBodyNew(0.0, 0.0);
    cpBodySetPosition(body, vec(data->position));
    cpBodySetAngle(body, data->angle);
    cpBodySetVelocity(body, vec(data->velocity));
    cpBodySetAngularVelocity(body, data->spin);
    cpSpaceAddBody(self->space, body);
    array_push(&self->bodies, body);
    for (uint32_t i = 0; i < data->shape_count; i++) {
        add_form(self, body, scene, &scene->shapes[data->first_shape + i]);
    }
}

static void add_constraint(chipmunk_world *self, cpConstraint *constraint)
{
    cpSpaceAddConstraint(self->space, constraint);
    array_push(&self->constraints, constraint);
}

static void add_hinge(chipmunk_world *self, const scene_hinge *hinge)
{
    cpBody *a = self->bodies.data[hinge->a];
    cpBody *b = self->bodies.data[hinge->b];
    if (cpBodyGetType(a) == CP_BODY_TYPE_STATIC && cpBodyGetType(b) == CP_BODY_TYPE_STATIC) {
        return; // Chipmunk aborts on those
    }
    cpConstraint *pivot = cpPivotJointNew(a, b, vec(hinge->anchor));
    cpConstraintSetCollideBodies(pivot, cpFalse);
    add_constraint(self, pivot);
    if (hinge->motor) {
        cpConstraint *motor = cpSimpleMotorNew(a, b, -hinge->speed);
        cpConstraintSetMaxForce(motor, hinge->torque);
        add_constraint(self, motor);
    }
}

static void *create(const scene_data *scene, const engine_options *options)
{
    (void)options;
    chipmunk_world *self = calloc(1, sizeof *self);
    if (self == NULL) {
        abort();
    }
    self->space = cpSpaceNew();
    cpSpaceSetGravity(self->space, vec(scene->gravity));
    if (scene->sleep) {
        cpSpaceSetSleepTimeThreshold(self->space, SLEEP_AFTER);
    }
    for (uint32_t i = 0; i < scene->body_count; i++) {
        add_body(self, scene, &scene->bodies[i]);
    }
    for (uint32_t i = 0; i < scene->hinge_count; i++) {
        add_hinge(self, &scene->hinges[i]);
    }
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].motion == SCENE_DYNAMIC && !scene->bodies[i].awake) {
            cpBodySleep(self->bodies.data[i]);
        }
    }
    return self;
}

static void destroy(void *world)
{
    chipmunk_world *self = world;
    for (uint32_t i = 0; i < self->constraints.count; i++) {
        cpSpaceRemoveConstraint(self->space, self->constraints.data[i]);
        cpConstraintFree(self->constraints.data[i]);
    }
    for (uint32_t i = 0; i < self->shapes.count; i++) {
        cpSpaceRemoveShape(self->space, self->shapes.data[i]);
        cpShapeFree(self->shapes.data[i]);
    }
    for (uint32_t i = 0; i < self->bodies.count; i++) {
        cpSpaceRemoveBody(self->space, self->bodies.data[i]);
        cpBodyFree(self->bodies.data[i]);
    }
    cpSpaceFree(self->space);
    array_free(&self->constraints);
    array_free(&self->shapes);
    array_free(&self->bodies);
    free(self);
}

static void step(void *world)
{
    chipmunk_world *self = world;
    cpSpaceStep(self->space, ENGINE_DT);
}

static void read_bodies(void *world, engine_body *bodies)
{
    chipmunk_world *self = world;
    for (uint32_t i = 0; i < self->bodies.count; i++) {
        cpVect p = cpBodyGetPosition(self->bodies.data[i]);
        cpVect v = cpBodyGetVelocity(self->bodies.data[i]);
        bodies[i] = (engine_body){p.x, p.y, cpBodyGetAngle(self->bodies.data[i]), v.x, v.y};
    }
}

// Counts halves of arbiters: those between two dynamic bodies are visited twice.
static void count_arbiter(cpBody *body, cpArbiter *arbiter, void *halves)
{
    cpBody *a;
    cpBody *b;
    cpArbiterGetBodies(arbiter, &a, &b);
    cpBody *other = a == body ? b : a;
    *(uint32_t *)halves += cpBodyGetType(other) == CP_BODY_TYPE_DYNAMIC ? 1U : 2U;
}

static uint32_t contacts(void *world)
{
    chipmunk_world *self = world;
    uint32_t halves = 0;
    for (uint32_t i = 0; i < self->bodies.count; i++) {
        if (cpBodyGetType(self->bodies.data[i]) == CP_BODY_TYPE_DYNAMIC) {
            cpBodyEachArbiter(self->bodies.data[i], count_arbiter, &halves);
        }
    }
    return halves / 2;
}

static uint32_t awake(void *world)
{
    chipmunk_world *self = world;
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->bodies.count; i++) {
        cpBody *body = self->bodies.data[i];
        count += cpBodyGetType(body) == CP_BODY_TYPE_DYNAMIC && !cpBodyIsSleeping(body) ? 1U : 0U;
    }
    return count;
}

const engine ENGINE_CHIPMUNK = {
    .name = "chipmunk",
    .note = "the distribution's build, with assertions; 10 iterations",
    .threads_max = 1,
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .step = step,
    .read = read_bodies,
    .contacts = contacts,
    .awake = awake,
};
