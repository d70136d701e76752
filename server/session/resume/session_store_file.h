// The file of sessions as bytes: a magic, then records, each with a checksum. This module does not
// know their meaning. Any thread, one at a time a file.
//
// Only the last record can be incomplete after a crash. Reading stops at the first record that is
// not sound: later ones may depend on it.
#ifndef CAROM_SERVER_SESSION_RESUME_SESSION_STORE_FILE_H
#define CAROM_SERVER_SESSION_RESUME_SESSION_STORE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <msgpack.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"

enum {
    SESSION_STORE_PATH_BYTES = 4096,
    SESSION_STORE_RECORD_BYTES_MAX =
        1 << 20,                 // a grant of the most worlds and areas has about 200 KiB
    SESSION_STORE_HEAD_BYTES = 8 // head of a record, before its payload
};

// DIR/sessions and `suffix`.
void session_store_path(const char *directory, const char *suffix,
                        char out[SESSION_STORE_PATH_BYTES]);

// ---- writing

// False: see errno.
bool session_store_file_begin(int fd);
// Empties the buffer and leaves room for a record's head, behind which the payload is packed.
void session_store_record_begin(buffer *record);
// Completes the head of a packed record.
void session_store_record_seal(buffer *record);
// Likewise, and appends the record to others.
void session_store_record_add(buffer *out, buffer *record);
// Writes completed records. False: see errno.
bool session_store_write(int fd, const buffer *records);

// ---- reading

typedef struct session_store_report {
    bool there;        // the file exists
    uint64_t records;  // number of sound records
    uint64_t at, size; // up to which byte they are valid, of how many
} session_store_report;

// False: the record makes no sense.
typedef bool session_store_each(void *context, const msgpack_object *record);

// Hands over one record after the other, with the memory of one. `each` NULL: only verified. No
// file: nothing to read. Errors: it is of a newer version; it is no such file; its end was not
// written whole, or it was altered. The records before that were handed over then.
status session_store_file_read(const char *directory, session_store_each *each, void *context,
                               session_store_report *out, error *err);

// Refuses the file of a newer program, by its first bytes.
status session_store_file_check_version(const char *directory, error *err);

#endif
