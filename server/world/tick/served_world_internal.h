// The two sources of a served world, served_world.c (time) and served_requests.c, share these; private to
// them. The thread of its host.
#ifndef CAROM_SERVER_WORLD_TICK_SERVED_WORLD_INTERNAL_H
#define CAROM_SERVER_WORLD_TICK_SERVED_WORLD_INTERNAL_H

#include "server/world/tick/served_world.h"

// Hands a reply to the sink.
void hosted_post(hosted *h, reply *r);

// Gives the request its result, an error, and lets go of it.
void hosted_refuse(hosted *h, request *q, status why, const char *text);
// Gives the request its answer, an error or what `scratch` holds, and lets go of it.
void hosted_answer(hosted *h, request *q, const error *err);
// Likewise {world, tick} of now.
void hosted_answer_tick(hosted *h, request *q);
// The same after it took effect here, which a session that is resumed after a restart is told.
void hosted_answer_done(hosted *h, request *q);

// Notes in the log that the world stands from now on, or goes on.
void hosted_note_pause(hosted *h, const request *q);

// Hands what is new to the log and lets go what may leave.
void hosted_settle(hosted *h);

// Its blocks: bodies, contacts, tables of snapshots.
uint64_t hosted_memory_bytes(const hosted *h);

// The state that readers of the log are told of.
log_source hosted_log_source(const hosted *h);

// Of a world that replays: goes to a tick of the recording. The state stays on errors.
status hosted_seek(hosted *h, uint64_t tick, error *err);

// Looks how far the log has come.
void hosted_take_committed(hosted *h);

// Carries out the inbox, up to a request that makes the rest wait (the world's end, a world.step, a
// pause, a world.resume) or until it has taken so long since `begin`; the rest waits its turn, by
// session.
void hosted_serve_inbox(hosted *h, int64_t begin, int64_t turn_ns);

// Whether the request has to be refused because the world's log cannot be written.
bool hosted_bars(const hosted *h, method m, error *err);

// Whether its sender may carry the command out as things are now. Asked before anything that the
// command would cost is counted: who may not do it learns nothing of what is there, not even from
// what the refusal says, and takes no time of the world.
bool hosted_permits(const hosted *h, const request *q, error *err);

// Carries out a command that the physics answers. `batch_left_ns`: it is a batch whose tick has
// come, and may take so much of that; NULL for others, which wait for a thread apart
// (`returned`) where the next step would take too long.
void hosted_apply(hosted *h, request *q, bool between_ticks, const int64_t *batch_left_ns);

// world.apply: carries it out, or keeps it for its tick.
void hosted_batch(hosted *h, request *q);
// Those that wait for their tick and would make bodies that nobody removes, as the session ends.
void hosted_refuse_batches(hosted *h, uint64_t session);

// Carries out the batches that were scheduled for the next tick, for as much of its time as
// commands may take.
void hosted_serve_scheduled(hosted *h);

// The part of a tick that commands and queries may take.
int64_t hosted_commands_ns(const hosted *h);

// The time that the batches of the next tick will take.
int64_t hosted_batches_ns(const hosted *h);

// Whether the session has ended, and only its requests have not.
bool hosted_session_gone(const hosted *h, uint64_t session);

// Does something that may take so long: the figures of world.list are left before, so that who asks
// meanwhile does not wait.
void hosted_expect(hosted *h, int64_t ns);

#endif
