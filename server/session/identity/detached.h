// Sessions without a connection, in the order in which they lost it, and by subject: which of them
// ends when there are too many.
//
// The sessions of one subject are its crowd; those without a subject are one crowd as well. Adding
// and removing one, and finding the one to end, cost no more the more there are: a heap orders the
// crowds by size, and the links are in the sessions. Network thread only.
#ifndef CAROM_SERVER_SESSION_IDENTITY_DETACHED_H
#define CAROM_SERVER_SESSION_IDENTITY_DETACHED_H

#include <stdint.h>

#include "common/base/array.h"

// Zeroed: empty. Its address is stable while it has sessions.
typedef struct detached_crowd {
    struct detached_link *first, *last; // oldest first
    uint32_t count;
    uint32_t heap_at; // index in the heap, while count > 0
} detached_crowd;

// A member of a session. Zeroed: not in the list.
typedef struct detached_link {
    struct detached_link *previous, *next;
    struct detached_link *crowd_previous, *crowd_next;
    detached_crowd *crowd; // NULL: it is not in the list
} detached_link;

// Zeroed: empty.
typedef struct detached_list {
    detached_link *first, *last; // oldest first
    uint32_t count;
    detached_crowd nobody;        // those without a subject; it is not in the heap
    ARRAY(detached_crowd *) heap; // the top has the most
} detached_list;

// The list must be empty.
void detached_deinit(detached_list *l);

// Adds the youngest. `crowd` counts the sessions of its subject; NULL: it has no subject.
void detached_add(detached_list *l, detached_link *link, detached_crowd *crowd);
void detached_remove(detached_list *l, detached_link *link);

// Returns the one to end, so that no subject displaces others: the oldest of those without a
// subject, else of the subject with the most. NULL: the list is empty.
detached_link *detached_superfluous(const detached_list *l);

#endif
