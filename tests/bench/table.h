// Tables for people: cells are collected, then printed in columns as wide as they need, between
// bars, so that a table can be pasted into a README as it is.
#ifndef CAROM_TESTS_BENCH_TABLE_H
#define CAROM_TESTS_BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 24, TABLE_CELL_BYTES = 40 };

typedef struct table table;

// `heads` are column heads up to NULL; those beginning with '<' are for text, set to the left.
table *table_create(const char *const *heads);
void table_free(table *t);
// Adds a cell: from left to right, row by row. Long text is cut.
void table_text(table *t, const char *text);
// Adds a number in fixed notation with at least `digits` significant digits; "-" for a negative or
// non-finite one.
void table_number(table *t, double value, int digits);
void table_ratio(table *t, double value);
void table_skip(table *t); // "-"
void table_print(const table *t, FILE *out);
// Prints JSON: an array of objects whose keys are the heads; numbers as given, null for "-".
void table_write_json(const table *t, FILE *out);

#endif
