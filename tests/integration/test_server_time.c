// Worlds by the clock on the wall. Label realtime: says nothing under sanitizers or on a machine
// that is busy with other things.
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/client.h"
#include "tests/support/process.h"

static const char *program;

// The world's tick, and when it answered [s, of the server's clock].
typedef struct reading {
    double tick, time;
} reading;

static reading read_tick(client *c, const char *world)
{
    reading r;
    r.tick = obj_get_number(client_call(c, "world.info", "{\"world\":\"%s\"}", world), "tick");
    r.time = obj_get_number(client_call(c, "ping", "{}"), "time");
    return r;
}

static void ticks_follow_the_clock(void **state)
{
    (void)state;
    enum { SECONDS = 5 };
    static process p;
    static const struct {
        const char *name;
        double hz;
    } WORLDS[] = {{"a", 60}, {"b", 128}, {"c", 30}, {"d", 250}, {"e", 60}};
    enum { COUNT = sizeof WORLDS / sizeof *WORLDS };
    client c;
    reading before[COUNT];
    process_start(&p, program, (const char *const[]){"--threads", "1", NULL});
    client_open(&c, p.port);
    for (int i = 0; i < COUNT; i++) {
        client_call(&c, "world.create", "{\"world\":\"%s\",\"hz\":%g}", WORLDS[i].name,
                    WORLDS[i].hz);
    }
    for (int i = 0; i < COUNT; i++) {
        before[i] = read_tick(&c, WORLDS[i].name);
    }
    sleep(SECONDS);
    for (int i = 0; i < COUNT; i++) {
        reading after = read_tick(&c, WORLDS[i].name);
        double ticks = after.tick - before[i].tick;
        double expected = (after.time - before[i].time) * WORLDS[i].hz;
        // Each answer comes right after a tick, so what is left is how punctual the two were.
        if (fabs(ticks - expected) > 1.0 + 0.005 * WORLDS[i].hz) {
            fail_msg("%g Hz: %g ticks where %g were due", WORLDS[i].hz, ticks, expected);
        }
    }
    client_close(&c);
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

static void snapshots_come_at_their_rate(void **state)
{
    (void)state;
    static process p;
    client c;
    process_start(&p, program, (const char *const[]){"--world", "w", NULL});
    client_open(&c, p.port);
    client_call(&c, "world.subscribe", "{\"world\":\"w\",\"rate\":20}");
    client_snapshot(&c);
    double first = obj_get_number(client_snapshot(&c), "tick");
    for (int i = 0; i < 40; i++) {
        double tick = obj_get_number(client_snapshot(&c), "tick");
        assert_true(tick == first + 3.0 * (i + 1));
    }
    client_close(&c);
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

// A heap that no machine steps a thousand times a second, beside a small world on the same thread.
static void overloaded_world_slows_itself_alone(void **state)
{
    (void)state;
    static process p;
    client c;
    process_start(&p, program, (const char *const[]){"--threads", "1", NULL});
    client_open(&c, p.port);
    client_call(&c, "world.create",
                "{\"world\":\"heavy\",\"scene\":\"pyramid\",\"hz\":1000,\"sleep\":false,"
                "\"substeps\":32}");
    client_call(&c, "world.create", "{\"world\":\"light\"}");
    reading light = read_tick(&c, "light");
    reading heavy = read_tick(&c, "heavy");
    sleep(4);
    reading light_after = read_tick(&c, "light");
    reading heavy_after = read_tick(&c, "heavy");
    double share = (light_after.tick - light.tick) / ((light_after.time - light.time) * 60.0);
    assert_true(share > 0.97 && share < 1.03);
    double heavy_rate = (heavy_after.tick - heavy.tick) / (heavy_after.time - heavy.time);
    assert_true(heavy_rate > 0.0 && heavy_rate < 900.0);
    assert_true(process_wait_log(&p, "world 'heavy' is overloaded", 0));
    assert_null(strstr(p.text, "world 'light' is overloaded"));
    const msgpack_object *info = client_call(&c, "world.info", "{\"world\":\"heavy\"}");
    assert_true(obj_get_number(info, "rate") < 900.0);
    assert_true(obj_get_uint(info, "ticks_late") > 0);
    const msgpack_object *counters = obj_get(client_call(&c, "server.stats", "{}"), "counters");
    assert_true(obj_get_uint(counters, "skipped_us") > 0);
    client_close(&c);
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

// Idle, or with a demo world, its subscriber and a world.step that would last minutes.
static void shutdown_takes_less_than_a_second(void **state)
{
    (void)state;
    for (int busy = 0; busy <= 1; busy++) {
        static process p;
        client c;
        process_start(&p, program, (const char *const[]){"--world", "w:demo", NULL});
        client_open(&c, p.port);
        if (busy) {
            client_call(&c, "world.subscribe", "{\"world\":\"w\"}");
            client_call(&c, "world.create", "{\"world\":\"s\",\"scene\":\"demo\",\"paused\":true}");
            client_request(&c, "world.step", "{\"world\":\"s\",\"ticks\":100000}");
            client_call(&c, "ping", "{}");
        }
        int64_t begin = test_now_ms();
        assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
        assert_true(test_now_ms() - begin < 1000);
        client_close(&c);
    }
}

int main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_follow_the_clock),
        cmocka_unit_test(snapshots_come_at_their_rate),
        cmocka_unit_test(overloaded_world_slows_itself_alone),
        cmocka_unit_test(shutdown_takes_less_than_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
