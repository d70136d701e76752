// Every method that is not about subscriptions, over the wire.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/client.h"
#include "tests/support/process.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"

static const char *program;
static process server;
static client c;
static char scenes[] = "scenes.XXXXXX";

static void write_scene(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.json", scenes, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(scenes));
    write_scene("two", "{\"name\":\"two\",\"world\":{\"gravity\":[0,-3],\"hz\":30},\"commands\":["
                       "[\"body.spawn\",{\"shapes\":[" BALL "]}],"
                       "[\"body.spawn\",{\"position\":[5,0],\"shapes\":[" BALL "]}]]}");
    write_scene("broken", "{\"name\":\"broken\",\"commands\":[[\"body.spawn\",{\"shapes\":7}]]}");
    process_start(&server, program,
                  (const char *const[]){"--world", "first:two", "--world", "second", "--scenes",
                                        scenes, "--hz", "50", "--threads", "2", NULL});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(process_stop(&server, SIGTERM, CLIENT_WAIT_MS), 0);
    snprintf(path, sizeof path, "%s/two.json", scenes);
    unlink(path);
    snprintf(path, sizeof path, "%s/broken.json", scenes);
    unlink(path);
    rmdir(scenes);
    return 0;
}

static int open_client(void **state)
{
    (void)state;
    client_open(&c, server.port);
    return 0;
}

static int close_client(void **state)
{
    (void)state;
    client_close(&c);
    return 0;
}

static void hello_tells_who_is_there(void **state)
{
    (void)state;
    const msgpack_object *r = client_call(&c, "hello", "{\"client\":\"a test\",\"token\":\"x\"}");
    assert_int_equal(obj_get_uint(r, "protocol"), 1);
    assert_string_equal(obj_get_text(r, "server"), "caromd");
    assert_string_equal(obj_get_text(r, "role"), "admin");
    assert_true(strlen(obj_get_text(r, "resume")) > 64); // 32 bytes of secret, in hexadecimal
    uint64_t session = obj_get_uint(r, "session");
    const msgpack_object *limits = obj_get(r, "limits");
    assert_true(obj_get_uint(limits, "message_bytes") >= 1 << 20);
    assert_int_equal(obj_get_uint(limits, "connections"), 4096);
    client other;
    client_open(&other, server.port);
    assert_true(obj_get_uint(client_call(&other, "hello", "{}"), "session") > session);
    client_close(&other);
    assert_int_equal(obj_get_uint(client_call(&c, "hello", "{\"protocol\":9}"), "protocol"), 1);
}

static void ping_gives_back_what_was_sent(void **state)
{
    (void)state;
    const msgpack_object *r = client_call(&c, "ping", "{\"any\":[1,\"two\",null]}");
    double first = obj_get_number(r, "time");
    assert_int_equal(obj_count(obj_get(r, "any")), 3);
    r = client_call(&c, "ping", "{}");
    assert_null(obj_find(r, "any"));
    assert_true(obj_get_number(r, "time") >= first);
}

static void server_info_and_stats_count(void **state)
{
    (void)state;
    const msgpack_object *info = client_call(&c, "server.info", "{}");
    assert_true(obj_get_uint(info, "worlds") >= 2);
    assert_true(obj_get_uint(info, "sessions") >= 1);
    assert_true(obj_get_number(info, "uptime") > 0.0);
    client_call(&c, "world.info", "{\"world\":\"first\"}");
    const msgpack_object *stats = client_call(&c, "server.stats", "{}");
    const msgpack_object *counters = obj_get(stats, "counters");
    assert_true(obj_get_uint(counters, "requests") >= 2);
    assert_true(obj_get_uint(counters, "ticks") >= 1);
    const msgpack_object *step = obj_get(obj_get(stats, "latencies"), "step");
    assert_true(obj_get_uint(step, "count") >= 1);
    assert_true(obj_get_number(step, "max") > 0.0);
}

static void worlds_of_the_options_are_there(void **state)
{
    (void)state;
    const msgpack_object *first = client_call(&c, "world.info", "{\"world\":\"first\"}");
    assert_int_equal(obj_get_uint(first, "bodies"), 2);
    assert_true(obj_get_number(first, "hz") == 30.0); // the scene's
    const msgpack_object *second = client_call(&c, "world.info", "{\"world\":\"second\"}");
    assert_int_equal(obj_get_uint(second, "bodies"), 0);
    assert_true(obj_get_number(second, "hz") == 50.0); // the option's
}

static void world_is_made_listed_and_destroyed(void **state)
{
    (void)state;
    uint32_t before = obj_count(client_call(&c, "world.list", "{}"));
    const msgpack_object *r =
        client_call(&c, "world.create", "{\"world\":\"mine\",\"hz\":20,\"paused\":true}");
    assert_string_equal(obj_get_text(r, "world"), "mine");
    assert_int_equal(obj_get_uint(r, "tick"), 0);
    const msgpack_object *list = client_call(&c, "world.list", "{}");
    assert_int_equal(obj_count(list), before + 1);
    char previous[65] = "";
    for (uint32_t i = 0; i < obj_count(list); i++) {
        const char *name = obj_get_text(obj_at(list, i), "world");
        assert_true(strcmp(previous, name) < 0);
        snprintf(previous, sizeof previous, "%s", name);
    }
    uint64_t epoch = obj_get_uint(client_call(&c, "world.info", "{\"world\":\"mine\"}"), "epoch");
    client_call(&c, "world.destroy", "{\"world\":\"mine\"}");
    assert_non_null(
        strstr(client_call_error(&c, "world.info", "{\"world\":\"mine\"}"), "not_found: "));
    assert_int_equal(obj_count(client_call(&c, "world.list", "{}")), before);
    // The name is free at once; it is another world.
    uint32_t create = client_request(&c, "world.create", "{\"world\":\"mine\"}");
    uint32_t destroy = client_request(&c, "world.destroy", "{\"world\":\"mine\"}");
    uint32_t again = client_request(&c, "world.create", "{\"world\":\"mine\"}");
    uint32_t info = client_request(&c, "world.info", "{\"world\":\"mine\"}");
    client_result(&c, create);
    client_result(&c, destroy);
    client_result(&c, again);
    assert_int_equal(obj_get_uint(client_result(&c, info), "epoch"), epoch + 2);
    client_call(&c, "world.destroy", "{\"world\":\"mine\"}");
}

static void calls_right_behind_a_create_reach_its_world(void **state)
{
    (void)state;
    uint32_t ids[4];
    ids[0] = client_request(&c, "world.create", "{\"world\":\"fast\",\"scene\":\"two\"}");
    ids[1] = client_request(&c, "body.spawn", "{\"world\":\"fast\",\"shapes\":[" BALL "]}");
    ids[2] = client_request(&c, "world.create", "{\"world\":\"fast\"}");
    ids[3] = client_request(&c, "world.info", "{\"world\":\"fast\"}");
    client_result(&c, ids[0]);
    client_result(&c, ids[1]);
    assert_non_null(strstr(client_error(&c, ids[2]), "already_exists: "));
    assert_int_equal(obj_get_uint(client_result(&c, ids[3]), "bodies"), 3);
    client_call(&c, "world.destroy", "{\"world\":\"fast\"}");
    // If it cannot be made, those behind it are told.
    ids[0] = client_request(&c, "world.create", "{\"world\":\"fast\",\"scene\":\"broken\"}");
    ids[1] = client_request(&c, "world.info", "{\"world\":\"fast\"}");
    assert_non_null(strstr(client_error(&c, ids[0]), "scene"));
    assert_non_null(strstr(client_error(&c, ids[1]), "not_found: "));
    client_call(&c, "world.create", "{\"world\":\"fast\"}");
    client_call(&c, "world.destroy", "{\"world\":\"fast\"}");
}

static void scene_gives_its_settings_and_arguments_come_first(void **state)
{
    (void)state;
    client_call(&c, "world.create", "{\"world\":\"s\",\"scene\":\"two\",\"hz\":100}");
    const msgpack_object *info = client_call(&c, "world.info", "{\"world\":\"s\"}");
    assert_true(obj_get_number(info, "hz") == 100.0);
    assert_true(obj_number(obj_at(obj_get(info, "gravity"), 1)) == -3.0);
    client_call(&c, "world.destroy", "{\"world\":\"s\"}");
    client_call(&c, "world.create", "{\"world\":\"s\",\"scene\":\"demo\"}"); // a built-in one
    info = client_call(&c, "world.info", "{\"world\":\"s\"}");
    assert_true(obj_get_uint(info, "bodies") > 2);
    client_call(&c, "world.destroy", "{\"world\":\"s\"}");
}

static void paused_world_steps_when_told(void **state)
{
    (void)state;
    client_call(&c, "world.create", "{\"world\":\"p\",\"paused\":true,\"hz\":60}");
    uint64_t body = obj_get_uint(
        client_call(&c, "body.spawn", "{\"world\":\"p\",\"shapes\":[" BALL "]}"), "body");
    assert_int_equal(
        obj_get_uint(client_call(&c, "world.step", "{\"world\":\"p\",\"ticks\":60}"), "tick"), 60);
    assert_int_equal(obj_get_uint(client_call(&c, "world.step", "{\"world\":\"p\"}"), "tick"), 61);
    const msgpack_object *state_of =
        client_call(&c, "body.get", "{\"world\":\"p\",\"body\":%llu}", (unsigned long long)body);
    double y = obj_number(obj_at(obj_get(state_of, "position"), 1));
    assert_true(y < -4.9 && y > -5.3); // g t² / 2 after 61 ticks of 1/60 s
    client_call(&c, "world.resume", "{\"world\":\"p\"}");
    assert_non_null(
        strstr(client_call_error(&c, "world.step", "{\"world\":\"p\"}"), "unavailable: "));
    uint64_t tick = obj_get_uint(client_call(&c, "world.pause", "{\"world\":\"p\"}"), "tick");
    assert_true(tick > 61);
    usleep(50000);
    assert_int_equal(obj_get_uint(client_call(&c, "world.info", "{\"world\":\"p\"}"), "tick"),
                     tick);
    client_call(&c, "world.destroy", "{\"world\":\"p\"}");
}

static void bodies_are_changed_by_every_command(void **state)
{
    (void)state;
    client_call(&c, "world.create", "{\"world\":\"b\",\"paused\":true,\"gravity\":[0,0]}");
    const msgpack_object *spawned =
        client_call(&c, "body.spawn",
                    "{\"world\":\"b\",\"tag\":\"hero\",\"shapes\":[" BALL
                    ",{\"kind\":\"box\",\"size\":[1,2]}]}");
    unsigned long long body = obj_get_uint(spawned, "body");
    assert_int_equal(obj_count(obj_get(spawned, "shapes")), 2);
    client_call(&c, "body.impulse", "{\"world\":\"b\",\"body\":%llu,\"impulse\":[2,0]}", body);
    client_call(&c, "body.angular_impulse", "{\"world\":\"b\",\"body\":%llu,\"impulse\":1}", body);
    client_call(&c, "body.force", "{\"world\":\"b\",\"body\":%llu,\"force\":[0,3]}", body);
    client_call(&c, "body.torque", "{\"world\":\"b\",\"body\":%llu,\"torque\":-1}", body);
    client_call(&c, "body.set", "{\"world\":\"b\",\"body\":%llu,\"position\":[7,8]}", body);
    client_call(&c, "world.set", "{\"world\":\"b\",\"gravity\":[0,5]}");
    client_call(&c, "world.step", "{\"world\":\"b\"}");
    const msgpack_object *got =
        client_call(&c, "body.get", "{\"world\":\"b\",\"body\":%llu}", body);
    assert_string_equal(obj_get_text(got, "tag"), "hero");
    assert_true(obj_number(obj_at(obj_get(got, "position"), 0)) > 7.0);
    assert_true(obj_number(obj_at(obj_get(got, "velocity"), 0)) > 0.0);
    assert_true(obj_number(obj_at(obj_get(got, "velocity"), 1)) > 5.0 / 60.0);
    assert_true(obj_get_number(got, "angular_velocity") > 0.0);
    const msgpack_object *all = client_call(&c, "world.state", "{\"world\":\"b\"}");
    assert_int_equal(obj_count(obj_get(all, "bodies")), 1);
    assert_int_equal(obj_get(all, "hash")->via.bin.size, 8);
    client_call(&c, "body.remove", "{\"world\":\"b\",\"body\":%llu}", body);
    assert_non_null(strstr(
        client_call_error(&c, "body.get", "{\"world\":\"b\",\"body\":%llu}", body), "not_found: "));
    client_call(&c, "world.destroy", "{\"world\":\"b\"}");
}

static void apply_is_all_or_nothing(void **state)
{
    (void)state;
    client_call(&c, "world.create", "{\"world\":\"a\",\"paused\":true}");
    const msgpack_object *r =
        client_call(&c, "world.apply",
                    "{\"world\":\"a\",\"commands\":[[\"body.spawn\",{\"shapes\":[" BALL "]}],"
                    "[\"body.impulse\",{\"body\":{\"$\":0},\"impulse\":[1,0]}]]}");
    assert_int_equal(obj_count(obj_get(r, "results")), 2);
    const char *text =
        client_call_error(&c, "world.apply",
                          "{\"world\":\"a\",\"commands\":[[\"body.spawn\",{\"shapes\":[" BALL "]}],"
                          "[\"body.remove\",{\"body\":12345}]]}");
    assert_non_null(strstr(text, "commands[1]"));
    assert_int_equal(obj_get_uint(client_call(&c, "world.info", "{\"world\":\"a\"}"), "bodies"), 1);
    // For a tick to come: answered when that tick has been.
    uint32_t later = client_request(
        &c, "world.apply",
        "{\"world\":\"a\",\"at\":3,\"commands\":[[\"body.spawn\",{\"shapes\":[" BALL "]}]]}");
    client_call(&c, "world.step", "{\"world\":\"a\",\"ticks\":2}");
    assert_int_equal(obj_get_uint(client_call(&c, "world.info", "{\"world\":\"a\"}"), "bodies"), 1);
    client_call(&c, "world.step", "{\"world\":\"a\"}");
    assert_int_equal(obj_get_uint(client_result(&c, later), "tick"), 3);
    assert_int_equal(obj_get_uint(client_call(&c, "world.info", "{\"world\":\"a\"}"), "bodies"), 2);
    client_call(&c, "world.destroy", "{\"world\":\"a\"}");
}

static void joints_and_queries_go_the_same_way(void **state)
{
    (void)state;
    client_call(&c, "world.create", "{\"world\":\"j\",\"paused\":true}");
    unsigned long long a = obj_get_uint(
        client_call(&c, "body.spawn", "{\"world\":\"j\",\"shapes\":[" BALL "]}"), "body");
    unsigned long long b = obj_get_uint(
        client_call(&c, "body.spawn", "{\"world\":\"j\",\"position\":[3,0],\"shapes\":[" BALL "]}"),
        "body");
    unsigned long long joint =
        obj_get_uint(client_call(&c, "joint.create",
                                 "{\"world\":\"j\",\"kind\":\"distance\",\"a\":%llu,\"b\":%llu,"
                                 "\"anchor_a\":[0,0],\"anchor_b\":[0,0]}",
                                 a, b),
                     "joint");
    const msgpack_object *got =
        client_call(&c, "joint.get", "{\"world\":\"j\",\"joint\":%llu}", joint);
    assert_string_equal(obj_get_text(got, "kind"), "distance");
    const msgpack_object *hits =
        client_call(&c, "query.ray", "{\"world\":\"j\",\"from\":[-5,0],\"to\":[9,0],\"all\":true}");
    assert_int_equal(obj_count(hits), 2);
    assert_int_equal(obj_get_uint(obj_at(hits, 0), "body"), a);
    client_call(&c, "joint.remove", "{\"world\":\"j\",\"joint\":%llu}", joint);
    assert_non_null(
        strstr(client_call_error(&c, "joint.get", "{\"world\":\"j\",\"joint\":%llu}", joint),
               "not_found: "));
    client_call(&c, "world.destroy", "{\"world\":\"j\"}");
}

static void thousand_commands_and_a_mebibyte_go_through(void **state)
{
    (void)state;
    enum { COUNT = 1000, TAG = 40 };
    static char text[1 << 20];
    client_call(&c, "world.create", "{\"world\":\"k\",\"paused\":true}");
    size_t size = 0;
    for (int i = 0; i < COUNT; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "%s[\"body.spawn\",{\"position\":[%d,%d],\"tag\":\"%0*d\","
                                 "\"shapes\":[" BALL "]}]",
                                 i > 0 ? "," : "", 2 * (i % 40), 2 * (i / 40), TAG, i);
    }
    const msgpack_object *r =
        client_call(&c, "world.apply", "{\"world\":\"k\",\"commands\":[%s]}", text);
    assert_int_equal(obj_count(obj_get(r, "results")), COUNT);
    client_call(&c, "world.destroy", "{\"world\":\"k\"}");
    // A ping of a mebibyte is a mebibyte on the wire, envelope not counted; the echo has its own
    // limit.
    static uint8_t large[(1 << 20) + 64] = {0x94, 0x00, 0x63, 0xa4, 'p', 'i', 'n',
                                            'g',  0x91, 0x81, 0xa3, 'a', 'n', 'y',
                                            0xc6, 0x00, 0x10, 0x00, 0x00};
    client_send(&c, large, 19 + (1 << 20));
    const msgpack_object *answer = client_response(&c, 0x63);
    assert_int_equal(obj_count(answer), 4);
    client_call(&c, "ping", "{}");
}

static void commands_of_one_connection_apply_in_order(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    client_call(&c, "world.create", "{\"world\":\"o\"}");
    unsigned long long body =
        obj_get_uint(client_call(&c, "body.spawn",
                                 "{\"world\":\"o\",\"type\":\"static\",\"shapes\":[" BALL "]}"),
                     "body");
    for (int i = 1; i <= COUNT; i++) {
        client_notify(&c, "body.set", "{\"world\":\"o\",\"body\":%llu,\"position\":[%d,0]}", body,
                      i);
    }
    const msgpack_object *got =
        client_call(&c, "body.get", "{\"world\":\"o\",\"body\":%llu}", body);
    assert_true(obj_number(obj_at(obj_get(got, "position"), 0)) == (double)COUNT);
    client_call(&c, "world.destroy", "{\"world\":\"o\"}");
}

static void requests_of_a_half_closed_connection_are_answered(void **state)
{
    (void)state;
    client other;
    client_open(&other, server.port);
    uint32_t a = client_request(&other, "world.info", "{\"world\":\"first\"}");
    uint32_t b = client_request(&other, "world.list", "{}");
    client_end_output(&other);
    client_result(&other, a);
    client_result(&other, b);
    assert_string_equal(client_closed(&other), "");
    client_close(&other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_client, close_client)

int main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    program = argv[1];
    const struct CMUnitTest tests[] = {
        TEST(hello_tells_who_is_there),
        TEST(ping_gives_back_what_was_sent),
        TEST(server_info_and_stats_count),
        TEST(worlds_of_the_options_are_there),
        TEST(world_is_made_listed_and_destroyed),
        TEST(calls_right_behind_a_create_reach_its_world),
        TEST(scene_gives_its_settings_and_arguments_come_first),
        TEST(paused_world_steps_when_told),
        TEST(bodies_are_changed_by_every_command),
        TEST(apply_is_all_or_nothing),
        TEST(joints_and_queries_go_the_same_way),
        TEST(thousand_commands_and_a_mebibyte_go_through),
        TEST(commands_of_one_connection_apply_in_order),
        TEST(requests_of_a_half_closed_connection_are_answered),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
