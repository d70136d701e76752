// See bench.h.
//
// Without --world the load makes a world that ends with its session, so that even a killed load
// leaves nothing behind; in all other cases it removes the world itself.
#include "client/load/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/load/load.h"
#include "client/load/options.h"
#include "client/load/report.h"
#include "client/tool/terminal.h"

enum { NAME_BYTES = 64, BODIES_AT_ONCE = 500, BODIES_IN_A_ROW = 100, BODIES_DEFAULT = 100 };

// ---- the world

// Makes commands that spawn balls on a grid, 3 m apart, which drift so that snapshots have changes.
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
        carom_value_free(carom_value_take(arguments, "world")); // world.apply names the world once
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

static cli_exit make_world(cli *c, const load_plan *plan, unsigned number, char *name, size_t size)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(name, size, "load-%ld-%09ld%s%.0u", (long)getpid(), now.tv_nsec,
                   number > 0 ? "-" : "", number);
    carom_value *arguments =
        plan->world_args != NULL ? carom_value_clone(plan->world_args) : carom_map();
    carom_set(arguments, "world", carom_str(name));
    if (plan->world_args == NULL) {
        carom_set(arguments, "gravity", carom_vec(0.0, 0.0));
    }
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

// ---- the command

// Outputs that the command line asks for besides the table.
typedef struct outputs {
    const char *csv, *html; // paths, NULL: none
    report_verdicts verdicts;
} outputs;

static cli_exit read_outputs(const cli *c, outputs *out)
{
    out->csv = args_text(&c->args, "csv", NULL);
    out->html = args_text(&c->args, "html", NULL);
    cli_exit code = load_options_verdicts(c, &out->verdicts);
    if (code == CLI_OK && !args_has(&c->args, "check") && out->csv != NULL) {
        code = report_may_write(c, "csv", out->csv);
    }
    if (code == CLI_OK && !args_has(&c->args, "check") && out->html != NULL) {
        code = report_may_write(c, "html", out->html);
    }
    return code;
}

static cli_exit report(const cli *c, const load_plan *plan, const load_result *result,
                       const outputs *out)
{
    carom_value *v = report_value(plan, result, &out->verdicts);
    cli_exit code = carom_value_ok(v) ? CLI_OK : cli_out_of_memory();
    if (code == CLI_OK) {
        code = c->json ? cli_print_json(v) : report_print(plan, result);
    }
    if (code == CLI_OK && out->csv != NULL) {
        code = report_write_csv(out->csv, v);
    }
    if (code == CLI_OK && out->html != NULL) {
        code = report_write_html(out->html, v, result);
    }
    carom_value_free(v);
    return code;
}

// Decides the exit status of a run that was reported: by its thresholds, then by its errors, unless
// a threshold limits errors.
static cli_exit judge(const load_plan *plan, const load_result *result, outputs *out)
{
    const load_tally *tally = result->tally;
    bool errors_allowed = false;
    if (tally->lost >= plan->clients) {
        return CLI_LOST;
    }
    for (size_t i = 0; i < out->verdicts.count; i++) {
        errors_allowed = errors_allowed || out->verdicts.thresholds[i].errors;
    }
    if (report_tell_failed(&out->verdicts) > 0) {
        return CLI_FAILED;
    }
    bool errors = load_tally_errors(tally) + tally->lost + tally->refused > 0;
    return errors && !errors_allowed ? CLI_REFUSED : CLI_OK;
}

// Pauses the load's own worlds until every client has subscribed: otherwise the first clients would
// get snapshots meanwhile, which delays the others. With stages, clients connect throughout the
// run.
static cli_exit hold_worlds(cli *c, const load_plan *plan, const char *method)
{
    bool stays_paused = carom_get_bool(plan->world_args, "paused", false);
    cli_exit code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < plan->world_count; i++) {
        if (plan->stages.count == 0 && !stays_paused) {
            code = cli_call(c, method, carom_set(carom_map(), "world", carom_str(plan->worlds[i])),
                            NULL);
        }
    }
    return code;
}

static cli_exit work(cli *c, const load_plan *plan, outputs *out, bool own_world, bool fleet)
{
    static load_result result;
    load *l = NULL;
    cli_exit code = own_world ? hold_worlds(c, plan, "world.pause") : CLI_OK;
    code = code == CLI_OK ? load_open(c, plan, fleet, &l) : code;
    code = code == CLI_OK && own_world ? hold_worlds(c, plan, "world.resume") : code;
    if (code == CLI_OK && terminal_interrupted() == 0) {
        code = load_run(l, &result);
        for (size_t i = 0; code == CLI_OK && i < out->verdicts.count; i++) {
            out->verdicts.verdicts[i] = load_threshold_judge(&out->verdicts.thresholds[i], &result);
        }
        code = code == CLI_OK ? report(c, plan, &result, out) : code;
        code = code == CLI_OK ? judge(plan, &result, out) : code;
        load_tally_destroy(result.tally);
    }
    load_close(l, !own_world);
    return code;
}

// Makes the load's own worlds, fills them, runs the load, and removes them.
static cli_exit work_own(cli *c, load_plan *plan, outputs *out)
{
    static char names[LOAD_WORLDS_MAX][NAME_BYTES];
    static const char *list[LOAD_WORLDS_MAX];
    unsigned made = 0;
    cli_exit code = CLI_OK;
    for (; code == CLI_OK && made < plan->world_count; made += code == CLI_OK ? 1 : 0) {
        code = make_world(c, plan, made, names[made], sizeof names[made]);
        list[made] = names[made];
    }
    plan->worlds = list;
    for (unsigned i = 0; code == CLI_OK && i < made; i++) {
        // A scenario has bodies of its own
        uint64_t bodies = plan->name[0] != '\0' ? 0 : BODIES_DEFAULT;
        code = fill_world(c, names[i], args_whole(&c->args, "bodies", bodies));
    }
    code = code == CLI_OK ? work(c, plan, out, true, false) : code;
    for (unsigned i = 0; i < made; i++) {
        remove_world(c, names[i]);
    }
    return code;
}

// Whether the world is one of a fleet. The connection is then to the server that has it, and is
// dialed again when it is lost.
static bool join_fleet(cli *c, const char *world)
{
    carom_value *info = NULL;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world));
    carom_error error = {0};
    bool fleet =
        carom_call(c->client, "world.info", arguments, c->timeout_ms, &info, &error) == CAROM_OK &&
        carom_get_uint(info, "term", 0) > 0;
    bool here = carom_hello_of(c->client, world) == carom_hello(c->client);
    fleet = fleet &&
            cli_go_to(c, here ? NULL : carom_get_str(info, "primary", ""), NULL, c->timeout_ms);
    carom_value_free(info);
    carom_value_free(arguments);
    return fleet;
}

static cli_exit run_plan(cli *c, load_plan *plan, outputs *out)
{
    const char *given = args_text(&c->args, "world", NULL);
    cli_exit code = terminal_catch_signals() ? cli_connect(c, NULL) : cli_out_of_memory();
    if (code == CLI_OK && given != NULL) {
        plan->worlds = &given;
        bool fleet = !args_has(&c->args, "no-reconnect") && join_fleet(c, given);
        code = work(c, plan, out, false, fleet);
    } else if (code == CLI_OK) {
        code = work_own(c, plan, out);
    }
    return code;
}

// Reports the plan for --check, which needs no server.
static cli_exit tell_sound(const cli *c, const load_plan *plan)
{
    size_t actions = 0;
    const char *path = args_text(&c->args, "scenario", NULL);
    if (path == NULL) {
        return cli_usage(c, "--check checks a --scenario");
    }
    for (size_t i = 0; i < plan->behaviour_count; i++) {
        actions += plan->behaviours[i].action_count;
    }
    if (c->json) {
        (void)printf("{\"kinds\":%zu,\"actions\":%zu}\n", plan->behaviour_count, actions);
    } else {
        (void)printf("%s is a sound scenario: kinds of clients: %zu, actions: %zu\n", path,
                     plan->behaviour_count, actions);
    }
    return CLI_OK;
}

cli_exit bench_run(cli *c)
{
    static load_plan plan; // large
    static outputs out;
    cli_exit code = load_options_plan(c, &plan);
    code = code == CLI_OK ? read_outputs(c, &out) : code;
    if (code == CLI_OK) {
        code = args_has(&c->args, "check") ? tell_sound(c, &plan) : run_plan(c, &plan, &out);
    }
    load_plan_deinit(&plan);
    return code;
}
