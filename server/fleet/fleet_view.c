// The view that a member of a fleet has of the others: records of servers and worlds, as the watch
// reports them. Look-ups are local. Loop thread only.
#include "server/fleet/fleet_internal.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"

// The place of the name in sorted rows whose first member is a name, or where it belongs.
static uint32_t place_of(const void *rows, uint32_t count, size_t size, const char *name)
{
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp((const char *)rows + middle * size, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const void *rows, uint32_t count, size_t size, uint32_t at, const char *name)
{
    return at < count && strcmp((const char *)rows + at * size, name) == 0;
}

#define PLACE(array, name)     place_of((array)->data, (array)->count, sizeof *(array)->data, name)
#define IS_AT(array, at, name) is_at((array)->data, (array)->count, sizeof *(array)->data, at, name)

// The name behind the prefix of a key; NULL: the key is none of that kind.
static const char *name_in(const store_entry *e, const char *prefix)
{
    const size_t size = strlen(prefix);
    const bool ours = e->key_size > size && memcmp(e->key, prefix, size) == 0 &&
                      record_name_valid(e->key + size, e->key_size - size);
    return ours ? e->key + size : NULL;
}

static void log_overfull(fleet *f)
{
    if (!f->overfull_logged) {
        f->overfull_logged = true;
        log_error("fleet: more than %d worlds or %d servers: this server ignores the others",
                  FLEET_WORLDS_MAX, FLEET_NODES_MAX);
    }
}

void fleet_view_set_world(fleet *f, const char *name, const world_record *r, int64_t revision)
{
    const uint32_t at = PLACE(&f->worlds, name);
    if (!IS_AT(&f->worlds, at, name)) {
        if (f->worlds.count == FLEET_WORLDS_MAX) {
            log_overfull(f);
            return;
        }
        known_world row = {.revision = 0};
        snprintf(row.name, sizeof row.name, "%s", name);
        array_insert(&f->worlds, at, row);
    }
    f->worlds.data[at].record = *r;
    f->worlds.data[at].revision = revision;
}

static void set_node(fleet *f, const char *name, const node_record *r)
{
    const uint32_t at = PLACE(&f->nodes, name);
    if (!IS_AT(&f->nodes, at, name)) {
        if (f->nodes.count == FLEET_NODES_MAX) {
            log_overfull(f);
            return;
        }
        known_node row = {.record = *r};
        snprintf(row.name, sizeof row.name, "%s", name);
        array_insert(&f->nodes, at, row);
        if (f->announced && strcmp(name, f->options.node) != 0) {
            log_info("fleet: server '%s' at %s has joined", name, r->address);
        }
    }
    f->nodes.data[at].record = *r;
}

static void forget(fleet *f, const char *world, const char *node)
{
    uint32_t at = world != NULL ? PLACE(&f->worlds, world) : 0;
    if (world != NULL && IS_AT(&f->worlds, at, world)) {
        array_remove(&f->worlds, at);
    }
    at = node != NULL ? PLACE(&f->nodes, node) : 0;
    if (node != NULL && IS_AT(&f->nodes, at, node)) {
        if (strcmp(node, f->options.node) != 0) {
            log_info("fleet: server '%s' has left", node);
        }
        array_remove(&f->nodes, at);
    }
}

// A record that cannot be read is reported and left alone.
static void take_entry(fleet *f, const store_entry *e)
{
    const char *world = name_in(e, f->worlds_at);
    const char *node = name_in(e, f->nodes_at);
    world_record w;
    node_record n;
    error err;
    status s = STATUS_OK;
    if (world == NULL && node == NULL) {
        log_warn("fleet: '%.*s' is not a key of a fleet", (int)e->key_size, e->key);
    } else if (e->value == NULL) {
        forget(f, world, node);
        if (world != NULL) {
            fleet_owned_see(f, world, NULL, e->modified);
        } else {
            fleet_member_see(f, node, e->modified);
        }
    } else if (world != NULL) {
        s = world_record_read(e->value, e->value_size, &w, &err);
        if (s == STATUS_OK) {
            fleet_view_set_world(f, world, &w, e->modified);
            fleet_owned_see(f, world, &w, e->modified);
        }
    } else {
        fleet_member_see(f, node, e->modified);
        s = node_record_read(e->value, e->value_size, &n, &err);
        if (s == STATUS_OK) {
            set_node(f, node, &n);
        }
    }
    if (s != STATUS_OK) {
        forget(f, world, node);
        log_warn("fleet: the record '%.*s' is ignored: %s", (int)e->key_size, e->key, err.text);
    }
}

static void on_all(void *context, store_entries *entries, int64_t revision)
{
    fleet *f = context;
    array_clear(&f->worlds);
    array_clear(&f->nodes);
    for (uint32_t i = 0; i < entries->count; i++) { // in order of their keys
        take_entry(f, &entries->data[i]);
    }
    for (uint32_t i = f->owned.count; i > 0; i--) {
        const char *name = f->owned.data[i - 1]->name;
        const uint32_t at = PLACE(&f->worlds, name);
        if (!IS_AT(&f->worlds, at, name)) {
            fleet_owned_see(f, name, NULL, revision); // removed, unless it was written since
        }
    }
    if (fleet_view_node(f, f->options.node) == NULL) {
        fleet_member_see(f, f->options.node, revision);
    }
    f->has_view = true;
}

static void on_changed(void *context, const store_entry *e)
{
    take_entry(context, e);
}

static void on_interrupted(void *context, const char *why)
{
    fleet *f = context;
    snprintf(f->why, sizeof f->why, "%s", why);
    if (f->announced) {
        log_warn("fleet: changes do not arrive at the moment: %s", why);
    }
}

store_watcher fleet_view_watcher(fleet *f)
{
    return (store_watcher){
        .context = f, .all = on_all, .changed = on_changed, .interrupted = on_interrupted};
}

const known_world *fleet_view_world(const fleet *f, const char *name)
{
    const uint32_t at = PLACE(&f->worlds, name);
    return IS_AT(&f->worlds, at, name) ? &f->worlds.data[at] : NULL;
}

const known_node *fleet_view_node(const fleet *f, const char *name)
{
    const uint32_t at = PLACE(&f->nodes, name);
    return IS_AT(&f->nodes, at, name) ? &f->nodes.data[at] : NULL;
}

const world_record *fleet_record(const fleet *f, const char *world)
{
    const known_world *w = fleet_view_world(f, world);
    return w != NULL ? &w->record : NULL;
}

const world_record *fleet_find(const fleet *f, const char *world)
{
    const world_record *r = fleet_record(f, world);
    return r != NULL && strcmp(r->primary, f->options.node) != 0 ? r : NULL;
}

const node_record *fleet_find_node(const fleet *f, const char *name)
{
    const known_node *n = fleet_view_node(f, name);
    return n != NULL ? &n->record : NULL;
}

const node_record *fleet_node(const fleet *f, uint32_t i, const char **name)
{
    if (i >= f->nodes.count) {
        return NULL;
    }
    *name = f->nodes.data[i].name;
    return &f->nodes.data[i].record;
}

const world_record *fleet_world(const fleet *f, uint32_t i, const char **name)
{
    if (i >= f->worlds.count) {
        return NULL;
    }
    *name = f->worlds.data[i].name;
    return &f->worlds.data[i].record;
}

uint32_t fleet_node_count(const fleet *f)
{
    return f->nodes.count;
}

uint32_t fleet_world_count(const fleet *f)
{
    return f->worlds.count;
}

uint32_t fleet_world_after(const fleet *f, const char *name)
{
    const uint32_t at = PLACE(&f->worlds, name);
    return at + (IS_AT(&f->worlds, at, name) ? 1 : 0);
}
