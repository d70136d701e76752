// The operator's lines about refusals: who was refused what, and why.
//
// Each refusal of a request, a connection, a token, a handshake or a page has a counter
// (metrics.h), and a line here, with session, subject, address and reason; or with address and
// reason, where there is no session: a page, a handshake, a connection that is turned away. A flood
// of refusals is no flood of lines: AUDIT_RATE a second are written, AUDIT_BURST at once, and the
// next line is followed by how many were not. Reasons hold no secrets: they are the texts that the
// peer gets.
//
// Any thread.
#ifndef CAROM_SERVER_BASE_AUDIT_H
#define CAROM_SERVER_BASE_AUDIT_H

#include <stdint.h>

#include "common/base/status.h"

enum { AUDIT_RATE = 10, AUDIT_BURST = 100 }; // lines a second, and at once

#define AUDIT_NO_SESSION      UINT64_C(0)
#define AUDIT_SESSION_UNKNOWN UINT64_MAX // who tells it knows connections alone

// `session`: its number, or one of these. `subject`: of its token, "" without one. `address`: the
// peer's, NULL when it has lost its connection.
void audit_refusal(uint64_t session, const char *subject, const char *address, status why,
                   const char *text);

#endif
