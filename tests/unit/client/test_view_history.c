// Views with a history: where a body was between two snapshots.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <carom/view.h>

static void apply_pose(carom_view *view, uint64_t tick, bool full, const carom_body *body)
{
    carom_snapshot s = {.world = "demo",
                        .tick = tick,
                        .time = (double)tick,
                        .full = full,
                        .bodies = body,
                        .body_count = body == NULL ? 0 : 1};
    carom_view_apply(view, &s, NULL);
}

static carom_body seen_at(const carom_view *view, double time)
{
    carom_body out;
    assert_true(carom_view_at_time(view, 0, time, &out));
    return out;
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-12) {
        fail_msg("%.17g is not %.17g", a, b);
    }
}

static void pose_between_two_snapshots_is_interpolated(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(&(carom_view_options){.history = 1});
    apply_pose(view, 10, true, &(carom_body){.id = 1, .x = 0, .y = 8, .vx = 2});
    apply_pose(view, 12, false, &(carom_body){.id = 1, .x = 4, .y = 0, .vx = 4, .angle = 1});
    assert_near(seen_at(view, 10.5).x, 1);
    assert_near(seen_at(view, 11).y, 4);
    assert_near(seen_at(view, 11).vx, 3);
    assert_near(seen_at(view, 11).angle, 0.5);
    assert_near(seen_at(view, 12).x, 4);
    assert_near(seen_at(view, 10).x, 0);
    assert_near(seen_at(view, 9).x, 0);  // before the kept history
    assert_near(seen_at(view, 99).x, 4); // after the kept history
    assert_near(carom_view_get_state(view).time_oldest, 10);
    carom_body out;
    assert_false(carom_view_at_time(view, 1, 10, &out));
    carom_view_free(view);
}

static void angle_goes_the_short_way_round(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(&(carom_view_options){.history = 1});
    apply_pose(view, 0, true, &(carom_body){.id = 1, .angle = 3.0});
    apply_pose(view, 1, false, &(carom_body){.id = 1, .angle = -3.0});
    double turn = 2 * (3.14159265358979323846 - 3.0); // the turn from 3 over pi to -3
    assert_near(seen_at(view, 0.25).angle, 3.0 + turn / 4);
    assert_near(seen_at(view, 0.75).angle, -3.0 - turn / 4);
    carom_view_free(view);
}

static void rest_is_not_smeared_into_the_move_after_it(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(&(carom_view_options){.history = 4});
    apply_pose(view, 0, true, &(carom_body){.id = 1, .x = 0});
    apply_pose(view, 1, false, NULL);
    apply_pose(view, 2, false, NULL);
    apply_pose(view, 3, false, &(carom_body){.id = 1, .x = 6});
    assert_near(seen_at(view, 2).x, 0);
    assert_near(seen_at(view, 2.5).x, 3);
    assert_near(seen_at(view, 1.5).x, 0);
    carom_view_free(view);
}

static void body_at_rest_is_where_it_was_last_told(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(&(carom_view_options){.history = 2});
    apply_pose(view, 0, true, &(carom_body){.id = 1, .x = 0});
    apply_pose(view, 1, false, &(carom_body){.id = 1, .x = 1});
    for (uint64_t tick = 2; tick < 50; tick++) {
        apply_pose(view, tick, false, NULL);
    }
    assert_near(seen_at(view, 48.5).x, 1);
    assert_near(carom_view_get_state(view).time_oldest, 47);
    carom_view_free(view);
}

static void history_goes_as_far_back_as_it_is_told(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(&(carom_view_options){.history = 5});
    for (uint64_t tick = 0; tick <= 100; tick++) {
        apply_pose(view, tick, tick == 0, &(carom_body){.id = 1, .x = (double)(tick * tick)});
        double oldest = tick < 5 ? 0 : (double)(tick - 5);
        assert_near(carom_view_get_state(view).time_oldest, oldest);
        assert_near(seen_at(view, oldest).x, oldest * oldest);
        assert_near(seen_at(view, oldest - 10).x, oldest * oldest);
    }
    carom_view_free(view);
}

static void gap_is_bridged_and_epoch_is_not(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(&(carom_view_options){.history = 3});
    apply_pose(view, 0, true, &(carom_body){.id = 1, .x = 0});
    apply_pose(view, 10, true, &(carom_body){.id = 1, .x = 10});
    assert_near(seen_at(view, 5).x, 5);
    carom_body body = {.id = 1, .x = 100};
    carom_snapshot s = {.world = "demo",
                        .epoch = 2,
                        .tick = 20,
                        .time = 20,
                        .full = true,
                        .bodies = &body,
                        .body_count = 1};
    carom_view_apply(view, &s, NULL);
    assert_near(seen_at(view, 15).x, 100);
    assert_near(carom_view_get_state(view).time_oldest, 20);
    carom_view_free(view);
}

static void view_without_history_tells_the_present(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_pose(view, 0, true, &(carom_body){.id = 1, .x = 1});
    apply_pose(view, 1, false, &(carom_body){.id = 1, .x = 2});
    assert_near(seen_at(view, 0).x, 2);
    assert_near(carom_view_get_state(view).time_oldest, 1);
    carom_view_free(view);
}

static void options_out_of_range_make_no_view(void **state)
{
    (void)state;
    assert_null(carom_view_create(
        &(carom_view_options){.history = CAROM_VIEW_HISTORY_MAX + 1, .events_max = 1}));
    assert_null(carom_view_create(&(carom_view_options){.events_max = SIZE_MAX}));
    carom_view_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pose_between_two_snapshots_is_interpolated),
        cmocka_unit_test(angle_goes_the_short_way_round),
        cmocka_unit_test(rest_is_not_smeared_into_the_move_after_it),
        cmocka_unit_test(body_at_rest_is_where_it_was_last_told),
        cmocka_unit_test(history_goes_as_far_back_as_it_is_told),
        cmocka_unit_test(gap_is_bridged_and_epoch_is_not),
        cmocka_unit_test(view_without_history_tells_the_present),
        cmocka_unit_test(options_out_of_range_make_no_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
