// Starts and ends the I/O threads; see io_threads.h.
#include "server/net/io_threads.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/net/internal.h"
#include "server/net/relay.h"

// ---- I/O thread

static void on_orders(uv_async_t *async)
{
    relay_take_orders(async->data);
}

static void *run(void *argument)
{
    io_thread *t = argument;
    uv_run(&t->loop, UV_RUN_DEFAULT);
    return NULL;
}

// ---- network thread

static void on_reports(uv_async_t *async)
{
    relay_take_reports(async->data);
}

static uint64_t messages_max(const limits *bounds)
{
    // http.c may have as many more HTTP connections that are being closed
    return (bounds->connections + 2 * bounds->http_connections + 256) * RELAY_MESSAGES_MAX;
}

// Returns an error of libuv, with nothing prepared: there may be no descriptors for the loop.
static int prepare(io_thread *t, io_threads *all, const limits *bounds)
{
    t->all = all;
    t->bounds = *bounds;
    t->bounds.output_bytes = UINT64_MAX / 2; // the near connection enforces the limit
    int result = uv_loop_init(&t->loop);
    if (result != 0) {
        return result;
    }
    result = uv_async_init(&t->loop, &t->wake, on_orders);
    if (result != 0) {
        const int closed = uv_loop_close(&t->loop);
        ASSERT(closed == 0);
        return result;
    }
    queue_init(&t->orders, messages_max(bounds));
    t->wake.data = t;
    network_handler handler = relay_handler(t);
    t->network = network_open_bare(&t->loop, &t->bounds, &handler);
    return 0;
}

// Signals go to the network thread.
static int start(io_thread *t, int index)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&t->thread, NULL, run, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result == 0) {
        char name[16];
        snprintf(name, sizeof name, "carom-io-%d", index);
        pthread_setname_np(t->thread, name);
    }
    return result;
}

static void discard(io_thread *t)
{
    int result = uv_loop_close(&t->loop);
    ASSERT(result == 0); // all handles were closed
    network_free(t->network);
    queue_deinit(&t->orders);
}

static void on_closed(uv_handle_t *handle)
{
    io_threads *t = handle->data;
    void (*closed)(void *context) = t->closed;
    void *context = t->context;
    queue_deinit(&t->reports);
    free(t);
    if (closed != NULL) {
        closed(context);
    }
}

void io_threads_close(io_threads *t, void (*closed)(void *context), void *context)
{
    t->closed = closed;
    t->context = context;
    for (int i = 0; i < t->count; i++) {
        ASSERT(t->threads[i].connections == 0);
        relay_stop(&t->threads[i]);
    }
    relay_flush(t);
    for (int i = 0; i < t->count; i++) {
        pthread_join(t->threads[i].thread, NULL);
        discard(&t->threads[i]);
    }
    uv_close((uv_handle_t *)&t->wake, on_closed);
}

status io_threads_open(uv_loop_t *loop, int count, const limits *bounds, io_threads **out,
                       error *err)
{
    ASSERT(count > 1 && count <= IO_THREADS_MAX);
    io_threads *t = calloc(1, sizeof *t + (size_t)count * sizeof *t->threads);
    ASSERT_MEMORY(t != NULL);
    queue_init(&t->reports, messages_max(bounds));
    int result = uv_async_init(loop, &t->wake, on_reports);
    ASSERT(result == 0);
    t->wake.data = t;
    while (t->count < count) {
        io_thread *next = &t->threads[t->count];
        result = prepare(next, t, bounds);
        if (result != 0) {
            io_threads_close(t, NULL, NULL);
            return error_set(err, STATUS_UNAVAILABLE,
                             "--io-threads: thread %d of %d has no descriptors: %s (ulimit -n)",
                             t->count + 1, count, uv_strerror(result));
        }
        result = start(next, t->count);
        if (result != 0) {
            network_close(next->network); // in this thread: the loop's own thread has ended
            uv_run(&next->loop, UV_RUN_DEFAULT);
            discard(next);
            io_threads_close(t, NULL, NULL);
            return error_set(err, STATUS_INTERNAL, "no thread for input and output: %s",
                             strerror(result));
        }
        t->count++;
    }
    *out = t;
    return STATUS_OK;
}
