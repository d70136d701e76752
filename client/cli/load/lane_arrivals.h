// A lane receives answers, pings and snapshots: the callbacks for them, and the times they record.
//
// Inside the room: lane.c gives these functions to the client library. They run on the thread of
// the lane's worker, within carom_poll() and carom_free().
#ifndef CAROM_CLIENT_CLI_LOAD_LANE_ARRIVALS_H
#define CAROM_CLIENT_CLI_LOAD_LANE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/cli/load/lane.h"

// Seconds from the beginning of the run to `now`. 0 while the connections are opened: the run's
// times are not written yet.
double lane_since_begin(const lane *at, double now);

// Whether what happens now belongs to the run.
bool lane_counts(const lane *at);

// All is answered: sets the time of the next beginning, after the behaviour's pause.
void lane_rest(lane *at, double now);

void lane_on_answer(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *error, void *user); // user: the slot of the call

// Of these, `user` is the lane.
void lane_on_subscribed(carom_client *client, uint64_t request, const carom_value *result,
                        const carom_error *error, void *user);
void lane_on_ping(carom_client *client, uint64_t request, const carom_value *result,
                  const carom_error *error, void *user);
void lane_on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user);
void lane_on_notification(carom_client *client, const char *method, const carom_value *params,
                          void *user);

#endif
