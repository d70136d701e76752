// load: how many connections and commands a server bears, and how quickly it answers meanwhile.
//
// Without --world it makes a world of its own that ends with its session, so that even a killed
// load leaves nothing behind; it removes the world itself when it ends in any other way. Main
// thread only.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/load/load.h"
#include "client/cli/params.h"
#include "client/cli/table.h"
#include "client/cli/picture/terminal.h"
#include "client/cli/text.h"

enum {
    NAME_BYTES = 64,
    WINDOW_AT_A_RATE = 256,
    BODIES_AT_ONCE = 500,
    BODIES_IN_A_ROW = 100,
    BODIES_MAX = 100000
};

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

static cli_exit make_world(cli *c, char *name, size_t size)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(name, size, "load-%ld-%09ld", (long)getpid(), now.tv_nsec);
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

// ---- the report

static uint64_t error_sum(const load_result *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        sum += r->errors[i];
    }
    return sum;
}

static const double shares[] = {50.0, 90.0, 99.0, 100.0};
static const char *const share_names[] = {"p50", "p90", "p99", "max"};

static void add_count(table *t, const char *name, uint64_t count, double seconds)
{
    table_text(t, name);
    table_format(t, "%" PRIu64, count);
    table_format(t, "%.1f", (double)count / seconds);
}

static void add_bytes(table *t, const char *name, uint64_t count, double seconds)
{
    char text[32];
    table_text(t, name);
    text_from_bytes((double)count, text, sizeof text);
    table_text(t, text);
    text_from_bytes((double)count / seconds, text, sizeof text);
    table_text(t, text);
}

static void print_latency(const load_result *r)
{
    (void)printf("latency of commands ");
    for (size_t i = 0; i < 4; i++) {
        char text[32];
        text_from_seconds((double)histogram_percentile(&r->latency, shares[i]) * 1e-9, text,
                          sizeof text);
        (void)printf("%s%s %s", i == 0 ? " " : "   ", share_names[i], text);
    }
    (void)printf("\n");
}

static cli_exit print_report(const load_plan *plan, const load_result *r)
{
    static const char *const heads[] = {"COUNT", ">TOTAL", ">A SECOND"};
    table t;
    table_init(&t, 3, heads);
    add_count(&t, "commands answered", r->answered, r->seconds);
    add_count(&t, "snapshots", r->snapshots, r->seconds);
    add_count(&t, "snapshots skipped", r->skipped, r->seconds);
    add_count(&t, "events", r->events, r->seconds);
    add_bytes(&t, "bytes in", r->bytes_in, r->seconds);
    add_bytes(&t, "bytes out", r->bytes_out, r->seconds);
    add_count(&t, "errors", error_sum(r), r->seconds);
    (void)printf("%u connections to '%s' for %.1f s, ", plan->connections, plan->world, r->seconds);
    if (plan->rate > 0.0) {
        (void)printf("%g commands a second each\n", plan->rate);
    } else {
        (void)printf("%u commands in flight each\n", plan->window);
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    print_latency(r);
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        if (r->errors[i] > 0) {
            (void)printf("%" PRIu64 " commands ended with %s\n", r->errors[i],
                         carom_status_name((carom_status)i));
        }
    }
    if (r->lost > 0) {
        (void)printf("%" PRIu64 " connections were lost: %s\n", r->lost, r->lost_reason);
    }
    return whole ? CLI_OK : cli_out_of_memory();
}

static cli_exit print_json(const load_plan *plan, const load_result *r)
{
    carom_value *latency = carom_map();
    for (size_t i = 0; i < 4; i++) {
        carom_set(latency, share_names[i],
                  carom_real((double)histogram_percentile(&r->latency, shares[i]) * 1e-9));
    }
    carom_set(latency, "mean", carom_real(histogram_mean(&r->latency) * 1e-9));
    carom_value *errors = carom_map();
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        if (r->errors[i] > 0) {
            carom_set(errors, carom_status_name((carom_status)i), carom_uint(r->errors[i]));
        }
    }
    carom_value *v = carom_set(carom_map(), "world", carom_str(plan->world));
    carom_set(v, "connections", carom_uint(plan->connections));
    carom_set(v, "seconds", carom_real(r->seconds));
    carom_set(v, "commands_sent", carom_uint(r->sent));
    carom_set(v, "commands", carom_uint(r->answered));
    carom_set(v, "commands_per_second", carom_real((double)r->answered / r->seconds));
    carom_set(v, "snapshots", carom_uint(r->snapshots));
    carom_set(v, "snapshots_per_second", carom_real((double)r->snapshots / r->seconds));
    carom_set(v, "snapshots_skipped", carom_uint(r->skipped));
    carom_set(v, "events", carom_uint(r->events));
    carom_set(v, "bytes_in", carom_uint(r->bytes_in));
    carom_set(v, "bytes_out", carom_uint(r->bytes_out));
    carom_set(v, "latency", latency);
    carom_set(v, "errors", errors);
    carom_set(v, "lost", carom_uint(r->lost));
    cli_exit code = carom_value_ok(v) ? cli_print_json(v) : cli_out_of_memory();
    carom_value_free(v);
    return code;
}

// ---- the command

static cli_exit read_plan(const cli *c, load_plan *plan)
{
    const args *a = &c->args;
    uint64_t connections = args_whole(a, "connections", 10);
    uint64_t threads = args_whole(a, "threads", 1);
    uint64_t window = args_whole(a, "window", WINDOW_AT_A_RATE);
    bool by_window = args_has(a, "window");
    plan->rate = by_window ? 0.0 : args_number(a, "rate", 60.0);
    plan->seconds = args_seconds(a, "time", 10.0);
    plan->snapshot_rate = args_has(a, "no-snapshots") ? -1.0 : args_number(a, "snapshots", 0.0);
    plan->timeout_ms = c->timeout_ms;
    if (by_window && args_has(a, "rate")) {
        return cli_usage(c, "either --rate or --window, not both");
    }
    if (connections < 1 || connections > LOAD_CONNECTIONS_MAX) {
        return cli_usage(c, "--connections is from 1 to %d", LOAD_CONNECTIONS_MAX);
    }
    if (threads < 1 || threads > LOAD_THREADS_MAX || threads > connections) {
        return cli_usage(c, "--threads is from 1 to %d, and no more than --connections",
                         LOAD_THREADS_MAX);
    }
    if (window < 1 || window > LOAD_WINDOW_MAX) {
        return cli_usage(c, "--window is from 1 to %d", LOAD_WINDOW_MAX);
    }
    if (!by_window && (plan->rate < 0.01 || plan->rate > 1e6)) {
        return cli_usage(c, "--rate is from 0.01 to 1000000");
    }
    if (args_has(a, "snapshots") && params_check_rate(c, "snapshots") != CLI_OK) {
        return CLI_USAGE;
    }
    if (plan->seconds < 0.1 || plan->seconds > 86400.0) {
        return cli_usage(c, "--time is from 100ms to 24h");
    }
    if (args_whole(a, "bodies", 0) > BODIES_MAX) {
        return cli_usage(c, "--bodies is at most %d", BODIES_MAX);
    }
    plan->connections = (unsigned)connections;
    plan->threads = (unsigned)threads;
    plan->window = (unsigned)window;
    return CLI_OK;
}

static cli_exit work(cli *c, const load_plan *plan, bool own_world)
{
    static load_result result;
    load *l = NULL;
    cli_exit code = load_open(c, plan, &l);
    if (code == CLI_OK && terminal_interrupted() == 0) {
        code = load_run(l, &result);
        if (code == CLI_OK) {
            code = c->json ? print_json(plan, &result) : print_report(plan, &result);
        }
        if (code == CLI_OK && (error_sum(&result) > 0 || result.lost > 0)) {
            code = result.lost == plan->connections ? CLI_LOST : CLI_REFUSED;
        }
    }
    load_close(l, !own_world);
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
    char name[NAME_BYTES];
    load_plan plan = {.world = args_text(&c->args, "world", NULL)};
    bool own_world = plan.world == NULL;
    cli_exit code = read_plan(c, &plan);
    if (code == CLI_OK && !terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    code = code == CLI_OK ? cli_connect(c, NULL) : code;
    if (code == CLI_OK && own_world) {
        code = make_world(c, name, sizeof name);
        plan.world = name;
    }
    if (code != CLI_OK) {
        return code;
    }
    code = fill_world(c, plan.world, own_world ? args_whole(&c->args, "bodies", 100) : 0);
    code = code == CLI_OK ? work(c, &plan, own_world) : code;
    if (own_world) {
        remove_world(c, name);
    }
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
            {"connections", 'c', ARGS_WHOLE, "N", "number of connections (default 10)", NULL},
            {"time", 'd', ARGS_SECONDS, "TIME", "duration (default 10s)", NULL},
            {"rate", 'r', ARGS_NUMBER, "N", "commands a second of each connection (default 60)",
             NULL},
            {"window", 'w', ARGS_WHOLE, "N", "instead: as fast as possible, N in flight", NULL},
            {"snapshots", 0, ARGS_NUMBER, "N", "snapshots a second (default: one a tick)", NULL},
            {"no-snapshots", 0, ARGS_FLAG, NULL, "commands alone", NULL},
            {"bodies", 'b', ARGS_WHOLE, "N", "moving bodies in its own world (default 100)", NULL},
            {"hz", 0, ARGS_NUMBER, "N", "ticks a second of that world (default 60)", NULL},
            {"world", 0, ARGS_WORLD, "WORLD", "use this world and leave it as it was", NULL},
            {"threads", 0, ARGS_WHOLE, "N", "threads of this program (default 1)", NULL},
            {0}},
    .details = "With FILE and WORLD it makes a world of an image that 'carom save' wrote.\n\n"
               "Without them it measures. Each connection subscribes, and strikes a body of its own "
               "to and fro.\n"
               "Without --world it makes a world and removes it. Latency runs from the time a "
               "command was due to its\n"
               "answer, which the server sends when the command has been applied: up to a tick of "
               "the world is part of it.\n"
               "Exits with 1 when a command failed or a connection was lost, with 3 when all were.",
    .examples = "  carom load arena.caromimage rematch\n  carom load\n  carom load --connections "
                "200 --rate 30 --time 30s\n"
                "  carom load --connections 8 --window 32 --no-snapshots --json",
    .run = run_load,
};
