// Blocks of memory (block.h): small ones from the heap, large ones as mappings that mremap() moves.
// Any thread; a block belongs to one at a time.
//
// Invariant: a block is mapped exactly when its size, in whole lines, is MAPPED_BYTES_MIN or more,
// so the size alone decides how it is freed.
#include "common/base/block.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/assert.h"

enum {
    PAGE_BYTES_MIN = 1 << 12, // the smallest page of any processor
    PAGE_BYTES_MAX = 1 << 16
};

// (Sanitizers do not follow pages that move.)
#if defined(MREMAP_MAYMOVE) && !defined(CAROM_SANITIZED)
#define MAPPED_BYTES_MIN ((size_t)BLOCK_MAPPED_FROM)
#else
#define MAPPED_BYTES_MIN SIZE_MAX
#endif

static atomic_size_t mapped_bytes;
static atomic_size_t mappings; // mappings made so far; picks the next offset

// ---- accounts

#ifdef CAROM_SMALL
static void count(int64_t bytes)
{
    (void)bytes;
}

block_account *block_charge(block_account *account)
{
    (void)account;
    return NULL;
}
#else
static _Thread_local block_account *charged;

static void count(int64_t bytes)
{
    for (block_account *a = charged; a != NULL; a = a->parent) {
        atomic_fetch_add_explicit(&a->bytes, bytes, memory_order_relaxed);
    }
}

block_account *block_charge(block_account *account)
{
    block_account *before = charged;
    charged = account;
    return before;
}
#endif

// ---- lines and pages

static size_t whole_lines(size_t bytes)
{
    return (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
}

static bool is_mapped(size_t bytes)
{
    return bytes >= MAPPED_BYTES_MIN;
}

// Mappings begin at different lines of their pages. If all began with the page, elements of one
// index in arrays that a loop reads together would meet in the same sets of the caches.
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
    count((int64_t)bytes);
    if (!is_mapped(bytes)) {
        void *taken = aligned_alloc(BLOCK_ALIGNMENT, bytes);
        ASSERT_MEMORY(taken != NULL);
        return taken;
    }
    const size_t offset = next_offset();
    void *taken = mmap(NULL, offset + bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    ASSERT_MEMORY(taken != MAP_FAILED);
    mapped_bytes += bytes;
    return (unsigned char *)taken + offset;
}

static void give_back_lines(void *data, size_t bytes)
{
    count(data != NULL ? -(int64_t)bytes : 0);
    if (data == NULL || !is_mapped(bytes)) {
        free(data);
        return;
    }
    const size_t offset = offset_of(data);
    (void)munmap((unsigned char *)data - offset, offset + bytes);
    mapped_bytes -= bytes;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Copies the first `kept` bytes into a new block and zeroes the rest.
static void *copy(void *data, size_t before, size_t kept, size_t bytes)
{
    unsigned char *copied = take_lines(bytes);
    if (kept > 0) {
        memcpy(copied, data, kept);
    }
    if (!is_mapped(bytes)) { // a new mapping is zero already
        memset(copied + kept, 0, bytes - kept);
    }
    give_back_lines(data, before);
    return copied;
}

// Resizes a mapping by moving its pages; bytes after `kept` are zero.
static void *move_pages(void *data, size_t before, size_t kept, size_t bytes)
{
#ifdef MREMAP_MAYMOVE
    if (bytes <= before) { // zero the rest of the last page: growth may use it again
        memset((unsigned char *)data + kept, 0, lesser(before - kept, PAGE_BYTES_MAX));
    }
    const size_t offset = offset_of(data);
    void *moved =
        mremap((unsigned char *)data - offset, offset + before, offset + bytes, MREMAP_MAYMOVE);
    ASSERT_MEMORY(moved != MAP_FAILED);
    mapped_bytes += bytes - before;
    count((int64_t)bytes - (int64_t)before);
    return (unsigned char *)moved + offset;
#else
    return copy(data, before, kept, bytes);
#endif
}

void *block_take(size_t bytes)
{
    return block_resize(NULL, 0, bytes);
}

void *block_resize(void *data, size_t before, size_t bytes)
{
    const size_t kept = lesser(before, bytes);
    before = whole_lines(before);
    bytes = whole_lines(bytes);
    if (bytes == 0) {
        give_back_lines(data, before);
        return NULL;
    }
    return is_mapped(bytes) && is_mapped(before) ? move_pages(data, before, kept, bytes)
                                                 : copy(data, before, kept, bytes);
}

void block_give_back(void *data, size_t bytes)
{
    give_back_lines(data, whole_lines(bytes));
}

size_t block_mapped_bytes(void)
{
    return mapped_bytes;
}
