// A byte stream to a server: bytes out, whole messages in. It knows sockets and the scanner, but
// neither requests nor views: its owner asks for the next message (connection_next) and handles it.
//
// Invariants
//  - `fd` is open exactly while the phase is DIALING or UP.
//  - The bytes of `out` from `out_sent` on are still to be written; the bytes of `in` from
//    `in_begin` on belong to messages not handled yet, and the scanner has seen those up to
//    `in_scanned`.
//  - Only connection_wait waits, and nothing calls back.
//
// One thread at a time.
#ifndef CAROM_CLIENT_LIB_CONNECTION_H
#define CAROM_CLIENT_LIB_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/lib/address.h"
#include "client/lib/clock.h"
#include "client/lib/fault.h"
#include "client/lib/tls_link.h"
#include "proto/wire/buffer.h"
#include "proto/wire/scanner.h"

enum {
    WHERE_MAX = 96,      // bytes of "host:port" in an error text
    CONNECTIONS_MAX = 16 // waited for at a time
};

typedef enum connection_phase {
    CONNECTION_DIALING, // a socket is connecting to an address
    CONNECTION_UP,
    CONNECTION_DOWN // `why` and `why_text` have the reason
} connection_phase;

typedef struct connection {
    connection_phase phase;
    int fd;
    tls_trust *trust; // owned; NULL: no TLS
    tls_link *tls;    // while the socket is connected

    // dialing
    char where[WHERE_MAX];
    address_list addresses;
    int address; // index of the address that is being tried
    int64_t dial_deadline_ns, address_deadline_ns;

    // bytes
    buffer out;
    size_t out_sent;
    size_t out_max;    // bytes that may wait
    int write_failure; // errno; bytes that arrived before are still read
    uint8_t *in;
    size_t in_begin, in_scanned, in_end, in_capacity;
    scanner scan;
    uint64_t bytes_in, bytes_out;

    // the end
    bool announced; // the server said beforehand why it would close
    carom_status why;
    char why_text[CAROM_ERROR_TEXT_MAX];
} connection;

typedef struct connection_limits {
    size_t out_bytes_max;     // waiting to be sent
    size_t message_bytes_max; // largest message from the server
} connection_limits;

// DOWN at first.
void connection_init(connection *c, const connection_limits *limits);
void connection_deinit(connection *c); // must be DOWN

// Connects to the first of c->addresses, which the caller has resolved; DOWN when none can be
// tried.
void connection_dial(connection *c, int64_t deadline_ns);
// Takes over a connected socket; DOWN when memory has run out.
void connection_adopt(connection *c, int fd);
// Checks whether the socket is connected, and tries the next address when it failed. True on a
// change of phase.
bool connection_dial_on(connection *c);

// Closes the socket and records the reason. The first reason stays. A reason announced by the
// server takes precedence over the way the socket ended, but not over our own wish (CAROM_OK).
void connection_shut(connection *c, carom_status why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void connection_announce_end(connection *c, carom_status why, const char *text);

// Forgets all bytes, in and out, before the next dial.
void connection_forget(connection *c);

// ---- sending

// Returns the buffer that messages are packed into; if packing fails, the caller truncates it to
// its old size.
buffer *connection_out(connection *c);
size_t connection_unsent(const connection *c); // bytes
// Writes the bytes that the socket accepts. A failure is recorded in write_failure.
void connection_write(connection *c);

// ---- receiving

// Reads available bytes, at most `bytes_max`. Returns their number; 0 when there are none, or the
// connection is DOWN now. Bytes returned by connection_next are no longer valid.
size_t connection_receive(connection *c, size_t bytes_max);

// The next complete message that has arrived; false if there is none. A message that the scanner
// refuses shuts the connection. The bytes are valid until the next connection_receive.
bool connection_next(connection *c, const uint8_t **bytes, size_t *size);

// ---- waiting

bool connection_wants_write(const connection *c);
// Whether received bytes wait that poll() does not report.
bool connection_has_input(const connection *c);
// Sets `out` to the events that poll() awaits; returns the earlier of `deadline_ns` and the
// connection's own deadline, and 0 if received bytes wait.
struct pollfd;
int64_t connection_poll(const connection *c, struct pollfd *out, int64_t deadline_ns);
// Waits for one of the sockets or the deadline, whichever is sooner; without a socket, for the
// deadline.
void connection_wait(const struct pollfd *sockets, uint32_t count, int64_t deadline_ns);

#endif
