// See help.h.
#include "client/tool/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/args/text.h"

enum { OPTION_COLUMN = 28 };

void help_print_options(const args_option *options, FILE *out)
{
    for (; options != NULL && options->name != NULL; options++) {
        char left[96];
        char letter[8] = "    ";
        if (options->letter != 0) {
            (void)snprintf(letter, sizeof letter, "-%c, ", options->letter);
        }
        (void)snprintf(left, sizeof left, "  %s--%s%s%s", letter, options->name,
                       options->value != NULL ? " " : "",
                       options->value != NULL ? options->value : "");
        if (strlen(left) >= OPTION_COLUMN) {
            (void)fprintf(out, "%s\n", left);
            left[0] = '\0';
        }
        text_print_help(out, left, OPTION_COLUMN, options->help);
    }
}

static bool has_options(const cli_command *command)
{
    return command->options != NULL && command->options->name != NULL;
}

static void print_usage(const cli_command *command, FILE *out)
{
    char called[CLI_CALLED_MAX];
    cli_called(command, called);
    (void)fprintf(out, "Usage: %s", called);
    for (const args_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        (void)fprintf(out, o->required ? " %s%s" : " [%s%s]", o->name, o->repeated ? "..." : "");
    }
    (void)fprintf(out, "%s\n", has_options(command) ? " [options]" : "");
    if (command->alias != NULL) {
        (void)fprintf(out, "Alias: carom %s\n", command->alias);
    }
}

// Prints two lines that refer to the global options, instead of repeating all eleven in every help.
static void print_pointer(FILE *out)
{
    (void)fputs("\nEverywhere ('carom help' says more):\n ", out);
    for (const args_option *o = cli_globals; o->name != NULL; o++) {
        (void)fprintf(out, " --%s", o->name);
    }
    (void)fputc('\n', out);
}

void help_print_command(const cli_command *command, FILE *out)
{
    print_usage(command, out);
    (void)fprintf(out, "\n%c%s.\n", toupper((unsigned char)command->summary[0]),
                  command->summary + 1);
    if (command->details != NULL) {
        (void)fprintf(out, "\n%s\n", command->details);
    }
    for (const args_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        if (o->kind == ARGS_CHOICE) {
            (void)fprintf(out, "\n%s is one of %s\n", o->name, o->choices);
        }
    }
    if (has_options(command)) {
        (void)fprintf(out, "\nOptions:\n");
        help_print_options(command->options, out);
    }
    print_pointer(out);
    (void)fprintf(out, "\nExamples:\n%s\n", command->examples);
}
