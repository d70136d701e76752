// The keys of a world's data that a subscription gets: those that begin with one of these texts.
// A copy of the command's list, which its session keeps for a restart, and its world for snapshots.
//
// Plain data; any thread, one at a time.
#ifndef CAROM_SERVER_WORLD_MESSAGE_DATA_PREFIXES_H
#define CAROM_SERVER_WORLD_MESSAGE_DATA_PREFIXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/physics/data.h"
#include "common/world/command.h"

// Memory of a session's record of a subscription, without its copy: counted by the world.
enum { SUBSCRIPTION_RECORD_BYTES = 512 };

typedef struct data_prefixes {
    uint32_t count; // at least 1
    char texts[][DATA_KEY_BYTES_MAX + 1];
} data_prefixes;

// A copy, to be freed with free(); NULL for none.
data_prefixes *data_prefixes_create(const char *const *texts, uint32_t count);
size_t data_prefixes_bytes(uint32_t count); // memory of a copy
bool data_prefixes_has(const data_prefixes *p, const char *key);
// Order by content; NULL comes first.
int data_prefixes_compare(const data_prefixes *a, const data_prefixes *b);

// Makes the subscription's arguments ask for these (NULL: none), in the command's memory.
void data_prefixes_give(const data_prefixes *p, command *subscribe);

#endif
