// Log lines about refusals: who was refused what, and why.
//
// Each refusal of a request, a connection, a token, a handshake or a page has a counter
// (metrics.h), and a line here, with session, subject, address and reason; or with address and
// reason if there is no session: a page, a handshake, a refused connection. Lines are bounded:
// AUDIT_RATE a second, AUDIT_BURST at once; the next line adds how many were left out. Reasons
// contain no secrets: the peer gets the same texts.
//
// Any thread.
#ifndef CAROM_SERVER_BASE_AUDIT_H
#define CAROM_SERVER_BASE_AUDIT_H

#include <stdint.h>

#include "common/base/status.h"

enum { AUDIT_RATE = 10, AUDIT_BURST = 100 }; // lines a second; lines at once

#define AUDIT_NO_SESSION      UINT64_C(0)
#define AUDIT_SESSION_UNKNOWN UINT64_MAX // the caller knows only the connection

// `session` is its number, or one of these. `subject` is that of its token, "" without one.
// `address` is the peer's, NULL if it lost its connection.
void audit_refusal(uint64_t session, const char *subject, const char *address, status why,
                   const char *text);

// A notification did not work, which its sender is not told. The line is of level debug, and counts
// towards the same bound.
void audit_notification(uint64_t session, status why, const char *text);

#endif
