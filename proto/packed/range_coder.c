// Bytes out with their carries, bytes in, and the end of a code; see range_coder.h. One thread at a
// time.
#include "proto/packed/range_coder.h"

#include "common/base/assert.h"

void range_coder_write(range_coder *c, buffer *out)
{
    *c = (range_coder){.state.range = UINT32_MAX, .out = out};
}

static void put(range_coder *c, uint8_t byte)
{
    buffer_append(c->out, &byte, 1);
}

// Outputs the highest byte of `low`. A byte of 0xff waits with the one before it, since a carry
// would run through both.
uint64_t range_coder_shift_out(range_coder *c, uint64_t low)
{
    const bool carry = low >> 32 != 0;
    if (carry || (uint32_t)low < 0xff000000u) {
        if (c->started) {
            put(c, (uint8_t)(c->pending + carry));
        }
        for (; c->pending_ff > 0; c->pending_ff--) {
            put(c, (uint8_t)(0xff + carry));
        }
        c->pending = (uint8_t)(low >> 24);
        c->started = true;
    } else {
        c->pending_ff++;
    }
    return (uint32_t)low << 8;
}

uint64_t range_coder_shift_in(range_coder *c, uint64_t code)
{
    uint8_t byte = 0;
    if (c->at < c->end) {
        byte = *c->at++;
    } else {
        c->missing++;
    }
    return (uint32_t)code << 8 | byte;
}

// Ends the code with that number from low to low + range which has the most zeros at its end: the
// reader supplies zeros past the end by itself.
void range_coder_finish(range_coder *c, size_t start)
{
    ASSERT(c->out != NULL);
    uint64_t low = c->state.low;
    const uint64_t last = low + c->state.range - 1;
    for (int zeros = 32; zeros >= 0; zeros--) {
        const uint64_t unit = (uint64_t)1 << zeros;
        const uint64_t value = (low + unit - 1) / unit * unit;
        if (value <= last) {
            low = value;
            break;
        }
    }
    for (int i = 0; i < 5; i++) {
        low = range_coder_shift_out(c, low);
    }
    size_t size = c->out->size;
    for (int i = 0; i < RANGE_LEFT_OUT_MAX && !c->out->overflow; i++) {
        if (size > start && c->out->data[size - 1] == 0) {
            size--;
        }
    }
    if (!c->out->overflow) {
        buffer_truncate(c->out, size);
    }
}

void range_coder_read(range_coder *c, const uint8_t *bytes, size_t size)
{
    *c = (range_coder){.state.range = UINT32_MAX, .at = bytes, .end = bytes + size};
    for (int i = 0; i < 4; i++) {
        c->state.low = range_coder_shift_in(c, c->state.low);
    }
}

uint64_t range_code_raw(range_coder *c, uint64_t value, int count)
{
    ASSERT(count >= 0 && count <= 64);
    uint64_t got = 0;
    for (int i = count - 1; i >= 0; i--) {
        const bool bit = range_code(c, BIT_PROBABILITY_EVEN, (value >> i & 1) != 0);
        got = got << 1 | bit;
    }
    return got;
}
