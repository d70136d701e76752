// worlds, create, destroy, pause, resume, step: lists worlds and controls whole ones. Main thread
// only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/method_options.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "common/args/text.h"

// ---- worlds

// Prints only the names: one on each line, or a JSON array of them.
static void print_world_names(const cli *c, const carom_value *list)
{
    carom_value *names = carom_array();
    for (size_t i = 0; i < carom_value_count(list); i++) {
        const char *name = carom_get_str(carom_value_at(list, i), "world", "");
        if (c->json) {
            names = carom_push(names, carom_str(name));
        } else {
            cli_print_line("%s", name);
        }
    }
    if (c->json) {
        (void)cli_print_json(names);
    }
    carom_value_free(names);
}

static cli_exit print_worlds(const carom_value *list)
{
    static const char *const heads[] = {"WORLD",   "STATE",     ">TICK",     ">TIME",
                                        ">HZ",     ">BODIES",   ">AWAKE",    ">CONTACTS",
                                        ">JOINTS", ">WATCHERS", ">STEP [ms]"};
    static const char *const keys[] = {"hz",       "bodies", "awake",
                                       "contacts", "joints", "subscribers"};
    table t;
    table_init(&t, 11, heads);
    for (size_t i = 0; i < carom_value_count(list); i++) {
        const carom_value *world = carom_value_at(list, i);
        char time[32], state[32];
        text_from_duration(carom_get_real(world, "time", 0.0), time, sizeof time);
        show_cell(&t, carom_value_get(world, "world"));
        table_text(&t, show_world_state(world, state, sizeof state));
        table_colour(&t, show_world_mark(world));
        show_cell(&t, carom_value_get(world, "tick"));
        table_text(&t, time);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            show_cell(&t, carom_value_get(world, keys[k]));
        }
        table_format(&t, "%.3f", carom_get_real(world, "step_ms", 0.0));
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    for (size_t i = 0; i < carom_value_count(list); i++) {
        const carom_value *world = carom_value_at(list, i);
        const char *why = carom_get_str(world, "unavailable", "");
        if (*why != '\0') {
            cli_hint("%s %s", carom_get_str(world, "world", ""), why);
        }
    }
    return whole ? CLI_OK : cli_out_of_memory();
}

static cli_exit run_worlds(cli *c)
{
    carom_value *list = NULL;
    cli_exit code = cli_call(c, "world.list", NULL, &list);
    if (code == CLI_OK && args_has(&c->args, "names")) {
        print_world_names(c, list);
    } else if (code == CLI_OK && c->json) {
        code = cli_print_json(list);
    } else if (code == CLI_OK && carom_value_count(list) == 0) {
        (void)printf("no worlds; 'carom create NAME' makes one\n");
    } else if (code == CLI_OK) {
        code = print_worlds(list);
    }
    carom_value_free(list);
    return code;
}

const cli_command command_worlds = {
    .name = "worlds",
    .alias = "ls",
    .group = "Look",
    .summary = "list the worlds of the server",
    .options =
        (const args_option[]){{"names", 0, ARGS_FLAG, NULL, "names alone, one a line", NULL}, {0}},
    .examples = "  carom worlds\n  carom worlds --json | jq '.[] | select(.bodies > 100) | .world'",
    .run = run_worlds,
};

// ---- create

static void show_created(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf(carom_get_bool(result, "created", true) ? "created %s (tick %llu)\n"
                                                         : "%s exists (tick %llu)\n",
                 carom_get_str(result, "world", ""),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

static const params_row CREATE[] = {PARAMS_WORLD_CREATE};

static cli_exit run_create(cli *c)
{
    carom_value *arguments = cli_world_args(c);
    params_method(c, CREATE, sizeof CREATE / sizeof *CREATE, arguments);
    cli_exit code = params_pairs(c, 1, "world.create", arguments);
    if (code != CLI_OK) {
        carom_value_free(arguments);
        return code;
    }
    return cli_call_show(c, "world.create", arguments, show_created);
}

const cli_command command_create = {
    .name = "create",
    .group = "Worlds",
    .summary = "create a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"NAME=VALUE", ARGS_PAIR, false, true, NULL},
                                       {0}},
    .options = (const args_option[]){OPTIONS_WORLD_CREATE, {0}},
    .details =
        "NAME=VALUE gives any other argument of world.create ('carom methods world.create').",
    .examples = "  carom create yard\n  carom create moon --gravity 0,-1.62 --hz 120\n"
                "  carom create try --scene pyramid --paused\n  carom create yard --if-absent",
    .run = run_create,
};

// ---- destroy, pause, resume, step

// Calls the method for each world named; continues after a refusal, so that one mistake does not
// skip the other worlds. `verb`: "paused", as in "paused demo".
static cli_exit for_each_world(cli *c, const char *method, const char *verb)
{
    cli_exit worst = CLI_OK;
    for (size_t i = 0; i < c->args.word_count; i++) {
        const char *world = args_word(&c->args, i);
        carom_value *arguments = carom_set(carom_map(), "world", carom_str(world));
        cli_exit code =
            cli_call_show(cli_done(c, "%s %s", verb, world), method, arguments, show_done);
        worst = code > worst ? code : worst;
        if (code == CLI_LOST) {
            break;
        }
    }
    return worst;
}

static cli_exit run_destroy(cli *c)
{
    return for_each_world(c, "world.destroy", "destroyed");
}

static cli_exit run_pause(cli *c)
{
    return for_each_world(c, "world.pause", "paused");
}

static cli_exit run_resume(cli *c)
{
    return for_each_world(c, "world.resume", "resumed");
}

static const args_operand world_names[] = {{"WORLD", ARGS_WORLD, true, true, NULL}, {0}};

const cli_command command_destroy = {
    .name = "destroy",
    .group = "Worlds",
    .summary = "destroy worlds and everything in them",
    .operands = world_names,
    .examples = "  carom destroy yard\n  carom destroy try1 try2",
    .run = run_destroy,
};

const cli_command command_pause = {
    .name = "pause",
    .group = "Worlds",
    .summary = "pause worlds: their time stands still",
    .operands = world_names,
    .examples = "  carom pause demo",
    .run = run_pause,
};

const cli_command command_resume = {
    .name = "resume",
    .group = "Worlds",
    .summary = "resume paused worlds",
    .operands = world_names,
    .examples = "  carom resume demo",
    .run = run_resume,
};

static cli_exit run_step(cli *c)
{
    static const params_row STEP[] = {PARAMS_WORLD_STEP};
    carom_value *arguments = cli_world_args(c);
    params_method(c, STEP, sizeof STEP / sizeof *STEP, arguments);
    if (args_word(&c->args, 1) != NULL) {
        carom_set(arguments, "ticks", params_id_word(args_word(&c->args, 1)));
    }
    return cli_call_show(cli_done(c, "stepped %s", args_word(&c->args, 0)), "world.step", arguments,
                         show_done);
}

const cli_command command_step = {
    .name = "step",
    .group = "Worlds",
    .summary = "advance a paused world by one tick or several",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"TICKS", ARGS_WHOLE, false, false, NULL},
                                       {0}},
    .options = (const args_option[]){OPTIONS_WORLD_STEP, {0}},
    .examples = "  carom step try\n  carom step try 600 --timeout 60s\n  carom step try --to 900",
    .run = run_step,
};
