// A list of replies in the order of their posting, and a queue of stamps that say how many of them
// wait for each sequence. The world's thread.
#include "server/world/log/commit_gate.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

static void post(void *context, reply *r)
{
    commit_gate *g = context;
    ASSERT(r != NULL && *g->last == NULL);
    r->node.next = NULL;
    *g->last = r;
    g->last = (reply **)&r->node.next;
    g->posted++;
}

void commit_gate_init(commit_gate *g, reply_sink sink, uint64_t committed)
{
    ASSERT(sink.post != NULL);
    *g = (commit_gate){.sink = sink, .committed = committed};
    g->last = &g->first;
}

void commit_gate_await_feed(commit_gate *g, world_feed *feed)
{
    ASSERT(g->feed == NULL); // stamps so far have 0, which no feed holds back
    g->feed = feed;
}

void commit_gate_deinit(commit_gate *g)
{
    ASSERT(g->released == g->posted);
    ASSERT(g->first == NULL);
    free(g->stamps);
}

void commit_gate_redirect(commit_gate *g, reply_sink sink)
{
    ASSERT(sink.post != NULL);
    g->sink = sink;
}

uint64_t commit_gate_committed(const commit_gate *g)
{
    return g->committed;
}

reply_sink commit_gate_sink(commit_gate *g)
{
    return (reply_sink){post, g};
}

static reply *take(commit_gate *g)
{
    ASSERT(g->released < g->posted);
    reply *r = g->first;
    ASSERT(r != NULL);
    g->first = (reply *)r->node.next;
    g->last = g->first == NULL ? &g->first : g->last;
    g->released++;
    return r;
}

static bool may_leave(const commit_gate *g, const struct gate_stamp *stamp)
{
    return stamp->sequence <= g->committed &&
           (g->feed == NULL || world_feed_show(g->feed, stamp->fed));
}

static void release(commit_gate *g)
{
    ASSERT(g->stamp_count <= g->stamp_capacity && g->stamped <= g->posted);
    while (g->stamp_count > 0 && may_leave(g, &g->stamps[g->stamp_first])) {
        uint64_t end = g->stamps[g->stamp_first].end;
        g->stamp_first = (g->stamp_first + 1) % g->stamp_capacity;
        g->stamp_count--;
        while (g->released < end) {
            g->sink.post(g->sink.context, take(g));
        }
    }
}

static void grow(commit_gate *g)
{
    ASSERT(g->stamp_count == g->stamp_capacity);
    uint32_t capacity = g->stamp_capacity < 8 ? 8 : g->stamp_capacity * 2;
    struct gate_stamp *stamps = malloc(capacity * sizeof *stamps);
    ASSERT_MEMORY(stamps != NULL);
    for (uint32_t i = 0; i < g->stamp_count; i++) {
        stamps[i] = g->stamps[(g->stamp_first + i) % g->stamp_capacity];
    }
    free(g->stamps);
    g->stamps = stamps;
    g->stamp_first = 0;
    g->stamp_capacity = capacity;
}

static struct gate_stamp *newest(commit_gate *g)
{
    return g->stamp_count == 0
               ? NULL
               : &g->stamps[(g->stamp_first + g->stamp_count - 1) % g->stamp_capacity];
}

void commit_gate_stamp(commit_gate *g, uint64_t sequence, uint64_t fed)
{
    struct gate_stamp *last = newest(g);
    ASSERT(last == NULL || (sequence >= last->sequence && fed >= last->fed));
    if (g->posted > g->stamped && last != NULL && last->sequence == sequence && last->fed == fed) {
        last->end = g->posted; // ticks without commands need no stamp of their own
    } else if (g->posted > g->stamped) {
        if (g->stamp_count == g->stamp_capacity) {
            grow(g);
        }
        g->stamp_count++;
        *newest(g) = (struct gate_stamp){g->posted, sequence, fed};
    }
    g->stamped = g->posted;
    ASSERT(g->stamp_count == 0 || newest(g)->end == g->posted); // all that was posted has a stamp
    release(g);
}

void commit_gate_commit(commit_gate *g, uint64_t sequence)
{
    ASSERT(sequence >= g->committed);
    g->committed = sequence;
    release(g);
}

static void turn_into_refusal(reply *r, status why, const char *text, bool took_effect)
{
    bytes_unref(r->payload);
    free(r->text);
    r->payload = NULL;
    r->small_size = 0;
    r->took_effect = took_effect;
    r->status = why;
    r->text = strdup(text);
    ASSERT_MEMORY(r->text != NULL);
}

static void refuse(commit_gate *g, status why, const char *text, bool took_effect)
{
    ASSERT(why != STATUS_OK);
    while (g->first != NULL) {
        reply *r = take(g);
        if (r->kind == REPLY_SNAPSHOT) {
            reply_free(r);
            continue;
        }
        if (r->kind == REPLY_RESULT && r->status == STATUS_OK) {
            turn_into_refusal(r, why, text, took_effect);
        }
        g->sink.post(g->sink.context, r);
    }
    g->stamp_count = 0;
    g->stamped = g->posted;
}

void commit_gate_refuse(commit_gate *g, status why, const char *text)
{
    refuse(g, why, text, true);
}

void commit_gate_disown(commit_gate *g, status why, const char *text)
{
    refuse(g, why, text, false);
}

uint64_t commit_gate_held(const commit_gate *g)
{
    ASSERT(g->released <= g->posted);
    return g->posted - g->released;
}
