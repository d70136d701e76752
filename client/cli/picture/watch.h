// A picture of a world as text: what carom watch shows, on a terminal or as frames in a pipe.
//
// Drawing only: no input, no network. Main thread only.
#ifndef CAROM_CLIENT_CLI_PICTURE_WATCH_H
#define CAROM_CLIENT_CLI_PICTURE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/cli/picture/canvas.h"
#include "client/cli/picture/picture.h"
#include "client/cli/picture/stage.h"

// What is to be seen.
typedef struct watch_look {
    bool contacts;
    bool normals;
    bool ids;
    bool joints;
} watch_look;

// How fast things go, over about the last second.
typedef struct watch_meter {
    double since;                                     // when counting began [s]
    uint64_t tick, snapshots, bytes;                  // the counts then
    double ticks_per_s, snapshots_per_s, bytes_per_s; // the last results
    bool measured;
} watch_meter;

// Renews the results when a second has gone by.
void watch_meter_update(watch_meter *m, double now, uint64_t tick, uint64_t snapshots,
                        uint64_t bytes);

// Bodies, joints, contacts. The canvas is cleared first.
void watch_draw(const stage *s, const camera *cam, watch_look look, canvas *c);

// The line above the picture: world, tick, pace, bodies, traffic. Cut to `columns`.
void watch_status(const stage *s, const watch_meter *m, int columns, char *out, size_t size);

#endif
