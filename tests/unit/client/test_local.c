// Local worlds and many of them: methods change and read them, equal commands give equal hashes,
// and bad input is refused with its place and changes nothing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <carom/local.h>
#include <carom/many.h>
#include <carom/replica.h>
#include <carom/value.h>

typedef struct lab {
    carom_local *world;
    carom_error why;
} lab;

static int setup(void **state)
{
    lab *l = calloc(1, sizeof *l);
    assert_int_equal(carom_local_create(NULL, &l->world, &l->why), CAROM_OK);
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    lab *l = *state;
    carom_local_free(l->world);
    free(l);
    return 0;
}

static carom_value *ball_args(double y, double radius)
{
    carom_value *shape = carom_set(carom_map(), "kind", carom_str("circle"));
    carom_set(shape, "radius", carom_real(radius));
    carom_value *args = carom_set(carom_map(), "shapes", carom_push(carom_array(), shape));
    return carom_set(args, "position", carom_vec(0.0, y));
}

static uint64_t spawn(lab *l, double y)
{
    carom_value *args = ball_args(y, 0.5);
    carom_value *result = NULL;
    assert_int_equal(carom_local_call(l->world, "body.spawn", args, &result, &l->why), CAROM_OK);
    const uint64_t body = carom_get_uint(result, "body", 0);
    carom_value_free(args);
    carom_value_free(result);
    return body;
}

// ---- one world

static void calls_and_steps_move_bodies(void **state)
{
    lab *l = *state;
    const uint64_t ball = spawn(l, 9.0);
    carom_body body;
    assert_int_equal(carom_local_step(l->world, 60, &l->why), CAROM_OK);
    assert_int_equal(carom_local_bodies(l->world, NULL, 0), 1);
    assert_int_equal(carom_local_bodies(l->world, &body, 1), 1);
    assert_int_equal(body.id, ball);
    assert_true(fabs(body.vy + 9.81) < 1e-3);
    const carom_local_state now = carom_local_now(l->world);
    assert_int_equal(now.tick, 60);
    assert_int_equal(now.bodies, 1);
    assert_true(now.time == 1.0 && now.hz == 60.0);
}

static void forks_copies_and_images_have_the_same_future(void **state)
{
    lab *l = *state;
    carom_local *fork = NULL;
    carom_local *restored = NULL;
    void *image = NULL;
    size_t size = 0;
    spawn(l, 9.0);
    carom_local_step(l->world, 10, NULL);
    assert_int_equal(carom_local_fork(l->world, &fork, &l->why), CAROM_OK);
    assert_int_equal(carom_local_save(l->world, &image, &size, &l->why), CAROM_OK);
    assert_int_equal(carom_local_restore(image, size, &restored, &l->why), CAROM_OK);
    carom_replica_free_bytes(image);
    carom_local_step(l->world, 50, NULL);
    carom_local_step(fork, 50, NULL);
    carom_local_step(restored, 50, NULL);
    assert_int_equal(carom_local_now(fork).hash, carom_local_now(l->world).hash);
    assert_int_equal(carom_local_now(restored).hash, carom_local_now(l->world).hash);
    carom_local_step(fork, 1, NULL);
    assert_int_not_equal(carom_local_now(fork).hash, carom_local_now(l->world).hash);
    assert_int_equal(carom_local_copy(fork, l->world, NULL), CAROM_OK);
    assert_int_equal(carom_local_now(fork).hash, carom_local_now(l->world).hash);
    carom_local_free(fork);
    carom_local_free(restored);
}

static void refused_calls_change_nothing(void **state)
{
    lab *l = *state;
    const uint64_t before = carom_local_now(l->world).hash;
    carom_value *result = NULL;
    carom_value *args = ball_args(0.0, -1.0);
    carom_local *none = NULL;
    assert_int_equal(carom_local_call(l->world, "body.spawn", args, &result, &l->why),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "shapes[0].radius"));
    carom_value_free(args);
    carom_value *past = carom_set(carom_map(), "at", carom_int(0));
    assert_int_equal(carom_local_call(l->world, "world.state", past, &result, &l->why),
                     CAROM_UNAVAILABLE);
    assert_non_null(strstr(l->why.text, "this world keeps no past"));
    carom_value_free(past);
    assert_int_equal(carom_local_call(l->world, "world.list", NULL, &result, &l->why),
                     CAROM_UNKNOWN_METHOD);
    assert_int_equal(carom_local_call(l->world, "body.fly", NULL, &result, &l->why),
                     CAROM_UNKNOWN_METHOD);
    assert_int_equal(carom_local_call(NULL, "body.get", NULL, &result, NULL),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_local_step(l->world, CAROM_LOCAL_TICKS_MAX + 1u, &l->why),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_local_restore("no image", 8, &none, &l->why), CAROM_UNAVAILABLE);
    carom_value *settings = carom_set(carom_map(), "hz", carom_real(0.0));
    assert_int_equal(carom_local_create(settings, &none, &l->why), CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "hz"));
    carom_value_free(settings);
    settings = carom_set(carom_map(), "scene", carom_str("pyramid"));
    assert_int_equal(carom_local_create(settings, &none, NULL), CAROM_INVALID_ARGUMENT);
    carom_value_free(settings);
    assert_null(none);
    assert_null(result);
    assert_int_equal(carom_local_now(l->world).hash, before);
}

static void events_are_kept_until_they_are_taken(void **state)
{
    lab *l = *state;
    carom_event events[3];
    spawn(l, 0.0);
    carom_local_step(l->world, 1, NULL);
    assert_int_equal(carom_local_events(l->world, events, 3), 0); // none were wanted
    carom_local_want_events(l->world, 1u << CAROM_EVENT_SPAWN);
    for (int i = 0; i < 4; i++) {
        spawn(l, 10.0 * (i + 1));
    }
    carom_local_step(l->world, 1, NULL);
    assert_int_equal(carom_local_events(l->world, events, 3), 3);
    assert_int_equal(events[0].kind, CAROM_EVENT_SPAWN);
    assert_string_equal(events[0].name, "spawn");
    assert_int_equal(carom_local_events(l->world, events, 3), 1);
    assert_int_equal(carom_local_events(l->world, events, 3), 0);
}

static void events_beyond_the_maximum_are_counted(void **state)
{
    lab *l = *state;
    carom_event event;
    carom_value *result = NULL;
    carom_value *floor = carom_set(ball_args(-0.5, 0.5), "type", carom_str("static"));
    assert_int_equal(carom_local_call(l->world, "body.spawn", floor, &result, &l->why), CAROM_OK);
    carom_value_free(floor);
    carom_value_free(result);
    spawn(l, 0.5);
    carom_value *awake = carom_set(carom_map(), "sleep", carom_bool(false));
    assert_int_equal(carom_local_call(l->world, "world.set", awake, &result, &l->why), CAROM_OK);
    carom_value_free(awake);
    carom_value_free(result);
    carom_local_want_events(l->world, 1u << CAROM_EVENT_STAY);
    // The ball rests on the other: an event in each tick but the first.
    carom_local_step(l->world, CAROM_LOCAL_EVENTS_MAX + 1001u, NULL);
    assert_int_equal(carom_local_now(l->world).events_lost, 1000);
    uint32_t kept = 0;
    while (carom_local_events(l->world, &event, 1) == 1) {
        kept++;
    }
    assert_int_equal(kept, CAROM_LOCAL_EVENTS_MAX);
}

// ---- many worlds

static carom_many *make_many(lab *l, uint64_t body, size_t count)
{
    const carom_drive push = {
        .kind = CAROM_DRIVE_IMPULSE, .id = body, .axis = {1.0, 0.0}, .least = -2.0, .most = 2.0};
    carom_many *many = NULL;
    assert_int_equal(carom_many_create(l->world, count, &body, 1, &push, 1, &many, &l->why),
                     CAROM_OK);
    return many;
}

static void ranges_step_alone(void **state)
{
    lab *l = *state;
    carom_many *many = make_many(l, spawn(l, 9.0), 3);
    const double actions[] = {1.0, 50.0};
    const carom_body *bodies = carom_many_bodies(many);
    assert_int_equal(carom_many_count(many), 3);
    assert_true(bodies[0].y == 9.0 && bodies[2].y == 9.0);
    assert_int_equal(carom_many_step(many, 1, 2, actions, 5, &l->why), CAROM_OK);
    assert_true(bodies[0].vx == 0.0 && bodies[1].vx > 0.0);
    assert_true(fabs(bodies[2].vx / bodies[1].vx - 2.0) < 1e-6); // bounded to 2
    assert_int_equal(carom_local_now(carom_many_world(many, 0)).tick, 0);
    assert_int_equal(carom_local_now(carom_many_world(many, 2)).tick, 5);
    assert_null(carom_many_world(many, 3));
    const uint8_t which[] = {0, 0, 1};
    assert_int_equal(carom_many_reset(many, 0, 3, which, &l->why), CAROM_OK);
    assert_true(bodies[2].vx == 0.0 && bodies[1].vx > 0.0);
    carom_many_free(many);
}

static void bodies_are_placed(void **state)
{
    lab *l = *state;
    carom_many *many = make_many(l, spawn(l, 9.0), 2);
    carom_body *bodies = carom_many_bodies(many);
    carom_body got;
    bodies[1].x = 3.0;
    bodies[1].angle = 0.5;
    bodies[1].vy = 7.0;
    bodies[1].w = -2.0;
    assert_int_equal(carom_many_place(many, 1, 1, NULL, &l->why), CAROM_OK);
    assert_int_equal(carom_local_bodies(carom_many_world(many, 1), &got, 1), 1);
    assert_true(got.x == 3.0 && got.y == 9.0 && got.vy == 7.0 && got.w == -2.0);
    assert_true(fabs(got.angle - 0.5) < 1e-6);
    bodies[0].vx = (double)NAN;
    assert_int_equal(carom_many_place(many, 0, 2, NULL, &l->why), CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "world 0, body 1: velocity"));
    assert_true(bodies[0].vx == 0.0); // the present velocity
    carom_many_free(many);
}

static void many_refuse_bad_input(void **state)
{
    lab *l = *state;
    const uint64_t body = spawn(l, 9.0);
    const uint64_t missing = 77;
    carom_many *many = NULL;
    carom_drive drive = {.kind = CAROM_DRIVE_FORCE, .id = body, .least = 1.0, .most = 0.0};
    assert_int_equal(carom_many_create(l->world, 0, NULL, 0, NULL, 0, &many, &l->why),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(
        carom_many_create(l->world, CAROM_MANY_WORLDS_MAX + 1u, NULL, 0, NULL, 0, &many, &l->why),
        CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_many_create(l->world, 1, &missing, 1, NULL, 0, &many, &l->why),
                     CAROM_NOT_FOUND);
    assert_int_equal(carom_many_create(l->world, 1, &missing, CAROM_MANY_BODIES_MAX + 1u, NULL, 0,
                                       &many, &l->why),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "body_count: must be 0 to 4096"));
    assert_int_equal(
        carom_many_create(l->world, 1, NULL, 0, &drive, CAROM_MANY_DRIVES_MAX + 1u, &many, &l->why),
        CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "drive_count: must be 0 to 1024"));
    assert_int_equal(carom_many_create(l->world, 1, NULL, 0, &drive, 1, &many, &l->why),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "drives[0]: least"));
    drive = (carom_drive){.kind = CAROM_DRIVE_KIND_COUNT, .id = body};
    assert_int_equal(carom_many_create(l->world, 1, NULL, 0, &drive, 1, &many, &l->why),
                     CAROM_INVALID_ARGUMENT);
    drive = (carom_drive){.kind = CAROM_DRIVE_MOTOR, .id = body};
    assert_int_equal(carom_many_create(l->world, 1, NULL, 0, &drive, 1, &many, &l->why),
                     CAROM_NOT_FOUND);
    assert_null(many);
    many = make_many(l, body, 2);
    const double actions[] = {1.0, (double)INFINITY};
    assert_int_equal(carom_many_step(many, 0, 2, actions, 1, &l->why), CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(l->why.text, "world 1, drive 0"));
    assert_int_equal(carom_many_step(many, 1, 2, NULL, 1, &l->why), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_many_step(many, 3, 0, NULL, 1, &l->why), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_local_now(carom_many_world(many, 0)).tick, 0);
    carom_many_free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(calls_and_steps_move_bodies, setup, teardown),
        cmocka_unit_test_setup_teardown(forks_copies_and_images_have_the_same_future, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(refused_calls_change_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(events_are_kept_until_they_are_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(events_beyond_the_maximum_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_step_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(bodies_are_placed, setup, teardown),
        cmocka_unit_test_setup_teardown(many_refuse_bad_input, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
