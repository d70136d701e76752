// send: a message to the clients of a world. Main thread only.
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"

static void show_sent(cli *c, const carom_value *result)
{
    (void)printf("sent %s (tick %llu)\n", args_word(&c->args, 1),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

// `to` is a word, a subject, or the number of a session.
static void set_recipient(cli *c, carom_value *arguments)
{
    const uint64_t session = args_whole(&c->args, "to-session", 0);
    const char *to = args_text(&c->args, "to", NULL);
    if (session != 0) {
        carom_set(arguments, "to", carom_uint(session));
    } else if (to != NULL) {
        carom_set(arguments, "to", carom_str(to));
    }
}

static cli_exit run_send(cli *c)
{
    const char *data = args_word(&c->args, 2);
    const bool text = args_has(&c->args, "text");
    if (args_has(&c->args, "to") && args_has(&c->args, "to-session")) {
        return cli_usage(c, "either --to or --to-session");
    }
    if (text && data == NULL) {
        return cli_usage(c, "--text needs DATA");
    }
    carom_value *arguments = cli_world_args(c);
    carom_set(arguments, "name", carom_str(args_word(&c->args, 1)));
    if (data != NULL) {
        carom_set(arguments, "data", params_value(data, text ? PARAMS_TEXT : PARAMS_ANY));
    }
    set_recipient(c, arguments);
    return cli_call_show(c, "message.send", arguments, show_sent);
}

const cli_command command_send = {
    .name = "send",
    .group = "Worlds",
    .summary = "send a message to the clients of a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"NAME", ARGS_TEXT, true, false, NULL},
                                       {"DATA", ARGS_TEXT, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"to", 0, ARGS_TEXT, "WHO",
             "all (default), referee (sessions of role referee or admin) or a subject", NULL},
            {"to-session", 0, ARGS_WHOLE, "N", "only to this session", NULL},
            {"text", 0, ARGS_FLAG, NULL, "DATA is a text, whatever it looks like", NULL},
            {0}},
    .details =
        "DATA is JSON, or otherwise a text. Clients get the message as an event of kind message, "
        "if they\nsubscribe to such events: 'carom events WORLD --kind message' shows them.",
    .examples =
        "  carom send demo chat 'good game'\n  carom send demo start '{\"round\": 2}'\n"
        "  carom send demo hint '{\"x\": 3}' --to ada\n  carom send demo ready --to referee",
    .run = run_send,
};
