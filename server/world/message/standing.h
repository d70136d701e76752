// A session's standing: whether its waiting requests may still be carried out.
//
// A batch for a later tick may wait for hours, longer than its sender's rights last, and a command
// behind a long world.step for minutes. So each request with an effect has a reference to its
// sender's standing, and its world checks that when the request is due. The network
// thread ends a standing when the session is kicked, when its token expires or its key is removed,
// and when a new token allows less. A session that ends in any other way leaves its batches behind,
// until its token expires, its key is removed or its number is kicked: all standings are in a list,
// so that those without a session are found too. They are as many as sessions and waiting requests,
// which have bounds.
//
// Made and changed by the network thread, read by the worlds' threads.
#ifndef CAROM_SERVER_WORLD_MESSAGE_STANDING_H
#define CAROM_SERVER_WORLD_MESSAGE_STANDING_H

#include <stdbool.h>
#include <stdint.h>

enum { STANDING_KEY_BYTES = 32 };

typedef struct standing standing;

// A standing rests on these. `server`: names the server, of several in one process. `session`: the
// session's number, which no other session gets. `expires`:
// seconds since 1970; 0: never. `key`: the digest of the token's key, copied; NULL if there is
// none.
typedef struct standing_basis {
    const void *server;
    uint64_t session;
    double expires;
    const uint8_t *key;
} standing_basis;

// Makes a standing with one reference, which the caller gets.
standing *standing_create(const standing_basis *basis);
standing *standing_ref(standing *s); // NULL is allowed, and stays NULL
void standing_unref(standing *s);    // NULL is allowed

void standing_renew(standing *s, const standing_basis *basis); // for a new token; NULL is allowed
void standing_end(standing *s);                                // NULL is allowed

// Ends those standings of the server whose key `has` does not know; those without a key stay.
void standing_end_keys(const void *server, bool (*has)(const void *context, const uint8_t *key),
                       const void *context);

// Ends those of a session that may have ended; returns how many were valid until now.
uint32_t standing_end_session(const void *server, uint64_t session);

// Whether it is valid at the time `now` [s since 1970]. NULL is always valid.
bool standing_holds(const standing *s, double now);

#endif
