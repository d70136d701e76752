// Prediction: a client's own commands act at once, whatever the delay of the network.
//
// Beside the replica, which is exactly the server's world of some 100 ms ago, a prediction has a
// second world that is ahead of the server's: in it the client's commands act in the tick for which
// they are sent. Both run the server's own engine, so the client knows to the bit whether it was
// right. Only where it was not, usually because another player commanded something, the ticks since
// then are predicted again.
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
// `now` is a monotonic clock's time in seconds, of any origin. Part of libcarom-replica; not
// included by carom/carom.h. A prediction, its replica and its client are one thread's at a time.
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
// The function must not feed or free anything. A new image (a session that resumed, a server that
// restarted) begins anew: ticks that were asked for before it may come again.
typedef void carom_prediction_input_fn(carom_prediction *prediction, uint64_t tick, bool first_time,
                                       void *user);

typedef enum carom_prediction_fate {
    CAROM_FATE_PREDICTED, // it happened in the predicted world, and will be decided
    CAROM_FATE_CONFIRMED, // it happened in the server's
    CAROM_FATE_TAKEN_BACK // it was told as predicted, and did not happen
} carom_prediction_fate;

// Each event is told once as predicted and then once as confirmed or taken back. One that nobody
// predicted is told once as confirmed, with `was_predicted` false. A predicted event that comes up
// to 0.1 s earlier or later counts as the same event.
typedef void carom_prediction_event_fn(const carom_event *event, carom_prediction_fate fate,
                                       bool was_predicted, void *user);

// Sends the arguments of a world.apply. False: it was not sent.
typedef bool carom_prediction_send_fn(const carom_value *args, void *user);

typedef struct carom_prediction_options {
    carom_prediction_input_fn *input; // NULL: the client commands nothing
    carom_prediction_event_fn *event; // NULL: nobody listens
    carom_prediction_send_fn *send;   // NULL: notifications of the client
    void *user;                       // passed to these functions
    unsigned events;      // kinds of events, bits 1 << carom_event_kind; default all but stay
    unsigned input_delay; // 0 (default) to 3 [ticks]: commands act later, and less is predicted
    double budget_ms;     // time for a frame; 0 (default): no limit
    double smoothing_s;   // half-life of a correction in what is drawn; default 0.06; 0: none
    bool check;           // predict again in every frame and compare: finds mistakes at the desk
    uint64_t session;     // number of the session in the log; 0: the client's
} carom_prediction_options;

CAROM_API carom_prediction_options carom_prediction_options_default(void);

// `client` sends the batches and measures the round trip; NULL with options.send. Both it and the
// replica outlive the prediction. A replica has one prediction. Errors: CAROM_INVALID_ARGUMENT,
// CAROM_ALREADY_EXISTS, CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_prediction_create(carom_client *client, carom_replica *replica,
                                               const carom_prediction_options *options,
                                               carom_prediction **out, carom_error *error);
CAROM_API void carom_prediction_free(carom_prediction *prediction); // NULL is allowed

// Whether commands are predicted. False with the reason in `error` (may be NULL) if the server's
// engine is another one or the server is older than `late`: then commands are sent without a tick,
// and the bodies are drawn where the replica has them.
CAROM_API bool carom_prediction_active(const carom_prediction *prediction, carom_error *error);

// ---- the network

// Feeds the replica, as carom_replica_feed does, with its errors, and sets the clock by the arrival
// and the snapshot's margin. Passes over snapshots of other encodings.
CAROM_API carom_status carom_prediction_feed(carom_prediction *prediction,
                                             const carom_snapshot *snapshot, double now,
                                             carom_error *error);
// With options.send: the round trip's time [s], and a margin that an answer told [s].
CAROM_API void carom_prediction_rtt(carom_prediction *prediction, double seconds);
CAROM_API void carom_prediction_margin(carom_prediction *prediction, double now, double seconds);
// With options.send: the server answered the batch of that tick with an error.
CAROM_API void carom_prediction_refused(carom_prediction *prediction, uint64_t at);

// ---- a frame

// Goes on to `now`: predicts again what was wrong, asks for the commands that are due, and tells
// events. Errors: CAROM_INVALID_ARGUMENT for arguments that no world accepts, with the place;
// CAROM_LIMIT_EXCEEDED: 1 024 batches or 4 MiB of them wait for the server's log. The batch in
// question was not sent; all else went on.
CAROM_API carom_status carom_prediction_frame(carom_prediction *prediction, double now,
                                              carom_error *error);

// In `input`: a command of the tick, as in a batch; `args` without `world`, and the caller's. At
// most CAROM_BATCH_COMMANDS_MAX a tick. Errors: CAROM_INVALID_ARGUMENT outside of `input`;
// CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_prediction_command(carom_prediction *prediction, const char *method,
                                                const carom_value *args, carom_error *error);

// ---- what is predicted

CAROM_API uint64_t carom_prediction_tick(const carom_prediction *prediction); // 0: nothing yet

typedef struct carom_prediction_pose {
    uint64_t id;
    double x, y, angle; // where to draw it [m, rad]
    double vx, vy, w;   // [m/s, rad/s]
    bool awake;
    bool approximate; // carried on by its velocity, for want of time
} carom_prediction_pose;

// The bodies in ascending order of their slots, at most `max`; returns how many there are.
CAROM_API size_t carom_prediction_poses(carom_prediction *prediction, carom_prediction_pose *out,
                                        size_t max);

// The predicted state as a full snapshot of encoding plain, for carom_view_feed, with the bodies
// where they are predicted rather than drawn; see carom_replica_snapshot. `options` NULL: rows
// alone; its events are left out, since those of predictions have a fate.
CAROM_API carom_status carom_prediction_snapshot(carom_prediction *prediction,
                                                 const carom_replica_snapshot_options *options,
                                                 const void **encoded, size_t *size,
                                                 carom_error *error);

// Asks the predicted world what a replica can be asked; see carom_replica_call.
CAROM_API carom_status carom_prediction_call(carom_prediction *prediction, const char *method,
                                             const carom_value *args, carom_value **result,
                                             carom_error *error);

// The body, shape or joint that command `index` of tick `at` made; 0: nothing, or it is not known
// (any more). While *confirmed (may be NULL) is false the id can still change: it becomes another
// one when somebody else makes something first, so commands that name it may mean another body.
CAROM_API uint64_t carom_prediction_made(const carom_prediction *prediction, uint64_t at,
                                         size_t index, bool *confirmed);

// A body that matters to the player although no command names it: what is near it is predicted
// first when time is short.
CAROM_API void carom_prediction_own(carom_prediction *prediction, uint64_t body);
// Whether a body is drawn where it is predicted (true, the default) or where it was last confirmed.
// Errors: CAROM_LIMIT_EXCEEDED over 256 bodies that are not.
CAROM_API carom_status carom_prediction_predict(carom_prediction *prediction, uint64_t body,
                                                bool predicted, carom_error *error);

// ---- figures, for an overlay

typedef struct carom_prediction_figures {
    double right;        // share of the last 8 s' confirmed ticks that were predicted to the bit
    double rollbacks;    // a second, of the last 8 s
    double depth;        // ticks that one of those predicted again, on average
    double error;        // the own bodies' largest correction of the last 8 s [m]
    double error_others; // the same of other bodies
    double lead;         // ticks from the last confirmed to the predicted one
    double slack;        // of those, beyond the round trip
    double rtt;          // [s]
    double margin;       // the last one told [s]; NAN: none yet
    double rate;         // of the predicted world's clock; 1: as fast as the server
    unsigned delay;      // input delay [ticks]
    unsigned waiting;    // batches that the log has not shown yet
    uint64_t ticks, ticks_right, rollback_count; // in all
    uint64_t sent, confirmed;                    // batches in all: sent, seen in the log,
    uint64_t late;                               // of these in a later tick than they named,
    uint64_t lost, refused;                      // never seen, and answered with an error
    uint64_t failed;          // attempts of a batch that the predicted world refused
    uint64_t approximate;     // frames in which time was short
    uint64_t check_failures;  // ticks that came out otherwise when they were predicted again,
    uint64_t check_failed_at; // the first of them
    uint64_t events_lost;     // more than 4 096 waited
    double step_ms, copy_ms;  // of late: a step of the predicted world, and its copy
} carom_prediction_figures;

CAROM_API carom_prediction_figures carom_prediction_figures_now(const carom_prediction *prediction);

CAROM_END_DECLS

#endif
