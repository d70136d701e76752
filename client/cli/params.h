// Converts words of a command line to the arguments of calls.
//
// Main thread only. Functions that refuse the user's words report that on standard error and return
// CLI_USAGE.
#ifndef CAROM_CLIENT_CLI_PARAMS_H
#define CAROM_CLIENT_CLI_PARAMS_H

#include <stddef.h>

#include "client/cli/method_options.h"
#include "client/tool/cli.h"

// The options that describe shapes, for the tables of commands: FORM for commands that take one
// shape, SPAWN for those of new bodies and for their matter.
#define PARAMS_FORM_OPTIONS                                                                        \
    {"circle", 'c', ARGS_NUMBER, "R", "a circle of that radius", NULL},                            \
        {"box", 'b', ARGS_BOX, "WxH", "a box of that width and height", NULL},                     \
        {"capsule", 0, ARGS_TEXT, "AX,AY,BX,BY,R", "a capsule around a line", NULL},               \
        {"polygon", 0, ARGS_TEXT, "\"X,Y X,Y ...\"", "a convex polygon of 3 to 8 points", NULL},   \
    {                                                                                              \
        "segment", 0, ARGS_AREA, "AX,AY,BX,BY", "a line without area", NULL                        \
    }

#define PARAMS_SPAWN_OPTIONS                                                                       \
    {"chain", 0, ARGS_TEXT, "\"X,Y X,Y ...\"", "an open line of many points", NULL},               \
        {"loop", 0, ARGS_TEXT, "\"X,Y X,Y ...\"", "a closed line of many points", NULL},           \
        {"rounding", 0, ARGS_NUMBER, "M", "radius of the corners of boxes and polygons", NULL},    \
        OPTIONS_MATTER, OPTIONS_FILTER

#define PARAMS_SHAPE_OPTION                                                                        \
    {                                                                                              \
        "shape", 0, ARGS_JSON, "JSON", "any shape, as in the protocol", NULL                       \
    }

// Adds the shapes that the options describe, in their order, to an array made with carom_array().
cli_exit params_shapes(const cli *c, carom_value *shapes);
// Makes the one shape that the options describe; the caller frees it. None or several is a usage
// error.
cli_exit params_shape(const cli *c, carom_value **out);
// Sets the shapes' matter and filter from the options given (OPTIONS_MATTER, OPTIONS_FILTER).
void params_matter(const cli *c, carom_value *into);
// Sets "filter" in `into` when any option of OPTIONS_FILTER or OPTIONS_QUERY_FILTER is given.
void params_filter(const cli *c, carom_value *into);

// Sets `key` to the vector, number, whole number or text of the option, when it is given.
void params_vector(const cli *c, const char *option, carom_value *into, const char *key);
void params_number(const cli *c, const char *option, carom_value *into, const char *key);
void params_whole(const cli *c, const char *option, carom_value *into, const char *key);
void params_text(const cli *c, const char *option, carom_value *into, const char *key);
void params_area(const cli *c, const char *option, carom_value *into, const char *key);

// An option that comes from a method's description (PARAMS_... of method_options.h), and its
// argument.
typedef struct params_row {
    const char *option, *argument;
    args_kind kind;
    bool value; // value that a flag sets
    bool words; // the text is a list of words with commas
} params_row;

// Sets the argument of each row whose option is given.
void params_method(const cli *c, const params_row *rows, size_t count, carom_value *into);

// As params_vector and the others, from words whose kinds the command's table has checked.
carom_value *params_vector_word(const char *word);
carom_value *params_id_word(const char *word);

// Adds NAME=VALUE words from number `first` on. A value is JSON ("true", "[1,2]"), numbers with
// commas ("1,2"), or else a text. If `method` (may be NULL) has the argument as a text or a name,
// the value is always a text. Unknown names are reported here, with the most similar known one.
cli_exit params_pairs(const cli *c, size_t first, const char *method, carom_value *into);

// The form in which the text of a NAME=VALUE is read.
typedef enum params_form {
    PARAMS_ANY,  // JSON, numbers with commas, or else a text
    PARAMS_TEXT, // always a text
    PARAMS_WORDS // JSON, or words with commas
} params_form;

// NULL when memory has run out.
carom_value *params_value(const char *text, params_form form);

#endif
