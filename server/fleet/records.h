// The records of a fleet: who serves a world, and which servers there are. JSON, one object a key:
//
//   PREFIX/world/NAME   {"format":1,"term":3,"primary":"a","standby":null,"engine":7,"hz":60,
//                        "replicated":true,"address":"10.0.0.1:22766","http":"10.0.0.1:22767","run":"6f…"}
//   PREFIX/node/NAME    {"format":1,"address":…,"http":…,"engine":7,"run":…,"lateness_ms":0.2,
//                        "worlds":4,"sessions":17,"free_memory":123456,"draining":false,
//                        "peer":"10.0.0.1:22768"}
//
// `run` is a number that the writer draws: a server for itself, and for each time that it claims a
// world. No two writers write the same bytes, so a record identifies its writer. Readers are
// strict: a record that another program or a newer version wrote is refused, and left alone by
// those who read it. Pure functions; any thread.
#ifndef CAROM_SERVER_FLEET_RECORDS_H
#define CAROM_SERVER_FLEET_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
    RECORD_FORMAT = 1,
    RECORD_NAME_MAX = 64,     // a world's or a server's name: A-Z a-z 0-9 _ . -
    RECORD_ADDRESS_MAX = 150, // HOST:PORT or [HOST]:PORT; an error has room for it
    RECORD_RUN_SIZE = 16,     // hexadecimal digits
    RECORD_SIZE_MAX = 2048,   // bytes of a record
    RECORD_PREFIX_MAX = 64,   // bytes before "/world/…"
    RECORD_KEY_MAX = RECORD_PREFIX_MAX + RECORD_NAME_MAX + 16,
    // Changes of a server's load that its record leaves out
    NODE_CHANGE_SHARE = 8,   // less than an eighth
    NODE_LATENESS_SHARE = 2, // less than half: it varies from second to second
    NODE_LATENESS_TRIFLE_MS = 1,
    NODE_MEMORY_TRIFLE = 64 << 20 // bytes
};

typedef struct world_record {
    int64_t term;                      // 1 or more; rises with each change of the primary
    char primary[RECORD_NAME_MAX + 1]; // name of the server that serves the world
    char standby[RECORD_NAME_MAX + 1]; // "": none
    int64_t engine;                    // ENGINE_BEHAVIOUR of the primary
    double hz;
    char address[RECORD_ADDRESS_MAX + 1]; // address of the primary, for clients
    char http[RECORD_ADDRESS_MAX + 1];    // "": off
    char run[RECORD_RUN_SIZE + 1];        // the writer's claim
    bool replicated; // a standby is wanted; records of earlier versions lack it: false
} world_record;

typedef struct node_record {
    char address[RECORD_ADDRESS_MAX + 1];
    char http[RECORD_ADDRESS_MAX + 1]; // "": off
    int64_t engine;
    char run[RECORD_RUN_SIZE + 1];
    double lateness_ms; // 99th percentile of its ticks
    int64_t worlds, sessions;
    int64_t free_memory; // bytes
    bool draining;       // takes no new worlds
    char peer[RECORD_ADDRESS_MAX +
              1]; // for other servers (peer.h); "": none, as in earlier versions
} node_record;

// 1 to RECORD_NAME_MAX of A-Z a-z 0-9 _ . - , but not "." or "..".
bool record_name_valid(const char *name, size_t size);
// HOST:PORT or [HOST]:PORT with a port from 1 to 65535; no space or control character.
bool record_address_valid(const char *address);
// '/' and then names with '/' between them; not '/' at the end.
bool record_prefix_valid(const char *prefix);

// Write the text and its closing zero; return its size.
size_t world_record_write(const world_record *r, char out[RECORD_SIZE_MAX]);
size_t node_record_write(const node_record *r, char out[RECORD_SIZE_MAX]);

// Errors: STATUS_INVALID_ARGUMENT names the fault; `out` is untouched.
status world_record_read(const void *text, size_t size, world_record *out, error *err);
status node_record_read(const void *text, size_t size, node_record *out, error *err);

// Whether the second record of a server differs from the first one in something that other servers
// need: anything but load, or load that differs by a share of the first one's, and by more than a
// small amount.
bool node_record_is_new(const node_record *was, const node_record *is);

// The same primary, standby, term and writer.
bool world_record_same(const world_record *a, const world_record *b);

#endif
