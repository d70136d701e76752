// A load as data: the kinds of clients, their actions, and their number over time.
//
// A plan is made from the command line (options.h) or from a file (scenario.h), checked there, and
// afterwards only read, by several threads at once.
#ifndef CAROM_CLIENT_LOAD_PLAN_H
#define CAROM_CLIENT_LOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>
#include <carom/scene.h>

#include "client/load/stages.h"
#include "client/tool/relay/distance.h"

enum {
    LOAD_CLIENTS_MAX = 20000,
    LOAD_THREADS_MAX = 64,
    LOAD_WORLDS_MAX = 256,
    LOAD_WINDOW_MAX = 1024, // commands of one client in flight
    LOAD_BEHAVIOURS_MAX = 32,
    LOAD_ACTIONS_MAX = 64, // actions of a behaviour
    LOAD_KEPT_MAX = 64,    // bodies that one client made and has not removed
    LOAD_KEPT_DEFAULT = 8,
    LOAD_NAME_BYTES = 64,
    LOAD_CONSTANTS_MAX = 32, // constants of a scenario
    LOAD_LETS_MAX = 16,      // values that an action keeps by name
    LOAD_BURST_MAX = 1000
};

#define LOAD_RATE_MIN    0.01 // [1/s], of a behaviour
#define LOAD_RATE_MAX    1e6
#define LOAD_PAUSE_MAX_S 3600.0
#define LOAD_WEIGHT_MAX  1e6
#define LOAD_SECONDS_MIN 0.1
#define LOAD_SECONDS_MAX 86400.0

// One step of a behaviour: a call or a pause.
typedef struct load_action {
    const char *method; // the protocol's name; NULL: a pause
    carom_value *args;  // a map, without "world"; may contain the strings of fill.h
    carom_value *let;   // a map of names to expressions, for args; NULL: none
    bool moves;         // args must be filled again for each call
    bool world;         // the method has the argument "world"
    bool command;       // changes the world: answered with the tick in which it was applied
    bool spawns;        // body.spawn: its body is one of the client's own
    bool needs_spawned; // args name a body that the client has made
    unsigned keep;      // most bodies that spawns keep; beyond it the oldest is removed
    double weight;      // weight, with LOAD_BY_WEIGHT
    double pause[2];    // shortest and longest pause [s]
} load_action;

// Chooses the actions that a client performs each time that it starts.
typedef enum load_order {
    LOAD_IN_TURN,   // the next action
    LOAD_BY_WEIGHT, // one action, drawn by weight
    LOAD_IN_ORDER   // all actions, with the pauses between
} load_order;

// The times at which a client begins its actions.
typedef enum load_beat {
    LOAD_EVENLY,      // `rate` times a second
    LOAD_AT_RANDOM,   // the same rate on average, as a Poisson process
    LOAD_AFTER_PAUSE, // when all calls are answered and a pause is over
    LOAD_BY_WINDOW    // whenever fewer than `window` calls are in flight
} load_beat;

typedef struct load_behaviour {
    char name[LOAD_NAME_BYTES];
    double weight; // share of the clients
    load_order order;
    load_beat beat;
    double rate;       // [1/s], for LOAD_EVENLY and LOAD_AT_RANDOM
    double pause[2];   // shortest and longest pause [s], for LOAD_AFTER_PAUSE
    unsigned burst;    // actions per start; 1 if all of them begin
    unsigned window;   // most calls of one client in flight
    bool own_body;     // each client has a body from the beginning
    carom_value *body; // arguments of its spawn, with the special strings of fill.h; NULL: a ball
    bool subscribes;
    // arguments of world.subscribe, also with special strings; NULL: those of `subscription`
    carom_value *subscribe;
    carom_subscribe_options subscription; // `area` is set for each client
    double area[2];                       // width and height of its view [m]; 0: the whole world
    load_action actions[LOAD_ACTIONS_MAX];
    size_t action_count;
} load_behaviour;

typedef struct load_plan {
    const char *const *worlds;
    unsigned world_count;
    unsigned clients; // most clients at once
    unsigned threads;
    load_stages stages; // none: all clients for the whole run
    double seconds;
    int timeout_ms;
    bool relayed; // clients reach the server through a relay that simulates this distance
    distance_options distance;
    load_behaviour behaviours[LOAD_BEHAVIOURS_MAX];
    size_t behaviour_count;
    // The fields below come from a scenario, and are empty without one.
    char name[LOAD_NAME_BYTES];
    carom_value *world_args; // arguments of world.create; NULL: none
    carom_value *source;     // keeps the names of the constants
    carom_variable constants[LOAD_CONSTANTS_MAX];
    size_t constant_count;
    uint64_t seed;
} load_plan;

// Whether clients of this behaviour wait for answers before they continue, so that no call has a
// due time.
static inline bool load_is_closed(const load_behaviour *does)
{
    return does->beat == LOAD_AFTER_PAUSE || does->beat == LOAD_BY_WINDOW;
}

// Frees everything that the plan's behaviours own.
void load_plan_deinit(load_plan *plan);

// Deals behaviours to clients by their weights so that any first n clients have nearly the same
// shares: out[i] is the behaviour of client i.
void load_plan_deal(const load_plan *plan, unsigned char *out);

#endif
