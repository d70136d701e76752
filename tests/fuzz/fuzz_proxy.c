// The first bytes of a proxy's connection. They must give the same result in one piece and byte by
// byte, the parser may request no byte behind the header, and an accepted header is complete.
#include <string.h>

#include "common/base/assert.h"
#include "server/net/proxy_header.h"
#include "tests/fuzz/fuzz.h"

static proxy_result read_slowly(const uint8_t *data, size_t size, size_t *used, proxy_header *out)
{
    proxy_result result = PROXY_MORE;
    const char *why = NULL;
    for (*used = 0; result == PROXY_MORE && *used <= size; ++*used) {
        result = proxy_header_read(data, *used, out, &why);
        ASSERT(result != PROXY_MORE || (out->size > *used && out->size <= PROXY_HEADER_BYTES_MAX));
        ASSERT(result != PROXY_BROKEN || why != NULL);
    }
    --*used;
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    proxy_header whole;
    proxy_header slow;
    const char *why = NULL;
    size_t used = 0;
    proxy_result result = proxy_header_read(data, size, &whole, &why);
    ASSERT(read_slowly(data, size, &used, &slow) == result);
    if (result == PROXY_DONE) {
        ASSERT(used == whole.size && whole.size <= size && whole.told == slow.told);
        ASSERT(!whole.told || memcmp(&whole.source, &slow.source, sizeof whole.source) == 0);
        ASSERT(!whole.told || whole.source.any.sa_family == AF_INET ||
               whole.source.any.sa_family == AF_INET6);
    }
    return 0;
}
