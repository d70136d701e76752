// The events that wait for a referee's handlers: their order, and how many there may be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/referee/game.h"

static void push(carom_game *game, uint64_t tick)
{
    const carom_event event = {.kind = CAROM_EVENT_MESSAGE,
                               .tick = tick,
                               .message = "say",
                               .subject = "somebody",
                               .data = "\x01",
                               .data_size = 1};
    queue_push(game, &event);
}

static uint64_t take(carom_game *game)
{
    game_event taken = queue_take(game);
    assert_string_equal(taken.event.message, "say");
    const uint64_t tick = (uint64_t)taken.event.tick;
    event_free(&taken);
    return tick;
}

static void fill(carom_game *game)
{
    for (uint64_t i = 0; i < GAME_QUEUE_MAX; i++) {
        push(game, i);
    }
    assert_int_equal(game->count, GAME_QUEUE_MAX);
    assert_int_equal(game->figures.events_lost, 0);
    assert_false(game->amiss);
}

static void test_full_queue_loses_the_newest_and_counts_them(void **state)
{
    (void)state;
    carom_game game = {0};
    fill(&game);
    push(&game, GAME_QUEUE_MAX);
    push(&game, GAME_QUEUE_MAX + 1);
    assert_int_equal(game.count, GAME_QUEUE_MAX);
    assert_int_equal(game.figures.events_lost, 2);
    assert_true(game.amiss); // joins or leaves may be among them
    assert_int_equal(take(&game), 0);
    push(&game, GAME_QUEUE_MAX + 2);
    assert_int_equal(game.figures.events_lost, 2);
    for (uint64_t i = 1; i < GAME_QUEUE_MAX; i++) {
        assert_int_equal(take(&game), i);
    }
    assert_int_equal(take(&game), GAME_QUEUE_MAX + 2);
    assert_int_equal(game.count, 0);
    queue_clear(&game);
}

static void test_handled_events_leave_the_queue(void **state)
{
    (void)state;
    carom_game game = {0};
    fill(&game);
    queue_forget(&game, 9);
    assert_int_equal(game.count, GAME_QUEUE_MAX - 10);
    assert_int_equal(take(&game), 10);
    queue_clear(&game);
    assert_int_equal(game.count, 0);
    push(&game, 7);
    assert_int_equal(take(&game), 7);
    queue_clear(&game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_queue_loses_the_newest_and_counts_them),
        cmocka_unit_test(test_handled_events_leave_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
