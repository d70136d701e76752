// See options.h.
#include "client/load/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/load/scenario.h"
#include "client/tool/relay/distance_options.h"
#include "client/tool/relay/relay.h"
#include "common/args/text.h"

enum { NAME_BYTES = 64, WINDOW_AT_A_RATE = 256, BODIES_MAX = 100000, ENCODINGS = 3 };

#define IMPULSE_N_S 0.5 // back and forth: a body of a kilogram stays about where it is

// ---- players and watchers

// The encodings and their weights: "packed", or "packed=3,plain=1".
typedef struct encodings {
    const char *names[ENCODINGS];
    double weights[ENCODINGS];
    int count;
} encodings;

static const char *const encoding_names[ENCODINGS] = {"plain", "packed", "log"};

static bool add_encoding(encodings *out, const char *part)
{
    char name[NAME_BYTES];
    double weight = 1.0;
    size_t size = strcspn(part, "=");
    (void)snprintf(name, sizeof name, "%.*s", (int)(size < NAME_BYTES ? size : NAME_BYTES), part);
    if (part[size] == '=' && (!text_to_number(part + size + 1, &weight) || !(weight > 0.0) ||
                              weight > LOAD_WEIGHT_MAX)) {
        return false;
    }
    for (int i = 0; i < ENCODINGS; i++) {
        if (strcmp(name, encoding_names[i]) == 0 && out->count < ENCODINGS) {
            out->names[out->count] = encoding_names[i];
            out->weights[out->count++] = weight;
            return true;
        }
    }
    return false;
}

static cli_exit read_encodings(const cli *c, encodings *out)
{
    char text[NAME_BYTES * 2];
    (void)snprintf(text, sizeof text, "%s", args_text(&c->args, "encoding", "packed"));
    *out = (encodings){.count = 0};
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
        if (!add_encoding(out, part)) {
            return cli_usage(c,
                             "--encoding: '%s': expected plain, packed or log, or several with "
                             "weights above 0 and up to %g: packed=3,plain=1",
                             part, LOAD_WEIGHT_MAX);
        }
    }
    return out->count > 0 ? CLI_OK : cli_usage(c, "--encoding is plain, packed or log");
}

static load_action strike(double impulse)
{
    carom_value *arguments = carom_set(carom_map(), "body", carom_str("$own"));
    carom_set(arguments, "impulse", carom_vec(impulse, 0.0));
    return (load_action){
        .method = "body.impulse", .args = arguments, .world = true, .command = true};
}

// A player strikes its body back and forth, so that a body of one kilogram stays near its place.
static void add_behaviour(const cli *c, load_plan *plan, const char *name, const char *encoding,
                          double weight, double rate)
{
    load_behaviour *one = &plan->behaviours[plan->behaviour_count++];
    bool player = rate >= 0.0;
    bool by_window = args_has(&c->args, "window");
    uint64_t window = args_whole(&c->args, "window", WINDOW_AT_A_RATE);
    *one = (load_behaviour){.weight = weight,
                            .order = LOAD_IN_TURN,
                            .beat = by_window ? LOAD_BY_WINDOW : LOAD_EVENLY,
                            .rate = player ? rate : 0.0,
                            .burst = 1,
                            .window = player ? (unsigned)window : 1};
    one->subscribes = !args_has(&c->args, "no-snapshots");
    one->subscription = carom_subscribe_options_default();
    one->subscription.rate = args_number(&c->args, "snapshots", 0.0);
    one->subscription.encoding = encoding;
    (void)args_numbers(&c->args, "area", one->area);
    if (strcmp(encoding, "log") == 0) {
        one->area[0] = 0.0; // the log is of the whole world
    }
    if (one->subscribes) {
        (void)snprintf(one->name, sizeof one->name, "%s (%s)", name, encoding);
    } else {
        (void)snprintf(one->name, sizeof one->name, "%s", name);
    }
    if (player) {
        one->own_body = true;
        one->actions[0] = strike(IMPULSE_N_S);
        one->actions[1] = strike(-IMPULSE_N_S);
        one->action_count = 2;
    }
}

static cli_exit read_mix(const cli *c, load_plan *plan, uint64_t players, uint64_t watchers)
{
    encodings mix;
    bool by_window = args_has(&c->args, "window");
    double rate = by_window ? 0.0 : args_number(&c->args, "rate", 60.0);
    cli_exit code = read_encodings(c, &mix);
    if (code == CLI_OK && watchers > 0 && args_has(&c->args, "no-snapshots")) {
        return cli_usage(c, "either --watchers or --no-snapshots: watchers only receive snapshots");
    }
    if (code == CLI_OK && !by_window && (rate < LOAD_RATE_MIN || rate > LOAD_RATE_MAX)) {
        return cli_usage(c, "--rate is from %g to %.0f", LOAD_RATE_MIN, LOAD_RATE_MAX);
    }
    double sum = 0.0;
    for (int i = 0; i < mix.count; i++) {
        sum += mix.weights[i];
    }
    for (int i = 0; code == CLI_OK && i < mix.count; i++) {
        double share = mix.weights[i] / sum;
        if (players > 0) {
            add_behaviour(c, plan, "player", mix.names[i], share * (double)players, rate);
        }
        if (watchers > 0) {
            add_behaviour(c, plan, "watcher", mix.names[i], share * (double)watchers, -1.0);
        }
    }
    return code;
}

static cli_exit read_stages(const cli *c, load_plan *plan)
{
    char error[LOAD_STAGES_ERROR_MAX];
    for (size_t i = 0; i < c->args.given_count; i++) {
        const args_given *given = &c->args.given[i];
        if (strcmp(given->option->name, "stage") == 0 &&
            !load_stages_parse(&plan->stages, given->value, LOAD_CLIENTS_MAX, error)) {
            return cli_usage(c, "--stage: %s", error);
        }
    }
    if (plan->stages.count == 0) {
        return CLI_OK;
    }
    if (args_has(&c->args, "time")) {
        return cli_usage(c, "either --stage or --time, not both: stages have times of their own");
    }
    plan->seconds = load_stages_seconds(&plan->stages);
    plan->clients = load_stages_peak(&plan->stages);
    return plan->clients > 0 ? CLI_OK : cli_usage(c, "--stage: at least one stage needs clients");
}

// ---- a scenario

static cli_exit read_scenario(const cli *c, load_plan *plan)
{
    static const char *const others[] = {"watchers",     "rate",     "window", "snapshots",
                                         "no-snapshots", "encoding", "area"};
    const char *path = args_text(&c->args, "scenario", "");
    char error[SCENARIO_ERROR_MAX];
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (args_has(&c->args, others[i])) {
            return cli_usage(c, "either --scenario or --%s: the scenario says what clients do",
                             others[i]);
        }
    }
    cli_exit code = cli_read_file(path, &text, &size);
    if (code == CLI_OK && !scenario_read(plan, text, size, error)) {
        code = cli_file_fault(CLI_CODE_FILE, path, text, error);
        cli_hint("'carom help load-scenarios' describes the format");
    }
    if (code == CLI_OK && args_has(&c->args, "world") && plan->world_args != NULL) {
        code = cli_usage(c, "--world names an existing world, but this scenario makes one with "
                            "its own settings (\"world\"): leave one of them out");
    }
    free(text);
    return code;
}

// ---- all of it

static cli_exit read_clients(const cli *c, load_plan *plan)
{
    const args *a = &c->args;
    uint64_t watchers = args_whole(a, "watchers", 0);
    uint64_t players = args_whole(a, "connections", watchers > 0 ? 0 : 10);
    if (args_has(a, "connections") && players < 1 && watchers < 1) {
        return cli_usage(c, "--connections is from 1 to %d", LOAD_CLIENTS_MAX);
    }
    if (players > LOAD_CLIENTS_MAX || watchers > LOAD_CLIENTS_MAX - players) {
        return cli_usage(c, "--connections and --watchers are from 1 to %d together",
                         LOAD_CLIENTS_MAX);
    }
    plan->clients = (unsigned)(players + watchers);
    cli_exit code = read_stages(c, plan);
    if (code == CLI_OK && args_has(a, "scenario")) {
        return read_scenario(c, plan);
    }
    return code == CLI_OK ? read_mix(c, plan, players, watchers) : code;
}

static cli_exit read_relay(const cli *c, load_plan *plan)
{
    const char *text = args_text(&c->args, "relay", NULL);
    char error[DISTANCE_ERROR_MAX];
    plan->relayed = text != NULL;
    if (text != NULL && !distance_options_parse(&plan->distance, text, error)) {
        return cli_usage(c, "--relay: %s", error);
    }
    if (text != NULL && plan->clients > RELAY_CONNECTIONS_MAX) {
        return cli_usage(c, "--relay takes at most %d clients", RELAY_CONNECTIONS_MAX);
    }
    return CLI_OK;
}

cli_exit load_options_plan(const cli *c, load_plan *plan)
{
    const args *a = &c->args;
    uint64_t threads = args_whole(a, "threads", 1);
    uint64_t window = args_whole(a, "window", WINDOW_AT_A_RATE);
    uint64_t worlds = args_whole(a, "worlds", 1);
    plan->seconds = args_seconds(a, "time", 10.0);
    plan->timeout_ms = c->timeout_ms;
    if (args_has(a, "window") && args_has(a, "rate")) {
        return cli_usage(c, "either --rate or --window, not both");
    }
    if (window < 1 || window > LOAD_WINDOW_MAX) {
        return cli_usage(c, "--window is from 1 to %d", LOAD_WINDOW_MAX);
    }
    if (worlds < 1 || worlds > LOAD_WORLDS_MAX) {
        return cli_usage(c, "--worlds is from 1 to %d", LOAD_WORLDS_MAX);
    }
    if (args_has(a, "worlds") && args_has(a, "world")) {
        return cli_usage(c, "either --world, an existing one, or --worlds, the number of new ones");
    }
    if (args_has(a, "snapshots") && cli_check_rate(c, "snapshots") != CLI_OK) {
        return CLI_USAGE;
    }
    if (args_whole(a, "bodies", 0) > BODIES_MAX) {
        return cli_usage(c, "--bodies is at most %d", BODIES_MAX);
    }
    cli_exit code = read_clients(c, plan);
    if (code == CLI_OK && (threads < 1 || threads > LOAD_THREADS_MAX || threads > plan->clients)) {
        return cli_usage(c, "--threads is from 1 to %d, and no more than there are clients",
                         LOAD_THREADS_MAX);
    }
    if (code == CLI_OK && (plan->seconds < LOAD_SECONDS_MIN || plan->seconds > LOAD_SECONDS_MAX)) {
        return cli_usage(c, "--%s is from 100ms to 24h in all",
                         plan->stages.count > 0 ? "stage" : "time");
    }
    plan->threads = (unsigned)threads;
    plan->world_count = (unsigned)worlds;
    return code == CLI_OK ? read_relay(c, plan) : code;
}

cli_exit load_options_verdicts(const cli *c, report_verdicts *out)
{
    char error[LOAD_THRESHOLD_ERROR_MAX];
    out->count = 0;
    for (size_t i = 0; i < c->args.given_count; i++) {
        const args_given *given = &c->args.given[i];
        if (strcmp(given->option->name, "fail-if") != 0) {
            continue;
        }
        if (out->count == LOAD_THRESHOLDS_MAX) {
            return cli_usage(c, "--fail-if: at most %d of them", LOAD_THRESHOLDS_MAX);
        }
        if (!load_threshold_parse(&out->thresholds[out->count++], given->value, error)) {
            return cli_usage(c, "--fail-if: %s", error);
        }
    }
    return CLI_OK;
}
