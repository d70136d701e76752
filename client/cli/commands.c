// See commands.h.
#include "client/cli/commands.h"

#include <string.h>

#include "client/cli/text.h"

const args_option cli_globals[] = {
    {"server", 's', ARGS_TEXT, "HOST:PORT",
     "where the server is (default: CAROM_SERVER, or " CLI_SERVER_DEFAULT ")", NULL},
    {"json", 'j', ARGS_FLAG, NULL, "results as JSON, one value a line", NULL},
    {"timeout", 't', ARGS_SECONDS, "TIME", "how long to wait for an answer (default 5s)", NULL},
    {"color", 0, ARGS_CHOICE, "WHEN", "auto (default), always or never; NO_COLOR is respected",
     "auto|always|never"},
    {"help", 'h', ARGS_FLAG, NULL, "help for the command, with examples", NULL},
    {"version", 'V', ARGS_FLAG, NULL, "the version", NULL},
    {0}};

const cli_command *const cli_commands[] = {
    &command_watch,     &command_events,  &command_bodies,  &command_worlds,  &command_info,
    &command_create,    &command_apply,   &command_destroy, &command_pause,   &command_resume,
    &command_step,      &command_spawn,   &command_get,     &command_set,     &command_remove,
    &command_shape,     &command_impulse, &command_force,   &command_torque,  &command_joint,
    &command_ray,       &command_cast,    &command_overlap, &command_nearest, &command_ping,
    &command_load,      &command_call,    &command_methods, &command_help,    &command_version,
    &command_completion};

const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}

const char *cli_command_suggest(const char *name)
{
    const char *names[sizeof cli_commands / sizeof cli_commands[0]];
    for (size_t i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i]->name;
    }
    return text_suggest(name, names, cli_command_count);
}
