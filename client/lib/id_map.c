// The hash map of id_map.h. One thread at a time.
#include "client/lib/id_map.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { CAPACITY_MIN = 16 };

// Multiplies by 2^64 / golden ratio and uses the high bits (Knuth, The Art of Computer Programming
// 3, 6.4): ids that differ only in their low or only in their high bits are spread equally well.
static uint32_t home_of(const id_map *m, uint64_t id)
{
    return (uint32_t)((id * 0x9E3779B97F4A7C15ULL) >> 32) & (m->capacity - 1);
}

void id_map_deinit(id_map *m)
{
    free(m->slots);
    *m = (id_map){0};
}

void id_map_clear(id_map *m)
{
    if (m->capacity > 0) {
        memset(m->slots, 0, m->capacity * sizeof *m->slots);
    }
    m->count = 0;
}

// The slot with the id, or the free slot where it belongs.
static uint32_t slot_of(const id_map *m, uint64_t id)
{
    uint32_t i = home_of(m, id);
    while (m->slots[i].id != 0 && m->slots[i].id != id) {
        i = (i + 1) & (m->capacity - 1);
    }
    return i;
}

bool id_map_find(const id_map *m, uint64_t id, uint32_t *place)
{
    if (m->count == 0 || id == 0) {
        return false;
    }
    const id_slot *slot = &m->slots[slot_of(m, id)];
    if (slot->id != id) {
        return false;
    }
    *place = slot->place;
    return true;
}

static bool has_room(const id_map *m, uint64_t count)
{
    return count * 4 <= (uint64_t)m->capacity * 3;
}

bool id_map_reserve(id_map *m, uint64_t count)
{
    if (has_room(m, count)) {
        return true;
    }
    id_map larger = {.capacity = m->capacity == 0 ? CAPACITY_MIN : m->capacity};
    while (!has_room(&larger, count)) {
        if (larger.capacity > UINT32_MAX / 2) {
            return false;
        }
        larger.capacity *= 2;
    }
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < m->capacity; i++) {
        if (m->slots[i].id != 0) {
            larger.slots[slot_of(&larger, m->slots[i].id)] = m->slots[i];
        }
    }
    larger.count = m->count;
    free(m->slots);
    *m = larger;
    return true;
}

void id_map_put(id_map *m, uint64_t id, uint32_t place)
{
    ASSERT(id != 0 && m->capacity > 0);
    id_slot *slot = &m->slots[slot_of(m, id)];
    ASSERT(slot->id == id || has_room(m, (uint64_t)m->count + 1));
    m->count += slot->id == 0;
    *slot = (id_slot){id, place};
}

void id_map_remove(id_map *m, uint64_t id)
{
    if (m->count == 0 || id == 0) {
        return;
    }
    uint32_t mask = m->capacity - 1;
    uint32_t hole = slot_of(m, id);
    if (m->slots[hole].id == 0) {
        return;
    }
    m->count--;
    for (uint32_t i = (hole + 1) & mask; m->slots[i].id != 0; i = (i + 1) & mask) {
        // The entry may move back only if its home is not between the hole and itself.
        uint32_t distance = (i - home_of(m, m->slots[i].id)) & mask;
        if (distance >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].id = 0;
}
