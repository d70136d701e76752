// One server from start to end, and another one if the process that took over fails; see
// process.h.
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/auth/keys.h"
#include "server/main/process.h"
#include "server/net/io_threads.h"
#include "server/process/notify.h"
#include "server/session/placement/restore.h"
#include "server/world/tick/thread_pool.h"

enum {
    RESTART_TRIES = 100, // attempts to lock the directory of a process that has just ended
    RESTART_PAUSE_MS = 50
};

static void on_listening(void *context, const char *address, const char *http)
{
    process *p = context;
    process_await_next(p);
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
    process_end_membership(p);
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

_Static_assert((int)CONFIG_THREADS_MAX <= (int)IO_THREADS_MAX,
               "every --threads value is a valid --io-threads value");
_Static_assert((int)CONFIG_THREADS_MAX <= (int)THREAD_POOL_THREADS_MAX,
               "any number of threads that an option allows fits a pool");

// Worlds and sessions are numbered from the microseconds since 1970, so that no number repeats
// after a restart as long as fewer than a million are made a second and the clock is not set back.
// JavaScript holds such numbers exactly until the year 2255.
//
// Servers of a fleet take worlds and sessions of each other, which keep their numbers: each process
// begins at a random one above all of that kind, so that two of them do not meet.
static uint64_t first_number(bool of_fleet)
{
    struct timespec now;
    uint64_t chance = 0;
    if (of_fleet && getrandom(&chance, sizeof chance, 0) == (ssize_t)sizeof chance) {
        return (UINT64_C(1) << 51) + (chance >> 13) % ((UINT64_C(1) << 51) - (UINT64_C(1) << 40));
    }
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
        .relay = p->relay.options,
        .replay = *c->replay != '\0' ? c->replay : NULL,
        .data = *c->data != '\0' ? c->data : NULL,
        .load_aside = (const char *const *)c->load_aside.data,
        .load_aside_count = c->load_aside.count,
        .rpc_sockets = &p->given.rpc,
        .http_sockets = &p->given.http,
        .handed_worlds = p->worlds,
        .handed_back = p->goes_on,
        .first_number = first_number(p->fleet != NULL),
        .node = c->node,
        .fleet_prefix = c->fleet_prefix,
        .standby_log = c->standby_log,
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
    process_watch_signals(p);
    status begun = process_report_to_agones(p, &err);
    if (begun == STATUS_OK && *c->fleet != '\0') {
        begun = process_join_fleet(p, &err);
    }
    options.fleet = p->fleet;
    options.peers = p->peers;
    options.agones = p->agones;
    if (begun == STATUS_OK && p->signals == 0) {
        begun = server_create(&p->loop, &options, &p->server, &err);
        // Once begun, the peers belong to the server.
        p->peers = p->peers != NULL && peers_begun(p->peers) ? NULL : p->peers;
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

// The data directory of a process that has just ended may stay locked for a moment.
static void go_on(process *p)
{
    given_sockets spare = p->given;
    const struct timespec pause = {.tv_nsec = RESTART_PAUSE_MS * 1000000L};
    for (int tries = 0; tries < RESTART_TRIES; tries++) {
        p->given = (given_sockets){sockets_copy(&spare.rpc), sockets_copy(&spare.http)};
        bool served = false;
        serve_once(p);
        served = !p->failed;
        if (served || p->signals > 0) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    sockets_close(&spare);
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
    config_close_relay(&p->relay);
    www_drop(&p->www);
    www_drop(&p->docs);
}

int process_serve(const config *c)
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
        s = config_open_relay(c, &p.relay, &err);
    }
    if (s == STATUS_OK) {
        s = config_open_templates(c, &p.templates, &err);
    }
    if (s == STATUS_OK) {
        s = read_folders(&p, &err);
    }
    if (s == STATUS_OK) {
        process_log_certificate(p.tls);
        s = process_take_sockets(&p, &err);
    }
    if (s != STATUS_OK) {
        log_error("%s", err.text);
        release(&p);
        return EXIT_COULD_NOT_RUN;
    }
    serve_once(&p);
    while (process_must_go_on(&p)) {
        go_on(&p);
    }
    log_info("stopped");
    release(&p);
    return p.failed ? EXIT_COULD_NOT_RUN : EXIT_SUCCESS;
}
