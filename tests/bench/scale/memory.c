// Sweeps an array of wide rows and times it; see memory.h. One thread.
#include "tests/bench/scale/memory.h"

#include "tests/bench/clock.h"
#include "tests/bench/statistics.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SWEEPS = 15,               // timed
    BATCH_BYTES = 4 * 1000000, // smaller arrays are swept repeatedly, up to this many bytes
    ROW_BYTES = 32
};

typedef uint64_t row __attribute__((vector_size(ROW_BYTES)));

static void sweep(row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rows[i] += 1;
    }
    __asm__ volatile("" : : "r"(rows) : "memory"); // the compiler must treat it as read
}

double memory_sweep_ms(size_t bytes)
{
    const size_t count = bytes / ROW_BYTES + 1;
    const size_t batch = BATCH_BYTES / bytes + 1;
    row *rows = aligned_alloc(ROW_BYTES, count * sizeof *rows);
    if (rows == NULL) {
        abort();
    }
    memset(rows, 0, count * sizeof *rows);
    double samples[SWEEPS];
    for (int i = 0; i < SWEEPS; i++) {
        double begin = clock_seconds(CLOCK_CPU);
        for (size_t k = 0; k < batch; k++) {
            sweep(rows, count);
        }
        samples[i] = (clock_seconds(CLOCK_CPU) - begin) * 1e3 / (double)batch;
    }
    free(rows);
    return median(samples, SWEEPS);
}
