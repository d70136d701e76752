// Consecutive blocks of digests, read into one table as a restart reads them from a world's log:
// all reads lie within the bytes, and the table has whole groups within the limits.
#include "common/base/assert.h"
#include "proto/log/log_digest.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    log_digests digests = {0};
    size_t used = 0;
    if (log_digests_pass_first_kind(data, size, &used)) {
        ASSERT(used > 0 && used <= size);
    }
    for (size_t at = 0; log_digests_read(&digests, data + at, size - at, &used); at += used) {
        ASSERT(used > 0 && used <= size - at);
        ASSERT(digests.groups.count <= LOG_DIGEST_GROUPS_MAX);
        ASSERT(digests.bytes.count == digests.groups.count * 64);
    }
    log_digests_deinit(&digests);
    return 0;
}
