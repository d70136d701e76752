// The network thread's work in turns: a world's replies do not wait for the requests of all its
// clients.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/base/limits.h"
#include "server/session/calls/work.h"
#include "server/session/service.h"

enum { CLIENTS = 500, TURNS = 20 };

static server s;
static limits bounds;
static uint32_t requests, replies;

// A client that sends more than the server can handle.
static job_progress handle(turn_job *job, const turn *slice)
{
    (void)job;
    requests++;
    while (!turn_over(slice)) {
    }
    return JOB_GOES_ON;
}

static job_progress deliver(turn_job *job, const turn *slice)
{
    (void)job;
    (void)slice;
    replies++;
    return JOB_GOES_ON;
}

static void replies_are_delivered_in_every_turn(void **state)
{
    (void)state;
    static turn_job jobs[CLIENTS];
    static turn_job world;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    bounds = limits_default();
    s = (server){.loop = &loop, .limits = &bounds};
    work_init(&s);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        work_add(&s, &jobs[i], handle, i + 1);
    }
    work_add_replies(&s, &world, deliver, world_subject(1));
    for (uint32_t i = 0; i < TURNS; i++) {
        work_run(&s);
        (void)loop_turn_end(&s.turn);
    }
    assert_true(replies >= TURNS);
    assert_true(requests >= TURNS);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        work_remove(&s, &jobs[i]);
    }
    turn_queue_remove(&s.replies, &world);
    uv_close((uv_handle_t *)&s.more, NULL);
    uv_close((uv_handle_t *)&s.turn_end, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    work_deinit(&s);
    assert_int_equal(uv_loop_close(&loop), 0);
}

// ---- subjects

static session local(uint64_t number, uint64_t world)
{
    return (session){.server = &s, .key = {.number = number}, .calls = {.world = world}};
}

static void clients_of_this_machine_share_the_time_of_their_world(void **state)
{
    (void)state;
    s = (server){0};
    const session one = local(1, 7), other = local(2, 7), elsewhere = local(3, 8);
    const session fresh = local(4, 0), fresh_too = local(5, 0);
    assert_int_equal(session_turn_subject(&one), session_turn_subject(&other));
    assert_int_not_equal(session_turn_subject(&one), session_turn_subject(&elsewhere));
    assert_int_equal(session_turn_subject(&fresh), session_turn_subject(&fresh_too));
    assert_int_not_equal(session_turn_subject(&fresh), session_turn_subject(&one));
    // the role is allowed in the world
    assert_int_not_equal(session_subject(&one), session_subject(&other));
}

static void clients_with_a_token_share_the_time_of_its_subject(void **state)
{
    (void)state;
    grant ada = {.subject = "ada"}, bob = {.subject = "bob"};
    session one = local(1, 7), other = local(2, 8), third = local(3, 7);
    one.identity.grant = other.identity.grant = &ada;
    third.identity.grant = &bob;
    assert_int_equal(session_turn_subject(&one), session_turn_subject(&other));
    assert_int_not_equal(session_turn_subject(&one), session_turn_subject(&third));
    assert_int_equal(session_turn_subject(&one), session_subject(&one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_are_delivered_in_every_turn),
        cmocka_unit_test(clients_of_this_machine_share_the_time_of_their_world),
        cmocka_unit_test(clients_with_a_token_share_the_time_of_its_subject),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
