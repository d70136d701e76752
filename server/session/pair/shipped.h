// The sessions of a primary's server, as its standby knows them: records of the session store
// (session_store_records.h) by session, and sessions made of them when this server takes over a
// world that they know. Network thread only.
#ifndef CAROM_SERVER_SESSION_PAIR_SHIPPED_H
#define CAROM_SERVER_SESSION_PAIR_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/schedule/turn.h"
#include "server/session/identity/secret.h"

struct server;
struct restored_world;

enum {
    SHIPPED_SESSIONS_MAX = 1 << 17,   // sessions of a server; further ones cannot be resumed here
    SHIPPED_SUBSCRIPTIONS_MAX = 1024, // subscriptions of a session
    SHIPPED_BYTES_MAX = 256 << 20     // records of one server
};

typedef struct shipped_record {
    uint64_t number; // number of the subscription
    uint64_t world;
    uint8_t *bytes; // owned
    size_t size;
} shipped_record;

typedef struct shipped_session {
    uint64_t number;
    secret digest; // digest of its secret
    shipped_record itself;
    ARRAY(shipped_record) subscriptions;
} shipped_session;

typedef struct shipped {
    ARRAY(shipped_session) sessions; // ascending by number
    size_t bytes;
} shipped;

typedef struct shipped_making shipped_making;

void shipped_deinit(shipped *s);
// Takes a record that has arrived. False: it is not sound, or there are too many.
bool shipped_take(shipped *s, const uint8_t *bytes, size_t size);
const shipped_session *shipped_find(const shipped *s, uint64_t number);

// Begins to make sessions that can be resumed, as far as they are not here: those with a
// subscription, a body or a request in the world. All three must exist until shipped_end();
// records may come and go meanwhile.
shipped_making *shipped_begin(const shipped *s, struct server *to, struct restored_world *world);
// Makes sessions until the slice is over. True: all are made, the world's marks have the slots that
// they have here, and their subscriptions in the world are restarted.
bool shipped_make_some(shipped_making *m, const turn *slice);
// Frees it, also before all are made. Returns the number of sessions made.
uint32_t shipped_end(shipped_making *m);

#endif
