// TLS 1.3 with an external key; see peer_tls.h.
#include "server/fleet/peer_tls.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/ssl.h>

#include "common/base/assert.h"

enum { KEY_BYTES = 32 };

static const char IDENTITY[] = "carom";

struct peer_key {
    SSL_CTX *ctx;
    uint8_t bytes[KEY_BYTES];
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

tls_pipe *peer_stream_create(peer_key *k, bool dialled)
{
    SSL *ssl = SSL_new(k->ctx);
    ASSERT_MEMORY(ssl != NULL);
    if (!dialled) {
        const int good =
            SSL_set_session_id_context(ssl, (const uint8_t *)IDENTITY, sizeof IDENTITY);
        ASSERT(good == 1); // OpenSSL wants it where certificates are verified
    }
    return tls_pipe_create(ssl, dialled);
}

// The key makes every session one that is resumed; a certificate does not.
bool peer_stream_shake(tls_pipe *t)
{
    return tls_pipe_shake(t) && (!tls_pipe_ready(t) || SSL_session_reused(tls_pipe_ssl(t)) == 1);
}
