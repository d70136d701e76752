// The help, printed from the commands' own tables.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"

enum { OPTION_COLUMN = 28 };

static const char *const groups[] = {"Look",    "Worlds", "Bodies", "Joints",
                                     "Queries", "Replay", "Server", "Help"};

static void print_options(const args_option *options, FILE *out)
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
            (void)fprintf(out, "%s\n%*s%s\n", left, OPTION_COLUMN, "", options->help);
        } else {
            (void)fprintf(out, "%-*s%s\n", OPTION_COLUMN, left, options->help);
        }
    }
}

static bool has_options(const cli_command *command)
{
    return command->options != NULL && command->options->name != NULL;
}

static void print_usage(const cli_command *command, FILE *out)
{
    (void)fprintf(out, "Usage: carom %s", command->name);
    for (const args_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        (void)fprintf(out, o->required ? " %s%s" : " [%s%s]", o->name, o->repeated ? "..." : "");
    }
    (void)fprintf(out, "%s\n", has_options(command) ? " [options]" : "");
    if (command->alias != NULL) {
        (void)fprintf(out, "Alias: carom %s\n", command->alias);
    }
}

// Two lines, where eleven would say the same in every help.
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
        print_options(command->options, out);
    }
    print_pointer(out);
    (void)fprintf(out, "\nExamples:\n%s\n", command->examples);
}

void help_print(FILE *out)
{
    (void)fprintf(out,
                  "carom %s: physics worlds on a server, from the command line\n\n"
                  "Usage: carom [options] COMMAND [...]\n",
                  CAROM_VERSION);
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        (void)fprintf(out, "\n%s\n", groups[g]);
        for (size_t i = 0; i < cli_command_count; i++) {
            if (strcmp(cli_commands[i]->group, groups[g]) == 0) {
                (void)fprintf(out, "  %-12s%s\n", cli_commands[i]->name, cli_commands[i]->summary);
            }
        }
    }
    (void)fprintf(out, "\nTopics ('carom help TOPIC')\n");
    for (size_t i = 0; help_topic_name(i) != NULL; i++) {
        (void)fprintf(out, "  %-16s%s\n", help_topic_name(i), help_topic_summary(i));
    }
    (void)fprintf(out, "\nEverywhere:\n");
    print_options(cli_globals, out);
    (void)fprintf(
        out, "\nExit codes: 0 it worked; 1 the server refused it; 2 the command line or a local "
             "file is wrong;\n3 cannot connect, no caromd there, connection lost, or no answer "
             "in time;\n4 a --fail-if of 'load' came true.\n\n"
             "'carom COMMAND --help' tells more, with examples.\n");
}
