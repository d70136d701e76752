// Records of joints and of events that are not reported yet.
//
// A joint's record: a mask of its numbers that differ from the default in any bit, kind, flags,
// colour, bodies, joints of a gear; then those numbers, in the order of the tables below.
#include "common/physics/image/image_bytes.h"
#include "common/physics/image/image_records.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/joints/joints.h"

// ---- joints

// A number of a joint: a field of its record or of its settings.
typedef struct number_place {
    bool in_settings;
    uint16_t offset;
} number_place;

#define OF_SETTINGS(field)                                                                         \
    {                                                                                              \
        true, (uint16_t)offsetof(joint_settings, field)                                            \
    }
#define OF_JOINT(field)                                                                            \
    {                                                                                              \
        false, (uint16_t)offsetof(joint, field)                                                    \
    }

static const number_place FLOATS[] = {
    OF_SETTINGS(lower),
    OF_SETTINGS(upper),
    OF_SETTINGS(motor_speed),
    OF_SETTINGS(max_force),
    OF_SETTINGS(max_torque),
    OF_SETTINGS(hertz),
    OF_SETTINGS(damping_ratio),
    OF_SETTINGS(angular_hertz),
    OF_SETTINGS(angular_damping_ratio),
    OF_JOINT(length),
    OF_SETTINGS(ratio),
    OF_SETTINGS(target_angle),
    OF_SETTINGS(target_translation),
    OF_SETTINGS(break_force),
    OF_SETTINGS(break_torque),
    OF_SETTINGS(velocity.x),
    OF_SETTINGS(velocity.y),
    OF_SETTINGS(axis.x),
    OF_SETTINGS(axis.y),
    OF_JOINT(impulses.linear.x),
    OF_JOINT(impulses.linear.y),
    OF_JOINT(impulses.angular),
    OF_JOINT(impulses.lower),
    OF_JOINT(impulses.upper),
    OF_JOINT(impulses.motor),
    OF_JOINT(impulses.spring),
};
static const number_place DOUBLES[] = {
    OF_JOINT(anchor_a.x),    OF_JOINT(anchor_a.y),      OF_JOINT(anchor_b.x),
    OF_JOINT(anchor_b.y),    OF_JOINT(reference_angle), OF_SETTINGS(target.x),
    OF_SETTINGS(target.y),   OF_SETTINGS(ground_a.x),   OF_SETTINGS(ground_a.y),
    OF_SETTINGS(ground_b.x), OF_SETTINGS(ground_b.y),   OF_JOINT(angle),
    OF_SETTINGS(gear_a),     OF_SETTINGS(gear_b),       OF_SETTINGS(gear_constant),
};
enum {
    FLOAT_COUNT = sizeof FLOATS / sizeof *FLOATS,
    DOUBLE_COUNT = sizeof DOUBLES / sizeof *DOUBLES,
    SETTINGS_COUNT = 17, // length of FLOATS; the first two may be infinite
    MASK_BYTES = 6,
    FLAGS_KEPT = JOINT_FLAG_COLLIDE | JOINT_FLAG_MOTOR
};
_Static_assert(FLOAT_COUNT + DOUBLE_COUNT <= 8 * MASK_BYTES, "a bit each");
_Static_assert(32 + 4 * FLOAT_COUNT + 8 * DOUBLE_COUNT < STREAM_RECORD_MAX,
               "a joint fits a record");

static const joint USUAL_RECORD;
static const joint_settings USUAL_SETTINGS = {.lower = -INFINITY, .upper = INFINITY, .ratio = 1.0f};

static const void *number_of(const joint *j, const joint_settings *s, number_place place)
{
    return (place.in_settings ? (const char *)s : (const char *)j) + place.offset;
}

static uint64_t mask_of(const joint *j, const joint_settings *s)
{
    const joint *usual_j = &USUAL_RECORD;
    const joint_settings *usual_s = &USUAL_SETTINGS;
    uint64_t mask = 0;
    for (int i = 0; i < FLOAT_COUNT; i++) {
        bool usual = memcmp(number_of(j, s, FLOATS[i]), number_of(usual_j, usual_s, FLOATS[i]),
                            sizeof(float)) == 0;
        mask |= usual ? 0 : (uint64_t)1 << i;
    }
    for (int i = 0; i < DOUBLE_COUNT; i++) {
        bool usual = memcmp(number_of(j, s, DOUBLES[i]), number_of(usual_j, usual_s, DOUBLES[i]),
                            sizeof(double)) == 0;
        mask |= usual ? 0 : (uint64_t)1 << (FLOAT_COUNT + i);
    }
    return mask;
}

static void put_joint(uint8_t **at, const joint *j, const joint_settings *s, uint32_t body_bytes,
                      uint32_t joint_bytes)
{
    uint64_t mask = mask_of(j, s);
    put_uint(at, mask, MASK_BYTES);
    put_uint(at, j->kind | (uint32_t)(j->flags & FLAGS_KEPT) << 4, 1);
    put_uint(at, j->colour, 1);
    put_uint(at, j->body_a, body_bytes);
    put_uint(at, j->body_b, body_bytes);
    if (j->kind == JOINT_GEAR) {
        put_uint(at, s->joint_a, joint_bytes);
        put_uint(at, s->joint_b, joint_bytes);
    }
    for (uint64_t left = mask; left != 0; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (i < FLOAT_COUNT) {
            float number;
            memcpy(&number, number_of(j, s, FLOATS[i]), sizeof number);
            put_float(at, number);
        } else {
            double number;
            memcpy(&number, number_of(j, s, DOUBLES[i - FLOAT_COUNT]), sizeof number);
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
        const joint *j = &world->joints.data[slot];
        put_joint(&at, j, joint_settings_of(world, j), body_bytes, joint_bytes);
        stream_put_end(s, at);
    }
}

// Whether a gear that acts on that body can use the joint.
static bool is_joint_of(const physics_world *world, uint32_t slot, uint32_t held)
{
    if (slot == NONE) {
        return true;
    }
    const joint *on = &world->joints.data[slot];
    return slots_has(&world->joint_slots, slot) && (on->body_a == held || on->body_b == held) &&
           (on->kind == JOINT_REVOLUTE || on->kind == JOINT_PRISMATIC);
}

// Checks settings that a definition may give; values derived from the bodies at creation only need
// to be finite.
static void check_settings(image_stream *s, const joint_parts *parts)
{
    const joint *j = &parts->record;
    const joint_settings *set = &parts->settings;
    const uint32_t derived = JOINT_FIELD_ANCHOR_A | JOINT_FIELD_ANCHOR_B | JOINT_FIELD_AXIS |
                             JOINT_FIELD_REFERENCE_ANGLE | JOINT_FIELD_LENGTH | JOINT_FIELD_TARGET |
                             JOINT_FIELD_TARGET_ANGLE;
    joint_def def = joint_def_default((joint_kind)j->kind);
    error err;
    joint_settings_tell(parts, &def);
    if (joint_fields_check(def.kind, def.fields & ~derived, &def, &err) != STATUS_OK ||
        joint_check_rod(parts, &err) != STATUS_OK) {
        stream_fail(s, "a joint: %s", err.text);
    }
    const double most = 4.0 * PHYSICS_EXTENT_MAX * JOINT_RATIO_MAX;
    const double derived_numbers[] = {
        def.length,    def.reference_angle, def.target_angle,  def.target.x,  def.target.y,
        j->anchor_a.x, j->anchor_a.y,       j->anchor_b.x,     j->anchor_b.y, j->angle,
        set->gear_a,   set->gear_b,         set->gear_constant};
    bool sane = def.lower <= def.upper && def.length >= 0.0;
    for (size_t i = 0; i < sizeof derived_numbers / sizeof *derived_numbers; i++) {
        sane = sane && derived_numbers[i] >= -most && derived_numbers[i] <= most;
    }
    float unit = vec2_length_squared(set->axis);
    stream_expect(s, sane && unit < 1.01f, "a joint's setting is out of range");
}

static void check_joint(image_stream *s, const physics_world *world, const joint_parts *parts)
{
    const joint *j = &parts->record;
    const joint_settings *set = &parts->settings;
    bool a = j->kind == JOINT_MOUSE ? j->body_a == NONE : slots_has(&world->body_slots, j->body_a);
    stream_expect(s, a && slots_has(&world->body_slots, j->body_b) && j->body_a != j->body_b,
                  "a joint of no bodies");
    bool geared = set->joint_a != NONE;
    stream_expect(s, geared == (set->joint_b != NONE) && (!geared || j->kind == JOINT_GEAR),
                  "a gear's joints");
}

static void check_numbers(image_stream *stream, const joint *j, const joint_settings *s)
{
    bool good = true;
    for (int i = 0; i < FLOAT_COUNT; i++) {
        float number;
        memcpy(&number, number_of(j, s, FLOATS[i]), sizeof number);
        good = good && !isnan(number) && (i < SETTINGS_COUNT || isfinite(number));
    }
    for (int i = 0; i < DOUBLE_COUNT; i++) {
        double number;
        memcpy(&number, number_of(j, s, DOUBLES[i]), sizeof number);
        good = good && isfinite(number);
    }
    stream_expect(stream, good && vec2_is_finite(s->velocity), "a number of a joint is not finite");
}

static void *number_in(joint_parts *parts, number_place place)
{
    return (place.in_settings ? (char *)&parts->settings : (char *)&parts->record) + place.offset;
}

static void get_joint(image_stream *s, const uint8_t **at, const physics_world *world,
                      joint_parts *parts)
{
    joint *j = &parts->record;
    joint_settings *set = &parts->settings;
    uint64_t mask = get_uint(at, MASK_BYTES);
    uint32_t kind = (uint32_t)get_uint(at, 1);
    *parts = (joint_parts){USUAL_RECORD, USUAL_SETTINGS};
    uint32_t flags = kind >> 4;
    kind &= 15;
    j->colour = (uint8_t)get_uint(at, 1);
    j->body_a = (uint32_t)get_uint(at, slot_bytes(&world->body_slots)) & SLOT_MASK;
    j->body_b = (uint32_t)get_uint(at, slot_bytes(&world->body_slots)) & SLOT_MASK;
    stream_expect(s, kind < JOINT_KIND_COUNT, "a joint's kind");
    stream_expect(s, (flags & ~(uint32_t)FLAGS_KEPT) == 0, "a joint's flags");
    stream_expect(s, mask >> (FLOAT_COUNT + DOUBLE_COUNT) == 0, "a joint's numbers");
    if (s->failed) {
        return;
    }
    j->kind = (uint8_t)kind;
    j->flags = flags & FLAGS_KEPT;
    if (j->kind == JOINT_GEAR) {
        set->joint_a = (uint32_t)get_uint(at, slot_bytes(&world->joint_slots));
        set->joint_b = (uint32_t)get_uint(at, slot_bytes(&world->joint_slots));
    }
    for (uint64_t left = mask; left != 0; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (i < FLOAT_COUNT) {
            float number = get_float(at);
            memcpy(number_in(parts, FLOATS[i]), &number, sizeof number);
        } else {
            double number = get_double(at);
            memcpy(number_in(parts, DOUBLES[i - FLOAT_COUNT]), &number, sizeof number);
        }
    }
}

static void finish_joints(image_stream *s, physics_world *world)
{
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0 && !s->failed;
         slot = slots_next(&world->joint_slots, slot)) {
        joint *j = &world->joints.data[slot];
        const joint_settings *set = joint_settings_of(world, j);
        stream_expect(s,
                      is_joint_of(world, set->joint_a, j->body_a) &&
                          is_joint_of(world, set->joint_b, j->body_b),
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
        joint_parts parts;
        const uint8_t *at = stream_get(s);
        get_joint(s, &at, world, &parts);
        if (stream_get_end(s, at)) {
            check_numbers(s, &parts.record, &parts.settings);
        }
        if (!s->failed) {
            check_joint(s, world, &parts);
            check_settings(s, &parts);
        }
        if (!s->failed) {
            joint_settings_put(world, &parts.record, &parts.settings);
            world->joints.data[slot] = parts.record;
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
