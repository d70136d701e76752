// Plain connections to a caromd, with as little code as possible between the clock and the server.
// One thread.
#ifndef CAROM_TESTS_BENCH_STORAGE_PEER_H
#define CAROM_TESTS_BENCH_STORAGE_PEER_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/bench/caromd.h"

enum { PEER_INPUT_BYTES = 1 << 16 };

typedef struct peer {
    int fd;
    uint32_t id; // id of the last request
    uint64_t answers;
    uint8_t input[PEER_INPUT_BYTES];
    size_t size;
} peer;

void peer_open(peer *p, const bench_server *s);
void peer_close(peer *p);

// Sends [0, id, method, [arguments]]; `arguments` is one MessagePack map.
void peer_send(peer *p, const char *method, const msgpack_sbuffer *arguments);

// Reads the input, waiting if there is none; counts answers. An error in an answer ends the
// process. Unless `key` is NULL, *value becomes the last answer's number under that key.
void peer_read(peer *p, const char *key, double *value);

// Sends, and waits until all requests are answered.
void peer_call(peer *p, const char *method, const msgpack_sbuffer *arguments, const char *key,
               double *value);

// Functions that build arguments: the head of a map of `pairs` pairs, then each pair.
void map_begin(msgpack_sbuffer *out, uint32_t pairs);
void map_text(msgpack_sbuffer *out, const char *key, const char *value);
void map_number(msgpack_sbuffer *out, const char *key, double value);
void map_uint(msgpack_sbuffer *out, const char *key, uint64_t value);
void map_bool(msgpack_sbuffer *out, const char *key, bool value);
void map_vector(msgpack_sbuffer *out, const char *key, double x, double y);
void map_key(msgpack_sbuffer *out, const char *key);
void array_begin(msgpack_sbuffer *out, uint32_t count);
void put_text(msgpack_sbuffer *out, const char *value);

#endif
