// The rights that a token gives its bearer: subject, role, worlds, areas, time and limits.
//
// Plain data that jwt.c fills from verified claims. A grant belongs to one session and does not
// change. One thread at a time.
#ifndef CAROM_SERVER_AUTH_GRANT_H
#define CAROM_SERVER_AUTH_GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/world/command.h"
#include "server/auth/digest.h"
#include "server/auth/limits.h"
#include "server/base/limits.h"

typedef struct grant_world {
    char text[WORLD_NAME_BYTES_MAX + 1];
    bool prefix; // `text` is the beginning of names, its star removed
} grant_world;

typedef struct grant {
    char subject[AUTH_SUBJECT_BYTES_MAX + 1];
    role role;
    bool guest;          // the session came without a token: its subject is the server's invention
    double expires;      // seconds since 1970
    bool all_worlds;     // the token names no worlds
    grant_world *worlds; // world_count elements
    uint32_t world_count;
    area *areas; // area_count elements; 0: everything is visible
    uint32_t area_count;
    bool has_key;              // false: stored by an earlier version, which kept no key
    uint8_t key[DIGEST_BYTES]; // jwk.digest of the key that signed its token
    players_bounds players;    // lower the bounds of worlds; empty if the token sets none
    limits limits; // those of LIMITS_OF_TOKENS, UINT64_MAX if the token does not set one
} grant;

// A grant without a role: no subject, role none; all worlds and areas, no limits of its own.
grant *grant_create(void);
void grant_free(grant *g); // NULL does nothing

// Whether the grant allows the world of that name.
bool grant_allows_world(const grant *g, const char *name);

// Whether the grant allows every world that `other` allows.
bool grant_covers(const grant *g, const grant *other);

// Whether `a` lies within one of the grant's areas, or the grant has none.
bool grant_allows_area(const grant *g, const area *a);

// The server's limits, lowered to those of the grant.
limits grant_lower(const grant *g, const limits *server);

#endif
