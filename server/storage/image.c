// Image files: a header, then chunks with a checksum each, written under a name that ends in .part
// and renamed once everything is written. See image.h for threads.
#include "server/storage/image.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"

enum { PART_NAME_BYTES = IMAGE_NAME_BYTES + 8, CHUNK_CRC_BYTES = 4 };

void image_name(uint64_t world, uint64_t number, char out[IMAGE_NAME_BYTES])
{
    snprintf(out, IMAGE_NAME_BYTES, "image-%" PRIu64 "-%" PRIu64, world, number);
}

static void part_name(const image_header *h, char out[PART_NAME_BYTES])
{
    char name[IMAGE_NAME_BYTES];
    image_name(h->world, h->number, name);
    snprintf(out, PART_NAME_BYTES, "%s.part", name);
}

// Begins with the header's checksum and the piece's number: a piece of another image, or of another
// place in this one, does not fit.
static uint32_t chunk_crc(uint32_t image, uint64_t index, const uint8_t *bytes, size_t size)
{
    uint8_t place[8];
    put64(place, index);
    return crc32c(crc32c(image, place, sizeof place), bytes, size);
}

static uint64_t chunk_offset(uint64_t index)
{
    return IMAGE_HEADER_BYTES + index * (STORAGE_IMAGE_CHUNK_BYTES + CHUNK_CRC_BYTES);
}

static uint64_t file_bytes(uint64_t size)
{
    uint64_t chunks = (size + STORAGE_IMAGE_CHUNK_BYTES - 1) / STORAGE_IMAGE_CHUNK_BYTES;
    return IMAGE_HEADER_BYTES + size + chunks * CHUNK_CRC_BYTES;
}

// ---- writing

void image_writer_init(image_writer *w, disk *d, const image_header *h, shared_bytes *bytes)
{
    *w = (image_writer){.disk = d, .header = *h, .bytes = bytes_ref(bytes)};
    ASSERT(h->size == bytes->size);
}

static int begin(image_writer *w)
{
    const disk_methods *m = w->disk->methods;
    char part[PART_NAME_BYTES];
    part_name(&w->header, part);
    uint8_t bytes[IMAGE_HEADER_BYTES];
    w->crc = image_header_write(&w->header, bytes);
    int result = m->open(w->disk, part, DISK_CREATE, &w->file);
    return result != 0 ? result : m->write(w->file, 0, bytes, sizeof bytes);
}

static int write_chunk(image_writer *w)
{
    const disk_methods *m = w->disk->methods;
    uint64_t left = w->bytes->size - w->done;
    size_t size = left < STORAGE_IMAGE_CHUNK_BYTES ? (size_t)left : STORAGE_IMAGE_CHUNK_BYTES;
    uint64_t index = w->done / STORAGE_IMAGE_CHUNK_BYTES;
    const uint8_t *bytes = w->bytes->data + w->done;
    uint8_t crc[CHUNK_CRC_BYTES];
    put32(crc, chunk_crc(w->crc, index, bytes, size));
    int result = m->write(w->file, chunk_offset(index), bytes, size);
    result = result != 0 ? result : m->write(w->file, chunk_offset(index) + size, crc, sizeof crc);
    w->done += result == 0 ? size : 0;
    // Syncs each piece by itself: one sync of a large file would delay every commit meanwhile. The
    // last one is synced with the file's name.
    return result == 0 && w->done < w->bytes->size ? m->sync(w->file) : result;
}

// The rename comes before the sync of the last piece: many file systems write names with a file's
// contents, and have nothing left to do when the directory is synced. Nothing relies on the file
// before the log names it.
static int give_name(image_writer *w)
{
    const disk_methods *m = w->disk->methods;
    char part[PART_NAME_BYTES];
    char name[IMAGE_NAME_BYTES];
    part_name(&w->header, part);
    image_name(w->header.world, w->header.number, name);
    int result = m->rename(w->disk, part, name);
    if (result != 0) {
        return result;
    }
    w->named = true;
    result = m->sync(w->file);
    if (result == 0) {
        result = m->sync_names(w->disk);
        w->lost = result != 0;
        w->kept = true;
    }
    return result;
}

status image_writer_step(image_writer *w, bool *complete, error *err)
{
    *complete = false;
    int result = w->file == NULL ? begin(w) : 0;
    if (result == 0 && w->done < w->bytes->size) {
        result = write_chunk(w);
    }
    if (result == 0 && w->done == w->bytes->size) {
        result = give_name(w);
        *complete = result == 0;
    }
    return result == 0 ? STATUS_OK
                       : error_set(err, STATUS_UNAVAILABLE,
                                   "writing the image of tick %" PRIu64 " failed at byte %" PRIu64
                                   " of %zu: %s%s",
                                   w->header.tick, w->done, w->bytes->size, strerror(result),
                                   disk_remedy(result));
}

void image_writer_deinit(image_writer *w)
{
    if (w->file != NULL) {
        w->disk->methods->close(w->file);
        if (!w->kept) {
            char name[PART_NAME_BYTES];
            if (w->named) {
                image_name(w->header.world, w->header.number, name);
            } else {
                part_name(&w->header, name);
            }
            // if this fails, the next start removes it
            (void)w->disk->methods->remove(w->disk, name);
        }
    }
    bytes_unref(w->bytes);
    *w = (image_writer){0};
}

// ---- reading

static status damaged(error *err, const char *name, const char *what)
{
    return error_set(err, STATUS_INVALID_ARGUMENT, "%s is damaged: %s; restore a backup", name,
                     what);
}

static status check_header(disk_file *f, const char *name, uint64_t store, uint64_t world,
                           const checkpoint_info *c, error *err)
{
    uint8_t bytes[IMAGE_HEADER_BYTES];
    uint64_t size = 0;
    size_t got = 0;
    int result = f->disk->methods->size(f, &size);
    result = result != 0 ? result : f->disk->methods->read(f, 0, bytes, sizeof bytes, &got);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "reading %s failed: %s", name, strerror(result));
    }
    image_header h;
    uint32_t crc = 0;
    format_result format = got < sizeof bytes ? FORMAT_BROKEN : image_header_read(bytes, &h, &crc);
    if (format == FORMAT_NEWER) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s is of format version %u, this program reads version %d: use the "
                         "newer program that wrote it; nothing was changed",
                         name, h.version, FORMAT_VERSION);
    }
    if (format != FORMAT_OK) {
        return damaged(err, name, "its header's checksum differs");
    }
    if (h.store != store || h.world != world || crc != c->crc || h.number != c->image ||
        h.sequence != c->sequence || h.tick != c->tick || h.size != c->size || h.hash != c->hash) {
        return damaged(err, name, "it is not the image that the log names");
    }
    if (h.size > STORAGE_IMAGE_BYTES_MAX || size != file_bytes(h.size)) {
        return damaged(err, name, "its length is not that which its header tells");
    }
    return STATUS_OK;
}

static status open_image(disk *d, uint64_t store, uint64_t world, const checkpoint_info *c,
                         char name[IMAGE_NAME_BYTES], disk_file **out, error *err)
{
    image_name(world, c->image, name);
    int result = d->methods->open(d, name, DISK_READ, out);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot open %s, which the log names: %s", name,
                         strerror(result));
    }
    status s = check_header(*out, name, store, world, c, err);
    if (s != STATUS_OK) {
        d->methods->close(*out);
    }
    return s;
}

static status read_chunk(disk_file *f, const char *name, const checkpoint_info *c, uint64_t done,
                         uint8_t *buffer, size_t size, error *err)
{
    uint64_t index = done / STORAGE_IMAGE_CHUNK_BYTES;
    size_t got = 0;
    int result =
        f->disk->methods->read(f, chunk_offset(index), buffer, size + CHUNK_CRC_BYTES, &got);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "reading %s failed: %s", name, strerror(result));
    }
    if (got != size + CHUNK_CRC_BYTES ||
        get32(buffer + size) != chunk_crc(c->crc, index, buffer, size)) {
        char what[64];
        snprintf(what, sizeof what, "the checksum of bytes %" PRIu64 " to %" PRIu64 " differs",
                 done, done + size - 1);
        return damaged(err, name, what);
    }
    return STATUS_OK;
}

status image_read(disk *d, uint64_t store, uint64_t world, const checkpoint_info *c,
                  image_sink *sink, void *context, error *err)
{
    char name[IMAGE_NAME_BYTES];
    disk_file *f;
    status s = open_image(d, store, world, c, name, &f, err);
    if (s != STATUS_OK) {
        return s;
    }
    uint8_t *buffer = malloc(STORAGE_IMAGE_CHUNK_BYTES + CHUNK_CRC_BYTES);
    ASSERT_MEMORY(buffer != NULL);
    for (uint64_t done = 0; done < c->size && s == STATUS_OK; done += STORAGE_IMAGE_CHUNK_BYTES) {
        uint64_t left = c->size - done;
        size_t size = left < STORAGE_IMAGE_CHUNK_BYTES ? (size_t)left : STORAGE_IMAGE_CHUNK_BYTES;
        s = read_chunk(f, name, c, done, buffer, size, err);
        if (s == STATUS_OK && sink != NULL) {
            s = sink(context, done, buffer, size, err);
        }
    }
    free(buffer);
    d->methods->close(f);
    return s;
}
