// Timed batches; see batches.h. The prediction's thread.
#include "client/prediction/batches.h"

#include <string.h>

void batches_deinit(batches *b)
{
    while (b->list.count > 0) {
        batches_remove(b, b->list.count - 1);
    }
    array_free(&b->list);
}

bool batches_add(batches *b, uint64_t at, command *c, error *err)
{
    const size_t bytes = command_held_bytes(c);
    if (b->list.count >= PREDICTION_BATCHES_MAX || b->bytes + bytes > PREDICTION_BATCH_BYTES_MAX) {
        command_free(c);
        error_set(err, STATUS_LIMIT_EXCEEDED,
                  "%u batches of %zu bytes wait for the server's log; there is room for %d and "
                  "%d bytes",
                  b->list.count, b->bytes, PREDICTION_BATCHES_MAX, PREDICTION_BATCH_BYTES_MAX);
        return false;
    }
    const timed_batch batch = {.at = at, .plan = at, .command = *c, .bytes = bytes};
    memset(c, 0, sizeof *c);
    array_push(&b->list, batch);
    b->bytes += bytes;
    return true;
}

void batches_remove(batches *b, uint32_t index)
{
    timed_batch *batch = &b->list.data[index];
    b->bytes -= batch->bytes;
    command_free(&batch->command);
    b->list.count--;
    memmove(batch, batch + 1, (b->list.count - index) * sizeof *batch);
}

uint32_t batches_find(const batches *b, uint64_t at)
{
    for (uint32_t i = 0; i < b->list.count; i++) {
        if (b->list.data[i].at == at) {
            return i;
        }
    }
    return UINT32_MAX;
}

// ---- ids of things that they make

static made_thing *find_made(batches *b, uint64_t at, uint32_t index)
{
    for (uint32_t i = 0; i < PREDICTION_MADE_MAX && i < b->made_count; i++) {
        if (b->made[i].at == at && b->made[i].index == index) {
            return &b->made[i];
        }
    }
    made_thing *made = &b->made[b->made_count++ % PREDICTION_MADE_MAX];
    *made = (made_thing){.at = at, .index = index};
    return made;
}

void batches_note_made(batches *b, uint64_t at, const command_result *result, bool confirmed)
{
    for (uint32_t i = 0; i < result->batch.count; i++) {
        const uint64_t id = command_result_made(&result->batch.results[i]);
        if (id == 0) {
            continue;
        }
        made_thing *made = find_made(b, at, i);
        made->id = id;
        made->confirmed = confirmed;
    }
}

uint64_t batches_made(const batches *b, uint64_t at, uint32_t index, bool *confirmed)
{
    for (uint32_t i = 0; i < PREDICTION_MADE_MAX && i < b->made_count; i++) {
        const made_thing *made = &b->made[i];
        if (made->at == at && made->index == index) {
            *confirmed = made->confirmed;
            return made->id;
        }
    }
    *confirmed = false;
    return 0;
}
