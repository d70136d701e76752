// Floors of many pieces: bodies slide and roll over them as over one piece, with the same speed,
// without a hop or a turn; but real obstacles still have their effect: steps, walls, ramps, edges.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

enum { PIECES = 500 };
static const double LENGTH = 250.0; // length of the floor [m], from x = 0 on; tops at y = 0
static const double SIZE = 0.5;     // approximate height and width of the sliding body

typedef enum floor_kind {
    ONE_BOX,
    CHAIN,
    TILES_OF_ONE_BODY,
    TILES,
    MIXED, // boxes and segments of different widths, deep and shallow
    FLOOR_COUNT
} floor_kind;

typedef enum rider_kind { BOX, BALL, CAPSULE, ROUNDED_BOX, RIDER_COUNT } rider_kind;

// ---- scenes

// A scene, which may be turned as a whole, with its gravity.
typedef struct scene {
    physics_world *world;
    double angle;
} scene;

static vec2d turned(const scene *s, double x, double y)
{
    double c = cos(s->angle);
    double sine = sin(s->angle);
    return (vec2d){c * x - sine * y, sine * x + c * y};
}

static scene make_scene(double angle)
{
    scene s = {NULL, angle};
    world_def def = world_def_default();
    def.gravity = turned(&s, 0.0, -10.0);
    s.world = make_world_of(&def);
    return s;
}

static body_id put_turned(const scene *s, body_def def, const shape_def *shapes, int count)
{
    def.position = turned(s, def.position.x, def.position.y);
    def.velocity = turned(s, def.velocity.x, def.velocity.y);
    def.angle += s->angle;
    return put(s->world, &def, shapes, count);
}

// The body's place and velocity in the scene's rotated axes.
static body_info look_turned(const scene *s, body_id id)
{
    const scene back = {NULL, -s->angle};
    body_info b = look(s->world, id);
    b.position = turned(&back, b.position.x, b.position.y);
    b.velocity = turned(&back, b.velocity.x, b.velocity.y);
    b.angle = remainder(b.angle - s->angle, 2.0 * 3.14159265358979);
    return b;
}

static body_id put_tile(const scene *s, body_type type, double left, double width, double top,
                        double friction)
{
    shape_def tile = make_box_at(width, 1.0, (vec2){0.0f, -0.5f}, 0.0);
    tile.friction = friction;
    body_def def = body_def_default();
    def.type = type;
    def.position = (vec2d){left + 0.5 * width, top};
    return put_turned(s, def, &tile, 1);
}

static void put_chain(const scene *s, double friction)
{
    static vec2 points[PIECES + 1];
    for (int i = 0; i <= PIECES; i++) { // to the left, so that the upper side collides
        points[i] = (vec2){(float)(LENGTH * (PIECES - i) / PIECES), 0.0f};
    }
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = PIECES + 1;
    chain.friction = friction;
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    put_turned(s, def, &chain, 1);
}

static void put_tiles_of_one_body(const scene *s, double friction)
{
    static shape_def tiles[PIECES];
    const double width = LENGTH / PIECES;
    for (int i = 0; i < PIECES; i++) {
        tiles[i] = make_box_at(width, 1.0, (vec2){(float)(width * (i + 0.5)), -0.5f}, 0.0);
        tiles[i].friction = friction;
    }
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    put_turned(s, def, tiles, PIECES);
}

static void put_mixed(const scene *s, double friction)
{
    static const double WIDTHS[] = {0.5, 1.3, 0.1, 0.7, 0.25, 0.05, 0.9};
    double left = 0.0;
    for (int i = 0; left < LENGTH; i++) {
        double width = WIDTHS[i % 7];
        if (i % 3 == 1) {
            shape_def edge = shape_def_default();
            edge.geometry.kind = SHAPE_SEGMENT;
            edge.geometry.segment = (segment){{0.0f, 0.0f}, {(float)width, 0.0f}};
            edge.friction = friction;
            body_def def = body_def_default();
            def.type = BODY_STATIC;
            def.position.x = left;
            put_turned(s, def, &edge, 1);
        } else {
            put_tile(s, BODY_STATIC, left, width, 0.0, friction);
        }
        left += width;
    }
}

static void put_pieces(const scene *s, floor_kind kind, double friction)
{
    switch (kind) {
    case ONE_BOX:
        put_tile(s, BODY_STATIC, 0.0, LENGTH, 0.0, friction);
        break;
    case CHAIN:
        put_chain(s, friction);
        break;
    case TILES_OF_ONE_BODY:
        put_tiles_of_one_body(s, friction);
        break;
    case TILES:
        for (int i = 0; i < PIECES; i++) {
            put_tile(s, BODY_STATIC, i * LENGTH / PIECES, LENGTH / PIECES, 0.0, friction);
        }
        break;
    case MIXED:
    case FLOOR_COUNT:
        put_mixed(s, friction);
        break;
    }
}

static body_id put_rider(const scene *s, rider_kind kind, double x, double speed, double friction)
{
    shape_def shape = make_box(SIZE, SIZE);
    if (kind == BALL) {
        shape = make_circle(0.5 * SIZE);
    } else if (kind == CAPSULE) {
        shape.geometry.kind = SHAPE_CAPSULE;
        shape.geometry.capsule = (capsule){{-0.3f, 0.0f}, {0.3f, 0.0f}, 0.5f * (float)SIZE};
    } else if (kind == ROUNDED_BOX) {
        shape = make_box(0.8 * SIZE, 0.8 * SIZE);
        shape.geometry.polygon.radius = 0.1f * (float)SIZE;
    }
    shape.friction = friction;
    body_def def = body_def_default();
    def.position = (vec2d){x, 0.5 * SIZE};
    def.velocity.x = speed;
    def.angular_velocity = kind == BALL && friction > 0.0 ? -speed / (0.5 * SIZE) : 0.0; // rolls
    def.allow_sleep = false;
    return put_turned(s, def, &shape, 1);
}

// ---- rides

typedef struct ride {
    double speed;       // speed at the end [m/s]
    double way;         // [m]
    double high, low;   // largest deviation from the usual height [m]
    double turn;        // largest turn, except for balls [rad]
    double upward_most; // [m/s]
} ride;

static ride go(rider_kind rider, floor_kind floor, double angle, double speed, double friction)
{
    const double start = 0.9;
    scene s = make_scene(angle);
    put_pieces(&s, floor, friction);
    body_id id = put_rider(&s, rider, start, speed, friction);
    ride r = {0};
    int ticks = (int)fmin(300.0, 60.0 * 0.95 * LENGTH / speed);
    for (int tick = 0; tick < ticks; tick++) {
        world_step(s.world);
        body_info b = look_turned(&s, id);
        r.high = fmax(r.high, b.position.y - 0.5 * SIZE);
        r.low = fmax(r.low, 0.5 * SIZE - b.position.y);
        r.upward_most = fmax(r.upward_most, b.velocity.y);
        r.turn = rider == BALL ? 0.0 : fmax(r.turn, fabs(b.angle));
    }
    body_info b = look_turned(&s, id);
    r.speed = b.velocity.x;
    r.way = b.position.x - start;
    world_free(s.world);
    return r;
}

static void assert_smooth(const ride *r)
{
    assert_near(r->high, 0.0, 5e-4);
    assert_near(r->low, 0.0, 4e-3);
    assert_near(r->turn, 0.0, 6e-3);
    assert_near(r->upward_most, 0.0, 0.02);
}

// Checks each rider at each speed: without friction it loses no speed, and with friction it slides
// as far as over one box.
static void assert_like_one_box(floor_kind floor, double angle)
{
    static const double SPEEDS[] = {2.0, 10.0, 40.0};
    for (int rider = 0; rider < RIDER_COUNT; rider++) {
        for (int i = 0; i < 3; i++) {
            ride smooth = go((rider_kind)rider, floor, angle, SPEEDS[i], 0.0);
            assert_smooth(&smooth);
            assert_near(smooth.speed, SPEEDS[i], 1e-4 * SPEEDS[i]);
            ride rough = go((rider_kind)rider, floor, angle, SPEEDS[i], 0.1);
            ride one = go((rider_kind)rider, ONE_BOX, angle, SPEEDS[i], 0.1);
            assert_smooth(&rough);
            assert_near(rough.way, one.way, 0.01 * one.way);
            double lost = SPEEDS[i] - one.speed;
            assert_true(rough.speed > SPEEDS[i] - 1.01 * lost - 5e-4 * SPEEDS[i]);
        }
    }
}

static void chain_of_500_pieces_is_as_one_box(void **state)
{
    (void)state;
    assert_like_one_box(CHAIN, 0.0);
}

static void tiles_of_one_body_are_as_one_box(void **state)
{
    (void)state;
    assert_like_one_box(TILES_OF_ONE_BODY, 0.0);
}

static void tiles_of_500_bodies_are_as_one_box(void **state)
{
    (void)state;
    assert_like_one_box(TILES, 0.0);
}

static void pieces_of_different_width_and_kind_are_as_one_box(void **state)
{
    (void)state;
    assert_like_one_box(MIXED, 0.0);
}

// Also as a wall and as a ceiling: the direction of the axes must not matter.
static void tiles_that_stand_at_an_angle_are_as_one_box(void **state)
{
    (void)state;
    assert_like_one_box(TILES, 0.6);
    assert_like_one_box(TILES, 1.5707963267948966);
    assert_like_one_box(TILES_OF_ONE_BODY, -2.5);
}

// The touching point of a rolling ball changes all the time; the ball must not sink in by the
// motion of that point in a step, and not lose speed.
static void ball_that_rolls_fast_stays_on_the_floor_and_keeps_its_speed(void **state)
{
    (void)state;
    for (int floor = 0; floor < FLOOR_COUNT; floor++) {
        for (double radius = 0.1; radius < 0.6; radius += 0.2) {
            for (double speed = 20.0; speed < 50.0; speed += 20.0) {
                scene s = make_scene(0.0);
                put_pieces(&s, (floor_kind)floor, 0.6);
                shape_def ball = make_circle(radius);
                ball.friction = 0.6;
                body_def def = body_def_default();
                def.position = (vec2d){1.0, radius};
                def.velocity.x = speed;
                def.angular_velocity = -speed / radius;
                body_id id = put_turned(&s, def, &ball, 1);
                for (int tick = 0; tick < 300; tick++) {
                    world_step(s.world);
                    assert_near(look(s.world, id).position.y, radius, 2.5e-3);
                }
                assert_near(look(s.world, id).velocity.x, speed, 2e-3 * speed);
                world_free(s.world);
            }
        }
    }
}

// ---- real corners, which are no seams

static void step_of_a_centimetre_stops_a_box(void **state)
{
    (void)state;
    scene s = make_scene(0.0);
    put_tile(&s, BODY_STATIC, 0.0, 2.0, 0.0, 0.0);
    put_tile(&s, BODY_STATIC, 2.0, 2.0, 0.01, 0.0);
    body_id id = put_rider(&s, BOX, 1.0, 0.5, 0.0);
    double farthest = 0.0;
    for (int tick = 0; tick < 300; tick++) {
        world_step(s.world);
        farthest = fmax(farthest, look(s.world, id).position.x);
        assert_near(look(s.world, id).position.y, 0.5 * SIZE, 0.01);
    }
    assert_near(farthest, 2.0 - 0.5 * SIZE, 0.01);
    world_free(s.world);
}

static void tiles_that_are_half_a_millimetre_off_do_not_stop_a_box(void **state)
{
    (void)state;
    scene s = make_scene(0.0);
    for (int i = 0; i < 200; i++) {
        put_tile(&s, BODY_STATIC, 0.5 * i, 0.5, 0.0005 * (i % 3 - 1), 0.0);
    }
    body_id id = put_rider(&s, BOX, 1.0, 10.0, 0.0);
    for (int tick = 0; tick < 500; tick++) {
        world_step(s.world);
        assert_near(look(s.world, id).position.y, 0.5 * SIZE, 0.004);
    }
    assert_near(look(s.world, id).velocity.x, 10.0, 0.01);
    world_free(s.world);
}

static void wall_of_tiles_on_a_floor_of_tiles_stops_all_that_comes(void **state)
{
    (void)state;
    for (int rider = 0; rider < RIDER_COUNT; rider++) {
        for (double speed = 1.0; speed < 50.0; speed *= 3.0) {
            scene s = make_scene(0.0);
            for (int i = 0; i < 20; i++) {
                put_tile(&s, BODY_STATIC, 0.5 * i, 0.5, 0.0, 0.3);
                put_tile(&s, BODY_STATIC, 10.0, 0.5, 1.0 * i, 0.3);
            }
            body_id id = put_rider(&s, (rider_kind)rider, 5.0, speed, 0.3);
            for (int tick = 0; tick < 300; tick++) {
                world_step(s.world);
                body_info b = look(s.world, id);
                assert_true(b.position.x < 10.0 - 0.3 * SIZE);
                assert_true(b.position.y > 0.3 * SIZE);
            }
            assert_true(look(s.world, id).position.x < 10.0 - 0.5 * SIZE + 0.005);
            assert_true(look(s.world, id).position.y > 0.5 * SIZE - 0.005);
            world_free(s.world);
        }
    }
}

static void box_in_a_corner_of_tiles_rests_on_floor_and_wall(void **state)
{
    (void)state;
    scene s = make_scene(-0.5); // the body leans into the corner
    for (int i = 0; i < 8; i++) {
        put_tile(&s, BODY_STATIC, 0.25 * i, 0.25, 0.0, 0.1);
        put_tile(&s, BODY_STATIC, 2.0, 0.5, 0.25 * i + 0.25, 0.1);
    }
    world_set_gravity(s.world, (vec2d){0.0, -10.0}, &(error){0});
    body_id id = put_rider(&s, BOX, 1.0, 0.0, 0.1);
    run(s.world, 600);
    body_info b = look_turned(&s, id);
    assert_near(b.position.x, 2.0 - 0.5 * SIZE, 0.005);
    assert_near(b.position.y, 0.5 * SIZE, 0.005);
    assert_near(b.angle, 0.0, 0.005);
    assert_near(b.velocity.x, 0.0, 1e-3);
    world_free(s.world);
}

// The height that the rider reaches on a ramp behind a floor, each of `pieces` pieces.
static double climb(rider_kind rider, int pieces)
{
    const double slope = 0.2;
    const double width = 12.0 / pieces;
    scene s = make_scene(0.0);
    for (int i = 0; i < pieces; i++) {
        put_tile(&s, BODY_STATIC, width * i - 7.0, width, 0.0, 0.0);
        shape_def tile = make_box_at(width, 1.0, (vec2){(float)(width * (i + 0.5)), -0.5f}, 0.0);
        tile.friction = 0.0;
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position.x = 5.0;
        def.angle = slope;
        put(s.world, &def, &tile, 1);
    }
    body_id id = put_rider(&s, rider, 2.0, 6.0, 0.0);
    double highest = 0.0;
    for (int tick = 0; tick < 250; tick++) {
        world_step(s.world);
        body_info b = look(s.world, id);
        double above = (b.position.y - tan(slope) * (b.position.x - 5.0)) * cos(slope);
        assert_true(above > 0.5 * SIZE - 0.03);
        assert_true(b.position.y > 0.5 * SIZE - 0.01);
        highest = fmax(highest, b.position.y);
    }
    world_free(s.world);
    return highest;
}

static void ramp_of_tiles_at_the_end_of_a_floor_is_climbed_as_one_of_one_piece(void **state)
{
    (void)state;
    for (int rider = 0; rider < RIDER_COUNT; rider++) {
        double one = climb((rider_kind)rider, 1);
        double many = climb((rider_kind)rider, 24);
        assert_near(many, one, 0.01 * one);
    }
}

static void box_over_a_hole_stands_on_both_edges_or_falls_through(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        scene s = make_scene(0.0);
        double hole = narrow ? 0.4 : 0.6;
        put_tile(&s, BODY_STATIC, 0.0, 1.0, 0.0, 0.5);
        put_tile(&s, BODY_STATIC, 1.0 + hole, 1.0, 0.0, 0.5);
        body_id id = put_rider(&s, BOX, 1.0 + 0.5 * hole, 0.0, 0.5);
        run(s.world, 120);
        if (narrow) {
            assert_near(look(s.world, id).position.y, 0.5 * SIZE, 0.003);
        } else {
            assert_true(look(s.world, id).position.y < -1.0);
        }
        world_free(s.world);
    }
}

// The box slides from the higher tile down to the lower ones, but not back up.
static void box_slides_off_a_step_and_not_up_again(void **state)
{
    (void)state;
    scene s = make_scene(0.0);
    for (int i = 0; i < 200; i++) {
        put_tile(&s, BODY_STATIC, 0.5 * i, 0.5, i < 10 ? 0.05 : 0.0, 0.0);
    }
    body_id id = put_rider(&s, BOX, 2.0, 5.0, 0.0);
    body_def up = body_def_default();
    up.position = (vec2d){2.0, 0.05 + 0.5 * SIZE};
    assert_int_equal(body_set(s.world, id, BODY_FIELD_POSITION, &up, &(error){0}), STATUS_OK);
    double lowest = 1.0;
    for (int tick = 0; tick < 150; tick++) {
        world_step(s.world);
        lowest = fmin(lowest, look(s.world, id).position.y);
    }
    assert_near(look(s.world, id).velocity.x, 5.0, 0.02);
    assert_true(lowest > 0.5 * SIZE - 0.01);
    set_velocity(s.world, id, -0.5, 0.0);
    run(s.world, 60 * 40);
    assert_true(look(s.world, id).position.x > 5.0 + 0.5 * SIZE - 0.01);
    world_free(s.world);
}

static void box_that_falls_on_edges_of_unequal_height_comes_to_rest(void **state)
{
    (void)state;
    for (double x = 0.75; x < 1.3; x += 0.05) {
        scene s = make_scene(0.0);
        for (int i = 0; i < 4; i++) {
            put_tile(&s, BODY_STATIC, 0.5 * i, 0.5, i < 2 ? 0.1 : 0.0, 0.6);
        }
        shape_def box = make_box(SIZE, SIZE);
        body_id id = put_at(s.world, x, 2.0, &box);
        run(s.world, 600);
        body_info b = look(s.world, id);
        assert_false(b.awake);
        assert_true(b.position.y > 0.5 * SIZE - 0.005);
        assert_true(b.position.x > 1.0 || b.position.y > 0.3);
        world_free(s.world);
    }
}

// ---- floors that move

static void conveyor_of_kinematic_tiles_carries_a_box_and_hands_it_on(void **state)
{
    (void)state;
    scene s = make_scene(0.0);
    body_id tiles[40];
    for (int i = 0; i < 40; i++) {
        tiles[i] = put_tile(&s, BODY_KINEMATIC, 0.5 * i - 10.0, 0.5, 0.0, 0.5);
        set_velocity(s.world, tiles[i], 3.0, 0.0);
    }
    body_id id = put_rider(&s, BOX, 0.0, 0.0, 0.5);
    for (int tick = 0; tick < 180; tick++) {
        world_step(s.world);
        body_info b = look(s.world, id);
        assert_near(b.position.y, 0.5 * SIZE, 0.004);
        assert_near(b.angle, 0.0, 0.01);
    }
    assert_near(look(s.world, id).velocity.x, 3.0, 0.01);
    // A box that is faster than the moving tiles slides over them, and on to static ones.
    double end = look(s.world, tiles[39]).position.x + 0.25;
    for (int i = 0; i < 40; i++) {
        put_tile(&s, BODY_STATIC, end + 0.5 * i, 0.5, 0.0, 0.5);
        set_velocity(s.world, tiles[i], 0.0, 0.0);
    }
    set_velocity(s.world, id, 12.0, 0.0);
    double from = look(s.world, id).position.x;
    run(s.world, 240);
    body_info b = look(s.world, id);
    assert_near(b.velocity.x, 0.0, 1e-3);
    assert_near(b.position.x - from, 0.5 * 144.0 / 5.0, 0.3); // v² / (2 µ g)
    assert_near(b.angle, 0.0, 0.005);
    world_free(s.world);
}

static void lift_that_rises_beside_a_floor_becomes_a_wall(void **state)
{
    (void)state;
    scene s = make_scene(0.0);
    put_tile(&s, BODY_STATIC, 0.0, 4.0, 0.0, 0.0);
    body_id lift = put_tile(&s, BODY_KINEMATIC, 4.0, 2.0, 0.0, 0.0);
    set_velocity(s.world, lift, 0.0, 0.05);
    body_id id = put_rider(&s, BOX, 2.0, 1.0, 0.0);
    run(s.world, 600);
    assert_true(look(s.world, id).position.x < 4.0 - 0.5 * SIZE + 0.01);
    assert_near(look(s.world, id).position.y, 0.5 * SIZE, 0.005);
    world_free(s.world);
}

// ---- state

static uint64_t hash_after_restoring(const physics_world *world, int ticks)
{
    physics_world *copy = restored(world);
    run(copy, ticks);
    uint64_t hash = world_hash(copy);
    world_free(copy);
    return hash;
}

static void image_from_the_middle_of_a_ride_goes_on_with_the_same_hashes(void **state)
{
    (void)state;
    enum { TICKS = 120, AHEAD = 5 };
    scene s = make_scene(0.0);
    put_pieces(&s, MIXED, 0.2);
    for (int i = 0; i < 2 * RIDER_COUNT; i++) {
        put_rider(&s, (rider_kind)(i % RIDER_COUNT), 2.0 + 3.0 * i, 3.0 + 2.0 * i, 0.2);
    }
    uint64_t promised[AHEAD] = {0};
    for (int tick = 0; tick < TICKS; tick++) {
        if (tick >= AHEAD) {
            assert_true(world_hash(s.world) == promised[tick % AHEAD]);
        }
        promised[tick % AHEAD] = hash_after_restoring(s.world, AHEAD);
        world_step(s.world);
    }
    world_free(s.world);
}

// Each shape of a body is handled separately, so a body may have many.
static void body_of_a_hundred_feet_slides_over_tiles(void **state)
{
    (void)state;
    enum { FEET = 100, GROUND = 60 };
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def tile = make_box(1.0, 1.0);
    tile.friction = 0.0;
    for (int i = 0; i < GROUND; i++) {
        body_def ground = body_def_default();
        ground.type = BODY_STATIC;
        ground.position = (vec2d){i, -0.5};
        put(world, &ground, &tile, 1);
    }
    shape_def feet[FEET];
    for (int i = 0; i < FEET; i++) {
        feet[i] = make_box_at(0.18, 0.2, (vec2){0.2f * (float)i, 0.0f}, 0.0);
        feet[i].friction = 0.0;
    }
    body_def def = body_def_default();
    def.position = (vec2d){1.0, 0.1};
    def.velocity = (vec2d){5.0, 0.0};
    body_id raft = put(world, &def, feet, FEET);
    run(world, 300); // 25 m
    body_info b = look(world, raft);
    assert_near(b.position.x, 26.0, 0.1);
    assert_near(b.position.y, 0.1, 0.005);
    assert_near(b.velocity.x, 5.0, 0.02);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_500_pieces_is_as_one_box),
        cmocka_unit_test(tiles_of_one_body_are_as_one_box),
        cmocka_unit_test(tiles_of_500_bodies_are_as_one_box),
        cmocka_unit_test(pieces_of_different_width_and_kind_are_as_one_box),
        cmocka_unit_test(tiles_that_stand_at_an_angle_are_as_one_box),
        cmocka_unit_test(ball_that_rolls_fast_stays_on_the_floor_and_keeps_its_speed),
        cmocka_unit_test(step_of_a_centimetre_stops_a_box),
        cmocka_unit_test(tiles_that_are_half_a_millimetre_off_do_not_stop_a_box),
        cmocka_unit_test(wall_of_tiles_on_a_floor_of_tiles_stops_all_that_comes),
        cmocka_unit_test(box_in_a_corner_of_tiles_rests_on_floor_and_wall),
        cmocka_unit_test(ramp_of_tiles_at_the_end_of_a_floor_is_climbed_as_one_of_one_piece),
        cmocka_unit_test(box_over_a_hole_stands_on_both_edges_or_falls_through),
        cmocka_unit_test(box_slides_off_a_step_and_not_up_again),
        cmocka_unit_test(box_that_falls_on_edges_of_unequal_height_comes_to_rest),
        cmocka_unit_test(conveyor_of_kinematic_tiles_carries_a_box_and_hands_it_on),
        cmocka_unit_test(lift_that_rises_beside_a_floor_becomes_a_wall),
        cmocka_unit_test(body_of_a_hundred_feet_slides_over_tiles),
        cmocka_unit_test(image_from_the_middle_of_a_ride_goes_on_with_the_same_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
