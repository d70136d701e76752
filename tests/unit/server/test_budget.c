// Tests of server/world/snapshots/budget.h through the publisher, for plain and packed snapshots
// alike: the bytes stay within the budget, no body starves, every shown state is a true one of
// known age, and near and fast bodies come first. No server: a world, its publisher, a mailbox.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "server/world/snapshots/budget.h"
#include "tests/unit/server/mailbox.h"
#include "tests/unit/server/view_reader.h"

enum { TICKS_MAX = 1500, HZ = 60 };

#define ROUNDED (0.5 / 512.0 + 1e-9)

typedef struct place {
    uint64_t id;
    double x, y;
} place;

typedef struct fixture {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
    view_reader reader;
    snapshot_encoding encoding;
    double hz;
    size_t bytes;       // total sent
    bool sent;          // a snapshot was sent in this tick
    uint32_t snapshots; // total of snapshots
    uint64_t random;
    place (*states)[VIEW_BODIES_MAX]; // states of each tick, indexed by the low bits of the ids
} fixture;

static const session_key ONE = {.slot = 0, .number = 1};

static int set_up(void **state, snapshot_encoding encoding)
{
    static fixture f;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    f = (fixture){.limits = limits_default(), .encoding = encoding, .hz = HZ, .random = 88172645};
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    publisher_init(&f.publisher, &f.limits, "world", 7);
    view_reader_init(&f.reader);
    f.states = calloc(TICKS_MAX, sizeof *f.states);
    assert_non_null(f.states);
    *state = &f;
    return 0;
}

static int set_up_plain(void **state)
{
    return set_up(state, ENCODING_PLAIN);
}

static int set_up_packed(void **state)
{
    return set_up(state, ENCODING_PACKED);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mailbox_deinit(&f->box);
    publisher_deinit(&f->publisher);
    world_free(f->world);
    view_reader_deinit(&f->reader);
    free(f->states);
    return 0;
}

static double random_in(fixture *f, double least, double most) // xorshift64
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return least + (most - least) * (double)(f->random >> 11) / 9007199254740992.0;
}

static body_id add_ball(fixture *f, double x, double y, vec2d velocity)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    def.position = (vec2d){x, y};
    def.velocity = velocity;
    def.allow_sleep = false;
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.1f};
    shape.sensor = true; // they pass through each other
    assert_int_equal(body_spawn(f->world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
    return id;
}

static subscribe_args view_of(const fixture *f, double bytes_a_second)
{
    return (subscribe_args){.bodies = true,
                            .encoding = f->encoding,
                            .precision = {.position = 1.0 / 512.0, .angle = 0.006135923151542565},
                            .budget = bytes_a_second};
}

static void note_state(fixture *f)
{
    body_row rows[VIEW_BODIES_MAX];
    const uint32_t count = world_rows(f->world, rows, VIEW_BODIES_MAX);
    place *now = f->states[world_tick(f->world)];
    for (uint32_t i = 0; i < count; i++) {
        now[rows[i].id & 0xffffff] = (place){rows[i].id, rows[i].position.x, rows[i].position.y};
    }
}

static void take_all(fixture *f)
{
    f->sent = false;
    while (mailbox_left(&f->box) > 0) {
        const reply *r = f->box.replies[f->box.next];
        f->bytes += r->small_size + r->tail->size;
        f->snapshots++;
        f->sent = true;
        view_reader_take(&f->reader, mailbox_snapshot(&f->box));
        publisher_acknowledge(&f->publisher, 1);
    }
    mailbox_deinit(&f->box);
    f->box = (mailbox){0};
}

static void tick(fixture *f)
{
    world_step(f->world);
    note_state(f);
    publisher_note_step(&f->publisher, f->world);
    publisher_publish(&f->publisher, f->world, false, NULL, mailbox_sink(&f->box));
    take_all(f);
}

static bool is_at(const view_body *shown, const place *was)
{
    return shown->id == was->id && fabs(shown->x - was->x) <= ROUNDED &&
           fabs(shown->y - was->y) <= ROUNDED;
}

// Checks that every shown body has its state of some tick from the reported `oldest` and from its
// last row on; with nothing left out, all have their present state.
static void assert_true_states(const fixture *f)
{
    const view_reader *r = &f->reader;
    const uint64_t oldest = r->left_out > 0 ? r->oldest : r->tick;
    for (uint32_t i = 0; i < VIEW_BODIES_MAX; i++) {
        const view_body *shown = &r->bodies[i];
        bool found = shown->id == 0;
        const uint64_t first = shown->told > oldest ? shown->told : oldest;
        for (uint64_t t = first; t <= r->tick && !found; t++) {
            found = is_at(shown, &f->states[t][i]);
        }
        if (!found) {
            fail_msg("body %u, told in tick %llu, is in no state of ticks %llu to %llu", i,
                     (unsigned long long)shown->told, (unsigned long long)first,
                     (unsigned long long)r->tick);
        }
    }
}

static void add_crowd(fixture *f, int count, double speed)
{
    for (int i = 0; i < count; i++) {
        const vec2d velocity = {random_in(f, -speed, speed), random_in(f, -speed, speed)};
        add_ball(f, random_in(f, -40, 40), random_in(f, -40, 40), velocity);
    }
}

// Pushes a body, so that predictions fail, brings back those that are far away, and now and then
// replaces one.
static void disturb(fixture *f, int i)
{
    body_row rows[VIEW_BODIES_MAX];
    const uint32_t count = world_rows(f->world, rows, VIEW_BODIES_MAX);
    for (uint32_t k = 0; k < count; k++) {
        body_def def = body_def_default();
        def.position = (vec2d){random_in(f, -40, 40), random_in(f, -40, 40)};
        if (fabs(rows[k].position.x) > 45.0 || fabs(rows[k].position.y) > 45.0) {
            body_set(f->world, rows[k].id, BODY_FIELD_POSITION, &def, NULL);
        }
    }
    const body_row *row = &rows[(uint32_t)random_in(f, 0, count)];
    body_def push = body_def_default();
    push.velocity = (vec2d){random_in(f, -20, 20), random_in(f, -20, 20)};
    body_set(f->world, row->id, BODY_FIELD_VELOCITY, &push, NULL);
    if (i % 50 == 0) {
        body_remove(f->world, row->id, NULL);
        add_crowd(f, 1, 8.0);
    }
}

// The bytes sent stay within the budget, and the states are true, whatever moves, comes and goes.
static void bytes_stay_within_the_budget_and_states_are_true(void **state)
{
    fixture *f = *state;
    const double rate = f->encoding == ENCODING_PACKED ? 1500.0 : 20000.0;
    subscribe_args view = view_of(f, rate);
    view.has_area = true;
    view.area = (area){-30, -30, 30, 30};
    view.margin = 1.0;
    add_crowd(f, 200, 8.0);
    publisher_subscribe(&f->publisher, f->world, 1, ONE, ONE.number, &view);
    for (int i = 0; i < 900; i++) {
        disturb(f, i);
        tick(f);
        if (f->sent) {
            assert_true_states(f);
        }
        // Half a second may be saved up, and the last snapshot may exceed the budget by its
        // mandatory part.
        const double allowed = rate * (i + 1) / HZ + 0.5 * rate + 512.0 + 600.0;
        assert_true((double)f->bytes <= allowed);
    }
    assert_int_equal(f->reader.fulls, 1);
    assert_true(f->reader.left_out > 0);
    assert_true((double)f->bytes > 0.7 * rate * 900 / HZ); // most of the budget is used
    assert_true(view_reader_count(&f->reader) > 20);
}

// The bound that budget.h proves.
static void no_body_starves(void **state)
{
    fixture *f = *state;
    enum { BODIES = 120 };
    subscribe_args view = view_of(f, f->encoding == ENCODING_PACKED ? 1200.0 : 24000.0);
    view.has_area = true;
    view.area = (area){-500, -500, 500, 500};
    body_id ids[BODIES];
    for (int i = 0; i < BODIES; i++) { // some in the middle and fast, most far out and slow
        const bool chosen = i % 4 == 0;
        ids[i] = add_ball(f, chosen ? i * 0.1 : 400.0 - i, chosen ? 0.0 : 400.0 - i,
                          chosen ? (vec2d){0.0, 30.0} : (vec2d){0.2, 0.01 * i});
    }
    publisher_subscribe(&f->publisher, f->world, 1, ONE, ONE.number, &view);
    uint32_t waited[BODIES] = {0};
    uint32_t longest = 0;
    uint32_t least = UINT32_MAX; // rows in a snapshot: least
    uint32_t rows_of[2] = {0};   // totals of rows, of the slow and of the fast bodies
    for (int i = 0; i < 1200; i++) {
        // disturbs every seventh tick, so that predictions fail
        for (int k = 0; k < BODIES && i % 7 == 0; k++) {
            body_def def = body_def_default();
            const double speed = k % 4 == 0 ? 30.0 : 0.2;
            def.velocity = (vec2d){random_in(f, -speed, speed), random_in(f, -speed, speed)};
            body_set(f->world, ids[k], BODY_FIELD_VELOCITY, &def, NULL);
        }
        tick(f);
        if (!f->sent) {
            continue;
        }
        least = f->reader.rows < least ? f->reader.rows : least;
        for (int k = 0; k < BODIES; k++) {
            const view_body *b = view_reader_find(&f->reader, ids[k]);
            const bool told = b != NULL && b->told == f->reader.tick;
            waited[k] = told ? 0 : waited[k] + 1;
            longest = waited[k] > longest ? waited[k] : longest;
            rows_of[k % 4 == 0] += told;
        }
    }
    assert_true(least >= 1 && least < BODIES / 2);
    assert_int_equal(view_reader_count(&f->reader), BODIES);
    const uint32_t bound = (BUDGET_WEIGHT_MOST + 1) * ((BODIES + least - 1) / least);
    if (longest > bound) {
        fail_msg("a body waited for %u snapshots, of %u at most, %u rows", longest, bound, least);
    }
    // Near and fast bodies, a quarter of all, come more than half as often again as the others.
    assert_true(rows_of[1] * 2 > rows_of[0]);
}

static void rest_is_told_in_the_end(void **state)
{
    fixture *f = *state;
    const double rate = f->encoding == ENCODING_PACKED ? 600.0 : 4000.0;
    add_crowd(f, 100, 0.0);
    const subscribe_args view = view_of(f, rate);
    publisher_subscribe(&f->publisher, f->world, 1, ONE, ONE.number, &view);
    tick(f);
    assert_int_equal(f->reader.fulls, 1);
    const uint64_t first = f->reader.left_out;
    assert_true(first > 0 && first < 100);
    assert_int_equal(view_reader_count(&f->reader), 100 - first);
    for (int i = 0; i < 600; i++) {
        tick(f);
        if (f->sent) {
            assert_int_equal(view_reader_count(&f->reader), 100 - f->reader.left_out);
            assert_true_states(f);
        }
    }
    assert_int_equal(f->reader.left_out, 0);
    assert_int_equal(f->reader.fulls, 1);
}

static void removals_and_leaves_are_always_told(void **state)
{
    fixture *f = *state;
    subscribe_args view = view_of(f, 512.0);
    body_id ids[60];
    view.has_area = true;
    view.area = (area){-50, -50, 50, 50};
    for (int i = 0; i < 60; i++) {
        ids[i] = add_ball(f, 0.5 * i, 0.0, (vec2d){0.0, 0.1});
    }
    publisher_subscribe(&f->publisher, f->world, 1, ONE, ONE.number, &view);
    for (int i = 0; i < 600; i++) {
        tick(f);
    }
    assert_true(view_reader_count(&f->reader) > 5);
    for (int i = 0; i < 60; i++) {
        body_def away = body_def_default();
        away.position = (vec2d){1000.0, i};
        if (i % 2 == 0) {
            body_remove(f->world, ids[i], NULL);
        } else {
            body_set(f->world, ids[i], BODY_FIELD_POSITION, &away, NULL);
        }
    }
    const uint32_t before = f->snapshots;
    while (f->snapshots == before) {
        tick(f);
    }
    assert_int_equal(view_reader_count(&f->reader), 0);
    assert_int_equal(f->reader.left_out, 0);
}

// A paused world keeps sending the states that the reader lacks.
static void paused_world_tells_all(void **state)
{
    fixture *f = *state;
    const subscribe_args view = view_of(f, 2000.0);
    add_crowd(f, 80, 1.0);
    publisher_subscribe(&f->publisher, f->world, 1, ONE, ONE.number, &view);
    note_state(f);
    for (int i = 0; i < 1000 && (i == 0 || publisher_owes(&f->publisher)); i++) {
        publisher_publish(&f->publisher, f->world, true, NULL, mailbox_sink(&f->box));
        take_all(f);
    }
    assert_false(publisher_owes(&f->publisher));
    assert_int_equal(f->reader.left_out, 0);
    assert_int_equal(view_reader_count(&f->reader), 80);
    assert_true_states(f);
}

static void resumed_reader_begins_anew(void **state)
{
    fixture *f = *state;
    subscribe_args view = view_of(f, 3000.0);
    add_crowd(f, 60, 2.0);
    publisher_subscribe(&f->publisher, f->world, 1, ONE, ONE.number, &view);
    for (int i = 0; i < 240; i++) {
        tick(f);
    }
    session_key again = ONE;
    again.generation++;
    publisher_resume(&f->publisher, again);
    const uint32_t before = f->snapshots;
    while (f->snapshots == before) {
        tick(f);
    }
    assert_int_equal(f->reader.fulls, 2);
    for (int i = 0; i < 240; i++) {
        tick(f);
        if (f->sent) {
            assert_true_states(f);
        }
    }
    assert_int_equal(view_reader_count(&f->reader), 60);
}

int main(void)
{
#define BOTH(name)                                                                                 \
    {#name " (plain)", name, set_up_plain, tear_down, NULL},                                       \
    {                                                                                              \
#name " (packed)", name, set_up_packed, tear_down, NULL                                    \
    }
    const struct CMUnitTest tests[] = {
        BOTH(bytes_stay_within_the_budget_and_states_are_true),
        BOTH(no_body_starves),
        BOTH(rest_is_told_in_the_end),
        BOTH(removals_and_leaves_are_always_told),
        BOTH(paused_world_tells_all),
        BOTH(resumed_reader_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
