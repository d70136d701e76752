// See peer.h.
#include "tests/bench/storage/peer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- connections

void peer_open(peer *p, const bench_server *s)
{
    *p = (peer){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(s->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    if (p->fd < 0 || connect(p->fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        give_up("no connection");
    }
}

void peer_close(peer *p)
{
    close(p->fd);
}

static void send_all(peer *p, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(p->fd, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            give_up("the server has hung up");
        }
        bytes += sent;
        size -= (size_t)sent;
    }
}

void peer_send(peer *p, const char *method, const msgpack_sbuffer *arguments)
{
    msgpack_sbuffer out;
    msgpack_packer k;
    msgpack_sbuffer_init(&out);
    msgpack_packer_init(&k, &out, msgpack_sbuffer_write);
    msgpack_pack_array(&k, 4);
    msgpack_pack_int(&k, 0);
    msgpack_pack_uint32(&k, ++p->id);
    put_text(&out, method);
    msgpack_pack_array(&k, 1);
    msgpack_sbuffer_write(&out, arguments->data, arguments->size);
    send_all(p, out.data, out.size);
    msgpack_sbuffer_destroy(&out);
}

static void take_answer(peer *p, const msgpack_object *message, const char *key, double *value)
{
    const msgpack_object *part = message->via.array.ptr;
    if (message->via.array.size != 4 || part[0].via.u64 != 1) {
        return;
    }
    if (part[2].type == MSGPACK_OBJECT_STR) {
        fprintf(stderr, "%.*s\n", (int)part[2].via.str.size, part[2].via.str.ptr);
        give_up("the server has refused a request");
    }
    p->answers++;
    for (uint32_t i = 0; key != NULL && i < part[3].via.map.size; i++) {
        const msgpack_object_kv *pair = &part[3].via.map.ptr[i];
        if (pair->key.via.str.size == strlen(key) &&
            memcmp(pair->key.via.str.ptr, key, strlen(key)) == 0) {
            *value = pair->val.type == MSGPACK_OBJECT_POSITIVE_INTEGER ? (double)pair->val.via.u64
                                                                       : pair->val.via.f64;
        }
    }
}

void peer_read(peer *p, const char *key, double *value)
{
    ssize_t got = recv(p->fd, p->input + p->size, sizeof p->input - p->size, 0);
    if (got <= 0) {
        give_up("the server has hung up");
    }
    p->size += (size_t)got;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t at = 0;
    while (msgpack_unpack_next(&unpacked, (const char *)p->input, p->size, &at) ==
           MSGPACK_UNPACK_SUCCESS) {
        take_answer(p, &unpacked.data, key, value);
    }
    msgpack_unpacked_destroy(&unpacked);
    memmove(p->input, p->input + at, p->size - at);
    p->size -= at;
}

void peer_call(peer *p, const char *method, const msgpack_sbuffer *arguments, const char *key,
               double *value)
{
    peer_send(p, method, arguments);
    while (p->answers < p->id) {
        peer_read(p, key, value);
    }
}

// ---- arguments

static msgpack_packer packer_of(msgpack_sbuffer *out)
{
    msgpack_packer k;
    msgpack_packer_init(&k, out, msgpack_sbuffer_write);
    return k;
}

void put_text(msgpack_sbuffer *out, const char *value)
{
    msgpack_packer k = packer_of(out);
    msgpack_pack_str(&k, strlen(value));
    msgpack_pack_str_body(&k, value, strlen(value));
}

void map_begin(msgpack_sbuffer *out, uint32_t pairs)
{
    msgpack_packer k = packer_of(out);
    msgpack_pack_map(&k, pairs);
}

void array_begin(msgpack_sbuffer *out, uint32_t count)
{
    msgpack_packer k = packer_of(out);
    msgpack_pack_array(&k, count);
}

void map_key(msgpack_sbuffer *out, const char *key)
{
    put_text(out, key);
}

void map_text(msgpack_sbuffer *out, const char *key, const char *value)
{
    put_text(out, key);
    put_text(out, value);
}

void map_number(msgpack_sbuffer *out, const char *key, double value)
{
    put_text(out, key);
    msgpack_packer k = packer_of(out);
    msgpack_pack_double(&k, value);
}

void map_uint(msgpack_sbuffer *out, const char *key, uint64_t value)
{
    put_text(out, key);
    msgpack_packer k = packer_of(out);
    msgpack_pack_uint64(&k, value);
}

void map_bool(msgpack_sbuffer *out, const char *key, bool value)
{
    put_text(out, key);
    msgpack_packer k = packer_of(out);
    value ? msgpack_pack_true(&k) : msgpack_pack_false(&k);
}

void map_vector(msgpack_sbuffer *out, const char *key, double x, double y)
{
    put_text(out, key);
    msgpack_packer k = packer_of(out);
    msgpack_pack_array(&k, 2);
    msgpack_pack_double(&k, x);
    msgpack_pack_double(&k, y);
}
