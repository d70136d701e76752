// The two halves of a number: how many bits it has, and those bits. Inline, since the residuals of
// moving bodies are most of a stream's time. Internal to proto/packed; one thread at a time.
#ifndef CAROM_PROTO_PACKED_PACKED_NUMBER_H
#define CAROM_PROTO_PACKED_PACKED_NUMBER_H

#include "proto/packed/range_coder.h"

static inline int packed_bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

// The `count` bits of `value` below its highest one, which is known.
static inline __attribute__((always_inline)) uint64_t code_mantissa(range_state *s, range_coder *c,
                                                                    bit_model models[8][4],
                                                                    uint64_t value, int count,
                                                                    bool writes)
{
    uint64_t got = 1;
    const int row = count < 8 ? count : 7;
    for (int i = count - 1; i >= 0; i--) {
        const bool bit = (value >> i & 1) != 0;
        // The two highest by models: 1x and 1xx.
        const bool modelled = i >= count - 2;
        got = got << 1 | (modelled ? range_code_bit_as(s, c, &models[row][got & 3], bit, writes)
                                   : range_code_as(s, c, BIT_PROBABILITY_EVEN, bit, writes));
    }
    return got;
}

// A one for each power of two that is not the highest, then a zero unless it is the last that there
// is.
static inline __attribute__((always_inline)) int code_exponent(range_state *s, range_coder *c,
                                                               bit_model *models, int count,
                                                               int most, int exponent, bool writes)
{
    int e = 0;
    while (e < most &&
           range_code_bit_as(s, c, &models[e < count ? e : count - 1], e < exponent, writes)) {
        e++;
    }
    return e;
}

#endif
