// Scenes with what the usual ones lack: dolls of jointed limbs, machines with every kind of joint,
// bullets, bodies that come and go.
#include "tests/golden/scenes.h"

#include "common/physics/joint.h"

#include <stdio.h>
#include <stdlib.h>

static joint_id join(physics_world *world, const joint_def *def)
{
    joint_id id = 0;
    error err;
    if (joint_create(world, def, &id, &err) != STATUS_OK) {
        fprintf(stderr, "scene: %s\n", err.text);
        abort();
    }
    return id;
}

static joint_def joint_at(joint_kind kind, body_id a, body_id b, vec2d at)
{
    joint_def def = joint_def_default(kind);
    def.a = a;
    def.b = b;
    def.anchor = at;
    def.fields = JOINT_FIELD_ANCHOR;
    return def;
}

static vec2d place(vec2d origin, double x, double y)
{
    return (vec2d){origin.x + x, origin.y + y};
}

// ---- dolls

typedef struct limb {
    double x, y, half_width, half_height; // at rest, relative to the hips
    int parent;                           // -1: none
    double joint_x, joint_y, lower, upper;
} limb;

static const limb LIMBS[] = {
    {0.0, 0.35, 0.16, 0.3, -1, 0.0, 0.0, 0.0, 0.0},         // trunk
    {0.0, 0.8, 0.13, 0.13, 0, 0.0, 0.66, -0.5, 0.5},        // head
    {-0.12, -0.22, 0.08, 0.22, 0, -0.1, 0.03, -1.2, 1.5},   // thighs
    {0.12, -0.22, 0.08, 0.22, 0, 0.1, 0.03, -1.2, 1.5},     //
    {-0.12, -0.66, 0.07, 0.22, 2, -0.12, -0.44, -2.0, 0.0}, // shanks
    {0.12, -0.66, 0.07, 0.22, 3, 0.12, -0.44, -2.0, 0.0},   //
    {-0.3, 0.45, 0.06, 0.18, 0, -0.22, 0.6, -2.5, 1.0},     // upper arms
    {0.3, 0.45, 0.06, 0.18, 0, 0.22, 0.6, -2.5, 1.0},       //
    {-0.3, 0.1, 0.05, 0.18, 6, -0.3, 0.27, 0.0, 2.2},       // forearms
    {0.3, 0.1, 0.05, 0.18, 7, 0.3, 0.27, 0.0, 2.2},         //
};
enum { LIMB_COUNT = sizeof LIMBS / sizeof *LIMBS };

static void put_doll(physics_world *world, vec2d at, int number)
{
    body_id bodies[LIMB_COUNT];
    for (int i = 0; i < LIMB_COUNT; i++) {
        const limb *l = &LIMBS[i];
        shape_def form =
            i == 1 ? scene_circle(l->half_width) : scene_box(l->half_width, l->half_height);
        form.filter.group = -1 - number; // a doll's limbs pass each other
        form.rolling_resistance = i == 1 ? 0.1 : 0.0;
        form.events |= SHAPE_EVENT_HIT;
        bodies[i] = scene_put_at(world, BODY_DYNAMIC, at, l->x, l->y, &form);
        if (l->parent < 0) {
            continue;
        }
        joint_def def = joint_at(JOINT_REVOLUTE, bodies[l->parent], bodies[i],
                                 place(at, l->joint_x, l->joint_y));
        def.lower = l->lower;
        def.upper = l->upper;
        def.hertz = i == 1 ? 4.0 : 1.0;
        def.damping_ratio = 0.7;
        def.motor_speed = 0.0;
        def.max_torque = 0.5; // the friction of the joint
        def.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER | JOINT_FIELD_HERTZ |
                      JOINT_FIELD_DAMPING_RATIO | JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
        join(world, &def);
    }
}

SCENE_BUILDER(build_ragdolls)
{
    shape_def floor = scene_box(200.0, 0.5);
    scene_put_at(world, BODY_STATIC, origin, 0.0, -0.5, &floor);
    shape_def step = scene_box(1.5, 0.25);
    for (int i = 0; i < 6; i++) {
        scene_put_at(world, BODY_STATIC, origin, 1.2 * i - 3.0, 0.5 * i + 0.25, &step);
    }
    for (int i = 0; i < scale; i++) {
        put_doll(world, place(origin, 1.4 * (i % 5) - 3.0 + 0.1 * (i / 5), 5.0 + 2.2 * (i / 5)), i);
    }
}

// ---- machines: a bench of every kind of joint

static void slider_and_levers(physics_world *world, body_id ground, vec2d at)
{
    shape_def lever = scene_box(0.6, 0.1);
    body_id arm = scene_put_at(world, BODY_DYNAMIC, at, 0.6, 3.0, &lever);
    joint_def turn = joint_at(JOINT_REVOLUTE, ground, arm, place(at, 0.0, 3.0));
    turn.lower = -1.0;
    turn.upper = 1.0;
    turn.motor_speed = 2.0;
    turn.max_torque = 5.0;
    turn.fields |=
        JOINT_FIELD_LOWER | JOINT_FIELD_UPPER | JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
    join(world, &turn);

    shape_def deck = scene_box(0.5, 0.1);
    body_id lift = scene_put_at(world, BODY_DYNAMIC, at, 2.5, 1.0, &deck);
    joint_def slide = joint_at(JOINT_PRISMATIC, ground, lift, place(at, 2.5, 1.0));
    slide.axis = (vec2){0.0f, 1.0f};
    slide.lower = 0.0;
    slide.upper = 2.0;
    slide.motor_speed = 1.0;
    slide.max_force = 60.0;
    slide.fields |= JOINT_FIELD_AXIS | JOINT_FIELD_LOWER | JOINT_FIELD_UPPER |
                    JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_FORCE;
    join(world, &slide);
    shape_def load = scene_circle(0.2);
    scene_put_at(world, BODY_DYNAMIC, at, 2.6, 1.4, &load);
}

static void ropes_and_springs(physics_world *world, body_id ground, vec2d at)
{
    shape_def bob = scene_circle(0.2);
    for (int i = 0; i < 3; i++) { // a rod, a rope, a spring
        double x = 4.0 + i;
        body_id b = scene_put_at(world, BODY_DYNAMIC, at, x + 0.8, 4.0, &bob);
        joint_def def = joint_def_default(JOINT_DISTANCE);
        def.a = ground;
        def.b = b;
        def.anchor_a = (vec2d){x, 4.0}; // the anchor on the ground is at `at`
        def.fields = JOINT_FIELD_ANCHOR_A;
        if (i == 1) {
            def.upper = 1.0;
            def.fields |= JOINT_FIELD_UPPER;
        } else if (i == 2) {
            def.hertz = 2.0;
            def.damping_ratio = 0.1;
            def.length = 0.5;
            def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO | JOINT_FIELD_LENGTH;
        }
        join(world, &def);
    }
}

static void cantilever_and_car(physics_world *world, body_id ground, vec2d at)
{
    shape_def piece = scene_box(0.25, 0.08);
    body_id last = ground;
    for (int i = 0; i < 5; i++) {
        body_id next = scene_put_at(world, BODY_DYNAMIC, at, 8.25 + 0.5 * i, 3.0, &piece);
        joint_def weld = joint_at(JOINT_WELD, last, next, place(at, 8.0 + 0.5 * i, 3.0));
        weld.angular_hertz = 6.0;
        weld.angular_damping_ratio = 0.5;
        weld.fields |= JOINT_FIELD_ANGULAR_HERTZ | JOINT_FIELD_ANGULAR_DAMPING_RATIO;
        join(world, &weld);
        last = next;
    }
    shape_def chassis = scene_box(0.8, 0.2);
    body_id car = scene_put_at(world, BODY_DYNAMIC, at, 9.0, 0.8, &chassis);
    shape_def tyre = scene_circle(0.3);
    tyre.friction = 1.0;
    for (int i = 0; i < 2; i++) {
        double x = 8.5 + i;
        body_id wheel = scene_put_at(world, BODY_DYNAMIC, at, x, 0.45, &tyre);
        joint_def def = joint_at(JOINT_WHEEL, car, wheel, place(at, x, 0.45));
        def.motor_speed = -6.0;
        def.max_torque = 2.0;
        def.lower = -0.2;
        def.upper = 0.2;
        def.fields |= JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE | JOINT_FIELD_LOWER |
                      JOINT_FIELD_UPPER;
        join(world, &def);
    }
}

static void drives(physics_world *world, body_id ground, vec2d at)
{
    shape_def block = scene_box(0.3, 0.2);
    body_id driven = scene_put_at(world, BODY_DYNAMIC, at, 13.0, 2.0, &block);
    joint_def motor = joint_def_default(JOINT_MOTOR);
    motor.a = ground;
    motor.b = driven;
    motor.target = (vec2d){14.0, 3.0}; // in the frame of the ground
    motor.target_angle = 0.7;
    motor.max_force = 80.0;
    motor.max_torque = 10.0;
    motor.fields = JOINT_FIELD_TARGET | JOINT_FIELD_TARGET_ANGLE | JOINT_FIELD_MAX_FORCE |
                   JOINT_FIELD_MAX_TORQUE;
    join(world, &motor);
    body_id dragged = scene_put_at(world, BODY_DYNAMIC, at, 15.0, 0.3, &block);
    joint_def mouse = joint_def_default(JOINT_MOUSE);
    mouse.b = dragged;
    mouse.target = place(at, 16.0, 2.5);
    mouse.max_force = 30.0;
    mouse.fields = JOINT_FIELD_TARGET | JOINT_FIELD_MAX_FORCE;
    join(world, &mouse);
    body_id through = scene_put_at(world, BODY_DYNAMIC, at, 15.2, 3.0, &block);
    joint_def filter = joint_def_default(JOINT_FILTER);
    filter.a = dragged;
    filter.b = through;
    join(world, &filter);
}

static void gears_and_pulley(physics_world *world, body_id ground, vec2d at)
{
    shape_def cog = scene_circle(0.5);
    shape_def weight = scene_box(0.2, 0.2);
    joint_id axles[2];
    for (int i = 0; i < 2; i++) {
        double x = 19.0 + 1.2 * i;
        body_id wheel = scene_put_at(world, BODY_DYNAMIC, at, x, 3.0, &cog);
        joint_def axle = joint_at(JOINT_REVOLUTE, ground, wheel, place(at, x, 3.0));
        axle.motor_speed = 3.0;
        axle.max_torque = 1.0;
        axle.fields |= i == 0 ? JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE : 0;
        axles[i] = join(world, &axle);
    }
    joint_def gear = joint_def_default(JOINT_GEAR);
    gear.joint_a = axles[0];
    gear.joint_b = axles[1];
    gear.ratio = 2.0;
    gear.fields = JOINT_FIELD_JOINT_A | JOINT_FIELD_JOINT_B | JOINT_FIELD_RATIO;
    join(world, &gear);

    joint_def pulley = joint_def_default(JOINT_PULLEY);
    pulley.a = scene_put_at(world, BODY_DYNAMIC, at, 22.0, 1.0, &weight);
    weight.density = 1.7;
    pulley.b = scene_put_at(world, BODY_DYNAMIC, at, 23.0, 2.0, &weight);
    pulley.ground_a = place(at, 22.0, 4.0);
    pulley.ground_b = place(at, 23.0, 4.0);
    pulley.fields = JOINT_FIELD_GROUND_A | JOINT_FIELD_GROUND_B;
    join(world, &pulley);
}

// A chain of planks that breaks under falling bodies.
static void bridge(physics_world *world, body_id ground, vec2d at)
{
    shape_def plank = scene_box(0.3, 0.06);
    body_id last = ground;
    for (int i = 0; i <= 6; i++) {
        body_id next =
            i < 6 ? scene_put_at(world, BODY_DYNAMIC, at, 25.3 + 0.6 * i, 3.0, &plank) : ground;
        joint_def def = joint_at(JOINT_REVOLUTE, last, next, place(at, 25.0 + 0.6 * i, 3.0));
        def.break_force = 90.0;
        def.fields |= JOINT_FIELD_BREAK_FORCE;
        join(world, &def);
        last = next;
    }
    shape_def stone = scene_box(0.35, 0.35);
    stone.density = 6.0;
    scene_put_at(world, BODY_DYNAMIC, at, 26.8, 8.0, &stone);
}

SCENE_BUILDER(build_machines)
{
    shape_def floor = scene_box_at(16.0, 0.5, (vec2){15.0f, -0.5f}, 0.0);
    for (int i = 0; i < scale; i++) {
        vec2d at = place(origin, 32.0 * i - 16.0 * scale, 0.0);
        body_id ground = scene_put_at(world, BODY_STATIC, at, 0.0, 0.0, &floor);
        slider_and_levers(world, ground, at);
        ropes_and_springs(world, ground, at);
        cantilever_and_car(world, ground, at);
        drives(world, ground, at);
        gears_and_pulley(world, ground, at);
        bridge(world, ground, at);
    }
}

// ---- bullets

enum { SHOT_EVERY = 15, SHOTS_MAX = 20 };

SCENE_BUILDER(build_bullets)
{
    shape_def floor = scene_box(1.0 * scale + 20.0, 0.5);
    scene_put_at(world, BODY_STATIC, origin, 1.0 * scale, -0.5, &floor);
    shape_def brick = scene_box(0.1, 0.25);
    for (int i = 0; i < scale; i++) {
        for (int j = 0; j < 5; j++) {
            scene_put_at(world, BODY_DYNAMIC, origin, 2.0 * i, 0.5 * j + 0.25, &brick);
        }
    }
    shape_def plate = scene_box(0.005, 2.0); // a centimetre thin
    plate.restitution = 0.3;
    scene_put_at(world, BODY_STATIC, origin, 2.0 * scale + 1.0, 2.0, &plate);
    shape_def bar = scene_box(2.0, 0.03);
    for (int i = 0; i < 3; i++) { // thin bars that spin between posts
        body_def def = body_def_default();
        def.position = place(origin, 2.0 * i - 12.0, 5.0);
        def.angular_velocity = 60.0 + 20.0 * i;
        def.gravity_scale = 0.1;
        scene_put(world, &def, &bar, 1);
    }
}

// The bullet with the lowest id if their maximum is reached, else 0.
static body_id oldest_shot(const physics_world *world)
{
    int count = 0;
    body_id first = 0;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        body_info info;
        error err;
        if (body_get(world, id, &info, &err) == STATUS_OK && info.bullet) {
            first = first == 0 ? id : first;
            count++;
        }
    }
    return count >= SHOTS_MAX ? first : 0;
}

SCENE_BUILDER(act_bullets)
{
    (void)scale;
    uint64_t tick = world_tick(world);
    if (tick % SHOT_EVERY != 0) {
        return;
    }
    error err;
    body_id old = oldest_shot(world);
    if (old != 0 && body_remove(world, old, &err) != STATUS_OK) {
        abort();
    }
    shape_def ball = scene_circle(0.05);
    ball.density = 50.0;
    ball.restitution = 0.2;
    ball.events |= SHAPE_EVENT_HIT;
    body_def def = body_def_default();
    def.bullet = true;
    def.position = place(origin, -5.0, 1.2 + 1.1 * scene_noise(3, tick));
    def.velocity = (vec2d){400.0, 8.0 * scene_noise(4, tick)};
    scene_put(world, &def, &ball, 1);
}

// ---- rain

SCENE_BUILDER(build_rain)
{
    (void)scale;
    vec2 hills[41];
    for (int i = 0; i <= 40; i++) { // right to left: the upper side collides
        hills[i] = (vec2){(float)(40 - 2 * i), (float)(1.5 * scene_noise(5, (uint64_t)i))};
    }
    hills[0].y = hills[40].y = 12.0f;
    shape_def ground = shape_def_default();
    ground.form = FORM_CHAIN;
    ground.points = hills;
    ground.point_count = 41;
    ground.friction = 0.4;
    shape_def gate = scene_box(3.0, 3.0);
    gate.sensor = true;
    shape_def both[2] = {ground, gate};
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = origin;
    scene_put(world, &def, both, 2);
    shape_def belt = scene_box(4.0, 0.2);
    belt.tangent_speed = 2.0;
    def.position = place(origin, -15.0, 6.0);
    scene_put(world, &def, &belt, 1);
    shape_def mill = scene_box(3.0, 0.3);
    def.type = BODY_KINEMATIC;
    def.position = place(origin, 12.0, 6.0);
    def.angular_velocity = 1.5;
    scene_put(world, &def, &mill, 1);
}

static shape_def drop(uint64_t tick)
{
    vec2 corners[5] = {{0.3f, 0.0f}, {0.1f, 0.35f}, {-0.25f, 0.2f}, {-0.3f, -0.1f}, {0.1f, -0.3f}};
    shape_def form;
    switch (tick / 2 % 5) {
    case 0:
        form = scene_circle(0.3);
        break;
    case 1:
        form = scene_capsule(0.25, 0.2);
        break;
    case 2:
        form = scene_box(0.35, 0.2);
        break;
    case 3:
        form = scene_polygon(corners, 5);
        break;
    default:
        form = scene_box(0.25, 0.25);
        form.geometry.polygon.radius = 0.08f;
        break;
    }
    form.restitution = tick % 3 == 0 ? 0.5 : 0.0;
    form.friction = 0.5 + 0.4 * scene_noise(6, tick);
    form.rolling_resistance = tick % 7 == 0 ? 0.1 : 0.0;
    form.events |= tick % 4 == 0 ? SHAPE_EVENT_HIT : 0;
    return form;
}

// A dynamic body, chosen by a random number; 0 if the choice is not dynamic.
static body_id some_drop(const physics_world *world, uint64_t seed, uint64_t tick, body_info *info)
{
    double at = 0.5 * (scene_noise(seed, tick) + 1.0);
    body_id id = world_next_body(world, (body_id)(at * world_count(world).bodies));
    error err;
    return id != 0 && body_get(world, id, info, &err) == STATUS_OK && info->type == BODY_DYNAMIC
               ? id
               : 0;
}

SCENE_BUILDER(act_rain)
{
    uint64_t tick = world_tick(world);
    if (tick % 2 != 0) {
        return;
    }
    error err;
    body_info info;
    if (world_count(world).bodies >= (uint32_t)scale) {
        body_id gone = some_drop(world, 7, tick, &info);
        if (gone != 0 && body_remove(world, gone, &err) != STATUS_OK) {
            abort();
        }
    }
    shape_def form = drop(tick);
    body_def def = body_def_default();
    def.position = place(origin, 30.0 * scene_noise(8, tick), 14.0 + 3.0 * scene_noise(9, tick));
    def.angle = 3.0 * scene_noise(10, tick);
    def.velocity = (vec2d){3.0 * scene_noise(11, tick), -8.0};
    scene_put(world, &def, &form, 1);
    if (tick % 32 == 0) { // now and then one is taken out for a while, or has its type changed
        body_id id = some_drop(world, 12, tick, &info);
        body_def values = body_def_default();
        values.enabled = id != 0 && !info.enabled;
        values.type = tick % 64 == 0 ? BODY_KINEMATIC : BODY_DYNAMIC;
        uint32_t field = tick % 96 == 0 ? BODY_FIELD_TYPE : BODY_FIELD_ENABLED;
        if (id != 0 && body_set(world, id, field, &values, &err) != STATUS_OK) {
            abort();
        }
    }
}

// ---- ledges: one-way shapes that stand, move and swing; bodies fly through and land

SCENE_BUILDER(build_ledges)
{
    (void)scale;
    shape_def floor = scene_box(40.0, 0.5);
    scene_put_at(world, BODY_STATIC, origin, 0.0, -0.5, &floor);
    for (int i = 0; i < 24; i++) {
        shape_def ledge = i % 2 == 0 ? scene_box(2.0, 0.1) : scene_capsule(1.5, 0.1);
        if (i % 3 == 0) {
            ledge.geometry =
                (shape_geometry){.kind = SHAPE_SEGMENT, .segment = {{-2.0f, 0.0f}, {2.0f, 0.0f}}};
        }
        ledge.one_way = (vec2){0.5f * (float)scene_noise(13, (uint64_t)i), 1.0f};
        ledge.restitution = i % 5 == 0 ? 0.6 : 0.0;
        body_def def = body_def_default();
        def.type = i % 4 == 1 ? BODY_KINEMATIC : i % 8 == 3 ? BODY_DYNAMIC : BODY_STATIC;
        def.position = place(origin, -27.5 + 5.0 * (i % 12), 2.0 + 2.5 * (i / 12));
        def.angle = i % 6 == 2 ? 0.4 * scene_noise(14, (uint64_t)i) : 0.0;
        def.velocity = (vec2d){def.type == BODY_KINEMATIC ? 1.0 : 0.0, 0.0};
        scene_put(world, &def, &ledge, 1);
    }
}

// The ledges that move turn back in time.
static void turn_ledges(physics_world *world, uint64_t tick)
{
    error err;
    body_info info;
    for (body_id id = world_next_body(world, 0); id != 0; id = world_next_body(world, id)) {
        if (body_get(world, id, &info, &err) != STATUS_OK || info.type != BODY_KINEMATIC) {
            continue;
        }
        body_def values = body_def_default();
        values.velocity = (vec2d){-info.velocity.x, tick % 80 == 0 ? 3.0 : -3.0};
        if (body_set(world, id, BODY_FIELD_VELOCITY, &values, &err) != STATUS_OK) {
            abort();
        }
    }
}

SCENE_BUILDER(act_ledges)
{
    uint64_t tick = world_tick(world);
    if (tick % 40 == 0) {
        turn_ledges(world, tick);
    }
    if (tick % 2 != 0) {
        return;
    }
    error err;
    body_info info;
    if (world_count(world).bodies >= (uint32_t)scale) {
        body_id gone = some_drop(world, 15, tick, &info);
        if (gone != 0 && body_remove(world, gone, &err) != STATUS_OK) {
            abort();
        }
    }
    shape_def form = drop(tick);
    form.one_way = (vec2){0.0f, tick % 10 == 0 ? -1.0f : 0.0f};
    body_def def = body_def_default();
    def.position = place(origin, 28.0 * scene_noise(16, tick), tick % 4 == 0 ? 1.0 : 9.0);
    def.angle = 3.0 * scene_noise(17, tick);
    def.velocity = (vec2d){3.0 * scene_noise(18, tick), tick % 4 == 0 ? 11.0 : -9.0};
    def.bullet = tick % 22 == 0;
    scene_put(world, &def, &form, 1);
}
