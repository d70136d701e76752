// A world's events, kept until the last subscriber that wants them has been sent them.
//
// Events are numbered without gaps; a subscriber remembers the number it has to be sent next. Each
// is encoded once, when it is added. The log is bounded only when it is trimmed: all events of a
// single tick, however many, reach the readers that keep up.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_EVENT_LOG_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_EVENT_LOG_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "proto/wire/buffer.h"

typedef struct event_entry {
    event_kind kind;
    uint64_t tick;
    body_id a, b;
    shape_id shape_a, shape_b;
    bool has_point; // the kind has a place
    vec2d point;
    size_t offset; // where its bytes begin, counted from the log's very first byte
    uint32_t size;
} event_entry;

typedef struct event_log {
    uint64_t first; // number of entries.data[0]
    size_t offset;  // offset of bytes.data[0]
    ARRAY(event_entry) entries;
    buffer bytes;
} event_log;

void event_log_init(event_log *log);
void event_log_deinit(event_log *log);

// The number that the next event will have.
uint64_t event_log_end(const event_log *log);

void event_log_note(event_log *log, const physics_event *event);

// The event of this number, which must be in the log, and its bytes.
const event_entry *event_log_get(const event_log *log, uint64_t number, const uint8_t **bytes);

// Forgets the events below this number.
void event_log_trim(event_log *log, uint64_t number);

#endif
