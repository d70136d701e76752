// Calls of a served world under test, written as JSON.
#ifndef CAROM_TESTS_UNIT_SERVER_WORLD_CALL_H
#define CAROM_TESTS_UNIT_SERVER_WORLD_CALL_H

#include "common/world/method.h"
#include "server/world/tick/served_world.h"

static const int64_t MS = 1000000;
static const session_key ME = {.slot = 0, .number = 1};

static const char SPAWN[] = "{\"world\":\"w\",\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}";
static const char WORLD[] = "{\"world\":\"w\"}";

// The request of a call by ME that awaits its answer, with its arguments as the network thread
// leaves them. Fails the test if the JSON is no call of the method. The caller owns the request.
request *world_call(uint64_t epoch, uint32_t id, method m, const char *json);

#endif
