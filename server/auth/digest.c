// See digest.h.
#include "server/auth/digest.h"

#include <openssl/evp.h>

#include "common/base/assert.h"

void digest_of(const void *bytes, size_t size, uint8_t out[DIGEST_BYTES])
{
    unsigned written = 0;
    int done = EVP_Digest(bytes, size, out, &written, EVP_sha256(), NULL);
    ASSERT(done == 1 && written == DIGEST_BYTES);
}
