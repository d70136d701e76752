// A joint's settings: copied from a definition into the joint, reported to callers, and stored.
//
// Most joints are hinges without spring, motor or limits, rods and welds, with the default settings
// of their kind; only the length is each joint's own. The first places of world.joint_settings, by
// kind, are these defaults, which all joints share. A joint with other settings has a place of its
// own after them. The number of that place has no meaning.
#include "common/physics/state/joints/joint_record.h"

#include <math.h>
#include <string.h>

#define F(name) ((uint32_t)JOINT_FIELD_##name)

// Numbers that have the same form in the definition and in the joint.
typedef struct number_place {
    uint32_t field;
    size_t in_def, in_settings;
} number_place;

#define PLACE(FIELD, member)                                                                       \
    {                                                                                              \
        F(FIELD), offsetof(joint_def, member), offsetof(joint_settings, member)                    \
    }

static const number_place NUMBERS[] = {
    PLACE(LOWER, lower),
    PLACE(UPPER, upper),
    PLACE(MOTOR_SPEED, motor_speed),
    PLACE(MAX_FORCE, max_force),
    PLACE(MAX_TORQUE, max_torque),
    PLACE(HERTZ, hertz),
    PLACE(DAMPING_RATIO, damping_ratio),
    PLACE(ANGULAR_HERTZ, angular_hertz),
    PLACE(ANGULAR_DAMPING_RATIO, angular_damping_ratio),
    PLACE(TARGET_ANGLE, target_angle),
    PLACE(TARGET_TRANSLATION, target_translation),
    PLACE(RATIO, ratio),
    PLACE(BREAK_FORCE, break_force),
    PLACE(BREAK_TORQUE, break_torque),
};

void joint_settings_apply(joint_parts *j, uint32_t fields, const joint_def *values)
{
    joint_settings *to = &j->settings;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if ((fields & NUMBERS[i].field) != 0) {
            const double *from = (const double *)((const char *)values + NUMBERS[i].in_def);
            *(float *)((char *)to + NUMBERS[i].in_settings) = (float)*from;
        }
    }
    if ((fields & F(REFERENCE_ANGLE)) != 0) {
        j->record.reference_angle = values->reference_angle;
    }
    if ((fields & F(LENGTH)) != 0) {
        j->record.length = (float)values->length;
    }
    if ((fields & F(TARGET)) != 0) {
        to->target = values->target;
    }
    if ((fields & F(VELOCITY)) != 0) {
        to->velocity = values->velocity;
    }
    if ((fields & F(GROUND_A)) != 0) {
        to->ground_a = values->ground_a;
    }
    if ((fields & F(GROUND_B)) != 0) {
        to->ground_b = values->ground_b;
    }
    if ((fields & (F(MOTOR_SPEED) | F(MAX_FORCE) | F(MAX_TORQUE))) != 0) {
        j->record.flags |= JOINT_FLAG_MOTOR;
    }
}

void joint_settings_tell(const joint_parts *j, joint_def *out)
{
    const joint_settings *from = &j->settings;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        double *to = (double *)((char *)out + NUMBERS[i].in_def);
        *to = (double)*(const float *)((const char *)from + NUMBERS[i].in_settings);
    }
    out->reference_angle = j->record.reference_angle;
    out->length = (double)j->record.length;
    out->target = from->target;
    out->velocity = from->velocity;
    out->ground_a = from->ground_a;
    out->ground_b = from->ground_b;
    out->collide_connected = (j->record.flags & JOINT_FLAG_COLLIDE) != 0;

    uint32_t idle = F(ANCHOR);
    idle |= isfinite(out->lower) ? 0 : F(LOWER);
    idle |= isfinite(out->upper) ? 0 : F(UPPER);
    idle |= out->break_force > 0.0 ? 0 : F(BREAK_FORCE);
    idle |= out->break_torque > 0.0 ? 0 : F(BREAK_TORQUE);
    bool drives = j->record.kind == JOINT_MOTOR || j->record.kind == JOINT_MOUSE;
    if (!drives && (j->record.flags & JOINT_FLAG_MOTOR) == 0) {
        idle |= F(MOTOR_SPEED) | F(MAX_FORCE) | F(MAX_TORQUE);
    }
    if (j->record.kind == JOINT_DISTANCE && !(out->hertz > 0.0) &&
        (isfinite(out->lower) || isfinite(out->upper) ||
         (j->record.flags & JOINT_FLAG_MOTOR) != 0)) {
        idle |= F(LENGTH);
    }
    if (from->joint_a == NONE) {
        idle |= F(JOINT_A) | F(JOINT_B);
    }
    out->fields = joint_kind_fields(j->record.kind) & ~idle;
}

// Distance joints without spring, limits or motor are rods, and a rod has a length.
status joint_check_rod(const joint_parts *j, error *err)
{
    const joint_settings *s = &j->settings;
    bool rod = j->record.kind == JOINT_DISTANCE && !(s->hertz > 0.0f) && !isfinite(s->lower) &&
               !isfinite(s->upper) && (j->record.flags & JOINT_FLAG_MOTOR) == 0;
    if (rod && !(j->record.length >= LINEAR_SLOP)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "length: a rod has at least %g m, got %g",
                         (double)LINEAR_SLOP, (double)j->record.length);
    }
    return STATUS_OK;
}

// ---- keeping them

static void put_usual(physics_world *world)
{
    // the list belongs to the source of the copy (world_copy)
    slots_deinit(&world->settings_slots);
    slots_init(&world->settings_slots);
    array_reserve(&world->joint_settings, JOINT_KIND_COUNT);
    world->joint_settings.data[0] = joint_usual_settings((joint_kind)0);
    for (uint32_t kind = 1; kind < JOINT_KIND_COUNT; kind++) {
        uint32_t at = slots_take(&world->settings_slots);
        world->joint_settings.data[at] = joint_usual_settings((joint_kind)kind);
    }
    world->joint_settings.count = JOINT_KIND_COUNT;
}

void joint_settings_put(physics_world *world, joint *j, const joint_settings *settings)
{
    if (world->joint_settings.count == 0) {
        put_usual(world);
    }
    // copied, since it may lie in the array that is about to move
    const joint_settings wanted = *settings;
    const joint_settings *usual = &world->joint_settings.data[j->kind];
    // A step writes to a gear's settings.
    if (j->kind != JOINT_GEAR && memcmp(&wanted, usual, sizeof wanted) == 0) {
        joint_settings_drop(world, j);
        j->settings_at = j->kind;
        return;
    }
    if (joint_is_usual(j)) {
        j->settings_at = slots_take(&world->settings_slots) & SLOT_MASK;
        array_reserve(&world->joint_settings, world->settings_slots.end);
        world->joint_settings.count = world->settings_slots.end;
    }
    world->joint_settings.data[j->settings_at] = wanted;
}

void joint_settings_drop(physics_world *world, joint *j)
{
    if (!joint_is_usual(j)) {
        slots_release_unnumbered(&world->settings_slots, j->settings_at);
        j->settings_at = 0;
    }
}

joint_sort joint_sort_of(const physics_world *world, const joint *j)
{
    const joint_settings *s = joint_settings_of(world, j);
    if (j->kind != JOINT_REVOLUTE) {
        return SORT_SINGLE;
    }
    bool driven = s->hertz > 0.0f || s->lower > -INFINITY || s->upper < INFINITY ||
                  (j->flags & JOINT_FLAG_MOTOR) != 0;
    return driven ? SORT_DRIVEN : SORT_PLAIN;
}
