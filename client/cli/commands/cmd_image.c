// save, load and fork: copies whole worlds exactly. Main thread only.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/log/image_file.h"
#include "client/cli/params.h"
#include "common/args/text.h"

// ---- save

static cli_exit run_save(cli *c)
{
    const char *path = args_word(&c->args, 1);
    carom_value *result = NULL;
    if (access(path, F_OK) == 0 && !args_has(&c->args, "force")) {
        cli_error(CLI_CODE_FILE, "%s exists already", path);
        cli_hint("--force replaces it");
        return CLI_USAGE;
    }
    cli_exit code = cli_call(c, "world.image", cli_world_args(c), &result);
    if (code != CLI_OK) {
        return code;
    }
    size_t size = 0;
    const void *bytes = carom_as_bytes(carom_value_get(result, "image"), &size);
    uint64_t tick = carom_get_uint(result, "tick", 0);
    code = image_file_write(c, path, bytes != NULL ? bytes : "", size);
    if (code == CLI_OK && c->json) {
        carom_value *told = carom_set(carom_map(), "file", carom_str(path));
        carom_set(told, "bytes", carom_uint(size));
        carom_set(told, "tick", carom_uint(tick));
        code = cli_print_json(told);
        carom_value_free(told);
    } else if (code == CLI_OK) {
        char human[32];
        text_from_bytes((double)size, human, sizeof human);
        (void)printf("saved %s as it is at tick %" PRIu64 ": %s, %s\n", args_word(&c->args, 0),
                     tick, path, human);
    }
    carom_value_free(result);
    return code;
}

const cli_command command_save = {
    .name = "save",
    .group = "Replay",
    .summary = "save a world as it is into a file",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"FILE", ARGS_FILE, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){{"force", 0, ARGS_FLAG, NULL, "replace FILE", NULL}, {0}},
    .details =
        "The image holds everything to the bit: bodies, contacts with their impulses, joints, "
        "timers, sleep.\n"
        "A world made of it (carom load FILE WORLD) continues as the first one would have, on any "
        "machine.",
    .examples = "  carom save arena arena.caromimage\n  carom load arena.caromimage rematch",
    .run = run_save,
};

// ---- load FILE WORLD

static cli_exit run_load(cli *c)
{
    const char *path = args_word(&c->args, 0);
    char *bytes = NULL;
    size_t size = 0;
    const char *world = args_word(&c->args, 1);
    cli_exit code = cli_read_file(path, &bytes, &size);
    if (code != CLI_OK) {
        cli_hint_swapped(c, path, world);
        return code;
    }
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world));
    carom_set(arguments, "image", carom_bin(bytes, size));
    free(bytes);
    if (args_has(&c->args, "paused")) {
        carom_set(arguments, "paused", carom_bool(true));
    }
    carom_value *result = NULL;
    code = cli_call_of_file(c, "world.create", arguments, "image", path, &result);
    if (code == CLI_OK && c->json) {
        code = cli_print_json(result);
    } else if (code == CLI_OK) {
        (void)printf("created %s of %s (tick %" PRIu64 ")\n", world, path,
                     carom_get_uint(result, "tick", 0));
    }
    carom_value_free(result);
    return code;
}

const cli_command command_load = {
    .name = "load",
    .group = "Worlds",
    .summary = "make a world of an image that 'carom save' wrote",
    .operands = (const args_operand[]){{"FILE", ARGS_FILE, true, false, NULL},
                                       {"WORLD", ARGS_WORLD, true, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){{"paused", 0, ARGS_FLAG, NULL, "the world begins paused", NULL}, {0}},
    .examples = "  carom save arena arena.caromimage\n  carom load arena.caromimage rematch",
    .run = run_load,
    .hint = "'carom bench' is the load test of a server ('carom bench --help')",
};

// ---- fork

static void show_forked(cli *c, const carom_value *result)
{
    (void)printf("forked %s as %s (tick %" PRIu64 ")\n", args_word(&c->args, 0),
                 carom_get_str(result, "world", ""), carom_get_uint(result, "tick", 0));
}

static cli_exit run_fork(cli *c)
{
    static const params_row FORK[] = {PARAMS_WORLD_FORK};
    carom_value *arguments = cli_world_args(c);
    carom_set(arguments, "as", carom_str(args_word(&c->args, 1)));
    params_method(c, FORK, sizeof FORK / sizeof *FORK, arguments);
    return cli_call_show(c, "world.fork", arguments, show_forked);
}

const cli_command command_fork = {
    .name = "fork",
    .group = "Worlds",
    .summary = "make a second world with the same state, which then runs on its own",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"NEW", ARGS_WORLD, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){OPTIONS_WORLD_FORK, {0}},
    .details = "The new world begins with exactly the state of the first one, and is paused if "
               "that one is.",
    .examples = "  carom fork arena what-if\n"
                "  carom pause arena; carom fork arena what-if; carom diff arena what-if",
    .run = run_fork,
};
