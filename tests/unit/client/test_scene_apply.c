// Scenes fed over the wire: pieces, ids, failures. The integration tests check that a scene gives
// the same world here as on the server.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <carom/scene.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

// Gives each body the id 1000 + its place, and each joint 5000 + its place, counted over all
// commands.
typedef struct builder {
    char calls[512]; // methods, in order
    uint64_t commands, pieces;
    size_t piece_max;
    uint64_t joint_a, joint_b; // bodies of the last joint.create
    uint64_t fail_at;          // the piece that is refused, from 1
    bool exists;
} builder;

static void note_call(builder *b, const char *name)
{
    size_t used = strlen(b->calls);
    snprintf(b->calls + used, sizeof b->calls - used, "%s ", name);
}

static uint64_t resolve(const carom_value *id, uint64_t first)
{
    // {"$": k}: what command k of this piece has made
    const carom_value *place = carom_value_get(id, "$");
    return place != NULL ? 1000 + first + carom_as_uint(place, 0) : carom_as_uint(id, 0);
}

static void apply_piece(builder *b, fake_server *server, const fake_message *m)
{
    const carom_value *commands = carom_value_get(m->args, "commands");
    size_t count = carom_value_count(commands);
    carom_value *results = carom_array();
    b->pieces++;
    b->piece_max = count > b->piece_max ? count : b->piece_max;
    if (b->pieces == b->fail_at) {
        carom_value_free(results);
        fake_refuse(server, m->id, "limit_exceeded: the world is full");
        return;
    }
    uint64_t first = b->commands;
    for (size_t i = 0; i < count; i++) {
        const carom_value *c = carom_value_at(commands, i);
        uint64_t place = b->commands++;
        carom_value *made = carom_map();
        if (strcmp(carom_get_str(c, "[0]", ""), "body.spawn") == 0) {
            carom_set(made, "body", carom_uint(1000 + place));
        } else {
            carom_set(made, "joint", carom_uint(5000 + place));
            b->joint_a = resolve(carom_value_path(c, "[1].a"), first);
            b->joint_b = resolve(carom_value_path(c, "[1].b"), first);
        }
        carom_push(results, made);
    }
    carom_value *answer = carom_set(carom_map(), "tick", carom_uint(b->pieces));
    fake_reply(server, m->id, carom_set(answer, "results", results));
}

static void build(fake_server *server, const fake_message *m, void *user)
{
    builder *b = user;
    if (strcmp(m->method, "hello") == 0) {
        fake_answer(server, m);
        return;
    }
    if (strcmp(m->method, "world.apply") == 0) {
        apply_piece(b, server, m);
        return;
    }
    note_call(b, m->method);
    if (b->exists && strcmp(m->method, "world.create") == 0) {
        fake_refuse(server, m->id, "already_exists: world 'w'");
        return;
    }
    if (strcmp(m->method, "world.create") == 0) {
        assert_true(carom_get_bool(m->args, "paused", false));
        assert_true(carom_get_vec(m->args, "gravity", (carom_vec2){0, 0}).y == -5);
        assert_int_equal(carom_get_int(m->args, "hz", 0), 120);
    }
    fake_reply(server, m->id, carom_set(carom_map(), "tick", carom_uint(0)));
}

// A floor, `n` balls, and a joint from the last ball to the floor.
static carom_status feed(builder *b, int n, const carom_scene_options *options,
                         carom_scene_result *result, carom_error *err)
{
    char text[1024];
    int size = snprintf(
        text, sizeof text,
        "{\"name\":\"t\",\"world\":{\"gravity\":[0,-5],\"hz\":120},\"commands\":["
        "[\"body.spawn\",{\"type\":\"static\",\"shapes\":[]},{\"as\":\"floor\"}],"
        "{\"for\":{\"i\":[1,%d]},\"do\":[[\"body.spawn\",{\"position\":[\"=i\",0],\"shapes\":"
        "[{\"kind\":\"circle\",\"radius\":0.5}]},{\"as\":\"ball{i}\"}]]},"
        "[\"joint.create\",{\"kind\":\"weld\",\"a\":\"$floor\",\"b\":\"$ball%d\",\"anchor\":[0,0]}"
        "]]}",
        n, n);
    fake_server *server = fake_start(&(fake_options){.handler = build, .user = b});
    carom_client *client = connect_to(server, NULL);
    carom_status outcome = carom_scene_apply(client, "w", text, (size_t)size, options, result, err);
    carom_free(client);
    fake_stop(server);
    return outcome;
}

static void small_scene_goes_in_one_piece(void **state)
{
    (void)state;
    builder b = {0};
    carom_scene_result result;
    carom_error why = {0};
    carom_status outcome = feed(&b, 3, NULL, &result, &why);
    if (outcome != CAROM_OK) {
        fail_msg("%s", why.text);
    }
    assert_string_equal(b.calls, "world.create world.resume ");
    assert_true(result.created);
    assert_int_equal(result.commands, 5);
    assert_int_equal(result.bodies, 4);
    assert_int_equal(result.joints, 1);
    assert_int_equal(result.tick, b.pieces);
    assert_int_equal(b.joint_a, 1000);
    assert_int_equal(b.joint_b, 1003);
}

static void large_scene_is_cut_and_its_references_hold(void **state)
{
    (void)state;
    builder b = {0};
    carom_scene_result result;
    assert_int_equal(feed(&b, 6000, NULL, &result, NULL), CAROM_OK);
    assert_true(b.pieces >= 6);
    assert_true(b.piece_max <= 1000);
    assert_int_equal(b.commands, 6002);
    assert_int_equal(result.bodies, 6001);
    assert_int_equal(b.joint_a, 1000);
    assert_int_equal(b.joint_b, 7000);
}

static void world_that_exists_is_fed_as_it_runs(void **state)
{
    (void)state;
    builder b = {.exists = true};
    carom_scene_result result;
    assert_int_equal(feed(&b, 3, NULL, &result, NULL), CAROM_OK);
    assert_string_equal(b.calls, "world.create ");
    assert_false(result.created);
    carom_scene_options options = carom_scene_options_default();
    options.create = false;
    b = (builder){0};
    assert_int_equal(feed(&b, 3, &options, NULL, NULL), CAROM_OK);
    assert_string_equal(b.calls, "");
}

static void paused_scene_stays_paused(void **state)
{
    (void)state;
    builder b = {0};
    carom_scene_options options = carom_scene_options_default();
    options.paused = true;
    assert_int_equal(feed(&b, 3, &options, NULL, NULL), CAROM_OK);
    assert_string_equal(b.calls, "world.create ");
}

static void failed_piece_takes_the_created_world_with_it(void **state)
{
    (void)state;
    builder b = {.fail_at = 2};
    carom_scene_result result = {.commands = 99};
    carom_error why = {0};
    assert_int_equal(feed(&b, 2500, NULL, &result, &why), CAROM_LIMIT_EXCEEDED);
    assert_true(why.from_server);
    assert_non_null(strstr(why.text, "the world is full"));
    assert_non_null(strstr(why.text, "commands "));
    assert_string_equal(b.calls, "world.create world.destroy ");
    assert_int_equal(result.commands, 99);
    b = (builder){.fail_at = 2, .exists = true};
    assert_int_equal(feed(&b, 2500, NULL, NULL, NULL), CAROM_LIMIT_EXCEEDED);
    // the client did not make it, so it must not destroy it
    assert_string_equal(b.calls, "world.create ");
}

static void what_is_no_scene_is_refused_before_anything_is_sent(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "",
        "{",
        "[]",
        "{\"commands\":[[\"body.spawn\"]]}",
        "{\"name\":\"t\",\"commands\":[[\"joint.create\",{\"a\":\"$nobody\"}]]}",
    };
    builder b = {0};
    fake_server *server = fake_start(&(fake_options){.handler = build, .user = &b});
    carom_client *client = connect_to(server, NULL);
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        carom_error why = {0};
        assert_int_equal(
            carom_scene_apply(client, "w", TEXTS[i], strlen(TEXTS[i]), NULL, NULL, &why),
            CAROM_INVALID_ARGUMENT);
        assert_true(strlen(why.text) > 0);
    }
    carom_free(client);
    fake_stop(server);
    assert_string_equal(b.calls, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scene_goes_in_one_piece),
        cmocka_unit_test(large_scene_is_cut_and_its_references_hold),
        cmocka_unit_test(world_that_exists_is_fed_as_it_runs),
        cmocka_unit_test(paused_scene_stays_paused),
        cmocka_unit_test(failed_piece_takes_the_created_world_with_it),
        cmocka_unit_test(what_is_no_scene_is_refused_before_anything_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
