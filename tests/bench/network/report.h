// The findings of a run: tables, printed at once and kept for --json, and plots, drawn into the
// folder of --svg. Main thread.
#ifndef CAROM_TESTS_BENCH_NETWORK_REPORT_H
#define CAROM_TESTS_BENCH_NETWORK_REPORT_H

#include "tests/bench/plot.h"
#include "tests/bench/table.h"

typedef struct report report;

// `bench`: the program's name. `svg`: an existing folder; NULL: no plots.
report *report_create(const char *bench, const char *svg);
void report_free(report *r);

// Prints the table under its title, and keeps it as `name`. Takes over the table.
void report_add(report *r, const char *name, const char *title, table *t);
// Draws `name`.svg. Ends the process if the file cannot be written.
void report_plot(const report *r, const char *name, const plot *p);

// Writes {bench, machine: {processor, processors, system}, tables: {name: [{head: cell …} …] …}};
// false if it cannot be written.
bool report_write_json(const report *r, const char *path);

#endif
