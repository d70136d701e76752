// A connection's bytes as the HTTP listener reads them. The first byte selects: a request, whose
// spans must lie within it; or WebSocket frames, which must give the same events and payload in one
// piece and in many, and no more payload than was received.
#include <string.h>

#include "common/base/assert.h"
#include "server/http/origin.h"
#include "server/http/request.h"
#include "server/http/websocket.h"
#include "tests/fuzz/fuzz.h"

enum { MESSAGE_MAX = 4096, PIECE_MAX = 64 };

static void check_span(http_span s, const char *data, size_t size)
{
    ASSERT(s.text == NULL ||
           (s.text >= data && s.size <= size && (size_t)(s.text - data) <= size - s.size));
}

static void read_request(const char *data, size_t size)
{
    size_t scanned = 0;
    size_t slowly = 0;
    size_t head = http_head_size(data, size, &scanned);
    size_t found = 0;
    for (size_t i = 1; i <= size && found == 0; i++) {
        found = http_head_size(data, i, &slowly);
    }
    ASSERT(found == head);
    http_request r;
    http_refusal refusal = {0, NULL};
    if (head == 0 || !http_request_parse(data, head, &r, &refusal)) {
        ASSERT(head == 0 || (refusal.code >= 400 && refusal.text != NULL));
        return;
    }
    // without a time limit no valid request is refused early
    ASSERT(http_may_be_head(data, head, 0));
    ASSERT(r.path.size > 0 && r.path.text[0] == '/' &&
           memmem(r.path.text, r.path.size, "/.", 2) == NULL);
    check_span(r.path, data, head);
    check_span(r.host, data, head);
    check_span(r.origin, data, head);
    check_span(r.key, data, head);
    check_span(r.protocols, data, head);
    (void)http_list_has(r.protocols, "carom.v1");
    int quality = http_list_quality(r.accept_encoding, "gzip");
    ASSERT(quality >= -1 && quality <= 1000);
    static const char *const ALLOWED[] = {"https://play.example"};
    (void)origin_allowed(r.origin, r.host, ALLOWED, 1);
    (void)origin_serves(r.host, "127.0.0.1", ALLOWED, 1);
    char accept[WEBSOCKET_ACCEPT_CHARS + 1];
    if (r.key.text != NULL && websocket_accept(r.key.text, r.key.size, accept)) {
        ASSERT(strlen(accept) == WEBSOCKET_ACCEPT_CHARS);
    }
}

typedef struct account {
    uint64_t events;  // a hash of all events, independent of where payload was split
    uint64_t payload; // a hash of the payload's bytes
    size_t bytes;
    websocket_event last;
} account;

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x100000001B3;
}

static account read_frames(const uint8_t *data, size_t size, size_t step)
{
    account a = {0};
    websocket w;
    websocket_init(&w, MESSAGE_MAX);
    for (size_t at = 0; at < size && a.last != WEBSOCKET_BROKEN && a.last != WEBSOCKET_CLOSE;) {
        const uint8_t *next = data + at;
        size_t left = size - at < step ? size - at : step;
        at += left;
        do {
            uint8_t out[PIECE_MAX];
            size_t got = 0;
            a.last =
                websocket_next(&w, &next, &left, out, step < PIECE_MAX ? step : PIECE_MAX, &got);
            ASSERT((got > 0) == (a.last == WEBSOCKET_DATA) && got <= PIECE_MAX);
            for (size_t i = 0; i < got; i++) {
                mix(&a.payload, out[i]);
            }
            a.bytes += got;
            ASSERT(a.last != WEBSOCKET_BROKEN || (w.code >= 1000 && w.text != NULL));
            if (a.last != WEBSOCKET_DATA && a.last != WEBSOCKET_MORE) {
                mix(&a.events, (uint64_t)a.last << 32 | (uint64_t)a.bytes);
                mix(&a.events, w.code);
            }
        } while (a.last != WEBSOCKET_MORE && a.last != WEBSOCKET_BROKEN &&
                 a.last != WEBSOCKET_CLOSE);
        ASSERT(a.last != WEBSOCKET_MORE || left == 0);
    }
    ASSERT(a.bytes <= size);
    return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if ((data[0] & 1) == 0) {
        read_request((const char *)data + 1, size - 1);
        return 0;
    }
    account whole = read_frames(data + 1, size - 1, size);
    account cut = read_frames(data + 1, size - 1, 1 + (data[0] >> 1) % 16);
    ASSERT(whole.events == cut.events && whole.payload == cut.payload && whole.bytes == cut.bytes);
    return 0;
}
