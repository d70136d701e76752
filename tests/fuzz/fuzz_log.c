// A log as the reader of recordings gets it, in pieces of a size that the first byte selects. Every
// accepted record must give the same bytes when it is written again, and its rows must be readable.
#include <string.h>

#include "common/base/assert.h"
#include "proto/log/log_record.h"
#include "proto/log/log_stream.h"
#include "proto/wire/buffer.h"
#include "tests/fuzz/fuzz.h"

static void write_again(const log_record *record)
{
    buffer rows;
    buffer bytes;
    buffer_init(&rows, LOG_RECORD_BYTES_MAX);
    buffer_init(&bytes, LOG_RECORD_BYTES_MAX);
    size_t offset = 0;
    uint32_t count = 0;
    log_command command;
    while (log_record_next(record, &offset, &command)) {
        ASSERT(command.tick >= record->from && command.tick <= record->tick);
        log_command_encode(&rows, &command);
        count++;
    }
    ASSERT(count == record->command_count && rows.size == record->commands_size);
    ASSERT(rows.size == 0 || memcmp(rows.data, record->commands, rows.size) == 0);
    log_record_encode(&bytes, record);
    log_record again;
    error err;
    status s = log_record_decode(bytes.data, bytes.size, &again, &err);
    ASSERT(s == STATUS_OK && again.from == record->from && again.tick == record->tick);
    ASSERT(again.has_hash == record->has_hash && again.hash == record->hash);
    ASSERT(again.image_size == record->image_size);
    buffer_deinit(&rows);
    buffer_deinit(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const size_t piece = (size_t)data[0] + 1;
    log_reader r;
    log_event event = LOG_MORE;
    error err = {STATUS_OK, ""};
    log_reader_init(&r);
    for (size_t at = 1; at < size && event != LOG_BROKEN;) {
        size_t part = size - at < piece ? size - at : piece;
        size_t used = 0;
        event = log_reader_feed(&r, data + at, part, &used, &err);
        ASSERT(used <= part && (used > 0 || event == LOG_BROKEN));
        at += used;
        if (event == LOG_RECORD) {
            write_again(&r.record);
        }
    }
    ASSERT(event != LOG_BROKEN || (err.status != STATUS_OK && err.text[0] != '\0'));
    log_reader_finish(&r, &err);
    log_reader_deinit(&r);
    return 0;
}
