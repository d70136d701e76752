// help, version, completion: what needs no server.
#include <stdio.h>

#include "client/cli/commands.h"

static cli_exit run_help(cli *c)
{
    const char *name = args_word(&c->args, 0);
    if (name == NULL) {
        help_print(stdout);
        return CLI_OK;
    }
    const char *topic = help_topic_text(name);
    if (topic != NULL) {
        (void)fputs(topic, stdout);
        return CLI_OK;
    }
    const cli_command *command = cli_command_find(name);
    if (command == NULL) {
        const char *meant = cli_command_suggest(name);
        return meant != NULL ? cli_usage(c, "no command '%s'; did you mean '%s'?", name, meant)
                             : cli_usage(c, "no command '%s'", name);
    }
    help_print_command(command, stdout);
    return CLI_OK;
}

const cli_command command_help = {
    .name = "help",
    .group = "Help",
    .summary = "tell what a command does, or about a topic",
    .operands = (const args_operand[]){{"COMMAND|TOPIC", ARGS_TEXT, false, false, NULL}, {0}},
    .details = "Topics: joints, json, scenes, shapes.",
    .examples = "  carom help\n  carom help watch\n  carom help scenes",
    .run = run_help,
};

static cli_exit run_version(cli *c)
{
    if (c->json) {
        (void)printf("{\"carom\":\"%s\",\"libcarom\":\"%s\"}\n", CAROM_VERSION, carom_version());
    } else {
        (void)printf("carom %s (libcarom %s)\n", CAROM_VERSION, carom_version());
    }
    return CLI_OK;
}

const cli_command command_version = {
    .name = "version",
    .group = "Help",
    .summary = "tell the version of this client",
    .examples = "  carom version\n  carom version --json",
    .run = run_version,
};

static cli_exit run_completion(cli *c)
{
    (void)c;
    completion_print_bash(stdout);
    return CLI_OK;
}

const cli_command command_completion = {
    .name = "completion",
    .group = "Help",
    .summary = "print the completion script of a shell",
    .operands = (const args_operand[]){{"SHELL", ARGS_CHOICE, true, false, "bash"}, {0}},
    .details = "Commands, options, and the names of worlds on the server are completed.",
    .examples = "  source <(carom completion bash)\n"
                "  carom completion bash > ~/.local/share/bash-completion/completions/carom",
    .run = run_completion,
};
