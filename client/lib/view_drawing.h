// The drawing of a view with interpolation: the time that is drawn, and the bodies that are
// gone and still drawn. Internal to the view.
//
// Invariants
//  - `since` (and `chases`, predictive) are parallel to the view's bodies.
//  - What is delayed is drawn from the view's history (view_history.c); a body that is gone took
//  its
//    samples and its description along.
#ifndef CAROM_CLIENT_LIB_VIEW_DRAWING_H
#define CAROM_CLIENT_LIB_VIEW_DRAWING_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/view.h>

#include "client/lib/chase.h"
#include "client/lib/playback.h"
#include "client/lib/view_samples.h"
#include "common/base/vector.h"

typedef struct departed_body {
    carom_body body;       // its last state
    carom_body_info *info; // NULL: not described
    view_sample *samples;  // as many as the view keeps of each body
    sample_ring ring;
    double since, until; // world times of its appearance and its removal [s]
} departed_body;

typedef struct view_drawing {
    bool predictive;
    playback playback;
    double rtt;
    double shown;         // world time that is drawn; NAN: none yet
    double advanced;      // local time of the last advance; NAN: none yet
    double swept;         // local time of the last search for bodies that cannot be drawn any more
    VECTOR(double) since; // world times of the bodies' appearance
    VECTOR(chase) chases;
    VECTOR(departed_body) departed;
} view_drawing;

// NULL when memory has run out.
view_drawing *drawing_create(const carom_view_options *options);
void drawing_free(view_drawing *d); // NULL is allowed

// The functions below do nothing for a view without a drawing.

// Makes room for `bodies` bodies; false when memory has run out.
bool drawing_reserve(carom_view *view, uint64_t bodies);
// Begins to draw a body that was appended; room was made before.
void drawing_add(carom_view *view, uint32_t place);
// Ends a body, before its history is removed; with `departs` it is drawn until its end is shown.
// Returns whether the drawing took the body's description.
bool drawing_remove(carom_view *view, uint32_t place, uint32_t last, bool departs);
// Records that the body has a new state.
void drawing_update(carom_view *view, uint32_t place);
void drawing_reset(carom_view *view);
// Called when a snapshot has arrived and its head is applied, with the time until which nothing had
// moved, and again when it is applied completely.
void drawing_arrived(carom_view *view, double now, double since);
void drawing_settle(carom_view *view, double now);
// Whether an event of that world time may be reported now.
bool drawing_shows(const carom_view *view, double time);

#endif
