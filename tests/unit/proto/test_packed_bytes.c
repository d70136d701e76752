// Packed snapshots that were cut off, altered or made up.
#include "tests/unit/proto/packed_rig.h"

#include <stdlib.h>
#include <string.h>

#include "proto/packed/packed_axes.h"
#include "proto/packed/packed_stream.h"

// ---- bytes that are not what an encoder wrote

// A stream's full snapshot and the change after it, and a decoder that has seen neither.
typedef struct pair {
    buffer full;
    buffer change;
    packed_decoder *decoder;
} pair;

static void pair_init(pair *p)
{
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    crowd *w = calloc(1, sizeof *w);
    buffer_init(&p->full, BYTES_MAX);
    buffer_init(&p->change, BYTES_MAX);
    p->decoder = packed_decoder_create();
    for (int i = 0; i < 40; i++) {
        step_crowd(w, 1, 60.0);
        buffer_clear(&p->change);
        packed_encode(e, w->tick, w->view, w->count, w->removed, w->removed_count, &p->change);
    }
    packed_encode_full(e, &p->full);
    step_crowd(w, 1, 60.0);
    buffer_clear(&p->change);
    packed_encode(e, w->tick, w->view, w->count, w->removed, w->removed_count, &p->change);
    packed_encoder_destroy(e);
    free(w);
}

static void pair_deinit(pair *p)
{
    packed_decoder_destroy(p->decoder);
    buffer_deinit(&p->full);
    buffer_deinit(&p->change);
}

// Decodes a copy of the exact size, so that a sanitizer sees a read past the end.
static status decode_copy(packed_decoder *d, const uint8_t *bytes, size_t size, error *err)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    packed_changes c;
    *err = (error){STATUS_OK, ""};
    const status s = packed_decode(d, copy, size, &c, err);
    assert_true(s == STATUS_OK || err->text[0] != '\0');
    free(copy);
    return s;
}

// The full snapshot and then the change are accepted.
static void expect_pair(pair *p)
{
    error err;
    assert_int_equal(decode_copy(p->decoder, p->full.data, p->full.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(p->decoder, p->change.data, p->change.size, &err), STATUS_OK);
}

static void change_without_its_state_is_refused(void **state)
{
    (void)state;
    error err;
    pair p;
    pair_init(&p);
    assert_int_equal(decode_copy(p.decoder, p.change.data, p.change.size, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "without the state"));
    expect_pair(&p);
    pair_deinit(&p);
}

static void unknown_first_bytes_are_refused(void **state)
{
    (void)state;
    error err;
    packed_decoder *d = packed_decoder_create();
    for (int first = 0; first < 256; first++) {
        if (first >> 4 != PACKED_VERSION || (first & 0xc) != 0) {
            const uint8_t bytes[] = {(uint8_t)first, 0, 0, 0, 0};
            assert_int_equal(decode_copy(d, bytes, sizeof bytes, &err), STATUS_INVALID_ARGUMENT);
            assert_non_null(strstr(err.text, "first byte"));
        }
    }
    assert_int_equal(decode_copy(d, NULL, 0, &err), STATUS_INVALID_ARGUMENT);
    packed_decoder_destroy(d);
}

// Every cut of a full snapshot is refused; afterwards the whole one is still accepted.
static void full_that_was_cut_off_is_refused(void **state)
{
    (void)state;
    error err;
    pair p;
    pair_init(&p);
    for (size_t size = 0; size < p.full.size; size++) {
        assert_int_equal(decode_copy(p.decoder, p.full.data, size, &err), STATUS_INVALID_ARGUMENT);
    }
    expect_pair(&p);
    pair_deinit(&p);
}

static void altered_bytes_are_survived(void **state)
{
    (void)state;
    error err;
    pair p;
    pair_init(&p);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        buffer *b = i % 2 == 0 ? &p.full : &p.change;
        const size_t at = 1 + random_bits() % (b->size - 1);
        const uint8_t was = b->data[at];
        b->data[at] ^= (uint8_t)(1u << random_bits() % 8);
        if (b == &p.change) {
            assert_int_equal(decode_copy(p.decoder, p.full.data, p.full.size, &err), STATUS_OK);
        }
        refused += decode_copy(p.decoder, b->data, b->size, &err) != STATUS_OK;
        if (decode_copy(p.decoder, p.change.data, p.change.size, &err) != STATUS_OK) {
            refused++;
        }
        b->data[at] = was;
    }
    assert_true(refused > 1000); // there is no checksum: some alterations are another world
    pair_deinit(&p);
}

// With false counts, a few bytes cannot make a reader allocate more bodies than it received bits.
static void made_up_counts_are_bounded_by_the_bytes(void **state)
{
    (void)state;
    error err;
    packed_decoder *d = packed_decoder_create();
    packed_changes c;
    for (int i = 0; i < 5000; i++) {
        uint8_t bytes[48];
        bytes[0] = PACKED_VERSION << 4 | 1;
        for (size_t k = 1; k < sizeof bytes; k++) {
            bytes[k] = random_bits() % 3 == 0   ? 0xff
                       : random_bits() % 2 == 0 ? 0
                                                : (uint8_t)random_bits();
        }
        if (packed_decode(d, bytes, sizeof bytes, &c, &err) == STATUS_OK) {
            assert_true(c.body_count <= 8 * sizeof bytes);
        }
    }
    packed_decoder_destroy(d);
}

// Neither a full snapshot nor a change brings more bodies than the reader's bound, and a full one
// within it is accepted afterwards.
static void bodies_beyond_the_bound_are_refused(void **state)
{
    (void)state;
    enum { BODIES = 100 };
    packed_body bodies[BODIES];
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_decoder *d = packed_decoder_create();
    const uint64_t empty = packed_decoder_bytes(d);
    buffer few;
    buffer more;
    buffer all;
    error err;
    buffer_init(&few, BYTES_MAX);
    buffer_init(&more, BYTES_MAX);
    buffer_init(&all, BYTES_MAX);
    for (uint64_t i = 0; i < BODIES; i++) {
        bodies[i] = (packed_body){.id = i + 1, .x = (double)i, .vx = 1.0};
    }
    packed_encode(e, 1, bodies, BODIES / 2, NULL, 0, &more);
    packed_encode_full(e, &few);
    buffer_clear(&more);
    packed_encode(e, 2, bodies, BODIES, NULL, 0, &more);
    packed_encode_full(e, &all);
    packed_decoder_bound(d, BODIES - 1);
    assert_int_equal(decode_copy(d, all.data, all.size, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "more than 99 bodies"));
    assert_int_equal(decode_copy(d, few.data, few.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(d, more.data, more.size, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "more than 99 bodies"));
    packed_decoder_bound(d, BODIES);
    assert_int_equal(decode_copy(d, few.data, few.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(d, more.data, more.size, &err), STATUS_OK);
    assert_true(packed_decoder_bytes(d) <= empty + (uint64_t)BODIES * PACKED_DECODER_BODY_BYTES);
    packed_decoder_bound(d, 1); // the others took the memory meanwhile
    assert_int_equal(decode_copy(d, all.data, all.size, &err), STATUS_LIMIT_EXCEEDED);
    packed_decoder_destroy(d);
    packed_encoder_destroy(e);
    buffer_deinit(&few);
    buffer_deinit(&more);
    buffer_deinit(&all);
}

int run_packed_bytes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(change_without_its_state_is_refused, begin),
        cmocka_unit_test_setup(unknown_first_bytes_are_refused, begin),
        cmocka_unit_test_setup(full_that_was_cut_off_is_refused, begin),
        cmocka_unit_test_setup(altered_bytes_are_survived, begin),
        cmocka_unit_test_setup(made_up_counts_are_bounded_by_the_bytes, begin),
        cmocka_unit_test_setup(bodies_beyond_the_bound_are_refused, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
