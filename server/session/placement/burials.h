// Worlds that have ended, as sessions remember them: a session that is resumed learns its last
// request in such a world by the world's name (request_log.h). A job tells one session after
// another, over many turns: there may be thousands of each, and each session whose memory changes
// gets a record on disk.
//
// A world's last request, which destroys it, waits until all sessions know of its end: if the
// process is killed before, the world comes back, and with it the marks of its requests.
// Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_BURIALS_H
#define CAROM_SERVER_SESSION_PLACEMENT_BURIALS_H

#include <stdint.h>

#include "common/base/array.h"
#include "proto/limits.h"
#include "server/schedule/turn_queue.h"
#include "server/world/message/messages.h"

struct server;
struct session;
struct world_entry;

typedef struct burial {
    uint64_t world;
    char name[WORLD_NAME_BYTES_MAX + 1];
    request *last; // owned; NULL: none waits
} burial;

typedef struct burials {
    turn_job job;
    ARRAY(burial) all;
    uint32_t round; // the first so many are being told
    uint32_t next;  // slot of the next session
} burials;

// The world has ended; its entry has no name any more. `last` (may be NULL) was counted, is taken
// over, and is delivered later.
void burials_add(struct server *s, const struct world_entry *entry, request *last);
// Tells the session at once, before its memory is read.
void burials_settle(struct session *s);
// Tells all sessions at once, and delivers what waits: the server shuts down.
void burials_finish(struct server *s);

#endif
