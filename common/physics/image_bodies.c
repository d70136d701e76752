// Records of bodies, and what follows from them when they are read.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image_records.h"
#include "common/physics/joint_internal.h"

enum { // parts of a body that are there only if they differ from the usual
    PART_ROTATION = 1 << 0,
    PART_VELOCITY = 1 << 1,
    PART_SLEEP_TIME = 1 << 2,
    PART_DAMPING = 1 << 3,
    PART_GRAVITY_SCALE = 1 << 4,
    PART_FORCE = 1 << 5,
    PART_MASS = 1 << 6,
    PART_TAG = 1 << 7,
    PART_SLEEP_SET = 1 << 8,
    PART_FORCE_AT_POINT = 1 << 9,
    PARTS_ALL = (1 << 10) - 1
};

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static uint32_t parts_of(const body *b, const body_motion *m, const body_state *v)
{
    const body_motion usual = {.rotation = {1.0f, 0.0f}, .gravity_scale = 1.0f};
    const body_state still = {.delta_rotation = {1.0f, 0.0f}};
    const float none = 0.0f;
    uint32_t parts = 0;
    parts |= same_bits(&m->rotation, &usual.rotation, sizeof(rot)) ? 0u : PART_ROTATION;
    parts |= same_bits(&v->velocity, &still.velocity, sizeof(vec2)) &&
                     same_bits(&v->angular_velocity, &none, sizeof none)
                 ? 0u
                 : PART_VELOCITY;
    parts |= same_bits(&m->sleep_time, &none, sizeof none) ? 0u : PART_SLEEP_TIME;
    parts |= same_bits(&m->linear_damping, &none, sizeof none) &&
                     same_bits(&m->angular_damping, &none, sizeof none)
                 ? 0u
                 : PART_DAMPING;
    parts |=
        same_bits(&m->gravity_scale, &usual.gravity_scale, sizeof none) ? 0u : PART_GRAVITY_SCALE;
    parts |= same_bits(&m->force, &usual.force, sizeof(vec2)) &&
                     same_bits(&m->force_point, &usual.force_point, sizeof(vec2)) &&
                     same_bits(&m->torque, &none, sizeof none)
                 ? 0u
                 : PART_FORCE;
    parts |= same_bits(&b->mass_override, &none, sizeof none) ? 0u : PART_MASS;
    parts |= b->tag == NULL ? 0u : PART_TAG;
    parts |= b->sleep_set == 0 ? 0u : PART_SLEEP_SET;
    parts |= (v->flags & STATE_FORCE_AT_POINT) == 0 ? 0u : PART_FORCE_AT_POINT;
    return parts;
}

static void tag_field(image_stream *s, body *b)
{
    char text[PHYSICS_TAG_BYTES_MAX + 1] = {0};
    uint32_t length = s->reading ? 0 : (uint32_t)strlen(b->tag);
    stream_u32(s, &length, PHYSICS_TAG_BYTES_MAX, "a tag's length");
    if (!s->reading) {
        memcpy(text, b->tag, length);
    }
    stream_bytes(s, text, length);
    if (s->reading && !s->failed) {
        b->tag = strndup(text, length);
        ASSERT(b->tag != NULL);
    }
}

void body_record(image_stream *s, physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    body_motion *m = &world->motions.data[slot];
    body_state *v = &world->states.data[slot];
    uint32_t type = (uint32_t)b->type;
    uint32_t parts = s->reading ? 0 : parts_of(b, m, v);
    stream_u32(s, &type, BODY_TYPE_COUNT - 1, "a body's type");
    stream_u32(s, &b->flags, BODY_MARKED - 1, "a body's flags");
    stream_u32(s, &parts, PARTS_ALL, "a body's parts");
    stream_vec2d(s, &m->center);
    if (s->reading) {
        b->type = (body_type)type;
        v->flags = (parts & PART_FORCE_AT_POINT) != 0 ? STATE_FORCE_AT_POINT : 0u;
    }
    if ((parts & PART_ROTATION) != 0) {
        stream_float(s, &m->rotation.c);
        stream_float(s, &m->rotation.s);
    }
    if ((parts & PART_VELOCITY) != 0) {
        stream_vec2(s, &v->velocity);
        stream_float(s, &v->angular_velocity);
    }
    if ((parts & PART_SLEEP_TIME) != 0) {
        stream_float(s, &m->sleep_time);
    }
    if ((parts & PART_DAMPING) != 0) {
        stream_float(s, &m->linear_damping);
        stream_float(s, &m->angular_damping);
    }
    if ((parts & PART_GRAVITY_SCALE) != 0) {
        stream_float(s, &m->gravity_scale);
    }
    if ((parts & PART_FORCE) != 0) {
        stream_vec2(s, &m->force);
        stream_vec2(s, &m->force_point);
        stream_float(s, &m->torque);
    }
    if ((parts & PART_MASS) != 0) {
        stream_float(s, &b->mass_override);
    }
    if ((parts & PART_TAG) != 0) {
        tag_field(s, b);
    }
    if ((parts & PART_SLEEP_SET) != 0) {
        stream_u32(s, &b->sleep_set, PHYSICS_BODIES_MAX, "a body's sleeping set");
    }
}

// ---- reading

void image_make_room(physics_world *world)
{
    uint32_t bodies = world->body_slots.end;
    array_reserve(&world->bodies, bodies);
    array_reserve(&world->motions, bodies);
    array_reserve(&world->states, bodies);
    array_reserve(&world->colours_used, bodies);
    world->bodies.count = world->motions.count = bodies;
    world->states.count = world->colours_used.count = bodies;
    for (uint32_t slot = 1; slot < bodies; slot++) {
        world->bodies.data[slot] = (body){0};
        world->motions.data[slot] = (body_motion){.rotation = {1.0f, 0.0f}, .gravity_scale = 1.0f};
        world->states.data[slot] = (body_state){.delta_rotation = {1.0f, 0.0f}};
        world->colours_used.data[slot] = 0;
    }
    array_reserve(&world->shapes, world->shape_slots.end);
    world->shapes.count = world->shape_slots.end;
    array_reserve(&world->joints, world->joint_slots.end);
    world->joints.count = world->joint_slots.end;
}

static bool within(double value, double limit)
{
    return value >= -limit && value <= limit; // not of NaN
}

static void check_body(image_stream *s, const body *b, const body_motion *m, const body_state *v)
{
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
    stream_expect(s, m->sleep_time >= 0.0f && isfinite(m->sleep_time), "a timer is out of range");
    stream_expect(s,
                  m->linear_damping >= 0.0f && m->angular_damping >= 0.0f &&
                      isfinite(m->linear_damping) && isfinite(m->angular_damping) &&
                      isfinite(m->gravity_scale),
                  "a damping or gravity scale is out of range");
    stream_expect(s,
                  vec2_is_finite(m->force) && vec2_is_finite(m->force_point) && isfinite(m->torque),
                  "a force is not finite");
    stream_expect(s, within((double)b->mass_override, PHYSICS_MASS_MAX) && b->mass_override >= 0.0f,
                  "a mass is out of range");
}

// The mass follows from the shapes; the centre of mass then places the body, as it did when it was
// written.
static void restore_mass(physics_world *world, uint32_t slot)
{
    body_motion *m = &world->motions.data[slot];
    vec2d center = m->center;
    body_update_mass(world, slot);
    m->center = center;
    body_set_pose_from_center(m);
}

static void check_boxes(image_stream *s, const physics_world *world, uint32_t slot)
{
    const body_motion *m = &world->motions.data[slot];
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *shape_ = &world->shapes.data[i];
        if (shape_->boxed) {
            aabb tight = shape_aabb(&shape_->geometry, (transform){{0.0f, 0.0f}, m->rotation});
            stream_expect(s, aabb_contains(shape_->fat, aabb_at(m->position, tight)),
                          "a box that does not hold its shape");
        }
    }
}

// Sleepers of one set form a ring in ascending order; the set is named by its lowest slot.
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

void image_finish_bodies(image_stream *s, physics_world *world)
{
    uint32_t *last = calloc(world->body_slots.end, sizeof *last);
    ASSERT(last != NULL);
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->body_slots, slot)) {
        body *b = &world->bodies.data[slot];
        check_body(s, b, &world->motions.data[slot], &world->states.data[slot]);
        if (s->failed) {
            break;
        }
        restore_mass(world, slot);
        check_boxes(s, world, slot);
        if (b->sleep_set != 0) {
            restore_ring(s, world, slot, last);
        } else if ((b->flags & BODY_ENABLED) != 0 && body_is_moving(b, &world->states.data[slot])) {
            body_list_awake(world, slot);
        }
    }
    free(last);
}
