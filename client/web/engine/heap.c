// malloc and its family instead of wasi-libc's, which takes 11 kB of the module. Blocks are
// adjacent; free ones are merged with free neighbours at once and kept in lists by size (Knuth, The
// Art of Computer Programming 1, 2.5, boundary tags).
//
// A block is a head of 8 bytes and its payload; sizes are multiples of 16, and heads are 8 bytes
// before a multiple of 16, so that every payload is aligned to 16. A used block of size 0 ends the
// memory. The highest bit of a size chooses its list. A search tries the first few blocks of that
// list, any of which may be too small, and then the lists above, where the first block fits.
//
// Memory grows by whole pages and is never returned. One thread.
#include "client/web/engine/heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct heap_block {
    uint32_t size;                      // size of the whole block; the lowest bit: in use
    uint32_t before;                    // size of the previous block; 0: none
    struct heap_block *next, *previous; // links of its list, while it is free
} heap_block;

enum {
    GRAIN = 16,
    HEAD = 8,
    BLOCK_MIN = (sizeof(heap_block) + GRAIN - 1) / GRAIN * GRAIN,
    USED = 1,
    LISTS = 32,            // one list for each bit of a size
    TRIES = 8,             // blocks tried in the size's own list
    BYTES_MAX = 0x7FFF0000 // the largest block; sums of a few sizes do not overflow
};

static heap_block *lists[LISTS];
static heap_block *end; // NULL: no memory yet

static uint32_t size_of(const heap_block *b)
{
    return b->size & ~(uint32_t)USED;
}

// The size of a block for a payload of `bytes`.
static uint32_t size_for(size_t bytes)
{
    const uint32_t size = ((uint32_t)bytes + HEAD + GRAIN - 1) / GRAIN * GRAIN;
    return size < BLOCK_MIN ? BLOCK_MIN : size;
}

static bool is_used(const heap_block *b)
{
    return (b->size & USED) != 0;
}

static heap_block *at(heap_block *b, int64_t bytes)
{
    return (heap_block *)(void *)((char *)b + bytes);
}

static heap_block *next_of(heap_block *b)
{
    return at(b, size_of(b));
}

static heap_block *block_of(void *payload)
{
    return at(payload, -HEAD);
}

static void *payload_of(heap_block *b)
{
    return (char *)b + HEAD;
}

static heap_block **list_of(uint32_t size)
{
    return &lists[31 - __builtin_clz(size)];
}

// Sets the size in the block and in the next block's head.
static void set_size(heap_block *b, uint32_t size, uint32_t used)
{
    b->size = size | used;
    at(b, size)->before = size;
}

static void unlink_free(heap_block *b)
{
    *(b->previous != NULL ? &b->previous->next : list_of(size_of(b))) = b->next;
    if (b->next != NULL) {
        b->next->previous = b->previous;
    }
}

// Frees a block that is in no list, and merges it with free neighbours.
static void join(heap_block *b)
{
    uint32_t size = size_of(b);
    heap_block *next = next_of(b);
    if (!is_used(next)) {
        unlink_free(next);
        size += size_of(next);
    }
    heap_block *before = at(b, -(int64_t)b->before);
    if (b->before > 0 && !is_used(before)) {
        unlink_free(before);
        size += b->before;
        b = before;
    }
    set_size(b, size, 0);
    heap_block **list = list_of(size);
    b->previous = NULL;
    b->next = *list;
    if (b->next != NULL) {
        b->next->previous = b;
    }
    *list = b;
}

// Shrinks a used block to `size` bytes and frees the rest, if it is large enough for a block.
static void cut(heap_block *b, uint32_t size)
{
    const uint32_t rest = size_of(b) - size;
    if (rest >= BLOCK_MIN) {
        set_size(b, size, USED);
        heap_block *free = next_of(b);
        set_size(free, rest, USED);
        join(free);
    }
}

// Adds memory for a block of that size; false: out of memory.
static bool grow(uint32_t size)
{
    uint32_t bytes = size + 2 * HEAP_PAGE;
    char *begin = heap_more_memory(&bytes);
    if (begin == NULL) {
        return false;
    }
    heap_block *b = end;
    if (b == NULL) { // first use: heads are 8 bytes before a multiple of 16
        const uint32_t skipped = HEAD + (uint32_t)(-(uintptr_t)begin & (GRAIN - 1));
        b = at((heap_block *)(void *)begin, skipped);
        b->before = 0;
        bytes -= skipped + HEAD; // without the head of the end block
        bytes -= bytes % GRAIN;
    }
    set_size(b, bytes, USED);
    end = next_of(b);
    end->size = USED;
    join(b);
    return true;
}

static heap_block *find(uint32_t size)
{
    heap_block **list = list_of(size);
    heap_block *b = *list;
    for (int i = 0; i < TRIES && b != NULL; i++, b = b->next) {
        if (size_of(b) >= size) {
            return b;
        }
    }
    while (++list < lists + LISTS) {
        if (*list != NULL) {
            return *list;
        }
    }
    return NULL;
}

void *heap_take(size_t bytes)
{
    if (bytes > BYTES_MAX) {
        return NULL;
    }
    const uint32_t size = size_for(bytes);
    heap_block *b = find(size);
    if (b == NULL) {
        if (!grow(size)) {
            return NULL;
        }
        b = find(size);
    }
    unlink_free(b);
    set_size(b, size_of(b), USED);
    cut(b, size);
    return payload_of(b);
}

void heap_give_back(void *payload)
{
    if (payload != NULL) {
        join(block_of(payload));
    }
}

void *heap_take_zeros(size_t count, size_t bytes)
{
    const uint64_t size = (uint64_t)count * bytes;
    void *made = heap_take(size > BYTES_MAX ? BYTES_MAX + (size_t)1 : (size_t)size);
    return made != NULL ? memset(made, 0, (size_t)size) : NULL;
}

void *heap_take_aligned(size_t alignment, size_t bytes)
{
    if (bytes > BYTES_MAX || alignment > HEAP_PAGE) {
        return NULL;
    }
    char *made = heap_take(bytes + alignment + BLOCK_MIN);
    if (made == NULL) {
        return NULL;
    }
    heap_block *b = block_of(made);
    uint32_t ahead = (uint32_t)(-(uintptr_t)made & (alignment - 1));
    if (ahead > 0) { // the memory before the aligned address becomes a block
        ahead += ahead < BLOCK_MIN ? (uint32_t)alignment : 0;
        heap_block *whole = b;
        const uint32_t size = size_of(whole);
        b = at(whole, ahead);
        set_size(whole, ahead, USED);
        set_size(b, size - ahead, USED);
        join(whole);
    }
    cut(b, size_for(bytes));
    return payload_of(b);
}

void *heap_resize(void *payload, size_t bytes)
{
    if (payload == NULL) {
        return heap_take(bytes);
    }
    if (bytes > BYTES_MAX) {
        return NULL;
    }
    heap_block *b = block_of(payload);
    const uint32_t old = size_of(b) - HEAD;
    heap_block *next = next_of(b);
    const uint32_t size = size_for(bytes);
    if (!is_used(next) && size_of(b) + size_of(next) >= size) {
        unlink_free(next);
        set_size(b, size_of(b) + size_of(next), USED);
    }
    if (size_of(b) >= size) {
        cut(b, size);
        return payload;
    }
    void *made = heap_take(bytes);
    if (made != NULL) {
        memcpy(made, payload, old < bytes ? old : bytes);
        heap_give_back(payload);
    }
    return made;
}

#ifdef __wasm__

void *heap_more_memory(uint32_t *bytes)
{
    const uint32_t pages = (*bytes - 1) / HEAP_PAGE + 1;
    const size_t before = __builtin_wasm_memory_grow(0, pages);
    *bytes = pages * HEAP_PAGE;
    return before != SIZE_MAX ? (void *)(before * HEAP_PAGE) : NULL;
}

void *malloc(size_t bytes)
{
    return heap_take(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return heap_take_zeros(count, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return heap_take_aligned(alignment, bytes);
}

void *realloc(void *payload, size_t bytes)
{
    return heap_resize(payload, bytes);
}

void free(void *payload)
{
    heap_give_back(payload);
}

#endif
