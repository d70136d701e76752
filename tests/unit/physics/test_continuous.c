// No body tunnels: fast bodies against static ones, bullets against moving ones, spinning bars,
// boxes in closed rooms. Each seed gives a place, an angle and a speed.
#include "tests/support/cases.h"
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

#include "common/physics/joint.h"
#include "tests/golden/scenes.h"

enum { SEEDS = CASES_OF(1000) };

// A number from low to high, determined by the seed and its purpose `what`.
static double pick(int seed, int what, double low, double high)
{
    return low + 0.5 * (scene_noise((uint64_t)what, (uint64_t)seed) + 1.0) * (high - low);
}

// A place as the body sees it.
static vec2d seen_from(const body_info *body, vec2d place)
{
    double x = place.x - body->position.x;
    double y = place.y - body->position.y;
    double c = (double)body->rotation.c;
    double s = (double)body->rotation.s;
    return (vec2d){c * x + s * y, c * y - s * x};
}

static vec2d along(double angle, double x, double y)
{
    return (vec2d){cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y};
}

typedef struct shot {
    physics_world *world;
    body_id wall, ball;
    double half; // half of the wall's length
} shot;

// A wall a centimetre thick, and a 5 cm ball that flies at 400 m/s at a point of it, at up to 75
// degrees from its normal, from its left side (x < 0 in the wall's frame).
static shot make_shot(int seed, body_type wall_type, bool bullet)
{
    world_def wd = world_def_default();
    wd.gravity = (vec2d){0.0, seed % 2 == 0 ? 0.0 : -10.0};
    shot s = {.world = make_world_of(&wd), .half = wall_type == BODY_STATIC ? 100.0 : 3.0};
    double angle = pick(seed, 1, -3.1, 3.1);
    vec2d center = {pick(seed, 2, -500.0, 500.0), pick(seed, 3, -500.0, 500.0)};
    shape_def plate = make_box(0.01, 2.0 * s.half);
    plate.restitution = seed % 3 == 0 ? 0.0 : pick(seed, 4, 0.0, 1.0);
    plate.density = 200.0;
    body_def wall = body_def_default();
    wall.type = wall_type;
    wall.position = center;
    wall.angle = angle;
    wall.gravity_scale = 0.0;
    if (wall_type == BODY_KINEMATIC) {
        wall.velocity = (vec2d){pick(seed, 5, -50.0, 50.0), pick(seed, 6, -50.0, 50.0)};
        wall.angular_velocity = pick(seed, 7, -3.0, 3.0);
    }
    s.wall = put(s.world, &wall, &plate, 1);

    double slant = pick(seed, 8, -1.3, 1.3);
    double distance = pick(seed, 9, 0.3, 8.0);
    double aim = pick(seed, 10, -1.0, 1.0);
    shape_def ball = make_circle(0.05);
    ball.friction = pick(seed, 11, 0.0, 1.0);
    body_def def = body_def_default();
    def.bullet = bullet;
    vec2d from = along(angle, -0.1 - distance * cos(slant), aim - distance * sin(slant));
    vec2d speed = along(angle, 400.0 * cos(slant), 400.0 * sin(slant));
    if (wall_type == BODY_KINEMATIC) { // it flies to where the wall will be
        speed.x += wall.velocity.x;
        speed.y += wall.velocity.y;
    }
    def.position = (vec2d){center.x + from.x, center.y + from.y};
    def.velocity = speed;
    s.ball = put(s.world, &def, &ball, 1);
    return s;
}

// Counts the balls (one per seed) that appear on the other side of the wall before they pass its
// end.
static int count_through(body_type wall_type, bool bullet)
{
    int through = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        shot s = make_shot(seed, wall_type, bullet);
        for (int tick = 0; tick < 30; tick++) {
            world_step(s.world);
            body_info wall = look(s.world, s.wall);
            body_info ball = look(s.world, s.ball);
            vec2d at = seen_from(&wall, ball.position);
            if (fabs(at.y) > s.half) {
                break; // the ball has passed the wall's end
            }
            if (at.x > 0.0) {
                through++;
                print_message("seed %d, tick %d: at %g, %g\n", seed, tick, at.x, at.y);
                break;
            }
        }
        world_free(s.world);
    }
    return through;
}

static void ball_at_thin_static_wall_never_passes(void **state)
{
    (void)state;
    assert_int_equal(count_through(BODY_STATIC, false), 0);
}

static void bullet_at_thin_static_wall_never_passes(void **state)
{
    (void)state;
    assert_int_equal(count_through(BODY_STATIC, true), 0);
}

static void bullet_at_thin_moving_wall_never_passes(void **state)
{
    (void)state;
    assert_int_equal(count_through(BODY_KINEMATIC, true), 0);
}

static void bullet_at_thin_free_wall_never_passes(void **state)
{
    (void)state;
    assert_int_equal(count_through(BODY_DYNAMIC, true), 0);
}

// Counts how many times two balls that meet head on, `bullets` of them bullets, pass through each
// other.
static int count_passing(int bullets)
{
    int through = 0;
    shape_def ball = make_circle(0.05);
    for (int seed = 0; seed < SEEDS; seed++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        body_id ids[2];
        for (int i = 0; i < 2; i++) {
            body_def def = body_def_default();
            double side = i == 0 ? -1.0 : 1.0;
            def.bullet = i < bullets;
            def.position.x = side * pick(seed, 20 + i, 0.2, 6.0);
            def.velocity.x = -side * pick(seed, 22 + i, 50.0, 400.0);
            def.fixed_rotation = true;
            ids[i] = put(world, &def, &ball, 1);
        }
        for (int tick = 0; tick < 30; tick++) {
            world_step(world);
            if (look(world, ids[0]).position.x > look(world, ids[1]).position.x) {
                through++;
                break;
            }
        }
        world_free(world);
    }
    return through;
}

static void bullets_head_on_never_pass(void **state)
{
    (void)state;
    assert_int_equal(count_passing(2), 0);
}

static void bullet_and_fast_ball_head_on_never_pass(void **state)
{
    (void)state;
    assert_int_equal(count_passing(1), 0);
    assert_true(count_passing(0) > 0); // otherwise the test proves nothing
}

// A bar turns about its middle, between two posts: each post must stay on the same side of it. (The
// hinge yields a little under such impacts, so the angle alone proves less.)
static int spin_bar(int seed, double fastest)
{
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    body_id ground = put(world, &def, NULL, 0);
    double post_angle = pick(seed, 30, 0.3, 2.8);
    double post_place = pick(seed, 31, 0.5, 1.9);
    double post_radius = pick(seed, 32, 0.02, 0.1);
    shape_def post = make_circle(post_radius);
    def.position = along(post_angle, post_place, 0.0);
    put(world, &def, &post, 1);

    shape_def bar = make_box(4.0, pick(seed, 33, 0.01, 0.1));
    bar.restitution = pick(seed, 34, 0.0, 1.0);
    def = body_def_default();
    def.angular_velocity = pick(seed, 35, -fastest, fastest);
    body_id id = put(world, &def, &bar, 1);
    joint_def hinge = joint_def_default(JOINT_REVOLUTE);
    hinge.a = ground;
    hinge.b = id;
    hinge.fields = JOINT_FIELD_ANCHOR;
    joint_id joint;
    error err;
    assert_int_equal(joint_create(world, &hinge, &joint, &err), STATUS_OK);

    int passed = 0;
    for (int tick = 0; tick < 60 && !passed; tick++) {
        world_step(world);
        body_info b = look(world, id);
        vec2d at = seen_from(&b, along(post_angle, post_place, 0.0));
        passed = fabs(at.x) < 2.0 && at.y < 0.0;
    }
    if (passed) {
        print_message("seed %d: post at %g rad, bar's spin %g rad/s\n", seed, post_angle,
                      pick(seed, 35, -fastest, fastest));
    }
    world_free(world);
    return passed;
}

static void spinning_bar_at_post_never_passes(void **state)
{
    (void)state;
    int passed = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        passed += spin_bar(seed, 100.0); // up to a quarter turn a step
    }
    assert_int_equal(passed, 0);
}

// Bars that rotate up to ten times per step, in a room of thin plates that is hardly wider than a
// bar's length.
static void bar_of_whole_turns_a_step_stays_in_room(void **state)
{
    (void)state;
    for (int seed = 0; seed < 100; seed++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        shape_def plates[4] = {
            make_box_at(0.02, 4.4, (vec2){-2.2f, 0.0f}, 0.0),
            make_box_at(0.02, 4.4, (vec2){2.2f, 0.0f}, 0.0),
            make_box_at(4.4, 0.02, (vec2){0.0f, -2.2f}, 0.0),
            make_box_at(4.4, 0.02, (vec2){0.0f, 2.2f}, 0.0),
        };
        put(world, &def, plates, 4);
        shape_def bar = make_box(4.0, pick(seed, 33, 0.02, 0.2));
        bar.restitution = pick(seed, 34, 0.0, 1.0);
        def = body_def_default();
        def.angular_velocity = pick(seed, 35, -4000.0, 4000.0);
        def.velocity = (vec2d){pick(seed, 36, -20.0, 20.0), pick(seed, 37, -20.0, 20.0)};
        body_id id = put(world, &def, &bar, 1);
        for (int tick = 0; tick < 200; tick++) {
            world_step(world);
            body_info b = look(world, id);
            double x = fabs(b.position.x) + 2.0 * fabs((double)b.rotation.c);
            double y = fabs(b.position.y) + 2.0 * fabs((double)b.rotation.s);
            if (x > 2.5 || y > 2.5) {
                fail_msg("seed %d, tick %d: out by %g, %g", seed, tick, x - 2.2, y - 2.2);
            }
        }
        world_free(world);
    }
}

// Spinning bars thrown at a plate; no corner may come out behind it.
static void thrown_spinning_bar_at_plate_stays_in_front(void **state)
{
    (void)state;
    int through = 0;
    for (int seed = 0; seed < SEEDS / 2; seed++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position.x = 0.01;
        shape_def plate = make_box(0.02, 200.0); // its face is at x = 0
        put(world, &def, &plate, 1);
        shape_def bar = make_box(2.0, 0.04);
        bar.restitution = pick(seed, 40, 0.0, 0.8);
        def = body_def_default();
        def.position = (vec2d){-1.2 - pick(seed, 41, 0.0, 3.0), 0.0};
        def.velocity = (vec2d){pick(seed, 42, 5.0, 200.0), pick(seed, 43, -50.0, 50.0)};
        def.angle = pick(seed, 44, -3.0, 3.0);
        def.angular_velocity = pick(seed, 45, -300.0, 300.0);
        body_id id = put(world, &def, &bar, 1);
        for (int tick = 0; tick < 60; tick++) {
            world_step(world);
            body_info b = look(world, id);
            double reach = fabs((double)b.rotation.c) + 0.02 * fabs((double)b.rotation.s);
            if (b.position.x > 0.0 || b.position.x + reach > 0.15) {
                print_message("seed %d, tick %d: x %g, reach %g\n", seed, tick, b.position.x,
                              b.position.x + reach);
                through++;
                break;
            }
        }
        world_free(world);
    }
    assert_int_equal(through, 0);
}

// Throws boxes down at a valley, made of a chain or of segments.
static int throw_at_valley(bool chain)
{
    int through = 0;
    for (int seed = 0; seed < SEEDS / 2; seed++) {
        physics_world *world = make_world((vec2d){0.0, -10.0});
        vec2 points[9];
        for (int i = 0; i < 9; i++) { // to the left, so that the upper side collides
            float x = 40.0f - 10.0f * (float)i;
            points[i] = (vec2){x, 0.02f * x * x + (float)pick(seed, 50 + i, -0.5, 0.5)};
        }
        shape_def pieces[8];
        int count = chain ? 1 : 8;
        for (int i = 0; i < count; i++) {
            pieces[i] = shape_def_default();
            if (chain) {
                pieces[i].form = FORM_CHAIN;
                pieces[i].points = points;
                pieces[i].point_count = 9;
            } else {
                pieces[i].geometry.kind = SHAPE_SEGMENT;
                pieces[i].geometry.segment = (segment){points[i], points[i + 1]};
            }
        }
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        put(world, &def, pieces, count);
        shape_def box = make_box(pick(seed, 60, 0.05, 0.6), pick(seed, 61, 0.05, 0.6));
        def = body_def_default();
        def.position = (vec2d){pick(seed, 62, -10.0, 10.0), 12.0};
        def.velocity = (vec2d){pick(seed, 63, -100.0, 100.0), pick(seed, 64, -400.0, -50.0)};
        def.angular_velocity = pick(seed, 65, -50.0, 50.0);
        body_id id = put(world, &def, &box, 1);
        for (int tick = 0; tick < 60; tick++) {
            world_step(world);
            vec2d at = look(world, id).position;
            if (fabs(at.x) > 39.0) {
                break;
            }
            int i = (int)((40.0 - at.x) / 10.0);
            double t = (40.0 - at.x) / 10.0 - i;
            double height = (1.0 - t) * (double)points[i].y + t * (double)points[i + 1].y;
            if (at.y < height) {
                print_message("seed %d, tick %d: %g, %g below %g\n", seed, tick, at.x, at.y,
                              height);
                through++;
                break;
            }
        }
        world_free(world);
    }
    return through;
}

static void fast_box_at_chain_stays_above(void **state)
{
    (void)state;
    assert_int_equal(throw_at_valley(true), 0);
}

static void fast_box_at_segments_stays_above(void **state)
{
    (void)state;
    assert_int_equal(throw_at_valley(false), 0);
}

// A closed room, of four thin plates or of one chain.
static void put_room(physics_world *world, bool chain)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    vec2 corners[4] = {{-1.5f, -1.0f}, {-1.5f, 1.0f}, {1.5f, 1.0f}, {1.5f, -1.0f}}; // clockwise
    shape_def loop = shape_def_default();
    loop.form = FORM_CHAIN;
    loop.points = corners;
    loop.point_count = 4;
    loop.loop = true;
    shape_def plates[4] = {
        make_box_at(0.01, 2.03, (vec2){-1.505f, 0.0f}, 0.0),
        make_box_at(0.01, 2.03, (vec2){1.505f, 0.0f}, 0.0),
        make_box_at(3.03, 0.01, (vec2){0.0f, -1.005f}, 0.0),
        make_box_at(3.03, 0.01, (vec2){0.0f, 1.005f}, 0.0),
    };
    put(world, &def, chain ? &loop : plates, chain ? 1 : 4);
}

static void bounce_in_room(bool chain, bool bullet, double restitution)
{
    physics_world *world = make_world((vec2d){0.0, 0.0});
    put_room(world, chain);
    shape_def ball = make_circle(0.05);
    ball.restitution = restitution;
    ball.friction = 0.0;
    ball.events |= SHAPE_EVENT_HIT;
    body_def def = body_def_default();
    def.bullet = bullet;
    def.velocity = (vec2d){310.0, 253.0};
    body_id id = put(world, &def, &ball, 1);
    double energy = measure(world).energy;
    int hits = 0;
    for (int tick = 0; tick < 6000; tick++) {
        world_step(world);
        hits += count_events(world, EVENT_HIT, NULL);
        vec2d at = look(world, id).position;
        if (fabs(at.x) > 1.5 || fabs(at.y) > 1.0) {
            fail_msg("tick %d: out at %g, %g", tick, at.x, at.y);
        }
        assert_true(measure(world).energy <= energy * 1.001);
    }
    if (restitution == 1.0) {
        assert_true(hits > 2000);
    }
    world_free(world);
}

static void ball_in_room_of_plates_never_leaves(void **state)
{
    (void)state;
    bounce_in_room(false, false, 1.0);
    bounce_in_room(false, true, 1.0);
    bounce_in_room(false, false, 0.5);
}

static void ball_in_room_of_a_chain_never_leaves(void **state)
{
    (void)state;
    bounce_in_room(true, false, 1.0);
    bounce_in_room(true, true, 1.0);
    bounce_in_room(true, false, 0.5);
}

// Many boxes at once, which also hit each other.
static void crowd_in_room_never_leaves(void **state)
{
    (void)state;
    for (int chain = 0; chain < 2; chain++) {
        physics_world *world = make_world((vec2d){0.0, -10.0});
        put_room(world, chain == 1);
        for (int i = 0; i < 60; i++) {
            shape_def form = i % 2 == 0 ? make_circle(0.05) : make_box(0.12, 0.08);
            form.restitution = 0.9;
            body_def def = body_def_default();
            def.position = (vec2d){-1.2 + 0.25 * (i % 10), -0.7 + 0.25 * (i / 10)};
            def.velocity = (vec2d){pick(i, 70, -200.0, 200.0), pick(i, 71, -200.0, 200.0)};
            def.angular_velocity = pick(i, 72, -50.0, 50.0);
            put(world, &def, &form, 1);
        }
        for (int tick = 0; tick < 900; tick++) {
            world_step(world);
            for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
                vec2d at = look(world, id).position;
                if (fabs(at.x) > 1.5 || fabs(at.y) > 1.0) {
                    fail_msg("%s: tick %d: body %llu out at %g, %g", chain ? "chain" : "plates",
                             tick, (unsigned long long)id, at.x, at.y);
                }
            }
        }
        world_free(world);
    }
}

// Shoots bullets straight at a thin dynamic wall, and at each other, `off` beside the middle.
static void shoot_at_what_moves(double hz, double speed, double restitution, bool head_on)
{
    for (int k = 0; k < 8; k++) {
        world_def wd = world_def_default();
        wd.hz = hz;
        wd.gravity = (vec2d){0.0, 0.0};
        physics_world *world = make_world_of(&wd);
        shape_def ball = make_circle(0.1);
        shape_def plate = make_box(0.1, 4.0);
        plate.density = 100.0;
        ball.restitution = plate.restitution = restitution;
        body_def def = body_def_default();
        def.position = (vec2d){3.0 + 3.7 * k, 0.0};
        def.bullet = head_on;
        def.velocity = (vec2d){head_on ? -speed : 0.0, 0.0};
        body_id target = put(world, &def, head_on ? &ball : &plate, 1);
        def.position = (vec2d){0.0, head_on ? 0.01 * (k - 4) : 0.1 * (k - 4)};
        def.bullet = true;
        def.velocity = (vec2d){speed, 0.0};
        body_id bullet = put(world, &def, &ball, 1);
        for (int tick = 0; tick < (int)(40.0 * hz / speed) + 6; tick++) {
            world_step(world);
            body_info a = look(world, bullet);
            body_info b = look(world, target);
            if (a.velocity.x < 0.99 * speed) {
                break; // they have met: from here on one may roll off the other
            }
            assert_true(a.position.x < b.position.x);
        }
        const body_info a = look(world, bullet);
        const body_info b = look(world, target);
        assert_true(a.velocity.x < 0.99 * speed);
        // balls that do not meet head on may roll off each other
        assert_true(head_on || a.position.x < b.position.x);
        world_free(world);
    }
}

static void bullets_at_dynamic_bodies_never_pass(void **state)
{
    (void)state;
    const double rates[] = {30.0, 60.0, 120.0, 240.0};
    const double speeds[] = {400.0, 900.0, 2000.0, 3900.0};
    for (int i = 0; i < 4 * 4 * 2 * 2; i++) {
        shoot_at_what_moves(rates[i % 4], speeds[i / 4 % 4], i / 16 % 2 == 0 ? 0.0 : 0.5, i / 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_at_thin_static_wall_never_passes),
        cmocka_unit_test(bullet_at_thin_static_wall_never_passes),
        cmocka_unit_test(bullet_at_thin_moving_wall_never_passes),
        cmocka_unit_test(bullet_at_thin_free_wall_never_passes),
        cmocka_unit_test(bullets_head_on_never_pass),
        cmocka_unit_test(bullet_and_fast_ball_head_on_never_pass),
        cmocka_unit_test(spinning_bar_at_post_never_passes),
        cmocka_unit_test(bar_of_whole_turns_a_step_stays_in_room),
        cmocka_unit_test(thrown_spinning_bar_at_plate_stays_in_front),
        cmocka_unit_test(fast_box_at_chain_stays_above),
        cmocka_unit_test(fast_box_at_segments_stays_above),
        cmocka_unit_test(ball_in_room_of_plates_never_leaves),
        cmocka_unit_test(ball_in_room_of_a_chain_never_leaves),
        cmocka_unit_test(crowd_in_room_never_leaves),
        cmocka_unit_test(bullets_at_dynamic_bodies_never_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
