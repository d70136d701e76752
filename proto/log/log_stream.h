// A log as a stream of bytes: the content of a recording's file, from its magic to its end mark.
//
//     magic    89 63 6c 6f 67 0d 0a 1a   ("\x89clog\r\n\x1a"; a transfer as text would alter it)
//     frames   size (u32), checksum (u32), payload of `size` bytes; both little-endian
//
// The checksum is CRC-32C of the four bytes of the size and of the payload. A payload is a
// MessagePack map in canonical form. The first is the header, the ones after it are records
// (log_record.h), the last is the end mark:
//
//     header    {format, engine, world, epoch, hz, begun} end       {end, records}    the last
//     tick, and the number of records
//
// A stream that was cut off lacks its end mark; all whole frames before the cut are good. Reading
// allocates memory for received bytes, never for a declared size.
//
// Any thread, one at a time.
#ifndef CAROM_PROTO_LOG_LOG_STREAM_H
#define CAROM_PROTO_LOG_LOG_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/limits.h"
#include "proto/log/log_record.h"
#include "proto/wire/buffer.h"

enum {
    LOG_FORMAT = 1, // version of header and records; raised when an older reader would misread a
                    // newer log
    LOG_MAGIC_BYTES = 8,
    LOG_FRAME_HEAD_BYTES = 8
};

extern const uint8_t LOG_MAGIC[LOG_MAGIC_BYTES];

typedef struct log_header {
    uint32_t engine;                     // the engine's behaviour number
    char world[WIRE_WORLD_NAME_MAX + 1]; // name
    uint64_t epoch;
    double hz;      // ticks a second of world time
    uint64_t begun; // when the stream was begun [s since 1970-01-01 UTC]; 0: not known
} log_header;

typedef struct log_end {
    uint64_t tick;    // tick of the last record
    uint64_t records; // number of records before it
} log_end;

// ---- writing: each appends its bytes to `out`

void log_stream_begin(buffer *out, const log_header *header); // magic and header
void log_stream_record(buffer *out, const log_record *record);
void log_stream_end(buffer *out, const log_end *end);

// ---- reading

typedef enum log_event {
    LOG_MORE,   // all bytes are used up
    LOG_HEADER, // `header` is set
    LOG_RECORD, // `record` is set, until the next call
    LOG_END,    // the end mark was read; nothing may follow
    LOG_BROKEN  // see the error; stays so
} log_event;

// The fields are private, except header, record, end and the counters, which may be read.
typedef struct log_reader {
    log_header header;
    log_record record;
    log_end end;
    uint64_t offset;  // bytes of the stream read so far
    uint64_t records; // read so far
    uint64_t tick;    // tick of the last record; each record must begin where the one before ended
    buffer held;      // bytes of the frame being read
    uint8_t stage;
    error failure;
} log_reader;

void log_reader_init(log_reader *r);
void log_reader_deinit(log_reader *r);

// Processes up to `size` bytes that follow those of the last call; `used` (not NULL) is set to the
// number processed. To be called until it returns LOG_MORE. On LOG_BROKEN `err` gives the fault,
// its offset in the stream, and the remedy: STATUS_INVALID_ARGUMENT for bytes that are no log, of a
// newer format, altered or inconsistent; STATUS_LIMIT_EXCEEDED for frames over
// LOG_RECORD_BYTES_MAX.
log_event log_reader_feed(log_reader *r, const void *bytes, size_t size, size_t *used, error *err);

// Whether the stream may end here: STATUS_OK after the end mark; else STATUS_INVALID_ARGUMENT with
// a text that names the tick up to which it is complete.
status log_reader_finish(const log_reader *r, error *err);

#endif
