// Records every command that the server applied to the run's worlds, and everything that clients
// received; checks them at each restart and at the end.
//
// The linker redirects the server's calls of its storage and of its worlds' logs to the oracle (see
// CMakeLists.txt). So the oracle has every command in the order of its application, beside whatever
// the disk has. At a restart it compares the two: no acknowledged command may be missing, and no
// tick that a client saw may be later than the restored one. At the end it plays each world's
// commands over its first image, with the engine alone, and compares every hash, every picture and
// every event that any client was told with the result of that replay.
//
// Commands of the simulation have a unique number (nonce) in their arguments.
#ifndef CAROM_TESTS_SIMULATION_ORACLE_H
#define CAROM_TESTS_SIMULATION_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/storage/fake_disk.h"

void oracle_begin(void);
void oracle_end(void);

// ---- nonces

uint64_t oracle_new_nonce(void);
// A client received the answer that the command took effect, first shown by that tick; `body` is
// the id that it made, or 0.
void oracle_acknowledged(uint64_t nonce, uint64_t tick, uint64_t body);
// A client received the answer that the command had no effect.
void oracle_refused(uint64_t nonce);
// The nonce as a number for a command's arguments, exact in a double.
double oracle_number(uint64_t nonce);
// Writes the nonces of a command's arguments to `out`, at most `max`; returns their number.
uint32_t oracle_read_nonces(const uint8_t *arguments, size_t size, uint64_t *out, uint32_t max);

// ---- worlds

// A client learned that a world exists, or has ended.
void oracle_told_created(const char *name);
void oracle_told_destroyed(const char *name);

typedef enum told_kind {
    TOLD_SNAPSHOT, // the hash of a snapshot's state
    TOLD_PICTURE,  // a digest of all bodies of a client's view
    TOLD_ROUNDED,  // the same for a packed subscription: positions in whole steps only
    TOLD_READ,     // the hash that a request read, perhaps between two commands of a tick
    TOLD_DATA      // a digest of the world's data
} told_kind;

void oracle_told_state(uint64_t epoch, uint64_t tick, told_kind kind, uint64_t value);

// Digests of the events that a subscription received, in order. It was due the events after tick
// `from` up to `to`. If its connection was lost before an event (`gap`), some may be missing there;
// otherwise as many as the server reported lost (`lost`). None may come twice.
typedef struct told_event {
    uint64_t tick, digest, lost;
    bool gap;
} told_event;
typedef struct told_span {
    bool of_commands; // messages, joins and leaves; otherwise the engine's events
    uint64_t session; // of_commands: session of the reader
    uint64_t from, to;
    uint64_t lost_at_end;
    bool gap_at_end;
} told_span;
void oracle_told_events(uint64_t epoch, const told_span *span, const told_event *events,
                        uint32_t count);

// Digests, computed alike for client and replay.
uint64_t oracle_mix(uint64_t digest, uint64_t value);
uint64_t oracle_mix_double(uint64_t digest, double value);
// The digest of the event of a command: a message's name and data, or a seat and data.
uint64_t oracle_mix_command(uint64_t tick, const char *kind, uint64_t session, uint64_t seat,
                            uint64_t data);
// The digest of a key and its value.
uint64_t oracle_mix_datum(const char *key, size_t key_size, uint64_t value);
// The digest of a body's id and position, the latter rounded to the steps of a packed subscription.
uint64_t oracle_mix_rounded(uint64_t id, double x, double y);

// ---- lives of the server

// The server has ended, by a crash of that kind; `clean`: it was stopped cleanly.
void oracle_crashed(crash_kind kind, bool clean);

// Replays everything and compares. A difference ends the run.
void oracle_verify(void);

typedef struct oracle_figures {
    uint64_t commands, acknowledged, states, compact, packed, events, lost_events, messages, joins,
        data, replayed_ticks, restarts, worlds;
    uint64_t ends, kills,
        power_losses; // ends of the server: clean, crashes of the process, crashes of the machine
} oracle_figures;
extern oracle_figures figures; // totals of all runs of the process

#endif
