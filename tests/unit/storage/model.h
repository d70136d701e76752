// A test's knowledge of worlds: every record and image that it handed over, so that any recovery
// can be judged. Contents are made from a number drawn for each, so a record of an earlier life
// that comes back is found too.
#ifndef CAROM_TESTS_UNIT_STORAGE_MODEL_H
#define CAROM_TESTS_UNIT_STORAGE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/storage/internal.h"
#include "tests/unit/storage/fake_disk.h"

typedef struct model_world {
    char name[STORAGE_NAME_BYTES_MAX + 1];
    storage_durability durability;
    uint64_t epoch;
    storage_world *handle; // NULL while there is none
    uint64_t assigned, tick;
    uint64_t promised;      // committed, as told at any time, of what survives the next crash
    bool destroying;        // storage_destroy() was called
    bool destroyed;         // and told committed
    bool found;             // by the recovery
    uint64_t found_image;   // sequence of the image that it brought, or 0
    uint64_t found_next;    // sequence of the record that must come next
    uint64_t image_tick;    // of the image being read
    ARRAY(uint64_t) nonces; // by sequence
    ARRAY(uint64_t) images; // nonces of images, by sequence; 0: none
} model_world;

typedef struct model {
    uint64_t random;
    model_world worlds[8];
    int count;
    uint64_t names;    // made so far
    bool damaging;     // images may be unsound: the test damages them
    int unsound;       // of the worlds found
    const char *fault; // what was found wrong, or NULL
    char text[256];
} model;

void model_init(model *m, uint64_t seed);
void model_deinit(model *m);

// Contents of a record or image: a size and bytes that follow from the nonce.
shared_bytes *model_bytes(uint64_t nonce, bool image);

model_world *model_create(model *m, storage *s, storage_durability durability, error *err);
status model_append(model *m, model_world *w, error *err);
status model_checkpoint(model *m, model_world *w, error *err);
status model_destroy(model_world *w, error *err);
// Notes what the storage says is committed.
void model_look(model *m);
// The storage is gone, by a crash of that kind: what the model may insist on.
void model_crash(model *m, crash_kind kind);
// Recovers and compares. False, with m->text, where something promised is missing or wrong.
bool model_recover(model *m, storage *s);

#endif
