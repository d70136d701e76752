// Templates of worlds from JSON texts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/players.h"
#include "server/session/placement/templates.h"

static world_template parse(const char *text)
{
    world_template t;
    error err;
    if (template_parse("arena", text, strlen(text), &t, &err) != STATUS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    return t;
}

static void refuse(const char *text, const char *expected)
{
    world_template t;
    error err;
    assert_int_not_equal(template_parse("arena", text, strlen(text), &t, &err), STATUS_OK);
    if (strstr(err.text, expected) == NULL) {
        fail_msg("%s: '%s' is not in '%s'", text, expected, err.text);
    }
    assert_null(t.create.memory);
}

static void template_has_its_arguments_seats_and_time(void **state)
{
    (void)state;
    world_template t = parse("{\"scene\": \"demo\", \"seats\": 4, \"idle_s\": 2.5, \"hz\": 30,"
                             " \"gravity\": [0, -1], \"paused\": true,"
                             " \"players\": {\"methods\": [\"body.spawn\"], \"mass\": 3}}");
    assert_string_equal(t.name, "arena");
    assert_string_equal(t.create.create.scene, "demo");
    assert_int_equal(t.seats, 4);
    assert_int_equal(t.idle_ms, 2500);
    assert_true(t.create.create.paused);
    assert_true(t.create.create.def.hz == 30.0);
    assert_true(t.create.create.players.mass == 3.0);
    assert_true(players_allow(&t.create.create.players, METHOD_BODY_SPAWN));
    assert_false(players_allow(&t.create.create.players, METHOD_BODY_IMPULSE));
    template_deinit(&t);
}

static void template_without_players_has_the_safe_bounds(void **state)
{
    (void)state;
    world_template t = parse("{\"seats\": 1024}");
    const players_bounds safe = players_default();
    assert_true(t.create.create.has_players);
    assert_memory_equal(&t.create.create.players, &safe, sizeof safe);
    assert_int_equal(t.seats, 1024);
    assert_int_equal(t.idle_ms, TEMPLATE_IDLE_S * 1000);
    assert_null(t.create.create.scene);
    template_deinit(&t);
    t = parse("{\"seats\": 1, \"players\": {}}");
    assert_int_equal(t.create.create.players.fields, 0);
    template_deinit(&t);
}

static void bad_templates_are_refused_by_key_and_range(void **state)
{
    (void)state;
    refuse("", "line 1");
    refuse("{\"seats\": 2, \"seats\": 3}", "seats");
    refuse("[2]", "must be an object");
    refuse("{}", "seats: is missing: 1 to 1024");
    refuse("{\"seats\": 0}", "seats: must be a whole number, 1 to 1024");
    refuse("{\"seats\": 1025}", "seats: must be a whole number, 1 to 1024");
    refuse("{\"seats\": 1.5}", "seats: must be a whole number, 1 to 1024");
    refuse("{\"seats\": \"2\"}", "seats: must be a whole number, 1 to 1024");
    refuse("{\"seats\": 2, \"idle_s\": 0.5}", "idle_s: must be a number, 1 to 86400");
    refuse("{\"seats\": 2, \"idle_s\": 86401}", "idle_s: must be a number, 1 to 86400");
    refuse("{\"seats\": 2, \"epoch\": 3}", "epoch: is not a template's to say");
    refuse("{\"seats\": 2, \"if_absent\": true}", "if_absent: is not a template's to say");
    refuse("{\"seats\": 2, \"image\": {\"$bin\": \"00\"}}", "image: is not a template's to say");
    refuse("{\"seat\": 2}", "unknown key 'seat'; did you mean 'seats'?");
    refuse("{\"seats\": 2, \"idles\": 2}", "unknown key 'idles'; did you mean 'idle_s'?");
    refuse("{\"seats\": 2, \"gravty\": 2}", "'gravty'; did you mean 'gravity'?");
    refuse("{\"seats\": 2, \"hz\": \"fast\"}", "hz");
    refuse("{\"seats\": 2, \"players\": {\"speed\": -1}}", "players.speed");
}

static void files_are_read_within_their_bound(void **state)
{
    (void)state;
    world_template t;
    error err;
    limits bounds = limits_default();
    char path[] = "templates-XXXXXX";
    assert_int_equal(template_read("arena", "/nowhere/arena.json", NULL, &bounds, &t, &err),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "/nowhere/arena.json: cannot be read"));
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs("{\"seats\": 2, \"scene\": \"billiards\"}", file);
    fflush(file);
    assert_int_equal(template_read("arena", path, NULL, &bounds, &t, &err), STATUS_OK);
    template_deinit(&t);
    bounds.bodies_per_world = 1;
    assert_int_not_equal(template_read("arena", path, NULL, &bounds, &t, &err), STATUS_OK);
    bounds = limits_default();
    for (int i = 0; i < TEMPLATE_BYTES_MAX; i++) {
        fputc(' ', file);
    }
    fclose(file);
    assert_int_equal(template_read("arena", path, NULL, &bounds, &t, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "65536 bytes"));
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(template_has_its_arguments_seats_and_time),
        cmocka_unit_test(template_without_players_has_the_safe_bounds),
        cmocka_unit_test(bad_templates_are_refused_by_key_and_range),
        cmocka_unit_test(files_are_read_within_their_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
