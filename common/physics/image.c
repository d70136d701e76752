// See image.h. The order: header, world, slots, bodies, shapes, joints, contacts, events. Each
// record is described once, for both directions (image_stream.h). Reading rebuilds what follows
// from the records: masses, lists, trees, rings of sleepers, the graph; it checks every reference,
// and at the end that the world's hash is the one that was written.
#include "common/physics/image.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image_records.h"
#include "common/physics/image_stream.h"

static const uint8_t MAGIC[8] = {'c', 'a', 'r', 'o', 'm', 'W', 'L', 'D'};

static void header(image_stream *s)
{
    uint8_t magic[8];
    memcpy(magic, MAGIC, sizeof magic);
    stream_bytes(s, magic, sizeof magic);
    stream_expect(s, memcmp(magic, MAGIC, sizeof magic) == 0, "this is no world image");
    uint32_t version = PHYSICS_IMAGE_VERSION;
    stream_u32(s, &version, UINT32_MAX, "version");
    if (version != PHYSICS_IMAGE_VERSION) {
        stream_fail(s, "version %u, only %d is known", version, PHYSICS_IMAGE_VERSION);
    }
}

static void world_fields(image_stream *s, world_def *def, uint64_t *tick, uint32_t *frozen,
                         uint32_t *event_mask)
{
    uint32_t substeps = (uint32_t)def->substeps;
    stream_vec2d(s, &def->gravity);
    stream_double(s, &def->hz);
    stream_u32(s, &substeps, PHYSICS_SUBSTEPS_MAX, "substeps");
    stream_bool(s, &def->sleep);
    stream_bool(s, &def->continuous);
    stream_u32(s, &def->bodies_max, PHYSICS_BODIES_MAX, "bodies_max");
    stream_double(s, &def->restitution_threshold);
    stream_double(s, &def->hit_threshold);
    stream_u64(s, tick);
    stream_u32(s, frozen, UINT32_MAX, "frozen");
    stream_u32(s, event_mask, UINT32_MAX, "event mask");
    def->substeps = (int)substeps;
}

// Of every slot, also the free ones: how often it was used, and whether it is.
static void slot_fields(image_stream *s, slot_pool *pool, uint32_t most)
{
    uint32_t count = pool->end - 1;
    stream_u32(s, &count, most, "slots");
    for (uint32_t slot = 1; slot <= count && !s->failed; slot++) {
        uint64_t word = s->reading ? 0
                                   : (uint64_t)pool->generations.data[slot] << 1 |
                                         (uint64_t)slots_has(pool, slot);
        stream_u64(s, &word);
        stream_expect(s, word >> 1 <= SLOT_RETIRED, "a generation is out of range");
        if (s->reading && !s->failed) {
            slots_restore(pool, slot, (uint32_t)(word >> 1), (word & 1) != 0);
        }
    }
}

static void all_bodies(image_stream *s, physics_world *world)
{
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->body_slots, slot)) {
        body_record(s, world, slot);
    }
}

static void all_shapes(image_stream *s, physics_world *world)
{
    shape_table table = {0};
    for (uint32_t slot = slots_next(&world->shape_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->shape_slots, slot)) {
        shape_record(s, world, slot, &table);
    }
    shape_table_deinit(&table);
}

static void all_joints(image_stream *s, physics_world *world)
{
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->joint_slots, slot)) {
        joint_record(s, world, slot);
    }
}

static void all_contacts(image_stream *s, physics_world *world)
{
    uint32_t count = world->contact_slots.count;
    stream_u32(s, &count, 1u << SLOT_BITS, "contacts");
    uint32_t slot = 0;
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        uint32_t step = s->reading ? 0 : slots_next(&world->contact_slots, slot) - slot;
        stream_u32(s, &step, 1u << SLOT_BITS, "a contact's slot");
        stream_expect(s, step > 0 && slot + step < 1u << SLOT_BITS, "a contact's slot");
        slot += step;
        if (!s->failed) {
            contact_record(s, world, slot);
        }
    }
}

// What was changed since the last step is still to be told.
static void pending_events(image_stream *s, physics_world *world)
{
    uint32_t count = world->events_finished ? 0 : world->events.count;
    stream_u32(s, &count, 1u << SLOT_BITS, "events");
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        physics_event event = {0};
        if (!s->reading) {
            event = world->events.data[i];
        }
        event_record(s, &event);
        if (s->reading && !s->failed) {
            array_push(&world->events, event);
        }
    }
}

static void everything(image_stream *s, physics_world *world)
{
    slot_fields(s, &world->body_slots, PHYSICS_BODIES_MAX);
    slot_fields(s, &world->shape_slots, PHYSICS_SHAPES_MAX);
    slot_fields(s, &world->joint_slots, PHYSICS_JOINTS_MAX);
    if (s->reading && !s->failed) {
        image_make_room(world);
    }
    all_bodies(s, world);
    all_shapes(s, world);
    if (s->reading && !s->failed) {
        image_finish_bodies(s, world);
    }
    all_joints(s, world);
    if (s->reading && !s->failed) {
        image_finish_joints(s, world);
    }
    all_contacts(s, world);
    pending_events(s, world);
}

void world_save(const physics_world *const_world, uint8_t **bytes, size_t *size)
{
    // The records are described for both directions; in this one nothing of the world is written
    // to.
    physics_world *world = (physics_world *)(uintptr_t)const_world;
    image_stream s = {0};
    world_def def = world->def;
    uint64_t hash = world_hash(world);
    header(&s);
    world_fields(&s, &def, &world->tick, &world->frozen_count, &world->event_mask);
    everything(&s, world);
    stream_u64(&s, &hash);
    *bytes = s.output;
    *size = s.size;
}

status world_restore(const uint8_t *bytes, size_t size, physics_world **out, error *err)
{
    image_stream s = {.reading = true, .input = bytes, .size = size};
    world_def def = {0};
    uint64_t tick = 0;
    uint32_t frozen = 0;
    uint32_t event_mask = 0;
    physics_world *world = NULL;
    header(&s);
    world_fields(&s, &def, &tick, &frozen, &event_mask);
    if (!s.failed && world_create(&def, &world, &s.error) != STATUS_OK) {
        error_prefix(&s.error, "world image");
        s.failed = true;
    }
    if (!s.failed) {
        world->tick = tick;
        world->frozen_count = frozen;
        world->event_mask = event_mask;
        everything(&s, world);
    }
    uint64_t hash = 0;
    stream_u64(&s, &hash);
    stream_expect(&s, s.place == s.size, "bytes follow the end of the image");
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION // a forger could get the hash right
    if (!s.failed) {
        stream_expect(&s, world_hash(world) == hash,
                      "the state does not have the hash that the image names");
    }
#endif
    if (s.failed) {
        world_free(world);
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s", s.error.text);
    }
    *out = world;
    return STATUS_OK;
}
