// A record of a world's log: the commands between two ticks, and the state's hash at its end.
//
// A world is an image at one tick and the commands since; the engine gives the same bits wherever
// it runs, so both together determine the world. One encoding serves the log on disk, recordings in
// files and subscriptions of encoding "log"; PROTOCOL.md, "The log of a world", describes it to the
// byte.
//
// A record is a MessagePack map in canonical form: the keys below in this order, absent ones left
// out, integers in their shortest form, hash and image as bin.
//
//     from      the tick of the state that the record begins with tick      the tick of the state
//     that it leads to, >= from commands  [[tick, session, method, arguments] ...] in the order in
//     which they were applied hash      8 bytes, big-endian: world_hash() of the state at `tick`;
//     left out if not computed image     the whole state at `from`, as world_save() writes it; only
//     if readers may begin there
//
// A command's tick is the first whose state shows it, as in the command's answer: it is applied to
// the state of tick - 1, before the step. A command whose tick is `from` was applied to the state
// of `from` as it stood (the world was paused). So the ticks within a record never decrease, and
// lie between `from` and `tick`.
//
// Pure except for the buffer; any thread, one at a time.
#ifndef CAROM_PROTO_LOG_LOG_RECORD_H
#define CAROM_PROTO_LOG_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/limits.h"
#include "proto/wire/buffer.h"

enum {
    // Commands in one record. A record covers a few seconds at most, and a tick carries out a few
    // thousand commands at best.
    LOG_COMMANDS_MAX = 1 << 20,

    // Ticks from `from` to `tick`: two minutes of the fastest world, a minute and more than the
    // slowest reader waits for its next record. Readers step through them, so a record that claims
    // 2^60 would keep them forever.
    LOG_TICKS_MAX = 1 << 17,

    // A command's arguments [bytes]: those of one message from a client at its largest.
    LOG_ARGUMENTS_BYTES_MAX = 64 << 20,

    // Values in a command's arguments: those of one message from a client, and the key and the name
    // of the owner or sender that the server adds to each command of a batch.
    LOG_ARGUMENTS_VALUES_MAX = WIRE_VALUES_MAX + 2 * WIRE_APPLY_COMMANDS_MAX,

    // A whole record [bytes]: the image of the largest world (2^20 bodies of 220 bytes) fits, and
    // the largest message of a client beside it.
    LOG_RECORD_BYTES_MAX = 320 << 20
};

typedef struct log_command {
    uint64_t tick;            // first tick whose state shows it
    uint64_t session;         // number of the session that sent it; 0: the server itself
    const char *method;       // not zero-terminated
    uint32_t method_size;     // 1 to WIRE_METHOD_BYTES_MAX bytes
    const uint8_t *arguments; // one MessagePack map: the named arguments as applied
    uint32_t arguments_size;  // 1 to LOG_ARGUMENTS_BYTES_MAX bytes
} log_command;

// A record as read, or to be written. Pointers are into the bytes it was read from, or the
// writer's own.
typedef struct log_record {
    uint64_t from, tick;
    uint32_t command_count;
    const uint8_t *commands; // command_count encoded rows, one after the other
    size_t commands_size;
    bool has_hash;
    uint64_t hash;
    const uint8_t *image; // NULL: none
    size_t image_size;
} log_record;

// Appends one row of `commands`. The command's fields are in their ranges (asserted): they come
// from a command that was decoded before.
void log_command_encode(buffer *out, const log_command *command);

// Appends the arguments of the server's own body.remove, at most LOG_REMOVAL_BYTES_MAX bytes.
enum { LOG_REMOVAL_BYTES_MAX = 128 };
void log_removal_arguments(buffer *out, const char *world, uint64_t body);

// Appends the record's pairs, keys and values, without the map's head, and returns how many pairs
// they are: a snapshot notification puts them beside pairs of its own.
uint32_t log_record_encode_pairs(buffer *out, const log_record *record);

// Appends the record as a map of its own.
void log_record_encode(buffer *out, const log_record *record);

// Reads a whole record of `size` untrusted bytes. Errors: STATUS_INVALID_ARGUMENT with the place
// and what was expected; STATUS_LIMIT_EXCEEDED for sizes and counts over the limits above.
// Allocates nothing: `out` points into `bytes`.
status log_record_decode(const uint8_t *bytes, size_t size, log_record *out, error *err);

// A notification of encoding log: the record's pairs, preceded by pairs that name the world. A
// record alone is accepted too. Names point into the bytes.
typedef struct log_notification {
    log_record record;
    const char *world; // not zero-terminated; NULL: left out
    size_t world_size;
    bool has_epoch;
    uint64_t epoch;
} log_notification;

// Reads the map of a notification, which need not be trusted; keys that are not known, before the
// record's, are passed over. Errors as of log_record_decode.
status log_notification_decode(const uint8_t *bytes, size_t size, log_notification *out,
                               error *err);

// Walks over the rows of a decoded record: *offset is 0 to begin with. False after the last one.
bool log_record_next(const log_record *record, size_t *offset, log_command *out);

#endif
