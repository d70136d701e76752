// See report.h.
#include "client/cli/load/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "client/cli/table.h"
#include "client/cli/text.h"

enum { TEXT_BYTES = 32 };

const double report_shares[REPORT_SHARES] = {50.0, 90.0, 95.0, 99.0, 99.9, 100.0};
const char *const report_share_names[REPORT_SHARES] = {"p50", "p90", "p95", "p99", "p99.9", "max"};

static const char *const explained[LOAD_METRIC_COUNT] = {
    [LOAD_ACK] = "command, from when it was due to its answer",
    [LOAD_WAIT] = "of it: the wait for the tick that applied it, at most a tick",
    [LOAD_ABOVE] = "of it: the rest",
    [LOAD_SENT] = "command, from when it was sent to its answer",
    [LOAD_SEEN] = "command, from when it was due to the first snapshot that shows it",
    [LOAD_QUERY] = "query, from when it was due to its answer",
    [LOAD_AGE] = "snapshot, behind the earliest arrival of its tick, and half a ping",
    [LOAD_JITTER] = "snapshot, how far off its time between two",
    [LOAD_RTT] = "ping",
    [LOAD_CONNECT] = "connecting, to the answer to hello",
};

const char *report_explain(load_metric metric)
{
    return explained[metric];
}

// ---- for people

static void add_seconds(table *t, double seconds)
{
    char text[TEXT_BYTES];
    text_from_seconds(seconds, text, sizeof text);
    table_text(t, text);
}

static bool print_latencies(const load_result *r)
{
    static const char *const heads[] = {"LATENCY", ">P50", ">P90",  ">P95",   ">P99",
                                        ">P99.9",  ">MAX", ">MEAN", ">COUNT", "FROM WHAT"};
    table t;
    table_init(&t, 10, heads);
    for (int m = 0; m < LOAD_METRIC_COUNT; m++) {
        const histogram *h = &r->tally->metrics[m];
        if (h->total == 0) {
            continue;
        }
        table_text(&t, load_metric_names[m]);
        for (int i = 0; i < REPORT_SHARES; i++) {
            add_seconds(&t, (double)histogram_percentile(h, report_shares[i]) * 1e-9);
        }
        add_seconds(&t, histogram_mean(h) * 1e-9);
        table_format(&t, "%" PRIu64, h->total);
        table_text(&t, explained[m]);
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole;
}

static void add_count(table *t, const char *name, uint64_t count, double seconds)
{
    table_text(t, name);
    table_format(t, "%" PRIu64, count);
    table_format(t, "%.1f", (double)count / seconds);
    table_text(t, "");
}

static void add_bytes(table *t, const char *name, uint64_t count, const load_result *r)
{
    char text[TEXT_BYTES];
    table_text(t, name);
    text_from_bytes((double)count, text, sizeof text);
    table_text(t, text);
    text_from_bytes((double)count / r->seconds, text, sizeof text);
    table_text(t, text);
    double clients = r->tally->client_seconds;
    text_from_bytes(clients > 0.0 ? (double)count / clients : 0.0, text, sizeof text);
    table_text(t, text);
}

static bool print_counts(const load_result *r)
{
    static const char *const heads[] = {"COUNT", ">TOTAL", ">A SECOND", ">A SECOND AND CLIENT"};
    const load_tally *tally = r->tally;
    table t;
    table_init(&t, 4, heads);
    add_count(&t, "commands answered", tally->answered, r->seconds);
    add_count(&t, "snapshots", tally->snapshots, r->seconds);
    add_count(&t, "snapshots skipped", tally->skipped, r->seconds);
    add_count(&t, "events", tally->events, r->seconds);
    add_bytes(&t, "bytes in", tally->bytes_in, r);
    add_bytes(&t, "bytes out", tally->bytes_out, r);
    add_count(&t, "errors", load_tally_errors(tally), r->seconds);
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole;
}

static void print_errors(const load_tally *tally)
{
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        if (tally->errors[i] > 0) {
            (void)printf("%" PRIu64 " commands ended with %s\n", tally->errors[i],
                         carom_status_name((carom_status)i));
        }
    }
    if (tally->unanswered > 0) {
        (void)printf("%" PRIu64 " commands were not answered in the end\n", tally->unanswered);
    }
    if (tally->unsent > 0) {
        (void)printf("%" PRIu64 " commands were due and not sent: too many were on their way\n",
                     tally->unsent);
    }
    if (tally->refused > 0) {
        (void)printf("%" PRIu64 " clients could not connect: %s\n", tally->refused,
                     tally->lost_reason);
    }
    if (tally->lost > 0) {
        (void)printf("%" PRIu64 " connections were lost: %s\n", tally->lost, tally->lost_reason);
    }
}

static void print_four(const char *name, const double values[4])
{
    static const char *const names[] = {"p50", "p90", "p99", "max"};
    (void)printf("%s", name);
    for (int i = 0; i < 4; i++) {
        char text[TEXT_BYTES];
        text_from_seconds(values[i], text, sizeof text);
        (void)printf(" %s %s", names[i], text);
    }
}

static void print_server(const load_server *s)
{
    char mean[TEXT_BYTES];
    char most[TEXT_BYTES];
    char up[TEXT_BYTES];
    text_from_seconds(s->step_mean, mean, sizeof mean);
    text_from_seconds(s->step_max, most, sizeof most);
    text_from_duration(s->uptime, up, sizeof up);
    (void)printf("\nserver: %" PRIu64 " ticks, %" PRIu64
                 " begun more than a tick late, at least %.1f %% of their rate; step %s, in the "
                 "worst second %s\n",
                 s->ticks, s->ticks_late, 100.0 * s->rate_share, mean, most);
    print_four("since it started ", s->delay);
    (void)printf(" behind their time,");
    print_four(" step", s->step);
    (void)printf(" (%s ago)\n", up);
}

static void print_correction(const load_result *r)
{
    char text[TEXT_BYTES];
    if (r->interval == 0) {
        (void)printf("\nack, above, seen and query run from when a command was due, also while the "
                     "server stalled; sent does not.\n");
        return;
    }
    text_from_seconds((double)r->interval * 1e-9, text, sizeof text);
    (void)printf("\nack has the commands that would have been sent every %s (its p50) while the "
                 "server stalled; sent does not.\n",
                 text);
}

static void print_head(const load_plan *plan, const load_result *r)
{
    (void)printf("%u connections to '%s'", r->clients, plan->worlds[0]);
    if (plan->world_count > 1) {
        (void)printf(" and %u more worlds", plan->world_count - 1);
    }
    (void)printf(" for %.1f s", r->seconds);
    if (plan->behaviour_count == 1 && plan->behaviours[0].action_count > 0) {
        const load_behaviour *one = &plan->behaviours[0];
        if (one->rate > 0.0) {
            (void)printf(", %g commands a second each\n", one->rate);
        } else {
            (void)printf(", %u commands in flight each\n", plan->window);
        }
        return;
    }
    double sum = 0.0;
    for (size_t i = 0; i < plan->behaviour_count; i++) {
        sum += plan->behaviours[i].weight;
    }
    for (size_t i = 0; i < plan->behaviour_count; i++) {
        (void)printf("%s%s %.3g %%", i == 0 ? ": " : ", ", plan->behaviours[i].name,
                     100.0 * plan->behaviours[i].weight / sum);
    }
    (void)printf("\n");
}

cli_exit report_print(const load_plan *plan, const load_result *r)
{
    print_head(plan, r);
    bool whole = print_counts(r);
    (void)printf("\n");
    whole = print_latencies(r) && whole;
    print_correction(r);
    print_server(&r->server);
    print_errors(r->tally);
    return whole ? CLI_OK : cli_out_of_memory();
}

// ---- for programs

static carom_value *latency_value(const histogram *h)
{
    carom_value *out = carom_set(carom_map(), "count", carom_uint(h->total));
    for (int i = 0; i < REPORT_SHARES; i++) {
        carom_set(out, report_share_names[i],
                  carom_real((double)histogram_percentile(h, report_shares[i]) * 1e-9));
    }
    return carom_set(out, "mean", carom_real(histogram_mean(h) * 1e-9));
}

static carom_value *error_value(const load_tally *tally)
{
    carom_value *errors = carom_map();
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        if (tally->errors[i] > 0) {
            carom_set(errors, carom_status_name((carom_status)i), carom_uint(tally->errors[i]));
        }
    }
    if (tally->unanswered > 0) {
        carom_set(errors, "unanswered", carom_uint(tally->unanswered));
    }
    if (tally->unsent > 0) {
        carom_set(errors, "unsent", carom_uint(tally->unsent));
    }
    return errors;
}

static carom_value *four_value(const double values[4])
{
    static const char *const names[] = {"p50", "p90", "p99", "max"};
    carom_value *out = carom_map();
    for (int i = 0; i < 4; i++) {
        carom_set(out, names[i], carom_real(values[i]));
    }
    return out;
}

static carom_value *server_value(const load_server *s)
{
    carom_value *out = carom_set(carom_map(), "ticks", carom_uint(s->ticks));
    carom_set(out, "ticks_late", carom_uint(s->ticks_late));
    carom_set(out, "rate_share", carom_real(s->rate_share));
    carom_set(out, "step_mean", carom_real(s->step_mean));
    carom_set(out, "step_worst_second", carom_real(s->step_max));
    carom_set(out, "bodies", carom_uint(s->bodies));
    carom_value *all = carom_set(carom_map(), "uptime", carom_real(s->uptime));
    carom_set(all, "step", four_value(s->step));
    carom_set(all, "delay", four_value(s->delay));
    return carom_set(out, "since_start", all);
}

static void set_slice_latency(carom_value *row, const load_slice *slice, load_metric metric)
{
    static const double shares[] = {50.0, 99.0};
    static const char *const names[] = {"p50", "p99"};
    if (load_slice_total(slice, metric) == 0) {
        return;
    }
    carom_value *out = carom_map();
    for (int i = 0; i < 2; i++) {
        uint64_t ns = load_slice_percentile(slice, metric, shares[i]);
        carom_set(out, names[i], carom_real((double)ns * 1e-9));
    }
    carom_set(row, load_metric_names[metric], out);
}

static carom_value *slice_value(const load_result *r, size_t index)
{
    const load_slice *slice = &r->tally->slices[index];
    const load_sample *sample = &r->server.slices[index];
    double from = (double)index * r->tally->slice_seconds;
    carom_value *row = carom_set(carom_map(), "from", carom_real(from));
    carom_set(row, "clients", carom_uint(slice->clients));
    carom_set(row, "sent", carom_uint(slice->sent));
    carom_set(row, "answered", carom_uint(slice->answered));
    carom_set(row, "errors", carom_uint(slice->errors));
    carom_set(row, "snapshots", carom_uint(slice->snapshots));
    carom_set(row, "bytes_in", carom_uint(slice->bytes_in));
    carom_set(row, "bytes_out", carom_uint(slice->bytes_out));
    set_slice_latency(row, slice, LOAD_ACK);
    set_slice_latency(row, slice, LOAD_SEEN);
    set_slice_latency(row, slice, LOAD_AGE);
    if (sample->there) {
        carom_set(row, "step", carom_real(sample->step_s));
        carom_set(row, "rate_share", carom_real(sample->rate_share));
        carom_set(row, "ticks_late", carom_uint(sample->ticks_late));
    }
    return row;
}

static carom_value *time_value(const load_result *r)
{
    carom_value *rows = carom_array();
    size_t count = load_tally_slice_count(r->tally, r->seconds);
    for (size_t i = 0; i < count; i++) {
        carom_push(rows, slice_value(r, i));
    }
    carom_value *out = carom_set(carom_map(), "slice_seconds", carom_real(r->tally->slice_seconds));
    return carom_set(out, "slices", rows);
}

static void set_traffic(carom_value *v, const load_result *r)
{
    const load_tally *tally = r->tally;
    double clients = tally->client_seconds > 0.0 ? tally->client_seconds : 1.0;
    carom_set(v, "snapshots", carom_uint(tally->snapshots));
    carom_set(v, "snapshots_per_second", carom_real((double)tally->snapshots / r->seconds));
    carom_set(v, "snapshots_skipped", carom_uint(tally->skipped));
    carom_set(v, "events", carom_uint(tally->events));
    carom_set(v, "bytes_in", carom_uint(tally->bytes_in));
    carom_set(v, "bytes_out", carom_uint(tally->bytes_out));
    carom_set(v, "bytes_in_per_client_second", carom_real((double)tally->bytes_in / clients));
    carom_set(v, "bytes_out_per_client_second", carom_real((double)tally->bytes_out / clients));
}

carom_value *report_value(const load_plan *plan, const load_result *r)
{
    const load_tally *tally = r->tally;
    carom_value *metrics = carom_map();
    for (int m = 0; m < LOAD_METRIC_COUNT; m++) {
        if (tally->metrics[m].total > 0) {
            carom_set(metrics, load_metric_names[m], latency_value(&tally->metrics[m]));
        }
    }
    carom_value *v = carom_set(carom_map(), "world", carom_str(plan->worlds[0]));
    carom_set(v, "worlds", carom_uint(plan->world_count));
    carom_set(v, "connections", carom_uint(r->clients));
    carom_set(v, "seconds", carom_real(r->seconds));
    carom_set(v, "commands_sent", carom_uint(tally->sent));
    carom_set(v, "commands", carom_uint(tally->answered));
    carom_set(v, "commands_per_second", carom_real((double)tally->answered / r->seconds));
    set_traffic(v, r);
    carom_set(v, "latency", latency_value(&tally->metrics[LOAD_ACK]));
    carom_set(v, "metrics", metrics);
    carom_set(v, "correction", carom_str(r->interval == 0 ? "due" : "interval"));
    carom_set(v, "correction_interval", carom_real((double)r->interval * 1e-9));
    carom_set(v, "server", server_value(&r->server));
    carom_set(v, "errors", error_value(tally));
    carom_set(v, "refused", carom_uint(tally->refused));
    carom_set(v, "lost", carom_uint(tally->lost));
    return carom_set(v, "time", time_value(r));
}
