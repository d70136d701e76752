// This server in its fleet and in its Agones pod; see process.h.
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/log.h"
#include "server/main/process.h"

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

// A server that lost its name cannot know what else it has lost: it ends, and claims the rest after
// a restart.
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

// The fleet's first record of this server says where other servers reach it.
static status open_peers(process *p, error *err)
{
    const config *c = p->config;
    const peer_options options = {.host = c->fleet_host,
                                  .port = c->fleet_port,
                                  .node = c->node,
                                  .fleet = c->fleet_prefix,
                                  .secret = p->secret,
                                  .secret_size = p->secret_size};
    return *c->fleet_host != '\0' ? peers_open(&p->loop, &options, &p->peers, err) : STATUS_OK;
}

status process_join_fleet(process *p, error *err)
{
    const config *c = p->config;
    status s = open_peers(p, err);
    if (s != STATUS_OK) {
        return s;
    }
    fleet_options options = {
        .endpoints = c->fleet,
        .tls = {path_or_null(c->fleet_ca), path_or_null(c->fleet_cert), path_or_null(c->fleet_key)},
        .prefix = c->fleet_prefix,
        .node = c->node,
        .address = c->advertise,
        .http = c->advertise_http,
        .peer = p->peers != NULL ? peers_address(p->peers) : "",
        .engine = ENGINE_BEHAVIOUR,
        .handler = {p, on_joined, on_not_joined, on_lost, on_lost_world, on_load}};
    if (getrandom(&options.run, sizeof options.run, 0) != (ssize_t)sizeof options.run) {
        return error_set(err, STATUS_INTERNAL, "no random numbers: %s", strerror(errno));
    }
    log_info("joining the fleet '%s' as server '%s'", c->fleet_prefix, c->node);
    p->fleet_error = (error){.status = STATUS_OK};
    s = fleet_open(&p->loop, &options, &p->fleet, err);
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

// ---- Agones

static void on_look(void *context, agones_view *out)
{
    process *p = context;
    if (p->server != NULL) {
        server_look(p->server, out);
    } else {
        *out = (agones_view){.ticking = true}; // its data is being opened
    }
}

status process_report_to_agones(process *p, error *err)
{
    const agones_options options = {.port = p->config->agones_port, .context = p, .look = on_look};
    return p->config->agones ? agones_open(&p->loop, &options, &p->agones, err) : STATUS_OK;
}

static void on_agones_closed(void *context)
{
    (void)context;
}

// ---- the end

void process_end_membership(process *p)
{
    if (p->peers != NULL) {
        peers_close(p->peers, NULL, NULL);
        p->peers = NULL;
    }
    if (p->fleet != NULL) {
        fleet_close(p->fleet, on_fleet_closed, p);
        p->fleet = NULL;
    }
    if (p->agones != NULL) {
        // A process that failed leaves it to Agones what becomes of the pod; one that another takes
        // over from has no end to report.
        const bool shut_down = !p->failed && p->kept.rpc.count == 0;
        agones_close(p->agones, shut_down, on_agones_closed, p);
        p->agones = NULL;
    }
}
