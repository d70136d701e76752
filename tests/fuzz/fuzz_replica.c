// A recording that a replica plays, with commands that its engine has never seen: the replica
// refuses them or goes on, and its state can be read, saved and shown afterwards. Hashes are not
// compared, as altered commands lead elsewhere.
#include <string.h>

#include <carom/replica.h>
#include <carom/view.h>

#include "common/base/assert.h"
#include "proto/log/log_stream.h"
#include "tests/fuzz/fuzz.h"

enum { TICKS_MAX = 64 }; // of one record: more take time and find nothing

static void show(carom_replica *replica, carom_view *view)
{
    static const carom_replica_snapshot_options all = {
        .describe = true, .contacts = true, .events = ~0u};
    const void *encoded = NULL;
    size_t size = 0;
    carom_error err;
    if (carom_replica_snapshot(replica, &all, &encoded, &size, &err) == CAROM_OK) {
        carom_status s = carom_view_feed(view, encoded, size, NULL, &err);
        ASSERT(s == CAROM_OK);
        ASSERT(carom_view_count(view) == carom_replica_now(replica).bodies);
    }
}

static void save(carom_replica *replica)
{
    void *bytes = NULL;
    size_t size = 0;
    carom_error err;
    if (carom_replica_save(replica, &bytes, &size, &err) != CAROM_OK) {
        return;
    }
    carom_replica *copy = carom_replica_create();
    carom_difference difference;
    carom_status s = carom_replica_load(copy, bytes, size, NULL, &err);
    ASSERT(s == CAROM_OK);
    s = carom_replica_compare(replica, copy, &difference, &err);
    ASSERT(s == CAROM_OK && !difference.differs);
    carom_replica_free_bytes(bytes);
    carom_replica_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    log_reader reader;
    error err;
    carom_replica *replica = carom_replica_create();
    carom_view *view = carom_view_create(NULL);
    log_reader_init(&reader);
    carom_replica_verify(replica, false);
    log_event event = LOG_HEADER;
    for (size_t at = 0; event != LOG_BROKEN && event != LOG_MORE;) {
        size_t used = 0;
        event = log_reader_feed(&reader, data + at, size - at, &used, &err);
        at += used;
        if (event == LOG_RECORD && reader.record.tick - reader.record.from <= TICKS_MAX) {
            buffer record;
            carom_error why;
            buffer_init(&record, LOG_RECORD_BYTES_MAX);
            log_record_encode(&record, &reader.record);
            (void)carom_replica_feed(replica, record.data, record.size, &why);
            buffer_deinit(&record);
            show(replica, view);
        }
    }
    save(replica);
    log_reader_deinit(&reader);
    carom_view_free(view);
    carom_replica_free(replica);
    return 0;
}
