// Reconnecting: a lost connection is dialed again after growing pauses, its session is resumed, and
// each waiting request keeps waiting, is sent again or ends, depending on the server's answer.
// PROTOCOL.md, "Resuming a session".
//
// One thread at a time.
#ifndef CAROM_CLIENT_LIB_RESUME_H
#define CAROM_CLIENT_LIB_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/client.h>

#include "client/lib/requests.h"

typedef struct resume_state {
    char *name, *token; // sent with the next hello; NULL: none
    bool waiting;       // waits for the next attempt: there is no socket
    unsigned attempts;  // attempts since the session was resumed
    int64_t next_ns;    // time of the next attempt
    int64_t give_up_ns;
    int64_t up_since_ns;
    uint64_t random;
} resume_state;

// Keeps the options of a new client for later hellos; false when memory has run out.
bool resume_init(carom_client *c, const carom_options *options);
void resume_deinit(carom_client *c);

// Call when the connection is DOWN. True if it will be dialed again; false if it must be closed.
bool resume_begin(carom_client *c);

// Dials when the pause is over. True on a change.
bool resume_advance(carom_client *c);

// Handles the answer to the hello of a resumed session, or its failure.
void resume_take_hello(carom_client *c, const carom_value *result, const carom_error *err);

// Answers requests of the former session, whose effect nobody knows any more.
void resume_settle_lost(carom_client *c, const request_ids *ids);

// The new link takes the session of `from` along: its hello resumes that, until FOLLOW_HEIR_MS have
// passed. False when memory has run out.
bool resume_begin_heir(carom_client *link, const carom_client *from);

// The pause before an attempt (0: the first) [ms]: doubled each time up to `max_ms`; `random`
// selects a value between half and all of it ("equal jitter": Brooker, "Exponential Backoff And
// Jitter", 2015).
int64_t resume_pause_ms(int first_ms, int max_ms, unsigned attempt, uint64_t random);

#endif
