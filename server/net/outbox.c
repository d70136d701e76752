// Gathering, sharing and consuming of blocks; see outbox.h.
#include "server/net/outbox.h"

#include <stdatomic.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/base/memory.h"

enum {
    GATHER_LEAST = 960,       // size of the first block: most often it is the only one, and malloc
                              // keeps small ones ready
    GATHER_BYTES = 16 * 1024, // size of later blocks at most: a few hundred answers
    GATHER_MAX = 4 * 1024,    // a copy larger than this gets a block of its own size
    GONE_BLOCKS_MAX = 64      // written blocks at the front before the array is moved up
};

_Static_assert(GATHER_LEAST < GATHER_MAX && GATHER_MAX <= GATHER_BYTES, "blocks grow to the most");

// ---- the bytes of all outboxes

static int64_t size_of(const shared_bytes *b)
{
    return (int64_t)(sizeof *b + (b->capacity > 0 ? b->capacity : b->size));
}

static void hold(shared_bytes *b)
{
    if (atomic_fetch_add_explicit(&b->queued, 1, memory_order_relaxed) == 0) {
        memory_note(MEMORY_output, NULL, size_of(b));
    }
}

static void let_go(shared_bytes *b)
{
    const uint32_t queued = atomic_fetch_sub_explicit(&b->queued, 1, memory_order_relaxed);
    ASSERT(queued > 0); // hold() was called before, once for each let_go()
    if (queued == 1) {
        memory_note(MEMORY_output, NULL, -size_of(b));
    }
    bytes_unref(b);
}

uint64_t outbox_held_bytes(void)
{
    return memory_of(MEMORY_output);
}

// ---- the queue

void outbox_init(outbox *o)
{
    *o = (outbox){0};
}

void outbox_deinit(outbox *o)
{
    for (uint32_t i = o->first; i < o->blocks.count; i++) {
        let_go(o->blocks.data[i].data);
    }
    array_free(&o->blocks);
    o->first = 0;
    o->size = 0;
}

static outbox_block *last_block(outbox *o)
{
    return o->blocks.count > o->first ? &o->blocks.data[o->blocks.count - 1] : NULL;
}

static outbox_block *add_block(outbox *o, outbox_block block)
{
    array_reserve(&o->blocks, o->blocks.count + 1);
    ASSERT(o->blocks.data != NULL);
    outbox_block *added = &o->blocks.data[o->blocks.count++];
    *added = block;
    hold(block.data);
    return added;
}

void outbox_copy(outbox *o, const void *data, size_t size, bool unfinished)
{
    outbox_block *last = last_block(o);
    bool room = last != NULL && last->gathering && last->data->capacity - last->data->size >= size;
    if (!room) {
        size_t capacity = last != NULL && last->gathering ? 4 * last->data->capacity : GATHER_LEAST;
        capacity = capacity > GATHER_BYTES ? GATHER_BYTES : capacity;
        capacity = size > GATHER_MAX || capacity < size ? size : capacity;
        last = add_block(o, (outbox_block){.data = bytes_create(capacity), .gathering = true});
    }
    ASSERT(last->data->size + size <= last->data->capacity);
    memcpy(last->data->data + last->data->size, data, size);
    last->data->size += size;
    last->unfinished = unfinished;
    o->size += size;
}

void outbox_share(outbox *o, shared_bytes *data, uint64_t token)
{
    ASSERT(data->size > 0);
    outbox_block *last = last_block(o);
    if (last != NULL) {
        last->gathering = false;
    }
    add_block(o, (outbox_block){.data = data, .token = token});
    o->size += data->size;
}

uint32_t outbox_peek(const outbox *o, outbox_span *spans, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t i = o->first; i < o->blocks.count && count < max; i++) {
        const outbox_block *block = &o->blocks.data[i];
        size_t left = block->data->size - block->begin;
        if (left > 0) {
            spans[count++] = (outbox_span){block->data->data + block->begin, left};
        }
    }
    return count;
}

uint32_t outbox_hand_over(outbox *o, shared_bytes **blocks, uint32_t max, size_t *size)
{
    uint32_t count = 0;
    *size = 0;
    for (uint32_t i = o->first; i < o->blocks.count && count < max; i++) {
        outbox_block *block = &o->blocks.data[i];
        ASSERT(block->begin == 0 && block->data->size > 0);
        block->gathering = false;
        blocks[count++] = bytes_ref(block->data);
        *size += block->data->size;
    }
    return count;
}

static void move_up(outbox *o)
{
    ASSERT(o->first <= o->blocks.count);
    if (o->first == o->blocks.count) {
        o->first = o->blocks.count = 0;
    } else if (o->first >= GONE_BLOCKS_MAX && o->first >= o->blocks.count / 2) {
        array_remove_first(&o->blocks, o->first);
        o->first = 0;
    }
}

void outbox_consume(outbox *o, size_t size, outbox_written written, void *context)
{
    ASSERT(size <= o->size);
    o->size -= size;
    while (size > 0) {
        ASSERT(o->first < o->blocks.count);
        outbox_block *block = &o->blocks.data[o->first];
        size_t left = block->data->size - block->begin;
        size_t part = size < left ? size : left;
        block->begin += part;
        size -= part;
        if (part < left) {
            break;
        }
        uint64_t token = block->token;
        let_go(block->data);
        o->first++;
        if (token != 0) {
            written(context, token);
        }
    }
    move_up(o);
}

void outbox_cut(outbox *o, size_t busy)
{
    ASSERT(busy <= o->size);
    uint32_t keep = o->first;
    size_t covered = 0;
    bool open = false; // true: a message that must be kept continues in the block `keep`
    while (keep < o->blocks.count) {
        const outbox_block *block = &o->blocks.data[keep];
        if (!open && covered >= busy && block->begin == 0) {
            break;
        }
        covered += block->data->size - block->begin;
        open = block->unfinished;
        keep++;
    }
    ASSERT(covered >= busy && covered <= o->size);
    for (uint32_t i = keep; i < o->blocks.count; i++) {
        let_go(o->blocks.data[i].data);
    }
    o->blocks.count = keep;
    o->size = covered;
}
