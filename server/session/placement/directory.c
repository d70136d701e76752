// Two sorted arrays of the same entries; see directory.h. Network thread only.
#include "server/session/placement/directory.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

void directory_init(directory *d)
{
    *d = (directory){.next_number = 1};
}

static void free_entry(world_entry *entry)
{
    bytes_unref(entry->figures[0].row);
    bytes_unref(entry->figures[1].row);
    free(entry->left);
    free(entry->broken);
    array_free(&entry->seating.taken);
    free(entry);
}

void directory_deinit(directory *d)
{
    for (uint32_t i = 0; i < d->by_number.count; i++) {
        ASSERT(d->by_number.data[i]->held == NULL &&
               reply_line_empty(&d->by_number.data[i]->replies));
        free_entry(d->by_number.data[i]);
    }
    array_free(&d->by_name);
    array_free(&d->by_number);
}

// The index of the first world whose name is not less than `name`.
static uint32_t place_of(const directory *d, const char *name)
{
    uint32_t low = 0;
    uint32_t high = d->by_name.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(d->by_name.data[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t place_of_number(const directory *d, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = d->by_number.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->by_number.data[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

world_entry *directory_find(const directory *d, const char *name)
{
    uint32_t at = place_of(d, name);
    bool found = at < d->by_name.count && strcmp(d->by_name.data[at]->name, name) == 0;
    return found ? d->by_name.data[at] : NULL;
}

world_entry *directory_find_number(const directory *d, uint64_t number)
{
    uint32_t at = place_of_number(d, number);
    bool found = at < d->by_number.count && d->by_number.data[at]->number == number;
    return found ? d->by_number.data[at] : NULL;
}

const char *directory_reason(const world_entry *entry, bool confined)
{
    return confined ? "is not served" : entry->broken;
}

uint32_t directory_broken(const directory *d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->by_name.count; i++) {
        count += d->by_name.data[i]->broken != NULL;
    }
    return count;
}

world_entry *directory_add(directory *d, const char *name)
{
    while (directory_find_number(d, d->next_number) != NULL) { // it came from another server
        d->next_number++;
    }
    return directory_add_numbered(d, name, d->next_number++);
}

world_entry *directory_add_numbered(directory *d, const char *name, uint64_t number)
{
    ASSERT(directory_find(d, name) == NULL && strlen(name) <= WORLD_NAME_BYTES_MAX);
    world_entry *entry = calloc(1, sizeof *entry);
    ASSERT_MEMORY(entry != NULL);
    entry->number = number;
    memcpy(entry->name, name, strlen(name) + 1);
    entry->held_last = &entry->held;
    uint32_t at = place_of(d, name);
    array_insert(&d->by_name, at, entry);
    at = place_of_number(d, number);
    ASSERT(at == d->by_number.count || d->by_number.data[at]->number != number);
    array_insert(&d->by_number, at, entry);
    return entry;
}

void directory_unname(directory *d, world_entry *entry)
{
    ASSERT(!entry->unnamed);
    uint32_t at = place_of(d, entry->name);
    ASSERT(at < d->by_name.count && d->by_name.data[at] == entry);
    array_remove(&d->by_name, at);
    entry->unnamed = true;
}

void directory_release(directory *d, world_entry *entry)
{
    if (!entry->unnamed || entry->waiting > 0 || !reply_line_empty(&entry->replies)) {
        return;
    }
    ASSERT(entry->held == NULL);
    uint32_t at = place_of_number(d, entry->number);
    ASSERT(at < d->by_number.count && d->by_number.data[at] == entry);
    array_remove(&d->by_number, at);
    free_entry(entry);
}
