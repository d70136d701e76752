// Watches: a range and then its changes, one JSON object a line; see store.h.
//
// A watch is a stream without an end, so its loss shows in three ways: the connection ends, the
// kernel's probes fail, or a key that this server wrote does not arrive (silence_ms). It is then
// begun again at the next endpoint from the revision behind the last one; if etcd no longer has
// that revision, if the cluster is another one, or if its revision went back, the range is read
// again.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/fleet/store_internal.h"

typedef enum watch_state {
    WATCH_WAITING,  // until next_ms
    WATCH_READING,  // the range
    WATCH_STARTING, // asked for changes, etcd has not confirmed it
    WATCH_FOLLOWING,
    WATCH_CLOSED // freed when its range is answered
} watch_state;

struct store_watch {
    store *of;
    store_watch *next;
    char *prefix;
    store_watcher watcher;
    watch_state state;
    bool reading_due; // the range must be read first
    post *post;
    uint32_t endpoint;
    uint64_t cluster;  // 0: unknown
    int64_t revision;  // the last one that the watcher knows
    int64_t expected;  // the newest revision that this server wrote under the prefix
    uint64_t since_ms; // when the oldest unreported write of these was made
    uint64_t next_ms;
    bool interrupted; // the watcher knows that the stream was interrupted
    bool *ended;      // set when the watch is freed while its lines are handed on
};

static void free_watch(store_watch *w)
{
    store_watch **at = &w->of->watches;
    while (*at != w) {
        at = &(*at)->next;
    }
    *at = w->next;
    if (w->post != NULL) {
        post_cancel(w->post);
    }
    if (w->ended != NULL) {
        *w->ended = true;
    }
    free(w->prefix);
    free(w);
}

// The watcher may free the watch while it is handed changes: the flag, of the heap, outlives it.
static bool *begin_handing(store_watch *w)
{
    ASSERT(w->ended == NULL);
    w->ended = calloc(1, sizeof *w->ended);
    ASSERT_MEMORY(w->ended != NULL);
    return w->ended;
}

// Returns whether the watch was freed.
static bool end_handing(store_watch *w, bool *flag)
{
    const bool ended = *flag;
    if (!ended) {
        w->ended = NULL;
    }
    free(flag);
    return ended;
}

static void stop(store_watch *w)
{
    if (w->post != NULL) {
        post_cancel(w->post);
        w->post = NULL;
    }
}

// Begins again at the next endpoint after a pause; `range`: by reading all keys. The watcher may
// close the watch.
static void begin_again(store_watch *w, bool range, const char *why)
{
    stop(w);
    w->state = WATCH_WAITING;
    w->reading_due = w->reading_due || range;
    w->endpoint = (w->endpoint + 1) % w->of->endpoint_count;
    w->next_ms = uv_now(w->of->loop) + w->of->times.pause_ms;
    if (!w->interrupted) {
        w->interrupted = true;
        if (w->watcher.interrupted != NULL) {
            w->watcher.interrupted(w->watcher.context, why);
        }
    }
}

// ---- changes

// Returns the reason for reading the range again, or NULL.
static const char *forgotten(const store_watch *w, const etcd_answer *a)
{
    if (a->compacted > 0) {
        return "etcd no longer has the changes since the last one";
    }
    if (w->cluster != 0 && a->cluster != w->cluster) {
        return "another cluster of etcd answers";
    }
    return a->created && a->revision < w->revision ? "etcd has lost revisions" : NULL;
}

// Hands on the changes of one line. False: the watch is broken, or was closed.
static bool take_changes(store_watch *w, etcd_answer *a)
{
    bool *ended = begin_handing(w);
    for (uint32_t i = 0; i < a->entries.count && !*ended; i++) {
        const store_entry *e = &a->entries.data[i];
        if (e->modified > w->revision) { // a revision is reported as a whole
            w->watcher.changed(w->watcher.context, e);
        }
    }
    if (end_handing(w, ended)) {
        return false;
    }
    if (a->entries.count > 0) {
        const int64_t last = a->entries.data[a->entries.count - 1].modified;
        w->revision = last > w->revision ? last : w->revision;
    }
    return true;
}

static bool take_line(store_watch *w, const char *line, size_t size)
{
    etcd_answer a = {0};
    error err;
    if (etcd_read_watch(line, size, &a, &err) != STATUS_OK) {
        begin_again(w, true, err.text);
        return false;
    }
    const char *range_why = forgotten(w, &a);
    bool goes_on = range_why == NULL && !a.cancelled;
    if (!goes_on) {
        w->cluster = 0;
        begin_again(w, range_why != NULL, range_why != NULL ? range_why : "etcd ended the watch");
    } else {
        w->cluster = a.cluster;
        w->state = WATCH_FOLLOWING;
        w->interrupted = false;
        goes_on = take_changes(w, &a);
    }
    etcd_answer_deinit(&a);
    return goes_on;
}

static size_t on_data(void *context, const char *bytes, size_t size)
{
    store_watch *w = context;
    size_t begin = 0;
    const char *end = NULL;
    while ((end = memchr(bytes + begin, '\n', size - begin)) != NULL) {
        const size_t line = (size_t)(end - bytes) - begin;
        if (line > 0 && !take_line(w, bytes + begin, line)) {
            return size; // the post is cancelled
        }
        begin += line + 1;
    }
    return begin;
}

static void on_stream_end(void *context, const post_end *end)
{
    store_watch *w = context;
    error why;
    w->post = NULL;
    (void)error_set(&why, STATUS_UNAVAILABLE, "%s: %s", w->of->endpoints[w->endpoint],
                    end->outcome == POST_ANSWERED ? "the watch ended" : end->why);
    // A stream that never began, or a line that is too large: reading the range gives a better
    // error.
    begin_again(w, end->outcome == POST_LOST && end->size >= w->of->answer_size_max / 2, why.text);
}

static void begin_stream(store_watch *w)
{
    store *s = w->of;
    char url[STORE_URL_SIZE_MAX];
    char *body = etcd_watch(w->prefix, w->revision + 1);
    store_url(s, w->endpoint, "/watch", url);
    const post_options options = {
        .url = url,
        .body = body,
        .connect_ms = s->times.connect_ms,
        .answer_size_max = s->answer_size_max,
        .handler = {.context = w, .data = on_data, .done = on_stream_end}};
    w->post = post_begin(s->posts, &options);
    w->state = WATCH_STARTING;
    w->next_ms = uv_now(s->loop) + s->times.try_ms; // etcd confirms a watch at once
    free(body);
}

// ---- the range

static void on_range(void *context, const store_answer *answer)
{
    store_watch *w = context;
    if (w->state == WATCH_CLOSED) {
        free_watch(w);
        return;
    }
    ASSERT(w->state == WATCH_READING);
    if (answer->status != STATUS_OK) {
        begin_again(w, true, answer->text);
        return;
    }
    w->reading_due = false;
    w->revision = answer->revision;
    w->endpoint = w->of->endpoint;
    bool *ended = begin_handing(w);
    w->watcher.all(w->watcher.context, answer->entries, answer->revision);
    if (!end_handing(w, ended)) {
        begin_stream(w);
    }
}

static void begin(store_watch *w)
{
    error err;
    if (!w->reading_due) {
        begin_stream(w);
    } else if (store_get(w->of, w->prefix, on_range, w, &err) == STATUS_OK) {
        w->state = WATCH_READING;
    } else {
        begin_again(w, true, err.text);
    }
}

store_watch *store_watch_open(store *s, const char *prefix, const store_watcher *watcher)
{
    store_watch *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL && *prefix != '\0' && !s->closing);
    *w = (store_watch){.of = s,
                       .next = s->watches,
                       .prefix = strdup(prefix),
                       .watcher = *watcher,
                       .reading_due = true,
                       .endpoint = s->endpoint};
    ASSERT_MEMORY(w->prefix != NULL);
    s->watches = w;
    w->next_ms = uv_now(s->loop);
    return w; // the pulse begins it
}

void store_watch_close(store_watch *w)
{
    if (w->state == WATCH_READING) {
        w->state = WATCH_CLOSED;
        if (w->ended != NULL) {
            *w->ended = true; // closed by its own watcher: no answer is awaited any more
            free_watch(w);
        }
    } else {
        free_watch(w);
    }
}

// ---- all watches of a store

void store_watches_note(store *s, const char *key, int64_t revision)
{
    for (store_watch *w = s->watches; w != NULL; w = w->next) {
        if (strncmp(key, w->prefix, strlen(w->prefix)) != 0 || revision <= w->expected) {
            continue;
        }
        if (w->expected <= w->revision) {
            w->since_ms = uv_now(s->loop);
        }
        w->expected = revision;
    }
}

static bool silent(const store_watch *w, uint64_t now_ms)
{
    return w->state == WATCH_FOLLOWING && w->expected > w->revision &&
           now_ms - w->since_ms >= w->of->times.silence_ms;
}

// One watch at most in each pulse: a watcher may close others.
void store_watches_pulse(store *s, uint64_t now_ms)
{
    for (store_watch *w = s->watches; w != NULL; w = w->next) {
        if (w->state == WATCH_WAITING && w->next_ms <= now_ms) {
            begin(w);
            return;
        }
        if (w->state == WATCH_STARTING && w->next_ms <= now_ms) {
            begin_again(w, false, "etcd does not confirm a watch");
            return;
        }
        if (silent(w, now_ms)) {
            w->since_ms = now_ms;
            begin_again(w, false, "a watch does not report this server's own change");
            return;
        }
    }
}

void store_watches_close(store *s)
{
    while (s->watches != NULL) {
        free_watch(s->watches);
    }
}
