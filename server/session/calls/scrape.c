// The text of /metrics, in Prometheus' format 0.0.4; see service.h. Network thread only.
//
// Names are carom_SUBJECT_UNIT, in base units; a counter ends in _total. Figures that Prometheus'
// own libraries give of a process have their names (process_...). Labels have few values: methods,
// results, limits, reasons, and worlds, of which there are as many as limits.worlds.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/assert.h"
#include "proto/methods.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/session/service.h"
#include "server/world/tick/world_metrics.h"

enum { LINE_MAX_BYTES = 512 };

static void put(buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(buffer *out, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ASSERT(size >= 0 && (size_t)size < sizeof line);
    buffer_append(out, line, (size_t)size);
}

static void put_family(buffer *out, const char *name, const char *type, const char *help)
{
    put(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_gauge(buffer *out, const char *name, double value, const char *help)
{
    put_family(out, name, "gauge", help);
    put(out, "%s %.17g\n", name, value);
}

static void put_counter(buffer *out, const char *name, double value, const char *help)
{
    put_family(out, name, "counter", help);
    put(out, "%s %.17g\n", name, value);
}

// ---- counters of the process

typedef struct counter_row {
    metric metric;
    const char *family; // rows of one stand together
    const char *labels; // "{...}" or ""
    const char *help;   // of the family; NULL: as above
} counter_row;

static const counter_row COUNTERS[] = {
    {METRIC_connections_accepted, "carom_connections_total", "{result=\"accepted\"}",
     "Connections that were let in as sessions, over any transport, or turned away."},
    {METRIC_connections_refused, "carom_connections_total", "{result=\"refused\"}", NULL},
    {METRIC_connections_overrun, "carom_connections_closed_total", "{reason=\"overrun\"}",
     "Connections that the server closed: they took no output, or were silent for too long."},
    {METRIC_connections_expired, "carom_connections_closed_total", "{reason=\"expired\"}", NULL},
    {METRIC_sessions_resumed, "carom_resumes_total", "{result=\"resumed\"}",
     "Sessions that went on over another connection, and attempts that were refused."},
    {METRIC_resumes_refused, "carom_resumes_total", "{result=\"refused\"}", NULL},
    {METRIC_sessions_expired, "carom_sessions_ended_total", "{reason=\"expired\"}",
     "Sessions that ended without a connection, or by server.kick."},
    {METRIC_sessions_kicked, "carom_sessions_ended_total", "{reason=\"kicked\"}", NULL},
    {METRIC_tokens_accepted, "carom_tokens_total", "{result=\"accepted\"}",
     "Tokens that were sent."},
    {METRIC_tokens_refused, "carom_tokens_total", "{result=\"refused\"}", NULL},
    {METRIC_messages_received, "carom_messages_received_total", "",
     "Whole messages, well-formed or not."},
    {METRIC_messages_malformed, "carom_messages_malformed_total", "",
     "Messages after which a connection was closed."},
    {METRIC_bytes_received, "carom_network_received_bytes_total", "", "Bytes of all connections."},
    {METRIC_bytes_sent, "carom_network_sent_bytes_total", "", "Bytes handed to the kernel."},
    {METRIC_requests, "carom_requests_total", "", "Requests, which want an answer."},
    {METRIC_requests_failed, "carom_requests_failed_total", "", "Requests answered with an error."},
    {METRIC_notifications, "carom_notifications_total", "", "Commands that want no answer."},
    {METRIC_notifications_failed, "carom_notifications_failed_total", "",
     "Notifications that did not work, which nobody was told."},
    {METRIC_refused_permission, "carom_refusals_total", "{reason=\"permission_denied\"}",
     "Requests and connections that were refused."},
    {METRIC_refused_unauthenticated, "carom_refusals_total", "{reason=\"unauthenticated\"}", NULL},
    {METRIC_refused_origin, "carom_refusals_total", "{reason=\"origin\"}", NULL},
    {METRIC_refused_host, "carom_refusals_total", "{reason=\"host\"}", NULL},
    {METRIC_proxies_refused, "carom_refusals_total", "{reason=\"proxy\"}", NULL},
    {METRIC_requests_limited, "carom_refusals_total", "{reason=\"rate\"}", NULL},
    {METRIC_http_refused, "carom_refusals_total", "{reason=\"http\"}", NULL},
    {METRIC_websockets_refused, "carom_refusals_total", "{reason=\"websocket\"}", NULL},
    {METRIC_input_limited, "carom_input_throttled_total", "",
     "Times that a connection was not read because of input_bytes_per_second."},
    {METRIC_http_requests, "carom_http_requests_total", "", "Whole HTTP requests."},
    {METRIC_http_expired, "carom_http_expired_total", "",
     "HTTP requests that were not whole in time."},
    {METRIC_tls_handshakes, "carom_tls_handshakes_total", "{result=\"done\"}",
     "Connections by how they began with TLS: done, broken (then or later), or with plain bytes."},
    {METRIC_tls_failed, "carom_tls_handshakes_total", "{result=\"broken\"}", NULL},
    {METRIC_tls_refused, "carom_tls_handshakes_total", "{result=\"plain\"}", NULL},
    {METRIC_http_crowded, "carom_http_crowded_total", "",
     "HTTP connections that made room for others, or were not let in."},
    {METRIC_websockets_opened, "carom_websockets_opened_total", "", "WebSocket handshakes."},
    {METRIC_commands_applied, "carom_commands_applied_total", "",
     "Changes and reads that worlds carried out, those of world.apply one by one."},
    {METRIC_snapshots_sent, "carom_snapshots_sent_total", "", "Snapshots, over all subscriptions."},
    {METRIC_snapshots_encoded, "carom_snapshots_encoded_total", "",
     "Distinct snapshots: the others shared their bytes."},
    {METRIC_snapshots_skipped, "carom_snapshots_skipped_total", "",
     "Snapshots that a later one replaced for a slow reader."},
    {METRIC_snapshots_postponed, "carom_snapshots_postponed_total", "",
     "Snapshots that waited for a later tick, as this one's time for them was over."},
    {METRIC_subscriptions_overrun, "carom_subscriptions_overrun_total", "",
     "Subscriptions that ended because a snapshot did not fit a message."},
    {METRIC_subscriptions_refused, "carom_subscriptions_refused_total", "",
     "Subscriptions that ended because there was no memory for what they see."},
    {METRIC_events_lost, "carom_events_lost_total", "",
     "Events that subscribers missed: they were further behind than events_kept."},
    {METRIC_ticks, "carom_ticks_total", "", "Steps of all worlds."},
    {METRIC_contacts_full, "carom_contacts_full_total", "",
     "Steps after which a world had no room for more contacts: further pairs do not touch."},
    {METRIC_ticks_late, "carom_ticks_late_total", "",
     "Steps that began more than a tick after they were due."},
    {METRIC_turns_over, "carom_command_turns_over_total", "",
     "Ticks in which commands took their share of the time, and others had to wait."},
    {METRIC_network_turns_cut, "carom_network_turns_cut_total", "",
     "Turns of the network thread that left work for the next one."},
    {METRIC_messages_aside, "carom_messages_aside_total", "",
     "Large messages, which another thread decoded."},
    {METRIC_worlds_set_apart, "carom_worlds_set_apart_total", "",
     "Worlds that got a thread of their own, as they slowed others."},
    {METRIC_worlds_moved, "carom_worlds_moved_total", "",
     "Worlds that went to another simulation thread, as that had less to do."},
    {METRIC_worlds_created, "carom_worlds_created_total", "", "Worlds that began."},
    {METRIC_worlds_destroyed, "carom_worlds_destroyed_total", "", "Worlds that ended."},
};

// One metric is told in seconds instead, by put_counters.
_Static_assert(sizeof COUNTERS / sizeof *COUNTERS + 1 == METRIC_COUNT, "each counter has its row");

static void put_counters(buffer *out)
{
    for (size_t i = 0; i < sizeof COUNTERS / sizeof *COUNTERS; i++) {
        const counter_row *row = &COUNTERS[i];
        if (row->help != NULL) {
            put_family(out, row->family, "counter", row->help);
        }
        put(out, "%s%s %llu\n", row->family, row->labels,
            (unsigned long long)metrics_get(row->metric));
    }
    put_counter(out, "carom_slowed_seconds_total", (double)metrics_get(METRIC_skipped_us) * 1e-6,
                "Time by which overloaded worlds were slowed.");
}

// ---- calls and limits

static void put_calls(buffer *out)
{
    put_family(out, "carom_calls_total", "counter",
               "Requests and notifications by method and result.");
    for (uint32_t m = 0; m <= METHOD_COUNT; m++) {
        const char *name = m < METHOD_COUNT ? method_name((method)m) : "unknown";
        for (int s = 0; s < STATUS_COUNT; s++) {
            uint64_t count = metrics_calls(m, (status)s);
            if (count > 0 || (s == STATUS_OK && m < METHOD_COUNT)) {
                put(out, "carom_calls_total{method=\"%s\",result=\"%s\"} %llu\n", name,
                    status_code((status)s), (unsigned long long)count);
            }
        }
    }
}

static void put_limits(buffer *out)
{
    put_family(out, "carom_limit_reached_total", "counter",
               "Requests and connections that met a limit, by its name; fixed ones as other.");
    for (size_t i = 0; i <= LIMIT_COUNT; i++) {
        put(out, "carom_limit_reached_total{limit=\"%s\"} %llu\n",
            i < LIMIT_COUNT ? limits_info(i)->name : "other", (unsigned long long)metrics_limit(i));
    }
}

// ---- histograms

// `label` is "" or "world=\"demo\",".
static void put_histogram(buffer *out, const char *name, const char *label,
                          const coarse_histogram *h)
{
    uint64_t count = 0;
    size_t bare = strlen(label) > 0 ? strlen(label) - 1 : 0; // without the comma
    for (uint32_t i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        count += atomic_load_explicit(&h->buckets[i], memory_order_relaxed);
        if (i < HISTOGRAM_BOUNDS) {
            put(out, "%s_bucket{%sle=\"%.9g\"} %llu\n", name, label, coarse_histogram_bound(i),
                (unsigned long long)count);
        } else {
            put(out, "%s_bucket{%sle=\"+Inf\"} %llu\n", name, label, (unsigned long long)count);
        }
    }
    const char *open = bare > 0 ? "{" : "";
    const char *close = bare > 0 ? "}" : "";
    double sum = (double)atomic_load_explicit(&h->sum_ns, memory_order_relaxed) * 1e-9;
    put(out, "%s_sum%s%.*s%s %.9g\n", name, open, (int)bare, label, close, sum);
    put(out, "%s_count%s%.*s%s %llu\n", name, open, (int)bare, label, close,
        (unsigned long long)count);
}

// ---- worlds

static const char STEP[] = "carom_world_step_seconds";
static const char LATENESS[] = "carom_world_tick_lateness_seconds";

static void label_world(const world_metrics *m, char out[WORLD_NAME_BYTES_MAX + 16])
{
    // A name has no character that would have to be escaped.
    snprintf(out, WORLD_NAME_BYTES_MAX + 16, "world=\"%s\",", m->name);
}

static void put_step(const world_metrics *m, void *context)
{
    char label[WORLD_NAME_BYTES_MAX + 16];
    label_world(m, label);
    put_histogram(context, STEP, label, &m->step);
}

static void put_lateness(const world_metrics *m, void *context)
{
    char label[WORLD_NAME_BYTES_MAX + 16];
    label_world(m, label);
    put_histogram(context, LATENESS, label, &m->lateness);
}

static void put_bodies(const world_metrics *m, void *context)
{
    put(context, "carom_world_bodies{world=\"%s\"} %llu\n", m->name,
        (unsigned long long)atomic_load_explicit(&m->bodies, memory_order_relaxed));
}

static void put_world_memory(const world_metrics *m, void *context)
{
    put(context, "carom_world_memory_bytes{world=\"%s\"} %llu\n", m->name,
        (unsigned long long)atomic_load_explicit(&m->memory_bytes, memory_order_relaxed));
}

static void put_subscribers(const world_metrics *m, void *context)
{
    put(context, "carom_world_subscriptions{world=\"%s\"} %llu\n", m->name,
        (unsigned long long)atomic_load_explicit(&m->subscribers, memory_order_relaxed));
}

static void put_thread(const world_metrics *m, void *context)
{
    put(context, "carom_world_thread{world=\"%s\"} %llu\n", m->name,
        (unsigned long long)atomic_load_explicit(&m->thread, memory_order_relaxed));
}

static void put_worlds(buffer *out)
{
    put_family(out, STEP, "histogram", "A tick of a world: commands, step, events.");
    world_metrics_each(put_step, out);
    put_family(out, LATENESS, "histogram", "From when a tick was due to when it began.");
    world_metrics_each(put_lateness, out);
    put_family(out, "carom_world_bodies", "gauge", "Bodies of a world.");
    world_metrics_each(put_bodies, out);
    put_family(out, "carom_world_memory_bytes", "gauge",
               "Memory of a world: bodies, contacts, what steps and snapshots work with.");
    world_metrics_each(put_world_memory, out);
    put_family(out, "carom_world_subscriptions", "gauge", "Subscriptions to a world.");
    world_metrics_each(put_subscribers, out);
    put_family(out, "carom_world_thread", "gauge",
               "The simulation thread that a world runs on; from --threads on, one of its own.");
    world_metrics_each(put_thread, out);
}

// ---- the server now

static void put_server(const server *s, buffer *out)
{
    http_figures http = s->http != NULL ? http_read_figures(s->http) : (http_figures){0, 0};
    put_family(out, "carom_build_info", "gauge",
               "Version of the server and behaviour of its engine.");
    put(out, "carom_build_info{version=\"%s\",engine=\"%d\"} 1\n", CAROM_VERSION, ENGINE_BEHAVIOUR);
    put_family(out, "carom_connections", "gauge",
               "Open connections; those of http are no WebSockets.");
    put(out, "carom_connections{transport=\"tcp\"} %u\n", s->session_count - http.websockets);
    put(out, "carom_connections{transport=\"websocket\"} %u\n", http.websockets);
    put(out, "carom_connections{transport=\"http\"} %u\n", http.others);
    put_family(out, "carom_sessions", "gauge",
               "Sessions with a connection, and those that wait for one.");
    put(out, "carom_sessions{state=\"connected\"} %u\n", s->session_count);
    put(out, "carom_sessions{state=\"detached\"} %u\n", s->detached.count);
    put_gauge(out, "carom_worlds", s->worlds.by_name.count, "Worlds that have a name.");
    put_gauge(out, "carom_worlds_not_served", directory_broken(&s->worlds),
              "Of those: set aside, or not restored.");
    put_gauge(out, "carom_command_queue_bytes", (double)s->command_bytes,
              "Bytes of requests that are not answered yet.");
    put_gauge(out, "carom_leaving", s->leaving || s->draining ? 1 : 0,
              "1 while the server takes no new sessions.");
}

static void put_memory(buffer *out)
{
    put_family(out, "carom_memory_bytes", "gauge", "Memory that is accounted for, by its use.");
    for (int use = 0; use < MEMORY_USES; use++) {
        put(out, "carom_memory_bytes{use=\"%s\"} %llu\n", memory_use_name((memory_use)use),
            (unsigned long long)memory_of((memory_use)use));
    }
    put_gauge(out, "carom_memory_used_bytes", (double)memory_used(),
              "Memory in use, as --memory bounds it.");
    put_gauge(out, "carom_memory_bound_bytes", (double)memory_bound(),
              "The bound of --memory; 0: none.");
}

static void put_storage(const server *s, buffer *out)
{
    if (s->storage == NULL) {
        return;
    }
    storage_figures f = storage_read_figures(s->storage);
    put_counter(out, "carom_storage_commits_total", (double)f.groups,
                "Writes to the log, each of all records that waited.");
    put_counter(out, "carom_storage_records_total", (double)f.records, "Records written.");
    put_counter(out, "carom_storage_written_bytes_total", (double)f.bytes, "Bytes of the log.");
    put_counter(out, "carom_storage_syncs_total", (double)f.syncs, "Syncs to the disk.");
    put_counter(out, "carom_storage_images_total", (double)f.images, "Images of worlds written.");
    put_counter(out, "carom_storage_failures_total", (double)f.failures,
                "Writes and syncs that failed.");
    put_gauge(out, "carom_storage_queue_bytes", (double)f.queue_bytes, "Records that wait.");
    put_gauge(out, "carom_storage_log_bytes", (double)f.log_bytes, "The log on the disk.");
    put_gauge(out, "carom_storage_segments", (double)f.segments, "Files of the log.");
}

// ---- the process, by the names of Prometheus' own libraries

static void put_process(const server *s, buffer *out)
{
    struct rusage used;
    struct rlimit files;
    double started = clock_wall_s() - (double)(clock_now_ns() - s->started_ns) * 1e-9;
    if (getrusage(RUSAGE_SELF, &used) == 0) {
        double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
        put_counter(out, "process_cpu_seconds_total", seconds, "Processor time, user and system.");
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        put_gauge(out, "process_max_fds", (double)files.rlim_cur, "Descriptors that may be open.");
    }
    put_gauge(out, "process_resident_memory_bytes", (double)metrics_memory_bytes(),
              "Memory in use.");
    put_gauge(out, "process_start_time_seconds", floor(started),
              "When the server began, since 1970.");
}

void scrape_write(void *context, buffer *out)
{
    const server *s = context;
    put_server(s, out);
    put_counters(out);
    put_calls(out);
    put_limits(out);
    put_family(out, "carom_command_duration_seconds", "histogram",
               "From the last byte of a command to its answer on the way out.");
    put_histogram(out, "carom_command_duration_seconds", "", metrics_histogram(TIMING_COMMAND));
    put_family(out, "carom_network_turn_seconds", "histogram",
               "A turn of the network thread, from an event to when it waits for the next.");
    put_histogram(out, "carom_network_turn_seconds", "", metrics_histogram(TIMING_TURN));
    put_family(out, "carom_snapshot_build_seconds", "histogram", "The snapshots of one tick.");
    put_histogram(out, "carom_snapshot_build_seconds", "", metrics_histogram(TIMING_SNAPSHOT));
    put_worlds(out);
    put_memory(out);
    put_storage(s, out);
    put_process(s, out);
}
