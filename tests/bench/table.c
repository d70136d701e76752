// Collects cells, then prints columns as wide as their widest cell. One thread.
#include "tests/bench/table.h"

#include "common/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS_MAX = 5 };

typedef enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_NONE } cell_kind;

typedef struct cell {
    cell_kind kind;
    double value; // value of a cell with a number
    char text[TABLE_CELL_BYTES];
} cell;

struct table {
    const char *const *heads;
    int columns;
    ARRAY(cell) cells;
};

table *table_create(const char *const *heads)
{
    table *t = calloc(1, sizeof *t);
    if (t == NULL) {
        abort();
    }
    t->heads = heads;
    while (t->columns < TABLE_COLUMNS_MAX && heads[t->columns] != NULL) {
        t->columns++;
    }
    return t;
}

void table_free(table *t)
{
    array_free(&t->cells);
    free(t);
}

static void add(table *t, cell_kind kind, double value, const char *text)
{
    cell c = {.kind = kind, .value = value};
    snprintf(c.text, sizeof c.text, "%s", text);
    array_push(&t->cells, c);
}

void table_text(table *t, const char *text)
{
    add(t, CELL_TEXT, 0.0, text);
}

void table_number(table *t, double value, int digits)
{
    if (!isfinite(value) || value < 0.0) {
        table_skip(t);
        return;
    }
    int before = value < 1.0 ? 1 : (int)floor(log10(value)) + 1;
    int after = digits - before;
    if (value > 0.0 && value < 1.0) {
        after -= (int)floor(log10(value)) + 1;
    }
    after = after < 0 ? 0 : after > DECIMALS_MAX ? DECIMALS_MAX : after;
    char text[TABLE_CELL_BYTES];
    snprintf(text, sizeof text, "%.*f", after, value);
    add(t, CELL_NUMBER, value, text);
}

void table_ratio(table *t, double value)
{
    if (!isfinite(value)) {
        table_skip(t);
        return;
    }
    char text[TABLE_CELL_BYTES];
    snprintf(text, sizeof text, value >= 0.005 ? "%.2f" : "%.1g", value);
    add(t, CELL_NUMBER, value, text);
}

void table_skip(table *t)
{
    add(t, CELL_NONE, 0.0, "-");
}

static bool is_text(const table *t, int column)
{
    return t->heads[column][0] == '<';
}

static const char *head_of(const table *t, int column)
{
    return is_text(t, column) ? t->heads[column] + 1 : t->heads[column];
}

static int width_of(const table *t, int column)
{
    size_t width = strlen(head_of(t, column));
    for (uint32_t i = (uint32_t)column; i < t->cells.count; i += (uint32_t)t->columns) {
        size_t length = strlen(t->cells.data[i].text);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_cell(FILE *out, const char *text, int width, bool left)
{
    fprintf(out, left ? " %-*s |" : " %*s |", width, text);
}

static void print_rule(const table *t, const int *widths, FILE *out)
{
    fputc('|', out);
    for (int c = 0; c < t->columns; c++) {
        fputc(' ', out);
        for (int i = 0; i < widths[c] - (is_text(t, c) ? 0 : 1); i++) {
            fputc('-', out);
        }
        fputs(is_text(t, c) ? " |" : ": |", out);
    }
    fputc('\n', out);
}

void table_print(const table *t, FILE *out)
{
    int widths[TABLE_COLUMNS_MAX];
    fputc('|', out);
    for (int c = 0; c < t->columns; c++) {
        widths[c] = width_of(t, c);
        print_cell(out, head_of(t, c), widths[c], is_text(t, c));
    }
    fputc('\n', out);
    print_rule(t, widths, out);
    for (uint32_t i = 0; i < t->cells.count; i++) {
        int c = (int)(i % (uint32_t)t->columns);
        if (c == 0) {
            fputc('|', out);
        }
        print_cell(out, t->cells.data[i].text, widths[c], is_text(t, c));
        if (c == t->columns - 1) {
            fputc('\n', out);
        }
    }
}

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_cell(FILE *out, const cell *c)
{
    if (c->kind == CELL_TEXT) {
        write_string(out, c->text);
    } else if (c->kind == CELL_NUMBER) {
        fprintf(out, "%.9g", c->value);
    } else {
        fputs("null", out);
    }
}

void table_write_json(const table *t, FILE *out)
{
    fputc('[', out);
    for (uint32_t i = 0; i < t->cells.count; i++) {
        int c = (int)(i % (uint32_t)t->columns);
        fputs(c > 0 ? ", " : i > 0 ? "},\n    {" : "\n    {", out);
        write_string(out, head_of(t, c));
        fputs(": ", out);
        write_cell(out, &t->cells.data[i]);
    }
    fputs(t->cells.count > 0 ? "}]" : "]", out);
}
