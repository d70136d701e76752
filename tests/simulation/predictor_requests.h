// Requests and commands of a predicting client.
#ifndef CAROM_TESTS_SIMULATION_PREDICTOR_REQUESTS_H
#define CAROM_TESTS_SIMULATION_PREDICTOR_REQUESTS_H

#include "tests/simulation/predictor.h"

// Requests a new session, or the one of its secret.
void predictor_ask_session(predictor *p);
// Requests the world, which may exist already, and a floor if it hosts.
void predictor_ask_world(predictor *p);
void predictor_ask_log(predictor *p);
void predictor_ask_body(predictor *p);
void predictor_ask_ping(predictor *p);
// Gives the prediction commands of the tick, or none, and sends them.
void predictor_act(predictor *p, uint64_t tick);
// Commands the client's own body without a tick and without the prediction.
void predictor_push_untimed(predictor *p);

#endif
