// Records of joints; and of events that are still to be told.
//
// A joint's record: a mask of those of its numbers that differ from the usual in any bit, kind,
// flags, colour, bodies, joints of a gear; then those numbers, in the order of the tables below.
#include "common/physics/image_bytes.h"
#include "common/physics/image_records.h"
#include "common/physics/joint_internal.h"

// ---- joints

#define FLOAT_OF(field)  (uint16_t) offsetof(joint, field)
#define DOUBLE_OF(field) (uint16_t) offsetof(joint, field)

static const uint16_t FLOATS[] = {
    FLOAT_OF(settings.lower),
    FLOAT_OF(settings.upper),
    FLOAT_OF(settings.motor_speed),
    FLOAT_OF(settings.max_force),
    FLOAT_OF(settings.max_torque),
    FLOAT_OF(settings.hertz),
    FLOAT_OF(settings.damping_ratio),
    FLOAT_OF(settings.angular_hertz),
    FLOAT_OF(settings.angular_damping_ratio),
    FLOAT_OF(settings.length),
    FLOAT_OF(settings.ratio),
    FLOAT_OF(settings.target_angle),
    FLOAT_OF(settings.target_translation),
    FLOAT_OF(settings.break_force),
    FLOAT_OF(settings.break_torque),
    FLOAT_OF(settings.velocity.x),
    FLOAT_OF(settings.velocity.y),
    FLOAT_OF(axis.x),
    FLOAT_OF(axis.y),
    FLOAT_OF(impulses.linear.x),
    FLOAT_OF(impulses.linear.y),
    FLOAT_OF(impulses.angular),
    FLOAT_OF(impulses.lower),
    FLOAT_OF(impulses.upper),
    FLOAT_OF(impulses.motor),
    FLOAT_OF(impulses.spring),
};
static const uint16_t DOUBLES[] = {
    DOUBLE_OF(anchor_a.x),
    DOUBLE_OF(anchor_a.y),
    DOUBLE_OF(anchor_b.x),
    DOUBLE_OF(anchor_b.y),
    DOUBLE_OF(settings.reference_angle),
    DOUBLE_OF(settings.target.x),
    DOUBLE_OF(settings.target.y),
    DOUBLE_OF(settings.ground_a.x),
    DOUBLE_OF(settings.ground_a.y),
    DOUBLE_OF(settings.ground_b.x),
    DOUBLE_OF(settings.ground_b.y),
    DOUBLE_OF(angle),
    DOUBLE_OF(gear_a),
    DOUBLE_OF(gear_b),
    DOUBLE_OF(gear_constant),
};
enum {
    FLOAT_COUNT = sizeof FLOATS / sizeof *FLOATS,
    DOUBLE_COUNT = sizeof DOUBLES / sizeof *DOUBLES,
    SETTINGS_COUNT = 17, // of FLOATS; the first two may be infinite
    MASK_BYTES = 6
};
_Static_assert(FLOAT_COUNT + DOUBLE_COUNT <= 8 * MASK_BYTES, "a bit each");
_Static_assert(32 + 4 * FLOAT_COUNT + 8 * DOUBLE_COUNT < STREAM_RECORD_MAX,
               "a joint fits a record");

static const joint USUAL = {.settings = {.lower = -INFINITY, .upper = INFINITY, .ratio = 1.0f}};

static const void *number_of(const joint *j, uint16_t offset)
{
    return (const char *)j + offset;
}

static uint64_t mask_of(const joint *j)
{
    uint64_t mask = 0;
    for (int i = 0; i < FLOAT_COUNT; i++) {
        bool usual = memcmp(number_of(j, FLOATS[i]), number_of(&USUAL, FLOATS[i]), 4) == 0;
        mask |= usual ? 0 : (uint64_t)1 << i;
    }
    for (int i = 0; i < DOUBLE_COUNT; i++) {
        bool usual = memcmp(number_of(j, DOUBLES[i]), number_of(&USUAL, DOUBLES[i]), 8) == 0;
        mask |= usual ? 0 : (uint64_t)1 << (FLOAT_COUNT + i);
    }
    return mask;
}

static void put_joint(uint8_t **at, const joint *j, uint32_t body_bytes, uint32_t joint_bytes)
{
    const uint32_t kept = JOINT_FLAG_COLLIDE | JOINT_FLAG_MOTOR;
    uint64_t mask = mask_of(j);
    put_uint(at, mask, MASK_BYTES);
    put_uint(at, (uint32_t)j->kind | (j->flags & kept) << 4, 1);
    put_uint(at, j->colour, 1);
    put_uint(at, j->body_a, body_bytes);
    put_uint(at, j->body_b, body_bytes);
    if (j->kind == JOINT_GEAR) {
        put_uint(at, j->joint_a, joint_bytes);
        put_uint(at, j->joint_b, joint_bytes);
    }
    for (uint64_t left = mask; left != 0; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (i < FLOAT_COUNT) {
            float number;
            memcpy(&number, number_of(j, FLOATS[i]), sizeof number);
            put_float(at, number);
        } else {
            double number;
            memcpy(&number, number_of(j, DOUBLES[i - FLOAT_COUNT]), sizeof number);
            put_double(at, number);
        }
    }
}

void joints_write(image_stream *s, const physics_world *world)
{
    uint32_t body_bytes = slot_bytes(&world->body_slots);
    uint32_t joint_bytes = slot_bytes(&world->joint_slots);
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0;
         slot = slots_next(&world->joint_slots, slot)) {
        uint8_t *at = stream_put(s);
        put_joint(&at, &world->joints.data[slot], body_bytes, joint_bytes);
        stream_put_end(s, at);
    }
}

// Whether a gear that takes hold of that body can stand on the joint.
static bool is_joint_of(const physics_world *world, uint32_t slot, uint32_t held)
{
    if (slot == NONE) {
        return true;
    }
    const joint *on = &world->joints.data[slot];
    return slots_has(&world->joint_slots, slot) && (on->body_a == held || on->body_b == held) &&
           (on->kind == JOINT_REVOLUTE || on->kind == JOINT_PRISMATIC);
}

// Settings that a definition may have; what was derived from the bodies at creation is only to be
// sane.
static void check_settings(image_stream *s, const joint *j)
{
    const uint32_t derived = JOINT_FIELD_ANCHOR_A | JOINT_FIELD_ANCHOR_B | JOINT_FIELD_AXIS |
                             JOINT_FIELD_REFERENCE_ANGLE | JOINT_FIELD_LENGTH | JOINT_FIELD_TARGET |
                             JOINT_FIELD_TARGET_ANGLE;
    joint_def def = joint_def_default(j->kind);
    error err;
    joint_settings_tell(j, &def);
    if (joint_fields_check(j->kind, def.fields & ~derived, &def, &err) != STATUS_OK ||
        joint_check_rod(j, &err) != STATUS_OK) {
        stream_fail(s, "a joint: %s", err.text);
    }
    const double most = 4.0 * PHYSICS_EXTENT_MAX * JOINT_RATIO_MAX;
    const double derived_numbers[] = {
        def.length,    def.reference_angle, def.target_angle, def.target.x,  def.target.y,
        j->anchor_a.x, j->anchor_a.y,       j->anchor_b.x,    j->anchor_b.y, j->angle,
        j->gear_a,     j->gear_b,           j->gear_constant};
    bool sane = def.lower <= def.upper && def.length >= 0.0;
    for (size_t i = 0; i < sizeof derived_numbers / sizeof *derived_numbers; i++) {
        sane = sane && derived_numbers[i] >= -most && derived_numbers[i] <= most;
    }
    float unit = vec2_length_squared(j->axis);
    stream_expect(s, sane && unit < 1.01f, "a joint's setting is out of range");
}

static void check_joint(image_stream *s, const physics_world *world, const joint *j)
{
    bool a = j->kind == JOINT_MOUSE ? j->body_a == NONE : slots_has(&world->body_slots, j->body_a);
    stream_expect(s, a && slots_has(&world->body_slots, j->body_b) && j->body_a != j->body_b,
                  "a joint of no bodies");
    bool geared = j->joint_a != NONE;
    stream_expect(s, geared == (j->joint_b != NONE) && (!geared || j->kind == JOINT_GEAR),
                  "a gear's joints");
}

static void check_numbers(image_stream *s, const joint *j)
{
    bool good = true;
    for (int i = 0; i < FLOAT_COUNT; i++) {
        float number;
        memcpy(&number, number_of(j, FLOATS[i]), sizeof number);
        good = good && !isnan(number) && (i < SETTINGS_COUNT || isfinite(number));
    }
    for (int i = 0; i < DOUBLE_COUNT; i++) {
        double number;
        memcpy(&number, number_of(j, DOUBLES[i]), sizeof number);
        good = good && isfinite(number);
    }
    stream_expect(s, good && vec2_is_finite(j->settings.velocity),
                  "a number of a joint is not finite");
}

static void get_joint(image_stream *s, const uint8_t **at, const physics_world *world, joint *j)
{
    const uint32_t kept = JOINT_FLAG_COLLIDE | JOINT_FLAG_MOTOR;
    uint64_t mask = get_uint(at, MASK_BYTES);
    uint32_t kind = (uint32_t)get_uint(at, 1);
    *j = USUAL;
    j->flags = kind >> 4;
    kind &= 15;
    j->colour = (uint32_t)get_uint(at, 1);
    j->body_a = (uint32_t)get_uint(at, slot_bytes(&world->body_slots));
    j->body_b = (uint32_t)get_uint(at, slot_bytes(&world->body_slots));
    stream_expect(s, kind < JOINT_KIND_COUNT, "a joint's kind");
    stream_expect(s, (j->flags & ~kept) == 0, "a joint's flags");
    stream_expect(s, mask >> (FLOAT_COUNT + DOUBLE_COUNT) == 0, "a joint's numbers");
    if (s->failed) {
        return;
    }
    j->kind = (joint_kind)kind;
    if (j->kind == JOINT_GEAR) {
        j->joint_a = (uint32_t)get_uint(at, slot_bytes(&world->joint_slots));
        j->joint_b = (uint32_t)get_uint(at, slot_bytes(&world->joint_slots));
    }
    for (uint64_t left = mask; left != 0; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (i < FLOAT_COUNT) {
            float number = get_float(at);
            memcpy((char *)j + FLOATS[i], &number, sizeof number);
        } else {
            double number = get_double(at);
            memcpy((char *)j + DOUBLES[i - FLOAT_COUNT], &number, sizeof number);
        }
    }
}

static void finish_joints(image_stream *s, physics_world *world)
{
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->joint_slots, slot)) {
        joint *j = &world->joints.data[slot];
        stream_expect(s,
                      is_joint_of(world, j->joint_a, j->body_a) &&
                          is_joint_of(world, j->joint_b, j->body_b),
                      "a gear's joints");
        if (!s->failed) {
            joint_link(world, slot);
        }
    }
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->joint_slots, slot)) {
        uint32_t colour = world->joints.data[slot].colour;
        world->joints.data[slot].colour = COLOUR_NONE;
        bool awake = joint_restore_awake(world, slot);
        stream_expect(s, awake == (colour != COLOUR_NONE), "a joint's colour");
        if (awake && !s->failed) {
            stream_expect(s, graph_place_joint(world, slot, colour), "a joint's colour");
        }
    }
}

void joints_read(image_stream *s, physics_world *world)
{
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->joint_slots, slot)) {
        joint *j = &world->joints.data[slot];
        const uint8_t *at = stream_get(s);
        get_joint(s, &at, world, j);
        if (stream_get_end(s, at)) {
            check_numbers(s, j);
        }
        if (!s->failed) {
            check_joint(s, world, j);
            check_settings(s, j);
        }
    }
    finish_joints(s, world);
}

// ---- events

void event_record(image_stream *s, physics_event *e)
{
    uint32_t kind = (uint32_t)e->kind;
    stream_u32(s, &kind, EVENT_KIND_COUNT - 1, "an event's kind");
    e->kind = (event_kind)kind;
    stream_u64(s, &e->tick);
    stream_u64(s, &e->a);
    stream_u64(s, &e->b);
    stream_u64(s, &e->shape_a);
    stream_u64(s, &e->shape_b);
    stream_u64(s, &e->joint);
    stream_vec2d(s, &e->point);
    stream_vec2(s, &e->normal);
    stream_float(s, &e->depth);
    stream_float(s, &e->speed);
    stream_float(s, &e->impulse);
}
