// The time of impact, compared with fine sampling of the same motion.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/property/geometry/brute.h"
#include "tests/property/geometry/figures.h"

enum { SAMPLES = 64 };

static void report(const char *what, int64_t round, double found, double expected)
{
    fail_msg("%s in round %lld: found %.9g, expected %.9g", what, (long long)round, found,
             expected);
}

static brute_core placed(const proxy *p, const sweep *s, double t)
{
    double c = (double)s->q1.c;
    double sine = (double)s->q1.s;
    double turn = atan2((double)s->q1.c * (double)s->q2.s - (double)s->q1.s * (double)s->q2.c,
                        (double)s->q1.c * (double)s->q2.c + (double)s->q1.s * (double)s->q2.s);
    double angle = atan2(sine, c) + t * turn;
    double x = (double)s->c1.x + t * ((double)s->c2.x - (double)s->c1.x);
    double y = (double)s->c1.y + t * ((double)s->c2.y - (double)s->c1.y);
    x -= cos(angle) * (double)s->local_center.x - sin(angle) * (double)s->local_center.y;
    y -= sin(angle) * (double)s->local_center.x + cos(angle) * (double)s->local_center.y;
    return brute_place(p, x, y, cos(angle), sin(angle));
}

static double gap_at(const proxy *a, const sweep *sa, const proxy *b, const sweep *sb, double t)
{
    brute_core ca = placed(a, sa, t);
    brute_core cb = placed(b, sb, t);
    return brute_distance(&ca, &cb) - (double)a->radius - (double)b->radius;
}

static sweep sweep_make(rng *r, double reach, double turn)
{
    double angle = rng_range(r, -PI_D, PI_D);
    sweep s = {
        .local_center = {(float)rng_range(r, -0.3, 0.3), (float)rng_range(r, -0.3, 0.3)},
        .c1 = {(float)rng_range(r, -reach, reach), (float)rng_range(r, -reach, reach)},
        .c2 = {(float)rng_range(r, -reach, reach), (float)rng_range(r, -reach, reach)},
        .q1 = rot_from_angle(angle),
        .q2 = rot_from_angle(angle + rng_range(r, -turn, turn)),
    };
    return s;
}

static void check_impact(int64_t i, const proxy *a, const sweep *sa, const proxy *b,
                         const sweep *sb, impact_result impact, int64_t *states)
{
    const double slop = (double)LINEAR_SLOP;
    double first = gap_at(a, sa, b, sb, 0.0);
    states[impact.state]++;
    if (impact.state == IMPACT_OVERLAPPED) {
        if (first > 1e-6) {
            report("gap of shapes said to overlap", i, first, 0.0);
        }
        return;
    }
    if (first < -1e-6) {
        report("gap of shapes said not to overlap", i, first, 0.0);
    }
    // Before the impact, or on the whole path without one, they are farther apart.
    double end = (double)impact.fraction;
    for (int k = 0; k < SAMPLES; k++) {
        double t = end * k / SAMPLES;
        double gap = gap_at(a, sa, b, sb, t);
        if (gap < slop - 1e-5 && end > 0.0) {
            report("gap on the way", i, gap, slop);
        }
    }
    double last = gap_at(a, sa, b, sb, end);
    if (impact.state == IMPACT_HIT && (last > 1.25 * slop || (end > 0.0 && last < slop - 1e-5))) {
        report("gap at the impact", i, last, slop);
    }
}

static void run(const char *name, uint64_t seed, int64_t ordinary, double reach, double turn,
                bool bars)
{
    rng r = rng_start(name, seed);
    int64_t count = rounds(ordinary);
    int64_t states[4] = {0};
    for (int64_t i = 0; i < count; i++) {
        proxy a = figure_proxy(&r, 1.0);
        proxy b = figure_proxy(&r, 1.0);
        if (bars) {
            b = (proxy){.points = {{-1.0f, 0.0f}, {1.0f, 0.0f}}, .count = 2};
        }
        a.radius = rng_below(&r, 2) == 0 ? 0.0f : 0.3f * (float)rng_unit(&r);
        b.radius = rng_below(&r, 2) == 0 ? 0.0f : 0.3f * (float)rng_unit(&r);
        sweep sa = sweep_make(&r, reach, turn);
        sweep sb = sweep_make(&r, reach, turn);
        impact_result impact = impact_time(&a, &sa, &b, &sb, 1.0f);
        check_impact(i, &a, &sa, &b, &sb, impact, states);
    }
    printf("    none %lld, hit %lld, overlapped %lld, failed %lld\n",
           (long long)states[IMPACT_NONE], (long long)states[IMPACT_HIT],
           (long long)states[IMPACT_OVERLAPPED], (long long)states[IMPACT_FAILED]);
    assert_true(states[IMPACT_HIT] > count / 20);
    assert_true(states[IMPACT_NONE] > count / 20);
    assert_true(states[IMPACT_FAILED] == 0);
}

static void impact_random_sweeps_match_sampling(void **state)
{
    (void)state;
    run("impact_random_sweeps_match_sampling", 1, 12000, 5.0, 1.0, false);
}

static void impact_spinning_bars_match_sampling(void **state)
{
    (void)state;
    run("impact_spinning_bars_match_sampling", 2, 12000, 2.5, 3.1, true);
}

static void impact_slow_motion_matches_sampling(void **state)
{
    (void)state;
    rng r = rng_start("impact_slow_motion_matches_sampling", 3);
    int64_t count = rounds(12000);
    int64_t states[4] = {0};
    for (int64_t i = 0; i < count; i++) {
        proxy a = figure_proxy(&r, 1.0);
        proxy b = figure_proxy(&r, 1.0);
        sweep sa = sweep_make(&r, 1.0, 0.0);
        sa.c2 = sa.c1;
        sweep sb = sweep_make(&r, 1.5, 0.2);
        sb.c2 = (vec2){sb.c1.x + (float)rng_range(&r, -0.1, 0.1),
                       sb.c1.y + (float)rng_range(&r, -0.1, 0.1)};
        impact_result impact = impact_time(&a, &sa, &b, &sb, 1.0f);
        check_impact(i, &a, &sa, &b, &sb, impact, states);
    }
    assert_true(states[IMPACT_FAILED] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impact_random_sweeps_match_sampling),
        cmocka_unit_test(impact_spinning_bars_match_sampling),
        cmocka_unit_test(impact_slow_motion_matches_sampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
