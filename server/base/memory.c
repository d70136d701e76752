// Sums and bounds; see memory.h. Any thread.
#include "server/base/memory.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/base/home.h"
#include "server/base/metrics.h"

#if !defined(NDEBUG) || defined(CAROM_SANITIZED)
#define CHECKED // verify at the end that everything was given back
#endif

enum {
    SAMPLE_NS = 10000000, // how long a reading of the resident set is valid
    SPARE_SHARE = 16,     // this fraction of the bound is kept for unaccounted memory
    TRIM_BYTES = 32 << 20 // freed bytes before the heap is trimmed
};

static struct {
    atomic_int_least64_t of[MEMORY_USES];
    block_account worlds; // MEMORY_worlds, without the bytes of memory_note
    atomic_uint_least64_t bound, holder_bound;
    atomic_int_least64_t sampled_ns, resident, counted_then;
    atomic_int_least64_t high; // the largest count since the last trim
} account;

static const char *const NAMES[] = {
#define MEMORY_NAME(name, doc) #name,
    MEMORY_TABLE(MEMORY_NAME)
#undef MEMORY_NAME
};

static const char *const STAT_NAMES[] = {
#define MEMORY_STAT_NAME(name, doc) "memory_" #name,
    MEMORY_TABLE(MEMORY_STAT_NAME)
#undef MEMORY_STAT_NAME
};

static const char *const DOCS[] = {
#define MEMORY_DOC(name, doc) doc,
    MEMORY_TABLE(MEMORY_DOC)
#undef MEMORY_DOC
};

_Static_assert(sizeof NAMES / sizeof *NAMES == MEMORY_USES, "each use has its name");
_Static_assert(sizeof DOCS / sizeof *DOCS == MEMORY_USES, "and its sentence");

// ---- holders

memory_holder *memory_holder_create(void)
{
    memory_holder *h = calloc(1, sizeof *h);
    ASSERT_MEMORY(h != NULL);
    atomic_init(&h->references, 1);
    return h;
}

memory_holder *memory_holder_ref(memory_holder *h)
{
    if (h != NULL) {
        atomic_fetch_add_explicit(&h->references, 1, memory_order_relaxed);
    }
    return h;
}

void memory_holder_unref(memory_holder *h)
{
    if (h != NULL && atomic_fetch_sub_explicit(&h->references, 1, memory_order_acq_rel) == 1) {
        ASSERT(atomic_load(&h->bytes) == 0); // every charge to it has a reference to it
        free(h);
    }
}

uint64_t memory_holder_bytes(const memory_holder *h)
{
    const int64_t bytes = h != NULL ? atomic_load_explicit(&h->bytes, memory_order_relaxed) : 0;
    // Negative for a moment if another thread's free is counted first
    return bytes > 0 ? (uint64_t)bytes : 0;
}

// ---- sums

static int64_t load(atomic_int_least64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void add(atomic_int_least64_t *value, int64_t bytes)
{
    atomic_fetch_add_explicit(value, bytes, memory_order_relaxed);
}

block_account *memory_world_begin(void)
{
    block_account *world = calloc(1, sizeof *world);
    ASSERT_MEMORY(world != NULL);
    world->parent = &account.worlds;
    return world;
}

void memory_world_end(block_account *world)
{
#ifdef CHECKED
    ASSERT(world == NULL || load(&world->bytes) == 0);
#endif
    free(world);
}

uint64_t memory_of(memory_use use)
{
    ASSERT(use < MEMORY_USES);
    const int64_t elsewhere = use == MEMORY_worlds      ? load(&account.worlds.bytes)
                              : use == MEMORY_returning ? home_bytes()
                                                        : 0;
    const int64_t bytes = load(&account.of[use]) + elsewhere;
    // Negative for a moment if another thread's free is counted first
    return bytes > 0 ? (uint64_t)bytes : 0;
}

const char *memory_use_name(memory_use use)
{
    ASSERT(use < MEMORY_USES);
    return NAMES[use];
}

const char *memory_stat_name(memory_use use)
{
    ASSERT(use < MEMORY_USES);
    return STAT_NAMES[use];
}

const char *memory_use_doc(memory_use use)
{
    ASSERT(use < MEMORY_USES);
    return DOCS[use];
}

static int64_t counted(void)
{
    uint64_t sum = 0;
    for (int use = 0; use < MEMORY_USES; use++) {
        sum += memory_of((memory_use)use);
    }
    return (int64_t)sum;
}

void memory_note(memory_use use, memory_holder *who, int64_t bytes)
{
    ASSERT(use < MEMORY_USES);
    add(&account.of[use], bytes);
    if (who != NULL) {
        add(&who->bytes, bytes);
    }
}

// ---- bounds

void memory_begin(uint64_t bytes, uint64_t holder_bytes)
{
    atomic_store(&account.holder_bound, holder_bytes);
    atomic_store(&account.bound, bytes);
    atomic_store(&account.sampled_ns, 0);
}

uint64_t memory_bound(void)
{
    return atomic_load_explicit(&account.bound, memory_order_relaxed);
}

// (Skipped under sanitizers: their shadow memory and quarantine are not the server's.)
static void sample(void)
{
#ifndef CAROM_SANITIZED
    const int64_t now = clock_now_ns();
    int64_t then = load(&account.sampled_ns);
    if (then != 0 && now - then < SAMPLE_NS) {
        return;
    }
    if (atomic_compare_exchange_strong(&account.sampled_ns, &then, now)) {
        atomic_store_explicit(&account.counted_then, counted(), memory_order_relaxed);
        atomic_store_explicit(&account.resident, (int64_t)metrics_memory_bytes(),
                              memory_order_relaxed);
    }
#endif
}

uint64_t memory_used(void)
{
    const int64_t now = counted();
    if (memory_bound() == 0) {
        return (uint64_t)now;
    }
    sample();
    const int64_t seen = load(&account.resident) + now - load(&account.counted_then);
    return (uint64_t)(seen > now ? seen : now);
}

const char *memory_text(uint64_t bytes, char out[MEMORY_TEXT_MAX])
{
    enum { KB = 1000, MB = 1000000 };
    if (bytes < KB) {
        snprintf(out, MEMORY_TEXT_MAX, "%" PRIu64 " B", bytes);
    } else if (bytes < MB) {
        snprintf(out, MEMORY_TEXT_MAX, "%.3g kB", (double)bytes / KB);
    } else if (bytes < 10 * MB) {
        snprintf(out, MEMORY_TEXT_MAX, "%.3g MB", (double)bytes / MB);
    } else if (bytes < 10000ull * MB) {
        snprintf(out, MEMORY_TEXT_MAX, "%" PRIu64 " MB", bytes / MB);
    } else {
        snprintf(out, MEMORY_TEXT_MAX, "%.1f GB", (double)bytes / (1000.0 * MB));
    }
    return out;
}

static status ask_process(uint64_t bytes, error *err)
{
    const uint64_t bound = memory_bound();
    const uint64_t most = bound - bound / SPARE_SHARE;
    const uint64_t used = bound > 0 && bytes > 0 ? memory_used() : 0;
    if (bound == 0 || bytes == 0 || (used <= most && bytes <= most - used)) {
        return STATUS_OK;
    }
    char has[MEMORY_TEXT_MAX];
    char more[MEMORY_TEXT_MAX];
    char all[MEMORY_TEXT_MAX];
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "memory: the server uses %s, and %s would be added; at most %s of --memory "
                     "are for that: remove what is not needed, or try again later",
                     memory_text(used, has), memory_text(bytes, more), memory_text(most, all));
}

static status ask_holder(const memory_holder *who, uint64_t bytes, error *err)
{
    const uint64_t most = atomic_load_explicit(&account.holder_bound, memory_order_relaxed);
    const uint64_t has = memory_holder_bytes(who);
    if (most == 0 || (has <= most && bytes <= most - has)) {
        return STATUS_OK;
    }
    char now[MEMORY_TEXT_MAX];
    char more[MEMORY_TEXT_MAX];
    char all[MEMORY_TEXT_MAX];
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "holder_bytes: subscriptions of this subject, address or connection take %s, "
                     "and %s would be added; at most %s may: end some, or see smaller areas",
                     memory_text(has, now), memory_text(bytes, more), memory_text(most, all));
}

status memory_ask(const memory_holder *who, uint64_t bytes, error *err)
{
    status s = who != NULL ? ask_holder(who, bytes, err) : STATUS_OK;
    return s == STATUS_OK ? ask_process(bytes, err) : s;
}

status memory_take(memory_use use, memory_holder *who, uint64_t bytes, error *err)
{
    const status s = memory_ask(who, bytes, err);
    if (s == STATUS_OK) {
        memory_note(use, who, (int64_t)bytes);
    }
    return s;
}

// ---- charges

void memory_charge_begin(memory_charge *c, memory_use use, memory_holder *who)
{
    ASSERT(use < MEMORY_USES);
    *c = (memory_charge){.use = use, .who = memory_holder_ref(who)};
}

status memory_charge_set(memory_charge *c, uint64_t bytes, error *err)
{
    const status s = bytes > c->bytes ? memory_ask(c->who, bytes - c->bytes, err) : STATUS_OK;
    if (s == STATUS_OK) {
        memory_charge_note(c, bytes);
    }
    return s;
}

void memory_charge_note(memory_charge *c, uint64_t bytes)
{
    if (bytes != c->bytes) {
        memory_note(c->use, c->who, (int64_t)bytes - (int64_t)c->bytes);
        c->bytes = bytes;
    }
}

void memory_charge_move(memory_charge *c, memory_holder *to)
{
    const uint64_t bytes = c->bytes;
    memory_holder_ref(to); // `to` may be the present holder
    memory_charge_end(c);
    c->who = to;
    memory_charge_note(c, bytes);
}

void memory_charge_end(memory_charge *c)
{
    memory_charge_note(c, 0);
    ASSERT(c->bytes == 0);
    memory_holder_unref(c->who);
    c->who = NULL;
}

// ---- free memory

bool memory_trim_due(void)
{
    const int64_t now = counted();
    const int64_t high = load(&account.high);
    if (now > high) {
        atomic_store_explicit(&account.high, now, memory_order_relaxed);
    }
    return high - now >= TRIM_BYTES;
}

void memory_trim(void)
{
    atomic_store_explicit(&account.high, counted(), memory_order_relaxed);
    (void)malloc_trim(0);
}

// ---- the end

void memory_end(void)
{
#ifdef CHECKED
    for (int use = 0; use < MEMORY_USES; use++) {
        const int64_t left = load(&account.of[use]);
        if (left != 0) {
            fprintf(stderr, "carom: %" PRId64 " bytes of memory for %s were not given back\n", left,
                    NAMES[use]);
        }
        ASSERT(left == 0);
    }
    ASSERT(load(&account.worlds.bytes) == 0 && home_bytes() == 0);
#endif
}
