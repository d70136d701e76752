// The part of a world that is worth seeing: the bodies that are still there, and of the ground what
// is near them. Some fall off the edge of most worlds, and go on falling: a picture of everything
// would be empty.
//
// A body has left if it is far from the others and on its way, or as far out as no world is built.
// Of those that remain the middle nine tenths are framed, with room around them where they are few:
// they are on their way to somewhere. The viewer does the same (client/web/viewer/draw/frame.js).
// Pure; any thread.
#ifndef CAROM_CLIENT_CLI_PICTURE_FRAME_H
#define CAROM_CLIENT_CLI_PICTURE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "client/cli/picture/picture.h"

typedef struct frame_body {
    point at;     // [m]
    double speed; // [m/s]
    bool fixed;   // static
    box bounds;   // of its shapes as it stands
} frame_body;

// The frame of these bodies, which are put into another order; empty without any. `home` is their
// first frame, of which bodies that leave it are left out, or NULL. False when memory has run out.
bool frame_find(frame_body *bodies, size_t count, const box *home, box *out);

#endif
