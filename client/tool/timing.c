// See timing.h.
#include "client/tool/timing.h"

// The count of the bin whose largest value is `top`, at the beginning.
static uint64_t count_before(const carom_value *bins, double top)
{
    for (size_t i = 0; i < carom_value_count(bins); i++) {
        const carom_value *bin = carom_value_at(bins, i);
        if (carom_as_real(carom_value_at(bin, 0), -1.0) == top) {
            return carom_as_uint(carom_value_at(bin, 1), 0);
        }
    }
    return 0;
}

// Computes the growth of the bins [top, count] from `before` to `after`.
timing timing_between(const carom_value *before, const carom_value *after)
{
    static const double percents[TIMING_SHARES] = {50.0, 90.0, 95.0, 99.0, 99.9, 100.0};
    timing out = {.count = 0};
    for (int pass = 0; pass < 2; pass++) {
        uint64_t seen = 0;
        int next = 0;
        for (size_t i = 0; i < carom_value_count(after); i++) {
            const carom_value *bin = carom_value_at(after, i);
            double top = carom_as_real(carom_value_at(bin, 0), 0.0);
            seen += carom_as_uint(carom_value_at(bin, 1), 0) - count_before(before, top);
            while (pass == 1 && next < TIMING_SHARES &&
                   (double)seen >= percents[next] / 100.0 * (double)out.count && seen > 0) {
                out.shares[next++] = top;
            }
        }
        out.count = seen;
    }
    return out;
}
