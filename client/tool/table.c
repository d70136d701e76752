// See table.h.
#include "client/tool/table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

enum { GAP = 2 }; // spaces between columns

static const char BOLD[] = "\x1b[1m";
static const char RESET[] = "\x1b[0m";
static const char *const COLOURS[] = {"", "\x1b[32m", "\x1b[31m", "\x1b[2m"};

static void add(table *t, char *cell)
{
    if (t->count == t->room) {
        size_t room = t->room == 0 ? 64 : t->room * 2;
        char **cells = realloc(t->cells, room * sizeof *cells);
        if (cells == NULL) {
            free(cell);
            t->failed = true;
            return;
        }
        t->cells = cells;
        unsigned char *marks = realloc(t->marks, room);
        if (marks == NULL) {
            free(cell);
            t->failed = true;
            return;
        }
        t->marks = marks;
        t->room = room;
    }
    if (cell == NULL) {
        t->failed = true;
        return;
    }
    t->marks[t->count] = TABLE_PLAIN;
    t->cells[t->count++] = cell;
}

static bool coloured;

void table_set_colour(bool colour)
{
    coloured = colour;
}

void table_colour(table *t, table_mark mark)
{
    if (t->count > 0) {
        t->marks[t->count - 1] = (unsigned char)mark;
    }
}

void table_init(table *t, int columns, const char *const *heads)
{
    *t = (table){.columns = columns < TABLE_COLUMNS_MAX ? columns : TABLE_COLUMNS_MAX};
    for (int i = 0; i < t->columns; i++) {
        bool right = heads[i][0] == '>';
        t->align[i] = right ? TABLE_RIGHT : TABLE_LEFT;
        table_text(t, heads[i] + (right ? 1 : 0));
    }
}

void table_deinit(table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->cells[i]);
    }
    free(t->cells);
    free(t->marks);
    *t = (table){0};
}

void table_text(table *t, const char *text)
{
    char *cell = strdup(text);
    if (cell != NULL) {
        text_tame(cell);
    }
    add(t, cell);
}

void table_format(table *t, const char *format, ...)
{
    char *cell = NULL;
    va_list values;
    va_start(values, format);
    int size = vasprintf(&cell, format, values);
    va_end(values);
    if (size >= 0) {
        text_tame(cell);
    }
    add(t, size < 0 ? NULL : cell);
}

void table_number(table *t, double value)
{
    char text[400];
    int size = snprintf(text, sizeof text, "%.6f", value);
    while (size > 0 && text[size - 1] == '0') {
        size--;
    }
    if (size > 0 && text[size - 1] == '.') {
        size--;
    }
    text[size] = '\0';
    table_text(t, strcmp(text, "-0") == 0 ? "0" : text);
}

// Prints a cell, preceded by the spaces that are pending from earlier cells of the row: so no row
// ends with spaces.
static void print_cell(table_align align, const char *text, const char *colour, size_t width,
                       size_t *spaces, FILE *out)
{
    size_t columns = text_columns(text);
    size_t pad = width > columns ? width - columns : 0;
    *spaces += align == TABLE_RIGHT ? pad : 0;
    if (columns > 0) {
        (void)fprintf(out, "%*s%s%s%s", (int)*spaces, "", colour, text,
                      *colour != '\0' ? RESET : "");
        *spaces = 0;
    }
    *spaces += GAP + (align == TABLE_LEFT ? pad : 0);
}

bool table_print(const table *t, FILE *out)
{
    size_t width[TABLE_COLUMNS_MAX] = {0};
    size_t spaces = 0;
    for (size_t i = 0; i < t->count; i++) {
        size_t columns = text_columns(t->cells[i]);
        size_t *w = &width[i % (size_t)t->columns];
        *w = columns > *w ? columns : *w;
    }
    for (size_t i = 0; i < t->count; i++) {
        int column = (int)(i % (size_t)t->columns);
        bool head = i < (size_t)t->columns;
        const char *colour = !coloured || out == stderr ? "" : head ? BOLD : COLOURS[t->marks[i]];
        print_cell(t->align[column], t->cells[i], colour, width[column], &spaces, out);
        if (column + 1 == t->columns) {
            (void)fputc('\n', out);
            spaces = 0;
        }
    }
    return !t->failed;
}
