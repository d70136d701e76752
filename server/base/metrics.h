// Counters and timings of the server, for server.stats and the log.
//
// One set for the process. Counters are relaxed atomics: each is right by itself, several read
// together may differ by some events. Times go into buckets whose width is a 32nd of their value,
// so a percentile is within 3.2 %, whatever its size, and recording one is a single addition.
//
// Any thread.
#ifndef CAROM_SERVER_BASE_METRICS_H
#define CAROM_SERVER_BASE_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/encode/encode.h"

// X(name, what it counts)
#define METRICS_TABLE(X)                                                                           \
    X(connections_accepted, "connections that were let in")                                        \
    X(connections_refused, "turned away: too many, or no descriptor left")                         \
    X(connections_overrun, "closed because they did not take their output")                        \
    X(connections_expired, "closed because they were silent for too long")                         \
    X(sessions_resumed, "went on over another connection")                                         \
    X(sessions_expired, "ended without a connection: resume_ms, or too many of them")              \
    X(resumes_refused, "no such session, or a wrong secret")                                       \
    X(sessions_kicked, "ended by server.kick")                                                     \
    X(tokens_accepted, "")                                                                         \
    X(tokens_refused, "forged, expired, for others, or no tokens at all")                          \
    X(messages_received, "whole messages, well-formed or not")                                     \
    X(messages_malformed, "messages after which a connection was closed")                          \
    X(bytes_received, "")                                                                          \
    X(bytes_sent, "handed to the kernel")                                                          \
    X(requests, "that want an answer")                                                             \
    X(requests_failed, "answered with an error")                                                   \
    X(requests_limited, "requests and notifications over requests_per_second")                     \
    X(input_limited, "times that a connection was not read because of input_bytes_per_second")     \
    X(refused_permission, "requests that role, token or owner did not allow")                      \
    X(refused_unauthenticated, "requests of nobody, and tokens that were not accepted")            \
    X(refused_origin, "WebSockets of other servers' pages")                                        \
    X(refused_host, "HTTP requests for names that the server is not known by")                     \
    X(tls_handshakes, "that were done")                                                            \
    X(tls_failed, "connections that broke TLS, in a handshake or later")                           \
    X(tls_refused, "connections that sent plain bytes where TLS is spoken")                        \
    X(proxies_refused, "connections of a proxy without a sound PROXY header")                      \
    X(http_requests, "whole ones, answered or refused")                                            \
    X(http_refused, "answered with 400, 403, 405, 408, 413, 421, 426, 431, 503, 505, and closed")  \
    X(http_expired, "requests that were not whole in time")                                        \
    X(http_crowded, "connections that made room for others, or were not let in: too many")         \
    X(websockets_opened, "")                                                                       \
    X(websockets_refused, "closed because they broke WebSocket's rules or limits")                 \
    X(notifications, "commands that want none")                                                    \
    X(notifications_failed, "that did not work, which nobody was told")                            \
    X(commands_applied, "changes and reads that worlds carried out")                               \
    X(turns_over, "ticks in which commands took their share of it, and the rest had to wait")      \
    X(network_turns_cut, "turns of the network thread that left work for the next one")            \
    X(messages_aside, "large ones, which another thread decoded")                                  \
    X(worlds_set_apart, "worlds that got a thread of their own, as they slowed others")            \
    X(worlds_moved, "worlds that went to a thread that had less to do")                            \
    X(snapshots_sent, "")                                                                          \
    X(snapshots_encoded, "distinct ones: the others shared their bytes")                           \
    X(snapshots_skipped, "replaced by a later one for a slow reader")                              \
    X(snapshots_postponed, "left for a later tick, as this one's time for them was over")          \
    X(subscriptions_overrun, "ended because a snapshot did not fit a message")                     \
    X(subscriptions_refused, "ended because there was no memory for what they see")                \
    X(events_lost, "not sent to subscribers that were further behind than events_kept")            \
    X(ticks, "steps of all worlds")                                                                \
    X(contacts_full, "steps after which a world had no room for more contacts")                    \
    X(ticks_late, "that began more than a tick after they were due")                               \
    X(skipped_us, "microseconds by which overloaded worlds were slowed")                           \
    X(worlds_created, "")                                                                          \
    X(worlds_destroyed, "")

typedef enum metric {
#define METRIC_ID(name, doc) METRIC_##name,
    METRICS_TABLE(METRIC_ID)
#undef METRIC_ID
        METRIC_COUNT
} metric;

typedef enum timing {
    TIMING_COMMAND,  // from a command's last byte to its answer's submission
    TIMING_STEP,     // one tick: commands, step, events
    TIMING_SNAPSHOT, // all snapshots of one tick
    TIMING_DELAY,    // from a tick's due time to its start
    TIMING_TURN,     // one turn of a network thread, from an event to the next wait
    TIMING_COUNT
} timing;

void metrics_add(metric m, uint64_t count);
uint64_t metrics_get(metric m);

// The resident set of the process, from /proc; 0 if unknown.
uint64_t metrics_memory_bytes(void);
const char *metrics_name(metric m);

// Buckets of times, each twice as wide as the one before: 16 us to 268 ms, and one above. They are
// few enough to be scraped for each world.
enum { HISTOGRAM_FIRST_BITS = 14, HISTOGRAM_BOUNDS = 15 };

typedef struct coarse_histogram {
    atomic_uint_fast64_t buckets[HISTOGRAM_BOUNDS + 1]; // the last has no upper bound
    atomic_uint_fast64_t sum_ns;
} coarse_histogram;

void coarse_histogram_add(coarse_histogram *h, int64_t ns);
// The upper bound of bucket `index` [s]; `index` is below HISTOGRAM_BOUNDS.
double coarse_histogram_bound(uint32_t index);

// Counts a call of the method with this result; `m` is METHOD_COUNT for an unknown method.
void metrics_count_call(uint32_t m, status result);
uint64_t metrics_calls(uint32_t m, status result);

// Counts the limit that the error text names as reached.
void metrics_count_limit(const char *text);
// How often the limit in row `index` was reached; LIMIT_COUNT stands for limits outside the table.
uint64_t metrics_limit(size_t index);

// The most bins of a summary: 32 for each power of two.
enum { METRICS_BINS_MAX = 1888 };

void metrics_time(timing t, int64_t ns);
coarse_histogram *metrics_histogram(timing t);
latency_summary metrics_summary(timing t);
// Writes the bins that are not empty, in order, for a summary's `bins`. Returns their number.
uint32_t metrics_bins(timing t, latency_bin out[METRICS_BINS_MAX]);

#endif
