// See commands.h.
#include "client/cli/commands.h"

#include <string.h>

#include "client/load/command.h"
#include "common/args/text.h"

const cli_command *const cli_commands[] = {
    &command_watch,    &command_top,      &command_events,  &command_bodies,    &command_joints,
    &command_contacts, &command_worlds,   &command_scenes,  &command_info,      &command_create,
    &command_apply,    &command_fork,     &command_destroy, &command_pause,     &command_resume,
    &command_step,     &command_spawn,    &command_get,     &command_set,       &command_remove,
    &command_shape,    &command_impulse,  &command_force,   &command_torque,    &command_joint,
    &command_data,     &command_send,     &command_join,    &command_ray,       &command_cast,
    &command_overlap,  &command_nearest,  &command_record,  &command_replay,    &command_diff,
    &command_save,     &command_backup,   &command_restore, &command_ping,      &command_doctor,
    &command_stats,    &command_sessions, &command_kick,    &command_fleet,     &command_move,
    &command_token,    &command_load,     &command_bench,   &command_relay,     &command_call,
    &command_methods,  &command_help,     &command_version, &command_completion};

const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        const cli_command *command = cli_commands[i];
        if (strcmp(command->name, name) == 0 ||
            (command->alias != NULL && strcmp(command->alias, name) == 0)) {
            return command;
        }
    }
    return strcmp(name, command_complete.name) == 0 ? &command_complete : NULL;
}

// Words of other tools, and the command of carom that does the same.
static const struct {
    const char *word, *command;
} synonyms[] = {
    {"clients", "sessions"}, {"connections", "sessions"},
    {"who", "sessions"},     {"kill", "kick"},
    {"disconnect", "kick"},  {"check", "doctor"},
    {"delete", "destroy"},   {"add", "spawn"},
    {"show", "get"},         {"list", "worlds"},
    {"new", "create"},       {"loadtest", "bench"},
    {"push", "impulse"},     {"start", "resume"},
    {"stop", "pause"},       {"describe", "info"},
    {"inspect", "get"},      {"status", "info"},
};

const char *cli_command_suggest(const char *name)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        if (strcmp(synonyms[i].word, name) == 0) {
            return synonyms[i].command;
        }
    }
    const char *names[sizeof cli_commands / sizeof cli_commands[0]];
    for (size_t i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i]->name;
    }
    return text_suggest(name, names, cli_command_count);
}
