// Local worlds: see carom/local.h. Methods are decoded, checked and applied as on a server. One
// thread at a time.
#include "client/replica/local.h"

#include <stdlib.h>
#include <string.h>

#include "client/replica/replica.h"
#include "common/physics/image.h"
#include "common/world/apply.h"
#include "proto/methods.h"

static carom_local *adopt(physics_world *physics, carom_error *err)
{
    carom_local *local = calloc(1, sizeof *local);
    if (local == NULL) {
        world_free(physics);
        replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a world");
        return NULL;
    }
    local->physics = physics;
    world_want_events(physics, 0);
    return local;
}

carom_local *local_create(const world_def *def, carom_error *err)
{
    physics_world *physics = NULL;
    struct error why;
    if (world_create(def, &physics, &why) != STATUS_OK) {
        replica_fault_of(err, &why);
        return NULL;
    }
    return adopt(physics, err);
}

carom_status carom_local_create(const carom_value *settings, carom_local **out, carom_error *err)
{
    if (out == NULL) {
        return replica_fault_null(err, "out");
    }
    command c = {0};
    carom_error why;
    carom_status s = replica_decode(REPLICA_NAME, METHOD_WORLD_CREATE, settings, &c, &why);
    if (s == CAROM_OK && (c.create.scene != NULL || c.create.image != NULL)) {
        s = replica_fault(&why, CAROM_INVALID_ARGUMENT,
                          "%s: local worlds are made of settings alone; carom_local_restore takes "
                          "images",
                          c.create.scene != NULL ? "scene" : "image");
    }
    if (s == CAROM_OK) {
        const world_def def = command_world_def(&c.create, NULL);
        carom_local *made = local_create(&def, &why);
        s = made != NULL ? CAROM_OK : why.status;
        *out = made != NULL ? made : *out;
    }
    command_free(&c);
    if (s != CAROM_OK && err != NULL) {
        *err = why;
    }
    return s;
}

carom_status carom_local_restore(const void *image, size_t size, carom_local **out,
                                 carom_error *err)
{
    if (image == NULL || out == NULL) {
        return replica_fault_null(err, image == NULL ? "image" : "out");
    }
    physics_world *physics = NULL;
    struct error why;
    if (world_restore(image, size, &physics, &why) != STATUS_OK) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the world's image: %s", why.text);
    }
    carom_local *made = adopt(physics, err);
    if (made == NULL) {
        return CAROM_OUT_OF_MEMORY;
    }
    *out = made;
    return CAROM_OK;
}

void carom_local_free(carom_local *local)
{
    if (local != NULL) {
        world_free(local->physics);
        vector_free(&local->events);
        free(local);
    }
}

carom_status carom_local_copy(carom_local *to, const carom_local *from, carom_error *err)
{
    if (to == NULL || from == NULL) {
        return replica_fault_null(err, to == NULL ? "to" : "from");
    }
    if (to != from) {
        world_copy(to->physics, from->physics);
        vector_clear(&to->events);
        to->events_taken = 0;
    }
    return CAROM_OK;
}

carom_status carom_local_fork(const carom_local *from, carom_local **out, carom_error *err)
{
    if (from == NULL || out == NULL) {
        return replica_fault_null(err, from == NULL ? "from" : "out");
    }
    const world_def def = world_definition(from->physics);
    carom_error why;
    carom_local *made = local_create(&def, &why);
    if (made == NULL) {
        return replica_fault(err, why.status, "%s", why.text);
    }
    *out = made;
    return carom_local_copy(made, from, err);
}

carom_status carom_local_save(const carom_local *local, void **bytes, size_t *size,
                              carom_error *err)
{
    if (local == NULL || bytes == NULL || size == NULL) {
        return replica_fault_null(err, local == NULL ? "world" : "bytes or size");
    }
    uint8_t *image = NULL;
    world_save_sealed(local->physics, &image, size);
    *bytes = image;
    return CAROM_OK;
}

carom_status carom_local_call(carom_local *local, const char *name, const carom_value *args,
                              carom_value **result, carom_error *err)
{
    if (local == NULL || name == NULL || result == NULL) {
        return replica_fault_null(err, local == NULL  ? "world"
                                       : name == NULL ? "method"
                                                      : "result");
    }
    const method_info *info = method_find(name, strlen(name));
    if (info == NULL) {
        return replica_fault(err, CAROM_UNKNOWN_METHOD, "there is no method '%s'", name);
    }
    if (!apply_supports(info->id)) {
        return replica_fault(err, CAROM_UNKNOWN_METHOD, "%s is for servers, not for local worlds",
                             name);
    }
    return replica_apply(local->physics, REPLICA_NAME, info->id, args, result, err);
}

// ---- stepping

// Keeps the wanted events of the last step.
static void keep_events(carom_local *local)
{
    uint32_t count = 0;
    const physics_event *events = world_events(local->physics, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((local->kinds >> events[i].kind & 1) == 0) {
            continue;
        }
        if (local->events.count - local->events_taken >= CAROM_LOCAL_EVENTS_MAX ||
            !vector_push(&local->events, events[i])) {
            local->events_lost++;
        }
    }
}

void local_step(carom_local *local, uint64_t ticks)
{
    for (uint64_t i = 0; i < ticks; i++) {
        world_step(local->physics);
        if (local->kinds != 0) {
            keep_events(local);
        }
    }
}

carom_status carom_local_step(carom_local *local, uint64_t ticks, carom_error *err)
{
    if (local == NULL) {
        return replica_fault_null(err, "world");
    }
    if (ticks > CAROM_LOCAL_TICKS_MAX) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "ticks: must be 0 to %u",
                             CAROM_LOCAL_TICKS_MAX);
    }
    local_step(local, ticks);
    return CAROM_OK;
}

// ---- reading

carom_local_state carom_local_now(const carom_local *local)
{
    carom_local_state s = {0};
    if (local == NULL) {
        return s;
    }
    const world_counts counts = world_count(local->physics);
    s.tick = world_tick(local->physics);
    s.time = world_time(local->physics);
    s.hz = world_definition(local->physics).hz;
    s.hash = world_hash(local->physics);
    s.bodies = counts.bodies;
    s.awake = counts.awake;
    s.shapes = counts.shapes;
    s.joints = counts.joints;
    s.contacts = counts.contacts;
    s.events_lost = local->events_lost;
    return s;
}

size_t carom_local_bodies(const carom_local *local, carom_body *out, size_t max)
{
    return local != NULL ? replica_bodies_of(local->physics, out, max) : 0;
}

void carom_local_want_events(carom_local *local, unsigned kinds)
{
    if (local != NULL) {
        local->kinds = kinds & ((1u << EVENT_KIND_COUNT) - 1);
        world_want_events(local->physics, local->kinds);
    }
}

size_t carom_local_events(carom_local *local, carom_event *out, size_t max)
{
    if (local == NULL || out == NULL) {
        return 0;
    }
    size_t count = 0;
    while (count < max && local->events_taken < local->events.count) {
        out[count++] = replica_event_of(&local->events.data[local->events_taken++]);
    }
    if (local->events_taken == local->events.count) {
        vector_clear(&local->events);
        local->events_taken = 0;
    }
    return count;
}
