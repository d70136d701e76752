// Prediction for JavaScript: client/prediction's functions by number and bytes. The conventions are
// those of engine.h; `now` is seconds of a clock that never goes back, such as performance.now() /
// 1000.
//
//     carom_prediction_begin(p, now)
//     while ((tick = carom_prediction_next(p)) != 0)
//         tick > 0: the commands of that tick, for the first time: carom_prediction_give(), and
//         send
//                   the same batch as world.apply {at: tick, late: "next", commands}
//         tick < 0: tick -tick is predicted again; the batch that was given acts again
//     carom_prediction_end(p, milliseconds since begin)
//     carom_prediction_poses(p), carom_rows(): what to draw
//
// The replica's world plays its records as ever; carom_prediction_arrival() after each of them.
#ifndef CAROM_CLIENT_WEB_ENGINE_PREDICT_H
#define CAROM_CLIENT_WEB_ENGINE_PREDICT_H

#include "client/web/engine/engine.h"

typedef struct prediction engine_prediction;

// `confirmed` is the replica's world; `session` the number of the client's session. A world has at
// most one prediction: a later one replaces it.
CAROM_EXPORT engine_prediction *carom_prediction_create(engine_world *confirmed, double session);
CAROM_EXPORT void carom_prediction_free(engine_prediction *p);
// Call after each image, when the replica has a new world, before the old one is freed. The session
// may be another one, too.
CAROM_EXPORT void carom_prediction_follow(engine_prediction *p, engine_world *confirmed,
                                          double session);
// input_delay 0 to 3 [ticks]; budget_ms of a frame, 0: none; check: predict again in every frame
// and compare; events: bits 1 << event_kind; smoothing_s: half-life of a correction [s], 0: none.
CAROM_EXPORT void carom_prediction_set(engine_prediction *p, uint32_t input_delay, double budget_ms,
                                       bool check, uint32_t events, double smoothing_s);

CAROM_EXPORT void carom_prediction_arrival(engine_prediction *p, double now);
CAROM_EXPORT void carom_prediction_rtt(engine_prediction *p, double seconds);
// Reports the `margin` of a record's notification or of an answer [s].
CAROM_EXPORT void carom_prediction_margin(engine_prediction *p, double now, double seconds);
// Reports that an error answered the batch of that tick.
CAROM_EXPORT void carom_prediction_refused(engine_prediction *p, double at);

CAROM_EXPORT void carom_prediction_begin(engine_prediction *p, double now);
CAROM_EXPORT double carom_prediction_next(engine_prediction *p, double spent_ms);
// `args` is the map of world.apply, in the form in which it is sent; its `at` is ignored. After
// false it must not be sent: the arguments are wrong, or too many batches wait.
CAROM_EXPORT bool carom_prediction_give(engine_prediction *p, const uint8_t *args, size_t size);
CAROM_EXPORT void carom_prediction_end(engine_prediction *p, double took_ms);

CAROM_EXPORT double carom_prediction_tick(const engine_prediction *p);
// The id of the thing that command `index` of the batch of tick `at` made; 0: nothing, or unknown.
// Negative: minus a preliminary id, which can change until it is confirmed.
CAROM_EXPORT double carom_prediction_made(const engine_prediction *p, double at, uint32_t index);
// Names a body that counts as the client's own, though no command names it.
CAROM_EXPORT void carom_prediction_own(engine_prediction *p, double body);
// Sets whether the body is drawn where it is predicted (true) or where it was confirmed. Returns
// false when too many bodies are drawn confirmed.
CAROM_EXPORT bool carom_prediction_predict(engine_prediction *p, double body, bool predicted);
// Makes rows as carom_world_rows() does, with the places at which to draw the bodies. The last
// number is 1 for awake, plus 2 for approximate (extrapolated by velocity, because time was short).
CAROM_EXPORT uint32_t carom_prediction_poses(engine_prediction *p);
// Calls a method that reads, on the predicted world.
CAROM_EXPORT bool carom_prediction_call(engine_prediction *p, const char *method,
                                        size_t method_size, const uint8_t *args, size_t size);
// Drops and answers the events that were not reported yet: [[fate, was_predicted, event], …]; fate
// 0: predicted, 1: confirmed, 2: taken back.
CAROM_EXPORT bool carom_prediction_events(engine_prediction *p);
// Answers a map of numbers: prediction_figures.
CAROM_EXPORT bool carom_prediction_figures(const engine_prediction *p);

#endif
