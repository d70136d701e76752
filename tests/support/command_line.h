// The command line of a benchmark or a simulator: a table of options, read by common/args. The same
// table makes the help. A wrong line ends the process with exit status 2 and a text that names the
// option and its allowed values.
//
// An option with a number is of the kind ARGS_TEXT: command_line_number() and its like check it,
// and know the range.
//
// One thread.
#ifndef CAROM_TESTS_SUPPORT_COMMAND_LINE_H
#define CAROM_TESTS_SUPPORT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/args/args.h"

typedef struct command_line_program {
    const char *name;     // "carom-bench-storage"
    const char *operands; // as the help shows them: "CAROMD"; "" for none
    const char *about;    // text of the help: lines of at most 100 columns, each with its end
    args_grammar grammar; // --help is added; an option without a help text is not shown
} command_line_program;

enum { COMMAND_LINE_LIST_BYTES = 1024 };
#define COMMAND_LINE_WHOLE_MAX (UINT64_C(1) << 53) // as ARGS_WHOLE

typedef struct command_line {
    const command_line_program *program;
    args args;
    char list[COMMAND_LINE_LIST_BYTES]; // the names of the last list
} command_line;

// Reads all words; prints the help for --help and ends the process. Texts stay those of argv.
void command_line_read(command_line *line, const command_line_program *program, int argc,
                       char **argv);

bool command_line_has(const command_line *line, const char *option);
const char *command_line_text(const command_line *line, const char *option, const char *otherwise);
// A number within [least, most].
double command_line_number(const command_line *line, const char *option, double otherwise,
                           double least, double most);
// A whole number from 1 to `most`.
int command_line_count(const command_line *line, const char *option, int otherwise, int most);

// Splits the option's value, or `otherwise`, at its commas and returns the number of names, which
// is at least 1. They stay valid until the next list is read. `most` is the size of `names`.
int command_line_list(command_line *line, const char *option, const char *otherwise,
                      const char **names, int most);
// The same for numbers within [least, largest].
int command_line_numbers(command_line *line, const char *option, const char *otherwise,
                         double least, double largest, double *out, int most);

// The operand at a position, or NULL; a whole number from `least` on.
const char *command_line_word(const command_line *line, size_t index);
uint64_t command_line_whole_word(const command_line *line, size_t index, const char *name,
                                 uint64_t otherwise, uint64_t least, uint64_t most);

// Ends the process with exit status 2 and the text: "carom-bench-storage: --rounds: 1 to 100".
__attribute__((format(printf, 2, 3))) _Noreturn void command_line_refuse(const command_line *line,
                                                                         const char *format, ...);

#endif
