// The last request of each session that took effect in a world, so that a client that resumes its
// session after a restart of the server learns which of its commands it has to send again.
//
// The marks lie in the world's log and images, beside the commands that they are of: a restart
// brings back both or neither. By slot of the session, so bounded by the sessions that there may
// be; a session that takes over a slot replaces the mark.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_LAST_REQUESTS_H
#define CAROM_SERVER_WORLD_TICK_LAST_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"

enum {
    SESSION_MARK_BYTES = 16,         // encoded: u64 session, u32 slot, u32 id, little-endian
    SESSION_MARKS_NEW_MAX = 65536,   // of one record of the log
    SESSION_MARK_SLOTS_MAX = 1 << 22 // more than connections and detached sessions can be
};

typedef struct session_mark {
    uint64_t session;  // its number; 0: none
    uint64_t sequence; // of the request; 0 for one that a restart brought back
    uint32_t id;
    bool fresh; // not in the log yet
} session_mark;

typedef struct session_marks {
    ARRAY(session_mark) by_slot;
    ARRAY(uint32_t) fresh; // slots
} session_marks;

void session_marks_deinit(session_marks *m);

// The request took effect, unless a later one of the session, or of the one that has its slot now,
// did already.
void session_marks_note(session_marks *m, uint32_t slot, uint64_t session, uint64_t sequence,
                        uint32_t id);

// Whether the log should be written before further requests are carried out.
bool session_marks_full(const session_marks *m);

// Those that are not in the log yet, or all: their number, and their bytes at `out` (NULL: none).
uint32_t session_marks_encode(const session_marks *m, bool all, uint8_t *out);
// The log has them.
void session_marks_settle(session_marks *m);

// Takes in `count` encoded marks. False where one cannot be.
bool session_marks_decode(session_marks *m, const uint8_t *bytes, uint32_t count);

#endif
