// How well a scene stands after its steps, measured in the same way for every engine: from where
// its bodies are, with carom's geometry.
#ifndef CAROM_TESTS_BENCH_QUALITY_H
#define CAROM_TESTS_BENCH_QUALITY_H

#include "tests/bench/physics/engine.h"

typedef struct quality {
    double top;     // the highest origin of a dynamic body [m]
    double fastest; // speed of a dynamic body [m/s]
    double drift; // the farthest that one has come sideways from where it began [m]; negative where
    // a scene's bodies are meant to move
    double overlap;         // the deepest of two shapes that may collide [m]
    double overlap_typical; // the median of that at OVERLAP_LOOKS times while the scene ran [m]
    double overlap_deepest; // the deepest of those looks [m]
    uint32_t out;           // bodies that left the scene's container, or finiteness
} quality;

enum { OVERLAP_LOOKS = 400 };

double quality_overlap(const scene_data *scene, const engine_body *bodies);
// All but what looks while the scene ran tell.
quality quality_measure(const scene_data *scene, const engine_body *bodies);

#endif
