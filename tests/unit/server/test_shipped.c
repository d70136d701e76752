// Sessions of another server (server/session/pair/shipped.h) in a real server's table: records that
// cannot be read leave no trace in it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <msgpack.h>

#include "proto/wire/buffer.h"
#include "server/base/clock.h"
#include "server/session/pair/shipped.h"
#include "server/session/service.h"
#include "server/world/state/last_requests.h"
#include "server/world/state/session_bodies.h"

enum { WORLD = 7, FIRST = 1000 };

// A world that nobody has bodies or requests in; the linker replaces what asks for them.
static session_bodies no_bodies;
static last_requests no_marks;

const session_bodies *__wrap_restore_bodies(const restored_world *w);
const session_bodies *__wrap_restore_bodies(const restored_world *w)
{
    (void)w;
    return &no_bodies;
}

last_requests *__wrap_restore_own_marks(restored_world *w);
last_requests *__wrap_restore_own_marks(restored_world *w)
{
    (void)w;
    return &no_marks;
}

block_account *__wrap_restore_blocks(const restored_world *w);
block_account *__wrap_restore_blocks(const restored_world *w)
{
    (void)w;
    return NULL;
}

// ---- the server

static uv_loop_t loop;
static limits bounds;
static server_options options;
static server *here;
static bool ready, finished;
static shipped sent;

static void on_listening(void *context, const char *address, const char *http)
{
    (void)context, (void)address, (void)http;
}

static void on_ready(void *context)
{
    (void)context;
    ready = true;
}

static void on_finished(void *context, const error *err)
{
    (void)context;
    assert_null(err);
    finished = true;
}

static int set_up(void **state)
{
    (void)state;
    error err;
    bounds = limits_default();
    bounds.detached_sessions = 3;
    options = (server_options){.host = "127.0.0.1",
                               .hz = 60,
                               .threads = 1,
                               .world_threads = 1,
                               .limits = &bounds,
                               .first_number = 1,
                               .listening = on_listening,
                               .ready = on_ready,
                               .finished = on_finished};
    ready = finished = false;
    sent = (shipped){0};
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(server_create(&loop, &options, &here, &err), STATUS_OK);
    while (!ready) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shipped_deinit(&sent);
    server_drain(here, "the test is over");
    while (!finished) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    server_destroy(here);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    return 0;
}

// ---- records

typedef enum session_fault { SOUND, CUT_OFF, WRONG_END, NO_ROLE } session_fault;

// A guest's grant with the role that nobody has, or nothing.
static void pack_grant(msgpack_packer *p, bool guest)
{
    if (!guest) {
        msgpack_pack_nil(p);
        return;
    }
    msgpack_pack_array(p, 9);
    msgpack_pack_str(p, 1);
    msgpack_pack_str_body(p, "g", 1);
    msgpack_pack_uint64(p, 0);
    msgpack_pack_double(p, 1e12);
    msgpack_pack_nil(p); // all worlds
    msgpack_pack_array(p, 0);
    msgpack_pack_map(p, 0);
    msgpack_pack_nil(p); // no key
    msgpack_pack_bin(p, 0);
    msgpack_pack_true(p);
}

static void send_session(uint64_t number, session_fault fault)
{
    const char digest[SECRET_BYTES] = {7};
    buffer record;
    buffer_init(&record, 4096);
    msgpack_packer p = buffer_packer(&record);
    msgpack_pack_array(&p, fault == CUT_OFF ? 4 : 8);
    msgpack_pack_uint64(&p, 0);
    msgpack_pack_uint64(&p, number);
    msgpack_pack_uint64(&p, 0); // the other server's slot
    msgpack_pack_bin(&p, sizeof digest);
    msgpack_pack_bin_body(&p, digest, sizeof digest);
    if (fault != CUT_OFF) {
        msgpack_pack_double(&p, 1.5);
        msgpack_pack_str(&p, 1);
        msgpack_pack_str_body(&p, "c", 1);
        pack_grant(&p, fault == NO_ROLE);
        msgpack_pack_array(&p, fault == WRONG_END ? 1 : 0);
        if (fault == WRONG_END) {
            msgpack_pack_true(&p); // no world's last request
        }
    }
    assert_true(shipped_take(&sent, record.data, record.size));
    buffer_clear(&record);
    msgpack_pack_array(&p, 4); // a subscription that cannot be read, but says for which world it is
    msgpack_pack_uint64(&p, 1);
    msgpack_pack_uint64(&p, number);
    msgpack_pack_uint64(&p, 1);
    msgpack_pack_uint64(&p, WORLD);
    assert_true(shipped_take(&sent, record.data, record.size));
    buffer_deinit(&record);
}

static uint32_t make_all(void)
{
    restored_world world = {.name = "w", .epoch = WORLD};
    shipped_making *m = shipped_begin(&sent, here, &world);
    turn slice = turn_begin(clock_now_ns, 0);
    while (!shipped_make_some(m, &slice)) {
        slice = turn_begin(clock_now_ns, 0);
    }
    return shipped_end(m);
}

// Each place in the table is either a session's or free, once.
static void check_table(uint32_t sessions)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < here->sessions.count; i++) {
        uint32_t free = 0;
        for (uint32_t k = 0; k < here->free_slots.count; k++) {
            assert_true(here->free_slots.data[k] < here->sessions.count);
            free += here->free_slots.data[k] == i ? 1 : 0;
        }
        used += here->sessions.data[i] != NULL ? 1 : 0;
        assert_int_equal(free, here->sessions.data[i] == NULL ? 1 : 0);
    }
    assert_int_equal(used, sessions);
    assert_int_equal(here->detached.count, sessions);
}

static void sound_sessions_are_made(void **state)
{
    (void)state;
    send_session(FIRST, SOUND);
    send_session(FIRST + 1, SOUND);
    assert_int_equal(make_all(), 2);
    check_table(2);
    assert_non_null(server_find_number(here, FIRST + 1));
    assert_int_equal(make_all(), 0); // they are there
    check_table(2);
}

static void session_that_cannot_be_read_takes_no_place(void **state)
{
    (void)state;
    send_session(FIRST, CUT_OFF);
    send_session(FIRST + 1, WRONG_END);
    send_session(FIRST + 2, CUT_OFF);
    send_session(FIRST + 3, NO_ROLE);
    assert_int_equal(make_all(), 0);
    check_table(0);
    assert_null(server_find_number(here, FIRST + 1));
    const uint32_t a = session_take_slot(here);
    const uint32_t b = session_take_slot(here);
    assert_true(a != b && a < here->sessions.count && b < here->sessions.count);
    array_push(&here->free_slots, a);
    array_push(&here->free_slots, b);
}

// msgpack-c would ask for the memory that a header promises.
static void record_that_promises_too_much_is_refused(void **state)
{
    (void)state;
    static const uint8_t PROMISES[] = {0xdd, 0xff, 0xff, 0xff, 0xff};
    assert_false(shipped_take(&sent, PROMISES, sizeof PROMISES));
    assert_false(shipped_take(&sent, PROMISES, 0));
}

static void more_sessions_than_the_limit_end_others(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10; i++) {
        send_session(FIRST + i, i % 3 == 2 ? WRONG_END : SOUND);
    }
    assert_int_equal(make_all(), 7);
    check_table(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sound_sessions_are_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(session_that_cannot_be_read_takes_no_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(record_that_promises_too_much_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(more_sessions_than_the_limit_end_others, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
