// The timed batches that a prediction has sent and the log has not shown yet, in the order of
// sending, and the ids of bodies, shapes and joints that they make.
#ifndef CAROM_CLIENT_PREDICTION_BATCHES_H
#define CAROM_CLIENT_PREDICTION_BATCHES_H

#include "client/prediction/prediction.h"
#include "common/base/array.h"

typedef struct timed_batch {
    uint64_t at;   // the tick that the batch names
    uint64_t plan; // the tick in which the prediction applies it: a later one if the batch was late
    command command;
    size_t bytes;
} timed_batch;

// The id of a body, shape or joint that a command of a batch made.
typedef struct made_thing {
    uint64_t at;
    uint32_t index;
    uint64_t id;
    bool confirmed; // the server has confirmed the id
} made_thing;

typedef struct batches {
    ARRAY(timed_batch) list;
    size_t bytes;
    made_thing made[PREDICTION_MADE_MAX];
    uint32_t made_count; // ever
} batches;

void batches_deinit(batches *b);
// Takes over the batch; false: there is no room for it, and it was freed.
bool batches_add(batches *b, uint64_t at, command *c, error *err);
void batches_remove(batches *b, uint32_t index);
// The first batch that names the tick, or UINT32_MAX.
uint32_t batches_find(const batches *b, uint64_t at);
void batches_note_made(batches *b, uint64_t at, const command_result *result, bool confirmed);
uint64_t batches_made(const batches *b, uint64_t at, uint32_t index, bool *confirmed);

#endif
