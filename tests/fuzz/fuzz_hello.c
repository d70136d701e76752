// Hellos of strangers to a complete server (one for each input, whose loop is run by hand) over
// local sockets. An input is a series of hellos: protocol and client; tokens and secrets for a
// resume that are the input's own, valid, or valid with a changed byte; or params as bytes.
//
// Each request has one answer or the connection is closed; a session without a good token or secret
// has no role; a changed token or secret opens nothing.
#include <errno.h>
#include <msgpack.h>
#include <openssl/hmac.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/wire/buffer.h"
#include "proto/wire/rpc.h"
#include "proto/wire/scanner.h"
#include "server/session/service.h"
#include "tests/fuzz/fuzz.h"

enum { HELLOS_MAX = 12, TURNS_MAX = 2000, BYTES_MAX = 1 << 20, TOKEN_TEXT_MAX = 512 };

static const char KEYS[] = "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":"
                           "\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY\"}]}";
static const char SECRET[] = "0123456789abcdef0123456789abcdef"; // the value of k
static auth_keys *keys;
static char tokens[2][TOKEN_TEXT_MAX]; // tokens of two subjects

// ---- good tokens

static size_t encode(const uint8_t *data, size_t size, char *out)
{
    int length = EVP_EncodeBlock((uint8_t *)out, data, (int)size);
    for (int i = 0; i < length; i++) {
        out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
    }
    while (length > 0 && out[length - 1] == '=') {
        length--;
    }
    out[length] = '\0';
    return (size_t)length;
}

static void sign(const char *claims, char *out)
{
    static const char HEADER[] = "{\"alg\":\"HS256\",\"kid\":\"a\"}";
    uint8_t mac[32];
    unsigned mac_size = 0;
    size_t at = encode((const uint8_t *)HEADER, sizeof HEADER - 1, out);
    out[at++] = '.';
    at += encode((const uint8_t *)claims, strlen(claims), out + at);
    HMAC(EVP_sha256(), SECRET, sizeof SECRET - 1, (const uint8_t *)out, at, mac, &mac_size);
    out[at++] = '.';
    (void)encode(mac, mac_size, out + at);
}

static void prepare(void)
{
    signal(SIGPIPE, SIG_IGN); // as caromd does: a stranger may hang up before its answer
    char path[] = "/tmp/carom-fuzz-hello-XXXXXX";
    int file = mkstemp(path);
    ASSERT(file >= 0 && write(file, KEYS, sizeof KEYS - 1) == (ssize_t)sizeof KEYS - 1);
    close(file);
    status opened = auth_keys_open(path, &keys, NULL);
    (void)unlink(path);
    ASSERT(opened == STATUS_OK);
    sign("{\"sub\":\"ada\",\"role\":\"admin\",\"exp\":99999999999}", tokens[0]);
    sign("{\"sub\":\"bob\",\"role\":\"viewer\",\"exp\":99999999999}", tokens[1]);
    log_set_level(LOG_ERROR);
}

// ---- the server

typedef struct life {
    uv_loop_t loop;
    server *server;
    uint16_t port;
    bool finished;
} life;

static void on_ready(void *context)
{
    (void)context;
}

static void on_listening(void *context, const char *address, const char *http)
{
    life *l = context;
    ASSERT(http == NULL);
    l->port = (uint16_t)atoi(strrchr(address, ':') + 1);
}

static void on_finished(void *context, const error *err)
{
    life *l = context;
    ASSERT(err == NULL);
    l->finished = true;
}

static void turn_all(life *l)
{
    uv_run(&l->loop, UV_RUN_NOWAIT);
    for (uint32_t i = 0; i < l->server->sim_threads.count; i++) {
        (void)sim_thread_turn(l->server->sim_threads.data[i]);
    }
}

static void begin(life *l, server_options *options, const limits *bounds)
{
    *options = (server_options){.host = "127.0.0.1",
                                .hz = 60,
                                .threads = 1,
                                .world_threads = 1,
                                .limits = bounds,
                                .keys = keys,
                                .turned = true,
                                .first_number = 1,
                                .context = l,
                                .listening = on_listening,
                                .ready = on_ready,
                                .finished = on_finished};
    uv_loop_init(&l->loop);
    status s = server_create(&l->loop, options, &l->server, NULL);
    ASSERT(s == STATUS_OK);
    for (int i = 0; i < TURNS_MAX && l->port == 0; i++) {
        turn_all(l);
    }
    ASSERT(l->port != 0);
}

static void end(life *l)
{
    server_drain(l->server, "the input is over");
    for (int i = 0; i < TURNS_MAX && !l->finished; i++) {
        turn_all(l);
    }
    ASSERT(l->finished);
    uv_run(&l->loop, UV_RUN_DEFAULT);
    server_destroy(l->server);
    int closed = uv_loop_close(&l->loop);
    ASSERT(closed == 0);
}

// ---- a client

typedef struct client {
    int socket; // -1: closed
    bool known; // the client has shown a valid token or secret
} client;

static void hang_up(client *c)
{
    if (c->socket >= 0) {
        close(c->socket);
    }
    *c = (client){.socket = -1};
}

static void dial(client *c, uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *c = (client){.socket = socket(AF_INET, SOCK_STREAM, 0)};
    ASSERT(c->socket >= 0);
    // Closes the socket with a reset: thousands of inputs a second would leave no port free for a
    // minute.
    const struct linger reset = {.l_onoff = 1};
    int set = setsockopt(c->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ASSERT(set == 0);
    int done = connect(c->socket, (struct sockaddr *)&to, sizeof to);
    ASSERT(done == 0);
}

typedef struct answer {
    bool came; // false: the connection was closed
    bool good;
    char role[16], resume[SECRET_TEXT_MAX];
} answer;

static void copy_text(const msgpack_object *map, const char *key, char *out, size_t size)
{
    const msgpack_object *text = rpc_map_get(map, key);
    if (text != NULL && text->type == MSGPACK_OBJECT_STR && text->via.str.size < size) {
        memcpy(out, text->via.str.ptr, text->via.str.size);
        out[text->via.str.size] = '\0';
    }
}

// Whether the message is the response; other messages are notices of the end.
static bool read_response(const uint8_t *bytes, size_t size, uint32_t id, answer *a)
{
    rpc_message m;
    rpc_verdict verdict = rpc_decode(bytes, size, &m, NULL);
    ASSERT(verdict == RPC_GOOD && m.kind != RPC_REQUEST);
    bool mine = m.kind == RPC_RESPONSE;
    if (mine) {
        ASSERT(m.id == id);
        a->came = true;
        a->good = m.error.type == MSGPACK_OBJECT_NIL;
        if (a->good) {
            copy_text(&m.result, "role", a->role, sizeof a->role);
            copy_text(&m.result, "resume", a->resume, sizeof a->resume);
            ASSERT(a->role[0] != '\0');
        } else {
            ASSERT(m.error.type == MSGPACK_OBJECT_STR && m.error.via.str.size > 0);
        }
    }
    rpc_message_deinit(&m);
    return mine;
}

// Runs the server's loop until the answer or the end of the connection arrives.
static answer await(life *l, client *c, uint32_t id)
{
    answer a = {0};
    buffer in;
    scanner_limits bounds = scanner_limits_default();
    scanner s;
    size_t at = 0;
    buffer_init(&in, BYTES_MAX);
    scanner_init(&s, &bounds);
    for (int i = 0; i < TURNS_MAX && !a.came; i++) {
        uint8_t piece[4096];
        turn_all(l);
        ssize_t got = recv(c->socket, piece, sizeof piece, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) {
            hang_up(c);
            break;
        }
        buffer_append(&in, piece, got > 0 ? (size_t)got : 0);
        size_t used = 0;
        while (!a.came && at < in.size &&
               scanner_feed(&s, in.data + at, in.size - at, &used, NULL) == SCAN_MESSAGE) {
            a.came = read_response(in.data + at, used, id, &a);
            at += used;
            scanner_init(&s, &bounds);
        }
        if (at < in.size) {
            scanner_init(&s, &bounds); // the rest is read again with later input
        }
    }
    buffer_deinit(&in);
    ASSERT(a.came || c->socket < 0); // every request has an answer
    return a;
}

// ---- an input

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static uint8_t take_byte(reader *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

// Takes the text up to the next zero.
static size_t take_text(reader *r, const char **text)
{
    *text = (const char *)r->at;
    size_t left = (size_t)(r->end - r->at);
    const uint8_t *zero = left > 0 ? memchr(r->at, 0, left) : NULL;
    size_t size = zero != NULL ? (size_t)(zero - r->at) : left;
    r->at += size + (zero != NULL ? 1 : 0);
    return size;
}

// The way in which a token or a secret is given.
typedef enum given { GIVEN_NOT, GIVEN_TEXT, GIVEN_GOOD, GIVEN_CHANGED } given;

static void pack_text(msgpack_packer *p, const char *text, size_t size)
{
    msgpack_pack_str(p, size);
    msgpack_pack_str_body(p, text, size);
}

// The first byte of a token or secret that must be right. A secret begins with the session's slot,
// up to a point: a hint that is not checked, as a session that came from another server has another
// slot.
static size_t checked_from(const char *key, const char *good)
{
    const char *point = strcmp(key, "resume") == 0 ? strchr(good, '.') : NULL;
    return point != NULL ? (size_t)(point - good) + 1 : 0;
}

static void pack_given(msgpack_packer *p, const char *key, given how, const char *good, reader *r)
{
    char changed[TOKEN_TEXT_MAX + SECRET_TEXT_MAX];
    const char *text = good;
    size_t size = strlen(good);
    if (how == GIVEN_NOT) {
        return;
    }
    if (how == GIVEN_TEXT) {
        size = take_text(r, &text);
    } else if (how == GIVEN_CHANGED && size > 0) {
        size_t from = checked_from(key, good);
        size_t place = from + ((size_t)take_byte(r) << 8 | take_byte(r)) % (size - from);
        uint8_t by = take_byte(r) & 0x7f; // UTF-8 still
        memcpy(changed, good, size);
        changed[place] = (char)(changed[place] ^ (by == 0 ? 1 : by));
        text = changed;
    }
    pack_text(p, key, strlen(key));
    pack_text(p, text, size);
}

static void pack_params(buffer *out, reader *r, uint8_t how, const char *token, const char *resume)
{
    msgpack_packer p = buffer_packer(out);
    given with_token = (given)(how & 3), with_resume = (given)(how >> 2 & 3);
    msgpack_pack_array(&p, 1);
    msgpack_pack_map(&p, 2u + (with_token != GIVEN_NOT) + (with_resume != GIVEN_NOT));
    pack_text(&p, "protocol", 8);
    msgpack_pack_int(&p, (how & 16) != 0 ? (int8_t)take_byte(r) : 1);
    const char *name = "fuzz";
    size_t size = (how & 32) != 0 ? take_text(r, &name) : 4;
    pack_text(&p, "client", 6);
    pack_text(&p, name, size);
    pack_given(&p, "token", with_token, token, r);
    pack_given(&p, "resume", with_resume, resume, r);
}

// Bit 6 of `how`: the params are the rest of the input; bit 7: a new connection is used, and the
// old one is lost if the next byte is odd.
static void say_hello(life *l, client *c, reader *r, uint32_t id, char *resume)
{
    uint8_t how = take_byte(r);
    given with_token = (given)(how & 3), with_resume = (given)(how >> 2 & 3);
    if (c->socket < 0 || (how & 128) != 0) {
        hang_up(c);
        dial(c, l->port);
    }
    buffer out;
    buffer_init(&out, BYTES_MAX);
    msgpack_packer p = buffer_packer(&out);
    msgpack_pack_array(&p, 4);
    msgpack_pack_int(&p, 0);
    msgpack_pack_uint32(&p, id);
    pack_text(&p, "hello", 5);
    bool raw = (how & 64) != 0;
    if (raw) {
        buffer_append(&out, r->at, (size_t)(r->end - r->at));
        r->at = r->end;
    } else {
        pack_params(&out, r, how, tokens[how >> 7], resume);
    }
    ASSERT(!out.overflow);
    ssize_t sent = send(c->socket, out.data, out.size, MSG_NOSIGNAL);
    if (raw) {
        (void)shutdown(c->socket, SHUT_WR); // the bytes may be an incomplete message
    }
    buffer_deinit(&out);
    if (sent < 0) {
        hang_up(c);
        return;
    }
    bool had_secret = *resume != '\0';
    answer a = await(l, c, id);
    if (!a.came) {
        return;
    }
    bool good_token = !raw && with_token == GIVEN_GOOD;
    bool good_secret = !raw && with_resume == GIVEN_GOOD && had_secret;
    if (a.good) {
        c->known = c->known || good_token || good_secret;
        ASSERT(c->known == (strcmp(a.role, "none") != 0));
        ASSERT(raw || with_token != GIVEN_CHANGED);
        ASSERT(c->known || a.resume[0] == '\0');
        memcpy(resume, a.resume[0] != '\0' ? a.resume : resume, SECRET_TEXT_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (keys == NULL) {
        prepare();
    }
    limits bounds = limits_default();
    server_options options;
    life l = {0};
    client c = {.socket = -1};
    char resume[SECRET_TEXT_MAX] = "";
    reader r = {data, data + size};
    begin(&l, &options, &bounds);
    for (uint32_t id = 1; id <= HELLOS_MAX && r.at < r.end; id++) {
        say_hello(&l, &c, &r, id, resume);
    }
    hang_up(&c);
    end(&l);
    return 0;
}
