// The module's allocator: see heap.c. In WebAssembly, malloc() and its family call it; elsewhere
// only a test calls it. One thread.
#ifndef CAROM_CLIENT_WEB_ENGINE_HEAP_H
#define CAROM_CLIENT_WEB_ENGINE_HEAP_H

#include <stddef.h>
#include <stdint.h>

enum { HEAP_PAGE = 65536 }; // bytes of a WebAssembly page

// These work as malloc, calloc, aligned_alloc (a power of two of at most a page), realloc and free.
void *heap_take(size_t bytes);
void *heap_take_zeros(size_t count, size_t bytes);
void *heap_take_aligned(size_t alignment, size_t bytes);
void *heap_resize(void *payload, size_t bytes);
void heap_give_back(void *payload);

// Adds at least *bytes, as whole pages that follow the present memory; *bytes becomes their size.
// NULL: out of memory. The host provides this function; a test has one of its own.
void *heap_more_memory(uint32_t *bytes);

#endif
