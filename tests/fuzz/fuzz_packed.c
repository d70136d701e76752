// A stream of packed snapshots as a client decodes it: each piece is its length (two bytes, low one
// first) and its bytes. After a refusal only a full snapshot is accepted; accepted snapshots name
// each body once, within limits, with finite values.
#include <math.h>

#include "common/base/assert.h"
#include "proto/packed/packed.h"
#include "tests/fuzz/fuzz.h"

static void check(const packed_changes *c)
{
    ASSERT(c->body_count <= PACKED_BODIES_MAX && c->entered_count <= PACKED_BODIES_MAX);
    for (uint32_t i = 0; i < c->body_count; i++) {
        const packed_body *b = &c->bodies[i];
        ASSERT(b->id != 0 && b->id < (uint64_t)1 << 53);
        ASSERT(isfinite(b->x) && isfinite(b->y) && fabs(b->angle) <= 3.1416);
        ASSERT(isfinite(b->vx) && isfinite(b->vy) && isfinite(b->spin));
    }
    for (uint32_t i = 1; i < c->entered_count; i++) {
        ASSERT((c->entered[i] & 0xffffff) > (c->entered[i - 1] & 0xffffff));
    }
    ASSERT(!c->full || (c->removed_count == 0 && c->left_count == 0 && c->entered_count == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    packed_decoder *d = packed_decoder_create();
    ASSERT(d != NULL);
    bool begun = false;
    for (size_t at = 0; at + 1 < size;) {
        size_t length = (size_t)data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        length = length < size - at ? length : size - at;
        packed_changes c;
        error err = {STATUS_OK, ""};
        const status s = packed_decode(d, data + at, length, &c, &err);
        if (s == STATUS_OK) {
            ASSERT(c.full || begun);
            check(&c);
        } else {
            ASSERT(err.text[0] != '\0');
        }
        begun = s == STATUS_OK;
        at += length;
    }
    packed_decoder_destroy(d);
    return 0;
}
