// The life of a socket and the bytes of its two directions; connection.h has the invariants.
#include "client/lib/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/status.h"

enum {
    READ_BYTES_MIN = 64 << 10,      // least space for a read
    INPUT_KEPT_BYTES = 1 << 20,     // memory kept after a larger message
    TLS_RECORD_BYTES = 16 << 10,    // plain bytes, at most
    OUTPUT_COMPACT_BYTES = 64 << 10 // sent bytes at the front from which on moving the rest is
                                    // worth it
};

void connection_init(connection *c, const connection_limits *limits)
{
    *c = (connection){.phase = CONNECTION_DOWN, .fd = -1, .out_max = limits->out_bytes_max};
    buffer_init(&c->out, limits->out_bytes_max);
    scanner_limits scan = scanner_limits_reply();
    scan.bytes_max = (uint32_t)limits->message_bytes_max;
    scanner_init(&c->scan, &scan);
}

void connection_deinit(connection *c)
{
    ASSERT(c->phase == CONNECTION_DOWN && c->fd < 0);
    buffer_deinit(&c->out);
    free(c->in);
    c->in = NULL;
    tls_trust_free(c->trust);
    c->trust = NULL;
}

void connection_forget(connection *c)
{
    ASSERT(c->phase == CONNECTION_DOWN);
    buffer_clear(&c->out);
    c->out_sent = 0;
    c->in_begin = c->in_scanned = c->in_end = 0;
    c->write_failure = 0;
    c->announced = false;
    c->why = CAROM_OK;
    c->why_text[0] = '\0';
    scanner_reset(&c->scan);
}

// ---- the end

static void close_socket(connection *c)
{
    tls_link_free(c->tls);
    c->tls = NULL;
    if (c->fd >= 0) {
        close(c->fd);
        c->fd = -1;
    }
}

void connection_shut(connection *c, carom_status why, const char *format, ...)
{
    if (c->phase == CONNECTION_DOWN) {
        return;
    }
    if (!c->announced || why == CAROM_OK) {
        char text[2 * ERROR_TEXT_MAX];
        struct error cut;
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        error_set(&cut, STATUS_UNAVAILABLE, "%s", text);
        memcpy(c->why_text, cut.text, sizeof c->why_text);
        c->why = why;
    }
    c->phase = CONNECTION_DOWN;
    close_socket(c);
}

void connection_announce_end(connection *c, carom_status why, const char *text)
{
    carom_error cut;
    fault_set(&cut, why, "%s", text);
    c->announced = true;
    c->why = why;
    memcpy(c->why_text, cut.text, sizeof c->why_text);
}

// ---- dialing

// Tries the addresses from c->address on until one begins to connect.
static void try_addresses(connection *c, int failure)
{
    for (; c->address < c->addresses.count; c->address++) {
        c->fd = address_connect(&c->addresses, c->address);
        if (c->fd >= 0) {
            int64_t now = monotonic_ns();
            int left = c->addresses.count - c->address;
            c->address_deadline_ns = now + (c->dial_deadline_ns - now) / left;
            return;
        }
        failure = errno;
    }
    connection_shut(c, failure == ENOMEM ? CAROM_OUT_OF_MEMORY : CAROM_UNAVAILABLE,
                    "cannot connect to %s: %s", c->where, strerror(failure));
}

void connection_dial(connection *c, int64_t deadline_ns)
{
    ASSERT(c->phase == CONNECTION_DOWN && c->fd < 0);
    c->phase = CONNECTION_DIALING;
    c->address = 0;
    c->dial_deadline_ns = deadline_ns;
    try_addresses(c, EADDRNOTAVAIL);
}

// Called when the socket is connected: begins the TLS handshake, if there is one, before any bytes.
static void begin_bytes(connection *c)
{
    c->phase = CONNECTION_UP;
    c->tls = c->trust != NULL ? tls_link_create(c->trust, c->fd) : NULL;
    if (c->trust != NULL && c->tls == NULL) {
        connection_shut(c, CAROM_OUT_OF_MEMORY, "memory has run out for TLS");
    }
}

void connection_adopt(connection *c, int fd)
{
    ASSERT(c->phase == CONNECTION_DOWN && c->fd < 0);
    c->fd = fd;
    begin_bytes(c);
}

bool connection_dial_on(connection *c)
{
    if (c->phase != CONNECTION_DIALING) {
        return false;
    }
    int failure = address_connected(c->fd);
    if (failure == 0) {
        begin_bytes(c);
        return true;
    }
    if (failure == EINPROGRESS) {
        if (monotonic_ns() < c->address_deadline_ns) {
            return false;
        }
        failure = ETIMEDOUT;
    }
    close_socket(c);
    c->address++;
    try_addresses(c, failure);
    return c->phase == CONNECTION_DOWN;
}

// ---- sending

buffer *connection_out(connection *c)
{
    c->out.size_max = c->out_sent + c->out_max;
    return &c->out;
}

size_t connection_unsent(const connection *c)
{
    return c->out.size - c->out_sent;
}

// Drops the sent bytes, when they are all of the buffer or enough to be worth the move.
static void compact_output(connection *c)
{
    size_t left = connection_unsent(c);
    if (left > 0 && (c->out_sent < OUTPUT_COMPACT_BYTES || c->out_sent < left)) {
        return;
    }
    memmove(c->out.data, c->out.data + c->out_sent, left);
    buffer_truncate(&c->out, left);
    c->out_sent = 0;
}

// The TLS stream ended although this side did not ask for it.
static void shut_broken(connection *c)
{
    const char *text = "";
    carom_status why = tls_link_failure(c->tls, &text);
    char copy[CAROM_ERROR_TEXT_MAX];
    snprintf(copy, sizeof copy, "%s", text);
    connection_shut(c, why, "%s", copy);
}

static void write_sealed(connection *c)
{
    tls_step step = tls_link_shake(c->tls);
    while (step == TLS_STEP_DONE && c->out_sent < c->out.size) {
        size_t n = 0;
        step = tls_link_send(c->tls, c->out.data + c->out_sent, c->out.size - c->out_sent, &n);
        c->out_sent += n;
        c->bytes_out += n;
    }
    if (step == TLS_STEP_BROKEN) {
        shut_broken(c);
    } else if (step == TLS_STEP_OVER) {
        c->write_failure = EPIPE;
    }
}

static void write_plain(connection *c)
{
    while (c->out_sent < c->out.size) {
        ssize_t n = send(c->fd, c->out.data + c->out_sent, c->out.size - c->out_sent, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                c->write_failure = errno;
            }
            break;
        }
        c->out_sent += (size_t)n;
        c->bytes_out += (uint64_t)n;
    }
}

void connection_write(connection *c)
{
    if (c->phase != CONNECTION_UP || c->write_failure != 0) {
        return;
    }
    if (c->tls != NULL) {
        write_sealed(c);
    } else {
        write_plain(c);
    }
    if (c->out_sent > 0) {
        compact_output(c);
    }
}

// ---- receiving

// Makes space behind in_end. The buffer keeps one message at most, whose size the scanner limits.
// False when memory has run out.
static bool reserve_input(connection *c)
{
    if (c->in_begin == c->in_end) {
        c->in_begin = c->in_scanned = c->in_end = 0;
        if (c->in_capacity > INPUT_KEPT_BYTES) {
            free(c->in);
            c->in = NULL;
            c->in_capacity = 0;
        }
    }
    if (c->in_capacity - c->in_end >= READ_BYTES_MIN) {
        return true;
    }
    if (c->in_begin > 0) {
        memmove(c->in, c->in + c->in_begin, c->in_end - c->in_begin);
        c->in_end -= c->in_begin;
        c->in_scanned -= c->in_begin;
        c->in_begin = 0;
    }
    if (c->in_capacity - c->in_end < READ_BYTES_MIN) {
        size_t wanted = c->in_capacity * 2;
        wanted = wanted < 2 * READ_BYTES_MIN ? 2 * READ_BYTES_MIN : wanted;
        uint8_t *grown = realloc(c->in, wanted);
        if (grown == NULL) {
            return false;
        }
        c->in = grown;
        c->in_capacity = wanted;
    }
    return true;
}

// Reads the rest of a record of which a part was read: poll() would not report the rest.
static size_t receive_sealed(connection *c, size_t bytes_max)
{
    size_t all = 0;
    do {
        size_t n = 0;
        size_t room = c->in_capacity - c->in_end;
        switch (tls_link_receive(c->tls, c->in + c->in_end, room, &n)) {
        case TLS_STEP_DONE:
            c->in_end += n;
            c->bytes_in += n;
            all += n;
            break;
        case TLS_STEP_LATER:
            return all;
        case TLS_STEP_OVER:
            if (all == 0) {
                connection_shut(c, CAROM_UNAVAILABLE, "the server closed the connection");
            }
            return all;
        case TLS_STEP_BROKEN:
            shut_broken(c);
            return 0;
        }
    } while ((all < bytes_max || tls_link_has_input(c->tls)) &&
             c->in_capacity - c->in_end >= TLS_RECORD_BYTES);
    return all < bytes_max ? all : bytes_max;
}

size_t connection_receive(connection *c, size_t bytes_max)
{
    if (c->phase != CONNECTION_UP) {
        return 0;
    }
    if (!reserve_input(c)) {
        connection_shut(c, CAROM_OUT_OF_MEMORY, "memory has run out for a message of the server");
        return 0;
    }
    if (c->tls != NULL) {
        return receive_sealed(c, bytes_max);
    }
    size_t room = c->in_capacity - c->in_end;
    ssize_t n;
    do {
        n = recv(c->fd, c->in + c->in_end, room < bytes_max ? room : bytes_max, 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        c->in_end += (size_t)n;
        c->bytes_in += (uint64_t)n;
        return (size_t)n;
    }
    if (n == 0) {
        connection_shut(c, CAROM_UNAVAILABLE, "the server closed the connection");
    } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        connection_shut(c, CAROM_UNAVAILABLE, "connection lost: %s", strerror(errno));
    }
    return 0;
}

bool connection_next(connection *c, const uint8_t **bytes, size_t *size)
{
    if (c->phase == CONNECTION_DOWN || c->in_scanned >= c->in_end) {
        return false;
    }
    size_t used = 0;
    struct error refused;
    scan_verdict verdict =
        scanner_feed(&c->scan, c->in + c->in_scanned, c->in_end - c->in_scanned, &used, &refused);
    c->in_scanned += used;
    if (verdict == SCAN_MORE) {
        return false;
    }
    if (verdict == SCAN_REFUSED) {
        bool limit = refused.status == STATUS_LIMIT_EXCEEDED;
        connection_shut(c, limit ? CAROM_LIMIT_EXCEEDED : CAROM_INTERNAL,
                        "cannot accept a message of the server: %s", refused.text);
        return false;
    }
    *bytes = c->in + c->in_begin;
    *size = c->in_scanned - c->in_begin;
    c->in_begin = c->in_scanned;
    return true;
}

// ---- waiting

bool connection_wants_write(const connection *c)
{
    if (c->phase == CONNECTION_UP && c->tls != NULL && !tls_link_is_up(c->tls)) {
        // Until the handshake is done, only its bytes are written
        return tls_link_wants_write(c->tls);
    }
    return c->phase == CONNECTION_DIALING ||
           (c->phase == CONNECTION_UP && connection_unsent(c) > 0);
}

bool connection_has_input(const connection *c)
{
    return c->phase == CONNECTION_UP && c->tls != NULL && tls_link_has_input(c->tls);
}

int64_t connection_poll(const connection *c, struct pollfd *out, int64_t deadline_ns)
{
    const bool dialing = c->phase == CONNECTION_DIALING;
    *out = (struct pollfd){.fd = c->fd, .events = dialing ? POLLOUT : POLLIN};
    if (!dialing && connection_wants_write(c)) {
        out->events = POLLIN | POLLOUT;
    }
    if (connection_has_input(c)) {
        return 0;
    }
    return dialing ? earlier_of(deadline_ns, c->address_deadline_ns) : deadline_ns;
}

void connection_wait(const struct pollfd *sockets, uint32_t count, int64_t deadline_ns)
{
    struct timespec wait = {0};
    bool endless = deadline_ns == INT64_MAX;
    ASSERT(!endless || (count > 0 && sockets[0].fd >= 0)); // something can end the wait
    if (!endless) {
        int64_t left = deadline_ns - monotonic_ns();
        left = left < 0 ? 0 : left;
        wait.tv_sec = (time_t)(left / 1000000000);
        wait.tv_nsec = (long)(left % 1000000000);
    }
    struct pollfd copies[CONNECTIONS_MAX];
    ASSERT(count <= CONNECTIONS_MAX);
    memcpy(copies, sockets, count * sizeof *sockets);
    ppoll(copies, count, endless ? NULL : &wait, NULL);
}
