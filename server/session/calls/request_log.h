// The requests of a session: those that wait for their results, and the last one that took effect
// in each world. From it a client that resumes its session learns which requests to send again.
// Ended worlds are remembered by name, so that a client does not mistake another world of that name
// for the one that its request was for.
//
// Requests get numbers (sequences) in the order in which they came. Bounded: a request waits only
// while it counts as in flight, which limits.commands_per_connection limits.
//
// Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_REQUEST_LOG_H
#define CAROM_SERVER_SESSION_CALLS_REQUEST_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/world/limits.h"

// Most names of destroyed worlds that a session keeps: more than a client has requests in flight
// to.
enum { REQUEST_LOG_GONE_MAX = 64 };

typedef struct waiting_request {
    uint64_t sequence;
    uint32_t id;
} waiting_request;

typedef struct world_applied {
    uint64_t world;    // the world's number
    uint64_t sequence; // number of the request
    uint32_t id;
} world_applied;

typedef struct gone_world {
    char name[WORLD_NAME_BYTES_MAX + 1];
    world_applied last; // in the newest world with that name
} gone_world;

typedef struct request_log {
    uint64_t next;                  // sequence of the next request
    ARRAY(waiting_request) waiting; // sorted by sequence; those before `first` are answered
    uint32_t first;
    ARRAY(world_applied) applied; // one for each world, in no order
    ARRAY(gone_world) gone;       // one for each name, in no order
} request_log;

void request_log_deinit(request_log *log);

// A request is on its way to a world. Returns its sequence, from 1 on.
uint64_t request_log_send(request_log *log, uint32_t id, bool answerable);

// Records that the request has its result.
void request_log_answer(request_log *log, uint64_t sequence);

// The number of requests without an answer; `ids` (may be NULL) gets their ids.
uint32_t request_log_waiting(const request_log *log, uint32_t *ids);

// The request took effect in that world. At most `worlds_max` worlds are remembered: beyond that,
// the one longest without a request is forgotten.
void request_log_apply(request_log *log, uint64_t world, uint64_t sequence, uint32_t id,
                       uint64_t worlds_max);

// The world, which had that name, has ended: its last request is remembered by name from now on. Of
// more than REQUEST_LOG_GONE_MAX names the one longest without a request is forgotten. False if no
// request of the session took effect in it.
bool request_log_bury(request_log *log, uint64_t world, const char *name);
// The same for a world from before a restart.
void request_log_remember(request_log *log, const char *name, const world_applied *last);

// The session's last request that took effect in the newest such world of that name. `world` is the
// number of the world that has the name now (0: none). NULL: no request took effect.
const world_applied *request_log_last(const request_log *log, uint64_t world, const char *name);

#endif
