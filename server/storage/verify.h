// The first half of a start: lists the directory and verifies it. Changes nothing.
#ifndef CAROM_SERVER_STORAGE_VERIFY_H
#define CAROM_SERVER_STORAGE_VERIFY_H

#include "server/storage/internal.h"

typedef struct inventory {
    ARRAY(uint64_t) segments; // in ascending order
    ARRAY(char *) images;     // names
    ARRAY(char *) parts;      // unfinished files
    bool restoring;
    bool closed;
} inventory;

status inventory_take(storage *s, inventory *v, error *err);
void inventory_free(inventory *v);

// Reads the log from its oldest segment to its end into s->worlds and s->log.
status inventory_scan_segments(storage *s, const inventory *v, error *err);
// Reads every byte of every image that the log names. A faulty image affects only its world, whose
// `unsound` says why. Returns the error of the first one.
status inventory_verify_images(storage *s, error *err);

#endif
