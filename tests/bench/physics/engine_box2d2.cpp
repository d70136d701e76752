// Box2D 2.4 behind the bench's interface. It has no capsules: an octagon stands in. Its headers are
// named one by one, for box2d/box2d.h may be that of Box2D 3 where both are installed.
#include "tests/bench/physics/engine.h"

#include <box2d/b2_chain_shape.h>
#include <box2d/b2_circle_shape.h>
#include <box2d/b2_polygon_shape.h>
#include <box2d/b2_body.h>
#include <box2d/b2_contact.h>
#include <box2d/b2_fixture.h>
#include <box2d/b2_revolute_joint.h>
#include <box2d/b2_settings.h>
#include <box2d/b2_time_step.h>
#include <box2d/b2_world.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace
{

constexpr int VELOCITY_ITERATIONS = 8;
constexpr int POSITION_ITERATIONS = 3;

struct box2d2_world {
    b2World world;
    std::vector<b2Body *> bodies;
};

box2d2_world *self_of(void *world)
{
    return static_cast<box2d2_world *>(world);
}

// b2_version of 2.4.1 still says 2.4.0.
void describe(char *text, size_t size)
{
    std::snprintf(text, size, "Box2D %d.%d", b2_version.major, b2_version.minor);
}

b2Vec2 vec(scene_point p)
{
    return b2Vec2(static_cast<float>(p.x), static_cast<float>(p.y));
}

// Four corners at each end, on the capsule's outline.
b2PolygonShape octagon(b2Vec2 a, b2Vec2 b, float radius)
{
    b2Vec2 along = b - a;
    along.Normalize();
    const b2Vec2 across(-along.y, along.x);
    const float sine = 0.5F;
    const float cosine = 0.8660254F;
    const b2Vec2 points[8] = {
        b - radius * across,
        b + radius * (cosine * along - sine * across),
        b + radius * (cosine * along + sine * across),
        b + radius * across,
        a + radius * across,
        a - radius * (cosine * along - sine * across),
        a - radius * (cosine * along + sine * across),
        a - radius * across,
    };
    b2PolygonShape shape;
    shape.Set(points, 8);
    return shape;
}

void add_shape(b2Body *body, const scene_data *scene, const scene_shape *data)
{
    std::vector<b2Vec2> points;
    for (uint32_t i = 0; i < data->point_count; i++) {
        points.push_back(vec(scene->points[data->first_point + i]));
    }
    const int count = static_cast<int>(points.size());
    const float radius = static_cast<float>(data->radius);
    b2FixtureDef def;
    def.density = static_cast<float>(data->density);
    def.friction = static_cast<float>(data->friction);
    def.restitution = static_cast<float>(data->restitution);
    def.filter.groupIndex = static_cast<int16>(data->group);
    b2CircleShape circle;
    b2PolygonShape polygon;
    b2ChainShape chain;
    switch (data->form) {
    case SCENE_CIRCLE:
        circle.m_p = points[0];
        circle.m_radius = radius;
        def.shape = &circle;
        break;
    case SCENE_CAPSULE:
        polygon = octagon(points[0], points[1], radius);
        def.shape = &polygon;
        break;
    case SCENE_POLYGON:
        polygon.Set(points.data(), count);
        polygon.m_radius += radius;
        def.shape = &polygon;
        break;
    case SCENE_LOOP:
        chain.CreateLoop(points.data(), count);
        def.shape = &chain;
        break;
    }
    body->CreateFixture(&def);
}

b2Body *add_body(b2World *world, const scene_data *scene, const scene_body *data)
{
    b2BodyDef def;
    def.type = data->motion == SCENE_STATIC      ? b2_staticBody
               : data->motion == SCENE_KINEMATIC ? b2_kinematicBody
                                                 : b2_dynamicBody;
    def.position = vec(data->position);
    def.angle = static_cast<float>(data->angle);
    def.linearVelocity = vec(data->velocity);
    def.angularVelocity = static_cast<float>(data->spin);
    def.awake = data->awake;
    b2Body *body = world->CreateBody(&def);
    for (uint32_t i = 0; i < data->shape_count; i++) {
        add_shape(body, scene, &scene->shapes[data->first_shape + i]);
    }
    // Adding shapes wakes a body.
    if (data->motion == SCENE_DYNAMIC && !data->awake) {
        body->SetAwake(false);
    }
    return body;
}

void add_hinge(box2d2_world *self, const scene_hinge *hinge)
{
    b2RevoluteJointDef def;
    def.Initialize(self->bodies[hinge->a], self->bodies[hinge->b], vec(hinge->anchor));
    def.enableMotor = hinge->motor;
    def.motorSpeed = static_cast<float>(hinge->speed);
    def.maxMotorTorque = static_cast<float>(hinge->torque);
    self->world.CreateJoint(&def);
}

void *create(const scene_data *scene, const engine_options *)
{
    auto *self = new box2d2_world{b2World(vec(scene->gravity)), {}};
    self->world.SetAllowSleeping(scene->sleep);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        self->bodies.push_back(add_body(&self->world, scene, &scene->bodies[i]));
    }
    for (uint32_t i = 0; i < scene->hinge_count; i++) {
        add_hinge(self, &scene->hinges[i]);
    }
    return self;
}

void destroy(void *world)
{
    delete self_of(world);
}

void step(void *world)
{
    self_of(world)->world.Step(static_cast<float>(ENGINE_DT), VELOCITY_ITERATIONS,
                               POSITION_ITERATIONS);
}

void read_bodies(void *world, engine_body *bodies)
{
    for (b2Body *body : self_of(world)->bodies) {
        const b2Vec2 p = body->GetPosition();
        const b2Vec2 v = body->GetLinearVelocity();
        *bodies++ = engine_body{static_cast<double>(p.x), static_cast<double>(p.y),
                                static_cast<double>(body->GetAngle()), static_cast<double>(v.x),
                                static_cast<double>(v.y)};
    }
}

uint32_t contacts(void *world)
{
    uint32_t count = 0;
    for (b2Contact *c = self_of(world)->world.GetContactList(); c != nullptr; c = c->GetNext()) {
        count += c->IsTouching() ? 1U : 0U;
    }
    return count;
}

uint32_t awake(void *world)
{
    uint32_t count = 0;
    for (const b2Body *body : self_of(world)->bodies) {
        count += body->GetType() == b2_dynamicBody && body->IsAwake() ? 1U : 0U;
    }
    return count;
}

void phases(void *world, double ms[PHASE_COUNT])
{
    const b2Profile &p = self_of(world)->world.GetProfile();
    ms[PHASE_PAIRS] = static_cast<double>(p.broadphase);
    ms[PHASE_NARROW] = static_cast<double>(p.collide);
    ms[PHASE_SOLVE] = static_cast<double>(p.solveInit + p.solveVelocity + p.solvePosition);
    ms[PHASE_FINALIZE] = -1.0;
    ms[PHASE_CONTINUOUS] = static_cast<double>(p.solveTOI);
    ms[PHASE_ISLANDS] = -1.0;
    ms[PHASE_EVENTS] = -1.0;
}

} // namespace

extern const engine ENGINE_BOX2D2 = {
    "box2d2", "the distribution's build, with assertions; 8/3 iterations",
    1,        describe,
    create,   destroy,
    step,     read_bodies,
    contacts, awake,
    phases,   nullptr,
    nullptr,  nullptr,
};
