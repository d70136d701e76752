// data: reads and changes a world's keys and values, the game's own state. Main thread only.
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"

static void show_data(cli *c, const carom_value *result)
{
    static const char *const heads[] = {"KEY", ">VERSION", "VALUE"};
    const carom_value *data = carom_value_get(result, "data");
    const bool one = args_word(&c->args, 1) != NULL && !args_has(&c->args, "prefix");
    if (carom_value_count(data) == 0) {
        if (args_word(&c->args, 1) == NULL) {
            cli_print_line("%s has no data", args_word(&c->args, 0));
        } else {
            (void)printf("no such data\n");
        }
        return;
    }
    if (one) {
        show_line(carom_value_get(carom_value_at(data, 0), "value"));
        return;
    }
    table t;
    table_init(&t, 3, heads);
    for (size_t i = 0; i < carom_value_count(data); i++) {
        const carom_value *datum = carom_value_at(data, i);
        table_text(&t, carom_value_key(data, i, NULL));
        show_cell(&t, carom_value_get(datum, "version"));
        show_cell(&t, carom_value_get(datum, "value"));
    }
    (void)table_print(&t, stdout);
    table_deinit(&t);
}

static void show_set(cli *c, const carom_value *result)
{
    (void)printf("%s has version %llu (tick %llu)\n", args_word(&c->args, 1),
                 (unsigned long long)carom_get_uint(result, "version", 0),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

static cli_exit read_data(cli *c, carom_value *arguments, const char *key)
{
    if (key != NULL) {
        carom_set(arguments, args_has(&c->args, "prefix") ? "prefix" : "key", carom_str(key));
    }
    return cli_call_show(c, "data.get", arguments, show_data);
}

static cli_exit change_data(cli *c, carom_value *arguments, const char *key, const char *value)
{
    carom_set(arguments, "key", carom_str(key));
    params_whole(c, "if-version", arguments, "version");
    if (value == NULL) {
        return cli_call_show(cli_done(c, "removed %s", key), "data.remove", arguments, show_done);
    }
    const bool text = args_has(&c->args, "text");
    carom_set(arguments, "value", params_value(value, text ? PARAMS_TEXT : PARAMS_ANY));
    return cli_call_show(c, "data.set", arguments, show_set);
}

static cli_exit run_data(cli *c)
{
    const char *key = args_word(&c->args, 1);
    const char *value = args_word(&c->args, 2);
    const bool removes = args_has(&c->args, "remove");
    const bool changes = removes || value != NULL;
    if (removes && (key == NULL || value != NULL)) {
        return cli_usage(c, "--remove takes WORLD and KEY");
    }
    if (args_has(&c->args, "prefix") && (changes || key == NULL)) {
        return cli_usage(c, "--prefix takes WORLD and the beginning of keys");
    }
    if (args_has(&c->args, "if-version") && !changes) {
        return cli_usage(c, "--if-version needs VALUE or --remove");
    }
    if (args_has(&c->args, "text") && value == NULL) {
        return cli_usage(c, "--text needs VALUE");
    }
    return changes ? change_data(c, cli_world_args(c), key, value)
                   : read_data(c, cli_world_args(c), key);
}

const cli_command command_data = {
    .name = "data",
    .group = "Worlds",
    .summary = "show, set and remove a world's data: the game's own keys and values",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"KEY", ARGS_TEXT, false, false, NULL},
                                       {"VALUE", ARGS_TEXT, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"remove", 0, ARGS_FLAG, NULL, "remove KEY", NULL},
            {"prefix", 0, ARGS_FLAG, NULL, "show the keys that begin with KEY", NULL},
            {"if-version", 0, ARGS_WHOLE, "N",
             "only if KEY has this version; 0: only if it does not exist", NULL},
            {"text", 0, ARGS_FLAG, NULL, "VALUE is a text, whatever it looks like", NULL},
            {0}},
    .details = "VALUE is JSON, or otherwise a text. Data are part of the world: of its log, "
               "its\nimages and forks. A player may change only keys under player/ITS-SUBJECT/.",
    .examples = "  carom data demo\n  carom data demo round '{\"number\": 3, \"left\": 60}'\n"
                "  carom data demo round --json\n  carom data demo score/ --prefix\n"
                "  carom data demo referee me --if-version 0\n  carom data demo round --remove",
    .run = run_data,
};
