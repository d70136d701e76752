// The scenes by which engines are compared. Lengths are half sizes in metres.
#include "tests/golden/scenes.h"

#include "common/physics/joint.h"

#include <stdio.h>
#include <stdlib.h>

static const double DRUM_SPEED = 25.0 * PI_D / 180.0;

SCENE_BUILDER(build_pyramid)
{
    shape_def ground = scene_box(100.0, 1.0);
    scene_put_at(world, BODY_STATIC, origin, 0.0, -1.0, &ground);
    shape_def box = scene_box(0.5, 0.5);
    for (int i = 0; i < scale; i++) {
        for (int j = i; j < scale; j++) {
            double x = (i + 1) * 0.5 + (j - i) - scale * 0.5;
            scene_put_at(world, BODY_DYNAMIC, origin, x, i + 0.5, &box);
        }
    }
}

SCENE_BUILDER(build_heap)
{
    shape_def floor = scene_box(20.5, 0.5);
    shape_def wall = scene_box(0.5, 25.0);
    scene_put_at(world, BODY_STATIC, origin, 0.0, -0.5, &floor);
    scene_put_at(world, BODY_STATIC, origin, -20.0, 25.0, &wall);
    scene_put_at(world, BODY_STATIC, origin, 20.0, 25.0, &wall);
    shape_def box = scene_box(0.25, 0.25);
    shape_def ball = scene_circle(0.25);
    for (int row = 0; row < scale; row++) {
        for (int column = 0; column < scale; column++) {
            double x = -18.4 + 0.75 * column + (row % 2 == 1 ? 0.12 : -0.12);
            scene_put_at(world, BODY_DYNAMIC, origin, x, 1.0 + 0.75 * row,
                         (row + column) % 2 == 0 ? &box : &ball);
        }
    }
}

static void put_turning(physics_world *world, vec2d origin, const shape_def *walls, int count)
{
    body_def def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.position = (vec2d){origin.x, origin.y + 10.0};
    def.angular_velocity = DRUM_SPEED;
    scene_put(world, &def, walls, count);
}

// Squared boxes in a grid up from (x, y).
static void put_grid(physics_world *world, vec2d origin, int scale, double x, double y,
                     double pitch, const shape_def *box)
{
    for (int row = 0; row < scale; row++) {
        for (int column = 0; column < scale; column++) {
            scene_put_at(world, BODY_DYNAMIC, origin, x + pitch * column, y + pitch * row, box);
        }
    }
}

SCENE_BUILDER(build_drum)
{
    shape_def walls[4] = {
        scene_box_at(0.5, 10.0, (vec2){10.0f, 0.0f}, 0.0),
        scene_box_at(0.5, 10.0, (vec2){-10.0f, 0.0f}, 0.0),
        scene_box_at(10.0, 0.5, (vec2){0.0f, 10.0f}, 0.0),
        scene_box_at(10.0, 0.5, (vec2){0.0f, -10.0f}, 0.0),
    };
    put_turning(world, origin, walls, 4);
    shape_def box = scene_box(0.125, 0.125);
    put_grid(world, origin, scale, -9.0, 1.0, 0.4, &box);
}

SCENE_BUILDER(build_free)
{
    shape_def ball = scene_circle(0.5);
    for (int row = 0; row < scale; row++) {
        for (int column = 0; column < scale; column++) {
            uint64_t index = (uint64_t)(row * scale + column);
            body_def def = body_def_default();
            def.position = (vec2d){origin.x + 4.0 * column, origin.y + 4.0 * row};
            def.velocity = (vec2d){scene_noise(1, index), scene_noise(2, index)};
            scene_put(world, &def, &ball, 1);
        }
    }
}

SCENE_BUILDER(build_rest)
{
    shape_def floor = scene_box(100.0, 0.5);
    shape_def box = scene_box(0.5, 0.5);
    for (int i = 0; i < scale; i++) {
        scene_put_at(world, BODY_STATIC, origin, 0.0, 10.0 * i - 0.5, &floor);
        for (int j = 0; j < scale; j++) {
            scene_put_at(world, BODY_DYNAMIC, origin, 2.0 * j - scale + 1.0, 10.0 * i + 0.5, &box);
        }
    }
}

static void hinge(physics_world *world, body_id a, body_id b, vec2d at)
{
    joint_def def = joint_def_default(JOINT_REVOLUTE);
    def.a = a;
    def.b = b;
    def.anchor = at;
    def.fields = JOINT_FIELD_ANCHOR;
    joint_id id;
    error err;
    if (joint_create(world, &def, &id, &err) != STATUS_OK) {
        fprintf(stderr, "scene: %s\n", err.text);
        abort();
    }
}

SCENE_BUILDER(build_joints)
{
    shape_def ball = scene_circle(0.4);
    ball.filter.group = -1;
    body_id *above = calloc((size_t)scale, sizeof *above); // the row that was made last
    if (above == NULL) {
        abort();
    }
    for (int i = 0; i < scale; i++) {
        body_id left = 0;
        for (int k = 0; k < scale; k++) {
            bool fixed = i == 0 && k >= scale / 2 - 3 && k <= scale / 2 + 3;
            body_id here =
                scene_put_at(world, fixed ? BODY_STATIC : BODY_DYNAMIC, origin, k, -i, &ball);
            if (i > 0) {
                hinge(world, above[k], here, (vec2d){origin.x + k, origin.y - i + 0.5});
            }
            if (k > 0) {
                hinge(world, left, here, (vec2d){origin.x + k - 0.5, origin.y - i});
            }
            left = here;
            above[k] = here;
        }
    }
    free(above);
}

// A point of a circle round the origin.
static vec2 on_circle(double radius, double degrees)
{
    double sine;
    double cosine;
    sin_cos(degrees * PI_D / 180.0, &sine, &cosine);
    return (vec2){(float)(radius * cosine), (float)(radius * sine)};
}

// A piece of a ring, of straight sides.
static shape_def ring_piece(double inner, double outer, double degrees, double width)
{
    vec2 points[4] = {
        on_circle(inner, degrees - 0.5 * width),
        on_circle(outer, degrees - 0.5 * width),
        on_circle(outer, degrees + 0.5 * width),
        on_circle(inner, degrees + 0.5 * width),
    };
    return scene_polygon(points, 4);
}

SCENE_BUILDER(build_washer)
{
    shape_def walls[40];
    int count = 0;
    for (int i = 0; i < 36; i++) {
        walls[count++] = ring_piece(16.0, 18.0, 10.0 * i, 12.0);
        if (i % 9 == 0) {
            walls[count++] = ring_piece(14.0, 16.0, 10.0 * i, 12.0);
        }
    }
    put_turning(world, origin, walls, count);
    shape_def box = scene_box(0.1, 0.1);
    put_grid(world, origin, scale, -9.9, 0.1, 0.21, &box);
}

// The ring is a chain whose inside collides: its points run clockwise.
static body_id put_ring(physics_world *world, vec2d origin)
{
    vec2 points[360];
    for (int i = 0; i < 360; i++) {
        points[i] = on_circle(40.0, -i);
    }
    shape_def ring = shape_def_default();
    ring.form = FORM_CHAIN;
    ring.points = points;
    ring.point_count = 360;
    ring.loop = true;
    ring.friction = 0.1;
    return scene_put_at(world, BODY_STATIC, origin, 0.0, 32.0, &ring);
}

SCENE_BUILDER(build_spinner)
{
    body_id ring = put_ring(world, origin);
    shape_def bar = scene_box(0.4, 20.0);
    bar.geometry.polygon.radius = 0.2f;
    bar.friction = 0.0;
    joint_def drive = joint_def_default(JOINT_REVOLUTE);
    drive.a = ring;
    drive.b = scene_put_at(world, BODY_DYNAMIC, origin, 0.0, 12.0, &bar);
    drive.anchor = (vec2d){origin.x, origin.y + 12.0};
    drive.motor_speed = 5.0;
    drive.fields = JOINT_FIELD_ANCHOR | JOINT_FIELD_MOTOR_SPEED;
    joint_id id;
    error err;
    if (joint_create(world, &drive, &id, &err) != STATUS_OK) {
        abort();
    }
    shape_def forms[3] = {scene_capsule(0.25, 0.25), scene_circle(0.35), scene_box(0.35, 0.35)};
    for (int i = 0; i < 3; i++) {
        forms[i].friction = 0.1;
        forms[i].restitution = 0.1;
        forms[i].density = 0.25;
    }
    double x = -23.0;
    double y = 2.0;
    for (int i = 0; i < scale; i++) {
        scene_put_at(world, BODY_DYNAMIC, origin, x, y, &forms[i % 3]);
        x += 0.5;
        if (x >= 23.0) {
            x = -23.0;
            y += 0.5;
        }
    }
}

SCENE_BUILDER(build_smash)
{
    shape_def box = scene_box(0.2, 0.2);
    int rows = scale * 2 / 3;
    for (int i = 0; i < scale; i++) {
        for (int j = 0; j < rows; j++) {
            body_def def = body_def_default();
            def.position =
                (vec2d){origin.x + 30.0 + 0.4 * i, origin.y + (j - 0.5 * (rows - 1)) * 0.4};
            def.awake = false;
            scene_put(world, &def, &box, 1);
        }
    }
    shape_def ram = scene_box(4.0, 4.0);
    ram.density = 8.0;
    body_def def = body_def_default();
    def.position = (vec2d){origin.x - 20.0, origin.y};
    def.velocity = (vec2d){40.0, 0.0};
    scene_put(world, &def, &ram, 1);
}

SCENE_BUILDER(build_compounds)
{
    shape_def tile = scene_box(0.5, 0.5);
    for (int i = 0; i < 81; i++) {
        scene_put_at(world, BODY_STATIC, origin, i - 40.0, -0.5, &tile);
    }
    for (int i = 0; i < 100; i++) {
        scene_put_at(world, BODY_STATIC, origin, -40.0, i + 0.5, &tile);
        scene_put_at(world, BODY_STATIC, origin, 40.0, i + 0.5, &tile);
    }
    vec2 left[3] = {{-1.0f, 0.0f}, {0.5f, 1.0f}, {0.0f, 2.0f}};
    vec2 right[3] = {{1.0f, 0.0f}, {-0.5f, 1.0f}, {0.0f, 2.0f}};
    shape_def halves[2] = {scene_polygon(left, 3), scene_polygon(right, 3)};
    halves[0].friction = halves[1].friction = 0.5;
    for (int j = 0; j < scale; j++) {
        for (int i = 0; i < 20; i++) {
            body_def def = body_def_default();
            double shift = j % 2 == 0 ? 0.25 : -0.25;
            def.position = (vec2d){origin.x + 2.0 * i - 19.0 + shift, origin.y + 2.25 * j + 5.575};
            scene_put(world, &def, halves, 2);
        }
    }
}
