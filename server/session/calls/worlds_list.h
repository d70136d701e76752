// world.list: one survey of all worlds at a time, for all sessions that asked before it began.
// Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_WORLDS_LIST_H
#define CAROM_SERVER_SESSION_CALLS_WORLDS_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "common/base/array.h"
#include "proto/wire/buffer.h"
#include "server/base/bytes.h"
#include "server/session/calls/call.h"
#include "server/session/placement/directory.h"
#include "server/session/session.h"
#include "server/world/message/messages.h"

// A session that asked for world.list.
typedef struct survey_asker {
    session_key session;
    uint32_t id;
    bool answerable;
} survey_asker;

typedef struct survey_row {
    uint64_t number; // number of the world
    char name[WORLD_NAME_BYTES_MAX + 1];
    buffer bytes; // {world ...}; empty for a world that ended meanwhile
    bool awaited; // its world has not answered yet
} survey_row;

// See worlds_list.c.
typedef struct world_survey {
    turn_job job; // first
    server *server;
    bool confined; // the list is for a session with token areas
    bool under_way;
    uint64_t begun_ms;                   // when the current survey began, if there is one
    ARRAY(survey_asker) waiting, asking; // clients of the next survey, and of the current one
    ARRAY(survey_row) rows;
    uint32_t asked, left; // rows whose world was asked, and how many of these are still awaited
    uint32_t answered;    // how many of `asking` are answered
    shared_bytes *whole;  // the answer for sessions that see all worlds; NULL: not made yet
} world_survey;

status worlds_list(server *s, const call *c, error *err);
// The row of a world that is not served; `why` is its `unavailable`.
void worlds_encode_broken(buffer *out, const world_entry *entry, const char *why);
// world.info of a world that is not served.
void worlds_tell_broken(const call *c, const world_entry *entry);
// Called when one world's part of the answer has arrived.
void worlds_listed(server *s, world_entry *entry, reply *r);
// Called when a world has reported its figures, which are used if it does not answer soon.
void worlds_figured(world_entry *entry, const reply *r);
// Call when the world has sent a reply that may show a later state.
void worlds_outdate(world_entry *entry);
void worlds_list_init(server *s);
// No survey may be in progress.
void worlds_list_deinit(server *s);

#endif
