// A network handler that does nothing: a test replaces the functions whose calls it is about.
#ifndef CAROM_TESTS_UNIT_SERVER_QUIET_HANDLER_H
#define CAROM_TESTS_UNIT_SERVER_QUIET_HANDLER_H

#include "server/net/network.h"

// `opened` is NULL and must be replaced.
network_handler quiet_handler(void *context);

#endif
