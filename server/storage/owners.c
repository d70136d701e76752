// Reports from the storage thread to the worlds' owners: how far the log is committed, and its
// failures.
#include "server/storage/turn.h"

#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"

void stored_touch(storage_world *w)
{
    ASSERT(w->storage != NULL);
    if (!w->wake_due) {
        w->wake_due = true;
        array_push(&w->storage->touched, w);
    }
}

void storage_wake_touched(storage *s)
{
    pthread_mutex_lock(&s->wake_lock);
    for (uint32_t i = 0; i < s->touched.count; i++) {
        storage_world *w = s->touched.data[i];
        ASSERT(w->wake_due);
        w->wake_due = false;
        if (w->wake != NULL) {
            w->wake(w->wake_context);
        }
    }
    pthread_mutex_unlock(&s->wake_lock);
    array_clear(&s->touched);
}

void stored_publish(storage_world *w, uint64_t sequence)
{
    ASSERT(sequence > 0);
    if (sequence > atomic_load_explicit(&w->committed, memory_order_relaxed)) {
        atomic_store_explicit(&w->committed, sequence, memory_order_release);
    }
    stored_touch(w);
}

static void fail_locked(storage_world *w, const error *err)
{
    ASSERT(w->durability != STORAGE_NONE);
    w->state = STATUS_UNAVAILABLE;
    memcpy(w->state_text, err->text, sizeof w->state_text);
    atomic_store(&w->failed, true);
    stored_touch(w);
}

// The request `sequence` of the world could not be logged. The first error is kept.
void stored_fail(storage_world *w, uint64_t sequence, const error *err)
{
    ASSERT(err->status != STATUS_OK);
    storage *s = w->storage;
    w->lost = sequence > w->lost ? sequence : w->lost;
    pthread_mutex_lock(&s->lock);
    bool first = w->state == STATUS_OK;
    if (first) {
        fail_locked(w, err);
    }
    pthread_mutex_unlock(&s->lock);
    if (first) {
        log_error("world '%s' is no longer logged: %s", w->name, err->text);
    }
}

void stored_heal(storage_world *w)
{
    storage *s = w->storage;
    ASSERT(w->checkpoint.exists && w->durability != STORAGE_NONE); // an image closes the gap
    pthread_mutex_lock(&s->lock);
    bool failed = w->state != STATUS_OK;
    w->state = STATUS_OK;
    w->state_text[0] = '\0';
    atomic_store(&w->failed, false);
    pthread_mutex_unlock(&s->lock);
    if (failed) {
        log_info("world '%s' is logged again", w->name);
    }
}

void stored_set_checkpoint_state(storage_world *w, status state, const char *text)
{
    storage *s = w->storage;
    pthread_mutex_lock(&s->lock);
    w->checkpoint_state = state;
    snprintf(w->checkpoint_text, sizeof w->checkpoint_text, "%s", text);
    pthread_mutex_unlock(&s->lock);
    stored_touch(w);
}

// Declares the log lost: no world's records are accepted any more.
void storage_die(storage *s, const error *err)
{
    ASSERT(err->status != STATUS_OK);
    pthread_mutex_lock(&s->lock);
    s->dead = STATUS_UNAVAILABLE;
    memcpy(s->dead_text, err->text, sizeof s->dead_text);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        if (s->worlds.data[i]->durability != STORAGE_NONE) {
            fail_locked(s->worlds.data[i], err);
        }
    }
    pthread_mutex_unlock(&s->lock);
    log_error("the storage accepts nothing more: %s", err->text);
}

bool storage_alive(const storage *s)
{
    return s->dead == STATUS_OK; // only this thread sets it
}

// Marks storage as failed if the log was lost in a place that cannot report it.
void storage_die_if_lost(storage *s)
{
    if (storage_alive(s) && s->log.lost) {
        error err;
        error_set(&err, STATUS_UNAVAILABLE,
                  "a write to the log failed and could not be taken back; restart the server");
        storage_die(s, &err);
        storage_wake_touched(s);
    }
}
