// See command_line.h.
#include "tests/support/command_line.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

enum { HELP_COLUMN = 24 };

static const args_option HELP[] = {
    {"help", 'h', ARGS_FLAG, NULL, "this text", NULL},
    {0},
};

void command_line_refuse(const command_line *line, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    fprintf(stderr, "%s: ", line->program->name);
    vfprintf(stderr, format, rest);
    fprintf(stderr, " (--help lists the options)\n");
    va_end(rest);
    exit(2);
}

static void print_options(const args_option *options)
{
    for (const args_option *o = options; o != NULL && o->name != NULL; o++) {
        if (o->help != NULL) {
            const int used = printf("  --%s %s", o->name, o->value != NULL ? o->value : "");
            printf("%*s%s\n", used < HELP_COLUMN ? HELP_COLUMN - used : 1, "", o->help);
        }
    }
}

_Noreturn static void print_help(const command_line_program *p)
{
    printf("Usage: %s [options]%s%s\n\n%s\n", p->name, *p->operands != '\0' ? " " : "", p->operands,
           p->about);
    print_options(p->grammar.options);
    print_options(HELP);
    exit(0);
}

static args read_line; // a program reads one line, whose memory lasts as long as the program

static void free_line(void)
{
    args_deinit(&read_line);
}

void command_line_read(command_line *line, const command_line_program *program, int argc,
                       char **argv)
{
    args_grammar grammar = program->grammar;
    grammar.globals = HELP;
    *line = (command_line){.program = program};
    int at = 1;
    if (!args_init(&line->args, argc)) {
        command_line_refuse(line, "no memory for %d words", argc);
    }
    read_line = line->args;
    (void)atexit(free_line);
    const bool good = args_read(&line->args, &grammar, false, argc, (const char *const *)argv, &at);
    if (args_has(&line->args, "help")) {
        print_help(program);
    }
    if (!good || !args_check(&line->args, &grammar)) {
        command_line_refuse(line, "%s", line->args.error);
    }
}

bool command_line_has(const command_line *line, const char *option)
{
    return args_has(&line->args, option);
}

const char *command_line_text(const command_line *line, const char *option, const char *otherwise)
{
    return args_text(&line->args, option, otherwise);
}

// `%.7g` shows every limit in full: the largest is a million.
static double number_within(const command_line *line, const char *option, const char *text,
                            double least, double most)
{
    double value;
    if (!text_to_number(text, &value) || !(value >= least && value <= most)) {
        command_line_refuse(line, "--%s: %.7g to %.7g, not '%s'", option, least, most, text);
    }
    return value;
}

double command_line_number(const command_line *line, const char *option, double otherwise,
                           double least, double most)
{
    const char *text = args_text(&line->args, option, NULL);
    return text == NULL ? otherwise : number_within(line, option, text, least, most);
}

int command_line_count(const command_line *line, const char *option, int otherwise, int most)
{
    const char *text = args_text(&line->args, option, NULL);
    const double value = text == NULL ? otherwise : number_within(line, option, text, 1, most);
    if (value != floor(value)) {
        command_line_refuse(line, "--%s: a whole number, not '%s'", option, text);
    }
    return (int)value;
}

int command_line_list(command_line *line, const char *option, const char *otherwise,
                      const char **names, int most)
{
    const char *text = args_text(&line->args, option, otherwise);
    int count = 0;
    if (strlen(text) >= sizeof line->list) {
        command_line_refuse(line, "--%s: at most %zu bytes", option, sizeof line->list - 1);
    }
    strcpy(line->list, text);
    for (char *rest = line->list, *name; (name = strsep(&rest, ",")) != NULL;) {
        if (*name == '\0') {
            command_line_refuse(line, "--%s: an empty name in '%s'", option, text);
        }
        if (count == most) {
            command_line_refuse(line, "--%s: at most %d, one too many: '%s'", option, most, name);
        }
        names[count++] = name;
    }
    return count;
}

int command_line_numbers(command_line *line, const char *option, const char *otherwise,
                         double least, double largest, double *out, int most)
{
    const char *names[COMMAND_LINE_LIST_BYTES];
    const int count =
        command_line_list(line, option, otherwise, names,
                          most < COMMAND_LINE_LIST_BYTES ? most : COMMAND_LINE_LIST_BYTES);
    for (int i = 0; i < count; i++) {
        out[i] = number_within(line, option, names[i], least, largest);
    }
    return count;
}

const char *command_line_word(const command_line *line, size_t index)
{
    return args_word(&line->args, index);
}

uint64_t command_line_whole_word(const command_line *line, size_t index, const char *name,
                                 uint64_t otherwise, uint64_t least, uint64_t most)
{
    const char *text = args_word(&line->args, index);
    uint64_t value = otherwise;
    if (text != NULL && (!text_to_whole(text, &value) || value < least || value > most)) {
        command_line_refuse(line, "%s: %" PRIu64 " to %" PRIu64 ", not '%s'", name, least, most,
                            text);
    }
    return value;
}
