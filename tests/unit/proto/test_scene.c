// Scene files: the commands that they unroll to, their errors, and how they are sent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "proto/wire/json.h"
#include "proto/scene/scene.h"

static scene loaded;

static int unload(void **state)
{
    (void)state;
    scene_deinit(&loaded);
    return 0;
}

static void load(const char *text)
{
    error err;
    scene_deinit(&loaded);
    if (scene_load_text(text, strlen(text), NULL, &loaded, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void assert_fails_with(const char *text, status why, const char *says)
{
    error err;
    scene s;
    assert_int_equal(scene_load_text(text, strlen(text), "x.json", &s, &err), why);
    assert_memory_equal(err.text, "x.json: ", 8);
    if (strstr(err.text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, says);
    }
}

static void assert_fails(const char *text, const char *says)
{
    assert_fails_with(text, STATUS_INVALID_ARGUMENT, says);
}

// A MessagePack value in a buffer as JSON text, in memory of its own.
static const char *json_of(const buffer *bytes)
{
    static char text[1 << 20];
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    assert_int_equal(
        msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset),
        MSGPACK_UNPACK_SUCCESS);
    assert_int_equal(offset, bytes->size);
    buffer out;
    buffer_init(&out, sizeof text - 1);
    error err;
    assert_int_equal(json_text_from_msgpack(&unpacked.data, JSON_STYLE_COMPACT, &out, &err),
                     STATUS_OK);
    memcpy(text, out.data, out.size);
    text[out.size] = '\0';
    buffer_deinit(&out);
    msgpack_unpacked_destroy(&unpacked);
    return text;
}

// Command `index`, its references filled in with the ids 1000, 1001 … by command.
static void assert_command(uint32_t index, const char *expected)
{
    assert_true(index < loaded.command_count);
    uint64_t *ids = calloc(loaded.command_count + 1U, sizeof *ids);
    for (uint32_t i = 0; i < loaded.command_count; i++) {
        ids[i] = 1000 + i;
    }
    buffer bytes;
    buffer_init(&bytes, 1 << 20);
    scene_resolve(&loaded, index, ids, loaded.command_count, &bytes);
    assert_string_equal(json_of(&bytes), expected);
    buffer_deinit(&bytes);
    free(ids);
}

#define WITH(commands) "{\"commands\": [" commands "]}"

// ---- settings

static void scene_without_settings_has_the_defaults_of_world_create(void **state)
{
    (void)state;
    load("{\"commands\": []}");
    assert_string_equal(loaded.name, "");
    assert_string_equal(loaded.description, "");
    assert_true(loaded.world.gravity[0] == 0.0 && loaded.world.gravity[1] == -9.81);
    assert_true(loaded.world.hz == 60.0);
    assert_int_equal(loaded.world.substeps, 4);
    assert_true(loaded.world.sleep && loaded.world.continuous);
    assert_true(loaded.world.restitution_threshold == 0.5 && loaded.world.hit_threshold == 1.0);
    assert_true(loaded.world.sleep_speed == 0.05);
    assert_int_equal(loaded.world.bodies_max, 0);
    assert_false(loaded.has_view);
    assert_int_equal(loaded.command_count, 0);
}

static void scene_settings_are_read_with_expressions(void **state)
{
    (void)state;
    load("{\"name\": \"n\", \"description\": \"d\", \"constants\": {\"a\": 2, \"b\": \"a * 5\"},"
         " \"world\": {\"gravity\": [1, \"=-b\"], \"hz\": \"=6 * b\", \"substeps\": 8,"
         "  \"sleep\": false, \"continuous\": false, \"max_bodies\": 100,"
         "  \"restitution_threshold\": 0.5, \"hit_threshold\": 2, \"sleep_speed\": \"=a / 16\"},"
         " \"view\": [-1, -2, \"=a\", 4], \"commands\": []}");
    assert_string_equal(loaded.name, "n");
    assert_string_equal(loaded.description, "d");
    assert_true(loaded.world.gravity[0] == 1.0 && loaded.world.gravity[1] == -10.0);
    assert_true(loaded.world.hz == 60.0);
    assert_int_equal(loaded.world.substeps, 8);
    assert_false(loaded.world.sleep || loaded.world.continuous);
    assert_int_equal(loaded.world.bodies_max, 100);
    assert_true(loaded.world.restitution_threshold == 0.5 && loaded.world.hit_threshold == 2.0);
    assert_true(loaded.world.sleep_speed == 0.125);
    assert_true(loaded.has_view && loaded.view[0] == -1.0 && loaded.view[2] == 2.0);
}

static void scene_settings_that_are_wrong_are_named(void **state)
{
    (void)state;
    assert_fails("[]", "a scene is an object");
    assert_fails("{}", "needs \"commands\"");
    assert_fails("{\"commands\": {}}", "commands: expected a list");
    assert_fails("{\"commands\": [], \"colour\": 1}", "no part 'colour'; it has name, ");
    assert_fails("{\"comands\": []}", "'comands'; did you mean 'commands'? it has name, ");
    assert_fails("{\"commands\": [], \"world\": {\"gravty\": [0, 1]}}", "did you mean 'gravity'?");
    assert_fails("{\"commands\": [], \"name\": 5}", "name: expected a string");
    assert_fails("{\"commands\": [], \"world\": []}", "world: expected an object");
    assert_fails("{\"commands\": [], \"world\": {\"wind\": 1}}", "world: wind: not a setting");
    assert_fails("{\"commands\": [], \"world\": {\"gravity\": 5}}", "world: gravity: expected 2");
    assert_fails("{\"commands\": [], \"world\": {\"hz\": \"fast\"}}",
                 "world: hz: column 1: 'fast'");
    assert_fails("{\"commands\": [], \"world\": {\"substeps\": 2.5}}", "world: substeps: expected");
    assert_fails("{\"commands\": [], \"world\": {\"max_bodies\": -1}}", "expected a whole number");
    assert_fails("{\"commands\": [], \"world\": {\"sleep\": []}}", "world: sleep: expected");
    assert_fails("{\"commands\": [], \"view\": [0, 0, 0, 1]}", "view: expected [x0, y0, x1, y1]");
    assert_fails("{\"commands\": [], \"view\": [0, 0, 1]}", "view: expected 4 numbers");
    assert_fails("{\"commands\": [], \"seed\": 0.5}", "seed: expected a whole number");
    assert_fails("{\"commands\": [], \"constants\": {\"pi\": 3}}", "constants: pi: 'pi' cannot be");
    assert_fails("{\"commands\": [], \"constants\": {\"a\": []}}",
                 "constants: a: expected a number");
    assert_fails("{\"commands\": [], \"constants\": 3}", "constants: expected {");
    assert_fails("{\"commands\": [], \"world\": {\"hz\": {\"$float\": \"nan\"}}}",
                 "hz: not a finite");
}

static void scene_that_is_no_json_tells_line_and_column(void **state)
{
    (void)state;
    assert_fails("{\n  \"commands\": [\n    oops\n  ]\n}", "line 3, column 8");
    assert_fails("{\"commands\": [], \"commands\": []}", "line 1");
}

// ---- commands and values

static void command_goes_through_as_it_is(void **state)
{
    (void)state;
    load(WITH("[\"body.impulse\", {\"body\": 7, \"impulse\": [1.5, -2], \"point\": [0, 0]}],"
              "[\"body.spawn\", {\"shapes\": [], \"awake\": true, \"tag\": \"caf\\u00e9\"}]"));
    assert_int_equal(loaded.command_count, 2);
    assert_command(0, "[\"body.impulse\",{\"body\":7,\"impulse\":[1.5,-2],\"point\":[0,0]}]");
    assert_command(1, "[\"body.spawn\",{\"shapes\":[],\"awake\":true,\"tag\":\"caf\xc3\xa9\"}]");
}

static void expression_is_packed_as_integer_when_whole(void **state)
{
    (void)state;
    load("{\"constants\": {\"w\": 3}, \"commands\": ["
         "[\"body.spawn\", {\"position\": [\"=w * 2\", \"=w / 2\"], \"angle\": \"=0 - w\","
         " \"mass\": \"=1e20\", \"shapes\": []}]]}");
    assert_command(0, "[\"body.spawn\",{\"position\":[6,1.5],\"angle\":-3,\"mass\":1e+20,"
                      "\"shapes\":[]}]");
}

static void text_with_braces_is_filled_in(void **state)
{
    (void)state;
    load("{\"constants\": {\"w\": 3}, \"commands\": ["
         "[\"body.spawn\", {\"tag\": \"{w}-{w + 1}{{x}{-w}\", \"shapes\": []}],"
         "[\"body.spawn\", {\"tag\": \"$$5 = five\", \"shapes\": []}]]}");
    assert_command(0, "[\"body.spawn\",{\"tag\":\"3-4{x}-3\",\"shapes\":[]}]");
    assert_command(1, "[\"body.spawn\",{\"tag\":\"$5 = five\",\"shapes\":[]}]");
}

static void command_that_is_wrong_tells_its_entry_and_path(void **state)
{
    (void)state;
    assert_fails(WITH("5"), "commands[0]: expected [");
    assert_fails(WITH("[]"), "commands[0]: expected [");
    assert_fails(WITH("[\"body.remove\"]"), "commands[0]: expected [");
    assert_fails(WITH("[5, {}]"), "commands[0]: expected [");
    assert_fails(WITH("[\"body.remove\", []]"), "commands[0]: expected [");
    assert_fails_with(WITH("[\"body.fly\", {}]"), STATUS_UNKNOWN_METHOD,
                      "commands[0]: there is no method 'body.fly'");
    assert_fails(WITH("[\"world.destroy\", {}]"), "world.destroy cannot be part of a scene");
    assert_fails(
        WITH("[\"body.remove\", {\"body\": 1}], "
             "[\"body.spawn\", {\"shapes\": [{\"radius\": 1}, {\"radius\": \"=1 / 0\"}]}]"),
        "commands[1]: shapes[1].radius: column 6: division by zero");
    assert_fails(WITH("[\"body.remove\", {\"body\": \"=nothing\"}]"), "body: column 1: 'nothing'");
    assert_fails(WITH("[\"body.remove\", {\"body\": {\"$float\": \"inf\"}}]"),
                 "body: not a finite");
    assert_fails(WITH("[\"body.remove\", {\"body\": {\"$ext\": [1, \"00000000\"]}}]"),
                 "body: an extension");
    assert_fails(WITH("[\"body.remove\", {\"body\": {\"$\": 0}}]"), "body: {\"$\": …}");
    assert_fails(WITH("[\"body.remove\", {\"$map\": [[1, 2]]}]"), "must be a string");
    assert_fails(WITH("[\"body.spawn\", {\"tag\": \"{1\", \"shapes\": []}]"), "tag: a { without");
    assert_fails(WITH("[\"body.spawn\", {\"tag\": \"{1 / 2}\", \"shapes\": []}]"),
                 "tag: the value in braces must be a whole number");
}

// ---- names

static void reference_becomes_the_id_of_what_was_named(void **state)
{
    (void)state;
    load(WITH(
        "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"a\"}],"
        "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"b {1 + 1}\"}],"
        "[\"joint.create\", {\"kind\": \"weld\", \"a\": \"$b 2\", \"b\": \"$a\"}, {\"as\": \"j\"}],"
        "[\"joint.remove\", {\"joint\": \"$j\"}]"));
    assert_command(2, "[\"joint.create\",{\"kind\":\"weld\",\"a\":1001,\"b\":1000}]");
    assert_command(3, "[\"joint.remove\",{\"joint\":1002}]");
}

static void reference_within_a_batch_is_relative_to_it(void **state)
{
    (void)state;
    load(WITH("[\"body.spawn\", {\"shapes\": []}, {\"as\": \"a\"}],"
              "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"b\"}],"
              "[\"joint.create\", {\"kind\": \"weld\", \"a\": \"$a\", \"b\": \"$b\"}]"));
    uint64_t ids[3] = {(uint64_t)1 << 40, 0, 0};
    buffer bytes;
    buffer_init(&bytes, 1000);
    scene_resolve(&loaded, 2, ids, 1, &bytes);
    assert_string_equal(json_of(&bytes), "[\"joint.create\",{\"kind\":\"weld\",\"a\":1099511627776,"
                                         "\"b\":{\"$\":0}}]");
    buffer_deinit(&bytes);
}

static void name_that_is_wrong_is_told(void **state)
{
    (void)state;
    assert_fails(WITH("[\"body.remove\", {\"body\": \"$drum\"}]"),
                 "commands[0]: body: nothing before it is named 'drum'");
    assert_fails(WITH("[\"body.remove\", {\"body\": \"$a\"}],"
                      "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"a\"}]"),
                 "commands[0]: body: nothing before it");
    assert_fails(WITH("[\"body.remove\", {\"body\": \"$\"}]"), "nothing before it is named ''");
    assert_fails(WITH("[\"body.remove\", {\"body\": 1}, {\"as\": \"a\"}]"),
                 "body.remove makes nothing");
    assert_fails(WITH("[\"body.spawn\", {\"shapes\": []}, {\"as\": 5}]"), "must be {\"as\"");
    assert_fails(WITH("[\"body.spawn\", {\"shapes\": []}, {}]"), "must be {\"as\"");
    assert_fails(WITH("[\"body.spawn\", {\"shapes\": []}, {\"as\": \"\"}]"),
                 "as: a name must have");
    assert_fails(WITH("[\"body.spawn\", {\"shapes\": []}, {\"as\": \"{oops}\"}]"), "as: column 1");
    assert_fails_with(WITH("{\"for\": {\"i\": [1, 2]}, \"do\": ["
                           "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"a\"}]]}"),
                      STATUS_ALREADY_EXISTS,
                      "commands[0].do[0] (i = 2): as: the name 'a' is taken");
}

static void thousands_of_names_are_each_found(void **state)
{
    (void)state;
    load(WITH(
        "{\"for\": {\"i\": [0, 2999]}, \"do\": ["
        "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"link {i}\"}]]},"
        "{\"for\": {\"i\": [0, 2999]}, \"do\": [[\"body.remove\", {\"body\": \"$link {i}\"}]]}"));
    assert_int_equal(loaded.command_count, 6000);
    for (uint32_t i = 0; i < 3000; i += 97) {
        char expected[64];
        snprintf(expected, sizeof expected, "[\"body.remove\",{\"body\":%u}]", 1000 + i);
        assert_command(3000 + i, expected);
    }
}

// ---- blocks

#define SPAWN_AT(x) "[\"body.spawn\", {\"shapes\": [], \"position\": [" x ", 0]}]"

static void assert_positions(const int *x, uint32_t count)
{
    assert_int_equal(loaded.command_count, count);
    for (uint32_t i = 0; i < count; i++) {
        char expected[80];
        snprintf(expected, sizeof expected, "[\"body.spawn\",{\"shapes\":[],\"position\":[%d,0]}]",
                 x[i]);
        assert_command(i, expected);
    }
}

static void loop_counts_both_ends(void **state)
{
    (void)state;
    load(WITH("{\"for\": {\"i\": [2, 4]}, \"do\": [" SPAWN_AT("\"=i\"") "]}"));
    assert_positions((const int[]){2, 3, 4}, 3);
    load(WITH("{\"for\": {\"i\": [4, 2]}, \"do\": [" SPAWN_AT("\"=i\"") "]}"));
    assert_positions(NULL, 0);
    load(WITH("{\"for\": {\"i\": [5, 5]}, \"do\": [" SPAWN_AT("\"=i\"") "]}"));
    assert_positions((const int[]){5}, 1);
}

static void loop_with_a_step_may_run_down(void **state)
{
    (void)state;
    load(WITH("{\"for\": {\"i\": [5, 0, -2]}, \"do\": [" SPAWN_AT("\"=i\"") "]}"));
    assert_positions((const int[]){5, 3, 1}, 3);
    load(WITH("{\"for\": {\"i\": [0, 1, 0.25]}, \"do\": [" SPAWN_AT("\"=4 * i\"") "]}"));
    assert_positions((const int[]){0, 1, 2, 3, 4}, 5);
}

static void loop_over_two_variables_runs_the_second_faster_and_may_use_the_first(void **state)
{
    (void)state;
    load(WITH("{\"for\": {\"i\": [0, 2], \"j\": [\"i\", \"=2\"]}, \"do\": [" SPAWN_AT(
        "\"=10 * i + j\"") "]}"));
    assert_positions((const int[]){0, 1, 2, 11, 12, 22}, 6);
}

static void let_and_if_are_evaluated_each_time(void **state)
{
    (void)state;
    load(WITH("{\"for\": {\"i\": [1, 4]}, \"let\": {\"sq\": \"i * i\", \"d\": \"sq + 1\"},"
              " \"if\": \"i % 2 == 0\", \"do\": [" SPAWN_AT("\"=sq\"") "],"
                                                                       " \"else\": [" SPAWN_AT(
                                                                           "\"=-d\"") "]}"));
    assert_positions((const int[]){-2, 4, -10, 16}, 4);
}

static void block_without_a_loop_is_done_once(void **state)
{
    (void)state;
    load(WITH("{\"do\": [" SPAWN_AT("1") "]}, {\"if\": false, \"do\": [" SPAWN_AT(
        "2") "]},"
             "{\"let\": {\"a\": 3}, \"do\": [{\"let\": {\"a\": \"a + 1\"}, \"do\": [" SPAWN_AT(
                 "\"=a\"") "]}, " SPAWN_AT("\"=a\"") "]}"));
    assert_positions((const int[]){1, 4, 3}, 3);
}

static void variable_is_unknown_outside_its_block(void **state)
{
    (void)state;
    assert_fails(
        WITH("{\"for\": {\"i\": [0, 1]}, \"let\": {\"a\": 1}, \"do\": []}," SPAWN_AT("\"=i\"")),
        "commands[1]: position[0]: column 1: 'i' is not defined");
    assert_fails(
        WITH("{\"for\": {\"i\": [0, 1]}, \"let\": {\"a\": 1}, \"do\": []}," SPAWN_AT("\"=a\"")),
        "'a' is not defined");
}

static void block_that_is_wrong_tells_its_place_and_its_variables(void **state)
{
    (void)state;
    assert_fails(WITH("{}"), "commands[0]: a block needs a do");
    assert_fails(WITH("{\"do\": [], \"else\": []}"), "an else an if");
    assert_fails(WITH("{\"do\": [], \"while\": 1}"), "a block has for, let, if, do and else");
    assert_fails(WITH("{\"do\": 5}"), "commands[0]: do: expected a list");
    assert_fails(WITH("{\"for\": [], \"do\": []}"), "commands[0]: for: expected {");
    assert_fails(WITH("{\"for\": {\"i\": 5}, \"do\": []}"), "for: expected [first, last]");
    assert_fails(WITH("{\"for\": {\"i\": [1]}, \"do\": []}"), "for: expected [first, last]");
    assert_fails(WITH("{\"for\": {\"i\": [0, 1, 0]}, \"do\": []}"), "for: the step must not be 0");
    assert_fails(WITH("{\"for\": {\"i\": [0, \"=x\"]}, \"do\": []}"), "for: column 1: 'x'");
    assert_fails(WITH("{\"for\": {\"sin\": [0, 1]}, \"do\": []}"), "'sin' cannot be");
    assert_fails(WITH("{\"if\": \"x\", \"do\": []}"), "commands[0]: if: column 1: 'x'");
    assert_fails(WITH("{\"let\": {\"a\": \"x\"}, \"do\": []}"),
                 "commands[0]: let: a: column 1: 'x'");
    assert_fails(
        WITH(SPAWN_AT("0") ", {\"for\": {\"i\": [0, 5], \"j\": [0, 1]}, \"do\": [" SPAWN_AT(
            "0") ", {\"do\": [" SPAWN_AT("\"=1 / (i - 3)\"") "]}]}"),
        "commands[1].do[1].do[0] (i = 3, j = 0): position[0]: column 12: division by zero");
}

static void random_of_a_seed_is_the_same_each_time(void **state)
{
    (void)state;
    static const char TEXT[] =
        "{\"seed\": 5, \"commands\": [{\"for\": {\"i\": [0, 9]}, \"do\": [" SPAWN_AT(
            "\"=floor(random(0, 1e6))\"") "]}]}";
    load(TEXT);
    uint8_t first[2000];
    size_t size = loaded.bytes.size;
    assert_true(size < sizeof first);
    memcpy(first, loaded.bytes.data, size);
    load(TEXT);
    assert_int_equal(loaded.bytes.size, size);
    assert_memory_equal(loaded.bytes.data, first, size);
    char other[sizeof TEXT];
    memcpy(other, TEXT, sizeof TEXT);
    *strchr(other, '5') = '6';
    load(other);
    assert_true(loaded.bytes.size != size || memcmp(loaded.bytes.data, first, size) != 0);
}

// ---- limits

static void loop_of_too_many_turns_is_refused(void **state)
{
    (void)state;
    assert_fails(WITH("{\"for\": {\"i\": [0, 1e12]}, \"do\": []}"),
                 "a loop of 1000000000001 turns; the limit is 33554432");
    assert_fails(WITH("{\"for\": {\"i\": [1, 33554433]}, \"do\": []}"),
                 "a loop of 33554433 turns; the limit is 33554432");
    assert_fails(WITH("{\"for\": {\"i\": [-1e308, 1e308, 1e-12]}, \"do\": []}"),
                 "a loop of more than 1000000000000000 turns; the limit is 33554432");
    assert_fails_with(WITH("{\"for\": {\"i\": [1, 1e4], \"j\": [1, 1e4]}, \"do\": []}"),
                      STATUS_LIMIT_EXCEEDED, "too much work");
}

static void commands_up_to_the_limit_pass_and_one_more_is_refused(void **state)
{
    (void)state;
    load(WITH("{\"for\": {\"i\": [1, 131072]}, \"do\": [[\"body.remove\", {}]]}"));
    assert_int_equal(loaded.command_count, SCENE_COMMANDS_MAX);
    assert_fails_with(WITH("{\"for\": {\"i\": [1, 131073]}, \"do\": [[\"body.remove\", {}]]}"),
                      STATUS_LIMIT_EXCEEDED, "commands[0].do[0] (i = 131073): too many commands");
}

static void blocks_nested_at_the_limit_pass_and_deeper_is_refused(void **state)
{
    (void)state;
    buffer text;
    buffer_init(&text, 1000);
    buffer_append(&text, "{\"commands\": [", 14);
    for (int i = 0; i < SCENE_BLOCK_DEPTH_MAX; i++) {
        buffer_append(&text, "{\"do\": [", 8);
    }
    buffer_append(&text, "[\"body.remove\", {}]", 19);
    for (int i = 0; i < SCENE_BLOCK_DEPTH_MAX; i++) {
        buffer_append(&text, "]}", 2);
    }
    buffer_append(&text, "]}", 3); // and the closing zero
    load((const char *)text.data);
    buffer_deinit(&text);
    assert_int_equal(loaded.command_count, 1);
    assert_fails_with(WITH("{\"do\": [{\"do\": [{\"do\": [{\"do\": [{\"do\": [{\"do\": [{\"do\": ["
                           "{\"do\": [{\"do\": []}]}]}]}]}]}]}]}]}"),
                      STATUS_LIMIT_EXCEEDED, "blocks nested too deep; the limit is 8");
}

static void command_too_large_for_a_message_is_refused(void **state)
{
    (void)state;
    size_t size = SCENE_CHUNK_BYTES_MAX + 1000;
    char *text = malloc(size);
    snprintf(text, size, "{\"commands\": [[\"body.spawn\", {\"tag\": \"%0*d\", \"shapes\": []}]]}",
             SCENE_CHUNK_BYTES_MAX, 0);
    assert_fails_with(text, STATUS_LIMIT_EXCEEDED,
                      "commands[0]: the command is too large; the limit is 262144 bytes");
    free(text);
}

static void names_and_texts_over_their_limits_are_refused(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text,
             "{\"commands\": [[\"body.spawn\", {\"shapes\": []}, {\"as\": \"%0*d\"}]]}",
             SCENE_NAME_MAX + 1, 0);
    assert_fails_with(text, STATUS_LIMIT_EXCEEDED, "as: the text is too long");
    snprintf(text, sizeof text, "{\"commands\": [], \"description\": \"%0*d\"}",
             SCENE_DESCRIPTION_MAX + 1, 0);
    assert_fails(text, "description: expected a string of at most 1024");
}

static void file_over_the_limit_is_refused(void **state)
{
    (void)state;
    char *text = malloc(SCENE_FILE_BYTES_MAX + 2);
    memset(text, ' ', SCENE_FILE_BYTES_MAX + 1);
    text[SCENE_FILE_BYTES_MAX + 1] = '\0';
    assert_fails_with(text, STATUS_LIMIT_EXCEEDED, "the limit is 4194304");
    free(text);
}

static void file_that_is_not_there_is_not_found(void **state)
{
    (void)state;
    error err;
    scene s;
    assert_int_equal(scene_load_file("no/such/scene.json", &s, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "no/such/scene.json: "));
    assert_int_equal(scene_load_file(".", &s, &err), STATUS_INVALID_ARGUMENT);
}

// ---- sending

// Sends the scene as a client does, to a world that gives command i the id 5000 + i, and checks
// that every reference arrives at its body. Returns the number of chunks.
static uint32_t send_all(size_t bytes_max)
{
    uint64_t *ids = calloc(loaded.command_count + 1U, sizeof *ids);
    uint32_t chunks = 0;
    uint32_t first = 0;
    for (;;) {
        buffer bytes;
        buffer_init(&bytes, 1 << 20);
        uint32_t count = scene_next_chunk(&loaded, first, ids, bytes_max, &bytes);
        msgpack_unpacked unpacked;
        msgpack_unpacked_init(&unpacked);
        size_t offset = 0;
        assert_int_equal(
            msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset),
            MSGPACK_UNPACK_SUCCESS);
        assert_int_equal(offset, bytes.size);
        assert_int_equal(unpacked.data.via.array.size, count);
        for (uint32_t i = 0; i < count; i++) {
            const msgpack_object *entry = unpacked.data.via.array.ptr[i].via.array.ptr;
            if (entry[0].via.str.size == strlen("body.remove")) {
                const msgpack_object *body = &entry[1].via.map.ptr[0].val;
                uint64_t wanted = 5000 + first + i - 1;
                uint64_t got = body->type == MSGPACK_OBJECT_MAP
                                   ? 5000 + first + body->via.map.ptr[0].val.via.u64
                                   : body->via.u64;
                assert_int_equal(got, wanted);
            }
        }
        msgpack_unpacked_destroy(&unpacked);
        assert_true(count <= WIRE_APPLY_COMMANDS_MAX);
        assert_true(count == 1 || bytes.size <= bytes_max + 5);
        buffer_deinit(&bytes);
        for (uint32_t i = 0; i < count; i++) {
            ids[first + i] = 5000 + first + i;
        }
        if (count == 0) {
            break;
        }
        first += count;
        chunks++;
    }
    assert_int_equal(first, loaded.command_count);
    free(ids);
    return chunks;
}

static void chunks_hold_all_commands_within_their_limits(void **state)
{
    (void)state;
    load(WITH("{\"for\": {\"i\": [1, 2250]}, \"do\": ["
              "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"b{i}\"}],"
              "[\"body.remove\", {\"body\": \"$b{i}\"}]]}"));
    assert_int_equal(send_all(SCENE_CHUNK_BYTES_MAX), 5);
    // Chunks limited by bytes: 4500 commands of 20 or more bytes each.
    assert_true(send_all(1000) >= 90);
    // A limit smaller than a command: one command at a time.
    assert_int_equal(send_all(1), 4500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_without_settings_has_the_defaults_of_world_create),
        cmocka_unit_test(scene_settings_are_read_with_expressions),
        cmocka_unit_test(scene_settings_that_are_wrong_are_named),
        cmocka_unit_test(scene_that_is_no_json_tells_line_and_column),
        cmocka_unit_test(command_goes_through_as_it_is),
        cmocka_unit_test(expression_is_packed_as_integer_when_whole),
        cmocka_unit_test(text_with_braces_is_filled_in),
        cmocka_unit_test(command_that_is_wrong_tells_its_entry_and_path),
        cmocka_unit_test(reference_becomes_the_id_of_what_was_named),
        cmocka_unit_test(reference_within_a_batch_is_relative_to_it),
        cmocka_unit_test(name_that_is_wrong_is_told),
        cmocka_unit_test(thousands_of_names_are_each_found),
        cmocka_unit_test(loop_counts_both_ends),
        cmocka_unit_test(loop_with_a_step_may_run_down),
        cmocka_unit_test(loop_over_two_variables_runs_the_second_faster_and_may_use_the_first),
        cmocka_unit_test(let_and_if_are_evaluated_each_time),
        cmocka_unit_test(block_without_a_loop_is_done_once),
        cmocka_unit_test(variable_is_unknown_outside_its_block),
        cmocka_unit_test(block_that_is_wrong_tells_its_place_and_its_variables),
        cmocka_unit_test(random_of_a_seed_is_the_same_each_time),
        cmocka_unit_test(loop_of_too_many_turns_is_refused),
        cmocka_unit_test(commands_up_to_the_limit_pass_and_one_more_is_refused),
        cmocka_unit_test(blocks_nested_at_the_limit_pass_and_deeper_is_refused),
        cmocka_unit_test(command_too_large_for_a_message_is_refused),
        cmocka_unit_test(names_and_texts_over_their_limits_are_refused),
        cmocka_unit_test(file_over_the_limit_is_refused),
        cmocka_unit_test(file_that_is_not_there_is_not_found),
        cmocka_unit_test(chunks_hold_all_commands_within_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, unload);
}
