// The file "closed", written by a clean close: it records where the log ends.
//
// After a crash the end of the log is where its last whole group ends, and a shorter file looks the
// same as an unfinished write. After a clean close the difference shows: the log must end exactly
// where the file says. The file is removed, durably, before anything is written.
#include "server/storage/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/crc32c.h"

enum { NOTE_BYTES = 44 };

static const uint8_t NOTE_MAGIC[8] = {0x89, 'C', 'R', 'M', 'E', 'N', 'D', 0x1A};

static int write_note(disk *d, const uint8_t *bytes)
{
    const disk_methods *m = d->methods;
    disk_file *f;
    int result = m->open(d, "closed.part", DISK_CREATE, &f);
    if (result != 0) {
        return result;
    }
    result = m->write(f, 0, bytes, NOTE_BYTES);
    result = result != 0 ? result : m->sync(f);
    m->close(f);
    result = result != 0 ? result : m->rename(d, "closed.part", "closed");
    return result != 0 ? result : m->sync_names(d);
}

status closed_write(storage *s, error *err)
{
    uint8_t bytes[NOTE_BYTES];
    _Static_assert(NOTE_BYTES == 40 + 4, "the checksum is behind all that it covers");
    memcpy(bytes, NOTE_MAGIC, 8);
    put32(bytes + 8, FORMAT_VERSION);
    put32(bytes + 12, 0);
    put64(bytes + 16, s->log.store);
    put64(bytes + 24, s->log.segment);
    put64(bytes + 32, s->log.end);
    put32(bytes + 40, crc32c(0, bytes, 40));
    int result = write_note(s->disk, bytes);
    return result == 0
               ? STATUS_OK
               : error_set(err, STATUS_UNAVAILABLE,
                           "the log is whole, but noting its end failed: %s", strerror(result));
}

status closed_verify(storage *s, error *err)
{
    disk_file *f;
    uint8_t bytes[NOTE_BYTES + 1];
    size_t got = 0;
    int result = s->disk->methods->open(s->disk, "closed", DISK_READ, &f);
    if (result == ENOENT) {
        return STATUS_OK;
    }
    if (result == 0) {
        result = s->disk->methods->read(f, 0, bytes, sizeof bytes, &got);
        s->disk->methods->close(f);
    }
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "reading the file 'closed' failed: %s",
                         strerror(result));
    }
    if (got != NOTE_BYTES || memcmp(bytes, NOTE_MAGIC, 8) != 0 ||
        get32(bytes + 40) != crc32c(0, bytes, 40) || get64(bytes + 16) != s->log.store) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the file 'closed' is damaged; restore a backup, or remove the file to "
                         "go on without it");
    }
    if (get64(bytes + 24) != s->log.segment || get64(bytes + 32) != s->log.end) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(get64(bytes + 24), name);
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the log was closed at byte %" PRIu64 " of %s and ends elsewhere: it was "
                         "cut off; restore a backup",
                         get64(bytes + 32), name);
    }
    s->found_clean = true;
    return STATUS_OK;
}

int closed_remove(disk *d)
{
    int result = d->methods->remove(d, "closed.part");
    result = result == ENOENT ? 0 : result;
    int note = d->methods->remove(d, "closed");
    return result != 0 ? result : note == ENOENT ? 0 : note;
}
