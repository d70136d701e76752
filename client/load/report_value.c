// The report of a load as a tree for programs, which the HTML page shows too; see report.h.
#include "client/load/report.h"

#include <math.h>

const double report_shares[REPORT_SHARES] = {50.0, 90.0, 95.0, 99.0, 99.9, 100.0};
const char *const report_share_names[REPORT_SHARES] = {"p50", "p90", "p95", "p99", "p99.9", "max"};

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

static carom_value *text_value(const load_tally *tally)
{
    carom_value *texts = carom_map();
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        if (tally->errors[i] > 0) {
            carom_set(texts, carom_status_name((carom_status)i), carom_str(tally->error_text[i]));
        }
    }
    return texts;
}

static carom_value *timing_value(const timing *times)
{
    carom_value *out = carom_set(carom_map(), "count", carom_uint(times->count));
    for (int i = 0; times->count > 0 && i < TIMING_SHARES; i++) {
        if (!isnan(times->shares[i])) {
            carom_set(out, report_share_names[i], carom_real(times->shares[i]));
        }
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
    carom_set(out, "step", timing_value(&s->step));
    carom_set(out, "delay", timing_value(&s->delay));
    carom_set(out, "of_run", carom_bool(s->of_run));
    return carom_set(out, "uptime", carom_real(s->uptime));
}

static carom_value *own_value(const load_own *own)
{
    carom_value *out = carom_set(carom_map(), "processor", carom_real(own->processor));
    if (own->known) {
        carom_set(out, "waited", carom_real(own->waited));
    }
    return carom_set(out, "short_of_processor", carom_bool(own->short_of_processor));
}

static carom_value *relay_value(const distance_options *o, const relay_counts *counts)
{
    carom_value *out = carom_set(carom_map(), "delay", carom_real(o->delay));
    carom_set(out, "jitter", carom_real(o->jitter));
    carom_set(out, "stall", carom_real(o->stall));
    carom_set(out, "stall_time", carom_real(o->stall_time));
    carom_set(out, "seed", carom_uint(o->seed));
    carom_set(out, "connections", carom_uint(counts->connections));
    carom_set(out, "failed", carom_uint(counts->failed));
    return carom_set(out, "stalls", carom_uint(counts->stalls));
}

static void set_slice_latency(carom_value *row, const load_slice *slice, load_metric metric)
{
    const load_slim *slim = load_slice_slim(slice, metric);
    if (slim == NULL || slim->total == 0) {
        return;
    }
    carom_value *out = carom_set(carom_map(), "count", carom_uint(slim->total));
    for (int i = 0; i < REPORT_SHARES; i++) {
        carom_set(out, report_share_names[i],
                  carom_real((double)load_slim_percentile(slim, report_shares[i]) * 1e-9));
    }
    carom_set(out, "mean", carom_real(slim->sum / (double)slim->total * 1e-9));
    carom_set(row, load_metric_names[metric], out);
}

static carom_value *slice_value(const load_result *r, size_t index, const load_sample *before)
{
    const load_slice *slice = &r->tally->slices[index];
    const load_sample *sample = &r->server.slices[index];
    double length = r->tally->slice_seconds;
    double from = (double)index * length;
    double last = r->seconds - from;
    carom_value *row = carom_set(carom_map(), "from", carom_real(from));
    carom_set(row, "seconds", carom_real(last < length && last > 0.0 ? last : length));
    carom_set(row, "clients", carom_uint(slice->clients));
    carom_set(row, "sent", carom_uint(slice->sent));
    carom_set(row, "answered", carom_uint(slice->answered));
    carom_set(row, "errors", carom_uint(slice->errors));
    carom_set(row, "lost", carom_uint(slice->lost));
    carom_set(row, "dropped", carom_uint(slice->dropped));
    carom_set(row, "resumed", carom_uint(slice->resumed));
    carom_set(row, "snapshots", carom_uint(slice->snapshots));
    carom_set(row, "skipped", carom_uint(slice->skipped));
    carom_set(row, "bytes_in", carom_uint(slice->bytes_in));
    carom_set(row, "bytes_out", carom_uint(slice->bytes_out));
    for (int m = 0; m < LOAD_METRIC_COUNT; m++) {
        set_slice_latency(row, slice, (load_metric)m);
    }
    if (sample->there) {
        carom_set(row, "step", carom_real(sample->step_s));
        carom_set(row, "rate_share", carom_real(sample->rate_share));
        carom_set(row, "ticks", carom_uint(sample->ticks - before->ticks));
        carom_set(row, "ticks_late", carom_uint(sample->ticks_late - before->ticks_late));
    }
    return row;
}

static carom_value *time_value(const load_result *r)
{
    carom_value *rows = carom_array();
    size_t count = load_tally_slice_count(r->tally, r->seconds);
    load_sample before = {.there = false};
    for (size_t i = 0; i < count; i++) {
        carom_push(rows, slice_value(r, i, &before));
        before = r->server.slices[i].there ? r->server.slices[i] : before;
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
    carom_set(v, "events_lost", carom_uint(tally->events_lost));
    carom_set(v, "bytes_in", carom_uint(tally->bytes_in));
    carom_set(v, "bytes_out", carom_uint(tally->bytes_out));
    carom_set(v, "bytes_in_per_client_second", carom_real((double)tally->bytes_in / clients));
    carom_set(v, "bytes_out_per_client_second", carom_real((double)tally->bytes_out / clients));
}

static carom_value *verdict_values(const report_verdicts *v)
{
    carom_value *out = carom_array();
    for (size_t i = 0; i < v->count; i++) {
        carom_value *one = carom_set(carom_map(), "fail_if", carom_str(v->thresholds[i].text));
        carom_set(one, "failed", carom_bool(v->verdicts[i].met));
        carom_set(one, "value",
                  v->verdicts[i].measured ? carom_real(v->verdicts[i].value) : carom_nil());
        carom_push(out, one);
    }
    return out;
}

static carom_value *kinds_value(const load_plan *plan)
{
    carom_value *out = carom_array();
    double sum = 0.0;
    for (size_t i = 0; i < plan->behaviour_count; i++) {
        sum += plan->behaviours[i].weight;
    }
    for (size_t i = 0; i < plan->behaviour_count; i++) {
        carom_value *one = carom_set(carom_map(), "name", carom_str(plan->behaviours[i].name));
        carom_set(one, "share", carom_real(plan->behaviours[i].weight / sum));
        carom_push(out, one);
    }
    return out;
}

carom_value *report_value(const load_plan *plan, const load_result *r,
                          const report_verdicts *verdicts)
{
    const load_tally *tally = r->tally;
    carom_value *metrics = carom_map();
    for (int m = 0; m < LOAD_METRIC_COUNT; m++) {
        if (tally->metrics[m].total > 0) {
            carom_set(metrics, load_metric_names[m], latency_value(&tally->metrics[m]));
        }
    }
    carom_value *v = carom_set(carom_map(), "world", carom_str(plan->worlds[0]));
    if (plan->name[0] != '\0') {
        carom_set(v, "scenario", carom_str(plan->name));
    }
    carom_set(v, "clients", kinds_value(plan));
    carom_set(v, "worlds", carom_uint(plan->world_count));
    carom_set(v, "connections", carom_uint(r->clients));
    carom_set(v, "seconds", carom_real(r->seconds));
    carom_set(v, "commands_sent", carom_uint(tally->sent));
    carom_set(v, "commands", carom_uint(tally->answered));
    carom_set(v, "commands_per_second", carom_real((double)tally->answered / r->seconds));
    set_traffic(v, r);
    carom_set(v, "latency", latency_value(&tally->metrics[LOAD_ACK]));
    carom_set(v, "metrics", metrics);
    carom_set(v, "correction", carom_str(r->pace <= 0.0 ? "due" : "interval"));
    carom_set(v, "correction_interval", carom_real(r->pace));
    carom_set(v, "server", server_value(&r->server));
    carom_set(v, "load", own_value(&r->own));
    if (plan->relayed) {
        carom_set(v, "relay", relay_value(&plan->distance, &r->relay));
    }
    carom_set(v, "errors", error_value(tally));
    carom_set(v, "error_texts", text_value(tally));
    carom_set(v, "thresholds", verdict_values(verdicts));
    carom_set(v, "refused", carom_uint(tally->refused));
    carom_set(v, "lost", carom_uint(tally->lost));
    carom_set(v, "dropped", carom_uint(tally->dropped));
    carom_set(v, "resumed", carom_uint(tally->resumed));
    return carom_set(v, "time", time_value(r));
}
