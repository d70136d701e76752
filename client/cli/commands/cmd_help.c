// help, version, completion: commands about the program itself. Main thread only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/completion.h"
#include "client/cli/man.h"
#include "client/load/command.h"
#include "client/tool/help.h"
#include "client/tool/program.h"
#include "common/args/text.h"

enum { NAMES_MAX = 80 }; // number of commands and topics

// The command or topic that the user probably meant, or NULL: the most similar name, else a
// synonym.
static const char *suggest(const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; help_topic_name(i) != NULL && count < NAMES_MAX; i++) {
        names[count++] = help_topic_name(i);
    }
    for (size_t i = 0; i < cli_command_count && count < NAMES_MAX; i++) {
        names[count++] = cli_commands[i]->name;
    }
    const char *meant = text_suggest(name, names, count);
    return meant != NULL ? meant : cli_command_suggest(name);
}

static cli_exit print_man(const cli *c, const char *name)
{
    if (name == NULL) {
        man_print(stdout);
    } else if (strcmp(name, command_bench.name) == 0) {
        man_print_load(stdout);
    } else {
        return cli_usage(c, "there are two manual pages: 'carom help --man' prints carom(1), "
                            "'carom help bench --man' carom-load(1)");
    }
    return CLI_OK;
}

static cli_exit run_help(cli *c)
{
    const char *name = args_word(&c->args, 0);
    if (args_has(&c->args, "man")) {
        return print_man(c, name);
    }
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
        const char *meant = suggest(name);
        if (meant == NULL) {
            return cli_usage(c, "no command '%s', and no such topic", name);
        }
        return cli_usage(c, "no %s '%s'; did you mean '%s'?",
                         help_topic_text(meant) != NULL ? "topic" : "command", name, meant);
    }
    help_print_command(command, stdout);
    return CLI_OK;
}

const cli_command command_help = {
    .name = "help",
    .group = "Help",
    .summary = "show the help of a command or a topic",
    .operands = (const args_operand[]){{"COMMAND|TOPIC", ARGS_TOPIC, false, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"man", 0, ARGS_FLAG, NULL,
             "print the manual page carom(1), or with bench carom-load(1), as roff", NULL},
            {0}},
    .details = "Topics: joint-kinds, json, load-scenarios, scene-files, shapes.",
    .examples = "  carom help\n  carom help watch\n  carom help scene-files",
    .run = run_help,
};

static cli_exit run_version(cli *c)
{
    return program_print_version(c->json);
}

const cli_command command_version = {
    .name = "version",
    .group = "Help",
    .summary = "print the version of this client",
    .examples = "  carom version\n  carom version --json",
    .run = run_version,
};

static cli_exit run_completion(cli *c)
{
    const char *shell = args_word(&c->args, 0);
    const char *script = strcmp(shell, "bash") == 0  ? completion_bash
                         : strcmp(shell, "zsh") == 0 ? completion_zsh
                                                     : completion_fish;
    (void)fputs(script, stdout);
    return CLI_OK;
}

const cli_command command_completion = {
    .name = "completion",
    .group = "Help",
    .summary = "print the completion script of a shell",
    .operands = (const args_operand[]){{"SHELL", ARGS_CHOICE, true, false, "bash|zsh|fish"}, {0}},
    .details = "Completes commands, options, worlds, scenes, ids of bodies and joints, kinds, "
               "fields and events,\n"
               "the names of arguments, and the options of caromd and carom-load.",
    .examples =
        "  source <(carom completion bash)\n"
        "  mkdir -p ~/.zfunc; carom completion zsh > ~/.zfunc/_carom  # a folder of $fpath\n"
        "  mkdir -p ~/.config/fish/completions\n"
        "  carom completion fish > ~/.config/fish/completions/carom.fish",
    .run = run_completion,
};

static cli_exit run_complete(cli *c)
{
    bool split = strcmp(args_text(&c->args, "shell", ""), "bash") == 0;
    completion_print(c, c->args.words, c->args.word_count, split);
    return CLI_OK;
}

// For the completion scripts; no list shows it.
const cli_command command_complete = {
    .name = "complete",
    .group = "",
    .summary = "print the candidates for the last word of a command line",
    .operands = (const args_operand[]){{"WORD", ARGS_TEXT, false, true, NULL}, {0}},
    .options = (const args_option[]){{"shell", 0, ARGS_CHOICE, "SHELL",
                                      "whose way of parting words it is", "bash|zsh|fish"},
                                     {0}},
    .examples = "  carom complete -- spawn yard --ty",
    .run = run_complete,
};
