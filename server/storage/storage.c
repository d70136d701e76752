// Opening, the thread, closing.
#include "server/storage/storage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/assert.h"
#include "server/storage/internal.h"

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

storage_options storage_options_default(void)
{
    return (storage_options){
        .queue_bytes = STORAGE_QUEUE_BYTES_DEFAULT,
        .image_queue_bytes = STORAGE_IMAGE_QUEUE_BYTES_DEFAULT,
        .segment_bytes = STORAGE_SEGMENT_BYTES_DEFAULT,
        .log_bytes = STORAGE_LOG_BYTES_DEFAULT,
        .sync_ms = STORAGE_SYNC_MS_DEFAULT,
        .clock = monotonic_ns,
    };
}

static void condition_init(pthread_cond_t *c)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
}

storage *storage_make(const storage_options *options, disk *d, const char *path)
{
    storage *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    s->options = *options;
    ASSERT(s->options.clock != NULL && s->options.segment_bytes > 0);
    s->disk = d;
    s->log.disk = d;
    s->log.ahead = s->options.segment_bytes < STORAGE_AHEAD_BYTES ? s->options.segment_bytes
                                                                  : STORAGE_AHEAD_BYTES;
    snprintf(s->path, sizeof s->path, "%s", path);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->wake_lock, NULL);
    condition_init(&s->pushed);
    chain_init(&s->incoming);
    chain_init(&s->pending);
    chain_init(&s->in_group);
    chain_init(&s->images);
    return s;
}

static void free_chain(storage *s, request_chain *c)
{
    store_request *r;
    while ((r = chain_pop(c)) != NULL) {
        store_request_free(s, r);
    }
}

void storage_free(storage *s)
{
    free_chain(s, &s->in_group);
    free_chain(s, &s->pending);
    free_chain(s, &s->incoming);
    free_chain(s, &s->images);
    if (s->job.request != NULL) {
        image_writer_deinit(&s->job.writer);
        store_request_free(s, s->job.request);
    }
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        stored_free(s->worlds.data[i]);
    }
    for (uint32_t i = 0; i < s->gone.count; i++) {
        ASSERT(s->gone.data[i]->stage == STORED_GONE);
        stored_free(s->gone.data[i]);
    }
    array_free(&s->gone);
    array_free(&s->worlds);
    array_free(&s->touched);
    array_free(&s->segment_bytes);
    group_free(&s->group);
    journal_close(&s->log);
    s->disk->methods->destroy(s->disk);
    pthread_cond_destroy(&s->pushed);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->wake_lock);
    free(s);
}

status storage_name_holder(long holder, const char *remedy, error *err)
{
    char process[32] = "another process";
    if (holder > 0) {
        snprintf(process, sizeof process, "process %ld", holder);
    }
    return error_set(err, STATUS_UNAVAILABLE, "it is in use by %s: %s", process, remedy);
}

static status take_lock(disk *d, error *err)
{
    long holder = 0;
    int result = d->methods->lock(d, true, &holder);
    if (result == 0) {
        return STATUS_OK;
    }
    if (result != EWOULDBLOCK) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "cannot lock the directory: %s; give this user "
                         "the right to write there",
                         strerror(result));
    }
    return storage_name_holder(holder, "stop that server or choose another directory", err);
}

status storage_open(const char *path, const storage_options *options, storage **out, error *err)
{
    disk *d = options->disk;
    if (d == NULL) {
        status result = disk_directory_open(path, DISK_DATA, true, &d, err);
        if (result != STATUS_OK) {
            return result;
        }
    }
    storage *s = storage_make(options, d, path);
    status result = take_lock(d, err);
    result = result == STATUS_OK ? storage_scan(s, true, err) : result;
    if (result != STATUS_OK) {
        error_prefix(err, "data directory '%s'", path);
        storage_free(s);
        return result;
    }
    *out = s;
    return STATUS_OK;
}

// Waits until there is work. False: the thread must end, and nothing waits.
static bool wait_for_work(storage *s)
{
    int64_t deadline = s->dirty && s->options.sync_ms > 0
                           ? s->dirty_ns + (int64_t)s->options.sync_ms * NS_PER_MS
                           : INT64_MAX;
    struct timespec until = {.tv_sec = deadline / NS_PER_S, .tv_nsec = deadline % NS_PER_S};
    pthread_mutex_lock(&s->lock);
    int result = 0;
    while (s->incoming.first == NULL && !s->stopping && result != ETIMEDOUT) {
        result = deadline == INT64_MAX ? pthread_cond_wait(&s->pushed, &s->lock)
                                       : pthread_cond_timedwait(&s->pushed, &s->lock, &until);
        ASSERT(result == 0 || result == ETIMEDOUT);
    }
    bool more = s->incoming.first != NULL || !s->stopping;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static void *run_thread(void *argument)
{
    storage *s = argument;
    home_begin();
    do {
        while (storage_turn_once(s)) {
            (void)home_collect();
        }
        (void)home_collect();
    } while (wait_for_work(s));
    home_end();
    return NULL;
}

status storage_start(storage *s, error *err)
{
    ASSERT(!s->threaded);
    // This thread blocks signals: they are for the program that opened the storage.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&s->thread, NULL, run_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0) {
        return error_set(err, STATUS_INTERNAL, "no thread for the storage: %s", strerror(result));
    }
    pthread_setname_np(s->thread, "carom-storage");
    s->threaded = true;
    return STATUS_OK;
}

bool storage_turn(storage *s)
{
    ASSERT(!s->threaded);
    return storage_turn_once(s);
}

static void stop_thread(storage *s)
{
    if (s->threaded) {
        pthread_mutex_lock(&s->lock);
        s->stopping = true;
        pthread_cond_signal(&s->pushed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
        s->threaded = false;
    }
}

status storage_close(storage *s, error *err)
{
    if (s == NULL) {
        return STATUS_OK;
    }
    stop_thread(s);
    while (storage_turn_once(s)) {
    }
    status result = storage_finish(s, err);
    storage_free(s);
    return result;
}

void storage_abandon(storage *s)
{
    stop_thread(s);
    storage_free(s);
}
