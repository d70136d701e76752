// Reads the canonical MessagePack of a log, for records and streams. Internal to proto/log.
//
// Each take_ function moves on only if the next value is complete, of the kind and in its shortest
// form. Any thread, one at a time.
#ifndef CAROM_PROTO_LOG_LOG_CURSOR_H
#define CAROM_PROTO_LOG_LOG_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/tag.h"

typedef struct log_cursor {
    const uint8_t *bytes;
    size_t at, size; // at <= size
    error *err;      // may be NULL
} log_cursor;

// Returns STATUS_INVALID_ARGUMENT, with the place and the expected content.
status log_refuse(const log_cursor *c, const char *expected);

bool log_take_head(log_cursor *c, tag_kind kind, value_head *head);
bool log_take_map(log_cursor *c, uint64_t *pairs);
bool log_take_uint(log_cursor *c, uint64_t *out);
bool log_take_double(log_cursor *c, double *out); // 64 bits, finite
// Text (TAG_STR) or bytes (TAG_BIN) of at most `max`.
bool log_take_bytes(log_cursor *c, tag_kind kind, size_t max, const uint8_t **bytes, size_t *size);
// Takes a text that is this key.
bool log_take_key(log_cursor *c, const char *key);
bool log_at_end(const log_cursor *c);

#endif
