// The rig of test_packed; see packed_rig.h.
#include "tests/unit/proto/packed_rig.h"

#include <math.h>

#include "proto/packed/packed_axes.h"
#include "proto/packed/packed_stream.h"

uint64_t seed;

uint32_t random_bits(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 32);
}

double random_in(double least, double most)
{
    return least + (most - least) * (double)random_bits() / 4294967296.0;
}

int begin(void **state)
{
    (void)state;
    seed = 0x9e3779b97f4a7c15u;
    return 0;
}

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

void step_crowd(crowd *w, uint64_t ticks, double hz)
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

packed_changes decode(packed_decoder *d, const buffer *bytes)
{
    packed_changes c;
    error err = {STATUS_OK, ""};
    if (packed_decode(d, bytes->data, bytes->size, &c, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return c;
}
