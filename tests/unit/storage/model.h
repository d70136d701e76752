// A test's knowledge of worlds: every record and image that it passed to the storage, so that any
// recovery can be checked. Contents are made from a random number for each, so the model also
// detects a restored record of an earlier life.
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
    uint64_t promised;      // the last committed record that must survive the next crash
    bool destroying;        // storage_destroy() was called
    bool destroyed;         // and its end was reported as committed
    bool found;             // the recovery has found it
    uint64_t found_image;   // sequence of the recovered image, or 0
    uint64_t found_next;    // sequence of the record that must come next
    uint64_t image_tick;    // tick of the image being read
    ARRAY(uint64_t) nonces; // indexed by sequence
    ARRAY(uint64_t) images; // nonces of images, by sequence; 0: none
} model_world;

typedef struct model {
    uint64_t random;
    model_world worlds[8];
    int count;
    uint64_t names;    // names made so far
    bool damaging;     // images may be damaged: the test damages them
    int unsound;       // unsound worlds found
    const char *fault; // the fault that was found, or NULL
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
// Records what the storage reports as committed.
void model_look(model *m);
// Records a crash of that kind: decides what must survive.
void model_crash(model *m, crash_kind kind);
// Recovers and compares. False, with m->text, if something that must survive is missing or wrong.
bool model_recover(model *m, storage *s);

#endif
