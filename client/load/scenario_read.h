// Reading the parts of a scenario; internal to scenario.c and scenario_action.c. One thread.
//
// All functions return false when the file is wrong, with a text that begins with the place.
#ifndef CAROM_CLIENT_LOAD_SCENARIO_READ_H
#define CAROM_CLIENT_LOAD_SCENARIO_READ_H

#include "client/load/fill.h"
#include "client/load/scenario.h"

enum { SCENARIO_PATH_BYTES = 160 };

typedef struct scenario_reader {
    load_plan *plan;
    fill_client client; // client 0 at the beginning, with plausible ids
    char *error;        // text of at most SCENARIO_ERROR_MAX bytes
} scenario_reader;

bool scenario_fail(scenario_reader *r, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Formats a place in the file; text that does not fit is cut off.
void scenario_place(char out[SCENARIO_PATH_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Whether `name` can be the name of a variable.
bool scenario_variable(scenario_reader *r, const char *path, const char *name);

// Whether `map` is a map and has only these keys.
bool scenario_keys(scenario_reader *r, const carom_value *map, const char *path,
                   const char *const *keys, size_t count);

// Reads a number, or an expression of constants, from `least` to `most`; *out is unchanged when the
// key is missing.
bool scenario_number(scenario_reader *r, const carom_value *map, const char *path, const char *key,
                     double least, double most, double *out);
bool scenario_whole(scenario_reader *r, const carom_value *map, const char *path, const char *key,
                    unsigned least, unsigned most, unsigned *out);
// Reads a time [s], or two times between which the pause lies.
bool scenario_pause(scenario_reader *r, const carom_value *value, const char *path, double out[2]);

// Reads the calls of a kind of clients (scenario_action.c).
bool scenario_actions(scenario_reader *r, const carom_value *list, const char *path,
                      load_behaviour *out);
// Whether `args` can be arguments of the method for a client of this kind. Names that the load adds
// itself are refused.
bool scenario_arguments(scenario_reader *r, const char *method, const carom_value *args,
                        const carom_value *let, const load_behaviour *kind, const char *path);

#endif
