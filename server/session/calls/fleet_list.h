// The answer of server.fleet: the servers and worlds of the fleet, as this server knows them. A
// page of worlds is bounded by WIRE_SESSIONS_MAX, servers by FLEET_NODES_MAX. Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_FLEET_LIST_H
#define CAROM_SERVER_SESSION_CALLS_FLEET_LIST_H

#include <stdint.h>

#include "common/world/command.h"
#include "proto/wire/buffer.h"
#include "server/session/calls/call.h"

struct fleet;

// Appends the answer; the server must be one of a fleet.
void fleet_list_answer(const call *c, const command *cmd, buffer *out);

// Rows that an answer may have now.
uint64_t fleet_list_rows(const struct fleet *f);

#endif
