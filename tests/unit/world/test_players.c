// Tests of common/world/players.h: what the role player may do in a world, at, below and above each
// bound, and bounds as values and as the rules of a world.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/image.h"
#include "common/world/players.h"
#include "tests/unit/proto/values.h"
#include "tests/unit/proto/wording.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"
#define BOX  "{\"kind\":\"box\",\"size\":[2,1]}" // 2 kg

static physics_world *world;
static owners *whose;
static player_pushes pushes;
static players_bounds bounds;
static const actor ANN = {.role = ROLE_PLAYER, .subject = "ann"};
static const actor BOB = {.role = ROLE_PLAYER, .subject = "bob"};
static const actor REFEREE = {.role = ROLE_REFEREE, .subject = "ref"};
static error why;

static int set_up(void **state)
{
    (void)state;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, -10.0};
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    whose = owners_create();
    bounds = (players_bounds){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    player_pushes_deinit(&pushes);
    owners_free(whose);
    world_free(world);
    return 0;
}

static command decoded(method m, const char *json)
{
    command c;
    error err;
    char named[4096];
    const char *rest = strcmp(json, "{}") == 0 ? "}" : json + 1;
    snprintf(named, sizeof named, "{\"world\":\"w\"%s%s", *rest == '}' ? "" : ",", rest);
    if (wording_decode(m, named, &c, &err) != STATUS_OK) {
        fail_msg("%s: %s", json, err.text);
    }
    return c;
}

static players_bounds read_bounds(const char *json)
{
    char set[2048];
    snprintf(set, sizeof set, "{\"players\":%s}", json);
    command c = decoded(METHOD_WORLD_SET, set);
    assert_true(c.world_set.has_players);
    const players_bounds out = c.world_set.players;
    command_free(&c);
    return out;
}

// As a served world does; the text of a refusal is in `why`.
static status try_as(const actor *who, method m, const char *json, uint64_t *made)
{
    command c = decoded(m, json);
    command_result result;
    command_own(&c, who->subject);
    status s = owners_permit(whose, world, who, &c, &why);
    s = s == STATUS_OK ? players_permit(&bounds, &pushes, whose, world, who, &c, &why) : s;
    s = s == STATUS_OK ? apply_command_as(world, whose, NULL, &c, &result, &why) : s;
    if (s == STATUS_OK) {
        player_pushes_commit(&pushes, &result);
        if (made != NULL) {
            *made = command_result_made(&result);
        }
        command_result_free(&result);
    }
    command_free(&c);
    return s;
}

__attribute__((format(printf, 3, 4))) static void allowed(const actor *who, method m,
                                                          const char *format, ...)
{
    char json[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(json, sizeof json, format, list);
    va_end(list);
    if (try_as(who, m, json, NULL) != STATUS_OK) {
        fail_msg("%s: %s", json, why.text);
    }
}

// It names the place first, and the bound; the world stays as it is.
__attribute__((format(printf, 4, 5))) static void refused(const char *place, const char *bound,
                                                          method m, const char *format, ...)
{
    char json[2048];
    char last[64];
    const uint64_t before = world_hash(world);
    va_list list;
    va_start(list, format);
    vsnprintf(json, sizeof json, format, list);
    va_end(list);
    assert_int_equal(try_as(&ANN, m, json, NULL), STATUS_PERMISSION_DENIED);
    snprintf(last, sizeof last, "(players.%s)", bound);
    if (strncmp(why.text, place, strlen(place)) != 0 || strstr(why.text, last) == NULL) {
        fail_msg("%s: %s", json, why.text);
    }
    assert_true(world_hash(world) == before);
}

static unsigned long long spawn_as(const actor *who, const char *json)
{
    uint64_t made = 0;
    if (try_as(who, METHOD_BODY_SPAWN, json, &made) != STATUS_OK) {
        fail_msg("%s: %s", json, why.text);
    }
    return made;
}

// ---- bounds of what bodies are

static void mass_is_bounded_by_number_and_by_density(void **state)
{
    (void)state;
    bounds = read_bounds("{\"mass\":2}");
    const unsigned long long box = spawn_as(&ANN, "{\"shapes\":[" BOX "]}");
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":2}", box);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":0.5}", box);
    refused("mass: 2.1 kg", "mass", METHOD_BODY_SET, "{\"body\":%llu,\"mass\":2.1}", box);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":0}", box); // from the shapes again
    refused("mass: 3 kg", "mass", METHOD_BODY_SPAWN, "{\"mass\":3,\"shapes\":[" BALL "]}");
    refused("mass: 3 kg", "mass", METHOD_BODY_SPAWN,
            "{\"mass\":3,\"type\":\"static\",\"shapes\":[]}");
    refused("shapes: 4 kg", "mass", METHOD_BODY_SPAWN, "{\"shapes\":[" BOX "," BOX "]}");
    allowed(&ANN, METHOD_BODY_SPAWN, "{\"type\":\"static\",\"shapes\":[" BOX "," BOX "]}");
    refused("density: 2.7", "mass", METHOD_SHAPE_ADD, "{\"body\":%llu,\"shape\":" BALL "}", box);
    const shape_id shape = body_next_shape(world, box, 0);
    refused("density: 2.2", "mass", METHOD_SHAPE_SET, "{\"shape\":%llu,\"density\":1.1}",
            (unsigned long long)shape);
    allowed(&ANN, METHOD_SHAPE_SET, "{\"shape\":%llu,\"density\":0.5}", (unsigned long long)shape);
    allowed(&ANN, METHOD_SHAPE_ADD, "{\"body\":%llu,\"shape\":" BALL "}", box);
}

static void becoming_dynamic_weighs(void **state)
{
    (void)state;
    bounds = read_bounds("{\"mass\":1.5}");
    const unsigned long long wall = spawn_as(&ANN, "{\"type\":\"static\",\"shapes\":[" BOX "]}");
    refused("type: 2 kg", "mass", METHOD_BODY_SET, "{\"body\":%llu,\"type\":\"dynamic\"}", wall);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"type\":\"dynamic\",\"mass\":1}", wall);
    // a mass that was set hides that of the shapes, until it is taken away
    refused("mass: 2 kg", "mass", METHOD_BODY_SET, "{\"body\":%llu,\"mass\":0}", wall);
}

static void removed_shape_may_make_heavier(void **state)
{
    (void)state;
    bounds = read_bounds("{\"mass\":0.5}");
    uint64_t made = 0;
    const unsigned long long body =
        spawn_as(&ANN, "{\"shapes\":[{\"kind\":\"circle\",\"radius\":0.1}]}");
    made = body_next_shape(world, body, 0);
    refused("shape: 1 kg", "mass", METHOD_SHAPE_REMOVE, "{\"shape\":%llu}",
            (unsigned long long)made);
}

static void size_is_that_of_the_bodys_own_box(void **state)
{
    (void)state;
    bounds = read_bounds("{\"size\":2}");
    const unsigned long long box =
        spawn_as(&ANN, "{\"angle\":0.7853981633974483,\"shapes\":[" BOX "]}");
    refused("shapes: 2.2 m", "size", METHOD_BODY_SPAWN,
            "{\"shapes\":[{\"kind\":\"box\",\"size\":[2.2,0.1]}]}");
    refused("shapes: 10.5 m", "size", METHOD_BODY_SPAWN,
            "{\"shapes\":[" BALL ",{\"kind\":\"circle\",\"radius\":0.5,\"center\":[0,9.5]}]}");
    refused("shapes: 3 m", "size", METHOD_BODY_SPAWN,
            "{\"type\":\"static\",\"shapes\":[{\"kind\":\"chain\",\"vertices\":[[0,0],[3,0]]}]}");
    refused("shape: 2.5 m", "size", METHOD_SHAPE_ADD,
            "{\"body\":%llu,\"shape\":{\"kind\":\"circle\",\"radius\":0.5,\"center\":[1,0]}}", box);
    allowed(&ANN, METHOD_SHAPE_ADD, "{\"body\":%llu,\"shape\":" BALL "}", box);
}

static void types_and_numbers_of_bodies_are_bounded(void **state)
{
    (void)state;
    bounds = read_bounds("{\"types\":[\"dynamic\"],\"bodies\":2}");
    refused("type: a player may not make a body static", "types", METHOD_BODY_SPAWN,
            "{\"type\":\"static\",\"shapes\":[]}");
    const unsigned long long first = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    refused("type: ", "types", METHOD_BODY_SET, "{\"body\":%llu,\"type\":\"kinematic\"}", first);
    const unsigned long long second = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    refused("bodies: 'ann' would have 3", "bodies", METHOD_BODY_SPAWN, "{\"shapes\":[]}");
    allowed(&ANN, METHOD_BODY_REMOVE, "{\"body\":%llu}", first);
    const unsigned long long third = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    allowed(&BOB, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}"); // another is unaffected
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"owner\":\"bob\"}", second);
    refused("bodies: 'bob' would have 3", "bodies", METHOD_BODY_SET,
            "{\"body\":%llu,\"owner\":\"bob\"}", third);
}

static void bodies_count_as_a_batch_leaves_them(void **state)
{
    (void)state;
    bounds = read_bounds("{\"bodies\":1}");
    allowed(
        &ANN, METHOD_WORLD_APPLY,
        "{\"commands\":[[\"body.spawn\",{\"shapes\":[]}],[\"body.remove\",{\"body\":{\"$\":0}}],"
        "[\"body.spawn\",{\"shapes\":[]}]]}");
    refused("commands[1] (body.spawn): bodies", "bodies", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.get\",{\"body\":%llu}],[\"body.spawn\",{\"shapes\":[]}]]}",
            (unsigned long long)world_next_body(world, 0));
    const unsigned long long own = world_next_body(world, 0);
    bounds = (players_bounds){0};
    const unsigned long long more = spawn_as(&ANN, "{\"shapes\":[]}");
    bounds = read_bounds("{\"bodies\":1}");
    refused("commands[1] (body.set): bodies: 'bob' would have 2", "bodies", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.set\",{\"body\":%llu,\"owner\":\"bob\"}],"
            "[\"body.set\",{\"body\":%llu,\"owner\":\"bob\"}]]}",
            own, more);
}

static void places_lie_in_the_area_with_all_shapes(void **state)
{
    (void)state;
    bounds = read_bounds("{\"area\":[-10,-10,10,10]}");
    const unsigned long long ball = spawn_as(&ANN, "{\"position\":[9.5,0],\"shapes\":[" BALL "]}");
    refused("position: a body at [9.6, 0]", "area", METHOD_BODY_SPAWN,
            "{\"position\":[9.6,0],\"shapes\":[" BALL "]}");
    refused("position", "area", METHOD_BODY_SPAWN,
            "{\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5,\"center\":[0,20]}]}");
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"position\":[-9.5,9.5]}", ball);
    refused("position: a body at [0, -500]", "area", METHOD_BODY_SET,
            "{\"body\":%llu,\"position\":[0,-500]}", ball);
    refused("shape: ", "area", METHOD_SHAPE_ADD,
            "{\"body\":%llu,\"shape\":{\"kind\":\"circle\",\"radius\":0.6}}", ball);
    const unsigned long long bar =
        spawn_as(&ANN, "{\"position\":[9.4,0],\"shapes\":[{\"kind\":\"box\",\"size\":[1,4]}]}");
    refused("angle: ", "area", METHOD_BODY_SET, "{\"body\":%llu,\"angle\":1.5}", bar);
}

// ---- bounds of what bodies do

static void speeds_are_bounded(void **state)
{
    (void)state;
    bounds = read_bounds("{\"speed\":5}");
    const unsigned long long box = spawn_as(&ANN, "{\"velocity\":[3,4],\"shapes\":[" BOX "]}");
    refused("velocity: 5.1 m/s", "speed", METHOD_BODY_SPAWN,
            "{\"velocity\":[0,5.1],\"shapes\":[" BALL "]}");
    refused("velocity: 5.1 m/s", "speed", METHOD_BODY_SET, "{\"body\":%llu,\"velocity\":[-5.1,0]}",
            box);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"angular_velocity\":4.4}", box);
    refused("angular_velocity: 5.03", "speed", METHOD_BODY_SET,
            "{\"body\":%llu,\"angular_velocity\":-4.5}", box);
    refused("impulse: 5.1 m/s", "speed", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0.12,0.16]}", box);
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[-6,-8]}", box);
    refused("shapes[0].tangent_speed: 6 m/s", "speed", METHOD_BODY_SPAWN,
            "{\"shapes\":[{\"kind\":\"circle\",\"radius\":1,\"tangent_speed\":-6}]}");
    refused("tangent_speed: 6 m/s", "speed", METHOD_SHAPE_SET,
            "{\"shape\":%llu,\"tangent_speed\":6}",
            (unsigned long long)body_next_shape(world, box, 0));
}

static void fast_body_may_be_slowed(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(
        &ANN, "{\"velocity\":[100,0],\"angular_velocity\":100,\"mass\":1,\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"speed\":5}");
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[-10,0]}", ball);
    refused("impulse: 91 m/s", "speed", METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[1,0]}",
            ball);
    allowed(&ANN, METHOD_BODY_ANGULAR_IMPULSE, "{\"body\":%llu,\"impulse\":-0.1}", ball);
    refused("impulse: ", "speed", METHOD_BODY_ANGULAR_IMPULSE, "{\"body\":%llu,\"impulse\":0.1}",
            ball);
}

static void impulses_add_up_in_a_tick(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long other = spawn_as(&ANN, "{\"position\":[9,0],\"shapes\":[" BALL "]}");
    const unsigned long long bobs = spawn_as(&BOB, "{\"position\":[5,0],\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"impulse\":10}");
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[6,0]}", ball);
    refused("impulse: 10.5 N s", "impulse", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0,4.5]}", ball);
    refused("commands[1] (body.impulse): impulse: 12 N s", "impulse", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.impulse\",{\"body\":%llu,\"impulse\":[3,0]}],"
            "[\"body.impulse\",{\"body\":%llu,\"impulse\":[-3,0]}]]}",
            ball, ball);
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[-4,0]}", ball);
    refused("impulse: 10.1 N s", "impulse", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0.1,0]}", ball);
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[10,0]}", other);
    allowed(&BOB, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[0,10]}", bobs);
    allowed(&ANN, METHOD_BODY_ANGULAR_IMPULSE, "{\"body\":%llu,\"impulse\":-9}", ball);
    refused("impulse: 11 N m s", "impulse", METHOD_BODY_ANGULAR_IMPULSE,
            "{\"body\":%llu,\"impulse\":2}", ball);
    player_pushes_clear(&pushes); // the next tick
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[10,0]}", ball);
    refused("impulse: 99.1 N m s about", "impulse", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0,0.1],\"point\":[1000,0]}", other);
}

static void impulses_on_a_body_of_the_same_batch_count(void **state)
{
    (void)state;
    bounds = read_bounds("{\"impulse\":10}");
    allowed(&ANN, METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.get\",{\"body\":%llu}],[\"body.spawn\",{\"shapes\":[" BALL
            "]}],"
            "[\"body.impulse\",{\"body\":{\"$\":1},\"impulse\":[6,0]}]]}",
            spawn_as(&BOB, "{\"shapes\":[]}"));
    body_id ball = 0;
    for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
        ball = b;
    }
    refused("impulse: 11 N s", "impulse", METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[5,0]}",
            (unsigned long long)ball);
}

static void many_bodies_have_sums_of_their_own(void **state)
{
    (void)state;
    enum { BODIES = 500 };
    unsigned long long ids[BODIES];
    for (int i = 0; i < BODIES; i++) {
        ids[i] = spawn_as(&ANN, "{\"shapes\":[]}");
    }
    bounds = read_bounds("{\"impulse\":1}");
    for (int tick = 0; tick < 2; tick++) {
        for (int i = 0; i < BODIES; i++) {
            allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[1,0]}", ids[i]);
        }
        for (int i = 0; i < BODIES; i++) {
            refused("impulse: ", "impulse", METHOD_BODY_IMPULSE,
                    "{\"body\":%llu,\"impulse\":[0,1]}", ids[i]);
        }
        player_pushes_clear(&pushes);
    }
}

static void forces_and_torques_are_bounded(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(&ANN, "{\"mass\":2,\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"force\":50,\"torque\":8}");
    allowed(&ANN, METHOD_BODY_FORCE, "{\"body\":%llu,\"force\":[30,-40]}", ball);
    refused("force: 50.1 N", "force", METHOD_BODY_FORCE, "{\"body\":%llu,\"force\":[0,50.1]}",
            ball);
    allowed(&ANN, METHOD_BODY_FORCE, "{\"body\":%llu,\"force\":[0,40],\"point\":[0.2,0]}", ball);
    refused("point: 12 N m", "torque", METHOD_BODY_FORCE,
            "{\"body\":%llu,\"force\":[0,40],\"point\":[0,0.3]}", ball);
    allowed(&ANN, METHOD_BODY_TORQUE, "{\"body\":%llu,\"torque\":-8}", ball);
    refused("torque: 8.1 N m", "torque", METHOD_BODY_TORQUE, "{\"body\":%llu,\"torque\":-8.1}",
            ball);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"gravity_scale\":-1.5}", ball); // 2.5 * 2 * 10
    refused("gravity_scale: 60 N", "force", METHOD_BODY_SET, "{\"body\":%llu,\"gravity_scale\":4}",
            ball);
}

// ---- joints

static void motors_need_a_greatest_force_within_the_bounds(void **state)
{
    (void)state;
    const unsigned long long a = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long b = spawn_as(&ANN, "{\"position\":[2,0],\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"force\":50,\"torque\":8,\"speed\":3}");
#define REVOLUTE "{\"kind\":\"revolute\",\"a\":%llu,\"b\":%llu,\"anchor\":[1,0]"
#define SLIDER   "{\"kind\":\"prismatic\",\"a\":%llu,\"b\":%llu,\"axis\":[1,0]"
    refused("max_torque: must be given", "torque", METHOD_JOINT_CREATE,
            REVOLUTE ",\"motor_speed\":1}", a, b);
    refused("max_torque: 9 N m", "torque", METHOD_JOINT_CREATE, REVOLUTE ",\"max_torque\":9}", a,
            b);
    refused("max_force: 51 N", "force", METHOD_JOINT_CREATE, SLIDER ",\"max_force\":51}", a, b);
    refused("motor_speed: 4 m/s", "speed", METHOD_JOINT_CREATE,
            SLIDER ",\"max_force\":50,\"motor_speed\":-4}", a, b);
    refused("max_force: must be given", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"mouse\",\"b\":%llu,\"target\":[0,9]}", a);
    refused("max_torque: must be given", "torque", METHOD_JOINT_CREATE,
            "{\"kind\":\"motor\",\"a\":%llu,\"b\":%llu,\"max_force\":5}", a, b);
    allowed(&ANN, METHOD_JOINT_CREATE,
            "{\"kind\":\"mouse\",\"b\":%llu,\"target\":[0,9],\"max_force\":50}", a);
    uint64_t joint = 0;
    char json[256];
    snprintf(json, sizeof json, REVOLUTE ",\"motor_speed\":1,\"max_torque\":8}", a, b);
    assert_int_equal(try_as(&ANN, METHOD_JOINT_CREATE, json, &joint), STATUS_OK);
    allowed(&ANN, METHOD_JOINT_SET, "{\"joint\":%llu,\"motor_speed\":2}",
            (unsigned long long)joint);
    refused("max_torque: 9 N m", "torque", METHOD_JOINT_SET, "{\"joint\":%llu,\"max_torque\":9}",
            (unsigned long long)joint);
    snprintf(json, sizeof json, SLIDER "}", a, b);
    assert_int_equal(try_as(&ANN, METHOD_JOINT_CREATE, json, &joint), STATUS_OK);
    refused("max_force: must be given", "force", METHOD_JOINT_SET,
            "{\"joint\":%llu,\"motor_speed\":1}", (unsigned long long)joint);
}

static void player_drives_the_strong_motor_of_a_referee(void **state)
{
    (void)state;
    const unsigned long long a = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long b = spawn_as(&ANN, "{\"position\":[2,0],\"shapes\":[" BALL "]}");
    char json[256];
    uint64_t joint = 0;
    bounds = read_bounds("{\"torque\":8}");
    snprintf(json, sizeof json, REVOLUTE ",\"motor_speed\":1,\"max_torque\":900}", a, b);
    assert_int_equal(try_as(&REFEREE, METHOD_JOINT_CREATE, json, &joint), STATUS_OK);
    allowed(&ANN, METHOD_JOINT_SET, "{\"joint\":%llu,\"motor_speed\":5}",
            (unsigned long long)joint);
}

static void springs_and_joints_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const unsigned long long a = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long b = spawn_as(&ANN, "{\"position\":[2,0],\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"force\":50}");
#define DISTANCE "{\"kind\":\"distance\",\"a\":%llu,\"b\":%llu"
    refused("hertz: 5 Hz", "force", METHOD_JOINT_CREATE, DISTANCE ",\"hertz\":5}", a, b);
    refused("hertz: 2 Hz", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"wheel\",\"a\":%llu,\"b\":%llu}", a, b);
    refused("length: 9 would", "force", METHOD_JOINT_CREATE, DISTANCE ",\"length\":9}", a, b);
    refused("lower: 3 would", "force", METHOD_JOINT_CREATE, DISTANCE ",\"lower\":3}", a, b);
    refused("upper: 1 would", "force", METHOD_JOINT_CREATE, DISTANCE ",\"upper\":1}", a, b);
    refused("anchor_b: ", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu,\"anchor_a\":[0,0],\"anchor_b\":[0,0]}", a,
            b);
    refused("reference_angle: ", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu,\"reference_angle\":1}", a, b);
    allowed(&ANN, METHOD_JOINT_CREATE, "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu}", a, b);
    uint64_t rope = 0;
    char json[256];
    snprintf(json, sizeof json, DISTANCE ",\"upper\":4}", a, b);
    assert_int_equal(try_as(&ANN, METHOD_JOINT_CREATE, json, &rope), STATUS_OK);
    allowed(&ANN, METHOD_JOINT_SET, "{\"joint\":%llu,\"upper\":3}", (unsigned long long)rope);
    refused("upper: 1 would", "force", METHOD_JOINT_SET, "{\"joint\":%llu,\"upper\":1}",
            (unsigned long long)rope);
    refused("hertz: 1 Hz", "force", METHOD_JOINT_SET, "{\"joint\":%llu,\"hertz\":1}",
            (unsigned long long)rope);
    refused("commands[1] (joint.set): upper", "force", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"joint.create\"," DISTANCE ",\"upper\":4}],"
            "[\"joint.set\",{\"joint\":{\"$\":0},\"upper\":1}]]}",
            a, b);
}

// ---- methods and roles

static void methods_that_are_not_listed_are_refused(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    bounds = players_default();
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[1000,0]}", ball);
    allowed(&ANN, METHOD_DATA_SET, "{\"key\":\"player/ann/name\",\"value\":1}");
    allowed(&ANN, METHOD_MESSAGE_SEND, "{\"name\":\"hi\"}");
    allowed(&ANN, METHOD_BODY_GET, "{\"body\":%llu}", ball);
    allowed(&ANN, METHOD_QUERY_RAY, "{\"from\":[0,9],\"to\":[0,-9]}");
    refused("body.spawn is not among the methods", "methods", METHOD_BODY_SPAWN, "{\"shapes\":[]}");
    refused("body.set is not among", "methods", METHOD_BODY_SET, "{\"body\":%llu,\"angle\":1}",
            ball);
    refused("body.remove is not among", "methods", METHOD_BODY_REMOVE, "{\"body\":%llu}", ball);
    refused("commands[1] (shape.add): shape.add is not", "methods", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.impulse\",{\"body\":%llu,\"impulse\":[1,0]}],"
            "[\"shape.add\",{\"body\":%llu,\"shape\":" BALL "}]]}",
            ball, ball);
    bounds = read_bounds("{\"methods\":[]}");
    refused("world.apply is not", "methods", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.get\",{\"body\":%llu}]]}", ball);
    assert_true(players_allow(&bounds, METHOD_WORLD_SUBSCRIBE));
    assert_false(players_allow(&bounds, METHOD_QUERY_RAY));
    allowed(&REFEREE, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":1e9,\"position\":[0,900]}", ball);
}

// ---- random commands

static uint64_t random_state;

static double between(double lower, double upper)
{
    return lower + (upper - lower) * (double)(random_next(&random_state) >> 40) / (double)(1 << 24);
}

static int below(int end)
{
    return (int)(between(0.0, (double)end - 0.001));
}

// A body of the world, or one that the batch spawned first.
static void put_body(char *out, size_t size, bool spawned)
{
    unsigned long long found = 1;
    for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
        found = below(3) == 0 || found == 1 ? b : found;
    }
    if (spawned && below(2) == 0) {
        snprintf(out, size, "{\"$\":0}");
    } else {
        snprintf(out, size, "%llu", found);
    }
}

static void put_shape(char *out, size_t size)
{
    snprintf(out, size, "{\"kind\":\"box\",\"size\":[%g,%g],\"center\":[%g,%g],\"density\":%g}",
             between(0.1, 2.0), between(0.1, 2.0), between(-0.6, 0.6), between(-0.6, 0.6),
             between(0.0, 3.0));
}

// One command of a batch; the first one may be a spawn, to which the later ones refer.
static void put_command(char *out, size_t size, bool first, bool spawned)
{
    static const char *const TYPES[] = {"static", "kinematic", "dynamic"};
    char body[32];
    char shape[256];
    put_body(body, sizeof body, spawned);
    put_shape(shape, sizeof shape);
    switch (first ? 0 : 1 + below(9)) {
    case 0:
        snprintf(out, size,
                 "[\"body.spawn\",{\"type\":\"%s\",\"velocity\":[%g,%g],\"position\":[%g,%g],"
                 "\"shapes\":[%s]}]",
                 TYPES[below(8) == 0 ? below(3) : 2], between(-4, 4), between(-4, 4),
                 between(-10, 10), between(-10, 10), shape);
        break;
    case 1:
        snprintf(out, size, "[\"body.set\",{\"body\":%s,\"mass\":%g}]", body, between(0, 5));
        break;
    case 2:
        snprintf(out, size, "[\"body.set\",{\"body\":%s,\"velocity\":[%g,%g]}]", body,
                 between(-5, 5), between(-5, 5));
        break;
    case 3:
        snprintf(out, size, "[\"body.set\",{\"body\":%s,\"position\":[%g,%g],\"angle\":%g}]", body,
                 between(-11, 11), between(-11, 11), between(-3, 3));
        break;
    case 4:
        snprintf(out, size, "[\"body.set\",{\"body\":%s,\"type\":\"%s\"}]", body, TYPES[below(3)]);
        break;
    case 5:
        snprintf(out, size, "[\"body.impulse\",{\"body\":%s,\"impulse\":[%g,%g]}]", body,
                 between(-4, 4), between(-4, 4));
        break;
    case 6:
        snprintf(out, size, "[\"body.angular_impulse\",{\"body\":%s,\"impulse\":%g}]", body,
                 between(-2, 2));
        break;
    case 7:
        snprintf(out, size, "[\"shape.add\",{\"body\":%s,\"shape\":%s}]", body, shape);
        break;
    case 8: {
        unsigned long long found = 1;
        for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
            for (shape_id id = 0; (id = body_next_shape(world, b, id)) != 0;) {
                found = below(3) == 0 ? id : found;
            }
        }
        snprintf(out, size,
                 below(2) == 0 ? "[\"shape.set\",{\"shape\":%llu,\"density\":2.5}]"
                               : "[\"shape.remove\",{\"shape\":%llu}]",
                 found);
        break;
    }
    default:
        snprintf(out, size,
                 below(3) == 0 ? "[\"body.remove\",{\"body\":%s}]" : "[\"body.get\",{\"body\":%s}]",
                 body);
    }
}

// The engine reports the body, not the check that foresaw it.
static void assert_within(body_id id, uint64_t seed)
{
    static const double ROUNDING = 1.0 + 1e-5;
    body_info info;
    aabb box;
    aabb all = {{0, 0}, {0, 0}};
    bool first = true;
    assert_int_equal(body_get(world, id, &info, NULL), STATUS_OK);
    for (shape_id shape = 0; (shape = body_next_shape(world, id, shape)) != 0;) {
        shape_info of;
        assert_int_equal(shape_get(world, shape, &of, NULL), STATUS_OK);
        box = shape_aabb(&of.def.geometry, TRANSFORM_IDENTITY);
        all = first ? box : aabb_union(all, box);
        first = false;
    }
    const double width = (double)all.upper.x - (double)all.lower.x;
    const double height = (double)all.upper.y - (double)all.lower.y;
    const double speed = hypot(info.velocity.x, info.velocity.y);
    const double corner = fabs(info.angular_velocity) * 0.5 * hypot(width, height);
    assert_int_equal(body_box(world, id, &box, NULL), STATUS_OK);
    const bool inside = (double)box.lower.x >= -10.001 && (double)box.lower.y >= -10.001 &&
                        (double)box.upper.x <= 10.001 && (double)box.upper.y <= 10.001;
    if ((bounds.types >> info.type & 1) == 0 || info.mass > bounds.mass * ROUNDING ||
        width > bounds.size * ROUNDING || height > bounds.size * ROUNDING ||
        speed > bounds.speed * ROUNDING || corner > bounds.speed * ROUNDING || !inside) {
        fail_msg("seed %llu: type %d, %g kg, %g x %g m, %g m/s, corners %g m/s, at [%g, %g]",
                 (unsigned long long)seed, info.type, info.mass, width, height, speed, corner,
                 info.position.x, info.position.y);
    }
}

// Nothing moves in between, so each property of a body is its owner's doing.
static void random_commands_bring_no_body_over_the_bounds(void **state)
{
    (void)state;
    enum { SEEDS = 40, ROUNDS = 100, COMMANDS = 5 };
    uint32_t applied = 0;
    uint32_t denied = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        random_state = seed;
        tear_down(NULL);
        set_up(NULL);
        bounds = read_bounds("{\"types\":[\"dynamic\",\"kinematic\"],\"bodies\":4,\"mass\":3,"
                             "\"size\":2.2,\"speed\":5,\"impulse\":6,\"area\":[-10,-10,10,10]}");
        for (int round = 0; round < ROUNDS; round++) {
            char json[2048] = "{\"commands\":[";
            const bool spawns = below(3) == 0;
            const int count = 1 + below(COMMANDS);
            for (int i = 0; i < count; i++) {
                const size_t at = strlen(json);
                json[at] = ',';
                put_command(json + at + (i > 0), sizeof json - at - 1, i == 0 && spawns,
                            i > 0 && spawns);
            }
            strcat(json, "]}");
            const status s = try_as(&ANN, METHOD_WORLD_APPLY, json, NULL);
            applied += s == STATUS_OK;
            denied += s == STATUS_PERMISSION_DENIED;
            if (below(4) == 0) {
                player_pushes_clear(&pushes);
            }
            assert_true(world_count(world).bodies <= 4);
            for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
                assert_within(b, seed);
            }
        }
    }
    assert_true(applied > SEEDS * ROUNDS / 10 && denied > SEEDS * ROUNDS / 10);
}

// ---- bounds as values

static const char EVERY_BOUND[] =
    "{\"methods\":[\"body.impulse\",\"data.get\"],\"types\":[\"dynamic\"],\"bodies\":3,\"mass\":5,"
    "\"size\":2,\"speed\":20,\"force\":50,\"impulse\":10,\"torque\":7,\"area\":[-9,-8,7,6]}";

static void bounds_come_back_from_bytes_and_images(void **state)
{
    (void)state;
    const players_bounds all = read_bounds(EVERY_BOUND);
    const uint64_t bare = world_hash(world);
    uint8_t *bytes = NULL;
    size_t size = 0;
    players_cache cache = {0};
    assert_int_equal(players_current(&cache, world)->fields, 0);
    assert_int_equal(players_set(world, &all, NULL), STATUS_OK);
    assert_true(world_hash(world) != bare);
    players_bounds got = players_of(world);
    assert_memory_equal(&got, &all, sizeof all);
    assert_memory_equal(players_current(&cache, world), &all, sizeof all);
    world_save_sealed(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION_RULES_SEALED);
    physics_world *again = NULL;
    assert_int_equal(world_restore(bytes, size, &again, NULL), STATUS_OK);
    got = players_of(again);
    assert_memory_equal(&got, &all, sizeof all);
    assert_true(world_hash(again) == world_hash(world));
    assert_int_equal(players_set(again, &(players_bounds){0}, NULL), STATUS_OK);
    assert_true(world_hash(again) == bare);
    world_copy(again, world);
    got = players_of(again);
    assert_memory_equal(&got, &all, sizeof all);
    free(bytes);
    world_save(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION_RULES);
    free(bytes);
    assert_int_equal(players_set(world, &(players_bounds){0}, NULL), STATUS_OK);
    world_save(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION); // without rules as before there were any
    free(bytes);
    world_free(again);
}

// Each byte of the rules is covered by the hash, and damaged ones allow nothing.
static void damaged_rules_are_refused(void **state)
{
    (void)state;
    const players_bounds all = read_bounds(EVERY_BOUND);
    uint8_t bytes[WORLD_RULES_BYTES_MAX];
    const size_t size = players_pack(&all, bytes);
    players_bounds out;
    assert_true(players_unpack(bytes, size, &out));
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(players_unpack(bytes, cut, &out));
    }
    assert_false(players_unpack(bytes, size + 1, &out));
    bytes[0] = 2;
    assert_int_equal(world_set_rules(world, bytes, size, NULL), STATUS_OK);
    assert_int_equal(players_check(world, &why), STATUS_INVALID_ARGUMENT);
    bounds = players_of(world);
    assert_false(players_allow(&bounds, METHOD_BODY_IMPULSE));
    assert_int_equal(world_set_rules(world, bytes, sizeof bytes + 1, &why), STATUS_LIMIT_EXCEEDED);
    const players_bounds rules = all;
    assert_int_equal(players_set(world, &rules, NULL), STATUS_OK);
    uint8_t *image = NULL;
    size_t image_size = 0;
    world_save(world, &image, &image_size);
    const size_t from = image_size - 8 - size;
    for (size_t i = from; i < image_size; i++) {
        physics_world *made = NULL;
        image[i] ^= 1;
        assert_int_not_equal(world_restore(image, image_size, &made, NULL), STATUS_OK);
        image[i] ^= 1;
    }
    free(image);
}

static void rules_and_data_are_in_one_image(void **state)
{
    (void)state;
    const players_bounds all = read_bounds(EVERY_BOUND);
    static const uint8_t ONE[] = {1};
    uint64_t version = 0;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(players_set(world, &all, NULL), STATUS_OK);
    assert_int_equal(world_data_set(world, "k", ONE, sizeof ONE, &version, NULL), STATUS_OK);
    world_save_sealed(world, &bytes, &size);
    physics_world *again = NULL;
    assert_int_equal(world_restore(bytes, size, &again, NULL), STATUS_OK);
    assert_true(world_hash(again) == world_hash(world));
    assert_int_equal(world_data_count(again).keys, 1);
    world_free(again);
    free(bytes);
}

static void lower_takes_the_lesser_of_each(void **state)
{
    (void)state;
    const players_bounds a = read_bounds("{\"mass\":5,\"speed\":9,\"bodies\":4,\"methods\":[\"body."
                                         "set\",\"body.get\"],\"area\":[0,0,9,9]}");
    const players_bounds b =
        read_bounds("{\"mass\":6,\"size\":1,\"bodies\":2,\"methods\":[\"body.get\",\"body.force\"],"
                    "\"types\":[\"static\"],\"area\":[5,-5,20,5]}");
    const players_bounds both = players_lower(&a, &b);
    const players_bounds expected =
        read_bounds("{\"mass\":5,\"size\":1,\"speed\":9,\"bodies\":2,\"methods\":[\"body.get\"],"
                    "\"types\":[\"static\"],\"area\":[5,0,9,5]}");
    assert_memory_equal(&both, &expected, sizeof both);
    const players_bounds none = {0};
    const players_bounds same = players_lower(&none, &a);
    assert_memory_equal(&same, &a, sizeof same);
}

static void text_of_bounds_is_strict(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } ROWS[] = {
        {"{\"mas\":1}", "players"},
        {"{\"mass\":-1}", "players.mass"},
        {"{\"mass\":\"x\"}", "players.mass"},
        {"{\"bodies\":1.5}", "players.bodies"},
        {"{\"methods\":[\"body.fly\"]}", "players.methods[0]"},
        {"{\"methods\":[\"server.kick\"]}", "players.methods[0]"},
        {"{\"types\":[\"ghost\"]}", "players.types[0]"},
        {"{\"area\":[1,0,0,1]}", "players.area"},
        {"7", "players"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        command c;
        char json[256];
        snprintf(json, sizeof json, "{\"world\":\"w\",\"players\":%s}", ROWS[i].json);
        assert_int_equal(wording_decode(METHOD_WORLD_SET, json, &c, &why), STATUS_INVALID_ARGUMENT);
        if (strncmp(why.text, ROWS[i].text, strlen(ROWS[i].text)) != 0) {
            fail_msg("%s: %s", ROWS[i].json, why.text);
        }
    }
    assert_int_equal(read_bounds("{}").fields, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(mass_is_bounded_by_number_and_by_density),
        TEST(becoming_dynamic_weighs),
        TEST(removed_shape_may_make_heavier),
        TEST(size_is_that_of_the_bodys_own_box),
        TEST(types_and_numbers_of_bodies_are_bounded),
        TEST(bodies_count_as_a_batch_leaves_them),
        TEST(places_lie_in_the_area_with_all_shapes),
        TEST(speeds_are_bounded),
        TEST(fast_body_may_be_slowed),
        TEST(impulses_add_up_in_a_tick),
        TEST(impulses_on_a_body_of_the_same_batch_count),
        TEST(many_bodies_have_sums_of_their_own),
        TEST(forces_and_torques_are_bounded),
        TEST(motors_need_a_greatest_force_within_the_bounds),
        TEST(player_drives_the_strong_motor_of_a_referee),
        TEST(springs_and_joints_that_do_not_fit_are_refused),
        TEST(methods_that_are_not_listed_are_refused),
        TEST(random_commands_bring_no_body_over_the_bounds),
        TEST(bounds_come_back_from_bytes_and_images),
        TEST(damaged_rules_are_refused),
        TEST(rules_and_data_are_in_one_image),
        TEST(lower_takes_the_lesser_of_each),
        TEST(text_of_bounds_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
