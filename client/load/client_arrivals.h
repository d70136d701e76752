// Callbacks of a client for answers, pings and snapshots, and the times that they record.
//
// Internal to client/load: client.c gives these functions to the client library. They run on the
// thread of the client's worker, within carom_poll() and carom_free().
#ifndef CAROM_CLIENT_LOAD_CLIENT_ARRIVALS_H
#define CAROM_CLIENT_LOAD_CLIENT_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/load/client.h"

// Seconds from the beginning of the run to `now`. 0 while the connections are opened: the run's
// times are not written yet.
double client_since_begin(const load_client *at, double now);

// Whether the present moment belongs to the run.
bool client_counts(const load_client *at);

// Called when all calls are answered: sets the time of the next beginning, after the behaviour's
// pause.
void client_rest(load_client *at, double now);

void client_on_answer(carom_client *client, uint64_t request, const carom_value *result,
                      const carom_error *error, void *user); // user: the slot of the call

// Callbacks of a client; `user` is the load_client.
void client_on_subscribed(carom_client *client, uint64_t request, const carom_value *result,
                          const carom_error *error, void *user);
void client_on_ping(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *error, void *user);
void client_on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user);
void client_on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user);
// Called when the first connection is lost; libcarom dials again.
void client_on_lost(carom_client *client, carom_status status, const char *reason, void *user);

// Call when the connection is lost or the world has moved: the next snapshot shows how long that
// took.
void client_begin_gap(load_client *at);

#endif
