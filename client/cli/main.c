// carom: the command line of the physics server.
//
//   carom [global options] COMMAND [words and options]
//
// Finds the command, reads its command line by its own tables, runs it, and makes sure that what
// was printed really went out: a full disk or a closed pipe is an error like any other.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/commands.h"
#include "client/cli/profile.h"
#include "client/cli/credentials.h"
#include "client/cli/picture/terminal.h"
#include "client/cli/table.h"
#include "client/cli/text.h"

#define TIMEOUT_DEFAULT_S 5.0
#define TIMEOUT_MAX_S     86400.0

static bool wants_colour(const cli *c)
{
    const char *when = args_text(&c->args, "color", "auto");
    if (strcmp(when, "auto") != 0) {
        return strcmp(when, "always") == 0;
    }
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

// Takes the global options over into `c`.
static cli_exit settle(cli *c)
{
    cli_exit code = profile_load(c);
    if (code != CLI_OK) {
        return code;
    }
    const char *server = profile_setting(c, "server");
    c->server = server != NULL && *server != '\0' ? server : CLI_SERVER_DEFAULT;
    c->json = args_has(&c->args, "json");
    c->utf8 = terminal_utf8();
    c->colour = wants_colour(c);
    table_set_colour(c->colour);
    double timeout = args_seconds(&c->args, "timeout", TIMEOUT_DEFAULT_S);
    if (timeout < 0.001 || timeout > TIMEOUT_MAX_S) {
        return cli_usage(c, "--timeout is from 1ms to 24h");
    }
    c->timeout_ms = (int)(timeout * 1000.0 + 0.5);
    return CLI_OK;
}

static cli_exit unknown_command(const cli *c, const char *name)
{
    const char *meant = cli_command_suggest(name);
    if (meant != NULL) {
        return cli_usage(c, "unknown command '%s'; did you mean '%s'?", name, meant);
    }
    return cli_usage(c, "unknown command '%s'", name);
}

// Whether --json stands anywhere before "--": errors of the command line itself are JSON too.
static bool wants_json(int argc, const char *const *argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-j") == 0) {
            return true;
        }
    }
    return false;
}

// The command's own words and options, and the global ones that may stand among them.
static cli_exit run_command(cli *c, int argc, const char *const *argv, int at)
{
    args_grammar grammar = {c->command->operands, c->command->options, cli_globals};
    if (!args_read(&c->args, &grammar, false, argc, argv, &at)) {
        return cli_usage(c, "%s", c->args.error);
    }
    if (args_has(&c->args, "version")) {
        c->json = args_has(&c->args, "json");
        return command_version.run(c);
    }
    if (args_has(&c->args, "help")) {
        help_print_command(c->command, stdout);
        return CLI_OK;
    }
    if (!args_check(&c->args, &grammar)) {
        return cli_usage(c, "%s", c->args.error);
    }
    cli_exit code = settle(c);
    return code == CLI_OK ? c->command->run(c) : code;
}

static cli_exit run(cli *c, int argc, const char *const *argv)
{
    int at = 1;
    args_grammar before = {NULL, NULL, cli_globals};
    if (!args_read(&c->args, &before, true, argc, argv, &at)) {
        return cli_usage(c, "%s", c->args.error);
    }
    if (at >= argc && args_has(&c->args, "version")) {
        c->command = &command_version;
        return run_command(c, argc, argv, argc);
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
    return run_command(c, argc, argv, at + 1);
}

int main(int argc, char **argv)
{
    cli c = {0};
    credentials_hide(argc, argv);
    if (!args_init(&c.args, argc)) {
        return (int)cli_out_of_memory();
    }
    if (wants_json(argc, (const char *const *)argv)) {
        cli_errors_as_json();
    }
    cli_exit code = run(&c, argc, (const char *const *)argv);
    carom_free(c.client);
    args_deinit(&c.args);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error(CLI_CODE_FILE, "cannot write the result: %s", strerror(errno));
        code = code == CLI_OK ? CLI_REFUSED : code;
    }
    cli_error_flush();
    return (int)code;
}
