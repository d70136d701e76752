// See tls_link.h. One thread at a time.
#include "client/lib/tls_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/assert.h"

// ---- trust

struct tls_trust {
    SSL_CTX *context;
    char *name; // NULL: any
    bool numeric;
};

static const char *openssl_reason(void)
{
    unsigned long number = ERR_peek_last_error();
    const char *reason = number != 0 ? ERR_reason_error_string(number) : NULL;
    return reason != NULL ? reason : "no reason given";
}

static carom_status trust_files(SSL_CTX *context, const char *file, carom_error *err)
{
    if (file == NULL) {
        (void)SSL_CTX_set_default_verify_paths(context); // without them nothing is trusted
        return CAROM_OK;
    }
    if (SSL_CTX_load_verify_file(context, file) == 1) {
        return CAROM_OK;
    }
    if (access(file, R_OK) != 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "tls.ca_file: cannot read '%.200s': %s", file,
                         strerror(errno));
    }
    return fault_set(err, CAROM_INVALID_ARGUMENT,
                     "tls.ca_file: '%.200s' holds no certificates in PEM (%s)", file,
                     openssl_reason());
}

static bool is_numeric(const char *name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

carom_status tls_trust_create(const carom_tls *options, const char *host, tls_trust **out,
                              carom_error *err)
{
    const char *name = options->name != NULL ? options->name : host;
    if (name == NULL && !options->unverified) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "tls.name: over a socket of somebody else's the server's name has to be "
                         "given");
    }
    tls_trust *t = calloc(1, sizeof *t);
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    char *copy = name != NULL ? strdup(name) : NULL;
    if (t == NULL || context == NULL || (name != NULL && copy == NULL)) {
        free(t);
        SSL_CTX_free(context);
        free(copy);
        return fault_memory(err);
    }
    *t = (tls_trust){context, copy, name != NULL && is_numeric(name)};
    (void)SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(context, options->unverified ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    carom_status s = options->unverified ? CAROM_OK : trust_files(context, options->ca_file, err);
    ERR_clear_error();
    if (s != CAROM_OK) {
        tls_trust_free(t);
        return s;
    }
    *out = t;
    return CAROM_OK;
}

void tls_trust_free(tls_trust *t)
{
    if (t != NULL) {
        SSL_CTX_free(t->context);
        free(t->name);
        free(t);
    }
}

// ---- the socket

static int link_fd(BIO *bio)
{
    return (int)(intptr_t)BIO_get_data(bio);
}

static int socket_read(BIO *bio, char *out, int size)
{
    ssize_t n;
    BIO_clear_retry_flags(bio);
    do {
        n = recv(link_fd(bio), out, (size_t)size, 0);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        BIO_set_retry_read(bio);
    }
    return (int)n;
}

static int socket_write(BIO *bio, const char *data, int size)
{
    ssize_t n;
    BIO_clear_retry_flags(bio);
    do {
        n = send(link_fd(bio), data, (size_t)size, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        BIO_set_retry_write(bio);
    }
    return (int)n;
}

static long socket_control(BIO *bio, int command, long number, void *argument)
{
    (void)bio, (void)number, (void)argument;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Makes a method table for each link: no state is shared between threads.
static BIO_METHOD *make_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | 100, "carom");
    if (method != NULL) {
        BIO_meth_set_read(method, socket_read);
        BIO_meth_set_write(method, socket_write);
        BIO_meth_set_ctrl(method, socket_control);
    }
    return method;
}

// ---- a stream

struct tls_link {
    SSL *ssl;
    BIO_METHOD *method;
    bool wants_write;
    bool broken;
    carom_status why;
    char text[CAROM_ERROR_TEXT_MAX];
};

static bool prepare(tls_link *l, const tls_trust *t, int fd)
{
    BIO *bio = BIO_new(l->method);
    if (bio == NULL) {
        return false;
    }
    BIO_set_data(bio, (void *)(intptr_t)fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(l->ssl, bio, bio);
    SSL_set_connect_state(l->ssl);
    if (t->name == NULL) {
        return true;
    }
    if (t->numeric) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(l->ssl), t->name) == 1;
    }
    return SSL_set1_host(l->ssl, t->name) == 1 && SSL_set_tlsext_host_name(l->ssl, t->name) == 1;
}

tls_link *tls_link_create(const tls_trust *t, int fd)
{
    tls_link *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return NULL;
    }
    l->ssl = SSL_new(t->context);
    l->method = make_method();
    if (l->ssl == NULL || l->method == NULL || !prepare(l, t, fd)) {
        l->broken = true;
        tls_link_free(l);
        return NULL;
    }
    return l;
}

void tls_link_free(tls_link *l)
{
    if (l == NULL) {
        return;
    }
    ERR_clear_error();
    if (!l->broken && tls_link_is_up(l)) {
        (void)SSL_shutdown(l->ssl);
    }
    SSL_free(l->ssl);
    BIO_meth_free(l->method);
    ERR_clear_error();
    free(l);
}

// Records why the handshake failed: a rejected certificate takes precedence over other reasons.
static void note_failure(tls_link *l, int number)
{
    long verdict = SSL_get_verify_result(l->ssl);
    bool unverified = (SSL_get_verify_mode(l->ssl) & SSL_VERIFY_PEER) == 0;
    if (!tls_link_is_up(l) && !unverified && verdict != X509_V_OK) {
        l->why = CAROM_UNAUTHENTICATED;
        snprintf(l->text, sizeof l->text, "the server's certificate is not accepted: %s",
                 X509_verify_cert_error_string(verdict));
    } else if (number != 0) {
        l->why = CAROM_UNAVAILABLE;
        snprintf(l->text, sizeof l->text, "connection lost: %s", strerror(number));
    } else {
        l->why = CAROM_UNAVAILABLE;
        bool first = !tls_link_is_up(l);
        snprintf(l->text, sizeof l->text, "%s: %s",
                 first ? "no TLS 1.3 with this server" : "the server has broken TLS",
                 openssl_reason());
    }
}

static tls_step outcome(tls_link *l, int number)
{
    switch (SSL_get_error(l->ssl, 0)) {
    case SSL_ERROR_WANT_READ:
        l->wants_write = false;
        return TLS_STEP_LATER;
    case SSL_ERROR_WANT_WRITE:
        l->wants_write = true;
        return TLS_STEP_LATER;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_STEP_OVER;
    case SSL_ERROR_SYSCALL:
        if (number == 0 && ERR_peek_error() == 0 && tls_link_is_up(l)) {
            return TLS_STEP_OVER;
        }
        break;
    default:
        if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING &&
            tls_link_is_up(l)) {
            return TLS_STEP_OVER; // messages show by themselves where they end
        }
        number = 0;
        break;
    }
    note_failure(l, number);
    l->broken = true;
    return TLS_STEP_BROKEN;
}

static void begin(void)
{
    ERR_clear_error();
    errno = 0;
}

tls_step tls_link_shake(tls_link *l)
{
    if (l->broken) {
        return TLS_STEP_BROKEN;
    }
    begin();
    if (tls_link_is_up(l) || SSL_do_handshake(l->ssl) == 1) {
        return TLS_STEP_DONE;
    }
    return outcome(l, errno);
}

tls_step tls_link_send(tls_link *l, const void *data, size_t size, size_t *done)
{
    tls_step step = tls_link_shake(l);
    *done = 0;
    if (step != TLS_STEP_DONE) {
        return step;
    }
    begin();
    return SSL_write_ex(l->ssl, data, size, done) == 1 ? TLS_STEP_DONE : outcome(l, errno);
}

tls_step tls_link_receive(tls_link *l, void *data, size_t size, size_t *done)
{
    tls_step step = tls_link_shake(l);
    *done = 0;
    if (step != TLS_STEP_DONE) {
        return step;
    }
    begin();
    return SSL_read_ex(l->ssl, data, size, done) == 1 ? TLS_STEP_DONE : outcome(l, errno);
}

bool tls_link_is_up(const tls_link *l)
{
    return SSL_is_init_finished(l->ssl) == 1;
}

bool tls_link_wants_write(const tls_link *l)
{
    return l->wants_write;
}

bool tls_link_has_input(const tls_link *l)
{
    return SSL_pending(l->ssl) > 0;
}

carom_status tls_link_failure(const tls_link *l, const char **text)
{
    *text = l->text;
    return l->why;
}
