// caromd: reads the operator's settings, runs the loop, ends on SIGTERM and SIGINT; on SIGUSR1 it
// takes no new sessions and ends later; on SIGHUP it reads its keys again.
//
// The signals have handlers of their own, as process 1 of a container has no others; SIGPIPE is
// ignored, as writes return their errors. A second SIGTERM or
// SIGINT ends the process at once.
// Exit codes: 0 after a clean shutdown, 1 when the server could not run, 2 for a wrong option.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/auth/keys.h"
#include "server/config.h"
#include "server/session/server.h"
#include "server/storage/storage.h"
#include "server/world/thread_pool.h"

enum {
    CERTIFICATE_LOW_DAYS = 7, // left of a certificate, below which it is worth a warning
    EXIT_COULD_NOT_RUN = 1,
    EXIT_WRONG_OPTION = 2,
    // Worlds and sessions are numbered from the time on, so that no number comes back after a
    // restart as long as fewer are made a second.
    NUMBERS_A_SECOND = 1000,
    OWN_DESCRIPTORS = 96 // beside its connections: the loop's, files, those being turned away
};

typedef struct process {
    uv_loop_t loop;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    uv_signal_t leave;  // SIGUSR1
    uv_signal_t reload; // SIGHUP
    server *server;
    auth_keys *keys; // NULL: none
    tls_files *tls;  // NULL: none
    int signals;     // that have come
    bool failed;
} process;

static void on_signal(uv_signal_t *handle, int number)
{
    process *p = handle->data;
    const char *name = number == SIGINT ? "SIGINT" : "SIGTERM";
    if (p->server == NULL) {
        return;
    }
    if (++p->signals > 1) {
        log_warn("%s again: leaving at once", name);
        _exit(EXIT_COULD_NOT_RUN);
    }
    log_info("%s: shutting down", name);
    server_drain(p->server, "the server is shutting down");
}

static void on_leave(uv_signal_t *handle, int number)
{
    process *p = handle->data;
    (void)number;
    if (p->server != NULL) {
        log_info("SIGUSR1: no new sessions from here on");
        server_leave(p->server, "the server is about to end");
    }
}

static void tell_certificate(const tls_files *files)
{
    int64_t left = tls_files_expiry(files) - (int64_t)time(NULL);
    if (left < CERTIFICATE_LOW_DAYS * 86400) {
        log_warn("the certificate %s%lld days%s", left < 0 ? "ended " : "ends in ",
                 (long long)(left < 0 ? -left : left) / 86400, left < 0 ? " ago" : "");
    } else {
        log_info("a certificate was read that holds for %lld days", (long long)left / 86400);
    }
}

static void on_reload(uv_signal_t *handle, int number)
{
    process *p = handle->data;
    error err;
    (void)number;
    if (p->keys == NULL && p->tls == NULL) {
        log_info("SIGHUP: there are neither keys nor a certificate to be read again");
    }
    if (p->tls != NULL && tls_files_reload(p->tls, &err) != STATUS_OK) {
        log_error("SIGHUP: the certificate stays as it is: %s", err.text);
    } else if (p->tls != NULL) {
        tell_certificate(p->tls);
    }
    if (p->keys == NULL) {
        return;
    }
    if (auth_keys_reload(p->keys, &err) != STATUS_OK) {
        log_error("SIGHUP: the keys stay as they are: %s", err.text);
    } else {
        log_info("SIGHUP: %u keys were read", auth_keys_set(p->keys)->count);
    }
}

static void on_ready(void *context, const char *address, const char *http)
{
    const process *p = context;
    if (http != NULL) {
        log_info("for browsers: http%s://%s/", p->tls != NULL ? "s" : "", http);
    }
    log_info("listening on %s", address); // with port 0, this is how one learns the port
}

static void on_finished(void *context, const error *err)
{
    process *p = context;
    if (err != NULL) {
        log_error("%s", err->text);
        p->failed = true;
    }
    uv_close((uv_handle_t *)&p->terminate, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
    uv_close((uv_handle_t *)&p->leave, NULL);
    uv_close((uv_handle_t *)&p->reload, NULL);
}

// Each connection takes a descriptor, and the usual soft limit is 1024. If the system allows no
// more, the limit on connections is lowered: a client is then told why it is turned away.
// Of those, HTTP without a WebSocket gets an eighth at most.
static void fit_descriptors(limits *l, bool http)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    // Those that are being closed count too; see http.c.
    rlim_t own = OWN_DESCRIPTORS + (http ? 2 * l->http_connections : 0);
    rlim_t wanted = l->connections + own;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < wanted) {
        if (http) {
            uint64_t spare =
                files.rlim_cur > OWN_DESCRIPTORS ? files.rlim_cur - OWN_DESCRIPTORS : 0;
            uint64_t share = spare / 16 > 0 ? spare / 16 : 1;
            l->http_connections = l->http_connections < share ? l->http_connections : share;
            own = OWN_DESCRIPTORS + 2 * l->http_connections;
        }
        uint64_t fit = files.rlim_cur > own ? files.rlim_cur - own : 1;
        log_warn("%llu descriptors are enough for %llu connections, not for %llu (ulimit -n)",
                 (unsigned long long)files.rlim_cur, (unsigned long long)fit,
                 (unsigned long long)l->connections);
        l->connections = fit;
    }
}

static void watch_signals(process *p)
{
    signal(SIGPIPE, SIG_IGN);
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
}

// Runs the loop to its end and proves that nothing was left open in it.
static void run_loop(process *p)
{
    uv_run(&p->loop, UV_RUN_DEFAULT);
    int result = uv_loop_close(&p->loop);
    if (result != 0) {
        uv_print_all_handles(&p->loop, stderr);
    }
    ASSERT(result == 0);
}

_Static_assert((int)CONFIG_THREADS_MAX <= (int)THREAD_POOL_THREADS_MAX,
               "any number of threads that an option allows fits a pool");

// Without TLS *out is NULL.
static status open_tls(const config *c, tls_files **out, error *err)
{
    *out = NULL;
    if (*c->tls_certificate == '\0') {
        return STATUS_OK;
    }
    status s = tls_files_open(c->tls_certificate, c->tls_key, out, err);
    if (s == STATUS_OK) {
        tell_certificate(*out);
    }
    return s;
}

static int serve(const config *c)
{
    process p = {0};
    error err;
    if (*c->keys != '\0' && auth_keys_open(c->keys, &p.keys, &err) != STATUS_OK) {
        log_error("--keys: %s", err.text);
        return EXIT_COULD_NOT_RUN;
    }
    if (open_tls(c, &p.tls, &err) != STATUS_OK) {
        log_error("%s", err.text);
        auth_keys_close(p.keys);
        return EXIT_COULD_NOT_RUN;
    }
    server_world *worlds = calloc(c->worlds.count + 1, sizeof *worlds);
    ASSERT(worlds != NULL);
    for (uint32_t i = 0; i < c->worlds.count; i++) {
        worlds[i] = (server_world){c->worlds.data[i].name, c->worlds.data[i].scene};
    }
    server_options options = {
        .host = c->host,
        .port = c->port,
        .http_host = *c->http_host != '\0' ? c->http_host : NULL,
        .http_port = c->http_port,
        .http_optional = !c->http_given,
        .origins = (const char *const *)c->origins.data,
        .origin_count = c->origins.count,
        .hz = c->hz,
        .threads = c->threads,
        .world_threads = c->world_threads,
        .scenes = c->scenes,
        .limits = &c->limits,
        .keys = p.keys,
        .insecure = c->insecure,
        .tls = p.tls,
        .replay = *c->replay != '\0' ? c->replay : NULL,
        .data = *c->data != '\0' ? c->data : NULL,
        .first_number = (uint64_t)time(NULL) * NUMBERS_A_SECOND,
        .worlds = worlds,
        .world_count = c->worlds.count,
        .context = &p,
        .ready = on_ready,
        .finished = on_finished,
    };
    int result = uv_loop_init(&p.loop);
    ASSERT(result == 0);
    watch_signals(&p);
    if (server_create(&p.loop, &options, &p.server, &err) != STATUS_OK) {
        on_finished(&p, &err);
    }
    run_loop(&p);
    if (p.server != NULL) {
        server_destroy(p.server);
        log_info("the end");
    }
    free(worlds);
    tls_files_close(p.tls);
    auth_keys_close(p.keys);
    return p.failed ? EXIT_COULD_NOT_RUN : EXIT_SUCCESS;
}

// The settings were read; the file of keys is what else has to be right.
static int check_config(const config *c)
{
    auth_keys *keys = NULL;
    error err;
    if (*c->keys != '\0' && auth_keys_open(c->keys, &keys, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: --keys: %s\n", err.text);
        return EXIT_WRONG_OPTION;
    }
    auth_keys_close(keys);
    tls_files *tls = NULL;
    if (open_tls(c, &tls, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_WRONG_OPTION;
    }
    tls_files_close(tls);
    printf("%s: sound\n", *c->file != '\0' ? c->file : "the options");
    return EXIT_SUCCESS;
}

static int check_data(const config *c)
{
    storage_report r;
    error err;
    if (storage_check(c->data, NULL, &r, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_COULD_NOT_RUN;
    }
    printf("%s: sound. %llu worlds, %llu records of %llu bytes in %llu segments, %llu images of "
           "%llu bytes; %s\n",
           c->data, (unsigned long long)r.worlds, (unsigned long long)r.records,
           (unsigned long long)r.bytes, (unsigned long long)r.segments,
           (unsigned long long)r.images, (unsigned long long)r.image_bytes,
           r.clean ? "the last server closed it"
                   : "the last server did not close it; the next one goes on from its log");
    if (r.torn_bytes > 0) {
        printf("%llu bytes at the end are an unfinished write, which the next server cuts off\n",
               (unsigned long long)r.torn_bytes);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    config c;
    error err;
    int code = EXIT_SUCCESS;
    if (config_load(&c, argc, (const char *const *)argv, getenv, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s (caromd --help lists the options)\n", err.text);
        code = EXIT_WRONG_OPTION;
    } else if (c.help) {
        config_help(stdout);
    } else if (c.version) {
        puts("caromd " CAROM_VERSION);
    } else if (c.check_config) {
        code = check_config(&c);
    } else if (c.check_data) {
        code = check_data(&c);
    } else {
        log_set_level(c.log);
        log_set_format(c.log_format);
        fit_descriptors(&c.limits, *c.http_host != '\0');
        code = serve(&c);
    }
    config_deinit(&c);
    return code;
}
