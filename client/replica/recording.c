// Recordings: the log of a world in a file (proto/log/log_stream.h). Each belongs to one thread at
// a time.
#include "client/replica/replica.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/physics/image.h"
#include "proto/log/log_stream.h"

enum { READ_BYTES = 64 * 1024 };

// ---- writing

struct carom_recorder {
    FILE *file;
    bool begun;
    uint64_t records, tick;
    void *keyframe; // image for the next record, of the state at `keyframe_tick`
    size_t keyframe_size;
    uint64_t keyframe_tick;
    bool keyframe_paused; // the world was paused at that tick
};

carom_status carom_recorder_create(const char *path, carom_recorder **out, carom_error *err)
{
    if (path == NULL || out == NULL) {
        return replica_fault_null(err, path == NULL ? "path" : "out");
    }
    FILE *file = fopen(path, "wbx");
    if (file == NULL) {
        return replica_fault(err, errno == EEXIST ? CAROM_ALREADY_EXISTS : CAROM_UNAVAILABLE,
                             "%s: %s", path, strerror(errno));
    }
    carom_recorder *r = calloc(1, sizeof *r);
    if (r == NULL) {
        fclose(file);
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a recorder");
    }
    r->file = file;
    *out = r;
    return CAROM_OK;
}

// Writes the buffer's bytes to the file and empties the buffer.
static carom_status put(carom_recorder *r, buffer *bytes, carom_error *err)
{
    bool whole = !bytes->overflow && fwrite(bytes->data, 1, bytes->size, r->file) == bytes->size &&
                 fflush(r->file) == 0;
    int why = errno;
    bool memory = bytes->overflow;
    buffer_deinit(bytes);
    if (memory) {
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a record");
    }
    return whole
               ? CAROM_OK
               : replica_fault(err, CAROM_UNAVAILABLE, "writing the recording: %s", strerror(why));
}

static carom_status begin(carom_recorder *r, const log_notification *n, carom_error *err)
{
    physics_world *world = NULL;
    struct error why;
    if (n->record.image == NULL) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "a recording begins with an image");
    }
    if (world_restore(n->record.image, n->record.image_size, &world, &why) != STATUS_OK) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the world's image: %s", why.text);
    }
    log_header header = {.engine = ENGINE_BEHAVIOUR,
                         .epoch = n->epoch,
                         .hz = world_definition(world).hz,
                         .begun = (uint64_t)time(NULL)};
    world_free(world);
    memcpy(header.world, n->world != NULL ? n->world : "", n->world_size);
    buffer out;
    buffer_init(&out, LOG_RECORD_BYTES_MAX);
    log_stream_begin(&out, &header);
    carom_status s = put(r, &out, err);
    r->begun = s == CAROM_OK;
    return s;
}

static void drop_keyframe(carom_recorder *r)
{
    carom_replica_free_bytes(r->keyframe);
    r->keyframe = NULL;
}

carom_status carom_recorder_keyframe(carom_recorder *r, const carom_replica *replica,
                                     carom_error *err)
{
    if (r == NULL || replica == NULL) {
        return replica_fault_null(err, r == NULL ? "recorder" : "replica");
    }
    drop_keyframe(r);
    r->keyframe_tick = carom_replica_now(replica).tick;
    r->keyframe_paused = carom_replica_now(replica).paused;
    return carom_replica_save(replica, &r->keyframe, &r->keyframe_size, err);
}

// Adds a keyframe to the record. If the world is paused, the record begins with world.pause, for
// readers that start there.
static void bear_keyframe(const carom_recorder *r, log_record *record, buffer *rows)
{
    static const uint8_t EMPTY_MAP[] = {0x80};
    static const char PAUSE[] = "world.pause";
    record->image = r->keyframe;
    record->image_size = r->keyframe_size;
    if (r->keyframe_paused) {
        log_command row = {.tick = record->from,
                           .method = PAUSE,
                           .method_size = sizeof PAUSE - 1,
                           .arguments = EMPTY_MAP,
                           .arguments_size = sizeof EMPTY_MAP};
        log_command_encode(rows, &row);
        buffer_append(rows, record->commands, record->commands_size);
        record->commands = rows->data;
        record->commands_size = rows->size;
        record->command_count++;
    }
}

carom_status carom_recorder_feed(carom_recorder *r, const void *encoded, size_t size,
                                 carom_error *err)
{
    log_notification n;
    struct error why;
    if (r == NULL || encoded == NULL) {
        return replica_fault_null(err, r == NULL ? "recorder" : "encoded");
    }
    if (log_notification_decode(encoded, size, &n, &why) != STATUS_OK) {
        return replica_fault_of(err, &why);
    }
    carom_status s = r->begun ? CAROM_OK : begin(r, &n, err);
    if (s != CAROM_OK) {
        return s;
    }
    buffer rows;
    buffer_init(&rows, LOG_RECORD_BYTES_MAX);
    if (n.record.image == NULL && r->keyframe != NULL && n.record.from == r->keyframe_tick) {
        bear_keyframe(r, &n.record, &rows);
    }
    buffer out;
    buffer_init(&out, (size_t)LOG_RECORD_BYTES_MAX + LOG_FRAME_HEAD_BYTES);
    log_stream_record(&out, &n.record);
    out.overflow = out.overflow || rows.overflow;
    buffer_deinit(&rows);
    s = put(r, &out, err);
    drop_keyframe(r);
    if (s == CAROM_OK) {
        r->records++;
        r->tick = n.record.tick;
    }
    return s;
}

carom_status carom_recorder_finish(carom_recorder *r, carom_error *err)
{
    if (r == NULL) {
        return CAROM_OK;
    }
    carom_status s = CAROM_OK;
    if (r->begun) {
        buffer out;
        buffer_init(&out, LOG_RECORD_BYTES_MAX);
        log_stream_end(&out, &(log_end){.tick = r->tick, .records = r->records});
        s = put(r, &out, err);
    }
    if (fclose(r->file) != 0 && s == CAROM_OK) {
        s = replica_fault(err, CAROM_UNAVAILABLE, "closing the recording: %s", strerror(errno));
    }
    drop_keyframe(r);
    free(r);
    return s;
}

// ---- reading

struct carom_recording {
    FILE *file;
    uint64_t size;
    log_reader reader;
    uint8_t *chunk; // READ_BYTES
    size_t at, held;
    bool ended;
    buffer record; // the last record, encoded again
};

void carom_recording_close(carom_recording *r)
{
    if (r == NULL) {
        return;
    }
    fclose(r->file);
    log_reader_deinit(&r->reader);
    buffer_deinit(&r->record);
    free(r->chunk);
    free(r);
}

// Reads the next event of the file; LOG_MORE at its end.
static log_event read_event(carom_recording *r, struct error *why)
{
    for (;;) {
        size_t used = 0;
        log_event event =
            log_reader_feed(&r->reader, r->chunk + r->at, r->held - r->at, &used, why);
        r->at += used;
        if (event != LOG_MORE) {
            return event;
        }
        r->at = 0;
        r->held = fread(r->chunk, 1, READ_BYTES, r->file);
        if (r->held == 0) {
            return LOG_MORE;
        }
    }
}

static carom_status read_begin(carom_recording *r, const char *path, carom_error *err)
{
    struct error why;
    log_event event = read_event(r, &why);
    if (event == LOG_MORE) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT,
                             "%s: the recording was cut off in its head", path);
    }
    if (event != LOG_HEADER) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "%s: %s", path, why.text);
    }
    if (r->reader.header.engine != ENGINE_BEHAVIOUR) {
        return replica_fault(
            err, CAROM_UNAVAILABLE,
            "%s: made by an engine of behaviour %u; this one has %d and would go on "
            "otherwise: use the version that recorded it",
            path, r->reader.header.engine, ENGINE_BEHAVIOUR);
    }
    return CAROM_OK;
}

carom_status carom_recording_open(const char *path, carom_recording **out, carom_error *err)
{
    if (path == NULL || out == NULL) {
        return replica_fault_null(err, path == NULL ? "path" : "out");
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return replica_fault(err, errno == ENOENT ? CAROM_NOT_FOUND : CAROM_UNAVAILABLE, "%s: %s",
                             path, strerror(errno));
    }
    carom_recording *r = calloc(1, sizeof *r);
    uint8_t *chunk = malloc(READ_BYTES);
    if (r == NULL || chunk == NULL) {
        fclose(file);
        free(r);
        free(chunk);
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a recording");
    }
    struct stat about;
    r->file = file;
    r->chunk = chunk;
    r->size = fstat(fileno(file), &about) == 0 ? (uint64_t)about.st_size : 0;
    log_reader_init(&r->reader);
    buffer_init(&r->record, LOG_RECORD_BYTES_MAX);
    carom_status s = read_begin(r, path, err);
    if (s != CAROM_OK) {
        carom_recording_close(r);
        return s;
    }
    *out = r;
    return CAROM_OK;
}

carom_status carom_recording_next(carom_recording *r, const void **record, size_t *size,
                                  carom_error *err)
{
    struct error why;
    if (r == NULL || record == NULL || size == NULL) {
        return replica_fault_null(err, r == NULL ? "recording" : "record or size");
    }
    *record = NULL;
    *size = 0;
    if (r->ended) {
        return CAROM_OK;
    }
    log_event event = read_event(r, &why);
    if (event == LOG_RECORD) {
        buffer_clear(&r->record);
        log_record_encode(&r->record, &r->reader.record);
        if (r->record.overflow) {
            return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a record");
        }
        *record = r->record.data;
        *size = r->record.size;
        return CAROM_OK;
    }
    if (event == LOG_END) {
        r->ended = true;
        return CAROM_OK;
    }
    if (event == LOG_MORE) {
        log_reader_finish(&r->reader, &why);
    }
    return replica_fault(err, CAROM_INVALID_ARGUMENT, "%s", why.text);
}

carom_recording_info carom_recording_about(const carom_recording *r)
{
    if (r == NULL) {
        return (carom_recording_info){.world = ""};
    }
    const log_header *h = &r->reader.header;
    return (carom_recording_info){.engine = (int)h->engine,
                                  .world = h->world,
                                  .epoch = h->epoch,
                                  .hz = h->hz,
                                  .begun = h->begun,
                                  .ended = r->ended,
                                  .records = r->reader.records,
                                  .from = r->reader.record.from,
                                  .tick = r->reader.tick,
                                  .has_image = r->reader.record.image != NULL,
                                  .has_hash = r->reader.record.has_hash,
                                  .hash = r->reader.record.hash,
                                  .commands = r->reader.record.command_count,
                                  .bytes = r->reader.offset,
                                  .size = r->size};
}

const void *carom_recording_image(const carom_recording *r, size_t *size)
{
    const log_record *record = r != NULL ? &r->reader.record : NULL;
    bool there = record != NULL && record->image != NULL;
    if (size != NULL) {
        *size = there ? record->image_size : 0;
    }
    return there ? record->image : NULL;
}
