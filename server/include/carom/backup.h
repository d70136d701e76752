// Backups of a server's data directory (caromd --data), for tools: a public header that stands
// alone, with types of C only.
//
// Neither function needs a server: a backup reads the directory's files beside the one that uses
// them. Each may take as long as the directory is large. Any thread.
#ifndef CAROM_BACKUP_H
#define CAROM_BACKUP_H

#include <stdbool.h>
#include <stdint.h>

enum { CAROM_BACKUP_ERROR_MAX = 256 }; // bytes of an error's text, terminated

// The contents of a backup.
typedef struct carom_backup_report {
    uint64_t worlds, records, images;
    uint64_t bytes; // size of records and images
} carom_backup_report;

// Writes all that was committed in the data directory `directory` into `file`, which must not
// exist, and checks it before it appears under its name. False with a text for a person in `why`.
bool carom_backup(const char *directory, const char *file, carom_backup_report *report,
                  char why[CAROM_BACKUP_ERROR_MAX]);

// Makes the data directory `directory`, which must not exist or be empty, from a backup, and checks
// it. False with a text for a person in `why`.
bool carom_restore(const char *file, const char *directory, carom_backup_report *report,
                   char why[CAROM_BACKUP_ERROR_MAX]);

#endif
