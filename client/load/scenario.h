// Scenarios: the behaviour of a load's clients, from a JSON file. README.md and 'carom help
// load-scenarios' describe the format.
//
// A scenario is read and checked as a whole before the run: every key, every method and the names
// and kinds of its arguments, and each expression by computing it once, as client 0 at the
// beginning. Bodies get the lifetime "session", so that a killed load leaves nothing behind.
//
// Pure; one thread.
#ifndef CAROM_CLIENT_LOAD_SCENARIO_H
#define CAROM_CLIENT_LOAD_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include "client/load/plan.h"

enum {
    SCENARIO_BYTES_MAX = 1 << 20, // a file: 32 kinds of clients with 64 actions, 512 bytes each
    SCENARIO_ERROR_MAX = 900
};

// Sets name, world_args, constants, seed and behaviours of the plan, which is to be ended with
// load_plan_deinit in any case; plan->clients says how many clients there will be. False with a
// text that begins with a line ("line 3, column 5: …") or a place ("clients[0].rate: …").
bool scenario_read(load_plan *plan, const char *text, size_t size, char error[SCENARIO_ERROR_MAX]);

#endif
