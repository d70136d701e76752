// Capacity doubles as bytes come; see buffer.h. Any thread, one at a time.
#include "proto/wire/buffer.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { CAPACITY_MIN = 256 }; // most commands and answers fit without growing

void buffer_init(buffer *b, size_t size_max)
{
    *b = (buffer){.size_max = size_max};
}

void buffer_deinit(buffer *b)
{
    free(b->data);
    *b = (buffer){0};
}

void buffer_clear(buffer *b)
{
    b->size = 0;
    b->overflow = false;
    b->starved = false;
}

void buffer_truncate(buffer *b, size_t size)
{
    ASSERT(size <= b->size);
    b->size = size;
    b->overflow = false;
    b->starved = false;
}

bool buffer_reserve(buffer *b, size_t size)
{
    if (b->overflow || size > b->size_max - b->size) {
        b->overflow = true;
        return false;
    }
    size_t wanted = b->size + size;
    if (wanted <= b->capacity) {
        return true;
    }
    size_t capacity = b->capacity < CAPACITY_MIN ? CAPACITY_MIN : b->capacity;
    while (capacity < wanted) {
        capacity = capacity <= SIZE_MAX / 2 ? capacity * 2 : wanted;
    }
    uint8_t *grown = realloc(b->data, capacity);
    if (grown == NULL) {
        b->overflow = true;
        b->starved = true;
        return false;
    }
    b->data = grown;
    b->capacity = capacity;
    return true;
}

void buffer_append(buffer *b, const void *bytes, size_t size)
{
    if (size > 0 && buffer_reserve(b, size)) {
        memcpy(b->data + b->size, bytes, size);
        b->size += size;
    }
}

int buffer_write(void *b, const char *bytes, size_t size)
{
    buffer *target = b;
    buffer_append(target, bytes, size);
    return target->overflow ? -1 : 0;
}

msgpack_packer buffer_packer(buffer *b)
{
    msgpack_packer packer;
    msgpack_packer_init(&packer, b, buffer_write);
    return packer;
}

uint8_t *buffer_take(buffer *b, size_t *size)
{
    uint8_t *data = b->data;
    *size = b->size;
    if (b->size == 0) {
        free(data);
        data = NULL;
    }
    *b = (buffer){.size_max = b->size_max};
    return data;
}
