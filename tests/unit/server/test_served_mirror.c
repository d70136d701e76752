// A relay's world on a thread that it shares: images, commands and steps of its log that would take
// long wait, and each command is applied once.
#include "tests/unit/server/served_rig.h"

#include <stdio.h>
#include <string.h>

#include "common/physics/image.h"
#include "proto/log/log_record.h"

enum { TEXT_MAX = 256 << 10 };

static buffer rows;
static uint32_t row_count;

static physics_world *new_physics(void)
{
    world_def def = world_def_default();
    physics_world *made = NULL;
    assert_int_equal(world_create(&def, &made, NULL), STATUS_OK);
    return made;
}

static int set_up_mirror(void **state)
{
    (void)set_up(state);
    adoption *from = calloc(1, sizeof *from);
    mirror_link *link = mirror_link_create("127.0.0.1:1");
    assert_non_null(from);
    from->paused = true;
    from->physics = new_physics();
    from->mirror = mirror_create(link, "w", from->physics, false, 0);
    mirror_link_unref(link);
    the.world = served_world_create(EPOCH, "w", from, &the.limits, mailbox_sink(&the.box),
                                    served_rig_clocks());
    the.world->place.thread_shared = true;
    buffer_init(&rows, 8 << 20);
    row_count = 0;
    return 0;
}

static int tear_down_mirror(void **state)
{
    buffer_deinit(&rows);
    return tear_down(state);
}

// Adds a command of tick 1 to the record.
static void add_row(method m, const char *json)
{
    request *r = world_call(EPOCH, 1, m, json);
    const char *name = method_wire_name(m);
    log_command_encode(&rows, &(log_command){.tick = 1,
                                             .method = name,
                                             .method_size = (uint32_t)strlen(name),
                                             .arguments = r->arguments,
                                             .arguments_size = r->arguments_size});
    row_count++;
    request_free(r);
}

static void put(const log_record *record)
{
    buffer bytes;
    buffer_init(&bytes, 64 << 20);
    log_record_encode(&bytes, record);
    assert_false(bytes.overflow);
    request *r = request_create(REQUEST_RECORD, EPOCH);
    r->item =
        mirror_item_create(the.world->mirror->link, MIRROR_PLAIN, bytes.data, bytes.size, now_ns);
    buffer_deinit(&bytes);
    served_world_deliver(the.world, r);
}

static void put_rows(void)
{
    put(&(log_record){.from = 0,
                      .tick = 1,
                      .command_count = row_count,
                      .commands = rows.data,
                      .commands_size = rows.size});
}

// `count` discs in one place, in one batch.
static void add_heap(int count)
{
    static char json[TEXT_MAX];
    int at = snprintf(json, sizeof json, "{\"world\":\"w\",\"commands\":[");
    for (int i = 0; i < count; i++) {
        at += snprintf(json + at, sizeof json - (size_t)at,
                       "%s[\"body.spawn\",{\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]}]",
                       i > 0 ? "," : "");
    }
    snprintf(json + at, sizeof json - (size_t)at, "]}");
    add_row(METHOD_WORLD_APPLY, json);
}

static void run_within(int64_t step_most_ns)
{
    served_world_bound_step(the.world, step_most_ns);
    served_world_run(the.world);
}

static uint32_t bodies(void)
{
    return world_count(the.world->physics).bodies;
}

static void heavy_step_waits_with_its_commands_applied(void **state)
{
    (void)state;
    add_heap(60); // some 1 700 pairs
    put_rows();
    run_within(8 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(bodies(), 60);
    assert_int_equal(world_tick(the.world->physics), 0);
    // Nobody sees the commands of a tick before its step
    call(METHOD_QUERY_OVERLAP, "{\"world\":\"w\",\"area\":[-1,-1,1,1]}");
    run_within(8 * MS);
    assert_int_equal(mailbox_left(&the.box), 0);
    run_within(INT64_MAX); // on its own thread
    assert_false(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 1);
    assert_int_equal(bodies(), 60);
    run_within(INT64_MAX);
    assert_int_equal(mailbox_left(&the.box), 1);
}

static void light_step_does_not_wait(void **state)
{
    (void)state;
    add_heap(3);
    put_rows();
    run_within(8 * MS);
    assert_false(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 1);
}

static void heavy_command_waits_before_it_is_applied(void **state)
{
    (void)state;
    static char json[TEXT_MAX];
    int at = snprintf(json, sizeof json, "{\"world\":\"w\",\"commands\":[");
    for (int chain = 0; chain < 4; chain++) { // 1 000 pieces each
        at += snprintf(json + at, sizeof json - (size_t)at,
                       "%s[\"body.spawn\",{\"type\":\"static\",\"shapes\":[{\"kind\":\"chain\","
                       "\"vertices\":[",
                       chain > 0 ? "," : "");
        for (int i = 0; i <= 1000; i++) {
            at += snprintf(json + at, sizeof json - (size_t)at, "%s[%d,%d]", i > 0 ? "," : "", i,
                           3 * chain + i % 2);
        }
        at += snprintf(json + at, sizeof json - (size_t)at, "]}]}]");
    }
    snprintf(json + at, sizeof json - (size_t)at, "]}");
    add_row(METHOD_WORLD_APPLY, json);
    put_rows();
    run_within(8 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(bodies(), 0);
    run_within(INT64_MAX);
    assert_int_equal(bodies(), 4);
    assert_int_equal(world_tick(the.world->physics), 1);
}

static void commands_of_a_tick_continue_in_the_next_turn(void **state)
{
    (void)state;
    enum { SPAWNS = 100 };
    for (int i = 0; i < SPAWNS; i++) {
        char json[128];
        snprintf(
            json, sizeof json,
            "{\"world\":\"w\",\"position\":[%d,0],\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]}",
            3 * i);
        add_row(METHOD_BODY_SPAWN, json);
    }
    put_rows();
    cost_ns = MS / 2; // a reading of the clock
    int turns = 0;
    uint32_t before = 0;
    while (world_tick(the.world->physics) == 0) {
        the.world->place.others_due = true;
        run_within(100 * MS);
        assert_true(bodies() > before || world_tick(the.world->physics) == 1);
        before = bodies();
        assert_in_range(++turns, 1, SPAWNS);
    }
    cost_ns = 0;
    assert_true(turns > 3);
    assert_int_equal(bodies(), SPAWNS);
}

static void large_image_waits(void **state)
{
    (void)state;
    enum { BODIES = 20000 };
    physics_world *large = new_physics();
    for (int i = 0; i < BODIES; i++) {
        body_def def = body_def_default();
        body_id id;
        def.position = (vec2d){3.0 * (i % 200), 3.0 * (i / 200)};
        assert_int_equal(body_create(large, &def, &id, NULL), STATUS_OK);
    }
    uint8_t *image = NULL;
    size_t size = 0;
    world_save_sealed(large, &image, &size);
    put(&(log_record){.from = 0, .tick = 0, .image = image, .image_size = size});
    free(image);
    world_free(large);
    run_within(8 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(bodies(), 0);
}

int main(void)
{
#define MIRROR_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_mirror, tear_down_mirror)
    const struct CMUnitTest tests[] = {
        MIRROR_TEST(heavy_step_waits_with_its_commands_applied),
        MIRROR_TEST(light_step_does_not_wait),
        MIRROR_TEST(heavy_command_waits_before_it_is_applied),
        MIRROR_TEST(commands_of_a_tick_continue_in_the_next_turn),
        MIRROR_TEST(large_image_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
