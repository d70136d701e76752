// The report of a load as tables for people; see report.h.
#include "client/load/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "client/tool/relay/distance_options.h"
#include "client/tool/table.h"
#include "common/args/text.h"

enum { TEXT_BYTES = 32 };

static const char *const explained[LOAD_METRIC_COUNT] = {
    [LOAD_ACK] = "command, from when it was due to its answer",
    [LOAD_WAIT] = "of it: the wait for the tick that applied it, at most a tick",
    [LOAD_ABOVE] = "of it: the rest",
    [LOAD_SENT] = "command, from when it was sent to its answer",
    [LOAD_SEEN] = "command, from when it was due to the first snapshot that shows it",
    [LOAD_QUERY] = "query, from when it was due to its answer",
    [LOAD_AGE] = "snapshot, delay behind the earliest arrival of its tick, plus half a ping",
    [LOAD_JITTER] = "snapshot, difference between its interval and the expected one",
    [LOAD_RTT] = "ping",
    [LOAD_CONNECT] = "connecting, to the answer to hello",
    [LOAD_LAG] = "this program: how late it notices an event, sampled 1000 times a second",
};

const char *report_explain(load_metric metric)
{
    return explained[metric];
}

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
    add_count(&t, "events lost", tally->events_lost, r->seconds);
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
            cli_print_line("%llu %s ended with %s, the first: %s",
                           TEXT_COUNTED(tally->errors[i], "command", "commands"),
                           carom_status_name((carom_status)i), tally->error_text[i]);
        }
    }
    if (tally->unanswered > 0) {
        (void)printf("%llu %s not answered in the end\n",
                     TEXT_COUNTED(tally->unanswered, "command was", "commands were"));
    }
    if (tally->unsent > 0) {
        (void)printf("%llu %s due and not sent: too many were on their way\n",
                     TEXT_COUNTED(tally->unsent, "command was", "commands were"));
    }
    if (tally->refused > 0) {
        cli_print_line("%llu %s could not connect: %s",
                       TEXT_COUNTED(tally->refused, "client", "clients"), tally->lost_reason);
    }
    if (tally->lost > 0) {
        cli_print_line("%llu %s lost: %s",
                       TEXT_COUNTED(tally->lost, "connection was", "connections were"),
                       tally->lost_reason);
    }
}

// Connections that were dialed again, as after the end of a server of a fleet.
static void print_dropped(const load_tally *tally)
{
    if (tally->dropped > 0) {
        (void)printf(
            "%llu %s and dialed again, %llu resumed\n",
            TEXT_COUNTED(tally->dropped, "connection was dropped", "connections were dropped"),
            (unsigned long long)tally->resumed);
    }
}

static void print_timing(const char *name, const timing *times)
{
    (void)printf("  %s:", name);
    for (int i = 0; times->count > 0 && i < TIMING_SHARES; i++) {
        char text[TEXT_BYTES];
        if (!isnan(times->shares[i])) {
            text_from_seconds(times->shares[i], text, sizeof text);
            (void)printf(" %s %s", report_share_names[i], text);
        }
    }
    (void)printf("%s\n", times->count == 0 ? " not known" : "");
}

static void print_server(const load_server *s)
{
    char mean[TEXT_BYTES];
    char most[TEXT_BYTES];
    char up[TEXT_BYTES];
    text_from_seconds(s->step_mean, mean, sizeof mean);
    text_from_seconds(s->step_max, most, sizeof most);
    text_from_duration(s->uptime, up, sizeof up);
    (void)printf("\nserver: %llu %s, %" PRIu64
                 " begun more than a tick late, at least %.1f %% of their rate; step %s, in the "
                 "worst second %s\n",
                 TEXT_COUNTED(s->ticks, "tick", "ticks"), s->ticks_late, 100.0 * s->rate_share,
                 mean, most);
    if (!s->of_run) {
        (void)printf("  since it started, %s ago:\n", up);
    }
    print_timing("ticks behind their time", &s->delay);
    print_timing("step", &s->step);
}

static void print_correction(const load_result *r)
{
    char text[TEXT_BYTES];
    if (r->pace <= 0.0) {
        (void)printf("\nack, above, seen and query run from when a command was due, also while the "
                     "server stalled; sent does not.\n");
        return;
    }
    text_from_seconds(r->pace, text, sizeof text);
    (void)printf("\nack, above, seen and query have the commands that would have been sent every "
                 "%s (the usual pace) while the server stalled; sent does not.\n",
                 text);
}

static void print_own(const load_result *r)
{
    char lag[TEXT_BYTES];
    const load_own *own = &r->own;
    text_from_seconds((double)histogram_percentile(&r->tally->metrics[LOAD_LAG], 99.0) * 1e-9, lag,
                      sizeof lag);
    (void)printf("\nthis program: its busiest thread ran %.0f %% of the time",
                 100.0 * own->processor);
    if (own->known) {
        (void)printf(" and waited for a processor %.1f %% of it", 100.0 * own->waited);
    }
    (void)printf("; its lag was at most %s in 99 of 100 samples\n", lag);
    if (own->short_of_processor) {
        (void)printf("WARNING: it was short of processor time, so that its own delay is in the "
                     "latencies: use more --threads, fewer clients or another machine\n");
    }
}

static void print_head(const load_plan *plan, const load_result *r)
{
    (void)printf("%llu %s to '%s'", TEXT_COUNTED(r->clients, "connection", "connections"),
                 plan->worlds[0]);
    if (plan->world_count > 1) {
        (void)printf(" and %llu more %s", TEXT_COUNTED(plan->world_count - 1, "world", "worlds"));
    }
    (void)printf(" for %.1f s", r->seconds);
    if (plan->behaviour_count == 1 && plan->behaviours[0].action_count > 0 &&
        plan->name[0] == '\0') {
        const load_behaviour *one = &plan->behaviours[0];
        if (!load_is_closed(one)) {
            (void)printf(", %g command%s a second each\n", one->rate, one->rate == 1.0 ? "" : "s");
        } else {
            (void)printf(", %llu %s in flight each\n",
                         TEXT_COUNTED(one->window, "command", "commands"));
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

static void print_relay(const load_plan *plan, const load_result *r)
{
    char text[DISTANCE_ERROR_MAX];
    distance_options_describe(&plan->distance, text, sizeof text);
    (void)printf("clients are %s: %llu %s\n", text,
                 TEXT_COUNTED(r->relay.stalls, "stall", "stalls"));
}

cli_exit report_print(const load_plan *plan, const load_result *r)
{
    print_head(plan, r);
    if (plan->relayed) {
        print_relay(plan, r);
    }
    bool whole = print_counts(r);
    (void)printf("\n");
    whole = print_latencies(r) && whole;
    print_correction(r);
    print_server(&r->server);
    print_own(r);
    print_dropped(r->tally);
    print_errors(r->tally);
    return whole ? CLI_OK : cli_out_of_memory();
}

size_t report_tell_failed(const report_verdicts *v)
{
    size_t failed = 0;
    for (size_t i = 0; i < v->count; i++) {
        char value[TEXT_BYTES];
        if (!v->verdicts[i].met) {
            continue;
        }
        failed++;
        load_threshold_show(&v->thresholds[i], v->verdicts[i].value, value, sizeof value);
        if (v->verdicts[i].measured) {
            cli_error("threshold", "--fail-if '%s': it was %s", v->thresholds[i].text, value);
        } else {
            cli_error("threshold", "--fail-if '%s': nothing was measured", v->thresholds[i].text);
        }
    }
    return failed;
}
