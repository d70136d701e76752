// The number of clients over time: linear ramps, "30s:100,2m:1000,30s:0".
//
// Each stage leads from the number before it (0 at the beginning) to its own in a linear ramp over
// its length, as in k6. Pure; any thread.
#ifndef CAROM_CLIENT_LOAD_STAGES_H
#define CAROM_CLIENT_LOAD_STAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { LOAD_STAGES_MAX = 32, LOAD_STAGES_ERROR_MAX = 200 };

typedef struct load_stage {
    double seconds;   // 0: the number changes at once
    unsigned clients; // clients at the stage's end
} load_stage;

typedef struct load_stages {
    load_stage list[LOAD_STAGES_MAX];
    size_t count;
} load_stages;

// Adds the stages of `text`. False with a text for a person that names the stage and the allowed
// form.
bool load_stages_parse(load_stages *stages, const char *text, unsigned clients_max,
                       char error[LOAD_STAGES_ERROR_MAX]);

double load_stages_seconds(const load_stages *stages);
unsigned load_stages_peak(const load_stages *stages);

// The number of clients at a time since the beginning [s], rounded to a whole one; after the end,
// the last stage's number.
unsigned load_stages_at(const load_stages *stages, double seconds);

#endif
