// TLS 1.3 over a client's socket: the trusted certificates, and the stream of one connection.
// OpenSSL does the cryptography; this file reads and writes the socket itself, since a broken one
// must not raise SIGPIPE.
//
// Nothing waits: a step that cannot continue now returns TLS_STEP_LATER. One thread at a time.
#ifndef CAROM_CLIENT_LIB_TLS_LINK_H
#define CAROM_CLIENT_LIB_TLS_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include <carom/client.h>

#include "client/lib/fault.h"

// ---- trust

// The trusted issuers of certificates, and the name that a certificate must have.
typedef struct tls_trust tls_trust;

// `host` (may be NULL) is the certificate's name unless the options give another. Texts are copied.
// Errors: CAROM_INVALID_ARGUMENT for a file of certificates that cannot be read, or without any
// name to look for; CAROM_OUT_OF_MEMORY.
carom_status tls_trust_create(const carom_tls *options, const char *host, tls_trust **out,
                              carom_error *err);
void tls_trust_free(tls_trust *t); // NULL is allowed

// ---- a stream

typedef struct tls_link tls_link;

// Begins TLS on a connected socket, which the caller still owns. NULL: memory has run out.
tls_link *tls_link_create(const tls_trust *t, int fd);
// Sends the end of the stream to the server, if the socket accepts it. NULL is allowed.
void tls_link_free(tls_link *l);

typedef enum tls_step {
    TLS_STEP_DONE,  // *done bytes were moved
    TLS_STEP_LATER, // the socket accepts no more, or has no more input
    TLS_STEP_OVER,  // the server has ended its direction, or the socket has ended
    TLS_STEP_BROKEN // tls_link_failure() says why
} tls_step;

// Each function continues the handshake first. `*done`: number of bytes, at least 1 with
// TLS_STEP_DONE.
tls_step tls_link_send(tls_link *l, const void *data, size_t size, size_t *done);
tls_step tls_link_receive(tls_link *l, void *data, size_t size, size_t *done);
tls_step tls_link_shake(tls_link *l); // performs only the handshake; DONE when it is complete

bool tls_link_is_up(const tls_link *l);       // the handshake is done
bool tls_link_wants_write(const tls_link *l); // the link waits for space in the socket to write
bool tls_link_has_input(const tls_link *l);   // decrypted bytes wait, which poll() does not report
carom_status tls_link_failure(const tls_link *l, const char **text);

#endif
