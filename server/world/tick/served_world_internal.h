// The declarations that the sources of a served world share; private to them. The thread of its
// simulation thread.
#ifndef CAROM_SERVER_WORLD_TICK_SERVED_WORLD_INTERNAL_H
#define CAROM_SERVER_WORLD_TICK_SERVED_WORLD_INTERNAL_H

#include "server/world/tick/batch_cost.h"
#include "server/world/tick/served_world.h"

// ---- served_world.c

// Makes every change of the state. The caller sets `pending` before, and clears it.
void served_world_change(served_world *h, served_world_state next);

// Whether it does nothing but pass its log on.
static inline bool served_world_stands(const served_world *h)
{
    return h->halting != 0 && h->state != SERVED_WORLD_STEPPING;
}

// Halts the world if that was asked. Called behind a tick: the next one is due at the other server
// a whole period later.
void served_world_halt_if_due(served_world *h);

// Its next tick is due a period after `now`, whatever the time before.
void served_world_begin_time(served_world *h, int64_t now);

// Number of subscriptions, including those of the log.
uint32_t served_world_reader_count(const served_world *h);

// ---- served_answers.c

// Hands a reply to the sink.
void served_world_post(served_world *h, reply *r);

// Answers the request with an error and frees it.
void served_world_refuse(served_world *h, request *q, status why, const char *text);
// Answers the request, with an error or the content of `scratch`, and frees it.
void served_world_answer(served_world *h, request *q, const error *err);
// Answers with the present {world, tick}, and frees it.
void served_world_answer_tick(served_world *h, request *q);
// As served_world_answer, and records the request as its session's last one that took effect here,
// for a client that resumes its session after a restart.
void served_world_answer_done(served_world *h, request *q);
// The result of world.create. `created`: false if the world existed already.
void served_world_answer_create(served_world *h, request *q, bool created);
// world.info and world.list.
void served_world_answer_info(served_world *h, request *q);

// Records the request as its session's last one that took effect. Must be called before the command
// is logged: the entry or image that contains the command contains this too.
void served_world_note_last_request(served_world *h, const request *q);

// Records in the log that the world is paused, or resumed.
void served_world_note_pause(served_world *h, const request *q);

// Passes new rows to the log and sends the replies that may leave.
void served_world_settle(served_world *h);

// Bytes of its blocks: bodies, contacts, tables of snapshots.
uint64_t served_world_memory_bytes(const served_world *h);

// The state that readers of the log are sent.
log_source served_world_log_source(const served_world *h);

// The physics was replaced, or changed in a way that no command describes: subscriptions, readers
// of the log and the history begin again with the world as it is.
void served_world_begin_anew(served_world *h);

// For a replay: moves to a tick of the recording. The state is unchanged on errors.
status served_world_seek(served_world *h, uint64_t tick, error *err);
// The time that it is expected to take.
int64_t served_world_seek_ns(const served_world *h, uint64_t tick);

// Sends the replies that the storage has committed; refuses all if the log was given up.
void served_world_take_committed(served_world *h);

// Carries out requests of the inbox until one makes the rest wait (the world's end, a world.step, a
// pause, a world.resume) or `turn_ns` have passed since `begin`; the rest waits its turn, by
// session.
void served_world_serve_inbox(served_world *h, int64_t begin, int64_t turn_ns);

// Puts the request back into the inbox: its step would take too long on this thread.
void served_world_block_step(served_world *h, request *q);
// Whether the request, itself uninterruptible work of `ns`, has to wait because that is too long.
// False: it may be done now.
bool served_world_waits(served_world *h, request *q, int64_t ns);

// ---- served_ticks.c

// A paused world that was not stepped for this long stands still.
#define SERVED_WORLD_STILL_NS INT64_C(2000000000)

// Accepts a step that was just done, with its events; `begin`: when the tick began.
void served_world_note_step(served_world *h, int64_t begin);
// Whether the next step has to wait, because it would take too long on this thread.
bool served_world_step_waits(served_world *h);
// Sends snapshots and notifications: to those that are due, or to everyone who lacks something.
void served_world_publish(served_world *h, bool all);
// Adds the time of a tick to the time that the world takes from others.
void served_world_note_debt(served_world *h, int64_t busy_ns);
// Whether a subscription lacks something, and when a world that stands still sends it.
bool served_world_owes(const served_world *h);
int64_t served_world_paused_publish_ns(const served_world *h);

// ---- served_mirror.c

// Time for each byte of an image, until it is a world, and of a command of a log, until it is
// decoded
static const int64_t PLAYED_IMAGE_BYTE_NS = 14, PLAYED_BYTE_NS = 30;

// Whether a command of a log may be decoded (`c` NULL) or applied on this thread now. No: the world
// waits for a thread of its own.
bool served_world_admits_played(served_world *h, const log_command *row, const command *c);
// Connects a new world with its mirror.
void served_world_begin_mirror(served_world *h);
// Plays the received part of the log, until the turn is over, and sends the snapshots that are due.
void served_world_run_mirror(served_world *h);
// When the world wants to run again (served_world_next_ns).
int64_t served_world_mirror_next_ns(const served_world *h);

// ---- served_sessions.c

// The session's bodies and batches end, and its REQUEST_SESSION_END is freed.
void served_world_end_session(served_world *h, request *q);
// Ends the session's subscriptions, in the turn of the request, after those that it made before.
void served_world_forget_subscriptions(served_world *h, request *q);
// Continues with bodies of sessions that could not all be removed before.
void served_world_remove_ended_bodies(served_world *h);

// Whether the request has to be refused because the world's log cannot be written.
bool served_world_bars(const served_world *h, method m, error *err);

// Whether the sender may carry the command out now. Checked before any cost of the command is
// counted: a sender without the right learns nothing about the world, not even from the refusal's
// text, and uses none of its time.
bool served_world_permits(const served_world *h, const request *q, error *err);

// The world that a query or read of the moment `at` is about, in ticks: *world and *owned, unless
// it is the present one. False: the request was answered, or waits for a thread apart.
bool served_world_recall(served_world *h, request *q, double at, physics_world **world,
                         owners **owned);
// Records in the history a command that was applied; the state of `tick` is the first with its
// effect.
void served_world_note_history(served_world *h, uint64_t tick, method m, const uint8_t *arguments,
                               uint32_t size);

// Carries out a command that the physics answers. `batch_left_ns`: for a batch whose tick has
// arrived, the time left to it; NULL for others, which wait for a thread of their own (`returned`)
// if the next step would take too long.
void served_world_apply(served_world *h, request *q, bool between_ticks,
                        const int64_t *batch_left_ns);

// The time that the command itself is expected to take, if it cannot be cut: a batch, or work over
// the whole world.
int64_t served_world_command_ns(const served_world *h, const command *c);

// world.apply: carries it out, or keeps it for its tick.
void served_batch(served_world *h, request *q);
// Refuses batches that wait for their tick and would make bodies that end with the ended session.
void served_world_refuse_batches(served_world *h, uint64_t session);

// Applies the batches scheduled for the next tick, for at most the commands' share of the tick's
// time.
void served_world_serve_scheduled(served_world *h);

// The part of a tick that commands and queries may take.
int64_t served_world_commands_ns(const served_world *h);

// The time that the batches of the next tick are expected to take.
int64_t served_world_batches_ns(const served_world *h);

// Whether the session has ended, and only its requests have not.
bool served_world_session_gone(const served_world *h, uint64_t session);
// Whether its sender still has the rights that it had when it sent the request.
bool served_world_may_act(const request *q);

// Must be called before work that may take `ns`: posts the figures of world.list first, so that
// clients asking meanwhile do not wait.
void served_world_expect(served_world *h, int64_t ns);

#endif
