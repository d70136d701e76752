// See monitor.h.
#include "client/load/monitor.h"

#include <math.h>
#include <string.h>

#define ASK_EVERY_S 1.0

enum { END_MS = 2000 };

typedef struct sum {
    load_sample sample;
    uint64_t ticks, late, bodies;
} sum;

static bool is_ours(const monitor *m, const char *name)
{
    for (unsigned i = 0; i < m->plan->world_count; i++) {
        if (strcmp(m->plan->worlds[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static sum sum_worlds(const monitor *m, const carom_value *list)
{
    sum s = {.sample = {.rate_share = 1.0}};
    for (size_t i = 0; i < carom_value_count(list); i++) {
        const carom_value *one = carom_value_at(list, i);
        if (!is_ours(m, carom_get_str(one, "world", ""))) {
            continue;
        }
        double step = carom_get_real(one, "step_ms", 0.0) * 1e-3;
        double share = carom_get_real(one, "rate", 0.0) / carom_get_real(one, "hz", 60.0);
        s.sample.there = true;
        s.sample.step_s = step > s.sample.step_s ? step : s.sample.step_s;
        s.sample.rate_share = share < s.sample.rate_share ? share : s.sample.rate_share;
        s.ticks += carom_get_uint(one, "tick", 0);
        s.late += carom_get_uint(one, "ticks_late", 0);
        s.bodies += carom_get_uint(one, "bodies", 0);
    }
    return s;
}

static carom_value *ask_with(const monitor *m, const char *method, const carom_value *arguments)
{
    carom_value *result = NULL;
    int wait = m->c->timeout_ms < END_MS ? m->c->timeout_ms : END_MS;
    return carom_call(m->c->client, method, arguments, wait, &result, NULL) == CAROM_OK ? result
                                                                                        : NULL;
}

// world.list reports all worlds in one call; world.info would need one for each.
static carom_value *ask(const monitor *m, const char *method)
{
    return ask_with(m, method, NULL);
}

// Requests the statistics with the bins of the histograms, if the server's version has them.
static carom_value *ask_stats(const monitor *m)
{
    carom_value *arguments = carom_set(carom_map(), "bins", carom_bool(true));
    carom_value *stats = ask_with(m, "server.stats", arguments);
    carom_value_free(arguments);
    return stats != NULL ? stats : ask(m, "server.stats");
}

void monitor_begin(monitor *m, cli *c, const load_plan *plan, load_server *out)
{
    *m = (monitor){.c = c, .plan = plan, .out = out, .next = ASK_EVERY_S};
    carom_value *list = ask(m, "world.list");
    sum s = sum_worlds(m, list);
    carom_value_free(list);
    m->ticks = s.ticks;
    m->late = s.late;
    m->stats = ask_stats(m);
    out->rate_share = 1.0;
}

// Takes one sample. `ending`: the run took `seconds`.
static void take(monitor *m, const carom_value *list, double seconds, const load_tally *tally,
                 bool ending)
{
    load_server *out = m->out;
    sum s = sum_worlds(m, list);
    if (!s.sample.there) {
        return;
    }
    s.sample.ticks = s.ticks - m->ticks;
    s.sample.ticks_late = s.late - m->late;
    size_t slice = (size_t)(seconds / tally->slice_seconds);
    size_t count = load_tally_slice_count(tally, ending ? seconds : m->plan->seconds);
    out->slices[slice < count ? slice : count - 1] = s.sample;
    out->ticks = s.ticks - m->ticks;
    out->ticks_late = s.late - m->late;
    out->bodies = s.bodies;
    out->step_max = s.sample.step_s > out->step_max ? s.sample.step_s : out->step_max;
    out->rate_share = s.sample.rate_share < out->rate_share ? s.sample.rate_share : out->rate_share;
    m->step_sum += s.sample.step_s;
    m->samples++;
    out->step_mean = m->step_sum / (double)m->samples;
}

void monitor_look(monitor *m, double seconds, const load_tally *tally)
{
    carom_client *client = m->c->client;
    carom_status status = CAROM_OK;
    carom_value *result = NULL;
    (void)carom_poll(client, 0, NULL);
    if (m->request != 0 && carom_take(client, m->request, &status, &result, NULL)) {
        if (status == CAROM_OK) {
            take(m, result, seconds, tally, false);
        }
        carom_value_free(result);
        m->request = 0;
    }
    if (m->request == 0 && seconds >= m->next) {
        m->next = seconds + ASK_EVERY_S;
        if (carom_request(client, "world.list", NULL, m->c->timeout_ms, NULL, NULL, &m->request,
                          NULL) != CAROM_OK) {
            m->request = 0;
        }
    }
}

// ---- percentiles of the run

static const carom_value *latency_of(const carom_value *stats, const char *name)
{
    return carom_value_get(carom_value_get(stats, "latencies"), name);
}

// Reads timings since the server began: older servers report no others.
static timing timing_since_start(const carom_value *latency)
{
    static const char *const names[TIMING_SHARES] = {"p50", "p90", NULL, "p99", "p999", "max"};
    timing out = {.count = carom_get_uint(latency, "count", 0)};
    for (int i = 0; i < TIMING_SHARES; i++) {
        out.shares[i] =
            names[i] != NULL ? carom_get_real(latency, names[i], (double)NAN) : (double)NAN;
    }
    return out;
}

static timing read_timing(const monitor *m, const carom_value *stats, const char *name)
{
    const carom_value *after = latency_of(stats, name);
    const carom_value *bins = carom_value_get(after, "bins");
    if (bins == NULL || m->stats == NULL) {
        return timing_since_start(after);
    }
    m->out->of_run = true;
    return timing_between(carom_value_get(latency_of(m->stats, name), "bins"), bins);
}

void monitor_end(monitor *m, double seconds, const load_tally *tally)
{
    carom_value *list = ask(m, "world.list");
    take(m, list, seconds, tally, true);
    carom_value_free(list);
    carom_value *stats = ask_stats(m);
    m->out->step = read_timing(m, stats, "step");
    m->out->delay = read_timing(m, stats, "delay");
    carom_value_free(stats);
    carom_value_free(m->stats);
    m->stats = NULL;
    carom_value *info = ask(m, "server.info");
    m->out->uptime = carom_get_real(info, "uptime", 0.0);
    carom_value_free(info);
}
