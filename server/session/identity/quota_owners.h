// Those whose sessions count together: addresses, and subjects of tokens.
//
// A quota owner is there while a session holds it or a request of its waits, and after that until
// its bucket is full again, so that a new connection is no new burst. Bounded by the sessions, the
// requests that wait, and by what came and went within the time that a bucket takes to fill; the
// table drops the full ones whenever it has doubled.
// Network thread only.
#ifndef CAROM_SERVER_SESSION_IDENTITY_QUOTA_OWNERS_H
#define CAROM_SERVER_SESSION_IDENTITY_QUOTA_OWNERS_H

#include <stdint.h>

#include "common/world/limits.h"
#include "server/base/bucket.h"
#include "server/base/memory.h"

enum { QUOTA_OWNER_NAME_MAX = OWNER_BYTES_MAX + 2 };

typedef struct quota_owner {
    char name[QUOTA_OWNER_NAME_MAX + 1];
    uint64_t number;  // never used again
    uint32_t holders; // sessions
    uint64_t tally;   // for whoever counts them
    bucket requests;
    uint64_t waiting; // requests to worlds that have no result yet, of sessions that ended too
    uint64_t waiting_bytes;
    memory_holder *memory; // held: what its subscriptions take
} quota_owner;

typedef struct quota_owners {
    quota_owner **table; // open addressing; capacity is a power of two, or 0
    uint32_t capacity, count;
    uint64_t last_number;
    uint32_t purge_at; // count at which those that need not be remembered are dropped
} quota_owners;

void quota_owners_deinit(quota_owners *p);

// The quota owner of that name, held once more. `rate` and `burst` are those of its bucket.
quota_owner *quota_owners_hold(quota_owners *p, const char *name, double rate, double burst,
                               uint64_t now_ms);
void quota_owners_release(quota_owner *one); // NULL is allowed

// The name under which an address counts, from "192.0.2.1:4000" or "[2001:db8::1]:4000": of IPv6
// the first 64 bits, as one customer has at least so many addresses. "" for 127.0.0.1 and ::1,
// which do not count: what stands there is a proxy, or the operator.
void quota_owner_address(const char *peer, char out[QUOTA_OWNER_NAME_MAX + 1]);

#endif
