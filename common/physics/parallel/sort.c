// Sorts lists of slots in place, since a step allocates nothing. A radix sort, byte by byte from
// the highest that is used; slots have 24 bits.
#include "common/physics/parallel/sort.h"

enum { SMALL = 32 };

static void sort_by_byte(uint32_t *slots, uint32_t count, unsigned shift);

static void insertion_sort(uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t slot = slots[i];
        uint32_t j = i;
        for (; j > 0 && slots[j - 1] > slot; j--) {
            slots[j] = slots[j - 1];
        }
        slots[j] = slot;
    }
}

// Moves every slot to its byte's section by exchanges (McIlroy, Bostic, McIlroy, "Engineering Radix
// Sort", 1993), then sorts each section by the lower bytes.
static void radix_sort(uint32_t *slots, uint32_t count, unsigned shift)
{
    uint32_t next[256] = {0}; // places of each byte still to be filled
    uint32_t end[256];
    for (uint32_t i = 0; i < count; i++) {
        next[slots[i] >> shift & 255]++;
    }
    uint32_t place = 0;
    for (int b = 0; b < 256; b++) {
        uint32_t size = next[b];
        next[b] = place;
        place += size;
        end[b] = place;
    }
    for (int b = 0; b < 256; b++) {
        while (next[b] < end[b]) {
            uint32_t slot = slots[next[b]];
            uint32_t belongs = slot >> shift & 255;
            slots[next[b]] = slots[next[belongs]];
            slots[next[belongs]++] = slot;
        }
    }
    if (shift == 0) {
        return;
    }
    for (int b = 0; b < 256; b++) {
        uint32_t first = b == 0 ? 0 : end[b - 1];
        sort_by_byte(slots + first, end[b] - first, shift - 8);
    }
}

static void sort_by_byte(uint32_t *slots, uint32_t count, unsigned shift)
{
    if (count <= SMALL) {
        insertion_sort(slots, count);
    } else {
        radix_sort(slots, count, shift);
    }
}

uint32_t sort_slots(uint32_t *slots, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= slots[i];
    }
    sort_by_byte(slots, count, all >> 16 != 0 ? 16 : all >> 8 != 0 ? 8 : 0);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || slots[kept - 1] != slots[i]) {
            slots[kept++] = slots[i];
        }
    }
    return kept;
}

// ---- pairs

static bool comes_before(item_pair l, item_pair r)
{
    return l.a != r.a ? l.a < r.a : l.b < r.b;
}

static void sort_run(item_pair *pairs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        item_pair pair = pairs[i];
        uint32_t j = i;
        for (; j > 0 && comes_before(pair, pairs[j - 1]); j--) {
            pairs[j] = pairs[j - 1];
        }
        pairs[j] = pair;
    }
}

static void merge(const item_pair *from, uint32_t middle, uint32_t end, item_pair *to)
{
    uint32_t left = 0;
    uint32_t right = middle;
    for (uint32_t i = 0; i < end; i++) {
        bool takes_right = right < end && (left == middle || comes_before(from[right], from[left]));
        to[i] = from[takes_right ? right++ : left++];
    }
}

void sort_pairs(item_pairs *pairs, item_pairs *other)
{
    const uint32_t short_run = 16;
    const uint32_t count = pairs->count;
    for (uint32_t i = 0; i < count; i += short_run) {
        sort_run(pairs->data + i, count - i < short_run ? count - i : short_run);
    }
    array_reserve(other, count);
    for (uint32_t run = short_run; run < count; run *= 2) {
        for (uint32_t i = 0; i < count; i += 2 * run) {
            uint32_t rest = count - i;
            merge(pairs->data + i, rest < run ? rest : run, rest < 2 * run ? rest : 2 * run,
                  other->data + i);
        }
        const item_pairs merged = *other;
        *other = *pairs;
        *pairs = merged;
        pairs->count = count;
    }
}

// ---- the lowest pairs

static uint64_t key_of(item_pair p)
{
    return (uint64_t)p.a << 32 | p.b;
}

// The greatest of the `most` lowest keys (at least one), byte by byte from the highest: among the
// keys that agree so far, its byte is the one at which the count is reached. *equal: how many of
// these pairs have exactly that key.
static uint64_t greatest_kept(const item_pairs *pairs, uint32_t most, uint32_t *equal)
{
    uint64_t key = 0;
    uint64_t known = 0; // bits of the key known so far
    for (int shift = 56; shift >= 0; shift -= 8) {
        uint32_t counts[256] = {0};
        for (uint32_t i = 0; i < pairs->count; i++) {
            uint64_t one = key_of(pairs->data[i]);
            counts[one >> shift & 255] += (one & known) == key;
        }
        uint64_t byte = 0;
        while (counts[byte] < most) {
            most -= counts[byte++];
        }
        key |= byte << shift;
        known |= (uint64_t)255 << shift;
    }
    *equal = most;
    return key;
}

void keep_lowest_pairs(item_pairs *pairs, uint32_t most)
{
    if (pairs->count <= most || most == 0) {
        pairs->count = pairs->count < most ? pairs->count : most;
        return;
    }
    uint32_t equal = 0;
    const uint64_t greatest = greatest_kept(pairs, most, &equal);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const uint64_t key = key_of(pairs->data[i]);
        const bool last = key == greatest && equal > 0;
        equal -= last;
        if (key < greatest || last) {
            pairs->data[kept++] = pairs->data[i];
        }
    }
    pairs->count = kept;
}

uint32_t sort_slots_once(uint32_t *slots, uint32_t count)
{
    const uint32_t sorted = sort_slots(slots, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sorted; i++) {
        if (kept == 0 || slots[kept - 1] != slots[i]) {
            slots[kept++] = slots[i];
        }
    }
    return kept;
}

bool slot_is_among(const slot_list *sorted, uint32_t slot)
{
    uint32_t low = 0;
    uint32_t high = sorted->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted->data[middle] < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sorted->count && sorted->data[low] == slot;
}
