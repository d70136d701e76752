// Records of what ties bodies: contacts and joints; and of events that are still to be told.
#include "common/physics/image_records.h"
#include "common/physics/joint_internal.h"

// ---- contacts

static bool is_solved(const contact *c)
{
    return (c->flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE && c->awake_index != 0;
}

static void point_fields(image_stream *s, float *normal_impulse, float *tangent_impulse)
{
    bool pressed = *normal_impulse != 0.0f || *tangent_impulse != 0.0f;
    stream_bool(s, &pressed);
    if (pressed) {
        stream_float(s, normal_impulse);
        stream_float(s, tangent_impulse);
    }
    stream_expect(
        s, *normal_impulse >= 0.0f && isfinite(*normal_impulse) && isfinite(*tangent_impulse),
        "an impulse is out of range");
}

// The manifold is found again from the frames in which it was found first; the impulses are what it
// cannot tell.
static void manifold_fields(image_stream *s, physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    transform *at = &c->reference;
    stream_vec2(s, &at->p);
    stream_float(s, &at->q.c);
    stream_float(s, &at->q.s);
    float unit = at->q.c * at->q.c + at->q.s * at->q.s;
    stream_expect(s, vec2_is_finite(at->p) && unit > 0.9999f && unit < 1.0001f,
                  "a contact's frame");
    if (s->reading && !s->failed) {
        stream_expect(s, contact_restore(world, slot), "a contact without points");
    }
    for (int i = 0; i < c->point_count; i++) {
        point_fields(s, &c->normal_impulse[i], &c->tangent_impulse[i]);
    }
    if (contact_surface(world, c).rolling_resistance > 0.0f) {
        stream_float(s, &c->rolling_impulse);
        stream_expect(s, isfinite(c->rolling_impulse), "an impulse is not finite");
    }
}

static void place_contact(image_stream *s, physics_world *world, uint32_t slot, uint32_t shape_a,
                          uint32_t shape_b)
{
    bool good =
        slots_has(&world->shape_slots, shape_a) && slots_has(&world->shape_slots, shape_b) &&
        world->shapes.data[shape_a].boxed && world->shapes.data[shape_b].boxed &&
        !pair_set_has(&world->pairs, shape_a, shape_b) && contact_wanted(world, shape_a, shape_b);
    stream_expect(s, good, "a contact of shapes that cannot touch");
    if (!good || s->failed) {
        return;
    }
    slots_restore(&world->contact_slots, slot, 0, true);
    array_reserve(&world->contacts, world->contact_slots.end);
    world->contacts.count = world->contact_slots.end;
    stream_expect(s, contact_place(world, slot, shape_a, shape_b), "a contact the wrong way round");
}

void contact_record(image_stream *s, physics_world *world, uint32_t slot)
{
    contact c = {0};
    if (!s->reading) {
        c = world->contacts.data[slot];
    }
    const uint32_t told = CONTACT_ACTIVE | CONTACT_TOUCHING;
    uint32_t flags = c.flags & told;
    uint32_t colour = c.colour;
    uint32_t shape_a = c.shape_a;
    uint32_t shape_b = c.shape_b;
    stream_u32(s, &shape_a, world->shape_slots.end - 1, "a contact's shape");
    stream_u32(s, &shape_b, world->shape_slots.end - 1, "a contact's shape");
    stream_u32(s, &flags, told, "a contact's flags");
    if (s->reading && !s->failed) {
        place_contact(s, world, slot, shape_a, shape_b);
    }
    if (s->failed) {
        return;
    }
    contact *to = &world->contacts.data[slot];
    if (s->reading) {
        to->flags |= (uint8_t)flags;
        world->touching_count += (flags & CONTACT_TOUCHING) != 0;
    }
    if ((to->flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE) {
        manifold_fields(s, world, slot);
    }
    if (s->reading) {
        contact_list_awake(world, slot);
    }
    bool solved = is_solved(to);
    if (solved) {
        stream_u32(s, &colour, COLOUR_OVERFLOW, "a contact's colour");
    }
    if (s->reading && !s->failed) {
        stream_expect(s, !solved || graph_place_contact(world, slot, colour), "a contact's colour");
    }
}

// ---- joints

static void settings_fields(image_stream *s, joint_settings *j)
{
    float *numbers[] = {&j->lower,
                        &j->upper,
                        &j->motor_speed,
                        &j->max_force,
                        &j->max_torque,
                        &j->hertz,
                        &j->damping_ratio,
                        &j->angular_hertz,
                        &j->angular_damping_ratio,
                        &j->length,
                        &j->ratio,
                        &j->target_angle,
                        &j->target_translation,
                        &j->break_force,
                        &j->break_torque};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        stream_float(s, numbers[i]);
        stream_expect(s, !isnan(*numbers[i]), "a joint's setting is not a number");
    }
    stream_vec2(s, &j->velocity);
    stream_vec2d(s, &j->target);
    stream_vec2d(s, &j->ground_a);
    stream_vec2d(s, &j->ground_b);
    stream_double(s, &j->reference_angle);
    stream_expect(s,
                  vec2_is_finite(j->velocity) && vec2d_is_finite(j->target) &&
                      vec2d_is_finite(j->ground_a) && vec2d_is_finite(j->ground_b) &&
                      isfinite(j->reference_angle),
                  "a joint's setting is not finite");
}

static void impulses_fields(image_stream *s, joint_impulses *p)
{
    float *numbers[] = {&p->linear.x, &p->linear.y, &p->angular, &p->lower,
                        &p->upper,    &p->motor,    &p->spring};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        stream_float(s, numbers[i]);
        stream_expect(s, isfinite(*numbers[i]), "a joint's impulse is not finite");
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

void joint_record(image_stream *s, physics_world *world, uint32_t slot)
{
    joint *j = &world->joints.data[slot];
    const uint32_t kept = JOINT_FLAG_COLLIDE | JOINT_FLAG_MOTOR;
    uint32_t kind = (uint32_t)j->kind;
    uint32_t flags = j->flags & kept;
    stream_u32(s, &kind, JOINT_KIND_COUNT - 1, "a joint's kind");
    stream_u32(s, &flags, kept, "a joint's flags");
    stream_u32(s, &j->body_a, world->body_slots.end - 1, "a joint's body");
    stream_u32(s, &j->body_b, world->body_slots.end - 1, "a joint's body");
    stream_u32(s, &j->joint_a, world->joint_slots.end - 1, "a gear's joint");
    stream_u32(s, &j->joint_b, world->joint_slots.end - 1, "a gear's joint");
    stream_u32(s, &j->colour, COLOUR_NONE, "a joint's colour");
    stream_vec2d(s, &j->anchor_a);
    stream_vec2d(s, &j->anchor_b);
    stream_vec2(s, &j->axis);
    settings_fields(s, &j->settings);
    impulses_fields(s, &j->impulses);
    stream_double(s, &j->angle);
    stream_double(s, &j->gear_a);
    stream_double(s, &j->gear_b);
    stream_double(s, &j->gear_constant);
    stream_expect(s,
                  vec2d_is_finite(j->anchor_a) && vec2d_is_finite(j->anchor_b) &&
                      vec2_is_finite(j->axis) && isfinite(j->angle) && isfinite(j->gear_a) &&
                      isfinite(j->gear_b) && isfinite(j->gear_constant),
                  "a joint's frame is not finite");
    if (s->reading && !s->failed) {
        j->kind = (joint_kind)kind;
        j->flags = flags;
        check_joint(s, world, j);
        check_settings(s, j);
    }
}

void image_finish_joints(image_stream *s, physics_world *world)
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
