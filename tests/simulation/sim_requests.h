// The requests of a simulated client.
#ifndef CAROM_TESTS_SIMULATION_SIM_REQUESTS_H
#define CAROM_TESTS_SIMULATION_SIM_REQUESTS_H

#include "tests/simulation/sim_client.h"

// Sends a random request.
void sim_request_any(sim_client *c);
void sim_request_hello(sim_client *c, bool resume);
void sim_request_info(sim_client *c, int world);
void sim_request_spawn(sim_client *c, int world, bool notification);
// Sends the request again under a new id; `r` is the client's own and is not changed.
void sim_request_again(sim_client *c, const sim_request *r);

// A name of the simulation's worlds.
const char *sim_world_name(int world);

#endif
