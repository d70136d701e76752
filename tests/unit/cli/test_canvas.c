// Drawing dots as braille, colours and ASCII, and lines that end far outside.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "client/cli/picture/canvas.h"

static const canvas_style braille = {.utf8 = true};
static const canvas_style coloured = {.utf8 = true, .colour = true};
static const canvas_style ascii = {0};

static canvas made(int columns, int rows)
{
    canvas c = {0};
    assert_true(canvas_resize(&c, columns, rows));
    return c;
}

static void assert_row(const canvas *c, int row, canvas_style style, const char *wanted)
{
    char text[CANVAS_ROW_BYTES(CANVAS_COLUMNS_MAX)];
    assert_int_equal(canvas_row(c, row, style, text), strlen(wanted));
    assert_string_equal(text, wanted);
}

static int dots_set(const canvas *c)
{
    int count = 0;
    for (int i = 0; i < c->columns * c->rows; i++) {
        count += __builtin_popcount(c->cells[i].dots);
    }
    return count;
}

static void dot_each_has_its_own_bit(void **state)
{
    (void)state;
    canvas c = made(1, 1);
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 2; x++) {
            canvas_clear(&c);
            canvas_dot(&c, x, y, 0);
            assert_int_equal(c.cells[0].dots, bits[y][x]);
        }
    }
    canvas_deinit(&c);
}

static void dot_outside_draws_nothing(void **state)
{
    (void)state;
    canvas c = made(3, 2);
    canvas_dot(&c, -1, 0, 0);
    canvas_dot(&c, 0, -1, 0);
    canvas_dot(&c, 6, 0, 0);
    canvas_dot(&c, 0, 8, 0);
    assert_int_equal(dots_set(&c), 0);
    canvas_dot(&c, 5, 7, 0);
    assert_int_equal(dots_set(&c), 1);
    canvas_deinit(&c);
}

static void row_full_and_empty_cells_are_braille_and_spaces(void **state)
{
    (void)state;
    canvas c = made(4, 1);
    for (int y = 0; y < 4; y++) {
        canvas_dot(&c, 2, y, 0);
        canvas_dot(&c, 3, y, 0);
    }
    assert_row(&c, 0, braille, " \xe2\xa3\xbf"); // rows have no trailing spaces
    assert_row(&c, 0, ascii, " #");
    canvas_deinit(&c);
}

static void row_changes_colour_only_where_it_changes(void **state)
{
    (void)state;
    canvas c = made(5, 1);
    canvas_text(&c, 0, 0, "ab", 196);
    canvas_text(&c, 3, 0, "c", 46);
    assert_row(&c, 0, coloured, "\x1b[38;5;196mab \x1b[38;5;46mc\x1b[0m");
    assert_row(&c, 0, braille, "ab c");
    canvas_clear(&c);
    assert_row(&c, 0, coloured, "");
    canvas_deinit(&c);
}

static void row_every_cell_in_another_colour_fits_its_buffer(void **state)
{
    (void)state;
    canvas c = made(200, 1);
    for (int i = 0; i < 200; i++) {
        canvas_dot(&c, 2 * i, 0, (uint8_t)(100 + i % 2));
    }
    char text[CANVAS_ROW_BYTES(200)];
    assert_true(canvas_row(&c, 0, coloured, text) < sizeof text);
    canvas_deinit(&c);
}

static void line_straight_covers_every_dot(void **state)
{
    (void)state;
    canvas c = made(4, 2);
    canvas_line(&c, 0.0, 3.0, 7.5, 3.0, 0);
    assert_int_equal(dots_set(&c), 8);
    canvas_clear(&c);
    canvas_line(&c, 0.0, 0.0, 7.0, 7.0, 0);
    assert_int_equal(dots_set(&c), 8);
    canvas_clear(&c);
    canvas_line(&c, 3.2, 3.2, 3.2, 3.2, 0); // a line of one point
    assert_int_equal(dots_set(&c), 1);
    canvas_deinit(&c);
}

static void line_with_far_ends_is_cut_to_the_canvas(void **state)
{
    (void)state;
    canvas c = made(4, 2);
    canvas_line(&c, -1e15, 3.5, 1e15, 3.5, 0);
    assert_int_equal(dots_set(&c), 8);
    canvas_clear(&c);
    canvas_line(&c, -1e15, 1e15, -1e15, -1e15, 0); // a line that passes outside
    canvas_line(&c, 0.0, -5.0, 8.0, -1.0, 0);
    canvas_line(&c, nan(""), 0.0, 1.0, 1.0, 0);
    canvas_line(&c, 0.0, 0.0, HUGE_VAL, 1.0, 0);
    assert_int_equal(dots_set(&c), 0);
    canvas_deinit(&c);
}

// Every dot lies within one dot of the circle, and every direction has a dot.
static void arc_whole_circle_is_round_and_closed(void **state)
{
    (void)state;
    canvas c = made(20, 10);
    canvas_arc(&c, 20.0, 20.0, 15.0, 0.0, 2.0 * 3.14159265358979, 0);
    bool seen[16] = {false};
    for (int y = 0; y < 40; y++) {
        for (int x = 0; x < 40; x++) {
            const canvas_cell *cell = &c.cells[(y / 4) * c.columns + x / 2];
            canvas probe = made(1, 1);
            canvas_dot(&probe, x % 2, y % 4, 0);
            if ((cell->dots & probe.cells[0].dots) != 0) {
                double dx = x + 0.5 - 20.0;
                double dy = y + 0.5 - 20.0;
                assert_true(fabs(hypot(dx, dy) - 15.0) < 1.0);
                seen[(int)((atan2(dy, dx) + 3.14159265358979) / 6.2832 * 16.0) % 16] = true;
            }
            canvas_deinit(&probe);
        }
    }
    for (int i = 0; i < 16; i++) {
        assert_true(seen[i]);
    }
    canvas_deinit(&c);
}

static void arc_far_away_or_huge_costs_and_draws_nothing(void **state)
{
    (void)state;
    canvas c = made(4, 2);
    canvas_arc(&c, 1e9, 0.0, 5.0, 0.0, 6.3, 0);
    canvas_arc(&c, 4.0, 4.0, 1e9, 0.0, 6.3, 0); // the arc goes around the whole canvas
    canvas_arc(&c, nan(""), 4.0, 1.0, 0.0, 6.3, 0);
    assert_int_equal(dots_set(&c), 0);
    canvas_deinit(&c);
}

static void text_covers_dots_and_is_cut_at_the_edges(void **state)
{
    (void)state;
    canvas c = made(4, 1);
    canvas_dot(&c, 0, 0, 0);
    canvas_text(&c, -1, 0, "abc", 0);
    canvas_text(&c, 3, 0, "xyz", 0);
    canvas_text(&c, 0, 5, "no", 0);
    assert_row(&c, 0, braille, "bc x");
    canvas_clear(&c);
    canvas_text(&c, 0, 0, "\xc2\xb5", 0);
    assert_row(&c, 0, braille, "\xc2\xb5");
    assert_row(&c, 0, ascii, "+");
    canvas_deinit(&c);
}

static void ascii_looks_like_the_dots(void **state)
{
    (void)state;
    assert_int_equal(canvas_ascii(0x00), ' ');
    assert_int_equal(canvas_ascii(0xff), '#');
    assert_int_equal(canvas_ascii(0x47), '|'); // the left column
    assert_int_equal(canvas_ascii(0xb8), '|'); // the right one
    assert_int_equal(canvas_ascii(0xc0), '_');
    assert_int_equal(canvas_ascii(0x12), '-');
    assert_int_equal(canvas_ascii(0x5c), '/'); // upper right and lower left
    assert_int_equal(canvas_ascii(0xa3), '\\');
    for (int dots = 1; dots < 256; dots++) {
        char shown = canvas_ascii((uint8_t)dots);
        assert_true(shown > ' ' && shown <= '~');
    }
}

static void resize_is_limited_and_clears(void **state)
{
    (void)state;
    canvas c = {0};
    assert_true(canvas_resize(&c, 0, -5));
    assert_int_equal(c.columns, 1);
    assert_int_equal(c.rows, 1);
    canvas_dot(&c, 0, 0, 7);
    assert_true(canvas_resize(&c, 1, 1));
    assert_int_equal(dots_set(&c), 0);
    assert_true(canvas_resize(&c, 1000000, 1000000));
    assert_int_equal(c.columns, CANVAS_COLUMNS_MAX);
    assert_int_equal(c.rows, CANVAS_ROWS_MAX);
    canvas_deinit(&c);
    canvas_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_each_has_its_own_bit),
        cmocka_unit_test(dot_outside_draws_nothing),
        cmocka_unit_test(row_full_and_empty_cells_are_braille_and_spaces),
        cmocka_unit_test(row_changes_colour_only_where_it_changes),
        cmocka_unit_test(row_every_cell_in_another_colour_fits_its_buffer),
        cmocka_unit_test(line_straight_covers_every_dot),
        cmocka_unit_test(line_with_far_ends_is_cut_to_the_canvas),
        cmocka_unit_test(arc_whole_circle_is_round_and_closed),
        cmocka_unit_test(arc_far_away_or_huge_costs_and_draws_nothing),
        cmocka_unit_test(text_covers_dots_and_is_cut_at_the_edges),
        cmocka_unit_test(ascii_looks_like_the_dots),
        cmocka_unit_test(resize_is_limited_and_clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
