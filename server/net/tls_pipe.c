// OpenSSL over memory; see tls_pipe.h.
#include "server/net/tls_pipe.h"

#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "common/base/assert.h"

struct tls_pipe {
    SSL *ssl;
    BIO *in, *out; // both belong to the SSL
    bool ready;
    const char *reason; // reason of the last failure; NULL: OpenSSL gave none
};

tls_pipe *tls_pipe_create(SSL *ssl, bool dialled)
{
    tls_pipe *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    t->ssl = ssl;
    t->in = BIO_new(BIO_s_mem());
    t->out = BIO_new(BIO_s_mem());
    ASSERT_MEMORY(t->in != NULL && t->out != NULL);
    SSL_set_bio(t->ssl, t->in, t->out);
    if (dialled) {
        SSL_set_connect_state(t->ssl);
    } else {
        SSL_set_accept_state(t->ssl);
    }
    return t;
}

void tls_pipe_free(tls_pipe *t)
{
    if (t != NULL) {
        SSL_free(t->ssl);
        free(t);
    }
}

const SSL *tls_pipe_ssl(const tls_pipe *t)
{
    return t->ssl;
}

void tls_pipe_take(tls_pipe *t, const void *bytes, size_t size)
{
    while (size > 0) {
        const int some = size < INT32_MAX ? (int)size : INT32_MAX;
        const int taken = BIO_write(t->in, bytes, some);
        ASSERT_MEMORY(taken > 0);
        bytes = (const uint8_t *)bytes + taken;
        size -= (size_t)taken;
    }
}

// Whether the stream only waits for more input; otherwise the reason is noted.
static bool wants_more(tls_pipe *t, int result)
{
    const bool more = SSL_get_error(t->ssl, result) == SSL_ERROR_WANT_READ;
    const unsigned long number = ERR_peek_last_error();
    if (!more) {
        t->reason = number != 0 ? ERR_reason_error_string(number) : NULL;
    }
    ERR_clear_error();
    return more;
}

bool tls_pipe_shake(tls_pipe *t)
{
    if (t->ready) {
        return true;
    }
    ERR_clear_error();
    const int done = SSL_do_handshake(t->ssl);
    if (done != 1) {
        return wants_more(t, done);
    }
    t->ready = true;
    return true;
}

bool tls_pipe_ready(const tls_pipe *t)
{
    return t->ready;
}

const char *tls_pipe_failure(const tls_pipe *t)
{
    const long verdict = SSL_get_verify_result(t->ssl);
    if (verdict != X509_V_OK) {
        return X509_verify_cert_error_string(verdict);
    }
    return t->reason != NULL ? t->reason : "no reason given";
}

int tls_pipe_read(tls_pipe *t, void *out, int size)
{
    ERR_clear_error();
    const int got = SSL_read(t->ssl, out, size);
    if (got > 0) {
        return got;
    }
    return wants_more(t, got) ? 0 : -1;
}

bool tls_pipe_write(tls_pipe *t, const void *bytes, size_t size)
{
    ERR_clear_error();
    size_t written = 0;
    const bool good = size == 0 || SSL_write_ex(t->ssl, bytes, size, &written) == 1;
    ERR_clear_error();
    return good && written == size;
}

uint8_t *tls_pipe_sealed(tls_pipe *t, size_t *size)
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
