// The coder of packed snapshots: bits, numbers, and axes in lanes.
#include "tests/unit/proto/packed_rig.h"

#include <stdlib.h>

#include <math.h>

#include "proto/packed/packed_axes.h"
#include "proto/packed/packed_stream.h"
#include "proto/packed/range_coder.h"

// ---- the coder

static void range_coder_returns_every_bit_at_any_probability(void **state)
{
    (void)state;
    enum { BITS = 20000 };
    static bool bits[BITS];
    static uint32_t chances[BITS];
    for (int round = 0; round < 20; round++) {
        buffer out;
        range_coder c;
        buffer_init(&out, BYTES_MAX);
        range_coder_write(&c, &out);
        const uint32_t lean = random_bits() % 4;
        for (int i = 0; i < BITS; i++) {
            chances[i] = BIT_PROBABILITY_MIN + random_bits() % (32768 - 2 * BIT_PROBABILITY_MIN);
            bits[i] = lean == 0 ? false : lean == 1 ? true : random_bits() % 32768 < chances[i];
            range_code(&c, chances[i], bits[i]);
        }
        range_coder_finish(&c, 0);
        range_coder_read(&c, out.data, out.size);
        for (int i = 0; i < BITS; i++) {
            assert_int_equal(range_code(&c, chances[i], false), bits[i]);
        }
        assert_false(range_coder_overrun(&c));
        assert_true(range_coder_at_end(&c));
        buffer_deinit(&out);
    }
}

// The most probable bits and then an improbable one make a carry run through a row of 0xff.
static void range_coder_carries_through_full_bytes(void **state)
{
    (void)state;
    for (int likely = 0; likely < 300; likely++) {
        buffer out;
        range_coder c;
        buffer_init(&out, BYTES_MAX);
        range_coder_write(&c, &out);
        for (int i = 0; i < likely; i++) {
            range_code(&c, BIT_PROBABILITY_MIN, false); // low comes close to the top
        }
        range_code_raw(&c, 0x123456789abcdefu, 64);
        range_coder_finish(&c, 0);
        range_coder_read(&c, out.data, out.size);
        for (int i = 0; i < likely; i++) {
            assert_false(range_code(&c, BIT_PROBABILITY_MIN, false));
        }
        assert_true(range_code_raw(&c, 0, 64) == 0x123456789abcdefu);
        assert_false(range_coder_overrun(&c));
        buffer_deinit(&out);
    }
}

static void numbers_return_up_to_their_limits(void **state)
{
    (void)state;
    static const int64_t CASES[] = {
        0, 1, 2, 3, 7, 8, 1000, (int64_t)1 << 39, -1, -2, -77777, -((int64_t)1 << 39)};
    enum { COUNT = sizeof CASES / sizeof *CASES };
    packed_models models;
    number_model *m = &models.ticks;
    buffer out;
    range_coder c;
    buffer_init(&out, BYTES_MAX);
    packed_models_init(&models);
    range_coder_write(&c, &out);
    for (int i = 0; i < COUNT; i++) {
        assert_true(code_signed(&c, m, CASES[i]) == CASES[i]);
    }
    code_number(&c, m, ((uint64_t)1 << 41) - 2);
    range_coder_finish(&c, 0);
    packed_models_init(&models);
    range_coder_read(&c, out.data, out.size);
    for (int i = 0; i < COUNT; i++) {
        assert_true(code_signed(&c, m, 0) == CASES[i]);
    }
    assert_true(code_number(&c, m, 0) == ((uint64_t)1 << 41) - 2);
    buffer_deinit(&out);
}

// ---- lanes

static int32_t random_up_to(int32_t most)
{
    const int bits = (int)(random_bits() % 31);
    const int32_t size = (int32_t)(random_bits() & ((1u << bits) - 1)) % (most + 1);
    return random_bits() % 2 != 0 ? size : -size;
}

static packed_axes random_axes(void)
{
    packed_axes a = {0};
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        for (int k = 0; k < FILTER_TOLD; k++) {
            a.filters[k].at[i] = random_up_to(PARTS / 2 - 1);
            a.filters[k].rate[i] = random_up_to(PARTS_MOST);
            a.filters[k].error[i] = abs(random_up_to(PACKED_ERROR_MOST));
        }
        a.wild[i] = abs(random_up_to(PACKED_WILD_MOST));
        a.wilder[i] = abs(random_up_to(PACKED_WILD_MOST));
        a.still[i] = (int32_t)(random_bits() % 32);
        a.last[i] = (int32_t)(random_bits() % 3) - 1;
    }
    return a;
}

// Three axes in lanes give the same result as each axis by itself in 64 bits.
static void axes_in_lanes_learn_as_one_by_one(void **state)
{
    (void)state;
    const packed_motion motion = {.ticks = 1};
    int quick = 0;
    for (int round = 0; round < 200000; round++) {
        packed_axes lanes = random_axes();
        packed_axes single = lanes;
        packed_forecast f = {0};
        packed_axes_forecast(&f, &lanes, &motion, NULL);
        for (int k = 0; k < FILTER_TOLD; k++) {
            const packed_lanes slowly = packed_candidates_after(&lanes.filters[k], 1);
            assert_memory_equal(&slowly, &f.candidate[k], sizeof slowly);
        }
        int64_t residual[PACKED_AXES_POSE];
        int64_t change[PACKED_AXES_POSE];
        const int32_t most = round % 3 == 0 ? 1 << 30 : round % 3 == 1 ? 4096 : 2;
        bool small = true;
        for (int i = 0; i < PACKED_AXES_POSE; i++) {
            residual[i] = random_up_to(most);
            small = small && abs(f.steps[i]) < 100 && most <= 2;
        }
        quick += small;
        packed_axes_update(&lanes, &f, &motion, residual, change);
        packed_axes_update_slowly(&single, &f, &motion, residual, change);
        stop_filters(&single);
        assert_memory_equal(&lanes, &single, sizeof lanes);
    }
    assert_true(quick > 1000); // both ways were taken
}

int run_packed_coder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(range_coder_returns_every_bit_at_any_probability, begin),
        cmocka_unit_test_setup(range_coder_carries_through_full_bytes, begin),
        cmocka_unit_test_setup(numbers_return_up_to_their_limits, begin),
        cmocka_unit_test_setup(axes_in_lanes_learn_as_one_by_one, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
