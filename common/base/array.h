// A growing array of plain values: `struct { T *data; uint32_t count, capacity; }` of any T. An
// array grows by a factor: 2, for large arrays 5/4 or 9/8, and from a mebibyte on, where growth
// copies nothing, 17/16. So an array at its working size allocates no more. Its memory is a block
// (block.h): aligned and zeroed; allocation never fails.
#ifndef CAROM_COMMON_BASE_ARRAY_H
#define CAROM_COMMON_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *data;                                                                                \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

// Makes room for `count` elements of `size` bytes; new memory is zeroed. For the macros below.
void *array_grow(void *data, uint32_t *capacity, uint32_t count, size_t size);

#define array_reserve(a, n)                                                                        \
    ((n) > (a)->capacity                                                                           \
         ? (void)((a)->data = array_grow((a)->data, &(a)->capacity, (n), sizeof *(a)->data))       \
         : (void)0)

// Shrinks the allocation to `count` elements.
void *array_refit(void *data, uint32_t *capacity, uint32_t count, size_t size);

#define array_fit(a)                                                                               \
    ((void)((a)->data = array_refit((a)->data, &(a)->capacity, (a)->count, sizeof *(a)->data)))

#define array_push(a, value)                                                                       \
    do {                                                                                           \
        array_reserve((a), (a)->count + 1);                                                        \
        (a)->data[(a)->count++] = (value);                                                         \
    } while (0)

// Moves the last element into place `i`: constant time, order not kept.
#define array_swap_remove(a, i) ((a)->data[(i)] = (a)->data[--(a)->count])

// Removes the first element that equals `value`, if there is one, as array_swap_remove does.
#define array_swap_remove_value(a, value)                                                          \
    do {                                                                                           \
        for (uint32_t at_ = 0; at_ < (a)->count; at_++) {                                          \
            if ((a)->data[at_] == (value)) {                                                       \
                array_swap_remove((a), at_);                                                       \
                break;                                                                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// Removes the first `n` elements; the rest moves up.
#define array_remove_first(a, n)                                                                   \
    do {                                                                                           \
        const uint32_t removed_ = (n);                                                             \
        (a)->count -= removed_;                                                                    \
        if (removed_ > 0) {                                                                        \
            memmove((a)->data, (a)->data + removed_, (a)->count * sizeof *(a)->data);              \
        }                                                                                          \
    } while (0)

// Inserts before element `at`, or at the end. `value` must not depend on the array.
#define array_insert(a, at, value)                                                                 \
    do {                                                                                           \
        const uint32_t place_ = (at);                                                              \
        array_push((a), (value));                                                                  \
        memmove((a)->data + place_ + 1, (a)->data + place_,                                        \
                ((a)->count - 1 - place_) * sizeof *(a)->data);                                    \
        (a)->data[place_] = (value);                                                               \
    } while (0)

// Removes element `at`; the order stays.
#define array_remove(a, at)                                                                        \
    do {                                                                                           \
        const uint32_t place_ = (at);                                                              \
        (a)->count--;                                                                              \
        memmove((a)->data + place_, (a)->data + place_ + 1,                                        \
                ((a)->count - place_) * sizeof *(a)->data);                                        \
    } while (0)

// Removes the first element that equals `value`, if there is one; the order stays.
#define array_remove_value(a, value)                                                               \
    do {                                                                                           \
        for (uint32_t at_ = 0; at_ < (a)->count; at_++) {                                          \
            if ((a)->data[at_] == (value)) {                                                       \
                array_remove((a), at_);                                                            \
                break;                                                                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define array_clear(a) ((void)((a)->count = 0))

#define array_free(a)                                                                              \
    do {                                                                                           \
        array_release((a)->data, (a)->capacity, sizeof *(a)->data);                                \
        (a)->data = NULL;                                                                          \
        (a)->count = (a)->capacity = 0;                                                            \
    } while (0)

// Frees the data of an array that were taken out of its struct. `capacity` is the capacity at that
// time (after array_fit(): the count).
void array_release(void *data, uint32_t capacity, size_t size);

#endif
