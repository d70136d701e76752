// See program.h.
#include "client/tool/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/tool/credentials.h"
#include "client/tool/help.h"
#include "client/tool/profile.h"
#include "client/tool/table.h"
#include "client/tool/terminal.h"
#include "common/args/text.h"

#define TIMEOUT_DEFAULT_S 5.0
#define TIMEOUT_MAX_S     86400.0

const args_option cli_globals[] = {
    {"server", 's', ARGS_TEXT, "HOST:PORT",
     "the server (default: CAROM_SERVER, or " CLI_SERVER_DEFAULT "); for TLS caroms://HOST:PORT",
     NULL},
    {"ca", 0, ARGS_FILE, "FILE",
     "trust these certificates, in PEM, instead of the system's (default: CAROM_CA)", NULL},
    {"tls-name", 0, ARGS_TEXT, "NAME",
     "the name in the server's certificate, where it is not HOST (default: CAROM_TLS_NAME)", NULL},
    {"profile", 0, ARGS_TEXT, "NAME",
     "take these from [NAME] in ~/.config/carom/profiles (default: CAROM_PROFILE)", NULL},
    {"token", 0, ARGS_TEXT, "TOKEN", "who you are, for a server with keys (default: CAROM_TOKEN)",
     NULL},
    {"token-file", 0, ARGS_FILE, "FILE", "a file with the token (default: CAROM_TOKEN_FILE)", NULL},
    {"json", 'j', ARGS_FLAG, NULL, "results and errors as JSON, one value a line", NULL},
    {"timeout", 't', ARGS_SECONDS, "TIME",
     "how long to wait for an answer (default: CAROM_TIMEOUT, or 5s)", NULL},
    {"color", 0, ARGS_CHOICE, "WHEN", "auto (default), always or never; NO_COLOR is respected",
     "auto|always|never"},
    {"help", 'h', ARGS_FLAG, NULL, "help for the command, with examples", NULL},
    {"version", 'V', ARGS_FLAG, NULL, "the version", NULL},
    {0}};

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

// Copies the global options into `c`.
static cli_exit apply_globals(cli *c)
{
    cli_exit code = profile_load(c);
    if (code != CLI_OK) {
        return code;
    }
    const char *server = profile_setting(c, "server");
    if (server != NULL && *server == '\0') {
        // An empty variable of a script must not lead its commands to the server of this machine
        return cli_usage(c, "--server takes HOST:PORT, not ''");
    }
    c->server = server != NULL ? server : CLI_SERVER_DEFAULT;
    c->json = args_has(&c->args, "json");
    profile_check_environment(c);
    c->utf8 = terminal_utf8();
    c->colour = wants_colour(c);
    table_set_colour(c->colour);
    const char *text = profile_setting(c, "timeout");
    double timeout = TIMEOUT_DEFAULT_S;
    if (text != NULL &&
        (!text_to_seconds(text, &timeout) || timeout < 0.001 || timeout > TIMEOUT_MAX_S)) {
        return cli_usage(c, "--timeout and CAROM_TIMEOUT are from 1ms to 24h, not '%.40s'", text);
    }
    c->timeout_ms = (int)(timeout * 1000.0 + 0.5);
    return CLI_OK;
}

// Whether --json is given before "--": errors of the command line itself are JSON too.
static bool wants_json(int argc, const char *const *argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-j") == 0) {
            return true;
        }
    }
    return false;
}

cli_exit program_print_version(bool json)
{
    if (json) {
        (void)printf("{\"carom\":\"%s\",\"libcarom\":\"%s\"}\n", CAROM_VERSION, carom_version());
    } else {
        (void)printf("%s %s (libcarom %s)\n", cli_program(), CAROM_VERSION, carom_version());
    }
    return CLI_OK;
}

cli_exit program_run_command(cli *c, int argc, const char *const *argv, int at)
{
    args_grammar grammar = {c->command->operands, c->command->options, cli_globals};
    if (!args_read(&c->args, &grammar, false, argc, argv, &at)) {
        return cli_usage(c, "%s", c->args.error);
    }
    if (args_has(&c->args, "version")) {
        return program_print_version(args_has(&c->args, "json"));
    }
    if (args_has(&c->args, "help")) {
        help_print_command(c->command, stdout);
        return CLI_OK;
    }
    if (!args_check(&c->args, &grammar)) {
        return cli_usage(c, "%s", c->args.error);
    }
    cli_exit code = apply_globals(c);
    return code == CLI_OK ? c->command->run(c) : code;
}

int program_main(int argc, char **argv, program_run *run)
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
