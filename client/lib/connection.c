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

enum {
    READ_BYTES_MIN = 64 << 10,      // room that a read is given at least
    INPUT_KEPT_BYTES = 1 << 20,     // memory that is kept after a larger message
    OUTPUT_COMPACT_BYTES = 64 << 10 // sent bytes at the front that are worth moving the rest for
};

static const int64_t NS_PER_MS = 1000000;

int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t deadline_after_ms(int timeout_ms)
{
    return timeout_ms < 0 ? INT64_MAX : monotonic_ns() + timeout_ms * NS_PER_MS;
}

// ---- the end

carom_status connection_fault(const carom_client *c, carom_error *err)
{
    if (c->close_code == CAROM_OK) {
        return fault_set(err, CAROM_UNAVAILABLE, "the connection is closed");
    }
    return fault_set(err, c->close_code, "%s", c->close_text);
}

void connection_close(carom_client *c, carom_status code, const char *format, ...)
{
    if (c->state == CAROM_CLOSED) {
        return;
    }
    char text[CAROM_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    // What the server said beforehand explains more than how the socket ended, but not more than
    // that we wanted it so.
    if (!c->told || code == CAROM_OK) {
        c->close_code = code;
        memcpy(c->close_text, text, sizeof c->close_text);
    }
    c->state = CAROM_CLOSED;
    if (c->fd >= 0) {
        close(c->fd);
        c->fd = -1;
    }
    watch_end_all(c);
    carom_error why = {0};
    fault_set(&why, CAROM_UNAVAILABLE, "connection closed%s%s",
              c->close_text[0] == '\0' ? "" : ": ", c->close_text);
    requests_fail_all(c, &why);
    if (c->handlers.closed != NULL) {
        c->in_callback++;
        c->handlers.closed(c, c->close_code, c->close_text, c->handlers.user);
        c->in_callback--;
    }
}

// ---- connecting

// Tries addresses from c->address on until one is on its way.
static void try_addresses(carom_client *c, int failure)
{
    for (; c->address < c->addresses.count; c->address++) {
        c->fd = address_connect(&c->addresses, c->address);
        if (c->fd >= 0) {
            int64_t now = monotonic_ns();
            int left = c->addresses.count - c->address;
            c->address_deadline_ns = now + (c->connect_deadline_ns - now) / left;
            return;
        }
        failure = errno;
    }
    connection_close(c, CAROM_UNAVAILABLE, "cannot connect to %s: %s", c->where, strerror(failure));
}

void connection_begin(carom_client *c)
{
    c->address = 0;
    try_addresses(c, EADDRNOTAVAIL);
}

void connection_opened(carom_client *c)
{
    c->state = CAROM_OPEN;
}

// True once the socket is connected, or the attempts are over and the connection is closed.
static bool advance_connecting(carom_client *c)
{
    int failure = address_connected(c->fd);
    if (failure == 0) {
        c->connected = true;
        if (c->hello_request == 0) {
            connection_opened(c);
        }
        return true;
    }
    if (failure == EINPROGRESS) {
        if (monotonic_ns() < c->address_deadline_ns) {
            return false;
        }
        failure = ETIMEDOUT;
    }
    close(c->fd);
    c->fd = -1;
    c->address++;
    try_addresses(c, failure);
    return c->state == CAROM_CLOSED;
}

// ---- out

// Forgets what was sent, when that is all of it or enough to be worth the move.
static void compact_output(carom_client *c)
{
    size_t left = c->out.size - c->out_sent;
    if (left > 0 && (c->out_sent < OUTPUT_COMPACT_BYTES || c->out_sent < left)) {
        return;
    }
    memmove(c->out.data, c->out.data + c->out_sent, left);
    buffer_truncate(&c->out, left);
    c->out_sent = 0;
}

void connection_write(carom_client *c)
{
    if (!c->connected || c->state == CAROM_CLOSED || c->write_failure != 0) {
        return;
    }
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
        c->traffic.bytes_out += (uint64_t)n;
    }
    if (c->out_sent > 0) {
        compact_output(c);
    }
}

// ---- in

// Makes room behind in_end. What is kept is one message at most, which the scanner bounds.
static void reserve_input(carom_client *c)
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
        return;
    }
    if (c->in_begin > 0) {
        memmove(c->in, c->in + c->in_begin, c->in_end - c->in_begin);
        c->in_end -= c->in_begin;
        c->in_scanned -= c->in_begin;
        c->in_begin = 0;
    }
    if (c->in_capacity - c->in_end < READ_BYTES_MIN) {
        size_t wanted = c->in_capacity * 2;
        if (wanted < 2 * READ_BYTES_MIN) {
            wanted = 2 * READ_BYTES_MIN;
        }
        uint8_t *grown = realloc(c->in, wanted);
        ASSERT(grown != NULL); // bounded by twice options.message_bytes_max
        c->in = grown;
        c->in_capacity = wanted;
    }
}

// Deals with all whole messages that are there. True if there was one.
static bool process_input(carom_client *c)
{
    bool any = false;
    while (c->state != CAROM_CLOSED && c->in_scanned < c->in_end) {
        size_t used = 0;
        struct error refused;
        scan_verdict verdict = scanner_feed(&c->scan, c->in + c->in_scanned,
                                            c->in_end - c->in_scanned, &used, &refused);
        c->in_scanned += used;
        if (verdict == SCAN_MORE) {
            break;
        }
        any = true;
        if (verdict == SCAN_REFUSED) {
            bool limit = refused.status == STATUS_LIMIT_EXCEEDED;
            connection_close(c, limit ? CAROM_LIMIT_EXCEEDED : CAROM_INTERNAL,
                             "the server sent a message that is not taken: %s", refused.text);
            break;
        }
        size_t begin = c->in_begin;
        c->in_begin = c->in_scanned;
        c->traffic.messages_in++;
        dispatch_message(c, c->in + begin, c->in_scanned - begin);
    }
    return any;
}

typedef enum read_outcome { READ_SOME, READ_NOTHING, READ_ENDED } read_outcome;

static read_outcome read_once(carom_client *c, size_t *got)
{
    reserve_input(c);
    ssize_t n;
    do {
        n = recv(c->fd, c->in + c->in_end, c->in_capacity - c->in_end, 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        c->in_end += (size_t)n;
        c->traffic.bytes_in += (uint64_t)n;
        *got = (size_t)n;
        return READ_SOME;
    }
    if (n == 0) {
        connection_close(c, CAROM_UNAVAILABLE, "the server closed the connection");
        return READ_ENDED;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return READ_NOTHING;
    }
    connection_close(c, CAROM_UNAVAILABLE, "connection lost: %s", strerror(errno));
    return READ_ENDED;
}

static bool read_and_process(carom_client *c)
{
    bool any = false;
    size_t total = 0;
    while (c->state != CAROM_CLOSED && total < CAROM_POLL_BYTES_MAX) {
        size_t got = 0;
        read_outcome outcome = read_once(c, &got);
        if (outcome != READ_SOME) {
            any = any || outcome == READ_ENDED;
            break;
        }
        total += got;
        any = process_input(c) || any;
    }
    return any;
}

// ---- letting things happen

bool connection_pump(carom_client *c)
{
    bool any = requests_expire(c, monotonic_ns());
    if (c->state != CAROM_CLOSED && !c->connected) {
        any = advance_connecting(c) || any;
    }
    if (c->state == CAROM_CLOSED || !c->connected) {
        return any;
    }
    connection_write(c);
    any = read_and_process(c) || any;
    if (c->state != CAROM_CLOSED && c->write_failure != 0) {
        connection_close(c, CAROM_UNAVAILABLE, "connection lost: %s", strerror(c->write_failure));
        any = true;
    }
    connection_write(c); // what the callbacks have sent
    return any;
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void connection_wait(carom_client *c, int64_t deadline_ns)
{
    deadline_ns = earliest(deadline_ns, c->requests.next_deadline_ns);
    if (!c->connected) {
        deadline_ns = earliest(deadline_ns, c->address_deadline_ns);
    }
    struct timespec wait = {0};
    bool endless = deadline_ns == INT64_MAX;
    if (!endless) {
        int64_t left = deadline_ns - monotonic_ns();
        left = left < 0 ? 0 : left;
        wait.tv_sec = (time_t)(left / 1000000000);
        wait.tv_nsec = (long)(left % 1000000000);
    }
    struct pollfd ready = {.fd = c->fd, .events = POLLIN};
    if (carom_wants_write(c)) {
        ready.events = (short)(c->connected ? POLLIN | POLLOUT : POLLOUT);
    }
    ppoll(&ready, 1, endless ? NULL : &wait, NULL);
}
