// join: a seat in a world of a template, held while the command runs. Main thread only.
#include <inttypes.h>
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/commands/events.h"
#include "client/cli/params.h"
#include "client/cli/show.h"

static cli_exit show_seat(cli *c, const carom_value *result, const char *world)
{
    if (c->json) {
        return cli_print_json(result);
    }
    cli_print_line("seat %" PRIu64 " of world %s%s (tick %" PRIu64 "); Ctrl-C leaves",
                   carom_get_uint(result, "seat", 0), world,
                   carom_get_bool(result, "created", false) ? ", which is new" : "",
                   carom_get_uint(result, "tick", 0));
    (void)fflush(stdout);
    return CLI_OK;
}

static cli_exit join(cli *c, char world[CLI_WORLD_BYTES])
{
    carom_value *result = NULL;
    carom_error error = {0};
    const char *data = args_text(&c->args, "data", NULL);
    const char *wanted = args_text(&c->args, "world", NULL);
    carom_value *arguments = carom_map();
    carom_set(arguments, "template", carom_str(args_word(&c->args, 0)));
    if (wanted != NULL) {
        carom_set(arguments, "world", carom_str(wanted));
    }
    if (data != NULL) {
        carom_set(arguments, "data", params_value(data, PARAMS_ANY));
    }
    const carom_status joined =
        carom_call(c->client, "world.join", arguments, c->timeout_ms, &result, &error);
    carom_value_free(arguments);
    if (joined != CAROM_OK) {
        return cli_fail(c, &error);
    }
    (void)snprintf(world, CLI_WORLD_BYTES, "%s", carom_get_str(result, "world", ""));
    const cli_exit code = show_seat(c, result, world);
    carom_value_free(result);
    return code;
}

// Without this the session's end would free the seat, too, once it cannot be resumed any more.
static cli_exit leave(cli *c, const char *world, cli_exit code)
{
    carom_error error = {0};
    const carom_args_world_leave none = {0};
    const carom_status left =
        carom_call_world_leave(c->client, world, &none, c->timeout_ms, NULL, &error);
    return left == CAROM_OK || code != CLI_OK ? code : cli_fail(c, &error);
}

static cli_exit run_join(cli *c)
{
    return events_run(c, join, leave);
}

const cli_command command_join = {
    .name = "join",
    .group = "Worlds",
    .summary = "take a seat in a world of a template, and print the world's events",
    .operands = (const args_operand[]){{"TEMPLATE", ARGS_TEXT, true, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"world", 'w', ARGS_WORLD, "WORLD", "only a seat in this world", NULL},
            {"data", 'd', ARGS_TEXT, "DATA", "JSON, or otherwise a text, for the event join", NULL},
            {"kind", 'k', ARGS_KINDS, "KIND,...",
             "only these kinds of events; all for every one (default: all but stay)", EVENT_KINDS},
            {"for", 0, ARGS_SECONDS, "TIME", "leave after that time", NULL},
            {0}},
    .details = "The server chooses the world: the fullest of those with a free seat, or a new "
               "one.\nThe seat outlives lost connections, and is freed when the command ends.",
    .examples = "  carom join arena\n  carom join arena --data '{\"name\": \"Ada\"}'\n"
                "  carom join arena --world arena-2 --kind join,leave,message",
    .run = run_join,
};
