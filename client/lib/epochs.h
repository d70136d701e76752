// The epochs of worlds that a client knows, and how a message names an epoch. carom/epoch.h says
// why.
//
// A table of at most CAROM_EPOCHS_MAX names, searched linearly: a client uses only a few worlds.
// One thread at a time.
#ifndef CAROM_CLIENT_LIB_EPOCHS_H
#define CAROM_CLIENT_LIB_EPOCHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/epoch.h>
#include <carom/value.h>

#include "proto/limits.h"
#include "proto/wire/buffer.h"

typedef struct world_epoch {
    char world[WIRE_WORLD_NAME_MAX + 1];
    uint64_t known;  // 0: none
    uint64_t pinned; // epoch that the caller has pinned; 0: none
} world_epoch;

typedef struct epoch_table {
    world_epoch list[CAROM_EPOCHS_MAX]; // a fixed array: adding cannot fail
    uint32_t count;
    uint32_t next; // the entry that is replaced when the table is full
} epoch_table;

uint64_t epochs_known(const epoch_table *t, const char *world);
uint64_t epochs_pinned(const epoch_table *t, const char *world);

// Records the world's epoch; 0: the world has ended.
void epochs_note(epoch_table *t, const char *world, uint64_t epoch);
// Records the epochs in an answer: a map with `epoch`, for the world that it names or else `asked`,
// or an array of such maps.
void epochs_note_answer(epoch_table *t, const char *asked, const carom_value *answer);

carom_status epochs_pin(epoch_table *t, const char *world, uint64_t epoch, carom_error *err);

// Whether a message of that method must name the epoch of its world when it is sent again after a
// lost connection: not world.create, which makes a world, nor world.info and world.subscribe, which
// ask for the current one.
bool epochs_guard(const char *method);

// Adds {epoch} to the arguments of a message: their map begins at `at` and ends with the message.
// On overflow the buffer records it.
void epochs_add(buffer *message, size_t at, uint64_t epoch);

#endif
