// Common parts of the tests of a connected client.
#ifndef CAROM_TESTS_UNIT_CLIENT_CONNECTED_H
#define CAROM_TESTS_UNIT_CLIENT_CONNECTED_H

#include <carom/client.h>

#include "tests/unit/client/fake_server.h"
#include "tests/support/patience.h"

// Connects a client to the server, or fails the test. `options` may be NULL.
carom_client *connect_to(fake_server *server, const carom_options *options);

// Polls until *flag is true; the test fails if that takes too long. The client may be closed or
// freed meanwhile only if the flag is set with it.
void poll_until(carom_client *client, const bool *flag);

#endif
