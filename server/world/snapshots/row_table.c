// Comparing each state with the one before; see row_table.h. The world's thread.
#include "server/world/snapshots/row_table.h"

#include <string.h>

#include "common/base/assert.h"
#include "server/world/snapshots/removals.h"

void row_table_init(row_table *t, uint64_t removals_max)
{
    *t = (row_table){.floor = 1, .removals_max = removals_max};
    buffer_init(&t->scratch, ENCODE_ROW_BYTES_MAX);
}

void row_table_deinit(row_table *t)
{
    array_free(&t->entries);
    array_free(&t->removals);
    array_free(&t->taken);
    buffer_deinit(&t->scratch);
}

// Compares all values of a row; the sign of a zero is not worth sending a row.
static bool row_equal(const body_row *a, const body_row *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->angle == b->angle && a->velocity.x == b->velocity.x &&
           a->velocity.y == b->velocity.y && a->angular_velocity == b->angular_velocity;
}

static void note_removal(row_table *t, row_entry *entry)
{
    ASSERT(entry->id != 0 && entry->created <= t->version);
    row_removal gone = {.id = entry->id, .created = entry->created, .removed = t->version};
    array_push(&t->removals, gone);
    *entry = (row_entry){0};
    t->changed = t->version;
}

static void note_row(row_table *t, row_entry *entry, const body_row *row)
{
    if (entry->id != 0 && entry->id != row->id) {
        note_removal(t, entry);
    }
    if (entry->id == 0) {
        entry->id = row->id;
        entry->created = entry->changed = entry->described = t->version;
        t->changed = t->version;
    } else if (!row_equal(&entry->row, row)) {
        entry->changed = t->changed = t->version;
    }
    entry->row = *row;
}

void row_table_update(row_table *t, const physics_world *world)
{
    t->version++;
    uint32_t count = world_count(world).bodies;
    array_reserve(&t->taken, count);
    t->taken.count = world_rows(world, t->taken.data, count);
    ASSERT(t->taken.count <= count);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < t->taken.count; i++) {
        const body_row *row = &t->taken.data[i];
        uint32_t at = id_slot(row->id);
        ASSERT_SLOW(at >= slot);
        if (at >= t->entries.count) {
            // Elements that array_grow adds are zero, and count never shrinks.
            array_reserve(&t->entries, at + 1);
            t->entries.count = at + 1;
        }
        for (; slot < at; slot++) {
            if (t->entries.data[slot].id != 0) {
                note_removal(t, &t->entries.data[slot]);
            }
        }
        note_row(t, &t->entries.data[at], row);
        slot = at + 1;
    }
    for (; slot < t->entries.count; slot++) {
        if (t->entries.data[slot].id != 0) {
            note_removal(t, &t->entries.data[slot]);
        }
    }
}

void row_table_mark(row_table *t, body_id id)
{
    uint32_t slot = id_slot(id);
    if (slot < t->entries.count && t->entries.data[slot].id == id) {
        t->entries.data[slot].described = t->version + 1;
    }
}

void row_table_trim(row_table *t, uint64_t oldest)
{
    ASSERT(oldest <= t->version);
    removals_trim(&t->removals, &t->floor, t->removals_max, oldest);
}

void row_table_append(row_table *t, row_entry *entry, buffer *out)
{
    ASSERT(entry->id != 0);
    if (entry->encoded != entry->changed) {
        buffer_clear(&t->scratch);
        encode_body_row(&t->scratch, &entry->row);
        ASSERT(!t->scratch.overflow && t->scratch.size <= sizeof entry->bytes);
        memcpy(entry->bytes, t->scratch.data, t->scratch.size);
        entry->size = (uint8_t)t->scratch.size;
        entry->encoded = entry->changed;
    }
    buffer_append(out, entry->bytes, entry->size);
}

view_set *row_table_all(const row_table *t)
{
    view_set *all = view_set_create(t->entries.count);
    for (uint32_t slot = 0; slot < t->entries.count; slot++) {
        if (t->entries.data[slot].id != 0) {
            view_set_add(all, slot);
        }
    }
    return all;
}
