// See tls_trust.h.
#include "server/net/tls_trust.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "common/base/assert.h"

struct tls_trust {
    SSL_CTX *ctx;
};

status tls_trust_open(const char *file, tls_trust **out, error *err)
{
    tls_trust *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    t->ctx = SSL_CTX_new(TLS_client_method());
    ASSERT_MEMORY(t->ctx != NULL);
    (void)SSL_CTX_set_min_proto_version(t->ctx, TLS1_3_VERSION);
    (void)SSL_CTX_set_mode(t->ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(t->ctx, SSL_VERIFY_PEER, NULL);
    ERR_clear_error();
    status s = STATUS_OK;
    if (file == NULL) {
        (void)SSL_CTX_set_default_verify_paths(t->ctx); // without them nothing is trusted
    } else if (SSL_CTX_load_verify_file(t->ctx, file) != 1) {
        const unsigned long number = ERR_peek_last_error();
        const char *reason = number != 0 ? ERR_reason_error_string(number) : NULL;
        s = error_set(err, STATUS_INVALID_ARGUMENT,
                      "'%.200s' holds no certificates in PEM, or cannot be read (%s)", file,
                      reason != NULL ? reason : "no reason given");
    }
    ERR_clear_error();
    if (s != STATUS_OK) {
        tls_trust_free(t);
        t = NULL;
    }
    *out = t;
    return s;
}

void tls_trust_free(tls_trust *t)
{
    if (t != NULL) {
        SSL_CTX_free(t->ctx);
        free(t);
    }
}

tls_pipe *tls_trust_dial(const tls_trust *t, const char *host)
{
    unsigned char bytes[16];
    SSL *ssl = SSL_new(t->ctx);
    ASSERT_MEMORY(ssl != NULL);
    int good = 0;
    if (inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1) {
        good = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
    } else { // a server's name in the handshake is never an address (RFC 6066)
        good = SSL_set1_host(ssl, host) == 1 &&
               SSL_set_tlsext_host_name(ssl, (char *)(uintptr_t)host) == 1;
    }
    ASSERT_MEMORY(good == 1);
    return tls_pipe_create(ssl, true);
}
