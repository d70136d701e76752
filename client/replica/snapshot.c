// A replica's state as a snapshot of encoding plain, for the views of libcarom. One thread at a
// time.
//
// Two ordered lists keep the ids of the last snapshot's bodies and joints. Each snapshot has the
// rows of all bodies; a body or joint is described when it is new, and everything is described
// again after a command that may have changed a description: such commands are rare beside
// snapshots.
#include "client/replica/replica.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/joint.h"
#include "common/world/apply.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"

enum { SUBSCRIPTION = 1 }; // any number: a view without a subscription ignores it

void replica_telling_init(replica_telling *t)
{
    *t = (replica_telling){0};
    buffer_init(&t->rows, WIRE_REPLY_BYTES_MAX);
    buffer_init(&t->events, WIRE_REPLY_BYTES_MAX);
    buffer_init(&t->contacts, WIRE_REPLY_BYTES_MAX);
    buffer_init(&t->spawned, WIRE_REPLY_BYTES_MAX);
    buffer_init(&t->joints, WIRE_REPLY_BYTES_MAX);
    buffer_init(&t->out, WIRE_REPLY_BYTES_MAX);
}

void replica_telling_deinit(replica_telling *t)
{
    buffer_deinit(&t->rows);
    buffer_deinit(&t->events);
    buffer_deinit(&t->contacts);
    buffer_deinit(&t->spawned);
    buffer_deinit(&t->joints);
    buffer_deinit(&t->out);
    array_free(&t->bodies);
    array_free(&t->joint_ids);
    array_free(&t->removed);
    array_free(&t->joints_removed);
    array_free(&t->taken);
    array_free(&t->taken_contacts);
}

void replica_telling_drop_events(replica_telling *t)
{
    buffer_clear(&t->events);
    t->event_count = 0;
}

void replica_telling_note_event(replica_telling *t, const physics_event *event)
{
    if ((t->kinds >> event->kind & 1) == 0) {
        return;
    }
    if (t->event_count == CAROM_REPLICA_EVENTS_MAX) {
        replica_telling_drop_events(t); // they have not been read for a long time
    }
    encode_event(&t->events, event);
    t->event_count++;
}

void replica_telling_note_command(replica_telling *t, method m)
{
    t->outdated = t->outdated || method_has(m, TRAIT_REDESCRIBES);
}

// ---- comparing with the last snapshot

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static bool knows(const replica_ids *ids, uint64_t id)
{
    return ids->count > 0 &&
           bsearch(&id, ids->data, ids->count, sizeof *ids->data, by_number) != NULL;
}

// Adds the ids of `before` that are not in `now`.
static void note_gone(const replica_ids *before, const replica_ids *now, replica_ids *out)
{
    array_clear(out);
    for (uint32_t i = 0; i < before->count; i++) {
        if (!knows(now, before->data[i])) {
            array_push(out, before->data[i]);
        }
    }
}

static void swap_ids(replica_ids *a, replica_ids *b)
{
    replica_ids kept = *a;
    *a = *b;
    *b = kept;
}

static void describe_body(replica_telling *t, physics_world *world, body_id id)
{
    command get = {.method = METHOD_BODY_GET, .body = id};
    command_result result;
    struct error err;
    status s = apply_command(world, &get, &result, &err);
    ASSERT(s == STATUS_OK); // the world has just listed the id
    encode_body(&t->spawned, &result.body);
    command_result_free(&result);
    t->spawned_count++;
}

static void tell_bodies(replica_telling *t, physics_world *world)
{
    uint32_t count = world_count(world).bodies;
    array_reserve(&t->taken, count);
    t->taken.count = world_rows(world, t->taken.data, count);
    replica_ids now = {0};
    array_reserve(&now, count);
    for (uint32_t i = 0; i < t->taken.count; i++) {
        const body_row *row = &t->taken.data[i];
        encode_body_row(&t->rows, row);
        array_push(&now, row->id);
        if (t->describe && (t->outdated || !knows(&t->bodies, row->id))) {
            describe_body(t, world, row->id);
        }
    }
    if (now.count > 0) {
        qsort(now.data, now.count, sizeof *now.data, by_number);
    }
    note_gone(&t->bodies, &now, &t->removed);
    swap_ids(&t->bodies, &now);
    array_free(&now);
}

static void tell_joints(replica_telling *t, const physics_world *world)
{
    replica_ids now = {0};
    for (joint_id id = 0; (id = world_next_joint(world, id)) != 0;) {
        array_push(&now, id);
        if (t->outdated || !knows(&t->joint_ids, id)) {
            joint_info info;
            status s = joint_get(world, id, &info, NULL);
            ASSERT(s == STATUS_OK);
            encode_joint(&t->joints, &info);
            t->joint_count++;
        }
    }
    if (now.count > 0) {
        qsort(now.data, now.count, sizeof *now.data, by_number);
    }
    note_gone(&t->joint_ids, &now, &t->joints_removed);
    swap_ids(&t->joint_ids, &now);
    array_free(&now);
}

static uint32_t tell_contacts(replica_telling *t, const physics_world *world)
{
    uint32_t room = world_count(world).contacts;
    array_reserve(&t->taken_contacts, room);
    uint32_t touching = world_contacts(world, t->taken_contacts.data, room);
    touching = touching < room ? touching : room;
    for (uint32_t i = 0; i < touching; i++) {
        encode_contact(&t->contacts, &t->taken_contacts.data[i]);
    }
    return touching;
}

// ---- the snapshot

static encoded_list list_of(const buffer *b, uint32_t count)
{
    return (encoded_list){b->data, b->size, count};
}

static bool overflown(const replica_telling *t)
{
    return t->rows.overflow || t->events.overflow || t->contacts.overflow || t->spawned.overflow ||
           t->joints.overflow || t->out.overflow;
}

static void clear(replica_telling *t)
{
    buffer_clear(&t->rows);
    buffer_clear(&t->contacts);
    buffer_clear(&t->spawned);
    buffer_clear(&t->joints);
    buffer_clear(&t->out);
    t->spawned_count = t->joint_count = 0;
    array_clear(&t->removed);
    array_clear(&t->joints_removed);
}

static void encode(replica_telling *t, const carom_replica *r, const physics_world *world,
                   bool full, uint32_t contacts)
{
    snapshot_view view = {.world = r->world,
                          .epoch = r->epoch,
                          .tick = world_tick(world),
                          .time = world_time(world),
                          .full = full,
                          .bodies = list_of(&t->rows, t->bodies.count),
                          .removed = t->removed.data,
                          .removed_count = t->removed.count,
                          .events = list_of(&t->events, t->event_count),
                          .has_contacts = t->with_contacts,
                          .contacts = list_of(&t->contacts, contacts),
                          .describe = t->describe,
                          .spawned = list_of(&t->spawned, t->spawned_count),
                          .joints = list_of(&t->joints, t->joint_count),
                          .joints_removed = t->joints_removed.data,
                          .joints_removed_count = t->joints_removed.count,
                          .hash = world_hash(world)};
    buffer tail;
    buffer_init(&tail, WIRE_REPLY_BYTES_MAX);
    uint32_t pairs = encode_snapshot_tail(&tail, &view);
    encode_snapshot_map(&t->out, &(snapshot_head){.subscription = SUBSCRIPTION}, pairs);
    buffer_append(&t->out, tail.data, tail.size);
    t->out.overflow = t->out.overflow || tail.overflow;
    buffer_deinit(&tail);
}

carom_status replica_tell(const carom_replica *r, replica_telling *t, physics_world *world,
                          const carom_replica_snapshot_options *options, carom_error *err)
{
    if (world == NULL) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the replica has no world");
    }
    const carom_replica_snapshot_options all =
        options != NULL ? *options : (carom_replica_snapshot_options){0};
    const bool full = t->image != r->images || all.full || (all.describe && !t->describe);
    clear(t);
    if (full) {
        array_clear(&t->bodies);
        array_clear(&t->joint_ids);
    }
    t->describe = all.describe;
    t->with_contacts = all.contacts;
    tell_bodies(t, world);
    if (t->describe) {
        tell_joints(t, world);
    }
    const uint32_t contacts = all.contacts ? tell_contacts(t, world) : 0;
    encode(t, r, world, full, contacts);
    replica_telling_drop_events(t);
    t->kinds = all.events;
    if (overflown(t)) {
        t->image = 0; // the next snapshot is full
        return replica_fault(err, CAROM_LIMIT_EXCEEDED, "a snapshot of this world is over %d bytes",
                             WIRE_REPLY_BYTES_MAX);
    }
    t->image = r->images;
    t->outdated = false;
    return CAROM_OK;
}

carom_status carom_replica_snapshot(carom_replica *r, const carom_replica_snapshot_options *options,
                                    const void **encoded, size_t *size, carom_error *err)
{
    if (r == NULL || encoded == NULL || size == NULL) {
        return replica_fault_null(err, r == NULL ? "replica" : "encoded or size");
    }
    *encoded = NULL;
    *size = 0;
    const unsigned kinds = r->telling.kinds;
    const carom_status s = replica_tell(r, &r->telling, r->player.world, options, err);
    if (kinds != r->telling.kinds) {
        replica_want_events(r);
    }
    if (s == CAROM_OK) {
        *encoded = r->telling.out.data;
        *size = r->telling.out.size;
    }
    return s;
}
