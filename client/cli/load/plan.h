// A load as data: which clients there are, what each kind does, how many there are at which time.
//
// A plan is made by the command line (cmd_load.c) or from a file (scenario.h), checked there, and
// only read afterwards, by several threads at once.
#ifndef CAROM_CLIENT_CLI_LOAD_PLAN_H
#define CAROM_CLIENT_CLI_LOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/cli/load/stages.h"

enum {
    LOAD_CLIENTS_MAX = 20000,
    LOAD_THREADS_MAX = 64,
    LOAD_WORLDS_MAX = 256,
    LOAD_WINDOW_MAX = 1024, // commands of one client on their way
    LOAD_BEHAVIOURS_MAX = 32,
    LOAD_ACTIONS_MAX = 64, // of one behaviour
    LOAD_KEPT_MAX = 64,    // bodies that one client made and has not removed
    LOAD_KEPT_DEFAULT = 8,
    LOAD_NAME_BYTES = 64
};

#define LOAD_RATE_MIN    0.01 // [1/s], of a behaviour
#define LOAD_RATE_MAX    1e6
#define LOAD_THINK_MAX_S 3600.0
#define LOAD_WEIGHT_MAX  1e6
#define LOAD_SECONDS_MIN 0.1
#define LOAD_SECONDS_MAX 86400.0

// One step of a behaviour: a call, or a pause.
typedef struct load_action {
    const char *method; // of the protocol; NULL: think
    carom_value *args;  // a map, without "world"; may hold the words of scenario.h
    bool moves;         // args have to be made anew for each call
    bool command;       // changes the world: answered with the tick in which it was applied
    bool spawns;        // body.spawn: its body is one of the client's own
    bool needs_spawned; // speaks of a body that the client made
    unsigned keep;      // of spawns: so many bodies at most, the oldest is removed
    double think[2];    // [s], between these two
} load_action;

typedef struct load_behaviour {
    char name[LOAD_NAME_BYTES];
    double weight; // share of the clients
    double rate;   // how often its actions are begun [1/s]; 0: as fast as answers come
    bool in_turn;  // each beginning does the next action alone, instead of all in order
    bool own_body; // each client has a body from the beginning
    bool subscribes;
    carom_subscribe_options subscription; // `area` is set for each client
    double area[2];                       // width and height of its view [m]; 0: the whole world
    load_action actions[LOAD_ACTIONS_MAX];
    size_t action_count;
} load_behaviour;

typedef struct load_plan {
    const char *const *worlds;
    unsigned world_count;
    unsigned clients; // at most at once
    unsigned threads;
    unsigned window;    // commands of one client on their way at once
    load_stages stages; // none: all of them all the time
    double seconds;
    int timeout_ms;
    load_behaviour behaviours[LOAD_BEHAVIOURS_MAX];
    size_t behaviour_count;
} load_plan;

// Frees the arguments of all actions.
void load_plan_deinit(load_plan *plan);

// Deals behaviours to clients by their weights so that any first n clients have nearly the same
// shares: out[i] is the behaviour of client i.
void load_plan_deal(const load_plan *plan, unsigned char *out);

#endif
