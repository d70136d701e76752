// See acceptor.h. accept(2) lists the errors.
#include "server/net/acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/log.h"

enum {
    // Descriptors that connections never take, an eighth at most: a flood of those that are refused
    // or closing, which no limit counts, leaves them to files.
    KEPT_DESCRIPTORS = 24,
    COMPLAIN_MS = 5000
};

// ---- the reserve

static void take_reserve(acceptor *a)
{
    if (a->reserve < 0) {
        a->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
}

static void drop_reserve(acceptor *a)
{
    if (a->reserve >= 0) {
        (void)close(a->reserve);
        a->reserve = -1;
    }
}

// ---- taking

static int take_one(const acceptor *a)
{
    return accept4(a->descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void complain(acceptor *a, int error)
{
    const uint64_t now = uv_now(a->again.loop);
    if (!a->complained || now - a->complained_ms >= COMPLAIN_MS) {
        a->complained = true;
        a->complained_ms = now;
        log_warn("cannot accept a connection: %s", strerror(error));
    }
}

// A connection that failed while it waited; the ones behind it are sound.
static bool is_of_connection(int error)
{
    return error == ECONNABORTED || error == EINTR || error == EPROTO || error == ENETDOWN ||
           error == ENOPROTOOPT || error == EHOSTDOWN || error == ENONET || error == EHOSTUNREACH ||
           error == ENETUNREACH || error == EPERM;
}

static void turn_away(const acceptor *a, int descriptor)
{
    (void)close(descriptor);
    if (a->handler.refused != NULL) {
        a->handler.refused(a->handler.context);
    }
}

// Uses the reserve to take a connection and close it. False: another thread was quicker, or there
// is another reason.
static bool turn_one_away(acceptor *a)
{
    drop_reserve(a);
    const int descriptor = take_one(a);
    if (descriptor >= 0) {
        turn_away(a, descriptor);
    }
    take_reserve(a);
    return descriptor >= 0;
}

// The system gives the lowest free number: this many descriptors are in use.
static bool is_too_high(const acceptor *a, int descriptor)
{
    return (rlim_t)descriptor >= a->bound;
}

static void on_again(uv_timer_t *timer);
static void on_ready(uv_poll_t *poll, int result, int events);

static void poll_socket(acceptor *a)
{
    const int result = uv_poll_start(&a->ready, UV_READABLE, on_ready);
    ASSERT(result == 0);
}

static void pause_polling(acceptor *a)
{
    (void)uv_poll_stop(&a->ready);
    (void)uv_timer_start(&a->again, on_again, ACCEPTOR_PAUSE_MS, 0);
}

static void on_again(uv_timer_t *timer)
{
    acceptor *a = timer->data;
    take_reserve(a);
    poll_socket(a);
}

// False: nothing can be taken for some time.
static bool handle_failure(acceptor *a, int error)
{
    if (is_of_connection(error)) {
        return true;
    }
    complain(a, error);
    return (error == EMFILE || error == ENFILE) && turn_one_away(a);
}

static void on_ready(uv_poll_t *poll, int result, int events)
{
    acceptor *a = poll->data;
    (void)result, (void)events; // accept4() finds any error itself
    for (int i = 0; i < ACCEPTOR_TAKEN_MOST && !a->closing && a->handler.wanted(a->handler.context);
         i++) {
        const int descriptor = take_one(a);
        const int error = descriptor >= 0 ? 0 : errno;
        if (error == EAGAIN || error == EWOULDBLOCK) {
            return;
        }
        if (error == 0 && is_too_high(a, descriptor)) {
            complain(a, EMFILE);
            turn_away(a, descriptor);
        } else if (error == 0) {
            a->handler.taken(a->handler.context, descriptor);
        } else if (!handle_failure(a, error)) {
            pause_polling(a);
            return;
        }
    }
}

// ---- its life

static rlim_t bound_now(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
        return RLIM_INFINITY;
    }
    const rlim_t kept = files.rlim_cur / 8;
    return files.rlim_cur - (kept < KEPT_DESCRIPTORS ? kept : KEPT_DESCRIPTORS);
}

int acceptor_bind(const struct sockaddr *address, socklen_t size)
{
    const int descriptor =
        socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    if (descriptor < 0) {
        return -errno;
    }
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(descriptor, address, size) != 0) {
        const int error = errno;
        (void)close(descriptor);
        return -error;
    }
    return descriptor;
}

void acceptor_init(acceptor *a, uv_loop_t *loop, int descriptor, const acceptor_handler *handler)
{
    ASSERT(descriptor >= 0);
    *a = (acceptor){.handler = *handler, .descriptor = descriptor, .reserve = -1, .open = 1};
    (void)uv_timer_init(loop, &a->again);
    a->again.data = a->ready.data = a;
}

// A socket of the service manager blocks.
static bool unblock(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

int acceptor_begin(acceptor *a, int backlog)
{
    ASSERT(!a->begun && !a->closing);
    if (!unblock(a->descriptor) || listen(a->descriptor, backlog) != 0) {
        return -errno;
    }
    const int result = uv_poll_init(a->again.loop, &a->ready, a->descriptor);
    if (result != 0) {
        return result;
    }
    a->open++;
    a->begun = true;
    a->bound = bound_now();
    take_reserve(a);
    poll_socket(a);
    return 0;
}

static void on_closed(uv_handle_t *handle)
{
    acceptor *a = handle->data;
    ASSERT(a->open > 0);
    if (--a->open == 0) {
        a->handler.closed(a->handler.context);
    }
}

void acceptor_close(acceptor *a)
{
    ASSERT(!a->closing);
    a->closing = true;
    uv_close((uv_handle_t *)&a->again, on_closed);
    if (a->begun) {
        uv_close((uv_handle_t *)&a->ready, on_closed);
    }
    (void)close(a->descriptor);
    drop_reserve(a);
}
