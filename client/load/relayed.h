// The distance between the clients of a load and the server: a relay (tool/relay) on a thread of
// its own, to which the clients connect instead of the server.
//
// The command's own connection does not go through it: it measures the server. Main thread only.
#ifndef CAROM_CLIENT_LOAD_RELAYED_H
#define CAROM_CLIENT_LOAD_RELAYED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/tool/cli.h"
#include "client/tool/relay/relay.h"

typedef struct relayed {
    relay *relay; // NULL: none
    pthread_t thread;
    bool started;
    int wake; // an eventfd that ends the thread
    atomic_bool ending;
    char error[RELAY_ERROR_MAX]; // the thread's error; "": none
} relayed;

// Starts a relay to the server and returns its port on 127.0.0.1 in *port. Errors are reported
// here.
cli_exit relayed_open(relayed *r, const distance_options *options, const char *host,
                      uint16_t server_port, uint16_t *port);

// Ends the thread, reports its error, and returns the relay's counts.
relay_counts relayed_end(relayed *r);

// Ends the relay and frees it; allowed for a struct that is all zero.
void relayed_close(relayed *r);

#endif
