// The order in which requests of several sessions are taken, with and without a flood.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/world/tick/inbox.h"

enum { MS = 1000000 };

static void push(inbox *b, uint32_t session, uint32_t id)
{
    request *q = request_create(REQUEST_COMMAND, 1);
    q->reply_to.session = (session_key){.slot = session, .number = session + 100};
    q->reply_to.id = id;
    inbox_push(b, q);
}

// Takes a request, which lasts `ns`; returns its id, or 0.
static uint32_t take(inbox *b, int64_t ns, uint32_t *session)
{
    request *q = inbox_take(b);
    if (q == NULL) {
        return 0;
    }
    uint32_t id = q->reply_to.id;
    *session = q->reply_to.session.slot;
    request_free(q);
    inbox_charge(b, ns);
    return id;
}

static void requests_go_in_order_of_arrival(void **state)
{
    (void)state;
    inbox b = {0};
    uint32_t session = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        push(&b, (i * 7919) % 13, i + 1);
    }
    inbox_begin(&b, 100 * MS);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(take(&b, 1000, &session), i + 1);
    }
    assert_int_equal(take(&b, 1000, &session), 0);
    assert_int_equal(b.count, 0);
    inbox_deinit(&b);
}

static void flood_makes_others_wait_for_their_shares_alone(void **state)
{
    (void)state;
    inbox b = {0};
    uint32_t session = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        push(&b, 3, i + 1);
    }
    push(&b, 4, 20001);
    push(&b, 5, 20002);
    inbox_begin(&b, 9 * MS); // 3 ms each
    uint32_t of_flood = 0;
    for (int taken = 0; take(&b, MS, &session) != 0 && session == 3; taken++) {
        of_flood++;
    }
    assert_int_equal(of_flood, 3);
    assert_int_equal(take(&b, MS, &session), 20002);
    assert_int_equal(session, 5);
    // No other session waits: the flood continues in its order.
    for (uint32_t i = 0; i < 10000 - 3; i++) {
        assert_int_equal(take(&b, MS, &session), i + 4);
    }
    inbox_deinit(&b);
}

static void latecomer_is_served_in_the_next_turn(void **state)
{
    (void)state;
    inbox b = {0};
    uint32_t session = 0;
    for (uint32_t i = 0; i < 500; i++) {
        push(&b, 1, i + 1);
    }
    for (uint32_t turn = 0; turn < 20; turn++) {
        push(&b, 2, 1000 + turn);
        inbox_begin(&b, 10 * MS);
        bool served = false;
        for (int i = 0; i < 10; i++) {
            served = take(&b, MS, &session) == 1000 + turn || served;
        }
        assert_true(served);
    }
    while (take(&b, MS, &session) != 0) {
    }
    inbox_deinit(&b);
}

static void requests_longer_than_a_turn_make_nobody_wait_for_all_of_them(void **state)
{
    (void)state;
    enum { FLOODS = 5, EACH = 40 };
    inbox b = {0};
    uint32_t session = 0;
    for (uint32_t i = 0; i < FLOODS * EACH; i++) {
        push(&b, i % FLOODS, i + 1);
    }
    push(&b, 9, 1000);
    int turns = 0;
    do {
        inbox_begin(&b, 8 * MS);
        turns++;
    } while (take(&b, 20 * MS, &session) != 1000 && turns < FLOODS * EACH);
    assert_in_range(turns, 1, FLOODS + 1); // one request of each other session
    uint32_t of_each[FLOODS] = {0};
    for (uint32_t i = 0; i < 10 * FLOODS; i++) { // the floods continue in turn
        inbox_begin(&b, 8 * MS);
        assert_int_not_equal(take(&b, 20 * MS, &session), 0);
        of_each[session]++;
    }
    for (uint32_t i = 0; i < FLOODS; i++) {
        assert_in_range(of_each[i], 9, 11);
    }
    while (take(&b, MS, &session) != 0) {
    }
    inbox_deinit(&b);
}

static void debt_is_forgotten_by_who_was_not_heard_for_long(void **state)
{
    (void)state;
    inbox b = {0};
    uint32_t session = 0;
    push(&b, 1, 1);
    inbox_begin(&b, 8 * MS);
    assert_int_equal(take(&b, 100 * MS, &session), 1);
    push(&b, 1, 2); // its debt covers this turn and the next ones
    push(&b, 2, 3);
    inbox_begin(&b, 8 * MS);
    assert_int_equal(take(&b, MS, &session), 3);
    assert_int_equal(take(&b, MS, &session), 2); // no other session waits
    for (int turn = 0; turn < 20; turn++) {
        inbox_begin(&b, 8 * MS);
    }
    push(&b, 1, 4);
    push(&b, 2, 5);
    inbox_begin(&b, 8 * MS);
    assert_int_equal(take(&b, MS, &session), 4);
    assert_int_equal(take(&b, MS, &session), 5);
    inbox_deinit(&b);
}

static void own_requests_never_overtake(void **state)
{
    (void)state;
    inbox b = {0};
    uint32_t last[8] = {0};
    uint32_t session = 0;
    srand(1);
    for (uint32_t i = 0; i < 5000; i++) {
        push(&b, (uint32_t)rand() % 8, i + 1);
        if (rand() % 3 == 0) {
            inbox_begin(&b, MS);
        }
        if (rand() % 2 == 0) {
            uint32_t id = take(&b, rand() % MS, &session);
            assert_true(id == 0 || id > last[session]);
            last[session] = id;
        }
    }
    for (uint32_t id; (id = take(&b, rand() % MS, &session)) != 0; last[session] = id) {
        assert_true(id > last[session]);
    }
    inbox_deinit(&b);
}

static void requests_of_the_server_itself_have_a_lane(void **state)
{
    (void)state;
    inbox b = {0};
    uint32_t session = 0;
    request *q = request_create(REQUEST_COMMAND, 1);
    q->reply_to.id = 7;
    inbox_push(&b, q);
    push(&b, 0, 8);
    inbox_begin(&b, MS);
    assert_int_equal(take(&b, MS, &session), 7);
    assert_int_equal(take(&b, MS, &session), 8);
    inbox_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_go_in_order_of_arrival),
        cmocka_unit_test(flood_makes_others_wait_for_their_shares_alone),
        cmocka_unit_test(latecomer_is_served_in_the_next_turn),
        cmocka_unit_test(requests_longer_than_a_turn_make_nobody_wait_for_all_of_them),
        cmocka_unit_test(debt_is_forgotten_by_who_was_not_heard_for_long),
        cmocka_unit_test(own_requests_never_overtake),
        cmocka_unit_test(requests_of_the_server_itself_have_a_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
