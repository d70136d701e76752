// The state of carom-simulate-fleet, shared by fleet.c, fleet_events.c and fleet_node.c.
#ifndef CAROM_TESTS_SIMULATION_FLEET_SIM_H
#define CAROM_TESTS_SIMULATION_FLEET_SIM_H

#include "common/base/array.h"
#include "server/fleet/ownership.h"

enum {
    NODES = 3,
    TICK_MS = 16,
    FAULTS_MS = 15000, // faults happen before
    END_MS = 24000,
    LIVE_MS = 20000,  // ticks must be shown between this and the end
    TICKS_MAX = 4096, // ticks of a world
    TERMS_MAX = 4096,
    MISSED_TICKS = 15, // without a message
    LEAD_MAX = 60,     // ticks that a primary steps ahead of its standby
    ANSWER_MS = 400,   // a transaction without an answer
    READ_MS = 1000     // time between two reads of the record
};

typedef enum plant {
    PLANT_NONE,
    PLANT_EARLY, // acknowledges before the standby
    PLANT_STRAY, // shows after losing
    PLANT_TRUST, // trusts what it read instead of awaiting its transaction
    PLANT_TERM,  // forgets the term
    PLANT_TWO,   // counts two standbys
    PLANT_RUN,   // two claims of one process write the same bytes
    PLANT_COUNT
} plant;

extern plant planted;

extern uint64_t chance_state;

typedef enum happening_kind {
    TICK,        // a node's tick
    MESSAGE,     // arrives at a node
    STORE_GETS,  // a transaction
    ANSWER,      // the store's answer arrives at a node
    REPORT,      // a report of the watch, or a read, arrives at a node
    RESUME,      // a paused node
    RESTART,     // a killed node
    LINK_REPAIR, // the links of a node
} happening_kind;

typedef enum message_kind { LOG, ACK, IMAGE, NAMED, YIELD } message_kind;

typedef struct happening {
    int64_t at_ms;
    uint64_t order;
    happening_kind kind;
    int node, from;
    uint64_t life; // life of the receiving node: a killed one's mail is lost
    message_kind message;
    int64_t term, tick;
    uint64_t hash;
    uint64_t write;
    ownership_event_kind outcome;
    bool absent;  // there is no record
    bool read;    // REPORT: the answer of a starting node's read
    bool lost;    // STORE_GETS: the answer is lost
    bool removes; // STORE_GETS: the record, of which nobody awaits the answer
    world_record record;
    int64_t revision;
    uint64_t *image; // IMAGE: owned
} happening;

typedef struct node {
    char name[2];
    ownership machine;
    bool alive, paused;
    uint64_t life;
    bool has_world; // a history of ticks 0 to tip
    bool logged;    // its disk has a log of the world: it has served or followed it
    bool unwanted;  // its claim was given up
    int64_t tip;
    int64_t shown; // last tick that it showed as primary
    uint64_t history[TICKS_MAX];
    int64_t heard;         // ticks since a message of the peer
    int candidate;         // node that gets the log; -1: none
    int second;            // PLANT_TWO: another one
    bool met;              // the candidate has acknowledged
    int64_t stray_term;    // PLANT_STRAY: shows on in this term; 0: no
    ARRAY(happening) kept; // while it is paused
} node;

extern struct fleet_sim {
    int64_t now_ms;
    uint64_t order;
    ARRAY(happening) heap;
    node nodes[NODES];
    int64_t link_ms[NODES][NODES]; // when the last message arrives: links keep the order
    bool cut[NODES];
    int64_t store_away_ms; // the store does not answer before this time
    bool present;
    world_record record;
    int64_t revision;
    // The oracle.
    int64_t shown_max, shown_at_live;
    uint64_t shown[TICKS_MAX];
    int term_owner[TERMS_MAX]; // node + 1
    const char *violation;
    int64_t terms, moves, takeovers;
} sim;

// The rule without a planted fault, by the name that the linker gives it (--wrap).
int64_t __real_ownership_shows_to(const ownership *o);

// ---- fleet_events.c

// A random number from the seed.
uint64_t chance(void);
int64_t below(int64_t bound);
bool one_in(int64_t count);
// Lets a thing happen after that delay; next_happening takes the earliest.
void schedule(happening h, int64_t delay_ms);
happening next_happening(void);
// Whether faults may still happen.
bool faulty(void);
int index_of(const char *name);
// The oracle records the first violation.
void violate(const char *what);
// The oracle sees that a server shows a tick in a term.
void see(const node *n, int64_t term, int64_t tick);
void send_message(const node *from, int to, happening h);
// Passes an event to the state machine of a server, and carries out its actions.
void report(node *n, const ownership_event *e);
// Sends the write that the state machine wants to the store.
void transact(const node *n);
// A transaction or a removal arrives at the store.
void store_gets(happening h);
// A server reads the record, when it starts or once a second; the answer arrives as a REPORT.
void read_record(int i, bool starting);

// ---- fleet_node.c

// A state machine as that of a process that has just started.
void renew_machine(node *n);
void carry_out(node *n, const ownership_actions *actions);
// Whether the server serves the world.
bool leads(const node *n);
// A tick of a server that serves the world, of one that follows it, and (PLANT_STRAY) of one that
// has lost it.
void step_primary(node *n);
void step_follower(node *n);
void stray(node *n);
// A message of another server, or the store's report of a record, arrives.
void take_message(node *n, const happening *h);
void take_report(node *n, const happening *h);

#endif
