// Subscriptions of encoding log: replicas, which are sent the commands instead of the bodies.
//
// A reader begins with an image of the world and then gets, at its rate, the commands since its
// last notification and the state's hash (in the compact form, once a second). A notification is
// encoded once for all readers of one form at the same place of the log. A reader has at most one
// on its way; if the commands it needs are forgotten already, it begins again with an image, so
// that nothing queues up for it.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_LOG_LOG_READERS_H
#define CAROM_SERVER_WORLD_LOG_LOG_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "server/schedule/turn.h"
#include "server/world/message/messages.h"
#include "server/world/log/world_log.h"
#include "server/world/state/margins.h"

typedef struct log_reader_entry {
    uint64_t number; // the subscription's number
    session_key session;
    double rate;   // notifications a second; 0: one a tick
    log_mark mark; // how far in the log it has been sent
    bool compact;  // it reads the compact form (proto/log/log_compact.h)
    bool fresh;    // it needs an image
    bool busy;     // its last notification is not written out yet
    bool owed;     // a notification was due while it was busy
} log_reader_entry;

typedef struct log_readers {
    ARRAY(log_reader_entry) list; // in ascending order of numbers
    uint32_t found;               // the place of the last that was acknowledged
    uint64_t first; // number of the reader that goes first: those before it were served last
} log_readers;

// The state that a notification reports.
typedef struct log_source {
    const char *world; // name
    uint64_t epoch;
    const physics_world *physics;
    const world_log *log;
    bool paused;
    margins *margins; // margins of the sessions' timed batches; NULL: none
} log_source;

void log_readers_deinit(log_readers *r);

void log_readers_add(log_readers *r, uint64_t number, session_key session, double rate,
                     bool compact);
// False where the session has no such reader.
bool log_readers_remove(log_readers *r, uint64_t number, session_key session);
void log_readers_forget(log_readers *r, session_key session);
void log_readers_acknowledge(log_readers *r, uint64_t number);
// The session continues over another connection: its readers begin again with an image.
void log_readers_resume(log_readers *r, session_key session);
// Call when another world replaces this one: every reader is sent its image next.
void log_readers_begin_anew(log_readers *r);
// Ends all: REPLY_CLOSED.
void log_readers_close_all(log_readers *r, uint64_t world, status why, const char *text,
                           reply_sink sink);

// Sends to those that are due, or, if `all`, to everyone who lacks something, until the turn is
// over (NULL: it has no end), but to some in any case. False: others go first the next time; they
// are sent then all since their last notification.
bool log_readers_publish(log_readers *r, const log_source *from, bool all, const turn *t,
                         reply_sink sink);
// Whether any reader lacks data and can be sent it.
bool log_readers_owe(const log_readers *r, const log_source *from);

// The first offset of the log that is still wanted; UINT64_MAX if there is none.
uint64_t log_readers_oldest(const log_readers *r);

#endif
