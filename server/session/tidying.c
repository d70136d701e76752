// See tidying.h.
#include "server/session/tidying.h"

#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/session/placement/seating.h"

enum {
    TIDYING_MS = 1000, // time between two looks for free memory
    START_REPORT_S = 5 // time between two lines of the log about a start that takes long
};

// Runs on a thread of its own: it takes the locks of all parts of the heap, one after another,
// which a thread of lower priority (worker.h) should not keep.
static void trim(void *context)
{
    server *s = context;
    memory_trim();
    atomic_store(&s->trimmed, true);
}

void tidying_end(server *s)
{
    if (s->trimming) {
        (void)uv_thread_join(&s->trimmer);
        s->trimming = false;
    }
}

static void begin_trim(server *s)
{
    atomic_store(&s->trimmed, false);
    s->trimming = uv_thread_create(&s->trimmer, trim, s) == 0; // else it is due again in a second
}

// A world that the start waits for; NULL if only answers of threads are missing.
static const world_entry *awaited_world(const server *s)
{
    for (uint32_t i = 0; i < s->worlds.by_number.count; i++) {
        const world_entry *entry = s->worlds.by_number.data[i];
        if (entry->broken == NULL && (entry->thread == NULL || entry->adopting)) {
            return entry;
        }
    }
    return NULL;
}

// Reports the reason of a long start, so that the server does not seem to hang.
static void report_start(server *s)
{
    const uint64_t seconds = (uint64_t)(clock_now_ns() - s->started_ns) / 1000000000;
    if (s->ready_told || s->stage == SERVER_DRAINING ||
        seconds < s->start_reported_s + START_REPORT_S) {
        return;
    }
    s->start_reported_s = seconds;
    const world_entry *awaited = awaited_world(s);
    log_info("still starting after %llu seconds: %llu %s being created or restored%s%s%s",
             (unsigned long long)seconds,
             COUNTED(s->restoring.left + s->starting, "world is", "worlds are"),
             awaited != NULL ? ", among them '" : "", awaited != NULL ? awaited->name : "",
             awaited != NULL ? "'" : "");
}

static void on_tidying(uv_timer_t *timer)
{
    server *s = timer->data;
    report_start(s);
    seating_sweep(s);
    if (s->trimming && atomic_load(&s->trimmed)) {
        tidying_end(s);
    }
    if (!s->trimming && memory_trim_due() && s->stage != SERVER_DRAINING) {
        begin_trim(s);
    }
}

void tidying_begin(server *s)
{
    uv_timer_start(&s->tidying, on_tidying, TIDYING_MS, TIDYING_MS);
}
