// Bodies: made, changed, moved by hand, woken, removed.
//
// Invariants: a body is on world.awake_bodies exactly when it is enabled, not static, and neither
// asleep nor a kinematic body at rest; its state (body_state) is zero with identity rotation when
// it is not; sleep_set is 0 unless it sleeps.
#include "common/base/assert.h"
#include "common/physics/world.h"

#include <stdlib.h>
#include <string.h>

bool body_is_moving(const body *b, const body_state *state)
{
    return b->type == BODY_DYNAMIC ||
           (b->type == BODY_KINEMATIC && (state->velocity.x != 0.0f || state->velocity.y != 0.0f ||
                                          state->angular_velocity != 0.0f));
}

void body_set_pose_from_center(body_motion *motion)
{
    vec2 offset = rot_vec(motion->rotation, motion->local_center);
    motion->position = vec2d_offset(motion->center, vec2_neg(offset));
}

static void set_center_from_pose(body_motion *motion)
{
    motion->center =
        vec2d_offset(motion->position, rot_vec(motion->rotation, motion->local_center));
    body_set_pose_from_center(motion); // the centre is the truth; the position follows to the bit
}

// ---- lists

void body_list_awake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    if (b->awake_index == 0) {
        array_push(&world->awake_bodies, slot);
        b->awake_index = world->awake_bodies.count;
    }
}

void body_unlist_awake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    if (b->awake_index == 0) {
        return;
    }
    uint32_t index = b->awake_index - 1;
    array_swap_remove(&world->awake_bodies, index);
    if (index < world->awake_bodies.count) {
        world->bodies.data[world->awake_bodies.data[index]].awake_index = index + 1;
    }
    b->awake_index = 0;
}

// A body that is enabled and moving belongs on the list of awake ones; brings that and its contacts
// in order.
static void refresh_awake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    bool wanted = (b->flags & BODY_ENABLED) != 0 && b->sleep_set == 0 &&
                  body_is_moving(b, &world->states.data[slot]);
    if (wanted == (b->awake_index != 0)) {
        return;
    }
    if (wanted) {
        body_list_awake(world, slot);
    } else {
        body_unlist_awake(world, slot);
    }
    contact_collect(world, slot);
    for (uint32_t i = 0; i < world->scratch.count; i++) {
        if (wanted) {
            contact_activate(world, world->scratch.data[i]);
        } else {
            contact_deactivate(world, world->scratch.data[i]);
        }
    }
}

// ---- waking

void body_wake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    if (b->sleep_set != 0) {
        sleep_wake_set(world, slot);
    }
    world->motions.data[slot].sleep_time = 0.0f;
}

static void wake_other(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)joint;
    (void)context;
    body_wake(world, other);
}

void body_wake_touching(physics_world *world, uint32_t slot)
{
    // Waking changes world->scratch, so the others are gathered first.
    contact_collect(world, slot);
    uint32_t count = world->scratch.count;
    uint32_t *others = malloc((count + 1) * sizeof *others);
    ASSERT(others != NULL);
    for (uint32_t i = 0; i < count; i++) {
        const contact *c = &world->contacts.data[world->scratch.data[i]];
        others[i] = c->body_a == slot ? c->body_b : c->body_a;
    }
    for (uint32_t i = 0; i < count; i++) {
        body_wake(world, others[i]);
    }
    free(others);
    joint_visit_all(world, slot, wake_other, NULL);
}

// ---- mass

typedef struct mass_sum {
    double mass;    // 0 where no shape has a density
    double scale;   // the mass that `inertia` belongs to; 0: it has none
    double inertia; // about the centre
    vec2d center;
} mass_sum;

static bool has_mass(const shape *s)
{
    return (s->flags & (SHAPE_IS_CHAIN | SHAPE_SENSOR)) == 0;
}

// Where no shape has a density they all count as of one, so that there is a centre.
static mass_sum sum_shapes(const physics_world *world, const body *b)
{
    mass_sum sum = {0};
    bool weighted = false;
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        weighted = weighted || (has_mass(s) && s->density > 0.0f);
    }
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        if (has_mass(s)) {
            mass_properties p = shape_mass(&s->geometry, weighted ? s->density : 1.0f);
            double m = (double)p.mass;
            sum.scale += m;
            sum.center.x += m * (double)p.center.x;
            sum.center.y += m * (double)p.center.y;
        }
    }
    if (!(sum.scale > 0.0)) {
        return (mass_sum){0};
    }
    sum.center = (vec2d){sum.center.x / sum.scale, sum.center.y / sum.scale};
    sum.mass = weighted ? sum.scale : 0.0;
    // Steiner's theorem from that centre, not from the origin: shapes may be small and far from it.
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        if (has_mass(s)) {
            mass_properties p = shape_mass(&s->geometry, weighted ? s->density : 1.0f);
            double x = (double)p.center.x - sum.center.x;
            double y = (double)p.center.y - sum.center.y;
            sum.inertia += (double)p.inertia + (double)p.mass * (x * x + y * y);
        }
    }
    return sum;
}

void body_update_mass(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    body_motion *motion = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    vec2d old_center = motion->center;

    mass_sum sum = sum_shapes(world, b);
    motion->local_center = (vec2){(float)sum.center.x, (float)sum.center.y};
    // Without a density there is still a mass: 1, or what the user set.
    double wanted = b->mass_override > 0.0f ? (double)b->mass_override
                    : sum.mass > 0.0        ? sum.mass
                                            : 1.0;
    wanted = wanted < PHYSICS_MASS_MIN ? PHYSICS_MASS_MIN : wanted;
    wanted = wanted > PHYSICS_MASS_MAX ? PHYSICS_MASS_MAX : wanted;
    double inertia = sum.scale > 0.0 ? sum.inertia * (wanted / sum.scale) : 0.0;

    bool dynamic = b->type == BODY_DYNAMIC;
    b->mass = dynamic ? (float)wanted : 0.0f;
    b->inertia = dynamic ? (float)inertia : 0.0f;
    motion->inv_mass = dynamic ? 1.0f / b->mass : 0.0f;
    bool turns = dynamic && (b->flags & BODY_FIXED_ROTATION) == 0 && b->inertia > 0.0f;
    motion->inv_inertia = turns ? 1.0f / b->inertia : 0.0f;
    state->flags = (state->flags & ~(uint32_t)STATE_DYNAMIC) | (dynamic ? STATE_DYNAMIC : 0u);

    motion->extent_min = 0.0f;
    motion->extent_max = 0.0f;
    bool first = true;
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        const shape *s = &world->shapes.data[i];
        if ((s->flags & (SHAPE_IS_CHAIN | SHAPE_SENSOR)) != 0) {
            continue;
        }
        float least = shape_extent_min(&s->geometry);
        motion->extent_min = first ? least : float_min(motion->extent_min, least);
        motion->extent_max =
            float_max(motion->extent_max, shape_extent_max(&s->geometry, motion->local_center));
        first = false;
    }
    set_center_from_pose(motion);
    // The velocity is that of the centre of mass: where the centre has moved within a turning body,
    // it moves with it.
    vec2 shift = vec2d_relative(old_center, motion->center);
    if (dynamic && b->awake_index != 0) {
        state->velocity = vec2_add(state->velocity, vec2_cross_sv(state->angular_velocity, shift));
    }
}

// ---- making and removing

static uint32_t take_slot(physics_world *world)
{
    uint32_t slot = slots_take(&world->body_slots);
    uint32_t end = world->body_slots.end;
    array_reserve(&world->bodies, end);
    array_reserve(&world->motions, end);
    array_reserve(&world->states, end);
    array_reserve(&world->colours_used, end);
    world->bodies.count = world->motions.count = world->states.count = world->colours_used.count =
        end;
    world->bodies.data[slot] = (body){0};
    world->motions.data[slot] = (body_motion){.rotation = ROT_IDENTITY};
    world->states.data[slot] = (body_state){.delta_rotation = ROT_IDENTITY};
    world->colours_used.data[slot] = 0;
    return slot;
}

static void set_tag(body *b, const char *tag)
{
    free(b->tag);
    b->tag = NULL;
    if (tag != NULL && tag[0] != '\0') {
        b->tag = strdup(tag);
        ASSERT(b->tag != NULL);
    }
}

static uint32_t flag_if(bool condition, uint32_t flag)
{
    return condition ? flag : 0u;
}

// A dynamic body of fixed rotation never turns, whatever it is told. One that becomes dynamic or
// fixed stops here; nothing else gives it an angular velocity.
static void hold_rotation(physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    if (b->type == BODY_DYNAMIC && (b->flags & BODY_FIXED_ROTATION) != 0) {
        world->states.data[slot].angular_velocity = 0.0f;
    }
}

// From a definition that has been checked.
static uint32_t make_body(physics_world *world, const body_def *def)
{
    uint32_t slot = take_slot(world);
    body *b = &world->bodies.data[slot];
    b->type = def->type;
    b->flags = flag_if(def->enabled, BODY_ENABLED) | flag_if(def->bullet, BODY_BULLET) |
               flag_if(def->allow_sleep, BODY_ALLOW_SLEEP) |
               flag_if(def->fixed_rotation, BODY_FIXED_ROTATION);
    b->mass_override = (float)def->mass;
    set_tag(b, def->tag);
    body_motion *motion = &world->motions.data[slot];
    motion->position = def->position;
    motion->center = def->position;
    motion->rotation = rot_from_angle(def->angle);
    motion->linear_damping = (float)def->linear_damping;
    motion->angular_damping = (float)def->angular_damping;
    motion->gravity_scale = (float)def->gravity_scale;
    if (def->type != BODY_STATIC) {
        body_state *state = &world->states.data[slot];
        state->velocity = (vec2){(float)def->velocity.x, (float)def->velocity.y};
        state->angular_velocity = (float)def->angular_velocity;
    }
    hold_rotation(world, slot);
    return slot;
}

void body_enable(physics_world *world, uint32_t slot)
{
    world->bodies.data[slot].flags |= BODY_ENABLED;
    world->bodies.data[slot].flags &= ~(uint32_t)BODY_FROZEN;
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_enter_broad_phase(world, i);
    }
    refresh_awake(world, slot);
    joint_refresh_all(world, slot);
}

void body_disable(physics_world *world, uint32_t slot)
{
    body_wake(world, slot);
    body_wake_touching(world, slot);
    world->bodies.data[slot].flags &= ~(uint32_t)BODY_ENABLED;
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_leave_broad_phase(world, i);
    }
    refresh_awake(world, slot);
    joint_refresh_all(world, slot);
}

void body_freeze(physics_world *world, uint32_t slot)
{
    body_disable(world, slot);
    world->bodies.data[slot].flags |= BODY_FROZEN;
    world->states.data[slot].velocity = (vec2){0.0f, 0.0f};
    world->states.data[slot].angular_velocity = 0.0f;
    world->frozen_count++;
    event_push_body(world, EVENT_FREEZE, slot);
}

static status spawn_check(const physics_world *world, const body_def *def, const shape_def *shapes,
                          int count, error *err)
{
    status s = body_def_check(def, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (world->body_slots.count >= world->def.bodies_max) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "the world has its most bodies: %u",
                         world->def.bodies_max);
    }
    uint64_t needed = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        s = shape_def_check(&shapes[i], err);
        if (s != STATUS_OK) {
            error_prefix(err, "shapes[%d]", i);
            return s;
        }
        needed += shape_def_pieces(&shapes[i]);
    }
    if (needed > PHYSICS_BODY_SHAPES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "shapes: a body bears at most %d, each piece of a chain counted",
                         PHYSICS_BODY_SHAPES_MAX);
    }
    if (world->shape_slots.count + needed > PHYSICS_SHAPES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "a world has at most %d shapes",
                         PHYSICS_SHAPES_MAX);
    }
    return STATUS_OK;
}

status body_spawn(physics_world *world, const body_def *def, const shape_def *shapes, int count,
                  body_id *out, shape_id *shapes_out, error *err)
{
    status s = spawn_check(world, def, shapes, count, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    uint32_t slot = make_body(world, def);
    for (int i = 0; i < count; i++) {
        uint32_t added = shape_attach(world, slot, &shapes[i]);
        if (shapes_out != NULL) {
            shapes_out[i] = shape_id_of(world, added);
        }
    }
    body_update_mass(world, slot);
    if (def->enabled) {
        body_enable(world, slot);
    }
    event_push_body(world, EVENT_SPAWN, slot);
    if (!def->awake && def->allow_sleep && world->def.sleep) {
        sleep_put_island(world, slot);
    }
    *out = body_id_of(world, slot);
    return STATUS_OK;
}

status body_create(physics_world *world, const body_def *def, body_id *out, error *err)
{
    return body_spawn(world, def, NULL, 0, out, NULL, err);
}

status body_remove(physics_world *world, body_id id, error *err)
{
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    body_disable(world, slot);
    joint_destroy_all(world, slot);
    event_push_body(world, EVENT_REMOVE, slot);
    while (world->bodies.data[slot].shapes != NONE) {
        uint32_t head = world->bodies.data[slot].shapes;
        uint32_t chain = world->shapes.data[head].chain;
        shape_detach(world, chain != NONE ? chain : head);
    }
    body *b = &world->bodies.data[slot];
    ASSERT(b->contacts == NONE && b->joints == NONE && b->awake_index == 0);
    free(b->tag);
    *b = (body){0};
    world->motions.data[slot] = (body_motion){.rotation = ROT_IDENTITY};
    world->states.data[slot] = (body_state){.delta_rotation = ROT_IDENTITY};
    slots_release(&world->body_slots, slot);
    return STATUS_OK;
}

// ---- reading

status body_get(const physics_world *world, body_id id, body_info *out, error *err)
{
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *v = &world->states.data[slot];
    uint32_t shape_count = 0;
    for (shape_id i = 0; (i = body_next_shape(world, id, i)) != 0;) {
        shape_count++;
    }
    *out = (body_info){
        .id = id,
        .type = b->type,
        .position = m->position,
        .angle = rot_angle(m->rotation),
        .rotation = m->rotation,
        .velocity = vec2d_from(v->velocity),
        .angular_velocity = (double)v->angular_velocity,
        .center = m->center,
        .mass = (double)b->mass,
        .inertia = (double)b->inertia,
        .linear_damping = (double)m->linear_damping,
        .angular_damping = (double)m->angular_damping,
        .gravity_scale = (double)m->gravity_scale,
        .force = vec2d_from(m->force),
        .torque = (double)m->torque,
        .fixed_rotation = (b->flags & BODY_FIXED_ROTATION) != 0,
        .bullet = (b->flags & BODY_BULLET) != 0,
        .allow_sleep = (b->flags & BODY_ALLOW_SLEEP) != 0,
        .awake = b->awake_index != 0,
        .enabled = (b->flags & BODY_ENABLED) != 0,
        .frozen = (b->flags & BODY_FROZEN) != 0,
        .tag = b->tag != NULL ? b->tag : "",
        .shape_count = shape_count,
    };
    return STATUS_OK;
}

body_id world_next_body(const physics_world *world, body_id after)
{
    uint32_t slot = slots_next(&world->body_slots, (uint32_t)(after & ((1u << SLOT_BITS) - 1)));
    return slot != NONE ? body_id_of(world, slot) : 0;
}

// ---- changing

static void set_pose(physics_world *world, uint32_t slot, uint32_t fields, const body_def *values)
{
    body_motion *motion = &world->motions.data[slot];
    if ((fields & BODY_FIELD_POSITION) != 0) {
        motion->position = values->position;
    }
    if ((fields & BODY_FIELD_ANGLE) != 0) {
        motion->rotation = rot_from_angle(values->angle);
    }
    set_center_from_pose(motion);
    body_wake_touching(world, slot); // what rested on it, where it was
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_update_box(world, i, true);
    }
}

static void set_velocity(physics_world *world, uint32_t slot, uint32_t fields,
                         const body_def *values)
{
    if (world->bodies.data[slot].type == BODY_STATIC) {
        return;
    }
    body_state *state = &world->states.data[slot];
    if ((fields & BODY_FIELD_VELOCITY) != 0) {
        state->velocity = (vec2){(float)values->velocity.x, (float)values->velocity.y};
    }
    if ((fields & BODY_FIELD_ANGULAR_VELOCITY) != 0) {
        state->angular_velocity = (float)values->angular_velocity;
    }
    if (world->bodies.data[slot].type == BODY_KINEMATIC) {
        refresh_awake(world, slot);
        body_wake_touching(world, slot);
    }
}

static void reactivate_joint(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)other;
    (void)context;
    joint_deactivate(world, joint);
    joint_activate(world, joint);
}

// A body of another type is in another tree, has other contacts and other colours: out and in
// again.
static void set_type(physics_world *world, uint32_t slot, body_type type)
{
    body *b = &world->bodies.data[slot];
    if (b->type == type) {
        return;
    }
    bool enabled = (b->flags & BODY_ENABLED) != 0;
    if (enabled) {
        body_disable(world, slot);
    }
    b = &world->bodies.data[slot];
    b->type = type;
    if (type == BODY_STATIC) {
        world->states.data[slot].velocity = (vec2){0.0f, 0.0f};
        world->states.data[slot].angular_velocity = 0.0f;
    }
    body_update_mass(world, slot);
    if (enabled) {
        body_enable(world, slot);
    }
    joint_visit_all(world, slot, reactivate_joint, NULL);
}

static void set_flag(body *b, uint32_t flag, bool on)
{
    b->flags = on ? b->flags | flag : b->flags & ~flag;
}

static void set_numbers(physics_world *world, uint32_t slot, uint32_t fields, const body_def *v)
{
    body *b = &world->bodies.data[slot];
    body_motion *m = &world->motions.data[slot];
    if ((fields & BODY_FIELD_GRAVITY_SCALE) != 0) {
        m->gravity_scale = (float)v->gravity_scale;
    }
    if ((fields & BODY_FIELD_LINEAR_DAMPING) != 0) {
        m->linear_damping = (float)v->linear_damping;
    }
    if ((fields & BODY_FIELD_ANGULAR_DAMPING) != 0) {
        m->angular_damping = (float)v->angular_damping;
    }
    if ((fields & BODY_FIELD_BULLET) != 0) {
        set_flag(b, BODY_BULLET, v->bullet);
    }
    if ((fields & BODY_FIELD_ALLOW_SLEEP) != 0) {
        set_flag(b, BODY_ALLOW_SLEEP, v->allow_sleep);
    }
    if ((fields & BODY_FIELD_TAG) != 0) {
        set_tag(b, v->tag);
    }
    if ((fields & BODY_FIELD_FIXED_ROTATION) != 0) {
        set_flag(b, BODY_FIXED_ROTATION, v->fixed_rotation);
    }
    if ((fields & BODY_FIELD_MASS) != 0) {
        b->mass_override = (float)v->mass;
    }
    if ((fields & (BODY_FIELD_MASS | BODY_FIELD_FIXED_ROTATION)) != 0) {
        body_update_mass(world, slot);
        body_update_boxes(world, slot, INFINITY);
    }
}

status body_set(physics_world *world, body_id id, uint32_t fields, const body_def *values,
                error *err)
{
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s == STATUS_OK) {
        s = body_fields_check(fields, values, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    const uint32_t quiet = BODY_FIELD_TAG | BODY_FIELD_AWAKE | BODY_FIELD_ALLOW_SLEEP;
    if ((fields & ~quiet) != 0 ||
        ((fields & BODY_FIELD_ALLOW_SLEEP) != 0 && !values->allow_sleep) ||
        ((fields & BODY_FIELD_AWAKE) != 0 && values->awake)) {
        body_wake(world, slot);
    }
    set_numbers(world, slot, fields, values);
    if ((fields & BODY_FIELD_TYPE) != 0) {
        set_type(world, slot, values->type);
    }
    if ((fields & (BODY_FIELD_POSITION | BODY_FIELD_ANGLE)) != 0) {
        set_pose(world, slot, fields, values);
    }
    if ((fields & (BODY_FIELD_VELOCITY | BODY_FIELD_ANGULAR_VELOCITY)) != 0) {
        set_velocity(world, slot, fields, values);
    }
    hold_rotation(world, slot);
    if ((fields & BODY_FIELD_ENABLED) != 0) {
        bool enabled = (world->bodies.data[slot].flags & BODY_ENABLED) != 0;
        if (values->enabled && !enabled) {
            body_enable(world, slot);
        } else if (!values->enabled && enabled) {
            body_disable(world, slot);
        }
    }
    if ((fields & BODY_FIELD_AWAKE) != 0 && !values->awake && world->def.sleep) {
        sleep_put_island(world, slot);
    }
    return STATUS_OK;
}

// ---- impulses and forces

// Finds the body and wakes it; *slot is NONE, without an error, when it does not answer to forces.
static status find_movable(physics_world *world, body_id id, uint32_t *slot, error *err)
{
    status s = body_find(world, id, slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    const body *b = &world->bodies.data[*slot];
    if (b->type != BODY_DYNAMIC || (b->flags & BODY_ENABLED) == 0) {
        *slot = NONE;
        return STATUS_OK;
    }
    events_begin(world);
    body_wake(world, *slot);
    return STATUS_OK;
}

// Keeps a velocity that an impulse made within PHYSICS_SPEED_MAX and _SPIN_MAX.
static void limit_speed(body_state *state)
{
    const float speed_max = (float)PHYSICS_SPEED_MAX;
    const float spin_max = (float)PHYSICS_SPIN_MAX;
    float largest = float_max(float_abs(state->velocity.x), float_abs(state->velocity.y));
    if (largest > speed_max) {
        // Scaled first, for the square of a huge velocity is not finite.
        float length;
        vec2 direction = vec2_normalize(vec2_scale(1.0f / largest, state->velocity), &length);
        state->velocity = vec2_scale(speed_max, direction);
    }
    state->angular_velocity = float_clamp(state->angular_velocity, -spin_max, spin_max);
}

status body_apply_impulse(physics_world *world, body_id id, vec2d impulse, const vec2d *at,
                          error *err)
{
    uint32_t slot;
    status s = vector_check(impulse, PHYSICS_FORCE_MAX, "impulse", err);
    if (s == STATUS_OK && at != NULL) {
        s = vector_check(*at, PHYSICS_EXTENT_MAX, "point", err);
    }
    if (s == STATUS_OK) {
        s = find_movable(world, id, &slot, err);
    }
    if (s != STATUS_OK || slot == NONE) {
        return s;
    }
    const body_motion *motion = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    vec2 j = {(float)impulse.x, (float)impulse.y};
    state->velocity = vec2_mul_add(state->velocity, motion->inv_mass, j);
    if (at != NULL) {
        vec2 arm = vec2d_relative(motion->center, *at);
        state->angular_velocity += motion->inv_inertia * vec2_cross(arm, j);
    }
    limit_speed(state);
    return STATUS_OK;
}

status body_apply_angular_impulse(physics_world *world, body_id id, double impulse, error *err)
{
    uint32_t slot;
    status s = number_check(impulse, -PHYSICS_FORCE_MAX, PHYSICS_FORCE_MAX, "impulse", err);
    if (s == STATUS_OK) {
        s = find_movable(world, id, &slot, err);
    }
    if (s != STATUS_OK || slot == NONE) {
        return s;
    }
    body_state *state = &world->states.data[slot];
    state->angular_velocity += world->motions.data[slot].inv_inertia * (float)impulse;
    limit_speed(state);
    return STATUS_OK;
}

status body_set_force(physics_world *world, body_id id, vec2d force, const vec2d *at, error *err)
{
    uint32_t slot;
    status s = vector_check(force, PHYSICS_FORCE_MAX, "force", err);
    if (s == STATUS_OK && at != NULL) {
        s = vector_check(*at, PHYSICS_EXTENT_MAX, "point", err);
    }
    if (s == STATUS_OK) {
        s = body_find(world, id, &slot, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    body_wake(world, slot);
    body_motion *motion = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    motion->force = (vec2){(float)force.x, (float)force.y};
    state->flags =
        (state->flags & ~(uint32_t)STATE_FORCE_AT_POINT) | (at != NULL ? STATE_FORCE_AT_POINT : 0u);
    motion->force_point = at != NULL ? pose_inv_point(body_pose(motion), *at) : (vec2){0.0f, 0.0f};
    return STATUS_OK;
}

status body_set_torque(physics_world *world, body_id id, double torque, error *err)
{
    uint32_t slot;
    status s = number_check(torque, -PHYSICS_FORCE_MAX, PHYSICS_FORCE_MAX, "torque", err);
    if (s == STATUS_OK) {
        s = body_find(world, id, &slot, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    body_wake(world, slot);
    world->motions.data[slot].torque = (float)torque;
    return STATUS_OK;
}
