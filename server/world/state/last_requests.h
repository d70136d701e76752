// The last request of each session that took effect in a world: from it a client that resumes its
// session after a restart of the server learns which commands to send again.
//
// The marks are in the world's log and images, beside their commands: a restart restores both or
// neither. There is one mark for each slot of a session, so their number is bounded; a new session
// in a slot replaces the mark.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_STATE_LAST_REQUESTS_H
#define CAROM_SERVER_WORLD_STATE_LAST_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"

enum {
    SESSION_MARK_BYTES = 16,         // encoded: u64 session, u32 slot, u32 id, little-endian
    LAST_REQUESTS_NEW_MAX = 65536,   // new marks in one record of the log
    SESSION_MARK_SLOTS_MAX = 1 << 22 // more than the possible connections and detached sessions
};

typedef struct session_mark {
    uint64_t session;  // number of the session; 0: none
    uint64_t sequence; // sequence of the request; 0: restored by a restart
    uint32_t id;
    bool fresh; // not in the log yet
} session_mark;

typedef struct last_requests {
    ARRAY(session_mark) by_slot;
    ARRAY(uint32_t) fresh; // slots
} last_requests;

void last_requests_deinit(last_requests *m);

// Records that the request took effect, unless a later request of the session did, or another
// session has its slot now.
void last_requests_note(last_requests *m, uint32_t slot, uint64_t session, uint64_t sequence,
                        uint32_t id);

// Whether the log should be written before further requests are carried out.
bool last_requests_full(const last_requests *m);

// Encodes marks that are not in the log yet, or all: returns their number, and writes their bytes
// to `out` (NULL: none).
uint32_t last_requests_encode(const last_requests *m, bool all, uint8_t *out);
// Records that the log has the marks.
void last_requests_settle(last_requests *m);

// Adds `count` encoded marks. False if one of them is invalid.
bool last_requests_decode(last_requests *m, const uint8_t *bytes, uint32_t count);

#endif
