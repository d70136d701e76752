// Snapshot notifications, decoded in one walk over their bytes. One thread at a time for a decoder.
#include "client/lib/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "client/lib/describe.h"
#include "client/lib/snapshot_read.h"
#include "client/lib/value_wire.h"
#include "proto/wire/check.h"

static void forget_spawned(snapshot_decoder *d)
{
    for (uint32_t i = 0; i < d->spawned.count; i++) {
        free(d->spawned.data[i]);
    }
    vector_clear(&d->spawned);
}

void snapshot_decoder_deinit(snapshot_decoder *d)
{
    forget_spawned(d);
    vector_free(&d->spawned);
    vector_free(&d->joints);
    vector_free(&d->joints_removed);
    vector_free(&d->world_data);
    vector_free(&d->bodies);
    vector_free(&d->removed);
    vector_free(&d->enter);
    vector_free(&d->leave);
    vector_free(&d->events);
    vector_free(&d->names);
    vector_free(&d->messages);
    vector_free(&d->contacts);
    packed_streams_deinit(&d->packed);
    log_streams_deinit(&d->logs);
}

void snapshot_decoder_forget(snapshot_decoder *d, uint64_t subscription)
{
    packed_streams_forget(&d->packed, subscription);
    log_streams_forget(&d->logs, subscription);
}

static carom_body read_row(reader *r)
{
    enum { ROW_SIZE = 7 };
    carom_body body = {0};
    if (reader_array(r) != ROW_SIZE) {
        r->failed = true;
        return body;
    }
    body.id = snapshot_read_id(r);
    body.x = reader_number(r);
    body.y = reader_number(r);
    body.angle = reader_number(r);
    body.vx = reader_number(r);
    body.vy = reader_number(r);
    body.w = reader_number(r);
    return body;
}

// ---- descriptions

// A map as a value; NULL if it is no map, and the reader has failed.
static carom_value *read_map(reader *r)
{
    carom_value *map = value_unpack(r);
    if (map != NULL && carom_value_type(map) != CAROM_MAP) {
        r->failed = true;
    }
    return map;
}

static void note_outcome(reader *r, carom_status outcome)
{
    r->failed = r->failed || outcome != CAROM_OK;
    r->starved = r->starved || outcome == CAROM_OUT_OF_MEMORY;
}

static void read_spawned(snapshot_decoder *d, reader *r)
{
    carom_value *map = read_map(r);
    carom_body_info *info = NULL;
    if (!r->failed) {
        note_outcome(r, describe_body(map, &info, NULL));
    }
    if (!r->failed) {
        snapshot_keep(r, vector_push(&d->spawned, info));
    }
    if (r->failed) {
        free(info);
    }
    carom_value_free(map);
}

static void read_joint(snapshot_decoder *d, reader *r)
{
    carom_value *map = read_map(r);
    carom_joint_info info;
    if (!r->failed) {
        note_outcome(r, describe_joint(map, &info, NULL));
    }
    if (!r->failed) {
        snapshot_keep(r, vector_push(&d->joints, info));
    }
    carom_value_free(map);
}

static void read_area(reader *r, carom_snapshot *out)
{
    if (reader_array(r) != 4) {
        r->failed = true;
    }
    for (int i = 0; i < 4; i++) {
        out->view[i] = reader_number(r);
    }
    out->has_view = true;
}

// ---- the whole

// The keys of a snapshot, each with its bit, so that duplicate and missing keys are found.
enum snapshot_key {
    KEY_SUBSCRIPTION,
    KEY_WORLD,
    KEY_EPOCH,
    KEY_TICK,
    KEY_TIME,
    KEY_FULL,
    KEY_BODIES,
    KEY_REMOVED,
    KEY_ENTER,
    KEY_LEAVE,
    KEY_EVENTS,
    KEY_HASH,
    KEY_LAST,
    KEY_SKIPPED,
    KEY_CONTACTS,
    KEY_DATA,
    KEY_SPAWNED,
    KEY_JOINTS,
    KEY_JOINTS_REMOVED,
    KEY_DESCRIBING,
    KEY_VIEW,
    KEY_FROM,
    KEY_UNFOLLOWED,
    KEY_LEFT_OUT,
    KEY_OLDEST,
    KEY_EVENTS_LOST,
    KEY_MARGIN,
    KEY_WORLD_DATA, // key of packed snapshots; plain ones have it in `data`
    KEY_COUNT
};

static const char *const KEYS[KEY_COUNT] = {
    "subscription",   "world",       "epoch",    "tick",       "time",       "full",
    "bodies",         "removed",     "enter",    "leave",      "events",     "hash",
    "last",           "skipped",     "contacts", "data",       "spawned",    "joints",
    "joints_removed", "describing",  "view",     "from",       "unfollowed", "left_out",
    "oldest",         "events_lost", "margin",   "world_data",
};

static const unsigned KEYS_REQUIRED =
    1U << KEY_SUBSCRIPTION | 1U << KEY_WORLD | 1U << KEY_TICK | 1U << KEY_FULL;
static const unsigned PACKED_KEYS_REQUIRED = 1U << KEY_SUBSCRIPTION | 1U << KEY_DATA;
static const unsigned LOG_KEYS_REQUIRED = 1U << KEY_SUBSCRIPTION | 1U << KEY_TICK | 1U << KEY_FROM;

static void read_hash(reader *r, carom_snapshot *out)
{
    reader_item item;
    reader_next(r, &item);
    bool text = item.kind == TAG_BIN || item.kind == TAG_STR;
    if (!text || item.count != sizeof out->hash) {
        r->failed = true;
        return;
    }
    memcpy(out->hash, item.bytes, sizeof out->hash);
    out->has_hash = true;
}

// Keys with values, nil for one that was removed.
static void read_world_data(snapshot_decoder *d, reader *r, carom_snapshot *out)
{
    const uint32_t count = reader_map(r);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        enum { NIL = 0xc0 };
        carom_datum datum = {0};
        r->failed =
            !snapshot_copy_text(reader_get_text(r), datum.key, sizeof datum.key) || r->failed;
        const uint8_t *value = r->at;
        reader_skip(r);
        if (!r->failed && *value != NIL) {
            datum.encoded = value;
            datum.encoded_size = (size_t)(r->at - value);
        }
        snapshot_keep(r, vector_push(&d->world_data, datum));
    }
    out->has_data = true;
}

static void read_data(snapshot_decoder *d, reader *r, carom_snapshot *out)
{
    reader_item item;
    const reader start = *r;
    reader_next(r, &item);
    if (item.kind == TAG_MAP) {
        *r = start;
        read_world_data(d, r, out);
        return;
    }
    if (item.kind != TAG_BIN && item.kind != TAG_STR) {
        r->failed = true;
        return;
    }
    d->data = item.bytes;
    d->data_size = item.count;
    out->packed = true;
}

// Reads lists of ids; a macro, because each array has a type of its own.
#define READ_IDS(r, array)                                                                         \
    do {                                                                                           \
        uint32_t count_ = reader_array(r);                                                         \
        for (uint32_t i_ = 0; i_ < count_ && !(r)->failed; i_++) {                                 \
            snapshot_keep(r, vector_push((array), snapshot_read_id(r)));                           \
        }                                                                                          \
    } while (0)

static void read_lists(snapshot_decoder *d, reader *r, enum snapshot_key key)
{
    uint32_t count;
    switch (key) {
    case KEY_BODIES:
        count = reader_array(r);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            snapshot_keep(r, vector_push(&d->bodies, read_row(r)));
        }
        break;
    case KEY_REMOVED:
        READ_IDS(r, &d->removed);
        break;
    case KEY_ENTER:
        READ_IDS(r, &d->enter);
        break;
    case KEY_LEAVE:
        READ_IDS(r, &d->leave);
        break;
    case KEY_EVENTS:
        count = reader_array(r);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            snapshot_read_event(d, r);
        }
        break;
    case KEY_CONTACTS:
        count = reader_array(r);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            snapshot_keep(r, vector_push(&d->contacts, snapshot_read_contact(r)));
        }
        break;
    case KEY_SPAWNED:
        count = reader_array(r);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            read_spawned(d, r);
        }
        break;
    case KEY_JOINTS:
        count = reader_array(r);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            read_joint(d, r);
        }
        break;
    case KEY_JOINTS_REMOVED:
        READ_IDS(r, &d->joints_removed);
        break;
    default:
        reader_skip(r);
        break;
    }
}

static void read_field(snapshot_decoder *d, reader *r, enum snapshot_key key, carom_snapshot *out)
{
    switch (key) {
    case KEY_SUBSCRIPTION:
        out->subscription = snapshot_read_id(r);
        break;
    case KEY_WORLD:
        if (!snapshot_copy_text(reader_get_text(r), d->world, sizeof d->world)) {
            r->failed = true;
        }
        break;
    case KEY_EPOCH:
        out->epoch = reader_unsigned(r);
        break;
    case KEY_TICK:
        out->tick = reader_unsigned(r);
        break;
    case KEY_TIME:
        out->time = reader_number(r);
        break;
    case KEY_FULL:
        out->full = reader_bool(r);
        break;
    case KEY_LAST:
        out->last = reader_unsigned(r);
        break;
    case KEY_SKIPPED:
        out->skipped = reader_unsigned(r);
        break;
    case KEY_HASH:
        read_hash(r, out);
        break;
    case KEY_DESCRIBING:
        out->describing = reader_bool(r);
        break;
    case KEY_UNFOLLOWED:
        out->unfollowed = snapshot_read_id(r);
        break;
    case KEY_LEFT_OUT:
        out->left_out = reader_unsigned(r);
        break;
    case KEY_EVENTS_LOST:
        out->events_lost = reader_unsigned(r);
        break;
    case KEY_MARGIN:
        out->has_margin = true;
        out->margin = reader_number(r);
        break;
    case KEY_OLDEST:
        out->oldest = reader_unsigned(r);
        break;
    case KEY_VIEW:
        read_area(r, out);
        break;
    case KEY_FROM:
        out->log = true;
        out->from = reader_unsigned(r);
        break;
    case KEY_DATA:
        read_data(d, r, out);
        break;
    case KEY_WORLD_DATA:
        read_world_data(d, r, out);
        break;
    default:
        read_lists(d, r, key);
        break;
    }
}

static carom_status read_fields(snapshot_decoder *d, reader *r, carom_snapshot *out,
                                carom_error *err)
{
    unsigned seen = 0;
    uint32_t pairs = reader_map(r);
    for (uint32_t i = 0; i < pairs && !r->failed; i++) {
        reader_text name = reader_get_text(r);
        unsigned key = 0;
        while (key < KEY_COUNT && !reader_text_is(name, KEYS[key])) {
            key++;
        }
        if (key == KEY_COUNT) {
            reader_skip(r);
            continue;
        }
        read_field(d, r, (enum snapshot_key)key, out);
        if (r->starved) {
            return fault_memory(err);
        }
        if (r->failed || (seen & 1U << key) != 0) {
            return fault_set(err, CAROM_INTERNAL, "a malformed snapshot: '%s' is wrong or doubled",
                             KEYS[key]);
        }
        seen |= 1U << key;
    }
    unsigned required = out->log                    ? LOG_KEYS_REQUIRED
                        : out->packed && !out->full ? PACKED_KEYS_REQUIRED
                                                    : KEYS_REQUIRED;
    if (r->failed || (seen & required) != required) {
        return fault_set(err, CAROM_INTERNAL,
                         "a malformed snapshot: no map with all that belongs "
                         "into it");
    }
    out->has_contacts = (seen & 1U << KEY_CONTACTS) != 0;
    return CAROM_OK;
}

static bool keep_bodies(snapshot_decoder *d, const packed_changes *c)
{
    if (!vector_reserve(&d->bodies, c->body_count)) {
        return false;
    }
    for (uint32_t i = 0; i < c->body_count; i++) {
        const packed_body *b = &c->bodies[i];
        d->bodies.data[i] = (carom_body){.id = b->id,
                                         .x = b->x,
                                         .y = b->y,
                                         .angle = b->angle,
                                         .vx = b->vx,
                                         .vy = b->vy,
                                         .w = b->spin};
    }
    d->bodies.count = c->body_count;
    return true;
}

#define KEEP_IDS(array, ids, n)                                                                    \
    (vector_reserve((array), (n)) &&                                                               \
     ((n) == 0 || memcpy((array)->data, (ids), (n) * sizeof *(array)->data) != NULL) &&            \
     ((void)((array)->count = (n)), true))

// Replaces the lists of a plain snapshot by the changes in `data`.
static carom_status unpack(snapshot_decoder *d, carom_snapshot *out, carom_error *err)
{
    packed_changes c;
    const carom_status outcome = packed_streams_decode(
        &d->packed, out->subscription, d->data, d->data_size, &out->world, &out->epoch, &c, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (c.full != out->full) {
        return fault_set(err, CAROM_INTERNAL, "a malformed snapshot: 'full' contradicts 'data'");
    }
    out->tick = c.tick;
    out->time = (double)c.tick / c.hz;
    const bool kept = keep_bodies(d, &c) && KEEP_IDS(&d->removed, c.removed, c.removed_count) &&
                      KEEP_IDS(&d->enter, c.entered, c.entered_count) &&
                      KEEP_IDS(&d->leave, c.left, c.left_count);
    return kept ? CAROM_OK : fault_memory(err);
}

carom_status snapshot_decode(snapshot_decoder *d, const void *bytes, size_t size,
                             carom_snapshot *out, carom_error *err)
{
    vector_clear(&d->bodies);
    vector_clear(&d->removed);
    vector_clear(&d->enter);
    vector_clear(&d->leave);
    vector_clear(&d->events);
    vector_clear(&d->names);
    vector_clear(&d->messages);
    vector_clear(&d->contacts);
    vector_clear(&d->joints);
    vector_clear(&d->joints_removed);
    vector_clear(&d->world_data);
    forget_spawned(d);
    d->world[0] = '\0';
    carom_snapshot decoded = {.world = d->world, .encoded = bytes, .encoded_size = size};
    reader r = reader_open(bytes, size);
    carom_status outcome = read_fields(d, &r, &decoded, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    out->subscription = decoded.subscription;
    if (decoded.packed) {
        outcome = unpack(d, &decoded, err);
    } else if (decoded.log) {
        outcome = log_streams_note(&d->logs, &decoded, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    decoded.oldest = decoded.left_out > 0 ? decoded.oldest : decoded.tick;
    snapshot_name_events(d);
    decoded.bodies = d->bodies.data;
    decoded.body_count = d->bodies.count;
    decoded.removed = d->removed.data;
    decoded.removed_count = d->removed.count;
    decoded.enter = d->enter.data;
    decoded.enter_count = d->enter.count;
    decoded.leave = d->leave.data;
    decoded.leave_count = d->leave.count;
    decoded.events = d->events.data;
    decoded.event_count = d->events.count;
    decoded.contacts = d->contacts.data;
    decoded.contact_count = d->contacts.count;
    decoded.spawned = (const carom_body_info *const *)d->spawned.data;
    decoded.spawned_count = d->spawned.count;
    decoded.joints = d->joints.data;
    decoded.joint_count = d->joints.count;
    decoded.joints_removed = d->joints_removed.data;
    decoded.joints_removed_count = d->joints_removed.count;
    decoded.data = d->world_data.data;
    decoded.data_count = d->world_data.count;
    *out = decoded;
    return CAROM_OK;
}

carom_status snapshot_decode_compact(snapshot_decoder *d, const void *bytes, size_t size,
                                     carom_snapshot *out, carom_error *err)
{
    reader r = reader_open(bytes, size);
    const uint32_t pairs = reader_map(&r);
    reader_item item = {.kind = TAG_NIL};
    bool has_margin = false;
    double margin = 0.0;
    for (uint32_t i = 0; i < pairs && !r.failed; i++) {
        const reader_text key = reader_get_text(&r);
        if (reader_text_is(key, "data")) {
            reader_next(&r, &item);
        } else if (reader_text_is(key, "margin")) {
            has_margin = true;
            margin = reader_number(&r);
        } else {
            reader_skip(&r); // a key of a later version
        }
    }
    if (r.failed || (item.kind != TAG_BIN && item.kind != TAG_STR)) {
        return fault_set(err, CAROM_INTERNAL, "a malformed log: no map with its data");
    }
    const buffer *told = NULL;
    carom_status outcome = log_streams_spell_out(&d->logs, item.bytes, item.count, &told, err);
    if (outcome == CAROM_OK) {
        outcome = snapshot_decode(d, told->data, told->size, out, err);
    }
    if (outcome == CAROM_OK) {
        out->has_margin = has_margin;
        out->margin = margin;
    }
    return outcome;
}

carom_value *carom_snapshot_value(const carom_snapshot *snapshot)
{
    if (snapshot == NULL || snapshot->encoded == NULL ||
        message_check(snapshot->encoded, snapshot->encoded_size, NULL) != STATUS_OK) {
        return NULL;
    }
    reader r = reader_open(snapshot->encoded, snapshot->encoded_size);
    return value_unpack(&r);
}
