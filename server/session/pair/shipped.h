// The sessions of a primary's server, as its standby knows them: records of the session store
// (session_store_records.h) by session, and sessions made of them when this server takes over a
// world that they know. Network thread only.
#ifndef CAROM_SERVER_SESSION_PAIR_SHIPPED_H
#define CAROM_SERVER_SESSION_PAIR_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
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

void shipped_deinit(shipped *s);
// Takes a record that has arrived. False: it is not sound, or there are too many.
bool shipped_take(shipped *s, const uint8_t *bytes, size_t size);
const shipped_session *shipped_find(const shipped *s, uint64_t number);
// Makes sessions that can be resumed, as far as they are not here: those with a subscription, a
// body or a request in the world. Moves its marks to the slots that they have here. Returns their
// number.
uint32_t shipped_make(const shipped *s, struct server *to, struct restored_world *world);

#endif
