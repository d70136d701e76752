// A relay (caromd --relay HOST:PORT, which may be given again): worlds of other servers, its
// upstreams, are served here to those who watch them.
//
//     upstream ── log of a world (compact, once) ──> uplink ─> item ─> mirror, a served world
//                                                               publisher ─> subscriptions here
//
// The relay is an ordinary client of each upstream: it says hello (with a token, if it has one),
// asks for world.list every RELAY_LIST_MS, and subscribes to the log of a world when a client asks
// for that world here. The world has the name and the epoch of the upstream's, and the same bits. A
// world that nobody has watched for `relay_idle_ms` is dropped. Commands are refused, or answered
// with `moved` where the operator names an address that clients reach (--relay-origin).
//
// A lost connection is dialled again; worlds stand still meanwhile and begin again with an image.
// Where another upstream lists the world with the same epoch, as after a move or a failover in a
// fleet, it goes on from there. Of worlds with one name but several epochs, the first upstream's is
// served. A relay may be the upstream of another.
//
// upstreams.c answers the server, upstream.c a connection and its list, mirrored.c the
// worlds. Network thread only.
#ifndef CAROM_SERVER_SESSION_RELAY_UPSTREAMS_H
#define CAROM_SERVER_SESSION_RELAY_UPSTREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/world/command.h"
#include "proto/wire/buffer.h"
#include "server/session/relay/targets.h"

struct server;
struct session;
struct world_entry;

enum {
    RELAY_PULSE_MS = 50, // interval of the checks of connection and worlds
    RELAY_LIST_MS = 500, // interval of world.list: a new world is noticed this late
    // Pulses (5 s) without a byte of the upstream, which answers world.list. Pulses, not time: a
    // relay that got no processor has not listened.
    RELAY_SILENT_PULSES = 100,
    RELAY_RETRY_MS = 100, // pause before dialling again; doubled by each failure
    RELAY_RETRY_MS_MAX = 5000,
    RELAY_ASK_MS = 500,     // pause after a refused subscription
    RELAY_GONE_MS = 2000,   // time until a world ends that left its upstream and that no other one
                            // lists
    RELAY_SPARED_MS = 1000, // time since it was asked about, until it gives its place to another
    RELAY_FIRST_PULSES = 200, // (10 s) until a world's image must have arrived
    RELAY_FAULTS_MAX = 3,     // images without an equal hash between them, until a world is ended
    RELAY_LIST_MAX = 1 << 16, // rows of the upstream's world.list
    RELAY_ROW_BYTES_MAX = 64 << 10
};

typedef struct upstreams upstreams;
typedef struct upstream upstream; // one of them

void upstreams_open(struct server *s);
// Ends the connections; `closed` follows when everything is freed.
void upstreams_close(struct server *s, void (*closed)(void *context), void *context);

// The world of that name: *out is its entry, which may still wait for its image. Errors:
// STATUS_NOT_FOUND; STATUS_UNAVAILABLE: an upstream is not known yet, or the world is just ending;
// STATUS_LIMIT_EXCEEDED (relay_worlds).
status upstreams_find(struct server *s, const char *name, struct world_entry **out, error *err);

// Whether a relay serves the call. Errors: STATUS_MOVED with the address for the asker, or
// STATUS_PERMISSION_DENIED.
status upstreams_permit(const struct server *s, const struct session *asker, const command *c,
                        error *err);

// How many upstreams answer.
uint32_t upstreams_connected(const struct server *s);
// Whether one does; `err` says why not.
bool upstreams_ready(const struct server *s, error *err);
uint32_t upstreams_world_count(const struct server *s);

// A row of an upstream's world.list.
typedef struct upstream_row {
    const upstream *of;
    char *name; // owned by its upstream, as `bytes`
    uint64_t epoch;
    uint8_t *bytes; // the row's map as received
    size_t size;
} upstream_row;

// A row for each name, ascending; the pointer is valid until the loop's next turn.
const upstream_row *upstreams_rows(const struct server *s, uint32_t *count);

#endif
