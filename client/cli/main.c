// carom: the command line of the physics server.
//
//   carom [global options] COMMAND [words and options]
//
// Finds the command; program.h reads its command line by its own tables and runs it.
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/tool/cli.h"
#include "client/tool/program.h"

static cli_exit unknown_command(const cli *c, const char *name)
{
    const char *meant = cli_command_suggest(name);
    if (meant != NULL) {
        return cli_usage(c, "unknown command '%s'; did you mean '%s'?", name, meant);
    }
    return cli_usage(c, "unknown command '%s'", name);
}

static cli_exit run(cli *c, int argc, const char *const *argv)
{
    int at = 1;
    args_grammar before = {NULL, NULL, cli_globals};
    if (!args_read(&c->args, &before, true, argc, argv, &at)) {
        return cli_usage(c, "%s", c->args.error);
    }
    if (at >= argc && args_has(&c->args, "version")) {
        return program_print_version(args_has(&c->args, "json"));
    }
    if (at >= argc) {
        bool asked = args_has(&c->args, "help");
        help_print(asked ? stdout : stderr);
        return asked ? CLI_OK : CLI_USAGE;
    }
    c->command = cli_command_find(argv[at]);
    if (c->command == NULL) {
        return unknown_command(c, argv[at]);
    }
    return program_run_command(c, argc, argv, at + 1);
}

int main(int argc, char **argv)
{
    return program_main(argc, argv, run);
}
