// Arithmetic in scene files: "=2 * pi * i / n". Everything is a double; truth is 1 and 0.
//
//   a ? b : c    a || b    a && b    == != < <= > >=    + -    * / %    - !    ( )
//   numbers, names, pi, and sin cos sqrt floor ceil round abs min max atan2 random
//
// with C's precedence. % takes the sign of its right side, so that (i - 1) % n wraps. Only the
// chosen side of a condition is evaluated. random(a, b) is uniform in [a, b), from the caller's
// state. The same text and values give the same bits on every machine: no C library function with
// unspecified rounding is called.
//
// A recursive descent over the text that evaluates as it reads; its depth is bounded by
// EXPRESSION_DEPTH_MAX. Any thread.
#ifndef CAROM_PROTO_SCENE_EXPRESSION_H
#define CAROM_PROTO_SCENE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/limits.h"

typedef struct expression_variable {
    char name[SCENE_NAME_MAX + 1];
    double value;
} expression_variable;

typedef struct expression_scope {
    expression_variable variables[SCENE_VARIABLES_MAX]; // a later one hides an earlier of its name
    uint32_t count;
    uint64_t random; // state of random(); any value is a seed
} expression_scope;

// Whether the text can be a variable's name: a letter or _, then letters, digits and _, at most
// SCENE_NAME_MAX, and no name of a function or of pi.
bool expression_name_valid(const char *text, size_t size);

// STATUS_INVALID_ARGUMENT for a name that no variable can have, STATUS_LIMIT_EXCEEDED when the
// scope is full.
status expression_define(expression_scope *scope, const char *name, size_t size, double value,
                         error *err);

// The value of the text, always finite. STATUS_INVALID_ARGUMENT with the column for a syntax error,
// an unknown name, a division by zero, a result that is not finite; STATUS_LIMIT_EXCEEDED if too
// long or too deep.
status expression_evaluate(expression_scope *scope, const char *text, size_t size, double *out,
                           error *err);

#endif
