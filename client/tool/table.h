// Tables for people: columns as wide as their cells, numbers aligned right.
//
//   NAME   BODIES   TICK
//   demo       42   1200
//
// Cells are copied. A table is bounded by memory only; when that runs out, table_print says so. One
// thread at a time.
#ifndef CAROM_CLIENT_TOOL_TABLE_H
#define CAROM_CLIENT_TOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 16 };

typedef enum table_align { TABLE_LEFT, TABLE_RIGHT } table_align;

typedef struct table {
    int columns;
    table_align align[TABLE_COLUMNS_MAX];
    char **cells;         // the heads first, then row by row
    unsigned char *marks; // marks of the cells
    size_t count, room;
    bool failed; // memory ran out
} table;

// Makes heads bold, and colours marked cells, but not on standard error. `colour` is false at
// first.
void table_set_colour(bool colour);

typedef enum table_mark {
    TABLE_PLAIN,
    TABLE_GOOD, // green
    TABLE_BAD,  // red
    TABLE_DIM   // colour of objects at rest
} table_mark;

// Sets the heads; '>' before one aligns its column to the right: {"NAME", ">BODIES"}.
void table_init(table *t, int columns, const char *const *heads);
void table_deinit(table *t);

// Adds the next cell; rows fill from left to right.
void table_text(table *t, const char *text);
void table_format(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Marks the cell that was added last.
void table_colour(table *t, table_mark mark);
// Adds a number in the shortest form with at most six decimals; "-0" is "0".
void table_number(table *t, double value);

// False when memory has run out.
bool table_print(const table *t, FILE *out);

#endif
