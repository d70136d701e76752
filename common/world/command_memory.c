// A chain of blocks, newest first; allocations come from the newest block, and all are freed
// together. One thread at a time.
#include "common/world/command_memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// Block sizes double, so a million allocations need a dozen blocks; the first fits a typical
// command.
enum { BLOCK_BYTES_FIRST = 240, BLOCK_BYTES_MAX = 1 << 20 };

_Static_assert(BLOCK_BYTES_FIRST % alignof(max_align_t) == 0, "no bytes are lost at its end");
_Static_assert(BLOCK_BYTES_FIRST < BLOCK_BYTES_MAX, "blocks grow");

struct command_memory {
    command_memory *next; // the next older block
    size_t size, taken;   // `size` is the block's bytes, `taken` those allocated
    size_t used;          // bytes allocated from this block and the older ones
    size_t held;          // bytes of this block and the older ones
    alignas(max_align_t) unsigned char bytes[];
};

static command_memory *block_create(command_memory *next, size_t least)
{
    size_t size = next == NULL                       ? BLOCK_BYTES_FIRST
                  : next->size * 2 < BLOCK_BYTES_MAX ? next->size * 2
                                                     : BLOCK_BYTES_MAX;
    if (size < least) {
        size = least;
    }
    ASSERT(size <= SIZE_MAX - sizeof(command_memory));
    ASSERT(next == NULL || next->taken <= next->size);
    command_memory *block = calloc(1, sizeof *block + size);
    ASSERT_MEMORY(block != NULL);
    block->next = next;
    block->size = size;
    block->used = next == NULL ? 0 : next->used;
    block->held = sizeof *block + size + (next == NULL ? 0 : next->held);
    return block;
}

bool command_memory_reserve(command_memory **memory, size_t bytes)
{
    ASSERT(*memory == NULL && bytes <= SIZE_MAX - sizeof(command_memory));
    command_memory *block = calloc(1, sizeof *block + bytes);
    if (block == NULL) {
        return false;
    }
    block->size = bytes;
    block->held = sizeof *block + bytes;
    *memory = block;
    return true;
}

void *command_memory_take(command_memory **memory, size_t count, size_t size)
{
    const size_t grain = alignof(max_align_t);
    if (count == 0) {
        return NULL;
    }
    ASSERT(size <= (SIZE_MAX / 2 - grain) / count);
    size_t bytes = (count * size + grain - 1) / grain * grain;
    if (*memory == NULL || (*memory)->size - (*memory)->taken < bytes) {
        *memory = block_create(*memory, bytes);
    }
    void *piece = (*memory)->bytes + (*memory)->taken;
    (*memory)->taken += bytes;
    (*memory)->used += bytes;
    ASSERT((*memory)->taken <= (*memory)->size && (*memory)->used <= (*memory)->held);
    return piece;
}

char *command_memory_text(command_memory **memory, const char *text, size_t size)
{
    ASSERT(size < SIZE_MAX);
    char *copy = command_memory_take(memory, size + 1, 1);
    memcpy(copy, text, size);
    return copy;
}

size_t command_memory_used(const command_memory *memory)
{
    return memory == NULL ? 0 : memory->used;
}

size_t command_memory_held(const command_memory *memory)
{
    return memory == NULL ? 0 : memory->held;
}

void command_memory_free(command_memory *memory)
{
    while (memory != NULL) {
        command_memory *next = memory->next;
        free(memory);
        memory = next;
    }
}
