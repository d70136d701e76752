// See playback.h.
#include "client/cli/log/playback.h"

#include <inttypes.h>
#include <string.h>

#include "client/tool/terminal.h"

cli_exit playback_fail(const char *path, const carom_error *error)
{
    bool differs = error->status == CAROM_INTERNAL;
    bool named = strstr(error->text, path) != NULL;
    terminal_close(); // errors belong on the normal screen
    cli_error(differs ? "internal" : CLI_CODE_FILE, "%s%s%s", named ? "" : path, named ? "" : ": ",
              error->text);
    return differs ? CLI_REFUSED : CLI_USAGE;
}

cli_exit playback_open(playback *p, const char *path, bool compare)
{
    carom_error error = {0};
    *p = (playback){.path = path, .compare = compare, .replica = carom_replica_create()};
    if (p->replica == NULL) {
        return cli_out_of_memory();
    }
    if (carom_recording_open(path, &p->file, &error) != CAROM_OK) {
        return playback_fail(path, &error);
    }
    p->about = carom_recording_about(p->file);
    return CLI_OK;
}

void playback_close(playback *p)
{
    carom_recording_close(p->file);
    carom_replica_free(p->replica);
    *p = (playback){0};
}

uint64_t playback_tick(const playback *p)
{
    return carom_replica_now(p->replica).tick;
}

// Reads the next record if none is being played. A truncated recording ends there: playback_measure
// has reported it.
static cli_exit read_record(playback *p)
{
    carom_error error = {0};
    if (p->record != NULL || p->over) {
        return CLI_OK;
    }
    carom_status s = carom_recording_next(p->file, &p->record, &p->size, &error);
    if (s == CAROM_OUT_OF_MEMORY) {
        return cli_out_of_memory();
    }
    if (p->record != NULL) {
        p->about = carom_recording_about(p->file);
    }
    p->begun = false;
    p->over = p->record == NULL;
    return CLI_OK;
}

// ---- comparing

static void tell_difference(const playback *p, const carom_replica *recorded)
{
    carom_difference d;
    carom_error error = {0};
    uint64_t tick = carom_replica_now(recorded).tick;
    if (carom_replica_compare(p->replica, recorded, &d, &error) != CAROM_OK || !d.differs) {
        return;
    }
    if (d.body != 0) {
        cli_hint("the first body that differs from the recording's image of tick %" PRIu64
                 " (played, recorded): %s",
                 tick, d.text);
    } else {
        cli_hint("beside the recording's image of tick %" PRIu64 ": %s", tick, d.text);
    }
}

// Compares the image in the present record with the replica's state at the same tick.
static cli_exit compare_image(playback *p)
{
    if (!p->compare || p->begun || !p->about.has_image || !carom_replica_now(p->replica).ready ||
        playback_tick(p) != p->about.from) {
        return CLI_OK;
    }
    carom_error error = {0};
    carom_difference d = {0};
    carom_replica *recorded = carom_replica_create();
    if (recorded == NULL) {
        return cli_out_of_memory();
    }
    cli_exit code = CLI_OK;
    size_t size = 0;
    const void *image = carom_recording_image(p->file, &size);
    carom_status s = carom_replica_load(recorded, image, size, NULL, &error);
    s = s == CAROM_OK ? carom_replica_compare(p->replica, recorded, &d, &error) : s;
    if (s != CAROM_OK) {
        code = playback_fail(p->path, &error);
    } else if (d.differs) {
        terminal_close();
        cli_error("internal", "%s: tick %" PRIu64 ": the state differs from the recording's image",
                  p->path, p->about.from);
        tell_difference(p, recorded);
        p->differed = true;
        code = CLI_REFUSED;
    }
    p->images += code == CLI_OK;
    carom_replica_free(recorded);
    return code;
}

// ---- playing

static void look_for_body(const char *path, const carom_recording_info *where);

static cli_exit play(playback *p, uint64_t tick)
{
    carom_error error = {0};
    uint64_t until = tick < p->about.tick ? tick : p->about.tick;
    cli_exit code = carom_replica_now(p->replica).ready ? compare_image(p) : CLI_OK;
    if (code != CLI_OK) {
        return code;
    }
    if (carom_replica_feed_to(p->replica, p->record, p->size, until, &error) != CAROM_OK) {
        code = playback_fail(p->path, &error);
        if (error.status == CAROM_INTERNAL) {
            p->differed = true;
            look_for_body(p->path, &p->about);
        }
        return code;
    }
    p->begun = true;
    if (until == p->about.tick) {
        p->record = NULL;
    }
    return CLI_OK;
}

cli_exit playback_to(playback *p, uint64_t tick)
{
    cli_exit code = read_record(p);
    while (code == CLI_OK && p->record != NULL && p->about.from <= tick) {
        bool within = p->about.tick > tick;
        code = play(p, tick);
        if (within) {
            break;
        }
        code = code == CLI_OK ? read_record(p) : code;
    }
    return code;
}

// The number of the last record that has an image at or before `tick`.
static cli_exit find_image(const char *path, uint64_t tick, uint64_t *number)
{
    playback p;
    *number = 0;
    cli_exit code = playback_open(&p, path, false);
    for (uint64_t i = 0; code == CLI_OK && !p.over; i++) {
        code = read_record(&p);
        if (p.record == NULL || p.about.from > tick) {
            break;
        }
        *number = p.about.has_image ? i : *number;
        p.record = NULL;
    }
    playback_close(&p);
    return code;
}

cli_exit playback_seek(playback *p, uint64_t tick)
{
    uint64_t number = 0;
    playback fresh;
    cli_exit code = find_image(p->path, tick, &number);
    if (code != CLI_OK) {
        return code;
    }
    code = playback_open(&fresh, p->path, p->compare);
    for (uint64_t i = 0; code == CLI_OK && i < number; i++) {
        code = read_record(&fresh);
        fresh.record = NULL;
    }
    carom_recording_close(p->file);
    // The replica keeps the events, and the reader's position in them
    carom_replica *replica = p->replica;
    carom_replica_free(fresh.replica);
    uint64_t images = p->images;
    *p = fresh;
    p->replica = replica;
    p->images = images;
    // The replica's own world is at another tick than the image: the image replaces it.
    code = code == CLI_OK ? read_record(p) : code;
    carom_error error = {0};
    if (code == CLI_OK && p->record != NULL &&
        carom_replica_feed_to(p->replica, p->record, p->size,
                              tick < p->about.tick ? tick : p->about.tick, &error) != CAROM_OK) {
        return playback_fail(p->path, &error);
    }
    p->begun = true;
    if (code == CLI_OK && p->record != NULL && tick >= p->about.tick) {
        p->record = NULL;
    }
    return code == CLI_OK && p->record == NULL ? playback_to(p, tick) : code;
}

// The number, from 1 on, of the last record up to `last` that has an image.
static uint64_t last_image(const char *path, uint64_t last)
{
    playback p;
    uint64_t number = 1;
    cli_exit code = playback_open(&p, path, false);
    for (uint64_t i = 1; code == CLI_OK && i <= last && !p.over; i++) {
        code = read_record(&p);
        number = p.about.has_image ? i : number;
        p.record = NULL;
    }
    playback_close(&p);
    return number;
}

// A different hash shows that a state differs, but not where. The recording's next image does: a
// second playback goes there from the previous image, record by record and without comparing
// hashes.
static void look_for_body(const char *path, const carom_recording_info *where)
{
    playback p;
    uint64_t begin = last_image(path, where->records);
    cli_exit code = playback_open(&p, path, false);
    bool found = false;
    carom_replica_verify(p.replica, false);
    while (code == CLI_OK && !found && !p.over) {
        code = read_record(&p);
        found = code == CLI_OK && p.record != NULL && p.about.has_image &&
                p.about.records > where->records && playback_tick(&p) == p.about.from;
        if (code == CLI_OK && !found && p.record != NULL) {
            code = p.about.records >= begin ? play(&p, p.about.tick) : CLI_OK;
            p.record = NULL;
        }
    }
    carom_replica *recorded = carom_replica_create();
    size_t size = 0;
    const void *image = carom_recording_image(p.file, &size);
    if (found && recorded != NULL &&
        carom_replica_load(recorded, image, size, NULL, NULL) == CAROM_OK) {
        tell_difference(&p, recorded);
    } else if (code == CLI_OK) {
        cli_hint("the recording has no image after that tick, so it cannot be told which body "
                 "differs first");
    }
    carom_replica_free(recorded);
    playback_close(&p);
}

// ---- measuring

cli_exit playback_measure(const cli *c, const char *path, playback_span *out)
{
    *out = (playback_span){0};
    carom_recording *file = NULL;
    carom_error error = {0};
    if (carom_recording_open(path, &file, &error) != CAROM_OK) {
        return playback_fail(path, &error);
    }
    const void *record = NULL;
    size_t size = 0;
    carom_status s = CAROM_OK;
    while ((s = carom_recording_next(file, &record, &size, &error)) == CAROM_OK && record != NULL) {
        carom_recording_info about = carom_recording_about(file);
        out->first = out->records == 0 ? about.from : out->first;
        out->last = about.tick;
        out->images += about.has_image;
        out->commands += about.commands;
        out->records++;
    }
    carom_recording_info about = carom_recording_about(file);
    out->hz = about.hz;
    out->ended = about.ended;
    bool cut = s != CAROM_OK && about.bytes == about.size;
    cli_exit code = CLI_OK;
    if (s != CAROM_OK && !(cut && out->records > 0)) {
        code = playback_fail(path, &error);
    } else if (s != CAROM_OK) {
        cli_note(c, "%s: %s; it is taken so far", path, error.text);
    } else if (out->records == 0) {
        cli_error(CLI_CODE_FILE, "%s: the recording has no records", path);
        code = CLI_USAGE;
    }
    carom_recording_close(file);
    return code;
}
