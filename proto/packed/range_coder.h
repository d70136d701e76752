// An adaptive binary range coder: bits of known probability into bytes, and back.
//
// The coder is G. Martin's range coder ("Range encoding: an algorithm for removing redundancy from
// a digitised message", 1979) for two symbols, with the carry handled as in I. Pavlov's LZMA. A
// probability is the mean of a fast and a slow estimate (both exponential: M. Mahoney, "Data
// Compression Explained", section 4.1.3), which adapts quickly to changes and is exact for constant
// probabilities.
//
// One set of functions codes both ways: a coder either writes the given bits or ignores them and
// returns the bits read, so that encoder and decoder cannot diverge. All arithmetic is on integers:
// the same on every machine. PROTOCOL.md, "Packed snapshots", describes it to the bit.
//
// One thread at a time.
#ifndef CAROM_PROTO_PACKED_RANGE_CODER_H
#define CAROM_PROTO_PACKED_RANGE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/wire/buffer.h"

// Two estimates of how likely a bit is 1, in 1/65536.
typedef struct bit_model {
    uint16_t fast, slow;
} bit_model;

enum {
    BIT_MODEL_EVEN = 1 << 15, // initial value of both estimates
    BIT_MODEL_FAST_SHIFT = 4, // a bit moves the fast estimate by 1/16 of the way to it,
    BIT_MODEL_SLOW_SHIFT = 7, // the slow average moves by 1/128
    BIT_PROBABILITY_BITS = 15,
    BIT_PROBABILITY_EVEN = 1 << (BIT_PROBABILITY_BITS - 1),
    BIT_PROBABILITY_MIN = 20, // in units of 2^-15: no bit costs more than eleven
    RANGE_LEFT_OUT_MAX = 4,
    RANGE_TOP = 1 << 24 // while the range is below this, a byte is shifted out
};

// The part of a coder that changes with each bit. A caller that codes many bits in a row may keep
// it in a local variable.
typedef struct range_state {
    uint32_t range;
    uint64_t low; // reading: the code, below 2^32
} range_state;

typedef struct range_coder {
    range_state state;
    // writing
    buffer *out;         // NULL: this one reads
    uint8_t pending;     // the byte that a carry may still change
    uint32_t pending_ff; // number of 0xff bytes after it
    bool started;        // a byte is pending
    // reading
    const uint8_t *at, *end;
    uint32_t missing; // bytes that were read past the end, as zeros
} range_coder;

void range_coder_write(range_coder *c, buffer *out);
// Ends the writing: all bits are in `out`. Up to RANGE_LEFT_OUT_MAX zeros at the end are left out,
// as a reader finds zeros past the end; `start` is where in `out` the coder's bytes begin.
void range_coder_finish(range_coder *c, size_t start);

void range_coder_read(range_coder *c, const uint8_t *bytes, size_t size);
// Whether more was read past the end than a writer can have left out: the bytes are incomplete.
static inline bool range_coder_overrun(const range_coder *c)
{
    return c->missing > RANGE_LEFT_OUT_MAX;
}
// Whether all bytes were read.
static inline bool range_coder_at_end(const range_coder *c)
{
    return c->at == c->end;
}

// Internal: write or read one byte. They return the next `low`.
uint64_t range_coder_shift_out(range_coder *c, uint64_t low);
uint64_t range_coder_shift_in(range_coder *c, uint64_t code);

static inline uint32_t bit_model_probability(const bit_model *m)
{
    uint32_t p = ((uint32_t)m->fast + m->slow) >> 2;
    const uint32_t most = (1u << BIT_PROBABILITY_BITS) - BIT_PROBABILITY_MIN;
    return p < BIT_PROBABILITY_MIN ? BIT_PROBABILITY_MIN : p > most ? most : p;
}

static inline void bit_model_learn(bit_model *m, bool bit)
{
    if (bit) {
        m->fast = (uint16_t)(m->fast + ((65535 - m->fast) >> BIT_MODEL_FAST_SHIFT));
        m->slow = (uint16_t)(m->slow + ((65535 - m->slow) >> BIT_MODEL_SLOW_SHIFT));
    } else {
        m->fast = (uint16_t)(m->fast - (m->fast >> BIT_MODEL_FAST_SHIFT));
        m->slow = (uint16_t)(m->slow - (m->slow >> BIT_MODEL_SLOW_SHIFT));
    }
}

// Codes one bit whose probability of being 1 is `p` / 2^15: written if `writes`, else read. Returns
// the bit. `s` is the coder's state, or a copy that is stored back later; a constant `writes`
// leaves only one direction's code.
static inline __attribute__((always_inline)) bool range_code_as(range_state *s, range_coder *c,
                                                                uint32_t p, bool bit, bool writes)
{
    const uint32_t bound = (s->range >> BIT_PROBABILITY_BITS) * p;
    if (!writes) {
        bit = s->low < bound;
    }
    if (bit) {
        s->range = bound;
    } else {
        s->low += writes ? bound : -(uint64_t)bound;
        s->range -= bound;
    }
    while (s->range < RANGE_TOP) {
        s->range <<= 8;
        s->low = writes ? range_coder_shift_out(c, s->low) : range_coder_shift_in(c, s->low);
    }
    return bit;
}

// Codes one bit with its model, which learns from it.
static inline __attribute__((always_inline)) bool
range_code_bit_as(range_state *s, range_coder *c, bit_model *m, bool bit, bool writes)
{
    bit = range_code_as(s, c, bit_model_probability(m), bit, writes);
    bit_model_learn(m, bit);
    return bit;
}

static inline bool range_code(range_coder *c, uint32_t p, bool bit)
{
    return range_code_as(&c->state, c, p, bit, c->out != NULL);
}

static inline bool range_code_bit(range_coder *c, bit_model *m, bool bit)
{
    return range_code_bit_as(&c->state, c, m, bit, c->out != NULL);
}

// `count` bits (0 to 64), the highest first, each as likely 0 as 1.
uint64_t range_code_raw(range_coder *c, uint64_t value, int count);

#endif
