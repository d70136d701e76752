// See fake_etcd.h.
#include "tests/unit/fleet/fake_etcd.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { CLIENTS_MAX = 64, REQUEST_MAX = 1 << 20 };

struct fake_client {
    uv_tcp_t tcp;
    fake_etcd *of;
    char *in;
    size_t size;
};

struct fake_etcd {
    uv_loop_t *loop;
    uv_tcp_t listener;
    fake_request request;
    void *context;
    fake_client *clients[CLIENTS_MAX];
    char url[64];
};

static void on_client_closed(uv_handle_t *handle)
{
    fake_client *c = handle->data;
    free(c->in);
    free(c);
}

void fake_hang_up(fake_client *c)
{
    for (int i = 0; i < CLIENTS_MAX; i++) {
        if (c->of->clients[i] == c) {
            c->of->clients[i] = NULL;
            uv_close((uv_handle_t *)&c->tcp, on_client_closed);
        }
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    static char bytes[65536];
    (void)handle, (void)suggested;
    *out = uv_buf_init(bytes, sizeof bytes);
}

// Hands on a request if it is whole.
static void take_request(fake_client *c)
{
    c->in[c->size] = '\0';
    const char *end = strstr(c->in, "\r\n\r\n");
    const char *length = strstr(c->in, "Content-Length: ");
    if (end == NULL || length == NULL) {
        return;
    }
    const size_t whole = (size_t)(end + 4 - c->in) + strtoul(length + 16, NULL, 10);
    if (c->size < whole) {
        return;
    }
    char path[128] = "";
    ASSERT(c->size == whole && sscanf(c->in, "POST %127s", path) == 1);
    char *body = strdup(end + 4);
    c->size = 0;
    c->of->request(c->of->context, c, path, body);
    free(body);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    fake_client *c = stream->data;
    if (size < 0) {
        fake_hang_up(c);
        return;
    }
    ASSERT(c->size + (size_t)size < REQUEST_MAX);
    memcpy(c->in + c->size, buf->base, (size_t)size);
    c->size += (size_t)size;
    take_request(c);
}

static void on_connection(uv_stream_t *listener, int failed)
{
    fake_etcd *f = listener->data;
    ASSERT(failed == 0);
    fake_client *c = calloc(1, sizeof *c);
    *c = (fake_client){.of = f, .in = malloc(REQUEST_MAX)};
    (void)uv_tcp_init(f->loop, &c->tcp);
    c->tcp.data = c;
    int place = 0;
    while (f->clients[place] != NULL) {
        place++;
        ASSERT(place < CLIENTS_MAX);
    }
    f->clients[place] = c;
    failed = uv_accept(listener, (uv_stream_t *)&c->tcp);
    ASSERT(failed == 0);
    (void)uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
}

fake_etcd *fake_etcd_open(uv_loop_t *loop, fake_request request, void *context)
{
    fake_etcd *f = calloc(1, sizeof *f);
    *f = (fake_etcd){.loop = loop, .request = request, .context = context};
    struct sockaddr_in at;
    int size = sizeof at;
    (void)uv_ip4_addr("127.0.0.1", 0, &at);
    (void)uv_tcp_init(loop, &f->listener);
    f->listener.data = f;
    int failed = uv_tcp_bind(&f->listener, (const struct sockaddr *)&at, 0);
    ASSERT(failed == 0);
    failed = uv_listen((uv_stream_t *)&f->listener, CLIENTS_MAX, on_connection);
    ASSERT(failed == 0);
    failed = uv_tcp_getsockname(&f->listener, (struct sockaddr *)&at, &size);
    ASSERT(failed == 0);
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    return f;
}

const char *fake_etcd_url(const fake_etcd *f)
{
    return f->url;
}

void fake_etcd_close(fake_etcd *f)
{
    uv_close((uv_handle_t *)&f->listener, NULL);
    for (int i = 0; i < CLIENTS_MAX; i++) {
        if (f->clients[i] != NULL) {
            fake_hang_up(f->clients[i]);
        }
    }
}

void fake_etcd_free(fake_etcd *f)
{
    free(f);
}

static void on_written(uv_write_t *write, int failed)
{
    (void)failed;
    free(write->data);
    free(write);
}

void fake_write(fake_client *c, const void *data, size_t size)
{
    uv_write_t *write = calloc(1, sizeof *write);
    write->data = malloc(size + 1);
    memcpy(write->data, data, size);
    const uv_buf_t buf = uv_buf_init(write->data, (unsigned)size);
    (void)uv_write(write, (uv_stream_t *)&c->tcp, &buf, 1, on_written);
}

void fake_answer(fake_client *c, int code, const char *body)
{
    char head[128];
    snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n", code, strlen(body));
    fake_write(c, head, strlen(head));
    fake_write(c, body, strlen(body));
}

void fake_stream(fake_client *c)
{
    static const char HEAD[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    fake_write(c, HEAD, strlen(HEAD));
}
