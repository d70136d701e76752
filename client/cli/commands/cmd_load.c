// load: how many connections and commands a server bears, and how quickly it answers meanwhile.
//
// Without --world it makes a world of its own that ends with its session, so that even a killed
// load leaves nothing behind; it removes the world itself when it ends in any other way. Main
// thread only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/load/load.h"
#include "client/cli/load/report.h"
#include "client/cli/params.h"
#include "client/cli/picture/terminal.h"
#include "client/cli/text.h"

enum {
    NAME_BYTES = 64,
    WINDOW_AT_A_RATE = 256,
    BODIES_AT_ONCE = 500,
    BODIES_IN_A_ROW = 100,
    BODIES_MAX = 100000,
    ENCODINGS = 3
};

#define IMPULSE_N_S 0.5 // back and forth: a body of a kilogram stays about where it is

// ---- the world

// Balls on a grid, 3 m apart, that drift: something for the snapshots to tell.
static carom_value *drifting_balls(uint64_t first, uint64_t count)
{
    carom_value *commands = carom_array();
    for (uint64_t i = first; i < first + count; i++) {
        carom_shape shape = carom_shape_circle(0.5);
        shape.restitution = 1.0;
        carom_body_options options = carom_body_options_default();
        uint64_t row = i / BODIES_IN_A_ROW;
        uint64_t column = i - row * BODIES_IN_A_ROW;
        options.position = (carom_vec2){3.0 * (double)column, -10.0 - 3.0 * (double)row};
        options.velocity = (carom_vec2){(double)(i % 7) - 3.0, (double)(i % 5) - 2.0};
        options.shapes = &shape;
        options.shape_count = 1;
        carom_value *arguments = carom_body_spawn_args("", &options);
        carom_value_free(carom_value_take(arguments, "world")); // world.apply names it once
        carom_value *command = carom_push(carom_array(), carom_str("body.spawn"));
        commands = carom_push(commands, carom_push(command, arguments));
    }
    return commands;
}

static cli_exit fill_world(cli *c, const char *world, uint64_t bodies)
{
    cli_exit code = CLI_OK;
    for (uint64_t done = 0; code == CLI_OK && done < bodies; done += BODIES_AT_ONCE) {
        uint64_t count = bodies - done < BODIES_AT_ONCE ? bodies - done : BODIES_AT_ONCE;
        carom_value *arguments = carom_set(carom_map(), "world", carom_str(world));
        carom_set(arguments, "commands", drifting_balls(done, count));
        code = cli_call(c, "world.apply", arguments, NULL);
    }
    return code;
}

static cli_exit make_world(cli *c, unsigned number, char *name, size_t size)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(name, size, "load-%ld-%09ld%s%.0u", (long)getpid(), now.tv_nsec,
                   number > 0 ? "-" : "", number);
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(name));
    carom_set(arguments, "gravity", carom_vec(0.0, 0.0));
    carom_set(arguments, "lifetime", carom_str("session"));
    if (args_has(&c->args, "hz")) {
        carom_set(arguments, "hz", carom_real(args_number(&c->args, "hz", 60.0)));
    }
    return cli_call(c, "world.create", arguments, NULL);
}

static void remove_world(cli *c, const char *name)
{
    carom_error error = {0};
    if (carom_world_destroy(c->client, name, c->timeout_ms, &error) != CAROM_OK) {
        cli_error(carom_status_name(error.status), "could not remove the world '%s': %s", name,
                  error.text);
        cli_hint("carom destroy %s", name);
    }
}

// ---- the plan

// The encodings and their weights: "packed" alone, or "packed=3,plain=1".
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
    (void)snprintf(text, sizeof text, "%s", args_text(&c->args, "encoding", "plain"));
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
    return (load_action){.method = "body.impulse", .args = arguments, .command = true};
}

// A player strikes its body to and fro, so that a body of a kilogram stays about where it is.
static void add_behaviour(const cli *c, load_plan *plan, const char *name, const char *encoding,
                          double weight, double rate)
{
    load_behaviour *one = &plan->behaviours[plan->behaviour_count++];
    bool player = rate >= 0.0;
    *one = (load_behaviour){.weight = weight, .rate = player ? rate : 0.0};
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
        one->in_turn = true;
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
        return cli_usage(c, "--watchers have nothing to do with --no-snapshots");
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
    return code == CLI_OK ? read_mix(c, plan, players, watchers) : code;
}

static cli_exit read_plan(const cli *c, load_plan *plan)
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
        return cli_usage(c, "either --world, which is there, or --worlds, which are made");
    }
    if (args_has(a, "snapshots") && params_check_rate(c, "snapshots") != CLI_OK) {
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
    plan->window = (unsigned)window;
    plan->world_count = (unsigned)worlds;
    return code;
}

// ---- the command

static cli_exit report(const cli *c, const load_plan *plan, const load_result *result)
{
    if (!c->json) {
        return report_print(plan, result);
    }
    carom_value *v = report_value(plan, result);
    cli_exit code = carom_value_ok(v) ? cli_print_json(v) : cli_out_of_memory();
    carom_value_free(v);
    return code;
}

static cli_exit work(cli *c, const load_plan *plan, bool own_world)
{
    static load_result result;
    load *l = NULL;
    cli_exit code = load_open(c, plan, &l);
    if (code == CLI_OK && terminal_interrupted() == 0) {
        code = load_run(l, &result);
        code = code == CLI_OK ? report(c, plan, &result) : code;
        const load_tally *tally = result.tally;
        if (code == CLI_OK && load_tally_errors(tally) + tally->lost + tally->refused > 0) {
            code = tally->lost >= plan->clients ? CLI_LOST : CLI_REFUSED;
        }
        load_tally_destroy(result.tally);
    }
    load_close(l, !own_world);
    return code;
}

// The worlds of the load's own: made, filled, worked, removed.
static cli_exit work_own(cli *c, load_plan *plan)
{
    static char names[LOAD_WORLDS_MAX][NAME_BYTES];
    static const char *list[LOAD_WORLDS_MAX];
    unsigned made = 0;
    cli_exit code = CLI_OK;
    for (; code == CLI_OK && made < plan->world_count; made += code == CLI_OK ? 1 : 0) {
        code = make_world(c, made, names[made], sizeof names[made]);
        list[made] = names[made];
    }
    plan->worlds = list;
    for (unsigned i = 0; code == CLI_OK && i < made; i++) {
        code = fill_world(c, names[i], args_whole(&c->args, "bodies", 100));
    }
    code = code == CLI_OK ? work(c, plan, true) : code;
    for (unsigned i = 0; i < made; i++) {
        remove_world(c, names[i]);
    }
    return code;
}

static cli_exit run_load(cli *c)
{
    if (c->args.word_count == 2) {
        return image_load(c);
    }
    if (c->args.word_count == 1) {
        return cli_usage(c, "'load FILE WORLD' makes a world of an image; 'load' alone, with "
                            "options, measures the server");
    }
    static load_plan plan; // large
    const char *given = args_text(&c->args, "world", NULL);
    cli_exit code = read_plan(c, &plan);
    if (code == CLI_OK && !terminal_catch_signals()) {
        code = cli_out_of_memory();
    }
    code = code == CLI_OK ? cli_connect(c, NULL) : code;
    if (code == CLI_OK && given != NULL) {
        plan.worlds = &given;
        code = work(c, &plan, false);
    } else if (code == CLI_OK) {
        code = work_own(c, &plan);
    }
    load_plan_deinit(&plan);
    return code;
}

const cli_command command_load = {
    .name = "load",
    .group = "Server",
    .summary = "measure the server with many connections; or load an image",
    .operands = (const args_operand[]){{"FILE", ARGS_FILE, false, false, NULL},
                                       {"WORLD", ARGS_WORLD, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"connections", 'c', ARGS_WHOLE, "N", "players: clients that command (default 10)",
             NULL},
            {"watchers", 0, ARGS_WHOLE, "N", "clients that only watch, besides (default 0)", NULL},
            {"stage", 0, ARGS_TEXT, "TIME:N,...", "ramps of clients: 30s:100,2m:1000,10s:0", NULL},
            {"time", 'd', ARGS_SECONDS, "TIME", "duration (default 10s)", NULL},
            {"rate", 'r', ARGS_NUMBER, "N", "commands a second of each connection (default 60)",
             NULL},
            {"window", 'w', ARGS_WHOLE, "N", "instead: as fast as possible, N in flight", NULL},
            {"snapshots", 0, ARGS_NUMBER, "N", "snapshots a second (default: one a tick)", NULL},
            {"no-snapshots", 0, ARGS_FLAG, NULL, "commands alone", NULL},
            {"encoding", 0, ARGS_TEXT, "WORD", "plain, packed, log, or a mix: packed=3,plain=1",
             NULL},
            {"area", 0, ARGS_BOX, "WxH", "a view of its own for each client, in metres", NULL},
            {"bodies", 'b', ARGS_WHOLE, "N", "moving bodies in its own world (default 100)", NULL},
            {"hz", 0, ARGS_NUMBER, "N", "ticks a second of that world (default 60)", NULL},
            {"world", 0, ARGS_WORLD, "WORLD", "use this world and leave it as it was", NULL},
            {"worlds", 0, ARGS_WHOLE, "N", "so many worlds of its own (default 1)", NULL},
            {"threads", 0, ARGS_WHOLE, "N", "threads of this program (default 1)", NULL},
            {0}},
    .details =
        "With FILE and WORLD it makes a world of an image that 'carom save' wrote.\n\n"
        "Without them it measures. Each connection subscribes, and strikes a body of its own to "
        "and fro; watchers only\n"
        "subscribe. Without --world it makes a world and removes it. --stage ramps the clients "
        "linearly: each stage\n"
        "leads to its number over its time; --connections and --watchers then give their "
        "shares.\n\n"
        "Latencies run from the time a command was due, also while a server stalls; with --window, "
        "where nothing is due,\n"
        "the commands that a stall kept back are added. An answer comes when the command has been "
        "applied: 'wait' is the\n"
        "wait for that tick, 'above' the rest. 'seen' ends with the first snapshot that shows the "
        "command; 'age' is how\n"
        "far a snapshot comes behind the earliest arrival of its tick, and half a ping; 'jitter' "
        "how far off its time.\n"
        "Exits with 1 when a command failed or a connection was lost, with 3 when all were.",
    .examples = "  carom load arena.caromimage rematch\n  carom load\n  carom load --connections "
                "200 --rate 30 --time 30s\n"
                "  carom load --connections 100 --watchers 1000 --encoding packed --threads 2\n"
                "  carom load --stage 30s:100,2m:1000,10s:0 --area 60x40\n"
                "  carom load --connections 8 --window 32 --no-snapshots --json",
    .run = run_load,
};
