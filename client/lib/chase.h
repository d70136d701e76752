// Predictive interpolation of one body; carom/interpolation.h has the rules. client/web/src/
// predictive.js is the same in the npm package, with the same constants. Pure except for the
// struct; one thread at a time.
#ifndef CAROM_CLIENT_LIB_CHASE_H
#define CAROM_CLIENT_LIB_CHASE_H

#include <stdbool.h>

#include <carom/snapshot.h>

typedef struct chase {
    double x, y, angle; // where the body is drawn
    double watched_s;   // time since `watched` was recorded
    double watched;     // [m]
    bool snaps;
    bool still; // it is drawn where it rests: nothing to do before its next row
} chase;

typedef struct chase_frame {
    double dt;  // length of the frame [s]
    double age; // age of the body's state [s]
    bool rest;  // it is known not to have moved since
    double rtt; // round trip [s]
} chase_frame;

// Begins at the body's position.
void chase_begin(chase *c, const carom_body *body);
void chase_advance(chase *c, const carom_body *body, const chase_frame *frame);

#endif
