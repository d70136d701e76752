// Arguments of a call for one client: copies the arguments of an action and replaces the strings of
// a scenario that stand for values, as in scene files.
//
//   "=x + random(-1, 1)"  the value of the expression "ball {client}"       {expression} replaced
//   by its value, a whole number "$own"                the body that the client begins with
//   "$spawned"            the newest body that it made and has not removed "$subscription"
//   its subscription "$$"                  a dollar
//
// The variables of expressions are the client's own (fill_variables), the scenario's constants and
// the names defined by an action's `let`.
//
// Pure; any thread.
#ifndef CAROM_CLIENT_LOAD_FILL_H
#define CAROM_CLIENT_LOAD_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/load/plan.h"

enum { FILL_ERROR_MAX = 400, FILL_OWN_VARIABLES = 7 };

typedef struct fill_client {
    uint64_t own, spawned, subscription;
    carom_vec2 home;          // x, y [m]
    unsigned number, clients; // number of the client, from 0; number of clients
    unsigned world;           // index from 0
    uint64_t calls;           // n: how many calls it has made
    double seconds;           // t, since the run began
    uint64_t random;          // state of random()
} fill_client;

// The variables that every expression sees, by name, ended by NULL.
extern const char *const fill_variables[FILL_OWN_VARIABLES + 1];

typedef struct fill_scope {
    carom_variable variables[FILL_OWN_VARIABLES + LOAD_CONSTANTS_MAX + LOAD_LETS_MAX];
    size_t count;
    fill_client *client;
} fill_scope;

// The client's variables and the constants. `plan` lives longer than the scope.
void fill_begin(fill_scope *scope, const load_plan *plan, fill_client *client);

// Adds the definitions of `let` (a map, or NULL) in its order. False with a text that begins with
// the name.
bool fill_define(fill_scope *scope, const carom_value *let, char error[FILL_ERROR_MAX]);

// Reads a number, a boolean or an expression.
bool fill_number(fill_scope *scope, const carom_value *value, double *out,
                 char error[FILL_ERROR_MAX]);

// Returns arguments that the caller frees. NULL with a text that begins with the place in `args`,
// as ".position[0]: …", or when memory has run out.
carom_value *fill_args(const carom_value *args, fill_scope *scope, char error[FILL_ERROR_MAX]);

typedef struct fill_use {
    bool own, spawned, subscription;
    bool changes; // contains a string whose value differs between calls
} fill_use;

// Finds which special strings `args` contains.
void fill_look(const carom_value *args, fill_use *use);

// Returns a number between 0 and 1 (SplitMix64 of Steele, Lea and Flood).
double fill_random(uint64_t *state);

#endif
