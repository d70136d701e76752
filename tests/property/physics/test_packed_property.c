// Packed snapshots of random worlds: after any user commands, a reader has the world's rows to
// within half a step on every tick, a reader that joins later has the same bits, and when all
// bodies rest, snapshots cost almost nothing.
#include "tests/property/physics/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "proto/packed/packed.h"
#include "tests/golden/wild.h"

enum { SLOTS = 4096, BYTES_MAX = 64 << 20 };

static const double TURN = 2.0 * 3.14159265358979323846;

typedef struct reader {
    packed_decoder *decoder;
    packed_body bodies[SLOTS]; // indexed by slot; id 0: none
} reader;

typedef struct server {
    packed_encoder *encoder;
    packed_precision precision;
    body_row rows[SLOTS];
    packed_body bodies[SLOTS];
    uint32_t count;
    uint64_t before[SLOTS]; // ids at the tick before
    uint32_t before_count;
    buffer change, full;
} server;

static void take_rows(server *s, const physics_world *world)
{
    s->before_count = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        s->before[i] = s->bodies[i].id;
    }
    s->count = world_rows(world, s->rows, SLOTS);
    assert_true(s->count <= SLOTS);
    for (uint32_t i = 0; i < s->count; i++) {
        const body_row *row = &s->rows[i];
        s->bodies[i] = (packed_body){row->id,
                                     row->position.x,
                                     row->position.y,
                                     (double)row->angle,
                                     (double)row->velocity.x,
                                     (double)row->velocity.y,
                                     (double)row->angular_velocity};
    }
}

static bool is_there(const server *s, uint64_t id)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->bodies[i].id == id) {
            return true;
        }
    }
    return false;
}

static void encode(server *s, uint64_t tick)
{
    static uint64_t removed[SLOTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->before_count; i++) {
        if (!is_there(s, s->before[i])) {
            removed[count++] = s->before[i];
        }
    }
    buffer_clear(&s->change);
    packed_encode(s->encoder, tick, s->bodies, s->count, removed, count, &s->change);
}

static void read_bytes(reader *r, const buffer *bytes)
{
    packed_changes c;
    error err = {STATUS_OK, ""};
    if (packed_decode(r->decoder, bytes->data, bytes->size, &c, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    if (c.full) {
        memset(r->bodies, 0, sizeof r->bodies);
    }
    assert_int_equal(c.left_count, 0);
    for (uint32_t i = 0; i < c.removed_count; i++) {
        packed_body *body = &r->bodies[c.removed[i] & 0xffffff];
        assert_true(body->id == c.removed[i]);
        body->id = 0;
    }
    for (uint32_t i = 0; i < c.body_count; i++) {
        r->bodies[c.bodies[i].id & 0xffffff] = c.bodies[i];
    }
}

static bool within(double difference, double steps)
{
    return fabs(difference) * steps <= 0.5 + 1e-6;
}

static void assert_read(const reader *r, const server *s)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        there += r->bodies[i].id != 0;
    }
    assert_int_equal(there, s->count);
    const packed_precision *p = &s->precision;
    for (uint32_t i = 0; i < s->count; i++) {
        const packed_body *want = &s->bodies[i];
        const packed_body *got = &r->bodies[want->id & 0xffffff];
        assert_true(got->id == want->id);
        assert_true(within(got->x - want->x, p->position_steps));
        assert_true(within(got->y - want->y, p->position_steps));
        assert_true(within(remainder(got->angle - want->angle, TURN), p->angle_steps / TURN));
        assert_true(p->velocity_steps == 0.0 ||
                    (within(got->vx - want->vx, p->velocity_steps) &&
                     within(got->vy - want->vy, p->velocity_steps) &&
                     within(got->spin - want->spin, p->velocity_steps)));
    }
}

static packed_precision random_precision(rng *r)
{
    packed_precision p = {rng_scale(r, PACKED_STEPS_MIN, PACKED_STEPS_MAX),
                          (uint32_t)rng_scale(r, 4.0, 1e6), 0.0};
    if (rng_below(r, 2) == 0) {
        p.velocity_steps = rng_scale(r, PACKED_STEPS_MIN, PACKED_STEPS_MAX);
    }
    return p;
}

static void join(reader *r, server *s)
{
    buffer_clear(&s->full);
    packed_encode_full(s->encoder, &s->full);
    read_bytes(r, &s->full);
}

static void follow_world(rng *r, server *s, reader *first, reader *later, int ticks)
{
    physics_world *world = random_world(r, (vec2d){rng_range(r, -2, 2), rng_range(r, -12, 0)}, 100);
    put_bin(world, 8.0);
    fill_bin(world, r, MIXED, 20 + rng_below(r, 40), 8.0);
    s->precision = random_precision(r);
    s->encoder = packed_encoder_create(&s->precision, world_definition(world).hz);
    s->count = 0;
    uint64_t tick = 0;
    for (int i = 0; i < ticks; i++) {
        for (int steps = rng_below(r, 20) == 0 ? rng_below(r, 10) : 1; steps > 0; steps--) {
            world_step(world);
            tick++;
        }
        if (i < ticks / 2 && rng_below(r, 10) == 0) {
            disturb(world, r);
        }
        take_rows(s, world);
        encode(s, tick);
        if (i == 0) {
            join(first, s);
            join(later, s);
        } else {
            read_bytes(first, &s->change);
            if (rng_below(r, 30) == 0) {
                join(later, s);
            } else {
                read_bytes(later, &s->change);
            }
        }
        assert_read(first, s);
        for (uint32_t k = 0; k < s->count; k++) {
            const uint64_t slot = s->bodies[k].id & 0xffffff;
            assert_true(first->bodies[slot].x == later->bodies[slot].x &&
                        first->bodies[slot].y == later->bodies[slot].y &&
                        first->bodies[slot].angle == later->bodies[slot].angle);
        }
        assert_true(later->bodies[0].id == 0);
    }
    packed_encoder_destroy(s->encoder);
    world_free(world);
}

// The smallest, the usual and the largest value of each precision, with velocities and without.
static packed_precision extreme_precision(uint64_t i)
{
    const double steps[] = {PACKED_STEPS_MIN, PACKED_STEPS_DEFAULT, PACKED_STEPS_MAX};
    const uint32_t angles[] = {PACKED_ANGLE_STEPS_MIN, PACKED_ANGLE_STEPS_DEFAULT,
                               PACKED_ANGLE_STEPS_MAX};
    const double velocities[] = {PACKED_STEPS_MIN, 0.0, PACKED_STEPS_MAX};
    return (packed_precision){steps[i % 3], angles[i / 3 % 3], velocities[i / 9 % 3]};
}

static void follow_wild_world(uint64_t seed, server *s, reader *reader_)
{
    physics_world *world = wild_create(seed);
    s->precision = extreme_precision(seed);
    s->encoder = packed_encoder_create(&s->precision, world_definition(world).hz);
    s->count = 0;
    for (uint64_t tick = 0; tick < WILD_TICKS; tick++) {
        wild_step(world, seed);
        take_rows(s, world);
        encode(s, tick);
        if (tick == 0) {
            join(reader_, s);
        } else {
            read_bytes(reader_, &s->change);
        }
        assert_read(reader_, s);
    }
    packed_encoder_destroy(s->encoder);
    world_free(world);
}

// Every precision can code worlds whose joints, masses and speeds are at their limits.
static void readers_have_worlds_that_break_physics(void **state)
{
    (void)state;
    server *s = calloc(1, sizeof *s);
    reader *reader_ = calloc(1, sizeof *reader_);
    buffer_init(&s->change, BYTES_MAX);
    buffer_init(&s->full, BYTES_MAX);
    reader_->decoder = packed_decoder_create();
    for (int64_t seed = rounds(270); seed > 0; seed--) {
        follow_wild_world((uint64_t)seed, s, reader_);
    }
    packed_decoder_destroy(reader_->decoder);
    buffer_deinit(&s->change);
    buffer_deinit(&s->full);
    free(s);
    free(reader_);
}

static void readers_have_random_worlds_to_half_a_step(void **state)
{
    (void)state;
    rng r = rng_start(__func__, 19);
    server *s = calloc(1, sizeof *s);
    reader *first = calloc(1, sizeof *first);
    reader *later = calloc(1, sizeof *later);
    buffer_init(&s->change, BYTES_MAX);
    buffer_init(&s->full, BYTES_MAX);
    first->decoder = packed_decoder_create();
    later->decoder = packed_decoder_create();
    for (int64_t i = rounds(60); i > 0; i--) {
        follow_world(&r, s, first, later, 300);
    }
    packed_decoder_destroy(first->decoder);
    packed_decoder_destroy(later->decoder);
    buffer_deinit(&s->change);
    buffer_deinit(&s->full);
    free(s);
    free(first);
    free(later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_have_random_worlds_to_half_a_step),
        cmocka_unit_test(readers_have_worlds_that_break_physics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
