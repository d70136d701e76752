// The text of /metrics, in Prometheus' format 0.0.4. Network thread only.
//
// Names are carom_SUBJECT_UNIT, in base units; a counter ends in _total. Figures that Prometheus'
// own libraries give of a process have their names (process_...). Labels have few values: methods,
// results, limits, reasons, and worlds, of which there are as many as limits.worlds.
// proto/schema/metrics.toml describes the families; here are their values.
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
#include "server/fleet/agones.h"
#include "server/fleet/fleet.h"
#include "server/session/pair/pairs.h"
#include "server/session/calls/scrape.h"
#include "server/session/relay/upstreams.h"
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

// ---- families

typedef enum family {
#define FAMILY_ID(id, name, type, help) FAMILY_##id,
    FAMILIES_TABLE(FAMILY_ID)
#undef FAMILY_ID
        FAMILY_COUNT
} family;

static const struct {
    const char *name, *type, *help;
} FAMILIES[FAMILY_COUNT] = {
#define FAMILY_ROW(id, name, type, help) {name, type, help},
    FAMILIES_TABLE(FAMILY_ROW)
#undef FAMILY_ROW
};

static void put_family(buffer *out, family f)
{
    put(out, "# HELP %s %s\n# TYPE %s %s\n", FAMILIES[f].name, FAMILIES[f].help, FAMILIES[f].name,
        FAMILIES[f].type);
}

// A row of a family; `labels` is "{...}" or "".
static void put_row(buffer *out, family f, const char *labels, double value)
{
    put(out, "%s%s %.17g\n", FAMILIES[f].name, labels, value);
}

// Writes a family of one row.
static void put_value(buffer *out, family f, double value)
{
    put_family(out, f);
    put_row(out, f, "", value);
}

// ---- counters of the process

static const struct {
    family family;
    const char *labels; // "{...}" or ""
    double scale;       // factor to the family's unit
} COUNTERS[METRIC_COUNT] = {
#define COUNTER_ROW(name, family, labels, scale) {FAMILY_##family, labels, scale},
    METRICS_TABLE(COUNTER_ROW)
#undef COUNTER_ROW
};

static void put_counters_of(buffer *out, family f)
{
    bool begun = false;
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (COUNTERS[m].family == f) {
            if (!begun) {
                put_family(out, f);
            }
            begun = true;
            put_row(out, f, COUNTERS[m].labels, (double)metrics_get((metric)m) * COUNTERS[m].scale);
        }
    }
}

static void put_counters(buffer *out)
{
    for (int f = 0; f < FAMILY_COUNT; f++) {
        put_counters_of(out, (family)f);
    }
}

// ---- calls and limits

static void put_calls(buffer *out)
{
    put_family(out, FAMILY_CALLS_TOTAL);
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
    put_family(out, FAMILY_LIMIT_REACHED_TOTAL);
    for (size_t i = 0; i <= LIMIT_COUNT; i++) {
        put(out, "carom_limit_reached_total{limit=\"%s\"} %llu\n",
            i < LIMIT_COUNT ? limits_info(i)->name : "other", (unsigned long long)metrics_limit(i));
    }
}

// ---- histograms

enum { BOUND_TEXT_MAX = 16, NUMBER_TEXT_MAX = 24 };

// The bounds as texts: "0.001", …, "+Inf".
static const char *bound_text(uint32_t index)
{
    static char texts[HISTOGRAM_BOUNDS + 1][BOUND_TEXT_MAX];
    char *text = texts[index];
    if (*text == '\0' && index < HISTOGRAM_BOUNDS) {
        snprintf(text, BOUND_TEXT_MAX, "%.9g", coarse_histogram_bound(index));
    } else if (*text == '\0') {
        snprintf(text, BOUND_TEXT_MAX, "+Inf");
    }
    return text;
}

static void put_text(buffer *out, const char *text)
{
    buffer_append(out, text, strlen(text));
}

static void put_number(buffer *out, uint64_t value)
{
    char digits[NUMBER_TEXT_MAX];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    buffer_append(out, digits + at, sizeof digits - at);
}

// Writes a row without printf: a server of 256 worlds has ten thousand of these rows.
static void put_bucket(buffer *out, const char *name, const char *label, uint32_t bound,
                       uint64_t count)
{
    put_text(out, name);
    put_text(out, "_bucket{");
    put_text(out, label);
    put_text(out, "le=\"");
    put_text(out, bound_text(bound));
    put_text(out, "\"} ");
    put_number(out, count);
    put_text(out, "\n");
}

// `label` is "" or "world=\"demo\",".
static void put_histogram(buffer *out, family f, const char *label, const coarse_histogram *h)
{
    const char *name = FAMILIES[f].name;
    uint64_t count = 0;
    size_t bare = strlen(label) > 0 ? strlen(label) - 1 : 0; // without the comma
    for (uint32_t i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        count += atomic_load_explicit(&h->buckets[i], memory_order_relaxed);
        put_bucket(out, name, label, i, count);
    }
    const char *open = bare > 0 ? "{" : "";
    const char *close = bare > 0 ? "}" : "";
    double sum = (double)atomic_load_explicit(&h->sum_ns, memory_order_relaxed) * 1e-9;
    put(out, "%s_sum%s%.*s%s %.9g\n", name, open, (int)bare, label, close, sum);
    put(out, "%s_count%s%.*s%s %llu\n", name, open, (int)bare, label, close,
        (unsigned long long)count);
}

// ---- worlds

static void label_world(const world_metrics *m, char out[WORLD_NAME_BYTES_MAX + 16])
{
    // A name has no characters that need escaping.
    snprintf(out, WORLD_NAME_BYTES_MAX + 16, "world=\"%s\",", m->name);
}

static void put_step(const world_metrics *m, void *context)
{
    char label[WORLD_NAME_BYTES_MAX + 16];
    label_world(m, label);
    put_histogram(context, FAMILY_WORLD_STEP_SECONDS, label, &m->step);
}

static void put_lateness(const world_metrics *m, void *context)
{
    char label[WORLD_NAME_BYTES_MAX + 16];
    label_world(m, label);
    put_histogram(context, FAMILY_WORLD_TICK_LATENESS_SECONDS, label, &m->lateness);
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

static void put_data(const world_metrics *m, void *context)
{
    put(context, "carom_world_data_bytes{world=\"%s\"} %llu\n", m->name,
        (unsigned long long)atomic_load_explicit(&m->data_bytes, memory_order_relaxed));
}

static void put_seats(const world_metrics *m, void *context)
{
    const uint64_t seats = atomic_load_explicit(&m->seats, memory_order_relaxed);
    if (seats > 0) {
        put(context, "carom_world_seats{world=\"%s\"} %llu\n", m->name, (unsigned long long)seats);
    }
}

static void put_seats_taken(const world_metrics *m, void *context)
{
    if (atomic_load_explicit(&m->seats, memory_order_relaxed) > 0) {
        put(context, "carom_world_seats_taken{world=\"%s\"} %llu\n", m->name,
            (unsigned long long)atomic_load_explicit(&m->seats_taken, memory_order_relaxed));
    }
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
    put_family(out, FAMILY_WORLD_STEP_SECONDS);
    world_metrics_each(put_step, out);
    put_family(out, FAMILY_WORLD_TICK_LATENESS_SECONDS);
    world_metrics_each(put_lateness, out);
    put_family(out, FAMILY_WORLD_BODIES);
    world_metrics_each(put_bodies, out);
    put_family(out, FAMILY_WORLD_MEMORY_BYTES);
    world_metrics_each(put_world_memory, out);
    put_family(out, FAMILY_WORLD_DATA_BYTES);
    world_metrics_each(put_data, out);
    put_family(out, FAMILY_WORLD_SEATS);
    world_metrics_each(put_seats, out);
    put_family(out, FAMILY_WORLD_SEATS_TAKEN);
    world_metrics_each(put_seats_taken, out);
    put_family(out, FAMILY_WORLD_SUBSCRIPTIONS);
    world_metrics_each(put_subscribers, out);
    put_family(out, FAMILY_WORLD_THREAD);
    world_metrics_each(put_thread, out);
}

// ---- the server now

static void put_agones(const server *s, buffer *out)
{
    const struct agones *a = s->options->agones;
    const agones_figures f = a != NULL ? agones_read_figures(a) : (agones_figures){0};
    put_family(out, FAMILY_AGONES_REQUESTS_TOTAL);
    put_row(out, FAMILY_AGONES_REQUESTS_TOTAL, "{result=\"accepted\"}", (double)f.accepted);
    put_row(out, FAMILY_AGONES_REQUESTS_TOTAL, "{result=\"refused\"}", (double)f.refused);
    put_row(out, FAMILY_AGONES_REQUESTS_TOTAL, "{result=\"unanswered\"}", (double)f.unanswered);
    put_value(out, FAMILY_AGONES_UNANSWERED, f.away ? 1 : 0);
}

static void put_server(const server *s, buffer *out)
{
    http_figures http = s->http != NULL ? http_read_figures(s->http) : (http_figures){0, 0};
    put_family(out, FAMILY_BUILD_INFO);
    put(out, "carom_build_info{version=\"%s\",engine=\"%d\"} 1\n", CAROM_VERSION, ENGINE_BEHAVIOUR);
    put_family(out, FAMILY_CONNECTIONS);
    put(out, "carom_connections{transport=\"tcp\"} %u\n", s->session_count - http.websockets);
    put(out, "carom_connections{transport=\"websocket\"} %u\n", http.websockets);
    put(out, "carom_connections{transport=\"http\"} %u\n", http.others);
    put_family(out, FAMILY_SESSIONS);
    put(out, "carom_sessions{state=\"connected\"} %u\n", s->session_count);
    put(out, "carom_sessions{state=\"detached\"} %u\n", s->detached.count);
    put_value(out, FAMILY_WORLDS, s->worlds.by_name.count);
    put_value(out, FAMILY_WORLDS_NOT_SERVED, directory_broken(&s->worlds));
    const struct fleet *f = s->options->fleet;
    put_value(out, FAMILY_FLEET_NODES, f != NULL ? fleet_node_count(f) : 0);
    put_value(out, FAMILY_FLEET_WORLDS, f != NULL ? fleet_world_count(f) : 0);
    const pair_lag lag = pairs_lag_of_all(s);
    put_value(out, FAMILY_FLEET_STANDBYS, lag.worlds);
    put_value(out, FAMILY_FLEET_FOLLOWED, pairs_followed(s));
    put_value(out, FAMILY_FLEET_STANDBY_LAG_SECONDS, lag.seconds);
    put_value(out, FAMILY_FLEET_STANDBY_LAG_BYTES, (double)lag.bytes);
    put_value(out, FAMILY_FLEET_STORE_UNANSWERED,
              f != NULL && *fleet_store_error(f) != '\0' ? 1 : 0);
    put_agones(s, out);
    put_value(out, FAMILY_RELAY_WORLDS, upstreams_world_count(s));
    put_value(out, FAMILY_RELAY_UPSTREAMS, s->options->relay.count);
    put_value(out, FAMILY_RELAY_CONNECTED, upstreams_connected(s));
    put_value(out, FAMILY_COMMAND_QUEUE_BYTES, (double)s->command_bytes);
    put_value(out, FAMILY_LEAVING, s->stage != SERVER_SERVING ? 1 : 0);
}

static void put_memory(buffer *out)
{
    put_family(out, FAMILY_MEMORY_BYTES);
    for (int use = 0; use < MEMORY_USES; use++) {
        put(out, "carom_memory_bytes{use=\"%s\"} %llu\n", memory_use_name((memory_use)use),
            (unsigned long long)memory_of((memory_use)use));
    }
    put_value(out, FAMILY_MEMORY_USED_BYTES, (double)memory_used());
    put_value(out, FAMILY_MEMORY_BOUND_BYTES, (double)memory_bound());
}

static void put_storage(const server *s, buffer *out)
{
    if (s->storage == NULL) {
        return;
    }
    storage_figures f = storage_read_figures(s->storage);
    put_value(out, FAMILY_STORAGE_COMMITS_TOTAL, (double)f.groups);
    put_value(out, FAMILY_STORAGE_RECORDS_TOTAL, (double)f.records);
    put_value(out, FAMILY_STORAGE_WRITTEN_BYTES_TOTAL, (double)f.bytes);
    put_value(out, FAMILY_STORAGE_SYNCS_TOTAL, (double)f.syncs);
    put_value(out, FAMILY_STORAGE_IMAGES_TOTAL, (double)f.images);
    put_value(out, FAMILY_STORAGE_FAILURES_TOTAL, (double)f.failures);
    put_value(out, FAMILY_STORAGE_QUEUE_BYTES, (double)f.queue_bytes);
    put_value(out, FAMILY_STORAGE_LOG_BYTES, (double)f.log_bytes);
    put_value(out, FAMILY_STORAGE_SEGMENTS, (double)f.segments);
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
        put_value(out, FAMILY_PROCESS_CPU_SECONDS_TOTAL, seconds);
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        put_value(out, FAMILY_PROCESS_MAX_FDS, (double)files.rlim_cur);
    }
    put_value(out, FAMILY_PROCESS_RESIDENT_MEMORY_BYTES, (double)metrics_memory_bytes());
    put_value(out, FAMILY_PROCESS_START_TIME_SECONDS, floor(started));
}

void scrape_write(void *context, buffer *out)
{
    const server *s = context;
    put_server(s, out);
    put_counters(out);
    put_calls(out);
    put_limits(out);
    put_family(out, FAMILY_COMMAND_DURATION_SECONDS);
    put_histogram(out, FAMILY_COMMAND_DURATION_SECONDS, "", metrics_histogram(TIMING_COMMAND));
    put_family(out, FAMILY_NETWORK_TURN_SECONDS);
    put_histogram(out, FAMILY_NETWORK_TURN_SECONDS, "", metrics_histogram(TIMING_TURN));
    put_family(out, FAMILY_SNAPSHOT_BUILD_SECONDS);
    put_histogram(out, FAMILY_SNAPSHOT_BUILD_SECONDS, "", metrics_histogram(TIMING_SNAPSHOT));
    put_worlds(out);
    put_memory(out);
    put_storage(s, out);
    put_process(s, out);
}
