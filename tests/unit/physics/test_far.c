// Far from the origin: 100 km out on both axes a pyramid, a drum, a rolling ball and a chain of
// joints behave as at the origin, at the same cost.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <time.h>

#include "common/physics/joint.h"

static const vec2d FAR = {100000.0, 100000.0};
static const vec2d HERE = {0.0, 0.0};

static physics_world *make_sleepless(void)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, -10.0};
    def.sleep = false;
    return make_world_of(&def);
}

static body_id put_static_box(physics_world *world, vec2d at, double width, double height)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = at;
    shape_def box = make_box(width, height);
    return put(world, &def, &box, 1);
}

static physics_world *make_pyramid(vec2d at, body_id *top)
{
    physics_world *world = make_sleepless();
    put_static_box(world, (vec2d){at.x, at.y - 1.0}, 80.0, 2.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < 20; i++) {
        for (int j = i; j < 20; j++) {
            *top = put_at(world, at.x + (i + 1) * 0.5 + (j - i) - 10.0, at.y + i + 0.5, &box);
        }
    }
    return world;
}

static void pyramid_stands_as_it_does_at_the_origin(void **state)
{
    (void)state;
    double heights[2];
    for (int far = 0; far < 2; far++) {
        vec2d at = far == 1 ? FAR : HERE;
        body_id top;
        physics_world *world = make_pyramid(at, &top);
        run(world, 300);
        body_info b = look(world, top);
        assert_near(b.position.x - at.x, 0.0, 0.03);
        assert_near(hypot(b.velocity.x, b.velocity.y), 0.0, 0.01);
        heights[far] = b.position.y - at.y;
        world_free(world);
    }
    assert_near(heights[1], heights[0], 1e-4);
    assert_near(heights[0], 19.5, 0.1);
}

static void ball_rolls_as_it_does_at_the_origin(void **state)
{
    (void)state;
    body_info ends[2];
    for (int far = 0; far < 2; far++) {
        vec2d at = far == 1 ? FAR : HERE;
        physics_world *world = make_sleepless();
        put_static_box(world, (vec2d){at.x, at.y - 1.0}, 400.0, 2.0);
        shape_def ball = make_circle(0.5);
        body_def def = body_def_default();
        def.position = (vec2d){at.x - 20.0, at.y + 0.5};
        def.velocity = (vec2d){4.0, 0.0};
        def.angular_velocity = -8.0;
        body_id id = put(world, &def, &ball, 1);
        run(world, 600);
        ends[far] = look(world, id);
        ends[far].position.x -= at.x;
        ends[far].position.y -= at.y;
        world_free(world);
    }
    assert_near(ends[0].position.x, 20.0, 0.1);
    assert_near(ends[1].position.x, ends[0].position.x, 1e-4);
    assert_near(ends[1].position.y, ends[0].position.y, 1e-5);
    assert_near(ends[1].angular_velocity, ends[0].angular_velocity, 1e-4);
}

static void chain_of_joints_swings_as_it_does_at_the_origin(void **state)
{
    (void)state;
    body_info ends[2];
    for (int far = 0; far < 2; far++) {
        vec2d at = far == 1 ? FAR : HERE;
        physics_world *world = make_sleepless();
        body_id last = put_static_box(world, at, 0.2, 0.2);
        shape_def link = make_box(1.0, 0.2);
        for (int i = 0; i < 5; i++) {
            body_id next = put_at(world, at.x + i + 0.5, at.y, &link);
            joint_def def = joint_def_default(JOINT_REVOLUTE);
            def.a = last;
            def.b = next;
            def.anchor = (vec2d){at.x + i, at.y};
            def.fields = JOINT_FIELD_ANCHOR;
            joint_id id;
            error err;
            assert_int_equal(joint_create(world, &def, &id, &err), STATUS_OK);
            last = next;
        }
        run(world, 90);
        ends[far] = look(world, last);
        ends[far].position.x -= at.x;
        ends[far].position.y -= at.y;
        world_free(world);
    }
    assert_near(ends[1].position.x, ends[0].position.x, 1e-3);
    assert_near(ends[1].position.y, ends[0].position.y, 1e-3);
    assert_near(ends[1].angle, ends[0].angle, 1e-3);
}

static physics_world *make_drum(vec2d at)
{
    physics_world *world = make_sleepless();
    body_def def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.position = at;
    def.angular_velocity = 25.0 * PI_D / 180.0;
    shape_def walls[4] = {make_box_at(0.5, 10.0, (vec2){5.0f, 0.0f}, 0.0),
                          make_box_at(0.5, 10.0, (vec2){-5.0f, 0.0f}, 0.0),
                          make_box_at(10.0, 0.5, (vec2){0.0f, 5.0f}, 0.0),
                          make_box_at(10.0, 0.5, (vec2){0.0f, -5.0f}, 0.0)};
    put(world, &def, walls, 4);
    shape_def box = make_box(0.25, 0.25);
    for (int i = 0; i < 400; i++) {
        put_at(world, at.x - 4.0 + 0.4 * (i % 20), at.y - 4.0 + 0.4 * (i / 20), &box);
    }
    return world;
}

// A tumbling pile is chaotic, so only figures that do not depend on a single box must agree.
static void drum_tumbles_and_holds_as_it_does_at_the_origin(void **state)
{
    (void)state;
    double mean_height[2];
    for (int far = 0; far < 2; far++) {
        vec2d at = far == 1 ? FAR : HERE;
        physics_world *world = make_drum(at);
        double sum = 0.0;
        int counted = 0;
        for (int tick = 0; tick < 900; tick++) {
            world_step(world);
            for (body_id id = 1; tick >= 300 && (id = world_next_body(world, id)) != 0;) {
                body_info b = look(world, id);
                assert_true(hypot(b.position.x - at.x, b.position.y - at.y) < 7.5);
                sum += b.position.y - at.y;
                counted++;
            }
        }
        mean_height[far] = sum / counted;
        assert_int_equal(world_count(world).frozen, 0);
        world_free(world);
    }
    assert_near(mean_height[1], mean_height[0], 0.2);
}

static double cost_ms(vec2d at)
{
    body_id top;
    physics_world *world = make_pyramid(at, &top);
    run(world, 30);
    struct timespec before;
    struct timespec after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    run(world, 200);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    world_free(world);
    return ((double)(after.tv_sec - before.tv_sec) * 1e3 +
            (double)(after.tv_nsec - before.tv_nsec) * 1e-6) /
           200.0;
}

// The times are printed, not checked: on a busy machine they prove nothing.
static void cost_far_out_is_told_beside_the_cost_at_the_origin(void **state)
{
    (void)state;
    double here = 1e9;
    double far = 1e9;
    for (int i = 0; i < 5; i++) {
        here = fmin(here, cost_ms(HERE));
        far = fmin(far, cost_ms(FAR));
    }
    print_message("pyramid of 210: %.4f ms a step at the origin, %.4f ms at 100 km, ratio %.3f\n",
                  here, far, far / here);
    assert_true(here > 0.0 && far > 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pyramid_stands_as_it_does_at_the_origin),
        cmocka_unit_test(ball_rolls_as_it_does_at_the_origin),
        cmocka_unit_test(chain_of_joints_swings_as_it_does_at_the_origin),
        cmocka_unit_test(drum_tumbles_and_holds_as_it_does_at_the_origin),
        cmocka_unit_test(cost_far_out_is_told_beside_the_cost_at_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
