// Sleeping. An island is a set of moving bodies connected by contacts and joints; when all its
// bodies have been slow for SLEEP_TIME, it falls asleep as a whole and leaves every list, so that
// it costs nothing.
//
// A slow body whose motion has a cause stays awake. The timer records how far the body has moved
// since it became slow, which distinguishes slow motion from rest. These are causes:
// - Gravity or a set force on a body without contacts and joints: whenever they are not in balance.
// - A set force or torque, a running motor, a joint with a target, a moving surface: if the body
//   moves at all.
// - A spring, or gravity on a body with joints: if the body gets faster or slower, as in a swing.
//   At the end of a swing it may look at rest, so it is tested several times.
// - Gravity on a body that lies on another: if the body gets faster, or would without its damping.
//   Rolling at constant speed has no cause.
//
// Islands are not stored: every SLEEP_CHECK_TICKS steps, and only if some body is slow enough,
// union-find (Tarjan 1975, with path halving) over the awake contacts and joints finds them. That
// takes a few hundredths of a step's time, needs no updates when contacts come and go, and adds
// only the timers to an image.
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/sleep_set.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/sleep.h"
#include "common/physics/step/step.h"
#include "common/physics/step/step_scratch.h"
#include "common/physics/state/world.h"

static uint32_t find_root(uint32_t *parent, uint32_t slot)
{
    while (parent[slot] != slot) {
        parent[slot] = parent[parent[slot]];
        slot = parent[slot];
    }
    return slot;
}

// The lower slot becomes the root, so the root is the lowest slot of its island.
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static bool is_dynamic(const physics_world *world, uint32_t slot)
{
    return (world->states.data[slot].flags & STATE_DYNAMIC) != 0;
}

// Connects two bodies of one constraint: one island if both are dynamic; a moving kinematic body
// keeps the other awake.
static void connect(physics_world *world, uint32_t a, uint32_t b)
{
    bool dynamic_a = is_dynamic(world, a);
    bool dynamic_b = is_dynamic(world, b);
    if (dynamic_a && dynamic_b) {
        join(world->scratch->set_of.data, a, b);
    } else if (dynamic_a && world->bodies.data[b].awake_index != 0) {
        body_restart_sleep_timer(&world->extents.data[a]);
    } else if (dynamic_b && world->bodies.data[a].awake_index != 0) {
        body_restart_sleep_timer(&world->extents.data[b]);
    }
}

// ---- causes of motion

static bool has_been_slow(const body_extent *extent)
{
    return extent->sleep_time >= SLEEP_TIME;
}

static float moved_least(const physics_world *world)
{
    return MOVED_SHARE * SLEEP_TIME * world->step.sleep_speed;
}

// Whether the body has moved since it became slow or, like a swing that is back at its start, is
// moving now.
static bool has_moved(const physics_world *world, uint32_t slot)
{
    const body_extent *e = &world->extents.data[slot];
    const body_state *s = &world->states.data[slot];
    const float way = vec2_length(e->drift) + e->extent_max * float_abs(e->turned);
    const float speed = vec2_length(s->velocity) + e->extent_max * float_abs(s->angular_velocity);
    return SLEEP_TIME * float_max(way / e->sleep_time, speed) > moved_least(world);
}

// The distance that a body would gain over SLEEP_TIME at its current speed, without its damping,
// compared with the distance it moved: half the acceleration times the square of that time,
// negative for a body that gets slower.
static float gain(float velocity, float damping, float time, float way)
{
    const float share = SLEEP_TIME / time;
    return share * share * (time * (velocity + 0.5f * damping * way) - way);
}

// The gain of a body: `along` its motion, and `any`, in whichever direction it is largest [m].
typedef struct gains {
    float along, any;
} gains;

static gains gains_of(const physics_world *world, uint32_t slot)
{
    const body_extent *e = &world->extents.data[slot];
    const body_state *s = &world->states.data[slot];
    const body_special *special = body_special_of(world, slot);
    const float t = e->sleep_time;
    const vec2 gained = {gain(s->velocity.x, special->linear_damping, t, e->drift.x),
                         gain(s->velocity.y, special->linear_damping, t, e->drift.y)};
    const float spun =
        e->extent_max * gain(s->angular_velocity, special->angular_damping, t, e->turned);
    const float way = vec2_length(e->drift);
    const float along = way > 0.0f ? vec2_dot(gained, e->drift) / way : 0.0f;
    return (gains){
        .along = float_max(along, e->turned < 0.0f ? -spun : spun),
        .any = float_max(vec2_length(gained), float_abs(spun)),
    };
}

static bool swings(const physics_world *world, uint32_t slot)
{
    return gains_of(world, slot).any > moved_least(world);
}

// Whether it gains more than a pile does while it settles under its weight.
static bool gets_faster(const physics_world *world, uint32_t slot, vec2 weight)
{
    const float settling =
        float_min(SETTLING_SHARE * SLEEP_TIME * world->step.sleep_speed,
                  SETTLING_SLOPE * 0.5f * SLEEP_TIME * SLEEP_TIME * vec2_length(weight));
    return gains_of(world, slot).along > float_max(settling, moved_least(world));
}

static bool falls_freely(const physics_world *world, uint32_t slot, vec2 weight)
{
    // forces balance gravity within this relative tolerance, for rounding
    const float balance = 1e-6f;
    const body_motion *m = &world->motions.data[slot];
    const body_special *special = body_special_of(world, slot);
    const float net = vec2_length(vec2_mul_add(weight, m->inv_mass, special->force));
    return net > balance * vec2_length(weight) || special->torque * m->inv_inertia != 0.0f;
}

// Whether gravity and the set force move the body.
static bool is_drawn(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const body_special *special = body_special_of(world, slot);
    const vec2 weight = {special->gravity_scale * (float)world->def.gravity.x,
                         special->gravity_scale * (float)world->def.gravity.y}; // per unit of mass
    if (b->contact_count == 0 && b->joint_count == 0) {
        return falls_freely(world, slot, weight);
    }
    if (special->force.x != 0.0f || special->force.y != 0.0f || special->torque != 0.0f) {
        return has_moved(world, slot);
    }
    if (weight.x == 0.0f && weight.y == 0.0f) {
        return false;
    }
    return b->joint_count > 0 ? swings(world, slot) : gets_faster(world, slot, weight);
}

// Restarts the timers of slow bodies on which such forces act. For the other bodies, older motion
// is weighted less: otherwise a creep of hours would count as motion.
static void keep_drawn(physics_world *world)
{
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        const uint32_t slot = world->awake_bodies.data[i];
        body_extent *e = &world->extents.data[slot];
        if (!is_dynamic(world, slot) || !has_been_slow(e)) {
            continue;
        }
        if (is_drawn(world, slot)) {
            body_restart_sleep_timer(e);
        } else if (e->sleep_time >= 4.0f * SLEEP_TIME) {
            e->sleep_time *= 0.5f;
            e->drift = vec2_scale(0.5f, e->drift);
            e->turned *= 0.5f;
        }
    }
}

// Restarts the timer of a slow body, if it moves according to `moves`.
static void keep_if(physics_world *world, uint32_t slot,
                    bool (*moves)(const physics_world *world, uint32_t slot))
{
    if (is_dynamic(world, slot) && has_been_slow(&world->extents.data[slot]) &&
        moves(world, slot)) {
        body_restart_sleep_timer(&world->extents.data[slot]);
    }
}

static bool has_running_motor(const joint *j, const joint_settings *s)
{
    const bool turns = j->kind == JOINT_REVOLUTE || j->kind == JOINT_WHEEL;
    return (j->flags & JOINT_FLAG_MOTOR) != 0 && s->motor_speed != 0.0f &&
           (turns ? s->max_torque : s->max_force) > 0.0f;
}

static void keep_driven(physics_world *world, const joint *j)
{
    const joint_settings *s = joint_settings_of(world, j);
    if (j->kind == JOINT_MOTOR || j->kind == JOINT_MOUSE || has_running_motor(j, s)) {
        keep_if(world, j->body_a, has_moved);
        keep_if(world, j->body_b, has_moved);
    } else if (s->hertz > 0.0f || s->angular_hertz > 0.0f) {
        keep_if(world, j->body_a, swings);
        keep_if(world, j->body_b, swings);
    }
}

static void keep_carried(physics_world *world, const contact *k)
{
    if ((k->flags & CONTACT_SURFACE) != 0 && contact_surface(world, k).tangent_speed != 0.0f) {
        keep_if(world, k->body_a, has_moved);
        keep_if(world, k->body_b, has_moved);
    }
}

// ---- islands

static void connect_all(physics_world *world)
{
    array_reserve(&world->scratch->set_of, world->body_slots.end);
    world->scratch->set_of.count = world->body_slots.end;
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        world->scratch->set_of.data[world->awake_bodies.data[i]] = world->awake_bodies.data[i];
    }
    for (uint32_t c = 0; c <= COLOURS; c++) {
        const graph_colour *colour = &world->graph[c];
        for (uint32_t i = 0; i < colour->contacts.count; i++) {
            const contact *k = &world->contacts.data[colour->contacts.data[i]];
            connect(world, k->body_a, k->body_b);
            keep_carried(world, k);
        }
    }
    for (uint32_t i = 0; i < world->awake_joints.count; i++) {
        const joint *j = &world->joints.data[world->awake_joints.data[i]];
        connect(world, j->body_a, j->body_b);
        keep_driven(world, j);
    }
}

static bool anyone_slow(const physics_world *world)
{
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        if (has_been_slow(&world->extents.data[world->awake_bodies.data[i]])) {
            return true;
        }
    }
    return false;
}

static bool may_sleep(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const float enough = b->joint_count > 0 ? SLEEP_TIME_OF_JOINTED : SLEEP_TIME;
    return (b->flags & BODY_ALLOW_SLEEP) != 0 && world->extents.data[slot].sleep_time >= enough;
}

// A restless member marks the root of its island.
static void mark_restless(physics_world *world, const slot_list *awake)
{
    uint32_t *parent = world->scratch->set_of.data;
    for (uint32_t i = 0; i < awake->count; i++) {
        if (!may_sleep(world, awake->data[i])) {
            world->bodies.data[find_root(parent, awake->data[i])].flags |= BODY_MARKED;
        }
    }
}

// Builds ascending chains of members by root: from the last member down to the first, which is the
// root, each is inserted right after the root.
static void chain_members(physics_world *world, const slot_list *awake)
{
    array_reserve(&world->scratch->sleep_next, world->body_slots.end);
    uint32_t *next = world->scratch->sleep_next.data;
    for (uint32_t i = 0; i < awake->count; i++) {
        next[awake->data[i]] = NONE;
    }
    for (uint32_t i = awake->count; i > 0; i--) {
        uint32_t slot = awake->data[i - 1];
        uint32_t root = find_root(world->scratch->set_of.data, slot);
        if (root != slot) {
            next[slot] = next[root];
            next[root] = slot;
        }
    }
}

// Visits islands in the order of their lowest slots and puts those to sleep whose bodies are all
// slow.
static void sleep_quiet_islands(physics_world *world)
{
    slot_list *awake = &world->scratch->sleep_awake;
    slot_list *members = &world->scratch->sleep_members;
    array_clear(awake);
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        uint32_t slot = world->awake_bodies.data[i];
        if (is_dynamic(world, slot)) {
            array_push(awake, slot);
        }
    }
    awake->count = sort_slots(awake->data, awake->count);
    mark_restless(world, awake);
    chain_members(world, awake);
    for (uint32_t i = 0; i < awake->count; i++) {
        uint32_t root = awake->data[i];
        bool restless = (world->bodies.data[root].flags & BODY_MARKED) != 0;
        world->bodies.data[root].flags &= (uint8_t)~BODY_MARKED;
        if (find_root(world->scratch->set_of.data, root) != root || restless) {
            continue;
        }
        array_clear(members);
        for (uint32_t slot = root; slot != NONE; slot = world->scratch->sleep_next.data[slot]) {
            array_push(members, slot);
        }
        sleep_set_form(world, members->data, members->count);
    }
}

void update_sleep(physics_world *world)
{
    if (!world->def.sleep || world->tick % SLEEP_CHECK_TICKS != 0 || !anyone_slow(world)) {
        return;
    }
    connect_all(world);
    keep_drawn(world);
    sleep_quiet_islands(world);
}
