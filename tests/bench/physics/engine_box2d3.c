// Box2D 3.2 or later behind the bench's interface.
#include "tests/bench/physics/engine.h"

#include <box2d/box2d.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUBSTEPS = 4, POINTS_MAX = 1024 };

typedef struct box2d3_world {
    b2WorldId world;
    uint8_t *image;
    int capacity;
    uint32_t count;
    b2BodyId bodies[];
} box2d3_world;

static void describe(char *text, size_t size)
{
    b2Version v = b2GetVersion();
    snprintf(text, size, "Box2D %d.%d.%d", v.major, v.minor, v.revision);
}

static b2Vec2 vec(scene_point p)
{
    return (b2Vec2){(float)p.x, (float)p.y};
}

static void add_loop(b2BodyId body, const scene_shape *shape, const b2Vec2 *points)
{
    b2SurfaceMaterial material = b2DefaultSurfaceMaterial();
    material.friction = (float)shape->friction;
    material.restitution = (float)shape->restitution;
    b2ChainDef def = b2DefaultChainDef();
    def.points = points;
    def.count = (int)shape->point_count;
    def.materials = &material;
    def.materialCount = 1;
    def.isLoop = true;
    b2CreateChain(body, &def);
}

static void add_shape(b2BodyId body, const scene_data *scene, const scene_shape *shape)
{
    b2Vec2 points[POINTS_MAX];
    if (shape->point_count > POINTS_MAX) {
        abort();
    }
    for (uint32_t i = 0; i < shape->point_count; i++) {
        points[i] = vec(scene->points[shape->first_point + i]);
    }
    b2ShapeDef def = b2DefaultShapeDef();
    def.density = (float)shape->density;
    def.material.friction = (float)shape->friction;
    def.material.restitution = (float)shape->restitution;
    def.filter.groupIndex = shape->group;
    switch (shape->form) {
    case SCENE_CIRCLE: {
        b2Circle circle = {points[0], (float)shape->radius};
        b2CreateCircleShape(body, &def, &circle);
        return;
    }
    case SCENE_CAPSULE: {
        b2Capsule capsule = {points[0], points[1], (float)shape->radius};
        b2CreateCapsuleShape(body, &def, &capsule);
        return;
    }
    case SCENE_POLYGON: {
        b2Hull hull = b2ComputeHull(points, (int)shape->point_count);
        b2Polygon polygon = b2MakePolygon(&hull, (float)shape->radius);
        b2CreatePolygonShape(body, &def, &polygon);
        return;
    }
    case SCENE_LOOP:
        add_loop(body, shape, points);
        return;
    }
}

static b2BodyId add_body(b2WorldId world, const scene_data *scene, const scene_body *body)
{
    static const b2BodyType TYPES[] = {
        [SCENE_STATIC] = b2_staticBody,
        [SCENE_KINEMATIC] = b2_kinematicBody,
        [SCENE_DYNAMIC] = b2_dynamicBody,
    };
    b2BodyDef def = b2DefaultBodyDef();
    def.type = TYPES[body->motion];
    def.position = b2ToPos(vec(body->position));
    def.rotation = b2MakeRot((float)body->angle);
    def.linearVelocity = vec(body->velocity);
    def.angularVelocity = (float)body->spin;
    def.isAwake = body->awake;
    b2BodyId id = b2CreateBody(world, &def);
    for (uint32_t i = 0; i < body->shape_count; i++) {
        add_shape(id, scene, &scene->shapes[body->first_shape + i]);
    }
    return id;
}

static void add_hinge(const box2d3_world *self, const scene_hinge *hinge)
{
    b2RevoluteJointDef def = b2DefaultRevoluteJointDef();
    def.base.bodyIdA = self->bodies[hinge->a];
    def.base.bodyIdB = self->bodies[hinge->b];
    def.base.localFrameA.p = b2Body_GetLocalPoint(def.base.bodyIdA, b2ToPos(vec(hinge->anchor)));
    def.base.localFrameB.p = b2Body_GetLocalPoint(def.base.bodyIdB, b2ToPos(vec(hinge->anchor)));
    def.enableMotor = hinge->motor;
    def.motorSpeed = (float)hinge->speed;
    def.maxMotorTorque = (float)hinge->torque;
    b2CreateRevoluteJoint(self->world, &def);
}

static void *create(const scene_data *scene, const engine_options *options)
{
    box2d3_world *self = calloc(1, sizeof *self + scene->body_count * sizeof *self->bodies);
    if (self == NULL) {
        abort();
    }
    b2WorldDef def = b2DefaultWorldDef();
    def.gravity = vec(scene->gravity);
    def.enableSleep = scene->sleep;
    def.workerCount = options->threads;
    self->world = b2CreateWorld(&def);
    self->count = scene->body_count;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        self->bodies[i] = add_body(self->world, scene, &scene->bodies[i]);
    }
    for (uint32_t i = 0; i < scene->hinge_count; i++) {
        add_hinge(self, &scene->hinges[i]);
    }
    return self;
}

static void destroy(void *world)
{
    box2d3_world *self = world;
    b2DestroyWorld(self->world);
    free(self->image);
    free(self);
}

static void step(void *world)
{
    box2d3_world *self = world;
    b2World_Step(self->world, (float)ENGINE_DT, SUBSTEPS);
}

static void read_bodies(void *world, engine_body *bodies)
{
    box2d3_world *self = world;
    for (uint32_t i = 0; i < self->count; i++) {
        b2Vec2 p = b2ToVec2(b2Body_GetPosition(self->bodies[i]));
        b2Vec2 v = b2Body_GetLinearVelocity(self->bodies[i]);
        b2Rot q = b2Body_GetRotation(self->bodies[i]);
        bodies[i] = (engine_body){
            .x = (double)p.x,
            .y = (double)p.y,
            .angle = (double)atan2f(q.s, q.c),
            .vx = (double)v.x,
            .vy = (double)v.y,
        };
    }
}

// Each contact is in the lists of both bodies; it counts in the first body's.
static uint32_t contacts(void *world)
{
    box2d3_world *self = world;
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        int capacity = b2Body_GetContactCapacity(self->bodies[i]);
        b2ContactData *data = calloc((size_t)capacity + 1, sizeof *data);
        if (data == NULL) {
            abort();
        }
        int found = b2Body_GetContactData(self->bodies[i], data, capacity);
        for (int k = 0; k < found; k++) {
            count += B2_ID_EQUALS(b2Shape_GetBody(data[k].shapeIdA), self->bodies[i]) ? 1U : 0U;
        }
        free(data);
    }
    return count;
}

static uint32_t awake(void *world)
{
    box2d3_world *self = world;
    return (uint32_t)b2World_GetAwakeBodyCount(self->world);
}

static void phases(void *world, double ms[PHASE_COUNT])
{
    box2d3_world *self = world;
    b2Profile p = b2World_GetProfile(self->world);
    ms[PHASE_PAIRS] = (double)p.pairs;
    ms[PHASE_NARROW] = (double)p.collide;
    ms[PHASE_SOLVE] = (double)(p.solverSetup + p.constraints);
    ms[PHASE_FINALIZE] = (double)(p.transforms + p.refit);
    ms[PHASE_CONTINUOUS] = (double)p.bullets;
    ms[PHASE_ISLANDS] = (double)p.sleepIslands;
    ms[PHASE_EVENTS] = (double)(p.jointEvents + p.hitEvents + p.sensorHits + p.sensors);
}

static uint64_t hash(void *world)
{
    box2d3_world *self = world;
    return b2World_GetStateHash(self->world);
}

// Saves to a buffer that is reused: the first call finds the size.
static size_t save(void *world, const uint8_t **bytes)
{
    box2d3_world *self = world;
    int size = b2World_Snapshot(self->world, self->image, self->capacity);
    if (size > self->capacity) {
        free(self->image);
        self->image = malloc((size_t)size);
        self->capacity = size;
        if (self->image == NULL ||
            b2World_Snapshot(self->world, self->image, self->capacity) != size) {
            abort();
        }
    }
    *bytes = self->image;
    return (size_t)size;
}

static void *restore(void *world, const uint8_t *bytes, size_t size)
{
    box2d3_world *self = world;
    if (!b2World_Restore(self->world, bytes, (int)size)) {
        fprintf(stderr, "bench: Box2D does not take its own image\n");
        exit(1);
    }
    return self;
}

const engine ENGINE_BOX2D3 = {
    .name = "box2d3",
    .threads_max = 64,
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .step = step,
    .read = read_bodies,
    .contacts = contacts,
    .awake = awake,
    .phases = phases,
    .hash = hash,
    .save = save,
    .restore = restore,
};
