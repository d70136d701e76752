// Events in one array, their bytes in another, both trimmed at the front; see event_log.h. The
// world's thread.
#include "server/world/snapshots/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"

void event_log_init(event_log *log)
{
    *log = (event_log){0};
    buffer_init(&log->bytes, SIZE_MAX / 2); // the number of events is its bound
}

static void forget_recipients(event_log *log, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)log->entries.data[i].to.subject);
    }
}

void event_log_deinit(event_log *log)
{
    forget_recipients(log, log->entries.count);
    array_free(&log->addressed);
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

void event_log_note_message(event_log *log, uint64_t tick, uint64_t session,
                            const message_args *message)
{
    const size_t before = log->bytes.size;
    encode_message_event(&log->bytes, tick, session, message);
    ASSERT(!log->bytes.overflow);
    event_entry entry = {
        .kind = EVENT_MESSAGE,
        .tick = tick,
        .offset = log->offset + before,
        .size = (uint32_t)(log->bytes.size - before),
        .to = message->recipient,
    };
    if (entry.to.kind == MESSAGE_TO_SUBJECT) {
        entry.to.subject = strdup(message->recipient.subject);
        ASSERT_MEMORY(entry.to.subject != NULL);
    }
    if (entry.to.kind != MESSAGE_TO_ALL) {
        array_push(&log->addressed, event_log_end(log));
    }
    array_push(&log->entries, entry);
}

void event_log_note_seat(event_log *log, uint64_t tick, const command *c)
{
    const size_t before = log->bytes.size;
    const bool joins = c->method == METHOD_WORLD_JOIN;
    ASSERT(joins || c->method == METHOD_WORLD_LEAVE);
    if (joins) {
        encode_join_event(&log->bytes, tick, &c->join);
    } else {
        encode_leave_event(&log->bytes, tick, &c->leave);
    }
    ASSERT(!log->bytes.overflow);
    const event_entry entry = {
        .kind = joins ? EVENT_JOIN : EVENT_LEAVE,
        .tick = tick,
        .offset = log->offset + before,
        .size = (uint32_t)(log->bytes.size - before),
        .to.kind = MESSAGE_TO_ALL,
    };
    array_push(&log->entries, entry);
}

// Where the event's bytes begin, or where the last one's end, in `bytes`.
static size_t place_of(const event_log *log, uint64_t number)
{
    ASSERT(number >= log->first && number <= event_log_end(log));
    return number == event_log_end(log)
               ? log->bytes.size
               : log->entries.data[number - log->first].offset - log->offset;
}

size_t event_log_bytes_from(const event_log *log, uint64_t number)
{
    return log->bytes.size - place_of(log, number);
}

uint64_t event_log_first_within(const event_log *log, size_t bytes)
{
    uint64_t low = log->first;
    uint64_t high = event_log_end(log);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (event_log_bytes_from(log, middle) > bytes) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t event_log_addressed_from(const event_log *log, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = log->addressed.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (log->addressed.data[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
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

static void forget_addressed(event_log *log, uint64_t number)
{
    array_remove_first(&log->addressed, event_log_addressed_from(log, number));
}

void event_log_trim(event_log *log, uint64_t number)
{
    ASSERT(number <= event_log_end(log));
    if (number <= log->first) {
        return;
    }
    if (number >= event_log_end(log)) {
        forget_recipients(log, log->entries.count);
        array_clear(&log->addressed);
        log->offset += log->bytes.size;
        log->first = event_log_end(log);
        array_clear(&log->entries);
        buffer_clear(&log->bytes);
        return;
    }
    uint32_t drop = (uint32_t)(number - log->first);
    size_t bytes = log->entries.data[drop].offset - log->offset;
    if (drop < log->entries.count / 2 && bytes < log->bytes.size / 2) {
        return; // moving the rest would cost more than the memory freed is worth
    }
    forget_recipients(log, drop);
    forget_addressed(log, number);
    array_remove_first(&log->entries, drop);
    memmove(log->bytes.data, log->bytes.data + bytes, log->bytes.size - bytes);
    buffer_truncate(&log->bytes, log->bytes.size - bytes);
    log->first += drop;
    log->offset += bytes;
}
