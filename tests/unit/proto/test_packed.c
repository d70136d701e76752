// Packed snapshots: the coder's bits, bodies that move, rest, come and go, readers that join later,
// and bytes that were cut off, altered or made up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "proto/packed/packed.h"
#include "proto/packed/packed_axes.h"
#include "proto/packed/packed_stream.h"
#include "proto/packed/range_coder.h"

enum { BYTES_MAX = 64 << 20, CROWD = 40 };

static const double TURN = 2.0 * 3.14159265358979323846;

static uint64_t seed;

static uint32_t random_bits(void) // xorshift64*
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 32);
}

static double random_in(double least, double most)
{
    return least + (most - least) * (double)random_bits() / 4294967296.0;
}

static int begin(void **state)
{
    (void)state;
    seed = 0x9e3779b97f4a7c15u;
    return 0;
}

// ---- the coder

static void range_coder_returns_every_bit_at_any_probability(void **state)
{
    (void)state;
    enum { BITS = 20000 };
    static bool bits[BITS];
    static uint32_t chances[BITS];
    for (int round = 0; round < 20; round++) {
        buffer out;
        range_coder c;
        buffer_init(&out, BYTES_MAX);
        range_coder_write(&c, &out);
        const uint32_t lean = random_bits() % 4;
        for (int i = 0; i < BITS; i++) {
            chances[i] = BIT_PROBABILITY_MIN + random_bits() % (32768 - 2 * BIT_PROBABILITY_MIN);
            bits[i] = lean == 0 ? false : lean == 1 ? true : random_bits() % 32768 < chances[i];
            range_code(&c, chances[i], bits[i]);
        }
        range_coder_finish(&c, 0);
        range_coder_read(&c, out.data, out.size);
        for (int i = 0; i < BITS; i++) {
            assert_int_equal(range_code(&c, chances[i], false), bits[i]);
        }
        assert_false(range_coder_overrun(&c));
        assert_true(range_coder_at_end(&c));
        buffer_deinit(&out);
    }
}

// The most probable bits and then an improbable one make a carry run through a row of 0xff.
static void range_coder_carries_through_full_bytes(void **state)
{
    (void)state;
    for (int likely = 0; likely < 300; likely++) {
        buffer out;
        range_coder c;
        buffer_init(&out, BYTES_MAX);
        range_coder_write(&c, &out);
        for (int i = 0; i < likely; i++) {
            range_code(&c, BIT_PROBABILITY_MIN, false); // low comes close to the top
        }
        range_code_raw(&c, 0x123456789abcdefu, 64);
        range_coder_finish(&c, 0);
        range_coder_read(&c, out.data, out.size);
        for (int i = 0; i < likely; i++) {
            assert_false(range_code(&c, BIT_PROBABILITY_MIN, false));
        }
        assert_true(range_code_raw(&c, 0, 64) == 0x123456789abcdefu);
        assert_false(range_coder_overrun(&c));
        buffer_deinit(&out);
    }
}

static void numbers_return_up_to_their_limits(void **state)
{
    (void)state;
    static const int64_t CASES[] = {
        0, 1, 2, 3, 7, 8, 1000, (int64_t)1 << 39, -1, -2, -77777, -((int64_t)1 << 39)};
    enum { COUNT = sizeof CASES / sizeof *CASES };
    packed_models models;
    number_model *m = &models.ticks;
    buffer out;
    range_coder c;
    buffer_init(&out, BYTES_MAX);
    packed_models_init(&models);
    range_coder_write(&c, &out);
    for (int i = 0; i < COUNT; i++) {
        assert_true(code_signed(&c, m, CASES[i]) == CASES[i]);
    }
    code_number(&c, m, ((uint64_t)1 << 41) - 2);
    range_coder_finish(&c, 0);
    packed_models_init(&models);
    range_coder_read(&c, out.data, out.size);
    for (int i = 0; i < COUNT; i++) {
        assert_true(code_signed(&c, m, 0) == CASES[i]);
    }
    assert_true(code_number(&c, m, 0) == ((uint64_t)1 << 41) - 2);
    buffer_deinit(&out);
}

// ---- lanes

static int32_t random_up_to(int32_t most)
{
    const int bits = (int)(random_bits() % 31);
    const int32_t size = (int32_t)(random_bits() & ((1u << bits) - 1)) % (most + 1);
    return random_bits() % 2 != 0 ? size : -size;
}

static packed_axes random_axes(void)
{
    packed_axes a = {0};
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        for (int k = 0; k < FILTER_TOLD; k++) {
            a.filters[k].at[i] = random_up_to(PARTS / 2 - 1);
            a.filters[k].rate[i] = random_up_to(PARTS_MOST);
            a.filters[k].error[i] = abs(random_up_to(PACKED_ERROR_MOST));
        }
        a.wild[i] = abs(random_up_to(PACKED_WILD_MOST));
        a.wilder[i] = abs(random_up_to(PACKED_WILD_MOST));
        a.still[i] = (int32_t)(random_bits() % 32);
        a.last[i] = (int32_t)(random_bits() % 3) - 1;
    }
    return a;
}

// Three axes in lanes give the same result as each axis by itself in 64 bits.
static void axes_in_lanes_learn_as_one_by_one(void **state)
{
    (void)state;
    const packed_motion motion = {.ticks = 1};
    int quick = 0;
    for (int round = 0; round < 200000; round++) {
        packed_axes lanes = random_axes();
        packed_axes single = lanes;
        packed_forecast f = {0};
        packed_axes_forecast(&f, &lanes, &motion, NULL);
        for (int k = 0; k < FILTER_TOLD; k++) {
            const packed_lanes slowly = packed_candidates_after(&lanes.filters[k], 1);
            assert_memory_equal(&slowly, &f.candidate[k], sizeof slowly);
        }
        int64_t residual[PACKED_AXES_POSE];
        int64_t change[PACKED_AXES_POSE];
        const int32_t most = round % 3 == 0 ? 1 << 30 : round % 3 == 1 ? 4096 : 2;
        bool small = true;
        for (int i = 0; i < PACKED_AXES_POSE; i++) {
            residual[i] = random_up_to(most);
            small = small && abs(f.steps[i]) < 100 && most <= 2;
        }
        quick += small;
        packed_axes_update(&lanes, &f, &motion, residual, change);
        packed_axes_update_slowly(&single, &f, &motion, residual, change);
        stop_filters(&single);
        assert_memory_equal(&lanes, &single, sizeof lanes);
    }
    assert_true(quick > 1000); // both ways were taken
}

// ---- a crowd of bodies with random behaviour

typedef struct member {
    packed_body body;
    bool alive, in_view;
    int mood; // 0: rests, 1: flies, 2: is pushed about, 3: is put somewhere else
} member;

typedef struct crowd {
    member members[CROWD];
    uint64_t generation;
    uint64_t tick;
    packed_body view[CROWD]; // those in view, by slot
    uint32_t count;
    uint64_t removed[CROWD];
    uint32_t removed_count;
} crowd;

static void put_body(crowd *w, int i)
{
    w->members[i] = (member){
        .body = {.id = w->generation++ << 24 | (uint64_t)(i + 1),
                 .x = random_in(-50, 50),
                 .y = random_in(-50, 50),
                 .angle = random_in(-3.1, 3.1)},
        .alive = true,
        .in_view = random_bits() % 4 != 0,
        .mood = (int)(random_bits() % 3),
    };
}

static void move_body(member *m, double seconds)
{
    packed_body *b = &m->body;
    if (m->mood == 0) {
        b->vx = b->vy = b->spin = 0.0;
        return;
    }
    if (m->mood == 2) {
        b->vx += random_in(-2, 2);
        b->vy += random_in(-2, 2);
        b->spin += random_in(-3, 3);
    }
    if (m->mood == 3) {
        b->x = random_in(-1e6, 1e6);
        b->y = random_bits() % 2 != 0 ? 1e6 : -1e6;
        b->spin = random_in(-4000, 4000);
        m->mood = 1;
    }
    b->x = fmin(fmax(b->x + b->vx * seconds, -1e6), 1e6);
    b->y = fmin(fmax(b->y + b->vy * seconds, -1e6), 1e6);
    b->angle = remainder(b->angle + b->spin * seconds, TURN);
}

static void step_crowd(crowd *w, uint64_t ticks, double hz)
{
    w->tick += ticks;
    w->count = w->removed_count = 0;
    for (int i = 0; i < CROWD; i++) {
        member *m = &w->members[i];
        const uint32_t chance = random_bits() % 200;
        if (m->alive && chance == 0) {
            w->removed[w->removed_count++] = m->body.id;
            m->alive = false;
        }
        if (!m->alive && random_bits() % 20 == 0) {
            put_body(w, i);
        }
        if (chance == 1) {
            m->in_view = !m->in_view;
        } else if (chance < 8) {
            m->mood = (int)(random_bits() % 3);
        } else if (chance == 8) {
            m->mood = 3;
        }
        move_body(m, (double)ticks / hz);
        if (m->alive && m->in_view) {
            w->view[w->count++] = m->body;
        }
    }
}

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

static packed_changes decode(packed_decoder *d, const buffer *bytes)
{
    packed_changes c;
    error err = {STATUS_OK, ""};
    if (packed_decode(d, bytes->data, bytes->size, &c, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return c;
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

// ---- bytes that are not what an encoder wrote

// A stream's full snapshot, and the change after it.
static void make_pair(buffer *full, buffer *change)
{
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    crowd *w = calloc(1, sizeof *w);
    buffer_init(full, BYTES_MAX);
    buffer_init(change, BYTES_MAX);
    for (int i = 0; i < 40; i++) {
        step_crowd(w, 1, 60.0);
        buffer_clear(change);
        packed_encode(e, w->tick, w->view, w->count, w->removed, w->removed_count, change);
    }
    packed_encode_full(e, full);
    step_crowd(w, 1, 60.0);
    buffer_clear(change);
    packed_encode(e, w->tick, w->view, w->count, w->removed, w->removed_count, change);
    packed_encoder_destroy(e);
    free(w);
}

static status decode_copy(packed_decoder *d, const uint8_t *bytes, size_t size, error *err)
{
    // of the exact size, so that a sanitizer sees a read past the end
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    packed_changes c;
    *err = (error){STATUS_OK, ""};
    const status s = packed_decode(d, copy, size, &c, err);
    assert_true(s == STATUS_OK || err->text[0] != '\0');
    free(copy);
    return s;
}

static void change_without_its_state_is_refused(void **state)
{
    (void)state;
    buffer full;
    buffer change;
    error err;
    make_pair(&full, &change);
    packed_decoder *d = packed_decoder_create();
    assert_int_equal(decode_copy(d, change.data, change.size, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "without the state"));
    assert_int_equal(decode_copy(d, full.data, full.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(d, change.data, change.size, &err), STATUS_OK);
    packed_decoder_destroy(d);
    buffer_deinit(&full);
    buffer_deinit(&change);
}

static void unknown_first_bytes_are_refused(void **state)
{
    (void)state;
    error err;
    packed_decoder *d = packed_decoder_create();
    for (int first = 0; first < 256; first++) {
        if (first >> 4 != PACKED_VERSION || (first & 0xc) != 0) {
            const uint8_t bytes[] = {(uint8_t)first, 0, 0, 0, 0};
            assert_int_equal(decode_copy(d, bytes, sizeof bytes, &err), STATUS_INVALID_ARGUMENT);
            assert_non_null(strstr(err.text, "first byte"));
        }
    }
    assert_int_equal(decode_copy(d, NULL, 0, &err), STATUS_INVALID_ARGUMENT);
    packed_decoder_destroy(d);
}

// Every cut of a full snapshot is refused; afterwards the whole one is still accepted.
static void full_that_was_cut_off_is_refused(void **state)
{
    (void)state;
    buffer full;
    buffer change;
    error err;
    make_pair(&full, &change);
    packed_decoder *d = packed_decoder_create();
    for (size_t size = 0; size < full.size; size++) {
        assert_int_equal(decode_copy(d, full.data, size, &err), STATUS_INVALID_ARGUMENT);
    }
    assert_int_equal(decode_copy(d, full.data, full.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(d, change.data, change.size, &err), STATUS_OK);
    packed_decoder_destroy(d);
    buffer_deinit(&full);
    buffer_deinit(&change);
}

static void altered_bytes_are_survived(void **state)
{
    (void)state;
    buffer full;
    buffer change;
    error err;
    make_pair(&full, &change);
    packed_decoder *d = packed_decoder_create();
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        buffer *b = i % 2 == 0 ? &full : &change;
        const size_t at = 1 + random_bits() % (b->size - 1);
        const uint8_t was = b->data[at];
        b->data[at] ^= (uint8_t)(1u << random_bits() % 8);
        if (b == &change) {
            assert_int_equal(decode_copy(d, full.data, full.size, &err), STATUS_OK);
        }
        refused += decode_copy(d, b->data, b->size, &err) != STATUS_OK;
        if (decode_copy(d, change.data, change.size, &err) != STATUS_OK) {
            refused++;
        }
        b->data[at] = was;
    }
    assert_true(refused > 1000); // there is no checksum: some alterations are another world
    packed_decoder_destroy(d);
    buffer_deinit(&full);
    buffer_deinit(&change);
}

// With false counts, a few bytes cannot make a reader allocate more bodies than it received bits.
static void made_up_counts_are_bounded_by_the_bytes(void **state)
{
    (void)state;
    error err;
    packed_decoder *d = packed_decoder_create();
    packed_changes c;
    for (int i = 0; i < 5000; i++) {
        uint8_t bytes[48];
        bytes[0] = PACKED_VERSION << 4 | 1;
        for (size_t k = 1; k < sizeof bytes; k++) {
            bytes[k] = random_bits() % 3 == 0   ? 0xff
                       : random_bits() % 2 == 0 ? 0
                                                : (uint8_t)random_bits();
        }
        if (packed_decode(d, bytes, sizeof bytes, &c, &err) == STATUS_OK) {
            assert_true(c.body_count <= 8 * sizeof bytes);
        }
    }
    packed_decoder_destroy(d);
}

// Neither a full snapshot nor a change brings more bodies than the reader's bound, and a full one
// within it is accepted afterwards.
static void bodies_beyond_the_bound_are_refused(void **state)
{
    (void)state;
    enum { BODIES = 100 };
    packed_body bodies[BODIES];
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_decoder *d = packed_decoder_create();
    const uint64_t empty = packed_decoder_bytes(d);
    buffer few;
    buffer more;
    buffer all;
    error err;
    buffer_init(&few, BYTES_MAX);
    buffer_init(&more, BYTES_MAX);
    buffer_init(&all, BYTES_MAX);
    for (uint64_t i = 0; i < BODIES; i++) {
        bodies[i] = (packed_body){.id = i + 1, .x = (double)i, .vx = 1.0};
    }
    packed_encode(e, 1, bodies, BODIES / 2, NULL, 0, &more);
    packed_encode_full(e, &few);
    buffer_clear(&more);
    packed_encode(e, 2, bodies, BODIES, NULL, 0, &more);
    packed_encode_full(e, &all);
    packed_decoder_bound(d, BODIES - 1);
    assert_int_equal(decode_copy(d, all.data, all.size, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "more than 99 bodies"));
    assert_int_equal(decode_copy(d, few.data, few.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(d, more.data, more.size, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "more than 99 bodies"));
    packed_decoder_bound(d, BODIES);
    assert_int_equal(decode_copy(d, few.data, few.size, &err), STATUS_OK);
    assert_int_equal(decode_copy(d, more.data, more.size, &err), STATUS_OK);
    assert_true(packed_decoder_bytes(d) <= empty + (uint64_t)BODIES * PACKED_DECODER_BODY_BYTES);
    packed_decoder_bound(d, 1); // the others took the memory meanwhile
    assert_int_equal(decode_copy(d, all.data, all.size, &err), STATUS_LIMIT_EXCEEDED);
    packed_decoder_destroy(d);
    packed_encoder_destroy(e);
    buffer_deinit(&few);
    buffer_deinit(&more);
    buffer_deinit(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(range_coder_returns_every_bit_at_any_probability, begin),
        cmocka_unit_test_setup(range_coder_carries_through_full_bytes, begin),
        cmocka_unit_test_setup(numbers_return_up_to_their_limits, begin),
        cmocka_unit_test_setup(axes_in_lanes_learn_as_one_by_one, begin),
        cmocka_unit_test_setup(readers_have_the_rounded_state_at_any_precision, begin),
        cmocka_unit_test_setup(bodies_that_are_held_stay_as_they_were_told, begin),
        cmocka_unit_test_setup(held_body_is_expected_as_of_its_time, begin),
        cmocka_unit_test_setup(restarted_encoder_begins_as_a_new_one, begin),
        cmocka_unit_test_setup(bodies_at_rest_cost_nothing, begin),
        cmocka_unit_test_setup(values_beyond_all_bounds_are_cut_off, begin),
        cmocka_unit_test_setup(change_without_its_state_is_refused, begin),
        cmocka_unit_test_setup(unknown_first_bytes_are_refused, begin),
        cmocka_unit_test_setup(full_that_was_cut_off_is_refused, begin),
        cmocka_unit_test_setup(altered_bytes_are_survived, begin),
        cmocka_unit_test_setup(made_up_counts_are_bounded_by_the_bytes, begin),
        cmocka_unit_test_setup(bodies_beyond_the_bound_are_refused, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
