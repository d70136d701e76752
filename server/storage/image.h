// A checkpoint's image as a file: written in pieces beside the log, read in pieces.
//
// A file gets its name only when all of it is written, so every name that a reader finds belongs to
// a complete image; after a loss of power that holds for the images that the log names. Each piece
// has a checksum that also covers its position and its image's identity.
#ifndef CAROM_SERVER_STORAGE_IMAGE_H
#define CAROM_SERVER_STORAGE_IMAGE_H

#include <stdbool.h>

#include "common/base/status.h"
#include "server/base/bytes.h"
#include "server/storage/disk.h"
#include "server/storage/format.h"

enum { IMAGE_NAME_BYTES = 64 };

void image_name(uint64_t world, uint64_t number, char out[IMAGE_NAME_BYTES]);

// ---- writing; storage thread

typedef struct image_writer {
    disk *disk;
    disk_file *file;
    image_header header;
    uint32_t crc;
    shared_bytes *bytes; // a reference
    uint64_t done;       // bytes written so far
    bool named;          // the file has its name; a crash may still undo the rename
    bool kept;           // all of it is on the disk
    bool lost;           // syncing the names failed: it is unknown which of them are on the disk
} image_writer;

// Takes a reference to `bytes`.
void image_writer_init(image_writer *w, disk *d, const image_header *h, shared_bytes *bytes);

// Writes and syncs one piece; before it syncs the last one it names the file. `complete`:
// nothing is left to do. After an error only deinit.
status image_writer_step(image_writer *w, bool *complete, error *err);

// Releases everything. Removes the file of an unfinished image.
void image_writer_deinit(image_writer *w);

// ---- reading

typedef status image_sink(void *context, uint64_t offset, const uint8_t *bytes, size_t size,
                          error *err);

// Checks the header and the file's length against the log's record of the checkpoint, then passes
// every piece, in order, to `sink` (NULL: only verifies).
status image_read(disk *d, uint64_t store, uint64_t world, const checkpoint_info *c,
                  image_sink *sink, void *context, error *err);

#endif
