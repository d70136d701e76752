// The server's side of TLS. The first byte selects the use of the rest: as a stranger's bytes, in
// pieces; or as changes to a real client's bytes, its handshake and then its data. For any
// input, the stream keeps no more than its limit and opens only data that this client has sealed.
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/net/tls.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/certificate.h"

enum { ROUNDS = 12, WIRE_BYTES = 64 * 1024, TEXT_BYTES = 3000 };

static tls_files *files;
static SSL_CTX *client_context;

static void prepare(void)
{
    files = certificate_open();
    client_context = SSL_CTX_new(TLS_client_method());
    ASSERT(client_context != NULL);
}

typedef struct text {
    uint8_t bytes[TEXT_BYTES];
    size_t size;
} text;

// Opens all that has arrived; the result must continue `expected`.
static tls_result open_all(tls_stream *t, const text *expected, size_t *opened)
{
    tls_result result = TLS_BYTES;
    while (result == TLS_BYTES) {
        uint8_t out[1000];
        size_t got = 0;
        size_t sealed;
        result = tls_open(t, out, sizeof out, &got, NULL);
        ASSERT((got > 0) == (result == TLS_BYTES));
        ASSERT(*opened + got <= expected->size && memcmp(out, expected->bytes + *opened, got) == 0);
        *opened += got;
        (void)tls_sealed(t, &sealed);
        ASSERT(sealed <= TLS_SEALED_BYTES_MAX);
    }
    return result;
}

static void read_stranger(const uint8_t *data, size_t size)
{
    static const text NOTHING = {.size = 0};
    tls_stream *t = tls_stream_create(files);
    size_t opened = 0;
    size_t step = size > 0 ? 1 + data[0] : 1;
    tls_result result = TLS_MORE;
    for (size_t at = 0; at < size && result == TLS_MORE; at += step) {
        tls_take(t, data + at, size - at < step ? size - at : step);
        result = open_all(t, &NOTHING, &opened);
    }
    ASSERT(!tls_ready(t) && !tls_seal(t, (const uint8_t *)"x", 1));
    tls_seal_end(t);
    tls_stream_free(t);
}

// Changes: each is a distance from the previous one, two bytes, and the value with which the byte
// there is xored.
typedef struct changes {
    const uint8_t *data;
    size_t size;
    size_t next; // bytes to pass unchanged before the next change
} changes;

static void advance(changes *c)
{
    c->next = SIZE_MAX;
    if (c->size >= 3) {
        c->next = (size_t)c->data[0] << 8 | c->data[1];
    }
}

static void change(changes *c, uint8_t *wire, size_t size)
{
    size_t at = 0;
    while (c->next < size - at) {
        at += c->next;
        wire[at++] ^= c->data[2];
        c->data += 3;
        c->size -= 3;
        advance(c);
    }
    c->next -= c->next == SIZE_MAX ? 0 : size - at;
}

static void read_client(const uint8_t *data, size_t size)
{
    static uint8_t wire[WIRE_BYTES];
    changes to_do = {data, size, 0};
    text sent = {.size = 0};
    size_t opened = 0;
    advance(&to_do);
    tls_stream *t = tls_stream_create(files);
    SSL *client = SSL_new(client_context);
    BIO *in = BIO_new(BIO_s_mem());
    BIO *out = BIO_new(BIO_s_mem());
    ASSERT(client != NULL && in != NULL && out != NULL);
    SSL_set_bio(client, in, out);
    SSL_set_connect_state(client);
    tls_result result = TLS_MORE;
    for (int round = 0; round < ROUNDS && result == TLS_MORE; round++) {
        if (SSL_do_handshake(client) == 1 && sent.size + 200 <= TEXT_BYTES) {
            memset(sent.bytes + sent.size, 'a' + round, 200);
            (void)SSL_write(client, sent.bytes + sent.size, 200);
            sent.size += 200;
        }
        int got = BIO_read(out, wire, sizeof wire);
        if (got > 0) {
            change(&to_do, wire, (size_t)got);
            tls_take(t, wire, (size_t)got);
            result = open_all(t, &sent, &opened);
        }
        (void)tls_seal(t, (const uint8_t *)"answer", 6);
        size_t sealed;
        const uint8_t *bytes = tls_sealed(t, &sealed);
        if (sealed > 0) {
            (void)BIO_write(in, bytes, (int)sealed);
            tls_drop(t, sealed);
        }
        char answer[64];
        (void)SSL_read(client, answer, sizeof answer);
    }
    bool unchanged = to_do.data == data;
    ASSERT(!unchanged || (tls_ready(t) && opened == sent.size && sent.size > 0));
    tls_seal_end(t);
    SSL_free(client);
    tls_stream_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (files == NULL) {
        prepare();
    }
    if (size > 0 && data[0] % 2 == 0) {
        read_stranger(data + 1, size - 1);
    } else if (size > 0) {
        read_client(data + 1, size - 1);
    }
    return 0;
}
