// A picture of a world as text, which carom watch shows on a terminal or as frames in a pipe.
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

// Choices of what to draw.
typedef struct watch_look {
    bool contacts;
    bool normals;
    bool ids;
    bool joints;
    bool help;       // a list of the keys over the picture
    uint64_t picked; // a body to highlight and to show details of; 0: none
} watch_look;

enum { WATCH_MARKS = 5 }; // a second apart

// Counts at one time.
typedef struct watch_mark {
    double at; // [s]
    uint64_t tick, snapshots, bytes;
} watch_mark;

// Rates over the last seconds. Over a single second they would jump by the few ticks that fall to
// either side of its end.
typedef struct watch_meter {
    watch_mark marks[WATCH_MARKS]; // the oldest first
    int count;
    double ticks_per_s, snapshots_per_s, bytes_per_s; // the last results
    bool measured;
} watch_meter;

// Updates the results when a second has passed. Counting begins with the first snapshot: before it
// there is no tick to count from.
void watch_meter_update(watch_meter *m, double now, uint64_t tick, uint64_t snapshots,
                        uint64_t bytes);

// Draws bodies, joints, contacts, then the texts that lie over them. Clears the canvas first. Ids
// that would cover another id are left out.
void watch_draw(const stage *s, const camera *cam, watch_look look, canvas *c);

// Writes the line above the picture: world, tick, pace, bodies, contacts, step, traffic. Fields
// that do not fit `columns` are left out, the least important first; no field is cut.
void watch_status(const stage *s, const watch_meter *m, int columns, char *out, size_t size);

// Writes the line of keys below the picture, also cut only between entries.
void watch_keys(const stage *s, bool following, int columns, char *out, size_t size);

// The body whose outline is nearest to a point and at most `reach` metres away; 0: none.
uint64_t watch_pick(const stage *s, point at, double reach);

// The next body (`step` 1) or the one before (-1) among those in view, by id, wrapping around; the
// first when `from` is 0 or gone. 0 when none is in view.
uint64_t watch_pick_next(const stage *s, const camera *cam, const canvas *c, uint64_t from,
                         int step);

#endif
