// See coder.h.
#include "tests/bench/network/coder.h"

#include <math.h>

#include "common/base/assert.h"
#include "tests/bench/clock.h"

enum { BYTES_MAX = 64 << 20 };

static double worst_of(const packed_changes *c, const packed_body *bodies, int count, double steps)
{
    double worst = 0.0;
    int at = 0;
    for (uint32_t i = 0; i < c->body_count; i++) {
        while (at < count && bodies[at].id != c->bodies[i].id) {
            at++;
        }
        ASSERT(at < count);
        worst = fmax(worst, fabs(c->bodies[i].x - bodies[at].x) * steps);
        worst = fmax(worst, fabs(c->bodies[i].y - bodies[at].y) * steps);
    }
    return worst;
}

coded coder_run(const network_scene *s, const history *h)
{
    packed_precision precision = packed_precision_default();
    precision.position_steps = 1.0 / s->precision;
    packed_encoder *e = packed_encoder_create(&precision, s->hz);
    packed_decoder *d = packed_decoder_create();
    coded r = {0};
    double encoding = 0.0;
    double decoding = 0.0;
    buffer out;
    buffer_init(&out, BYTES_MAX);
    for (int i = 0; i < h->ticks; i++) {
        const packed_body *bodies = h->bodies + (size_t)i * (size_t)h->per_tick;
        packed_changes c;
        error err;
        buffer_clear(&out);
        double begin = clock_seconds(CLOCK_CPU);
        packed_encode(e, (uint64_t)i, bodies, (uint32_t)h->per_tick, NULL, 0, &out);
        const double encoded = clock_seconds(CLOCK_CPU) - begin;
        if (i == 0) {
            buffer_clear(&out);
            packed_encode_full(e, &out);
        }
        begin = clock_seconds(CLOCK_CPU);
        const status done = packed_decode(d, out.data, out.size, &c, &err);
        ASSERT(done == STATUS_OK);
        if (i > 0) {
            encoding += encoded;
            decoding += clock_seconds(CLOCK_CPU) - begin;
            r.bits += 8.0 * (double)out.size;
            r.moving += c.body_count;
        }
        r.worst = fmax(r.worst, worst_of(&c, bodies, h->per_tick, precision.position_steps));
    }
    buffer_clear(&out);
    packed_encode_full(e, &out);
    r.full_bytes = (double)out.size;
    r.encode_ns = encoding * 1e9 / r.moving;
    r.decode_ns = decoding * 1e9 / r.moving;
    buffer_deinit(&out);
    packed_encoder_destroy(e);
    packed_decoder_destroy(d);
    return r;
}
