// Tests of server/world/snapshots/event_marks.h: every reader receives each wanted event once, or
// learns that it is lost.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/world/snapshots/event_marks.h"
#include "server/world/snapshots/subscription.h"

enum { EVENTS_MAX = 4096, RUNS = 400, ACTS = 600 };

// A world's events, of which a reader wants some, and the outcome of each.
typedef struct history {
    uint64_t end, floor;
    uint64_t wanted, taken, lost;
    bool wants[EVENTS_MAX];
    struct {
        uint64_t from, to, lost;
    } on_way[PACKED_IN_FLIGHT_MAX];
    uint32_t on_way_count;
} history;

static uint64_t chance;

static uint32_t roll(uint32_t sides)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance >> 33) % sides;
}

static bool is_wanted(const void *context, uint64_t number)
{
    const history *h = context;
    assert_true(number >= h->floor && number < h->end); // it is still in the log
    return h->wants[number];
}

static void happen(history *h, uint32_t count)
{
    for (uint32_t i = 0; i < count && h->end < EVENTS_MAX; i++) {
        h->wants[h->end] = roll(3) > 0;
        h->wanted += h->wants[h->end++];
    }
}

static void send(history *h, event_marks *m)
{
    if (m->in_flight < PACKED_IN_FLIGHT_MAX) {
        const event_mark *from = event_marks_sent(m);
        h->on_way[h->on_way_count].from = from->next;
        h->on_way[h->on_way_count].to = h->end;
        h->on_way[h->on_way_count++].lost = from->lost;
        event_marks_send(m, h->end, NULL, 0);
    }
}

// The oldest snapshot on its way arrives.
static void arrive(history *h, event_marks *m)
{
    if (h->on_way_count > 0) {
        for (uint64_t i = h->on_way[0].from; i < h->on_way[0].to; i++) {
            h->taken += h->wants[i];
        }
        h->lost += h->on_way[0].lost;
        memmove(h->on_way, h->on_way + 1, --h->on_way_count * sizeof h->on_way[0]);
    }
    event_marks_acknowledge(m);
    assert_int_equal(m->in_flight, h->on_way_count);
}

static void forget(history *h, event_marks *m, uint64_t kept)
{
    const uint64_t floor = h->end > kept ? h->end - kept : 0;
    event_marks_trim(m, floor, is_wanted, h);
    h->floor = floor > h->floor ? floor : h->floor;
    for (uint32_t i = 0; i <= m->in_flight; i++) {
        assert_in_range(m->list[i].next, h->floor, h->end);
        assert_true(i == 0 || m->list[i].next >= m->list[i - 1].next);
    }
}

static void act(history *h, event_marks *m, uint64_t kept)
{
    switch (roll(8)) {
    case 0:
        happen(h, roll(40));
        break;
    case 1:
        event_marks_rewind(m); // the session continues over another connection
        h->on_way_count = 0;
        break;
    case 2:
    case 3:
        arrive(h, m);
        break;
    case 4:
        forget(h, m, kept);
        break;
    default:
        happen(h, roll(4));
        send(h, m);
        break;
    }
}

static void each_wanted_event_is_taken_once_or_counted_as_lost(void **state)
{
    (void)state;
    uint64_t lost = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        chance = run;
        history h = {.floor = 0};
        event_marks m = {0};
        event_marks_begin(&m, 0);
        const uint64_t kept = 1 + roll(200);
        for (int i = 0; i < ACTS; i++) {
            act(&h, &m, kept);
        }
        while (h.on_way_count > 0) {
            arrive(&h, &m);
        }
        send(&h, &m);
        arrive(&h, &m);
        assert_int_equal(h.taken + h.lost, h.wanted);
        lost += h.lost;
        event_marks_deinit(&m);
    }
    assert_true(lost > 1000);
}

static void acknowledgement_of_nothing_changes_nothing(void **state)
{
    (void)state;
    event_marks m = {0};
    event_marks_begin(&m, 7);
    event_marks_acknowledge(&m);
    event_marks_rewind(&m);
    assert_int_equal(event_marks_sent(&m)->next, 7);
    assert_int_equal(event_marks_sent(&m)->lost, 0);
    event_marks_deinit(&m);
}

// A mark keeps its snapshot's set of visible bodies until the reader has taken the next one.
static void what_was_in_view_goes_with_its_mark(void **state)
{
    (void)state;
    view_set *sets[3] = {view_set_create(1), view_set_create(1), view_set_create(1)};
    event_marks m = {0};
    event_marks_begin(&m, 0);
    for (int i = 0; i < 3; i++) {
        event_marks_send(&m, (uint64_t)i, view_set_ref(sets[i]), (uint64_t)i);
    }
    event_marks_acknowledge(&m);
    event_marks_acknowledge(&m);
    assert_int_equal(sets[0]->references, 1);
    assert_ptr_equal(m.list[0].seen, sets[1]);
    assert_int_equal(m.list[0].version, 1);
    event_marks_rewind(&m);
    assert_int_equal(sets[2]->references, 1);
    assert_int_equal(sets[1]->references, 2);
    event_marks_deinit(&m);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sets[i]->references, 1);
        view_set_unref(sets[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wanted_event_is_taken_once_or_counted_as_lost),
        cmocka_unit_test(acknowledgement_of_nothing_changes_nothing),
        cmocka_unit_test(what_was_in_view_goes_with_its_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
