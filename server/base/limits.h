// Every maximum of the server that an operator may set.
//
// proto/schema/server_limits.toml describes them: name, default, range, unit, reason. From it come
// the struct, the option `--limit NAME=VALUE`, the text of `--help` and of the manual page, the
// `limits` map of hello and server.info, and PROTOCOL.md's table. The protocol's own bounds (depth,
// elements, name lengths) are in proto/limits.h, the engine's in common/physics/physics.h.
//
// A request that exceeds a limit is answered with limit_exceeded and the limit's name; a connection
// that exceeds one is closed with that reason. Two limits make the peer wait instead: the server
// does not read from a connection with too many commands in flight, or too much unread output,
// until it has caught up.
//
// Constant data and pure functions; any thread.
#ifndef CAROM_SERVER_BASE_LIMITS_H
#define CAROM_SERVER_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/world/capacity.h"
#include "common/world/data_plan.h"
#include "proto/limits.h"
#include "server/base/limit_list.h"

typedef struct limits {
#define LIMIT_FIELD(name, standard, smallest, largest, unit, reason) uint64_t name;
    LIMITS_TABLE(LIMIT_FIELD)
#undef LIMIT_FIELD
} limits;

enum {
#define LIMIT_ONE(name, standard, smallest, largest, unit, reason) +1
    LIMIT_COUNT = 0 LIMITS_TABLE(LIMIT_ONE)
#undef LIMIT_ONE
};

// One row of the table; `offset` is the offset of its field in `limits`.
typedef struct limit_info {
    const char *name;
    const char *unit;
    const char *reason;
    uint64_t standard, smallest, largest;
    size_t offset;
} limit_info;

limits limits_default(void);

// The table's rows in order; `index` from 0, NULL past the last.
const limit_info *limits_info(size_t index);

uint64_t limits_get(const limits *values, const limit_info *info);

// The capacity limits of one world.
capacity_limits limits_room(const limits *values);
// The limits of a world's data.
data_limits limits_data(const limits *values);

// The most worlds in all: `worlds` with a name, and as many destroyed ones that have not ended or
// whose last reply is not sent. Without this bound a client that makes and destroys worlds faster
// than a busy simulation thread removes them could fill the memory.
uint64_t limits_worlds_in_all(const limits *values);

// Lowers the limits that are bytes of memory to fit a process of at most `bytes`.
void limits_fit_memory(limits *values, uint64_t bytes);

// Sets the limit named by "NAME=VALUE". Errors: unknown name, not a whole number, out of range.
status limits_set(limits *values, const char *assignment, error *err);

#endif
