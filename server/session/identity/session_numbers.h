// The slots of sessions by their numbers: records on disk, bodies of worlds and clients that resume
// name a session by its number alone, and there may be 100 000 of them.
//
// A hash table with open addressing. Network thread only.
#ifndef CAROM_SERVER_SESSION_IDENTITY_SESSION_NUMBERS_H
#define CAROM_SERVER_SESSION_IDENTITY_SESSION_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct session_number_place {
    uint64_t number; // 0: free
    uint32_t slot;
} session_number_place;

// Zeroed: empty.
typedef struct session_numbers {
    session_number_place *places; // a power of two; at most half of them are used
    uint32_t size, count;
} session_numbers;

void session_numbers_deinit(session_numbers *n);
// `number` > 0; the last slot that was set for it counts.
void session_numbers_set(session_numbers *n, uint64_t number, uint32_t slot);
// Removes the number if it has that slot: another session may have taken it over.
void session_numbers_remove(session_numbers *n, uint64_t number, uint32_t slot);
bool session_numbers_find(const session_numbers *n, uint64_t number, uint32_t *slot);

#endif
