// The packed coder alone: bits and time per body; a decoder checks the output.
#ifndef CAROM_TESTS_BENCH_NETWORK_CODER_H
#define CAROM_TESTS_BENCH_NETWORK_CODER_H

#include "tests/bench/network/history.h"
#include "tests/bench/network/scenes.h"

typedef struct coded {
    double bits;      // total size of data
    double moving;    // total number of coded bodies
    double encode_ns; // time to code one body
    double decode_ns;
    double full_bytes; // size of the last full snapshot, which a new reader gets
    double worst;      // largest error of a place, in steps
} coded;

// Codes the history of a scene, tick for tick, and decodes it again.
coded coder_run(const network_scene *s, const history *h);

#endif
