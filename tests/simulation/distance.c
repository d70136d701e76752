// Connections over a distance; see distance.h.
#include "tests/simulation/distance.h"

#include <string.h>

#include "common/base/assert.h"
#include "tests/simulation/sim.h"
#include "tests/simulation/sim_message.h"

enum { KERNEL_BYTES = 1 << 20, PART_BYTES = 16384 };

static void init_way(distance_way *w)
{
    *w = (distance_way){0};
    buffer_init(&w->bytes, SIM_INPUT_BYTES_MAX);
}

static void drop_way(distance_way *w)
{
    buffer_deinit(&w->bytes);
    array_free(&w->pieces);
    init_way(w);
}

void distance_init(distance *d)
{
    d->link = NULL;
    init_way(&d->up);
    init_way(&d->down);
}

bool distance_connect(distance *d)
{
    ASSERT(d->link == NULL);
    d->link = sim_connect(KERNEL_BYTES);
    return d->link != NULL;
}

void distance_cut(distance *d)
{
    if (d->link != NULL) {
        sim_link_reset(d->link);
    }
    d->link = NULL;
    drop_way(&d->up);
    drop_way(&d->down);
}

static void put(distance_way *w, const distance_options *o, const void *bytes, size_t size)
{
    int64_t due = sim.now_ns + o->delay_ns + (int64_t)sim_random((uint64_t)o->jitter_ns + 1);
    if (o->stall_one_in > 0 && sim_one_in(o->stall_one_in)) {
        due += o->stall_ns;
    }
    w->last_ns = due > w->last_ns ? due : w->last_ns;
    const distance_piece piece = {.due_ns = w->last_ns, .size = size};
    array_push(&w->pieces, piece);
    buffer_append(&w->bytes, bytes, size);
    ASSERT(!w->bytes.overflow);
}

// Finds the bytes and pieces that are due; returns the number of bytes.
static size_t due_bytes(const distance_way *w, uint32_t *pieces)
{
    size_t size = 0;
    *pieces = 0;
    while (*pieces < w->pieces.count && w->pieces.data[*pieces].due_ns <= sim.now_ns) {
        size += w->pieces.data[(*pieces)++].size;
    }
    return size;
}

static void remove_first(distance_way *w, size_t size, uint32_t pieces)
{
    array_remove_first(&w->pieces, pieces);
    memmove(w->bytes.data, w->bytes.data + size, w->bytes.size - size);
    buffer_truncate(&w->bytes, w->bytes.size - size);
}

void distance_send(distance *d, const distance_options *o, const void *bytes, size_t size)
{
    put(&d->up, o, bytes, size);
}

void distance_turn(distance *d, const distance_options *o)
{
    if (d->link == NULL) {
        return;
    }
    uint32_t pieces;
    const size_t due = due_bytes(&d->up, &pieces);
    if (pieces > 0) {
        sim_link_send(d->link, d->up.bytes.data, due);
        remove_first(&d->up, due, pieces);
    }
    uint8_t part[PART_BYTES];
    for (size_t got = 1; got > 0;) {
        got = sim_link_receive(d->link, part, sizeof part);
        if (got > 0) {
            put(&d->down, o, part, got);
        }
    }
}

void distance_receive(distance *d, buffer *in)
{
    uint32_t pieces;
    const size_t due = due_bytes(&d->down, &pieces);
    if (pieces > 0) {
        buffer_append(in, d->down.bytes.data, due);
        ASSERT(!in->overflow);
        remove_first(&d->down, due, pieces);
    }
}

bool distance_over(const distance *d)
{
    return d->link != NULL && sim_link_over(d->link) && d->down.pieces.count == 0;
}
