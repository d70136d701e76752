// The queue of large messages, and the work of the pool's thread; see decoding.h. Network thread,
// except decode.
#include "server/session/calls/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/commands/canonical.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_record.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/base/worker.h"
#include "server/session/calls/rights.h"
#include "server/session/service.h"

enum { ASIDE_BYTES = 64 * 1024, ASIDE_VALUES = 2048 }; // some half a millisecond

bool decoding_wanted(size_t size, uint32_t values)
{
    return size > ASIDE_BYTES || values > ASIDE_VALUES;
}

// ---- the pool's thread

static void write_arguments(decoding *d, method m)
{
    buffer out;
    buffer_init(&out, LOG_ARGUMENTS_BYTES_MAX);
    arguments_canonical_owned(&out, m, &d->message.params, *d->owner != '\0' ? d->owner : NULL);
    ASSERT(!out.overflow);
    uint8_t *taken = buffer_take(&out, &d->arguments_size);
    uint8_t *fitted = realloc(taken, d->arguments_size + (d->arguments_size == 0));
    d->arguments = fitted != NULL ? fitted : taken;
}

// A method that the role does not allow is refused before its arguments are decoded.
static void decode_call(decoding *d)
{
    const method_info *info = method_find(d->message.method, d->message.method_size);
    if (info == NULL || !info->available || d->role < method_role(info->id)) {
        return;
    }
    d->decoded = command_decode(info->id, &d->message.params, &d->command, &d->err);
    if (d->decoded == STATUS_OK && method_scope_of(info->id) == SCOPE_WORLD_COMMAND) {
        write_arguments(d, info->id);
    }
}

static void decode(uv_work_t *work)
{
    decoding *d = (decoding *)work;
    worker_begin();
    const int64_t begin = clock_processor_ns();
    d->verdict = rpc_decode(d->bytes, d->size, &d->message, &d->err);
    if (d->verdict == RPC_GOOD && d->message.kind != RPC_RESPONSE) {
        decode_call(d);
    }
    d->took_ns = clock_processor_ns() - begin;
}

// ---- network thread

static int64_t memory_of_message(const decoding *d)
{
    return (int64_t)(sizeof *d + d->capacity);
}

// Any thread.
static void release(decoding *d)
{
    if (d->verdict == RPC_GOOD) {
        rpc_message_deinit(&d->message);
    }
    if (d->decoded == STATUS_OK) {
        command_free(&d->command);
    }
    free(d->arguments);
    free(d->bytes);
}

static void drop(decoding *d)
{
    release(d);
    memory_note(MEMORY_input, NULL, -memory_of_message(d));
    free(d);
}

static void on_release(uv_work_t *work)
{
    worker_begin();
    release((decoding *)work);
}

static void on_released(uv_work_t *work, int result)
{
    decoding *d = (decoding *)work;
    server *s = d->server;
    ASSERT(result == 0 && s->building > 0);
    memory_note(MEMORY_input, NULL, -memory_of_message(d));
    free(d);
    s->building--;
    server_check_drained(s);
}

// The pages and values of a large message take the network thread too long to free.
static void drop_aside(decoding *d)
{
    d->server->building++;
    const int queued = uv_queue_work(d->server->loop, &d->work, on_release, on_released);
    ASSERT(queued == 0);
}

static void begin_next(server *s);

static void on_decoded(uv_work_t *work, int result)
{
    decoding *d = (decoding *)work;
    server *s = d->server;
    session *from = server_find_session(s, d->from);
    ASSERT(result == 0); // jobs are never cancelled
    ASSERT(s->decodings.busy && s->building > 0);
    shares_charge(&s->decodings.shares, d->of, d->took_ns > 0 ? d->took_ns : 0);
    shares_release(&s->decodings.shares, d->of);
    s->decodings.busy = false;
    s->building--;
    loop_turn_begin(&s->turn);
    if (from != NULL && from->intake.decoding == d) {
        from->intake.decoding = NULL;
        from->intake.worked_ns += d->took_ns;
        session_decoded(from, d);
    }
    begin_next(s);
    drop_aside(d);
}

// The index of the waiting message whose subject has used the least time; the first among equals.
static uint32_t find_next(const decodings *all)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < all->waiting.count; i++) {
        const int64_t used = shares_used(&all->shares, all->waiting.data[i]->of);
        found = used < shares_used(&all->shares, all->waiting.data[found]->of) ? i : found;
    }
    return found;
}

static decoding *take_out(decodings *all, uint32_t at)
{
    ASSERT(at < all->waiting.count);
    decoding *one = all->waiting.data[at];
    array_remove(&all->waiting, at);
    return one;
}

static void begin_next(server *s)
{
    decodings *all = &s->decodings;
    if (!all->busy && all->waiting.count > 0) {
        decoding *next = take_out(all, find_next(all));
        shares_serve(&all->shares, next->of);
        all->busy = true;
        s->building++; // the server does not end before
        const int queued = uv_queue_work(s->loop, &next->work, decode, on_decoded);
        ASSERT(queued == 0);
    }
}

// The input's own memory, rather than a copy: a hundred large messages may end in the same turn.
static void take_bytes(decoding *d, input *from, const uint8_t *bytes)
{
    d->bytes = input_take(from, bytes, &d->capacity);
    if (d->bytes == NULL) {
        d->capacity = d->size;
        d->bytes = malloc(d->size);
        ASSERT_MEMORY(d->bytes != NULL);
        memcpy(d->bytes, bytes, d->size);
    }
}

void decoding_begin(session *s, const uint8_t *bytes, size_t size)
{
    server *of = s->server;
    ASSERT(s->intake.decoding == NULL); // one at a time: its messages keep their order
    decoding *d = calloc(1, sizeof *d);
    ASSERT_MEMORY(d != NULL);
    *d = (decoding){.server = of,
                    .from = s->key,
                    .role = s->identity.role,
                    .size = size,
                    .verdict = RPC_BROKEN,
                    .decoded = STATUS_INTERNAL};
    take_bytes(d, &s->intake.input, bytes);
    ASSERT(strlen(rights_subject(s)) < sizeof d->owner);
    memcpy(d->owner, rights_subject(s), strlen(rights_subject(s)) + 1);
    memory_note(MEMORY_input, NULL, memory_of_message(d));
    d->of = shares_hold(&of->decodings.shares, session_subject(s));
    s->intake.decoding = d;
    metrics_add(METRIC_messages_aside, 1);
    array_push(&of->decodings.waiting, d);
    begin_next(of);
}

void decoding_forget(session *s)
{
    decodings *all = &s->server->decodings;
    for (uint32_t i = 0; s->intake.decoding != NULL && i < all->waiting.count; i++) {
        if (all->waiting.data[i] == s->intake.decoding) {
            decoding *one = take_out(all, i);
            shares_release(&all->shares, one->of);
            drop(one);
            break;
        }
    }
    s->intake.decoding = NULL;
}

void decodings_deinit(decodings *all)
{
    ASSERT(!all->busy);
    for (uint32_t i = 0; i < all->waiting.count; i++) {
        shares_release(&all->shares, all->waiting.data[i]->of);
        drop(all->waiting.data[i]);
    }
    array_free(&all->waiting);
    shares_deinit(&all->shares);
}
