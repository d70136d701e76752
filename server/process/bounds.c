// See bounds.h.
#include "server/process/bounds.h"

#include <malloc.h>
#include <sys/resource.h>

#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/base/memory.h"
#include "server/net/network.h"

enum {
    OWN_DESCRIPTORS = 96, // besides connections: files, refused sockets, those of the loop
    // Each thread of --io-threads has a loop of its own, with its descriptors.
    IO_THREAD_DESCRIPTORS = 5
};

enum {
    // Larger heap pieces are mappings, which return to the system when freed. (The C library would
    // raise the threshold.)
    HEAP_PIECE_MAX = 1 << 20,
    // Free memory at a heap's end that stays there, and what a heap grows by: each turn takes some
    // megabytes and frees them, and would ask the system for them again.
    HEAP_LEFT_MAX = 16 << 20,
    HEAP_GROWTH = 1 << 20,
    // Parts of the heap, each with a lock: more than threads (limits.own_threads, --threads,
    // --world-threads, --io-threads). With eight for each processor, which is the C library's
    // choice, the network thread could share one with a thread of lower priority (home.h).
    HEAP_ARENAS_MAX = 4096,
};

void bounds_fit_descriptors(limits *l, bool http, bool proxied, uint32_t threads)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    // Connections that are closing count too; see http.c.
    rlim_t base = OWN_DESCRIPTORS + (rlim_t)threads * IO_THREAD_DESCRIPTORS;
    base += proxied ? NETWORK_GREETINGS_MAX : 0;
    rlim_t own = base + (http ? 2 * l->http_connections : 0);
    rlim_t wanted = l->connections + own;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < wanted) {
        if (http) {
            uint64_t spare = files.rlim_cur > base ? files.rlim_cur - base : 0;
            uint64_t share = spare / 16 > 0 ? spare / 16 : 1;
            l->http_connections = l->http_connections < share ? l->http_connections : share;
            own = base + 2 * l->http_connections;
        }
        uint64_t fit = files.rlim_cur > own ? files.rlim_cur - own : 1;
        log_warn("%llu %s enough for %llu %s, not for %llu (ulimit -n)",
                 COUNTED(files.rlim_cur, "descriptor is", "descriptors are"),
                 COUNTED(fit, "connection", "connections"), (unsigned long long)l->connections);
        l->connections = fit;
    }
}

void bounds_fit_memory(limits *l, uint64_t memory)
{
    const uint64_t machine = memory_of_machine("");
    const uint64_t bytes = memory > 0 ? memory : machine / 4 * 3;
    (void)mallopt(M_MMAP_THRESHOLD, HEAP_PIECE_MAX);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP_LEFT_MAX);
    (void)mallopt(M_TOP_PAD, HEAP_GROWTH);
    (void)mallopt(M_ARENA_MAX, HEAP_ARENAS_MAX);
    if (bytes == 0) {
        log_warn("the system does not say how much memory it has: give --memory");
        return;
    }
    char text[MEMORY_TEXT_MAX];
    log_debug("the process may use %s of memory", memory_text(bytes, text));
    limits_fit_memory(l, bytes);
    memory_begin(bytes, l->holder_bytes);
}
