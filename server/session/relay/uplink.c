// A connection to another server; see uplink.h.
#include "server/session/relay/uplink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/limits.h"
#include "server/session/calls/input.h"

enum { READ_BYTES = 64 << 10, HOST_BYTES = 256 };

typedef enum uplink_state {
    UPLINK_RESOLVING, // the pool has `lookup`
    UPLINK_CONNECTING,
    UPLINK_NEXT,    // an address did not answer: its handle is being closed
    UPLINK_SHAKING, // TLS's handshake
    UPLINK_UP,
    UPLINK_OVER // freed when all handles and requests are closed
} uplink_state;

struct uplink {
    uv_loop_t *loop;
    uplink_handler handler;
    uplink_state state;
    const tls_trust *tls; // NULL: plain
    tls_pipe *stream;     // NULL: plain, or not connected
    char host[HOST_BYTES];
    struct addrinfo *addresses; // addresses of the host name; owned
    uint32_t first, tried;      // index of the first address to try; number of those tried
    uv_getaddrinfo_t lookup;
    uv_tcp_t tcp;
    uv_connect_t connecting;
    bool looking_up, has_tcp;
    bool heard; // bytes came since uplink_was_heard()
    input input;
    size_t unsent;
    char read_bytes[READ_BYTES];
};

typedef struct uplink_write {
    uv_write_t request;
    uplink *of;
    size_t size;
    uint8_t *data; // owned
} uplink_write;

static void free_uplink(uplink *u)
{
    const uplink_handler handler = u->handler;
    ASSERT(u->state == UPLINK_OVER && !u->looking_up);
    input_deinit(&u->input);
    tls_pipe_free(u->stream);
    uv_freeaddrinfo(u->addresses);
    free(u);
    handler.freed(handler.context);
}

static void connect_next(uplink *u);

static void on_closed(uv_handle_t *handle)
{
    uplink *u = handle->data;
    u->has_tcp = false;
    if (u->state == UPLINK_NEXT) {
        connect_next(u);
    } else {
        free_uplink(u);
    }
}

void uplink_end(uplink *u)
{
    if (u->state == UPLINK_OVER) {
        return;
    }
    u->state = UPLINK_OVER;
    if (u->has_tcp && !uv_is_closing((uv_handle_t *)&u->tcp)) {
        uv_close((uv_handle_t *)&u->tcp, on_closed);
    } // otherwise on_closed() or on_resolved() frees it
}

static void fail(uplink *u, const char *why)
{
    if (u->state != UPLINK_OVER) {
        uplink_end(u);
        u->handler.ended(u->handler.context, why);
    }
}

// ---- writing

static void on_written(uv_write_t *request, int result)
{
    uplink_write *w = (uplink_write *)request;
    uplink *u = w->of;
    u->unsent -= w->size;
    free(w->data);
    free(w);
    if (result < 0 && result != UV_ECANCELED) {
        fail(u, uv_strerror(result));
    }
}

// Takes over the bytes. A broken connection reports itself when it is read.
static void write_bytes(uplink *u, uint8_t *bytes, size_t size)
{
    uplink_write *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL);
    w->of = u;
    w->data = bytes;
    w->size = size;
    const uv_buf_t all = uv_buf_init((char *)bytes, (unsigned)size);
    if (uv_write(&w->request, (uv_stream_t *)&u->tcp, &all, 1, on_written) == 0) {
        u->unsent += size;
    } else {
        free(bytes);
        free(w);
    }
}

// Writes what TLS has for the other side.
static void flush(uplink *u)
{
    size_t size = 0;
    uint8_t *sealed = tls_pipe_sealed(u->stream, &size);
    if (sealed != NULL) {
        write_bytes(u, sealed, size);
    }
}

void uplink_send(uplink *u, buffer *bytes)
{
    size_t size = 0;
    uint8_t *data = buffer_take(bytes, &size);
    const bool room = u->unsent + size <= UPLINK_UNSENT_BYTES_MAX;
    if (u->state == UPLINK_UP && room && u->stream == NULL) {
        write_bytes(u, data, size);
        return;
    }
    if (u->state == UPLINK_UP && room) {
        (void)tls_pipe_write(u->stream, data, size); // reading reports a failure
        flush(u);
    } else if (u->state == UPLINK_UP) {
        fail(u, "it takes no requests");
    }
    free(data);
}

// ---- reading

static void on_allocate(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
    uplink *u = handle->data;
    (void)wanted;
    *out = uv_buf_init(u->read_bytes, READ_BYTES);
}

static void take_messages(uplink *u)
{
    const uint8_t *message = NULL;
    size_t size = 0;
    error err;
    scan_verdict verdict = SCAN_MESSAGE;
    while (u->state == UPLINK_UP && verdict == SCAN_MESSAGE) {
        verdict = input_next(&u->input, &message, &size, &err);
        if (verdict == SCAN_MESSAGE) {
            u->handler.message(u->handler.context, message, size);
        }
    }
    if (verdict == SCAN_REFUSED) {
        fail(u, err.text);
    } else if (u->state == UPLINK_UP) {
        input_settle(&u->input);
    }
}

static void begin(uplink *u)
{
    u->state = UPLINK_UP;
    u->handler.up(u->handler.context);
}

// Continues the handshake. Whether plain bytes may be read.
static bool shake(uplink *u)
{
    const bool good = tls_pipe_shake(u->stream);
    flush(u); // an alert, if it has failed
    if (!good) {
        char why[ERROR_TEXT_MAX];
        snprintf(why, sizeof why, "TLS 1.3 with %.100s: %.120s", u->host,
                 tls_pipe_failure(u->stream));
        fail(u, why);
        return false;
    }
    if (u->state == UPLINK_SHAKING && tls_pipe_ready(u->stream)) {
        begin(u);
    }
    return u->state == UPLINK_UP;
}

static void take_sealed(uplink *u, const uint8_t *bytes, size_t size)
{
    int got = 1;
    tls_pipe_take(u->stream, bytes, size);
    if (!shake(u)) {
        return;
    }
    while (got > 0 && u->state == UPLINK_UP) {
        uint8_t plain[16 << 10]; // a record of TLS
        got = tls_pipe_read(u->stream, plain, sizeof plain);
        if (got > 0) {
            input_append(&u->input, plain, (size_t)got);
            take_messages(u);
        }
    }
    if (u->state == UPLINK_UP) {
        flush(u); // an answer to a change of keys
    }
    if (got < 0) {
        fail(u, "it ended the connection");
    }
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *bytes)
{
    uplink *u = stream->data;
    if ((u->state != UPLINK_UP && u->state != UPLINK_SHAKING) || size == 0) {
        return;
    }
    if (size < 0) {
        fail(u, size == UV_EOF ? "it ended the connection" : uv_strerror((int)size));
        return;
    }
    u->heard = true;
    if (u->stream != NULL) {
        take_sealed(u, (const uint8_t *)bytes->base, (size_t)size);
        return;
    }
    input_append(&u->input, (const uint8_t *)bytes->base, (size_t)size);
    take_messages(u);
}

// ---- connecting

// Another address of the name is tried, if there is one.
static void try_next(uplink *u, int result)
{
    uint32_t count = 0;
    for (const struct addrinfo *a = u->addresses; a != NULL; a = a->ai_next) {
        count++;
    }
    if (u->tried >= count) {
        fail(u, uv_strerror(result));
    } else {
        u->state = UPLINK_NEXT;
        uv_close((uv_handle_t *)&u->tcp, on_closed);
    }
}

static void on_connected(uv_connect_t *request, int result)
{
    uplink *u = request->data;
    if (u->state != UPLINK_CONNECTING) {
        return;
    }
    if (result == 0) {
        uv_tcp_nodelay(&u->tcp, 1);
        u->heard = true;
        result = uv_read_start((uv_stream_t *)&u->tcp, on_allocate, on_read);
    }
    if (result != 0) {
        try_next(u, result);
    } else if (u->tls != NULL) {
        u->state = UPLINK_SHAKING;
        u->stream = tls_trust_dial(u->tls, u->host);
        (void)shake(u);
    } else {
        begin(u);
    }
}

static const struct addrinfo *address_at(const uplink *u, uint32_t i)
{
    const struct addrinfo *a = u->addresses;
    while (i > 0) {
        a = a->ai_next != NULL ? a->ai_next : u->addresses;
        i--;
    }
    return a;
}

static void connect_next(uplink *u)
{
    const struct addrinfo *to = address_at(u, u->first + u->tried);
    const int made = uv_tcp_init(u->loop, &u->tcp);
    ASSERT(made == 0);
    u->tcp.data = u->connecting.data = u;
    u->has_tcp = true;
    u->state = UPLINK_CONNECTING;
    u->tried++;
    const int result = uv_tcp_connect(&u->connecting, &u->tcp, to->ai_addr, on_connected);
    if (result != 0) {
        try_next(u, result);
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int result, struct addrinfo *found)
{
    uplink *u = request->data;
    u->looking_up = false;
    u->addresses = found;
    if (u->state == UPLINK_OVER) {
        free_uplink(u);
    } else if (result != 0) {
        const uplink_handler handler = u->handler;
        u->state = UPLINK_OVER;
        handler.ended(handler.context, uv_strerror(result));
        free_uplink(u);
    } else {
        connect_next(u);
    }
}

uplink *uplink_dial(uv_loop_t *loop, const char *address, const tls_trust *tls, uint32_t first,
                    const uplink_handler *handler)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(address, ':');
    const bool braces = *address == '[';
    const size_t size = (size_t)(colon - address) - (braces ? 2 : 0);
    ASSERT(colon != NULL && size < HOST_BYTES);
    uplink *u = calloc(1, sizeof *u);
    ASSERT_MEMORY(u != NULL);
    memcpy(u->host, address + (braces ? 1 : 0), size);
    u->loop = loop;
    u->tls = tls;
    u->first = first % 64; // only the first 64 addresses are tried first
    u->handler = *handler;
    input_init(&u->input, WIRE_REPLY_BYTES_MAX);
    const scanner_limits bounds = scanner_limits_reply();
    scanner_init(&u->input.scanner, &bounds);
    u->lookup.data = u;
    u->looking_up = true;
    const int begun = uv_getaddrinfo(loop, &u->lookup, on_resolved, u->host, colon + 1, &hints);
    ASSERT(begun == 0);
    return u;
}

bool uplink_was_heard(uplink *u)
{
    const bool heard = u->heard;
    u->heard = false;
    return heard;
}
