// Links between servers; see peer.h. A frame on the stream: u32 size of the bytes, little-endian,
// u8 kind, the bytes. Kind 0 is a beat, or the greeting where no greeting came before.
#include "server/fleet/peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/net/acceptor.h"
#include "server/fleet/peer_tls.h"

enum {
    BACKLOG = 64,
    FRAME_HEAD_BYTES = 5,
    READ_BYTES = 64 << 10,
    GREETING_VERSION = 1,
    GREETING_BYTES_MAX = 256,
    HOST_BYTES = 256,
    REFUSALS_LOGGED_MAX = 10, // per REFUSALS_LOGGED_BEATS
    REFUSALS_LOGGED_BEATS = 10000 / PEER_BEAT_MS
};

_Static_assert(GREETING_BYTES_MAX > RECORD_PREFIX_MAX + RECORD_NAME_MAX + 16, "it has two names");

typedef enum link_state {
    LINK_RESOLVING, // its address is looked up
    LINK_DIALLING,
    LINK_GREETING, // handshake, and the first frame of each side
    LINK_UP,
    LINK_OVER // its socket is being closed
} link_state;

struct peer_link {
    peers *of;
    uv_tcp_t tcp;
    uv_connect_t dial;
    uv_getaddrinfo_t lookup;
    bool looking_up; // the loop has `lookup`
    bool has_tcp;
    link_state state;
    bool dialled;
    bool spoke;  // since the last beat
    bool filled; // PEER_UNSENT_BYTES_LOW was reached
    void *owner;
    char node[RECORD_NAME_MAX + 1];
    tls_pipe *stream;
    ARRAY(uint8_t) input; // plain bytes that are not handled yet
    size_t unsent;
    uint32_t silent; // beats without a byte of the other side
};

struct peers {
    uv_loop_t *loop;
    peer_options options;
    peer_key *key;
    acceptor listener; // from take_address() on
    uv_timer_t beat;
    char address[RECORD_ADDRESS_MAX + 1];
    ARRAY(peer_link *) links;
    uint8_t read_bytes[READ_BYTES];
    uint32_t handles;                 // listener, beat, links
    uint32_t strangers;               // links that were accepted and have not greeted
    uint32_t refusals, refusal_beats; // since the present REFUSALS_LOGGED_BEATS began
    peer_handler handler;
    bool bound, begun, closing;
    void (*closed)(void *context);
    void *context;
};

typedef struct link_write {
    uv_write_t request;
    peer_link *link;
    uint8_t *bytes;
    size_t size;
} link_write;

static void let_go(peers *p)
{
    ASSERT(p->handles > 0);
    if (--p->handles > 0) {
        return;
    }
    void (*closed)(void *context) = p->closed;
    void *context = p->context;
    peer_key_free(p->key);
    array_free(&p->links);
    free(p);
    if (closed != NULL) {
        closed(context);
    }
}

// ---- the end of a link

static void free_link(peer_link *l)
{
    peers *p = l->of;
    tls_pipe_free(l->stream);
    array_free(&l->input);
    free(l);
    let_go(p);
}

static void on_link_closed(uv_handle_t *handle)
{
    free_link(handle->data);
}

static bool is_stranger(const peer_link *l)
{
    return !l->dialled && l->state != LINK_UP && l->state != LINK_OVER;
}

static void end_link(peer_link *l)
{
    peers *p = l->of;
    ASSERT(l->state != LINK_OVER);
    p->strangers -= is_stranger(l);
    l->state = LINK_OVER;
    array_swap_remove_value(&p->links, l);
    if (l->looking_up) {
        (void)uv_cancel((uv_req_t *)&l->lookup); // on_resolved() frees it
    } else {
        ASSERT(l->has_tcp);
        uv_close((uv_handle_t *)&l->tcp, on_link_closed);
    }
}

// Strangers fill no disk: the first refusals of a time are logged, then their number.
static void log_refusal(peers *p, const char *why)
{
    p->refusals++;
    if (p->refusals <= REFUSALS_LOGGED_MAX) {
        log_warn("fleet: a connection to %s is refused: %s", p->address, why);
    }
}

static void end_refusals(peers *p)
{
    if (p->refusals > REFUSALS_LOGGED_MAX) {
        log_warn("fleet: %u further connections to %s were refused in %d s",
                 p->refusals - REFUSALS_LOGGED_MAX, p->address,
                 REFUSALS_LOGGED_BEATS * PEER_BEAT_MS / 1000);
    }
    p->refusals = 0;
    p->refusal_beats = 0;
}

static void fail_link(peer_link *l, const char *why)
{
    const bool told = l->dialled || l->state == LINK_UP;
    const peer_handler *h = &l->of->handler;
    if (l->state == LINK_OVER) {
        return;
    }
    if (!told) {
        log_refusal(l->of, why);
    }
    end_link(l);
    if (told) {
        h->ended(h->context, l, why);
    }
}

void peer_close(peer_link *l, const char *why)
{
    if (l->state != LINK_OVER) {
        log_debug("fleet: the connection with server '%s' is closed: %s", l->node, why);
        end_link(l);
    }
}

// ---- writing

static void on_written(uv_write_t *request, int result)
{
    link_write *w = request->data;
    peer_link *l = w->link;
    l->unsent -= w->size;
    free(w->bytes);
    free(w);
    if (result < 0 && result != UV_ECANCELED) {
        fail_link(l, uv_strerror(result));
    } else if (l->state == LINK_UP && l->filled && l->unsent < PEER_UNSENT_BYTES_LOW) {
        l->filled = false;
        l->of->handler.drained(l->of->handler.context, l);
    }
}

// Passes sealed bytes to the socket. False: it cannot be written to.
static bool flush(peer_link *l)
{
    size_t size = 0;
    uint8_t *bytes = tls_pipe_sealed(l->stream, &size);
    if (bytes == NULL) {
        return true;
    }
    link_write *w = malloc(sizeof *w);
    ASSERT_MEMORY(w != NULL);
    *w = (link_write){.link = l, .bytes = bytes, .size = size, .request.data = w};
    const uv_buf_t span = {.base = (char *)bytes, .len = size};
    if (uv_write(&w->request, (uv_stream_t *)&l->tcp, &span, 1, on_written) != 0) {
        free(bytes);
        free(w);
        return false;
    }
    l->unsent += size;
    l->filled = l->filled || l->unsent >= PEER_UNSENT_BYTES_LOW;
    return true;
}

static bool send_frame(peer_link *l, uint8_t kind, const void *head, size_t head_size,
                       const void *body, size_t body_size)
{
    uint8_t frame[FRAME_HEAD_BYTES];
    put32(frame, (uint32_t)(head_size + body_size));
    frame[4] = kind;
    l->spoke = true;
    return tls_pipe_write(l->stream, frame, sizeof frame) &&
           tls_pipe_write(l->stream, head, head_size) &&
           tls_pipe_write(l->stream, body, body_size) && flush(l);
}

bool peer_send(peer_link *l, uint8_t kind, const void *head, size_t head_size, const void *body,
               size_t body_size)
{
    ASSERT(kind > 0 && head_size + body_size <= PEER_MESSAGE_BYTES_MAX);
    if (l->state != LINK_UP || l->unsent + head_size + body_size > PEER_UNSENT_BYTES_MAX) {
        return false;
    }
    return send_frame(l, kind, head, head_size, body, body_size);
}

size_t peer_unsent(const peer_link *l)
{
    return l->unsent;
}

// ---- reading

static bool send_greeting(peer_link *l)
{
    char text[GREETING_BYTES_MAX];
    const int size = snprintf(text, sizeof text, "carom %d\n%s\n%s\n", GREETING_VERSION,
                              l->of->options.fleet, l->of->options.node);
    ASSERT(size > 0 && (size_t)size < sizeof text);
    return send_frame(l, 0, text, (size_t)size, NULL, 0);
}

// NULL: it is welcome.
static const char *check_greeting(peer_link *l, const uint8_t *bytes, size_t size)
{
    char text[GREETING_BYTES_MAX];
    char expected[GREETING_BYTES_MAX];
    const int head = snprintf(expected, sizeof expected, "carom %d\n", GREETING_VERSION);
    if (size >= sizeof text || size == 0 || bytes[size - 1] != '\n') {
        return "its greeting cannot be";
    }
    memcpy(text, bytes, size);
    text[size - 1] = '\0';
    if (strncmp(text, expected, (size_t)head) != 0) {
        return "it speaks another version of this protocol";
    }
    char *fleet = text + head;
    char *node = strchr(fleet, '\n');
    if (node == NULL || !record_name_valid(node + 1, strlen(node + 1))) {
        return "its greeting cannot be";
    }
    *node++ = '\0';
    if (strcmp(fleet, l->of->options.fleet) != 0) {
        return "it is of a fleet with another --fleet-prefix";
    }
    if (strcmp(node, l->of->options.node) == 0) {
        return "it has this server's name";
    }
    if (l->dialled && strcmp(node, l->node) != 0) {
        return "another server answers there";
    }
    memcpy(l->node, node, strlen(node) + 1);
    return NULL;
}

static void take_frame(peer_link *l, uint8_t kind, const uint8_t *bytes, size_t size)
{
    const peer_handler *h = &l->of->handler;
    if (l->state == LINK_UP && kind != 0) {
        h->received(h->context, l, kind, bytes, size);
    } else if (l->state == LINK_GREETING) {
        const char *why = kind == 0 ? check_greeting(l, bytes, size) : "it did not greet";
        if (why != NULL) {
            fail_link(l, why);
            return;
        }
        l->of->strangers -= is_stranger(l);
        l->state = LINK_UP;
        l->silent = 0;
        h->up(h->context, l);
    }
}

static void take_frames(peer_link *l)
{
    size_t at = 0;
    while (l->state != LINK_OVER && l->input.count - at >= FRAME_HEAD_BYTES) {
        const uint8_t *head = l->input.data + at;
        const size_t size = get32(head);
        const size_t most = l->state == LINK_UP ? PEER_MESSAGE_BYTES_MAX : GREETING_BYTES_MAX;
        if (size > most) {
            fail_link(l, "a message is too large");
            return;
        }
        if (l->input.count - at - FRAME_HEAD_BYTES < size) {
            break;
        }
        at += FRAME_HEAD_BYTES + size;
        take_frame(l, head[4], head + FRAME_HEAD_BYTES, size);
    }
    if (l->state != LINK_OVER) {
        array_remove_first(&l->input, (uint32_t)at);
    }
}

static void take_bytes(peer_link *l, const uint8_t *bytes, size_t size)
{
    const bool was_ready = tls_pipe_ready(l->stream);
    tls_pipe_take(l->stream, bytes, size);
    l->silent = l->state == LINK_UP ? 0 : l->silent; // a greeting has a time of its own
    if (!peer_stream_shake(l->stream)) {
        (void)flush(l); // an alert
        fail_link(l, "its --fleet-secret is another one, or it does not speak this protocol");
        return;
    }
    if (!flush(l) || !tls_pipe_ready(l->stream) || (!was_ready && !send_greeting(l))) {
        return; // a socket that cannot be written to reports that itself
    }
    int got = 0;
    do {
        uint8_t plain[16 << 10];
        got = tls_pipe_read(l->stream, plain, sizeof plain);
        if (got > 0) {
            array_reserve(&l->input, l->input.count + (uint32_t)got);
            memcpy(l->input.data + l->input.count, plain, (size_t)got);
            l->input.count += (uint32_t)got;
            take_frames(l);
        }
    } while (got > 0 && l->state != LINK_OVER);
    if (got < 0) {
        fail_link(l, "the connection has ended");
    }
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
    const peer_link *l = handle->data;
    (void)wanted;
    *out = uv_buf_init((char *)l->of->read_bytes, READ_BYTES);
}

static void on_bytes(uv_stream_t *tcp, ssize_t size, const uv_buf_t *bytes)
{
    peer_link *l = tcp->data;
    if (l->state == LINK_OVER || size == 0) {
        return;
    }
    if (size < 0) {
        fail_link(l, size == UV_EOF ? "the connection was closed" : uv_strerror((int)size));
        return;
    }
    take_bytes(l, (const uint8_t *)bytes->base, (size_t)size);
}

// ---- the beginning of a link

static peer_link *create_link(peers *p, bool dialled)
{
    peer_link *l = calloc(1, sizeof *l);
    ASSERT_MEMORY(l != NULL);
    l->of = p;
    l->dialled = dialled;
    l->stream = peer_stream_create(p->key, dialled);
    p->strangers += is_stranger(l);
    l->tcp.data = l->dial.data = l->lookup.data = l;
    array_push(&p->links, l);
    p->handles++;
    return l;
}

static void begin_tcp(peer_link *l)
{
    (void)uv_tcp_init(l->of->loop, &l->tcp);
    l->tcp.data = l;
    l->has_tcp = true;
}

static void begin_greeting(peer_link *l)
{
    (void)uv_tcp_nodelay(&l->tcp, 1);
    l->state = LINK_GREETING;
    const bool good = peer_stream_shake(l->stream) && flush(l) &&
                      uv_read_start((uv_stream_t *)&l->tcp, on_room, on_bytes) == 0;
    if (!good) {
        fail_link(l, "its socket cannot be read");
    }
}

static void on_dialled(uv_connect_t *request, int result)
{
    peer_link *l = request->data;
    if (l->state == LINK_OVER) {
        return;
    }
    if (result < 0) {
        fail_link(l, uv_strerror(result));
    } else {
        begin_greeting(l);
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int result, struct addrinfo *found)
{
    peer_link *l = request->data;
    l->looking_up = false;
    if (l->state == LINK_OVER) {
        free_link(l);
    } else {
        begin_tcp(l);
        l->state = LINK_DIALLING;
        if (result == 0) {
            result = uv_tcp_connect(&l->dial, &l->tcp, found->ai_addr, on_dialled);
        }
        if (result != 0) {
            fail_link(l, uv_strerror(result));
        }
    }
    uv_freeaddrinfo(found);
}

// "[::1]:80" and "host:80" in two parts.
static void split_address(const char *address, char host[HOST_BYTES], const char **port)
{
    const char *colon = strrchr(address, ':');
    ASSERT(colon != NULL);
    const bool braces = *address == '[';
    const size_t size = (size_t)(colon - address) - (braces ? 2 : 0);
    ASSERT(size < HOST_BYTES);
    memcpy(host, address + (braces ? 1 : 0), size);
    host[size] = '\0';
    *port = colon + 1;
}

peer_link *peers_dial(peers *p, const char *node, const char *address, void *owner)
{
    char host[HOST_BYTES];
    const char *port = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    ASSERT(record_address_valid(address) && !p->closing);
    if (p->links.count >= PEER_LINKS_MAX) {
        return NULL;
    }
    split_address(address, host, &port);
    peer_link *l = create_link(p, true);
    l->owner = owner;
    memcpy(l->node, node, strlen(node) + 1);
    l->state = LINK_RESOLVING;
    l->looking_up = true;
    const int begun = uv_getaddrinfo(p->loop, &l->lookup, on_resolved, host, port, &hints);
    ASSERT(begun == 0);
    return l;
}

// Silent strangers would take the places of this fleet's servers, which greet within a round trip.
static void end_oldest_stranger(peers *p)
{
    peer_link *oldest = NULL;
    for (uint32_t i = 0; i < p->links.count; i++) {
        peer_link *l = p->links.data[i];
        if (is_stranger(l) && (oldest == NULL || l->silent > oldest->silent)) {
            oldest = l;
        }
    }
    ASSERT(oldest != NULL);
    fail_link(oldest, "too many others have not greeted");
}

static bool knocks_wanted(void *context)
{
    const peers *p = context;
    return !p->closing;
}

static void on_knock(void *context, int descriptor)
{
    peers *p = context;
    if (p->strangers >= PEER_STRANGERS_MAX) {
        end_oldest_stranger(p);
    }
    peer_link *l = create_link(p, false);
    begin_tcp(l);
    if (uv_tcp_open(&l->tcp, descriptor) != 0) {
        (void)close(descriptor);
        end_link(l);
    } else if (p->links.count > PEER_LINKS_MAX) {
        fail_link(l, "there are too many");
    } else {
        begin_greeting(l);
    }
}

const char *peer_link_node(const peer_link *l)
{
    return l->node;
}

bool peer_link_dialled(const peer_link *l)
{
    return l->dialled;
}

void *peer_link_owner(const peer_link *l)
{
    return l->owner;
}

void peer_link_own(peer_link *l, void *owner)
{
    l->owner = owner;
}

// ---- beats

static void beat_link(peer_link *l)
{
    l->silent++;
    if (l->state != LINK_UP) {
        if (l->silent > PEER_GREETING_BEATS_MAX) {
            fail_link(l, "it did not greet in time");
        }
        return;
    }
    if (l->silent > PEER_SILENT_BEATS_MAX) {
        fail_link(l, "it is silent");
        return;
    }
    if (!l->spoke) {
        (void)send_frame(l, 0, NULL, 0, NULL, 0);
    }
    l->spoke = false;
}

static void on_beat(uv_timer_t *timer)
{
    peers *p = timer->data;
    if (++p->refusal_beats >= REFUSALS_LOGGED_BEATS) {
        end_refusals(p);
    }
    for (uint32_t i = p->links.count; i > 0; i--) {
        if (i <= p->links.count) { // an end may end others
            beat_link(p->links.data[i - 1]);
        }
    }
}

// ---- all of them

status peer_read_secret(const char *path, uint8_t **out, size_t *size, error *err)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "'%.200s': %s", path, strerror(errno));
    }
    uint8_t *bytes = malloc(PEER_SECRET_BYTES_MAX + 2);
    ASSERT_MEMORY(bytes != NULL);
    size_t got = fread(bytes, 1, PEER_SECRET_BYTES_MAX + 2, file);
    (void)fclose(file);
    if (got > 0 && bytes[got - 1] == '\n') {
        got--;
    }
    if (got < PEER_SECRET_BYTES_MIN || got > PEER_SECRET_BYTES_MAX) {
        free(bytes);
        return error_set(
            err, STATUS_INVALID_ARGUMENT,
            "'%.200s' must have from %d to %d bytes, for example from: openssl rand -hex 32", path,
            PEER_SECRET_BYTES_MIN, PEER_SECRET_BYTES_MAX);
    }
    *out = bytes;
    *size = got;
    return STATUS_OK;
}

static status refuse_address(const peers *p, int result, error *err)
{
    return error_set(err, STATUS_UNAVAILABLE, "--fleet-listen: cannot listen on %.150s:%u: %s",
                     p->options.host, (unsigned)p->options.port, uv_strerror(result));
}

static void on_own_closed(uv_handle_t *handle)
{
    let_go(handle->data);
}

static void on_listener_closed(void *context)
{
    let_go(context);
}

static status take_address(peers *p, error *err)
{
    char host[HOST_BYTES];
    char port[8];
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    uv_getaddrinfo_t lookup;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    snprintf(port, sizeof port, "%u", (unsigned)p->options.port);
    int result = uv_getaddrinfo(p->loop, &lookup, NULL, p->options.host, port, &hints);
    if (result == 0) {
        result = acceptor_bind(lookup.addrinfo->ai_addr, lookup.addrinfo->ai_addrlen);
        uv_freeaddrinfo(lookup.addrinfo);
    }
    if (result < 0) {
        return refuse_address(p, result, err);
    }
    const acceptor_handler handler = {
        .context = p, .wanted = knocks_wanted, .taken = on_knock, .closed = on_listener_closed};
    acceptor_init(&p->listener, p->loop, result, &handler);
    p->bound = true;
    p->handles++;
    result = getsockname(p->listener.descriptor, (struct sockaddr *)&bound, &size);
    ASSERT(result == 0);
    const bool six = bound.ss_family == AF_INET6;
    const uint16_t chosen = ntohs(six ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                      : ((struct sockaddr_in *)&bound)->sin_port);
    snprintf(host, sizeof host, "%s", p->options.host);
    const bool braces = strchr(host, ':') != NULL;
    snprintf(p->address, sizeof p->address, "%s%.140s%s:%u", braces ? "[" : "", host,
             braces ? "]" : "", (unsigned)chosen);
    return STATUS_OK;
}

status peers_open(uv_loop_t *loop, const peer_options *options, peers **out, error *err)
{
    peers *p = calloc(1, sizeof *p);
    ASSERT_MEMORY(p != NULL);
    *p = (peers){.loop = loop, .options = *options, .handles = 1};
    p->key = peer_key_create(options->secret, options->secret_size);
    (void)uv_timer_init(loop, &p->beat);
    p->beat.data = p;
    const status s = take_address(p, err);
    if (s != STATUS_OK) {
        peers_close(p, NULL, NULL);
        return s;
    }
    *out = p;
    return STATUS_OK;
}

status peers_begin(peers *p, const peer_handler *handler, error *err)
{
    ASSERT(!p->begun && !p->closing);
    p->begun = true;
    p->handler = *handler;
    (void)uv_timer_start(&p->beat, on_beat, PEER_BEAT_MS, PEER_BEAT_MS);
    const int result = acceptor_begin(&p->listener, BACKLOG);
    return result == 0 ? STATUS_OK : refuse_address(p, result, err);
}

bool peers_begun(const peers *p)
{
    return p->begun;
}

const char *peers_address(const peers *p)
{
    return p->address;
}

void peers_close(peers *p, void (*closed)(void *context), void *context)
{
    ASSERT(!p->closing);
    p->closing = true;
    p->closed = closed;
    p->context = context;
    while (p->links.count > 0) {
        end_link(p->links.data[p->links.count - 1]);
    }
    if (p->bound) {
        acceptor_close(&p->listener);
    }
    uv_close((uv_handle_t *)&p->beat, on_own_closed);
}
