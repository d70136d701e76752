// Bodies that will meet within a step get their contact before (speculative.c): fast bodies that do
// not rebound stop at each other's surface instead of inside or behind. Bodies that fly past are
// left alone, bodies that rebound do so from the surface, and a world restored in mid-flight goes
// the same way.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

#include "common/geometry/distance.h"
#include "tests/golden/scenes.h"

// A number from low to high, determined by the seed and its purpose `what`.
static double pick(int seed, int what, double low, double high)
{
    return low + 0.5 * (scene_noise((uint64_t)what, (uint64_t)seed) + 1.0) * (high - low);
}

static body_id throw(physics_world * world, const shape_def *shape, vec2d from, double angle,
                     vec2d velocity)
{
    body_def def = body_def_default();
    def.position = from;
    def.angle = angle;
    def.velocity = velocity;
    return put(world, &def, shape, 1);
}

// The distance between two bodies of one convex shape each; 0 if they overlap.
static double apart(const physics_world *world, body_id a, const shape_def *shape_a, body_id b,
                    const shape_def *shape_b)
{
    body_info of_a = look(world, a);
    body_info of_b = look(world, b);
    proxy pa = proxy_from_shape(&shape_a->geometry);
    proxy pb = proxy_from_shape(&shape_b->geometry);
    transform b_in_a =
        pose_relative((pose){of_a.position, of_a.rotation}, (pose){of_b.position, of_b.rotation});
    return (double)distance_proxies(&pa, &pb, b_in_a, true, NULL).distance;
}

// The deepest point of all contacts.
static double deepest(const physics_world *world)
{
    contact_info contacts[64];
    uint32_t count = world_contacts(world, contacts, 64);
    double depth = 0.0;
    for (uint32_t i = 0; i < count && i < 64; i++) {
        for (int k = 0; k < contacts[i].count; k++) {
            depth = fmax(depth, (double)contacts[i].depth[k]);
        }
    }
    return depth;
}

// A shape of the kind, about half a metre wide.
static shape_def shape_of(int kind)
{
    shape_def s = make_circle(0.25);
    if (kind == 1) {
        s = make_box(0.5, 0.5);
    } else if (kind == 2) {
        s.geometry = (shape_geometry){.kind = SHAPE_CAPSULE,
                                      .capsule = {{-0.15f, 0.0f}, {0.15f, 0.0f}, 0.12f}};
    }
    return s;
}

typedef struct crash {
    physics_world *world;
    shape_def a, b;
    body_id left, right;
    double speed;
    totals before;
} crash;

static crash make_crash(int seed, bool upright)
{
    crash c = {.world = make_world((vec2d){0.0, 0.0}),
               .a = shape_of(seed % 3),
               .b = shape_of(seed / 3 % 3),
               .speed = pick(seed, 1, 5.0, 50.0)};
    body_def def = body_def_default();
    def.fixed_rotation = upright;
    def.position = (vec2d){-pick(seed, 2, 2.0, 3.0), 0.0};
    def.angle = pick(seed, 3, -3.0, 3.0);
    def.velocity = (vec2d){c.speed, 0.0};
    c.left = put(c.world, &def, &c.a, 1);
    def.position = (vec2d){pick(seed, 4, 2.0, 3.0), pick(seed, 5, -0.05, 0.05)};
    def.angle = pick(seed, 6, -3.0, 3.0);
    def.velocity = (vec2d){-pick(seed, 7, 0.0, 1.0) * c.speed, 0.0};
    c.right = put(c.world, &def, &c.b, 1);
    c.before = measure(c.world);
    return c;
}

// Two bodies of any kinds, each at up to 50 m/s (0.8 m a step), almost head on. At the end of the
// step in which their course first changes, they touch without overlap. (They cannot turn: a body
// that an impact spins by a radian within the step may overlap.)
static void fast_bodies_head_on_stop_at_the_surface(void **state)
{
    (void)state;
    for (int seed = 0; seed < 900; seed++) {
        crash c = make_crash(seed, true);
        for (int tick = 0; tick < 60 && measure(c.world).energy > 0.999 * c.before.energy; tick++) {
            world_step(c.world);
        }
        if (deepest(c.world) > 0.01 || measure(c.world).energy > 0.999 * c.before.energy) {
            print_error("seed %d: %.3f m deep\n", seed, deepest(c.world));
            fail();
        }
        world_free(c.world);
    }
}

// The same bodies, which may turn now, keep their momentum, and energy is only lost: the impact
// acts where they meet, not where they are when it is predicted.
static void fast_bodies_head_on_keep_their_momentum(void **state)
{
    (void)state;
    for (int seed = 0; seed < 900; seed++) {
        crash c = make_crash(seed, false);
        run(c.world, 60);
        const totals after = measure(c.world);
        const double scale = c.before.mass * c.speed;
        assert_near(after.px, c.before.px, 1e-5 * scale);
        assert_near(after.py, c.before.py, 1e-5 * scale);
        assert_near(after.angular, c.before.angular, 0.02 * scale);
        assert_true(after.energy < c.before.energy);
        world_free(c.world);
    }
}

// One body flies past another at up to 60 m/s. If it is always farther away than the distance of
// contacts, it does not touch, however near to the plane of a face it comes.
static void what_flies_past_is_left_alone(void **state)
{
    (void)state;
    int near = 0;
    for (int seed = 0; seed < 1500; seed++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        const shape_def a = shape_of(seed % 3);
        const shape_def b = shape_of(seed / 3 % 3);
        double speed = pick(seed, 1, 5.0, 60.0);
        body_id post =
            throw(world, &a, (vec2d){0.0, 0.0}, pick(seed, 2, -3.0, 3.0), (vec2d){0.0, 0.0});
        body_id flyer = throw(world, &b, (vec2d){-pick(seed, 3, 2.0, 3.0), pick(seed, 4, 0.3, 0.8)},
                              pick(seed, 5, -3.0, 3.0), (vec2d){speed, 0.0});
        double least = HUGE_VAL;
        for (int i = 0; i < 600; i++) { // along its path
            body_info of_post = look(world, post);
            body_info of_flyer = look(world, flyer);
            vec2d at = {of_flyer.position.x + 0.01 * i, of_flyer.position.y};
            proxy pa = proxy_from_shape(&a.geometry);
            proxy pb = proxy_from_shape(&b.geometry);
            transform b_in_a = pose_relative((pose){of_post.position, of_post.rotation},
                                             (pose){at, of_flyer.rotation});
            least = fmin(least, (double)distance_proxies(&pa, &pb, b_in_a, true, NULL).distance);
        }
        if (least > 0.021) {
            near += least < 0.1;
            run(world, 60);
            assert_near(look(world, flyer).velocity.x, speed, 1e-5);
            assert_near(look(world, flyer).velocity.y, 0.0, 1e-5);
            assert_near(look(world, flyer).angular_velocity, 0.0, 1e-5);
            assert_near(look(world, post).velocity.x, 0.0, 1e-5);
        }
        world_free(world);
    }
    assert_true(near > 100); // enough bodies came near
}

// A body that rebounds is not stopped before it arrives: it turns around at the surface, and keeps
// its speed.
static void what_rebounds_does_so_from_the_surface(void **state)
{
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        shape_def ball = make_circle(0.25);
        ball.restitution = 1.0;
        double speed = pick(seed, 1, 5.0, 14.0); // less than its radius in a step
        body_id still = throw(world, &ball, (vec2d){0.0, 0.0}, 0.0, (vec2d){0.0, 0.0});
        body_id flyer =
            throw(world, &ball, (vec2d){-pick(seed, 2, 2.0, 3.0), 0.0}, 0.0, (vec2d){speed, 0.0});
        for (int tick = 0; tick < 60 && look(world, still).velocity.x == 0.0; tick++) {
            world_step(world);
        }
        assert_near(look(world, flyer).position.x, -0.5, 1e-4); // the place where the two touched
        assert_near(look(world, still).velocity.x, speed, 1e-3 * speed);
        assert_near(look(world, flyer).velocity.x, 0.0, 1e-3 * speed);
        world_free(world);
    }
}

// A sleeping body is struck at its surface too, and wakes.
static void what_sleeps_is_struck_at_its_surface(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    const shape_def box = make_box(0.5, 0.5);
    body_id tower[4];
    for (int i = 0; i < 4; i++) {
        tower[i] = put_at(world, 0.0, 0.25 + 0.5 * i, &box);
    }
    run(world, 120);
    assert_int_equal(world_count(world).awake, 0);
    throw(world, &box, (vec2d){-3.0, 1.1}, 0.0, (vec2d){45.0, 0.0}); // 0.75 m a step
    double depth = 0.0;
    for (int tick = 0; tick < 10; tick++) {
        world_step(world);
        depth = fmax(depth, deepest(world));
    }
    assert_true(depth < 0.05);
    assert_true(look(world, tower[2]).velocity.x > 5.0);
    world_free(world);
}

// The begin and hit events come once, with the whole speed, in the step that ends with the touch.
static void a_hit_is_told_once_with_its_whole_speed(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(0.5, 0.5);
    box.events = SHAPE_EVENT_CONTACT | SHAPE_EVENT_HIT;
    body_id left = throw(world, &box, (vec2d){-2.0, 0.0}, 0.0, (vec2d){30.0, 0.0});
    body_id right = throw(world, &box, (vec2d){2.0, 0.0}, 0.0, (vec2d){-20.0, 0.0});
    int begins = 0;
    int hits = 0;
    for (int tick = 0; tick < 30; tick++) {
        world_step(world);
        physics_event event;
        if (count_events(world, EVENT_BEGIN, &event) > 0) {
            begins++;
            assert_true(apart(world, left, &box, right, &box) < 0.021);
        }
        if (count_events(world, EVENT_HIT, &event) > 0) {
            hits++;
            assert_near((double)event.speed, 50.0, 0.01);
        }
    }
    assert_int_equal(begins, 1);
    assert_int_equal(hits, 1);
    world_free(world);
}

// Boxes reach ahead only by a bounded distance, so that a very fast body does not make pairs with
// half the world.
static void very_fast_body_has_few_pairs(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    const shape_def ball = make_circle(0.25);
    for (int i = 0; i < 200; i++) {
        put_at(world, 1.0 * i, 0.55, &ball); // beside its path
    }
    throw(world, &ball, (vec2d){0.0, 0.0}, 0.0, (vec2d){4000.0, 0.0}); // 67 m a step
    uint32_t most = 0;
    for (int tick = 0; tick < 4; tick++) {
        world_step(world);
        most = world_count(world).pairs > most ? world_count(world).pairs : most;
    }
    assert_in_range(most, 1, 4);
    world_free(world);
}

// Saved at any tick of a crowd in flight and restored, the world develops in the same way:
// predicted contacts depend only on positions and velocities.
static void restored_in_mid_flight_it_goes_the_same_way(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    for (int i = 0; i < 60; i++) {
        const shape_def shape = shape_of(i % 3);
        double angle = pick(i, 1, -3.1, 3.1);
        double far = pick(i, 2, 4.0, 12.0);
        double speed = pick(i, 3, 5.0, 40.0);
        throw(world, &shape, (vec2d){far * cos(angle), far * sin(angle)}, pick(i, 4, -3.0, 3.0),
              (vec2d){-speed * cos(angle), -speed * sin(angle)});
    }
    for (int tick = 0; tick < 90; tick++) {
        physics_world *twin = restored(world);
        world_step(world);
        for (int i = 0; i < 3; i++) {
            world_step(twin);
            if (i == 0 && world_hash(twin) != world_hash(world)) {
                fail_msg("tick %d: restored, it goes another way", tick);
            }
        }
        world_free(twin);
    }
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_bodies_head_on_stop_at_the_surface),
        cmocka_unit_test(fast_bodies_head_on_keep_their_momentum),
        cmocka_unit_test(what_flies_past_is_left_alone),
        cmocka_unit_test(what_rebounds_does_so_from_the_surface),
        cmocka_unit_test(what_sleeps_is_struck_at_its_surface),
        cmocka_unit_test(a_hit_is_told_once_with_its_whole_speed),
        cmocka_unit_test(very_fast_body_has_few_pairs),
        cmocka_unit_test(restored_in_mid_flight_it_goes_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
