// The TLS of a link between servers (peer.h): streams with a shared key. Private to
// peer.c and tests. Loop thread only.
#ifndef CAROM_SERVER_FLEET_PEER_TLS_H
#define CAROM_SERVER_FLEET_PEER_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/net/tls_pipe.h"

typedef struct peer_key peer_key; // a secret, for many streams

peer_key *peer_key_create(const uint8_t *secret, size_t size);
void peer_key_free(peer_key *k); // NULL is allowed

// `k` must outlive it.
tls_pipe *peer_stream_create(peer_key *k, bool dialled);
// Continues the handshake. False: the other side does not have the secret, or broke the protocol.
bool peer_stream_shake(tls_pipe *t);

#endif
