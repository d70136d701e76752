// The public header <carom/backup.h> over the storage's own functions.
#include <carom/backup.h>

#include <stdio.h>

#include "server/storage/storage.h"

static void fill(carom_backup_report *out, const storage_report *r)
{
    *out = (carom_backup_report){.worlds = r->worlds,
                                 .records = r->records,
                                 .images = r->images,
                                 .bytes = r->bytes + r->image_bytes};
}

static bool fail(const struct error *err, char out[CAROM_BACKUP_ERROR_MAX])
{
    (void)snprintf(out, CAROM_BACKUP_ERROR_MAX, "%s", err->text);
    return false;
}

bool carom_backup(const char *directory, const char *file, carom_backup_report *report,
                  char why[CAROM_BACKUP_ERROR_MAX])
{
    storage_report held = {0};
    struct error err;
    if (storage_copy(directory, file, &held, &err) != STATUS_OK) {
        return fail(&err, why);
    }
    fill(report, &held);
    return true;
}

bool carom_restore(const char *file, const char *directory, carom_backup_report *report,
                   char why[CAROM_BACKUP_ERROR_MAX])
{
    storage_report held = {0};
    struct error err;
    if (storage_restore(file, directory, &err) != STATUS_OK ||
        storage_check(directory, NULL, &held, &err) != STATUS_OK) {
        return fail(&err, why);
    }
    fill(report, &held);
    return true;
}
