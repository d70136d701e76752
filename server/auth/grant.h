// The rights that a token gives its bearer: subject, role, worlds, areas, time and limits.
//
// Plain data that jwt.c fills from claims whose signature was checked. A grant belongs to one
// session and does not change. One thread at a time.
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
    bool prefix; // of the names, without its star
} grant_world;

typedef struct grant {
    char subject[AUTH_SUBJECT_BYTES_MAX + 1];
    role role;
    double expires;      // seconds since 1970
    bool all_worlds;     // the token does not name any
    grant_world *worlds; // world_count of them
    uint32_t world_count;
    area *areas; // area_count of them; 0: it sees everything
    uint32_t area_count;
    bool has_key;              // false: read from what an earlier version wrote
    uint8_t key[DIGEST_BYTES]; // jwk.digest of the key that signed its token
    limits limits; // those of LIMITS_OF_TOKENS as the token has them, UINT64_MAX where it is silent
} grant;

// A grant for nobody: no name, role none, all worlds, everything seen, no limits of its own.
grant *grant_create(void);
void grant_free(grant *g); // NULL is allowed

// Whether the bearer may see a world of that name.
bool grant_allows_world(const grant *g, const char *name);

// Whether each world that `other` allows is allowed.
bool grant_covers(const grant *g, const grant *other);

// Whether everything within `a` may be seen: it lies within one of the areas.
bool grant_allows_area(const grant *g, const area *a);

// Lowers `server`'s limits to those of the grant.
limits grant_lower(const grant *g, const limits *server);

#endif
