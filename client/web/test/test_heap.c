// The allocator of the WebAssembly module (client/web/engine/heap.c), compiled for this machine
// over memory of the test: blocks keep their bytes, never overlap, are aligned, and are merged when
// freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/web/engine/heap.h"

enum { MEMORY = 64 << 20, BLOCKS = 2000, ROUNDS = 50000, ALIGNED = 64 };

static _Alignas(HEAP_PAGE) char memory[MEMORY];
static uint32_t taken;

void *heap_more_memory(uint32_t *bytes)
{
    const uint32_t rounded = (*bytes + HEAP_PAGE - 1) / HEAP_PAGE * HEAP_PAGE;
    if (rounded > MEMORY - taken) {
        return NULL;
    }
    char *begin = memory + taken;
    taken += rounded;
    *bytes = rounded;
    return begin;
}

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

typedef struct held {
    unsigned char *bytes;
    size_t size, alignment;
    unsigned char mark;
} held;

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

// Mostly small sizes, some up to 100 kB.
static size_t random_size(void)
{
    return random_below(10) == 0 ? random_below(100000) : random_below(300);
}

static void check(const held *h)
{
    require((uintptr_t)h->bytes % h->alignment == 0, "a block is not aligned");
    for (size_t i = 0; i < h->size; i++) {
        require(h->bytes[i] == h->mark, "a block has bytes of another");
    }
}

static void fill(held *h, unsigned char mark)
{
    require(h->bytes != NULL, "memory has run out too early");
    h->mark = mark;
    memset(h->bytes, mark, h->size);
}

static void renew(held *h, unsigned char mark)
{
    const size_t size = random_size();
    check(h);
    // Resized: the bytes that both sizes have are kept
    if (h->bytes != NULL && random_below(3) == 0) {
        h->bytes = heap_resize(h->bytes, size);
        h->alignment = 16;
        const held kept = {h->bytes, size < h->size ? size : h->size, 16, h->mark};
        check(&kept);
    } else if (random_below(3) == 0) {
        heap_give_back(h->bytes);
        h->alignment = ALIGNED;
        h->bytes = heap_take_aligned(ALIGNED, size);
    } else {
        heap_give_back(h->bytes);
        h->alignment = 16;
        h->bytes = heap_take_zeros(1, size);
        const held zeros = {h->bytes, size, 16, 0};
        check(&zeros);
    }
    h->size = size;
    fill(h, mark);
}

int main(void)
{
    static held blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i].alignment = 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        renew(&blocks[random_below(BLOCKS)], (unsigned char)(i | 1));
    }
    size_t held_bytes = 0;
    for (int i = 0; i < BLOCKS; i++) {
        check(&blocks[i]);
        held_bytes += blocks[i].size;
        heap_give_back(blocks[i].bytes);
    }
    require(taken < 2 * held_bytes + (1 << 20), "most of the memory is lost in gaps");
    // All memory is one block again.
    const uint32_t before = taken;
    void *all = heap_take(before - HEAP_PAGE);
    require(all != NULL && taken == before, "free blocks did not come together");
    heap_give_back(all);
    require(heap_take(MEMORY) == NULL && heap_take(SIZE_MAX) == NULL, "there is no such memory");
    require(heap_take_zeros(SIZE_MAX / 2, 4) == NULL, "the product is too large");
    require(heap_take_aligned(ALIGNED, SIZE_MAX - 8) == NULL, "too large, aligned");
    all = heap_take(100);
    require(heap_resize(all, SIZE_MAX - 8) == NULL, "too large, resized");
    memset(all, 1, 100);
    heap_give_back(all);
    heap_give_back(NULL);
    return 0;
}
