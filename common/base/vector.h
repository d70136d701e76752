// A growing array of plain values whose growth may fail, for code that runs in a stranger's process
// (libcarom) or that allocates as much as a peer asked for: the caller answers with an error. Code
// that may end the process when memory runs out uses array.h, which is shorter to write.
//
// Grows by half; never shrinks before vector_free(). Memory is not zeroed. One thread at a time.
#ifndef CAROM_COMMON_BASE_VECTOR_H
#define CAROM_COMMON_BASE_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR(type)                                                                               \
    struct {                                                                                       \
        type *data;                                                                                \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

// For the macros below. `pointer` is the address of the data pointer; on failure (false) the vector
// is as it was.
static inline bool vector_grow(void *pointer, uint32_t *capacity, uint64_t count, size_t size)
{
    enum { CAPACITY_MIN = 8 };
    uint64_t wanted = *capacity + (uint64_t)*capacity / 2;
    wanted = wanted < CAPACITY_MIN ? CAPACITY_MIN : wanted;
    wanted = wanted < count ? count : wanted;
    if (wanted > UINT32_MAX || wanted > SIZE_MAX / size) {
        return false;
    }
    void *data;
    memcpy(&data, pointer, sizeof data);
    data = realloc(data, (size_t)wanted * size);
    if (data == NULL) {
        return false;
    }
    memcpy(pointer, &data, sizeof data);
    *capacity = (uint32_t)wanted;
    return true;
}

// Makes room for `n` elements; false when memory has run out.
#define vector_reserve(v, n)                                                                       \
    ((n) <= (v)->capacity || vector_grow(&(v)->data, &(v)->capacity, (n), sizeof *(v)->data))

// Appends `value`; false when memory has run out.
#define vector_push(v, value)                                                                      \
    (vector_reserve((v), (uint64_t)(v)->count + 1) &&                                              \
     ((void)((v)->data[(v)->count++] = (value)), true))

// Moves the last element into place `i`: constant time, order not kept.
#define vector_swap_remove(v, i) ((void)((v)->data[(i)] = (v)->data[--(v)->count]))

#define vector_clear(v) ((void)((v)->count = 0))

#define vector_free(v)                                                                             \
    do {                                                                                           \
        free((v)->data);                                                                           \
        (v)->data = NULL;                                                                          \
        (v)->count = (v)->capacity = 0;                                                            \
    } while (0)

#endif
