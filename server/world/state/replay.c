// See replay.h.
#include "server/world/state/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/physics/image.h"
#include "proto/log/log_stream.h"

typedef struct frame {
    uint64_t offset, size; // place of the payload in the file
    uint64_t from, tick;
    bool has_image;
} frame;

struct replay {
    uint8_t *bytes;
    uint64_t size;
    log_header header;
    ARRAY(frame) frames; // frames of records
    uint32_t next;       // the next frame, or the current one
    log_player player;   // its world belongs to the caller
};

void replay_free(replay *r)
{
    if (r != NULL) {
        array_free(&r->frames);
        free(r->bytes);
        free(r);
    }
}

// ---- opening

static status read_file(replay *r, FILE *file, const char *path, uint64_t bytes_max, error *err)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s': %s", path, strerror(errno));
    }
    if ((uint64_t)about.st_size > bytes_max) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "'%s' has %" PRIu64 " bytes, replay_bytes allows %" PRIu64, path,
                         (uint64_t)about.st_size, bytes_max);
    }
    r->bytes = malloc((size_t)about.st_size + 1);
    if (r->bytes == NULL) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "'%s': no memory for its %" PRIu64 " bytes",
                         path, (uint64_t)about.st_size);
    }
    r->size = fread(r->bytes, 1, (size_t)about.st_size, file);
    return ferror(file) == 0 ? STATUS_OK
                             : error_set(err, STATUS_UNAVAILABLE, "reading '%s' failed: %s", path,
                                         strerror(errno));
}

// Verifies every frame and lists the records.
static status list_frames(replay *r, const char *path, error *err)
{
    log_reader reader;
    log_event event = LOG_MORE;
    error why = {.status = STATUS_OK};
    uint64_t at = 0;
    uint64_t head = LOG_MAGIC_BYTES;
    log_reader_init(&reader);
    do {
        size_t used = 0;
        event = log_reader_feed(&reader, r->bytes + at, (size_t)(r->size - at), &used, &why);
        at += used;
        if (event == LOG_HEADER) {
            r->header = reader.header;
            head = at;
        } else if (event == LOG_RECORD) {
            frame one = {.offset = head + LOG_FRAME_HEAD_BYTES,
                         .size = at - head - LOG_FRAME_HEAD_BYTES,
                         .from = reader.record.from,
                         .tick = reader.record.tick,
                         .has_image = reader.record.image != NULL};
            array_push(&r->frames, one);
            head = at;
        }
    } while (event == LOG_HEADER || event == LOG_RECORD);
    if (event == LOG_MORE && log_reader_finish(&reader, &why) != STATUS_OK && r->frames.count > 0) {
        log_warn("'%s': %s", path, why.text);
    }
    log_reader_deinit(&reader);
    if (event == LOG_BROKEN || r->frames.count == 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s': %s", path,
                         why.status != STATUS_OK ? why.text : "it has no records");
    }
    return STATUS_OK;
}

status replay_open(const char *path, uint64_t bytes_max, replay **out, error *err)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s': %s", path, strerror(errno));
    }
    replay *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    status s = read_file(r, file, path, bytes_max, err);
    (void)fclose(file);
    s = s == STATUS_OK ? list_frames(r, path, err) : s;
    if (s == STATUS_OK && r->header.engine != ENGINE_BEHAVIOUR) {
        s = error_set(err, STATUS_UNAVAILABLE,
                      "'%s' was made by an engine of behaviour %u; this one has %d and would go on "
                      "otherwise: use the version that recorded it",
                      path, r->header.engine, ENGINE_BEHAVIOUR);
    }
    if (s != STATUS_OK) {
        replay_free(r);
        return s;
    }
    *out = r;
    return STATUS_OK;
}

const char *replay_name(const replay *r)
{
    return r->header.world;
}

uint64_t replay_first(const replay *r)
{
    return r->frames.data[0].from;
}

uint64_t replay_last(const replay *r)
{
    return r->frames.data[r->frames.count - 1].tick;
}

bool replay_stands(const replay *r)
{
    return r->player.paused;
}

void replay_on_applied(replay *r, replay_applied *call, void *context)
{
    r->player.applied = call;
    r->player.context = context;
}

void replay_on_admits(replay *r,
                      bool (*admits)(void *context, const log_command *row, const command *c),
                      bool (*may_step)(void *context))
{
    r->player.admits = admits;
    r->player.may_step = may_step;
}

bool replay_is_held(const replay *r)
{
    return r->player.held;
}

// ---- what is to come

uint64_t replay_image_bytes(const replay *r, const physics_world *world)
{
    const frame *next = r->next < r->frames.count ? &r->frames.data[r->next] : NULL;
    return next != NULL && next->has_image && next->from > world_tick(world) ? next->size : 0;
}

// The last frame with an image that is not beyond the tick.
static uint32_t find_image(const replay *r, uint64_t tick)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < r->frames.count && r->frames.data[i].from <= tick; i++) {
        found = r->frames.data[i].has_image ? i : found;
    }
    return found;
}

replay_way replay_way_to(const replay *r, uint64_t tick)
{
    const uint32_t begin = find_image(r, tick);
    const frame *first = &r->frames.data[begin];
    replay_way way = {.image_bytes = first->size,
                      .ticks = tick > first->from ? tick - first->from : 0};
    for (uint32_t i = begin + 1; i < r->frames.count && r->frames.data[i].from < tick; i++) {
        way.bytes += r->frames.data[i].size;
    }
    return way;
}

// ---- playing

static void read_record(const replay *r, uint32_t index, log_record *out)
{
    const frame *f = &r->frames.data[index];
    status s = log_record_decode(r->bytes + f->offset, (size_t)f->size, out, NULL);
    ASSERT(s == STATUS_OK); // it was verified when the file was opened
}

static status take_image(replay *r, physics_world **world, const log_record *record, error *err)
{
    physics_world *made = NULL;
    status s = world_restore(record->image, record->image_size, &made, err);
    if (s != STATUS_OK) {
        error_prefix(err, "the image of tick %" PRIu64, record->from);
        return s;
    }
    world_free(*world);
    *world = made;
    r->player.within = false;
    r->player.paused = false;
    return STATUS_OK;
}

// Plays the frames from `next` on up to the state of `tick`.
static status play_to(replay *r, physics_world **world, uint64_t tick, bool *anew, error *err)
{
    while (r->next < r->frames.count && r->frames.data[r->next].from <= tick) {
        log_record record;
        read_record(r, r->next, &record);
        r->player.world = *world;
        bool within = log_player_is_within(&r->player, &record, tick);
        if (!within && record.from != world_tick(*world)) {
            status s = take_image(r, world, &record, err);
            if (s != STATUS_OK) {
                return s;
            }
            *anew = true;
            r->player.world = *world;
        }
        status s = log_player_play_to(&r->player, &record, tick, err);
        if (s != STATUS_OK || r->player.held) {
            return s;
        }
        if (record.tick > tick) {
            break;
        }
        r->next++;
    }
    return STATUS_OK;
}

status replay_seek(replay *r, physics_world **world, uint64_t tick, error *err)
{
    if (tick < replay_first(r) || tick > replay_last(r)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the recording has the ticks %" PRIu64 " to %" PRIu64, replay_first(r),
                         replay_last(r));
    }
    const uint32_t begin = find_image(r, tick);
    log_record record;
    physics_world *made = NULL;
    bool anew = false;
    read_record(r, begin, &record);
    log_player kept = r->player;
    uint32_t next = r->next;
    r->player.applied = NULL; // readers begin with an image afterwards
    r->player.admits = NULL;  // the caller has decided on all of it
    r->player.may_step = NULL;
    r->player.held = false;
    status s = take_image(r, &made, &record, err);
    r->next = begin;
    s = s == STATUS_OK ? play_to(r, &made, tick, &anew, err) : s;
    r->player.applied = kept.applied;
    r->player.admits = kept.admits;
    r->player.may_step = kept.may_step;
    if (s != STATUS_OK) {
        world_free(made);
        r->player = kept;
        r->next = next;
        return s;
    }
    world_free(*world);
    *world = made;
    return STATUS_OK;
}

status replay_step(replay *r, physics_world **world, bool *anew, error *err)
{
    uint64_t tick = world_tick(*world) + 1;
    *anew = false;
    if (r->next < r->frames.count && r->frames.data[r->next].from > tick) {
        tick = r->frames.data[r->next].from; // ticks are missing, and an image is there
    }
    return play_to(r, world, tick, anew, err);
}
