// A recording and the replica that plays it, to any tick in either direction.
//
// The recording's images let it begin in the middle: playback_seek plays from the last one before
// the tick. Functions report their errors, and return the command's exit code: CLI_USAGE if the
// file cannot be read or is no complete recording, CLI_REFUSED if its states differ from those that
// this engine computes from its commands. Main thread only.
#ifndef CAROM_CLIENT_CLI_LOG_PLAYBACK_H
#define CAROM_CLIENT_CLI_LOG_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/replica.h>

#include "client/tool/cli.h"

typedef struct playback {
    const char *path;
    carom_recording *file;
    carom_replica *replica;
    // the current record, not played to its end; NULL: the next one must be read
    const void *record;
    size_t size;
    carom_recording_info about; // describes `record`
    bool begun;                 // a part of `record` was played
    bool over;                  // there are no further records
    bool compare;               // compare bodies at each image
    bool differed;              // a state differed from the recording; this was reported
    uint64_t images;            // number of images compared, and equal
} playback;

// `compare`: at each image in the recording, the played state is compared with it, body by body.
cli_exit playback_open(playback *p, const char *path, bool compare);
void playback_close(playback *p);

// Plays to the state of `tick`, or to the recording's end when that comes first.
cli_exit playback_to(playback *p, uint64_t tick);

// Like playback_to(), from the current tick, backwards too.
cli_exit playback_seek(playback *p, uint64_t tick);

// The tick of the replica's present state.
uint64_t playback_tick(const playback *p);

typedef struct playback_span {
    uint64_t first, last; // ticks
    uint64_t records, images, commands;
    double hz;
    bool ended; // the end mark was read
} playback_span;

// Reads the whole file without playing it, and reports damage. Of a truncated recording the
// complete part is used, with a note.
cli_exit playback_measure(const cli *c, const char *path, playback_span *out);

// Reports an error of a file: CLI_USAGE, or CLI_REFUSED for states that differ.
cli_exit playback_fail(const char *path, const carom_error *error);

#endif
