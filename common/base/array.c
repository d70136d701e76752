#include "common/base/array.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/assert.h"

enum {
    ALIGNMENT = 64, // a cache line, so that vector loads never straddle two
    CAPACITY_MIN = 16,
    DOUBLING_BYTES_MAX = 1 << 15, // larger arrays grow by a quarter,
    QUARTER_BYTES_MAX = 1 << 17,  // yet larger ones by an eighth,
    EIGHTH_BYTES_MAX = 1 << 20,   // and what is mapped by a sixteenth
    PAGE_BYTES_MIN = 1 << 12,     // on any processor
    PAGE_BYTES_MAX = 1 << 16
};

// From so many bytes on an array is a mapping of its own, which the kernel makes longer by moving
// its pages instead of what is in them: a world of 200 000 bodies that gets one more does not stand
// still for 20 ms while its bodies or contacts are copied. Sanitizers do not follow moved pages.
#if defined(MREMAP_MAYMOVE) && !defined(CAROM_SANITIZED)
#define MAPPED_BYTES_MIN ((size_t)EIGHTH_BYTES_MAX)
#else
#define MAPPED_BYTES_MIN SIZE_MAX
#endif

static atomic_size_t mapped_bytes;
static atomic_size_t mappings; // made so far

// Doubled while that is cheap; what is large is not to stand half empty. An eighth more each time
// copies each element nine times at most, all growth taken together.
static uint32_t next_capacity(uint32_t capacity, size_t size)
{
    size_t bytes = capacity * size;
    uint32_t more = bytes < DOUBLING_BYTES_MAX  ? capacity
                    : bytes < QUARTER_BYTES_MAX ? capacity / 4
                    : bytes < EIGHTH_BYTES_MAX  ? capacity / 8
                                                : capacity / 16;
    ASSERT(more <= UINT32_MAX - capacity);
    return capacity + more;
}

// What so many elements take.
static size_t bytes_for(uint32_t capacity, size_t size)
{
    return ((size_t)capacity * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_mapped(size_t bytes)
{
    return bytes >= MAPPED_BYTES_MIN;
}

// Mappings begin at different lines of their pages. If all began with the page, elements of one
// index in arrays that are gone through side by side would meet in the same sets of the caches.
static size_t next_offset(void)
{
    enum { LINES = PAGE_BYTES_MIN / ALIGNMENT, LINES_APART = 27 };
    return (1 + mappings++) * LINES_APART % LINES * ALIGNMENT;
}

static size_t offset_of(const void *data)
{
    return (uintptr_t)data % PAGE_BYTES_MIN;
}

static void *take(size_t bytes)
{
    if (!is_mapped(bytes)) {
        void *taken = aligned_alloc(ALIGNMENT, bytes);
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

static void give_back(void *data, size_t bytes)
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
    unsigned char *copied = take(bytes);
    if (used > 0) {
        memcpy(copied, data, used);
    }
    if (!is_mapped(bytes)) { // what is mapped is zero as it comes
        memset(copied + used, 0, bytes - used);
    }
    give_back(data, before);
    return copied;
}

// The same of what is mapped and stays so.
static void *move_pages(void *data, size_t before, size_t used, size_t bytes)
{
#ifdef MREMAP_MAYMOVE
    if (bytes < before) { // what is left of the last page is zero if it is wanted again
        size_t rest = before - used;
        memset((unsigned char *)data + used, 0, rest < PAGE_BYTES_MAX ? rest : PAGE_BYTES_MAX);
    }
    const size_t offset = offset_of(data);
    void *moved =
        mremap((unsigned char *)data - offset, offset + before, offset + bytes, MREMAP_MAYMOVE);
    ASSERT(moved != MAP_FAILED);
    mapped_bytes += bytes - before;
    return (unsigned char *)moved + offset;
#else
    return copy(data, before, used, bytes);
#endif
}

// The first `kept` of the elements in memory for `capacity` of them, the rest zero.
static void *resize(void *data, uint32_t before, uint32_t kept, uint32_t capacity, size_t size)
{
    const size_t bytes = bytes_for(capacity, size);
    const size_t bytes_before = bytes_for(before, size);
    const size_t used = (size_t)kept * size;
    if (is_mapped(bytes) && is_mapped(bytes_before)) {
        return move_pages(data, bytes_before, used, bytes);
    }
    return copy(data, bytes_before, used, bytes);
}

void *array_grow(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    uint32_t wanted = *capacity < CAPACITY_MIN ? CAPACITY_MIN : *capacity;
    while (wanted < count) {
        wanted = next_capacity(wanted, size);
    }
    void *grown = resize(data, *capacity, *capacity, wanted, size);
    *capacity = wanted;
    return grown;
}

void *array_refit(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    if (*capacity == count) {
        return data;
    }
    const uint32_t before = *capacity;
    *capacity = count;
    if (count == 0) {
        array_release(data, before, size);
        return NULL;
    }
    return resize(data, before, count, count, size);
}

void array_release(void *data, uint32_t capacity, size_t size)
{
    give_back(data, bytes_for(capacity, size));
}

size_t array_mapped_bytes(void)
{
    return mapped_bytes;
}
