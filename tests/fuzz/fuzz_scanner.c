// The scanner on a stream that is split anywhere. The first bytes of the input choose the limits
// and the splits, the rest is the stream. The scanner must give the same results for every split,
// and msgpack-c must unpack each of its messages to the same size.
#include <msgpack.h>
#include <stdbool.h>

#include "common/base/assert.h"
#include "proto/wire/scanner.h"
#include "tests/fuzz/fuzz.h"

enum { CHOICE_BYTES = 4 };

typedef struct walk {
    scan_verdict verdict;
    size_t messages;
    size_t end; // end of the last message, or of the refused bytes
} walk;

// Feeds the stream in pieces of 1 + cut bytes, all of it at once for a cut of 255.
static walk scan(const scanner_limits *limits, const uint8_t *bytes, size_t size, uint8_t cut)
{
    scanner s;
    scanner_init(&s, limits);
    walk w = {.verdict = SCAN_MORE};
    size_t at = 0;
    while (at < size && w.verdict != SCAN_REFUSED) {
        size_t piece = cut == 255 ? size - at : (size_t)cut + 1;
        piece = piece < size - at ? piece : size - at;
        size_t used;
        error err;
        w.verdict = scanner_feed(&s, bytes + at, piece, &used, &err);
        ASSERT(used >= 1 && used <= piece);
        ASSERT(s.position <= limits->bytes_max && s.values <= limits->values_max);
        at += used;
        if (w.verdict == SCAN_MESSAGE) {
            w.messages++;
        }
        if (w.verdict != SCAN_MORE) {
            w.end = at;
        }
    }
    return w;
}

// Checks that msgpack-c finds the same messages.
static void unpack(const scanner_limits *limits, const uint8_t *bytes, size_t size)
{
    scanner s;
    scanner_init(&s, limits);
    size_t at = 0;
    size_t used;
    while (at < size && scanner_feed(&s, bytes + at, size - at, &used, NULL) == SCAN_MESSAGE) {
        msgpack_unpacked unpacked;
        msgpack_unpacked_init(&unpacked);
        size_t offset = 0;
        msgpack_unpack_return got =
            msgpack_unpack_next(&unpacked, (const char *)bytes + at, used, &offset);
        ASSERT(got == MSGPACK_UNPACK_SUCCESS && offset == used);
        msgpack_unpacked_destroy(&unpacked);
        at += used;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICE_BYTES) {
        return 0;
    }
    scanner_limits limits = scanner_limits_default();
    if (data[0] != 0) {
        limits.bytes_max = data[0] * 8U;
        limits.values_max = 1U + data[1];
        limits.depth_max = 1U + data[1] % WIRE_DEPTH_MAX;
    }
    const uint8_t *stream = data + CHOICE_BYTES;
    size -= CHOICE_BYTES;
    walk whole = scan(&limits, stream, size, 255);
    walk cut = scan(&limits, stream, size, data[2]);
    ASSERT(cut.verdict == whole.verdict || size == 0);
    ASSERT(cut.messages == whole.messages && cut.end == whole.end);
    unpack(&limits, stream, size);
    return 0;
}
