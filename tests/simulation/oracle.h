// All that the run's worlds were commanded, as the server itself applied it, and all that clients
// were told: judged at each restart and at the end.
//
// The linker leads the server's calls of its storage and of its worlds' logs through here (see
// CMakeLists.txt). So the oracle has every command in the order of its application, beside whatever
// the disk has. At a restart it compares the two: no command that was acknowledged may be missing,
// no tick that was shown may lie ahead. At the end it plays each world's commands over its first
// image, with the engine alone, and compares every hash, every picture and every event that any
// client was told with what that plain replay gives.
//
// Commands of the simulation bear a number (nonce) of their own in their arguments.
#ifndef CAROM_TESTS_SIMULATION_ORACLE_H
#define CAROM_TESTS_SIMULATION_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/storage/fake_disk.h"

void oracle_begin(void);
void oracle_end(void);

// ---- nonces

uint64_t oracle_new_nonce(void);
// The client was told that the command took effect, first shown by that tick; `body` is the one
// that it made, or 0.
void oracle_acknowledged(uint64_t nonce, uint64_t tick, uint64_t body);
// The client was told that it had no effect.
void oracle_refused(uint64_t nonce);
// How a nonce is written into a command's numbers, exactly.
double oracle_number(uint64_t nonce);

// ---- worlds

// A world was said to be there, or to have ended.
void oracle_told_created(const char *name);
void oracle_told_destroyed(const char *name);

typedef enum told_kind {
    TOLD_SNAPSHOT, // the hash of the state that a snapshot shows
    TOLD_PICTURE,  // a digest of all bodies as a client has them
    TOLD_ROUNDED,  // the same of a packed subscription: of places in whole steps alone
    TOLD_READ      // the hash that a request read, which may stand within a tick
} told_kind;

void oracle_told_state(uint64_t epoch, uint64_t tick, told_kind kind, uint64_t value);

// Events that a subscription was told over its life, in order, each as a digest. `from`: those of
// later ticks were due; `to`: up to that tick. Where a connection was lost (`gap`: before that
// event) some may be missing, as the network lost them; else as many are missing as the server said
// were lost (`lost`: before that event). None may come twice.
typedef struct told_event {
    uint64_t tick, digest, lost;
    bool gap;
} told_event;
typedef struct told_span {
    uint64_t from, to;
    uint64_t lost_at_end;
    bool gap_at_end;
} told_span;
void oracle_told_events(uint64_t epoch, const told_span *span, const told_event *events,
                        uint32_t count);

// Digests, the same on both sides.
uint64_t oracle_mix(uint64_t digest, uint64_t value);
uint64_t oracle_mix_double(uint64_t digest, double value);
// Of a body at a place that is rounded to the steps of a packed subscription.
uint64_t oracle_mix_rounded(uint64_t id, double x, double y);

// ---- lives of the server

// The server has ended, by a crash of that kind; `clean`: it was closed in good order.
void oracle_crashed(crash_kind kind, bool clean);

// Plays everything and compares. A difference ends the run.
void oracle_verify(void);

typedef struct oracle_figures {
    uint64_t commands, acknowledged, states, compact, packed, events, lost_events, replayed_ticks,
        restarts, worlds;
    uint64_t ends, kills,
        power_losses; // of the server: in good order, of the process, of the machine
} oracle_figures;
extern oracle_figures figures; // of all runs of the process

#endif
