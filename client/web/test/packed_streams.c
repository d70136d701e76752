// Random packed streams, to compare another decoder with the one in C.
//
//   packed_streams SEED SNAPSHOTS     writes each snapshot and what is in it to stdout: the size of
//   its
//                                     bytes (32 bits, little-endian), the bytes, then 64-bit floats
//                                     (little-endian too): full (0 or 1), tick, hz; then four
//                                     lists, each its count and its elements: rows of seven,
//                                     removed, entered, left
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/packed/packed.h"

enum { BODIES = 24, BYTES_MAX = 1 << 24, STREAM_SNAPSHOTS_MAX = 3000 };

typedef struct scene {
    packed_body bodies[BODIES]; // by slot; id 0: none
    bool in_view[BODIES];
    int mood[BODIES]; // 0: rests, 1: flies, 2: is pushed about
    uint64_t generation, tick;
    packed_body view[BODIES];
    bool held[BODIES];      // for bodies in view: whether the body is left out
    uint64_t shown[BODIES]; // ids of the previous snapshot, by slot
    uint32_t count;
    uint64_t removed[BODIES];
    uint32_t removed_count;
} scene;

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

static double random_scale(double least, double most)
{
    return least * pow(most / least, random_in(0.0, 1.0));
}

// ---- bodies with random behaviour

static void put_body(scene *w, int i)
{
    w->bodies[i] = (packed_body){.id = w->generation++ << 24 | (uint64_t)(i + 1),
                                 .x = random_in(-50, 50),
                                 .y = random_in(-50, 50),
                                 .angle = random_in(-3.1, 3.1)};
    w->in_view[i] = random_bits() % 4 != 0;
    w->mood[i] = (int)(random_bits() % 3);
}

static void move_body(scene *w, int i, double seconds)
{
    packed_body *b = &w->bodies[i];
    if (w->mood[i] == 0) {
        b->vx = b->vy = b->spin = 0.0;
        return;
    }
    if (w->mood[i] == 2) {
        b->vx += random_in(-2, 2);
        b->vy += random_in(-2, 2);
        b->spin += random_in(-3, 3);
    } else {
        b->vy -= 9.81 * seconds;
    }
    if (random_bits() % 500 == 0) { // put somewhere else
        b->x = random_in(-1e6, 1e6);
        b->spin = random_in(-4000, 4000);
    }
    b->vy = fmin(fmax(b->vy, -4000.0), 4000.0);
    b->x = fmin(fmax(b->x + b->vx * seconds, -1e6), 1e6);
    b->y = fmin(fmax(b->y + b->vy * seconds, -1e6), 1e6);
    b->angle = remainder(b->angle + b->spin * seconds, 2.0 * 3.14159265358979323846);
}

static void step(scene *w, double hz)
{
    const uint32_t pace = random_bits() % 200;
    const uint64_t ticks = pace == 0 ? 5000 : pace < 4 ? 0 : pace < 10 ? 1 + random_bits() % 30 : 1;
    w->tick += ticks;
    w->count = w->removed_count = 0;
    for (int i = 0; i < BODIES; i++) {
        const uint32_t chance = random_bits() % 300;
        if (w->bodies[i].id != 0 && chance == 0) {
            w->removed[w->removed_count++] = w->bodies[i].id;
            w->bodies[i].id = 0;
        } else if (w->bodies[i].id == 0 && chance < 10) {
            put_body(w, i);
        } else if (chance == 10) {
            w->in_view[i] = !w->in_view[i];
        } else if (chance < 16) {
            w->mood[i] = (int)(random_bits() % 3);
        }
        move_body(w, i, (double)ticks / hz);
        if (w->bodies[i].id != 0 && w->in_view[i]) {
            w->view[w->count++] = w->bodies[i];
        }
    }
}

// Some streams leave out bodies that were in the previous snapshot.
static void hold(scene *w, bool holds)
{
    uint64_t shown[BODIES] = {0};
    for (uint32_t i = 0; i < w->count; i++) {
        const uint64_t id = w->view[i].id;
        const uint32_t slot = (uint32_t)(id & 0xffffff) - 1;
        w->held[i] = holds && w->shown[slot] == id && random_bits() % 3 != 0;
        shown[slot] = id;
    }
    memcpy(w->shown, shown, sizeof shown);
}

// ---- output

static void put_double(double value)
{
    fwrite(&value, sizeof value, 1, stdout);
}

static void put_ids(const uint64_t *ids, uint32_t count)
{
    put_double(count);
    for (uint32_t i = 0; i < count; i++) {
        put_double((double)ids[i]);
    }
}

static void put_snapshot(const buffer *bytes, const packed_changes *c)
{
    const uint32_t size = (uint32_t)bytes->size;
    fwrite(&size, sizeof size, 1, stdout);
    fwrite(bytes->data, 1, bytes->size, stdout);
    put_double(c->full ? 1.0 : 0.0);
    put_double((double)c->tick);
    put_double(c->hz);
    put_double(c->body_count);
    for (uint32_t i = 0; i < c->body_count; i++) {
        const packed_body *b = &c->bodies[i];
        const double row[] = {(double)b->id, b->x, b->y, b->angle, b->vx, b->vy, b->spin};
        fwrite(row, sizeof row, 1, stdout);
    }
    put_ids(c->removed, c->removed_count);
    put_ids(c->entered, c->entered_count);
    put_ids(c->left, c->left_count);
}

static packed_precision random_precision(void)
{
    packed_precision p = packed_precision_default();
    if (random_bits() % 3 != 0) {
        p.position_steps = random_scale(PACKED_STEPS_MIN, PACKED_STEPS_MAX);
        p.angle_steps = (uint32_t)random_scale(PACKED_ANGLE_STEPS_MIN, PACKED_ANGLE_STEPS_MAX);
    }
    if (random_bits() % 2 != 0) {
        p.velocity_steps = random_scale(PACKED_STEPS_MIN, PACKED_STEPS_MAX);
    }
    return p;
}

static void write_stream(int64_t snapshots, scene *w, packed_decoder *d, buffer *bytes)
{
    static const double RATES[] = {1.0, 20.0, 60.0, 60.0, 128.0, 1000.0};
    const double hz = RATES[random_bits() % (sizeof RATES / sizeof *RATES)];
    const packed_precision precision = random_precision();
    packed_encoder *e = packed_encoder_create(&precision, hz);
    const bool holds = random_bits() % 2 != 0;
    *w = (scene){.tick = random_bits()};
    for (int64_t i = 0; i < snapshots; i++) {
        step(w, hz);
        buffer_clear(bytes);
        hold(w, holds);
        packed_encode_part(e, w->tick, w->view, w->held, w->count, w->removed, w->removed_count,
                           bytes);
        if (i == 0 || random_bits() % 100 == 0) { // a reader that joins
            buffer_clear(bytes);
            packed_encode_full(e, bytes);
        }
        packed_changes c;
        error err;
        const status s = packed_decode(d, bytes->data, bytes->size, &c, &err);
        ASSERT(s == STATUS_OK);
        put_snapshot(bytes, &c);
    }
    packed_encoder_destroy(e);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: packed_streams SEED SNAPSHOTS\n");
        return 2;
    }
    seed = strtoull(argv[1], NULL, 10) | 1;
    int64_t left = strtoll(argv[2], NULL, 10);
    scene *w = calloc(1, sizeof *w);
    packed_decoder *d = packed_decoder_create();
    ASSERT(w != NULL && d != NULL);
    buffer bytes;
    buffer_init(&bytes, BYTES_MAX);
    while (left > 0 && !ferror(stdout)) {
        const int64_t most = 1 + random_bits() % STREAM_SNAPSHOTS_MAX;
        const int64_t count = most < left ? most : left;
        write_stream(count, w, d, &bytes);
        left -= count;
    }
    buffer_deinit(&bytes);
    packed_decoder_destroy(d);
    free(w);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
