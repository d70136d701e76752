#include "common/base/block.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/assert.h"

enum {
    PAGE_BYTES_MIN = 1 << 12, // on any processor
    PAGE_BYTES_MAX = 1 << 16
};

// (Sanitizers do not follow pages that move.)
#if defined(MREMAP_MAYMOVE) && !defined(CAROM_SANITIZED)
#define MAPPED_BYTES_MIN ((size_t)BLOCK_MAPPED_FROM)
#else
#define MAPPED_BYTES_MIN SIZE_MAX
#endif

static atomic_size_t mapped_bytes;
static atomic_size_t mappings; // made so far

static size_t whole_lines(size_t bytes)
{
    return (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
}

static bool is_mapped(size_t bytes)
{
    return bytes >= MAPPED_BYTES_MIN;
}

// Mappings begin at different lines of their pages. If all began with the page, elements of one
// index in arrays that are gone through side by side would meet in the same sets of the caches.
static size_t next_offset(void)
{
    enum { LINES = PAGE_BYTES_MIN / BLOCK_ALIGNMENT, LINES_APART = 27 };
    return (1 + mappings++) * LINES_APART % LINES * BLOCK_ALIGNMENT;
}

static size_t offset_of(const void *data)
{
    return (uintptr_t)data % PAGE_BYTES_MIN;
}

static void *take_lines(size_t bytes)
{
    if (!is_mapped(bytes)) {
        void *taken = aligned_alloc(BLOCK_ALIGNMENT, bytes);
        ASSERT(taken != NULL);
        return taken;
    }
    const size_t offset = next_offset();
    void *taken = mmap(NULL, offset + bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    ASSERT(taken != MAP_FAILED);
    mapped_bytes += bytes;
    return (unsigned char *)taken + offset;
}

static void give_back_lines(void *data, size_t bytes)
{
    if (data == NULL || !is_mapped(bytes)) {
        free(data);
        return;
    }
    const size_t offset = offset_of(data);
    (void)munmap((unsigned char *)data - offset, offset + bytes);
    mapped_bytes -= bytes;
}

// Into other memory: the first `used` bytes, the rest zero.
static void *copy(void *data, size_t before, size_t used, size_t bytes)
{
    unsigned char *copied = take_lines(bytes);
    if (used > 0) {
        memcpy(copied, data, used);
    }
    if (!is_mapped(bytes)) { // what is mapped is zero as it comes
        memset(copied + used, 0, bytes - used);
    }
    give_back_lines(data, before);
    return copied;
}

// The same of what is mapped and stays so.
static void *move_pages(void *data, size_t before, size_t bytes)
{
#ifdef MREMAP_MAYMOVE
    const size_t offset = offset_of(data);
    void *moved =
        mremap((unsigned char *)data - offset, offset + before, offset + bytes, MREMAP_MAYMOVE);
    ASSERT(moved != MAP_FAILED);
    mapped_bytes += bytes - before;
    return (unsigned char *)moved + offset;
#else
    return copy(data, before, before < bytes ? before : bytes, bytes);
#endif
}

void *block_take(size_t bytes)
{
    return block_resize(NULL, 0, 0, bytes);
}

void *block_resize(void *data, size_t before, size_t used, size_t bytes)
{
    ASSERT(used <= before && used <= bytes);
    const bool shrinks = bytes < before;
    before = whole_lines(before);
    bytes = whole_lines(bytes);
    if (bytes == 0) {
        give_back_lines(data, before);
        return NULL;
    }
    if (is_mapped(bytes) && is_mapped(before)) {
        if (shrinks) { // what is left of the last page is zero if it is wanted again
            const size_t rest = before - used;
            memset((unsigned char *)data + used, 0, rest < PAGE_BYTES_MAX ? rest : PAGE_BYTES_MAX);
        }
        return move_pages(data, before, bytes);
    }
    return copy(data, before, used, bytes);
}

void block_give_back(void *data, size_t bytes)
{
    give_back_lines(data, whole_lines(bytes));
}

size_t block_mapped_bytes(void)
{
    return mapped_bytes;
}
