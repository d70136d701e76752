// The bounds of prediction: batches, memory, bodies, ticks, events, and the time of a frame.
#include "tests/unit/client/prediction_rig.h"

#include <string.h>

#include "client/prediction/internal.h"
#include "common/world/command_memory.h"

static void waiting_batches_have_a_most(void **state)
{
    (void)state;
    static batches b;
    error err = {0};
    for (uint32_t i = 0; i < PREDICTION_BATCHES_MAX; i++) {
        command batch = {.method = METHOD_WORLD_APPLY};
        assert_true(batches_add(&b, i + 1, &batch, &err));
    }
    command more = {.method = METHOD_WORLD_APPLY};
    assert_false(batches_add(&b, 5000, &more, &err));
    assert_int_equal(err.status, STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "1024"));
    batches_remove(&b, batches_find(&b, 17));
    assert_int_equal(batches_find(&b, 17), UINT32_MAX);
    assert_true(batches_add(&b, 5000, &more, &err));
    batches_deinit(&b);
}

static void memory_of_waiting_batches_has_a_most(void **state)
{
    (void)state;
    static batches b;
    error err = {0};
    uint64_t at = 1;
    for (bool taken = true; taken; at++) {
        command batch = {.method = METHOD_WORLD_APPLY};
        (void)command_memory_take(&batch.memory, 1 << 20, 1);
        taken = batches_add(&b, at, &batch, &err);
        assert_true(b.bytes <= PREDICTION_BATCH_BYTES_MAX);
    }
    assert_int_equal(err.status, STATUS_LIMIT_EXCEEDED);
    assert_int_equal(b.list.count, 3); // three batches of a little more than 1 MiB each fit
    batches_deinit(&b);
    assert_int_equal(b.bytes, 0);
}

// Only the objects that were made last are remembered.
static void things_made_have_a_most(void **state)
{
    (void)state;
    static batches b;
    bool confirmed = false;
    for (uint64_t at = 1; at <= PREDICTION_MADE_MAX + 1; at++) {
        command_result made = {.method = METHOD_BODY_SPAWN, .spawn = {.body = at + 100}};
        const command_result batch = {.method = METHOD_WORLD_APPLY,
                                      .batch = {.results = &made, .count = 1}};
        batches_note_made(&b, at, &batch, true);
    }
    assert_int_equal(batches_made(&b, 1, 0, &confirmed), 0);
    assert_int_equal(batches_made(&b, 2, 0, &confirmed), 102);
    assert_int_equal(batches_made(&b, PREDICTION_MADE_MAX + 1, 0, &confirmed),
                     PREDICTION_MADE_MAX + 101);
    assert_true(confirmed);
    batches_deinit(&b);
}

// One more replaces the one that was named longest ago.
static void own_bodies_have_a_most(void **state)
{
    (void)state;
    const log_player nothing = {0};
    const prediction_options o = prediction_options_default();
    prediction *p = prediction_create(&nothing, &o);
    for (uint64_t id = 1; id <= PREDICTION_OWN_MAX; id++) {
        p->tick = id;
        prediction_own(p, id);
    }
    p->tick++;
    prediction_own(p, 1);
    assert_int_equal(p->own_count, PREDICTION_OWN_MAX);
    prediction_own(p, 5000);
    assert_int_equal(p->own_count, PREDICTION_OWN_MAX);
    for (uint32_t i = 0; i < p->own_count; i++) {
        assert_true(p->own[i].id != 2);
    }
    assert_true(p->own[0].id == 1 && p->own[1].id == 5000);
    prediction_free(p);
}

typedef struct fast_world {
    log_player player;
    prediction *predicted;
    double now;
} fast_world;

static void note_fast_step(void *context, physics_world *world)
{
    (void)world;
    prediction_note_step(((fast_world *)context)->predicted);
}

// A frame of 1/60 s; returns how many ticks it asked for commands.
static uint64_t fast_frame(fast_world *f)
{
    prediction_input input;
    uint64_t asked = 0;
    f->now += 1.0 / 60.0;
    prediction_begin(f->predicted, f->now);
    while (prediction_next(f->predicted, &input)) {
        asked += input.first_time;
    }
    prediction_end(f->predicted, 0.1);
    return asked;
}

// The fastest world uses the ring of ticks (PREDICTION_TICKS_MAX) twice, and its prediction waits
// for a silent server.
static void ticks_that_are_kept_have_a_most(void **state)
{
    (void)state;
    world_def def = world_def_default();
    def.hz = PHYSICS_HZ_MAX;
    fast_world f = {.now = 1.0};
    assert_int_equal(world_create(&def, &f.player.world, NULL), STATUS_OK);
    (void)put_ball(f.player.world);
    const prediction_options o = prediction_options_default();
    f.predicted = prediction_create(&f.player, &o);
    f.player.stepped = note_fast_step;
    f.player.context = &f;
    prediction_rtt(f.predicted, 0.1);
    prediction_note_arrival(f.predicted, f.now);
    for (int i = 0; i < 180; i++) {
        (void)fast_frame(&f);
    }
    assert_int_equal(prediction_tick(f.predicted), PHYSICS_HZ_MAX + 1); // a second ahead of tick 0
    assert_true(prediction_tick(f.predicted) <= PREDICTION_TICKS_MAX);
    for (int i = 0; i < 300; i++) {
        log_player_advance(&f.player, world_tick(f.player.world) + 17);
        prediction_note_arrival(f.predicted, f.now);
        (void)fast_frame(&f);
    }
    const prediction_figures got = prediction_figures_now(f.predicted);
    assert_true(got.ticks > 2 * PREDICTION_TICKS_MAX);
    assert_int_equal(got.ticks, got.ticks_right);
    assert_int_equal(got.rollback_count, 0);
    prediction_free(f.predicted);
    world_free(f.player.world);
}

static void events_to_be_told_have_a_most(void **state)
{
    (void)state;
    static foreseen_events f;
    for (uint32_t i = 0; i < PREDICTION_EVENTS_MAX + 3; i++) {
        const foreseen one = {.event = {.tick = i}};
        array_push(&f.open, one);
    }
    foreseen_events_drop(&f);
    prediction_event e;
    uint32_t told = 0;
    while (foreseen_events_next(&f, &e)) {
        assert_int_equal(e.fate, PREDICTION_EVENT_TAKEN_BACK);
        told++;
    }
    assert_int_equal(told, PREDICTION_EVENTS_MAX);
    assert_int_equal(f.lost, 3);
    assert_int_equal(f.open.count, 0);
    foreseen_events_deinit(&f);
}

static sim_options short_of_time(uint64_t seed)
{
    sim_options o = usual(seed);
    o.other_share = 0.3;
    o.body_ms = 0.002;
    o.predict.budget_ms = 2.0;
    return o;
}

static uint32_t count_approximate(const sim *s, bool *own)
{
    prediction_pose poses[512];
    uint32_t count = prediction_poses(s->predicted, poses, 512);
    uint32_t approximate = 0;
    *own = false;
    for (uint32_t i = 0; i < count; i++) {
        approximate += poses[i].approximate;
        *own = *own || (poses[i].id == s->own && poses[i].approximate);
    }
    return approximate;
}

// The far pile alone would take 200 bodies x 8 ticks x 2 us; it falls asleep, and all other bodies
// are predicted.
static void far_islands_rest_when_time_is_short(void **state)
{
    (void)state;
    sim_options o = short_of_time(141);
    o.far_bodies = 200;
    sim *s = sim_create(&o);
    sim_run(s, 1.0);
    s->frame_most = 0.0;
    uint32_t most = 0;
    uint32_t carried = 0; // frames in which the client's own body was extrapolated
    for (int i = 0; i < 120; i++) {
        bool own;
        sim_run(s, 1.0 / 60.0);
        const uint32_t approximate = count_approximate(s, &own);
        most = approximate > most ? approximate : most;
        carried += own;
    }
    assert_true(most > 50 && carried < 6);
    assert_true(s->frame_most <= o.predict.budget_ms);
    assert_true(figures(s).approximate > 0);
    assert_true(figures(s).error < 0.3);
    sim_run(s, 20.0);
    bool own;
    assert_int_equal(count_approximate(s, &own), 0);
    settle(s);
    sim_free(s);
}

// The client's own body lies in the pile: fewer ticks are predicted, and no frame exceeds its
// budget.
static void own_island_over_the_budget_is_predicted_in_part(void **state)
{
    (void)state;
    sim_options o = short_of_time(142);
    o.bodies = 250;
    sim *s = sim_create(&o);
    sim_run(s, 2.0); // even the first frame, before any step was measured
    const uint64_t first = s->first_calls;
    sim_run(s, 4.0);
    assert_true(figures(s).approximate > 0);
    assert_true(s->frame_most <= o.predict.budget_ms);
    assert_true(s->first_calls - first >= 235); // commands are asked for in time
    s->options.predict.budget_ms = 0.0;
    prediction_set(s->predicted, &s->options.predict);
    settle(s);
    sim_free(s);
}

// If all bodies are one island, none rests: the ticks for which there is time are predicted to the
// bit.
static void ticks_of_one_island_count_when_time_is_short(void **state)
{
    (void)state;
    sim_options o = short_of_time(144);
    o.pile = true;
    o.bodies = 45;
    o.other_share = o.own_share = 0.05;
    o.predict.budget_ms = 0.8;
    sim *s = sim_create(&o);
    sim_run(s, 10.0);
    assert_true(figures(s).approximate > 100);
    assert_true(figures(s).ticks_right > figures(s).ticks / 2);
    settle(s);
    sim_free(s);
}

// A client that commands nothing needs no body at the present tick: the ticks for which there is no
// time after a copy follow in the next frames, and then all are right to the bit.
static void who_commands_nothing_catches_up_over_frames(void **state)
{
    (void)state;
    sim_options o = short_of_time(145);
    o.bodies = 60;
    o.predict.budget_ms = 1.2; // 7 steps; 9 ticks are ahead
    sim *s = sim_create(&o);
    s->idle = true;
    sim_run(s, 1.0);
    s->options.other_share = 0.0; // the last of the others' commands, after which all can be right
    sim_run(s, 1.0);
    const prediction_figures before = figures(s);
    assert_true(before.approximate > 0);
    sim_run(s, 5.0);
    const prediction_figures after = figures(s);
    assert_true(after.ticks > before.ticks + 280 && after.lead > 6.0);
    assert_int_equal(after.ticks_right - before.ticks_right, after.ticks - before.ticks);
    assert_int_equal(after.approximate, before.approximate);
    s->idle = false; // motion of the client's own body is now wanted at once
    sim_run(s, 2.0);
    settle(s);
    sim_free(s);
}

// The estimate allows all 12 ticks, but the caller's clock does not.
static void time_that_was_measured_ends_a_frame(void **state)
{
    (void)state;
    sim_options o = usual(143);
    o.predict.budget_ms = 5.0;
    sim *s = sim_create(&o);
    sim_run(s, 5.0);
    s->idle = true;
    sim_run(s, 1.0);
    sim_pass(s, 0.2);
    const uint64_t tick = prediction_tick(s->predicted);
    const uint64_t approximate = figures(s).approximate;
    prediction_input input;
    uint64_t inputs = 0;
    prediction_begin(s->predicted, 1000.0 + s->now);
    while (prediction_spent(s->predicted, 4.9), prediction_next(s->predicted, &input)) {
        inputs++;
    }
    prediction_end(s->predicted, 5.0);
    assert_int_equal(prediction_tick(s->predicted), tick + 1);
    assert_int_equal(inputs, 2); // inputs of the tick that was made, and of the present one
    assert_true(input.tick >= tick + 11);
    assert_int_equal(figures(s).approximate, approximate + 1);
    settle(s);
    sim_free(s);
}

int run_prediction_bounds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_batches_have_a_most),
        cmocka_unit_test(memory_of_waiting_batches_has_a_most),
        cmocka_unit_test(things_made_have_a_most),
        cmocka_unit_test(own_bodies_have_a_most),
        cmocka_unit_test(ticks_that_are_kept_have_a_most),
        cmocka_unit_test(events_to_be_told_have_a_most),
        cmocka_unit_test(far_islands_rest_when_time_is_short),
        cmocka_unit_test(own_island_over_the_budget_is_predicted_in_part),
        cmocka_unit_test(ticks_of_one_island_count_when_time_is_short),
        cmocka_unit_test(who_commands_nothing_catches_up_over_frames),
        cmocka_unit_test(time_that_was_measured_ends_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
