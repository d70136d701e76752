// A scene that libcarom loads into a world over the wire gives exactly the world that the server
// makes from it. Arguments: caromd, the folder of scenes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <carom/scene.h>
#include <carom/watch.h>

#include "tests/integration/client/against_server.h"

static const char *scenes_folder;

static char *read_scene(const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.json", scenes_folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    enum { SCENE_BYTES_MAX = 1 << 20 };
    char *text = malloc(SCENE_BYTES_MAX);
    assert_non_null(text);
    *size = fread(text, 1, SCENE_BYTES_MAX, file);
    assert_true(*size > 0 && *size < SCENE_BYTES_MAX);
    fclose(file);
    return text;
}

// Reads the settings of a scene's world as numbers.
static void read_settings(carom_client *client, const char *world, double out[9])
{
    static const char *const KEYS[] = {"gravity[0]",    "gravity[1]", "hz",
                                       "substeps",      "max_bodies", "restitution_threshold",
                                       "hit_threshold", "sleep_speed"};
    carom_error error;
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    carom_value *info = NULL;
    check_ok(carom_call(client, "world.info", args, PATIENCE_MS, &info, &error), &error);
    for (size_t i = 0; i < 8; i++) {
        assert_non_null(carom_value_path(info, KEYS[i]));
        out[i] = carom_get_real(info, KEYS[i], -1.0);
    }
    out[8] = carom_get_bool(info, "sleep", false) + 2 * carom_get_bool(info, "continuous", false);
    carom_value_free(info);
    carom_value_free(args);
}

static void check_same_settings(carom_client *client, const char *a, const char *b)
{
    double left[9], right[9];
    read_settings(client, a, left);
    read_settings(client, b, right);
    assert_memory_equal(left, right, sizeof left);
}

static void check_same_world(carom_client *client, const char *a, const char *b)
{
    check_same_settings(client, a, b);
    carom_world_info left, right;
    carom_error error;
    check_ok(carom_world_get_info(client, a, PATIENCE_MS, &left, &error), &error);
    check_ok(carom_world_get_info(client, b, PATIENCE_MS, &right, &error), &error);
    assert_int_equal(left.bodies, right.bodies);
    assert_int_equal(left.joints, right.joints);
    assert_int_equal(left.tick, right.tick);
    assert_true(left.has_hash && right.has_hash);
    assert_memory_equal(left.hash, right.hash, sizeof left.hash);
}

static void check_scene(carom_client *client, const char *name)
{
    carom_error error;
    carom_value *args = carom_set(carom_map(), "world", carom_str("made"));
    carom_set(args, "scene", carom_str(name));
    carom_set(args, "paused", carom_bool(true));
    check_ok(carom_call(client, "world.create", args, PATIENCE_MS, NULL, &error), &error);
    carom_value_free(args);
    size_t size;
    char *text = read_scene(name, &size);
    carom_scene_options options = carom_scene_options_default();
    options.paused = true;
    options.timeout_ms = PATIENCE_MS;
    carom_scene_result result;
    check_ok(carom_scene_apply(client, "fed", text, size, &options, &result, &error), &error);
    free(text);
    assert_true(result.created && result.bodies > 0 && result.commands >= result.bodies);
    check_same_world(client, "made", "fed");
    check_ok(carom_world_step(client, "made", 10, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_world_step(client, "fed", 10, PATIENCE_MS, NULL, &error), &error);
    check_same_world(client, "made", "fed");
    check_ok(carom_world_destroy(client, "made", PATIENCE_MS, &error), &error);
    check_ok(carom_world_destroy(client, "fed", PATIENCE_MS, &error), &error);
}

static void every_scene_is_the_same_fed_as_made(void **state)
{
    against_server *s = *state;
    static const char *const NAMES[] = {"demo", "pyramid", "billiards", "cradle",
                                        "heap", "drum",    "gallery"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        check_scene(s->client, NAMES[i]);
    }
}

static void scene_that_fails_midway_leaves_no_world(void **state)
{
    against_server *s = *state;
    static const char SCENE[] =
        "{\"name\":\"bad\",\"commands\":["
        "{\"for\":{\"i\":[1,1500]},\"do\":[[\"body.spawn\",{\"position\":[\"=i\",0],"
        "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.4}]}]]},"
        "[\"body.spawn\",{\"shapes\":[{\"kind\":\"circle\",\"radius\":-1}]}]]}";
    carom_error error = {0};
    assert_int_equal(carom_scene_apply(s->client, "bad", SCENE, strlen(SCENE), NULL, NULL, &error),
                     CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "radius"));
    carom_world_info info;
    assert_int_equal(carom_world_get_info(s->client, "bad", PATIENCE_MS, &info, NULL),
                     CAROM_NOT_FOUND);
}

static void scene_runs_once_it_stands(void **state)
{
    against_server *s = *state;
    size_t size;
    char *text = read_scene("cradle", &size);
    carom_error error;
    carom_scene_result result;
    check_ok(carom_scene_apply(s->client, "running", text, size, NULL, &result, &error), &error);
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "running", NULL, view, PATIENCE_MS, NULL, &error), &error);
    poll_until_tick(s->client, view, result.tick + 5);
    assert_int_equal(carom_view_count(view), result.bodies);
    carom_view_free(view);
    free(text);
    carom_world_destroy(s->client, "running", PATIENCE_MS, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_the_same_fed_as_made),
        cmocka_unit_test(scene_that_fails_midway_leaves_no_world),
        cmocka_unit_test(scene_runs_once_it_stands),
    };
    caromd_path = argc > 1 ? argv[1] : "caromd";
    scenes_folder = argc > 2 ? argv[2] : "proto/scenes";
    return cmocka_run_group_tests(tests, server_set_up, server_tear_down);
}
