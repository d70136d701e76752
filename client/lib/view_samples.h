// Past states of a body, as a ring of `depth` samples. Internal to the view.
#ifndef CAROM_CLIENT_LIB_VIEW_SAMPLES_H
#define CAROM_CLIENT_LIB_VIEW_SAMPLES_H

#include <stdint.h>

#include <carom/snapshot.h>

// The state of a body at a time of the world.
typedef struct view_sample {
    double time;
    double x, y, angle, vx, vy, w;
} view_sample;

typedef struct sample_ring {
    uint8_t newest, count;
} sample_ring;

// Sets the pose and the velocities of *out to those at `time`, between two samples or at the
// nearest end. The ring has at least one sample.
void samples_at(const view_sample *samples, sample_ring ring, uint32_t depth, double time,
                carom_body *out);

#endif
