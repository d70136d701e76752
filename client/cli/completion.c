// The completion script for bash, written from the commands' own tables.
//
// completion/carom.bash is this very text, so that a package can install it without running the
// program; a test compares the two. The script needs nothing but bash itself. Names of worlds are
// asked of the server, with a short patience; methods of the program.
#include <stdio.h>

#include "client/cli/commands.h"

static const char script_head[] = "# bash completion for carom, made by: carom completion bash\n"
                                  "\n"
                                  "# What the value of an option is: flag, choices, or a kind such "
                                  "as world. $1 command, $2 option.\n"
                                  "_carom_option()\n"
                                  "{\n"
                                  "    case \"$1 $2\" in\n";

static const char script_operands[] =
    "    *) kind=none ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "# What an operand is. $1 command, $2 how many stand before it.\n"
    "_carom_operand()\n"
    "{\n"
    "    case \"$1 $2\" in\n";

static const char script_options[] = "    *) kind=none ;;\n"
                                     "    esac\n"
                                     "}\n"
                                     "\n"
                                     "# The options of a command.\n"
                                     "_carom_options()\n"
                                     "{\n"
                                     "    case \"$1\" in\n";

static const char script_tail[] =
    "    *) options= ;;\n"
    "    esac\n"
    "    options=\"$options $globals\"\n"
    "}\n"
    "\n"
    "# Fills COMPREPLY for a kind of value.\n"
    "_carom_complete()\n"
    "{\n"
    "    local list=\n"
    "    case \"$1\" in\n"
    "    world)\n"
    "        list=$(\"$program\" ${server:+--server \"$server\"} --timeout 300ms worlds --names "
    "2>/dev/null)\n"
    "        ;;\n"
    "    method) list=$(\"$program\" methods --names 2>/dev/null) ;;\n"
    "    command) list=$commands ;;\n"
    "    topic) list=\"$commands $topics\" ;;\n"
    "    file)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$2\")\n"
    "        return\n"
    "        ;;\n"
    "    choice:*) list=${1#choice:} ;;\n"
    "    *) return ;;\n"
    "    esac\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$2\")\n"
    "}\n"
    "\n"
    "_carom()\n"
    "{\n"
    "    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]}\n"
    "    local command= kind= options= server= operands=0 at word pending=\n";

static const char script_main[] =
    "    COMPREPLY=()\n"
    "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
    "        word=${COMP_WORDS[at]}\n"
    "        if [[ -n $pending ]]; then\n"
    "            # HOST:PORT comes in three words, --name=value too.\n"
    "            [[ $word == = ]] && continue\n"
    "            [[ $pending == --server || $pending == -s ]] && server=$word\n"
    "            while [[ ${COMP_WORDS[at + 1]-} == : && $((at + 2)) -lt $COMP_CWORD ]]; do\n"
    "                [[ $server == \"$word\" ]] && server=$word:${COMP_WORDS[at + 2]}\n"
    "                at=$((at + 2))\n"
    "            done\n"
    "            pending=\n"
    "        elif [[ $word == -?* && $word != -[0-9.]* ]]; then\n"
    "            _carom_option \"$command\" \"$word\"\n"
    "            [[ $kind == flag || $kind == none ]] || pending=$word\n"
    "        elif [[ -z $command ]]; then\n"
    "            command=$word\n"
    "        else\n"
    "            operands=$((operands + 1))\n"
    "        fi\n"
    "    done\n"
    "    if [[ -n $pending ]]; then\n"
    "        [[ $current == = ]] && current=\n"
    "        _carom_option \"$command\" \"$pending\"\n"
    "        _carom_complete \"$kind\" \"$current\"\n"
    "    elif [[ $current == -* ]]; then\n"
    "        _carom_options \"$command\"\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
    "    elif [[ -z $command ]]; then\n"
    "        _carom_complete command \"$current\"\n"
    "    else\n"
    "        _carom_operand \"$command\" \"$operands\"\n"
    "        _carom_complete \"$kind\" \"$current\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _carom carom\n";

static void print_words(const char *choices, FILE *out)
{
    for (const char *at = choices; *at != '\0'; at++) {
        (void)fputc(*at == '|' ? ' ' : *at, out);
    }
}

static void print_kind(args_kind kind, const char *choices, FILE *out)
{
    switch (kind) {
    case ARGS_FLAG:
        (void)fputs("kind=flag", out);
        break;
    case ARGS_CHOICE:
        (void)fputs("kind='choice:", out);
        print_words(choices, out);
        (void)fputs("'", out);
        break;
    case ARGS_WORLD:
        (void)fputs("kind=world", out);
        break;
    case ARGS_METHOD:
        (void)fputs("kind=method", out);
        break;
    case ARGS_FILE:
        (void)fputs("kind=file", out);
        break;
    case ARGS_TEXT:
    case ARGS_ID:
    case ARGS_WHOLE:
    case ARGS_NUMBER:
    case ARGS_VECTOR:
    case ARGS_AREA:
    case ARGS_SIZE:
    case ARGS_SECONDS:
    case ARGS_JSON:
    case ARGS_PAIR:
        (void)fputs("kind=value", out);
        break;
    }
}

// `scope` is the command's name with quotes, or an asterisk for all of them.
static void print_option_cases(const char *scope, const args_option *options, FILE *out)
{
    for (; options != NULL && options->name != NULL; options++) {
        (void)fprintf(out, "    %s--%s", scope, options->name);
        if (options->letter != 0) {
            (void)fprintf(out, " | %s-%c", scope, options->letter);
        }
        (void)fputs(") ", out);
        print_kind(options->kind, options->choices, out);
        (void)fputs(" ;;\n", out);
    }
}

static void print_operand_cases(const cli_command *command, FILE *out)
{
    int index = 0;
    for (const args_operand *o = command->operands; o != NULL && o->name != NULL; o++, index++) {
        if (o->repeated) {
            (void)fprintf(out, "    \"%s \"*) ", command->name);
        } else {
            (void)fprintf(out, "    \"%s %d\") ", command->name, index);
        }
        bool is_topic = command == &command_help; // or a command
        if (is_topic) {
            (void)fputs("kind=topic", out);
        } else {
            print_kind(o->kind, o->choices, out);
        }
        (void)fputs(" ;;\n", out);
    }
}

static void print_names(const args_option *options, FILE *out)
{
    for (const args_option *o = options; o != NULL && o->name != NULL; o++) {
        (void)fprintf(out, "%s--%s", o == options ? "" : " ", o->name);
    }
}

void completion_print_bash(FILE *out)
{
    (void)fputs(script_head, out);
    for (size_t i = 0; i < cli_command_count; i++) {
        char scope[64];
        (void)snprintf(scope, sizeof scope, "\"%s \"", cli_commands[i]->name);
        print_option_cases(scope, cli_commands[i]->options, out);
    }
    print_option_cases("*\" \"", cli_globals, out);
    (void)fputs(script_operands, out);
    for (size_t i = 0; i < cli_command_count; i++) {
        print_operand_cases(cli_commands[i], out);
    }
    (void)fputs(script_options, out);
    for (size_t i = 0; i < cli_command_count; i++) {
        if (cli_commands[i]->options != NULL) {
            (void)fprintf(out, "    %s) options='", cli_commands[i]->name);
            print_names(cli_commands[i]->options, out);
            (void)fputs("' ;;\n", out);
        }
    }
    (void)fputs(script_tail, out);
    (void)fputs("    local globals='", out);
    print_names(cli_globals, out);
    (void)fputs("'\n    local commands='", out);
    for (size_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "%s%s", i == 0 ? "" : " ", cli_commands[i]->name);
    }
    (void)fputs("'\n    local topics='", out);
    for (size_t i = 0; help_topic_name(i) != NULL; i++) {
        (void)fprintf(out, "%s%s", i == 0 ? "" : " ", help_topic_name(i));
    }
    (void)fputs("'\n", out);
    (void)fputs(script_main, out);
}
