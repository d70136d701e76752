// An explosion is local: bodies that no exploding body touches stay where they are, and swing as
// they do in a world without the explosion. The bystanders stand beside or amid the bodies of a
// wild world, whose shapes pass through them.
#include "tests/property/physics/worlds.h"

#include <math.h>
#include <string.h>

#include "common/physics/joint.h"
#include "tests/golden/wild.h"

enum { SEEDS = 150, TICKS = 90, BYSTANDERS = 12 };

static const double APART_MAX = 1e-4; // between two places [m] and two angles [rad]

// Bystanders collide with each other alone.
static const shape_filter APART = {.category = 1u << 7, .mask = 1u << 7};

static body_id put_bystander(physics_world *world, body_type type, vec2d at, vec2 size)
{
    body_def def = body_def_default();
    def.type = type;
    def.position = at;
    def.tag = WILD_BYSTANDER;
    def.allow_sleep = false; // a step puts few islands to rest, so the others decide when
    shape_def shape = shape_def_default();
    shape.filter = APART;
    body_id id;
    shape_id ids[1];
    error err;
    if (size.y > 0.0f) {
        shape.geometry.kind = SHAPE_POLYGON;
        assert_int_equal(
            polygon_make_box(size, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &shape.geometry.polygon, &err),
            STATUS_OK);
    } else {
        shape.geometry.kind = SHAPE_CIRCLE;
        shape.geometry.circle.radius = size.x;
    }
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, ids, &err), STATUS_OK);
    return id;
}

// A floor, a tower of boxes, balls that roll, and a pendulum.
static void put_bystanders(physics_world *world, vec2d at, body_id ids[BYSTANDERS])
{
    int count = 0;
    ids[count++] = put_bystander(world, BODY_STATIC, at, (vec2){30.0f, 1.0f});
    for (int i = 0; i < 6; i++) {
        const vec2d place = {at.x, at.y + 1.0 + i};
        ids[count++] = put_bystander(world, BODY_DYNAMIC, place, (vec2){1.0f, 1.0f});
    }
    for (int i = 0; i < 3; i++) {
        const vec2d place = {at.x + 3.0 + 1.1 * i, at.y + 1.0};
        ids[count++] = put_bystander(world, BODY_DYNAMIC, place, (vec2){0.5f, 0.0f});
    }
    const vec2d hook = {at.x - 4.0, at.y + 6.0};
    ids[count++] = put_bystander(world, BODY_STATIC, hook, (vec2){0.1f, 0.0f});
    ids[count++] =
        put_bystander(world, BODY_DYNAMIC, (vec2d){hook.x - 2.0, hook.y}, (vec2){0.3f, 0.0f});
    joint_def def = joint_def_default(JOINT_REVOLUTE);
    def.a = ids[count - 2];
    def.b = ids[count - 1];
    def.fields = JOINT_FIELD_ANCHOR;
    def.anchor = hook;
    joint_id joint;
    assert_int_equal(joint_create(world, &def, &joint, NULL), STATUS_OK);
    assert_int_equal(count, BYSTANDERS);
}

static body_info look(const physics_world *world, body_id id)
{
    body_info info;
    assert_int_equal(body_get(world, id, &info, NULL), STATUS_OK);
    return info;
}

static double apart(const body_info *a, const body_info *b)
{
    const double turned = remainder(a->angle - b->angle, 2.0 * acos(-1.0));
    return hypot(a->position.x - b->position.x, a->position.y - b->position.y) + fabs(turned);
}

// Whether a body is much faster than the bystanders.
static bool has_fast_body(const physics_world *world)
{
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        const body_info info = look(world, id);
        if (hypot(info.velocity.x, info.velocity.y) > 100.0) {
            return true;
        }
    }
    return false;
}

// Whether bystanders rest in a world of this definition.
static bool is_calm(const world_def *def)
{
    return def->hz >= 30.0 && def->gravity.y > -10.0;
}

// Runs one seed; returns whether anything exploded.
static bool run_beside(uint64_t seed, vec2d at)
{
    physics_world *wild = wild_create(seed);
    const world_def def = world_definition(wild);
    if (!is_calm(&def)) {
        world_free(wild);
        return false;
    }
    physics_world *calm = NULL;
    assert_int_equal(world_create(&def, &calm, NULL), STATUS_OK);
    world_want_events(calm, UINT32_MAX);
    body_id near[BYSTANDERS];
    body_id alone[BYSTANDERS];
    put_bystanders(wild, at, near);
    put_bystanders(calm, at, alone);
    bool exploded = false;
    for (int tick = 1; tick <= TICKS; tick++) {
        wild_step(wild, seed);
        world_step(calm);
        exploded = exploded || has_fast_body(wild);
        for (int i = 0; i < BYSTANDERS; i++) {
            const body_info a = look(wild, near[i]);
            const body_info b = look(calm, alone[i]);
            if (apart(&a, &b) > APART_MAX) {
                fail_msg("seed %llu, tick %d: bystander %d is at %.6f, %.6f, without the explosion "
                         "at %.6f, %.6f",
                         (unsigned long long)seed, tick, i, a.position.x, a.position.y,
                         b.position.x, b.position.y);
            }
        }
    }
    world_free(calm);
    world_free(wild);
    return exploded;
}

static void bystanders_move_as_without_the_explosion(void **state)
{
    (void)state;
    int64_t exploded = 0;
    const int64_t seeds = rounds(SEEDS);
    for (int64_t seed = 1; seed <= seeds; seed++) {
        const vec2d far = {200.0, 40.0};
        const vec2d amid = {0.3, -1.0};
        exploded += run_beside((uint64_t)seed, seed % 2 == 0 ? far : amid) ? 1 : 0;
    }
    print_message("%lld of %lld worlds exploded\n", (long long)exploded, (long long)seeds);
    assert_true(3 * exploded >= seeds);
}

// ---- far neighbours

enum { FAR_TICKS = 300, LOOKED_AT = 14 };

static body_id put_ball(physics_world *world, vec2d at, double restitution)
{
    body_def def = body_def_default();
    def.position = at;
    def.allow_sleep = false;
    shape_def shape = shape_def_default();
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle.radius = 0.5f;
    shape.restitution = restitution;
    body_id id;
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static void put_ground(physics_world *world, double x, double restitution)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = (vec2d){x, -0.5};
    shape_def shape = shape_def_default();
    shape.restitution = restitution;
    shape.geometry.kind = SHAPE_POLYGON;
    error err;
    assert_int_equal(polygon_make_box((vec2){60.0f, 1.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f,
                                      &shape.geometry.polygon, &err),
                     STATUS_OK);
    body_id id;
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
}

// Balls that fall, alone and on each other, beside a far ground of that restitution and balls on
// it.
static physics_world *make_beside(double restitution, int neighbours, body_id ids[LOOKED_AT])
{
    const world_def def = world_def_default();
    physics_world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    put_ground(world, 0.0, 0.0);
    for (int i = 0; i < LOOKED_AT; i++) {
        const vec2d at = i % 2 == 0 ? (vec2d){-20.0 + 1.5 * i, 3.0 + i} : (vec2d){15.0, 1.0 + i};
        ids[i] = put_ball(world, at, 0.0);
    }
    if (restitution >= 0.0) {
        put_ground(world, 10000.0, restitution);
        for (int i = 0; i < neighbours; i++) {
            put_ball(world, (vec2d){9985.0 + 1.3 * i, 2.0 + i}, restitution);
        }
    }
    return world;
}

// The tick after which a body's state differs between the two; FAR_TICKS: none.
static int first_difference(double restitution_a, int neighbours_a, double restitution_b,
                            int neighbours_b)
{
    body_id in_a[LOOKED_AT];
    body_id in_b[LOOKED_AT];
    physics_world *a = make_beside(restitution_a, neighbours_a, in_a);
    physics_world *b = make_beside(restitution_b, neighbours_b, in_b);
    int tick = 0;
    for (bool same = true; tick < FAR_TICKS && same; tick += same) {
        world_step(a);
        world_step(b);
        for (int i = 0; i < LOOKED_AT; i++) {
            const body_info x = look(a, in_a[i]);
            const body_info y = look(b, in_b[i]);
            same = same && memcmp(&x.position, &y.position, sizeof x.position) == 0 &&
                   memcmp(&x.velocity, &y.velocity, sizeof x.velocity) == 0 &&
                   memcmp(&x.rotation, &y.rotation, sizeof x.rotation) == 0 &&
                   memcmp(&x.angular_velocity, &y.angular_velocity, sizeof x.angular_velocity) == 0;
        }
    }
    world_free(a);
    world_free(b);
    return tick;
}

// A shape that rebounds makes the world follow impacts, of all bodies; nothing else of far bodies
// shows in the bits of others. README.md of the engine says so.
static void far_bodies_alter_no_bits_but_by_their_restitution(void **state)
{
    (void)state;
    const double none = -1.0; // no neighbours
    assert_int_equal(first_difference(none, 0, 0.0, 20), FAR_TICKS);
    assert_int_equal(first_difference(none, 0, 0.1, 20), FAR_TICKS);
    assert_int_equal(first_difference(0.5, 0, 0.9, 20), FAR_TICKS);
    assert_true(first_difference(none, 0, 0.5, 0) < FAR_TICKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bystanders_move_as_without_the_explosion),
        cmocka_unit_test(far_bodies_alter_no_bits_but_by_their_restitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
