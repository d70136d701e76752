// See canvas.h.
#include "client/cli/picture/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

// Braille numbers its dots down the left column, down the right one, then along the lowest row.
static const uint8_t dot_bits[CANVAS_CELL_HEIGHT][CANVAS_CELL_WIDTH] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

enum { BRAILLE = 0x2800, ARC_DOTS_MAX = 100000 };

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

bool canvas_resize(canvas *c, int columns, int rows)
{
    columns = clamp(columns, 1, CANVAS_COLUMNS_MAX);
    rows = clamp(rows, 1, CANVAS_ROWS_MAX);
    if (c->cells != NULL && columns == c->columns && rows == c->rows) {
        canvas_clear(c);
        return true;
    }
    canvas_cell *cells = calloc((size_t)columns * (size_t)rows, sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    free(c->cells);
    *c = (canvas){.columns = columns, .rows = rows, .cells = cells};
    return true;
}

void canvas_deinit(canvas *c)
{
    free(c->cells);
    *c = (canvas){0};
}

void canvas_clear(canvas *c)
{
    memset(c->cells, 0, (size_t)c->columns * (size_t)c->rows * sizeof *c->cells);
}

void canvas_dot(canvas *c, int x, int y, uint8_t colour)
{
    if (x < 0 || y < 0 || x >= c->columns * CANVAS_CELL_WIDTH ||
        y >= c->rows * CANVAS_CELL_HEIGHT) {
        return;
    }
    canvas_cell *cell = &c->cells[(y / CANVAS_CELL_HEIGHT) * c->columns + x / CANVAS_CELL_WIDTH];
    cell->dots |= dot_bits[y % CANVAS_CELL_HEIGHT][x % CANVAS_CELL_WIDTH];
    cell->colour = colour;
}

// Narrows [*enter, *leave] to the part where `start + t * change` is within [0, limit]; false if
// there is none.
static bool clip_axis(double start, double change, double limit, double *enter, double *leave)
{
    if (change == 0.0) {
        return start >= 0.0 && start <= limit;
    }
    double t0 = -start / change;
    double t1 = (limit - start) / change;
    double first = t0 < t1 ? t0 : t1;
    double last = t0 < t1 ? t1 : t0;
    *enter = first > *enter ? first : *enter;
    *leave = last < *leave ? last : *leave;
    return *enter <= *leave;
}

static double within(double value, double limit)
{
    return value < 0.0 ? 0.0 : value > limit ? limit : value;
}

void canvas_line(canvas *c, double x0, double y0, double x1, double y1, uint8_t colour)
{
    double width = c->columns * CANVAS_CELL_WIDTH;
    double height = c->rows * CANVAS_CELL_HEIGHT;
    double dx = x1 - x0;
    double dy = y1 - y0;
    double enter = 0.0;
    double leave = 1.0;
    if (!isfinite(dx) || !isfinite(dy) || !clip_axis(x0, dx, width, &enter, &leave) ||
        !clip_axis(y0, dy, height, &enter, &leave)) {
        return;
    }
    // Continues with the cut ends: far outside, doubles are too coarse for single dots.
    double from_x = within(x0 + enter * dx, width);
    double from_y = within(y0 + enter * dy, height);
    double to_x = within(x0 + leave * dx, width);
    double to_y = within(y0 + leave * dy, height);
    int steps = (int)ceil(fmax(fabs(to_x - from_x), fabs(to_y - from_y)));
    for (int i = 0; i <= steps; i++) {
        double t = steps == 0 ? 0.0 : (double)i / steps;
        canvas_dot(c, (int)floor(from_x + t * (to_x - from_x)),
                   (int)floor(from_y + t * (to_y - from_y)), colour);
    }
}

// Whether a circle's edge can cross the canvas at all.
static bool circle_in_view(const canvas *c, double x, double y, double radius)
{
    double width = c->columns * CANVAS_CELL_WIDTH;
    double height = c->rows * CANVAS_CELL_HEIGHT;
    double near_x = x < 0.0 ? -x : x > width ? x - width : 0.0;
    double near_y = y < 0.0 ? -y : y > height ? y - height : 0.0;
    double far_x = fmax(fabs(x), fabs(width - x));
    double far_y = fmax(fabs(y), fabs(height - y));
    return hypot(near_x, near_y) <= radius + 1.0 && hypot(far_x, far_y) >= radius - 1.0;
}

void canvas_arc(canvas *c, double x, double y, double radius, double from, double sweep,
                uint8_t colour)
{
    if (!isfinite(x + y + radius + from + sweep) || !circle_in_view(c, x, y, radius)) {
        return;
    }
    double wanted = ceil(fabs(sweep) * radius * 1.25) + 1.0;
    int steps = wanted < ARC_DOTS_MAX ? (int)wanted : ARC_DOTS_MAX;
    for (int i = 0; i <= steps; i++) {
        double angle = from + sweep * i / steps;
        double dot_x = floor(x + radius * cos(angle));
        double dot_y = floor(y + radius * sin(angle));
        if (fabs(dot_x) < 1e6 && fabs(dot_y) < 1e6) {
            canvas_dot(c, (int)dot_x, (int)dot_y, colour);
        }
    }
}

void canvas_text(canvas *c, int column, int row, const char *text, uint8_t colour)
{
    for (uint32_t letter = text_next(&text); letter != 0; letter = text_next(&text)) {
        if (row >= 0 && row < c->rows && column >= 0 && column < c->columns) {
            canvas_cell *cell = &c->cells[row * c->columns + column];
            cell->letter = text_acts(letter) ? '?' : letter;
            cell->colour = colour;
        }
        column++;
    }
}

// Rows of dots from the top, the left one in bit 1: a small picture of each character.
typedef struct glyph {
    char letter;
    uint8_t rows[CANVAS_CELL_HEIGHT];
} glyph;

static const glyph glyphs[] = {
    {' ', {0, 0, 0, 0}}, {'\'', {2, 2, 0, 0}}, {'`', {1, 1, 0, 0}},  {'"', {3, 0, 0, 0}},
    {'-', {0, 3, 0, 0}}, {'-', {0, 0, 3, 0}},  {'_', {0, 0, 0, 3}},  {'.', {0, 0, 0, 2}},
    {'.', {0, 0, 0, 1}}, {',', {0, 0, 2, 2}},  {',', {0, 0, 1, 1}},  {'|', {2, 2, 2, 2}},
    {'|', {1, 1, 1, 1}}, {'/', {1, 1, 2, 2}},  {'\\', {2, 2, 1, 1}}, {'~', {2, 3, 1, 0}},
    {':', {0, 2, 0, 2}}, {'=', {0, 3, 0, 3}},  {'L', {2, 2, 2, 3}},  {'J', {1, 1, 1, 3}},
    {'F', {3, 2, 2, 2}}, {'7', {3, 1, 1, 1}},  {'#', {3, 3, 3, 3}},  {'o', {0, 0, 3, 3}},
    {'*', {3, 3, 0, 0}}, {'o', {0, 3, 3, 0}}};

char canvas_ascii(uint8_t dots)
{
    char best = '#';
    int best_wrong = 9;
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++) {
        uint8_t shape = 0;
        for (int row = 0; row < CANVAS_CELL_HEIGHT; row++) {
            shape |= glyphs[i].rows[row] & 2 ? dot_bits[row][0] : 0;
            shape |= glyphs[i].rows[row] & 1 ? dot_bits[row][1] : 0;
        }
        int wrong = __builtin_popcount((unsigned)(shape ^ dots));
        bool blank = glyphs[i].letter == ' ' && dots != 0; // dots must not become a space
        if (wrong < best_wrong && !blank) {
            best_wrong = wrong;
            best = glyphs[i].letter;
        }
    }
    return best;
}

static size_t put_cell(const canvas_cell *cell, canvas_style style, char *out)
{
    if (cell->letter == 0 && cell->dots == 0) {
        out[0] = ' ';
        return 1;
    }
    if (!style.utf8) {
        bool plain = cell->letter >= 0x20 && cell->letter < 0x7f;
        out[0] = plain ? (char)cell->letter : cell->letter != 0 ? '+' : canvas_ascii(cell->dots);
        return 1;
    }
    char bytes[5];
    size_t size =
        text_encode(cell->letter != 0 ? cell->letter : (uint32_t)BRAILLE + cell->dots, bytes);
    memcpy(out, bytes, size);
    return size;
}

size_t canvas_row(const canvas *c, int row, canvas_style style, char *out)
{
    const canvas_cell *cells = &c->cells[row * c->columns];
    int end = c->columns;
    while (end > 0 && cells[end - 1].letter == 0 && cells[end - 1].dots == 0) {
        end--;
    }
    size_t size = 0;
    uint8_t colour = CANVAS_COLOUR_NONE;
    for (int i = 0; i < end; i++) {
        bool blank = cells[i].letter == 0 && cells[i].dots == 0;
        if (style.colour && !blank && cells[i].colour != colour) {
            colour = cells[i].colour;
            size += colour == CANVAS_COLOUR_NONE
                        ? (size_t)sprintf(out + size, "\x1b[0m")
                        : (size_t)sprintf(out + size, "\x1b[38;5;%dm", colour);
        }
        size += put_cell(&cells[i], style, out + size);
    }
    if (colour != CANVAS_COLOUR_NONE) {
        size += (size_t)sprintf(out + size, "\x1b[0m");
    }
    out[size] = '\0';
    return size;
}
