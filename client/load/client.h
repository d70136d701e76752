// One client of a load: its connection, its subscription, its calls in flight.
//
// A client belongs to one worker and its thread. It connects without waiting, subscribes, begins
// the actions of its behaviour at their times, and ends when its stage does. An action that begins
// late does not shift the times of the next ones.
#ifndef CAROM_CLIENT_LOAD_CLIENT_H
#define CAROM_CLIENT_LOAD_CLIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/load/client_state.h"
#include "client/load/fill.h"
#include "client/load/pace.h"
#include "client/load/plan.h"
#include "client/load/tally.h"

typedef enum load_phase {
    LOAD_OPENING, // all clients connect; nothing is measured yet
    LOAD_RUNNING,
    LOAD_DRAINING, // the time is over: answers still arrive
    LOAD_ENDED
} load_phase;

// Estimates the earliest moment at which a tick of a world could be received, on this machine's
// clock: the least "arrived - tick / hz" of the last seconds, kept in two halves. It is measured
// again and again since a world that cannot keep up runs slower.
typedef struct tick_clock {
    double now, before; // the smallest of this half and of the previous one [s]
    double turns;       // when the next half begins
} tick_clock;

// The addresses that clients connect to.
typedef struct load_dial {
    const char *host;
    uint16_t port;
    const char *token; // NULL: none
    carom_tls tls;
    bool reconnects; // lost connections are dialed again, and their sessions resumed
} load_dial;

// Shared by all clients; constant while they run, except for the atomic.
typedef struct load_shared {
    const load_plan *plan;
    load_dial dial;
    double *hz;        // one for each world
    double begin, end; // times of the run [s]; written before the phase is set to running
    atomic_int phase;  // load_phase
} load_shared;

// The part of a worker that its clients write to.
typedef struct client_group {
    load_shared *shared;
    load_tally *tally;
    tick_clock *clocks;        // one for each world
    load_pace *paces;          // one for each behaviour
    struct load_client *ready; // clients that got a free slot, by next_ready
    uint64_t in_flight;
} client_group;

// A call in flight.
typedef struct slot {
    struct load_client *owner;
    struct slot *next; // when free
    const load_action *action;
    uint64_t request;
    double due, sent; // [s]
    bool busy;
} slot;

typedef struct unseen {
    uint64_t request;
    double due; // negative: refused, so no snapshot will show it
} unseen;

typedef struct load_client {
    client_group *group;
    const load_behaviour *does;
    carom_client *link;
    load_client_state state; // changed by client_set_state only
    unsigned index, world;
    fill_client self;
    carom_value **cached; // arguments of actions that are the same each time
    // sending
    double start, due;      // time of this start, and when its next action is `due` [s]
    size_t action, in_turn; // index of the next action; index of the next one for LOAD_IN_TURN
    unsigned left;          // actions of the current start that have not begun
    unsigned flying;        // calls in flight
    bool calls_awaited;     // it pauses once all calls are answered
    double not_before; // an action could not begin: no closed loop continues before this time [s]
    unsigned spawning; // calls of body.spawn in flight
    slot *slots, *free_slots;
    size_t heap_at;       // index in the worker's heap, from 1; 0: not in it
    bool actions_blocked; // removed from the heap until an answer comes
    struct load_client *next_ready;
    // seeing
    unseen *unseen; // ring of the behaviour's window
    unsigned unseen_first, unseen_count;
    double last_arrival; // time of the last snapshot [s]; 0: none
    uint64_t last_tick;
    double rtt_min; // [s], 0: not known
    double ping_sent, ping_next;
    bool ping_awaited;
    // the connection is lost, or the world on its way to another server: no snapshot since
    bool away;
    bool gap;                     // no snapshot has arrived since then
    bool drop_noted;              // the present loss of the first connection has been counted
    double gap_offset;            // offset of the tick clock before the gap [s]
    uint64_t kept[LOAD_KEPT_MAX]; // bodies it made, oldest first
    unsigned kept_count;
    double opened; // when connecting began [s]
    double leaving_since;
    int fd; // the descriptor that the worker watches; -1: none
    bool output_watched;
    carom_traffic counted;
    carom_error error; // the reason why it could not open
} load_client;

// Allocates memory for its calls. False when memory has run out.
bool client_init(load_client *at, client_group *group, unsigned index, const load_behaviour *does);
void client_deinit(load_client *at);

// Changes the state; a change that client_state_may_follow() does not allow ends the program.
void client_set_state(load_client *at, load_client_state to);

void client_connect(load_client *at); // allowed in CLIENT_IDLE and CLIENT_LOST
// Reads and writes as far as possible; may change to CLIENT_LOST
void client_poll(load_client *at);
void client_begin(load_client *at, double earliest); // sets the time of its first action
bool client_has_actions(const load_client *at);

// Sends the actions that are due and fit. Sets `blocked` when the next action has to wait for an
// answer.
void client_send(load_client *at, double now);

void client_ping(load_client *at, double now); // once a second
void client_count_traffic(load_client *at);
void client_leave(load_client *at, double now);
void client_close(load_client *at);

// Records calls that were due but not sent, or sent but not answered, with their present age.
void client_settle(load_client *at, double end, double now);

#endif
