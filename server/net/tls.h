// TLS 1.3 between a socket's bytes and a connection's: certificates, and one stream for each
// connection. OpenSSL does the cryptography and knows no socket; connection.c moves the bytes.
//
// Only TLS 1.3, without early data, compression or renegotiation. The server issues no session
// tickets: a client that comes back resumes its session by the protocol's own secret, so a ticket
// would save it two milliseconds, and would keep a certificate in use that has been replaced.
//
// A peer can make the server keep no more than one incomplete record (16 KiB), the records being
// sent (TLS_SEALED_BYTES_MAX), and OpenSSL's state of a connection. The deadline for the first
// message (limits.first_message_ms, limits.http_ms) bounds the handshake too.
//
// Network thread only, except tls_files_open.
#ifndef CAROM_SERVER_NET_TLS_H
#define CAROM_SERVER_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

// ---- the certificate

// A certificate with its chain, and its key. Streams keep the certificate that they began with.
typedef struct tls_files tls_files;

// Reads both PEM files. The paths are copied. Errors: STATUS_UNAVAILABLE for a file that cannot be
// read, STATUS_INVALID_ARGUMENT for one without a certificate or key, or for a key that is not the
// certificate's; each names the file.
status tls_files_open(const char *certificate, const char *key, tls_files **out, error *err);

// Reads the files again. On an error the old certificate and key stay.
status tls_files_reload(tls_files *f, error *err);

// The time at which the certificate expires [s since 1970].
int64_t tls_files_expiry(const tls_files *f);

void tls_files_close(tls_files *f); // NULL is allowed

// ---- a stream

enum {
    TLS_PIECE_BYTES = 16 * 1024, // plain bytes in a record; the protocol's own maximum

    // Sealed bytes of a stream that wait for its socket: a flight of a handshake (a chain of
    // certificates), or a few records. A peer that provokes answers and reads none is ended there.
    TLS_SEALED_BYTES_MAX = 96 * 1024
};

typedef struct tls_stream tls_stream;

tls_stream *tls_stream_create(const tls_files *f);
void tls_stream_free(tls_stream *t); // NULL is allowed

typedef enum tls_result {
    TLS_BYTES, // some plain bytes were decrypted
    TLS_MORE,  // all input was used: nothing more comes without further input
    TLS_OVER,  // the peer  has ended its direction cleanly
    TLS_FAILED // the peer has broken the protocol; an alert may wait to be sent
} tls_result;

// Hands over bytes from the socket; they must stay until tls_open() has returned TLS_MORE, TLS_OVER
// or TLS_FAILED.
void tls_take(tls_stream *t, const uint8_t *data, size_t size);
// Decrypts the current input: continues the handshake, and writes plain bytes into `out`. To be
// called again while it returns TLS_BYTES. `why` (may be NULL) is set to a static text for
// TLS_FAILED.
tls_result tls_open(tls_stream *t, uint8_t *out, size_t size, size_t *got, const char **why);

// Whether the handshake is done, so that plain bytes can be sealed.
bool tls_ready(const tls_stream *t);

// Seals plain bytes, at most TLS_PIECE_BYTES, into a record behind those that wait. False when the
// stream has failed, or the handshake is not done.
bool tls_seal(tls_stream *t, const uint8_t *data, size_t size);
// Seals the end of this direction, once.
void tls_seal_end(tls_stream *t);

// The sealed bytes that wait for the socket, not to be written to; they stay where they are until
// the next call that seals, opens or drops.
uint8_t *tls_sealed(const tls_stream *t, size_t *size);
// Call when the first `size` sealed bytes were sent.
void tls_drop(tls_stream *t, size_t size);
// Passes the sealed bytes to the caller: returns memory that the caller frees, in which they begin
// at *begin.
uint8_t *tls_take_sealed(tls_stream *t, char **begin, size_t *size);

#endif
