// Blocks of memory (common/base/block.h) from the heap instead of mappings. WebAssembly never
// returns pages, so growing in place would gain nothing.
#include "common/base/block.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

static size_t whole_lines(size_t bytes)
{
    return (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
}

void *block_take(size_t bytes)
{
    return block_resize(NULL, 0, bytes);
}

void *block_resize(void *data, size_t before, size_t bytes)
{
    const size_t kept = before < bytes ? before : bytes;
    unsigned char *made = NULL;
    bytes = whole_lines(bytes);
    if (bytes > 0) {
        made = aligned_alloc(BLOCK_ALIGNMENT, bytes);
        ASSERT(made != NULL);
        if (kept > 0) {
            memcpy(made, data, kept);
        }
        memset(made + kept, 0, bytes - kept);
    }
    free(data);
    return made;
}

void block_give_back(void *data, size_t bytes)
{
    (void)bytes;
    free(data);
}

size_t block_mapped_bytes(void)
{
    return 0;
}
