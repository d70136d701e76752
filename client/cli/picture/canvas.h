// A picture made of text: each cell has 2 x 4 dots (braille patterns, U+2800) in one colour, or a
// letter.
//
// The canvas knows dots and cells, not worlds: x to the right, y downward, dot (0, 0) at the top
// left. Dots of a terminal are very nearly square, since a cell is about twice as high as it is
// wide.
//
// A cell has the colour drawn into it last: draw the most important things at the end. A letter
// covers dots. Pure; one thread at a time.
#ifndef CAROM_CLIENT_CLI_PICTURE_CANVAS_H
#define CAROM_CLIENT_CLI_PICTURE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CANVAS_CELL_WIDTH = 2,  // dots
    CANVAS_CELL_HEIGHT = 4, // dots
    CANVAS_COLUMNS_MAX = 1000,
    CANVAS_ROWS_MAX = 500,
    CANVAS_COLOUR_NONE = 0 // the terminal's own colour; 1 to 255 are those of the 256-colour
                           // palette
};

typedef struct canvas_cell {
    uint32_t letter; // a character that covers the dots, 0 for none
    uint8_t dots;    // bits in the order of braille
    uint8_t colour;
} canvas_cell;

typedef struct canvas {
    int columns, rows;
    canvas_cell *cells; // rows * columns
} canvas;

// The way in which a canvas is printed.
typedef struct canvas_style {
    bool utf8;   // braille and other letters; otherwise the nearest ASCII
    bool colour; // print escape sequences for colours
} canvas_style;

// Sizes are clamped to the range from 1 to the maxima. False when memory has run out. A canvas that
// is all zero may be resized and freed.
bool canvas_resize(canvas *c, int columns, int rows);
void canvas_deinit(canvas *c);
void canvas_clear(canvas *c);

// Places outside the canvas are allowed everywhere and draw nothing.
void canvas_dot(canvas *c, int x, int y, uint8_t colour);
// Draws a line between any finite ends, however far away: the line is cut to the canvas first
// (Liang and Barsky, 1984), then walked dot by dot along its longer direction.
void canvas_line(canvas *c, double x0, double y0, double x1, double y1, uint8_t colour);
// Draws a circle of `radius` dots, or its arc from `from` over `sweep` radians (clockwise, since y
// points down).
void canvas_arc(canvas *c, double x, double y, double radius, double from, double sweep,
                uint8_t colour);
void canvas_text(canvas *c, int column, int row, const char *text, uint8_t colour);

// Writes the text of one row, without a line end: spaces at its end are left out, and no colour is
// left on. `out` needs CANVAS_ROW_BYTES(columns). Returns its bytes.
#define CANVAS_ROW_BYTES(columns) ((size_t)(columns)*16 + 16)
size_t canvas_row(const canvas *c, int row, canvas_style style, char *out);

// The ASCII character that looks most like a pattern of dots.
char canvas_ascii(uint8_t dots);

#endif
