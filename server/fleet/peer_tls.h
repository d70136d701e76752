// The TLS of a link between servers (peer.h): a stream over memory, with a shared key. Private to
// peer.c and tests. Loop thread only.
#ifndef CAROM_SERVER_FLEET_PEER_TLS_H
#define CAROM_SERVER_FLEET_PEER_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct peer_key peer_key; // a secret, for many streams
typedef struct peer_stream peer_stream;

peer_key *peer_key_create(const uint8_t *secret, size_t size);
void peer_key_free(peer_key *k); // NULL is allowed

// `k` must outlive it.
peer_stream *peer_stream_create(peer_key *k, bool dialled);
void peer_stream_free(peer_stream *t); // NULL is allowed

// Bytes of the socket.
void peer_stream_take(peer_stream *t, const void *bytes, size_t size);
// Continues the handshake. False: the other side does not have the secret, or broke the protocol.
bool peer_stream_shake(peer_stream *t);
bool peer_stream_ready(const peer_stream *t);
// Plain bytes that have come; 0: no more for now; -1: the stream has failed or ended.
int peer_stream_read(peer_stream *t, void *out, int size);
bool peer_stream_write(peer_stream *t, const void *bytes, size_t size);
// Sealed bytes for the socket, to be freed; NULL: none.
uint8_t *peer_stream_sealed(peer_stream *t, size_t *size);

#endif
