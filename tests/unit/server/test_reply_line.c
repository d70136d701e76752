// The order in which the network thread handles a world's replies: answers do not wait for the
// snapshots of a thousand watchers, and neither kind waits endlessly for the other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/session/calls/reply_line.h"

enum { WATCHERS = 1000, ANSWERS = 100 };

static reply_line line;

static reply *add(reply_kind kind, uint64_t session, method m)
{
    reply *r = reply_create(kind, 1);
    r->reply_to.session.number = session;
    r->method = m;
    reply_line_add(&line, r);
    return r;
}

static reply *add_answer(uint64_t session)
{
    return add(REPLY_RESULT, session, METHOD_BODY_IMPULSE);
}

static void handle(const reply *expected)
{
    reply *next = reply_line_next(&line);
    assert_ptr_equal(next, expected);
    reply_line_serve(&line, next);
    reply_line_drop(&line, next);
}

static void answer_goes_ahead_of_a_thousand_snapshots(void **state)
{
    (void)state;
    for (int i = 0; i < WATCHERS; i++) {
        add(REPLY_SNAPSHOT, 0, 0);
    }
    handle(add_answer(1));
    for (int i = 0; i < WATCHERS; i++) {
        handle(reply_line_next(&line));
    }
    assert_true(reply_line_empty(&line));
}

// A snapshot that is sent in pieces stays in the line: each piece is a turn.
static void snapshots_have_a_turn_among_answers_without_end(void **state)
{
    (void)state;
    reply *snapshot = add(REPLY_SNAPSHOT, 0, 0);
    int pieces = 0;
    for (int i = 0; i < ANSWERS; i++) {
        add_answer(1);
    }
    while (line.short_first != NULL) {
        reply *next = reply_line_next(&line);
        reply_line_serve(&line, next);
        if (next == snapshot) {
            pieces++;
        } else {
            reply_line_drop(&line, next);
        }
    }
    assert_int_equal(pieces, ANSWERS / REPLY_LINE_AHEAD);
    handle(snapshot);
}

static void replies_of_each_kind_stay_in_order(void **state)
{
    (void)state;
    static const reply_kind SHORT[] = {REPLY_CLOSED,  REPLY_RESULT,   REPLY_OVERRUN, REPLY_RESUMED,
                                       REPLY_FIGURES, REPLY_RELEASED, REPLY_CROWDED, REPLY_RESULT};
    enum { COUNT = sizeof SHORT / sizeof *SHORT };
    reply *first = add(REPLY_SNAPSHOT, 0, 0);
    reply *added[COUNT];
    for (int i = 0; i < COUNT; i++) {
        added[i] = add(SHORT[i], 1, METHOD_WORLD_LIST);
    }
    reply *second = add(REPLY_SNAPSHOT, 0, 0);
    reply *image = add(REPLY_IMAGE, 0, 0);
    for (int i = 0; i < COUNT; i++) {
        handle(added[i]);
    }
    handle(first);
    handle(second);
    handle(image);
    assert_null(reply_line_next(&line));
    assert_true(reply_line_empty(&line));
}

// The answer to world.subscribe may be the last of many that are older than the first snapshot.
static void no_snapshot_goes_ahead_of_an_older_answer(void **state)
{
    (void)state;
    reply *answers[ANSWERS];
    for (int i = 0; i < ANSWERS; i++) {
        answers[i] = add(REPLY_RESULT, 1, METHOD_WORLD_SUBSCRIBE);
    }
    reply *snapshot = add(REPLY_SNAPSHOT, 0, 0);
    reply *younger = add_answer(1);
    for (int i = 0; i < ANSWERS; i++) {
        handle(answers[i]);
    }
    handle(snapshot);
    handle(younger);
    assert_true(reply_line_empty(&line));
}

// ---- the snapshots of a session

static void deliveries_leave_the_list_in_any_order(void **state)
{
    (void)state;
    snapshot_delivery of[4] = {0}, stranger = {0};
    const reply snapshot = {.kind = REPLY_SNAPSHOT};
    delivery_list list = {0};
    for (int i = 0; i < 4; i++) {
        delivery_list_add(&list, &of[i], &snapshot);
    }
    delivery_list_remove(&list, &stranger);
    delivery_list_remove(&list, &of[1]);
    delivery_list_remove(&list, &of[1]);
    assert_ptr_equal(list.first, &of[0]);
    assert_ptr_equal(of[0].next, &of[2]);
    delivery_list_remove(&list, &of[3]);
    delivery_list_remove(&list, &of[0]);
    assert_ptr_equal(list.first, &of[2]);
    assert_ptr_equal(list.last, &of[2]);
    delivery_list_remove(&list, &of[2]);
    assert_null(list.first);
    assert_null(list.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_goes_ahead_of_a_thousand_snapshots),
        cmocka_unit_test(snapshots_have_a_turn_among_answers_without_end),
        cmocka_unit_test(replies_of_each_kind_stay_in_order),
        cmocka_unit_test(no_snapshot_goes_ahead_of_an_older_answer),
        cmocka_unit_test(deliveries_leave_the_list_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
