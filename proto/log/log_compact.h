// The compact form of a log's records, sent to replicas between images.
//
// A record as MessagePack repeats what both sides know: names of methods and arguments, the world's
// name, numbers of 64 bits that the engine rounds to 32. Here methods and arguments are numbers
// (their places in the one table, proto/methods.h), and a command similar to a recent one of the
// same session to the same body is encoded as the difference to that one. PROTOCOL.md, "The compact
// form", describes it to the bit.
//
// A record in this form depends only on the record, the world's name and its reader's tick: it is
// encoded once for all readers, and a reader that begins with an image can continue with any.
//
// Not every record has a compact form: commands that are not canonical, or of methods that this
// version does not have, are sent as MessagePack. Arguments that the engine rounds to single
// precision (method_arg.single) come back so rounded; all others come back bit for bit.
//
// Pure except for buffers; any thread.
#ifndef CAROM_PROTO_LOG_LOG_COMPACT_H
#define CAROM_PROTO_LOG_LOG_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/world/method.h"
#include "proto/log/log_record.h"
#include "proto/wire/buffer.h"

enum {
    LOG_COMPACT_FORMAT = 1,    // raised when the bytes change their meaning
    LOG_COMPACT_BACK_MAX = 32, // rows back to which a row may be a difference
    LOG_COMPACT_IDS_MAX = 4,   // ids of such a row
    LOG_COMPACT_NUMBERS_MAX = 16
};

// A hash of the format and the table of methods: a peer with another one cannot read our records.
// Never 0.
uint32_t log_compact_tables(void);

// Whether the form has the method: those that a log can have, and in batches.
bool log_compact_has(method m);

// Appends the record, without its image. False: it has no compact form, and `out` is as before.
// `world` is the name that its commands are expected to have.
bool log_compact_encode(buffer *out, const log_record *record, const char *world);

// Reads a record of `size` untrusted bytes for a reader at the tick `from`. `rows` becomes the
// bytes of the commands, into which `out` points. Errors: STATUS_INVALID_ARGUMENT with the place
// and the fault; STATUS_LIMIT_EXCEEDED for more commands or bytes than a record may have. Texts are
// not checked: log_record_decode() does that.
status log_compact_decode(const uint8_t *bytes, size_t size, uint64_t from, const char *world,
                          buffer *rows, log_record *out, error *err);

// Whether a notification in this form contains its hash while the world runs: each second's last
// does.
bool log_compact_bears_hash(const log_record *record, double hz);

// A varint: seven bits a byte, the lowest first, the highest bit set in all but the last byte.
enum { LOG_VARINT_BYTES_MAX = 10 };
void log_varint_write(buffer *out, uint64_t value);
// Reads a varint. False: it does not end within the bytes, or has more than 64 bits.
bool log_varint_read(const uint8_t *bytes, size_t size, size_t *at, uint64_t *out);

#endif
