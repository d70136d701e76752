// Records of bodies, and the values that reading derives from them.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/image/hash.h"
#include "common/physics/image/image_bytes.h"
#include "common/physics/image/image_records.h"
#include "common/physics/state/joints/joint_record.h"

// A record: type, flags and parts in two bytes, the centre, then the parts. A part is present only
// if any bit of it differs from the default.
enum {
    PART_ROTATION = 1 << 0,
    PART_VELOCITY = 1 << 1,
    PART_SLEEP_TIME = 1 << 2, // sleep_time, and the drift during it
    PART_NUMBERS = 1 << 3,    // damping and gravity scale
    PART_FORCE = 1 << 4,
    PART_FORCE_AT_POINT = 1 << 5, // only this bit is stored
    PART_MASS = 1 << 6,
    PART_TAG = 1 << 7,
    PART_SLEEP_SET = 1 << 8,
    TYPE_BITS = 2,
    FLAG_BITS = 5,
    PARTS_SHIFT = TYPE_BITS + FLAG_BITS
};
_Static_assert(BODY_TYPE_COUNT <= 1 << TYPE_BITS && BODY_MARKED == 1 << FLAG_BITS &&
                   PART_SLEEP_SET << PARTS_SHIFT < 1 << 16,
               "two bytes");
_Static_assert(PHYSICS_TAG_BYTES_MAX + 128 < STREAM_RECORD_MAX, "a body fits a record");

static uint32_t float_bits(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static uint32_t vec2_bits(vec2 a)
{
    return float_bits(a.x) | float_bits(a.y);
}

static uint32_t part_if(bool there, uint32_t part)
{
    return there ? part : 0u;
}

static uint32_t parts_of(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *v = &world->states.data[slot];
    const body_special *p = body_special_of(world, slot);
    const uint32_t one = float_bits(1.0f);
    uint32_t force = vec2_bits(p->force) | vec2_bits(p->force_point) | float_bits(p->torque);
    return part_if(float_bits(m->rotation.c) != one || float_bits(m->rotation.s) != 0,
                   PART_ROTATION) |
           part_if((vec2_bits(v->velocity) | float_bits(v->angular_velocity)) != 0, PART_VELOCITY) |
           part_if(float_bits(world->extents.data[slot].sleep_time) != 0, PART_SLEEP_TIME) |
           part_if((float_bits(p->linear_damping) | float_bits(p->angular_damping)) != 0 ||
                       float_bits(p->gravity_scale) != one,
                   PART_NUMBERS) |
           part_if(force != 0, PART_FORCE) |
           part_if((v->flags & STATE_FORCE_AT_POINT) != 0, PART_FORCE_AT_POINT) |
           part_if(float_bits(p->mass_override) != 0, PART_MASS) |
           part_if(body_tag(world, slot)[0] != '\0', PART_TAG) |
           part_if(b->sleep_set != 0, PART_SLEEP_SET);
}

static void put_tag(uint8_t **at, const char *tag)
{
    size_t length = strlen(tag);
    put_uint(at, length, 1);
    memcpy(*at, tag, length);
    *at += length;
}

static void put_body(uint8_t **at, const physics_world *world, uint32_t slot, uint32_t set_bytes)
{
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *v = &world->states.data[slot];
    const body_special *special = body_special_of(world, slot);
    uint32_t parts = parts_of(world, slot);
    put_uint(at, b->type | (uint32_t)b->flags << TYPE_BITS | parts << PARTS_SHIFT, 2);
    put_vec2d(at, m->center);
    if ((parts & PART_ROTATION) != 0) {
        put_float(at, m->rotation.c);
        put_float(at, m->rotation.s);
    }
    if ((parts & PART_VELOCITY) != 0) {
        put_vec2(at, v->velocity);
        put_float(at, v->angular_velocity);
    }
    if ((parts & PART_SLEEP_TIME) != 0) {
        put_float(at, world->extents.data[slot].sleep_time);
        put_vec2(at, world->extents.data[slot].drift);
        put_float(at, world->extents.data[slot].turned);
    }
    if ((parts & PART_NUMBERS) != 0) {
        put_float(at, special->linear_damping);
        put_float(at, special->angular_damping);
        put_float(at, special->gravity_scale);
    }
    if ((parts & PART_FORCE) != 0) {
        put_vec2(at, special->force);
        put_vec2(at, special->force_point);
        put_float(at, special->torque);
    }
    if ((parts & PART_MASS) != 0) {
        put_float(at, special->mass_override);
    }
    if ((parts & PART_SLEEP_SET) != 0) {
        put_uint(at, b->sleep_set, set_bytes);
    }
    if ((parts & PART_TAG) != 0) {
        put_tag(at, body_tag(world, slot));
    }
}

uint64_t bodies_write(image_stream *s, const physics_world *world)
{
    const slot_pool *pool = &world->body_slots;
    uint64_t hash = 0;
    uint32_t set_bytes = slot_bytes(&world->body_slots);
    for (uint32_t word = 0; word < slots_words(pool); word++) {
        hash += hash_bodies(world, word);
        for (uint64_t taken = slots_word(pool, word); taken != 0; taken &= taken - 1) {
            uint8_t *at = stream_put(s);
            put_body(&at, world, word << 6 | (uint32_t)__builtin_ctzll(taken), set_bytes);
            stream_put_end(s, at);
        }
    }
    return hash;
}

// ---- reading

void image_make_room(physics_world *world)
{
    uint32_t bodies = world->body_slots.end;
    array_reserve(&world->bodies, bodies);
    array_reserve(&world->motions, bodies);
    array_reserve(&world->states, bodies);
    array_reserve(&world->extents, bodies);
    array_reserve(&world->colours_used, bodies);
    world->bodies.count = world->motions.count = bodies;
    world->states.count = world->extents.count = world->colours_used.count = bodies;
    for (uint32_t slot = 1; slot < bodies; slot++) {
        world->bodies.data[slot] = (body){0};
        world->motions.data[slot] = (body_motion){.rotation = {1.0f, 0.0f}};
        world->states.data[slot] = (body_state){.delta_rotation = {1.0f, 0.0f}};
        world->extents.data[slot] = (body_extent){0};
        world->colours_used.data[slot] = 0;
    }
    array_reserve(&world->shapes, world->shape_slots.end);
    world->shapes.count = world->shape_slots.end;
    array_reserve(&world->joints, world->joint_slots.end);
    world->joints.count = world->joint_slots.end;
}

// STREAM_RECORD_MAX has room for the longest tag; a longer one is refused unread.
static void get_tag(image_stream *s, const uint8_t **at, physics_world *world, uint32_t slot)
{
    uint32_t length = (uint32_t)get_uint(at, 1);
    stream_expect(s, length <= PHYSICS_TAG_BYTES_MAX, "a tag's length");
    stream_expect(s, s->failed || memchr(*at, 0, length) == NULL, "a tag with a zero in it");
    stream_expect(s, s->failed || utf8_valid(*at, length), "a tag that is not UTF-8");
    if (!s->failed) {
        char tag[PHYSICS_TAG_BYTES_MAX + 1];
        memcpy(tag, *at, length);
        tag[length] = '\0';
        body_set_tag(world, slot, tag);
        *at += length;
    }
}

static void get_body(image_stream *s, const uint8_t **at, physics_world *world, uint32_t slot,
                     uint32_t set_bytes)
{
    body *b = &world->bodies.data[slot];
    body_motion *m = &world->motions.data[slot];
    body_state *v = &world->states.data[slot];
    body_special special = world->specials.data[0];
    uint32_t word = (uint32_t)get_uint(at, 2);
    uint32_t type = word & ((1u << TYPE_BITS) - 1);
    uint32_t parts = word >> PARTS_SHIFT;
    stream_expect(s, type < BODY_TYPE_COUNT, "a body's type");
    b->type = (uint8_t)type;
    b->flags = word >> TYPE_BITS & ((1u << FLAG_BITS) - 1);
    v->flags = (parts & PART_FORCE_AT_POINT) != 0 ? STATE_FORCE_AT_POINT : 0u;
    m->center = get_vec2d(at);
    if ((parts & PART_ROTATION) != 0) {
        m->rotation.c = get_float(at);
        m->rotation.s = get_float(at);
    }
    if ((parts & PART_VELOCITY) != 0) {
        v->velocity = get_vec2(at);
        v->angular_velocity = get_float(at);
    }
    if ((parts & PART_SLEEP_TIME) != 0) {
        world->extents.data[slot].sleep_time = get_float(at);
        world->extents.data[slot].drift = get_vec2(at);
        world->extents.data[slot].turned = get_float(at);
    }
    if ((parts & PART_NUMBERS) != 0) {
        special.linear_damping = get_float(at);
        special.angular_damping = get_float(at);
        special.gravity_scale = get_float(at);
    }
    if ((parts & PART_FORCE) != 0) {
        special.force = get_vec2(at);
        special.force_point = get_vec2(at);
        special.torque = get_float(at);
    }
    if ((parts & PART_MASS) != 0) {
        special.mass_override = get_float(at);
    }
    if ((parts & PART_SLEEP_SET) != 0) {
        b->sleep_set = (uint32_t)get_uint(at, set_bytes);
    }
    if ((parts & PART_TAG) != 0) {
        get_tag(s, at, world, slot);
    }
    body_set_special(world, slot, &special);
}

void bodies_read(image_stream *s, physics_world *world)
{
    uint32_t set_bytes = slot_bytes(&world->body_slots);
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        const uint8_t *at = stream_get(s);
        get_body(s, &at, world, slot, set_bytes);
        if (!stream_get_end(s, at)) {
            return;
        }
    }
}

// ---- derived values

static bool within(double value, double limit)
{
    return value >= -limit && value <= limit; // false for NaN
}

static void check_body(image_stream *s, const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *v = &world->states.data[slot];
    const body_special *special = body_special_of(world, slot);
    const body_extent *slow = &world->extents.data[slot];
    float unit = m->rotation.c * m->rotation.c + m->rotation.s * m->rotation.s;
    double extent = PHYSICS_EXTENT_MAX + 2.0 * (double)SHAPE_EXTENT_MAX;
    stream_expect(s, within(m->center.x, extent) && within(m->center.y, extent),
                  "a body is out of the world");
    stream_expect(s, unit > 0.9999f && unit < 1.0001f, "a rotation is not unit");
    stream_expect(s, vec2_is_finite(v->velocity) && isfinite(v->angular_velocity),
                  "a velocity is not finite");
    bool still = v->velocity.x == 0.0f && v->velocity.y == 0.0f && v->angular_velocity == 0.0f;
    stream_expect(s, still || (b->type != BODY_STATIC && b->sleep_set == 0),
                  "a body at rest has a velocity");
    stream_expect(s, (b->flags & BODY_FROZEN) == 0 || (b->flags & BODY_ENABLED) == 0,
                  "a frozen body is enabled");
    stream_expect(s,
                  slow->sleep_time >= 0.0f && isfinite(slow->sleep_time) &&
                      vec2_is_finite(slow->drift) && isfinite(slow->turned),
                  "a timer is out of range");
    stream_expect(s,
                  special->linear_damping >= 0.0f && special->angular_damping >= 0.0f &&
                      isfinite(special->linear_damping) && isfinite(special->angular_damping) &&
                      isfinite(special->gravity_scale),
                  "a damping or gravity scale is out of range");
    stream_expect(s,
                  vec2_is_finite(special->force) && vec2_is_finite(special->force_point) &&
                      isfinite(special->torque),
                  "a force is not finite");
    stream_expect(s,
                  within((double)special->mass_override, PHYSICS_MASS_MAX) &&
                      special->mass_override >= 0.0f,
                  "a mass is out of range");
}

// Derives the mass from the shapes; the centre of mass then determines the body's position, as
// before it was written. Most bodies equal an earlier one in everything that matters: `twins` has
// one body for each definition that is the only shape of its body.
static void restore_mass(physics_world *world, uint32_t slot, const shape_table *table,
                         uint32_t *twins)
{
    const body *b = &world->bodies.data[slot];
    body_motion *m = &world->motions.data[slot];
    vec2d center = m->center;
    bool alone = b->shape_count == 1; // a chain has at least one piece, so this body has none
    uint32_t *twin = alone ? &twins[table->numbers.data[b->shapes]] : NULL;
    if (alone && *twin != NONE && body_has_mass_of(world, slot, *twin)) {
        body_take_mass(world, slot, *twin);
    } else {
        body_update_mass(world, slot);
        if (alone) {
            *twin = slot;
        }
    }
    m->center = center;
    body_set_pose_from_center(m);
}

static void check_boxes(image_stream *s, const physics_world *world, uint32_t slot)
{
    const body_motion *m = &world->motions.data[slot];
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *shape_ = &world->shapes.data[i];
        if (shape_->boxed) {
            aabb tight =
                shape_aabb(&shape_->traits->geometry, (transform){{0.0f, 0.0f}, m->rotation});
            stream_expect(s, aabb_contains(shape_->fat, aabb_at(m->position, tight)),
                          "a box that does not hold its shape");
        }
    }
}

// The sleeping bodies of one set form a ring in ascending order; the lowest slot names the set.
static void restore_ring(image_stream *s, physics_world *world, uint32_t slot, uint32_t *last)
{
    body *b = &world->bodies.data[slot];
    uint32_t set = b->sleep_set;
    stream_expect(s, set <= slot && b->type == BODY_DYNAMIC && (b->flags & BODY_ENABLED) != 0,
                  "a sleeper's set");
    stream_expect(s, slots_has(&world->body_slots, set) && world->bodies.data[set].sleep_set == set,
                  "a sleeping set without its first member");
    if (s->failed) {
        return;
    }
    b->sleep_next = set;
    if (set != slot) {
        world->bodies.data[last[set]].sleep_next = slot;
    }
    last[set] = slot;
}

void bodies_finish(image_stream *s, physics_world *world, const shape_table *table)
{
    uint32_t *last = calloc(world->body_slots.end, sizeof *last);
    uint32_t *twins = calloc((size_t)table->defs.count + 1, sizeof *twins);
    ASSERT_MEMORY(last != NULL && twins != NULL);
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->body_slots, slot)) {
        body *b = &world->bodies.data[slot];
        check_body(s, world, slot);
        if (s->failed) {
            break;
        }
        restore_mass(world, slot, table, twins);
        check_boxes(s, world, slot);
        if (b->sleep_set != 0) {
            restore_ring(s, world, slot, last);
        } else if ((b->flags & BODY_ENABLED) != 0 && body_is_moving(b, &world->states.data[slot])) {
            body_list_awake(world, slot);
        }
    }
    free(twins);
    free(last);
}
