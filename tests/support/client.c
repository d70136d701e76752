// A blocking socket with the product's own scanner and JSON; see client.h. The test's thread.
#include "tests/support/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "proto/limits.h"
#include "proto/wire/scanner.h"
#include "tests/support/process.h"

enum { CHUNK = 65536, TEXT_MAX = 1 << 20 };

void client_open(client *c, uint16_t port)
{
    *c = (client){.next_id = 1};
    c->last = &c->first;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(c->fd >= 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(c->fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        fail_msg("connect: %s", strerror(errno));
    }
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void client_close(client *c)
{
    close(c->fd);
    free(c->data);
    while (c->first != NULL) {
        client_message *gone = c->first;
        c->first = gone->next;
        msgpack_unpacked_destroy(&gone->unpacked);
        free(gone->bytes);
        free(gone);
    }
    c->last = &c->first;
}

// ---- out

void client_send(client *c, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size > 0 && !c->ended) {
        ssize_t sent = send(c->fd, at, size, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
            return; // what the server said before can still be read
        }
        assert_true(sent > 0);
        at += sent;
        size -= (size_t)sent;
    }
}

void client_end_output(client *c)
{
    shutdown(c->fd, SHUT_WR);
}

static void send_text(client *c, const char *text)
{
    buffer out;
    error err;
    buffer_init(&out, WIRE_MESSAGE_BYTES_MAX);
    if (json_text_to_msgpack(text, strlen(text), &out, &err) != STATUS_OK) {
        fail_msg("%s: %s", err.text, text);
    }
    client_send(c, out.data, out.size);
    buffer_deinit(&out);
}

void client_send_json(client *c, const char *format, ...)
{
    static char text[TEXT_MAX];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(size >= 0 && (size_t)size < sizeof text);
    send_text(c, text);
}

static uint32_t send_call(client *c, bool wants_answer, const char *method, const char *format,
                          va_list args)
{
    static char text[TEXT_MAX];
    uint32_t id = wants_answer ? c->next_id++ : 0;
    int head = wants_answer ? snprintf(text, sizeof text, "[0,%u,\"%s\",[", id, method)
                            : snprintf(text, sizeof text, "[2,\"%s\",[", method);
    int size = vsnprintf(text + head, sizeof text - (size_t)head, format, args);
    assert_true(size >= 0 && (size_t)(head + size) < sizeof text - 3);
    memcpy(text + head + size, "]]", 3);
    send_text(c, text);
    return id;
}

uint32_t client_request(client *c, const char *method, const char *arguments, ...)
{
    va_list args;
    va_start(args, arguments);
    uint32_t id = send_call(c, true, method, arguments, args);
    va_end(args);
    return id;
}

void client_notify(client *c, const char *method, const char *arguments, ...)
{
    va_list args;
    va_start(args, arguments);
    send_call(c, false, method, arguments, args);
    va_end(args);
}

// ---- in

static void keep_message(client *c, const uint8_t *bytes, size_t size)
{
    client_message *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->bytes = malloc(size);
    assert_non_null(m->bytes);
    memcpy(m->bytes, bytes, size);
    msgpack_unpacked_init(&m->unpacked);
    size_t offset = 0;
    msgpack_unpack_return result = msgpack_unpack_next(&m->unpacked, m->bytes, size, &offset);
    if (result != MSGPACK_UNPACK_SUCCESS || offset != size) {
        fail_msg("what the server sent is not MessagePack (%d)", (int)result);
    }
    *c->last = m;
    c->last = &m->next;
}

static void cut_messages(client *c)
{
    scanner s;
    scanner_limits limits = scanner_limits_reply();
    scanner_init(&s, &limits);
    size_t begin = 0;
    for (;;) {
        size_t used = 0;
        error err;
        scan_verdict verdict = scanner_feed(&s, c->data + begin, c->size - begin, &used, &err);
        if (verdict == SCAN_REFUSED) {
            fail_msg("what the server sent was refused: %s", err.text);
        }
        if (verdict == SCAN_MORE) {
            break;
        }
        keep_message(c, c->data + begin, used);
        begin += used;
    }
    memmove(c->data, c->data + begin, c->size - begin);
    c->size -= begin;
}

bool client_receive(client *c, int timeout_ms)
{
    struct pollfd ready = {.fd = c->fd, .events = POLLIN};
    if (c->ended || poll(&ready, 1, timeout_ms) <= 0) {
        return false;
    }
    if (c->capacity - c->size < CHUNK) {
        c->capacity = c->capacity == 0 ? (size_t)2 * CHUNK : c->capacity * 2;
        c->data = realloc(c->data, c->capacity);
        assert_non_null(c->data);
    }
    ssize_t size = recv(c->fd, c->data + c->size, c->capacity - c->size, 0);
    if (size <= 0) {
        c->ended = true;
        return false;
    }
    c->size += (size_t)size;
    cut_messages(c);
    return true;
}

// The first message that was not taken and is of the kind, with this id or method.
static client_message *find_message(client *c, uint64_t kind, uint32_t id, const char *method)
{
    for (client_message *m = c->first; m != NULL; m = m->next) {
        const msgpack_object *o = &m->unpacked.data;
        if (m->taken || obj_uint(obj_at(o, 0)) != kind) {
            continue;
        }
        const msgpack_object *name = obj_at(o, 1);
        if (kind == 1 ? obj_uint(name) == id : strcmp(obj_text(name), method) == 0) {
            return m;
        }
    }
    return NULL;
}

static client_message *wait_message(client *c, uint64_t kind, uint32_t id, const char *method,
                                    int timeout_ms)
{
    int64_t until = test_now_ms() + timeout_ms;
    client_message *found = find_message(c, kind, id, method);
    while (found == NULL && !c->ended) {
        int64_t left = until - test_now_ms();
        if (left <= 0 && timeout_ms > 0) {
            break;
        }
        bool came = client_receive(c, left > 0 ? (int)left : 0);
        found = find_message(c, kind, id, method);
        if (!came && timeout_ms == 0) {
            break;
        }
    }
    if (found != NULL) {
        found->taken = true;
    }
    return found;
}

const msgpack_object *client_response(client *c, uint32_t id)
{
    client_message *m = wait_message(c, 1, id, NULL, CLIENT_WAIT_MS);
    if (m == NULL) {
        fail_msg("no response to request %u%s", id, c->ended ? ": the server has closed" : "");
    }
    return &m->unpacked.data;
}

const msgpack_object *client_result(client *c, uint32_t id)
{
    const msgpack_object *response = client_response(c, id);
    const msgpack_object *failure = obj_at(response, 2);
    if (failure->type != MSGPACK_OBJECT_NIL) {
        fail_msg("request %u failed: %s", id, obj_text(failure));
    }
    return obj_at(response, 3);
}

const char *client_error(client *c, uint32_t id)
{
    const msgpack_object *response = client_response(c, id);
    assert_int_equal(obj_at(response, 3)->type, MSGPACK_OBJECT_NIL);
    return obj_text(obj_at(response, 2));
}

const msgpack_object *client_call(client *c, const char *method, const char *arguments, ...)
{
    va_list args;
    va_start(args, arguments);
    uint32_t id = send_call(c, true, method, arguments, args);
    va_end(args);
    return client_result(c, id);
}

const char *client_call_error(client *c, const char *method, const char *arguments, ...)
{
    va_list args;
    va_start(args, arguments);
    uint32_t id = send_call(c, true, method, arguments, args);
    va_end(args);
    return client_error(c, id);
}

const msgpack_object *client_notification(client *c, const char *method, int timeout_ms)
{
    client_message *m = wait_message(c, 2, 0, method, timeout_ms);
    return m != NULL ? obj_at(obj_at(&m->unpacked.data, 2), 0) : NULL;
}

const msgpack_object *client_snapshot(client *c)
{
    const msgpack_object *snapshot = client_notification(c, "snapshot", CLIENT_WAIT_MS);
    if (snapshot == NULL) {
        fail_msg("no snapshot%s", c->ended ? ": the server has closed" : "");
    }
    return snapshot;
}

const char *client_closed(client *c)
{
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    while (!c->ended && test_now_ms() < until) {
        client_receive(c, 100);
    }
    if (!c->ended) {
        fail_msg("the server did not close");
    }
    const msgpack_object *closing = client_notification(c, "closing", 0);
    if (closing == NULL) {
        return "";
    }
    static char reason[1024];
    snprintf(reason, sizeof reason, "%s: %s", obj_get_text(closing, "code"),
             obj_get_text(closing, "reason"));
    return reason;
}
