// See histogram.h. A value's bin is its highest bits: shift away all but the top STEP_BITS + 1 of
// them, and number the results by the shift.
#include "client/tool/histogram.h"

#include <string.h>

enum { STEPS = 1 << HISTOGRAM_STEP_BITS };

static unsigned shift_of(uint64_t value)
{
    unsigned bits = value == 0 ? 1 : 64u - (unsigned)__builtin_clzll(value);
    return bits > HISTOGRAM_STEP_BITS + 1 ? bits - (HISTOGRAM_STEP_BITS + 1) : 0;
}

unsigned histogram_bin(uint64_t value)
{
    unsigned shift = shift_of(value);
    return shift * STEPS + (unsigned)(value >> shift);
}

uint64_t histogram_bin_top(unsigned bin)
{
    unsigned shift = bin < 2 * STEPS ? 0 : bin / STEPS - 1;
    uint64_t step = bin - shift * STEPS;
    return (step << shift) + ((UINT64_C(1) << shift) - 1);
}

void histogram_init(histogram *h)
{
    memset(h, 0, sizeof *h);
}

void histogram_record(histogram *h, uint64_t value)
{
    histogram_record_many(h, value, 1);
}

void histogram_record_many(histogram *h, uint64_t value, uint64_t count)
{
    if (count == 0) {
        return;
    }
    h->counts[histogram_bin(value)] += count;
    h->smallest = h->total == 0 || value < h->smallest ? value : h->smallest;
    h->largest = value > h->largest ? value : h->largest;
    h->total += count;
    h->sum += (double)value * (double)count;
}

void histogram_merge(histogram *into, const histogram *from)
{
    if (from->total == 0) {
        return;
    }
    for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
        into->counts[i] += from->counts[i];
    }
    into->smallest =
        into->total == 0 || from->smallest < into->smallest ? from->smallest : into->smallest;
    into->largest = from->largest > into->largest ? from->largest : into->largest;
    into->total += from->total;
    into->sum += from->sum;
}

uint64_t histogram_percentile(const histogram *h, double percent)
{
    if (h->total == 0) {
        return 0;
    }
    double share = percent < 0.0 ? 0.0 : percent > 100.0 ? 1.0 : percent / 100.0;
    double exact = share * (double)h->total;
    uint64_t wanted = (uint64_t)exact;
    wanted += (double)wanted < exact ? 1u : 0u;
    wanted = wanted == 0 ? 1 : wanted;
    uint64_t seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
        seen += h->counts[i];
        if (seen >= wanted) {
            uint64_t top = histogram_bin_top(i);
            return top < h->largest ? top : h->largest;
        }
    }
    return h->largest;
}

double histogram_mean(const histogram *h)
{
    return h->total == 0 ? 0.0 : h->sum / (double)h->total;
}
