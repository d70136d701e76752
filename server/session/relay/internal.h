// Shared by the files of this folder. Network thread only.
#ifndef CAROM_SERVER_SESSION_RELAY_INTERNAL_H
#define CAROM_SERVER_SESSION_RELAY_INTERNAL_H

#include <uv.h>

#include "common/base/array.h"
#include "common/world/limits.h"
#include "proto/wire/rpc.h"
#include "server/session/relay/uplink.h"
#include "server/session/relay/upstreams.h"
#include "server/world/state/mirror.h"

// The state of a world's subscription at its upstream.
typedef enum mirrored_stage {
    MIRRORED_WANTED,    // requested as soon as there is a connection and its items are played
    MIRRORED_ASKED,     // `request` is not answered
    MIRRORED_SUBSCRIBED // `subscription` is its number; records count once its image has arrived
} mirrored_stage;

typedef struct mirrored {
    char name[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch; // the world's number here, too
    upstream *at;   // serves it, as far as is known
    mirrored_stage stage;
    uint32_t request;
    uint64_t subscription;
    bool imaged;                  // the subscription's image has arrived
    bool building;                // a thread of the pool makes the world of its first image
    bool made;                    // a simulation thread has it
    mirror_link *link;            // a reference
    uint32_t faults;              // since the last equal hash
    uint64_t matches;             // equal hashes at the last fault
    uint64_t asked_ms;            // when the subscription was last asked for
    char failure[ERROR_TEXT_MAX]; // why the upstream refused it; "": it did not
    status gone;                  // how the world left `at`; STATUS_OK: it did not
    uint64_t gone_ms;             // when
    uint32_t imageless;           // pulses since it was first asked for, until its image came
    uint32_t waits;               // pulses in a row at which requests waited for the world
    uint64_t active_ms;           // when it was last watched, or asked about
} mirrored;

// A connection, and what is known by it.
struct upstream {
    upstreams *of;
    const relay_target *target;
    uplink *link;   // NULL: there is none
    uint32_t dials; // since the last one that was answered
    bool greeted;   // the upstream has answered hello
    bool listed;    // `rows` are known
    bool failing;   // the loss of the connection was logged
    uint32_t next_id;
    uint32_t hello_id, list_id;   // 0: none is on its way
    uint32_t compact;             // number of the tables of the compact form; 0: not the same
    uint32_t silent;              // pulses without a byte of the connection
    uint64_t retry_ms;            // how long until it is dialled again
    uint64_t dial_ms;             // when
    uint64_t listed_ms;           // when world.list was last asked
    char failure[ERROR_TEXT_MAX]; // why the upstream server shows no worlds
    ARRAY(upstream_row) rows;     // ascending by name
};

struct upstreams {
    struct server *server;
    uv_timer_t pulse;
    uint32_t handles; // the timer and the uplinks that are not freed
    bool closing;
    upstream *all; // in the order of the options
    uint32_t count;
    ARRAY(upstream_row) shown; // one of each name; the texts and bytes are the upstreams'
    ARRAY(mirrored *) worlds;
    void (*closed)(void *context);
    void *context;
};

// ---- upstreams.c

// Chooses the rows that are shown; call when rows of an upstream, or `greeted`, have changed.
void upstreams_show(upstreams *u);
// Call when a handle is closed.
void upstreams_let_go(upstreams *u);

// ---- upstream.c

void upstream_init(upstream *u, upstreams *of, const relay_target *target);
void upstream_deinit(upstream *u);
uint32_t upstream_next_id(upstream *u);
// Its row of the world with that epoch; NULL: it lists none.
const upstream_row *upstream_find(const upstream *u, const char *name, uint64_t epoch);
// world.list is asked for with the next pulse.
void upstream_hurry(upstream *u);
// Ends the connection: it is dialled again.
void upstream_break(upstream *u, const char *why);
// Ends the connection for good.
void upstream_end(upstream *u);
void upstream_pulse(upstream *u);

// ---- mirrored.c

// Begins to follow the world of the row.
status mirrored_begin(upstreams *u, const upstream_row *row, struct world_entry **out, error *err);
mirrored *mirrored_find(const upstreams *u, uint64_t epoch);
// Whether the response answers a request of a world's subscription.
bool mirrored_answered(upstream *u, const rpc_message *m);
// A notification of the upstream: `map` are the bytes of its argument.
void mirrored_notified(upstream *u, const rpc_message *m, const uint8_t *map, size_t size);
// Call when the connection is lost.
void mirrored_lost(upstream *u);
void mirrored_pulse(upstreams *u);
void mirrored_close(upstreams *u);

#endif
