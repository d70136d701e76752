// See threshold.h. Pure, any thread.
#include "client/load/threshold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/args/text.h"

enum { NAME_BYTES = 40, SERVER_LATENCIES = 2 };

typedef enum unit { UNIT_COUNT, UNIT_SECONDS, UNIT_BYTES } unit;

static const char *const server_names[SERVER_LATENCIES] = {"step", "delay"};

// Numbers of conditions' subjects (`what`): metrics of the load first, then step and delay of the
// server, then the counts below.
enum { FIRST_SERVER = LOAD_METRIC_COUNT, FIRST_COUNT = LOAD_METRIC_COUNT + SERVER_LATENCIES };

enum counts {
    ERRORS,
    LOST,
    DROPPED,
    REFUSED,
    UNSENT,
    UNANSWERED,
    LATE,
    SKIPPED,
    RATE,
    CLIENTS,
    COMMANDS,
    SNAPSHOTS,
    BYTES_IN,
    BYTES_OUT,
    COUNTS
};

// Counts that can be compared; the remarks say which total a share refers to.
static const struct {
    const char *name;
    unit unit;
    bool shares; // may be given as a percentage
    bool errors;
} counts[COUNTS] = {
    [ERRORS] = {"errors", UNIT_COUNT, true, true},         // share of the calls
    [LOST] = {"lost", UNIT_COUNT, true, true},             // share of the clients
    [DROPPED] = {"dropped", UNIT_COUNT, true, false},      // share of the clients
    [REFUSED] = {"refused", UNIT_COUNT, true, true},       // share of the clients
    [UNSENT] = {"unsent", UNIT_COUNT, true, true},         // share of the calls
    [UNANSWERED] = {"unanswered", UNIT_COUNT, true, true}, // share of the calls
    [LATE] = {"late", UNIT_COUNT, true, false},            // share of the ticks
    [SKIPPED] = {"skipped", UNIT_COUNT, true, false},      // share of the snapshots
    [RATE] = {"rate", UNIT_COUNT, true, false},            // the lowest share of the worlds' hz
    [CLIENTS] = {"clients", UNIT_COUNT, false, false},     // connected at most
    [COMMANDS] = {"commands/s", UNIT_COUNT, false, false}, // answered commands
    [SNAPSHOTS] = {"snapshots/s", UNIT_COUNT, false, false},
    [BYTES_IN] = {"bytes_in/s", UNIT_BYTES, false, false},  // per client
    [BYTES_OUT] = {"bytes_out/s", UNIT_BYTES, false, false} // per client
};

static unit unit_of(int what)
{
    return what < FIRST_COUNT ? UNIT_SECONDS : counts[what - FIRST_COUNT].unit;
}

// ---- parsing

static bool refuse(char error[LOAD_THRESHOLD_ERROR_MAX], const char *text, const char *why)
{
    (void)snprintf(error, LOAD_THRESHOLD_ERROR_MAX, "'%.60s': %s", text, why);
    return false;
}

static bool refuse_name(char error[LOAD_THRESHOLD_ERROR_MAX], const char *text, const char *name)
{
    char latencies[200] = "";
    char others[200] = "";
    for (int m = 0; m < LOAD_METRIC_COUNT + SERVER_LATENCIES; m++) {
        const char *one = m < FIRST_SERVER ? load_metric_names[m] : server_names[m - FIRST_SERVER];
        size_t used = strlen(latencies);
        (void)snprintf(latencies + used, sizeof latencies - used, "%s%s", m > 0 ? ", " : "", one);
    }
    for (int i = 0; i < COUNTS; i++) {
        size_t used = strlen(others);
        (void)snprintf(others + used, sizeof others - used, "%s%s", i > 0 ? ", " : "",
                       counts[i].name);
    }
    (void)snprintf(error, LOAD_THRESHOLD_ERROR_MAX,
                   "'%.60s': nothing is named '%.40s'; there are %s, each with .p50, .p99, .p99.9 "
                   "or another percentile, .max or .mean; and %s",
                   text, name, latencies, others);
    return false;
}

static int find_latency(const char *name, size_t size)
{
    for (int m = 0; m < FIRST_COUNT; m++) {
        const char *one = m < FIRST_SERVER ? load_metric_names[m] : server_names[m - FIRST_SERVER];
        if (strlen(one) == size && memcmp(one, name, size) == 0) {
            return m;
        }
    }
    return -1;
}

// "p99.9", "max", "mean".
static bool parse_share(const char *text, double *percent)
{
    if (strcmp(text, "mean") == 0 || strcmp(text, "max") == 0) {
        *percent = text[1] == 'e' ? -1.0 : 100.0;
        return true;
    }
    return text[0] == 'p' && text_to_number(text + 1, percent) && *percent > 0.0 &&
           *percent <= 100.0;
}

static bool is_known_share(double percent)
{
    for (int i = 0; i < TIMING_SHARES; i++) {
        static const double known[TIMING_SHARES] = {50.0, 90.0, 95.0, 99.0, 99.9, 100.0};
        if (percent == known[i]) {
            return true;
        }
    }
    return false;
}

static bool parse_name(load_threshold *out, const char *name, char error[LOAD_THRESHOLD_ERROR_MAX])
{
    for (int i = 0; i < COUNTS; i++) {
        if (strcmp(name, counts[i].name) == 0) {
            out->what = FIRST_COUNT + i;
            out->errors = counts[i].errors;
            return true;
        }
    }
    if (parse_share(name, &out->percent)) {
        out->what = LOAD_ACK;
        return true;
    }
    size_t size = strcspn(name, ".");
    out->what = find_latency(name, size);
    if (out->what < 0) {
        return refuse_name(error, out->text, name);
    }
    if (name[size] == '\0' || !parse_share(name + size + 1, &out->percent)) {
        return refuse(error, out->text,
                      "say which: a percentile above p0 and up to p100, as in .p99, .max or .mean");
    }
    if (out->what >= FIRST_SERVER && !is_known_share(out->percent)) {
        return refuse(error, out->text,
                      "of the server there are .p50, .p90, .p95, .p99, .p99.9 and .max");
    }
    return true;
}

// A number with this unit is multiplied by `times` and divided by `per`: division by 1e6 makes
// 100us the double nearest to 1e-4, which multiplication by 1e-6 would not.
typedef struct known_unit {
    const char *name;
    double times, per;
} known_unit;

static bool scale(load_threshold *out, const char *text, const known_unit *units, size_t count,
                  const char *why, char error[LOAD_THRESHOLD_ERROR_MAX])
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, units[i].name) == 0) {
            out->limit = out->limit * units[i].times / units[i].per;
            return true;
        }
    }
    return refuse(error, out->text, why);
}

static bool parse_unit(load_threshold *out, const char *text, char error[LOAD_THRESHOLD_ERROR_MAX])
{
    static const known_unit times[] = {{"us", 1.0, 1e6}, {"ms", 1.0, 1e3}, {"s", 1.0, 1.0}};
    static const known_unit bytes[] = {
        {"", 1.0, 1.0}, {"KB", 1e3, 1.0}, {"MB", 1e6, 1.0}, {"GB", 1e9, 1.0}};
    if (unit_of(out->what) == UNIT_SECONDS) {
        return scale(out, text, times, 3, "a time needs its unit: us, ms or s, as in 20ms", error);
    }
    if (unit_of(out->what) == UNIT_BYTES) {
        return scale(out, text, bytes, 4, "only KB, MB or GB may follow a number of bytes", error);
    }
    bool shares = counts[out->what - FIRST_COUNT].shares;
    out->share = strcmp(text, "%") == 0;
    if (text[0] != '\0' && !(shares && out->share)) {
        return refuse(error, out->text,
                      shares ? "only % may follow the number, for a share"
                             : "nothing may follow the number");
    }
    if (out->what == FIRST_COUNT + RATE && !out->share) {
        return refuse(error, out->text, "rate is a share of the worlds' hz, as in rate<99%");
    }
    out->limit /= out->share ? 100.0 : 1.0;
    return true;
}

bool load_threshold_parse(load_threshold *out, const char *text,
                          char error[LOAD_THRESHOLD_ERROR_MAX])
{
    char name[NAME_BYTES] = "";
    char number[NAME_BYTES] = "";
    char after[NAME_BYTES] = "";
    *out = (load_threshold){.what = -1};
    (void)snprintf(out->text, sizeof out->text, "%s", text);
    int used = 0;
    if (strlen(text) >= LOAD_THRESHOLD_BYTES) {
        return refuse(error, text, "longer than 63 characters");
    }
    (void)sscanf(text, " %39[a-z0-9./_] %2[<>=] %n", name, out->op, &used);
    bool known = strcmp(out->op, ">") == 0 || strcmp(out->op, "<") == 0 ||
                 strcmp(out->op, ">=") == 0 || strcmp(out->op, "<=") == 0;
    if (!known || used == 0) {
        return refuse(error, text,
                      "expected NAME, > or >= or < or <=, and a number: p99>20ms, errors>0, "
                      "late>0.1%");
    }
    if (!parse_name(out, name, error)) {
        return false;
    }
    int end = 0;
    (void)sscanf(text + used, "%39[0-9.eE+-] %n", number, &end);
    (void)sscanf(text + used + end, "%39s", after);
    if (!text_to_number(number, &out->limit) || out->limit < 0.0 ||
        strchr(text + used + end, ' ') != NULL) {
        return refuse(error, text, "expected a number, 0 or more, after the operator");
    }
    return parse_unit(out, after, error);
}

// ---- judging

static double share_of(double part, double whole)
{
    return whole > 0.0 ? part / whole : 0.0;
}

// The count, or its share; NAN when nothing was measured.
static double count_value(const load_threshold *t, const load_result *r)
{
    const load_tally *tally = r->tally;
    const load_server *server = &r->server;
    double calls = (double)(tally->sent + tally->unsent);
    double clients = (double)r->clients + (double)tally->refused;
    double ticks = (double)server->ticks;
    switch ((enum counts)(t->what - FIRST_COUNT)) {
    case ERRORS:
        return (double)load_tally_errors(tally) / (t->share ? fmax(calls, 1.0) : 1.0);
    case LOST:
        return (double)tally->lost / (t->share ? fmax(clients, 1.0) : 1.0);
    case DROPPED:
        return (double)tally->dropped / (t->share ? fmax(clients, 1.0) : 1.0);
    case REFUSED:
        return (double)tally->refused / (t->share ? fmax(clients, 1.0) : 1.0);
    case UNSENT:
        return (double)tally->unsent / (t->share ? fmax(calls, 1.0) : 1.0);
    case UNANSWERED:
        return (double)tally->unanswered / (t->share ? fmax(calls, 1.0) : 1.0);
    case LATE:
        return ticks <= 0.0 ? (double)NAN : (double)server->ticks_late / (t->share ? ticks : 1.0);
    case SKIPPED:
        return (double)tally->skipped /
               (t->share ? fmax((double)(tally->snapshots + tally->skipped), 1.0) : 1.0);
    case RATE:
        return ticks <= 0.0 ? (double)NAN : server->rate_share;
    case CLIENTS:
        return (double)r->clients;
    case COMMANDS:
        return share_of((double)tally->answered, r->seconds);
    case SNAPSHOTS:
        return share_of((double)tally->snapshots, r->seconds);
    case BYTES_IN:
        return share_of((double)tally->bytes_in, tally->client_seconds);
    case BYTES_OUT:
        return share_of((double)tally->bytes_out, tally->client_seconds);
    case COUNTS:
        break;
    }
    return (double)NAN;
}

static double timing_value(const timing *times, double percent)
{
    static const double known[TIMING_SHARES] = {50.0, 90.0, 95.0, 99.0, 99.9, 100.0};
    for (int i = 0; times->count > 0 && i < TIMING_SHARES; i++) {
        if (known[i] == percent) {
            return times->shares[i];
        }
    }
    return (double)NAN;
}

static double value_of(const load_threshold *t, const load_result *r)
{
    if (t->what >= FIRST_COUNT) {
        return count_value(t, r);
    }
    if (t->what >= FIRST_SERVER) {
        return timing_value(t->what == FIRST_SERVER ? &r->server.step : &r->server.delay,
                            t->percent);
    }
    const histogram *h = &r->tally->metrics[t->what];
    if (h->total == 0) {
        return (double)NAN;
    }
    return (t->percent < 0.0 ? histogram_mean(h) : (double)histogram_percentile(h, t->percent)) *
           1e-9;
}

load_verdict load_threshold_judge(const load_threshold *threshold, const load_result *result)
{
    double value = value_of(threshold, result);
    bool equal = threshold->op[1] == '=' && value == threshold->limit;
    bool beyond = threshold->op[0] == '>' ? value > threshold->limit : value < threshold->limit;
    return (load_verdict){
        .measured = !isnan(value), .met = isnan(value) || equal || beyond, .value = value};
}

void load_threshold_show(const load_threshold *threshold, double value, char *out, size_t size)
{
    if (threshold->share) {
        (void)snprintf(out, size, "%.3g %%", 100.0 * value);
    } else if (unit_of(threshold->what) == UNIT_SECONDS) {
        text_from_seconds(value, out, size);
    } else if (unit_of(threshold->what) == UNIT_BYTES) {
        text_from_bytes(value, out, size);
    } else {
        (void)snprintf(out, size, value == floor(value) ? "%.0f" : "%.1f", value);
    }
}
