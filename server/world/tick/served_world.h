// A world that is served: its inbox, its tick, its subscribers, its own time.
//
// A tick carries out the batches that were scheduled for it, then the requests of the inbox in the
// order in which they came; then it does the step, collects its events, and sends the snapshots
// that are due. A paused world carries out requests at once, between two ticks, and shows its
// subscribers the result, though not more often than if it ran; only the ticks of world.step are
// shown as fast as they are done. Every request gets its one result.
//
// One thread at a time: that of its simulation thread. Knows no clock: it is told the time.
#ifndef CAROM_SERVER_WORLD_TICK_SERVED_WORLD_H
#define CAROM_SERVER_WORLD_TICK_SERVED_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "server/base/bytes.h"
#include "server/base/limits.h"
#include "server/schedule/turn_queue.h"
#include "server/world/tick/crowding.h"
#include "server/world/tick/inbox.h"
#include "server/world/log/log_readers.h"
#include "server/world/message/messages.h"
#include "server/world/tick/owner_crowds.h"
#include "server/world/tick/tick_schedule.h"
#include "server/world/tick/world_metrics.h"
#include "server/world/snapshots/publisher.h"
#include "server/world/state/replay.h"
#include "server/world/state/session_bodies.h"
#include "server/world/tick/slowdown.h"
#include "server/world/log/world_log.h"

// Measured over the last second, for world.info and for warnings. Begins anew when the world goes
// on after a pause, so that neither the pause nor the ticks of world.step count for the rate.
typedef struct served_world_window {
    int64_t start_ns;
    int64_t busy_ns;
    uint64_t ticks;
    slowdown causes;           // of its lateness
    double step_ms;            // mean of the window before, 0 before there is one
    double rate;               // ticks a second in the window before, 0 before there is one
    bool cut;                  // its last publishing was
    int64_t debt_ns;           // by which ticks took more than half of their time, in sum
    int64_t full_ns;           // when it was last said that it has no room for contacts; 0: never
    int64_t warned_ns;         // when it was last said that the world is slowed, 0 for never
    int64_t warned_skipped_ns; // how much it had been slowed by then
} served_world_window;

// Only for how long things take: of time passed, and of the thread's processor time.
typedef struct served_world_clocks {
    int64_t (*now)(void);
    int64_t (*processor)(void);
} served_world_clocks;

typedef struct served_world {
    uint64_t number; // never used again in this process; the epoch on the wire
    char name[WORLD_NAME_BYTES_MAX + 1];
    const limits *limits;
    block_account
        *blocks; // its memory, which its simulation thread charges; NULL: it is not counted
    physics_world *physics;
    owners *owners;       // whose its bodies are
    replay *replay;       // the recording that it plays; NULL: it takes commands
    error replay_failure; // STATUS_OK: none
    double hz;
    bool paused;
    bool ended; // destroyed: to be freed when nothing of it waits any more
    tick_schedule schedule;
    publisher publisher;
    log_readers readers;
    session_bodies session_bodies;
    last_requests marks;
    task_runner runner; // lent to the physics
    inbox inbox;
    crowding crowding;
    owner_crowds owner_crowds;
    int64_t load_ns;            // that it took of its thread in the window of that
    int64_t parked_ns;          // it is not run before that: it is to move. 0: it is not parked
    int64_t crowded_ns;         // when it was last said that it crowds others; 0: never
    share *used;                // of its thread's time, which the thread deals among its worlds
    bool touched;               // a request came since it was run
    bool alone;                 // no other world is on its thread
    int64_t foreseen_most_ns;   // a step that will take longer waits for a thread apart
    bool waits_for_own_thread;  // one does
    request *returned;          // it would last as long, or make such a step: it waits in the inbox
    int64_t stepped_ns;         // that the last step of world.step took
    int64_t lasted_ns;          // that its last tick took
    shared_bytes *figures;      // that it left last; NULL: none
    crowding_cost cost;         // of the command that was carried out last
    int64_t price_ns;           // of the request being carried out, beside the time that it takes
    ARRAY(request *) scheduled; // world.apply with a tick, by that tick, then by arrival
    ARRAY(uint64_t) ending;     // sessions that have ended, of whose bodies some are still there
    ARRAY(uint64_t) gone;       // sessions whose end waits in the inbox: their steps end
    request *pausing;           // the world.pause that is answered after the step
    request *stepping;          // the world.step that is being carried out
    uint32_t steps_left;
    turn_job step_job;    // of its thread's queue of steps
    int64_t published_ns; // when a paused world last sent snapshots
    served_world_window window;
    world_metrics *metrics; // NULL once it has ended
    buffer scratch;
    world_log log;
    reply_sink sink; // of the log
    served_world_clocks clocks;
} served_world;

// Takes over what `from` owns, and frees it. `sink` gets its replies.
served_world *served_world_create(uint64_t number, const char *name, adoption *from,
                                  const limits *bounds, reply_sink sink,
                                  served_world_clocks clocks);

// Answers the REQUEST_ADOPT that brought it, now that it lives.
void served_world_adopted(served_world *h, request *q);

// Whether it has taken more than half of its thread's time, by half a tick, or its next step is
// foreseen to: others on the thread have to wait for it.
bool served_world_crowds(const served_world *h);

// How long its thread lets a step of its take, as far as that can be foreseen: half a tick, unless
// nobody else is in the way. It does not begin one that will take longer, `waits_for_own_thread`
// says so then, and it goes on when it has another bound.
int64_t served_world_fair_step_ns(const served_world *h);
void served_world_bound_step(served_world *h, int64_t most_ns);

// It lives on another thread from now on, which calls this: `sink` gets its replies.
void served_world_move(served_world *h, reply_sink sink);

// All that it is, as world_image.h has it. One reference, the caller's.
shared_bytes *served_world_image(const served_world *h);
// After served_world_flush.
world_end served_world_end(const served_world *h);

// Answers the waiting requests with `why` and `text`, tells the subscribers, frees all.
void served_world_destroy(served_world *h, status why, const char *text);

// Nothing of an ended world waits for its log any more.
bool served_world_settled(const served_world *h);

// Before the end of the thread: hands what is new to the log, which is told that the world rests at
// this tick, and lets go what is committed. Whether something waits still.
bool served_world_flush(served_world *h);

// Takes over a request for this world: any kind but ADOPT and STOP.
void served_world_deliver(served_world *h, request *q);

// Does what is due, but for world.step. A world that is behind does several ticks, but gives way to
// others after one period of its own, or 5 ms.
void served_world_run(served_world *h);

// Whether a world.step is under way, and can go on.
bool served_world_steps(const served_world *h);
// Goes on with it until the slice is over: one tick in any case.
void served_world_step(served_world *h, const turn *slice);

// When it wants to run again, other than for world.step: 0 at once, QUEUE_FOREVER when only a
// request can bring it to.
int64_t served_world_next_ns(const served_world *h);

#endif
