// TLS 1.3 with an external key, by OpenSSL over memory; see peer_tls.h.
#include "server/fleet/peer_tls.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include "common/base/assert.h"

enum { KEY_BYTES = 32 };

static const char IDENTITY[] = "carom";

struct peer_key {
    SSL_CTX *ctx;
    uint8_t bytes[KEY_BYTES];
};

struct peer_stream {
    SSL *ssl;
    BIO *in, *out; // the stream's
    bool ready;
};

static const peer_key *key_of(const SSL *ssl)
{
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

static unsigned give_key(const SSL *ssl, unsigned char *out, unsigned most)
{
    ASSERT(most >= KEY_BYTES);
    memcpy(out, key_of(ssl)->bytes, KEY_BYTES);
    return KEY_BYTES;
}

static unsigned on_client(SSL *ssl, const char *hint, char *identity, unsigned identity_max,
                          unsigned char *out, unsigned most)
{
    (void)hint;
    ASSERT(identity_max >= sizeof IDENTITY);
    memcpy(identity, IDENTITY, sizeof IDENTITY);
    return give_key(ssl, out, most);
}

static unsigned on_server(SSL *ssl, const char *identity, unsigned char *out, unsigned most)
{
    return strcmp(identity, IDENTITY) == 0 ? give_key(ssl, out, most) : 0;
}

peer_key *peer_key_create(const uint8_t *secret, size_t size)
{
    peer_key *k = calloc(1, sizeof *k);
    ASSERT_MEMORY(k != NULL);
    unsigned written = 0;
    int good = EVP_Digest(secret, size, k->bytes, &written, EVP_sha256(), NULL);
    ASSERT(good == 1 && written == KEY_BYTES);
    k->ctx = SSL_CTX_new(TLS_method());
    ASSERT_MEMORY(k->ctx != NULL);
    good = SSL_CTX_set_min_proto_version(k->ctx, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_ciphersuites(k->ctx, "TLS_AES_128_GCM_SHA256") == 1 &&
           SSL_CTX_set_num_tickets(k->ctx, 0) == 1;
    ASSERT(good);
    // A server that shows a certificate instead of the key is refused: there are no authorities.
    SSL_CTX_set_verify(k->ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_app_data(k->ctx, k);
    SSL_CTX_set_psk_client_callback(k->ctx, on_client);
    SSL_CTX_set_psk_server_callback(k->ctx, on_server);
    return k;
}

void peer_key_free(peer_key *k)
{
    if (k != NULL) {
        SSL_CTX_free(k->ctx);
        OPENSSL_cleanse(k->bytes, sizeof k->bytes);
        free(k);
    }
}

peer_stream *peer_stream_create(peer_key *k, bool dialled)
{
    peer_stream *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    t->ssl = SSL_new(k->ctx);
    t->in = BIO_new(BIO_s_mem());
    t->out = BIO_new(BIO_s_mem());
    ASSERT_MEMORY(t->ssl != NULL && t->in != NULL && t->out != NULL);
    SSL_set_bio(t->ssl, t->in, t->out);
    if (dialled) {
        SSL_set_connect_state(t->ssl);
    } else {
        SSL_set_accept_state(t->ssl);
        const int good =
            SSL_set_session_id_context(t->ssl, (const uint8_t *)IDENTITY, sizeof IDENTITY);
        ASSERT(good == 1); // OpenSSL wants it where certificates are verified
    }
    return t;
}

void peer_stream_free(peer_stream *t)
{
    if (t != NULL) {
        SSL_free(t->ssl);
        free(t);
    }
}

void peer_stream_take(peer_stream *t, const void *bytes, size_t size)
{
    while (size > 0) {
        const int some = size < INT32_MAX ? (int)size : INT32_MAX;
        const int taken = BIO_write(t->in, bytes, some);
        ASSERT_MEMORY(taken > 0);
        bytes = (const uint8_t *)bytes + taken;
        size -= (size_t)taken;
    }
}

// Whether the stream only waits for more input.
static bool wants_more(const peer_stream *t, int result)
{
    return SSL_get_error(t->ssl, result) == SSL_ERROR_WANT_READ;
}

bool peer_stream_shake(peer_stream *t)
{
    if (t->ready) {
        return true;
    }
    ERR_clear_error();
    const int done = SSL_do_handshake(t->ssl);
    if (done != 1) {
        const bool more = wants_more(t, done);
        ERR_clear_error();
        return more;
    }
    t->ready = SSL_session_reused(t->ssl) == 1; // by the key, not by a certificate
    return t->ready;
}

bool peer_stream_ready(const peer_stream *t)
{
    return t->ready;
}

int peer_stream_read(peer_stream *t, void *out, int size)
{
    ERR_clear_error();
    const int got = SSL_read(t->ssl, out, size);
    if (got > 0) {
        return got;
    }
    const bool more = wants_more(t, got);
    ERR_clear_error();
    return more ? 0 : -1;
}

bool peer_stream_write(peer_stream *t, const void *bytes, size_t size)
{
    ERR_clear_error();
    size_t written = 0;
    const bool good = size == 0 || SSL_write_ex(t->ssl, bytes, size, &written) == 1;
    ERR_clear_error();
    return good && written == size;
}

uint8_t *peer_stream_sealed(peer_stream *t, size_t *size)
{
    const size_t waiting = BIO_ctrl_pending(t->out);
    if (waiting == 0) {
        return NULL;
    }
    ASSERT(waiting <= INT32_MAX);
    uint8_t *out = malloc(waiting);
    ASSERT_MEMORY(out != NULL);
    const int got = BIO_read(t->out, out, (int)waiting);
    ASSERT(got > 0 && (size_t)got == waiting);
    *size = waiting;
    return out;
}
