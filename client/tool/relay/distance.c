// Delay, jitter and stalls of one direction; see distance.h. The generator is SplitMix64 (Steele,
// Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#include "client/tool/relay/distance.h"

enum { SEGMENT_BYTES = 1448 }; // TCP payload over Ethernet, with timestamps

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// Draws a number uniform in [0, 1).
static double next_unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

void distance_init(distance *d, const distance_options *options, uint64_t number)
{
    uint64_t mixed = options->seed;
    mixed = next_random(&mixed) + number;
    *d = (distance){.options = *options, .random = next_random(&mixed)};
}

double distance_arrival(distance *d, double now, size_t size)
{
    const distance_options *o = &d->options;
    double at = now + o->delay + o->jitter * (2.0 * next_unit(&d->random) - 1.0);
    at = at > d->last ? at : d->last;
    for (size_t sent = 0; sent < size; sent += SEGMENT_BYTES) {
        if (next_unit(&d->random) < o->stall) {
            at += o->stall_time;
            d->stalls++;
        }
    }
    d->last = at;
    return at;
}
