// An arena: memory allocated in pieces and freed at once, which a command or a result owns.
// Internal to commands and their decoders. One thread at a time.
#ifndef CAROM_COMMON_WORLD_COMMAND_MEMORY_H
#define CAROM_COMMON_WORLD_COMMAND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/world/command.h"

// Zeroed memory for `count` things of `size` bytes, aligned for any of them; NULL for a count of 0.
// `memory` is NULL at first and becomes the owner. Callers bound their demand by named limits;
// running out of memory ends the process, as with ARRAY.
void *command_memory_take(command_memory **memory, size_t count, size_t size);

// Begins an arena (`*memory` is NULL) with a block of `bytes`, from which the next allocations
// come: for callers that a lack of memory must not end. False if it is refused.
bool command_memory_reserve(command_memory **memory, size_t bytes);

// A zero-terminated copy of `size` bytes.
char *command_memory_text(command_memory **memory, const char *text, size_t size);

// Bytes allocated from the arena so far.
size_t command_memory_used(const command_memory *memory);
// Bytes of all its blocks.
size_t command_memory_held(const command_memory *memory);

void command_memory_free(command_memory *memory);

#endif
