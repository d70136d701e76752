// See fake_server.h.
#include "tests/unit/client/fake_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/lib/value_wire.h"
#include "common/base/assert.h"
#include "proto/wire/buffer.h"
#include "proto/wire/rpc.h"
#include "proto/wire/scanner.h"

enum { INPUT_MAX = 16 << 20, METHOD_MAX = 64 };

struct fake_server {
    fake_options options;
    int listener, connection;
    int wake[2]; // a byte on it ends the thread
    uint16_t port;
    pthread_t thread;
    pthread_mutex_t lock; // guards the fields below, and writing
    unsigned received;
    uint64_t received_bytes;
    scanner scan;
    uint8_t *input;
    size_t scanned, end;
    bool spoken; // the connection has said hello
};

// ---- sockets

static int listen_on_loopback(uint16_t *port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof where;
    ASSERT(bind(fd, (struct sockaddr *)&where, size) == 0);
    ASSERT(listen(fd, 16) == 0);
    ASSERT(getsockname(fd, (struct sockaddr *)&where, &size) == 0);
    *port = ntohs(where.sin_port);
    return fd;
}

uint16_t fake_closed_port(void)
{
    uint16_t port;
    close(listen_on_loopback(&port));
    return port;
}

void fake_send(fake_server *s, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    pthread_mutex_lock(&s->lock);
    while (size > 0 && s->connection >= 0) {
        ssize_t n = send(s->connection, at, size, MSG_NOSIGNAL);
        if (n <= 0) {
            break;
        }
        at += n;
        size -= (size_t)n;
    }
    pthread_mutex_unlock(&s->lock);
}

void fake_hang_up(fake_server *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->connection >= 0) {
        shutdown(s->connection, SHUT_RDWR); // the thread sees the end and closes
    }
    pthread_mutex_unlock(&s->lock);
}

// ---- messages out

static void send_packed(fake_server *s, buffer *packed)
{
    fake_send(s, packed->data, packed->size);
    buffer_deinit(packed);
}

void fake_reply(fake_server *s, uint32_t id, carom_value *result)
{
    buffer packed;
    buffer_init(&packed, INPUT_MAX);
    msgpack_packer packer = buffer_packer(&packed);
    rpc_pack_response(&packer, id);
    value_pack(&packer, result, CAROM_VALUE_DEPTH_MAX, NULL);
    carom_value_free(result);
    send_packed(s, &packed);
}

void fake_refuse(fake_server *s, uint32_t id, const char *text)
{
    buffer packed;
    buffer_init(&packed, INPUT_MAX);
    msgpack_packer packer = buffer_packer(&packed);
    msgpack_pack_array(&packer, 4);
    msgpack_pack_int(&packer, RPC_RESPONSE);
    msgpack_pack_uint32(&packer, id);
    rpc_pack_text(&packer, text);
    msgpack_pack_nil(&packer);
    send_packed(s, &packed);
}

void fake_notify(fake_server *s, const char *named, carom_value *params)
{
    buffer packed;
    buffer_init(&packed, INPUT_MAX);
    msgpack_packer packer = buffer_packer(&packed);
    rpc_pack_notification(&packer, named);
    value_pack(&packer, params, CAROM_VALUE_DEPTH_MAX, NULL);
    carom_value_free(params);
    send_packed(s, &packed);
}

static carom_value *hello_result(void)
{
    carom_value *v = carom_map();
    carom_set(v, "protocol", carom_uint(1));
    carom_set(v, "server", carom_str("fake"));
    carom_set(v, "session", carom_uint(7));
    return carom_set(v, "role", carom_str("admin"));
}

void fake_answer(fake_server *s, const fake_message *m)
{
    if (!m->request || strcmp(m->method, "silence") == 0) {
        return;
    }
    if (strcmp(m->method, "hello") == 0) {
        fake_reply(s, m->id, hello_result());
    } else if (strcmp(m->method, "echo") == 0) {
        fake_reply(s, m->id, carom_value_clone(m->args));
    } else {
        fake_refuse(s, m->id, "unknown_method: there is no such method");
    }
}

// ---- messages in

static void handle(fake_server *s, const uint8_t *bytes, size_t size)
{
    reader r = reader_open(bytes, size);
    uint32_t count = reader_array(&r);
    fake_message m = {.request = reader_unsigned(&r) == RPC_REQUEST};
    ASSERT(count == (m.request ? 4 : 3));
    if (m.request) {
        m.id = (uint32_t)reader_unsigned(&r);
    }
    char name[METHOD_MAX] = "";
    reader_text text = reader_get_text(&r);
    ASSERT(text.size < sizeof name);
    memcpy(name, text.bytes, text.size);
    m.method = name;
    ASSERT(reader_array(&r) == 1);
    carom_value *args = value_unpack(&r);
    ASSERT(carom_value_type(args) == CAROM_MAP && !r.failed);
    m.args = args;
    if (s->options.handler != NULL) {
        s->options.handler(s, &m, s->options.user);
    } else {
        fake_answer(s, &m);
    }
    pthread_mutex_lock(&s->lock);
    s->received++;
    pthread_mutex_unlock(&s->lock);
    carom_value_free(args);
}

static void end_connection(fake_server *s)
{
    pthread_mutex_lock(&s->lock);
    close(s->connection);
    s->connection = -1;
    pthread_mutex_unlock(&s->lock);
    s->scanned = s->end = 0;
    s->spoken = false;
    scanner_reset(&s->scan);
}

// Whether a connection begins with a request. Programs that look for a server which had this port
// before do not, and are hung up on.
static bool is_request(const uint8_t *bytes, size_t size)
{
    return size > 2 && bytes[0] == 0x94 && bytes[1] == RPC_REQUEST;
}

static void process(fake_server *s)
{
    size_t begin = 0;
    while (s->scanned < s->end) {
        size_t used;
        struct error why;
        scan_verdict verdict =
            scanner_feed(&s->scan, s->input + s->scanned, s->end - s->scanned, &used, &why);
        ASSERT(verdict != SCAN_REFUSED || !s->spoken);
        s->scanned += used;
        if (verdict == SCAN_MORE) {
            break;
        }
        if (!s->spoken && (verdict == SCAN_REFUSED || !is_request(s->input, s->scanned))) {
            end_connection(s);
            return;
        }
        s->spoken = true;
        handle(s, s->input + begin, s->scanned - begin);
        begin = s->scanned;
    }
    memmove(s->input, s->input + begin, s->end - begin);
    s->end -= begin;
    s->scanned -= begin;
}

static void receive(fake_server *s)
{
    ssize_t n = recv(s->connection, s->input + s->end, INPUT_MAX - s->end, 0);
    if (n <= 0) {
        end_connection(s);
        return;
    }
    s->end += (size_t)n;
    pthread_mutex_lock(&s->lock);
    s->received_bytes += (uint64_t)n;
    pthread_mutex_unlock(&s->lock);
    process(s);
}

static void take_connection(fake_server *s)
{
    int fd = accept(s->listener, NULL, NULL);
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pthread_mutex_lock(&s->lock);
    s->connection = fd;
    pthread_mutex_unlock(&s->lock);
}

static void *serve(void *argument)
{
    fake_server *s = argument;
    for (;;) {
        bool busy = s->connection >= 0;
        struct pollfd ready[] = {
            {.fd = s->wake[0], .events = POLLIN},
            {.fd = busy ? -1 : s->listener, .events = POLLIN},
            {.fd = busy && !s->options.deaf ? s->connection : -1, .events = POLLIN},
        };
        poll(ready, sizeof ready / sizeof *ready, -1);
        if (ready[0].revents != 0) {
            return NULL;
        }
        if (ready[1].revents != 0) {
            take_connection(s);
        } else if (ready[2].revents != 0) {
            receive(s);
        }
    }
}

// ---- life

fake_server *fake_start(const fake_options *options)
{
    fake_server *s = calloc(1, sizeof *s);
    ASSERT(s != NULL);
    s->options = options == NULL ? (fake_options){0} : *options;
    s->connection = -1;
    s->input = malloc(INPUT_MAX);
    ASSERT(s->input != NULL);
    scanner_limits limits = scanner_limits_default();
    limits.bytes_max = INPUT_MAX;
    scanner_init(&s->scan, &limits);
    s->listener = listen_on_loopback(&s->port);
    int bytes = s->options.receive_bytes;
    if (bytes > 0) {
        setsockopt(s->listener, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    ASSERT(pipe(s->wake) == 0);
    pthread_mutex_init(&s->lock, NULL);
    ASSERT(pthread_create(&s->thread, NULL, serve, s) == 0);
    return s;
}

void fake_stop(fake_server *s)
{
    ASSERT(write(s->wake[1], "", 1) == 1);
    pthread_join(s->thread, NULL);
    if (s->connection >= 0) {
        close(s->connection);
    }
    close(s->listener);
    close(s->wake[0]);
    close(s->wake[1]);
    pthread_mutex_destroy(&s->lock);
    free(s->input);
    free(s);
}

uint16_t fake_port(const fake_server *s)
{
    return s->port;
}

void fake_sync(fake_server *s)
{
    pthread_mutex_lock(&s->lock);
    pthread_mutex_unlock(&s->lock);
}

unsigned fake_received(fake_server *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned received = s->received;
    pthread_mutex_unlock(&s->lock);
    return received;
}

uint64_t fake_received_bytes(fake_server *s)
{
    pthread_mutex_lock(&s->lock);
    uint64_t bytes = s->received_bytes;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}
