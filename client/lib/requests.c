#include "client/lib/connection.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

void requests_deinit(request_table *t)
{
    for (uint32_t i = 0; i < t->entries.count; i++) {
        carom_value_free(t->entries.data[i].result);
    }
    array_free(&t->entries);
    id_map_deinit(&t->places);
}

// One less waits. With none left there is no deadline; else the old one is a bound that may be too
// early, which costs one look at the table.
static void end_waiting(request_table *t)
{
    if (--t->waiting == 0) {
        t->next_deadline_ns = INT64_MAX;
    }
}

pending_request *requests_add(request_table *t, int64_t deadline_ns, int timeout_ms)
{
    uint32_t place;
    do {
        t->last_id++;
    } while (t->last_id == 0 || id_map_find(&t->places, t->last_id, &place));
    pending_request entry = {
        .id = t->last_id, .deadline_ns = deadline_ns, .timeout_ms = timeout_ms};
    id_map_put(&t->places, entry.id, t->entries.count);
    array_push(&t->entries, entry);
    t->waiting++;
    if (deadline_ns < t->next_deadline_ns) {
        t->next_deadline_ns = deadline_ns;
    }
    return &t->entries.data[t->entries.count - 1];
}

pending_request *requests_find(request_table *t, uint64_t id)
{
    uint32_t place;
    return id_map_find(&t->places, id, &place) ? &t->entries.data[place] : NULL;
}

void requests_remove(request_table *t, uint64_t id)
{
    uint32_t place;
    if (!id_map_find(&t->places, id, &place)) {
        return;
    }
    pending_request *entry = &t->entries.data[place];
    if (!entry->done) {
        end_waiting(t);
    }
    carom_value_free(entry->result);
    id_map_remove(&t->places, id);
    array_swap_remove(&t->entries, place);
    if (place < t->entries.count) {
        id_map_put(&t->places, t->entries.data[place].id, place);
    }
}

void requests_complete(carom_client *c, uint64_t id, carom_value *result, const carom_error *err)
{
    ASSERT((result != NULL) != (err != NULL));
    pending_request *entry = requests_find(&c->requests, id);
    if (entry == NULL || entry->done) {
        carom_value_free(result);
        return;
    }
    if (entry->fn == NULL) {
        entry->done = true;
        end_waiting(&c->requests);
        entry->result = result;
        entry->outcome = err == NULL ? CAROM_OK : fault_copy(&entry->error, err);
        return;
    }
    carom_response_fn fn = entry->fn;
    void *user = entry->user;
    requests_remove(&c->requests, id);
    c->in_callback++;
    fn(c, id, result, err, user);
    c->in_callback--;
    carom_value_free(result);
}

static void complete_expired(carom_client *c, uint64_t id)
{
    const pending_request *entry = requests_find(&c->requests, id);
    if (entry == NULL || entry->done) {
        return; // a callback before it has cancelled it or closed the connection
    }
    carom_error late = {0};
    fault_set(&late, CAROM_UNAVAILABLE, "no answer to '%s' within %d ms", entry->method,
              entry->timeout_ms);
    requests_complete(c, id, NULL, &late);
}

bool requests_expire(carom_client *c, int64_t now_ns)
{
    request_table *t = &c->requests;
    if (now_ns < t->next_deadline_ns) {
        return false;
    }
    // The callbacks may change the table: which have expired is noted first.
    ARRAY(uint32_t) expired = {0};
    t->next_deadline_ns = INT64_MAX;
    for (uint32_t i = 0; i < t->entries.count; i++) {
        const pending_request *entry = &t->entries.data[i];
        if (entry->done) {
            continue;
        }
        if (entry->deadline_ns <= now_ns) {
            array_push(&expired, entry->id);
        } else if (entry->deadline_ns < t->next_deadline_ns) {
            t->next_deadline_ns = entry->deadline_ns;
        }
    }
    for (uint32_t i = 0; i < expired.count; i++) {
        complete_expired(c, expired.data[i]);
    }
    bool any = expired.count > 0;
    array_free(&expired);
    return any;
}

void requests_fail_all(carom_client *c, const carom_error *err)
{
    // None are added meanwhile, since the connection is closed; callbacks may take some out.
    ARRAY(uint32_t) waiting = {0};
    for (uint32_t i = 0; i < c->requests.entries.count; i++) {
        if (!c->requests.entries.data[i].done) {
            array_push(&waiting, c->requests.entries.data[i].id);
        }
    }
    for (uint32_t i = 0; i < waiting.count; i++) {
        requests_complete(c, waiting.data[i], NULL, err);
    }
    array_free(&waiting);
    c->requests.next_deadline_ns = INT64_MAX;
}
