// Tests of server/session/calls/request_log.h: requests in flight, and each world's last request.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "server/session/calls/request_log.h"

enum { WORLDS_MAX = 4, MANY = 5000 };

static void requests_wait_until_they_are_answered(void **state)
{
    (void)state;
    request_log log = {0};
    uint32_t ids[8];
    uint64_t a = request_log_send(&log, 10, true);
    uint64_t b = request_log_send(&log, 20, true);
    uint64_t c = request_log_send(&log, 30, true);
    assert_int_equal(a, 1);
    request_log_answer(&log, b); // a batch for a later tick delays no other request
    assert_int_equal(request_log_waiting(&log, ids), 2);
    assert_int_equal(ids[0], 10);
    assert_int_equal(ids[1], 30);
    request_log_answer(&log, a);
    request_log_answer(&log, c);
    assert_int_equal(request_log_waiting(&log, NULL), 0);
    request_log_deinit(&log);
}

static void notifications_are_counted_and_do_not_wait(void **state)
{
    (void)state;
    request_log log = {0};
    uint64_t sequence = request_log_send(&log, 0, false);
    assert_int_equal(request_log_waiting(&log, NULL), 0);
    request_log_answer(&log, sequence);
    assert_int_equal(request_log_send(&log, 1, true), sequence + 1);
    request_log_deinit(&log);
}

// The array is as long as the largest number of requests waiting at one time, however many come and
// go.
static void answered_requests_take_no_memory(void **state)
{
    (void)state;
    request_log log = {0};
    uint64_t first = request_log_send(&log, 7, true);
    for (uint32_t i = 0; i < MANY; i++) {
        request_log_answer(&log, request_log_send(&log, i, true));
    }
    assert_true(log.waiting.capacity < 64);
    request_log_answer(&log, first);
    for (uint32_t i = 0; i < MANY; i++) {
        request_log_answer(&log, request_log_send(&log, i, true));
    }
    assert_true(log.waiting.capacity < 64);
    assert_int_equal(request_log_waiting(&log, NULL), 0);
    request_log_deinit(&log);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    (void)state;
    request_log log = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        request_log_send(&log, i, true);
    }
    uint32_t ids[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(request_log_waiting(&log, NULL), MANY - i);
        request_log_answer(&log, i + 1);
        if (i % 1000 == 0) {
            request_log_waiting(&log, ids);
            assert_int_equal(ids[0], i + 1);
        }
    }
    request_log_deinit(&log);
}

static void last_request_of_each_world_is_remembered(void **state)
{
    (void)state;
    request_log log = {0};
    request_log_apply(&log, 1, 1, 11, WORLDS_MAX);
    request_log_apply(&log, 2, 2, 12, WORLDS_MAX);
    request_log_apply(&log, 1, 4, 14, WORLDS_MAX);
    request_log_apply(&log, 1, 3, 13, WORLDS_MAX); // the batch was planned for a later tick
    assert_int_equal(log.applied.count, 2);
    assert_int_equal(log.applied.data[0].id, 14);
    assert_int_equal(log.applied.data[1].id, 12);
    request_log_deinit(&log);
}

static void worlds_over_the_limit_push_out_the_oldest(void **state)
{
    (void)state;
    request_log log = {0};
    for (uint64_t world = 1; world <= WORLDS_MAX + 1; world++) {
        request_log_apply(&log, world, world, (uint32_t)(100 + world), WORLDS_MAX);
    }
    assert_int_equal(log.applied.count, WORLDS_MAX);
    for (uint32_t i = 0; i < log.applied.count; i++) {
        assert_int_not_equal(log.applied.data[i].world, 1);
    }
    request_log_deinit(&log);
}

// A world that is made again has another number, and no request of the session took effect in it
// yet.
static void worlds_that_are_gone_are_known_by_name(void **state)
{
    (void)state;
    request_log log = {0};
    request_log_apply(&log, 5, 1, 10, WORLDS_MAX);
    request_log_apply(&log, 6, 2, 20, WORLDS_MAX);
    assert_false(request_log_bury(&log, 7, "other"));
    assert_true(request_log_bury(&log, 5, "lab"));
    assert_int_equal(log.applied.count, 1);
    assert_int_equal(request_log_last(&log, 0, "lab")->id, 10);
    assert_int_equal(request_log_last(&log, 8, "lab")->world, 5); // made again as number 8
    request_log_apply(&log, 8, 3, 30, WORLDS_MAX);
    assert_int_equal(request_log_last(&log, 8, "lab")->id, 30);
    assert_true(request_log_bury(&log, 8, "lab"));
    assert_int_equal(log.gone.count, 1);
    assert_int_equal(request_log_last(&log, 0, "lab")->world, 8);
    request_log_remember(&log, "lab", &(world_applied){.world = 5, .sequence = 1, .id = 10});
    // the older request comes too late
    assert_int_equal(request_log_last(&log, 0, "lab")->world, 8);
    assert_null(request_log_last(&log, 0, "other"));
    request_log_deinit(&log);
}

static void of_gone_worlds_the_oldest_is_forgotten(void **state)
{
    (void)state;
    request_log log = {0};
    char name[16];
    for (uint32_t i = 0; i < REQUEST_LOG_GONE_MAX + 3; i++) {
        snprintf(name, sizeof name, "w%u", i);
        request_log_apply(&log, i + 1, i + 1, i, WORLDS_MAX);
        assert_true(request_log_bury(&log, i + 1, name));
    }
    assert_int_equal(log.gone.count, REQUEST_LOG_GONE_MAX);
    assert_null(request_log_last(&log, 0, "w2"));
    assert_int_equal(request_log_last(&log, 0, "w3")->id, 3);
    assert_int_equal(request_log_last(&log, 0, name)->id, REQUEST_LOG_GONE_MAX + 2);
    request_log_deinit(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_wait_until_they_are_answered),
        cmocka_unit_test(notifications_are_counted_and_do_not_wait),
        cmocka_unit_test(answered_requests_take_no_memory),
        cmocka_unit_test(pipelined_requests_are_answered_in_order),
        cmocka_unit_test(last_request_of_each_world_is_remembered),
        cmocka_unit_test(worlds_over_the_limit_push_out_the_oldest),
        cmocka_unit_test(worlds_that_are_gone_are_known_by_name),
        cmocka_unit_test(of_gone_worlds_the_oldest_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
