// The distance of `carom relay`: bounds of delay and jitter, order, lost segments, draws by seed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/tool/relay/distance.h"

enum { DRAWS = 20000 };

static void without_options_bytes_arrive_at_once(void **state)
{
    (void)state;
    distance d;
    distance_init(&d, &(distance_options){.seed = 7}, 0);
    assert_true(distance_arrival(&d, 3.0, 100) == 3.0);
    assert_true(distance_arrival(&d, 3.5, 1 << 20) == 3.5);
    assert_int_equal(0, d.stalls);
}

static void delays_lie_within_the_jitter_and_fill_it(void **state)
{
    (void)state;
    distance d;
    distance_init(&d, &(distance_options){.delay = 0.05, .jitter = 0.01, .seed = 1}, 0);
    double least = 1e9, most = 0.0, sum = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        // messages a second apart do not wait for each other
        double took = distance_arrival(&d, i, 1) - i;
        least = fmin(least, took);
        most = fmax(most, took);
        sum += took;
    }
    assert_true(least >= 0.04 - 1e-9 && least < 0.0401);
    assert_true(most <= 0.06 + 1e-9 && most > 0.0599);
    assert_true(fabs(sum / DRAWS - 0.05) < 2e-4);
}

static void bytes_arrive_in_order(void **state)
{
    (void)state;
    distance d;
    distance_init(
        &d, &(distance_options){.delay = 0.05, .jitter = 0.05, .stall = 0.1, .stall_time = 0.2}, 3);
    double last = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        double at = distance_arrival(&d, i * 1e-3, 1000);
        assert_true(at >= last);
        last = at;
    }
}

static void lost_segments_are_as_many_as_asked_for(void **state)
{
    (void)state;
    distance d;
    distance_init(&d, &(distance_options){.stall = 0.01, .stall_time = 0.11, .seed = 5}, 0);
    for (int i = 0; i < DRAWS; i++) {
        distance_arrival(&d, i * 10.0, 2 * 1448);
    }
    double share = (double)d.stalls / (2.0 * DRAWS);
    assert_true(share > 0.008 && share < 0.012);
    distance always;
    distance_init(&always, &(distance_options){.delay = 0.05, .stall = 1.0, .stall_time = 0.11}, 0);
    assert_true(fabs(distance_arrival(&always, 0.0, 1448) - 0.16) < 1e-12);
    assert_true(fabs(distance_arrival(&always, 10.0, 1449) - 10.27) < 1e-12); // two segments
}

static void seeds_and_directions_have_draws_of_their_own(void **state)
{
    (void)state;
    const distance_options options = {.delay = 1.0, .jitter = 1.0, .seed = 9};
    distance_options other = options;
    other.seed = 10;
    distance a, same, direction, seed;
    distance_init(&a, &options, 0);
    distance_init(&same, &options, 0);
    distance_init(&direction, &options, 1);
    distance_init(&seed, &other, 0);
    double at = distance_arrival(&a, 0.0, 1);
    assert_true(distance_arrival(&same, 0.0, 1) == at);
    assert_true(distance_arrival(&direction, 0.0, 1) != at);
    assert_true(distance_arrival(&seed, 0.0, 1) != at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_options_bytes_arrive_at_once),
        cmocka_unit_test(delays_lie_within_the_jitter_and_fill_it),
        cmocka_unit_test(bytes_arrive_in_order),
        cmocka_unit_test(lost_segments_are_as_many_as_asked_for),
        cmocka_unit_test(seeds_and_directions_have_draws_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
