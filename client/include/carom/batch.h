// Batches: many commands in one tick, all of them or none (world.apply).
//
//   carom_batch *batch = carom_batch_create();
//   size_t wheel = carom_batch_spawn(batch, &wheel_options);
//   carom_joint_settings axle = carom_joint_settings_default(CAROM_REVOLUTE, car,
//   CAROM_RESULT(wheel)); carom_batch_joint(batch, &axle); carom_batch_apply(batch, client, "race",
//   NULL, 5000, &tick, &error); uint64_t wheel_id = carom_batch_id(batch, wheel);
//   carom_batch_free(batch);
//
// A batch keeps the first error of building it, and carom_batch_apply returns that error: no check
// is needed in between. One thread at a time.
#ifndef CAROM_BATCH_H
#define CAROM_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <carom/body.h>
#include <carom/client.h>
#include <carom/describe.h>
#include <carom/export.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

#define CAROM_BATCH_COMMANDS_MAX 1000u // most commands in one batch, by the protocol

// Stands for the id of the body, shape or joint that command `index` of the same batch makes.
#define CAROM_RESULT(index) ((uint64_t)(index) | (uint64_t)1 << 63)

typedef struct carom_batch carom_batch;

CAROM_API carom_batch *carom_batch_create(void);     // NULL: memory has run out
CAROM_API void carom_batch_free(carom_batch *batch); // NULL is allowed

// Appends a command: a method that is allowed in batches, and its arguments without the world. The
// batch takes the arguments over, also on failure. Returns its index, for CAROM_RESULT and
// carom_batch_result.
CAROM_API size_t carom_batch_add(carom_batch *batch, const char *method, carom_value *args);

CAROM_API size_t carom_batch_spawn(carom_batch *batch, const carom_body_options *options);
CAROM_API size_t carom_batch_remove(carom_batch *batch, uint64_t body);
CAROM_API size_t carom_batch_impulse(carom_batch *batch, uint64_t body, carom_vec2 impulse);
CAROM_API size_t carom_batch_joint(carom_batch *batch, const carom_joint_settings *settings);
CAROM_API size_t carom_batch_shape_set(carom_batch *batch, uint64_t shape,
                                       const carom_shape_change *change);

CAROM_API size_t carom_batch_count(const carom_batch *batch);

// Forgets commands, results and error, for the next batch.
CAROM_API void carom_batch_clear(carom_batch *batch);

// Applies the batch to a world and waits; with CAROM_NO_REPLY the batch is only sent: it has no
// results, and errors are not reported. `at` (NULL: the next tick) is the tick whose state shows it
// first. On success the batch keeps its results until it is cleared or applied again. Errors: the
// first error of building the batch, for example CAROM_LIMIT_EXCEEDED for more than
// CAROM_BATCH_COMMANDS_MAX commands; those of carom_call: nothing was applied then, unless the
// answer was lost (CAROM_UNAVAILABLE and not error->from_server).
CAROM_API carom_status carom_batch_apply(carom_batch *batch, carom_client *client,
                                         const char *world, const uint64_t *at, int timeout_ms,
                                         uint64_t *tick, carom_error *error);

// The treatment of a batch whose tick is over when it reaches the server.
typedef enum carom_late {
    CAROM_LATE_REFUSE, // it fails with CAROM_INVALID_ARGUMENT
    CAROM_LATE_NEXT,   // it is applied with the next tick
    CAROM_LATE_DROP    // it is not applied
} carom_late;

// When a batch reached the server, compared with its tick.
typedef struct carom_batch_timing {
    uint64_t tick; // the tick whose state shows it first; 0: dropped
    bool dropped;
    uint64_t late; // ticks by which it was late; 0: in time
    double margin; // time from its arrival to the start of its tick [s]; negative when late
} carom_batch_timing;

// Like carom_batch_apply, for the tick `at`. `applied` may be NULL; with CAROM_NO_REPLY it is all
// zero, and `margin` in later snapshots says whether the batch was in time. A dropped batch has no
// results, and is no error. A server from before `late` answers CAROM_INVALID_ARGUMENT.
CAROM_API carom_status carom_batch_apply_at(carom_batch *batch, carom_client *client,
                                            const char *world, uint64_t at, carom_late late,
                                            int timeout_ms, carom_batch_timing *applied,
                                            carom_error *error);

// The commands as the array that world.apply takes, for a request of one's own (carom_request) or
// to join batches: CAROM_RESULT(i) names command i + `shift` of that array. The caller's to free;
// NULL on failure: the first error of building the batch, or CAROM_OUT_OF_MEMORY.
CAROM_API carom_value *carom_batch_commands(const carom_batch *batch, size_t shift,
                                            carom_error *error);

// The answer to command `index`: NULL before the batch was applied, and past the end.
CAROM_API const carom_value *carom_batch_result(const carom_batch *batch, size_t index);
// The id of the body, shape or joint that command `index` made; 0: none.
CAROM_API uint64_t carom_batch_id(const carom_batch *batch, size_t index);

CAROM_END_DECLS

#endif
