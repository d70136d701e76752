// Printing the events of a world, for commands that do so until they are stopped. Main thread only.
#ifndef CAROM_CLI_COMMANDS_EVENTS_H
#define CAROM_CLI_COMMANDS_EVENTS_H

#include "client/cli/commands.h"

enum { CLI_WORLD_BYTES = 64 + 1 }; // a world's name with a closing zero

// The kinds of events, as a choice of --kind.
#define EVENT_KINDS                                                                                \
    "begin|end|stay|hit|sensor_begin|sensor_end|sleep|wake|spawn|remove|joint_break|freeze|"       \
    "message|join|leave"

// Chooses the world, when the client is connected.
typedef cli_exit events_begin(cli *c, char world[CLI_WORLD_BYTES]);
// The printing is over, and the world is not; `code` is its outcome. Returns the command's.
typedef cli_exit events_end(cli *c, const char *world, cli_exit code);

// Prints the events of that world, of the kinds of --kind, for the time of --for, until a signal
// comes or the world ends. `end` may be NULL.
cli_exit events_run(cli *c, events_begin *begin, events_end *end);

#endif
