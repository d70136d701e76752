// Prediction: a client's own commands act at once, whatever the delay of the network.
//
// Beside the replica, which is exactly the server's world of about 100 ms ago, a prediction has a
// second world that is ahead of the server's: in it the client's commands act in the tick for which
// they are sent. Both run the server's own engine, so the client knows to the bit whether a
// prediction was right. If it was not, usually because another player did something, the ticks
// since then are predicted again.
//
//     static void steer(carom_prediction *p, uint64_t tick, bool first_time, void *user)
//     {
//         carom_value *args = carom_map();
//         carom_set(args, "body", carom_uint(ship));
//         carom_set(args, "force", carom_vec(key_right - key_left, 0));
//         carom_prediction_command(p, "body.force", args, NULL);
//         carom_value_free(args);
//     }
//
//     carom_prediction_options options = carom_prediction_options_default();
//     options.input = steer;
//     carom_prediction_create(client, replica, &options, &prediction, &error);
//     ... in handlers.snapshot, of a subscription of encoding "log":
//     carom_prediction_feed(prediction, snapshot, now, &error);
//     ... in every frame, after carom_poll:
//     carom_prediction_frame(prediction, now, &error);
//     count = carom_prediction_poses(prediction, poses, max);
//
// `now` is the time of a monotonic clock in seconds; its origin is arbitrary. Part of
// libcarom-replica; not included by carom/carom.h. A prediction, its replica and its client are one
// thread's at a time.
#ifndef CAROM_PREDICTION_H
#define CAROM_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/replica.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_prediction carom_prediction;

// Makes the commands of a tick with carom_prediction_command. It is called once for each tick with
// `first_time`, and again whenever the tick is predicted again: the commands of the first call then
// act again, and those of the later calls are ignored. Play sounds and sparks in the first call.
// The function must not feed or free anything. After a new image (the session was resumed, or the
// server restarted) prediction begins again: ticks that were asked for before it may be asked for
// again.
typedef void carom_prediction_input_fn(carom_prediction *prediction, uint64_t tick, bool first_time,
                                       void *user);

typedef enum carom_prediction_fate {
    CAROM_FATE_PREDICTED, // it happened in the predicted world, and will be decided
    CAROM_FATE_CONFIRMED, // it happened in the server's world
    CAROM_FATE_TAKEN_BACK // it was reported as predicted, and did not happen
} carom_prediction_fate;

// Each event is reported once as predicted, and then once as confirmed or taken back. An event that
// was not predicted is reported once as confirmed, with `was_predicted` false. A predicted event
// that comes up to 0.1 s earlier or later counts as the same event.
typedef void carom_prediction_event_fn(const carom_event *event, carom_prediction_fate fate,
                                       bool was_predicted, void *user);

// Sends the arguments of a world.apply. False: it was not sent.
typedef bool carom_prediction_send_fn(const carom_value *args, void *user);

typedef struct carom_prediction_options {
    carom_prediction_input_fn *input; // makes the commands; NULL: the client commands nothing
    carom_prediction_event_fn *event; // receives events; NULL: none are reported
    carom_prediction_send_fn *send;   // sends batches; NULL: the client sends them as notifications
    void *user;                       // passed to these functions
    unsigned events;      // kinds of events, bits 1 << carom_event_kind; default all but stay
    unsigned input_delay; // 0 (default) to 3 [ticks]: commands act later, and less is predicted
    double budget_ms;     // time for a frame; 0 (default): no limit
    double smoothing_s;   // half-life of a correction in what is drawn; default 0.06; 0: none
    bool check;           // predict again in every frame and compare: a check for development
    uint64_t session;     // number of the session in the log; 0: the client's session
} carom_prediction_options;

CAROM_API carom_prediction_options carom_prediction_options_default(void);

// `client` sends the batches and measures the round trip; NULL with options.send. Both it and the
// replica outlive the prediction. A replica has one prediction. Errors: CAROM_INVALID_ARGUMENT,
// CAROM_ALREADY_EXISTS, CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_prediction_create(carom_client *client, carom_replica *replica,
                                               const carom_prediction_options *options,
                                               carom_prediction **out, carom_error *error);
CAROM_API void carom_prediction_free(carom_prediction *prediction); // NULL is allowed

// Whether commands are predicted. False with the reason in `error` (may be NULL) if the server has
// another engine, or does not know the argument `late`: then commands are sent without a tick, and
// the bodies are drawn where the replica has them.
CAROM_API bool carom_prediction_active(const carom_prediction *prediction, carom_error *error);

// ---- the network

// Feeds the replica, as carom_replica_feed does, with its errors, and sets the clock by the arrival
// and the snapshot's margin. Passes over snapshots of other encodings.
CAROM_API carom_status carom_prediction_feed(carom_prediction *prediction,
                                             const carom_snapshot *snapshot, double now,
                                             carom_error *error);
// With options.send: reports the round trip's time [s], and the margin in an answer [s].
CAROM_API void carom_prediction_rtt(carom_prediction *prediction, double seconds);
CAROM_API void carom_prediction_margin(carom_prediction *prediction, double now, double seconds);
// With options.send: reports that the server answered the batch of that tick with an error.
CAROM_API void carom_prediction_refused(carom_prediction *prediction, uint64_t at);

// ---- a frame

// Advances to `now`: predicts wrong ticks again, asks for the commands that are due, and reports
// events. Errors: CAROM_INVALID_ARGUMENT for arguments that no world accepts, with the place;
// CAROM_LIMIT_EXCEEDED: 1 024 batches or 4 MiB of them wait for the server's log. That batch was
// not sent; everything else was done.
CAROM_API carom_status carom_prediction_frame(carom_prediction *prediction, double now,
                                              carom_error *error);

// Call within `input`: adds a command of the tick, as in a batch; `args` has no `world`, and stays
// the caller's. At most CAROM_BATCH_COMMANDS_MAX a tick. Errors: CAROM_INVALID_ARGUMENT outside of
// `input`; CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_prediction_command(carom_prediction *prediction, const char *method,
                                                const carom_value *args, carom_error *error);

// ---- the predicted world

CAROM_API uint64_t carom_prediction_tick(const carom_prediction *prediction); // 0: nothing is
                                                                              // predicted yet

typedef struct carom_prediction_pose {
    uint64_t id;
    double x, y, angle; // where to draw it [m, rad]
    double vx, vy, w;   // [m/s, rad/s]
    bool awake;
    bool approximate; // carried on by its velocity, because time is short
} carom_prediction_pose;

// The bodies in ascending order of their slots, at most `max`; returns how many there are.
CAROM_API size_t carom_prediction_poses(carom_prediction *prediction, carom_prediction_pose *out,
                                        size_t max);

// The predicted state as a full snapshot of encoding plain, for carom_view_feed, with the bodies
// where they are predicted rather than drawn; see carom_replica_snapshot. `options` NULL: rows
// alone. Its events are left out, because predicted events are confirmed or taken back later.
CAROM_API carom_status carom_prediction_snapshot(carom_prediction *prediction,
                                                 const carom_replica_snapshot_options *options,
                                                 const void **encoded, size_t *size,
                                                 carom_error *error);

// Asks the predicted world what a replica can be asked; see carom_replica_call.
CAROM_API carom_status carom_prediction_call(carom_prediction *prediction, const char *method,
                                             const carom_value *args, carom_value **result,
                                             carom_error *error);

// The body, shape or joint that command `index` of tick `at` made; 0: nothing, or not known (any
// more). While *confirmed (may be NULL) is false the id can still change, when another session
// makes something first; commands that name it may then mean another body.
CAROM_API uint64_t carom_prediction_made(const carom_prediction *prediction, uint64_t at,
                                         size_t index, bool *confirmed);

// Marks a body that matters to the player although no command names it: bodies near it are
// predicted first when time is short.
CAROM_API void carom_prediction_own(carom_prediction *prediction, uint64_t body);
// Whether a body is drawn where it is predicted (true, the default) or where it was last confirmed.
// Errors: CAROM_LIMIT_EXCEEDED over 256 bodies that are not.
CAROM_API carom_status carom_prediction_predict(carom_prediction *prediction, uint64_t body,
                                                bool predicted, carom_error *error);

// ---- figures, for an overlay

typedef struct carom_prediction_figures {
    double right;        // share of the last 8 s' confirmed ticks that were predicted exactly
    double rollbacks;    // rollbacks a second, over the last 8 s
    double depth;        // ticks that a rollback predicted again, on average
    double error;        // largest correction of the client's bodies in the last 8 s [m]
    double error_others; // largest correction of another body
    double lead;         // ticks from the newest that news in time shows to the predicted one
    double slack;        // ticks of the lead beyond the round trip
    double rtt;          // [s]
    double margin;       // the last margin that the server reported [s]; NAN: none yet
    double rate;         // rate of the predicted world's clock; 1: as fast as the server
    unsigned delay;      // input delay [ticks]
    unsigned waiting;    // batches that the log has not shown yet
    uint64_t ticks, ticks_right, rollback_count; // totals
    uint64_t sent, confirmed;                    // totals of batches: sent, seen in the log,
    uint64_t late;                               // seen in a later tick than they named,
    uint64_t lost, refused;                      // never seen, and answered with an error
    uint64_t failed;          // batches that the predicted world refused, each attempt counted
    uint64_t approximate;     // frames in which time was short
    uint64_t check_failures;  // ticks with another result when they were predicted again,
    uint64_t check_failed_at; // the first tick whose check failed
    uint64_t events_lost;     // events dropped because more than 4 096 waited
    double step_ms, copy_ms;  // recent mean times of a step of the predicted world, and of its copy
} carom_prediction_figures;

CAROM_API carom_prediction_figures carom_prediction_figures_now(const carom_prediction *prediction);

CAROM_END_DECLS

#endif
