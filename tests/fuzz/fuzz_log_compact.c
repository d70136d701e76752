// Arbitrary bytes as a record in the compact form. The decoder refuses them with a text, or gives a
// record with the same compact form, unless it contains texts that no record may have.
#include <string.h>

#include "common/base/assert.h"
#include "proto/log/log_compact.h"
#include "proto/log/log_record.h"
#include "tests/fuzz/fuzz.h"

static void write_again(const log_record *record)
{
    buffer whole;
    buffer compact;
    buffer rows;
    log_record again;
    buffer_init(&whole, LOG_RECORD_BYTES_MAX);
    buffer_init(&compact, LOG_RECORD_BYTES_MAX);
    buffer_init(&rows, LOG_RECORD_BYTES_MAX);
    log_record_encode(&whole, record);
    if (log_record_decode(whole.data, whole.size, &again, NULL) == STATUS_OK) {
        const bool made = log_compact_encode(&compact, &again, "lab");
        ASSERT(made);
        log_record last;
        const status s =
            log_compact_decode(compact.data, compact.size, record->from, "lab", &rows, &last, NULL);
        ASSERT(s == STATUS_OK && last.tick == record->tick && last.hash == record->hash);
        ASSERT(last.command_count == record->command_count);
        ASSERT(last.commands_size == record->commands_size);
        ASSERT(last.commands_size == 0 ||
               memcmp(last.commands, record->commands, last.commands_size) == 0);
    }
    buffer_deinit(&whole);
    buffer_deinit(&compact);
    buffer_deinit(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    buffer rows;
    log_record record;
    error err = {STATUS_OK, ""};
    buffer_init(&rows, 16 << 20);
    if (log_compact_decode(data, size, 100, "lab", &rows, &record, &err) == STATUS_OK) {
        write_again(&record);
    } else {
        ASSERT(err.status != STATUS_OK && err.text[0] != '\0');
    }
    buffer_deinit(&rows);
    return 0;
}
