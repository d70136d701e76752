// Clocks that never drift, over hours of simulated time; the playback of snapshots; and views that
// draw smoothly, with the same rows of interpolation_scenarios.txt as the npm package.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/carom.h>

#include "client/lib/playback.h"

static const double PI = 3.14159265358979323846;
static const char *scenarios_path;

// A generator that gives the same numbers in each run, in JavaScript too.
typedef struct chance {
    uint32_t state;
} chance;

static double next_chance(chance *c)
{
    c->state = c->state * 1664525u + 1013904223u;
    return c->state / 4294967296.0;
}

// ---- clocks over hours

#define HOUR_S  3600.0
#define PAUSE_S 600.0 // pause without pings, at the beginning of each hour but the first

typedef struct long_run {
    double hours, rate; // the server's clock is faster by `rate`
    double sleep_s;     // instead of pauses, the local clock stops for this time; 0: pauses
} long_run;

typedef struct long_error {
    double early, late; // largest error in the first ten minutes, and later [s]
    double rate;
} long_error;

// A delay of 20 ms and some jitter each way; one message in fifty is delayed by 300 ms.
static double long_way(chance *c)
{
    const double jitter = -0.004 * log(1.0 - next_chance(c));
    return 0.02 + jitter + (next_chance(c) < 0.02 ? 0.3 : 0.0);
}

static double server_time(const long_run *r, double local, double slept)
{
    return 7000.0 + (local + slept) * (1.0 + r->rate);
}

static long_error run_for_hours(const long_run *r)
{
    carom_clock *clock = carom_clock_create();
    chance c = {3};
    long_error e = {0};
    double slept = 0.0, next = 0.0, last = -(double)INFINITY;
    for (int half = 0; half < r->hours * HOUR_S * 2; half++) {
        const double now = 0.5 * half;
        const bool hour = half > 0 && half % 7200 == 0;
        if (hour) {
            next = r->sleep_s > 0.0 ? now : now + PAUSE_S;
            slept += r->sleep_s;
        }
        if (now >= next) {
            const double there = now + long_way(&c);
            const double answered = there + long_way(&c);
            carom_clock_add(clock, now, answered, server_time(r, there, slept));
            next = now + 2.0;
        }
        const double time = carom_clock_at(clock, now + 0.499); // pings have been answered by then
        const double wrong = fabs(time - server_time(r, now + 0.499, slept));
        assert_true(r->sleep_s > 0.0 || time > last); // the clock never runs backward
        last = time;
        double *largest = now < HOUR_S / 6.0 ? &e.early : &e.late;
        *largest = fmax(*largest, r->sleep_s > 0.0 && hour ? 0.0 : wrong);
    }
    e.rate = carom_clock_get_state(clock).rate;
    carom_clock_free(clock);
    return e;
}

static void clock_does_not_drift_in_six_hours(void **state)
{
    (void)state;
    const double rates[] = {200e-6, 30e-6, -200e-6};
    for (size_t i = 0; i < 3; i++) {
        const long_error e = run_for_hours(&(long_run){.hours = 6, .rate = rates[i]});
        print_message("%+.0f ppm: %.2f ms wrong early, %.2f ms later\n", rates[i] * 1e6,
                      e.early * 1e3, e.late * 1e3);
        assert_true(e.early < 0.010 && e.late < 0.005);
        assert_true(fabs(e.rate - rates[i]) < 5e-6);
    }
}

static void clock_that_stood_still_is_right_after_one_ping(void **state)
{
    (void)state;
    const long_error e = run_for_hours(&(long_run){.hours = 3, .rate = 100e-6, .sleep_s = 5.0});
    assert_true(fmax(e.early, e.late) < 0.160); // a ping held back by 300 ms one way
}

static void clock_takes_the_ping_that_had_the_shortest_way(void **state)
{
    (void)state;
    carom_clock *clock = carom_clock_create();
    assert_true(isnan(carom_clock_at(clock, 0.0)));
    assert_false(carom_clock_get_state(clock).synchronised);
    chance c = {1};
    for (int i = 0; i < 16; i++) {
        const double there = 0.01 + 0.08 * next_chance(&c), back = 0.01 + 0.08 * next_chance(&c);
        carom_clock_add(clock, i, i + there + back, 5.0 + i + there);
    }
    carom_clock_add(clock, 20.0, 20.02, 5.0 + 20.01);
    const carom_clock_state s = carom_clock_get_state(clock);
    assert_true(s.synchronised && fabs(s.rtt - 0.02) < 1e-9 && s.jitter > 0.01);
    assert_true(fabs(carom_clock_at(clock, 30.0) - 35.0) < 1e-9);
    carom_clock_add(clock, (double)NAN, 31.0, 5.0); // is ignored
    carom_clock_add(clock, 31.0, (double)INFINITY, 5.0);
    assert_true(fabs(carom_clock_at(clock, 31.0) - 36.0) < 1e-9);
    carom_clock_reset(clock);
    assert_true(isnan(carom_clock_at(clock, 0.0)));
    carom_clock_free(clock);
    carom_clock_free(NULL);
    carom_clock_add(NULL, 0, 0, 0);
    carom_clock_ping(NULL, NULL);
    assert_true(isnan(carom_clock_at(NULL, 0.0)));
}

// ---- playback

// Sends snapshots 20 times a second for four hours, with pauses of 50 s; checks in each quarter of
// an hour how far the drawn time is behind at arrivals.
static void check_distance(double rate)
{
    playback p;
    playback_init(&p, 0.0);
    chance c = {4};
    double arrival = 0.0, sum = 0.0, most = 0.0;
    int count = 0, quarters = 0;
    for (int tick = 0; tick < 4 * 3600 * 20; tick++) {
        const double sent = 0.05 * tick;
        const double late = 0.01 * next_chance(&c);
        const double held = next_chance(&c) < 0.01 ? 0.15 : 0.0;
        arrival = fmax(arrival, sent * (1.0 - rate) + 0.03 + late + held);
        if (tick % 18000 > 17000) {
            continue;
        }
        playback_add(&p, arrival, sent, 0.05, sent - 0.05);
        const double behind = sent - playback_show(&p, arrival);
        if (tick % 18000 > 1000) {
            sum += behind;
            most = fmax(most, behind);
            count++;
        }
        if (tick % 18000 == 17000) {
            assert_true(sum / count > 0.04 && sum / count < 0.09 && most < 0.25);
            sum = most = 0.0;
            count = 0;
            quarters++;
        }
    }
    assert_int_equal(quarters, 16);
}

static void playback_keeps_its_distance_for_four_hours(void **state)
{
    (void)state;
    check_distance(200e-6);
    check_distance(-200e-6);
}

static void playback_reaches_its_bound_of_arrivals(void **state)
{
    (void)state;
    playback p;
    playback_init(&p, 0.0);
    for (int i = 0; i < 3 * PLAYBACK_ARRIVALS_MAX; i++) {
        playback_add(&p, 0.001 * i, 0.001 * i, 0.001, 0.001 * (i - 1));
    }
    assert_int_equal(p.count, PLAYBACK_ARRIVALS_MAX);
    assert_true(fabs(playback_newest(&p, 1.0) - 1.0) < 1e-9);
}

// ---- the scenarios

typedef struct given {
    uint32_t seed;
    int hz, every;
    double delay, jitter, stall, ppm;
    char mode[16];
    double extra;
    int quiet;
    double seconds;
} given;

typedef struct figures {
    double frames, shown, drawn, poses, events, lateness, delay, clock, rtt;
} figures;

typedef struct run {
    const given *given;
    double scale; // local time for a second of the server's
    chance chance;
    carom_clock *clock;
    carom_view *view;
    int tick;
    double arrival, pinged; // [ms]
    figures sums;
} run;

static double turned(double angle)
{
    return angle - 2.0 * PI * floor(angle / (2.0 * PI) + 0.5);
}

// Moves back and forth, rotating.
static carom_body shuttle(int tick, int hz)
{
    const int phase = tick % 200;
    return (carom_body){.id = 1,
                        .x = phase < 100 ? 0.05 * phase : 0.05 * (200 - phase),
                        .y = 1.0,
                        .angle = turned(0.1 * tick),
                        .vx = phase < 100 ? 0.05 * hz : -0.05 * hz,
                        .w = 0.1 * hz};
}

// Moves for 40 ticks of 100, then rests.
static carom_body walker(int tick, int hz)
{
    const int phase = tick % 100;
    const int done = phase < 40 ? phase : 40;
    return (carom_body){.id = 2,
                        .x = 0.1 * (40 * (tick / 100) + done),
                        .y = 2.0,
                        .vx = phase < 40 ? 0.1 * hz : 0.0};
}

// Exists for 80 ticks of 150, each time as another body, and jumps elsewhere in between. `id` 0: it
// does not exist.
static carom_body guest(int tick, int hz)
{
    const int phase = tick % 150;
    const bool lives = phase >= 30 && phase < 110;
    return (carom_body){.id = lives ? 100 + (uint64_t)(tick / 150) : 0,
                        .x = 0.02 * phase + (phase >= 70 ? 10.0 : 0.0),
                        .y = 3.0,
                        .vx = 0.02 * hz};
}

// A snapshot in which the walker has not moved is left out, but one a second is not.
static void apply_quiet_tick(run *r, int tick, double now)
{
    const given *g = r->given;
    const carom_body body = walker(tick, g->hz);
    const carom_event begin = {.kind = CAROM_EVENT_BEGIN, .tick = (uint64_t)tick};
    const bool full = tick == g->every;
    const bool moved = body.x != walker(tick - g->every, g->hz).x;
    const carom_snapshot s = {.subscription = 1,
                              .world = "lab",
                              .epoch = 1,
                              .tick = (uint64_t)tick,
                              .time = (double)tick / g->hz,
                              .full = full,
                              .bodies = &body,
                              .body_count = full || moved,
                              .events = &begin,
                              .event_count = moved && tick % 100 <= g->every};
    if (full || moved || tick % g->hz < g->every) {
        assert_int_equal(carom_view_apply_at(r->view, &s, now, NULL), CAROM_OK);
    }
}

static void apply_tick(run *r, int tick, double now)
{
    const given *g = r->given;
    const int before = tick - g->every;
    const carom_body old_walker = walker(before, g->hz), new_walker = walker(tick, g->hz);
    const carom_body was = guest(before, g->hz), is = guest(tick, g->hz);
    carom_body bodies[3];
    carom_event events[8];
    carom_snapshot s = {.subscription = 1,
                        .world = "lab",
                        .epoch = 1,
                        .tick = (uint64_t)tick,
                        .time = (double)tick / g->hz,
                        .full = tick == g->every,
                        .bodies = bodies,
                        .events = events,
                        .removed = &was.id,
                        .removed_count = was.id != 0 && was.id != is.id};
    bodies[s.body_count++] = shuttle(tick, g->hz);
    if (s.full || new_walker.x != old_walker.x) {
        bodies[s.body_count++] = new_walker;
    }
    if (is.id != 0) {
        bodies[s.body_count++] = is;
    }
    for (int at = before + 1; at <= tick; at++) {
        if (at % 25 == 0) {
            events[s.event_count++] =
                (carom_event){.kind = CAROM_EVENT_BEGIN, .tick = (uint64_t)at};
        }
    }
    assert_int_equal(carom_view_apply_at(r->view, &s, now, NULL), CAROM_OK);
}

static double way(run *r)
{
    const given *g = r->given;
    const double late = g->jitter * next_chance(&r->chance);
    return g->delay + late + (next_chance(&r->chance) < g->stall ? 2.0 * g->delay + 10.0 : 0.0);
}

static double next_arrival(run *r, double last)
{
    return fmax(last, (double)r->tick / r->given->hz * 1000.0 * r->scale + way(r));
}

static void ping(run *r, double now)
{
    const double there = way(r);
    const double back = way(r);
    carom_clock_add(r->clock, now / 1e3, (now + there + back) / 1e3,
                    1000.0 + (now + there) / 1000.0 / r->scale);
    r->pinged = now + 2000.0;
}

static void note_frame(run *r, double now, double shown)
{
    figures *f = &r->sums;
    carom_drawn drawn[8];
    const size_t count = carom_view_drawn(r->view, drawn, 8);
    f->frames++;
    f->shown += shown;
    f->delay += 1e3 * carom_view_get_playback(r->view).delay;
    f->clock += carom_clock_at(r->clock, now / 1e3) * 1e3 - 1e6 - now / r->scale;
    f->rtt += 1e3 * carom_clock_get_state(r->clock).rtt;
    f->drawn += (double)count;
    assert_true(count <= 8);
    for (size_t i = 0; i < count; i++) {
        f->poses +=
            0.001 * (double)drawn[i].id + drawn[i].x + 2.0 * drawn[i].y + 3.0 * sin(drawn[i].angle);
    }
    carom_event event;
    while (carom_view_next_event(r->view, &event)) {
        f->events++;
        f->lateness += shown - (double)event.tick / r->given->hz;
    }
}

static void pass_frame(run *r, double now)
{
    if (now >= r->pinged) {
        ping(r, now);
    }
    while (r->arrival <= now) {
        (r->given->quiet ? apply_quiet_tick : apply_tick)(r, r->tick, r->arrival / 1e3);
        r->tick += r->given->every;
        r->arrival = next_arrival(r, r->arrival);
    }
    carom_view_set_rtt(r->view, carom_clock_get_state(r->clock).rtt);
    const double shown = carom_view_advance(r->view, now / 1e3);
    if (!isnan(shown)) {
        note_frame(r, now, shown);
    }
}

static figures run_scenario(const given *g)
{
    carom_view_options options = carom_view_options_default();
    options.interpolation = strcmp(g->mode, "delayed") == 0 ? CAROM_INTERPOLATION_DELAYED
                                                            : CAROM_INTERPOLATION_PREDICTIVE;
    options.extra_delay_s = g->extra / 1e3;
    run r = {.given = g,
             .scale = 1.0 - g->ppm * 1e-6,
             .chance = {g->seed},
             .clock = carom_clock_create(),
             .view = carom_view_create(&options),
             .tick = g->every};
    r.arrival = next_arrival(&r, 0.0);
    for (int frame = 0; frame < g->seconds * 60; frame++) {
        pass_frame(&r, frame * (1000.0 / 60.0));
    }
    figures f = r.sums;
    f.lateness /= f.events;
    f.shown /= f.frames;
    f.drawn /= f.frames;
    f.poses /= f.frames;
    f.delay /= f.frames;
    f.clock /= f.frames;
    f.rtt /= f.frames;
    carom_view_free(r.view);
    carom_clock_free(r.clock);
    return f;
}

static void check_figure(const given *g, const char *name, double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-6 * fmax(1.0, fabs(expected)))) {
        fail_msg("seed %" PRIu32 ": %s: %.10g, expected %.10g", g->seed, name, got, expected);
    }
}

static void check_row(const char *line)
{
    given g;
    figures e;
    assert_int_equal(sscanf(line,
                            "%" SCNu32
                            " %d %d %lf %lf %lf %lf %15s %lf %d %lf %lf %lf %lf %lf %lf %lf %lf "
                            "%lf %lf",
                            &g.seed, &g.hz, &g.every, &g.delay, &g.jitter, &g.stall, &g.ppm, g.mode,
                            &g.extra, &g.quiet, &g.seconds, &e.frames, &e.shown, &e.drawn, &e.poses,
                            &e.events, &e.lateness, &e.delay, &e.clock, &e.rtt),
                     20);
    const figures f = run_scenario(&g);
    check_figure(&g, "frames", f.frames, e.frames);
    check_figure(&g, "shown", f.shown, e.shown);
    check_figure(&g, "drawn", f.drawn, e.drawn);
    check_figure(&g, "poses", f.poses, e.poses);
    check_figure(&g, "events", f.events, e.events);
    check_figure(&g, "lateness", f.lateness, e.lateness);
    check_figure(&g, "delay", f.delay, e.delay);
    check_figure(&g, "clock", f.clock, e.clock);
    check_figure(&g, "rtt", f.rtt, e.rtt);
}

static void views_and_clocks_give_the_numbers_of_the_scenarios(void **state)
{
    (void)state;
    FILE *file = fopen(scenarios_path, "r");
    assert_non_null(file);
    char line[512];
    int count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line != '#') {
            check_row(line);
            count++;
        }
    }
    fclose(file);
    assert_true(count >= 10);
}

// ---- cases that the scenarios leave out

static carom_view *delayed_view(void)
{
    carom_view_options options = carom_view_options_default();
    options.interpolation = CAROM_INTERPOLATION_DELAYED;
    return carom_view_create(&options);
}

static void apply_bodies(carom_view *view, uint64_t tick, const carom_body *bodies, size_t count,
                         const uint64_t *removed, size_t removed_count)
{
    const carom_snapshot s = {.world = "lab",
                              .epoch = 1,
                              .tick = tick,
                              .time = (double)tick / 50.0,
                              .full = tick == 1,
                              .bodies = bodies,
                              .body_count = count,
                              .removed = removed,
                              .removed_count = removed_count};
    assert_int_equal(carom_view_apply_at(view, &s, (double)tick / 50.0, NULL), CAROM_OK);
}

static void view_without_interpolation_draws_nothing(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    carom_body body = {.id = 1};
    apply_bodies(view, 1, &body, 1, NULL, 0);
    assert_true(isnan(carom_view_advance(view, 1.0)));
    assert_int_equal(carom_view_drawn(view, NULL, 0), 0);
    assert_false(carom_view_pose(view, 0, &body));
    assert_true(isnan(carom_view_get_playback(view).shown));
    carom_view_free(view);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    carom_error error;
    carom_view_options options = carom_view_options_default();
    options.extra_delay_s = 1.5;
    assert_null(carom_view_create(&options));
    options.extra_delay_s = (double)NAN;
    assert_null(carom_view_create(&options));
    options.extra_delay_s = 0.0;
    options.interpolation = (carom_interpolation)3;
    assert_null(carom_view_create(&options));
    carom_view *view = delayed_view();
    const carom_snapshot s = {.full = true};
    assert_int_equal(carom_view_apply_at(view, &s, (double)NAN, &error), CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "now: must be a finite number"));
    assert_true(isnan(carom_view_advance(view, (double)INFINITY)));
    carom_view_set_rtt(view, -1.0);
    carom_view_free(view);
}

static void bodies_that_are_gone_and_still_drawn_are_bounded(void **state)
{
    (void)state;
    enum { BODIES = CAROM_DEPARTED_MAX + 100 };
    carom_view *view = delayed_view();
    carom_body *bodies = calloc(BODIES, sizeof *bodies);
    uint64_t *ids = calloc(BODIES, sizeof *ids);
    for (uint64_t i = 0; i < BODIES; i++) {
        bodies[i] = (carom_body){.id = i + 1, .x = (double)i};
        ids[i] = i + 1;
    }
    apply_bodies(view, 1, bodies, BODIES, NULL, 0);
    apply_bodies(view, 2, NULL, 0, ids, BODIES);
    assert_int_equal(carom_view_get_playback(view).gone, CAROM_DEPARTED_MAX);
    for (int frame = 0; frame < 30; frame++) {
        carom_view_advance(view, 0.04 + 0.02 * frame);
    }
    assert_int_equal(carom_view_get_playback(view).gone, 0);
    carom_view_free(view);
    free(bodies);
    free(ids);
}

// As in a minimised window: snapshots arrive, and nothing is drawn.
static void view_that_is_not_drawn_keeps_no_body_that_is_gone(void **state)
{
    (void)state;
    carom_view *view = delayed_view();
    for (uint64_t tick = 1; tick <= 1000; tick++) {
        const carom_body body = {.id = tick};
        const uint64_t removed = tick - 1;
        apply_bodies(view, tick, &body, 1, &removed, tick > 1);
        assert_true(carom_view_get_playback(view).gone <= 125);
    }
    assert_true(carom_view_get_playback(view).gone > 0);
    carom_view_free(view);
}

static void body_that_is_gone_is_drawn_with_its_description_until_its_end(void **state)
{
    (void)state;
    carom_view *view = delayed_view();
    carom_body body = {.id = 7, .x = 3.0};
    const carom_body_info info = {.body = body, .tag = "ball"};
    const carom_body_info *const spawned = &info;
    const carom_snapshot first = {.world = "lab",
                                  .epoch = 1,
                                  .tick = 1,
                                  .time = 0.02,
                                  .full = true,
                                  .bodies = &body,
                                  .body_count = 1,
                                  .spawned = &spawned,
                                  .spawned_count = 1};
    carom_view_apply_at(view, &first, 0.02, NULL);
    for (uint64_t tick = 2; tick <= 10; tick++) {
        body.x += 1.0;
        apply_bodies(view, tick, &body, 1, NULL, 0);
        carom_view_advance(view, (double)tick / 50.0);
    }
    apply_bodies(view, 11, NULL, 0, &body.id, 1);
    carom_view_advance(view, 0.221);
    carom_drawn drawn;
    assert_int_equal(carom_view_count(view), 0);
    assert_int_equal(carom_view_drawn(view, &drawn, 1), 1);
    assert_true(drawn.gone && drawn.id == 7 && drawn.data == NULL);
    assert_string_equal(drawn.info->tag, "ball");
    assert_true(drawn.x > 11.0 && drawn.x <= 12.0);
    for (int frame = 1; frame <= 10; frame++) {
        carom_view_advance(view, 0.221 + 0.01 * frame);
    }
    assert_int_equal(carom_view_drawn(view, &drawn, 1), 0);
    carom_view_free(view);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_does_not_drift_in_six_hours),
        cmocka_unit_test(clock_that_stood_still_is_right_after_one_ping),
        cmocka_unit_test(clock_takes_the_ping_that_had_the_shortest_way),
        cmocka_unit_test(playback_keeps_its_distance_for_four_hours),
        cmocka_unit_test(playback_reaches_its_bound_of_arrivals),
        cmocka_unit_test(views_and_clocks_give_the_numbers_of_the_scenarios),
        cmocka_unit_test(view_without_interpolation_draws_nothing),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(bodies_that_are_gone_and_still_drawn_are_bounded),
        cmocka_unit_test(view_that_is_not_drawn_keeps_no_body_that_is_gone),
        cmocka_unit_test(body_that_is_gone_is_drawn_with_its_description_until_its_end),
    };
    if (argc != 2) {
        fprintf(stderr, "usage: test_client_interpolation SCENARIOS\n");
        return 2;
    }
    scenarios_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
