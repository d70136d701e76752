// The rig of test_prediction; see prediction_rig.h.
#include "tests/unit/client/prediction_rig.h"

sim_options usual(uint64_t seed)
{
    sim_options o = {.seed = seed, .bodies = 12, .delay_s = 0.05, .jitter_s = 0.005};
    o.predict = prediction_options_default();
    o.predict.events = 1u << EVENT_BEGIN | 1u << EVENT_END | 1u << EVENT_SPAWN;
    return o;
}

body_id put_ball(physics_world *world)
{
    body_def def = body_def_default();
    shape_def ball = shape_def_default();
    ball.geometry.kind = SHAPE_CIRCLE;
    ball.geometry.circle.radius = 0.5f;
    body_id id = 0;
    assert_int_equal(body_spawn(world, &def, &ball, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

prediction_figures figures(const sim *s)
{
    return prediction_figures_now(s->predicted);
}

void decide(sim *s)
{
    s->idle = true;
    s->options.other_share = 0.0;
    sim_run(s, 3.0 + 4.0 * s->options.delay_s);
    const prediction_figures f = figures(s);
    assert_int_equal(f.waiting, 0);
    assert_int_equal(f.sent, s->sent);
    assert_int_equal(f.confirmed, s->applied);
    assert_int_equal(f.lost, s->refused);
    assert_int_equal(f.confirmed + f.lost, f.sent);
    assert_int_equal(f.late, s->late);
}

void settle(sim *s)
{
    decide(s);
    // The prediction of a tick equals the server's state at that tick.
    const uint64_t tick = prediction_tick(s->predicted);
    const uint64_t hash = world_hash(prediction_world(s->predicted));
    while (world_tick(s->server) < tick) {
        sim_pass(s, 1.0 / 60.0);
    }
    assert_true(world_tick(s->server) == tick && world_hash(s->server) == hash);
}
