// Worlds that break physics, in every kind of snapshot: plain and packed at the finest and the
// coarsest precisions, areas, bodies that are followed, budgets, contacts, descriptions. Readers
// are slow, resume, and are handed an image of the world in between; publishing is cut. None meets
// a snapshot that it could not apply, and in the end each has the world. No server: a world, its
// publisher and a mailbox.
//
// CAROM_WILD_SEEDS is how many worlds there are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "common/physics/image.h"
#include "tests/support/cases.h"
#include "tests/golden/wild.h"
#include "tests/unit/server/mailbox.h"
#include "tests/unit/server/view_reader.h"

enum { VIEWS = 9, SEEDS = CASES_OF(150), KEPT = 16, ROWS_MAX = 64, AWAITED_MAX = 100 };

#define ALL_EVENTS ((1u << EVENT_KIND_COUNT) - 1)

typedef struct watcher {
    view_reader reader;
    session_key session;
    uint32_t owing;   // snapshots that the watcher received and did not acknowledge
    double precision; // precision of its places [m]
    bool whole;       // the watcher sees all bodies
} watcher;

typedef struct stage {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
    watcher watchers[VIEWS]; // watchers of subscriptions from 1 on
    uint64_t random;
} stage;

static uint32_t below(stage *f, uint32_t count) // xorshift64
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (uint32_t)(f->random >> 32) % count;
}

// Each reading advances the clock by one, so that some publishing stops after a number of pieces.
static int64_t tick_tock(void)
{
    static int64_t now;
    return now++;
}

// ---- views

static subscribe_args packed(double position, double angle, double velocity)
{
    return (subscribe_args){.bodies = true,
                            .encoding = ENCODING_PACKED,
                            .events = ALL_EVENTS,
                            .precision = {position, angle, velocity}};
}

static subscribe_args plain(void)
{
    return (subscribe_args){.bodies = true, .events = ALL_EVENTS};
}

static subscribe_args around(subscribe_args view, body_id follow)
{
    view.has_area = true;
    view.area = (area){-2.0, -4.0, 2.0, 2.0};
    view.follow = follow;
    return view;
}

static subscribe_args view_of(int number, const physics_world *world, const area *seen)
{
    subscribe_args view = plain();
    switch (number) {
    case 0:
        view.describe = view.contacts = true;
        return view;
    case 1:
        return packed(1.0 / 512.0, 0.006, 0.0);
    case 2:
        return packed(1.0 / 65536.0, 6e-6, 1.0 / 65536.0);
    case 3:
        return packed(16.0, 1.5, 16.0);
    case 4:
        view = packed(1.0 / 65536.0, 1.5, 1.0 / 256.0);
        view.describe = view.contacts = true;
        return view;
    case 5:
        return around(view, 0);
    case 6:
        return around(packed(0.001, 0.001, 1e-4), world_next_body(world, 0));
    case 7:
        view.token_areas = seen;
        view.token_area_count = 1;
        view.describe = view.contacts = true;
        return view;
    default:
        view = packed(0.01, 0.01, 0.1);
        view.budget = 600.0;
        return view;
    }
}

static void begin(stage *f, uint64_t seed)
{
    static const area TOKEN_AREAS = {-20.0, -5.0, 1.0, 20.0};
    f->limits.events_kept = f->limits.removals_kept = KEPT;
    f->random = seed * 0x9E3779B97F4A7C15ULL;
    f->world = wild_create(seed);
    publisher_init(&f->publisher, &f->limits, "world", 7);
    for (int i = 0; i < VIEWS; i++) {
        watcher *w = &f->watchers[i];
        const subscribe_args view = view_of(i, f->world, &TOKEN_AREAS);
        *w = (watcher){.session = {(uint32_t)i, (uint64_t)i + 1, 0}};
        w->precision = view.encoding == ENCODING_PACKED ? view.precision.position : 0.0;
        w->whole = !view.has_area && view.token_area_count == 0 && view.budget == 0.0;
        view_reader_init(&w->reader);
        publisher_subscribe(&f->publisher, f->world, (uint64_t)i + 1, w->session, w->session.number,
                            &view);
    }
}

static void end(stage *f)
{
    publisher_deinit(&f->publisher);
    world_free(f->world);
    for (int i = 0; i < VIEWS; i++) {
        view_reader_deinit(&f->watchers[i].reader);
    }
}

// ---- readers

static void read_all(stage *f)
{
    while (mailbox_left(&f->box) > 0) {
        const msgpack_object *s = mailbox_snapshot(&f->box);
        watcher *w = &f->watchers[obj_get_uint(s, "subscription") - 1];
        view_reader_take(&w->reader, s);
        w->owing++;
    }
    mailbox_deinit(&f->box);
}

static void acknowledge(stage *f, int view)
{
    for (watcher *w = &f->watchers[view]; w->owing > 0; w->owing--) {
        publisher_acknowledge(&f->publisher, (uint64_t)view + 1);
    }
}

// Loses the view's connection, and the snapshots in flight with it.
static void resume(stage *f, int view)
{
    watcher *w = &f->watchers[view];
    w->owing = 0;
    w->session.generation++;
    publisher_resume(&f->publisher, w->session);
}

// Continues the world from an image of itself.
static void hand_over(stage *f)
{
    uint8_t *image = NULL;
    size_t size = 0;
    physics_world *same = NULL;
    error err;
    world_save(f->world, &image, &size);
    assert_int_equal(world_restore(image, size, &same, &err), STATUS_OK);
    assert_true(world_hash(same) == world_hash(f->world));
    world_free(f->world);
    free(image);
    f->world = same;
    publisher_begin_anew(&f->publisher, same);
}

static void step(stage *f, uint64_t seed)
{
    wild_step(f->world, seed);
    f->publisher.joints.dirty = true; // commands were applied without the publisher
    publisher_note_step(&f->publisher, f->world);
    const bool all = below(f, 4) == 0;
    const turn t = turn_begin(tick_tock, below(f, 3) == 0 ? below(f, 30) : INT32_MAX);
    publisher_publish(&f->publisher, f->world, all, &t, mailbox_sink(&f->box));
    read_all(f);
    for (int i = 0; i < VIEWS; i++) {
        const uint32_t chance = below(f, 40);
        if (chance == 0) {
            resume(f, i);
        } else if (chance < 25) {
            acknowledge(f, i);
        }
    }
    if (below(f, 20) == 0) {
        hand_over(f);
    }
}

// ---- the end

static void send_the_rest(stage *f)
{
    for (int i = 0; i < AWAITED_MAX; i++) {
        for (int k = 0; k < VIEWS; k++) {
            acknowledge(f, k);
        }
        publisher_publish(&f->publisher, f->world, true, NULL, mailbox_sink(&f->box));
        if (mailbox_left(&f->box) == 0) {
            return;
        }
        read_all(f);
    }
}

static void assert_has_all(const stage *f, const watcher *w)
{
    static body_row rows[ROWS_MAX];
    const uint32_t count = world_rows(f->world, rows, ROWS_MAX);
    assert_true(count <= ROWS_MAX);
    assert_int_equal(view_reader_count(&w->reader), count);
    for (uint32_t i = 0; i < count; i++) {
        const view_body *b = view_reader_find(&w->reader, rows[i].id);
        assert_non_null(b);
        assert_true(fabs(b->x - rows[i].position.x) <= 0.5001 * w->precision);
        assert_true(fabs(b->y - rows[i].position.y) <= 0.5001 * w->precision);
    }
}

static void watch_world(stage *f, uint64_t seed)
{
    begin(f, seed);
    for (int i = 0; i < WILD_TICKS; i++) {
        step(f, seed);
    }
    send_the_rest(f);
    for (int i = 0; i < VIEWS; i++) {
        if (f->watchers[i].whole) {
            assert_has_all(f, &f->watchers[i]);
        }
        assert_true(f->watchers[i].reader.fulls > 0);
    }
    end(f);
}

static void worlds_that_break_physics_can_be_told_in_every_way(void **state)
{
    (void)state;
    static stage f;
    const char *wanted = getenv("CAROM_WILD_SEEDS");
    const uint64_t seeds = wanted != NULL ? strtoull(wanted, NULL, 10) : SEEDS;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        f = (stage){.limits = limits_default()};
        watch_world(&f, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_that_break_physics_can_be_told_in_every_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
