// Answers the server: worlds by name, the list, and whether upstreams answer. See upstreams.h.
#include "server/session/relay/upstreams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/command.h"
#include "server/fleet/records.h"
#include "server/session/placement/worlds.h"
#include "server/session/relay/internal.h"
#include "server/session/service.h"

// ---- opening and closing

static void check_closed(upstreams *u)
{
    if (!u->closing || u->handles > 0) {
        return;
    }
    void (*closed)(void *context) = u->closed;
    void *context = u->context;
    for (uint32_t i = 0; i < u->count; i++) {
        upstream_deinit(&u->all[i]);
    }
    array_free(&u->shown);
    array_free(&u->worlds);
    u->server->upstreams = NULL;
    free(u->all);
    free(u);
    closed(context);
}

void upstreams_let_go(upstreams *u)
{
    ASSERT(u->handles > 0);
    u->handles--;
    check_closed(u);
}

static void on_pulse(uv_timer_t *timer)
{
    upstreams *u = timer->data;
    if (u->server->stage == SERVER_DRAINING) {
        return;
    }
    for (uint32_t i = 0; i < u->count; i++) {
        upstream_pulse(&u->all[i]);
    }
    mirrored_pulse(u);
}

void upstreams_open(server *s)
{
    const relay_options *options = &s->options->relay;
    upstreams *u = calloc(1, sizeof *u);
    ASSERT_MEMORY(u != NULL);
    ASSERT(options->count > 0 && options->count <= RELAY_TARGETS_MAX);
    u->server = s;
    u->count = options->count;
    u->all = calloc(u->count, sizeof *u->all);
    ASSERT_MEMORY(u->all != NULL);
    u->handles = 1;
    for (uint32_t i = 0; i < u->count; i++) {
        upstream_init(&u->all[i], u, &options->targets[i]);
    }
    s->upstreams = u;
    uv_timer_init(s->loop, &u->pulse);
    u->pulse.data = u;
    uv_timer_start(&u->pulse, on_pulse, 0, RELAY_PULSE_MS);
}

static void on_timer_closed(uv_handle_t *handle)
{
    upstreams_let_go(handle->data);
}

void upstreams_close(server *s, void (*closed)(void *context), void *context)
{
    upstreams *u = s->upstreams;
    u->closing = true;
    u->closed = closed;
    u->context = context;
    mirrored_close(u);
    for (uint32_t i = 0; i < u->count; i++) {
        upstream_end(&u->all[i]);
    }
    uv_close((uv_handle_t *)&u->pulse, on_timer_closed);
}

// ---- rows

static int by_name(const void *a, const void *b)
{
    const upstream_row *left = a;
    const upstream_row *right = b;
    const int order = strcmp(left->name, right->name);
    if (order != 0) {
        return order;
    }
    if (left->of->greeted != right->of->greeted) {
        return left->of->greeted ? -1 : 1; // the other one's row may be old
    }
    return left->of < right->of ? -1 : left->of > right->of; // in the order of the options
}

void upstreams_show(upstreams *u)
{
    uint32_t kept = 0;
    array_clear(&u->shown);
    for (uint32_t i = 0; i < u->count; i++) {
        for (uint32_t k = 0; k < u->all[i].rows.count; k++) {
            array_push(&u->shown, u->all[i].rows.data[k]);
        }
    }
    if (u->shown.count > 0) {
        qsort(u->shown.data, u->shown.count, sizeof *u->shown.data, by_name);
    }
    for (uint32_t i = 0; i < u->shown.count; i++) {
        if (kept == 0 || strcmp(u->shown.data[kept - 1].name, u->shown.data[i].name) != 0) {
            u->shown.data[kept++] = u->shown.data[i];
        }
    }
    u->shown.count = kept;
}

static const upstream_row *find_row(const upstreams *u, const char *name)
{
    uint32_t first = 0;
    uint32_t count = u->shown.count;
    while (count > 0) {
        const uint32_t half = count / 2;
        const int order = strcmp(u->shown.data[first + half].name, name);
        if (order == 0) {
            return &u->shown.data[first + half];
        }
        first = order < 0 ? first + half + 1 : first;
        count = order < 0 ? count - half - 1 : half;
    }
    return NULL;
}

// ---- answers to the server

uint32_t upstreams_connected(const server *s)
{
    const upstreams *u = s->upstreams;
    uint32_t count = 0;
    for (uint32_t i = 0; u != NULL && i < u->count; i++) {
        count += u->all[i].greeted && u->all[i].listed ? 1 : 0;
    }
    return count;
}

bool upstreams_ready(const server *s, error *err)
{
    if (s->upstreams == NULL || upstreams_connected(s) > 0) {
        return true;
    }
    (void)error_set(err, STATUS_UNAVAILABLE, "the server that this relay follows does not answer");
    return false;
}

uint32_t upstreams_world_count(const server *s)
{
    return s->upstreams != NULL ? s->upstreams->worlds.count : 0;
}

const upstream_row *upstreams_rows(const server *s, uint32_t *count)
{
    *count = s->upstreams != NULL ? s->upstreams->shown.count : 0;
    return *count > 0 ? s->upstreams->shown.data : NULL;
}

// An upstream that has not listed its worlds yet; NULL: all have.
static const upstream *find_unlisted(const upstreams *u)
{
    for (uint32_t i = 0; i < u->count; i++) {
        if (!u->all[i].listed) {
            return &u->all[i];
        }
    }
    return NULL;
}

status upstreams_find(server *s, const char *name, world_entry **out, error *err)
{
    upstreams *u = s->upstreams;
    world_entry *entry = directory_find(&s->worlds, name);
    if (entry != NULL) {
        mirrored *w = mirrored_find(u, entry->number);
        if (w != NULL) {
            w->active_ms = uv_now(s->loop);
        }
        *out = entry;
        return STATUS_OK;
    }
    if (s->stage == SERVER_DRAINING) {
        return error_set(err, STATUS_UNAVAILABLE, "%s", s->reason);
    }
    const upstream_row *row = find_row(u, name);
    if (row != NULL) {
        return mirrored_begin(u, row, out, err);
    }
    const upstream *unlisted = find_unlisted(u);
    if (unlisted != NULL && u->count == 1) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "the server that this relay follows does not answer: try again");
    }
    if (unlisted != NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' is not known, and a server that this relay follows does not "
                         "answer: try again",
                         name);
    }
    return error_set(err, STATUS_NOT_FOUND, "world '%s' does not exist", name);
}

// Whether the method changes a world or its time.
static bool changes(method m)
{
    return method_has(m, TRAIT_EFFECT) || m == METHOD_WORLD_DESTROY;
}

// The upstream that serves the world; the first one for a world that none is known to serve.
static const upstream *find_server(const server *s, const char *name)
{
    const upstreams *u = s->upstreams;
    const world_entry *entry = directory_find(&s->worlds, name);
    const mirrored *w = entry != NULL ? mirrored_find(u, entry->number) : NULL;
    const upstream_row *row = find_row(u, name);
    return w != NULL ? w->at : row != NULL ? row->of : &u->all[0];
}

status upstreams_permit(const server *s, const session *asker, const command *c, error *err)
{
    if (s->upstreams == NULL || !changes(c->method)) {
        return STATUS_OK;
    }
    const relay_target *to = find_server(s, c->world)->target;
    if (to->origin == NULL || c->world[0] == '\0') {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         "this server is a relay: worlds are served here for watching alone");
    }
    world_record origin = {0};
    snprintf(origin.address, sizeof origin.address, "%s", to->origin);
    snprintf(origin.http, sizeof origin.http, "%s", to->origin_http != NULL ? to->origin_http : "");
    return worlds_moved(asker, &origin, c->world, err);
}
