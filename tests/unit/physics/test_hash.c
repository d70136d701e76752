// The state hash: every change changes it, a value that moves from one object to another changes
// it, and each way of computing it gives the same result.
#include "tests/unit/physics/scene_helpers.h"

#include <stdlib.h>

#include "common/base/fold.h"

static uint64_t next_random(uint64_t *r)
{
    *r = *r * 6364136223846793005ULL + 1442695040888963407ULL;
    return *r ^ *r >> 33;
}

static void product_by_halves_is_that_of_the_machine(void **state)
{
    (void)state;
    const uint64_t edges[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT32_MAX, 1ULL << 32, 1ULL << 63};
    const size_t count = sizeof edges / sizeof *edges;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            assert_true(fold_product(edges[i], edges[k]) ==
                        fold_product_by_halves(edges[i], edges[k]));
        }
    }
    // (2^64 - 1)^2 = (2^64 - 2) 2^64 + 1
    assert_true(fold_product_by_halves(UINT64_MAX, UINT64_MAX) == ((UINT64_MAX - 1) ^ 1));
    uint64_t r = 1;
    for (int i = 0; i < 10000; i++) {
        uint64_t a = next_random(&r);
        uint64_t b = next_random(&r) >> i % 64;
        assert_true(fold_product(a, b) == fold_product_by_halves(a, b));
    }
}

static void row_has_the_value_written_down(void **state)
{
    (void)state;
    fold_words sum = fold_start(1, 2, 3);
    sum = fold_add(sum, 1, fold_of_4_floats(1.0f, -2.0f, 0.5f, 3.0e8f));
    sum = fold_add(sum, 2, fold_of_2_doubles(-1.25, 1.0e100));
    assert_true(fold_end(sum) == 0x0568F76FF9F048A0);
}

static void minus_zero_is_zero(void **state)
{
    (void)state;
    fold_words none = fold_of_words(0, 0);
    fold_words floats = fold_of_4_floats(-0.0f, 0.0f, 0.0f, -0.0f);
    fold_words doubles = fold_of_2_doubles(0.0, -0.0);
    assert_true(fold_low(floats) == 0 && fold_high(floats) == 0);
    assert_true(fold_low(doubles) == 0 && fold_high(doubles) == 0);
    assert_true(fold_end(fold_add(none, 1, floats)) == fold_end(fold_add(none, 1, none)));
}

// Rows of pairs, as worlds have them, for changes of their hash.
enum { ROWS = 40, PAIRS = 4 };

typedef struct table {
    uint64_t words[ROWS][2 * PAIRS];
} table;

static uint64_t hash_of_row(const table *t, uint32_t row)
{
    fold_words sum = fold_start(1 + row % 2, row / 2, 0);
    for (int i = 0; i < PAIRS; i++) {
        fold_words pair = fold_of_words(t->words[row][2 * i], t->words[row][2 * i + 1]);
        sum = fold_add(sum, 1 + i, pair);
    }
    return fold_end(sum);
}

static uint64_t hash_of_table(const table *t)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        sum += hash_of_row(t, row);
    }
    return sum;
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void swap_words(uint64_t *a, uint64_t *b)
{
    uint64_t was = *a;
    *a = *b;
    *b = was;
}

// Hashes of the table as it is, with each bit flipped, with any two different words of a row
// exchanged, and with words of neighbouring rows exchanged.
static size_t hash_changes(table *t, uint64_t *hashes)
{
    enum { WORDS = 2 * PAIRS };
    size_t count = 0;
    hashes[count++] = hash_of_table(t);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < WORDS; i++) {
            for (int bit = 0; bit < 64; bit++) {
                t->words[row][i] ^= 1ULL << bit;
                hashes[count++] = hash_of_table(t);
                t->words[row][i] ^= 1ULL << bit;
            }
            for (int k = 0; k < 2 * WORDS; k++) {
                uint64_t *one = &t->words[row][i];
                uint64_t *other = &t->words[(row + k / WORDS) % ROWS][k % WORDS];
                if (*one != *other && (k >= WORDS || k > i)) {
                    swap_words(one, other);
                    hashes[count++] = hash_of_table(t);
                    swap_words(one, other);
                }
            }
        }
    }
    return count;
}

static void every_change_of_a_word_and_every_exchange_is_told(void **state)
{
    (void)state;
    enum { MAX = 1 + ROWS * 2 * PAIRS * (64 + 4 * PAIRS) };
    uint64_t *hashes = malloc(MAX * sizeof *hashes);
    assert_non_null(hashes);
    uint64_t r = 3;
    for (int kind = 0; kind < 3; kind++) { // words with no bits set, few, and all
        table t;
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i < 2 * PAIRS; i++) {
                uint64_t word = next_random(&r);
                t.words[row][i] = kind == 0 ? 0 : kind == 1 ? word & 0x0000000300000003 : word;
            }
        }
        size_t count = hash_changes(&t, hashes);
        assert_true(count <= MAX && count > ROWS * 2 * PAIRS * 64);
        qsort(hashes, count, sizeof *hashes, compare_words);
        for (size_t i = 1; i < count; i++) {
            assert_true(hashes[i] != hashes[i - 1]);
        }
    }
    free(hashes);
}

static physics_world *two_balls(double friction, double speed_a, double speed_b)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def ball = make_circle(0.5);
    ball.friction = friction;
    set_velocity(world, put_at(world, 0.0, 0.0, &ball), speed_a, 0.0);
    set_velocity(world, put_at(world, 5.0, 0.0, &ball), speed_b, 0.0);
    return world;
}

static uint64_t hash_and_free(physics_world *world)
{
    uint64_t hash = world_hash(world);
    world_free(world);
    return hash;
}

static void values_exchanged_between_bodies_change_the_hash(void **state)
{
    (void)state;
    uint64_t hash = hash_and_free(two_balls(0.5, 1.0, 2.0));
    assert_true(hash == hash_and_free(two_balls(0.5, 1.0, 2.0)));
    assert_true(hash != hash_and_free(two_balls(0.5, 2.0, 1.0)));
    assert_true(hash != hash_and_free(two_balls(0.25, 1.0, 2.0)));
}

// Each of these settings alone changes the future, so each gives a different hash.
static void every_setting_of_a_body_changes_the_hash(void **state)
{
    (void)state;
    body_def values = body_def_default();
    values.position = (vec2d){1.0, 0.0};
    values.angle = 0.5;
    values.velocity = (vec2d){3.0, 4.0};
    values.angular_velocity = 0.25;
    values.linear_damping = 0.125;
    values.angular_damping = 0.125;
    values.gravity_scale = 0.5;
    values.mass = 7.0;
    values.bullet = true;
    values.allow_sleep = false;
    values.fixed_rotation = true;
    values.type = BODY_KINEMATIC;
    values.enabled = false;
    const uint32_t fields[] = {
        BODY_FIELD_POSITION,         BODY_FIELD_ANGLE,          BODY_FIELD_VELOCITY,
        BODY_FIELD_ANGULAR_VELOCITY, BODY_FIELD_LINEAR_DAMPING, BODY_FIELD_ANGULAR_DAMPING,
        BODY_FIELD_GRAVITY_SCALE,    BODY_FIELD_MASS,           BODY_FIELD_BULLET,
        BODY_FIELD_ALLOW_SLEEP,      BODY_FIELD_FIXED_ROTATION, BODY_FIELD_TYPE,
        BODY_FIELD_ENABLED};
    enum { COUNT = sizeof fields / sizeof *fields };
    uint64_t hashes[COUNT + 1];
    for (int i = 0; i <= COUNT; i++) {
        physics_world *world = two_balls(0.5, 1.0, 2.0);
        error err = {0};
        if (i < COUNT) {
            assert_int_equal(body_set(world, world_next_body(world, 0), fields[i], &values, &err),
                             STATUS_OK);
        }
        hashes[i] = hash_and_free(world);
        for (int k = 0; k < i; k++) {
            if (hashes[i] == hashes[k]) {
                fail_msg("fields %x and %x give the same hash", i < COUNT ? fields[i] : 0,
                         fields[k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_by_halves_is_that_of_the_machine),
        cmocka_unit_test(row_has_the_value_written_down),
        cmocka_unit_test(minus_zero_is_zero),
        cmocka_unit_test(every_change_of_a_word_and_every_exchange_is_told),
        cmocka_unit_test(values_exchanged_between_bodies_change_the_hash),
        cmocka_unit_test(every_setting_of_a_body_changes_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
