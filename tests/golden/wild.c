// The worlds of wild.h: how each seed's is made, disturbed and hashed.
#include "tests/golden/wild.h"

#include <string.h>

#include "tests/golden/golden_hash.h"

enum { BODIES_MAX = 22, JOINTS_MAX = 24 };

typedef struct dice {
    uint64_t state;
} dice;

// SplitMix64 (Steele, Lea, Flood, 2014).
static uint64_t throw_dice(dice *d)
{
    uint64_t z = d->state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}

static uint32_t below(dice *d, uint32_t count)
{
    return (uint32_t)(throw_dice(d) >> 32) % count;
}

static bool one_in(dice *d, uint32_t count)
{
    return below(d, count) == 0;
}

// In [-most, most).
static double within(dice *d, double most)
{
    return most * ((double)(int32_t)(throw_dice(d) >> 32) * 0x1p-31);
}

static double pick(dice *d, const double *numbers, size_t count)
{
    return numbers[below(d, (uint32_t)count)];
}

#define PICK(d, ...)                                                                               \
    pick((d), (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// ---- bodies

static shape_def wild_shape(dice *d)
{
    shape_def def = shape_def_default();
    shape_geometry *g = &def.geometry;
    const vec2 center = {(float)within(d, 0.3), (float)within(d, 0.3)};
    const float size = (float)PICK(d, 0.02, 0.1, 0.25, 0.5, 1.0);
    error err;
    switch (below(d, 4)) {
    case 0:
        g->kind = SHAPE_CIRCLE;
        g->circle.radius = size;
        g->circle.center = one_in(d, 2) ? center : (vec2){0.0f, 0.0f};
        break;
    case 1:
        g->kind = SHAPE_CAPSULE;
        g->capsule.a = center;
        g->capsule.b = (vec2){center.x + size, center.y};
        g->capsule.radius = 0.5f * size;
        break;
    default:
        g->kind = SHAPE_POLYGON;
        (void)polygon_make_box((vec2){size, 0.25f * size + 0.05f}, center, within(d, 3.0), 0.0f,
                               &g->polygon, &err);
        break;
    }
    def.density = PICK(d, 0.0, 1.0, 1.0, 1.0, 1e-3, 1e3, 1e6);
    def.friction = PICK(d, 0.0, 0.6, 0.6, 1.0, 10.0);
    def.restitution = PICK(d, 0.0, 0.0, 0.5, 1.0);
    def.rolling_resistance = PICK(d, 0.0, 0.0, 0.0, 0.2);
    def.tangent_speed = PICK(d, 0.0, 0.0, 0.0, 3.0, PHYSICS_SPEED_MAX);
    if (one_in(d, 8)) {
        def.one_way = (vec2){(float)within(d, 1.0), 1.0f};
    }
    return def;
}

static vec2d wild_velocity(dice *d)
{
    const double most = PICK(d, 1.0, 10.0, 10.0, PHYSICS_SPEED_MAX);
    return (vec2d){within(d, most), within(d, most)};
}

static double wild_mass(dice *d)
{
    return PICK(d, 0.0, 0.0, 0.0, PHYSICS_MASS_MIN, 1e-3, 1e3, 1e6, PHYSICS_MASS_MAX);
}

static void put_body(physics_world *world, dice *d, vec2d origin)
{
    body_def def = body_def_default();
    def.type = one_in(d, 10) ? BODY_KINEMATIC : BODY_DYNAMIC;
    def.position = (vec2d){origin.x + within(d, 2.5), origin.y + within(d, 2.5)};
    def.angle = within(d, 3.0);
    def.velocity = wild_velocity(d);
    def.angular_velocity = PICK(d, 0.0, 1.0, -10.0, PHYSICS_SPIN_MAX, -PHYSICS_SPIN_MAX);
    def.linear_damping = PICK(d, 0.0, 0.0, 0.5, 1e3, 1e9);
    def.angular_damping = PICK(d, 0.0, 0.0, 0.5, 1e3);
    def.gravity_scale = PICK(d, 1.0, 1.0, 1.0, -1.0, 1e3);
    def.mass = wild_mass(d);
    def.bullet = one_in(d, 4);
    shape_def shapes[2];
    const int count = 1 + (int)below(d, 2);
    for (int i = 0; i < count; i++) {
        shapes[i] = wild_shape(d);
    }
    body_id id;
    shape_id ids[2];
    error err;
    (void)body_spawn(world, &def, shapes, count, &id, ids, &err);
}

static void put_floor(physics_world *world, vec2d origin)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = (vec2d){origin.x, origin.y - 3.0};
    shape_def floor = shape_def_default();
    floor.geometry.kind = SHAPE_POLYGON;
    body_id id;
    shape_id shape;
    error err;
    (void)polygon_make_box((vec2){20.0f, 0.5f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f,
                           &floor.geometry.polygon, &err);
    (void)body_spawn(world, &def, &floor, 1, &id, &shape, &err);
}

static bool stands_by(const physics_world *world, body_id id)
{
    body_info info;
    return id != 0 && body_get(world, id, &info, NULL) == STATUS_OK &&
           strcmp(info.tag, WILD_BYSTANDER) == 0;
}

// The next body that is no bystander; 0: there is none.
static body_id body_after(const physics_world *world, body_id id)
{
    do {
        id = world_next_body(world, id);
    } while (stands_by(world, id));
    return id;
}

static body_id any_body(const physics_world *world, dice *d)
{
    body_id id = 0;
    for (uint32_t steps = below(d, BODIES_MAX + 1) + 1; steps > 0; steps--) {
        id = body_after(world, id);
        id = id != 0 ? id : body_after(world, 0);
    }
    return id;
}

static joint_id joint_after(const physics_world *world, joint_id id)
{
    joint_info info;
    do {
        id = world_next_joint(world, id);
    } while (id != 0 && joint_get(world, id, &info, NULL) == STATUS_OK &&
             stands_by(world, info.def.a));
    return id;
}

static joint_id any_joint(const physics_world *world, dice *d)
{
    joint_id id = 0;
    for (uint32_t steps = below(d, JOINTS_MAX) + 1; steps > 0; steps--) {
        id = joint_after(world, id);
        id = id != 0 ? id : joint_after(world, 0);
    }
    return id;
}

// ---- joints

static vec2d wild_place(dice *d, vec2d about)
{
    const double most = PICK(d, 0.5, 2.0, 2.0, 30.0, 9e5);
    return (vec2d){about.x + within(d, most), about.y + within(d, most)};
}

static void set_numbers(dice *d, joint_def *def)
{
    def->hertz = PICK(d, 0.0, 0.0, 0.5, 5.0, 60.0, JOINT_HERTZ_MAX);
    def->damping_ratio = PICK(d, 0.0, 0.1, 1.0, JOINT_DAMPING_RATIO_MAX);
    def->angular_hertz = PICK(d, 0.0, 5.0, JOINT_HERTZ_MAX);
    def->angular_damping_ratio = PICK(d, 0.0, 1.0);
    def->target_angle = PICK(d, 0.0, 1.0, -3.0, JOINT_LIMIT_MAX, -JOINT_LIMIT_MAX);
    def->target_translation = PICK(d, 0.0, 2.0, -JOINT_LIMIT_MAX);
    def->motor_speed = PICK(d, 0.0, 5.0, -5.0, PHYSICS_SPEED_MAX);
    def->max_force = PICK(d, 10.0, 1e4, PHYSICS_FORCE_MAX);
    def->max_torque = PICK(d, 10.0, 1e4, PHYSICS_FORCE_MAX);
    def->lower = PICK(d, -JOINT_LIMIT_MAX, -1.0, 0.0, 0.5);
    def->upper = PICK(d, 0.5, 1.0, JOINT_LIMIT_MAX);
    def->length = PICK(d, 0.1, 1.0, 50.0, JOINT_LIMIT_MAX);
    def->ratio = PICK(d, 1.0, 2.0, 0.5, JOINT_RATIO_MAX, JOINT_RATIO_MIN);
    def->break_force = PICK(d, 0.0, 0.0, 1e5);
    def->break_torque = PICK(d, 0.0, 0.0, 1e5);
}

static joint_def wild_joint(dice *d, vec2d origin)
{
    const joint_kind kind = (joint_kind)below(d, JOINT_KIND_COUNT);
    const uint32_t places = JOINT_FIELD_ANCHOR_A | JOINT_FIELD_ANCHOR_B | JOINT_FIELD_JOINT_A |
                            JOINT_FIELD_JOINT_B | JOINT_FIELD_ANCHOR;
    const uint32_t needed =
        JOINT_FIELD_AXIS | JOINT_FIELD_TARGET | JOINT_FIELD_GROUND_A | JOINT_FIELD_GROUND_B;
    joint_def def = joint_def_default(kind);
    set_numbers(d, &def);
    def.fields = (uint32_t)throw_dice(d) & (uint32_t)throw_dice(d) & ~places;
    def.fields |= needed | (one_in(d, 3) ? JOINT_FIELD_ANCHOR_A : JOINT_FIELD_ANCHOR);
    def.anchor = wild_place(d, origin);
    def.anchor_a = wild_place(d, (vec2d){0.0, 0.0});
    def.target = kind == JOINT_MOUSE ? wild_place(d, origin) : wild_place(d, (vec2d){0.0, 0.0});
    def.ground_a = wild_place(d, origin);
    def.ground_b = wild_place(d, origin);
    def.axis = (vec2){(float)within(d, 1.0), 1.0f};
    def.velocity = (vec2){(float)within(d, 5.0), (float)within(d, PHYSICS_SPEED_MAX)};
    def.collide_connected = one_in(d, 2);
    return def;
}

static void put_joint(physics_world *world, dice *d, vec2d origin)
{
    joint_def def = wild_joint(d, origin);
    def.a = any_body(world, d);
    def.b = any_body(world, d);
    if (def.kind == JOINT_GEAR && one_in(d, 2)) {
        def.fields |= JOINT_FIELD_JOINT_A | JOINT_FIELD_JOINT_B;
        def.joint_a = any_joint(world, d);
        def.joint_b = any_joint(world, d);
        def.a = def.b = 0;
    }
    def.fields &= joint_kind_fields(def.kind);
    joint_id id;
    error err;
    (void)joint_create(world, &def, &id, &err);
}

// ---- a run

static vec2d origin_of(uint64_t seed)
{
    // Sometimes beside the corner of the world.
    return seed % 16 == 5 ? (vec2d){PHYSICS_EXTENT_MAX - 40.0, 40.0 - PHYSICS_EXTENT_MAX}
                          : (vec2d){0.0, 0.0};
}

physics_world *wild_create(uint64_t seed)
{
    dice d = {seed * 0x2545F4914F6CDD1DULL};
    const vec2d origin = origin_of(seed);
    world_def def = world_def_default();
    def.gravity.y = PICK(&d, 0.0, -9.81, -9.81, -PHYSICS_GRAVITY_MAX);
    def.hz = PICK(&d, 1.0, 30.0, 60.0, 60.0, 60.0, 240.0, 1000.0);
    def.substeps = (int)PICK(&d, 1.0, 2.0, 4.0, 4.0, 4.0, 8.0);
    def.restitution_threshold = PICK(&d, 0.0, 0.5);
    physics_world *world = NULL;
    error err;
    if (world_create(&def, &world, &err) != STATUS_OK) {
        abort(); // all of these are in their ranges
    }
    world_want_events(world, UINT32_MAX);
    put_floor(world, origin);
    for (uint32_t i = 4 + below(&d, BODIES_MAX - 4); i > 0; i--) {
        put_body(world, &d, origin);
    }
    for (uint32_t i = 2 + below(&d, JOINTS_MAX - 2); i > 0; i--) {
        put_joint(world, &d, origin);
    }
    return world;
}

static void set_body(physics_world *world, dice *d, vec2d origin)
{
    static const body_field FIELDS[] = {BODY_FIELD_VELOCITY, BODY_FIELD_ANGULAR_VELOCITY,
                                        BODY_FIELD_MASS, BODY_FIELD_MASS, BODY_FIELD_POSITION};
    body_def values = body_def_default();
    values.velocity = wild_velocity(d);
    values.angular_velocity = within(d, PHYSICS_SPIN_MAX);
    values.mass = wild_mass(d);
    values.position = (vec2d){origin.x + within(d, 2.5), origin.y + within(d, 2.5)};
    const body_field field = FIELDS[below(d, sizeof FIELDS / sizeof *FIELDS)];
    error err;
    (void)body_set(world, any_body(world, d), (uint32_t)field, &values, &err);
}

static void disturb(physics_world *world, dice *d, vec2d origin)
{
    const double force = PICK(d, 10.0, 1e6, PHYSICS_FORCE_MAX);
    const vec2d push = {within(d, force), within(d, force)};
    const vec2d at = wild_place(d, origin);
    const vec2d *place = one_in(d, 2) ? &at : NULL;
    const body_id body = any_body(world, d);
    error err;
    switch (below(d, 8)) {
    case 0:
        (void)body_apply_impulse(world, body, push, place, &err);
        break;
    case 1:
        (void)body_set_force(world, body, push, place, &err);
        break;
    case 2:
        (void)body_set_torque(world, body, push.x, &err);
        break;
    case 3:
        (void)joint_remove(world, any_joint(world, d), &err);
        break;
    case 4: {
        joint_def values = wild_joint(d, origin);
        joint_info info;
        const joint_id joint = any_joint(world, d);
        if (joint_get(world, joint, &info, &err) == STATUS_OK) {
            const uint32_t fields = values.fields & joint_kind_settable(info.def.kind);
            (void)joint_set(world, joint, fields, &values, &err);
        }
        break;
    }
    case 5:
        put_joint(world, d, origin);
        break;
    default:
        set_body(world, d, origin);
        break;
    }
}

void wild_step(physics_world *world, uint64_t seed)
{
    dice d = {(seed << 16 | world_tick(world)) * 0x2545F4914F6CDD1DULL};
    while (one_in(&d, 3)) {
        disturb(world, &d, origin_of(seed));
    }
    world_step(world);
}

uint64_t wild_hash(uint64_t seed)
{
    physics_world *world = wild_create(seed);
    uint64_t hash = seed;
    for (int tick = 0; tick < WILD_TICKS; tick++) {
        wild_step(world, seed);
        hash = mix(hash, world_hash(world));
        hash = mix_events(hash, world);
    }
    hash = mix(hash, image_hash(world));
    world_free(world);
    return hash;
}
