// TLS over memory: bytes of a socket on one side, plain bytes on the other, for links whose sockets
// belong to libuv. The caller makes the SSL, and settles its trust. One thread at a time.
#ifndef CAROM_SERVER_NET_TLS_PIPE_H
#define CAROM_SERVER_NET_TLS_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/ssl.h>

typedef struct tls_pipe tls_pipe;

// Takes over `ssl`, which has no BIOs yet. `dialled`: as the client.
tls_pipe *tls_pipe_create(SSL *ssl, bool dialled);
void tls_pipe_free(tls_pipe *t); // NULL is allowed
const SSL *tls_pipe_ssl(const tls_pipe *t);

// Takes bytes of the socket.
void tls_pipe_take(tls_pipe *t, const void *bytes, size_t size);
// Continues the handshake. False: it has failed.
bool tls_pipe_shake(tls_pipe *t);
bool tls_pipe_ready(const tls_pipe *t);
// Why the handshake or the stream failed; a static text.
const char *tls_pipe_failure(const tls_pipe *t);
// Plain bytes that have arrived; 0: no more for now; -1: the stream has failed or ended.
int tls_pipe_read(tls_pipe *t, void *out, int size);
bool tls_pipe_write(tls_pipe *t, const void *bytes, size_t size);
// Sealed bytes for the socket, to be freed; NULL: none.
uint8_t *tls_pipe_sealed(tls_pipe *t, size_t *size);

#endif
