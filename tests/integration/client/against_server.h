// A caromd started by the test, and a client of libcarom connected to it. The program's path is the
// test's first argument.
#ifndef CAROM_TESTS_INTEGRATION_CLIENT_AGAINST_SERVER_H
#define CAROM_TESTS_INTEGRATION_CLIENT_AGAINST_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/carom.h>

#include "tests/support/process.h"
#include "tests/support/patience.h"

typedef struct against_server {
    process server;
    carom_client *client;
} against_server;

// Set by the test's main before the tests run.
extern const char *caromd_path;

// cmocka's setup and teardown; *state is an against_server. The teardown ends the server with
// SIGTERM and fails if it ends with an error.
int server_set_up(void **state);
int server_tear_down(void **state);

carom_client *server_connect(against_server *s);

// Fails the test with the error's text if the outcome is not CAROM_OK.
void check_ok(carom_status outcome, const carom_error *error);

// Polls until the view shows the tick, or a later one, or the test fails.
void poll_until_tick(carom_client *client, const carom_view *view, uint64_t tick);

#endif
