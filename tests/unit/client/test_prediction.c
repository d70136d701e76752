// The core of prediction against a simulated server: the prediction equals the server's world
// exactly, wherever the commands agree; every batch acts once, every event is reported once. The
// npm package's tests use the same seeds.
#include "tests/unit/client/prediction_rig.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "client/prediction/internal.h"
#include "common/world/command_memory.h"

static const char *scenarios_path;

// A row of the scenarios' file.
typedef struct scenario {
    uint64_t seed;
    double delay_ms, jitter_ms;
    double stall, other, spawn; // shares of messages, ticks, and commands
    double seconds;
    double right_least, right_most; // share of ticks that are predicted exactly
} scenario;

static void alone_all_ticks_are_right_without_a_rollback(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        sim_options o = usual(seed);
        o.delay_s = 0.02 * (double)(seed % 6);
        o.spawn_share = seed % 2 == 0 ? 0.05 : 0.0;
        sim *s = sim_create(&o);
        sim_run(s, 1.0);
        const uint64_t unforeseen = s->told_unforeseen; // events from before the prediction began
        sim_run(s, 19.0);
        const prediction_figures f = figures(s);
        assert_int_equal(s->told_unforeseen, unforeseen);
        assert_true(f.ticks > 1000);
        assert_int_equal(f.ticks_right, f.ticks);
        assert_int_equal(f.rollback_count, 0);
        assert_int_equal(s->redo_calls, 0);
        assert_int_equal(s->late, 0);
        assert_int_equal(s->told_taken_back, 0);
        assert_true(f.right == 1.0 && f.error == 0.0);
        settle(s);
        sim_free(s);
    }
}

// Runs a row of tests/unit/client/prediction_scenarios.txt, which the npm package's tests run too.
static void run_scenario(const scenario *r)
{
    sim_options o = usual(r->seed);
    o.delay_s = 1e-3 * r->delay_ms;
    o.jitter_s = 1e-3 * r->jitter_ms;
    o.stall_share = r->stall;
    o.stall_s = 2.0 * o.delay_s + 0.01;
    o.other_share = r->other;
    o.spawn_share = r->spawn;
    sim *s = sim_create(&o);
    sim_run(s, 1.0);
    const prediction_figures before = figures(s);
    sim_run(s, r->seconds);
    const prediction_figures f = figures(s);
    const double share =
        (double)(f.ticks_right - before.ticks_right) / (double)(f.ticks - before.ticks);
    if (share < r->right_least || share > r->right_most) {
        fail_msg("scenario of seed %d: %.3f of the ticks were right", (int)r->seed, share);
    }
    settle(s);
    sim_free(s);
}

static void scenarios_are_right_where_the_commands_agree(void **state)
{
    (void)state;
    FILE *file = fopen(scenarios_path, "r");
    assert_non_null(file);
    char line[256];
    uint32_t count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        scenario r;
        if (*line == '#') {
            continue;
        }
        assert_int_equal(sscanf(line, "%" SCNu64 " %lf %lf %lf %lf %lf %lf %lf %lf", &r.seed,
                                &r.delay_ms, &r.jitter_ms, &r.stall, &r.other, &r.spawn, &r.seconds,
                                &r.right_least, &r.right_most),
                         9);
        run_scenario(&r);
        count++;
    }
    assert_true(count >= 8);
    fclose(file);
}

static void others_commands_are_corrected(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 16; seed++) {
        sim_options o = usual(seed);
        o.other_share = 0.05;
        o.spawn_share = 0.02;
        sim *s = sim_create(&o);
        sim_run(s, 20.0);
        const prediction_figures f = figures(s);
        assert_true(f.rollback_count > 0 && f.ticks_right < f.ticks);
        assert_true(f.ticks_right > f.ticks / 4);
        settle(s);
        sim_free(s);
    }
}

static void late_and_refused_batches_are_followed(void **state)
{
    (void)state;
    uint64_t late = 0;
    for (uint64_t seed = 21; seed <= 26; seed++) {
        sim_options o = usual(seed);
        o.stall_share = 0.02;
        o.stall_s = 0.1;
        o.drop_share = seed % 2 == 0 ? 0.05 : 0.0;
        o.other_share = 0.02;
        o.clock_ppm = seed % 3 == 0 ? 200.0 : -200.0;
        sim *s = sim_create(&o);
        sim_run(s, 30.0);
        late += s->late;
        settle(s);
        sim_free(s);
    }
    assert_true(late > 0);
}

static void each_event_is_decided_once(void **state)
{
    (void)state;
    for (uint64_t seed = 31; seed <= 34; seed++) {
        sim_options o = usual(seed);
        o.other_share = 0.1;
        o.stall_share = 0.01;
        o.stall_s = 0.1;
        sim *s = sim_create(&o);
        sim_run(s, 20.0);
        settle(s);
        sim_run(s, 1.0);
        assert_true(s->told_predicted > 20);
        assert_int_equal(s->told_predicted,
                         s->told_confirmed - s->told_unforeseen + s->told_taken_back);
        assert_int_equal(figures(s).events_lost, 0);
        sim_free(s);
    }
}

static void page_that_slept_comes_back_without_a_burst(void **state)
{
    (void)state;
    sim_options o = usual(41);
    sim *s = sim_create(&o);
    sim_run(s, 5.0);
    s->steps_most = 0;
    const uint64_t first = s->first_calls;
    sim_pass(s, 10.0);
    sim_frame(s);
    assert_true(s->first_calls - first <= 1);
    sim_run(s, 5.0);
    assert_true(s->steps_most <= 4);
    assert_true(figures(s).right > 0.9);
    settle(s);
    sim_free(s);
    // A shorter sleep, after which the prediction is still ahead of the server.
    o.delay_s = 0.24;
    s = sim_create(&o);
    sim_run(s, 5.0);
    const uint64_t before = s->first_calls;
    sim_pass(s, 0.4);
    sim_frame(s);
    assert_true(s->first_calls - before <= 1);
    settle(s);
    sim_free(s);
}

// A round trip that was measured too long made the clock run far ahead. It jumps back, over ticks
// whose commands were given: act() of simulated_server.c asserts that no tick is asked for twice.
static void clock_that_jumps_back_asks_for_no_tick_again(void **state)
{
    (void)state;
    sim_options o = usual(45);
    o.rtt_more_s = 0.3;
    o.predict.input_delay = 3;
    sim *s = sim_create(&o);
    sim_run(s, 3.0);
    const uint64_t ahead = prediction_tick(s->predicted);
    s->options.rtt_more_s = 0.0;
    sim_run(s, 0.1);
    assert_true(prediction_tick(s->predicted) < ahead);
    sim_run(s, 1.0);
    assert_true(prediction_tick(s->predicted) > ahead + 30);
    settle(s);
    sim_free(s);
}

// If there is no time for all islands, ticks have no hash to compare.
static void check_finds_nothing_where_time_is_short(void **state)
{
    (void)state;
    sim_options o = usual(52);
    o.predict.check = true;
    o.predict.budget_ms = 0.5;
    o.body_ms = 0.002;
    o.other_share = 0.2;
    sim *s = sim_create(&o);
    sim_run(s, 10.0);
    assert_true(figures(s).approximate > 0);
    assert_int_equal(figures(s).check_failures, 0);
    sim_free(s);
}

static void redo_finds_the_same_in_every_frame(void **state)
{
    (void)state;
    sim_options o = usual(51);
    o.predict.check = true;
    o.other_share = 0.05;
    sim *s = sim_create(&o);
    sim_run(s, 10.0);
    assert_true(s->redo_calls > 1000);
    assert_int_equal(figures(s).check_failures, 0);
    settle(s);
    sim_free(s);
}

// A page that reads messages late, or a server whose messages are held up, is not further ahead.
static void lead_stays_as_it_is_while_news_is_late(void **state)
{
    (void)state;
    sim_options o = usual(63);
    o.delay_s = o.jitter_s = 0.0;
    sim *s = sim_create(&o);
    s->idle = true;
    sim_run(s, 10.0);
    const double lead = figures(s).lead;
    assert_true(lead >= 1.0 && lead <= 6.0);
    s->options.stall_share = 1.0;
    s->options.stall_s = 0.5;
    const uint64_t confirmed = figures(s).confirmed;
    for (int i = 0; i < 24; i++) {
        sim_run(s, 1.0 / 60.0);
        assert_true(fabs(figures(s).lead - lead) <= 1.5);
    }
    assert_true(figures(s).confirmed <= confirmed + 2); // during 24 ticks
    s->options.stall_share = 0.0;
    settle(s);
    sim_free(s);
}

static void input_delay_means_fewer_predicted_ticks(void **state)
{
    (void)state;
    double lead[4];
    for (uint32_t delay = 0; delay <= 3; delay++) {
        sim_options o = usual(61);
        o.predict.input_delay = delay;
        sim *s = sim_create(&o);
        sim_run(s, 10.0);
        assert_int_equal(figures(s).ticks_right, figures(s).ticks);
        assert_int_equal(figures(s).delay, delay);
        lead[delay] = figures(s).lead;
        settle(s);
        sim_free(s);
    }
    assert_true(lead[3] < lead[0] - 1.5);
    // Lead over 500 ms becomes input delay too.
    sim_options far = usual(62);
    far.delay_s = 0.4;
    sim *s = sim_create(&far);
    sim_run(s, 10.0);
    assert_true(figures(s).delay >= 18 && figures(s).lead <= 32.0);
    assert_int_equal(figures(s).ticks_right, figures(s).ticks);
    settle(s);
    sim_free(s);
}

// Near the server an input delay is longer than the whole lead, so nothing is predicted.
static void input_delay_over_the_lead_asks_for_every_tick(void **state)
{
    (void)state;
    for (uint32_t delay = 0; delay <= 3; delay++) {
        sim_options o = usual(64 + delay);
        o.delay_s = o.jitter_s = 0.0005;
        o.predict.input_delay = delay;
        sim *s = sim_create(&o);
        sim_run(s, 2.0);
        const uint64_t before = s->first_calls;
        sim_run(s, 10.0);
        const double asked = (double)(s->first_calls - before);
        if (asked < 590.0 || asked > 610.0) {
            fail_msg("input delay %u: %g of 600 ticks were asked for", delay, asked);
        }
        assert_int_equal(s->late, 0);
        decide(s); // the predicted world is not ahead of the server's world, as settle() needs
        sim_free(s);
    }
}

static void slack_follows_the_margin(void **state)
{
    (void)state;
    sim_options o = usual(71);
    o.jitter_s = 0.06;
    sim *s = sim_create(&o);
    sim_run(s, 20.0);
    const uint64_t late = s->late;
    const uint64_t sent = s->sent;
    sim_run(s, 40.0);
    assert_true((double)(s->late - late) < 0.03 * (double)(s->sent - sent));
    assert_true(figures(s).slack < 8.0);
    settle(s);
    sim_free(s);
}

// A lost segment holds up the batches behind it, and the server reports only the margin of the
// first.
static void slack_counts_the_batches_behind_a_stall(void **state)
{
    (void)state;
    uint64_t late = 0;
    uint64_t sent = 0;
    for (uint64_t seed = 74; seed < 77; seed++) {
        sim_options o = usual(seed);
        o.stall_share = 0.01;
        o.stall_s = 0.11;
        sim *s = sim_create(&o);
        sim_run(s, 15.0);
        late -= s->late;
        sent -= s->sent;
        sim_run(s, 30.0);
        late += s->late;
        sent += s->sent;
        settle(s);
        sim_free(s);
    }
    assert_true((double)late < 0.025 * (double)sent);
}

// Until the first round trip is known all batches are late; then the clock jumps to the right tick.
static void first_round_trip_sets_the_clock(void **state)
{
    (void)state;
    static lead_clock c;
    lead_clock_init(&c, 60.0);
    lead_clock_arrival(&c, 1.0, 600);
    assert_true(lead_clock_advance(&c, 1.0));
    lead_clock_rtt(&c, 0.1);
    assert_true(lead_clock_advance(&c, 1.01) && fabs(c.position - 608.6) < 1e-9);
    lead_clock_rtt(&c, 0.12);
    assert_false(lead_clock_advance(&c, 1.02) || c.rate > 1.1);
}

// Half a second of frames after the server was found to be `off` ticks from where the clock has it.
static void follow_server(double off, double *least, double *most, bool *jumps)
{
    static lead_clock c;
    lead_clock_init(&c, 60.0);
    lead_clock_arrival(&c, 1.0, 600);
    lead_clock_rtt(&c, 0.1);
    lead_clock_advance(&c, 1.0);
    *least = *most = 1.0;
    *jumps = false;
    for (int i = 1; i <= 30; i++) {
        const double now = 1.0 + i / 60.0;
        lead_clock_arrival(&c, now, (uint64_t)(600 + i + off));
        *jumps = lead_clock_advance(&c, now) || *jumps;
        *least = fmin(*least, c.rate);
        *most = fmax(*most, c.rate);
    }
}

static void clock_runs_within_a_tenth_and_jumps_past_ten_ticks(void **state)
{
    (void)state;
    double least, most;
    bool jumps;
    follow_server(LEAD_JUMP_TICKS - 2, &least, &most, &jumps);
    assert_false(jumps);
    assert_true(most > 1.05 && most <= 1.1 + 1e-9 && least >= 0.9 - 1e-9);
    follow_server(LEAD_JUMP_TICKS + 2, &least, &most, &jumps);
    assert_true(jumps);
}

// A frame asks for the commands of the ticks that the lead has grown by, so a server that reports
// absurd margins must not make it grow without end.
static void any_margin_leaves_the_lead_bounded(void **state)
{
    (void)state;
    static const double MARGINS[] = {-1.0,   -1e7, -1e300, 1e300, (double)NAN, (double)INFINITY,
                                     -1000.0};
    const double most = LEAD_MAX_S * 60.0;
    const sim_options o = usual(72);
    sim *s = sim_create(&o);
    sim_run(s, 1.0);
    for (size_t i = 0; i < sizeof MARGINS / sizeof *MARGINS; i++) {
        const uint64_t asked = s->first_calls;
        for (int k = 0; k < LEAD_MARGINS_MAX; k++) {
            prediction_margin(s->predicted, s->predicted->clock.now, MARGINS[i]);
        }
        sim_run(s, 0.5);
        assert_true(s->first_calls - asked <= 40 + (uint64_t)most);
        assert_true((double)figures(s).delay <= most && figures(s).lead <= most);
    }
    assert_true((double)figures(s).delay > most - 40.0); // the margin of -1000 leads to this
    lead_clock_rtt(&s->predicted->clock, 1e9);
    sim_run(s, 0.1);
    assert_true((double)figures(s).delay <= most);
    sim_free(s);
}

// A client first asks whether the server takes commands for a tick that is over. The margin of that
// question does not lengthen the lead.
static void margin_before_the_first_batch_says_nothing(void **state)
{
    (void)state;
    const sim_options o = usual(73);
    sim *s = sim_create(&o);
    s->idle = true;
    sim_run(s, 1.0);
    prediction_margin(s->predicted, s->predicted->clock.now, -1.5);
    sim_run(s, 1.0);
    assert_int_equal(figures(s).delay, 0);
    assert_true(isnan(figures(s).margin) && figures(s).slack <= LEAD_SLACK_TICKS);
    sim_free(s);
}

// Two players spawn balls in the same ticks: the server's ids are the valid ones.
static void ids_of_what_is_made_become_the_servers(void **state)
{
    (void)state;
    sim_options o = usual(81);
    o.spawn_share = 0.5;
    o.other_share = 0.3;
    sim *s = sim_create(&o);
    uint64_t known = 0;
    uint64_t changed = 0;
    uint64_t guesses[400] = {0};
    for (int i = 0; i < 300; i++) {
        sim_run(s, 1.0 / 60.0);
        for (uint64_t tick = 1; tick <= prediction_tick(s->predicted); tick++) {
            bool confirmed = false;
            body_info info;
            const uint64_t id = prediction_made(s->predicted, tick, 0, &confirmed);
            if (id != 0 && confirmed) {
                assert_int_equal(body_get(s->player.world, id, &info, NULL), STATUS_OK);
                changed += guesses[tick] != 0 && guesses[tick] != id;
                known++;
            }
            guesses[tick] = guesses[tick] == 0 ? id : guesses[tick]; // the first guess of the tick
        }
    }
    assert_true(known > 0 && changed > 0);
    settle(s);
    sim_free(s);
}

static void corrections_fade(void **state)
{
    (void)state;
    sim_options o = usual(101);
    sim *s = sim_create(&o);
    sim_run(s, 3.0);
    s->options.other_share = 1.0;
    double most = 0.0;
    for (int i = 0; i < 120; i++) {
        prediction_pose before[64];
        prediction_pose after[64];
        const uint32_t count = prediction_poses(s->predicted, before, 64);
        sim_run(s, 1.0 / 60.0);
        assert_int_equal(prediction_poses(s->predicted, after, 64), count);
        for (uint32_t k = 0; k < count; k++) {
            const double way = hypot(after[k].x - before[k].x, after[k].y - before[k].y);
            const double speed = hypot(after[k].vx, after[k].vy);
            most = fmax(most, way - speed / 60.0);
        }
    }
    assert_true(figures(s).error_others > 0.02); // corrections were made
    assert_true(most < figures(s).error_others); // and none is visible as a jump
    sim_free(s);
}

// A player who commands something in every tick makes others predict again once a frame at most, no
// farther back than their lead.
static void commands_of_others_in_every_tick_cost_one_rollback_a_frame(void **state)
{
    (void)state;
    sim_options o = usual(102);
    sim *s = sim_create(&o);
    s->options.other_share = 1.0;
    sim_run(s, 3.0);
    const uint64_t rollbacks = figures(s).rollback_count;
    sim_run(s, 10.0);
    const prediction_figures f = figures(s);
    assert_in_range(f.rollback_count - rollbacks, 60, 10 * 60);
    assert_true(f.depth > 1.0 && f.depth <= f.lead + LEAD_JUMP_TICKS);
    sim_free(s);
}

static void bodies_of_the_past_stay_there(void **state)
{
    (void)state;
    sim_options o = usual(111);
    sim *s = sim_create(&o);
    error err = {0};
    assert_int_equal(prediction_predict(s->predicted, s->other, false, &err), STATUS_OK);
    s->options.other_share = 0.2;
    sim_run(s, 4.0);
    prediction_pose poses[64];
    const uint32_t count = prediction_poses(s->predicted, poses, 64);
    body_info there;
    assert_int_equal(body_get(s->player.world, s->other, &there, NULL), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        if (poses[i].id == s->other) {
            const double most = 0.1 * hypot(there.velocity.x, there.velocity.y) + 0.05;
            assert_true(hypot(poses[i].x - there.position.x, poses[i].y - there.position.y) < most);
        }
    }
    for (uint64_t id = 1000; id < 1000 + PREDICTION_PAST_MAX - 1; id++) {
        assert_int_equal(prediction_predict(s->predicted, id, false, &err), STATUS_OK);
    }
    assert_int_equal(prediction_predict(s->predicted, 5000, false, &err), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(prediction_predict(s->predicted, s->other, true, &err), STATUS_OK);
    assert_int_equal(prediction_predict(s->predicted, 5000, false, &err), STATUS_OK);
    sim_free(s);
}

static void another_world_begins_again(void **state)
{
    (void)state;
    sim_options o = usual(121);
    sim *s = sim_create(&o);
    sim_run(s, 3.0);
    const uint64_t waiting = figures(s).waiting;
    assert_true(waiting > 0);
    prediction_follow(s->predicted, &s->player);
    assert_int_equal(figures(s).lost, waiting);
    assert_null(prediction_world(s->predicted));
    sim_run(s, 3.0);
    assert_non_null(prediction_world(s->predicted));
    assert_true(figures(s).right > 0.8);
    prediction_follow(s->predicted, NULL);
    prediction_input input;
    prediction_begin(s->predicted, 2000.0);
    assert_false(prediction_next(s->predicted, &input));
    assert_int_equal(prediction_poses(s->predicted, NULL, 0), 0);
    prediction_follow(s->predicted, &s->player);
    sim_free(s);
}

static void paused_world_is_shown_as_it_is(void **state)
{
    (void)state;
    sim_options o = usual(131);
    sim *s = sim_create(&o);
    sim_run(s, 3.0);
    s->idle = true;
    sim_run(s, 1.0);
    s->player.paused = true;
    const uint64_t calls = s->first_calls;
    for (int i = 0; i < 30; i++) {
        sim_frame(s);
    }
    assert_int_equal(s->first_calls, calls);
    assert_true(prediction_tick(s->predicted) == world_tick(s->player.world));
    assert_true(world_hash(prediction_world(s->predicted)) == world_hash(s->player.world));
    s->player.paused = false;
    s->idle = false;
    sim_run(s, 3.0);
    assert_true(s->first_calls > calls + 100);
    settle(s);
    sim_free(s);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s prediction_scenarios.txt\n", argv[0]);
        return 2;
    }
    scenarios_path = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_all_ticks_are_right_without_a_rollback),
        cmocka_unit_test(others_commands_are_corrected),
        cmocka_unit_test(late_and_refused_batches_are_followed),
        cmocka_unit_test(each_event_is_decided_once),
        cmocka_unit_test(page_that_slept_comes_back_without_a_burst),
        cmocka_unit_test(clock_that_jumps_back_asks_for_no_tick_again),
        cmocka_unit_test(check_finds_nothing_where_time_is_short),
        cmocka_unit_test(redo_finds_the_same_in_every_frame),
        cmocka_unit_test(lead_stays_as_it_is_while_news_is_late),
        cmocka_unit_test(input_delay_means_fewer_predicted_ticks),
        cmocka_unit_test(input_delay_over_the_lead_asks_for_every_tick),
        cmocka_unit_test(slack_follows_the_margin),
        cmocka_unit_test(slack_counts_the_batches_behind_a_stall),
        cmocka_unit_test(first_round_trip_sets_the_clock),
        cmocka_unit_test(clock_runs_within_a_tenth_and_jumps_past_ten_ticks),
        cmocka_unit_test(any_margin_leaves_the_lead_bounded),
        cmocka_unit_test(margin_before_the_first_batch_says_nothing),
        cmocka_unit_test(ids_of_what_is_made_become_the_servers),
        cmocka_unit_test(scenarios_are_right_where_the_commands_agree),
        cmocka_unit_test(corrections_fade),
        cmocka_unit_test(commands_of_others_in_every_tick_cost_one_rollback_a_frame),
        cmocka_unit_test(bodies_of_the_past_stay_there),
        cmocka_unit_test(another_world_begins_again),
        cmocka_unit_test(paused_world_is_shown_as_it_is),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += run_prediction_bounds();
    return failed;
}
