// The help, printed from the commands' own tables.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/tool/help.h"

static const char *const groups[] = {"Look",    "Worlds", "Bodies", "Joints",
                                     "Queries", "Replay", "Server", "Help"};

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
    help_print_options(cli_globals, out);
    (void)fprintf(
        out, "\nExit codes: 0 it worked; 1 the server refused it; 2 the command line or a local "
             "file is wrong;\n3 cannot connect, no caromd there, connection lost, or no answer "
             "in time;\n4 a --fail-if of 'bench' was true.\n\n"
             "'carom COMMAND --help' tells more, with examples.\n");
}
