// The answer of server.fleet; see fleet_list.h. Network thread only.
#include "server/session/calls/fleet_list.h"

#include <string.h>

#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "server/fleet/fleet.h"
#include "server/session/pair/pairs.h"
#include "server/session/service.h"

static encoded_list list_nodes(const struct fleet *f, buffer *out)
{
    uint32_t count = 0;
    const char *name = NULL;
    for (const node_record *r; (r = fleet_node(f, count, &name)) != NULL; count++) {
        encode_fleet_node_row(out, &(fleet_node_row){.node = name,
                                                     .self = strcmp(name, fleet_self(f)) == 0,
                                                     .address = r->address,
                                                     .http = r->http,
                                                     .engine = (uint64_t)r->engine,
                                                     .draining = r->draining,
                                                     .worlds = (uint64_t)r->worlds,
                                                     .sessions = (uint64_t)r->sessions,
                                                     .lateness_ms = r->lateness_ms,
                                                     .free_memory = (uint64_t)r->free_memory});
    }
    return (encoded_list){out->data, out->size, count};
}

static encoded_list list_worlds(const server *s, const fleet_args *args, buffer *out)
{
    const struct fleet *f = s->options->fleet;
    const uint32_t first = fleet_world_after(f, args->after);
    uint32_t count = 0;
    const char *name = NULL;
    const world_record *r = fleet_world(f, first, &name);
    while (r != NULL && count < args->count) {
        pair_lag lag;
        const bool follows = pairs_lag(s, name, &lag);
        encode_fleet_world_row(out, &(fleet_world_row){.world = name,
                                                       .term = (uint64_t)r->term,
                                                       .node = r->primary,
                                                       .standby = r->standby,
                                                       .standby_tick = follows ? lag.tick : 0,
                                                       .lag_s = follows ? lag.seconds : -1.0,
                                                       .lag_bytes = follows ? lag.bytes : 0,
                                                       .engine = (uint64_t)r->engine,
                                                       .hz = r->hz,
                                                       .address = r->address,
                                                       .http = r->http});
        count++;
        r = fleet_world(f, first + count, &name);
    }
    return (encoded_list){out->data, out->size, count};
}

void fleet_list_answer(const call *c, const command *cmd, buffer *out)
{
    const struct fleet *f = c->session->server->options->fleet;
    buffer nodes;
    buffer worlds;
    buffer_init(&nodes, WIRE_REPLY_BYTES_MAX);
    buffer_init(&worlds, WIRE_REPLY_BYTES_MAX);
    const fleet_result r = {.prefix = fleet_prefix(f),
                            .store_error = fleet_store_error(f),
                            .nodes = list_nodes(f, &nodes),
                            .worlds = list_worlds(c->session->server, &cmd->fleet, &worlds),
                            .total = fleet_world_count(f)};
    encode_fleet_result(out, &r);
    buffer_deinit(&nodes);
    buffer_deinit(&worlds);
}

uint64_t fleet_list_rows(const struct fleet *f)
{
    const uint32_t worlds = fleet_world_count(f);
    return worlds < WIRE_SESSIONS_MAX ? worlds : WIRE_SESSIONS_MAX;
}
