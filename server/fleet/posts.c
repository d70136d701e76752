// libcurl on libuv; see posts.h. libcurl says which sockets to watch and when to be called; a
// uv_poll each and one uv_timer do so. A post is delivered from deliver() alone.
#include "server/fleet/posts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "common/base/assert.h"

struct post {
    posts *of;
    post *next, *previous;
    uint64_t number; // never used again
    CURL *easy;
    struct curl_slist *headers;
    post_handler handler;
    char *body; // answer's bytes that are not consumed yet; room for a closing zero
    size_t size, capacity;
    size_t size_max;
    bool fresh;   // bytes arrived since `data` was called
    bool too_big; // the answer exceeded size_max
    char why[CURL_ERROR_SIZE];
};

struct posts {
    uv_loop_t *loop;
    const posts_tls *tls;
    CURLM *multi;
    uv_timer_t timer;
    post *first;
    uint64_t begun;   // requests so far
    uint32_t handles; // open handles, the timer included
    bool closing;
    bool delivering;
    void (*closed)(void *context);
    void *context;
};

typedef struct watched_socket {
    uv_poll_t poll;
    posts *of;
    curl_socket_t fd;
} watched_socket;

static void unlink_post(post *one)
{
    *(one->previous != NULL ? &one->previous->next : &one->of->first) = one->next;
    if (one->next != NULL) {
        one->next->previous = one->previous;
    }
}

static void free_post(post *one)
{
    curl_easy_cleanup(one->easy);
    curl_slist_free_all(one->headers);
    free(one->body);
    free(one);
}

// ---- delivery

static post_outcome outcome_of(const post *one, CURLcode result)
{
    switch (result) {
    case CURLE_OK:
        return POST_ANSWERED;
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
        return POST_NOT_SENT;
    default: {
        // A connection that was never made (timed out, for example) carried nothing.
        curl_off_t connected_us = 0;
        curl_off_t sent = 0;
        (void)curl_easy_getinfo(one->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
        (void)curl_easy_getinfo(one->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
        return connected_us == 0 && sent == 0 ? POST_NOT_SENT : POST_LOST;
    }
    }
}

static bool speaks_tls(const post *one)
{
    char *scheme = NULL;
    (void)curl_easy_getinfo(one->easy, CURLINFO_SCHEME, &scheme);
    return scheme != NULL && strcasecmp(scheme, "https") == 0;
}

// By TLS 1.3 the peer refuses a client's certificate only after the client has finished its own
// part: the request then seems to be sent, and the connection breaks. An etcd that wants TLS ends a
// plain connection in the same way.
static bool broke_without_answer(const post *one, CURLcode result)
{
    return one->size == 0 && (result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR ||
                              result == CURLE_GOT_NOTHING);
}

// OpenSSL's and GnuTLS' words for bytes that are no TLS, or for a connection that ends at the first
// one of TLS.
static bool speaks_plainly(const post *one, CURLcode result)
{
    return result == CURLE_SSL_CONNECT_ERROR &&
           (strstr(one->why, "wrong version number") != NULL ||
            strstr(one->why, "unexpected TLS packet") != NULL ||
            strstr(one->why, "SSL_ERROR_SYSCALL") != NULL ||
            strstr(one->why, "reset by peer") != NULL ||
            strstr(one->why, "unexpected eof") != NULL);
}

static void finish(post *one, CURLcode result)
{
    posts *p = one->of;
    post_end end = {.outcome = outcome_of(one, result), .size = one->size, .why = ""};
    if (end.outcome == POST_ANSWERED) {
        (void)curl_easy_getinfo(one->easy, CURLINFO_RESPONSE_CODE, &end.code);
    } else if (one->too_big) {
        snprintf(one->why, sizeof one->why, "its answer has more than %zu bytes", one->size_max);
        end.why = one->why;
    } else {
        end.why = *one->why != '\0' ? one->why : curl_easy_strerror(result);
        if (result == CURLE_PEER_FAILED_VERIFICATION) {
            const size_t used = strlen(one->why);
            snprintf(one->why + used, sizeof one->why - used,
                     " (--fleet-ca names the authorities that may sign etcd's certificate)");
        } else if (speaks_plainly(one, result)) {
            end.why = "it does not speak TLS there: it may want http:// (--fleet)";
        } else if (broke_without_answer(one, result)) {
            end.why = speaks_tls(one) ? "it closed the connection without an answer: it may not "
                                        "accept this server's certificate (--fleet-cert)"
                                      : "it closed the connection without an answer: it may want "
                                        "https:// (--fleet)";
        }
    }
    one->body[one->size] = '\0';
    end.body = one->body;
    (void)curl_multi_remove_handle(p->multi, one->easy);
    unlink_post(one); // the handler may close the client
    one->handler.done(one->handler.context, &end);
    free_post(one);
}

static bool deliver_data(posts *p)
{
    post *one = p->first;
    while (one != NULL && !(one->fresh && one->handler.data != NULL)) {
        one = one->next;
    }
    if (one == NULL) {
        return false;
    }
    one->fresh = false;
    // The handler may cancel the post, which frees it: its bytes are its own until then.
    char *body = one->body;
    const size_t size = one->size;
    const uint64_t number = one->number;
    one->body = NULL;
    one->size = one->capacity = 0;
    const size_t consumed = one->handler.data(one->handler.context, body, size);
    ASSERT(consumed <= size);
    const post *there = p->first;
    while (there != NULL && there->number != number) {
        there = there->next;
    }
    if (there == NULL) {
        free(body);
        return true;
    }
    memmove(body, body + consumed, size - consumed);
    one->body = body;
    one->size = size - consumed;
    one->capacity = size;
    return true;
}

static bool deliver_end(posts *p)
{
    int left = 0;
    CURLMsg *message = curl_multi_info_read(p->multi, &left);
    if (message == NULL) {
        return false;
    }
    if (message->msg == CURLMSG_DONE) {
        post *one = NULL;
        const CURLcode result = message->data.result;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&one);
        finish(one, result);
    }
    return true;
}

static void deliver(posts *p)
{
    if (p->delivering) {
        return;
    }
    p->delivering = true;
    while (!p->closing && (deliver_data(p) || deliver_end(p))) {
    }
    p->delivering = false;
}

// ---- callbacks of libcurl

static size_t on_body(char *bytes, size_t one, size_t count, void *context)
{
    post *of = context;
    const size_t size = one * count;
    if (size > of->size_max - of->size) {
        of->too_big = true;
        return 0; // ends the request
    }
    if (of->size + size + 1 > of->capacity + 1 || of->body == NULL) {
        of->capacity = 2 * of->size + size;
        of->body = realloc(of->body, of->capacity + 1);
        ASSERT_MEMORY(of->body != NULL);
    }
    memcpy(of->body + of->size, bytes, size);
    of->size += size;
    of->fresh = true;
    return size;
}

static void on_timer(uv_timer_t *timer)
{
    posts *p = timer->data;
    int running = 0;
    (void)curl_multi_socket_action(p->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    deliver(p);
}

static int on_timeout(CURLM *multi, long timeout_ms, void *context)
{
    posts *p = context;
    (void)multi;
    if (p->closing || timeout_ms < 0) {
        (void)uv_timer_stop(&p->timer);
    } else {
        (void)uv_timer_start(&p->timer, on_timer, (uint64_t)timeout_ms, 0);
    }
    return 0;
}

static void on_poll(uv_poll_t *poll, int failed, int events)
{
    watched_socket *s = poll->data;
    posts *p = s->of;
    int running = 0;
    int flags = failed != 0 ? CURL_CSELECT_ERR : 0;
    flags |= (events & UV_READABLE) != 0 ? CURL_CSELECT_IN : 0;
    flags |= (events & UV_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0;
    (void)curl_multi_socket_action(p->multi, s->fd, flags, &running);
    deliver(p);
}

static void note_closed(posts *p)
{
    ASSERT(p->handles > 0);
    if (--p->handles == 0) {
        void (*closed)(void *context) = p->closed;
        void *context = p->context;
        free(p);
        closed(context);
    }
}

static void on_poll_closed(uv_handle_t *handle)
{
    watched_socket *s = handle->data;
    posts *p = s->of;
    free(s);
    note_closed(p);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *assigned)
{
    posts *p = context;
    watched_socket *s = assigned;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s != NULL) {
            (void)curl_multi_assign(p->multi, fd, NULL);
            (void)uv_poll_stop(&s->poll);
            uv_close((uv_handle_t *)&s->poll, on_poll_closed);
        }
        return 0;
    }
    if (s == NULL) {
        s = calloc(1, sizeof *s);
        ASSERT_MEMORY(s != NULL);
        *s = (watched_socket){.of = p, .fd = fd};
        s->poll.data = s;
        if (uv_poll_init_socket(p->loop, &s->poll, fd) != 0) {
            free(s);
            return -1;
        }
        p->handles++;
        (void)curl_multi_assign(p->multi, fd, s);
    }
    int events = (what & CURL_POLL_IN) != 0 ? UV_READABLE : 0;
    events |= (what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0;
    (void)uv_poll_start(&s->poll, events, on_poll);
    return 0;
}

// ---- the client and its requests

status posts_open(uv_loop_t *loop, const posts_tls *tls, posts **out, error *err)
{
    enum { IDLE_CONNECTIONS_MAX = 16 };
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
        return error_set(err, STATUS_INTERNAL, "libcurl does not start");
    }
    posts *p = calloc(1, sizeof *p);
    ASSERT_MEMORY(p != NULL);
    *p = (posts){.loop = loop, .tls = tls, .multi = curl_multi_init(), .handles = 1};
    ASSERT_MEMORY(p->multi != NULL);
    (void)uv_timer_init(loop, &p->timer);
    p->timer.data = p;
    (void)curl_multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    (void)curl_multi_setopt(p->multi, CURLMOPT_SOCKETDATA, p);
    (void)curl_multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
    (void)curl_multi_setopt(p->multi, CURLMOPT_TIMERDATA, p);
    (void)curl_multi_setopt(p->multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS_MAX);
    *out = p;
    return STATUS_OK;
}

static void on_timer_closed(uv_handle_t *handle)
{
    note_closed(handle->data);
}

void posts_close(posts *p, void (*closed)(void *context), void *context)
{
    ASSERT(!p->closing);
    p->closing = true;
    p->closed = closed;
    p->context = context;
    while (p->first != NULL) {
        post_cancel(p->first);
    }
    (void)curl_multi_cleanup(p->multi); // stops watching the sockets
    uv_close((uv_handle_t *)&p->timer, on_timer_closed);
    curl_global_cleanup();
}

static void set_tls(CURL *easy, const posts_tls *tls)
{
    if (tls == NULL) {
        return;
    }
    if (tls->authorities != NULL) {
        (void)curl_easy_setopt(easy, CURLOPT_CAINFO, tls->authorities);
        (void)curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    if (tls->certificate != NULL) {
        (void)curl_easy_setopt(easy, CURLOPT_SSLCERT, tls->certificate);
        (void)curl_easy_setopt(easy, CURLOPT_SSLKEY, tls->key);
    }
}

// A peer that vanished is noticed by the kernel's own probes; streams have no other bound.
static void set_probes(CURL *easy)
{
    enum { PROBE_AFTER_S = 5, PROBE_EVERY_S = 2 };
    (void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)PROBE_AFTER_S);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)PROBE_EVERY_S);
}

post *post_begin(posts *p, const post_options *options)
{
    ASSERT(!p->closing && options->connect_ms > 0 && options->handler.done != NULL);
    post *one = calloc(1, sizeof *one);
    ASSERT_MEMORY(one != NULL);
    *one = (post){.of = p,
                  .next = p->first,
                  .number = ++p->begun,
                  .easy = curl_easy_init(),
                  .handler = options->handler,
                  .body = malloc(1),
                  .size_max = options->answer_size_max};
    ASSERT_MEMORY(one->easy != NULL && one->body != NULL);
    if (p->first != NULL) {
        p->first->previous = one;
    }
    p->first = one;
    // "Expect:" empty: large bodies are sent at once.
    one->headers = curl_slist_append(NULL, "Content-Type: application/json");
    one->headers = curl_slist_append(one->headers, "Expect:");
    CURL *easy = one->easy;
    (void)curl_easy_setopt(easy, CURLOPT_URL, options->url);
    (void)curl_easy_setopt(easy, CURLOPT_PRIVATE, one);
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(easy, CURLOPT_PROXY, "");
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, one->why);
    (void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, one->headers);
    (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)strlen(options->body));
    (void)curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, options->body);
    (void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, options->method); // NULL: POST
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, one);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_ms);
    (void)curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)options->whole_ms);
    set_probes(easy);
    set_tls(easy, p->tls);
    (void)curl_multi_add_handle(p->multi, easy);
    return one;
}

void post_cancel(post *one)
{
    (void)curl_multi_remove_handle(one->of->multi, one->easy);
    unlink_post(one);
    free_post(one);
}
