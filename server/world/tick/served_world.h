// A served world: its inbox, its tick, its subscribers, its own time.
//
// A tick carries out the batches scheduled for it, then the requests of the inbox in order of
// arrival; then it steps, collects the events, and sends the snapshots that are due. A paused world
// carries out requests at once, between two ticks, and sends its subscribers snapshots of the
// result, though no more often than if it ran; only the ticks of world.step are shown as fast as
// they are done. Every request gets exactly one result.
//
// One thread at a time: its simulation thread. It reads no clock: the caller passes the time.
#ifndef CAROM_SERVER_WORLD_TICK_SERVED_WORLD_H
#define CAROM_SERVER_WORLD_TICK_SERVED_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "common/world/players.h"
#include "server/base/bytes.h"
#include "server/base/limits.h"
#include "server/schedule/turn_queue.h"
#include "server/world/tick/crowding.h"
#include "server/world/tick/inbox.h"
#include "server/world/history/history.h"
#include "server/world/log/log_readers.h"
#include "server/world/message/messages.h"
#include "server/world/state/last_requests.h"
#include "server/world/tick/message_quota.h"
#include "server/world/tick/owner_crowds.h"
#include "server/world/tick/tick_schedule.h"
#include "server/world/tick/world_metrics.h"
#include "server/world/snapshots/publisher.h"
#include "server/world/state/margins.h"
#include "server/world/state/mirror.h"
#include "server/world/state/replay.h"
#include "server/world/state/session_bodies.h"
#include "server/world/tick/slowdown.h"
#include "server/world/log/world_log.h"

// The diagram is in ARCHITECTURE.md, "States of a world".
typedef enum served_world_state {
    SERVED_WORLD_RUNNING,
    SERVED_WORLD_PAUSING,  // world.pause came in this tick: answered after the step
    SERVED_WORLD_PAUSED,   // requests are carried out between two ticks
    SERVED_WORLD_STEPPING, // paused, and a world.step is in progress
    SERVED_WORLD_ENDED     // destroyed: freed when nothing of it waits for the log any more
} served_world_state;

// Measurements of the last second, for world.info and for warnings. Begins again when a world is
// paused or resumed, so that it covers either ticks that were due or those of world.step.
typedef struct served_world_window {
    bool paused; // it covers the steps of a paused world
    int64_t start_ns;
    int64_t last_ns; // end of its last tick
    int64_t busy_ns;
    uint64_t ticks;
    slowdown causes;           // why the world was late
    double step_ms;            // mean of the window before, 0 before there is one
    double rate;               // ticks a second in the window before; 0: there was none
    bool publishing_cut;       // publishing of the last tick was stopped by the end of the turn
    bool commands_cut;         // commands of the last tick were stopped by the end of the turn
    int64_t debt_ns;           // sum of what ticks took beyond half of their period
    int64_t full_ns;           // last warning that it has no room for contacts, 0 for none
    int64_t warned_ns;         // last warning that the world is slowed; 0: none
    int64_t warned_skipped_ns; // total slowdown at that warning
} served_world_window;

// Clocks for measuring durations: time passed, and the thread's processor time.
typedef struct served_world_clocks {
    int64_t (*now)(void);
    int64_t (*processor)(void);
} served_world_clocks;

// Its place among the worlds of its simulation thread, which writes and reads it.
typedef struct served_world_place {
    share *used;     // its share of the thread's time
    int64_t load_ns; // its part of the thread's time in the current window
    // until then it waits to be moved to another thread; 0: it is not parked
    int64_t parked_until_ns;
    int64_t crowded_ns;     // when REPLY_CROWDED was last posted; 0: never
    bool request_arrived;   // a request has arrived since it last ran
    bool thread_alone;      // the thread has no other world
    bool thread_shared;     // others on the thread do not wait for it: it can get its own
    bool others_due;        // others of the thread want to run too: one tick at a time
    turn_job step_job;      // its place in the thread's queue of steps
    world_metrics *metrics; // NULL once it has ended
} served_world_place;

// The cost of its next step and of its commands, as far as they can be estimated.
typedef struct served_world_costs {
    int64_t step_most_ns;  // a longer step waits for a thread of its own
    bool step_blocked;     // a step waits so
    int64_t turn_begin_ns; // when a relay's world began its present turn
    // a request that lasts as long, or causes such a step: it goes back to the inbox
    request *returned;
    int64_t stepped_ns;    // time of the last step of world.step
    int64_t lasted_ns;     // time of the last tick
    int64_t counted_ns;    // the part for commands and step
    crowding_cost command; // cost of the last command carried out
    int64_t price_ns;      // cost of the current request in addition to the time that it takes
} served_world_costs;

// Ended sessions whose ends this world must still carry out.
typedef struct served_world_sessions {
    ARRAY(uint64_t) ending; // some of their bodies are still there
    ARRAY(uint64_t) gone;   // their REQUEST_SESSION_END waits in the inbox: their steps end
} served_world_sessions;

typedef struct served_world {
    uint64_t number; // never used again in this process; the epoch on the wire
    char name[WORLD_NAME_BYTES_MAX + 1];
    const limits *limits;
    block_account *blocks;    // counts its memory; NULL: it is not counted
    served_world_state state; // set by served_world_change() only
    request *pending;         // the world.pause while PAUSING, the world.step while STEPPING
    uint32_t steps_left;      // remaining ticks of the world.step
    uint64_t halt_due;        // REQUEST_HALT's number, until the next tick is computed; 0: no
    uint64_t halting;         // number of the halt that has begun: it stands still; 0: none
    bool halted;              // REPLY_HALTED was posted
    bool leaving;             // REPLY_LEAVING was posted, and no REPLY_STAYING since

    // All that an image has
    physics_world *physics;
    owners *owners; // owners of its bodies
    session_bodies session_bodies;
    last_requests last_requests;

    history history; // its states of the last second

    // The recording that it plays
    replay *replay;       // NULL: it accepts commands
    error replay_failure; // STATUS_OK: none

    // The log of another server that it plays (served_mirror.c); NULL: none. Its state is PAUSED,
    // as requests are served between the ticks that come.
    mirror *mirror;

    // Time
    double hz;
    tick_schedule schedule;
    served_world_clocks clocks;
    served_world_window window;
    served_world_place place;
    served_world_costs costs;
    task_runner runner;   // lent to the physics
    int64_t published_ns; // when a paused world last sent snapshots

    // Requests
    inbox inbox;
    crowding crowding;
    owner_crowds owner_crowds;
    struct {
        players_cache cache;
        player_pushes pushes; // pushes in the tick under way
    } players;                // what the role player may do, and has done
    message_quota messages;
    ARRAY(request *) scheduled; // world.apply with a tick, by that tick, then by arrival
    margins margins;            // margins of those batches, by their senders' sessions
    int64_t tick_begin_ns;      // when the present tick began, or the last one
    // Commands of the tick are applied, and the rest of it waits for a thread or another turn: of a
    // RUNNING world, or a relay's
    bool tick_begun;
    served_world_sessions sessions;
    buffer scratch; // the result that is encoded

    // Its readers and its log
    publisher publisher;
    log_readers readers;
    world_log log;
    reply_sink sink;       // where the log sends replies
    shared_bytes *figures; // row of the last REPLY_FIGURES; NULL: none
} served_world;

static inline bool served_world_is_paused(const served_world *h)
{
    return h->state == SERVED_WORLD_PAUSED || h->state == SERVED_WORLD_STEPPING;
}

// Whether clients see it paused: a relay's world is, when the one that it follows is.
static inline bool served_world_shows_paused(const served_world *h)
{
    return h->mirror != NULL ? h->mirror->player.paused : served_world_is_paused(h);
}

static inline bool served_world_has_ended(const served_world *h)
{
    return h->state == SERVED_WORLD_ENDED;
}

// Takes over the contents of `from`, and frees it. `sink` gets its replies.
served_world *served_world_create(uint64_t number, const char *name, adoption *from,
                                  const limits *bounds, reply_sink sink,
                                  served_world_clocks clocks);

// Answers the REQUEST_ADOPT that brought it, now that it lives.
void served_world_adopted(served_world *h, request *q);

// The longest time that a world with ticks of `period_ns` keeps the other worlds of its thread
// waiting, as far as that can be predicted: half a tick, of 60 Hz at most.
int64_t served_world_fair_ns(double period_ns);

// Whether the world has taken more than that of its ticks, by as much again, or its next step is
// expected to: then the other worlds on the thread have to wait.
bool served_world_crowds(const served_world *h);

// How long its thread allows a step to take, as far as that can be predicted: served_world_fair_ns,
// unless no other world is on the thread. A step expected to take longer is not begun:
// `waits_for_own_thread` is then true until the world gets another bound.
int64_t served_world_fair_step_ns(const served_world *h);
void served_world_bound_step(served_world *h, int64_t most_ns);

// Called by the thread to which the world has moved: `sink` gets its replies from now on.
void served_world_move(served_world *h, reply_sink sink);

// Its log goes to this feed, too (a reference), for a move to another server.
void served_world_lead_away(served_world *h, world_feed *feed, void (*on_allowed)(void *),
                            void *context);
// It stands still until it leaves or goes on: REPLY_HALTED. A recording does not.
void served_world_halt(served_world *h, uint64_t number);
void served_world_go_on(served_world *h);

// Makes an image (world_image.h) of the world's state. The caller gets one reference.
shared_bytes *served_world_image(const served_world *h);
// Must be called after served_world_flush.
world_end served_world_end(const served_world *h);

// Answers the waiting requests with `why` and `text`, informs the subscribers, frees everything.
void served_world_destroy(served_world *h, status why, const char *text);

// Whether nothing of an ended world waits for its log any more.
bool served_world_settled(const served_world *h);

// Must be called before the thread ends: passes new rows to the log, ends the promise of ticks
// ahead at this tick, and sends committed replies. Returns whether something still waits.
bool served_world_flush(served_world *h);

// Takes over a request for this world: any kind except ADOPT and STOP.
void served_world_deliver(served_world *h, request *q);

// Does the work that is due, except for world.step. A world that is behind does several ticks, but
// yields to others after one period of its own, or 5 ms.
void served_world_run(served_world *h);

// Whether a world.step is in progress, and can continue.
bool served_world_steps(const served_world *h);
// Continues it until the slice is over, but at least by one tick.
void served_world_step(served_world *h, const turn *slice);

// The time at which the world wants to run again, except for world.step: 0 at once, QUEUE_FOREVER
// if only a request can make it run.
int64_t served_world_next_ns(const served_world *h);

#endif
