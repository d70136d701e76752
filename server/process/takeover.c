// Both sides of a takeover; see takeover.h. Main thread only.
#include "server/process/takeover.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/physics/physics.h"

enum { DESCRIPTORS_MAX = 2 * NETWORK_LISTENERS_MAX, HANDLES = 3, MS_PER_S = 1000 };

static const char RELEASED[] = "released";
static const char SERVING[] = "serving";
static const char READY[] = "ready";
static const char BUSY[] = "the server begins or ends just now, or brings worlds back: try again "
                           "when /readyz answers 200";

// ---- messages

typedef struct message {
    char text[TAKEOVER_MESSAGE_MAX];
    int descriptors[DESCRIPTORS_MAX]; // owned by the receiver
    int count;
} message;

typedef union control {
    struct cmsghdr head; // aligns the buffer
    char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
} control;

static bool send_message(int to, const char *text, const int *descriptors, int count)
{
    char word[TAKEOVER_MESSAGE_MAX];
    size_t size = strnlen(text, sizeof word - 1); // longer reasons are cut
    memcpy(word, text, size);
    struct iovec span = {.iov_base = word, .iov_len = size};
    control passed = {0};
    struct msghdr m = {.msg_iov = &span, .msg_iovlen = 1};
    if (count > 0) {
        size_t bytes = (size_t)count * sizeof(int);
        m.msg_control = passed.bytes;
        m.msg_controllen = CMSG_SPACE(bytes);
        struct cmsghdr *head = CMSG_FIRSTHDR(&m);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(bytes);
        memcpy(CMSG_DATA(head), descriptors, bytes);
    }
    return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

static void drop_descriptors(message *m)
{
    for (int i = 0; i < m->count; i++) {
        (void)close(m->descriptors[i]);
    }
    m->count = 0;
}

// False if no message came, with errno (0: the peer closed). Descriptors of an invalid message are
// closed.
static bool receive_message(int from, message *out)
{
    struct iovec span = {.iov_base = out->text, .iov_len = sizeof out->text - 1};
    control passed = {0};
    struct msghdr m = {.msg_iov = &span,
                       .msg_iovlen = 1,
                       .msg_control = passed.bytes,
                       .msg_controllen = sizeof passed.bytes};
    ssize_t size = 0;
    do {
        size = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    out->count = 0;
    if (size <= 0) {
        errno = size == 0 ? 0 : errno;
        return false;
    }
    out->text[size] = '\0';
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h != NULL; h = CMSG_NXTHDR(&m, h)) {
        if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
            size_t bytes = h->cmsg_len - CMSG_LEN(0);
            ASSERT(bytes <= sizeof out->descriptors);
            memcpy(out->descriptors, CMSG_DATA(h), bytes);
            out->count = (int)(bytes / sizeof(int));
        }
    }
    if ((m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        drop_descriptors(out);
        errno = EMSGSIZE;
        return false;
    }
    return true;
}

static status fill_address(const char *path, struct sockaddr_un *out, error *err)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) > TAKEOVER_PATH_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s': a socket's path has %d bytes at most; --takeover-socket names "
                         "another",
                         path, TAKEOVER_PATH_MAX);
    }
    memcpy(out->sun_path, path, strlen(path) + 1);
    return STATUS_OK;
}

// ---- the old process

typedef enum stage { STAGE_NONE, STAGE_ASKED, STAGE_READY, STAGE_STOPPING, STAGE_RELEASED } stage;

struct takeover {
    uv_poll_t listening; // first member: the data of all handles is the takeover
    uv_poll_t talking;
    uv_timer_t patience;
    uv_loop_t *loop;
    takeover_handler handler;
    char path[TAKEOVER_PATH_MAX + 1];
    dev_t device; // identify the data directory
    ino_t inode;
    int listener; // -1 after it is closed
    int peer;     // -1: none
    stage stage;
    int handles; // handles not yet closed
    bool talks;  // `talking` is initialised for this peer
    bool closing;
    bool owned; // the path leads to this process's socket
};

static void on_closed(uv_handle_t *handle)
{
    takeover *t = handle->data;
    t->handles--;
}

static void on_talk_over(uv_handle_t *handle)
{
    takeover *t = handle->data;
    t->handles--;
    t->talks = false;
    if (t->stage == STAGE_NONE && t->peer >= 0) {
        (void)close(t->peer);
        t->peer = -1;
    }
}

// Stops reading from the peer; its descriptor stays open where it is still needed.
static void end_talk(takeover *t)
{
    uv_timer_stop(&t->patience);
    if (t->talks && !uv_is_closing((uv_handle_t *)&t->talking)) {
        uv_poll_stop(&t->talking);
        uv_close((uv_handle_t *)&t->talking, on_talk_over);
    }
}

static void drop_peer(takeover *t, const char *why)
{
    log_warn("nobody takes over: %s", why);
    t->stage = STAGE_NONE;
    end_talk(t);
}

static void refuse(takeover *t, const char *why)
{
    char text[TAKEOVER_MESSAGE_MAX + sizeof "refused "];
    (void)snprintf(text, sizeof text, "refused %s", why);
    (void)send_message(t->peer, text, NULL, 0);
    drop_peer(t, why);
}

static void on_impatience(uv_timer_t *timer)
{
    drop_peer(timer->data, "the new process did not say in time that it is ready");
}

static void take_question(takeover *t, const message *m)
{
    unsigned engine = 0;
    uint64_t device = 0;
    uint64_t inode = 0;
    char why[TAKEOVER_MESSAGE_MAX];
    if (sscanf(m->text, "takeover 2 %u %" SCNu64 " %" SCNu64, &engine, &device, &inode) != 3) {
        refuse(t, "it does not speak version 2 of the takeover");
        return;
    }
    if (engine != ENGINE_BEHAVIOUR) {
        snprintf(why, sizeof why,
                 "its engine's behaviour is %u and the running one's is %d: worlds would not go on "
                 "as they were; stop this server, then start the new one",
                 engine, (int)ENGINE_BEHAVIOUR);
        refuse(t, why);
        return;
    }
    if (device != (uint64_t)t->device || inode != (uint64_t)t->inode) {
        refuse(t, "its --data is another directory");
        return;
    }
    listen_sockets rpc;
    listen_sockets http;
    if (!t->handler.sockets(t->handler.context, &rpc, &http)) {
        refuse(t, BUSY);
        return;
    }
    int sockets[DESCRIPTORS_MAX];
    memcpy(sockets, rpc.fd, (size_t)rpc.count * sizeof(int));
    memcpy(sockets + rpc.count, http.fd, (size_t)http.count * sizeof(int));
    snprintf(why, sizeof why, "listening %d %d", rpc.count, http.count);
    if (!send_message(t->peer, why, sockets, rpc.count + http.count)) {
        drop_peer(t, strerror(errno));
        return;
    }
    t->stage = STAGE_READY;
}

static void take_ready(takeover *t, const message *m)
{
    if (strcmp(m->text, READY) != 0) {
        refuse(t, "it did not say that it is ready");
        return;
    }
    t->stage = STAGE_STOPPING;
    if (!t->handler.stop(t->handler.context)) {
        t->stage = STAGE_READY;
        refuse(t, BUSY);
        return;
    }
    end_talk(t);
}

static void on_talk(uv_poll_t *poll, int result, int events)
{
    takeover *t = poll->data;
    message m;
    (void)events;
    if (result != 0 || !receive_message(t->peer, &m)) {
        if (result == 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        }
        drop_peer(t, "the new process ended before it was ready");
        return;
    }
    drop_descriptors(&m);
    if (t->stage == STAGE_ASKED) {
        take_question(t, &m);
    } else if (t->stage == STAGE_READY) {
        take_ready(t, &m);
    }
}

static bool may_take_over(int peer)
{
    struct ucred is;
    socklen_t size = sizeof is;
    return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &is, &size) == 0 &&
           (is.uid == geteuid() || is.uid == 0);
}

static void on_peer(uv_poll_t *poll, int result, int events)
{
    takeover *t = poll->data;
    (void)events;
    int peer = result == 0 ? accept4(t->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
    if (peer < 0) {
        return;
    }
    bool allowed = may_take_over(peer);
    if (!allowed || t->talks || t->stage != STAGE_NONE) {
        (void)send_message(peer,
                           allowed ? "refused another process takes over just now"
                                   : "refused it belongs to another user",
                           NULL, 0);
        (void)close(peer);
        return;
    }
    ASSERT(t->peer < 0 && !t->closing);
    t->peer = peer;
    t->stage = STAGE_ASKED;
    t->talks = true;
    t->handles++;
    t->talking.data = t;
    result = uv_poll_init(t->loop, &t->talking, peer);
    ASSERT(result == 0);
    uv_poll_start(&t->talking, UV_READABLE | UV_DISCONNECT, on_talk);
    uv_timer_start(&t->patience, on_impatience, TAKEOVER_ASK_MS, 0);
}

// Binds under another name and renames, so that the path always leads to a socket that listens.
static status bind_at(takeover *t, const struct sockaddr_un *address, error *err)
{
    struct sockaddr_un beside;
    struct stat found;
    char path[TAKEOVER_PATH_MAX + 1 + 16];
    if (lstat(t->path, &found) == 0 && !S_ISSOCK(found.st_mode)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' exists and is not a socket", t->path);
    }
    snprintf(path, sizeof path, "%s.new", address->sun_path);
    status s = fill_address(path, &beside, err);
    if (s != STATUS_OK) {
        return s;
    }
    (void)unlink(path);
    if (bind(t->listener, (const struct sockaddr *)&beside, sizeof beside) != 0 ||
        chmod(path, S_IRUSR | S_IWUSR) != 0 || listen(t->listener, 1) != 0 ||
        rename(path, t->path) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s': %s", t->path, strerror(errno));
    }
    t->owned = true;
    return STATUS_OK;
}

static void close_listener(takeover *t)
{
    if (t->owned) {
        (void)unlink(t->path);
        t->owned = false;
    }
    if (t->listener >= 0) {
        (void)close(t->listener);
        t->listener = -1;
    }
}

status takeover_open(uv_loop_t *loop, const char *path, const char *data,
                     const takeover_handler *handler, takeover **out, error *err)
{
    struct sockaddr_un address;
    struct stat directory;
    status s = fill_address(path, &address, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (stat(data, &directory) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s': %s", data, strerror(errno));
    }
    takeover *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    *t = (takeover){.loop = loop,
                    .handler = *handler,
                    .device = directory.st_dev,
                    .inode = directory.st_ino,
                    .peer = -1,
                    .handles = 2};
    memcpy(t->path, path, strlen(path) + 1);
    t->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    s = t->listener >= 0 ? bind_at(t, &address, err)
                         : error_set(err, STATUS_UNAVAILABLE, "%s", strerror(errno));
    if (s != STATUS_OK) {
        close_listener(t);
        free(t);
        return s;
    }
    t->listening.data = t->patience.data = t;
    int result = uv_poll_init(loop, &t->listening, t->listener);
    ASSERT(result == 0);
    uv_poll_start(&t->listening, UV_READABLE, on_peer);
    uv_timer_init(loop, &t->patience);
    *out = t;
    return STATUS_OK;
}

void takeover_release(takeover *t, int worlds)
{
    ASSERT(t->stage == STAGE_STOPPING);
    t->stage = STAGE_RELEASED;
    if (t->owned) { // a new process has put its own socket there
        (void)unlink(t->path);
        t->owned = false;
    }
    if (!send_message(t->peer, RELEASED, &worlds, 1)) {
        // Takeover_await reports the failure
        log_warn("cannot notify the new process: %s", strerror(errno));
    }
}

void takeover_close(takeover *t)
{
    if (t == NULL || t->closing) {
        return;
    }
    ASSERT(t->handles >= 2);
    t->closing = true;
    end_talk(t);
    uv_poll_stop(&t->listening);
    uv_close((uv_handle_t *)&t->listening, on_closed);
    uv_close((uv_handle_t *)&t->patience, on_closed);
}

bool takeover_await(takeover *t, int *pid)
{
    ASSERT(t->handles == 0 && t->stage == STAGE_RELEASED);
    struct ucred is = {0};
    socklen_t size = sizeof is;
    int events = 0; // waits without a timeout: the new process is in charge while it lives
    (void)getsockopt(t->peer, SOL_SOCKET, SO_PEERCRED, &is, &size);
    *pid = is.pid;
    message m;
    bool come = false;
    do {
        struct pollfd readable = {.fd = t->peer, .events = POLLIN};
        events = poll(&readable, 1, -1);
        come = events > 0 && receive_message(t->peer, &m);
    } while (!come && (events < 0 ? errno == EINTR : errno == EAGAIN));
    if (come) {
        drop_descriptors(&m);
    }
    return come && strcmp(m.text, SERVING) == 0;
}

void takeover_free(takeover *t)
{
    if (t == NULL) {
        return;
    }
    ASSERT(t->handles == 0);
    close_listener(t);
    if (t->peer >= 0) {
        (void)close(t->peer);
    }
    free(t);
}

// ---- the new process

// Waits for an answer whose first word is `word`.
static status receive_word(takeover_gift *g, const char *word, uint64_t wait_ms, message *m,
                           error *err)
{
    struct timeval wait = {.tv_sec = (time_t)(wait_ms / MS_PER_S)};
    (void)setsockopt(g->peer, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    if (!receive_message(g->peer, m)) {
        return error_set(err, STATUS_UNAVAILABLE, "the running server has not answered: %s",
                         errno == 0 ? "it closed the connection" : strerror(errno));
    }
    if (strncmp(m->text, word, strlen(word)) != 0) {
        bool refused = strncmp(m->text, "refused ", 8) == 0;
        drop_descriptors(m);
        return error_set(err, STATUS_UNAVAILABLE, "the running server continues: %.200s",
                         refused ? m->text + 8 : "it speaks another version of the takeover");
    }
    return STATUS_OK;
}

static status take_sockets(takeover_gift *g, message *m, error *err)
{
    int rpc = 0;
    int http = 0;
    if (sscanf(m->text, "listening %d %d", &rpc, &http) != 2 || rpc < 1 ||
        rpc > NETWORK_LISTENERS_MAX || http < 0 || http > NETWORK_LISTENERS_MAX ||
        rpc + http != m->count) {
        drop_descriptors(m);
        return error_set(err, STATUS_UNAVAILABLE,
                         "the running server continues: its sockets did not arrive as announced");
    }
    g->rpc.count = rpc;
    g->http.count = http;
    memcpy(g->rpc.fd, m->descriptors, (size_t)rpc * sizeof(int));
    memcpy(g->http.fd, m->descriptors + rpc, (size_t)http * sizeof(int));
    return STATUS_OK;
}

static status converse(takeover_gift *g, const char *path, const char *data, error *err)
{
    struct sockaddr_un address;
    struct stat directory;
    message m;
    status s = fill_address(path, &address, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (stat(data, &directory) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "--data '%s': %s", data, strerror(errno));
    }
    if (connect(g->peer, (const struct sockaddr *)&address, sizeof address) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "no server listens at '%s': %s", path,
                         strerror(errno));
    }
    char question[TAKEOVER_MESSAGE_MAX];
    snprintf(question, sizeof question, "takeover 2 %d %" PRIu64 " %" PRIu64, (int)ENGINE_BEHAVIOUR,
             (uint64_t)directory.st_dev, (uint64_t)directory.st_ino);
    (void)send_message(g->peer, question, NULL, 0);
    s = receive_word(g, "listening ", TAKEOVER_ASK_MS, &m, err);
    return s == STATUS_OK ? take_sockets(g, &m, err) : s;
}

status takeover_ask(const char *path, const char *data, takeover_gift *out, error *err)
{
    *out = (takeover_gift){.peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    if (out->peer < 0) {
        return error_set(err, STATUS_UNAVAILABLE, "%s", strerror(errno));
    }
    status s = converse(out, path, data, err);
    if (s != STATUS_OK) {
        (void)close(out->peer);
        out->peer = -1;
    }
    return s;
}

status takeover_ready(takeover_gift *g, error *err)
{
    message m;
    (void)send_message(g->peer, READY, NULL, 0);
    status s = receive_word(g, RELEASED, TAKEOVER_RELEASE_MS, &m, err);
    if (s == STATUS_OK && m.count != 1) {
        const int count = m.count;
        drop_descriptors(&m);
        return error_set(err, STATUS_UNAVAILABLE,
                         "the running server did not pass its worlds: %d descriptors, expected 1",
                         count);
    }
    if (s == STATUS_OK) {
        g->worlds = m.descriptors[0];
    }
    return s;
}

void takeover_serving(takeover_gift *g)
{
    (void)send_message(g->peer, SERVING, NULL, 0);
    (void)close(g->peer);
    g->peer = -1;
    if (g->worlds > 0) {
        (void)close(g->worlds);
        g->worlds = 0;
    }
}
