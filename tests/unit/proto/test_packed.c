// Packed snapshots of bodies that move, rest, come and go, and readers that join later.
#include "tests/unit/proto/packed_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/packed/packed_axes.h"
#include "proto/packed/packed_stream.h"

// ---- a crowd of bodies with random behaviour

// The bodies that a reader knows.
typedef struct picture {
    packed_body bodies[CROWD];
    bool there[CROWD];
} picture;

static int place_of(uint64_t id)
{
    return (int)(id & 0xffffff) - 1;
}

static void look(picture *p, const packed_changes *c)
{
    if (c->full) {
        memset(p, 0, sizeof *p);
    }
    for (uint32_t i = 0; i < c->removed_count; i++) {
        assert_true(p->there[place_of(c->removed[i])]);
        p->there[place_of(c->removed[i])] = false;
    }
    for (uint32_t i = 0; i < c->left_count; i++) {
        assert_true(p->there[place_of(c->left[i])]);
        p->there[place_of(c->left[i])] = false;
    }
    for (uint32_t i = 0; i < c->entered_count; i++) {
        assert_false(p->there[place_of(c->entered[i])]);
        p->there[place_of(c->entered[i])] = true;
    }
    for (uint32_t i = 0; i < c->body_count; i++) {
        const int at = place_of(c->bodies[i].id);
        assert_true(c->full || p->there[at]);
        p->bodies[at] = c->bodies[i];
        p->there[at] = true;
    }
}

static void assert_within(double got, double want, double steps)
{
    if (!(fabs(got - want) * steps <= 0.5 + 1e-6)) {
        fail_msg("%.9g is not %.9g to half a step of 1/%g", got, want, steps);
    }
}

// Checks that the picture equals the crowd's view, to half a step.
static void assert_pictured(const picture *p, const crowd *w, const packed_precision *precision)
{
    uint32_t there = 0;
    for (int i = 0; i < CROWD; i++) {
        there += p->there[i];
    }
    assert_int_equal(there, w->count);
    for (uint32_t i = 0; i < w->count; i++) {
        const packed_body *want = &w->view[i];
        const packed_body *got = &p->bodies[place_of(want->id)];
        assert_true(got->id == want->id && p->there[place_of(want->id)]);
        assert_within(got->x, want->x, precision->position_steps);
        assert_within(got->y, want->y, precision->position_steps);
        assert_within(remainder(got->angle - want->angle, TURN), 0.0,
                      precision->angle_steps / TURN);
        if (precision->velocity_steps > 0.0) {
            assert_within(got->vx, want->vx, precision->velocity_steps);
            assert_within(got->vy, want->vy, precision->velocity_steps);
            assert_within(got->spin, want->spin, precision->velocity_steps);
        }
    }
}

static uint64_t random_ticks(void)
{
    const uint32_t chance = random_bits() % 100;
    return chance == 0 ? 100000 : chance < 3 ? 0 : chance < 10 ? 1 + random_bits() % 30 : 1;
}

// Leaves out bodies that were there before, at random; their state in the view is then the last one
// sent.
typedef struct holding {
    bool held[CROWD];        // the left-out ones of those in view
    packed_body told[CROWD]; // indexed by slot; id 0: not in the snapshot before
    uint32_t left_out;       // total of bodies left out
} holding;

static void choose_held(holding *h, const crowd *w)
{
    bool there[CROWD] = {false};
    for (uint32_t i = 0; i < w->count; i++) {
        const int at = place_of(w->view[i].id);
        there[at] = true;
        h->held[i] = h->told[at].id == w->view[i].id && random_bits() % 4 != 0;
        h->left_out += h->held[i];
        if (!h->held[i]) {
            h->told[at] = w->view[i];
        }
    }
    for (int i = 0; i < CROWD; i++) {
        h->told[i].id = there[i] ? h->told[i].id : 0;
    }
}

static void show_as_told(const holding *h, crowd *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        w->view[i] = h->told[place_of(w->view[i].id)];
    }
}

// One reader from the start, and one that joins at random moments: both must have the server's
// picture.
static void follow_crowd_holding(const packed_precision *precision, double hz, int snapshots,
                                 holding *h)
{
    crowd *w = calloc(1, sizeof *w);
    picture *first = calloc(1, sizeof *first);
    picture *later = calloc(1, sizeof *later);
    packed_encoder *e = packed_encoder_create(precision, hz);
    packed_decoder *d = packed_decoder_create();
    packed_decoder *joined = packed_decoder_create();
    buffer change;
    buffer full;
    buffer_init(&change, BYTES_MAX);
    buffer_init(&full, BYTES_MAX);
    bool has_joined = false;
    for (int i = 0; i < snapshots; i++) {
        step_crowd(w, random_ticks(), hz);
        buffer_clear(&change);
        if (h != NULL) {
            choose_held(h, w);
        }
        const size_t most = packed_encoder_bytes_most(e, w->count);
        packed_encode_part(e, w->tick, w->view, h != NULL ? h->held : NULL, w->count, w->removed,
                           w->removed_count, &change);
        assert_true(packed_encoder_bytes(e) <= most);
        if (h != NULL) {
            show_as_told(h, w);
        }
        const bool joins = !has_joined || random_bits() % 50 == 0;
        if (joins || i == 0) {
            buffer_clear(&full);
            packed_encode_full(e, &full);
        }
        packed_changes c = decode(d, i == 0 ? &full : &change);
        assert_true(c.tick == w->tick && c.full == (i == 0));
        look(first, &c);
        c = decode(joined, joins ? &full : &change);
        look(later, &c);
        has_joined = true;
        assert_pictured(first, w, precision);
        assert_memory_equal(first->there, later->there, sizeof first->there);
        for (uint32_t k = 0; k < w->count; k++) {
            const int at = place_of(w->view[k].id);
            assert_true(first->bodies[at].x == later->bodies[at].x &&
                        first->bodies[at].y == later->bodies[at].y &&
                        first->bodies[at].angle == later->bodies[at].angle);
        }
    }
    buffer_deinit(&change);
    buffer_deinit(&full);
    packed_decoder_destroy(d);
    packed_decoder_destroy(joined);
    packed_encoder_destroy(e);
    free(w);
    free(first);
    free(later);
}

static void follow_crowd(const packed_precision *precision, double hz, int snapshots)
{
    follow_crowd_holding(precision, hz, snapshots, NULL);
}

// Bodies that are left out keep their last state, also for readers that join.
static void bodies_that_are_held_stay_as_they_were_told(void **state)
{
    (void)state;
    const packed_precision ordinary = packed_precision_default();
    const packed_precision told = {512.0, 1024, 64.0};
    holding *h = calloc(1, sizeof *h);
    follow_crowd_holding(&ordinary, 60.0, 3000, h);
    *h = (holding){.left_out = h->left_out};
    follow_crowd_holding(&told, 60.0, 2000, h);
    assert_true(h->left_out > 10000);
    free(h);
}

// A body that flies straight is predicted exactly after any number of snapshots without it, so rare
// updates cost next to nothing.
static void held_body_is_expected_as_of_its_time(void **state)
{
    (void)state;
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    size_t bytes = 0;
    for (uint64_t i = 0; i < 640; i++) {
        const packed_body body = {.id = 1, .x = 0.125 * (double)i, .y = 0.0625 * (double)i};
        const bool held = i > 40 && i % 8 != 0;
        buffer out;
        buffer_init(&out, BYTES_MAX);
        packed_encode_part(e, i, &body, i > 0 ? &held : NULL, 1, NULL, 0, &out);
        bytes += i > 100 && !held ? out.size : 0;
        buffer_deinit(&out);
    }
    packed_encoder_destroy(e);
    assert_true(bytes <= 67 * 4); // size of 67 snapshots, with head and ticks
}

static void readers_have_the_rounded_state_at_any_precision(void **state)
{
    (void)state;
    const packed_precision ordinary = packed_precision_default();
    follow_crowd(&ordinary, 60.0, 3000);
    follow_crowd(&(packed_precision){512.0, 1024, 64.0}, 60.0, 2000);
    follow_crowd(&(packed_precision){PACKED_STEPS_MIN, PACKED_ANGLE_STEPS_MIN, 0.0}, 20.0, 1000);
    follow_crowd(&(packed_precision){PACKED_STEPS_MAX, PACKED_ANGLE_STEPS_MAX, PACKED_STEPS_MAX},
                 1.0, 1000);
    follow_crowd(&(packed_precision){PACKED_STEPS_MAX, 1023, PACKED_STEPS_MIN}, 1000.0, 1000);
}

static void restarted_encoder_begins_as_a_new_one(void **state)
{
    (void)state;
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_encoder *other = packed_encoder_create(&precision, 60.0);
    crowd *w = calloc(1, sizeof *w);
    buffer a;
    buffer b;
    buffer_init(&a, BYTES_MAX);
    buffer_init(&b, BYTES_MAX);
    for (int i = 0; i < 100; i++) {
        step_crowd(w, 1, 60.0);
        buffer_clear(&a);
        packed_encode(e, w->tick, w->view, w->count, NULL, 0, &a);
    }
    packed_encoder_restart(e);
    packed_encode(e, w->tick, w->view, w->count, NULL, 0, &a);
    packed_encode(other, w->tick, w->view, w->count, NULL, 0, &b);
    buffer_clear(&a);
    buffer_clear(&b);
    packed_encode_full(e, &a);
    packed_encode_full(other, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    buffer_deinit(&a);
    buffer_deinit(&b);
    packed_encoder_destroy(e);
    packed_encoder_destroy(other);
    free(w);
}

static void bodies_at_rest_cost_nothing(void **state)
{
    (void)state;
    enum { BODIES = 1000 };
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_body *bodies = calloc(BODIES, sizeof *bodies);
    buffer out;
    buffer_init(&out, BYTES_MAX);
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = (packed_body){.id = i + 1, .x = random_in(-9, 9), .y = random_in(-9, 9)};
    }
    const size_t empty = packed_encoder_bytes(e);
    const size_t most = packed_encoder_bytes_most(e, BODIES);
    for (uint64_t tick = 0; tick < 400; tick++) {
        buffer_clear(&out);
        packed_encode(e, tick, bodies, BODIES, NULL, 0, &out);
        assert_true(tick > 0 || packed_encoder_bytes(e) > empty + BODIES * sizeof(packed_axes));
        assert_true(packed_encoder_bytes(e) <= most);
    }
    assert_true(out.size <= 2);
    assert_true(packed_encoder_bytes(e) < empty + 2 * BODIES * sizeof(packed_track));
    for (uint64_t tick = 400; tick < 420; tick++) { // all move again
        for (uint32_t i = 0; i < BODIES; i++) {
            bodies[i].x += 0.25;
        }
        packed_encode(e, tick, bodies, BODIES, NULL, 0, &out);
        assert_true(packed_encoder_bytes(e) > empty + BODIES * sizeof(packed_axes));
        assert_true(packed_encoder_bytes(e) <= most);
    }
    buffer_deinit(&out);
    packed_encoder_destroy(e);
    free(bodies);
}

// No value stops an encoder: impossible places, angles and speeds are clamped, NaN becomes 0, and
// the reader continues.
static void values_beyond_all_bounds_are_cut_off(void **state)
{
    (void)state;
    const double values[] = {0.0,
                             1e6,
                             -1e6,
                             4e3,
                             2.4e8,
                             -3e14,
                             1e300,
                             -1e300,
                             (double)INFINITY,
                             -(double)INFINITY,
                             (double)NAN,
                             1.0};
    enum { VALUES = sizeof values / sizeof *values };
    const packed_precision precisions[] = {
        {PACKED_STEPS_MIN, PACKED_ANGLE_STEPS_MIN, PACKED_STEPS_MIN},
        {PACKED_STEPS_DEFAULT, PACKED_ANGLE_STEPS_DEFAULT, 0.0},
        {PACKED_STEPS_MAX, PACKED_ANGLE_STEPS_MAX, PACKED_STEPS_MAX},
    };
    for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++) {
        packed_encoder *e = packed_encoder_create(&precisions[p], 60.0);
        packed_decoder *d = packed_decoder_create();
        const double most = ldexp(1.0, 38) / precisions[p].position_steps;
        packed_changes c;
        error err;
        for (uint64_t i = 0; i < 4 * VALUES * VALUES; i++) {
            const double now = values[i % VALUES];
            const double then = values[i / VALUES % VALUES];
            const packed_body body = {
                .id = 1, .x = now, .y = then, .angle = now, .vx = then, .vy = now, .spin = then};
            buffer out;
            buffer_init(&out, BYTES_MAX);
            packed_encode(e, i, &body, 1, NULL, 0, &out);
            if (i == 0) {
                buffer_clear(&out);
                packed_encode_full(e, &out);
            }
            assert_int_equal(packed_decode(d, out.data, out.size, &c, &err), STATUS_OK);
            if (c.body_count == 1) {
                const double wanted = isnan(now) ? 0.0 : fmax(-most, fmin(now, most));
                const double half = 0.5 / precisions[p].position_steps;
                assert_true(fabs(c.bodies[0].x - wanted) <= half + 1e-9);
            }
            buffer_deinit(&out);
        }
        packed_decoder_destroy(d);
        packed_encoder_destroy(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(readers_have_the_rounded_state_at_any_precision, begin),
        cmocka_unit_test_setup(bodies_that_are_held_stay_as_they_were_told, begin),
        cmocka_unit_test_setup(held_body_is_expected_as_of_its_time, begin),
        cmocka_unit_test_setup(restarted_encoder_begins_as_a_new_one, begin),
        cmocka_unit_test_setup(bodies_at_rest_cost_nothing, begin),
        cmocka_unit_test_setup(values_beyond_all_bounds_are_cut_off, begin),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += run_packed_coder();
    failed += run_packed_bytes();
    return failed;
}
