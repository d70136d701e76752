// Every maximum of the server, in one table: name, default, smallest and largest setting, unit,
// reason.
//
// These numbers are in this table alone. It generates the struct, the option `--limit NAME=VALUE`,
// the text of `--help`, and the `limits` map of hello and server.info. The protocol's own bounds
// (depth, elements, name lengths) are in proto/limits.h, the engine's in common/physics/physics.h.
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
#include "proto/limits.h"

// X(name, default, smallest, largest, unit, reason)
#define LIMITS_TABLE(X)                                                                            \
    X(connections, 4096, 1, 1000000, "",                                                           \
      "each takes a descriptor, a few KiB here and up to 512 KiB of the kernel's socket buffers")  \
    X(connections_per_address, 256, 1, 1000000, "",                                                \
      "of one address, or 64-bit prefix of IPv6, so that one machine cannot take all places; "     \
      "127.0.0.1 and ::1 do not count: a proxy stands there, or the operator")                     \
    X(requests_per_second, 20000, 1, 1000000000, "",                                               \
      "of one connection, of all of one subject, and of an address's strangers where there are "   \
      "keys: a tenth of what the network thread can do. "                                          \
      "world.apply and what asks all worlds count for several")                                    \
    X(request_burst, 40000, 1, 1000000000, "",                                                     \
      "requests at once, above requests_per_second; who owes as many is closed")                   \
    X(input_bytes_per_second, 67108864, 1024, 1099511627776, "bytes",                              \
      "of one connection, and as many at once; what is more stays unread in the socket")           \
    X(message_bytes, WIRE_MESSAGE_BYTES_DEFAULT + 65536, WIRE_MESSAGE_BYTES_MIN,                   \
      WIRE_MESSAGE_BYTES_MAX, "bytes",                                                             \
      "one request; 1 MiB of commands must pass, with the envelope around them")                   \
    X(stranger_bytes, 16384, 8192, WIRE_MESSAGE_BYTES_MAX, "bytes",                                \
      "one request before an accepted token, where there are keys: a hello has 5 KiB at most, "    \
      "and "                                                                                       \
      "strangers are to cost little")                                                              \
    X(commands_per_connection, 4096, 1, 1000000, "",                                               \
      "in flight; what is more stays unread in the socket, so that one client alone cannot fill "  \
      "a world's inbox")                                                                           \
    X(commands_per_world, 65536, 1, 10000000, "",                                                  \
      "waiting; some 50 ms of applying at about a microsecond each")                               \
    X(commands_share, 50, 1, 100, "",                                                              \
      "percent of a tick's length that commands and queries of one world may take; the rest "      \
      "waits its turn by session, and the step has the other half")                                \
    X(command_bytes, 268435456, 4096, 1099511627776, "bytes",                                      \
      "all requests that wait in the server, as they lie in memory: a kilobyte for a small one, "  \
      "and some 700 bytes for each command of a batch")                                            \
    X(output_bytes, 67108864, 65536, 4294967295, "bytes",                                          \
      "unsent output of one connection; the full snapshot of a million bodies fits")               \
    X(unsent_bytes, 1073741824, 1048576, 1099511627776, "bytes",                                   \
      "unsent output of all connections, what several wait for counted once; past that, those "    \
      "are closed whose subject or address has most of it")                                        \
    X(subscriptions_per_connection, 64, 1, 65536, "",                                              \
      "a client that watches several worlds or areas has a handful")                               \
    X(holder_bytes, 268435456, 1048576, 1099511627776, "bytes",                                    \
      "memory for subscriptions of one subject, or of an address or a connection without one: "    \
      "a packed view takes 96 bytes for each body and 208 more while it moves")                    \
    X(own_threads, 16, 0, 256, "",                                                                 \
      "more than --threads, of lower priority: for worlds that take over half of a thread's "      \
      "time, or are foreseen to, so that they slow down nobody else; past that they share")        \
    X(worlds, 256, 1, 4096, "",                                                                    \
      "a simulation thread looks at the deadline of each of its worlds whenever it wakes")         \
    X(bodies_per_world, 262144, 1, 1048576, "", "about 1 KiB each with its contacts")              \
    X(shapes_per_world, 1048576, 1, 4194304, "",                                                   \
      "each piece of a chain counted; about 170 bytes each with a place in the broad phase, and "  \
      "four for each body")                                                                        \
    X(joints_per_world, 262144, 1, 1048576, "",                                                    \
      "about 400 bytes each in a world that steps; one for each body")                             \
    X(owner_share, 50, 1, 100, "",                                                                 \
      "percent of a world's bodies, shapes and joints that others do not have, for one owner who " \
      "is no admin: whoever comes next finds room. 100: no bound")                                 \
    X(replay_bytes, 4294967296, 1024, 1099511627776, "bytes",                                      \
      "a recording that is replayed: it is held in memory")                                        \
    X(pairs_per_world, 1048576, 1024, 16777216, "",                                                \
      "pairs of shapes whose boxes overlap: 1.2 KB each while they are solved, and a step of "     \
      "about two seconds; a heap of as many bodies as there may be has about three each")          \
    X(pairs_per_owner, 16384, 64, 16777216, "",                                                    \
      "of these, those of the shapes of one owner who is no admin: a step of some 100 ms where "   \
      "they lie in one place, a heap of 5000 bodies where they do not")                            \
    X(events_kept, 65536, 16, 16777216, "",                                                        \
      "a world's events that some subscriber was not yet sent, about 10 MiB; one that is further " \
      "behind loses the oldest, and its next snapshot says how many (events_lost)")                \
    X(removals_kept, 65536, 16, 16777216, "",                                                      \
      "a world's removed ids; a subscriber further behind than that is sent the full state")       \
    X(describe_bytes, 4194304, 65536, 67108864, "bytes",                                           \
      "descriptions of bodies and joints in one snapshot, some 7000 bodies; the rest follows in "  \
      "the next ones, so that a large world's descriptions do not hold up its tick")               \
    X(ahead_ticks, 216000, 1, 1000000000, "ticks",                                                 \
      "how far ahead world.apply may name its tick; an hour at 60 Hz")                             \
    X(catch_up_ms, 250, 0, 60000, "ms",                                                            \
      "how late a world may be and still make up for it; past that its time is slowed")            \
    X(first_message_ms, 10000, 50, 86400000, "ms",                                                 \
      "from connecting to the first whole message, so that silent connections do not pile up")     \
    X(token_ms, 10000, 50, 86400000, "ms",                                                         \
      "from connecting to an accepted token, where there are keys: nobody holds a place for less") \
    X(message_ms, 30000, 50, 86400000, "ms", "from a message's first byte to its last")            \
    X(stall_ms, 30000, 50, 86400000, "ms", "output of which the peer takes nothing")               \
    X(idle_ms, 0, 0, 4294967295, "ms",                                                             \
      "without a message and without a subscription; 0 is for ever, TCP keep-alive finds the "     \
      "dead")                                                                                      \
    X(half_closed_ms, 10000, 50, 86400000, "ms",                                                   \
      "for the last answers of a peer that has ended its side of the connection; a batch for a "   \
      "later tick may be hours away")                                                              \
    X(lame_duck_ms, 30000, 0, 86400000, "ms",                                                      \
      "from SIGUSR1 to the shutdown: for clients to go elsewhere")                                 \
    X(resume_ms, 30000, 0, 3600000, "ms",                                                          \
      "for which a session that lost its connection is kept; a train's tunnel. 0: not at all")     \
    X(detached_sessions, 4096, 1, 1000000, "",                                                     \
      "sessions without a connection that may be resumed; past that, the oldest one ends of the "  \
      "subject that has most of them")                                                             \
    X(http_connections, 256, 1, 100000, "",                                                        \
      "of HTTP that are no WebSockets (yet); past that, the one that has waited longest for its "  \
      "request makes room")                                                                        \
    X(http_header_bytes, 16384, 512, 1048576, "bytes",                                             \
      "of one HTTP request; browsers send one or two KiB, with cookies of other servers more")     \
    X(http_ms, 20000, 50, 86400000, "ms",                                                          \
      "from connecting, or from the last answer, to a whole HTTP request")                         \
    X(websocket_ping_ms, 20000, 0, 86400000, "ms",                                                 \
      "between two pings to a WebSocket: proxies cut what is silent for 60 s. 0: none")            \
    X(websocket_pong_ms, 20000, 50, 86400000, "ms",                                                \
      "for the answer to a ping, of a peer to which nothing waits to be sent")                     \
    X(close_ms, 400, 10, 60000, "ms",                                                              \
      "for a closing connection to take its last bytes; a shutdown is to last less than a second")

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

// The most worlds in all: `worlds` with a name, and as many destroyed ones that have not ended or
// whose last reply is not sent. Without this bound a client that makes and destroys worlds faster
// than a busy simulation thread removes them could fill the memory.
uint64_t limits_worlds_in_all(const limits *values);

// Lowers the limits that are bytes of memory to fit a process of at most `bytes`.
void limits_fit_memory(limits *values, uint64_t bytes);

// Sets the limit named by "NAME=VALUE". Errors: unknown name, not a whole number, out of range.
status limits_set(limits *values, const char *assignment, error *err);

#endif
