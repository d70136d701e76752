// Log lines that clients cause at any rate: who was refused what, and why; which worlds begin and
// end. Writing a line takes the network thread some microseconds, and room on a disk.
//
// Each refusal of a request, a connection, a token, a handshake or a page has a counter
// (metrics.h), and a line here, with session, subject, address and reason; or with address and
// reason if there is no session: a page, a handshake, a refused connection. Lines are bounded:
// AUDIT_RATE a second, AUDIT_BURST at once, for refusals and for events each; the next line adds
// how many were left out. Reasons contain no secrets: the peer gets the same texts.
//
// Any thread.
#ifndef CAROM_SERVER_BASE_AUDIT_H
#define CAROM_SERVER_BASE_AUDIT_H

#include <stdint.h>

#include "common/base/status.h"

enum {
    AUDIT_RATE = 10,   // lines a second
    AUDIT_BURST = 100, // lines at once
    AUDIT_EVENT_MAX = 256
};

#define AUDIT_NO_SESSION UINT64_C(0)

// `session` is its number, or AUDIT_NO_SESSION. `subject` is that of its token, "" without one.
// `address` is the peer's, NULL if it lost its connection.
void audit_refusal(uint64_t session, const char *subject, const char *address, status why,
                   const char *text);

// Reports a notification that failed, since its sender gets no answer. The line is of level debug,
// and counts towards the same bound.
void audit_notification(uint64_t session, status why, const char *text);

// A world begins, moves or ends. A longer text is cut at AUDIT_EVENT_MAX.
__attribute__((format(printf, 1, 2))) void audit_event(const char *format, ...);

#endif
