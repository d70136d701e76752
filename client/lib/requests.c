// The table of requests.h: entries in a dense array, found by id. One thread at a time.
#include "client/lib/requests.h"

#include <stdlib.h>
#include <string.h>

#include "client/lib/clock.h"
#include "client/lib/fault.h"
#include "common/base/assert.h"

void requests_init(request_table *t)
{
    *t = (request_table){.next_deadline_ns = INT64_MAX};
}

void requests_deinit(request_table *t)
{
    for (uint32_t i = 0; i < t->entries.count; i++) {
        carom_value_free(t->entries.data[i].result);
        free(t->entries.data[i].bytes);
        carom_value_free(t->entries.data[i].args);
    }
    vector_free(&t->entries);
    id_map_deinit(&t->places);
}

// One request less is waiting. With none left there is no deadline; otherwise the old deadline
// stays: it may be too early, which costs one search of the table.
static void end_waiting(request_table *t)
{
    ASSERT(t->waiting > 0);
    if (--t->waiting == 0) {
        t->next_deadline_ns = INT64_MAX;
    }
}

pending_request *requests_add(request_table *t, int timeout_ms)
{
    ASSERT(timeout_ms > 0);
    if (!vector_reserve(&t->entries, t->entries.count + 1) ||
        !id_map_reserve(&t->places, t->places.count + 1)) {
        return NULL;
    }
    uint32_t place;
    do {
        t->last_id++;
    } while (t->last_id == 0 || id_map_find(&t->places, t->last_id, &place));
    place = t->entries.count++;
    pending_request *entry = &t->entries.data[place];
    *entry = (pending_request){
        .id = t->last_id,
        .deadline_ns = deadline_after_ms(timeout_ms),
        .timeout_ms = timeout_ms,
    };
    id_map_put(&t->places, entry->id, place);
    t->waiting++;
    t->next_deadline_ns = earlier_of(t->next_deadline_ns, entry->deadline_ns);
    return entry;
}

pending_request *requests_find(request_table *t, uint64_t id)
{
    uint32_t place;
    return id_map_find(&t->places, id, &place) ? &t->entries.data[place] : NULL;
}

// Drops the message, which will not be sent again.
static void forget_bytes(request_table *t, pending_request *entry)
{
    ASSERT(t->kept_bytes >= entry->size);
    t->kept_bytes -= entry->size;
    free(entry->bytes);
    entry->bytes = NULL;
    entry->size = 0;
}

// Removes the entry; the memory of its result belongs to the caller.
static void unlink_entry(request_table *t, pending_request *entry)
{
    uint32_t place = (uint32_t)(entry - t->entries.data);
    if (!entry->done) {
        end_waiting(t);
    }
    forget_bytes(t, entry);
    carom_value_free(entry->args);
    id_map_remove(&t->places, entry->id);
    vector_swap_remove(&t->entries, place);
    if (place < t->entries.count) {
        id_map_put(&t->places, t->entries.data[place].id, place);
    }
}

void requests_remove(request_table *t, uint64_t id)
{
    pending_request *entry = requests_find(t, id);
    if (entry != NULL) {
        carom_value_free(entry->result);
        unlink_entry(t, entry);
    }
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

bool requests_list(const request_table *t, request_ids *out)
{
    uint32_t cursor = UINT32_MAX;
    uint32_t id;
    *out = (request_ids){0};
    while ((id = requests_next_waiting(t, &cursor)) != 0) {
        if (!vector_push(out, id)) {
            vector_free(out);
            return false;
        }
    }
    if (out->count > 1) {
        qsort(out->data, out->count, sizeof *out->data, compare_ids);
    }
    return true;
}

pending_request *requests_move(request_table *from, request_table *to, uint32_t id)
{
    if (!vector_reserve(&to->entries, to->entries.count + 1) ||
        !id_map_reserve(&to->places, to->places.count + 1)) {
        return NULL;
    }
    pending_request *entry = requests_find(from, id);
    ASSERT(entry != NULL && requests_find(to, id) == NULL);
    const pending_request moved = *entry;
    from->kept_bytes -= entry->size;
    entry->bytes = NULL;
    entry->size = 0;
    entry->args = NULL;
    unlink_entry(from, entry);
    const uint32_t place = to->entries.count++;
    to->entries.data[place] = moved;
    id_map_put(&to->places, id, place);
    to->kept_bytes += moved.size;
    if (!moved.done) {
        to->waiting++;
        to->next_deadline_ns = earlier_of(to->next_deadline_ns, moved.deadline_ns);
    }
    return &to->entries.data[place];
}

size_t requests_bytes(const request_table *t)
{
    return t->kept_bytes;
}

void requests_note_bytes(request_table *t, pending_request *entry, size_t size)
{
    ASSERT(entry->size == 0 && entry->bytes != NULL);
    entry->size = size;
    t->kept_bytes += size;
}

bool requests_end(request_table *t, uint64_t id, carom_value *result, const carom_error *err,
                  pending_request *ended)
{
    ASSERT((result != NULL) != (err != NULL));
    pending_request *entry = requests_find(t, id);
    if (entry == NULL || entry->done) {
        carom_value_free(result);
        return false;
    }
    entry->result = result;
    entry->outcome = err == NULL ? CAROM_OK : fault_copy(&entry->error, err);
    if (entry->fn == NULL) {
        entry->done = true;
        forget_bytes(t, entry);
        end_waiting(t);
        return false;
    }
    *ended = *entry;
    ended->args = NULL;
    unlink_entry(t, entry);
    return true;
}

uint32_t requests_next_expired(request_table *t, int64_t now_ns, uint32_t *cursor)
{
    for (; *cursor < t->entries.count; ++*cursor) {
        const pending_request *entry = &t->entries.data[*cursor];
        if (!entry->done && entry->deadline_ns <= now_ns) {
            // the last entry moves to the place of the ended one, so the cursor stays
            return entry->id;
        }
    }
    return 0;
}

void requests_note_deadline(request_table *t)
{
    t->next_deadline_ns = INT64_MAX;
    for (uint32_t i = 0; i < t->entries.count; i++) {
        const pending_request *entry = &t->entries.data[i];
        if (!entry->done) {
            t->next_deadline_ns = earlier_of(t->next_deadline_ns, entry->deadline_ns);
        }
    }
}

uint32_t requests_next_waiting(const request_table *t, uint32_t *cursor)
{
    // The walk goes downward: the entry that moves to the place of a removed one was passed
    // already, or comes later.
    *cursor = *cursor < t->entries.count ? *cursor : t->entries.count;
    while (*cursor > 0) {
        const pending_request *entry = &t->entries.data[--*cursor];
        if (!entry->done) {
            return entry->id;
        }
    }
    return 0;
}
