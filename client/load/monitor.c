// See monitor.h.
#include "client/load/monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ASK_EVERY_S 1.0

enum {
    END_MS = 2000,
    GO_MS = 1000 // limit to connect to another server of the fleet
};

typedef struct sum {
    load_sample sample;
    sum_counts counts;
    uint64_t bodies;
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

static void add_world(const monitor *m, sum *s, const carom_value *one)
{
    if (!is_ours(m, carom_get_str(one, "world", ""))) {
        return;
    }
    double step = carom_get_real(one, "step_ms", 0.0) * 1e-3;
    double share = carom_get_real(one, "rate", 0.0) / carom_get_real(one, "hz", 60.0);
    s->sample.there = true;
    s->sample.step_s = step > s->sample.step_s ? step : s->sample.step_s;
    s->sample.rate_share = share < s->sample.rate_share ? share : s->sample.rate_share;
    s->counts.ticks += carom_get_uint(one, "tick", 0);
    s->counts.late += carom_get_uint(one, "ticks_late", 0);
    s->bodies += carom_get_uint(one, "bodies", 0);
}

// `answer`: of world.list, or in a fleet of world.info.
static sum sum_worlds(const monitor *m, const carom_value *answer)
{
    sum s = {.sample = {.rate_share = 1.0}};
    if (m->fleet) {
        add_world(m, &s, answer);
    }
    for (size_t i = 0; !m->fleet && i < carom_value_count(answer); i++) {
        add_world(m, &s, carom_value_at(answer, i));
    }
    return s;
}

static void note_server(monitor *m, const carom_value *info)
{
    const char *primary = carom_get_str(info, "primary", "");
    if (primary[0] != '\0') {
        m->moved = m->moved || (m->primary[0] != '\0' && strcmp(m->primary, primary) != 0);
        (void)snprintf(m->primary, sizeof m->primary, "%s", primary);
    }
}

static carom_value *ask_with(const monitor *m, const char *method, const carom_value *arguments)
{
    carom_value *result = NULL;
    int wait = m->c->timeout_ms < END_MS ? m->c->timeout_ms : END_MS;
    return carom_call(m->c->client, method, arguments, wait, &result, NULL) == CAROM_OK ? result
                                                                                        : NULL;
}

static carom_value *ask(const monitor *m, const char *method)
{
    return ask_with(m, method, NULL);
}

// world.list reports all worlds of a server in one call. In a fleet world.info finds the one world
// at whichever server has it.
static carom_value *worlds_args(const monitor *m)
{
    return m->fleet ? carom_set(carom_map(), "world", carom_str(m->plan->worlds[0])) : NULL;
}

static const char *worlds_method(const monitor *m)
{
    return m->fleet ? "world.info" : "world.list";
}

static carom_value *ask_worlds(const monitor *m)
{
    carom_value *arguments = worlds_args(m);
    carom_value *answer = ask_with(m, worlds_method(m), arguments);
    carom_value_free(arguments);
    return answer;
}

// Whether the first connection is to the server that has the load's world.
static bool is_at_home(const monitor *m)
{
    const carom_client *client = m->c->client;
    return !m->fleet || carom_hello_of(client, m->plan->worlds[0]) == carom_hello(client);
}

// Requests the statistics with the bins of the histograms, if the server's version has them. NULL
// also if the answer would come from another server than the world's.
static carom_value *ask_stats(const monitor *m)
{
    if (m->moved || !is_at_home(m)) {
        return NULL;
    }
    carom_value *arguments = carom_set(carom_map(), "bins", carom_bool(true));
    carom_value *stats = ask_with(m, "server.stats", arguments);
    carom_value_free(arguments);
    return stats != NULL ? stats : ask(m, "server.stats");
}

void monitor_begin(monitor *m, cli *c, const load_plan *plan, bool fleet, load_server *out)
{
    *m = (monitor){.c = c, .plan = plan, .fleet = fleet, .out = out, .next = ASK_EVERY_S};
    carom_value *worlds = ask_worlds(m);
    sum s = sum_worlds(m, worlds);
    note_server(m, worlds);
    carom_value_free(worlds);
    m->last = s.counts;
    m->stats = ask_stats(m);
    out->rate_share = 1.0;
}

// Takes one sample. `ending`: the run took `seconds`.
static void take(monitor *m, const carom_value *worlds, double seconds, const load_tally *tally,
                 bool ending)
{
    load_server *out = m->out;
    sum s = sum_worlds(m, worlds);
    if (!s.sample.there) {
        return;
    }
    note_server(m, worlds);
    out->ticks += s.counts.ticks > m->last.ticks ? s.counts.ticks - m->last.ticks : 0;
    // a server that has just got the world counts late ticks from 0
    out->ticks_late += s.counts.late >= m->last.late ? s.counts.late - m->last.late : s.counts.late;
    m->last = s.counts;
    s.sample.ticks = out->ticks;
    s.sample.ticks_late = out->ticks_late;
    size_t slice = (size_t)(seconds / tally->slice_seconds);
    size_t count = load_tally_slice_count(tally, ending ? seconds : m->plan->seconds);
    out->slices[slice < count ? slice : count - 1] = s.sample;
    out->bodies = s.bodies;
    out->step_max = s.sample.step_s > out->step_max ? s.sample.step_s : out->step_max;
    out->rate_share = s.sample.rate_share < out->rate_share ? s.sample.rate_share : out->rate_share;
    m->step_sum += s.sample.step_s;
    m->samples++;
    out->step_mean = m->step_sum / (double)m->samples;
}

// Takes the session to the server that has the world now, where it owns the bodies of the clients:
// they would end with the time that a server waits for it.
static void follow_world(monitor *m)
{
    if (!is_at_home(m) && m->primary[0] != '\0') {
        const char *secret = carom_get_str(carom_hello(m->c->client), "resume", "");
        (void)cli_go_to(m->c, m->primary, secret, GO_MS);
    }
}

void monitor_look(monitor *m, double seconds, const load_tally *tally)
{
    carom_status status = CAROM_OK;
    carom_value *result = NULL;
    (void)carom_poll(m->c->client, 0, NULL);
    if (m->request != 0 && carom_take(m->c->client, m->request, &status, &result, NULL)) {
        if (status == CAROM_OK) {
            take(m, result, seconds, tally, false);
        }
        carom_value_free(result);
        m->request = 0;
        follow_world(m);
    }
    if (m->request == 0 && seconds >= m->next) {
        m->next = seconds + ASK_EVERY_S;
        carom_value *arguments = worlds_args(m);
        if (carom_request(m->c->client, worlds_method(m), arguments, m->c->timeout_ms, NULL, NULL,
                          &m->request, NULL) != CAROM_OK) {
            m->request = 0;
        }
        carom_value_free(arguments);
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
    if (m->fleet && stats == NULL) {
        m->out->of_run = true;
        return (timing){.count = 0};
    }
    const carom_value *bins = carom_value_get(after, "bins");
    if (bins == NULL || m->stats == NULL) {
        return timing_since_start(after);
    }
    m->out->of_run = true;
    return timing_between(carom_value_get(latency_of(m->stats, name), "bins"), bins);
}

void monitor_end(monitor *m, double seconds, const load_tally *tally)
{
    carom_value *worlds = ask_worlds(m);
    take(m, worlds, seconds, tally, true);
    carom_value_free(worlds);
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
