// The server's sockets: opens its ports, and refuses those on which anybody could do everything.
// Network thread.
#include "server/session/server_internal.h"

#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/base/clock.h"
#include "server/fleet/agones.h"
#include "server/fleet/fleet.h"
#include "server/http/origin.h"
#include "server/session/calls/scrape.h"
#include "server/session/identity/unsent_limit.h"
#include "server/session/relay/upstreams.h"

static void on_flushed(void *context)
{
    worlds_acknowledge(context);
    unsent_limit_hold(context);
}

static void *on_opened(void *context, connection *c)
{
    return session_open(context, c);
}

// A server whose worlds cannot store commands is not ready for players, although its worlds still
// run.
static bool is_ready(void *context, error *err)
{
    server *s = context;
    const uint32_t coming = s->restoring.left + s->starting;
    if (s->stage != SERVER_SERVING) {
        error_set(err, STATUS_UNAVAILABLE, "the server is shutting down");
        return false;
    }
    if (coming > 0) {
        error_set(err, STATUS_UNAVAILABLE, "%llu %s being created or restored",
                  COUNTED(coming, "world is", "worlds are"));
        return false;
    }
    if (!upstreams_ready(s, err)) {
        return false;
    }
    if (s->storage != NULL && storage_takes_nothing(s->storage, err)) {
        error_prefix(err, "no world with a log takes commands");
        return false;
    }
    const uint32_t broken = directory_broken(&s->worlds);
    if (broken > 0) { // only a count, since everyone may read this page
        error_set(err, STATUS_UNAVAILABLE,
                  "%llu %s not served, as the log and 'carom doctor' say why",
                  COUNTED(broken, "world is", "worlds are"));
    }
    return true;
}

// ---- Agones

// Worlds that nobody asked for except the options: a restart makes them again.
static uint32_t count_own_worlds(const server *s)
{
    uint32_t own = s->options->replay != NULL ? 1 : 0;
    for (uint32_t i = 0; i < s->options->world_count; i++) {
        own += directory_find(&s->worlds, s->options->worlds[i].name) != NULL ? 1 : 0;
    }
    return s->options->relay.count > 0 ? s->worlds.by_name.count : own;
}

static bool all_tick(const server *s)
{
    const int64_t now = clock_now_ns();
    for (uint32_t i = 0; i < s->sim_threads.count; i++) {
        const int64_t began = sim_thread_round_ns(s->sim_threads.data[i]);
        if (began != 0 && now - began > (int64_t)AGONES_STUCK_MS * 1000000) {
            return false;
        }
    }
    return true;
}

void server_look(server *s, agones_view *out)
{
    error why;
    const uint32_t sessions = s->session_count + s->detached.count;
    const uint32_t worlds = s->worlds.by_name.count;
    *out = (agones_view){
        .ready = s->ready_told && is_ready(s, &why),
        .leaving = s->stage != SERVER_SERVING,
        .ticking = all_tick(s),
        .in_use = sessions > 0 || worlds > count_own_worlds(s),
        .worlds = worlds,
        .sessions = sessions,
    };
}

// ---- the network

// Names the option that is at fault, or with which the operator chooses another address.
static status name_option(status opened, const char *option, error *err)
{
    if (opened == STATUS_OK) {
        return opened;
    }
    if (opened != STATUS_UNAVAILABLE) {
        error_prefix(err, "%s", option);
        return opened;
    }
    const error why = *err;
    return error_set(err, opened, "%s; %s HOST:PORT names another address", why.text, option);
}

// Worlds move between the servers of a fleet, and pages that show them follow.
static const char *find_peer_page(void *context, uint32_t place)
{
    const server *s = context;
    const char *name = NULL;
    const node_record *node = fleet_node(s->options->fleet, place, &name);
    return node != NULL ? node->http : NULL;
}

static status start_http(server *s, const network_handler *sessions, error *err)
{
    http_options options = {
        .host = s->options->http_host,
        .port = s->options->http_port,
        .given = s->options->http_sockets,
        .limits = s->limits,
        .origins = s->options->origins,
        .origin_count = s->options->origin_count,
        .viewer_servers = s->options->viewer_servers,
        .www = s->options->www,
        .docs = s->options->docs,
        .viewer_server_count = s->options->viewer_server_count,
        .proxies = s->options->proxies,
        .tls = s->options->tls,
        .io = s->io,
        .turn = &s->turn,
    };
    http_handler handler = {
        .context = s,
        .sessions = *sessions,
        .fenced = session_fenced,
        .refused = session_refused,
        .ready = is_ready,
        .peer = s->options->fleet != NULL ? find_peer_page : NULL,
        .metrics = scrape_write,
    };
    if (options.host == NULL) {
        return STATUS_OK;
    }
    status opened =
        name_option(http_open(s->loop, &options, &handler, &s->http, err), "--http", err);
    if (opened == STATUS_UNAVAILABLE && s->options->http_optional) {
        log_warn("no HTTP and no WebSocket: %s", err->text);
        return STATUS_OK;
    }
    s->listeners += opened == STATUS_OK ? 1 : 0;
    return opened;
}

status server_listen(server *s, error *err)
{
    network_handler handler = {
        .context = s,
        .opened = on_opened,
        .received = session_received,
        .ended = session_ended,
        .worked = work_run,
        .written = session_written,
        .flushed = on_flushed,
        .swept = session_swept,
        .stalled = session_stalled,
        .closed = session_closed,
        .finished = server_network_finished,
    };
    status opened = STATUS_OK;
    if (s->options->io_threads > 1) {
        opened = io_threads_open(s->loop, s->options->io_threads, s->limits, &s->io, err);
    }
    if (opened == STATUS_OK) {
        opened = network_open(s->loop, s->options->host, s->options->port, s->options->rpc_sockets,
                              s->limits, &handler, &s->network, err);
        opened = name_option(opened, "--listen", err);
    }
    if (opened != STATUS_OK) {
        return opened;
    }
    network_share_turn(s->network, &s->turn);
    network_trust(s->network, s->options->proxies);
    if (s->io != NULL) {
        network_relay(s->network, s->io);
    }
    if (s->options->tls != NULL) {
        encode_closing(&s->plain_answer, STATUS_UNAUTHENTICATED,
                       "this port speaks TLS 1.3 alone: connect to caroms:// instead of carom://");
        network_secure(s->network, s->options->tls, s->plain_answer.data, s->plain_answer.size);
    }
    s->listeners = 1;
    return start_http(s, &handler, err);
}

// Warns of a proxy: it connects from this machine, but passes on connections from others.
static void warn_of_proxied(const server *s)
{
    const server_options *o = s->options;
    const char *by = o->proxies != NULL ? "--proxy-from" : NULL;
    for (uint32_t i = 0; by == NULL && i < o->origin_count; i++) {
        by = origin_is_public(o->origins[i]) ? o->origins[i] : NULL;
    }
    if (by != NULL) {
        log_warn("anyone who comes through a proxy (%s) could do everything: give --keys FILE, or "
                 "--insecure",
                 by);
    }
}

// Without keys everyone is an admin, so only clients on this machine may connect.
status server_check_address(const server *s, error *err)
{
    bool local = network_is_local(s->network);
    bool http_local = s->http == NULL || http_is_local(s->http);
    if (s->keys != NULL && s->options->tls == NULL && !(local && http_local)) {
        log_warn("tokens and worlds go over %s unencrypted: --tls-cert and --tls-key protect them, "
                 "or a proxy in front",
                 local ? http_address(s->http, 0) : network_address(s->network, 0));
    }
    if (s->keys != NULL || s->guests != ROLE_NONE || s->options->insecure) {
        return STATUS_OK;
    }
    if (local && http_local) {
        warn_of_proxied(s);
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "anyone who reaches %s could do everything: give --keys FILE or --guests "
                     "ROLE, listen on 127.0.0.1, or say --insecure",
                     local ? http_address(s->http, 0) : network_address(s->network, 0));
}
