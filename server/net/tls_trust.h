// The authorities that this server trusts where it dials other servers over TLS 1.3. Network thread
// only.
#ifndef CAROM_SERVER_NET_TLS_TRUST_H
#define CAROM_SERVER_NET_TLS_TRUST_H

#include "common/base/status.h"
#include "server/net/tls_pipe.h"

typedef struct tls_trust tls_trust;

// `file`: authorities in PEM; NULL: those of the system. Errors: STATUS_INVALID_ARGUMENT names the
// file.
status tls_trust_open(const char *file, tls_trust **out, error *err);
void tls_trust_free(tls_trust *t); // NULL is allowed

// A stream to the server of that name or numeric address, whose certificate must have it.
tls_pipe *tls_trust_dial(const tls_trust *t, const char *host);

#endif
