// The quality of a scene's outcome, measured in the same way for every engine: from the bodies'
// poses, with carom's geometry.
#ifndef CAROM_TESTS_BENCH_QUALITY_H
#define CAROM_TESTS_BENCH_QUALITY_H

#include "tests/bench/physics/engine.h"

typedef struct quality {
    double top;     // the highest origin of a dynamic body [m]
    double fastest; // largest speed of a dynamic body [m/s]
    double drift; // the farthest that one has come sideways from where it began [m]; negative where
    // a scene's bodies are meant to move
    double overlap; // the deepest of two shapes that may collide [m]
    // Median of the deepest overlap at OVERLAP_LOOKS times during the run [m]
    double overlap_typical;
    double overlap_deepest; // deepest overlap at those times [m]
    uint32_t out;           // bodies that left the scene's container, or are not finite
} quality;

enum { OVERLAP_LOOKS = 400 };

double quality_overlap(const scene_data *scene, const engine_body *bodies);
// Computes all values except those recorded during the run.
quality quality_measure(const scene_data *scene, const engine_body *bodies);

#endif
