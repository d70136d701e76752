// Quota owners, whose sessions share limits: addresses, and subjects of tokens.
//
// A quota owner exists while a session references it or one of its requests waits, and after that
// until its bucket is full again, so that reconnecting gives no new burst. Bounded by the sessions,
// the waiting requests, and the connections made within the time that a bucket takes to fill; the
// table drops unused ones with full buckets whenever it has doubled. Network thread only.
#ifndef CAROM_SERVER_SESSION_IDENTITY_QUOTA_OWNERS_H
#define CAROM_SERVER_SESSION_IDENTITY_QUOTA_OWNERS_H

#include <stdint.h>

#include "common/world/limits.h"
#include "server/base/bucket.h"
#include "server/base/memory.h"
#include "server/session/identity/detached.h"

enum { QUOTA_OWNER_NAME_MAX = OWNER_BYTES_MAX + 2 };

typedef struct quota_owner {
    char name[QUOTA_OWNER_NAME_MAX + 1];
    uint64_t number;  // never used again
    uint32_t holders; // number of its sessions
    uint64_t tally;   // scratch for callers that count
    bucket requests;
    uint64_t waiting; // requests to worlds without a result yet, those of ended sessions included
    uint64_t waiting_bytes;
    detached_crowd detached; // its sessions without a connection
    memory_holder *memory;   // pays for its subscriptions' memory (a reference)
} quota_owner;

typedef struct quota_owners {
    quota_owner **table; // open addressing; capacity is a power of two, or 0
    uint32_t capacity, count;
    uint64_t last_number;
    uint32_t purge_at; // the count at which unneeded owners are dropped
} quota_owners;

void quota_owners_deinit(quota_owners *p);

// Returns the quota owner of that name, with one more reference. `rate` and `burst` are those of
// its bucket.
quota_owner *quota_owners_hold(quota_owners *p, const char *name, double rate, double burst,
                               uint64_t now_ms);
void quota_owners_release(quota_owner *one); // NULL is allowed

// The name of an address as a quota owner, from "192.0.2.1:4000" or "[2001:db8::1]:4000": of IPv6
// the first 64 bits, since one customer has at least so many addresses. "" for 127.0.0.1 and ::1,
// which have no quota: the peer there is a proxy, or the operator.
void quota_owner_address(const char *peer, char out[QUOTA_OWNER_NAME_MAX + 1]);

#endif
