// See tls.h. OpenSSL reads and writes through a BIO of our own: it reads input from the bytes of
// the current read, in place, and appends output to the stream's sealed bytes. So no second copy of
// either exists. Network thread only.
#include "server/net/tls.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// ---- the certificate

struct tls_files {
    char *certificate, *key;
    SSL_CTX *context;
};

// Appends OpenSSL's own reason, if it has one, and forgets it.
static status explain(error *err, status code, const char *path, const char *what)
{
    unsigned long number = ERR_peek_last_error();
    const char *reason = number != 0 ? ERR_reason_error_string(number) : NULL;
    ERR_clear_error();
    return error_set(err, code, "%s: %s%s%s", path, what, reason != NULL ? ": " : "",
                     reason != NULL ? reason : "");
}

static status check_readable(const char *path, error *err)
{
    BIO *file = BIO_new_file(path, "r");
    if (file == NULL) {
        return explain(err, STATUS_UNAVAILABLE, path, "cannot be read");
    }
    BIO_free(file);
    return STATUS_OK;
}

// A key behind a passphrase would ask at the terminal, in the middle of a reload.
static int no_passphrase(char *out, int size, int writing, void *context)
{
    (void)out, (void)size, (void)writing, (void)context;
    return -1;
}

static status load_files(SSL_CTX *context, const char *certificate, const char *key, error *err)
{
    status s = check_readable(certificate, err);
    s = s == STATUS_OK ? check_readable(key, err) : s;
    if (s != STATUS_OK) {
        return s;
    }
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) {
        return explain(err, STATUS_INVALID_ARGUMENT, certificate, "holds no certificate in PEM");
    }
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        return explain(err, STATUS_INVALID_ARGUMENT, key,
                       "holds no private key in PEM, without passphrase, of that certificate");
    }
    if (SSL_CTX_check_private_key(context) != 1) {
        return explain(err, STATUS_INVALID_ARGUMENT, key, "is not the key of the certificate");
    }
    return STATUS_OK;
}

static status make_context(const char *certificate, const char *key, SSL_CTX **out, error *err)
{
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    ASSERT_MEMORY(context != NULL);
    long ok = SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    ASSERT(ok == 1);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
    ok = SSL_CTX_set_num_tickets(context, 0);
    ASSERT(ok == 1);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    status s = load_files(context, certificate, key, err);
    if (s != STATUS_OK) {
        SSL_CTX_free(context);
        return s;
    }
    *out = context;
    return STATUS_OK;
}

status tls_files_open(const char *certificate, const char *key, tls_files **out, error *err)
{
    SSL_CTX *context = NULL;
    status s = make_context(certificate, key, &context, err);
    if (s != STATUS_OK) {
        return s;
    }
    tls_files *f = malloc(sizeof *f);
    ASSERT_MEMORY(f != NULL);
    *f = (tls_files){strdup(certificate), strdup(key), context};
    ASSERT_MEMORY(f->certificate != NULL && f->key != NULL);
    *out = f;
    return STATUS_OK;
}

status tls_files_reload(tls_files *f, error *err)
{
    SSL_CTX *context = NULL;
    status s = make_context(f->certificate, f->key, &context, err);
    if (s == STATUS_OK) {
        SSL_CTX_free(f->context); // streams have references of their own
        f->context = context;
    }
    return s;
}

int64_t tls_files_expiry(const tls_files *f)
{
    const ASN1_TIME *end = X509_get0_notAfter(SSL_CTX_get0_certificate(f->context));
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0;
    int seconds = 0;
    bool known = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, end) == 1;
    ASN1_TIME_free(epoch);
    return known ? (int64_t)days * 86400 + seconds : 0;
}

void tls_files_close(tls_files *f)
{
    if (f != NULL) {
        SSL_CTX_free(f->context);
        free(f->certificate);
        free(f->key);
        free(f);
    }
}

// ---- the BIO

struct tls_stream {
    SSL *ssl;
    const uint8_t *in; // the rest of the current input
    size_t in_size;
    uint8_t *sealed;
    size_t sealed_begin, sealed_size, sealed_capacity; // offsets into `sealed`
    bool full;                                         // the peer reads too little of its output
    bool failed, ended;
};

static int bio_read(BIO *bio, char *out, size_t size, size_t *got)
{
    tls_stream *t = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *got = t->in_size < size ? t->in_size : size;
    if (*got == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    memcpy(out, t->in, *got);
    t->in += *got;
    t->in_size -= *got;
    return 1;
}

static bool make_room(tls_stream *t, size_t size)
{
    if (t->sealed_begin == t->sealed_size) {
        t->sealed_begin = t->sealed_size = 0;
    }
    if (t->sealed_size - t->sealed_begin + size > TLS_SEALED_BYTES_MAX) {
        return false;
    }
    if (t->sealed_size + size > t->sealed_capacity && t->sealed_begin > 0) {
        t->sealed_size -= t->sealed_begin;
        memmove(t->sealed, t->sealed + t->sealed_begin, t->sealed_size);
        t->sealed_begin = 0;
    }
    if (t->sealed_size + size > t->sealed_capacity) {
        size_t capacity = t->sealed_capacity > 0 ? t->sealed_capacity : 1024;
        while (capacity < t->sealed_size + size) {
            capacity *= 2;
        }
        t->sealed = realloc(t->sealed, capacity);
        ASSERT_MEMORY(t->sealed != NULL);
        t->sealed_capacity = capacity;
    }
    return true;
}

static int bio_write(BIO *bio, const char *data, size_t size, size_t *put)
{
    tls_stream *t = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *put = 0;
    if (!make_room(t, size)) {
        t->full = true;
        return 0;
    }
    memcpy(t->sealed + t->sealed_size, data, size);
    t->sealed_size += size;
    *put = size;
    return 1;
}

static long bio_control(BIO *bio, int command, long number, void *argument)
{
    (void)bio, (void)number, (void)argument;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static BIO_METHOD *bio_method(void)
{
    static BIO_METHOD *method;
    if (method == NULL) { // OpenSSL keeps it until the process ends
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "carom");
        ASSERT(method != NULL);
        BIO_meth_set_read_ex(method, bio_read);
        BIO_meth_set_write_ex(method, bio_write);
        BIO_meth_set_ctrl(method, bio_control);
    }
    return method;
}

// ---- a stream

tls_stream *tls_stream_create(const tls_files *f)
{
    tls_stream *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    t->ssl = SSL_new(f->context);
    BIO *bio = BIO_new(bio_method());
    ASSERT_MEMORY(t->ssl != NULL && bio != NULL);
    BIO_set_data(bio, t);
    BIO_set_init(bio, 1);
    SSL_set_bio(t->ssl, bio, bio);
    SSL_set_accept_state(t->ssl);
    return t;
}

void tls_stream_free(tls_stream *t)
{
    if (t != NULL) {
        SSL_free(t->ssl);
        free(t->sealed);
        free(t);
    }
}

void tls_take(tls_stream *t, const uint8_t *data, size_t size)
{
    t->in = data;
    t->in_size = size;
}

static tls_result fail(tls_stream *t, const char **why)
{
    unsigned long number = ERR_peek_last_error();
    const char *reason = number != 0 ? ERR_reason_error_string(number) : NULL;
    if (why != NULL) {
        *why = t->full ? "it takes no answers" : reason != NULL ? reason : "it broke the protocol";
    }
    ERR_clear_error();
    t->failed = true;
    t->in_size = 0;
    return TLS_FAILED;
}

tls_result tls_open(tls_stream *t, uint8_t *out, size_t size, size_t *got, const char **why)
{
    *got = 0;
    if (t->failed) {
        return fail(t, why);
    }
    ERR_clear_error();
    if (SSL_read_ex(t->ssl, out, size, got) == 1) {
        return TLS_BYTES;
    }
    switch (SSL_get_error(t->ssl, 0)) {
    case SSL_ERROR_WANT_READ:
        return t->full ? fail(t, why) : TLS_MORE;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_OVER;
    default:
        return fail(t, why);
    }
}

bool tls_ready(const tls_stream *t)
{
    return !t->failed && SSL_is_init_finished(t->ssl) == 1;
}

bool tls_seal(tls_stream *t, const uint8_t *data, size_t size)
{
    size_t put = 0;
    ASSERT(size > 0 && size <= TLS_PIECE_BYTES);
    if (!tls_ready(t) || t->ended) {
        return false;
    }
    ERR_clear_error();
    if (SSL_write_ex(t->ssl, data, size, &put) != 1) {
        ERR_clear_error();
        t->failed = true;
        return false;
    }
    ASSERT(put == size);
    return true;
}

void tls_seal_end(tls_stream *t)
{
    if (tls_ready(t) && !t->ended) {
        ERR_clear_error();
        (void)SSL_shutdown(t->ssl);
        ERR_clear_error();
    }
    t->ended = true;
}

uint8_t *tls_sealed(const tls_stream *t, size_t *size)
{
    *size = t->sealed_size - t->sealed_begin;
    return *size > 0 ? t->sealed + t->sealed_begin : NULL;
}

uint8_t *tls_take_sealed(tls_stream *t, char **begin, size_t *size)
{
    uint8_t *memory = t->sealed;
    *begin = memory != NULL ? (char *)memory + t->sealed_begin : NULL;
    *size = t->sealed_size - t->sealed_begin;
    t->sealed = NULL;
    t->sealed_begin = t->sealed_size = t->sealed_capacity = 0;
    return memory;
}

void tls_drop(tls_stream *t, size_t size)
{
    ASSERT(size <= t->sealed_size - t->sealed_begin);
    t->sealed_begin += size;
    if (t->sealed_begin == t->sealed_size) { // idle connections keep nothing
        free(t->sealed);
        t->sealed = NULL;
        t->sealed_begin = t->sealed_size = t->sealed_capacity = 0;
    }
}
