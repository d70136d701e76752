// Worlds with a standby: which server may stand by, and the events that pairs report to the state
// machine of a world. Loop thread only.
#include "server/fleet/fleet_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void fleet_on_pairs(fleet *f, const fleet_pairs *handler)
{
    f->pairs = *handler;
}

void fleet_replicate(fleet *f, const char *world)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w != NULL) {
        w->machine.self.replicated = true;
    }
}

bool fleet_follow(fleet *f, const char *world, double hz, bool replicated)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w == NULL) {
        w = fleet_owned_add(f, world, hz);
        w->follows = true;
        w->kept = true; // it has a log as soon as it is served
    }
    if (w->follows) {
        w->machine.self.replicated = replicated;
    }
    return w->follows;
}

void fleet_forget(fleet *f, const char *world)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w != NULL && w->follows) {
        fleet_owned_drop(f, w);
    }
}

void fleet_report(fleet *f, const char *world, const ownership_event *event)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w != NULL && f->state != MEMBER_LEAVING) {
        fleet_owned_handle(f, w, event);
    }
}

void fleet_note_shown(fleet *f, const char *world, int64_t tick)
{
    owned_world *w = fleet_owned_find(f, world);
    if (w != NULL) {
        (void)ownership_show(&w->machine, tick);
    }
}

const ownership *fleet_ownership(const fleet *f, const char *world)
{
    const owned_world *w = fleet_owned_find(f, world);
    return w != NULL ? &w->machine : NULL;
}

// Whether both addresses have one host, which is not this machine's loopback.
static bool share_host(const char *a, const char *b)
{
    const size_t size = (size_t)(strrchr(a, ':') - a);
    const bool loopback = strncmp(a, "127.", 4) == 0 || strncmp(a, "[::1]", 5) == 0 ||
                          strncmp(a, "localhost:", 10) == 0;
    return !loopback && (size_t)(strrchr(b, ':') - b) == size && strncmp(a, b, size) == 0;
}

static bool may_stand_by(const fleet *f, const known_node *n, const char *but)
{
    const node_record *r = &n->record;
    return *r->peer != '\0' && !r->draining && r->engine == f->options.engine &&
           strcmp(n->name, f->options.node) != 0 && (but == NULL || strcmp(n->name, but) != 0) &&
           !share_host(f->options.peer, r->peer);
}

// The one of that number among those that may; NULL: there are not so many.
static const known_node *nth_standby(const fleet *f, const char *but, uint64_t n)
{
    for (uint32_t i = 0; i < f->nodes.count; i++) {
        if (may_stand_by(f, &f->nodes.data[i], but) && n-- == 0) {
            return &f->nodes.data[i];
        }
    }
    return NULL;
}

bool fleet_choose_standby(fleet *f, const char *but, char node[RECORD_NAME_MAX + 1],
                          char peer[RECORD_ADDRESS_MAX + 1])
{
    uint64_t count = 0;
    while (*f->options.peer != '\0' && nth_standby(f, but, count) != NULL) {
        count++;
    }
    if (count == 0 && but != NULL) {
        return fleet_choose_standby(f, NULL, node, peer);
    }
    if (count == 0) {
        return false;
    }
    const known_node *one = nth_standby(f, but, fleet_draw(f) % count);
    const known_node *other = nth_standby(f, but, fleet_draw(f) % count);
    const known_node *chosen = other->record.worlds < one->record.worlds ? other : one;
    memcpy(node, chosen->name, sizeof chosen->name);
    memcpy(peer, chosen->record.peer, sizeof chosen->record.peer);
    return true;
}

// The names of all servers but this one, as far as they fit.
static void list_others(const fleet *f, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "none");
    for (uint32_t i = 0; i < f->nodes.count && used < size; i++) {
        if (strcmp(f->nodes.data[i].name, f->options.node) != 0) {
            const int more = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "",
                                      f->nodes.data[i].name);
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

status fleet_check_target(const fleet *f, const char *node, char peer[RECORD_ADDRESS_MAX + 1],
                          error *err)
{
    enum { LIST_MAX = 128 };
    const node_record *r = fleet_find_node(f, node);
    char names[LIST_MAX];
    if (strcmp(node, f->options.node) == 0) {
        return error_set(err, STATUS_ALREADY_EXISTS, "to: server '%s' serves the world already",
                         node);
    }
    if (r == NULL) {
        list_others(f, names, sizeof names);
        return error_set(err, STATUS_NOT_FOUND,
                         "to: no server of the fleet has the name '%s'; others there: %s", node,
                         names);
    }
    if (r->draining) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "to: server '%s' is shutting down, and takes no worlds", node);
    }
    if (r->engine != f->options.engine) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "to: server '%s' has engine %" PRId64 ", and this one %" PRId64
                         ": a world moves between servers with the same engine",
                         node, r->engine, f->options.engine);
    }
    if (*r->peer == '\0') {
        return error_set(err, STATUS_UNAVAILABLE,
                         "to: server '%s' cannot be reached by other servers (caromd "
                         "--fleet-listen and --fleet-secret)",
                         node);
    }
    memcpy(peer, r->peer, sizeof r->peer);
    return STATUS_OK;
}
