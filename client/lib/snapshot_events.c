// Events of a snapshot; see snapshot_read.h.
#include "client/lib/snapshot_read.h"

#include "client/lib/value_wire.h"
#include "proto/event_list.h"

// ---- kinds of events

static const char *const KIND_NAMES[] = {
#define NAME(id, word) [CAROM_EVENT_##id] = (word),
    EVENT_WORDS(NAME)
#undef NAME
};
_Static_assert(sizeof KIND_NAMES / sizeof *KIND_NAMES == CAROM_EVENT_OTHER, "each has its name");

const char *carom_event_kind_name(carom_event_kind kind)
{
    return (unsigned)kind < CAROM_EVENT_OTHER ? KIND_NAMES[kind] : NULL;
}

carom_value *carom_event_data(const carom_event *event)
{
    if (event == NULL || event->data == NULL) {
        return NULL;
    }
    reader r = reader_open(event->data, event->data_size);
    return value_unpack(&r);
}

static carom_event_kind kind_of(reader_text name)
{
    unsigned kind = 0;
    while (kind < CAROM_EVENT_OTHER && !reader_text_is(name, KIND_NAMES[kind])) {
        kind++;
    }
    return (carom_event_kind)kind;
}

// ---- reading

// The kind's name goes into `names` if it is unknown; its pointer is set at the end, when the array
// has stopped growing.
static void read_kind(snapshot_decoder *d, reader *r, carom_event *event)
{
    reader_text name = reader_get_text(r);
    event->kind = kind_of(name);
    event->name = carom_event_kind_name(event->kind);
    if (event->kind == CAROM_EVENT_OTHER) {
        event_name copy;
        if (!snapshot_copy_text(name, copy.text, sizeof copy.text)) {
            r->failed = true;
            return;
        }
        snapshot_keep(r, vector_push(&d->names, copy));
    }
}

static void read_message_text(reader *r, char *out)
{
    r->failed = !snapshot_copy_text(reader_get_text(r), out, MESSAGE_TEXT_MAX) || r->failed;
}

static bool is_of_seat(const carom_event *event)
{
    return event->kind == CAROM_EVENT_JOIN || event->kind == CAROM_EVENT_LEAVE;
}

// Whether a command of a client made it, so that it has texts and data.
static bool is_of_command(const carom_event *event)
{
    return event->kind == CAROM_EVENT_MESSAGE || is_of_seat(event);
}

// A key of messages and seats; false: it is none.
static bool read_message_field(reader *r, reader_text key, carom_event *event, message_texts *texts)
{
    if (reader_text_is(key, "name")) {
        read_message_text(r, texts->name);
    } else if (reader_text_is(key, "subject")) {
        read_message_text(r, texts->subject);
    } else if (reader_text_is(key, "session")) {
        event->session = reader_unsigned(r);
    } else if (reader_text_is(key, "seat")) {
        event->seat = reader_unsigned(r);
    } else if (reader_text_is(key, "data")) {
        event->data = r->at;
        reader_skip(r);
        event->data_size = (size_t)(r->at - (const uint8_t *)event->data);
    } else {
        return false;
    }
    return true;
}

static void read_event_field(snapshot_decoder *d, reader *r, reader_text key, carom_event *event)
{
    if (reader_text_is(key, "kind")) {
        if (event->name != NULL || event->kind == CAROM_EVENT_OTHER) {
            r->failed = true; // a second time
            return;
        }
        read_kind(d, r, event);
    } else if (reader_text_is(key, "tick")) {
        event->tick = reader_unsigned(r);
    } else if (reader_text_is(key, "a")) {
        event->a = reader_unsigned(r);
    } else if (reader_text_is(key, "b")) {
        event->b = reader_unsigned(r);
    } else if (reader_text_is(key, "shape_a")) {
        event->shape_a = reader_unsigned(r);
    } else if (reader_text_is(key, "shape_b")) {
        event->shape_b = reader_unsigned(r);
    } else if (reader_text_is(key, "joint")) {
        event->joint = reader_unsigned(r);
    } else if (reader_text_is(key, "point")) {
        event->point = snapshot_read_vec(r);
    } else if (reader_text_is(key, "normal")) {
        event->normal = snapshot_read_vec(r);
    } else if (reader_text_is(key, "depth")) {
        event->depth = reader_number(r);
    } else if (reader_text_is(key, "speed")) {
        event->speed = reader_number(r);
    } else if (reader_text_is(key, "impulse")) {
        event->impulse = reader_number(r);
    } else {
        reader_skip(r);
    }
}

void snapshot_read_event(snapshot_decoder *d, reader *r)
{
    carom_event event = {0};
    message_texts texts = {.event = d->events.count};
    uint32_t pairs = reader_map(r);
    for (uint32_t i = 0; i < pairs && !r->failed; i++) {
        const reader_text key = reader_get_text(r);
        // a kind of a later server may have such keys with other values
        if (!is_of_command(&event) || !read_message_field(r, key, &event, &texts)) {
            read_event_field(d, r, key, &event);
        }
    }
    if (event.name == NULL && event.kind != CAROM_EVENT_OTHER) {
        r->failed = true; // an unknown kind
    }
    if (is_of_command(&event)) {
        r->failed = r->failed || (is_of_seat(&event) ? event.seat == 0 : texts.name[0] == '\0');
        snapshot_keep(r, vector_push(&d->messages, texts));
    }
    snapshot_keep(r, vector_push(&d->events, event));
}

void snapshot_name_events(snapshot_decoder *d)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < d->messages.count; i++) {
        carom_event *event = &d->events.data[d->messages.data[i].event];
        event->message = is_of_seat(event) ? NULL : d->messages.data[i].name;
        event->subject = d->messages.data[i].subject;
    }
    for (uint32_t i = 0; i < d->events.count; i++) {
        if (d->events.data[i].kind == CAROM_EVENT_OTHER) {
            d->events.data[i].name = d->names.data[next++].text;
        }
    }
}
