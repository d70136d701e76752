// See fake_uv.h. `u.reserved[0]` points to a handle's own state; the library's other fields are
// unused, except `data`, which is the server's.
#include "tests/simulation/fake_uv.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "server/net/acceptor.h"
#include "tests/simulation/sim.h"

enum {
    READ_MAX = 65536,
    SPANS_MAX = 64,
    NS_PER_MS = 1000000,
    DESCRIPTOR = 1 << 20 // each socket that the server is given has this number
};

typedef struct byte_queue {
    ARRAY(uint8_t) bytes;
    uint32_t first; // offset of the first unread byte
} byte_queue;

struct sim_link {
    struct sim_link *next; // links of connections waiting at the listener
    byte_queue up;         // bytes from the client that the server has not read yet
    byte_queue down;       // in the kernel's send buffer, not yet read by the client
    size_t down_max;
    bool up_ended, down_ended;
    bool reset;       // true: both directions are dead
    bool client_gone; // the client's end is freed
    bool server_gone;
};

typedef struct fake_handle {
    struct fake_handle *next;
    uv_handle_t *handle;
    bool closing;
    uv_close_cb closed;
    // for a timer
    uv_timer_cb fired;
    bool active;
    uint64_t due_ms, repeat_ms;
    // for an async or prepare handle
    uv_async_cb woken;
    bool sent;
    uv_prepare_cb prepared;
    // for an acceptor's timer
    acceptor *listens;
    // for a stream
    sim_link *link;
    bool reading, told_end;
    uv_alloc_cb allocate;
    uv_read_cb read;
    uv_write_t *write;
    uv_write_cb written;
    uv_buf_t spans[SPANS_MAX];
    unsigned span, span_count;
    size_t span_offset, left;
    uv_shutdown_t *shutdown;
    uv_shutdown_cb shut;
} fake_handle;

typedef struct fake_work {
    struct fake_work *next;
    uv_work_t *request;
    uv_work_cb work;
    uv_after_work_cb after;
    bool done;
} fake_work;

static struct {
    fake_handle *handles;
    fake_work *works;
    sim_link *waiting; // connections not yet accepted
    uint64_t now_ms;
    bool frozen;
} net;

// ---- bytes

static size_t queue_size(const byte_queue *q)
{
    return q->bytes.count - q->first;
}

static void queue_put(byte_queue *q, const void *bytes, size_t size)
{
    uint32_t at = q->bytes.count;
    array_reserve(&q->bytes, at + (uint32_t)size);
    if (size > 0) {
        memcpy(q->bytes.data + at, bytes, size);
    }
    q->bytes.count += (uint32_t)size;
}

static void queue_take_bytes(byte_queue *q, void *out, size_t size)
{
    ASSERT(size <= queue_size(q));
    if (size > 0) {
        memcpy(out, q->bytes.data + q->first, size);
    }
    q->first += (uint32_t)size;
    if (q->first == q->bytes.count) {
        q->first = q->bytes.count = 0;
    }
}

static void free_link_if_done(sim_link *l)
{
    if (l->client_gone && l->server_gone) {
        array_free(&l->up.bytes);
        array_free(&l->down.bytes);
        free(l);
    }
}

// ---- the client's end

sim_link *sim_connect(size_t kernel_bytes)
{
    bool listening = false;
    for (const fake_handle *h = net.handles; h != NULL; h = h->next) {
        listening = listening || (h->listens != NULL && !h->closing);
    }
    if (!listening || net.frozen) {
        return NULL;
    }
    sim_link *l = calloc(1, sizeof *l);
    ASSERT(l != NULL);
    l->down_max = kernel_bytes;
    sim_link **end = &net.waiting;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = l;
    return l;
}

void sim_link_send(sim_link *l, const void *bytes, size_t size)
{
    if (!l->reset && !l->up_ended) {
        queue_put(&l->up, bytes, size);
    }
}

size_t sim_link_receive(sim_link *l, void *bytes, size_t size)
{
    size_t there = queue_size(&l->down);
    size_t taken = there < size ? there : size;
    queue_take_bytes(&l->down, bytes, taken);
    return taken;
}

bool sim_link_over(const sim_link *l)
{
    return (l->down_ended || l->reset) && queue_size(&l->down) == 0;
}

void sim_link_finish(sim_link *l)
{
    l->up_ended = true;
}

void sim_link_reset(sim_link *l)
{
    l->reset = l->client_gone = true;
    free_link_if_done(l);
}

static void cut_link(sim_link *l)
{
    size_t arrives = (size_t)sim_random(queue_size(&l->down) + 1);
    l->down.bytes.count = l->down.first + (uint32_t)arrives;
    l->reset = true;
}

void fake_uv_freeze(void)
{
    net.frozen = true;
    for (fake_handle *h = net.handles; h != NULL; h = h->next) {
        if (h->link != NULL && !h->link->client_gone) {
            cut_link(h->link);
        }
    }
    for (sim_link *l = net.waiting; l != NULL; l = l->next) {
        l->reset = true;
    }
}

static void refuse_waiting(void)
{
    while (net.waiting != NULL) {
        sim_link *l = net.waiting;
        net.waiting = l->next;
        l->reset = l->server_gone = true;
        free_link_if_done(l);
    }
}

void fake_uv_thaw(void)
{
    ASSERT(net.handles == NULL && net.works == NULL);
    refuse_waiting();
    net.frozen = false;
}

// ---- handles

static fake_handle *state_of(const void *handle)
{
    fake_handle *h = ((const uv_handle_t *)handle)->u.reserved[0];
    ASSERT(h != NULL);
    return h;
}

static void add_handle(void *handle)
{
    fake_handle *h = calloc(1, sizeof *h);
    ASSERT(h != NULL);
    h->handle = handle;
    h->handle->u.reserved[0] = h;
    h->next = net.handles;
    net.handles = h;
}

// The linker redirects each uv_NAME to __wrap_uv_NAME.
#define FAKED(type, name, ...)                                                                     \
    type __wrap_uv_##name(__VA_ARGS__);                                                            \
    type __wrap_uv_##name(__VA_ARGS__)

FAKED(uint64_t, now, const uv_loop_t *loop)
{
    (void)loop;
    return net.now_ms;
}

FAKED(void, update_time, uv_loop_t *loop)
{
    (void)loop;
    net.now_ms = (uint64_t)(sim.now_ns / NS_PER_MS);
}

FAKED(void, close, uv_handle_t *handle, uv_close_cb closed)
{
    fake_handle *h = state_of(handle);
    ASSERT(!h->closing);
    h->closing = true;
    h->active = h->reading = false;
    h->closed = closed;
}

FAKED(int, is_closing, const uv_handle_t *handle)
{
    return state_of(handle)->closing;
}

FAKED(int, is_active, const uv_handle_t *handle)
{
    return state_of(handle)->active;
}

FAKED(int, timer_init, uv_loop_t *loop, uv_timer_t *timer)
{
    (void)loop;
    add_handle(timer);
    return 0;
}

FAKED(int, timer_start, uv_timer_t *timer, uv_timer_cb fired, uint64_t timeout, uint64_t repeat)
{
    fake_handle *h = state_of(timer);
    ASSERT(!h->closing);
    h->fired = fired;
    h->due_ms = net.now_ms + timeout;
    h->repeat_ms = repeat;
    h->active = true;
    return 0;
}

FAKED(int, timer_stop, uv_timer_t *timer)
{
    state_of(timer)->active = false;
    return 0;
}

FAKED(int, async_init, uv_loop_t *loop, uv_async_t *async, uv_async_cb woken)
{
    (void)loop;
    add_handle(async);
    state_of(async)->woken = woken;
    return 0;
}

FAKED(int, async_send, uv_async_t *async)
{
    state_of(async)->sent = true;
    return 0;
}

FAKED(int, prepare_init, uv_loop_t *loop, uv_prepare_t *prepare)
{
    (void)loop;
    add_handle(prepare);
    return 0;
}

FAKED(int, prepare_start, uv_prepare_t *prepare, uv_prepare_cb prepared)
{
    state_of(prepare)->prepared = prepared;
    return 0;
}

FAKED(int, queue_work, uv_loop_t *loop, uv_work_t *request, uv_work_cb work, uv_after_work_cb after)
{
    (void)loop;
    fake_work *w = calloc(1, sizeof *w);
    ASSERT(w != NULL);
    *w = (fake_work){.request = request, .work = work, .after = after};
    fake_work **end = &net.works;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = w;
    return 0;
}

// ---- addresses

static struct sockaddr_in local_address(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

FAKED(int, getaddrinfo, uv_loop_t *loop, uv_getaddrinfo_t *query, uv_getaddrinfo_cb done,
      const char *node, const char *service, const struct addrinfo *hints)
{
    static struct sockaddr_in address;
    static struct addrinfo found;
    (void)loop;
    (void)node;
    (void)service;
    (void)hints;
    ASSERT(done == NULL);
    address = local_address(1);
    found = (struct addrinfo){.ai_addr = (struct sockaddr *)&address, .ai_addrlen = sizeof address};
    query->addrinfo = &found;
    return 0;
}

FAKED(void, freeaddrinfo, struct addrinfo *found)
{
    (void)found;
}

FAKED(int, tcp_getpeername, const uv_tcp_t *socket, struct sockaddr *out, int *size)
{
    (void)socket;
    struct sockaddr_in address = local_address(2);
    ASSERT(*size >= (int)sizeof address);
    memcpy(out, &address, sizeof address);
    return 0;
}

// ---- sockets

FAKED(int, tcp_init, uv_loop_t *loop, uv_tcp_t *socket)
{
    (void)loop;
    add_handle(socket);
    return 0;
}

// The connection that was taken last.
FAKED(int, tcp_open, uv_tcp_t *socket, uv_os_sock_t descriptor)
{
    sim_link *l = net.waiting;
    ASSERT(descriptor == DESCRIPTOR && l != NULL);
    net.waiting = l->next;
    l->next = NULL;
    state_of(socket)->link = l;
    return 0;
}

FAKED(int, tcp_nodelay, uv_tcp_t *socket, int enable)
{
    (void)socket;
    (void)enable;
    return 0;
}

FAKED(int, tcp_keepalive, uv_tcp_t *socket, int enable, unsigned delay)
{
    (void)socket;
    (void)enable;
    (void)delay;
    return 0;
}

FAKED(int, send_buffer_size, uv_handle_t *handle, int *value)
{
    (void)handle;
    (void)value;
    return 0;
}

FAKED(int, read_start, uv_stream_t *stream, uv_alloc_cb allocate, uv_read_cb read)
{
    fake_handle *h = state_of(stream);
    ASSERT(!h->closing);
    h->allocate = allocate;
    h->read = read;
    h->reading = true;
    return 0;
}

FAKED(int, read_stop, uv_stream_t *stream)
{
    state_of(stream)->reading = false;
    return 0;
}

FAKED(size_t, stream_get_write_queue_size, const uv_stream_t *stream)
{
    return state_of(stream)->left;
}

// The number of bytes that the kernel takes now, or an error.
static ssize_t kernel_put(sim_link *l, const char *bytes, size_t size)
{
    if (net.frozen) {
        return (ssize_t)size; // the bytes are dropped
    }
    if (l->reset) {
        return UV_ECONNRESET;
    }
    size_t room = l->down_max - queue_size(&l->down);
    size_t taken = size < room ? size : room;
    queue_put(&l->down, bytes, taken);
    return (ssize_t)taken;
}

FAKED(int, try_write, uv_stream_t *stream, const uv_buf_t bufs[], unsigned count)
{
    const fake_handle *h = state_of(stream);
    if (h->write != NULL) {
        return UV_EAGAIN;
    }
    size_t total = 0;
    for (unsigned i = 0; i < count; i++) {
        ssize_t taken = kernel_put(h->link, bufs[i].base, bufs[i].len);
        if (taken < 0) {
            return (int)taken;
        }
        total += (size_t)taken;
        if ((size_t)taken < bufs[i].len) {
            break;
        }
    }
    return total > 0 ? (int)total : UV_EAGAIN;
}

FAKED(int, write, uv_write_t *request, uv_stream_t *stream, const uv_buf_t bufs[], unsigned count,
      uv_write_cb written)
{
    fake_handle *h = state_of(stream);
    ASSERT(h->write == NULL && count <= SPANS_MAX && !h->closing);
    request->handle = stream;
    h->write = request;
    h->written = written;
    memcpy(h->spans, bufs, count * sizeof *bufs);
    h->span = 0;
    h->span_count = count;
    h->span_offset = h->left = 0;
    for (unsigned i = 0; i < count; i++) {
        h->left += bufs[i].len;
    }
    return 0;
}

FAKED(int, shutdown, uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb shut)
{
    fake_handle *h = state_of(stream);
    ASSERT(h->shutdown == NULL && !h->closing);
    if (h->link->reset && !net.frozen) {
        return UV_ENOTCONN;
    }
    request->handle = stream;
    h->shutdown = request;
    h->shut = shut;
    return 0;
}

// ---- server/net/acceptor.h, whose socket is the system's

int __wrap_acceptor_bind(const struct sockaddr *address, socklen_t size);
int __wrap_acceptor_bind(const struct sockaddr *address, socklen_t size)
{
    (void)address;
    (void)size;
    return DESCRIPTOR;
}

int __wrap_getsockname(int descriptor, struct sockaddr *out, socklen_t *size);
int __wrap_getsockname(int descriptor, struct sockaddr *out, socklen_t *size)
{
    struct sockaddr_in address = local_address(1);
    ASSERT(descriptor == DESCRIPTOR && *size >= sizeof address);
    memcpy(out, &address, sizeof address);
    return 0;
}

int __wrap_acceptor_begin(acceptor *a, int backlog);
int __wrap_acceptor_begin(acceptor *a, int backlog)
{
    (void)backlog;
    state_of(&a->again)->listens = a;
    return 0;
}

static void on_acceptor_closed(uv_handle_t *timer)
{
    const acceptor *a = timer->data;
    a->handler.closed(a->handler.context);
}

void __wrap_acceptor_close(acceptor *a);
void __wrap_acceptor_close(acceptor *a)
{
    a->closing = true;
    uv_close((uv_handle_t *)&a->again, on_acceptor_closed);
}

// ---- a round of the loop

static void end_write(fake_handle *h, int result)
{
    uv_write_t *request = h->write;
    h->write = NULL;
    h->left = result == 0 ? 0 : h->left;
    h->written(request, result);
}

static void go_on_writing(fake_handle *h)
{
    while (h->span < h->span_count) {
        const uv_buf_t *span = &h->spans[h->span];
        ssize_t taken =
            kernel_put(h->link, span->base + h->span_offset, span->len - h->span_offset);
        if (taken < 0) {
            end_write(h, (int)taken);
            return;
        }
        h->left -= (size_t)taken;
        h->span_offset += (size_t)taken;
        if (h->span_offset < span->len) {
            return;
        }
        h->span++;
        h->span_offset = 0;
    }
    end_write(h, 0);
}

static void go_on_reading(fake_handle *h)
{
    sim_link *l = h->link;
    size_t there = queue_size(&l->up);
    if (net.frozen) {
        return;
    }
    uv_buf_t buf = {0};
    if (l->reset) {
        h->reading = false;
        h->read((uv_stream_t *)h->handle, UV_ECONNRESET, &buf);
    } else if (there > 0) {
        size_t part = sim_one_in(2) ? there : 1 + (size_t)sim_random(there);
        part = sim_one_in(8) ? 1 : part;
        h->allocate(h->handle, READ_MAX, &buf);
        part = part < buf.len ? part : buf.len;
        queue_take_bytes(&l->up, buf.base, part);
        h->read((uv_stream_t *)h->handle, (ssize_t)part, &buf);
    } else if (l->up_ended && !h->told_end) {
        h->told_end = true;
        h->read((uv_stream_t *)h->handle, UV_EOF, &buf);
    }
}

static void serve_stream(fake_handle *h)
{
    if (h->write != NULL && !h->closing) {
        go_on_writing(h);
    }
    if (h->reading && !h->closing && !sim_one_in(4)) {
        go_on_reading(h);
    }
    if (h->shutdown != NULL && h->write == NULL && !h->closing) {
        uv_shutdown_t *request = h->shutdown;
        h->shutdown = NULL;
        h->link->down_ended = h->link->down_ended || !net.frozen;
        h->shut(request, 0);
    }
}

static void serve_timers(void)
{
    for (fake_handle *h = net.handles; h != NULL; h = h->next) {
        if (h->active && !h->closing && h->due_ms <= net.now_ms) {
            h->active = h->repeat_ms > 0;
            h->due_ms = net.now_ms + h->repeat_ms;
            h->fired((uv_timer_t *)h->handle);
        }
    }
}

static void serve_works(void)
{
    if (net.works == NULL || sim_one_in(3)) {
        return;
    }
    fake_work *w = net.works;
    if (!w->done) {
        w->done = true;
        w->work(w->request);
        return;
    }
    net.works = w->next;
    w->after(w->request, 0);
    free(w);
}

static void take_waiting(const acceptor_handler *to)
{
    while (net.waiting != NULL && !net.frozen && to->wanted(to->context)) {
        to->taken(to->context, DESCRIPTOR);
    }
}

static void serve_handles(void)
{
    for (fake_handle *h = net.handles; h != NULL; h = h->next) {
        if (h->prepared != NULL && !h->closing) {
            h->prepared((uv_prepare_t *)h->handle);
        }
    }
    for (fake_handle *h = net.handles; h != NULL; h = h->next) {
        if (h->sent && !h->closing) {
            h->sent = false;
            h->woken((uv_async_t *)h->handle);
        }
        if (h->listens != NULL && !h->closing) {
            take_waiting(&h->listens->handler);
        }
        if (h->link != NULL && !h->closing) {
            serve_stream(h);
        }
    }
}

static void close_handle(fake_handle *h)
{
    if (h->write != NULL) {
        end_write(h, UV_ECANCELED);
    }
    if (h->shutdown != NULL) {
        h->shut(h->shutdown, UV_ECANCELED);
    }
    if (h->link != NULL) {
        h->link->server_gone = h->link->reset = true;
        free_link_if_done(h->link);
    }
    if (h->listens != NULL) {
        refuse_waiting();
    }
    h->closed(h->handle);
    free(h);
}

// Calls the close callbacks of handles that were closing when it began; these may close others.
static void serve_closing(void)
{
    fake_handle *closing = NULL;
    for (fake_handle **link = &net.handles; *link != NULL;) {
        fake_handle *h = *link;
        if (h->closing) {
            *link = h->next;
            h->next = closing;
            closing = h;
        } else {
            link = &h->next;
        }
    }
    while (closing != NULL) {
        fake_handle *h = closing;
        closing = h->next;
        close_handle(h);
    }
}

bool fake_uv_turn(void)
{
    net.now_ms = (uint64_t)(sim.now_ns / NS_PER_MS);
    serve_timers();
    serve_works();
    serve_handles();
    serve_closing();
    return net.handles != NULL || net.works != NULL;
}
