// A world's events, kept until the last subscriber that wants them has been sent them.
//
// Events are numbered without gaps; a subscriber remembers the number it has to be sent next. Each
// is encoded once, when it is added. The log is bounded only when it is trimmed: all events of a
// single tick, however many, reach the readers that keep up.
//
// Messages of clients are events, too, and may be for some readers only: their entries have an
// `addressed` number, by which these entries are found without going through the others.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_EVENT_LOG_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_EVENT_LOG_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "common/world/event_kinds.h"
#include "proto/wire/buffer.h"

typedef struct event_entry {
    uint32_t kind; // event_kinds.h
    uint64_t tick;
    body_id a, b;
    shape_id shape_a, shape_b;
    bool has_point; // the kind has a place
    vec2d point;
    size_t offset; // where its bytes begin, counted from the log's very first byte
    uint32_t size;
    message_recipient to; // for a message or a seat; its `subject` is owned
} event_entry;

typedef struct event_log {
    uint64_t first; // number of entries.data[0]
    size_t offset;  // offset of bytes.data[0]
    ARRAY(event_entry) entries;
    ARRAY(uint64_t) addressed; // numbers of the messages that are not for all, ascending
    buffer bytes;
} event_log;

void event_log_init(event_log *log);
void event_log_deinit(event_log *log);

// The number that the next event will have.
uint64_t event_log_end(const event_log *log);

void event_log_note(event_log *log, const physics_event *event);

// A message of the session: an event without bodies, for the readers that it names.
void event_log_note_message(event_log *log, uint64_t tick, uint64_t session,
                            const message_args *message);

// A join or leave: an event without bodies, for all readers.
void event_log_note_seat(event_log *log, uint64_t tick, const command *c);

// Whether the kind is one that commands make, which has no place.
static inline bool event_is_of_command(uint32_t kind)
{
    return kind >= EVENT_KIND_COUNT;
}

// Bytes of the events from this number on.
size_t event_log_bytes_from(const event_log *log, uint64_t number);
// The number of the first event so that those from it on have at most `bytes`.
uint64_t event_log_first_within(const event_log *log, size_t bytes);

// The place in `addressed` of the first that is not below `number`.
uint32_t event_log_addressed_from(const event_log *log, uint64_t number);

// The event of this number, which must be in the log, and its bytes.
const event_entry *event_log_get(const event_log *log, uint64_t number, const uint8_t **bytes);

// Forgets the events below this number.
void event_log_trim(event_log *log, uint64_t number);

#endif
