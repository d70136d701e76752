// A session's standing: whether batches that it has scheduled may still be carried out.
//
// A batch for a later tick may wait for hours, longer than its sender's rights last. So it has a
// reference to the sender's standing, and its world checks that when the batch is due. The network
// thread ends a standing when the session is kicked, when its token expires or its key is removed,
// and when a new token allows less. A session that ends in any other way leaves its batches behind,
// until its token expires.
//
// Made and changed by the network thread, read by the worlds' threads.
#ifndef CAROM_SERVER_WORLD_MESSAGE_STANDING_H
#define CAROM_SERVER_WORLD_MESSAGE_STANDING_H

#include <stdbool.h>

typedef struct standing standing;

// Makes a standing with one reference, the caller's. `expires`: seconds since 1970; 0: never.
standing *standing_create(double expires);
standing *standing_ref(standing *s); // NULL is allowed, and stays NULL
void standing_unref(standing *s);    // NULL is allowed

void standing_prolong(standing *s, double expires); // NULL is allowed
void standing_end(standing *s);                     // NULL is allowed

// Whether it is valid at the time `now` [s since 1970]. NULL is always valid.
bool standing_holds(const standing *s, double now);

#endif
