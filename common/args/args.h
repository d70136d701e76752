// Reads a command line by a grammar that is data: the same tables make the help and the shell
// completion.
//
// Every value is checked for its kind while reading, so that a command sees only valid values.
// Options may be anywhere ("--name value", "--name=value", "-n value", "-nvalue"), "--" ends them,
// and a word such as "-1,2" or "-" is never an option. Texts are the caller's (argv) and are not
// copied. One thread at a time.
#ifndef CAROM_COMMON_ARGS_ARGS_H
#define CAROM_COMMON_ARGS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum args_kind {
    ARGS_FLAG, // an option without a value
    ARGS_TEXT,
    ARGS_CHOICE,  // one of `choices`
    ARGS_WORLD,   // the name of a world
    ARGS_METHOD,  // the name of a method
    ARGS_FILE,    // a path, or "-" for standard input
    ARGS_SCENE,   // the name of a scene that the server has
    ARGS_ID,      // a shape, joint, session: 1 to 2^53
    ARGS_BODY,    // an id of a body
    ARGS_SESSION, // the number of a session
    ARGS_WHOLE,   // 0 to 2^53
    ARGS_COUNT,   // how many: 1 to 2^53
    ARGS_NUMBER,
    ARGS_VECTOR,  // x,y
    ARGS_AREA,    // x0,y0,x1,y1
    ARGS_SIZE,    // WIDTHxHEIGHT in characters
    ARGS_BOX,     // WIDTHxHEIGHT in metres
    ARGS_SECONDS, // 5, 250ms, 2m
    ARGS_JSON,    // any JSON value; read by the command
    ARGS_PAIR,    // NAME=VALUE
    ARGS_FIELD,   // the name of a field of a body
    ARGS_KINDS,   // kinds of events, with commas between
    ARGS_TOPIC    // a command or a topic of the help
} args_kind;

typedef struct args_option {
    const char *name; // without dashes; NULL ends a list
    char letter;      // 0 for none
    args_kind kind;
    const char *value;   // name of its value in the help; NULL for a flag
    const char *help;    // text of one line
    const char *choices; // words of ARGS_CHOICE, separated by '|'
} args_option;

typedef struct args_operand {
    const char *name; // the name in the help: "WORLD"; NULL ends a list
    args_kind kind;
    bool required;
    bool repeated; // takes all remaining words; must be the last operand
    const char *choices;
} args_operand;

typedef struct args_grammar {
    const args_operand *operands; // NULL: none
    const args_option *options;   // NULL: none
    const args_option *globals;   // NULL: none
} args_grammar;

typedef struct args_given {
    const args_option *option;
    const char *value; // NULL for a flag
} args_given;

enum { ARGS_ERROR_MAX = 1000 };

typedef struct args {
    args_given *given;
    size_t given_count;
    const char **words; // operands
    size_t word_count;
    size_t room; // capacity of both arrays
    char error[ARGS_ERROR_MAX];
} args;

// Allocates room for a command line of `argc` words. False when memory has run out.
bool args_init(args *a, int argc);
void args_deinit(args *a);

// Reads words from argv[*at] on and moves *at past them; may be called again with another grammar
// for the words that follow. With `until_word` it stops before the first operand. Operands are not
// checked (see args_check). False with a text in a->error for a person.
bool args_read(args *a, const args_grammar *grammar, bool until_word, int argc,
               const char *const *argv, int *at);

// Checks number and kinds of the operands that were read.
bool args_check(args *a, const args_grammar *grammar);

// Look up options by name: the last one given counts. Numbers return `otherwise` when not given.
bool args_has(const args *a, const char *name);
const char *args_text(const args *a, const char *name, const char *otherwise);
double args_number(const args *a, const char *name, double otherwise);  // ARGS_NUMBER
double args_seconds(const args *a, const char *name, double otherwise); // ARGS_SECONDS
// ARGS_WHOLE, ARGS_COUNT, ARGS_ID, ARGS_BODY
uint64_t args_whole(const args *a, const char *name, uint64_t otherwise);
// The numbers of a vector (2), size or box (2) or area (4); false, and `out` untouched, when not
// given.
bool args_numbers(const args *a, const char *name, double *out);

// The operand at a position, or NULL.
const char *args_word(const args *a, size_t index);

// Whether `value` is of the kind; if not, `error` says so, beginning with `what` ("--rate",
// "BODY").
bool args_value_check(const char *what, args_kind kind, const char *choices, const char *value,
                      char error[ARGS_ERROR_MAX]);

// Copies word `index` of "a|b|c"; false past the end.
bool args_choice(const char *choices, size_t index, char *out, size_t size);

#endif
