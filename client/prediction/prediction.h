// The core of prediction: a client's own commands take effect at once in a second world, which is
// compared bit by bit with the server's.
//
//     confirmed   the replica: exactly the server's world, at tick C
//     predicted   a copy of it, with this client's own timed batches, at tick P = C + lead
//
// libcarom-replica and engine.wasm share this code: it has no sockets, no clock and no callbacks.
// Its caller sends the batches, passes the time, and feeds the replica, whose log player reports
// its progress here (prediction_note_*).
//
// When the log reaches a tick that was predicted, the two states' hashes are compared. While they
// are equal nothing is done. When they differ, or a batch is in another tick than predicted, the
// predicted world becomes a copy of the confirmed one in the next frame and is stepped to P again
// with the batches that are not confirmed yet. Other players' forces persist, so they are predicted
// by their last ones.
//
// A frame:
//
//     prediction_begin(p, now);
//     while (prediction_spent(p, milliseconds since begin), prediction_next(p, &input)) {
//         // input.first_time: make the commands of tick input.tick, prediction_give() them and
//         // send the same as world.apply {at: input.tick, late: "next", commands}.
//         // Otherwise the tick is predicted again, and the batch that was given acts again.
//     }
//     prediction_end(p, milliseconds that begin to end took);
//     prediction_poses(p, …): where to draw the bodies
//
// One thread at a time.
#ifndef CAROM_CLIENT_PREDICTION_PREDICTION_H
#define CAROM_CLIENT_PREDICTION_PREDICTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/apply.h"
#include "proto/log/log_player.h"

enum {
    PREDICTION_TICKS_MAX = 2048,          // ticks whose hashes are kept; also the most ticks ahead
    PREDICTION_BATCHES_MAX = 1024,        // batches that the log has not shown yet
    PREDICTION_BATCH_BYTES_MAX = 4 << 20, // memory of the waiting batches
    // Events predicted and still open; also events to be reported
    PREDICTION_EVENTS_MAX = 4096,
    // Own bodies; further ones replace those named longest ago
    PREDICTION_OWN_MAX = 64,
    PREDICTION_PAST_MAX = 256, // bodies that are not predicted
    PREDICTION_MADE_MAX = 256  // remembered ids of new bodies, shapes and joints
};

typedef struct prediction prediction;

typedef struct prediction_options {
    uint64_t session;     // number of the client's session, as in the log's rows
    uint32_t input_delay; // 0 to LEAD_DELAY_MAX [ticks]
    double budget_ms;     // time for the prediction in a frame; 0: no limit
    bool check;           // for tests: predict again in every frame, and compare results
    uint32_t events;      // bits 1 << event_kind
    double smoothing_s;   // half-life of a correction when it is drawn; 0: no smoothing
} prediction_options;

#define PREDICTION_SMOOTHING_S 0.06

prediction_options prediction_options_default(void);

// `confirmed` is the replica's player; it must live as long as the prediction, or until
// prediction_follow() names another one.
prediction *prediction_create(const log_player *confirmed, const prediction_options *options);
void prediction_free(prediction *p); // NULL is allowed
// Follows another confirmed world; called after each image. Batches that have not been seen are
// lost, and ticks whose commands were asked for may be asked for again.
void prediction_follow(prediction *p, const log_player *confirmed);
void prediction_set(prediction *p, const prediction_options *options);
prediction_options prediction_options_of(const prediction *p);
const log_player *prediction_follows(const prediction *p); // NULL: nothing

// ---- reports of the log player

void prediction_note_command(prediction *p, const log_command *row, const command *c,
                             const command_result *result);
void prediction_note_step(prediction *p);
// Records that a record was played to its end.
void prediction_note_arrival(prediction *p, double now);
// Kinds of events that the confirmed world must report for this prediction.
uint32_t prediction_event_kinds(const prediction *p);

// ---- the network

void prediction_rtt(prediction *p, double seconds);
void prediction_margin(prediction *p, double now, double seconds);
// Reports that the server refused the batch of that tick with an error.
void prediction_refused(prediction *p, uint64_t at);

// ---- a frame

typedef struct prediction_input {
    uint64_t tick;
    bool first_time;
} prediction_input;

// `now` [s] never decreases; its origin is arbitrary.
void prediction_begin(prediction *p, double now);
// With a budget: call before each prediction_next() to report the time that the frame has taken so
// far.
void prediction_spent(prediction *p, double ms);
bool prediction_next(prediction *p, prediction_input *out);
// Gives the commands of the tick that prediction_next() named last with `first_time`. Takes over
// what `batch` owns (a world.apply), also on errors: STATUS_LIMIT_EXCEEDED, in which case it must
// not be sent.
status prediction_give(prediction *p, command *batch, error *err);
void prediction_end(prediction *p, double took_ms);

// ---- the predicted world

// The predicted world; NULL before the first image. For queries; only the prediction changes it.
physics_world *prediction_world(const prediction *p);
uint64_t prediction_tick(const prediction *p);
// The body, shape or joint that command `index` of the batch of tick `at` made; 0: nothing, or
// unknown (by now). Until it is confirmed its id can change: it becomes another one when somebody
// else makes something first, and a command that names it then means another body.
uint64_t prediction_made(const prediction *p, uint64_t at, uint32_t index, bool *confirmed);

// Names a body that this client moves: islands near it are predicted first when time is short.
// Bodies that its batches name are its own without this call.
void prediction_own(prediction *p, body_id body);
// Sets whether the body is shown where it is predicted (true, the default) or where it was last
// confirmed. STATUS_LIMIT_EXCEEDED: over PREDICTION_PAST_MAX.
status prediction_predict(prediction *p, body_id body, bool predicted, error *err);

typedef struct prediction_pose {
    body_id id;
    double x, y, angle; // where to draw it
    double vx, vy, w;
    bool awake;
    bool approximate; // extrapolated by its velocity, because time is short
} prediction_pose;

// Writes the bodies in ascending order of slots, at most `max`; returns how many bodies there are.
uint32_t prediction_poses(prediction *p, prediction_pose *out, uint32_t max);

// ---- events

typedef enum prediction_event_fate {
    // It happened in the predicted world; the server's world will decide
    PREDICTION_EVENT_PREDICTED,
    PREDICTION_EVENT_CONFIRMED, // it happened; was_predicted: it was reported before
    PREDICTION_EVENT_TAKEN_BACK // it was reported as predicted, and did not happen
} prediction_event_fate;

typedef struct prediction_event {
    prediction_event_fate fate;
    bool was_predicted;
    physics_event event;
} prediction_event;

// Reads the next event that was not reported yet; false: none.
bool prediction_next_event(prediction *p, prediction_event *out);

// ---- figures

typedef struct prediction_figures {
    double right;        // share of the confirmed ticks of the last 8 s that were predicted exactly
    double rollbacks;    // rollbacks a second, over the last 8 s
    double depth;        // ticks that a rollback predicted again, on average
    double error;        // largest correction of one of the client's own bodies in the last 8 s [m]
    double error_others; // largest such correction of another body
    double lead;         // ticks from the newest that news in time shows to the predicted one
    double slack;        // ticks
    double rtt, margin;  // [s]; the margin is NAN before the first
    double rate;         // rate of the clock; 1: as fast as the server
    uint32_t delay;      // input delay [ticks]
    uint32_t waiting;    // batches that the log has not shown yet
    uint64_t ticks, ticks_right, rollback_count;           // totals
    uint64_t sent, confirmed, late, lost, refused, failed; // totals of batches
    uint64_t approximate;                                  // frames in which time was short
    uint64_t check_failures;  // ticks with another result when they were predicted again,
    uint64_t check_failed_at; // the first tick whose check failed
    uint64_t events_lost;
    double step_ms, copy_ms; // recent mean times of a step and of a copy
} prediction_figures;

// The names of all figures as X(name), for callers that report them all.
#define PREDICTION_FIGURES(X)                                                                      \
    X(right)                                                                                       \
    X(rollbacks)                                                                                   \
    X(depth)                                                                                       \
    X(error)                                                                                       \
    X(error_others)                                                                                \
    X(lead)                                                                                        \
    X(slack)                                                                                       \
    X(rtt)                                                                                         \
    X(margin)                                                                                      \
    X(rate)                                                                                        \
    X(delay)                                                                                       \
    X(waiting)                                                                                     \
    X(ticks)                                                                                       \
    X(ticks_right)                                                                                 \
    X(rollback_count)                                                                              \
    X(sent)                                                                                        \
    X(confirmed)                                                                                   \
    X(late)                                                                                        \
    X(lost)                                                                                        \
    X(refused)                                                                                     \
    X(failed)                                                                                      \
    X(approximate)                                                                                 \
    X(check_failures)                                                                              \
    X(check_failed_at)                                                                             \
    X(events_lost)                                                                                 \
    X(step_ms)                                                                                     \
    X(copy_ms)

prediction_figures prediction_figures_now(const prediction *p);

#endif
