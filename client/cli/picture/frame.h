// The part of a world that is worth showing: the bodies that have not left, and the ground near
// them. In most worlds some bodies fall off the edge and go on falling: a picture of all bodies
// would look empty.
//
// A body has left if it is far from the others and fast, so far from most that they would be dots
// beside it, or farther out than any world is built. The nine tenths of the rest that lie closest
// together are framed, with space around them if they are few, since they may move. The viewer does
// the same (client/web/viewer/draw/frame.js). Pure; any thread.
#ifndef CAROM_CLIENT_CLI_PICTURE_FRAME_H
#define CAROM_CLIENT_CLI_PICTURE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "client/cli/picture/picture.h"

typedef struct frame_body {
    point at;     // [m]
    double speed; // [m/s]
    bool fixed;   // static
    box bounds;   // around its shapes, in its present pose
} frame_body;

// Computes the frame of these bodies, and reorders them; empty without any. `home` is their first
// frame (bodies that leave it are ignored), or NULL. False when memory has run out.
bool frame_find(frame_body *bodies, size_t count, const box *home, box *out);

#endif
