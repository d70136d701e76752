// Rebounds of bodies with joints: a pendulum at a slanted wall, a door at a post, welded boxes,
// Newton's cradle. The joints carry their share of an impact when it happens, so a door keeps its
// whole rebound; and no impact makes energy.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

#include "common/physics/joint.h"
#include "tests/golden/scenes.h"

static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES, PHASES = 10 };

static physics_world *make_room(double hz, double gravity)
{
    world_def def = world_def_default();
    def.hz = hz;
    def.gravity = (vec2d){0.0, gravity};
    def.sleep = false;
    return make_world_of(&def);
}

static shape_def bounces(shape_def form, double restitution)
{
    form.restitution = restitution;
    form.friction = 0.0;
    return form;
}

static body_id put_static(physics_world *world, vec2d at, double angle, const shape_def *form)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = at;
    def.angle = angle;
    return put(world, &def, form, form != NULL ? 1 : 0);
}

static joint_id must_join(physics_world *world, const joint_def *def)
{
    joint_id id;
    error err;
    assert_int_equal(joint_create(world, def, &id, &err), STATUS_OK);
    return id;
}

// Joins the middle of a body to a place of the world.
static void hang(physics_world *world, joint_kind kind, body_id hook, vec2d at, body_id body)
{
    joint_def def = joint_def_default(kind);
    def.a = hook;
    def.b = body;
    def.anchor_a = def.anchor = at;
    def.fields =
        kind == JOINT_DISTANCE ? JOINT_FIELD_ANCHOR_A | JOINT_FIELD_ANCHOR_B : JOINT_FIELD_ANCHOR;
    must_join(world, &def);
}

// ---- one body

// A ball circles about the origin at a distance of 1 and meets a wall at (1, 0), whose normal is
// turned by that angle from its path. Returns the share of the rebound that it keeps.
static double swing_at_wall(joint_kind kind, double hz, double speed, double slant,
                            double restitution, int phase)
{
    const double radius = 0.1;
    physics_world *world = make_room(hz, 0.0);
    const body_id hook = put_static(world, (vec2d){0.0, 0.0}, 0.0, NULL);
    const vec2d normal = {sin(slant), -cos(slant)};
    const shape_def wall = bounces(make_box(8.0, 2.0), 0.0);
    put_static(world, (vec2d){1.0 - normal.x * (radius + 1.0), -normal.y * (radius + 1.0)}, slant,
               &wall);
    const double start = -0.1 - speed / hz * (1.0 + (double)phase / PHASES);
    const shape_def form = bounces(make_circle(radius), restitution);
    body_def def = body_def_default();
    def.position = (vec2d){cos(start), sin(start)};
    def.velocity = (vec2d){-speed * sin(start), speed * cos(start)};
    def.angular_velocity = kind == JOINT_REVOLUTE ? speed : 0.0;
    const body_id ball = put(world, &def, &form, 1);
    hang(world, kind, hook, (vec2d){0.0, 0.0}, ball);
    double turns = speed;
    for (int tick = 0; tick < 200 && turns > 0.0; tick++) {
        world_step(world);
        const body_info b = look(world, ball);
        turns = b.position.x * b.velocity.y - b.position.y * b.velocity.x;
    }
    world_free(world);
    return -turns / (restitution * speed);
}

static void pendulum_keeps_its_rebound_at_any_wall(void **state)
{
    (void)state;
    static const double SPEEDS[] = {1.0, 3.0, 8.0};
    for (int i = 0; i < RATE_COUNT * 3 * 4 * 2 * 2 * PHASES; i++) {
        const double hz = RATES[i % RATE_COUNT];
        const double speed = SPEEDS[i / 4 % 3];
        const double slant = 0.26 * (i / 12 % 4);
        const joint_kind kind = i / 48 % 2 == 0 ? JOINT_DISTANCE : JOINT_REVOLUTE;
        const double restitution = i / 96 % 2 == 0 ? 1.0 : 0.6;
        const double kept = swing_at_wall(kind, hz, speed, slant, restitution, i / 192);
        if (!(kept > 0.93 && kept < 1.02)) {
            fail_msg("joint kind %d, %g Hz, %g m/s, %g rad, restitution %g: %g of the rebound",
                     (int)kind, hz, speed, slant, restitution, kept);
        }
    }
}

// A bar of 1 m turns about its end and meets a post.
static void door_rebounds_about_its_hinge(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT * 3 * 4 * PHASES; i++) {
        const double hz = RATES[i % RATE_COUNT];
        const double spin = 1.0 + 3.0 * (i / 4 % 3);
        const double place = 0.3 + 0.2 * (i / 12 % 4);
        physics_world *world = make_room(hz, 0.0);
        const body_id hook = put_static(world, (vec2d){0.0, 0.0}, 0.0, NULL);
        const shape_def post = bounces(make_circle(0.1), 1.0);
        put_static(world, (vec2d){place, 0.15}, 0.0, &post);
        const double angle = -0.2 - spin / hz * (i / 48) / PHASES;
        const shape_def bar = bounces(make_box_at(1.0, 0.1, (vec2){0.5f, 0.0f}, 0.0), 1.0);
        body_def def = body_def_default();
        def.angle = angle;
        def.angular_velocity = spin;
        def.velocity = (vec2d){-0.5 * spin * sin(angle), 0.5 * spin * cos(angle)};
        const body_id door = put(world, &def, &bar, 1);
        hang(world, JOINT_REVOLUTE, hook, (vec2d){0.0, 0.0}, door);
        // A post near the hinge is met slower than the threshold.
        const double wanted = spin * place > 0.55 ? 0.95 : 0.0;
        for (int tick = 0; tick < 200 && look(world, door).angular_velocity > 0.0; tick++) {
            world_step(world);
        }
        const double kept = -look(world, door).angular_velocity / spin;
        if (!(kept > wanted && kept < 1.01) && wanted > 0.0) {
            fail_msg("%g Hz, %g rad/s, post at %g m: %g of the rebound", hz, spin, place, kept);
        }
        world_free(world);
    }
}

// ---- several

// Two boxes, one on the other or side by side, fall flat: they rise as one.
static void joined_boxes_rebound_as_one(void **state)
{
    (void)state;
    static const joint_kind KINDS[] = {JOINT_WELD, JOINT_REVOLUTE, JOINT_PRISMATIC};
    for (int i = 0; i < RATE_COUNT * 3 * 2 * PHASES; i++) {
        const double hz = RATES[i % RATE_COUNT];
        const joint_kind kind = KINDS[i / 4 % 3];
        const bool above = i / 12 % 2 == 1;
        physics_world *world = make_room(hz, 0.0);
        put_floor(world, 0.0, 1.0);
        const shape_def box = bounces(make_box(0.5, 0.5), 1.0);
        body_def def = body_def_default();
        const double y = 0.4 + 3.0 / hz * (i / 24) / PHASES;
        def.position = (vec2d){0.0, y};
        def.velocity.y = -3.0;
        joint_def pair = joint_def_default(kind);
        pair.a = put(world, &def, &box, 1);
        def.position = above ? (vec2d){0.0, y + 0.5} : (vec2d){0.5, y};
        pair.b = put(world, &def, &box, 1);
        pair.anchor = (vec2d){0.5 * def.position.x, 0.5 * (y + def.position.y)};
        pair.axis = (vec2){1.0f, 0.0f};
        pair.fields = JOINT_FIELD_ANCHOR | (kind == JOINT_PRISMATIC ? JOINT_FIELD_AXIS : 0u);
        must_join(world, &pair);
        run(world, (int)(0.5 * hz));
        assert_near(look(world, pair.a).velocity.y, 3.0, 0.05);
        assert_near(look(world, pair.b).velocity.y, 3.0, 0.05);
        world_free(world);
    }
}

typedef struct cradle {
    physics_world *world;
    body_id balls[5];
    double speed; // speed of the first one on arrival, by the formula
} cradle;

static double energy_of(const cradle *c)
{
    double energy = measure(c->world).energy;
    for (int i = 0; i < 5; i++) {
        const body_info b = look(c->world, c->balls[i]);
        energy += b.mass * 9.81 * b.position.y;
    }
    return energy;
}

static cradle make_cradle(double hz, joint_kind kind, bool boxes, double gap)
{
    const double lifted = 0.6;
    cradle c = {.world = make_room(hz, -9.81), .speed = sqrt(2.0 * 9.81 * (1.0 - cos(lifted)))};
    const body_id hook = put_static(c.world, (vec2d){0.0, 0.0}, 0.0, NULL);
    const shape_def form = bounces(boxes ? make_box(0.2, 0.2) : make_circle(0.1), 1.0);
    for (int i = 0; i < 5; i++) {
        const vec2d nail = {(0.2 + gap) * i, 1.0};
        body_def def = body_def_default();
        def.position = (vec2d){nail.x, 0.0};
        def.fixed_rotation = boxes;
        if (i == 0) {
            def.position = (vec2d){nail.x - sin(lifted), 1.0 - cos(lifted)};
            def.angle = kind == JOINT_REVOLUTE ? -lifted : 0.0;
        }
        c.balls[i] = put(c.world, &def, &form, 1);
        hang(c.world, kind, hook, nail, c.balls[i]);
    }
    return c;
}

static void check_cradle(double hz, joint_kind kind, bool boxes, double gap)
{
    cradle c = make_cradle(hz, kind, boxes, gap);
    const double before = energy_of(&c);
    double fastest = 0.0;
    double others = 0.0;
    for (int tick = 0; tick < (int)(0.9 * hz); tick++) {
        world_step(c.world);
        const double last = look(c.world, c.balls[4]).velocity.x;
        if (last > fastest) {
            fastest = last;
            others = 0.0;
            for (int i = 0; i < 4; i++) {
                others = fmax(others, fabs(look(c.world, c.balls[i]).velocity.x));
            }
        }
    }
    double most = 0.0;
    for (int tick = 0; tick < (int)(10.0 * hz); tick++) {
        world_step(c.world);
        most = fmax(most, energy_of(&c) / before);
    }
    const double left = energy_of(&c) / before;
    if (!(fastest > 0.98 * c.speed && fastest < 1.01 * c.speed && others < 0.02 * c.speed &&
          most < 1.005 && left > 0.92)) {
        fail_msg("%s, joint kind %d, %g Hz, gap %g: the last leaves with %g of %g m/s, others with "
                 "%g; of the energy %g is left, %g at most",
                 boxes ? "boxes" : "balls", (int)kind, hz, gap, fastest, c.speed, others, left,
                 most);
    }
    world_free(c.world);
}

static void cradle_passes_the_speed_on(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int gap = 0; gap < 2; gap++) {
            check_cradle(RATES[r], JOINT_DISTANCE, false, 0.001 * gap);
            check_cradle(RATES[r], JOINT_REVOLUTE, false, 0.001 * gap);
            check_cradle(RATES[r], JOINT_DISTANCE, true, 0.001 * gap);
        }
    }
}

// ---- a joint that breaks

// A ball of 2 kg at 10 m/s against a plate of 2 kg on a weld: the weld carries 40 N s, or breaks.
static void impact_on_a_joint_counts_for_its_load(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * RATE_COUNT; i++) {
        const double hz = RATES[i % RATE_COUNT];
        physics_world *world = make_room(hz, 0.0);
        body_def def = body_def_default();
        def.mass = 2.0;
        const shape_def form = bounces(make_box(0.2, 1.0), 1.0);
        const body_id plate = put(world, &def, &form, 1);
        joint_def weld = joint_def_default(JOINT_WELD);
        weld.a = put_static(world, (vec2d){0.0, 0.0}, 0.0, NULL);
        weld.b = plate;
        weld.break_force = 40.0 * hz * (i < RATE_COUNT ? 0.8 : 1.3);
        weld.fields = JOINT_FIELD_ANCHOR | JOINT_FIELD_BREAK_FORCE;
        must_join(world, &weld);
        const shape_def ball = bounces(make_circle(0.1), 1.0);
        def.position.x = -1.0;
        def.velocity.x = 10.0;
        const body_id flyer = put(world, &def, &ball, 1);
        int broken = 0;
        for (int tick = 0; tick < (int)hz; tick++) {
            world_step(world);
            broken += count_events(world, EVENT_JOINT_BREAK, NULL);
        }
        assert_int_equal(broken, i < RATE_COUNT ? 1 : 0);
        assert_near(look(world, flyer).velocity.x, -10.0, 0.2);
        world_free(world);
    }
}

// ---- energy

// Pairs and rows of boxes on hinges and welds, thrown about in a room: none ever has more energy.
static void joined_bodies_gain_no_energy(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT * 3; i++) {
        const double hz = RATES[i % RATE_COUNT];
        const joint_kind kind = i / 4 == 0 ? JOINT_WELD : JOINT_REVOLUTE;
        physics_world *world = make_room(hz, 0.0);
        const shape_def walls[] = {bounces(make_box_at(22.0, 1.0, (vec2){0.0f, 10.5f}, 0.0), 1.0),
                                   bounces(make_box_at(22.0, 1.0, (vec2){0.0f, -10.5f}, 0.0), 1.0),
                                   bounces(make_box_at(1.0, 22.0, (vec2){10.5f, 0.0f}, 0.0), 1.0),
                                   bounces(make_box_at(1.0, 22.0, (vec2){-10.5f, 0.0f}, 0.0), 1.0)};
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        put(world, &def, walls, 4);
        const shape_def box = bounces(make_box(0.6, 0.4), 1.0);
        const int row = i / 4 == 2 ? 5 : 2;
        for (int k = 0; k < 12 * row; k++) {
            const int of = k / row;
            def = body_def_default();
            def.position = (vec2d){-7.5 + 5.0 * (of % 4) + 0.7 * (k % row) - 0.35 * (row - 1),
                                   -6.0 + 6.0 * (of / 4)};
            def.velocity =
                (vec2d){6.0 * scene_noise(1, (uint64_t)of), 6.0 * scene_noise(2, (uint64_t)of)};
            joint_def pair = joint_def_default(kind);
            pair.b = put(world, &def, &box, 1);
            pair.a = pair.b - 1;
            pair.anchor = (vec2d){def.position.x - 0.35, def.position.y};
            pair.fields = JOINT_FIELD_ANCHOR;
            if (k % row > 0) {
                must_join(world, &pair);
            }
        }
        const double before = measure(world).energy;
        for (int tick = 0; tick < (int)(8.0 * hz); tick++) {
            world_step(world);
            assert_true(measure(world).energy < 1.002 * before);
        }
        assert_true(kind != JOINT_WELD || measure(world).energy > 0.9 * before);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_keeps_its_rebound_at_any_wall),
        cmocka_unit_test(door_rebounds_about_its_hinge),
        cmocka_unit_test(joined_boxes_rebound_as_one),
        cmocka_unit_test(cradle_passes_the_speed_on),
        cmocka_unit_test(impact_on_a_joint_counts_for_its_load),
        cmocka_unit_test(joined_bodies_gain_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
