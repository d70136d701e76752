// One client of a load: its connection, its subscription, its calls on their way.
//
// A lane belongs to one worker and its thread. It connects without waiting, subscribes, begins the
// actions of its behaviour at their times, and ends when its stage does. Nothing it does later than
// it should moves the times of what follows.
#ifndef CAROM_CLIENT_CLI_LOAD_LANE_H
#define CAROM_CLIENT_CLI_LOAD_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/cli/load/fill.h"
#include "client/cli/load/pace.h"
#include "client/cli/load/plan.h"
#include "client/cli/load/tally.h"

typedef enum lane_state {
    LANE_IDLE, // no connection
    LANE_CONNECTING,
    LANE_SUBSCRIBING,
    LANE_RUNNING,
    LANE_LEAVING, // begins nothing any more, waits for its answers
    LANE_LOST
} lane_state;

typedef enum load_phase {
    LOAD_OPENING, // all connect; nothing counts yet
    LOAD_RUNNING,
    LOAD_DRAINING, // the time is over: answers still come
    LOAD_ENDED
} load_phase;

// When ticks of a world could be had at the earliest, on this machine's clock: the least of
// "arrived - tick / hz" over the last seconds, kept in two halves. It is found anew since a world
// that cannot keep up runs slower.
typedef struct tick_clock {
    double now, before; // the least of this half and of the one before [s]
    double turns;       // when the next half begins
} tick_clock;

// Where connections go.
typedef struct load_dial {
    const char *host;
    uint16_t port;
    const char *token; // NULL: none
    carom_tls tls;
} load_dial;

// All lanes see this; constant while they run, but for the atomic.
typedef struct load_shared {
    const load_plan *plan;
    load_dial dial;
    double *hz;        // of each world
    double begin, end; // of the run [s]; written before the phase says that it runs
    atomic_int phase;  // load_phase
} load_shared;

// A worker's part that its lanes write to.
typedef struct lane_yard {
    load_shared *shared;
    load_tally *tally;
    tick_clock *clocks; // one a world
    load_pace *paces;   // one a behaviour
    struct lane *ready; // lanes that got a free slot, by next_ready
    uint64_t in_flight;
} lane_yard;

// A call on its way.
typedef struct slot {
    struct lane *owner;
    struct slot *next; // when free
    const load_action *action;
    uint64_t request;
    double due, sent; // [s]
    bool busy;
} slot;

typedef struct unseen {
    uint64_t request;
    double due; // negative: refused, nothing to see
} unseen;

typedef struct lane {
    lane_yard *yard;
    const load_behaviour *does;
    carom_client *client;
    lane_state state;
    unsigned index, world;
    fill_client self;
    carom_value **cached; // arguments of actions that are the same each time
    // sending
    double start, due;      // of this beginning, of the next action [s]
    size_t action, in_turn; // the next one; the next of LOAD_IN_TURN
    unsigned left;          // actions of this beginning that are still to be begun
    unsigned flying;        // calls on their way
    bool resting;           // until all is answered, then pauses
    double not_before;      // an action could not be begun: no closed loop goes on before [s]
    unsigned spawning;      // calls of body.spawn on their way
    slot *slots, *free_slots;
    size_t heap_at; // place in the worker's heap, from 1; 0: not there
    bool blocked;   // out of the heap until an answer comes
    struct lane *next_ready;
    // seeing
    unseen *unseen; // ring of the behaviour's window
    unsigned unseen_first, unseen_count;
    double last_arrival; // of a snapshot [s], 0: none
    uint64_t last_tick;
    double rtt_min; // [s], 0: not known
    double ping_sent, ping_next;
    bool pinging;
    uint64_t kept[LOAD_KEPT_MAX]; // bodies it made, oldest first
    unsigned kept_count;
    double opened; // when connecting began [s]
    double leaving_since;
    int fd; // as the worker watches it, -1: not
    bool watches_write;
    carom_traffic counted;
    carom_error error; // why it could not open
} lane;

// Memory for its calls. False when it has run out.
bool lane_init(lane *at, lane_yard *yard, unsigned index, const load_behaviour *does);
void lane_deinit(lane *at);

void lane_connect(lane *at);                // from LANE_IDLE or LANE_LOST
void lane_poll(lane *at);                   // reads and writes what there is; may end LANE_LOST
void lane_begin(lane *at, double earliest); // sets the time of its first action
bool lane_has_actions(const lane *at);

// Sends what is due and fits. Sets `blocked` when the next action has to wait for an answer.
void lane_send(lane *at, double now);

void lane_ping(lane *at, double now); // once a second
void lane_count_traffic(lane *at);
void lane_leave(lane *at, double now);
void lane_close(lane *at);

// Records calls that were due but not sent, or sent but not answered, with the age they have.
void lane_settle(lane *at, double end, double now);

#endif
