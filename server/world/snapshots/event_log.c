// Events in one array, their bytes in another, both trimmed at the front; see event_log.h. The
// world's thread.
#include "server/world/snapshots/event_log.h"

#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"

void event_log_init(event_log *log)
{
    *log = (event_log){0};
    buffer_init(&log->bytes, SIZE_MAX / 2); // the number of events is its bound
}

void event_log_deinit(event_log *log)
{
    array_free(&log->entries);
    buffer_deinit(&log->bytes);
}

uint64_t event_log_end(const event_log *log)
{
    return log->first + log->entries.count;
}

void event_log_note(event_log *log, const physics_event *event)
{
    size_t before = log->bytes.size;
    encode_event(&log->bytes, event);
    ASSERT(!log->bytes.overflow);
    event_entry entry = {
        .kind = event->kind,
        .tick = event->tick,
        .shape_a = event->shape_a,
        .shape_b = event->shape_b,
        .a = event->a,
        .b = event->b,
        .has_point =
            event->kind == EVENT_BEGIN || event->kind == EVENT_STAY || event->kind == EVENT_HIT,
        .point = event->point,
        .offset = log->offset + before,
        .size = (uint32_t)(log->bytes.size - before),
    };
    array_push(&log->entries, entry);
}

const event_entry *event_log_get(const event_log *log, uint64_t number, const uint8_t **bytes)
{
    ASSERT(number >= log->first && number < event_log_end(log));
    const event_entry *entry = &log->entries.data[number - log->first];
    ASSERT(entry->offset >= log->offset &&
           entry->offset + entry->size <= log->offset + log->bytes.size);
    *bytes = log->bytes.data + (entry->offset - log->offset);
    return entry;
}

void event_log_trim(event_log *log, uint64_t number)
{
    ASSERT(number <= event_log_end(log));
    if (number <= log->first) {
        return;
    }
    if (number >= event_log_end(log)) {
        log->offset += log->bytes.size;
        log->first = event_log_end(log);
        array_clear(&log->entries);
        buffer_clear(&log->bytes);
        return;
    }
    uint32_t drop = (uint32_t)(number - log->first);
    if (drop < log->entries.count / 2) {
        return; // moving the rest would cost more than the memory freed is worth
    }
    size_t bytes = log->entries.data[drop].offset - log->offset;
    log->entries.count -= drop;
    memmove(log->entries.data, log->entries.data + drop,
            log->entries.count * sizeof *log->entries.data);
    memmove(log->bytes.data, log->bytes.data + bytes, log->bytes.size - bytes);
    buffer_truncate(&log->bytes, log->bytes.size - bytes);
    log->first += drop;
    log->offset += bytes;
}
