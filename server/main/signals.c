// Signals and the service manager's watchdog; see process.h. The signals have handlers of their
// own, as process 1 of a container has no others; SIGPIPE and SIGXFSZ are ignored, as writes return
// their errors. A second SIGTERM or SIGINT ends the process at once.
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/auth/keys.h"
#include "server/main/process.h"
#include "server/process/notify.h"

enum {
    CERTIFICATE_LOW_DAYS = 7 // warn when a certificate expires in fewer days
};

static void on_signal(uv_signal_t *handle, int number)
{
    process *p = handle->data;
    const char *name = number == SIGINT ? "SIGINT" : "SIGTERM";
    if (p->server == NULL && p->joining) {
        p->signals++;
        p->joining = false;
        return;
    }
    if (p->server == NULL) {
        return;
    }
    if (++p->signals > 1) {
        log_warn("%s again: exiting at once", name);
        _exit(EXIT_COULD_NOT_RUN);
    }
    log_info("%s: shutting down", name);
    notify_send("STOPPING=1");
    server_move_away(p->server, "the server is shutting down");
}

static void on_leave(uv_signal_t *handle, int number)
{
    process *p = handle->data;
    (void)number;
    if (p->server != NULL) {
        log_info("SIGUSR1: no new sessions from now on");
        server_leave(p->server, "the server is about to end");
    }
}

void process_log_certificate(const tls_files *files)
{
    if (files == NULL) {
        return;
    }
    int64_t left = tls_files_expiry(files) - (int64_t)time(NULL);
    if (left < CERTIFICATE_LOW_DAYS * 86400) {
        log_warn("the certificate %s%llu %s%s", left < 0 ? "ended " : "ends in ",
                 COUNTED((left < 0 ? -left : left) / 86400, "day", "days"), left < 0 ? " ago" : "");
    } else {
        log_info("read a certificate that is valid for %llu %s",
                 COUNTED(left / 86400, "day", "days"));
    }
}

static void on_reload(uv_signal_t *handle, int number)
{
    process *p = handle->data;
    error err;
    (void)number;
    notify_reloading();
    if (p->keys == NULL && p->tls == NULL) {
        log_info("SIGHUP: no keys and no certificate to reload");
    }
    if (p->tls != NULL && tls_files_reload(p->tls, &err) != STATUS_OK) {
        log_error("SIGHUP: keeping the old certificate: %s", err.text);
    } else if (p->tls != NULL) {
        process_log_certificate(p->tls);
    }
    if (p->keys != NULL && auth_keys_reload(p->keys, &err) != STATUS_OK) {
        log_error("SIGHUP: keeping the old keys: %s", err.text);
    } else if (p->keys != NULL) {
        log_info("SIGHUP: %llu %s read",
                 COUNTED(auth_keys_set(p->keys)->count, "key was", "keys were"));
        if (p->server != NULL) {
            server_check_keys(p->server);
        }
    }
    notify_send("READY=1");
}

static void on_watchdog(uv_timer_t *timer)
{
    (void)timer;
    notify_send("WATCHDOG=1");
}

void process_watch_signals(process *p)
{
#ifdef __SANITIZE_THREAD__
    // A thread sanitizer's runtime prepares for signals in a thread's first blocking call, and
    // loses a signal that arrives in that moment.
    (void)poll(NULL, 0, 0);
#endif
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    uv_signal_init(&p->loop, &p->terminate);
    uv_signal_init(&p->loop, &p->interrupt);
    uv_signal_init(&p->loop, &p->leave);
    uv_signal_init(&p->loop, &p->reload);
    p->terminate.data = p->interrupt.data = p->leave.data = p->reload.data = p;
    int result = uv_signal_start(&p->terminate, on_signal, SIGTERM);
    ASSERT(result == 0);
    result = uv_signal_start(&p->interrupt, on_signal, SIGINT);
    ASSERT(result == 0);
    result = uv_signal_start(&p->leave, on_leave, SIGUSR1);
    ASSERT(result == 0);
    result = uv_signal_start(&p->reload, on_reload, SIGHUP);
    ASSERT(result == 0);
    uv_timer_init(&p->loop, &p->watchdog);
    uint64_t period_ms = notify_watchdog_ms();
    if (period_ms > 0) {
        uv_timer_start(&p->watchdog, on_watchdog, 0, period_ms);
    }
}
