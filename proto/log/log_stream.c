// Frames of a log: each is checked against its checksum as a whole before anything in it is looked
// at, so whatever a fault in the payload says is a fault of the writer, not of the medium.
#include "proto/log/log_stream.h"

#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "proto/log/log_cursor.h"
#include "proto/wire/rpc.h"

const uint8_t LOG_MAGIC[LOG_MAGIC_BYTES] = {0x89, 'c', 'l', 'o', 'g', '\r', '\n', 0x1a};

enum { STAGE_MAGIC, STAGE_HEADER, STAGE_RECORDS, STAGE_ENDED, STAGE_BROKEN };

// Header and end mark are small; their bound keeps a first frame of gigabytes from being read.
enum { HEADER_BYTES_MAX = 1024 };

// ---- writing

// Leaves room for a frame's head; the frame begins where the result says.
static size_t open_frame(buffer *out)
{
    static const uint8_t room[LOG_FRAME_HEAD_BYTES];
    const size_t start = out->size;
    buffer_append(out, room, sizeof room);
    return start;
}

static void close_frame(buffer *out, size_t start)
{
    if (out->overflow) {
        return;
    }
    uint8_t *head = out->data + start;
    const size_t size = out->size - start - LOG_FRAME_HEAD_BYTES;
    ASSERT(size <= LOG_RECORD_BYTES_MAX);
    put32(head, (uint32_t)size);
    put32(head + 4, crc32c(crc32c(0, head, 4), head + LOG_FRAME_HEAD_BYTES, size));
}

void log_stream_begin(buffer *out, const log_header *header)
{
    buffer_append(out, LOG_MAGIC, sizeof LOG_MAGIC);
    const size_t start = open_frame(out);
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_map(&packer, 6);
    rpc_pack_text(&packer, "format");
    msgpack_pack_uint32(&packer, LOG_FORMAT);
    rpc_pack_text(&packer, "engine");
    msgpack_pack_uint32(&packer, header->engine);
    rpc_pack_text(&packer, "world");
    rpc_pack_text(&packer, header->world);
    rpc_pack_text(&packer, "epoch");
    msgpack_pack_uint64(&packer, header->epoch);
    rpc_pack_text(&packer, "hz");
    msgpack_pack_double(&packer, header->hz);
    rpc_pack_text(&packer, "begun");
    msgpack_pack_uint64(&packer, header->begun);
    close_frame(out, start);
}

void log_stream_record(buffer *out, const log_record *record)
{
    const size_t start = open_frame(out);
    log_record_encode(out, record);
    close_frame(out, start);
}

void log_stream_end(buffer *out, const log_end *end)
{
    const size_t start = open_frame(out);
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_map(&packer, 2);
    rpc_pack_text(&packer, "end");
    msgpack_pack_uint64(&packer, end->tick);
    rpc_pack_text(&packer, "records");
    msgpack_pack_uint64(&packer, end->records);
    close_frame(out, start);
}

// ---- reading

void log_reader_init(log_reader *r)
{
    *r = (log_reader){0};
    buffer_init(&r->held, (size_t)LOG_RECORD_BYTES_MAX + LOG_FRAME_HEAD_BYTES);
}

void log_reader_deinit(log_reader *r)
{
    buffer_deinit(&r->held);
}

static status read_header(log_reader *r, log_cursor *c)
{
    uint64_t pairs = 0;
    uint64_t format = 0;
    uint64_t engine = 0;
    const uint8_t *name = NULL;
    size_t size = 0;
    log_header *h = &r->header;
    if (!log_take_map(c, &pairs) || !log_take_key(c, "format") || !log_take_uint(c, &format)) {
        return log_refuse(c, "a header: {format, engine, world, epoch, hz, begun}");
    }
    if (format != LOG_FORMAT) {
        return error_set(c->err, STATUS_INVALID_ARGUMENT,
                         "the log has format %llu; this program reads format %d: use one of the "
                         "version that wrote it, or a newer one",
                         (unsigned long long)format, LOG_FORMAT);
    }
    if (!log_take_key(c, "engine") || !log_take_uint(c, &engine) || engine > UINT32_MAX ||
        !log_take_key(c, "world") ||
        !log_take_bytes(c, TAG_STR, WIRE_WORLD_NAME_MAX, &name, &size) ||
        !log_take_key(c, "epoch") || !log_take_uint(c, &h->epoch) || !log_take_key(c, "hz") ||
        !log_take_double(c, &h->hz) || !log_take_key(c, "begun") || !log_take_uint(c, &h->begun) ||
        !log_at_end(c) || pairs != 6) {
        return log_refuse(c, "a header: {format, engine, world, epoch, hz, begun}");
    }
    h->engine = (uint32_t)engine;
    memcpy(h->world, name, size);
    h->world[size] = '\0';
    return STATUS_OK;
}

static status read_end(log_reader *r, log_cursor *c)
{
    if (!log_take_uint(c, &r->end.tick) || !log_take_key(c, "records") ||
        !log_take_uint(c, &r->end.records) || !log_at_end(c)) {
        return log_refuse(c, "an end mark: {end, records}");
    }
    if (r->end.records != r->records || r->end.tick != r->tick) {
        return error_set(c->err, STATUS_INVALID_ARGUMENT,
                         "the end mark tells of %llu %s up to tick %llu, there %s %llu up to "
                         "tick %llu: frames are missing",
                         COUNTED(r->end.records, "record", "records"),
                         (unsigned long long)r->end.tick, r->records == 1 ? "is" : "are",
                         (unsigned long long)r->records, (unsigned long long)r->tick);
    }
    return STATUS_OK;
}

static status read_record(log_reader *r, const uint8_t *payload, size_t size, error *err)
{
    status s = log_record_decode(payload, size, &r->record, err);
    if (s != STATUS_OK) {
        return s;
    }
    // A record with an image is a new beginning: the reader fell behind, or the writer paused.
    if (r->record.image == NULL && (r->records == 0 || r->record.from != r->tick)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the record begins at tick %llu; expected %llu, or an image",
                         (unsigned long long)r->record.from, (unsigned long long)r->tick);
    }
    r->records++;
    r->tick = r->record.tick;
    return STATUS_OK;
}

// Reads the payload of a frame whose checksum matches.
static log_event read_payload(log_reader *r, const uint8_t *payload, size_t size, error *err)
{
    log_cursor c = {.bytes = payload, .size = size, .err = err};
    if (r->stage == STAGE_HEADER) {
        r->stage = STAGE_RECORDS;
        return read_header(r, &c) == STATUS_OK ? LOG_HEADER : LOG_BROKEN;
    }
    uint64_t pairs = 0;
    if (log_take_map(&c, &pairs) && pairs == 2 && log_take_key(&c, "end")) {
        r->stage = STAGE_ENDED;
        return read_end(r, &c) == STATUS_OK ? LOG_END : LOG_BROKEN;
    }
    return read_record(r, payload, size, err) == STATUS_OK ? LOG_RECORD : LOG_BROKEN;
}

// Collects bytes until `held` has `want` of them. Memory grows with the received bytes, to twice
// their number at most.
static bool hold(log_reader *r, size_t want, const uint8_t **bytes, size_t *size)
{
    const size_t left = want - r->held.size;
    const size_t part = left < *size ? left : *size;
    buffer_append(&r->held, *bytes, part);
    *bytes += part;
    *size -= part;
    r->offset += part;
    return part == left;
}

static log_event fail(log_reader *r, uint64_t frame, const error *why, error *err)
{
    r->stage = STAGE_BROKEN;
    error_set(&r->failure, why->status, "%s", why->text);
    error_prefix(&r->failure, "byte %llu of the log", (unsigned long long)frame);
    if (err != NULL) {
        *err = r->failure;
    }
    return LOG_BROKEN;
}

static log_event read_magic(log_reader *r, const uint8_t **bytes, size_t *size, error *err)
{
    if (!hold(r, LOG_MAGIC_BYTES, bytes, size)) {
        return LOG_MORE;
    }
    if (memcmp(r->held.data, LOG_MAGIC, LOG_MAGIC_BYTES) != 0) {
        error why;
        error_set(&why, STATUS_INVALID_ARGUMENT, "this is no carom log: its first bytes differ");
        return fail(r, 0, &why, err);
    }
    buffer_clear(&r->held);
    r->stage = STAGE_HEADER;
    return LOG_HEADER; // the caller continues
}

static bool is_intact(const uint8_t *frame, uint32_t payload)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION // a forger could get the checksum right
    (void)frame;
    (void)payload;
    return true;
#else
    return crc32c(crc32c(0, frame, 4), frame + LOG_FRAME_HEAD_BYTES, payload) == get32(frame + 4);
#endif
}

static log_event read_frame(log_reader *r, const uint8_t **bytes, size_t *size, error *err)
{
    const uint64_t frame = r->offset - r->held.size;
    if (r->held.size < LOG_FRAME_HEAD_BYTES && !hold(r, LOG_FRAME_HEAD_BYTES, bytes, size)) {
        return LOG_MORE;
    }
    const uint32_t payload = get32(r->held.data);
    const uint32_t most = r->stage == STAGE_HEADER ? HEADER_BYTES_MAX : LOG_RECORD_BYTES_MAX;
    error why;
    if (payload > most) {
        error_set(
            &why, STATUS_LIMIT_EXCEEDED,
            "a frame of %u bytes, at most %u are allowed: the bytes were altered; use another copy",
            payload, most);
        return fail(r, frame, &why, err);
    }
    if (!hold(r, LOG_FRAME_HEAD_BYTES + (size_t)payload, bytes, size)) {
        return LOG_MORE;
    }
    const uint8_t *at = r->held.data + LOG_FRAME_HEAD_BYTES;
    if (!is_intact(r->held.data, payload)) {
        error_set(&why, STATUS_INVALID_ARGUMENT,
                  "the checksum differs: the frame's bytes were altered; use another copy");
        return fail(r, frame, &why, err);
    }
    log_event event = read_payload(r, at, payload, &why);
    return event == LOG_BROKEN ? fail(r, frame, &why, err) : event;
}

log_event log_reader_feed(log_reader *r, const void *bytes, size_t size, size_t *used, error *err)
{
    const uint8_t *at = bytes;
    size_t left = size;
    log_event event = LOG_MORE;
    if (r->stage == STAGE_BROKEN) {
        *used = 0;
        if (err != NULL) {
            *err = r->failure;
        }
        return LOG_BROKEN;
    }
    if (r->stage == STAGE_ENDED && left > 0) {
        error why;
        error_set(&why, STATUS_INVALID_ARGUMENT, "bytes follow the end mark");
        event = fail(r, r->offset, &why, err);
    } else if (r->stage == STAGE_MAGIC && read_magic(r, &at, &left, err) == LOG_BROKEN) {
        event = LOG_BROKEN;
    } else if (r->stage == STAGE_HEADER || r->stage == STAGE_RECORDS) {
        // A whole frame is kept until the next call, since the decoded record points into it.
        bool whole = r->held.size >= LOG_FRAME_HEAD_BYTES &&
                     r->held.size == LOG_FRAME_HEAD_BYTES + (size_t)get32(r->held.data);
        if (whole) {
            buffer_clear(&r->held);
        }
        event = read_frame(r, &at, &left, err);
    }
    *used = size - left;
    return event;
}

status log_reader_finish(const log_reader *r, error *err)
{
    if (r->stage == STAGE_ENDED) {
        return STATUS_OK;
    }
    if (r->stage == STAGE_BROKEN) {
        return error_set(err, r->failure.status, "%s", r->failure.text);
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "the log was cut off at byte %llu; it is whole up to tick %llu (%llu %s)",
                     (unsigned long long)r->offset, (unsigned long long)r->tick,
                     COUNTED(r->records, "record", "records"));
}
