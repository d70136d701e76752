// A member of a fleet, from its opening to its end; see fleet.h. The watch's reports keep the view
// (fleet_view.c); a pulse drives joining, the lease and the server's own record (fleet_member.c),
// and the bounds of claims (fleet_claims.c).
#include "server/fleet/fleet_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/assert.h"

enum { PULSE_MS = 100 };

const char *fleet_self(const fleet *f)
{
    return f->options.node;
}

const char *fleet_prefix(const fleet *f)
{
    return f->options.prefix;
}

const char *fleet_store_error(const fleet *f)
{
    return f->unanswered ? f->why : "";
}

static void on_fleet_pulse(uv_timer_t *timer)
{
    fleet *f = timer->data;
    if (f->state != MEMBER_LEAVING) {
        fleet_member_pulse(f, uv_now(f->loop));
    }
    if (f->state != MEMBER_LEAVING) {
        fleet_claims_end(f, false, *f->why != '\0' ? f->why : "etcd does not answer");
        fleet_writes_pulse(f);
    }
}

status fleet_open(uv_loop_t *loop, const fleet_options *options, fleet **out, error *err)
{
    fleet *f = calloc(1, sizeof *f);
    ASSERT_MEMORY(f != NULL);
    ASSERT(record_prefix_valid(options->prefix) && record_address_valid(options->address));
    *f = (fleet){.loop = loop, .options = *options, .handles = 2};
    const store_options at = {
        .endpoints = options->endpoints, .tls = options->tls, .times = store_times_default()};
    status s = store_open(loop, &at, &f->store, err);
    if (s != STATUS_OK) {
        free(f);
        return s;
    }
    char prefix[RECORD_KEY_MAX];
    snprintf(f->run, sizeof f->run, "%016" PRIx64, options->run);
    snprintf(prefix, sizeof prefix, "%s/", options->prefix);
    snprintf(f->worlds_at, sizeof f->worlds_at, "%s/world/", options->prefix);
    snprintf(f->nodes_at, sizeof f->nodes_at, "%s/node/", options->prefix);
    snprintf(f->node_key, sizeof f->node_key, "%s/node/%s", options->prefix, options->node);
    const store_watcher watcher = fleet_view_watcher(f);
    f->watch = store_watch_open(f->store, prefix, &watcher);
    f->begun_ms = uv_now(loop);
    (void)uv_timer_init(loop, &f->pulse);
    f->pulse.data = f;
    (void)uv_timer_start(&f->pulse, on_fleet_pulse, PULSE_MS, PULSE_MS);
    *out = f;
    return STATUS_OK;
}

void fleet_leave(fleet *f)
{
    f->draining = true;
    f->look_ms = 0; // the others learn it at the next pulse
}

void fleet_drain(fleet *f)
{
    f->draining = true;
    fleet_claims_end(f, true, "the server is shutting down");
}

static void handle_closed(fleet *f)
{
    ASSERT(f->handles > 0);
    if (--f->handles > 0) {
        return;
    }
    void (*closed)(void *context) = f->closed;
    void *context = f->context;
    for (uint32_t i = 0; i < f->owned.count; i++) {
        free(f->owned.data[i]);
    }
    fleet_writes_free(f);
    array_free(&f->owned);
    array_free(&f->worlds);
    array_free(&f->nodes);
    free(f);
    closed(context);
}

static void on_store_closed(void *context)
{
    handle_closed(context);
}

static void on_pulse_closed(uv_handle_t *handle)
{
    handle_closed(handle->data);
}

static void end_store(fleet *f)
{
    uv_close((uv_handle_t *)&f->pulse, on_pulse_closed);
    store_close(f->store, on_store_closed, f);
}

static void on_revoked(void *context, const store_answer *answer)
{
    (void)answer;
    ((fleet *)context)->lease = 0;
}

static void on_end_pulse(uv_timer_t *timer)
{
    fleet *f = timer->data;
    if ((f->removals == 0 && f->lease == 0) || uv_now(f->loop) >= f->next_ms) {
        end_store(f);
    }
}

void fleet_close(fleet *f, void (*closed)(void *context), void *context)
{
    error err;
    f->closed = closed;
    f->context = context;
    fleet_claims_end(f, true, "the server is shutting down");
    f->state = MEMBER_LEAVING;
    for (uint32_t i = 0; i < f->owned.count; i++) {
        const owned_world *w = f->owned.data[i];
        if (w->machine.state == OWNERSHIP_ALONE && !w->kept) {
            fleet_write_removal(f, w->name, w->machine.revision);
        }
    }
    if (f->lease != 0 && store_lease_revoke(f->store, f->lease, on_revoked, f, &err) != STATUS_OK) {
        f->lease = 0;
    }
    f->next_ms = uv_now(f->loop) + FLEET_CLOSE_MS;
    (void)uv_timer_start(&f->pulse, on_end_pulse, 0, PULSE_MS);
}
