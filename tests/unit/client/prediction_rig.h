// Options and figures of predictions under test.
#ifndef CAROM_TESTS_UNIT_CLIENT_PREDICTION_RIG_H
#define CAROM_TESTS_UNIT_CLIENT_PREDICTION_RIG_H

#include "tests/unit/client/simulated_server.h"

// 12 bodies, a delay of 50 ms with a jitter of 5 ms.
sim_options usual(uint64_t seed);
// Spawns a circle at the origin.
body_id put_ball(physics_world *world);
prediction_figures figures(const sim *s);
// Runs until every sent batch is decided.
void decide(sim *s);
// Runs until every sent batch is decided and the confirmed world equals the server's.
void settle(sim *s);

int run_prediction_bounds(void);

#endif
