// Messages of the simulated clients: pairs of a request's arguments, keys of answers, and the whole
// messages of a stream of bytes.
#ifndef CAROM_TESTS_SIMULATION_SIM_MESSAGE_H
#define CAROM_TESTS_SIMULATION_SIM_MESSAGE_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/wire/buffer.h"

enum {
    SIM_INPUT_BYTES_MAX = 16 << 20,
    SIM_SNAPSHOT_HEAD = 12 // bytes of a snapshot's message before its map
};

typedef msgpack_packer packer;

void text(packer *k, const char *t);
void pair_number(packer *k, const char *key, double value);
void pair_vector(packer *k, const char *key, double x, double y);
void pair_text(packer *k, const char *key, const char *value);
void pair_uint(packer *k, const char *key, uint64_t value);
void pair_bool(packer *k, const char *key, bool value);

// These fail the run if the map has no such key.
uint64_t get_uint(const msgpack_object *map, const char *key);
uint64_t get_hash(const msgpack_object *map);
bool get_bool(const msgpack_object *map, const char *key); // false: it has no such key
double get_number(const msgpack_object *o);

typedef void sim_on_message(void *context, const msgpack_object *message, const uint8_t *bytes,
                            size_t size);
// Calls `on` with each whole message and removes it from the buffer. Fails the run on other bytes.
void sim_take_messages(buffer *in, sim_on_message *on, void *context);

#endif
