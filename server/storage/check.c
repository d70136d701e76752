// Reads a data directory as a start would, and changes nothing.
#include "server/storage/internal.h"

#include <errno.h>
#include <string.h>

// A directory that may only be read has no server: the lock is then not needed.
static status lock_to_read(storage *s, error *err)
{
    long holder = 0;
    int result = s->disk->methods->lock(s->disk, false, &holder);
    if (result == 0 || result == EROFS) {
        return STATUS_OK;
    }
    return result == EWOULDBLOCK
               ? storage_name_holder(holder, "check a backup of it, or stop that server", err)
               : error_set(err, STATUS_UNAVAILABLE, "cannot lock it: %s", strerror(result));
}

status storage_check(const char *path, const storage_options *options, storage_report *out,
                     error *err)
{
    storage_options chosen = options != NULL ? *options : storage_options_default();
    disk *d = chosen.disk;
    status result = d == NULL ? disk_directory_open(path, DISK_DATA, false, &d, err) : STATUS_OK;
    if (result != STATUS_OK) {
        return result;
    }
    storage *s = storage_make(&chosen, d, path);
    result = lock_to_read(s, err);
    result = result == STATUS_OK ? storage_scan(s, false, err) : result;
    if (result == STATUS_OK && s->found.segments == 0) {
        result = error_set(err, STATUS_NOT_FOUND, "it holds no data");
    }
    if (result == STATUS_OK) {
        s->found.worlds = s->worlds.count;
        s->found.torn_bytes = s->torn_bytes;
        s->found.clean = s->found_clean;
        *out = s->found;
    } else {
        error_prefix(err, "data directory '%s'", path);
    }
    storage_free(s);
    return result;
}
