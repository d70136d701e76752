// The standing of a session with the worlds: whether what it has asked for may still be done.
//
// A batch for a later tick may wait for hours, longer than its sender has its rights. So it holds a
// reference to the sender's standing, and its world looks at that when the batch's turn has come.
// The network thread ends a standing: when the session is kicked, when its token expires or its key
// is removed, when a new token allows less. A session that ends in any other way leaves its batches
// behind, until its token expires.
//
// Made and changed by the network thread, read by the worlds' threads.
#ifndef CAROM_SERVER_WORLD_MESSAGE_STANDING_H
#define CAROM_SERVER_WORLD_MESSAGE_STANDING_H

#include <stdbool.h>

typedef struct standing standing;

// One reference, the caller's. `expires`: seconds since 1970; 0: never.
standing *standing_create(double expires);
standing *standing_ref(standing *s); // NULL is allowed, and stays NULL
void standing_unref(standing *s);    // so here

void standing_prolong(standing *s, double expires); // NULL is allowed
void standing_end(standing *s);                     // so here

// Whether it holds at the time `now` [s since 1970]. NULL holds for ever.
bool standing_holds(const standing *s, double now);

#endif
