// Making, comparing, printing and parsing of secrets; see secret.h. Any thread.
#include "server/session/identity/secret.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/assert.h"
#include "server/auth/digest.h"

secret secret_create(void)
{
    secret s;
    size_t have = 0;
    while (have < sizeof s.bytes) {
        ssize_t got = getrandom(s.bytes + have, sizeof s.bytes - have, 0);
        ASSERT(got > 0 || errno == EINTR); // the call waits until the kernel has enough entropy
        have += got > 0 ? (size_t)got : 0;
    }
    return s;
}

void secret_wipe(secret *s)
{
    explicit_bzero(s, sizeof *s);
}

secret secret_digest(const secret *s)
{
    _Static_assert((int)SECRET_BYTES == (int)DIGEST_BYTES, "a digest is as long as a secret");
    secret digest;
    digest_of(s->bytes, sizeof s->bytes, digest.bytes);
    return digest;
}

bool secret_equal(const secret *a, const secret *b)
{
    volatile uint8_t difference = 0; // volatile: the loop goes to its end
    for (size_t i = 0; i < sizeof a->bytes; i++) {
        difference |= (uint8_t)(a->bytes[i] ^ b->bytes[i]);
    }
    return difference == 0;
}

void secret_print(char out[SECRET_TEXT_MAX], session_key key, const secret *s)
{
    int at = snprintf(out, SECRET_TEXT_MAX, "%" PRIx32 ".%" PRIx64 ".", key.slot, key.number);
    for (size_t i = 0; i < sizeof s->bytes; i++) {
        at += snprintf(out + at, (size_t)(SECRET_TEXT_MAX - at), "%02x", s->bytes[i]);
    }
    ASSERT(at < SECRET_TEXT_MAX);
}

static int digit_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Parses a hexadecimal number of at most `digits_max` digits before a dot; NULL if there is none.
static const char *parse_number(const char *text, int digits_max, uint64_t *out)
{
    int digits = 0;
    *out = 0;
    for (; digit_value(*text) >= 0 && digits < digits_max; digits++) {
        *out = *out << 4 | (uint64_t)digit_value(*text++);
    }
    return digits > 0 && *text == '.' ? text + 1 : NULL;
}

bool secret_parse(const char *text, session_key *key, secret *out)
{
    uint64_t slot = 0;
    uint64_t number = 0;
    _Static_assert(sizeof key->slot == 4 && sizeof key->number == 8, "8 and 16 digits");
    const char *rest = parse_number(text, 8, &slot);
    rest = rest != NULL ? parse_number(rest, 16, &number) : NULL;
    if (rest == NULL || strlen(rest) != 2 * sizeof out->bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof out->bytes; i++) {
        int high = digit_value(rest[2 * i]);
        int low = digit_value(rest[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out->bytes[i] = (uint8_t)(high << 4 | low);
    }
    *key = (session_key){.slot = (uint32_t)slot, .number = number};
    return true;
}
