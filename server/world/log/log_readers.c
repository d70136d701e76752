// Notifications of encoding log; see log_readers.h. The world's thread.
#include "server/world/log/log_readers.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/log/log_compact.h"
#include "server/base/metrics.h"
#include "server/world/state/pace.h"

// A notification encoded in this turn, kept for other readers at the same place of the log.
typedef struct encoded {
    bool fresh;
    bool compact; // the bytes for readers of the compact form, even if they have another encoding
    log_mark mark;
    reply *snapshot; // NULL: it does not fit a message
} encoded;

// in one turn; if readers are at more places of the log, some are encoded again
enum { ENCODED_MAX = 8 };

void log_readers_deinit(log_readers *r)
{
    array_free(&r->list);
}

// The list is by ascending number.
static uint32_t place_of(const log_readers *r, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = r->list.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->list.data[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Numbers may come out of order, since sessions take turns.
void log_readers_add(log_readers *r, uint64_t number, session_key session, double rate,
                     bool compact)
{
    ASSERT(number > 0 && session.number > 0 && rate >= 0.0);
    log_reader_entry added = {.number = number,
                              .session = session,
                              .rate = rate,
                              .compact = compact,
                              .fresh = true,
                              .owed = true};
    const uint32_t at = place_of(r, number);
    ASSERT(at == r->list.count || r->list.data[at].number != number);
    array_insert(&r->list, at, added);
    ASSERT(place_of(r, number) == at && r->list.data[at].number == number);
}

static void remove_at(log_readers *r, uint32_t at)
{
    ASSERT(at < r->list.count);
    array_remove(&r->list, at);
}

bool log_readers_remove(log_readers *r, uint64_t number, session_key session)
{
    for (uint32_t i = 0; i < r->list.count; i++) {
        const log_reader_entry *e = &r->list.data[i];
        if (e->number == number && e->session.number == session.number) {
            remove_at(r, i);
            return true;
        }
    }
    return false;
}

void log_readers_forget(log_readers *r, session_key session)
{
    for (uint32_t i = r->list.count; i > 0; i--) {
        if (r->list.data[i - 1].session.number == session.number) {
            remove_at(r, i - 1);
        }
    }
}

// Most come in the order of the list, so the one after the last is tried first.
void log_readers_acknowledge(log_readers *r, uint64_t number)
{
    uint32_t at = r->found + 1;
    if (at >= r->list.count || r->list.data[at].number != number) {
        at = place_of(r, number);
    }
    r->found = at;
    if (at < r->list.count && r->list.data[at].number == number) {
        r->list.data[at].busy = false;
    }
}

void log_readers_resume(log_readers *r, session_key session)
{
    for (uint32_t i = 0; i < r->list.count; i++) {
        log_reader_entry *e = &r->list.data[i];
        if (e->session.number == session.number && e->session.generation != session.generation) {
            e->session = session;
            e->fresh = e->owed = true;
            e->busy = false;
        }
    }
}

void log_readers_begin_anew(log_readers *r)
{
    for (uint32_t i = 0; i < r->list.count; i++) {
        r->list.data[i].fresh = r->list.data[i].owed = true;
    }
}

void log_readers_close_all(log_readers *r, uint64_t world, status why, const char *text,
                           reply_sink sink)
{
    ASSERT(why != STATUS_OK && sink.post != NULL);
    for (uint32_t i = 0; i < r->list.count; i++) {
        reply *closed = reply_create(REPLY_CLOSED, world);
        closed->status = why;
        closed->reply_to.session = r->list.data[i].session;
        closed->subscription = r->list.data[i].number;
        closed->text = strdup(text);
        ASSERT_MEMORY(closed->text != NULL);
        sink.post(sink.context, closed);
    }
    array_clear(&r->list);
}

uint64_t log_readers_oldest(const log_readers *r)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < r->list.count; i++) {
        const log_reader_entry *e = &r->list.data[i];
        if (!e->fresh && e->mark.offset < oldest) {
            oldest = e->mark.offset;
        }
    }
    return oldest;
}

// ---- sending

static bool is_behind(const log_reader_entry *e, const log_source *from)
{
    log_mark end = world_log_end(from->log, world_tick(from->physics));
    ASSERT(e->fresh || e->mark.offset <= end.offset);
    return e->fresh || e->mark.tick < end.tick || e->mark.offset < end.offset;
}

// Whether no record can bring the reader to the present: its rows were dropped, or it would span
// too many ticks.
static bool is_too_far_behind(const log_reader_entry *e, const log_source *from)
{
    log_record unused;
    return world_tick(from->physics) - e->mark.tick > LOG_TICKS_MAX ||
           !world_log_since(from->log, e->mark, &unused);
}

// The record that a new reader begins with. A paused world says so.
static void image_record(const log_source *from, buffer *rows, uint8_t **image, log_record *out)
{
    ASSERT(*image == NULL);
    static const uint8_t EMPTY_MAP[] = {0x80};
    static const char PAUSE[] = "world.pause";
    *out = (log_record){.from = world_tick(from->physics)};
    world_save(from->physics, image, &out->image_size);
    out->image = *image;
    if (from->paused) {
        log_command row = {.tick = out->from,
                           .method = PAUSE,
                           .method_size = sizeof PAUSE - 1,
                           .arguments = EMPTY_MAP,
                           .arguments_size = sizeof EMPTY_MAP};
        log_command_encode(rows, &row);
        out->command_count = 1;
        out->commands = rows->data;
        out->commands_size = rows->size;
    }
}

// In the compact form, the last notification of each second has the hash, and so has every one of a
// paused world.
static bool bears_hash(const log_source *from, const log_record *record)
{
    const double hz = world_definition(from->physics).hz;
    return from->paused || record->from == record->tick || log_compact_bears_hash(record, hz);
}

// False: the record has no compact form that fits a message.
static bool encode_compact(const log_source *from, const log_record *record, buffer *out)
{
    log_record told = *record;
    told.has_hash = bears_hash(from, record);
    return log_compact_encode(out, &told, from->world);
}

static encoded encode(const log_source *from, const log_reader_entry *reader, uint64_t hash,
                      uint32_t receivers)
{
    const log_mark mark = reader->mark;
    const bool fresh = reader->fresh;
    encoded e = {.fresh = fresh, .compact = reader->compact, .mark = mark};
    uint8_t *image = NULL;
    buffer rows;
    buffer out;
    log_record record;
    buffer_init(&rows, REPLY_INLINE_MAX);
    buffer_init(&out, WIRE_REPLY_BYTES_MAX - REPLY_INLINE_MAX);
    if (fresh) {
        image_record(from, &rows, &image, &record);
    } else {
        bool kept = world_log_since(from->log, mark, &record);
        ASSERT(kept);
    }
    record.tick = world_tick(from->physics);
    record.has_hash = true;
    record.hash = hash;
    const bool packed = reader->compact && !fresh && encode_compact(from, &record, &out);
    uint32_t pairs = packed ? 0 : encode_log_tail(&out, from->world, from->epoch, &record);
    if (!out.overflow) {
        size_t size = 0;
        uint8_t *data = buffer_take(&out, &size);
        e.snapshot = reply_create_snapshot(from->epoch, bytes_take(data, size), pairs, receivers);
    }
    buffer_deinit(&out);
    buffer_deinit(&rows);
    free(image);
    return e;
}

static void post_overrun(const log_source *from, const log_reader_entry *to, reply_sink sink)
{
    reply *r = reply_create(REPLY_OVERRUN, from->epoch);
    r->reply_to.session = to->session;
    r->subscription = to->number;
    r->status = STATUS_LIMIT_EXCEEDED;
    r->text = strdup("the world's image does not fit a message");
    ASSERT_MEMORY(r->text != NULL);
    sink.post(sink.context, r);
}

static void post_snapshot(const encoded *e, reply_sink sink)
{
    if (e->snapshot != NULL) {
        metrics_add(METRIC_snapshots_sent, e->snapshot->delivery_count);
        sink.post(sink.context, e->snapshot);
    }
}

static bool falls_due(const log_reader_entry *e, const log_source *from, bool all)
{
    if (all || e->owed || e->fresh) {
        return is_behind(e, from);
    }
    return pace_due(e->rate, 0, world_tick(from->physics), world_definition(from->physics).hz);
}

static bool matches(const encoded *e, const log_reader_entry *reader)
{
    if (e->fresh || reader->fresh) {
        return e->fresh && reader->fresh; // all notifications with an image have the same form
    }
    return e->compact == reader->compact && e->mark.offset == reader->mark.offset &&
           e->mark.tick == reader->mark.tick;
}

typedef struct publishing {
    const log_source *from;
    reply_sink sink;
    uint64_t hash;
    encoded made[ENCODED_MAX];
    uint32_t count;
} publishing;

// The notification for this reader among those made in this turn; ENCODED_MAX: not made yet.
static uint32_t find_made(const publishing *now, const log_reader_entry *e)
{
    uint32_t at = 0;
    while (at < now->count && !matches(&now->made[at], e)) {
        at++;
    }
    return at < now->count ? at : ENCODED_MAX;
}

static uint32_t make(publishing *now, const log_reader_entry *e, uint32_t receivers)
{
    ASSERT(receivers > 0 && now->count <= ENCODED_MAX);
    const physics_world *physics = now->from->physics;
    uint32_t at = now->count;
    now->hash = now->count == 0 ? world_hash(physics) : now->hash;
    if (now->count == ENCODED_MAX) {
        at = ENCODED_MAX - 1;
        post_snapshot(&now->made[at], now->sink);
    } else {
        now->count++;
    }
    now->made[at] = encode(now->from, e, now->hash, receivers);
    return at;
}

static void deliver(publishing *now, log_reader_entry *e, uint32_t at)
{
    ASSERT(at < now->count && !e->busy);
    reply *snapshot = now->made[at].snapshot;
    if (snapshot != NULL) {
        snapshot_delivery d = {.session = e->session, .subscription = e->number};
        d.has_margin =
            margins_take(now->from->margins, d.session.slot, d.session.number, &d.margin);
        snapshot->deliveries[snapshot->delivery_count++] = d;
    } else {
        post_overrun(now->from, e, now->sink);
    }
    e->mark = world_log_end(now->from->log, world_tick(now->from->physics));
    e->fresh = e->owed = false;
    e->busy = true;
}

bool log_readers_publish(log_readers *r, const log_source *from, bool all, const turn *t,
                         reply_sink sink)
{
    ASSERT(sink.post != NULL && from->physics != NULL);
    publishing now = {.from = from, .sink = sink};
    const uint32_t begin = place_of(r, r->first);
    uint64_t cut = 0; // number of the first that has to wait; 0: none
    for (uint32_t i = 0; i < r->list.count; i++) {
        log_reader_entry *e = &r->list.data[(begin + i) % r->list.count];
        e->fresh = e->fresh || is_too_far_behind(e, from);
        if (!falls_due(e, from, all)) {
            continue;
        }
        if (e->busy) {
            e->owed = true;
            metrics_add(METRIC_snapshots_skipped, 1);
            continue;
        }
        uint32_t at = find_made(&now, e);
        if (at == ENCODED_MAX && now.count > 0 && t != NULL && turn_over(t)) {
            e->owed = true;
            cut = cut == 0 ? e->number : cut;
            metrics_add(METRIC_snapshots_postponed, 1);
            continue;
        }
        deliver(&now, e, at < ENCODED_MAX ? at : make(&now, e, r->list.count - i));
    }
    for (uint32_t i = 0; i < now.count; i++) {
        post_snapshot(&now.made[i], sink);
    }
    r->first = cut;
    return cut == 0;
}

bool log_readers_owe(const log_readers *r, const log_source *from)
{
    for (uint32_t i = 0; i < r->list.count; i++) {
        const log_reader_entry *e = &r->list.data[i];
        if (!e->busy && is_behind(e, from)) {
            return true;
        }
    }
    return false;
}
