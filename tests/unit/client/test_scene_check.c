// Scenes checked without a server: what a server would refuse is refused here, with its place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <carom/scene.h>

static carom_error why;

static carom_status check(const char *text, carom_scene_result *result)
{
    why = (carom_error){0};
    return carom_scene_check(text, strlen(text), result, &why);
}

// A scene with these commands.
static carom_status check_commands(const char *commands)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"commands\":[%s]}", commands);
    return check(text, NULL);
}

static void assert_refused(const char *commands, carom_status status, const char *place,
                           const char *fault)
{
    assert_int_equal(check_commands(commands), status);
    if (strncmp(why.text, place, strlen(place)) != 0 || strstr(why.text, fault) == NULL) {
        fail_msg("'%s' has not '%s' at '%s'", why.text, fault, place);
    }
}

static void what_a_server_accepts_is_counted(void **state)
{
    (void)state;
    carom_scene_result result = {0};
    carom_status outcome =
        check("{\"world\":{\"hz\":120,\"max_bodies\":50},\"commands\":["
              "[\"body.spawn\",{\"world\":\"w\",\"type\":\"static\",\"shapes\":[]},{\"as\":\"a\"}],"
              "[\"body.spawn\",{\"shapes\":[{\"kind\":\"box\",\"size\":[1,1]}]},{\"as\":\"b\"}],"
              "[\"joint.create\",{\"kind\":\"weld\",\"a\":\"$a\",\"b\":\"$b\",\"anchor\":[0,0]}],"
              "[\"body.impulse\",{\"body\":77,\"impulse\":[1,0]}]]}",
              &result);
    if (outcome != CAROM_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(result.commands, 4);
    assert_int_equal(result.bodies, 2);
    assert_int_equal(result.joints, 1);
    assert_false(result.created);
}

static void argument_that_a_server_refuses_is_named_with_its_place(void **state)
{
    (void)state;
    assert_refused("[\"body.spawn\",{\"positon\":[0,0]}]", CAROM_INVALID_ARGUMENT,
                   "commands[0]: ", "'positon'; did you mean 'position'?");
    assert_refused(
        "[\"body.spawn\",{\"shapes\":[]}],[\"body.spawn\",{\"shapes\":[],\"position\":\"here\"}]",
        CAROM_INVALID_ARGUMENT, "commands[1]: position: ", "expected [x, y], got str");
    assert_refused("[\"body.spawn\",{\"shapes\":[{\"kind\":\"circle\",\"radius\":-1}]}]",
                   CAROM_INVALID_ARGUMENT, "commands[0]: shapes[0]", "radius");
    assert_refused("[\"body.spawn\",{\"shapes\":[{\"kind\":\"cirle\",\"radius\":1}]}]",
                   CAROM_INVALID_ARGUMENT, "commands[0]: shapes[0].kind: ", "'circle'");
    assert_refused("[\"body.impulse\",{\"impulse\":[1,0]}]", CAROM_INVALID_ARGUMENT,
                   "commands[0]: ", "argument body is missing");
    assert_refused("[\"joint.create\",{\"kind\":\"prismatic\",\"a\":1,\"b\":2}]",
                   CAROM_INVALID_ARGUMENT, "commands[0]: ", "axis is missing");
    assert_refused("[\"body.spawn\",{\"shapes\":[],\"mass\":1e-300}]", CAROM_INVALID_ARGUMENT,
                   "commands[0]: ", "mass must be 0 or at least");
    assert_refused("[\"body.spawn\",{\"shapes\":[]},{\"as\":\"a\"}],"
                   "[\"shape.remove\",{\"shape\":\"$a\"}]",
                   CAROM_INVALID_ARGUMENT, "commands[1]: shape: ", "it must be shape.add");
}

static void place_has_the_variables_of_the_loops(void **state)
{
    (void)state;
    assert_refused("{\"for\":{\"i\":[1,3]},\"do\":[[\"body.spawn\","
                   "{\"shapes\":[{\"kind\":\"circle\",\"radius\":\"=2-i\"}]}]]}",
                   CAROM_INVALID_ARGUMENT, "commands[0].do[0] (i = 2): shapes[0]", "radius");
}

// Beyond the commands of one world.apply.
static void command_of_a_later_piece_is_named(void **state)
{
    (void)state;
    assert_refused("{\"for\":{\"i\":[1,2500]},\"do\":[[\"body.spawn\",{\"shapes\":[]}]]},"
                   "[\"body.spawn\",{\"shapes\":[],\"angle\":true}]",
                   CAROM_INVALID_ARGUMENT, "commands[1]: angle: ", "got bool");
}

static void settings_of_the_world_are_checked(void **state)
{
    (void)state;
    assert_int_equal(check("{\"world\":{\"hz\":1e9},\"commands\":[]}", NULL),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(why.text, "world: hz must be from"));
    assert_int_equal(check("{\"world\":{\"substeps\":0},\"commands\":[]}", NULL),
                     CAROM_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_server_accepts_is_counted),
        cmocka_unit_test(argument_that_a_server_refuses_is_named_with_its_place),
        cmocka_unit_test(place_has_the_variables_of_the_loops),
        cmocka_unit_test(command_of_a_later_piece_is_named),
        cmocka_unit_test(settings_of_the_world_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
