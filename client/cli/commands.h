// The list of commands, which main runs, help prints and completion offers.
//
// Constant data; any thread. Each command is defined in the file of its group (cmd_*.c).
#ifndef CAROM_CLIENT_CLI_COMMANDS_H
#define CAROM_CLIENT_CLI_COMMANDS_H

#include <stddef.h>
#include <stdio.h>

#include "client/tool/cli.h"

// All commands, in the order in which the help lists them.
extern const cli_command *const cli_commands[];
extern const size_t cli_command_count;

// Finds a command by its name; NULL when there is none.
const cli_command *cli_command_find(const char *name);
// The command that the user probably meant, or NULL.
const char *cli_command_suggest(const char *name);

// cmd_server.c
extern const cli_command command_stats;
extern const cli_command command_ping;
extern const cli_command command_info;
extern const cli_command command_methods;
extern const cli_command command_call;
// cmd_world.c
extern const cli_command command_worlds;
extern const cli_command command_create;
extern const cli_command command_destroy;
extern const cli_command command_pause;
extern const cli_command command_resume;
extern const cli_command command_step;
// cmd_apply.c
extern const cli_command command_apply;
extern const cli_command command_scenes;
// cmd_body.c
extern const cli_command command_spawn;
extern const cli_command command_remove;
extern const cli_command command_set;
extern const cli_command command_bodies;
// cmd_data.c
extern const cli_command command_data;
// cmd_send.c
extern const cli_command command_send;
// cmd_join.c
extern const cli_command command_join;
// cmd_get.c, cmd_contact.c, cmd_session.c
extern const cli_command command_get;
extern const cli_command command_contacts;
extern const cli_command command_fleet;
extern const cli_command command_move;
extern const cli_command command_sessions;
extern const cli_command command_kick;
// cmd_token.c
extern const cli_command command_token;
// cmd_top.c, cmd_doctor.c
extern const cli_command command_top;
extern const cli_command command_doctor;
// cmd_shape.c
extern const cli_command command_shape;
// cmd_push.c
extern const cli_command command_impulse;
extern const cli_command command_force;
extern const cli_command command_torque;
// cmd_joint.c
extern const cli_command command_joint;
extern const cli_command command_joints;
// cmd_query.c
extern const cli_command command_ray;
extern const cli_command command_overlap;
extern const cli_command command_cast;
extern const cli_command command_nearest;
// cmd_watch.c, cmd_events.c
extern const cli_command command_watch;
extern const cli_command command_events;
// cmd_relay.c
extern const cli_command command_relay;
// cmd_record.c, cmd_replay.c, cmd_diff.c
extern const cli_command command_record;
extern const cli_command command_replay;
extern const cli_command command_diff;
// cmd_backup.c
extern const cli_command command_backup;
extern const cli_command command_restore;
// cmd_image.c
extern const cli_command command_save;
extern const cli_command command_load;
extern const cli_command command_fork;
// cmd_help.c
extern const cli_command command_help;
extern const cli_command command_version;
extern const cli_command command_completion;
extern const cli_command command_complete; // not listed in the help: for the completion scripts

// help.c: prints the help of all commands.
void help_print(FILE *out);

// topics.c: the name of a help topic beside the commands. `index` counts from 0; NULL past the end.
const char *help_topic_name(size_t index);
const char *help_topic_summary(size_t index);
// The text of the topic; NULL when there is no such topic.
const char *help_topic_text(const char *name);

#endif
