// The run's random numbers and clocks, and its end after a failure; see sim.h.
#include "tests/simulation/sim.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "tests/unit/storage/fake_disk.h"

sim_run sim;

void sim_begin(uint64_t seed)
{
    sim = (sim_run){.seed = seed,
                    .random = seed * 7 + 5,
                    .trace = sim.trace,
                    .predicts = sim.predicts,
                    .planted = sim.planted};
    sim.now_ns = 1000000000 + (int64_t)sim_random(1000000000);
    sim.wall_ns = INT64_C(1700000000) * 1000000000;
    sim.reading_ns = sim_one_in(3) ? 0 : 1 + (int64_t)sim_random(20000);
    sim.activity = "beginning";
}

uint64_t sim_random(uint64_t bound)
{
    return fake_random(&sim.random) % bound;
}

bool sim_one_in(uint64_t count)
{
    return sim_random(count) == 0;
}

void sim_pass(int64_t ns)
{
    sim.now_ns += ns;
    sim.wall_ns += ns;
}

void sim_fail(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool wanted = *sim.planted != '\0';
    printf("%s: seed %" PRIu64 ", step %" PRIu64 ", %s: %s\n", wanted ? sim.planted : "FAILED",
           sim.seed, sim.steps, sim.activity, text);
    if (!wanted) {
        printf("repeat with: carom-simulate%s --trace %" PRIu64 "\n",
               sim.predicts ? " --predict" : "", sim.seed);
    }
    fflush(stdout);
    exit(wanted ? 0 : 1);
}

void sim_trace(const char *format, ...)
{
    if (!sim.trace) {
        return;
    }
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%10.6f ", (double)sim.now_ns * 1e-9);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

// ---- replacements for the system's clocks and random numbers (see CMakeLists.txt)

int64_t __wrap_clock_now_ns(void);
int64_t __wrap_clock_processor_ns(void);
double __wrap_clock_wall_s(void);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);

int64_t __wrap_clock_now_ns(void)
{
    if (sim.reading_ns > 0) {
        sim_pass((int64_t)sim_random((uint64_t)sim.reading_ns));
    }
    return sim.now_ns;
}

// Simulated threads never wait for a processor.
int64_t __wrap_clock_processor_ns(void)
{
    return sim.now_ns;
}

double __wrap_clock_wall_s(void)
{
    return (double)sim.wall_ns * 1e-9;
}

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)bytes)[i] = (uint8_t)sim_random(256);
    }
    return (ssize_t)size;
}
