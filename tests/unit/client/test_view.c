// Views: every rule by which a snapshot is applied.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <carom/view.h>

// ---- snapshots, written down shortly

typedef struct ids {
    uint64_t list[8];
    size_t count;
} ids;

static carom_body body_at(uint64_t id, double x)
{
    return (carom_body){.id = id, .x = x, .y = -x, .angle = 0.1, .vx = 1, .vy = 2, .w = 3};
}

// Applies a snapshot whose bodies have these ids, each at x = its id + tick.
static carom_status apply_ids(carom_view *view, uint64_t epoch, uint64_t tick, bool full, ids rows,
                              ids removed, ids leave)
{
    carom_body bodies[8];
    for (size_t i = 0; i < rows.count; i++) {
        bodies[i] = body_at(rows.list[i], (double)(rows.list[i] + tick));
    }
    carom_snapshot s = {
        .subscription = 1,
        .world = "demo",
        .epoch = epoch,
        .tick = tick,
        .time = (double)tick / 64,
        .full = full,
        .bodies = bodies,
        .body_count = rows.count,
        .removed = removed.list,
        .removed_count = removed.count,
        .leave = leave.list,
        .leave_count = leave.count,
    };
    return carom_view_apply(view, &s, NULL);
}

#define IDS(...)                                                                                   \
    (ids)                                                                                          \
    {                                                                                              \
        {__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)                        \
    }
#define NONE ((ids){0})

static void check_bodies(const carom_view *view, ids wanted)
{
    assert_int_equal(carom_view_count(view), wanted.count);
    assert_int_equal(carom_view_get_state(view).bodies, wanted.count);
    for (size_t i = 0; i < wanted.count; i++) {
        const carom_body *found = carom_view_find(view, wanted.list[i]);
        size_t index;
        assert_non_null(found);
        assert_int_equal(found->id, wanted.list[i]);
        assert_true(carom_view_index(view, wanted.list[i], &index));
        assert_ptr_equal(carom_view_body(view, index), found);
    }
    assert_null(carom_view_body(view, wanted.count));
}

// ---- bodies

static void new_view_waits_for_a_full_snapshot(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    assert_false(carom_view_get_state(view).ready);
    assert_string_equal(carom_view_get_state(view).world, "");
    apply_ids(view, 1, 5, false, IDS(1, 2), NONE, NONE);
    check_bodies(view, NONE);
    assert_false(carom_view_get_state(view).ready);
    assert_int_equal(carom_view_get_state(view).stale, 1);
    apply_ids(view, 1, 6, true, IDS(1, 2), NONE, NONE);
    check_bodies(view, IDS(1, 2));
    carom_view_state s = carom_view_get_state(view);
    assert_true(s.ready);
    assert_string_equal(s.world, "demo");
    assert_int_equal(s.tick, 6);
    assert_true(s.time == 6.0 / 64);
    assert_int_equal(s.snapshots, 1);
    assert_int_equal(s.gaps, 0);
    carom_view_free(view);
}

static void row_changes_a_known_body_and_makes_an_unknown_one(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1, 2), NONE, NONE);
    apply_ids(view, 1, 2, false, IDS(2, 9), NONE, NONE);
    check_bodies(view, IDS(1, 2, 9));
    assert_true(carom_view_find(view, 1)->x == 2); // sent at tick 1
    assert_true(carom_view_find(view, 2)->x == 4);
    assert_true(carom_view_find(view, 9)->x == 11);
    assert_true(carom_view_find(view, 9)->y == -11);
    carom_view_free(view);
}

static void empty_snapshot_changes_only_the_time(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1, 2), NONE, NONE);
    apply_ids(view, 1, 7, false, NONE, NONE, NONE);
    check_bodies(view, IDS(1, 2));
    assert_int_equal(carom_view_get_state(view).tick, 7);
    carom_view_free(view);
}

static void removed_and_left_bodies_are_gone(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1, 2, 3, 4), NONE, NONE);
    apply_ids(view, 1, 2, false, IDS(4), IDS(1), IDS(3));
    check_bodies(view, IDS(2, 4));
    assert_null(carom_view_find(view, 1));
    assert_null(carom_view_find(view, 3));
    carom_view_free(view);
}

static void removed_and_left_ids_that_are_unknown_are_ignored(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1), NONE, NONE);
    apply_ids(view, 1, 2, false, NONE, IDS(7, 8, 7), IDS(9));
    check_bodies(view, IDS(1));
    carom_view_free(view);
}

static void removed_and_leave_win_over_a_row(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1, 2, 3), NONE, NONE);
    apply_ids(view, 1, 2, false, IDS(1, 2, 3, 4), IDS(1, 4), IDS(2));
    check_bodies(view, IDS(3));
    carom_view_free(view);
}

static void body_that_left_comes_back_with_its_row(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1, 2), NONE, NONE);
    apply_ids(view, 1, 2, false, NONE, NONE, IDS(2));
    apply_ids(view, 1, 3, false, IDS(2), NONE, NONE);
    check_bodies(view, IDS(1, 2));
    assert_true(carom_view_find(view, 2)->x == 5);
    carom_view_free(view);
}

static void full_snapshot_replaces_all(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 1, true, IDS(1, 2, 3), NONE, NONE);
    apply_ids(view, 1, 9, true, IDS(3, 4), NONE, NONE);
    check_bodies(view, IDS(3, 4));
    assert_int_equal(carom_view_get_state(view).gaps, 1);
    apply_ids(view, 1, 10, true, NONE, NONE, NONE);
    check_bodies(view, NONE);
    assert_true(carom_view_get_state(view).ready);
    carom_view_free(view);
}

static void snapshot_of_an_earlier_tick_is_ignored(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 5, true, IDS(1), NONE, NONE);
    apply_ids(view, 1, 4, false, IDS(2), IDS(1), NONE);
    check_bodies(view, IDS(1));
    assert_int_equal(carom_view_get_state(view).tick, 5);
    assert_int_equal(carom_view_get_state(view).stale, 1);
    // the same tick again: a paused world was changed
    apply_ids(view, 1, 5, false, IDS(2), NONE, NONE);
    check_bodies(view, IDS(1, 2));
    // the world was set back, and the snapshot is full
    apply_ids(view, 1, 2, true, IDS(3), NONE, NONE);
    check_bodies(view, IDS(3));
    assert_int_equal(carom_view_get_state(view).tick, 2);
    carom_view_free(view);
}

static void other_epoch_without_full_makes_the_view_wait(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 5, true, IDS(1), NONE, NONE);
    apply_ids(view, 2, 6, false, IDS(2), NONE, NONE);
    apply_ids(view, 2, 7, false, IDS(2), NONE, NONE);
    check_bodies(view, NONE);
    assert_false(carom_view_get_state(view).ready);
    assert_int_equal(carom_view_get_state(view).gaps, 1);
    apply_ids(view, 2, 3, true, IDS(2), NONE, NONE);
    check_bodies(view, IDS(2));
    assert_true(carom_view_get_state(view).ready);
    assert_int_equal(carom_view_get_state(view).epoch, 2);
    carom_view_free(view);
}

static void other_epoch_in_full_begins_anew_at_any_tick(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_ids(view, 1, 500, true, IDS(1), NONE, NONE);
    apply_ids(view, 2, 0, true, IDS(1, 2), NONE, NONE);
    check_bodies(view, IDS(1, 2));
    assert_int_equal(carom_view_get_state(view).tick, 0);
    assert_int_equal(carom_view_get_state(view).gaps, 1);
    carom_view_free(view);
}

static void hash_last_and_skipped_are_told(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    carom_snapshot s = {.world = "demo",
                        .epoch = 1,
                        .tick = 1,
                        .full = true,
                        .has_hash = true,
                        .hash = {1, 2, 3, 4, 5, 6, 7, 8},
                        .last = 31,
                        .skipped = 2,
                        .events_lost = 7};
    carom_view_apply(view, &s, NULL);
    s.tick = 2;
    s.full = false;
    s.last = 0;
    carom_view_apply(view, &s, NULL);
    carom_view_state now = carom_view_get_state(view);
    assert_true(now.has_hash);
    assert_int_equal(now.hash[7], 8);
    assert_int_equal(now.last, 31);
    assert_int_equal(now.skipped, 4);
    assert_int_equal(now.events_lost, 14);
    assert_int_equal(now.snapshots, 2);
    carom_view_free(view);
}

static carom_status apply_data(carom_view *view, uint64_t tick, bool full, const carom_datum *data,
                               size_t count)
{
    const carom_snapshot s = {.world = "demo",
                              .epoch = 1,
                              .tick = tick,
                              .full = full,
                              .has_data = true,
                              .data = data,
                              .data_count = count};
    return carom_view_apply(view, &s, NULL);
}

static void data_are_the_newest_values_by_key(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    const carom_datum first[] = {{.key = "b", .encoded = "\x01", .encoded_size = 1},
                                 {.key = "a", .encoded = "\x02", .encoded_size = 1}};
    const carom_datum next[] = {{.key = "b", .encoded = "\xa2hi", .encoded_size = 3},
                                {.key = "a"}, // is gone
                                {.key = "c", .encoded = "\xc3", .encoded_size = 1},
                                {.key = "never was"}};
    assert_int_equal(apply_data(view, 1, true, first, 2), CAROM_OK);
    assert_int_equal(carom_view_datum_count(view), 2);
    assert_string_equal(carom_view_datum(view, 0)->key, "a");
    assert_int_equal(apply_data(view, 2, false, next, 4), CAROM_OK);
    assert_int_equal(carom_view_datum_count(view), 2);
    assert_null(carom_view_find_datum(view, "a"));
    carom_value *text = carom_datum_value(carom_view_find_datum(view, "b"));
    assert_string_equal(carom_as_str(text, NULL), "hi");
    carom_value_free(text);
    assert_int_equal(apply_data(view, 3, true, first, 1), CAROM_OK);
    assert_int_equal(carom_view_datum_count(view), 1);
    carom_view_reset(view);
    assert_int_equal(carom_view_datum_count(view), 0);
    assert_null(carom_datum_value(carom_view_datum(view, 0)));
    carom_view_free(view);
}

// Its texts and data are the view's own: those of the snapshot are gone when it is fetched.
static void messages_wait_with_their_texts(void **state)
{
    (void)state;
    carom_view_options options = carom_view_options_default();
    options.events_max = 2;
    carom_view *view = carom_view_create(&options);
    char name[] = "first";
    char subject[] = "ada";
    uint8_t data[] = {0xa2, 'h', 'i'};
    carom_event told = {.kind = CAROM_EVENT_MESSAGE, .name = "message", .tick = 1, .session = 7};
    for (int i = 0; i < 3; i++) { // the first of them is dropped
        told.message = name;
        told.subject = subject;
        told.data = i == 1 ? data : NULL;
        told.data_size = i == 1 ? sizeof data : 0;
        name[0] = (char)('0' + i);
        const carom_snapshot s = {.world = "demo",
                                  .epoch = 1,
                                  .tick = 1 + (uint64_t)i,
                                  .full = i == 0,
                                  .events = &told,
                                  .event_count = 1};
        assert_int_equal(carom_view_apply(view, &s, NULL), CAROM_OK);
    }
    memset(name, 'x', sizeof name - 1);
    memset(subject, 'x', sizeof subject - 1);
    memset(data, 0, sizeof data);
    carom_event event;
    assert_true(carom_view_next_event(view, &event));
    assert_string_equal(event.message, "1irst");
    assert_string_equal(event.subject, "ada");
    carom_value *text = carom_event_data(&event);
    assert_string_equal(carom_as_str(text, NULL), "hi");
    carom_value_free(text);
    assert_true(carom_view_next_event(view, &event));
    assert_string_equal(event.message, "2irst");
    assert_null(carom_event_data(&event));
    assert_false(carom_view_next_event(view, &event));
    carom_view_free(view);
}

static void seats_wait_with_their_texts(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    char subject[] = "ada";
    uint8_t data[] = {0xa2, 'h', 'i'};
    const carom_event told = {.kind = CAROM_EVENT_JOIN,
                              .name = "join",
                              .tick = 1,
                              .session = 7,
                              .seat = 3,
                              .subject = subject,
                              .data = data,
                              .data_size = sizeof data};
    const carom_snapshot s = {
        .world = "w", .epoch = 1, .tick = 1, .full = true, .events = &told, .event_count = 1};
    assert_int_equal(carom_view_apply(view, &s, NULL), CAROM_OK);
    memset(subject, 'x', sizeof subject - 1);
    memset(data, 0, sizeof data);
    carom_event event;
    assert_true(carom_view_next_event(view, &event));
    assert_null(event.message);
    assert_string_equal(event.subject, "ada");
    assert_int_equal(event.seat, 3);
    carom_value *text = carom_event_data(&event);
    assert_string_equal(carom_as_str(text, NULL), "hi");
    carom_value_free(text);
    carom_view_free(view);
}

static void contacts_are_those_of_the_newest_snapshot(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    carom_contact contacts[2] = {{.a = 1, .b = 2, .count = 1}, {.a = 3, .b = 4, .count = 2}};
    carom_snapshot s = {.world = "demo",
                        .tick = 1,
                        .full = true,
                        .has_contacts = true,
                        .contacts = contacts,
                        .contact_count = 2};
    carom_view_apply(view, &s, NULL);
    size_t count;
    assert_int_equal(carom_view_contacts(view, &count)[1].b, 4);
    assert_int_equal(count, 2);
    s.tick = 2;
    s.contact_count = 0;
    carom_view_apply(view, &s, NULL);
    carom_view_contacts(view, &count);
    assert_int_equal(count, 0);
    carom_view_free(view);
}

// Applies random snapshots, and compares the view with a plain array.
static void random_snapshots_match_an_array(void **state)
{
    (void)state;
    enum { IDS_MAX = 64, STEPS = 5000 };
    carom_view *view = carom_view_create(&(carom_view_options){.history = 3});
    double model[IDS_MAX + 1];
    bool seen[IDS_MAX + 1] = {false};
    uint32_t seed = 7;
    for (uint64_t tick = 1; tick <= STEPS; tick++) {
        bool full = tick == 1 || tick % 97 == 0;
        ids rows = NONE, removed = NONE, leave = NONE;
        for (int i = 0; i < 8; i++) {
            seed = seed * 1664525U + 1013904223U;
            uint64_t id = 1 + (seed >> 10) % IDS_MAX;
            unsigned kind = (seed >> 4) % 4;
            ids *list = kind == 0 ? &removed : kind == 1 ? &leave : &rows;
            list->list[list->count++] = id;
        }
        for (uint64_t id = 1; full && id <= IDS_MAX; id++) {
            seen[id] = false;
        }
        for (size_t i = 0; i < rows.count; i++) {
            seen[rows.list[i]] = true;
            model[rows.list[i]] = (double)(rows.list[i] + tick);
        }
        for (size_t i = 0; i < leave.count; i++) {
            seen[leave.list[i]] = false;
        }
        for (size_t i = 0; i < removed.count; i++) {
            seen[removed.list[i]] = false;
        }
        apply_ids(view, 1, tick, full, rows, removed, leave);
        size_t count = 0;
        for (uint64_t id = 1; id <= IDS_MAX; id++) {
            const carom_body *b = carom_view_find(view, id);
            assert_int_equal(b != NULL, seen[id]);
            assert_true(b == NULL || b->x == model[id]);
            count += seen[id];
        }
        assert_int_equal(carom_view_count(view), count);
    }
    carom_view_free(view);
}

// ---- the body's own pointer

typedef struct lives {
    int added, gone;
    int why[3];
    uint64_t tokens[16]; // targets of the bodies' pointers
} lives;

static void *note_added(carom_view *view, const carom_body *body, void *user)
{
    lives *l = user;
    assert_non_null(carom_view_find(view, body->id));
    l->added++;
    l->tokens[body->id] = body->id;
    return &l->tokens[body->id];
}

static void note_gone(carom_view *view, const carom_body *body, carom_gone why, void *data,
                      void *user)
{
    lives *l = user;
    assert_null(carom_view_find(view, body->id));
    assert_int_equal(*(uint64_t *)data, body->id);
    l->gone++;
    l->why[why]++;
}

static void added_and_gone_frame_each_body_s_life(void **state)
{
    (void)state;
    lives l = {0};
    carom_view_options options = carom_view_options_default();
    options.user = &l;
    options.added = note_added;
    options.gone = note_gone;
    carom_view *view = carom_view_create(&options);
    apply_ids(view, 1, 1, true, IDS(1, 2, 3, 4), NONE, NONE);
    assert_int_equal(l.added, 4);
    apply_ids(view, 1, 2, false, IDS(1, 5), IDS(2), IDS(3));
    assert_int_equal(l.added, 5);
    assert_int_equal(l.why[CAROM_GONE_REMOVED], 1);
    assert_int_equal(l.why[CAROM_GONE_LEFT], 1);
    assert_ptr_equal(carom_view_data(view, 4), &l.tokens[4]);
    apply_ids(view, 1, 3, true, IDS(4), NONE, NONE);
    assert_int_equal(l.why[CAROM_GONE_UNSEEN], 2);
    assert_ptr_equal(carom_view_data(view, 4), &l.tokens[4]); // the body was there before and after
    assert_true(carom_view_set_data(view, 4, &l.tokens[9]));
    assert_true(carom_view_set_data(view, 4, &l.tokens[4]));
    assert_false(carom_view_set_data(view, 1, NULL));
    assert_null(carom_view_data(view, 1));
    carom_view_free(view);
    assert_int_equal(l.gone, 5);
    assert_int_equal(l.why[CAROM_GONE_UNSEEN], 3);
}

// ---- events

static void apply_events(carom_view *view, uint64_t tick, uint64_t first, size_t count)
{
    carom_event events[16];
    for (size_t i = 0; i < count; i++) {
        events[i] = (carom_event){.kind = CAROM_EVENT_BEGIN, .name = "begin", .a = first + i};
    }
    carom_snapshot s = {
        .world = "demo", .tick = tick, .full = tick == 1, .events = events, .event_count = count};
    carom_view_apply(view, &s, NULL);
}

static void events_queue_up_in_order(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    uint64_t expected = 0;
    carom_event event;
    assert_false(carom_view_next_event(view, &event));
    for (uint64_t tick = 1, sent = 0; tick < 200; tick++) {
        apply_events(view, tick, sent, tick % 16);
        sent += tick % 16;
        for (uint64_t k = 0; k < tick % 11 && carom_view_next_event(view, &event); k++) {
            assert_int_equal(event.a, expected++);
            assert_string_equal(event.name, "begin");
        }
        assert_int_equal(carom_view_get_state(view).events, sent - expected);
    }
    assert_int_equal(carom_view_get_state(view).events_dropped, 0);
    carom_view_free(view);
}

static void full_queue_drops_the_oldest_and_counts(void **state)
{
    (void)state;
    carom_view_options options = carom_view_options_default();
    options.events_max = 5;
    carom_view *view = carom_view_create(&options);
    apply_events(view, 1, 0, 4);
    apply_events(view, 2, 4, 4);
    assert_int_equal(carom_view_get_state(view).events_dropped, 3);
    carom_event event;
    for (uint64_t expected = 3; expected < 8; expected++) {
        assert_true(carom_view_next_event(view, &event));
        assert_int_equal(event.a, expected);
    }
    assert_false(carom_view_next_event(view, &event));
    carom_view_free(view);
    options.events_max = 0;
    view = carom_view_create(&options);
    apply_events(view, 1, 0, 4);
    assert_false(carom_view_next_event(view, &event));
    carom_view_free(view);
}

static void event_of_an_unknown_kind_keeps_its_name(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    char name[] = "melt";
    carom_event events[20];
    for (int i = 0; i < 20; i++) {
        events[i] = (carom_event){.kind = CAROM_EVENT_OTHER, .name = name};
    }
    carom_snapshot s = {
        .world = "demo", .tick = 1, .full = true, .events = events, .event_count = 20};
    carom_view_apply(view, &s, NULL);
    strcpy(name, "????");
    carom_event event;
    for (int i = 0; i < 20; i++) {
        assert_true(carom_view_next_event(view, &event));
        assert_string_equal(event.name, "melt");
    }
    carom_view_free(view);
}

static void events_of_ignored_snapshots_are_kept(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    carom_event told = {.kind = CAROM_EVENT_SPAWN, .name = "spawn", .a = 4};
    carom_snapshot s = {.world = "demo", .tick = 1, .events = &told, .event_count = 1};
    carom_view_apply(view, &s, NULL); // not full: the view waits
    carom_event event;
    assert_true(carom_view_next_event(view, &event));
    assert_int_equal(event.a, 4);
    carom_view_free(view);
}

static void reset_keeps_the_events_alone(void **state)
{
    (void)state;
    carom_view *view = carom_view_create(NULL);
    apply_events(view, 1, 0, 3);
    apply_ids(view, 0, 2, false, IDS(1), NONE, NONE);
    carom_view_reset(view);
    check_bodies(view, NONE);
    assert_false(carom_view_get_state(view).ready);
    assert_int_equal(carom_view_get_state(view).events, 3);
    apply_ids(view, 0, 3, false, IDS(1), NONE, NONE);
    check_bodies(view, NONE);
    carom_view_free(view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_view_waits_for_a_full_snapshot),
        cmocka_unit_test(row_changes_a_known_body_and_makes_an_unknown_one),
        cmocka_unit_test(empty_snapshot_changes_only_the_time),
        cmocka_unit_test(removed_and_left_bodies_are_gone),
        cmocka_unit_test(removed_and_left_ids_that_are_unknown_are_ignored),
        cmocka_unit_test(removed_and_leave_win_over_a_row),
        cmocka_unit_test(body_that_left_comes_back_with_its_row),
        cmocka_unit_test(full_snapshot_replaces_all),
        cmocka_unit_test(snapshot_of_an_earlier_tick_is_ignored),
        cmocka_unit_test(other_epoch_without_full_makes_the_view_wait),
        cmocka_unit_test(other_epoch_in_full_begins_anew_at_any_tick),
        cmocka_unit_test(hash_last_and_skipped_are_told),
        cmocka_unit_test(data_are_the_newest_values_by_key),
        cmocka_unit_test(messages_wait_with_their_texts),
        cmocka_unit_test(seats_wait_with_their_texts),
        cmocka_unit_test(contacts_are_those_of_the_newest_snapshot),
        cmocka_unit_test(random_snapshots_match_an_array),
        cmocka_unit_test(added_and_gone_frame_each_body_s_life),
        cmocka_unit_test(events_queue_up_in_order),
        cmocka_unit_test(full_queue_drops_the_oldest_and_counts),
        cmocka_unit_test(event_of_an_unknown_kind_keeps_its_name),
        cmocka_unit_test(events_of_ignored_snapshots_are_kept),
        cmocka_unit_test(reset_keeps_the_events_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
