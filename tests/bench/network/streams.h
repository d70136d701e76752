// The compressed size of a stream of messages with general compressors, flushed after each message.
// zlib if the benchmark was built with it, zstd if its library is installed.
#ifndef CAROM_TESTS_BENCH_NETWORK_STREAMS_H
#define CAROM_TESTS_BENCH_NETWORK_STREAMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct stream_packer stream_packer;

// Level 6, as web servers deflate WebSocket messages. NULL: not built in.
stream_packer *stream_packer_gzip(void);
// Level 3. NULL: not installed.
stream_packer *stream_packer_zstd(void);
void stream_packer_free(stream_packer *p); // NULL is allowed
// Adds one message, in two parts; returns the number of bytes added.
size_t stream_packer_add(stream_packer *p, const uint8_t *head, size_t head_size,
                         const uint8_t *tail, size_t tail_size);

#endif
