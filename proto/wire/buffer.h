// A byte buffer that grows up to a limit; messages are packed into it. A write that would exceed
// the limit is dropped and so are all later ones (`overflow` stays set until the buffer is
// cleared), so that an encoder packs to its end and its caller checks once whether it is complete.
// Running out of memory has the same effect; `starved` distinguishes the two.
//
// Any thread, one at a time.
#ifndef CAROM_PROTO_WIRE_BUFFER_H
#define CAROM_PROTO_WIRE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msgpack_packer; // not included: worlds fill buffers and must not depend on the wire

typedef struct buffer {
    uint8_t *data; // NULL while nothing was written
    size_t size;
    size_t capacity;
    size_t size_max;
    bool overflow; // a write was dropped: the contents are incomplete
    bool starved;  // the reason was memory, not `size_max`
} buffer;

// Limits it to `size_max` bytes; allocates nothing yet.
void buffer_init(buffer *b, size_t size_max);
void buffer_deinit(buffer *b);

// Empties it and keeps the memory.
void buffer_clear(buffer *b);

// Truncates it to `size` bytes, at most its present size, and clears a later overflow.
void buffer_truncate(buffer *b, size_t size);

// Makes room for `size` more bytes; false, and overflow, if that is not possible. For callers that
// write to data + size themselves and then add to size.
bool buffer_reserve(buffer *b, size_t size);

void buffer_append(buffer *b, const void *bytes, size_t size);

// As buffer_append, in the form of a msgpack_packer_write; `b` is the buffer. Returns 0, or -1 on
// overflow.
int buffer_write(void *b, const char *bytes, size_t size);

// A packer that writes to the buffer. It points to `b` and owns no memory.
struct msgpack_packer buffer_packer(buffer *b);

// Hands the bytes over: the caller frees them with free(). The buffer is empty afterwards. NULL and
// 0 if nothing was written.
uint8_t *buffer_take(buffer *b, size_t *size);

#endif
