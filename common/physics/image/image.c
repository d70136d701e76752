// See image.h. The order: header, world, slots, bodies, shapes, joints, contacts, events, seats
// and rules if there are any, data if there ever were any, hash, and of a sealed image the
// checksum. Reading rebuilds everything that follows from the records: masses, lists, trees, rings
// of sleeping bodies, the graph. It checks every reference, and at the end compares the world's
// hash with the written one. The size of the image bounds every allocation.
#include "common/physics/image.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/physics/image/hash.h"
#include "common/physics/image/image_bytes.h"
#include "common/physics/image/image_records.h"
#include "common/physics/image/image_stream.h"

static const uint8_t MAGIC[8] = {'c', 'a', 'r', 'o', 'm', 'W', 'L', 'D'};

enum { VERSION_AT = sizeof MAGIC, HASH_BYTES = 8, SEAL_BYTES = 4 };
_Static_assert(PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED < 0x80, "a version is one byte");

static uint32_t version_of(const image_stream *s)
{
    if (s->with_one_way) {
        return s->sealed ? PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED : PHYSICS_IMAGE_VERSION_ONE_WAY;
    }
    if (s->with_seats) {
        return s->sealed ? PHYSICS_IMAGE_VERSION_SEATS_SEALED : PHYSICS_IMAGE_VERSION_SEATS;
    }
    if (s->with_rules) {
        return s->sealed ? PHYSICS_IMAGE_VERSION_RULES_SEALED : PHYSICS_IMAGE_VERSION_RULES;
    }
    if (s->with_data) {
        return s->sealed ? PHYSICS_IMAGE_VERSION_DATA_SEALED : PHYSICS_IMAGE_VERSION_DATA;
    }
    return s->sealed ? PHYSICS_IMAGE_VERSION_SEALED : PHYSICS_IMAGE_VERSION;
}

// Opens an image for reading; a sealed one up to its checksum.
static void open_image(image_stream *s, const uint8_t *bytes, size_t size)
{
    const bool known = size > VERSION_AT + SEAL_BYTES && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
    const uint8_t version = known ? bytes[VERSION_AT] : 0;
    const bool sealed = version == PHYSICS_IMAGE_VERSION_SEALED ||
                        version == PHYSICS_IMAGE_VERSION_DATA_SEALED ||
                        version == PHYSICS_IMAGE_VERSION_RULES_SEALED ||
                        version == PHYSICS_IMAGE_VERSION_SEATS_SEALED ||
                        version == PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED;
    stream_read_open(s, bytes, sealed ? size - SEAL_BYTES : size);
    s->sealed = sealed;
    s->with_data =
        version == PHYSICS_IMAGE_VERSION_DATA || version == PHYSICS_IMAGE_VERSION_DATA_SEALED;
    s->with_rules =
        version == PHYSICS_IMAGE_VERSION_RULES || version == PHYSICS_IMAGE_VERSION_RULES_SEALED;
    s->with_seats =
        version == PHYSICS_IMAGE_VERSION_SEATS || version == PHYSICS_IMAGE_VERSION_SEATS_SEALED;
    s->with_one_way =
        version == PHYSICS_IMAGE_VERSION_ONE_WAY || version == PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED;
}

static status refuse(const image_stream *s, error *err)
{
    return error_set(err, STATUS_INVALID_ARGUMENT, "%s%s", s->error.text,
                     s->foreign ? "" : "; it was cut off or altered: use another copy");
}

static void header(image_stream *s)
{
    uint8_t magic[8];
    memcpy(magic, MAGIC, sizeof magic);
    stream_bytes(s, magic, sizeof magic);
    stream_expect(s, memcmp(magic, MAGIC, sizeof magic) == 0, "this is no world image");
    s->foreign = s->failed;
    const uint32_t expected = version_of(s);
    uint32_t version = expected;
    stream_u32(s, &version, UINT32_MAX, "version");
    if (version != expected) {
        s->foreign = true;
        stream_fail(s,
                    "version %u, this program reads %d to %d: use one of the version that wrote it",
                    version, PHYSICS_IMAGE_VERSION, PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED);
    }
    uint32_t behaviour = ENGINE_BEHAVIOUR;
    stream_u32(s, &behaviour, UINT32_MAX, "behaviour");
    if (behaviour != ENGINE_BEHAVIOUR) {
        s->foreign = true;
        stream_fail(
            s,
            "made by an engine of behaviour %u, this one's is %d: use a program of that behaviour",
            behaviour, ENGINE_BEHAVIOUR);
    }
}

// A bit beside those of the kinds of events: shapes with restitution entered or left the world
// after the last step. Until the next step, boxes are examined as in the last one (step_context.h).
#define MARK_STALE (UINT32_C(1) << 31)
_Static_assert(EVENT_KIND_COUNT < 31, "kinds of events leave room for a mark");

static bool step_is_stale(const physics_world *world)
{
    return world->step.lively != (world->traits.lively > 0);
}

static void world_fields(image_stream *s, world_def *def, uint64_t *tick, uint32_t *frozen,
                         uint32_t *marks)
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
    stream_double(s, &def->sleep_speed);
    stream_u64(s, tick);
    stream_u32(s, frozen, UINT32_MAX, "frozen");
    stream_u32(s, marks, UINT32_MAX, "event mask");
    def->substeps = (int)substeps;
}

// Writes for every slot, free ones included, its generation and whether it is in use.
static void write_slots(image_stream *s, const slot_pool *pool)
{
    uint32_t count = pool->end - 1;
    stream_u32(s, &count, UINT32_MAX, "slots");
    for (uint32_t slot = 1; slot <= count; slot++) {
        uint8_t *at = stream_put(s);
        put_varint(&at,
                   (uint64_t)slots_generation(pool, slot) << 1 | (uint64_t)slots_has(pool, slot));
        stream_put_end(s, at);
    }
}

static void read_slots(image_stream *s, slot_pool *pool, uint32_t most)
{
    uint32_t count = 0;
    stream_u32(s, &count, most, "slots");
    stream_expect(s, count <= stream_left(s), "more slots than bytes");
    if (s->failed) {
        return;
    }
    slots_reserve(pool, count + 1);
    for (uint32_t slot = 1; slot <= count; slot++) {
        const uint8_t *at = stream_get(s);
        uint64_t word = get_varint(&at);
        stream_expect(s, word >> 1 <= SLOT_RETIRED, "a generation is out of range");
        if (!stream_get_end(s, at)) {
            return;
        }
        slots_restore(pool, slot, (uint32_t)(word >> 1), (word & 1) != 0);
    }
}

// Marks the first part that follows in the image of a world with one-way shapes. The parts after it
// are marked within: seats mark whether rules and data follow, rules whether data do.
static void one_way_marks(image_stream *s)
{
    if (!s->with_one_way) {
        return;
    }
    bool seats = s->with_seats;
    bool rules = s->with_rules && !seats;
    bool data = s->with_data && !seats && !rules;
    stream_bool(s, &seats);
    stream_bool(s, &rules);
    stream_bool(s, &data);
    if (s->reading) {
        stream_expect(s, seats + rules + data <= 1, "two first parts after the events");
        s->with_seats = seats;
        s->with_rules = rules;
        s->with_data = data;
    }
}

// Events of changes since the last step, which have not been reported yet.
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

static void read_everything(image_stream *s, physics_world *world)
{
    read_slots(s, &world->body_slots, PHYSICS_BODIES_MAX);
    read_slots(s, &world->shape_slots, PHYSICS_SHAPES_MAX);
    read_slots(s, &world->joint_slots, PHYSICS_JOINTS_MAX);
    if (s->failed) {
        return;
    }
    image_make_room(world);
    bodies_read(s, world);
    shape_table table = {0};
    shapes_read(s, world, &table);
    bodies_finish(s, world, &table);
    shape_table_deinit(&table);
    joints_read(s, world);
    contacts_read(s, world);
    pending_events(s, world);
    stream_expect(s, !s->with_one_way || world->traits.one_way > 0,
                  "no one-way shape where there must be one");
    one_way_marks(s);
    if (s->with_seats) {
        seats_read(s, world);
    }
    if (s->with_rules) {
        rules_read(s, world);
    }
    if (s->with_data) {
        data_read(s, world);
    }
}

// Writes zeros before the hash if the image would be shorter than contacts_least_bytes().
static void write_padding(image_stream *s, const physics_world *world)
{
    size_t least = contacts_least_bytes(world->contact_slots.end);
    size_t count = least > s->size + HASH_BYTES ? least - s->size - HASH_BYTES : 0;
    stream_make_room(s, count);
    memset(s->output + s->size, 0, count);
    s->size += count;
}

static void read_padding(image_stream *s, const physics_world *world)
{
    if (s->failed || s->input_size != contacts_least_bytes(world->contact_slots.end)) {
        return; // padding exists only in an image of exactly this length
    }
    while (stream_left(s) > HASH_BYTES) {
        const size_t most = stream_left(s) - HASH_BYTES;
        const uint8_t *at = stream_get(s);
        size_t count = most < STREAM_RECORD_MAX ? most : STREAM_RECORD_MAX;
        for (size_t i = 0; i < count; i++) {
            stream_expect(s, at[i] == 0, "bytes follow the end of the image");
        }
        if (!stream_get_end(s, at + count)) {
            return;
        }
    }
}

// An estimate of the image's size.
static size_t expected_bytes(const physics_world *world)
{
    enum { REST = 1024, BODY = 64, SHAPE = 24, JOINT = 128, CONTACT = 42 };
    return REST + (size_t)world->data.bytes + world->rules.size + world->seats.size +
           (size_t)BODY * world->body_slots.end + (size_t)SHAPE * world->shape_slots.end +
           (size_t)JOINT * world->joint_slots.end + (size_t)CONTACT * world->contact_slots.count;
}

static void save(const physics_world *const_world, bool sealed, uint8_t **bytes, size_t *size)
{
    // One function reads and writes the rare values. Writing does not change the world, so the cast
    // is safe.
    physics_world *world = (physics_world *)(uintptr_t)const_world;
    image_stream s;
    stream_write_open(&s, expected_bytes(world));
    s.sealed = sealed;
    s.with_data = world->data.changes > 0;
    s.with_rules = world->rules.size > 0;
    s.with_seats = world->seats.size > 0;
    s.with_one_way = world->traits.one_way > 0;
    world_def def = world->def;
    uint64_t hash = hash_rest(world);
    header(&s);
    uint32_t marks = (world->event_mask & ~MARK_STALE) | (step_is_stale(world) ? MARK_STALE : 0u);
    world_fields(&s, &def, &world->tick, &world->frozen_count, &marks);
    write_slots(&s, &world->body_slots);
    write_slots(&s, &world->shape_slots);
    write_slots(&s, &world->joint_slots);
    hash += bodies_write(&s, world);
    shapes_write(&s, world);
    joints_write(&s, world);
    hash += contacts_write(&s, world);
    pending_events(&s, world);
    one_way_marks(&s);
    if (s.with_seats) {
        seats_write(&s, world);
    }
    if (s.with_rules) {
        rules_write(&s, world);
    }
    if (s.with_data) {
        data_write(&s, world);
    }
    write_padding(&s, world);
    stream_word(&s, &hash);
    if (sealed) {
        uint8_t seal[SEAL_BYTES];
        put32(seal, crc32c(0, s.output, s.size));
        stream_bytes(&s, seal, sizeof seal);
    }
    *bytes = s.output;
    *size = s.size;
}

void world_save(const physics_world *world, uint8_t **bytes, size_t *size)
{
    save(world, false, bytes, size);
}

void world_save_sealed(const physics_world *world, uint8_t **bytes, size_t *size)
{
    save(world, true, bytes, size);
}

static void count_slots(image_stream *s, uint32_t most, uint32_t *used, uint32_t *slots)
{
    *used = 0;
    *slots = 0;
    stream_u32(s, slots, most, "slots");
    for (uint32_t i = 0; i < *slots && !s->failed; i++) {
        const uint8_t *at = stream_get(s);
        uint64_t word = get_varint(&at);
        *used += (uint32_t)(word & 1);
        (void)stream_get_end(s, at);
    }
}

status world_image_counts(const uint8_t *bytes, size_t size, image_counts *out, error *err)
{
    image_stream s;
    world_def def = {0};
    uint64_t tick = 0;
    uint32_t frozen = 0;
    uint32_t marks = 0;
    open_image(&s, bytes, size);
    header(&s);
    world_fields(&s, &def, &tick, &frozen, &marks);
    count_slots(&s, PHYSICS_BODIES_MAX, &out->bodies, &out->body_slots);
    count_slots(&s, PHYSICS_SHAPES_MAX, &out->shapes, &out->shape_slots);
    count_slots(&s, PHYSICS_JOINTS_MAX, &out->joints, &out->joint_slots);
    return s.failed ? refuse(&s, err) : STATUS_OK;
}

status world_restore(const uint8_t *bytes, size_t size, physics_world **out, error *err)
{
    image_stream s;
    open_image(&s, bytes, size);
    world_def def = {0};
    uint64_t tick = 0;
    uint32_t frozen = 0;
    uint32_t marks = 0;
    physics_world *world = NULL;
    header(&s);
    world_fields(&s, &def, &tick, &frozen, &marks);
    stream_expect(&s, tick <= PHYSICS_TICK_MAX, "the tick is out of range");
    if (!s.failed && world_create(&def, &world, &s.error) != STATUS_OK) {
        error_prefix(&s.error, "world image");
        s.failed = true;
    }
    if (!s.failed) {
        world->tick = tick;
        world->frozen_count = frozen;
        world->event_mask = marks & ~MARK_STALE;
        read_everything(&s, world);
        read_padding(&s, world);
    }
    uint64_t hash = 0;
    stream_word(&s, &hash);
    stream_expect(&s, stream_left(&s) == 0, "bytes follow the end of the image");
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION // a forger could compute the right hash
    if (!s.failed) {
        stream_expect(&s, world_hash(world) == hash,
                      "the state does not have the hash that the image names");
    }
    if (!s.failed && s.sealed) { // comes last, so that more specific errors are reported first
        const size_t covered = size - SEAL_BYTES;
        stream_expect(&s, crc32c(0, bytes, covered) == get32(bytes + covered),
                      "the bytes do not have the checksum that follows them");
    }
#endif
    if (s.failed) {
        world_free(world);
        return refuse(&s, err);
    }
    // Commands may come before the first step. Until then boxes are examined as after the last
    // step.
    const bool stale = (marks & MARK_STALE) != 0;
    world->step = step_context_of(&world->def, (world->traits.lively > 0) != stale);
    *out = world;
    return STATUS_OK;
}
