// The camera and outlines: places in dots, with the y axis up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "client/cli/picture/picture.h"

#define PI 3.14159265358979323846

static canvas made(int columns, int rows)
{
    canvas c = {0};
    assert_true(canvas_resize(&c, columns, rows));
    return c;
}

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) < 1e-9);
}

static bool is_set(const canvas *c, int x, int y)
{
    canvas probe = made(1, 1);
    canvas_dot(&probe, x % 2, y % 4, 0);
    bool set = (c->cells[(y / 4) * c->columns + x / 2].dots & probe.cells[0].dots) != 0;
    canvas_deinit(&probe);
    return set;
}

static int dots_set(const canvas *c)
{
    int count = 0;
    for (int i = 0; i < c->columns * c->rows; i++) {
        count += __builtin_popcount(c->cells[i].dots);
    }
    return count;
}

static void camera_center_is_the_middle_and_up_is_up(void **state)
{
    (void)state;
    canvas c = made(20, 10); // 40 x 40 dots
    camera cam = {{5.0, 3.0}, 4.0};
    point middle = camera_to_dots(&cam, &c, (point){5.0, 3.0});
    assert_near(middle.x, 20.0);
    assert_near(middle.y, 20.0);
    point above = camera_to_dots(&cam, &c, (point){6.0, 5.0});
    assert_near(above.x, 24.0);
    assert_near(above.y, 12.0);
    box view = camera_view(&cam, &c);
    assert_near(view.x0, 0.0);
    assert_near(view.x1, 10.0);
    assert_near(view.y0, -2.0);
    assert_near(view.y1, 8.0);
    canvas_deinit(&c);
}

static void camera_fit_shows_all_in_proportion(void **state)
{
    (void)state;
    canvas c = made(40, 10); // 80 x 40 dots
    box wanted = {-10.0, 0.0, 10.0, 20.0};
    camera cam = camera_fit(wanted, &c);
    box view = camera_view(&cam, &c);
    assert_true(view.x0 <= wanted.x0 && view.y0 <= wanted.y0 && view.x1 >= wanted.x1 &&
                view.y1 >= wanted.y1);
    assert_near((view.x1 - view.x0) / (view.y1 - view.y0), 2.0);
    assert_true(view.y1 - view.y0 < 20.0 * 1.1); // and the margin is small
    canvas_deinit(&c);
}

static void camera_fit_of_nothing_shows_the_origin(void **state)
{
    (void)state;
    canvas c = made(40, 10);
    camera cam = camera_fit(box_empty(), &c);
    assert_near(cam.center.x, 0.0);
    assert_true(isfinite(cam.scale) && cam.scale > 0.0);
    cam = camera_fit((box){1.0, 1.0, 1.0, 1.0}, &c); // a box of one point
    assert_true(cam.scale <= CAMERA_SCALE_MAX);
    canvas_deinit(&c);
}

static void camera_pan_and_zoom_move_the_view(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.0, 0.0}, 4.0};
    camera_pan(&cam, &c, 0.1, -0.5);
    assert_near(cam.center.x, 1.0);
    assert_near(cam.center.y, -5.0);
    camera_zoom(&cam, 2.0);
    assert_near(cam.scale, 8.0);
    for (int i = 0; i < 1000; i++) {
        camera_zoom(&cam, 2.0);
    }
    assert_near(cam.scale, CAMERA_SCALE_MAX);
    for (int i = 0; i < 1000; i++) {
        camera_zoom(&cam, 0.5);
    }
    assert_near(cam.scale, CAMERA_SCALE_MIN);
    canvas_deinit(&c);
}

static void place_turns_counter_clockwise_and_moves(void **state)
{
    (void)state;
    place p = {{10.0, 20.0}, PI / 2.0};
    point at = place_apply(&p, (point){1.0, 0.0});
    assert_near(at.x, 10.0);
    assert_near(at.y, 21.0);
}

static void outline_reach_is_the_farthest_point(void **state)
{
    (void)state;
    outline o;
    assert_true(outline_init_box(&o, 6.0, 8.0, (point){0.0, 0.0}, 0.0, 0.0));
    assert_near(outline_reach(&o), 5.0);
    outline_deinit(&o);
    assert_true(outline_init(&o, OUTLINE_CIRCLE, (point[]){{3.0, 4.0}}, 1, 2.0));
    assert_near(outline_reach(&o), 7.0);
    outline_deinit(&o);
    outline_deinit(&o);
}

// A box of 4 x 2 m at 4 dots a metre is drawn as a ring of dots with nothing inside.
static void box_is_drawn_as_its_rim(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.0, 0.0}, 4.0};
    outline o;
    assert_true(outline_init_box(&o, 4.0, 2.0, (point){0.0, 0.0}, 0.0, 0.0));
    place p = {{0.0, 0.0}, 0.0};
    outline_draw(&o, &p, &cam, &c, 7);
    assert_true(is_set(&c, 12, 16) && is_set(&c, 28, 16) && is_set(&c, 12, 24) &&
                is_set(&c, 28, 24));
    assert_true(is_set(&c, 20, 16) && is_set(&c, 12, 20));
    assert_false(is_set(&c, 20, 20));
    assert_int_equal(dots_set(&c), 2 * 17 + 2 * 9 - 4);
    canvas_clear(&c);
    p.angle = PI / 2.0; // the body stands on end
    outline_draw(&o, &p, &cam, &c, 7);
    assert_true(is_set(&c, 20, 12) || is_set(&c, 20, 11));
    assert_false(is_set(&c, 12, 16));
    outline_deinit(&o);
    canvas_deinit(&c);
}

// The spoke of a circle shows the body's angle.
static void circle_spoke_shows_the_rotation(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.0, 0.0}, 4.0};
    outline o;
    assert_true(outline_init(&o, OUTLINE_CIRCLE, (point[]){{0.0, 0.0}}, 1, 4.0));
    place p = {{0.0, 0.0}, PI / 2.0};
    outline_draw(&o, &p, &cam, &c, 7);
    assert_true(is_set(&c, 20, 12)); // half way up
    assert_false(is_set(&c, 20, 28));
    assert_false(is_set(&c, 12, 20));
    outline_deinit(&o);
    canvas_deinit(&c);
}

static void capsule_has_two_sides_and_two_caps(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.1, 0.1}, 4.0};
    outline o;
    point ends[2] = {{-2.0, 0.0}, {2.0, 0.0}};
    assert_true(outline_init(&o, OUTLINE_CAPSULE, ends, 2, 1.0));
    place p = {{0.1, 0.1}, 0.0};
    outline_draw(&o, &p, &cam, &c, 7);
    assert_true(is_set(&c, 20, 16) && is_set(&c, 20, 24));
    assert_true(is_set(&c, 8, 20) && (is_set(&c, 31, 20) || is_set(&c, 32, 20)));
    assert_false(is_set(&c, 20, 20));
    assert_false(is_set(&c, 12, 20)); // the caps turn outward
    outline_deinit(&o);
    canvas_deinit(&c);
}

static void line_open_is_not_closed(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.0, 0.0}, 4.0};
    outline o;
    point points[3] = {{-4.0, 0.0}, {0.0, 3.0}, {4.0, 0.0}};
    assert_true(outline_init(&o, OUTLINE_LINE, points, 3, 0.0));
    place p = {{0.0, 0.0}, 0.0};
    outline_draw(&o, &p, &cam, &c, 7);
    assert_true(is_set(&c, 20, 8));
    assert_false(is_set(&c, 20, 20));
    outline_deinit(&o);
    canvas_deinit(&c);
}

static void outline_far_away_draws_nothing(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.0, 0.0}, 4.0};
    outline o;
    assert_true(outline_init_box(&o, 1.0, 1.0, (point){0.0, 0.0}, 0.0, 0.2));
    place p = {{1e9, -1e9}, 1.0};
    outline_draw(&o, &p, &cam, &c, 7);
    assert_int_equal(dots_set(&c), 0);
    outline_deinit(&o);
    canvas_deinit(&c);
}

static void arrow_points_along_its_direction(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    camera cam = {{0.0, 0.0}, 4.0};
    picture_arrow(&cam, &c, (point){0.0, 0.0}, (point){0.0, 2.0}, 6.0, 7);
    assert_true(is_set(&c, 20, 14));
    assert_false(is_set(&c, 20, 22));
    canvas_clear(&c);
    picture_arrow(&cam, &c, (point){0.0, 0.0}, (point){0.0, 0.0}, 6.0, 7);
    assert_int_equal(dots_set(&c), 0);
    canvas_deinit(&c);
}

static void scale_bar_is_a_round_length(void **state)
{
    (void)state;
    canvas c = made(60, 10);
    camera cam = {{0.0, 0.0}, 4.0}; // 2 columns a metre: 6 columns are 3 m
    picture_scale_bar(&cam, &c, 7);
    char text[CANVAS_ROW_BYTES(60)];
    (void)canvas_row(&c, 9, (canvas_style){0}, text);
    assert_string_equal(text, "+---------+ 5 m");
    canvas_deinit(&c);
}

static void outline_distance_is_to_its_edge_and_0_inside(void **state)
{
    (void)state;
    place at = {{10.0, 0.0}, 0.0};
    outline o = {0};
    assert_true(outline_init_box(&o, 2.0, 4.0, (point){0.0, 0.0}, 0.0, 0.0));
    assert_float_equal(outline_distance(&o, &at, (point){10.5, 1.0}), 0.0, 1e-9);
    assert_float_equal(outline_distance(&o, &at, (point){14.0, 0.0}), 3.0, 1e-9);
    assert_float_equal(outline_distance(&o, &at, (point){14.0, 6.0}), 5.0, 1e-9);
    outline_deinit(&o);
    point center = {0.0, 0.0};
    assert_true(outline_init(&o, OUTLINE_CIRCLE, &center, 1, 2.0));
    assert_float_equal(outline_distance(&o, &at, (point){11.0, 0.0}), 0.0, 1e-9);
    assert_float_equal(outline_distance(&o, &at, (point){15.0, 0.0}), 3.0, 1e-9);
    outline_deinit(&o);
    point line[2] = {{-1.0, 0.0}, {1.0, 0.0}};
    assert_true(outline_init(&o, OUTLINE_LINE, line, 2, 0.0));
    assert_float_equal(outline_distance(&o, &at, (point){10.0, 3.0}), 3.0, 1e-9);
    outline_deinit(&o);
}

static void camera_from_dots_is_the_way_back(void **state)
{
    (void)state;
    canvas c = {0};
    assert_true(canvas_resize(&c, 40, 20));
    camera cam = {{3.0, -2.0}, 7.0};
    point dots = camera_to_dots(&cam, &c, (point){1.5, 0.25});
    point back = camera_from_dots(&cam, &c, dots);
    assert_float_equal(back.x, 1.5, 1e-9);
    assert_float_equal(back.y, 0.25, 1e-9);
    canvas_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camera_center_is_the_middle_and_up_is_up),
        cmocka_unit_test(camera_fit_shows_all_in_proportion),
        cmocka_unit_test(camera_fit_of_nothing_shows_the_origin),
        cmocka_unit_test(camera_pan_and_zoom_move_the_view),
        cmocka_unit_test(place_turns_counter_clockwise_and_moves),
        cmocka_unit_test(outline_reach_is_the_farthest_point),
        cmocka_unit_test(box_is_drawn_as_its_rim),
        cmocka_unit_test(circle_spoke_shows_the_rotation),
        cmocka_unit_test(capsule_has_two_sides_and_two_caps),
        cmocka_unit_test(line_open_is_not_closed),
        cmocka_unit_test(outline_far_away_draws_nothing),
        cmocka_unit_test(arrow_points_along_its_direction),
        cmocka_unit_test(scale_bar_is_a_round_length),
        cmocka_unit_test(outline_distance_is_to_its_edge_and_0_inside),
        cmocka_unit_test(camera_from_dots_is_the_way_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
