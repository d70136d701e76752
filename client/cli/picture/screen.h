// A live picture of a world: on the whole terminal with keys, or as frames one after another in a
// pipe. Only the output differs between the two. Only changed rows are written, so that a slow line
// can carry a moving world.
//
// The world comes from a source: a subscription, a replica beside one, or a recording. It feeds the
// stage's view; its functions let it work and pause, and handle further keys. Main thread only.
#ifndef CAROM_CLIENT_CLI_PICTURE_SCREEN_H
#define CAROM_CLIENT_CLI_PICTURE_SCREEN_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include <carom/prediction.h>
#include <carom/replica.h>

#include "client/tool/cli.h"
#include "client/cli/picture/canvas.h"
#include "client/cli/picture/picture.h"
#include "client/cli/picture/stage.h"
#include "client/cli/picture/watch.h"

typedef struct screen_source {
    void *context;
    // Works for up to `ms`; 0: without waiting. Errors end the picture through `fail`, which
    // reports them.
    carom_status (*work)(void *context, int ms, carom_error *error);
    cli_exit (*fail)(void *context, const carom_error *error);
    // Sets the descriptor to wait for, if there is one. Returns the milliseconds until the source
    // must work again; -1: only when the descriptor is ready.
    int (*wait)(void *context, struct pollfd *fd);
    void (*traffic)(void *context, uint64_t *snapshots, uint64_t *bytes); // totals so far
    void (*toggle_pause)(void *context);
    void (*step)(void *context);
    bool (*key)(void *context, int pressed); // NULL: there are no further keys
} screen_source;

// The fields down to `quit` are for sources too.
typedef struct screen {
    cli *c;
    const screen_source *source;
    stage stage;
    watch_look look;
    bool dirty; // something has changed since the last frame
    cli_exit code;
    bool quit;
    watch_meter meter;
    canvas canvas;
    camera cam;
    bool placed;     // the camera has been set
    bool following;  // the camera keeps the moving bodies in view
    bool refit;      // follow rather than show the scene's area
    uint64_t follow; // the body that the camera follows; 0: all moving bodies
    uint64_t seen_changes;
    int columns, rows; // size of the whole frame in characters
    char **shown;      // the text shown in each line of the terminal
    int shown_count;
    char line[CANVAS_ROW_BYTES(CANVAS_COLUMNS_MAX)];
} screen;

#define SCREEN_OPTIONS                                                                             \
    {"area",                                                                                       \
     'a',                                                                                          \
     ARGS_AREA,                                                                                    \
     "X0,Y0,X1,Y1",                                                                                \
     "the part to show (default: the scene's own, or moving bodies)",                              \
     NULL},                                                                                        \
        {"contacts", 0, ARGS_FLAG, NULL, "with the points where bodies touch", NULL},              \
        {"normals", 0, ARGS_FLAG, NULL, "with the normals at those points", NULL},                 \
        {"no-joints", 0, ARGS_FLAG, NULL, "without joints", NULL},                                 \
        {"ids", 0, ARGS_FLAG, NULL, "with the bodies' ids", NULL},                                 \
        {"ascii", 0, ARGS_FLAG, NULL, "plain characters instead of braille", NULL},                \
        {"frames", 'n', ARGS_COUNT, "N", "print N frames and end; needs no terminal", NULL},       \
        {"size", 0, ARGS_SIZE, "WxH", "of a printed frame in characters (default 80x24)", NULL},   \
    {                                                                                              \
        "interval", 'i', ARGS_SECONDS, "TIME", "between printed frames (default 1s)", NULL         \
    }

// The area around a followed body, relative to its position: that of --area, or one of default
// size.
void screen_follow_area(const cli *c, double area[4]);

// Checks the values of SCREEN_OPTIONS.
cli_exit screen_check(const cli *c);

// The caller initialises the stage (stage_init) when the data that it needs exists.
void screen_init(screen *w, cli *c, const screen_source *source);
void screen_deinit(screen *w);

// Copies a replica's state to the stage's view.
carom_status screen_show_replica(screen *w, carom_replica *replica, carom_error *error);
// As screen_show_replica(), for a predicted world.
carom_status screen_show_prediction(screen *w, carom_prediction *prediction, carom_error *error);

// Whether frames are printed; else the terminal is filled.
bool screen_prints_frames(const cli *c);

// Shows the world until the user, a signal, the source or the number of frames ends it.
cli_exit screen_run(screen *w);

#endif
