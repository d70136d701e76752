// caromd: reads the operator's settings, runs the loop, and stops on SIGTERM and SIGINT. SIGUSR1
// refuses new sessions and stops later (drain); SIGHUP reloads its keys. It listens on sockets of
// its own, of the service manager (process/activation.h), or of the server that it takes over from
// (process/takeover.h).
//
// The signals have handlers of their own, as process 1 of a container has no others; SIGPIPE is
// ignored, as writes return their errors. A second SIGTERM or SIGINT ends the process at once. Exit
// codes: 0 after a clean shutdown, 1 when the server could not run, 2 for a wrong option.
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/auth/keys.h"
#include "server/config/config.h"
#include "server/config/config_check.h"
#include "server/base/home.h"
#include "server/base/memory.h"
#include "server/fleet/fleet.h"
#include "server/fleet/peer.h"
#include "server/http/www.h"
#include "server/net/io_threads.h"
#include "server/net/network.h"
#include "server/process/activation.h"
#include "server/process/bounds.h"
#include "server/process/notify.h"
#include "server/process/takeover.h"
#include "server/session/resume/session_store_file.h"
#include "server/session/placement/restore.h"
#include "server/session/server.h"
#include "server/storage/storage.h"
#include "server/world/tick/thread_pool.h"

enum {
    CERTIFICATE_LOW_DAYS = 7, // warn when a certificate expires in fewer days
    EXIT_COULD_NOT_RUN = 1,
    EXIT_WRONG_OPTION = 2,
};

enum {
    RESTART_TRIES = 100, // attempts to lock the directory of a process that has just ended
    RESTART_PAUSE_MS = 50
};

typedef struct process {
    const config *config;
    uv_loop_t loop;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    uv_signal_t leave;  // SIGUSR1
    uv_signal_t reload; // SIGHUP
    uv_timer_t watchdog;
    server *server;
    auth_keys *keys; // NULL: none
    world_templates templates;
    www_folder www, docs; // files that are served, as they were read; without a path: none
    tls_files *tls;       // NULL: none
    given_sockets given;  // sockets that listen already, which the server takes over
    takeover_gift gift;   // gift of the server that this one takes over; peer -1: none
    takeover *takeover;   // accepts the next process's takeover; NULL: not possible
    // Copies of the sockets that the next process has, in case it fails.
    given_sockets kept;
    int worlds;   // descriptor of the handed-over file of worlds; 0: none
    bool goes_on; // the file of worlds is this process's own
    int signals;  // termination signals received
    fleet *fleet; // NULL: the server is alone
    bool joining; // the fleet has not answered yet
    error fleet_error;
    uint8_t *secret; // of --fleet-secret; NULL: none
    size_t secret_size;
    bool failed;
} process;

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

static void tell_certificate(const tls_files *files)
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
        tell_certificate(p->tls);
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

// ---- the fleet

static void on_joined(void *context)
{
    process *p = context;
    p->joining = false;
}

static void on_not_joined(void *context, const error *err)
{
    process *p = context;
    p->joining = false;
    p->fleet_error = *err;
}

// A server that lost its name cannot know what else is no longer its own: it ends, and a restart
// claims anew what is still its own.
static void on_lost(void *context, const char *text)
{
    process *p = context;
    (void)text;
    p->failed = true;
    if (p->server != NULL) {
        server_drain(p->server, "another process has this server's name in the fleet");
    }
}

// A server that is about to begin looks itself which worlds it still has.
static void on_lost_world(void *context, const char *world, const world_record *winner)
{
    process *p = context;
    if (p->server != NULL) {
        server_lose_world(p->server, world, winner);
    }
}

static void on_load(void *context, fleet_load *out)
{
    const process *p = context;
    if (p->server != NULL) {
        server_load(p->server, out);
    }
}

static const char *path_or_null(const char *path)
{
    return *path != '\0' ? path : NULL;
}

// Runs the loop until this server is a member, or cannot be, or a signal ends it.
static status join_fleet(process *p, error *err)
{
    const config *c = p->config;
    fleet_options options = {
        .endpoints = c->fleet,
        .tls = {path_or_null(c->fleet_ca), path_or_null(c->fleet_cert), path_or_null(c->fleet_key)},
        .prefix = c->fleet_prefix,
        .node = c->node,
        .address = c->advertise,
        .http = c->advertise_http,
        .engine = ENGINE_BEHAVIOUR,
        .handler = {p, on_joined, on_not_joined, on_lost, on_lost_world, on_load}};
    if (getrandom(&options.run, sizeof options.run, 0) != (ssize_t)sizeof options.run) {
        return error_set(err, STATUS_INTERNAL, "no random numbers: %s", strerror(errno));
    }
    log_info("joining the fleet '%s' as server '%s'", c->fleet_prefix, c->node);
    p->fleet_error = (error){.status = STATUS_OK};
    status s = fleet_open(&p->loop, &options, &p->fleet, err);
    p->joining = s == STATUS_OK;
    while (p->joining) {
        (void)uv_run(&p->loop, UV_RUN_ONCE);
    }
    if (s == STATUS_OK && p->fleet_error.status != STATUS_OK) {
        s = error_set(err, p->fleet_error.status, "%s", p->fleet_error.text);
    }
    return s;
}

static void on_fleet_closed(void *context)
{
    (void)context;
}

// ---- the process that takes over from this one

static bool give_sockets(void *context, listen_sockets *rpc, listen_sockets *http)
{
    process *p = context;
    if (p->server == NULL || p->failed || !server_may_hand_over(p->server)) {
        return false;
    }
    server_sockets(p->server, rpc, http);
    return true;
}

static void on_released(void *context)
{
    process *p = context;
    takeover_release(p->takeover, p->worlds);
}

static int copy_descriptor(int fd)
{
    int copy = fd > 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : 0;
    return copy > 0 ? copy : 0;
}

static listen_sockets copy_sockets(const listen_sockets *from)
{
    listen_sockets copies = {0};
    for (int i = 0; i < from->count; i++) {
        int copy = copy_descriptor(from->fd[i]);
        if (copy > 0) {
            copies.fd[copies.count++] = copy;
        }
    }
    return copies;
}

static void drop_sockets(given_sockets *given)
{
    for (int i = 0; i < given->rpc.count; i++) {
        (void)close(given->rpc.fd[i]);
    }
    for (int i = 0; i < given->http.count; i++) {
        (void)close(given->http.fd[i]);
    }
    *given = (given_sockets){0};
}

static void drop_descriptor(int *fd)
{
    if (*fd > 0) {
        (void)close(*fd);
    }
    *fd = 0;
}

static bool stop_for_next(void *context)
{
    process *p = context;
    listen_sockets rpc;
    listen_sockets http;
    int worlds = memfd_create("carom-worlds", MFD_CLOEXEC);
    if (worlds < 0) {
        log_error("no memory for the worlds: %s", strerror(errno));
        return false;
    }
    server_sockets(p->server, &rpc, &http);
    p->kept = (given_sockets){.rpc = copy_sockets(&rpc), .http = copy_sockets(&http)};
    drop_descriptor(&p->worlds);
    p->worlds = worlds;
    if (p->kept.rpc.count > 0 && server_hand_over(p->server, worlds, on_released)) {
        log_info("another process takes over");
        return true;
    }
    drop_descriptor(&p->worlds);
    drop_sockets(&p->kept);
    return false;
}

// A server without a takeover socket still serves.
static void await_next(process *p)
{
    const config *c = p->config;
    char beside[PATH_MAX + sizeof "/takeover"];
    const char *path = c->takeover_socket;
    // In a fleet the next process could not have this one's name beside it.
    if (*c->data == '\0' || strcmp(path, "off") == 0 || p->fleet != NULL) {
        return;
    }
    if (*path == '\0') {
        snprintf(beside, sizeof beside, "%s/takeover", c->data);
        path = beside;
    }
    takeover_handler handler = {.context = p, .sockets = give_sockets, .stop = stop_for_next};
    error err;
    if (takeover_open(&p->loop, path, c->data, &handler, &p->takeover, &err) != STATUS_OK) {
        log_warn("no other process can take over: %s", err.text);
    }
}

static void on_listening(void *context, const char *address, const char *http)
{
    process *p = context;
    await_next(p);
    if (http != NULL) {
        log_info("for browsers: http%s://%s/", p->tls != NULL ? "s" : "", http);
    }
    log_info("listening on %s", address); // shows the port chosen for port 0
}

static void on_ready(void *context)
{
    process *p = context;
    if (p->gift.peer >= 0) {
        takeover_serving(&p->gift);
        p->worlds = 0; // the file came with the takeover
    }
    notify_send("READY=1");
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
    uv_close((uv_handle_t *)&p->watchdog, NULL);
    takeover_close(p->takeover);
    if (p->fleet != NULL) {
        fleet_close(p->fleet, on_fleet_closed, p);
        p->fleet = NULL;
    }
}

static void watch_signals(process *p)
{
#ifdef __SANITIZE_THREAD__
    // A thread sanitizer's runtime prepares for signals in a thread's first blocking call, and
    // loses a signal that arrives in that moment.
    (void)poll(NULL, 0, 0);
#endif
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
    uv_timer_init(&p->loop, &p->watchdog);
    uint64_t period_ms = notify_watchdog_ms();
    if (period_ms > 0) {
        uv_timer_start(&p->watchdog, on_watchdog, 0, period_ms);
    }
}

// Runs the loop until it ends, and verifies that no handle is left open.
static void run_loop(process *p)
{
    uv_run(&p->loop, UV_RUN_DEFAULT);
    int result = uv_loop_close(&p->loop);
    if (result != 0) {
        uv_print_all_handles(&p->loop, stderr);
    }
    ASSERT(result == 0);
}

_Static_assert((int)CONFIG_THREADS_MAX <= (int)IO_THREADS_MAX, "nor is any too much for sockets");
_Static_assert((int)CONFIG_THREADS_MAX <= (int)THREAD_POOL_THREADS_MAX,
               "any number of threads that an option allows fits a pool");

// Worlds and sessions are numbered from the microseconds since 1970, so that no number repeats
// after a restart as long as fewer than a million are made a second and the clock is not set back.
// JavaScript holds such numbers exactly until the year 2255.
static uint64_t first_number(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

// Runs one server from start to end.
static void serve_once(process *p)
{
    const config *c = p->config;
    error err;
    server_world *worlds = calloc(c->worlds.count + 1, sizeof *worlds);
    ASSERT_MEMORY(worlds != NULL);
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
        .www = p->www.path != NULL ? &p->www : NULL,
        .docs = p->docs.path != NULL ? &p->docs : NULL,
        .viewer_servers = (const char *const *)c->viewer_servers.data,
        .viewer_server_count = c->viewer_servers.count,
        .proxies = c->proxies.count > 0 ? &c->proxies : NULL,
        .hz = c->hz,
        .threads = c->threads,
        .world_threads = c->world_threads,
        .io_threads = c->io_threads,
        .scenes = c->scenes,
        .limits = &c->limits,
        .keys = p->keys,
        .guests = c->guests,
        .insecure = c->insecure,
        .tls = p->tls,
        .replay = *c->replay != '\0' ? c->replay : NULL,
        .data = *c->data != '\0' ? c->data : NULL,
        .load_aside = (const char *const *)c->load_aside.data,
        .load_aside_count = c->load_aside.count,
        .rpc_sockets = &p->given.rpc,
        .http_sockets = &p->given.http,
        .handed_worlds = p->worlds,
        .handed_back = p->goes_on,
        .first_number = first_number(),
        .node = c->node,
        .fleet_prefix = c->fleet_prefix,
        .fleet_host = *c->fleet_host != '\0' ? c->fleet_host : NULL,
        .fleet_port = c->fleet_port,
        .worlds = worlds,
        .world_count = c->worlds.count,
        .templates = p->templates.data,
        .template_count = p->templates.count,
        .context = p,
        .listening = on_listening,
        .ready = on_ready,
        .finished = on_finished,
    };
    p->failed = false;
    int result = uv_loop_init(&p->loop);
    ASSERT(result == 0);
    watch_signals(p);
    status begun = *c->fleet != '\0' ? join_fleet(p, &err) : STATUS_OK;
    options.fleet = p->fleet;
    options.fleet_secret = p->secret;
    options.fleet_secret_size = p->secret_size;
    if (begun == STATUS_OK && p->signals == 0) {
        begun = server_create(&p->loop, &options, &p->server, &err);
    }
    if (begun != STATUS_OK || p->signals > 0) {
        on_finished(p, begun != STATUS_OK ? &err : NULL);
    } else if (p->failed) { // its name was lost meanwhile
        server_drain(p->server, "another process has this server's name in the fleet");
    }
    run_loop(p);
    if (p->server != NULL) {
        server_destroy(p->server);
        p->server = NULL;
    }
    free(worlds);
}

// Whether another server must start after this one has ended, because the process that took over
// failed.
static bool must_go_on(process *p)
{
    int pid = 0;
    bool handed = p->takeover != NULL && p->kept.rpc.count > 0;
    bool taken = handed && takeover_await(p->takeover, &pid);
    takeover_free(p->takeover);
    p->takeover = NULL;
    if (taken) {
        log_info("process %d has taken over", pid);
        notify_main_pid(pid);
    }
    if (!handed || taken || p->signals > 0) {
        drop_sockets(&p->kept);
        drop_descriptor(&p->worlds);
        return false;
    }
    log_error("the process that should take over has ended: this one continues");
    p->goes_on = true;
    p->given = p->kept;
    p->kept = (given_sockets){0};
    return true;
}

// The data directory of a process that has just ended may stay locked for a moment.
static void go_on(process *p)
{
    given_sockets spare = p->given;
    const struct timespec pause = {.tv_nsec = RESTART_PAUSE_MS * 1000000L};
    for (int tries = 0; tries < RESTART_TRIES; tries++) {
        p->given = (given_sockets){copy_sockets(&spare.rpc), copy_sockets(&spare.http)};
        bool served = false;
        serve_once(p);
        served = !p->failed;
        if (served || p->signals > 0) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    drop_sockets(&spare);
}

// Whether one of the sockets is bound to this address.
static bool is_bound_to(const listen_sockets *given, const char *host, uint16_t port)
{
    for (int i = 0; i < given->count; i++) {
        struct sockaddr_storage bound;
        socklen_t size = sizeof bound;
        char name[NI_MAXHOST];
        char service[NI_MAXSERV];
        if (getsockname(given->fd[i], (struct sockaddr *)&bound, &size) == 0 &&
            getnameinfo((struct sockaddr *)&bound, size, name, sizeof name, service, sizeof service,
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
            strtoul(service, NULL, 10) == port &&
            (strcmp(name, host) == 0 || strcasecmp(host, "localhost") == 0)) {
            return true;
        }
    }
    return false;
}

// Warns of an address in the settings which does not count, because a listening socket was given.
static void warn_of_address(const char *name, const char *host, uint16_t port,
                            const listen_sockets *given, const char *instead)
{
    if (given->count > 0 && port != 0 && !is_bound_to(given, host, port)) {
        log_warn("%s: %s:%u has no effect: %s", name, host, port, instead);
    }
}

// Closes a socket for HTTP that nobody would answer on, and warns of addresses without effect.
static void compare_sockets(process *p, const char *rpc_instead, const char *http_instead)
{
    const config *c = p->config;
    if (*c->http_host == '\0' && p->given.http.count > 0) {
        given_sockets unused = {.http = p->given.http};
        drop_sockets(&unused);
        p->given.http = (listen_sockets){0};
        if (*c->takeover == '\0') {
            log_warn("http: off leaves browsers without an answer: the service manager listens for "
                     "them (systemctl disable --now caromd-http.socket)");
        }
    }
    if (c->listen_given) {
        warn_of_address("listen", c->host, c->port, &p->given.rpc, rpc_instead);
    }
    if (c->http_given) {
        warn_of_address("http", c->http_host, c->http_port, &p->given.http, http_instead);
    }
}

// Takes the sockets of the service manager, or of the server that this one takes over. It is the
// last step that may fail: that server stops here.
static status take_sockets(process *p, error *err)
{
    const config *c = p->config;
    status s = activation_take(&p->given, err);
    if (s == STATUS_OK && *c->takeover == '\0') {
        compare_sockets(p, "the service manager listens (systemctl edit caromd.socket)",
                        "the service manager listens (systemctl edit caromd-http.socket)");
    }
    if (s != STATUS_OK || *c->takeover == '\0') {
        return s;
    }
    if (*c->data == '\0') {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "--takeover needs --data: worlds and sessions come from there");
    }
    s = takeover_ask(c->takeover, c->data, &p->gift, err);
    if (s == STATUS_OK) {
        s = takeover_ready(&p->gift, err);
    }
    if (s == STATUS_OK) {
        p->given = (given_sockets){.rpc = p->gift.rpc, .http = p->gift.http};
        p->worlds = p->gift.worlds;
        const char *instead = "a takeover keeps the sockets of the running server";
        compare_sockets(p, instead, instead);
    }
    return s;
}

// Sets the number of the loop's worker threads: those that restore worlds, and libuv's default for
// making worlds and decoding messages meanwhile.
static void begin_workers(void)
{
    enum { OTHER_WORKERS = 4 };
    char count[16];
    snprintf(count, sizeof count, "%d", restore_threads() + OTHER_WORKERS);
    (void)setenv("UV_THREADPOOL_SIZE", count, 0);
}

// Reads the folders whose files are served, while the server that this one takes over still serves.
static status read_folders(process *p, error *err)
{
    const config *c = p->config;
    status s = STATUS_OK;
    if (*c->http_host != '\0' && *c->www != '\0') {
        s = www_read(c->www, WWW_GAME, &p->www, err);
        if (s != STATUS_OK) {
            error_prefix(err, "--www");
            return s;
        }
    }
    if (*c->http_host != '\0' && *c->docs != '\0') {
        s = www_read(c->docs, WWW_DOCS, &p->docs, err);
        if (s != STATUS_OK) {
            error_prefix(err, "--docs");
        }
    }
    return s;
}

static void release(process *p)
{
    free(p->secret);
    tls_files_close(p->tls);
    auth_keys_close(p->keys);
    templates_free(&p->templates);
    www_drop(&p->www);
    www_drop(&p->docs);
}

static int serve(const config *c)
{
    process p = {.config = c, .gift = {.peer = -1}};
    error err;
    log_info("caromd " CAROM_VERSION " starts");
    begin_workers();
    status s = config_open_keys(c, &p.keys, &err);
    if (s == STATUS_OK) {
        s = config_open_tls(c, &p.tls, &err);
    }
    if (s == STATUS_OK && *c->fleet_secret != '\0') {
        s = peer_read_secret(c->fleet_secret, &p.secret, &p.secret_size, &err);
        if (s != STATUS_OK) {
            error_prefix(&err, "--fleet-secret");
        }
    }
    if (s == STATUS_OK) {
        s = config_open_templates(c, &p.templates, &err);
    }
    if (s == STATUS_OK) {
        s = read_folders(&p, &err);
    }
    if (s == STATUS_OK) {
        tell_certificate(p.tls);
        s = take_sockets(&p, &err);
    }
    if (s != STATUS_OK) {
        log_error("%s", err.text);
        release(&p);
        return EXIT_COULD_NOT_RUN;
    }
    serve_once(&p);
    while (must_go_on(&p)) {
        go_on(&p);
    }
    log_info("stopped");
    release(&p);
    return p.failed ? EXIT_COULD_NOT_RUN : EXIT_SUCCESS;
}

static int check_config(const config *c)
{
    error err;
    if (config_check(c, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_WRONG_OPTION;
    }
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
    printf("%s: sound. %llu %s, %llu %s of %llu bytes in %llu %s, %llu %s of %llu bytes; %s\n",
           c->data, COUNTED(r.worlds, "world", "worlds"), COUNTED(r.records, "record", "records"),
           (unsigned long long)r.bytes, COUNTED(r.segments, "segment", "segments"),
           COUNTED(r.images, "image", "images"), (unsigned long long)r.image_bytes,
           r.clean ? "the last server closed it"
                   : "the last server did not close it; the next one goes on from its log");
    if (r.torn_bytes > 0) {
        printf("%llu %s at the end are an unfinished write, which the next server cuts off\n",
               COUNTED(r.torn_bytes, "byte", "bytes"));
    }
    session_store_report sessions;
    if (session_store_file_read(c->data, NULL, NULL, &sessions, &err) != STATUS_OK) {
        fprintf(stderr, "caromd: %s\n", err.text);
        return EXIT_COULD_NOT_RUN;
    }
    if (sessions.there) {
        printf("%llu %s of sessions in %llu bytes, sound\n",
               COUNTED(sessions.records, "record", "records"), (unsigned long long)sessions.size);
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
        bounds_fit_descriptors(&c.limits, *c.http_host != '\0', c.proxies.count > 0);
        bounds_fit_memory(&c.limits, c.memory);
        home_begin(); // of the network thread
        code = serve(&c);
        home_end();
        memory_end();
    }
    config_deinit(&c);
    return code;
}
