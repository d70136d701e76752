// ping, info, stats, methods, call: shows the server as a whole, and calls methods that have no
// command of their own. Main thread only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/tool/histogram.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "client/tool/terminal.h"
#include "common/args/text.h"

// ---- ping

static void print_ping(const cli *c, double round_trip, double server_time)
{
    char took[32];
    text_from_seconds(round_trip, took, sizeof took);
    if (c->json) {
        (void)printf("{\"server\":\"%s\",\"round_trip\":%.9f,\"time\":%.6f}\n", c->server,
                     round_trip, server_time);
    } else {
        (void)printf("%s answered in %s\n", c->server, took);
    }
    (void)fflush(stdout);
}

static void print_ping_summary(const histogram *h)
{
    static const double shares[] = {0.0, 50.0, 99.0, 100.0};
    static const char *const names[] = {"fastest", "p50", "p99", "slowest"};
    (void)printf("%llu %s:", TEXT_COUNTED(h->total, "answer", "answers"));
    for (size_t i = 0; i < 4; i++) {
        char text[32];
        uint64_t value = i == 0 ? h->smallest : histogram_percentile(h, shares[i]);
        text_from_seconds((double)value * 1e-9, text, sizeof text);
        (void)printf("%s %s %s", i == 0 ? "" : ",", names[i], text);
    }
    (void)printf("\n");
}

static cli_exit run_ping(cli *c)
{
    uint64_t count = args_whole(&c->args, "count", 1);
    double interval = args_seconds(&c->args, "interval", 1.0);
    cli_exit code = cli_connect(c, NULL);
    static histogram times;
    histogram_init(&times);
    if (code == CLI_OK && count > 1 && !terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    for (uint64_t i = 0; code == CLI_OK && i < count && terminal_interrupted() == 0; i++) {
        carom_error error = {0};
        double round_trip = 0.0;
        double server_time = 0.0;
        if (carom_ping(c->client, c->timeout_ms, &round_trip, &server_time, &error) != CAROM_OK) {
            return cli_fail(c, &error);
        }
        histogram_record(&times, (uint64_t)(round_trip * 1e9));
        print_ping(c, round_trip, server_time);
        double until = cli_now() + interval;
        for (double now = cli_now(); i + 1 < count && now < until && terminal_interrupted() == 0;
             now = cli_now()) {
            if (carom_poll(c->client, (int)((until - now) * 1000.0) + 1, &error) != CAROM_OK) {
                return cli_lost(c, &error);
            }
        }
    }
    if (code == CLI_OK && count > 1 && !c->json) {
        print_ping_summary(&times);
    }
    return code;
}

const cli_command command_ping = {
    .name = "ping",
    .group = "Server",
    .summary = "check that the server answers, and how fast",
    .options =
        (const args_option[]){
            {"count", 'n', ARGS_COUNT, "N", "how many times (default 1)", NULL},
            {"interval", 'i', ARGS_SECONDS, "TIME", "time between two of them (default 1s)", NULL},
            {0}},
    .details = "Exits with 3 when there is no answer, which suits health checks.",
    .examples =
        "  carom ping\n  carom ping --timeout 500ms && echo up\n  carom ping -n 10 -i 200ms",
    .run = run_ping,
};

// ---- info

static cli_exit run_stats(cli *c)
{
    carom_value *result = NULL;
    cli_exit code = cli_call(c, "server.stats", NULL, &result);
    if (code == CLI_OK) {
        code = c->json ? cli_print_json(result) : show_map(result, stdout);
    }
    carom_value_free(result);
    return code;
}

static cli_exit run_info(cli *c)
{
    carom_value *result = NULL;
    bool of_world = args_word(&c->args, 0) != NULL;
    if (args_has(&c->args, "stats")) {
        return of_world ? cli_usage(c, "--stats shows the server: leave WORLD out") : run_stats(c);
    }
    cli_exit code = of_world ? cli_call(c, "world.info", cli_world_args(c), &result)
                             : cli_call(c, "server.info", NULL, &result);
    if (code == CLI_OK) {
        code = c->json ? cli_print_json(result) : show_map(result, stdout);
    }
    carom_value_free(result);
    return code;
}

const cli_command command_info = {
    .name = "info",
    .group = "Look",
    .summary = "show the state of the server, or of a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, false, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"stats", 0, ARGS_FLAG, NULL, "the server's counters and latencies", NULL}, {0}},
    .examples = "  carom info\n  carom info demo\n  carom info --stats\n  carom info demo --json | "
                "jq .tick",
    .run = run_info,
};

const cli_command command_stats = {
    .name = "stats",
    .group = "Server",
    .summary = "show the server's counters and latencies",
    .details = "With --json latencies are in seconds.",
    .examples = "  carom stats\n  carom stats --json | jq .latencies.step.p99",
    .run = run_stats,
};

// ---- methods

static carom_value *argument_value(const carom_argument *argument)
{
    carom_value *map = carom_set(carom_map(), "name", carom_str(argument->name));
    carom_set(map, "type", carom_str(argument->type));
    carom_set(map, "unit", carom_str(argument->unit));
    carom_set(map, "choices", carom_str(argument->choices));
    carom_set(map, "required", carom_bool(argument->required));
    carom_set(map, "default", carom_str(argument->fallback));
    return carom_set(map, "doc", carom_str(argument->doc));
}

static carom_value *method_value(size_t index, const carom_method *method)
{
    carom_value *arguments = carom_array();
    carom_argument argument;
    for (size_t i = 0; carom_method_argument(index, i, &argument); i++) {
        arguments = carom_push(arguments, argument_value(&argument));
    }
    carom_value *map = carom_set(carom_map(), "name", carom_str(method->name));
    carom_set(map, "doc", carom_str(method->doc));
    carom_set(map, "result", carom_str(method->result));
    carom_set(map, "role", carom_str(method->role));
    carom_set(map, "batch", carom_bool(method->batch));
    carom_set(map, "available", carom_bool(method->available));
    return carom_set(map, "arguments", arguments);
}

static cli_exit print_method(const cli *c, size_t index, const carom_method *method)
{
    if (c->json) {
        carom_value *value = method_value(index, method);
        cli_exit code = carom_value_ok(value) ? cli_print_json(value) : cli_out_of_memory();
        carom_value_free(value);
        return code;
    }
    (void)printf("%s\n%s%s\n\nAnswers %s\nFor role %s or above\n", method->name, method->doc,
                 method->available ? "" : " (Not in this version.)", method->result, method->role);
    if (method->argument_count == 0) {
        (void)printf("Takes no arguments.\n");
        return CLI_OK;
    }
    (void)printf("\n");
    static const char *const heads[] = {"ARGUMENT", "TYPE", "LEFT OUT", "MEANING"};
    table t;
    table_init(&t, 4, heads);
    carom_argument argument;
    for (size_t i = 0; carom_method_argument(index, i, &argument); i++) {
        table_text(&t, argument.name);
        if (argument.choices[0] != '\0') {
            table_text(&t, argument.choices);
        } else {
            table_format(&t, "%s%s%s", argument.type, argument.unit[0] != '\0' ? ", " : "",
                         argument.unit);
        }
        table_text(&t, argument.required ? "(required)" : argument.fallback);
        table_text(&t, argument.doc);
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

// "world, hz?, scene?"
static void list_arguments(size_t index, char *out, size_t size)
{
    size_t used = 0;
    carom_argument argument;
    out[0] = '\0';
    for (size_t i = 0; carom_method_argument(index, i, &argument) && used + 1 < size; i++) {
        int more = snprintf(out + used, size - used, "%s%s%s", i == 0 ? "" : ", ", argument.name,
                            argument.required ? "" : "?");
        used += more > 0 ? (size_t)more : 0;
    }
}

static cli_exit print_methods(const cli *c)
{
    static const char *const heads[] = {"METHOD", "ARGUMENTS"};
    table t;
    table_init(&t, 2, heads);
    carom_value *all = carom_array();
    carom_method method;
    for (size_t i = 0; carom_method_at(i, &method); i++) {
        char arguments[512];
        list_arguments(i, arguments, sizeof arguments);
        table_text(&t, method.name);
        table_text(&t, arguments);
        all = carom_push(all, method_value(i, &method));
    }
    bool whole = carom_value_ok(all);
    if (whole) {
        whole = c->json ? cli_print_json(all) == CLI_OK : table_print(&t, stdout);
    }
    carom_value_free(all);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

static cli_exit print_method_names(const cli *c)
{
    carom_value *names = carom_array();
    carom_method method;
    for (size_t i = 0; carom_method_at(i, &method); i++) {
        if (c->json) {
            names = carom_push(names, carom_str(method.name));
        } else {
            (void)printf("%s\n", method.name);
        }
    }
    cli_exit code = c->json ? cli_print_json(names) : CLI_OK;
    carom_value_free(names);
    return code;
}

static cli_exit unknown_method(const cli *c, const char *name)
{
    enum { NAMES_MAX = 128 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    carom_method method;
    while (count < NAMES_MAX && carom_method_at(count, &method)) {
        names[count++] = method.name;
    }
    const char *meant = text_suggest(name, names, count);
    return meant != NULL ? cli_usage(c, "no method '%s'; did you mean '%s'?", name, meant)
                         : cli_usage(c, "no method '%s'; 'carom methods' lists them", name);
}

static cli_exit run_methods(cli *c)
{
    const char *name = args_word(&c->args, 0);
    size_t index = 0;
    carom_method method;
    if (name == NULL) {
        return args_has(&c->args, "names") ? print_method_names(c) : print_methods(c);
    }
    if (!carom_method_find(name, &method, &index)) {
        return unknown_method(c, name);
    }
    return print_method(c, index, &method);
}

const cli_command command_methods = {
    .name = "methods",
    .group = "Server",
    .summary = "list the protocol's methods, or the arguments of one",
    .operands = (const args_operand[]){{"METHOD", ARGS_METHOD, false, false, NULL}, {0}},
    .options =
        (const args_option[]){{"names", 0, ARGS_FLAG, NULL, "names alone, one a line", NULL}, {0}},
    .details = "The table is the one that this client was built with; no server is needed.",
    .examples =
        "  carom methods\n  carom methods body.spawn\n  carom methods --json | jq '.[].name'",
    .run = run_methods,
};

// ---- call

// Reads the arguments: a JSON map, "-" for one on standard input, NAME=VALUE words, or a map
// followed by words that override it.
static cli_exit read_arguments(cli *c, const char *method, carom_value **out)
{
    const char *word = args_word(&c->args, 1);
    bool json = word != NULL && (word[0] == '{' || word[0] == '[' || strcmp(word, "-") == 0);
    *out = NULL;
    if (json) {
        char *text = NULL;
        size_t size = strlen(word);
        cli_exit code = strcmp(word, "-") == 0 ? cli_read_file("-", &text, &size) : CLI_OK;
        if (code != CLI_OK) {
            return code;
        }
        carom_error error = {0};
        carom_status status = carom_json_parse(text != NULL ? text : word, size, out, &error);
        free(text);
        if (status != CAROM_OK) {
            return cli_usage(c, "the arguments are not JSON: %s", error.text);
        }
        if (carom_value_type(*out) != CAROM_MAP) {
            return cli_usage(c, "the arguments are a JSON map such as '{\"world\":\"demo\"}'");
        }
    }
    *out = *out != NULL ? *out : carom_map();
    // The server may know a method that this client does not.
    return params_pairs(c, json ? 2 : 1, method, *out);
}

static cli_exit run_call(cli *c)
{
    const char *method = args_word(&c->args, 0);
    carom_value *arguments = NULL;
    carom_value *result = NULL;
    cli_exit code = read_arguments(c, method, &arguments);
    if (code == CLI_OK && args_has(&c->args, "notify")) {
        carom_error error = {0};
        code = cli_connect(c, NULL);
        if (code == CLI_OK && (carom_send(c->client, method, arguments, &error) != CAROM_OK ||
                               carom_flush(c->client, c->timeout_ms, &error) != CAROM_OK)) {
            code = cli_fail(c, &error);
        }
        carom_value_free(arguments);
        return code;
    }
    if (code != CLI_OK) {
        carom_value_free(arguments);
        return code;
    }
    code = cli_call(c, method, arguments, &result);
    if (code == CLI_OK) {
        code = c->json ? cli_print_json(result) : cli_print_pretty(result);
    }
    carom_value_free(result);
    return code;
}

const cli_command command_call = {
    .name = "call",
    .group = "Server",
    .summary = "call any method of the protocol",
    .operands = (const args_operand[]){{"METHOD", ARGS_METHOD, true, false, NULL},
                                       {"JSON|NAME=VALUE", ARGS_TEXT, false, true, NULL},
                                       {0}},
    .options = (const args_option[]){{"notify", 0, ARGS_FLAG, NULL,
                                      "send it as a notification: no answer is awaited", NULL},
                                     {0}},
    .details =
        "The arguments are a JSON map, - for one on standard input, NAME=VALUE words, or both.\n"
        "The answer is JSON: with --json on one line.",
    .examples = "  carom call world.info '{\"world\": \"demo\"}'\n"
                "  carom call body.impulse world=demo body=3 impulse=0,10\n"
                "  echo '{\"world\":\"demo\"}' | carom call world.state - --json",
    .run = run_call,
};
